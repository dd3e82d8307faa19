// reach_of: the stages of the access, then those of the layout, then one row to bytes.
//
// The free base. The buffer starts at base·k bytes for any k >= 0. Moving the start by a multiple of one period P =
// banks · bytes_per_bank moves every word by the same multiple of `banks`: banks stay, and so does which words are the
// same. With absolute addresses the swizzle sees start/element + m; moved by a multiple of 2^(base+bits+shift)
// elements, a swizzle moves its result by the same. So with L = P, or lcm(P, 2^(…)·element) there, the costs of k and
// of k + L/gcd(base, L) are the same, and k in [0, L/gcd(base, L)) answers for every k.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "verifier/engines/banks.h"
#include "verifier/engines/pipeline.h"

namespace vl::engines {
namespace {

using map::Layout;
using map::Row;
using map::Stage;
using map::Swizzle;
using question::first_outside;
using use::Access;

constexpr Index kOutsideWalk = Index{1} << 16;  // a short walk: no clock is looked at
constexpr Index kHighest = Index{1} << 60;      // byte addresses stay below it
constexpr Index kLanesPerMatrix = 8;

Error no_reach(std::string message) { return Error{ErrorCode::Value, std::move(message), 0}; }

bool is_zero_always(const map::Range& range) { return range == map::Range{0, 0}; }

// The address in elements, as a row over the layout's outputs.
Result<Row> address_row(const Layout& layout) {
  const auto& ranges = layout.map().ranges(layout.map().stages().size());
  const auto& dims = layout.physical().dims();
  for (std::size_t g = dims.size(); g < ranges.size(); ++g)
    if (!is_zero_always(ranges[g])) return no_reach("an element of this layout may have no slot");
  if (!layout.named_axes()) {
    for (std::size_t j = 0; j < dims.size(); ++j)
      if (ranges[j].low < 0 || ranges[j].high >= std::max<Index>(dims[j].extent, 1))
        return no_reach("an element of this layout may have no slot");
    return map::row_major_number(layout.physical());
  }
  const auto m = map::memory_axis(layout);
  for (std::size_t j = 0; j < dims.size(); ++j)
    if (j != m && !is_zero_always(ranges[j]))
      return no_reach(fmt::format("the layout places elements along {}; expected a layout on the memory axis m alone",
                                  dims[j].name));
  if (!m) return no_reach("expected a layout on the memory axis m, and it has no such axis");
  return map::pick(*m);
}

// Appends a layout's stages to coordinates that stand first; its outputs stand there then. Replicas of extent 1 are 0.
std::optional<Error> append_layout(Pipeline& pipeline, const Layout& layout, std::span<const Stage> stages) {
  const std::size_t rank = layout.logical().rank();
  if (layout.replicas().volume() != 1) return no_reach("the layout has replicas; expected one place for each element");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < rank; ++i) rows.push_back(map::pick(i));
  rows.resize(layout.domain().rank());
  if (layout.replicas().rank() > 0) pipeline.rewrite(std::move(rows), rank);
  pipeline.append(stages, layout.domain().rank());
  return std::nullopt;
}

// Where the one swizzle of a layout stands, when only rows that copy values follow it; nothing without a swizzle.
Result<std::optional<std::size_t>> last_swizzle(const Layout& layout) {
  std::optional<std::size_t> found;
  const auto& stages = layout.map().stages();
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (const auto* swizzle = std::get_if<Swizzle>(&stages[i]); swizzle != nullptr && swizzle->bits > 0) {
      if (found || i + 1 != stages.size()) return no_reach("absolute addresses need a layout that ends in one swizzle");
      found = i;
    }
  return found;
}

struct Base {
  Index step = 0;     // bytes
  Index choices = 1;  // of k
};

std::optional<Index> least_common_multiple(Index a, Index b) { return checked_mul(a / std::gcd(a, b), b); }

Result<Base> base_of(const Access& access, const Layout& layout, const use::Hardware& hardware, Index element) {
  auto period = checked_mul(hardware.banks, hardware.bytes_per_bank);
  if (access.absolute) {
    if (*access.base % element != 0)
      return no_reach(fmt::format("a base of {} bytes is not a multiple of an element's {}", *access.base, element));
    const auto at = last_swizzle(layout);
    if (!at) return at.error();
    if (*at && !layout.named_axes() && layout.map().outputs() > 1)
      return no_reach("absolute addresses need a layout on one axis of memory");
    if (*at) {
      const auto& swizzle = std::get<Swizzle>(layout.map().stages()[**at]);
      const auto block = checked_mul(Index{1} << (swizzle.base + swizzle.bits + swizzle.shift), element);
      period = period && block ? least_common_multiple(*period, *block) : std::nullopt;
    }
  }
  if (!period) return Error{ErrorCode::Overflow, "the period of the banks leaves 64 bits", 0};
  const Index choices = *period / std::gcd(*access.base, *period);
  return Base{choices == 1 ? 0 : *access.base, choices};
}

// The loop variables that come before the base, and the stages from (lane, variables…) to coordinates.
struct Lanes {
  std::vector<map::Dim> variables;
  std::vector<Index> first;
  std::vector<Index> step;
  std::vector<Stage> stages;
};

// (lane, warp, value) -> the number of the element -> its coordinates. `warp` is there where it takes several values.
Result<Lanes> lanes_of_tv(const Access& access, const Layout& tv, const map::Space& logical, Index element) {
  const auto shape = map::extents_of(tv.logical());
  if (shape.size() != 2 || logical.rank() == 0)
    return Error{ErrorCode::Shape, "expected a layout over (threads, values), and a tensor of rank 1 or more", 0};
  if (shape[0] % access.lanes != 0 || shape[0] == 0)
    return no_reach(fmt::format("a layout of {} threads does not deal with {} lanes each", shape[0], access.lanes));
  if (access.width % element != 0 || shape[1] == 0 || shape[1] % (access.width / element) != 0)
    return no_reach(
        fmt::format("{} values per thread, of {} bytes, are not vectors of {} bytes", shape[1], element, access.width));
  const auto number = address_row(tv);
  if (!number) return number.error();
  const Index step = access.width / element;
  const Index warps = shape[0] / access.lanes;
  Lanes out;
  std::vector<map::Dim> dims{{"lane", access.lanes, map::Unit::Lane}};
  if (warps > 1) out.variables.push_back({"warp", warps});
  out.variables.push_back({"value", shape[1] / step});
  out.first.assign(out.variables.size(), 0);
  out.step.assign(out.variables.size(), 1);
  out.step.back() = step;
  dims.insert(dims.end(), out.variables.begin(), out.variables.end());
  auto domain = map::Space::create(std::move(dims));
  if (!domain) return domain.error();
  Pipeline pipeline(std::move(*domain));
  Row thread = map::pick(0);
  if (warps > 1) thread.terms.push_back({1, access.lanes});
  pipeline.rewrite({std::move(thread), Row{0, {{warps > 1 ? 2U : 1U, step}}}}, pipeline.values());
  if (auto error = append_layout(pipeline, tv, tv.map().stages())) return *error;
  pipeline.rewrite({*number}, pipeline.values());
  pipeline.push(map::Split{0, map::row_major_weights(logical)});
  const auto map = pipeline.map();
  if (!map) return map.error();
  out.stages = map->stages();
  return out;
}

Result<Lanes> lanes_of(const Access& access, const Layout* tv, const map::Space& logical, Index element) {
  if (tv != nullptr) return lanes_of_tv(access, *tv, logical, element);
  if (!access.tv.empty()) return no_reach("a layout of threads and values was not read");
  const auto* rows = access.at.empty() ? nullptr : std::get_if<map::Affine>(&access.at.back());
  if (rows == nullptr || rows->rows.size() != logical.rank())
    return Error{
        ErrorCode::Shape,
        fmt::format("{} coordinates for a tensor of rank {}", rows == nullptr ? 0 : rows->rows.size(), logical.rank()),
        0};
  return Lanes{access.free.dims(), access.first, std::vector<Index>(access.free.rank(), 1), access.at};
}

Result<std::vector<std::vector<Index>>> phases_of(const Access& access, const use::Hardware& hardware) {
  if (access.lanes > hardware.lanes)
    return no_reach(fmt::format("{} lanes, and {} has {}", access.lanes, hardware.name, hardware.lanes));
  std::vector<std::vector<Index>> out;
  if (!access.instruction.empty()) {
    if (!hardware.matrices) return no_reach(fmt::format("{} has no {}", hardware.name, access.instruction));
    for (Index first = 0; first < access.lanes; first += kLanesPerMatrix) {
      std::vector<Index> rows(static_cast<std::size_t>(kLanesPerMatrix));
      std::iota(rows.begin(), rows.end(), first);
      out.push_back(std::move(rows));
    }
    return out;
  }
  const auto found = hardware.phases.find(access.width);
  if (found == hardware.phases.end())
    return no_reach(fmt::format("{} does not serve {} bytes per lane in one instruction", hardware.name, access.width));
  std::vector<Index> seen;
  for (const std::vector<Index>& phase : found->second) {
    std::vector<Index> lanes;
    std::ranges::copy_if(phase, std::back_inserter(lanes),
                         [&](Index lane) { return lane >= 0 && lane < access.lanes; });
    std::ranges::sort(lanes);
    seen.insert(seen.end(), lanes.begin(), lanes.end());
    if (!lanes.empty()) out.push_back(std::move(lanes));
  }
  std::ranges::sort(seen);
  for (Index lane = 0; lane < access.lanes; ++lane)
    if (std::cmp_not_equal(seen.size(), access.lanes) || seen[static_cast<std::size_t>(lane)] != lane)
      return no_reach(
          fmt::format("the phases of {} for {} bytes are not a partition of its lanes", hardware.name, access.width));
  return out;
}

// Phases 2i and 2i+1 together, of the lanes that there are. Nothing if the width has one phase, or no pairs count.
std::optional<question::Pairs> pairs_of(const Access& access, const use::Hardware& hardware) {
  if (access.purpose != use::Purpose::Load || hardware.load_pairs.empty()) return std::nullopt;
  const auto& phases = hardware.phases.at(access.width);
  if (phases.size() < 2) return std::nullopt;
  question::Pairs out{hardware.load_pairs, {}};
  for (std::size_t i = 0; i < phases.size(); i += 2) {
    std::vector<Index> lanes;
    for (std::size_t half = i; half < std::min(i + 2, phases.size()); ++half)
      std::ranges::copy_if(phases[half], std::back_inserter(lanes), [&](Index lane) { return lane < access.lanes; });
    std::ranges::sort(lanes);
    if (!lanes.empty()) out.phases.push_back(std::move(lanes));
  }
  return out;
}

// Reads a domain's first `inputs` values only, to `outputs`.
Result<map::Map> over_first(const map::Space& domain, std::span<const Stage> stages, std::size_t inputs) {
  Pipeline pipeline(domain);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < inputs; ++i) rows.push_back(map::pick(i));
  pipeline.rewrite(std::move(rows), pipeline.values());
  pipeline.append(stages, inputs);
  return pipeline.map();
}

