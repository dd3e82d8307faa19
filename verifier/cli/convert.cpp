// convert: the same layout in another notation of its family. The family proposes a text; it is printed only after a
// proof that both layouts put every element in the same place. Without such a text the answer is that none exists, if
// the family's search is complete (exit code 10), else that none was found (exit code 5).
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "verifier/cli/commands.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Converted {
  std::string text = {};            // proved to be equal; empty if there is none
  std::string word = {};            // of the candidate: proved, refuted, …; empty without one
  std::string reason = {};          // why there is none, or why the candidate is not proved
  std::optional<bool> exists = {};  // nothing: it is not known whether the notation can say the layout
};

std::string reason_of(const question::Verdict& verdict) {
  return std::visit(overloaded{[](const question::Proved&) { return std::string{}; },
                               [](const question::Refuted& r) { return r.counterexample.explanation; },
                               [](const question::Unknown& u) { return u.detail; }},
                    verdict);
}

std::variant<Converted, Diagnostic> convert(const session::CaseRequest& request, const ConvertArguments& arguments) {
  const auto read = read_and_warn(request);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return *diagnostic;
  const session::TensorReading& subject = std::get<session::TensorReading>(read);
  const use::Family* family = session::family_of(request.layout.text, request.family);
  const bool knows = std::ranges::find(family->notations, arguments.to) != family->notations.end();
  if (!knows)
    return locate("--to", arguments.to, {ErrorCode::Value, fmt::format("{} has no such notation", family->name), 0});
  if (const auto* why = subject.reading.undecidable()) return Converted{{}, "unsupported", why->reason, {}};
  auto conversion = family->convert(request.layout.text, subject.tensor, arguments.to);
  if (!conversion) return request.layout.diagnose(conversion.error());
  const auto none = conversion->complete ? std::optional(false) : std::nullopt;
  if (conversion->text.empty()) return Converted{{}, {}, conversion->refusal, none};
  const auto other = family->read(conversion->text, subject.tensor);
  VL_CHECK(other.has_value() && other->layout() != nullptr,
           fmt::format("the conversion {} is not read again", conversion->text));
  const engines::Options options = session::engine_options(arguments.timeout);
  const claims::Judged answer =
      claims::decide(*claims::find_claim("equal"), claims::Pair{*subject.reading.layout(), *other->layout()}, options);
  const std::string word(question::word(answer.verdict));
  std::string reason = reason_of(answer.verdict);
  if (std::holds_alternative<question::Proved>(answer.verdict)) return Converted{conversion->text, word, {}, true};
  if (!std::holds_alternative<question::Refuted>(answer.verdict)) return Converted{{}, word, std::move(reason), {}};
  reason = fmt::format("the {} candidate is {}, and {}", none ? "only" : "tried", conversion->text, reason);
  return Converted{{}, word, std::move(reason), none};
}

Json to_json(const ConvertArguments& arguments, const Converted& outcome) {
  const auto or_null = [](const auto& value, bool known) { return known ? Json(value) : Json(nullptr); };
  return {{"layout", arguments.layout.text()},
          {"to", arguments.to},
          {"converted", or_null(outcome.text, !outcome.text.empty())},
          {"equal", or_null(outcome.word, !outcome.word.empty())},
          {"exists", or_null(outcome.exists.value_or(false), outcome.exists.has_value())},
          {"reason", or_null(outcome.reason, outcome.exists != true)}};
}

std::string to_text(const ConvertArguments& arguments, const Converted& outcome) {
  if (outcome.exists == true) return outcome.text + "\n";
  if (outcome.exists == false) return fmt::format("no {} says the same: {}\n", arguments.to, outcome.reason);
  if (outcome.word.empty() || outcome.word == "refuted")
    return fmt::format("none found: whether a {} says the same is not known: {}\n", arguments.to, outcome.reason);
  return fmt::format("not proved to be equal ({}): {}\n", outcome.word, outcome.reason);
}

}  // namespace

int run_convert(const ConvertArguments& arguments) {
  const auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  const auto converted = convert(std::get<session::CaseRequest>(request), arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&converted)) return bad_input(*diagnostic);
  const auto& outcome = std::get<Converted>(converted);
  const std::string out = arguments.format == Format::Json
                              ? to_json(arguments, outcome).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
                              : to_text(arguments, outcome);
  std::fwrite(out.data(), 1, out.size(), stdout);
  if (!outcome.exists) return kUndecided;
  return *outcome.exists ? 0 : kRefuted;
}

}  // namespace vl::cli
