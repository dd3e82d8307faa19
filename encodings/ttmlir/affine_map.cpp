// MLIR's affine maps: (d0, d1)[s0] -> (d0 * 64 + d1, d1 floordiv 8).
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/mlir.h"

namespace vl::ttmlir {
namespace {

constexpr int kDeepestSum = 64;

// A sum over dimensions, and whether it is one.
struct Sum {
  map::Row row;
  bool linear = true;
};

class MapReader {
 public:
  /// With `symbols` true, the map may have symbols; `values` are theirs, or 1.
  explicit MapReader(Cursor& in, bool symbols = false, const std::vector<Index>* values = nullptr)
      : in_(in), may_have_symbols_(symbols), values_(values) {}

  AffineMap read() {
    AffineMap out;
    in_.skip_space();
    const std::size_t start = in_.offset();
    in_.expect("(");
    while (!in_.failed() && !in_.accept(")")) {
      if (!names_.empty()) in_.expect(",");
      names_.emplace_back(in_.identifier("a dimension of the map"));
    }
    out.dims = names_.size();
    if (may_have_symbols_ && in_.peek() == '[') take_symbols();
    in_.expect("->");
    in_.expect("(");
    while (!in_.failed() && !in_.accept(")")) {
      if (!out.results.empty()) in_.expect(",");
      Sum sum = take_sum();
      out.linear = out.linear && sum.linear;
      out.results.push_back(std::move(sum.row));
    }
    if (out.linear && divisions_.empty()) return out;
    if (out.linear && !in_.failed()) {
      out.stages = std::move(divisions_);
      out.stages.emplace_back(map::Affine{out.results});
    }
    out.linear = false;
    for (map::Row& row : out.results) row = {};
    out.text = in_.text().substr(start, in_.offset() - start);
    std::ranges::replace_if(
        out.text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return out;
  }

 private:
  void take_symbols() {
    in_.skip_space();
    const std::size_t at = in_.offset();
    in_.expect("[");
    while (!in_.failed() && !in_.accept("]")) {
      if (!symbols_.empty()) in_.expect(",");
      symbols_.emplace_back(in_.identifier("a symbol of the map"));
    }
    if (values_ != nullptr && values_->size() != symbols_.size() && !in_.failed())
      in_.fail(ErrorCode::Value,
               fmt::format("the map has {} symbols, and {} values stand behind it", symbols_.size(), values_->size()),
               at);
  }

  Sum take_sum() {
    if (++depth_ > kDeepestSum) in_.fail("too many parentheses within each other");
    Sum sum = take_product();
    while (!in_.failed()) {
      const bool minus = in_.peek() == '-' && in_.accept("-");
      if (!minus && !in_.accept("+")) break;
      add(sum, scaled(take_product(), minus ? -1 : 1));
    }
    --depth_;
    return sum;
  }

  Sum take_product() {
    Sum product = take_factor();
    while (!in_.failed()) {
      const bool floors = in_.accept("floordiv"), ceils = !floors && in_.accept("ceildiv");
      if (floors || ceils || in_.accept("mod")) {
        product = divided(std::move(product), take_factor(), floors || ceils, ceils);
      } else if (in_.accept("*")) {
        Sum factor = take_factor();
        if (!product.row.terms.empty()) std::swap(product, factor);
        if (!product.row.terms.empty()) factor.linear = false;
        const bool linear = product.linear && factor.linear;
        product = scaled(std::move(factor), product.row.constant);
        product.linear = linear;
      } else {
        break;
      }
    }
    return product;
  }

  // The quotient, or the rest, as a new column behind the dimensions and the columns so far.
  Sum divided(Sum sum, const Sum& by, bool quotient, bool up) {
    constexpr std::size_t kMostDivisions = 64;
    const Index divisor = by.row.constant;
    const bool plain = sum.linear && by.linear && by.row.terms.empty() && divisor > 0;
    if (!plain || in_.failed() || divisions_.size() >= 2 * kMostDivisions) return {{}, false};
    if (up && !accumulate(sum.row.constant, divisor - 1, 1)) overflow();
    map::Affine with{{}};
    const std::size_t columns = names_.size() + divisions_.size();  // each division is two stages and two columns
    for (std::size_t j = 0; j < columns; ++j) with.rows.push_back(map::pick(j));
    with.rows.push_back(std::move(sum.row));
    divisions_.emplace_back(std::move(with));
    divisions_.emplace_back(map::Split{columns, {divisor, 1}});
    return {map::pick(quotient ? columns : columns + 1), true};
  }

  Sum take_factor() {
    if (in_.accept("-")) return scaled(take_factor_of_minus(), -1);
    if (in_.accept("(")) {
      Sum sum = take_sum();
      in_.expect(")");
      return sum;
    }
    if (const char next = in_.peek(); next >= '0' && next <= '9') return {{in_.integer("a number"), {}}, true};
    in_.skip_space();
    const std::size_t at = in_.offset();
    const std::string_view name = in_.identifier("a dimension or a number");
    const auto found = std::ranges::find(names_, name);
    if (in_.failed()) return {};
    if (const auto symbol = std::ranges::find(symbols_, name); symbol != symbols_.end())
      return {{values_ != nullptr ? (*values_)[static_cast<std::size_t>(symbol - symbols_.begin())] : 1, {}}, true};
    if (found == names_.end()) {
      in_.fail(ErrorCode::Syntax, fmt::format("'{}' is not a dimension of the map", name), at);
      return {};
    }
    return {map::pick(static_cast<std::size_t>(found - names_.begin())), true};
  }

  Sum take_factor_of_minus() {
    if (++depth_ > kDeepestSum) in_.fail("too many signs within each other");
    Sum factor = in_.failed() ? Sum{} : take_factor();
    --depth_;
    return factor;
  }

  void overflow() { in_.fail(ErrorCode::Overflow, "a factor of the map does not fit in 64 bits", in_.offset()); }

  Sum scaled(Sum sum, Index factor) {
    const auto times = [&](Index& value) {
      const auto product = checked_mul(value, factor);
      if (!product) overflow();
      value = product.value_or(0);
    };
    times(sum.row.constant);
    for (map::Term& term : sum.row.terms) times(term.coefficient);
    std::erase_if(sum.row.terms, [](const map::Term& term) { return term.coefficient == 0; });
    return sum;
  }

  void add(Sum& sum, Sum more) {
    sum.linear = sum.linear && more.linear;
    if (!accumulate(sum.row.constant, more.row.constant, 1)) overflow();
    sum.row.terms.insert(sum.row.terms.end(), more.row.terms.begin(), more.row.terms.end());
    auto canonical = map::canonical(std::move(sum.row));
    if (!canonical) overflow();
    sum.row = canonical ? std::move(*canonical) : map::Row{};
  }

  Cursor& in_;
  bool may_have_symbols_;
  const std::vector<Index>* values_;
  std::vector<std::string> symbols_;
  std::vector<std::string> names_;
  std::vector<map::Stage> divisions_;
  int depth_ = 0;
};

}  // namespace

AffineMap take_map(Cursor& in) { return MapReader(in).read(); }

AffineMap take_map_of_symbols(Cursor& in, const std::optional<std::vector<Index>>& symbols) {
  return MapReader(in, true, symbols ? &*symbols : nullptr).read();
}

std::string print(const AffineMap& map) {
  if (!map.linear) return map.text;
  std::string dims;
  for (std::size_t d = 0; d < map.dims; ++d) dims += fmt::format("{}d{}", d == 0 ? "" : ", ", d);
  std::string results;
  for (const map::Row& row : map.results) {
    std::string sum;
    for (const map::Term& term : row.terms) {
      const std::string factor = term.coefficient == 1 ? "" : fmt::format(" * {}", term.coefficient);
      sum += fmt::format("{}d{}{}", sum.empty() ? "" : " + ", term.input, factor);
    }
    if (sum.empty() || row.constant != 0) sum += fmt::format("{}{}", sum.empty() ? "" : " + ", row.constant);
    results += (results.empty() ? "" : ", ") + sum;
  }
  return fmt::format("({}) -> ({})", dims, results);
}

}  // namespace vl::ttmlir
