// Transfers in words: for readers, as JSON, and in one line. The log of a runtime is its family's (use/nests_text.h).
//
//   JSON     outermost loop first, in elements, named fields. A transfer between devices has from_strides, to_strides,
//            from_offset and to_offset instead of the host's and the device's.
//   compact  one line per transfer, innermost loop first, for tables:
//            size|host stride|device stride|host offset,device offset
//
// Example, nest 1 of f16[120] on device_size [2,64] in compact form: [56,1]|[1,64]|[1,64]|64,64
#pragma once

#include <string>

#include "encodings/use/rule_nests.h"
#include "encodings/use/transfer.h"
#include "verifier/question/record.h"

namespace vl::report {

/// A listing: one line per loop with its extent and both strides, the offsets, and the number of elements that each
/// nest moves.
[[nodiscard]] std::string nests_to_text(const use::Transfer& transfer);
[[nodiscard]] std::string nests_to_json(const use::Transfer& transfer);
/// Requires: not DeviceToDevice. The direction is not part of it.
[[nodiscard]] std::string nests_to_compact(const use::Transfer& transfer);

/// The same for all sizes: expressions for numbers, in JSON as texts.
[[nodiscard]] std::string nests_to_text(const use::RuleTransfer& transfer, const question::RuleView& rule);
[[nodiscard]] std::string nests_to_json(const use::RuleTransfer& transfer, const question::RuleView& rule);

}  // namespace vl::report
