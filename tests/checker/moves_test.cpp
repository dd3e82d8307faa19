// Certificates of moves and of views: each false one here passes where the condition that refuses it is left out.
#include <gtest/gtest.h>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_moves_test {

const kernel::Steps kIn{{"run", {0}}, {"in"}}, kApart{{"run", {0}}, {"large", {0, 0}}, {"apart"}};

LayoutText layout(std::string map, std::string physical) {
  LayoutText out;
  out.map = std::move(map), out.logical = 1, out.physical = std::move(physical);
  return out;
}
LayoutText row(const std::string& place = "x0", const std::string& box = "(m:4)", const std::string& size = "4") {
  return layout("(x0:" + size + ") -> affine(" + place + ")", box);
}

struct Proof {
  Statement statement;
  Evidence evidence;
  [[nodiscard]] bool is_accepted() const { return !check(statement, evidence).has_value(); }
};

// From a row of four places to its reverse.
Proof move() {
  Proof out;
  out.statement.claim = "move-implements", out.statement.verdict = "proved";
  out.statement.map = row(), out.statement.operands = {row("3 - x0")};
  out.evidence.escapes = kIn;
  out.evidence.operands.emplace(1);
  out.evidence.operands->front().escapes = kIn, out.evidence.operands->front().collides = kApart;
  return out;
}

// Places of a row that shows another one backwards: element 3 - x is seen for x, and lies where x is read.
Proof view() {
  Proof out = move();
  out.statement.claim = "view-elements";
  out.statement.map = row("x0 + 2", "(m:8)"), out.statement.other = row("x0 + 2", "(m:8)");
  out.evidence.differs = kernel::Steps{{"run", {0}}, {"run", {1}}, {"eq"}};
  return out;
}

TEST(CertificatesOfMoves, AreAcceptedOfWhatTakesEachElementToItsOwnPlace) {
  EXPECT_EQ(check(move().statement, move().evidence), std::nullopt);
  EXPECT_EQ(check(view().statement, view().evidence), std::nullopt);
}

TEST(CertificatesOfMoves, AreRefusedWhereASideIsNotShown) {
  for (const Proof& good : {move(), view()}) {
    Proof outside = good;  // the source's last element has no slot
    outside.statement.map->physical = "(m:3)", outside.evidence.escapes.reset();
    EXPECT_FALSE(outside.is_accepted());
    outside.evidence.escapes = kIn;
    EXPECT_FALSE(outside.is_accepted());

    Proof together = good;  // all elements of the result have one slot
    together.statement.operands = {row("0")}, together.evidence.operands->front().collides.reset();
    EXPECT_FALSE(together.is_accepted());
    together.evidence.operands->front().collides = kApart;
    EXPECT_FALSE(together.is_accepted());

    Proof beyond = good;  // the result's first element has no slot
    beyond.statement.operands = {row("4 - x0")};
    EXPECT_FALSE(beyond.is_accepted());

    Proof longer = good;  // the result has an element that the source has not
    longer.statement.operands = {row("4 - x0", "(m:5)", "5")};
    EXPECT_FALSE(longer.is_accepted());
    longer.statement.map = row("x0", "(m:5)", "5"), longer.statement.other.reset(), longer.evidence.differs.reset();
    EXPECT_EQ(longer.is_accepted(), good.statement.claim == "move-implements");

    Proof empty = good;  // there is no element
    empty.statement.map = row("x0", "(m:4)", "0"), empty.statement.operands = {row("x0", "(m:4)", "0")};
    EXPECT_FALSE(empty.is_accepted());
    for (const std::size_t count : {0, 2}) {
      Proof many = good;
      many.statement.operands->resize(count, row()), many.evidence.operands->resize(count);
      EXPECT_FALSE(many.is_accepted());
    }
  }
}

TEST(CertificatesOfViews, AreRefusedWhereAnotherPlaceIsRead) {
  Proof other = view();  // 2 + x is read, and 3 + x is the element's
  other.statement.other = row("x0 + 3", "(m:8)");
  EXPECT_FALSE(other.is_accepted());
  other.evidence.differs.reset();
  EXPECT_FALSE(other.is_accepted());
  other.statement.other.reset();
  EXPECT_FALSE(other.is_accepted());
}

Proof refutation(LayoutText from, LayoutText to, Showing shown) {
  Proof out;
  out.statement.claim = "move-implements", out.statement.verdict = "refuted";
  out.statement.map = std::move(from), out.statement.operands = {std::move(to)};
  out.evidence.witness = std::move(shown);
  return out;
}

