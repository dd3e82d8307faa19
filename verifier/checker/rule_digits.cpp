#include "verifier/checker/rule_digits.h"

#include <algorithm>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

// Of a lower degree, or of the same one and with fewer terms.
bool simpler(const Polynomial& a, const Polynomial& b) {
  const auto rank = [](const Polynomial& p) {
    int degree = 0;
    for (const Polynomial::Term& term : p.terms()) {
      int sum = 0;
      for (const auto power : term.powers) sum += power;
      degree = std::max(degree, sum);
    }
    return std::pair(degree, p.terms().size());
  };
  return rank(a) < rank(b);
}

}  // namespace

bool holds(const RuleText::Condition& condition, const SizeSet& sizes) {
  const Polynomial p = sizes.value(condition.left) - sizes.value(condition.right);
  const std::string& is = condition.relation;
  if (is == ">=") return sizes.decides(p);
  if (is == ">") return sizes.decides(p - 1);
  if (is == "<=") return sizes.decides(p * -1);
  if (is == "<") return sizes.decides(Polynomial(-1) - p);
  require(is == "==", "a relation that is not known");
  return sizes.decides(p) && sizes.decides(p * -1);
}

Polynomial product(const Polynomials& factors) {
  Polynomial out = 1;
  for (const Polynomial& factor : factors) out = out * factor;
  return out;
}

void peel(const SizeSet& sizes, std::vector<Polynomials> rows, const Polynomials& extents) {
  std::vector<bool> known;
  for (const Polynomial& extent : extents) known.push_back(sizes.shows(Polynomial(1) - extent));
  for (Polynomials& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k)
      if (!known[k] && !sizes.decides(row[k])) row[k] = row[k] * -1;
  std::optional<Polynomial> open;  // what would tell one more digit
  for (bool again = true; again;) {
    again = false, open.reset();
    for (const Polynomials& row : rows)
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (known[k]) continue;
        Polynomial p = row[k] - 1;
        for (std::size_t j = 0; j < row.size(); ++j)
          if (j != k && !known[j]) p = p - row[j] * (extents[j] - 1);
        if (sizes.shows(p)) known[k] = again = true;
        else if (!sizes.shows(Polynomial(-1) - p) && (!open || simpler(p, *open))) open = p;
      }
  }
  for (std::size_t k = 0; k < known.size(); ++k)
    if (!known[k]) static_cast<void>(sizes.decides(extents[k] - 2));
  if (std::ranges::find(known, false) == known.end()) return;
  if (open) static_cast<void>(sizes.decides(*open));
  throw Rejected("digits that nothing tells apart");
}

std::optional<RuleExtents> extents_of(const RuleText& rule, const SizeSet& sizes) {
  for (const RuleText::Condition& condition : rule.where)
    if (!holds(condition, sizes)) return std::nullopt;
  require(rule.strides.size() == rule.logical.size(), "another number of strides");
  RuleExtents out;
  for (const ExpressionText& said : rule.logical) out.logical.push_back(sizes.value(said));
  for (const ExpressionText& said : rule.replicas) out.replicas.push_back(sizes.value(said));
  for (const Polynomial& extent : out.logical) out.any = sizes.decides(extent - 1) && out.any;
  // A replica that is a place of its own is one of a box: an element of no replica has no slot, and is an element.
  for (const Polynomial& extent : rule.decodes ? Polynomials() : out.replicas)
    out.any = sizes.decides(extent - 1) && out.any;
  return out;
}

Polynomial slots_of(const RuleText& rule, const SizeSet& sizes) {
  Polynomial out = 1;
  for (const RuleText::Place& place : rule.places) out = out * sizes.value(place.extent);
  return out;
}

bool are_equal(const Polynomial& a, const Polynomial& b, const SizeSet& sizes) {
  return a == b || (sizes.shows(a - b) && sizes.shows(b - a));
}

