// Operations of nvgpu (tensor maps), triton_gen and xevm (2-D blocks) and amdgpu (the tensor data mover).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/notation/mlir_text.h"
#include "encodings/use/descriptor_mlir.h"

namespace vl::use {
namespace {

using map::Expression;

// A memref with its strides in elements, outermost first.
struct Memref {
  std::vector<Index> shape, strides;
  const MlirType* element = nullptr;
};

OrWhy<Memref> memref_of(const MlirText& in, std::string_view type) {
  const auto whole = mlir::written_out(type, in.names());
  if (!whole || !whole->starts_with("memref<")) return fmt::format("'{}' is no memref", type);
  const std::string as_tensor = "tensor" + whole->substr(6);
  const auto parts = mlir::listed(std::string_view(as_tensor).substr(7, as_tensor.size() - 8));
  const auto read = parts.empty() ? std::nullopt : mlir::tensor_type(fmt::format("tensor<{}>", parts[0]));
  if (!read) return fmt::format("'{}' has a size that is no number", *whole);
  Memref out{read->shape, {}, element_of(parts[0].substr(parts[0].rfind('x') + 1))};
  if (out.element == nullptr) return fmt::format("'{}' has elements that are not known", *whole);
  Index stride = 1;
  for (auto size = out.shape.rbegin(); size != out.shape.rend(); ++size) {
    out.strides.insert(out.strides.begin(), stride);
    const auto next = checked_mul(stride, *size);
    if (!next) return fmt::format("'{}' leaves 64 bits", *whole);
    stride = *next;
  }
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].starts_with("affine_map") || parts[k].starts_with("#")) {
      if (!parts[k].starts_with("#gpu.")) return fmt::format("'{}' has a layout that is not read", *whole);
    } else if (parts[k].starts_with("strided<")) {
      const std::size_t end = parts[k].find(']');
      const auto strides = mlir::integers_of(parts[k].substr(8, end == std::string_view::npos ? 0 : end - 7));
      if (!strides || strides->size() != out.shape.size())
        return fmt::format("'{}' has strides that are not numbers", *whole);
      out.strides = *strides;
    }
  }
  return out;
}

std::optional<std::string> word_in(std::string_view value,
                                   std::initializer_list<std::pair<const char*, const char*>> words) {
  for (const auto& [written, word] : words)
    if (value == written) return word;
  return std::nullopt;
}

OrWhy<Descriptor> of_block(const MlirOperation& op, const char* direction) {
  const std::size_t brace = op.rest.find('{');
  const auto end = brace == std::string_view::npos ? std::nullopt : mlir::behind_bracket(op.rest, brace);
  if (!end) return "an operation without its attributes";
  const std::string_view list = op.rest.substr(brace + 1, *end - brace - 2);
  DescriptorFields fields{{"direction", word_field(direction)}};
  for (const auto& [field, key] : {std::pair("bits", "elem_size_in_bits"),
                                   {"columns", "tile_width"},
                                   {"rows", "tile_height"},
                                   {"blocks", "v_blocks"}}) {
    const auto value = mlir::integers_of(value_of(list, key));
    if (!value || value->size() != 1) return fmt::format("the attribute '{}' is no number", key);
    fields[field] = number_field(value->front());
  }
  const bool transpose = value_of(list, "transpose") == "true";
  const bool vnni = value_of(list, "vnni_transform") == "true" || value_of(list, "pack_register") == "true";
  if (transpose && vnni) return "an operation that transposes and packs";
  fields["mode"] = word_field(transpose ? "transpose" : vnni ? "vnni" : "plain");
  std::string_view operands = mlir::trimmed(op.rest.substr(0, brace));
  if (operands.ends_with('<')) operands.remove_suffix(1);
  const auto all = mlir::listed(operands);
  constexpr std::array<const char*, 6> kOperands = {"", "width", "height", "pitch", "x", "y"};
  if (all.size() < kOperands.size()) return "an operation with fewer than 6 operands";
  for (std::size_t k = 1; k < kOperands.size(); ++k)
    if (const auto value = op.in.number(all[k], op.place)) fields[kOperands[k]] = number_field(*value);
  return made("block2d", std::move(fields));
}
}  // namespace

