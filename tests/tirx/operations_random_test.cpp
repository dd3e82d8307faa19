// Every operation's law on every element of random layouts, as sets. Three sides are compared that share no code: the
// definition, evaluated here from the operands' iters; the law's map; and the result, by its iters and lowered. What is
// refused is counted, and so is what held.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "encodings/tirx/laws.h"
#include "encodings/tirx/operations.h"
#include "tests/tirx/random_tiles.h"

namespace vl::tirx {
namespace {

constexpr int kInputs = 12000 / kShare;  // of each operation

using List = std::vector<Index>;
using Definition = std::function<Places(const Point&)>;

const std::vector<std::vector<Axis>> kAxes = {
    {Axis::M}, {Axis::M}, {Axis::M, Axis::Laneid}, {Axis::Laneid, Axis::Warpid, Axis::M}, {Axis::TLane, Axis::TCol}};

Index number(const List& shape, const Point& x) {
  Index out = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + x[d];
  return out;
}

struct Tally {
  int inputs = 0;
  int held = 0;        // the result has the law on every element
  int refused = 0;     // no result; where there is a law it is the definition all the same
  int wrong = 0;
  std::string first;

  void fail(std::string what) {
    if (wrong++ == 0) first = std::move(what);
  }
  void expect(int least_held) const {
    EXPECT_EQ(wrong, 0) << first;
    EXPECT_EQ(held + refused, inputs);
    EXPECT_GE(held, least_held / kShare) << refused << " refused";
    ::testing::Test::RecordProperty("held", held);
    ::testing::Test::RecordProperty("refused", refused);
    fmt::print("held {} refused {} of {}\n", held, refused, inputs);
  }
};

// One input: the result and the law are the definition on every element.
void judge(Tally& tally, const std::string& what, const Result<Layout>& result, const Result<map::Law>& law,
           const Definition& definition) {
  ++tally.inputs;
  result ? ++tally.held : ++tally.refused;
  if (!law) {
    if (result) tally.fail(fmt::format("{}: a result {} and no law: {}", what, print(*result), law.error().message));
    return;
  }
  MapPlaces expected(law->expected);
  const auto lowered = result ? lower(*result, law->tensor) : Result<map::Layout>(Error{});
  if (result && !lowered) return tally.fail(what + ": " + lowered.error().message);
  std::optional<MapPlaces> made;
  if (lowered) made.emplace(*lowered);
  Point x(law->tensor.size.size(), 0);
  do {
    const Places want = definition(x);
    if (expected(x) != want) return tally.fail(fmt::format("{}: the law is wrong at {}", what, x));
    if (result && places_of(*result, number(law->tensor.size, x)) != want)
      return tally.fail(fmt::format("{}: the result {} is wrong at {}", what, print(*result), x));
    if (made && (*made)(x) != want) return tally.fail(fmt::format("{}: the result is lowered wrongly at {}", what, x));
  } while (map::advance(law->expected.logical(), x));
}

Layout with_swizzle(Random& random, TileLayout tile) {
  const auto range = range_of(tile, Axis::M);
  const bool flat = axes_of(tile) == std::vector<Axis>{Axis::M} && range && range->low >= 0;
  if (flat && random.one_in(3)) return Layout{random.swizzle(), std::move(tile)};
  return Layout{std::nullopt, std::move(tile)};
}

struct Input {
  List shape;
  Layout layout;
};

Input input(Random& random, const std::vector<std::vector<Axis>>& axes = kAxes) {
  List shape = random.shape();
  TileLayout tile = random.tile(shape, random.of(axes));
  return {shape, with_swizzle(random, std::move(tile))};
}

std::string text(const Input& in) { return fmt::format("{} of {}", print(in.layout), in.shape); }

TEST(RandomOperations, SliceHasItsLaw) {
  Random random(1);
  Tally tally;
  for (int k = 0; k < 2 * kInputs; ++k) {
    const Input in = input(random);
    std::vector<map::Interval> region;
    for (const Index extent : in.shape) {
      const Index begin = random.below(extent);
      region.push_back(random.one_in(3) ? map::Interval{0, extent} : map::Interval{begin, random.between(begin + 1, extent)});
    }
    const auto what = fmt::format("{} from {}", text(in), region.front().begin);
    judge(tally, what, slice(in.layout, in.shape, region), slice_law(in.layout, tensor_of(in.shape), region), [&](Point y) {
      for (std::size_t d = 0; d < y.size(); ++d) y[d] += region[d].begin;
      return places_of(in.layout, number(in.shape, y));
    });
  }
  tally.expect(12000);
}

// L_outer·σ + L_inner as sets, and the swizzle over both.
Places sum_of(const Places& outer, const Places& inner, const Place& scale, const std::optional<SwizzleLayout>& swizzle) {
  Places all;
  for (const Place& o : outer)
    for (Place place : inner) {
      for (std::size_t a = 0; a < place.size(); ++a) place[a] += o[a] * scale[a];
      if (swizzle) on(place, Axis::M) = swizzled(*swizzle, on(place, Axis::M));
      all.push_back(place);
    }
  return as_set(std::move(all));
}

// σ by its definition: over every element and replica.
Place widths(TileLayout inner, Index elements) {
  inner.offset.clear();
  Place low{};
  Place high{};
  for (Index flat = 0; flat < elements; ++flat)
    for (const Place& place : places_of(Layout{std::nullopt, inner}, flat))
      for (std::size_t a = 0; a < place.size(); ++a) {
        low[a] = std::min(low[a], place[a]);  // 0 is among them: element 0, replica 0
        high[a] = std::max(high[a], place[a]);
      }
  Place out{};
  for (std::size_t a = 0; a < out.size(); ++a) out[a] = high[a] - low[a] + 1;
  return out;
}

Tally side_by_side(bool tiles) {
  Random random(tiles ? 2 : 3);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const std::vector<Axis>& axes = random.of(kAxes);
    const Input in = input(random, {axes});
    List outer_shape;
    for (std::size_t d = 0; d < in.shape.size(); ++d) outer_shape.push_back(random.between(1, 3));
    const TileLayout outer = random.tile(outer_shape, axes);
    const Place scale = tiles ? widths(*in.layout.tile, *checked_product(in.shape)) : [] { Place one; one.fill(1); return one; }();
    const auto what = fmt::format("{} under {} of {}", text(in), print(outer), outer_shape);
    const auto made = (tiles ? tile : direct_sum)(in.layout, outer, outer_shape, in.shape);
    const auto law = (tiles ? tile_law : direct_sum_law)(in.layout, tensor_of(in.shape), outer, outer_shape);
    judge(tally, what, made, law, [&](const Point& x) {
      Point o = x;
      Point i = x;
      for (std::size_t d = 0; d < x.size(); ++d) {
        o[d] /= in.shape[d];
        i[d] %= in.shape[d];
      }
      return sum_of(places_of(Layout{std::nullopt, outer}, number(outer_shape, o)),
                    places_of(Layout{std::nullopt, in.layout.tile}, number(in.shape, i)), scale, in.layout.swizzle);
    });
  }
  return tally;
}

TEST(RandomOperations, TileHasItsLaw) { side_by_side(true).expect(6000); }
TEST(RandomOperations, DirectSumHasItsLaw) { side_by_side(false).expect(6000); }

TEST(RandomOperations, PermuteHasItsLaw) {
  Random random(4);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random);
    List order;
    for (std::size_t d = 0; d < in.shape.size(); ++d)
      order.insert(order.begin() + random.between(0, static_cast<Index>(d)), static_cast<Index>(d));
    judge(tally, text(in), permute(in.layout, in.shape, order), permute_law(in.layout, tensor_of(in.shape), order),
          [&](const Point& y) {
            Point x(y.size());
            for (std::size_t d = 0; d < y.size(); ++d) x[static_cast<std::size_t>(order[d])] = y[d];
            return places_of(in.layout, number(in.shape, x));
          });
  }
  tally.expect(9000);
}

