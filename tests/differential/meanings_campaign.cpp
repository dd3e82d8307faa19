// The meanings of random layouts of every family, compared with each other on every element: the map, its way back, the
// reference's reading of the text, the terms that the solver sees, the interpreter that moves data, and the answers of
// every engine. Campaigns of `verify-layout fuzz` compare 64 elements of one group in 32 (oracle/fuzz/audit.h).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

#include "encodings/smt/solver.h"
#include "encodings/tirx/tirx.h"
#include "encodings/ttmetal/ttmetal.h"
#include "encodings/use/reference.h"
#include "oracle/fuzz/audit.h"
#include "oracle/reference/executor.h"
#include "tests/support/looking.h"
#include "tests/support/panel.h"
#include "tests/support/tirx_random.h"
#include "verifier/claims/claim.h"

namespace vl {
namespace differential_meanings_campaign {

use::Slots reference_of(std::string_view family, const std::string& text, const map::Tensor& tensor) {
  const auto references = use::references();
  auto slots = (*std::ranges::find(references, family, &use::Reference::family))->slots(text, tensor);
  VL_CHECK(slots.has_value(), text + ": " + (slots ? "" : slots.error().message));
  return *slots;
}

// Every slot of an element by the map, ascending, each once. `landed` counts its points (x, r) that have one.
std::vector<Point> slots_by_map(const map::Layout& layout, const Point& x, Index& landed) {
  std::set<Point> out;
  Point replica(layout.replicas().rank(), 0);
  if (layout.replicas().volume() > 0) do {
      Point at = map::outputs_at(layout, x, replica);
      if (!layout.is_slot(at)) continue;
      at.resize(layout.physical().rank());
      out.insert(std::move(at));
      ++landed;
    } while (map::advance(layout.replicas(), replica));
  return {out.begin(), out.end()};
}

// What the reference says of a layout that the map agrees with.
struct Meant {
  std::map<Point, Index> element;  // of each slot that has one; of several, one
  Index landed = 0;                // points with a slot

