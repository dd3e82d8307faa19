#include "oracle/executor/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/base/check.h"

namespace vl::oracle {
namespace {

std::string_view name(Kernel kernel) {
  switch (kernel) {
    case Kernel::Run: return "run";
    case Kernel::Transpose: return "transpose";
    case Kernel::Strided: return "strided";
    case Kernel::Fill: return "fill";
    case Kernel::Compare: return "compare";
  }
  VL_CHECK(false, "a kernel that is none");
}

std::string print(const ByteSwizzle& swizzle) {
  const int from = swizzle.base + (swizzle.up ? 0 : swizzle.shift);
  const int to = swizzle.base + (swizzle.up ? swizzle.shift : 0);
  return fmt::format("bits [{}, {}) XORed into [{}, {})", from, from + swizzle.bits, to, to + swizzle.bits);
}

std::string print(const Step& step) {
  const bool reads = step.kernel != Kernel::Fill;
  std::string out = fmt::format("{} {} bytes", name(step.kernel), step.run);
  if (step.fill > 0) out += fmt::format(", then fill {}", step.fill);
  if (step.stream) out += ", streamed";
  if (step.piece >= 0)
    out += fmt::format("  (piece {}{})", step.piece, step.gap >= 0 ? fmt::format(", gap {}", step.gap) : "");
  else out += fmt::format("  (gap {})", step.gap);
  out += reads ? fmt::format("\n      from {} to {}", step.source, step.destination)
               : fmt::format("\n      at {}", step.destination);
  for (std::size_t k = 0; k < step.rank; ++k) {
    const Loop& loop = step.loops[k];
    out += reads ? fmt::format("\n      {} x (+{}, +{})", loop.extent, loop.source, loop.destination)
                 : fmt::format("\n      {} x +{}", loop.extent, loop.destination);
  }
  if (reads && step.source_swizzle.bits > 0) out += "\n      source addresses: " + print(step.source_swizzle);
  if (step.destination_swizzle.bits > 0) out += "\n      destination addresses: " + print(step.destination_swizzle);
  return out;
}

std::string print(std::span<const Rewrite> rewrites) {
  std::string out;
  Index piece = 0;
  Index gap = 0;
  for (const Rewrite& rewrite : rewrites) {
    out += "    " + print(rewrite);
    if (rewrite.rule == Rule::Emit) out += fmt::format(": piece {}", piece++);
    if (rewrite.rule == Rule::Gap) out += fmt::format(": gap {}", gap++);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string print(const Rewrite& r) {
  const int a = r.a;
  switch (r.rule) {
    case Rule::Cut: return fmt::format("cut v{} at {} (0 < {} < its extent)", a, r.n, r.n);
    case Rule::Block: return fmt::format("block v{} by {}: {}·y + z (1 < {} < its extent)", a, r.n, r.n, r.n);
    case Rule::Fix: return fmt::format("fix v{}: 0 first, then what is above (its extent > 1)", a);
    case Rule::Drop: return fmt::format("drop v{} (its extent is 1)", a);
    case Rule::Reverse: return fmt::format("reverse v{}", a);
    case Rule::Fuse:
      return fmt::format("fuse v{0} and v{1} (in every line the stride of v{0} is that of v{1} times its extent)", a,
                         r.b);
    case Rule::Affine: return "affine stage (no number leaves 64 bits)";
    case Rule::Digit: return "next digit of the split (what is left stays below its weight)";
    case Rule::Swizzle: return "swizzle (the map's last stage)";
    case Rule::Constant: return "swizzle of a constant";
    case Rule::Address:
      return "address (coordinates within the box, guards 0; a swizzled coordinate is the lowest part of the memory)";
    case Rule::Emit: return "emit (both sides within their memories)";
    case Rule::Holds: return fmt::format("holds piece {} (the same loops over the destination)", r.n);
    case Rule::Gap: return "nothing writes here";
  }
  VL_CHECK(false, "a rule that is none");
}

std::string print(const Plan& plan, Index unit, const std::optional<std::string>& objection) {
  std::string out = fmt::format("plan: {} bytes to {} bytes, units of {}, {} steps in {} groups{}\n", plan.source_bytes,
                                plan.destination_bytes, unit, plan.steps.size(), plan.groups.size(),
                                plan.fills ? ", gaps are filled" : "");
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    out += fmt::format("  group {}", g);
    if (group.count > 1) out += fmt::format(": {} steps in lockstep over {} loops", group.count, group.shared);
    out += "\n";
    for (std::uint32_t k = 0; k < group.count; ++k) out += "    " + print(plan.steps[group.first + k]) + "\n";
  }
  out += fmt::format("  certificate, pieces: {} rewrites of the relation's domain\n", plan.pieces.size());
  out += print(plan.pieces);
  if (!plan.cover.empty())
    out += fmt::format("  certificate, cover: {} rewrites of the destination's memory\n", plan.cover.size());
  out += print(plan.cover);
  out += objection ? "  the certificate is REFUSED: " + *objection + "\n" : "  the certificate is accepted\n";
  return out;
}

}  // namespace vl::oracle
