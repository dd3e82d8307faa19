#include "verifier/values_kernel/reductions.h"

#include <algorithm>

#include "verifier/values_kernel/code_ranges.h"
#include "verifier/values_kernel/lemmas/book.h"
#include "verifier/values_kernel/row_values.h"
#include "verifier/values_kernel/rows.h"

namespace vl::values_kernel {
namespace {

constexpr Code kMostPairs = kMostCodes;

// The words of a statement.
struct Reduction {
  const ReductionText& said;
  const Format &type, &wide;
  Codes contents, fill;
  std::optional<Codes> other = {};
  Mode mode = {};

  explicit Reduction(const ReductionText& text)
      : said(text),
        type(format_of(text.type)),
        wide(format_of(text.accumulate)),
        contents(type, text.contents),
        fill(type, text.fill) {
    const auto one_of = [](const std::string& word, std::initializer_list<const char*> words) {
      require(std::ranges::find(words, word) != words.end(), "a word that is not known");
    };
    one_of(text.operation, {"sum", "prod", "max", "min", "any", "all", "sumsq", "dot"});
    one_of(text.start, {"first", "+0", "-0"});
    require(text.start != "-0" || (wide.is_float && !wide.one_zero), "a start that is no code");
    take_mode();
    one_of(text.order, {"any", "seq"});
    one_of(text.max, {"nan-wins", "nan-loses", "x86"});
    one_of(text.equal, {"bits", "any-nan", "any-nan+zero"});
    require(text.start == "first" || adds(), "a start of what adds nothing");
    require(!text.fused || squares(), "products where there are none");
    require((text.operation == "dot") == text.other.has_value(), "pairs where there are none");
    require(!text.row, "rules of a row");
    if (text.other) other.emplace(type, *text.other);
    require(!contents.empty() && (!other || !other->empty()), "a set without codes");
    if (logical()) require(type.name == wide.name, "truth values of another type");
    static_cast<void>(widened(type, wide, 0));
  }

  void take_mode() {
    const auto word = [](const std::optional<std::string>& given, const char* otherwise) {
      return given ? *given : std::string(otherwise);
    };
    const std::string rounding = word(said.rounding, "nearest-even"), flush = word(said.flush, "none");
    const std::string integers = word(said.integers, "wrap");
    if (rounding == "nearest-away") mode.rounding = Mode::Rounding::NearestAway;
    else if (rounding == "toward-zero") mode.rounding = Mode::Rounding::TowardZero;
    else require(rounding == "nearest-even", "a word that is not known");
    mode.flush_operands = flush == "both";
    mode.flush_results = flush == "results" || flush == "both";
    require(mode.flush_results || flush == "none", "a word that is not known");
    mode.saturate = integers == "saturate";
    require(mode.saturate || integers == "wrap", "a word that is not known");
    // Whether an operation that compares flushes is not stated.
    require(!mode.flush_operands || adds() || is("prod"), "a comparison of what may be flushed");
  }

  [[nodiscard]] bool is(const char* operation) const { return said.operation == operation; }
  [[nodiscard]] bool squares() const { return is("sumsq") || is("dot"); }
  [[nodiscard]] bool adds() const { return is("sum") || squares(); }
  [[nodiscard]] bool logical() const { return is("any") || is("all"); }
  /// A leaf of the contents may be a signalling NaN: a conversion, and a product, make it quiet.
  [[nodiscard]] bool signals() const {
    return wide.is_float && !squares() && !logical() && type.name == wide.name && contents.has_signalling();
  }
  /// An element that is a subnormal number of the accumulator; these are the least magnitudes of the type.
  [[nodiscard]] bool has_subnormal_leaf() const {
    if (!wide.is_float || !wide.subnormals) return false;
    Code low = 0, high = type.sign();  // subnormal, or 0; and not
    while (high - low > 1) {
      const Code middle = low + (high - low) / 2;
      const bool small = !type.nan(middle) && !type.infinite(middle) && exponent_of(wide, wide_of(middle)) == 0;
      (small ? low : high) = middle;
    }
    return low > 0 && (contents.meets(1, low) || contents.meets(type.sign() | 1, type.sign() | low));
  }
  [[nodiscard]] bool exact_zero() const { return said.equal != "any-nan+zero"; }

