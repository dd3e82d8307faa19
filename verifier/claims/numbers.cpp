#include "verifier/claims/numbers.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/algebra.h"
#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

using map::Affine;
using Outside = NumberLaw::Outside;

// Leaves the coordinate on one axis, or 0 without one.
void keep_axis(std::vector<map::Stage>& stages, std::optional<std::size_t> axis) {
  if (auto* last = stages.empty() ? nullptr : std::get_if<Affine>(&stages.back()))
    last->rows = {axis ? last->rows[*axis] : map::Row{}};
  else stages.emplace_back(Affine{{axis ? map::pick(*axis) : map::Row{}}});
}

// Why a layout is no function from numbers to numbers; empty if it is one.
std::string no_function(const map::Layout& layout) {
  if (layout.replicas().volume() != 1) return "has replicas, so it is no function of numbers";
  if (layout.guards() > 0 || !layout.named_axes()) return "has places that are no numbers on one axis";
  const auto& ranges = layout.map().ranges(layout.map().stages().size());
  for (std::size_t j = 0; j < layout.physical().rank(); ++j)
    if (map::memory_axis(layout) != j && ranges[j] != map::Range{0, 0})
      return fmt::format("has coordinates on {}; expected places on {} alone", layout.physical().dims()[j].name,
                         map::kMemoryAxis);
  return {};
}

std::string name_of(std::string_view key) {
  return key.empty() ? std::string("the layout") : fmt::format("the layout of '{}'", key);
}

// Whether numbers beyond a layout's size have values.
bool has_more(Outside outside) { return outside == Outside::LastMode || outside == Outside::Coalesced; }

// The convention of the key `outside`; nothing where the text is wrong, and the offer says so.
std::optional<Outside> outside_of(Offer& offer) {
  const std::string_view* text = offer.argument("outside");
  if (text == nullptr) return Outside::Unsaid;
  if (*text == "last-mode") return Outside::LastMode;
  if (*text == "coalesced") return Outside::Coalesced;
  if (*text == "reject") return Outside::Reject;
  return offer.wrong("outside", {ErrorCode::Value, "expected last-mode, coalesced or reject", 0});
}

}  // namespace

Result<map::Layout> to_numbers(std::vector<map::Dim> dims, std::vector<map::Stage> stages,
                               std::optional<Index> extent) {
  auto logical = map::Space::create(std::move(dims));
  if (!logical) return logical.error();
  auto function = map::Map::create(*logical, stages);
  if (!function) return function.error();
  VL_CHECK(function->outputs() == 1, "a function to numbers with several outputs");
  const auto end = checked_add(function->ranges(stages.size())[0].high, 1);
  if (!end) return Error{ErrorCode::Overflow, "a place beyond 64 bits"};
  auto box = map::Space::create(
      {{std::string(map::kMemoryAxis), extent.value_or(std::max<Index>(*end, 1)), map::Unit::Element}});
  if (!box) return box.error();
  map::LayoutParts parts;
  parts.logical = std::move(*logical);
  parts.physical = std::move(*box);
  parts.map = std::move(stages);
  parts.named_axes = true;
  return map::Layout::create(std::move(parts));
}

Result<map::Layout> over_numbers(Index size, std::vector<map::Stage> stages, std::optional<Index> extent) {
  return to_numbers({{"x0", size, map::Unit::Element}}, std::move(stages), extent);
}

OnNumbers identity(Index size) { return {{Affine{{map::pick(0)}}}, size, {0, std::max<Index>(size - 1, 0)}, false}; }

std::nullopt_t NumberOffer::undecidable(std::string why) {
  if (!offer.undecidable) offer.undecidable = use::Undecidable{std::move(why)};
  return std::nullopt;
}

std::optional<OnNumbers> NumberOffer::made(Index size, std::vector<map::Stage> stages) {
  const auto layout = over_numbers(size, stages);
  if (!layout) return undecidable("it is not composed: " + layout.error().message);
  return OnNumbers{std::move(stages), size, layout->map().ranges(layout->map().stages().size())[0], false};
}

