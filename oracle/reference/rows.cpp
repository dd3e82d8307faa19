#include "oracle/reference/rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <type_traits>

#include "encodings/base/memory.h"
#include "oracle/plan/faults.h"
#include "oracle/reference/definition.h"

namespace vl::oracle {
namespace {

constexpr Index kMostUnits = Index{1} << 32;  // of a memory that is marked unit by unit

/// The number of values start, start + step, … in [0, bound). Requires: 0 <= start < bound, |step| < bound.
Index steps_within(Index start, Index step, Index bound) {
  if (step == 1) return bound - start;
  if (step > 0) return (bound - 1 - start) / step + 1;
  return start / -step + 1;
}

constexpr std::size_t kNone = ~std::size_t{0};

/// The dimension that rows run along: the last long one, else the longest. Units of an expanded one lie on each other.
/// kNone when all are: then a row is one point.
std::size_t longest(const map::Space& logical, const map::Row& host) {
  std::size_t best = kNone;
  for (const map::Term& term : host.terms) {
    const Index extent = logical.extent(term.input);
    const bool long_enough = extent >= 16;
    if (best == kNone || long_enough || extent >= logical.extent(best)) best = term.input;
  }
  return best;
}

/// Copies the first `bytes` of up to 64 in parts that overlap, without a call.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto both_ends = [&](auto part) {
    auto last = part;
    std::memcpy(&part, from, sizeof part);
    std::memcpy(&last, from + bytes - sizeof last, sizeof last);
    std::memcpy(to, &part, sizeof part);
    std::memcpy(to + bytes - sizeof last, &last, sizeof last);
  };
  struct Half {
    std::byte bytes[32];
  };
  struct Quarter {
    std::byte bytes[16];
  };
  if (bytes > 64 || bytes < 4) std::memcpy(to, from, bytes);
  else if (bytes >= 32) both_ends(Half{});
  else if (bytes >= 16) both_ends(Quarter{});
  else if (bytes >= 8) both_ends(std::uint64_t{});
  else both_ends(std::uint32_t{});
}

template <std::size_t kUnit>
struct Unit {
  std::byte bytes[kUnit];
};

template <std::size_t kUnit>
void copy_units(std::byte* to, Index to_step, const std::byte* from, Index from_step, Index count) {
  if (to_step == 1 && from_step == 1) return copy_bytes(to, from, static_cast<std::size_t>(count) * kUnit);
  const Index to_bytes = to_step * static_cast<Index>(kUnit);
  const Index from_bytes = from_step * static_cast<Index>(kUnit);
  const auto copy = [&](Index ahead) {
    Unit<kUnit> value;
    std::memcpy(&value, from + ahead * from_bytes, kUnit);
    std::memcpy(to + ahead * to_bytes, &value, kUnit);
  };
  for (; count >= 4; count -= 4) {
    copy(0);
    copy(1);
    copy(2);
    copy(3);
    from += 4 * from_bytes;
    to += 4 * to_bytes;
  }
  for (Index i = 0; i < count; ++i) copy(i);
}

template <std::size_t kUnit>
bool equal_units(const std::byte* a, Index a_step, const std::byte* b, Index b_step, Index count) {
  if (a_step == 1 && b_step == 1) return std::memcmp(a, b, static_cast<std::size_t>(count) * kUnit) == 0;
  const auto bytes = static_cast<Index>(kUnit);
  for (Index i = 0; i < count; ++i)
    if (std::memcmp(a + i * a_step * bytes, b + i * b_step * bytes, kUnit) != 0) return false;
  return true;
}

/// Every unit becomes `fill`.
template <std::size_t kUnit>
void fill_all(std::span<std::byte> memory, std::span<const std::byte> fill) {
  std::array<std::byte, 64> line;
  for (std::size_t at = 0; at < line.size(); at += kUnit) std::memcpy(line.data() + at, fill.data(), kUnit);
  std::size_t at = 0;
  for (; at + line.size() <= memory.size(); at += line.size())
    std::memcpy(memory.data() + at, line.data(), line.size());
  if (at < memory.size()) std::memcpy(memory.data() + at, line.data(), memory.size() - at);
}

/// run(a constant of the unit's value). Requires: 1, 2, 4, 8 or 16 bytes.
template <class Run>
auto with_unit(std::size_t unit, Run run) {
  switch (unit) {
    case 1: return run(std::integral_constant<std::size_t, 1>{});
    case 2: return run(std::integral_constant<std::size_t, 2>{});
    case 4: return run(std::integral_constant<std::size_t, 4>{});
    case 8: return run(std::integral_constant<std::size_t, 8>{});
    case 16: return run(std::integral_constant<std::size_t, 16>{});
    default: VL_CHECK(false, "a unit of other than 1, 2, 4, 8 or 16 bytes");
  }
}

}  // namespace

