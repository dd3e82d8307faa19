// The claims about functions of numbers (compose, coalesce, the inverses, divide, product, complement) against their
// statements, evaluated number by number on small layouts drawn at random. Both verdicts occur, and each proof has a
// certificate that the checker accepts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/tiles.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/session/binding.h"

namespace vl::claims {
namespace claims_numbers_campaign {

using session::SourceText;
using test::roll;

// Modes (extent, stride), the last one fastest, as in TIRx' S[…].
struct Modes {
  std::vector<Index> extents, strides;

  [[nodiscard]] Index size() const { return test::product(extents); }
  [[nodiscard]] Index at(Index number) const {
    Index place = 0;
    for (std::size_t k = extents.size(); k-- > 0; number /= extents[k]) place += number % extents[k] * strides[k];
    return place;
  }
  [[nodiscard]] std::vector<Index> places() const {
    std::vector<Index> out;
    for (Index i = 0; i < size(); ++i) out.push_back(at(i));
    return out;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("S[({},):({},)]", fmt::join(extents, ","), fmt::join(strides, ","));
  }
};

Modes some_modes(test::Engine& random, Index most) {
  Modes out;
  Index size = 1, stride = 1;
  for (Index k = roll(random, 1, 3); k > 0; --k) {
    const Index extent = std::min(roll(random, 1, 4), most / size);
    out.extents.insert(out.extents.begin(), extent);
    out.strides.insert(out.strides.begin(), roll(random, 0, 4) > 0 ? stride : roll(random, -1, 6));
    size *= extent, stride *= extent * (roll(random, 0, 4) == 0 ? 2 : 1);
  }
  if (roll(random, 0, 1) == 0) {
    const auto k = static_cast<std::size_t>(roll(random, 0, static_cast<Index>(out.strides.size()) - 1));
    std::swap(out.strides.front(), out.strides[k]);
    std::swap(out.extents.front(), out.extents[k]);
  }
  return out;
}

using Arguments = std::vector<std::pair<std::string, std::string>>;

struct Answered {
  Verdict verdict;
  bool certified = false;
};

Answered ask(std::string_view claim, const Modes& layout, const Arguments& arguments) {
  session::CaseRequest request;
  request.layout = SourceText::option("the layout", layout.text());
  request.tensor = SourceText::option("the tensor", fmt::format("u8[{}]", layout.size()));
  session::ClaimRequest asked;
  asked.claim = find_claim(claim);
  for (const auto& [key, text] : arguments) asked.arguments.push_back({key, SourceText::option(key, text)});
  const auto subject = session::read_tensor(request);
  const auto bound = session::bind(asked, request, std::get<session::TensorReading>(subject), {});
  const auto& made = std::get<session::Bound>(bound);
  if (!made.about) return {Unknown{Reason::Unsupported, made.undecidable, {}}, false};
  Answered out{decide(*asked.claim, *made.about, {}).verdict, false};
  const auto statement = statement_of(*asked.claim, *made.about, out.verdict, {"", "", {}});
  const bool made_one = statement && certify(*asked.claim, *statement, out.verdict).has_value();
  out.certified = made_one && std::holds_alternative<Proved>(out.verdict);
  return out;
}

// The places of `layout` at these numbers; nothing where a number is none of its own.
std::optional<std::vector<Index>> taken(const Modes& layout, const std::vector<Index>& numbers) {
  std::vector<Index> out;
  for (const Index number : numbers) {
    if (number < 0 || number >= layout.size()) return std::nullopt;
    out.push_back(layout.at(number));
  }
  return out;
}

std::vector<Index> counted(Index size) {
  std::vector<Index> out;
  for (Index i = 0; i < size; ++i) out.push_back(i);
  return out;
}

// low(n mod |low|) + high[n / |low|].
std::vector<Index> joined(const Modes& low, const std::vector<Index>& high) {
  std::vector<Index> out;
  for (const Index start : high)
    for (const Index place : low.places()) out.push_back(start + place);
  return out;
}

std::string_view word_of(const std::optional<std::vector<Index>>& law, const std::vector<Index>& result) {
  if (law && law->size() != result.size()) return "refuted";
  if (!law) return "unsupported";
  return *law == result ? "proved" : "refuted";
}

struct Tally {
  std::map<std::string, Index> words;
  Index wrong = 0, certified = 0;

