#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "verifier/neutral/program/program.h"
#include "verifier/neutral/program/seen.h"

namespace vl::neutral::program {

// What other nodes make of padding reaches no output.
Program with_outputs(Program program, std::vector<std::size_t> outputs) {
  std::vector<bool> read(program.nodes.size(), false);
  for (const std::size_t output : outputs) read[output] = true;
  for (std::size_t i = read.size(); i-- > 0;)
    if (read[i])
      for (const std::size_t operand : program.nodes[i].operands) read[operand] = true;
  std::vector<std::size_t> number(read.size(), 0);
  std::vector<Node> kept;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) continue;
    number[i] = kept.size();
    kept.push_back(std::move(program.nodes[i]));
    for (std::size_t& operand : kept.back().operands) operand = number[operand];
  }
  program.nodes = std::move(kept);
  program.outputs = std::move(outputs);
  for (std::size_t& output : program.outputs) output = number[output];
  mark_unseen(program);
  return program;
}

std::vector<std::size_t> all_axes(const Node& node) {
  std::vector<std::size_t> out(node.dimensions.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

bool same_extents(const Dimension& a, const Dimension& b) { return a.size == b.size && a.padded() == b.padded(); }

Region broadcast_from(const Node& node, Region region) {
  Region out = 0;
  for (std::size_t i = 0; i < node.axes.size(); ++i)
    if (node.axes[i] != kNowhere && (region >> node.axes[i] & 1) != 0) out |= Region{1} << i;
  return out;
}

bool is_padded(const Node& node) { return std::ranges::any_of(node.dimensions, &Dimension::is_padded); }

bool exists(const Node& node, Region region) {
  for (std::size_t i = 0; i < node.dimensions.size(); ++i)
    if ((region >> i & 1) != 0 && !node.dimensions[i].is_padded()) return false;
  return true;
}

Index slots_of(const Node& node, Region region) {
  Index out = 1;
  for (std::size_t i = 0; i < node.dimensions.size(); ++i) {
    const Dimension& dimension = node.dimensions[i];
    out *= (region >> i & 1) != 0 ? dimension.padded() - dimension.size : dimension.size;
  }
  return out;
}

std::string dimension_in_words(const Node& node, std::size_t dimension) {
  const std::string& name = node.dimensions[dimension].name;
  return name.empty() ? fmt::format("{}", dimension) : name;
}

std::string region_in_words(const Node& node, Region region) {
  if (region == 0) return "valid elements";
  std::vector<std::string> out;
  for (std::size_t i = 0; i < node.dimensions.size(); ++i)
    if ((region >> i & 1) != 0) out.push_back(dimension_in_words(node, i));
  return fmt::format("{}", fmt::join(out, "+"));
}

std::string shape_in_words(const Node& node) {
  std::string out;
  for (const Dimension& dimension : node.dimensions)
    out += fmt::format("{}{}", out.empty() ? "" : ",",
                       dimension.is_padded() ? fmt::format("{} padded to {}", dimension.size, dimension.padded())
                                             : fmt::format("{}", dimension.size));
  return fmt::format("{}[{}]", node.type->name, out);
}

bool is_reader(const Node& node) {
  return node.kind == Kind::Reduce || node.kind == Kind::Row || node.kind == Kind::Matmul;
}

bool has_result_per_slot(const Node& node) {
  using enum Operation;
  const Operation asked = node.operation;
  return node.kind == Kind::Row && asked != LogSumExp && asked != Variance && asked != Welford && asked != ArgMax &&
         asked != ArgMin && asked != TopK && asked != TopKIndices;
}

std::vector<Region> read_regions(const Program& program, const Node& reader, std::size_t operand) {
  const Node& of = program.nodes[reader.operands[operand]];
  Region axes = 0;
  if (reader.kind == Kind::Reduce || reader.kind == Kind::Row)
    for (const std::size_t axis : reader.axes) axes |= Region{1} << axis;
  if (reader.kind == Kind::Matmul) axes = Region{1} << (of.dimensions.size() - 1 - operand);
  std::vector<Region> out;
  for (Region region = 1; region < of.regions(); ++region)
    if ((region & ~axes) == 0 && exists(of, region)) out.push_back(region);
  return out;
}

}  // namespace vl::neutral::program
