#include "verifier/question/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vl::question {
namespace {

// One lane needs one word of one bank.
struct Need {
  Index bank = 0;
  Index word = 0;
  Index lane = 0;
};

Index first_word(const Reach& reach, Index byte) { return floor_div(byte, reach.bytes_per_bank); }
Index last_word(const Reach& reach, Index byte) { return floor_div(byte + reach.width - 1, reach.bytes_per_bank); }

std::vector<Need> needs_of(const Reach& reach, LaneWalk& walk, std::span<const Index> lanes,
                           std::span<const Index> instance) {
  std::vector<Need> out;
  for (const Index lane : lanes) {
    const Point p = lane_point(lane, instance);
    if (!walk.is_active(p)) continue;
    const Index byte = walk.byte(p);
    for (Index word = first_word(reach, byte); word <= last_word(reach, byte); ++word)
      out.push_back({floor_mod(word, reach.banks), word, lane});
  }
  return out;
}

// The smallest two lanes that need different words of the bank, or that do not share one word.
std::optional<Cost::Pair> pair_in(const Reach& reach, std::span<const Need> needs, Index bank) {
  std::optional<Cost::Pair> alone;  // one lane, two words
  for (std::size_t i = 0; i < needs.size(); ++i)
    for (std::size_t j = i + 1; j < needs.size(); ++j) {
      const Need& a = needs[i];
      const Need& b = needs[j];
      if (a.bank != bank || b.bank != bank || (a.word == b.word && reach.broadcasts)) continue;
      const Cost::Pair pair{a.lane, b.lane, bank, a.word, b.word};
      if (a.lane != b.lane) return pair;  // needs are by lane, so this is the smallest
      if (!alone) alone = pair;
    }
  return alone;
}

}  // namespace

LaneWalk::LaneWalk(const Reach& reach) : reach_(reach), bytes_(reach.bytes), coordinates_(reach.coordinates) {
  if (reach.when) when_.emplace(*reach.when);
}

bool LaneWalk::is_active(std::span<const Index> point) {
  if (!when_) return true;
  const auto values = (*when_)(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (reach_.conditions[i]) {
      case use::Comparison::AtMostZero:
        if (values[i] > 0) return false;
        break;
      case use::Comparison::IsZero:
        if (values[i] != 0) return false;
        break;
      case use::Comparison::IsNotZero:
        if (values[i] == 0) return false;
        break;
    }
  }
  return true;
}

bool LaneWalk::is_outside(std::span<const Index> point) { return !reach_.logical.contains(coordinates_(point)); }

const std::vector<std::vector<Index>>& phases_of(const Reach& reach, LaneWalk& walk, std::span<const Index> instance) {
  if (!reach.pairs) return reach.phases;
  Point point = lane_point(0, instance);
  const Index lanes = reach.bytes.domain().extent(0);
  std::vector<std::optional<Index>> bytes(static_cast<std::size_t>(lanes));  // of active lanes
  for (Index& lane = point[0]; lane < lanes; ++lane)
    if (walk.is_active(point)) bytes[static_cast<std::size_t>(lane)] = walk.byte(point);
  const auto agree = [&](Index distance) {
    for (Index lane = 0; lane < lanes; ++lane) {
      const Index other = lane ^ distance;
      if (other >= lanes) continue;
      const auto& a = bytes[static_cast<std::size_t>(lane)];
      const auto& b = bytes[static_cast<std::size_t>(other)];
      if (a && b && *a != *b) return false;
    }
    return true;
  };
  return std::ranges::any_of(reach.pairs->distances, agree) ? reach.pairs->phases : reach.phases;
}

Index Counter::phase(std::span<const Index> lanes, std::span<const Index> instance, Index* bank) {
  needs_.clear();
  std::ranges::copy(instance, point_.begin() + 1);
  for (const Index lane : lanes) {
    point_[0] = lane;
    if (!walk_.is_active(point_)) continue;
    const Index byte = walk_.byte(point_);
    for (Index word = first_word(reach_, byte); word <= last_word(reach_, byte); ++word)
      needs_.emplace_back(floor_mod(word, reach_.banks), word);
  }
  std::ranges::sort(needs_);
  Index most = 0;
  Index here = 0;
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    if (i == 0 || needs_[i].first != needs_[i - 1].first) here = 0;
    if (i == 0 || needs_[i] != needs_[i - 1] || !reach_.broadcasts) ++here;
    if (here <= most) continue;
    most = here;
    if (bank != nullptr) *bank = needs_[i].first;
  }
  return most;
}

