// The meanings of random specs of tt-metal, compared with each other on every element: the map, the way back, the
// reference, the terms that the solver sees, and the answers of every engine. Shards of two dimensions are also
// compared with the shards of many dimensions that the runtime makes of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/smt/solver.h"
#include "encodings/ttmetal/samples.h"
#include "encodings/ttmetal/ttmetal.h"
#include "encodings/use/reference.h"
#include "tests/support/panel.h"
#include "tests/support/shard.h"

namespace vl {
namespace differential_ttmetal_meanings_campaign {

const Index kSpecs = test::cases(6'000, 20'000);
const Index kSolved = 500;
const Index kAsked = test::cases(600, 2'000);

struct Case {
  ttmetal::Spec spec;
  map::Tensor tensor;
  std::string text;
  use::Reading reading;
  bool broken = false;

  [[nodiscard]] const map::Layout& layout() const { return *reading.layout(); }
};

Case case_of(std::uint64_t seed, Index n) {
  use::Random random(seed, 5, static_cast<std::uint64_t>(n));
  const use::Sample sample = ttmetal::kCampaign.draw(random, static_cast<unsigned>(n % 4), false);
  Case out{use::notation_of<ttmetal::Parsed>(sample).spec,
           sample.tensor,
           ttmetal::kCampaign.print(sample),
           {use::Undecidable{}, {}, {}, {}, 0, {}},
           sample.has(use::Feature::Broken)};
  auto reading = ttmetal::read(out.text, out.tensor);
  VL_CHECK(reading.has_value() && reading->layout() != nullptr, out.text);
  out.reading = std::move(*reading);
  return out;
}

use::Slots reference_of(const Case& made) {
  const auto references = use::references();
  const auto found = std::ranges::find(references, "ttmetal", &use::Reference::family);
  VL_CHECK(found != references.end(), "the reference of ttmetal");
  auto slots = (*found)->slots(made.text, made.tensor);
  VL_CHECK(slots.has_value(), made.text);
  return *slots;
}

// A face or a tile of another size than the hardware's stands for one of its own.
bool is_well_formed(const use::Reading& reading) {
  return std::ranges::all_of(reading.rules, [](const use::Rule& rule) {
    return rule.have == rule.want || rule.statement.starts_with("the hardware") || rule.statement.starts_with("a face");
  });
}

TEST(TtmetalMeanings, AgreeOnEveryElementAndEverySlotOfRandomSpecs) {
  Index elements = 0, without = 0, valid = 0, well_formed = 0, tables = 0;
  Index of_memory[5] = {};
  for (Index n = 0; n < kSpecs; ++n) {
    const Case made = case_of(20261123, n);
    const map::Layout& layout = made.layout();
    const use::Slots reference = reference_of(made);
    std::set<Point> image;
    bool whole = true;
    Point x(layout.logical().rank(), 0);
    do {
      Point at = map::outputs_at(layout, x, {});
      std::vector<Point> mine;
      if (layout.is_slot(at)) {
        whole = image.insert(at).second && whole;
        mine.push_back(std::move(at));
      } else {
        whole = false;
      }
      ASSERT_EQ(mine, reference(x)) << made.text
                                    << fmt::format(" of [{}] at [{}]", fmt::join(made.tensor.size, ","),
                                                   fmt::join(x, ","));
      ++elements;
      without += mine.empty() ? 1 : 0;
    } while (map::advance(layout.logical(), x));
    ++of_memory[static_cast<std::size_t>(made.spec.memory)];
    tables += made.spec.shard && made.spec.shard->grid.size() > 1 ? 1 : 0;
    if (is_well_formed(made.reading)) {
      ASSERT_TRUE(whole) << made.text;
      ++well_formed;
    }
    ASSERT_FALSE(made.broken && whole) << made.text;
    if (!layout.decode() || n % 4 != 0) continue;
    for (Index slot = 0; slot < layout.physical().volume(); ++slot) {
      const Point at = layout.physical().point(slot);
      const bool holds = map::use_of(layout, at).valid;
      valid += holds ? 1 : 0;
      ASSERT_EQ(holds, image.contains(at)) << made.text << fmt::format(" slot [{}]", fmt::join(at, ","));
    }
  }
  fmt::print(
      "{} specs ({} interleaved, {} height, {} width, {} block, {} nd; {} of two ranges), {} well-formed: {} "
      "elements, {} without a slot, {} valid slots\n",
      kSpecs, of_memory[0], of_memory[1], of_memory[2], of_memory[3], of_memory[4], tables, well_formed, elements,
      without, valid);
  for (const Index of : of_memory) EXPECT_GT(of, kSpecs / 10);
  EXPECT_GT(tables, kSpecs / 20);
  EXPECT_GT(well_formed, kSpecs / 3);
  EXPECT_GT(without, kSpecs);
  EXPECT_GT(valid, kSpecs * 20);
}

// Source: tensor_spec.cpp, populate_nd_shard_spec_from_legacy. The two readings have to be the same map where the spec
// is legal: shards of two dimensions, dealt round robin or, for blocks, in a grid.
TEST(TtmetalMeanings, OfShardsOfTwoDimensionsAreThoseOfTheShardsOfManyThatTheRuntimeMakes) {
  Index compared = 0;
  for (Index n = 0; n < kSpecs / 4; ++n) {
    const Case made = case_of(7, n);
    const bool two = made.spec.shard && made.spec.memory != ttmetal::Memory::Nd;
    if (!two || !is_well_formed(made.reading)) continue;
    if (made.tensor.size.empty() || (made.tensor.size.size() == 1 && !*made.spec.tiled)) continue;  // one dimension
    ttmetal::Spec other = made.spec;
    other.memory = ttmetal::Memory::Nd;
    other.shard->deal = made.spec.memory == ttmetal::Memory::Block ? ttmetal::Deal::Grid : ttmetal::Deal::RoundRobin;
    const auto reading = ttmetal::read({other, {}, {}}, made.tensor);
    ASSERT_TRUE(reading.has_value() && reading->layout() != nullptr) << made.text;
    Point x(made.tensor.size.size(), 0);
    do {
      ASSERT_EQ(map::outputs_at(made.layout(), x, {}), map::outputs_at(*reading->layout(), x, {})) << made.text;
    } while (map::advance(made.layout().logical(), x));
    ++compared;
  }
  EXPECT_GT(compared, kSpecs / 20);
}

TEST(TtmetalMeanings, NormalTextsSayTheSame) {
  for (Index n = 0; n < 5000; ++n) {
    const Case made = case_of(5, n);
    EXPECT_EQ(made.reading.normal, made.text);
    EXPECT_TRUE(ttmetal::recognises(made.text)) << made.text;
    const auto again = ttmetal::parse(made.text);
    ASSERT_TRUE(again.has_value()) << made.text;
    EXPECT_EQ(again->spec, made.spec) << made.text;
  }
}

TEST(TtmetalMeanings, OfTheSolversTermsAreTheMaps) {
  Index points = 0;
  for (Index n = 0; n < kSolved; ++n) {
    const Case made = case_of(3, n);
    use::Random random(11, 5, static_cast<std::uint64_t>(n));
    std::vector<Point> sample;
    const Index volume = made.layout().domain().volume();
    for (Index k = 0; k < std::min<Index>(volume, 6); ++k)
      sample.push_back(made.layout().domain().point(volume <= 6 ? k : random.between(0, volume - 1)));
    const auto terms = smt::lowered_outputs(made.layout().map(), sample);
    ASSERT_TRUE(terms.has_value()) << made.text;
    for (std::size_t k = 0; k < sample.size(); ++k)
      ASSERT_EQ((*terms)[k], *map::evaluate(made.layout().map(), sample[k])) << made.text;
    points += static_cast<Index>(sample.size());
  }
  EXPECT_GT(points, kSolved * 4);
}

TEST(TtmetalMeanings, OfEveryEngineAreTheReferences) {
  test::Panel panel(20);
  for (Index n = 0; n < kAsked; ++n) {
    const Case made = case_of(13, n);
    const map::Layout& layout = made.layout();
    if (layout.physical().volume() > 3000 || layout.physical().volume() == 0) continue;
    const use::Slots reference = reference_of(made);
    std::vector<Index> slots;
    Point x(layout.logical().rank(), 0);
    do {
      const std::vector<Point> at = reference(x);
      slots.push_back(at.empty() ? -1 : layout.physical().linear(at.front()));
    } while (map::advance(layout.logical(), x));
    const test::Truth truth = test::truth_of(made.tensor.size, map::extents_of(layout.physical()), std::move(slots));
    panel.hold(static_cast<std::uint64_t>(n), {layout, truth}, [&] { return made.text; });
  }
  panel.report("random specs of tt-metal", {0, 1});
  EXPECT_GT(panel.layouts(), kAsked / 2);
  for (const std::string_view engine : {"enumerate", "strided", "smt"})
    EXPECT_GT(panel.score(engine).decided, 0) << engine;
}

}  // namespace differential_ttmetal_meanings_campaign
}  // namespace vl
