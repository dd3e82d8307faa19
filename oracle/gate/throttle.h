// Throttle: one frequent finding does not hide the others. A campaign's numbers are cut into windows of 16,384. The
// first 1,024 of a window scout: all are asked. A signature that 16 of them have, under every value of the operation's
// convention, is known in the rest of the window, and of the cases with its class and all its features only one in 16
// is asked; the others are counted as throttled. So what is asked depends on the numbers of one window alone, and not
// on threads; shards begin at windows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/gate/totals.h"

namespace vl::gate {

constexpr std::uint64_t kWindow = 16'384, kScouts = 1'024, kHits = 16, kAskedOf = 16;

/// What a known signature says of a case: its operation, its class and its features.
struct KnownKind {
  std::string family, op, type;
  std::vector<std::string> features;

  [[nodiscard]] bool has(const Case& of) const;
};

/// The known kinds of rows that hold what the scouts found. Faults that say nothing about a case are none.
[[nodiscard]] std::vector<KnownKind> known_kinds(const std::vector<OpTotals>& rows);

/// Whether a case is left out.
[[nodiscard]] bool is_throttled(const std::vector<KnownKind>& known, const Case& of, std::uint64_t index);

}  // namespace vl::gate
