#include "encodings/values/code_set.h"

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::values {

CodeSet::CodeSet(std::vector<CodeRange> ranges) {
  std::ranges::sort(ranges, {}, &CodeRange::first);
  for (const CodeRange& range : ranges) {
    VL_CHECK(range.first <= range.last, "a range of codes from its end to its start");
    const bool joins = !ranges_.empty() && (ranges_.back().last == ~Code{0} || range.first <= ranges_.back().last + 1);
    if (joins) ranges_.back().last = std::max(ranges_.back().last, range.last);
    else ranges_.push_back(range);
  }
}

bool CodeSet::contains(Code code) const {
  const auto above = std::ranges::upper_bound(ranges_, code, {}, &CodeRange::first);
  return above != ranges_.begin() && code <= std::prev(above)->last;
}

Code CodeSet::count() const {
  Code out = 0;
  for (const CodeRange& range : ranges_) {
    const Code more = range.last - range.first;
    if (more == ~Code{0} || out + more + 1 < out) return ~Code{0};
    out += more + 1;
  }
  return out;
}

CodeSet CodeSet::united(const CodeSet& other) const {
  std::vector<CodeRange> out = ranges_;
  out.insert(out.end(), other.ranges_.begin(), other.ranges_.end());
  return CodeSet(std::move(out));
}

CodeSet CodeSet::intersected(const CodeSet& other) const {
  CodeSet out;
  for (std::size_t i = 0, j = 0; i < ranges_.size() && j < other.ranges_.size();) {
    const CodeRange &a = ranges_[i], &b = other.ranges_[j];
    const CodeRange both{std::max(a.first, b.first), std::min(a.last, b.last)};
    if (both.first <= both.last) out.ranges_.push_back(both);
    if (a.last < b.last) ++i;
    else ++j;
  }
  return out;
}

CodeSet CodeSet::complement(const Format& format) const {
  CodeSet out;
  Code next = 0;
  for (const CodeRange& range : ranges_) {
    if (range.first > next) out.ranges_.push_back({next, range.first - 1});
    if (range.last >= format.mask()) return out;
    next = range.last + 1;
  }
  out.ranges_.push_back({next, format.mask()});
  return out;
}

std::int64_t lowest_order(const Format& format) {
  return order(format, has_infinity(format) ? infinity(format, true) : largest(format, true));
}
std::int64_t highest_order(const Format& format) {
  return order(format, has_infinity(format) ? infinity(format, false) : largest(format, false));
}

CodeSet numbers_between(const Format& format, std::int64_t low, std::int64_t high) {
  low = std::max(low, lowest_order(format));
  high = std::min(high, highest_order(format));
  std::vector<CodeRange> out;
  // The place -1 is that of -0, which some formats lack; their least negative number has the place -2.
  const bool has_minus_one = at_order(format, -1).has_value();
  const std::int64_t below = std::min(high, has_minus_one ? std::int64_t{-1} : std::int64_t{-2});
  if (low <= below) {
    const Code one = *at_order(format, low), other = *at_order(format, below);
    out.push_back({std::min(one, other), std::max(one, other)});
  }
  const std::int64_t above = std::max(low, std::int64_t{0});
  if (above <= high) out.push_back({*at_order(format, above), *at_order(format, high)});
  return CodeSet(std::move(out));
}

CodeSet nans(const Format& format) {
  return numbers_between(format, lowest_order(format), highest_order(format)).complement(format);
}

CodeSet signalling_nans(const Format& format) {
  if (!has_signalling_nan(format)) return {};
  const Code first = infinity(format, false) + 1, last = default_nan(format) - 1, sign = format.sign();
  return CodeSet({{first, last}, {first | sign, last | sign}});
}

CodeSet finite_codes(const Format& format) {
  return numbers_between(format, order(format, largest(format, true)), order(format, largest(format, false)));
}

CodeSet zeros(const Format& format) {
  return has_negative_zero(format) ? CodeSet({{0, 0}, {format.sign(), format.sign()}}) : CodeSet::of(0);
}

std::optional<Extent> extent(const Format& format, const CodeSet& set) {
  std::optional<Extent> out;
  const Code sign = format.sign();
  const CodeSet numbers = set.without(nans(format), format);
  for (const CodeRange& range : numbers.ranges()) {
    // The order is monotone on the codes of one sign; a range may have codes of both.
    const bool both = range.first < sign && range.last >= sign;
    for (const Code code : {range.first, range.last, both ? sign - 1 : range.first, both ? sign : range.last}) {
      const std::int64_t place = order(format, code);
      if (!out) out = Extent{place, place};
      out->low = std::min(out->low, place);
      out->high = std::max(out->high, place);
    }
  }
  return out;
}

}  // namespace vl::values
