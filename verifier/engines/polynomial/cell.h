// Cell: a set of sizes on which a proof needs no further case. It has variables v >= 0, some with a number as upper
// bound, one polynomial in them for each symbol of the rule, and side facts, polynomials that are >= 0. A cell's sizes
// are the values of its symbols' polynomials over all values of its variables that keep bounds and facts.
//
// A cell is refined only by steps whose branches cover it by themselves; for a set of sizes S:
//   compare p      p >= 0, or -p - 1 >= 0. A branch is *eliminated* where it has the form v + rest >= 0 with
//                  -rest >= 0: v = v' - rest; or where -p >= 0 is shown, too, and p has a variable once, with the
//                  coefficient 1 or -1: that is the rest. Else it stays a side fact.
//   divide v by t  v = t·q + r with 0 <= r <= t - 1: one branch
//   residue v, t   v = t·q + i: a branch for each i of 0, …, t - 1
//   quotient p, d  q = floor(p / d) becomes a variable, or 1 and a variable where p >= d; the side facts p - d·q >= 0
//                  and d·q + d - 1 - p >= 0 say what it is, and which other quotients by d are not above it, or not
//                  below. One branch. Requires p >= 0, d >= 1
// So no branch can be left out. A branch may be empty; what is proved of it is then true of nothing.
//
// p >= 0 on a cell if all its coefficients are >= 0; or if it is linear in the bounded variables and this holds at both
// ends of each; or if it is so without multiples of side facts, up to three of them, each times one term that takes
// away a term below 0. These are sufficient: `may_show` is no decision.
//
// Example: M, N, P >= 1 start as m + 1, n + 1, p + 1. P - N is p - n. The branch P >= N has p = p' + n, so P = p' + n +
// 1; the branch P < N has n = n' + p + 1.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/map/rule.h"
#include "encodings/use/random.h"

namespace vl::engines {

using map::Polynomial;

/// A step that would decide what a cell leaves open.
struct Refinement {
  Polynomial compared;                  // compare p
  std::optional<std::size_t> variable;  // divide this one
  Index by = 0;
  bool residue = false;                    // one branch for each remainder of it
  std::optional<Polynomial> divisor = {};  // floor(compared / divisor) becomes a variable
};

/// One condition on the way to a cell: a step's branch. Two literals of one step and of different branches exclude each
/// other, and the branches of a step are everything.
struct Literal {
  std::optional<Polynomial> of = {};  // in the symbols; nothing where they alone do not say it
  Index by = 0;                       // of a remainder by this, which is the branch; else branch 0 is p >= 0
  std::vector<int> place = {};        // of a step that the symbols do not say: the branches before it
  int branch = 0;

  [[nodiscard]] bool is_of_step(const Literal& other) const {
    return of && other.of ? by == other.by && same(*of, *other.of) : !of && !other.of && place == other.place;
  }
};

/// The value of an expression on a cell, the step that is needed first, or nothing where no step helps.
using OnCell = std::variant<Polynomial, Refinement, std::monostate>;

class Cell {
 public:
  /// All sizes of a rule, without its conditions. `fixed` gives some symbols a number.
  Cell(const map::Rule& rule, const map::Sizes& fixed = {});

  [[nodiscard]] bool may_show(const Polynomial& not_negative) const;
  /// The value of an expression. Its divisions and comparisons are decided, or the first one that is not is returned.
  [[nodiscard]] OnCell value(const map::Expression& expression) const;

  /// floor(p / by), in the same way. Nothing unless by >= 1 is shown.
  [[nodiscard]] OnCell quotient(const Polynomial& p, const Polynomial& by) const;

  /// The branches of a step.
  [[nodiscard]] std::vector<Cell> refined(const Refinement& step) const;
  /// The part of the cell where a polynomial is >= 0. Nothing if that is plainly no size.
  [[nodiscard]] std::optional<Cell> with_fact(const Polynomial& not_negative) const;