TEST(RefutationsOfMoves, NameAnElementThatOnlyOneSideHasOrThatLosesItsPlace) {
  const LayoutText four = row(), five = row("x0", "(m:5)", "5"), narrow = row("x0", "(m:3)"), one = row("0");
  EXPECT_TRUE(refutation(four, five, {{4}, {}}).is_accepted());
  EXPECT_TRUE(refutation(five, four, {{4}, {}}).is_accepted());
  EXPECT_TRUE(refutation(narrow, four, {{3}, {}}).is_accepted());
  EXPECT_TRUE(refutation(four, narrow, {{3}, {}}).is_accepted());
  EXPECT_TRUE(refutation(four, one, {{0}, Point{2}}).is_accepted());

  EXPECT_FALSE(refutation(four, five, {{3}, {}}).is_accepted());
  EXPECT_FALSE(refutation(four, five, {{5}, {}}).is_accepted());
  EXPECT_FALSE(refutation(narrow, four, {{2}, {}}).is_accepted());
  EXPECT_FALSE(refutation(one, four, {{0}, Point{2}}).is_accepted());  // two of the source may lie in one place
  EXPECT_FALSE(refutation(four, one, {{0}, {}}).is_accepted());
  EXPECT_FALSE(refutation(four, one, {{0}, Point{0}}).is_accepted());
  EXPECT_FALSE(refutation(four, one, {{0}, Point{4}}).is_accepted());
  EXPECT_FALSE(refutation(four, one, {{0}, Point{0, 0}}).is_accepted());
  EXPECT_FALSE(refutation(four, row(), {{0}, {}}).is_accepted());
  LayoutText flat = layout("() -> affine(0)", "(m:4)");
  flat.logical = 0;
  EXPECT_FALSE(refutation(four, flat, {{0}, {}}).is_accepted());
  Proof two = refutation(four, five, {{4}, {}});
  two.statement.other = five;
  EXPECT_FALSE(two.is_accepted());
  two.statement.other.reset(), two.statement.operands->push_back(five);
  EXPECT_FALSE(two.is_accepted());
  two.statement.operands->clear();
  EXPECT_FALSE(two.is_accepted());
}

// What decodes to no element may be padding, or an element where the way back is another one: nothing is shown.
TEST(RefutationsOfViews, ShowNothing) {
  Proof seen = refutation(row(), row("0"), {{0}, Point{2}});
  seen.statement.claim = "view-elements", seen.statement.other = row();
  EXPECT_FALSE(seen.is_accepted());
  seen.statement.other.reset(), seen.statement.operands.reset();
  EXPECT_FALSE(seen.is_accepted());
}

// Nests that take a row of four places to its reverse, one a move; `carries` of tensor maps is refuted of such.
Proof nests(std::vector<TransferText::Nest> moves, Showing shown) {
  Proof out;
  out.statement.claim = "carries", out.statement.verdict = "refuted";
  out.statement.transfer = TransferText{row(), row("3 - x0"), {}, std::move(moves)};
  out.evidence.witness = std::move(shown);
  return out;
}
using Nests = std::vector<TransferText::Nest>;
const Nests kReverse{{{4}, {0, 1}, {3, -1}}};

