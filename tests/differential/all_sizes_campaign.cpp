// Layouts for all sizes against their second meaning. Each text with names is walked element by element at random
// sizes: the reference reads the text with numbers in their place. A claim is proved iff it holds at all sizes that are
// walked. Texts with one number or name changed are never both proved and wrong, or refuted and right, at such a size.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "encodings/use/reference.h"
#include "encodings/use/shards.h"
#include "tests/differential/all_sizes_texts.h"
#include "tests/differential/walked_layout.h"
#include "tests/support/changed_text.h"
#include "tests/support/rule_cases.h"
#include "tests/support/shard.h"
#include "verifier/claims/claim.h"
#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_kinds.h"

namespace vl::differential {
namespace differential_all_sizes_campaign {

using engines::AllSizesPart;
using engines::Leaf;
using map::Rule;
using map::Sizes;

struct Claim {
  std::vector<AllSizesPart> parts;
  bool Walked::*holds;
};
const Claim kInBox{{AllSizesPart::InBox}, &Walked::in_box};
const Claim kApart{{AllSizesPart::Apart}, &Walked::apart};
const Claim kBijective{{AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled}, &Walked::bijective};
const Claim kIdentity{{AllSizesPart::Identity}, &Walked::identity};
constexpr AllSizesPart kCounted[] = {AllSizesPart::Counted};

// Of changed texts: how many are rules, sizes that were walked, claims proved, claims wrong at a size, and at one of a
// cell that fails.
struct Tally {
  Index rules = 0, walked = 0, proved = 0, wrong = 0, failing = 0, counted = 0;
};

// A family's texts.
struct Scope {
  const char* name;
  std::vector<Text> (*texts)();
  std::vector<Claim> claims;
  std::size_t proved;      // of the texts, by these claims and for the padding
  std::size_t counted;     // texts of which padding is counted by kinds
  std::string_view names;  // that a change writes
  Tally least;             // of a hundred changed texts
  /// The cores and the elements of a shard as a text with numbers says them; null: the box is that of the family's map.
  std::vector<Index> (*box)(const std::string& text) = nullptr;
};

// The numbers behind a word, with an x between them: 8, 4, 2 of tensor<8x4x2xf32>.
std::vector<Index> numbers_behind(std::string_view text, std::string_view word) {
  std::vector<Index> out;
  std::size_t at = text.find(word) + word.size();
  for (; at < text.size() && test::is_digit(text[at]); ++at) {
    out.push_back(0);
    for (; test::is_digit(text[at]); ++at) out.back() = out.back() * 10 + (text[at] - '0');
    if (text[at] != 'x') break;
  }
  return out;
}

std::vector<Index> box_of_ttmlir(const std::string& text) {
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

// Unproved, by hand: of spyre's three texts with R >= 0 there is no slot at R = 0 (in-bounds, bijective, counted), an
// expanded host is not injective (injective, bijective, counted), and two texts by dim_map have no identity. Of tirx
// there are gaps in memory: a pitch, an offset, a stride of 2 (bijective). A shape of XLA that is read is never wrong.
const Scope kScopes[] = {
    {"cute", texts_of_cute, {kInBox, kApart}, 16 * 3, 0, "LMNP", {75, 300, 100, 75, 10}},
    {"strided", texts_of_strided, {kInBox, kApart}, 10 * 3, 0, "LMNP", {35, 300, 80, 40, 0}},
    {"xla", texts_of_xla, {kInBox, kApart}, 10 * 3, 0, "LMN", {35, 300, 80, 0, 0}},
    {"ttmetal", texts_of_ttmetal, {kInBox, kApart}, 17 * 3, 0, "LMNS", {75, 400, 90, 150, 4}},
    {"ttmlir",
     texts_of_ttmlir,
     {kInBox, kApart, kBijective},
     22 * 4,
     20,
     "LMNK",
     {75, 400, 100, 300, 15},
     box_of_ttmlir},
    {"spyre", texts_of_spyre, {kInBox, kApart, kBijective, kIdentity}, 65 * 5 - 14, 0, "NMKR", {20, 150, 60, 60, 25}},
    {"tirx", texts_of_tirx, {kInBox, kApart, kBijective}, 9 * 4 - 3, 0, "MNP", {75, 300, 100, 250, 50}},
};

// A text with names, read.
struct Subject {
  const Scope& scope;
  Text text;
  session::CaseRequest request;
  const use::Family& family;
  use::Reading reading;

  [[nodiscard]] const Rule& rule() const { return *reading.rule_for_all_sizes(); }
};

bool is_well_formed(const use::Reading& reading) {
  return std::ranges::all_of(reading.rules, [](const use::Rule& one) { return one.have == one.want; });
}

std::optional<Subject> read(const Scope& scope, const Text& text) {
  session::CaseRequest request =
      test::request_for({text.tensor.c_str(), text.layout.c_str(), text.where, text.strides, "", text.view_offset});
  const use::Family* family = use::family_of(text.layout, "");
  if (family == nullptr) return std::nullopt;
  auto read = session::read_rule_case(request, *family);
  auto* rule = std::get_if<session::RuleReading>(&read);
  if (rule == nullptr || rule->reading.rule_for_all_sizes() == nullptr) return std::nullopt;
  if (rule->reading.rule_for_all_sizes()->symbols.empty()) return std::nullopt;
  return Subject{scope, text, std::move(request), *family, std::move(rule->reading)};
}

bool satisfies(const Sizes& sizes, const std::vector<map::Condition>& where) {
  return std::ranges::all_of(where, [&](const map::Condition& condition) {
    const auto held = map::holds(condition, sizes);
    return held && *held;
  });
}

// Whether a level of these sizes would repeat elements and the rule has no replica for it: encodings/map/rule.h leaves
// out levels of weight 0, and the engine leaves open what may have one.
bool has_more_slots(const Rule& rule, const Sizes& sizes) {
  return std::ranges::any_of(rule.levels, [&](const map::RuleLevel& level) {
    const auto weight = map::evaluate(level.weight, sizes), extent = map::evaluate(level.extent, sizes);
    return !level.weight.number() && weight && *weight == 0 && (!extent || *extent > 1);
  });
}

// No answer where the rule does not allow the sizes, or the text with numbers is invalid or has too many elements.
std::optional<Walked> walked(const Subject& of, const Sizes& sizes) {
  constexpr Index kMost = 6'000, kMostPoints = 150'000;
  if (!satisfies(sizes, of.rule().where)) return std::nullopt;
  const auto at = session::request_at(of.request, sizes);
  const auto* numbers = std::get_if<session::CaseRequest>(&at);
  if (numbers == nullptr) return std::nullopt;
  const auto read = session::read_unproved(*numbers);
  const auto* found = std::get_if<session::TensorReading>(&read);
  if (found == nullptr || checked_product(found->tensor.size).value_or(kMost + 1) > kMost) return std::nullopt;
  const map::Layout* layout = found->reading.layout();
  if (layout == nullptr && of.scope.box == nullptr) return std::nullopt;
  const std::string& text = numbers->layout.text;
  const std::vector<Index> box = of.scope.box != nullptr ? of.scope.box(text) : map::extents_of(layout->physical());
  // Where a law does not hold, the rule is no layout of its system, and says nothing of places.
  const bool is_meant = (of.rule().laws.empty() || (is_well_formed(of.reading) && satisfies(sizes, of.rule().laws))) &&
                        !has_more_slots(of.rule(), sizes);
  const auto instance = is_meant ? map::instance(of.rule(), sizes) : Result<map::Layout>(Error{});
  for (const map::Layout* one : {layout, instance ? &*instance : nullptr})
    if (one != nullptr && (one->domain().volume() > kMostPoints || one->physical().volume() > kMostPoints))
      return std::nullopt;
  const auto reference = std::ranges::find(use::references(), of.family.name, &use::Reference::family);
  const auto slots = (*reference)->slots(text, found->tensor);
  if (!slots) return std::nullopt;
  const testing::ScopedTrace trace(__FILE__, __LINE__, text);
  if (instance) {
    EXPECT_EQ(map::extents_of(instance->physical()), box);
    EXPECT_TRUE(layout == nullptr || instance->host_offset() == layout->host_offset());
  }
  Walked out = walk(*slots, found->tensor.size, box, instance ? &*instance : nullptr);
  out.well_formed = is_well_formed(found->reading);
  out.tensor = found->tensor, out.layout = text;
  return out;
}

Sizes drawn(const Rule& rule, use::Random& random) {
  constexpr Index kSizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};
  Sizes out;
  for (const map::Symbol& symbol : rule.symbols) {
    const bool few = symbol.name == "G" || symbol.name == "H" || random.chance(55);  // G x H cores
    out[symbol.name] = kSizes[random.below(few ? 8 : std::size(kSizes))];
    if (symbol.low == 0 && random.chance(20)) out[symbol.name] = 0;
  }
  return out;
}

// The four kinds of padding, in the order of Shards::Padding; nothing where there is no array of shards.
std::optional<std::vector<map::Expression>> kinds_of(const use::Reading& reading) {
  std::vector<map::Expression> out;
  for (const char* kind : {"tile", "grid", "gaps", "repeated"}) {
    session::ClaimRequest claim;
    claim.claim = claims::find_claim("padding-kind");
    claim.arguments.push_back({"kind", session::SourceText::option("kind", kind)});
    const auto rules = session::rules_of_kind(claim, reading);
    if (!std::holds_alternative<session::RulesOfKind>(rules)) return std::nullopt;
    out.push_back(session::slots_of(std::get<session::RulesOfKind>(rules)));
  }
  return out;
}

// With numbers written in, the padding is counted by boxes of numbers, or there is no array of shards.
Index compared_kinds(const Subject& of, const std::vector<map::Expression>& kinds, const Walked& at, const Sizes& sizes,
                     bool is_layout) {
  const auto shards = of.family.shards(at.layout, at.tensor);
  EXPECT_TRUE(shards.has_value() || !is_layout) << at.layout;
  if (!shards) return 0;
  const Index padding[] = {shards->padding.tile, shards->padding.grid, shards->padding.gaps, shards->padding.repeated};
  Index all = 0;
  for (std::size_t k = 0; k < std::size(padding); ++k) {
    EXPECT_EQ(*map::evaluate(kinds[k], sizes), padding[k]) << at.layout;
    all += padding[k];
  }
  EXPECT_TRUE(!is_layout || all == at.padding) << at.layout;
  return 1;
}

// The padding of a rule whose slots are counted.
map::Expression padding_of(const Rule& rule) {
  std::vector<map::Expression> extents;
  for (const map::RulePlace& place : rule.places) extents.push_back(place.extent);
  return map::product_of(extents) - map::product_of(rule.logical) * map::product_of(rule.replicas);
}

// A cell of sizes holds, or fails, at a size in it. Returns how many fail.
Index walked_leaves(const Subject& of, const Claim& claim, const engines::Leaves& leaves) {
  Index failing = 0, looked = 0;
  for (const Leaf& leaf : leaves.all) {
    if (leaf.kind == Leaf::Kind::Open || ++looked > 12) continue;
    for (const Sizes& sizes : leaf.cell.samples(1)) {
      const auto found = walked(of, sizes);
      if (!found) continue;
      EXPECT_EQ(*found.*claim.holds, leaf.kind == Leaf::Kind::Holds) << found->layout << ": " << leaf.why;
      failing += leaf.kind == Leaf::Kind::Fails;
    }
  }
  return failing;
}

class AllSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(AllSizes, AreProvedIffTheyHoldAtEverySizeThatIsWalked) {
  const Scope& scope = kScopes[GetParam()];
  const Index each = test::cases(25, 1'000);
  const std::vector<Text> texts = scope.texts();
  std::size_t proved = 0, counted = 0;
  Index sizes_walked = 0;
  for (std::size_t number = 0; number < texts.size(); ++number) {
    const auto of = read(scope, texts[number]);
    const testing::ScopedTrace trace(__FILE__, __LINE__, texts[number].layout);
    ASSERT_TRUE(of.has_value());
    ASSERT_TRUE(engines::leaves_of_laws(of->rule()).proved());
    const bool well_formed = is_well_formed(of->reading);  // but for sticks of 8 and of 128
    const bool counts = engines::leaves_of(of->rule(), kCounted).proved();
    std::vector<bool> seen(scope.claims.size(), true);
    const auto kinds = kinds_of(of->reading);
    counted += kinds ? 1 : 0;
    use::Random random(20261128, GetParam(), number);
    Index walks = 0;
    for (Index draw = 0; draw < each * 40 && walks < each; ++draw) {
      const Sizes sizes = drawn(of->rule(), random);
      const auto found = walked(*of, sizes);
      if (!found) continue;
      ++walks;
      EXPECT_EQ(found->well_formed, well_formed) << found->layout;
      for (std::size_t k = 0; k < seen.size(); ++k) seen[k] = seen[k] && *found.*scope.claims[k].holds;
      EXPECT_TRUE(!counts || *map::evaluate(padding_of(of->rule()), sizes) == found->padding) << found->layout;
      if (kinds) compared_kinds(*of, *kinds, *found, sizes, true);
    }
    EXPECT_EQ(walks, each);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const engines::Leaves leaves = engines::leaves_of(of->rule(), scope.claims[k].parts);
      EXPECT_EQ(leaves.proved(), seen[k]) << k;
      static_cast<void>(walked_leaves(*of, scope.claims[k], leaves));
      proved += leaves.proved() ? 1 : 0;
    }
    proved += counts ? 1 : 0;
    sizes_walked += walks;
  }
  fmt::print("{}: {} texts, {} claims proved, {} sizes walked\n", scope.name, texts.size(), proved, sizes_walked);
  EXPECT_EQ(proved, scope.proved);
  EXPECT_EQ(counted, scope.counted);
}

// One number or name becomes another one. An x parts the numbers of MLIR's shapes.
Text changed(Text text, std::string_view names, use::Random& random) {
  const auto is_word = [](char c) { return c != 'x' && std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::vector<std::size_t> places;
  for (std::size_t at = 1; at < std::min(text.layout.find("collapsed"), text.layout.size()); ++at) {
    const char c = text.layout[at], after = at + 1 < text.layout.size() ? text.layout[at + 1] : '\0';
    if (is_word(text.layout[at - 1])) continue;
    if (test::is_digit(c) || (c >= 'A' && c <= 'Z' && !is_word(after))) places.push_back(at);
  }
  text.layout = test::changed_at(std::move(text.layout), places[random.below(places.size())], names, 0, random);
  return text;
}

// What is proved holds at random sizes.
void expect_proofs_to_hold(const Subject& of, use::Random& random, Tally& tally) {
  const engines::AllSizesOptions options{.most_cells = 120};
  const std::string said = of.text.layout + " of " + of.text.tensor;
  std::vector<bool> shown;
  for (const Claim& claim : of.scope.claims) {
    const engines::Leaves leaves = engines::leaves_of(of.rule(), claim.parts, options);
    shown.push_back(leaves.proved());
    tally.proved += shown.back();
    tally.failing += walked_leaves(of, claim, leaves);
  }
  const bool laws = is_well_formed(of.reading) && engines::leaves_of_laws(of.rule(), options).proved();
  tally.proved += laws;
  const auto kinds = kinds_of(of.reading);
  for (int draw = 0; draw < 12; ++draw) {
    const Sizes sizes = drawn(of.rule(), random);
    const auto found = walked(of, sizes);
    if (!found) continue;
    ++tally.walked;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      tally.wrong += *found.*of.scope.claims[k].holds ? 0 : 1;
      ASSERT_TRUE(*found.*of.scope.claims[k].holds || !shown[k]) << said << " as " << found->layout;
    }
    tally.wrong += found->well_formed ? 0 : 1;
    ASSERT_TRUE(found->well_formed || !laws) << said << " as " << found->layout;
    if (kinds && found->in_box && found->apart) tally.counted += compared_kinds(of, *kinds, *found, sizes, false);
  }
}

TEST_P(AllSizes, WithAChangeAreNeverBothProvedAndWrong) {
  const Scope& scope = kScopes[GetParam()];
  const std::vector<Text> texts = scope.texts();
  const Index rounds = test::cases(240, 10'000);
  const std::uint64_t first = test::is_campaign() ? test::shard_of(1).index * 1'000'000 : 0;
  Tally tally;
  for (Index round = 0; round < rounds; ++round) {
    use::Random random(20261128, 10 + GetParam(), first + static_cast<std::uint64_t>(round));
    const auto of = read(scope, changed(texts[random.below(texts.size())], scope.names, random));
    if (!of) continue;
    ++tally.rules;
    ASSERT_NO_FATAL_FAILURE(expect_proofs_to_hold(*of, random, tally));
  }
  fmt::print(
      "{}: {} of {} changed texts are rules: {} claims proved; {} sizes walked, {} claims wrong there, {} more "
      "where a cell fails; kinds of padding at {}\n",
      scope.name, tally.rules, rounds, tally.proved, tally.walked, tally.wrong, tally.failing, tally.counted);
  for (const auto part : {&Tally::rules, &Tally::walked, &Tally::proved, &Tally::wrong, &Tally::failing})
    EXPECT_GE(tally.*part * 100, rounds * scope.least.*part);
  EXPECT_TRUE(scope.counted == 0 || tally.counted >= rounds);
}

INSTANTIATE_TEST_SUITE_P(Texts, AllSizes, testing::Range<std::size_t>(0, std::size(kScopes)),
                         [](const auto& param) { return kScopes[param.param].name; });

}  // namespace differential_all_sizes_campaign
}  // namespace vl::differential
