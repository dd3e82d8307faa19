// What a statement about all sizes says at some sizes, found by looking at every element. Written from the words of
// verifier/checker/rules.h, without polynomials.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "encodings/map/text.h"
#include "tests/mutation/expression_truth.h"
#include "tests/mutation/way_back_truth.h"
#include "tests/support/access_brute.h"
#include "tests/support/truth.h"
#include "verifier/checker/certificate.h"

namespace vl::mutation {

enum class AtSizes { NoInstance, True, False };

class RuleAtSizes : private ExpressionsAtSizes {
 public:
  using ExpressionsAtSizes::Numbers;

  RuleAtSizes(const checker::Statement& statement, const Numbers& sizes) : said_(statement), rule_(*statement.rule) {
    for (std::size_t k = 0; k < rule_.symbols.size(); ++k) {
      if (sizes[k] < rule_.symbols[k].low) exists_ = false;
      symbols_.emplace(rule_.symbols[k].name, sizes[k]);  // of two of one name the first one
    }
  }

  AtSizes look() {
    for (const auto& condition : rule_.where) exists_ = exists_ && holds(condition);
    if (!exists_) return AtSizes::NoInstance;
    read();
    if (!exists_) return AtSizes::NoInstance;
    walk();
    const bool right = exists_ && claimed();  // which may meet numbers that are not looked at
    if (!exists_) return AtSizes::NoInstance;
    return right ? AtSizes::True : AtSizes::False;
  }

 private:
  void read() {
    for (const auto& said : rule_.logical) logical_.push_back(value(said));
    for (const auto& said : rule_.strides) strides_.push_back(value(said));
    for (const auto& said : rule_.replicas) replicas_.push_back(value(said));
    if (rule_.decodes)  // an element of which no copy is made is in no slot
      for (std::int64_t& copies : replicas_) copies = copies == 0 ? 1 : copies;
    start_ = rule_.start ? value(*rule_.start) : 0;
    if (strides_.size() != logical_.size() || start_ < 0 || (rule_.offset && value(*rule_.offset) < 0)) exists_ = false;
    for (const auto& level : rule_.levels)
      weights_.push_back(value(level.weight)), extents_.push_back(value(level.extent));
    for (std::size_t k = 0; k < weights_.size(); ++k)
      if (extents_[k] > 1 && weights_[k] > 0) kept_.push_back(k);
    std::ranges::stable_sort(kept_, [&](std::size_t a, std::size_t b) { return weights_[a] > weights_[b]; });
    for (const auto& said : rule_.places) {
      box_.push_back(value(said.extent)), constants_.push_back(value(said.constant));
      if (said.filled) filled_.push_back(value(*said.filled));
      Numbers& row = rows_.emplace_back(weights_.size() + replicas_.size(), 0);
      for (const auto& term : said.terms) {
        if (term.input >= row.size()) exists_ = false;
        else row[term.input] += value(term.coefficient);
      }
    }
    for (const auto* list : {&logical_, &replicas_, &box_, &filled_})
      for (const std::int64_t extent : *list) exists_ = exists_ && extent >= 0;
    if (rule_.named && !rule_.numbers && filled_.size() != box_.size()) exists_ = false;
    if (rule_.numbers) read_numbers();
    if (rule_.joins) read_joins();
    if (rule_.decodes && box_.size() != weights_.size()) exists_ = false;
    if (product(logical_) * product(replicas_) > 20000) exists_ = false;  // not looked at
  }

  // A dimension that no number reads moves nothing.
  void read_numbers() {
    std::size_t levels = 0;
    for (const auto& number : *rule_.numbers) {
      for (const std::size_t dim : number.dims) exists_ = exists_ && dim < logical_.size();
      exists_ = exists_ && number.levels <= weights_.size() - levels;
      if (!exists_) return;
      levels += number.levels;
    }
    if (levels != weights_.size() || rule_.decodes || rule_.swizzle) exists_ = false;
    for (const std::int64_t weight : weights_) exists_ = exists_ && weight >= 1;
  }

  // A number joins digits of the levels before its own.
  void read_joins() {
    if (!rule_.numbers || rule_.joins->size() != rule_.numbers->size()) exists_ = false;
    std::size_t before = 0;
    for (std::size_t n = 0; exists_ && n < rule_.joins->size(); before += (*rule_.numbers)[n++].levels)
      for (const auto& term : (*rule_.joins)[n]) {
        exists_ = exists_ && term.input < before;
        steps_[n].emplace_back(term.input, value(term.coefficient));
      }
  }

