#include "verifier/neutral/program/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verifier/neutral/certify.h"
#include "verifier/neutral/laws.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/differences.h"
#include "verifier/neutral/row_laws.h"
#include "verifier/neutral/words.h"

namespace vl::neutral::program {
namespace {

std::string key_of(const Question& question, const std::vector<CodeSet>& fills) {
  std::string out =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", name(question.operation), question.type.name,
                  question.accumulate.name, static_cast<int>(question.start), static_cast<int>(question.tree),
                  static_cast<int>(question.max), question.fused, static_cast<int>(question.equal),
                  static_cast<int>(question.divide), static_cast<int>(question.ties), static_cast<int>(question.pads),
                  question.k, static_cast<int>(question.mode.rounding), static_cast<int>(question.mode.flush),
                  static_cast<int>(question.mode.integers));
  const auto add = [&](const CodeSet& set) {
    out += ';';
    for (const values::CodeRange& range : set.ranges()) out += fmt::format("{:x}-{:x},", range.first, range.last);
  };
  add(question.contents);
  for (const CodeSet& fill : fills) add(fill);
  return out;
}

// The first unknown operation on which a line depends, itself too.
std::optional<std::size_t> unknown_above(const Program& program, std::size_t line) {
  const Program above = with_outputs(program, {line});
  const auto found = std::ranges::find(above.nodes, Kind::Unknown, &Node::kind);
  if (found == above.nodes.end()) return std::nullopt;
  const auto same = std::ranges::find(program.nodes, found->offset, &Node::offset);
  return static_cast<std::size_t>(same - program.nodes.begin());
}

ProgramUnknown because_of(const Program& program, std::size_t unknown) {
  return {unknown, fmt::format("{} is not known: its result may hold anything", program.nodes[unknown].words)};
}

std::string word_of(const Node& node) {
  if (node.kind == Kind::Unknown) return node.words;
  return node.kind == Kind::Cast ? "cast" : std::string(name(node.function));
}

const CodeSet* second_of(const std::vector<CodeSet>& fills) { return fills.size() > 1 ? &fills[1] : nullptr; }

}  // namespace

std::optional<std::size_t> unknown_reader(const Program& program) {
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    const auto padded = [&](std::size_t operand) { return is_padded(program.nodes[operand]); };
    if (program.nodes[at].kind == Kind::Unknown && !program.nodes[at].unseen &&
        program.nodes[at].reads == Reads::Slots && std::ranges::any_of(program.nodes[at].operands, padded))
      return at;
  }
  return std::nullopt;
}

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
  if (const auto known = memory_->held.find(key); known != memory_->held.end()) return known->second;
  bool out = false;
  if (question.operation == Operation::Dot) out = neutral_pairs(question, fills[0], fills[1]).neutral;
  else if (const auto found = neutral_codes(question)) out = fills[0].is_subset_of(found->codes);
  else out = std::holds_alternative<Proved>(decided(question, fills));
  memory_->held.emplace(key, out);
  return out;
}

const Verdict& Judge::decided(const Question& question, const std::vector<CodeSet>& fills) {
  const std::string key = key_of(question, fills);
  if (const auto known = memory_->decided.find(key); known != memory_->decided.end()) return known->second;
  return memory_->decided.emplace(key, decide(question, fills[0], second_of(fills))).first->second;
}

bool Judge::is_checked(const Question& question, const std::vector<CodeSet>& fills) {
  const auto [at, fresh] = memory_->checked.try_emplace(key_of(question, fills), false);
  if (fresh) at->second = certify(question, fills[0], second_of(fills), decided(question, fills)).has_value();
  return at->second;
}

// What of an operand's difference a line's result may have: as check_equality of values_kernel/chains.cpp has it.
Equality Judge::left_of(const States& states, std::size_t at, std::size_t i, Equality before) const {
  const Node& node = program_.nodes[at];
  const Node& operand = program_.nodes[node.operands[i]];
  if (before != Equality::AnyNanAndZero || program_.mode != values::Mode{} || !operand.type->is_float()) return before;
  const auto has_zero = [&](std::size_t of) {
    return !states.read_by(at, of)[0].intersected(zeros(*program_.nodes[of].type)).empty();
  };
  const bool pointwise = node.kind == Kind::Pointwise;
  const bool even = pointwise && (node.function == Function::Exp || node.function == Function::Abs) &&
                    !is_by_facts(program_, node.function);
  const bool sum = pointwise && (node.function == Function::Add || node.function == Function::Sub) &&
                   !has_zero(node.operands[1 - i]);
  const bool none = pointwise && node.function == Function::Sub && is_twice(node);
  return even || sum || none || !has_zero(node.operands[i]) ? Equality::AnyNan : before;
}

