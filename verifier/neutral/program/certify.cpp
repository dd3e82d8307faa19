#include "verifier/neutral/program/certify.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/neutral/certify.h"
#include "verifier/values_kernel/check.h"

namespace vl::neutral::program {
namespace {

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::Input: return "input";
    case Kind::Pointwise: return "pointwise";
    case Kind::Cast: return "cast";
    case Kind::Reduce: return "reduce";
    case Kind::Row: return "row";
    case Kind::Matmul: return "matmul";
    case Kind::Transpose: return "transpose";
    case Kind::Reshape: return "reshape";
    case Kind::Concat: return "concat";
    case Kind::Slice: return "slice";
    case Kind::Broadcast: return "broadcast";
    case Kind::Mask: return "mask";
    case Kind::Reverse: return "reverse";
    case Kind::Unknown: return "unknown";
  }
  return "";
}

// Of an unknown operation as the checker calls it; null: nothing is known of it.
const char* word_of(Reads reads) {
  switch (reads) {
    case Reads::Slots: return nullptr;
    case Reads::Place: return "pointwise";
    case Reads::Elements: return "elements";
    case Reads::Numbers: return "numbers";
  }
  return nullptr;
}

const char* word_of(Equality equal) {
  return equal == Equality::Bits ? "bits" : equal == Equality::AnyNan ? "any-nan" : "any-nan+zero";
}

template <class Numbers>
checker::Integers integers_of(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}

checker::StepText step_of(const Program& program, const Node& node) {
  checker::StepText out;
  out.kind = word_of(node.kind), out.type = node.type->name;
  out.operands = integers_of(node.operands);
  for (const Dimension& dimension : node.dimensions) {
    out.sizes.push_back(dimension.size);
    out.granules.push_back(dimension.granule);
  }
  if (const char* known = word_of(node.reads)) out.function = known;
  if (node.kind == Kind::Pointwise) out.function = name(node.function), out.max = neutral::word_of(node.rule);
  if (is_reader(node)) {
    const auto said = text_of(question_of(program, node, CodeSet::all(*node.type)), CodeSet::of(0), nullptr);
    out.operation = said.operation, out.accumulate = said.accumulate, out.start = said.start, out.order = said.order;
    out.max = said.max, out.fused = said.fused, out.row = said.row;
  }
  const bool along = node.kind == Kind::Reduce || node.kind == Kind::Row || node.kind == Kind::Transpose ||
                     node.kind == Kind::Concat || node.kind == Kind::Slice || node.kind == Kind::Broadcast ||
                     node.kind == Kind::Reverse;
  if (along) out.axes = integers_of(node.axes);
  if (node.kind == Kind::Slice) out.first = node.first;
  if (node.step > 1) out.step = node.step;
  if (node.kind == Kind::Mask) out.masked = integers_of(node.masked), out.value = fmt::format("0x{:X}", node.value);
  if (node.kind == Kind::Input) {
    out.holds.emplace();
    for (Region region = 0; region < node.regions(); ++region)
      out.holds->push_back(!exists(node, region) ? checker::ReductionText::Ranges{}
                                                 : ranges_of(region == 0 ? node.contents : node.padding[region]));
  }
  return out;
}

// The arithmetic of the chain, and its facts about the functions of its steps.
void say_arithmetic(const Program& program, checker::ChainText& out) {
  using values::Rounding;
  const auto word = [](Rounding rounding) {
    return rounding == Rounding::NearestAway ? "nearest-away" : "toward-zero";
  };
  if (program.mode.rounding != Rounding::NearestEven) out.rounding = word(program.mode.rounding);
  if (program.conversion != Rounding::NearestEven) out.conversion = word(program.conversion);
  if (program.mode.flush != values::Flush::None)
    out.flush = program.mode.flush == values::Flush::Both ? "both" : "results";
  if (program.mode.integers == values::Integers::Saturate) out.integers = "saturate";
  if (program.facts.empty()) return;
  auto& facts = out.facts.emplace();
  for (const Node& node : program.nodes) {
    if (node.kind != Kind::Pointwise || !is_by_facts(program, node.function)) continue;
    for (const auto& [of, gives] : facts_about(program, node.function, *node.type)) {
      checker::FactText fact{std::string(name(node.function)), std::string(node.type->name), ranges_of(of),
                             ranges_of(gives)};
      if (std::ranges::find(facts, fact) == facts.end()) facts.push_back(std::move(fact));
    }
  }
}

// The chain up to the output that differs, the codes of the run, and the element.
std::optional<checker::Certificate> certify_run(const Program& program, const ProgramRefuted& refuted,
                                                const Texts& texts) {
  checker::Certificate out;
  out.statement = statement_of(program, texts, refuted.output);
  auto& codes = out.evidence.elements.emplace();
  for (std::size_t at = 0; at <= refuted.output; ++at) {
    const Node& node = program.nodes[at];
    for (Region region = 0; node.kind == Kind::Input && region < node.regions(); ++region)
      if (exists(node, region)) codes.push_back(fmt::format("0x{:X}", refuted.assignment.inputs[at][region]));
  }
  codes.push_back(fmt::format("0x{:X}", refuted.assignment.unwritten));
  out.evidence.witness = checker::Showing{checker::Point(refuted.at.begin(), refuted.at.end()), {}};
  return accepted(std::move(out));
}

}  // namespace

checker::Statement statement_of(const Program& program, const Texts& texts, std::optional<std::size_t> refuted) {
  checker::Statement out;
  out.claim = "chain-neutral", out.verdict = refuted ? "refuted" : "proved";
  out.arguments = texts;
  out.arguments->insert_or_assign("program", program.text);
  if (!refuted) out.book = values_kernel::lemma_book();
  auto& chain = out.chain.emplace();
  chain.equal = word_of(program.equal);
  say_arithmetic(program, chain);
  for (const Node& node : program.nodes)
    if (!refuted || chain.steps.size() <= *refuted) chain.steps.push_back(step_of(program, node));
  return out;
}

std::optional<checker::Certificate> certify(const Program& program, const ProgramAnswer& answer, const Texts& texts,
                                            const std::shared_ptr<Memory>& memory) {
  if (const auto* refuted = std::get_if<ProgramRefuted>(&answer.verdict)) return certify_run(program, *refuted, texts);
  if (!std::holds_alternative<ProgramProved>(answer.verdict) || answer.differ.size() != program.nodes.size())
    return std::nullopt;
  // The checker asks that each reader is neutral for all codes that it may read.
  if (is_by_cases(answer) || !answer.leaks.empty()) return std::nullopt;
  checker::Certificate out;
  out.statement = statement_of(program, texts);
  auto& proof = out.evidence.chain.emplace();
  const States states(program, {}, memory->images);
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    auto& sets = proof.sets.emplace_back();
    for (const CodeSet& set : states.of(at)) sets.push_back(ranges_of(set));
    proof.differ.emplace_back(word_of(answer.differ[at]));
  }
  return accepted(std::move(out));
}

}  // namespace vl::neutral::program
