// The engine propositional: its clauses against evaluation, at every point; and refutations of clauses that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/engines/engine.h"
#include "verifier/engines/solvers/propositional.h"

namespace vl {
namespace engines_propositional_campaign {

namespace checker = checker;
using engines::PropositionalAnswer;
using engines::clauses::Obligation;
using rup::Clauses;
using rup::Word;

// All assignments that satisfy some clauses, by trying both values of one variable after the other.
class Models {
 public:
  explicit Models(const Clauses& made)
      : clauses_(made.clauses), value_(static_cast<std::size_t>(made.variables) + 1), in_(2 * value_.size()) {
    for (std::size_t c = 0; c < clauses_.size(); ++c)
      for (const int literal : clauses_[c]) in_[slot(literal)].push_back(c);
  }

  template <class Visit>
  void for_each(const Visit& visit) {
    bool holds = true;
    for (const Word& clause : clauses_) holds = holds && !clause.empty() && (clause.size() > 1 || set(clause[0]));
    if (holds) branch(1, visit);
  }
  [[nodiscard]] Index number(const rup::Number& number) const {
    Index out = number.low.narrow();
    for (std::size_t k = 0; k < number.bits.size(); ++k)
      if (value(number.bits[k]) > 0) out += Index{1} << k;
    return out;
  }

 private:
  static std::size_t slot(int literal) {
    return static_cast<std::size_t>(2 * std::abs(literal) + (literal < 0 ? 1 : 0));
  }
  [[nodiscard]] int value(int literal) const {
    const int v = value_[static_cast<std::size_t>(std::abs(literal))];
    return literal < 0 ? -v : v;
  }

  // False: a contradiction.
  bool set(int literal) {
    if (value(literal) != 0) return value(literal) > 0;
    value_[static_cast<std::size_t>(std::abs(literal))] = literal < 0 ? -1 : 1;
    trail_.push_back(literal);
    for (std::size_t next = trail_.size() - 1; next < trail_.size(); ++next)
      for (const std::size_t c : in_[slot(-trail_[next])]) {
        int open = 0, last = 0;
        for (const int other : clauses_[c]) {
          if (value(other) == 0) ++open, last = other;
          if (value(other) > 0) open = 2;  // satisfied: nothing follows
          if (open > 1) break;
        }
        if (open > 1) continue;
        if (open == 0) return false;
        value_[static_cast<std::size_t>(std::abs(last))] = last < 0 ? -1 : 1;
        trail_.push_back(last);
      }
    return true;
  }

  template <class Visit>
  void branch(std::size_t variable, const Visit& visit) {
    while (variable < value_.size() && value_[variable] != 0) ++variable;
    if (variable == value_.size()) return visit(*this);
    const std::size_t mark = trail_.size();
    for (const int literal : {-static_cast<int>(variable), static_cast<int>(variable)}) {
      if (set(literal)) branch(variable + 1, visit);
      for (; trail_.size() > mark; trail_.pop_back()) value_[static_cast<std::size_t>(std::abs(trail_.back()))] = 0;
    }
  }

