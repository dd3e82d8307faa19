#include "encodings/use/code_calls.h"

#include <algorithm>

#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kLongestTypes = 200;  // bytes between < and >

std::size_t next_letter(std::string_view code, std::size_t at) {
  return std::min(code.find_first_not_of(kSpaces, std::min(at, code.size())), code.size());
}

// The bracket of the arguments after a name that ends at `end`; npos where it is not called.
std::size_t bracket_after(std::string_view code, std::size_t begin, std::size_t end) {
  std::size_t at = next_letter(code, end);
  if (code.substr(at, 1) == "<") {
    const std::size_t close = code.substr(at, kLongestTypes).find_first_of(">;{}()");
    if (close == std::string_view::npos || code[at + close] != '>') return std::string_view::npos;
    at = next_letter(code, at + close + 1);
  }
  if (code.substr(at, 1) == ")") {  // CHECKED(f)(…)
    const std::size_t front = code.substr(0, begin).find_last_not_of(kSpaces);
    if (front == std::string_view::npos || code[front] != '(') return std::string_view::npos;
    at = next_letter(code, at + 1);
  }
  return code.substr(at, 1) == "(" ? at : std::string_view::npos;
}

// Whether a type or `def` stands in front of a name.
bool is_declaration(std::string_view code, std::size_t begin) {
  const std::size_t start = code.substr(0, begin).find_last_of(";{}(\n=") + 1;
  const std::string_view front = trimmed(code.substr(start, begin - start));
  if (front.empty()) return false;
  for (const std::string_view word : {"return", "else", "throw", "await", "not", "in", "and", "or", "do"})
    if (front.ends_with(word)) return false;
  return is_word(front.back()) || front.back() == '*';
}

}  // namespace

std::vector<FoundCall> calls_in(const Brackets& brackets, std::string_view code, std::string_view word) {
  std::vector<FoundCall> out;
  for (std::size_t at = code.find(word); at != std::string_view::npos; at = code.find(word, at + 1)) {
    std::size_t begin = at, end = at;
    while (begin > 0 && is_word(code[begin - 1])) --begin;
    while (end < code.size() && is_word(code[end])) ++end;
    at = end - 1;
    const std::size_t open = bracket_after(code, begin, end);
    if (open == std::string_view::npos || is_declaration(code, begin)) continue;
    const std::size_t close = brackets.closing(open);
    FoundCall call{code.substr(begin, end - begin), begin, open, close != std::string_view::npos};
    if (call.closed) call.end = close + 1, call.arguments = brackets.parts(open);
    out.push_back(std::move(call));
  }
  return out;
}

}  // namespace vl::use
