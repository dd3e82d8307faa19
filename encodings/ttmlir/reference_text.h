// The texts of tt-mlir's layouts for the second meaning: pieces of text and plain numbers. Like reference.cpp, it uses
// neither the IR nor the family's parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"
#include "encodings/use/reference.h"

namespace vl::ttmlir::second {

/// A text is read without its white space. 2x4x!tt.tile<32x32,f32> has the sizes 2, 4 and the tile 32, 32; else the
/// tile is 1, 1.
struct Array {
  std::vector<Index> sizes;
  bool tiled = false;
  Index high = 1;
  Index wide = 1;
};

/// What a text says. `kind`: a, b or c, for the rules.
struct Said {
  char kind = 'a';
  std::vector<std::string> names;    // of the map's dimensions
  std::vector<std::string> results;  // of the map, as texts
  std::vector<Index> grid;
  Array shard;
  bool l1 = false;
  bool interleaved = false;
  bool by_height = false;  // height_sharded
  bool by_width = false;
  bool sharded = false;  // in one of the three ways
  // of rule B
  std::vector<Index> logical;
  std::vector<Index> alignments;
  std::vector<std::pair<Index, Index>> intervals;
  std::optional<Array> device;
};

/// 2x4x!tt.tile<32x32,f32>; the integers of a text, in order.
[[nodiscard]] Array array_of(std::string_view text);
[[nodiscard]] std::vector<Index> numbers_of(std::string_view text);

/// The slots of a device buffer, memref<…, #ttcore.shard<…>, …>; nothing for other texts. (reference_buffer.cpp)
[[nodiscard]] std::optional<use::Slots> slots_of_buffer(std::string_view text);

/// The places of a grid's cores; nothing for other texts. (reference_grid.cpp)
[[nodiscard]] std::optional<use::Slots> slots_of_grid(std::string_view text, const map::Tensor& tensor);

/// The places of the bytes of shards, l1Map = …; nothing for other texts. (reference_grid.cpp)
[[nodiscard]] std::optional<use::Slots> slots_of_memory_map(std::string_view text, const map::Tensor& tensor);

/// Checks little: rejecting texts is the task of the other reader.
[[nodiscard]] Result<Said> read_said(std::string_view text);

/// The value of a result of the map where the dimensions have these values; nothing for anything but sums and products.
[[nodiscard]] std::optional<Index> value_of(std::string_view result, const std::vector<std::string>& names,
                                            const std::vector<Index>& values);

}  // namespace vl::ttmlir::second
