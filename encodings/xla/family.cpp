// The family's entry in the registry.
#include <fmt/format.h>

#include "encodings/xla/scan.h"
#include "encodings/xla/xla.h"

namespace vl::xla {
namespace {

constexpr std::array<std::string_view, 4> kDefaultClaims = {"in-bounds", "injective", "bijective", "padding"};

constexpr std::string_view kForms =
    "f32[5,100]{1,0:T(8,128)} · bf16[16,256]{1,0:T(8,128)(2,1)} · f32[2,7,8]{2,1,0:T(*,2,3)}   (XLA's tiles)\n"
    "f32[5,100]{0,1} · f32[5,100]   (minor to major; without braces row-major)\n"
    "f32[M,N]{1,0:T(8,128)}   (names stand for sizes) · s4[5,3]{1,0:T(8,128)L(1024)E(4)S(1)}";

struct Notation {
  template <class N>
  static Result<map::Blueprint<N>> blueprint(use::Numbers<N>& text, const map::BasicTensor<N>& tensor) {
    const BasicShape<N> shape = take_shape(text);
    if (text.in.failed() || !text.undecidable.empty()) return map::Blueprint<N>{};
    return blueprint_of(shape, text, tensor);
  }
};

template <class N>
Result<use::Reading> reading(std::string_view text, const map::BasicTensor<N>& tensor) {
  if (!recognises(text)) return Error{ErrorCode::Syntax, "expected a shape of XLA, as in f32[5,100]{1,0:T(8,128)}", 0};
  auto out = use::read_notation<Notation>(text, tensor);
  if (!out) return out;
  out->own_span.clear();
  use::Numbers<map::Expression> again(text);
  const BasicShape<map::Expression> shape = take_shape(again);
  const int bits = map::bits(tensor.type);
  out->device_bits = shape.bits > 0 ? static_cast<int>(shape.bits) : (bits + 7) / 8 * 8;
  if (out->device_bits != bits) out->values = {};
  if (shape.memory > 0)
    out->notes.push_back(fmt::format("memory space {}: places are counted in that memory", shape.memory));
  return out;
}

}  // namespace

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) { return reading(text, tensor); }
Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) { return reading(text, tensor); }

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "xla",
                                       .forms = kForms,
                                       .default_claims = kDefaultClaims,
                                       .recognises = xla::recognises,
                                       .read = xla::read,
                                       .read_rule = xla::read_rule,
                                       .text_at = use::notation_at<Notation>,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::xla
