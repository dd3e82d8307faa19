// Certificates that ask for too much: each loop of the checker has one here that is small, and would take seconds to
// years, or gigabytes. The checker refuses it by its counts; nothing here measures a time.
#include "verifier/checker/kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/sanitized.h"
#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_work_test {

struct Attack {
  std::string name;
  Statement statement;
  Evidence evidence;
};

Attack attack(std::string name, std::string claim, LayoutText map) {
  Attack out{std::move(name), {}, {}};
  out.statement.claim = std::move(claim), out.statement.verdict = "proved";
  out.statement.map = std::move(map);
  return out;
}

LayoutText row(long long points, long long slots, const std::string& stages) {
  return {fmt::format("(x0:{}) -> {}", points, stages), 1, fmt::format("(m:{})", slots), {}, {}, {}, {}};
}

constexpr long long kHuge = 1LL << 40;

std::string repeated(const std::string& text, int times, const char* between) {
  std::string out;
  for (int k = 0; k < times; ++k) out += (k == 0 ? "" : between) + text;
  return out;
}

Attack points(long long count) {
  Attack out = attack("every point", "in-bounds", row(count, kHuge, "affine(x0)"));
  out.evidence.escapes = kernel::Steps{{"sweep"}};
  return out;
}

Attack long_map() {
  Attack out = attack("a long map at some points", "in-bounds",
                      row(1 << 18, kHuge, "affine(x0" + repeated("", 500, ",x0") + ") -> affine(x0)"));
  out.evidence.escapes = kernel::Steps{{"sweep"}};
  return out;
}

Attack places() {
  Attack out = attack("places in one list", "injective", row(1 << 23, kHuge, "affine(x0)"));
  out.evidence.lands = Point{0};
  out.evidence.collides = kernel::Steps{{"sweep"}};
  return out;
}

// Two lists of places of four coordinates: 488 bytes of certificate took 790 MB.
Attack two_maps() {
  const LayoutText text{"(x0:3000000) -> affine(x0,0,0,0)", 0, "(a:9000000,b:1,c:1,m:1)", {}, {}, {}, true};
  Attack out = attack("places of two maps", "disjoint", text);
  out.statement.other = text;
  out.statement.at = 1;
  out.evidence.lands = out.evidence.other_lands = Point{0};
  out.evidence.overlaps = kernel::Steps{{"sweep"}};
  return out;
}

Attack decoding() {
  LayoutText text = row(1 << 24, 1 << 24, "affine(x0)");
  text.decode = "(m:16777216) -> split(0;2048,1) -> affine(2048*x0 + x1)";
  Attack out = attack("a decode map at every point", "bijective", text);
  out.evidence.escapes = kernel::Steps{{"run", {0}}, {"in"}};
  out.evidence.misdecodes = kernel::Steps{{"sweep"}};
  return out;
}

Attack slots() {
  Attack out = attack("slots in one list", "onto", row(1 << 23, kHuge, "affine(x0)"));
  out.evidence.occupied = kernel::Steps{{"sweep"}};
  return out;
}

// The places of 4096 replicas of each of 4096 elements, on both sides.
Attack replicas() {
  const LayoutText text{"(x0:4096,r:4096) -> affine(4096*x0 + x1)", 1, "(m:16777216)", {}, {}, {}, {}};
  Attack out = attack("replicas of every element", "equal", text);
  out.statement.other = text;
  out.evidence.differs = kernel::Steps{{"sweep"}};
  return out;
}

Attack starts() {
  Attack out = attack("starts of a buffer", "aligned", row(1 << 12, kHuge, "affine(x0) -> swizzle(0;0,30,31,down)"));
  out.statement.base = 1, out.statement.bits = 8;
  return out;
}

Attack blocks() {
  std::string rows, weights = "1";
  for (int k = 0; k < 5000; ++k) rows += fmt::format("{}x0 + {}", k == 0 ? "" : ",", k);
  Attack out = attack("lines of many atoms", "in-bounds", row(1LL << 50, kHuge, "affine(" + rows + ") -> affine(x0)"));
  kernel::Steps& steps = out.evidence.escapes.emplace();
  for (long long k = 0; k < 4000; ++k) steps.push_back({"block", {k, 4000 - k}});
  steps.push_back({"run", {0}}), steps.push_back({"in"});
  return out;
}

Attack moves() {
  Attack out{"moves", {}, {}};
  out.statement.claim = "no-overlap", out.statement.verdict = "proved";
  TransferText& text = out.statement.transfer.emplace();
  text.source = text.destination = row(1 << 26, 1 << 26, "affine(x0)");
  text.nests = {{{1 << 13, 1 << 13}, {0, 1 << 13, 1}, {0, 1 << 13, 1}}};
  out.evidence.moves = kernel::Steps{{"sweep"}};
  return out;
}

