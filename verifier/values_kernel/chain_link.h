// What chains.cpp reads of a step: its type, which of its dimensions are padded, and a set of codes for each region.
#pragma once

#include <algorithm>
#include <utility>

#include "verifier/values_kernel/images.h"

namespace vl::values_kernel {

/// A set of dimensions, as a bit mask.
using Region = std::size_t;
using Sets = std::vector<CodeRanges>;

inline bool has(Region region, std::size_t dimension) { return (region >> dimension & 1) != 0; }
inline Region bit(std::size_t dimension) { return Region{1} << dimension; }

/// When results are the same, from the finest on.
enum class Equal { Bits, AnyNan, AnyNanAndZero };
inline Equal equal_of(const std::string& word) {
  if (word == "bits") return Equal::Bits;
  if (word == "any-nan") return Equal::AnyNan;
  require(word == "any-nan+zero", "a word that is not known");
  return Equal::AnyNanAndZero;
}

/// Whether both operands of a function are one value.
inline bool is_twice(const StepText& step) { return step.operands.size() == 2 && step.operands[0] == step.operands[1]; }

// One step, with what it holds.
struct Link {
  const StepText* said = nullptr;
  const Format* type = nullptr;
  std::vector<bool> padded;
  Sets sets;
  Equal differs = Equal::Bits;

  [[nodiscard]] std::size_t rank() const { return padded.size(); }
  [[nodiscard]] bool is_whole() const { return std::ranges::find(padded, true) == padded.end(); }
  [[nodiscard]] bool exists(Region region) const {
    for (std::size_t i = 0; i < rank(); ++i)
      if (has(region, i) && !padded[i]) return false;
    return true;
  }
  [[nodiscard]] Wide whole(std::size_t d) const {
    const Wide granule = said->granules[d];
    return (Wide(said->sizes[d]) + granule - 1) / granule * granule;
  }
  [[nodiscard]] bool same_dimension(std::size_t d, const Link& other, std::size_t e) const {
    return said->sizes[d] == other.said->sizes[e] && said->granules[d] == other.said->granules[e];
  }
};

}  // namespace vl::values_kernel
