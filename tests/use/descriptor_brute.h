// Whether an H100 takes a tiled tensor map, once more: byte by byte from the sentences of cuda.h and of PTX, over plain
// numbers, without rules as data. The names are those of the rules that it must be told by.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace vl::test {

struct TensorMapNumbers {
  int element_bytes = 2;
  bool floating = true;
  std::vector<std::int64_t> dim, stride, box, step;
  int interleave = 0, swizzle = 0;  // bytes: 0, 16, 32; 0, 32, 64, 128
  bool nan = false;
  std::int64_t base = -1, shared = -1, desc = -1;  // -1: not stated
};

inline std::set<std::string> refused_rules(const TensorMapNumbers& map) {
  std::set<std::string> out;
  const auto numbered = [](const char* rule, std::size_t k) {
    return std::string(rule) + "[" + std::to_string(k) + "]";
  };
  const auto aligned = [](std::int64_t address, std::int64_t bytes) {
    while (address >= bytes) address -= bytes;
    return address == 0;
  };
  const std::size_t rank = map.dim.size();
  if (rank < 1 || rank > 5) out.insert("rank");
  if (map.interleave != 0 && rank < 3) out.insert("interleave-rank");
  for (std::size_t k = 0; k < rank; ++k) {
    if (map.dim[k] == 0 || (map.dim[k] - 1) >> 32 != 0) out.insert(numbered("global-dim", k));
    if (map.box[k] == 0 || (map.box[k] - 1) >> 8 != 0) out.insert(numbered("box", k));
    if (map.step[k] == 0 || (map.step[k] - 1) >> 3 != 0) out.insert(numbered("element-stride", k));
  }
  for (std::size_t k = 0; k + 1 < rank; ++k) {
    if (map.stride[k] >> 40 != 0) out.insert(numbered("stride-range", k));
    if ((map.stride[k] & (map.interleave == 32 ? 31 : 15)) != 0) out.insert(numbered("stride-alignment", k));
  }
  std::int64_t row = 0;  // of the box, in bytes
  for (int byte = 0; byte < map.element_bytes; ++byte) row += map.box[0];
  if (map.interleave == 0) {
    if ((row & 15) != 0) out.insert("inner-box-bytes");
    if (map.swizzle != 0 && row > map.swizzle) out.insert("inner-box-swizzle");
    if (map.step[0] != 1) out.insert("element-stride-inner");
  }
  if (map.interleave == 32 && map.swizzle != 32) out.insert("interleave-swizzle");
  if (map.nan && !map.floating) out.insert("nan-fill-type");
  if (map.base >= 0 && !aligned(map.base, map.interleave == 32 ? 32 : 16)) out.insert("global-address");
  if (map.shared >= 0 && !aligned(map.shared, 128)) out.insert("shared-address");
  if (map.desc >= 0 && !aligned(map.desc, 64)) out.insert("descriptor-alignment");
  return out;
}

}  // namespace vl::test