Polynomials radix_of(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  require(!rule.numbers && !rule.start, "several numbers, or one that starts elsewhere");
  // Row-major, or the first dimension fastest; what has one coordinate has any stride.
  const bool last_fastest = [&] {
    for (std::size_t i = logical.size(); i-- > 0;)
      if (logical[i].number() != 1) return sizes.value(rule.strides[i]).number() == 1;
    return true;
  }();
  Polynomial number = 1, weight = 1;
  for (std::size_t k = 0; k < logical.size(); ++k) {
    const std::size_t i = last_fastest ? logical.size() - 1 - k : k;
    if (logical[i].number() == 1) continue;
    require(are_equal(sizes.value(rule.strides[i]), number, sizes), "a host that is not dense");
    number = number * logical[i];
  }
  Polynomials out(rule.levels.size());
  for (std::size_t k = out.size(); k-- > 0; weight = weight * out[k]) {
    out[k] = sizes.value(rule.levels[k].extent);
    sizes.needs(out[k] - 1, "an extent below 1");
    require(are_equal(sizes.value(rule.levels[k].weight), weight, sizes), "levels that are no mixed radix");
  }
  require(are_equal(weight, number, sizes), "levels of another number");
  return out;
}

NumberDigits digits_of_numbers(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical, bool of_slots) {
  NumberDigits out;
  std::vector<bool> read(logical.size());
  std::size_t next = 0, at = 0;
  require(!rule.joins || rule.joins->size() == rule.numbers->size(), "digits of no number");
  for (const RuleText::Number& number : *rule.numbers) {
    Polynomials strides, extents;
    Polynomial reach = 0;
    for (const std::size_t dim : number.dims) {
      require(dim < logical.size() && !read[dim], "a dimension that is none, or in two numbers");
      read[dim] = true;
      strides.push_back(sizes.value(rule.strides[dim])), extents.push_back(logical[dim]);
      sizes.needs(strides.back() - 1, "a stride below 1");
      reach = reach + strides.back() * (extents.back() - 1);
    }
    for (const RuleText::Term& term : rule.joins ? (*rule.joins)[at] : std::vector<RuleText::Term>{}) {
      require(term.input < next && out.joined[term.input] == 0, "a digit that is none, or in two numbers");
      out.joined[term.input] = 1;
      strides.push_back(sizes.value(term.coefficient)), extents.push_back(out.extents[term.input]);
      sizes.needs(strides.back() - 1, "a step of a digit below 1");
      reach = reach + strides.back() * (extents.back() - 1);
    }
    ++at;
    Polynomial top = 1;  // of a number whose strides nest: it is below
    bool nests = true;
    for (std::size_t i = strides.size(); i-- > 0; top = strides[i] * extents[i])
      nests = nests && sizes.shows(strides[i] - top);
    if (!nests) out.not_nested.emplace_back(strides, extents);
    require(number.levels <= rule.levels.size() - next, "levels that are none");
    const auto below = [&](const Polynomial& end) {
      if (!nests || !sizes.shows(end - top)) sizes.needs(end - 1 - reach, "a number beyond its levels");
    };
    const std::vector<RuleText::Term> itself{{next, ExpressionText{{}, 1}}};
    const auto is_first_digit = [&](const RuleText::Place& place) {
      return place.constant == ExpressionText{} && place.terms == itself && place.extent == rule.levels[next].extent;
    };
    if (number.levels == 0) below(1);
    for (std::size_t k = 0; k < number.levels; ++k, ++next) {
      const Polynomial weight = sizes.value(rule.levels[next].weight), extent = sizes.value(rule.levels[next].extent);
      sizes.needs(weight - 1, "a weight below 1"), sizes.needs(extent - 1, "an extent below 1");
      if (of_slots && k == 0) charge(rule.places.size());
      const bool has_place = of_slots && k == 0 && std::ranges::any_of(rule.places, is_first_digit);
      if (k == 0 && !has_place) below(weight * extent);
      if (k > 0) sizes.needs(weight * extent - sizes.value(rule.levels[next - 1].weight), "a digit beyond its extent");
      require(k + 1 < number.levels || weight == 1, "a rest that no weight takes");
      out.extents.push_back(extent), out.joined.push_back(0);
    }
  }
  for (std::size_t k = 0; k < next; ++k)
    if (out.joined[k] != 0) out.extents[k] = 1;
  require(next == rule.levels.size(), "levels of no number");
  require(std::ranges::find(read, false) == read.end(), "a dimension that no number reads");
  return out;
}