bool Rows::compile(const map::Layout& layout, Host where) {
  segments_.clear();
  units_ = 0;
  unpacks_ = true;
  const auto units = vl::oracle::host_units(layout, where);
  device_units_ = layout.physical().volume();
  if (!units || *units > kMostUnits || device_units_ > kMostUnits || check_replicas(layout)) return false;
  host_units_ = *units;
  if (layout.domain().volume() == 0) return true;
  if (!has_room(static_cast<std::size_t>(device_units_ + (where == Host::View ? host_units_ : 0)))) return false;
  try {
    device_marks_.assign(static_cast<std::size_t>(device_units_), 0);
    host_marks_.assign(where == Host::View ? static_cast<std::size_t>(host_units_) : 0, 0);
  } catch (const std::bad_alloc&) {
    return false;
  }
  const map::Row host = where == Host::View ? layout.host_offset() : map::row_major_number(layout.logical());
  const std::size_t along = longest(layout.logical(), host);
  host_step_ = 0;
  for (const map::Term& term : host.terms)
    if (term.input == along) host_step_ = term.coefficient;
  return walk(layout, host, along);
}

// Each row of the domain: all points whose coordinates besides `along` are the same.
bool Rows::walk(const map::Layout& layout, const map::Row& host, std::size_t along) {
  const map::Space& domain = layout.domain();
  const std::size_t rank = layout.logical().rank();
  std::uint64_t spread = 0;  // dimensions whose indices have units of their own on the host
  for (const map::Term& term : host.terms)
    if (term.input < 64) spread |= std::uint64_t{1} << term.input;
  if (rank > 64) return false;
  point_.assign(domain.rank(), 0);
  for (;;) {
    bool compares = false;
    for (std::size_t k = 0; k < domain.rank(); ++k)
      compares = compares || (point_[k] != 0 && (k >= rank || (spread >> k & 1) == 0));
    Index at = host.constant;
    for (const map::Term& term : host.terms) at += term.coefficient * point_[term.input];
    if (!add_row(layout, at, along, compares)) return false;
    std::size_t k = domain.rank();
    while (k > 0 && (k - 1 == along || point_[k - 1] + 1 == domain.extent(k - 1))) point_[--k] = 0;
    if (k == 0) return true;
    ++point_[k - 1];
  }
}

bool Rows::add_row(const map::Layout& layout, Index host, std::size_t along, bool compares) {
  const Index extent = along == kNone ? 1 : layout.logical().extent(along);
  for (Index done = 0; done < extent;) {
    values_.assign(point_.size(), {});
    for (std::size_t k = 0; k < point_.size(); ++k) values_[k].start = point_[k];
    if (along != kNone) values_[along] = {done, 1};
    Index count = extent - done;
    if (!evaluate(layout, count)) return false;
    Segment segment{host + done * host_step_, 0, count, 0, compares};
    Index weight = 1;
    for (std::size_t k = values_.size(); k-- > 0;) {
      const bool is_guard = k >= layout.physical().rank();
      const Index bound = is_guard ? 1 : layout.physical().extent(k);
      const auto last = checked_mul(values_[k].step, count - 1);
      const auto end = last ? checked_add(values_[k].start, *last) : last;
      const bool end_fits = (end && *end >= 0 && *end < bound) || planted(Fault::RowsEndUnchecked);
      if (values_[k].start < 0 || values_[k].start >= bound || !end_fits) return false;
      if (is_guard) continue;
      segment.device += weight * values_[k].start;
      segment.step += count == 1 ? 0 : weight * values_[k].step;
      weight *= bound;
    }
    if (planted(Fault::RowsEndUnchecked)) {  // wrong, but within the memory
      const Index end = segment.device + (count - 1) * segment.step;
      if (end < 0 || end >= device_units_) return false;
    }
    if (!mark(segment)) return false;
    append(segment);
    units_ += segment.count;
    if (segments_.size() > kMostSegments) return false;
    done += count;
  }
  return true;
}

// Takes values_ through all stages; `count` becomes the length for which they are progressions.
bool Rows::evaluate(const map::Layout& layout, Index& count) {
  for (const map::Stage& stage : layout.map().stages()) {
    if (const auto* affine = std::get_if<map::Affine>(&stage)) {
      if (!step_through(*affine)) return false;
    } else if (const auto* split = std::get_if<map::Split>(&stage)) {
      step_through(*split, count);
    } else {
      step_through(std::get<map::Swizzle>(stage), count);
    }
  }
  return true;
}

bool Rows::step_through(const map::Affine& affine) {
  next_.clear();
  for (const map::Row& row : affine.rows) {
    Progression sum{row.constant, 0};
    for (const map::Term& term : row.terms)
      if (!accumulate(sum.start, term.coefficient, values_[term.input].start) ||
          !accumulate(sum.step, term.coefficient, values_[term.input].step))
        return false;
    next_.push_back(sum);
  }
  values_.swap(next_);
  return true;
}

