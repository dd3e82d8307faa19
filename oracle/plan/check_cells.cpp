#include "oracle/plan/check_cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::oracle::checker {

void Lines::set(std::size_t i, std::size_t variables, Index constant) {
  constants[i] = constant;
  std::fill_n(coefficients[i].begin(), variables, Index{0});
}

void Lines::copy(std::size_t i, const Lines& other, std::size_t j, std::size_t variables) {
  constants[i] = other.constants[j];
  std::copy_n(other.coefficients[j].begin(), variables, coefficients[i].begin());
}

void Cells::clear() {
  variables = 0;
  progress = {};
  for (Lines& lines : buffers_) lines.count = 0;
  waiting_.clear();
  numbers_.clear();
}

Objection Cells::rewrite(const Rewrite& rewrite) {
  const std::size_t a = rewrite.a;
  if (a >= variables) return fmt::format("variable {} of {}", a, variables);
  switch (rewrite.rule) {
    case Rule::Cut: return cut(a, rewrite.n);
    case Rule::Block: return block(a, rewrite.n);
    case Rule::Fix:
      if (auto objection = cut(a, 1)) return objection;
      remove(a);
      return std::nullopt;
    case Rule::Drop:
      if (extents[a] != 1) return fmt::format("variable {} has {} values", a, extents[a]);
      remove(a);
      return std::nullopt;
    case Rule::Reverse: return reverse(a);
    case Rule::Fuse:
      if (rewrite.b >= variables || rewrite.b == a)
        return fmt::format("variable {} of {} into variable {}", rewrite.b, variables, a);
      return fuse(a, rewrite.b);
    case Rule::Affine:
    case Rule::Digit:
    case Rule::Swizzle:
    case Rule::Constant:
    case Rule::Address:
    case Rule::Emit:
    case Rule::Holds:
    case Rule::Gap: break;
  }
  return "no rule of variables";
}

// The points with v_a < n go on and those with v_a = n + w, 0 <= w < extent - n, wait: two parts of the box.
Objection Cells::cut(std::size_t a, Index n) {
  if (n <= 0 || n >= extents[a]) return fmt::format("{} does not part the {} values of variable {}", n, extents[a], a);
  if (!wait_from(a, n)) return overflow();
  extents[a] = n;
  return std::nullopt;
}

// v = n·y + z with 0 <= z < n is a bijection of the integers with pairs, and c·v = (c·n)·y + c·z. With extent = n·q +
// r, 0 <= r < n, v < extent means y < q, or y = q and z < r: the pairs with z < r have y < q + 1, the others y < q.
Objection Cells::block(std::size_t a, Index n) {
  if (n <= 1 || n >= extents[a]) return fmt::format("blocks of {} of the {} values of variable {}", n, extents[a], a);
  if (variables == kMostVariables) return fmt::format("more than {} variables", kMostVariables);
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < lines(side).count; ++i) {
      auto& coefficients = lines(side).coefficients[i];
      coefficients[variables] = coefficients[a];
      if (__builtin_mul_overflow(coefficients[a], n, &coefficients[a])) return overflow();
    }
  const std::size_t z = variables++;
  const Index rest = extents[a] % n;
  extents[a] /= n;
  extents[z] = n;
  if (rest == 0) return std::nullopt;
  if (!wait_from(z, rest)) return overflow();
  ++extents[a];
  extents[z] = rest;
  return std::nullopt;
}

// w = extent - 1 - v is a bijection of the values, and c·v = c·(extent - 1) - c·w.
Objection Cells::reverse(std::size_t a) {
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < lines(side).count; ++i) {
      Index& coefficient = lines(side).coefficients[i][a];
      if (!accumulate(lines(side).constants[i], coefficient, extents[a] - 1) ||
          __builtin_sub_overflow(Index{0}, coefficient, &coefficient))
        return overflow();
    }
  return std::nullopt;
}

// The way back from a block: with c_a = c_b·n in every line, n = extent_b, c_a·v_a + c_b·v_b = c_b·(n·v_a + v_b).
Objection Cells::fuse(std::size_t a, std::size_t b) {
  Index extent = 0;
  if (__builtin_mul_overflow(extents[a], extents[b], &extent)) return overflow();
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < lines(side).count; ++i) {
      auto& coefficients = lines(side).coefficients[i];
      const auto scaled = checked_mul(coefficients[b], extents[b]);
      if (!scaled || *scaled != coefficients[a])
        return fmt::format("a line steps by {} along variable {}, and by {} along the {} values of variable {}",
                           coefficients[a], a, coefficients[b], extents[b], b);
      coefficients[a] = coefficients[b];
    }
  extents[a] = extent;
  remove(b);
  return std::nullopt;
}

// Requires: v_a is 0 at every point, or no line has it any more.
void Cells::remove(std::size_t a) {
  const auto close = [&](std::array<Index, kMostVariables>& values) {
    for (std::size_t k = a; k + 1 < variables; ++k) values[k] = values[k + 1];
  };
  close(extents);
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < lines(side).count; ++i) close(lines(side).coefficients[i]);
  --variables;
}

// Puts the part of the cell from v_a = n on, counted from n, on the stack. False if a number leaves 64 bits.
bool Cells::wait_from(std::size_t a, Index n) {
  const std::size_t begin = numbers_.size();
  const std::size_t all = lines(0).count + lines(1).count;
  waiting_.push_back({begin, variables, {lines(0).count, lines(1).count}, progress});
  numbers_.resize(begin + all * (variables + 1) + variables);
  Index* to = numbers_.data() + begin;
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < lines(side).count; ++i) {
      const auto& coefficients = lines(side).coefficients[i];
      *to = lines(side).constants[i];
      if (!accumulate(*to, coefficients[a], n)) return false;
      to = std::copy_n(coefficients.begin(), variables, to + 1);
    }
  std::copy_n(extents.begin(), variables, to);
  to[a] -= n;
  return true;
}

bool Cells::next() {
  if (waiting_.empty()) return false;
  const Waiting& cell = waiting_.back();
  variables = cell.variables;
  progress = cell.progress;
  const Index* from = numbers_.data() + cell.begin;
  for (std::size_t side = 0; side < 2; ++side) {
    Lines& to = lines(side);
    to.count = cell.lines[side];
    for (std::size_t i = 0; i < to.count; ++i, from += variables) {
      to.constants[i] = *from++;
      std::copy_n(from, variables, to.coefficients[i].begin());
    }
  }
  std::copy_n(from, variables, extents.begin());
  numbers_.resize(cell.begin);
  waiting_.pop_back();
  return true;
}

bool Cells::is_constant(std::size_t side, std::size_t i) const {
  const auto& coefficients = lines(side).coefficients[i];
  for (std::size_t k = 0; k < variables; ++k)
    if (coefficients[k] != 0 && extents[k] != 1) return false;
  return true;
}

std::optional<Cells::Range> Cells::range(std::size_t side, std::size_t i) const {
  const Lines& of = lines(side);
  Range range{of.constants[i], of.constants[i]};
  for (std::size_t k = 0; k < variables; ++k) {
    const Index coefficient = of.coefficients[i][k];
    if (coefficient > 0 && !accumulate(range.high, coefficient, extents[k] - 1)) return std::nullopt;
    if (coefficient < 0 && !accumulate(range.low, coefficient, extents[k] - 1)) return std::nullopt;
  }
  return range;
}

}  // namespace vl::oracle::checker