std::optional<Stage> swizzle_of(const RuleText& rule) {
  if (!rule.swizzle || rule.swizzle->bits == 0) return std::nullopt;
  const RuleSwizzleText& said = *rule.swizzle;
  for (const std::int64_t number_of_bits : {said.base, said.bits, said.shift})
    require(number_of_bits >= 0 && number_of_bits <= 62, "a swizzle of too many bits");
  require(said.shift >= 1 && said.base + said.bits + said.shift <= 62 && said.place < rule.places.size(),
          "a swizzle that is none");
  Stage out;
  out.kind = Stage::Kind::Swizzle, out.up = said.up, out.input = said.place;
  out.base = static_cast<int>(said.base), out.bits = static_cast<int>(said.bits);
  out.shift = static_cast<int>(said.shift);
  return out;
}

RadixForms::RadixForms(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical,
                       const Polynomials& replicas, bool of_slots)
    : sizes_(sizes),
      numbers_(rule.numbers ? digits_of_numbers(rule, sizes, logical, of_slots) : NumberDigits{}),
      digits_(rule.numbers ? numbers_.extents : radix_of(rule, sizes, logical)),
      swizzle_(swizzle_of(rule)) {
  require(!rule.numbers || (!swizzle_ && !rule.decodes), "numbers of another rule");
  require(!rule.start, "a start of digits that are no places");
  require(rule.numbers || !rule.joins, "digits of no number");
  digits_.insert(digits_.end(), replicas.begin(), replicas.end());
  for (const RuleText::Place& said : rule.places) {
    Place& place = places_.emplace_back(Place{sizes.value(said.constant), sizes.value(said.extent), {}, {}});
    require(said.filled.has_value() == (rule.named && !rule.numbers), "places that are filled in part");
    if (said.filled) place.filled = sizes.value(*said.filled);
    charge(digits_.size()),
        hold(2 * static_cast<long long>(digits_.size()) * static_cast<long long>(sizeof(Polynomial)));  // as rows, too
    place.sizes.resize(digits_.size());
    for (const RuleText::Term& term : said.terms) {
      require(term.input < digits_.size(), "an input that is none");
      require(term.input >= numbers_.joined.size() || numbers_.joined[term.input] == 0,
              "a place of a digit that a number joins");
      place.sizes[term.input] = place.sizes[term.input] + sizes.value(term.coefficient);
    }
  }
}

void RadixForms::all_land(bool filled) const {
  for (std::size_t j = 0; j < places_.size(); ++j) {
    const Place& place = places_[j];
    const Polynomial& extent = filled ? place.filled : place.extent;
    Polynomial least = place.constant, most = place.constant;  // both in a corner
    for (std::size_t k = 0; k < digits_.size(); ++k)
      if (const Polynomial reach = place.sizes[k] * (digits_[k] - 1); sizes_.decides(place.sizes[k]))
        most = most + reach;
      else least = least + reach;
    sizes_.needs(least, "a coordinate below 0");
    sizes_.needs(extent - 1 - most, "a coordinate beyond the box");
    if (swizzle_ && swizzle_->input == j) swizzle_keeps(extent);
  }
}

void RadixForms::none_collide() const {
  std::vector<Polynomials> rows;
  for (const Place& place : places_) rows.push_back(place.sizes);
  peel(sizes_, std::move(rows), digits_);
  for (const auto& [strides, extents] : numbers_.not_nested) peel(sizes_, {strides}, extents);
}

Polynomial RadixForms::filled_slots() const {
  Polynomial out = 1;
  for (const Place& place : places_) out = out * place.filled;
  return out;
}

// σ takes [0, extent) into itself. It permutes each aligned block, so a last block that is not whole is left, and what
// σ does there depends on its numbers below the period.
void RadixForms::swizzle_keeps(const Polynomial& extent) const {
  constexpr int kMostBits = 14;
  const int within = swizzle_->base + swizzle_->bits, all = within + swizzle_->shift;
  const Wide block = 1LL << (swizzle_->up ? all : within), period = 1LL << all;
  if (extent.split(block).second.terms().empty()) return;
  require(all <= kMostBits, "a swizzle whose period is too long");
  const Wide end = sizes_.rest(extent, period);
  for (Wide x = end - end % block; x < end; x += 1)
    require(swizzle_->swizzled(x) < end, "a last block out of which the swizzle leads");
}

TensorDims dims_of(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical) {
  TensorDims out;
  for (std::size_t i = 0; i < logical.size(); ++i) {
    if (sizes.shows(Polynomial(1) - logical[i])) continue;
    out.strides.push_back(sizes.value(rule.strides[i])), out.extents.push_back(logical[i]);
    sizes.needs(out.strides.back() - 1, "a stride below 1");
  }
  return out;
}

