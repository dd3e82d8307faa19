#include "verifier/session/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "encodings/base/files.h"
#include "verifier/claims/padding_value.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/certificates.h"
#include "verifier/session/judge_parts.h"
#include "verifier/session/names.h"
#include "verifier/session/stated.h"
#include "verifier/session/transfer_case.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Unknown;

// Writes each obligation of one claim of a case into the dump folder; remembers what cannot be written.
struct Dump {
  std::string folder;
  std::string stem;
  std::vector<std::string> written = {};
  std::optional<Diagnostic> failed = {};

  void operator()(std::string_view name, const std::string& text) {
    written.push_back((std::filesystem::path(folder) / fmt::format("{}.{}.smt2", stem, name)).string());
    const auto error = write_whole(written.back(), text, {.sync = false});
    if (error) failed = Diagnostic{written.back(), 0, 0, error->message, {}, 0};
  }
};

question::Conflict::Side side_of(const engines::Disagreement::Side& side) {
  question::Conflict::Side out{std::string(side.engine), engines::describe(side.answer), {}};
  if (const auto* found = std::get_if<engines::Found>(&side.answer))
    for (const auto& [name, point] :
         {std::pair{"p", &found->witness.p}, {"q", &found->witness.q}, {"slot", &found->witness.slot}})
      if (!point->empty()) out.witness.emplace_back(name, *point);
  return out;
}

// Adds everything that is needed to reproduce a disagreement of two engines.
void add_conflicts(const std::vector<engines::Disagreement>& disagreements, const ClaimRequest& request,
                   const engines::Options& options, const Dump* dump, question::Answer& out) {
  for (const engines::Disagreement& d : disagreements)
    out.conflicts.push_back({std::string(d.question), side_of(d.one), side_of(d.other)});
  if (out.conflicts.empty()) return;
  if (const SourceText* with = request.text("with")) out.with = with->text;
  if (dump != nullptr) out.smtlib = dump->written;
  out.reproduce = fmt::format("budget: rlimit {}, {} s, {} MiB; seeds: z3 0, cvc5 0{}", options.budget.rlimit,
                              static_cast<double>(options.budget.wall.count()) / 1000, options.budget.memory_mib,
                              dump == nullptr ? "; the same command with --dump-smt DIR writes the obligations" : "");
}

// An interrupted answer is not compared with what the case expects.
void interrupt(question::Answer& out) {
  out.verdict = Unknown{question::Reason::Interrupted, "it was not decided when the run was told to end", {}};
  out.expected.reset();
  out.mismatch.clear();
  out.as_expected = true;
}

// Adds the parts of an answer about an operation that readers see besides the verdict.
void describe(const OperationRequest& request, const use::Operation& operation, question::Answer& out) {
  out.rule = use::name(operation.rules);
  const auto hold = [](const std::vector<use::Constraint>& constraints) {
    return std::ranges::all_of(constraints, [](const use::Constraint& c) { return c.rule.have == c.rule.want; });
  };
  if (!request.describe || !hold(use::shape_constraints(operation)) || operation.family->judge == nullptr) return;
  const use::Judgement judgement = operation.family->judge(operation);
  question::OperationView view;
  for (const use::OperationDim& dim : operation.dims) view.dims.push_back(dim);
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const use::Operand& operand = operation.operands[i];
    view.operands.push_back(
        {operand.role, map::print(operand.tensor), operand.reading.normal, operand.scales, judgement.sticks[i]});
  }
  if (request.plan) {
    view.padding.emplace();
    for (const use::PaddingNeed& need : judgement.padding) {
      auto [value, assumes] = claims::padding_value(operation, need);
      view.padding->push_back({need, std::move(value), std::move(assumes)});
    }
  }
  view.no_plan = hold(judgement.constraints) ? judgement.no_plan : "the operands do not fit the operation";
  out.operation = std::move(view);
}

// What the answer shows of the claim's other layouts, and of its operation.
void show_arguments(const claims::Subject& about, const ClaimRequest& request, question::Answer& out) {
  std::visit(overloaded{[&](const claims::Pair& pair) { out.other = pair.other; },
                        [&](const claims::SharedBuffer& both) {
                          out.other = both.other;
                          out.b_of_other = true;
                        },
                        [&](const claims::LawResult& made) {
                          if (made.result != nullptr) out.other = *made.result;
                          if (made.law != nullptr) out.law = *made.law;
                        },
                        [&](const claims::NumberLaw& made) {
                          if (made.result != nullptr) out.other = *made.result;
                          if (made.law != nullptr) out.law = *made.law;
                        },
                        [&](const claims::Transferred& moved) {
                          if (moved.from != nullptr) out.other = *moved.from;
                        },
                        [&](const claims::Operated& made) { describe(*request.operation, made.operation, out); },
                        [&](const claims::PaddedRun& run) { out.rule = use::name(run.asked.of.operation.rules); },
                        [](const auto&) {}},
             about);
}

