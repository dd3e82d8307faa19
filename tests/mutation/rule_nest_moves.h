// The moves of nests, and of the layouts that they are to implement, each looked up element by element.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "encodings/map/map.h"
#include "encodings/use/random.h"
#include "encodings/use/rule_nests.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_certificates.h"

namespace vl {
namespace mutation_rule_nests_campaign {

using Moves = std::map<std::pair<Index, Index>, Index>;  // how often each pair of offsets is moved

// By the layout: every element from its host offset to its slot.
inline Moves moves_of(const map::Layout& layout, const std::vector<Index>& strides, bool to_device, Index offset = 0) {
  Moves out;
  const auto weights = map::row_major_weights(layout.physical());
  const auto extents = map::extents_of(layout.logical());
  std::vector<Index> element(extents.size(), 0);
  for (bool more = layout.logical().volume() > 0; more;) {
    const auto place = map::evaluate(layout.map(), element);
    EXPECT_TRUE(place.has_value());
    Index host = offset, slot = 0;
    for (std::size_t i = 0; i < element.size(); ++i) host += element[i] * strides[i];
    for (std::size_t j = 0; j < weights.size(); ++j) slot += (*place)[j] * weights[j];
    ++out[to_device ? std::pair(host, slot) : std::pair(slot, host)];
    more = false;
    for (std::size_t i = element.size(); i-- > 0 && !more;) {
      more = ++element[i] < extents[i];
      if (!more) element[i] = 0;
    }
  }
  return out;
}

// By the nests: every iteration.
inline std::optional<Moves> moves_of(const use::Transfer& transfer) {
  Moves out;
  Index all = 0;
  for (const use::Nest& nest : transfer.nests) {
    Index count = 1;
    for (const Index extent : nest.extents) count *= extent;
    if ((all += count) > 60'000) return std::nullopt;  // not looked at
    for (Index k = 0; k < count; ++k) {
      Index rest = k, from = nest.source.offset, to = nest.destination.offset;
      for (std::size_t l = nest.extents.size(); l-- > 0; rest /= nest.extents[l]) {
        from += rest % nest.extents[l] * nest.source.strides[l];
        to += rest % nest.extents[l] * nest.destination.strides[l];
      }
      ++out[{from, to}];
    }
  }
  return out;
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
    if (layout.logical().volume() > 20'000) continue;
    std::vector<Index> strides;
    for (const map::Expression& stride : of.rule.strides) strides.push_back(*map::evaluate(stride, sizes));
    const auto at = use::instance(transfer, sizes);
    if (!at) return sizes;
    const auto moved = moves_of(*at);
    if (!moved) continue;
    ++looked;
    const Index offset = *map::evaluate(of.rule.offset, sizes);
    if (*moved != moves_of(layout, strides, transfer.direction == use::Direction::HostToDevice, offset)) return sizes;
  }
  return std::nullopt;
}

inline const map::Rule& rule_of(const session::RuleReading& read) { return *read.reading.rule_for_all_sizes(); }

}  // namespace mutation_rule_nests_campaign
}  // namespace vl
