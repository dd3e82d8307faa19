#include "encodings/use/descriptor_way.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/use/tile_moves.h"

namespace vl::use {
namespace {

using Fields = std::vector<Index>;

// Sums and products that know whether a number left 64 bits.
class Sum {
 public:
  explicit Sum(Index start = 0) : value_(start) {}
  Sum& add(Index a, Index b = 1) { return fits_ = fits_ && accumulate(value_, a, b), *this; }
  [[nodiscard]] Result<Index> value() const {
    if (!fits_) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
    return value_;
  }

 private:
  Index value_;
  bool fits_ = true;
};

bool states(const Descriptor& of, const char* field, const char* word) {
  const auto found = of.fields.find(field);
  return found != of.fields.end() && found->second == word_field(word);
}

// Numbers of fields that have one each, in the order of the names.
Result<Fields> one_each(const Descriptor& of, std::initializer_list<const char*> names) {
  Fields out;
  for (const char* name : names) {
    const auto read = numbers_in(of, name);
    if (!read) return read.error();
    out.push_back(read->front());
  }
  return out;
}

bool is_inside(std::span<const Index> t, std::span<const Index> extents) {
  if (t.size() != extents.size()) return false;
  for (std::size_t i = 0; i < t.size(); ++i)
    if (t[i] < 0 || t[i] >= extents[i]) return false;
  return true;
}

Result<TileMoves> known_moves(const Descriptor& of) {
  auto tiles = tile_moves(std::span(&of, 1));
  if (tiles && !tiles->unknown.empty()) return Error{ErrorCode::Value, tiles->unknown, 0};
  return tiles;
}

Result<DescriptorTile> tile_of_map(const Descriptor& of) {
  const auto tiles = known_moves(of);
  if (!tiles) return tiles.error();
  const auto& extents = tiles->boxes.front().extents;
  const bool load = tiles->moves.direction == Direction::HostToDevice;
  constexpr std::string_view kOfTensor = "byte of the tensor", kOfShared = "byte of shared memory";
  return DescriptorTile{{extents.rbegin(), extents.rend()},
                        "innermost first",
                        load ? kOfTensor : kOfShared,
                        load ? kOfShared : kOfTensor};
}

Result<DescriptorWay> way_of_map(const Descriptor& of, std::span<const Index> t) {
  const auto tiles = known_moves(of);
  if (!tiles) return tiles.error();
  const TileBox& box = tiles->boxes.front();
  const bool load = tiles->moves.direction == Direction::HostToDevice;
  if (!box.written)
    return Error{ErrorCode::Value, "no document says what a store writes that begins beyond the tensor's row", 0};
  const Walk& host = host_of(tiles->moves.nests.front(), tiles->moves.direction);
  const std::size_t rank = t.size();
  Sum tensor(host.offset), shared(box.shared.offset);
  bool inside = true;
  for (std::size_t i = 0; i < rank; ++i) {
    const Index at = t[rank - 1 - i];
    tensor.add(at - box.low[i], host.strides[i]), shared.add(at, box.shared.strides[i]);
    inside = inside && at >= box.low[i] && at < (i + 1 == rank ? *box.written : box.high[i]);
  }
  std::vector<Index> coordinates;
  for (std::size_t i = 0; i < rank; ++i) coordinates.push_back(box.at[rank - 1 - i] + t[i] * box.step[rank - 1 - i]);
  const auto place = shared.value(), element = tensor.value();
  if (!place || (inside && !element)) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  const Index bytes = tiles->bits / 8;
  const Index byte = swizzled(*tiles, *place) * bytes;
  const std::optional<Index> own = inside ? std::optional(*element * bytes) : std::nullopt;
  const std::optional<Index> straight = tiles->swizzles.empty() ? std::nullopt : std::optional(*place * bytes);
  return load ? DescriptorWay{own, byte, straight, {}, std::move(coordinates)}
              : DescriptorWay{byte, own, straight, {}, std::move(coordinates)};
}

Result<DescriptorTile> tile_of_window(const Descriptor& of) {
  auto extents = one_each(of, {"channels", "pixels"});
  if (!extents) return extents.error();
  if (states(of, "direction", "store"))
    return Error{ErrorCode::Value, "what a store of a window writes is not encoded", 0};
  const bool placed = of.fields.contains("shared");
  return DescriptorTile{std::move(*extents), "channel, pixel", "byte of the tensor",
                        placed ? "byte of shared memory" : std::string_view()};
}

// The coordinates of pixel p of a window, without its offsets; nothing where no document says them.
std::optional<Fields> pixel_of(Index p, const Fields& dim, const Fields& lower, const Fields& upper, const Fields& step,
                               Fields at) {
  const std::size_t last = dim.size() - 1;
  for (; p > 0; --p) {
    for (std::size_t i = 1; i <= last; ++i) {
      if (i == last) {
        at[i] += 1;
        break;
      }
      at[i] += step[i];
      if (at[i] <= dim[i] - 1 + upper[i - 1]) break;
      if (step[i] != 1) return std::nullopt;
      at[i] = lower[i - 1];
    }
  }
  return at;
}

// The shared byte of a window's element: its own, and with the swizzle.
Result<std::pair<Index, Index>> shared_of_window(const Descriptor& of, std::span<const Index> t) {
  const auto read = one_each(of, {"bits", "channels", "shared"});
  if (!read) return read.error();
  const Index bytes = (*read)[0] / 8;
  const auto& word = std::get<std::string>(of.fields.at("swizzle").values.front());
  const auto mode = std::ranges::find(swizzle_modes(), word, &SwizzleMode::name);
  if (!states(of, "interleave", "none") || (*read)[0] % 8 != 0 || mode == swizzle_modes().end() ||
      (mode->span > 0 && (*read)[1] * bytes != mode->span))
    return Error{ErrorCode::Value, "no document states where such a window lies in shared memory", 0};
  const auto straight = Sum((*read)[2]).add(t[0], bytes).add(t[1], (*read)[1] * bytes).value();
  if (!straight) return straight.error();
  if (*straight < 0) return Error{ErrorCode::Value, "a shared address below 0", 0};
  Index byte = *straight;
  for (const map::Swizzle& each : mode->swizzles) byte = map::apply(each, byte);
  return std::pair(*straight, byte);
}

Result<DescriptorWay> way_of_window(const Descriptor& of, std::span<const Index> t) {
  DescriptorWay out;
  if (const auto shared = shared_of_window(of, t); shared) {
    out.to = shared->second;
    if (!states(of, "swizzle", "none")) out.straight = shared->first;
  } else if (of.fields.contains("shared")) {
    return shared.error();
  }
  Fields lists[5];
  constexpr std::array kLists = {"dim", "lower", "upper", "step", "at"};
  for (std::size_t i = 0; i < kLists.size(); ++i) {
    auto numbers = numbers_in(of, kLists[i]);
    if (!numbers) return numbers.error();
    lists[i] = std::move(*numbers);
  }
  const auto& [dim, lower, upper, step, at] = lists;
  const auto offsets =
      of.fields.contains("offsets") ? numbers_in(of, "offsets") : Result<Fields>(Fields(dim.size() - 2, 0));
  if (!offsets) return offsets.error();
  constexpr Index kMostPixels = 1024, kFar = Index{1} << 40;
  const auto far = [&](Index number) { return number < -kFar || number > kFar; };
  for (const Fields* list : {&dim, &lower, &upper, &step, &at, &*offsets})
    if (std::ranges::any_of(*list, far)) return Error{ErrorCode::Value, "a number beyond 2^40", 0};
  if (t[1] >= kMostPixels) return Error{ErrorCode::Value, "a window of more than 1024 pixels", 0};
  auto pixel = pixel_of(t[1], dim, lower, upper, step, at);
  if (!pixel) return out.open = "no document says where a row begins after steps of more than 1", out;
  (*pixel)[0] += t[0];
  for (std::size_t i = 0; i < offsets->size(); ++i) (*pixel)[i + 1] += (*offsets)[i];
  out.coordinates = *pixel;
  if (!is_inside(*pixel, dim)) return out;
  const auto bits = one_each(of, {"bits"});
  const auto stride = numbers_in(of, "stride");
  if (!stride) return out.open = stride.error().message, out;
  Sum from;
  from.add((*pixel)[0], bits->front() / 8);
  for (std::size_t i = 1; i < dim.size(); ++i) from.add((*pixel)[i], (*stride)[i - 1]);
  const auto byte = from.value();
  if (!byte) return byte.error();
  return out.from = *byte, out;
}

Result<DescriptorTile> tile_of_block(const Descriptor& of) {
  auto extents = one_each(of, {"rows", "columns", "blocks"});
  if (!extents) return extents.error();
  return DescriptorTile{std::move(*extents), "row, column, block", "byte of the surface", {}};
}

Result<DescriptorWay> way_of_block(const Descriptor& of, std::span<const Index> t) {
  const auto read = one_each(of, {"bits", "columns", "width", "height", "pitch", "x", "y"});
  if (!read) return read.error();
  const Index bits = (*read)[0], columns = (*read)[1], width = (*read)[2], height = (*read)[3];
  const Index pitch = (*read)[4], x = (*read)[5], y = (*read)[6];
  if (bits % 8 != 0) return Error{ErrorCode::Value, "elements of whole bytes are expected", 0};
  const auto row = Sum(y).add(t[0]).value(), column = Sum(x).add(t[2], columns).add(t[1]).value();
  if (!row || !column) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  const auto byte = checked_mul(*column, bits / 8);
  if (!byte) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  if (*row < 0 || *row >= height || *byte < 0 || *byte >= width) return DescriptorWay{};
  const auto base = of.fields.contains("base") ? one_each(of, {"base"}) : Result<Fields>(Fields{0});
  if (!base) return base.error();
  const auto from = Sum(base->front()).add(*row, pitch).add(*byte).value();
  if (!from) return from.error();
  return DescriptorWay{*from, {}, {}, {}};
}

Result<DescriptorTile> tile_of_tdm(const Descriptor& of) {
  auto extents = numbers_in(of, "tile");
  if (!extents) return extents.error();
  return DescriptorTile{std::move(*extents), "outermost first", "byte of the tensor, from the tile on", "byte of LDS"};
}

Result<DescriptorWay> way_of_tdm(const Descriptor& of, std::span<const Index> t) {
  const auto extents = numbers_in(of, "tile");
  const auto bits = one_each(of, {"bits"});
  if (!extents || !bits) return !extents ? extents.error() : bits.error();
  const Index bytes = bits->front() / 8;
  if (bits->front() % 8 != 0) return Error{ErrorCode::Value, "elements of whole bytes are expected", 0};
  Sum number;
  Index weight = 1;
  for (std::size_t i = t.size(); i-- > 0;) {
    number.add(t[i], weight);
    const auto next = checked_mul(weight, (*extents)[i]);
    if (!next) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
    weight = *next;
  }
  auto n = number.value();
  if (!n) return n.error();
  Sum place(*n);
  if (of.fields.contains("pad_every")) {
    const auto pad = one_each(of, {"pad_every", "pad_by"});
    if (!pad) return pad.error();
    if (pad->front() < 1) return Error{ErrorCode::Value, "'pad_every' is expected to be at least 1", 0};
    place.add(*n / pad->front(), pad->back());
  }
  const auto at = place.value();
  const auto to = at ? Sum().add(*at, bytes).value() : at;
  if (!to) return to.error();
  DescriptorWay out{{}, *to, {}, {}};
  const auto tensor = numbers_in(of, "tensor"), stride = numbers_in(of, "stride");
  if (!tensor || !stride) return out.open = (!tensor ? tensor.error() : stride.error()).message, out;
  if (!is_inside(t, *tensor)) return out;
  Sum from;
  for (std::size_t i = 0; i < t.size(); ++i) from.add(t[i], (*stride)[i]);
  const auto element = from.value();
  const auto byte = element ? Sum().add(*element, bytes).value() : element;
  if (!byte) return byte.error();
  return out.from = *byte, out;
}

// Buffer descriptors and access patterns: offset + Σ t·stride.
Result<DescriptorTile> tile_of_pattern(const Descriptor& of) {
  auto extents = numbers_in(of, of.kind == "nki" ? "count" : "size");
  if (!extents) return extents.error();
  if (of.kind == "nki") return DescriptorTile{std::move(*extents), "partition first", "element of the tensor", {}};
  return DescriptorTile{std::move(*extents), "outermost first", "element of the buffer", "place of the stream"};
}

Result<DescriptorWay> way_of_pattern(const Descriptor& of, std::span<const Index> t) {
  const bool nki = of.kind == "nki";
  const auto steps = numbers_in(of, nki ? "step" : "stride"), extents = numbers_in(of, nki ? "count" : "size");
  const auto offset = of.fields.contains("offset") ? numbers_in(of, "offset") : Result<Fields>(Fields{0});
  if (!steps || !extents || !offset) return !steps ? steps.error() : !extents ? extents.error() : offset.error();
  Sum from(offset->front()), number;
  Index weight = 1;
  for (std::size_t i = t.size(); i-- > 0;) {
    from.add(t[i], (*steps)[i]), number.add(t[i], weight);
    const auto next = checked_mul(weight, (*extents)[i]);
    if (!next) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
    weight = *next;
  }
  const auto element = from.value(), place = number.value();
  if (!element || !place) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  return DescriptorWay{*element, nki ? std::nullopt : std::optional(*place), {}, {}};
}

Result<DescriptorTile> tile_of_copy(const Descriptor& of) {
  auto extents = one_each(of, {"count", "length"});
  if (!extents) return extents.error();
  const bool load = states(of, "direction", "load");
  constexpr std::string_view kGlobal = "byte of GM", kBuffer = "byte of UB";
  return DescriptorTile{std::move(*extents), "block, byte", load ? kGlobal : kBuffer, load ? kBuffer : kGlobal};
}

Result<DescriptorWay> way_of_copy(const Descriptor& of, std::span<const Index> t) {
  constexpr Index kUnit = 32;  // bytes of UB
  const bool load = states(of, "direction", "load");
  const auto read = one_each(of, {"length", load ? "source_gap" : "target_gap", load ? "target_gap" : "source_gap"});
  if (!read) return read.error();
  const Index length = (*read)[0];
  const auto line = Sum(length).add((*read)[1]).value();
  const auto units = Sum(ceil_div(length, kUnit)).add((*read)[2]).value();
  const auto pitch = units ? Sum().add(*units, kUnit).value() : units;
  if (!line || !pitch) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  const auto global = Sum(t[1]).add(t[0], *line).value(), buffer = Sum(t[1]).add(t[0], *pitch).value();
  if (!global || !buffer) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  return load ? DescriptorWay{*global, *buffer, {}, {}} : DescriptorWay{*buffer, *global, {}, {}};
}

struct Walks {
  std::string_view kind;
  Result<DescriptorTile> (*tile)(const Descriptor& of);
  Result<DescriptorWay> (*way)(const Descriptor& of, std::span<const Index> t);
};
constexpr std::array<Walks, 7> kWalks = {{{"tensormap", tile_of_map, way_of_map},
                                          {"im2col", tile_of_window, way_of_window},
                                          {"block2d", tile_of_block, way_of_block},
                                          {"tdm", tile_of_tdm, way_of_tdm},
                                          {"dmabd", tile_of_pattern, way_of_pattern},
                                          {"nki", tile_of_pattern, way_of_pattern},
                                          {"datacopypad", tile_of_copy, way_of_copy}}};

const Walks* walks_of(const Descriptor& of) {
  const auto found = std::ranges::find(kWalks, of.kind, &Walks::kind);
  return found == kWalks.end() ? nullptr : &*found;
}

}  // namespace

Result<DescriptorTile> tile_of(const Descriptor& descriptor) {
  const Walks* walks = walks_of(descriptor);
  if (walks == nullptr)
    return Error{ErrorCode::Value, fmt::format("{} has no tile to walk over", descriptor_kind(descriptor.kind)->what),
                 0};
  return walks->tile(descriptor);
}

Result<DescriptorWay> way_of(const Descriptor& descriptor, std::span<const Index> t) {
  const auto tile = tile_of(descriptor);
  if (!tile) return tile.error();
  if (!is_inside(t, tile->extents))
    return Error{ErrorCode::Value,
                 fmt::format("not in the tile of ({}), {}", fmt::join(tile->extents, ","), tile->order), 0};
  return walks_of(descriptor)->way(descriptor, t);
}

}  // namespace vl::use
