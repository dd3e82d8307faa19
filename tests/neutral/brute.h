// Brute force: rows of few valid elements and pads, executed in every order and, where the question is about trees, as
// every tree. It knows nothing of laws, classes or shapes: only the meaning of an operation on two codes (values),
// which tests/values compares with decoded numbers and with the processor.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "verifier/neutral/neutral.h"

namespace vl::test {

using neutral::Question;
using values::Code;
using values::CodeSet;
using values::Format;

/// One leaf: its elements, and whether it is a pad, or the start.
struct BruteLeaf {
  enum class Kind { Valid, Pad, Start } kind = Kind::Valid;
  Code a = 0, b = 0;
  auto operator<=>(const BruteLeaf&) const = default;
};

class Brute {
 public:
  explicit Brute(const Question& question) : q_(question) {
    if (q_.accumulate.bits > 8) return;
    std::vector<Code> table;
    for (Code x = 0; x < 256; ++x)
      for (Code y = 0; y < 256; ++y) table.push_back(node(x, y));
    table_ = std::move(table);
  }

  /// Whether some evaluation of these terms gives another result with its pads than without.
  bool changes(std::vector<BruteLeaf> leaves) {
    const bool start = q_.start != neutral::Start::First;
    std::ranges::sort(leaves);
    do {
      std::vector<BruteLeaf> row = leaves;
      if (q_.tree == neutral::Tree::Sequential) {
        if (start) row.insert(row.begin(), BruteLeaf{BruteLeaf::Kind::Start, 0, 0});
        if (!same(fold(row, true), fold(row, false))) return true;
        continue;
      }
      if (!start) {
        if (some_tree_changes(row)) return true;
        continue;
      }
      for (std::size_t at = 0; at <= leaves.size(); ++at) {
        row = leaves;
        row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), BruteLeaf{BruteLeaf::Kind::Start, 0, 0});
        if (some_tree_changes(row)) return true;
      }
    } while (std::ranges::next_permutation(leaves).found);
    return false;
  }

 private:
  using Maybe = std::optional<Code>;
  struct Both {
    Maybe with, without;
  };

  Code wide(Code code) const { return q_.type == q_.accumulate ? code : values::convert(q_.type, q_.accumulate, code); }

  Code leaf(const BruteLeaf& term) const {
    using Op = neutral::Operation;
    if (term.kind == BruteLeaf::Kind::Start) return q_.start == neutral::Start::Zero ? 0 : q_.accumulate.mask() / 2 + 1;
    if (q_.operation == Op::SumOfSquares) return values::mul(q_.accumulate, wide(term.a), wide(term.a), q_.mode);
    if (q_.operation == Op::Dot) return values::mul(q_.accumulate, wide(term.a), wide(term.b), q_.mode);
    if (q_.operation == Op::Any || q_.operation == Op::All)
      return values::compare(q_.type, term.a, 0) == values::Order::Equal ? 0 : 1;
    return wide(term.a);
  }

  Code node(Code x, Code y) const {
    using Op = neutral::Operation;
    if (!table_.empty()) return table_[x * 256 + y];
    if (q_.operation == Op::Prod) return values::mul(q_.accumulate, x, y, q_.mode);
    if (q_.operation == Op::Max) return values::maximum(q_.accumulate, q_.max, x, y);
    if (q_.operation == Op::Min) return values::minimum(q_.accumulate, q_.max, x, y);
    if (q_.operation == Op::Any) return x != 0 || y != 0 ? 1 : 0;
    if (q_.operation == Op::All) return x != 0 && y != 0 ? 1 : 0;
    return values::add(q_.accumulate, x, y, q_.mode);
  }

  Code fused(Code accumulator, const BruteLeaf& term) const {
    const Code b = q_.operation == neutral::Operation::Dot ? term.b : term.a;
    return values::fma(q_.accumulate, wide(term.a), wide(b), accumulator, q_.mode);
  }

  Maybe fold(const std::vector<BruteLeaf>& row, bool with_pads) const {
    Maybe out;
    for (const BruteLeaf& term : row) {
      if (!with_pads && term.kind == BruteLeaf::Kind::Pad) continue;
      if (!out) out = leaf(term);
      else if (!q_.fused) out = node(*out, leaf(term));
      else out = fused(*out, term);
    }
    return out;
  }

  // Every tree over a row, as results with and without its pads.
  std::vector<Both> trees(const std::vector<BruteLeaf>& row, std::size_t begin, std::size_t end) const {
    if (end - begin == 1) {
      const Code code = leaf(row[begin]);
      const bool pad = row[begin].kind == BruteLeaf::Kind::Pad;
      return {{code, pad ? Maybe() : Maybe(code)}};
    }
    std::vector<Both> out;
    for (std::size_t middle = begin + 1; middle < end; ++middle)
      for (const Both& x : trees(row, begin, middle))
        for (const Both& y : trees(row, middle, end)) {
          const Maybe without = !x.without ? y.without : !y.without ? x.without : Maybe(node(*x.without, *y.without));
          out.push_back({node(*x.with, *y.with), without});
          // A term on the right may be added without rounding its product.
          if (!q_.fused || middle + 1 != end) continue;
          const bool pad = row[middle].kind == BruteLeaf::Kind::Pad, start = row[middle].kind == BruteLeaf::Kind::Start;
          if (start) continue;
          const Maybe cut = pad ? x.without : !x.without ? y.without : Maybe(fused(*x.without, row[middle]));
          out.push_back({fused(*x.with, row[middle]), cut});
        }
    return out;
  }

  bool some_tree_changes(const std::vector<BruteLeaf>& row) const {
    return std::ranges::any_of(trees(row, 0, row.size()),
                               [&](const Both& both) { return !same(both.with, both.without); });
  }

  bool same(const Maybe& a, const Maybe& b) const {
    if (!a || !b) return a == b;
    if (*a == *b) return true;
    if (q_.operation == neutral::Operation::Any || q_.operation == neutral::Operation::All) return false;
    const auto nan = [&](Code code) { return values::compare(q_.accumulate, code, code) == values::Order::Unordered; };
    if (q_.equal != neutral::Equality::Bits && nan(*a) && nan(*b)) return true;
    return q_.equal == neutral::Equality::AnyNanAndZero &&
           values::compare(q_.accumulate, *a, 0) == values::Order::Equal &&
           values::compare(q_.accumulate, *b, 0) == values::Order::Equal;
  }

  Question q_;
  std::vector<Code> table_;  // of all nodes, where there are few
};