  /// No product is smaller than the least number of the accumulator, unless it is 0.
  [[nodiscard]] bool products_exact() const {
    const auto least = [](const Format& f) { return (f.subnormals ? 1 : 0) - f.bias - static_cast<int>(f.fraction); };
    return wide.subnormals && least(wide) <= 2 * least(type);
  }

  [[nodiscard]] Code wide_of(Code code) const { return widened(type, wide, code); }
  [[nodiscard]] Code leaf(Code a, Code b) const {
    if (logical()) return type.zero(a) ? 0 : 1;
    return squares() ? multiplied(wide, wide_of(a), wide_of(is("dot") ? b : a), mode) : wide_of(a);
  }
  [[nodiscard]] MaxRule rule() const { return max_rule_of(said.max); }
  [[nodiscard]] Code node(Code a, Code b) const {
    if (adds()) return added(wide, a, b, mode);
    if (is("prod")) return multiplied(wide, a, b, mode);
    if (logical()) return is("any") ? a | b : a & b;
    return extreme(wide, rule(), is("max"), a, b);
  }
  [[nodiscard]] bool same(Code a, Code b) const {
    if (a == b) return true;
    if (logical() || said.equal == "bits") return false;
    return (wide.nan(a) && wide.nan(b)) || (!exact_zero() && wide.zero(a) && wide.zero(b));
  }
};

// The law of the book of lemmas that shows the rest.
void rests_on(const Reduction& about, const std::string& law) {
  const std::string& wide = about.wide.name;
  const bool of_products = law.starts_with("fused/start/0/exact/");
  require(has_law(about.logical() ? "u8" : wide,
                  of_products       ? about.type.name
                  : about.logical() ? "u8"
                                    : wide,
                  law),
          "a law that is not in the book of lemmas");
}

// Equality as the laws name it: a format with one zero has no two of them.
std::string equality(const Reduction& about) {
  if (!about.wide.is_float || about.logical()) return "bits";
  return about.wide.one_zero && !about.exact_zero() ? "any-nan" : about.said.equal;
}

// The book's laws are about rounding to nearest even, nothing flushed, integers that wrap and a start that is none or
// +0. The others: an exact result is the same however it is rounded, and x + 0, x·1 and sums at the lower end of a
// format with subnormal numbers are exact. An integer plus 0 or times 1 is in range. Where results are flushed no
// partial result is subnormal, unless it is an element alone; then the facts about x + 0 and x·1 hold as they are, and
// a sum of numbers without a sign is not -0. A sum of two signs may be flushed to -0. A start -0 is one more element.
void holds_in_mode(const Reduction& about, const std::string& law) {
  const auto ends = [&](const char* part) { return law.find(part) != std::string::npos; };
  const bool keeps = ends("sum/-0/") || ends("/first/-0/") || ends("/start/-0/") || ends("any-nan+zero");
  if (about.said.start == "-0") require(keeps, "a start -0 beside +0");
  if (!about.wide.is_float || !about.mode.flush_results) return;
  if (about.adds()) require(keeps || ends("/0/nonneg/") || ends("/0/square/"), "a sum that may be flushed to -0");
  if (about.is("sum") || about.is("prod")) require(!about.has_subnormal_leaf(), "an element that is flushed");
}

// The leaves of pads are zeros of the accumulator: of which signs.
struct Zeros {
  bool plus = false, minus = false;
};
Zeros zeros_of(const Reduction& about) {
  Zeros out;
  const auto take = [&](Code leaf) {
    require(about.wide.zero(leaf), "a pad that is no zero");
    (about.wide.negative(leaf) ? out.minus : out.plus) = true;
  };
  const bool dot = about.is("dot");
  const Codes& second = dot ? *about.other : about.fill;
  if (!about.squares()) {
    require(about.fill.only_zeros(), "a pad that is no zero");
    about.fill.for_each([&](Code code) { take(about.leaf(code, 0)); });
    return out;
  }
  const bool exact = about.fill.only_zeros() || (dot && second.only_zeros());
  if (exact && about.fill.only_finite() && second.only_finite()) {
    if (!dot) return {true, false};
    const bool a = about.fill.has_nonnegative(), b = second.has_nonnegative();
    const bool c = about.fill.has_negative(), d = second.has_negative();
    return {(a && b) || (c && d) || about.wide.one_zero, (a && d) || (c && b)};
  }
  require(!about.said.fused, "a product of pads that is not zero");
  require(about.fill.count() <= kMostPairs && (!dot || second.count() <= kMostPairs / about.fill.count()),
          "too many pads to multiply");
  if (!dot) about.fill.for_each([&](Code a) { take(about.leaf(a, a)); });
  else about.fill.for_each([&](Code a) { second.for_each([&](Code b) { take(about.leaf(a, b)); }); });
  return out;
}

// The law by which zeros are neutral for a sum of floats.
std::string law_of_sum(const Reduction& about, const Zeros& pads) {
  const Format& wide = about.wide;
  const std::string equal = equality(about);
  const bool starts = about.said.start == "+0", fused = about.said.fused;
  const std::string sum = !fused ? "sum/" : starts ? "fused/start/" : "fused/first/";
  if (wide.one_zero) return sum + "0/" + equal;
  // A signalling NaN is quiet once it is added to the start.
  if (about.signals() && starts && equal == "bits") return sum + "0/start/bits";
  if (!pads.plus) return sum + "-0/" + equal;
  if (!about.exact_zero()) return sum + "0/any-nan+zero";
  const bool positive = !about.contents.has_negative(), negative = !about.contents.has_nonnegative();
  if (about.is("sumsq")) return sum + (fused ? "0/square/" : "0/nonneg/") + equal;
  if (positive || (about.is("dot") && negative))
    return sum + (fused && !positive ? "0/negative/" : "0/nonneg/") + equal;
  // A sum of two signs, or a product, may be too small for a code, and is -0 then.
  require(wide.subnormals && (!fused || about.products_exact()), "a partial result that may be -0, beside +0");
  if (starts) return sum + (fused ? "0/exact/" : "0/start/") + equal;
  require(about.is("sum") && !about.contents.has_minus_zero(), "a partial result that may be -0, beside +0");
  return sum + "0/no-minus-zero/" + equal;
}

void check_sum(const Reduction& about) {
  if (!about.wide.is_float) {
    if (about.is("sum")) require(about.fill.only_zeros(), "a pad that is not 0");
    else static_cast<void>(zeros_of(about));
    return rests_on(about, "sum/0/bits");
  }
  const std::string law = law_of_sum(about, zeros_of(about));
  holds_in_mode(about, law);
  rests_on(about, law);
}

void check_extreme(const Reduction& about) {
  const bool max = about.is("max"), wins = about.said.max == "nan-wins";
  const std::string law = about.said.operation + "/" + (about.wide.is_float ? about.said.max + "/" : "");
  if (about.wide.is_float) {
    const bool loses = about.said.max == "nan-loses";
    if (about.contents.has_nan() && !wins) {
      require(loses && about.fill.only_nans() && about.said.equal != "bits", "a number that replaces a NaN");
      return rests_on(about, about.said.operation + "/nan/" + equality(about));
    }
    require(loses || !about.fill.has_nan(), "a NaN among the pads");
  }
  const auto numbers = about.contents.extremes(), pads = about.fill.extremes();
  if (!numbers.empty() && !pads.empty()) {
    const std::int64_t edge = max ? numbers.front() : numbers.back(), pad = max ? pads.back() : pads.front();
    const bool both = about.wide.is_float && (edge == 0 || edge == -1) && (pad == 0 || pad == -1);
    if (both && !about.exact_zero() && !about.wide.one_zero) return rests_on(about, law + "zero");
    require(!both || about.wide.one_zero || about.said.max != "x86", "of two zeros the second one is the result");
    require(max ? pad <= edge : pad >= edge, "a pad beyond a number of the contents");
  }
  rests_on(about, law + (equality(about) == "bits" ? "bits" : "any-nan"));
}

void check_proved(const Reduction& about) {
  require(!about.said.fused || about.said.order == "seq", "fused products out of order");
  // With a start each element is added to something in the reference, too.
  const bool quiets = about.said.equal == "bits" && about.said.start != "+0" && about.signals();
  require(!quiets, "a signalling NaN that becomes quiet");
  if (about.adds()) return check_sum(about);
  if (about.is("max") || about.is("min")) return check_extreme(about);
  if (about.is("any")) require(about.fill.only_zeros(), "a pad that is true");
  if (about.is("all")) require(!about.fill.has(0) && !about.fill.has_minus_zero(), "a pad that is false");
  if (about.logical()) return rests_on(about, about.said.operation + "/bits");
  about.fill.for_each([&](Code code) { require(code == about.type.one(), "a pad that is not 1"); });
  holds_in_mode(about, "prod/1/" + equality(about));
  rests_on(about, "prod/1/" + equality(about));
}

// A part of a tree: nothing where pads were cut out. A term is no code yet, because a fused node takes both its parts.
struct Part {
  std::optional<Code> value;
  std::optional<std::pair<Code, Code>> term;
};

class Tree {
 public:
  Tree(const Reduction& about, const EvaluationText& said, bool with_pads)
      : about_(about), said_(said), with_pads_(with_pads) {}