  void count(const Answered& answer, std::string_view expected, const std::string& what) {
    const std::string word(question::word(answer.verdict));
    ++words[word];
    certified += answer.certified;
    if (word == expected) return;
    ++wrong;
    ADD_FAILURE() << what << ": " << word << ", expected " << expected;
  }
  void expect(Index least) {
    EXPECT_EQ(wrong, 0);
    EXPECT_GE(words["proved"], least);
    EXPECT_GE(words["refuted"], least);
    EXPECT_EQ(words["unknown"], 0);
    EXPECT_EQ(certified, words["proved"]);
  }
};

// A layout that is right where the operation is linear, or changed in one number.
Modes perhaps_changed(test::Engine& random, Modes modes) {
  if (roll(random, 0, 1) == 0 || modes.strides.empty()) return modes;
  const auto k = static_cast<std::size_t>(roll(random, 0, static_cast<Index>(modes.strides.size()) - 1));
  if (roll(random, 0, 3) == 0) modes.extents[k] += 1;
  else modes.strides[k] += roll(random, 1, 2);
  return modes;
}

Modes linear(const Modes& outer, Modes inner) {
  for (Index& stride : inner.strides) stride = stride < 0 ? -outer.at(-stride) : outer.at(stride);
  return inner;
}

TEST(OnNumbers, ComposeIsTheOuterLayoutAfterTheInnerOne) {
  test::Engine random(1);
  Tally tally;
  for (int i = 0; i < 400; ++i) {
    const Modes a = some_modes(random, 24), b = some_modes(random, 12);
    const Modes r = perhaps_changed(random, linear(a, b));
    const auto law = taken(a, b.places());
    const auto expected = r.size() != b.size() ? "refuted" : word_of(law, r.places());
    tally.count(ask("compose", a, {{"inner", b.text()}, {"with", r.text()}}), expected, a.text() + " " + b.text());
    const auto rejected = !law ? "refuted" : expected;
    tally.count(ask("compose", a, {{"inner", b.text()}, {"with", r.text()}, {"outside", "reject"}}), rejected,
                a.text() + " " + b.text() + " reject");
  }
  tally.expect(100);
}

TEST(OnNumbers, CoalesceIsTheSameFunction) {
  test::Engine random(2);
  Tally tally;
  for (int i = 0; i < 400; ++i) {
    const Modes a = some_modes(random, 24);
    Modes r = a;
    const std::size_t last = r.extents.size() - 1;
    if (last > 0 && r.strides[last - 1] == r.strides[last] * r.extents[last]) {  // two modes are one
      r.extents[last] *= r.extents[last - 1];
      r.extents.erase(r.extents.end() - 2), r.strides.erase(r.strides.end() - 2);
    }
    r = perhaps_changed(random, r);
    tally.count(ask("coalesce", a, {{"with", r.text()}}), word_of(a.places(), r.places()), a.text() + " " + r.text());
  }
  tally.expect(100);
}

TEST(OnNumbers, InversesTakeBack) {
  test::Engine random(3);
  Tally left, quasi, right;
  for (int i = 0; i < 500; ++i) {
    Modes a = some_modes(random, 24);
    // A permutation of compact modes has the inverse of the permuted shape.
    std::vector<std::size_t> order(a.extents.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::sort(order, {}, [&](std::size_t k) { return -a.strides[k]; });
    Modes inverse;
    for (const std::size_t k : order) {
      Index weight = 1;
      for (std::size_t j = k + 1; j < a.extents.size(); ++j) weight *= a.extents[j];
      inverse.extents.push_back(a.extents[k]), inverse.strides.push_back(weight);
    }
    const Modes r = perhaps_changed(random, inverse);
    const auto back = taken(r, a.places());
    const std::string what = a.text() + " " + r.text();
    left.count(ask("left-inverse", a, {{"with", r.text()}}), word_of(back, counted(a.size())), what);
    const auto again = back ? taken(a, *back) : std::nullopt;
    quasi.count(ask("left-inverse", a, {{"with", r.text()}, {"law", "quasi"}}), word_of(again, a.places()), what);
    right.count(ask("right-inverse", a, {{"with", r.text()}}), word_of(taken(a, r.places()), counted(r.size())), what);
  }
  left.expect(50), quasi.expect(15), right.expect(15);
}

TEST(OnNumbers, DivideAndProductJoinTwoLayouts) {
  test::Engine random(4);
  Tally divide, product;
  for (int i = 0; i < 400; ++i) {
    const Modes a = some_modes(random, 24), t = some_modes(random, 6), c = some_modes(random, 4);
    Modes both = c;
    both.extents.insert(both.extents.end(), t.extents.begin(), t.extents.end());
    both.strides.insert(both.strides.end(), t.strides.begin(), t.strides.end());
    const std::string what = fmt::format("{} {} {}", a.text(), t.text(), c.text());
    const Modes tiles = perhaps_changed(random, linear(a, both));
    divide.count(ask("divide", a, {{"tiler", t.text()}, {"rest", c.text()}, {"with", tiles.text()}}),
                 tiles.size() != both.size() ? "refuted" : word_of(taken(a, joined(t, c.places())), tiles.places()),
                 what);
    const Modes b = some_modes(random, 4);
    Modes copies = linear(c, b);
    copies.extents.insert(copies.extents.end(), a.extents.begin(), a.extents.end());
    copies.strides.insert(copies.strides.end(), a.strides.begin(), a.strides.end());
    const Modes r = perhaps_changed(random, copies);
    const auto starts = taken(c, b.places());
    if (std::ranges::max(b.places()) < 0) continue;
    product.count(ask("product", a, {{"by", b.text()}, {"rest", c.text()}, {"with", r.text()}}),
                  r.size() != copies.size() ? "refuted"
                                            : word_of(starts ? std::optional(joined(a, *starts)) : starts, r.places()),
                  what + " " + b.text());
  }
  divide.expect(30), product.expect(30);
}

// The statement's parts, one after the other.
std::string_view complement_word(const Modes& a, const Modes& r, Index cotarget) {
  const std::vector<Index> places = a.places(), rest = r.places();
  Modes kept = a;
  for (std::size_t k = a.extents.size(); k-- > 0;)
    if (a.strides[k] == 0)
      kept.extents.erase(kept.extents.begin() + static_cast<std::ptrdiff_t>(k)),
          kept.strides.erase(kept.strides.begin() + static_cast<std::ptrdiff_t>(k));
  const std::vector<Index> once = kept.places();
  const Index last = places.back();
  if (std::ranges::min(places) < 0 || std::ranges::max(places) != last ||
      std::set<Index>(once.begin(), once.end()).size() != once.size())
    return "unsupported";
  for (std::size_t j = 0; j + 1 < rest.size(); ++j)
    if (rest[j] >= rest[j + 1]) return "refuted";
  const Index block = last + 1;
  if (rest[0] != 0 || last + rest.back() + 1 < cotarget || rest.back() + 1 > (cotarget + block - 1) / block * block)
    return "refuted";
  std::set<Index> sums;
  for (const Index place : once)
    for (const Index start : rest)
      if (!sums.insert(place + start).second) return "refuted";
  for (std::size_t j = 1; j < rest.size(); ++j)
    if (std::ranges::count(places, rest[j]) > 0) ADD_FAILURE() << "one-to-one from 0, and a place in common";
  return "proved";
}

TEST(OnNumbers, ComplementIsOrderedAndOneToOneWithTheLayout) {
  test::Engine random(5);
  Tally tally;
  for (int i = 0; i < 600; ++i) {
    const Modes a = some_modes(random, 24);
    const Index cotarget = roll(random, 1, 40);
    // The gaps between the modes in ascending order, and copies up to the cotarget.
    std::vector<std::pair<Index, Index>> modes;
    for (std::size_t k = 0; k < a.extents.size(); ++k)
      if (a.strides[k] > 0 && a.extents[k] > 1) modes.emplace_back(a.strides[k], a.extents[k]);
    std::ranges::sort(modes);
    Modes rest;
    Index end = 1;
    const auto add = [&](Index extent) {
      rest.extents.insert(rest.extents.begin(), std::max<Index>(extent, 1));
      rest.strides.insert(rest.strides.begin(), end);
    };
    for (const auto& [stride, extent] : modes) add(stride / end), end = stride * extent;
    add((cotarget + end - 1) / end);
    const Modes r = perhaps_changed(random, rest);
    tally.count(ask("complement", a, {{"with", r.text()}, {"cotarget", fmt::format("{}", cotarget)}}),
                complement_word(a, r, cotarget), fmt::format("{} {} {}", a.text(), r.text(), cotarget));
  }
  tally.expect(100);
}

}  // namespace claims_numbers_campaign
}  // namespace vl::claims
