#include "verifier/neutral/program/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/neutral/certify.h"
#include "verifier/neutral/laws.h"
#include "verifier/neutral/row_laws.h"
#include "verifier/neutral/words.h"

namespace vl::neutral::program {
namespace {

std::string key_of(const Question& question, const std::vector<CodeSet>& fills) {
  std::string out = fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", name(question.operation), question.type.name,
                                question.accumulate.name, static_cast<int>(question.start),
                                static_cast<int>(question.tree), static_cast<int>(question.max), question.fused,
                                static_cast<int>(question.equal), static_cast<int>(question.divide),
                                static_cast<int>(question.ties), static_cast<int>(question.pads), question.k);
  const auto add = [&](const CodeSet& set) {
    out += ';';
    for (const values::CodeRange& range : set.ranges()) out += fmt::format("{:x}-{:x},", range.first, range.last);
  };
  add(question.contents);
  for (const CodeSet& fill : fills) add(fill);
  return out;
}

const CodeSet* second_of(const std::vector<CodeSet>& fills) { return fills.size() > 1 ? &fills[1] : nullptr; }

// Which of two equal values a function tells apart: nothing, NaNs, or zeros.
Equality kept_by(const Node& node) {
  if (node.kind != Kind::Pointwise) return Equality::AnyNanAndZero;
  switch (node.function) {
    case Function::Signbit: return Equality::Bits;
    case Function::Recip:
    case Function::Rsqrt:
    case Function::Pow:
    case Function::Div: return Equality::AnyNan;
    default: return Equality::AnyNanAndZero;
  }
}

}  // namespace

std::vector<CodeSet> fills_of(const Program& program, const States& states, std::size_t reader) {
  const Node& node = program.nodes[reader];
  std::vector<CodeSet> out;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const Sets sets = states.read_by(reader, node.operands[i]);
    CodeSet fill;
    for (const Region region : read_regions(program, node, i)) fill = fill.united(sets[region]);
    if (fill.empty()) return {};
    out.push_back(std::move(fill));
  }
  return out;
}

CodeSet contents_of(const Program& program, const States& states, std::size_t reader) {
  CodeSet out;
  for (const std::size_t operand : program.nodes[reader].operands) out = out.united(states.read_by(reader, operand)[0]);
  return out;
}

bool Judge::holds(const Question& question, const std::vector<CodeSet>& fills) {
  const std::string key = key_of(question, fills);
  if (const auto known = held_.find(key); known != held_.end()) return known->second;
  bool out = false;
  if (question.operation == Operation::Dot) out = neutral_pairs(question, fills[0], fills[1]).neutral;
  else if (const auto found = neutral_codes(question)) out = fills[0].is_subset_of(found->codes);
  else out = std::holds_alternative<Proved>(decided(question, fills));
  held_.emplace(key, out);
  return out;
}

const Verdict& Judge::decided(const Question& question, const std::vector<CodeSet>& fills) {
  const std::string key = key_of(question, fills);
  if (const auto known = decided_.find(key); known != decided_.end()) return known->second;
  return decided_.emplace(key, decide(question, fills[0], second_of(fills))).first->second;
}

// How far results may differ from the reference's, line by line, and the first function that sees it.
std::optional<ProgramUnknown> Judge::not_kept(const States& states, std::vector<Equality>& differ) {
  differ.assign(program_.nodes.size(), Equality::Bits);
  for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
    const Node& node = program_.nodes[at];
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Equality before = differ[node.operands[i]];
      // Only the divisor's zero has a sign that counts.
      const bool numerator = node.kind == Kind::Pointwise && node.function == Function::Div && i == 0;
      if (before > kept_by(node) && !numerator)
        return ProgramUnknown{at, fmt::format("{} may differ from the reference by {}, which {} can see",
                                              program_.nodes[node.operands[i]].name,
                                              before == Equality::AnyNan ? "the bits of a NaN" : "the sign of a zero",
                                              name(node.function))};
      differ[at] = std::max(differ[at], before);
    }
    if (!is_reader(node)) continue;
    const std::vector<CodeSet> fills = fills_of(program_, states, at);
    if (fills.empty()) continue;
    Question question = question_of(program_, node, contents_of(program_, states, at));
    Equality own = program_.equal;
    for (const Equality finer : {Equality::AnyNan, Equality::Bits}) {
      question.equal = finer;
      if (finer < own && misfit(question).empty() && holds(question, fills)) own = finer;
    }
    differ[at] = std::max(differ[at], own);
  }
  return std::nullopt;
}

bool Judge::passes(const States& states, std::size_t line) {
  const Node& node = program_.nodes[line];
  if (!is_reader(node)) return true;
  const std::vector<CodeSet> fills = fills_of(program_, states, line);
  return fills.empty() || holds(question_of(program_, node, contents_of(program_, states, line)), fills);
}

std::optional<std::size_t> Judge::first_failure(const std::vector<Mask>& masks) {
  const States states(program_, masks, images_);
  for (std::size_t at = 0; at < program_.nodes.size(); ++at)
    if (!passes(states, at)) return at;
  std::vector<Equality> differ;
  if (const auto unknown = not_kept(states, differ)) return unknown->node;
  return std::nullopt;
}

ProgramAnswer Judge::answer(const std::vector<Mask>& masks) {
  ProgramAnswer out;
  const States states(program_, masks, images_);
  for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
    if (!is_reader(program_.nodes[at])) continue;
    const std::vector<CodeSet> fills = fills_of(program_, states, at);
    if (fills.empty()) continue;
    const Question question = question_of(program_, program_.nodes[at], contents_of(program_, states, at));
    const Verdict& verdict = decided(question, fills);
    const bool checked = certify(question, fills[0], second_of(fills), verdict).has_value();
    out.lines.push_back({at, fills, verdict, checked});
    if (std::holds_alternative<Proved>(verdict)) continue;
    auto run = masks.empty() ? find_run(program_, at) : std::nullopt;
    if (run) out.verdict = std::move(*run);
    else {
      const auto* unknown = std::get_if<Unknown>(&verdict);
      out.verdict = ProgramUnknown{
          at, unknown != nullptr ? unknown->reason
                                 : "these values are not neutral for every contents and number of elements, and no run "
                                   "of this program was found that shows it"};
    }
    return out;
  }
  if (auto unknown = not_kept(states, out.differ)) {
    auto run = masks.empty() ? find_run(program_, unknown->node) : std::nullopt;
    if (run) out.verdict = std::move(*run);
    else out.verdict = std::move(*unknown);
  }
  return out;
}

std::vector<std::string> assumptions(const Program& program) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty() && std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  };
  for (const Node& node : program.nodes) {
    if (node.kind == Kind::Input && node.contents != CodeSet::all(*node.type))
      add(fmt::format("the valid elements of {} are {}", node.name, set_in_words(*node.type, node.contents)));
    if (node.kind == Kind::Mask) add("a mask writes the padding that it names, and no valid element");
    if (node.kind == Kind::Pointwise) add(std::string(assumption(node.function)));
    if (node.kind == Kind::Row)
      for (std::string& text :
           neutral::assumptions(question_of(program, node, CodeSet::all(*program.nodes[node.operands[0]].type))))
        add(std::move(text));
    if (node.kind == Kind::Row && node.operation == Operation::Softmax) add("exp(x) of x <= 0 is at most 1");
    if (node.kind == Kind::Broadcast) add("broadcast writes the elements into the padding of its dimension, too");
  }
  return out;
}

}  // namespace vl::neutral::program