  // The digits of each number, divided by its own levels one after the other; and all that is left.
  std::int64_t divide(const Numbers& point, Numbers& digits) {
    std::int64_t left = 0;
    std::size_t k = 0, n = 0;
    for (const auto& number : *rule_.numbers) {
      std::int64_t rest = n == 0 ? start_ : 0;  // where a rule has numbers, the first one begins there
      for (const std::size_t dim : number.dims) rest += strides_[dim] * point[dim];
      for (const auto& [level, step] : steps_[n++]) rest += step * digits[level];
      if (rest < 0) exists_ = false;
      for (const std::size_t end = k + number.levels; k < end; ++k) digits[k] = rest / weights_[k], rest %= weights_[k];
      left += rest;
    }
    return left;
  }

  void walk() {
    Numbers inputs = logical_;
    inputs.insert(inputs.end(), replicas_.begin(), replicas_.end());
    list_ = {logical_, replicas_, box_, {}, {}};
    for (std::size_t j = 0; rule_.named && j < box_.size(); ++j) list_.axes.push_back(rule_.places[j].name);
    for (const Numbers& point : test::points_of(inputs)) {
      std::int64_t number = start_;
      for (std::size_t i = 0; i < strides_.size(); ++i) number += strides_[i] * point[i];
      if (!exists_) return;
      if (number < 0 && !rule_.numbers) {  // no digit of it is in a box
        list_.places.emplace_back(box_.size() + 1, -1);
        if ((said_.claim == "equal" || said_.claim == "row-aligned") && rule_.named) exists_ = false;
        continue;
      }
      Numbers digits(weights_.size(), 0);
      std::int64_t rest = number;
      if (rule_.numbers) rest = divide(point, digits);
      else
        for (const std::size_t k : kept_) digits[k] = rest / weights_[k], rest %= weights_[k];
      digits.insert(digits.end(), point.begin() + static_cast<std::ptrdiff_t>(logical_.size()), point.end());
      Numbers place = constants_;
      for (std::size_t j = 0; j < place.size(); ++j)
        place[j] = std::inner_product(digits.begin(), digits.end(), rows_[j].begin(), place[j]);
      swizzle(place);
      if (said_.claim == "row-aligned") look_at_start(point, place, rest);
      list_.places.push_back(place);
      list_.places.back().push_back(rest);
      if (!list_.has_slot(list_.places.back())) continue;
      if (rule_.named && !rule_.numbers && !test::inside(place, filled_)) fills_ = false;
      if (rule_.decodes) decode(place, point, number);
      if (rule_.numbers) identity_ = identity_ && tells_coordinates(place, point);
    }
  }
  [[nodiscard]] bool is_empty() const { return list_.places.empty(); }
  [[nodiscard]] std::int64_t hit() const { return std::ssize(list_.slots()); }
  [[nodiscard]] bool is_one_to_one() const { return list_.in_bounds() && list_.apart(); }

  // The second rule in the place of the first one. Requires: there is one.
  [[nodiscard]] checker::Statement second() const {
    checker::Statement out = said_;
    out.rule = std::exchange(out.from_rule, std::nullopt);
    return out;
  }
  [[nodiscard]] Numbers sizes() const {
    Numbers out;
    for (const auto& symbol : rule_.symbols) out.push_back(symbols_.at(symbol.name));
    return out;
  }
  void walk_as_second() {
    for (const auto& condition : rule_.where) exists_ = exists_ && holds(condition);
    if (exists_) read();
    if (exists_) walk();
  }

  // The slots of each rule that are not hit. An empty tensor is not asked.
  bool is_padding_of_kind(std::int64_t want) {
    const auto left = [](const RuleAtSizes& of) { return product(of.box_) - of.hit(); };
    if (is_empty()) return true;
    if (!laws_hold() || !is_one_to_one()) return false;
    if (!said_.from_rule) return left(*this) == want;
    const checker::Statement said = second();
    RuleAtSizes other(said, sizes());
    other.walk_as_second();
    exists_ = exists_ && other.exists_;
    return other.is_empty() || (other.is_one_to_one() && left(*this) + left(other) == want);
  }

  bool is_equal() {
    if (!said_.from_rule) return false;
    const checker::Statement said = second();
    RuleAtSizes other(said, sizes());
    other.walk_as_second();
    exists_ = exists_ && other.exists_;
    return logical_ == other.logical_ && rule_.named == other.rule_.named &&
           list_.by_element() == other.list_.by_element() && (rule_.named || product(box_) == product(other.box_));
  }

