// Proofs of the kernel: those that its headers work out, and for each condition of each rule one that would be taken
// without it and shows what is false, or nothing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kernel/truth.h"
#include "verifier/checker/questions.h"
#include "verifier/kernel/claims/goals.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::kernel::tests {
namespace kernel_goals_test {

using checker::LayoutText;

Steps steps_of(const std::string& text) {
  Steps out;
  for (const nlohmann::json& one : nlohmann::json::parse(text)) out.push_back(read_step<Wide>(one));
  return out;
}

Layout layout_of(const std::string& map, const std::string& physical, std::size_t logical) {
  LayoutText text;
  text.map = map, text.physical = physical, text.logical = logical;
  return checker::parse_layout(text);
}

// f16[5,100,150] on sticks of 64.
Layout sticks() {
  LayoutText text;
  text.map =
      "(x0:5, x1:100, x2:150) -> affine(15000*x0 + 150*x1 + x2) -> split(0; 15000, 150, 64, 1) -> affine(x1, x2, x0, "
      "x3)";
  text.logical = 3;
  text.physical = "(d0:100, d1:3, d2:5, d3:64)";
  text.decode =
      "(d0:100, d1:3, d2:5, d3:64) -> affine(15000*x2 + 150*x0 + 64*x1 + x3) -> split(0; 15000, 150, 1) -> affine(x0, "
      "x1, x2)";
  return checker::parse_layout(text);
}

TEST(KernelGoals, SticksAreBijectiveAsTheirHeaderSays) {
  const Layout layout = sticks();
  const Goals goals(layout);
  const std::string cells = R"([["block", 2, 64], ["run", 0, [1, 0, [[0, 1]]], [1, 1, [[0, 1]]]])";
  goals.in(layout.physical, steps_of(cells + R"(, ["in"]])"));
  goals.back(steps_of(cells + R"(, ["back", [1, 0, [[0, 1]]], [1, 1, [[0, 1]]]]])"));
  const std::string counts =
      cells + R"(, ["large", 0, 1], ["large", 1, 2], ["large", 2, 0], ["large", 3, 3], ["count"]])";
  EXPECT_EQ(goals.occupied(steps_of(counts)), 75'000);
}

TEST(KernelGoals, AValueWithoutAFormIsUsedInItsPlace) {  // tiles are dealt: core = floor(tile / 4), rest = tile mod 4
  LayoutText text;
  text.map = "(x0:3, x1:5) -> affine(5*x0 + x1) -> split(0; 4, 1)";
  text.logical = 2;
  text.physical = "(d0:4, d1:4)";
  text.decode = "(d0:4, d1:4) -> affine(4*x0 + x1) -> split(0; 5, 1)";
  const Layout layout = checker::parse_layout(text);
  const Goals goals(layout);
  const std::string run = R"([["run", 0, [1, 0, "div", 0, 4]])";
  goals.in(layout.physical, steps_of(run + R"(, ["in"]])"));
  goals.back(steps_of(run + R"(, ["back", [0, 0, "use", [[0, 1]]]]])"));
  EXPECT_THROW(goals.back(steps_of(run + R"(, ["back"]])")), Rejected);
  goals.apart(
      false,
      steps_of(run +
               R"(, ["large", 0, 2], ["large", 1, 3], ["open", 0], ["large", 2, 0], ["large", 2, 1], ["apart"]])"));
}

// Even places and odd ones, from place 1 of a memory on; and the example of disjoint.cpp.
TEST(KernelGoals, LayoutsThatShareNoPlaceAreDisjoint) {
  const Layout even = layout_of("(x0:5) -> affine(2*x0)", "(d0:10)", 0);
  const std::string run = R"([["run", 0], ["run", 1], )";
  for (const char* steps : {R"(["never", 1]])", R"(["branch", 2, 1, 1, -1]])"})
    Goals(even, &even).disjoint(1, steps_of(run + steps));
  Goals(even, &even).disjoint(1, steps_of(R"([["sweep"]])"));
  Goals(even, &even).disjoint(9, steps_of(R"([["cut", 1, 1], ["run", 0], ["run", 1], ["never", 1], ["sweep"]])"));
  EXPECT_THROW(Goals(even, &even).disjoint(2, steps_of(run + R"(["never", 1]])")), Rejected);
  EXPECT_THROW(Goals(even, &even).disjoint(2, steps_of(R"([["sweep"]])")), Rejected);
  const Layout twelves = layout_of("(x0:10) -> affine(12*x0)", "(d0:120)", 0),
               fives = layout_of("(x0:3) -> affine(11 - 5*x0)", "(d0:12)", 0);
  Goals(twelves, &fives).disjoint(0, steps_of(run + R"(["branch", 12, 1, 1]])"));
  Goals(twelves, &fives)
      .disjoint(0, steps_of(run + R"(["branch", 1, 0, 0, 1], ["never", 1, -5], ["never", 1, -5], ["never", 1, -5]])"));
}

// Where a value has no form, its equation is a row: 4·(x0 div 4) + x0 mod 4 = x0 is never y0 + 6.
TEST(KernelGoals, EquationsOfACellAreRowsToo) {
  const Layout a = layout_of("(x0:6) -> split(0; 4, 1) -> affine(4*x0 + x1)", "(d0:6)", 0),
               b = layout_of("(y0:4) -> affine(x0 + 6)", "(d0:10)", 0);
  Goals(a, &b).disjoint(0, steps_of(R"([["run", 0, [0, 0, "div", 0, 2]], ["run", 1], ["never", 1, 1]])"));
}

TEST(KernelGoals, AnInverseReturnsNumbers) {
  const Layout a = layout_of("(x0:4) -> affine(3 - x0)", "(d0:4)", 1),
               b = layout_of("(y0:4) -> affine(3 - x0)", "(e0:4)", 1);
  const Goals goals(a, &b);
  goals.returns(b.physical, steps_of(R"([["run", 0], ["returns"]])"));
  goals.returns(b.physical, steps_of(R"([["sweep"]])"));
  Goals(a).defined(steps_of(R"([["run", 0], ["defined"]])"));
}

enum class Ask { In, Apart, Replicas, Count, Back, Identity, Equal, Returns, Defined, Disjoint };

struct Row_ {
  const char* what;
  Ask ask;
  const char* map;
  const char* physical;
  std::size_t logical;
  const char* steps;
  const char* other =
      "";  // the second layout's map; the decode map; the element's side of an identity whose other is x0
};

// Each is refused. Behind each stands what it would prove.
const Row_ kRefused[] = {
    {"no step", Ask::In, "(x0:4)", "(d0:4)", 1, "[]"},
    {"a cell that is left", Ask::In, "(x0:4)", "(d0:3)", 1, R"([["cut",0,3],["run",0],["in"]])"},
    {"a step after the last cell", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["run",0],["in"],["in"]])"},
    {"a place outside", Ask::In, "(x0:4)", "(d0:3)", 1, R"([["run",0],["in"]])"},
    {"a place below 0", Ask::In, "(x0:4) -> affine(x0 - 1)", "(d0:4)", 1, R"([["run",0],["in"]])"},
    {"a guard", Ask::In, "(x0:4) -> affine(x0, x0)", "(d0:4)", 1, R"([["run",0],["in"]])"},
    {"a map that was not run", Ask::In, "(x0:4) -> affine(x0 + 9)", "(d0:4)", 1, R"([["in"]])"},
    {"a map that was run twice", Ask::In, "(x0:4) -> affine(x0)", "(d0:4)", 1, R"([["run",0],["run",0],["in"]])"},
    {"a fact twice where it is once", Ask::In, "(x0:6) -> affine(2*x0)", "(d0:10)", 1,
     R"([["block",0,4],["run",0],["in",[0,0,[[0,3]]]]])"},
    {"a multiple below 0", Ask::In, "(x0:6) -> affine(x0 + 1)", "(d0:6)", 1,
     R"([["block",0,4],["run",0],["in",[0,0,[[0,-1]]]]])"},
    {"a fact that does not exist", Ask::In, "(x0:6)", "(d0:5)", 1, R"([["block",0,4],["run",0],["in",[0,0,[[1,1]]]]])"},
    {"a cut beyond the end", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["cut",0,5],["run",0],["in"],["run",0],["in"]])"},
    {"a cut at 0", Ask::In, "(x0:4)", "(d0:3)", 1, R"([["cut",0,0],["run",0],["in"],["run",0],["in"]])"},
    {"a block of 0", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["block",0,0],["run",0],["in"]])"},
    {"a shift down", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["shift",0,-1],["run",0],["in"]])"},
    {"an atom that does not exist", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["block",1,2],["run",0],["in"]])"},
    {"a shift of an atom that no group has", Ask::In, "(x0:1) -> affine(7)", "(d0:1)", 1,
     R"([["shift",0,1],["sweep"]])"},
    {"a join of parts", Ask::In, "(x0:2, x1:2) -> affine(x0)", "(d0:1)", 2,
     R"([["cut",1,1],["fuse",0],["run",0],["in"],["cut",0,1],["run",0],["in"],["run",0],["out",0]])"},
    {"a join of blocks", Ask::In, "(x0:4, x1:4) -> affine(x0)", "(d0:4)", 2,
     R"([["block",1,2],["fuse",0],["run",0],["in"]])"},
    {"an out where every point has a slot", Ask::In, "(x0:4) -> affine(x0 + 9)", "(d0:4)", 1,
     R"([["run",0],["out",0]])"},
    {"an out where two layouts are equal", Ask::Equal, "(x0:4) -> affine(x0 + 9)", "(d0:4)", 1,
     R"([["run",0],["run",1],["out",0]])", "(x0:4)"},
    {"an out that is in", Ask::Apart, "(x0:4) -> affine(0)", "(d0:1)", 1, R"([["run",0],["out",0]])"},
    {"an empty cell with points", Ask::Apart, "(x0:6) -> affine(0)", "(d0:1)", 1, R"([["block",0,4],["empty",0]])"},
    {"a digit that crosses", Ask::In, "(x0:6) -> affine(x0 + 1) -> split(0; 4, 1) -> affine(x0)", "(d0:1)", 1,
     R"([["run",0],["in"]])"},
    {"a digit with another quotient", Ask::In, "(x0:4) -> split(0; 4, 1) -> affine(x0)", "(d0:1)", 1,
     R"([["run",0,[0,0,1]],["in"]])"},
    {"a quotient of a range too small", Ask::In, "(x0:6) -> split(0; 4, 1) -> affine(x0)", "(d0:1)", 1,
     R"([["run",0,[0,0,"div",0,1]],["in"]])"},
    {"a quotient of a range that begins too late", Ask::In, "(x0:6) -> split(0; 4, 1) -> affine(x0 - 1)", "(d0:1)", 1,
     R"([["run",0,[0,0,"div",1,1]],["in"]])"},
    {"a note about nothing", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["run",0,[0,0]],["in"]])"},
    {"a swizzle of what may be negative", Ask::In, "(x0:4) -> affine(x0 - 1) -> swizzle(0; 0, 1, 1, down) -> affine(0)",
     "(d0:1)", 1, R"([["run",0],["in"]])"},
    {"two points in one place", Ask::Apart, "(x0:4, x1:2) -> affine(x0)", "(d0:4)", 2,
     R"([["run",0],["large",0,0],["apart"]])"},
    {"a coefficient that others reach", Ask::Apart, "(x0:2, x1:3) -> affine(2*x0 + x1)", "(d0:5)", 2,
     R"([["run",0],["large",0,0],["large",0,1],["apart"]])"},
    {"a span that is not shown", Ask::Apart, "(x0:2, x1:3) -> affine(2*x0 + x1)", "(d0:5)", 2,
     R"([["run",0],["large",0,0,0,1,[0,0]],["large",0,1],["apart"]])"},
    {"a divisor that is too small", Ask::Apart, "(x0:3, x1:3) -> affine(x0 + 2*x1)", "(d0:9)", 2,
     R"([["run",0],["mod",0,0],["large",0,1],["apart"]])"},
    {"a row that does not exist", Ask::Apart, "(x0:4)", "(d0:4)", 1, R"([["run",0],["large",1,0],["apart"]])"},
    {"a record of which the rest is not known", Ask::Apart, "(x0:6) -> split(0; 4, 1) -> affine(x0)", "(d0:2)", 1,
     R"([["run",0,[0,0,"div",0,2]],["large",0,1],["open",0],["large",1,0],["apart"]])"},
    {"a record that the count does not look at", Ask::Count, "(x0:6) -> split(0; 4, 1) -> affine(x0)", "(d0:2)", 1,
     R"([["run",0,[0,0,"div",0,2]],["large",0,1],["open",0],["large",1,0],["count"]])"},
    {"cells that share a slot", Ask::Apart, "(x0:4) -> split(0; 2, 1) -> affine(x1)", "(d0:2)", 1,
     R"([["cut",0,2],["run",0],["large",0,0],["apart"],["run",0],["large",0,0],["apart"]])"},
    {"cells that share a slot, one of which is walked over", Ask::Apart, "(x0:4) -> split(0; 2, 1) -> affine(x1)",
     "(d0:2)", 1, R"([["cut",0,2],["sweep"],["run",0],["large",0,0],["apart"]])"},
    {"elements of replicas", Ask::Replicas, "(x0:2, x1:2) -> affine(0)", "(d0:1)", 1, R"([["run",0],["apart"]])"},
    {"an element and a replica in one group", Ask::Replicas, "(x0:2, x1:2) -> affine(0)", "(d0:1)", 1,
     R"([["fuse",0],["run",0],["apart"]])"},
    {"a ragged group digit by digit", Ask::Count, "(x0:5, x1:2) -> affine(2*x0 + x1) -> split(0; 4, 1) -> affine(x1)",
     "(d0:4)", 2, R"([["fuse",0],["block",2,4],["run",0],["large",0,3],["cut",0,1],["count"]])"},
    {"a ragged group, of which one atom is looked at", Ask::Count, "(x0:6) -> split(0; 4, 1) -> affine(x0 + 4*x1)",
     "(d0:16)", 1, R"([["block",0,5],["run",0,[0,0,0]],["count"]])"},
    {"a count of a cell without a point", Ask::Count, "(x0:6)", "(d0:7)", 1,
     R"([["block",0,4],["cut",0,1],["run",0],["large",0,1],["count"],["cut",1,2],["run",0],["large",0,1],["count"],["cut",1,1],["run",0],["count"],["empty",0]])"},
    {"a reach in a cell without a point", Ask::Count, "(x0:6)", "(d0:7)", 1,
     R"([["block",0,4],["cut",0,1],["run",0],["large",0,1],["count"],["cut",1,2],["run",0],["large",0,1],["count"],["cut",1,1],["run",0],["reach"],["empty",0]])"},
    {"a step beyond the reach", Ask::Count, "(x0:2, x1:2) -> affine(3*x0 + x1)", "(d0:5)", 2,
     R"([["run",0],["reach"]])"},
    {"a reach of one atom in two places", Ask::Count, "(x0:2) -> affine(x0, x0)", "(d0:2, d1:2)", 1,
     R"([["run",0],["reach"]])"},
    {"a reach of an atom that is bound", Ask::Count, "(x0:3)", "(d0:4)", 1,
     R"([["block",0,2],["run",0],["reach",[0,0,[[0,1]]]]])"},
    {"a count of what is outside", Ask::Count, "(x0:4)", "(d0:3)", 1, R"([["run",0],["large",0,0],["count"]])"},
    {"other places", Ask::Equal, "(x0:4)", "(d0:5)", 1, R"([["run",0],["run",1],["eq"]])", "(x0:4) -> affine(x0 + 1)"},
    {"one map of two", Ask::Equal, "(x0:4)", "(d0:5)", 1, R"([["run",0],["eq"]])", "(x0:4) -> affine(x0 + 1)"},
    {"sets that begin alike", Ask::Equal, "(x0:2, x1:2) -> affine(x0 + 2*x1)", "(d0:4)", 1,
     R"([["run",0],["run",1],["sets"]])", "(x0:2, x1:2) -> affine(2*x1)"},
    {"sets of a part", Ask::Equal, "(x0:2, x1:2) -> affine(x1)", "(d0:4)", 1,
     R"([["cut",0,1],["run",0],["run",1],["sets"],["run",0],["run",1],["sets"]])", "(x0:2, x1:2) -> affine(x1 + 2*x0)"},
    {"a note about no output", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["run",0],["in",[1,0]]])"},
    {"a note about no output of two layouts", Ask::Equal, "(x0:4)", "(d0:4)", 1,
     R"([["run",0],["run",1],["eq",[1,0,"use",[]]]])", "(x0:4)"},
    {"a fact in the place of an equation", Ask::Equal, "(x0:3)", "(d0:4)", 1,
     R"([["block",0,2],["run",0],["run",1],["eq",[0,0,"use",[[0,1]]]]])", "(x0:3) -> affine(x0 + 1)"},
    {"a decode map to another element", Ask::Back, "(x0:4)", "(d0:4)", 1, R"([["run",0],["back"]])",
     "(d0:4) -> affine(3 - x0)"},
    {"the same, walked over", Ask::Back, "(x0:4)", "(d0:4)", 1, R"([["sweep"]])", "(d0:4) -> affine(3 - x0)"},
    {"a decode map with a guard", Ask::Back, "(x0:4)", "(d0:4)", 1, R"([["run",0],["back"]])",
     "(d0:4) -> affine(x0, x0)"},
    {"a number of coordinates out of range", Ask::Back, "(x0:2, x1:3) -> affine(3*x0 + x1)", "(d0:6)", 2,
     R"([["fuse",0],["run",0],["back"]])", "(d0:6) -> affine(0, x0)"},
    {"a number of coordinates below 0", Ask::Back, "(x0:2, x1:3) -> affine(3*x0 + x1)", "(d0:6)", 2,
     R"([["fuse",0],["run",0],["back"]])", "(d0:6) -> affine(x0, -2*x0)"},
    {"no decode map", Ask::Back, "(x0:4)", "(d0:4)", 1, R"([["run",0],["back"]])"},
    {"another last step than back", Ask::Back, "(x0:4)", "(d0:4)", 1, R"([["run",0],["in"]])",
     "(d0:4) -> affine(3 - x0)"},
    {"another offset", Ask::Identity, "(x0:4)", "(d0:4)", 1, R"([["run",0],["id"]])", "2*x0"},
    {"another offset, walked over", Ask::Identity, "(x0:4)", "(d0:4)", 1, R"([["sweep"]])", "2*x0"},
    {"no identity", Ask::Identity, "(x0:4)", "(d0:4)", 1, R"([["run",0],["id"]])"},
    {"another last step than id", Ask::Identity, "(x0:4)", "(d0:4)", 1, R"([["run",0],["in"]])", "2*x0"},
    {"an inverse of something else", Ask::Returns, "(x0:4) -> affine(3 - x0)", "(d0:4)", 1,
     R"([["run",0],["returns"]])", "(y0:4)"},
    {"an inverse of a part", Ask::Returns, "(x0:4) -> affine(x0 + 1)", "(d0:4)", 1, R"([["run",0],["returns"]])",
     "(y0:4) -> affine(x0 - 1)"},
    {"an inverse that leaves", Ask::Returns, "(x0:4)", "(d0:3)", 1, R"([["run",0],["returns"]])", "(y0:4)"},
    {"an inverse that is walked over", Ask::Returns, "(x0:4) -> affine(3 - x0)", "(d0:4)", 1, R"([["sweep"]])",
     "(y0:4)"},
    {"a swizzle of negative numbers", Ask::Defined, "(x0:4) -> affine(x0 - 1) -> swizzle(0; 0, 1, 1, down)", "(d0:4)",
     1, R"([["sweep"]])"},
    {"layouts that meet", Ask::Disjoint, "(x0:4)", "(d0:4)", 0, R"([["run",0],["run",1],["never",1]])",
     "(y0:4) -> affine(x0 + 3)"},
    {"layouts that meet, walked over", Ask::Disjoint, "(x0:4)", "(d0:4)", 0, R"([["sweep"]])", "(y0:4)"},
    {"layouts with an input in common", Ask::Disjoint, "(x0:4)", "(d0:4)", 1, R"([["run",0],["run",1],["never",1]])",
     "(y0:4) -> affine(x0 + 1)"},
    {"a divisor of nothing", Ask::Disjoint, "(x0:4)", "(d0:4)", 0, R"([["run",0],["run",1],["never",0]])", "(y0:4)"},
    {"a branch that is left", Ask::Disjoint, "(x0:4)", "(d0:4)", 0,
     R"([["run",0],["run",1],["branch",1,0,1],["never",1,-1],["never",1,-1],["never",1,-1]])",
     "(y0:1) -> affine(x0 + 3)"},
    {"a cut within a branch", Ask::Disjoint, "(x0:4)", "(d0:4)", 0,
     R"([["run",0],["run",1],["branch",1,0,1],["never",1,-1],["never",1,-1],["never",1,-1],["cut",0,3],["never",1,-1],["never",1,0]])",
     "(y0:1) -> affine(x0 + 3)"},
    {"an out within a branch", Ask::Disjoint, "(x0:4) -> affine(x0 + 9)", "(d0:4)", 0,
     R"([["run",0],["run",1],["branch",1,0,1],["out",0],["never",1,-1],["never",1,-1],["never",1,-1],["never",1,-1]])",
     "(y0:1) -> affine(x0 + 3)"},
    {"an out of the second layout", Ask::Disjoint, "(x0:4)", "(d0:4)", 0, R"([["run",0],["run",1],["out",0]])",
     "(y0:1) -> affine(x0 + 3)"},
    {"another last step than never", Ask::Disjoint, "(x0:4)", "(d0:4)", 0, R"([["run",0],["run",1],["eq"]])", "(y0:4)"},
    {"one map of two that meet", Ask::Disjoint, "(x0:4) -> affine(x0 + 9)", "(d0:20)", 0, R"([["run",0],["never",1]])",
     "(y0:4) -> affine(x0 + 9)"},
    {"a sweep of what is wrong", Ask::In, "(x0:4)", "(d0:3)", 1, R"([["sweep"]])"},
    {"another goal's last step", Ask::Apart, "(x0:4) -> affine(0)", "(d0:1)", 1, R"([["run",0],["in"]])"},
    {"a step of no name", Ask::In, "(x0:4)", "(d0:4)", 1, R"([["prove"]])"},
};