std::optional<OnNumbers> NumberOffer::numbered(const use::Reading& reading, Index size, bool goes_on,
                                               std::string_view key) {
  if (const auto* none = reading.undecidable()) return undecidable(none->reason);
  const map::Layout& layout = *reading.layout();
  if (const std::string why = no_function(layout); !why.empty())
    return undecidable(fmt::format("{} {}", name_of(key), why));
  std::vector<map::Stage> stages = layout.map().stages();
  keep_axis(stages, map::memory_axis(layout));
  if (layout.domain().rank() > 1) {  // replicas, each of one value
    Affine enter{{map::pick(0)}};
    enter.rows.resize(layout.domain().rank());
    stages.insert(stages.begin(), std::move(enter));
  }
  auto out = made(size, std::move(stages));
  if (out) out->goes_on = goes_on;
  return out;
}

std::optional<OnNumbers> NumberOffer::read(std::string_view key) {
  const std::string_view* text = key.empty() ? &offer.text : offer.argument(key);
  if (text == nullptr)
    return offer.wrong({}, {ErrorCode::Value, fmt::format("{} needs '{}', a layout", offer.claim, key), 0});
  const bool own = key.empty() || offer.family.recognises(*text);
  const use::Family* family = own ? &offer.family : use::family_of(*text, {});
  map::Tensor tensor;
  tensor.type = offer.tensor.type;
  auto size = family != nullptr && family->elements != nullptr ? family->elements(*text) : std::nullopt;
  if (key.empty() && family->elements != nullptr) size = checked_product(offer.tensor.size);
  tensor.size = {size.value_or(1)};
  const use::Reading* reading = offer.take(offer.read_key(key, tensor));
  if (reading == nullptr) return std::nullopt;
  if (!size && reading->layout() != nullptr)
    return offer.wrong(key, {ErrorCode::Value, "expected a layout whose text states its number of elements", 0});
  if (outside == Outside::Coalesced && reading->layout() != nullptr && family->coalesced != nullptr) {
    const auto other = family->read(family->coalesced(*text), tensor);
    VL_CHECK(other.has_value(), "a coalesced layout that its family does not read");
    return numbered(*other, tensor.size[0], family->goes_on, key);
  }
  return numbered(*reading, tensor.size[0], family->goes_on, key);
}

std::optional<OnNumbers> NumberOffer::read_rest(std::string_view of, Index cotarget) {
  if (offer.argument("rest") != nullptr) return read("rest");
  const std::string_view text = of.empty() ? offer.text : *offer.argument(of);
  const use::Family* family = of.empty() || offer.family.recognises(text) ? &offer.family : use::family_of(text, {});
  if (family == nullptr || family->complement == nullptr)
    return offer.wrong(
        of, {ErrorCode::Value, fmt::format("{} needs 'rest', a complement of {}", offer.claim, name_of(of)), 0});
  const auto rest = family->complement(text, cotarget);
  if (!rest)
    return undecidable(fmt::format("{} has no complement up to {}: {}", name_of(of), cotarget, rest.error().message));
  map::Tensor tensor;
  tensor.type = offer.tensor.type;
  tensor.size = {family->elements(*rest).value_or(1)};
  const auto reading = family->read(*rest, tensor);
  VL_CHECK(reading.has_value(), "a complement that its family does not read");
  return numbered(*reading, tensor.size[0], family->goes_on, "rest");
}

std::optional<OnNumbers> NumberOffer::after(const OnNumbers& outer, const OnNumbers& inner, std::string what) {
  const bool beyond = inner.values.high >= outer.size;
  const bool goes_on = has_more(outside) && beyond;
  if (goes_on && !outer.goes_on)
    return offer.wrong("outside", {ErrorCode::Value,
                                   fmt::format("{} is asked for {}, and its family does not say what a layout has "
                                               "beyond its last element",
                                               what, inner.values.high),
                                   0});
  const Index end = goes_on ? std::max<Index>(inner.values.high, 0) + 1 : outer.size;
  if (!has_more(outside) || inner.values.low < 0) {
    auto values = over_numbers(inner.size, inner.stages, end);
    if (!values) return undecidable("it is not composed: " + values.error().message);
    asked.push_back({offer.keep(std::move(*values)), std::move(what)});
  }
  std::vector<map::Stage> stages = inner.stages;
  stages.insert(stages.end(), outer.stages.begin(), outer.stages.end());
  return made(inner.size, std::move(stages));
}

