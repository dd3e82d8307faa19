// Device maps: what is read, and cores worked by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/ttmlir/ttmlir.h"
#include "tests/support/scan.h"
#include "verifier/claims/claim.h"

namespace vl::ttmlir {
namespace ttmlir_grid_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

// createCoreVirtMaps: the row-major number of a virtual core, then the physical dimensions of that number.
std::string by_number(Index v0, Index v1, Index t0, Index t1) {
  return fmt::format(
      "#ttcore.grid<{}x{}, virt_to_physical_map = (d0, d1) -> (0, ((d0 * {} + d1) floordiv {}) mod {}, (d0 * {} + d1) "
      "mod {}), physical_to_virt_map = (d0, d1, d2) -> (0, (d1 * {} + d2) floordiv {}, (d1 * {} + d2) mod {})>",
      v0, v1, v1, t1, t0, v1, t1, t1, v1, t1, v1);
}

TEST(TtmlirGrid, IsABijectionIffThereAreAsManyPhysicalCores) {
  int proved = 0, refuted = 0;
  for (const Index v0 : {1, 2, 3, 8, 9})
    for (const Index v1 : {1, 5, 8, 10, 64, 65})
      for (const auto& [t0, t1] : {std::pair<Index, Index>{8, 8}, {10, 13}, {1, 7}}) {
        const auto reading = read(by_number(v0, v1, t0, t1), tensor_of({v0, v1}));
        ASSERT_TRUE(reading.has_value() && reading->layout() != nullptr);
        const bool fits = v0 * v1 <= t0 * t1;
        const auto verdict =
            claims::decide(*claims::find_claim("bijective"), claims::OneLayout{*reading->layout()}, {}).verdict;
        EXPECT_EQ(question::word(verdict), fits ? "proved" : "refuted") << v0 << "x" << v1 << " on " << t0 << "x" << t1;
        ++(fits ? proved : refuted);
      }
  EXPECT_GE(proved, 25);
  EXPECT_GE(refuted, 25);
}

TEST(TtmlirGrid, ReadsSumsOfFloordivsAndMods) {
  const auto at = [](const std::string& results, const Point& core) {
    const auto reading = read("#tt.grid<16x16, (d0, d1) -> (" + results + ")>", tensor_of({16, 16}));
    EXPECT_TRUE(reading.has_value() && reading->layout() != nullptr) << results;
    return map::outputs_at(*reading->layout(), core, {});
  };
  EXPECT_EQ(at("(d0 floordiv 8) * 2 + d1 floordiv 8, d0 mod 8, d1 mod 8", {13, 9}), (Point{3, 5, 1}));
  EXPECT_EQ(at("d0 ceildiv 4, -(d1 mod 3) + 5", {13, 9}), (Point{4, 5}));
  EXPECT_EQ(at("((d0 + d1) mod 8) floordiv 3, d1 - d0 + 15", {13, 9}), (Point{2, 11}));
  EXPECT_EQ(at("(d0 - 20) floordiv 8 + 3, (d0 - 20) mod 8", {13, 9}), (Point{2, 1}));
}

TEST(TtmlirGrid, RejectsAndLeavesOpen) {
  for (const std::string text : {"#tt.grid<>", "#tt.grid<8x0>", "#tt.grid<8x8", "#tt.grid<8x8, (d0, d1) -> (d0, d2)>",
                                 "#tt.grid<8x8, (d0) -> (d0), (d0) -> (d0)>", "#tt.grid<8x8, virt_to_physical_map>",
                                 "tensor<8x8xf32, #tt.grid<8x8>>", "rule A: #tt.grid<8x8>"})
    EXPECT_FALSE(read(text, tensor_of({8, 8})).has_value()) << text;
  for (const std::string text :
       {"#tt.grid<8x8>", "#tt.grid<8x8, (d0, d1) -> (d0 * d1, d1)>", "#tt.grid<8x8, (d0, d1) -> (d0 mod d1, d1)>",
        "#tt.grid<8x8, (d0, d1) -> (d0 mod 0, d1)>", "#tt.grid<8x8, (d0, d1) -> (d0)>",
        "#tt.grid<8x8, physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>", "#tt.grid<4x8, (d0, d1) -> (d0, d1)>"}) {
    const auto reading = read(text, tensor_of({8, 8}));
    ASSERT_TRUE(reading.has_value()) << text;
    EXPECT_NE(reading->undecidable(), nullptr) << text;
  }
  std::string deep = "d0";
  for (int k = 0; k < 70; ++k) deep = "(" + deep + " mod 9) + 1";
  EXPECT_FALSE(read("#tt.grid<8x8, (d0, d1) -> (" + deep + ", d1)>", tensor_of({8, 8})).has_value());
  std::string many = "d0";
  for (int k = 0; k < 70; ++k) many += " + d1 mod 9";
  const auto reading = read("#tt.grid<8x8, (d0, d1) -> (" + many + ", d1)>", tensor_of({8, 8}));
  ASSERT_TRUE(reading.has_value());
  EXPECT_NE(reading->undecidable(), nullptr) << "more than 64 divisions";
}

TEST(TtmlirGrid, IsFoundWhereItHasAMap) {
  EXPECT_EQ(test::found_in("#d = #ttcore.device<workerGrid = #ttcore.grid<8x8, (d0, d1) -> (0, d0, d1)>>\n"
                           "x.y {grid = #ttcore.grid<4x6>}\n"),
            (test::Lines{"1:34 #ttcore.grid<8x8, (d0, d1) -> (0, d0, d1)> | u8[8,8]"}));
}

}  // namespace ttmlir_grid_test
}  // namespace vl::ttmlir
