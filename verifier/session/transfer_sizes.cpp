#include "verifier/session/transfer_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/all_sizes_case.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_words.h"
#include "verifier/session/targets.h"

namespace vl::session {
namespace {

using Outcome = use::RuleFinding::Outcome;
using question::Proved;
using question::Refuted;
using question::Unknown;

// The names of a descriptor as the symbols of a rule without elements.
map::Rule rule_of_names(const use::Descriptor& descriptor) {
  map::Rule out;
  for (std::string& name : use::names_of(descriptor)) out.symbols.push_back({std::move(name), 1});
  map::RulePlace& place = out.places.emplace_back();
  place.name = map::kMemoryAxis, place.extent = 1, place.filled = 1;
  return out;
}

// A descriptor, and what its claim asks of it: a target's rules, or what a store keeps.
struct TransferAsked {
  use::Descriptor descriptor;
  std::optional<use::Target> target = {};
  std::vector<use::RuleFinding> findings = {};  // of the target
  bool padding = false;                         // of a store: it may be overwritten

  [[nodiscard]] claims::Subject subject() const {
    if (target) return claims::Described{findings, target->name};
    return claims::Stored{descriptor, padding};
  }
};

std::variant<TransferAsked, TextError> transfer_asked(const ClaimRequest& claim, const SourceText& text) {
  auto descriptor = use::parse_descriptor(text.text);
  if (!descriptor) return TextError{text, descriptor.error()};
  if (claims::is_about<claims::Stored>(*claim.claim)) {
    const SourceText* allow = claim.text("allow");
    if (allow != nullptr && allow->text != "padding")
      return TextError{*allow, {ErrorCode::Value, "expected padding", 0}};
    return TransferAsked{std::move(*descriptor), {}, {}, allow != nullptr};
  }
  const SourceText* name = claim.text("target");
  if (name == nullptr) return TextError{text, {ErrorCode::Value, "a descriptor without a target", 0}};
  auto target = read_target(*name);
  if (const auto* wrong = std::get_if<Diagnostic>(&target))
    return TextError{*name, {ErrorCode::Value, wrong->message, 0}};
  TransferAsked out{std::move(*descriptor), std::move(std::get<use::Target>(target))};
  auto findings = use::judge(*out.target, out.descriptor);
  if (!findings) return TextError{text, findings.error()};
  out.findings = std::move(*findings);
  return out;
}

// One transfer and its target, asked at numbers and for all of them.
class SizedTransfer {
 public:
  SizedTransfer(const TransferAsked& of, map::Rule rule, const engines::Options& options)
      : of_(of), options_(options), rule_(std::move(rule)) {
    // Sizes have the order of elements, of which a tensor map's are the product of its dimensions.
    if (const auto dims = of.descriptor.fields.find("dim"); dims != of.descriptor.fields.end())
      for (const use::FieldValue& value : dims->second.values)
        if (const auto* size = std::get_if<map::Expression>(&value)) rule_.logical.push_back(*size);
  }

  [[nodiscard]] const map::Rule& rule() const { return rule_; }

  // The same with numbers; nothing where there is no such descriptor.
  [[nodiscard]] std::optional<TransferAsked> at(const map::Sizes& sizes) const {
    auto numbers = use::with_sizes(of_.descriptor, sizes);
    if (!numbers) return std::nullopt;
    auto findings = of_.target ? use::judge(*of_.target, *numbers) : std::vector<use::RuleFinding>{};
    if (!findings) return std::nullopt;
    return TransferAsked{std::move(*numbers), of_.target, std::move(*findings), of_.padding};
  }

  [[nodiscard]] std::optional<claims::Judged> decide(const ClaimRequest& claim, const map::Sizes& sizes) const {
    const auto numbers = at(sizes);
    return numbers ? std::optional(claims::decide(*claim.claim, numbers->subject(), options_)) : std::nullopt;
  }

  // The rules that do not count and fail: of every size, or at some that are found.
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> out;
    for (const use::RuleFinding& each : of_.findings) {
      if (use::counts(each.level)) continue;
      if (each.outcome == Outcome::Fails) out.push_back(use::in_words(each));
      if (each.outcome == Outcome::Sized)
        if (auto failed = failing(each)) out.push_back(std::move(*failed));
    }
    return out;
  }

 private:
  [[nodiscard]] std::optional<std::string> failing(const use::RuleFinding& sized) const {
    map::Rule alone = rule_;
    alone.laws = sized.laws;
    for (const engines::Leaf& leaf : engines::leaves_of_laws(alone, {.until = &options_.budget}).all) {
      if (leaf.kind == engines::Leaf::Kind::Holds) continue;
      for (const map::Sizes& sizes : leaf.cell.samples(24)) {
        const auto numbers = at(sizes);
        if (!numbers) continue;
        for (const use::RuleFinding& each : numbers->findings)
          if (each.rule == sized.rule && each.source == sized.source && each.outcome == Outcome::Fails)
            return fmt::format("{}: {}", sizes_in_words(rule_, sizes), use::in_words(each));
      }
    }
    return std::nullopt;
  }

