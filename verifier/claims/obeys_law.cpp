// obeys_law: the given result R of an operation, and the law E, which follows from the operation's definition, are the
// same set-valued map into named axes:
//   ∀ x: {R(x, r) : r} = {E(x, r') : r'}.
// An axis that one of them lacks is 0. Coordinates outside a declared box, and negative ones, are compared unchanged.
// Rules come first, have = want: the operation is possible on the layout, the result has the law's number of elements,
// a group's iters are split at the beginnings of its shape's dimensions.
//
// Vacuous if the result has no element.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

Verdict obeys_law(const LawResult& about, Inquiry& inquiry) {
  auto broken = broken_rule(about.rules);
  if (about.result == nullptr || about.law == nullptr) {
    VL_CHECK(broken, "a result or its law is absent, and every rule holds");
    return inquiry.refuted(std::move(*broken));
  }
  const map::Layout& result = *about.result;
  const map::Layout& law = *about.law;
  if (result.logical().volume() == 0) return inquiry.vacuous("the result has no element");
  if (!result.named_axes() || !law.named_axes()) return unsupported("a law is about layouts with named axes");
  if (broken) return inquiry.refuted(std::move(*broken));
  return same_over_axes(result, law, "element {} of the result lies at {}, the law says {}", inquiry);
}

// An operation's claim: its name, its keys, and its statement about the result.
constexpr Claim law(std::string_view name, std::string_view keys, std::string_view statement,
                    std::string_view witness = "a, physical, other; or have, want") {
  return {.name = name,
          .statement = statement,
          .witness = witness,
          .keys = {.all = keys, .sample = "…; with=LAYOUT"},
          .decide = obeys_law,
          .proof = {Part::SamePlaces}};
}

}  // namespace

std::optional<LawResult> LawResult::bind(Offer& offer) {
  if (offer.first() == nullptr) return std::nullopt;
  if (offer.family.law == nullptr)
    return offer.wrong({}, {ErrorCode::Value,
                            fmt::format("layouts of the family {} have no claim {}", offer.family.name, offer.claim)});
  auto made = offer.family.law(offer.claim, offer.text, offer.tensor, offer.arguments);
  if (const auto* error = std::get_if<use::LawError>(&made)) return offer.wrong(error->key, error->error);
  const auto broken = [&](use::Rule rule) {
    return LawResult{nullptr, nullptr, *offer.keep(std::vector<use::Rule>{std::move(rule)})};
  };
  if (auto* no = std::get_if<use::Impossible>(&made)) return broken(std::move(no->rule));
  const use::Law* law = offer.keep(std::get<use::Law>(std::move(made)));
  const std::string_view* with = offer.argument("with");
  const auto size = with != nullptr && offer.family.elements != nullptr ? offer.family.elements(*with) : std::nullopt;
  const Index want = law->expected.logical().volume();
  if (size && *size != want)
    return broken(
        {fmt::format("the result has as many elements as {}: {} and not {}", map::print(law->tensor), want, *size),
         *size, want});
  const use::Reading* result = offer.second(law->tensor);
  if (result == nullptr) return std::nullopt;
  return LawResult{result->layout(), &law->expected, law->rules};
}

extern const Claim kSlice = law("slice", "with region", "the second layout is the layout's restriction to a region");
extern const Claim kCanonical =
    law("canonical", "with", "the second layout is the layout's map, with thread axes fused into the outermost one");
extern const Claim kGroup = law(
    "group", "with shape", "the second layout is the layout's map, and its iters split at the boundaries of a shape");
extern const Claim kTile =
    law("tile", "with outer outer_shape inner_shape",
        "the second layout is the outer layout, one inner layout's span apart, tiled by the inner one");
extern const Claim kDirectSum = law("direct-sum", "with left left_shape right_shape",
                                    "the second layout is the sum of two layouts, over the product of their shapes");
extern const Claim kPermute = law("permute", "with order", "the second layout is the layout of the permuted tensor");
extern const Claim kBroadcast =
    law("broadcast", "with extent at",
        "the second layout is the layout with one more dimension, on which no place depends");
extern const Claim kPack =
    law("pack", "with factor", "the second layout is the layout of runs of `factor` elements, as one element each");
extern const Claim kUnpack =
    law("unpack", "with factor", "the second layout is the layout of the parts, `factor` of each element");
extern const Claim kFuse =
    law("fuse", "with axis", "the second layout is the layout with thread axes expressed in an outer one");
extern const Claim kSplit =
    law("split", "with axis", "the second layout is the layout with a thread axis expressed in two inner ones");
extern const Claim kSwizzle = law("swizzle", "with swizzle", "the second layout is the layout's places, swizzled");
}  // namespace vl::claims
