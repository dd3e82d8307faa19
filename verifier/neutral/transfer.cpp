#include "verifier/neutral/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/base/check.h"
#include "verifier/neutral/pieces.h"

namespace vl::neutral {
namespace {

using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Format;
using values::MaxRule;

// Functions of which a piece's corners are all that there is between them, or that move each number.
bool keeps_intervals(Function function) {
  switch (function) {
    case Function::Neg:
    case Function::Abs:
    case Function::Sign:
    case Function::Signbit:
    case Function::Eqz:
    case Function::Nez:
    case Function::Gtz:
    case Function::Gez:
    case Function::Ltz:
    case Function::Lez:
    case Function::Cast: return true;
    default: return false;
  }
}

Reach over_piece(Function function, const Format& format, MaxRule rule, const Piece& piece) {
  if (piece.nan) return at(function, format, rule, *piece.nan);
  const Reach low = at(function, format, rule, code_at(format, piece.low));
  if (piece.low == piece.high) return low;
  const Reach both = united(low, at(function, format, rule, code_at(format, piece.high)));
  const Code one = values::one(format);
  if (function == Function::Frac && format.is_float()) {  // the rest behind the point is no monotone function beyond 1
    if (piece.low > order(format, one)) return {0, order(format, one) - 1, false};
    if (piece.high < order(format, values::negated(format, one)))
      return {order(format, values::negated(format, one)) + 1, 0, false};
  }
  if (function == Function::Square) {
    if (!format.is_float()) {  // products wrap
      const auto most = std::int64_t{1} << (format.bits / 2 - 1);
      const bool fits = piece.low > -most && piece.high < most;
      return fits ? both : Reach{lowest_order(format), highest_order(format), false};
    }
    if (both.nan) return {both.has_numbers() ? both.low : 0, highest_order(format), true};  // too large, no infinity
  }
  // Where the format has no infinity, numbers whose result is NaN may lie between numbers whose result is not.
  if (function == Function::Recip && both.nan) return {lowest_order(format), highest_order(format), true};
  return both;
}

Image image_of_one(Function function, const Format& format, MaxRule rule, const CodeSet& set, Code most) {
  Gathered out(format);
  const bool every = set.count() <= most;
  if (every) each_code(set, [&](Code code) { out.add(at(function, format, rule, code)); });
  else
    for (const Piece& piece : pieces_of(format, set, true)) out.add(over_piece(function, format, rule, piece));
  return {out.codes(), every || keeps_intervals(function)};
}

// A corner of a box of numbers. A result past the largest number of a format without infinity is NaN and what lies
// between is not, so its place is given as past the end.
Reach corner(Function function, const Format& format, MaxRule rule, Code a, Code b) {
  const Reach out = at(function, format, rule, a, b);
  const bool arithmetic =
      function == Function::Add || function == Function::Sub || function == Function::Mul || function == Function::Div;
  if (!arithmetic || out.has_numbers() || is_nan(format, a) || is_nan(format, b) || has_infinity(format)) return out;
  if (function == Function::Div && values::is_zero(format, b)) return out;
  const bool sign_b = is_negative(format, b) != (function == Function::Sub);
  const bool additive = function == Function::Add || function == Function::Sub;
  const bool negative = additive ? sign_b : is_negative(format, a) != is_negative(format, b);
  const std::int64_t last = negative ? lowest_order(format) : highest_order(format);
  return {last, last, true};
}

bool is_eq(Function function) { return function == Function::Eq || function == Function::Ne; }

Reach over_box(Function function, const Format& format, MaxRule rule, const Piece& a, const Piece& b) {
  const auto ends = [&](const Piece& piece) {
    return piece.nan ? std::pair{*piece.nan, *piece.nan}
                     : std::pair{code_at(format, piece.low), code_at(format, piece.high)};
  };
  const auto [a1, a2] = ends(a);
  const auto [b1, b2] = ends(b);
  Reach out = corner(function, format, rule, a1, b1);
  for (const auto& [x, y] : {std::pair{a1, b2}, std::pair{a2, b1}, std::pair{a2, b2}})
    out = united(out, corner(function, format, rule, x, y));
  const bool numbers = !a.nan && !b.nan;
  if (is_eq(function) && numbers && (a.low != a.high || b.low != b.high) && a.low <= b.high && b.low <= a.high)
    return {0, order(format, values::one(format)), false};
  return out;
}

// Sums and differences of integers modulo a power of two: an interval of codes that may pass the end.
CodeSet wrapped_sums(const Format& format, const CodeSet& a, const CodeSet& b, bool difference) {
  std::vector<CodeRange> out;
  for (const CodeRange& x : a.ranges())
    for (const CodeRange& y : b.ranges()) {
      const Code width = x.last - x.first, more = y.last - y.first;
      if (more > format.mask() - width || width + more == format.mask()) return CodeSet::all(format);
      const Code first = (difference ? x.first - y.last : x.first + y.first) & format.mask();
      const Code last = (first + width + more) & format.mask();
      if (first <= last) out.push_back({first, last});
      else out.insert(out.end(), {{first, format.mask()}, {0, last}});
    }
  return CodeSet(std::move(out));
}

CodeSet integer_products(const Format& format, const CodeSet& a, const CodeSet& b) {
  Gathered out(format);
  for (const Piece& x : pieces_of(format, a, false))
    for (const Piece& y : pieces_of(format, b, false)) {
      __extension__ using Product = __int128;
      Product low = static_cast<Product>(x.low) * y.low, high = low;
      for (const Product p : {static_cast<Product>(x.low) * y.high, static_cast<Product>(x.high) * y.low,
                              static_cast<Product>(x.high) * y.high}) {
        low = std::min(low, p);
        high = std::max(high, p);
      }
      const bool single = x.low == x.high && y.low == y.high;
      if (single) out.add(reach_of(format, values::mul(format, code_at(format, x.low), code_at(format, y.low))));
      else if (low < lowest_order(format) || high > highest_order(format)) return CodeSet::all(format);
      else out.add({static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)});
    }
  return out.codes();
}

CodeSet integer_bits(Function function, const Format& format, const CodeSet& a, const CodeSet& b) {
  const CodeSet zero = CodeSet::of(0);
  if (function == Function::And) return a == zero || b == zero ? zero : CodeSet::all(format);
  return a == zero ? b : b == zero ? a : CodeSet::all(format);
}

Image image_of_power(const Format& format, const CodeSet& a, const CodeSet& b) {
  const CodeSet one = CodeSet::of(values::one(format));
  if (a == one || b.is_subset_of(zeros(format))) return {one, true};
  const CodeSet powers = b.without(zeros(format), format);
  CodeSet out = powers == one ? a.without(nans(format), format) : nans(format).complement(format);
  const bool nan = powers != one || !a.intersected(nans(format)).empty();
  if (nan) out = out.united(quiet_nans(format));
  return {powers == b ? out : out.united(one), false};
}

Image image_of_two(Function function, const Format& format, MaxRule rule, const CodeSet& a, const CodeSet& b,
                   Code most) {
  Gathered out(format);
  if (a.count() <= most && b.count() <= most / a.count()) {
    each_code(a, [&](Code x) { each_code(b, [&](Code y) { out.add(at(function, format, rule, x, y)); }); });
    return {out.codes(), true};
  }
  if (function == Function::Pow) return image_of_power(format, a, b);
  if (!format.is_float()) switch (function) {
      case Function::Add:
      case Function::Sub: return {wrapped_sums(format, a, b, function == Function::Sub), true};
      case Function::Mul: return {integer_products(format, a, b), false};
      case Function::And:
      case Function::Or:
      case Function::Xor: return {integer_bits(function, format, a, b), false};
      default: break;
    }
  const auto others = pieces_of(format, b, false);
  for (const Piece& x : pieces_of(format, a, false))
    for (const Piece& y : others) out.add(over_box(function, format, rule, x, y));
  return {out.codes(), false};
}

// What `where` makes of sets: it moves codes as they are.
CodeSet selected(const Format& format, std::span<const CodeSet> operands) {
  CodeSet out;
  if (!operands[0].without(zeros(format), format).empty()) out = operands[1];
  if (!operands[0].intersected(zeros(format)).empty()) out = out.united(operands[2]);
  return out;
}

// Codes that are likely to tell, in the order in which a reader wants to see them, then a set's ends, then all of it.
std::vector<Code> tellers(const Format& format, const CodeSet& set, bool all) {
  std::vector<Code> first{0, values::one(format)};
  if (has_negative_zero(format)) first.push_back(negative_zero(format));
  first.insert(first.end(), {values::negated(format, values::one(format)), 1, 2});
  if (has_infinity(format)) first.insert(first.end(), {infinity(format, false), infinity(format, true)});
  first.insert(first.end(), {largest(format, false), largest(format, true)});
  if (has_nan(format)) first.push_back(default_nan(format));
  for (std::size_t i = 0; i < set.ranges().size() && i < 16; ++i)
    first.insert(first.end(), {set.ranges()[i].first, set.ranges()[i].last});
  std::vector<Code> out;
  for (const Code code : first)
    if (set.contains(code) && std::ranges::find(out, code) == out.end()) out.push_back(code);
  if (all) each_code(set, [&](Code code) { out.push_back(code); });
  return out;
}

}  // namespace