// (lane, variables…[, base]) carried through the layout: the address, in elements, and the byte at which the buffer
// starts, as rows over the values. An absolute base is part of the address.
struct Carried {
  Pipeline pipeline;
  Row address, start;
};

Result<Carried> carried(const map::Space& domain, const Lanes& lanes, const Layout& layout, bool absolute,
                        const Base& base, Index element) {
  auto row = address_row(layout);
  if (!row) return row.error();
  Carried out{Pipeline(domain), std::move(*row), Row{0, {}}};
  const bool free_base = base.choices > 1;
  out.pipeline.append(lanes.stages, domain.rank() - (free_base ? 1 : 0));
  std::span<const Stage> stages = layout.map().stages();
  const auto swizzled = absolute ? last_swizzle(layout) : Result<std::optional<std::size_t>>(std::nullopt);
  if (!swizzled) return swizzled.error();
  const bool inside = free_base && swizzled->has_value();  // the start goes in before the swizzle
  if (inside) stages = stages.first(**swizzled);
  if (auto error = append_layout(out.pipeline, layout, stages)) return *error;
  if (inside) {
    const Stage& swizzle = layout.map().stages()[**swizzled];
    out.pipeline.add(std::get<Swizzle>(swizzle).input, 0, base.step / element, out.pipeline.values() - 1);
    out.pipeline.push(swizzle);
  }
  if (free_base && !inside) out.start.terms.push_back({out.pipeline.values() - 1, base.step});
  return out;
}

