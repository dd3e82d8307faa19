// Work divisions as text, their checks against a tensor, and the mixed radix of core numbers.
#include "encodings/use/division.h"

#include <gtest/gtest.h>

namespace vl::use {
namespace use_division_test {

TEST(DivisionText, ReadsEveryPartInAnyOrder) {
  const auto division = parse_division(
      " cores=16 [4, 1,8] order=last-fastest span=1024 stick=128 scales=[0,-1,1] slices=[[0:64, -1:2],[64:67,3:3]]");
  ASSERT_TRUE(division.has_value()) << division.error().message;
  EXPECT_EQ(division->splits, (std::vector<Index>{4, 1, 8}));
  EXPECT_EQ(division->scales, (std::vector<Index>{0, -1, 1}));
  EXPECT_EQ(division->cores, 16);
  EXPECT_EQ(division->span, 1024);
  EXPECT_EQ(division->stick, 128);
  EXPECT_TRUE(division->last_fastest);
  EXPECT_EQ(*division->slices, (std::vector<Slice>{{{0, 64}, {-1, 2}}, {{64, 67}, {3, 3}}}));
}

TEST(DivisionText, HasTheHardwaresLimitsUnlessItSaysOtherwise) {
  const auto division = parse_division("[2]");
  ASSERT_TRUE(division.has_value());
  EXPECT_EQ(division->cores, 32);
  EXPECT_EQ(division->span, 268435456);
  EXPECT_FALSE(division->last_fastest);
}

struct Reject {
  const char* name;
  const char* text;
  std::size_t offset;
};

void PrintTo(const Reject& row, std::ostream* out) { *out << row.name; }

class DivisionReject : public testing::TestWithParam<Reject> {};

TEST_P(DivisionReject, PointsAtThePlace) {
  const auto division = parse_division(GetParam().text);
  ASSERT_FALSE(division.has_value());
  EXPECT_EQ(division.error().offset, GetParam().offset) << division.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Table, DivisionReject,
    testing::Values(Reject{"Nothing", "", 0}, Reject{"OnlyCores", "cores=4", 7}, Reject{"ZeroSplit", "[4,0]", 0},
                    Reject{"Twice", "[4] splits=[4]", 4}, Reject{"UnknownPart", "[4] kores=4", 4},
                    Reject{"Order", "[4] order=middle", 10}, Reject{"NoCores", "[4] cores=0", 4},
                    Reject{"TooManyCores", "[4] cores=4097", 4}, Reject{"NoColon", "slices=[[0]]", 10},
                    Reject{"Unclosed", "slices=[[0:1]", 13}, Reject{"ProductOverflows", "[4294967296,4294967296]", 0},
                    Reject{"NumberOverflows", "[99999999999999999999]", 1}, Reject{"NoEquals", "[4] cores 4", 10},
                    Reject{"NegativeOrder", "[4] order=[-1]", 10}),
    [](const testing::TestParamInfo<Reject>& row) { return std::string(row.param.name); });

TEST(WorkDivision, IsHeldAgainstTheTensorsRank) {
  const auto code = [](const char* text, std::size_t rank) {
    const auto division = fitted(*parse_division(text), rank);
    return division ? std::string("fits") : std::string(name(division.error().code));
  };
  EXPECT_EQ(code("[4,2]", 2), "fits");
  EXPECT_EQ(code("[]", 0), "fits");
  EXPECT_EQ(code("[4,2]", 3), "shape");
  EXPECT_EQ(code("[4,2] scales=[0]", 1), "shape");
  EXPECT_EQ(code("[4,2] scales=[0,-1]", 1), "fits");
  EXPECT_EQ(code("[4,2] scales=[0,0]", 1), "value");
  EXPECT_EQ(code("[4,2] scales=[0,1]", 1), "value");
  EXPECT_EQ(code("[4,2] order=[1,0]", 2), "fits");
  EXPECT_EQ(code("[4,2] order=[1,1]", 2), "value");
  EXPECT_EQ(code("[4,2] order=[1]", 2), "value");
  EXPECT_EQ(code("[4,2] sticks=[1]", 2), "fits");
  EXPECT_EQ(code("[4,2] sticks=[2]", 2), "value");
  EXPECT_EQ(code("[4,2] sticks=[-1]", 2), "value");
  EXPECT_EQ(code("slices=[[0:64,0:1]] stick=128", 2), "value");
  EXPECT_EQ(code("[4,2] slices=[[0:64,0:1]] stick=128", 2), "fits");
  EXPECT_EQ(code("slices=[[0:1]]", 2), "shape");
  EXPECT_EQ(code("slices=[[0:1,0:1]]", 2), "fits");
  EXPECT_EQ(code("slices=[[]]", 0), "fits");
}

// torch-spyre, docs/source/compiler/work_division_codegen.md: with splits [2,4,1] and the rightmost dimension fastest,
// core 0 is slice [0,0,0], core 1 [0,1,0], core 4 [1,0,0] and core 7 [1,3,0].
TEST(WorkDivision, NumbersSlicesInMixedRadix) {
  const Division last = *fitted(*parse_division("[2,4,1] order=last-fastest"), 3);
  EXPECT_EQ(slice_numbers(last, 0), (std::vector<Index>{0, 0, 0}));
  EXPECT_EQ(slice_numbers(last, 1), (std::vector<Index>{0, 1, 0}));
  EXPECT_EQ(slice_numbers(last, 4), (std::vector<Index>{1, 0, 0}));
  EXPECT_EQ(slice_numbers(last, 7), (std::vector<Index>{1, 3, 0}));
  const Division first = *fitted(*parse_division("[2,4,1]"), 3);
  EXPECT_EQ(slice_numbers(first, 1), (std::vector<Index>{1, 0, 0}));
  EXPECT_EQ(slice_numbers(first, 6), (std::vector<Index>{0, 3, 0}));
  const Division k_fast = *fitted(*parse_division("[2,4,8] order=[2,0,1]"), 3);
  EXPECT_EQ(slice_numbers(k_fast, 7), (std::vector<Index>{0, 0, 7}));
  EXPECT_EQ(slice_numbers(k_fast, 8), (std::vector<Index>{1, 0, 0}));
}

}  // namespace use_division_test
}  // namespace vl::use
