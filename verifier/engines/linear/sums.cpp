// The sums engine: bounded exhaustive search for layouts whose strides are too odd for everything before it. Deciding
// them is NP-complete (equal subset sum), and yet cheap while the memory is small: the set of all sums Σ x_i·d_i is one
// bitmap of as many bits as slots, and a digit of extent s and stride d adds itself by shift-and-or, ceil(log2(s))
// times.
//
// Digits are distinct as long as the number of sums is the product of the extents. At the first digit where it is less,
// the smallest extent with fewer sums has its last step on a sum of another step: two points with one slot. What their
// other digits are, the bitmaps of fewer digits say.
//
// Every element must have a slot: then the slot's row-major number is such a sum, and different slots have different
// numbers. Example: (2,2,2):(3,5,8): the first two digits have the sums 0, 3, 5 and 8, and the third digit alone is 8
// too.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "verifier/engines/engine.h"
#include "verifier/engines/forms/digit_domain.h"
#include "verifier/engines/forms/modes.h"
#include "verifier/engines/forms/over_digits.h"

namespace vl::engines {
namespace {

constexpr Index kMostSums = Index{1} << 30;

constexpr Index kMostWords = Index{1} << 33;  // that shifts go over: some ten seconds

// How many words all shifts of one question may go over together.
class WordsLeft {
 public:
  explicit WordsLeft(const Budget& budget) : budget_(budget), left_(budget.work(kMostWords)) {}
  void take(Index words) {
    left_ -= words;
    if (left_ < 0 || budget_.stopped()) throw Abstained{why()};
  }

 private:
  [[nodiscard]] Abstained why() const {
    if (left_ >= 0) return ended(budget_);
    budget_.mark_spent();
    return {Reason::ResourceLimit, "the sums of so many digits take too many steps"};
  }

  const Budget& budget_;
  Index left_;
};

class SumBits {
 public:
  SumBits(Index bits, WordsLeft& left) : words_(static_cast<std::size_t>(bits / 64 + 1), 0), left_(&left) {
    words_[0] = 1;
  }

  [[nodiscard]] bool test(Index bit) const {
    return bit >= 0 && std::cmp_less(bit / 64, words_.size()) && ((word(bit / 64) >> (bit % 64)) & 1) != 0;
  }

  /// Each sum with 0, 1, … count - 1 steps of `stride` more. Sums beyond the last bit do not occur.
  void stack(Index stride, Index count) {
    for (Index covered = 1; covered < count;) {
      const Index more = std::min(covered, count - covered);
      add_shifted(more * stride);
      covered += more;
    }
  }

  [[nodiscard]] Index count() const {
    return std::accumulate(words_.begin(), words_.end(), Index{0},
                           [](Index sum, std::uint64_t word) { return sum + std::popcount(word); });
  }

  /// The smallest bit b of this one with b - shift in `other`. Requires: there is one.
  [[nodiscard]] Index first_shared(const SumBits& other, Index shift) const {
    for (Index w = 0;; ++w)
      if (const std::uint64_t both = word(w) & other.shifted(w, shift)) return 64 * w + std::countr_zero(both);
  }

 private:
  [[nodiscard]] std::uint64_t word(Index w) const { return words_[static_cast<std::size_t>(w)]; }
  // Word w of all bits moved up by `shift`.
  [[nodiscard]] std::uint64_t shifted(Index w, Index shift) const {
    const Index from = w - shift / 64;
    const Index by = shift % 64;
    if (from < 0) return 0;
    return by == 0 ? word(from) : (word(from) << by) | (from > 0 ? word(from - 1) >> (64 - by) : 0);
  }
  void add_shifted(Index shift) {
    left_->take(static_cast<Index>(words_.size()));
    for (auto w = static_cast<Index>(words_.size()); w-- > shift / 64;)
      words_[static_cast<std::size_t>(w)] |= shifted(w, shift);
  }

