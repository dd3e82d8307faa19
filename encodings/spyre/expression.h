// Layout expressions: a layout followed by derivations, applied from left to right.
//
//   LAYOUT.restickify(1)                             LAYOUT.resize((3, 5)[, old_size=(4, 5)])
//   LAYOUT.rescale(torch.float16[, extent=32][, host_size=(4, 32)[, host_stride=(32, 1)]][, ElementArrangement.QFP8CH])
//   rescale_stl_for_dtype(LAYOUT, torch.float16[, …])
//
// The tensor before a derivation comes from the arguments of LAYOUT's constructor. A restickify without a later resize
// may also use the tensor of the question, because restickify and rescale keep size and strides. That tensor is the one
// *after* the last derivation: it has the new size, and the dtype that the last derivation names. rescale of a raw
// layout never looks at it: the text alone decides whether the number of sticks is known.
//
// rescale_stl_for_dtype is torch-spyre's own function, and is as strict here: it does not know the constructor's
// arguments, unless `host_size` is among its own. A bare host_size or host_stride(s), as in its tests, names them. Of
// two slots that step by a whole stick it takes the one at the constructor's place; .rescale refuses to choose.
#pragma once

#include "encodings/spyre/derive.h"

namespace vl::spyre {

// Each derivation comes with its law (laws.h): the constructor's layout for the tensor, the format and the dim order
// that result. It is known where today's constructor gives the layout before, also to a raw layout.
struct Expression {
  SpyreTensorLayout layout;        // of the whole expression
  std::vector<std::string> notes;  // one per derivation: its changes
  std::vector<use::Derivation> derived = {};
  bool lawless = false;  // a derivation of a layout that no constructor gives
};

/// Reads a layout in any notation of parse(), with its derivations. Errors: those of parse() and of the derivations
/// (derive.h), at their place in the text.
[[nodiscard]] Result<Expression> read_expression(std::string_view text, const map::Tensor& tensor);

}  // namespace vl::spyre
