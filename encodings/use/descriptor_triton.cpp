// Triton's tensor descriptors. A call states sizes, strides in elements and the block; it states neither the type of
// the elements, nor the box and the swizzle, which the compiler chooses from the block. So every call is found, and
// none is read as a tensor map.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/use/brackets.h"
#include "encodings/use/descriptor_readers.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::array<std::string_view, 3> kTritonCalls = {"make_tensor_descriptor", "TensorDescriptor",
                                                          "TensorDescriptor.from_tensor"};

// Whether the arguments name a block: classes of other libraries have the same name.
bool has_block(const std::vector<std::string_view>& arguments, bool from_tensor) {
  const auto named = [](std::string_view each) { return starts_with_word(each, "block_shape"); };
  return arguments.size() >= (from_tensor ? 2U : 4U) || std::ranges::any_of(arguments, named);
}

}  // namespace

void add_triton(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (language != SourceLanguage::Python || std::ranges::none_of(kTritonCalls, has)) return;
  const std::string code = plain_code(language, text);
  const Brackets brackets(code);
  const std::string_view view = code;
  for (const std::string_view name : kTritonCalls)
    for (std::size_t at = view.find(name); at != std::string_view::npos; at = view.find(name, at + 1)) {
      const std::size_t open = at + name.size();
      if (open >= view.size() || view[open] != '(' || (at > 0 && is_word(view[at - 1])) || is_declared(view, at))
        continue;
      const std::size_t end = brackets.closing(open);
      if (end == std::string_view::npos) {
        out.push_back({at, open, "a call whose bracket is not closed"});
        continue;
      }
      const bool from_tensor = name.ends_with("from_tensor");
      if (!has_block(brackets.parts(open), from_tensor)) continue;
      out.push_back({at, end + 1,
                     fmt::format("Triton's {} states no element type{}; its compiler chooses the box and the swizzle "
                                 "(state them as a tensormap(…))",
                                 name, from_tensor ? ", no sizes and no strides" : "")});
    }
}

}  // namespace vl::use
