// Search: what looks for steps has in common, whichever goal they show. A cell is rewritten until its lines can be
// carried through what the goal is about, or cut; what a digit without a form needs is asked of hints.h.
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "verifier/engines/cells/hints.h"
#include "verifier/kernel/claims/replay.h"

namespace vl::engines::cells {

using kernel::Lines;
using kernel::Note;
using kernel::Step;
using kernel::Steps;
using kernel::Wide;
using Cell = kernel::Cell<Wide>;
using Line = kernel::Line<Wide>;
using NoForm = kernel::NoForm<Wide>;

/// A group counts from another number.
struct Shift {
  std::size_t group;
  Wide by;
};
struct Closed {};
struct Stop {};
using Next = std::variant<Closed, Note<Wide>, Block, Cut, Shift, Stop>;

/// Thrown where the lines that are carried show too little: what to do next.
struct Wants {
  Next next;
};

class Search {
 public:
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

 protected:
  /// `divides`: where no block helps, a quotient becomes an atom of its own. `cells`: at most. `shifts`: whoever asks
  /// begins again with a group that is shifted.
  Search(bool divides, std::size_t cells, bool shifts = true) : divides_(divides), shifts_(shifts), most_(cells) {}
  ~Search() = default;

  /// How many sides are run, the lines of one, and the steps that close a cell whose sides were run.
  [[nodiscard]] virtual std::size_t sides() const = 0;
  virtual Lines run(Cell& cell, std::size_t side, kernel::Notes<Wide>& notes) = 0;
  virtual Next close(Cell& cell) = 0;
  /// Where to cut a cell of which nothing else is known.
  [[nodiscard]] virtual std::optional<Cut> otherwise(const Cell&) const { return std::nullopt; }

  /// Rewrites a cell by a step, which is kept.
  void apply(Cell& cell, Step step);
  /// Appends the steps of a cell and of what it is cut into. False if none were found: those so far stay, and say
  /// nothing.
  bool treat(Cell cell);
  void append(const Steps& steps) { steps_.insert(steps_.end(), steps.begin(), steps.end()); }
  [[nodiscard]] bool may_cut() const { return cells_ < most_; }

  /// What a quotient without a form needs.
  [[nodiscard]] Next for_quotient(const Cell& cell, const NoForm& stuck) const;
  /// The note with which it becomes an atom.
  [[nodiscard]] static Note<Wide> division(const Cell& cell, const NoForm& stuck);
  /// Multiples of equations with which a line loses values without a form: c·(w·q + r) is c·inner.
  [[nodiscard]] static std::optional<Note<Wide>> note_of_equations(const Cell& cell, Line line, std::size_t stage,
                                                                   std::size_t at);
  /// A last step whose notes are found one after the other: `carry` throws where one is missing.
  Next close_by(Step out, const Cell& ran, const std::function<void(Cell&, kernel::Notes<Wide>&)>& carry);

  Steps steps_;
  std::size_t cells_ = 1;
  std::optional<Shift> shift_;

 private:
  [[nodiscard]] std::optional<Shift> shift_for(const Cell& cell, const NoForm& stuck) const;

  bool divides_, shifts_;
  std::size_t most_;
};

/// What an attempt held is given back.
class GivesBack {
 public:
  GivesBack() : bytes_(kernel::work_of_thread.bytes) {}
  GivesBack(const GivesBack&) = delete;
  GivesBack& operator=(const GivesBack&) = delete;
  ~GivesBack() { kernel::work_of_thread.bytes = bytes_; }

 private:
  long long bytes_;
};

}  // namespace vl::engines::cells
