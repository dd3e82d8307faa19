#include "oracle/fuzz/neutral/lists.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "encodings/values/division.h"

namespace vl::oracle {
namespace {

using neutral::Operation;
using neutral::Question;
using values::Code;
using values::Format;

const Format& f64() {
  static const Format& format = *values::find_format("f64");
  return format;
}

class Listed {
 public:
  Listed(const Question& question, std::span<const ops::Term> row, bool with_pads)
      : q_(question), f_(question.accumulate) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].pad && !with_pads) continue;
      codes_.push_back(f_ == q_.type ? row[i].a : values::convert(q_.type, f_, row[i].a));
      pads_.push_back(row[i].pad);
      places_.push_back(i);
    }
    valid_ = static_cast<std::size_t>(std::ranges::count(pads_, false));
    count_ = counted(q_.divide == neutral::Divide::Padded ? codes_.size() : valid_);
  }

  [[nodiscard]] std::vector<Code> results(Taken taken) const {
    switch (q_.operation) {
      case Operation::LayerNorm:
      case Operation::RmsNorm: return norms();
      case Operation::Variance: return {variance()};
      case Operation::Welford: return {welford()};
      case Operation::Softmax:
      case Operation::LogSumExp: return exponentials();
      case Operation::CumSum:
      case Operation::CumSumReverse: return cumulative();
      default: return ordered(taken);
    }
  }

 private:
  [[nodiscard]] Code add(Code a, Code b) const { return values::add(f_, a, b); }
  [[nodiscard]] Code sub(Code a, Code b) const { return values::sub(f_, a, b); }
  [[nodiscard]] Code mul(Code a, Code b) const { return values::mul(f_, a, b); }
  [[nodiscard]] Code div(Code a, Code b) const { return values::div(f_, a, b); }
  [[nodiscard]] Code from_double(double x) const { return values::convert(f64(), f_, std::bit_cast<Code>(x)); }
  [[nodiscard]] double to_double(Code code) const { return std::bit_cast<double>(values::convert(f_, f64(), code)); }
  [[nodiscard]] Code counted(std::size_t n) const {
    return f_.is_float() ? from_double(static_cast<double>(n)) : static_cast<Code>(n) & f_.mask();
  }

  [[nodiscard]] Code total(const std::vector<Code>& terms) const {
    std::size_t next = 0;
    Code out = q_.start == neutral::Start::First       ? terms[next++]
               : q_.start == neutral::Start::MinusZero ? values::negative_zero(f_)
                                                       : Code{0};
    for (; next < terms.size(); ++next) out = add(out, terms[next]);
    return out;
  }
  [[nodiscard]] std::vector<Code> squared(const std::vector<Code>& terms) const {
    std::vector<Code> out = terms;
    for (Code& code : out) code = mul(code, code);
    return out;
  }

  [[nodiscard]] std::vector<Code> norms() const {
    const bool centred = q_.operation == Operation::LayerNorm;
    Code spread = div(total(squared(codes_)), count_), middle = 0;
    if (centred) {
      middle = div(total(codes_), count_);
      spread = sub(spread, mul(middle, middle));
    }
    const Code scale = div(values::one(f_), values::root(f_, add(spread, from_double(1e-5))));
    std::vector<Code> out;
    for (std::size_t i = 0; i < codes_.size(); ++i)
      if (!pads_[i]) out.push_back(mul(centred ? sub(codes_[i], middle) : codes_[i], scale));
    return out;
  }
  [[nodiscard]] Code variance() const {
    const Code middle = div(total(codes_), count_);
    std::vector<Code> distances;
    for (const Code code : codes_) distances.push_back(sub(code, middle));
    return div(total(squared(distances)), count_);
  }
  [[nodiscard]] Code welford() const {
    Code middle = 0, sum = 0;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      const Code d = sub(codes_[i], middle);
      middle = add(middle, div(d, counted(i + 1)));
      sum = add(sum, mul(d, sub(codes_[i], middle)));
    }
    return div(sum, count_);
  }

  [[nodiscard]] std::vector<Code> exponentials() const {
    Code top = codes_[0];
    for (const Code code : codes_) top = values::maximum(f_, values::MaxRule::NanWins, top, code);
    std::vector<Code> powers;
    for (const Code code : codes_) powers.push_back(from_double(std::exp(to_double(sub(code, top)))));
    const Code sum = total(powers);
    if (q_.operation == Operation::LogSumExp) return {add(top, from_double(std::log(to_double(sum))))};
    std::vector<Code> out;
    for (std::size_t i = 0; i < powers.size(); ++i)
      if (!pads_[i]) out.push_back(div(powers[i], sum));
    return out;
  }

  [[nodiscard]] std::vector<Code> cumulative() const {
    std::vector<Code> out;
    for (std::size_t i = 0; i < codes_.size(); ++i) {
      if (pads_[i]) continue;
      const auto at = codes_.begin() + static_cast<std::ptrdiff_t>(i);
      std::vector<Code> terms(codes_.begin(), at + 1);
      if (q_.operation == Operation::CumSumReverse) {
        terms.assign(at, codes_.end());
        std::ranges::reverse(terms);
      }
      out.push_back(total(terms));
    }
    return out;
  }

  // Whether a comes before b for another reason than its place.
  [[nodiscard]] bool precedes(Code a, Code b) const {
    const bool least = q_.operation == Operation::ArgMin || q_.operation == Operation::Sort;
    const bool nan_first = q_.max == values::MaxRule::NanWins && q_.operation != Operation::Sort;
    const bool nan_a = values::is_nan(f_, a), nan_b = values::is_nan(f_, b);
    if (nan_a || nan_b) return nan_a != nan_b && nan_a == nan_first;
    const values::Order order = values::compare(f_, a, b);
    return order == (least ? values::Order::Less : values::Order::Greater);
  }
  [[nodiscard]] std::vector<Code> ordered(Taken taken) const {
    std::vector<std::size_t> order(codes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = taken == Taken::First ? i : order.size() - 1 - i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return precedes(codes_[a], codes_[b]); });
    const bool one = q_.operation == Operation::ArgMax || q_.operation == Operation::ArgMin;
    const bool top = q_.operation == Operation::TopK || q_.operation == Operation::TopKIndices;
    order.resize(one ? 1 : top ? q_.k : valid_);
    std::vector<Code> out;
    out.reserve(order.size());
    for (const std::size_t i : order) out.push_back(neutral::is_index(q_.operation) ? places_[i] : codes_[i]);
    return out;
  }

  const Question& q_;
  const Format& f_;
  std::vector<Code> codes_;
  std::vector<bool> pads_;
  std::vector<std::size_t> places_;
  std::size_t valid_ = 0;
  Code count_ = 0;
};

}  // namespace

std::vector<Code> results_of_list(const Question& question, std::span<const ops::Term> row, bool with_pads,
                                  Taken taken) {
  return Listed(question, row, with_pads).results(taken);
}

}  // namespace vl::oracle