TEST(RefutationsOfNests, NameAnElementThatIsNotCarriedOnceToItsPlace) {
  EXPECT_FALSE(nests(kReverse, {{0}, {}}).is_accepted());
  const Nests without{{{3}, {0, 1}, {3, -1}}};  // element 3 is not carried
  EXPECT_TRUE(nests(without, {{3}, {}}).is_accepted());
  for (const Point& other : {Point{0}, Point{2}, Point{4}, Point{-1}, Point{}, Point{3, 0}})
    EXPECT_FALSE(nests(without, {other, {}}).is_accepted());
  const Nests twice{kReverse[0], {{}, {1}, {2}}};  // element 1 is carried once more
  EXPECT_TRUE(nests(twice, {{1}, {}}).is_accepted());
  EXPECT_FALSE(nests(twice, {{0}, {}}).is_accepted());
  const Nests elsewhere{kReverse[0], {{}, {1}, {7}}};  // and to a place of no element
  EXPECT_TRUE(nests(elsewhere, {{1}, {}}).is_accepted());
  EXPECT_FALSE(nests(elsewhere, {{2}, {}}).is_accepted());
  const Nests over{kReverse[0], {{}, {9}, {3}}};  // a place of no element goes to that of element 0
  EXPECT_TRUE(nests(over, {{0}, {}}).is_accepted());
  EXPECT_FALSE(nests(over, {{3}, {}}).is_accepted());

  Nests deep{{Integers(5000, 1), Integers(5001, 0), Integers(5001, 0)}};  // of which no loop is followed
  EXPECT_FALSE(nests(deep, {{3}, {}}).is_accepted());

  Proof nowhere = nests(kReverse, {{0}, {}});
  nowhere.statement.transfer->destination.physical = "(m:3)";  // element 0 has no slot
  EXPECT_TRUE(nowhere.is_accepted());
  nowhere.evidence.witness->a = {1};
  EXPECT_FALSE(nowhere.is_accepted());

  Proof moved = nests(kReverse, {{0}, {}});
  moved.statement.transfer->bases = {0, 8};  // the slots begin at 8, where nothing is written
  EXPECT_TRUE(moved.is_accepted());
  moved.statement.verdict = "proved";
  EXPECT_FALSE(moved.is_accepted());
  moved.statement.verdict = "refuted", moved.statement.claim = "implements";
  EXPECT_FALSE(moved.is_accepted());
}

TEST(RefutationsOfNests, NameAMoveThatIsNoElements) {
  const Nests stray{{{0}, {0, 1}, {0, 1}}, kReverse[0], {{2}, {3, 2}, {0, 1}}};  // 3 to 0, and 5 to 1
  EXPECT_TRUE(nests(stray, {{2}, Point{1}}).is_accepted());
  EXPECT_FALSE(nests(stray, {{2}, Point{0}}).is_accepted());
  EXPECT_FALSE(nests(stray, {{1}, Point{1}}).is_accepted());
  for (const Point& other : {Point{2}, Point{-1}, Point{}, Point{1, 0}})
    EXPECT_FALSE(nests(stray, {{2}, other}).is_accepted());
  for (const Point& nest : {Point{0}, Point{3}, Point{-1}, Point{}, Point{2, 0}})
    EXPECT_FALSE(nests(stray, {nest, Point{1}}).is_accepted());
  Proof empty = nests(stray, {{2}, Point{0}});  // a tensor without an element, so that each move is one too many
  empty.statement.transfer->source = empty.statement.transfer->destination = row("x0", "(m:4)", "0");
  EXPECT_TRUE(empty.is_accepted());
}

// A row of four elements of 16 bits in six slots from 8, which one box of eight meets: 12 and 13 are filled padding, 14
// and 15 lie beyond.
Proof filled() {
  Proof out;
  out.statement.claim = "fills", out.statement.verdict = "proved", out.statement.bits = 16;
  out.statement.map = row("x0", "(m:6)");
  out.statement.fills = FillText{{{{8}, {0}, {4}, {8, 1}}}, {}, 8};
  return out;
}

