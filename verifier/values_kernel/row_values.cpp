#include "verifier/values_kernel/row_values.h"

#include <algorithm>
#include <charconv>

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

using Known = std::optional<Code>;

struct RowItem {
  Code code = 0;
  bool pad = false;
  Code place = 0;
};
using RowItems = std::vector<RowItem>;

RowCodes row_codes(const Format& format, const std::vector<std::pair<std::string, std::string>>& ranges) {
  RowCodes out;
  for (const auto& [first, last] : ranges) {
    out.emplace_back(code_of(first), code_of(last));
    require(out.back().first <= out.back().second && out.back().second <= format.mask(), "a range of no codes");
    require(out.size() == 1 || out[out.size() - 2].second < out.back().first, "ranges that are not ascending");
  }
  return out;
}

Code opposite(const Format& f, Code code) {
  return f.one_zero && (code == 0 || code == f.sign()) ? code : code ^ f.sign();
}
Code minus(const Format& f, Code a, Code b) { return added(f, a, opposite(f, b)); }

Known exp_known(const Format& f, Code x) {
  if (f.nan(x)) return f.quiet(x);
  if (f.zero(x)) return f.one();
  return exp_is_zero(f, x) ? Known(0) : std::nullopt;
}
Known log_known(const Format& f, Code x) {
  if (f.nan(x)) return f.quiet(x);
  if (x == f.one()) return 0;
  if (x == 0 && f.infinities) return f.sign() | (f.first_nan - 1);
  return std::nullopt;
}

Code maximum_of(const Format& f, Code a, Code b) {
  if (f.nan(a) || f.nan(b)) return f.quiet(f.nan(a) ? a : b);
  return f.place(a) < f.place(b) ? b : a;
}

// The evaluation of one row.
class RowRun {
 public:
  RowRun(const RowQuestion& about, const RowShape& row, bool with_pads, bool everywhere)
      : about_(about), f_(about.wide), starts_(about.said.start == "+0"), everywhere_(everywhere) {
    std::size_t c = 0, p = 0;
    blocks_.emplace_back();
    for (const char sign : row.shape) {
      if (sign == '|') {
        if (!blocks_.back().empty()) blocks_.emplace_back();
        continue;
      }
      const bool pad = sign == 'p';
      require((sign == 'c' || pad) && (pad ? p < row.pads.size() : c < row.valid.size()), "a shape of other terms");
      const Code place = c + p, code = pad ? row.pads[p++] : row.valid[c++];
      if (pad && !with_pads) continue;
      blocks_.back().push_back({widened(about.type, about.wide, code), pad, place});
    }
    if (blocks_.back().empty()) blocks_.pop_back();
    require(c == row.valid.size() && p == row.pads.size() && c > 0, "a shape of other terms");
    valid_ = c;
    for (const RowItems& block : blocks_)
      for (const RowItem& item : block) all_.push_back(item);
    count_ = about.said.row->divide == "P" ? all_.size() : valid_;
  }

  std::vector<Known> results() {
    if (about_.orders()) return ordered();
    if (about_.is({"layernorm", "rmsnorm"})) return norm();
    if (about_.is({"variance"})) return {variance()};
    if (about_.is({"welford"})) return {welford()};
    if (about_.is({"softmax", "logsumexp"})) return exponentials();
    if (about_.is({"cumsum", "cumsum-reverse"})) return sums();
    return each_valid([](const RowItem& item) { return item.code; });
  }

 private:
  std::vector<Known> each_valid(const auto& result) const {
    std::vector<Known> out;
    for (const RowItem& item : all_)
      if (!item.pad || everywhere_) out.push_back(result(item));
    return out;
  }
  Code count() const { return ratio(f_, count_, 1); }
  Code total(const auto& term) const {
    Code sum = starts_ ? added(f_, 0, term(all_[0].code)) : term(all_[0].code);
    for (std::size_t i = 1; i < all_.size(); ++i) sum = added(f_, sum, term(all_[i].code));
    return sum;
  }
  Code mean() const {
    return divided(f_, total([](Code x) { return x; }), count());
  }

