#include "encodings/use/tile_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "encodings/base/words.h"
#include "encodings/use/tile_moves.h"

namespace vl::use {
namespace {

constexpr Index kLongestSide = 256;
constexpr std::size_t kMostSides = 5;
constexpr std::size_t kMostBoxes = 4096;
constexpr Index kGranule = 16;               // bytes: of strides, and of the innermost side
constexpr Index kFarthest = Index{1} << 50;  // elements, so that bytes of these fit 64 bits

// Elements, or blocks of them: the first place, before the swizzle, and the offset in the tensor's memory.
struct TileRun {
  Index place = 0, offset = 0;
};
struct TileSide {
  Index stride = 0, extent = 0;
};

Index back_through(const std::vector<map::Swizzle>& swizzles, Index byte) {
  for (auto each = swizzles.rbegin(); each != swizzles.rend(); ++each) byte = map::apply(*each, byte);
  return byte;
}

// All elements: the byte of each in shared memory, and its offset; or why that is not known.
std::variant<std::vector<TileRun>, std::string> elements_of(const map::Layout& layout, Index bytes, Index base) {
  std::vector<TileRun> out;
  if (layout.physical().volume() > kFarthest) return "places beyond 2^50 elements";
  Point x(layout.domain().rank(), 0);
  for (Index k = 0; k < layout.domain().volume(); ++k, map::advance(layout.domain(), x)) {
    const Point at = map::outputs_at(layout, x, {});
    if (!layout.is_slot(at)) return "an element has no slot";
    const Index place = layout.physical().linear(std::span(at).first(layout.physical().rank()));
    const auto offset = map::value(layout.host_offset(), x);
    if (!offset || *offset < 0 || *offset > kFarthest) return "offsets in the tensor's memory beyond 2^50 elements";
    out.push_back({base + place * bytes, *offset});
  }
  if (out.empty()) return "the tensor has no element";
  return out;
}

// The same in the order of their places before the swizzle, in elements.
std::variant<std::vector<TileRun>, std::string> runs_of(std::vector<TileRun> elements, const SwizzleMode& mode,
                                                        Index bytes) {
  for (TileRun& each : elements) each.place = back_through(mode.swizzles, each.place) / bytes;
  std::ranges::sort(elements, {}, &TileRun::place);
  const auto same = [](const TileRun& a, const TileRun& b) { return a.place == b.place; };
  if (std::ranges::adjacent_find(elements, same) != elements.end()) return "two elements share a place";
  return elements;
}

// The largest number that divides all runs of blocks, each `size` places and `stride` offsets after the one before it.
Index common_run(const std::vector<TileRun>& blocks, Index size, Index stride) {
  auto common = static_cast<Index>(blocks.size());
  for (std::size_t k = 1; k < blocks.size(); ++k)
    if (blocks[k].place != blocks[k - 1].place + size || blocks[k].offset != blocks[k - 1].offset + stride)
      common = std::gcd(common, static_cast<Index>(k));
  return common;
}

// Its largest divisor that a side may have and that is a multiple of `step`; 0: it has none.
Index longest_side(Index common, Index step) {
  for (Index side = std::min(kLongestSide, common) / step * step; side > 0; side -= step)
    if (common % side == 0) return side;
  return 0;
}

void merge(std::vector<TileRun>& blocks, Index run) {
  for (std::size_t k = 0; k < blocks.size() / static_cast<std::size_t>(run); ++k)
    blocks[k] = blocks[k * static_cast<std::size_t>(run)];
  blocks.resize(blocks.size() / static_cast<std::size_t>(run));
}

// The innermost side: the swizzle's span, or as long as it may be.
std::variant<TileSide, std::string> innermost(const std::vector<TileRun>& blocks, const SwizzleMode& mode,
                                              Index bytes) {
  const Index common = common_run(blocks, 1, 1);
  const Index run = mode.span > 0 ? mode.span / bytes : longest_side(common, kGranule / bytes);
  bool whole = run > 0 && common % run == 0;
  for (std::size_t k = 0; whole && mode.span > 0 && k < blocks.size(); k += static_cast<std::size_t>(run))
    whole = blocks[k].place * bytes % mode.span == 0;
  if (!whole && mode.span > 0)
    return fmt::format("not all {} bytes in a row of shared memory are elements in a row of the tensor", mode.span);
  if (!whole)
    return fmt::format(
        "shared memory has rows of {}, of {} bytes, in which elements follow one another; a box needs a "
        "multiple of {} bytes",
        plural(common, "element"), common * bytes, kGranule);
  return TileSide{1, run};
}

// Coordinates of an offset: the largest stride takes what it can, and the innermost one the rest.
std::vector<Index> coordinates_of(Index offset, const std::vector<TileSide>& digits) {
  std::vector<std::size_t> order(digits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater<>{}, [&](std::size_t i) { return digits[i].stride; });
  std::vector<Index> out(digits.size(), 0);
  for (const std::size_t i : order) out[i] = offset / digits[i].stride, offset %= digits[i].stride;
  return out;
}

std::vector<map::Expression> expressions(const std::vector<Index>& numbers) { return {numbers.begin(), numbers.end()}; }

// One load for each block.
std::variant<std::vector<Descriptor>, std::string> loads_of(const std::vector<TileRun>& boxes,
                                                            const std::vector<TileSide>& digits,
                                                            const SwizzleMode& mode, std::string_view type,
                                                            Index bytes) {
  std::vector<Index> dim(digits.size(), 1), stride, side;
  std::vector<std::vector<Index>> at;
  for (const TileSide& digit : digits) side.push_back(digit.extent);
  for (std::size_t i = 1; i < digits.size(); ++i) stride.push_back(digits[i].stride * bytes);
  for (const TileRun& box : boxes) {
    at.push_back(coordinates_of(box.offset, digits));
    for (std::size_t i = 0; i < digits.size(); ++i) dim[i] = std::max(dim[i], at.back()[i] + side[i]);
  }
  std::vector<Descriptor> out;
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    auto made = descriptor_of("tensormap", {{"type", word_field(std::string(type))},
                                            {"dim", numbers_field(expressions(dim))},
                                            {"stride", numbers_field(expressions(stride))},
                                            {"box", numbers_field(expressions(side))},
                                            {"swizzle", word_field(std::string(mode.name))},
                                            {"direction", word_field("load")},
                                            {"at", numbers_field(expressions(at[k]))},
                                            {"shared", number_field(boxes[k].place * bytes)}});
    if (!made) return made.error().message;
    out.push_back(std::move(*made));
  }
  return out;
}

std::variant<std::vector<Descriptor>, std::string> loads_with(const std::vector<TileRun>& elements,
                                                              const SwizzleMode& mode, std::string_view type,
                                                              Index bytes) {
  auto made = runs_of(elements, mode, bytes);
  if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
  auto& blocks = std::get<std::vector<TileRun>>(made);
  const auto first = innermost(blocks, mode, bytes);
  if (const auto* why = std::get_if<std::string>(&first)) return *why;
  std::vector<TileSide> digits{std::get<TileSide>(first)};
  Index size = digits.front().extent;
  merge(blocks, size);
  while (digits.size() < kMostSides && blocks.size() > 1) {
    const Index stride = blocks[1].offset - blocks[0].offset;
    const bool allowed = stride > 0 && stride * bytes % kGranule == 0;
    const Index run = allowed ? longest_side(common_run(blocks, size, stride), 1) : 1;
    if (run == 1) break;
    digits.push_back({stride, run});
    merge(blocks, run), size *= run;
  }
  if (blocks.size() > kMostBoxes) return fmt::format("it takes {} boxes", blocks.size());
  return loads_of(blocks, digits, mode, type, bytes);
}

}  // namespace

std::vector<TileCandidate> tile_candidates(const map::Layout& layout, std::string_view type, int bits, Index base) {
  std::vector<TileCandidate> out;
  const auto elements = elements_of(layout, bits / 8, base);
  const auto* none = std::get_if<std::string>(&elements);
  for (const SwizzleMode& mode : swizzle_modes()) {
    TileCandidate next{mode.name};
    auto loads = none != nullptr ? *none : loads_with(std::get<std::vector<TileRun>>(elements), mode, type, bits / 8);
    if (auto* why = std::get_if<std::string>(&loads)) next.why = std::move(*why);
    else next.loads = std::move(std::get<std::vector<Descriptor>>(loads));
    out.push_back(std::move(next));
  }
  std::ranges::stable_sort(
      out, {}, [](const TileCandidate& each) { return each.loads.empty() ? kMostBoxes + 1 : each.loads.size(); });
  return out;
}

}  // namespace vl::use
