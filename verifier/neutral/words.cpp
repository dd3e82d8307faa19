#include "verifier/neutral/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/values/state.h"
#include "verifier/neutral/functions.h"

namespace vl::neutral {
namespace {

using values::CodeRange;
using values::CodeSet;
using values::Format;

void add_interval(const Format& format, std::int64_t low, std::int64_t high, std::vector<std::string>& out) {
  const auto number = [&](std::int64_t place) { return number_in_words(format, *at_order(format, place)); };
  if (low > high) return;
  if (low == high) out.push_back(fmt::format("{{{}}}", number(low)));
  else out.push_back(fmt::format("[{} .. {}]", number(low), number(high)));
}

// The numbers of a set that are neither zeros nor infinities, as intervals; zeros inside of one are part of it.
std::vector<std::string> intervals_in_words(const Format& format, const CodeSet& numbers) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (const CodeRange& range : numbers.ranges()) {
    const bool both = range.first < format.sign() && range.last >= format.sign();
    const auto add = [&](values::Code first, values::Code last) {
      const std::int64_t one = order(format, first), other = order(format, last);
      places.emplace_back(std::min(one, other), std::max(one, other));
    };
    if (both) add(range.first, format.sign() - 1);
    add(both ? format.sign() : range.first, range.last);
  }
  std::ranges::sort(places);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < places.size();) {
    const std::int64_t low = places[i].first;
    std::int64_t high = places[i].second;
    const auto touches = [&](std::int64_t next) {
      return next <= high || next == high + 1 || (high == -2 && next == 0 && !has_negative_zero(format));
    };
    for (++i; i < places.size() && touches(places[i].first); ++i) high = std::max(high, places[i].second);
    if (!format.is_float()) {
      add_interval(format, low, high, out);
      continue;
    }
    // Both zeros at an end or alone have a name; one of them alone has another.
    if (low == -1 && high == 0) out.emplace_back("0");
    else if (low == 0 && high == 0) out.emplace_back(has_negative_zero(format) ? "+0" : "0");
    else if (low == -1 && high == -1) out.emplace_back("-0");
    else if (high == -1) {
      add_interval(format, low, -2, out);
      out.emplace_back("-0");
    } else if (low == 0 && has_negative_zero(format)) {
      out.emplace_back("+0");
      add_interval(format, 1, high, out);
    } else add_interval(format, low, high, out);
  }
  return out;
}

}  // namespace

std::string number_in_words(const Format& format, values::Code code) {
  const std::string both = values::in_words(format, code);  // 0x3c00 (1)
  const std::size_t open = both.find('(');
  return both.substr(open + 1, both.size() - open - 2);
}

std::string set_in_words(const Format& format, const CodeSet& set) {
  if (set.empty()) return "nothing";
  if (set == CodeSet::all(format)) return "any";
  std::vector<std::string> out;
  const CodeSet nan = format.is_float() ? nans(format) : CodeSet(), quiet = quiet_nans(format);
  CodeSet numbers = set.without(nan, format);
  if (format.is_float() && numbers == nan.complement(format)) out.emplace_back("numbers");
  else {
    if (format.is_float() && finite_codes(format).is_subset_of(numbers)) {
      out.emplace_back("finite");
      numbers = numbers.without(finite_codes(format), format);
    }
    for (const bool negative : {true, false})
      if (has_infinity(format) && numbers.contains(infinity(format, negative))) {
        out.emplace_back(negative ? "-inf" : "inf");
        numbers = numbers.without(CodeSet::of(infinity(format, negative)), format);
      }
    for (std::string& text : intervals_in_words(format, numbers)) out.push_back(std::move(text));
  }
  if (const CodeSet found = set.intersected(nan); !found.empty()) {
    if (quiet.is_subset_of(found)) out.emplace_back("NaN");
    else
      for (const CodeRange& range : found.ranges())
        out.push_back(range.first == range.last ? fmt::format("bits:{}", values::in_digits(format, range.first))
                                                : fmt::format("bits:{} .. {}", values::in_digits(format, range.first),
                                                              values::in_digits(format, range.last)));
  }
  constexpr std::size_t kMostParts = 6;
  const std::size_t parts = out.size();
  if (parts > kMostParts) {
    out.resize(kMostParts - 1);
    out.push_back(fmt::format("… ({} parts)", parts));
  }
  return fmt::format("{}", fmt::join(out, " | "));
}

}  // namespace vl::neutral