// (lane, variables…[, base]) -> byte address.
Result<map::Map> bytes_of(const map::Space& domain, const Lanes& lanes, const Layout& layout, bool absolute,
                          const Base& base, Index element) {
  auto through = carried(domain, lanes, layout, absolute, base, element);
  if (!through) return through.error();
  auto& [pipeline, address, start] = *through;
  Row bytes{0, {}};
  for (const map::Term& term : address.terms) {
    const auto coefficient = checked_mul(term.coefficient, element);
    if (!coefficient) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
    bytes.terms.push_back({term.input, *coefficient});
  }
  bytes.terms.insert(bytes.terms.end(), start.terms.begin(), start.terms.end());
  pipeline.rewrite({std::move(bytes)}, pipeline.values());
  auto map = pipeline.map();
  if (!map) return map.error();
  const map::Range& range = map->ranges(map->stages().size())[0];
  if (range.low < -kHighest || range.high > kHighest) return Error{ErrorCode::Overflow, "an address leaves 60 bits", 0};
  return map;
}

// A vector of values is read from where its first is: the others have to stand behind it.
std::optional<Error> scattered(const Reach& reach, const Access& access, const Layout& layout, const Layout& tv,
                               Index element) {
  Access single = access;
  single.width = element;
  const Index step = access.width / element;
  if (step == 1) return std::nullopt;
  const auto lanes = lanes_of_tv(single, tv, layout.logical(), element);
  if (!lanes) return lanes.error();
  std::vector<map::Dim> dims{{"lane", access.lanes, map::Unit::Lane}};
  dims.insert(dims.end(), lanes->variables.begin(), lanes->variables.end());
  auto domain = map::Space::create(std::move(dims));
  if (!domain) return domain.error();
  if (domain->volume() > kOutsideWalk) return no_reach("a layout of more than 2^16 threads and values");
  const auto bytes = bytes_of(*domain, *lanes, layout, false, Base{}, element);
  if (!bytes) return bytes.error();
  map::Evaluator address(*bytes);
  Point p(domain->rank(), 0);
  Index first = 0;
  do {
    const Index behind = p.back() % step;
    const Index byte = address(p)[0];
    if (behind == 0) first = byte;
    Point instance(p.begin() + 1, p.end());
    instance.back() /= step;
    instance.resize(reach.bytes.domain().rank() - 1);
    if (byte != first + behind * element && is_active(reach, p[0], instance))
      return no_reach(fmt::format("lane {} reads {} bytes at once, and its value {} is not behind value {} in memory",
                                  p[0], access.width, p.back(), p.back() - behind));
  } while (map::advance(*domain, p));
  return std::nullopt;
}

