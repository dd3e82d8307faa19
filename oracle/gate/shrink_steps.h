// Shrink steps: what smaller, plainer and paired cases have in common. A step makes a request of a case's request; of a
// changed tensor the arguments have to follow.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/gate/cases.h"

namespace vl::gate {

using Take = std::function<void(Json)>;

/// The request with another value of a field that it has.
[[nodiscard]] Json changed(const Json& request, std::string_view key, const Json& value);
/// The tensor of a request with another shape, and dense.
[[nodiscard]] Json tensor_with(const Json& tensor, const std::vector<Index>& shape);
/// The arguments for another shape of the tensor; false if there are none.
[[nodiscard]] bool fit_arguments(const Case& of, const std::vector<Index>& shape, Json& request);
/// What a request says of its layout for the peer; false where the layout has no such thing.
[[nodiscard]] bool refit(const Case& of, Json& request);

/// 2 for "bijective", 1 for "injective", else 0.
[[nodiscard]] int rank_of(std::string_view name);
/// What a signature says of a case beyond its kind; the less, the plainer the case.
[[nodiscard]] std::size_t said_of(const Case& of);
/// Where a step by 1 led from one case to another: the case `times` such steps further. Nothing if some number changed
/// by more, the words differ, or there is no such case. Example: from S[9:2] over S[8:2] twice further to S[6:2].
[[nodiscard]] std::optional<Case> further(const Case& from, const Case& over, Index times);
/// The smallest first.
void sort_by_cost(std::vector<Case>& cases);

}  // namespace vl::gate
