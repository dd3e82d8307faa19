// Strided views as systems print them: a shape, strides and an offset into a storage.
//
//   text  ::= base step*
//   base  ::= size=(2, 3), stride=(3, 1)[, storage_offset=0][, dtype=torch.float32]      PyTorch: elements
//           | empty_strided((2, 3), (3, 1), torch.float32) | reinterpret_tensor(b, (2, 3), (3, 1), 0) | FixedLayout(…)
//           | shape=(2, 3), strides=(24, 8), dtype=float64 (or itemsize=8)               NumPy: bytes
//           | DLTensor(shape=[2, 3], strides=[3, 1], byte_offset=0)                      DLPack: elements
//           | (2, 3), strides (3, 1) elements | …, strides (24, 8) bytes                 the text states the unit
//           | ne=[3, 2], nb=[8, 24]                                                      ggml: bytes, ne[0] is last
//           | memref<2x3xf32, strided<[3, 1], offset: 0>>                                MLIR: elements
//           | size=(2, 3, 4, 5), memory_format=channels_last                             or NHWC, NCHW, NDHWC, …
//           | torch.arange(6) | torch.empty(2, 3)                                        dense
//   step  ::= .view(…) .reshape(…) .permute(…) .transpose(a, b) .movedim(a, b) .t() .T .mT .expand(…) .flatten(…)
//           | .unsqueeze(d) .squeeze(…) .select(d, i) .narrow(d, start, length) .as_strided(…) .contiguous() | [1:3, :,
//           0]
//
// Element x lies at offset + Σ stride_i·x_i, in elements, on the axis m. A text without a unit is refused, and so is a
// view of strides that it cannot have. `.contiguous()` of what is not contiguous, and a `.reshape` that copies, are new
// memories: dense, from place 0.
//
// Example: size=(2, 3, 4, 5), stride=(60, 1, 15, 3) has (1, 2, 3, 4) at 60 + 2 + 45 + 12 = 119.
#pragma once

#include "encodings/base/words.h"
#include "encodings/map/tensor.h"
#include "encodings/use/notation.h"

namespace vl::strided {

template <class N>
struct View {
  std::vector<N> size;
  std::vector<N> stride;  // in elements
  N offset = 0;           // in elements
};

/// What a text says. `wrong`: why it is no layout, although it is in the notation.
template <class N>
struct Said {
  View<N> view;
  std::optional<map::ElementType> type;  // that the text states
  bool numpy = false;                    // of an array of NumPy's, whose transpose() takes all axes
  bool strides = false;                  // the base states strides
  std::optional<Error> wrong;

  void refuse(ErrorCode code, std::string why, std::size_t at) {
    if (!wrong) wrong = Error{code, std::move(why), at};
  }
};

/// Takes a text. Bytes that no type of the text measures are those of `given`. Errors: Syntax and Overflow in the
/// cursor, all others in `wrong`.
template <class N>
[[nodiscard]] Said<N> take_said(use::Numbers<N>& text, std::optional<map::ElementType> given);

/// (2, 3), [2, 3] or {2, 3}. A number that is '?' makes the text undecidable.
template <class N>
[[nodiscard]] std::vector<N> take_list(use::Numbers<N>& text);
template <class N>
[[nodiscard]] N take_number(use::Numbers<N>& text);
/// Takes what follows the word memref.
template <class N>
void take_memref(use::Numbers<N>& text, Said<N>& said);
/// Takes the steps after a base.
template <class N>
void take_steps(use::Numbers<N>& text, Said<N>& said);

/// Whether two numbers are known to be the same: expressions if they are the same polynomial.
[[nodiscard]] inline bool is_same(Index a, Index b) { return a == b; }
[[nodiscard]] bool is_same(const map::Expression& a, const map::Expression& b);
[[nodiscard]] inline std::optional<Index> known(Index a) { return a; }
[[nodiscard]] inline std::optional<Index> known(const map::Expression& a) { return a.number(); }
[[nodiscard]] inline std::string words(Index a) { return fmt::format("{}", a); }
[[nodiscard]] inline std::string words(const map::Expression& a) { return map::print(a); }
/// "[2, 3*N]".
template <class N>
[[nodiscard]] std::string words(const std::vector<N>& all) {
  std::string out;
  for (const N& one : all) out += (out.empty() ? "" : ", ") + words(one);
  return "[" + out + "]";
}

/// a + b·c. An error of the text where that leaves 64 bits.
template <class N>
[[nodiscard]] N plus(use::Numbers<N>& text, const N& a, const N& b, const N& c) {
  if constexpr (use::Numbers<N>::kHasNames) {
    return a + b * c;
  } else {
    N out = a;
    if (!accumulate(out, b, c)) text.in.fail(ErrorCode::Overflow, "an offset does not fit in 64 bits", 0);
    return text.in.failed() ? N(0) : out;
  }
}

/// The strides of a dense tensor whose dimensions lie in this order, the last one fastest. Requires: a permutation.
template <class N>
[[nodiscard]] std::vector<N> dense(use::Numbers<N>& text, const std::vector<N>& size,
                                   std::span<const std::size_t> order) {
  std::vector<N> out(size.size(), N(1));
  N number = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    out[order[k]] = number;
    number = text.times(number, size[order[k]]);
  }
  return out;
}
template <class N>
[[nodiscard]] std::vector<N> dense(use::Numbers<N>& text, const std::vector<N>& size) {
  std::vector<std::size_t> order(size.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  return dense(text, size, order);
}

/// Whether a text begins as one of the notations does.
[[nodiscard]] bool recognises(std::string_view text);

}  // namespace vl::strided
