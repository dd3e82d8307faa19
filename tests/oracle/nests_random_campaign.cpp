// 300,000 random constructor layouts: hosts of rank 0 to 5 with every kind of strides that a constructor accepts, in
// any order of dimensions, dense and sparse. The synthesised nests move each element to its slot exactly once: the
// interpreter runs them and compares with the rule of Spyre in plain arrays, and the claims prove it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "encodings/spyre/spyre.h"
#include "encodings/use/synthesis.h"
#include "oracle/reference/transfer.h"
#include "tests/support/shard.h"
#include "tests/support/spyre_brute.h"
#include "verifier/claims/claim.h"

namespace vl {
namespace oracle_nests_random_campaign {

using use::Direction;
using use::Transfer;

constexpr int kShards = 12;
constexpr int kLayouts = 300'000;

// On other days than those of a campaign (tests/support/shard.h) a third: the first layouts of each shard's range.

struct Made {
  spyre::SpyreTensorLayout layout;
  map::Tensor tensor;
  std::vector<Index> strides;
  bool sparse = false;
  bool expanded = false;
  bool strided = false;
  bool permuted = false;
};

// A pure function of the number, so that shards are ranges.
class Generator {
 public:
  explicit Generator(int number) : random_(0x5eed0000ULL + static_cast<std::uint64_t>(number)) {}

  Made make() {
    Made made;
    std::vector<Index>& size = made.tensor.size;
    Index room = 96;
    for (Index rank = between(0, 5); rank > 0; --rank) {
      size.push_back(chance(2) ? 0 : chance(15) ? 1 : between(1, std::min<Index>(room, 11)));
      room /= std::max<Index>(size.back(), 1);
    }
    std::shuffle(size.begin(), size.end(), random_);
    strides(made);
    std::vector<Index> order(size.size());
    std::iota(order.begin(), order.end(), Index{0});
    if (chance(70)) std::shuffle(order.begin(), order.end(), random_);
    made.permuted = made.permuted || !std::ranges::is_sorted(order);
    made.sparse = order.empty() || chance(20);
    if (made.sparse) order.push_back(-1);
    const auto layout = spyre::construct(size, made.strides, {"SEN169_FP16", 4}, order);
    VL_CHECK(layout.has_value(), "the constructor takes every small tensor");
    made.layout = *layout;
    return made;
  }

 private:
  void strides(Made& made) {
    const std::vector<Index>& size = made.tensor.size;
    std::vector<std::size_t> order(size.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (chance(30)) std::shuffle(order.begin(), order.end(), random_);
    made.permuted = !std::ranges::is_sorted(order);
    made.strided = chance(20);
    const bool expands = !size.empty() && chance(8);
    const auto expanded =
        expands ? order[static_cast<std::size_t>(between(0, static_cast<Index>(size.size()) - 1))] : size.size();
    made.strides.assign(size.size(), 1);
    Index stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t dim = order[i];
      made.strides[dim] = dim == expanded ? 0 : stride;
      if (dim != expanded) stride = stride * std::max<Index>(size[dim], 1) + (made.strided ? between(0, 3) : 0);
    }
    made.expanded = expands && size[expanded] > 1;
    made.tensor.strides = made.strides;
    if (chance(20)) made.tensor.offset = between(0, 1000);
  }

