// Texts of tt-metal with names for sizes: what is read, what it is at some sizes, and why there is no rule.
#include "encodings/ttmetal/rule_text.h"

#include <gtest/gtest.h>

#include <string>

#include "encodings/map/text.h"
#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {
namespace ttmetal_rule_text_test {

constexpr const char* kDram = ": MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)";

std::string height(const std::string& cores, const std::string& shape, const std::string& more = "") {
  return "layout=TILE: MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, ShardSpec(" + cores + ", " +
         shape + ", ShardOrientation.ROW_MAJOR" + more + "))";
}
std::string spec(const std::string& shape, const std::string& alignment) {
  return "banks=1: TensorSpec(Shape([" + shape + "]), TensorLayout(bfloat16, PageConfig(ROW_MAJOR), " +
         std::string(kDram).substr(2) + ", Alignment([" + alignment + "])))";
}

Result<use::Reading> read_of(const std::string& text, const char* tensor) {
  return read_rule(text, *map::parse_rule_tensor(tensor));
}

TEST(TtmetalRuleText, HasExpressionsWhereNumbersStand) {
  const map::Sizes sizes = {{"M", 5}, {"N", 70}, {"G", 3}, {"B", 12}};
  const struct {
    std::string text, at;
  } rows[] = {
      {"layout=TILE, banks=2*B" + std::string(kDram), "layout=TILE, banks=24" + std::string(kDram)},
      {"layout = TILE, banks = (B - 1)" + std::string(kDram), "layout = TILE, banks = 11" + std::string(kDram)},
      {spec("M, align(N, 32)", "G, 2 * G"), spec("5, 96", "3, 6")},
      {spec("2 * 3, N", "1"), spec("2 * 3, 70", "1")},
      {height("CoreRangeSet({CoreRange((0, 0), (7, G - 1))})", "(ceil(M/G), N)"),
       height("CoreRangeSet({CoreRange((0, 0), (7, 2))})", "(2, 70)")},
      {height("CoreGrid(y=G, x=B // 2)", "[M, N]"), height("CoreGrid(y=3, x=6)", "[5, 70]")},
      {height("[CoreCoord(G, M)]", "[M, N]"), height("[CoreCoord(3, 5)]", "[5, 70]")},
      {height("CoreGrid(y=K, x=G)", "[M + K, N]"), height("CoreGrid(y=K, x=3)", "[5 + K, 70]")},
  };
  for (const auto& [text, at] : rows) {
    const auto found = text_at(text, sizes);
    ASSERT_TRUE(found.has_value()) << text << found.error().message;
    EXPECT_EQ(*found, at);
  }
  EXPECT_FALSE(text_at(spec("M - 9, N", "1"), sizes).has_value());
}

TEST(TtmetalRuleText, IsARuleOfItsNamesAndThoseOfTheTensor) {
  const auto names = [](const std::string& text, const char* tensor) {
    const auto reading = read_of(text, tensor);
    if (!reading || reading->rule_for_all_sizes() == nullptr) return std::string("none");
    std::string out;
    for (const map::Symbol& symbol : reading->rule_for_all_sizes()->symbols) out += symbol.name + " ";
    return out;
  };
  EXPECT_EQ(names("layout=TILE, banks=12" + std::string(kDram), "bf16[M,N]"), "M N ");
  EXPECT_EQ(names("layout=TILE, banks=B" + std::string(kDram), "bf16[M,N]"), "M N B ");
  EXPECT_EQ(names("layout=TILE, banks=12" + std::string(kDram), "bf16[53,63]"), "");
  EXPECT_EQ(names(height("CoreGrid(y=G, x=8)", "[S, 32]"), "bf16[M,32]"), "M G S ");
  EXPECT_EQ(names(spec("53, 63", "1"), "bf16[M,N]"), "");  // the text is of one tensor
}

// The parts are joined to a number that goes round: tile row * columns + tile column.
TEST(TtmetalRuleText, JoinsPagesThatGoRoundTheBanks) {
  const auto reading = read_of("layout=TILE, banks=B" + std::string(kDram), "bf16[M,N]");
  ASSERT_TRUE(reading.has_value() && reading->rule_for_all_sizes() != nullptr);
  const map::Rule& rule = *reading->rule_for_all_sizes();
  ASSERT_EQ(rule.numbers.size(), 3U);
  ASSERT_EQ(rule.numbers[2].of.size(), 2U);
  const auto layout = map::instance(rule, {{"M", 53}, {"N", 70}, {"B", 4}});
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  Point at = map::outputs_at(*layout, std::vector<Index>{32, 68}, {});  // tile 5: bank 1, there the second
  at.resize(2);
  EXPECT_EQ(at, (Point{1, 1024 + 4}));
  EXPECT_EQ(map::extents_of(layout->physical()), (std::vector<Index>{4, 2048}));
}

// Stage by stage.
TEST(TtmetalRuleText, AnInstanceIsTheLayoutWithNumbers) {
  const struct {
    std::string text;
    map::Sizes sizes;
  } rows[] = {
      {"layout=TILE, banks=B" + std::string(kDram), {{"M", 53}, {"N", 70}, {"B", 4}}},
      {"layout=TILE, banks=B" + std::string(kDram), {{"M", 5}, {"N", 7}, {"B", 12}}},
      {"layout=ROW_MAJOR, banks=B" + std::string(kDram), {{"M", 9}, {"N", 70}, {"B", 1}}},
      {"layout=ROW_MAJOR: MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1, ShardSpec(CoreRangeSet({"
       "CoreRange(CoreCoord(1, 2), CoreCoord(4, 4))}), [S, N], ShardOrientation.COL_MAJOR))",
       {{"M", 9}, {"N", 7}, {"S", 4}}},
  };
  for (const auto& [text, sizes] : rows) {
    const auto reading = read_of(text, "bf16[M,N]");
    ASSERT_TRUE(reading.has_value() && reading->rule_for_all_sizes() != nullptr) << text;
    const auto instance = map::instance(*reading->rule_for_all_sizes(), sizes);
    map::Tensor tensor;
    tensor.size = {sizes.at("M"), sizes.at("N")};
    const auto numbers = read(*text_at(text, sizes), tensor);
    ASSERT_TRUE(instance.has_value() && numbers.has_value() && numbers->layout() != nullptr) << text;
    EXPECT_EQ(map::print(instance->map()), map::print(numbers->layout()->map()));
    EXPECT_EQ(instance->physical(), numbers->layout()->physical());
  }
}

TEST(TtmetalRuleText, SaysWhyThereIsNoRule) {
  const struct {
    std::string text;
    const char* why;
  } rows[] = {
      {"layout=TILE" + std::string(kDram), "how many banks"},
      {"banks=B" + std::string(kDram), "whether the tensor is in TILE"},
      {height("cores", "[S, N]"), "'cores' is a name"},
      {height("CoreGrid(y=1, x=8)", "shape"), "'shape' is a name"},
      {height("CoreGrid(y=self.rows, x=8)", "[S, N]"), "'self.rows' is a name"},
      {height("CoreGrid(y=divup(M, 2), x=8)", "[S, N]"), "'divup(…)' is computed by the program"},
      {height("[CoreCoord(0, 0), CoreCoord(1, G)]", "[S, N]"), "several core ranges"},
      {height("CoreGrid(y=1, x=8)", "[S, N]", ", mode=ShardMode.LOGICAL"), "ShardMode::LOGICAL"},
      {"layout=TILE, banks=1, tile=Tile((T, 32))" + std::string(kDram), "a tile of names"},
      {"layout=TILE: create_sharded_memory_config(shape=(M, N), core_grid=CoreGrid(y=1, x=8), "
       "strategy=ShardStrategy.HEIGHT)",
       "create_sharded_memory_config computes"},
      {"layout=ROW_MAJOR: MemoryConfig(BufferType.L1, NdShardSpec([1, 1, 1, S], CoreGrid(y=1, x=8)))", "of this rank"},
  };
  for (const auto& [text, why] : rows) {
    const auto reading = read_of(text, "bf16[M,N]");
    ASSERT_TRUE(reading.has_value()) << text << ": " << reading.error().message;
    ASSERT_NE(reading->undecidable(), nullptr) << text;
    EXPECT_NE(reading->undecidable()->reason.find(why), std::string::npos) << text << reading->undecidable()->reason;
  }
  EXPECT_FALSE(read_of(height("CoreGrid(y=G, x=8)", "[S, -1]"), "bf16[M,N]").has_value());
}

// A sum of numbers and a range of cores is checked where it is read; with a name in it, at its sizes.
TEST(TtmetalRuleText, IsTheTextWithNumbersAtItsSizes) {
  const std::string text = height("CoreRangeSet({CoreRange((G, 0), (4, 0))})", "(32, 32)");
  ASSERT_TRUE(read_of(text, "bf16[M,32]").has_value());
  EXPECT_TRUE(parse(*text_at(text, {{"G", 4}})).has_value());
  EXPECT_FALSE(parse(*text_at(text, {{"G", 5}})).has_value());  // it goes backwards
}

}  // namespace ttmetal_rule_text_test
}  // namespace vl::ttmetal
