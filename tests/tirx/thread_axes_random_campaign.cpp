// The laws of thread axes on every element of random layouts: fuse, split and canonicalize.
#include "tests/tirx/judge_operations.h"

namespace vl::tirx {
namespace tirx_thread_axes_random_campaign {

const std::vector<std::vector<Axis>> kThreads = {{Axis::Laneid, Axis::Warpid},
                                                 {Axis::Laneid, Axis::Warpid, Axis::M},
                                                 {Axis::Wgid, Axis::TidInWg},
                                                 {Axis::Wgid, Axis::WidInWg, Axis::Laneid},
                                                 {Axis::WidInWg, Axis::Laneid},
                                                 {Axis::Wgid, Axis::WidInWg, Axis::M},
                                                 {Axis::Bx, Axis::Laneid, Axis::Warpid},
                                                 {Axis::Wgid, Axis::Laneid}};

// The thread's number in its block, warp number where no axis below a warp is named, and so on: what fusing keeps.
Place fused(Place place, Axis to) {
  const Index threads = on(place, Axis::Tx) + 32 * on(place, Axis::Warpid) + on(place, Axis::Laneid) +
                        128 * on(place, Axis::Wgid) + on(place, Axis::TidInWg) + 32 * on(place, Axis::WidInWg);
  for (const Axis axis : {Axis::Warpid, Axis::Laneid, Axis::Wgid, Axis::TidInWg, Axis::WidInWg}) {
    if (to == Axis::Warpid && axis == Axis::Laneid) continue;
    if (to == Axis::TidInWg && axis == Axis::Wgid) continue;
    on(place, axis) = 0;
  }
  if (to == Axis::Tx) on(place, to) = threads;
  return place;
}

TEST(RandomOperations, FuseHasItsLaw) {
  Tally tally;
  hold(kInputs, [&](Random& random) {
    const Input in = input(random, kThreads);
    judge(tally, text(in), fuse(in.layout, Axis::Tx), fuse_law(in.layout, tensor_of(in.shape), Axis::Tx),
          [&](const Point& x) {
            Places places;
            for (const Place& place : places_of(in.layout, number(in.shape, x)))
              places.push_back(fused(place, Axis::Tx));
            return as_set(std::move(places));
          });
  });
  tally.expect(6800);
}

TEST(RandomOperations, SplitHasItsLaw) {
  Tally tally;
  struct Kind {
    Axis from, outer, inner;
    Index count;
  };
  const std::vector<Kind> kinds = {{Axis::Tx, Axis::Warpid, Axis::Laneid, 32},
                                   {Axis::Tx, Axis::Wgid, Axis::TidInWg, 128},
                                   {Axis::TidInWg, Axis::WidInWg, Axis::Laneid, 32},
                                   {Axis::Warpid, Axis::Wgid, Axis::WidInWg, 4}};
  hold(kInputs, [&](Random& random) {
    const Kind& kind = random.of(kinds);
    const Input in = input(random, {{kind.from}, {kind.from, Axis::M}});
    judge(tally, text(in), split(in.layout, kind.from, kind.outer),
          split_law(in.layout, tensor_of(in.shape), kind.from, kind.outer), [&](const Point& x) {
            Places places;
            for (Place place : places_of(in.layout, number(in.shape, x))) {
              on(place, kind.outer) = floor_div(on(place, kind.from), kind.count);
              on(place, kind.inner) = floor_mod(on(place, kind.from), kind.count);
              on(place, kind.from) = 0;
              places.push_back(place);
            }
            return as_set(std::move(places));
          });
  });
  tally.expect(6800);
}

// The law may be written on other axes than the operands': both are read as the thread's number.
TEST(RandomOperations, CanonicalizeHasItsLaw) {
  Tally tally;
  int fewer_axes = 0;
  hold(kInputs, [&](Random& random) {
    const Input in = input(random, random.one_in(2) ? kThreads : kAxes);
    const auto made = canonicalize(in.layout);
    const auto law = canonical_law(in.layout, tensor_of(in.shape), made ? made->tile : std::nullopt);
    // Fused: the result has a thread axis that the layout does not name.
    std::optional<Axis> to;
    const auto before = axes_of(*in.layout.tile);
    if (made)
      for (const Axis axis : axes_of(*made->tile))
        if (is_thread(axis) && std::ranges::find(before, axis) == before.end()) to = axis;
    fewer_axes += to.has_value();
    judge(tally, text(in), made, law, [&](const Point& x) {
      Places places;
      for (Place place : places_of(in.layout, number(in.shape, x))) {
        if (to == Axis::Tx) place = fused(place, Axis::Tx);
        if (to == Axis::TidInWg) {
          on(place, Axis::TidInWg) += 32 * on(place, Axis::WidInWg) + on(place, Axis::Laneid);
          on(place, Axis::WidInWg) = on(place, Axis::Laneid) = 0;
        }
        if (to == Axis::Warpid) {
          on(place, Axis::Warpid) += 4 * on(place, Axis::Wgid) + on(place, Axis::WidInWg);
          on(place, Axis::Wgid) = on(place, Axis::WidInWg) = 0;
        }
        places.push_back(place);
      }
      return as_set(std::move(places));
    });
  });
  tally.expect(12000);
  EXPECT_GE(fewer_axes, 1500);
}

}  // namespace tirx_thread_axes_random_campaign
}  // namespace vl::tirx
