#include "encodings/use/padded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/padded_digits.h"

namespace vl::use {
namespace {

Error none(std::string why) { return {ErrorCode::Value, std::move(why), 0}; }

// N in whole granules; nothing if that leaves 64 bits.
std::optional<std::vector<Index>> in_whole(std::span<const Index> size, std::span<const Index> granule) {
  std::vector<Index> out;
  for (std::size_t d = 0; d < size.size(); ++d) {
    const auto whole = checked_mul(ceil_div(size[d], granule[d]), granule[d]);
    if (!whole) return std::nullopt;
    out.push_back(*whole);
  }
  return out;
}

// The granule of each dimension of an array of shards: whole shares of the dimension that moves an array's dimension
// most, and whole tiles of the others. A step of c elements divides the share, or rows are left that no index reaches.
void add_granules(const Shards& shards, Continued& out) {
  const auto& rows = std::get<map::Affine>(shards.beyond.front()).rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Index most = 0;
    for (const map::Term& term : rows[i].terms) most = std::max(most, term.coefficient);
    for (const map::Term& term : rows[i].terms) {
      const Index unit = term.coefficient == most ? shards.share[i] : shards.tile[i], step = term.coefficient;
      if (step > 0 && unit % step == 0) out.granule[term.input] = std::max(out.granule[term.input], unit / step);
      if (shards.share[i] < shards.shard[i] || (step == most && unit % step != 0))
        out.ragged |= Region{1} << term.input;
    }
  }
}

Continued by_shards(Shards shards, const Reading& reading) {
  Continued out{shards.array, std::vector<Index>(shards.array.logical().rank(), 1), {}, reading.values};
  add_granules(shards, out);
  out.group = shards.block_bits > 0 ? kSharingExponent : 0;
  out.stages = shards.beyond;
  out.shards = std::move(shards);
  return out;
}

Result<Continued> by_digits(const Reading& reading) {
  const map::Layout& layout = *reading.layout();
  if (layout.named_axes())
    return none("how the layout goes on beyond its tensor is not known: state the padded tensor, padded=…");
  const auto digits = digits_alone(layout, layout.map());
  if (!digits) return none(std::string(kNotAlone));
  Continued out{layout, std::vector<Index>(layout.logical().rank(), 1), {}, reading.values};
  if (reading.lanes == 0 || digits->empty()) return out;
  if (const auto& lane = digits->back(); !lane.digits.empty()) {
    if (lane.digits.front().input < out.granule.size()) out.granule[lane.digits.front().input] = reading.lanes;
    return out;
  }
  for (std::size_t d = 0; d < out.granule.size(); ++d)
    if (layout.logical().extent(d) == 1) out.doubtful = d;
  return out;
}

// The box P as a space with the names of N.
Result<map::Space> box_of(const Continued& from, std::span<const Index> size) {
  std::vector<map::Dim> dims = from.layout.logical().dims();
  if (dims.size() != size.size()) return Error{ErrorCode::Shape, "a padded size of another rank than the tensor", 0};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (size[d] < dims[d].extent)
      return Error{ErrorCode::Shape,
                   fmt::format("the padded size [{}] is smaller than the tensor", fmt::join(size, ",")), 0};
    if (from.ends && size[d] > from.whole[d])
      return none(fmt::format("the operation iterates up to {} of dimension {}, and the padded tensor ends at {}",
                              size[d], d, from.whole[d]));
    dims[d].extent = size[d];
  }
  return map::Space::create(std::move(dims));
}

Result<map::Layout> made(const Continued& from, map::Space logical, std::vector<map::Stage> stages) {
  map::LayoutParts parts = map::parts_in(from.layout, from.layout.physical());
  parts.logical = std::move(logical);
  parts.map = std::move(stages);
  parts.host_offset = {};
  return map::Layout::create(std::move(parts));
}

}  // namespace

Result<Continued> continued(const Family& family, std::string_view text, const map::Tensor& tensor,
                            const Reading& reading) {
  Result<Continued> out = none("");
  if (family.shards != nullptr) {
    auto shards = family.shards(text, tensor);
    if (!shards) return none(fmt::format("{}: state the padded tensor, padded=…", shards.error().message));
    out = by_shards(std::move(*shards), reading);
  } else {
    out = by_digits(reading);
  }
  if (!out) return out;
  auto whole = in_whole(tensor.size, out->granule);
  if (!whole) return Error{ErrorCode::Overflow, "the size in whole sticks or tiles does not fit in 64 bits", 0};
  out->whole = std::move(*whole);
  return out;
}

