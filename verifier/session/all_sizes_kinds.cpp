// How each kind of claim is answered for all sizes.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/all_sizes_case.h"
#include "verifier/session/rule_accesses.h"
#include "verifier/session/rule_kinds.h"
#include "verifier/session/rule_words.h"

namespace vl::session {

using claims::Lifted;
using engines::AllSizesPart;
using map::Expression;
using question::Reason;
using question::Unknown;

std::vector<AllSizesPart> parts_of(Lifted lifted) {
  switch (lifted) {
    case Lifted::No:
    case Lifted::Rules:
    case Lifted::PaddingKind:
    case Lifted::Bytes:
    case Lifted::Fits:
    case Lifted::Conflicts:
    case Lifted::Wavefronts:
    case Lifted::Aligned:
    case Lifted::RowAligned:
    case Lifted::Occupied:
    case Lifted::MaskExact:
    case Lifted::WayBack:
    case Lifted::Equal: return {};
    case Lifted::InBox: return {AllSizesPart::InBox};
    case Lifted::Apart: return {AllSizesPart::Apart};
    case Lifted::Bijective: return {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
    case Lifted::Onto: return {AllSizesPart::Onto};
    case Lifted::Padding: return {AllSizesPart::Counted};
    case Lifted::Identity: return {AllSizesPart::Identity};
  }
  VL_CHECK(false, "a claim is lifted to nothing");
}

void AllSizesCase::decide(const ClaimRequest& claim, question::Answer& out) {
  if (claim.rule_nests != nullptr) return by_nests(claim, out);
  const bool counts = claim.claim->of_slots || claim.claim->lifted == Lifted::Bytes;
  if (counts && read_.reading.skips_cores) {
    out.verdict = Unknown{Reason::Unsupported,
                          "the cores do not begin at (0, 0), and slots are counted for all sizes only from there; "
                          "--at-sizes asks one size",
                          {}};
    return;
  }
  switch (claim.claim->lifted) {
    case Lifted::No:
      out.verdict = Unknown{Reason::Unsupported, "this claim is not answered for all sizes; --at-sizes asks one", {}};
      return;
    case Lifted::Rules: return by_rules(claim, out);
    case Lifted::PaddingKind: return by_kind(claim, out);
    case Lifted::Bytes: return by_box(claim, out);
    case Lifted::Fits: return by_size(claim, out);
    case Lifted::Conflicts:
    case Lifted::Wavefronts: return by_lanes(claim, out);
    case Lifted::Aligned: return by_base(claim, out);
    case Lifted::RowAligned: return by_row_starts(claim, out);
    case Lifted::Occupied:
      by_number(claim, "no small instance says on which cores it lies", out);
      return unless_well_formed("its cores are not known", out);
    case Lifted::MaskExact: return by_mask(claim, out);
    case Lifted::WayBack: return by_way_back(claim, out);
    case Lifted::Equal: return by_equal(claim, out);
    case Lifted::Identity:
      if (of_.rule.numbers.empty()) return by_parts(claim, out);
      if (!of_.rule.named_axes) return by_checker(claim, all_cells(), out);
      out.verdict = Unknown{Reason::Unsupported, "no offset identity is encoded of cores and their memories", {}};
      return;
    case Lifted::InBox:
    case Lifted::Apart:
    case Lifted::Bijective:
    case Lifted::Onto:
    case Lifted::Padding: return by_parts(claim, out);
  }
  VL_CHECK(false, "a claim is lifted to nothing");
}

void AllSizesCase::by_leaves(const ClaimRequest& claim, const engines::Leaves& leaves, const HoldsAt& holds_at,
                             question::Answer& out) {
  question::ForAllSizes& all = *out.all_sizes;
  all.cells = leaves.all.size();
  if (leaves.proved()) return confirm(claim, leaves, out);
  const bool measures = claim.claim->measures && !claim.at_most;
  if (!measures && !only_proofs_) {
    if (auto against = say_when(claim, leaves, all)) return disagree(*against, out);
    if (auto refuted = smallest_refuted(of_, claim, leaves, instances_, holds_at)) return refute(*refuted, out);
  }
  // Without an instance that fails, what the leaves say is not confirmed.
  all.holds.reset();
  all.exact = false;
  const auto open = std::ranges::find_if(
      leaves.all, [](const engines::Leaf& leaf) { return leaf.kind != engines::Leaf::Kind::Holds; });
  out.verdict = Unknown{Reason::OutOfReach,
                        fmt::format("not shown for all sizes: {}{}", open == leaves.all.end() ? "" : open->why,
                                    measures ? "" : "; no small instance is refuted"),
                        "polynomial"};
}

void AllSizesCase::by_parts(const ClaimRequest& claim, question::Answer& out) {
  const std::vector<AllSizesPart> parts = parts_of(claim.claim->lifted);
  const auto holds_at = [&](const engines::AllSizesOptions& options) {
    return engines::leaves_of(of_.rule, parts, options).proved();
  };
  by_leaves(claim, engines::leaves_of(of_.rule, parts, in_time()), holds_at, out);
}

// The family's rules: those that do not depend on sizes are the same of every instance, and the rule's laws do.
void AllSizesCase::by_rules(const ClaimRequest& claim, question::Answer& out) {
  const bool hold =
      std::ranges::all_of(read_.reading.rules, [](const use::Rule& rule) { return rule.have == rule.want; });
  const engines::Leaves leaves{{}, true};
  if (!hold) {
    if (auto refuted = smallest_refuted(of_, claim, leaves, instances_, {})) {
      out.all_sizes->holds.emplace();
      out.all_sizes->exact = true;
      return refute(*refuted, out);
    }
    out.verdict = Unknown{Reason::OutOfReach, "a rule does not hold, and no small instance exists", "polynomial"};
    return;
  }
  const auto holds_at = [&](const engines::AllSizesOptions& options) {
    return engines::leaves_of_laws(of_.rule, options).proved();
  };
  by_leaves(claim, engines::leaves_of_laws(of_.rule, in_time()), holds_at, out);
}

// The bytes of the box, which are an expression.
void AllSizesCase::by_box(const ClaimRequest& claim, question::Answer& out) {
  const auto sized = sized_rule(of_.rule, read_.reading);
  if (const auto* why = std::get_if<std::string>(&sized)) {
    out.verdict = Unknown{Reason::Unsupported, *why, {}};
    return;
  }
  numbers_.value = bytes_of(std::get<SizedRule>(sized));
  const engines::Leaves cells = all_cells();
  out.all_sizes->cells = cells.all.size();
  confirm(claim, cells, out);
}

// The slots of one kind of padding, which are an expression.
void AllSizesCase::by_kind(const ClaimRequest& claim, question::Answer& out) {
  auto number = number_of(of_, claim, instances_);
  if (auto* wrong = std::get_if<Diagnostic>(&number)) {
    wrong_ = std::move(*wrong);
    return;
  }
  const auto kind = rules_of_kind(claim, read_.reading);
  const auto unsupported = [&](std::string why) { out.verdict = Unknown{Reason::Unsupported, std::move(why), {}}; };
  if (const auto* why = std::get_if<std::string>(&kind)) return unsupported(*why);
  if (!engines::leaves_of_sign(of_.rule, map::product_of(of_.rule.logical) - 1, in_time()).proved())
    return unsupported("the tensor may have no element, and its padding is of no kind then");
  numbers_.value = slots_of(std::get<RulesOfKind>(kind));
  if (has_one_place_each(of_.rule, in_time())) by_checker(claim, all_cells(), out);
  else unsupported("two elements may have one place, or one may have none, and padding is of no kind then");
  unless_well_formed("its padding is of no kind", out);
}

// Whether the bytes of one memory, which are an expression, are at most what they are asked with.
void AllSizesCase::by_size(const ClaimRequest& claim, question::Answer& out) {
  auto number = number_of(of_, claim, instances_);
  if (auto* wrong = std::get_if<Diagnostic>(&number)) wrong_ = std::move(*wrong);
  if (!wrong_) numbers_.number = std::get<0>(number);
  const auto room = room_left(of_.rule, read_.reading, numbers_.number);
  if (const auto* unknown = std::get_if<Unknown>(&room)) {
    out.verdict = *unknown;
    return;
  }
  const auto& left = std::get<Expression>(room);
  const auto holds_at = [&](const engines::AllSizesOptions& options) {
    return engines::leaves_of_sign(of_.rule, left, options).proved();
  };
  by_leaves(claim, engines::leaves_of_sign(of_.rule, left, in_time()), holds_at, out);
}

// The cost of an access, of which the lanes do not depend on sizes.
void AllSizesCase::by_lanes(const ClaimRequest& claim, question::Answer& out) {
  auto read = rule_access(claim, read_);
  if (auto* wrong = std::get_if<Diagnostic>(&read)) {
    wrong_ = std::move(*wrong);
    return;
  }
  if (auto* unknown = std::get_if<Unknown>(&read)) {
    out.verdict = std::move(*unknown);
    return;
  }
  const auto& access = std::get<engines::RuleAccess>(read);
  const auto kind =
      claim.claim->lifted == Lifted::Wavefronts ? engines::LaneCost::Wavefronts : engines::LaneCost::Excess;
  const std::optional<Index> limit = claim.claim->measures ? claim.at_most : 0;
  const auto leaves_at = [&](const engines::AllSizesOptions& options) {
    return engines::leaves_of_lanes(of_.rule, access, kind, limit, options);
  };
  const auto holds_at = [&](const engines::AllSizesOptions& options) { return leaves_at(options).leaves.proved(); };
  const auto [leaves, costs] = leaves_at(in_time());
  if (limit || !leaves.proved()) return by_leaves(claim, leaves, holds_at, out);
  out.all_sizes->cells = leaves.all.size();
  const auto [least, most] = std::ranges::minmax_element(costs);
  if (least != costs.end() && *least != *most) {
    const std::string range = fmt::format("it depends on the sizes: from {} to {}", *least, *most);
    out.verdict = Unknown{Reason::OutOfReach, range, "polynomial"};
    return;
  }
  numbers_.value = least == costs.end() ? 0 : *least;
  confirm(claim, leaves, out);
}

}  // namespace vl::session