  Code value() {
    require(said_.shape.size() <= 64, "a tree that is too large");
    for (const char sign : said_.shape) {
      if (sign == '+') join();
      else push(sign);
    }
    require(stack_.size() == 1 && valid_ == said_.valid.size() && pads_ == said_.pads.size() && valid_ > 0,
            "a shape that is no tree of the terms");
    require(starts_ == (about_.said.start == "first" ? 0U : 1U), "a start where there is none, or the other way round");
    const auto out = code(stack_.front());
    require(out.has_value(), "an evaluation without terms");
    return *out;
  }

 private:
  void push(char sign) {
    if (sign == 's') {
      require(in_trees() || stack_.empty(), "a start that is not first");
      ++starts_;
      return stack_.push_back({about_.said.start == "-0" ? about_.wide.sign() : Code{0}, {}});
    }
    require(sign == 'c' || sign == 'p', "a shape of other letters");
    const bool valid = sign == 'c';
    std::size_t& at = valid ? valid_ : pads_;
    const auto& terms = valid ? said_.valid : said_.pads;
    require(at < terms.size(), "more leaves than terms");
    const Code a = code_of(terms[at].first), b = code_of(terms[at].second);
    ++at;
    const Codes& first = valid ? about_.contents : about_.fill;
    const Codes& second = valid || !about_.other ? first : *about_.other;
    require(first.has(a) && (about_.is("dot") ? second.has(b) : b == 0), "a term of other codes");
    if (!valid && !with_pads_) return stack_.push_back({});
    stack_.push_back({{}, std::pair(a, b)});
  }
  [[nodiscard]] std::optional<Code> code(const Part& part) const {
    return part.term ? std::optional(about_.leaf(part.term->first, part.term->second)) : part.value;
  }
  // Fused evaluations are shown from left to right, which are some of those of any order.
  [[nodiscard]] bool in_trees() const { return about_.said.order == "any" && !about_.said.fused; }

