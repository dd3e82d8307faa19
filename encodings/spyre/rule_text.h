// SpyreTensorLayout texts with names for sizes, as a rule for all sizes (encodings/map/rule.h):
//
//   SpyreTensorLayout((N, M, 150), torch.float16[, [1, 0, 2]])              a last -1 = sparse; generation=S3
//   SpyreTensorLayout((N, M), (P, 1), torch.float16, [0, 1])[.restickify(0)]
//   SpyreTensorLayout(device_size=[M, ceil(N/64), 64], stride_map =[N, 64, 1], device_dtype=DataFormats.SEN169_FP16)
//   the same with dim_map=[0, 1, 1]
//
// The constructors of S2 and S3 compute with expressions by the same functions as with numbers (construct_parts.h).
#pragma once

#include "encodings/spyre/spyre.h"

namespace vl::spyre {

/// What a text with names says of itself.
struct RuleSays {
  std::optional<map::RuleTensor> tensor;  // of a constructor
  std::string_view format;                // the device's: "SEN169_FP16"
  std::vector<std::string> names;
};
/// Nothing for a text that read_rule does not read as a rule, or that has no name.
[[nodiscard]] std::optional<RuleSays> rule_says(std::string_view text);

/// Family::read_rule. Errors: Syntax, Value, Shape, Overflow, with their place.
[[nodiscard]] Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor);

/// Family::text_at: each expression in a list becomes its value, unless it has a name without one.
[[nodiscard]] Result<std::string> text_at(std::string_view text, const map::Sizes& sizes);

}  // namespace vl::spyre
