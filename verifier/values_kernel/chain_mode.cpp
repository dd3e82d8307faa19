#include "verifier/values_kernel/chain_mode.h"

#include <algorithm>
#include <array>

#include "verifier/values_kernel/chain_rows.h"
#include "verifier/values_kernel/fold.h"
#include "verifier/values_kernel/twice.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

CodeRanges numbers(const Format& f, std::int64_t low, std::int64_t high) {
  return ranges_of(f, {low, high, false, false});
}
CodeRanges nans_of(const Format& f) { return ranges_of(f, {1, 0, true, true}); }
std::int64_t last_place(const Format& f) { return anything(f).high - (f.infinities ? 1 : 0); }

// Numbers but zeros and infinities.
CodeRanges plain_numbers(const Format& f) {
  const std::int64_t last = last_place(f);
  return united(numbers(f, 1, last), numbers(f, -1 - last, -2));
}

CodeRanges neighbours(const Format& f, const CodeRanges& set) {
  const Results all = anything(f);
  CodeRanges out = set;
  for (const auto& [first, last] : shared(set, numbers(f, 0, all.high)))
    out = united(std::move(out),
                 numbers(f, std::max<std::int64_t>(f.place(first) - 1, 0), std::min(f.place(last) + 1, all.high)));
  for (const auto& [first, last] : shared(set, numbers(f, all.low, -1))) {
    out = united(std::move(out),
                 numbers(f, std::max(f.place(last) - 1, all.low), std::min<std::int64_t>(f.place(first) + 1, -1)));
    if (f.one_zero && f.place(first) >= -2) out = united(std::move(out), {{0, 0}});
  }
  if (f.infinities) return out;
  const CodeRanges ends = united(numbers(f, all.high, all.high), numbers(f, all.low, all.low));
  const bool too_large = !shared(set, nans_of(f)).empty(), at_end = !shared(set, ends).empty();
  if (too_large) out = united(std::move(out), ends);
  return at_end ? united(std::move(out), ranges_of(f, {1, 0, true, false})) : out;
}

bool is_one(const CodeRanges& set) { return set.size() == 1 && set[0].first == set[0].second; }

constexpr std::array kRounded = {"square", "recip", "sqrt", "add", "sub", "mul", "div"};

}  // namespace

ChainMode::ChainMode(const ChainText& said) : said_(said) {
  const auto rounding_of = [](const std::string& word) {
    require(word == "nearest-away" || word == "toward-zero", "a word that is not known");
    return word == "nearest-away" ? Mode::Rounding::NearestAway : Mode::Rounding::TowardZero;
  };
  if (said.rounding) mode_.rounding = rounding_of(*said.rounding), plain_ = false;
  if (said.conversion) static_cast<void>(rounding_of(*said.conversion)), to_nearest_ = false;
  if (said.flush) {
    require(*said.flush == "results" || *said.flush == "both", "a word that is not known");
    mode_.flush_results = true, mode_.flush_operands = *said.flush == "both", plain_ = false;
  }
  if (said.integers) {
    require(*said.integers == "saturate", "a word that is not known");
    mode_.saturate = true, plain_ = false;
  }
  if (!said.facts) return;
  require(said.facts->size() <= 256, "too many facts");
  for (const FactText& fact : *said.facts) {
    const Format& f = format_of(fact.type);
    require(f.is_float, "a fact about integers");
    static_cast<void>(Codes(f, fact.of)), static_cast<void>(Codes(f, fact.gives));
  }
}

bool ChainMode::is_stated(const std::string& function, const Format& format) const {
  if (!said_.facts) return false;
  const Pointwise f = pointwise_of(function, format);
  return f == Pointwise::Recip || f == Pointwise::Sqrt || f == Pointwise::Pow ||
         (f > Pointwise::Relu && f < Pointwise::Add);
}

// Each fact divides the operands into those that it is about and the others.
CodeRanges ChainMode::stated(const std::string& function, const Format& format, const CodeRanges& of,
                             std::size_t from) const {
  if (of.empty()) return {};
  for (std::size_t i = from; i < said_.facts->size(); ++i) {
    const FactText& fact = (*said_.facts)[i];
    if (fact.function != function || fact.type != format.name) continue;
    const CodeRanges about = Codes(format, fact.of).ranges(), gives = Codes(format, fact.gives).ranges();
    return united(shared(stated(function, format, shared(of, about), i + 1), gives),
                  stated(function, format, shared(of, outside(format, about)), i + 1));
  }
  return all_of(format);
}

bool ChainMode::keeps_nan(const std::string& function, const Format& format) const {
  const CodeRanges nans = nans_of(format);
  return operands_of(pointwise_of(function, format)) == 1 && covers(nans, stated(function, format, nans));
}