  void join() {
    require(stack_.size() >= 2, "a shape that is no tree");
    require(in_trees() || stack_.size() == 2, "a tree out of order");
    const Part right = stack_.back();
    stack_.pop_back();
    Part& left = stack_.back();
    const auto a = code(left);
    if (!a) {
      left = right;
      return;
    }
    if (about_.said.fused && right.term) {
      const auto& [x, y] = *right.term;
      left = {fused(about_.wide, about_.wide_of(x), about_.wide_of(about_.is("dot") ? y : x), *a, about_.mode), {}};
    } else if (const auto b = code(right)) {
      left = {about_.node(*a, *b), {}};
    } else {
      left = {*a, {}};
    }
  }

  const Reduction& about_;
  const EvaluationText& said_;
  bool with_pads_;
  std::vector<Part> stack_;
  std::size_t valid_ = 0, pads_ = 0, starts_ = 0;
};

// Whether a row of one element and the pad has another result than the element, in one of the trees of such a row.
bool changes(const Reduction& about, Code element, Code pad) {
  const auto after = [&](Code accumulator, Code term) {
    if (!about.said.fused) return about.node(accumulator, about.leaf(term, 0));
    return fused(about.wide, about.wide_of(term), about.wide_of(term), accumulator, about.mode);
  };
  const Code e = about.leaf(element, 0), p = about.leaf(pad, 0);
  if (about.said.start == "first") return !about.same(after(e, pad), e) || !about.same(after(p, element), e);
  require(about.said.start == "+0", "a largest fill of another start");
  const Code want = after(0, element);
  if (about.said.order == "any" && !about.said.fused &&
      (!about.same(about.node(0, about.node(e, p)), want) || !about.same(about.node(0, about.node(p, e)), want)))
    return true;
  return !about.same(after(want, pad), want) || !about.same(after(after(0, pad), element), want);
}

}  // namespace

void check_fills(const ReductionText& said, Evidence& evidence) {
  enter(__FILE__);
  if (is_row(said)) return check_fills_of_rows(said, evidence);
  const Reduction about(said);
  require(about.type.bits <= 16 && !about.is("dot"), "codes that are too many to look at");
  if (!about.fill.empty()) check_proved(about);
  std::vector<Code> elements;
  for (const std::string& text : take(evidence.elements)) {
    elements.push_back(code_of(text));
    require(about.contents.has(elements.back()), "an element of other contents");
  }
  for (Code pad = 0; pad <= about.type.mask(); ++pad)
    require(about.fill.has(pad) ||
                std::ranges::any_of(elements, [&](Code element) { return changes(about, element, pad); }),
            "a code outside that changes none of these elements");
}

bool holds_elements(const ReductionText& said, std::size_t operand, const HeldText& held) {
  require(operand == 0 || (operand == 1 && said.other), "more operands than a reduction has");
  const Format& type = format_of(said.type);
  const Codes contents(type, said.contents), elements(type, held.elements),
      fill(type, operand == 0 ? said.fill : *said.other);
  require(!elements.empty(), "an operand that holds nothing");
  const auto within = [&](const Codes& outer) {
    return std::ranges::all_of(elements.ranges(),
                               [&](const auto& range) { return outer.covers(range.first, range.second); });
  };
  require(within(contents), "elements that are not among the contents");
  if (held.blocks) {
    require(*held.blocks == "bfp8" || *held.blocks == "bfp4" || *held.blocks == "bfp2", "blocks that are not known");
    require(type.name == "bf16" && fill.only_zeros() && !fill.has_minus_zero(), "a pad that changes its block");
  }
  return within(fill);
}

void check_neutral(bool refuted, const ReductionText& said, Evidence& evidence) {
  enter(__FILE__);
  if (is_row(said)) return check_row(refuted, said, evidence);
  const Reduction about(said);
  require(!about.fill.empty(), "a fill without codes");
  if (!refuted) return check_proved(about);
  const EvaluationText shown = take(evidence.evaluation);
  const Code got = Tree(about, shown, true).value(), want = Tree(about, shown, false).value();
  require(got == code_of(shown.got) && want == code_of(shown.want), "results of another evaluation");
  require(!about.same(got, want), "an evaluation that no pad changes");
}

}  // namespace vl::values_kernel
