// Claims of which the checker's proof for all sizes is the only one: loop nests, second layouts, where rows begin,
// masks, the way back. Else an instance refutes them.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/guess.h"
#include "encodings/use/random.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/all_sizes_case.h"
#include "verifier/session/conditions.h"
#include "verifier/session/rule_masks.h"
#include "verifier/session/rule_words.h"

namespace vl::session {

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
  const auto is_over = [&] { return looked >= kMostLooked || search.is_over(); };
  const auto is_refuted = [&](const map::Sizes& sizes) {
    const auto elements = map::evaluate(volume, sizes);
    if (!elements || *elements > kMostElements || is_over()) return false;
    ++looked;
    const auto judged = instances_.decide(claim, sizes);
    return judged && std::holds_alternative<question::Refuted>(judged->verdict);
  };
  for (std::size_t k = 0; k < all.all.size() && !is_over(); ++k)
    for (const map::Sizes& sizes : all.all[k].cell.samples(kEach))
      if (is_refuted(sizes)) return true;
  use::Random random(20261130, 3, 0);
  for (std::size_t k = 0; k < kMostLooked && !all.all.empty() && !is_over(); ++k)
    if (const auto sizes = all.all[random.below(all.all.size())].cell.drawn(random); sizes && is_refuted(*sizes))
      return true;
  return false;
}

// The checker's proof is the only one; else an instance refutes it.
void AllSizesCase::by_checker(const ClaimRequest& claim, const engines::Leaves& all, question::Answer& out) {
  out.all_sizes->cells = all.all.size();
  if (!fails_nearby(claim, all))
    cases_ = claims::all_sizes_cases(rule_statement(claim, of_.request, read_, numbers_), effort());
  if (cases_) return confirm(claim, all, out);
  if (!only_proofs_)
    if (auto refuted = smallest_refuted(of_, claim, all, instances_, {})) return refute(*refuted, out);
  out.verdict = Unknown{Reason::OutOfReach, "not shown for all sizes; no small instance is refuted", "polynomial"};
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
  const std::vector<map::Condition> own = existence_of(*rule, of_.rule.where).own;
  if (own.empty()) return;
  out.all_sizes->holds = Alternatives{own};
  out.note += ", the second one where " + question::in_words(*out.all_sizes->holds);
  out.all_sizes->exact = false;
}

// Where each stride of a number is a multiple of the next one, the way back is a mixed radix. Else take the last stride
// s that is no multiple of the next one, t. Of the element that is 1 in the dimension of s and 0 in all others the
// digits behind s are those of s mod t, which is not 0: one of them is wrong. So if that dimension has an element 1,
// the way back is right only where all of them are multiples. If it has none, it may be right all the same.
void AllSizesCase::say_when_strides_divide(const ClaimRequest& claim, question::Answer& out) {
  std::vector<map::Condition> divide, alone;
  bool exact = true;
  using Relation = map::Condition::Relation;
  for (const map::RuleNumber& number : of_.rule.numbers)
    for (std::size_t k = 1; k < number.dims.size(); ++k) {
      const Expression &stride = of_.rule.strides[number.dims[k - 1]], &next = of_.rule.strides[number.dims[k]];
      if (use::quotient_of(stride, next)) continue;
      divide.push_back({Expression::of(Expression::Kind::Remainder, stride, next), Relation::Equal, 0});
      const Expression& extent = of_.rule.logical[number.dims[k - 1]];
      exact = exact && engines::leaves_of_sign(of_.rule, extent - 2, in_time()).proved();
      alone.push_back({extent, Relation::Equal, 1});
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
