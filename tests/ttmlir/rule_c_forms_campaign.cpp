// Texts of rule C in other forms than the builder's: what they say of places, and which rules they break.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/reference.h"
#include "tests/support/property.h"

namespace vl::ttnn {
const use::Reference& reference();
}

namespace vl::ttmlir {
namespace ttmlir_rule_c_forms_campaign {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

std::string of(const std::string& map, const std::string& grid, const std::string& memref, const std::string& memory) {
  return "#ttnn.ttnn_layout<" + map + ", <" + grid + ">, memref<" + memref + ", #ttnn.buffer_type<" + memory + ">";
}
std::string in_dram(const std::string& map, const std::string& memref) {
  return of(map, "1x1", memref, "dram>>, <interleaved>");
}

constexpr const char* kTiles = "x!ttcore.tile<32x32, bf16>";

// The first rule that is broken; empty if none is.
std::string broken(const use::Reading& reading) {
  for (const use::Rule& rule : reading.rules)
    if (rule.have != rule.want) return rule.statement;
  return {};
}

// Each element at one place, in both texts the same.
void expect_equal(const std::string& one, const std::string& other, const std::vector<Index>& size) {
  const auto a = read(one, tensor_of(size)), b = read(other, tensor_of(size));
  ASSERT_TRUE(a.has_value() && b.has_value()) << one;
  ASSERT_TRUE(a->layout() != nullptr && b->layout() != nullptr) << one;
  EXPECT_EQ(broken(*a), "") << one;
  EXPECT_EQ(map::extents_of(a->layout()->physical()), map::extents_of(b->layout()->physical())) << one;
  Point x(size.size(), 0);
  do {
    ASSERT_EQ(map::outputs_at(*a->layout(), x, {}), map::outputs_at(*b->layout(), x, {})) << one;
  } while (map::advance(a->layout()->logical(), x));
}

TEST(TtmlirRuleCForms, OnOneCoreHaveThePlacesOfTheBuildersText) {
  expect_equal(in_dram("(d0) -> (d0)", "5xf32"), in_dram("(d0) -> (0, d0)", "1x5xf32"), {5});
  expect_equal(in_dram("(d0) -> (0, d0)", "5xf32"), in_dram("(d0) -> (0, d0)", "1x5xf32"), {5});
  expect_equal(in_dram("(d0, d1, d2, d3) -> (d0, d1, d2, d3)", "12xf32"),
               in_dram("(d0, d1, d2, d3) -> (d0 * 2 + d1 * 2 + d2, d3)", "6x2xf32"), {3, 1, 2, 2});
  // 2x40x64 in tiles: 40 rows are two tiles high, so d0 moves 64 rows.
  expect_equal(in_dram("(d0, d1, d2) -> (d0, d1, d2)", std::string("2x2x2") + kTiles),
               in_dram("(d0, d1, d2) -> (d0 * 64 + d1, d2)", std::string("4x2") + kTiles), {2, 40, 64});
  expect_equal(in_dram("(d0, d1, d2, d3) -> (d0 * 3 + d1, d2, d3)", std::string("6x1x1") + kTiles),
               in_dram("(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3)", std::string("6x1") + kTiles), {2, 3, 5, 7});
}

TEST(TtmlirRuleCForms, OnOneCoreNeedAMemrefThatHoldsThem) {
  const auto few = read(in_dram("(d0, d1, d2) -> (d0, d1, d2)", "1x1xf32"), tensor_of({1, 1, 32}));
  ASSERT_TRUE(few.has_value());
  EXPECT_EQ(broken(*few), "the memref holds all elements of the map's 3 results");
  ASSERT_NE(few->undecidable(), nullptr);
  const auto tiles =
      read(in_dram("(d0, d1, d2) -> (d0, d1, d2)", std::string("1x1x1") + kTiles), tensor_of({1, 33, 5}));
  ASSERT_TRUE(tiles.has_value());
  EXPECT_EQ(broken(*tiles), "memref dimension 0 is ceil(64 / 1) = 64, in tiles of 32");
  EXPECT_NE(tiles->layout(), nullptr);
}

TEST(TtmlirRuleCForms, OnCoresHaveARankOfTheirOwn) {
  for (const char* memory : {"l1>>, <block_sharded>", "l1>>, <height_sharded>"}) {
    const auto reading = read(of("(d0) -> (d0)", "1x1", "5xf32", memory), tensor_of({5}));
    ASSERT_TRUE(reading.has_value());
    EXPECT_EQ(broken(*reading), "the map has as many results as the grid has dimensions") << memory;
  }
  const auto two = read(of("(d0) -> (d0)", "1x2", "5xf32", "l1>>, <interleaved>"), tensor_of({10}));
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(broken(*two), "the map has as many results as the grid has dimensions");
}

// ttnn_height_sharded_translation.mlir: 384x64 on <6x2> is tensor<12x1x1x2x tiles>. By hand: element (33, 40) is in
// shard 1 of 12, there in row 1; column 40 is in its second tile, in row 1 and column 8 of that: 1024 + 16 + 8.
TEST(TtmlirRuleCForms, OfAnOlderGridAreReadAsD2mReadsThem) {
  const auto reading = read(of("(d0, d1) -> (d0, d1)", "6x2", std::string("2x1") + kTiles, "l1>>, <height_sharded>"),
                            tensor_of({384, 64}));
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(broken(*reading), "a height-sharded grid has one column");
  ASSERT_NE(reading->layout(), nullptr);
  EXPECT_EQ(map::outputs_at(*reading->layout(), Point{33, 40}, {}), (Point{1, 0, 1024 + 16 + 8}));
  // There 2x384x32 is 12x1 shards of 2x1 tiles, whatever the factor of d0: row 384 + 65 is in shard 7, there row 1.
  const auto joined =
      read(of("(d0, d1, d2) -> (d0 * 32 + d1, d2)", "6x2", std::string("2x1") + kTiles, "l1>>, <height_sharded>"),
           tensor_of({2, 384, 32}));
  ASSERT_TRUE(joined.has_value() && joined->layout() != nullptr);
  EXPECT_EQ(map::outputs_at(*joined->layout(), Point{1, 65, 3}, {}), (Point{7, 0, 16 + 3}));
}

// Three tiles are not the two of a twelfth of 384x64, so the memref's own shape stays: there is no second column.
TEST(TtmlirRuleCForms, OfAnOlderGridWithAnotherNumberOfTilesAreNotReadAnew) {
  const auto reading = read(of("(d0, d1) -> (d0, d1)", "6x2", std::string("3x1") + kTiles, "l1>>, <height_sharded>"),
                            tensor_of({384, 64}));
  ASSERT_TRUE(reading.has_value() && reading->layout() != nullptr);
  EXPECT_FALSE(reading->layout()->physical().contains(map::outputs_at(*reading->layout(), Point{0, 32}, {})));
}

TEST(TtmlirRuleCForms, InterleavedInL1HoldTheTilesOfACoreInAnyShape) {
  const auto with = [](const char* shape) {
    return read(of("(d0, d1) -> (d0, d1)", "1x1", std::string(shape) + kTiles, "l1>>, <interleaved>"),
                tensor_of({64, 256}));
  };
  const auto whole = with("2x8"), row = with("1x16"), few = with("2x7");
  ASSERT_TRUE(whole.has_value() && row.has_value() && few.has_value());
  EXPECT_EQ(broken(*whole), "");
  EXPECT_EQ(broken(*row), "");
  EXPECT_EQ(broken(*few), "the memref of an interleaved L1 tensor holds ceil(16 / 1 cores) tiles");
}

// Of 4 tiles of one core each, a stride of half a tile moves none; of two tiles in a row it moves the second.
TEST(TtmlirRuleCForms, OfBuffersTakeAnyStrideOfOneCell) {
  const auto one =
      read("memref<4x2x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<2048x2048, 1>, #l1>", tensor_of({4, 2, 32, 32}));
  const auto two =
      read("memref<4x2x1x2x!ttcore.tile<32x32, f32>, #ttcore.shard<2048x2048, 1>, #l1>", tensor_of({4, 2, 32, 64}));
  ASSERT_TRUE(one.has_value() && two.has_value());
  EXPECT_EQ(broken(*one), "");
  EXPECT_EQ(broken(*two), "stride 1 modulo the 4096 bytes of a tile is 0");
}

struct Form {
  std::vector<Index> size;
  std::string text;
};

// Nothing where the shard would have no tile.
std::optional<Form> drawn_form(test::WideEngine& random) {
  const auto below = [&](Index most) { return test::roll(random, 0, most - 1); };
  const bool tiled = below(2) == 0, older = tiled && below(3) == 0;
  std::vector<Index> size(static_cast<std::size_t>(older ? 2 + below(2) : 1 + below(4)));
  for (Index& each : size) each = 1 + below(older ? 3 : 6);
  if (older) size.back() *= 32, size[size.size() - 2] *= 32;
  else if (tiled) size.back() += below(40);
  std::string names, results;
  std::vector<Index> memref;
  Index all = 1;
  for (std::size_t d = 0; d < size.size(); ++d) {
    const std::string name = "d" + std::to_string(d);
    names += (d == 0 ? "" : ", ") + name;
    const bool join = d > 0 && d + 1 < size.size() && below(3) == 0;  // to the dimension before
    if (join) results += " + " + name;
    else
      results += (d == 0 ? "" : ", ") + name +
                 (below(4) == 0 && d + 2 < size.size() ? " * " + std::to_string(1 + below(8)) : "");
    const Index side = tiled && d + 2 >= size.size() ? 32 : 1;
    const Index cells = (size[d] + side - 1) / side;
    if (join) memref.back() *= cells;
    else memref.push_back(cells);
    all *= cells;
  }
  if (older) {
    const Index rows = size[size.size() - 2] / 32 * (size.size() == 3 ? size[0] : 1);
    memref = {1, rows * size.back() / 32 / 4 + below(2) * below(2)};
    if (memref[1] == 0) return std::nullopt;
    if (below(2) == 0) std::swap(memref[0], memref[1]);
    results = size.size() == 3 ? "d0 * " + std::to_string(size[1]) + " + d1, d2" : "d0, d1";
  } else if (below(3) == 0) {
    memref = {all};
  } else if (below(3) == 0) {
    memref = {all, 1};
  } else if (below(4) == 0) {
    memref.back() += below(3);
  }
  std::string shape;
  for (const Index each : memref) shape += std::to_string(each) + "x";
  shape = tiled ? shape.substr(0, shape.size() - 1) + kTiles : shape + "f32";
  const std::string map = "(" + names + ") -> (" + results + ")";
  std::string text = older ? of(map, "2x2", shape, below(2) == 0 ? "l1>>, <height_sharded>" : "l1>>, <width_sharded>")
                           : (below(3) == 0 ? of(map, "1x1", shape, "l1>>, <interleaved>") : in_dram(map, shape));
  return Form{std::move(size), std::move(text)};
}

// Random forms against the second meaning, every element.
TEST(TtmlirRuleCForms, AgreeWithTheSecondMeaning) {
  // The numbers of elements at a place and outside of the memory, and of texts without places.
  Index placed = 0, nowhere = 0, outside = 0;
  test::for_all(1500, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const auto form = drawn_form(random);
    if (!form) return;
    const auto& [size, text] = *form;
    RC_LOG() << text;
    const map::Tensor tensor = tensor_of(size);
    const auto reading = read(text, tensor);
    RC_ASSERT(reading.has_value());
    const auto slots = vl::ttnn::reference().slots(text, tensor);
    RC_ASSERT(slots.has_value());
    if (reading->layout() == nullptr) {
      ++nowhere;
      return;
    }
    const map::Layout& layout = *reading->layout();
    Point x(size.size(), 0);
    do {
      const Point slot = map::outputs_at(layout, x, {});
      const bool inside = layout.physical().contains(slot);
      (inside ? placed : outside) += 1;
      const std::vector<Point> want = (*slots)(x);
      RC_ASSERT((inside ? std::vector<Point>{slot} : std::vector<Point>{}) == want);
    } while (map::advance(layout.logical(), x));
  });
  EXPECT_GT(placed, 100000);
  EXPECT_GT(outside, 1000);
  EXPECT_GT(nowhere, 100);
}

}  // namespace ttmlir_rule_c_forms_campaign
}  // namespace vl::ttmlir