question::Answer answer(const ClaimRequest& claim_request, const TensorReading& subject, const Bound& bound,
                        const JudgeOptions& options, Dump* dump, bool closer) {
  const claims::Claim& claim = *claim_request.claim;
  question::Answer out;
  out.claim = claim.name;
  out.expected = claim_request.expected;
  out.asked = asked_of(claim_request);
  if (!bound.about) {
    out.verdict = Unknown{question::Reason::Unsupported, bound.undecidable, {}};
  } else {
    engines::Options asked = options.engines;
    if (dump != nullptr) asked.dump = std::ref(*dump);
    claims::Judged decided = claims::decide(claim, *bound.about, asked);
    out.verdict = std::move(decided.verdict);
    out.micros = static_cast<double>(decided.time.count()) / 1000.0;
    if (options.remember_engines)
      for (const engines::Attempt& attempt : decided.attempts)
        out.attempts.push_back(fmt::format("{}: {}", attempt.engine, attempt.said));
    add_conflicts(decided.disagreements, claim_request, options.engines, dump, out);
    if (claim.note != nullptr && std::holds_alternative<Proved>(out.verdict))
      out.note = claim.note(subject.reading, closer);
    if (const auto* proof = std::get_if<Proved>(&out.verdict); proof != nullptr && !proof->note.empty())
      out.note = proof->note;
    show_arguments(*bound.about, claim_request, out);
  }
  const Budget& budget = options.engines.budget;
  if (budget.is_late() && is_open(out.verdict)) out.verdict = timed_out(budget);
  out.mismatch = mismatch_of(claim_request, out.verdict);
  out.as_expected = out.mismatch.empty();
  if (budget.interrupted() && is_open(out.verdict)) interrupt(out);
  return out;
}

// A case that was not begun.
question::Case interrupted(const CaseRequest& request) {
  question::Case out = unread(request);
  out.expected_invalid = false;
  out.not_judged = true;
  return out;
}

question::Case judge_read(const CaseRequest& request, const JudgeOptions& options);

// Whether names may stand for sizes: the case says so, or its layout is not read as one of numbers.
bool may_have_names(const CaseRequest& request, const std::variant<TensorReading, Diagnostic>& subject) {
  const auto* read = std::get_if<TensorReading>(&subject);
  return has_names(request) || (!request.expect_invalid && (read == nullptr || read->reading.undecidable() != nullptr));
}

// Answers a claim, with its certificate. What is wrong with the claim's texts is a diagnostic, and there is no answer.
void answer_claim(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject,
                  const JudgeOptions& options, ReadAgain& again, question::Case& out) {
  JudgeOptions begun = options;
  begun.engines.budget = options.engines.budget.begun();
  const auto read = bind(claim, request, subject, begun.engines);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) {
    out.diagnostic = *diagnostic;
    out.answers.clear();
    return;
  }
  const auto& bound = std::get<Bound>(read);
  const std::string stem = stem_of(request, out.answers.size(), *claim.claim);
  Dump dump{options.dump_smt, stem};
  // Where the case expects nothing and is not one of a long text, the slots are searched for those that only seem to
  // hold data.
  const bool closer = !claim.expected && request.occurrences == 0;
  question::Answer& made = out.answers.emplace_back(
      answer(claim, subject, bound, begun, options.dump_smt.empty() ? nullptr : &dump, closer));
  made.warnings = bound.warnings;
  if (dump.failed) out.diagnostic = std::move(dump.failed);
  if (!bound.about) return;
  const Certified certified =
      certify(claim, request, subject, bound, made.verdict, options.certificates, stem, begun.engines.budget, again);
  made.certificate_micros = static_cast<double>(certified.time.count()) / 1000.0;
  if (certified.unwritten) out.diagnostic = certified.unwritten;
  made.rests_on = certified.rests_on;
}

// The answers about each of a claim's descriptors, beside a layout.
void add_accepted(const ClaimRequest& claim, const CaseRequest& request, const JudgeOptions& options,
                  question::Case& out) {
  CaseRequest alone = request;
  alone.claims = {claim}, alone.transfer = claim.transfer;
  question::Case judged = judge_transfer(alone, options);
  if (judged.diagnostic) return out.diagnostic = std::move(judged.diagnostic), out.answers.clear();
  std::ranges::move(judged.answers, std::back_inserter(out.answers));
}

