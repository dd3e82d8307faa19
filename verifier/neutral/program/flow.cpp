#include "verifier/neutral/program/flow.h"

#include <algorithm>

namespace vl::neutral::program {
namespace {

// The regions of an operand on which a region of a result depends.
std::vector<Region> sources_of(const Program& program, const Node& node, std::size_t operand, Region region) {
  const Node& of = program.nodes[node.operands[operand]];
  const std::size_t rank = node.dimensions.size();
  const auto bit = [](std::size_t dimension) { return Region{1} << dimension; };
  switch (node.kind) {
    case Kind::Input:
    case Kind::Unknown:
    case Kind::Reshape: return {};
    case Kind::Pointwise:
    case Kind::Cast: return {region};
    case Kind::Mask:
      return std::ranges::find(node.masked, region) != node.masked.end() ? std::vector<Region>{}
                                                                         : std::vector<Region>{region};
    case Kind::Transpose: {
      Region from = 0;
      for (std::size_t i = 0; i < node.axes.size(); ++i)
        if ((region & bit(i)) != 0) from |= bit(node.axes[i]);
      return {from};
    }
    case Kind::Reverse:
      for (const std::size_t axis : node.axes)
        if ((region & bit(axis)) != 0) return {};
      return {region};
    case Kind::Concat:
    case Kind::Slice: return (region & bit(node.axes[0])) != 0 ? std::vector<Region>{} : std::vector<Region>{region};
    case Kind::Broadcast: return {broadcast_from(node, region)};
    case Kind::Matmul: {
      const Region inner = bit(rank - 1 - operand), from = region & ~inner;
      return exists(of, inner) ? std::vector<Region>{from, from | inner} : std::vector<Region>{from};
    }
    case Kind::Row:
    case Kind::Reduce: {
      const bool per_slot = has_result_per_slot(node), dropped = node.dimensions.size() < of.dimensions.size();
      Region axes = 0, from = 0;
      for (const std::size_t axis : node.axes) axes |= bit(axis);
      for (std::size_t i = 0, next = 0; i < of.dimensions.size(); ++i) {
        if ((axes & bit(i)) != 0) {
          if (!dropped && (region & bit(next++)) != 0 && !per_slot) return {};
          continue;
        }
        if ((region & bit(next++)) != 0) from |= bit(i);
      }
      std::vector<Region> out;
      for (Region more = 0; more < of.regions(); ++more)
        if ((more & ~axes) == 0 && exists(of, more)) out.push_back(from | more);
      return out;
    }
  }
  return {};
}

}  // namespace

Flow flow_to(const Program& program, const std::vector<Edge>& starts, const std::vector<Mask>& masks) {
  Flow out;
  std::vector<std::vector<bool>> needed(program.nodes.size());
  for (std::size_t at = 0; at < program.nodes.size(); ++at) needed[at].resize(program.nodes[at].regions());
  const auto masked = [&](std::size_t node, std::optional<std::size_t> reader, Region region) -> const Mask* {
    const auto found = std::ranges::find_if(
        masks, [&](const Mask& mask) { return mask.node == node && mask.reader == reader && mask.region == region; });
    return found == masks.end() ? nullptr : &*found;
  };
  const auto need = [&](std::size_t node, std::size_t reader, Region region) {
    if (region == 0) return;
    if (program.nodes[node].implicit) {  // no mask can be written here
      needed[node][region] = true;
      return;
    }
    if (const Mask* mask = masked(node, reader, region)) out.stopped.insert(*mask);
    else if (const Mask* shared = masked(node, std::nullopt, region)) {
      out.stopped.insert(*shared);
      out.covered.push_back({node, reader, region});
    } else {
      needed[node][region] = true;
      out.edges.push_back({node, reader, region});
    }
  };
  for (std::size_t at = program.nodes.size(); at-- > 0;) {
    const Node& node = program.nodes[at];
    for (const Edge& edge : starts)
      if (edge.reader == at) need(edge.node, at, edge.region);
    for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
      for (Region region = 1; region < node.regions(); ++region)
        if (needed[at][region])
          for (const Region from : sources_of(program, node, operand, region)) need(node.operands[operand], at, from);
    }
  }
  for (std::vector<Edge>* edges : {&out.edges, &out.covered}) {
    std::ranges::sort(*edges);
    const auto repeats = std::unique(edges->begin(), edges->end());
    edges->erase(repeats, edges->end());
  }
  return out;
}

std::vector<Edge> edges_read(const Program& program, std::size_t line) {
  std::vector<Edge> out;
  const Node& node = program.nodes[line];
  if (!is_reader(node)) return out;
  for (std::size_t operand = 0; operand < node.operands.size(); ++operand)
    for (const Region region : read_regions(program, node, operand))
      out.push_back({node.operands[operand], line, region});
  return out;
}

}  // namespace vl::neutral::program
