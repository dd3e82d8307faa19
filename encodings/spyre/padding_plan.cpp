// The padding that an operation reads. The device program walks over device coordinates, so a widened dimension
// continues along its own device digits: the operand's coordinates give the slot of k >= K, for any content of the
// host.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/operation.h"

namespace vl::spyre {
namespace {

using map::Digit;
using map::DigitSum;
using use::PaddingMeans;
using use::PaddingNeed;
using use::SlotRange;

constexpr Index kMostListed = Index{1} << 16;

// An operand's coordinates, each driven by at most one input.
class Walker {
 public:
  // False if some coordinate mixes inputs: then it is not known which padding a widened dimension reaches.
  bool read(const map::Layout& layout, const map::Map& map) {
    layout_ = &layout;
    if (layout.physical().volume() == 0) return false;
    for (const map::Coordinate& coordinate : map::digits_of(map)) {
      const auto* sum = std::get_if<DigitSum>(&coordinate);
      if (sum == nullptr || map::inputs_of(coordinate).size() > 1) return false;
      if (coordinates_.size() >= layout.physical().rank() && *sum != DigitSum{}) return false;  // a guard
      coordinates_.push_back(*sum);
    }
    coordinates_.resize(layout.physical().rank());
    weights_ = map::row_major_weights(layout.physical());
    for (const DigitSum& sum : coordinates_)
      if (sum.digits.empty() &&
          sum.constant >= layout.physical().extent(static_cast<std::size_t>(&sum - coordinates_.data())))
        return false;
    return true;
  }

  // Makes an input of size 1, which is the first lane of its stick, step along the lanes.
  void put_on_lane(std::size_t input) {
    if (coordinates_.back() == DigitSum{}) coordinates_.back().digits.push_back({input, 1, 1, 0});
  }

  // Does an input move any coordinate?
  [[nodiscard]] bool drives(std::size_t input) const {
    return std::ranges::any_of(
        coordinates_, [&](const DigitSum& sum) { return !sum.digits.empty() && sum.digits.front().input == input; });
  }

  // The effect of value x of an input on the place, in device elements; nothing if that is outside of the box.
  [[nodiscard]] std::optional<Index> place(std::size_t input, Index x) const {
    Index offset = 0;
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      const DigitSum& sum = coordinates_[j];
      if (sum.digits.empty() || sum.digits.front().input != input) continue;
      Index at = sum.constant;
      for (const Digit& digit : sum.digits)
        if (!accumulate(at, digit.coefficient, map::value(digit, x))) return std::nullopt;
      if (at >= layout_->physical().extent(j)) return std::nullopt;
      offset += at * weights_[j];
    }
    return offset;
  }

  // Has every value of an input below `extent` a place?
  [[nodiscard]] bool holds(std::size_t input, Index extent) const {
    for (std::size_t j = 0; j < coordinates_.size(); ++j) {
      const DigitSum& sum = coordinates_[j];
      if (sum.digits.empty() || sum.digits.front().input != input || extent == 0) continue;
      Index highest = sum.constant;
      for (const Digit& digit : sum.digits) highest += digit.coefficient * map::largest(digit, extent);
      if (highest >= layout_->physical().extent(j)) return false;
    }
    return true;
  }

  // The places of all values of an input.
  [[nodiscard]] std::vector<Index> places(std::size_t input, Index from, Index to) const {
    std::vector<Index> out;
    for (Index x = from; x < to; ++x)
      if (const auto at = place(input, x)) out.push_back(*at);
    return out;
  }

  // The constant part of the place, which no input drives.
  [[nodiscard]] Index base() const {
    Index out = 0;
    for (std::size_t j = 0; j < coordinates_.size(); ++j)
      if (coordinates_[j].digits.empty()) out += coordinates_[j].constant * weights_[j];
    return out;
  }

 private:
  const map::Layout* layout_ = nullptr;
  std::vector<DigitSum> coordinates_;  // of the physical dimensions
  std::vector<Index> weights_;         // of a physical dimension: the device elements per step
};

void sort_and_join(std::vector<Index>& slots, std::vector<SlotRange>& ranges) {
  std::ranges::sort(slots);
  for (const Index slot : slots) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == slot) ++ranges.back().count;
    else ranges.push_back({slot, 1});
  }
}

// The sums of one entry of each list, up to `most` of them.
std::vector<Index> sums(const std::vector<std::vector<Index>>& lists, Index base, Index most) {
  std::vector<Index> out{base};
  for (const std::vector<Index>& list : lists) {
    std::vector<Index> next;
    for (const Index offset : out)
      for (const Index entry : list)
        if (static_cast<Index>(next.size()) < most) next.push_back(offset + entry);
    out = std::move(next);
  }
  return out;
}

class Planner {
 public:
  Planner(const use::Operation& operation, std::span<const Stick> sticks) : op_(operation), sticks_(sticks) {}

