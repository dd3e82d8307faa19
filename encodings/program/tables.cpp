// Tables of operations.
#include <algorithm>
#include <array>
#include <string>

#include "encodings/program/python.h"

namespace vl::program {
namespace {

using enum Form;

// Functions of elements that have one name in every notation.
constexpr std::array kFunctions = std::to_array<Row>({
    {"abs", Pointwise, "abs"},     {"acos", Pointwise, "acos"},        {"asin", Pointwise, "asin"},
    {"atan", Pointwise, "atan"},   {"ceil", Pointwise, "ceil"},        {"cos", Pointwise, "cos"},
    {"erf", Pointwise, "erf"},     {"erfc", Pointwise, "erfc"},        {"exp", Pointwise, "exp"},
    {"expm1", Pointwise, "expm1"}, {"floor", Pointwise, "floor"},      {"log", Pointwise, "log"},
    {"log1p", Pointwise, "log1p"}, {"maximum", Pointwise, "max", 2},   {"minimum", Pointwise, "min", 2},
    {"neg", Pointwise, "neg"},     {"reciprocal", Pointwise, "recip"}, {"relu", Pointwise, "relu"},
    {"rsqrt", Pointwise, "rsqrt"}, {"sigmoid", Pointwise, "sigmoid"},  {"sign", Pointwise, "sign"},
    {"silu", Pointwise, "silu"},   {"sin", Pointwise, "sin"},          {"sqrt", Pointwise, "sqrt"},
    {"tan", Pointwise, "tan"},     {"tanh", Pointwise, "tanh"},
});

// ttir and ttnn.
constexpr std::array kTensor = std::to_array<Row>({
    {"gelu", Pointwise, "gelu"},
    {"hardsigmoid", Pointwise, "hardsigmoid"},
    {"softsign", Pointwise, "softsign"},
    {"logical_not", Pointwise, "eqz"},
    {"add", Pointwise, "add", 2},
    {"subtract", Pointwise, "sub", 2},
    {"multiply", Pointwise, "mul", 2},
    {"div", Pointwise, "div", 2},
    {"divide", Pointwise, "div", 2},
    {"eq", Pointwise, "eq", 2},
    {"ne", Pointwise, "ne", 2},
    {"lt", Pointwise, "lt", 2},
    {"le", Pointwise, "le", 2},
    {"gt", Pointwise, "gt", 2},
    {"ge", Pointwise, "ge", 2},
    {"pow", Pointwise, "pow", 2},
    {"bitwise_and", Pointwise, "and", 2},
    {"bitwise_or", Pointwise, "or", 2},
    {"bitwise_xor", Pointwise, "xor", 2},
    {"logical_and", Pointwise, "and", 2},
    {"logical_or", Pointwise, "or", 2},
    {"logical_xor", Pointwise, "xor", 2},
    {"where", Pointwise, "where", 3},
    {"typecast", Cast},
    {"sum", Reduce, "sum"},
    {"mean", Reduce, "mean"},
    {"max", Reduce, "max"},
    {"min", Reduce, "min"},
    {"prod", Reduce, "prod"},
    {"reduce_or", Reduce, "any"},
    {"reduce_and", Reduce, "all"},
    {"softmax", Along, "softmax"},
    {"cumsum", Along, "cumsum"},
    {"sort", Along, "sort"},
    {"argmax", Place, "argmax"},
    {"topk", TopK},
    {"rms_norm", Norm, "rmsnorm"},
    {"layer_norm", Norm, "layernorm"},
    {"matmul", Matmul, "", 2},
    {"linear", Linear, "", 3},
    {"dot_general", Dot, "", 2},
    {"constant", Number},
    {"full", Number},
    {"zeros", Number, "0"},
    {"ones", Number, "1"},
    {"reshape", Reshape},
    {"squeeze", Reshape},
    {"unsqueeze", Reshape},
    {"transpose", Transpose},
    {"permute", Permute},
    {"concat", Concat},
    {"slice_static", Slice},
    {"slice", Slice},
    {"broadcast", Broadcast},
    {"pad", Pad},
    {"reverse", Reverse},
    {"clamp_scalar", Clamp},
    {"clamp_tensor", Clamp, "", 3},
    {"index", Slice},
    {"repeat", Repeat},
    {"repeat_interleave", Interleave},
    {"concatenate_heads", Heads},
    {"nlp_concat_heads", Heads},
    {"nlp_concat_heads_decode", Heads},
    {"split_query_key_value_and_split_heads", Elements, "numbers"},
    {"arange", Data},
    {"get_dimension_size", Data},
    {"bitwise_not", Pointwise, "not"},
    {"atan2", Pointwise, "", 2},
    {"remainder", Pointwise, "", 2},
    {"cbrt", Pointwise},
    {"isfinite", Pointwise},
    {"leaky_relu", Pointwise},
    {"relu6", Pointwise},
    {"elu", Pointwise},
    {"hardswish", Pointwise},
    {"log2", Pointwise},
    {"mish", Pointwise},
    {"asinh", Pointwise},
    {"acosh", Pointwise},
    {"atanh", Pointwise},
    {"sinh", Pointwise},
    {"cosh", Pointwise},
    {"round", Pointwise},
    {"logical_left_shift", Pointwise, "", 2},
    {"logical_right_shift", Pointwise, "", 2},
    {"gelu_bw", Pointwise, "", 2},
    {"to_layout", Move},
    {"to_memory_config", Move},
    {"to_device", Move},
    {"from_device", Move},
    {"to_dtype", Cast},
    {"identity", Same},
    {"conv2d", Elements, "numbers"},
    {"conv1d", Elements, "numbers"},
    {"conv3d", Elements, "numbers"},
    {"conv_transpose2d", Elements, "numbers"},
    {"avg_pool2d", Elements, "numbers"},
    {"max_pool2d", Elements, "numbers"},
    {"max_pool2d_with_indices", Elements, "elements"},
    {"upsample2d", Elements, "numbers"},
    {"upsample", Elements, "numbers"},
    {"embedding", Elements, "indexed"},
    {"embedding_backward", Elements, "indexed"},
    {"gather", Elements, "indexed"},
    {"index_select", Elements, "numbers"},
    {"slice_dynamic", Elements, "indexed"},
    {"scatter", Elements, "indexed"},
    {"prepare_conv2d_weights", Elements, "numbers"},
    {"prepare_conv2d_bias", Elements, "numbers"},
    {"all_gather", Elements, "devices"},
    {"all_reduce", Elements, "devices"},
    {"reduce_scatter", Elements, "devices"},
    {"all_to_all", Elements, "devices"},
    {"collective_permute", Elements, "devices"},
    {"collective_broadcast", Elements, "devices"},
    {"mesh_shard", Elements, "devices"},
    {"cumprod", Elements, "numbers"},
    {"batch_norm_inference", Scaled},
    {"global_avg_pool2d", Reduce, "mean"},
    {"quantize", Scaled},
    {"dequantize", Scaled},
    {"requantize", Scaled},
    {"quantize_unrolled", Scaled},
    {"dequantize_unrolled", Scaled},
    {"requantize_unrolled", Scaled},
    {"scaled_dot_product_attention", Whole},
    {"scaled_dot_product_attention_decode", Whole},
    {"chunked_scaled_dot_product_attention", Whole},
    {"paged_scaled_dot_product_attention_decode", Whole},
    {"paged_flash_multi_latent_attention_decode", Whole},
    {"flash_mla_prefill", Whole},
    {"indexer_score_dsa", Whole},
    {"sparse_matmul", Whole},
    {"group_norm", Whole},
    {"batch_norm_training", Whole},
    {"topk_router_gpt", Whole},
    {"sampling", Whole},
    {"sdpa_fw", Whole},
    {"sdpa_bw", Whole},
    {"adamw", Whole},
    {"rotary_embedding", Whole},
    {"rotary_embedding_llama", Whole},
    {"nlp_create_qkv_heads_decode", Whole},
    {"moe_expert_token_remap", Whole},
    {"moe_gpt", Whole},
    {"dropout", Whole},
    {"layer_norm_pre_all_gather", Whole},
    {"layer_norm_post_all_gather", Whole},
    {"rms_norm_pre_all_gather", Whole},
    {"fill_cache", Cache, "filled"},
    {"update_cache", Cache},
    {"paged_fill_cache", Cache, "filled"},
    {"paged_update_cache", Cache, "filled"},
    {"rand", Elements, "elements"},
    {"bitcast_convert", Pointwise},
});

constexpr std::array kStableHlo = std::to_array<Row>({
    {"exponential", Pointwise, "exp"},
    {"exponential_minus_one", Pointwise, "expm1"},
    {"log_plus_one", Pointwise, "log1p"},
    {"logistic", Pointwise, "sigmoid"},
    {"negate", Pointwise, "neg"},
    {"sine", Pointwise, "sin"},
    {"cosine", Pointwise, "cos"},
    {"add", Pointwise, "add", 2},
    {"subtract", Pointwise, "sub", 2},
    {"multiply", Pointwise, "mul", 2},
    {"divide", Pointwise, "div", 2},
    {"power", Pointwise, "pow", 2},
    {"and", Pointwise, "and", 2},
    {"or", Pointwise, "or", 2},
    {"xor", Pointwise, "xor", 2},
    {"select", Pointwise, "where", 3},
    {"compare", Compare, "", 2},
    {"convert", Cast},
    {"reduce", Reduce, "", 2},
    {"dot_general", Dot, "", 2},
    {"dot", Matmul, "", 2},
    {"constant", Number},
    {"reshape", Reshape},
    {"transpose", Permute},
    {"concatenate", Concat},
    {"slice", Slice},
    {"broadcast_in_dim", Broadcast},
    {"pad", Pad, "", 2},
    {"reverse", Reverse},
    {"clamp", Clamp, "", 3},
    {"iota", Data},
    {"not", Pointwise, "not"},
    {"remainder", Pointwise, "", 2},
    {"atan2", Pointwise, "", 2},
    {"cbrt", Pointwise},
    {"is_finite", Pointwise},
    {"popcnt", Pointwise},
    {"count_leading_zeros", Pointwise},
    {"round_nearest_afz", Pointwise, "roundaway"},
    {"round_nearest_even", Pointwise, "round"},
    {"shift_left", Pointwise, "", 2},
    {"shift_right_logical", Pointwise, "", 2},
    {"shift_right_arithmetic", Pointwise, "", 2},
    {"reduce_precision", Pointwise},
    {"bitcast_convert", Pointwise},
    {"all_gather", Elements, "devices"},
    {"all_reduce", Elements, "devices"},
    {"reduce_scatter", Elements, "devices"},
    {"all_to_all", Elements, "devices"},
    {"collective_permute", Elements, "devices"},
    {"collective_broadcast", Elements, "devices"},
    {"batch_norm_inference", Scaled},
    {"uniform_quantize", Scaled},
    {"uniform_dequantize", Scaled},
    {"fft", Whole},
    {"cholesky", Whole},
    {"triangular_solve", Whole},
    {"batch_norm_training", Whole},
    {"batch_norm_grad", Whole},
    {"einsum", Whole},
    {"unary_einsum", Whole},
    {"map", Whole},
    {"dynamic_conv", Whole},
    {"dynamic_reshape", Whole},
    {"real_dynamic_slice", Whole},
    {"dynamic_pad", Whole},
    {"dynamic_broadcast_in_dim", Whole},
    {"dynamic_iota", Whole},
    {"rng", Whole},
    {"rng_bit_generator", Whole},
    {"torch_index_select", Whole},
    {"broadcast", Broadcast},
    {"optimization_barrier", Barrier},
    {"get_dimension_size", Data},
    {"while", Control},
    {"case", Control},
    {"if", Control},
    {"custom_call", Target},
    {"composite", Target},
    {"gather", Elements, "indexed"},
    {"dynamic_gather", Elements, "indexed"},
    {"scatter", Elements, "indexed"},
    {"dynamic_slice", Elements, "indexed"},
    {"dynamic_update_slice", Elements, "indexed"},
    {"convolution", Elements, "numbers"},
    {"reduce_window", Elements, "numbers"},
    {"select_and_scatter", Elements, "elements"},
    {"sort", Elements, "elements"},
});

// Of chlo, as JAX prints it beside stablehlo.
constexpr std::array kChlo = std::to_array<Row>({
    {"square", Pointwise, "square"},
    {"top_k", TopK},
    {"sinh", Pointwise},
    {"cosh", Pointwise},
    {"asinh", Pointwise},
    {"acosh", Pointwise},
    {"atanh", Pointwise},
    {"erf_inv", Pointwise},
    {"lgamma", Pointwise},
    {"digamma", Pointwise},
    {"is_inf", Pointwise},
});

// Notes about sharding say nothing of values. The decompositions that stand beside Tenstorrent's composites are often
// placeholders: what counts is the name.
constexpr std::array kTargets = std::to_array<Row>({
    {"Sharding", Same},
    {"xla.sdy.FuncResultSharding", Same},
    {"SPMDFullToShardShape", Elements, "devices"},
    {"SPMDShardToFullShape", Elements, "devices"},
    {"tt.scaled_dot_product_attention", Whole},
    {"tt.scaled_dot_product_attention_decode", Whole},
    {"tt.chunked_scaled_dot_product_attention", Whole},
    {"tt.paged_scaled_dot_product_attention_decode", Whole},
    {"tt.flash_mla_prefill", Whole},
    {"tt.paged_flash_mla_decode", Whole},
    {"tt.indexer_score_dsa", Whole},
    {"tt.sparse_matmul", Whole},
    {"tt.sampling", Whole},
    {"tt.fill_cache", Whole},
    {"tt.update_cache", Whole},
    {"tt.paged_fill_cache", Whole},
    {"tt.paged_update_cache", Whole},
    {"mhlo.topk", Whole},
    {"check.eq", Whole},
    {"mhlo.erf", Pointwise, "erf"},
    {"mhlo.asinh", Pointwise},
    {"mhlo.acosh", Pointwise},
    {"mhlo.atanh", Pointwise},
    {"mhlo.sinh", Pointwise},
    {"mhlo.cosh", Pointwise},
    {"mhlo.tan", Pointwise, "tan"},
    {"tenstorrent.gelu_tanh", Pointwise},
    {"tenstorrent.gather", Elements, "indexed"},
    {"tenstorrent.gather_dim", Elements, "indexed"},
});

constexpr std::array kDevice = std::to_array<Row>(
    {{"to_layout", Move}, {"mask", Mask}, {"view_layout", View}, {"composite_view", Concat}, {"generic", Generic}});

}  // namespace

std::span<const Row> functions() { return kFunctions; }

const Row* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &Row::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

const Row* find_row(std::string_view operation) {
  const std::size_t dot = operation.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view dialect = operation.substr(0, dot), name = operation.substr(dot + 1);
  const auto in = [&](const auto& rows) -> const Row* {
    const auto found = std::ranges::find(rows, name, &Row::name);
    return found == rows.end() ? find_function(name) : &*found;
  };
  if (dialect == "ttir" || dialect == "ttnn") return in(kTensor);
  if (dialect == "torch") {
    const AtenRow* found = find_aten(operation);
    return found == nullptr ? nullptr : &found->row;
  }
  if (dialect == "OpSpec") return find_spec(operation);
  if (dialect == "d2m") return in(kDevice);
  if (dialect == "chlo") return in(kChlo);
  if (operation == "arith.constant") return in(kStableHlo);
  return dialect == "stablehlo" ? in(kStableHlo) : nullptr;
}

const Row* find_target(const mlir::Operation& operation) {
  const auto name = operation.attribute(operation.name == "stablehlo.composite" ? "name" : "call_target_name");
  std::string_view said = name.value_or(operation.custom);
  while (!said.empty() && (said.front() == ' ' || said.front() == '@' || said.front() == '"')) said.remove_prefix(1);
  said = said.substr(0, said.find_first_of("\"( "));
  const auto found = std::ranges::find(kTargets, said, &Row::name);
  return found == kTargets.end() ? nullptr : &*found;
}

}  // namespace vl::program
