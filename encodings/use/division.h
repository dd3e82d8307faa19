// Division: how the work on a tensor is dealt to cores. Each dimension of the operation is cut into equal slices, and a
// core number is the mixed-radix number of its slice:
//
//   core = Σ k_d·place_d,   place_d = the product of the splits of the dimensions that are faster than d
//
// with the dimensions from the fastest to the slowest in `order`. Upstream lets the first dimension run fastest; its
// older document (work_division_codegen.md) the last: splits [2,4,1] give core 1 slice [0,1,0] and core 4 slice
// [1,0,0].
//
// What somebody else made of a division can be stated beside it, as one box of elements a core (`slices`); both are
// data to be judged by the claim `partition`.
//
// Worked example: f16[8,128] on sticks of 64, splits [4,2]. Dimension 1 is the stick's and counts 2 sticks, so each
// core has 2 rows of 1 stick; core 5 is slice [1,1], elements [2:4, 64:128].
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::use {

/// The coordinates begin <= x < end; empty when end <= begin.
struct Interval {
  Index begin = 0;
  Index end = 0;

  bool operator==(const Interval&) const = default;
};

/// One interval a dimension of the tensor.
using Slice = std::vector<Interval>;

struct Division {
  std::vector<Index> splits;       // one a dimension of the operation, >= 1; empty where only slices are given
  std::vector<Index> scales;       // the tensor's dimension of each; negative: the tensor lacks it (broadcast, reduced)
  std::vector<std::size_t> order;  // the operation's dimensions, fastest first
  bool last_fastest = false;       // the order, while `order` is not filled in
  Index cores = 32;
  Index span = Index{256} << 20;  // bytes that one core may reach
  Index stick = 0;                // elements per stick that a stick dimension is counted in, if more than the layout's
  std::vector<Index> sticks;      // the operation's dimensions that lie along the sticks of another operand
  std::optional<std::vector<Slice>> slices;  // one a core

  bool operator==(const Division&) const = default;
};

/// The most cores and the most slices that a division may have.
constexpr Index kMostCores = 4096;

/// Reads `[4,1,8] cores=32 order=last-fastest`. Every part is optional but one of splits and slices:
///   [4,1,8] | splits=[4,1,8]   scales=[0,-1,1]   cores=32   order=first-fastest|last-fastest|[2,0,1]   span=268435456
///   stick=128   sticks=[2]   slices=[[0:64],[64:67]]
/// Errors: Syntax, Value (a split below 1, a twice given part, cores outside 1..kMostCores), Overflow.
[[nodiscard]] Result<Division> parse_division(std::string_view text);
/// `0:64, 0:5`, one begin:end a dimension. Negative and reversed bounds are read: they are to be judged.
[[nodiscard]] Result<Slice> parse_slice(std::string_view text);

/// The division with scales and order filled in, for a tensor of this rank. Errors: Shape when lengths differ, Value
/// for scales, sticks or an order that name a dimension twice or one that does not exist, for splits below 1, a
/// negative limit and cores outside 1..kMostCores.
[[nodiscard]] Result<Division> fitted(Division division, std::size_t rank);

/// The slice number of each of the operation's dimensions. Requires: fitted; 0 <= core < the product of the splits.
/// [2,4,1], last fastest: core 5 is [1,1,0].
[[nodiscard]] std::vector<Index> slice_numbers(const Division& division, Index core);

}  // namespace vl::use
