// The family's entry in the registry.
#include <fmt/format.h>

#include <array>

#include "encodings/tirx/derive.h"
#include "encodings/tirx/laws.h"
#include "encodings/tirx/parts.h"
#include "encodings/tirx/rule_text.h"
#include "encodings/tirx/samples.h"
#include "encodings/tirx/scan.h"
#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace {

constexpr std::array<std::string_view, 3> kDefaultClaims = {"well-formed", "in-bounds", "injective"};

constexpr std::string_view kForms =
    "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid   (a stride without axis is on m)\n"
    "S[(8, 64)] or S[8, 64]   (no strides: row-major on m) · S[8:\"laneid\"] · S[8:4@laneid] · 64 + S[8:1]\n"
    "TileLayout(S[…] + R[…] + …)   (also T.TileLayout(T.S[…]), tvm.tirx.layout.TileLayout(…))\n"
    "TileLayout.from_iters(offset={\"m\": 3})   (one element, as TVM prints it)\n"
    "tmem_datapath_layout(\"F\", 64, 256) · sf_tmem_layout(128, 8, 4) · mma_shared_layout(\"float16\", 3, (64, 256))\n"
    "mma_atom_layout(\"float16\", 3) · TileLayout.trainium(\"FPF\", (32, 512, 512), is_psum=False)\n"
    "SwizzleLayout(per_element=3, swizzle_len=3, atom_len=3[, swizzle_inner=False])\n"
    "ComposeLayout(3, 3, 3, TILE[, swizzle_inner=False]) · ComposeLayout(SwizzleLayout(…), TILE)\n"
    "  integers may be arithmetic (16 * 1024, 128 // 2); with names in their place nothing is decided\n"
    "LAYOUT.slice((16,16), [2:3, 6:10]) · .tile(OUTER, outer_shape, inner_shape) · .direct_sum(LEFT, …) · "
    ".canonicalize()\n"
    "  · .group(…) · .pack(2) · .unpack(2) · .broadcast(4, 0) · .permute_dims((1,0)) · .storage() · .fuse(\"tx\") · "
    ".split(\"tx\")\n"
    "  · .swizzle(3, 3, 3): performed, and each result is proved";

// The layout, or why there is none; the tensor is checked in both cases.
Result<decltype(use::Reading::what)> what_of(const Parsed& parsed, const map::Tensor& tensor) {
  if (parsed.symbolic.empty()) {
    auto layout = lower(parsed.layout, tensor);
    if (!layout) return layout.error();
    return decltype(use::Reading::what)(std::move(*layout));
  }
  if (const auto strides = map::host_strides(tensor); !strides) return strides.error();
  if (const auto logical = map::Space::create(map::Space::dims("x", tensor.size)); !logical) return logical.error();
  return decltype(use::Reading::what)(
      use::Undecidable{fmt::format("'{}' is a name, not a number: symbolic layouts are not encoded", parsed.symbolic)});
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  auto derived = read_derived(text, tensor);
  if (!derived) return derived.error();
  Parsed& parsed = derived->parsed;
  auto what = what_of(parsed, tensor);
  if (!what) return what.error();
  use::Reading reading{std::move(*what),         {}, std::string(text), std::move(parsed.notes), map::bits(tensor.type),
                       std::move(derived->steps)};
  reading.values = map::name(tensor.type);
  if (reading.undecidable() != nullptr) return reading;
  reading.rules = rules_of(parsed.layout);
  reading.normal = print(parsed.layout);
  std::vector<std::string> axes;
  for (const map::Dim& dim : reading.layout()->physical().dims()) axes.push_back(dim.name);
  reading.own_span = own_span(axes, tensor.box, tensor.type);
  return reading;
}

std::optional<Index> elements(std::string_view text) {
  const auto read = read_derived(text, {});
  if (!read || !read->parsed.layout.tile || !read->parsed.symbolic.empty()) return std::nullopt;
  const auto size = size_of(*read->parsed.layout.tile);
  return size ? std::optional(*size) : std::nullopt;
}

std::string swizzled(std::string_view tile, const map::Swizzle& swizzle) {
  return fmt::format("ComposeLayout({}, {}, {}, {})", swizzle.base, swizzle.bits, swizzle.shift, tile);
}

}  // namespace

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "tirx",
                                       .forms = kForms,
                                       .default_claims = kDefaultClaims,
                                       .recognises = &tirx::recognises,
                                       .read = read,
                                       .read_rule = read_rule,
                                       .law = &tirx::law,
                                       .elements = elements,
                                       .swizzled = swizzled,
                                       .parts = &kParts,
                                       .campaign = &kCampaign,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::tirx