  std::vector<Known> norm() const {
    const bool centred = about_.is({"layernorm"});
    const Code m = centred ? mean() : 0;
    const Code squares = divided(f_, total([&](Code x) { return multiplied(f_, x, x); }), count());
    const Code spread = centred ? minus(f_, squares, multiplied(f_, m, m)) : squares;
    const Code scale = divided(f_, f_.one(), rooted(f_, added(f_, spread, ratio(f_, 1, 100'000))));
    return each_valid(
        [&](const RowItem& item) { return multiplied(f_, centred ? minus(f_, item.code, m) : item.code, scale); });
  }
  Code variance() const {
    const Code m = mean();
    return divided(f_, total([&](Code x) { return multiplied(f_, minus(f_, x, m), minus(f_, x, m)); }), count());
  }
  Code welford() const {
    Code m = 0, sum = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Code x = all_[i].code, d = minus(f_, x, m);
      m = added(f_, m, divided(f_, d, ratio(f_, i + 1, 1)));
      sum = added(f_, sum, multiplied(f_, d, minus(f_, x, m)));
    }
    return divided(f_, sum, count());
  }

  std::vector<Known> exponentials() const {
    const std::string& how = about_.said.row->blocks;
    const Code lowest = f_.sign() | (f_.first_nan - 1);  // -inf, of formats that have it
    Known sum = 0, maximum;
    Code from = 0;
    for (const RowItems& block : blocks_) {
      const Code before = maximum.value_or(lowest);
      for (const RowItem& item : block) maximum = maximum ? maximum_of(f_, *maximum, item.code) : item.code;
      from = how == "guarded" && f_.infinities && *maximum == lowest ? 0 : *maximum;
      Known part = exp_known(f_, minus(f_, block[0].code, from));
      if (starts_ && part) part = added(f_, 0, *part);
      for (std::size_t i = 1; i < block.size(); ++i) {
        const Known term = exp_known(f_, minus(f_, block[i].code, from));
        part = part && term ? Known(added(f_, *part, *term)) : std::nullopt;
      }
      const Known factor = how == "whole" ? Known(f_.one()) : exp_known(f_, minus(f_, before, from));
      if (how == "whole") sum = part;
      else sum = sum && factor && part ? Known(added(f_, multiplied(f_, *sum, *factor), *part)) : std::nullopt;
    }
    if (about_.is({"logsumexp"})) {
      const Known log = sum ? log_known(f_, *sum) : std::nullopt;
      return {log ? Known(added(f_, *maximum, *log)) : std::nullopt};
    }
    return each_valid([&](const RowItem& item) {
      const Known power = exp_known(f_, minus(f_, item.code, from));
      return power && sum ? Known(divided(f_, *power, *sum)) : std::nullopt;
    });
  }

  std::vector<Known> sums() const {
    RowItems row = all_;
    const bool reverse = about_.is({"cumsum-reverse"});
    if (reverse) std::ranges::reverse(row);
    std::vector<Known> out;
    Known sum = starts_ ? Known(0) : std::nullopt;
    for (const RowItem& item : row) {
      sum = sum ? added(f_, *sum, item.code) : item.code;
      if (!item.pad || everywhere_) out.push_back(sum);
    }
    if (reverse) std::ranges::reverse(out);
    return out;
  }

  // Picks the best of those that are left, again and again. Unspecified ties may go to the last one.
  std::vector<Known> ordered() const {
    std::size_t wanted = everywhere_ ? all_.size() : valid_;
    if (about_.is({"argmax", "argmin"})) wanted = 1;
    if (about_.is({"topk", "topk-indices"})) wanted = static_cast<std::size_t>(about_.said.row->k);
    require(everywhere_ || wanted <= valid_, "fewer elements than are taken");
    const bool last = about_.said.row->ties != "first";
    RowItems left = all_;
    std::vector<Known> out;
    for (; wanted > 0; --wanted) {
      charge(8 * left.size());
      std::size_t best = 0;
      for (std::size_t i = 1; i < left.size(); ++i) {
        const std::int64_t a = about_.rank(left[i].code), b = about_.rank(left[best].code);
        if (a > b || (a == b && last)) best = i;
      }
      out.emplace_back(about_.gives_places() ? left[best].place : left[best].code);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    return out;
  }

  const RowQuestion& about_;
  const Format& f_;
  bool starts_, everywhere_;
  std::vector<RowItems> blocks_;
  RowItems all_;
  std::size_t valid_ = 0, count_ = 0;
};

// A mean: the tree of a sum in postfix notation, and its quotient.
std::vector<Known> mean_of_tree(const RowQuestion& about, const RowShape& row, bool with_pads) {
  const Format& f = about.wide;
  std::vector<Known> stack;
  std::size_t c = 0, p = 0, starts = 0;
  for (const char sign : row.shape) {
    if (sign == 's') {
      require(about.said.order == "any" || stack.empty(), "a start that is not first");
      ++starts, stack.emplace_back(0);
    } else if (sign == 'c' && c < row.valid.size()) {
      stack.emplace_back(widened(about.type, f, row.valid[c++]));
    } else if (sign == 'p' && p < row.pads.size()) {
      const Code pad = widened(about.type, f, row.pads[p++]);
      stack.push_back(with_pads ? Known(pad) : std::nullopt);
    } else {
      require(sign == '+' && stack.size() >= 2 && (about.said.order == "any" || stack.size() == 2), "no such tree");
      const Known right = stack.back();
      stack.pop_back();
      Known& left = stack.back();
      left = left && right ? Known(added(f, *left, *right)) : left ? left : right;
    }
  }
  require(stack.size() == 1 && stack[0] && c == row.valid.size() && p == row.pads.size() && c > 0 &&
              starts == (about.said.start == "+0" ? 1U : 0U),
          "a shape that is no tree of the terms");
  const std::size_t count = about.said.row->divide == "P" && with_pads ? c + p : c;
  return {divided(f, *stack[0], ratio(f, count, 1))};
}

}  // namespace

Code code_of(const std::string& text) {
  Code out = 0;
  require(text.size() > 2 && text.starts_with("0x"), "a code that is not written as 0x…");
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out, 16);
  require(error == std::errc{} && end == text.data() + text.size(), "a code that is not written as 0x…");
  return out;
}

RowQuestion::RowQuestion(const ReductionText& text)
    : said(text),
      type(format_of(text.type)),
      wide(format_of(text.accumulate)),
      contents(row_codes(type, text.contents)),
      fill(row_codes(type, text.fill)) {
  static_cast<void>(widened(type, wide, 0));
}

bool RowQuestion::is(std::initializer_list<const char*> operations) const {
  return std::ranges::find(operations, said.operation) != operations.end();
}
bool RowQuestion::orders() const { return is({"argmax", "argmin", "topk", "topk-indices", "sort", "sort-descending"}); }

bool RowQuestion::same(Code a, Code b) const {
  if (a == b) return true;
  if (said.equal == "bits") return false;
  return (wide.nan(a) && wide.nan(b)) || (said.equal == "any-nan+zero" && wide.zero(a) && wide.zero(b));
}

std::int64_t RowQuestion::rank(Code code) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 62 | ((std::int64_t{1} << 62) - 1);
  if (type.nan(code)) return said.max == "nan-wins" && said.operation != "sort" ? kMost : -kMost;
  const std::int64_t place = type.is_float && type.zero(code) ? 0 : type.place(code);
  return is({"argmin", "sort"}) ? -1 - place : place;
}

Code RowQuestion::difference(Code a, Code b) const {
  return minus(wide, widened(type, wide, a), widened(type, wide, b));
}

std::vector<std::optional<Code>> row_results(const RowQuestion& about, const RowShape& row, bool with_pads,
                                             bool everywhere) {
  if (about.is({"mean"})) return mean_of_tree(about, row, with_pads);
  return RowRun(about, row, with_pads, everywhere).results();
}

bool exp_is_zero(const Format& format, Code x) {
  if (format.nan(x) || !format.negative(x) || format.zero(x)) return false;
  if (format.infinite(x)) return true;
  __extension__ using Exact = unsigned __int128;
  const int fraction = static_cast<int>(format.fraction);
  const Code magnitude = format.magnitude(x), top = Code{1} << fraction;
  const auto field = static_cast<int>(magnitude >> fraction);
  const bool subnormal = field == 0 && format.subnormals;
  const Exact significand = (magnitude & (top - 1)) | (subnormal ? 0 : top);
  const int exponent = (subnormal ? 1 : field) - format.bias - fraction + 64;
  // -x·2^64 against (how many halves make half of the least number)·ln 2·2^64.
  const auto halves = static_cast<unsigned>(format.bias + (format.subnormals ? fraction : 0));
  const Exact bound = Exact{0xB17217F7D1CF79AC} * halves;
  if (exponent >= 127 - 53) return true;
  const Exact size = exponent >= 0 ? significand << exponent : exponent > -64 ? significand >> -exponent : 0;
  return size >= bound;
}

}  // namespace vl::values_kernel
