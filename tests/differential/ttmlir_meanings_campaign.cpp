// The meanings of random layouts of tt-mlir, compared with each other on every element: the map, the way back, the
// reference, the terms that the solver sees, and the answers of every engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encodings/smt/solver.h"
#include "encodings/ttmlir/ttmlir.h"
#include "encodings/use/reference.h"
#include "tests/support/panel.h"
#include "tests/support/shard.h"
#include "tests/support/ttmlir_random.h"

namespace vl {
namespace differential_ttmlir_meanings_campaign {

const Index kLayouts = test::cases(20'000, 60'000);
const Index kSolved = 600;
const Index kAsked = test::cases(900, 3'000);

use::Slots reference_of(const test::TtmlirCase& made) {
  const auto references = use::references();
  const auto found = std::ranges::find(references, "metal", &use::Reference::family);
  VL_CHECK(found != references.end(), "the reference of ttmlir");
  auto slots = (*found)->slots(made.text, made.tensor);
  VL_CHECK(slots.has_value(), made.text + ": " + (slots ? "" : slots.error().message));
  return *slots;
}

/// The reading; nothing where it is undecidable.
std::optional<use::Reading> reading_of(const test::TtmlirCase& made) {
  auto reading = ttmlir::read(made.text, made.tensor);
  VL_CHECK(reading.has_value(), made.text + ": " + (reading ? "" : reading.error().message));
  if (reading->layout() == nullptr) return std::nullopt;
  return std::move(*reading);
}

bool is_well_formed(const use::Reading& reading) {
  return std::ranges::all_of(reading.rules, [](const use::Rule& rule) { return rule.have == rule.want; });
}

struct Tally {
  Index elements = 0, without = 0, slots = 0, valid = 0, well_formed = 0, tiled = 0, dealt = 0;
  Index undecidable = 0, nowhere = 0;  // the latter: the elements have no places, and in the reference no slots
  Index of_rule[3] = {};
};

/// Compares element by element; the image, each slot once.
void compare_elements(const test::TtmlirCase& made, const map::Layout& layout, Tally& tally, std::set<Point>& image) {
  const use::Slots reference = reference_of(made);
  Point x(layout.logical().rank(), 0);
  do {
    Point at = map::outputs_at(layout, x, {});
    std::vector<Point> mine;
    if (layout.is_slot(at)) {
      at.resize(layout.physical().rank());
      image.insert(at);
      mine.push_back(std::move(at));
    }
    ASSERT_EQ(mine, reference(x)) << made.text << fmt::format(" [{}]", fmt::join(x, ","));
    ++tally.elements;
    ++(mine.empty() ? tally.without : tally.slots);
  } while (map::advance(layout.logical(), x));
}

/// Whether an undecidable text gives the elements no places. Then the reference gives them none.
bool is_nowhere(const test::TtmlirCase& made) {
  const auto reading = ttmlir::read(made.text, made.tensor);
  VL_CHECK(reading.has_value() && reading->undecidable() != nullptr, made.text);
  if (!reading->undecidable()->reason.starts_with("the elements have no places")) return false;
  const use::Slots reference = reference_of(made);
  for (const bool last : {false, true}) {
    Point x(made.tensor.size.size(), 0);
    for (std::size_t d = 0; last && d < x.size(); ++d) x[d] = made.tensor.size[d] - 1;
    EXPECT_TRUE(reference(x).empty()) << made.text;
  }
  return true;
}

TEST(TtmlirMeanings, AgreeOnEveryElementAndEverySlotOfRandomLayouts) {
  test::RandomTtmlir random(20261123);
  Tally tally;
  for (Index n = 0; n < kLayouts; ++n) {
    const test::TtmlirCase made = random.next(n % 3 == 0 ? 9 : 4);
    const auto reading = reading_of(made);
    if (!reading) {
      ++(is_nowhere(made) ? tally.nowhere : tally.undecidable);
      continue;
    }
    const map::Layout& layout = *reading->layout();
    std::set<Point> image;
    ASSERT_NO_FATAL_FAILURE(compare_elements(made, layout, tally, image));
    ++tally.of_rule[made.rule - 'A'];
    tally.well_formed += is_well_formed(*reading);
    tally.tiled += made.text.find("tile<") != std::string::npos;
    tally.dealt += made.text.find("interleaved") != std::string::npos;
    if (made.broken && !is_well_formed(*reading)) continue;  // a wrong map may have no way back
    if (!layout.decode() || layout.physical().volume() > 20'000 || layout.physical().volume() == 0) continue;
    Point slot(layout.physical().rank(), 0);
    do {
      const bool valid = map::use_of(layout, slot).valid;
      tally.valid += valid;
      ASSERT_EQ(valid, image.contains(slot)) << made.text << fmt::format(" slot [{}]", fmt::join(slot, ","));
    } while (map::advance(layout.physical(), slot));
  }
  fmt::print(
      "{} layouts ({} A, {} B, {} C), {} well-formed, {} tiled, {} dealt, {} undecidable, {} without places: {} "
      "elements, {} without a slot, {} valid slots\n",
      kLayouts, tally.of_rule[0], tally.of_rule[1], tally.of_rule[2], tally.well_formed, tally.tiled, tally.dealt,
      tally.undecidable, tally.nowhere, tally.elements, tally.without, tally.valid);
  for (const Index of_rule : tally.of_rule) EXPECT_GT(of_rule, kLayouts / 5);
  EXPECT_GT(tally.well_formed, kLayouts / 3);
  EXPECT_GT(tally.tiled, kLayouts / 3);
  EXPECT_GT(tally.dealt, kLayouts / 25);
  EXPECT_LT(tally.undecidable, kLayouts / 15);
  EXPECT_GT(tally.nowhere, kLayouts / 20);
  EXPECT_GT(tally.without, kLayouts / 2);
  EXPECT_GT(tally.valid, kLayouts * 5);
}

TEST(TtmlirMeanings, NormalTextsSayTheSame) {
  test::RandomTtmlir random(5);
  for (Index n = 0; n < 5000; ++n) {
    const test::TtmlirCase made = random.next(5);
    const auto reading = ttmlir::read(made.text, made.tensor);
    ASSERT_TRUE(reading.has_value()) << made.text;
    EXPECT_EQ(reading->normal, made.text);
    EXPECT_TRUE(ttmlir::recognises_metal(made.text) || ttmlir::recognises_ttnn(made.text)) << made.text;
  }
}

TEST(TtmlirMeanings, OfTheSolversTermsAreTheMaps) {
  test::RandomTtmlir random(3);
  Index points = 0;
  for (Index n = 0; n < kSolved; ++n) {
    const test::TtmlirCase made = random.next(5);
    const auto reading = reading_of(made);
    if (!reading) continue;
    const map::Layout& layout = *reading->layout();
    std::vector<Point> sample;
    const Index volume = layout.domain().volume();
    for (Index k = 0; k < std::min<Index>(volume, 6); ++k)
      sample.push_back(layout.domain().point(volume <= 6 ? k : random.random().between(0, volume - 1)));
    const auto terms = smt::lowered_outputs(layout.map(), sample);
    ASSERT_TRUE(terms.has_value()) << made.text;
    for (std::size_t k = 0; k < sample.size(); ++k)
      ASSERT_EQ((*terms)[k], *map::evaluate(layout.map(), sample[k])) << made.text;
    points += static_cast<Index>(sample.size());
  }
  EXPECT_GT(points, kSolved * 3);
}

TEST(TtmlirMeanings, OfEveryEngineAreTheReferences) {
  test::RandomTtmlir random(11);
  test::Panel panel(20);
  for (Index n = 0; n < kAsked; ++n) {
    const test::TtmlirCase made = random.next(4);
    const auto reading = reading_of(made);
    if (!reading || reading->layout()->physical().volume() > 4000) continue;
    const map::Layout& layout = *reading->layout();
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
  panel.report("random layouts of tt-mlir", {0, 1});
  EXPECT_GT(panel.layouts(), kAsked / 2);
  for (const std::string_view engine : {"enumerate", "strided", "smt"}) {
    EXPECT_GT(panel.score(engine).decided, 0) << engine;
  }
}

}  // namespace differential_ttmlir_meanings_campaign
}  // namespace vl
