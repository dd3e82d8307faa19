// partition against its definition, element by element: small layouts with sticks of 4, every split of them, and boxes
// drawn at random. The function that judges walks over every element and every stick, without digits or boxes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "encodings/map/text.h"
#include "encodings/spyre/spyre.h"
#include "tests/support/flips.h"
#include "tests/support/partitions.h"
#include "tests/support/property.h"
#include "tests/support/spyre_brute.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify.h"

namespace vl::claims {
namespace claims_partition_campaign {

using test::partitions::ask;
using test::partitions::division_of;
using test::partitions::kBits;
using test::partitions::Laid;
using test::partitions::laid;

// The constructor's layout of two dimensions with sticks of 4, its twins, folds, and digits in other orders.
std::vector<Laid> layouts_of(Index a, Index b) {
  std::vector<Laid> out;
  out.push_back(laid({a, b}, {ceil_div(b, 4), a, 4}, {4, b, 1}));
  out.push_back(laid({a, b}, {a, ceil_div(b, 4), 4}, {b, 4, 1}));
  out.push_back(laid({a, b}, {ceil_div(a, 4), b, 4}, {4 * b, 1, b}));
  out.push_back(laid({a, b}, {ceil_div(a * b, 4), 4}, {4, 1}));
  out.push_back(laid({a, b}, {ceil_div(a * b, 16), 4, 4}, {16, 4, 1}));
  out.push_back(laid({a, b}, {2, a, ceil_div(b, 6), 4}, {3, b, 6, 1}));
  out.push_back(laid({a, b}, {b, 1, a, 4}, {1, -1, b, -1}));               // sparse
  out.push_back(laid({a, b}, {2, ceil_div(b, 4), a, 4}, {0, 4, b, 1}));    // replicated
  out.push_back(laid({a, b}, {ceil_div(b, 16), a, 4, 4}, {16, b, 1, 4}));  // a stick of every fourth element
  out.push_back(laid({a, b}, {a + ceil_div(b, 4), 4}, {4, 1}, std::vector<Index>{4, 1}));  // rows that overlap
  // Views of longer rows, whose sticks start 3, 4 and 5 elements before them; columns that count down.
  for (const Index start : {3, 4, 5})
    out.push_back(laid({a, b}, {5, a, 4}, {4, 20, 1}, std::vector<Index>{20, 1}, start));
  out.push_back(laid({a, b}, {a, ceil_div(b, 4), 4}, {b, 4, 1}, std::vector<Index>{b, -1}, b - 1));
  std::erase_if(out, [](const Laid& l) {  // some are too short for some sizes
    return question::word(decide(*find_claim("in-bounds"), OneLayout{l.layout}, {}).verdict) != "proved";
  });
  return out;
}

// Whether the checker accepts a certificate of the statement that the division is a partition. In `changed` it is
// offered the same evidence for other divisions.
bool is_certified(const Laid& l, const use::Division& division,
                  const std::function<void(const checker::Certificate&)>& changed = {}) {
  const Claim& claim = *find_claim("partition");
  const question::Verdict proved = Proved{"a test", question::Trust::Trusted, {}};
  const auto statement = statement_of(claim, Divided{l.layout, division, kBits}, proved, {"", "", {}});
  const auto made = certify(claim, *statement, proved);
  if (made && changed) changed(*made);
  return made.has_value();
}

std::vector<Point> elements_of(const Laid& l) {
  std::vector<Point> out;
  Point x(l.size.size(), 0);
  do out.push_back(x);
  while (map::advance(l.layout.logical(), x));
  return out;
}

std::vector<Point> slots_of(const Laid& l, const Point& x) {
  std::vector<Point> out;
  Point replica(l.layout.replicas().rank(), 0);
  do {
    Point outputs = map::outputs_at(l.layout, x, replica);
    VL_CHECK(l.layout.is_slot(outputs), "an element of the test without a slot");
    outputs.resize(l.layout.physical().rank());
    out.push_back(std::move(outputs));
  } while (map::advance(l.layout.replicas(), replica));
  return out;
}

// The one dimension whose coordinate alone moves elements along their stick; -1 if there is none or are two.
int stick_dimension(const Laid& l) {
  std::set<std::size_t> moves;
  for (const Point& x : elements_of(l))
    for (std::size_t i = 0; i < x.size(); ++i) {
      Point y = x;
      if (++y[i] < l.size[i] && slots_of(l, x)[0].back() != slots_of(l, y)[0].back()) moves.insert(i);
    }
  return moves.size() == 1 ? static_cast<int>(*moves.begin()) : -1;
}

// owners[core] = its elements. Whether they are a partition in whole sticks within the span.
bool is_partition(const Laid& l, const std::vector<std::set<Point>>& owners, Index span) {
  std::map<Point, int> times;
  std::map<Point, std::set<int>> cores_of_stick;
  for (std::size_t core = 0; core < owners.size(); ++core) {
    std::vector<std::set<Index>> touched(l.layout.physical().rank());
    for (const Point& x : owners[core]) {
      ++times[x];
      for (const Point& slot : slots_of(l, x)) {
        for (std::size_t j = 0; j < slot.size(); ++j) touched[j].insert(slot[j]);
        cores_of_stick[Point(slot.begin(), slot.end() - 1)].insert(static_cast<int>(core));
      }
    }
    for (std::size_t j = 0; j < touched.size(); ++j) {
      if (touched[j].size() < 2) continue;
      Index slots = *touched[j].rbegin() - *touched[j].begin() + 1;
      for (std::size_t inner = j + 1; inner < touched.size(); ++inner) slots *= l.layout.physical().extent(inner);
      if (slots * kBits / 8 > span) return false;
      break;
    }
  }
  for (const Point& x : elements_of(l))
    if (times[x] != 1) return false;
  return std::ranges::all_of(cores_of_stick, [](const auto& entry) { return entry.second.size() == 1; });
}

struct Count {
  int proved = 0;
  int refuted = 0;
  int certified = 0;
};

// The witness is true: its fields name elements that violate the claim.
bool is_true_witness(const Laid& l, const Counterexample& counter, const std::vector<std::set<Point>>& owners,
                     Index span) {
  std::map<std::string, Counterexample::Value> fields(counter.fields.begin(), counter.fields.end());
  const auto number = [&](const char* name) { return std::get<Index>(fields.at(name)); };
  const auto point = [&](const char* name) { return std::get<Point>(fields.at(name)); };
  const auto owns = [&](const char* core, const Point& x) {
    return owners[static_cast<std::size_t>(number(core))].contains(x);
  };
  const auto owned = [&](const Point& x) {
    return std::ranges::count_if(owners, [&](const auto& own) { return own.contains(x); });
  };
  const auto slot = [&](const Point& x) {
    Point out = slots_of(l, x)[0];
    out.pop_back();
    return out;
  };
  const auto all_before = [&](const Point& end, auto holds) {
    for (const Point& x : elements_of(l)) {
      if (x == end) return true;
      if (!holds(x)) return false;
    }
    return false;
  };
  if (!fields.contains("a")) return false;
  if (fields.contains("span"))
    return owns("core", point("a")) && owns("core", point("b")) && number("span") > span && number("limit") == span;
  if (fields.contains("b"))
    return owns("core", point("a")) && owns("other_core", point("b")) && !owns("core", point("b")) &&
           slot(point("a")) == slot(point("b"));
  if (fields.contains("other_core"))  // no smaller element is shared
    return owns("core", point("a")) && owns("other_core", point("a")) &&
           all_before(point("a"), [&](const Point& x) { return owned(x) <= 1; });
  // The smallest element of no core.
  return owned(point("a")) == 0 && all_before(point("a"), [&](const Point& x) { return owned(x) > 0; });
}

TEST(Partition, OfEverySplitAgreesWithAWalkOverAllElements) {
  Count count;
  for (const auto& [a, b] :
       std::vector<std::pair<Index, Index>>{{1, 12}, {2, 8}, {4, 6}, {6, 12}, {8, 9}, {3, 4}, {8, 1}, {2, 32}})
    for (const Laid& l : layouts_of(a, b)) {
      const int stick = stick_dimension(l);
      for (const Index s : {1, 2, 3, 4, 8})
        for (const Index t : {1, 2, 3, 4})
          for (const Index span : {16, 64, 512}) {
            use::Division division = division_of({s, t}, 2);
            division.span = span;
            division.cores = 16;
            bool even = s * t <= 16;
            std::vector<Index> step(2);
            for (std::size_t i = 0; i < 2; ++i) {
              const Index unit = stick == static_cast<int>(i) ? 4 : 1;
              const Index units = (l.size[i] + unit - 1) / unit;
              even = even && units % division.splits[i] == 0;
              step[i] = units / division.splits[i] * unit;
            }
            const Judged answer = ask(l, division);
            const auto* refuted = std::get_if<Refuted>(&answer.verdict);
            const bool certified = is_certified(l, division);
            if (!even) {
              ASSERT_FALSE(certified);
              ASSERT_NE(refuted, nullptr);
              EXPECT_TRUE(refuted->counterexample.fields[0].first == "used" ||
                          refuted->counterexample.fields[0].first == "dim");
              continue;
            }
            std::vector<std::set<Point>> owners(static_cast<std::size_t>(s * t));
            for (const Point& x : elements_of(l))
              owners[static_cast<std::size_t>(x[0] / step[0] + x[1] / step[1] * s)].insert(x);
            const bool want = is_partition(l, owners, span);
            ++(want ? count.proved : count.refuted);
            ASSERT_TRUE(want || !certified);
            count.certified += certified ? 1 : 0;
            ASSERT_EQ(question::word(answer.verdict), want ? "proved" : "refuted")
                << fmt::format("{}x{} {} splits {} {} span {}", a, b, map::print(l.layout.map()), s, t, span);
            ASSERT_TRUE(refuted == nullptr || is_true_witness(l, refuted->counterexample, owners, span));
          }
    }
  EXPECT_GT(count.proved, 300);
  EXPECT_GT(count.refuted, 300);
  fmt::print("{} of {} proofs are certified\n", count.certified, count.proved);
  EXPECT_GE(count.certified * 100, count.proved * 90);
}

TEST(Partition, OfGivenSlicesAgreesWithAWalkOverAllElements) {
  Count count;
  test::for_all(1500, [&] {
    test::Engine random = *test::engines();
    const auto draw = [&](Index low, Index high) { return test::roll(random, low, high); };
    const Index a = draw(1, 5);
    const Index b = draw(1, 12);
    const std::vector<Laid> all = layouts_of(a, b);
    const Laid& l = all[random.below(all.size())];
    use::Division division;
    division.slices.emplace();
    division.span = draw(0, 3) == 3 ? 48 : 1024;
    // Cut one box again and again, now and then wrongly.
    division.slices->push_back({{0, a}, {0, b}});
    for (Index cuts = draw(0, 3); cuts > 0; --cuts) {
      const std::size_t which = random.below(division.slices->size());
      const std::size_t dim = random.below(2);
      use::Slice low = (*division.slices)[which];
      use::Slice high = low;
      const Index unit = draw(0, 1) == 0 ? 4 : 1;
      const Index at = std::min(draw(0, 3) * unit, l.size[dim]);
      low[dim].end = std::min(at, low[dim].end);
      high[dim].begin = std::max(at, high[dim].begin);
      if (draw(0, 7) == 7) high[dim].begin = std::max<Index>(high[dim].begin + draw(-1, 1), 0);
      (*division.slices)[which] = low;
      division.slices->push_back(high);
    }
    division = *use::fitted(std::move(division), 2);
    std::vector<std::set<Point>> owners(division.slices->size());
    for (const Point& x : elements_of(l))
      for (std::size_t core = 0; core < owners.size(); ++core) {
        const use::Slice& slice = (*division.slices)[core];
        if (slice[0].begin <= x[0] && x[0] < slice[0].end && slice[1].begin <= x[1] && x[1] < slice[1].end)
          owners[core].insert(x);
      }
    const bool want = is_partition(l, owners, division.span);
    ++(want ? count.proved : count.refuted);
    const bool certified = is_certified(l, division);
    RC_LOG() << map::print(l.layout.map()) << " in " << owners.size() << " slices, span " << division.span;
    RC_ASSERT((want || !certified));
    count.certified += certified ? 1 : 0;
    const Judged answer = ask(l, division);
    RC_ASSERT(question::word(answer.verdict) == (want ? "proved" : "refuted"));
    const auto* refuted = std::get_if<Refuted>(&answer.verdict);
    RC_ASSERT((refuted == nullptr || is_true_witness(l, refuted->counterexample, owners, division.span)));
  });
  EXPECT_GT(count.proved, 300);
  EXPECT_GT(count.refuted, 300);
  fmt::print("{} of {} proofs are certified\n", count.certified, count.proved);
  EXPECT_GE(count.certified * 100, count.proved * 90);
}

// The evidence of a partition, offered for divisions with one number changed, proves only what is one.
TEST(Partition, OfAChangedCertificateIsOneOrIsRejected) {
  int accepted = 0, refused = 0;
  for (const Laid& l : layouts_of(4, 8)) {
    use::Division division = division_of({2, 2}, 2);
    division.span = 64;
    static_cast<void>(is_certified(l, division, [&](const checker::Certificate& made) {
      const nlohmann::json good = checker::write(made);
      for (const test::Flip& flip : test::all_flips(good.at("statement").at("division"), 4)) {
        nlohmann::json changed = good;
        changed["statement"]["division"] = flip.of(good.at("statement").at("division"));
        changed["digest"] = checker::digest(changed["statement"]);
        if (checker::check(changed)) {
          ++refused;
          continue;
        }
        ++accepted;
        const checker::Certificate read = checker::read<checker::Certificate>(changed);
        const checker::DivisionText& said = *read.statement.division;
        use::Division other = division;
        other.splits = said.splits, other.scales = said.scales, other.cores = said.cores, other.span = said.span;
        other.order.assign(said.order.begin(), said.order.end());
        other.stick = said.stick, other.sticks = said.sticks;
        EXPECT_EQ(question::word(ask(l, other).verdict), "proved") << changed.dump();
      }
      for (const test::Flip& flip : test::all_flips(good.at("evidence"), 4)) {
        nlohmann::json changed = good;
        changed["evidence"] = flip.of(good.at("evidence"));
        refused += checker::check(changed).has_value() ? 1 : 0;
      }
    }));
  }
  EXPECT_GT(accepted, 5);
  EXPECT_GT(refused, 300);
}

}  // namespace claims_partition_campaign
}  // namespace vl::claims
