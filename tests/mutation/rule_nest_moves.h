// Nests for all sizes at some sizes: whether their moves are those of the layouts, looked up one by one (truth.h).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "encodings/use/random.h"
#include "encodings/use/rule_nests.h"
#include "tests/support/transfers.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_certificates.h"

namespace vl {
namespace mutation_rule_nests_campaign {

inline constexpr Index kMostMoves = 60'000, kMostElements = 20'000;  // more are not looked at

inline test::BruteMemory device_of(const map::Layout& layout) {
  return {0, layout.physical().volume(), test::places_of({layout, 0})};
}

// A host with these strides. Which offsets are its own is not asked.
inline test::BruteMemory host_of(const map::Layout& layout, const std::vector<Index>& strides, Index offset) {
  test::BruteMemory out;
  for (const Point& x : test::points_of(map::extents_of(layout.logical()))) {
    Index place = offset;
    for (std::size_t i = 0; i < x.size(); ++i) place += x[i] * strides[i];
    out.points.push_back({x, std::ssize(out.points), place});
  }
  return out;
}

// Nothing where the moves are too many.
inline std::optional<bool> implements(const use::Transfer& transfer, const test::BruteMemory& source,
                                      const test::BruteMemory& destination) {
  Index count = 0;
  for (const use::Nest& nest : transfer.nests) count += test::product(nest.extents);
  if (count > kMostMoves) return std::nullopt;
  return !test::brute(question::Kind::Breaks, test::moves_of(transfer), source, destination);
}

// Sizes at which the nests are other moves than the layout's; how many sizes were looked at.
inline std::optional<map::Sizes> contradicted_at(const session::RuleCase& of, const use::RuleTransfer& transfer,
                                                 int draws, std::size_t& looked, use::Random& random) {
  session::Instances instances(of);
  for (int draw = 0; draw < draws; ++draw) {
    map::Sizes sizes;
    for (const map::Symbol& symbol : of.rule.symbols)
      sizes[symbol.name] = symbol.low + random.between(0, random.chance(30) ? 140 : 5);
    const auto* instance = instances.at(sizes);
    if (instance == nullptr) continue;
    const map::Layout& layout = *instance->subject.reading.layout();
    if (layout.logical().volume() > kMostElements) continue;
    std::vector<Index> strides;
    for (const map::Expression& stride : of.rule.strides) strides.push_back(*map::evaluate(stride, sizes));
    const auto at = use::instance(transfer, sizes);
    if (!at) return sizes;
    test::BruteMemory host = host_of(layout, strides, *map::evaluate(of.rule.offset, sizes));
    test::BruteMemory device = device_of(layout);
    if (transfer.direction != use::Direction::HostToDevice) std::swap(host, device);
    const auto right = implements(*at, host, device);
    if (!right) continue;
    ++looked;
    if (!*right) return sizes;
  }
  return std::nullopt;
}

inline const map::Rule& rule_of(const session::RuleReading& read) { return *read.reading.rule_for_all_sizes(); }

}  // namespace mutation_rule_nests_campaign
}  // namespace vl
