#include "oracle/gate/right_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verifier/session/judge.h"

namespace vl::gate {
namespace {

std::string tuple_of(const std::vector<Index>& values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

std::string argument_of(const Case& of, std::string_view key) {
  for (const CaseArgument& argument : of.arguments)
    if (argument.key == key) return argument.text;
  return {};
}

// The operation behind its layout, as the family's notation has it; empty for operations that it does not have.
std::string operation_text(const Case& of) {
  const std::string_view name = of.op->name;
  if (name == "derive.canonical") return ".canonicalize()";
  if (name == "derive.pack" || name == "derive.unpack")
    return fmt::format(".{}({})", name.substr(7), argument_of(of, "factor"));
  if (name == "derive.slice")
    return fmt::format(".slice({}, [{}])", tuple_of(of.tensor.size), argument_of(of, "region"));
  if (name == "derive.group") return fmt::format(".group({})", argument_of(of, "shape"));
  if (name == "derive.direct-sum")
    return fmt::format(".direct_sum({}, {}, {})", argument_of(of, "left"), argument_of(of, "left_shape"),
                       tuple_of(of.tensor.size));
  if (name == "derive.tile")
    return fmt::format(".tile({}, {}, {})", argument_of(of, "outer"), argument_of(of, "outer_shape"),
                       tuple_of(of.tensor.size));
  return {};
}

}  // namespace

std::string right_answer(const Case& of) {
  const std::string operation = operation_text(of);
  const use::Family& family = *use::family_of({}, of.family);
  if (operation.empty() || family.law == nullptr) return {};
  const std::string text = of.layout + operation;
  map::Tensor tensor = of.tensor;
  if (family.elements != nullptr)
    if (const auto count = family.elements(text)) tensor.size = {*count};
  tensor.strides.reset();
  const auto read = session::read_layout(session::SourceText::option("the operation", text), of.family, tensor);
  const auto* reading = std::get_if<use::Reading>(&read);
  return reading != nullptr && reading->layout() != nullptr ? reading->normal : std::string();
}

}  // namespace vl::gate
