#include "verifier/session/all_sizes_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/engines/solvers/rule_obligations.h"
#include "verifier/engines/solvers/rule_sets.h"
#include "verifier/session/conditions.h"
#include "verifier/session/judge_parts.h"
#include "verifier/session/rule_words.h"

namespace vl::session {

using claims::Lifted;
using map::Expression;
using question::Proved;
using question::Reason;
using question::Unknown;

namespace {

constexpr std::uint64_t kOpinionUnits = 8'000'000;  // of one question of a second opinion: about two seconds

// Whether at all sizes some extent is 0. Where it is so at some sizes only, the others decide a claim.
bool has_no_element(const map::Rule& rule) {
  return std::ranges::all_of(engines::cells_of(rule), [&](const engines::Cell& cell) {
    return std::ranges::any_of(rule.logical, [&](const Expression& size) {
      const engines::OnCell value = cell.value(size);
      const auto* extent = std::get_if<map::Polynomial>(&value);
      return extent != nullptr && cell.may_show(map::Polynomial(0) - *extent);
    });
  });
}

std::string lifted_mismatch(const map::Rule& rule, const ClaimRequest& claim, const question::ForAllSizes& got,
                            bool is_proved) {
  if (claim.expression && (!is_proved || !got.value || !same_value(rule, *got.value, *claim.expression)))
    return fmt::format("expected {}, got {}", *claim.expression, got.value.value_or("no expression"));
  if (claim.holds && (!got.holds || !got.exact || !same_alternatives(rule, *claim.holds, *got.holds)))
    return fmt::format("expected that it holds iff {}, got {}", *claim.holds,
                       got.holds && got.exact ? question::in_words(*got.holds) : "nothing known");
  return {};
}

}  // namespace

question::Answer AllSizesCase::answer(const ClaimRequest& claim, const std::string& stem,
                                      std::optional<Diagnostic>& unwritten) {
  existing_.clear();
  cases_.reset();
  numbers_ = {};
  const auto start = std::chrono::steady_clock::now();
  question::Answer out;
  out.claim = claim.claim->name;
  out.expected = claim.expected;
  out.asked = asked_of(claim);
  out.all_sizes.emplace();
  out.verdict = Unknown{Reason::Unsupported, "what the claim asks is wrong", {}};  // until it is decided
  decide(claim, out);
  spare_computed(claim, out);
  const bool told = of_.options.budget.interrupted() && std::holds_alternative<Unknown>(out.verdict);
  if (told) out.verdict = Unknown{Reason::Interrupted, "it was not decided when the run was told to end", {}};
  out.micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  if (told) {
    out.expected.reset();
    return out;
  }
  certify(claim, stem, out, unwritten);
  if (of_.options.budget.is_late() && is_open(out.verdict)) out.verdict = timed_out(of_.options.budget);
  if (claim.expression) out.expected = *claim.expression;
  ClaimRequest plain = claim;
  plain.holds.reset();
  plain.expression.reset();
  out.mismatch = mismatch_of(plain, out.verdict);
  if (out.mismatch.empty())
    out.mismatch = lifted_mismatch(of_.rule, claim, *out.all_sizes, std::holds_alternative<Proved>(out.verdict));
  out.as_expected = out.mismatch.empty();
  return out;
}

void AllSizesCase::spare_computed(const ClaimRequest& claim, question::Answer& out) {
  const auto* refuted = std::get_if<question::Refuted>(&out.verdict);
  const auto& computed = of_.request.computed;
  if (refuted == nullptr || computed.empty()) return;
  const bool said = out.all_sizes->holds && !out.all_sizes->holds->empty();
  if (!said && !holds_somewhere(claim)) return;
  const auto& [name, line] = computed.front();
  out.all_sizes->sizes.clear();
  out.all_sizes->instance.reset();
  out.verdict = Unknown{Reason::OutOfReach,
                        fmt::format("it does not hold at every size ({}), and line {} of the file computes '{}': give "
                                    "its number with --define, or conditions with --where",
                                    refuted->counterexample.explanation, line, name),
                        refuted->engine};
}

bool AllSizesCase::holds_somewhere(const ClaimRequest& claim) {
  int left = 64;
  for (const engines::Cell& cell : engines::cells_of(of_.rule))
    for (const map::Sizes& sizes : cell.samples(24)) {
      const auto judged = instances_.decide(claim, sizes);
      if (judged && std::holds_alternative<question::Proved>(judged->verdict)) return true;
      if (judged && --left == 0) return false;
    }
  return false;
}

// A proof of which the checker accepts no certificate is none.
void AllSizesCase::certify(const ClaimRequest& claim, const std::string& stem, question::Answer& out,
                           std::optional<Diagnostic>& unwritten) {
  if (std::holds_alternative<question::Refuted>(out.verdict)) return certify_instance(claim, stem, out, unwritten);
  const Certified made =
      certificates_.certify(claim, existing_, numbers_, effort(), std::move(cases_), out.verdict, stem);
  out.rests_on = made.rests_on;
  out.certificate_micros = static_cast<double>(made.time.count()) / 1000.0;
  if (made.unwritten) unwritten = made.unwritten;
  const auto* proved = std::get_if<Proved>(&out.verdict);
  if (proved == nullptr || proved->trust == question::Trust::Checked) return;
  out.verdict = Unknown{Reason::OutOfReach, "shown, but no certificate of it is accepted", "polynomial"};
  out.all_sizes->value.reset();
  out.all_sizes->holds.reset();
  out.all_sizes->exact = false;
  out.note.clear();
}

void AllSizesCase::certify_instance(const ClaimRequest& claim, const std::string& stem, question::Answer& out,
                                    std::optional<Diagnostic>& unwritten) {
  const map::Sizes sizes(out.all_sizes->sizes.begin(), out.all_sizes->sizes.end());
  const Instances::Instance* instance = instances_.at(sizes);
  if (options_.folder.empty() || claim.rule_nests != nullptr || instance == nullptr) return;
  const auto found = instances_.about(claim, sizes);
  const auto* bound = found ? std::get_if<Bound>(&*found) : nullptr;
  const auto asked = instances_.claim_at(claim, *instance, sizes);
  if (bound == nullptr || !bound->about || !asked) return;
  ReadAgain again(instance->request);
  const Certified made = session::certify(*asked, instance->request, instance->subject, *bound, out.verdict, options_,
                                          stem, of_.options.budget, again);
  out.certificate_micros = static_cast<double>(made.time.count()) / 1000.0;
  if (made.unwritten) unwritten = made.unwritten;
}

void AllSizesCase::confirm(const ClaimRequest& claim, const engines::Leaves& leaves, question::Answer& out) {
  const std::optional<Expression> value = measured(*claim.claim, of_.rule, numbers_);
  Sampled found = sampled(claim, leaves, value, instances_);
  out.all_sizes->instances = found.decided;
  if (found.against) return disagree(*found.against, out);
  if (found.existing == 0) {
    // No cell is left: the conditions exclude one another. Else sizes may exist that were not found.
    out.verdict = leaves.all.empty() ? Unknown{Reason::Vacuous, std::string(kNoSizes), "polynomial"}
                                     : Unknown{Reason::OutOfReach,
                                               "shown, but no sizes were found of which a layout exists", "polynomial"};
    return;
  }
  if (found.vacuous && has_no_element(of_.rule)) {
    out.verdict = Unknown{Reason::Vacuous, *found.vacuous, "polynomial"};
    return;
  }
  if (found.decided == 0) {
    out.verdict = Unknown{Reason::OutOfReach, "shown, but no instance was decided by another engine", "polynomial"};
    return;
  }
  if (found.bare > 0) {
    const char* where = found.bare == 1 ? "in one of its cells" : "in some of its cells";
    out.verdict = Unknown{Reason::OutOfReach,
                          fmt::format("shown, but {} no instance was decided by another engine", where), "polynomial"};
    return;
  }
  if (value) {
    if (!says_value(claim, *value, out)) return;
  } else {
    out.all_sizes->holds.emplace(1);  // always
    out.all_sizes->exact = true;
    out.note = claim.claim->lifted == Lifted::Bijective
                   ? fmt::format("{} elements in one-to-one correspondence with the valid slots",
                                 print_of(of_.rule, map::product_of(of_.rule.logical)))
                   : "for all sizes";
    if (claim.claim->lifted == Lifted::InBox)
      if (const std::string span = claim.claim->note(read_.reading, false); !span.empty()) out.note += ", " + span;
  }
  if (of_.options.cross_check && !is_agreed(claim, leaves, out)) return;
  out.verdict = Proved{"polynomial", question::Trust::Trusted, {}};
  existing_ = std::move(found.found);
}

bool AllSizesCase::is_agreed(const ClaimRequest& claim, const engines::Leaves& leaves, question::Answer& out) const {
  Budget budget = of_.options.budget;
  budget.rlimit = std::min(budget.rlimit, kOpinionUnits);
  const auto parts = parts_of(claim.claim->lifted);
  if (parts.empty()) return true;
  const std::pair<const char*, engines::RuleOpinion> opinions[] = {
      {"z3", engines::second_opinion(of_.rule, parts, leaves, budget)},
      {"isl", engines::linear_opinion(of_.rule, parts, leaves, budget)}};
  for (const auto& [name, opinion] : opinions) {
    if (opinion.against) {
      out.verdict = Unknown{Reason::EnginesDisagree,
                            fmt::format("polynomial shows it for all sizes, and {} finds some at which it fails", name),
                            "polynomial"};
      out.conflicts.push_back({"all sizes", {"polynomial", "holds", {}}, {name, *opinion.against, {}}});
      return false;
    }
    if (opinion.asked > 0)
      out.note += fmt::format("; {} agrees on {} of {} questions", name, opinion.agreed, opinion.asked);
    else out.note += fmt::format("; {} cannot state it", name);
  }
  return true;
}

bool AllSizesCase::says_value(const ClaimRequest& claim, const Expression& value, question::Answer& out) const {
  out.all_sizes->value = value_of(of_.rule, value);
  if (!out.all_sizes->value) {
    const std::string needs = print_of(of_.rule, value);
    out.verdict = Unknown{Reason::OutOfReach,
                          fmt::format("its value needs a minimum, a maximum or a choice: {}", needs), "polynomial"};
    return false;
  }
  out.note = claim.claim->lifted == Lifted::Padding
                 ? fmt::format("of {} slots are padding", print_of(of_.rule, map::product_of(extents_of(of_.rule))))
                 : "for all sizes";
  return true;
}

std::optional<Refutation> AllSizesCase::say_when(const ClaimRequest& claim, const engines::Leaves& leaves,
                                                 question::ForAllSizes& all) {
  auto when = engines::weakest(leaves);
  if (!when || (when->holds.empty() && !when->exact) || !is_readable(when->holds) ||
      !is_shown_where(claim, of_.request, read_, numbers_, when->holds, effort()))
    return std::nullopt;
  if (auto against = contradicted(claim, leaves, when->holds, when->exact, instances_)) return against;
  all.holds = std::move(when->holds);
  all.exact = when->exact;
  return std::nullopt;
}

void AllSizesCase::disagree(const Refutation& against, question::Answer& out) const {
  const std::string at = sizes_in_words(of_.rule, against.sizes);
  const std::string& said = against.verdict.counterexample.explanation;
  out.verdict = Unknown{Reason::EnginesDisagree,
                        fmt::format("polynomial says when it holds, and one instance contradicts it, {}: {}", at, said),
                        "polynomial"};
  question::Conflict conflict{"all sizes", {"polynomial", "when it holds", {}}, {}};
  conflict.other = {against.verdict.engine, fmt::format("{}: {}", at, said), {}};
  out.conflicts.push_back(std::move(conflict));
  out.reproduce = fmt::format("the same command with --at-sizes {}", at);
}

void AllSizesCase::refute(Refutation& found, question::Answer& out) {
  question::ForAllSizes& all = *out.all_sizes;
  for (const map::Symbol& symbol : of_.rule.symbols)
    all.sizes.emplace_back(symbol.name, found.sizes.find(symbol.name)->second);
  if (const auto* instance = instances_.at(found.sizes)) all.instance = *instance->subject.reading.layout();
  question::Counterexample& counter = found.verdict.counterexample;
  counter.explanation = fmt::format("{}: {}", sizes_in_words(of_.rule, found.sizes), counter.explanation);
  counter.minimal = found.minimal;
  out.verdict = std::move(found.verdict);
}

engines::Leaves AllSizesCase::all_cells(std::span<const Expression> parted_by) const {
  engines::Leaves out;
  for (engines::Cell& cell : engines::parted(engines::cells_of(of_.rule), parted_by))
    out.all.push_back({engines::Leaf::Kind::Holds, std::move(cell), {}});
  return out;
}

}  // namespace vl::session
