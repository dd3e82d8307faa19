// The names of operations, and what each takes.
#include <algorithm>
#include <array>

#include "encodings/use/operation.h"

namespace vl::use {
namespace {

using enum OperationKind;

constexpr std::string_view kOneRow = "one input and one result of its shape";

constexpr std::array<OperationName, 50> kOperations = {{
    {"pointwise", Pointwise, "inputs and results"},
    {"broadcast", Pointwise, "inputs and results"},
    {"sum", Reduction, "one input and one result"},
    {"mean", Reduction, "one input and one result", true},
    {"max", Reduction, "one input and one result"},
    {"min", Reduction, "one input and one result"},
    {"prod", Reduction, "one input and one result"},
    {"any", Reduction, "one input and one result"},
    {"all", Reduction, "one input and one result"},
    {"reduction", Reduction, "one input and one result"},
    {"matmul", Matmul, "x[M,K], y[K,N] and out[M,N]"},
    {"bmm", Matmul, "x[…,M,K], y[…,K,N] and out[…,M,N]"},
    {"exx2", Exx2, "one input and one result"},
    {"layernormnorm", LayerNormNorm, "inputs and one result"},
    {"topk", TopK, "one input, and values or indices or both as results"},
    {"softmax", Row, kOneRow},
    {"layernorm", Row, kOneRow},
    {"rmsnorm", Row, kOneRow},
    {"sort", Row, kOneRow},
    {"sort-descending", Row, kOneRow},
    {"cumsum", Row, kOneRow},
    {"cumsum-reverse", Row, kOneRow},
    {"logsumexp", RowToOne, "one input and one result"},
    {"variance", RowToOne, "one input and one result"},
    {"welford", RowToOne, "one input and one result"},
    {"argmax", RowToOne, "one input and one result"},
    {"argmin", RowToOne, "one input and one result"},
    {"topk-indices", TopK, "one input and one result, the indices"},
    {"add", Pointwise, "inputs and results"},
    {"sub", Pointwise, "inputs and results"},
    {"mul", Pointwise, "inputs and results"},
    {"div", Pointwise, "inputs and results"},
    {"neg", Pointwise, "inputs and results"},
    {"abs", Pointwise, "inputs and results"},
    {"square", Pointwise, "inputs and results"},
    {"recip", Pointwise, "inputs and results"},
    {"sqrt", Pointwise, "inputs and results"},
    {"rsqrt", Pointwise, "inputs and results"},
    {"exp", Pointwise, "inputs and results"},
    {"exp2", Pointwise, "inputs and results"},
    {"log", Pointwise, "inputs and results"},
    {"sin", Pointwise, "inputs and results"},
    {"cos", Pointwise, "inputs and results"},
    {"tanh", Pointwise, "inputs and results"},
    {"relu", Pointwise, "inputs and results"},
    {"sigmoid", Pointwise, "inputs and results"},
    {"gelu", Pointwise, "inputs and results"},
    {"silu", Pointwise, "inputs and results"},
    {"eqz", Pointwise, "inputs and results"},
    {"sign", Pointwise, "inputs and results"},
}};

}  // namespace

std::span<const OperationName> operation_names() { return kOperations; }

const OperationName* find_operation(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &OperationName::name);
  return found == kOperations.end() ? nullptr : &*found;
}

}  // namespace vl::use