Polynomials summands_of(const std::optional<ExpressionText>& sum, const SizeSet& sizes) {
  Polynomials out;
  std::vector<const ExpressionText*> open;
  if (sum) open.push_back(&*sum);
  while (!open.empty()) {
    const ExpressionText& said = *open.back();
    open.pop_back();
    if (said.word == "+" && said.parts.size() == 2) {
      open.push_back(&said.parts[1]), open.push_back(&said.parts[0]);
      continue;
    }
    out.push_back(sizes.value(said));
    sizes.needs(out.back(), "a summand below 0");
  }
  return out;
}

Polynomial take_digit(Polynomials& summands, const Polynomial& weight, const SizeSet& sizes) {
  Polynomials left;
  Polynomial digit = 0, rest = 0;
  for (const Polynomial& part : summands)
    if (const auto times = part.over(weight)) digit = digit + *times;
    else left.push_back(part), rest = rest + part;
  summands = std::move(left);
  if (sizes.shows(weight - 1 - rest)) return digit;
  const Polynomial more = sizes.quotient(rest, weight);
  summands = {rest - more * weight};
  return digit + more;
}

GreedySplit::GreedySplit(const RuleText& rule, const SizeSet& sizes, const Polynomials& logical)
    : sizes_(sizes), said_start_(rule.start) {
  require(!rule.swizzle && !rule.named && !rule.numbers && rule.levels.size() == rule.places.size(),
          "digits that are no places");
  for (std::size_t i = 0; i < logical.size(); ++i) {
    if (sizes.shows(Polynomial(1) - logical[i])) continue;
    Polynomial stride = sizes.value(rule.strides[i]);
    if (stride == 0) {  // no number depends on such a coordinate
      repeated_.push_back(logical[i]);
      continue;
    }
    if (sizes.shows(Polynomial(-1) - stride)) {  // counted from the end
      least_ = least_ + stride * (logical[i] - 1);
      stride = stride * -1;
    }
    sizes.needs(stride - 1, "a stride that may be 0");
    dims_.strides.push_back(std::move(stride)), dims_.extents.push_back(logical[i]);
  }
  std::size_t copies = 0;
  for (std::size_t j = 0; j < rule.places.size(); ++j) {
    const RuleText::Place& place = rule.places[j];
    const bool repeats = place.terms.size() == 1 && place.terms[0].input == rule.levels.size() + copies;
    const std::vector<RuleText::Term> itself{{repeats ? rule.levels.size() + copies : j, ExpressionText{{}, 1}}};
    require(place.extent == rule.levels[j].extent && place.constant == ExpressionText{} && place.terms == itself,
            "places that are not the digits");
    const Polynomial extent = sizes.value(place.extent);
    if (repeats) {  // the place is the replica
      require(copies < rule.replicas.size() && rule.replicas[copies] == place.extent &&
                  rule.levels[j].weight == ExpressionText{},
              "a replica of another extent, or with a weight");
      left_out_.push_back(extent), ++copies;
      continue;
    }
    if (!sizes.decides(extent - 2)) {
      left_out_.push_back(extent);
      continue;
    }
    const Polynomial weight = sizes.value(rule.levels[j].weight);
    if (sizes.decides(weight - 1)) insert({weight, extent, j});
    else sizes.needs(Polynomial(-1) - weight, "a weight that may be 0"), left_out_.push_back(extent);
  }
  require(copies == rule.replicas.size(), "a replica without a place");
}

namespace {

// Steps one after the other, from the start on, run beyond a multiple of the weight: the digit is at most the last
// one's, and the rest is below the weight. What lies beside the run is less than one step.
struct Run {
  std::size_t part = 0;  // of those that are left
  Polynomial steps;      // of which the weight is made
  Polynomial last;       // the greatest number of the part, and its digit
  Polynomial taken;
};

}  // namespace

void GreedySplit::insert(Level level) {
  auto at = kept_.end();
  while (at != kept_.begin() && !sizes_.decides(std::prev(at)->weight - level.weight)) --at;
  kept_.insert(at, std::move(level));
}

void GreedySplit::places_are_not_empty() const {
  for (const Polynomial& extent : left_out_) sizes_.needs(extent - 1, "a place that is empty");
}

