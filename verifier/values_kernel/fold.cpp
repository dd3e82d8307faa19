#include "verifier/values_kernel/fold.h"

#include <algorithm>

#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

// What reductions of n leaves are.
class Fold {
 public:
  Fold(const Format& format, const StepText& said, const CodeRanges& leaves, Wide count)
      : f_(format), said_(said), leaves_(leaves), codes_(format, leaves), count_(count) {}

  [[nodiscard]] CodeRanges codes() const {
    const std::string& operation = *said_.operation;
    if (count_ == 1 && (operation == "prod" || operation == "max" || operation == "min")) return leaves_;
    if (operation == "max" || operation == "min") return codes_.has_nan() ? united(leaves_, quiet()) : leaves_;
    if (operation == "prod") return product();
    return f_.is_float ? sum() : integers();
  }

 private:
  [[nodiscard]] CodeRanges quiet() const { return ranges_of(f_, {1, 0, f_.is_float, false}); }
  [[nodiscard]] CodeRanges zeros() const {
    return ranges_of(f_, {f_.is_float && !f_.one_zero ? -1 : 0, 0, false, false});
  }
  [[nodiscard]] CodeRanges nans() const { return shared(leaves_, ranges_of(f_, {1, 0, true, true})); }  // of one leaf

  // A place that no sum of such leaves is above, or one past the greatest number.
  [[nodiscard]] std::int64_t above(Code most, std::int64_t last) const {
    const bool fused = said_.fused.value_or(false);
    if (f_.infinite(most) || count_ > Wide(1LL << f_.fraction)) return last + 1;
    const auto times = static_cast<std::uint64_t>((count_ * (fused ? 4 : 2)).narrow());
    const Code factor = ratio(f_, times, 1);
    if (!f_.finite(factor)) return last + 1;
    const Code out = multiplied(f_, most, factor);
    return f_.finite(out) ? f_.place(out) + 1 : last + 1;
  }

  [[nodiscard]] CodeRanges sum() const {
    const bool starts = *said_.start == "+0", fused = said_.fused.value_or(false);
    require(starts || *said_.start == "first" || *said_.start == "-0", "a start that is not known");
    if (codes_.only_zeros()) {
      if (fused) return zeros();
      return starts ? CodeRanges{{0, 0}} : leaves_;  // -0 + -0 = -0, and +0 plus a zero is +0
    }
    const auto ends = codes_.extremes();
    if (ends.empty()) return united(quiet(), leaves_);
    const std::int64_t last = anything(f_).high - (f_.infinities ? 1 : 0);
    const auto magnitude = [&](std::int64_t place) { return static_cast<Code>(place < 0 ? -1 - place : place); };
    std::int64_t low = ends.front(), high = ends.back();
    if (high > 0) high = above(magnitude(high), last);
    if (low < -1) low = -1 - above(magnitude(low), last);
    if (starts) low = std::min<std::int64_t>(low, 0), high = std::max<std::int64_t>(high, 0);
    if (fused) low = std::min<std::int64_t>(low, -2), high = std::max<std::int64_t>(high, 1);  // tiny products
    const bool over = high > last, under = low < -1 - last;
    const bool nan = codes_.has_nan() || (over && under) || ((over || under) && !f_.infinities);
    const Results all = anything(f_);
    return united(ranges_of(f_, {std::max(low, all.low), std::min(high, all.high), nan, false}), nans());
  }

  [[nodiscard]] CodeRanges integers() const {
    const auto ends = codes_.extremes();
    const Wide low = count_ * ends.front(), high = count_ * ends.back();
    const Results all = anything(f_);
    const Wide least = std::min({low, Wide(ends.front()), Wide(0)}),
               most = std::max({high, Wide(ends.back()), Wide(0)});
    if (least < all.low || most > all.high) return all_of(f_);
    return ranges_of(f_, {least.narrow(), most.narrow(), false, false});
  }

  [[nodiscard]] CodeRanges product() const {
    const std::int64_t one = f_.place(f_.one());
    if (leaves_ == CodeRanges{{f_.one(), f_.one()}}) return leaves_;
    if (codes_.only_zeros()) return zeros();
    if (!f_.is_float) return all_of(f_);
    auto small = ranges_of(f_, {-1 - one, one, false, false});
    if (covers(small, leaves_)) return small;
    return united(ranges_of(f_, anything(f_)), leaves_);
  }

  const Format& f_;
  const StepText& said_;
  const CodeRanges& leaves_;
  Codes codes_;
  Wide count_;
};

}  // namespace

CodeRanges united(CodeRanges a, const CodeRanges& b) {
  a.insert(a.end(), b.begin(), b.end());
  return normal(std::move(a));
}
CodeRanges shared(const CodeRanges& a, const CodeRanges& b) {
  charge(a.size() * b.size() + 1);
  CodeRanges out;
  for (const auto& [first, last] : a)
    for (const auto& [from, to] : b)
      if (std::max(first, from) <= std::min(last, to)) out.emplace_back(std::max(first, from), std::min(last, to));
  return normal(std::move(out));
}
CodeRanges outside(const Format& f, const CodeRanges& set) {
  CodeRanges out;
  Code next = 0;
  for (const auto& [first, last] : normal(set)) {
    if (first > next) out.emplace_back(next, first - 1);
    if (last == f.mask()) return out;
    next = last + 1;
  }
  out.emplace_back(next, f.mask());
  return out;
}

bool covers(const CodeRanges& outer, const CodeRanges& inner) {
  charge(outer.size() * inner.size() + 1);
  return std::ranges::all_of(inner, [&](const auto& range) {
    return std::ranges::any_of(
        outer, [&](const auto& other) { return other.first <= range.first && range.second <= other.second; });
  });
}
CodeRanges all_of(const Format& f) { return {{0, f.mask()}}; }

CodeRanges image_of_cast(const Format& from, const Format& to, const CodeRanges& set, const ChainMode& mode) {
  CodeRanges out = mode.conversion(from, to, set);
  return to.is_float && Codes(to, out).has_nan() ? united(std::move(out), ranges_of(to, {1, 0, true, false})) : out;
}

CodeRanges fold_of(const Format& format, const StepText& step, const CodeRanges& leaves, Wide count) {
  return Fold(format, step, leaves, count).codes();
}

}  // namespace vl::values_kernel
