#include "encodings/use/rule_nests.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/guess.h"

namespace vl::use {
namespace {

using map::Expression;

Result<Walk> walk_at(const RuleWalk& walk, const map::Sizes& sizes) {
  Walk out;
  for (const Expression& stride : walk.strides) {
    const auto value = map::evaluate(stride, sizes);
    if (!value) return value.error();
    out.strides.push_back(*value);
  }
  const auto offset = map::evaluate(walk.offset, sizes);
  if (!offset) return offset.error();
  out.offset = *offset;
  return out;
}

// Which places hold a dimension: all of it, or its sticks and the lanes of one.
struct PlacesOf {
  std::optional<std::size_t> whole, sticks, lanes;
};

// Where a rule puts the dimensions of its tensor, seen at some large sizes.
class RulePlaces {
 public:
  RulePlaces(const map::Rule& rule, const map::Sizes& sizes) : rule_(rule), sizes_(sizes) {
    box_.assign(rule.places.size(), 1);
    for (std::size_t j = box_.size(); j-- > 1;) box_[j - 1] = box_[j] * rule.places[j].extent;
    for (std::size_t i = 0; i < rule.logical.size(); ++i) places_.push_back(places_of(i));
  }

  [[nodiscard]] const std::vector<PlacesOf>& places() const { return places_; }
  [[nodiscard]] std::optional<Error> problem() const {
    if (!error_.empty()) return Error{ErrorCode::Value, error_};
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!places_[i].whole && !places_[i].lanes && extents_[i] != 1)
        return Error{ErrorCode::Value, fmt::format("dimension {} is neither one loop nor sticks", i)};
    return std::nullopt;
  }
  /// The lanes of a dimension with sticks.
  [[nodiscard]] std::optional<Expression> lanes(std::size_t i) const {
    return places_[i].lanes ? std::optional(rule_.levels[*places_[i].lanes].extent) : std::nullopt;
  }
  /// The strides from one element of a dimension to the next, and over `lanes` of them.
  [[nodiscard]] Expression step(std::size_t i) const {
    const PlacesOf& at = places_[i];
    return at.lanes ? box_[*at.lanes] : at.whole ? box_[*at.whole] : Expression(0);
  }
  /// Where the start of the number lies, a summand after the other: that of a weight which divides it. What no weight
  /// divides is left out, and then the nests are not shown.
  [[nodiscard]] Expression start() {
    std::vector<std::size_t> order;  // of the levels that take part, by descending weight
    for (std::size_t j = 0; j < rule_.levels.size(); ++j)
      if (at(rule_.levels[j].extent) > 1 && at(rule_.levels[j].weight) > 0) order.push_back(j);
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t j) { return at(rule_.levels[j].weight); });
    Expression out = 0;
    Index number = 0;
    for (const Expression& part : map::summands_of(rule_.start)) {
      if (const auto value = part.number()) {
        number = checked_add(number, *value).value_or(0);  // else there is no such layout
        continue;
      }
      for (const std::size_t j : order)
        if (const auto times = quotient_of(part, rule_.levels[j].weight)) {
          out = out + *times * box_[j];
          break;
        }
    }
    for (const std::size_t j : order) {
      const auto weight = rule_.levels[j].weight.number();
      if (weight && number / *weight > 0) out = out + Expression(number / *weight) * box_[j], number %= *weight;
    }
    return out;
  }
  [[nodiscard]] Expression stick(std::size_t i, const Expression& lanes) const {
    if (!places_[i].lanes) return step(i) * lanes;
    return places_[i].sticks ? box_[*places_[i].sticks] : Expression(0);
  }

 private:
  Index at(const Expression& expression) {
    const auto value = map::evaluate(expression, sizes_);
    if (!value && error_.empty()) error_ = value.error().message;
    return value ? *value : 1;
  }

  PlacesOf places_of(std::size_t i) {
    PlacesOf out;
    const Index extent = extents_.emplace_back(at(rule_.logical[i])), stride = at(rule_.strides[i]);
    if (extent <= 1) return out;
    for (std::size_t j = 0; j < rule_.levels.size(); ++j) {
      if (at(rule_.levels[j].extent) <= 1 || at(rule_.levels[j].weight) != stride) continue;
      // A name is a stick's length where sticks of it are counted; else the tensor may have a part of that dimension.
      const bool is_stick = rule_.levels[j].extent.number() || counts_sticks(rule_.levels[j].extent, rule_.strides[i]);
      if (at(rule_.levels[j].extent) == extent || !is_stick) out.whole = j;
      else out.lanes = j;
    }
    if (!out.lanes) return out;
    out.whole.reset();
    const Expression& lanes = rule_.levels[*out.lanes].extent;
    const auto sticks = checked_mul(at(lanes), stride);
    for (std::size_t j = 0; j < rule_.levels.size(); ++j)
      if (at(rule_.levels[j].extent) > 1 && at(rule_.levels[j].weight) == sticks) out.sticks = j;
    if (!out.sticks && !lanes.number()) out.sticks = counts_sticks(lanes, rule_.strides[i]);  // of which there is one
    return out;
  }

  // The level that counts sticks of so many lanes, each so far from the next one.
  [[nodiscard]] std::optional<std::size_t> counts_sticks(const Expression& lanes, const Expression& stride) const {
    for (std::size_t j = 0; j < rule_.levels.size(); ++j)
      if (map::print(rule_.levels[j].weight - lanes * stride) == "0") return j;
    return std::nullopt;
  }

  const map::Rule& rule_;
  const map::Sizes& sizes_;
  std::vector<Expression> box_;  // the strides of the places
  std::vector<PlacesOf> places_;
  std::vector<Index> extents_;
  std::string error_;
};

