#include "verifier/values_kernel/images.h"

#include <algorithm>
#include <array>
#include <span>

#include "verifier/values_kernel/code_ranges.h"
#include "verifier/values_kernel/functions.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

__extension__ using Long = __int128;

constexpr Code kMostStored = 4096;
constexpr std::size_t kMostOfClass = 8, kMostGathered = 1 << 12;

using Range = std::pair<Code, Code>;

// Numbers whose codes go up, or a kind of NaN.
struct Piece {
  Code first = 0, last = 0;
  bool nan = false;

  [[nodiscard]] bool single() const { return first == last || nan; }
};

CodeRanges quiet_nans(const Format& f) {
  if (!f.is_float) return {};
  if (f.one_zero) return {{f.sign(), f.sign()}};
  const Code quiet = f.infinities ? (f.first_nan - 1) | Code{1} << (f.fraction - 1) : f.first_nan;
  return {{quiet, f.sign() - 1}, {f.sign() | quiet, f.mask()}};
}
CodeRanges signalling_nans(const Format& f) {
  if (!f.is_float || !f.infinities) return {};
  const Code last = ((f.first_nan - 1) | Code{1} << (f.fraction - 1)) - 1;
  return {{f.first_nan, last}, {f.sign() | f.first_nan, f.sign() | last}};
}

// All codes, cut at zeros, the ends, NaN and, if asked, ones.
std::vector<Piece> classes_of(const Format& f, bool ones) {
  std::vector<Piece> out{{0, 0}};
  if (!f.is_float && !f.is_signed) return {{0, 0}, {1, f.mask()}};
  if (!f.is_float) return {{0, 0}, {1, f.sign() - 1}, {f.sign(), f.sign()}, {f.sign() + 1, f.mask()}};
  const Code end = f.one_zero ? f.sign() - 1 : f.first_nan - 1;  // an infinity, or the greatest number
  for (const Code sign : {Code{0}, f.sign()}) {
    if (sign != 0 && !f.one_zero) out.push_back({sign, sign});
    if (!ones) out.push_back({sign | 1, sign | (end - 1)});
    else
      for (const auto& [from, to] : {Range{1, f.one() - 1}, Range{f.one(), f.one()}, Range{f.one() + 1, end - 1}})
        out.push_back({sign | from, sign | to});
    out.push_back({sign | end, sign | end});
  }
  for (const auto& nans : {quiet_nans(f), signalling_nans(f)})
    for (const auto& [from, to] : nans) out.push_back({from, to, true});
  return out;
}

// Of more than kMostOfClass intervals of a class the hull is taken.
std::vector<Piece> pieces_of(const Format& f, const Codes& set, bool ones) {
  charge(16 * (set.ranges().size() + 1));
  std::vector<Piece> out;
  for (const Piece& of : classes_of(f, ones)) {
    const std::size_t before = out.size();
    for (const auto& [first, last] : set.ranges()) {
      const Code from = std::max(first, of.first), to = std::min(last, of.last);
      if (from <= to) out.push_back({from, to, of.nan});
      if (from <= to && of.nan) break;
    }
    if (out.size() - before <= kMostOfClass) continue;
    out[before].last = out.back().last;
    out.resize(before + 1);
  }
  return out;
}

// Calls `visit` with every range of codes of the results; false as soon as it is.
bool each_range(const Format& f, const Results& of, const auto& visit) {
  if (of.has_numbers() && of.high >= 0 &&
      !visit(static_cast<Code>(std::max<std::int64_t>(of.low, 0)), static_cast<Code>(of.high)))
    return false;
  if (of.has_numbers() && of.low < 0) {
    const std::int64_t high = std::min<std::int64_t>(of.high, -1);
    if (!f.is_float) {
      if (!visit(static_cast<Code>(of.low) & f.mask(), static_cast<Code>(high) & f.mask())) return false;
    } else {  // magnitudes; a format with one zero has no -0
      const auto least = std::max<std::int64_t>(-1 - high, f.one_zero ? 1 : 0);
      if (least <= -1 - of.low &&
          !visit(f.sign() | static_cast<Code>(least), f.sign() | static_cast<Code>(-1 - of.low)))
        return false;
    }
  }
  const auto all = [&](const CodeRanges& ranges) {
    return std::ranges::all_of(ranges, [&](const Range& range) { return visit(range.first, range.second); });
  };
  return (!of.quiet && !of.signalling) || (all(quiet_nans(f)) && (!of.signalling || all(signalling_nans(f))));
}

