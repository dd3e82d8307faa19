// convert: the same layout in another notation of its family. The family proposes a text; it is printed only after a
// proof that both layouts put every element in the same place. If the other notation cannot express the layout, the
// answer is a refusal with its reason, and the exit code is 10.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "verifier/cli/commands.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

struct Converted {
  std::string text;    // the proposal; empty if there is none
  std::string word;    // proved, refuted, unknown, vacuous, unsupported; "refused" without a proposal
  std::string reason;  // why not proved
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
  if (const auto* why = subject.reading.undecidable()) return Converted{{}, "unsupported", why->reason};
  auto conversion = family->convert(request.layout.text, subject.tensor, arguments.to);
  if (!conversion) return request.layout.diagnose(conversion.error());
  if (!conversion->refusal.empty()) return Converted{{}, "refused", conversion->refusal};
  const auto other = family->read(conversion->text, subject.tensor);
  VL_CHECK(other.has_value() && other->layout() != nullptr,
           fmt::format("the conversion {} is not read again", conversion->text));
  engines::Options options = session::engine_options(arguments.timeout);
  const claims::Judged answer =
      claims::decide(*claims::find_claim("equal"), claims::Pair{*subject.reading.layout(), *other->layout()}, options);
  return Converted{conversion->text, std::string(question::word(answer.verdict)), reason_of(answer.verdict)};
}

}  // namespace

int run_convert(const ConvertArguments& arguments) {
  const auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  const auto converted = convert(std::get<session::CaseRequest>(request), arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&converted)) return bad_input(*diagnostic);
  const auto& outcome = std::get<Converted>(converted);
  const bool proved = outcome.word == "proved";
  if (arguments.format == Format::Json) {
    using nlohmann::ordered_json;
    const ordered_json json{{"layout", arguments.layout.layout},
                            {"to", arguments.to},
                            {"converted", proved ? ordered_json(outcome.text) : ordered_json(nullptr)},
                            {"equal", outcome.word == "refused" ? ordered_json(nullptr) : ordered_json(outcome.word)},
                            {"reason", proved ? ordered_json(nullptr) : ordered_json(outcome.reason)}};
    fmt::print("{}\n", json.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  } else if (proved) {
    fmt::print("{}\n", outcome.text);
  } else if (outcome.word == "refused") {
    fmt::print("no {} says the same: {}\n", arguments.to, outcome.reason);
  } else {
    fmt::print("not proved to be equal ({}): {}\n", outcome.word, outcome.reason);
  }
  if (proved) return 0;
  return outcome.word == "refuted" || outcome.word == "refused" ? kRefuted : kUndecided;
}

}  // namespace vl::cli
