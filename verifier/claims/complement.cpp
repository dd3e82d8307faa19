// complement: the second layout R is a complement of the layout A up to a number M, as functions of numbers
// (numbers.h). What CuTe's tests ask of one, and that the pair is one-to-one, for an A that is so over its modes of
// stride != 0:
//   (1) ordered         ∀ j: R(j) < R(j + 1)
//   (2) from 0          A(0) = R(0) = 0
//   (3) large enough    A(last) + R(last) + 1 >= M
//   (4) not too large   R(last) + 1 <= M rounded up to a multiple of A(last) + 1
//   (5) one-to-one      ∀ (i, j) ≠ (i', j'): A(i) + R(j) ≠ A(i') + R(j'), i over the modes of A of stride != 0
// By (2) and (5) no R(j) but R(0) is a place of A. That the pair covers [0, M), or stays below M, is not asked, because
// CuTe promises neither: 4:4 up to 17 has (4,2):(1,16), which reaches 31.
//
// Unsupported for an A with places below 0, with a place above its last one, or with two numbers at one place beyond
// what strides of 0 repeat: CuTe defines complements of injective layouts.
//
// Example: (2,2):(1,6) up to 24 has (3,2):(2,12). (3,2):(8,1) for 4:2 covers 24 as well, and is refuted by (1): number
// 2 is at 16 and number 3 at 1. Source: NVIDIA/cutlass, test/unit/cute/core/complement.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/algebra.h"
#include "verifier/claims/numbers.h"

