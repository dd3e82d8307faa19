#include "verifier/checker/rule_nests.h"

#include <algorithm>
#include <tuple>

#include "verifier/checker/rule_digits.h"

namespace vl::checker {
namespace {

// constant + Σ steps_l·i_l, one step a loop.
struct LoopForm {
  Polynomial constant;
  Polynomials steps;
};

// A layout of the tensor: its digits, by descending weight, and what each adds to the number of the slot.
class Device {
 public:
  struct Level {
    Polynomial weight, extent, step;
  };
  Device(const RuleText& rule, const SizeSet& sizes, const RuleExtents& extents) : last_(slots_of(rule, sizes) - 1) {
    Polynomials box(rule.places.size(), 1);
    for (std::size_t j = box.size(); j-- > 1;) box[j - 1] = box[j] * sizes.value(rule.places[j].extent);
    if (rule.decodes) {
      require(rule.replicas.empty(), "nests of replicas");
      split_.emplace(rule, sizes, extents.logical);
      split_->places_are_not_empty();
      for (const GreedySplit::Level& level : split_->levels())
        levels_.push_back({level.weight, level.extent, box[level.place]});
      start_ = split_->start();
      merge();
      return;
    }
    require(rule.replicas.empty() && !swizzle_of(rule) && !rule.numbers, "nests of replicas, of a swizzle, of numbers");
    require(rule.strides.empty() || sizes.value(rule.strides.back()).number() == 1, "a host that is not row-major");
    forms_.emplace(rule, sizes, extents.logical, extents.replicas, false);
    forms_->all_land(false);  // so that a slot's number is the sum of its places'
    Polynomial weight = 1;
    for (std::size_t k = forms_->digits().size(); k-- > 0; weight = weight * forms_->digits()[k]) {
      levels_.insert(levels_.begin(), {weight, forms_->digits()[k], 0});
      for (std::size_t j = 0; j < box.size(); ++j)
        levels_.front().step = levels_.front().step + forms_->places()[j].sizes[k] * box[j];
    }
    for (std::size_t j = 0; j < box.size(); ++j) first_ = first_ + forms_->places()[j].constant * box[j];
    merge();
  }

  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  [[nodiscard]] Polynomials weights() const {
    Polynomials out;
    for (const Level& level : levels_) out.push_back(level.weight);
    return out;
  }
  [[nodiscard]] const Polynomial& first() const { return first_; }   // where all digits are 0
  [[nodiscard]] const Polynomials& start() const { return start_; }  // of the number
  [[nodiscard]] const Polynomial& last() const { return last_; }     // of the box
  void none_collide() const { split_ ? split_->none_collide() : forms_->none_collide(); }

