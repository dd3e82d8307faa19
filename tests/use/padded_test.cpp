// Continuations against the families' second meanings: a look at every index beyond the tensor, and at every slot.
// Where a text may be read for a larger tensor on the same device, its reference function for that tensor says where
// the indices beyond lie. Spyre's constructors have a formula: the coordinates of a dimension go on.
#include "encodings/use/padded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "encodings/use/reference.h"

namespace vl::use {
namespace use_padded_test {

using Sizes = std::vector<Index>;

const Family& family_named(std::string_view name) {
  for (const Family* family : families())
    if (family->name == name) return *family;
  VL_CHECK(false, "a family that is not registered");
}

map::Tensor tensor_of(map::ElementType type, Sizes size) {
  map::Tensor out;
  out.type = type, out.size = std::move(size);
  return out;
}

map::Space box(const Sizes& size) { return *map::Space::create(map::Space::dims("x", size)); }

// The slots of each element, by the reference.
using Address = std::function<std::optional<Point>(const Point&)>;
Address reference_of(std::string_view family, const std::string& text, const map::Tensor& tensor) {
  for (const Reference* reference : references()) {
    if (reference->family != family) continue;
    auto slots = reference->slots(text, tensor);
    VL_CHECK(slots.has_value(), text + ": " + (slots ? "" : slots.error().message));
    return [at = *slots](const Point& x) {
      const auto all = at(x);
      VL_CHECK(all.size() <= 1, "a layout with replicas");
      return all.empty() ? std::nullopt : std::optional(all.front());
    };
  }
  VL_CHECK(false, "no reference");
}

// What became of the indices of one region.
struct Landed {
  Index pads = 0, aliases = 0, outside = 0;
  bool operator==(const Landed&) const = default;
};

std::map<Region, Landed> by_region(const Sizes& valid, const Sizes& size, const Address& at) {
  std::map<Region, Landed> out;
  const map::Space space = box(size), inner = box(valid);
  std::set<Point> image;
  Point x(size.size(), 0);
  do {
    if (inner.contains(x))
      if (const auto slot = at(x)) image.insert(*slot);
  } while (map::advance(space, x));
  do {
    Region region = 0;
    for (std::size_t d = 0; d < x.size(); ++d) region |= Region{x[d] >= valid[d]} << d;
    if (region == 0) continue;
    const auto slot = at(x);
    Landed& landed = out[region];
    ++(!slot ? landed.outside : image.contains(*slot) ? landed.aliases : landed.pads);
  } while (map::advance(space, x));
  return out;
}

// The continuation as an address function.
Address address_of(const map::Layout& over) {
  return [&over](const Point& x) -> std::optional<Point> {
    Point out = map::outputs_at(over, x, {});
    if (!over.is_slot(out)) return std::nullopt;
    out.resize(over.physical().rank());
    return out;
  };
}

struct Tally {
  Index layouts = 0, regions = 0, pads = 0, aliases = 0, outside = 0;
};

// E agrees with L on N; its regions are those of the second meaning, and over_region() has their points.
void compare(const Continued& from, const Sizes& valid, const Sizes& size, const Address& second, Tally& tally,
             const std::string& what) {
  const auto over = padded(from, size);
  ASSERT_TRUE(over.has_value()) << what << ": " << over.error().message;
  const Address at = address_of(*over), own = address_of(from.layout);
  const map::Space elements = box(valid);
  Point x(valid.size(), 0);
  do {
    ASSERT_EQ(at(x), own(x)) << what << " at " << fmt::format("{}", x);
  } while (map::advance(elements, x));
  const auto mine = by_region(valid, size, at), want = by_region(valid, size, second);
  ASSERT_EQ(mine.size(), want.size()) << what;
  const auto regions = regions_of(valid, size);
  ASSERT_EQ(regions.size(), want.size()) << what;
  for (const auto& [region, landed] : want) {
    EXPECT_EQ(mine.at(region).pads, landed.pads) << what << " region " << region;
    EXPECT_EQ(mine.at(region).aliases, landed.aliases) << what << " region " << region;
    EXPECT_EQ(mine.at(region).outside, landed.outside) << what << " region " << region;
    EXPECT_EQ(count_of(region, valid, size), landed.pads + landed.aliases + landed.outside);
    const auto part = over_region(from, *over, region);
    ASSERT_TRUE(part.has_value()) << what;
    EXPECT_EQ(part->logical().volume(), count_of(region, valid, size));
    Point first(valid.size(), 0), moved = first;
    for (std::size_t d = 0; d < valid.size(); ++d) moved[d] = (region >> d & 1) != 0 ? valid[d] : 0;
    EXPECT_EQ(address_of(*part)(first), at(moved)) << what;
    tally.pads += landed.pads, tally.aliases += landed.aliases, tally.outside += landed.outside, ++tally.regions;
  }
  ++tally.layouts;
}

// The constructor's rule: for the order o, the device coordinates are x_o1, …, x_s div E, x_o0, x_s mod E.
TEST(Padded, ContinuesEveryConstructorOfSpyreAlongItsDeviceCoordinates) {
  Tally tally;
  constexpr Index kLanes = 32;  // of int64, which is stored as int32
  for (const Sizes& size :
       {Sizes{1}, Sizes{5}, Sizes{16}, Sizes{17}, Sizes{40}, Sizes{3, 5}, Sizes{5, 17}, Sizes{2, 33}, Sizes{17, 16},
        Sizes{18, 19}, Sizes{2, 3, 17}, Sizes{3, 2, 5}, Sizes{2, 20, 3}}) {
    Sizes order(size.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      const auto tensor = tensor_of(map::ElementType::I64, size);
      const std::string text = fmt::format("SpyreTensorLayout([{}], [{}], torch.int64, [{}])", fmt::join(size, ", "),
                                           fmt::join(*map::dense_strides(size), ", "), fmt::join(order, ", "));
      const auto reading = family_named("spyre").read(text, tensor);
      ASSERT_TRUE(reading.has_value()) << text << reading.error().message;
      const auto from = continued(family_named("spyre"), text, tensor, *reading);
      ASSERT_TRUE(from.has_value()) << text << ": " << from.error().message;
      const auto stick = static_cast<std::size_t>(order.back());
      EXPECT_EQ(from->granule[stick], size[stick] == 1 ? 1 : kLanes) << text;
      EXPECT_EQ(from->doubtful.has_value(), size[stick] == 1) << text;
      EXPECT_EQ(from->values, "i32") << text;
      const map::Space& device = reading->layout()->physical();
      const Address formula = [&](const Point& x) -> std::optional<Point> {
        Point out;
        for (std::size_t k = 1; k + 1 < order.size(); ++k) out.push_back(x[static_cast<std::size_t>(order[k])]);
        out.push_back(x[stick] / kLanes);
        if (order.size() > 1) out.push_back(x[static_cast<std::size_t>(order[0])]);
        out.push_back(x[stick] % kLanes);
        return device.contains(out) ? std::optional(out) : std::nullopt;
      };
      Sizes wide = size;
      for (Index& side : wide) side += 1;
      wide[stick] = (size[stick] + kLanes) / kLanes * kLanes + 1;
      if (size[stick] > 1) compare(*from, size, wide, formula, tally, text);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(tally.layouts, 30);
  EXPECT_GT(tally.pads, 500);
  EXPECT_GT(tally.outside, 500);
}

// Rows of a buffer that has room for more of them: the reference for more rows of the same strides. Also where the
// rows are cut into digits that the rows of the tensor do not reach.
TEST(Padded, ContinuesTheRowsOfSpyreThatHaveRoom) {
  Tally tally;
  for (const Index rows : {1, 3, 4, 5, 7, 33, 60})
    for (const std::string& device :
         {std::string("[2, 64, 64], [64, 70, 1]"), std::string("[2, 4, 16, 64], [64, 1120, 70, 1]"),
          std::string("[16, 2, 4, 64], [280, 64, 70, 1]")}) {
      const std::size_t cut = device.find("], [") + 1;
      const std::string text =
          fmt::format("SpyreTensorLayout(device_size={}, stride_map={}, device_dtype=DataFormats.SEN169_FP16)",
                      device.substr(0, cut), device.substr(cut + 2));
      const auto tensor = tensor_of(map::ElementType::F16, {rows, 70}),
                 wide = tensor_of(map::ElementType::F16, {66, 70});
      const auto reading = family_named("spyre").read(text, tensor);
      ASSERT_TRUE(reading.has_value()) << text << reading.error().message;
      const auto from = continued(family_named("spyre"), text, tensor, *reading);
      ASSERT_TRUE(from.has_value()) << text << ": " << from.error().message;
      EXPECT_EQ(from->whole, (Sizes{rows, 128})) << text;
      EXPECT_EQ(from->values, "dl16");
      compare(*from, {rows, 70}, {66, 70}, reference_of("spyre", text, wide), tally,
              text + fmt::format(" of {} rows", rows));
    }
  EXPECT_EQ(tally.layouts, 21);
  EXPECT_GT(tally.pads, 50000);
  EXPECT_EQ(tally.outside, 21 * 2 * 70);
}

// Tile by tile. Rule A divides before it rounds to tiles, so that its shares end inside of tiles.
TEST(Padded, ContinuesArraysOfShards) {
  Tally tally;
  struct Row {
    std::string family, text;
    Sizes size, whole;
    Region ragged = 0;
  };
  const auto ttnn = [](const std::string& map, const std::string& grid, const std::string& shard) {
    return "#ttnn.ttnn_layout<" + map + ", <" + grid + ">, memref<" + shard +
           "x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>>";
  };
  const auto metal = [](const std::string& map, const std::string& grid, const std::string& shard) {
    return "#tt.metal_layout<" + map + ", undef, <" + grid + ">, memref<" + shard + ", #tt.memory_space<l1>>>";
  };
  const std::string tiles = "x!tt.tile<32x32, f32>";
  const Row rows[] = {
      {"ttnn", ttnn("(d0, d1) -> (d0, d1)", "1x1", "2x3"), {33, 70}, {64, 96}},
      {"ttnn", ttnn("(d0, d1) -> (d0, d1)", "1x1", "1x2"), {1, 33}, {32, 64}},
      {"ttnn", ttnn("(d0, d1, d2) -> (d0 * 32 + d1, d2)", "3x1", "1x2"), {3, 30, 50}, {3, 32, 64}},
      {"ttnn", ttnn("(d0, d1, d2) -> (d0 * 64 + d1, d2)", "2x2", "2x1"), {2, 43, 64}, {2, 64, 64}},
      {"metal", metal("(d0, d1) -> (d0, d1)", "3x2", "1x1" + tiles), {53, 63}, {54, 64}, 1},
      {"metal", metal("(d0, d1) -> (d0, d1)", "2x2", "20x7xf32"), {39, 13}, {40, 14}},
      {"metal", metal("(d0, d1, d2) -> (d0 * 43 + d1, d2)", "1x1", "5x1" + tiles), {3, 43, 20}, {3, 64, 32}, 1},
  };
  for (const Row& row : rows) {
    const Family& family = family_named(row.family);
    const auto tensor = tensor_of(map::ElementType::F32, row.size);
    const auto reading = family.read(row.text, tensor);
    ASSERT_TRUE(reading.has_value()) << row.text << reading.error().message;
    const auto from = continued(family, row.text, tensor, *reading);
    ASSERT_TRUE(from.has_value()) << row.text << ": " << from.error().message;
    EXPECT_EQ(from->whole, row.whole) << row.text;
    EXPECT_EQ(from->values, row.family == "ttnn" ? "bf16" : "f32");
    EXPECT_EQ(from->group, 0);
    EXPECT_EQ(from->ragged, row.ragged) << row.text;
    compare(*from, row.size, from->whole,
            reference_of(row.family, row.text, tensor_of(map::ElementType::F32, from->whole)), tally, row.text);
  }
  EXPECT_EQ(tally.layouts, 7);
  EXPECT_GT(tally.pads, 3000);
  EXPECT_GT(tally.aliases, 800) << "rows 43 to 63 of a matrix are the next one's";
}

// A text that is read for the padded tensor. Of TIRx the tensor is a corner of the padded one; strides that overlap
// make aliases. Interleaved tiles of tt-metal have no array of shards.
TEST(Padded, TakesTheLayoutOfAStatedTensor) {
  Tally tally;
  struct Row {
    std::string family, text;
    Sizes size, whole;
    std::string values;
  };
  const Row rows[] = {
      {"tirx", "S[(8, 16):(16, 1)]", {5, 11}, {8, 16}, "f16"},
      {"tirx", "S[(8, 16):(11, 1)]", {5, 11}, {8, 16}, "f16"},
      {"tirx", "S[(8, 2, 4, 2):(4@laneid, 1@warpid, 1@laneid, 1)]", {8, 13}, {8, 16}, "f16"},
      {"ttmetal",
       "layout=TILE, banks=12: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.DRAM)",
       {33, 40},
       {64, 64},
       "f16"},
      {"ttnn",
       "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x2>, memref<1x2x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<l1>>, "
       "<interleaved>>",
       {33, 40},
       {64, 64},
       "f32"},
  };
  for (const Row& row : rows) {
    const Family& family = family_named(row.family);
    const auto tensor = tensor_of(map::ElementType::F16, row.size);
    const auto wide = tensor_of(map::ElementType::F16, row.whole);
    const auto reading = family.read(row.text, wide);
    ASSERT_TRUE(reading.has_value() && reading->layout() != nullptr) << row.text;
    const auto from = continued_to(tensor, wide, *reading);
    ASSERT_TRUE(from.has_value()) << row.text << ": " << from.error().message;
    EXPECT_EQ(from->whole, row.whole);
    EXPECT_EQ(from->values, row.values) << row.text;
    compare(*from, row.size, from->whole, reference_of(row.family, row.text, wide), tally, row.text);
    Sizes more = row.whole;
    ++more.back();
    EXPECT_FALSE(padded(*from, more).has_value()) << "nothing is known beyond what is stated";
    if (const auto own = family.read(row.text, tensor); own && own->layout() != nullptr) {
      const auto address = reference_of(row.family, row.text, tensor);
      Point x(row.size.size(), 0);
      do ASSERT_EQ(address_of(from->layout)(x), address(x)) << row.text;
      while (map::advance(box(row.size), x));
    }
  }
  EXPECT_EQ(tally.layouts, 5);
  EXPECT_GT(tally.pads, 1000);
  EXPECT_EQ(tally.aliases, 4 * 5) << "in rows of 11, positions 11 to 15 are the next row's first";
  EXPECT_FALSE(continued_to(tensor_of(map::ElementType::F16, {9, 4}), tensor_of(map::ElementType::F16, {8, 16}),
                            *family_named("tirx").read(rows[0].text, tensor_of(map::ElementType::F16, {8, 16})))
                   .has_value());
}

TEST(Padded, NamesSlotsAsTheHardwareDoes) {
  const std::string text =
      "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, "
      "<block_sharded>>";
  const auto tensor = tensor_of(map::ElementType::Bf16, {33, 33});
  const auto reading = family_named("ttnn").read(text, tensor);
  ASSERT_TRUE(reading.has_value());
  const auto from = continued(family_named("ttnn"), text, tensor, *reading);
  ASSERT_TRUE(from.has_value());
  EXPECT_EQ(in_words(*from, Point{32, 49}), "tile [1, 1], face [0, 1], row 0, lane 1");
  const auto stick = tensor_of(map::ElementType::F16, {55, 67});
  const std::string of_spyre = "SpyreTensorLayout((55, 67), torch.float16)";
  const auto lanes = family_named("spyre").read(of_spyre, stick);
  const auto sticks = continued(family_named("spyre"), of_spyre, stick, *lanes);
  ASSERT_TRUE(sticks.has_value());
  EXPECT_EQ(in_words(*sticks, Point{1, 0, 3}), "stick [1, 0], lane 3");
  EXPECT_EQ(sticks->whole, (Sizes{55, 128}));
}

}  // namespace use_padded_test
}  // namespace vl::use