  const TransferAsked& of_;
  const engines::Options& options_;
  map::Rule rule_;
};

// The other rules that fail at the sizes of the refutation.
std::vector<std::string> further(const SizedTransfer& of, const question::Answer& answer) {
  std::vector<std::string> out;
  const map::Sizes sizes(answer.all_sizes->sizes.begin(), answer.all_sizes->sizes.end());
  const auto numbers = of.at(sizes);
  if (!numbers || !numbers->target) return out;
  const auto& first = std::get<std::string>(std::get<Refuted>(answer.verdict).counterexample.fields[0].second);
  for (const use::RuleFinding& each : numbers->findings)
    if (each.outcome == Outcome::Fails && use::counts(each.level) && each.rule != first)
      out.push_back(use::in_words(each));
  return out;
}

// Of a descriptor that was found in a text nobody says which sizes it has there.
void spare_found(const SourceText& text, question::Answer& out) {
  const auto* refuted = std::get_if<Refuted>(&out.verdict);
  VL_CHECK(refuted != nullptr, "nothing to spare");
  out.verdict = Unknown{question::Reason::OutOfReach,
                        fmt::format("it does not hold at every size ({}): give numbers with --define, or ask {} with "
                                    "--transfer and --where",
                                    refuted->counterexample.explanation, text.text),
                        refuted->engine};
  out.all_sizes->sizes.clear();
}

}  // namespace

std::variant<RuleReading, TextError> read_sized_transfer(const ClaimRequest& claim, const CaseRequest& request) {
  auto found = transfer_asked(claim, request.layout);
  if (auto* wrong = std::get_if<TextError>(&found)) return std::move(*wrong);
  const auto& asked = std::get<TransferAsked>(found);
  std::vector<map::Condition> where;
  if (request.where) {
    auto conditions = map::parse_conditions(request.where->text);
    if (!conditions) return TextError{*request.where, conditions.error()};
    where = std::move(*conditions);
  }
  map::Rule rule = rule_of_names(asked.descriptor);
  for (const use::RuleFinding& each : asked.findings)
    if (use::counts(each.level) && each.outcome == Outcome::Sized)
      rule.laws.insert(rule.laws.end(), each.laws.begin(), each.laws.end());
  std::vector<map::Condition> all = where;
  const auto store = asked.target ? std::nullopt : claims::law_of({asked.descriptor, asked.padding});
  if (!asked.target && !store) return TextError{request.layout, {ErrorCode::Value, "a store that is not known", 0}};
  if (store) rule.laws.push_back(store->law), all.insert(all.end(), store->where.begin(), store->where.end());
  auto conditioned = map::with_conditions(std::move(rule), std::move(all));
  if (!conditioned) return TextError{request.where.value_or(request.layout), conditioned.error()};
  auto rules = asked.target ? claims::judged_rules(asked.findings) : claims::stored_rules(Proved{});
  use::Reading reading{std::move(*conditioned), std::move(rules), {}, {}, 0, {}};
  return RuleReading{{}, std::move(reading), std::move(where)};
}

namespace {

// What is stated of a descriptor, and the answer.
struct Stated {
  checker::Statement statement;
  question::Verdict verdict;
};

// Nothing where it has names, or is not decided.
std::optional<Stated> transfer_statement(const ClaimRequest& claim, const CaseRequest& request) {
  const auto found = transfer_asked(claim, request.layout);
  const auto* of = std::get_if<TransferAsked>(&found);
  if (of == nullptr || !use::names_of(of->descriptor).empty()) return std::nullopt;
  const claims::Subject about = of->subject();
  question::Verdict verdict = claims::decide(*claim.claim, about, {}).verdict;
  claims::Texts texts{request.layout.text, {}, {}};
  add_texts_of_claim(claim, request, texts);
  auto statement = claims::statement_of(*claim.claim, about, verdict, texts);
  return statement ? std::optional(Stated{std::move(*statement), std::move(verdict)}) : std::nullopt;
}

}  // namespace

