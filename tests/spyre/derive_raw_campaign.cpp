// Derivations of raw layouts that no constructor makes: padded, with idle slots, copies, slots in another order, tiles.
// An accepted result must be the derivation by its definition, coordinate by coordinate; all others must be refused.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "encodings/spyre/derive.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"

namespace vl::spyre {
namespace spyre_derive_raw_campaign {

using List = std::vector<Index>;

struct Raw {
  Host host;
  Index stick = 0;  // the host dimension that has it
  SpyreTensorLayout layout;
  bool tiled = false;
};

std::size_t any(test::RandomSpyre& random, std::size_t count) {
  return static_cast<std::size_t>(random.between(0, static_cast<Index>(count) - 1));
}

void insert(SpyreTensorLayout& layout, std::size_t at, Index extent, Index stride) {
  layout.device_size.insert(layout.device_size.begin() + static_cast<std::ptrdiff_t>(at), extent);
  layout.stride_map.insert(layout.stride_map.begin() + static_cast<std::ptrdiff_t>(at), stride);
}

// One change to the slots before the lanes.
void change(Raw& raw, test::RandomSpyre& random) {
  SpyreTensorLayout& layout = raw.layout;
  const std::size_t slots = layout.device_size.size() - 1;
  const std::size_t j = any(random, slots);
  const std::size_t k = any(random, slots);
  switch (random.between(0, 6)) {
    case 0: layout.device_size[j] += random.between(0, 3); break;
    case 1: insert(layout, j, 1, random.chance(50) ? -1 : random.between(1, 40)); break;
    case 2: insert(layout, j, random.between(2, 3), 0); break;
    case 3:
      std::swap(layout.device_size[j], layout.device_size[k]);
      std::swap(layout.stride_map[j], layout.stride_map[k]);
      break;
    case 4:
      if (layout.device_size[j] > 2 && layout.stride_map[j] > 0) {  // in two tiles
        const Index tile = random.between(2, layout.device_size[j] - 1);
        insert(layout, k, (layout.device_size[j] + tile - 1) / tile, layout.stride_map[j] * tile);
        layout.device_size[k <= j ? j + 1 : j] = tile;
        raw.tiled = true;
      }
      break;
    case 5:
      if (layout.device_size[j] == 1) layout.stride_map[j] = random.chance(50) ? -1 : random.between(0, 30);
      break;
    default: break;
  }
}

Raw make(test::RandomSpyre& random, Index eps) {
  Raw raw;
  const Index rank = random.between(2, 3);
  for (Index i = 0; i < rank; ++i)
    raw.host.size.push_back(random.chance(15) ? 1 : random.between(2, rank == 2 ? 12 : 6));
  raw.host.strides = *map::dense_strides(raw.host.size);
  List order(raw.host.size.size());
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[any(random, i)]);
  raw.stick = order.back();
  raw.layout = *construct(raw.host.size, raw.host.strides, {"SEN169_FP16", eps}, order);
  for (Index n = random.between(1, 3); n > 0; --n) change(raw, random);
  return raw;
}

// The device coordinates of every element, copies at 0; empty if some element has none or two share them.
std::vector<Point> coordinates_of(const SpyreTensorLayout& layout, const Host& host) {
  std::vector<Point> out;
  for (Index n = 0; n < test::product(host.size); ++n) {
    const Point x = test::point_at(n, host.size);
    Index offset = 0;
    for (std::size_t i = 0; i < x.size(); ++i) offset += x[i] * host.strides[i];
    const Index slot = test::greedy_slot(layout, offset);
    if (slot < 0) return {};
    out.push_back(test::point_at(slot, layout.device_size));
  }
  auto sorted = out;
  std::ranges::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? out : std::vector<Point>{};
}

// The number of differences of each slot's coordinate between two layouts.
List changes(const std::vector<Point>& a, const std::vector<Point>& b) {
  List out(a.front().size(), 0);
  for (std::size_t n = 0; n < a.size(); ++n)
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += a[n][j] != b[n][j] ? 1 : 0;
  return out;
}

constexpr int kCases = 3000;

// Whether slot j of every element is f of its coordinates.
template <class F>
bool is(const std::vector<Point>& slots, std::size_t j, const Host& host, F f) {
  for (std::size_t n = 0; n < slots.size(); ++n)
    if (slots[n][j] != f(test::point_at(static_cast<Index>(n), host.size))) return false;
  return true;
}

TEST(RestickifyRaw, MovesTheLanesTheCountAndOneSlotOrIsRefused) {
  test::RandomSpyre random(11);
  Index moved = 0, tiled_refused = 0, refused = 0, wide = 0;
  for (int n = 0; n < kCases; ++n) {
    const Index eps = random.chance(50) ? 4 : 2;
    const Raw raw = make(random, eps);
    const auto before = coordinates_of(raw.layout, raw.host);
    if (before.empty()) continue;  // the change broke it
    for (std::size_t to = 0; to < raw.host.size.size(); ++to) {
      const auto derived = restickify(raw.layout, raw.host, static_cast<Index>(to));
      if (!derived) {
        ++(raw.tiled ? tiled_refused : refused);
        continue;
      }
      const auto from = static_cast<std::size_t>(raw.stick);
      ASSERT_NE(to, from);
      const auto after = coordinates_of(*derived, raw.host);
      const std::string what = print(raw.layout) + fmt::format(" of {} to {}: ", raw.host.size, to) + print(*derived);
      ASSERT_FALSE(after.empty()) << what;
      const std::size_t last = raw.layout.device_size.size() - 1;
      ASSERT_TRUE(is(after, last, raw.host, [&](const Point& x) { return x[to] % eps; })) << what;
      bool counted = raw.host.size[to] <= eps, placed = raw.host.size[from] == 1;
      const List differs = changes(before, after);
      for (std::size_t j = 0; j < last; ++j) {
        const bool counts = is(after, j, raw.host, [&](const Point& x) { return x[to] / eps; });
        const bool places = is(after, j, raw.host, [&](const Point& x) { return x[from]; });
        counted = counted || counts;
        placed = placed || places;
        ASSERT_TRUE(differs[j] == 0 || counts || places) << what << ", slot " << j;
      }
      ASSERT_TRUE(counted && placed) << what;
      wide += raw.host.size[to] > eps && raw.host.size[from] > eps ? 1 : 0;
      ++moved;
    }
  }
  EXPECT_GT(moved, 1000);
  EXPECT_GT(wide, 300);
  EXPECT_GT(tiled_refused, 300);
  EXPECT_GT(refused, 1000);  // every layout's own stick dimension among them
}

// Whether two layouts number the elements along the stick alike, count·eps + lane with the count in slot j, and place
// them alike otherwise.
bool same_but_sticks(const std::vector<Point>& a, Index eps, const std::vector<Point>& b, Index other, std::size_t j) {
  const std::size_t last = a.front().size() - 1;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (a[n][j] * eps + a[n][last] != b[n][j] * other + b[n][last]) return false;
    for (std::size_t k = 0; k < last; ++k)
      if (k != j && a[n][k] != b[n][k]) return false;
  }
  return true;
}