Counter::Sum Counter::count(std::span<const Index> instance) {
  Sum sum;
  for (const auto& lanes : phases_of(reach_, walk_, instance)) {
    const Index wavefronts = phase(lanes, instance);
    sum.wavefronts += wavefronts;
    sum.ideal += wavefronts > 0 ? 1 : 0;
  }
  return sum;
}

Point lane_point(Index lane, std::span<const Index> instance) {
  Point p{lane};
  p.insert(p.end(), instance.begin(), instance.end());
  return p;
}

map::Space instances_of(const Reach& reach) {
  const auto& dims = reach.bytes.domain().dims();
  auto space = map::Space::create({dims.begin() + 1, dims.end()});
  VL_CHECK(space.has_value(), "a part of a space is a space");
  return std::move(*space);
}

bool is_active(const Reach& reach, Index lane, std::span<const Index> instance) {
  return LaneWalk(reach).is_active(lane_point(lane, instance));
}

bool is_obviously_inside(const Reach& reach) {
  const auto& ranges = reach.coordinates.ranges(reach.coordinates.stages().size());
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].low < 0 || ranges[i].high >= reach.logical.extent(i)) return false;
  return true;
}

std::optional<Point> first_outside(const Reach& reach) {
  if (is_obviously_inside(reach)) return std::nullopt;
  LaneWalk walk(reach);
  Point p(reach.bytes.domain().rank(), 0);
  do {
    if (walk.is_active(p) && walk.is_outside(p)) return p;
  } while (map::advance(reach.bytes.domain(), p));
  return std::nullopt;
}

Point named(const Reach& reach, std::span<const Index> instance) {
  Point out(instance.begin(), instance.end());
  for (std::size_t i = 0; i < out.size() && i < reach.step.size(); ++i)
    out[i] = reach.first[i] + reach.step[i] * out[i];
  return out;
}

std::string show_instance(const Reach& reach, std::span<const Index> instance) {
  const Point values = named(reach, instance);
  std::string out;
  for (std::size_t i = 0; i < instance.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", reach.bytes.domain().dims()[i + 1].name, values[i]);
  return out;
}

std::string show_outside(const Reach& reach, std::span<const Index> point) {
  const auto at = map::evaluate(reach.coordinates, point);
  VL_CHECK(at.has_value(), "a lane outside its map");
  const std::string instance = show_instance(reach, point.subspan(1));
  return fmt::format("lane {} is at [{}]{}, outside the tensor's [{}]", point[0], fmt::join(*at, ", "),
                     instance.empty() ? "" : " for " + instance, fmt::join(map::extents_of(reach.logical), ", "));
}

Cost cost_of(const Reach& reach, std::span<const Index> instance) {
  Cost cost;
  LaneWalk walk(reach);
  Counter counter(reach);
  Index most = 1;  // phases of one wavefront show nothing
  for (const auto& lanes : phases_of(reach, walk, instance)) {
    Index bank = 0;
    const Index wavefronts = counter.phase(lanes, instance, &bank);
    cost.phases.push_back(wavefronts);
    cost.wavefronts += wavefronts;
    cost.ideal += wavefronts > 0 ? 1 : 0;
    if (wavefronts <= most) continue;
    most = wavefronts;
    cost.conflict = pair_in(reach, needs_of(reach, walk, lanes, instance), bank);
  }
  return cost;
}

bool replay_lanes(const BankQuestion& question, const Witness& witness) {
  const Reach& reach = *question.reach;
  if (question.kind == Kind::Crowds) {
    if (!instances_of(reach).contains(witness.p)) return false;
    const Cost cost = cost_of(reach, witness.p);
    return cost.wavefronts - cost.ideal > question.limit;
  }
  if (!reach.bytes.domain().contains(witness.p)) return false;
  LaneWalk walk(reach);
  if (!walk.is_active(witness.p)) return false;
  return question.kind == Kind::Lands || (question.kind == Kind::Escapes && walk.is_outside(witness.p));
}

}  // namespace vl::question