  /// What a cell is: its variables, each >= 0, and polynomials that are >= 0.
  struct Variable {
    std::size_t number = 0;
    std::optional<Index> most;
  };
  [[nodiscard]] std::vector<Variable> variables() const;
  [[nodiscard]] const std::vector<Polynomial>& facts() const { return facts_; }
  [[nodiscard]] const std::vector<Literal>& path() const { return path_; }
  [[nodiscard]] const std::vector<Polynomial>& symbols() const { return symbols_; }
  /// The symbols' names and lower bounds.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<Index>& lows() const { return lows_; }
  /// Some sizes of the cell, smallest variables first, at most `most` of them; none if none is found nearby. `points`:
  /// how many values of the variables are looked at, about.
  [[nodiscard]] std::vector<map::Sizes> samples(std::size_t most, std::size_t points = 256) const;
  /// Sizes with random variables up to about `reach`, small ones more often; nothing if these keep a side fact not.
  [[nodiscard]] std::optional<map::Sizes> drawn(use::Random& random, Index reach = 40) const;
  /// Whether its bounds and side facts contradict one another. Sufficient, as may_show.
  [[nodiscard]] bool shown_empty() const;
  /// A polynomial of the cell in the rule's symbols; nothing if a variable is none of them plus a polynomial.
  [[nodiscard]] std::optional<Polynomial> in_symbols(const Polynomial& polynomial) const;
  /// One in the symbols that is >= 0 where the polynomial is, and below 0 where that is.
  [[nodiscard]] std::optional<Polynomial> sign_in_symbols(const Polynomial& polynomial) const;

 private:
  [[nodiscard]] static bool is_sum_of_positive(const Polynomial& p);
  [[nodiscard]] Polynomial rounded(const Polynomial& fact) const;
  [[nodiscard]] bool at_ends(const Polynomial& p, int budget) const;
  [[nodiscard]] bool at_ends_of_one(const Polynomial& p, const Polynomial::Term& term, int budget) const;
  [[nodiscard]] bool without_facts(const Polynomial& p) const;
  [[nodiscard]] bool without_multiples(const Polynomial& p, int most, int& tries) const;
  struct Span {  // of a variable's values; sizes outside are none of the cell
    Index least = 0;
    std::optional<Index> most = {};
  };
  [[nodiscard]] std::vector<Span> spans() const;
  [[nodiscard]] std::optional<map::Sizes> sizes_at(Point point) const;
  [[nodiscard]] bool never(const Polynomial& fact) const;
  void substitute(std::size_t variable, const Polynomial& value);
  [[nodiscard]] std::optional<std::size_t> unused() const;
  [[nodiscard]] std::optional<std::pair<Index, Polynomial>> part_of_symbol(std::size_t v) const;
  [[nodiscard]] Literal literal(std::optional<Polynomial> of, Index by, int branch) const;
  // p / by, of which `is` is the quotient; the variable is its, while there is one.
  struct Quotient {
    Polynomial p, by, is;
    std::optional<std::size_t> variable;
    // Whether the others say what the variable is. Where p = by·is is an equation, p may be made of it.
    [[nodiscard]] bool is_of_others() const { return variable && !p.has(*variable) && !by.has(*variable); }
  };
  [[nodiscard]] std::vector<Cell> with_quotient(const Polynomial& p, const Polynomial& by) const;
  [[nodiscard]] bool is_free_product(const Polynomial::Term& term) const;
  [[nodiscard]] std::optional<OnCell> by_parts(const Polynomial& p, const Polynomial& by) const;
  [[nodiscard]] bool settles(Point& point) const;
  [[nodiscard]] bool is_settled(std::size_t variable) const;
  struct Scaled {
    std::size_t symbol = 0;
    Index each = 1, first = 0, by = 1;
  };
  [[nodiscard]] std::optional<Scaled> scaled_symbol(std::size_t v, Index by) const;
  [[nodiscard]] std::vector<Cell> residues(std::size_t variable, Index by) const;
  [[nodiscard]] OnCell greater(const Polynomial& a, const Polynomial& b, bool want_greater) const;
  void tighten();
  [[nodiscard]] bool is_positive(std::size_t v) const;
  [[nodiscard]] std::optional<Cell> with_zero(const Polynomial& p) const;

  std::vector<std::string> names_;  // of the symbols
  std::vector<Index> lows_;
  std::vector<Polynomial> symbols_;  // over the variables
  std::vector<std::optional<Index>> most_ = std::vector<std::optional<Index>>(Polynomial::kVariables);
  std::vector<char> used_ = std::vector<char>(Polynomial::kVariables, 0);
  std::vector<std::optional<Polynomial>> meaning_ = std::vector<std::optional<Polynomial>>(Polynomial::kVariables);
  std::vector<Polynomial> facts_;
  std::vector<Quotient> quotients_;
  std::vector<Literal> path_;
  bool empty_ = false;
};

}  // namespace vl::engines