CodeSet results_of(Function function, const Format& format, MaxRule rule, std::span<const Code> operands) {
  VL_CHECK(operands.size() == arity(function), "as many codes as operands");
  if (operands.size() == 1) return codes_within(format, at(function, format, rule, operands[0]));
  if (operands.size() == 2) return codes_within(format, at(function, format, rule, operands[0], operands[1]));
  return CodeSet::of(values::is_zero(format, operands[0]) ? operands[2] : operands[1]);
}

Image image(Function function, const Format& format, MaxRule rule, std::span<const CodeSet> operands, Code most) {
  VL_CHECK(operands.size() == arity(function) && is_defined(function, format), "a function with other operands");
  for (const CodeSet& set : operands) VL_CHECK(!set.empty(), "an empty set has no image");
  if (operands.size() == 1) return image_of_one(function, format, rule, operands[0], most);
  if (operands.size() == 2) return image_of_two(function, format, rule, operands[0], operands[1], most);
  return {selected(format, operands), true};
}

Image image_of_conversion(const Format& from, const Format& to, const CodeSet& codes, Code most) {
  if (from == to && !from.is_float()) return {codes, true};
  if (from == to) {  // NaN may become quiet, or be left as it is
    const bool nan = !codes.intersected(nans(from)).empty();
    return {nan ? codes.united(quiet_nans(from)) : codes, true};
  }
  Gathered out(to);
  const bool every = codes.count() <= most;
  if (every) {
    each_code(codes, [&](Code code) { out.add(reach_of(to, convert(from, to, code))); });
    return {out.codes(), true};
  }
  if (!to.is_float()) return {CodeSet::all(to), false};  // integers wrap
  for (const Piece& piece : pieces_of(from, codes, false)) {
    const Code low = convert(from, to, piece.nan ? *piece.nan : code_at(from, piece.low));
    const Code high = piece.nan ? low : convert(from, to, code_at(from, piece.high));
    const bool lost = !piece.nan && (is_nan(to, low) || is_nan(to, high));  // too large for a format without infinity
    const Reach both = united(reach_of(to, low), reach_of(to, high));
    const bool negative = !piece.nan && piece.low < 0;
    if (!lost || piece.low == piece.high) out.add(both);
    else
      out.add({negative             ? lowest_order(to)
               : both.has_numbers() ? both.low
                                    : highest_order(to),
               !negative            ? highest_order(to)
               : both.has_numbers() ? both.high
                                    : lowest_order(to),
               true});
  }
  return {out.codes(), false};
}

