// Loops over what a certificate lists, and not over what it names (work_test.cpp): each pair of two lists is a step, so
// that tens of kilobytes ask for a thousand times as many. Every one is refused by its counts, before it is done.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "verifier/checker/kernel.h"
#include "verifier/values_kernel/check.h"

namespace vl::checker {
namespace checker_work_loops_test {

struct Loop {
  std::string name;
  Statement statement;
  Evidence evidence;
};

Loop loop_of(std::string name, std::string claim) {
  Loop out{std::move(name), {}, {}};
  out.statement.claim = std::move(claim), out.statement.verdict = "proved";
  return out;
}

std::string listed(int count, const std::function<std::string(int)>& item) {
  std::string out;
  for (int k = 0; k < count; ++k) out += (k == 0 ? "" : ",") + item(k);
  return out;
}

std::string name_of(int k) { return fmt::format("a{}:1", k); }

// Each name is compared with those before it.
Loop names() {
  Loop out = loop_of("names of dimensions", "in-bounds");
  out.statement.map = {fmt::format("({}) -> affine(0)", listed(7000, name_of)), 7000, "(m:1)", {}, {}, {}, {}};
  return out;
}

// Each output is looked up among the axes of both layouts.
Loop axes() {
  Loop out = loop_of("names of axes", "equal");
  const std::string same = listed(3300, [](int) { return "0"; });
  const LayoutText text{
      fmt::format("(x0:2) -> affine({})", same), 1, fmt::format("({})", listed(3300, name_of)), {}, {}, {}, true};
  out.statement.map = text, out.statement.other = text;
  out.evidence.differs = kernel::Steps{{"sweep"}};
  return out;
}

// An atom in 1,000 blocks, of which the last is one less each time: 1,001 terms a line.
kernel::Steps blocks() {
  kernel::Steps out;
  for (long long k = 0; k < 1000; ++k) out.push_back({"block", {k, 2000 - k}});
  return out;
}

// 500 values of 1,001 terms each are split again and again.
Loop stages() {
  Loop out = loop_of("stages of a map of long lines", "in-bounds");
  std::string text = fmt::format("(x0:{}) -> affine({})", 1LL << 40, listed(500, [](int) { return "x0"; }));
  for (int k = 0; k < 2500; ++k) text += " -> split(0;1) -> affine(" + std::string("x0)");
  out.statement.map = {text, 1, "(m:1)", {}, {}, {}, {}};
  kernel::Steps& steps = out.evidence.escapes.emplace(blocks());
  steps.push_back({"run", {0}}), steps.push_back({"in"});
  return out;
}

// Every cell looks at the whole map.
Loop cells() {
  Loop out = loop_of("cells", "in-bounds");
  out.statement.map = {fmt::format("(x0:1000000) -> affine({}) -> affine(x0)", listed(3000, [](int) { return "x0"; })),
                       1,
                       "(m:1000000)",
                       {},
                       {},
                       {},
                       {}};
  kernel::Steps& steps = out.evidence.escapes.emplace();
  for (std::size_t k = 0; k < 800; ++k)
    steps.push_back({"cut", {0, 1}}), steps.push_back({"run", {0}}), steps.push_back({"in"});
  return out;
}

// Each cell is compared with all that are closed.
Loop images() {
  Loop out = loop_of("images of cells", "injective");
  out.statement.map = {fmt::format("(x0:1000000) -> affine({})", listed(40, [](int) { return "x0"; })),
                       1,
                       "(" + listed(40, [](int k) { return fmt::format("a{}:1000000", k); }) + ")",
                       {},
                       {},
                       {},
                       {}};
  out.evidence.lands = Point{0};
  kernel::Steps& steps = out.evidence.collides.emplace();
  for (std::size_t k = 0; k < 1000; ++k) {
    if (k < 999) steps.push_back({"cut", {0, 1}});
    steps.push_back({"run", {0}});
    if (k == 999) steps.push_back({"large", {0, 0}});
    steps.push_back({"apart"});
  }
  return out;
}

// Each difference looks at a row of 1,001 terms.
Loop differences() {
  Loop out = loop_of("differences", "injective");
  out.statement.map = {
      fmt::format("(x0:{}) -> affine(x0)", 1LL << 40), 1, fmt::format("(m:{})", 1LL << 40), {}, {}, {}, {}};
  out.evidence.lands = Point{0};
  kernel::Steps& steps = out.evidence.collides.emplace(blocks());
  steps.push_back({"run", {0}});
  for (int k = 0; k < 2000; ++k) steps.push_back({"large", {0, 0}});
  return out;
}

// Each of 600 shifts looks at the facts of those before.
Loop shifts() {
  Loop out = loop_of("facts of shifts", "in-bounds");
  out.statement.map = {"(x0:2, x1:2) -> affine(0)", 2, "(m:1)", {}, {}, {}, {}};
  kernel::Steps& steps = out.evidence.escapes.emplace();
  for (int k = 0; k < 3000; ++k) steps.push_back({"shift", {k % 2, 0}});
  steps.push_back({"run", {0}}), steps.push_back({"in"});
  return out;
}

// Each of 2,000 facts has as many terms as there are dimensions.
Loop facts() {
  Loop out = loop_of("facts of a late atom", "in-bounds");
  out.statement.map = {fmt::format("({},z:2) -> affine(0)", listed(2000, name_of)), 2001, "(m:1)", {}, {}, {}, {}};
  kernel::Steps& steps = out.evidence.escapes.emplace();
  for (int k = 0; k < 2000; ++k) steps.push_back({"shift", {2000, 0}});
  steps.push_back({"run", {0}}), steps.push_back({"in"});
  return out;
}

// Each of 2,000 rows has as many terms as there are dimensions.
Loop outputs() {
  Loop out = loop_of("lines of a late atom", "in-bounds");
  const std::string rows = listed(2000, [](int) { return "x2000"; });
  out.statement.map = {
      fmt::format("({},z:2) -> affine({})", listed(2000, name_of), rows), 2001, "(m:1)", {}, {}, {}, {}};
  out.evidence.escapes = kernel::Steps{{"run", {0}}, {"in"}};
  return out;
}

// Each replica is listed with a point of 1,001 coordinates.
Loop replicas() {
  Loop out = loop_of("points of replicas", "bijective");
  out.statement.verdict = "refuted";
  out.statement.map = {fmt::format("({},r:4096) -> affine(0)", listed(1000, name_of)), 1000, "(m:1)", {}, {}, {}, {}};
  out.evidence.witness = Showing{Point(1000, 0), {}};
  return out;
}

// A fact is added to a line 4,000 times.
Loop multiples() {
  Loop out = loop_of("multiples of a fact", "in-bounds");
  out.statement.map = {
      fmt::format("(x0:{}) -> affine(x0)", 1LL << 40), 1, fmt::format("(m:{})", 1LL << 40), {}, {}, {}, {}};
  kernel::Steps& steps = out.evidence.escapes.emplace(blocks());
  steps.push_back({"run", {0}});
  kernel::Note<Wide> note;
  for (int k = 0; k < 4000; ++k) note.below.emplace_back(999, 1);
  steps.push_back({"in", {}, {note}});
  return out;
}

// 2·x0 + 2·x2000 = 1 has no solution, 1,000 times, among 2,001 coordinates.
Loop equations() {
  Loop out = loop_of("branches of linear equations", "disjoint");
  const std::string dims = fmt::format("(x0:1000,{},z:2)", listed(1999, name_of));
  out.statement.map = {dims + " -> affine(2*x0 + 2*x2000)", 2001, "(m:8192)", {}, {}, {}, {}};
  out.statement.other = {"(y:1) -> affine(1)", 1, "(m:8192)", {}, {}, {}, {}};
  out.statement.at = 0;
  out.evidence.lands = Point(2001, 0), out.evidence.other_lands = Point{0};
  kernel::Steps steps{{"run", {0}}, {"run", {1}}, {"branch", {1, 0, 1}}};
  for (int k = 0; k < 1000; ++k) steps.push_back({"never", {1, 0}});
  out.evidence.overlaps = steps;
  return out;
}

// Each cut makes another cell of 400 loops.
Loop cuts() {
  Loop out = loop_of("cuts of a nest", "no-overlap");
  TransferText& text = out.statement.transfer.emplace();
  text.source = text.destination = {"(x0:1000000) -> affine(x0)", 1, "(m:1000000)", {}, {}, {}, {}};
  TransferText::Nest nest{Integers(400, 1), Integers(401, 0), Integers(401, 0)};
  nest.extents[0] = 1'000'000, nest.source[1] = nest.destination[1] = 1;
  text.nests = {nest};
  kernel::Steps& steps = out.evidence.moves.emplace(kernel::Steps{{"keys", {1}}});
  for (int k = 0; k < 3000; ++k) steps.push_back({"cut", {0, 999'000 - k}});
  return out;
}

// Each core is looked for in each of 3,001 dimensions.
Loop cores() {
  Loop out = loop_of("cores of a division", "partition");
  std::string dims = listed(3000, name_of);
  out.statement.map = {fmt::format("(x:4096,{}) -> affine(x0,0)", dims), 3001, "(a:4096,m:1)", {}, {}, {}, {}};
  out.statement.bits = 16;
  DivisionText& said = out.statement.division.emplace();
  said.splits = Integers(3001, 1), said.splits[0] = 4096, said.cores = 4096, said.span = 1 << 30, said.stick = 1;
  for (std::int64_t k = 0; k < 3001; ++k) said.scales.push_back(k), said.order.push_back(k);
  out.evidence.escapes = kernel::Steps{{"run", {0}}, {"in"}};
  out.evidence.sticks = kernel::Steps{{"run", {0}}, {"run", {1}}, {"sweep"}};
  return out;
}

// The digit of each of 2,300 places is looked for among as many.
Loop places() {
  Loop out = loop_of("places and digits of a rule", "padding");
  RuleText& rule = out.statement.rule.emplace();
  const ExpressionText one{{}, 1};
  rule.symbols = {{"N", 1}};
  rule.logical = {one}, rule.strides = {one};
  rule.levels.assign(2300, {one, one});
  RuleText::Place place;
  place.extent = one;
  for (std::size_t k = 0; k < 2300; ++k) {
    place.name = fmt::format("m{}", k), place.terms = {{k, one}};
    rule.places.push_back(place);
  }
  out.statement.value_expression = ExpressionText{{}, 0};
  out.evidence.cases.emplace().sizes = {1};
  out.evidence.cases->steps.push_back({"holds", {}, {}});
  return out;
}

ReductionText::Ranges codes_of(int count, int first) {
  ReductionText::Ranges out;
  for (int k = 0; k < count; ++k)
    out.emplace_back(fmt::format("0x{:X}", first + 4 * k), fmt::format("0x{:X}", first + 4 * k));
  return out;
}

ReductionText sorted(int contents, int fill) {
  ReductionText out{"sort", "f16", "f16", "first", "any", "nan-wins", "bits", false, {}, {}, {}, {}, {}, {}, {}};
  out.row = RowText{"N", "first", "after", "whole", 1};
  out.contents = codes_of(contents, 0x4000), out.fill = codes_of(fill, 0x5000);
  return out;
}

// Each pad is compared with each element.
Loop pads() {
  Loop out = loop_of("codes of pads and of elements", "neutral");
  out.statement.book = values_kernel::lemma_book();
  out.statement.reductions.emplace(3, sorted(600, 600));
  return out;
}

// The best of those that are left is taken, again and again.
Loop order() {
  Loop out = loop_of("a row that is sorted", "chain-neutral");
  out.statement.verdict = "refuted";
  ChainText& chain = out.statement.chain.emplace();
  chain.equal = "bits";
  StepText input{}, row{};
  input.kind = "input", input.type = row.type = "f16", input.sizes = row.sizes = {60'000};
  input.granules = row.granules = {1};
  input.holds = std::vector<ReductionText::Ranges>(2, {{"0x0", "0xFFFF"}});
  row.kind = "row", row.operands = {0}, row.operation = "sort", row.accumulate = "f16", row.start = "first";
  row.order = "any", row.max = "nan-wins", row.fused = false, row.axes = Integers{0};
  row.row = RowText{"N", "first", "anywhere", "whole", 1};
  chain.steps = {input, row};
  out.evidence.elements = {"0x4000", "0x0"};
  out.evidence.witness = Showing{{0}, {}};
  return out;
}

// Each code of the type is looked for among the ranges of the fill.
Loop fills() {
  Loop out = loop_of("codes outside of a fill", "fills");
  out.statement.book = values_kernel::lemma_book();
  out.statement.reductions = {sorted(400, 800)};
  out.evidence.elements = {"0x4000"};
  return out;
}

// Each element is among the contents, which are many ranges.
Loop held() {
  Loop out = loop_of("ranges of what operands hold", "padding-state");
  ImageText image{"relu", "f16", "nan-wins", {codes_of(1000, 0)}, {{"0x0", "0xFFFF"}}};
  out.statement.images.emplace(5, image);
  out.statement.operands = {{"(x0:2) -> affine(0)", 1, "(m:1)", {}, {}, {}, {}}};
  out.statement.held.emplace().push_back({codes_of(2500, 0), {}});
  out.evidence.operands.emplace().emplace_back().escapes = kernel::Steps{{"sweep"}};
  return out;
}

std::vector<Loop> loops() {
  return {names(),  axes(),    stages(),   cells(),     images(),    differences(), shifts(),
          facts(),  outputs(), replicas(), multiples(), equations(), cuts(),        cores(),
          places(), pads(),    order(),    fills(),     held()};
}

TEST(WorkOfLists, IsRefusedByItsCount) {
  for (const Loop& one : loops()) {
    const Metered around(kMostWork / 40, kMostBytes / 40);
    const auto why = values_kernel::check(one.statement, one.evidence);
    ASSERT_TRUE(why.has_value()) << one.name;
    EXPECT_NE(why->find("the certificate needs more "), std::string::npos) << one.name << ": " << *why;
    EXPECT_LT(around.done(), kMostWork / 20) << one.name;
  }
}

// Tens of kilobytes: what is asked is more by far than what is read.
TEST(WorkOfLists, IsThatOfSmallCertificates) {
  for (const Loop& one : loops()) {
    Certificate made;
    made.statement = one.statement, made.evidence = one.evidence;
    EXPECT_LT(print(made, true).size(), 120'000U) << one.name;
  }
}

}  // namespace checker_work_loops_test
}  // namespace vl::checker
