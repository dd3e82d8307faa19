#include "encodings/use/padded_digits.h"

#include <algorithm>
#include <functional>

namespace vl::use {
namespace {

using map::Digit;
using map::DigitSum;

// The layout's digits with one dimension longer; nothing where they do not keep apart.
std::optional<std::vector<DigitSum>> widened(const map::Layout& layout, std::size_t input, Index extent) {
  std::vector<map::Dim> dims = layout.domain().dims();
  dims[input].extent = extent;
  auto space = map::Space::create(std::move(dims));
  if (!space) return std::nullopt;
  const auto map = map::Map::create(std::move(*space), layout.map().stages());
  return map ? digits_alone(layout, *map) : std::nullopt;
}

bool drives(const std::vector<DigitSum>& sums, std::size_t input) {
  return std::ranges::any_of(sums, [&](const DigitSum& sum) {
    return std::ranges::any_of(sum.digits, [&](const Digit& digit) { return digit.input == input; });
  });
}

// Replaces the digits of one input by those of other sums. Of each coordinate the constant is the same: its value at 0.
void take(std::vector<DigitSum>& into, const std::vector<DigitSum>& from, std::size_t input) {
  for (std::size_t j = 0; j < into.size(); ++j) {
    std::erase_if(into[j].digits, [&](const Digit& digit) { return digit.input == input; });
    std::ranges::copy_if(from[j].digits, std::back_inserter(into[j].digits),
                         [&](const Digit& digit) { return digit.input == input; });
  }
}

// The weights at which an input is cut, descending; nothing if one does not divide the one before.
std::optional<std::vector<Index>> cuts_of(const std::vector<DigitSum>& sums, std::size_t input) {
  std::vector<Index> out{1};
  for (const DigitSum& sum : sums)
    for (const Digit& digit : sum.digits) {
      if (digit.input != input) continue;
      out.push_back(digit.divisor);
      if (digit.modulus > 0) out.push_back(digit.modulus);
    }
  std::ranges::sort(out, std::greater<>());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  for (std::size_t k = 1; k < out.size(); ++k)
    if (out[k - 1] % out[k] != 0) return std::nullopt;
  return out;
}

// digit = Σ over the cuts w with divisor <= w < modulus of (the digit at w)·(w / divisor).
void add(map::Row& row, const Digit& digit, const std::vector<Index>& cuts, std::size_t first) {
  for (std::size_t k = 0; k < cuts.size(); ++k)
    if (cuts[k] >= digit.divisor && (digit.modulus == 0 || cuts[k] < digit.modulus))
      row.terms.push_back({first + k, digit.coefficient * (cuts[k] / digit.divisor)});
}

}  // namespace

std::optional<std::vector<DigitSum>> digits_alone(const map::Layout& layout, const map::Map& map) {
  const std::size_t rank = layout.physical().rank();
  if (layout.physical().volume() == 0) return std::nullopt;
  std::vector<DigitSum> out;
  for (const map::Coordinate& coordinate : map::digits_of(map)) {
    const auto* sum = std::get_if<DigitSum>(&coordinate);
    if (sum == nullptr || map::inputs_of(coordinate).size() > 1) return std::nullopt;
    if (out.size() < rank) {
      if (sum->digits.empty() && sum->constant >= layout.physical().extent(out.size())) return std::nullopt;
      out.push_back(*sum);
    } else if (*sum != DigitSum{}) {
      return std::nullopt;
    }
  }
  return out;
}

Result<std::vector<map::Stage>> stages_by_digits(const map::Layout& layout, std::span<const Index> size,
                                                 std::optional<std::size_t> lane) {
  auto sums = digits_alone(layout, layout.map());
  if (!sums) return Error{ErrorCode::Value, std::string(kNotAlone), 0};
  const std::size_t inputs = layout.domain().rank();
  for (std::size_t d = 0; d < size.size(); ++d) {
    if (size[d] <= layout.logical().extent(d)) continue;
    if (const auto longer = widened(layout, d, size[d])) take(*sums, *longer, d);
    if (lane == d && !drives(*sums, d)) sums->back().digits.push_back({d, 1, 1, 0});
  }
  std::vector<map::Stage> out;
  map::Affine gather;
  gather.rows.resize(sums->size());
  std::size_t first = 0;
  for (std::size_t input = 0; input < inputs; ++input) {
    const auto cuts = cuts_of(*sums, input);
    if (!cuts) return Error{ErrorCode::Value, "the digits of a dimension do not divide one another", 0};
    if (cuts->size() > 1) out.insert(out.begin(), map::Split{input, *cuts});  // those to the left stay where they are
    for (std::size_t j = 0; j < sums->size(); ++j)
      for (const Digit& digit : (*sums)[j].digits)
        if (digit.input == input) add(gather.rows[j], digit, *cuts, first);
    first += cuts->size();
  }
  for (std::size_t j = 0; j < sums->size(); ++j) {
    auto row = map::canonical({(*sums)[j].constant, std::move(gather.rows[j].terms)});
    if (!row) return row.error();
    gather.rows[j] = std::move(*row);
  }
  for (std::size_t g = 0; g < layout.guards(); ++g) gather.rows.emplace_back();
  out.emplace_back(std::move(gather));
  return out;
}

}  // namespace vl::use