// How far results may differ from the reference's, line by line, and the first function that sees it.
std::optional<ProgramUnknown> Judge::not_kept(const States& states, RowTables& tables, std::vector<Equality>& differ) {
  differ.assign(program_.nodes.size(), Equality::Bits);
  for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
    const Node& node = program_.nodes[at];
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Equality before = differ[node.operands[i]];
      // Only the divisor's zero has a sign that counts.
      const bool numerator = node.kind == Kind::Pointwise && node.function == Function::Div && i == 0;
      if (before > kept_by(program_, node) && !numerator && !node.unseen)
        return ProgramUnknown{
            at, fmt::format("{} may differ from the reference by {}, which {} can see",
                            program_.nodes[node.operands[i]].name,
                            before == Equality::AnyNan ? "the bits of a NaN" : "the sign of a zero", word_of(node))};
      differ[at] = std::max(differ[at], left_of(states, at, i, before));
    }
    if (!is_reader(node)) continue;
    const std::vector<CodeSet> fills = fills_of(program_, states, at);
    if (fills.empty()) continue;
    Question question = question_of(program_, node, contents_of(program_, states, at));
    Equality own = program_.equal;
    for (const Equality finer : {Equality::AnyNan, Equality::Bits}) {
      question.equal = finer;
      if (finer >= own || !misfit(question).empty()) continue;
      if (holds(question, fills) || holds_by_cases(tables, at, finer)) own = finer;
    }
    differ[at] = std::max(differ[at], own);
  }
  return std::nullopt;
}

bool Judge::passes(const States& states, std::size_t line) {
  const Node& node = program_.nodes[line];
  if (!is_reader(node)) return true;
  const std::vector<CodeSet> fills = fills_of(program_, states, line);
  if (fills.empty()) return true;
  const Question question = question_of(program_, node, contents_of(program_, states, line));
  return misfit(question).empty() && !is_of_other_facts(program_, node) && holds(question, fills);
}

std::optional<std::size_t> Judge::first_failure(const std::vector<Mask>& masks) {
  States states(program_, images());
  for (const Mask& mask : masks) states.add(mask);
  RowTables tables(program_, states, images());
  for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
    states.extend_to(at);
    if (passes(states, at) || holds_by_cases(tables, at, program_.equal)) continue;
    if (!program_.nodes[at].unseen) return at;
    states.leak(at);
  }
  states.extend_to(program_.nodes.size());
  std::vector<Equality> differ;
  if (const auto unknown = not_kept(states, tables, differ)) return unknown->node;
  return unknown_reader(program_);
}

LineAnswer Judge::answer_of_line(const States& states, RowTables& tables, std::size_t at, std::vector<CodeSet> fills) {
  const Question question = question_of(program_, program_.nodes[at], contents_of(program_, states, at));
  std::string open = misfit(question);
  if (open.empty() && is_of_other_facts(program_, program_.nodes[at]))
    open = "the arithmetic states other facts about exp than the laws of rows use";
  const auto by_cases = [&] { return open.empty() && holds_by_cases(tables, at, program_.equal); };
  // The search for a row that differs takes long, so it comes last; but of 8 bits it ends with a proof, too.
  bool proved_by_cases = open.empty() && question.accumulate.bits > 8 && !holds(question, fills) && by_cases();
  Verdict verdict = Unknown{};
  if (!open.empty()) verdict = Unknown{open};
  else if (!proved_by_cases) verdict = decided(question, fills);
  proved_by_cases = proved_by_cases || (!std::holds_alternative<Proved>(verdict) && by_cases());
  if (proved_by_cases)
    return {at, std::move(fills), Proved{kByCases, "each kind of row is neutral, or NaN throughout"}, false};
  const bool checked = !std::holds_alternative<Unknown>(verdict) && is_checked(question, fills);
  return {at, std::move(fills), std::move(verdict), checked};
}

// A line by what is quickly decided: whether it is neutral. The record is of a line behind one that is not.
LineAnswer Judge::quick_answer(const States& states, RowTables& tables, std::size_t at, std::vector<CodeSet> fills) {
  const Question question = question_of(program_, program_.nodes[at], contents_of(program_, states, at));
  const bool known = misfit(question).empty() && !is_of_other_facts(program_, program_.nodes[at]);
  if (known && (holds(question, fills) || holds_by_cases(tables, at, program_.equal)))
    return answer_of_line(states, tables, at, std::move(fills));
  return {at, std::move(fills), Unknown{"it is not neutral, and no output sees it"}, false};
}

