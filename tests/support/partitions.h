// Layouts that tests divide among cores, and the claim asked of them.
#pragma once

#include "encodings/spyre/spyre.h"
#include "tests/support/spyre_brute.h"
#include "verifier/claims/claim.h"

namespace vl::test::partitions {

using claims::Divided;
using claims::Judged;

inline constexpr int kBits = 16;

struct Laid {
  std::vector<Index> size;
  map::Layout layout;
};

inline Laid laid(std::vector<Index> size, std::vector<Index> device_size, std::vector<Index> stride_map,
                 std::optional<std::vector<Index>> strides = {}, Index view_offset = 0) {
  map::Tensor tensor;
  tensor.size = size;
  tensor.strides = std::move(strides);
  tensor.view_offset = view_offset;
  auto layout = spyre::lower(raw_layout(std::move(device_size), std::move(stride_map)), tensor);
  VL_CHECK(layout.has_value(), "a layout of the test");
  return {std::move(size), std::move(*layout)};
}

inline use::Division division_of(std::vector<Index> splits, std::size_t rank) {
  use::Division division;
  division.splits = std::move(splits);
  return *use::fitted(std::move(division), rank);
}

inline Judged ask(const Laid& l, const use::Division& division) {
  return claims::decide(*claims::find_claim("partition"), Divided{l.layout, division, kBits}, {});
}

}  // namespace vl::test::partitions