Certified certify_transfer(const ClaimRequest& claim, const CaseRequest& request, question::Verdict& verdict,
                           const JudgeOptions& options, const std::string& stem) {
  const auto start = std::chrono::steady_clock::now();
  const auto took = [&] { return std::chrono::steady_clock::now() - start; };
  auto* proved = std::get_if<Proved>(&verdict);
  const CertificateOptions& into = options.certificates;
  if (proved == nullptr && (into.folder.empty() || !std::holds_alternative<Refuted>(verdict))) return {};
  const auto stated = transfer_statement(claim, request);
  if (!stated || checker::check_texts(stated->statement)) return {took()};
  auto made = claims::evidence_of(*claim.claim, stated->statement, stated->verdict);
  if (!made) return {took()};
  if (proved != nullptr) proved->trust = question::Trust::Checked;
  Certified out{took()};
  if (into.explain && proved != nullptr) out.rests_on = rests_on(stated->statement, *made);
  if (!into.folder.empty())
    out.unwritten = write_certificate(claims::certificate_of(stated->statement, std::move(*made)), into, stem);
  return out;
}

checker::Texts compared_transfer(const checker::Statement& said, const ClaimRequest& claim,
                                 const CaseRequest& request) {
  const auto different = [](std::string why) { return checker::Texts{false, std::move(why), {}}; };
  std::optional<checker::Statement> stated;
  if (said.rule) {
    const auto read = read_sized_transfer(claim, request);
    if (const auto* wrong = std::get_if<TextError>(&read)) return different(to_string(wrong->diagnose()));
    if (std::get<RuleReading>(read).reading.rule_for_all_sizes()->symbols.empty())
      return different("its texts say no names");
    stated = rule_statement(claim, request, std::get<RuleReading>(read));
  } else {
    auto again = transfer_statement(claim, request);
    if (!again) return different("the claim is not decided of its texts");
    stated = std::move(again->statement);
  }
  return *stated == said ? checker::Texts{} : different("its texts say something else");
}

question::Answer answer_sized_transfer(const ClaimRequest& claim, const CaseRequest& request,
                                       const JudgeOptions& options, const std::string& stem,
                                       std::optional<question::RuleView>& view, std::optional<Diagnostic>& wrong) {
  question::Answer out;
  const auto found = transfer_asked(claim, request.layout);
  const auto read = read_sized_transfer(claim, request);
  for (const TextError* error : {std::get_if<TextError>(&found), std::get_if<TextError>(&read)})
    if (error != nullptr) return wrong = error->diagnose(), out;
  const auto& reading = std::get<RuleReading>(read);
  const map::Rule& rule = *reading.reading.rule_for_all_sizes();
  engines::Options begun = options.engines;
  begun.budget = options.engines.budget.begun();
  const auto& of_text = std::get<TransferAsked>(found);
  const SizedTransfer transfer(of_text, rule, begun);
  const RuleCase of{request, transfer.rule(), begun,
                    [&](const ClaimRequest& asked, const map::Sizes& sizes) { return transfer.decide(asked, sizes); }};
  AllSizesCase all(of, reading, options.certificates);
  out = all.answer(claim, stem, wrong);
  if (!view) view = view_of(rule, reading.where);
  const bool never = out.all_sizes->holds && out.all_sizes->holds->empty();
  if (std::holds_alternative<Refuted>(out.verdict) && request.occurrences > 0 && !never)
    spare_found(request.layout, out);
  if (std::holds_alternative<Refuted>(out.verdict)) {
    out.words = further(transfer, out);
    const map::Sizes sizes(out.all_sizes->sizes.begin(), out.all_sizes->sizes.end());
    CaseRequest instance = request;
    if (const auto numbers = transfer.at(sizes)) instance.layout.text = use::print(numbers->descriptor);
    const Certified made = certify_transfer(claim, instance, out.verdict, options, stem);
    out.certificate_micros = static_cast<double>(made.time.count()) / 1000.0;
    if (made.unwritten) wrong = made.unwritten;
  }
  const std::string open = claims::not_stated(of_text.findings);
  if (std::holds_alternative<Proved>(out.verdict) && !open.empty()) out.note += "; not stated: " + open;
  out.warnings = transfer.warnings();
  return out;
}

std::variant<CaseRequest, TextError> transfer_at(const CaseRequest& request, const map::Sizes& sizes) {
  CaseRequest out = request;
  TransferRequest numbers = *request.transfer;
  for (SourceText& text : numbers.texts) {
    const auto descriptor = use::parse_descriptor(text.text);
    if (!descriptor) return TextError{text, descriptor.error()};
    const auto made = use::with_sizes(*descriptor, sizes);
    if (!made) return TextError{text, made.error()};
    if (!(*made == *descriptor)) text.text = use::print(*made), text.verbatim = false;
  }
  out.layout = numbers.texts.front();
  out.transfer = std::make_shared<const TransferRequest>(std::move(numbers));
  out.sizes.reset(), out.where.reset();
  return out;
}

}  // namespace vl::session
