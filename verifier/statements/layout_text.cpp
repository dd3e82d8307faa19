#include "verifier/statements/layout_text.h"

#include "encodings/map/text.h"

namespace vl::statements {

checker::LayoutText text_for_checker(const map::Layout& layout) {
  checker::LayoutText out;
  out.map = map::print(layout.map()), out.logical = layout.logical().rank();
  out.physical = map::print(layout.physical());
  if (layout.decode()) out.decode = map::print(*layout.decode());
  if (layout.filled()) out.filled = map::print(*layout.filled());
  if (layout.identity()) out.identity = {map::print(layout.identity()->slot), map::print(layout.identity()->element)};
  if (layout.named_axes()) out.named = true;
  return out;
}

}  // namespace vl::statements
