// A made-up notation, with numbers or names: what a new family writes.
//
//   bands[M, K x T] pitch P    a matrix of M rows and K bands of T columns, each band row-major and P places behind the
//                              one before: element [i, T·k + t] lies at P·k + T·i + t
//
// Example: bands[4, 2 x 3] pitch 12 of f16[4,6]: element [1, 4] lies at 12 + 3 + 1 = 16.
#pragma once

#include "encodings/use/notation.h"

namespace vl::test {

struct Bands {
  static constexpr std::string_view kName = "bands", kForms = "bands[4, 2 x 3] pitch 12";

  template <class N>
  static Result<map::Blueprint<N>> blueprint(use::Numbers<N>& text, const map::BasicTensor<N>&) {
    text.in.expect("bands");
    text.in.expect("[");
    const N rows = text.extent();
    text.in.expect(",");
    const N bands = text.extent();
    text.in.expect("x");
    const N columns = text.extent();
    text.in.expect("]");
    text.in.expect("pitch");
    const N pitch = text.take();
    map::Blueprint<N> out;
    out.named_axes = true;
    out.levels = {{text.times(bands, columns), rows}, {columns, bands}, {1, columns}};
    map::Reach<N> reach(0);
    map::BasicPlace<N>& place = out.places.emplace_back();
    place.name = map::kMemoryAxis;
    place.terms = {{0, columns}, {1, pitch}, {2, 1}};
    for (const auto& [level, stride] : place.terms)
      if (!reach.add(stride, out.levels[level].extent)) return Error{ErrorCode::Overflow, "places beyond 64 bits"};
    place.extent = place.filled = reach.span().value_or(1);
    return out;
  }
};

}  // namespace vl::test