Result<Index> bytes_of_element(int bits) {
  if (bits <= 0 || bits % 8 != 0) return no_reach(fmt::format("elements of {} bits do not fill bytes", bits));
  return Index{bits / 8};
}

// The lanes of all instances.
struct Instances {
  Index element = 0;  // bytes
  Lanes lanes;
  Base base;
  map::Space domain;
  std::size_t inputs = 0;  // of the domain, without the base
};

Result<Instances> instances_of(const Access& access, const Layout& layout, const Layout* tv, int element_bits,
                               const use::Hardware& hardware) {
  const auto element = bytes_of_element(element_bits);
  if (!element) return element.error();
  if (hardware.banks < 1 || hardware.bytes_per_bank < 1) return no_reach("expected banks of at least one byte");
  auto lanes = lanes_of(access, tv, layout.logical(), *element);
  if (!lanes) return lanes.error();
  if (tv != nullptr && access.absolute)
    return no_reach("absolute addresses of a layout of threads and values are not judged");
  auto base = access.base ? base_of(access, layout, hardware, *element) : Result<Base>(Base{});
  if (!base) return base.error();
  std::vector<map::Dim> dims{{"lane", access.lanes, map::Unit::Lane}};
  dims.insert(dims.end(), lanes->variables.begin(), lanes->variables.end());
  const std::size_t inputs = dims.size();
  if (base->choices > 1) dims.push_back({"base", base->choices});
  auto domain = map::Space::create(std::move(dims));
  if (!domain) return domain.error();
  return Instances{*element, std::move(*lanes), *base, std::move(*domain), inputs};
}

}  // namespace

Result<Reach> reach_of(const Access& access, const Layout& layout, const Layout* tv, int element_bits,
                       const use::Hardware& hardware) {
  auto phases = phases_of(access, hardware);
  if (!phases) return phases.error();
  auto instances = instances_of(access, layout, tv, element_bits, hardware);
  if (!instances) return instances.error();
  const auto& [element, lanes, base, domain, inputs] = *instances;
  auto coordinates = over_first(domain, lanes.stages, inputs);
  if (!coordinates) return coordinates.error();
  auto bytes = bytes_of(domain, lanes, layout, access.absolute, base, element);
  if (!bytes) return bytes.error();
  Reach reach{std::move(*bytes),
              std::move(*coordinates),
              layout.logical(),
              std::nullopt,
              access.conditions,
              access.width,
              std::move(*phases),
              hardware.banks,
              hardware.bytes_per_bank,
              hardware.broadcasts,
              lanes.first,
              lanes.step,
              pairs_of(access, hardware)};
  if (base.choices > 1) {
    reach.first.push_back(0);
    reach.step.push_back(base.step);
  }
  if (!access.when.empty()) {
    auto when = over_first(domain, access.when, 1 + access.free.rank());
    if (!when) return when.error();
    reach.when = std::move(*when);
  }
  if (domain.volume() <= kOutsideWalk && access.names.empty())  // else it depends on the sizes where a lane is
    if (const auto outside = first_outside(reach)) return no_reach(show_outside(reach, *outside));
  if (tv != nullptr)
    if (auto error = scattered(reach, access, layout, *tv, element)) return *error;
  return reach;
}

Result<map::Map> addresses_of(const Access& access, const Layout& layout, const Layout* tv, int element_bits,
                              const use::Hardware& hardware) {
  if (access.absolute) return no_reach("an absolute base is part of the address");
  const auto instances = instances_of(access, layout, tv, element_bits, hardware);
  if (!instances) return instances.error();
  auto through = carried(instances->domain, instances->lanes, layout, false, instances->base, instances->element);
  if (!through) return through.error();
  auto& [pipeline, address, start] = *through;
  pipeline.rewrite({std::move(address), std::move(start)}, pipeline.values());
  return pipeline.map();
}

}  // namespace vl::engines
