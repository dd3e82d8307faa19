// Boxes: runs are executed for one slot of each, and every slot is executed here.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/neutral/program_held.h"
#include "tests/neutral/program_texts.h"
#include "tests/neutral/read_program.h"
#include "tests/support/shard.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/execute.h"
#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/place.h"

namespace vl {
namespace neutral_program_boxes_campaign {

namespace chain = neutral::program;
using chain::Program;
using test::Dense;
using test::read_program;
using values::Code;
using values::CodeSet;

chain::Assignment drawn_assignment(const Program& program, test::WideEngine& random) {
  chain::Assignment out;
  for (const chain::Node& node : program.nodes) {
    auto& codes = out.inputs.emplace_back();
    for (chain::Region region = 0; node.kind == chain::Kind::Input && region < node.regions(); ++region)
      codes.push_back(test::one_of(random, region == 0 ? node.contents : node.padding[region]));
  }
  out.unwritten = random();
  return out;
}

// A drawn program's last result behind another one, what a line makes of both, and a part of that; or the program, if
// that is none.
Program with_a_cut(const Program& program, test::WideEngine& random) {
  const std::string& text = program.text;
  const std::string last = program.nodes[program.outputs[0]].name, first = test::one_of(random, program.nodes).name;
  const std::string over = test::one_of(random, {"0", "1"}), other = over == "0" ? "1" : "0";
  const std::string lines[] = {"abs c0",
                               "exp c0",
                               "sum c0 over " + other + " keep",
                               "softmax c0 over " + other,
                               "reshape c0 [12]",
                               "cumsum c0 over " + over,
                               "reshape c0 [3,4]",
                               "reshape c0 [2,6]"};
  auto out = chain::parse_program(text.substr(0, text.find("output")) + "c0 = concat " + first + " " + last + " over " +
                                  over + "\nc1 = " + test::one_of(random, lines) + "\nc2 = slice c1 over " +
                                  test::one_of(random, {over.c_str(), over.c_str(), "0"}) + " at 0.." +
                                  test::one_of(random, {"1", "2", "3"}) + "\noutput c2\n");
  if (!out) return program;
  RC_LOG() << out->text;
  return *std::move(out);
}

bool is_one(const values::Format& format, Code a, Code b) { return a == b || (is_nan(format, a) && is_nan(format, b)); }

// Whether a code is one of a reach, up to which NaN it is.
bool holds(const values::Format& format, const chain::Reach& reach, Code code) {
  const CodeSet codes = reach.codes(format);
  return codes.contains(code) || (is_nan(format, code) && !codes.intersected(nans(format)).empty());
}

struct Counts {
  int known = 0, slots = 0, shared = 0, several = 0;
};

// Every slot of a node, in both runs: it holds what the first slot of its box holds, and what the execution says.
void hold_node(const Program& program, std::size_t at, const Dense& dense, std::array<chain::Execution*, 2> runs,
               const chain::Boxes& boxes, Counts& counts) {
  const chain::Node& node = program.nodes[at];
  for (Index place = 0; place < Dense::slots(node); ++place) {
    const Point index = Dense::index_of(node, place), first = boxes.first_of(at, index);
    const Index there = Dense::place_of(node, first);
    const bool valid = Dense::region_of(node, index) == 0;
    RC_ASSERT(Dense::region_of(node, first) == Dense::region_of(node, index));
    RC_ASSERT(is_one(*node.type, dense.padded(at, place), dense.padded(at, there)));
    RC_ASSERT((!valid || is_one(*node.type, dense.reference(at, place), dense.reference(at, there))));
    const chain::Reach got = runs[0]->at(at, index), want = valid ? runs[1]->at(at, index) : chain::Reach{};
    RC_ASSERT((!got.is_known() || holds(*node.type, got, dense.padded(at, place))));
    RC_ASSERT((!want.is_known() || holds(*node.type, want, dense.reference(at, place))));
    counts.known += got.is_known() + want.is_known();
    counts.several += !got.several.empty();
    counts.slots += 1 + valid;
    counts.shared += there != place;
  }
}

void hold_every_slot(int count, bool rows, bool on_sets, int least_known) {
  Counts counts;
  test::for_all(count, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const auto drawn = rows ? test::Drawn::RowsAndMoves : test::Drawn::Moves;
    const Program whole = test::drawn_program(random, 8, drawn);
    const Program program = random.below(2) == 0 ? with_a_cut(whole, random) : whole;
    const auto assignment = drawn_assignment(program, random);
    const Dense dense(program, random, &assignment);
    chain::Runs runs(program, Index{1} << 30);
    chain::Execution padded(runs, assignment, true, on_sets), reference(runs, assignment, false, on_sets);
    for (std::size_t at = 0; at < program.nodes.size(); ++at)
      hold_node(program, at, dense, {&padded, &reference}, runs.boxes, counts);
  });
  std::printf("%d of %d slots known, %d of several codes, %d by another one\n", counts.known, counts.slots,
              counts.several, counts.shared);
  EXPECT_GE(counts.known * 100, counts.slots * least_known);
  EXPECT_EQ(counts.several > 100, on_sets);
  EXPECT_GE(counts.shared * 8, counts.slots);
}

int scaled(int part, int full) { return static_cast<int>(test::cases(part, full)); }
TEST(ProgramBoxes, EverySlotOfABoxHoldsItsCode) { hold_every_slot(scaled(500, 20000), false, false, 85); }
TEST(ProgramBoxes, OfRowsToo) { hold_every_slot(scaled(500, 20000), true, false, 85); }
TEST(ProgramBoxes, RunsOnSetsHoldEveryCode) { hold_every_slot(scaled(500, 20000), false, true, 95); }
TEST(ProgramBoxes, RunsOfRowsOnSetsHoldEveryCode) { hold_every_slot(scaled(500, 20000), true, true, 90); }

auto equality_of(const Program& program) {
  return [&program](const values::Format& format, Code a, Code b) {
    const bool zeros = values::is_zero(format, a) && values::is_zero(format, b);
    return is_one(format, a, b) || (program.equal == neutral::Equality::AnyNanAndZero && zeros);
  };
}

struct Verdicts {
  std::array<int, 3> kinds{};
  int slots = 0, on_sets = 0, checked = 0, leaks = 0;

