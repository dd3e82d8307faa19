// move-implements: a move from one layout to another takes each element of one tensor to a place of its own. With S and
// D the layouts of the source and of the result, over tensors T_S and T_D:
//   (1) T_S and T_D have the same sizes: no element is left behind, and none comes from nowhere
//   (2) ∀ x: S(x) and D(x) are slots
//   (3) ∀ x ≠ y: D(x) ≠ D(y)
// `with` is the source's type, `with_tensor` its tensor; else it is the result's. Vacuous if there is no element.
//
// Example: from 64x50 to 64x64 element [0, 50] of the result is none of the source.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/base/words.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

std::vector<Index> sizes_of(const map::Layout& layout) {
  std::vector<Index> out;
  for (const map::Dim& dim : layout.logical().dims()) out.push_back(dim.extent);
  return out;
}

// The least element that the first tensor has, and the second has not. Requires: it has elements.
std::optional<Point> least_missing(const std::vector<Index>& in, const std::vector<Index>& out) {
  for (std::size_t i = in.size(); i-- > 0;) {
    if (in[i] <= out[i]) continue;
    Point element(in.size(), 0);
    element[i] = out[i];
    return element;
  }
  return std::nullopt;
}

std::optional<Counterexample> of_other_size(const Moved& about) {
  const std::vector<Index> to = sizes_of(about.layout), from = sizes_of(about.from);
  const auto lost = least_missing(from, to), made = least_missing(to, from);
  if (!lost && !made) return std::nullopt;
  const bool leaves = lost && (!made || *lost < *made);
  const Point& element = leaves ? *lost : *made;
  return Counterexample{
      {{"a", element}},
      fmt::format("the source is {}, and the result {}: element {} of the {} is none of the {}", fmt::join(from, "x"),
                  fmt::join(to, "x"), show(element), leaves ? "source" : "result", leaves ? "result" : "source")};
}

Verdict moves(const Moved& about, Inquiry& inquiry) {
  if (about.layout.logical().rank() != about.from.logical().rank())
    return inquiry.out_of_reach("the source and the result have other numbers of dimensions");
  if (about.layout.domain().volume() == 0 && about.from.domain().volume() == 0)
    return inquiry.vacuous("the tensor has no element");
  if (auto other = of_other_size(about)) return inquiry.refuted(std::move(*other));
  for (const map::Layout* layout : {&about.from, &about.layout}) {
    const auto outside = [&](const Witness& w) {
      return missing(*layout, w.p,
                     layout == &about.from ? "element {} of the source has no slot: {}"
                                           : "element {} of the result has no slot: {}");
    };
    if (auto no = inquiry.unless_none({Kind::Escapes, layout, nullptr}, outside)) return std::move(*no);
  }
  return inquiry.settle({Kind::Collides, &about.layout, nullptr},
                        [&](const Witness& w) { return colliding(about.layout, w.p, w.q); });
}

std::string move_note(const use::Reading& reading, bool) {
  const map::Layout& layout = *reading.counted();
  return fmt::format("{} of the source, each at a place of its own, of {}",
                     plural(layout.logical().volume(), "element"), plural(layout.physical().volume(), "slot"));
}

}  // namespace

std::optional<Moved> Moved::bind(Offer& offer) {
  map::Tensor tensor = offer.tensor;
  if (const auto* text = offer.argument("with_tensor")) {
    auto own = map::parse_tensor(*text);
    if (!own) return offer.wrong("with_tensor", own.error());
    tensor = std::move(*own);
  }
  const use::Reading* second = offer.second(tensor);
  const map::Layout* layout = offer.first();
  if (second == nullptr || layout == nullptr) return std::nullopt;
  return Moved{*layout, *second->layout()};
}

extern const Claim kMoveImplements = {
    .name = "move-implements",
    .statement = "a move takes each element of its source to a place of its own in its result",
    .witness = "a; or a, physical; or a, b, physical",
    .keys = {"with with_tensor", "TYPE", true},
    .decide = moves,
    .proof = {Part::InBox, Part::None, Part::OperandsApart},
    .note = move_note};

}  // namespace vl::claims
