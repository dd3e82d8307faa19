// Structured mutation: files made from valid ones by changes that keep most of their structure. The n-th file of a seed
// is always the same, so a failure is made again by its number.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vl::test::hostile {

class Mutants {
  template <class List>
  const typename List::value_type& pick(const List& list) {
    return list[below(list.size())];
  }
  std::size_t below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(random_() % end); }

 public:
  /// Requires: at least one valid file.
  Mutants(std::vector<std::string> valid, std::uint64_t seed) : valid_(std::move(valid)), seed_(seed) {}

  /// The file of this number: a valid one with one to three changes, one of them perhaps large.
  std::string make(std::uint64_t number) {
    random_.seed(seed_ * 1'000'003 + number);
    text_ = pick(valid_);
    const std::size_t changes = 1 + below(3);
    for (std::size_t i = 0; i < changes; ++i) change();
    text_.resize(std::min(text_.size(), kMost));
    return text_;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 19;
  static constexpr std::array kNumbers = {"0",
                                          "-0",
                                          "-1",
                                          "1",
                                          "2",
                                          "63",
                                          "64",
                                          "65",
                                          "255",
                                          "256",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "1099511627776",
                                          "4611686018427387904",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "-9223372036854775809",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "99999999999999999999999999999999999999999",
                                          "1e9",
                                          "1e308",
                                          "1e999",
                                          "0x10",
                                          "007",
                                          "1.5",
                                          "+1",
                                          "1_0",
                                          "nan",
                                          "inf"};
  static constexpr std::array<std::string_view, 38> kWords = {"[",        "]",
                                                              "(",        ")",
                                                              "{",        "}",
                                                              "\"",       "'",
                                                              "\"\"\"",   "'''",
                                                              ",",        ":",
                                                              "=",        ".",
                                                              "#",        "\n",
                                                              "\r\n",     "\t",
                                                              " ",        "\\",
                                                              "\\u0000",  "\\ud800",
                                                              "@",        "+",
                                                              "-",        "*",
                                                              "/",        "%",
                                                              "null",     "true",
                                                              "false",    "[]",
                                                              "{}",       "\"\"",
                                                              "\x1b[2J",  "\xff",
                                                              "\xc0\x80", "\xf4\x90\x80\x80"};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNests = {{{"[", "]"},
                                                                                            {"(", ")"},
                                                                                            {"{", "}"},
                                                                                            {"{\"a\":", "}"},
                                                                                            {"[[", "]]"},
                                                                                            {"(1,", ")"},
                                                                                            {"-", ""},
                                                                                            {"a.", ""},
                                                                                            {"\x81", ""},
                                                                                            {"\xa1\x61\x61", ""},
                                                                                            {"\x9f", "\xff"},
                                                                                            {"\x7f", "\xff"}}};

  struct Part {
    std::size_t at = 0, size = 0;
  };

  static bool wordy(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  // The token at or behind a random place: a number, a word, a text in quotes, or one byte.
  Part token() {
    std::size_t at = below(text_.size());
    while (at > 0 && wordy(text_[at]) && wordy(text_[at - 1])) --at;
    std::size_t end = at + (at < text_.size() ? 1 : 0);
    if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'')) {
      const std::size_t close = text_.find(text_[at], end);
      if (close != std::string::npos && close - at < 200) end = close + 1;
    } else if (at < text_.size() && wordy(text_[at])) {
      while (end < text_.size() && wordy(text_[end])) ++end;
    }
    return {at, end - at};
  }

  // The first number at or behind a random place.
  Part number() {
    const auto digit = [&](std::size_t i) { return i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; };
    std::size_t at = below(text_.size());
    while (at < text_.size() && !digit(at)) ++at;
    while (at > 0 && digit(at) && digit(at - 1)) --at;
    std::size_t end = at;
    while (digit(end)) ++end;
    if (at > 0 && at < end && text_[at - 1] == '-') --at;
    return {at, end - at};
  }

  Part section(std::size_t longest) {
    const std::size_t at = below(text_.size());
    return {at, std::min(text_.size() - at, 1 + below(longest))};
  }

  // Lines, where the text has some: what is copied and removed is then often whole.
  Part lines() {
    const std::size_t from = text_.rfind('\n', below(text_.size())), at = from == std::string::npos ? 0 : from + 1;
    std::size_t end = at;
    for (std::size_t n = 1 + below(4); n > 0 && end < text_.size(); --n)
      end = std::min(text_.find('\n', end), text_.size() - 1) + 1;
    return {at, std::min<std::size_t>(end - at, 4096)};
  }

  void put(Part part, std::string_view by) { text_.replace(part.at, part.size, by); }
  std::string at(Part part) const { return text_.substr(part.at, part.size); }

  // A number of 1, 2, 4 or 8 bytes, in either order, at its boundaries.
  void put_binary_number() {
    constexpr std::array<std::uint64_t, 10> kValues = {
        0, 1, 0x7f, 0x80, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0} >> 1, ~std::uint64_t{0}};
    const std::uint64_t value = pick(kValues) + below(3) - 1;
    const std::size_t width = std::size_t{1} << below(4);
    const bool big = below(2) == 0;
    // Headers and ends of archives are where numbers are.
    const std::size_t near = below(3), span = std::min<std::size_t>(text_.size(), 64);
    const std::size_t at = near == 0   ? below(span)
                           : near == 1 ? text_.size() - std::min(text_.size(), 1 + below(span))
                                       : below(text_.size());
    for (std::size_t i = 0; i < width && at + i < text_.size(); ++i)
      text_[at + i] = static_cast<char>(value >> 8 * (big ? width - 1 - i : i) & 0xff);
  }

  void nest() {
    constexpr std::array<std::size_t, 5> kDepths = {3, 30, 300, 3000, 30'000};
    const auto& [open, close] = pick(kNests);
    const std::size_t depth = pick(kDepths);
    const Part inner = token();
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += open;
    out += at(inner);
    if (below(2) == 0)
      for (std::size_t i = 0; i < depth; ++i) out += close;
    put(inner, out);
  }

  void repeat(const Part& part) {
    constexpr std::array<std::size_t, 4> kTimes = {2, 10, 100, 1000};
    const std::string once = at(part);
    std::string out;
    for (std::size_t i = 0, n = pick(kTimes); i < n && out.size() < kMost; ++i) out += once;
    put(part, out);
  }

  void splice() {
    const std::string& other = pick(valid_);
    text_ = text_.substr(0, below(text_.size() + 1)) + other.substr(below(other.size() + 1));
  }

  void change() {
    if (text_.empty()) return put({}, pick(kWords));
    const Part byte{below(text_.size()), 1};
    switch (below(20)) {
      case 0: text_[byte.at] = static_cast<char>(text_[byte.at] ^ (1 << below(8))); return;
      case 1: text_[byte.at] = static_cast<char>(below(256)); return;
      case 2: return put({byte.at, 0}, std::string(1, static_cast<char>(below(256))));
      case 3: return put(byte, "");
      case 4: return put(section(16), "");
      case 5: return put(token(), "");
      case 6: return put(token(), at(token()));
      case 7: return put({token().at, 0}, at(token()));
      case 8: return put(token(), pick(kWords));
      case 9: return put({byte.at, 0}, pick(kWords));
      case 10:
      case 11:
      case 12: return put(number(), pick(kNumbers));
      case 13: return put_binary_number();
      case 14: return text_.resize(below(text_.size()));
      case 15: return splice();
      case 16: return nest();
      case 17: return repeat(below(2) == 0 ? section(200) : lines());
      case 18: return put(lines(), "");
      default: return put({lines().at, 0}, at(lines()));
    }
  }

  std::vector<std::string> valid_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::string text_;
};

}  // namespace vl::test::hostile
