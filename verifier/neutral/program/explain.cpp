#include "verifier/neutral/program/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/values/state.h"
#include "verifier/neutral/laws.h"
#include "verifier/neutral/words.h"

namespace vl::neutral::program {
namespace {

std::string element_in_words(const Node& node, const Point& index) {
  return fmt::format("{}[{}]", node.name, fmt::join(index, ","));
}

// The first slot of padding that the element [0, …] of a line reads of an operand, in row-major order.
std::optional<Point> first_pad(const Program& program, const Node& reader, std::size_t operand) {
  const Node& of = program.nodes[reader.operands[operand]];
  std::optional<Point> out;
  for (const Region region : read_regions(program, reader, operand)) {
    Point index(of.dimensions.size(), 0);
    for (std::size_t i = 0; i < index.size(); ++i)
      if ((region >> i & 1) != 0) index[i] = of.dimensions[i].size;
    if (!out || index < *out) out = index;
  }
  return out;
}

void add_inputs(const Program& program, const Assignment& assignment, std::vector<std::string>& out) {
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    const Node& node = program.nodes[at];
    if (node.kind != Kind::Input || node.constant) continue;
    std::string line = fmt::format("{} holds {}", node.name, number_in_words(*node.type, assignment.inputs[at][0]));
    for (Region region = 1; region < node.regions(); ++region)
      if (exists(node, region))
        line += fmt::format(", and {} behind {}", number_in_words(*node.type, assignment.inputs[at][region]),
                            region_in_words(node, region));
    out.push_back(line);
  }
}

// The accumulator before the first pad and after it, of a line that reduces one dimension.
void add_step(const Program& program, const ProgramRefuted& refuted, Execution& padded, Execution& reference,
              std::vector<std::string>& out) {
  const Node& reader = program.nodes[refuted.reader];
  const bool pairs = reader.kind == Kind::Matmul;
  if (!is_reader(reader)) return;
  if (reader.kind == Kind::Row || reader.operation == Operation::Mean) return;
  if (!pairs && reader.axes.size() != 1) return;
  const Format& format = *reader.accumulate;
  if (reader.operation == Operation::Any || reader.operation == Operation::All || !(format == *reader.type)) return;
  const auto a = first_pad(program, reader, 0), b = pairs ? first_pad(program, reader, 1) : a;
  if (!a || !b) return;
  const auto before = reference.at(refuted.reader, Point(reader.dimensions.size(), 0)).code;
  const auto x = padded.at(reader.operands[0], *a).code;
  const auto y = pairs ? padded.at(reader.operands[1], *b).code : x;
  if (!before || !x || !y) return;
  const Question question = question_of(program, reader, {});
  const Term term{*x, pairs ? *y : 0};
  const std::size_t axis = pairs ? reader.dimensions.size() - 1 : reader.axes[0];
  out.push_back(fmt::format("step {}: {} {} {} = {}", (*a)[axis], number_in_words(format, *before),
                            reader.operation == Operation::Prod  ? "*"
                            : reader.operation == Operation::Max ? "max"
                            : reader.operation == Operation::Min ? "min"
                                                                 : "+",
                            number_in_words(format, leaf(question, term)),
                            number_in_words(format, next(question, *before, term))));
}

// What a line needs of an operand's padding, and what that is upstream, through functions of one operand.
void add_demand(const Program& program, std::size_t operand, const std::string& region, CodeSet demanded,
                std::vector<std::string>& out) {
  for (std::size_t at = operand;;) {
    const Node& node = program.nodes[at];
    out.push_back(fmt::format("{} {} {}", node.name, region,
                              demanded.empty() ? "can hold nothing that is known to be neutral"
                                               : "may be " + set_in_words(*node.type, demanded)));
    if (demanded.empty() || node.kind != Kind::Pointwise || arity(node.function) != 1) return;
    demanded = preimage(node.function, *node.type, node.rule, demanded);
    at = node.operands[0];
  }
}

void add_demands(const Program& program, const States& states, const Node& reader, std::size_t line,
                 std::vector<std::string>& out) {
  const Question question = question_of(program, reader, contents_of(program, states, line));
  const Node& a = program.nodes[reader.operands[0]];
  const auto behind = [&](std::size_t operand) {
    const auto regions = read_regions(program, reader, operand);
    return regions.empty() ? std::string()
                           : "behind " + region_in_words(program.nodes[reader.operands[operand]], regions.back());
  };
  if (reader.kind == Kind::Matmul) {
    const CodeSet zero = zeros(*a.type);
    const CodeSet finite = finite_codes(*a.type);
    if (!neutral_pairs(question, zero, finite).neutral) return;
    out.push_back(fmt::format("neutral: {} {} zero and {} {} finite, or the reverse", a.name, behind(0),
                              program.nodes[reader.operands[1]].name, behind(1)));
    return;
  }
  const auto found = neutral_codes(question);
  if (found) add_demand(program, reader.operands[0], behind(0), found->codes, out);
}

}  // namespace