// What the first line that is not neutral leaves open, if no later one undoes it.
struct Judge::Open {
  std::size_t line = 0;
  ProgramUnknown unknown = {};
  std::size_t lines = 0, leaks = 0;  // up to it
};

// The lines, and what some of them leave open.
std::optional<Judge::Open> Judge::judge_lines(States& states, RowTables& tables, ProgramAnswer& out) {
  std::optional<Open> open;
  for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
    states.extend_to(at);
    if (!is_reader(program_.nodes[at])) continue;
    std::vector<CodeSet> fills = fills_of(program_, states, at);
    if (fills.empty()) continue;
    out.lines.push_back(open ? quick_answer(states, tables, at, std::move(fills))
                             : answer_of_line(states, tables, at, std::move(fills)));
    const Verdict& verdict = out.lines.back().verdict;
    if (std::holds_alternative<Proved>(verdict)) continue;
    if (!program_.nodes[at].unseen && !open) {
      const auto* unknown = std::get_if<Unknown>(&verdict);
      open = Open{at,
                  {at, unknown != nullptr ? unknown->reason
                                          : "these values are not neutral for every contents and number of elements, "
                                            "and no run of this program was found that shows it"},
                  out.lines.size(),
                  out.leaks.size()};
      if (const auto above = unknown_above(program_, at)) open->unknown = because_of(program_, *above);
    }
    out.leaks.push_back(at);
    states.leak(at);
  }
  states.extend_to(program_.nodes.size());
  return open;
}

// Proved, or unknown: no run is looked for. `line`: the first line that may differ, if that is known.
ProgramAnswer Judge::judged(const std::vector<Mask>& masks, std::optional<std::size_t>& line) {
  ProgramAnswer out;
  States states(program_, images());
  for (const Mask& mask : masks) states.add(mask);
  RowTables tables(program_, states, images());
  std::optional<Open> open = judge_lines(states, tables, out);
  const auto reader = unknown_reader(program_);
  auto unknown = reader ? std::nullopt : not_kept(states, tables, out.differ);
  if (open) {
    std::vector<std::size_t> seen = out.leaks;
    std::erase_if(seen, [&](std::size_t at) { return program_.nodes[at].unseen; });
    const std::vector<CodeSet> differ = differences(program_, states, images(), seen);
    const bool undone = std::ranges::all_of(program_.outputs, [&](std::size_t at) { return differ[at].empty(); });
    if (undone && !reader && !unknown) return out;
    out.lines.resize(open->lines), out.leaks.resize(open->leaks), out.differ.clear();
    line = open->line;
    out.verdict = std::move(open->unknown);
  } else if (reader) out.verdict = because_of(program_, *reader);
  else if (unknown) line = unknown->node, out.verdict = std::move(*unknown);
  return out;
}

bool Judge::is_proved() {
  std::optional<std::size_t> line;
  return std::holds_alternative<ProgramProved>(judged({}, line).verdict);
}

// A run is looked for without masks alone.
ProgramAnswer Judge::answer(const std::vector<Mask>& masks) {
  std::optional<std::size_t> line;
  ProgramAnswer out = judged(masks, line);
  auto run = line && masks.empty() ? find_run(program_, *line) : std::nullopt;
  if (run) out.verdict = std::move(*run);
  return out;
}

AnswerOfAll answer_of_all(const std::vector<Instance>& instances, const std::shared_ptr<Memory>& memory) {
  constexpr std::size_t kRefuted = 1, kUnknown = 2;
  AnswerOfAll out;
  out.checked = true;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const Program& program = instances[i].program;
    ProgramAnswer next;
    const auto* known = std::get_if<ProgramRefuted>(&out.answer.verdict);
    auto again = known != nullptr ? refuted_again(program, *known) : std::nullopt;
    if (again) next.verdict = std::move(*again);
    else next = Judge(program, memory).answer();
    const std::size_t kind = next.verdict.index();
    const bool differs = i > 0 && kind != out.answer.verdict.index();
    if (kind == kUnknown && instances.size() == 1) return {std::move(next), 0, false};
    if (differs || kind == kUnknown) {
      const auto* unknown = std::get_if<ProgramUnknown>(&next.verdict);
      const std::size_t node = unknown != nullptr ? unknown->node
                               : kind == kRefuted ? std::get<ProgramRefuted>(next.verdict).reader
                               : out.answer.verdict.index() == kRefuted
                                   ? std::get<ProgramRefuted>(out.answer.verdict).reader
                                   : 0;
      constexpr const char* kWords[] = {"proved", "refuted", "not known"};
      std::string reason =
          fmt::format("under {}: {}", in_words(instances[i]), unknown != nullptr ? unknown->reason : kWords[kind]);
      if (differs)
        reason += fmt::format("; under {}: {}", in_words(instances.front()), kWords[out.answer.verdict.index()]);
      next.verdict = ProgramUnknown{node, std::move(reason)};
      return {std::move(next), i, false};
    }
    out.checked = out.checked && certify(program, next, {}, memory).has_value();
    if (i == 0) out.answer = std::move(next);
  }
  return out;
}

