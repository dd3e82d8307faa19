// Each rule of certificates alone keeps the pairs. This is shown by counting, on all cells of up to two variables and
// many of up to four, and by a solver for all numbers, from the rules' laws, which this file states again.
#include <gtest/gtest.h>

#include <bit>

#include "oracle/plan/check_form.h"
#include "oracle/plan/check_sides.h"
#include "tests/plan/plans.h"
#include "tests/support/maps.h"
#include "tests/support/process.h"

namespace vl::test {
namespace plan_rules_campaign {

using oracle::checker::Cells;
using oracle::checker::Form;
using Values = std::map<std::vector<Index>, int>;  // what the lines are at the points, and at how many

/// A cell with one line on either side.
struct Box {
  std::vector<Index> extents;
  std::array<Index, 2> constants{};
  std::array<std::vector<Index>, 2> coefficients;

  void put(Cells& cells) const {
    cells.clear();
    cells.variables = extents.size();
    std::ranges::copy(extents, cells.extents.begin());
    for (std::size_t side = 0; side < 2; ++side) {
      cells.lines(side).count = 1;
      cells.lines(side).constants[0] = constants[side];
      std::ranges::copy(coefficients[side], cells.lines(side).coefficients[0].begin());
    }
  }
};

/// Adds the lines of the cell on top at each of its points.
void add_values(const Cells& cells, Values& values) {
  const map::Space box = *map::Space::create(map::Space::dims(
      "v",
      std::vector<Index>(cells.extents.begin(), cells.extents.begin() + static_cast<std::ptrdiff_t>(cells.variables))));
  Point v(box.rank(), 0);
  do {
    std::vector<Index> at;
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < cells.lines(side).count; ++i) {
        at.push_back(cells.lines(side).constants[i]);
        for (std::size_t k = 0; k < v.size(); ++k) at.back() += cells.lines(side).coefficients[i][k] * v[k];
      }
    ++values[at];
  } while (map::advance(box, v));
}

/// Values before and after a rewrite, of all cells that it leaves. Counts how often it was done.
void expect_kept(const Box& box, const Rewrite& rewrite, Cells& cells, int& done) {
  box.put(cells);
  Values before;
  add_values(cells, before);
  if (cells.rewrite(rewrite)) return;
  ++done;
  Values after;
  bool more = true;
  while (more) {
    for (std::size_t k = 0; k < cells.variables; ++k) ASSERT_GE(cells.extents[k], 1);
    add_values(cells, after);
    more = cells.next();
  }
  ASSERT_EQ(before, after) << "rule " << static_cast<int>(rewrite.rule) << " a " << int{rewrite.a} << " b "
                           << int{rewrite.b} << " n " << rewrite.n;
}

void expect_all_rules_kept(const Box& box, Cells& cells, std::array<int, 6>& done) {
  const auto rank = static_cast<std::uint8_t>(box.extents.size());
  for (std::uint8_t a = 0; a <= rank; ++a) {
    for (const Rule rule : {Rule::Fix, Rule::Drop, Rule::Reverse})
      expect_kept(box, {rule, a}, cells, done[static_cast<std::size_t>(rule)]);
    for (Index n = -1; n <= 5; ++n)
      for (const Rule rule : {Rule::Cut, Rule::Block})
        expect_kept(box, {rule, a, 0, n}, cells, done[static_cast<std::size_t>(rule)]);
    for (std::uint8_t b = 0; b <= rank; ++b)
      expect_kept(box, {Rule::Fuse, a, b}, cells, done[static_cast<std::size_t>(Rule::Fuse)]);
  }
}

TEST(Rules, OfVariablesKeepTheValuesOfAllLines) {
  static Cells cells;
  std::array<int, 6> done{};
  // All boxes of one or two variables, strides up to 16 on the one side; the other has two that no rule may confuse.
  for (Index e0 = 1; e0 <= 4; ++e0)
    for (Index c0 = -16; c0 <= 16; ++c0) {
      expect_all_rules_kept({{e0}, {7, -3}, {{{c0}, {5}}}}, cells, done);
      for (Index e1 = 1; e1 <= 4; ++e1)
        for (Index c1 = 0; c1 <= 4; ++c1)
          expect_all_rules_kept({{e0, e1}, {c0, 1}, {{{c0, c1}, {e1 * 9, 9}}}}, cells, done);
    }
  Engine engine(20261122);
  for (int n = 0; n < 1500; ++n) {
    Box box{{}, {roll(engine, -20, 20), roll(engine, -20, 20)}, {}};
    for (Index rank = roll(engine, 3, 4); rank > 0; --rank) {
      box.extents.push_back(roll(engine, 1, 4));
      for (auto& coefficients : box.coefficients) coefficients.push_back(roll(engine, -16, 16));
    }
    if (n % 2 == 0)  // two variables that fuse
      for (auto& coefficients : box.coefficients) coefficients[0] = coefficients[2] * box.extents[2];
    expect_all_rules_kept(box, cells, done);
  }
  for (const int count : done) EXPECT_GE(count, 500);
}

TEST(Rules, OfVariablesObjectWhenANumberLeaves64Bits) {
  static Cells cells;
  constexpr Index kHuge = Index{1} << 62;
  const Box steep{{4, 4}, {kHuge, 0}, {{{kHuge, 1}, {1, 1}}}};
  for (const Rewrite& rewrite :
       {Rewrite{Rule::Cut, 0, 0, 2}, {Rule::Block, 0, 0, 3}, {Rule::Fix, 0}, {Rule::Reverse, 0}}) {
    steep.put(cells);
    EXPECT_TRUE(cells.rewrite(rewrite)) << static_cast<int>(rewrite.rule);
  }
  Box{{kHuge, 4}, {0, 0}, {{{0, 0}, {0, 0}}}}.put(cells);
  EXPECT_TRUE(cells.rewrite({Rule::Fuse, 0, 1}));
  Box{{2}, {0, 0}, {{{std::numeric_limits<Index>::min()}, {0}}}}.put(cells);
  EXPECT_TRUE(cells.rewrite({Rule::Reverse, 0}));
}

// floor(line / w) and line mod w at every point, wherever the rule is accepted; and it is accepted often.
TEST(Rules, OfDigitsDivideAtEveryPoint) {
  static Cells cells;
  Engine engine(20261122);
  int done = 0;
  int refused = 0;
  for (int n = 0; n < 20000; ++n) {
    const Index w = roll(engine, 1, 16);
    map::LayoutParts parts;
    std::vector<Index> extents;
    std::vector<Index> coefficients;
    for (Index rank = roll(engine, 0, 4); rank > 0; --rank) {
      extents.push_back(roll(engine, 1, 4));
      coefficients.push_back(roll(engine, 0, 2) == 0 ? roll(engine, -16, 16)
                                                     : w * roll(engine, -2, 2) + roll(engine, 0, 1));
    }
    parts.logical = *map::Space::create(map::Space::dims("x", extents));
    parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{1, 1}));
    parts.map = {map::Affine{{map::dot(coefficients, roll(engine, -20, 20))}}, map::Split{0, {w, 1}}};
    const map::Layout layout = *map::Layout::create(parts);
    const Relation relation{{Side::Kind::Image, &layout}, {Side::Kind::Dense, &layout}};
    oracle::checker::Sides sides(relation, cells);
    bool more = false;
    ASSERT_FALSE(sides.sizes());
    ASSERT_FALSE(sides.start(more));
    ASSERT_TRUE(more);
    if (sides.rewrite(Rule::Digit)) {
      ++refused;
      continue;
    }
    ++done;
    Values said;
    Values expected;
    add_values(cells, said);
    Point x(extents.size(), 0);
    do {
      std::vector<Index> at = *map::evaluate(layout.map(), x);
      at.push_back(layout.logical().linear(x));
      ++expected[at];
    } while (map::advance(layout.logical(), x));
    ASSERT_EQ(said, expected);
  }
  EXPECT_GE(done, 3000);
  EXPECT_GE(refused, 3000);
}

