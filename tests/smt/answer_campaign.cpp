// Solvers as programs: the only texts that count as an answer, and each reason for having none. The programs are the
// real ones if they can be made to behave so, else scripts in their place.
#include "encodings/smt/answer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "encodings/map/text.h"
#include "tests/smt/obligations.h"
#include "tests/support/process.h"

namespace vl::smt {
namespace smt_answer_campaign {

using Why = Undecided::Why;
using Values = std::vector<Index>;

Why why(const Outcome& outcome) {
  const auto* undecided = std::get_if<Undecided>(&outcome);
  EXPECT_NE(undecided, nullptr) << print(outcome);
  return undecided != nullptr ? undecided->why : Why::Incomplete;
}

/// A program that stands in for a solver: it reads its script and runs these commands.
class Impostor {
 public:
  explicit Impostor(const std::string& commands) : path_(folder_.file("solver", "#!/bin/sh\n" + commands + "\n")) {
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] Budget budget() const {
    Budget budget;
    budget.worker = budget.cvc5 = path_;
    return budget;
  }
  [[nodiscard]] Outcome as_worker(std::size_t count = 1) const { return ask_worker("(check-sat)\n", count, budget()); }
  [[nodiscard]] Outcome as_cvc5(std::size_t count = 1) const { return ask_cvc5("(check-sat)\n", count, budget()); }