void Rows::step_through(const map::Split& split, Index& count) {
  const auto at = static_cast<std::ptrdiff_t>(split.input);
  next_.assign(values_.begin(), values_.begin() + at);
  Progression rest = values_[split.input];
  for (const Index weight : split.weights) {
    // Most values are digits already, and most do not move.
    const bool stays = -weight < rest.step && rest.step < weight;
    const Index outer = stays ? 0 : rest.step / weight;
    const Index inner = rest.step - outer * weight;  // its sign is that of the step
    const bool is_digit = 0 <= rest.start && rest.start < weight;
    next_.push_back({is_digit ? 0 : floor_div(rest.start, weight), outer});
    rest = {is_digit ? rest.start : floor_mod(rest.start, weight), inner};
    if (inner == 0 || planted(Fault::RowsIgnoreCarry)) continue;
    count = std::min(count, steps_within(rest.start, inner, weight));
  }
  next_.insert(next_.end(), values_.begin() + at + 1, values_.end());
  values_.swap(next_);
}

void Rows::step_through(const map::Swizzle& swizzle, Index& count) {
  Progression& value = values_[swizzle.input];
  const Index all = Index{1} << (swizzle.base + swizzle.bits + swizzle.shift);
  const int chunk_log2 = swizzle.base + (planted(Fault::RowsSwizzleChunkTooLong) ? 1 : 0);
  const Index chunk = Index{1} << chunk_log2;
  if (value.step % all != 0) {
    const Index inner = value.start % chunk;
    const bool leaves = value.step >= chunk || value.step <= -chunk;
    count = std::min(count, leaves ? 1 : steps_within(inner, value.step, chunk));
  }
  value.start = map::apply(swizzle, value.start);
}

// Each unit of the device is written once, and each unit of the host once but for points that have to agree.
bool Rows::mark(const Segment& segment) {
  std::uint8_t* const device = device_marks_.data() + segment.device;
  std::uint8_t twice = 0;
  if (segment.step == 1) {
    const auto count = static_cast<std::size_t>(segment.count);
    twice = std::memchr(device, 1, count) != nullptr ? 1 : 0;
    std::memset(device, 1, count);
  } else {
    for (Index i = 0; i < segment.count; ++i) {
      twice |= device[i * segment.step];
      device[i * segment.step] = 1;
    }
  }
  if (host_marks_.empty() || segment.compares) return twice == 0;
  std::uint8_t* const host = host_marks_.data() + segment.host;
  std::uint8_t shared = 0;
  for (Index i = 0; i < segment.count; ++i) {
    shared |= host[i * host_step_];
    host[i * host_step_] = 1;
  }
  unpacks_ = unpacks_ && shared == 0;
  return twice == 0;
}

// A segment that goes on where the last one ended is one with it.
void Rows::append(const Segment& segment) {
  if (!segments_.empty()) {
    Segment& last = segments_.back();
    const Index step = last.count == 1 ? segment.device - last.device : last.step;
    const bool same_step = segment.count == 1 || segment.step == step;
    if (same_step && last.compares == segment.compares && segment.host == last.host + last.count * host_step_ &&
        segment.device == last.device + last.count * step) {
      last.count += segment.count;
      last.step = step;
      return;
    }
  }
  segments_.push_back(segment);
}

void Rows::pack(std::span<const std::byte> host, std::size_t unit, std::span<const std::byte> fill,
                std::span<std::byte> device) const {
  VL_CHECK(host.size() / unit == static_cast<std::size_t>(host_units_) && host.size() % unit == 0 &&
               device.size() / unit == static_cast<std::size_t>(device_units_) && device.size() % unit == 0 &&
               fill.size() == unit,
           "memories of other lengths than the rows'");
  with_unit(unit, [&](auto constant) {
    constexpr std::size_t kUnit = constant;
    // No two units of segments are one (mark), so when there are as many as the device has, none is left to be filled.
    if (units_ != device_units_ && !planted(Fault::RowsForgetFill)) fill_all<kUnit>(device, fill);
    for (const Segment& segment : segments_) {
      const Index less = planted(Fault::RowsLastUnitMissing) && segment.count > 16 ? 1 : 0;
      const bool swapped = planted(Fault::RowsStridesSwapped) && 0 < host_step_ && host_step_ < segment.step;
      const Index step = swapped ? host_step_ : segment.step;
      copy_units<kUnit>(device.data() + static_cast<std::size_t>(segment.device) * kUnit, step,
                        host.data() + static_cast<std::size_t>(segment.host) * kUnit, host_step_, segment.count - less);
    }
  });
}

bool Rows::unpack(std::span<const std::byte> device, std::size_t unit, std::span<std::byte> host) const {
  VL_CHECK(unpacks_ && host.size() / unit == static_cast<std::size_t>(host_units_) && host.size() % unit == 0 &&
               device.size() / unit == static_cast<std::size_t>(device_units_) && device.size() % unit == 0,
           "memories of other lengths than the rows'");
  return with_unit(unit, [&](auto constant) {
    constexpr std::size_t kUnit = constant;
    for (const Segment& segment : segments_) {
      std::byte* const to = host.data() + static_cast<std::size_t>(segment.host) * kUnit;
      const std::byte* const from = device.data() + static_cast<std::size_t>(segment.device) * kUnit;
      if (!segment.compares) copy_units<kUnit>(to, host_step_, from, segment.step, segment.count);
      else if (!planted(Fault::RowsReplicasUnchecked) &&
               !equal_units<kUnit>(to, host_step_, from, segment.step, segment.count))
        return false;
    }
    return true;
  });
}

}  // namespace vl::oracle
