#include "verifier/checker/rules.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "verifier/checker/kernel.h"
#include "verifier/checker/row_starts.h"
#include "verifier/checker/rule_accesses.h"
#include "verifier/checker/rule_digits.h"
#include "verifier/checker/rule_layout.h"
#include "verifier/checker/rule_nests.h"
#include "verifier/checker/texts.h"
#include "verifier/kernel/claims/goals.h"

namespace vl::checker {
namespace {

// What is shown of a rule's layout at the sizes of one leaf.
class Leaf {
 public:
  Leaf(const RuleText& rule, const SizeSet& sizes, const RuleExtents& extents, const StepsForLeaf& steps)
      : rule_(rule),
        sizes_(sizes),
        steps_(steps),
        layout_(layout_at(rule, sizes, extents.logical, extents.replicas)),
        given_(sizes.given()) {
    are_positive(layout_.map.domain.extents);
  }

  void in(const kernel::BasicSpace<Polynomial>& box) const { goals().in(box, steps_of(LeafGoal::Kind::In, &box)); }
  void in_bounds() const { in(layout_.physical); }
  void injective() const { goals().apart(false, steps_of(LeafGoal::Kind::Apart)); }
  // Every point has a slot, and no two have one.
  void one_to_one() const {
    const Polynomial slots = goals().occupied(steps_of(LeafGoal::Kind::Occupied));
    require(are_equal(slots, layout_.map.domain.volume(), sizes_), "an element without a slot of its own");
  }
  // Where rows begin a step divides the places; and a swizzled one with it, as long as it divides what is moved.
  void row_starts(Wide bytes, Wide bits) const {
    if (!has_points_) return;
    kernel::BasicLayout<Polynomial> layout = layout_;
    if (const auto swizzle = swizzle_of(rule_)) {
      layout.map.stages.pop_back();
      require(Wide(1LL << swizzle->base) * bits % (bytes * 8) == 0, "a swizzle that moves less than what is asked");
    }
    layout = at_row_starts(std::move(layout), bytes, bits);
    const auto steps = steps_({LeafGoal::Kind::Starts, rule_, sizes_, layout, given_});
    kernel::BasicGoals<Polynomial>(layout, nullptr, given_).in(layout.physical, steps);
  }
  // Each slot of the box is that of some element.
  void every_slot() const {
    std::vector<Polynomial> given = given_;
    for (const Polynomial& extent : layout_.physical.extents) {
      if (kernel::is_shown(extent - 1)) continue;
      sizes_.needs(extent - 1, "a box without a slot");
      given.push_back(extent - 1);
    }
    const std::vector<kernel::BasicNest<Polynomial>> slots{{layout_.physical, {{}, layout_.physical.number()}}};
    const std::vector<kernel::BasicRow<Polynomial>> no_hosts;
    const kernel::BasicRow<Polynomial> no_strides;
    const LeafNests nests{layout_, slots, no_hosts, no_strides};
    kernel::BasicMoves<Polynomial>(layout_, layout_, slots, given)
        .held(steps_({LeafGoal::Kind::Held, rule_, sizes_, layout_, given, nullptr, nullptr, &nests}));
  }
  // The weights of its digits times the coordinates that they are make the number that is split, where its rest is 0;
  // or of several numbers, each of which is a coordinate of the element, that one.
  void identities() {
    require(!rule_.named && layout_.map.stages[0].kind == kernel::BasicStage<Polynomial>::Kind::Affine,
            "a slot without a number");
    if (!has_points_) return;
    std::vector<std::optional<std::size_t>> place(rule_.levels.size());
    for (std::size_t j = 0; j < rule_.places.size(); ++j) {
      const auto& [constant, terms] = std::tie(rule_.places[j].constant, rule_.places[j].terms);
      require(constant == ExpressionText{} && terms.size() <= 1, "a place that is no digit");
      if (terms.empty() || terms[0].input >= place.size()) continue;
      require(terms[0].coefficient == ExpressionText{{}, 1} && !place[terms[0].input], "a digit in two places");
      place[terms[0].input] = j;
    }
    std::size_t level = 0, guard = rule_.places.size();
    for (std::size_t n = 0; n < (rule_.numbers ? rule_.numbers->size() : 1); ++n) {
      kernel::BasicRow<Polynomial> of_slot, of_element = layout_.map.stages[0].rows[n];
      const std::size_t end = rule_.numbers ? level + (*rule_.numbers)[n].levels : place.size();
      bool rests = rule_.numbers ? level == end : layout_.map.outputs > guard;
      for (; level < end; ++level) {
        const Polynomial weight = sizes_.value(rule_.levels[level].weight);
        if (rule_.numbers) rests = !(weight == Polynomial(1));
        if (place[level]) of_slot.terms.emplace_back(*place[level], weight);
      }
      if (rests) of_slot.terms.emplace_back(guard++, 1);
      if (rule_.numbers) {
        require((*rule_.numbers)[n].dims.size() == 1, "a number that is no coordinate");
        of_element = {0, {{(*rule_.numbers)[n].dims[0], 1}}};
      }
      layout_.identity = {std::move(of_slot), std::move(of_element)};
      goals().identity(steps_of(LeafGoal::Kind::Identity));
    }
  }
  void show(const std::string& claim) const {
    if (claim == "injective" && !has_points_) return;
    require(has_points_, "an element without a replica");
    if (claim == "injective") return injective();
    if (claim == "in-bounds") return in_bounds();
    one_to_one();
    const Polynomial points = layout_.map.domain.volume();
    if (claim == "onto" || claim == "occupied")
      return sizes_.needs(points - slots_of(rule_, sizes_), "fewer elements than slots");
    if (claim == "padding") return;
    require(claim == "bijective", "a claim that is not known of rules");
    if (!layout_.filled) return;
    in(*layout_.filled);
    sizes_.needs(points - layout_.filled->volume(), "a slot to be filled that holds nothing");
  }

