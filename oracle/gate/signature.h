// Signature: which findings are the same. operation / kind of judgement / class of the layout, features of the case.
// Example: derive.slice/value/bijective,threads.
#pragma once

#include <string>
#include <vector>

#include "oracle/gate/judge.h"

namespace vl::gate {

/// "bijective", "injective" or "any": the best that holds.
[[nodiscard]] std::string_view class_of(const Case& of);
/// The features that a case has: replicas, swizzle, offset, threads, down (a step to a lower address), box, host,
/// rank-0, not-powers (an extent that is no power of two).
[[nodiscard]] std::vector<std::string_view> features_of(const Case& of);

[[nodiscard]] std::string signature_of(const Case& of, const Judgement& judgement);

}  // namespace vl::gate
