#include "verifier/neutral/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/base/check.h"
#include "verifier/neutral/pieces.h"
#include "verifier/values_kernel/twice.h"

namespace vl::neutral {
namespace {

using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Format;
using values::MaxRule;

// Whether the image is no more than the union of all results, where not each choice is evaluated.
bool is_exact(Function function, const Format& format, std::span<const CodeSet> operands) {
  using enum values_kernel::Pointwise;
  switch (function) {
    case Neg:
    case Abs:
    case Sign:
    case Signbit:
    case Eqz:
    case Nez:
    case Gtz:
    case Gez:
    case Ltz:
    case Lez:
    case Cast:
    case Where: return true;
    case Add:
    case Sub: return !format.is_float();
    case Pow: return operands[0] == CodeSet::of(values::one(format)) || operands[1].is_subset_of(zeros(format));
    default: return false;
  }
}

CodeSet kernels_image(Function function, const Format& format, MaxRule rule, std::span<const CodeSet> operands,
                      Code most) {
  std::vector<values_kernel::CodeRanges> sets;
  for (const CodeSet& set : operands) sets.push_back(in_kernel(set));
  const std::string word(name(function));
  const bool twice = sets.size() < arity(function);
  return set_of(twice ? values_kernel::image_of_twice(word, in_kernel(format), word_of(rule), sets[0], most)
                      : values_kernel::image_of(word, in_kernel(format), word_of(rule), sets, most));
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

Image image(Function function, const Format& format, MaxRule rule, std::span<const CodeSet> operands, Code most) {
  const bool twice = operands.size() == 1 && arity(function) == 2;
  VL_CHECK((twice || operands.size() == arity(function)) && is_defined(function, format),
           "a function with other operands");
  for (const CodeSet& set : operands) VL_CHECK(!set.empty(), "an empty set has no image");
  Code left = most;  // choices of the operands that are still to be made
  for (const CodeSet& set : operands) left /= set.count();
  return {kernels_image(function, format, rule, operands, most),
          !twice && (left > 0 || is_exact(function, format, operands))};
}

Image image_of_conversion(const Format& from, const Format& to, const CodeSet& codes, Code most) {
  CodeSet out = set_of(values_kernel::image_of_conversion(in_kernel(from), in_kernel(to), in_kernel(codes), most));
  // Into the same format NaN may become quiet, or be left as it is.
  if (from == to && !codes.intersected(nans(from)).empty()) out = out.united(quiet_nans(from));
  return {std::move(out), from == to || codes.count() <= most};
}

CodeSet preimage(Function function, const Format& format, MaxRule rule, const CodeSet& demanded) {
  VL_CHECK(arity(function) == 1 && is_defined(function, format), "a preimage is that of a function of one operand");
  const auto holds = [&](Code code) {
    return results_of(function, format, rule, std::span(&code, 1)).is_subset_of(demanded);
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
      const CodeSet codes = numbers_between(format, low, high);
      return kernels_image(function, format, rule, std::span(&codes, 1), 1).is_subset_of(demanded);
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