TEST(Rules, OfSwizzlesHoldOfEveryNumber) {
  // Values stay below the bound, and a coordinate k bits up in a number is swizzled k bits further up.
  for (int base = 0; base <= 3; ++base)
    for (int bits = 0; bits <= 3; ++bits)
      for (int shift = 1; shift <= 3; ++shift)
        for (const bool up : {false, true}) {
          const map::Swizzle swizzle{0, base, bits, shift,
                                     up ? map::Swizzle::Direction::Up : map::Swizzle::Direction::Down};
          const auto at = [&](int k) {
            return oracle::ByteSwizzle{static_cast<std::uint8_t>(base + k), static_cast<std::uint8_t>(bits),
                                       static_cast<std::uint8_t>(shift), up};
          };
          Index most = 0;
          for (Index x = 0; x < 600; ++x) {
            most = std::max(most, map::apply(swizzle, x));
            ASSERT_LE(most, oracle::checker::bound_of(at(0), x)) << base << bits << shift << up << " " << x;
            const Index above = (x % 3) << (base + bits + shift + 2);
            ASSERT_EQ(apply(at(2), above + 4 * x + x % 4), above + 4 * map::apply(swizzle, x) + x % 4);
          }
        }
}

// Forms are equal exactly where the pairs are, each as often.
TEST(Forms, AreEqualExactlyWhenThePairsAre) {
  Engine engine(20261122);
  int same = 0;
  int other = 0;
  for (int n = 0; n < 60000; ++n) {
    std::array<Form, 2> forms;
    std::array<std::map<std::pair<Index, Index>, int>, 2> pairs;
    std::vector<Loop> loops;
    for (Index rank = roll(engine, 0, 3); rank > 0; --rank)
      loops.push_back({roll(engine, 1, 4), roll(engine, -2, 4), n % 3 == 0 ? 0 : roll(engine, -2, 6)});
    for (std::size_t k = 0; k < 2; ++k) {
      Index from = 100;
      Index to = 100;
      if (k == 1 && !loops.empty()) {  // the same in another way, or nearly so
        const auto at = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(loops.size()) - 1));
        std::swap(loops[0], loops[at]);
        if (loops[at].extent == 4 && roll(engine, 0, 1) == 0) {
          loops[at].extent = 2;
          loops.push_back({2, 2 * loops[at].source, 2 * loops[at].destination});
        }
        Loop& loop = loops[at];
        if (roll(engine, 0, 2) == 0) {
          from += loop.source * (loop.extent - 1);
          to += loop.destination * (loop.extent - 1);
          loop = {loop.extent, -loop.source, -loop.destination};
        }
        if (roll(engine, 0, 2) == 0) loops[0].destination += roll(engine, -1, 1);
        if (roll(engine, 0, 3) == 0) std::swap(loops[0].extent, loops[at].extent);
      }
      std::vector<Index> extents;
      forms[k].start(from, to);
      for (const Loop& loop : loops) {
        ASSERT_TRUE(forms[k].add(loop.extent, loop.source, loop.destination));
        extents.push_back(loop.extent);
      }
      forms[k].settle();
      const map::Space box = *map::Space::create(map::Space::dims("i", extents));
      Point i(box.rank(), 0);
      do {
        std::pair<Index, Index> at{from, to};
        for (std::size_t l = 0; l < loops.size(); ++l) {
          at.first += i[l] * loops[l].source;
          at.second += i[l] * loops[l].destination;
        }
        ++pairs[k][at];
      } while (map::advance(box, i));
    }
    const bool equal = pairs[0] == pairs[1];
    ASSERT_EQ(forms[0] == forms[1], equal) << n;
    ++(equal ? same : other);
  }
  EXPECT_GE(same, 10000);
  EXPECT_GE(other, 10000);
}

