// Sides: the checker carries the lines of a cell through the two maps of a relation, up to the numbers of units. plan.h
// states the law of each rewrite. This file deliberately implements the effect of stages on affine lines a second
// time: it checks the result of planner_pieces.h, and shares code neither with it nor with encodings/map/pieces.h.
#pragma once

#include "oracle/plan/check_cells.h"
#include "oracle/plan/relation.h"

namespace vl::oracle::checker {

class Sides {
 public:
  /// `cells` will hold the cells of the relation's certificate. Both outlive this object.
  Sides(const Relation& relation, Cells& cells) : relation_(relation), cells_(cells) {}

  /// The error of the relation itself. Call it before all other functions.
  [[nodiscard]] Objection sizes();
  /// The number of units of a side's memory.
  [[nodiscard]] Index units(std::size_t k) const { return units_[k]; }
  /// Whether every unit of the destination has exactly one pair, for all maps: the destination is Dense, and the domain
  /// has only the elements.
  [[nodiscard]] bool onto_each_unit_once() const;

  /// Makes the next first cell (the domain, or the next nest) that has a point. `more` says whether there was one.
  [[nodiscard]] Objection start(bool& more);
  /// Affine, Digit, Swizzle, Constant and Address.
  [[nodiscard]] Objection rewrite(Rule rule);
  /// The error of this cell as a piece.
  [[nodiscard]] Objection emit() const;

 private:
  [[nodiscard]] const Side& side(std::size_t k) const { return k == 0 ? relation_.source : relation_.destination; }
  [[nodiscard]] const std::vector<map::Stage>& stages(std::size_t k) const { return side(k).layout->map().stages(); }
  [[nodiscard]] Objection start_domain(bool& empty);
  [[nodiscard]] Objection start_nest(const use::Nest& nest, bool& empty);
  [[nodiscard]] Objection dense(std::size_t k);
  void view(std::size_t k);
  [[nodiscard]] Objection image(std::size_t k);
  void pass_stages_without_effect(std::size_t k);
  [[nodiscard]] Objection affine(std::size_t k, const map::Affine& stage);
  [[nodiscard]] Objection digit(std::size_t k, const map::Split& stage);
  [[nodiscard]] Objection constant(std::size_t k, const map::Swizzle& stage);
  [[nodiscard]] Objection address(std::size_t k);
  [[nodiscard]] Objection in_box(std::size_t k, std::size_t line, Index extent, const map::Swizzle* swizzle) const;
  [[nodiscard]] Objection swizzle_as_a_whole(std::size_t k, const map::Swizzle& swizzle, const Lines& above,
                                             Index weight);

  const Relation& relation_;
  Cells& cells_;
  std::array<Index, 2> units_{};
  std::size_t started_ = 0;  // first cells so far
  // The variable of each input of a side's map; kNone for an input that is 0.
  static constexpr std::size_t kNone = kMostVariables;
  std::array<std::array<std::size_t, kMostLines>, 2> inputs_;
  std::array<std::size_t, 2> input_count_{};
};

/// A bound of the swizzle's values on 0 … high. If the bound is `high` itself, the swizzle permutes 0 … high, because
/// swizzles are injective.
[[nodiscard]] Index bound_of(const ByteSwizzle& swizzle, Index high);

}  // namespace vl::oracle::checker
