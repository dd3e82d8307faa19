#include "encodings/cute/cute.h"
#include "encodings/cute/reader.h"

namespace vl::cute {

Result<Parsed> parse(std::string_view text) {
  Reader<Index> in(text);
  auto layout = in.read();
  if (!layout) return layout.error();
  if (const auto size = size_of(layout->mode); !size && in.symbolic().empty()) return size.error();
  return Parsed{std::move(*layout), in.symbolic()};
}

}  // namespace vl::cute
