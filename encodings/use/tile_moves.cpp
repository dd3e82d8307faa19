#include "encodings/use/tile_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace vl::use {
namespace {

using map::Swizzle;
using FieldNumbers = std::vector<Index>;

Error no_box(std::string message) { return {ErrorCode::Value, std::move(message), 0}; }

// The fields of one transfer, as numbers.
struct BoxNumbers {
  FieldNumbers dim, stride, box, step, at;
  Index shared = 0, bits = 0;
};

Result<BoxNumbers> box_numbers_of(const Descriptor& of) {
  BoxNumbers out;
  FieldNumbers shared, bits;
  const std::array<std::pair<const char*, FieldNumbers*>, 7> all = {{{"dim", &out.dim},
                                                                     {"stride", &out.stride},
                                                                     {"box", &out.box},
                                                                     {"step", &out.step},
                                                                     {"at", &out.at},
                                                                     {"shared", &shared},
                                                                     {"bits", &bits}}};
  for (const auto& [name, into] : all) {
    auto read = numbers_in(of, name);
    if (!read) return read.error();
    *into = std::move(*read);
  }
  out.shared = shared[0], out.bits = bits[0];
  for (std::size_t i = 0; i < out.dim.size(); ++i)
    if (out.dim[i] < 1 || out.box[i] < 1 || out.step[i] < 1 || out.at[i] < -(Index{1} << 31) ||
        out.at[i] >= Index{1} << 31 || out.box[i] > 256)
      return no_box(fmt::format("dimension {} is none of a tensor map: {} elements, box {}, step {}, coordinate {}", i,
                                out.dim[i], out.box[i], out.step[i], out.at[i]));
  return out;
}

// The innermost t up to which a store writes.
std::optional<Index> written_by_store(const BoxNumbers& box, Index high) {
  const Index bytes = box.bits / 8, step = box.step[0], tile = ceil_div(box.box[0], step);
  const Index end = ceil_div(box.dim[0], 16 / bytes) * (16 / bytes);  // of the row, as it is clipped
  if (box.at[0] >= end) return high;
  if (box.at[0] >= box.dim[0]) return std::nullopt;
  return std::clamp(ceil_div(end - box.at[0], step), high, tile);
}

struct BoxMoves {
  TileBox tile;
  Nest nest;
};

// The moves of one box; `row` is the pitch, in elements.
Result<BoxMoves> box_moves_of(const BoxNumbers& box, bool load, Index row) {
  const Index bytes = box.bits / 8;
  TileBox all;
  Nest out;
  Walk tensor, shared;
  std::optional<Index> pitch = 1;
  bool fits = accumulate(shared.offset, box.shared / bytes, 1);
  all.shared.offset = shared.offset;
  for (std::size_t i = 0; i < box.dim.size() && fits; ++i) {
    const Index step = box.step[i], tile = ceil_div(box.box[i], step);
    const Index low = std::min(tile, std::max<Index>(0, ceil_div(-box.at[i], step)));
    const Index high = box.at[i] >= box.dim[i] ? low : std::min(tile, floor_div(box.dim[i] - 1 - box.at[i], step) + 1);
    const Index stride = i == 0 ? 1 : box.stride[i - 1] / bytes;
    const auto along = checked_mul(stride, step);
    fits = along && pitch && accumulate(tensor.offset, stride, box.at[i]) && accumulate(tensor.offset, *along, low) &&
           accumulate(shared.offset, *pitch, low);
    if (!fits) break;
    all.extents.push_back(tile), all.low.push_back(low), all.high.push_back(std::max(low, high));
    out.extents.push_back(std::max<Index>(0, high - low));
    tensor.strides.push_back(*along), shared.strides.push_back(*pitch);
    pitch = i == 0 ? std::optional(row) : checked_mul(*pitch, tile);
  }
  if (!fits) return Error{ErrorCode::Overflow, "an address of the box leaves 64 bits", 0};
  all.shared.strides = shared.strides;
  for (auto* list :
       {&all.extents, &all.low, &all.high, &all.shared.strides, &out.extents, &tensor.strides, &shared.strides})
    std::ranges::reverse(*list);
  out.source = load ? tensor : shared, out.destination = load ? shared : tensor;
  Nest in_bytes = out;
  for (Walk* walk : {&in_bytes.source, &in_bytes.destination}) {
    fits = fits && !__builtin_mul_overflow(walk->offset, bytes, &walk->offset);
    for (Index& each : walk->strides) fits = fits && !__builtin_mul_overflow(each, bytes, &each);
  }
  if (!fits) return Error{ErrorCode::Overflow, "an address of the box leaves 64 bits", 0};
  if (auto problem = problem_of(in_bytes)) return std::move(*problem);
  all.at.assign(box.at.rbegin(), box.at.rend()), all.step.assign(box.step.rbegin(), box.step.rend());
  all.written = load ? all.high.back() : written_by_store(box, all.high.back());
  return BoxMoves{std::move(all), std::move(out)};
}

// Why it is not known what a box moves; empty: it is known.
std::string box_not_known(const Descriptor& of, const BoxNumbers& box, const SwizzleMode* mode) {
  const auto is = [&](const char* field, const char* word) { return of.fields.at(field) == word_field(word); };
  if (!is("interleave", "none")) return "no document states the order of an interleaved tile";
  if (is("format", "packed")) return "tiles of packed elements are not encoded";
  if (mode == nullptr) return "this swizzle has no name in cuda.h, and no document states its map";
  const Index tile = ceil_div(box.box[0], box.step[0]);
  if (mode->span > 0 && tile * box.bits / 8 < mode->span)
    return fmt::format("a row of {} bytes is narrower than the swizzle's span of {}, and no document states its pitch",
                       tile * box.bits / 8, mode->span);
  if (mode->span > 0 && tile * box.bits / 8 > mode->span)
    return fmt::format("a row of {} bytes is wider than the swizzle's span of {}, which no target accepts",
                       tile * box.bits / 8, mode->span);
  return {};
}

// One box more: its nest, in one transfer with those before it.
std::optional<Error> add_box(const Descriptor& of, bool first, TileMoves& out) {
  if (of.kind != "tensormap" || !of.fields.contains("direction") || !of.fields.contains("at") ||
      !of.fields.contains("shared"))
    return no_box(
        "only a transfer with coordinates carries elements: load tensormap(…) at (…) to ADDRESS, or store … from "
        "ADDRESS");
  const auto box = box_numbers_of(of);
  if (!box) return box.error();
  const auto& swizzle = std::get<std::string>(of.fields.at("swizzle").values.front());
  const auto mode = std::ranges::find(swizzle_modes(), swizzle, &SwizzleMode::name);
  if (out.unknown = box_not_known(of, *box, mode == swizzle_modes().end() ? nullptr : &*mode); !out.unknown.empty())
    return {};
  const Index bytes = box->bits / 8;
  const auto whole = [&](Index number) { return number % bytes == 0; };
  if (box->shared < 0 || !whole(box->shared) || !std::ranges::all_of(box->stride, whole))
    return no_box(fmt::format("an address or a stride is no whole number of elements of {} bytes", bytes));
  std::vector<Swizzle> swizzles = mode->swizzles;
  for (Swizzle& each : swizzles) each.base -= std::countr_zero(static_cast<std::uint64_t>(bytes));
  const bool load = of.fields.at("direction") == word_field("load");
  const Direction direction = load ? Direction::HostToDevice : Direction::DeviceToHost;
  const auto& fill = std::get<std::string>(of.fields.at("fill").values.front());
  const auto& type = std::get<std::string>(of.fields.at("type").values.front());
  if (!first && (out.type != type || out.swizzles != swizzles || out.moves.direction != direction || out.fill != fill))
    return no_box("transfers of one claim have one direction, one type, one swizzle and one fill");
  out.bits = static_cast<int>(box->bits), out.swizzles = std::move(swizzles), out.moves.direction = direction;
  out.type = type, out.fill = fill;
  out.lowest = first ? box->shared : std::min(out.lowest, box->shared);
  auto moves = box_moves_of(*box, load, mode->span > 0 ? mode->span / bytes : ceil_div(box->box[0], box->step[0]));
  if (!moves) return moves.error();
  out.boxes.push_back(std::move(moves->tile)), out.moves.nests.push_back(std::move(moves->nest));
  return {};
}

}  // namespace

