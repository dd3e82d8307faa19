// Division: the division of the work on a tensor among cores. Each dimension of the operation is cut into equal slices,
// and a core's number is the mixed-radix number of its slice:
//
//   core = Σ k_d·place_d,   place_d = the product of the splits of the dimensions that are faster than d
//
// with the dimensions from the fastest to the slowest in `order`. In upstream's code the first dimension is the
// fastest; in its older document (work_division_codegen.md) it is the last one: splits [2,4,1] give core 1 slice
// [0,1,0] and core 4 slice [1,0,0].
//
// A given result of a division can be stated beside it, as one box of elements per core (`slices`). Both are data; the
// claim `partition` judges them.
//
// Worked example: f16[8,128] on sticks of 64, splits [4,2]. Dimension 1 is the stick's and has 2 sticks, so each core
// has 2 rows of 1 stick; core 5 has slice [1,1], elements [2:4, 64:128].
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::use {

/// The coordinates begin <= x < end; empty if end <= begin.
struct Interval {
  Index begin = 0;
  Index end = 0;

  bool operator==(const Interval&) const = default;
};

/// One interval per dimension of the tensor.
using Slice = std::vector<Interval>;

struct Division {
  std::vector<Index> splits;       // one per dimension of the operation, >= 1; empty if only slices are given
  std::vector<Index> scales;       // the tensor's dimension of each; negative: the tensor lacks it (broadcast, reduced)
  std::vector<std::size_t> order;  // the operation's dimensions, fastest first
  bool last_fastest = false;       // the order, while `order` is not filled in
  Index cores = 32;
  Index span = Index{256} << 20;  // bytes that one core may reach
  Index stick = 0;            // elements per stick, by which a stick dimension is counted, if more than the layout's
  std::vector<Index> sticks;  // the operation's dimensions that lie along the sticks of another operand
  std::optional<std::vector<Slice>> slices;  // one per core

  bool operator==(const Division&) const = default;
};

/// The most cores and the most slices that a division may have.
constexpr Index kMostCores = 4096;

/// Reads `[4,1,8] cores=32 order=last-fastest`. At least one of splits and slices must be given; the rest is optional:
///   [4,1,8] | splits=[4,1,8]    scales=[0,-1,1]    cores=32    span=268435456    stick=128    sticks=[2]
///   order=first-fastest|last-fastest|[2,0,1]       slices=[[0:64],[64:67]]
/// Errors: Syntax, Value (a split below 1, a part given twice, cores outside 1..kMostCores), Overflow.
[[nodiscard]] Result<Division> parse_division(std::string_view text);
/// `0:64, 0:5`, one begin:end per dimension. Negative and reversed bounds are read, because the claim judges them.
[[nodiscard]] Result<Slice> parse_slice(std::string_view text);

/// The division with scales and order filled in, for a tensor of this rank. Errors: Shape if lengths differ; Value for
/// scales, sticks or an order that name a dimension twice or one that does not exist, for splits below 1, a negative
/// limit, cores outside 1..kMostCores, and a stick without splits.
[[nodiscard]] Result<Division> fitted(Division division, std::size_t rank);

/// The slice number of each of the operation's dimensions. Requires: fitted; 0 <= core < the product of the splits.
/// [2,4,1], last fastest: core 5 is [1,1,0].
[[nodiscard]] std::vector<Index> slice_numbers(const Division& division, Index core);

}  // namespace vl::use