  std::vector<std::uint64_t> words_;
  WordsLeft* left_;
};

// The row-major number of each point's slot, less the smallest and divided by what divides all strides.
struct Sums {
  std::vector<Mode> modes;  // one a digit; strides not negative
  std::vector<bool> mirrored;
  Index most = 0;  // the largest sum
};

std::optional<Sums> sums_of(const map::Layout& layout, const DigitDomain& digits) {
  if (all_land(layout, digits) != true) return std::nullopt;
  const auto row = map::combined(map::row_major_number(layout.physical()), digits.rows());
  if (!row) return std::nullopt;
  Sums out{{}, std::vector<bool>(digits.box().size(), false), 0};
  Index common = 0;
  for (const Range& range : digits.box()) out.modes.push_back({range.high + 1, 0});
  for (const map::Term& term : row->terms) {
    out.modes[term.input].stride = std::abs(term.coefficient);
    out.mirrored[term.input] = term.coefficient < 0;
    if (out.modes[term.input].extent > 1) common = std::gcd(common, term.coefficient);
  }
  for (Mode& mode : out.modes) {
    if (common > 0) mode.stride = mode.extent > 1 ? mode.stride / common : 0;
    if (!accumulate(out.most, mode.stride, mode.extent - 1)) return std::nullopt;
  }
  return out;
}

class SumSearch {
 public:
  SumSearch(const Sums& sums, WordsLeft& left) : sums_(sums), left_(left) {}

  /// The sums of the first `count` digits.
  [[nodiscard]] SumBits image(std::size_t count) const {
    SumBits bits(sums_.most, left_);
    for (std::size_t k = 0; k < count; ++k) bits.stack(sums_.modes[k].stride, sums_.modes[k].extent);
    return bits;
  }

  /// Two points of the digits' box with one sum, if there are any.
  [[nodiscard]] std::optional<std::pair<Point, Point>> collision() const {
    SumBits before(sums_.most, left_);
    Index points = 1;
    for (std::size_t k = 0; k < sums_.modes.size(); ++k) {
      SumBits after = before;
      after.stack(sums_.modes[k].stride, sums_.modes[k].extent);
      const auto product = checked_mul(points, sums_.modes[k].extent);
      if (!product || after.count() < *product) return collision_at(k, before, points);
      points = *product;
      before = std::move(after);
    }
    return std::nullopt;
  }

 private:
  // Digit k meets sums of the digits before it, of which there are `points`.
  [[nodiscard]] std::pair<Point, Point> collision_at(std::size_t k, const SumBits& before, Index points) const {
    const Mode mode = sums_.modes[k];
    const auto stacked = [&](Index count) {
      SumBits bits = before;
      bits.stack(mode.stride, count);
      return bits;
    };
    Index low = 2;
    Index high = mode.extent;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      const auto product = checked_mul(points, middle);
      if (!product || stacked(middle).count() < *product) high = middle;
      else low = middle + 1;
    }
    const Index shared = stacked(low - 1).first_shared(before, (low - 1) * mode.stride);
    Index step = 0;
    while (!before.test(shared - step * mode.stride)) ++step;
    return {point_of(k, shared, low - 1), point_of(k, shared, step)};
  }

  // The point of digits 0 to k with that sum and that digit k; the others are 0.
  [[nodiscard]] Point point_of(std::size_t k, Index sum, Index digit) const {
    Point point(sums_.modes.size(), 0);
    for (point[k] = digit; k-- > 0;) {
      sum -= point[k + 1] * sums_.modes[k + 1].stride;
      const SumBits rest = image(k);
      while (!rest.test(sum - point[k] * sums_.modes[k].stride)) ++point[k];
    }
    for (std::size_t i = 0; i < point.size(); ++i)
      if (sums_.mirrored[i]) point[i] = sums_.modes[i].extent - 1 - point[i];
    return point;
  }

  const Sums& sums_;
  WordsLeft& left_;
};

}  // namespace

Answer decide_sums(const Question& question, const Options& options) try {
  const bool pair = question.kind == Kind::Collides && question.other != nullptr;
  if (pair || (question.kind != Kind::Collides && question.kind != Kind::Count))
    return abstain("neither collisions nor a count");
  const auto digits = DigitDomain::of(*question.layout);
  if (!digits || digits->swizzle()) return abstain("slots are not sums of digits");
  const auto sums = sums_of(*question.layout, *digits);
  if (!sums) return abstain("an element may have no slot");
  if (sums->most >= kMostSums) return abstain("sums beyond 2^30");
  WordsLeft left(options.budget);
  const SumSearch search(*sums, left);
  if (question.kind == Kind::Count) return Counted{search.image(sums->modes.size()).count()};
  const auto found = search.collision();
  if (!found) return None{};
  Witness witness{digits->point(found->first), digits->point(found->second), {}};
  if (witness.q < witness.p) std::swap(witness.p, witness.q);
  return Found{std::move(witness), false};
} catch (const Abstained& over) {
  return over;
}

}  // namespace vl::engines