 private:
  // Two digits whose slots are those of their common number are one: 64·(x / 64) + x % 64 is x.
  void merge() {
    for (std::size_t k = levels_.size(); k-- > 1;) {
      Level &outer = levels_[k - 1], &inner = levels_[k];
      if (!(outer.weight == inner.weight * inner.extent && outer.step == inner.step * inner.extent)) continue;
      outer = {inner.weight, outer.extent * inner.extent, inner.step};
      levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  std::optional<GreedySplit> split_;
  std::optional<RadixForms> forms_;
  std::vector<Level> levels_;
  Polynomials start_;
  Polynomial first_, last_;
};

class NestOnSizes {
 public:
  NestOnSizes(const RuleNestText& said, const RuleText& rule, const SizeSet& sizes, const TensorDims& dims)
      : sizes_(sizes), dims_(dims) {
    std::vector<const RuleText::Expressions*> walks{&said.host, &said.device};
    if (said.from) walks.push_back(&*said.from);
    for (const auto* walk : walks) require(walk->size() == said.extents.size() + 1, "walks of other loops");
    for (const auto* walk : walks) walks_.push_back({sizes.value(walk->front()), {}});
    add_summands(said.host.front());
    for (const Polynomial& part : summands_of(rule.offset, sizes)) begins_behind(part);
    for (std::size_t l = 0; l < said.extents.size(); ++l) {
      const Polynomial extent = sizes.value(said.extents[l]);
      if (!sizes.decides(extent - 1)) sizes.needs(extent, "an extent below 0"), empty_ = true;
      moves_ = moves_ * extent;
      if (empty_ || sizes.shows(Polynomial(1) - extent)) continue;
      extents_.push_back(extent);
      for (std::size_t w = 0; w < walks.size(); ++w) walks_[w].steps.push_back(sizes.value((*walks[w])[l + 1]));
    }
  }
  [[nodiscard]] bool is_empty() const { return empty_; }
  [[nodiscard]] const Polynomial& moves() const { return moves_; }

  // A walk stays in [0, last], which its corners tell. Walk 0 is the host's, the others are those of the devices.
  void stays_within(std::size_t walk, const Polynomial& last) const {
    Polynomial least = walks_[walk].constant, greatest = least;
    for (std::size_t l = 0; l < extents_.size(); ++l) {
      Polynomial& corner = sizes_.decides(walks_[walk].steps[l]) ? greatest : least;
      corner = corner + walks_[walk].steps[l] * (extents_[l] - 1);
    }
    sizes_.needs(least, "an offset below 0");
    sizes_.needs(last - greatest, "an offset beyond the memory");
  }

  // A loop that goes back on the host is counted from its end, i as extent - 1 - i.
  void goes_forward() {
    for (std::size_t l = 0; l < extents_.size(); ++l) {
      if (sizes_.decides(walks_[0].steps[l])) continue;
      first_.push_back(walks_[0].steps[l] * (extents_[l] - 1));
      for (LoopForm& walk : walks_) {
        walk.constant = walk.constant + walk.steps[l] * (extents_[l] - 1);
        walk.steps[l] = walk.steps[l] * -1;
      }
    }
  }
  // A loop over several dimensions, or over several digits of a layout, is one over each, i as a·inner + b.
  void is_split_at(const Polynomials& weights) {
    for (std::size_t l = 0; l < extents_.size(); ++l)
      while (const auto inner = inner_extent(l, weights)) {
        const auto at = static_cast<std::ptrdiff_t>(l);
        extents_.insert(extents_.begin() + at, *extents_[l].over(*inner));
        extents_[l + 1] = *inner;
        for (LoopForm& walk : walks_) walk.steps.insert(walk.steps.begin() + at, walk.steps[l] * *inner);
      }
  }

  // Iterations are different elements.
  void reads_elements() {
    const std::size_t rank = dims_.strides.size();
    rows_.assign(rank, {0, Polynomials(extents_.size(), 0)});
    for (std::size_t l = 0; l < extents_.size(); ++l) {
      const auto [dim, times] = divided(walks_[0].steps[l]);
      rows_[dim].steps[l] = times;
    }
    starts_at(first_element());
    std::vector<Polynomials> steps;
    for (std::size_t i = 0; i < rank; ++i) {
      sizes_.needs(rows_[i].constant, "an element below 0");
      for (const Polynomial& step : rows_[i].steps) sizes_.needs(step, "a loop that goes back");
      last_.push_back(rows_[i].constant + reach(rows_[i].steps));
      sizes_.needs(dims_.extents[i] - 1 - last_.back(), "an element beyond the tensor");
      steps.push_back(rows_[i].steps);
    }
    peel(sizes_, std::move(steps), extents_);
  }

  // The slots of a walk are those of its elements.
  void has_their_slots(std::size_t walk, const Device& device) const {
    Polynomials start = device.start();
    std::vector<std::pair<Polynomial, std::size_t>> rest;  // of the number, which is that of the host: sizes of loops
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      start.push_back(dims_.strides[i] * rows_[i].constant);
      for (std::size_t l = 0; l < extents_.size(); ++l) rest.emplace_back(dims_.strides[i] * rows_[i].steps[l], l);
    }
    LoopForm slot{device.first(), Polynomials(extents_.size(), 0)};
    for (const Device::Level& level : device.levels()) {
      std::vector<std::pair<Polynomial, std::size_t>> left;
      Polynomial greatest = take_digit(start, level.weight, sizes_), beyond = 0;
      slot.constant = slot.constant + greatest * level.step;
      for (const Polynomial& part : start) beyond = beyond + part;
      for (auto& [size, l] : rest) {
        const Polynomial times = extents_[l] - 1;
        const auto digit = size.over(level.weight);
        if (!digit) beyond = beyond + size * times, left.emplace_back(std::move(size), l);
        else greatest = greatest + *digit * times, slot.steps[l] = slot.steps[l] + *digit * level.step;
      }
      sizes_.needs(level.weight - 1 - beyond, "digits that carry");
      sizes_.needs(level.extent - 1 - greatest, "a coordinate beyond the box");
      rest = std::move(left);
    }
    for (const auto& [size, l] : rest) require(size == 0, "a rest that no weight takes");
    for (const Polynomial& part : start) require(part == 0, "a rest that no weight takes");
    same(slot.constant, walks_[walk].constant);
    for (std::size_t l = 0; l < extents_.size(); ++l) same(slot.steps[l], walks_[walk].steps[l]);
  }

  // No element of both.
  void is_apart_from(const NestOnSizes& other) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (sizes_.shows(rows_[i].constant - other.last_[i] - 1) ||
          sizes_.shows(other.rows_[i].constant - last_[i] - 1) || has_other_remainders(i, other))
        return;
    throw Rejected("nests that may move one element twice");
  }

