#include "verifier/checker/columns.h"

#include <bit>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;

// factor times the value, factor > 0.
Bits times(const Bits& value, Wide factor) {
  charge(4 * value.columns.size());
  Bits out = value;
  std::uint64_t seen = 0;
  bool apart_before = true, apart_after = true;
  const bool shifts = std::has_single_bit(static_cast<std::uint64_t>(factor.narrow()));
  const auto scale = [&](std::uint64_t& column) {
    column = static_cast<std::uint64_t>((factor * static_cast<long long>(column)).narrow());
    require(column < kLimit, "a column beyond 62 bits");
    apart_after = apart_after && (seen & column) == 0;
    seen |= column;
  };
  for (std::uint64_t before = value.constant; const std::uint64_t column : value.columns) {
    apart_before = apart_before && (before & column) == 0;
    before |= column;
  }
  scale(out.constant);
  for (std::uint64_t& column : out.columns) scale(column);
  require(shifts || (apart_before && apart_after), "a multiplication that carries");
  return out;
}

template <class Function>
Bits map_columns(Bits value, Function function) {
  value.constant = function(value.constant);
  for (std::uint64_t& column : value.columns) column = function(column);
  return value;
}

}  // namespace

std::uint64_t Bits::support() const {
  std::uint64_t out = constant;
  for (const std::uint64_t column : columns) out |= column;
  return out;
}

Columns::Columns(const Space& box) {
  for (const Wide& extent : box.extents) {
    require(extent > 0 && extent <= 1LL << 62, "an extent that has no bits");
    Bits coordinate{0, std::vector<std::uint64_t>(bits_, 0)};
    const int width = 64 - std::countl_zero(static_cast<std::uint64_t>((extent - 1).narrow()));
    for (int b = 0; b < width; ++b) coordinate.columns.push_back(std::uint64_t{1} << b);
    bits_ += static_cast<std::size_t>(width);
    charge(bits_), held_.take(bits_ * sizeof(std::uint64_t));
    inputs_.push_back(std::move(coordinate));
  }
  charge(bits_ * inputs_.size()), held_.take(bits_ * inputs_.size() * sizeof(std::uint64_t));
  for (Bits& input : inputs_) input.columns.resize(bits_, 0);
}

Bits Columns::sum(const Row& row, const std::vector<Bits>& values) const {
  require(row.constant >= 0 && row.constant < 1LL << 62, "a constant that is not an exclusive-or sum");
  charge(bits_), held_.take(bits_ * sizeof(std::uint64_t));
  Bits out{static_cast<std::uint64_t>(row.constant.narrow()), std::vector<std::uint64_t>(bits_, 0)};
  for (const auto& [input, coefficient] : row.terms) {
    require(coefficient > 0, "a coefficient that is not an exclusive-or sum");
    const Bits term = times(values[input], coefficient);
    charge(3 * bits_);
    require((out.support() & term.support()) == 0, "an addition that carries");
    out.constant ^= term.constant;
    for (std::size_t b = 0; b < bits_; ++b) out.columns[b] ^= term.columns[b];
  }
  return out;
}

std::pair<Bits, Bits> Columns::divide(const Bits& value, Wide weight) const {
  require(weight <= 1LL << 62, "a weight beyond 62 bits");
  const auto power = static_cast<std::uint64_t>(weight.narrow());
  charge(3 * bits_), held_.take(2 * bits_ * sizeof(std::uint64_t));
  require(std::has_single_bit(power) || value.support() < power, "a weight that is not a power of two");
  if (!std::has_single_bit(power)) return {map_columns(value, [](std::uint64_t) { return std::uint64_t{0}; }), value};
  return {map_columns(value, [&](std::uint64_t column) { return column / power; }),
          map_columns(value, [&](std::uint64_t column) { return column % power; })};
}

// Linear over the columns, and the constant is one of them.
Bits Columns::swizzle(const Bits& value, const Stage& stage) const {
  charge(4 * bits_);
  return map_columns(value, [&](std::uint64_t column) {
    return static_cast<std::uint64_t>(stage.swizzled(static_cast<long long>(column)).narrow());
  });
}

}  // namespace vl::checker
