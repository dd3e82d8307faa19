#include "verifier/checker/accesses.h"

#include <algorithm>
#include <set>

#include "verifier/checker/kernel.h"
#include "verifier/checker/ranges.h"
#include "verifier/kernel/core/stages.h"

namespace vl::checker {
namespace {

struct Access : Lanes {
  const AccessText& said;
  Space logical;
};

// Every lane is of one phase.
void require_partition(const std::vector<Integers>& phases, const Wide& extent) {
  std::set<Wide> lanes;
  std::size_t count = 0;
  for (const Integers& phase : phases) charge_sorting(8 * phase.size());
  for (const Integers& phase : phases) lanes.insert(phase.begin(), phase.end()), count += phase.size();
  require(count > 0 && count == lanes.size() && extent == static_cast<long long>(count) && *lanes.begin() == 0 &&
              *lanes.rbegin() == extent - 1,
          "a lane that is not of one phase");
}

// Lanes of a pair are of one phase, and so move together.
void require_paired(const std::vector<Integers>& phases, std::int64_t distance, const Wide& extent) {
  for (const Integers& phase : phases)
    for (const std::int64_t lane : phase) {
      charge(phase.size());
      require((lane ^ distance) >= extent || std::ranges::find(phase, lane ^ distance) != phase.end(),
              "lanes of a pair that are of two phases");
    }
}

Access parse_access(const AccessText& said, std::size_t outputs) {
  require(!said.origin, "an origin that is no number");
  Access out{parse_lanes(said, outputs), said, parse_space(said.logical)};
  require(out.coordinates.outputs == out.logical.rank(), "maps that do not fit");
  return out;
}

using Line = kernel::Line<Wide>;

// The maps at one lane, the walked variables being those of `at`, whatever the free variables are: these are the cell.
struct Walk {
  const Access& access;
  kernel::Cell<Wide> cell;

  std::vector<Line> values(const Map& map, const Point& at) {
    static const std::vector<kernel::Note<Wide>> none;
    const long long held = work_of_thread.bytes;
    std::vector<Line> out;
    for (std::size_t i = 0; i < at.size(); ++i) out.push_back(cell.value(i).plus(Line{at[i], {}}));
    kernel::Notes<Wide> notes(none);
    out = carry(cell, map.stages, 0, std::move(out), notes);
    require(cell.records.empty(), "a swizzle of what is free");
    release(held - work_of_thread.bytes);  // whoever asked looks at them, and keeps none
    return out;
  }

  // Whether the lane is active; then it lies in the tensor.
  bool takes_part(const Point& at) {
    for (std::size_t i = 0; i < access.said.conditions.size(); ++i) {
      const Line value = values(access.when, at)[i];
      const Wide low = cell.low(value), high = cell.high(value);
      const bool at_most = access.said.conditions[i] == "<=0", unless = access.said.conditions[i] == "!=0";
      const bool all = high <= 0 && (at_most || low == 0), none = low > 0 || (!at_most && high < 0);
      require((at_most || unless || access.said.conditions[i] == "=0") && (all || none),
              "a lane that is active at times");
      if (all == unless) return false;
    }
    for (std::size_t i = 0; const Line& value : values(access.coordinates, at))
      require(cell.low(value) >= 0 && cell.high(value) < access.logical.extents[i++], "a lane outside of the tensor");
    return true;
  }

  // Where the lane's bytes start while the free variables are 0, then what each of them adds.
  Point byte(const Point& at) {
    const Line byte = values(access.bytes, at)[0];
    Point out{byte.constant};
    for (std::size_t k = 0; k < at.size(); ++k) {
      out.push_back(byte.at(k));
      require(out.back() % access.said.bytes_per_bank == 0, "a lane that moves within its words");
    }
    return out;
  }

