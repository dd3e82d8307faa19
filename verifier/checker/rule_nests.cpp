#include "verifier/checker/rule_nests.h"

#include "verifier/checker/rule_digits.h"

namespace vl::checker {
namespace {

// constant + Σ steps_l·i_l, one step a loop.
struct LoopForm {
  Polynomial constant;
  Polynomials steps;
};

class NestOnSizes {
 public:
  NestOnSizes(const RuleNestText& said, const SizeSet& sizes, const GreedySplit& split) : sizes_(sizes), split_(split) {
    require(said.host.size() == said.extents.size() + 1 && said.device.size() == said.host.size(),
            "walks of other loops");
    host_.constant = sizes.value(said.host[0]), device_.constant = sizes.value(said.device[0]);
    for (std::size_t l = 0; l < said.extents.size(); ++l) {
      const Polynomial extent = sizes.value(said.extents[l]);
      if (!sizes.decides(extent - 1)) sizes.needs(extent, "an extent below 0"), empty_ = true;
      if (empty_ || sizes.shows(Polynomial(1) - extent)) continue;
      extents_.push_back(extent);
      host_.steps.push_back(sizes.value(said.host[l + 1])), device_.steps.push_back(sizes.value(said.device[l + 1]));
    }
  }
  [[nodiscard]] bool is_empty() const { return empty_; }
  [[nodiscard]] Polynomial moves() const { return product(extents_); }

  // Both walks stay in [0, most], which their corners tell.
  void stays_within(const Polynomial& host, const Polynomial& device) const {
    for (const auto& [walk, most] : {std::pair(&host_, &host), std::pair(&device_, &device)}) {
      Polynomial least = walk->constant, greatest = walk->constant;
      for (std::size_t l = 0; l < extents_.size(); ++l) {
        Polynomial& corner = sizes_.decides(walk->steps[l]) ? greatest : least;
        corner = corner + walk->steps[l] * (extents_[l] - 1);
      }
      sizes_.needs(least, "an offset below 0");
      sizes_.needs(*most - greatest, "an offset beyond the memory");
    }
  }

  // Iterations are different elements.
  void reads_elements() {
    const std::size_t rank = split_.strides().size();
    rows_.assign(rank, {0, Polynomials(extents_.size(), 0)});
    if (host_.constant != 0) {
      const auto [dim, times] = divided(host_.constant);
      rows_[dim].constant = times;
    }
    for (std::size_t l = 0; l < extents_.size(); ++l) {
      const auto [dim, times] = divided(host_.steps[l]);
      rows_[dim].steps[l] = times;
    }
    std::vector<Polynomials> steps;
    for (std::size_t i = 0; i < rank; ++i) {
      sizes_.needs(rows_[i].constant, "an element below 0");
      for (const Polynomial& step : rows_[i].steps) sizes_.needs(step, "a loop that goes back");
      last_.push_back(rows_[i].constant + reach(rows_[i].steps));
      sizes_.needs(split_.extents()[i] - 1 - last_.back(), "an element beyond the tensor");
      steps.push_back(rows_[i].steps);
    }
    peel(sizes_, std::move(steps), extents_);
  }

  // Its slots are those of its elements. `box`: the strides of the places.
  void writes_their_slots(const Polynomials& box) const {
    struct Moved {
      Polynomial size;
      std::optional<std::size_t> loop;
    };
    std::vector<Moved> rest;  // of the number, which is that of the host
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rest.push_back({split_.strides()[i] * rows_[i].constant, {}});
      for (std::size_t l = 0; l < extents_.size(); ++l) rest.push_back({split_.strides()[i] * rows_[i].steps[l], l});
    }
    LoopForm slot{0, Polynomials(extents_.size(), 0)};
    for (const GreedySplit::Level& level : split_.levels()) {
      std::vector<Moved> left;
      Polynomial greatest = 0, beyond = 0;
      for (const Moved& part : rest) {
        const Polynomial times = part.loop ? extents_[*part.loop] - 1 : Polynomial(1);
        const auto digit = part.size.over(level.weight);
        if (!digit) left.push_back(part), beyond = beyond + part.size * times;
        else {
          greatest = greatest + *digit * times;
          Polynomial& into = part.loop ? slot.steps[*part.loop] : slot.constant;
          into = into + *digit * box[level.place];
        }
      }
      sizes_.needs(level.weight - 1 - beyond, "digits that carry");
      sizes_.needs(level.extent - 1 - greatest, "a coordinate beyond the box");
      rest = std::move(left);
    }
    for (const Moved& part : rest) require(part.size == 0, "a rest that no weight takes");
    same(slot.constant, device_.constant);
    for (std::size_t l = 0; l < extents_.size(); ++l) same(slot.steps[l], device_.steps[l]);
  }

