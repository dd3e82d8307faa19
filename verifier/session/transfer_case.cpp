#include "verifier/session/transfer_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/certificates.h"
#include "verifier/session/judge_parts.h"
#include "verifier/session/names.h"
#include "verifier/session/targets.h"
#include "verifier/session/transfer_sizes.h"

namespace vl::session {
namespace {

using question::Refuted;

// What a target's rules say, and what the claim makes of it.
struct AcceptedBy {
  std::string target;
  std::vector<use::RuleFinding> findings;
  claims::Judged judged;
};

Result<AcceptedBy> accepted_by(const use::Target& target, const use::Descriptor& descriptor,
                               const engines::Options& options) {
  auto findings = use::judge(target, descriptor);
  if (!findings) return findings.error();
  AcceptedBy out{target.name, std::move(*findings), {}};
  out.judged = claims::decide(*claims::find_claim("accepts"), claims::Described{out.findings, out.target}, options);
  return out;
}

// The first target that takes it; else the first one.
Result<AcceptedBy> accepted_by_any(const use::Descriptor& descriptor, const engines::Options& options) {
  std::optional<AcceptedBy> first;
  for (const use::Target* target : targets_for(descriptor.kind)) {
    auto made = accepted_by(*target, descriptor, options);
    if (!made || std::holds_alternative<question::Proved>(made->judged.verdict)) return made;
    if (!first) first = std::move(*made);
  }
  if (first) return std::move(*first);
  return Error{ErrorCode::Value,
               fmt::format("corpus/targets has no target for {}; --target names one",
                           use::descriptor_kind(descriptor.kind)->what),
               0};
}

question::Answer answer_of(const AcceptedBy& made, const ClaimRequest& claim, const SourceText& text) {
  question::Answer out;
  out.claim = claim.claim->name;
  out.expected = claim.expected;
  out.asked = {{"target", made.target}, {"transfer", text.text}};
  out.verdict = made.judged.verdict;
  out.micros = static_cast<double>(made.judged.time.count()) / 1000.0;
  if (const auto* proof = std::get_if<question::Proved>(&out.verdict)) out.note = proof->note;
  for (const use::RuleFinding& each : made.findings) {
    if (each.outcome != use::RuleFinding::Outcome::Fails) continue;
    if (!use::counts(each.level)) out.warnings.push_back(use::in_words(each));
    else if (each.rule != std::get<std::string>(std::get<Refuted>(out.verdict).counterexample.fields[0].second))
      out.words.push_back(use::in_words(each));
  }
  out.mismatch = mismatch_of(claim, out.verdict);
  out.as_expected = out.mismatch.empty();
  return out;
}

// The claim with its target as an argument.
ClaimRequest with_target(ClaimRequest claim, SourceText target) {
  if (!claims::is_about<claims::Stored>(*claim.claim)) claim.arguments.push_back({"target", std::move(target)});
  return claim;
}

// The answer with its certificate.
question::Answer certified(question::Answer out, const ClaimRequest& claim, const CaseRequest& request,
                           const JudgeOptions& options, const std::string& stem, question::Case& of) {
  const Certified proof = certify_transfer(claim, request, out.verdict, options, stem);
  out.certificate_micros = static_cast<double>(proof.time.count()) / 1000.0;
  out.rests_on = proof.rests_on;
  if (proof.unwritten) of.diagnostic = proof.unwritten;
  return out;
}

// The claim about a descriptor with names, for all sizes: by the target, or by the first that takes it.
question::Answer answer_of_names(const ClaimRequest& claim, const CaseRequest& request, const JudgeOptions& options,
                                 const use::Descriptor& descriptor, const std::string& stem, question::Case& out) {
  std::vector<SourceText> targets;
  if (claims::is_about<claims::Stored>(*claim.claim)) targets.push_back(request.layout);  // unused
  else if (request.transfer->target) targets.push_back(*request.transfer->target);
  else
    for (const use::Target* target : targets_for(descriptor.kind))
      targets.push_back(SourceText::option("--target", target->name));
  std::optional<question::Answer> first;
  for (const SourceText& target : targets) {
    const ClaimRequest asked = with_target(claim, target);
    question::Answer made = answer_sized_transfer(asked, request, options, stem, out.rule, out.diagnostic);
    made.asked.clear();
    for (const ClaimArgument& argument : asked.arguments) made.asked.emplace_back(argument.key, argument.text.text);
    made.asked.emplace_back("transfer", request.layout.text);
    if (out.diagnostic || std::holds_alternative<question::Proved>(made.verdict)) return made;
    if (!first) first = std::move(made);
  }
  VL_CHECK(first.has_value(), "a descriptor that no target is for");
  return std::move(*first);
}

question::Answer answer_of_store(const use::Descriptor& descriptor, const ClaimRequest& claim, const SourceText& text,
                                 const engines::Options& options) {
  const SourceText* allow = claim.text("allow");
  auto judged =
      claims::decide(*claim.claim, claims::Stored{descriptor, allow != nullptr && allow->text == "padding"}, options);
  question::Answer out;
  out.claim = claim.claim->name;
  out.expected = claim.expected;
  out.asked = {{"transfer", text.text}};
  if (allow != nullptr) out.asked.emplace_back("allow", allow->text);
  out.verdict = std::move(judged.verdict);
  out.micros = static_cast<double>(judged.time.count()) / 1000.0;
  if (const auto* proof = std::get_if<question::Proved>(&out.verdict)) out.note = proof->note;
  out.mismatch = mismatch_of(claim, out.verdict);
  out.as_expected = out.mismatch.empty();
  return out;
}

}  // namespace

namespace {

// The claims about one descriptor of the case, the request's `layout`.
void answer_one(const CaseRequest& request, const std::vector<ClaimRequest>& claims, const use::Target* target,
                const JudgeOptions& options, question::Case& out) {
  const SourceText& text = request.layout;
  const auto fail = [&](const Error& error) { out.diagnostic = text.diagnose(error), out.answers.clear(); };
  const auto descriptor = use::parse_descriptor(text.text);
  if (!descriptor) return fail(descriptor.error());
  const auto made = target != nullptr ? accepted_by(*target, *descriptor, options.engines)
                                      : accepted_by_any(*descriptor, options.engines);
  if (!made) return fail(made.error());
  if (request.expect_invalid) return;
  const auto& target_at = request.transfer->target;
  const bool named = !use::names_of(*descriptor).empty();
  for (const ClaimRequest& claim : claims) {
    const std::string stem = stem_of(request, out.answers.size(), *claim.claim);
    const auto asked = with_target(claim, target_at.value_or(SourceText::option("--target", made->target)));
    const bool stored = claims::is_about<claims::Stored>(*claim.claim);
    const auto at_numbers = [&] {
      return stored ? answer_of_store(*descriptor, claim, text, options.engines) : answer_of(*made, claim, text);
    };
    const bool sized = named && (!stored || claims::law_of({*descriptor, claim.text("allow") != nullptr}));
    out.answers.push_back(sized ? answer_of_names(claim, request, options, *descriptor, stem, out)
                                : certified(at_numbers(), asked, request, options, stem, out));
    if (out.diagnostic) return out.answers.clear();
  }
}

}  // namespace

std::variant<use::TileMoves, Diagnostic> read_tiles(std::span<const SourceText> texts) {
  std::vector<use::Descriptor> read;
  for (const SourceText& text : texts) {
    auto descriptor = use::parse_descriptor(text.text);
    if (!descriptor) return text.diagnose(descriptor.error());
    if (auto alone = use::tile_moves(std::span(&*descriptor, 1)); !alone) return text.diagnose(alone.error());
    read.push_back(std::move(*descriptor));
  }
  auto moves = use::tile_moves(read);
  if (!moves) return texts.front().diagnose(moves.error());
  return std::move(*moves);
}

question::Case judge_transfer(const CaseRequest& request, const JudgeOptions& options) {
  const TransferRequest& asked = *request.transfer;
  question::Case out = unread(request);
  if (auto wrong = wrong_condition(request)) return out.diagnostic = std::move(*wrong), out;
  if (request.sizes) {
    auto instance = at_given_sizes(request);
    if (auto* wrong = std::get_if<Diagnostic>(&instance)) return out.diagnostic = std::move(*wrong), out;
    return judge_transfer(std::get<CaseRequest>(instance), options);
  }
  std::optional<use::Target> target;
  if (asked.target) {
    auto read = read_target(*asked.target);
    if (auto* wrong = std::get_if<Diagnostic>(&read)) return out.diagnostic = std::move(*wrong), out;
    target = std::move(std::get<use::Target>(read));
  }
  std::vector<ClaimRequest> claims = request.claims;
  if (claims.empty()) claims.emplace_back().claim = claims::find_claim("accepts");
  for (const ClaimRequest& claim : claims)
    if (const SourceText* allow = claim.text("allow"); allow != nullptr && allow->text != "padding")
      return out.diagnostic = allow->diagnose({ErrorCode::Value, "expected padding", 0}), out;
  for (const SourceText& text : asked.texts) {
    CaseRequest one = request;
    one.layout = text;
    answer_one(one, claims, target ? &*target : nullptr, options, out);
    if (out.diagnostic) break;
  }
  return out;
}

}  // namespace vl::session