  void is_equal_to(const RuleText& rule, const RuleExtents& extents) {
    require(rule_.logical == rule.logical && rule_.named == rule.named, "layouts of two tensors, or of two kinds");
    const kernel::BasicLayout<Polynomial> other = layout_at(rule, sizes_, extents.logical, extents.replicas);
    are_positive(other.map.domain.extents);
    require(has_points_, "an element without a replica");
    require(rule.named || are_equal(layout_.physical.volume(), other.physical.volume(), sizes_), "other boxes");
    const auto steps = steps_of(LeafGoal::Kind::Equal, nullptr, &other);
    kernel::BasicGoals<Polynomial>(layout_, &other, given_).equal(steps);
  }

 private:
  // Extents that are at least 1, which need not be so by their forms.
  void are_positive(const Polynomials& extents) {
    for (const Polynomial& extent : extents) {
      if (kernel::is_shown(extent - 1)) continue;
      if (sizes_.decides(extent - 1)) given_.push_back(extent - 1);
      else has_points_ = false;
    }
  }
  [[nodiscard]] kernel::BasicGoals<Polynomial> goals() const {
    return kernel::BasicGoals<Polynomial>(layout_, nullptr, given_);
  }
  [[nodiscard]] kernel::StepsOf<Polynomial> steps_of(LeafGoal::Kind kind,
                                                     const kernel::BasicSpace<Polynomial>* box = nullptr,
                                                     const kernel::BasicLayout<Polynomial>* other = nullptr) const {
    return steps_({kind, rule_, sizes_, layout_, given_, box, other});
  }

