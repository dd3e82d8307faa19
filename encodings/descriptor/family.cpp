// The family's entry in the registry.
#include <array>

#include "encodings/descriptor/operand.h"
#include "encodings/use/notation.h"

namespace vl::descriptor {

namespace {

constexpr std::array<std::string_view, 2> kDefaultClaims = {"in-bounds", "injective"};

constexpr std::string_view kForms =
    "smemdesc(wgmma, K, f16, start 1024, sbo 1024, swizzle 128B)   (wgmma or tcgen05, K or MN; lbo, sbo, start in "
    "bytes)\n"
    "wgmma:0x4000004000010040 · tcgen05:0x4000404002000000 MN   (the 64 bits; K-major unless MN is written)\n"
    "  of a tensor [mn, k]; places are in elements of shared memory";

bool recognises(std::string_view text) {
  Cursor in(text);
  if (in.accept("smemdesc")) return in.accept("(");
  return (in.accept("wgmma") || in.accept("tcgen05")) && in.accept(":");
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  if (!recognises(text))
    return Error{ErrorCode::Syntax, "expected a matrix descriptor, as in wgmma:0x4000004000010040", 0};
  const auto operand = parse(text);
  if (!operand) return operand.error();
  use::Reading out = use::reading_of(text, tensor.type);
  if (operand->base_offset != 0 || operand->lbo_mode != 0) {
    out.what = use::Undecidable{"how a base offset, or an absolute LBO, enters the address is not established"};
    return out;
  }
  auto layout = lower(*operand, tensor);
  if (!layout) return layout.error();
  out.what = std::move(*layout);
  out.normal = print(*operand);
  if (tensor.box.empty()) out.own_span.emplace_back(map::kMemoryAxis);
  if (operand->assumed)
    out.warnings.emplace_back("K-major is assumed: the 64 bits do not say it; write K or MN after them");
  return out;
}

}  // namespace

[[nodiscard]] const use::Family& family();
const use::Family& family() {
  static constexpr use::Family kFamily{.name = "descriptor",
                                       .forms = kForms,
                                       .default_claims = kDefaultClaims,
                                       .recognises = descriptor::recognises,
                                       .read = descriptor::read};
  return kFamily;
}

}  // namespace vl::descriptor
