// Proofs about loop nests: for each condition one that would be taken without it, of a statement that is false.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/kernel/claims/moves.h"
#include "verifier/kernel/reader/map_text.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::kernel::tests {
namespace kernel_moves_test {

Steps steps_of(const std::string& text) {
  Steps out;
  for (const nlohmann::json& one : nlohmann::json::parse(text)) out.push_back(read_step<Wide>(one));
  return out;
}

Layout layout_of(const std::string& map, const std::string& physical, std::size_t logical = 1) {
  Layout out;
  out.map = parse_map(map), out.physical = parse_space(physical), out.logical = logical;
  return out;
}

// Loops of these extents; the slot that is read, and the one that is written: an offset and strides.
Nest nest_of(std::vector<Wide> extents, const std::vector<Wide>& read, const std::vector<Wide>& written) {
  Nest out{{{}, std::move(extents)}, {}};
  for (const int side : {0, 1}) {
    const std::vector<Wide>& walk = side == 0 ? read : written;
    out.slots[side].constant = walk[0];
    for (std::size_t k = 1; k < walk.size(); ++k) out.slots[side].terms.emplace_back(k - 1, walk[k]);
  }
  return out;
}

enum class Goal { Inside, Apart, Once, Implement };

/// Why steps show nothing; empty if they show the goal.
std::string objection(Goal goal, const Layout& from, const Layout& to, const std::vector<Nest>& nests,
                      const Steps& steps) {
  try {
    const Moves moves(from, to, nests);
    switch (goal) {
      case Goal::Inside: moves.inside(steps); break;
      case Goal::Apart: moves.apart(steps); break;
      case Goal::Once: moves.once(steps); break;
      case Goal::Implement: moves.implement(steps); break;
    }
    return "";
  } catch (const Rejected& why) {
    return why.what();
  }
}

const Layout kRow = layout_of("(x0:4) -> affine(x0)", "(d0:4)");
const Nest kCopy = nest_of({4}, {0, 1}, {0, 1});
const char* const kProof = R"([["keys",1],["run",0],["large",0,0],["moves",0,1]])";

std::string of_row(Goal goal, const std::vector<Nest>& nests, const std::string& steps) {
  return objection(goal, kRow, kRow, nests, steps_of(steps));
}

TEST(KernelMoves, ACopyIsOneCell) {
  EXPECT_EQ(of_row(Goal::Inside, {kCopy}, R"([["inside"]])"), "");
  EXPECT_EQ(of_row(Goal::Apart, {kCopy}, R"([["keys",1],["run",0],["large",0,0],["serves"]])"), "");
  for (const Goal goal : {Goal::Once, Goal::Implement}) {
    EXPECT_EQ(of_row(goal, {kCopy}, kProof), "");
    EXPECT_EQ(of_row(goal, {kCopy}, R"([["sweep"]])"), "");
  }
  EXPECT_EQ(of_row(Goal::Implement, {kCopy}, R"([["keys",0],["run",0],["large",0,0],["moves",0,1]])"), "");
}

TEST(KernelMoves, WithoutAMoveNothingIsShown) {
  for (const Goal goal : {Goal::Inside, Goal::Apart, Goal::Once, Goal::Implement})
    for (const char* steps : {"[]", R"([["keys",1]])", R"([["sweep"]])"}) EXPECT_NE(of_row(goal, {}, steps), "");
}

TEST(KernelMoves, OfElementsThatDoNotExistOrLieElsewhereServeNothing) {
  const std::vector<Nest> beyond{nest_of({4}, {1, 1}, {1, 1})};
  EXPECT_EQ(of_row(Goal::Inside, beyond, R"([["inside"]])"), "a move that may leave");
  EXPECT_EQ(of_row(Goal::Once, beyond, R"([["keys",1],["run",0],["large",0,0],["moves",1,1]])"),
            "an element that may not exist");
  const Layout short_row = layout_of("(x0:4) -> affine(x0)", "(d0:3)");
  EXPECT_EQ(objection(Goal::Once, kRow, short_row, {kCopy}, steps_of(kProof)), "an element without a slot");
  const std::vector<Nest> read_elsewhere{nest_of({4}, {3, -1}, {0, 1})},
      written_elsewhere{nest_of({4}, {0, 1}, {3, -1})};
  EXPECT_EQ(of_row(Goal::Implement, read_elsewhere, kProof), "a move to or from another slot");
  EXPECT_EQ(of_row(Goal::Once, read_elsewhere, kProof), "");  // whatever is read
  EXPECT_EQ(of_row(Goal::Once, written_elsewhere, kProof), "a move to or from another slot");
}

TEST(KernelMoves, ThatMayMeetServeNothing) {
  const std::string twice = R"([["keys",1],["run",0],["large",0,0],["serves"],["run",0],["large",0,0],["serves"]])";
  EXPECT_EQ(of_row(Goal::Apart, {kCopy, kCopy}, twice), "two cells that may share slots");
  const std::string idle = R"([["keys",1],["run",0],["large",0,0],["moves",0,1],["run",0],["idle"]])";
  EXPECT_EQ(of_row(Goal::Once, {kCopy, kCopy}, idle), "two cells that may share slots");
  EXPECT_EQ(of_row(Goal::Once, {kCopy, nest_of({2}, {0, 1}, {4, 1})}, idle), "");  // into what holds no element
  EXPECT_NE(of_row(Goal::Implement, {kCopy, nest_of({2}, {0, 1}, {4, 1})}, idle), "");
  EXPECT_EQ(of_row(Goal::Apart, {nest_of({4}, {0, 1}, {0, 0})}, R"([["keys",1],["run",0],["serves"]])"),
            "two points may have the same place");
  // A range that is not shown would tell the two nests apart.
  EXPECT_EQ(
      of_row(Goal::Apart, {kCopy, nest_of({4}, {0, 1}, {2, 1})},
             R"([["keys",1],["run",0],["large",0,0],["range",0,0,1],["serves"],["run",0],["large",0,0],["serves"]])"),
      "a span that is not shown");
}

TEST(KernelMoves, AreToldApartByWhatIsReadOnlyWithoutReplicas) {
  const Layout copies = layout_of("(x0:4, r0:2) -> affine(4*x1 + x0)", "(d0:8)");
  const std::vector<Nest> half{nest_of({4, 2}, {0, 1, 4}, {0, 1, 0})};  // each slot of the row is written twice
  const std::string by_read = R"([["keys",0],["run",0],["large",0,1],["large",0,0],["moves",0,1,0,0,0,1]])";
  EXPECT_EQ(objection(Goal::Implement, copies, kRow, half, steps_of(by_read)), "moves told apart by nothing");
  EXPECT_EQ(of_row(Goal::Once, {kCopy}, R"([["keys",0],["run",0],["large",0,0],["moves",0,1]])"),
            "moves told apart by nothing");
}

TEST(KernelMoves, ThatAreTooFewServeNotAll) {
  const std::vector<Nest> three{nest_of({3}, {0, 1}, {0, 1})};
  EXPECT_EQ(of_row(Goal::Once, three, kProof), "elements that no move serves");
  // 3 in blocks of 2, of which the last one is cut: its second part has no point, and would count as the fourth move.
  EXPECT_EQ(of_row(Goal::Once, three,
                   R"([["keys",1],["block",0,2],["cut",0,1],["run",0],["large",0,1],["moves",0,0,1],["cut",1,1],)"
                   R"(["run",0],["moves",2,0,0],["run",0],["moves",3,0,0]])"),
            "a count of a cell that may have no point");
  // The second input is read by the source alone: its elements need moves too.
  const Layout wide = layout_of("(x0:4, x1:2) -> affine(2*x0 + x1)", "(d0:8)", 2);
  const Layout narrow = layout_of("(x0:4, x1:2) -> affine(x0)", "(d0:4)", 2);
  EXPECT_EQ(objection(Goal::Implement, wide, narrow, {nest_of({4}, {0, 2}, {0, 1})},
                      steps_of(R"([["keys",1],["run",0],["large",0,0],["moves",0,1,0,0]])")),
            "elements that no move serves");
}

TEST(KernelMoves, ALookAtEveryMoveAsksTheSame) {
  const std::string sweep = R"([["sweep"]])";
  const std::vector<Nest> three{nest_of({3}, {0, 1}, {0, 1})}, more{kCopy, nest_of({1}, {0, 1}, {4, 1})};
  EXPECT_EQ(of_row(Goal::Inside, more, sweep), "a move that leaves");
  EXPECT_EQ(of_row(Goal::Apart, {kCopy, kCopy}, sweep), "a slot that is written twice");
  EXPECT_EQ(of_row(Goal::Once, three, sweep), "an element that is not moved once");
  EXPECT_EQ(of_row(Goal::Once, {kCopy, kCopy}, sweep), "an element that is not moved once");
  EXPECT_EQ(of_row(Goal::Once, more, sweep), "");
  EXPECT_EQ(of_row(Goal::Implement, more, sweep), "a move of no element");
  const Layout short_row = layout_of("(x0:4) -> affine(x0)", "(d0:3)"),
               none = layout_of("(x0:0) -> affine(x0)", "(d0:4)");
  EXPECT_EQ(objection(Goal::Once, kRow, short_row, three, steps_of(sweep)), "an element without a slot");
  EXPECT_EQ(objection(Goal::Once, none, none, {kCopy}, steps_of(sweep)), "the claim says nothing: there is no element");
}

TEST(KernelMoves, NameAsManyNumbersAsAnElementHas) {
  for (const char* numbers : {"", ",0", ",0,1,0", ",0,1,0,0"})
    EXPECT_EQ(of_row(Goal::Once, {kCopy}, fmt::format(R"([["keys",1],["run",0],["large",0,0],["moves"{}]])", numbers)),
              "an element of another tensor, or of other atoms");
}

TEST(KernelMoves, OfManyCellsAndLongLinesCount) {
  Steps idle{{"keys", {1}}};
  for (int k = 0; k < 2000; ++k) idle.insert(idle.end(), {{"cut", {0, 1}}, {"run", {0}}, {"idle"}});
  {
    const Metered metered(1'500'000);  // each looks at those before: 2,000,000
    EXPECT_THROW(Moves(kRow, kRow, {nest_of({4000}, {0, 1}, {8, 1})}).once(idle), OverBudget);
  }
  Steps cuts{{"keys", {1}}, {"digits", std::vector<Wide>(1000, 1)}, {"run", {0}}};
  for (int k = 0; k < 100; ++k) cuts.push_back({"cut", {0, 3999 - k}});
  const Metered metered(200'000'000, 6 << 20);  // 100 copies of 1,001 lines: 64 bytes each at least
  EXPECT_THROW(Moves(kRow, kRow, {nest_of({4000}, {0, 1}, {8, 1})}).once(cuts), OverBudget);
}

}  // namespace kernel_moves_test
}  // namespace vl::kernel::tests
