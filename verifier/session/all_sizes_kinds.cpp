// How each kind of claim is answered for all sizes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/guess.h"
#include "verifier/session/all_sizes_case.h"
#include "verifier/session/conditions.h"
#include "verifier/session/rule_accesses.h"
#include "verifier/session/rule_kinds.h"
#include "verifier/session/rule_masks.h"
#include "verifier/session/rule_words.h"

namespace vl::session {

using claims::Lifted;
using engines::AllSizesPart;
using map::Expression;
using question::Reason;
using question::Unknown;

namespace {

// A name in the nests that is no symbol of the rule.
std::optional<std::string> unknown_name(const use::RuleTransfer& transfer, const map::Rule& rule) {
  std::vector<std::string> names;
  for (const use::RuleNest& nest : transfer.nests) {
    for (const Expression& extent : nest.extents) map::add_names(extent, names);
    for (const use::RuleWalk* walk : {&nest.host, &nest.device, &nest.from}) {
      map::add_names(walk->offset, names);
      for (const Expression& stride : walk->strides) map::add_names(stride, names);
    }
  }
  for (const std::string& name : names)
    if (std::ranges::find(rule.symbols, name, &map::Symbol::name) == rule.symbols.end()) return name;
  return std::nullopt;
}

}  // namespace

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

// Nests: the checker's proof of them is the only one. Each case of their extents has instances that are decided.
void AllSizesCase::by_nests(const ClaimRequest& claim, question::Answer& out) {
  std::vector<Expression> extents;
  for (const use::RuleNest& nest : claim.rule_nests->nests)
    extents.insert(extents.end(), nest.extents.begin(), nest.extents.end());
  if (auto name = unknown_name(*claim.rule_nests, of_.rule)) {
    wrong_ = claim.nests_at.diagnose({ErrorCode::Value, fmt::format("the layout has no name {}", *name), 0});
    return;
  }
  const engines::Leaves cells = all_cells(extents);
  if (claim.rule_nests->direction != use::Direction::DeviceToDevice) return by_checker(claim, cells, out);
  const auto source = rule_of_source(claim, of_.request, of_.rule, read_.reading.space);
  const auto* from = std::get_if<map::Rule>(&source);
  if (from != nullptr && use::with_elements(*claim.rule_nests, *from, of_.rule)) return by_checker(claim, cells, out);
  out.all_sizes->cells = cells.all.size();
  if (!only_proofs_)
    if (auto refuted = smallest_refuted(of_, claim, cells, instances_, {})) return refute(*refuted, out);
  out.verdict =
      Unknown{Reason::OutOfReach,
              from != nullptr ? "not shown for all sizes: which elements the nests move is not found, since a step or "
                                "an offset is along no digit of the layouts; no small instance is refuted"
                              : "the layout from which the nests move has other names, or is not encoded for all sizes",
              "polynomial"};
}

// Whether one of a few instances is refuted: then no proof is looked for, which may take long.
bool AllSizesCase::fails_nearby(const ClaimRequest& claim, const engines::Leaves& all) {
  constexpr std::size_t kMostLooked = 24, kEach = 2;
  constexpr Index kMostElements = Index{1} << 16;  // of more, one question may take all the work
  const Instances::Search search(instances_, 2);
  const Expression volume = map::product_of(of_.rule.logical);
  std::size_t looked = 0;
  const auto is_refuted = [&](const map::Sizes& sizes) {
    const auto elements = map::evaluate(volume, sizes);
    if (!elements || *elements > kMostElements || ++looked > kMostLooked || search.is_over()) return false;
    const auto judged = instances_.decide(claim, sizes);
    return judged && std::holds_alternative<question::Refuted>(judged->verdict);
  };
  for (const engines::Leaf& leaf : all.all)
    for (const map::Sizes& sizes : leaf.cell.samples(kEach))
      if (is_refuted(sizes)) return true;
  use::Random random(20261130, 3, 0);
  for (std::size_t k = 0; k < kMostLooked && looked < kMostLooked && !all.all.empty(); ++k)
    if (const auto sizes = all.all[random.below(all.all.size())].cell.drawn(random); sizes && is_refuted(*sizes))
      return true;
  return false;
}

// The checker's proof is the only one; else an instance refutes it.
void AllSizesCase::by_checker(const ClaimRequest& claim, const engines::Leaves& all, question::Answer& out) {
  out.all_sizes->cells = all.all.size();
  if (!fails_nearby(claim, all) && is_shown_where(claim, of_.request, read_, numbers_, {{}}, effort()))
    return confirm(claim, all, out);
  if (!only_proofs_)
    if (auto refuted = smallest_refuted(of_, claim, all, instances_, {})) return refute(*refuted, out);
  out.verdict = Unknown{Reason::OutOfReach, "not shown for all sizes; no small instance is refuted", "polynomial"};
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

// A swizzle of absolute addresses: the checker's proof is the only one, since no size plays a part in it.
void AllSizesCase::by_base(const ClaimRequest& claim, question::Answer& out) {
  if (!of_.rule.swizzle || of_.rule.swizzle->bits == 0) {
    out.verdict = Unknown{Reason::Vacuous, "the layout has no swizzle", "polynomial"};
    return;
  }
  by_number(claim, "no small instance says what the base is", out);
}

// Where rows begin: the checker's proof is the only one.
void AllSizesCase::by_row_starts(const ClaimRequest& claim, question::Answer& out) {
  const std::string why = why_no_addresses(of_.rule, read_.reading);
  if (!why.empty()) {
    out.verdict = Unknown{Reason::Unsupported, why, {}};
    return;
  }
  by_number(claim, "no small instance says what the alignment is", out);
}

// What a mask keeps: the checker's proof is the only one.
void AllSizesCase::by_mask(const ClaimRequest& claim, question::Answer& out) {
  const auto shape = mask_shape(claim);
  if (const auto* wrong = std::get_if<TextError>(&shape)) {
    wrong_ = wrong->diagnose();
    return;
  }
  const auto* sizes = std::get_if<std::vector<Expression>>(&shape);
  std::vector<std::string> names;
  for (const Expression& size : sizes != nullptr ? *sizes : std::vector<Expression>{}) map::add_names(size, names);
  for (const std::string& name : names)
    if (std::ranges::find(of_.rule.symbols, name, &map::Symbol::name) == of_.rule.symbols.end()) {
      wrong_ = claim.text("mask")->diagnose({ErrorCode::Value, fmt::format("the layout has no name {}", name), 0});
      return;
    }
  const bool known = sizes != nullptr && kept_by_mask(of_.rule, *sizes);
  if (known) {
    by_checker(claim, all_cells(), out);
    return unless_well_formed("there is no array of all shards", out);
  }
  const char* none = "there is no array of all shards of it for all sizes; --at-sizes asks one size";
  out.verdict = Unknown{Reason::Unsupported, sizes != nullptr ? none : std::get<std::string>(shape), {}};
}

// Of a claim with a number, which an instance says: the checker's proof is the only one.
void AllSizesCase::by_number(const ClaimRequest& claim, const char* none, question::Answer& out) {
  auto number = number_of(of_, claim, instances_);
  if (auto* wrong = std::get_if<Diagnostic>(&number)) {
    wrong_ = std::move(*wrong);
    return;
  }
  numbers_.number = std::get<0>(number);
  if (numbers_.number) return by_checker(claim, all_cells(), out);
  out.verdict = Unknown{Reason::OutOfReach, none, {}};
}

// A layout change from the layout to itself, by the map that its compiler makes.
void AllSizesCase::by_way_back(const ClaimRequest& claim, question::Answer& out) {
  if (!of_.rule.way_back || !is_to_itself(claim, of_.request)) {
    out.verdict = Unknown{
        Reason::Unsupported, "of layout changes with names only the compiler's of a layout to itself is answered", {}};
    return;
  }
  by_checker(claim, all_cells(), out);
  if (std::holds_alternative<question::Refuted>(out.verdict)) return say_when_strides_divide(claim, out);
  unless_well_formed("there is no layout change", out);
}

// What is unknown may be asked of sizes at which the layout breaks a law, so that nothing answers it there.
void AllSizesCase::unless_well_formed(const char* none, question::Answer& out) const {
  if (!std::holds_alternative<Unknown>(out.verdict) || engines::leaves_of_laws(of_.rule, in_time()).proved()) return;
  out.verdict = Unknown{Reason::Unsupported,
                        fmt::format("the layout is not well-formed at all sizes, and where it is not, {}", none),
                        {}};
}

// A second layout of the same tensor.
void AllSizesCase::by_equal(const ClaimRequest& claim, question::Answer& out) {
  auto other = rule_of_source(claim, of_.request, of_.rule, read_.reading.space);
  if (const auto* wrong = std::get_if<TextError>(&other)) {
    wrong_ = wrong->diagnose();
    return;
  }
  const auto* rule = std::get_if<map::Rule>(&other);
  if (rule == nullptr || rule->named_axes != of_.rule.named_axes) {
    const char* kinds = "one layout names its axes, the other counts places in memory";
    out.verdict = Unknown{Reason::Unsupported, rule == nullptr ? std::get<std::string>(other) : kinds, {}};
    return;
  }
  std::vector<Expression> parted_by;
  for (const map::RuleLevel& level : rule->levels) parted_by.push_back(level.extent), parted_by.push_back(level.weight);
  by_checker(claim, all_cells(parted_by), out);
  // Of sizes at which the second layout is none nothing is said.
  if (!std::holds_alternative<question::Proved>(out.verdict)) return;
  out.note = "for all sizes of which both are layouts";
  const std::vector<std::string> own = own_conditions(*rule, of_.rule.where);
  if (own.empty()) return;
  out.note += fmt::format(", the second one where {}", fmt::join(own, " and "));
  out.all_sizes->holds = Alternatives{own};
  out.all_sizes->exact = false;
}

// Where each stride of a number is a multiple of the next one, the way back is a mixed radix. Else take the last stride
// s that is no multiple of the next one, t. Of the element that is 1 in the dimension of s and 0 in all others the
// digits behind s are those of s mod t, which is not 0: one of them is wrong. So if that dimension has an element 1,
// the way back is right only where all of them are multiples. If it has none, it may be right all the same.
void AllSizesCase::say_when_strides_divide(const ClaimRequest& claim, question::Answer& out) {
  std::vector<std::string> divide, alone;
  bool exact = true;
  for (const map::RuleNumber& number : of_.rule.numbers)
    for (std::size_t k = 1; k < number.dims.size(); ++k) {
      const Expression &stride = of_.rule.strides[number.dims[k - 1]], &next = of_.rule.strides[number.dims[k]];
      if (use::quotient_of(stride, next)) continue;
      divide.push_back(map::print(Expression::of(Expression::Kind::Remainder, stride, next)) + " == 0");
      const Expression& extent = of_.rule.logical[number.dims[k - 1]];
      exact = exact && engines::leaves_of_sign(of_.rule, extent - 2, in_time()).proved();
      alone.push_back(map::print(extent) + " == 1");
    }
  Alternatives holds{divide};
  const auto is_shown = [&](const Alternatives& one) {
    return is_shown_where(claim, of_.request, read_, numbers_, one, effort());
  };
  if (divide.empty() || !is_readable(holds) || !is_shown(holds)) return;
  if (!exact && alone.size() == 1 && is_shown({alone})) holds.push_back(alone), exact = true;
  if (auto against = contradicted(claim, all_cells(), holds, exact, instances_)) return disagree(*against, out);
  out.all_sizes->holds = holds;
  out.all_sizes->exact = exact;
}

}  // namespace vl::session
