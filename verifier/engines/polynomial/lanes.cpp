#include "verifier/engines/polynomial/lanes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "verifier/engines/polynomial/shape.h"

namespace vl::engines {
namespace {

// An active lane.
struct ActiveLane {
  Index lane = 0;
  std::size_t element = 0;  // its number in LaneInstances::elements
  Index start = 0;          // of the buffer, in bytes
};

// The lanes of all instances, in phases. None of their numbers depends on a size.
struct LaneInstances {
  std::vector<Point> elements;
  std::vector<std::vector<std::vector<ActiveLane>>> instances;
};

LaneInstances walked_lanes(const question::Reach& reach) {
  LaneInstances out;
  std::map<Point, std::size_t> known;
  question::LaneWalk walk(reach);
  map::Evaluator coordinates(reach.coordinates);
  const map::Space variables = question::instances_of(reach);
  Point instance(variables.rank(), 0);
  if (variables.volume() == 0) return out;
  do {
    auto& phases = out.instances.emplace_back();
    for (const std::vector<Index>& phase : reach.phases) {
      auto& lanes = phases.emplace_back();
      for (const Index lane : phase) {
        const Point at = question::lane_point(lane, instance);
        if (!walk.is_active(at)) continue;
        const auto element = coordinates(at);
        const auto [found, fresh] = known.try_emplace(Point(element.begin(), element.end()), known.size());
        if (fresh) out.elements.push_back(found->first);
        lanes.push_back({lane, found->second, walk.byte(at)});
      }
    }
  } while (map::advance(variables, instance));
  return out;
}

// Stops the look at a cell.
using LaneStop = std::variant<Refinement, std::string>;

// An access on a cell.
class LanesOnCell {
 public:
  LanesOnCell(const map::Rule& rule, const RuleAccess& access, const LaneInstances& lanes, const Cell& cell)
      : rule_(rule), access_(access), lanes_(lanes), cell_(cell) {}

  // The largest cost of an instance; or why there is none.
  std::variant<Index, LaneStop> cost(LaneCost kind) {
    read();
    for (std::size_t k = 0; k < lanes_.elements.size() && !stop_; ++k) place(lanes_.elements[k]);
    if (step_ && !stop_) stop_ = std::move(*step_);
    Index worst = 0;
    for (std::size_t k = 0; k < lanes_.instances.size() && !stop_; ++k) {
      Index sum = 0;
      for (const auto& phase : lanes_.instances[k]) {
        const Index needed = wavefronts(phase);
        sum += needed - (kind == LaneCost::Excess && needed > 0 ? 1 : 0);
      }
      worst = std::max(worst, sum);
    }
    if (step_ && !stop_) stop_ = std::move(*step_);
    if (stop_) return std::move(*stop_);
    return worst;
  }

 private:
  void read() {
    ShapeOnCell found = shape_of(rule_, cell_);
    if (auto* step = std::get_if<Refinement>(&found)) stop_ = std::move(*step);
    else if (auto* why = std::get_if<std::string>(&found)) stop_ = std::move(*why);
    if (stop_) return;
    shape_ = std::get<Shape>(std::move(found));
    if (shape_.no_point || !shape_.exact) {
      stop_ = shape_.exact ? "a tensor without elements" : "digits that are not independent";
      return;
    }
    for (const map::Expression& size : rule_.logical) {  // shape_of found them all
      const OnCell value = cell_.value(size);
      logical_.push_back(std::get<Polynomial>(value));
    }
    for (const map::Expression& stride : rule_.strides) {  // shape_of found them, too
      const OnCell value = cell_.value(stride);
      strides_.push_back(std::get<Polynomial>(value));
    }
    for (const map::Expression& said : access_.origin) {
      OnCell value = cell_.value(said);
      if (auto* step = std::get_if<Refinement>(&value)) stop_ = std::move(*step);
      else if (!std::holds_alternative<Polynomial>(value)) stop_ = "an origin of the access that has no value";
      if (stop_) return;
      origin_.push_back(std::get<Polynomial>(std::move(value)));
    }
    Polynomial weight = 1;
    weights_.resize(shape_.digits.size());
    for (std::size_t k = weights_.size(); k-- > 0; weight = weight * shape_.digits[k]) weights_[k] = weight;
  }

  // p >= 0; else what decides it, or why it is not so.
  bool needs(const Polynomial& p, const std::string& why) {
    if (cell_.may_show(p)) return true;
    if (cell_.may_show(Polynomial(-1) - p)) stop_ = why;
    else stop_ = Refinement{p, {}, 0};
    return false;
  }

  // The remainder by a number, and the multiple; the greatest step that decides it is kept for later.
  std::optional<std::pair<Polynomial, Index>> divided(const Polynomial& p, Index by) {
    auto [quotient, rest] = Polynomial::split(p, by);
    if (!p.fits()) stop_ = "a polynomial is too large";
    if (stop_) return std::nullopt;
    if (const auto number = rest.constant()) return std::pair(std::move(quotient), *number);
    for (const Polynomial::Term& term : rest.terms())
      for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
        if (term.powers[v] == 0) continue;
        const Index each = by / std::gcd(*map::narrowed(term.coefficient), by);
        if (!step_ || each > step_->by) step_ = Refinement{{}, v, each, true};
      }
    if (step_->by > kMostRemainders) stop_ = "too many remainders of a size";
    return std::nullopt;
  }

