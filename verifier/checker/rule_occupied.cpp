#include "verifier/checker/rule_occupied.h"

#include <algorithm>
#include <map>

namespace vl::checker {
namespace {

constexpr int kMostJoined = 16;  // numbers, one in the other

class Covered {
 public:
  Covered(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical)
      : rule_(rule), sizes_(sizes), logical_(logical), taken_(rule.levels.size()) {
    require_numbers(rule, sizes, logical);
    std::size_t next = 0;
    for (const RuleText::Number& number : *rule.numbers) first_.push_back(next), next += number.levels;
  }

  void check() {
    for (const RuleText::Place& place : rule_.places) {
      require(place.constant == ExpressionText{} && place.terms.size() <= 1, "a coordinate that is no digit");
      if (place.terms.empty()) {
        sizes_.needs(Polynomial(1) - sizes_.value(place.extent), "a core that no element has");
        continue;
      }
      require(place.terms[0].coefficient == ExpressionText{{}, 1}, "a coordinate that is a multiple of a digit");
      take(place.terms[0].input);
      extents_[place.terms[0].input] = sizes_.value(place.extent);
    }
    for (std::size_t n = 0; n < first_.size(); ++n) check_number(n);
  }

  void check_numbers() {
    require(!rule_.joins && rule_.places.size() == first_.size(), "another number of coordinates");
    for (std::size_t n = 0; n < first_.size(); ++n) {
      const RuleText::Place& place = rule_.places[n];
      require(place.constant == ExpressionText{} && first_[n] + place.terms.size() == end_of(n) && !place.terms.empty(),
              "a coordinate that is no number");
      for (std::size_t level = first_[n]; level < end_of(n); ++level) {
        const RuleText::Term& term = place.terms[level - first_[n]];
        require(term.input == level && are_equal(sizes_.value(term.coefficient), weight(level), sizes_),
                "a coordinate of other digits");
      }
      const Polynomial left_over = sizes_.value(place.extent) - 1 - greatest(n, 1);
      sizes_.needs(left_over, "a number beyond the box"), sizes_.needs(left_over * -1, "a slot that holds nothing");
    }
  }

 private:
  void take(std::size_t level) {
    require(level < taken_.size() && !taken_[level], "a digit that is none, or is read twice");
    taken_[level] = true;
  }
  [[nodiscard]] std::size_t end_of(std::size_t n) const { return first_[n] + (*rule_.numbers)[n].levels; }
  [[nodiscard]] Polynomial weight(std::size_t level) const { return sizes_.value(rule_.levels[level].weight); }

  [[nodiscard]] bool is_read(std::size_t from, std::size_t end) const {
    const auto next = extents_.lower_bound(from);
    return next != extents_.end() && next->first < end;
  }

  // The coordinates that are digits of one number.
  void check_number(std::size_t n) {
    const std::size_t end = end_of(n);
    std::size_t begin = first_[n];
    while (begin < end && !extents_.contains(begin)) ++begin;
    if (begin == end) return;
    Polynomial cores = 1;
    std::size_t level = begin;
    for (; level < end && extents_.contains(level); ++level) {
      const Polynomial& extent = extents_.at(level);
      require(level == begin || are_equal(weight(level - 1), weight(level) * extent, sizes_),
              "a coordinate of another radix");
      cores = cores * extent;
    }
    require(!is_read(level, end), "a digit behind one that is no coordinate");
    const Polynomial w = weight(level - 1);
    for (std::size_t before = first_[n]; before < begin; ++before)  // weights need not descend
      sizes_.needs(weight(before) - w * cores, "a coordinate beyond its digit");
    sizes_.needs(greatest(n, w) - w * (cores - 1), "a core that no element has");
  }

  // The greatest value of a number, of which no two that follow one another are more than w apart.
  Polynomial greatest(std::size_t n, const Polynomial& w, int joined = 0) {
    require(joined < kMostJoined, "numbers that join others too often");
    std::vector<std::pair<Polynomial, Polynomial>> parts;  // stride, most
    for (const std::size_t dim : (*rule_.numbers)[n].dims)
      parts.emplace_back(sizes_.value(rule_.strides[dim]), logical_[dim] - 1);
    for (const RuleText::Term& term : rule_.joins ? (*rule_.joins)[n] : std::vector<RuleText::Term>{}) {
      // Of numbers that begin at one level, the last one has levels.
      const auto from = static_cast<std::size_t>(std::ranges::upper_bound(first_, term.input) - first_.begin()) - 1;
      require(from < n && first_[from] == term.input && !is_read(term.input, end_of(from)),
              "a digit that is not the first one of a number before");
      take(term.input);
      const Polynomial of = weight(term.input);
      const Polynomial most = greatest(from, of, joined + 1);
      parts.emplace_back(sizes_.value(term.coefficient), sizes_.quotient(most, of));
    }
    Polynomial reach = 0;
    for (std::size_t i = parts.size(); i-- > 0;) {
      const auto& [stride, most] = parts[i];
      if (sizes_.shows(most * -1)) continue;
      sizes_.needs(w + reach - stride, "numbers between which a core may lie");
      reach = reach + stride * most;
    }
    return reach;
  }

  const RuleText& rule_;
  const SizeSet& sizes_;
  const Polynomials& logical_;
  std::vector<bool> taken_;                    // of each level
  std::vector<std::size_t> first_;             // level of each number
  std::map<std::size_t, Polynomial> extents_;  // of the coordinates that are levels
};

}  // namespace

void check_every_core(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  require(rule.named && rule.numbers && !rule.swizzle && !rule.start, "cores of another rule");
  Covered(rule, sizes, logical).check();
}

void check_every_number(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  require(!rule.named && rule.numbers && !rule.decodes && rule.replicas.empty() && !rule.swizzle && !rule.start,
          "coordinates of another rule");
  Covered(rule, sizes, logical).check_numbers();
}

}  // namespace vl::checker
