#include "encodings/use/code_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "encodings/base/integer.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::size_t kLongestNumber = 2000;  // bytes of an argument

constexpr std::array<std::string_view, 25> kIntegerWords = {
    "uint64_t", "cuuint64_t", "uint32_t", "cuuint32_t", "int64_t", "int32_t", "size_t",   "ssize_t", "ptrdiff_t",
    "int",      "unsigned",   "long",     "short",      "signed",  "const",   "std",      "ssize",   "index_t",
    "uint",     "Index",      "ulong",    "uint64",     "cuda",    "ull",     "ulonglong"};

// Bytes of types that C++, CUDA and CUTLASS define.
constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kBytes = {
    {{"char", "1"},          {"int8_t", "1"},        {"uint8_t", "1"},      {"bool", "1"},     {"__nv_fp8_e4m3", "1"},
     {"__nv_fp8_e5m2", "1"}, {"float_e4m3_t", "1"},  {"float_e5m2_t", "1"}, {"short", "2"},    {"int16_t", "2"},
     {"uint16_t", "2"},      {"half", "2"},          {"__half", "2"},       {"half_t", "2"},   {"bfloat16_t", "2"},
     {"nv_bfloat16", "2"},   {"__nv_bfloat16", "2"}, {"int", "4"},          {"unsigned", "4"}, {"int32_t", "4"},
     {"uint32_t", "4"},      {"float", "4"},         {"double", "8"},       {"int64_t", "8"},  {"uint64_t", "8"},
     {"tfloat32_t", "4"}}};

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

// Whether all words are of integer types: "const std::uint64_t", "unsigned long".
bool is_integer_type(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    if (end == at) {
      if (text[at] != ' ' && text[at] != ':') return false;
      ++at;
      continue;
    }
    any = true;
    if (std::ranges::find(kIntegerWords, text.substr(at, end - at)) == kIntegerWords.end()) return false;
    at = end;
  }
  return any;
}

std::string_view last_part(std::string_view name) {
  const std::size_t at = name.find_last_of(":. ");
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

// Takes a number's text from left to right, and writes what an expression reads.
class CNumber {
 public:
  CNumber(std::string_view text, const NamesOfC& names) : text_(text), names_(names) {}

  std::string read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c >= '0' && c <= '9') digits();
      else if (is_word(c)) word();
      else if (c == '(' && is_integer_type(trimmed(inside())) && casts()) at_ = text_.find(')', at_) + 1;
      else out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  // What stands between the bracket here and the next closing one.
  [[nodiscard]] std::string_view inside() const {
    const std::size_t end = text_.find_first_of("()", at_ + 1);
    return end == std::string_view::npos || text_[end] == '(' ? std::string_view()
                                                              : text_.substr(at_ + 1, end - at_ - 1);
  }
  // Whether an operand follows the closing bracket.
  [[nodiscard]] bool casts() const {
    const std::size_t next = text_.find_first_not_of(" \n\t\r", text_.find(')', at_) + 1);
    return next != std::string_view::npos && (is_word(text_[next]) || text_[next] == '(');
  }
  void digits() {
    std::size_t end = word_end(text_, at_);
    std::string_view number = text_.substr(at_, end - at_);
    at_ = end;
    const bool hexadecimal = number.starts_with("0x");
    while (!number.empty() && std::string_view("uUlLzZ").find(number.back()) != std::string_view::npos)
      number.remove_suffix(1);
    // Expressions do not read octal numbers.
    const bool octal = number.size() > 1 && number[0] == '0' && !hexadecimal;
    out_ += octal ? "octal(" + std::string(number) : std::string(number);
  }
  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_.substr(at_, 2) == "::"))
      at_ += is_word(text_[at_]) ? 1 : 2;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const char sign = next < text_.size() ? text_[next] : '\0';
    if (name == "sizeof" && sign == '(') return size_of(next);
    if (name == "static_cast" && sign == '<') {
      const std::size_t end = text_.find('>', next);
      if (end != std::string_view::npos && is_integer_type(text_.substr(next + 1, end - next - 1))) at_ = end + 1;
      else out_ += name;
    } else if (sign == '[') {
      subscript(name, next);
    } else if ((sign != '(' && sign != '{') || !is_integer_type(name)) {
      out_ += name;  // of uint64_t(K) the bracket stays
    }
  }
  void size_of(std::size_t open) {
    const std::size_t end = text_.find(')', open);
    const std::string_view type =
        last_part(trimmed(text_.substr(open + 1, end == std::string_view::npos ? 0 : end - open - 1)));
    const auto bytes = [](std::string_view name) {
      return std::ranges::find(kBytes, last_part(trimmed(name)), &std::pair<std::string_view, std::string_view>::first);
    };
    auto known = bytes(type);
    if (known == kBytes.end()) known = bytes(names_.type(type));
    if (known == kBytes.end()) {
      out_ += "sizeof";
      return;
    }
    out_ += known->second;
    at_ = end + 1;
  }
  void subscript(std::string_view name, std::size_t open) {
    const std::size_t end = text_.find(']', open);
    const std::string_view number = trimmed(text_.substr(open + 1, end == std::string_view::npos ? 0 : end - open - 1));
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool plain = error == std::errc{} && stop == number.data() + number.size();
    const auto entry = plain ? names_.entry(name, value) : std::nullopt;
    if (!entry) {
      out_ += name;
      return;
    }
    out_ += "(" + *entry + ")";
    at_ = end + 1;
  }

  std::string_view text_;
  const NamesOfC& names_;
  std::size_t at_ = 0;
  std::string out_;
};

bool is_python_integer(std::string_view name) {
  return name == "int" || name == "U64" || name == "U32" || name.ends_with("uint64_t") || name.ends_with("uint32_t") ||
         name == "c_uint64" || name == "c_uint32" || name == "c_int" || name == "c_uint" || name == "c_int64" ||
         name == "c_uint8" || name == "c_ulonglong" || name == "c_void_p";
}

}  // namespace

std::string c_number(std::string_view text, const NamesOfC& names) {
  return text.size() > kLongestNumber ? std::string(text.substr(0, 1)) + "{" : CNumber(text, names).read();
}

std::string python_number(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < std::min(text.size(), kLongestNumber);) {
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
    if (end > at) {
      const bool call = end < text.size() && text[end] == '(';
      const std::string_view name = text.substr(at, end - at);
      if (!call || !is_python_integer(last_part(name))) out += name;
      at = end;
      continue;
    }
    out += text[at++];
  }
  return text.size() > kLongestNumber ? out + "{" : out;
}

std::string_view without_casts(std::string_view text) {
  text = trimmed(text);
  for (int k = 0; k < 4; ++k) {
    for (const std::string_view word : {"static_cast<", "reinterpret_cast<", "const_cast<"})
      if (const std::size_t open = text.find('(');
          text.starts_with(word) && open != std::string_view::npos && text.back() == ')')
        text = trimmed(text.substr(open + 1, text.size() - open - 2));
    const std::size_t close = text.starts_with("(") ? text.find(')') : std::string_view::npos;
    if (close == std::string_view::npos) break;
    const std::string_view inner = text.substr(1, close - 1);
    const bool type = std::ranges::all_of(
        inner, [](char c) { return is_word(c) || std::string_view(" :*&[]").find(c) != std::string_view::npos; });
    if (!type) break;
    text = trimmed(close + 1 == text.size() ? inner : text.substr(close + 1));
  }
  return text;
}

}  // namespace vl::use
