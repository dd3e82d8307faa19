// Layouts through the C interface: their shapes, and the places of elements by evaluation of the map.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "oracle/c/request.h"
#include "oracle/reference/fill.h"

using namespace vl;
using library::bad;
using library::Refusal;

struct vl_layout {
  map::Layout layout;
  std::size_t unit = 0;
  std::string type;
  std::string normal;
  std::vector<std::string> warnings;
};

namespace {

// The slots of one element, one after the other, in the order of its replicas.
std::optional<Refusal> place(const map::Layout& layout, const Point& element, std::int64_t*& out) {
  if (!layout.logical().contains(element))
    return Refusal{VL_BAD_VALUE, fmt::format("element [{}] is not one of the tensor", fmt::join(element, ", "))};
  Point replica(layout.replicas().rank(), 0);
  for (Index left = layout.replicas().volume(); left > 0; --left, map::advance(layout.replicas(), replica)) {
    const Point outputs = map::outputs_at(layout, element, replica);
    if (!layout.is_slot(outputs))
      return Refusal{VL_NO_PLAN, fmt::format("element [{}] has no slot", fmt::join(element, ", "))};
    out = std::copy_n(outputs.begin(), layout.physical().rank(), out);
  }
  return std::nullopt;
}

std::string axes_of(const map::Layout& layout) {
  std::string out;
  for (const map::Dim& dim : layout.physical().dims()) out += (out.empty() ? "" : " ") + dim.name;
  return out;
}

}  // namespace

int vl_layout_open(const vl_request* request, vl_layout** out, char* why, size_t room) {
  return library::guarded(why, room, [&]() -> Refusal {
    if (out == nullptr) return bad("layout: expected where to put the handle");
    *out = nullptr;
    if (request == nullptr) return bad("request: expected one");
    const auto known = library::known_part(*request, sizeof(vl_request));
    if (!known) return bad("size: expected sizeof(vl_request), and members that this version knows");
    const library::Texts texts{known->layout,  known->tensor, known->family, known->box,
                               known->strides, known->rank,   known->offset, known->view_offset};
    if (auto refusal = library::check_members(texts)) return std::move(*refusal);
    if (known->tensor == nullptr) return bad("tensor: expected a text");
    auto read = library::read_side(library::asked_of(texts));
    if (auto* refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
    auto& [tensor, reading] = std::get<session::TensorReading>(read);
    const auto zero = oracle::parse_fill("0", tensor.type);  // an error: elements are no whole bytes
    *out = new vl_layout{std::get<map::Layout>(std::move(reading.what)), zero ? zero->size() : 0,
                         std::string(map::name(tensor.type)), std::move(reading.normal), std::move(reading.warnings)};
    return {VL_OK, {}};
  });
}

size_t vl_layout_shape(const vl_layout* layout, int side, int64_t* extents, size_t room) {
  const map::Space& space = side == VL_LOGICAL    ? layout->layout.logical()
                            : side == VL_REPLICAS ? layout->layout.replicas()
                                                  : layout->layout.physical();
  for (std::size_t d = 0; d < std::min(room, space.rank()); ++d) extents[d] = space.dims()[d].extent;
  return space.rank();
}

size_t vl_layout_text(const vl_layout* layout, int what, char* text, size_t room) {
  try {
    switch (what) {
      case VL_AXES: return library::put(axes_of(layout->layout), text, room);
      case VL_TYPE: return library::put(layout->type, text, room);
      case VL_NORMAL: return library::put(layout->normal, text, room);
      case VL_WARNINGS: return library::put(fmt::format("{}", fmt::join(layout->warnings, "\n")), text, room);
      default: return library::put("", text, room);
    }
  } catch (...) {
    return library::put("", text, room);
  }
}

size_t vl_layout_unit(const vl_layout* layout) { return layout->unit; }

int vl_layout_place(const vl_layout* layout, size_t count, const int64_t* elements, int64_t* places, char* why,
                    size_t room) {
  return library::guarded(why, room, [&]() -> Refusal {
    const std::size_t rank = layout->layout.logical().rank();
    if (count != 0 && ((elements == nullptr && rank != 0) || places == nullptr))
      return bad("elements, places: expected addresses");
    for (std::size_t k = 0; k < count; ++k) {
      const Point element(elements + k * rank, elements + (k + 1) * rank);
      if (auto refusal = place(layout->layout, element, places)) return std::move(*refusal);
    }
    return {VL_OK, {}};
  });
}

void vl_layout_free(vl_layout* layout) { delete layout; }
