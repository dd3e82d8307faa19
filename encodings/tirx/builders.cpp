#include "encodings/tirx/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace vl::tirx {
namespace {

constexpr Index kLanes = 32;        // the lanes of tensor memory that one warp reaches
constexpr Index kFactorsACell = 4;  // scale factors of 8 bits in a cell of tensor memory
constexpr Index kPartitions = 128;
constexpr Index kBankElements = 512;  // of a PSUM bank

Error value_error(std::string message) { return {ErrorCode::Value, std::move(message), 0}; }
Error beyond_64_bits() { return {ErrorCode::Overflow, "the layout has more than 2^63 elements", 0}; }

/// Without unit iters, and with neighbours joined that continue each other; at least one iter stays.
std::vector<Iter> joined(const std::vector<Iter>& iters) {
  std::vector<Iter> out;
  for (const Iter& iter : iters) {
    if (iter.extent == 1) continue;
    if (!out.empty() && out.back().axis == iter.axis && checked_mul(iter.extent, iter.stride) == out.back().stride) {
      out.back() = {out.back().extent * iter.extent, iter.stride, iter.axis};
    } else {
      out.push_back(iter);
    }
  }
  if (out.empty()) out.push_back({1, 1, iters.front().axis});
  return out;
}

/// Row-major strides. Errors: an extent that is not a count, or a product that leaves 64 bits.
Result<std::vector<Index>> strides_of(std::span<const Index> extents) {
  std::vector<Index> strides(extents.size(), 1);
  Index product = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (extents[k] < 1) return value_error(fmt::format("an extent is {}, and must be at least 1", extents[k]));
    strides[k] = product;
    const auto next = checked_mul(product, extents[k]);
    if (!next) return beyond_64_bits();
    product = *next;
  }
  return strides;
}

Index rows_of(char datapath) {
  switch (datapath) {
    case 'A':
    case 'D': return 128;
    case 'B':
    case 'C':
    case 'E':
    case 'F': return 64;
    case 'G': return 32;
    default: return 0;
  }
}

}  // namespace

Result<TileLayout> tmem_datapath(char datapath, Index rows, Index cols, Index sub_slab) {
  const Index expected = rows_of(datapath);
  if (expected == 0) return value_error(fmt::format("there is no datapath '{}': A to G", datapath));
  if (rows != expected) return value_error(fmt::format("datapath {} has {} rows, not {}", datapath, expected, rows));
  if (cols < 1) return value_error(fmt::format("{} columns, and there must be at least 1", cols));
  const bool scattered = datapath == 'C' || datapath == 'F';
  if (sub_slab != 0 && !(scattered && sub_slab == 1))
    return value_error(fmt::format("datapath {} has no sub_slab {}", datapath, sub_slab));
  if (const auto all = checked_mul(rows, cols); !all) return beyond_64_bits();
  TileLayout out;
  if (scattered) {
    out.shard = {{4, 32, Axis::TLane}, {16, 1, Axis::TLane}, {cols, 1, Axis::TCol}};
    if (sub_slab == 1) out.offset = {{Axis::TLane, 16}};
    return out;
  }
  const Index folds = 128 / rows;  // column blocks side by side over the lanes
  if (cols % folds != 0) return value_error(fmt::format("{} columns cannot be cut into {} blocks", cols, folds));
  out.shard = {{rows, 1, Axis::TLane}};
  if (folds > 1) out.shard.push_back({folds, rows, Axis::TLane});
  out.shard.push_back({cols / folds, 1, Axis::TCol});
  return out;
}

Result<TileLayout> sf_tmem_layout(const ScaleFactors& wanted) {
  const auto [rows, factors, per_mma, reuse, stages] = wanted;
  if (rows < kLanes || rows % kLanes != 0) return value_error(fmt::format("{} rows are not a multiple of 32", rows));
  if (per_mma != 1 && per_mma != 2 && per_mma != 4)
    return value_error(fmt::format("an MMA reads 1, 2 or 4 scale factors, not {}", per_mma));
  if (factors < 1 || factors % per_mma != 0)
    return value_error(
        fmt::format("{} scale factors are not a multiple of the {} that an MMA reads", factors, per_mma));
  if (reuse < 1 || stages.value_or(1) < 1) return value_error("reuse and pipe_depth must be at least 1");
  const Index groups = rows / kLanes;
  const Index steps = factors / per_mma;   // along K
  Index packed = kFactorsACell / per_mma;  // steps that share a cell
  while (packed > 1 && steps % packed != 0) packed /= 2;
  const Index stage = groups * kFactorsACell;  // rows / 8: no overflow
  const std::vector<Index> extents = {stages.value_or(1), groups, kLanes, steps / packed, packed, per_mma, reuse};
  if (const auto strides = strides_of(extents); !strides) return strides.error();
  TileLayout out;
  const auto add = [&](Index extent, Index stride, Axis axis) {
    if (extent > 1) out.shard.push_back({extent, stride, axis});
  };
  add(stages.value_or(1), stage, Axis::TCol);
  add(groups, kFactorsACell, Axis::TCol);
  add(kLanes, 1, Axis::TLane);
  add(steps / packed, stage, Axis::TCol);
  add(packed, per_mma, Axis::TCol);
  add(per_mma, 1, Axis::TCol);
  add(reuse, 0, Axis::TCol);
  out.replica = {{4, kLanes, Axis::TLane}};
  return out;
}