std::span<const SwizzleMode> swizzle_modes() {
  constexpr auto kDown = Swizzle::Direction::Down;
  static const std::array<SwizzleMode, 7> all = {
      {{"none", 0},
       {"32B", 32, {{0, 4, 1, 3, kDown}}},
       {"64B", 64, {{0, 4, 2, 3, kDown}}},
       {"128B", 128, {{0, 4, 3, 3, kDown}}},
       {"128B_ATOM_32B", 128, {{0, 5, 2, 2, kDown}}},
       {"128B_ATOM_32B_FLIP_8B", 128, {{0, 5, 2, 2, kDown}, {0, 3, 1, 4, kDown}}},
       {"128B_ATOM_64B", 128, {{0, 6, 1, 1, kDown}}}}};
  return all;
}

Result<TileMoves> tile_moves(std::span<const Descriptor> transfers) {
  TileMoves out;
  for (const Descriptor& each : transfers) {
    if (auto problem = add_box(each, out.moves.nests.empty(), out)) return std::move(*problem);
    if (!out.unknown.empty()) return TileMoves{.unknown = std::move(out.unknown)};
  }
  return out;
}

std::vector<TileWay> ways_of(const TileMoves& tiles, Index offset) {
  constexpr std::size_t kMostWays = 16;
  std::vector<TileWay> out;
  for (std::size_t k = 0; k < tiles.boxes.size(); ++k) {
    const TileBox& box = tiles.boxes[k];
    const Walk& host = host_of(tiles.moves.nests[k], tiles.moves.direction);
    const std::size_t rank = box.extents.size();
    // All dimensions but the innermost one are walked; its stride is its step, so t is known.
    std::vector<Index> t = box.low;
    bool more = std::ranges::equal(box.low, box.high, std::ranges::less{});
    while (more && out.size() < kMostWays) {
      Index at = host.offset, straight = box.shared.offset;
      for (std::size_t i = 0; i + 1 < rank; ++i)
        at += (t[i] - box.low[i]) * host.strides[i], straight += t[i] * box.shared.strides[i];
      const Index rest = offset - at, step = host.strides.back();
      if (rest >= 0 && rest % step == 0 && rest / step < box.high.back() - box.low.back()) {
        TileWay way{k, {}, {}, straight + (box.low.back() + rest / step) * box.shared.strides.back()};
        std::vector<Index> all = t;
        all.back() = box.low.back() + rest / step;
        for (std::size_t i = rank; i-- > 0;)
          way.t.push_back(all[i]), way.coordinates.push_back(box.at[i] + all[i] * box.step[i]);
        out.push_back(std::move(way));
      }
      more = false;
      for (std::size_t i = rank - 1; i-- > 0 && !more; t[i] = more ? t[i] : box.low[i]) more = ++t[i] < box.high[i];
    }
  }
  return out;
}

Index swizzled(const TileMoves& tiles, Index place) {
  for (const Swizzle& each : tiles.swizzles) place = map::apply(each, place);
  return place;
}

}  // namespace vl::use
