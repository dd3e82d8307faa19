// Layout expressions: a layout followed by derivations, applied from left to right.
//
//   LAYOUT.restickify(1)                             LAYOUT.resize((3, 5)[, old_size=(4, 5)])
//   LAYOUT.rescale(torch.float16[, extent=32][, host_size=(4, 32)[, host_stride=(32, 1)]][, ElementArrangement.QFP8CH])
//   rescale_stl_for_dtype(LAYOUT, torch.float16[, …])
//
// What is known of the tensor before a derivation: the arguments of LAYOUT's constructor, else, for restickify alone
// and only where no resize comes later, the tensor of the question, whose size and strides a restickify and a rescale
// keep. That tensor is the one *after* the last derivation: of the new size, and of the dtype that the last one names.
// rescale of a raw layout never looks at it: the text alone says whether the number of sticks is known.
//
// rescale_stl_for_dtype is torch-spyre's own function, and is as strict as it: it does not know the constructor's
// arguments, unless `host_size` is among its own. A bare host_size or host_stride(s), as in its tests, names them. Of
// two slots that step by a whole stick it takes the one where the constructor puts the count; .rescale refuses to
// choose.
#pragma once

#include "encodings/spyre/derive.h"

namespace vl::spyre {

struct Expression {
  SpyreTensorLayout layout;        // of the whole expression
  std::vector<std::string> notes;  // one a derivation: what it changed
};

/// Reads a layout in any notation of parse(), derivations behind it included. Errors: those of parse() and of the
/// derivations (derive.h), at their place in the text.
[[nodiscard]] Result<Expression> read_expression(std::string_view text, const map::Tensor& tensor);

}  // namespace vl::spyre