namespace {

/// F continues over banks: iters that count whole banks go to the axis Bank, and an iter that crosses a bank is cut.
Result<std::vector<Iter>> in_banks(const std::vector<Iter>& shard) {
  std::vector<Iter> out;
  for (const Iter& iter : shard) {
    const Index steps = iter.stride < kBankElements ? kBankElements / iter.stride : 1;  // steps within a bank
    const bool divides = iter.stride < kBankElements && kBankElements % iter.stride == 0;
    if (iter.axis != Axis::F || (divides && iter.extent < steps)) {
      out.push_back(iter);
    } else if (iter.stride % kBankElements == 0) {
      out.push_back({iter.extent, iter.stride / kBankElements, Axis::Bank});
    } else if (kBankElements % iter.stride != 0) {
      return value_error(fmt::format("a stride of {} does not divide a PSUM bank of 512 elements", iter.stride));
    } else if (iter.extent % steps != 0) {
      return value_error(fmt::format("{} steps of {} fill no PSUM banks of 512 elements", iter.extent, iter.stride));
    } else {
      out.push_back({iter.extent / steps, 1, Axis::Bank});
      out.push_back({steps, iter.stride, Axis::F});
    }
  }
  return out;
}

/// Gives the dimensions of one letter their row-major strides.
void deal(std::vector<Iter>& iters, Axis axis, Index first) {
  Index stride = first;
  for (std::size_t k = iters.size(); k-- > 0;) {
    if (iters[k].axis != axis) continue;
    iters[k].stride = stride;
    stride *= iters[k].extent;  // within the shape's product, which fits
  }
}

}  // namespace

Result<TileLayout> trainium(std::string_view letters, std::span<const Index> shape, bool psum) {
  if (letters.size() != shape.size())
    return Error{ErrorCode::Shape, fmt::format("{} letters for {} dimensions", letters.size(), shape.size()), 0};
  if (letters.empty()) return Error{ErrorCode::Shape, "a tensor without dimensions", 0};
  if (const auto strides = strides_of(shape); !strides) return strides.error();
  std::vector<Iter> iters;
  Index partitions = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (letters[d] != 'P' && letters[d] != 'F') return value_error(fmt::format("'{}' is neither P nor F", letters[d]));
    iters.push_back({shape[d], 0, letters[d] == 'P' ? Axis::P : Axis::F});
    if (letters[d] == 'P') partitions *= shape[d];
  }
  const bool several = std::ranges::count(letters, 'P') > 1;
  if (partitions > kPartitions && (several || partitions % kPartitions != 0))
    return value_error(several ? fmt::format("{} partitions, and there are 128", partitions)
                               : fmt::format("{} partitions are not a multiple of 128", partitions));
  deal(iters, Axis::F, 1);
  if (partitions > kPartitions) {
    Index free = 1;
    for (const Iter& iter : iters) free *= iter.axis == Axis::F ? iter.extent : 1;
    const auto cut = std::ranges::find(iters, Axis::P, &Iter::axis);
    *cut = {kPartitions, 0, Axis::P};
    iters.insert(cut, {partitions / kPartitions, free, Axis::F});
  }
  deal(iters, Axis::P, 1);
  TileLayout out;
  out.shard = iters;
  if (psum) {
    auto banked = in_banks(iters);
    if (!banked) return banked.error();
    out.shard = std::move(*banked);
  }
  return out;
}

Result<SwizzleLayout> mma_atom_layout(Index element_bits, Index mode) {
  if (element_bits < 1 || element_bits > 128 || 128 % element_bits != 0)
    return value_error(fmt::format("elements of {} bits do not fill 16 bytes", element_bits));
  if (mode < 0 || mode > 3) return value_error(fmt::format("there is no swizzle mode {}: 0 to 3", mode));
  const int run = std::countr_zero(static_cast<unsigned>(128 / element_bits));
  return SwizzleLayout{run, static_cast<int>(mode), 3, true};
}

Result<Layout> mma_shared_layout(Index element_bits, Index mode, std::span<const Index> shape) {
  auto swizzle = mma_atom_layout(element_bits, mode);
  if (!swizzle) return swizzle.error();
  if (shape.size() < 2) return Error{ErrorCode::Shape, "an operand has rows and columns: at least two dimensions", 0};
  auto strides = strides_of(shape);
  if (!strides) return strides.error();
  const Index rows = shape[shape.size() - 2];
  const Index cols = shape.back();
  const Index width = (Index{128} << mode) / element_bits;  // of a panel, in elements
  VL_CHECK(width > 0, "mma_atom_layout accepts no wider elements");
  std::vector<Iter> iters;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) iters.push_back({shape[d], (*strides)[d], Axis::M});
  if (mode == 0 && cols % width != 0) {
    iters.push_back({rows, cols, Axis::M});
    iters.push_back({cols, 1, Axis::M});
  } else {
    if (cols % width != 0)
      return Error{ErrorCode::Shape, fmt::format("{} columns are not a multiple of a swizzle atom's {}", cols, width),
                   0};
    if (mode > 0 && rows % 8 != 0)
      return Error{ErrorCode::Shape, fmt::format("{} rows are not a multiple of a swizzle atom's 8", rows), 0};
    iters.push_back({rows, width, Axis::M});
    iters.push_back({cols / width, rows * width, Axis::M});
    iters.push_back({width, 1, Axis::M});
  }
  Layout out;
  out.tile = TileLayout{joined(iters), {}, {}};
  if (mode > 0) out.swizzle = *swizzle;
  return out;
}

}  // namespace vl::tirx