// Ranges that are made normal as often as they have doubled.
struct Gathered {
  CodeRanges ranges = {};
  std::size_t most = kMostGathered;

  void add(const CodeRanges& more) {
    ranges.insert(ranges.end(), more.begin(), more.end());
    if (ranges.size() > most) ranges = normal(std::move(ranges)), most = std::max(kMostGathered, 2 * ranges.size());
  }
};

class Image {
 public:
  explicit Image(const ImageText& said)
      : Image(said.function, format_of(said.type), said.max, said.operands, kMostChoices, nullptr) {
    target_.emplace(f_, said.results);
  }
  // `most`: choices that are evaluated one by one. `gathered`: where results go, else they have to be in the target.
  template <class Ranges>
  Image(const std::string& function, const Format& format, const std::string& max, const std::vector<Ranges>& operands,
        Code most, Gathered* gathered)
      : f_(format), function_(pointwise_of(function, f_)), rule_(max_rule_of(max)), gathered_(gathered), most_(most) {
    require(operands.size() == operands_of(function_), "operands of another function");
    for (const Ranges& ranges : operands) {
      require(!ranges.empty(), "a set without codes");
      operands_.emplace_back(f_, ranges);
    }
  }

  void prove() const {
    if (operands_.size() == 3) return select();
    Code choices = 1;
    for (const Codes& set : operands_) choices = std::min(set.count(), most_ + 1) * choices;
    if (choices <= most_) return each_choice();
    if (operands_.size() == 1) {
      for (const Piece& piece : pieces_of(f_, operands_[0], true)) lies_within(over(piece));
      return;
    }
    if (!f_.is_float && wraps()) return;
    const auto first = pieces_of(f_, operands_[0], false), second = pieces_of(f_, operands_[1], false);
    charge(first.size() * second.size());
    for (const Piece& a : first)
      for (const Piece& b : second) lies_within(over(a, b));
  }

