// Device maps: where the cores of a virtual grid are on the chips. The layout is one of the grid itself, whose cores
// are its elements: core (d0, d1) lies at (device, y, x), or at (y, x) where the map has two results.
//
// The box reaches from 0 to the greatest coordinate that there may be, or as --box declares it. The map back, where the
// text has one, is the layout's decode map, so `bijective` says that the two agree; `injective` that no two virtual
// cores are one physical core. A map back with one result more than the grid gives the device first, which must be 0.
//
// Example: 1x65 cores on 8x8 by row-major numbers, (d0, d1) -> (0, (d1 floordiv 8) mod 8, d1 mod 8): (0, 0) and (0, 64)
// are both at (0, 0, 0). Source: tt-mlir at 19c86fca, GridAttr in TTCoreOpsTypes.td, createCoreVirtMaps.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/bounds.h"
#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

constexpr std::array<const char*, 3> kAxes = {"device", "y", "x"};

std::vector<use::Rule> rules_of(const GridLayout& grid, const map::Tensor& tensor) {
  const auto count = [](std::size_t value) { return static_cast<Index>(value); };
  std::vector<use::Rule> rules{{"the tensor has the grid's shape", tensor.size == grid.shape ? 1 : 0, 1}};
  const std::size_t rank = grid.shape.size();
  if (grid.forward) {
    const Index results = count(grid.forward->results.size());
    rules.push_back({"the map reads as many dimensions as the grid has", count(grid.forward->dims), count(rank)});
    rules.push_back({"the map gives device, y and x, or y and x", results == 2 || results == 3 ? 1 : 0, 1});
  }
  if (grid.inverse) {
    const std::size_t results = grid.inverse->results.size(), dims = grid.inverse->dims;
    rules.push_back({"the map back reads device, y and x, or y and x", dims == 2 || dims == 3 ? 1 : 0, 1});
    rules.push_back({"the map back gives the grid's dimensions", results == rank || results == rank + 1 ? 1 : 0, 1});
  }
  return rules;
}

// (device, y, x) -> the grid ++ guards. Where the map back reads no device, the device is a guard: it must be 0.
std::vector<map::Stage> decode_of(const GridLayout& grid, std::size_t axes, std::size_t& guards) {
  const AffineMap& inverse = *grid.inverse;
  map::Affine take;
  const std::size_t skipped = axes - std::min(axes, inverse.dims);
  for (std::size_t missing = axes; missing < inverse.dims; ++missing) take.rows.emplace_back();  // device 0
  for (std::size_t j = skipped; j < axes; ++j) take.rows.push_back(map::pick(j));
  std::vector<map::Stage> out{std::move(take)};
  std::ranges::move(stages_of(inverse), std::back_inserter(out));
  const std::size_t more = inverse.results.size() - grid.shape.size();
  map::Affine order;  // guards come last
  for (std::size_t j = 0; j < inverse.results.size(); ++j)
    order.rows.push_back(map::pick((j + more) % inverse.results.size()));
  out.emplace_back(std::move(order));
  guards = more;
  return out;
}

}  // namespace

std::vector<map::Stage> stages_of(const AffineMap& map) {
  if (map.linear) return {map::Affine{map.results}};
  return map.stages;
}

bool is_encoded(const AffineMap& map) { return map.linear || !map.stages.empty(); }

