// Device buffers, the second meaning: byte addresses. ShardLayoutAttr's map is a sum of index times stride over the
// shard's dimensions, in bytes; tt-metal stores a tile as faces of 16x16 (block formats behind their exponents, which
// are left out here: a place counts elements). Text and plain numbers alone.
#include <algorithm>

#include "encodings/ttmlir/reference_text.h"

namespace vl::ttmlir::second {
namespace {

Index bytes_of(const Array& array, const std::string& type) {
  const Index area = array.high * array.wide;
  if (type.find("bfp") == 0) return area / 16 + area * (type.back() - '0') / 8;
  std::string digits;
  for (const char c : type)
    if (c >= '0' && c <= '9') digits += c;
  return area * (digits.empty() ? 0 : std::stoll(digits)) / 8;
}

}  // namespace

std::optional<use::Slots> slots_of_buffer(std::string_view text) {
  std::string said;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t') said += c;
  if (said.find("memref<") != 0) return std::nullopt;
  const std::size_t sign = said.find(",#");
  const std::string cells = said.substr(7, sign - 7);
  const Array array = array_of(cells);
  std::string type = cells.substr(cells.find_last_of(array.tiled ? ',' : 'x') + 1);
  if (array.tiled) type.pop_back();
  const std::size_t open = said.find('<', sign);
  const std::vector<Index> strides = numbers_of(said.substr(open, said.find_first_of(",>", open) - open));
  const bool circular = said.find("cb_layout<", sign) != std::string::npos;
  const std::size_t cores = circular ? 0 : array.sizes.size() / 2;
  const Index bytes = bytes_of(array, type);
  const std::size_t n = array.sizes.size() - cores;
  bool right = strides.size() == n && (circular || array.sizes.size() % 2 == 0) && (!array.tiled || n >= 2);
  for (std::size_t k = 0; k < strides.size() && right; ++k)
    right = bytes > 0 && (strides[k] % bytes == 0 || array.sizes[cores + k] == 1);
  Index end = bytes;
  for (std::size_t k = 0; k < n; ++k) end *= array.sizes[cores + k];
  return use::Slots([=](std::span<const Index> x) -> std::vector<Point> {
    if (!right || x.size() != array.sizes.size()) return {};
    Point slot(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(cores));
    Index address = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Index side = k + 1 == n ? array.wide : k + 2 == n ? array.high : 1;
      address += x[cores + k] / side * strides[k];
    }
    if (address < 0 || address >= end) return {};
    Index place = address / bytes * array.high * array.wide;
    if (array.tiled) {
      const Index row = x[x.size() - 2] % array.high, column = x.back() % array.wide;
      const Index tall = array.high % 16 == 0 ? 16 : array.high, broad = array.wide % 16 == 0 ? 16 : array.wide;
      place +=
          (row / tall * (array.wide / broad) + column / broad) * tall * broad + row % tall * broad + column % broad;
    }
    slot.push_back(place);
    return {slot};
  });
}

}  // namespace vl::ttmlir::second
