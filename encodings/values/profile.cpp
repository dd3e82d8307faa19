#include "encodings/values/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/check.h"
#include "encodings/base/words.h"
#include "encodings/values/state.h"

namespace vl::values {
namespace {

// The words of an entry's values, in the order of its enumerators. Those of accumulate are formats.
using Words = std::vector<std::string_view>;

constexpr auto kEntries =
    std::to_array<Entry>({Entry::Accumulate, Entry::Start, Entry::Order, Entry::Max, Entry::Flush, Entry::Integers,
                          Entry::Fused, Entry::Ties, Entry::Rounding, Entry::Conversion});
constexpr auto kEntryNames = std::to_array<std::string_view>(
    {"accumulate", "start", "order", "max", "flush", "integers", "fused", "ties", "rounding", "conversion"});

const Words& words_of(Entry entry) {
  static const std::vector<Words> words = [] {
    std::vector<Words> out = {{"element"},
                              {"first", "+0", "-0"},
                              {"any", "seq"},
                              {"nan-wins", "nan-loses", "x86"},
                              {"none", "results", "both"},
                              {"wrap", "saturate"},
                              {"false", "true"},
                              {"first", "last", "unspecified"},
                              {"nearest-even", "nearest-away", "toward-zero"},
                              {"nearest-even", "nearest-away", "toward-zero"}};
    for (const Format& format : formats()) out.front().push_back(format.name);
    return out;
  }();
  return words[static_cast<std::size_t>(entry)];
}

template <class Value>
void take(std::vector<Value>& target, const std::vector<std::size_t>& chosen) {
  target.clear();
  for (const std::size_t value : chosen) target.push_back(static_cast<Value>(value));
}

void assign(Profile& profile, Entry entry, const std::vector<std::size_t>& chosen) {
  switch (entry) {
    case Entry::Accumulate:
      profile.accumulate.clear();
      for (const std::size_t at : chosen) profile.accumulate.push_back(at == 0 ? nullptr : &formats()[at - 1]);
      return;
    case Entry::Start: return take(profile.start, chosen);
    case Entry::Order: return take(profile.order, chosen);
    case Entry::Max: return take(profile.max, chosen);
    case Entry::Flush: return take(profile.flush, chosen);
    case Entry::Integers: return take(profile.integers, chosen);
    case Entry::Fused: return take(profile.products, chosen);
    case Entry::Ties: return take(profile.ties, chosen);
    case Entry::Rounding: return take(profile.rounding, chosen);
    case Entry::Conversion: return take(profile.conversion, chosen);
  }
  VL_CHECK(false, "an entry without values");
}

// Each arithmetic with each of an entry's values.
template <class Value>
void multiply(std::vector<Arithmetic>& all, const std::vector<Value>& values, Value Arithmetic::*member, bool each) {
  std::vector<Arithmetic> out;
  for (const Arithmetic& one : all)
    for (std::size_t i = 0; i < (each ? values.size() : 1); ++i) {
      out.push_back(one);
      out.back().*member = values.at(i);
    }
  all = std::move(out);
}

// The formats of partial results, each once.
std::vector<Format> accumulators(const Profile& profile, const Format& type) {
  std::vector<Format> out;
  for (const Format* format : profile.accumulate) {
    const Format& found = format == nullptr ? type : *format;
    if (is_exact(type, found) && std::ranges::find(out, found) == out.end()) out.push_back(found);
  }
  return out;
}

}  // namespace

std::span<const Entry> entries() { return kEntries; }

std::string_view name(Entry entry) { return kEntryNames[static_cast<std::size_t>(entry)]; }

std::optional<Entry> find_entry(std::string_view name) {
  const auto found = std::ranges::find(kEntryNames, name);
  if (found == kEntryNames.end()) return std::nullopt;
  return kEntries[static_cast<std::size_t>(found - kEntryNames.begin())];
}

std::optional<Error> set_entry(Profile& profile, Entry entry, std::string_view values) {
  const Words& words = words_of(entry);
  std::vector<std::size_t> chosen;
  if (values == "unknown") {
    for (std::size_t i = 0; i < words.size(); ++i) chosen.push_back(i);
    assign(profile, entry, chosen);
    return std::nullopt;
  }
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t end = std::min(values.find('|', at), values.size());
    const std::string_view word = values.substr(at, end - at);
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) {
      std::vector<std::string_view> known = words;
      known.emplace_back("unknown");
      return Error{ErrorCode::Value, fmt::format("'{}' is no {}; {}", word, name(entry), one_of(word, known)), at};
    }
    const auto index = static_cast<std::size_t>(found - words.begin());
    if (std::ranges::find(chosen, index) != chosen.end())
      return Error{ErrorCode::Value, fmt::format("'{}' is there twice", word), at};
    chosen.push_back(index);
    at = end + 1;
  }
  assign(profile, entry, chosen);
  return std::nullopt;
}

