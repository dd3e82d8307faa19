// Tables of operations, types and numbers.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "encodings/program/translator.h"

namespace vl::program {
namespace {

using enum Form;

// ttir and ttnn.
constexpr std::array kTensor = std::to_array<Row>({
    {"exp", Pointwise, "exp"},
    {"abs", Pointwise, "abs"},
    {"neg", Pointwise, "neg"},
    {"relu", Pointwise, "relu"},
    {"sigmoid", Pointwise, "sigmoid"},
    {"tanh", Pointwise, "tanh"},
    {"sqrt", Pointwise, "sqrt"},
    {"rsqrt", Pointwise, "rsqrt"},
    {"reciprocal", Pointwise, "recip"},
    {"log", Pointwise, "log"},
    {"log1p", Pointwise, "log1p"},
    {"expm1", Pointwise, "expm1"},
    {"sin", Pointwise, "sin"},
    {"cos", Pointwise, "cos"},
    {"tan", Pointwise, "tan"},
    {"asin", Pointwise, "asin"},
    {"acos", Pointwise, "acos"},
    {"atan", Pointwise, "atan"},
    {"erf", Pointwise, "erf"},
    {"erfc", Pointwise, "erfc"},
    {"gelu", Pointwise, "gelu"},
    {"silu", Pointwise, "silu"},
    {"sign", Pointwise, "sign"},
    {"floor", Pointwise, "floor"},
    {"ceil", Pointwise, "ceil"},
    {"hardsigmoid", Pointwise, "hardsigmoid"},
    {"softsign", Pointwise, "softsign"},
    {"logical_not", Pointwise, "eqz"},
    {"add", Pointwise, "add", 2},
    {"subtract", Pointwise, "sub", 2},
    {"multiply", Pointwise, "mul", 2},
    {"div", Pointwise, "div", 2},
    {"divide", Pointwise, "div", 2},
    {"maximum", Pointwise, "max", 2},
    {"minimum", Pointwise, "min", 2},
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
    {"log", Pointwise, "log"},
    {"log_plus_one", Pointwise, "log1p"},
    {"logistic", Pointwise, "sigmoid"},
    {"tanh", Pointwise, "tanh"},
    {"sqrt", Pointwise, "sqrt"},
    {"rsqrt", Pointwise, "rsqrt"},
    {"abs", Pointwise, "abs"},
    {"negate", Pointwise, "neg"},
    {"sine", Pointwise, "sin"},
    {"cosine", Pointwise, "cos"},
    {"tan", Pointwise, "tan"},
    {"sign", Pointwise, "sign"},
    {"floor", Pointwise, "floor"},
    {"ceil", Pointwise, "ceil"},
    {"add", Pointwise, "add", 2},
    {"subtract", Pointwise, "sub", 2},
    {"multiply", Pointwise, "mul", 2},
    {"divide", Pointwise, "div", 2},
    {"maximum", Pointwise, "max", 2},
    {"minimum", Pointwise, "min", 2},
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

// Notes about sharding say nothing of values. The decompositions that stand beside Tenstorrent's composites are often
// placeholders: what counts is the name.
constexpr std::array kTargets = std::to_array<Row>({
    {"Sharding", Same},
    {"xla.sdy.FuncResultSharding", Same},
    {"SPMDFullToShardShape", Elements, "devices"},
    {"SPMDShardToFullShape", Elements, "devices"},
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

constexpr std::array kDevice = std::to_array<Row>({{"to_layout", Move}, {"mask", Mask}, {"generic", Generic}});

}  // namespace

const Row* find_row(std::string_view operation) {
  const std::size_t dot = operation.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view dialect = operation.substr(0, dot), name = operation.substr(dot + 1);
  const auto in = [&](const auto& rows) -> const Row* {
    const auto found = std::ranges::find(rows, name, &Row::name);
    return found == rows.end() ? nullptr : &*found;
  };
  if (dialect == "ttir" || dialect == "ttnn") return in(kTensor);
  if (dialect == "d2m") return in(kDevice);
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

std::string_view type_in_language(std::string_view element) {
  constexpr std::array kTypes =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"f32", "f32"},
                                                                    {"f16", "f16"},
                                                                    {"bf16", "bf16"},
                                                                    {"f64", "f64"},
                                                                    {"i1", "i1"},
                                                                    {"i8", "i8"},
                                                                    {"si8", "i8"},
                                                                    {"ui8", "u8"},
                                                                    {"i16", "i16"},
                                                                    {"si16", "i16"},
                                                                    {"ui16", "u16"},
                                                                    {"i32", "i32"},
                                                                    {"si32", "i32"},
                                                                    {"ui32", "u32"},
                                                                    {"i64", "i64"},
                                                                    {"si64", "i64"},
                                                                    {"ui64", "u64"},
                                                                    {"f8E4M3FN", "f8e4m3"},
                                                                    {"f8E5M2", "f8e5m2"},
                                                                    {"f8E4M3FNUZ", "f8e4m3fnuz"},
                                                                    {"f8E5M2FNUZ", "f8e5m2fnuz"}});
  const auto found = std::ranges::find(kTypes, element, [](const auto& each) { return each.first; });
  return found == kTypes.end() ? std::string_view() : found->second;
}

std::string number_in_language(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (text == "true" || text == "false") return text == "true" ? "1" : "0";
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const bool digits = text.size() > 2 && std::all_of(text.begin() + 2, text.end(),
                                                       [](unsigned char c) { return std::isxdigit(c) != 0; });
    return digits ? "bits:0x" + std::string(text.substr(2)) : std::string();
  }
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  // The shortest words for the numbers that operations ask about.
  if (value == 0) return text.front() == '-' ? "-0" : "0";
  if (value == 1) return "1";
  return std::string(text);
}

}  // namespace vl::program
