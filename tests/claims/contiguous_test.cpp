// Coalescing factors, and cores without work, against a walk over all places of random layouts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/remap.h"
#include "tests/support/property.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_contiguous_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

std::string text_of(const std::vector<Index>& size, const std::vector<Index>& alignments, std::size_t joined,
                    const std::vector<Index>& device, bool tiled) {
  std::vector<std::string> intervals{fmt::format("[0, {}]", joined)};
  for (std::size_t d = joined; d < size.size(); ++d) intervals.push_back(fmt::format("[{}, {}]", d, d + 1));
  return fmt::format(
      "tensor<{}x{}, #ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, collapsed_intervals = dense<[{}]> : "
      "tensor<{}x2xi64>, l1, sharded>>",
      fmt::join(device, "x"), tiled ? "!ttcore.tile<2x2, f32>" : "f32", fmt::join(size, "x"),
      fmt::join(alignments, "x"), fmt::join(intervals, ", "), intervals.size());
}

// The factor by a look at each place: result and source are arrays of shards, `reads` says what is read for each place.
Index looked_at(const use::Remap& change) {
  const auto number = [](const use::Shards& shards, const Point& p) {
    Index core = 0, unit = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      core = core * shards.grid[i] + p[i] / shards.shard[i];
      unit = unit * (shards.shard[i] / shards.tile[i]) + p[i] % shards.shard[i] / shards.tile[i];
    }
    return std::pair(core, unit);
  };
  std::map<std::pair<Index, Index>, Point> first;  // of each core and unit, its first place
  const map::Space& array = change.result.array.physical();
  Index volume = 0;
  for (Index n = 0; n < array.volume(); ++n) {
    const Point p = array.point(n);
    const auto key = number(change.result, p);
    first.try_emplace(key, p);
    volume = std::max(volume, key.second + 1);
  }
  Index factor = volume;
  std::pair<Index, Index> last;
  for (const auto& [key, p] : first) {
    const auto at = number(change.source, map::outputs_at(change.reads, p, {}));
    if (key.second > 0 && at != std::pair(last.first, last.second + 1)) factor = std::gcd(factor, key.second);
    last = at;
  }
  return factor;
}

std::vector<Index> random_grid(test::Engine& random, const std::vector<Index>& extents) {
  std::vector<Index> out;
  for (const Index extent : extents) {
    std::vector<Index> divisors;
    for (Index d = 1; d <= extent; ++d)
      if (extent % d == 0) divisors.push_back(d);
    out.push_back(divisors[random.below(divisors.size())]);
  }
  return out;
}

TEST(Contiguous, IsTheGreatestCommonDivisorOfAllBreaks) {
  int measured = 0, more = 0;
  test::for_all(150, [&] {
    test::Engine random = *test::engines();
    const bool tiled = random.below(3) == 2;
    const Index unit = tiled ? 2 : 1;
    std::vector<Index> size(2 + random.below(2));
    for (Index& extent : size) extent = unit * static_cast<Index>(1 + random.below(6));
    const std::vector<Index> ones(size.size(), 1);
    const auto layout = [&] {
      const std::size_t joined = 1 + random.below(size.size() - (tiled ? 1 : 0));
      std::vector<Index> physical{std::accumulate(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(joined),
                                                  Index{1}, std::multiplies<>())};
      physical.insert(physical.end(), size.begin() + static_cast<std::ptrdiff_t>(joined), size.end());
      for (std::size_t i = physical.size() - std::min<std::size_t>(physical.size(), 2); i < physical.size(); ++i)
        physical[i] /= unit;
      std::vector<Index> device = random_grid(random, physical);
      for (std::size_t i = 0; i < physical.size(); ++i) device.push_back(physical[i] / device[i]);
      return text_of(size, ones, joined, device, tiled);
    };
    const std::string to = layout(), from = layout();
    RC_LOG() << to << "\nfrom " << from;
    const auto change = ttmlir::remap(to, from, tensor_of(size), random.below(2) == 0 ? "reblock" : "compiler");
    if (!change) return;
    const auto judged = decide(*find_claim("contiguous"), Remapped{*change}, {});
    const auto* proved = std::get_if<Proved>(&judged.verdict);
    if (proved == nullptr) return;
    RC_ASSERT(proved->value == looked_at(*change));
    ++measured;
    more += proved->value > 1 ? 1 : 0;
  });
  fmt::print("{} measured, {} above 1\n", measured, more);
  EXPECT_GE(measured, 80);
  EXPECT_GE(more, 20);
}

TEST(Occupied, NamesTheFirstCoreWithoutWork) {
  int used = 0, idle = 0, full = 0;
  test::for_all(200, [&] {
    const std::vector<Index> size{*test::numbers(1, 9), *test::numbers(1, 9)};
    const std::vector<Index> grid{*test::numbers(1, 5), *test::numbers(1, 5)};
    const Index high = (size[0] + grid[0] - 1) / grid[0], wide = (size[1] + grid[1] - 1) / grid[1];
    const auto shards = ttmlir::shards(
        fmt::format("#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <{}x{}>, memref<{}x{}xf32, #tt.memory_space<l1>>>",
                    grid[0], grid[1], high, wide),
        tensor_of(size));
    RC_ASSERT(shards.has_value());
    std::map<Point, Index> held;
    for (Index a = 0; a < size[0]; ++a)
      for (Index b = 0; b < size[1]; ++b) ++held[{a / high, b / wide}];
    std::optional<Point> empty, partial;
    for (Index a = 0; a < grid[0]; ++a)
      for (Index b = 0; b < grid[1]; ++b) {
        const auto found = held.find({a, b});
        const Index elements = found == held.end() ? 0 : found->second;
        if (elements == 0 && !empty) empty = {a, b};
        if (elements < high * wide && !partial) partial = {a, b};
      }
    for (const bool all : {false, true}) {
      const std::string_view key = all ? "full" : "used";
      const std::vector<use::LawArgument> arguments{{"cores", key}};
      const map::Tensor tensor = tensor_of(size);
      const auto* family = use::family_of("", "metal");
      RC_ASSERT(family != nullptr);
      const auto reading =
          family->read("#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <" +
                           fmt::format("{}x{}>, memref<{}x{}xf32, #l1>>", grid[0], grid[1], high, wide),
                       tensor);
      RC_ASSERT(reading.has_value());
      const std::string text = reading->normal;
      Offer offer{.claim = "occupied",
                  .tensor = tensor,
                  .reading = *reading,
                  .family = *family,
                  .text = text,
                  .arguments = arguments};
      const auto about = OnCores::bind(offer);
      RC_ASSERT(about.has_value());
      const auto judged = decide(*find_claim("occupied"), *about, {});
      const std::optional<Point>& expected = all ? partial : empty;
      RC_ASSERT(question::word(judged.verdict) == (expected ? "refuted" : "proved"));
      if (const auto* refuted = std::get_if<Refuted>(&judged.verdict)) {
        RC_ASSERT(std::get<Point>(refuted->counterexample.fields.front().second) == *expected);
        RC_ASSERT(refuted->counterexample.minimal);
      }
      ++(expected ? idle : all ? full : used);
    }
  });
  EXPECT_GE(used, 30);
  EXPECT_GE(idle, 100);
  EXPECT_GE(full, 10);
}

}  // namespace claims_contiguous_test
}  // namespace vl::claims
