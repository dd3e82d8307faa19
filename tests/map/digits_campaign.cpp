// Digits: outputs as sums of digits of single inputs, against evaluation at every point of many small maps.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/map/digits.h"
#include "encodings/spyre/spyre.h"
#include "tests/support/spyre_random.h"

namespace vl::map {
namespace map_digits_campaign {

Layout lowered(const std::string& text, const Tensor& tensor) {
  const auto parsed = spyre::parse(text);
  VL_CHECK(parsed.has_value(), text);
  auto layout = spyre::lower(*parsed, tensor);
  VL_CHECK(layout.has_value(), text);
  return *std::move(layout);
}

Tensor dense(std::vector<Index> size) {
  Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

/// The inputs on which an output depends, by comparing every two neighbours.
std::set<std::size_t> dependencies(const Map& map, std::size_t output) {
  std::set<std::size_t> out;
  const Space& domain = map.domain();
  if (domain.volume() == 0) return out;
  Point point(domain.rank(), 0);
  do {
    for (std::size_t i = 0; i < domain.rank(); ++i) {
      Point other = point;
      if (++other[i] < domain.extent(i) && (*evaluate(map, point))[output] != (*evaluate(map, other))[output])
        out.insert(i);
    }
  } while (map::advance(domain, point));
  return out;
}

TEST(Digits, OfTheWorkedExampleAreThoseOfItsDimensions) {
  const Layout layout = lowered(
      "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
      "device_dtype=DataFormats.SEN169_FP16)",
      dense({5, 100, 150}));
  const std::vector<Coordinate> wanted = {DigitSum{0, {{1, 1, 1, 0}}}, DigitSum{0, {{2, 1, 64, 0}}},
                                          DigitSum{0, {{0, 1, 1, 0}}}, DigitSum{0, {{2, 1, 1, 64}}}};
  EXPECT_EQ(digits_of(layout.map()), wanted);
}

// [40,60] folded into sticks of 64 across rows: the lane is (60·x0 + x1) mod 64, which no sum of digits is.
TEST(Digits, OfAFoldedStickAreAMixtureOfBothInputs) {
  const Layout layout = lowered(
      "SpyreTensorLayout(device_size=[38, 64], stride_map =[64, 1], device_dtype=SEN169_FP16)", dense({40, 60}));
  const auto digits = digits_of(layout.map());
  EXPECT_EQ(digits[1], (Coordinate{Mixture{{0, 1}}}));
  Index steps = 1 << 20;
  EXPECT_EQ(depends(layout.map(), digits[1], 1, 0, steps), true);
}

TEST(Digits, OfATooLargeMixtureWithoutAWitnessAreNotDecided) {
  // lane (x + 32) mod 64, tile (x + 32) div 64: the offset carries.
  Tensor tensor = dense({100});
  tensor.view_offset = 32;
  const Layout layout =
      lowered("SpyreTensorLayout(device_size=[3, 64], stride_map =[64, 1], device_dtype=SEN169_FP16)", tensor);
  const auto digits = digits_of(layout.map());
  EXPECT_EQ(digits[0], (Coordinate{Mixture{{0}}}));
  Index steps = 10;
  EXPECT_EQ(depends(layout.map(), digits[0], 0, 0, steps), std::nullopt);  // the tile changes at x = 32 only
  EXPECT_EQ(steps, 0);
  steps = 1000;
  EXPECT_EQ(depends(layout.map(), digits[0], 0, 0, steps), true);
}

TEST(Digits, OfASwizzleAreKnownByTheirInputsAlone) {
  const auto space = Space::create(Space::dims("x", std::vector<Index>{8, 8}));
  const auto map =
      Map::create(*space, {Affine{{dot(std::vector<Index>{8, 1})}}, Swizzle{0, 0, 2, 3, Swizzle::Direction::Down}});
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(digits_of(*map), (std::vector<Coordinate>{Mixture{{0, 1}}}));
}

// Lane (x + 160) mod 64 is (x + 32) mod 64, tile (x + 160) div 64 is 2 + (x + 32) div 64.
TEST(ShiftedDigits, HaveAnOffsetWhereAConstantCarries) {
  Tensor tensor = dense({100});
  tensor.view_offset = 160;
  const Layout layout =
      lowered("SpyreTensorLayout(device_size=[5, 64], stride_map =[64, 1], device_dtype=SEN169_FP16)", tensor);
  EXPECT_EQ(shifted_digits_of(layout.map()),
            (std::vector<Coordinate>{DigitSum{2, {{0, 1, 64, 0, 32}}}, DigitSum{0, {{0, 1, 1, 64, 32}}}}));
}

// 149·((x + 149) div 150) + (x + 149) mod 150 is 149 for both points: it names an input on which it does not depend.
TEST(ShiftedDigits, OfOneInputMayCancelOut) {
  const auto space = Space::create(Space::dims("x", std::vector<Index>{2}));
  const auto map =
      Map::create(*space, {Affine{{Row{149, {{0, 1}}}}}, Split{0, {150, 1}}, Affine{{Row{0, {{0, 149}, {1, 1}}}}}});
  ASSERT_TRUE(map.has_value());
  const auto digits = shifted_digits_of(*map);
  EXPECT_TRUE(dependencies(*map, 0).empty());
  Index steps = 1 << 20;
  EXPECT_EQ(depends(*map, digits[0], 0, 0, steps), false);
}

struct Counted {
  std::size_t sums = 0;
  std::size_t shifted = 0;  // with an offset
  std::size_t mixtures = 0;
  std::size_t narrower = 0;  // mixtures that name more inputs than matter
};

/// Holds one output's digits against all points, and its inputs against all neighbours.
void compare(const Map& map, std::size_t output, const Coordinate& coordinate, const std::set<std::size_t>& truth,
             Counted& out) {
  const auto named = inputs_of(coordinate);
  const auto* sum = std::get_if<DigitSum>(&coordinate);
  if (sum == nullptr) {
    RC_ASSERT(std::ranges::includes(named, truth));
    ++out.mixtures;
    out.narrower += named.size() > truth.size() ? 1 : 0;
    return;
  }
  ++out.sums;
  out.shifted += std::ranges::any_of(sum->digits, [](const Digit& digit) { return digit.offset != 0; }) ? 1 : 0;
  RC_ASSERT(std::ranges::equal(named, truth));
  Point point(map.domain().rank(), 0);
  do {
    Index total = sum->constant;
    for (const Digit& digit : sum->digits) total += digit.coefficient * value(digit, point[digit.input]);
    RC_ASSERT(total == (*evaluate(map, point))[output]);
  } while (map::advance(map.domain(), point));
}

TEST(Digits, HaveTheValuesAndTheDependenciesOfTheMapOnRandomLayouts) {
  Counted plain, shifted;
  test::for_all(400, [&] {
    const test::RandomCase made = *test::spyre_cases(120);
    const auto layout = spyre::lower(made.layout, made.tensor);
    if (!layout || layout->domain().volume() == 0) return;
    const Map& map = layout->map();
    const auto digits = digits_of(map), with_offsets = shifted_digits_of(map);
    RC_ASSERT(digits.size() == map.outputs());
    Index steps = 1 << 20;
    for (std::size_t output = 0; output < digits.size(); ++output) {
      const auto truth = dependencies(map, output);
      for (std::size_t input = 0; input < map.domain().rank(); ++input)
        RC_ASSERT(depends(map, digits[output], output, input, steps) == truth.contains(input));
      compare(map, output, digits[output], truth, plain);
      compare(map, output, with_offsets[output], truth, shifted);
    }
  });
  EXPECT_GT(plain.sums, 800U);
  EXPECT_GT(plain.mixtures, 100U);
  EXPECT_GT(plain.narrower, 0U);
  EXPECT_EQ(plain.shifted, 0U);
  EXPECT_GT(shifted.shifted, 10U);
}

}  // namespace map_digits_campaign
}  // namespace vl::map
