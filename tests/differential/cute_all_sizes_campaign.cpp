// CuTe's layouts for all sizes against their second meaning: each text with names is proved, and walked element by
// element at random sizes, read from the text with numbers. Texts with one number or name changed are never both
// proved and wrong at such a size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/cute/rule_text.h"
#include "encodings/use/random.h"
#include "encodings/use/reference.h"
#include "tests/support/changed_text.h"
#include "tests/support/shard.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl {
namespace differential_cute_all_sizes_campaign {

using engines::AllSizesPart;
using map::Rule;
using map::Sizes;

constexpr AllSizesPart kInBox[] = {AllSizesPart::InBox};
constexpr AllSizesPart kApart[] = {AllSizesPart::Apart};

struct Text {
  std::string layout;
  std::string tensor;
};

const std::vector<Text> kTexts = {
    {"(M,N):(N,1)", "f16[M,N]"},
    {"(M,N):(N,1)", "f16[M*N]"},
    {"make_layout(make_shape(M, N, L))", "f16[M,N,L]"},
    {"cute.make_layout((M, (4, N)), stride=(4*N, (N, 1)))", "f16[M,4*N]"},
    {"make_layout(make_shape(M, make_shape(4, N)), LayoutRight{})", "f16[M,4,N]"},
    {"make_layout(make_shape(M, N), make_stride(N + P, 1))", "f16[M,N]"},
    {"Layout<Shape<M, N>, Stride<_1, Int<2*M + P>>>", "f16[M,N]"},
    {"Sw<3,3,3> o 0 o ((8,M),64):((64,512),1)", "f16[8*M,64]"},
    {"composition(Swizzle<2,3,3>{}, Layout<Shape<Shape<_8,M>,Shape<_32,N>>, Stride<Stride<_32,_256>, Stride<_1,"
     "Int<256*M>>>>{})",
     "f16[8*M,32*N]"},
    {"Sw<1,0,-2> o 0 o (8,M):(1,8)", "f16[8,M]"},
    {"Sw<1,0,2> o 8*P o (8,M):(1,8)", "f16[8*M]"},
    {"((2,M),(N,3)):((3*N,6*N),(3,1))", "f16[2*M,N*3]"},
    {"((2,M),N):((M*N,N),1)", "f16[M*2,N]"},
    {"(M,_1,N):(N,_0,_1)", "f16[M,1,N]"},
    {"make_layout(make_shape(ceil_div(M, 8), 8), make_stride(8, 1))", "f16[ceil(M/8),8]"},
    {"(round_up(M, 4),(M + 1)*2):(2*(M + 1),1)", "f16[align(M, 4)*(M + 1)*2]"},
};

std::optional<Rule> read(const Text& text) {
  auto reading = cute::read_rule(text.layout, *map::parse_rule_tensor(text.tensor));
  if (!reading || reading->rule_for_all_sizes() == nullptr) return std::nullopt;
  if (reading->rule_for_all_sizes()->symbols.empty()) return std::nullopt;
  return *reading->rule_for_all_sizes();
}

struct Walked {
  bool in_box = true, apart = true;
};

// What the reference says of every element; nothing where the text is none or has too many elements. `is_same`: the
// instance has the same places, element by element.
std::optional<Walked> walk(const Text& text, const Rule& rule, const Sizes& sizes, bool is_same) {
  map::Tensor tensor;
  for (const map::Expression& size : rule.logical) {
    const auto value = map::evaluate(size, sizes);
    if (!value) return std::nullopt;
    tensor.size.push_back(*value);
  }
  if (const auto elements = checked_product(tensor.size); !elements || *elements > 4'000) return std::nullopt;
  const auto numbers = cute::text_at(text.layout, sizes);
  if (!numbers) return std::nullopt;
  const auto reading = cute::family().read(*numbers, tensor);
  if (!reading || reading->layout() == nullptr) return std::nullopt;
  const auto references = use::references();
  const auto slots = (*std::ranges::find(references, "cute", &use::Reference::family))->slots(*numbers, tensor);
  const auto same = is_same ? map::instance(rule, sizes) : Result<map::Layout>(Error{});
  if (!slots || (is_same && !same)) return std::nullopt;
  const Index box = reading->layout()->physical().extent(0);
  if (is_same) {
    EXPECT_EQ(same->physical().extent(0), box) << *numbers;
    EXPECT_EQ(same->host_offset(), reading->layout()->host_offset()) << *numbers;
  }
  Walked out;
  std::set<Index> seen;
  Point x(tensor.size.size(), 0);
  const auto space = map::Space::create(map::Space::dims("x", tensor.size));
  do {
    const std::vector<Point> places = (*slots)(x);
    const Index read = map::outputs_at(*reading->layout(), x, {}).front();
    if (is_same) {
      EXPECT_EQ(map::outputs_at(*same, x, {}).front(), read) << *numbers;
    }
    if (places.empty()) {  // outside of the box
      EXPECT_TRUE(read < 0 || read >= box) << *numbers;
      out.in_box = false;
    } else {
      EXPECT_EQ(places.front().front(), read) << *numbers;
    }
    out.apart = seen.insert(read).second && out.apart;
  } while (map::advance(*space, x));
  return out;
}

Sizes drawn(const Rule& rule, use::Random& random) {
  constexpr Index kSizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65};
  Sizes out;
  for (const map::Symbol& symbol : rule.symbols)
    out[symbol.name] = kSizes[random.below(random.chance(50) ? 7 : std::size(kSizes))];
  return out;
}

TEST(CuteForAllSizes, IsProvedAndSoAtEverySizeThatIsWalked) {
  const Index each = test::cases(40, 1'000);
  Index walked = 0, rules = 0;
  for (std::size_t number = 0; number < kTexts.size(); ++number) {
    const Text& text = kTexts[number];
    const auto rule = read(text);
    ASSERT_TRUE(rule.has_value()) << text.layout;
    ++rules;
    EXPECT_TRUE(engines::leaves_of(*rule, kInBox).proved()) << text.layout;
    EXPECT_TRUE(engines::leaves_of(*rule, kApart).proved()) << text.layout;
    use::Random random(20261128, 51, number);
    Index of_this = 0;
    for (Index draw = 0; draw < each * 30 && of_this < each; ++draw) {
      const auto found = walk(text, *rule, drawn(*rule, random), true);
      if (!found) continue;
      ++of_this;
      EXPECT_TRUE(found->in_box && found->apart) << text.layout;
    }
    EXPECT_EQ(of_this, each) << text.layout;
    walked += of_this;
  }
  fmt::print("{} texts, {} sizes walked\n", rules, walked);
  EXPECT_EQ(rules, 16);
  EXPECT_EQ(walked, rules * each);
}

// One number or name becomes another one.
Text changed(Text text, use::Random& random) {
  using test::is_digit;
  const auto is_word = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::vector<std::size_t> places;
  for (std::size_t at = 1; at < text.layout.size(); ++at) {
    const char c = text.layout[at], after = at + 1 < text.layout.size() ? text.layout[at + 1] : '\0';
    if (is_word(text.layout[at - 1])) continue;
    const bool name = std::string_view("LMNP").find(c) != std::string_view::npos && !is_word(after);
    if (is_digit(c) || name) places.push_back(at);
  }
  const std::size_t at = places[random.below(places.size())];
  text.layout = test::changed_at(std::move(text.layout), at, "LMNP", 0, random);
  return text;
}

TEST(CuteForAllSizes, WithAChangeIsNeverBothProvedAndWrong) {
  const Index rounds = test::cases(300, 20'000);
  const std::uint64_t first = test::is_campaign() ? test::shard_of(1).index * 1'000'000 : 0;
  Index rules = 0, proved = 0, wrong = 0, walked = 0;
  for (Index round = 0; round < rounds; ++round) {
    use::Random random(20261128, 52, first + static_cast<std::uint64_t>(round));
    const Text text = changed(kTexts[random.below(kTexts.size())], random);
    const auto rule = read(text);
    if (!rule) continue;
    ++rules;
    const engines::AllSizesOptions options{.most_cells = 120};
    const bool in_box = engines::leaves_of(*rule, kInBox, options).proved();
    const bool apart = engines::leaves_of(*rule, kApart, options).proved();
    proved += in_box + apart;
    for (int draw = 0; draw < 20; ++draw) {
      const auto found = walk(text, *rule, drawn(*rule, random), true);
      if (!found) continue;
      ++walked;
      wrong += !found->in_box + !found->apart;
      ASSERT_FALSE(in_box && !found->in_box) << text.layout << " of " << text.tensor;
      ASSERT_FALSE(apart && !found->apart) << text.layout << " of " << text.tensor;
    }
  }
  fmt::print("{} changed texts are rules: {} claims proved; {} sizes walked, {} claims wrong there\n", rules, proved,
             walked, wrong);
  EXPECT_GE(rules, rounds / 2);
  EXPECT_GE(walked, rounds);
  EXPECT_GE(proved, rounds / 4);
  EXPECT_GE(wrong, rounds / 8);
}

}  // namespace differential_cute_all_sizes_campaign
}  // namespace vl
