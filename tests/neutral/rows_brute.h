// Rows of means, norms, orders and exponentials, executed by other code than the program's: numbers are doubles, each
// operation is done by the processor and rounded into the format, an order picks its elements one by one, and exp is
// the C library's. No laws, no facts, no shapes. For formats of up to 24 bits of significand a sum, a product, a
// quotient and a root of two numbers rounded first to a double are rounded no differently.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "tests/neutral/brute.h"

namespace vl {
namespace rows_brute {

using namespace neutral;  // NOLINT: the folder under test
using values::MaxRule;

inline const Format& of(std::string_view name) { return *values::find_format(name); }

struct Slot {
  Code code = 0;
  bool pad = false;
  bool block_ends = false;
};
using Slots = std::vector<Slot>;

class Executed {
 public:
  explicit Executed(const Question& question, bool everywhere = false)
      : q_(question), wide_(question.accumulate), everywhere_(everywhere) {}

  /// Results at the valid elements (or everywhere, also at the pads), or the k first, as codes or as places.
  [[nodiscard]] std::vector<Code> results_of(const Slots& row, bool with_pads, bool last) const {
    return results(row, with_pads, last);
  }

  /// Whether the pads change a result that has them, in this row.
  [[nodiscard]] bool changes(const Slots& row) const {
    if (q_.ties != Ties::Unspecified) return differs(row, q_.ties == Ties::Last);
    return differs(row, false) || differs(row, true);
  }

 private:
  [[nodiscard]] bool differs(const Slots& row, bool last) const {
    const auto got = results(row, true, last), want = results(row, false, last);
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!same(got[i], want[i])) return true;
    return false;
  }

  [[nodiscard]] bool same(Code a, Code b) const {
    if (a == b) return true;
    if (places() || q_.equal == Equality::Bits) return false;
    const double x = number(a), y = number(b);
    return (std::isnan(x) && std::isnan(y)) || (q_.equal == Equality::AnyNanAndZero && x == 0 && y == 0);
  }

  [[nodiscard]] bool places() const {
    return q_.operation == Operation::ArgMax || q_.operation == Operation::ArgMin ||
           q_.operation == Operation::TopKIndices;
  }

  [[nodiscard]] double number(Code code) const {
    return std::bit_cast<double>(values::convert(wide_, of("f64"), code));
  }
  [[nodiscard]] double rounded(double x) const {
    return number(values::convert(of("f64"), wide_, std::bit_cast<Code>(x)));
  }
  [[nodiscard]] Code code(double x) const { return values::convert(of("f64"), wide_, std::bit_cast<Code>(x)); }

  // Results at the valid elements, or the k first, as codes or as places.
  [[nodiscard]] std::vector<Code> results(const Slots& row, bool with_pads, bool last) const {
    std::vector<double> x;
    std::vector<Code> codes;
    std::vector<std::size_t> place, ends;
    std::vector<bool> pad;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (with_pads || !row[i].pad) {
        codes.push_back(row[i].code);
        if (q_.type.is_float()) x.push_back(std::bit_cast<double>(values::convert(q_.type, of("f64"), row[i].code)));
        else x.push_back(static_cast<double>(order(q_.type, row[i].code)));
        place.push_back(i);
        pad.push_back(row[i].pad);
      }
      if (row[i].block_ends && !x.empty() && (ends.empty() || ends.back() != x.size())) ends.push_back(x.size());
    }
    if (ends.empty() || ends.back() != x.size()) ends.push_back(x.size());
    const auto valid = static_cast<std::size_t>(std::ranges::count_if(row, [](const Slot& s) { return !s.pad; }));
    switch (q_.operation) {
      case Operation::LayerNorm:
      case Operation::RmsNorm: return norm(x, pad);
      case Operation::Variance: return {two_passes(x, pad)};
      case Operation::Welford: return {running(x, pad)};
      case Operation::Softmax:
      case Operation::LogSumExp: return exponentials(x, pad, ends);
      case Operation::Mean: return {code(rounded(total(x) / count(pad)))};
      case Operation::CumSum:
      case Operation::CumSumReverse: return cumulative(x, codes, pad);
      default: return picked(x, codes, place, valid, last);
    }
  }

  [[nodiscard]] double count(const std::vector<bool>& pad) const {
    double out = 0;
    for (const bool p : pad)
      if (!p || q_.divide == Divide::Padded) out += 1;
    return out;
  }
  [[nodiscard]] double total(const std::vector<double>& x) const {
    double out = q_.start == Start::Zero ? rounded(0.0 + x[0]) : x[0];
    for (std::size_t i = 1; i < x.size(); ++i) out = rounded(out + x[i]);
    return out;
  }
  [[nodiscard]] std::vector<double> squares(const std::vector<double>& x) const {
    std::vector<double> out;
    for (const double each : x) out.push_back(rounded(each * each));
    return out;
  }