 private:
  // What the first number of the host is the sum of, each part along one dimension.
  void add_summands(const ExpressionText& said) {
    if (said.word == "+" && said.parts.size() == 2) return add_summands(said.parts[0]), add_summands(said.parts[1]);
    if (Polynomial part = sizes_.value(said); part != 0) first_.push_back(std::move(part));
  }
  // Element 0 lies there, or so much further: places on the host are those behind it.
  void begins_behind(const Polynomial& part) {
    walks_[0].constant = walks_[0].constant - part;
    const auto said = std::ranges::find(first_, part);
    if (said != first_.end()) first_.erase(said);
    else if (part != 0) first_.push_back(part * -1);
  }
  // A dimension in which values of both differ modulo a step of one of them: 0, 2, … and 1, 3, …; or 64·i + j, j < 32,
  // and 64·i + j + 32.
  [[nodiscard]] bool has_other_remainders(std::size_t dim, const NestOnSizes& other) const {
    const LoopForm &a = rows_[dim], &b = other.rows_[dim];
    return std::ranges::any_of(a.steps, [&](const Polynomial& by) { return differ(dim, other, by); }) ||
           std::ranges::any_of(b.steps, [&](const Polynomial& by) { return differ(dim, other, by); });
  }
  [[nodiscard]] bool differ(std::size_t dim, const NestOnSizes& other, const Polynomial& by) const {
    if (!sizes_.shows(by - 1)) return false;
    const Polynomial apart = (rows_[dim].constant - other.rows_[dim].constant).divided(by).second;
    const Polynomial least = apart - other.beside(dim, by), greatest = apart + beside(dim, by);
    return (sizes_.shows(least - 1) && sizes_.shows(by - 1 - greatest)) ||
           (sizes_.shows(Polynomial(-1) - greatest) && sizes_.shows(least + by - 1));
  }
  // The greatest sum of the steps that are no multiples.
  [[nodiscard]] Polynomial beside(std::size_t dim, const Polynomial& by) const {
    Polynomial out = 0;
    for (std::size_t l = 0; l < extents_.size(); ++l)
      if (!rows_[dim].steps[l].over(by)) out = out + rows_[dim].steps[l] * (extents_[l] - 1);
    return out;
  }
  // A part of a loop's extent that takes it from one multiple of a weight to the next.
  [[nodiscard]] std::optional<Polynomial> inner_extent(std::size_t l, const Polynomials& weights) const {
    const Polynomial& step = walks_[0].steps[l];
    for (const Polynomial& weight : step == 0 ? Polynomials{} : weights) {
      auto inner = weight.over(step);
      if (inner && *inner != 1 && *inner != extents_[l] && extents_[l].over(*inner)) return inner;
    }
    return std::nullopt;
  }
  [[nodiscard]] Polynomial reach(const Polynomials& steps) const {
    Polynomial out = 0;
    for (std::size_t l = 0; l < extents_.size(); ++l) out = out + steps[l] * (extents_[l] - 1);
    return out;
  }
  void same(const Polynomial& a, const Polynomial& b) const {
    require(are_equal(a, b, sizes_), "a slot of another element");
  }
  // The element at which a nest starts: each summand as a step; or, since a sum is printed multiplied out, the sum
  // divided by one stride after the other, the largest first. Whatever it is, the checks of ranges follow.
  [[nodiscard]] Polynomials first_element() const {
    Polynomials by_summands(dims_.strides.size(), 0);
    Polynomial rest = 0;
    for (const Polynomial& part : first_) {
      const auto [dim, times] = divided(part);
      by_summands[dim] = by_summands[dim] + times;
      rest = rest + part;
    }
    if (within(by_summands, true)) return by_summands;
    Polynomials by_division(dims_.strides.size(), 0);
    std::vector<std::size_t> left(dims_.strides.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    while (!left.empty()) {
      const auto is_largest = [&](std::size_t i) {
        return std::ranges::all_of(left,
                                   [&](std::size_t j) { return sizes_.shows(dims_.strides[i] - dims_.strides[j]); });
      };
      auto largest = std::ranges::find_if(left, is_largest);
      if (largest == left.end()) largest = left.begin();
      std::tie(by_division[*largest], rest) = rest.divided(dims_.strides[*largest]);
      left.erase(largest);
    }
    const bool other = rest == Polynomial(0) && (within(by_division, true) || !within(by_summands, false));
    return other ? by_division : by_summands;
  }
  // Whether elements from there on are shown to be in the tensor; or else, whether none is shown to be out of it.
  [[nodiscard]] bool within(const Polynomials& first, bool shown) const {
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Polynomial room = dims_.extents[i] - 1 - first[i] - reach(rows_[i].steps);
      for (const Polynomial* p : {&first[i], &room})
        if (shown ? !sizes_.shows(*p) : sizes_.shows(Polynomial(-1) - *p)) return false;
    }
    return true;
  }
  void starts_at(const Polynomials& first) {
    for (std::size_t i = 0; i < first.size(); ++i) rows_[i].constant = first[i];
  }
  // A dimension whose stride divides a step of the host, so that the quotient is least.
  [[nodiscard]] std::pair<std::size_t, Polynomial> divided(const Polynomial& step) const {
    std::optional<std::pair<std::size_t, Polynomial>> best;
    for (std::size_t i = 0; i < dims_.strides.size(); ++i)
      if (auto times = step.over(dims_.strides[i]); times && (!best || sizes_.shows(best->second - *times)))
        best = {i, std::move(*times)};
    require(best.has_value(), "a step between elements that is none");
    return *best;
  }

