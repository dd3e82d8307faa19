#include "encodings/use/rule_nests.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/random.h"

namespace vl::use {
namespace {

using map::Expression;

constexpr int kDraws = 4000;

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

// Large sizes, at which no level is left out that is kept at some larger ones; smaller ones where conditions want it.
std::optional<map::Sizes> generic_sizes(const map::Rule& rule) {
  for (int draw = 0; draw < kDraws; ++draw) {
    Random random(20261125, 6, static_cast<std::uint64_t>(draw));
    const Index most = draw < kDraws / 2 ? 4000 : draw < kDraws / 4 * 3 ? 400 : 30;
    map::Sizes sizes;
    for (const map::Symbol& symbol : rule.symbols)
      sizes[symbol.name] = symbol.low + random.between(most == 4000 ? 260 : 0, most);
    const bool holds = std::ranges::all_of(rule.where, [&](const map::Condition& condition) {
      const auto held = map::holds(condition, sizes);
      return held && *held;
    });
    if (holds) return sizes;
  }
  return std::nullopt;
}

// Which places hold a dimension: all of it, or its sticks and the lanes of one.
struct PlacesOf {
  std::optional<std::size_t> whole, sticks, lanes;
};

class NestMaker {
 public:
  NestMaker(const map::Rule& rule, map::Sizes sizes) : rule_(rule), sizes_(std::move(sizes)) {
    box_.assign(rule.places.size(), 1);
    for (std::size_t j = box_.size(); j-- > 1;) box_[j - 1] = box_[j] * rule.places[j].extent;
  }

  Result<RuleTransfer> make(Direction direction) {
    std::vector<PlacesOf> places;
    for (std::size_t i = 0; i < rule_.logical.size(); ++i) {
      places.push_back(places_of(i));
      const bool held = places[i].whole || places[i].lanes || at(rule_.logical[i]) == 1;
      if (!held || !error_.empty())
        return Error{ErrorCode::Value,
                     error_.empty() ? fmt::format("dimension {} is neither one loop nor sticks", i) : error_};
    }
    RuleTransfer out{direction, {RuleNest{}}};
    for (std::size_t j = 0; j < rule_.places.size(); ++j)
      for (std::size_t i = 0; i < places.size(); ++i) add_loops(places[i], i, j, out.nests);
    return out;
  }

 private:
  Index at(const Expression& expression) {
    const auto value = map::evaluate(expression, sizes_);
    if (!value && error_.empty()) error_ = value.error().message;
    return value ? *value : 1;
  }

  PlacesOf places_of(std::size_t i) {
    PlacesOf out;
    const Index extent = at(rule_.logical[i]), stride = at(rule_.strides[i]);
    if (extent <= 1) return out;
    for (std::size_t j = 0; j < rule_.levels.size(); ++j) {
      if (at(rule_.levels[j].extent) <= 1 || at(rule_.levels[j].weight) != stride) continue;
      if (at(rule_.levels[j].extent) == extent) out.whole = j;
      else if (rule_.levels[j].extent.number()) out.lanes = j;
    }
    if (!out.lanes) return out;
    out.whole.reset();
    const Index lanes = at(rule_.levels[*out.lanes].extent);
    for (std::size_t j = 0; j < rule_.levels.size(); ++j)
      if (at(rule_.levels[j].extent) > 1 && at(rule_.levels[j].weight) == lanes * stride) out.sticks = j;
    return out;
  }

  // Adds the loops of dimension i at place j: of each nest so far, and once more for a last stick that is not full.
  void add_loops(const PlacesOf& places, std::size_t i, std::size_t j, std::vector<RuleNest>& nests) const {
    const auto add = [](RuleNest& nest, const Expression& extent, const Expression& host, const Expression& device) {
      nest.extents.push_back(extent);
      nest.host.strides.push_back(host);
      nest.device.strides.push_back(device);
    };
    const Expression &size = rule_.logical[i], &stride = rule_.strides[i];
    if (places.whole == j)
      for (RuleNest& nest : nests) add(nest, size, stride, box_[j]);
    if (places.lanes != j) return;
    const Expression lanes = rule_.levels[j].extent;
    const Expression full = Expression::of(Expression::Kind::Quotient, size, lanes);
    const Expression left = Expression::of(Expression::Kind::Remainder, size, lanes);
    const Expression stick = places.sticks ? box_[*places.sticks] : Expression(0);
    std::vector<RuleNest> out;
    for (const RuleNest& nest : nests) {
      if (full.number() != 0) {
        out.push_back(nest);
        add(out.back(), full, lanes * stride, stick);
        add(out.back(), lanes, stride, box_[j]);
      }
      if (left.number() == 0) continue;
      out.push_back(nest);
      add(out.back(), 1, lanes * stride, stick);
      add(out.back(), left, stride, box_[j]);
      out.back().host.offset = out.back().host.offset + full * lanes * stride;
      out.back().device.offset = out.back().device.offset + full * stick;
    }
    nests = std::move(out);
  }

  const map::Rule& rule_;
  map::Sizes sizes_;
  std::vector<Expression> box_;  // the strides of the places
  std::string error_;
};

}  // namespace

Result<Transfer> instance(const RuleTransfer& transfer, const map::Sizes& sizes) {
  Transfer out{transfer.direction, {}};
  for (const RuleNest& nest : transfer.nests) {
    Nest made;
    for (const Expression& extent : nest.extents) {
      const auto value = map::evaluate(extent, sizes);
      if (!value) return value.error();
      made.extents.push_back(*value);
    }
    const bool to_device = transfer.direction == Direction::HostToDevice;
    auto source = walk_at(to_device ? nest.host : nest.device, sizes);
    auto destination = walk_at(to_device ? nest.device : nest.host, sizes);
    if (!source) return source.error();
    if (!destination) return destination.error();
    if (std::ranges::find(made.extents, 0) != made.extents.end()) continue;
    made.source = std::move(*source), made.destination = std::move(*destination);
    if (const auto problem = problem_of(made)) return *problem;
    out.nests.push_back(std::move(made));
  }
  return out;
}

Result<RuleTransfer> synthesise(const map::Rule& rule, Direction direction) {
  if (!rule.decodes) return Error{ErrorCode::Value, "nests of such a layout are not encoded for all sizes"};
  auto sizes = generic_sizes(rule);
  if (!sizes) return Error{ErrorCode::Value, "no sizes are found that satisfy the conditions"};
  return NestMaker(rule, std::move(*sizes)).make(direction);
}

}  // namespace vl::use
