// partition of layouts as their constructors make them: one row per statement of the sources, and what is beyond a
// walk.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/support/partitions.h"

namespace vl::claims {
namespace claims_partition_rows_test {

using test::partitions::ask;
using test::partitions::division_of;
using test::partitions::Laid;
using test::partitions::laid;

// One row per statement: a division and the fields of its counterexample, empty if it is proved.
struct Row {
  const char* name;
  std::vector<Index> size;
  const char* division;
  std::vector<std::pair<std::string, Counterexample::Value>> fields;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class PartitionOf : public testing::TestWithParam<Row> {};

TEST_P(PartitionOf, TheConstructorsLayoutIsJudged) {
  const Row& row = GetParam();
  map::Tensor tensor;
  tensor.size = row.size;
  std::string text = fmt::format("SpyreTensorLayout([{}], torch.float16)", fmt::join(row.size, ", "));
  const auto parsed = spyre::parse(text);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  const Laid l{row.size, *spyre::lower(*parsed, tensor)};
  auto division = use::parse_division(row.division);
  ASSERT_TRUE(division.has_value()) << division.error().message;
  division = use::fitted(std::move(*division), row.size.size());
  ASSERT_TRUE(division.has_value()) << division.error().message;
  const Judged answer = ask(l, *division);
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  if (row.fields.empty()) {
    EXPECT_TRUE(std::holds_alternative<Proved>(answer.verdict))
        << (refuted != nullptr ? refuted->counterexample.explanation : "unknown");
  } else {
    ASSERT_NE(refuted, nullptr);
    EXPECT_EQ(refuted->counterexample.fields, row.fields) << refuted->counterexample.explanation;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, PartitionOf,
    testing::Values(
        Row{"WholeSticks", {8, 128}, "[4,2]", {}}, Row{"RaggedLastStick", {67}, "[2]", {}},
        // torch-spyre #3339: gcd(2, 67) = 1, so one core has both sticks.
        Row{"OneCoreHasBothSticks", {67}, "[2] slices=[[0:67]]", {{"a", Point{64}}, {"core", Index{0}}}},
        Row{"HalvesOfElements",
            {67},
            "slices=[[0:34],[34:67]]",
            {{"a", Point{33}}, {"b", Point{34}}, {"core", Index{0}}, {"other_core", Index{1}}}},
        Row{"Overlap",
            {8, 128},
            "slices=[[0:5,0:128],[4:8,0:128]]",
            {{"a", Point{4, 0}}, {"core", Index{0}}, {"other_core", Index{1}}}},
        Row{"Gap", {8, 128}, "slices=[[0:4,0:128],[4:8,64:128]]", {{"a", Point{4, 0}}}},
        Row{"PaddedEnd", {67}, "slices=[[0:64],[64:128]]", {}},
        Row{"BeyondThePadding", {67}, "slices=[[0:64],[64:129]]", {{"core", Index{1}}, {"dim", Index{0}}}},
        Row{"BeforeTheStart", {67}, "slices=[[-64:64],[64:67]]", {{"core", Index{0}}, {"dim", Index{0}}}},
        Row{"IdleCore", {8, 128}, "slices=[[0:8,0:128],[0:0,0:0]] cores=1", {}},
        Row{"SticksDoNotDivide", {8, 192}, "[4,2]", {{"dim", Index{1}}, {"split", Index{2}}, {"count", Index{3}}}},
        Row{"LargerStickOfAnotherOperand",
            {8, 128},
            "[1,2] stick=128",
            {{"dim", Index{1}}, {"split", Index{2}}, {"count", Index{1}}}},
        Row{"TooManyCores", {8, 128}, "[8,2] cores=8", {{"used", Index{16}}, {"cores", Index{8}}}},
        // work_division_codegen.md: the last dimension fastest, [2,4,1] gives core 1 slice [0,1,0], core 4 [1,0,0].
        Row{"LastFastest",
            {2, 4, 64},
            "[2,4,1] order=last-fastest slices=[[0:1,0:1,0:64],[0:1,1:2,0:64],[0:1,2:3,0:64],[0:1,3:4,0:64],"
            "[1:2,0:1,0:64],[1:2,1:2,0:64],[1:2,2:3,0:64],[1:2,3:4,0:64]]",
            {}},
        Row{"OtherOrder",
            {2, 4, 64},
            "[2,4,1] slices=[[0:1,0:1,0:64],[0:1,1:2,0:64],[0:1,2:3,0:64],[0:1,3:4,0:64],"
            "[1:2,0:1,0:64],[1:2,1:2,0:64],[1:2,2:3,0:64],[1:2,3:4,0:64]]",
            {{"a", Point{0, 1, 0}}, {"core", Index{1}}}},
        // Cores 0 and 1 add up parts of one result: the dimension that is reduced is not in this tensor.
        Row{"SharedByDesign",
            {4, 64},
            "[2,1,2] scales=[0,1,-1] order=[2,0,1] slices=[[0:2,0:64],[0:2,0:64],[2:4,0:64],[2:4,0:64]]",
            {}},
        Row{"SharedByMistake",
            {4, 64},
            "[2,1,2] scales=[0,1,-1] slices=[[0:2,0:64],[0:2,0:64],[2:4,0:64],[2:4,0:64]]",
            {{"a", Point{0, 0}}, {"core", Index{0}}, {"other_core", Index{1}}}},
        // The second operand of a matmul: K has 150 rows, in the slices that the first operand's 3 sticks give.
        Row{"RowsAlongTheOthersSticks",
            {150, 64},
            "[3,1] sticks=[0] slices=[[0:64,0:64],[64:128,0:64],[128:150,0:64]]",
            {}},
        Row{"RowsByThemselves",
            {150, 64},
            "[3,1] slices=[[0:64,0:64],[64:128,0:64],[128:150,0:64]]",
            {{"a", Point{50, 0}}, {"core", Index{0}}}},
        // 256·272·32·64 elements of 2 bytes: torch-spyre #1984 states 285212672 against 268435456.
        Row{"SpanOfTheLog",
            {32, 8192, 17408},
            "[1,32,1]",
            {{"a", Point{0, 0, 0}},
             {"b", Point{0, 255, 0}},
             {"core", Index{0}},
             {"span", Index{285212672}},
             {"limit", Index{268435456}}}},
        Row{"SpanJustReached", {32, 8192, 16384}, "[1,32,1]", {}},
        Row{"LargeExtents", {Index{1} << 20, Index{1} << 40}, "[32,1] span=9223372036854775807", {}},
        Row{"Scalar", {}, "[]", {}}),
    [](const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); });

TEST(Partition, OfAFoldIsRefutedAtAnySizeAndProvedWhileItIsSmall) {
  const auto halves = [](Index rows) {
    return ask(laid({rows, 100}, {2 * rows, 64}, {64, 1}), division_of({2, 1}, 2));
  };
  const Index many = Index{1} << 30;
  const Judged cut = halves(2 * (many + 1));  // (2^30 + 1)·100 is 36 more than a multiple of 64
  ASSERT_TRUE(std::holds_alternative<Refuted>(cut.verdict));
  EXPECT_EQ(std::get<Refuted>(cut.verdict).counterexample.fields,
            (std::vector<std::pair<std::string, Counterexample::Value>>{
                {"a", Point{many, 99}}, {"b", Point{many + 1, 0}}, {"core", Index{0}}, {"other_core", Index{1}}}));
  EXPECT_EQ(question::word(halves(32).verdict), "proved");
  const Judged open = halves(2 * many);  // true, and without a closed form here
  ASSERT_TRUE(std::holds_alternative<Unknown>(open.verdict));
  EXPECT_EQ(std::get<Unknown>(open.verdict).reason, Reason::OutOfReach);
}

TEST(Partition, OfNothingIsVacuous) {
  const Laid l = laid({0, 8}, {2, 0, 4}, {4, 8, 1});
  EXPECT_EQ(question::word(ask(l, division_of({1, 1}, 2)).verdict), "vacuous");
}

TEST(Partition, NeedsASlotForEveryElement) {
  const Laid l = laid({2, 8}, {1, 2, 4}, {4, 8, 1});
  const Judged answer = ask(l, division_of({1, 1}, 2));
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  ASSERT_NE(refuted, nullptr);
  EXPECT_EQ(std::get<Point>(refuted->counterexample.fields[0].second), (Point{0, 4}));
}

}  // namespace claims_partition_rows_test
}  // namespace vl::claims
