#include "verifier/neutral/program/needs.h"

#include <algorithm>

namespace vl::neutral::program {
namespace {

bool has_mask(const std::vector<Mask>& masks, const Mask& mask) {
  return std::ranges::any_of(masks, [&](const Mask& other) {
    return other.node == mask.node && other.region == mask.region && other.reader == mask.reader;
  });
}

}  // namespace

std::vector<Code> mask_values(const Format& format) {
  std::vector<Code> out{0};
  if (has_negative_zero(format)) out.push_back(negative_zero(format));
  out.push_back(values::one(format));
  for (const bool negative : {true, false}) {
    const Code last = has_infinity(format) ? infinity(format, negative) : largest(format, negative);
    if (std::ranges::find(out, last) == out.end()) out.push_back(last);
  }
  return out;
}

Needs::Needs(const Program& program, Judge& judge) : program_(program), judge_(judge), readers_(program.nodes.size()) {
  has_cases_ = std::ranges::any_of(program.nodes, [&](const Node& node) {
    const bool factor = node.kind == Kind::Broadcast && program.nodes[node.operands[0]].kind != Kind::Input;
    return has_result_per_slot(node) || factor;
  });
  has_cases_ = has_cases_ || std::ranges::count(program.nodes, Kind::Matmul, &Node::kind) > 1;
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    for (const std::size_t operand : program.nodes[at].operands)
      if (readers_[operand].empty() || readers_[operand].back() != at) readers_[operand].push_back(at);
    const std::vector<Edge> read = edges_read(program, at);
    all_.insert(all_.end(), read.begin(), read.end());
  }
}

bool Needs::all_count(const std::vector<Mask>& masks) const {
  return flow_to(program_, all_, masks).stopped.size() == masks.size();
}

bool Needs::is_promising(const std::vector<Edge>& starts, const Mask& mask, const Question& question) {
  if (has_cases_) return true;  // of a value that is wrong beside any elements, the rows may have others
  const auto [known, added] = promising_.try_emplace({starts, mask}, false);
  if (!added) return known->second;
  const States states(program_, {mask}, judge_.images(), true);
  std::vector<CodeSet> read;
  bool complete = true;
  for (const Edge& start : starts) {
    read.push_back(states.read_by(start.reader, start.node)[start.region]);
    complete = complete && !read.back().empty();
    // No product with an infinity or NaN is neutral.
    const Format& type = *program_.nodes[start.node].type;
    if (starts.size() > 1 && type.is_float() && !read.back().is_subset_of(finite_codes(type))) return false;
  }
  // Of what arrives only together with other values, as the rows of a sort do, the value alone says nothing.
  known->second = !complete || judge_.holds(question, read);
  return known->second;
}

// Where only the line itself sees a value, few of them are worth a try: of a reduction all neutral ones are as good as
// the first; of matmul what counts is whether products are zeros, and their sign, for which 0, -0 and 1 stand. A row
// with a result for each slot makes something of the value, which later lines see.
std::vector<Code> Needs::values_of(const Edge& edge, const std::vector<Edge>& starts, const Question* question) {
  std::vector<Code> values = mask_values(*program_.nodes[edge.node].type);
  const bool direct = question != nullptr && std::ranges::find(starts, edge) != starts.end() &&
                      !has_result_per_slot(program_.nodes[edge.reader]);
  if (!direct) return values;
  if (program_.nodes[edge.reader].kind == Kind::Matmul)
    return {values.begin(), std::ranges::find(values, values::one(*program_.nodes[edge.node].type)) + 1};
  for (const Code value : values)
    if (judge_.holds(*question, {CodeSet::of(value)})) return {value};
  return {};
}

Need Needs::made(std::size_t line, const std::vector<Edge>& starts, const std::vector<Mask>& masks,
                 const Question* question) {
  Need out{line, {}, INT64_MAX};
  const auto add = [&](const Edge& edge, std::optional<std::size_t> reader, const std::vector<Code>& values) {
    for (const Code value : values) {
      const Mask mask{edge.node, reader, edge.region, value};
      if (has_mask(masks, mask) || (question != nullptr && !is_promising(starts, mask, *question))) continue;
      out.candidates.push_back(mask);
      out.least = std::min(out.least, slots_of(program_.nodes[edge.node], edge.region));
    }
  };
  const Flow flow = flow_to(program_, starts, masks);
  for (const Edge& edge : flow.edges) {
    const bool shared = readers_[edge.node].size() > 1;
    add(edge, shared ? std::optional(edge.reader) : std::nullopt, values_of(edge, starts, question));
    if (shared) add(edge, std::nullopt, mask_values(*program_.nodes[edge.node].type));
  }
  for (const Edge& edge : flow.covered)
    if (readers_[edge.node].size() > 1) add(edge, edge.reader, values_of(edge, starts, question));
  std::ranges::sort(out.candidates);
  const auto repeats = std::unique(out.candidates.begin(), out.candidates.end());
  out.candidates.erase(repeats, out.candidates.end());
  return out;
}

std::vector<Need> Needs::of(const std::vector<Mask>& masks) {
  std::vector<Need> out;
  const States states(program_, masks, judge_.images());
  RowTables tables(program_, states, judge_.images());
  for (std::size_t at = 0; at < program_.nodes.size(); ++at) {
    const Node& line = program_.nodes[at];
    const std::vector<CodeSet> fills = is_reader(line) ? fills_of(program_, states, at) : std::vector<CodeSet>{};
    if (fills.empty() || line.unseen) continue;
    const Question question = question_of(program_, line, contents_of(program_, states, at));
    if (judge_.holds(question, fills) || judge_.holds_by_cases(tables, at, program_.equal)) continue;
    const std::vector<Edge> read = edges_read(program_, at);
    if (line.kind == Kind::Matmul) {
      out.push_back(made(at, read, masks, &question));
      continue;
    }
    for (const Edge& edge : read)
      if (!judge_.holds(question, {states.read_by(at, edge.node)[edge.region]}))
        out.push_back(made(at, {edge}, masks, &question));
  }
  if (!out.empty()) return out;
  // A function that sees a difference, which any line above may have made.
  if (const auto failure = judge_.first_failure(masks)) {
    std::vector<Edge> starts;
    for (const Edge& edge : all_)
      if (edge.reader <= *failure) starts.push_back(edge);
    out.push_back(made(*failure, starts, masks, nullptr));
  }
  return out;
}

}  // namespace vl::neutral::program