  void hold(const Program& program, test::WideEngine& random) {
    const auto same = equality_of(program);
    const auto answer = test::hold_against_execution(program, random, same, slots);
    ++kinds.at(answer.verdict.index());
    const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict);
    on_sets += refuted != nullptr && refuted->on_sets;
    checked += refuted != nullptr && refuted->on_sets && certify(program, answer);
    leaks += std::holds_alternative<chain::ProgramProved>(answer.verdict) && !answer.leaks.empty();
  }
  void show() const {
    std::printf("%d proved (%d with leaks), %d refuted (%d on sets, %d checked), %d unknown\n", kinds[0], leaks,
                kinds[1], on_sets, checked, kinds[2]);
  }
};

// A run on sets that refutes does so with each choice of functions.
TEST(ProgramBoxes, VerdictsHoldUnderEveryChoiceOfFunctions) {
  Verdicts found;
  test::for_all(scaled(1000, 50000), [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    found.hold(test::drawn_program(random, 8, test::Drawn::RowsAndMoves), random);
  });
  found.show();
  EXPECT_GE(found.on_sets, 10);
  EXPECT_GE(found.kinds[1], 200);
}

TEST(ProgramBoxes, VerdictsOfCutProgramsHold) {
  Verdicts found;
  test::for_all(scaled(2000, 50000), [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    found.hold(with_a_cut(test::drawn_program(random, 5, test::Drawn::RowsAndMoves), random), random);
  });
  found.show();
  EXPECT_GE(found.leaks, 8);
  EXPECT_GE(found.checked, 8);
  EXPECT_GE(found.kinds[1], 20);
}

// The checker executes by code of its own: a drawn run that it accepts differs here with each choice of functions.
TEST(ProgramBoxes, RunsThatTheCheckerAcceptsDiffer) {
  int accepted = 0, rejected = 0;
  test::for_all(scaled(3000, 50000), [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Program program = with_a_cut(test::drawn_program(random, 6, test::Drawn::RowsAndMoves), random);
    chain::ProgramRefuted run{0, drawn_assignment(program, random), program.outputs[0], {}, {}, {}};
    for (const chain::Dimension& dimension : program.nodes[run.output].dimensions)
      run.at.push_back(test::roll(random, 0, dimension.size - 1));
    chain::ProgramAnswer answer;
    answer.verdict = run;
    if (!certify(program, answer)) return void(++rejected);
    ++accepted;
    const auto same = equality_of(program);
    run.on_sets = true;
    RC_ASSERT(test::differs_everywhere(program, run, random, same));
  });
  std::printf("%d accepted, %d rejected\n", accepted, rejected);
  EXPECT_GE(accepted, 200);
  EXPECT_GE(rejected, 300);
}

