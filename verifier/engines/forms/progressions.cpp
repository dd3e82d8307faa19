#include "verifier/engines/forms/progressions.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace vl::engines {
namespace {

using Wide = __int128;

constexpr std::size_t kMostBlocks = map::kMostPieces;
constexpr Index kFar = Index{1} << 62;

Index last(const Progression& p) { return p.start + p.step * (p.count - 1); }

// x with a·x ≡ 1 (mod m), for coprime a and m >= 1.
Index inverse_modulo(Index a, Index m) {
  Wide r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    std::tie(r0, r1) = std::pair(r1, r0 - q * r1);
    std::tie(t0, t1) = std::pair(t1, t0 - q * t1);
  }
  return static_cast<Index>(t0 < 0 ? t0 + m : t0);
}

// One coordinate as a progression, when its variables nest without gaps: the smallest step is walked fully before the
// next one moves. Otherwise the variable that does not fit.
struct LineShape {
  Progression progression;
  std::optional<std::size_t> misfit;
};

LineShape shape_of(const map::Line& line, std::span<const Index> extents) {
  std::vector<std::size_t> order;
  LineShape out{{line.constant, 1, 1}, {}};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (line.coefficients[k] == 0 || extents[k] == 1) continue;
    order.push_back(k);
    if (line.coefficients[k] < 0) out.progression.start += line.coefficients[k] * (extents[k] - 1);
  }
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::abs(line.coefficients[k]); });
  for (const std::size_t k : order) {
    const Index step = std::abs(line.coefficients[k]);
    if (out.progression.count == 1) out.progression.step = step;
    else if (Wide{out.progression.step} * out.progression.count != step) {
      out.misfit = k;
      return out;
    }
    out.progression.count *= extents[k];
  }
  return out;
}

class Builder {
 public:
  explicit Builder(std::size_t first) : first_(first) {}

  // False when there are too many blocks.
  bool add(const map::Piece& piece) {
    if (blocks.size() > kMostBlocks || ++steps_ > 4 * kMostBlocks) return false;
    Block block;
    for (std::size_t k = 0; k < piece.extents.size(); ++k) {
      if (piece.extents[k] == 1) continue;
      const auto takers = std::count_if(piece.lines.begin() + static_cast<std::ptrdiff_t>(first_), piece.lines.end(),
                                        [&](const map::Line& line) { return line.coefficients[k] != 0; });
      if (takers > 1) return each(piece, k);
      if (takers == 0 && __builtin_mul_overflow(block.times, piece.extents[k], &block.times)) return false;
    }
    for (std::size_t j = first_; j < piece.lines.size(); ++j) {
      const auto range = map::range_of(piece.lines[j], piece.extents);
      if (!range || range->low < -kFar || range->high > kFar) return false;
      const LineShape shape = shape_of(piece.lines[j], piece.extents);
      if (shape.misfit) return each(piece, *shape.misfit);
      block.dims.push_back(shape.progression);
    }
    blocks.push_back(std::move(block));
    return true;
  }

  std::vector<Block> blocks;

 private:
  bool each(const map::Piece& piece, std::size_t k) {
    const auto parts = map::each_value(piece, k);
    return parts && std::ranges::all_of(*parts, [&](const map::Piece& part) { return add(part); });
  }

  std::size_t first_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<Progression> intersect(const Progression& a, const Progression& b) {
  if (a.step == 1 && b.step == 1) {
    const Index low = std::max(a.start, b.start);
    const Index high = std::min(last(a), last(b));
    return low <= high ? std::optional(Progression{low, 1, high - low + 1}) : std::nullopt;
  }
  if (a.start > last(b) || b.start > last(a)) return std::nullopt;
  const Index common = std::gcd(a.step, b.step);
  if ((b.start - a.start) % common != 0) return std::nullopt;
  // a.start + a.step·u ≡ b.start (mod b.step)
  const Index modulus = b.step / common;
  const Index u = static_cast<Index>(Wide{floor_mod((b.start - a.start) / common, modulus)} *
                                     inverse_modulo(a.step / common, modulus) % modulus);
  const Wide step = Wide{a.step} * modulus;
  Wide first = Wide{a.start} + Wide{a.step} * u;
  const Wide low = std::max(a.start, b.start);
  const Wide high = std::min(last(a), last(b));
  if (first < low) first += (low - first + step - 1) / step * step;
  if (first > high) return std::nullopt;
  const auto count = static_cast<Index>((high - first) / step + 1);
  return Progression{static_cast<Index>(first), count == 1 ? 1 : static_cast<Index>(step), count};
}

std::optional<Block> intersect(const Block& a, const Block& b) {
  Block out;
  if (__builtin_mul_overflow(a.times, b.times, &out.times)) out.times = std::max(a.times, b.times);
  for (std::size_t k = 0; k < a.dims.size(); ++k) {
    const auto both = intersect(a.dims[k], b.dims[k]);
    if (!both) return std::nullopt;
    out.dims.push_back(*both);
  }
  return out;
}

Index volume(const Block& block) {
  Index points = 1;
  for (const Progression& p : block.dims) points *= p.count;
  return points;
}

std::optional<std::vector<Block>> blocks_of(const map::Piece& piece, std::size_t first) {
  Builder builder(first);
  if (!builder.add(piece)) return std::nullopt;
  return std::move(builder.blocks);
}

Coverage coverage(const std::vector<Block>& area, const std::vector<Block>& cover) {
  Coverage out;
  for (const Block& a : area) {
    out.area += volume(a);
    std::vector<Block> met;
    for (const Block& c : cover) {
      auto both = intersect(a, c);
      if (!both) continue;
      out.twice = out.twice || both->times > 1;
      for (const Block& earlier : met) out.twice = out.twice || intersect(earlier, *both).has_value();
      if (out.twice) return out;
      out.covered += volume(*both);
      met.push_back(std::move(*both));
    }
  }
  return out;
}

bool disjoint(const std::vector<Block>& blocks) {
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    if (blocks[a].times > 1) return false;
    for (std::size_t b = 0; b < a; ++b)
      if (intersect(blocks[a], blocks[b])) return false;
  }
  return true;
}

}  // namespace vl::engines
