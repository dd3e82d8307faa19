#include "verifier/checker/rule_layout.h"

#include <algorithm>

#include "verifier/checker/rule_digits.h"

namespace vl::checker {
namespace {

using NamedStage = kernel::BasicStage<Polynomial>;
using NamedRow = kernel::BasicRow<Polynomial>;

// What a value of the map is, before and after splits.
struct Value {
  enum class Kind { Number, Digit, Rest, Replica };
  Kind kind = Kind::Number;
  std::size_t index = 0;
};

class Lowering {
 public:
  Lowering(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical, const Polynomials& replicas)
      : rule_(rule), sizes_(sizes), logical_(logical), replicas_(replicas), digits_(rule.levels.size()) {}

  kernel::BasicLayout<Polynomial> made() {
    require(!rule_.numbers || (!rule_.swizzle && !rule_.decodes), "numbers of another rule");
    require(rule_.numbers || !rule_.joins, "digits of no number");
    require(!rule_.start || rule_.decodes, "a start of digits that are no places");
    for (std::size_t i = 0; i < logical_.size(); ++i) add_input(logical_[i]);
    for (const Polynomial& extent : replicas_) add_input(extent);
    numbers();
    if (rule_.numbers) split_numbers();
    else split(0, kept_levels());
    places();
    out_.logical = logical_.size();
    out_.map.outputs = outputs_;
    out_.named = rule_.named;
    return std::move(out_);
  }

 private:
  void add_input(const Polynomial& extent) {
    out_.map.domain.names.push_back("x" + std::to_string(out_.map.domain.names.size()));
    out_.map.domain.extents.push_back(extent);
  }
  [[nodiscard]] std::size_t at(Value::Kind kind, std::size_t index) const {
    charge(values_.size() + 1);
    const auto found =
        std::ranges::find_if(values_, [&](const Value& value) { return value.kind == kind && value.index == index; });
    require(found != values_.end(), "a digit of no number");
    return static_cast<std::size_t>(found - values_.begin());
  }
  NamedStage& stage(NamedStage::Kind kind) {
    out_.map.stages.emplace_back().kind = kind;
    return out_.map.stages.back();
  }

  // Σ stride·x, one a number; then the replicas.
  void numbers() {
    NamedStage& first = stage(NamedStage::Kind::Affine);
    std::vector<bool> read(logical_.size(), false);
    const auto add = [&](NamedRow& row, std::size_t dim) {
      require(dim < logical_.size() && !read[dim], "a dimension that is none, or in two numbers");
      read[dim] = true;
      row.terms.emplace_back(dim, sizes_.value(rule_.strides[dim]));
    };
    const std::size_t count = rule_.numbers ? rule_.numbers->size() : 1;
    for (std::size_t n = 0; n < count; ++n) {
      NamedRow& row = first.rows.emplace_back();
      if (rule_.numbers)
        for (const std::size_t dim : (*rule_.numbers)[n].dims) add(row, dim);
      else
        for (std::size_t i = 0; i < logical_.size(); ++i) add(row, i);
      if (rule_.start) row.constant = sizes_.value(*rule_.start);
      values_.push_back({Value::Kind::Number, n});
    }
    require(std::ranges::find(read, false) == read.end(), "a dimension that no number reads");
    for (std::size_t r = 0; r < replicas_.size(); ++r) {
      first.rows.push_back({0, {{logical_.size() + r, 1}}});
      values_.push_back({Value::Kind::Replica, r});
    }
  }

  // The value of a number becomes the digits of levels, and a rest where the last weight is not 1.
  void split(std::size_t number, const std::vector<std::size_t>& levels) {
    const std::size_t input = at(Value::Kind::Number, number);
    std::vector<Value> made;
    NamedStage split;
    split.kind = NamedStage::Kind::Split, split.input = input;
    for (const std::size_t level : levels) {
      split.weights.push_back(sizes_.value(rule_.levels[level].weight));
      made.push_back({Value::Kind::Digit, level});
      digits_[level] = true;
    }
    if (levels.empty() || !(split.weights.back() == Polynomial(1))) {
      split.weights.emplace_back(1);
      made.push_back({Value::Kind::Rest, number});
    }
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(input));
    values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(input), made.begin(), made.end());
    out_.map.stages.push_back(std::move(split));
  }

  void split_numbers() {
    require(!rule_.joins || rule_.joins->size() == rule_.numbers->size(), "digits of no number");
    std::size_t next = 0;
    for (std::size_t n = 0; n < rule_.numbers->size(); ++n) {
      if (rule_.joins && !(*rule_.joins)[n].empty()) join(n, (*rule_.joins)[n]);
      const std::size_t count = (*rule_.numbers)[n].levels;
      require(count <= rule_.levels.size() - next, "levels that are none");
      std::vector<std::size_t> levels(count);
      for (std::size_t k = 0; k < count; ++k) levels[k] = next++;
      split(n, levels);
    }
    require(next == rule_.levels.size(), "levels of no number");
  }

