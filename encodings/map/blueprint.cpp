#include "encodings/map/blueprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace vl::map {
namespace {

// Makes the stages of one layout, and remembers the first error.
class Stages {
 public:
  explicit Stages(const Blueprint<Index>& of) : of_(of), digit_(of.levels.size()) {}

  Result<Layout> make(Space logical, Row host_offset) {
    LayoutParts parts;
    parts.logical = std::move(logical);
    parts.host_offset = std::move(host_offset);
    parts.replicas = space(of_.decodes ? repeated() : Space::dims("r", of_.replicas));
    parts.physical = space(box_of(&BasicPlace<Index>::extent));
    const auto is_whole = [](const BasicPlace<Index>& place) { return place.filled == place.extent; };
    if (of_.fills_axes())
      parts.filled =
          std::ranges::all_of(of_.places, is_whole) ? parts.physical : space(box_of(&BasicPlace<Index>::filled));
    parts.named_axes = of_.named_axes;
    const bool dimensions = of_.decodes && (of_.levels.empty() || !of_.numbers.empty());
    if (dimensions) add_dimensions(parts);
    else if (of_.numbers.empty()) add_stages(parts);
    else add_numbers(parts);
    if (of_.decodes && !dimensions) add_decode(parts);
    if (error_) return *error_;
    return Layout::create(std::move(parts));
  }

 private:
  Space space(std::vector<Dim> dims) {
    auto made = Space::create(std::move(dims));
    if (!made && !error_) error_ = made.error();
    return made ? std::move(*made) : Space{};
  }
  // By their device dimensions. Where one has no place, an element has no slot.
  [[nodiscard]] std::vector<Dim> repeated() const {
    std::vector<Dim> out;
    for (std::size_t j = 0; j < of_.places.size(); ++j)
      if (of_.repeats(j)) out.push_back({fmt::format("r{}", j), std::max<Index>(of_.replicas[out.size()], 1)});
    return out;
  }
  [[nodiscard]] std::vector<Dim> box_of(Index BasicPlace<Index>::*extent) const {
    std::vector<Dim> out;
    out.reserve(of_.places.size());
    for (const BasicPlace<Index>& place : of_.places) out.push_back({place.name, place.*extent, place.unit});
    return out;
  }
  Row in_order(Row row) {
    auto out = canonical(std::move(row));
    if (!out && !error_) error_ = out.error();
    return out ? std::move(*out) : Row{};
  }

  // The weights of the levels that have digits.
  std::vector<Index> take_digits() {
    std::vector<std::size_t> kept;
    kept.reserve(of_.levels.size());
    for (std::size_t k = 0; k < of_.levels.size(); ++k) {
      const Index weight = of_.levels[k].weight;
      const bool counts = of_.levels[k].extent > 1 || (k == 0 && of_.goes_on);
      if (!counts || weight <= 0) continue;
      auto at = kept.end();
      while (at != kept.begin() && of_.levels[*(at - 1)].weight < weight) --at;
      kept.insert(at, k);
    }
    std::vector<Index> weights;
    weights.reserve(kept.size() + 1);
    for (const std::size_t k : kept) {
      digit_[k] = weights.size();
      weights.push_back(of_.levels[k].weight);
    }
    return weights;
  }
  [[nodiscard]] bool is_0() const {  // the number that is split
    for (std::size_t i = 0; i < of_.logical.size(); ++i)
      if (of_.logical[i] > 1 && of_.strides[i] != 0) return false;
    return of_.start == 0;
  }

  void add_stages(LayoutParts& parts) {
    const std::size_t rank = of_.logical.size();
    Affine flatten{{dot(of_.strides, of_.start)}};
    for (std::size_t r = 0; r < of_.replicas.size(); ++r) flatten.rows.push_back(pick(rank + r));
    Split split{0, take_digits()};
    parts.guards = (split.weights.empty() ? of_.decodes || !is_0() : split.weights.back() != 1) ? 1 : 0;
    if (parts.guards == 1 || split.weights.empty()) split.weights.push_back(1);
    const std::size_t digits = split.weights.size();
    Affine place = places(digits);
    if (parts.guards == 1) place.rows.push_back(pick(digits - 1));
    parts.map.push_back(std::move(flatten));
    if (digits > 1 || of_.decodes) parts.map.emplace_back(std::move(split));
    parts.map.emplace_back(std::move(place));
    if (of_.swizzle && of_.swizzle->bits > 0) parts.map.emplace_back(*of_.swizzle);
  }