TEST(CertificatesOfFills, LookAtEveryPlaceOfTheBoxes) {
  EXPECT_EQ(check(filled().statement, filled().evidence), std::nullopt);
  const auto is_accepted = [](const auto& change) {
    Proof out = filled();
    change(out.statement, *out.statement.fills, out.statement.fills->boxes[0]);
    return out.is_accepted();
  };
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.high = {3}; }));     // an element is filled
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.low = {1}; }));      // another one
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.high = {5}; }));     // padding is not
  EXPECT_TRUE(is_accepted([](auto&, auto&, auto& box) { box.extents = {5}; }));   // it meets less
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.extents = {4}; }));  // none
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.extents = {0}; }));
  EXPECT_TRUE(is_accepted([](auto& said, auto&, auto& box) { said.map = row("x0", "(m:4)"), box.high = {4}; }));
  EXPECT_FALSE(is_accepted([](auto& said, auto&, auto& box) {  // what is moved beyond is no padding, and nothing else
    said.map = row("x0", "(m:4)"), box.high = {8};
  }));
  EXPECT_FALSE(is_accepted([](auto&, auto& fills, auto&) { fills.base = 9; }));
  EXPECT_FALSE(is_accepted([](auto&, auto& fills, auto&) { fills.boxes.clear(); }));
  EXPECT_FALSE(is_accepted([](auto&, auto& fills, auto&) {
    fills.boxes.push_back({{1}, {0}, {1}, {12, 0}});  // one more moves an element to 12
  }));
  EXPECT_FALSE(is_accepted([](auto&, auto& fills, auto&) { fills.swizzles = {{2, 1, 1}}; }));  // 8 and 12 change places
  EXPECT_TRUE(is_accepted([](auto&, auto& fills, auto&) { fills.swizzles = {{2, 1, 1}, {2, 1, 1}}; }));
  for (const Integers& none : {Integers{0, 1}, {-1, 1, 2}, {0, -1, 2}, {0, 1, 0}, {30, 30, 3}, {INT64_MAX, 1, 1}})
    EXPECT_FALSE(is_accepted([&](auto&, auto& fills, auto&) { fills.swizzles = {none}; }));
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.low = {}; }));
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.high = {4, 4}; }));
  EXPECT_FALSE(is_accepted([](auto&, auto&, auto& box) { box.shared = {8}; }));
  EXPECT_FALSE(is_accepted([](auto&, auto& fills, auto& box) {  // places that no swizzle takes
    fills.swizzles = {{2, 1, 1}}, box.shared = {-9, 1};
  }));
  EXPECT_FALSE(is_accepted([](auto& said, auto&, auto&) { said.bits.reset(); }));
  EXPECT_FALSE(is_accepted([](auto& said, auto&, auto&) { said.bits = 0; }));
  EXPECT_FALSE(is_accepted([](auto& said, auto&, auto&) { said.claim = "in-bounds"; }));
  EXPECT_TRUE(is_accepted([](auto& said, auto&, auto&) { said.rules = {{"the fill is 0", 1, 1}}; }));
  EXPECT_FALSE(is_accepted([](auto& said, auto&, auto&) { said.rules = {{"the fill is NaN", 0, 1}}; }));
  EXPECT_TRUE(is_accepted([](auto& said, auto&, auto&) {  // nothing but what lies beyond is filled
    said.rules = {{"the fill is NaN", 0, 1}}, said.map = row("x0", "(m:4)");
  }));
}

TEST(CertificatesOfFills, OfARefutationNameAByte) {
  const auto is_shown = [](const Point& byte, const auto& change) {
    Proof out = filled();
    out.statement.verdict = "refuted", out.evidence.witness = Showing{byte, {}};
    change(out.statement, out.statement.fills->boxes[0]);
    return out.is_accepted();
  };
  const auto less = [](auto&, auto& box) { box.high = {3}; };
  const auto more = [](auto&, auto& box) { box.high = {5}; };
  for (int byte = 0; byte < 64; ++byte) {
    EXPECT_EQ(is_shown({byte}, less), byte == 22) << byte;  // element 3
    EXPECT_EQ(is_shown({byte}, more), byte == 24) << byte;  // the first padding
    EXPECT_FALSE(is_shown({byte}, [](auto&, auto&) {})) << byte;
    EXPECT_EQ(is_shown({byte},
                       [](auto& said, auto&) {
                         said.rules = {{"the fill is NaN", 0, 1}};
                       }),
              byte == 24 || byte == 26)
        << byte;
  }
  EXPECT_FALSE(is_shown({}, less));
  EXPECT_FALSE(is_shown({22, 0}, less));
}

TEST(RefutationsOfDescriptors, NameARuleThatDoesNotHold) {
  for (const char* claim : {"accepts", "keeps"}) {
    Proof broken;
    broken.statement.claim = claim, broken.statement.verdict = "refuted";
    broken.statement.rules = {{"rank", 1, 1}, {"stride-alignment[0]", 0, 1}};
    broken.evidence.witness = Showing{{1}, {}};
    EXPECT_TRUE(broken.is_accepted()) << claim;
    for (const Showing& other :
         std::initializer_list<Showing>{{{0}, {}}, {{2}, {}}, {{-1}, {}}, {{}, {}}, {{1, 0}, {}}, {{1}, Point{}}}) {
      Proof changed = broken;
      changed.evidence.witness = other;
      EXPECT_FALSE(changed.is_accepted());
    }
    Proof changed = broken;
    changed.evidence.witness.reset();
    EXPECT_FALSE(changed.is_accepted());
    changed = broken, changed.statement.verdict = "proved";
    EXPECT_FALSE(changed.is_accepted());
    changed = broken, changed.statement.claim = "well-formed";
    EXPECT_FALSE(changed.is_accepted());
  }
}

}  // namespace checker_moves_test
}  // namespace vl::checker
