// CuTe texts with names: make_layout(make_shape(M, N), make_stride(N, 1)) as a rule for all sizes
// (encodings/map/rule.h). Names stand in extents, strides and the offset before a swizzle, with + - * // / % and
// ceil_div; each is an integer. The numbers of a swizzle are as they are, and of ? and 1@0 nothing is decided.
#pragma once

#include "encodings/cute/cute.h"
#include "encodings/use/family.h"

namespace vl::cute {

/// The sizes of the modes of a text, and its names; nothing for a text that read_rule does not read, that is compact,
/// or has a name that may stand for a tuple, as both have in make_layout((tile, 4), stride=(steps, 1)): a name is an
/// integer in arithmetic, and where it is nested like an integer.
struct RuleShape {
  std::vector<map::Expression> modes;
  std::vector<std::string> names;
};
[[nodiscard]] std::optional<RuleShape> rule_shape(std::string_view text);

/// Family::read_rule. Errors: those of parse; Shape (another number of elements), Box, Value for a view offset.
[[nodiscard]] Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor);

/// Family::text_at. Errors: those of parse and of with_sizes.
[[nodiscard]] Result<std::string> text_at(std::string_view text, const map::Sizes& sizes);

}  // namespace vl::cute