TEST(RescaleRaw, RenumbersSticksAndLanesOnlyOrIsRefused) {
  test::RandomSpyre random(12);
  Index rescaled = 0, refused = 0, recounted = 0;
  for (int n = 0; n < kCases; ++n) {
    const Index eps = random.chance(50) ? 4 : 2;
    const Raw raw = make(random, eps);
    const auto before = coordinates_of(raw.layout, raw.host);
    if (before.empty()) continue;
    for (const Index other : {2, 3, 8}) {
      const Index extent = raw.host.size[static_cast<std::size_t>(raw.stick)];
      const auto derived = rescale(raw.layout, {{"IEEE_FP32", other}, extent, {}, {}});
      if (!derived) {
        ++refused;
        continue;
      }
      const auto after = coordinates_of(*derived, raw.host);
      const std::string what = print(raw.layout) + fmt::format(" of {}: ", raw.host.size) + print(*derived);
      ASSERT_FALSE(after.empty()) << what;
      bool same = raw.layout.stride_map.back() < 0 && before == after;
      for (std::size_t j = 0; j + 1 < before.front().size(); ++j)
        same = same || same_but_sticks(before, eps, after, other, j);
      ASSERT_TRUE(same) << what;
      recounted += before != after ? 1 : 0;
      ++rescaled;
    }
  }
  EXPECT_GT(rescaled, 2000);
  EXPECT_GT(recounted, 500);
  EXPECT_GT(refused, 300);
}

// A tensor without elements has a layout like any other.
TEST(Derivations, OfEmptyTensorsAreTheConstructors) {
  Index compared = 0;
  const DeviceFormat f16{"SEN169_FP16", 64}, f32{"IEEE_FP32", 32};
  for (const List& size : {List{0, 64}, List{64, 0}, List{3, 0, 130}, List{0, 0}, List{1, 0, 70}})
    for (List order(size.size()); const bool last : {false, true}) {
      std::iota(order.begin(), order.end(), Index{0});
      if (last) std::ranges::reverse(order);
      const Host host{size, *map::dense_strides(size)};
      SpyreTensorLayout layout = *construct(size, host.strides, f16, order);
      layout.host_size = size;
      layout.dim_order = order;
      EXPECT_EQ(print(*rescale(layout, {f32, {}, host, {}})), print(*construct(size, host.strides, f32, order)));
      const auto moved = restickify(layout, host, order.front());
      ASSERT_TRUE(moved.has_value());
      List swapped = order;
      std::swap(swapped.front(), swapped.back());
      EXPECT_EQ(print(*moved), print(*construct(size, host.strides, f16, swapped)));
      const List grown(size.size(), 5);
      EXPECT_EQ(print(*resize(layout, grown)), print(*construct(grown, *map::dense_strides(grown), f16, order)));
      ++compared;
    }
  EXPECT_EQ(compared, 10);
}

}  // namespace spyre_derive_raw_campaign
}  // namespace vl::spyre
