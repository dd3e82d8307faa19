// tt-metal's specs for all sizes against their second meaning: each text with names is proved, and walked element by
// element at random sizes, read from the text with numbers. Texts with one number or name changed are never both
// proved and wrong at such a size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/ttmetal/rule_text.h"
#include "encodings/ttmetal/ttmetal.h"
#include "encodings/use/random.h"
#include "encodings/use/reference.h"
#include "tests/support/changed_text.h"
#include "tests/support/shard.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl {
namespace differential_ttmetal_all_sizes_campaign {

using engines::AllSizesPart;
using map::Rule;
using map::Sizes;

constexpr AllSizesPart kInBox[] = {AllSizesPart::InBox};
constexpr AllSizesPart kApart[] = {AllSizesPart::Apart};
constexpr AllSizesPart kCounted[] = {AllSizesPart::Counted};

struct Text {
  std::string layout;
  std::string tensor;
};

// MemoryConfig in shards of two dimensions, on the cores from (x, y) to (x, y).
std::string sharded(std::string_view keys, std::string_view kind, std::string_view cores, std::string_view shape,
                    std::string_view order = "ROW_MAJOR") {
  return fmt::format(
      "{}: MemoryConfig(TensorMemoryLayout.{}_SHARDED, BufferType.L1, ShardSpec(CoreRangeSet([CoreRange({}"
      ")]), [{}], ShardOrientation.{}))",
      keys, kind, cores, shape, order);
}
std::string nd(std::string_view keys, std::string_view cores, std::string_view shape, std::string_view deal,
               std::string_view order = "ROW_MAJOR") {
  return fmt::format(
      "{}: MemoryConfig(BufferType.L1, NdShardSpec([{}], CoreRange({}), ShardOrientation.{}, "
      "ShardDistributionStrategy.{}))",
      keys, shape, cores, order, deal);
}

const std::vector<Text>& texts() {
  static const std::vector<Text> all = [] {
    const std::string dram = ": MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM)";
    const std::string tile = "layout=TILE", rows = "layout=ROW_MAJOR", small = "layout=TILE, tile=Tile((4, 16))";
    return std::vector<Text>{
        {"layout=TILE, banks=12" + dram, "bf16[M,N]"},
        {"layout=TILE, banks=B" + dram, "bf16[M,N]"},
        {"layout=TILE, banks=2*B, tile=Tile((4, 16), transpose_tile=True)" + dram, "bf16[L,M,N]"},
        {"layout=ROW_MAJOR, banks=B" + dram, "bf16[L,M,N]"},
        {"banks=B: TensorSpec(Shape([L, M, N]), TensorLayout(bfloat16, PageConfig(ROW_MAJOR), "
         "MemoryConfig(TensorMemoryLayout.INTERLEAVED, BufferType.DRAM), Alignment([A, 4, 8])))",
         "bf16[L,M,N]"},
        {sharded(tile, "HEIGHT", "(0, 0), (1, G - 1)", "align(ceil(align(M, 32)/(2*G)), 32), align(N, 32)"),
         "bf16[M,N]"},
        {sharded(small, "HEIGHT", "(1, 2), (H, 3)", "align(ceil(L*align(M, 4)/(2*H)), 4), align(N, 16)", "COL_MAJOR"),
         "bf16[L,M,N]"},
        {sharded(rows, "HEIGHT", "(0, 0), (3, 0)", "ceil(M/4), N"), "bf16[M,N]"},
        {sharded(small, "WIDTH", "(0, 0), (H - 1, 1)", "align(M, 4), align(ceil(align(N, 16)/(2*H)), 16)"),
         "bf16[M,N]"},
        {sharded(rows, "WIDTH", "(0, 0), (ceil(N/4) - 1, 0)", "L*M, 4"), "bf16[L,M,N]"},
        {sharded(small, "BLOCK", "(0, 0), (H - 1, G - 1)",
                 "align(ceil(align(M, 4)/G), 4), align(ceil(align(N, 16)/H), 16)"),
         "bf16[M,N]"},
        {sharded(small, "BLOCK", "(0, 0), (2, 1)", "align(ceil(align(M, 4)/3), 4), align(ceil(align(N, 16)/2), 16)",
                 "COL_MAJOR"),
         "bf16[M,N]"},
        {nd(small, "(0, 0), (H - 1, G - 1)", "4, 16", "ROUND_ROBIN_1D"), "bf16[M,N]"},
        {nd(small, "(0, 0), (1, 1)", "2, 8, 16", "ROUND_ROBIN_1D", "COL_MAJOR"), "bf16[L*2,M,N]"},
        {nd(rows, "(0, 0), (1, G - 1)", "S, 4", "ROUND_ROBIN_1D"), "bf16[L,M,N]"},
        {nd(rows, "(0, 0), (G - 1, 0)", "1, N", "CONTIGUOUS_1D"), "bf16[G*M,N]"},
        {nd(rows, "(0, 0), (ceil(N/4) - 1, ceil(M/2) - 1)", "2, 4", "GRID_2D"), "bf16[M,N]"},
    };
  }();
  return all;
}

std::optional<Rule> read(const Text& text) {
  auto reading = ttmetal::read_rule(text.layout, *map::parse_rule_tensor(text.tensor));
  if (!reading || reading->rule_for_all_sizes() == nullptr) return std::nullopt;
  if (reading->rule_for_all_sizes()->symbols.empty()) return std::nullopt;
  return *reading->rule_for_all_sizes();
}

struct Walked {
  bool in_box = true, apart = true, well_formed = true;
  Index padding = 0;
};

// What the reference says of every element; nothing where the text is none or has too many elements. `rule`: the same
// places, element by element.
std::optional<Walked> walk(const Text& text, const Rule& rule, const Sizes& sizes, bool is_same) {
  map::Tensor tensor;
  tensor.type = map::ElementType::Bf16;
  for (const map::Expression& size : rule.logical) {
    const auto value = map::evaluate(size, sizes);
    if (!value) return std::nullopt;
    tensor.size.push_back(*value);
  }
  if (const auto elements = checked_product(tensor.size); !elements || *elements > 4'000) return std::nullopt;
  const auto numbers = ttmetal::text_at(text.layout, sizes);
  if (!numbers) return std::nullopt;
  const auto reading = ttmetal::read(*numbers, tensor);
  if (!reading || reading->layout() == nullptr) return std::nullopt;
  const auto references = use::references();
  const auto slots = (*std::ranges::find(references, "ttmetal", &use::Reference::family))->slots(*numbers, tensor);
  const auto same = is_same ? map::instance(rule, sizes) : Result<map::Layout>(Error{});
  if (!slots || (is_same && !same)) return std::nullopt;
  const std::vector<Index> box = map::extents_of(reading->layout()->physical());
  if (is_same) {
    EXPECT_EQ(map::extents_of(same->physical()), box) << *numbers;
  }
  Walked out;
  std::set<Point> seen;
  Point x(tensor.size.size(), 0);
  const auto space = map::Space::create(map::Space::dims("x", tensor.size));
  do {
    const std::vector<Point> places = (*slots)(x);
    if (is_same) {
      Point at = map::outputs_at(*same, x, {});
      EXPECT_TRUE(same->is_slot(at)) << *numbers;
      at.resize(box.size());
      EXPECT_EQ(places, std::vector<Point>{at}) << *numbers;
    }
    bool inside = places.size() == 1;
    for (std::size_t j = 0; inside && j < box.size(); ++j) inside = places[0][j] >= 0 && places[0][j] < box[j];
    out.in_box = out.in_box && inside;
    if (inside) out.apart = seen.insert(places[0]).second && out.apart;
  } while (map::advance(*space, x));
  out.padding = *checked_product(box) - static_cast<Index>(seen.size());
  out.well_formed = std::ranges::all_of(reading->rules, [](const use::Rule& one) { return one.have == one.want; });
  return out;
}

Sizes drawn(const Rule& rule, use::Random& random) {
  constexpr Index kSizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65};
  Sizes out;
  for (const map::Symbol& symbol : rule.symbols) {
    const bool cores = symbol.name == "G" || symbol.name == "H";
    out[symbol.name] = kSizes[random.below(cores || random.chance(50) ? 7 : std::size(kSizes))];
  }
  return out;
}

TEST(TtmetalForAllSizes, IsProvedAndSoAtEverySizeThatIsWalked) {
  const Index each = test::cases(25, 1'000);
  Index walked = 0, rules = 0;
  for (std::size_t number = 0; number < texts().size(); ++number) {
    const Text& text = texts()[number];
    const auto rule = read(text);
    ASSERT_TRUE(rule.has_value()) << text.layout;
    ++rules;
    for (const auto parts : {std::span<const AllSizesPart>(kInBox), std::span<const AllSizesPart>(kApart),
                             std::span<const AllSizesPart>(kCounted)}) {
      const engines::Leaves leaves = engines::leaves_of(*rule, parts);
      for (const engines::Leaf& leaf : leaves.all)
        EXPECT_EQ(leaf.kind, engines::Leaf::Kind::Holds) << text.layout << ": " << leaf.why;
      ASSERT_TRUE(leaves.proved()) << text.layout;
    }
    EXPECT_TRUE(engines::leaves_of_laws(*rule).proved()) << text.layout;
    std::vector<map::Expression> extents;
    for (const map::RulePlace& place : rule->places) extents.push_back(place.extent);
    const map::Expression padding = map::product_of(extents) - map::product_of(rule->logical);
    use::Random random(20261127, 41, number);
    Index of_this = 0;
    for (Index draw = 0; draw < each * 20 && of_this < each; ++draw) {
      const Sizes sizes = drawn(*rule, random);
      const auto found = walk(text, *rule, sizes, true);
      if (!found) continue;
      ++of_this;
      EXPECT_TRUE(found->in_box && found->apart && found->well_formed) << text.layout;
      EXPECT_EQ(*map::evaluate(padding, sizes), found->padding) << text.layout;
    }
    walked += of_this;
  }
  fmt::print("{} texts, {} sizes walked\n", rules, walked);
  EXPECT_EQ(rules, 17);
  EXPECT_EQ(walked, rules * each);
}

// One number or name becomes another one, in front of the orders and behind the word of a field.
Text changed(Text text, use::Random& random) {
  using test::is_digit;
  std::vector<std::size_t> places;
  for (std::size_t at = 1; at < text.layout.size(); ++at) {
    const char c = text.layout[at], before = text.layout[at - 1];
    const bool alone = std::string_view(" (*[,=").find(before) != std::string_view::npos;
    const char after = at + 1 < text.layout.size() ? text.layout[at + 1] : '\0';
    const bool name = std::string_view("LMNGHASB").find(c) != std::string_view::npos &&
                      std::string_view(" )/*,]:").find(after) != std::string_view::npos;
    if (alone && (is_digit(c) || name)) places.push_back(at);
  }
  const std::size_t at = places[random.below(places.size())];
  text.layout = test::changed_at(std::move(text.layout), at, "LMNS", 0, random);
  return text;
}

TEST(TtmetalForAllSizes, WithAChangeIsNeverBothProvedAndWrong) {
  const Index rounds = test::cases(120, 20'000);
  const std::uint64_t first = test::is_campaign() ? test::shard_of(1).index * 1'000'000 : 0;
  Index rules = 0, proved = 0, wrong = 0, walked = 0;
  for (Index round = 0; round < rounds; ++round) {
    use::Random random(20261127, 42, first + static_cast<std::uint64_t>(round));
    const Text text = changed(texts()[random.below(texts().size())], random);
    const auto rule = read(text);
    if (!rule) continue;
    ++rules;
    const engines::AllSizesOptions options{.most_cells = 120};
    const bool in_box = engines::leaves_of(*rule, kInBox, options).proved();
    const bool apart = engines::leaves_of(*rule, kApart, options).proved();
    const auto whole = ttmetal::read_rule(text.layout, *map::parse_rule_tensor(text.tensor));
    const bool own = std::ranges::all_of(whole->rules, [](const use::Rule& one) { return one.have == one.want; });
    const bool laws = own && engines::leaves_of_laws(*rule, options).proved();
    proved += in_box + apart + laws;
    for (int draw = 0; draw < 12; ++draw) {
      const auto found = walk(text, *rule, drawn(*rule, random), false);
      if (!found) continue;
      ++walked;
      wrong += !found->in_box + !found->apart + !found->well_formed;
      ASSERT_FALSE(in_box && !found->in_box) << text.layout << " of " << text.tensor;
      ASSERT_FALSE(apart && !found->apart) << text.layout << " of " << text.tensor;
      ASSERT_FALSE(laws && !found->well_formed) << text.layout << " of " << text.tensor;
    }
  }
  fmt::print("{} changed texts are rules: {} claims proved; {} sizes walked, {} claims wrong there\n", rules, proved,
             walked, wrong);
  EXPECT_GE(rules, rounds / 2);
  EXPECT_GE(walked, rounds);
  EXPECT_GE(proved, rounds / 4);
  EXPECT_GE(wrong, rounds / 8);
}

}  // namespace differential_ttmetal_all_sizes_campaign
}  // namespace vl