Polynomials GreedySplit::start() const {
  Polynomials out = summands_of(said_start_, sizes_);
  if (least_ == 0) return out;
  Polynomial sum = least_;
  for (const Polynomial& part : out) sum = sum + part;
  sizes_.needs(sum, "a number below 0");
  return {std::move(sum)};
}

void GreedySplit::none_collide() const {
  for (const Polynomial& extent : repeated_) sizes_.needs(Polynomial(1) - extent, "two elements of one number");
  peel(sizes_, {dims_.strides}, dims_.extents);
}

// Where a dimension's elements follow one another as those of the one inside of it do, the two are one, of which a
// digit may be taken across both. So they are seen where some weight divides neither the outer stride nor is divided by
// it, and none divides the outer dimension.
std::vector<SplitPart> GreedySplit::parts() const {
  std::vector<SplitPart> out;
  for (std::size_t i = 0; i < dims_.strides.size(); ++i) out.push_back({dims_.strides[i], dims_.extents[i]});
  const auto is_one = [&](const SplitPart& outer, const SplitPart& inner) {
    if (std::ranges::find(kept_, outer.size, &Level::weight) != kept_.end()) return false;  // as mostly
    bool crosses = false;
    for (const Level& level : kept_) {
      const auto inside = level.weight.over(outer.size);
      if (inside && !inside->over(outer.extent)) return false;
      crosses = crosses || (!inside && !outer.size.over(level.weight));
    }
    return crosses && outer.size == inner.size * inner.extent;
  };
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 1; k < out.size() && !found; ++k)
      for (const auto& [outer, inner] : {std::pair(k - 1, k), std::pair(k, k - 1)}) {
        if (found || !is_one(out[outer], out[inner])) continue;
        out[inner].extent = out[inner].extent * out[outer].extent;
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(outer));
        found = true;
      }
  }
  return out;
}

void GreedySplit::all_land() const {
  places_are_not_empty();
  std::vector<SplitPart> rest = parts();
  Polynomials start = this->start();
  for (const Level& level : kept_) divide(level, rest, start);
  for (const Polynomial& part : start) sizes_.needs(part * -1, "a rest that no weight takes");
  for (const SplitPart& part : rest) sizes_.needs(Polynomial(1) - part.extent, "a rest that no weight takes");
}

void GreedySplit::divide(const Level& level, std::vector<SplitPart>& rest, Polynomials& start) const {
  const Polynomial digit = take_digit(start, level.weight, sizes_);  // of the start
  Polynomial greatest = digit, reach = 0;                            // of the digit, of what is left
  for (const Polynomial& part : start) reach = reach + part;
  std::vector<SplitPart> left;
  std::vector<Run> runs;
  for (const SplitPart& part : rest) {
    if (const auto times = part.size.over(level.weight)) {
      greatest = greatest + *times * (part.extent - 1);
      continue;
    }
    const auto steps = level.weight.over(part.size);
    Polynomial taken = 0, extent = part.extent;
    if (steps && !sizes_.shows(*steps - part.extent) && sizes_.decides(part.extent - *steps - 1))
      taken = sizes_.quotient(part.extent - 1, *steps), extent = *steps;
    if (steps) runs.push_back({left.size(), *steps, part.extent - 1, taken});
    greatest = greatest + taken;
    left.push_back({part.size, extent});
  }
  bool carries = true;  // as far as one knows
  for (const Run& run : start.empty() ? std::vector<Run>() : runs) {
    SplitPart& part = left[run.part];
    const auto [steps, less] = reach.divided(part.size);  // what is left of the start, in steps of the run
    Polynomial beside = less;
    for (const SplitPart& other : left)
      if (&other != &part) beside = beside + other.size * (other.extent - 1);
    if (!sizes_.shows(less) || !sizes_.shows(part.size - 1 - beside)) continue;
    if (!sizes_.decides(run.steps - steps - part.extent)) {
      greatest = greatest - digit - run.taken + sizes_.quotient(digit * run.steps + steps + run.last, run.steps);
      part.extent = run.steps, start = less == 0 ? Polynomials() : Polynomials{less};
    }
    carries = false;
    break;
  }
  for (const SplitPart& part : left) reach = reach + part.size * (part.extent - 1);
  if (carries) sizes_.needs(level.weight - 1 - reach, "digits that carry");
  sizes_.needs(level.extent - 1 - greatest, "a coordinate beyond the box");
  rest = std::move(left);
}

}  // namespace vl::checker