Result<Profile> parse_profile(std::string_view text, const Profile& base) {
  Profile out = base;
  std::vector<Entry> seen;
  const auto fail = [](std::string message, std::size_t at) { return Error{ErrorCode::Value, std::move(message), at}; };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const auto entry = find_entry(key);
    if (!entry) return fail(fmt::format("'{}' is no entry; {}", key, one_of(key, kEntryNames)), at);
    if (equals == std::string_view::npos) return fail(fmt::format("expected '{}=' and its value", key), at);
    if (std::ranges::find(seen, *entry) != seen.end()) return fail(fmt::format("'{}' is there twice", key), at);
    seen.push_back(*entry);
    if (auto error = set_entry(out, *entry, word.substr(equals + 1))) {
      error->offset += at + equals + 1;
      return *error;
    }
    at = end;
  }
  return out;
}

std::string_view value_of(const Arithmetic& arithmetic, Entry entry) {
  const auto word = [&](auto value) { return words_of(entry)[static_cast<std::size_t>(value)]; };
  switch (entry) {
    case Entry::Accumulate: return arithmetic.accumulate.name;
    case Entry::Start: return word(arithmetic.start);
    case Entry::Order: return word(arithmetic.order);
    case Entry::Max: return word(arithmetic.max);
    case Entry::Flush: return word(arithmetic.flush);
    case Entry::Integers: return word(arithmetic.integers);
    case Entry::Fused: return word(arithmetic.products);
    case Entry::Ties: return word(arithmetic.ties);
    case Entry::Rounding: return word(arithmetic.rounding);
    case Entry::Conversion: return word(arithmetic.conversion);
  }
  VL_CHECK(false, "an entry without a value");
  return "";
}

std::vector<Arithmetic> alternatives(const Profile& profile, const Format& type, std::span<const Entry> relevant) {
  const bool floats = type.is_float();
  std::vector<Format> accumulate = accumulators(profile, type);
  if (accumulate.empty()) return {};
  const auto each = [&](Entry entry) { return std::ranges::find(relevant, entry) != relevant.end(); };
  std::vector<Arithmetic> out(1);
  multiply(out, accumulate, &Arithmetic::accumulate, each(Entry::Accumulate));
  multiply(out, profile.order, &Arithmetic::order, each(Entry::Order));
  multiply(out, profile.ties, &Arithmetic::ties, each(Entry::Ties));
  if (!floats) {
    std::vector<Start> start;  // an integer has one zero
    for (const Start value : profile.start)
      if (const Start one = value == Start::First ? value : Start::Zero; std::ranges::find(start, one) == start.end())
        start.push_back(one);
    multiply(out, start, &Arithmetic::start, each(Entry::Start));
    multiply(out, profile.integers, &Arithmetic::integers, each(Entry::Integers));
    return out;
  }
  multiply(out, profile.start, &Arithmetic::start, each(Entry::Start));
  multiply(out, profile.max, &Arithmetic::max, each(Entry::Max));
  multiply(out, profile.flush, &Arithmetic::flush, each(Entry::Flush));
  multiply(out, profile.products, &Arithmetic::products, each(Entry::Fused));
  multiply(out, profile.rounding, &Arithmetic::rounding, each(Entry::Rounding));
  multiply(out, profile.conversion, &Arithmetic::conversion, each(Entry::Conversion));
  return out;
}

}  // namespace vl::values