// (a + b + … + x)^k, of 24 symbols: a thousand terms times a thousand, as often as the certificate says so.
Attack polynomials() {
  Attack out{"products of polynomials", {}, {}};
  out.statement.claim = "padding", out.statement.verdict = "proved";
  RuleText& rule = out.statement.rule.emplace();
  ExpressionText sum{{}, 1};
  for (char name = 'a'; name < 'a' + 12; ++name) {
    rule.symbols.push_back({std::string(1, name), 1});
    sum = {"+", 0, {sum, {std::string(1, name)}}};
  }
  ExpressionText cube{"*", 0, {sum, {"*", 0, {sum, sum}}}}, difference{"-", 0, {cube, cube}};
  ExpressionText extent = sum;
  for (int k = 0; k < 150; ++k) extent = {"+", 0, {extent, difference}};
  rule.logical = {extent}, rule.strides = {ExpressionText{{}, 1}};
  rule.levels = {{ExpressionText{{}, 1}, extent}};
  RuleText::Place place;
  place.name = "m", place.extent = extent, place.terms = {{0, ExpressionText{{}, 1}}};
  rule.places = {place};
  out.statement.value_expression = ExpressionText{{}, 0};
  out.evidence.cases.emplace().sizes = Integers(12, 1);
  out.evidence.cases->steps.push_back({"holds", {}, {}});
  return out;
}

Attack lanes() {
  Attack out{"lanes of instances", {}, {}};
  out.statement.claim = "wavefronts", out.statement.verdict = "proved";
  AccessText& text = out.statement.access.emplace();
  text.bytes = "(lane:32,i:1048576) -> affine(x0)";
  text.coordinates = "(lane:32,i:1048576) -> affine(x0)";
  text.when = "(lane:32,i:1048576) -> affine()";
  text.logical = "(x0:32)", text.width = 1, text.banks = 32, text.bytes_per_bank = 4;
  Integers all;
  for (std::int64_t lane = 0; lane < 32; ++lane) all.push_back(lane);
  text.phases = {all};
  out.statement.value = 1;
  out.evidence.free = std::vector<bool>{false, false};
  return out;
}

std::vector<Attack> attacks() {
  return {points(kHuge), points(1 << 26), long_map(), places(), two_maps(),    decoding(), slots(),
          replicas(),    starts(),        blocks(),   moves(),  polynomials(), lanes()};
}

// Within a two hundredth of the budget, a fortieth in a campaign: what is charged is little more than that, since the
// step that leaves it is not done.
constexpr long long kPart = test::fact_or_campaign(200, 40);

TEST(Work, OfEveryLoopIsRefusedByItsCount) {
  for (const Attack& one : attacks()) {
    const Metered around(kMostWork / kPart, kMostBytes / 40);
    const auto why = check(one.statement, one.evidence);
    ASSERT_TRUE(why.has_value()) << one.name;
    EXPECT_NE(why->find("the certificate needs more "), std::string::npos) << one.name << ": " << *why;
    EXPECT_LT(around.done(), 2 * kMostWork / kPart) << one.name;
  }
}

TEST(Work, OfAnHonestCertificateIsLittle) {
  const Attack small = points(1 << 20);
  const Metered around;
  EXPECT_EQ(check(small.statement, small.evidence), std::nullopt);
  EXPECT_GT(around.done(), 1 << 20);
  EXPECT_LT(around.done(), 1 << 24);
}

// A refutation looks through the replicas of two elements, and compares no two of them one by one.
TEST(Work, OfManyReplicasIsThatOfOneList) {
  Attack far = attack("replicas of two elements", "injective",
                      {"(x0:2,r:4096) -> affine(4095*x0 + x1)", 1, "(m:8191)", {}, {}, {}, {}});
  far.statement.verdict = "refuted";
  far.evidence.witness = Showing{{0}, Point{1}};
  const Metered around;
  EXPECT_EQ(check(far.statement, far.evidence), std::nullopt);
  EXPECT_LT(around.done(), 1 << 20);
  far.statement.map->map = "(x0:2,r:4096) -> affine(4096*x0 + x1)", far.statement.map->physical = "(m:8192)";
  EXPECT_EQ(check(far.statement, far.evidence), "a witness that shows nothing");
}

// A budget within a budget has no more than the outer one has left, and its work counts there.
TEST(Work, OfOneCheckCountsInTheSearchAroundIt) {
  const Metered around(1 << 20);
  const Attack small = points(1 << 20);
  const auto why = check(small.statement, small.evidence);
  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->find("needs more work"), std::string::npos);
}

TEST(Work, MemoryThatIsGivenBackCountsNoMore) {
  const Metered around(1 << 20, 1000);
  for (int k = 0; k < 100; ++k) {
    Held held;
    held.take(600);
  }
  Held held;
  held.take(600);
  EXPECT_THROW(held.take(600), OverBudget);
}

}  // namespace checker_work_test
}  // namespace vl::checker
