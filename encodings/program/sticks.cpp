// What operations of Torch-Spyre read beside elements, before the operation itself: `spyre.mask`, what stands in lanes
// past the last element; `spyre.rows`, how far the rows of a second operand are read, where behind its own is other
// memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/program/python.h"

namespace vl::program {
namespace sticks {

using enum Form;

// Beside functions of elements. Names as in torch-spyre, torch_spyre/_inductor/opoverrides.py and
// codegen/compute_ops.py.
constexpr std::array kRows = std::to_array<Row>({
    {"add", Pointwise, "add", 2},
    {"batchmatmul", Dot, "", 2},
    {"clone", Same},
    {"identity", Same},
    {"max", Reduce, "max"},
    {"mean", Reduce, "mean"},
    {"min", Reduce, "min"},
    {"mul", Pointwise, "mul", 2},
    {"prod", Reduce, "prod"},
    {"realdiv", Pointwise, "div", 2},
    {"relufwd", Pointwise, "relu"},
    {"ReStickifyOpHBM", Permute},
    {"sub", Pointwise, "sub", 2},
    {"sum", Reduce, "sum"},
});

}  // namespace sticks

const Row* find_spec(std::string_view operation) {
  constexpr std::string_view kSpace = "OpSpec.";
  if (!operation.starts_with(kSpace)) return nullptr;
  const std::string_view name = operation.substr(kSpace.size());
  const auto found = std::ranges::find(sticks::kRows, name, &Row::name);
  return found == sticks::kRows.end() ? find_function(name) : &*found;
}

bool Translator::adapt(const mlir::Operation& operation, Operands& operands, std::deque<Value>& made) {
  auto mask = operation.attribute("spyre.mask");
  if (operation.name == "OpSpec.batchmatmul" && !operands.empty() && !mask) {
    const Value& first = *operands[0];
    const bool has_tail = !first.shape.empty() && first.shape.back() % first.granules.back() != 0;
    if (tail_ == "zero") mask = "0";
    else if (tail_.empty() && has_tail)
      note(
          "batchmatmul reads the lanes past the last element of its first operand, which is disputed: `vl: tail zero` "
          "takes them for 0");
  }
  if (mask && !operands.empty()) {
    Value& masked = made.emplace_back(*operands[0]);
    masked.name = part(fmt::format("mask {} with {}", masked.name, *mask));
    operands[0] = &masked;
  }
  const auto rows = integers(operation, "spyre.rows"), axis = integers(operation, "contract_dims_rhs");
  if (!rows) return true;
  if (operands.size() != 2 || rows->size() != 1 || !axis || axis->size() != 1) return fail("its rows are not known");
  Value& longer = made.emplace_back(*operands[1]);
  longer.granules[static_cast<std::size_t>((*axis)[0])] = (*rows)[0];
  longer.name = part(fmt::format("reshape {} [{}]{}", longer.name, fmt::join(longer.shape, ","), plain_tile(longer)));
  operands[1] = &longer;
  return true;
}

}  // namespace vl::program
