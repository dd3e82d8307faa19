// Operations of Spyre operands, made from a user's texts.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "encodings/use/operation.h"
#include "verifier/claims/claim.h"

namespace vl::test {

[[nodiscard]] inline const use::Family& spyre_family() {
  for (const use::Family* family : use::families())
    if (family->name == "spyre") return *family;
  VL_CHECK(false, "the spyre family is not registered");
}

/// An operand of `tensor`, read.
[[nodiscard]] inline use::Operand operand(const map::Tensor& tensor, const std::string& layout,
                                          std::vector<Index> scales = {}) {
  auto reading = spyre_family().read(layout, tensor);
  VL_CHECK(reading.has_value(), layout + (reading ? "" : ": " + reading.error().message));
  return {{}, false, layout, tensor, std::move(*reading), std::move(scales)};
}

/// An operand of a tensor such as "f16[4,6]".
[[nodiscard]] inline use::Operand operand(const std::string& tensor, const std::string& layout,
                                          std::vector<Index> scales = {}) {
  const auto parsed = map::parse_tensor(tensor);
  VL_CHECK(parsed.has_value(), tensor);
  return operand(*parsed, layout, std::move(scales));
}

/// The constructor form over a dense f16 tensor with this dim order.
[[nodiscard]] inline use::Operand constructed(const std::vector<Index>& size, const std::vector<Index>& order,
                                              std::vector<Index> scales = {}) {
  map::Tensor tensor;
  tensor.size = size;
  const auto strides = map::dense_strides(size);
  VL_CHECK(strides.has_value(), "strides");
  return operand(tensor,
                 fmt::format("SpyreTensorLayout([{}], [{}], torch.float16, [{}])", fmt::join(size, ", "),
                             fmt::join(*strides, ", "), fmt::join(order, ", ")),
                 std::move(scales));
}

[[nodiscard]] inline Result<use::Operation> make(const std::string& name, std::vector<use::Operand> inputs,
                                                 std::vector<use::Operand> results,
                                                 use::RuleSet rules = use::RuleSet::Upstream,
                                                 const use::OperationHints& hints = {}) {
  const use::OperationName* what = use::find_operation(name);
  VL_CHECK(what != nullptr, name);
  for (use::Operand& result : results) {
    result.result = true;
    inputs.push_back(std::move(result));
  }
  return use::create_operation(*what, rules, spyre_family(), std::move(inputs), hints);
}

[[nodiscard]] inline claims::Verdict verdict(const use::Operation& operation) {
  return claims::decide(*claims::find_claim("compatible"), claims::Operated{operation}, {}).verdict;
}

/// "proved", "refuted: operand 1 (y) …".
[[nodiscard]] inline std::string said(const use::Operation& operation) {
  const claims::Verdict answer = verdict(operation);
  std::string out(question::word(answer));
  if (const auto* refuted = std::get_if<claims::Refuted>(&answer)) out += ": " + refuted->counterexample.explanation;
  if (const auto* unknown = std::get_if<claims::Unknown>(&answer)) out += ": " + unknown->detail;
  return out;
}

}  // namespace vl::test
