// The family's entry in the registry.
#include <fmt/format.h>

#include <array>

#include "encodings/cute/cute.h"
#include "encodings/cute/parts.h"
#include "encodings/cute/rule_text.h"
#include "encodings/cute/samples.h"
#include "encodings/cute/scan.h"
#include "encodings/use/notation.h"

namespace vl::cute {
namespace {

constexpr std::array<std::string_view, 2> kDefaultClaims = {"in-bounds", "injective"};

constexpr std::string_view kForms =
    "Layout((4,(2,2)),(1,(4,8))) · (4,(2,2)):(1,(4,8)) · 8:2 · (_4,_2):(_1,_4) · (4, (2, 2)):(1, (4, 8))\n"
    "Sw<3,4,3> o 0 o (8,64):(64,1) · S<3,4,3> o (8,64):(64,1) · Swizzle<3,4,3> o … · SW_3_4_3 o …\n"
    "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)   (the swizzle counts bytes)\n"
    "Layout<Shape<_4,Shape<_2,_2>>,Stride<_1,Stride<_4,_8>>> · Layout<Shape<_4,_2>>   (compact)\n"
    "make_layout(make_shape(Int<4>{}, 2), LayoutRight{}) · make_layout(make_shape(4, 2), make_stride(1, 4))\n"
    "cute.make_layout((4, 2), stride=(1, 4)) · make_layout(make_shape(M, ceil_div(K, 8)), make_stride(K, 1))\n"
    "ComposedLayout<Swizzle<3,4,3>, _0, Layout<…>> · composition(Swizzle<3,4,3>{}, Layout<…>{})\n"
    "  integers may be arithmetic (16*8, N/2), and names stand for sizes; of dynamic integers (?) and coordinate\n"
    "  strides (1@0) nothing is decided";

Result<decltype(use::Reading::what)> what_of(const Parsed& parsed, const map::Tensor& tensor) {
  if (parsed.symbolic.empty()) {
    auto layout = lower(parsed.layout, tensor);
    if (!layout) return layout.error();
    return decltype(use::Reading::what)(std::move(*layout));
  }
  if (const auto host = map::host_of(tensor); !host) return host.error();
  return decltype(use::Reading::what)(use::Undecidable{parsed.symbolic});
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  if (!recognises(text))
    return Error{ErrorCode::Syntax, "expected a CuTe layout, as in (4,2):(1,4) or Sw<3,4,3> o 0 o (8,64):(64,1)", 0};
  const auto parsed = parse(text);
  if (!parsed) return parsed.error();
  auto what = what_of(*parsed, tensor);
  if (!what) return what.error();
  use::Reading reading = use::reading_of(text, tensor.type);
  reading.what = std::move(*what);
  reading.counts_first_fastest = true;
  if (tensor.box.empty()) reading.own_span.emplace_back(map::kMemoryAxis);
  if (reading.undecidable() == nullptr) reading.normal = print(parsed->layout);
  return reading;
}

std::optional<Index> elements(std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed || !parsed->symbolic.empty()) return std::nullopt;
  const auto size = size_of(parsed->layout.mode);
  return size ? std::optional(*size) : std::nullopt;
}

std::string coalesced(std::string_view text) {
  Layout layout = parse(text)->layout;
  std::vector<Mode> leaves = leaves_of(layout.mode);
  std::erase_if(leaves, [](const Mode& leaf) { return leaf.extent == 1; });
  if (leaves.empty()) leaves.push_back({});  // 1:0
  layout.mode = {.leaf = false, .modes = std::move(leaves)};
  return print(layout);
}

Result<std::string> complement_of(std::string_view text, Index cotarget) {
  const auto parsed = parse(text);
  if (!parsed) return parsed.error();
  if (!parsed->symbolic.empty()) return Error{ErrorCode::Value, parsed->symbolic};
  const auto out = complement(parsed->layout, cotarget);
  if (!out) return out.error();
  return print(*out);
}

}  // namespace

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "cute",
                                       .forms = kForms,
                                       .default_claims = kDefaultClaims,
                                       .recognises = &cute::recognises,
                                       .read = read,
                                       .read_rule = read_rule,
                                       .text_at = text_at,
                                       .elements = elements,
                                       .goes_on = true,
                                       .coalesced = coalesced,
                                       .complement = complement_of,
                                       .parts = &kParts,
                                       .campaign = &kCampaign,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::cute
