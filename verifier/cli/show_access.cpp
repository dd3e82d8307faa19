// The bytes and words that the lanes of one instance of an access touch, and the phases in which words meet in a bank.
// This file counts them for each cell, apart from the engines; the sums have to agree with theirs.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/cli/show.h"
#include "verifier/engines/banks.h"

namespace vl::cli {
namespace {

constexpr Index kMostInstances = 4096;  // the most compared instances

// The words that one phase needs from one bank, each with its lanes.
using BankNeeds = std::map<Index, std::vector<Index>>;

Index cost_in(const BankNeeds& words, bool broadcasts) {
  Index cost = 0;
  for (const auto& [word, lanes] : words) cost += broadcasts ? 1 : static_cast<Index>(lanes.size());
  return cost;
}

Touched count(const engines::Reach& reach, const Point& instance) {
  Touched out;
  question::LaneWalk walk(reach);
  map::Evaluator coordinates(reach.coordinates);
  for (const auto& lanes : question::phases_of(reach, walk, instance)) {
    report::PhaseUse& phase = out.use.phases.emplace_back();
    std::map<Index, BankNeeds> banks;
    for (const Index lane : lanes) {
      const Point point = engines::lane_point(lane, instance);
      if (!walk.is_active(point)) continue;
      phase.lanes.push_back(lane);
      const auto at = coordinates(point);
      if (reach.logical.contains(at)) out.elements.emplace_back(at.begin(), at.end());
      const Index first = walk.byte(point);
      for (Index byte = first; byte < first + reach.width; ++byte) out.bytes[byte].push_back(lane);
      for (Index word = floor_div(first, reach.bytes_per_bank);
           word <= floor_div(first + reach.width - 1, reach.bytes_per_bank); ++word)
        banks[floor_mod(word, reach.banks)][word].push_back(lane);
    }
    std::ranges::sort(phase.lanes);
    for (const auto& [bank, words] : banks) {
      const Index cost = cost_in(words, reach.broadcasts);
      std::set<Index> here;
      for (const auto& [word, users] : words) {
        here.insert(users.begin(), users.end());
        Touched::Word& touched = out.words[word];
        touched.lanes.insert(touched.lanes.end(), users.begin(), users.end());
        touched.conflict |= cost > 1;
      }
      phase.wavefronts = std::max(phase.wavefronts, cost);
      phase.banks.push_back({bank, cost, {here.begin(), here.end()}});
    }
    out.use.wavefronts += phase.wavefronts;
    out.use.ideal += phase.wavefronts > 0 ? 1 : 0;
  }
  const auto tidy = [](std::vector<Index>& lanes) {
    std::ranges::sort(lanes);
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  };
  for (auto& [byte, lanes] : out.bytes) tidy(lanes);
  for (auto& [word, touched] : out.words) tidy(touched.lanes);
  return out;
}

}  // namespace

Touched touched_by(const ShownAccess& access, const std::string& hardware, std::vector<std::string>& notes) {
  const map::Space instances = question::instances_of(access.reach);
  VL_CHECK(instances.volume() > 0, "an access without an instance");
  // The base is the last variable; in a picture the buffer is at 0.
  Point instance(instances.rank(), 0);
  Point best = instance;
  Touched drawn = count(access.reach, best);
  Index elsewhere = drawn.use.wavefronts;
  Point where = best;
  for (Index left = std::min(instances.volume(), kMostInstances); --left > 0;) {
    map::advance(instances, instance);
    Touched next = count(access.reach, instance);
    if (next.use.wavefronts > elsewhere) {
      elsewhere = next.use.wavefronts;
      where = instance;
    }
    if (next.use.wavefronts <= drawn.use.wavefronts || (access.based && instance.back() != 0)) continue;
    drawn = std::move(next);
    best = instance;
  }
  const engines::Cost cost = engines::cost_of(access.reach, best);
  VL_CHECK(cost.wavefronts == drawn.use.wavefronts && cost.ideal == drawn.use.ideal,
           "the wavefronts that are drawn are not those that are counted");
  drawn.use.access = access.text;
  drawn.use.hardware = hardware;
  if (instances.volume() > 1)
    drawn.use.instance =
        fmt::format("{}, {}", engines::show_instance(access.reach, best),
                    access.based ? "the costliest where the buffer starts at 0"
                                 : fmt::format("the costliest of {}", std::min(instances.volume(), kMostInstances)));
  if (instances.volume() > kMostInstances)
    notes.push_back(
        fmt::format("the access has {} instances; the first {} were compared", instances.volume(), kMostInstances));
  if (elsewhere > drawn.use.wavefronts)
    notes.push_back(fmt::format("{} wavefronts where the buffer starts elsewhere: {}", elsewhere,
                                engines::show_instance(access.reach, where)));
  return drawn;
}

}  // namespace vl::cli
