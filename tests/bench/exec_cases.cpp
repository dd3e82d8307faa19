#include "tests/bench/exec_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "encodings/base/check.h"

namespace vl::bench {
namespace {

using Indices = std::vector<Index>;

struct Type {
  std::string name;    // in a tensor
  Index unit;          // bytes
  Index stick;         // elements of 128 bytes
  std::string device;  // Spyre's name
};
const Type kF16{"f16", 2, 64, "SEN169_FP16"};
const Type kBf16{"bf16", 2, 64, "BFLOAT16"};
const Type kF32{"f32", 4, 32, "IEEE_FP32"};
const Type kI8{"i8", 1, 128, "SENINT8"};
const Type kI64{"i64", 8, 16, "IEEE_INT64"};
const Type kF64{"f64", 8, 16, ""};

Index volume(const Indices& extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

Indices dense(const Indices& extents) {
  Indices out(extents.size(), 1);
  for (std::size_t k = extents.size(); k-- > 1;) out[k - 1] = out[k] * extents[k];
  return out;
}

std::string tensor_of(const Type& type, const Indices& size) {
  return fmt::format("{}[{}]", type.name, fmt::join(size, ","));
}

std::string spyre(const Type& type, const Indices& device_size, const Indices& stride_map) {
  return fmt::format("SpyreTensorLayout(device_size=[{}], stride_map =[{}], device_dtype=DataFormats.{})",
                     fmt::join(device_size, ", "), fmt::join(stride_map, ", "), type.device);
}

use::Nest nest(Indices extents, Indices source, Indices destination, Index from = 0, Index to = 0) {
  return {std::move(extents), {std::move(source), from}, {std::move(destination), to}};
}
use::Nest gap(Indices extents, Indices destination, Index to) {
  Indices nothing(extents.size(), 0);
  return nest(std::move(extents), std::move(nothing), std::move(destination), 0, to);
}

/// The names' last part is made of what is written.
ExecCase sized(ExecCase c) {
  c.name += "/" + size_name(c.destination * c.unit);
  return c;
}

// The same moves, loops in the order of the destination.
use::Nest in_order(const use::Nest& nest) {
  std::vector<std::size_t> order(nest.extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return nest.destination.strides[k]; });
  use::Nest out{{}, {{}, nest.source.offset}, {{}, nest.destination.offset}};
  for (const std::size_t k : order) {
    out.extents.push_back(nest.extents[k]);
    out.source.strides.push_back(nest.source.strides[k]);
    out.destination.strides.push_back(nest.destination.strides[k]);
  }
  return out;
}

/// The other direction: what was a gap is not read.
ExecCase unpacked(ExecCase c, const std::string& name, std::string expression = {}) {
  c.name = name;
  c.what = What::Unpack;
  for (use::Nest& move : c.moves) {
    std::swap(move.source, move.destination);
    move = in_order(move);
  }
  c.gaps.clear();
  c.expression = std::move(expression);
  std::swap(c.source, c.destination);
  return sized(std::move(c));
}

// x[B,R,C] -> [R, ceil(C/E), B, E]: rows cut into sticks, the last one filled up.
ExecCase scatter(const std::string& name, const Type& type, Index b, Index r, Index c) {
  const Index e = type.stick;
  const Index full = c / e;
  const Index rest = c % e;
  const Index sticks = full + (rest > 0 ? 1 : 0);
  ExecCase out{name,
               What::Pack,
               tensor_of(type, {b, r, c}),
               spyre(type, {r, sticks, b, e}, {c, e, r * c, 1}),
               {},
               type.unit,
               b * r * c,
               r * sticks * b * e,
               {},
               {}};
  if (full > 0) out.moves.push_back(nest({r, full, b, e}, {c, e, r * c, 1}, {sticks * b * e, b * e, e, 1}));
  if (rest > 0) {
    out.moves.push_back(nest({r, b, rest}, {c, r * c, 1}, {sticks * b * e, e, 1}, full * e, full * b * e));
    out.gaps.push_back(gap({r, b, e - rest}, {sticks * b * e, e, 1}, full * b * e + rest));
    out.expression =
        fmt::format("xp.pad(x.reshape({0},{1},{2}),((0,0),(0,0),(0,{3}))).reshape({0},{1},{4},{5}).transpose(1,2,0,3)",
                    b, r, c, e - rest, sticks, e);
  }
  return sized(std::move(out));
}

ExecCase gather(const std::string& name, const Type& type, Index b, Index r, Index c) {
  const Index sticks = (c + type.stick - 1) / type.stick;
  return unpacked(scatter("", type, b, r, c), name,
                  fmt::format("x.reshape({0},{1},{2},{3}).transpose(2,0,1,3).reshape({2},{0},{4})[:,:,:{5}]", r, sticks,
                              b, type.stick, sticks * type.stick, c));
}

// The constructor with a dim order: device dimensions o[1], …, o[n-1], o[0], and the stick of o[n-1], which
// it divides.
ExecCase sticks(const std::string& name, const Type& type, const Indices& size, const Indices& order) {
  const Index e = type.stick;
  const Indices strides = dense(size);
  Indices extents;
  Indices source;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto d = static_cast<std::size_t>(order[(k + 1) % order.size()]);
    const bool tiles = k + 2 == order.size();
    extents.push_back(tiles ? size[d] / e : size[d]);
    source.push_back(tiles ? strides[d] * e : strides[d]);
  }
  extents.push_back(e);
  source.push_back(strides[static_cast<std::size_t>(order.back())]);
  return sized(
      {name,
       What::Pack,
       tensor_of(type, size),
       fmt::format("SpyreTensorLayout(({}), torch.float16, [{}])", fmt::join(size, ", "), fmt::join(order, ", ")),
       {},
       type.unit,
       volume(size),
       volume(size),
       {nest(extents, source, dense(extents))},
       {}});
}

// x[R,C] with sticks along the columns -> with sticks along the rows.
ExecCase restickify(const Type& type, Index r, Index c) {
  const Index e = type.stick;
  return sized({fmt::format("restickify/{}", type.unit),
                What::Move,
                tensor_of(type, {r, c}),
                spyre(type, {c / e, r, e}, {e, c, 1}),
                spyre(type, {r / e, c, e}, {c * e, 1, c}),
                type.unit,
                r * c,
                r * c,
                {nest({r / e, c / e, e, e}, {e * e, r * e, 1, e}, {c * e, e * e, e, 1})},
                {}});
}

// A tile layout: the row-major x split by `extents`, each digit times its stride, all of a memory without
// holes.
ExecCase tile(const std::string& name, const Type& type, const Indices& size, const Indices& extents,
              const Indices& strides, const std::string& swizzle = "{}") {
  const std::string text = fmt::format("S[({}):({})]", fmt::join(extents, ","), fmt::join(strides, ","));
  return sized({name,
                What::Pack,
                tensor_of(type, size),
                fmt::format(fmt::runtime(swizzle), text),
                {},
                type.unit,
                volume(size),
                volume(size),
                {in_order(nest(extents, dense(extents), strides))},
                {}});
}

// Tiles of 32 x 32 made of four faces of 16 x 16.
ExecCase tilize(const std::string& name, const Type& type, Index r, Index c) {
  return tile(name, type, {r, c}, {r / 32, 2, 16, c / 32, 2, 16}, {c * 32, 512, 16, 1024, 256, 1});
}

// The same of a tensor that fills only the first face of its last tiles, in both dimensions.
ExecCase padded_tilize(const std::string& name, const Type& type, Index r, Index c) {
  const Index rt = r / 32;
  const Index ct = c / 32;
  const Index dr = r % 32;
  const Index dc = c % 32;
  VL_CHECK(dr > 0 && dr < 16 && dc > 0 && dc < 16, "edges within the first face");
  const Index row = (ct + 1) * 1024;  // one row of tiles
  const Index below = rt * row;
  const Index right = ct * 1024;
  ExecCase out{name,
               What::Pack,
               tensor_of(type, {r, c}),
               spyre(type, {rt + 1, ct + 1, 2, 2, 16, 16}, {c * 32, 32, c * 16, 16, c, 1}),
               {},
               type.unit,
               r * c,
               (rt + 1) * row,
               {},
               {}};
  out.moves = {nest({rt, ct, 2, 2, 16, 16}, {c * 32, 32, c * 16, 16, c, 1}, {row, 1024, 512, 256, 16, 1}),
               nest({rt, 2, 16, dc}, {c * 32, c * 16, c, 1}, {row, 512, 16, 1}, ct * 32, right),
               nest({ct, 2, dr, 16}, {32, 16, c, 1}, {1024, 256, 16, 1}, rt * 32 * c, below),
               nest({dr, dc}, {c, 1}, {16, 1}, rt * 32 * c + ct * 32, below + right)};
  out.gaps = {gap({rt, 2, 16, 16 - dc}, {row, 512, 16, 1}, right + dc),
              gap({rt, 2, 256}, {row, 512, 1}, right + 256),
              gap({ct, 2, (16 - dr) * 16}, {1024, 256, 1}, below + dr * 16),
              gap({ct, 512}, {1024, 1}, below + 512),
              gap({dr, 16 - dc}, {16, 1}, below + right + dc),
              gap({1, (16 - dr) * 16}, {256, 1}, below + right + dr * 16),
              gap({1, 768}, {256, 1}, below + right + 256)};
  out.expression =
      fmt::format("xp.pad(x.reshape({},{}),((0,{}),(0,{}))).reshape({},2,16,{},2,16).transpose(0,3,1,4,2,5)", r, c,
                  32 - dr, 32 - dc, rt + 1, ct + 1);
  return sized(std::move(out));
}

// bf16 pairs of rows interleaved in tiles of 8 x 128: T(8,128)(2,1).
ExecCase interleaved(Index r, Index c) {
  return tile("blocked/T8x128-2x1/bf16", kBf16, {r, c}, {r / 8, 4, 2, c / 128, 128}, {c * 8, 256, 1, 1024, 2});
}

ExecCase transpose(const Type& type, Index r, Index c) {
  return tile(fmt::format("permute/2d/{}/{}x{}", type.unit, r, c), type, {r, c}, {r, c}, {1, r});
}

// Dimension 0 is the one whose elements are neighbours; dimension i of the result is dimension perm[i] of x.
ExecCase permute(const Type& type, const Indices& sizes, const Indices& perm) {
  Indices strides(sizes.size());
  Index stride = 1;
  for (const Index from : perm) {
    strides[sizes.size() - 1 - static_cast<std::size_t>(from)] = stride;
    stride *= sizes[static_cast<std::size_t>(from)];
  }
  const Indices size(sizes.rbegin(), sizes.rend());
  return tile(fmt::format("permute/5d/{}/{}", type.name, fmt::join(perm, "-")), type, size, size, strides);
}

// 16-byte atoms of rows of 128 bytes, XORed with the row's number modulo 8.
ExecCase swizzle(Index rows) {
  ExecCase out = tile("swizzle/3-3-3/f16", kF16, {rows, 64}, {rows, 64}, {64, 1}, "ComposeLayout(3, 3, 3, {})");
  out.moves.clear();
  for (Index row = 0; row < 8; ++row)
    for (Index atom = 0; atom < 8; ++atom)
      out.moves.push_back(nest({rows / 8, 8}, {512, 1}, {512, 1}, row * 64 + atom * 8, row * 64 + (atom ^ row) * 8));
  return out;
}

std::vector<ExecCase> sticks_cases() {
  return {
      scatter("stick-scatter/f16", kF16, 5, 65536, 150),
      scatter("stick-scatter/f32", kF32, 5, 32768, 150),
      scatter("stick-scatter/i8", kI8, 5, 131072, 150),
      scatter("stick-scatter/f16", kF16, 5, 1024, 150),
      sticks("stick-scatter/f16", kF16, {8192, 4096}, {0, 1}),
      sticks("stick-scatter/f16", kF16, {1024, 256}, {0, 1}),
      sticks("stick-scatter/f16", kF16, {2048, 256}, {0, 1}),
      sticks("stick-scatter/f16/order-1-0-2-3", kF16, {8, 32, 2048, 128}, {1, 0, 2, 3}),
      sticks("stick-scatter/f16/order-0-1-3-2", kF16, {8, 32, 2048, 128}, {0, 1, 3, 2}),
      sticks("stick-scatter/f16/order-0-2-3-1", kF16, {8, 64, 1024, 128}, {0, 2, 3, 1}),
      gather("stick-gather/f16", kF16, 5, 65536, 150),
      gather("stick-gather/f32", kF32, 5, 32768, 150),
      gather("stick-gather/f16", kF16, 5, 1024, 150),
      unpacked(sticks("", kF16, {8192, 4096}, {0, 1}), "stick-gather/f16"),
      unpacked(sticks("", kF16, {1024, 256}, {0, 1}), "stick-gather/f16"),
      restickify(kF16, 4096, 8192),
      restickify(kF32, 4096, 4096),
      restickify(kI8, 8192, 8192),
      restickify(kI64, 2048, 4096),
      restickify(kF16, 1024, 1024),
  };
}

std::vector<ExecCase> tile_cases() {
  return {
      tilize("tilize/bf16", kBf16, 4096, 8192),
      tilize("tilize/f32", kF32, 4096, 4096),
      padded_tilize("tilize/bf16/padded", kBf16, 8007, 4013),
      tilize("tilize/bf16", kBf16, 1024, 1024),
      unpacked(tilize("", kBf16, 4096, 8192), "untilize/bf16"),
      unpacked(tilize("", kF32, 4096, 4096), "untilize/f32"),
      interleaved(4096, 8192),
      interleaved(1024, 1024),
      tile("blocked/nChw16c/f32", kF32, {32, 64, 112, 112}, {32, 4, 16, 12544}, {802816, 200704, 1, 16}),
      tile("blocked/BA16a64b4a/i8", kI8, {8192, 8192}, {128, 16, 4, 128, 64}, {4096, 256, 1, 524288, 4}),
      swizzle(524288),
      swizzle(4096),
  };
}

std::vector<ExecCase> permute_cases() {
  return {
      transpose(kI8, 8192, 8192),
      transpose(kI8, 8128, 8256),
      transpose(kF16, 4096, 8192),
      transpose(kF16, 4160, 8064),
      transpose(kF32, 4096, 4096),
      transpose(kF32, 4032, 4160),
      transpose(kF64, 2048, 4096),
      transpose(kF64, 2112, 4032),
      transpose(kI8, 256, 256),
      transpose(kF16, 128, 256),
      transpose(kF32, 128, 128),
      transpose(kF64, 64, 128),
      permute(kF32, {32, 48, 28, 28, 48}, {0, 4, 2, 1, 3}),
      permute(kF32, {48, 28, 28, 48, 28}, {3, 2, 1, 4, 0}),
      permute(kF32, {48, 28, 28, 48, 28}, {2, 0, 4, 1, 3}),
      permute(kF32, {48, 28, 28, 48, 28}, {1, 3, 0, 4, 2}),
      permute(kF32, {48, 28, 28, 48, 28}, {4, 3, 2, 1, 0}),
      permute(kF64, {24, 28, 28, 48, 28}, {4, 3, 2, 1, 0}),
      permute(kF32, {16, 14, 14, 16, 14}, {4, 3, 2, 1, 0}),
      permute(kF32, {16, 14, 14, 16, 14}, {2, 0, 4, 1, 3}),
  };
}

}  // namespace

const std::vector<ExecCase>& exec_cases() {
  static const std::vector<ExecCase> all = [] {
    std::vector<ExecCase> out;
    for (auto* part : {sticks_cases, tile_cases, permute_cases}) std::ranges::move(part(), std::back_inserter(out));
    return out;
  }();
  return all;
}

const ExecCase& exec_case(const std::string& name) {
  const auto found = std::ranges::find(exec_cases(), name, &ExecCase::name);
  VL_CHECK(found != exec_cases().end(), name);
  return *found;
}

ExecCase small_pack(Index columns) { return scatter(fmt::format("small/f16-2x8x{}", columns), kF16, 2, 8, columns); }
ExecCase whole_sticks() { return scatter("definition/f16-5x1024x128", kF16, 5, 1024, 128); }

std::string size_name(Index bytes) {
  const bool mib = bytes >= Index{1} << 20;
  const double size = static_cast<double>(bytes) / (mib ? 1048576.0 : 1024.0);
  const std::string text = fmt::format("{:.{}f}", size, size < 10 ? 1 : 0);
  return (text.ends_with(".0") ? text.substr(0, text.size() - 2) : text) + (mib ? "MiB" : "KiB");
}

}  // namespace vl::bench