void ask(const Row_& row, const Steps& steps) {
  const bool has_other = *row.other != '\0',
             two = row.ask == Ask::Equal || row.ask == Ask::Returns || row.ask == Ask::Disjoint;
  LayoutText text;
  text.map = row.map, text.physical = row.physical, text.logical = row.logical;
  if (has_other && row.ask == Ask::Back) text.decode = row.other;
  if (has_other && row.ask == Ask::Identity) text.identity = {"x0", row.other};
  const Layout layout = checker::parse_layout(text);
  const auto other = two ? std::optional(layout_of(row.other, row.physical, row.logical)) : std::nullopt;
  const Goals goals(layout, other ? &*other : nullptr);
  switch (row.ask) {
    case Ask::In: return goals.in(layout.physical, steps);
    case Ask::Apart: return goals.apart(false, steps);
    case Ask::Replicas: return goals.apart(true, steps);
    case Ask::Count: return static_cast<void>(goals.occupied(steps));
    case Ask::Back: return goals.back(steps);
    case Ask::Identity: return goals.identity(steps);
    case Ask::Equal: return goals.equal(steps);
    case Ask::Returns: return goals.returns(other->physical, steps);
    case Ask::Defined: return goals.defined(steps);
    case Ask::Disjoint: return goals.disjoint(0, steps);
  }
}