namespace vl::claims {
namespace {

using map::Affine;

// The digits of A's numbers on which A depends: their weights, their extents, and the place as a row over them. Where
// A's stages are no sum over digits, the number itself is the one digit.
struct Digits {
  std::vector<Index> weights;
  std::vector<Index> extents;
  std::vector<map::Stage> stages;
};

Digits digits_of(const OnNumbers& layout) {
  Digits whole{{1}, {layout.size}, layout.stages};
  std::vector<Index> weights{1};
  std::size_t at = 0;
  const auto is_number = [](const map::Stage& stage) {
    const auto* affine = std::get_if<Affine>(&stage);
    return affine != nullptr && affine->rows.size() == 1 && affine->rows[0] == map::pick(0);
  };
  while (at + 1 < layout.stages.size() && is_number(layout.stages[at])) ++at;
  if (const auto* split = std::get_if<map::Split>(&layout.stages[at])) weights = split->weights, ++at;
  const auto* place = at + 1 == layout.stages.size() ? std::get_if<Affine>(&layout.stages[at]) : nullptr;
  if (place == nullptr) return whole;
  Digits out;
  map::Row row{place->rows[0].constant, {}};
  Index above = layout.size;
  for (std::size_t k = 0; k < weights.size(); above = weights[k++]) {
    if (above % weights[k] != 0) return whole;
    const auto term = std::ranges::find(place->rows[0].terms, k, &map::Term::input);
    if (term == place->rows[0].terms.end() || above == weights[k]) continue;
    row.terms.push_back({out.weights.size(), term->coefficient});
    out.weights.push_back(weights[k]);
    out.extents.push_back(above / weights[k]);
  }
  out.stages = {Affine{{std::move(row)}}};
  return out;
}

// The layout over (names of `outer`), digits -> m in a box of every value.
Result<map::Layout> over_digits(std::vector<map::Dim> dims, const Digits& digits, std::vector<map::Stage> stages) {
  for (std::size_t k = 0; k < digits.extents.size(); ++k)
    dims.push_back({fmt::format("d{}", k), digits.extents[k], map::Unit::Element});
  return to_numbers(std::move(dims), std::move(stages));
}

// (j, digits) -> R(j) + A(digits).
Result<map::Layout> pair_of(const OnNumbers& rest, const Digits& digits) {
  const std::size_t count = digits.extents.size();
  Affine turn;  // j behind the digits, so that A's stages see only these
  turn.rows.push_back(map::pick(0));
  for (std::size_t k = 0; k < count; ++k) turn.rows.push_back(map::pick(k + 1));
  std::vector<map::Stage> stages{std::move(turn)};
  for (map::Stage& stage : map::carried(digits.stages, 1)) stages.push_back(std::move(stage));
  stages.emplace_back(Affine{{map::pick(1), map::pick(0)}});
  for (map::Stage& stage : map::carried(rest.stages, 1)) stages.push_back(std::move(stage));
  stages.emplace_back(Affine{{map::Row{0, {{0, 1}, {1, 1}}}}});
  return over_digits({{"j", rest.size, map::Unit::Element}}, digits, std::move(stages));
}

// j -> R(j + 1) - R(j) - 1 over [0, |R| - 1).
Result<map::Layout> steps_of(const OnNumbers& rest) {
  std::vector<map::Stage> stages{Affine{{map::pick(0), map::Row{1, {{0, 1}}}}}};
  for (map::Stage& stage : map::carried(rest.stages, 1)) stages.push_back(std::move(stage));
  stages.emplace_back(Affine{{map::pick(1), map::pick(0)}});
  for (map::Stage& stage : map::carried(rest.stages, 1)) stages.push_back(std::move(stage));
  stages.emplace_back(Affine{{map::Row{-1, {{0, 1}, {1, -1}}}}});
  return over_numbers(rest.size - 1, std::move(stages));
}

Index value_at(const map::Layout& layout, Index number) { return spot_of(layout, {number}).outputs[0]; }

// (2), (3) and (4), of an ordered R, whose last value is its largest. Nothing if a number leaves 64 bits.
std::optional<std::vector<use::Rule>> rules_of(Index first, Index last, Index rest_first, Index rest_last,
                                               Index cotarget) {
  const auto reach = checked_add(last, rest_last);
  const auto cosize = checked_add(last, 1);
  const auto blocks = cosize ? checked_add((cotarget - 1) / *cosize, 1) : std::nullopt;
  const auto bound = blocks ? checked_mul(*blocks, *cosize) : std::nullopt;
  if (!reach || !bound) return std::nullopt;
  return std::vector<use::Rule>{
      {"the layout's number 0 is at 0", first, 0},
      {"the complement's number 0 is at 0", rest_first, 0},
      {fmt::format("the two reach {}: their last place is {}", cotarget, *reach), std::min(*reach, cotarget - 1),
       cotarget - 1},
      {fmt::format("the complement stays below {}: its last number is at {}", *bound, rest_last),
       std::max(rest_last, *bound - 1), *bound - 1}};
}

Verdict complement(const Complemented& about, Inquiry& inquiry) {
  const auto repeated = [&](const Witness& w) { return colliding(about.layout, w.p, w.q); };
  if (auto twice = inquiry.unless_none({Kind::Collides, &about.layout, nullptr}, repeated)) {
    if (std::holds_alternative<Refuted>(*twice))
      return unsupported("two numbers of the layout are at one place: a complement is of an injective layout");
    return std::move(*twice);
  }
  if (about.steps != nullptr) {
    const auto falls = [&](const Witness& w) {
      const Index j = w.p[0], here = value_at(about.rest, j), next = value_at(about.rest, j + 1);
      return Counterexample{
          {{"number", j}, {"place", here}, {"next_place", next}},
          fmt::format("it is not ordered: number {} is at {} and number {} at {}", j, here, j + 1, next)};
    };
    if (auto no = inquiry.unless_none({Kind::Escapes, about.steps, nullptr}, falls)) return std::move(*no);
  }
  if (auto broken = broken_rule(about.rules)) return inquiry.refuted(std::move(*broken));
  const auto numbers_of = [&](const Point& p) {
    Point out{p[0], 0};
    for (std::size_t k = 1; k < p.size(); ++k) out[1] += p[k] * about.weights[k - 1];
    return out;
  };
  const auto meets = [&](const Witness& w) {
    const Point a = numbers_of(w.p), b = numbers_of(w.q);
    const Index place = spot_of(about.pair, w.p).slot[0];
    return Counterexample{
        {{"pair", a}, {"other_pair", b}, {"place", place}},
        fmt::format("number {} of the complement and {} of the layout are together at {}, and so are {} and {}", a[0],
                    a[1], place, b[0], b[1])};
  };
  return inquiry.settle({Kind::Collides, &about.pair, nullptr}, meets);
}

}  // namespace

std::optional<Complemented> Complemented::bind(Offer& offer) {
  if (offer.first() == nullptr) return std::nullopt;
  const auto undecidable = [&](std::string why) {
    offer.undecidable = use::Undecidable{std::move(why)};
    return std::nullopt;
  };
  NumberOffer in{offer};
  if (offer.argument("cotarget") == nullptr)
    return offer.wrong({}, {ErrorCode::Value, "complement needs 'cotarget', a number", 0});
  const auto cotarget = offer.integer("cotarget", "a number of places");
  if (cotarget && *cotarget < 1) return offer.wrong("cotarget", {ErrorCode::Value, "expected 1 or more", 0});
  const auto layout = cotarget ? in.read("") : std::nullopt;
  const auto rest = layout ? in.read("with") : std::nullopt;
  if (!rest) return std::nullopt;
  if (layout->size == 0 || rest->size == 0) return undecidable("a layout without elements has no complement");
  const Digits digits = digits_of(*layout);
  auto whole = over_numbers(layout->size, layout->stages);
  auto alone = over_digits({}, digits, digits.stages);
  auto second = over_numbers(rest->size, rest->stages);
  auto pair = pair_of(*rest, digits);
  auto steps = steps_of(*rest);
  for (const auto* made : {&whole, &alone, &second, &pair, &steps})
    if (!*made) return undecidable("it is not composed: " + made->error().message);
  const Index last = value_at(*whole, layout->size - 1);
  if (layout->values.low < 0 || last < layout->values.high)
    return undecidable("the layout may have places below 0, or above its last one");
  auto rules = rules_of(value_at(*whole, 0), last, value_at(*second, 0), value_at(*second, rest->size - 1), *cotarget);
  if (!rules) return undecidable("a place beyond 64 bits");
  return Complemented{*offer.keep(std::move(*alone)),
                      *offer.keep(std::move(*second)),
                      rest->size > 1 ? offer.keep(std::move(*steps)) : nullptr,
                      *offer.keep(std::move(*pair)),
                      *offer.keep(digits.weights),
                      *offer.keep(std::move(*rules))};
}

extern const Claim kComplement = {
    .name = "complement",
    .statement =
        "the second layout is an ordered complement from 0: the two are one-to-one together and reach the "
        "cotarget, and it ends by the cotarget rounded up to the layout's cosize",
    .witness = "number, place, next_place; or have, want; or pair, other_pair, place",
    .keys = {.all = "with cotarget", .sample = "…; cotarget=24"},
    .decide = complement,
    .proof = {Part::InBox, Part::Apart}};

}  // namespace vl::claims
