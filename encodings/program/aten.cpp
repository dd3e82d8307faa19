// The operations of torch.ops that are known, with their arguments. Source: pytorch at v2.5.0, aten/src/ATen/native/
// native_functions.yaml.
#include <algorithm>
#include <array>
#include <vector>

#include "encodings/program/python.h"

namespace vl::program {
namespace aten {

using enum Form;

constexpr std::string_view kOne = "@self", kTwo = "@self @other", kView = "@self -size";

constexpr std::array kRows = std::to_array<AtenRow>({
    {"aten.gelu.default", {"gelu", Pointwise, "gelu"}, "@self * approximate==none"},
    {"aten.round.default", {"round", Pointwise, "round"}, kOne},
    {"aten.logical_not.default", {"logical_not", Pointwise, "eqz"}, kOne},
    {"aten.bitwise_not.default", {"bitwise_not", Pointwise, "not"}, kOne},
    {"aten.add.Tensor", {"add", Pointwise, "add", 2}, "@self @other * alpha==1"},
    {"aten.sub.Tensor", {"sub", Pointwise, "sub", 2}, "@self @other * alpha==1"},
    {"aten.rsub.Scalar", {"rsub", Pointwise, "sub", 2}, "^self @other alpha==1"},
    {"aten.mul.Tensor", {"mul", Pointwise, "mul", 2}, kTwo},
    {"aten.div.Tensor", {"div", Pointwise, "div", 2}, kTwo},
    {"aten.add.Scalar", {"add", Pointwise, "add", 2}, "@self @other alpha==1"},
    {"aten.sub.Scalar", {"sub", Pointwise, "sub", 2}, "@self @other alpha==1"},
    {"aten.mul.Scalar", {"mul", Pointwise, "mul", 2}, kTwo},
    {"aten.div.Scalar", {"div", Pointwise, "div", 2}, kTwo},
    {"aten.clamp_min.default", {"clamp_min", Pointwise, "max", 2}, "@self @min"},
    {"aten.clamp_max.default", {"clamp_max", Pointwise, "min", 2}, "@self @max"},
    {"aten.eq.Tensor", {"eq", Pointwise, "eq", 2}, kTwo},
    {"aten.ne.Tensor", {"ne", Pointwise, "ne", 2}, kTwo},
    {"aten.lt.Tensor", {"lt", Pointwise, "lt", 2}, kTwo},
    {"aten.le.Tensor", {"le", Pointwise, "le", 2}, kTwo},
    {"aten.gt.Tensor", {"gt", Pointwise, "gt", 2}, kTwo},
    {"aten.ge.Tensor", {"ge", Pointwise, "ge", 2}, kTwo},
    {"aten.eq.Scalar", {"eq", Pointwise, "eq", 2}, kTwo},
    {"aten.ne.Scalar", {"ne", Pointwise, "ne", 2}, kTwo},
    {"aten.lt.Scalar", {"lt", Pointwise, "lt", 2}, kTwo},
    {"aten.le.Scalar", {"le", Pointwise, "le", 2}, kTwo},
    {"aten.gt.Scalar", {"gt", Pointwise, "gt", 2}, kTwo},
    {"aten.ge.Scalar", {"ge", Pointwise, "ge", 2}, kTwo},
    {"aten.pow.Tensor_Scalar", {"pow", Pointwise, "pow", 2}, "@self @exponent"},
    {"aten.pow.Tensor_Tensor", {"pow", Pointwise, "pow", 2}, "@self @exponent"},
    {"aten.bitwise_and.Tensor", {"bitwise_and", Pointwise, "and", 2}, kTwo},
    {"aten.bitwise_or.Tensor", {"bitwise_or", Pointwise, "or", 2}, kTwo},
    {"aten.bitwise_xor.Tensor", {"bitwise_xor", Pointwise, "xor", 2}, kTwo},
    {"aten.logical_and.default", {"logical_and", Pointwise, "and", 2}, kTwo},
    {"aten.logical_or.default", {"logical_or", Pointwise, "or", 2}, kTwo},
    {"aten.logical_xor.default", {"logical_xor", Pointwise, "xor", 2}, kTwo},
    {"aten.where.self", {"where", Pointwise, "where", 3}, "@condition @self @other"},
    {"aten.log2.default", {"log2", Pointwise}, kOne},
    {"aten.sinh.default", {"sinh", Pointwise}, kOne},
    {"aten.cosh.default", {"cosh", Pointwise}, kOne},
    {"aten.trunc.default", {"trunc", Pointwise}, kOne},
    {"aten.clamp.default", {"clamp", Clamp}, "@self min max"},
    {"aten.hardtanh.default", {"hardtanh", Clamp}, "@self min_val>min:-1 max_val>max:1"},
    {"aten._to_copy.default",
     {"_to_copy", Cast},
     "@self * -dtype -layout -device -pin_memory -non_blocking -memory_format"},
    {"prims.convert_element_type.default", {"convert_element_type", Cast}, "@a -dtype"},
    {"aten.clone.default", {"clone", Same}, "@self * -memory_format"},
    {"aten.alias.default", {"alias", Same}, kOne},
    {"aten.detach.default", {"detach", Same}, kOne},
    {"aten.lift_fresh_copy.default", {"lift_fresh_copy", Same}, kOne},
    {"aten.sum.default", {"sum", Reduce, "sum"}, "@self * -dtype"},
    {"aten.sum.dim_IntList", {"sum", Reduce, "sum"}, "@self dim>dim_arg keepdim>keep_dim * -dtype"},
    {"aten.mean.default", {"mean", Reduce, "mean"}, "@self * -dtype"},
    {"aten.mean.dim", {"mean", Reduce, "mean"}, "@self dim>dim_arg keepdim>keep_dim * -dtype"},
    {"aten.prod.default", {"prod", Reduce, "prod"}, "@self * -dtype"},
    {"aten.prod.dim_int", {"prod", Reduce, "prod"}, "@self dim>dim_arg keepdim>keep_dim * -dtype"},
    {"aten.amax.default", {"amax", Reduce, "max"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten.amin.default", {"amin", Reduce, "min"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten.max.default", {"max", Reduce, "max"}, kOne},
    {"aten.min.default", {"min", Reduce, "min"}, kOne},
    {"aten.max.dim", {"max", Reduce, "max"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten.min.dim", {"min", Reduce, "min"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten.any.default", {"any", Reduce, "any"}, kOne},
    {"aten.any.dim", {"any", Reduce, "any"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten.all.default", {"all", Reduce, "all"}, kOne},
    {"aten.all.dim", {"all", Reduce, "all"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten.argmax.default", {"argmax", Place, "argmax"}, "@self dim>dim_arg keepdim>keep_dim"},
    {"aten._softmax.default", {"_softmax", Along, "softmax"}, "@self dim>dimension -half_to_float"},
    {"aten.softmax.int", {"softmax", Along, "softmax"}, "@self dim>dimension -dtype"},
    {"aten.cumsum.default", {"cumsum", Along, "cumsum"}, "@self dim * -dtype"},
    {"aten.sort.default", {"sort", Along, "sort"}, "@self dim:-1 descending"},
    {"aten.topk.default", {"topk", TopK}, "@self k dim:-1 largest -sorted"},
    {"aten.native_layer_norm.default",
     {"native_layer_norm", Norm, "layernorm"},
     "@input normalized_shape @weight? @bias? eps>epsilon"},
    {"aten.rms_norm.default", {"rms_norm", Norm, "rmsnorm"}, "@input normalized_shape @weight? eps>epsilon"},
    {"aten.mm.default", {"mm", Matmul, "", 2}, "@self @mat2"},
    {"aten.bmm.default", {"bmm", Matmul, "", 2}, "@self @mat2"},
    {"aten.matmul.default", {"matmul", Matmul, "", 2}, kTwo},
    {"aten.dot.default", {"dot", Matmul, "", 2}, "@self @tensor"},
    {"aten.addmm.default", {"addmm", Linear, "", 3}, "^self @mat1 @mat2 * beta==1 alpha==1"},
    {"aten.baddbmm.default", {"baddbmm", Linear, "", 3}, "^self @batch1 @batch2 * beta==1 alpha==1"},
    {"aten.linear.default", {"linear", Linear, "", 3}, "@input @weight @bias? !transpose_b=true"},
    {"aten.full.default", {"full", Number}, "-size fill_value * -dtype -layout -device -pin_memory"},
    {"aten.zeros.default", {"zeros", Number, "0"}, "-size * -dtype -layout -device -pin_memory"},
    {"aten.ones.default", {"ones", Number, "1"}, "-size * -dtype -layout -device -pin_memory"},
    {"aten.view.default", {"view", Reshape}, kView},
    {"aten._unsafe_view.default", {"_unsafe_view", Reshape}, kView},
    {"aten.reshape.default", {"reshape", Reshape}, "@self -shape"},
    {"aten.unsqueeze.default", {"unsqueeze", Reshape}, "@self -dim"},
    {"aten.squeeze.default", {"squeeze", Reshape}, kOne},
    {"aten.squeeze.dim", {"squeeze", Reshape}, "@self -dim"},
    {"aten.squeeze.dims", {"squeeze", Reshape}, "@self -dim"},
    {"aten.t.default", {"t", Transpose}, "@self !dim0=0 !dim1=1"},
    {"aten.transpose.int", {"transpose", Transpose}, "@self dim0 dim1"},
    {"aten.permute.default", {"permute", Permute}, "@self dims>permutation"},
    {"aten.expand.default", {"expand", Broadcast}, "@self -size * -implicit"},
    {"aten.cat.default", {"cat", Concat}, "@tensors dim:0"},
    {"aten.slice.Tensor", {"slice", Slice}, "@self dim:0 start>begin end step:1"},
    {"aten.constant_pad_nd.default", {"constant_pad_nd", Pad}, "@self pad>padding value:0"},
    {"aten.flip.default", {"flip", Reverse}, "@self dims>dimensions"},
    {"aten.repeat.default", {"repeat", Repeat}, "@self repeats>repeat_dimensions"},
});

// aten.exp.default and the like.
std::vector<AtenRow> rows_of_functions() {
  std::vector<AtenRow> out;
  for (const Row& each : functions()) out.push_back({each.name, each, each.operands == 1 ? kOne : kTwo});
  return out;
}

}  // namespace aten

const AtenRow* find_aten(std::string_view operation) {
  constexpr std::string_view kSpace = "torch.ops.";
  if (!operation.starts_with(kSpace)) return nullptr;
  std::string_view name = operation.substr(kSpace.size());
  const auto found = std::ranges::find(aten::kRows, name, &AtenRow::name);
  if (found != aten::kRows.end()) return &*found;
  constexpr std::string_view kAten = "aten.", kDefault = ".default";
  if (name.size() < kAten.size() + kDefault.size() || !name.starts_with(kAten) || !name.ends_with(kDefault))
    return nullptr;
  name.remove_prefix(kAten.size()), name.remove_suffix(kDefault.size());
  static const std::vector<AtenRow> kOfAten = aten::rows_of_functions();
  const auto function = std::ranges::find(kOfAten, name, &AtenRow::name);
  return function == kOfAten.end() ? nullptr : &*function;
}

}  // namespace vl::program
