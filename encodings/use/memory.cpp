#include "encodings/use/memory.h"

#include <algorithm>

#include "encodings/map/algebra.h"

namespace vl::use {
namespace {

// Undoes Σ coefficients·x over the dimensions with a coefficient; the others decode to 0.
std::optional<std::vector<map::Stage>> decode_of(const map::Row& row, const map::Space& logical) {
  map::Row read{row.constant, {}};
  std::vector<map::Range> ranges;
  map::Affine gather{std::vector<map::Row>(logical.rank())};
  for (const map::Term& term : row.terms) {
    if (logical.extent(term.input) <= 1) continue;
    gather.rows[term.input] = map::pick(read.terms.size());
    read.terms.push_back({read.terms.size(), term.coefficient});
    ranges.push_back({0, logical.extent(term.input) - 1});
  }
  if (ranges.empty()) return std::vector<map::Stage>{std::move(gather)};
  auto stages = map::undo(map::Affine{{std::move(read)}}, ranges);
  if (!stages) return std::nullopt;
  stages->emplace_back(std::move(gather));
  return std::move(*stages);
}

}  // namespace

Result<Memory> host_memory(const map::Layout& layout) { return memory_along(layout.logical(), layout.host_offset()); }

Result<Memory> memory_along(const map::Space& box, map::Row row) {
  const map::Row offset = row;
  map::Range range{row.constant, row.constant};
  for (const map::Term& term : row.terms)
    if (box.volume() > 0 &&
        !accumulate(term.coefficient < 0 ? range.low : range.high, term.coefficient, box.extent(term.input) - 1))
      return Error{ErrorCode::Overflow, "the host's offsets leave 64 bits"};
  const auto down = checked_mul(range.low, -1);
  const auto last = down ? checked_add(range.high, *down) : std::nullopt;
  const auto span = last ? checked_add(*last, box.volume() > 0 ? 1 : 0) : std::nullopt;
  const auto constant = down ? checked_add(row.constant, *down) : std::nullopt;
  if (!span || !constant) return Error{ErrorCode::Overflow, "the host's memory leaves 64 bits"};
  row.constant = *constant;

  auto physical = map::Space::create({{"h", *span}});
  if (!physical) return physical.error();
  map::LayoutParts parts;
  parts.logical = box;
  parts.physical = std::move(*physical);
  parts.map = {map::Affine{{row}}};
  if (box.volume() > 0) parts.decode = decode_of(row, box);
  parts.host_offset = offset;
  auto memory = map::Layout::create(std::move(parts));
  if (!memory) return memory.error();
  return Memory{std::move(*memory), range.low};
}

}  // namespace vl::use
