// The entry of TTNN's layouts in the registry: rule C.
#include "encodings/ttmlir/rule_text.h"
#include "encodings/ttmlir/samples.h"
#include "encodings/ttmlir/scan.h"
#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/remap.h"
#include "encodings/use/shards.h"

namespace vl::ttnn {
namespace {

constexpr std::string_view kForms =
    "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, "
    "<interleaved>>   (rule C)\n"
    "  inside its tensor type, too: tensor<32x64xbf16, #ttnn.ttnn_layout<…>>";

}  // namespace

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "ttnn",
                                       .forms = kForms,
                                       .default_claims = ttmlir::kDefaultClaims,
                                       .recognises = ttmlir::recognises_ttnn,
                                       .read = ttmlir::read,
                                       .read_rule = ttmlir::read_rule,
                                       .text_at = ttmlir::text_at,
                                       .shards = ttmlir::shards,
                                       .remap = ttmlir::remap,
                                       .rules = ttmlir::kRules,
                                       .by_rule = ttmlir::by_rule,
                                       .campaign = &ttmlir::kTtnnCampaign,
                                       .scan = &ttmlir::kTtnnScan};
  return kFamily;
}

}  // namespace vl::ttnn