// Inputs that no exact point of the functions is in.
TEST(ProgramBoxes, RunsOnSetsRefuteThroughFunctions) {
  struct Row {
    const char* lines;
    const char* headline;
  };
  const Row rows[] = {
      {"y = softmax x over 1 from +0", "y[0,0] is in [0.0571429 .. 0.097561] where the reference has 0.333333"},
      {"s = sigmoid x\ny = sum s over 1 from +0",
       "y[0] is in [14.5 .. 17.5] where the reference is in +0 | [1.4013e-45 .. 3]"},
  };
  int held = 0;
  for (const Row& row : rows) {
    const Program program = read_program("x = input f32[4,3] tile(4,32) padding 0 contents [1..2]\n" +
                                         std::string(row.lines) + "\noutput y\n");
    chain::Judge judge(program);
    const auto answer = judge.answer();
    const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict);
    ASSERT_NE(refuted, nullptr) << row.lines;
    EXPECT_EQ(headline(program, *refuted), row.headline);
    EXPECT_TRUE(refuted->on_sets);
    ++held;
  }
  EXPECT_EQ(held, 2);
}

// Breakpoints of the last line's result, dimension by dimension, "each" of every index.
std::vector<std::string> breaks_of(const std::string& line) {
  const Program program = read_program(
      "x = input f32[4,6] tile(4,4) padding 0\ny = input f32[4,3] tile(4,4) padding 0\nr = " + line + "\noutput r y\n");
  const chain::Boxes boxes(program);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < program.nodes[program.outputs[0]].dimensions.size(); ++i) {
    const chain::Breaks& breaks = boxes.breaks(program.outputs[0], i);
    out.push_back(breaks.each ? "each" : fmt::format("{}", fmt::join(breaks.at, " ")));
  }
  return out;
}

TEST(ProgramBoxes, BreakpointsMoveWithTheSlots) {
  struct Row {
    const char* line;
    std::vector<std::string> breaks;
  };
  const Row rows[] = {
      {"exp x", {"0", "0 6"}},
      {"transpose x (1,0)", {"0 6", "0"}},
      {"concat x y over 1", {"0", "0 6 9"}},  // 9 elements in 12 slots
      {"concat y x over 1", {"0", "0 3 9"}},
      {"slice x over 1 at 2..5", {"0", "0 3"}},
      {"sum x over 1", {"0"}},
      {"sum x over 1 keep", {"0", "0 1"}},
      {"softmax x over 1", {"0", "0 6"}},
      {"cumsum x over 1", {"0", "each"}},
      {"reshape x [2,12] tile(8)", {"0", "0 12"}},
  };
  int held = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(breaks_of(row.line), row.breaks) << row.line;
    ++held;
  }
  EXPECT_EQ(held, 10);
}

// One part of two leaks, and it is shown wherever it is put: at the smallest index of the parts.
TEST(ProgramBoxes, EveryElementOfAnOutputIsLookedAt) {
  struct Row {
    const char* line;
    Point at;
  };
  const Row rows[] = {
      {"concat s z over 0", {0, 0}},
      {"concat z s over 0", {1, 0}},
      {"concat z z s over 0", {2, 0}},
      {"reshape zs [5]", {1}},
  };
  for (const Row& row : rows) {
    const Program program = read_program(std::string("x = input f32[4,33] tile(32,32) padding 0\n"
                                                     "y = input f32[1,33] tile(32,32) padding 0\n"
                                                     "e = exp x\ns = sum e over 1 keep\nm = mask y with -inf\n"
                                                     "z = max m over 1 keep\nzs = concat z s over 0\nr = ") +
                                         row.line + "\noutput r\n");
    chain::Judge judge(program);
    const auto answer = judge.answer();
    const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict);
    ASSERT_NE(refuted, nullptr) << row.line;
    EXPECT_EQ(refuted->at, row.at) << row.line;
    EXPECT_TRUE(certify(program, answer).has_value()) << row.line;
  }
}

