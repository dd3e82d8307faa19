#include "verifier/neutral/program/place.h"

#include <algorithm>
#include <queue>
#include <set>

#include "verifier/neutral/program/needs.h"

namespace vl::neutral::program {
namespace {

constexpr std::size_t kMostEdges = 20;
constexpr std::size_t kMostVisits = 20000;

std::size_t edges_of(const Program& program) {
  std::size_t out = 0;
  for (const Node& node : program.nodes) out += node.operands.size();
  return out;
}

// How many lines read each result.
std::vector<int> reader_counts(const Program& program) {
  std::vector<int> out(program.nodes.size());
  for (const Node& node : program.nodes)
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      if (std::find(node.operands.begin(), node.operands.begin() + static_cast<std::ptrdiff_t>(i), node.operands[i]) ==
          node.operands.begin() + static_cast<std::ptrdiff_t>(i))
        ++out[node.operands[i]];
  return out;
}

bool in_place(const std::vector<Mask>& masks, const Mask& mask) {
  return std::ranges::any_of(masks, [&](const Mask& other) {
    return other.node == mask.node && other.region == mask.region && other.reader == mask.reader;
  });
}

struct Found {
  Cost bound;  // of every set that holds these masks and is enough
  std::vector<Mask> masks;
  bool operator>(const Found& other) const { return std::tie(bound, masks) > std::tie(other.bound, other.masks); }
};

// What is to be added at least: needs whose candidates have no region in common need masks of their own.
Index least_more(const std::vector<Need>& needs) {
  std::vector<const Need*> order;
  order.reserve(needs.size());
  for (const Need& need : needs) order.push_back(&need);
  std::ranges::stable_sort(order, std::greater<>(), &Need::least);
  std::set<std::pair<std::size_t, Region>> taken;
  Index out = 0;
  for (const Need* need : order) {
    const auto meets = [&](const Mask& mask) { return taken.contains({mask.node, mask.region}); };
    if (std::ranges::any_of(need->candidates, meets)) continue;
    for (const Mask& mask : need->candidates) taken.insert({mask.node, mask.region});
    out = checked_add(out, need->least).value_or(INT64_MAX);
  }
  return out;
}

// Cheapest first, below a limit: the first set without a need is the cheapest. `ended` false: out of budget.
std::optional<Found> cheapest_first(const Program& program, Judge& judge, const std::optional<Cost>& limit,
                                    bool& ended) {
  Needs needs(program, judge);
  std::priority_queue<Found, std::vector<Found>, std::greater<>> waiting;
  std::set<std::vector<Mask>> seen;
  waiting.push({});
  for (std::size_t visits = 0; !waiting.empty(); ++visits) {
    if (visits == kMostVisits) {
      ended = false;
      return std::nullopt;
    }
    Found next = waiting.top();
    waiting.pop();
    if (!needs.all_count(next.masks)) continue;
    const std::vector<Need> missing = needs.of(next.masks);
    if (missing.empty()) return next;
    const Cost cost = cost_of(program, next.masks);
    const Cost bound{checked_add(cost.slots, least_more(missing)).value_or(INT64_MAX), cost.operations};
    if (bound > next.bound) {  // not yet the cheapest
      next.bound = bound;
      if (!limit || bound < *limit) waiting.push(next);
      continue;
    }
    const Need& need = *std::ranges::min_element(missing, {}, [](const Need& n) { return n.candidates.size(); });
    for (const Mask& mask : need.candidates) {
      Found more{{}, next.masks};
      more.masks.insert(std::ranges::upper_bound(more.masks, mask), mask);
      more.bound = std::max(next.bound, cost_of(program, more.masks));
      if ((limit && more.bound >= *limit) || !seen.insert(more.masks).second) continue;
      waiting.push(std::move(more));
    }
  }
  return std::nullopt;
}

// The masks of what a line reads, cheapest first: one value per operand, in all regions that it reads, or none.
std::vector<std::vector<Mask>> options_of(const Program& program, const std::vector<int>& readers, std::size_t at) {
  const Node& line = program.nodes[at];
  std::vector<std::vector<Mask>> out{{}};
  for (std::size_t i = 0; i < line.operands.size(); ++i) {
    const std::size_t operand = line.operands[i];
    if (program.nodes[operand].implicit) continue;
    std::vector<std::vector<Mask>> more = out;
    for (const Code value : mask_values(*program.nodes[operand].type)) {
      for (std::vector<Mask> masks : out) {
        for (const Region region : read_regions(program, line, i)) {
          const Mask mask{operand, readers[operand] > 1 ? std::optional(at) : std::nullopt, region, value};
          if (!in_place(masks, mask)) masks.push_back(mask);
        }
        more.push_back(std::move(masks));
      }
    }
    out = std::move(more);
  }
  std::ranges::stable_sort(out, {}, [&](const auto& masks) { return cost_of(program, masks); });
  return out;
}

// Line by line, the cheapest masks of what a line reads that let it pass. They change nothing for the lines above.
std::optional<Found> line_by_line(const Program& program, Judge& judge, const std::vector<int>& readers) {
  Found out;
  States states(program, judge.images());
  for (std::size_t at = 0; at < program.nodes.size(); ++at) {
    states.extend_to(at);
    if (judge.passes(states, at)) continue;
    if (program.nodes[at].unseen) {
      states.leak(at);
      continue;
    }
    const auto options = options_of(program, readers, at);
    const auto better = std::ranges::find_if(options, [&](const std::vector<Mask>& option) {
      for (const Mask& mask : option) states.add(mask);
      const bool passes = judge.passes(states, at);
      for (const Mask& mask : option) states.take_back(mask);
      return passes;
    });
    if (better == options.end()) return std::nullopt;
    for (const Mask& mask : *better) {
      states.add(mask);
      out.masks.push_back(mask);
    }
  }
  if (judge.first_failure(out.masks)) return std::nullopt;
  return out;
}

}  // namespace

Cost cost_of(const Program& program, const std::vector<Mask>& masks) {
  Cost out;
  std::set<std::tuple<std::size_t, std::optional<std::size_t>, Code>> operations;
  for (const Mask& mask : masks) {
    out.slots = checked_add(out.slots, slots_of(program.nodes[mask.node], mask.region)).value_or(INT64_MAX);
    operations.insert({mask.node, mask.reader, mask.value});
  }
  out.operations = static_cast<Index>(operations.size());
  return out;
}

std::optional<Placing> place_masks(const Program& program, Judge& judge) {
  Placing out;
  out.edges = edges_of(program);
  out.cheapest = out.edges <= kMostEdges;
  if (unknown_reader(program)) return std::nullopt;
  if (judge.is_proved()) {
    out.cheapest = true;
    return out;
  }
  auto found = line_by_line(program, judge, reader_counts(program));
  if (out.cheapest) {
    const auto limit = found ? std::optional(cost_of(program, found->masks)) : std::nullopt;
    if (auto better = cheapest_first(program, judge, limit, out.cheapest)) found = std::move(better);
  }
  if (!found) return std::nullopt;
  if (!std::holds_alternative<ProgramProved>(judge.answer(found->masks).verdict)) return std::nullopt;
  out.cost = cost_of(program, found->masks);
  if (found->masks.empty()) out.cheapest = true;
  out.masks = std::move(found->masks);
  return out;
}

}  // namespace vl::neutral::program