  // Whether a row that begins at this point begins at a multiple of the base, in bits.
  void look_at_start(const Numbers& point, const Numbers& place, std::int64_t rest) {
    if (!logical_.empty() && point[logical_.size() - 1] != 0) return;
    std::int64_t at = 0;
    bool has_memory = !rule_.named;
    for (std::size_t j = 0; j < place.size(); ++j)
      if (!rule_.named) at = at * box_[j] + place[j];
      else if (rule_.places[j].name == "m") at = place[j], has_memory = true;
    if (!rule_.named && (rest != 0 || !test::inside(place, box_))) return;  // it has no place
    if (at > kLargest / 64 || at < -kLargest / 64) exists_ = false;
    const bool sized = said_.bits.value_or(0) > 0 && said_.base.value_or(0) > 0 && *said_.base < kLargest;
    starts_ = starts_ && has_memory && sized && at * *said_.bits % (8 * *said_.base) == 0;
  }

  void swizzle(Numbers& place) {
    if (!rule_.swizzle || rule_.swizzle->bits == 0) return;
    const auto& by = *rule_.swizzle;
    if (by.place >= place.size() || place[by.place] < 0) {
      exists_ = false;
      return;
    }
    const test::Bits bits{static_cast<int>(by.base), static_cast<int>(by.bits), static_cast<int>(by.shift), !by.up};
    place[by.place] = test::swizzled(bits, place[by.place]);
  }

  void decode(const Numbers& place, const Numbers& element, std::int64_t number) {
    std::int64_t back = -start_;
    for (std::size_t j = 0; j < place.size(); ++j) back += std::max<std::int64_t>(weights_[j], 0) * place[j];
    if (back + start_ != number) identity_ = false;
    // Of the strides below 0 the digits count from the end; a stride 0 tells nothing.
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < logical_.size(); ++i)
      if (logical_[i] > 1 && strides_[i] != 0) order.push_back(i);
    const auto size_of = [&](std::size_t i) { return strides_[i] < 0 ? -strides_[i] : strides_[i]; };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
    for (const std::size_t i : order)
      if (strides_[i] < 0) back += size_of(i) * (logical_[i] - 1);
    Numbers found(logical_.size(), 0);
    for (const std::size_t i : order) {
      found[i] = strides_[i] > 0 ? back / size_of(i) : logical_[i] - 1 - back / size_of(i);
      back %= size_of(i);
    }
    for (std::size_t i = 0; i < found.size(); ++i) decodes_ = decodes_ && found[i] == element[i];
    decodes_ = decodes_ && back == 0;
  }

  // Whether the coordinates of a slot, each times its digit's weight, sum to the element's along each dimension.
  bool tells_coordinates(const Numbers& place, const Numbers& element) {
    Numbers sums(rule_.numbers->size(), 0);
    for (std::size_t j = 0; j < place.size(); ++j) {
      const auto& terms = rule_.places[j].terms;
      if (terms.empty() && place[j] == 0) continue;
      if (terms.size() != 1 || constants_[j] != 0 || rows_[j][terms[0].input] != 1) return false;
      std::size_t end = 0, n = 0;
      while (n < sums.size() && (end += (*rule_.numbers)[n].levels) <= terms[0].input) ++n;
      sums.at(n) += weights_[terms[0].input] * place[j];
    }
    for (std::size_t n = 0; n < sums.size(); ++n) {
      const auto& dims = (*rule_.numbers)[n].dims;
      if (dims.size() != 1 || sums[n] != element[dims[0]]) return false;
    }
    return sums.size() == logical_.size();
  }

  // Where an element lies in the one memory.
  std::int64_t address_of(const Numbers& element) {
    std::int64_t rest = start_;
    for (std::size_t i = 0; i < strides_.size(); ++i) rest += strides_[i] * element[i];
    Numbers digits(weights_.size(), 0);
    for (const std::size_t k : kept_) digits[k] = rest / weights_[k], rest %= weights_[k];
    Numbers place{std::inner_product(digits.begin(), digits.end(), rows_[0].begin(), constants_[0])};
    swizzle(place);
    return place[0];
  }

