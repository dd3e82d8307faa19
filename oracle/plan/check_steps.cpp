#include "oracle/plan/check_steps.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace vl::oracle::checker {
namespace {

constexpr Index kMostStride = Index{1} << 60;  // of a loop of one iteration, whose stride is added once behind it

const char* name(Kernel kernel) {
  switch (kernel) {
    case Kernel::Run: return "run";
    case Kernel::Transpose: return "transpose";
    case Kernel::Strided: return "strided";
    case Kernel::Fill: return "fill";
    case Kernel::Compare: return "compare";
  }
  return "no kernel";
}

bool is_word(Index bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

// A kernel's conditions on the innermost loops and on the other numbers of its step.
Objection object_to_shape(const Plan& plan, const Step& step) {
  if (step.rank > kMostLoops) return fmt::format("{} loops", step.rank);
  if (step.run < 1 || step.fill < 0) return fmt::format("{} bytes and {} of fill", step.run, step.fill);
  for (std::size_t k = 0; k < step.rank; ++k) {
    const Loop& loop = step.loops[k];
    if (loop.extent < 1) return fmt::format("loop {} has {} iterations", k, loop.extent);
    if (loop.source < -kMostStride || loop.source > kMostStride || loop.destination < -kMostStride ||
        loop.destination > kMostStride)
      return fmt::format("loop {} steps by {} and {}", k, loop.source, loop.destination);
  }
  if ((step.kernel == Kernel::Compare) != plan.compares) return plan.compares ? "it writes" : "it only compares";
  if ((step.kernel == Kernel::Fill) != (step.piece < 0)) return "a fill and a piece";
  if (step.kernel == Kernel::Fill ? step.gap < 0 || step.fill != 0 : (step.gap >= 0) != (step.fill > 0))
    return fmt::format("{} bytes of fill for gap {}", step.fill, step.gap);
  switch (step.kernel) {
    case Kernel::Run: return std::nullopt;
    case Kernel::Transpose:
      if (step.rank < 2 || step.loops[step.rank - 2].destination != step.run ||
          step.loops[step.rank - 1].source != step.run)
        return fmt::format("the last two loops are not a transpose of units of {} bytes", step.run);
      [[fallthrough]];
    case Kernel::Strided:
      if (step.fill > 0) return "only runs have a fill";
      return is_word(step.run) ? std::nullopt : Objection(fmt::format("units of {} bytes", step.run));
    case Kernel::Fill:
      if (step.source != 0 || step.source_swizzle.bits != 0) return "a gap with a source";
      for (std::size_t k = 0; k < step.rank; ++k)
        if (step.loops[k].source != 0) return "a gap with a source";
      return std::nullopt;
    case Kernel::Compare: return step.fill == 0 ? std::nullopt : Objection("only runs have a fill");
  }
  return "no kernel";
}

// The fill value is repeated from the first filled byte of each address, which must be a unit's first byte.
bool fills_whole_units(const Step& step, Index unit, Index first, Index bytes) {
  Index all = first | bytes;  // units are powers of two
  for (std::size_t k = 0; k < step.rank; ++k)
    if (step.loops[k].extent != 1) all |= step.loops[k].destination;
  return (all & (unit - 1)) == 0;
}

// Whether `bytes` bytes from each address that the loops reach stay within one chunk of 2^base bytes, which a swizzle
// moves as a whole. Either no step leaves the chunk in which it began, or all are multiples of a power of two, the
// room.
bool stays_in_chunks(const ByteSwizzle& swizzle, const Step& step, Index Loop::*stride, Index first, Index bytes) {
  if (swizzle.bits == 0) return true;
  const Index chunk = Index{1} << swizzle.base;
  if (bytes > chunk) return false;
  Index room = chunk;
  Index low = first & (chunk - 1);
  Index high = low;
  bool within = true;
  for (std::size_t k = 0; k < step.rank; ++k) {
    const Index by = step.loops[k].*stride;
    if (step.loops[k].extent == 1 || by % chunk == 0) continue;
    room = std::gcd(room, by);
    within = within && accumulate(by < 0 ? low : high, by, step.loops[k].extent - 1);
  }
  return (within && low >= 0 && high <= chunk - bytes) || (first & (room - 1)) + bytes <= room;
}

bool same(const ByteSwizzle& a, const ByteSwizzle& b) { return a == b || (a.bits == 0 && b.bits == 0); }

// The bytes of a step's loops with a run of `bytes` at `destination`; `copies`, else they come from nowhere.
bool form_of(const Step& step, Index destination, Index bytes, bool copies, Form& form) {
  form.start(copies ? step.source : 0, destination);
  bool fits = form.add(bytes, copies ? 1 : 0, 1);
  for (std::size_t k = step.rank; k-- > 0;)
    fits = fits && form.add(step.loops[k].extent, copies ? step.loops[k].source : 0, step.loops[k].destination);
  form.settle();
  return fits;
}

Objection object_to_piece(const Step& step, std::span<Part> pieces) {
  const auto number = static_cast<std::size_t>(step.piece);
  if (number >= pieces.size()) return fmt::format("there is no piece {}", step.piece);
  Part& piece = pieces[number];
  if (std::exchange(piece.taken, true)) return fmt::format("piece {} is done twice", step.piece);
  Form form;
  if (!form_of(step, step.destination, step.run, true, form)) return "a number leaves 64 bits";
  if (form != piece.form) return fmt::format("its loops are not those of piece {}", step.piece);
  if (!same(step.source_swizzle, piece.source_swizzle) || !same(step.destination_swizzle, piece.destination_swizzle))
    return fmt::format("its swizzles are not those of piece {}", step.piece);
  if (!stays_in_chunks(step.source_swizzle, step, &Loop::source, step.source, step.run))
    return "a run leaves a chunk of the source's swizzle";
  return std::nullopt;
}

Objection object_to_gap(const Step& step, Index unit, std::span<Part> gaps) {
  const auto number = static_cast<std::size_t>(step.gap);
  if (number >= gaps.size()) return fmt::format("there is no gap {} to fill", step.gap);
  Part& gap = gaps[number];
  if (std::exchange(gap.taken, true)) return fmt::format("gap {} is filled twice", step.gap);
  const Index bytes = step.kernel == Kernel::Fill ? step.run : step.fill;
  Index first = step.destination;
  if (step.kernel != Kernel::Fill && __builtin_add_overflow(first, step.run, &first)) return "a number leaves 64 bits";
  Form form;
  if (!form_of(step, first, bytes, false, form)) return "a number leaves 64 bits";
  if (form != gap.form) return fmt::format("its loops are not those of gap {}", step.gap);
  if (!same(step.destination_swizzle, gap.destination_swizzle))
    return fmt::format("its swizzle is not that of gap {}", step.gap);
  if (!fills_whole_units(step, unit, first, bytes)) return "a fill begins within a unit";
  return std::nullopt;
}

Objection object_to_step(const Plan& plan, const Step& step, Index unit, std::span<Part> pieces, std::span<Part> gaps) {
  if (auto objection = object_to_shape(plan, step)) return objection;
  if (step.piece >= 0)
    if (auto objection = object_to_piece(step, pieces)) return objection;
  if (step.gap >= 0)
    if (auto objection = object_to_gap(step, unit, gaps)) return objection;
  Index bytes = 0;  // the run and the fill are one run to the swizzle
  if (__builtin_add_overflow(step.run, step.fill, &bytes)) return "a number leaves 64 bits";
  if (!stays_in_chunks(step.destination_swizzle, step, &Loop::destination, step.destination, bytes))
    return "a run leaves a chunk of the destination's swizzle";
  return std::nullopt;
}

// Groups are the steps in order; they share loops of equal extents that no kernel needs.
Objection object_to_groups(const Plan& plan) {
  std::size_t next = 0;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    if (group.first != next || group.count < 1 || group.count > plan.steps.size() - next)
      return fmt::format("group {}: steps {} to {} of {}, behind {}", g, group.first,
                         std::size_t{group.first} + group.count, plan.steps.size(), next);
    if (group.count > 1 && group.shared == 0) return fmt::format("group {}: {} steps share no loop", g, group.count);
    for (std::size_t k = next; k < next + group.count; ++k) {
      const Step& step = plan.steps[k];
      if (group.shared > step.rank || (step.kernel == Kernel::Transpose && group.shared + 2 > step.rank))
        return fmt::format("group {}: step {} has no {} loops to share", g, k, group.shared);
      for (std::size_t loop = 0; loop < group.shared; ++loop)
        if (step.loops[loop].extent != plan.steps[next].loops[loop].extent)
          return fmt::format("group {}: loop {} of step {} has {} iterations, that of step {} has {}", g, loop, k,
                             step.loops[loop].extent, next, plan.steps[next].loops[loop].extent);
    }
    next += group.count;
  }
  if (next != plan.steps.size()) return fmt::format("step {} is in no group", next);
  return std::nullopt;
}

}  // namespace

Objection object_to_steps(const Plan& plan, Index unit, std::span<Part> pieces, std::span<Part> gaps) {
  for (std::size_t k = 0; k < plan.steps.size(); ++k)
    if (auto objection = object_to_step(plan, plan.steps[k], unit, pieces, gaps))
      return fmt::format("step {} ({}): {}", k, name(plan.steps[k].kernel), *objection);
  for (std::size_t k = 0; k < pieces.size(); ++k)
    if (!pieces[k].taken) return fmt::format("no step does piece {}", k);
  for (std::size_t k = 0; k < gaps.size(); ++k)
    if (gaps[k].taken != plan.fills) return fmt::format("gap {} is {}filled", k, plan.fills ? "not " : "");
  return object_to_groups(plan);
}

}  // namespace vl::oracle::checker