  // No element of both.
  void is_apart_from(const NestOnSizes& other) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (sizes_.shows(rows_[i].constant - other.last_[i] - 1) || sizes_.shows(other.rows_[i].constant - last_[i] - 1))
        return;
    throw Rejected("nests that may move one element twice");
  }

 private:
  [[nodiscard]] Polynomial reach(const Polynomials& steps) const {
    Polynomial out = 0;
    for (std::size_t l = 0; l < extents_.size(); ++l) out = out + steps[l] * (extents_[l] - 1);
    return out;
  }
  void same(const Polynomial& a, const Polynomial& b) const {
    require(a == b || (sizes_.shows(a - b) && sizes_.shows(b - a)), "a slot of another element");
  }
  // A dimension whose stride divides a step of the host, so that the quotient is least.
  [[nodiscard]] std::pair<std::size_t, Polynomial> divided(const Polynomial& step) const {
    std::optional<std::pair<std::size_t, Polynomial>> best;
    for (std::size_t i = 0; i < split_.strides().size(); ++i)
      if (auto times = step.over(split_.strides()[i]); times && (!best || sizes_.shows(best->second - *times)))
        best = {i, std::move(*times)};
    require(best.has_value(), "a step between elements that is none");
    return *best;
  }

  const SizeSet& sizes_;
  const GreedySplit& split_;
  bool empty_ = false;
  Polynomials extents_;  // of the loops that go more than once
  LoopForm host_, device_;
  std::vector<LoopForm> rows_;  // one a dimension
  Polynomials last_;            // their greatest values
};

}  // namespace

void check_rule_nests(const std::string& claim, const RuleText& rule, const std::vector<RuleNestText>& nests,
                      const SizeSet& sizes) {
  require(claim == "in-bounds" || claim == "implements" || claim == "covers-once",
          "a claim that is not known of nests");
  require(rule.decodes, "nests of a layout whose places are not its digits");
  const auto extents = extents_of(rule, sizes);
  if (!extents) return;
  require(extents->any, "nests of a tensor without elements");
  const GreedySplit split(rule, sizes, extents->logical);
  split.places_are_not_empty();
  Polynomials box(rule.places.size(), 1);
  for (std::size_t j = box.size(); j-- > 1;) box[j - 1] = box[j] * sizes.value(rule.places[j].extent);
  Polynomial last = 0;  // of the host
  for (std::size_t i = 0; i < split.strides().size(); ++i) last = last + split.strides()[i] * (split.extents()[i] - 1);
  std::vector<NestOnSizes> seen;
  Polynomial moved = 0;
  for (const RuleNestText& said : nests) {
    NestOnSizes nest(said, sizes, split);
    if (nest.is_empty()) continue;
    nest.stays_within(last, slots_of(rule, sizes) - 1);
    if (claim == "in-bounds") continue;
    nest.reads_elements();
    nest.writes_their_slots(box);
    for (const NestOnSizes& other : seen) nest.is_apart_from(other);
    moved = moved + nest.moves();
    seen.push_back(std::move(nest));
  }
  if (claim == "in-bounds") return;
  require(moved == product(extents->logical), "another number of moves");
  if (claim == "covers-once") split.none_collide();
}

}  // namespace vl::checker
