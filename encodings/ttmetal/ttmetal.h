// Layouts of Tenstorrent's runtime, tt-metal: where the elements of a tensor lie in the memories of cores or banks.
// This is rule D; rules A, B and C are the compiler's (encodings/ttmlir) and round in other orders.
//
//   TensorSpec(logical_shape=Shape([53, 63]),tensor_layout=TensorLayout(dtype=DataType::BFLOAT16,page_config=…,
//     memory_config=MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,
//     shard_spec=ShardSpec{grid=[{"start":{"x":0,"y":0},"end":{"x":0,"y":1}}], shape=[32, 64], orientation=…},…)))
//   ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(…))
//   layout=TILE, banks=12: ttnn.MemoryConfig(…)     what such a text leaves open, in front of it
//
// The law. Element x has a place (h, w) in a physical array of two dimensions: from the last dimension outwards, w is
// the last coordinate and h joins the others, and each product is rounded up to the alignment of its dimension:
//   W = up(s_n, a_n)      h = Σ x_d · t_d,  t_{n-1} = 1,  t_{d-1} = up(s_d · t_d, a_d)      H = t_{-1}
// The array is cut into pages: tiles, or rows. Interleaved: page i lies in bank i mod B, there number i div B. Sharded:
// the array is cut into shards, which are dealt to the cores in their order; a shard is stored row-major, a tiled one
// as a row-major array of tiles, a tile as a row-major array of faces, a face row-major (place.h).
//
// Worked example: 53x63, TILE, HEIGHT_SHARDED by (32, 64) on the cores (x=0, y=0), (x=0, y=1). The physical array is
// 64x64. Row 40 lies on core y=1, there in row 8: element [40, 20] is number 0·512 + 1·256 + 8·16 + 4 = 388.
//
// Physical space: the named axes y and x of a core, and m (elements in one core's memory); of an interleaved
// tensor bank and m. Pages are counted without the bytes that align them in a bank: how much memory rows
// take that are no multiple of 64 bytes, is not known.
//
// Sources: tt-metal at 59a6596a33a430cbd0575f720f9203d472a4b7e7, tt_metal/impl/tensor/spec/layout/tensor_layout.cpp and
// page_config.cpp; at 9f0fa39fd69c00b24f447377aa0e46ab18d343f6, tt_metal/impl/tensor/spec/tensor_spec.cpp; at
// ed81d1f82d9a35592b4be9f6cfd52f7df4507183, tt_metal/impl/buffers/buffer_distribution_spec.cpp. The texts are those of
// the released ttnn 0.81.1 and of older sources. The second meaning is reference.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/cores.h"
#include "encodings/use/family.h"

namespace vl::ttmetal {

/// A tile and its faces, with the two flags that Python sets together as transpose_tile.
struct Tile {
  Index height = 32, width = 32;
  Index face_height = 16, face_width = 16;
  bool faces_by_column = false;   // transpose_of_faces
  bool within_by_column = false;  // transpose_within_face

  bool operator==(const Tile&) const = default;
};

/// The tile of that size as the hardware cuts it: 32x16 has faces of 16x16, 8x32 of 8x16.
[[nodiscard]] Tile tile_of(Index height, Index width);

using use::CoreRange;

enum class Deal { RoundRobin, Grid, Contiguous };

/// ShardSpec (a shape of two dimensions) or NdShardSpec.
struct Shard {
  std::vector<CoreRange> grid;  // in the order in which the runtime goes through them
  std::vector<Index> shape;
  bool by_column = false;                           // ShardOrientation::COL_MAJOR
  Deal deal = Deal::RoundRobin;                     // of an NdShardSpec
  std::optional<std::vector<Index>> physical = {};  // older texts, ShardMode::LOGICAL: each shard is padded to it
  /// Of a text in which names stand for sizes (rule_text.h): the shape, and x0, y0, x1, y1 of each range.
  std::vector<map::Expression> named_shape = {}, named_grid = {};

  bool operator==(const Shard&) const = default;
};

enum class Memory { Interleaved, Height, Width, Block, Nd };

/// What a text says; what it leaves open is empty.
struct Spec {
  std::optional<std::vector<Index>> shape;  // the logical shape
  std::string dtype;                        // bfloat16, …
  std::optional<bool> tiled;                // TILE or ROW_MAJOR
  Tile tile;
  Memory memory = Memory::Interleaved;
  std::string buffer = "DRAM";
  std::optional<Shard> shard;  // of the memory layouts but Interleaved
  bool stray_shard = false;    // an interleaved text has a shard spec
  std::vector<Index> alignment;
  std::optional<Index> banks;
  std::vector<map::Expression> named_shape = {}, named_alignment = {}, named_banks = {};  // as in Shard

  bool operator==(const Spec&) const = default;
};

struct Parsed {
  Spec spec;
  std::string unknown =
      {};  // not empty: the first part that has no value, and why: "'grid' is a name; a set of cores …"
  std::string text = {};  // then the text itself, in one line

  bool operator==(const Parsed&) const = default;
};

/// Reads a text. Errors, with the offset in the text: Syntax, Value (a core range that goes backwards, a tile that its
/// faces do not fill, a shard without elements), Shape (a shard shape that has not two dimensions), Overflow.
[[nodiscard]] Result<Parsed> parse(std::string_view text);

/// Whether a text begins as one of tt-metal's specs.
[[nodiscard]] bool recognises(std::string_view text);

/// A text without comments and in one line, with one blank for several.
[[nodiscard]] std::string in_one_line(std::string_view text);

/// In one line, as ttnn prints it, with the keys in front that this text has no place for: parse(print(s)).spec == s.
[[nodiscard]] std::string print(const Spec& spec);

/// Errors: those of parse; Box (a declared axis that the layout does not have); Overflow.
[[nodiscard]] Result<use::Reading> read(std::string_view text, const map::Tensor& tensor);
[[nodiscard]] Result<use::Reading> read(const Parsed& parsed, const map::Tensor& tensor);

inline constexpr std::array<std::string_view, 5> kDefaultClaims = {"well-formed", "in-bounds", "injective", "bijective",
                                                                   "padding"};

[[nodiscard]] const use::Family& family();

}  // namespace vl::ttmetal