namespace {

Result<map::Space> box_of(const map::Map& map, const map::Tensor& tensor, std::span<const char* const> axes) {
  std::vector<map::Range> whole;
  for (const map::Dim& dim : map.domain().dims()) whole.push_back({0, std::max<Index>(dim.extent, 1) - 1});
  const std::vector<map::Range> reach = map::bounds(map, std::move(whole));
  std::vector<map::Dim> dims;
  for (std::size_t j = 0; j < reach.size(); ++j) {
    const std::string axis = axes[j];
    const auto declared = std::ranges::find(tensor.box, axis, &map::Extent::axis);
    const auto span = checked_add(std::max<Index>(reach[j].high, 0), 1);
    if (!span) return Error{ErrorCode::Overflow, "a core's coordinate does not fit in 64 bits", 0};
    dims.push_back({axis, declared == tensor.box.end() ? *span : declared->extent,
                    axis == map::kMemoryAxis ? map::Unit::Byte : map::Unit::Core});
  }
  for (const map::Extent& extent : tensor.box)
    if (std::ranges::find(dims, extent.axis, &map::Dim::name) == dims.end())
      return Error{ErrorCode::Box, fmt::format("the box declares '{}', which is not an axis of this map", extent.axis),
                   0};
  return map::Space::create(std::move(dims));
}

}  // namespace

Result<map::LayoutParts> parts_of(const AffineMap& map, const map::Tensor& tensor, std::span<const char* const> axes) {
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  auto made = map::Map::create(*logical, stages_of(map));
  if (!made) return made.error();
  auto box = box_of(*made, tensor, axes.last(made->outputs()));
  if (!box) return box.error();
  map::LayoutParts parts{std::move(*logical),
                         map::Space{},
                         std::move(*box),
                         made->stages(),
                         0,
                         std::nullopt,
                         0,
                         std::nullopt,
                         map::dot(*strides, tensor.offset)};
  parts.named_axes = true;
  return parts;
}

GridLayout take_grid_layout(Cursor& in) {
  GridLayout out;
  in.expect("<");
  in.skip_space();
  const std::size_t at = in.offset();
  out.shape = take_sizes(in, "a grid");
  if (!in.failed() && std::ranges::any_of(out.shape, [](Index extent) { return extent < 1; }))
    in.fail(ErrorCode::Value, "a grid has at least one core in each dimension", at);
  while (!in.failed() && in.accept(",")) {
    const std::size_t where = in.offset();
    const bool back = in.accept("physical_to_virt_map");
    if (back || in.accept("virt_to_physical_map")) in.expect("=");
    auto& map = back ? out.inverse : out.forward;
    if (map && !in.failed()) in.fail(ErrorCode::Syntax, "this map is there twice", where);
    map = take_map(in);
  }
  in.expect(">");
  return out;
}

std::string print(const GridLayout& grid) {
  std::string out = "#ttcore.grid<" + print_sizes(grid.shape);
  if (grid.forward) out += ", virt_to_physical_map = " + print(*grid.forward);
  if (grid.inverse) out += ", physical_to_virt_map = " + print(*grid.inverse);
  return out + ">";
}

Result<use::Reading> read_grid(const GridLayout& grid, const map::Tensor& tensor) {
  use::Reading reading{use::Undecidable{},
                       rules_of(grid, tensor),
                       print(grid),
                       {},
                       0,
                       {},
                       {},
                       "device map: cores of a virtual grid to cores of the chips"};
  if (const auto strides = map::host_strides(tensor); !strides) return strides.error();
  if (const auto logical = map::Space::create(map::Space::dims("x", tensor.size)); !logical) return logical.error();
  const auto no = [&](std::string why) {
    reading.what = use::Undecidable{std::move(why)};
    return reading;
  };
  if (!grid.forward) return no("the text has no map from the grid to physical cores");
  if (!is_encoded(*grid.forward) || (grid.inverse && !is_encoded(*grid.inverse)))
    return no("a map divides by what is no positive number, or multiplies dimensions; this is not encoded");
  if (is_broken(reading.rules)) return no(why_nowhere(reading.rules));
  auto parts = parts_of(*grid.forward, tensor, kAxes);
  if (!parts) return parts.error();
  if (grid.inverse) parts->decode = decode_of(grid, parts->physical.rank(), parts->decode_guards);
  auto layout = map::Layout::create(std::move(*parts));
  if (!layout) return layout.error();
  reading.what = std::move(*layout);
  return reading;
}

}  // namespace vl::ttmlir
