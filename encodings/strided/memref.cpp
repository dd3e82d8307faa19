// MLIR's memrefs with strides: <2x3xf32[, strided<[1, 4], offset: 2>][, MEMORY SPACE]>.
#include <algorithm>

#include "encodings/strided/strided.h"

namespace vl::strided {
namespace {

// 1, "shared", #gpu.address_space<workgroup>. An alias may be a layout, and so is an affine_map.
void take_memory_space(Cursor& in) {
  in.skip_space();
  const std::size_t at = in.offset();
  const std::string_view rest = in.text().substr(at);
  const std::size_t end = rest.find_first_of(",<>");
  const std::string_view word = rest.substr(0, end);
  const bool attribute = word.starts_with("#") && word.find('.') != word.npos;
  if (!attribute && !word.starts_with("\"") && (word.empty() || word.find_first_not_of("0123456789") != word.npos))
    return in.fail(ErrorCode::Value, "expected strided<…> or a memory space; other layout maps are not read", at);
  if (end == word.npos) return in.fail("expected '>', found the end");
  in.move_to(at + end);
  if (!attribute || !in.accept("<")) return;
  in.move_to(std::min(in.text().find_first_of("<>", in.offset()), in.text().size()));
  in.expect(">");
}

}  // namespace

template <class N>
void take_memref(use::Numbers<N>& text, Said<N>& said) {
  Cursor& in = text.in;
  in.expect("<");
  in.skip_space();
  const std::size_t at = in.offset(), end = std::min(in.text().find_first_of(",>", at), in.text().size());
  std::string shape(in.text().substr(std::min(at, end), end - std::min(at, end)));
  in.move_to(end);
  if (shape.find('?') != std::string::npos && text.undecidable.empty())
    text.undecidable = "'?' is a dynamic number, which the text does not state";
  std::ranges::replace(shape, '?', '1');
  if (map::element_type_of(shape)) shape += "[]";
  const auto tensor = map::parse_tensor(shape);
  if (!tensor) return in.fail(tensor.error().code, tensor.error().message, std::min(at + tensor.error().offset, end));
  said.type = tensor->type;
  said.view.size.assign(tensor->size.begin(), tensor->size.end());
  while (in.accept(",")) {
    if (!in.accept("strided")) {
      take_memory_space(in);
      continue;
    }
    in.expect("<");
    said.view.stride = take_list(text);
    if (in.accept(",")) in.expect("offset"), in.expect(":"), said.view.offset = take_number(text);
    in.expect(">");
    said.strides = true;
  }
  in.expect(">");
  if (!said.strides) said.view.stride = dense(text, said.view.size);
  if (said.view.stride.size() == said.view.size.size()) return;
  said.refuse(ErrorCode::Shape,
              fmt::format("{} for {}", plural(std::ssize(said.view.stride), "stride"),
                          plural(std::ssize(said.view.size), "size")),
              at);
}
template void take_memref(use::Numbers<Index>&, Said<Index>&);
template void take_memref(use::Numbers<map::Expression>&, Said<map::Expression>&);

}  // namespace vl::strided