std::vector<OutputAnswer> answer_by_output(const std::vector<Instance>& instances) {
  const auto memory = std::make_shared<Memory>();
  std::vector<OutputAnswer> out;
  for (std::size_t i = 0; i < instances.front().program.outputs.size(); ++i) {
    std::vector<Instance> alone;
    alone.reserve(instances.size());
    for (const Instance& instance : instances)
      alone.push_back({instance.said, with_outputs(instance.program, {instance.program.outputs[i]})});
    AnswerOfAll found = answer_of_all(alone, memory);
    out.push_back({std::move(alone), std::move(found)});
  }
  constexpr std::array kOrder = {2, 0, 1};  // proved, refuted, unknown
  std::ranges::stable_sort(out, {},
                           [&](const OutputAnswer& answer) { return kOrder.at(answer.found.answer.verdict.index()); });
  return out;
}

namespace {

std::string assumption_of(const Program& program, Function function) {
  if (is_by_facts(program, function)) return fmt::format("{} gives what the arithmetic states of it", name(function));
  const bool rounds = function == Function::Recip || function == Function::Sqrt || function == Function::Div;
  if (rounds && program.has_arithmetic) return "recip, sqrt and div are rounded once, as the arithmetic says";
  return std::string(assumption(function));
}

}  // namespace

std::vector<std::string> assumptions(const Program& program) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty() && std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  };
  for (const Node& node : program.nodes) {
    if (node.kind == Kind::Input && !node.constant && node.contents != CodeSet::all(*node.type))
      add(fmt::format("the valid elements of {} are {}", node.name, set_in_words(*node.type, node.contents)));
    for (const std::size_t dimension : node.finite_rows)
      add(fmt::format("each row of {} along {} has a finite element", node.name, dimension_in_words(node, dimension)));
    if (node.kind == Kind::Mask) add("a mask writes the padding that it names, and no valid element");
    const bool reads_elements = node.reads == Reads::Elements || node.reads == Reads::Numbers;
    const auto has_padding = [&](std::size_t operand) { return is_padded(program.nodes[operand]); };
    if (reads_elements && std::ranges::any_of(node.operands, has_padding))
      add(fmt::format("{} reads no padding of its operands", node.words));
    if (node.kind == Kind::Pointwise) add(assumption_of(program, node.function));
    const bool extremum =
        node.kind == Kind::Reduce && (node.operation == Operation::Max || node.operation == Operation::Min);
    if (extremum && program.has_arithmetic && node.type->is_float()) add("max and min flush nothing");
    if (node.kind == Kind::Row)
      for (std::string& text :
           neutral::assumptions(question_of(program, node, CodeSet::all(*program.nodes[node.operands[0]].type))))
        add(std::move(text));
    if (node.kind == Kind::Row && node.operation == Operation::Softmax) add("exp(x) of x <= 0 is at most 1");
    if (node.kind == Kind::Broadcast && is_padded(node))
      add("broadcast writes the elements into the padding of its dimension, too");
  }
  return out;
}

bool is_by_cases(const ProgramAnswer& answer) {
  return std::ranges::any_of(answer.lines, [](const LineAnswer& line) {
    const auto* proved = std::get_if<Proved>(&line.verdict);
    return proved != nullptr && proved->engine == kByCases;
  });
}

const char* engine_of(const ProgramAnswer& answer) {
  const auto* refuted = std::get_if<ProgramRefuted>(&answer.verdict);
  if (refuted != nullptr) return refuted->on_sets ? "sets" : "evaluation";
  return is_by_cases(answer) ? kByCases : "chain";
}

std::vector<std::string> assumptions(const Program& program, const ProgramAnswer& answer) {
  std::vector<std::string> out = assumptions(program);
  if (const auto* refuted = std::get_if<ProgramRefuted>(&answer.verdict))
    for (const std::string& text : refuted->assumes)
      if (std::ranges::find(out, text) == out.end()) out.push_back(text);
  return out;
}

}  // namespace vl::neutral::program