  // The places, of levels that have digits and of replicas behind `digits` digits.
  Affine places(std::size_t digits) {
    Affine place;
    for (const BasicPlace<Index>& at : of_.places) {
      Row row{at.constant, {}};
      row.terms.reserve(at.terms.size());
      for (const auto& [input, coefficient] : at.terms) {
        const bool replica = input >= digit_.size();
        const auto from = replica ? std::optional(digits + input - digit_.size()) : digit_[input];
        if (from && coefficient != 0) row.terms.push_back({*from, coefficient});
      }
      place.rows.push_back(in_order(std::move(row)));
    }
    return place;
  }

  // The digit of a level whose weight is not below the one before it is 0. The numbers are split from the first to the
  // last, so that digits stand before a number that joins them.
  void add_numbers(LayoutParts& parts) {
    Affine flatten;
    std::vector<Stage> splits;
    std::vector<std::size_t> rests;
    std::size_t digits = 0, k = 0, left = of_.numbers.size() + of_.replicas.size();
    for (const BasicNumber<Index>& number : of_.numbers) {
      std::vector<Index> row(of_.logical.size(), 0);
      for (const std::size_t dim : number.dims) row[dim] = of_.strides[dim];
      flatten.rows.push_back(dot(row));
      if (!number.of.empty()) splits.emplace_back(joined(number, digits, digits + left));
      Split split{digits, {}};
      for (const std::size_t end = k + number.levels; k < end; ++k) {
        const Index weight = of_.levels[k].weight;
        if (weight < 1 && !error_) error_ = Error{ErrorCode::Value, fmt::format("a weight is {}", weight)};
        if (!split.weights.empty() && weight >= split.weights.back()) continue;
        digit_[k] = digits + split.weights.size();
        split.weights.push_back(weight);
      }
      if (split.weights.empty() || split.weights.back() != 1) {
        rests.push_back(digits + split.weights.size());
        split.weights.push_back(1);
      }
      digits += split.weights.size();
      --left;
      splits.emplace_back(std::move(split));
    }
    for (std::size_t r = 0; r < of_.replicas.size(); ++r) flatten.rows.push_back(pick(of_.logical.size() + r));
    Affine place = places(digits);
    for (const std::size_t rest : rests) place.rows.push_back(pick(rest));
    parts.guards = rests.size();
    parts.map = {std::move(flatten)};
    std::ranges::move(splits, std::back_inserter(parts.map));
    parts.map.emplace_back(std::move(place));
  }

  // Numbers that are the dimensions themselves, split from the last to the first, so that inputs before them keep their
  // place. No digit is left out, and the way back adds them up.
  void add_dimensions(LayoutParts& parts) {
    std::vector<std::size_t> dim_of;  // of each level
    std::vector<std::size_t> rests;   // dimensions without digits, of which only coordinate 0 has a slot
    std::size_t digits = 0;
    parts.map = {Affine{}};
    for (const BasicNumber<Index>& number : of_.numbers) {
      Split split{number.dims.front(), {}};
      for (std::size_t left = number.levels; left > 0; --left) {
        digit_[dim_of.size()] = digits + split.weights.size();
        split.weights.push_back(of_.levels[dim_of.size()].weight);
        dim_of.push_back(split.input);
      }
      if (split.weights.empty()) rests.push_back(digits);
      digits += std::max<std::size_t>(number.levels, 1);
      if (!split.weights.empty()) parts.map.insert(parts.map.begin(), std::move(split));
    }
    Affine place = places(digits);
    for (const std::size_t rest : rests) place.rows.push_back(pick(rest));
    parts.guards = rests.size();
    parts.map.back() = std::move(place);
    add_sums(parts, dim_of);
  }

  // The way back of digits of dimensions: their sums. A place that is no digit is 0.
  void add_sums(LayoutParts& parts, const std::vector<std::size_t>& dim_of) {
    Affine join{std::vector<Row>(of_.logical.size())};
    parts.identity = OffsetIdentity{{}, {0, parts.host_offset.terms}};
    for (std::size_t j = 0; j < of_.places.size(); ++j) {
      const auto& terms = of_.places[j].terms;
      if (terms.empty() && of_.places[j].extent > 1) join.rows.push_back(pick(j));
      if (terms.empty()) continue;
      const std::size_t dim = dim_of[terms.front().input];
      const Index weight = of_.levels[terms.front().input].weight;
      join.rows[dim].terms.push_back({j, weight});
      const auto stride = std::ranges::find(parts.host_offset.terms, dim, &Term::input);
      if (stride == parts.host_offset.terms.end()) continue;
      const auto step = checked_mul(stride->coefficient, weight);
      if (!step && !error_) error_ = Error{ErrorCode::Overflow, "a step of the host does not fit in 64 bits"};
      parts.identity->slot.terms.push_back({j, step.value_or(0)});
    }
    parts.decode_guards = join.rows.size() - of_.logical.size();
    parts.decode = std::vector<Stage>{std::move(join)};
  }

