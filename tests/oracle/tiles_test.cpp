// Bytes of tensor maps: what transfers write, byte by byte, against the formulas of cuda.h and PTX, and against the
// measured clip of stores; what they do not touch; and what cannot be run.
#include "oracle/reference/tiles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/claims/tile_boxes.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"

namespace vl::oracle {
namespace oracle_tiles_test {

using namespace test::tiles;
using Bytes = std::vector<std::byte>;

std::optional<use::TileMoves> moves_of(const std::vector<std::string>& texts) {
  std::vector<use::Descriptor> read;
  for (const std::string& text : texts) {
    auto made = use::parse_descriptor(text);
    if (!made) return std::nullopt;
    read.push_back(std::move(*made));
  }
  auto tiles = use::tile_moves(read);
  return tiles ? std::optional(std::move(*tiles)) : std::nullopt;
}

Bytes drawn_bytes(test::Engine& random, Index count) {
  Bytes out(static_cast<std::size_t>(count));
  for (std::byte& each : out) each = static_cast<std::byte>(test::roll(random, 1, 255));
  return out;
}

// The bytes that transfers leave, in the order of the boxes.
Bytes written(const Tiles& tiles, const Bytes& from, Bytes to) {
  for (const Box& box : tiles.boxes) {
    Tiles one = tiles;
    one.boxes = {box};
    one.for_each_place([&](bool inside, Index tensor, Index shared) {
      for (Index byte = 0; byte < tiles.bytes; ++byte) {
        const auto at = [&](Index number) { return static_cast<std::size_t>(number + byte); };
        if (tiles.load) to[at(shared)] = inside ? from[at(tensor)] : std::byte{0};
        else if (inside) to[at(tensor)] = from[at(shared)];
      }
    });
  }
  return to;
}

TEST(Tiles, WriteEveryByteThatTheFormulasSay) {
  int loads = 0, stores = 0;
  test::for_all(test::fact_or_campaign(300, 10000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    Tiles tiles = drawn(pick);
    // A store writes to whole groups of 16 bytes; here rows end with one, so its clip is their end.
    if (!tiles.load) tiles.dim[0] = (tiles.dim[0] * tiles.bytes + 15) / 16 * 16 / tiles.bytes;
    for (std::size_t i = 1; i < tiles.dim.size(); ++i)
      tiles.stride[i - 1] =
          ((i == 1 ? tiles.dim[0] * tiles.bytes : tiles.stride[i - 2] * tiles.dim[i - 1]) + 15) / 16 * 16;
    deal_boxes(tiles, 1024 * pick(0, 2));
    if (tiles.boxes.size() > 20) return;
    if (pick(0, 1) == 0) tiles.boxes[0].at.back() -= pick(0, 2);
    std::vector<std::string> texts;
    for (const Box& box : tiles.boxes) texts.push_back(tiles.text(box));
    RC_LOG() << texts[0] << "\n";
    const auto moves = moves_of(texts);
    RC_ASSERT(moves.has_value() && moves->unknown.empty());
    const auto needed = bytes_of_tiles(*moves);
    RC_ASSERT(needed.has_value());
    Index shared_end = 0, tensor_end = 0;
    tiles.for_each_place([&](bool inside, Index tensor, Index shared) {
      if (inside || tiles.load) shared_end = std::max(shared_end, shared + tiles.bytes);
      if (inside) tensor_end = std::max(tensor_end, tensor + tiles.bytes);
    });
    RC_ASSERT(needed->shared == shared_end);
    RC_ASSERT(needed->tensor == tensor_end);
    const Bytes from = drawn_bytes(random, tiles.load ? tensor_end : shared_end);
    Bytes to = drawn_bytes(random, (tiles.load ? shared_end : tensor_end) + pick(0, 40));
    const Bytes want = written(tiles, from, to);
    RC_ASSERT(!run_tiles(*moves, from, to).has_value());
    RC_ASSERT(to == want);
    ++(tiles.load ? loads : stores);
    if (from.empty()) return;
    const Bytes less(from.begin(), from.end() - 1);
    RC_ASSERT(run_tiles(*moves, less, to).has_value());
  });
  fmt::print("{} loads, {} stores\n", loads, stores);
  EXPECT_GE(loads, test::fact_or_campaign(100, 4000));
  EXPECT_GE(stores, test::fact_or_campaign(30, 1000));
}

// triton-lang/triton#11583, measured on an H100: the bytes of each row behind the tensor's last column that a store
// writes, of int8, int16 and int32; none where a row is whole groups of 16 bytes.
TEST(Tiles, ClipStoresAtSixteenBytes) {
  struct Row {
    const char* text;
    Index stride, first, last;  // the bytes of a row that are written beyond it; last < first: none
  };
  const Row rows[] = {
      {"store tensormap(u8, dim (466,4), stride (512), box (128,4)) at (384,0) from 0", 512, 466, 479},
      {"store tensormap(u16, dim (470,4), stride (1024), box (128,4)) at (384,0) from 0", 1024, 940, 943},
      {"store tensormap(i32, dim (466,4), stride (2048), box (128,4)) at (384,0) from 0", 2048, 1864, 1871},
      {"store tensormap(u8, dim (464,4), stride (512), box (128,4)) at (384,0) from 0", 512, 464, 463},
      // The tile ends at column 468, before the group does.
      {"store tensormap(u8, dim (466,4), stride (512), box (16,4)) at (452,0) from 0", 512, 466, 467},
  };
  for (const Row& row : rows) {
    const auto moves = moves_of({row.text});
    ASSERT_TRUE(moves.has_value()) << row.text;
    const auto needed = bytes_of_tiles(*moves);
    ASSERT_TRUE(needed.has_value()) << row.text;
    const Bytes from(static_cast<std::size_t>(needed->shared), std::byte{1});
    Bytes to(static_cast<std::size_t>(4 * row.stride), std::byte{0});
    ASSERT_FALSE(run_tiles(*moves, from, to).has_value()) << row.text;
    const Index end = row.first;
    for (Index line = 0; line < 4; ++line)
      for (Index byte = end - 4; byte < row.stride; ++byte)
        EXPECT_EQ(to[static_cast<std::size_t>(line * row.stride + byte)], std::byte{byte < end || byte <= row.last})
            << row.text << ", byte " << byte;
  }
}

TEST(Tiles, AreNotRunWhereNoDocumentSaysWhatHappens) {
  const auto message = [](const char* text) {
    const auto moves = moves_of({text});
    Bytes from(1 << 14), to(1 << 14);
    const auto error = moves ? run_tiles(*moves, from, to) : std::nullopt;
    return error ? error->message : "";
  };
  EXPECT_EQ(message("load tensormap(f16, dim (50,64), stride (112), box (64,8), fill nan) at (0,0) to 0"),
            "no document has the bits of the NaN that is filled in");
  EXPECT_EQ(message("load tensormap(f16, dim (64,64), stride (128), box (64,8), fill nan) at (0,0) to 0"), "");
  EXPECT_EQ(message("store tensormap(u8, dim (466,32), stride (512), box (16,32)) at (470,0) from 0"),
            "no document says what a store writes that begins beyond the tensor's row");
  EXPECT_EQ(message("store tensormap(u8, dim (466,32), stride (512), box (16,32)) at (480,0) from 0"), "");
  EXPECT_EQ(message("load tensormap(f16, dim (64,64), stride (128), box (64,64)) at (0,0) to 9216"),
            "the shared memory has 16384 bytes, and the transfers come to byte 16384");
  EXPECT_EQ(message("load tensormap(u8, dim (256,256,256,256,256), stride (256,65536,16777216,4294967296), box "
                    "(256,256,256,256,256)) at (0,0,0,0,0) to 0"),
            "boxes of more than 2^28 elements");
}

}  // namespace oracle_tiles_test
}  // namespace vl::oracle