// The nests of one or two rules over a tensor.
class NestMaker {
 public:
  NestMaker(const map::Rule& rule, RulePlaces& device, RulePlaces* from) : rule_(rule), device_(device), from_(from) {}

  Result<RuleTransfer> make(Direction direction) {
    RuleTransfer out{direction, {RuleNest{}}};
    out.nests.front().host.offset = rule_.offset;
    out.nests.front().device.offset = device_.start();
    if (from_ != nullptr) out.nests.front().from.offset = from_->start();
    // In the order of the device's places.
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t i = 0; i < rule_.logical.size(); ++i) {
      const PlacesOf& at = device_.places()[i];
      order.emplace_back(at.lanes.value_or(at.whole.value_or(0)), i);
    }
    std::ranges::sort(order);
    for (const auto& [place, i] : order) {
      const auto lanes = device_.lanes(i), other = from_ != nullptr ? from_->lanes(i) : std::nullopt;
      if (lanes && other && !(*lanes == *other))
        return Error{ErrorCode::Value, fmt::format("dimension {} has sticks of two lengths", i)};
      if (lanes || other) cut(i, lanes ? *lanes : *other, out.nests);
      else if (rule_.logical[i].number() != 1)
        for (RuleNest& nest : out.nests)
          add(nest, rule_.logical[i], rule_.strides[i], device_.step(i), from_ ? from_->step(i) : Expression(0));
    }
    return out;
  }

 private:
  static void add(RuleNest& nest, const Expression& extent, const Expression& host, const Expression& device,
                  const Expression& from) {
    nest.extents.push_back(extent);
    nest.host.strides.push_back(host);
    nest.device.strides.push_back(device);
    nest.from.strides.push_back(from);
  }

  // Full sticks of a dimension in each nest so far, and once more the last stick, if it is not full.
  void cut(std::size_t i, const Expression& lanes, std::vector<RuleNest>& nests) const {
    const Expression &size = rule_.logical[i], &stride = rule_.strides[i];
    const Expression full = Expression::of(Expression::Kind::Quotient, size, lanes);
    const Expression left = Expression::of(Expression::Kind::Remainder, size, lanes);
    const Expression stick = device_.stick(i, lanes), step = device_.step(i);
    const Expression from_stick = from_ ? from_->stick(i, lanes) : Expression(0);
    const Expression from_step = from_ ? from_->step(i) : Expression(0);
    std::vector<RuleNest> out;
    for (const RuleNest& nest : nests) {
      if (full.number() != 0) {
        out.push_back(nest);
        add(out.back(), full, lanes * stride, stick, from_stick);
        add(out.back(), lanes, stride, step, from_step);
      }
      if (left.number() == 0) continue;
      out.push_back(nest);
      add(out.back(), 1, lanes * stride, stick, from_stick);
      add(out.back(), left, stride, step, from_step);
      out.back().host.offset = out.back().host.offset + full * lanes * stride;
      out.back().device.offset = out.back().device.offset + full * stick;
      out.back().from.offset = out.back().from.offset + full * from_stick;
    }
    nests = std::move(out);
  }

  const map::Rule& rule_;
  RulePlaces& device_;
  RulePlaces* from_;
};

