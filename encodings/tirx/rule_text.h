// TIRx texts with names: S[(M, N) : (P, 1)] as a rule for all sizes (encodings/map/rule.h). Names may stand in extents,
// strides and offsets, with + - * // %; the numbers of a swizzle and the axes are as they are. Builders and methods
// (.slice and others) of texts with names are not encoded.
#pragma once

#include "encodings/tirx/tirx.h"

namespace vl::tirx {

/// What a text with names says of the tensors that it can be read for.
struct RuleShape {
  std::vector<map::Expression> extents;  // of the shard: as many elements
  std::vector<Axis> axes;
};
/// Nothing for a text that read_rule does not read.
[[nodiscard]] std::optional<RuleShape> rule_shape(std::string_view text);

/// Family::read_rule. Errors: those of parse; Shape (another number of elements), Box.
[[nodiscard]] Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor);

}  // namespace vl::tirx
