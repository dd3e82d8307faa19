// Mutants: a layout with one number of its IR changed. A layout has many numbers of each kind; a draw takes one of each
// kind, as a pure function of the draw's number.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "encodings/map/layout.h"
#include "tests/support/shard.h"

namespace vl::test {

enum class Sort { Stride, Extent, Weight, Swizzle, Offset, Validity };
inline constexpr std::array kSorts = {Sort::Stride,  Sort::Extent, Sort::Weight,
                                      Sort::Swizzle, Sort::Offset, Sort::Validity};

[[nodiscard]] constexpr std::string_view name(Sort sort) {
  constexpr std::array kNames = {"stride", "extent", "digit weight", "swizzle bit", "offset", "validity bound"};
  return kNames[static_cast<std::size_t>(sort)];
}

/// All parts, as they were given to Layout::create.
[[nodiscard]] inline map::LayoutParts parts_of(const map::Layout& layout) {
  map::LayoutParts parts = map::parts_in(layout, layout.physical());
  if (layout.decode()) {
    parts.decode = layout.decode()->stages();
    parts.decode_guards = layout.decode()->outputs() - layout.domain().rank();
  }
  parts.identity = layout.identity();
  parts.filled = layout.filled();
  return parts;
}

struct Mutant {
  Sort sort = Sort::Stride;
  std::string what;  // "stage 0, row 1, x2: 64 becomes 65"
  map::Layout layout;
};

/// Every change of one number of that sort of which the IR can still be made: a coefficient one up, one down, doubled
/// or dropped; an extent (logical, replica, physical), a weight, a swizzle's field one up or down, its direction
/// turned; a constant one up or down; and of what says which slots are valid (the decode map, the filled box, the
/// offset identity) a number one up or down.
class Mutations {
 public:
  explicit Mutations(const map::Layout& layout) : parts_(parts_of(layout)) {}

  [[nodiscard]] std::vector<Mutant> of(Sort sort) {
    out_.clear();
    sort_ = sort;
    switch (sort) {
      case Sort::Stride: strides(parts_.map); break;
      case Sort::Extent: extents(); break;
      case Sort::Weight: weights(parts_.map); break;
      case Sort::Swizzle: swizzles(); break;
      case Sort::Offset: offsets(parts_.map); break;
      case Sort::Validity: validity(); break;
    }
    return std::move(out_);
  }

 private:
  template <class Number>
  void change(Number& at, Number to, const std::string& where) {
    if (at == to) return;
    const Number before = std::exchange(at, to);
    if (auto layout = map::Layout::create(parts_))
      out_.push_back({sort_,
                      fmt::format("{}: {} becomes {}", where, static_cast<Index>(before), static_cast<Index>(to)),
                      std::move(*layout)});
    at = before;
  }
  template <class Number>
  void nudge(Number& at, const std::string& where) {
    change(at, static_cast<Number>(at + 1), where);
    change(at, static_cast<Number>(at - 1), where);
  }

  void strides(std::vector<map::Stage>& stages) {
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (auto* affine = std::get_if<map::Affine>(&stages[s]))
        for (std::size_t r = 0; r < affine->rows.size(); ++r)
          for (map::Term& term : affine->rows[r].terms) {
            const std::string where = fmt::format("stage {}, row {}, x{}", s, r, term.input);
            nudge(term.coefficient, where);
            if (const auto twice = checked_mul(term.coefficient, 2)) change(term.coefficient, *twice, where);
            change(term.coefficient, Index{0}, where);
          }
  }

  void weights(std::vector<map::Stage>& stages) {
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (auto* split = std::get_if<map::Split>(&stages[s]))
        for (std::size_t k = 0; k < split->weights.size(); ++k)
          nudge(split->weights[k], fmt::format("stage {}, weight {}", s, k));
  }

  void offsets(std::vector<map::Stage>& stages) {
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (auto* affine = std::get_if<map::Affine>(&stages[s]))
        for (std::size_t r = 0; r < affine->rows.size(); ++r)
          nudge(affine->rows[r].constant, fmt::format("stage {}, constant of row {}", s, r));
  }

  void swizzles() {
    for (std::size_t s = 0; s < parts_.map.size(); ++s) {
      auto* swizzle = std::get_if<map::Swizzle>(&parts_.map[s]);
      if (swizzle == nullptr) continue;
      nudge(swizzle->base, fmt::format("stage {}, base", s));
      nudge(swizzle->bits, fmt::format("stage {}, bits", s));
      nudge(swizzle->shift, fmt::format("stage {}, shift", s));
      using Direction = map::Swizzle::Direction;
      change(swizzle->direction, swizzle->direction == Direction::Down ? Direction::Up : Direction::Down,
             fmt::format("stage {}, direction", s));
    }
  }

  void resize(map::Space& space, const std::string& which) {
    for (std::size_t d = 0; d < space.rank(); ++d)
      for (const Index step : {Index{1}, Index{-1}}) {
        std::vector<map::Dim> dims = space.dims();
        dims[d].extent += step;
        auto resized = map::Space::create(dims);
        if (!resized) continue;
        map::Space before = std::exchange(space, std::move(*resized));
        if (auto layout = map::Layout::create(parts_))
          out_.push_back(
              {sort_,
               fmt::format("{} {}: extent {} becomes {}", which, dims[d].name, dims[d].extent - step, dims[d].extent),
               std::move(*layout)});
        space = std::move(before);
      }
  }

  void extents() {
    resize(parts_.logical, "logical");
    resize(parts_.replicas, "replica");
    resize(parts_.physical, "physical");
  }

  void validity() {
    if (parts_.filled) resize(*parts_.filled, "filled");
    if (parts_.decode) {
      strides(*parts_.decode);
      weights(*parts_.decode);
      offsets(*parts_.decode);
    }
    if (!parts_.identity) return;
    for (map::Row* row : {&parts_.identity->slot, &parts_.identity->element}) {
      for (map::Term& term : row->terms) nudge(term.coefficient, fmt::format("identity, x{}", term.input));
      nudge(row->constant, "identity, constant");
    }
  }

  map::LayoutParts parts_;
  Sort sort_ = Sort::Stride;
  std::vector<Mutant> out_;
};

/// One mutant of each sort that the layout has, drawn by the number; `each` more of them where there are several.
[[nodiscard]] inline std::vector<Mutant> draw(const map::Layout& layout, std::uint64_t number, std::size_t each = 1) {
  std::vector<Mutant> out;
  Mutations mutations(layout);
  for (const Sort sort : kSorts) {
    std::vector<Mutant> all = mutations.of(sort);
    for (std::size_t k = 0; k < each && !all.empty(); ++k) {
      number = digest(number);
      const auto drawn = all.begin() + static_cast<std::ptrdiff_t>(number % all.size());
      out.push_back(std::move(*drawn));
      all.erase(drawn);
    }
  }
  return out;
}

}  // namespace vl::test