OrWhy<Descriptor> of_nvgpu(const MlirOperation& op) {
  const std::size_t first = mlir::after_blank(op.rest, 0);
  const std::size_t end = mlir::end_of_word(op.rest, std::min(first + 1, op.rest.size()));
  const std::string_view tensor = op.rest.substr(first, end - first);
  const auto box = op.after("box");
  const std::size_t arrow = op.rest.find("->");
  if (!tensor.starts_with('%') || !box || arrow == std::string_view::npos)
    return "an operation that is not written in full";
  const std::size_t at = mlir::after_blank(op.rest, arrow + 2);
  const auto type = mlir::written_out(op.rest.substr(at, mlir::end_of_type(op.rest.substr(at))), op.in.names());
  const std::size_t open = type ? type->find('<') : std::string::npos;
  if (open == std::string::npos || type->back() != '>') return "the type of the descriptor is not in the text";
  const std::string_view list = std::string_view(*type).substr(open + 1, type->size() - open - 2);
  const std::string_view cast = op.in.definition(tensor, op.place);
  const std::size_t colon = cast.find(':'), to = cast.find(" to ");
  if (!cast.starts_with("memref.cast ") || colon == std::string_view::npos || to == std::string_view::npos ||
      to < colon)
    return fmt::format("the text does not say of which sizes '{}' is", tensor);
  const auto memref = memref_of(op.in, mlir::trimmed(cast.substr(colon + 1, to - colon - 1)));
  if (const auto* why = std::get_if<std::string>(&memref)) return *why;
  const auto& [shape, strides, element] = std::get<Memref>(memref);
  auto sizes = op.numbers(*box);
  if (!sizes) return fmt::format("the box '{}' is not all constants", *box);
  const auto swizzle =
      word_in(value_of(list, "swizzle"),
              {{"none", "none"}, {"swizzle_32b", "32B"}, {"swizzle_64b", "64B"}, {"swizzle_128b", "128B"}});
  const auto interleave =
      word_in(value_of(list, "interleave"), {{"none", "none"}, {"interleave_16b", "16B"}, {"interleave_32b", "32B"}});
  const auto fill = word_in(value_of(list, "oob"), {{"zero", "zero"}, {"nan", "nan"}});
  if (!swizzle || !interleave || !fill)
    return "the type of the descriptor has no swizzle, interleave or oob that is known";
  if (strides.empty() || strides.back() != 1) return "the innermost stride of the memref is not 1";
  std::vector<Expression> bytes;
  for (std::size_t k = strides.size() - 1; k-- > 0;)
    bytes.push_back(Expression(strides[k]) * Expression(element->bits / 8));
  std::ranges::reverse(*sizes);
  return made("tensormap", {{"type", word_field(std::string(element->of))},
                            {"dim", constants_field({shape.rbegin(), shape.rend()})},
                            {"stride", numbers_field(std::move(bytes))},
                            {"box", constants_field(*sizes)},
                            {"swizzle", word_field(*swizzle)},
                            {"interleave", word_field(*interleave)},
                            {"fill", word_field(*fill)}});
}

OrWhy<Descriptor> of_block_load(const MlirOperation& op) { return of_block(op, "load"); }
OrWhy<Descriptor> of_block_store(const MlirOperation& op) { return of_block(op, "store"); }

OrWhy<Descriptor> of_tdm(const MlirOperation& op) {
  const auto type = op.after("tdm_base");
  const MlirType* element = type ? element_of(mlir::trimmed(*type)) : nullptr;
  if (element == nullptr) return "the type of the elements is not known";
  DescriptorFields fields{{"type", word_field(std::string(element->of))}};
  for (const auto& [field, key] :
       {std::pair("tile", "sharedSize"), {"tensor", "globalSize"}, {"stride", "globalStride"}}) {
    const auto list = op.after(key);
    if (!list) return fmt::format("the operation has no {}", key);
    const auto numbers = op.numbers(*list);
    if (numbers) fields[field] = constants_field(*numbers);
    else if (std::string_view(field) == "tile") return fmt::format("sharedSize [{}] is not all constants", *list);
  }
  return made("tdm", std::move(fields));
}

}  // namespace vl::use
