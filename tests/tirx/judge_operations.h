// Compares an operation's result, its law and its definition on every element. The three share no code: the definition,
// which the test evaluates from the operands' iters; the law's map; and the result, by its iters and lowered.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>

#include "encodings/tirx/laws.h"
#include "encodings/tirx/operations.h"
#include "tests/tirx/random_tiles.h"

namespace vl::tirx {

const int kInputs = 12000;  // of most operations

using List = std::vector<Index>;
using Definition = std::function<Places(const Point&)>;

inline const std::vector<std::vector<Axis>> kAxes = {
    {Axis::M}, {Axis::M}, {Axis::M, Axis::Laneid}, {Axis::Laneid, Axis::Warpid, Axis::M}, {Axis::TLane, Axis::TCol}};

inline Index number(const List& shape, const Point& x) {
  Index out = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + x[d];
  return out;
}

struct Tally {
  int held = 0;     // the result has the law on every element
  int refused = 0;  // no result; a law, if there is one, must still be the definition

  void expect(int least_held) const {
    EXPECT_GE(held, least_held) << refused << " refused";
    ::testing::Test::RecordProperty("held", held);
    ::testing::Test::RecordProperty("refused", refused);
  }
};

/// Holds a law of random inputs.
template <class Law>
void hold(int inputs, Law law) {
  test::for_all(inputs, [&] {
    Random random(*test::engines<test::WideEngine>());
    law(random);
  });
}

// One input: the result and the law are the definition on every element.
inline void judge(Tally& tally, const std::string& what, const Result<Layout>& result, const Result<use::Law>& law,
                  const Definition& definition) {
  result ? ++tally.held : ++tally.refused;
  RC_LOG() << what << (result ? " gives " + print(*result) : "");
  if (!law) {
    RC_ASSERT(!result);
    return;
  }
  MapPlaces expected(law->expected);
  const auto lowered = result ? lower(*result, law->tensor) : Result<map::Layout>(Error{});
  RC_ASSERT(!result || lowered);
  std::optional<MapPlaces> made;
  if (lowered) made.emplace(*lowered);
  Point x(law->tensor.size.size(), 0);
  do {
    const Places want = definition(x);
    RC_ASSERT(expected(x) == want);
    RC_ASSERT((!result || places_of(*result, number(law->tensor.size, x)) == want));
    RC_ASSERT((!made || (*made)(x) == want));
  } while (map::advance(law->expected.logical(), x));
}

inline Layout with_swizzle(Random& random, TileLayout tile) {
  const auto range = range_of(tile, Axis::M);
  const bool flat = axes_of(tile) == std::vector<Axis>{Axis::M} && range && range->low >= 0;
  if (flat && random.one_in(3)) return Layout{random.swizzle(), std::move(tile)};
  return Layout{std::nullopt, std::move(tile)};
}

struct Input {
  List shape;
  Layout layout;
};

inline Input input(Random& random, const std::vector<std::vector<Axis>>& axes = kAxes) {
  List shape = random.shape();
  TileLayout tile = random.tile(shape, random.of(axes));
  return {shape, with_swizzle(random, std::move(tile))};
}

inline std::string text(const Input& in) { return fmt::format("{} of {}", print(in.layout), in.shape); }

}  // namespace vl::tirx