std::optional<OnNumbers> NumberOffer::joined(const OnNumbers& low, const OnNumbers& high) {
  const auto size = checked_mul(low.size, high.size);
  if (!size || *size == 0) return undecidable("the two sizes' product leaves 64 bits, or is 0");
  std::vector<map::Stage> stages{map::Split{0, {low.size, 1}}};  // n -> j, i
  for (map::Stage& stage : map::carried(low.stages, 1)) stages.push_back(std::move(stage));
  stages.emplace_back(Affine{{map::pick(1), map::pick(0)}});
  for (map::Stage& stage : map::carried(high.stages, 1)) stages.push_back(std::move(stage));
  stages.emplace_back(Affine{{map::Row{0, {{0, 1}, {1, 1}}}}});
  return made(*size, std::move(stages));
}

bool NumberOffer::same(const OnNumbers& f, const OnNumbers& g, std::string_view sizes) {
  rules.push_back({f.size == g.size ? std::string(sizes) : fmt::format("{}: {} and not {}", sizes, g.size, f.size),
                   f.size, g.size});
  if (f.size != g.size) return true;
  auto first = over_numbers(f.size, f.stages), second = over_numbers(g.size, g.stages);
  VL_CHECK(first && second, "a function that was made before");
  result = offer.keep(std::move(*first)), law = offer.keep(std::move(*second));
  return true;
}

std::optional<NumberLaw> NumberLaw::bind(Offer& offer) {
  if (offer.first() == nullptr) return std::nullopt;
  if (offer.family.elements == nullptr)
    return offer.wrong({}, {ErrorCode::Value,
                            fmt::format("layouts of the family {} have no claim {}: their text does "
                                        "not state how many elements they have",
                                        offer.family.name, offer.claim),
                            0});
  const auto outside = outside_of(offer);
  if (!outside) return std::nullopt;
  NumberOffer made{offer, *outside};
  if (!offer.numbers(made)) return std::nullopt;
  const auto* rules = offer.keep(std::move(made.rules));
  const auto* asked = offer.keep(std::move(made.asked));
  return NumberLaw{made.result, made.law, *rules, *asked, *outside};
}

Verdict obeys_on_numbers(const NumberLaw& about, Inquiry& inquiry) {
  if (auto broken = broken_rule(about.rules)) return inquiry.refuted(std::move(*broken));
  VL_CHECK(about.result != nullptr && about.law != nullptr, "no law, and every rule holds");
  for (const NumberLaw::Asked& asked : about.asked) {
    const auto beyond = [&](const Witness& w) {
      const Index value = spot_of(*asked.values, w.p).outputs[0];
      const Index size = asked.values->physical().extent(0);
      return Counterexample{
          {{"a", w.p}, {"value", value}, {"size", size}},
          fmt::format("{} is asked for {} at {}, and has the numbers below {}", asked.what, value, show(w.p), size)};
    };
    auto no = inquiry.unless_none({Kind::Escapes, asked.values, nullptr}, beyond);
    if (!no) continue;
    auto* refuted = std::get_if<Refuted>(&*no);
    if (refuted == nullptr) return std::move(*no);
    if (about.outside == Outside::Reject) {
      refuted->counterexample.minimal = false;  // a smaller number may be taken to another one than the law says
      return std::move(*no);
    }
    return unsupported(refuted->counterexample.explanation +
                       (has_more(about.outside) ? "; below 0 there is no value"
                                                : "; outside=last-mode, coalesced or reject says what holds there"));
  }
  return same_over_axes(*about.result, *about.law, "number {} is taken to {}, and the law says {}", inquiry);
}

}  // namespace vl::claims
