// What looks for steps about names has in common (names.h, named_moves.h): which multiples show an order, what a
// quotient without a form needs, in which order differences are known. Where sizes decide, it asks (Sizes).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>

#include "verifier/engines/cells/names.h"
#include "verifier/engines/cells/search.h"

namespace vl::engines::cells {

using NamedCell = kernel::Cell<Polynomial>;
using NamedLine = kernel::Line<Polynomial>;
using NamedLines = kernel::LinesOf<Polynomial>;
using NamedNote = kernel::Note<Polynomial>;
using NamedNotes = kernel::Notes<Polynomial>;
using NamedStep = kernel::BasicStep<Polynomial>;
using NamedMultiples = kernel::Multiples<Polynomial>;
using NamedStuck = kernel::NoForm<Polynomial>;

constexpr int kNamedTries = 96;  // of a cell

[[nodiscard]] inline Polynomial number(std::size_t k) { return Polynomial(static_cast<long long>(k)); }

/// What is given, and some sizes at which it holds: what is below 0 there, no multiples show.
class Given {
 public:
  explicit Given(std::vector<Polynomial> facts);
  [[nodiscard]] const std::vector<Polynomial>& facts() const { return facts_; }

  /// The values of a polynomial at these sizes; no number where it is too large for one.
  static constexpr std::size_t kSamples = 24;
  using Values = std::array<long double, kSamples>;
  [[nodiscard]] Values at(const Polynomial& p) const;
  [[nodiscard]] const Values& at_fact(std::size_t j) const { return values_[j]; }
  [[nodiscard]] bool refutes(const Polynomial& p) const { return refuted(at(p)); }
  [[nodiscard]] static bool refuted(const Values& values) {
    return std::ranges::any_of(values, [](long double value) { return value < 0; });
  }

 private:
  using Sample = std::array<long double, Polynomial::kVariables>;
  [[nodiscard]] static long double at(const Polynomial& p, const Sample& sizes);

  std::vector<Polynomial> facts_;
  std::vector<Sample> samples_;
  std::vector<Values> values_;  // of each fact
};

/// Multiples of facts and of what is given that show a line to be >= 0; nothing where none are found.
[[nodiscard]] std::optional<NamedMultiples> shown(const NamedCell& cell, const Given& given, const NamedLine& line);

/// Multiples of a cell's equations that take the rests away that a line has; nothing where it is not 0 then.
[[nodiscard]] std::optional<NamedMultiples> equations_for(const NamedCell& cell, const NamedLine& line);

struct NamedBlock {
  std::size_t atom;
  Polynomial size;
  std::optional<Polynomial> count;  // none where they fit
  NamedMultiples by;
};
struct NamedShift {
  std::size_t group;
  Polynomial by;
};
using NamedNext = std::variant<Closed, NamedNote, NamedBlock, NamedShift, Stop>;

// Where no block helps, a quotient becomes an atom of its own; or each does, below the extent of a level; or sizes are
// parted. Covers: blocks may reach beyond the end, by any number of them.
enum class NamedMode { Blocks, Covers, Divides, Values, Asks };

class NamedSearch {
 public:
  NamedSearch(const NamedSearch&) = delete;
  NamedSearch& operator=(const NamedSearch&) = delete;

 protected:
  NamedSearch(const Sizes& sizes, const Given& given, NamedMode mode) : sizes_(sizes), given_(given), mode_(mode) {}
  ~NamedSearch() = default;

  /// A value of its own, where a quotient may be one.
  [[nodiscard]] virtual NamedNext division(const NamedCell&, const NamedStuck&) { return Stop{}; }
  /// Whether p >= 0: where sizes may be parted, of all of them or of none.
  [[nodiscard]] bool decides(const Polynomial& p) const {
    return mode_ == NamedMode::Asks ? sizes_.decides(p) : sizes_.shows(p);
  }
  [[nodiscard]] std::optional<NamedMultiples> shown(const NamedCell& cell, const NamedLine& line) const {
    return cells::shown(cell, given_, line);
  }
  /// The note that shows a line to be in [0, most]; nothing where it needs none to be found.
  struct Within {
    bool holds = false;
    NamedMultiples below, above;
  };
  [[nodiscard]] Within within(const NamedCell& cell, const NamedLine& line, const Polynomial& most) const;
  [[nodiscard]] NamedNext for_quotient(const NamedCell& cell, const NamedStuck& stuck);
  void apply(NamedCell& cell, const NamedBlock& block);
  /// Steps that make one difference after the other known.
  void peel(const NamedCell& cell, std::vector<bool> known);

  const Sizes& sizes_;
  const Given& given_;
  NamedMode mode_;
  NamedSteps steps_;
  std::vector<Polynomial> shifts_;  // of groups; none where they are not shifted

 private:
  [[nodiscard]] std::optional<NamedShift> shift_for(const NamedCell& cell, const NamedStuck& stuck) const;
  [[nodiscard]] std::optional<NamedBlock> block_of(const NamedCell& cell, const NamedStuck& stuck, std::size_t k) const;
  bool tell(const NamedCell& cell, kernel::Difference<Polynomial>& known, std::size_t r, std::size_t k,
            std::optional<Polynomial>& open);
  bool by_modulus(const NamedCell& cell, kernel::Difference<Polynomial>& known, const NamedLine& others,
                  const Polynomial& size, std::size_t r, std::size_t k);
};

}  // namespace vl::engines::cells