  Wide wavefronts(const Integers& phase, Point at) {
    std::map<Wide, std::multiset<Wide>> words;  // of each bank
    std::size_t most = 0;
    std::optional<Point> moves;
    for (const std::int64_t lane : phase) {
      at[0] = lane;
      if (!takes_part(at)) continue;
      Point place = byte(at);
      const Wide first = std::exchange(place[0], 0), last = first + access.said.width - 1;
      require(moves.value_or(place) == place, "lanes that move apart");
      moves = std::move(place);
      for (Wide word = first / access.said.bytes_per_bank; word <= last / access.said.bytes_per_bank; word += 1) {
        charge(32LL);  // two sets
        std::multiset<Wide>& bank = words[word % access.said.banks];
        if (!access.said.broadcasts || !bank.contains(word)) bank.insert(word);
        most = std::max(most, bank.size());
      }
    }
    return static_cast<long long>(most);
  }

  // Whether active lanes of a pair name the same byte, for one of the distances; the others move with them.
  bool agrees(Point at) {
    if (!access.said.pairs) return false;
    std::map<std::int64_t, Wide> bytes;
    for (std::int64_t lane = 0; access.bytes.domain.extents[0] > lane; ++lane)
      if (at[0] = lane; takes_part(at)) bytes.emplace(lane, byte(at)[0]);
    return std::ranges::any_of(access.said.pairs->distances, [&](std::int64_t distance) {
      charge(8 * bytes.size() + 1);
      return std::ranges::all_of(bytes, [&](const auto& one) {
        const auto other = bytes.find(one.first ^ distance);
        return other == bytes.end() || other->second == one.second;
      });
    });
  }

