// Spyre's constructors and raw texts for all sizes against instances: each proof, and each cell that fails, is compared
// with a walk over the layout that the family reads from the text with numbers in place of its names. Wrong rules, made
// from right ones by one change, are never both proved and refuted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "encodings/spyre/spyre.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {
namespace engines_polynomial_spyre_scope_campaign {

using map::Expression;
using map::Rule;
using map::Sizes;

constexpr AllSizesPart kInBox[] = {AllSizesPart::InBox};
constexpr AllSizesPart kApart[] = {AllSizesPart::Apart};
constexpr AllSizesPart kBijective[] = {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
constexpr AllSizesPart kIdentity[] = {AllSizesPart::Identity};
constexpr AllSizesPart kCounted[] = {AllSizesPart::Counted};

// The claims of one layout, by walking over its elements.
struct Walked {
  bool in_box = true, apart = true, bijective = true, identity = true;
  Index hit = 0;
};

Walked walk(const map::Layout& layout) {
  Walked out;
  std::set<Point> slots;
  Point x(layout.logical().rank(), 0);
  bool decodes = true;
  do {
    Point outputs = *map::evaluate(layout.map(), x);
    if (!layout.is_slot(outputs)) {
      out.in_box = false;
      continue;
    }
    outputs.resize(layout.physical().rank());
    out.identity =
        out.identity && map::value(layout.identity()->slot, outputs) == map::value(layout.identity()->element, x);
    if (layout.decode()) decodes = decodes && map::use_of(layout, outputs).point == x;
    if (!slots.insert(std::move(outputs)).second) out.apart = false;
  } while (map::advance(layout.logical(), x));
  out.hit = static_cast<Index>(slots.size());
  out.bijective = out.in_box && out.apart && decodes;
  return out;
}

struct Text {
  std::string layout;
  std::string tensor;
};

std::optional<Rule> read(const Text& text) {
  const auto tensor = map::parse_rule_tensor(text.tensor);
  auto reading = spyre::family().read_rule(text.layout, *tensor);
  if (!reading || reading->rule_for_all_sizes() == nullptr) return std::nullopt;
  return *reading->rule_for_all_sizes();
}

// The family's own layout: of the text with numbers. Nothing if the text is refused, or has too many elements.
std::optional<map::Layout> layout_at(const Text& text, const Rule& rule, const Sizes& sizes) {
  map::Tensor tensor;
  for (const Expression& size : rule.logical) tensor.size.push_back(*map::evaluate(size, sizes));
  if (const auto elements = checked_product(tensor.size); !elements || *elements > 8'000) return std::nullopt;
  const auto numbers = spyre::family().text_at(text.layout, sizes);
  if (!numbers) return std::nullopt;
  auto read = spyre::family().read(*numbers, tensor);
  if (!read || read->layout() == nullptr) return std::nullopt;
  return *read->layout();
}

struct Count {
  std::size_t rules = 0, proved = 0, failing = 0, open = 0, walked = 0, sizes_failing = 0;
};

void expect_as_walked(const Text& text, const Rule& rule, std::span<const AllSizesPart> parts, bool Walked::*holds,
                      std::mt19937& random, Count& count) {
  const Leaves leaves = leaves_of(rule, parts);
  const bool proved = leaves.proved();
  ++count.rules;
  count.proved += proved ? 1 : 0;
  const auto has = [&](Leaf::Kind kind) {
    return std::ranges::any_of(leaves.all, [&](const Leaf& leaf) { return leaf.kind == kind; });
  };
  count.failing += has(Leaf::Kind::Fails) ? 1 : 0;
  count.open += has(Leaf::Kind::Open) ? 1 : 0;
  for (const Leaf& leaf : leaves.all) {
    if (leaf.kind == Leaf::Kind::Open) continue;
    for (const Sizes& sizes : leaf.cell.samples(1)) {
      const auto layout = layout_at(text, rule, sizes);
      if (!layout) continue;
      ++count.walked;
      count.sizes_failing += leaf.kind == Leaf::Kind::Fails ? 1 : 0;
      ASSERT_EQ(walk(*layout).*holds, leaf.kind == Leaf::Kind::Holds)
          << text.layout << " of " << text.tensor << ": " << leaf.why << " at "
          << fmt::format("{}", fmt::join(map::extents_of(layout->logical()), ","));
    }
  }
  // Sizes about the stick's length and equal ones, of all symbols.
  constexpr Index kSizes[] = {1, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 150, 5, 7};
  for (int k = 0; proved && k < 5; ++k) {
    Sizes sizes;
    for (const map::Symbol& symbol : rule.symbols) sizes[symbol.name] = kSizes[random() % std::size(kSizes)];
    const auto layout = layout_at(text, rule, sizes);
    if (!layout) continue;
    ++count.walked;
    ASSERT_TRUE(walk(*layout).*holds) << text.layout << " of " << text.tensor << " at "
                                      << fmt::format("{}", fmt::join(map::extents_of(layout->logical()), ","));
  }
}

std::vector<Text> constructors(std::size_t most_rank) {
  static constexpr const char* kNames[] = {"N", "M", "K", "L"};
  std::vector<Text> out;
  for (std::size_t rank = 1; rank <= most_rank; ++rank) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    const std::string size = fmt::format("{}", fmt::join(std::span(kNames).first(rank), ", "));
    do {
      for (const char* type : {"float16", "float32"})
        for (const char* sparse : {"", ", -1"})
          out.push_back(
              {fmt::format("SpyreTensorLayout(({},), torch.{}, [{}{}])", size, type, fmt::join(order, ", "), sparse),
               fmt::format("{}[{}]", type, size)});
      out.push_back(
          {fmt::format("SpyreTensorLayout(({},), torch.float16, [{}], generation=S3)", size, fmt::join(order, ", ")),
           fmt::format("f16[{}]", size)});
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return out;
}

TEST(PolynomialSpyreScope, ConstructorsAreBijectiveForAllSizes) {
  std::mt19937 random(5);
  Count bijective, identity;
  std::size_t padded = 0;
  for (const Text& text : constructors(3)) {
    const auto rule = read(text);
    ASSERT_TRUE(rule.has_value()) << text.layout;
    ASSERT_TRUE(leaves_of(*rule, kBijective).proved()) << text.layout;
    expect_as_walked(text, *rule, kBijective, &Walked::bijective, random, bijective);
    expect_as_walked(text, *rule, kIdentity, &Walked::identity, random, identity);
    if (HasFatalFailure()) return;
    ASSERT_TRUE(leaves_of(*rule, kCounted).proved()) << text.layout;
    ++padded;
  }
  fmt::print("{} rules, {} instances walked\n", bijective.rules, bijective.walked + identity.walked);
  EXPECT_EQ(bijective.proved, 45U);  // 1 + 2 + 6 orders, five kinds each
  EXPECT_EQ(padded, 45U);
  EXPECT_GT(bijective.walked, 500U);
}

TEST(PolynomialSpyreScope, TheLargestRankIsProved) {
  for (const char* order : {"0, 1, 2, 3, 4, 5", "5, 4, 3, 2, 1, 0", "2, 0, 5, 1, 4, 3"}) {
    const Text text{fmt::format("SpyreTensorLayout((A, B, C, D, E, F), torch.float16, [{}])", order),
                    "f16[A,B,C,D,E,F]"};
    const auto rule = read(text);
    ASSERT_TRUE(rule.has_value());
    const Leaves leaves = leaves_of(*rule, kBijective);
    EXPECT_TRUE(leaves.proved()) << text.layout;
    EXPECT_GE(leaves.all.size(), 64U);
  }
}

// The default layout of f16[N,M,K] written out, and one change of it.
Text mutant(std::mt19937& random) {
  std::vector<std::string> size = {"M", "ceil(K/64)", "N", "64"};
  std::vector<std::string> stride = {"K", "64", "M*K", "1"};
  const std::size_t at = random() % 4;
  static constexpr const char* kStrides[] = {"{} + 1", "2*({})", "({})*N", "N*K", "K", "1", "M", "-1", "({})*M", "65"};
  static constexpr const char* kSizes[] = {"({}) + 1", "{} - 1", "2*({})",    "N",         "M",
                                           "K",        "K//64",  "K//64 + 1", "ceil(K/32)"};
  const bool of_stride = random() % 2 == 0;
  std::string& what = of_stride ? stride[at] : size[at == 3 ? random() % 3 : at];
  what = of_stride ? fmt::format(fmt::runtime(kStrides[random() % std::size(kStrides)]), what)
                   : fmt::format(fmt::runtime(kSizes[random() % std::size(kSizes)]), what);
  if (random() % 3 == 0) std::swap(stride[random() % 4], stride[random() % 4]);
  return {fmt::format("SpyreTensorLayout(device_size=[{}], stride_map =[{}], device_dtype=DataFormats.SEN169_FP16)",
                      fmt::join(size, ", "), fmt::join(stride, ", ")),
          "f16[N,M,K]"};
}

TEST(PolynomialSpyreScope, WrongRulesAreNeverProvedWhereAnInstanceFails) {
  std::mt19937 random(9);
  Count in_box, apart, bijective;
  std::size_t skipped = 0;
  for (int k = 0; k < 40; ++k) {
    const Text text = mutant(random);
    const auto rule = read(text);
    if (!rule) {
      ++skipped;
      continue;
    }
    expect_as_walked(text, *rule, kInBox, &Walked::in_box, random, in_box);
    expect_as_walked(text, *rule, kApart, &Walked::apart, random, apart);
    expect_as_walked(text, *rule, kBijective, &Walked::bijective, random, bijective);
    if (HasFatalFailure()) return;
  }
  for (const auto& [name, count] : {std::pair{"in-bounds", in_box}, {"injective", apart}, {"bijective", bijective}})
    fmt::print("{}: {} rules, {} proved, {} with a failing cell, {} open; {} instances walked, {} of them fail\n", name,
               count.rules, count.proved, count.failing, count.open, count.walked, count.sizes_failing);
  EXPECT_LT(skipped, 10U);
  EXPECT_GT(in_box.proved, 1U);
  EXPECT_GT(in_box.sizes_failing, 100U);
  EXPECT_GT(bijective.walked, 200U);
}

}  // namespace engines_polynomial_spyre_scope_campaign
}  // namespace vl::engines