question::Case judge_texts(const CaseRequest& request, const JudgeOptions& options) {
  if (auto wrong = wrong_condition(request)) {
    question::Case out = unread(request);
    out.diagnostic = std::move(*wrong);
    return out;
  }
  if (request.sizes) {
    auto instance = at_given_sizes(request);
    if (auto* wrong = std::get_if<Diagnostic>(&instance)) {
      question::Case out = unread(request);
      out.diagnostic = std::move(*wrong);
      return out;
    }
    return judge_read(std::get<CaseRequest>(instance), options);
  }
  if (request.one_size && has_names(request)) {
    question::Case out = unread(request);
    out.diagnostic = request.tensor.diagnose({ErrorCode::Value,
                                              "one size is asked (--sizes one, scope = \"instance\"), and names stand "
                                              "for sizes; expected numbers, as --define or --at-sizes give them",
                                              0});
    return out;
  }
  auto subject = read_tensor(request, options.engines);
  const auto* wrong = std::get_if<Diagnostic>(&subject);
  if (!request.one_size && may_have_names(request, subject)) {
    auto judged = judge_for_all_sizes(request, options);
    // Where the layout alone may have names, what is wrong with it is said by the reader of numbers.
    if (judged && (judged->rule || wrong == nullptr || has_names(request))) return std::move(*judged);
  }
  question::Case out = unread(request);
  if (wrong != nullptr) out.diagnostic = *wrong;
  if (wrong != nullptr || request.expect_invalid) return out;
  auto& [tensor, reading] = std::get<TensorReading>(subject);
  if (map::parse_tensor(request.tensor.text)) out.tensor = map::print(tensor);  // one with names stays as it is given
  const std::vector<ClaimRequest> asked = request.claims.empty() ? default_claims(request) : request.claims;
  ReadAgain again(request);
  for (const ClaimRequest& claim : asked) {
    if (auto why = needs_known_tensor(*claim.claim, request)) {
      out.answers.push_back(unsupported_answer(claim, std::move(*why)));
      continue;
    }
    if (claims::is_about_one_descriptor(*claim.claim) && claim.transfer != nullptr)
      add_accepted(claim, request, options, out);
    else answer_claim(claim, request, std::get<TensorReading>(subject), options, again, out);
    if (out.answers.empty()) return out;
  }
  out.reading = std::move(reading);
  return out;
}

question::Case judge_program(const CaseRequest& request, const JudgeOptions& options) {
  if (options.programs != nullptr) return options.programs(request, options);
  question::Case out = unread(request);
  out.diagnostic = request.layout.diagnose({ErrorCode::Value, "programs are judged by `verify-layout check` alone", 0});
  return out;
}

question::Case judge_read(const CaseRequest& request, const JudgeOptions& options) {
  if (request.program != nullptr) return judge_program(request, options);
  if (request.transfer != nullptr) return judge_transfer(request, options);
  if (const auto taken = out_of_call(request)) return judge_read(*taken, options);
  question::Case out = judge_texts(request, options);
  if (out.diagnostic && !request.expect_invalid && !request.sizes)
    if (const auto contradiction = contradiction_of(request)) return contradicted(request, *contradiction);
  if (const auto contradiction = contradiction_of(request, out)) return contradicted(request, *contradiction);
  return out;
}

}  // namespace

bool is_open(const question::Verdict& verdict) {
  const auto* unknown = std::get_if<Unknown>(&verdict);
  return unknown != nullptr && unknown->reason != question::Reason::Vacuous &&
         unknown->reason != question::Reason::Unsupported && unknown->reason != question::Reason::EnginesDisagree;
}

question::Unknown timed_out(const Budget& budget) {
  const double seconds = static_cast<double>(budget.wall.count()) / 1000;
  return {question::Reason::Timeout, fmt::format("it was not decided within {} s", seconds), {}};
}

engines::Options engine_options(double seconds) {
  engines::Options options;
  options.budget.wall = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  options.budget.worker = "/proc/self/exe";
  return options;
}

question::Case judge(const CaseRequest& request, const JudgeOptions& options) {
  const Budget& budget = options.engines.budget;
  if (budget.interrupted()) return interrupted(request);
  question::Case out = judge_read(request, options);
  // Reading also asks engines; an interrupted proof makes a diagnostic that says nothing about the text.
  const bool believed = !out.diagnostic || !budget.interrupted();
  return believed ? out : interrupted(request);
}

}  // namespace vl::session