bool ChainMode::keeps_zeros(const std::string& function, const Format& format) const {
  const CodeRanges zeros = numbers(format, format.one_zero ? 0 : -1, 0), out = stated(function, format, zeros);
  return is_one(out) || covers(zeros, out);
}

CodeRanges ChainMode::flushed(const Format& f, CodeRanges set) const {
  if (!mode_.flush_results || !f.is_float || !f.subnormals) return set;
  const std::int64_t least = f.place(Code{1} << f.fraction);
  const bool above = !shared(set, numbers(f, 1, least)).empty(),
             below = !shared(set, numbers(f, -1 - least, -2)).empty();
  if (above || (below && f.one_zero)) set = united(std::move(set), {{0, 0}});
  if (below && !f.one_zero) set = united(std::move(set), {{f.sign(), f.sign()}});
  return set;
}

CodeRanges ChainMode::image(const std::string& function, const Format& f, const std::string& max,
                            const std::vector<CodeRanges>& operands) const {
  const bool twice = operands.size() == 1 && operands_of(pointwise_of(function, f)) == 2;
  if (twice && plain_ && !is_stated(function, f)) return image_of_twice(function, f, max, operands[0]);
  if (twice) return image(function, f, max, {operands[0], operands[0]});
  if (is_stated(function, f)) {
    require(operands.size() == operands_of(pointwise_of(function, f)), "another number of operands");
    return operands.size() == 1 ? stated(function, f, operands[0]) : all_of(f);
  }
  if (plain_) return image_of(function, f, max, operands);
  if (!f.is_float) {
    CodeRanges out = image_of(function, f, max, operands);
    if (!mode_.saturate) return out;
    const bool one = std::ranges::all_of(operands, is_one);
    const Code a = one ? operands[0][0].first : 0, b = one ? operands.back()[0].first : 0;
    if (one && function == "add") return {{added(f, a, b, mode_), added(f, a, b, mode_)}};
    if (one && (function == "mul" || function == "square"))
      return {{multiplied(f, a, b, mode_), multiplied(f, a, b, mode_)}};
    const Results all = anything(f);
    return united(united(std::move(out), numbers(f, all.low, all.low)), numbers(f, all.high, all.high));
  }
  std::vector<CodeRanges> read = operands;
  if (mode_.flush_operands)
    for (CodeRanges& set : read) set = flushed(f, std::move(set));
  const bool rounded =
      mode_.rounding != Mode::Rounding::NearestEven && std::ranges::find(kRounded, function) != kRounded.end();
  if (!rounded) return flushed(f, image_of(function, f, max, read));
  CodeRanges out;
  const auto add = [&](std::vector<CodeRanges> sets, bool exact) {
    if (std::ranges::any_of(sets, &CodeRanges::empty)) return;
    CodeRanges made = image_of(function, f, max, sets);
    out = united(std::move(out), exact ? std::move(made) : neighbours(f, made));
  };
  std::vector<CodeRanges> inexact = read;
  for (std::size_t i = 0; i < read.size(); ++i) {
    std::vector<CodeRanges> exact = read;
    exact[i] = shared(read[i], outside(f, plain_numbers(f)));
    inexact[i] = shared(read[i], plain_numbers(f));
    add(std::move(exact), true);
  }
  const bool single = std::ranges::all_of(inexact, is_one);
  const Code a = single ? inexact[0][0].first : 0, b = single ? inexact.back()[0].first : 0;
  const auto compute = [&](Code code) {
    out = united(std::move(out), f.nan(code) ? ranges_of(f, {1, 0, true, false}) : CodeRanges{{code, code}});
  };
  if (single && function == "add") compute(added(f, a, b, mode_));
  else if (single && function == "sub") compute(added(f, a, b ^ f.sign(), mode_));
  else if (single && (function == "mul" || function == "square")) compute(multiplied(f, a, b, mode_));
  else add(std::move(inexact), false);
  return flushed(f, std::move(out));
}

CodeRanges ChainMode::conversion(const Format& from, const Format& to, const CodeRanges& set) const {
  if (to_nearest_ || !to.is_float || &from == &to) return image_of_conversion(from, to, set);
  if (!from.is_float) return neighbours(to, image_of_conversion(from, to, set));
  const CodeRanges inexact = shared(set, plain_numbers(from)), exact = shared(set, outside(from, plain_numbers(from)));
  CodeRanges out = exact.empty() ? CodeRanges{} : image_of_conversion(from, to, exact);
  return inexact.empty() ? out : united(std::move(out), neighbours(to, image_of_conversion(from, to, inexact)));
}

}  // namespace vl::values_kernel
