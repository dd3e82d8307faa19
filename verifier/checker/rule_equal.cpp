#include "verifier/checker/rule_equal.h"

#include <algorithm>
#include <map>

#include "verifier/checker/rule_digits.h"

namespace vl::checker {
namespace {

using Axes = std::map<std::string, Polynomial>;  // what is 0 is left out

void add(Axes& sums, const std::string& axis, const Polynomial& value) {
  Polynomial& sum = sums[axis];
  sum = sum + value;
  if (sum == Polynomial(0)) sums.erase(axis);
}

bool are_equal(const Axes& a, const Axes& b, const SizeSet& sizes) {
  return std::ranges::equal(a, b, [&](const auto& one, const auto& other) {
    return one.first == other.first && checker::are_equal(one.second, other.second, sizes);
  });
}

Axes times(const Axes& steps, const Polynomial& factor) {
  Axes out;
  for (const auto& [axis, step] : steps) out.emplace(axis, step * factor);
  return out;
}

struct Level {
  Polynomial weight, extent;
  Axes step;
};

constexpr const char* kMemory = "";  // the axis of a slot's number, where none has a name

// A layout as a sum of digits.
class Sum {
 public:
  Sum(const RuleText& rule, const SizeSet& sizes, const RuleExtents& extents)
      : rule_(rule), sizes_(sizes), logical_(extents.logical) {
    box_.resize(rule.places.size(), 1);
    for (std::size_t j = box_.size(); j-- > 1;) box_[j - 1] = box_[j] * sizes.value(rule.places[j].extent);
    for (std::size_t j = 0; j < box_.size(); ++j) add(first_, axis(j), sizes.value(rule.places[j].constant) * unit(j));
    if (rule.decodes) {
      GreedySplit split(rule, sizes, extents.logical);
      split.all_land();
      for (const GreedySplit::Level& level : split.levels()) {
        levels_.push_back({level.weight, level.extent, {}});
        add(levels_.back().step, axis(level.place), unit(level.place));
      }
      for (const Polynomial& part : summands_of(rule.start, sizes)) start_ = start_ + part;
      for (std::size_t j = 0; j < rule.places.size(); ++j)
        if (const std::size_t input = rule.places[j].terms.at(0).input; input >= rule.levels.size()) {
          replicas_.push_back({0, extents.replicas.at(input - rule.levels.size()), {}});
          add(replicas_.back().step, axis(j), unit(j));
        }
    } else {
      RadixForms forms(rule, sizes, extents.logical, extents.replicas, false);
      if (!rule.named) forms.all_land(false);
      read(forms, extents);
    }
  }

  void is_equal_to(const Sum& other) const {
    require(rule_.named == other.rule_.named && rule_.decodes == other.rule_.decodes, "layouts of two kinds");
    if (!rule_.named)
      require(checker::are_equal(slots_of(rule_, sizes_), slots_of(other.rule_, sizes_), sizes_), "other boxes");
    require(are_equal(first_, other.first_, sizes_), "another first place");
    require(checker::are_equal(start_, other.start_, sizes_), "another start");
    require(replicas_.size() == other.replicas_.size(), "other replicas");
    for (std::size_t k = 0; k < replicas_.size(); ++k)
      require(is_same(replicas_[k], other.replicas_[k], true), "other replicas");
    same_swizzle(other);
    require(rule_.numbers.has_value() == other.rule_.numbers.has_value(), "layouts of two kinds");
    if (rule_.numbers) return same_numbers(other);
    if (same_strides(other)) return same_levels(other);
    require(!rule_.decodes, "other strides of the host");
    same_digits(other);
  }

 private:
  // What a place's coordinate counts: itself, or slots.
  [[nodiscard]] std::string axis(std::size_t j) const { return rule_.named ? rule_.places[j].name : kMemory; }
  [[nodiscard]] Polynomial unit(std::size_t j) const { return rule_.named ? Polynomial(1) : box_[j]; }

  void read(const RadixForms& forms, const RuleExtents& extents) {
    const auto step = [&](std::size_t input) {
      Axes out;
      for (std::size_t j = 0; j < box_.size(); ++j) add(out, axis(j), forms.places()[j].sizes[input] * unit(j));
      return out;
    };
    const std::size_t count = rule_.levels.size();
    for (std::size_t k = 0; k < count; ++k)
      levels_.push_back({sizes_.value(rule_.levels[k].weight), sizes_.value(rule_.levels[k].extent), step(k)});
    for (std::size_t r = 0; r < extents.replicas.size(); ++r)
      if (extents.replicas[r].number() != 1) replicas_.push_back({0, extents.replicas[r], step(count + r)});
    if (!rule_.numbers) std::erase_if(levels_, [](const Level& level) { return level.extent.number() == 1; });
  }