  const SizeSet& sizes_;
  const TensorDims& dims_;
  bool empty_ = false;
  Polynomial moves_ = 1;  // of all loops, those of one iteration too
  Polynomials extents_;   // of the loops that go more than once
  std::vector<LoopForm> walks_;
  Polynomials first_;
  std::vector<LoopForm> rows_;  // one a dimension
  Polynomials last_;            // their greatest values
};

bool moves_nothing(const RuleNestText& nest, const SizeSet& sizes) {
  bool out = false;
  for (const ExpressionText& said : nest.extents) out = !sizes.decides(sizes.value(said) - 1) || out;
  return out;
}

}  // namespace

void check_rule_nests(const Statement& statement, const SizeSet& sizes) {
  const std::string& claim = statement.claim;
  const RuleText& rule = *statement.rule;
  require(claim == "in-bounds" || claim == "implements" || claim == "covers-once",
          "a claim that is not known of nests");
  const auto extents = extents_of(rule, sizes);
  if (!extents) return;
  if (!extents->any) {
    for (const RuleNestText& nest : *statement.rule_nests) require(moves_nothing(nest, sizes), "a move of no element");
    return;
  }
  std::vector<const RuleText*> rules{&rule};
  if (statement.from_rule) rules.push_back(&*statement.from_rule);
  std::vector<Device> devices;
  devices.reserve(rules.size());
  for (const RuleText* one : rules) {
    require(one->symbols == rule.symbols && one->where == rule.where && one->logical == rule.logical &&
                one->strides == rule.strides && one->start == rule.start && one->offset == rule.offset,
            "layouts of different tensors");
    devices.emplace_back(*one, sizes, *extents);
  }
  const TensorDims dims = dims_of(rule, sizes, extents->logical);
  Polynomial last = 0;  // of the host
  for (std::size_t i = 0; i < dims.strides.size(); ++i) last = last + dims.strides[i] * (dims.extents[i] - 1);
  std::vector<NestOnSizes> seen;
  Polynomial moved = 0;
  for (const RuleNestText& said : *statement.rule_nests) {
    require(said.from.has_value() == statement.from_rule.has_value(), "walks of another number of devices");
    NestOnSizes nest(said, rule, sizes, dims);
    moved = moved + nest.moves();  // of an empty one 0, as a polynomial that the others complete
    if (nest.is_empty()) continue;
    nest.stays_within(0, last);
    for (std::size_t d = 0; d < devices.size(); ++d) nest.stays_within(d + 1, devices[d].last());
    if (claim == "in-bounds") continue;
    nest.goes_forward();
    nest.is_split_at(dims.strides);
    for (const Device& device : devices) nest.is_split_at(device.weights());
    nest.reads_elements();
    for (std::size_t d = 0; d < devices.size(); ++d) nest.has_their_slots(d + 1, devices[d]);
    for (const NestOnSizes& other : seen) nest.is_apart_from(other);
    seen.push_back(std::move(nest));
  }
  if (claim == "in-bounds") return;
  const Polynomial all = product(extents->logical);
  require(are_equal(moved, all, sizes), "another number of moves");
  // Else two elements with one place on either side would be one move, made twice. Where places are the digits of the
  // host's number, its strides tell whether there are two of them; other rules have a row-major host.
  if (claim == "covers-once" || statement.from_rule || rule.decodes) devices[0].none_collide();
}

}  // namespace vl::checker
