// SpyreTensorLayout -> map::Layout. The stride_map form splits one flat host offset greedily, by its blueprint; the
// dim_map form splits each host coordinate separately.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/arrangement.h"
#include "encodings/spyre/blueprint.h"

namespace vl::spyre {
namespace {

using map::Affine;
using map::Row;
using map::Split;
using map::Stage;
using map::Term;

Row constant(Index value) { return Row{value, {}}; }

// Digits of the greedy split, each split further by its own factors: rows over the split's outputs.
class Digits {
 public:
  // The digit of the next weight, by its factors, largest first; the last factor is 1.
  std::vector<Row> take(Index weight, std::span<const Index> factors) {
    std::vector<Row> parts;
    for (const Index factor : factors) {
      const auto product = checked_mul(weight, factor);
      const bool zero = !product || (!weights_.empty() && *product > weights_.back());  // the rest is smaller
      parts.push_back(zero ? constant(0) : map::pick(weights_.size()));
      if (!zero) weights_.push_back(*product);
    }
    return parts;
  }
  [[nodiscard]] std::vector<Index> weights() && { return std::move(weights_); }

 private:
  std::vector<Index> weights_;
};

// Σ of a row's terms over parts that are picks or zero.
Row over(const Row& row, std::span<const Row> parts) {
  Row out;
  for (const Term& term : row.terms)
    for (const Term& pick : parts[term.input].terms) out.terms.push_back({pick.input, term.coefficient});
  auto sorted = map::canonical(std::move(out));
  VL_CHECK(sorted.has_value(), "a rearrangement overflows");
  return std::move(*sorted);
}

// The levels of the split and the place of each digit; the stick's digits are arranged.
std::vector<Index> place_digits(const SpyreTensorLayout& layout, const Arranged& arranged,
                                std::span<const std::size_t> levels, Affine& place) {
  static constexpr Index kWhole[] = {1};
  const bool staggered = arranged.kind == Arranged::Kind::Widened || arranged.kind == Arranged::Kind::Narrowed;
  const std::size_t stick = layout.device_size.size() - 1;
  const Rearrangement to = staggered ? rearrange(arranged.kind) : Rearrangement{};
  const bool counts = !to.count_factors.empty();
  std::vector<Row> count(to.count_factors.size(), constant(0));
  std::vector<Row> lane(to.lane_factors.size(), constant(0));
  Digits digits;
  for (const std::size_t j : levels) {
    if (staggered && j == stick) lane = digits.take(layout.stride_map[j], to.lane_factors);
    else if (counts && j == arranged.sticks) count = digits.take(layout.stride_map[j], to.count_factors);
    else place.rows[j] = digits.take(layout.stride_map[j], kWhole).front();
  }
  if (staggered) {
    std::vector<Row> parts = count;
    parts.insert(parts.end(), lane.begin(), lane.end());
    if (counts) place.rows[arranged.sticks] = over(to.count, parts);
    place.rows[stick] = over(to.lane, parts);
  }
  return std::move(digits).weights();
}

// Before a decode: puts arranged places back into order.
std::vector<Stage> in_order(const SpyreTensorLayout& layout, Arranged::Kind kind, std::size_t sticks) {
  const std::size_t rank = layout.device_size.size();
  const Rearrangement back = restore(kind);
  const bool counts = !back.count_factors.empty();
  std::vector<Stage> stages{Split{rank - 1, back.lane_factors}};
  if (counts) stages.push_back(Split{sticks, back.count_factors});
  // The inputs are now the dimensions, with the count as two parts at its place, and the lane as four parts at the end.
  std::vector<Row> parts;
  for (std::size_t k = 0; k < back.count_factors.size(); ++k) parts.push_back(map::pick(sticks + k));
  const std::size_t lane = rank - 1 + (counts ? back.count_factors.size() - 1 : 0);
  for (std::size_t k = 0; k < back.lane_factors.size(); ++k) parts.push_back(map::pick(lane + k));
  Affine gather;
  for (std::size_t j = 0; j + 1 < rank; ++j)
    gather.rows.push_back(counts && j == sticks
                              ? over(back.count, parts)
                              : map::pick(j + (counts && j > sticks ? back.count_factors.size() - 1 : 0)));
  gather.rows.push_back(over(back.lane, parts));
  stages.emplace_back(std::move(gather));
  return stages;
}

// A layout in order, with the elements of its sticks in other places. The identity is about coordinates in order.
Result<map::Layout> arrange(const map::Layout& plain, const SpyreTensorLayout& layout, const Arranged& arranged) {
  const std::size_t rank = layout.device_size.size();
  std::vector<std::size_t> levels;    // device dimensions that take a digit, in the order of the greedy split
  std::vector<std::size_t> replicas;  // device dimensions that every element fills
  for (std::size_t j = 0; j < rank; ++j) {
    if (layout.device_size[j] <= 1) continue;
    if (layout.stride_map[j] > 0) levels.push_back(j);
    if (layout.stride_map[j] == 0) replicas.push_back(j);
  }
  std::ranges::stable_sort(levels,
                           [&](std::size_t a, std::size_t b) { return layout.stride_map[a] > layout.stride_map[b]; });
  map::LayoutParts parts = map::parts_in(plain, plain.physical());
  Affine place{std::vector<Row>(rank, constant(0))};
  Split split{0, place_digits(layout, arranged, levels, place)};
  parts.guards = split.weights.empty() || split.weights.back() != 1 ? 1 : 0;
  if (parts.guards == 1) split.weights.push_back(1);
  const std::size_t digits = split.weights.size();
  for (std::size_t r = 0; r < replicas.size(); ++r) place.rows[replicas[r]] = map::pick(digits + r);
  if (parts.guards == 1) place.rows.push_back(map::pick(digits - 1));
  parts.map = {plain.map().stages().front(), std::move(split), std::move(place)};
  parts.decode_guards = 1;
  if (plain.decode()) {
    parts.decode = in_order(layout, arranged.kind, arranged.sticks);
    std::ranges::copy(plain.decode()->stages(), std::back_inserter(*parts.decode));
  }
  return map::Layout::create(std::move(parts));
}

Result<map::Layout> lower_strided(const SpyreTensorLayout& layout, const map::Tensor& tensor,
                                  const Arranged& arranged) {
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  auto blueprint = device_of(layout.device_size, tensor, std::move(host->strides));
  add_levels(blueprint, layout.stride_map);
  auto plain = map::layout_of(blueprint, std::move(host->logical), std::move(host->offset));
  if (!plain || arranged.kind == Arranged::Kind::InOrder) return plain;
  return arrange(*plain, layout, arranged);
}

// QFP8WT: the device offset of (k, n) over the box [⌈N/128⌉, K, 128]. With n = 128·m + 64·p + r and k = 2·i + j, the
// offset is 128·K·m + 64·K·p + 128·i + 2·r + j: slot (m, K/2·p + i, 2·r + j).
Result<map::Layout> lower_weights(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  auto physical = map::Space::create(map::Space::dims("d", layout.device_size));
  if (!physical) return physical.error();
  map::LayoutParts parts;
  parts.logical = std::move(host->logical);
  parts.physical = std::move(*physical);
  parts.host_offset = std::move(host->offset);
  const Index half = tensor.size[0] / 2;
  parts.map = {Split{1, {128, 64, 1}}, Split{0, {2, 1}},  // i j m p r
               Affine{{map::pick(2), Row{0, {{0, 1}, {3, half}}}, Row{0, {{1, 1}, {4, 2}}}}}};
  parts.decode = {Split{2, {2, 1}}, Split{1, {half, 1}},  // m p i r j
                  Affine{{Row{0, {{2, 2}, {4, 1}}}, Row{0, {{0, 128}, {1, 64}, {3, 1}}}}}};
  return map::Layout::create(std::move(parts));
}

Result<map::Layout> lower_dim_map(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  if (tensor.view_offset != 0)
    return Error{ErrorCode::Value, "a dim_map cannot express a view offset; expected a stride_map"};
  const auto host_rank = static_cast<Index>(tensor.size.size());
  for (const Index dim : layout.dim_map)
    if (dim >= host_rank)
      return Error{ErrorCode::Shape,
                   fmt::format("dim_map names host dimension {}, the tensor has rank {}", dim, host_rank)};
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  auto blueprint = device_of(layout.device_size, tensor, std::move(host->strides));
  blueprint.decodes = true;
  if (auto error = add_numbers(blueprint, layout.dim_map)) return *error;
  return map::layout_of(blueprint, std::move(host->logical), std::move(host->offset));
}

}  // namespace

Result<map::Layout> lower(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  const auto known = arrangement_of(layout, tensor);
  const auto* found = std::get_if<Arranged>(&known);
  const Arranged arranged = found != nullptr ? *found : Arranged{};
  auto lowered = layout.stride_map.empty()                  ? lower_dim_map(layout, tensor)
                 : arranged.kind == Arranged::Kind::Weights ? lower_weights(layout, tensor)
                                                            : lower_strided(layout, tensor, arranged);
  if (lowered || lowered.error().code != ErrorCode::Overflow) return lowered;
  return Error{ErrorCode::Overflow, "sizes times strides do not fit in 64 bits: " + lowered.error().message};
}

}  // namespace vl::spyre
