// What each part asks of a shape on a cell: the closed forms of prove.h.
#pragma once

#include "verifier/engines/polynomial/shape.h"

namespace vl::engines {

struct Shown {};
struct Failed {
  std::string why;
};
struct LeftOpen {
  std::string why;
};
using PartOutcome = std::variant<Shown, Failed, Refinement, LeftOpen>;

/// Whether no two points of a shape meet, wherever they are.
[[nodiscard]] PartOutcome peeled(const Shape& shape, const Cell& cell);
/// Of a tensor without elements: every part but Onto, whose slots hold none then.
[[nodiscard]] PartOutcome without_elements(std::span<const AllSizesPart> parts);
/// What does not decide a claim where it is not shown: open instead of failed.
[[nodiscard]] PartOutcome or_open(PartOutcome outcome);

[[nodiscard]] PartOutcome shown(AllSizesPart part, const map::Rule& rule, const Shape& shape, const Cell& cell);

}  // namespace vl::engines