TEST(RandomOperations, BroadcastHasItsLaw) {
  Random random(5);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random);
    const Index extent = random.between(1, 4);
    const Index at = random.between(-1, static_cast<Index>(in.shape.size()));
    judge(tally, text(in), broadcast(in.layout, in.shape, extent, at),
          broadcast_law(in.layout, tensor_of(in.shape), extent, at), [&](Point y) {
            y.erase(y.begin() + (at < 0 ? static_cast<std::ptrdiff_t>(y.size()) - 1 : at));
            return places_of(in.layout, number(in.shape, y));
          });
  }
  tally.expect(9000);
}

TEST(RandomOperations, UnpackHasItsLaw) {
  Random random(6);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random);
    const Index n = random.between(1, 4);
    List shape = in.shape;
    shape.back() *= n;
    judge(tally, text(in), unpack(in.layout, n), unpack_law(in.layout, tensor_of(in.shape), n), [&](const Point& y) {
      const Index flat = number(shape, y);
      Places places = places_of(in.layout, flat / n);
      for (Place& place : places) on(place, Axis::M) = n * on(place, Axis::M) + flat % n;
      return as_set(std::move(places));
    });
  }
  tally.expect(7000);
}

// Layouts that can be packed are rare: half of the inputs are unpacked ones, not simplified.
TEST(RandomOperations, PackHasItsLaw) {
  Random random(7);
  Tally tally;
  for (int k = 0; k < 2 * kInputs; ++k) {
    Input in = input(random);
    const Index n = random.between(2, 4);
    if (random.one_in(2)) {
      const auto wide = unpack(in.layout, random.one_in(4) ? 2 : n);
      if (wide) {
        in.layout = *wide;
        in.shape.back() *= *size_of(*wide->tile) / *checked_product(in.shape);
      }
    }
    const auto law = pack_law(in.layout, tensor_of(in.shape), n);
    const List shape = law ? law->tensor.size : List{};
    judge(tally, text(in), pack(in.layout, n), law, [&](const Point& x) {
      Places small;
      for (Place place : places_of(in.layout, n * number(shape, x))) {
        on(place, Axis::M) = floor_div(on(place, Axis::M), n);
        small.push_back(place);
      }
      small = as_set(std::move(small));
      for (Index j = 0; j < n; ++j) {
        Places large;
        for (Place place : small) {
          on(place, Axis::M) = n * on(place, Axis::M) + j;
          large.push_back(place);
        }
        if (places_of(in.layout, n * number(shape, x) + j) != as_set(std::move(large))) return Places{};
      }
      return small;
    });
  }
  tally.expect(5000);
}

