// Sets of codes as a statement has them: ascending ranges that do not touch, each code written as 0x….
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "verifier/values_kernel/row_values.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {

/// More codes are not counted.
constexpr Code kMostCodes = Code{1} << 20;

/// Codes, as ascending ranges that do not touch.
using CodeRanges = std::vector<std::pair<Code, Code>>;

class Codes {
 public:
  Codes(const Format& format, CodeRanges ranges) : format_(format), of_(std::move(ranges)) {
    charge(4 * of_.size());
    for (std::size_t i = 0; i < of_.size(); ++i) {
      require(of_[i].first <= of_[i].second && of_[i].second <= format.mask(), "a range of no codes");
      require(i == 0 || of_[i - 1].second < of_[i].first, "ranges that are not ascending");
    }
  }
  Codes(const Format& format, const ReductionText::Ranges& texts) : Codes(format, codes_of(texts)) {}

  [[nodiscard]] bool empty() const { return of_.empty(); }

  [[nodiscard]] bool meets(Code first, Code last) const {
    charge(of_.size());
    return std::ranges::any_of(of_, [&](const auto& range) { return range.first <= last && range.second >= first; });
  }
  [[nodiscard]] bool has(Code code) const { return meets(code, code); }
  [[nodiscard]] bool covers(Code first, Code last) const {
    charge(of_.size());
    return std::ranges::any_of(of_, [&](const auto& range) { return range.first <= first && last <= range.second; });
  }
  [[nodiscard]] bool has_nan() const {
    if (!format_.is_float) return false;
    if (format_.one_zero) return has(format_.sign());
    return meets(format_.first_nan, format_.sign() - 1) || meets(format_.sign() | format_.first_nan, format_.mask());
  }
  [[nodiscard]] bool has_number() const { return !extremes().empty(); }
  [[nodiscard]] bool has_signalling() const {
    if (!format_.is_float || !format_.infinities) return false;
    const Code last = (format_.first_nan - 1) + (Code{1} << (format_.fraction - 1)) - 1;
    return meets(format_.first_nan, last) || meets(format_.sign() | format_.first_nan, format_.sign() | last);
  }
  /// A number with a sign, -0 among them.
  [[nodiscard]] bool has_negative() const {
    if (!format_.is_float) return meets(format_.sign(), format_.mask()) && format_.is_signed;
    return meets(format_.one_zero ? format_.sign() + 1 : format_.sign(), last_number(true));
  }
  [[nodiscard]] bool has_nonnegative() const { return meets(0, last_number(false)); }
  [[nodiscard]] bool has_minus_zero() const { return format_.is_float && !format_.one_zero && has(format_.sign()); }
  [[nodiscard]] bool only_zeros() const {
    charge(of_.size() + 1);
    return std::ranges::all_of(
        of_, [&](const auto& range) { return range.first == range.second && format_.zero(range.first); });
  }
  [[nodiscard]] bool only_nans() const { return !has_number(); }
  [[nodiscard]] bool only_finite() const {
    return !has_nan() &&
           (!format_.infinities || (!has(format_.first_nan - 1) && !has(format_.sign() | (format_.first_nan - 1))));
  }
  /// The least and the greatest place of its numbers; empty if there are none.
  [[nodiscard]] std::vector<std::int64_t> extremes() const {
    charge(2 * of_.size() + 1);
    std::vector<std::int64_t> out;
    const auto take = [&](Code first, Code last) {
      for (const auto& range : of_)
        if (range.first <= last && range.second >= first)
          for (const Code end : {std::max(range.first, first), std::min(range.second, last)})
            out.push_back(format_.place(end));
    };
    if (!format_.is_float) {
      take(0, format_.is_signed ? format_.sign() - 1 : format_.mask());
      if (format_.is_signed) take(format_.sign(), format_.mask());
    } else {
      take(0, last_number(false));
      take(format_.one_zero ? format_.sign() + 1 : format_.sign(), last_number(true));
    }
    if (out.empty()) return out;
    const auto [low, high] = std::ranges::minmax(out);
    return {low, high};
  }
  [[nodiscard]] Code count() const {
    Code out = 0;
    for (const auto& [first, last] : of_) {
      if (last - first >= kMostCodes || out >= kMostCodes) return kMostCodes + 1;
      out += last - first + 1;
    }
    return out;
  }
  /// The ranges, first and last, ascending.
  [[nodiscard]] const CodeRanges& ranges() const { return of_; }
  void for_each(const auto& work) const {
    for (const auto& [first, last] : of_)
      for (Code i = 0; i <= last - first; ++i) charge(1LL), work(first + i);
  }

 private:
  [[nodiscard]] static CodeRanges codes_of(const ReductionText::Ranges& texts) {
    charge(4 * texts.size());
    CodeRanges out;
    for (const auto& [first, last] : texts) out.emplace_back(code_of(first), code_of(last));
    return out;
  }
  [[nodiscard]] Code last_number(bool negative) const {
    const Code last = format_.one_zero ? format_.sign() - 1 : format_.first_nan - 1;
    return negative ? format_.sign() | last : last;
  }

  const Format& format_;
  CodeRanges of_;
};

}  // namespace vl::values_kernel
