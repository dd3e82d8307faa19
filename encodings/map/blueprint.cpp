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
  explicit Stages(const Blueprint<Index>& of) : of_(of), digit_(of.levels.size()), most_(of.levels.size()) {}

  // `rows`: the numbers that join no digits.
  Result<std::vector<Stage>> make_stages(std::vector<Row> rows) {
    std::vector<Stage> out = split_numbers(std::move(rows));
    if (error_) return *error_;
    VL_CHECK(rests_.empty(), "a number with a rest");
    return out;
  }
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
    else parts.map = number_stages(), parts.guards = rests_.size();
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

  // The row of a number, without dimensions of size 1, whose coordinate is always 0.
  [[nodiscard]] Row row_of(const BasicNumber<Index>& number) const {
    std::vector<Index> row(of_.logical.size(), 0);
    for (const std::size_t dim : number.dims)
      if (of_.logical[dim] != 1) row[dim] = of_.strides[dim];
    return dot(row);
  }
  // The greatest value of a row, from which its digits follow; of one that may be negative there is none.
  Index greatest(const Row& row, std::span<const Index> most) {
    Range range{row.constant, row.constant};
    for (const Term& term : row.terms)
      if (!accumulate(term.coefficient < 0 ? range.low : range.high, term.coefficient, most[term.input]) && !error_)
        error_ = Error{ErrorCode::Overflow, "a physical coordinate does not fit in 64 bits"};
    return range.low < 0 ? std::numeric_limits<Index>::max() : range.high;
  }

  // Splits input `at`, which is at most `high`, by the next levels. Its digits stand from `first` on. One that is
  // always 0 is left out.
  Split split_of(std::size_t at, std::size_t levels, Index high, std::size_t first) {
    Split out{at, {}};
    for (const std::size_t end = level_ + levels; level_ < end; ++level_) {
      const Index weight = of_.levels[level_].weight;
      if (weight < 1 && !error_) error_ = Error{ErrorCode::Value, fmt::format("a weight is {}", weight)};
      if (weight < 1 || weight > high) continue;
      digit_[level_] = first + out.weights.size();
      most_[level_] = high / weight;
      out.weights.push_back(weight);
      high = weight - 1;
    }
    if (high <= 0) return out;
    rests_.push_back(first + out.weights.size());
    out.weights.push_back(1);
    return out;
  }

  std::vector<Stage> number_stages() {
    std::vector<Row> rows;
    for (const BasicNumber<Index>& number : of_.numbers)
      if (number.of.empty()) rows.push_back(row_of(number));
    return split_numbers(std::move(rows));
  }
  // The numbers of elements are split from the last one to the first, so that those before it stay where they are.
  std::vector<Stage> split_numbers(std::vector<Row> rows) {
    const bool joins = !of_.numbers.back().of.empty();
    std::vector<Index> most;
    for (const Index size : of_.logical) most.push_back(std::max<Index>(size, 1) - 1);
    std::vector<Stage> out;
    std::size_t digits = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      Split split = split_of(n, of_.numbers[n].levels, greatest(rows[n], most), digits);
      digits += std::max<std::size_t>(split.weights.size(), 1);
      if (split.weights.size() > 1) out.insert(out.begin(), std::move(split));
    }
    for (std::size_t r = 0; r < of_.replicas.size(); ++r) rows.push_back(pick(of_.logical.size() + r));
    out.insert(out.begin(), Affine{std::move(rows)});
    Affine place = places(digits);
    for (const std::size_t rest : rests_) place.rows.push_back(pick(rest));
    if (joins) join(out, std::move(place), digits);
    else out.emplace_back(std::move(place));
    return out;
  }

  // The last number joins digits. It is split beside `known`, what the others add to the places.
  void join(std::vector<Stage>& out, Affine known, std::size_t digits) {
    VL_CHECK(of_.replicas.empty() && of_.numbers.back().dims.empty(), "a number that joins more than digits");
    std::vector<Index> most(digits, 0);
    Row number;
    for (const auto& [input, coefficient] : of_.numbers.back().of)
      if (digit_[input] && coefficient != 0) {
        number.terms.push_back({*digit_[input], coefficient});
        most[*digit_[input]] = most_[input];
      }
    number = in_order(std::move(number));
    const std::size_t first = level_;
    Split split = split_of(0, of_.numbers.back().levels, greatest(number, most), 0);
    const std::size_t own = split.weights.size();
    Affine place = std::move(known);
    if (own > 1) {
      Affine gather{{number}};
      for (Row& row : place.rows)
        if (!row.terms.empty()) {
          const std::size_t at = own + gather.rows.size() - 1;
          gather.rows.push_back({0, std::exchange(row.terms, {{at, 1}})});
        }
      out.emplace_back(std::move(gather));
      out.emplace_back(std::move(split));
    }
    for (std::size_t j = 0; j < of_.places.size(); ++j) {
      for (const auto& [input, coefficient] : of_.places[j].terms)
        if (input >= first && input < digit_.size() && digit_[input])
          add_multiple(place.rows[j], own > 1 ? pick(*digit_[input]) : number, coefficient);
      place.rows[j] = in_order(std::move(place.rows[j]));
    }
    out.emplace_back(std::move(place));
  }
  void add_multiple(Row& row, const Row& of, Index by) {
    for (const Term& term : of.terms) {
      const auto product = checked_mul(term.coefficient, by);
      if (!product && !error_) error_ = Error{ErrorCode::Overflow, "a coefficient does not fit in 64 bits"};
      row.terms.push_back({term.input, product.value_or(1)});
    }
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
  std::size_t level_ = 0;                          // the next one of a number
  std::vector<Index> most_;                        // the greatest digit of each level of a number
  std::vector<std::size_t> rests_;                 // the outputs that are guards
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

Result<std::vector<Stage>> stages_of(const Blueprint<Index>& blueprint, std::vector<Row> numbers) {
  return Stages(blueprint).make_stages(std::move(numbers));
}

}  // namespace vl::map