Result<Continued> continued_to(const map::Tensor& tensor, const map::Tensor& padded, const Reading& reading) {
  const map::Layout& wide = *reading.layout();
  Continued out{wide, std::vector<Index>(padded.size.size(), 1), padded.size, reading.values, true};
  if (tensor.size.size() != padded.size.size())
    return Error{ErrorCode::Shape, "the padded tensor has another rank than the tensor", 0};
  for (std::size_t d = 0; d < padded.size.size(); ++d) {
    if (padded.size[d] < tensor.size[d])
      return Error{
          ErrorCode::Shape,
          fmt::format("dimension {} of the padded tensor is smaller: {} < {}", d, padded.size[d], tensor.size[d]), 0};
    if (padded.size[d] > tensor.size[d]) out.granule[d] = padded.size[d];
  }
  out.stages = wide.map().stages();
  std::vector<map::Dim> dims = wide.logical().dims();
  for (std::size_t d = 0; d < dims.size(); ++d) dims[d].extent = tensor.size[d];
  auto logical = map::Space::create(std::move(dims));
  if (!logical) return logical.error();
  auto layout = made(out, std::move(*logical), wide.map().stages());
  if (!layout) return layout.error();
  out.layout = std::move(*layout);
  return out;
}

Result<map::Layout> padded(const Continued& from, std::span<const Index> size) {
  auto logical = box_of(from, size);
  if (!logical) return logical.error();
  if (from.stages) return made(from, std::move(*logical), *from.stages);
  auto stages = stages_by_digits(from.layout, size, from.doubtful);
  if (!stages) return stages.error();
  return made(from, std::move(*logical), std::move(*stages));
}

Result<map::Layout> over_region(const Continued& from, const map::Layout& over, Region region) {
  std::vector<map::Dim> dims = from.layout.logical().dims();
  map::Affine enter;
  for (std::size_t d = 0; d < over.domain().rank(); ++d) enter.rows.push_back(map::pick(d));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if ((region >> d & 1) == 0) continue;
    enter.rows[d].constant = dims[d].extent;
    dims[d].extent = over.logical().extent(d) - dims[d].extent;
  }
  auto logical = map::Space::create(std::move(dims));
  if (!logical) return logical.error();
  std::vector<map::Stage> stages{std::move(enter)};
  stages.insert(stages.end(), over.map().stages().begin(), over.map().stages().end());
  return made(from, std::move(*logical), std::move(stages));
}

std::vector<Region> regions_of(std::span<const Index> valid, std::span<const Index> size) {
  Region widened = 0;
  for (std::size_t d = 0; d < valid.size(); ++d) widened |= Region{size[d] > valid[d]} << d;
  std::vector<Region> out;
  for (Region region = widened; region != 0; region = (region - 1) & widened)
    if (count_of(region, valid, size) > 0) out.push_back(region);
  std::ranges::reverse(out);
  return out;
}

Index count_of(Region region, std::span<const Index> valid, std::span<const Index> size) {
  Index out = 1;
  for (std::size_t d = 0; d < valid.size(); ++d) out *= (region >> d & 1) != 0 ? size[d] - valid[d] : valid[d];
  return out;
}

std::string in_words(const Continued& from, std::span<const Index> slot) {
  if (from.shards) {
    const InShard at = place_in(*from.shards, slot);
    const auto list = [](std::span<const Index> part) { return fmt::format("[{}]", fmt::join(part, ", ")); };
    std::string out;
    if (checked_product(from.shards->grid) != 1) out = fmt::format("core {}, ", list(at.core));
    if (std::ranges::all_of(from.shards->tile, [](Index side) { return side == 1; }))
      return out + fmt::format("element {} of its shard", list(at.tile));
    const std::span<const Index> datum = at.datum;
    out += fmt::format("tile {}", list(at.tile));
    if (from.shards->face != from.shards->tile) out += fmt::format(", face {}", list(at.face));
    if (datum.size() > 1) out += fmt::format(", row {}", datum[datum.size() - 2]);
    return out + fmt::format(", lane {}", datum.back());
  }
  const auto& dims = from.layout.physical().dims();
  if (!from.layout.named_axes() && !slot.empty())
    return fmt::format("stick [{}], lane {}", fmt::join(slot.first(slot.size() - 1), ", "), slot.back());
  std::string out;
  for (std::size_t j = 0; j < dims.size(); ++j) out += fmt::format("{}{} {}", j > 0 ? ", " : "", dims[j].name, slot[j]);
  return out;
}

}  // namespace vl::use