  const std::vector<Word>& clauses_;
  std::vector<signed char> value_;
  std::vector<std::vector<std::size_t>> in_;
  std::vector<int> trail_;
};

checker::Layout layout_of(const std::string& map, const std::string& physical, const std::string& decode = "") {
  checker::Layout layout;
  layout.map = checker::parse_map(map);
  layout.logical = layout.map.domain.rank();
  layout.physical = checker::parse_space(physical);
  if (!decode.empty()) layout.decode = checker::parse_map(decode);
  return layout;
}

// Every model of a map's clauses is a point with its outcome, and each point is in one model. Returns the number of
// points. A law of RapidCheck.
Index check_models(const map::Map& map) {
  checker::Layout layout;
  layout.map = checker::parse_map(map::print(map));
  checker::Space nowhere;  // no outcome lies in it, so that Escapes holds at each point
  nowhere.extents.assign(map.outputs(), 0);
  const Clauses made = engines::clauses::encode({Obligation::Escapes, &layout, nullptr, &nowhere});
  Index seen = 0;
  Models(made).for_each([&](const Models& model) {
    Point point, outcome;
    for (const rup::Number& number : made.points[0]) point.push_back(model.number(number));
    for (const rup::Number& number : made.points[1]) outcome.push_back(model.number(number));
    RC_ASSERT(map.domain().contains(point));
    RC_ASSERT(outcome == test::naive(map, point));
    ++seen;
  });
  RC_ASSERT(seen == map.domain().volume());
  return seen;
}

TEST(Bitblasting, EachOperationAgreesWithEvaluationOnAllInputsOfSixteenBits) {
  const std::string large = "(x:65536)", small = "(x:4096)";
  for (const std::string& text : {
           large + " -> affine(37*x0 - 1000)",
           small + " -> affine(-5*x0 + 7)",
           std::string("(x:61, y:67) -> affine(72*x0 + x1, 3*x0 - 11*x1, -x0 - x1)"),
           small + " -> split(0; 64, 1)",
           large + " -> split(0; 12288, 1)",
           small + " -> split(0; 7, 1)",
           small + " -> affine(x0 - 3000) -> split(0; 600, 100, 24, 1)",
           large + " -> swizzle(0; 3, 3, 3, down)",
           small + " -> swizzle(0; 2, 5, 3, up)",
           small + " -> affine(x0 + 77) -> swizzle(0; 0, 6, 2, down)",
       }) {
    test::for_all(1, [&] { RC_ASSERT(check_models(*map::parse(text)) > 4000); });
  }
}

TEST(Bitblasting, RandomMapsAgreeWithEvaluationAtEveryPoint) {
  Index points = 0, maps = 0;
  test::for_all(400, [&] {
    const map::Map map = *test::maps({.volume = 200, .least_extent = 1});
    if (map.outputs() == 0) return;
    points += check_models(map);
    ++maps;
  });
  EXPECT_GT(maps, 300);
  EXPECT_GT(points, 5000);
}

TEST(Propositional, AgreesWithTheWalkOnRandomLayouts) {
  using question::Kind;
  test::Engine engine(7);
  std::map<Kind, int> none, found;
  for (int i = 0; i < 300; ++i) {
    const map::Map map = test::random_map(engine, {.rank = 3, .volume = 150, .least_extent = 1});
    if (map.outputs() == 0) continue;
    std::vector<Index> extents;
    for (const map::Range& range : map.ranges(map.stages().size()))
      extents.push_back(std::max<Index>(1, range.high + 1 - test::roll(engine, 0, 9) / 8));
    map::LayoutParts parts;
    parts.logical = map.domain();
    parts.physical = *map::Space::create(map::Space::dims("p", extents));
    parts.map = map.stages();
    if (parts.physical.volume() > 1 << 20) continue;
    map::LayoutParts changed = parts;
    if (!changed.map.empty() && test::roll(engine, 0, 1) == 0)
      if (auto* affine = std::get_if<map::Affine>(&changed.map.back()); affine != nullptr && !affine->rows.empty())
        affine->rows[0].constant += 1;
    const auto layout = map::Layout::create(parts), other = map::Layout::create(changed);
    ASSERT_TRUE(layout.has_value() && other.has_value());
    for (const Kind kind : {Kind::Escapes, Kind::Collides, Kind::Differs}) {
      const question::Question question{kind, &*layout, kind == Kind::Differs ? &*other : nullptr};
      const engines::Answer answer = engines::decide_propositional(question, {}),
                            walk = engines::decide_enumerate(question, {});
      if (std::holds_alternative<engines::Abstained>(answer)) continue;
      ASSERT_EQ(answer.index(), walk.index())
          << map::print(map) << " " << question::name(kind) << engines::describe(answer);
      if (const auto* point = std::get_if<engines::Found>(&answer)) {
        EXPECT_TRUE(question::replay(question, point->witness));
      }
      ++(std::holds_alternative<engines::Found>(answer) ? found : none)[kind];
    }
  }
  for (const Kind kind : {Kind::Escapes, Kind::Collides, Kind::Differs}) {
    EXPECT_GE(none[kind], 40) << question::name(kind);
    EXPECT_GE(found[kind], 15) << question::name(kind);
  }
}

struct Example {
  const char* name;
  checker::Layout layout;
  Obligation::Kind kind;
};

PropositionalAnswer solved(const checker::Layout& layout, Obligation::Kind kind) {
  return engines::solve_propositional({kind, &layout, nullptr, &layout.physical}, {.conflicts = 100'000});
}

void check(const checker::Layout& layout, Obligation::Kind kind, const std::string& proof) {
  const rup::Clauses made = engines::clauses::encode({kind, &layout, nullptr, &layout.physical});
  rup::check_refutation(made.variables, made.clauses, proof);
}

std::vector<Example> examples() {
  return {
      {"128-byte swizzle", layout_of("(x:262144) -> swizzle(0; 4, 3, 3, down)", "(a:262144)"), Obligation::Collides},
      {"digits 100,3,5,64", layout_of("(a:100,b:3,c:5,d:64) -> affine(960*x0 + 320*x1 + 64*x2 + x3)", "(a:96000)"),
       Obligation::Collides},
      {"digits 33,3,7,48", layout_of("(a:33,b:3,c:7,d:48) -> affine(1008*x0 + 336*x1 + 48*x2 + x3)", "(a:33264)"),
       Obligation::Collides},
      {"pitch 72, swizzled", layout_of("(r:64,c:64) -> affine(72*x0 + x1) -> swizzle(0; 3, 3, 3, down)", "(a:8192)"),
       Obligation::Collides},
      {"5x100x150 on sticks",
       layout_of("(a:5,b:100,c:150) -> affine(15000*x0 + 150*x1 + x2) -> split(0; 15000, 150, 64, 1)",
                 "(a:5,b:100,c:3,d:64)"),
       Obligation::Escapes},
      {"5x10x15 on sticks of 6",
       layout_of("(a:5,b:10,c:15) -> affine(150*x0 + 15*x1 + x2) -> split(0; 150, 15, 6, 1)", "(a:5,b:10,c:3,d:6)",
                 "(a:5,b:10,c:3,d:6) -> affine(150*x0 + 15*x1 + 6*x2 + x3) -> split(0; 150, 15, 1)"),
       Obligation::Misdecodes},
  };
}

TEST(Propositional, ProofsOfKnownObligationsAreAccepted) {
  for (const Example& example : examples()) {
    const PropositionalAnswer answer = solved(example.layout, example.kind);
    ASSERT_EQ(answer.outcome, PropositionalAnswer::Outcome::None) << example.name << answer.why;
    EXPECT_NO_THROW(check(example.layout, example.kind, answer.drat)) << example.name;
    std::printf("%s: %d variables, %zu clauses, %zu bytes of proof\n", example.name, answer.variables, answer.clauses,
                answer.drat.size());
  }
}

TEST(Propositional, ASatisfiableObligationGivesAWitnessThatReplays) {
  const checker::Layout layout = layout_of("(a:3,b:2) -> affine(2*x0 + 4*x1)", "(a:9)");
  const PropositionalAnswer answer = solved(layout, Obligation::Collides);
  ASSERT_EQ(answer.outcome, PropositionalAnswer::Outcome::Found);
  EXPECT_EQ(answer.points, (std::vector<Point>{{0, 1}, {2, 0}}));  // the one pair: 4
}

TEST(Propositional, AProofOfAnotherObligationIsRejected) {
  const checker::Layout layout = layout_of("(a:4,b:3,c:5) -> affine(3*x0 + 4*x1 + 12*x2)", "(a:66)");
  const PropositionalAnswer answer = solved(layout, Obligation::Collides);
  ASSERT_EQ(answer.outcome, PropositionalAnswer::Outcome::None);
  const std::string proof = answer.drat;
  EXPECT_NO_THROW(check(layout, Obligation::Collides, proof));
  EXPECT_THROW(check(layout, Obligation::Escapes, proof), checker::Rejected);
  EXPECT_THROW(check(layout_of("(a:4,b:3,c:5) -> affine(3*x0 + 4*x1 + 13*x2)", "(a:70)"), Obligation::Collides, proof),
               checker::Rejected);
  EXPECT_THROW(check(layout_of("(a:4,b:4,c:5) -> affine(3*x0 + 4*x1 + 12*x2)", "(a:70)"), Obligation::Collides, proof),
               checker::Rejected);
}

TEST(Propositional, WhatIsNoQuestionOfBitsIsUndecided) {
  const checker::Layout wide = layout_of("(a:4611686018427387904,b:2) -> affine(2*x0 + x1)", "(a:9)");
  const checker::Layout negative = layout_of("(a:4) -> affine(x0 - 1) -> swizzle(0; 0, 1, 1, down)", "(a:9)");
  const checker::Layout empty = layout_of("(a:0)", "(a:9)");
  for (const checker::Layout* layout : {&wide, &negative, &empty})
    EXPECT_EQ(solved(*layout, Obligation::Collides).outcome, PropositionalAnswer::Outcome::Undecided);
}

// (1 or 2) and (1 or not 2) and (not 1 or 3) and (not 1 or not 3)
const std::vector<Word> kContradiction = {{1, 2}, {1, -2}, {-1, 3}, {-1, -3}};

TEST(Refutation, NeedsEachClauseThatMatters) {
  EXPECT_NO_THROW(rup::check_refutation(3, kContradiction, "1 0\n0\n"));
  EXPECT_NO_THROW(rup::check_refutation(3, kContradiction, "-1 0 0"));
  EXPECT_THROW(rup::check_refutation(3, kContradiction, "0\n"), checker::Rejected);
  EXPECT_THROW(rup::check_refutation(3, kContradiction, "1 0\n"), checker::Rejected);  // does not end
  EXPECT_THROW(rup::check_refutation(3, kContradiction, ""), checker::Rejected);
  // All eight clauses over three variables: propagation alone needs three steps, and each of them.
  const std::vector<Word> cube = {{1, 2, 3},  {1, 2, -3},  {1, -2, 3},  {1, -2, -3},
                                  {-1, 2, 3}, {-1, 2, -3}, {-1, -2, 3}, {-1, -2, -3}};
  EXPECT_NO_THROW(rup::check_refutation(3, cube, "1 2 0\n1 0\n-1 2 0\n0\n"));
  for (const char* text : {"1 0\n-1 2 0\n0\n", "1 2 0\n-1 2 0\n0\n", "1 2 0\n1 0\n0\n", "0\n"})
    EXPECT_THROW(rup::check_refutation(3, cube, text), checker::Rejected) << text;
}

TEST(Refutation, RejectsWhatIsNoListOfClauses) {
  for (const char* text : {"1 0\n0\n1", "1 0\n0\n0\n", "1 0\nx\n0\n", "1 0\nd 1 2 0\n0\n", "4 0\n1 0\n0\n",
                           "-4 0\n1 0\n0\n", "1 0\n0\n\x01", "1 0 99999999999999999999 0 0", "-2147483648 0 1 0 0",
                           "1 0.0", "p cnf 3 4\n1 0\n0\n", "1 0\n0x0"})
    EXPECT_THROW(rup::check_refutation(3, kContradiction, text), checker::Rejected) << text;
}

// Nothing says anything of 4, so that adding 4 keeps satisfiability; but it does not follow.
TEST(Refutation, RejectsAClauseThatOnlyKeepsSatisfiability) {
  EXPECT_NO_THROW(rup::check_refutation(4, kContradiction, "1 4 0\n1 0\n0\n"));
  EXPECT_THROW(rup::check_refutation(4, kContradiction, "4 0\n1 0\n0\n"), checker::Rejected);
}

TEST(Refutation, RejectsEveryProofOfWhatIsSatisfiable) {
  EXPECT_THROW(rup::check_refutation(3, {{1, 2}, {1, -2}, {-1, 3}}, "1 0\n0\n"), checker::Rejected);
  EXPECT_THROW(rup::check_refutation(3, {}, "0\n"), checker::Rejected);
  EXPECT_NO_THROW(rup::check_refutation(1, {{}}, "0\n"));
  // The proof of an injective map against one that is not, with as many clauses.
  const checker::Layout good = layout_of("(a:4,b:3,c:5) -> affine(3*x0 + 4*x1 + 12*x2)", "(a:66)");
  const checker::Layout bad = layout_of("(a:4,b:3,c:5) -> affine(3*x0 + 6*x1 + 12*x2)", "(a:66)");
  const PropositionalAnswer answer = solved(good, Obligation::Collides);
  const Clauses made = engines::clauses::encode({Obligation::Collides, &bad, nullptr, &bad.physical});
  EXPECT_THROW(rup::check_refutation(std::max(made.variables, answer.variables), made.clauses, answer.drat),
               checker::Rejected);
}

TEST(Refutation, WithoutOneOfItsLinesAProofIsRejectedOrStillOne) {
  const Example example = examples()[3];
  const std::string drat = solved(example.layout, example.kind).drat;
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < drat.size();) {
    const std::size_t end = drat.find('\n', start) + 1;
    lines.push_back(drat.substr(start, end - start));
    start = end;
  }
  const Clauses made = engines::clauses::encode({example.kind, &example.layout, nullptr, &example.layout.physical});
  const auto accepted = [&](const std::vector<std::string>& some) {
    std::string text;
    for (const std::string& line : some) text += line;
    try {
      rup::check_refutation(made.variables, made.clauses, text);
      return true;
    } catch (const checker::Rejected&) {
      return false;
    }
  };
  ASSERT_GT(lines.size(), 100U);
  EXPECT_TRUE(accepted(lines));
  for (std::size_t kept = 0; kept < lines.size(); kept += lines.size() / 20)
    EXPECT_FALSE(accepted({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(kept)})) << kept;
  int rejected = 0;
  for (std::size_t dropped = 0; dropped < lines.size(); dropped += lines.size() / 40) {
    std::vector<std::string> some = lines;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(dropped));
    if (!accepted(some)) ++rejected;
  }
  EXPECT_GT(rejected, 0);
}

}  // namespace engines_propositional_campaign
}  // namespace vl