  const RuleText& rule_;
  const SizeSet& sizes_;
  const StepsForLeaf& steps_;
  kernel::BasicLayout<Polynomial> layout_;
  std::vector<Polynomial> given_;
  bool has_points_ = true;
};

// A place has one coordinate in each dimension.
void check_places(const RuleText& rule) {
  require(!rule.places.empty(), "a rule without places");
  charge_sorting(8 * rule.places.size());
  std::set<std::string_view> names;
  for (const RuleText::Place& place : rule.places)
    require(names.insert(place.name).second, "two dimensions of one name");
}

void check_laws(const RuleText& rule, const SizeSet& sizes) {
  if (!rule.laws) return;
  for (const RuleText::Condition& law : *rule.laws) require(holds(law, sizes), "a law that does not hold");
}

// Whether all places of a number are below the stride of its first dimension, of extent 1: the places of its levels are
// [0, s), s = that stride.
bool is_one_row(const RuleText& rule, const SizeSet& sizes, const RuleText::Number& number, std::size_t level,
                const Polynomial& stride) {
  if (number.levels == 0) return false;
  require(number.levels <= rule.levels.size() - level, "a level that is none");
  const auto places_of = [&](std::size_t l) {
    return sizes.value(rule.levels[l].weight) * sizes.value(rule.levels[l].extent);
  };
  for (std::size_t l = level + 1; l < level + number.levels; ++l)
    if (!are_equal(places_of(l), sizes.value(rule.levels[l - 1].weight), sizes)) return false;
  return sizes.shows(Polynomial(1) - sizes.value(rule.logical[number.dims[0]])) &&
         are_equal(places_of(level), stride, sizes);
}

// Each stride of a number is a multiple of the next one, and the last one is 1. The first one need be none in a single
// row, where each of the strides is at least what the dimensions behind it reach: t, the next one, s and p a place
// below s. floor(p / s) is 0, and floor(p / t) mod floor(s / t) with p mod t is below s again; of an element,
// floor(p / t) is below that dimension's extent, and so at most s / t. Where a law does not hold there is no layout
// change.
void check_way_back(const RuleText& rule, const SizeSet& sizes) {
  require(rule.numbers && !rule.joins && !rule.start, "a way back of one number, or of digits");
  check_laws(rule, sizes);
  std::size_t level = 0;
  for (const RuleText::Number& number : *rule.numbers) {
    require(level <= rule.levels.size(), "levels that are none");
    Polynomial next = 1, behind = 1;  // the next stride, and how many numbers it has with its dimension
    bool nests = true;
    for (std::size_t k = number.dims.size(); k-- > 0;) {
      require(number.dims[k] < rule.strides.size(), "a dimension that is none");
      const Polynomial stride = sizes.value(rule.strides[number.dims[k]]);
      sizes.needs(stride - 1, "a stride below 1");
      require(k + 1 < number.dims.size() || stride == 1, "a last stride that is not 1");
      nests = nests && sizes.shows(stride - behind);
      const bool one_row = k == 0 && nests && !stride.over(next) && is_one_row(rule, sizes, number, level, stride);
      if (!one_row)
        sizes.needs(sizes.quotient(stride, next) * next - stride, "a stride that is no multiple of the next one");
      next = stride, behind = stride * sizes.value(rule.logical[number.dims[k]]);
    }
    level += number.levels;
  }
}

// Whole periods of the swizzle fit between multiples of the base, so that no start of the buffer changes what it does.
void check_base(const Statement& statement) {
  require(*statement.bits > 0 && *statement.base > 0, "elements without a size, or no base");
  const auto swizzle = swizzle_of(*statement.rule);
  const Wide period = swizzle ? 1LL << (swizzle->base + swizzle->bits + swizzle->shift) : 1;
  require(!swizzle || Wide(*statement.base) * 8 % (period * *statement.bits) == 0, "a start that moves elements");
}

// The memory, which is the axis m where places have names, has at most as many bytes: slots·bits <= 8·bytes.
void check_memory(const Statement& statement, const SizeSet& sizes) {
  const RuleText& rule = *statement.rule;
  require(statement.bits && *statement.bits > 0, "elements without a size");
  const auto axis = std::ranges::find(rule.places, "m", &RuleText::Place::name);
  require(!rule.named || axis != rule.places.end(), "a layout without a memory");
  const Polynomial slots = rule.named ? sizes.value(axis->extent) : slots_of(rule, sizes);
  sizes.needs(Polynomial(*statement.at_most) * 8 - slots * *statement.bits, "more bytes than there are");
}

// The slots of one kind of padding: those of each box that no place of the next smaller one takes. Where a law does not
// hold, or there is no element, padding is of no kind.
void check_kind(const Statement& statement, const SizeSet& sizes, const StepsForLeaf& steps) {
  require(statement.value_expression.has_value(), "padding without a number");
  check_laws(*statement.rule, sizes);
  Polynomial padding;
  for (const RuleText* rule : {&*statement.rule, statement.from_rule ? &*statement.from_rule : nullptr}) {
    if (rule == nullptr) continue;
    const auto extents = extents_of(*rule, sizes);
    if (!extents) return;
    require(extents->any && !rule->decodes, "boxes of another kind");
    const Polynomial points = product(extents->logical) * product(extents->replicas);
    Leaf(*rule, sizes, *extents, steps).show("padding");
    padding = padding + slots_of(*rule, sizes) - points;
  }
  require(padding == sizes.value(*statement.value_expression), "another number of slots");
}

// The box takes ceil(slots·bits / 8) bytes.
void check_bytes(const Statement& statement, const SizeSet& sizes) {
  require(statement.bits && *statement.bits > 0 && statement.value_expression, "elements without a size");
  const Polynomial over =
      sizes.value(*statement.value_expression) * 8 - slots_of(*statement.rule, sizes) * *statement.bits;
  sizes.needs(over, "fewer bytes than the box has");
  sizes.needs(Polynomial(7) - over, "more bytes than the box has");
}

}  // namespace

void check_sizes(const Statement& statement, const SizeSet& sizes, const StepsForLeaf& steps) {
  const std::string& claim = statement.claim;
  const RuleText& rule = *statement.rule;
  const auto& value = statement.value_expression;
  if (statement.rule_nests) return check_rule_nests(statement, sizes, steps);
  const auto extents = extents_of(rule, sizes);
  if (!extents) return;
  if (asks_rules(claim)) return check_laws(rule, sizes);
  if (claim == "remap") return check_way_back(rule, sizes);
  if (claim == "padding-kind") return check_kind(statement, sizes, steps);
  if (claim == "bytes") return check_bytes(statement, sizes);
  if (claim == "fits") return check_memory(statement, sizes);
  if (statement.access) return check_rule_access(statement, sizes, extents->logical);
  if (claim == "aligned") return check_base(statement);
  const Polynomial points = product(extents->logical) * product(extents->replicas);
  require(value.has_value() == (claim == "padding"), "a number that nothing asks of");
  if (value) require(slots_of(rule, sizes) - points == sizes.value(*value), "another number of slots");
  if (!extents->any) return require(claim != "onto", "slots of a tensor without elements");
  if (claim == "equal") {
    const auto others = extents_of(*statement.from_rule, sizes);
    if (others) Leaf(rule, sizes, *extents, steps).is_equal_to(*statement.from_rule, *others);
    return;
  }
  if (claim == "occupied" || claim == "mask-exact") check_laws(rule, sizes);
  const bool has_memory = std::ranges::find(rule.places, "m", &RuleText::Place::name) != rule.places.end();
  if (claim == "mask-exact" || (claim == "occupied" && !has_memory)) {
    const Leaf leaf(rule, sizes, *extents, steps);
    if (claim == "mask-exact") leaf.in_bounds();
    return leaf.every_slot();
  }
  if (claim == "row-aligned") return Leaf(rule, sizes, *extents, steps).row_starts(*statement.base, *statement.bits);
  if (claim == "offset-identity") return Leaf(rule, sizes, *extents, steps).identities();
  Leaf(rule, sizes, *extents, steps).show(claim);
}

void check_instance(const RuleText& rule, const Integers& at, bool with_element) {
  const kernel::Sizes known = sizes_of(rule.symbols, at);
  const SizeSet sizes(rule.symbols, known);
  const auto extents = extents_of(rule, sizes);
  require(extents && (extents->any || !with_element), "sizes that have no element");
  for (const Polynomials* all : {&extents->logical, &extents->replicas})
    for (const Polynomial& extent : *all) sizes.needs(extent, "an extent below 0");
  const auto exists = [&](const ExpressionText& said) { static_cast<void>(sizes.value(said).number()->narrow()); };
  std::ranges::for_each(rule.logical, exists);
  std::ranges::for_each(rule.strides, exists);
  for (const auto* one : {&rule.start, &rule.offset})
    if (*one) exists(**one), sizes.needs(sizes.value(**one), "an offset below 0");
  for (const RuleText::Level& level : rule.levels) exists(level.weight), exists(level.extent);
  for (const auto& terms : rule.joins.value_or(std::vector<std::vector<RuleText::Term>>{}))
    for (const RuleText::Term& term : terms) exists(term.coefficient);
  for (const RuleText::Place& place : rule.places) {
    exists(place.extent), exists(place.constant);
    for (const RuleText::Term& term : place.terms) exists(term.coefficient);
  }
}

namespace {

// The goals that a leaf names, one after the other.
class NamedGoals {
 public:
  explicit NamedGoals(const CasesProof& proof) : goals_(proof.goals), used_(goals_ ? goals_->size() : 0, false) {
    require(!goals_ || !goals_->empty(), "a list of no goals");
  }

