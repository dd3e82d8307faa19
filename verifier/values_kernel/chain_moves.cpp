#include "verifier/values_kernel/chain_moves.h"

#include <algorithm>
#include <array>

#include "verifier/values_kernel/fold.h"

namespace vl::values_kernel {
namespace {

CodeRanges transpose(const Link& step, const Link& of, Region region) {
  const auto axes = axes_of(step, of.rank());
  require(axes.size() == step.rank() && step.rank() == of.rank(), "a transpose of another rank");
  Region from = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    require(step.same_dimension(d, of, axes[d]), "a transpose of other sizes");
    if (has(region, d)) from |= bit(axes[d]);
  }
  return of.sets[from];
}

CodeRanges reshape(const Link& step, const Link& of, Region region) {
  Wide before = 1, after = 1;
  for (const std::int64_t size : of.said->sizes) before = before * size;
  for (const std::int64_t size : step.said->sizes) after = after * size;
  require(before == after, "a reshape of another size");
  return region == 0 ? of.sets[0] : all_of(*step.type);
}

CodeRanges mask(const Link& step, const Link& of, Region region) {
  same_shape(step, of);
  require(step.said->masked && step.said->value, "a mask of nothing");
  const auto& masked = *step.said->masked;
  require(std::ranges::find(masked, 0) == masked.end(), "a mask of elements");
  if (std::ranges::find(masked, static_cast<std::int64_t>(region)) == masked.end()) return of.sets[region];
  const Code value = code_of(*step.said->value);
  require(value <= step.type->mask(), "a value of another type");
  return {{value, value}};
}

CodeRanges slice(const Link& step, const Link& of, Region region) {
  const auto axes = axes_of(step, step.rank());
  require(axes.size() == 1 && step.rank() == of.rank(), "a step along another axis");
  for (std::size_t d = 0; d < step.rank(); ++d) require(d == axes[0] || step.same_dimension(d, of, d), "other sizes");
  const std::int64_t before = of.said->sizes[axes[0]], after = step.said->sizes[axes[0]];
  const std::int64_t first = step.said->first.value_or(-1);
  const Wide apart = step.said->step.value_or(1);
  require(first >= 0 && apart > 0 && (Wide(after) - 1) * apart + first < Wide(before), "a slice of what is not there");
  return has(region, axes[0]) ? all_of(*step.type) : of.sets[region];
}

CodeRanges reverse(const Link& step, const Link& of, Region region) {
  same_shape(step, of);
  const auto axes = axes_of(step, step.rank());
  const bool behind = std::ranges::any_of(axes, [&](std::size_t axis) { return has(region, axis); });
  return behind ? all_of(*step.type) : of.sets[region];
}

// Where each dimension of the operand is in the result, or -1: of size 1, its element is everywhere.
CodeRanges broadcast(const Link& step, const Link& of, Region region) {
  require(step.said->axes && step.said->axes->size() == of.rank(), "a broadcast of other dimensions");
  Region from = 0, taken = 0;
  for (std::size_t d = 0; d < of.rank(); ++d) {
    const std::int64_t to = (*step.said->axes)[d];
    if (to == -1) {
      require(of.said->sizes[d] == 1, "a broadcast of more than one");
      continue;
    }
    require(to >= 0 && std::cmp_less(to, step.rank()), "an axis that is not there");
    const auto place = static_cast<std::size_t>(to);
    require(!has(taken, place), "an axis that is there twice");
    require(step.same_dimension(place, of, d), "other sizes");
    taken |= bit(place);
    if (has(region, place)) from |= bit(d);
  }
  return of.sets[from];
}

CodeRanges concat(const Link& step, std::span<const Link* const> operands, Region region) {
  const auto axes = axes_of(step, step.rank());
  require(axes.size() == 1 && !operands.empty(), "a concatenation of nothing");
  CodeRanges out;
  Wide size = 0;
  for (const Link* operand : operands) {
    const Link& of = *operand;
    require(of.rank() == step.rank() && of.type == step.type, "a concatenation of other things");
    for (std::size_t d = 0; d < step.rank(); ++d)
      require(d == axes[0] || step.same_dimension(d, of, d), "a concatenation of other sizes");
    size = size + of.said->sizes[axes[0]];
    if (!has(region, axes[0])) out = united(std::move(out), of.sets[region]);
  }
  require(size == step.said->sizes[axes[0]], "a concatenation of another size");
  return has(region, axes[0]) ? all_of(*step.type) : out;
}

constexpr std::array kMoves = {"transpose", "reshape", "mask", "slice", "reverse", "broadcast", "concat"};

}  // namespace

void same_shape(const Link& step, const Link& other) {
  require(step.rank() == other.rank(), "a shape of another rank");
  for (std::size_t d = 0; d < step.rank(); ++d) require(step.same_dimension(d, other, d), "a shape of other sizes");
}
std::vector<std::size_t> axes_of(const Link& step, std::size_t rank) {
  require(step.said->axes.has_value() && !step.said->axes->empty(), "a step without axes");
  std::vector<std::size_t> out;
  for (const std::int64_t axis : *step.said->axes) {
    require(axis >= 0 && std::cmp_less(axis, rank), "an axis that is not there");
    require(std::ranges::find(out, static_cast<std::size_t>(axis)) == out.end(), "an axis that is there twice");
    out.push_back(static_cast<std::size_t>(axis));
  }
  return out;
}

bool is_move(const StepText& step) { return std::ranges::find(kMoves, step.kind) != kMoves.end(); }

CodeRanges moved(const Link& step, std::span<const Link* const> operands, Region region) {
  const std::string& kind = step.said->kind;
  if (kind == "concat") return concat(step, operands, region);
  require(operands.size() == 1, "operands of another step");
  const Link& of = *operands.front();
  require(of.type == step.type, "a step of another type");
  if (kind == "transpose") return transpose(step, of, region);
  if (kind == "reshape") return reshape(step, of, region);
  if (kind == "mask") return mask(step, of, region);
  if (kind == "slice") return slice(step, of, region);
  if (kind == "reverse") return reverse(step, of, region);
  return broadcast(step, of, region);
}

}  // namespace vl::values_kernel
