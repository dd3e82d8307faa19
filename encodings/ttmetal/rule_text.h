// Texts of tt-metal with names for sizes, as rules for all sizes (encodings/map/rule.h):
//
//   banks=B: TensorSpec(ttnn.Shape([M, N]), ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.DRAM)
//   layout=TILE: MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, ShardSpec(CoreRangeSet({CoreRange(
//     CoreCoord(0, 0), CoreCoord(7, G - 1))}), (align(ceil(M/(8*G)), 32), align(N, 32)), ShardOrientation.ROW_MAJOR))
//
// A size of a shape, an alignment, a number of banks and the corners of one core range are expressions. Data types,
// tiles, orders and the ranks of lists are as in the text with numbers.
//
// The physical array has a number (RuleNumber) for each dimension. Its levels are the part, the cell, the face and what
// lies inside (place.h). The parts are the core where each core has one; else they are joined to the number of the
// part, which is dealt.
#pragma once

#include "encodings/use/family.h"

namespace vl::ttmetal {

/// Family::read_rule. A text without a name is a rule of the tensor's names, as of every tensor it is a layout; one
/// that states its own shape is a rule without symbols. Errors: those of read.
[[nodiscard]] Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor);

/// Family::text_at. Errors: those of parse and of with_sizes.
[[nodiscard]] Result<std::string> text_at(std::string_view text, const map::Sizes& sizes);

}  // namespace vl::ttmetal