TEST(RandomOperations, SwizzleHasItsLaw) {
  Random random(8);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random);
    const SwizzleLayout by = random.swizzle();
    judge(tally, text(in), swizzle(in.layout, by), swizzle_law(in.layout, tensor_of(in.shape), by), [&](const Point& x) {
      Places places = places_of(in.layout, number(in.shape, x));
      for (Place& place : places) on(place, Axis::M) = swizzled(by, on(place, Axis::M));
      return as_set(std::move(places));
    });
  }
  tally.expect(2500);
}

TEST(RandomOperations, StorageHasItsLaw) {
  Random random(9);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random);
    const auto law = storage_law(in.layout, map::ElementType::F16);
    judge(tally, text(in), storage(in.layout), law, [&](const Point& y) {
      // The element whose digits on thread axes are 0.
      Index flat = 0;
      std::size_t next = 0;
      for (const Iter& iter : in.layout.tile->shard)
        flat = flat * iter.extent + (is_thread(iter.axis) ? 0 : y[next++]);
      Places places;
      for (Place place : places_of(in.layout, flat)) {
        for (const AxisInfo& row : axes())
          if (is_thread(row.axis)) on(place, row.axis) = 0;
        places.push_back(place);
      }
      return as_set(std::move(places));
    });
  }
  tally.expect(11000);
}

const std::vector<std::vector<Axis>> kThreads = {
    {Axis::Laneid, Axis::Warpid}, {Axis::Laneid, Axis::Warpid, Axis::M}, {Axis::Wgid, Axis::TidInWg},
    {Axis::Wgid, Axis::WidInWg, Axis::Laneid}, {Axis::WidInWg, Axis::Laneid}, {Axis::Wgid, Axis::WidInWg, Axis::M},
    {Axis::Bx, Axis::Laneid, Axis::Warpid}, {Axis::Wgid, Axis::Laneid}};

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
  Random random(10);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random, kThreads);
    judge(tally, text(in), fuse(in.layout, Axis::Tx), fuse_law(in.layout, tensor_of(in.shape), Axis::Tx), [&](const Point& x) {
      Places places;
      for (const Place& place : places_of(in.layout, number(in.shape, x))) places.push_back(fused(place, Axis::Tx));
      return as_set(std::move(places));
    });
  }
  tally.expect(5000);
}

TEST(RandomOperations, SplitHasItsLaw) {
  Random random(11);
  Tally tally;
  struct Kind {
    Axis from, outer, inner;
    Index count;
  };
  const std::vector<Kind> kinds = {{Axis::Tx, Axis::Warpid, Axis::Laneid, 32}, {Axis::Tx, Axis::Wgid, Axis::TidInWg, 128},
                                   {Axis::TidInWg, Axis::WidInWg, Axis::Laneid, 32}, {Axis::Warpid, Axis::Wgid, Axis::WidInWg, 4}};
  for (int k = 0; k < kInputs; ++k) {
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
  }
  tally.expect(4000);
}

// The law may be written on other axes than the operands': both are read as the thread's number.
TEST(RandomOperations, CanonicalizeHasItsLaw) {
  Random random(12);
  Tally tally;
  int fewer_axes = 0;
  for (int k = 0; k < kInputs; ++k) {
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
  }
  tally.expect(12000);
  EXPECT_GE(fewer_axes, 1500 / kShare);
}

TEST(RandomOperations, GroupKeepsTheMap) {
  Random random(13);
  Tally tally;
  for (int k = 0; k < kInputs; ++k) {
    const Input in = input(random);
    List other = random.shape();
    if (random.one_in(2)) other = {*checked_product(in.shape)};
    const auto cut = group(*in.layout.tile, random.one_in(3) ? other : in.shape);
    const auto made = cut ? Result<Layout>(Layout{in.layout.swizzle, cut->layout}) : Result<Layout>(cut.error());
    judge(tally, text(in), made, same_law(in.layout, tensor_of(in.shape)),
          [&](const Point& x) { return places_of(in.layout, number(in.shape, x)); });
  }
  tally.expect(7000);
}

}  // namespace
}  // namespace vl::tirx
