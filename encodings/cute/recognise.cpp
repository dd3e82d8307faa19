// Which texts are CuTe's: those that begin as its layouts are printed or constructed, and a tuple or a number with a
// stride behind.
#include <initializer_list>

#include "encodings/cute/cute.h"

namespace vl::cute {

bool recognises(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  if (text.starts_with("cute::")) text.remove_prefix(6);
  if (text.starts_with("cute.")) text.remove_prefix(5);
  for (const std::string_view start : {"S<", "Sw<", "SW_", "Swizzle<", "Swizzle(", "Layout<", "Layout(", "make_layout(",
                                       "composition(", "ComposedLayout<", "ComposedLayout("})
    if (text.starts_with(start)) return true;
  if (text.empty()) return false;
  // A number or a tuple in front of a stride. Other systems have tuples alone.
  if (text.front() != '(' && text.front() != '[') {
    const std::size_t end = text.find_first_not_of("_-?0123456789 ");
    return end > 0 && end != std::string_view::npos && text[end] == ':';
  }
  std::size_t at = 0, open = 0;
  do {
    if (text[at] == '(' || text[at] == '[') ++open;
    if (text[at] == ')' || text[at] == ']') --open;
    ++at;
  } while (open > 0 && at < text.size());
  while (at < text.size() && blank(text[at])) ++at;
  return open == 0 && at < text.size() && text[at] == ':';
}

}  // namespace vl::cute