CodeSet preimage(Function function, const Format& format, MaxRule rule, const CodeSet& demanded) {
  VL_CHECK(arity(function) == 1 && is_defined(function, format), "a preimage is that of a function of one operand");
  const auto holds = [&](Code code) {
    return codes_within(format, at(function, format, rule, code)).is_subset_of(demanded);
  };
  std::vector<CodeRange> out;
  if (format.bits <= 16) {
    for (Code code = 0; code <= format.mask(); ++code)
      if (holds(code)) out.push_back({code, code});
    return CodeSet(std::move(out));
  }
  // In wider formats: pieces of which the whole image is demanded, and around each end of those that are cut in two.
  for (const Piece& piece : pieces_of(format, CodeSet::all(format), true)) {
    if (piece.nan) {
      if (holds(*piece.nan)) out.push_back({*piece.nan, *piece.nan});
      continue;
    }
    const auto inside = [&](std::int64_t low, std::int64_t high) {
      return codes_within(format, over_piece(function, format, rule, {low, high, {}})).is_subset_of(demanded);
    };
    const auto take = [&](std::int64_t low, std::int64_t high) {
      const Code one = code_at(format, low), other = code_at(format, high);
      out.push_back({std::min(one, other), std::max(one, other)});
    };
    // The longest run from either end; `inside` is monotone in the run.
    if (inside(piece.low, piece.high)) {
      take(piece.low, piece.high);
      continue;
    }
    // Lengths are below that of the piece, which has at most 2^63 places.
    const auto length = static_cast<std::uint64_t>(piece.high) - static_cast<std::uint64_t>(piece.low) + 1;
    const auto longest = [&](auto is_inside) {
      std::int64_t known = 0;
      for (std::uint64_t beyond = length; beyond - static_cast<std::uint64_t>(known) > 1;) {
        const auto middle = static_cast<std::int64_t>(std::midpoint(static_cast<std::uint64_t>(known), beyond));
        if (is_inside(middle)) known = middle;
        else beyond = static_cast<std::uint64_t>(middle);
      }
      return known;
    };
    const std::int64_t first = longest([&](std::int64_t n) { return inside(piece.low, piece.low + (n - 1)); });
    const std::int64_t last = longest([&](std::int64_t n) { return inside(piece.high - (n - 1), piece.high); });
    if (first > 0) take(piece.low, piece.low + (first - 1));
    if (last > 0) take(piece.high - (last - 1), piece.high);
  }
  return CodeSet(std::move(out));
}

TransferVerdict decide_transfer(Function function, const Format& format, MaxRule rule,
                                std::span<const CodeSet> operands, const CodeSet& claimed) {
  Image found = image(function, format, rule, operands);
  if (found.codes.is_subset_of(claimed)) return TransferProved{std::move(found)};
  const bool all = format.bits <= 8 || (format.bits <= 16 && operands.size() == 1);
  std::vector<std::vector<Code>> tried;
  for (const CodeSet& set : operands) tried.push_back(tellers(format, set, all && operands.size() < 3));
  tried.resize(3, {0});
  for (const Code a : tried[0])
    for (const Code b : tried[1])
      for (const Code c : tried[2]) {
        const std::vector<Code> codes = std::vector<Code>{a, b, c};
        const auto used = std::span(codes).first(operands.size());
        CodeSet results = results_of(function, format, rule, used);
        if (results.intersected(claimed).empty())
          return TransferRefuted{{used.begin(), used.end()}, std::move(results)};
      }
  return TransferUnknown{"a result may be another code, and no operands are known of which each result is",
                         std::move(found)};
}

}  // namespace vl::neutral