// One loop a level, of levels that are a mixed radix of the tensor's number, and whose places are sums of digits.
RuleTransfer by_levels(const map::Rule& rule, Direction direction) {
  RuleTransfer out{direction, {RuleNest{}}};
  RuleNest& nest = out.nests.front();
  nest.host.offset = rule.offset;
  std::vector<Expression> steps(rule.levels.size(), 0);
  Expression box = 1;
  for (std::size_t j = rule.places.size(); j-- > 0; box = box * rule.places[j].extent) {
    nest.device.offset = nest.device.offset + rule.places[j].constant * box;
    for (const map::RuleTerm& term : rule.places[j].terms)
      steps[term.input] = steps[term.input] + term.coefficient * box;
  }
  for (std::size_t k = 0; k < rule.levels.size(); ++k) {
    if (rule.levels[k].extent.number() == 1) continue;
    nest.extents.push_back(rule.levels[k].extent);
    nest.host.strides.push_back(rule.levels[k].weight);
    nest.device.strides.push_back(steps[k]);
    nest.from.strides.push_back(0);
  }
  return out;
}

Result<RuleTransfer> made(const map::Rule* from, const map::Rule& to, Direction direction) {
  const bool moves_bits = to.swizzle && to.swizzle->bits > 0;
  const bool row_major = to.strides.empty() || to.strides.back().number() == 1;  // and not the first dimension fastest
  if (from == nullptr && !to.decodes && to.numbers.empty() && to.replicas.empty() && !moves_bits && row_major)
    return by_levels(to, direction);
  const bool repeats = !to.replicas.empty() || (from != nullptr && !from->replicas.empty());
  if (!to.decodes || repeats || (from != nullptr && !from->decodes))
    return Error{ErrorCode::Value, "nests of such a layout are not encoded for all sizes"};
  const auto sizes = generic_sizes(to);
  if (!sizes) return Error{ErrorCode::Value, "no sizes are found that satisfy the conditions"};
  RulePlaces device(to, *sizes);
  if (const auto problem = device.problem()) return *problem;
  if (from == nullptr) return NestMaker(to, device, nullptr).make(direction);
  RulePlaces source(*from, *sizes);
  if (const auto problem = source.problem()) return *problem;
  return NestMaker(to, device, &source).make(direction);
}

}  // namespace

bool has_expressions(const RuleTransfer& transfer) {
  const auto plain = [](const std::vector<Expression>& values) {
    return std::ranges::all_of(values, [](const Expression& value) { return value.number().has_value(); });
  };
  return !std::ranges::all_of(transfer.nests, [&](const RuleNest& nest) {
    return plain(nest.extents) && plain(nest.host.strides) && plain(nest.device.strides) && plain(nest.from.strides) &&
           plain({nest.host.offset, nest.device.offset, nest.from.offset});
  });
}

Result<Transfer> instance(const RuleTransfer& transfer, const map::Sizes& sizes) {
  Transfer out{transfer.direction, {}};
  for (const RuleNest& nest : transfer.nests) {
    Nest made;
    for (const Expression& extent : nest.extents) {
      const auto value = map::evaluate(extent, sizes);
      if (!value) return value.error();
      made.extents.push_back(*value);
    }
    const bool to_host = transfer.direction == Direction::DeviceToHost;
    const bool from_host = transfer.direction == Direction::HostToDevice;
    auto source = walk_at(from_host ? nest.host : to_host ? nest.device : nest.from, sizes);
    auto destination = walk_at(to_host ? nest.host : nest.device, sizes);
    if (!source) return source.error();
    if (!destination) return destination.error();
    made.source = std::move(*source), made.destination = std::move(*destination);
    // A nest that moves nothing keeps its place in the list: counterexamples name nests by number.
    const bool is_empty = std::ranges::find(made.extents, 0) != made.extents.end();
    if (const auto problem = problem_of(made)) {
      if (!is_empty) return *problem;
      made = {{0}, {{0}, 0}, {{0}, 0}};
    }
    out.nests.push_back(std::move(made));
  }
  return out;
}

Result<RuleTransfer> synthesise(const map::Rule& rule, Direction direction) { return made(nullptr, rule, direction); }

Result<RuleTransfer> synthesise(const map::Rule& from, const map::Rule& to) {
  return made(&from, to, Direction::DeviceToDevice);
}

}  // namespace vl::use
