// A division as levels of numbers and places of their digits, over integers or over names.
#include <fmt/format.h>

#include <concepts>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using map::Expression;

template <class N>
class Lowering {
 public:
  Lowering(const Division<N>& of, const BasicSteps<N>& steps) : of_(of), steps_(steps) {}

  map::Blueprint<N> make() {
    out_.named_axes = true;
    const std::size_t n = of_.grid.size();
    for (std::size_t i = 0; i < n; ++i) {
      out_.numbers.emplace_back();
      if (of_.dealt.empty()) add_block(i);
      else tiles_.push_back({add_level(side(i), of_.dealt[i]), i == 0 ? of_.dealt[1] : N(1)});
      add_in_tile(i);
    }
    if (!of_.dealt.empty()) deal();
    memory_.name = map::kMemoryAxis;
    memory_.extent = steps_.volume;
    out_.places.push_back(std::move(memory_));
    return std::move(out_);
  }

 private:
  static constexpr bool kNamed = std::same_as<N, Expression>;

  [[nodiscard]] Index side(std::size_t i) const { return tile_size(of_.tile, i, of_.grid.size()); }
  std::size_t add_level(const N& weight, const N& extent) {
    out_.levels.push_back({weight, extent});
    ++out_.numbers.back().levels;
    return out_.levels.size() - 1;
  }
  void in_memory(const N& weight, const N& extent, const N& step) {
    memory_.terms.push_back({add_level(weight, extent), step});
  }
  void add_core(std::size_t i, const N& weight) {
    map::BasicPlace<N>& core = out_.places.emplace_back();
    core.name = fmt::format("c{}", i), core.unit = map::Unit::Core, core.extent = of_.grid[i];
    core.terms.push_back({add_level(weight, of_.grid[i]), 1});
  }

  void add_block(std::size_t i) {
    add_core(i, of_.divisor[i]);
    // Too far out in the first dimension is behind the shard's end. In another dimension it would be another place in
    // the shard, so what lies beyond adds the size of the shard. Of names laws say that there is none.
    if constexpr (!kNamed)
      if (const auto declared = checked_mul(of_.cells[i], side(i)); i > 0 && steps_.volume > 0 && declared)
        in_memory(*declared, 1, steps_.volume);
    in_memory(side(i), of_.cells[i], steps_.tile[i]);
  }
  void add_in_tile(std::size_t i) {
    const Index side = this->side(i), face = face_of(side);
    const bool last = i + 1 == of_.grid.size();
    if (face < side) in_memory(face, side / face, last ? steps_.face_column : steps_.face_row);
    if (side > 1) in_memory(1, face, last ? Index{1} : steps_.row);
  }

  void deal() {
    out_.numbers.push_back({{}, 0, std::move(tiles_)});
    const N cores = of_.grid[0] * of_.grid[1];
    N each = 0;  // no digit of numbers depends on it
    if constexpr (kNamed) each = Expression::of(Expression::Kind::Ceil, of_.dealt[0] * of_.dealt[1], cores);
    in_memory(cores, each, of_.tile.height * of_.tile.width);
    add_core(0, of_.grid[1]);
    add_core(1, 1);
  }

  const Division<N>& of_;
  const BasicSteps<N>& steps_;
  map::Blueprint<N> out_;
  map::BasicPlace<N> memory_;
  std::vector<map::BasicTerm<N>> tiles_;
};

}  // namespace

template <class N>
std::optional<BasicSteps<N>> steps_of(const Division<N>& of) {
  const auto area = checked_mul(of.tile.height, of.tile.width);
  if (!area) return std::nullopt;
  const Index height = face_of(of.tile.height), width = face_of(of.tile.width);
  BasicSteps<N> out{std::vector<N>(of.cells.size(), 0), height * of.tile.width, height * width, width, *area};
  for (std::size_t i = of.cells.size(); i-- > 0;) {
    out.tile[i] = out.volume;
    if constexpr (std::same_as<N, Expression>) {
      out.volume = out.volume * of.cells[i];
    } else {
      const auto next = checked_mul(out.volume, of.cells[i]);
      if (!next) return std::nullopt;
      out.volume = *next;
    }
  }
  return out;
}
template std::optional<BasicSteps<Index>> steps_of(const Division<Index>&);
template std::optional<BasicSteps<Expression>> steps_of(const Division<Expression>&);

template <class N>
map::Blueprint<N> blueprint_of(const Division<N>& of, const BasicSteps<N>& steps) {
  return Lowering<N>(of, steps).make();
}
template map::Blueprint<Index> blueprint_of(const Division<Index>&, const BasicSteps<Index>&);
template map::Blueprint<Expression> blueprint_of(const Division<Expression>&, const BasicSteps<Expression>&);

}  // namespace vl::ttmlir