  [[nodiscard]] bool is_apart() const { return static_cast<Index>(element.size()) == landed; }
  [[nodiscard]] bool is_whole(const map::Layout& layout) const {
    return is_apart() && landed == layout.domain().volume();
  }
};

void compare_elements(const std::string& text, const map::Layout& layout, const use::Slots& reference, Meant& out) {
  Point x(layout.logical().rank(), 0);
  Index number = 0;
  do {
    const std::vector<Point> slots = reference(x);
    ASSERT_EQ(slots_by_map(layout, x, out.landed), slots) << text << fmt::format(" [{}]", fmt::join(x, ","));
    for (const Point& slot : slots) out.element[slot] = number;
    ++number;
  } while (map::advance(layout.logical(), x));
}

// pack() puts each element's tag where the reference says and the fill everywhere else; unpack() gives the host back. A
// layout that is not one to one cannot be packed.
void hold_the_executor(const std::string& text, const map::Layout& layout, const Meant& meant) {
  const auto in_bytes = [](const std::vector<std::uint32_t>& tags) {
    std::vector<std::byte> out(tags.size() * 4);
    if (!tags.empty()) std::memcpy(out.data(), tags.data(), out.size());
    return out;
  };
  std::vector<std::uint32_t> host(static_cast<std::size_t>(layout.logical().volume()));
  std::iota(host.begin(), host.end(), 0U);
  const auto image = oracle::pack(layout, in_bytes(host), 4, std::vector<std::byte>(4, std::byte{0xFF}));
  ASSERT_EQ(image.has_value(), meant.is_whole(layout)) << text;
  if (!image) return;
  std::vector<std::uint32_t> expected(static_cast<std::size_t>(layout.physical().volume()), 0xFFFFFFFF);
  for (const auto& [slot, element] : meant.element)
    expected[static_cast<std::size_t>(layout.physical().linear(slot))] = static_cast<std::uint32_t>(element);
  ASSERT_EQ(*image, in_bytes(expected)) << text;
  const auto back = oracle::unpack(layout, *image, 4);
  ASSERT_TRUE(back.has_value()) << text;
  ASSERT_EQ(*back, in_bytes(host)) << text;
}

// The slots that the map's way back calls valid; of a right layout these are the slots of elements.
std::set<Point> valid_slots(const map::Layout& layout) {
  std::set<Point> out;
  Point slot(layout.physical().rank(), 0);
  if (layout.physical().volume() > 0) do {
      if (map::use_of(layout, slot).valid) out.insert(slot);
    } while (map::advance(layout.physical(), slot));
  return out;
}

void hold_the_text(const use::Family& family, const std::string& text, const map::Tensor& tensor) {
  const auto reading = family.read(text, tensor);
  ASSERT_TRUE(reading.has_value()) << text;
  const auto again = family.read(reading->normal, tensor);
  ASSERT_TRUE(again.has_value() && again->layout() != nullptr) << reading->normal;
  EXPECT_TRUE(family.recognises(reading->normal)) << reading->normal;
  EXPECT_EQ(again->normal, reading->normal);
  EXPECT_EQ(again->layout()->map(), reading->layout()->map()) << text << " as " << reading->normal;
  EXPECT_EQ(again->layout()->physical(), reading->layout()->physical()) << text;
}

class Meanings : public testing::TestWithParam<const use::Family*> {};

TEST_P(Meanings, AgreeOnEveryElementOfRandomLayouts) {
  const use::Family& family = *GetParam();
  const Index layouts = test::cases(2'500, 20'000);
  Index elements = 0, without = 0, valid = 0, right = 0, wrong = 0, broken = 0, large = 0;
  std::map<use::Feature, Index> features;
  for (Index n = 0; n < layouts; ++n) {
    const auto group = static_cast<std::uint64_t>(n);
    const oracle::Subject subject = oracle::subject_of(family.name, 20261121, group);
    const std::string text = oracle::text_of(subject);
    const auto layout = oracle::lower(subject);
    ASSERT_TRUE(layout.has_value()) << text << ": " << layout.error().message;
    const auto mismatch = oracle::audit(subject, *layout);
    ASSERT_FALSE(mismatch.has_value()) << text << ": " << mismatch->kind << ": " << mismatch->detail;
    large += oracle::is_large(group);
    if (oracle::is_large(group)) continue;
    Meant meant;
    ASSERT_NO_FATAL_FAILURE(compare_elements(text, *layout, reference_of(family.name, text, subject.tensor), meant));
    bool is_right = family.campaign->bijective ? meant.is_whole(*layout) : meant.is_apart();
    if (is_right && layout->decode()) {
      const std::set<Point> back = valid_slots(*layout);
      is_right = std::ranges::equal(back, meant.element | std::views::keys);
      valid += static_cast<Index>(back.size());
    }
    ASSERT_TRUE(group % 2 == 1 || is_right) << text;
    broken += group % 4 == 1 && !is_right;
    ASSERT_NO_FATAL_FAILURE(hold_the_executor(text, *layout, meant));
    hold_the_text(family, text, subject.tensor);
    if (HasFatalFailure()) return;
    ++(is_right ? right : wrong);
    elements += layout->logical().volume();
    without += layout->domain().volume() - meant.landed;
    for (std::size_t k = 0; k < use::kFeatures; ++k)
      features[static_cast<use::Feature>(k)] += subject.has(static_cast<use::Feature>(k));
  }
  fmt::print("{}: {} layouts, {} large, {} right, {} wrong; {} elements, {} without a slot, {} valid slots",
             family.name, layouts, large, right, wrong, elements, without, valid);
  for (const auto& [feature, count] : features) {
    fmt::print(", {} {}", count, use::name(feature));
    const bool never = std::ranges::find(family.campaign->never, feature) != family.campaign->never.end();
    EXPECT_TRUE(feature == use::Feature::Far || (count > layouts / 200) != never) << use::name(feature);
  }
  fmt::print("\n");
  EXPECT_GE(right, layouts / 2);
  EXPECT_GE(broken * 4 * 20, layouts * 19);  // without a slot, or with one that is shared
  EXPECT_GE(wrong, layouts / 5);
  EXPECT_GE(large, 1);
  EXPECT_GT(elements, layouts * 50);
}

// Of large layouts 64 elements are compared.
TEST_P(Meanings, AgreeOnSamplesOfLargeLayouts) {
  const use::Family& family = *GetParam();
  Index elements = 0;
  for (std::uint64_t n = 0; n < 40; ++n) {
    use::Random random(11, family.campaign->stream, n);
    const use::Sample sample = family.campaign->draw(random, static_cast<unsigned>(n % 4), true);
    const auto layout = oracle::lower(sample);
    ASSERT_TRUE(layout.has_value()) << oracle::text_of(sample);
    const auto mismatch = oracle::audit(sample, *layout);
    EXPECT_FALSE(mismatch.has_value()) << oracle::text_of(sample) << ": " << mismatch->detail;
    elements += layout->logical().volume();
  }
  EXPECT_GT(elements, 40 * 50'000);
}

TEST_P(Meanings, OfTheSolversTermsAreTheMaps) {
  const use::Family& family = *GetParam();
  Index points = 0, layouts = 0;
  for (std::uint64_t group = 0; layouts < 200; ++group) {
    const oracle::Subject subject = oracle::subject_of(family.name, 3, group);
    const auto layout = oracle::lower(subject);
    ASSERT_TRUE(layout.has_value());
    use::Random random(11, 5, group);
    std::vector<Point> sample;
    const Index volume = layout->domain().volume();
    for (Index k = 0; k < std::min<Index>(volume, 6); ++k)
      sample.push_back(layout->domain().point(volume <= 6 ? k : random.between(0, volume - 1)));
    const auto terms = smt::lowered_outputs(layout->map(), sample);
    ASSERT_TRUE(terms.has_value()) << oracle::text_of(subject) << terms.error().message;
    ASSERT_EQ(terms->size(), sample.size());
    for (std::size_t k = 0; k < sample.size(); ++k)
      ASSERT_EQ((*terms)[k], *map::evaluate(layout->map(), sample[k])) << oracle::text_of(subject);
    points += static_cast<Index>(sample.size());
    ++layouts;
  }
  EXPECT_GT(points, layouts * 4);
}

TEST_P(Meanings, MakeTheAnswersOfEveryEngineAndTheVerdicts) {
  const use::Family& family = *GetParam();
  test::Panel panel(20);
  const Index layouts = test::cases(600, 3'000);
  for (std::uint64_t group = 0; panel.layouts() < layouts; ++group) {
    const oracle::Subject subject = oracle::subject_of(family.name, 13, group);
    const auto layout = oracle::lower(subject);
    ASSERT_TRUE(layout.has_value());
    if (!test::can_look(*layout) || layout->physical().volume() > 4'000) continue;
    panel.hold(group, {*layout, test::look_at(*layout)}, [&] { return oracle::text_of(subject); });
    for (const char* claim : {"in-bounds", "injective", "bijective", "onto"}) {
      const claims::Subject about = claims::OneLayout{*layout};
      const std::string_view word = question::word(claims::decide(*claims::find_claim(claim), about, {}).verdict);
      ASSERT_EQ(word, test::look(claim, about)->word) << claim << " of " << oracle::text_of(subject);
    }
  }
  panel.report(family.name, {0, 1});
  EXPECT_EQ(panel.score("enumerate").decided, panel.score("enumerate").asked);
  for (const std::string_view engine : {"strided", "smt", "presburger"}) {
    EXPECT_GT(panel.score(engine).decided * 3, panel.score(engine).asked) << engine;
    EXPECT_GT(panel.score(engine).found * 20, panel.score(engine).asked) << engine;
  }
}

std::vector<const use::Family*> families() { return oracle::campaign_families(); }
INSTANTIATE_TEST_SUITE_P(Families, Meanings, testing::ValuesIn(families()),
                         [](const auto& each) { return std::string(each.param->name); });

// Source: tensor_spec.cpp, populate_nd_shard_spec_from_legacy. The two readings have to be the same map where the spec
// is legal: shards of two dimensions, dealt round robin or, for blocks, in a grid.
TEST(TtmetalMeanings, OfShardsOfTwoDimensionsAreThoseOfTheShardsOfManyThatTheRuntimeMakes) {
  Index compared = 0;
  const Index specs = test::cases(1'500, 5'000);
  for (Index n = 0; n < specs; ++n) {
    const oracle::Subject subject = oracle::subject_of("ttmetal", 7, static_cast<std::uint64_t>(n));
    ttmetal::Spec spec = use::notation_of<ttmetal::Parsed>(subject).spec;
    if (!spec.shard || spec.memory == ttmetal::Memory::Nd) continue;
    const std::string text = oracle::text_of(subject);
    const auto legacy = ttmetal::read(text, subject.tensor);
    ASSERT_TRUE(legacy.has_value() && legacy->layout() != nullptr) << text;
    // A face or a tile of another size than the hardware's stands for one of its own.
    const bool is_well_formed = std::ranges::all_of(legacy->rules, [](const use::Rule& rule) {
      return rule.have == rule.want || rule.statement.starts_with("the hardware") ||
             rule.statement.starts_with("a face");
    });
    const auto& size = subject.tensor.size;
    if (!is_well_formed || size.empty() || (size.size() == 1 && !*spec.tiled)) continue;  // one dimension
    spec.shard->deal = spec.memory == ttmetal::Memory::Block ? ttmetal::Deal::Grid : ttmetal::Deal::RoundRobin;
    spec.memory = ttmetal::Memory::Nd;
    const auto reading = ttmetal::read({spec, {}, {}}, subject.tensor);
    ASSERT_TRUE(reading.has_value() && reading->layout() != nullptr) << text;
    Point x(size.size(), 0);
    do {
      ASSERT_EQ(map::outputs_at(*legacy->layout(), x, {}), map::outputs_at(*reading->layout(), x, {})) << text;
    } while (map::advance(legacy->layout()->logical(), x));
    ++compared;
  }
  EXPECT_GT(compared, specs / 5);
}

// The reference reads each spelling of a layout alike, and so does the reader.
TEST(TirxMeanings, DoNotDependOnTheSpelling) {
  test::RandomTirx random(20261121);
  Index elements = 0;
  for (Index n = 0; n < test::cases(4'000, 40'000); ++n) {
    const test::RandomTirxCase made = random.next(100);
    const std::string text = random.spelled(made.layout);
    const auto parsed = tirx::parse(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    ASSERT_EQ(parsed->layout, made.layout) << text;
    const auto layout = tirx::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value()) << made.show() << ": " << layout.error().message;
    Meant meant;
    ASSERT_NO_FATAL_FAILURE(compare_elements(text, *layout, reference_of("tirx", text, made.tensor), meant));
    elements += layout->logical().volume();
  }
  EXPECT_GT(elements, 4'000 * 10);
}

TEST(TirxMeanings, AgreeOnNumbersThatAreWrittenAsExpressions) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, Index>>{{"2**3", 8},
                                                                              {"2 ** 3 ** 2", 512},
                                                                              {"5 - 2**2", 1},
                                                                              {"-2**2 + 5", 1},
                                                                              {"(-3)**2", 9},
                                                                              {"3*2**2", 12},
                                                                              {"2**-0", 1},
                                                                              {"0**0", 1},
                                                                              {"0x10", 16},
                                                                              {"0XfF // 2**4", 15},
                                                                              {"7**20 % 1000", 1}}) {
    const std::string layout = "S[1:1] + (" + text + ")";
    map::Tensor one;
    one.size = {1};
    const auto parsed = tirx::parse(layout);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    EXPECT_EQ(map::outputs_at(*tirx::lower(parsed->layout, one), Point{0}, {}), Point{value}) << text;
    EXPECT_EQ(reference_of("tirx", layout, one)(Point{0}), (std::vector<Point>{{value}})) << text;
  }
}

// Upstream's largest layouts, and their kin.
TEST(TirxMeanings, AgreeOnSamplesOfTheLargest) {
  const std::pair<const char*, std::vector<Index>> rows[] = {
      {"TileLayout(S[(4, 6144, 7168) : (44040192, 7168, 1)])", {4, 6144, 7168}},
      {"TileLayout(S[(4, 6144, 7168) : (44040192, 7168, 1)])", {24576, 7168}},
      {"ComposeLayout(3, 3, 3, TileLayout(S[(5, 32, 2, 64) : (20992, 64, 2048, 1)]))", {5, 32, 128}},
      {"ComposeLayout(3, 3, 3, TileLayout(S[(16 * 1024, 128, 8, 64) : (128 * 512, 512, 64, 1)]), swizzle_inner=False)",
       {16384, 65536}},
      {"T.TileLayout(T.S[(4, 128, 8, 128) : (1024@F, 1@F, 1@F, 1@P)])", {512, 1024}},
      {"SwizzleLayout(20, 10, 12)", {1 << 20, 1 << 20}},
  };
  for (const auto& [text, size] : rows) {
    map::Tensor tensor;
    tensor.size = size;
    const auto layout = tirx::lower(tirx::parse(text)->layout, tensor);
    ASSERT_TRUE(layout.has_value()) << text << ": " << layout.error().message;
    const use::Slots reference = reference_of("tirx", text, tensor);
    use::Random random(7, 5, 0);
    for (int k = 0; k < 500; ++k) {
      Point x;
      for (const Index extent : size) x.push_back(random.chance(10) ? extent - 1 : random.between(0, extent - 1));
      Index landed = 0;
      ASSERT_EQ(slots_by_map(*layout, x, landed), reference(x)) << text;
    }
  }
}

}  // namespace differential_meanings_campaign
}  // namespace vl
