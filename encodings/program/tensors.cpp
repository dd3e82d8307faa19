// The tensors that types state: shapes, and how far their padding goes.
#include <algorithm>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

constexpr Index kLargestSize = Index{1} << 32;  // of a dimension, and with its padding; programs have no larger ones

}  // namespace

std::optional<std::vector<Index>> Translator::granules_of(const mlir::TensorType& type, std::size_t rank) const {
  std::vector<Index> tile;
  const bool mesh = type.encoding.find("tensor_mesh") != std::string_view::npos;  // says nothing of memory
  if (!type.encoding.empty() && !mesh) {
    const std::string whole(type.encoding);
    constexpr std::string_view kGranules = "granules<";
    if (whole.starts_with(kGranules)) {
      auto out = mlir::integers_of(whole.substr(kGranules.size(), whole.size() - kGranules.size() - 1));
      const auto fits = [](Index size) { return size >= 1 && size <= kLargestSize; };
      return out && out->size() == rank && std::ranges::all_of(*out, fits) ? out : std::nullopt;
    }
    // Rows without tiles have no padding; of another layout nothing is known.
    const bool rows = whole.find("ttnn_layout<") != std::string::npos && whole.find("memref<") != std::string::npos;
    if (!rows && whole.find(".tile<") == std::string::npos) return std::nullopt;
    const std::size_t at = whole.find(".tile<");
    if (at != std::string::npos) {
      const std::size_t from = at + std::string_view(".tile<").size();
      const std::size_t x = whole.find('x', from), comma = whole.find(',', from);
      if (x < comma && comma != std::string::npos) {
        const auto height = mlir::integers_of(whole.substr(from, x - from));
        const auto width = mlir::integers_of(whole.substr(x + 1, comma - x - 1));
        if (height && width && height->size() == 1 && width->size() == 1) tile = {(*height)[0], (*width)[0]};
      }
      const auto fits = [](Index size) { return size >= 1 && size <= kLargestSize; };
      if (tile.empty() || !std::ranges::all_of(tile, fits)) return std::nullopt;
    }
  } else tile = tile_ ? *tile_ : options_.tile;
  std::vector<Index> out(rank, 1);
  for (std::size_t i = 0; i < std::min(rank, tile.size()); ++i)
    if (tile[tile.size() - 1 - i] >= 1) out[rank - 1 - i] = tile[tile.size() - 1 - i];
  return out;
}

// A tensor in the shape of a device, cores and then shards, whose layout names the tensor's own shape: each dimension
// goes on to the end of its last shard. Nothing where dimensions are joined.
std::optional<Value> Translator::value_on_device(const mlir::TensorType& type) {
  const std::string_view layout = type.encoding;
  constexpr std::string_view kShape = "logical_shape = ";
  const std::size_t at = layout.find(kShape);
  if (at == std::string_view::npos || layout.find("bfp_") != std::string_view::npos) return std::nullopt;
  const std::size_t end = std::min(layout.find(',', at), layout.size());
  std::string sizes(layout.substr(at + kShape.size(), end - at - kShape.size()));
  std::ranges::replace(sizes, 'x', ',');
  const auto shape = mlir::integers_of(sizes);
  if (!shape || shape->empty() || shape->size() * 2 != type.shape.size()) return std::nullopt;
  std::vector<Index> tile(shape->size(), 1);
  std::string_view element = type.element;
  constexpr std::string_view kTile = "!ttcore.tile<";
  if (element.starts_with(kTile) && shape->size() >= 2) {
    const auto parts = mlir::listed(element.substr(kTile.size(), element.size() - kTile.size() - 1));
    if (parts.size() != 2) return std::nullopt;
    std::string of(parts[0]);
    std::ranges::replace(of, 'x', ',');
    const auto found = mlir::integers_of(of);
    if (!found || found->size() != 2) return std::nullopt;
    tile[shape->size() - 2] = (*found)[0], tile[shape->size() - 1] = (*found)[1];
    element = parts[1];
  }
  Value out;
  out.type = type_in_language(element);
  out.shape = *shape;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto shards = checked_mul(type.shape[i], type.shape[shape->size() + i]);
    const auto padded = shards ? checked_mul(*shards, tile[i]) : std::nullopt;
    if (!padded || (*shape)[i] < 1 || *padded < (*shape)[i] || *padded > kLargestSize) return std::nullopt;
    out.granules.push_back(*padded);
  }
  return out.type.empty() ? std::nullopt : std::optional(std::move(out));
}

std::optional<Value> Translator::value_of(std::string_view text) const {
  const std::string whole = mlir::written_out(text, *from_.names).value_or(std::string(text));
  const auto type = mlir::tensor_type(whole);
  if (!type || type->shape.size() > 2 * kMostDimensions) return std::nullopt;
  // A name for which nothing stands may be any layout.
  if (type->encoding.starts_with('#') && type->encoding.find_first_of(".<") == std::string_view::npos)
    return std::nullopt;
  if (type->encoding.find("metal_layout") != std::string_view::npos) return value_on_device(*type);
  // A tile may hold block floats.
  if (type->encoding.find("bfp_") != std::string_view::npos) return std::nullopt;
  Value out;
  std::string_view element = type->element;
  constexpr std::string_view kQuantised = "!quant.uniform<";
  if (element.starts_with(kQuantised)) {  // codes of a storage type
    out.quantised = element;
    element = element.substr(kQuantised.size());
    element = element.substr(0, element.find_first_of(":<"));
    if (element == "u8" || element == "u16" || element == "u32") {  // as types of elements, ui8
      out.type = element;
      element = {};
    }
  }
  if (out.type.empty()) out.type = type_in_language(element);
  const auto fits = [](Index size) { return size >= 1 && size <= kLargestSize; };
  if (out.type.empty() || !std::ranges::all_of(type->shape, fits)) return std::nullopt;
  if (type->shape.size() > kMostDimensions) return std::nullopt;
  out.shape = type->shape;
  auto granules = granules_of(*type, out.shape.size());
  if (!granules) return std::nullopt;
  out.granules = std::move(*granules);
  return out;
}

}  // namespace vl::program
