// Numbers and lists of a text, and whether two expressions are the same.
#include "encodings/strided/strided.h"

namespace vl::strided {

bool is_same(const map::Expression& a, const map::Expression& b) { return a == b || map::print(a - b) == "0"; }

template <class N>
N take_number(use::Numbers<N>& text) {
  if (!text.in.accept("?")) return text.take();
  if (text.undecidable.empty()) text.undecidable = "'?' is a dynamic number, which the text does not state";
  return 1;
}
template Index take_number(use::Numbers<Index>&);
template map::Expression take_number(use::Numbers<map::Expression>&);

template <class N>
std::vector<N> take_list(use::Numbers<N>& text) {
  Cursor& in = text.in;
  const char open = in.peek();
  const std::string_view close = open == '(' ? ")" : open == '[' ? "]" : "}";
  if (open != '(' && open != '[' && open != '{') in.fail(fmt::format("expected a list, found {}", in.found()));
  else in.move_to(in.offset() + 1);
  std::vector<N> out;
  while (!in.failed() && !in.accept(close)) {
    if (!out.empty()) {
      in.expect(",");
      if (in.accept(close)) break;
    }
    out.push_back(take_number(text));
  }
  return out;
}
template std::vector<Index> take_list(use::Numbers<Index>&);
template std::vector<map::Expression> take_list(use::Numbers<map::Expression>&);

}  // namespace vl::strided
