#include "verifier/programs/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "verifier/programs/function_judge.h"
#include "verifier/programs/pairs.h"
#include "verifier/session/scan.h"

namespace vl::programs {
namespace {

using program::Function;

// What a kernel puts out is said by the whole call, which is its last operation.
std::optional<std::pair<std::size_t, std::size_t>> lines_of_kernel(const Text& text, const mlir::Function& function) {
  const auto& operations = function.body.operations;
  const auto is_spec = [](const mlir::Operation& each) { return each.name.starts_with("OpSpec."); };
  if (std::ranges::none_of(operations, is_spec)) return std::nullopt;
  const mlir::Operation& last = operations.back();
  return std::pair(text.place(last.offset).line, text.place(last.offset + last.length).line);
}

}  // namespace

bool has_functions(std::string_view text) { return program::has_functions(text); }

Works works_of(const std::string& file, std::string text, const program::Options& options) {
  const auto shared = std::make_shared<Text>(file, file == "<stdin>" ? "" : file, Document(std::move(text)), options);
  shared->read_functions();
  Works out;
  for (const mlir::Function& function : shared->functions) {
    if (function.declared && function.refused.empty()) continue;
    const question::Place place = shared->place(function.refused.empty() ? function.offset : function.refused_at);
    std::string id = fmt::format("{}:{} {}", file, place.line, function.name);
    if (!function.refused.empty()) {
      Diagnostic wrong{file, place.line, place.column, fmt::format("{}: {}", function.name, function.refused), {}, 0};
      out.all.emplace_back(session::rejected(std::move(id), std::move(wrong)));
      continue;
    }
    const auto read = std::make_shared<Function>(program::function_of(function, shared->options));
    if (!read->dataflow && read->views.empty() && read->masks.empty() && read->moves.empty()) continue;
    if (const auto lines = lines_of_kernel(*shared, function)) out.kernels.push_back(*lines);
    out.all.emplace_back(session::Judging{std::move(id), [shared, &function, read](const session::JudgeOptions& asked) {
                                            return judge_function(
                                                *shared, &function,
                                                read_program(function, *read, shared->options, shared->lines()), asked);
                                          }});
  }
  for (const Pair& pair : pairs_of(*shared))
    out.all.emplace_back(session::Judging{
        fmt::format("{}:{} {}", file, shared->place(pair.offset).line, pair.words),
        [shared, pair](const session::JudgeOptions& asked) { return judge_pair(*shared, pair, asked); }});
  return out;
}

namespace {

// What the case expects of a claim; null where it expects nothing of it.
const question::Expectation* expected_of(const session::ProgramRequest& program, const std::string& claim) {
  const auto found = std::ranges::find(program.expected, claim, [](const auto& each) { return each.first; });
  return found == program.expected.end() ? nullptr : &found->second;
}

void compare(const session::ProgramRequest& program, question::Case& out) {
  if (program.expected.empty()) return;
  std::erase_if(out.answers,
                [&](const question::Answer& answer) { return expected_of(program, answer.claim) == nullptr; });
  for (const auto& [claim, expected] : program.expected) {
    const std::string& word = std::get<std::string>(expected);
    const bool held = std::ranges::any_of(out.answers, [&, &name = claim](const question::Answer& answer) {
      return answer.claim == name && question::word(answer.verdict) == word;
    });
    bool said = false;
    for (question::Answer& answer : out.answers) {
      if (answer.claim != claim || (held && question::word(answer.verdict) == "proved" && word != "proved")) continue;
      answer.expected = expected, said = true;
      answer.as_expected = question::word(answer.verdict) == word;
      if (!answer.as_expected)
        answer.mismatch = fmt::format("expected {}, got {}", word, question::word(answer.verdict));
    }
    if (said) continue;
    question::Answer none = unsupported(claim, "the program has no operation of which this is asked");
    none.expected = expected, none.as_expected = word == "unsupported";
    if (!none.as_expected) none.mismatch = fmt::format("expected {}, and nothing is asked", word);
    out.answers.push_back(std::move(none));
  }
}

// The file of a program; empty: it is the text itself.
std::string path_of(const session::SourceText& program) {
  if (program.text.find('\n') != std::string::npos) return {};
  return (std::filesystem::path(program.file).parent_path() / program.text).string();
}

void join(question::Case made, question::Case& out) {
  if (made.diagnostic) out.diagnostic = std::move(made.diagnostic);
  std::ranges::move(made.answers, std::back_inserter(out.answers));
  if (!made.function) return;
  if (!out.function) {
    out.function = std::move(made.function);
    return;
  }
  question::FunctionView& all = *out.function;
  all.name += " " + made.function->name;
  all.operations += made.function->operations, all.judged += made.function->judged, all.free += made.function->free;
  std::ranges::move(made.function->unknown, std::back_inserter(all.unknown));
  std::ranges::move(made.function->notes, std::back_inserter(all.notes));
  std::ranges::move(made.function->fills, std::back_inserter(all.fills));
  if (made.function->readers) all.readers = all.readers.value_or(0) + *made.function->readers;
  all.not_neutral += made.function->not_neutral;
}

}  // namespace

question::Case judge(const session::CaseRequest& request, const session::JudgeOptions& options) {
  const session::ProgramRequest& asked = *request.program;
  question::Case out;
  out.id = request.id;
  const Diagnostic start = asked.text.diagnose({});
  out.place = {start.file, start.line, start.column};
  const std::string path = path_of(asked.text), id = request.id.value_or("program");
  auto text = path.empty() ? std::variant<std::string, Diagnostic>(asked.text.text)
                           : session::read_file(path, "a program", session::kLongestText);
  if (auto* wrong = std::get_if<Diagnostic>(&text)) {
    out.diagnostic = std::move(*wrong);
    return out;
  }
  Text whole(start.file, path, Document(std::move(std::get<std::string>(text))), {});
  const std::string& said = whole.document.text();
  if (!has_functions(said)) {
    auto read = read_text(said);
    if (auto* error = std::get_if<Error>(&read)) out.diagnostic = locate(start.file, whole.document, *error);
    else join(judge_function(whole, nullptr, std::get<ReadProgram>(std::move(read)), options, id), out);
  } else {
    bool found = false;
    whole.read_functions();
    for (const mlir::Function& function : whole.functions) {
      if (function.declared || (!asked.function.empty() && function.name != asked.function)) continue;
      found = true;
      if (!function.refused.empty())
        out.diagnostic = locate(start.file, whole.document, {ErrorCode::Syntax, function.refused, function.refused_at});
      else
        join(judge_function(whole, &function, read_program(function, whole.options, whole.lines()), options, id), out);
    }
    if (asked.function.empty())
      for (const Pair& pair : pairs_of(whole)) join(judge_pair(whole, pair, options, id), out);
    if (!found) out.diagnostic = asked.text.diagnose({ErrorCode::Value, "the program has no such function", 0});
  }
  if (!out.diagnostic) compare(asked, out);
  return out;
}

}  // namespace vl::programs
