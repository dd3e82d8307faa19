// pack is called impossible only where it is: by a search for the packed layout's places. pack by n needs, for every x
// and 0 <= j < n, L(n·x + j)[m] = n·p + j with one p for each x (and each replica), and the same threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/tirx/laws.h"
#include "tests/tirx/judge_operations.h"

namespace vl::tirx {
namespace tirx_pack_impossible_campaign {

// Every place of each element: the coordinates on the layout's axes.
std::vector<std::set<Point>> places_of(const map::Layout& layout) {
  std::vector<std::set<Point>> out;
  const Index copies = layout.replicas().volume();
  for (Index n = 0; n < layout.logical().volume(); ++n) {
    std::set<Point> places;
    for (Index r = 0; r < copies; ++r)
      places.insert(map::outputs_at(layout, layout.logical().point(n), layout.replicas().point(r)));
    out.push_back(std::move(places));
  }
  return out;
}

// Whether places of elements n·x + j are n·p + j on axis m, and the same on other axes.
bool can_pack(const map::Layout& layout, Index n) {
  const auto places = places_of(layout);
  const auto size = static_cast<Index>(places.size());
  if (size % n != 0) return false;
  const auto m = map::memory_axis(layout);
  if (!m) return n == 1;
  for (Index x = 0; x < size / n; ++x)
    for (Index j = 0; j < n; ++j) {
      std::set<Point> moved;
      for (Point place : places[static_cast<std::size_t>(n * x)]) {
        if (place[*m] % n != 0) return false;
        place[*m] += j;
        moved.insert(std::move(place));
      }
      if (moved != places[static_cast<std::size_t>(n * x + j)]) return false;
    }
  return true;
}

TEST(Pack, IsImpossibleIffNoPlacesAreRight) {
  std::size_t possible = 0, impossible = 0;
  test::for_all(30000, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const auto below = [&](Index n) { return test::roll(random, 0, n - 1); };
    TileLayout tile;
    const Index iters = 1 + below(3);
    Index run = 1;
    for (Index k = 0; k < iters; ++k) {
      const Index extent = 1 + below(4);
      const Axis axis = below(4) == 0 ? Axis::Laneid : Axis::M;
      tile.shard.insert(tile.shard.begin(), Iter{extent, below(2) == 0 ? run : below(9), axis});
      run *= extent;
    }
    if (below(4) == 0) tile.replica.push_back({1 + below(3), below(9), Axis::M});
    if (below(4) == 0) tile.offset.emplace_back(Axis::M, below(7));
    const Layout layout{std::nullopt, tile};
    const Index n = 2 + below(3);
    RC_LOG() << print(layout) << " by " << n;
    map::Tensor tensor;
    tensor.size = {*size_of(tile)};
    const auto lowered = lower(layout, tensor);
    RC_ASSERT(lowered.has_value());
    const bool no = no_pack(layout, n).has_value();
    RC_ASSERT(no == !can_pack(*lowered, n));
    RC_ASSERT(no == !pack_law(layout, tensor, n).has_value());
    ++(no ? impossible : possible);
  });
  EXPECT_GE(possible, 1000U);
  EXPECT_GE(impossible, 1000U);
}

}  // namespace tirx_pack_impossible_campaign
}  // namespace vl::tirx