  // Adds digits of numbers before it to a number.
  void join(std::size_t n, const std::vector<RuleText::Term>& terms) {
    charge(8 * values_.size()), hold(values_.size() * (sizeof(NamedRow) + 2 * sizeof(Polynomial)));
    NamedStage& stage = this->stage(NamedStage::Kind::Affine);
    for (std::size_t i = 0; i < values_.size(); ++i) stage.rows.push_back({0, {{i, 1}}});
    NamedRow& row = stage.rows[at(Value::Kind::Number, n)];
    for (const RuleText::Term& term : terms)
      row.terms.emplace_back(at(Value::Kind::Digit, term.input), sizes_.value(term.coefficient));
  }

  [[nodiscard]] Polynomial weight(std::size_t level) const { return sizes_.value(rule_.levels[level].weight); }
  [[nodiscard]] Polynomial extent(std::size_t level) const { return sizes_.value(rule_.levels[level].extent); }

  // Each weight is the next one times its extent, the last one is 1, and the greatest number is below the first level's
  // end, none below 0.
  [[nodiscard]] bool is_radix() const {
    Polynomial next = 1, most = rule_.start ? sizes_.value(*rule_.start) : Polynomial(0);
    if (!sizes_.shows(most)) return false;
    for (std::size_t k = rule_.levels.size(); k-- > 0; next = next * extent(k))
      if (!are_equal(weight(k), next, sizes_) || !sizes_.shows(extent(k) - 1)) return false;
    for (std::size_t i = 0; i < logical_.size(); ++i) {
      const Polynomial stride = sizes_.value(rule_.strides[i]);
      if (!sizes_.shows(stride)) return false;
      most = most + stride * (logical_[i] - 1);
    }
    return sizes_.shows(next - 1 - most);
  }

  [[nodiscard]] std::vector<std::size_t> kept_levels() const {
    std::vector<std::size_t> out;
    const bool all = is_radix();
    for (std::size_t k = 0; k < rule_.levels.size(); ++k) {
      if (all) {
        out.push_back(k);
        continue;
      }
      if (rule_.levels[k].weight == ExpressionText{} || !sizes_.decides(extent(k) - 2) ||
          !sizes_.decides(weight(k) - 1))
        continue;
      auto next = out.end();
      while (next != out.begin() && !sizes_.decides(weight(*std::prev(next)) - weight(k))) --next;
      out.insert(next, k);
    }
    return out;
  }

  void places() {
    NamedStage& last = stage(NamedStage::Kind::Affine);
    bool all_filled = true;
    kernel::BasicSpace<Polynomial> filled;
    for (const RuleText::Place& place : rule_.places) {
      NamedRow& row = last.rows.emplace_back();
      row.constant = sizes_.value(place.constant);
      for (const RuleText::Term& term : place.terms) {
        const bool is_level = term.input < rule_.levels.size();
        if (is_level && !digits_[term.input]) continue;  // it is 0
        require(is_level || term.input - rule_.levels.size() < replicas_.size(), "an input that is none");
        row.terms.emplace_back(
            is_level ? at(Value::Kind::Digit, term.input) : at(Value::Kind::Replica, term.input - rule_.levels.size()),
            sizes_.value(term.coefficient));
      }
      out_.physical.names.push_back(place.name), filled.names.push_back(place.name);
      out_.physical.extents.push_back(sizes_.value(place.extent));
      all_filled = all_filled && place.filled;
      if (place.filled) filled.extents.push_back(sizes_.value(*place.filled));
    }
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].kind == Value::Kind::Rest) last.rows.push_back({0, {{i, 1}}});
    outputs_ = last.rows.size();
    if (all_filled) out_.filled = std::move(filled);
    if (const auto swizzle = swizzle_of(rule_)) {
      NamedStage& made = stage(NamedStage::Kind::Swizzle);
      made.input = swizzle->input, made.base = swizzle->base, made.bits = swizzle->bits;
      made.shift = swizzle->shift, made.up = swizzle->up;
    }
  }

  const RuleText& rule_;
  const SizeSet& sizes_;
  const Polynomials &logical_, &replicas_;
  std::vector<bool> digits_;  // of each level: whether there is such a digit
  std::vector<Value> values_;
  kernel::BasicLayout<Polynomial> out_;
  std::size_t outputs_ = 0;
};

}  // namespace

kernel::BasicLayout<Polynomial> layout_at(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical,
                                          const Polynomials& replicas) {
  return Lowering(rule, sizes, logical, replicas).made();
}

}  // namespace vl::checker
