// The entry of tt-mlir's metal layouts in the registry: rules A and B.
#include "encodings/ttmlir/rule_text.h"
#include "encodings/ttmlir/samples.h"
#include "encodings/ttmlir/scan.h"
#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/remap.h"
#include "encodings/use/shards.h"

namespace vl::metal {
namespace {

constexpr std::string_view kForms =
    "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <3x2>, memref<18x32xf32, #tt.memory_space<l1>>>   (rule A)\n"
    "  also #tt.layout<…>, #ttcore.metal_layout<(…) -> (…), …>, and memref<1x1x!tt.tile<32x32, bfp_bf8>, …>\n"
    "tensor<3x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = 53x63, dim_alignments = 96x64,\n"
    "  collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>   (rule B, with its device "
    "shape)\n"
    "  each inside its tensor type, too: tensor<53x63xf32, #tt.metal_layout<…>>\n"
    "memref<1x1x2x2x!ttcore.tile<32x32, f32>, #ttcore.shard<8192x4096, 1>, #l1>   (a device buffer; its tensor is "
    "itself, "
    "f32[1,1,64,64])";

}  // namespace

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "metal",
                                       .forms = kForms,
                                       .default_claims = ttmlir::kDefaultClaims,
                                       .recognises = ttmlir::recognises_metal,
                                       .read = ttmlir::read,
                                       .read_rule = ttmlir::read_rule,
                                       .text_at = ttmlir::text_at,
                                       .shards = ttmlir::shards,
                                       .remap = ttmlir::remap,
                                       .view = ttmlir::view,
                                       .rules = ttmlir::kRules,
                                       .by_rule = ttmlir::by_rule,
                                       .campaign = &ttmlir::kMetalCampaign,
                                       .scan = &ttmlir::kMetalScan};
  return kFamily;
}

}  // namespace vl::metal