  // Every value as it is, and digits added to the one at `at`.
  Affine joined(const BasicNumber<Index>& number, std::size_t at, std::size_t count) {
    Affine out;
    for (std::size_t j = 0; j < count; ++j) out.rows.push_back(pick(j));
    for (const auto& [input, coefficient] : number.of)
      if (digit_[input] && coefficient != 0) out.rows[at].terms.push_back({*digit_[input], coefficient});
    out.rows[at] = in_order(std::move(out.rows[at]));
    return out;
  }

  // The dimensions of a host whose offsets nest, in order of descending |stride|, without those of size 1 or stride 0.
  // Offsets nest if each |stride| exceeds the largest offset that the smaller strides reach; then an offset has one
  // element, which a greedy split finds.
  [[nodiscard]] std::optional<std::vector<std::size_t>> nested_order() const {
    const auto size = [&](std::size_t dim) { return std::abs(of_.strides[dim]); };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < of_.logical.size(); ++i) {
      if (of_.strides[i] == std::numeric_limits<Index>::min()) return std::nullopt;
      if (of_.logical[i] > 1 && of_.strides[i] != 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    Index reach = 0;
    for (std::size_t k = order.size(); k-- > 0;)
      if (size(order[k]) <= reach || !accumulate(reach, size(order[k]), of_.logical[order[k]] - 1)) return std::nullopt;
    return order;
  }

  // Where places are digits. There is no way back over a host whose offsets do not nest.
  void add_decode(LayoutParts& parts) {
    std::vector<Index> weights;
    for (const BasicLevel<Index>& level : of_.levels) weights.push_back(std::max<Index>(level.weight, 0));
    parts.decode_guards = 1;
    parts.identity = OffsetIdentity{dot(weights), dot(of_.strides, of_.start)};
    const auto order = nested_order();
    if (!order) return;
    Row number = dot(weights, -of_.start);
    Split split{0, {}};
    Affine gather{std::vector<Row>(of_.logical.size())};
    for (const std::size_t dim : *order) {  // a stride below 0 counts from the end, x = size-1 - digit
      const Index stride = of_.strides[dim], last = of_.logical[dim] - 1;
      const std::size_t digit = split.weights.size();
      gather.rows[dim] = stride < 0 ? Row{last, {{digit, -1}}} : pick(digit);
      if (stride < 0 && !accumulate(number.constant, -stride, last)) return;
      split.weights.push_back(std::abs(stride));
    }
    const bool rest = split.weights.empty() || split.weights.back() != 1;
    if (rest) split.weights.push_back(1);
    const std::size_t digits = split.weights.size();
    Affine flatten{{std::move(number)}};
    for (std::size_t j = 0; j < of_.places.size(); ++j)
      if (of_.repeats(j)) {
        gather.rows.push_back(pick(digits + flatten.rows.size() - 1));
        flatten.rows.push_back(pick(j));
      }
    gather.rows.push_back(rest ? pick(digits - 1) : Row{});
    parts.decode = std::vector<Stage>{std::move(flatten), std::move(split), std::move(gather)};
  }

  const Blueprint<Index>& of_;
  std::vector<std::optional<std::size_t>> digit_;  // of each level that has one
  std::optional<Error> error_;
};

}  // namespace

std::optional<Index> Reach<Index>::span() const {
  const auto end = checked_add(range_.high, 1);
  return end ? std::optional(std::max<Index>(*end, 1)) : std::nullopt;
}

Reach<Expression>::Reach(const Expression& constant)
    : end_(constant + 1), below_(Expression(0) - constant), negative_(!is_never_negative(constant)) {}

bool Reach<Expression>::add(const Expression& stride, const Expression& extent) {
  end_ = end_ + at_least(stride, 0) * (extent - 1);
  if (is_never_negative(stride)) return true;
  below_ = below_ + at_least(Expression(0) - stride, 0) * (extent - 1);
  negative_ = true;
  return true;
}

void Reach<Expression>::add_fits(std::vector<Expression>& fits) const {
  if (negative_) fits.push_back(below_);
}

Result<Host> host_of(const Tensor& tensor) {
  auto strides = host_strides(tensor);
  if (!strides) return strides.error();
  auto logical = Space::create(Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  Row offset = dot(*strides, tensor.offset);
  return Host{std::move(*logical), std::move(*strides), std::move(offset)};
}

Result<Layout> layout_of(const Blueprint<Index>& blueprint, Space logical, Row host_offset) {
  return Stages(blueprint).make(std::move(logical), std::move(host_offset));
}

}  // namespace vl::map
