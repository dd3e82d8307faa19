#include <fmt/format.h>

#include "encodings/cute/cute.h"

namespace vl::cute {
namespace {

std::string print(const Mode& mode, Index Mode::*number) {
  if (mode.leaf) return fmt::format("{}", mode.*number);
  std::string out = "(";
  for (std::size_t k = 0; k < mode.modes.size(); ++k) out += (k == 0 ? "" : ",") + print(mode.modes[k], number);
  return out + ")";
}

}  // namespace

std::string print(const Layout& layout) {
  std::string plain = print(layout.mode, &Mode::extent) + ":" + print(layout.mode, &Mode::stride);
  if (!layout.swizzle) return plain;
  const auto& [bits, base, shift] = *layout.swizzle;
  return fmt::format("Sw<{},{},{}> o {} o {}", bits, base, shift, layout.offset, plain);
}

}  // namespace vl::cute
