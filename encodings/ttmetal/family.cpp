// The entry of tt-metal's specs in the registry: rule D.
#include "encodings/ttmetal/rule_text.h"
#include "encodings/ttmetal/samples.h"
#include "encodings/ttmetal/scan.h"
#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {
namespace {

constexpr std::string_view kForms =
    "TensorSpec(logical_shape=Shape([53, 63]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16,page_config=…,\n"
    "  memory_config=MemoryConfig(…),alignment=Alignment([32, 32])))   (rule D)\n"
    "ttnn.TensorSpec(ttnn.Shape([53, 63]), ttnn.bfloat16, ttnn.TILE_LAYOUT, ttnn.BufferType.DRAM)\n"
    "layout=TILE: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(…))\n"
    "layout=TILE: ttnn.create_sharded_memory_config(shape=(64, 64), core_grid=ttnn.CoreGrid(y=1, x=2),\n"
    "  strategy=ttnn.ShardStrategy.WIDTH)\n"
    "#ttnn.ttnn_nd_layout<<2x1>, memref<1x1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>>\n"
    "  also in its tensor type; layout=TILE: #ttnn.nd_shard_spec<<[#ttnn.core_range<(0,0), (1,0)>]>, <1x32x32>,\n"
    "  <row_major>, <grid_2d>>\n"
    "banks=12: in front of an interleaved text; tile=Tile((16, 32)) in front of one that states no tile";

}  // namespace

const use::Family& family() {
  static constexpr use::Family kFamily{.name = "ttmetal",
                                       .forms = kForms,
                                       .default_claims = kDefaultClaims,
                                       .recognises = recognises,
                                       .read = read,
                                       .read_rule = read_rule,
                                       .text_at = text_at,
                                       .campaign = &kCampaign,
                                       .scan = &kScan};
  return kFamily;
}

}  // namespace vl::ttmetal
