#include "encodings/smt/width.h"

#include <algorithm>

namespace vl::smt {
namespace {

using Wide = unsigned __int128;

Wide magnitude(Index value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? Wide{0 - bits} : Wide{bits};
}

Wide magnitude(const map::Range& range) { return std::max(magnitude(range.low), magnitude(range.high)); }

constexpr Wide kTooWide = ~Wide{0};

// a·b + sum, for the largest magnitude of a sum of products; kTooWide when that leaves 128 bits.
Wide plus_product(Wide sum, Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum)) return kTooWide;
  return sum;
}

// The largest magnitude that any sum or product of the obligation can reach.
class Largest {
 public:
  explicit Largest(const Obligation& obligation) {
    for (TermId term = 0; term < obligation.terms(); ++term) include(magnitude(obligation.range(term)));
    for (const auto& application : obligation.applications()) {
      const map::Map& map = application.map;
      for (std::size_t i = 0; i < map.stages().size(); ++i)
        std::visit([&](const auto& stage) { include(stage, map.ranges(i), map.ranges(i + 1)); }, map.stages()[i]);
    }
    for (const Formula& formula : obligation.required()) include(formula, obligation);
  }

  // Bits of a two's complement number that holds every value within the reach.
  [[nodiscard]] std::optional<unsigned> width() const {
    if (reach_ == kTooWide) return std::nullopt;
    unsigned bits = 1;
    for (Wide rest = reach_; rest != 0; rest >>= 1) ++bits;
    return bits;
  }

 private:
  void include(Wide value) { reach_ = std::max(reach_, value); }

  void include(const map::Affine& affine, const std::vector<map::Range>& in, const std::vector<map::Range>&) {
    for (const map::Row& row : affine.rows) {
      Wide sum = magnitude(row.constant);
      for (const map::Term& term : row.terms)
        sum = plus_product(sum, magnitude(term.coefficient), magnitude(in[term.input]));
      include(sum);
    }
  }
  void include(const map::Split& split, const std::vector<map::Range>& in, const std::vector<map::Range>& out) {
    include(magnitude(in[split.input]));
    for (std::size_t k = 0; k < split.weights.size(); ++k) {
      const Wide weight = magnitude(split.weights[k]);
      include(plus_product(weight, magnitude(out[split.input + k]) + 1, weight));
    }
  }
  void include(const map::Swizzle& swizzle, const std::vector<map::Range>& in, const std::vector<map::Range>& out) {
    include(magnitude(in[swizzle.input]));
    include(magnitude(out[swizzle.input]));
    include(Wide{1} << (swizzle.base + swizzle.bits + swizzle.shift));
  }
  void include(const Formula& formula, const Obligation& obligation) {
    Wide sum = magnitude(formula.linear.constant);
    for (const auto& [term, coefficient] : formula.linear.terms)
      sum = plus_product(sum, magnitude(coefficient), magnitude(obligation.range(term)));
    include(sum);
    for (const Formula& operand : formula.operands) include(operand, obligation);
  }

  Wide reach_ = 1;
};

}  // namespace

std::optional<unsigned> width_of(const Obligation& obligation) { return Largest(obligation).width(); }

bool has_swizzle(const Obligation& obligation) {
  return std::ranges::any_of(obligation.applications(), [](const auto& application) {
    return std::ranges::any_of(application.map.stages(),
                               [](const map::Stage& stage) { return std::holds_alternative<map::Swizzle>(stage); });
  });
}

}  // namespace vl::smt
