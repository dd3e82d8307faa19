// Single faults planted in a transfer: one number of one nest off by one, or two strides of one walk swapped.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "encodings/use/transfer.h"

namespace vl::test::s2 {

/// Calls visit(nest number, what, the faulty transfer) for every single-field fault: each extent, stride and offset ±1,
/// each pair of different strides of a walk swapped. A nest of rank 4 has 2·4 + 2·(2·4 + 2) + 2·6 = 40 at most.
template <typename Visit>
void for_each_fault(const use::Transfer& right, Visit visit) {
  use::Transfer faulty = right;
  for (std::size_t n = 0; n < faulty.nests.size(); ++n) {
    use::Nest& nest = faulty.nests[n];
    const auto nudge = [&](Index& field, const std::string& what) {
      for (const Index step : {Index{1}, Index{-1}}) {
        field += step;
        visit(n, fmt::format("nest {}: {} {:+d}", n, what, step), std::as_const(faulty));
        field -= step;
      }
    };
    for (std::size_t k = 0; k < nest.extents.size(); ++k) nudge(nest.extents[k], fmt::format("extent {}", k));
    for (const auto& [walk, side] : {std::pair{&nest.source, "source"}, std::pair{&nest.destination, "destination"}}) {
      nudge(walk->offset, fmt::format("{} offset", side));
      for (std::size_t k = 0; k < nest.extents.size(); ++k)
        nudge(walk->strides[k], fmt::format("{} stride {}", side, k));
      for (std::size_t k = 0; k < nest.extents.size(); ++k)
        for (std::size_t l = k + 1; l < nest.extents.size(); ++l) {
          if (walk->strides[k] == walk->strides[l]) continue;
          std::swap(walk->strides[k], walk->strides[l]);
          visit(n, fmt::format("nest {}: {} strides {} and {} swapped", n, side, k, l), std::as_const(faulty));
          std::swap(walk->strides[k], walk->strides[l]);
        }
    }
  }
}

}  // namespace vl::test::s2
