// The engine `polynomial`: what holds for every instance of a rule (encodings/map/rule.h).
//
// It walks a tree of cells. On a cell the rule is a layout with polynomials for numbers, and the closed forms of
// layouts with numbers apply:
//   InBox      each coordinate's least value is >= 0 and its greatest is below the extent. Both are taken in a corner
//              of the box of digits, so these obligations are exact.
//   Apart      of elements that have a slot. Peeling: a digit whose stride exceeds Σ stride·(extent - 1) of all digits
//              left in its coordinate is known, and is removed. A stride that is t times another one, with 1 <= t <=
//              extent - 1 of that one, shows two elements that meet (`fails`).
//   InFilled   InBox of the box that is to be filled, and as many places as slots
//   Counted    the number of slots that are hit: the number of points, after InBox and Apart
//   Onto       Counted is the number of slots
// Where an obligation p >= 0 is open, the cell is refined by comparing p.
//
// Digits are independent where the levels are a mixed radix of the number of a dense host; each cell checks that
// (`digits_of`). Other rules are divided level by level; of several numbers the digits are only bounded, so that a
// leaf fails by a number alone: one beyond its levels, or one that two elements have.
//
// Holds on every leaf: proved for all sizes, by polynomials alone. A leaf that fails is for the search of an instance
// to confirm. `open` leaves are neither.
#pragma once

#include <cstdint>
#include <functional>

#include "encodings/base/budget.h"
#include "verifier/engines/polynomial/cell.h"

namespace vl::engines {

enum class AllSizesPart { InBox, Apart, Decoded, InFilled, Counted, Onto, Identity };

struct Leaf {
  enum class Kind { Holds, Fails, Open };
  Kind kind = Kind::Open;
  Cell cell;
  std::string why;  // of Fails and Open, in words
};

struct AllSizesOptions {
  std::size_t most_cells = 600;
  map::Sizes fixed = {};                   // symbols that have these numbers
  std::vector<map::Condition> where = {};  // conditions besides those of the rule
  const Budget* until = nullptr;           // when to give up before
};

/// The leaves of a rule under a part. `complete` is false if the budget ended first.
struct Leaves {
  std::vector<Leaf> all;
  bool complete = true;

  [[nodiscard]] bool proved() const;
  /// Whether some leaf has a size that is known to exist in it.
  [[nodiscard]] bool has_sizes() const;
};

[[nodiscard]] Leaves leaves_of(const map::Rule& rule, std::span<const AllSizesPart> parts,
                               const AllSizesOptions& options = {});

/// The leaves that a look at one cell makes: a leaf, or the step that the cell needs.
[[nodiscard]] Leaves leaves_by(const map::Rule& rule, const AllSizesOptions& options,
                               const std::function<std::variant<Leaf, Refinement>(const Cell&)>& look);

/// The leaves of the question whether an expression is >= 0.
[[nodiscard]] Leaves leaves_of_sign(const map::Rule& rule, const map::Expression& not_negative,
                                    const AllSizesOptions& options = {});

/// The leaves of the question whether a rule's laws hold.
[[nodiscard]] Leaves leaves_of_laws(const map::Rule& rule, const AllSizesOptions& options = {});

/// When the parts hold, as a disjunction of conjunctions: P >= N, or M = 1. Nothing if a leaf is not said by the
/// symbols, or there are too many to say it in a condition that one reads. `exact`: else it is only sufficient. An
/// empty list: never. [[]]: always.
struct Weakest {
  std::vector<std::vector<map::Condition>> holds;
  bool exact = true;
};
[[nodiscard]] std::optional<Weakest> weakest(const Leaves& leaves);

/// The expression without the minima, maxima and choices that are decided alike on all cells of the rule.
[[nodiscard]] map::Expression simplified(const map::Rule& rule, const map::Expression& expression);

/// The cells parted until the divisions and comparisons of these expressions are decided, as far as steps help.
[[nodiscard]] std::vector<Cell> parted(std::vector<Cell> cells, std::span<const map::Expression> expressions);

/// The first cells of a rule, which satisfy its conditions. Nothing if a condition cannot be taken in.
[[nodiscard]] std::vector<Cell> cells_of(const map::Rule& rule, const map::Sizes& fixed = {});

}  // namespace vl::engines
