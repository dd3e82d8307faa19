// Atoms: the symbolic execution behind DigitDomain (digit_domain.h). Values are linear rows over atoms; each stage
// takes rows to rows, or fails.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::engines {

using map::Range;
using map::Row;

/// floor(x / low) mod (high / low) of the element's number x; or a replica, [0, high) and low = 0; or what a swizzle
/// gave.
struct Atom {
  enum class Kind { Digit, Replica, Swizzled };
  Kind kind = Kind::Digit;
  Index low = 1;
  Index high = 1;
  std::size_t replica = 0;

  /// The largest value. Requires: not Swizzled.
  [[nodiscard]] Index most() const { return (kind == Kind::Digit ? high / low : high) - 1; }
  bool operator==(const Atom&) const = default;
};

class Atoms {
 public:
  /// Starts with one row an input of the layout's map. Requires: no extent is 0.
  /// `keep_idle`: a swizzle that moves no address of its row is kept all the same.
  Atoms(const map::Layout& layout, bool keep_idle);

  /// Runs the layout's stages. False outside the fragment or when a number leaves 64 bits.
  [[nodiscard]] bool run(std::span<const map::Stage> stages);

  [[nodiscard]] const std::vector<Atom>& atoms() const { return atoms_; }
  [[nodiscard]] const std::vector<Row>& values() const { return values_; }
  /// The one swizzle that is left, with the row that it swizzles; its atom is of kind Swizzled.
  [[nodiscard]] const std::optional<map::Swizzle>& swizzle() const { return swizzle_; }
  [[nodiscard]] const Row& address() const { return address_; }
  [[nodiscard]] std::optional<Range> range(const Row& row) const;

 private:
  [[nodiscard]] Row atom(const Atom& atom);
  [[nodiscard]] std::optional<Row> merged(Row row);
  [[nodiscard]] bool split(const Row& row, std::span<const Index> weights, std::vector<Row>& digits);
  [[nodiscard]] bool divide(const Row& row, Index weight, Row& quotient, Row& rest);
  [[nodiscard]] bool pass(const map::Swizzle& swizzle);

  bool keep_idle_;
  std::vector<Atom> atoms_;
  std::vector<Row> values_;
  std::optional<map::Swizzle> swizzle_;
  Row address_;
};

/// Whether the swizzle leaves every address of [0, high] where it is: its source field is always 0.
[[nodiscard]] bool is_idle(const map::Swizzle& swizzle, Index high);

}  // namespace vl::engines
