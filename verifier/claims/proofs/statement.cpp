// What a certificate states of an answer: the half of certify.h that is about meaning. Whoever trusts a certificate
// trusts this file to say what was asked.
#include "verifier/claims/proofs/certify.h"

#include <algorithm>

#include "encodings/use/remap.h"
#include "encodings/use/view.h"
#include "verifier/claims/contiguous.h"
#include "verifier/claims/frame.h"
#include "verifier/claims/padded_run.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/transfers.h"
#include "verifier/neutral/certify.h"
#include "verifier/statements/layout_text.h"
#include "verifier/values_kernel/check.h"

namespace vl::claims {
namespace {

using checker::Statement;

std::vector<checker::Rule> texts_of(std::span<const use::Rule> rules) {
  std::vector<checker::Rule> out;
  for (const use::Rule& rule : rules) out.push_back({rule.statement, rule.have, rule.want});
  return out;
}

// What a statement says of each kind of subject.
void state(Statement& out, const map::Layout& layout, const map::Layout& other) {
  out.map = statements::text_for_checker(layout), out.other = statements::text_for_checker(other);
}
void state(Statement& out, const OneLayout& about) { out.map = statements::text_for_checker(about.layout); }
void state(Statement& out, const TextRules& about) { out.rules = texts_of(about.rules); }
void state(Statement& out, const Sized& about) {
  out.map = statements::text_for_checker(about.layout), out.bits = about.element_bits;
}
void state(Statement& out, const Pair& about) { state(out, about.layout, about.other); }
void state(Statement& out, const WayBack& about) { state(out, about.layout, about.back); }
void state(Statement& out, const SharedBuffer& about) { state(out, about.layout, about.other), out.at = about.at; }
// Where there is no result or no law, a rule is broken, and no map shows it.
void state(Statement& out, const LawResult& about) {
  if (about.result != nullptr && about.law != nullptr) state(out, *about.result, *about.law);
  out.rules = texts_of(about.rules);
}
// The layouts whose values are asked for lie in the box of the numbers that there are.
void state(Statement& out, const NumberLaw& about) {
  if (about.result != nullptr && about.law != nullptr) state(out, *about.result, *about.law);
  out.rules = texts_of(about.rules);
  if (about.asked.empty()) return;
  out.operands.emplace();
  for (const NumberLaw::Asked& asked : about.asked)
    out.operands->push_back(statements::text_for_checker(*asked.values));
}
// Where R(0) = A(0) = 0 and no two pairs share a place, R(j) is no place of A for j > 0.
void state(Statement& out, const Complemented& about) {
  out.map = statements::text_for_checker(about.pair), out.rules = texts_of(about.rules);
  if (about.steps != nullptr)
    out.operands.emplace(), out.operands->push_back(statements::text_for_checker(*about.steps));
}
void state(Statement& out, const Based& about) {
  out.map = statements::text_for_checker(about.layout), out.bits = about.element_bits, out.base = about.base;
}
void state(Statement& out, const Fitted& about) {
  out.map = statements::text_for_checker(about.layout), out.bits = about.element_bits, out.at_most = about.capacity;
}
void state(Statement& out, const RowsOfBytes& about) {
  out.map = statements::text_for_checker(about.layout), out.bits = about.element_bits, out.base = about.bytes;
}
// What is kept, if it is one box: the claim is that its elements fill it. Else the array, of which the checker accepts
// nothing but that it is full.
void state(Statement& out, const Masked& about) {
  out.map = statements::text_for_checker(about.kept != nullptr ? *about.kept : about.array);
}
void state(Statement&, const KindOfPadding&) {}  // no certificate covers it
void state(Statement& out, const OnCores& about) { out.map = statements::text_for_checker(about.places); }
void state(Statement& out, const Remapped& about) {
  state(out, about.change.moved, about.change.source.array), out.operands.emplace(),
      out.operands->push_back(statements::text_for_checker(about.change.reads));
}
void state(Statement& out, const Viewed& about) { out.map = statements::text_for_checker(about.reads()); }
// The element of the source that is seen for each of the result's: it has a place of its own, where that is read.
void state_elements(Statement& out, const use::View::Elements& seen) {
  state(out, seen.places, seen.again), out.operands.emplace();
  out.operands->push_back(statements::text_for_checker(seen.elements));
}
void state(Statement& out, const Moved& about) {
  out.map = statements::text_for_checker(about.from), out.operands.emplace();
  out.operands->push_back(statements::text_for_checker(about.layout));
}
void state(Statement& out, const Accessed& about) {
  out.access = access_statement(about.reach), out.at_most = about.at_most;
}
void state(Statement& out, const Divided& about) {
  out.map = statements::text_for_checker(about.layout), out.bits = about.element_bits;
  const use::Division& division = about.division;
  checker::DivisionText& said = out.division.emplace();
  said.splits = division.splits, said.scales = division.scales;
  said.order.assign(division.order.begin(), division.order.end());
  said.cores = division.cores, said.span = division.span, said.stick = division.stick, said.sticks = division.sticks;
  if (!division.slices) return;
  said.slices.emplace();
  for (const use::Slice& slice : *division.slices) {
    auto& sides = said.slices->emplace_back();
    for (const use::Interval& side : slice) sides.push_back({side.begin, side.end});
  }
}
void state(Statement& out, const Transferred& about) {
  const auto ends = ends_of(about);
  VL_CHECK(ends.has_value(), "a proof about memories that do not exist");
  out.transfer = transfer_statement(about.transfer, ends->source, ends->destination);
}
void state(Statement& out, const AlignedMoves& about) {
  state(out, about.moves);
  out.bits = about.limits.bits, out.base = about.limits.alignment, out.at = about.limits.minimum;
}
void state(Statement& out, const Operated& about) {
  std::vector<use::Rule> rules;
  for (const use::Constraint& constraint : use::shape_constraints(about.operation)) rules.push_back(constraint.rule);
  const use::Judgement judgement = about.operation.family->judge(about.operation);
  for (const use::Constraint& constraint : judgement.constraints) rules.push_back(constraint.rule);
  out.rules = texts_of(rules);
  out.operands.emplace();
  for (std::size_t i = 0; i < about.operation.operands.size(); ++i) {
    const map::Layout* places = use::places_of(about.operation, judgement, i);
    VL_CHECK(places != nullptr, "a proof about an operand that nothing is known of");
    out.operands->push_back(statements::text_for_checker(*places));
  }
}

// The continuations of all inputs, and one reduction per alternative of the arithmetic; none where no padding is read.
// What pads hold is decided again: by the same engines, without a limit of their own. The checker believes none of
// them: of inputs of which two indices may share a slot it wants the contents among the pads.
void state(Statement& out, const PaddedRun& about) {
  std::vector<use::Rule> rules;
  for (const use::Constraint& constraint : use::shape_constraints(about.asked.of.operation))
    rules.push_back(constraint.rule);
  out.rules = texts_of(rules);
  const auto landings = all_landings(about.asked, engines::Options{});
  if (!landings) return;  // without operands the checker accepts nothing
  out.operands.emplace();
  for (const Landings& landing : *landings) out.operands->push_back(statements::text_for_checker(landing.over));
  const auto fills = fills_of(about.asked, *landings);
  if (std::ranges::all_of(fills, &values::CodeSet::empty)) return;
  out.book = values_kernel::lemma_book();
  const values::CodeSet& contents = about.asked.alternatives.front().question.contents;
  const bool alike = std::ranges::all_of(
      about.asked.inputs, [&](const PaddedValues& input) { return !input.shares && input.contents == contents; });
  if (!alike) out.held.emplace();
  for (std::size_t i = 0; !alike && i < about.asked.inputs.size(); ++i) {
    const PaddedValues& input = about.asked.inputs[i];
    const auto blocks = input.shares ? std::optional(about.asked.of.operands[i].continued()->values) : std::nullopt;
    out.held->push_back({neutral::ranges_of(input.contents), blocks});
  }
  out.reductions.emplace();
  for (const neutral::Alternative& each : about.asked.alternatives)
    out.reductions->push_back(neutral::text_of(each.question, fills[0], fills.size() > 1 ? &fills[1] : nullptr));
}
// The continuations of the inputs and what their elements are, too: where two indices share a slot, the sets that the
// engines found are only accepted with the elements' codes among them.
void state(Statement& out, const PaddedResult& about) {
  const PaddedAsked& asked = about.asked;
  if (std::ranges::any_of(asked.inputs, &PaddedValues::shares)) return;
  const engines::Options options;
  Inquiry inquiry(options);
  const auto found = whole_landings(asked, inquiry);
  if (std::holds_alternative<Verdict>(found)) return;
  const auto& landings = std::get<std::vector<Landings>>(found);
  out.operands.emplace(), out.held.emplace();
  for (const Landings& landing : landings) out.operands->push_back(statements::text_for_checker(landing.over));
  for (const PaddedValues& input : asked.inputs) out.held->push_back({neutral::ranges_of(input.contents), {}});
  if (!asked.alternatives.empty()) {
    out.row_states.emplace();
    for (const RowAsked& each : rows_asked(asked, landings))
      for (const neutral::Question& question : state_questions(asked))
        out.row_states->push_back(
            neutral::text_of(question, *format_of_result(asked), each.row, each.at, each.claimed));
    return;
  }
  const auto function = neutral::find_function(asked.of.operation.what->name);
  VL_CHECK(asked.unsupported.empty() && function, "a proof about an operation that is not covered");
  out.images.emplace();
  for (const RegionAsked& each : regions_asked(asked, landings))
    out.images->push_back(neutral::text_of(*function, *asked.inputs.front().format, values::MaxRule::NanWins,
                                           each.operands, each.claimed));
}
void state(Statement& out, const StoredValues& about) {
  const auto asked = stored_asked(about);
  VL_CHECK(asked.has_value(), "a proof about values that are not there");
  out.storing = neutral::storing_of(about.format, asked->codes, asked->wide);
}

void state(Statement& out, const Described& about) { out.rules = texts_of(judged_rules(about.findings)); }
void state(Statement&, const Stored&) {}  // by the verdict
// A load or store that goes between these places before the swizzle.
void state(Statement& out, const Carried& about) {
  const auto straight = unswizzled(about);
  if (straight) state(out, Transferred{*straight, about.tiles.moves, nullptr});
}
void state(Statement& out, const FilledTiles& about) {
  const auto& [layout, tiles, base] = about.carried;
  if (!tiles.unknown.empty() || !not_in_one_memory(layout).empty()) return;  // nothing is asked
  out.map = statements::text_for_checker(layout);
  checker::FillText& said = out.fills.emplace();
  said.base = base * 8 / tiles.bits, out.bits = tiles.bits;
  for (const map::Swizzle& one : tiles.swizzles) said.swizzles.push_back({one.base, one.bits, one.shift});
  for (const use::TileBox& box : tiles.boxes) {
    checker::Integers shared{box.shared.offset};
    shared.insert(shared.end(), box.shared.strides.begin(), box.shared.strides.end());
    said.boxes.push_back({box.extents, box.low, box.high, std::move(shared)});
  }
  if (const auto rule = fill_rule(about)) out.rules = texts_of(std::span(&*rule, 1));
}

// A refutation can be looked at: in a map, the rules of a descriptor, or the moves of tensor maps.
bool can_be_looked_at(const Subject& subject) {
  return !std::holds_alternative<TextRules>(subject) && !std::holds_alternative<Divided>(subject) &&
         !std::holds_alternative<Accessed>(subject) && !std::holds_alternative<Transferred>(subject) &&
         !std::holds_alternative<AlignedMoves>(subject) && !std::holds_alternative<KindOfPadding>(subject) &&
         !std::holds_alternative<Operated>(subject) && !std::holds_alternative<PaddedRun>(subject) &&
         !std::holds_alternative<Complemented>(subject) && !std::holds_alternative<PaddedResult>(subject) &&
         !std::holds_alternative<StoredValues>(subject);
}

}  // namespace

checker::LayoutText text_of(const map::Layout& layout) { return statements::text_for_checker(layout); }

void state_texts(const Texts& texts, Statement& out) {
  out.layout = texts.layout, out.tensor = texts.tensor, out.operation = texts.operation;
  if (!texts.arguments.empty()) out.arguments = texts.arguments;
  if (!texts.files.empty()) out.files = texts.files;
  if (!texts.derived.empty()) out.derived = texts.derived;
  if (!texts.derived_rules.empty()) out.derived_rules = texts.derived_rules;
}

std::optional<Statement> statement_of(const Claim& claim, const Subject& subject, const Verdict& verdict,
                                      const Texts& texts) {
  const auto* proved = std::get_if<Proved>(&verdict);
  const bool refuted = std::holds_alternative<Refuted>(verdict) && can_be_looked_at(subject);
  if (claim.proof.front() == Part::None || (proved == nullptr && !refuted)) return std::nullopt;
  Statement out;
  state_texts(texts, out);
  out.claim = claim.name, out.verdict = refuted ? "refuted" : "proved";
  const auto shows = [&](Part part) { return std::ranges::find(claim.proof, part) != claim.proof.end(); };
  const auto* viewed = shows(Part::OperandsApart) ? std::get_if<Viewed>(&subject) : nullptr;
  if (viewed != nullptr && !viewed->view.elements) return std::nullopt;
  if (viewed != nullptr) state_elements(out, *viewed->view.elements);
  else std::visit([&](const auto& about) { state(out, about); }, subject);
  if (std::holds_alternative<Stored>(subject)) out.rules = texts_of(stored_rules(verdict));
  if (std::holds_alternative<Carried>(subject) && !out.transfer) return std::nullopt;    // it cannot be said
  if (std::holds_alternative<FilledTiles>(subject) && !out.fills) return std::nullopt;   // the same
  if (std::holds_alternative<PaddedRun>(subject) && !out.operands) return std::nullopt;  // the same
  if (std::holds_alternative<PaddedResult>(subject) && !out.images && !out.row_states) return std::nullopt;
  if (refuted && !std::holds_alternative<Moved>(subject)) out.operands.reset();  // a witness is an element
  if (proved != nullptr && proved->value) out.value = *proved->value;
  if (shows(Part::Runs)) {
    const use::Remap& change = std::get<Remapped>(subject).change;
    if (change.reads.guards() > 0) return std::nullopt;  // blocks do not say that their places are in the source
    const auto runs = runs_of(change, *out.value);
    VL_CHECK(runs.has_value(), "blocks that were proved, and do not exist");
    state(out, runs->reads, runs->runs), out.operands.reset();
    if (*out.value == 1) out.other.reset();  // one step is read in one piece
  }
  return out;
}

}  // namespace vl::claims
