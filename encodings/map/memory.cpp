#include "encodings/map/memory.h"

#include <algorithm>

#include "encodings/map/algebra.h"

namespace vl::map {
namespace {

// Undoes Σ coefficients·x over the dimensions that have one; the others decode to 0.
std::optional<std::vector<Stage>> decode_of(const Row& row, const Space& logical) {
  Row read{row.constant, {}};
  std::vector<Range> ranges;
  Affine gather{std::vector<Row>(logical.rank())};
  for (const Term& term : row.terms) {
    if (logical.extent(term.input) <= 1) continue;
    gather.rows[term.input] = pick(read.terms.size());
    read.terms.push_back({read.terms.size(), term.coefficient});
    ranges.push_back({0, logical.extent(term.input) - 1});
  }
  if (ranges.empty()) return std::vector<Stage>{std::move(gather)};
  auto stages = undo(Affine{{std::move(read)}}, ranges);
  if (!stages) return std::nullopt;
  stages->emplace_back(std::move(gather));
  return std::move(*stages);
}

}  // namespace

Result<Memory> host_memory(const Layout& layout) {
  const Space& logical = layout.logical();
  Row row = layout.host_offset();
  Range range{row.constant, row.constant};
  for (const Term& term : row.terms)
    if (logical.volume() > 0 &&
        !accumulate(term.coefficient < 0 ? range.low : range.high, term.coefficient, logical.extent(term.input) - 1))
      return Error{ErrorCode::Overflow, "the host's offsets leave 64 bits"};
  const auto span = checked_add(range.high - range.low, logical.volume() > 0 ? 1 : 0);
  const auto constant = checked_add(row.constant, -range.low);
  if (!span || !constant) return Error{ErrorCode::Overflow, "the host's memory leaves 64 bits"};
  row.constant = *constant;

  auto physical = Space::create({{"h", *span}});
  if (!physical) return physical.error();
  LayoutParts parts;
  parts.logical = logical;
  parts.physical = std::move(*physical);
  parts.map = {Affine{{row}}};
  if (logical.volume() > 0) parts.decode = decode_of(row, logical);
  parts.host_offset = layout.host_offset();
  auto memory = Layout::create(std::move(parts));
  if (!memory) return memory.error();
  return Memory{std::move(*memory), range.low};
}

}  // namespace vl::map
