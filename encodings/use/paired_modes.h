// Paired modes: modes of which several numbers change at once, for findings that no single number makes plainer: their
// fault needs numbers that belong together, such as an extent and the strides behind it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::use {

/// The power of two that is at most, or at least, a number's distance from 0, with its sign; 0 for 0.
[[nodiscard]] inline Index power_beside(Index value, bool up) {
  if (value == 0 || value < -(Index{1} << 60) || value > Index{1} << 60) return value;
  const auto far = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const auto power = static_cast<Index>(up ? std::bit_ceil(far) : std::bit_floor(far));
  return value < 0 ? -power : power;
}

/// Gives modes strides without gaps in an order, the first one `scale`; `gap` more behind each mode, and with the signs
/// that they had. False if they would be too large.
template <class Mode>
[[nodiscard]] bool give_dense_strides(std::vector<Mode>& modes, const std::vector<std::size_t>& order, Index scale,
                                      Index gap, bool signs) {
  Index stride = scale;
  for (const std::size_t k : order) {
    modes[k].stride = signs && modes[k].stride < 0 ? -stride : stride;
    const auto next = checked_mul(stride, modes[k].extent);
    if (!next || *next > Index{1} << 60) return false;
    stride = *next + gap;
  }
  return true;
}

/// Takes `modes` with other strides: powers of two beside them; without gaps, in every order of up to four modes, else
/// in those in which they lie and are counted; the least stride 1, or a power of two below the least one; with a gap of
/// 1; with the signs that they had.
template <class Mode, class Take>
void with_paired_strides(const std::vector<Mode>& modes, bool first_is_fastest, const Take& take) {
  constexpr std::size_t kMostOrdered = 4;
  for (const bool up : {true, false}) {
    std::vector<Mode> next = modes;
    for (Mode& mode : next) mode.stride = power_beside(mode.stride, up);
    take(next);
  }
  std::vector<std::size_t> counted(modes.size());
  std::iota(counted.begin(), counted.end(), std::size_t{0});
  std::vector<std::size_t> order = counted;
  if (!first_is_fastest) std::ranges::reverse(counted);
  const auto distance = [&](std::size_t k) {
    return modes[k].stride < 0 ? -(modes[k].stride + 1) + 1 : modes[k].stride;
  };
  std::vector<std::size_t> lying = counted;
  std::ranges::stable_sort(lying, {}, distance);
  Index least = 1;
  for (const std::size_t k : lying)
    if (least == 1) least = std::max<Index>(1, power_beside(distance(k), false));
  const auto dense = [&](const std::vector<std::size_t>& by, Index scale, Index gap, bool signs) {
    std::vector<Mode> next = modes;
    if (give_dense_strides(next, by, scale, gap, signs)) take(next);
  };
  for (const bool signs : {false, true}) dense(lying, 1, 0, signs), dense(counted, 1, 0, signs);
  if (least > 1)
    for (const bool signs : {false, true}) dense(lying, least, 0, signs), dense(counted, least, 0, signs);
  if (modes.size() <= kMostOrdered) do
      dense(order, least, 0, false);
    while (std::ranges::next_permutation(order).found);
  dense(lying, 1, 1, false), dense(counted, 1, 1, false);
}

/// Takes `modes` with extents as they are, or rounded to powers of two, or without one of the modes, each with its
/// strides and with those of with_paired_strides(); and with one extent and its stride multiplied and divided by the
/// same power of two. Example: 5:3, 2:7 gives 8:4, 2:8 and 4:8, 8:1.
template <class Mode, class Take>
void paired_modes(const std::vector<Mode>& modes, bool first_is_fastest, const Take& take) {
  constexpr Index kMost = Index{1} << 20;  // far more than a case has that is small already
  Index volume = 1;
  for (const Mode& mode : modes)
    if (mode.extent > kMost || (volume *= mode.extent) > kMost) return;
  const auto both = [&](const std::vector<Mode>& next) {
    take(next);
    with_paired_strides(next, first_is_fastest, take);
  };
  both(modes);
  for (const bool up : {false, true}) {
    std::vector<Mode> next = modes;
    for (Mode& mode : next) mode.extent = power_beside(mode.extent, up);
    both(next);
  }
  for (std::size_t k = 0; modes.size() > 1 && k < modes.size(); ++k) {
    std::vector<Mode> next = modes;
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(k));
    both(next);
  }
  for (std::size_t k = 0; k < modes.size(); ++k)
    for (const Index times : {2, 4, 8}) {
      std::vector<Mode> next = modes;
      if (modes[k].stride % times == 0 && modes[k].stride != 0) {
        next[k].extent = modes[k].extent * times, next[k].stride = modes[k].stride / times;
        take(next);
      }
      const auto stride = checked_mul(modes[k].stride, times);
      if (modes[k].extent % times != 0 || !stride) continue;
      next[k].extent = modes[k].extent / times, next[k].stride = *stride;
      take(next);
    }
}

}  // namespace vl::use
