// Loop nests of a rule: a transfer (transfer.h) with expressions for numbers, between the host and the layout that the
// rule is at any sizes; or between the layouts of two rules over one tensor.
//
// Example: f16[N] on sticks of 64 is two nests, one of which moves nothing at some sizes:
//   {extents [N//64, 64], host strides [64,1] from 0, device strides [64,1] from 0}
//   {extents [1, N % 64], host strides [64,1] from 64*(N//64), device strides [64,1] from 64*(N//64)}
#pragma once

#include "encodings/map/rule.h"
#include "encodings/use/transfer.h"

namespace vl::use {

struct RuleWalk {
  std::vector<map::Expression> strides;
  map::Expression offset;
};

struct RuleNest {
  std::vector<map::Expression> extents;
  RuleWalk host, device;  // of a move between devices, the host's walk says which elements are moved
  RuleWalk from = {};     // of a move between devices
};

struct RuleTransfer {
  Direction direction = Direction::HostToDevice;
  std::vector<RuleNest> nests;
};

/// Whether some number of the nests is none without sizes.
[[nodiscard]] bool has_expressions(const RuleTransfer& transfer);

/// The transfer at some sizes, nest by nest: one that moves nothing stays, so that nests keep their numbers. Errors:
/// those of the expressions, and problem_of of nests that move something.
[[nodiscard]] Result<Transfer> instance(const RuleTransfer& transfer, const map::Sizes& sizes);

/// Nests for a rule whose places are its digits: each dimension is one loop, or sticks and the lanes of one, with a
/// nest of its own for the last stick if that is not full. Of a rule whose places are sums of digits, without replicas
/// and without a swizzle: one loop a level. What is found is to be proved. Error: Value where a dimension is neither,
/// or no sizes are found at which to look. Requires: not DeviceToDevice.
[[nodiscard]] Result<RuleTransfer> synthesise(const map::Rule& rule, Direction direction);

/// The same from one layout into another of the same tensor: a dimension that has sticks in one of them, or sticks of
/// as many lanes in both, is cut. Example: f16[M,N] with sticks along N into sticks along M has four nests, of full and
/// ragged sticks on either side.
[[nodiscard]] Result<RuleTransfer> synthesise(const map::Rule& from, const map::Rule& to);

/// Nests between devices with the elements that they move (`host`), of which only the walks of the two devices are
/// given: those that the digits of `from` tell of its walk, or those of `to`. Nothing where a step or an offset is
/// along no digit, and of layouts whose places are no digits. What is found is to be proved. Example: from f16[M,N] in
/// sticks along N, a step of 64 is one row, N elements; one of 64*M is a stick, 64 elements.
[[nodiscard]] std::optional<RuleTransfer> with_elements(RuleTransfer transfer, const map::Rule& from,
                                                        const map::Rule& to);

}  // namespace vl::use
