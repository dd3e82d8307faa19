// An element that a slot of a layout about names may hold: the layout's stages backwards. Hints only: the kernel runs
// them forwards.
#pragma once

#include "verifier/engines/cells/named_search.h"

namespace vl::engines::cells {

/// There are no such steps.
struct NamedDeadEnd {};

/// Stages that have the numbers `first`, … in notes.
[[nodiscard]] std::vector<kernel::BasicStage<Polynomial>> numbered(
    std::size_t first, const std::vector<kernel::BasicStage<Polynomial>>& stages);
[[nodiscard]] kernel::BasicStage<Polynomial> split_by(std::vector<Polynomial> weights);

/// The inputs of a layout's map, such that its outputs are these lines; one that no output tells is 0. Where a line is
/// Σ coefficient·value, each value is a digit of it, the greatest coefficient first. A digit that no output tells is
/// free, and 0. Notes are about these divisions, in their
/// order. Throws NamedStuck, where a line has no such digits, and NamedDeadEnd.
[[nodiscard]] NamedLines inverse(const kernel::BasicLayout<Polynomial>& layout, NamedCell& cell,
                                 const NamedLines& outputs, NamedNotes& notes, const Sizes& sizes);

}  // namespace vl::engines::cells
