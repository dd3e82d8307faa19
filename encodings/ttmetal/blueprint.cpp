// A placement as levels of numbers and places of their digits, over integers or over names.
#include <concepts>

#include "encodings/ttmetal/arithmetic.h"
#include "encodings/ttmetal/place.h"

namespace vl::ttmetal {
namespace {

template <class N>
class Lowering {
 public:
  using Terms = std::vector<map::BasicTerm<N>>;

  Lowering(const BasicPlacement<N>& of, const BasicSteps<N>& steps) : of_(of), takers_(of.takers), steps_(steps) {}

  map::Blueprint<N> make(const std::vector<N>& size) {
    out_.named_axes = true;
    out_.logical = size;
    out_.strides.assign(size.size(), 1);
    if (kNamed) out_.fits = of_.size;
    for (std::size_t i = 0; i < of_.physical.size(); ++i) {
      map::BasicNumber<N>& number = out_.numbers.emplace_back();
      for (const auto& [dim, stride] : of_.physical[i]) number.dims.push_back(dim), out_.strides[dim] = stride;
      if (of_.divided[i]) add_part(i);
      add_cells(i);
    }
    if (!parts_.empty()) deal();
    else if (takers_.deal == Deal::Grid) add_axes(grid_[takers_.by_column ? 1 : 0], grid_[takers_.by_column ? 0 : 1]);
    memory_.name = map::kMemoryAxis;
    memory_.extent = in_.times(steps_.volume, takers_.parts_each);
    out_.places.push_back(std::move(memory_));
    return std::move(out_);
  }

 private:
  static constexpr bool kNamed = std::same_as<N, Expression>;

  std::size_t add_level(const N& weight, const N& extent) {
    out_.levels.push_back({weight, extent});
    ++out_.numbers.back().levels;
    return out_.levels.size() - 1;
  }
  void add_core(std::string_view name, const N& extent, const N& constant, Terms terms) {
    map::BasicPlace<N>& place = out_.places.emplace_back();
    place.name = name, place.unit = map::Unit::Core, place.extent = extent;
    place.constant = constant, place.terms = std::move(terms);
  }
  void add_axes(Terms y, Terms x) {
    add_core("y", takers_.rows, takers_.y, std::move(y));
    add_core("x", takers_.columns, takers_.x, std::move(x));
  }

  // The levels that are a core, one core being `each`. Names count those of one rectangle, by rows or by columns.
  void add_cores(const N& each) {
    if (!kNamed || takers_.banks)
      return add_core(takers_.banks ? "bank" : "core", takers_.count, 0, {{add_level(each, takers_.count), 1}});
    const bool down = takers_.by_column;
    const std::size_t outer =
        add_level(each * (down ? takers_.high : takers_.wide), down ? takers_.wide : takers_.high);
    const std::size_t inner = add_level(each, down ? takers_.high : takers_.wide);
    add_axes({{down ? inner : outer, 1}}, {{down ? outer : inner, 1}});
  }

  void add_part(std::size_t i) {
    const std::size_t n = of_.physical.size();
    if (takers_.deal == Deal::Grid) {
      grid_[i + 2 - n] = {{add_level(of_.divisor[i], takers_.along(i + 1 < n)), 1}};
    } else if (kNamed && takers_.one_each) {
      add_cores(of_.divisor[i]);
    } else {
      N step = 1;
      for (std::size_t k = i + 1; k < n; ++k) step = in_.times(step, of_.parts[k]);
      parts_.push_back({add_level(of_.divisor[i], of_.parts[i]), std::move(step)});
    }
  }

  // The cells of a part in one dimension, their faces, and what lies inside.
  void add_cells(std::size_t i) {
    const Index side = of_.tile_size(i), face = of_.face_size(i);
    const bool last = i + 1 == of_.physical.size();
    const auto add = [&](const N& weight, const N& extent, const N& step) {
      memory_.terms.push_back({add_level(weight, extent), step});
    };
    // What lies beyond a part in a dimension that is not divided; of names laws say that there is none.
    if constexpr (!kNamed) add(of_.cells[i] * side, 1, steps_.volume);
    add(side, of_.cells[i], steps_.cell[i]);
    if (face < side) add(face, side / face, last ? steps_.face_column : steps_.face_row);
    if (side > 1) add(1, face, last ? steps_.column : steps_.row);
  }

  // The number of the part, which goes round the cores, or is dealt in runs.
  void deal() {
    out_.numbers.push_back({{}, 0, std::move(parts_)});
    const bool runs = takers_.deal == Deal::Contiguous;
    const N& each = takers_.parts_each;
    if (!runs) memory_.terms.push_back({add_level(takers_.count, each), steps_.volume});
    add_cores(runs ? each : N(1));
    if (runs) memory_.terms.push_back({add_level(1, each), steps_.volume});
  }

  const BasicPlacement<N>& of_;
  const BasicTakers<N>& takers_;
  const BasicSteps<N>& steps_;
  Arithmetic<N> in_;
  map::Blueprint<N> out_;
  map::BasicPlace<N> memory_;
  Terms parts_, grid_[2];
};

}  // namespace

template <class N>
std::optional<BasicSteps<N>> steps_of(const BasicPlacement<N>& placement) {
  Arithmetic<N> in;
  const Tile& tile = placement.tile;
  if (!checked_mul(tile.height, tile.width)) return std::nullopt;
  BasicSteps<N> out{std::vector<N>(placement.cells.size(), 1),
                    tile.face_height * tile.width,
                    tile.face_height * tile.face_width,
                    tile.face_width,
                    1,
                    tile.height * tile.width};
  if (tile.faces_by_column)
    out.face_row = tile.face_height * tile.face_width, out.face_column = tile.height * tile.face_width;
  if (tile.within_by_column) out.row = 1, out.column = tile.face_height;
  for (std::size_t i = placement.cells.size(); i-- > 0;) {
    out.cell[i] = out.volume;
    out.volume = in.times(out.volume, placement.cells[i]);
  }
  return in.overflows() ? std::nullopt : std::optional(std::move(out));
}
template std::optional<BasicSteps<Index>> steps_of(const BasicPlacement<Index>& placement);
template std::optional<BasicSteps<Expression>> steps_of(const BasicPlacement<Expression>& placement);

template <class N>
map::Blueprint<N> blueprint_of(const BasicPlacement<N>& placement, const BasicSteps<N>& steps,
                               const std::vector<N>& size) {
  return Lowering<N>(placement, steps).make(size);
}
template map::Blueprint<Index> blueprint_of(const BasicPlacement<Index>&, const BasicSteps<Index>&,
                                            const std::vector<Index>&);
template map::Blueprint<Expression> blueprint_of(const BasicPlacement<Expression>&, const BasicSteps<Expression>&,
                                                 const std::vector<Expression>&);

}  // namespace vl::ttmetal
