#include <fmt/format.h>

#include <array>
#include <string_view>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace {

// Each writes to a place with room for it, and gives the place behind; campaigns write a million texts a second.
char* put(char* to, std::string_view text) {
  for (const char c : text) *to++ = c;
  return to;
}

char* put(char* to, Index value) {
  if (value >= 0 && value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  const fmt::format_int text(value);
  return put(to, std::string_view(text.data(), text.size()));
}

// A number without an axis is on m.
char* put_on_axis(char* to, Index value, Axis axis) {
  to = put(to, value);
  return axis == Axis::M ? to : put(put(to, "@"), info(axis).name);
}

char* put_iters(char* to, char name, const std::vector<Iter>& iters) {
  const bool one = iters.size() == 1;
  *to++ = name, *to++ = '[';
  if (!one) *to++ = '(';
  for (std::size_t k = 0; k < iters.size(); ++k) {
    if (k > 0) *to++ = ',';
    to = put(to, iters[k].extent);
  }
  to = put(to, one ? ":" : "):(");
  for (std::size_t k = 0; k < iters.size(); ++k) {
    if (k > 0) *to++ = ',';
    to = put_on_axis(to, iters[k].stride, iters[k].axis);
  }
  return put(to, one ? "]" : ")]");
}

char* put_tile(char* to, const TileLayout& tile) {
  to = put_iters(to, 'S', tile.shard);
  if (!tile.replica.empty()) to = put_iters(put(to, " + "), 'R', tile.replica);
  for (const auto& [axis, value] : tile.offset) to = put_on_axis(put(to, " + "), value, axis);
  return to;
}

char* put_layout(char* to, const Layout& layout) {
  if (!layout.swizzle && !layout.tile) return put_tile(to, {});
  if (!layout.swizzle) return put_tile(to, *layout.tile);
  const SwizzleLayout& swizzle = *layout.swizzle;
  const bool named = !layout.tile;  // a swizzle alone
  to = put(to, named ? "SwizzleLayout(per_element=" : "ComposeLayout(");
  to = put(put(to, Index{swizzle.per_element}), named ? ", swizzle_len=" : ", ");
  to = put(put(to, Index{swizzle.swizzle_len}), named ? ", atom_len=" : ", ");
  to = put(to, Index{swizzle.atom_len});
  if (layout.tile) to = put(put_tile(put(to, ", TileLayout("), *layout.tile), ")");
  return put(put(to, swizzle.swizzle_inner ? "" : ", swizzle_inner=False"), ")");
}

// What the longest text may need: of each iter two numbers, and the longest name of an axis.
std::size_t room_for(const TileLayout& tile) {
  constexpr std::size_t kOfIter = 64, kAround = 160;
  return kAround + kOfIter * (tile.shard.size() + tile.replica.size() + tile.offset.size());
}

}  // namespace

std::string print(const TileLayout& tile) { return print(Layout{std::nullopt, tile}); }

void print(const Layout& layout, std::string& out) {
  const std::size_t room = layout.tile ? room_for(*layout.tile) : room_for({});
  std::array<char, 1024> near;  // NOLINT: put_layout() fills what is used
  if (room <= near.size()) {
    out.assign(near.data(), put_layout(near.data(), layout));
    return;
  }
  out.resize(room);
  out.resize(static_cast<std::size_t>(put_layout(out.data(), layout) - out.data()));
}

std::string print(const Layout& layout) {
  std::string out;
  print(layout, out);
  return out;
}

}  // namespace vl::tirx
