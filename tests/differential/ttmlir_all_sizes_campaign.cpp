// tt-mlir's layouts for all sizes against their second meaning: each text with names is proved, and walked element by
// element at random sizes, read from the text with numbers by reference.cpp. Texts with one number or name changed are
// never both proved and wrong at such a size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/random.h"
#include "encodings/use/reference.h"
#include "encodings/use/shards.h"
#include "tests/support/changed_text.h"
#include "tests/support/shard.h"
#include "verifier/claims/claim.h"
#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/rule_kinds.h"

namespace vl {
namespace differential_ttmlir_all_sizes_campaign {

using engines::AllSizesPart;
using map::Rule;
using map::Sizes;

constexpr AllSizesPart kInBox[] = {AllSizesPart::InBox};
constexpr AllSizesPart kApart[] = {AllSizesPart::Apart};
constexpr AllSizesPart kBijective[] = {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
constexpr AllSizesPart kCounted[] = {AllSizesPart::Counted};

struct Text {
  std::string layout;
  std::string tensor;
};

// Rule B: a device shape, a logical shape, alignments and intervals.
Text aligned(const std::string& device, const std::string& shape, const std::string& alignments,
             const std::string& intervals) {
  std::string names = shape;
  std::ranges::replace(names, 'x', ',');
  const auto count = std::ranges::count(intervals, '[') - 1;
  return {fmt::format("tensor<{}, #ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, collapsed_intervals = "
                      "dense<{}> : tensor<{}x2xi64>, l1, sharded>>",
                      device, shape, alignments, intervals, count),
          fmt::format("f32[{}]", names)};
}

const std::vector<Text>& texts() {
  static const std::vector<Text> all = [] {
    const std::string tile = "x!ttcore.tile<32x32, f32>", pair = "[[0, 1], [1, 2]]", first = "[[0, 2], [2, 3]]";
    const std::string b = "#tt.metal_layout<", c = "#ttnn.ttnn_layout<", l1 = ", #l1>";
    return std::vector<Text>{
        // The compiler's alignments: grids 8x4 and 8x1, of names, over joined rows.
        aligned("8x4xceil(M/256)xceil(N/128)" + tile, "MxN", "256x128", pair),
        aligned("8x1xceil(M/256)xceil(N/32)" + tile, "MxN", "256x32", pair),
        aligned("GxHxceil(M/(32*G))xceil(N/(32*H))" + tile, "MxN", "(32*G)x(32*H)", pair),
        aligned("8x4xceil(N*align(M, 32)/256)xceil(K/128)" + tile, "NxMxK", "256x32x128", first),
        aligned("8x1xceil(N*align(M, 32)/256)xceil(K/32)" + tile, "NxMxK", "256x32x32", first),
        aligned("Gx1xceil(N*align(M, 32)/(32*G))xceil(K/32)" + tile, "NxMxK", "(32*G)x32x32", first),
        aligned("GxHxceil(N*align(M, A)/(32*G))xceil(K/(32*H))" + tile, "NxMxK", "(32*G)xAx(32*H)", first),
        aligned("2x2xceil(L*align(N*align(M, 4), 8)/64)xceil(K/64)" + tile, "LxNxMxK", "64x8x4x64", "[[0, 3], [3, 4]]"),
        aligned("2x1xceil(L*N*M/64)xceil(K/32)" + tile, "LxNxMxK", "64x1x1x32", "[[0, -1]]"),
        aligned("2x2x1xceil(L/2)xceil(N*align(M, 32)/64)xceil(K/32)" + tile, "LxNxMxK", "2x64x32x32",
                "[[0, 1], [1, 3], [3, 4]]"),
        aligned("2x1xceil(J*L*N*M/2)xKxf32", "JxLxNxMxK", "2x1x1x1x1", "[[0, 4]]"),
        aligned("1x2x1xceil(M/64)" + tile, "M", "64", "[[0, 1]]"),
        // Rule A.
        {b + "(d0, d1) -> (d0, d1), undef, <3x2>, memref<ceil(M/3)xceil(N/2)xf32" + l1 + ">", "f32[M,N]"},
        {b + "(d0, d1) -> (d0, d1), undef, <GxH>, memref<ceil(ceil(M/G)/32)xceil(ceil(N/H)/32)x!tt.tile<32x32, f32>" +
             l1 + ">",
         "f32[M,N]"},
        {b + "(d0, d1, d2) -> (d0 * M + d1, d2), undef, <2x4>, memref<ceil(N*M/2)xceil(K/4)xf32" + l1 + ">",
         "f32[N,M,K]"},
        {b +
             "(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), undef, <1x2>, "
             "memref<ceil(((N-1)*align(M, 32)+M)/32)xceil(ceil(K/2)/32)x!tt.tile<32x32, f32>" +
             l1 + ">",
         "f32[N,M,K]"},
        {b +
             "(d0, d1, d2, d3) -> (d0, d1 * M + d2, d3), undef, <2x2x4>, "
             "memref<ceil(L/2)xceil(ceil(N*M/2)/32)xceil(ceil(K/4)/32)x!tt.tile<32x32, f32>" +
             l1 + ">",
         "f32[L,N,M,K]"},
        // Rule C.
        {c + "(d0, d1) -> (d0, d1), <8x8>, memref<ceil(ceil(align(M, 32)/8)/32)xceil(ceil(align(N, 32)/8)/32)x"
             "!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <block_sharded>, ignorePhysicalLayout = true>",
         "bf16[M,N]"},
        {c + "(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), <1x1>, memref<ceil(N*align(M, 32)/32)xceil(K/32)x"
             "!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>",
         "bf16[N,M,K]"},
        {c + "(d0, d1, d2) -> (d0 * M + d1, d2), <Gx1>, memref<ceil(N*M/G)xKxbf16, #ttnn.buffer_type<l1>>, "
             "<height_sharded>, ignorePhysicalLayout = true>",
         "bf16[N,M,K]"},
        // Tiles that go round the cores.
        {c + "(d0, d1) -> (d0, d1), <8x8>, memref<1xceil(ceil(M/32)*ceil(N/32)/64)x!ttcore.tile<32x32, bf16>, "
             "#ttnn.buffer_type<l1>>, <interleaved>>",
         "bf16[M,N]"},
        {c + "(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), <GxH>, memref<1xceil(4*N*ceil(M/32)*ceil(K/32)/(G*H))x"
             "!ttcore.tile<16x16, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>",
         "bf16[N,M,K]"}};
  }();
  return all;
}

const use::Family& family_of(const Text& text) {
  return ttmlir::recognises_ttnn(text.layout) ? ttnn::family() : metal::family();
}

std::optional<Rule> read(const Text& text) {
  const auto tensor = map::parse_rule_tensor(text.tensor);
  auto reading = family_of(text).read_rule(text.layout, *tensor);
  if (!reading || reading->rule_for_all_sizes() == nullptr) return std::nullopt;
  return *reading->rule_for_all_sizes();
}

// The numbers behind a word, with an x between them: 8, 4, 2 of tensor<8x4x2xf32>.
std::vector<Index> numbers_behind(std::string_view text, std::string_view word) {
  std::vector<Index> out;
  std::size_t at = text.find(word) + word.size();
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    out.push_back(0);
    for (; text[at] >= '0' && text[at] <= '9'; ++at) out.back() = out.back() * 10 + (text[at] - '0');
    if (text[at] != 'x') break;
  }
  return out;
}

// The cores and the elements of a shard, as the text says them.
std::vector<Index> box_of(const std::string& text) {
  std::vector<Index> grid, shard;
  if (text.starts_with("tensor")) {
    const std::vector<Index> device = numbers_behind(text, "tensor<");
    const auto half = device.begin() + static_cast<std::ptrdiff_t>(device.size() / 2);
    grid.assign(device.begin(), half), shard.assign(half, device.end());
  } else {
    grid = numbers_behind(text, ", <"), shard = numbers_behind(text, "memref<");
    // Older IR has grids of two dimensions here, which count as one.
    const bool height = text.find("height_sharded") != std::string::npos;
    if (grid.size() == 2 && height) grid = {grid[0] * grid[1], 1};
  }
  Index volume = 1;
  for (const Index cells : shard) volume *= cells;
  if (text.find("tile<") != std::string::npos)
    for (const Index side : numbers_behind(text, "tile<")) volume *= side;
  grid.push_back(volume);
  return grid;
}

struct Walked {
  bool in_box = true, apart = true;
  Index padding = 0;
};

// What the reference says of every element; nothing where the text is none or has too many elements. `layout`: the same
// places, element by element.
std::optional<Walked> walk(const Text& text, const Rule& rule, const Sizes& sizes, const map::Layout* layout) {
  map::Tensor tensor;
  for (const map::Expression& size : rule.logical) {
    const auto value = map::evaluate(size, sizes);
    if (!value) return std::nullopt;
    tensor.size.push_back(*value);
  }
  if (const auto elements = checked_product(tensor.size); !elements || *elements > 6'000) return std::nullopt;
  const auto numbers = family_of(text).text_at(text.layout, sizes);
  if (!numbers || !family_of(text).read(*numbers, tensor)) return std::nullopt;
  const auto found = std::ranges::find(use::references(), family_of(text).name, &use::Reference::family);
  const auto slots = (*found)->slots(*numbers, tensor);
  if (!slots) return std::nullopt;
  const std::vector<Index> box = box_of(*numbers);
  Walked out;
  std::set<Point> seen;
  Point x(tensor.size.size(), 0);
  const auto space = map::Space::create(map::Space::dims("x", tensor.size));
  do {
    const std::vector<Point> places = (*slots)(x);
    if (layout != nullptr) {
      Point at = map::outputs_at(*layout, x, {});
      EXPECT_TRUE(layout->is_slot(at)) << *numbers;
      at.resize(layout->physical().rank());
      EXPECT_EQ(places, std::vector<Point>{at}) << *numbers;
    }
    const bool inside = places.size() == 1 && places[0].size() == box.size() && [&] {
      for (std::size_t j = 0; j < box.size(); ++j)
        if (places[0][j] < 0 || places[0][j] >= box[j]) return false;
      return true;
    }();
    out.in_box = out.in_box && inside;
    if (inside) out.apart = seen.insert(places[0]).second && out.apart;
  } while (map::advance(*space, x));
  out.padding = *checked_product(box) - static_cast<Index>(seen.size());
  return out;
}

Sizes drawn(const Rule& rule, use::Random& random) {
  constexpr Index kSizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100};
  Sizes out;
  for (const map::Symbol& symbol : rule.symbols)
    out[symbol.name] = kSizes[random.below(random.chance(60) ? 8 : std::size(kSizes))];
  return out;
}

// The four kinds of padding, in the order of Shards::Padding; nothing where there is no array of shards.
std::optional<std::vector<map::Expression>> kinds_of(const Text& text) {
  const auto reading = family_of(text).read_rule(text.layout, *map::parse_rule_tensor(text.tensor));
  std::vector<map::Expression> out;
  for (const char* kind : {"tile", "grid", "gaps", "repeated"}) {
    session::ClaimRequest claim;
    claim.claim = claims::find_claim("padding-kind");
    claim.arguments.push_back({"kind", session::SourceText::option("kind", kind)});
    const auto rules = session::rules_of_kind(claim, *reading);
    if (!std::holds_alternative<session::RulesOfKind>(rules)) return std::nullopt;
    out.push_back(session::slots_of(std::get<session::RulesOfKind>(rules)));
  }
  return out;
}

// With numbers written in, the padding is counted by boxes of numbers, or there is no array of shards.
Index compared_kinds(const std::vector<map::Expression>& kinds, const Text& text, const map::Tensor& tensor,
                     const Sizes& sizes, bool is_layout) {
  const auto shards = family_of(text).shards(*family_of(text).text_at(text.layout, sizes), tensor);
  EXPECT_TRUE(shards.has_value() || !is_layout) << text.layout;
  if (!shards) return 0;
  const Index padding[] = {shards->padding.tile, shards->padding.grid, shards->padding.gaps, shards->padding.repeated};
  for (std::size_t k = 0; k < std::size(padding); ++k)
    EXPECT_EQ(*map::evaluate(kinds[k], sizes), padding[k]) << text.layout;
  return 1;
}

TEST(TtmlirForAllSizes, IsProvedAndSoAtEverySizeThatIsWalked) {
  const Index each = test::cases(25, 2'000);
  Index walked = 0, counted = 0;
  for (std::size_t number = 0; number < texts().size(); ++number) {
    const Text& text = texts()[number];
    const auto rule = read(text);
    ASSERT_TRUE(rule.has_value()) << text.layout;
    for (const auto parts : {std::span<const AllSizesPart>(kInBox), std::span<const AllSizesPart>(kApart),
                             std::span<const AllSizesPart>(kBijective), std::span<const AllSizesPart>(kCounted)})
      ASSERT_TRUE(engines::leaves_of(*rule, parts).proved()) << text.layout;
    ASSERT_FALSE(rule->laws.empty()) << text.layout;
    ASSERT_TRUE(engines::leaves_of_laws(*rule).proved()) << text.layout;
    std::vector<map::Expression> extents;
    for (const map::RulePlace& place : rule->places) extents.push_back(place.extent);
    const auto kinds = kinds_of(text);
    use::Random random(20261127, 31, number);
    Index of_this = 0;
    for (Index draw = 0; draw < each * 20 && of_this < each; ++draw) {
      const Sizes sizes = drawn(*rule, random);
      const auto layout = map::instance(*rule, sizes);
      if (!layout || layout->domain().volume() > 6'000) continue;
      const auto found = walk(text, *rule, sizes, &*layout);
      ASSERT_TRUE(found.has_value()) << text.layout;
      ++of_this;
      EXPECT_TRUE(found->in_box && found->apart) << text.layout;
      EXPECT_EQ(*map::evaluate(map::product_of(extents) - map::product_of(rule->logical), sizes), found->padding)
          << text.layout;
      map::Tensor tensor;
      tensor.size = map::extents_of(layout->logical());
      if (kinds) {
        counted += compared_kinds(*kinds, text, tensor, sizes, true);
        Index all = 0;
        for (const map::Expression& kind : *kinds) all += *map::evaluate(kind, sizes);
        EXPECT_EQ(all, found->padding) << text.layout;
      }
      const auto reading = family_of(text).read(*family_of(text).text_at(text.layout, sizes), tensor);
      for (const use::Rule& one : reading->rules) EXPECT_EQ(one.have, one.want) << one.statement << text.layout;
    }
    walked += of_this;
  }
  fmt::print("{} texts, {} sizes walked\n", texts().size(), walked);
  EXPECT_EQ(texts().size(), 22U);
  EXPECT_EQ(counted, static_cast<Index>(texts().size() - 2) * each);  // of two no core has a block of the tensor
  EXPECT_EQ(walked, static_cast<Index>(texts().size()) * each);
}

// One number becomes another one, or one name another one, anywhere in the text.
Text changed(Text text, use::Random& random) {
  using test::is_digit;
  std::vector<std::size_t> places;
  const std::size_t end = text.layout.find("collapsed");
  for (std::size_t at = 1; at < std::min(end, text.layout.size()); ++at) {
    const char c = text.layout[at], before = text.layout[at - 1];
    const bool letter = std::string_view("MNKLGH").find(c) != std::string_view::npos;
    if ((is_digit(c) && !is_digit(before) && before != 'd' && before != 'f' && before != 'l') || letter)
      places.push_back(at);
  }
  const std::size_t at = places[random.below(places.size())];
  text.layout = test::changed_at(std::move(text.layout), at, "MNKL", 1, random);
  return text;
}

TEST(TtmlirForAllSizes, WithAChangeIsNeverBothProvedAndWrong) {
  const Index rounds = test::cases(120, 20'000);
  const std::uint64_t first = test::is_campaign() ? test::shard_of(1).index * 1'000'000 : 0;
  Index rules = 0, proved = 0, wrong = 0, walked = 0, counted = 0;
  for (Index round = 0; round < rounds; ++round) {
    use::Random random(20261127, 32, first + static_cast<std::uint64_t>(round));
    const Text text = changed(texts()[random.below(texts().size())], random);
    const auto rule = read(text);
    if (!rule) continue;
    ++rules;
    const engines::AllSizesOptions options{.most_cells = 120};
    const bool in_box = engines::leaves_of(*rule, kInBox, options).proved();
    const bool apart = engines::leaves_of(*rule, kApart, options).proved();
    const bool laws = engines::leaves_of_laws(*rule, options).proved();
    proved += in_box + apart + laws;
    const auto kinds = kinds_of(text);
    for (int draw = 0; draw < 12; ++draw) {
      const Sizes sizes = drawn(*rule, random);
      const auto found = walk(text, *rule, sizes, nullptr);
      if (!found) continue;
      ++walked;
      wrong += !found->in_box + !found->apart;
      ASSERT_FALSE(in_box && !found->in_box) << text.layout << " of " << text.tensor;
      ASSERT_FALSE(apart && !found->apart) << text.layout << " of " << text.tensor;
      map::Tensor tensor;
      for (const map::Expression& size : rule->logical) tensor.size.push_back(*map::evaluate(size, sizes));
      const auto reading = family_of(text).read(*family_of(text).text_at(text.layout, sizes), tensor);
      if (kinds && found->in_box && found->apart) counted += compared_kinds(*kinds, text, tensor, sizes, false);
      const bool broken =
          std::ranges::any_of(reading->rules, [](const use::Rule& one) { return one.have != one.want; });
      const auto whole = family_of(text).read_rule(text.layout, *map::parse_rule_tensor(text.tensor));
      const bool own = std::ranges::all_of(whole->rules, [](const use::Rule& one) { return one.have == one.want; });
      ASSERT_FALSE(laws && own && broken) << text.layout << " of " << text.tensor;
    }
  }
  fmt::print("{} changed texts are rules: {} claims proved; {} sizes walked, {} claims wrong there\n", rules, proved,
             walked, wrong);
  EXPECT_GE(rules, rounds * 3 / 4);
  EXPECT_GE(walked, rounds * 2);
  EXPECT_GE(proved, rounds / 2);
  EXPECT_GE(wrong, rounds / 4);
  EXPECT_GE(counted, rounds);
}

}  // namespace differential_ttmlir_all_sizes_campaign
}  // namespace vl