  bool is_within(std::size_t i, const Polynomial& at, const Point& element) {
    if ((origin_.empty() || cell_.may_show(at)) && cell_.may_show(logical_[i] - 1 - at)) return true;
    std::vector<std::string> shown;
    for (std::size_t k = 0; k < element.size(); ++k)
      shown.push_back(origin_.empty() ? fmt::format("{}", element[k])
                                      : map::print(access_.origin[k] + map::Expression(element[k])));
    const std::string out = fmt::format("a lane is at [{}], outside of the tensor where ", fmt::join(shown, ", "));
    return needs(at, fmt::format("{}{} < 0", out, shown[i])) &&
           needs(logical_[i] - 1 - at, fmt::format("{}{} <= {}", out, map::print(rule_.logical[i]), shown[i]));
  }

  // The address of an element, whose digits are found from those of the tensor.
  void place(const Point& element) {
    Polynomial address = shape_.places[0].constant;
    std::vector<Polynomial> left(element.begin(), element.end());
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!origin_.empty()) left[i] = left[i] + origin_[i];
      if (!is_within(i, left[i], element)) return;
    }
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      Polynomial digit = 0, rest = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].is_zero()) continue;
        if (const auto times = Polynomial::exact_quotient(strides_[i], weights_[k])) {
          digit = digit + *times * left[i];
          left[i] = 0;
          continue;
        }
        const auto parts = Polynomial::exact_quotient(weights_[k], strides_[i]);
        if (const auto each = parts ? parts->constant() : std::nullopt) {
          auto divided = this->divided(left[i], *each);
          if (!divided) return addresses_.push_back(0);  // there is a step, or a stop
          digit = digit + divided->first;
          left[i] = divided->second;
        }
        rest = rest + strides_[i] * left[i];
      }
      if (!needs(weights_[k] - 1 - rest, "digits that carry")) return;
      for (const ShapeTerm& term : shape_.places[0].terms)
        if (term.digit == k) address = term.negative ? address - term.size * digit : address + term.size * digit;
    }
    if (const auto& swizzle = rule_.swizzle; swizzle && swizzle->bits > 0) {
      const int bits = swizzle->base + swizzle->bits + swizzle->shift;
      if (bits > 40) stop_ = "a swizzle of whole numbers";
      const auto parts = stop_ ? std::nullopt : divided(address, Index{1} << bits);
      if (parts) address = address - parts->second + map::apply(*swizzle, parts->second);
    }
    addresses_.push_back(std::move(address));
  }

  Index wavefronts(const std::vector<ActiveLane>& phase) {
    const question::Reach& by = access_.lanes;
    std::map<Index, std::vector<Polynomial>> words;
    std::size_t most = 0;
    for (const ActiveLane& lane : phase) {
      const auto parts = divided(addresses_[lane.element] * access_.element + lane.start, by.banks * by.bytes_per_bank);
      if (stop_) return 0;
      if (!parts) continue;  // a step is known, and others may be greater
      const auto& [turn, first] = *parts;
      for (Index word = first / by.bytes_per_bank; word <= (first + by.width - 1) / by.bytes_per_bank; ++word) {
        std::vector<Polynomial>& bank = words[word % by.banks];
        const Polynomial own = turn + word / by.banks;
        bool is_new = true;
        for (const Polynomial& other : bank) is_new = is_new && differ(own, other);
        if (stop_) return 0;
        if (is_new || !by.broadcasts) bank.push_back(own);
        most = std::max(most, bank.size());
      }
    }
    return static_cast<Index>(most);
  }

  bool differ(const Polynomial& a, const Polynomial& b) {
    if (same(a, b) || stop_) return false;
    if (cell_.may_show(a - b - 1) || cell_.may_show(b - a - 1)) return true;
    if (!cell_.may_show(b - a)) stop_ = Refinement{a - b - 1, {}, 0};
    else if (!cell_.may_show(a - b)) stop_ = Refinement{b - a - 1, {}, 0};
    return false;
  }

  static constexpr Index kMostRemainders = 512;

  const map::Rule& rule_;
  const RuleAccess& access_;
  const LaneInstances& lanes_;
  const Cell& cell_;
  Shape shape_;
  std::vector<Polynomial> logical_, strides_, weights_, origin_;
  std::vector<Polynomial> addresses_;  // of LaneInstances::elements
  std::optional<LaneStop> stop_;
  std::optional<Refinement> step_;
};

}  // namespace

LaneLeaves leaves_of_lanes(const map::Rule& rule, const RuleAccess& access, LaneCost kind, std::optional<Index> limit,
                           const AllSizesOptions& options) {
  const LaneInstances lanes = walked_lanes(access.lanes);
  LaneLeaves out;
  out.leaves = leaves_by(rule, options, [&](const Cell& cell) -> std::variant<Leaf, Refinement> {
    auto found = LanesOnCell(rule, access, lanes, cell).cost(kind);
    if (auto* stop = std::get_if<LaneStop>(&found)) {
      if (auto* step = std::get_if<Refinement>(stop)) return std::move(*step);
      out.costs.push_back(0);
      return Leaf{Leaf::Kind::Open, cell, std::move(std::get<std::string>(*stop))};
    }
    const Index cost = std::get<Index>(found);
    out.costs.push_back(cost);
    if (!limit || cost <= *limit) return Leaf{Leaf::Kind::Holds, cell, {}};
    return Leaf{Leaf::Kind::Fails, cell, fmt::format("{} wavefronts too many", cost - *limit)};
  });
  out.costs.resize(out.leaves.all.size());
  return out;
}

}  // namespace vl::engines