  void refute(const std::vector<std::string>& texts) const {
    require(texts.size() == operands_.size(), "operands of another function");
    std::vector<Code> codes;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      codes.push_back(code_of(texts[i]));
      require(operands_[i].has(codes[i]), "an operand of another set");
    }
    if (codes.size() == 3) return require(!target_->has(f_.zero(codes[0]) ? codes[2] : codes[1]), "a result within");
    const Results found = codes.size() == 1 ? at(codes[0]) : at(codes[0], codes[1]);
    require(each_range(f_, found, [&](Code first, Code last) { return !target_->meets(first, last); }),
            "a result that may be within");
  }

 private:
  [[nodiscard]] Results at(Code x) const { return results(function_, f_, rule_, x); }
  [[nodiscard]] Results at(Code a, Code b) const { return results(function_, f_, rule_, a, b); }
  void lies_within(const Results& found) const {
    if (gathered_ != nullptr) return covers(ranges_of(f_, found));
    require(each_range(f_, found, [&](Code first, Code last) { return target_->covers(first, last); }),
            "a result outside of the set");
  }
  void covers(const CodeRanges& ranges) const {
    if (gathered_ != nullptr) {
      return gathered_->add(ranges);
    }
    for (const auto& [first, last] : ranges) require(target_->covers(first, last), "a result outside of the set");
  }

  void each_choice() const {
    operands_[0].for_each([&](Code a) {
      if (operands_.size() == 1) return lies_within(at(a));
      operands_[1].for_each([&](Code b) { lies_within(at(a, b)); });
    });
  }

  // Codes as they are.
  void select() const {
    const Codes& condition = operands_[0];
    const bool zero = condition.has(0) || condition.has_minus_zero();
    if (!condition.only_zeros()) covers(operands_[1].ranges());
    if (zero) covers(operands_[2].ranges());
  }

  // A corner of a box of numbers. Past the greatest number of a format without infinity a result is NaN, and what lies
  // between is not: its place is the end.
  [[nodiscard]] Results corner(Pointwise function, Code a, Code b) const {
    const Results out = results(function, f_, rule_, a, b);
    const bool adds = function == Pointwise::Add || function == Pointwise::Sub;
    const bool past = adds || function == Pointwise::Mul || (function == Pointwise::Div && !f_.zero(b));
    if (!past || out.has_numbers() || f_.infinities || f_.nan(a) || f_.nan(b)) return out;
    const bool other = f_.negative(b) != (function == Pointwise::Sub), all = adds ? other : f_.negative(a) != other;
    const std::int64_t end = all ? anything(f_).low : anything(f_).high;
    return {end, end, true, false};
  }

  // Between two ends, of which one may be NaN for a reason that is not known.
  [[nodiscard]] Results between(const Results& a, const Results& b) const {
    return a.has_numbers() == b.has_numbers() ? hull_of(a, b) : anything(f_);
  }

  [[nodiscard]] Results over(const Piece& piece) const {
    if (piece.single()) return at(piece.first);
    const std::int64_t one = f_.place(f_.one());
    if (function_ == Pointwise::Frac && f_.is_float && f_.magnitude(piece.first) > f_.magnitude(f_.one()))
      return f_.negative(piece.first) ? Results{-one, 0, false, false} : Results{0, one - 1, false, false};
    if (function_ == Pointwise::Square && !f_.is_float) {
      const auto size = [&](Code code) { return Long{f_.place(code)} * f_.place(code); };
      if (std::max(size(piece.first), size(piece.last)) > anything(f_).high) return anything(f_);
    }
    if (function_ == Pointwise::Square)
      return between(corner(Pointwise::Mul, piece.first, piece.first), corner(Pointwise::Mul, piece.last, piece.last));
    return between(at(piece.first), at(piece.last));
  }

  [[nodiscard]] Results over(const Piece& a, const Piece& b) const {
    if (a.single() && b.single()) return at(a.first, b.first);
    const bool numbers = !a.nan && !b.nan;
    const auto below = [&](Code x, Code y) { return f_.place(x) <= f_.place(y); };
    const auto low = [&](const Piece& p) { return below(p.first, p.last) ? p.first : p.last; };
    const auto high = [&](const Piece& p) { return below(p.first, p.last) ? p.last : p.first; };
    const bool equals = function_ == Pointwise::Eq || function_ == Pointwise::Ne;
    if (equals && numbers && below(low(a), high(b)) && below(low(b), high(a)))
      return {0, f_.place(f_.one()), false, false};
    if (function_ == Pointwise::Pow && f_.is_float) return power(a, b);
    const Code a2 = a.nan ? a.first : a.last, b2 = b.nan ? b.first : b.last;
    Results out = corner(function_, a.first, b.first);
    for (const auto& [x, y] : {Range{a.first, b2}, Range{a2, b.first}, Range{a2, b2}})
      out = between(out, corner(function_, x, y));
    return out;
  }

  // x^0 = 1^y = 1, and x^1 = x.
  [[nodiscard]] Results power(const Piece& a, const Piece& b) const {
    if ((b.single() && f_.zero(b.first)) || (a.single() && a.first == f_.one())) return at(a.first, b.first);
    if (b.single() && b.first == f_.one()) return hull_of(at(a.first, b.first), at(a.last, b.first));
    return anything(f_);
  }

  // Integers whose results may wrap, or are made of bits: whether this is one of them, and it holds.
  [[nodiscard]] bool wraps() const {
    const auto is = [&](auto... any) { return ((function_ == any) || ...); };
    if (!is(Pointwise::Add, Pointwise::Sub, Pointwise::Mul, Pointwise::And, Pointwise::Or, Pointwise::Xor))
      return false;
    if (is(Pointwise::Mul)) return products(), true;
    if (is(Pointwise::Add, Pointwise::Sub)) return sums(), true;
    const bool no_first = operands_[0].only_zeros(), no_second = operands_[1].only_zeros();
    if (is(Pointwise::And) && (no_first || no_second)) return covers({{0, 0}}), true;
    if (!is(Pointwise::And) && no_first) return covers(operands_[1].ranges()), true;
    if (!is(Pointwise::And) && no_second) return covers(operands_[0].ranges()), true;
    return lies_within(anything(f_)), true;
  }

  void sums() const {
    for (const auto& [first, last] : operands_[0].ranges())
      for (const auto& [other, end] : operands_[1].ranges()) {
        const Code from = function_ == Pointwise::Add ? first + other : first - end;
        const Code more = end - other;
        if (last - first >= f_.mask() - more) return covers({{0, f_.mask()}});
        const Code low = from & f_.mask(), high = (low + (last - first) + more) & f_.mask();
        if (low <= high) covers({{low, high}});
        else covers({{low, f_.mask()}, {0, high}});
      }
  }

  void products() const {
    const Results all = anything(f_);
    for (const Piece& a : pieces_of(f_, operands_[0], false))
      for (const Piece& b : pieces_of(f_, operands_[1], false)) {
        if (a.single() && b.single()) {
          lies_within(at(a.first, b.first));
          continue;
        }
        std::array<Long, 4> corners{};
        std::size_t next = 0;
        for (const Code x : {a.first, a.last})
          for (const Code y : {b.first, b.last}) corners.at(next++) = Long{f_.place(x)} * f_.place(y);
        const auto [low, high] = std::ranges::minmax(corners);
        if (low < all.low || high > all.high) return lies_within(all);
        lies_within({static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), false, false});
      }
  }

  const Format& f_;
  Pointwise function_;
  MaxRule rule_;
  std::optional<Codes> target_;
  Gathered* gathered_;
  Code most_;
  std::vector<Codes> operands_;
};

}  // namespace

