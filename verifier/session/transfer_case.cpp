#include "verifier/session/transfer_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/judge_parts.h"
#include "verifier/session/targets.h"

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

question::Case judge_transfer(const CaseRequest& request, const JudgeOptions& options) {
  const TransferRequest& asked = *request.transfer;
  question::Case out = unread(request);
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
    const auto descriptor = use::parse_descriptor(text.text);
    if (!descriptor) return out.diagnostic = text.diagnose(descriptor.error()), out.answers.clear(), out;
    const auto made =
        target ? accepted_by(*target, *descriptor, options.engines) : accepted_by_any(*descriptor, options.engines);
    if (!made) return out.diagnostic = text.diagnose(made.error()), out.answers.clear(), out;
    if (request.expect_invalid) continue;
    for (const ClaimRequest& claim : claims)
      out.answers.push_back(claims::is_about<claims::Stored>(*claim.claim)
                                ? answer_of_store(*descriptor, claim, text, options.engines)
                                : answer_of(*made, claim, text));
  }
  return out;
}

}  // namespace vl::session