 private:
  test::Folder folder_;
  std::string path_;
};

Budget real() {
  Budget budget;
  budget.worker = test::program("verify-layout");
  return budget;
}

TEST(Values, AreReadInBothTheoriesAndTheirOrder) {
  EXPECT_EQ(parse_values("((v0 7) (v1 (- 12)))\n", 2), (Values{7, -12}));
  EXPECT_EQ(parse_values("((v0 #b0111) (v1 #b1111) (v2 #b1000))\n", 3), (Values{7, -1, -8}));
  EXPECT_EQ(parse_values("((v0 9223372036854775807))", 1), (Values{9223372036854775807}));
  const std::string wide(100, '1');
  EXPECT_EQ(parse_values("((v0 #b" + wide + "0))", 1), (Values{-2}));
  EXPECT_EQ(parse_values("((v0 #b" + std::string(100, '0') + "11))", 1), (Values{3}));
  EXPECT_EQ(parse_values("()", 0), Values{});
}

TEST(Values, AreRefusedWhenAnythingElseIsSaid) {
  for (const char* text : {"",
                           "(",
                           "()",
                           "((v0 7)",
                           "((v0 7)) x",
                           "((v1 7))",
                           "((v0 7) (v0 7))",
                           "((v0 7) (v1 8))",
                           "(v0 7)",
                           "((v0 -7))",
                           "((v0 +7))",
                           "((v0 (+ 7)))",
                           "((v0 (- 7))",
                           "((v0 (- (- 7))))",
                           "((v0 7.0))",
                           "((v0 x))",
                           "((v0 #b))",
                           "((v0 #b012))",
                           "((v0 #x0f))",
                           "((v0 9223372036854775808))",
                           "((v0 (- #b01)))",
                           "((v0 (_ bv5 8)))",
                           "((v0 ))",
                           "(error \"x\")",
                           "((v0 7))(error \"x\")"})
    EXPECT_EQ(parse_values(text, 1), std::nullopt) << text;
  EXPECT_EQ(parse_values("((v0 #b0" + std::string(64, '1') + "))", 1), std::nullopt);
}

TEST(WorkersAnswer, IsReadBackAsItWasWritten) {
  for (const Outcome& outcome : std::vector<Outcome>{
           Unsatisfiable{}, Satisfiable{{1, -2, 9223372036854775807}}, Satisfiable{}, Undecided{Why::Timeout, "a"},
           Undecided{Why::ResourceLimit, ""}, Undecided{Why::Memory, "b: c"}, Undecided{Why::Incomplete, "(d)"},
           Undecided{Why::SolverFault, "e"}, Undecided{Why::NotInstalled, "f"}, Undecided{Why::Interrupted, "g"}}) {
    const auto* found = std::get_if<Satisfiable>(&outcome);
    const Outcome again = parse_outcome(print(outcome), found != nullptr ? found->values.size() : 0);
    EXPECT_EQ(again.index(), outcome.index());
    EXPECT_EQ(print(again), print(outcome));
  }
  EXPECT_EQ(print(parse_outcome(print(Undecided{Why::Incomplete, "two\nlines"}), 0)),
            "unknown\nincomplete: two lines\n");
}

TEST(WorkersAnswer, IsAFaultWhenItIsNotExactlyOne) {
  for (const char* text : {"", "unsat", "unsat\n\n", " unsat\n", "unsat\nunsat\n", "unsat\n(error \"x\")\n",
                           "(error \"x\")\nunsat\n", "UNSAT\n", "sat\n", "sat", "sat\n()\n", "unknown\n",
                           "unknown\nnonsense: x\n", "unknown\ntimeout\n", "unknown\ntimeout: x\nunsat\n", "timeout\n"})
    EXPECT_EQ(why(parse_outcome(text, 1)), Why::SolverFault) << text;
}

// Status 0, nothing but an answer: else it is none.
TEST(Programs, AreNotBelievedWhenTheyFail) {
  for (const char* commands :
       {"echo unsat; exit 1", "echo '(error \"line 1\")'; echo unsat", "echo unsat; echo '(error \"late\")'",
        "echo unsat; kill -SEGV $$", "echo unsat; echo warning >&2", "true", "echo sat", "echo sat; echo '((v1 1))'",
        "echo sat; echo '((v0 1))'; echo trailing", "echo unsupported; echo unsat", "printf unsat", "echo unknown"}) {
    const Impostor impostor(commands);
    EXPECT_EQ(why(impostor.as_worker()), Why::SolverFault) << commands;
    EXPECT_EQ(why(impostor.as_cvc5()), Why::SolverFault) << commands;
  }
}

TEST(Programs, AreBelievedWhenTheyAnswer) {
  const Impostor proves("echo unsat");
  EXPECT_TRUE(std::holds_alternative<Unsatisfiable>(proves.as_worker()));
  EXPECT_TRUE(std::holds_alternative<Unsatisfiable>(proves.as_cvc5()));
  const Impostor finds("echo sat; echo '((v0 (- 3)))'");
  for (const Outcome& outcome : {finds.as_worker(), finds.as_cvc5()}) {
    ASSERT_TRUE(std::holds_alternative<Satisfiable>(outcome));
    EXPECT_EQ(std::get<Satisfiable>(outcome).values, (Values{-3}));
  }
}

// cvc5 says what it took; its own word for the reason is not read.
TEST(Cvc5, RanOutOfItsUnitsOrGaveUpByWhatItSaysItTook) {
  const auto said = [](std::string_view used) {
    return "read x; echo unknown; echo '(:all-statistics ((\"a\" 0) (\"resource::resourceUnitsUsed\" " +
           std::string(used) + ") ))'";
  };
  EXPECT_EQ(why(Impostor(said("4000000")).as_cvc5()), Why::ResourceLimit);
  EXPECT_EQ(why(Impostor(said("3999999")).as_cvc5()), Why::Incomplete);
  EXPECT_EQ(why(Impostor(said("many")).as_cvc5()), Why::SolverFault);
  EXPECT_EQ(why(Impostor("read x; echo unknown; echo '(:all-statistics ((\"a\" 0)))'").as_cvc5()), Why::SolverFault);
}

TEST(ChildBudgets, OfUnitsEndInResourceLimitInChildren) {
  Budget budget = real();
  budget.rlimit = 20'000;
  std::atomic<bool> spent{false};
  budget.spent = &spent;
  EXPECT_EQ(why(noted(ask_worker(to_smtlib(hard()), 36, budget), budget)), Why::ResourceLimit);
  EXPECT_TRUE(spent);
  EXPECT_EQ(why(ask_cvc5(to_smtlib(hard()), 36, budget)), Why::ResourceLimit);
}

TEST(ChildBudgets, OfTimeEndInTimeoutInChildren) {
  Budget budget = real();
  budget.rlimit = 4'000'000'000;
  budget.wall = std::chrono::milliseconds(100);
  EXPECT_EQ(why(ask_worker(to_smtlib(hard()), 36, budget)), Why::Timeout);
  EXPECT_EQ(why(ask_cvc5(to_smtlib(hard()), 36, budget)), Why::Timeout);
}

TEST(ChildBudgets, OfMemoryEndInMemory) {
  Budget budget = real();
  budget.rlimit = 4'000'000'000;
  budget.memory_mib = 1;  // less than a program takes to start
  EXPECT_EQ(why(ask_worker(to_smtlib(hard()), 36, budget)), Why::Memory);
  EXPECT_EQ(why(ask_cvc5(to_smtlib(hard()), 36, budget)), Why::Memory);
}

TEST(Z3, GivesUpByItself) {
  const std::string script =
      "(set-logic QF_UFLIA)\n(declare-fun f (Int) Int)\n(declare-fun v0 () Int)\n(assert (= v0 (f v0)))\n(check-sat)\n";
  EXPECT_EQ(why(ask_worker(script, 1, real())), Why::Incomplete);
}

TEST(Z3, FaultsOnATextThatItCannotRead) {
  for (const char* script : {"(assert (= v0 1))\n(check-sat)\n", "(assert", "(declare-fun v0 () Bool)\n(assert v0)\n"})
    EXPECT_EQ(why(ask_worker(script, 1, real())), Why::SolverFault) << script;
}

TEST(Solvers, ThatAreNotThereAreSaidToBe) {
  Budget budget = real();
  budget.cvc5 = "no-such-program-anywhere";
  EXPECT_EQ(why(ask_cvc5("(check-sat)\n", 0, budget)), Why::NotInstalled);
  EXPECT_EQ(cvc5_version(budget), std::nullopt);
  budget.worker = "/no/such/program";
  EXPECT_EQ(why(ask_worker("(check-sat)\n", 0, budget)), Why::SolverFault);
}

TEST(Solvers, AreNotAskedAfterAnInterrupt) {
  const std::atomic<bool> stop{true};
  Budget budget = real();
  budget.stop = &stop;
  const Obligation nothing;
  for (Solve* solver : {solve, solve_otherwise, solve_with_cvc5})
    EXPECT_EQ(why(solver(nothing, budget, Theory::Automatic)), Why::Interrupted);
}

// Every way to ask says what brute force says.
TEST(Solvers, AgreeWithBruteForceInEveryWay) {
  test::Engine engine(51);
  std::size_t sat = 0;
  std::size_t unsat = 0;
  struct Way {
    Solve* solver;
    Budget budget;
    Theory theory;
  };
  std::vector<Way> ways;
  for (const Theory theory : {Theory::Automatic, Theory::BitVectors}) {
    ways.push_back({solve, real(), theory});
    ways.push_back({solve_otherwise, real(), theory});
    ways.push_back({solve_otherwise, Budget{}, theory});
    ways.push_back({solve_with_cvc5, real(), theory});
  }
  for (int n = 0; n < 8; ++n) {
    map::Map f = test::random_map(engine, {.rank = 3, .volume = 30, .least_extent = 2, .stages = 2});
    if (n % 2 == 0 && f.outputs() > 0) {  // the first output alone, in steps of 64, collides
      std::vector<map::Stage> stages = f.stages();
      stages.push_back(map::Affine{{map::pick(0)}});
      stages.push_back(map::Split{0, {64, 1}});
      stages.push_back(map::Affine{{map::pick(0)}});
      f = *map::Map::create(f.domain(), std::move(stages));
    }
    const bool expected = collides(f);
    const Obligation obligation = collision(f);
    for (const Way& way : ways) {
      const Outcome outcome = way.solver(obligation, way.budget, way.theory);
      ASSERT_EQ(answer(outcome), expected ? "sat" : "unsat") << print(f);
      const auto* found = std::get_if<Satisfiable>(&outcome);
      if (found == nullptr) continue;
      const auto middle = found->values.begin() + static_cast<std::ptrdiff_t>(f.domain().rank());
      const Point x(found->values.begin(), middle);
      const Point y(middle, found->values.end());
      ASSERT_NE(x, y);
      ASSERT_EQ(test::naive(f, x), test::naive(f, y)) << print(f);
    }
    ++(expected ? sat : unsat);
  }
  EXPECT_GE(sat, 2U);
  EXPECT_GE(unsat, 2U);
}

TEST(Worker, TakesTheSameUnitsEveryTime) {
  const auto f = *map::parse("(x:7, y:50) -> affine(51*x0 + 7*x1) -> split(0; 6, 4, 1)");
  Budget budget = real();
  const auto decides = [&](std::uint64_t units) {
    budget.rlimit = units;
    return !std::holds_alternative<Undecided>(solve(collision(f), budget));
  };
  std::uint64_t low = 1;
  std::uint64_t high = 20'000'000;
  ASSERT_TRUE(decides(high));
  while (high - low > high / 4) (decides((low + high) / 2) ? high : low) = (low + high) / 2;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(decides(high));
    EXPECT_FALSE(decides(low));
  }
}

}  // namespace smt_answer_campaign
}  // namespace vl::smt