void check_images(bool refuted, const std::vector<ImageText>& images, Evidence& evidence) {
  require(images.size() == 1 || (!refuted && !images.empty()), "no image, or more than one");
  if (refuted) return Image(images.front()).refute(take(evidence.elements));
  for (const ImageText& said : images) Image(said).prove();
}

void check_storing(const StoringText& said) {
  const Format& wide = format_of("f64");
  require(said.values.has_value() != said.codes.has_value(), "neither values nor codes, or both");
  if (said.type.starts_with("bfp")) {
    require(said.values.has_value(), "codes of a block float");
    const Codes values(wide, *said.values);
    return require(!values.empty() && values.only_zeros(), "a value that is no zero");
  }
  const Format& type = format_of(said.type);
  if (said.codes) return require(!Codes(type, *said.codes).empty(), "no codes");
  const Codes values(wide, *said.values);
  require(!values.empty() && values.count() <= kMostStored, "no values, or too many");
  require(type.is_float, "numbers of another kind");
  values.for_each([&](Code value) {
    const Code stored = converted(wide, type, value);
    const bool kept = wide.nan(value) ? type.nan(stored) : converted(type, wide, stored) == value;
    require(kept, "a value that is no code");
  });
}

CodeRanges normal(CodeRanges ranges) {
  charge_sorting(ranges.size());
  std::ranges::sort(ranges);
  CodeRanges out;
  for (const Range& range : ranges) {
    if (!out.empty() && (range.first <= out.back().second || range.first == out.back().second + 1))
      out.back().second = std::max(out.back().second, range.second);
    else out.push_back(range);
  }
  return out;
}

ReductionText::Ranges texts_of(const CodeRanges& ranges) {
  charge(8 * ranges.size());
  const auto text = [](Code code) {
    std::string out;
    do out.insert(out.begin(), "0123456789ABCDEF"[code % 16]);
    while ((code /= 16) != 0);
    return "0x" + out;
  };
  ReductionText::Ranges out;
  for (const auto& [first, last] : ranges) out.emplace_back(text(first), text(last));
  return out;
}

CodeRanges ranges_of(const Format& format, const Results& results) {
  CodeRanges out;
  each_range(format, results, [&](Code first, Code last) { return out.emplace_back(first, last), true; });
  return out;
}

CodeRanges image_of(const std::string& function, const Format& format, const std::string& max,
                    const std::vector<CodeRanges>& operands, Code most) {
  Gathered out;
  Image(function, format, max, operands, most, &out).prove();
  return normal(std::move(out.ranges));
}

CodeRanges image_of_conversion(const Format& from, const Format& to, const CodeRanges& set, Code most) {
  if (from.name == to.name) return set;
  const Codes codes(from, set);
  Gathered out;
  const auto take = [&](const Results& results) { out.add(ranges_of(to, results)); };
  const auto only = [&](Code code) {
    const auto cast = cast_to(from, to, code);
    if (!cast) return anything(to);
    const Code result = *cast;
    if (to.nan(result)) return Results{1, 0, true, to.signalling(result)};
    return Results{to.place(result), to.place(result), false, false};
  };
  if (codes.count() <= most) {
    codes.for_each([&](Code code) { take(only(code)); });
  } else if (!to.is_float && !from.is_float && to.bits > 1) {
    take(anything(to));
  } else {
    for (const Piece& piece : pieces_of(from, codes, false)) {
      Results low = only(piece.first), high = only(piece.last);
      // What is past the greatest number of a format without infinity is NaN: of one end alone its place is that.
      const Code past = high.has_numbers() ? piece.first : piece.last;
      const std::int64_t end = from.negative(past) ? anything(to).low : anything(to).high;
      if (low.has_numbers() != high.has_numbers()) low = hull_of(low, high), high = {end, end, true, false};
      take(hull_of(low, high));
    }
  }
  return normal(std::move(out.ranges));
}

}  // namespace vl::values_kernel