TEST(KernelGoals, StepsThatShowNothingAreRefused) {
  for (const Row_& row : kRefused) {
    SCOPED_TRACE(row.what);
    const Steps steps = steps_of(row.steps);
    EXPECT_THROW(ask(row, steps), Rejected);
  }
}

// The second map has ten inputs and the root one dimension: `returns` carries places through it, never coordinates.
TEST(KernelGoals, TheSecondMapOfAnInverseIsNotRun) {
  const Layout a = layout_of("(x0:1) -> affine(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
                             "(a0:1, a1:1, a2:1, a3:1, a4:1, a5:1, a6:1, a7:1, a8:1, a9:1)", 1);
  const Layout b =
      layout_of("(a0:1, a1:1, a2:1, a3:1, a4:1, a5:1, a6:1, a7:1, a8:1, a9:1) -> affine(3*x9)", "(d0:1)", 10);
  const Goals goals(a, &b);
  goals.returns(b.physical, steps_of(R"([["run",0],["returns"]])"));
  EXPECT_THROW(goals.returns(b.physical, steps_of(R"([["run",1],["run",0],["returns"]])")), Rejected);
}

TEST(KernelGoals, StepsAreWrittenAsTheyAreRead) {
  for (const char* text :
       {R"(["block",2,64])", R"(["run",0,[1,0,[[0,1]]],[-1,2,3,[[0,1]],[[1,2]]],[1,1,"div",0,4],[2,0,"use",[[3,-1]]]])",
        R"(["large",0,1,-3,7,[0,0,[],[[2,5]]]])", R"(["in"])"}) {
    const nlohmann::json step = nlohmann::json::parse(text);
    EXPECT_EQ(write_step(read_step<Wide>(step)), step) << text;
  }
}

TEST(KernelGoals, StepsThatAreNoneAreRefused) {
  for (const char* text :
       {"3", "{}", "[]", "[0]", R"(["run",[]])", R"(["run",[0]])", R"(["run",[0,0,"so"]])", R"(["run",[0,0,"div",1]])",
        R"(["run",[0,0,"use"]])", R"(["run",[0,0],1])", R"(["run",1.5])", R"(["run",18446744073709551615])",
        R"(["run",[0,-1]])", R"(["run",[-2,0]])", R"(["run",[0,0,[[0]]]])", R"(["run",[0,0,[],[],[]]])",
        R"(["run",null])", R"(["run",[0,0,[[-1,1]]]])", R"(["run",[9999999,0]])"})
    EXPECT_THROW(static_cast<void>(read_step<Wide>(nlohmann::json::parse(text))), Rejected) << text;
}

}  // namespace kernel_goals_test
}  // namespace vl::kernel::tests