  static bool is_active(const checker::AccessText& access, const Point& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& is = access.conditions[i];
      if (is == "<=0" ? values[i] > 0 : is == "=0" ? values[i] != 0 : values[i] == 0) return false;
    }
    return true;
  }

  // Counts the words of each bank. False where a lane is outside of the tensor, or nothing can be counted.
  bool lanes_cost_as_said() {
    const checker::AccessText& access = *said_.access;
    const auto bytes = map::parse(access.bytes), coordinates = map::parse(access.coordinates),
               when = map::parse(access.when);
    if (!bytes || !coordinates || !when || !rule_.named || box_.size() != 1 || rule_.places[0].name != "m" ||
        !replicas_.empty() || !said_.bits || *said_.bits % 8 != 0 || access.conditions.size() != when->outputs())
      return false;
    std::vector<Index> variables = map::extents_of(bytes->domain());
    variables.erase(variables.begin());
    std::int64_t most = 0, excess = 0;
    for (const Numbers& instance : test::points_of(variables)) {
      std::map<Index, Index> first;  // bytes of the active lanes
      for (const checker::Integers& phase : access.phases)
        for (const std::int64_t lane : phase) {
          Point at{lane};
          at.insert(at.end(), instance.begin(), instance.end());
          if (!is_active(access, *map::evaluate(*when, at))) continue;
          const Point element = *map::evaluate(*coordinates, at);
          if (!test::inside(element, logical_)) return false;
          first[lane] = address_of(element) * (*said_.bits / 8) + (*map::evaluate(*bytes, at))[0];
        }
      const test::BruteCost cost = test::brute_cost(access, access.phases, access.width, first);
      most = std::max(most, cost.wavefronts), excess = std::max(excess, cost.wavefronts - cost.ideal);
    }
    if (!exists_ || most == 0) return false;
    if (said_.claim == "wavefronts") return said_.value_expression && value(*said_.value_expression) == most;
    if (said_.value_expression) return value(*said_.value_expression) == excess;
    return excess <= (said_.claim == "conflicts" ? said_.at_most.value_or(-1) : 0);
  }

  // Each start of the buffer at a multiple of the base, in elements, swizzled as an absolute address.
  bool starts_move_nothing() {
    if (!said_.bits || !said_.base || *said_.bits < 1 || *said_.base < 1) return false;
    for (std::int64_t start = 1; start <= 64; ++start) {
      if (start * *said_.base * 8 % *said_.bits != 0) return false;
      const std::int64_t elements = start * *said_.base * 8 / *said_.bits;
      for (std::int64_t m = 0; m < 64; ++m) {
        if (!rule_.swizzle || rule_.swizzle->place >= rows_.size()) continue;
        Numbers own(rows_.size(), 0), absolute = own;
        own[rule_.swizzle->place] = m, absolute[rule_.swizzle->place] = m + elements;
        swizzle(own), swizzle(absolute);
        if (absolute[rule_.swizzle->place] != own[rule_.swizzle->place] + elements) return false;
      }
    }
    return true;
  }

  bool claimed() {
    const std::string& claim = said_.claim;
    if (said_.access) return lanes_cost_as_said();
    if (claim == "aligned") return !rule_.swizzle || rule_.swizzle->bits == 0 || starts_move_nothing();
    if (claim == "equal") return is_equal();
    if (claim == "bytes")
      return said_.value_expression && said_.bits && product(box_) < kLargest &&
             value(*said_.value_expression) == (product(box_) * *said_.bits + 7) / 8;
    if (claim == "in-bounds") return list_.in_bounds();
    if (claim == "row-aligned") return starts_;
    if (claim == "injective") return list_.apart();
    if (claim == "onto") return hit() > 0 && hit() == product(box_);
    if (claim == "mask-exact") return is_empty() || (laws_hold() && list_.in_bounds() && hit() == product(box_));
    if (claim == "occupied")
      return is_empty() || (laws_hold() && hit() == product(box_));  // an empty tensor is not asked
    if (claim == "padding-kind") return said_.value_expression && is_padding_of_kind(value(*said_.value_expression));
    if (claim == "padding") return said_.value_expression && product(box_) - hit() == value(*said_.value_expression);
    if (claim == "fits") {
      std::int64_t slots = product(box_);
      for (std::size_t j = 0; rule_.named && j < box_.size(); ++j)
        if (rule_.places[j].name == "m") slots = box_[j];
      return slots < kLargest && slots * *said_.bits <= 8 * *said_.at_most;
    }
    if (claim == "offset-identity") return identity_ && (rule_.decodes || (rule_.numbers && !rule_.named));
    if (claim == "bijective")
      return is_one_to_one() && (!rule_.decodes || decodes_) &&
             (is_empty() || !rule_.named || rule_.numbers || (fills_ && std::ssize(list_.places) == product(filled_)));
    if (claim == "remap")
      return rule_.numbers && !rule_.joins && laws_hold() &&
             reads_where_it_lies(rule_, strides_, logical_, weights_, extents_);
    return claim == "well-formed" && laws_hold();
  }

  bool laws_hold() {
    bool right = true;
    for (const auto& law : rule_.laws.value_or(std::vector<checker::RuleText::Condition>{}))
      right = holds(law) && right;
    return right;
  }

  const checker::Statement& said_;
  const checker::RuleText& rule_;
  bool fills_ = true, identity_ = true, decodes_ = true, starts_ = true;
  std::int64_t start_ = 0;
  Numbers logical_, strides_, replicas_, weights_, extents_, box_, filled_, constants_;
  std::vector<Numbers> rows_;
  std::map<std::size_t, std::vector<std::pair<std::size_t, std::int64_t>>> steps_;  // that a number joins
  std::vector<std::size_t> kept_;
  test::Listed list_;
};

}  // namespace vl::mutation
