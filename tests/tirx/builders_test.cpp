// The layouts of upstream's helpers against rules for the place of each element, which use no iters.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "encodings/tirx/builders.h"

namespace vl::tirx {
namespace tirx_builders_test {

using List = std::vector<Index>;
using Place = std::map<std::string, Index>;  // by axis; one at 0 is left out
using Places = std::set<Place>;
using Rule = std::function<Places(const List& element)>;

Place at(std::initializer_list<std::pair<const char*, Index>> axes) {
  Place out;
  for (const auto& [name, value] : axes)
    if (value != 0) out[name] = value;
  return out;
}

map::Tensor tensor_of(const List& size, map::ElementType type = map::ElementType::F8E4M3) {
  map::Tensor tensor;
  tensor.type = type;
  tensor.size = size;
  return tensor;
}

/// Compares every element of the text's layout with the rule; the number of elements.
Index compare(const std::string& text, const List& shape, const Rule& rule) {
  const auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << (parsed ? "" : parsed.error().message);
  if (!parsed) return 0;
  EXPECT_TRUE(recognises(text)) << text;
  EXPECT_EQ(parsed->symbolic, "") << text;
  const auto layout = lower(parsed->layout, tensor_of(shape));
  EXPECT_TRUE(layout.has_value()) << text << ": " << (layout ? "" : layout.error().message);
  if (!layout) return 0;
  Point element(shape.size(), 0);
  Index compared = 0;
  do {
    Places places;
    Point replica(layout->replicas().rank(), 0);
    do {
      const Point outputs = map::outputs_at(*layout, element, replica);
      Place place;
      for (std::size_t k = 0; k < layout->physical().rank(); ++k)
        if (outputs[k] != 0) place[layout->physical().dims()[k].name] = outputs[k];
      places.insert(place);
    } while (map::advance(layout->replicas(), replica));
    EXPECT_EQ(places, rule(element)) << text << " at " << fmt::format("{}", element);
    if (testing::Test::HasFailure()) return 0;
    ++compared;
  } while (map::advance(layout->logical(), element));
  return compared;
}

std::string printed(const std::string& text) {
  const auto parsed = parse(text);
  return parsed ? print(parsed->layout) : "error: " + parsed.error().message;
}

TEST(Builders, PutAccumulatorsWhereEachDatapathDoes) {
  Index compared = 0;
  for (const Index cols : {4, 64, 100}) {
    for (const char letter : {'A', 'D'})
      compared +=
          compare(fmt::format("tmem_datapath_layout(\"{}\", 128, {})", letter, cols), {128, cols}, [](const List& x) {
            return Places{at({{"TLane", x[0]}, {"TCol", x[1]}})};
          });
    for (const char letter : {'B', 'E'})
      compared +=
          compare(fmt::format("tmem_datapath('{}', rows=64, cols={})", letter, cols), {64, cols}, [&](const List& x) {
            const Index lane = x[1] < cols / 2 ? x[0] : 64 + x[0];
            return Places{at({{"TLane", lane}, {"TCol", x[1] % (cols / 2)}})};
          });
    compared += compare(fmt::format("tmem_datapath_layout('G', 32, {})", cols), {32, cols}, [&](const List& x) {
      return Places{at({{"TLane", 32 * (x[1] / (cols / 4)) + x[0]}, {"TCol", x[1] % (cols / 4)}})};
    });
    for (const char letter : {'C', 'F'})
      for (const Index slab : {0, 1})
        compared += compare(fmt::format("tmem_datapath_layout('{}', 64, {}, sub_slab={})", letter, cols, slab),
                            {64, cols}, [&](const List& x) {  // a warp reaches 32 lanes and has 16 rows
                              return Places{at({{"TLane", x[0] + 16 * (x[0] / 16) + 16 * slab}, {"TCol", x[1]}})};
                            });
  }
  EXPECT_EQ(compared, (2 * 128 + 2 * 64 + 32 + 4 * 64) * (4 + 64 + 100));
}

TEST(Builders, PutKnownElementsOfDatapathsOnKnownLanes) {
  const auto place = [](const char* text, const List& shape, const List& element) {
    Places out;
    compare(text, shape, [&](const List& x) {
      const auto layout = lower(parse(text)->layout, tensor_of(shape));
      const Point outputs = map::outputs_at(*layout, x, {});
      const auto& dims = layout->physical().dims();
      Places one{at({{dims[0].name.c_str(), outputs[0]}, {dims[1].name.c_str(), outputs[1]}})};
      if (x == element) out = one;
      return one;
    });
    return out;
  };
  EXPECT_EQ(place("tmem_datapath('F', 64, 8, 1)", {64, 8}, {37, 0}), Places{at({{"TLane", 85}})});
  EXPECT_EQ(place("tmem_datapath('G', 32, 64)", {32, 64}, {5, 37}), (Places{at({{"TLane", 69}, {"TCol", 5}})}));
}

struct Factors {
  Index rows, factors, per_mma, reuse, stages;
};

TEST(Builders, PutScaleFactorsWhereUpstreamDoes) {
  Index compared = 0;
  const std::vector<Factors> wanted = {{128, 8, 4, 1, 0},  {32, 1, 1, 1, 0},  {128, 4, 1, 1, 0}, {128, 4, 1, 4, 0},
                                       {256, 12, 2, 1, 0}, {128, 6, 2, 1, 0}, {64, 5, 1, 1, 0},  {128, 4, 4, 1, 2},
                                       {128, 8, 4, 1, 2},  {96, 8, 1, 2, 3}};
  for (const Factors& f : wanted) {
    std::string text =
        fmt::format("sf_tmem_layout({}, {}, sf_per_mma={}, sf_reuse={}", f.rows, f.factors, f.per_mma, f.reuse);
    text += f.stages > 0 ? fmt::format(", pipe_depth={})", f.stages) : std::string(", pipe_depth=None)");
    List shape{f.rows, f.factors * f.reuse};
    if (f.stages > 0) shape.insert(shape.begin(), f.stages);
    // Bytes of one lane: cells of four bytes, one per group of 32 rows, then the next steps along K; as many steps as
    // divide the count share a cell.
    const Index steps = f.factors / f.per_mma;
    Index shared = 4 / f.per_mma;
    while (steps % shared != 0) shared /= 2;
    compared += compare(text, shape, [&](const List& x) {
      const Index stage = f.stages > 0 ? x[0] : 0;
      const Index row = x[x.size() - 2];
      const Index factor = x.back() / f.reuse;
      const Index step = factor / f.per_mma;
      const Index cell = row / 32 + (step / shared + stage) * (f.rows / 32);
      const Index byte = step % shared * f.per_mma + factor % f.per_mma;
      Places out;
      for (Index warp = 0; warp < 4; ++warp)
        out.insert(at({{"TLane", row % 32 + 32 * warp}, {"TCol", 4 * cell + byte}}));
      return out;
    });
  }
  EXPECT_EQ(compared, 1024 + 32 + 512 + 2048 + 3072 + 768 + 320 + 1024 + 2048 + 4608);
  EXPECT_EQ(printed("sf_tmem_layout(128, 8, 4)"), "S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
  EXPECT_EQ(printed("sf_tmem_layout(128, 8, 4, pipe_depth=2)"),
            "S[(2,4,32,2,4):(16@TCol,4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
}

TEST(Builders, PutScratchpadsOverPartitions) {
  Index compared = 0;
  compared += compare("trainium('FPF', (3, 256, 5))", {3, 256, 5}, [](const List& x) {
    return Places{at({{"P", x[1] % 128}, {"F", (x[1] / 128 * 3 + x[0]) * 5 + x[2]}})};
  });
  compared += compare("TileLayout.trainium(\"PFP\", (8, 7, 16))", {8, 7, 16}, [](const List& x) {
    return Places{at({{"P", 16 * x[0] + x[2]}, {"F", x[1]}})};
  });
  compared += compare("T.TileLayout.trainium('FF', (4, 6))", {4, 6}, [](const List& x) {
    return Places{at({{"F", 6 * x[0] + x[1]}})};
  });
  compared += compare("trainium('PF', (16, 2048), is_psum=True)", {16, 2048}, [](const List& x) {
    return Places{at({{"P", x[0]}, {"Bank", x[1] / 512}, {"F", x[1] % 512}})};
  });
  compared += compare("trainium('PFF', (2, 6, 256), True)", {2, 6, 256}, [](const List& x) {
    return Places{at({{"P", x[0]}, {"Bank", x[1] / 2}, {"F", x[1] % 2 * 256 + x[2]}})};
  });
  EXPECT_EQ(compared, 3840 + 896 + 24 + 32768 + 3072);
  EXPECT_EQ(printed("trainium('FPF', (32, 512, 512))"), "S[(32,4,128,512):(512@F,16384@F,1@P,1@F)]");
}

// The document's transform, on the row-major address in a panel.
Index swizzled(Index address, Index bits, Index mode) {
  const Index run = 128 / bits;
  const Index chunk = address / run;
  const Index width = Index{1} << mode;
  return (chunk ^ (chunk / 8 % width)) * run + address % run;
}

TEST(Builders, PutOperandsIntoPanelsAsWideAsTheSwizzle) {
  Index compared = 0;
  struct Type {
    const char* name;
    Index bits;
  };
  for (const Type& type : {Type{"float8_e4m3fn", 8}, Type{"float16", 16}, Type{"bfloat16", 16}, Type{"float32", 32}})
    for (const Index mode : {0, 1, 2, 3}) {
      const Index width = (128 << mode) / type.bits;
      const Index rows = 16;
      const Index cols = 3 * width;
      compared += compare(fmt::format("mma_shared_layout(\"{}\", {}, (2, {}, {}))", type.name, mode, rows, cols),
                          {2, rows, cols}, [&](const List& x) {
                            const Index panel = x[0] * 3 + x[2] / width;
                            const Index address = (panel * rows + x[1]) * width + x[2] % width;
                            return Places{at({{"m", mode > 0 ? swizzled(address, type.bits, mode) : address}})};
                          });
    }
  EXPECT_EQ(compared, 96 * (1 + 2 + 4 + 8) * (16 + 8 + 8 + 4));
  EXPECT_EQ(printed("mma_shared_layout('float16', '128B', (64, 256))"),
            "ComposeLayout(3, 3, 3, TileLayout(S[(64,4,64):(64,4096,1)]))");
  EXPECT_EQ(printed("tma_shared_layout('float16', SwizzleMode.SWIZZLE_64B_ATOM, [3, 64, 256])"),
            "ComposeLayout(3, 2, 3, TileLayout(S[(3,64,8,32):(16384,32,2048,1)]))");
  EXPECT_EQ(printed("mma_shared_layout('float16', 0, (5, 12))"), "S[60:1]");
  EXPECT_EQ(printed("mma_atom_layout('float4_e2m1fn', 2)"), "SwizzleLayout(per_element=5, swizzle_len=2, atom_len=3)");
}

TEST(Builders, ReadArithmeticAndStaySymbolicOverNames) {
  EXPECT_EQ(printed("tmem_datapath_layout('D', 128, 512 // 4)"), "S[(128,128):(1@TLane,1@TCol)]");
  for (const char* text : {"tmem_datapath_layout('D', 128, cols)", "sf_tmem_layout(M, 8, 4)", "trainium('PF', shape)",
                           "mma_shared_layout(dtype, 3, (64, 256))", "mma_shared_layout('float16', mode, (64, 256))"}) {
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    EXPECT_NE(parsed->symbolic, "") << text;
  }
}

TEST(Builders, RejectWhatTheHelpersReject) {
  const std::vector<const char*> bad = {"tmem_datapath_layout('H', 128, 8)",
                                        "tmem_datapath_layout('D', 64, 8)",
                                        "tmem_datapath_layout('B', 64, 7)",
                                        "tmem_datapath_layout('G', 32, 6)",
                                        "tmem_datapath_layout('D', 128, 8, 1)",
                                        "tmem_datapath_layout('F', 64, 8, 2)",
                                        "tmem_datapath_layout('D', 128)",
                                        "tmem_datapath_layout('D', 128, 0)",
                                        "tmem_datapath_layout('D', 128, -4)",
                                        "tmem_datapath_layout('D', 128, 8, rows=128)",
                                        "tmem_datapath_layout('D', 128, 8, 0, 0)",
                                        "tmem_datapath_layout('D', 128, 9223372036854775807)",
                                        "tmem_datapath_layout('', 128, 8)",
                                        "tmem_datapath_layout(128, 128, 8)",
                                        "sf_tmem_layout(100, 8, 4)",
                                        "sf_tmem_layout(128, 6, 4)",
                                        "sf_tmem_layout(128, 8, 3)",
                                        "sf_tmem_layout(0, 8, 4)",
                                        "sf_tmem_layout(128, 0, 4)",
                                        "sf_tmem_layout(128, 8, 4, 0)",
                                        "sf_tmem_layout(128, 8, 4, pipe_depth=0)",
                                        "sf_tmem_layout(9223372036854775776, 8, 4)",
                                        "sf_tmem_layout(128, 9223372036854775804, 4)",
                                        "sf_tmem_layout(128, 8, 4, pipe=2)",
                                        "trainium('PF', (128,))",
                                        "trainium('PX', (128, 4))",
                                        "trainium('PF', (130, 4))",
                                        "trainium('PP', (16, 16))",
                                        "trainium('', ())",
                                        "trainium('PF', (0, 4))",
                                        "trainium('PF', 128)",
                                        "trainium('PF', (128, 600), True)",
                                        "trainium('PF', (4, 4), 1)",
                                        "trainium('FF', (4294967296, 4294967296))",
                                        "mma_shared_layout('float16', 3, (64, 100))",
                                        "mma_shared_layout('float16', 3, (60, 64))",
                                        "mma_shared_layout('float16', 3, (64,))",
                                        "mma_shared_layout('float16', 4, (64, 64))",
                                        "mma_shared_layout('float16', '256B', (64, 64))",
                                        "mma_shared_layout('float16', SwizzleMode.SWIZZLE, (64, 64))",
                                        "mma_shared_layout('bool', 3, (64, 64))",
                                        "mma_shared_layout('float12', 3, (64, 64))",
                                        "mma_shared_layout('', 3, (64, 64))",
                                        "mma_shared_layout('float16', -1, (64, 64))",
                                        "mma_shared_layout('float16', 3, (4294967296, 4294967296))",
                                        "mma_atom_layout('float16', 3, (8, 64))"};
  for (const char* text : bad) EXPECT_FALSE(parse(text).has_value()) << text << " gave " << printed(text);
  EXPECT_EQ(bad.size(), 46U);
}

}  // namespace tirx_builders_test
}  // namespace vl::tirx