// A code of a cast's own type may be in what nobody wrote: f32 has numbers that the input's type has not.
TEST(ProgramBoxes, WhatNobodyWroteBehindACastIsOfItsOwnType) {
  const Program program = read_program(
      "x = input f8e4m3[2,5]\nc = cast x f32\nr = reshape c [2,5] tile(2,4)\ny = max r over 1 rule nan-loses\n"
      "e = mask r with -inf\nm = max e over 1 rule nan-loses\nk = input f32[2] contents {1000}\n"
      "d = gt y k\noutput d m\n");
  chain::Judge judge(program);
  const auto answer = judge.answer();
  const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict);
  ASSERT_NE(refuted, nullptr);  // no f8e4m3 is above 448
  EXPECT_GT(std::bit_cast<float>(static_cast<std::uint32_t>(refuted->assignment.unwritten)), 1000);
}

// At most 64 ranges, and what is added are numbers of a sign that has numbers on both sides.
TEST(ProgramBoxes, SetsAreCappedByNumbersOfOneSignAlone) {
  int capped = 0, added = 0;
  test::for_all(static_cast<int>(test::cases(300, 5000)), [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const values::Format& format =
        *values::find_format(test::one_of(random, {"f8e4m3", "f8e5m2", "f16", "dl16", "i16"}));
    std::vector<values::CodeRange> ranges;
    for (int i = 0; i < 150; ++i) {
      const Code code = random() & format.mask();
      if (!is_nan(format, code)) ranges.push_back({code, code});
    }
    const CodeSet set(ranges), out = chain::capped(format, set), more = out.without(set, format);
    RC_ASSERT(set.is_subset_of(out));
    RC_ASSERT(out.ranges().size() <=
              std::max<std::size_t>(chain::kMostRanges, std::min<std::size_t>(set.ranges().size(), 66)));
    RC_ASSERT((set.ranges().size() > chain::kMostRanges || more.empty()));
    RC_ASSERT(more.intersected(nans(format).united(zeros(format))).empty());
    if (has_infinity(format))
      RC_ASSERT(!more.contains(infinity(format, false)) && !more.contains(infinity(format, true)));
    capped += !more.empty();
    added += static_cast<int>(more.ranges().size());
  });
  EXPECT_GE(capped, 100);
  EXPECT_GE(added, capped);
}

// What is cut away may leak; what is added, or written into padding that is read, may not.
TEST(ProgramBoxes, LeaksThatNoOutputSees) {
  struct Row {
    const char* lines;
    const char* verdict;
    std::size_t leaks;
  };
  const Row rows[] = {
      {"c = concat z s over 0\ny = slice c over 0 at 0..4", "proved", 1},
      {"c = concat z s over 0\ny = slice c over 0 at 0..5", "refuted", 0},
      {"c = concat z s over 0\nt = exp c\nu = transpose t (1,0)\ny = slice u over 1 at 1..3", "proved", 1},
      {"c = concat z s over 0\nt = sum c over 0 from +0\ny = exp t", "refuted", 0},
      {"c = concat z s over 0\nd = mask c with 0\nt = sum d over 1 from +0\ny = slice t over 0 at 0..2", "proved", 1},
  };
  int held = 0;
  for (const Row& row : rows) {
    const Program program = read_program(
        "x = input f32[4,33] tile(32,32) padding 0 contents [-1..1]\nm = mask x with -inf\nz = max m over 1 keep\n"
        "e0 = exp x\ns = sum e0 over 1 from +0 keep\n" +
        std::string(row.lines) + "\noutput y\n");
    chain::Judge judge(program);
    const auto answer = judge.answer();
    constexpr std::array kWords = {"proved", "refuted", "unknown"};
    EXPECT_STREQ(kWords.at(answer.verdict.index()), row.verdict) << row.lines;
    EXPECT_EQ(answer.leaks.size(), row.leaks) << row.lines;
    const auto placing = place_masks(program, judge);
    ASSERT_TRUE(placing.has_value()) << row.lines;
    EXPECT_EQ(placing->masks.empty(), std::string(row.verdict) == "proved") << row.lines;
    ++held;
  }
  EXPECT_EQ(held, 5);
}

}  // namespace neutral_program_boxes_campaign
}  // namespace vl
