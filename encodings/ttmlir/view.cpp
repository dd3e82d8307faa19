// Views of tt-mlir (encodings/use/view.h): d2m.view_layout, from the types on its two sides and its map.
//   d2m.view_layout %0 remapping = MAP : tensor<1x1x64x64xf32, #a> -> tensor<2x2x32x32xf32, #b>
// MAP goes from the coordinates of the result, cores and then cells, to those of the source. What lies in a tile stays
// where it is in it. Source: tt-mlir at 19c86fca, include/ttmlir/AffineMapUtils.h line 303, D2MOps.cpp line 1118: of
// two types with layouts the compiler compares element types and memories, and no shapes or ranges.
#include "encodings/use/view.h"

#include <fmt/format.h>

#include "encodings/map/algebra.h"
#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"
#include "encodings/use/remap.h"

namespace vl::ttmlir {
namespace {

// The cells of tensor<…> or memref<…>, whatever follows them.
Result<Cells> cells_of(std::string_view type) {
  Cursor in(type);
  if (!in.accept("memref")) in.expect("tensor");
  in.expect("<");
  Cells out = take_cells(in);
  if (in.failed()) return in.error();
  if (out.shape.empty()) return none("a type without dimensions has no slots");
  return out;
}

Result<map::Layout> reads_of(const Cells& result, const Cells& source, std::string_view text) {
  if (result.tile != source.tile) return none("the two types have other tiles");
  auto stages = device_map(text, result.shape.size(), source.shape.size());
  if (!stages) return stages.error();
  auto logical = map::Space::create(map::Space::dims("s", result.shape));
  if (!logical) return logical.error();
  auto box = map::Space::create(map::Space::dims("d", source.shape));
  if (!box) return box.error();
  return map::Layout::create({std::move(*logical), map::Space{}, std::move(*box), std::move(*stages), 0, std::nullopt,
                              0, std::nullopt, map::Row{}});
}

// The tensor that a type of rule B names itself.
std::optional<map::Tensor> tensor_of(std::string_view type) {
  const auto parsed = parse(type);
  const auto* aligned = parsed ? std::get_if<AlignedLayout>(&parsed->layout) : nullptr;
  if (aligned == nullptr || !parsed->of) return std::nullopt;
  return map::Tensor{.size = aligned->logical_shape};
}

Result<use::View::Elements> elements_of(std::string_view result, std::string_view source, std::string_view text) {
  const auto to = tensor_of(result), from = tensor_of(source);
  if (!to || !from) return none("the elements of a view are known where both types have a layout with a logical shape");
  const auto change = remap(result, *to, source, *from, text);
  if (!change) return change.error();
  const map::Layout &places = change->moved, &array = change->source.array;
  if (!array.decode() || array.decode()->outputs() != from->size.size())
    return none("the source's layout has no way back from places to elements");
  auto tensor = map::Space::create(map::Space::dims("x", from->size));
  if (!tensor) return tensor.error();
  map::LayoutParts back = map::parts_in(places, std::move(*tensor));
  // Guards are dropped: that they are 0 is asked of `places`.
  map::Affine kept;
  for (std::size_t i = 0; i < array.physical().rank(); ++i) kept.rows.push_back(map::pick(i));
  if (places.guards() > 0) back.map.emplace_back(std::move(kept));
  back.guards = 0;
  for (const map::Stage& stage : array.decode()->stages()) back.map.push_back(stage);
  auto elements = map::Layout::create(back);
  if (!elements) return elements.error();
  map::LayoutParts forth = map::parts_in(*elements, array.physical());
  for (const map::Stage& stage : array.map().stages()) forth.map.push_back(stage);
  auto again = map::Layout::create(std::move(forth));
  if (!again) return again.error();
  return use::View::Elements{std::move(*elements), places, std::move(*again), change->reads};
}

}  // namespace

Result<use::View> view(std::string_view result, std::string_view source, std::string_view text) {
  const auto to = cells_of(result), from = cells_of(source);
  if (!to) return to.error();
  if (!from) return from.error();
  auto reads = reads_of(*to, *from, text);
  if (!reads) return reads.error();
  auto elements = elements_of(result, source, text);
  if (!elements) return use::View{std::move(*reads), std::nullopt, elements.error().message};
  return use::View{std::move(*reads), std::move(*elements), {}};
}

}  // namespace vl::ttmlir