// The laws over all integers. In each, `law` follows from `given`; the solver is asked for a counterexample.
constexpr const char* kNumbers =
    "(declare-const e Int)(declare-const n Int)(declare-const q Int)(declare-const r Int)(declare-const v "
    "Int)(declare-const y Int)"
    "(declare-const z Int)(declare-const c Int)(declare-const k Int)(declare-const y2 Int)(declare-const z2 Int)";

struct Law {
  const char* name;
  const char* given;
  const char* law;
  const char* answer = "unsat";
};

constexpr Law kLaws[] = {
    {"a cut parts the values", "(and (< 0 n) (< n e))",
     "(= (and (<= 0 v) (< v e)) (xor (and (<= 0 v) (< v n)) (and (<= 0 (- v n)) (< (- v n) (- e n)))))"},
    {"the second part of a cut has the same line", "true", "(= (+ k (* c v)) (+ (+ k (* c n)) (* c (- v n))))"},
    {"a block parts the values", "(and (< 1 n) (< n e) (= e (+ (* n q) r)) (<= 0 r) (< r n) (<= 0 z) (< z n))",
     "(= (and (<= 0 (+ (* n y) z)) (< (+ (* n y) z) e))"
     "   (xor (and (<= 0 y) (< y (+ q 1)) (< z r)) (and (<= 0 y) (< y q) (<= r z))))"},
    {"a block has one pair a value",
     "(and (< 0 n) (<= 0 z) (< z n) (<= 0 z2) (< z2 n) (= (+ (* n y) z) (+ (* n y2) z2)))", "(and (= y y2) (= z z2))"},
    {"a block has the same line", "true", "(= (* c (+ (* n y) z)) (+ (* (* c n) y) (* c z)))"},
    {"a reversed variable has the same values", "true",
     "(= (and (<= 0 v) (< v e)) (and (<= 0 (- e 1 v)) (< (- e 1 v) e)))"},
    {"a reversed variable has the same line", "true", "(= (+ k (* c v)) (+ (+ k (* c (- e 1))) (* (- c) (- e 1 v))))"},
    {"fused variables have the values of both", "(and (< 0 e) (< 0 n) (<= 0 z) (< z n))",
     "(= (and (<= 0 y) (< y e)) (and (<= 0 (+ (* n y) z)) (< (+ (* n y) z) (* e n))))"},
    {"quotient and rest of a line", "(and (= k (+ (* n q) r)) (= c (+ (* n y) z)))",
     "(= (+ k (* c v)) (+ (* n (+ q (* y v))) (+ r (* z v))))"},
    {"a rest below the weight makes the quotient the digit", "(and (< 0 n) (= v (+ (* n q) r)) (<= 0 r) (< r n))",
     "(and (= q (div v n)) (= r (mod v n)))"},
    {"a block without its rest does not part the values",
     "(and (< 1 n) (< n e) (= e (+ (* n q) r)) (<= 0 r) (< r n) (<= 0 z) (< z n))",
     "(= (and (<= 0 (+ (* n y) z)) (< (+ (* n y) z) e)) (and (<= 0 y) (< y q)))", "sat"},
};

TEST(Rules, HoldForAllNumbers) {
  std::string text = kNumbers;
  std::string expected;
  for (const Law& law : kLaws) {
    text += std::string("(push)(assert ") + law.given + ")(assert (not " + law.law + "))(check-sat)(pop)\n";
    expected += std::string(law.answer) + "\n";
  }
  const Folder folder;
  const auto ran = run(VL_Z3_BINARY, {"-T:60", folder.file("laws.smt2", text)});
  EXPECT_EQ(ran.out, expected) << ran.err;
}

}  // namespace plan_rules_campaign
}  // namespace vl::test
