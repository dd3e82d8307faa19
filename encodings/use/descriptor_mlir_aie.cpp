// Operations of aie and aiex: buffer descriptors of AMD's AI Engine.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/notation/mlir_text.h"
#include "encodings/use/descriptor_mlir.h"

namespace vl::use {
namespace {

using map::Expression;

// Sizes and strides in elements, outermost first, of elements of a memref.
OrWhy<Descriptor> of_sizes(const MlirText& in, std::string_view type, std::vector<Index> sizes,
                           std::vector<Index> strides, std::optional<Index> length) {
  const auto whole = mlir::written_out(type, in.names());
  const std::size_t end = whole ? whole->find_first_of(",>") : std::string::npos;
  if (end == std::string::npos || !whole->starts_with("memref<")) return fmt::format("'{}' is no memref", type);
  const std::string_view front = std::string_view(*whole).substr(7, end - 7);
  const MlirType* element = element_of(front.substr(front.rfind('x') + 1));
  if (element == nullptr) return fmt::format("'{}' has elements that are not known", *whole);
  if (sizes.size() == strides.size() + 1) strides.push_back(1);
  if (sizes.empty() || sizes.size() != strides.size())
    return fmt::format("{} sizes and {} strides", sizes.size(), strides.size());
  // A transfer without gaps is lowered without these fields, but for a repetition.
  Index next = 1;
  bool dense = true;
  for (std::size_t k = sizes.size(); dense && k-- > 0 && sizes.size() - k <= 3;) {
    dense = sizes[k] == 1 || strides[k] == next;
    next = checked_mul(next, sizes[k]).value_or(0);
  }
  if (dense) return "a transfer without gaps, whose sizes are no fields of the hardware";
  DescriptorFields fields{{"type", word_field(std::string(element->of))},
                          {"size", constants_field(sizes)},
                          {"stride", constants_field(strides)}};
  if (length)
    fields["length"] =
        number_field(Expression::of(Expression::Kind::Ceil, Expression(*length) * Expression(element->bits), 32));
  return made("dmabd", std::move(fields));
}

}  // namespace

OrWhy<Descriptor> of_dma_bd(const MlirOperation& op) {
  const auto inside = op.after("");
  if (!inside) return "an operation whose bracket is not closed";
  const std::size_t colon = inside->find(':');
  if (colon == std::string_view::npos) return "the type of the buffer is not in the text";
  const std::string_view after = mlir::trimmed(inside->substr(colon + 1));
  const std::string_view type = after.substr(0, mlir::end_of_type(after));
  const MlirOperation part{op.in, after.substr(type.size()), op.place};
  std::vector<Index> sizes, strides;
  std::optional<Index> length;
  const auto parts = mlir::listed(part.rest);
  if (const auto list = part.after("sizes ="); list) {
    const auto values = part.numbers(*list);
    const auto steps = part.numbers(part.after("strides =").value_or("?"));
    if (!values || !steps) return "sizes or strides that are not all constants";
    sizes = *values, strides = *steps;
    const std::size_t len = part.rest.find("len =");
    if (len != std::string_view::npos)
      length = op.in.number(
          part.rest.substr(len + 5, part.rest.find_first_of(" )", mlir::after_blank(part.rest, len + 5)) - len - 5),
          op.place);
  } else if (parts.size() >= 4 && parts[3].starts_with("[")) {
    length = op.in.number(parts[2], op.place);
    for (const std::string_view each : mlir::listed(parts[3].substr(1, parts[3].size() - 2))) {
      if (each.size() < 2 || each[0] != '<') return fmt::format("'{}' is no size with a stride", each);
      const std::string_view pair = each.substr(1, each.size() - 2);
      const std::string_view old = value_of(pair, "wrap");
      const auto size = op.in.number(old.empty() ? value_of(pair, "size") : old, op.place);
      const auto step = op.in.number(old.empty() ? value_of(pair, "stride") : value_of(pair, "step"), op.place);
      if (!size || !step) return fmt::format("'{}' is no size with a stride", each);
      sizes.push_back(*size), strides.push_back(*step);
    }
  } else {
    return "a transfer without gaps, whose sizes are no fields of the hardware";
  }
  return of_sizes(op.in, type, std::move(sizes), std::move(strides), length);
}

OrWhy<Descriptor> of_memcpy_nd(const MlirOperation& op) {
  const auto inside = op.after("");
  if (!inside) return "an operation whose bracket is not closed";
  std::size_t at = inside->find('[');
  std::vector<std::string_view> lists;
  while (at != std::string_view::npos && lists.size() < 3) {
    const auto end = mlir::behind_bracket(*inside, at);
    if (!end) break;
    lists.push_back(inside->substr(at + 1, *end - at - 2));
    at = inside->find('[', *end);
  }
  if (lists.size() != 3) return "an operation without offsets, sizes and strides";
  const auto sizes = op.numbers(lists[1]), strides = op.numbers(lists[2]);
  if (!sizes || !strides) return "sizes or strides that are not all constants";
  // {attributes} : memref<…>, or the types of all operands in brackets.
  std::size_t next = static_cast<std::size_t>(inside->data() - op.rest.data()) + inside->size() + 1;
  next = mlir::after_blank(op.rest, next);
  if (op.rest.substr(next, 1) == "{")
    next = mlir::after_blank(op.rest, mlir::behind_bracket(op.rest, next).value_or(op.rest.size()));
  if (op.rest.substr(next, 1) != ":") return "the type of the buffer is not in the text";
  next = mlir::after_blank(op.rest, next + 1);
  const auto end = op.rest.substr(next, 1) == "(" ? mlir::behind_bracket(op.rest, next) : std::nullopt;
  std::string_view type =
      end ? op.rest.substr(next, *end - next) : op.rest.substr(next, mlir::end_of_type(op.rest.substr(next)));
  for (const std::string_view each : mlir::types_in(type))
    if (each.starts_with("memref<") || each.starts_with("!")) type = each;
  return of_sizes(op.in, type, *sizes, *strides, std::nullopt);
}

}  // namespace vl::use