  void check(const Statement& asked, const SizeSet& sizes, const kernel::BasicStep<Polynomial>& leaf) {
    require(leaf.notes.empty(), "a step of another kind");
    std::size_t next = 0;
    check_sizes(asked, sizes, [&](const LeafGoal&) {
      require(next < leaf.numbers.size(), "a leaf that lacks steps");
      const Wide at = number_of(leaf.numbers[next++]);
      require(at >= 0 && at < static_cast<long long>(used_.size()), "steps that are none");
      const auto goal = static_cast<std::size_t>(at.narrow());
      used_[goal] = true;
      return (*goals_)[goal];
    });
    require(next == leaf.numbers.size(), "steps that show nothing");
  }
  void end() const { require(std::ranges::find(used_, false) == used_.end(), "steps that show nothing"); }

 private:
  const std::optional<std::vector<kernel::StepsOf<Polynomial>>>& goals_;
  std::vector<bool> used_;
};

// Every size lies in a place that a leaf or a step closes.
void check_cases(const Statement& asked, const CasesProof& proof) {
  std::vector<kernel::Sizes> open{sizes_of(asked.rule->symbols)};
  hold(open.back().bytes());
  NamedGoals goals(proof);
  for (const kernel::BasicStep<Polynomial>& step : proof.steps) {
    charge(8LL);
    require(!open.empty(), "a step of no case");
    kernel::Sizes known = std::move(open.back());
    open.pop_back();
    release(static_cast<long long>(known.bytes()));
    if (step.name == "holds") {
      goals.check(asked, SizeSet(asked.rule->symbols, known), step);
      continue;
    }
    auto places = std::move(known).after(step);
    for (const kernel::Sizes& place : places) hold(place.bytes());
    std::ranges::move(places.rbegin(), places.rend(), std::back_inserter(open));
    require(open.size() <= kMostCases, "too many cases");
  }
  require(open.empty(), "a case that nothing is shown of");
  goals.end();
}

}  // namespace

void check_for_all_sizes(const std::string& claim, Statement& statement, Evidence& evidence) {
  Statement asked;
  asked.claim = claim, asked.rule = take(statement.rule);
  check_places(*asked.rule);
  asked.value_expression = std::exchange(statement.value_expression, std::nullopt);
  asked.rule_nests = std::exchange(statement.rule_nests, std::nullopt);
  asked.from_rule = std::exchange(statement.from_rule, std::nullopt);
  require(asked.rule_nests || claim == "padding-kind" || (claim == "equal") == asked.from_rule.has_value(),
          "a rule that nothing asks of");
  if (asked.from_rule) check_places(*asked.from_rule);
  asked.access = std::exchange(statement.access, std::nullopt);
  const bool measures =
      claim == "padding" || claim == "padding-kind" || claim == "bytes" || (asked.access && claim != "conflict-free");
  require(!asked.value_expression || (measures && !asked.rule_nests), "a number that nothing asks of");
  require(asked.access.has_value() == (claim == "conflict-free" || claim == "conflicts" || claim == "wavefronts"),
          "an access that nothing asks of");
  const bool starts = claim == "aligned" || claim == "row-aligned";
  if (claim == "bytes" || claim == "fits" || starts || asked.access) asked.bits = take(statement.bits);
  if (claim == "fits" || (claim == "conflicts" && !asked.value_expression)) asked.at_most = take(statement.at_most);
  if (starts) asked.base = take(statement.base);
  const CasesProof proof = take(evidence.cases);
  // A box without elements is padding as a whole.
  check_instance(*asked.rule, proof.sizes, !asks_rules(claim) && claim != "padding" && claim != "bytes");
  if (asked.from_rule) {
    require(asked.from_rule->symbols == asked.rule->symbols, "layouts of other symbols");
    check_instance(*asked.from_rule, proof.sizes, false);
  }
  if (asks_rules(claim)) {
    require(!asked.value_expression && !asked.rule_nests, "steps that show nothing");
    if (!asked.rule->laws) return require(proof.steps.empty() && !proof.goals, "steps that show nothing");
  }
  check_cases(asked, proof);
}

}  // namespace vl::checker