  Plan plan() {
    switch (op_.what->kind) {
      case use::OperationKind::Pointwise:
      case use::OperationKind::LayerNormNorm:
      case use::OperationKind::TopK: break;
      case use::OperationKind::Row:
      case use::OperationKind::RowToOne:
        plan_.why_none = fmt::format("the plan does not cover {}", op_.what->name);
        break;
      case use::OperationKind::Matmul: matmul(); break;
      case use::OperationKind::Reduction:
      case use::OperationKind::Exx2: reduction(); break;
    }
    return std::move(plan_);
  }

 private:
  // The dimension's extent in whole sticks of an operand; the extent itself if that leaves 64 bits.
  [[nodiscard]] Index padded(std::size_t operand, std::size_t dim) {
    const Index eps = kStickBits / op_.operands[operand].reading.device_bits;
    const auto padded = checked_mul(ceil_div(op_.dims[dim].extent, eps), eps);
    if (!padded) plan_.why_none = fmt::format("{} in whole sticks does not fit in 64 bits", op_.dims[dim].name);
    return padded.value_or(op_.dims[dim].extent);
  }

  void matmul() {
    const auto k = matmul_roles(op_, sticks_[1]).k;
    if (!k) {
      plan_.why_none = "the summed dimension was elided";
      return;
    }
    const Index to = padded(0, *k);
    need(1, *k, to, PaddingMeans::Fill);
    need(0, *k, to, PaddingMeans::Hardware);
  }

  // Only the stick dimension is widened, and its padding matters only if that dimension is reduced.
  void reduction() {
    if (sticks_[0].variables.size() != 1) return;
    const std::size_t dim = *sticks_[0].variables.begin();
    if (use::has_dim(op_.operands.back(), dim)) return;
    need(0, dim, padded(0, dim), PaddingMeans::Mask);
  }

  void need(std::size_t i, std::size_t dim, Index to, PaddingMeans means) {
    const use::Operand& operand = op_.operands[i];
    PaddingNeed need{i, dim, op_.dims[dim].extent, to, means, 0, 0, {}, true};
    if (need.from >= need.to) return;
    const map::Layout layout = in_sticks(operand);
    const map::Space& domain = layout.domain();
    const auto input = static_cast<std::size_t>(operand.scales[dim]);
    Walker walker;
    if (!walker.read(layout, layout.map())) {
      plan_.why_none =
          fmt::format("{} mixes dimensions in one device dimension, or has elements without a slot", name_of(op_, i));
      return;
    }
    // A widened dimension also has digits that its own values do not reach.
    if (means == PaddingMeans::Fill) walker = widened(layout, input, need.from, to).value_or(walker);
    else if (need.from == 1) walker.put_on_lane(input);  // it drives no coordinate yet
    std::vector<std::vector<Index>> lists;
    Index others = 1;
    for (std::size_t v = 0; v < domain.rank(); ++v) {
      if (v == input) continue;
      const Index extent = domain.extent(v);
      lists.push_back(walker.places(v, 0, std::min(extent, kMostListed)));
      const auto product = checked_mul(others, extent);
      if (!walker.holds(v, extent) || !product) {
        plan_.why_none = fmt::format("{} has elements without a slot", name_of(op_, i));
        return;
      }
      others = *product;
    }
    lists.push_back(walker.drives(input) ? walker.places(input, need.from, need.to) : std::vector<Index>{});
    const auto inside = static_cast<Index>(lists.back().size());
    const auto total = checked_mul(others, need.to - need.from);
    if (!total) {
      plan_.why_none = "the padding does not fit in 64 bits";
      return;
    }
    need.slots = others * inside;
    need.missing = *total - need.slots;
    std::vector<Index> slots = sums(lists, walker.base(), kMostListed);
    sort_and_join(slots, need.ranges);
    need.complete = need.slots <= kMostListed;
    plan_.needs.push_back(std::move(need));
  }

  // The same stages over a domain with more values of one input, as long as it does not mix with the other inputs.
  static std::optional<Walker> widened(const map::Layout& layout, std::size_t input, Index from, Index to) {
    for (Index extent = to; extent > from; extent /= 2) {
      std::vector<map::Dim> dims = layout.domain().dims();
      dims[input].extent = extent;
      auto space = map::Space::create(std::move(dims));
      if (!space) continue;
      const auto map = map::Map::create(std::move(*space), layout.map().stages());
      Walker walker;
      if (map && walker.read(layout, *map)) return walker;
    }
    return std::nullopt;
  }

  const use::Operation& op_;
  std::span<const Stick> sticks_;
  Plan plan_;
};

}  // namespace

Plan plan_of(const use::Operation& operation, std::span<const Stick> sticks) {
  return Planner(operation, sticks).plan();
}

}  // namespace vl::spyre
