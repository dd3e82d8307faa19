// A map's stages over the lines of a cell. A digit of weight w takes its line L apart into w·Q + R with 0 <= R < w, the
// only such pair: by default Q has the terms that w divides, and R the others. A certificate's notes say otherwise: at
// (stage, digit) multiples of facts that show where R lies, another constant of Q, a quotient without a form, or
// equations that are added to the line first. Notes come in the order in which they are needed, and none is left.
//
// Example: 150·x1 + 64·y + z with x1 < 100 and the fact 149 - 64y - z >= 0 has by 150 the digit x1; without the fact
// its rest might be 191.
#pragma once

#include <vector>

#include "verifier/kernel/core/cell.h"

namespace vl::kernel {

constexpr std::size_t kCoordinates = static_cast<std::size_t>(-1);  // before the first stage; `at` is the dimension

template <class S>
struct Note {
  std::size_t stage = 0, at = 0;
  bool uses = false;                        // multiples of equations, `below`, are added to the line, and nothing else
  Multiples<S> below = {}, above = {};      // that show where R lies
  std::optional<S> quotient = {};           // the constant of Q
  std::optional<S> from = {}, extent = {};  // of a quotient without a form: from + q, q < extent
};

/// The notes of a step, read once.
template <class S>
class Notes {
 public:
  explicit Notes(const std::vector<Note<S>>& notes) : notes_(notes) {}
  explicit Notes(std::vector<Note<S>>&&) = delete;
  /// The next note if it is about this place; null else.
  const Note<S>* take(std::size_t stage, std::size_t at, bool uses) {
    const bool is_it =
        next_ < notes_.size() && notes_[next_].stage == stage && notes_[next_].at == at && notes_[next_].uses == uses;
    return is_it ? &notes_[next_++] : nullptr;
  }
  void end() const { require(next_ == notes_.size(), "a note about nothing"); }

 private:
  const std::vector<Note<S>>& notes_;
  std::size_t next_ = 0;
};

/// A quotient has no form: no digit of these atoms; or, of weight 0, a swizzle. Who makes certificates looks at it.
template <class S>
struct NoForm : Rejected {
  NoForm(Line<S> line_, Line<S> rest_, S quotient_, S weight_, std::size_t stage_, std::size_t at_)
      : Rejected("a value that has no form"),
        line(std::move(line_)),
        rest(std::move(rest_)),
        quotient(std::move(quotient_)),
        weight(std::move(weight_)),
        stage(stage_),
        at(at_) {}
  Line<S> line, rest;  // line = weight·Q + rest, Q with the constant `quotient`
  S quotient, weight;
  std::size_t stage, at;
};

/// The values of a map's inputs, the coordinates `inputs` of the root, carried through all stages. A first stage that
/// is affine needs no coordinate alone.
template <class S>
[[nodiscard]] std::vector<Line<S>> carry(Cell<S>& cell, const BasicMap<S>& map, const std::vector<std::size_t>& inputs,
                                         Notes<S>& notes);
/// A row over the root's coordinates.
template <class S>
[[nodiscard]] Line<S> carry(Cell<S>& cell, const BasicRow<S>& row, Notes<S>& notes);
/// A row over values.
template <class S>
[[nodiscard]] Line<S> sum(const BasicRow<S>& row, const std::vector<Line<S>>& values);
/// The same from values on.
template <class S>
[[nodiscard]] std::vector<Line<S>> carry(Cell<S>& cell, const std::vector<BasicStage<S>>& stages, std::size_t first,
                                         std::vector<Line<S>> values, Notes<S>& notes);

}  // namespace vl::kernel