  [[nodiscard]] std::vector<Code> norm(const std::vector<double>& x, const std::vector<bool>& pad) const {
    const bool centred = q_.operation == Operation::LayerNorm;
    const double n = count(pad), mean = centred ? rounded(total(x) / n) : 0;
    double spread = rounded(total(squares(x)) / n);
    if (centred) spread = rounded(spread - rounded(mean * mean));
    const double scale = rounded(1 / rounded(std::sqrt(rounded(spread + rounded(1e-5)))));
    std::vector<Code> out;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!pad[i] || everywhere_) out.push_back(code(rounded(centred ? rounded(x[i] - mean) : x[i]) * scale));
    return out;
  }
  [[nodiscard]] Code two_passes(const std::vector<double>& x, const std::vector<bool>& pad) const {
    const double mean = rounded(total(x) / count(pad));
    std::vector<double> distances;
    for (const double each : x) distances.push_back(rounded(each - mean));
    return code(total(squares(distances)) / count(pad));
  }
  [[nodiscard]] Code running(const std::vector<double>& x, const std::vector<bool>& pad) const {
    double mean = 0, sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = rounded(x[i] - mean);
      mean = rounded(mean + rounded(d / static_cast<double>(i + 1)));
      sum = rounded(sum + rounded(d * rounded(x[i] - mean)));
    }
    return code(sum / count(pad));
  }

  static double greater(double a, double b) { return std::isnan(a) || a > b ? a : std::isnan(b) ? b : b; }

  [[nodiscard]] std::vector<Code> exponentials(const std::vector<double>& x, const std::vector<bool>& pad,
                                               const std::vector<std::size_t>& ends) const {
    double m = -INFINITY, s = 0, a = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      double next = begin == 0 ? x[0] : m;
      for (std::size_t i = begin; i < end; ++i) next = greater(next, x[i]);
      a = q_.blocks == Blocks::Guarded && next == -INFINITY ? 0 : next;
      std::vector<double> powers;
      for (std::size_t i = begin; i < end; ++i) powers.push_back(rounded(std::exp(rounded(x[i] - a))));
      const double sum = total(powers);
      s = q_.blocks == Blocks::Whole ? sum : rounded(rounded(s * rounded(std::exp(rounded(m - a)))) + sum);
      m = next;
      begin = end;
    }
    if (q_.operation == Operation::LogSumExp) return {code(m + rounded(std::log(s)))};
    std::vector<Code> out;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!pad[i] || everywhere_) out.push_back(code(rounded(std::exp(rounded(x[i] - a))) / s));
    return out;
  }

  // Integers wrap; floats add as doubles, rounded.
  [[nodiscard]] std::vector<Code> cumulative(std::vector<double> x, std::vector<Code> codes,
                                             std::vector<bool> pad) const {
    const bool reverse = q_.operation == Operation::CumSumReverse;
    if (reverse) {
      std::ranges::reverse(x);
      std::ranges::reverse(codes);
      std::reverse(pad.begin(), pad.end());
    }
    std::vector<Code> out;
    Code whole = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      whole += codes[i];
      const std::vector<double> until(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      if (!pad[i] || everywhere_) out.push_back(wide_.is_float() ? code(total(until)) : whole & wide_.mask());
    }
    if (reverse) std::ranges::reverse(out);
    return out;
  }

  // Whether the order takes x before y, for another reason than where they are.
  [[nodiscard]] bool before(double x, double y) const {
    const bool least = q_.operation == Operation::ArgMin || q_.operation == Operation::Sort;
    const bool nan_first = q_.max == MaxRule::NanWins && q_.operation != Operation::Sort;
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) != std::isnan(y) && std::isnan(x) == nan_first;
    return least ? x < y : x > y;
  }
  [[nodiscard]] std::vector<Code> picked(const std::vector<double>& x, const std::vector<Code>& codes,
                                         const std::vector<std::size_t>& place, std::size_t valid, bool last) const {
    std::size_t wanted = everywhere_ ? x.size() : valid;
    if (q_.operation == Operation::TopK || q_.operation == Operation::TopKIndices) wanted = q_.k;
    if (q_.operation == Operation::ArgMax || q_.operation == Operation::ArgMin) wanted = 1;
    std::vector<bool> taken(x.size());
    std::vector<Code> out;
    for (; wanted > 0; --wanted) {
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!taken[i] && (!best || before(x[i], x[*best]) || (last && !before(x[*best], x[i])))) best = i;
      taken[*best] = true;
      out.push_back(places() ? place[*best] : codes[*best]);
    }
    return out;
  }

  const Question& q_;
  const Format& wide_;
  bool everywhere_;
};

}  // namespace rows_brute
}  // namespace vl