  Index between(Index low, Index high) {
    return low + static_cast<Index>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(Index percent) { return between(1, 100) <= percent; }

  std::mt19937_64 random_;
};

std::string show(const Made& made) {
  return fmt::format("{} of {}", spyre::print(made.layout), map::print(made.tensor));
}

// Where each element belongs: for every slot the host offset of its element, or -1; and the lowest and
// highest offset.
struct Places {
  std::vector<Index> source;
  std::vector<bool> element;  // of the host's offsets
};

// A device dim of stride 0 holds the element at each of its coordinates.
void place(const Made& made, Index slot, Index offset, std::size_t dim, Index step, Places& places) {
  if (dim == 0) {
    places.source[static_cast<std::size_t>(slot)] = offset;
    return;
  }
  const std::size_t j = dim - 1;
  const Index copies = made.layout.stride_map[j] == 0 ? made.layout.device_size[j] : 1;
  for (Index c = 0; c < copies; ++c) place(made, slot + c * step, offset, j, step * made.layout.device_size[j], places);
}

// Nothing if some element has no slot.
std::optional<Places> places_of(const Made& made) {
  Places places{std::vector<Index>(static_cast<std::size_t>(test::product(made.layout.device_size)), -1), {}};
  const Index elements = test::product(made.tensor.size);
  for (Index n = 0; n < elements; ++n) {
    const Point x = test::point_at(n, made.tensor.size);
    Index offset = 0;
    for (std::size_t i = 0; i < x.size(); ++i) offset += x[i] * made.strides[i];
    const Index slot = test::greedy_slot(made.layout, offset);
    if (slot < 0) return std::nullopt;
    offset += made.tensor.offset;
    place(made, slot, offset, made.layout.device_size.size(), 1, places);
    if (places.element.size() <= static_cast<std::size_t>(offset))
      places.element.resize(static_cast<std::size_t>(offset) + 1);
    places.element[static_cast<std::size_t>(offset)] = true;
  }
  return places;
}

// What is wrong with a transfer; empty if everything that it must write is written exactly once and from
// its element, and nothing else is: to the device, every slot of an element; to the host, every offset of
// one.
std::string wrong(const Transfer& transfer, const Places& places) {
  const bool to_device = transfer.direction == Direction::HostToDevice;
  const std::size_t targets = to_device ? places.source.size() : places.element.size();
  std::vector<int> written(targets, 0);
  std::string what;
  const auto error = oracle::for_each_move(transfer, [&](const oracle::Move& move) {
    const Index host = to_device ? move.source : move.destination;
    const Index device = to_device ? move.destination : move.source;
    if (device < 0 || device >= static_cast<Index>(places.source.size())) what = "outside the device";
    else if (places.source[static_cast<std::size_t>(device)] < 0) what = "moves padding";
    else if (places.source[static_cast<std::size_t>(device)] != host) what = "another element";
    else if (++written[static_cast<std::size_t>(move.destination)] > 1) what = "moved twice";
    if (!what.empty()) what = fmt::format("{}: {} at {}, {}", oracle::name(move), what, host, device);
    return what.empty();
  });
  if (error) return error->message;
  for (std::size_t i = 0; i < targets && what.empty(); ++i)
    if (written[i] != ((to_device ? places.source[i] >= 0 : bool(places.element[i])) ? 1 : 0))
      what = fmt::format("nothing is moved to {}", i);
  return what;
}

struct Tally {
  int layouts = 0, empty = 0, sparse = 0, expanded = 0, strided = 0, permuted = 0, several = 0;
  Index slots = 0;
  int proved = 0, refuted = 0, vacuous = 0, undecided = 0;
};

// Asks implements and covers-once of a transfer.
void prove(const Made& made, const map::Layout& layout, const Transfer& transfer, Tally& tally) {
  for (const char* name : {"implements", "covers-once"}) {
    const auto answer = claims::decide(*claims::find_claim(name, true), claims::Transferred{layout, transfer}, {});
    std::visit(overloaded{[&](const claims::Proved&) { ++tally.proved; },
                          [&](const claims::Refuted& no) {
                            if (++tally.refuted <= 3)
                              ADD_FAILURE() << name << " of " << show(made) << ": " << no.counterexample.explanation;
                          },
                          [&](const claims::Unknown& open) {
                            const bool vacuous = open.reason == claims::Reason::Vacuous;
                            ++(vacuous ? tally.vacuous : tally.undecided);
                            if (!vacuous && tally.undecided <= 3)
                              ADD_FAILURE() << name << " of " << show(made) << ": " << open.detail;
                          }},
               answer.verdict);
  }
}

void check(const Made& made, Tally& tally) {
  ++tally.layouts;
  const auto at = places_of(made);
  const auto lowered = spyre::lower(made.layout, made.tensor);
  ASSERT_TRUE(lowered.has_value()) << show(made);
  ASSERT_TRUE(at.has_value()) << "a constructor without room for its tensor: " << show(made);
  const auto to_device = use::synthesise(*lowered, Direction::HostToDevice);
  ASSERT_TRUE(to_device.has_value()) << show(made) << ": " << to_device.error().message;
  const auto to_host = use::synthesise(*lowered, Direction::DeviceToHost);
  ASSERT_TRUE(to_host.has_value()) << show(made);
  ASSERT_EQ(wrong(*to_device, *at), "") << show(made);
  ASSERT_EQ(wrong(*to_host, *at), "") << show(made);
  for (const Transfer* transfer : {&*to_device, &*to_host}) prove(made, *lowered, *transfer, tally);
  const auto slots = std::ranges::count_if(at->source, [](Index offset) { return offset >= 0; });
  tally.slots += slots;
  tally.empty += slots == 0 ? 1 : 0;
  tally.sparse += made.sparse ? 1 : 0;
  tally.expanded += made.expanded ? 1 : 0;
  tally.strided += made.strided ? 1 : 0;
  tally.permuted += made.permuted ? 1 : 0;
  tally.several += to_device->nests.size() > 1 ? 1 : 0;
  ASSERT_LE(to_device->nests.size(), made.sparse ? 1U : 2U) << show(made);  // one ragged split at most
}

class RandomNests : public testing::TestWithParam<int> {};

TEST_P(RandomNests, MoveEachElementToItsSlotExactlyOnceAndAreProvedTo) {
  constexpr int kOwn = kLayouts / kShards;
  const auto count = static_cast<int>(test::cases(kOwn / 3, kOwn));
  Tally tally;
  for (int i = 0; i < count && !HasFatalFailure(); ++i) check(Generator(GetParam() * kOwn + i).make(), tally);
  EXPECT_EQ(tally.layouts, count);
  // Four proofs a layout, and none is missing but those about nothing.
  EXPECT_EQ(tally.proved, 4 * (tally.layouts - tally.empty));
  EXPECT_EQ(tally.vacuous, 4 * tally.empty);
  EXPECT_EQ(tally.refuted + tally.undecided, 0);
  // Every kind is there.
  EXPECT_GT(tally.slots, 25 * tally.layouts);
  EXPECT_LT(tally.empty, tally.layouts / 10);
  EXPECT_GT(tally.several, tally.layouts / 6);
  EXPECT_GT(tally.sparse, tally.layouts / 5);
  EXPECT_GT(tally.permuted, tally.layouts / 3);
  EXPECT_GT(tally.strided, tally.layouts / 8);
  EXPECT_GT(tally.expanded, tally.layouts / 50);
}

INSTANTIATE_TEST_SUITE_P(Constructor, RandomNests, testing::Range(0, kShards),
                         [](const testing::TestParamInfo<int>& shard) { return fmt::format("Shard{}", shard.param); });

}  // namespace oracle_nests_random_campaign
}  // namespace vl