/// Codes of a set that are likely to tell: zeros, ones, the least, the greatest, infinities, NaNs, powers.
inline std::vector<Code> brute_edges(const Format& format, const CodeSet& set) {
  std::vector<Code> out;
  const auto take = [&](Code code) {
    code &= format.mask();
    if (set.contains(code) && std::ranges::find(out, code) == out.end()) out.push_back(code);
  };
  const Code half = format.mask() / 2 + 1;
  std::vector<Code> magnitudes{0, 1, 2, values::one(format), values::largest(format, false)};
  if (values::has_infinity(format))
    for (const Code more : {Code{0}, Code{1}}) magnitudes.push_back(values::infinity(format, false) + more);
  if (values::has_nan(format)) magnitudes.push_back(values::default_nan(format) & (half - 1));
  for (const Code more : {Code{3}, half - 1, half - 2, half - 3, values::one(format) + 1, half / 2, half / 4,
                          half / 4 + 1, format.is_float() ? Code{1} << format.fraction_bits : Code{16},
                          format.is_float() ? (Code{1} << format.fraction_bits) + 1 : Code{17}})
    magnitudes.push_back(more);
  for (const Code magnitude : magnitudes) {
    take(magnitude);
    take(magnitude | half);
  }
  return out;
}

}  // namespace vl::test
