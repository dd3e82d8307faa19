// Maps as a notation of layouts: the domain and its replicas, the box and its guards, tensors of other shapes, and what
// is wrong with a text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/maps/maps.h"

namespace vl::maps {
namespace maps_parse_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor out;
  out.size = std::move(size);
  return out;
}

TEST(MapsParse, PrintsTheTextWithItsBox) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"(x0:4, x1:8) -> affine(8*x0 + x1)", "(x0:4, x1:8) -> affine(8*x0 + x1) -> (m:32)"},
      {"( i : 4 )->affine( 2 * x0 - 1 )", "(i:4) -> affine(2*x0 - 1) -> (m:6)"},
      {"(x0:4)", "(x0:4) -> (m:4)"},
      {"() -> affine(7)", "() -> affine(7) -> (m:8)"},
      {"(x0:4, r0:2) -> affine(x0 + 4*x1)", "(x0:4, r0:2) -> affine(x0 + 4*x1) -> (m:8)"},
      {"(x0:4) -> split(0; 3, 1) -> affine(x1, x0) -> (d0:3)", "(x0:4) -> split(0; 3, 1) -> affine(x1, x0) -> (d0:3)"},
      {"(x0:8) -> swizzle(0; 0, 1, 1, up) -> (m:8)", "(x0:8) -> swizzle(0; 0, 1, 1, up) -> (m:8)"},
      {"(x0:2, x1:2) -> (laneid:2@lane, m:2)", "(x0:2, x1:2) -> (laneid:2@lane, m:2)"}};
  for (const auto& [text, printed] : rows) {
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(print(*parsed), printed);
    const auto again = parse(printed);
    ASSERT_TRUE(again) << printed;
    EXPECT_EQ(print(*again), printed);
  }
}

struct Rejected {
  const char* text;
  ErrorCode code;
};

TEST(MapsParse, RefusesWhatIsNoLayout) {
  const std::vector<Rejected> rows = {{"(x0:2, x1:3) -> affine(x0, x1)", ErrorCode::Value},
                                      {"(x0:8) -> swizzle(0; 0, 1, 1, down)", ErrorCode::Value},
                                      {"(x0:2) -> affine(x0) -> (d0:2, d1:1)", ErrorCode::Shape},
                                      {"(x0:2) -> affine(x0, x0) -> (m:2)", ErrorCode::Shape},
                                      {"(x0:2) -> affine(x1)", ErrorCode::Shape},
                                      {"(x0:2) -> affine(x0) -> (d0:2) -> (d0:2)", ErrorCode::Syntax},
                                      {"(x0:2) -> affine(x0) -> (d0:-2)", ErrorCode::Value},
                                      {"(x0:2) -> affine(x0) -> (d0:2, d0:2)", ErrorCode::Value},
                                      {"(x0:2) -> scale(x0)", ErrorCode::Syntax},
                                      {"(x0:2) -> affine(x0", ErrorCode::Syntax},
                                      {"(x0:2) -> affine(9223372036854775807*x0 + 1)", ErrorCode::Overflow},
                                      {"(x0:4611686018427387904, x1:4) -> affine(x0)", ErrorCode::Overflow}};
  for (const Rejected& row : rows) {
    const auto parsed = parse(row.text);
    ASSERT_FALSE(parsed) << row.text;
    EXPECT_EQ(parsed.error().code, row.code) << row.text << ": " << parsed.error().message;
    EXPECT_LE(parsed.error().offset, std::string_view(row.text).size()) << row.text;
  }
}

// Element number 4 of (2, 3) is [1, 1], and lies at 1 + 2*1 = 3, whatever the tensor's shape.
TEST(MapsLower, CountsATensorOfAnotherShapeRowMajor) {
  const auto parsed = parse("(x0:2, x1:3) -> affine(x0 + 2*x1)");
  ASSERT_TRUE(parsed);
  const std::vector<std::pair<std::vector<Index>, Point>> shapes = {
      {{2, 3}, {1, 1}}, {{6}, {4}}, {{3, 2}, {2, 0}}, {{1, 6, 1}, {0, 4, 0}}};
  for (const auto& [size, element] : shapes) {
    const auto layout = lower(*parsed, tensor_of(size));
    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(map::outputs_at(*layout, element, {}), Point{3});
  }
  EXPECT_FALSE(lower(*parsed, tensor_of({7})));
  const auto one = parse("() -> affine(7)");
  ASSERT_TRUE(one);
  const auto layout = lower(*one, tensor_of({1, 1}));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(map::outputs_at(*layout, Point{0, 0}, {}), Point{7});
}

// r0 is a replica, m a named axis; d0, d1, … count one memory, and what is behind the box is a guard.
TEST(MapsLower, TellsReplicasAxesAndGuards) {
  const auto copies = lower(*parse("(x0:4, r0:2) -> affine(x0 + 4*x1)"), tensor_of({2, 2}));
  ASSERT_TRUE(copies);
  EXPECT_EQ(map::extents_of(copies->replicas()), std::vector<Index>{2});
  EXPECT_TRUE(copies->named_axes());
  EXPECT_EQ(map::outputs_at(*copies, Point{1, 1}, Point{1}), Point{7});
  const auto guarded = lower(*parse("(x0:4) -> split(0; 3, 1) -> affine(x1, x0) -> (d0:3)"), tensor_of({4}));
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->guards(), 1U);
  EXPECT_FALSE(guarded->named_axes());
  const auto plain = lower(*parse("(r1:4, x0:2) -> affine(x0)"), tensor_of({8}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->replicas().rank(), 0U);
}

}  // namespace maps_parse_test
}  // namespace vl::maps
