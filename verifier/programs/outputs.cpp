#include "verifier/programs/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/judge.h"
#include "verifier/programs/layouts.h"
#include "verifier/programs/views.h"

namespace vl::programs {
namespace {

namespace chain = neutral::program;

constexpr int kMostAttempts = 64;  // of operations that the language refuses

// The line of the program in which an offset lies, from 0.
std::size_t line_at(const program::Dataflow& flow, std::size_t offset) {
  const auto end = flow.text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, flow.text.size()));
  return static_cast<std::size_t>(std::count(flow.text.begin(), end, '\n'));
}

// The step of the line of the program in which an offset lies; nothing for an input or an output.
std::optional<std::size_t> step_at(const program::Dataflow& flow, std::size_t offset) {
  const std::size_t line = line_at(flow, offset);
  const std::size_t step = line < flow.steps.size() ? flow.steps[line] : program::kNoStep;
  return step == program::kNoStep ? std::nullopt : std::optional(step);
}

// Where the first line is whose tensor is not the one that the operation has; nothing: there is none.
std::optional<std::size_t> other_tensor(const chain::Program& program, const program::Dataflow& flow) {
  for (const chain::Node& node : program.nodes) {
    const std::size_t line = line_at(flow, node.offset);
    if (node.implicit || line >= flow.results.size() || flow.results[line].empty()) continue;
    std::vector<Index> sizes, padded;
    for (const chain::Dimension& dimension : node.dimensions)
      sizes.push_back(dimension.size), padded.push_back(dimension.padded());
    if (fmt::format("{}[{}] padded to [{}]", node.type->name, fmt::join(sizes, ","), fmt::join(padded, ",")) !=
        flow.results[line])
      return node.offset;
  }
  return std::nullopt;
}

// Results are named as the user names them, and lines are those of the user's text.
void rename(chain::Program& program, const program::Function& function, const LineOf& line_of) {
  for (chain::Node& node : program.nodes) {
    const auto step = step_at(*function.dataflow, node.offset);
    node.line = line_of(step ? function.steps[*step].offset : function.offset);
    if (step && !function.steps[*step].result.empty()) node.name = function.steps[*step].result;
  }
}

}  // namespace

ReadProgram read_program(const mlir::Function& function, program::Function read, const program::Options& options,
                         const LineOf& line_of) {
  program::Options asked = options;
  for (const program::View& view : read.views)
    if (auto seen = seen_in(view)) asked.seen[read.steps[view.step].offset] = std::move(*seen);
  ReadProgram out{asked.seen.empty() ? std::move(read) : program::function_of(function, asked)};
  for (int attempt = 0; out.function.dataflow && attempt < kMostAttempts; ++attempt) {
    auto program = chain::parse_program(out.function.dataflow->text, layout_of_input);
    if (program)
      if (const auto at = other_tensor(*program, *out.function.dataflow))
        program = Error{ErrorCode::Shape, "its result is another tensor than the same operation here gives", *at};
    if (program) {
      rename(*program, out.function, line_of);
      out.program = std::move(*program), out.refused.clear();
      return out;
    }
    const auto step = step_at(*out.function.dataflow, program.error().offset);
    out.refused = program.error().message;
    if (!step || !asked.unknown.insert(out.function.steps[*step].offset).second) return out;
    std::string why = program.error().message;
    const std::size_t at = *step;
    out.function = program::function_of(function, asked);
    if (at < out.function.steps.size()) out.function.steps[at].why = std::move(why);
  }
  return out;
}

ReadProgram read_program(const mlir::Function& function, const program::Options& options, const LineOf& line_of) {
  return read_program(function, program::function_of(function, options), options, line_of);
}

std::variant<ReadProgram, Error> read_text(const std::string& text) {
  auto program = chain::parse_program(text, layout_of_input);
  if (!program) return program.error();
  ReadProgram out;
  program::Dataflow& flow = out.function.dataflow.emplace();
  flow.text = text;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto node = std::ranges::find(program->nodes, flow.steps.size() + 1, &chain::Node::line);
    if (node == program->nodes.end()) {
      flow.steps.push_back(program::kNoStep);
    } else {
      flow.steps.push_back(out.function.steps.size());
      const std::size_t equals = text.find('=', at);
      const std::size_t word = std::min(text.find_first_not_of(' ', equals + 1), end);
      const bool unknown = node->kind == chain::Kind::Unknown;
      out.function.steps.push_back({text.substr(word, text.find(' ', word) - word), node->name, at,
                                    unknown ? program::Known::Unknown : program::Known::Judged});
    }
    at = end + 1;
  }
  out.program = std::move(*program);
  return out;
}

std::size_t readers_of(const chain::Program& program) {
  return static_cast<std::size_t>(std::ranges::count_if(program.nodes, [&](const chain::Node& node) {
    if (!chain::is_reader(node)) return false;
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      if (!chain::read_regions(program, node, i).empty()) return true;
    return false;
  }));
}

std::vector<OutputVerdict> verdicts_of(const ReadProgram& read) {
  const program::Dataflow& flow = *read.function.dataflow;
  std::vector<OutputVerdict> out;
  const auto start = std::chrono::steady_clock::now();
  std::vector<chain::OutputAnswer> answers = chain::answer_by_output({{{}, *read.program}});
  const double micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  for (chain::OutputAnswer& each : answers) {
    const chain::Program& program = each.instances[each.found.at].program;
    const chain::ProgramAnswer& answer = each.found.answer;
    const chain::Node& output = program.nodes[program.outputs.front()];
    OutputVerdict verdict;
    verdict.micros = micros / static_cast<double>(answers.size());
    verdict.output = output.name;
    verdict.assumes = assumptions(program, answer);
    const auto step_for = [&](std::size_t node) { return step_at(flow, program.nodes[node].offset); };
    verdict.step = step_for(program.outputs.front()).value_or(read.function.steps.size() - 1);  // what returns it
    for (const chain::LineAnswer& line : answer.lines)
      if (const auto step = step_for(line.node); step && std::holds_alternative<neutral::Refuted>(line.verdict))
        verdict.not_neutral.insert(*step);
    if (const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict)) {
      verdict.step = step_for(refuted->reader).value_or(verdict.step);
      question::Counterexample shown;
      shown.fields = {{"index", refuted->at}};
      shown.explanation = headline(program, *refuted);
      verdict.words = explained(program, *refuted, answer.leaks);
      verdict.verdict = question::Refuted{engine_of(answer), std::move(shown)};
    } else if (const auto* unknown = std::get_if<chain::ProgramUnknown>(&answer.verdict)) {
      verdict.step = step_for(unknown->node).value_or(verdict.step);
      verdict.verdict = question::Unknown{question::Reason::Incomplete, unknown->reason, {}};
    } else {
      const auto trust = each.found.checked ? question::Trust::Checked : question::Trust::Trusted;
      verdict.verdict = question::Proved{engine_of(answer), trust, {}, {}};
      verdict.note = fmt::format("no padding reaches {}", output.name);
    }
    verdict.program = std::move(each.instances[each.found.at].program);
    verdict.answer = std::move(each.found.answer);
    out.push_back(std::move(verdict));
  }
  return out;
}

}  // namespace vl::programs