std::string extent_in_words(const Node& node, Region region) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < node.dimensions.size(); ++i)
    if ((region >> i & 1) != 0)
      out.push_back(fmt::format("{} {}..{}", dimension_in_words(node, i), node.dimensions[i].size,
                                node.dimensions[i].padded() - 1));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string slot_in_words(const Node& node, const Point& index) {
  const std::size_t rank = index.size();
  std::string out = element_in_words(node, index);
  const Dimension& last = node.dimensions[rank - 1];
  if (rank >= 2 && last.granule == 32 && node.dimensions[rank - 2].granule == 32) {
    const Index row = index[rank - 2], column = index[rank - 1];
    const Index tile = row / 32 * (last.padded() / 32) + column / 32;
    return out + fmt::format(" (tile {}, face {}, row {}, lane {})", tile, row % 32 / 16 * 2 + column % 32 / 16,
                             row % 16, column % 16);
  }
  if (last.granule > 1)
    out += fmt::format(" (stick {}, lane {})", index[rank - 1] / last.granule, index[rank - 1] % last.granule);
  return out;
}

std::string headline(const Program& program, const ProgramRefuted& refuted) {
  const Node& output = program.nodes[refuted.output];
  const auto words = [&](const CodeSet& set) {
    return set.count() == 1 ? number_in_words(*output.type, set.ranges().front().first)
                            : "in " + set_in_words(*output.type, set);
  };
  return fmt::format("{} is {} where the reference {} {}", element_in_words(output, refuted.at), words(refuted.got),
                     refuted.want.count() == 1 ? "has" : "is", words(refuted.want));
}

std::vector<std::string> explained(const Program& program, const ProgramRefuted& refuted,
                                   const std::vector<std::size_t>& leaks) {
  std::vector<std::string> out;
  const Node& reader = program.nodes[refuted.reader];
  Images images;
  const States states(program, {}, images, false, leaks);
  Runs runs(program, Index{1} << 20);
  Execution padded(runs, refuted.assignment, true), reference(runs, refuted.assignment, false);
  if (is_reader(reader))
    out.push_back(fmt::format("line {} is not neutral: {} reads padding", reader.line, reader.name));
  else out.push_back(fmt::format("line {}: {} sees a difference that the equality leaves", reader.line, reader.name));
  for (std::size_t i = 0; i < reader.operands.size(); ++i) {
    const Node& of = program.nodes[reader.operands[i]];
    const Sets sets = states.read_by(refuted.reader, reader.operands[i]);
    for (const Region region : read_regions(program, reader, i))
      out.push_back(
          fmt::format("{} {} is {}", of.name, extent_in_words(of, region), set_in_words(*of.type, sets[region])));
    if (const auto pad = first_pad(program, reader, i))
      if (const auto code = padded.at(reader.operands[i], *pad).code)
        out.push_back(fmt::format("slot {}: {}", slot_in_words(of, *pad), number_in_words(*of.type, *code)));
  }
  if (is_reader(reader)) add_demands(program, states, reader, refuted.reader, out);
  add_step(program, refuted, padded, reference, out);
  add_inputs(program, refuted.assignment, out);
  return out;
}

}  // namespace vl::neutral::program