  struct Cost {
    Wide wavefronts = 0, ideal = 0;
  };
  Cost cost(const Point& at) {
    Cost out;
    for (const auto& phase : agrees(at) ? access.said.pairs->phases : access.said.phases) {
      const Wide needed = wavefronts(phase, at);
      out.wavefronts += needed, out.ideal += needed > 0 ? 1 : 0;
    }
    return out;
  }
};

// Whether the access conflicts at this point of its variables, where a swizzle stands behind the address.
bool conflicts(Access access, Stage swizzle, Wide element, Point at) {
  charge(access.bytes.size + access.coordinates.size + access.when.size);  // a copy of them
  at.insert(at.begin(), 0);
  require(at.size() == access.bytes.domain.rank() && access.bytes.domain.contains(at),
          "variables beyond their extents");
  swizzle.input = 0;
  Stage bytes;
  bytes.rows = {{0, {{0, element}, {1, 1}}}};
  access.bytes.stages.insert(access.bytes.stages.end(), {swizzle, bytes});
  Space one = access.bytes.domain;
  for (Wide& extent : one.extents) extent = 1;
  Walk walk{access, kernel::Cell<Wide>(one)};
  const auto [wavefronts, ideal] = walk.cost(at);
  return wavefronts > ideal;
}

// The axis of the tile's addresses, and how many bits they have.
struct Addresses {
  std::size_t axis = 0;
  int bits = 0;
};

Addresses addresses_of(const Layout& tile) {
  for (const Stage& stage : tile.map.stages)
    require(stage.kind != Stage::Kind::Swizzle || stage.bits == 0, "a tile that has a swizzle");
  Addresses out;
  const auto& names = tile.physical.names;
  if (tile.named) out.axis = static_cast<std::size_t>(std::ranges::find(names, "m") - names.begin());
  require(tile.named ? out.axis < names.size() : names.size() == 1, "a tile on no one axis of memory");
  const Interval range = ranges_of(tile.map)[out.axis];
  require(range.low >= 0, "an address that may be negative");
  while (range.high >= 1LL << out.bits) require(++out.bits <= 60, "addresses beyond 60 bits");
  return out;
}

}  // namespace

Lanes parse_lanes(const AccessText& said, std::size_t outputs) {
  enter(__FILE__);
  Lanes out{parse_map(said.bytes), parse_map(said.coordinates), parse_map(said.when)};
  const std::vector<Wide>& extents = out.bytes.domain.extents;
  require(
      out.coordinates.domain.extents == extents && out.when.domain.extents == extents && out.bytes.outputs == outputs,
      "other lanes");
  require(out.when.outputs == said.conditions.size(), "maps that do not fit");
  require(said.width > 0 && said.width <= 64 && said.banks > 0 && said.bytes_per_bank > 0, "no width, or no banks");
  require(!extents.empty(), "no lanes");
  require_partition(said.phases, extents[0]);
  if (said.pairs) {
    require_partition(said.pairs->phases, extents[0]);
    for (const std::int64_t distance : said.pairs->distances) {
      require(distance > 0, "lanes that are paired with themselves");
      require_paired(said.phases, distance, extents[0]), require_paired(said.pairs->phases, distance, extents[0]);
    }
  }
  return out;
}

void check_access(const std::string& claim, Statement& statement, Evidence& evidence) {
  const AccessText text = take(statement.access);
  const Access access = parse_access(text, 1);
  const auto is_free = take(evidence.free);
  Space walked = access.bytes.domain, free = walked;
  require(is_free.size() == walked.rank() && !is_free[0] && walked.volume() > 0, "nothing to walk over");
  for (std::size_t i = 0; i < is_free.size(); ++i) (is_free[i] ? walked : free).extents[i] = 1;
  if (walked.volume() * 8 > work_left()) needs_more_work();  // before anything is done
  Walk walk{access, kernel::Cell<Wide>(free)};
  walked.extents[0] = 1;
  Wide worst = 0, excess = 0;
  for_each(walked, [&](const Point& at) {
    const auto [wavefronts, ideal] = walk.cost(at);
    worst = std::max(worst, wavefronts), excess = std::max(excess, wavefronts - ideal);
  });
  require(worst > 0, "the claim says nothing: no lane is ever active");
  const bool limited = claim == "conflict-free" || (claim == "conflicts" && statement.at_most);
  const Wide said = claim == "conflict-free" ? 0 : take(limited ? statement.at_most : statement.value);
  require(limited || claim == "conflicts" || claim == "wavefronts", "a claim that is not known");
  require(limited ? excess <= said : said == (claim == "conflicts" ? excess : worst), "another number");
}

void check_no_swizzle(const Layout& tile, Statement& statement, Evidence& evidence) {
  const std::vector<AccessText> texts = take(statement.accesses);
  const std::vector<RefusedSwizzle> refused = take(evidence.refused);
  const Wide bits = take(statement.bits);
  require(bits > 0 && bits % 8 == 0, "elements that do not fill bytes");
  const Wide element = bits / 8;
  std::vector<Access> accesses;
  int least = 0;
  for (const AccessText& text : texts) {
    accesses.push_back(parse_access(text, 2));
    while (Wide(1LL << least) * element < text.width) ++least;
  }
  const Addresses addresses = addresses_of(tile);
  std::size_t next = 0;
  const auto refuse = [&](int base, int count, int shift) {
    Stage swizzle;
    swizzle.kind = Stage::Kind::Swizzle;
    swizzle.base = base, swizzle.bits = count, swizzle.shift = shift;
    require(next < refused.size(), "a swizzle that is not refused");
    const auto& [access, at] = refused[next++];
    if (access == -1) {
      require(at.size() == tile.map.domain.rank() && tile.map.domain.contains(at), "no element of the tile");
      Point place = evaluate(tile.map, at);
      place[addresses.axis] = swizzle.swizzled(place[addresses.axis]);
      return require(!tile.is_slot(place, tile.physical), "an element that stays in the box");
    }
    require(access >= 0 && access < static_cast<std::int64_t>(accesses.size()), "an access that does not exist");
    require(conflicts(accesses[static_cast<std::size_t>(access)], swizzle, element, at), "an access without conflicts");
  };
  refuse(0, 0, 1);
  for (int count = 1; least + 2 * count <= addresses.bits; ++count)
    for (int shift = count; least + shift + count <= addresses.bits; ++shift)
      for (int base = least; base + shift + count <= addresses.bits; ++base) refuse(base, count, shift);
  require(next == refused.size(), "a refusal of no swizzle");
}

}  // namespace vl::checker