  [[nodiscard]] bool is_same(const Level& a, const Level& b, bool extents) const {
    return checker::are_equal(a.weight, b.weight, sizes_) && are_equal(a.step, b.step, sizes_) &&
           (!extents || checker::are_equal(a.extent, b.extent, sizes_));
  }
  void same_swizzle(const Sum& other) const {
    const auto one = swizzle_of(rule_), two = swizzle_of(other.rule_);
    require(one.has_value() == two.has_value(), "a swizzle of one of them");
    if (!one) return;
    const RuleSwizzleText &a = *rule_.swizzle, &b = *other.rule_.swizzle;
    require(rule_.named && axis(one->input) == other.axis(two->input) && a.base == b.base && a.bits == b.bits &&
                a.shift == b.shift && a.up == b.up,
            "another swizzle");
  }
  [[nodiscard]] bool same_strides(const Sum& other) const {
    for (std::size_t i = 0; i < logical_.size(); ++i)
      if (logical_[i].number() != 1 &&
          !checker::are_equal(sizes_.value(rule_.strides[i]), sizes_.value(other.rule_.strides[i]), sizes_))
        return false;
    return true;
  }

  // Neighbours of which the outer one is a multiple of the inner one, in weight and step, are one: of a greedy split by
  // any multiple, for q·(n div q·w) + (n mod q·w) div w is n div w. Of digits `mod_extent` only by the extent.
  static std::vector<Level> merged(std::vector<Level> levels, const SizeSet& sizes, bool mod_extent) {
    for (std::size_t k = levels.size(); k-- > 1;) {
      Level &outer = levels[k - 1], &inner = levels[k];
      const auto by = outer.weight.over(inner.weight);
      if (!by || (mod_extent && *by != inner.extent)) continue;
      if (!are_equal(outer.step, times(inner.step, *by), sizes)) continue;
      outer = {inner.weight, outer.extent * *by, inner.step};
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return levels;
  }
  // Without digits that are always 0: the number is below the weight, or what is left of it below the same one.
  [[nodiscard]] std::vector<Level> told() const {
    Polynomial most = start_;
    bool known = true;
    for (std::size_t i = 0; i < logical_.size(); ++i) {
      const Polynomial stride = sizes_.value(rule_.strides[i]);
      if (sizes_.shows(stride)) most = most + stride * (logical_[i] - 1);
      else known = known && sizes_.shows(stride * -1);
    }
    std::vector<Level> out;
    for (const Level& level : levels_) {
      if (out.empty() ? known && sizes_.shows(level.weight - 1 - most)
                      : checker::are_equal(out.back().weight, level.weight, sizes_))
        continue;
      out.push_back(level);
    }
    return merged(std::move(out), sizes_, false);
  }
  void same_levels(const Sum& other) const {
    const std::vector<Level> mine = told(), others = other.told();
    require(std::ranges::equal(mine, others, [&](const Level& a, const Level& b) { return is_same(a, b, false); }),
            "other digits");
  }

  // The levels of a mixed radix, each cut where a dimension ends.
  [[nodiscard]] std::vector<std::vector<Level>> by_dimension() const {
    std::vector<std::vector<Level>> out(logical_.size());
    std::vector<Level> left(levels_.rbegin(), levels_.rend());  // from the smallest weight
    for (std::size_t k = 0; k < left.size(); ++k) {
      const Level level = left[k];
      bool found = false;
      for (std::size_t i = 0; i < logical_.size() && !found; ++i) {
        const auto within = level.weight.over(sizes_.value(rule_.strides[i]));
        const auto behind = within ? logical_[i].over(*within) : std::nullopt;  // values of the digit in this dimension
        if (logical_[i].number() == 1 || !behind || behind->number() == 1) continue;
        const auto dims = level.extent.over(*behind);
        if (!dims && !behind->over(level.extent)) continue;
        found = true;
        const bool cut = dims && dims->number() != 1;
        out[i].insert(out[i].begin(), {*within, cut ? *behind : level.extent, level.step});
        if (cut)
          left.insert(left.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                      {level.weight * *behind, *dims, times(level.step, *behind)});
      }
      require(found, "a digit of several dimensions");
    }
    for (auto& levels : out) levels = merged(std::move(levels), sizes_, true);
    return out;
  }
  void same_digits(const Sum& other) const {
    const auto mine = by_dimension(), others = other.by_dimension();
    for (std::size_t i = 0; i < mine.size(); ++i)
      require(
          std::ranges::equal(mine[i], others[i], [&](const Level& a, const Level& b) { return is_same(a, b, true); }),
          "other digits");
  }

  void same_numbers(const Sum& other) const {
    require(rule_.numbers == other.rule_.numbers && rule_.joins == other.rule_.joins, "other numbers");
    require(same_strides(other), "other strides");
    require(
        std::ranges::equal(levels_, other.levels_, [&](const Level& a, const Level& b) { return is_same(a, b, true); }),
        "other digits");
  }

  const RuleText& rule_;
  const SizeSet& sizes_;
  const Polynomials& logical_;
  Polynomials box_;
  Axes first_;
  Polynomial start_;
  std::vector<Level> levels_, replicas_;
};

}  // namespace

void check_equal(const Statement& statement, const SizeSet& sizes) {
  require(statement.from_rule.has_value(), "a layout that is equal to none");
  const RuleText &rule = *statement.rule, &other = *statement.from_rule;
  const auto extents = extents_of(rule, sizes), others = extents_of(other, sizes);
  if (!extents || !others) return;
  require(rule.logical == other.logical, "layouts of two tensors");
  Sum(rule, sizes, *extents).is_equal_to(Sum(other, sizes, *others));
}

}  // namespace vl::checker
