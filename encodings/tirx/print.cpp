#include <fmt/format.h>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace {

void put_number(Index value, std::string& out) {
  const fmt::format_int text(value);
  out.append(text.data(), text.size());
}

// A number without an axis is on m.
void put_on_axis(Index value, Axis axis, std::string& out) {
  put_number(value, out);
  if (axis != Axis::M) out += '@', out += info(axis).name;
}

void put_iters(char name, const std::vector<Iter>& iters, std::string& out) {
  const bool one = iters.size() == 1;
  out += name, out += one ? "[" : "[(";
  for (std::size_t k = 0; k < iters.size(); ++k) {
    if (k > 0) out += ',';
    put_number(iters[k].extent, out);
  }
  out += one ? ":" : "):(";
  for (std::size_t k = 0; k < iters.size(); ++k) {
    if (k > 0) out += ',';
    put_on_axis(iters[k].stride, iters[k].axis, out);
  }
  out += one ? "]" : ")]";
}

void put_tile(const TileLayout& tile, std::string& out) {
  put_iters('S', tile.shard, out);
  if (!tile.replica.empty()) out += " + ", put_iters('R', tile.replica, out);
  for (const auto& [axis, value] : tile.offset) out += " + ", put_on_axis(value, axis, out);
}

// Room for most texts, which are then written without a copy.
std::string roomy() {
  std::string out;
  out.reserve(120);
  return out;
}

}  // namespace

std::string print(const TileLayout& tile) {
  std::string out = roomy();
  put_tile(tile, out);
  return out;
}

std::string print(const Layout& layout) {
  if (!layout.swizzle) return layout.tile ? print(*layout.tile) : print(TileLayout{});
  const SwizzleLayout& swizzle = *layout.swizzle;
  const std::string_view direction = swizzle.swizzle_inner ? "" : ", swizzle_inner=False";
  if (!layout.tile)
    return fmt::format("SwizzleLayout(per_element={}, swizzle_len={}, atom_len={}{})", swizzle.per_element,
                       swizzle.swizzle_len, swizzle.atom_len, direction);
  std::string out = roomy();
  out += "ComposeLayout(";
  for (const int number : {swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len})
    put_number(number, out), out += ", ";
  out += "TileLayout(";
  put_tile(*layout.tile, out);
  return out += ')', out += direction, out += ')';
}

}  // namespace vl::tirx
