// Places as digits, and the shared memory in which a library is asked for them: they are what the map says, and what
// was not written, or was written beside, is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "encodings/use/family.h"
#include "oracle/gate/bulk.h"
#include "oracle/gate/drawn.h"
#include "oracle/gate/lane.h"
#include "oracle/gate/map_places.h"
#include "oracle/gate/packed.h"
#include "oracle/gate/places.h"

namespace vl::gate {
namespace oracle_gate_places_test {

using nlohmann::ordered_json;

// The numbers of a tree as layout_gate.h says.
void flatten(const ordered_json& value, const std::vector<std::string>& axes, std::vector<Index>& out) {
  if (value.is_array()) out.push_back(static_cast<Index>(value.size()));
  if (value.is_structured())
    for (const auto& one : value) flatten(one, axes, out);
  else if (value.is_string()) out.push_back(std::ranges::find(axes, value.get<std::string>()) - axes.begin());
  else out.push_back(value.is_null() ? -1 : value.is_boolean() ? Index{value.get<bool>()} : value.get<Index>());
}

std::vector<Index> rows_of(const map::Layout& layout) {
  std::vector<Index> out;
  for (Index k = 0; k < layout.logical().volume(); ++k) {
    const Point outputs = map::outputs_at(layout, layout.logical().point(k), Point(layout.replicas().rank(), 0));
    out.insert(out.end(), outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
  }
  return out;
}

TEST(GatePlaces, AreTheDigitsOfTheMap) {
  std::size_t compared = 0, replicated = 0, swizzled = 0, from_maps = 0;
  use::PlaceForm form;
  use::Sample sample;
  std::string text;
  for (const use::Family* family : use::families()) {
    if (family->campaign == nullptr || family->campaign->places == nullptr) continue;
    for (std::uint64_t number = 0; number < 2000; ++number) {
      use::Random random(3, 1, number);
      ASSERT_TRUE(family->campaign->draw_small(random, static_cast<unsigned>(number % 4), number % 8 == 5 ? 512 : 40,
                                               400, sample));
      const auto layout = family->campaign->lower(sample);
      ASSERT_TRUE(layout.has_value()) << family->campaign->print(sample);
      family->campaign->places(sample, form, text);
      ASSERT_EQ(text, family->campaign->print(sample));
      std::vector<std::string> axes;
      for (const map::Dim& dim : layout->physical().dims()) axes.push_back(dim.name);
      ASSERT_EQ(std::vector<std::string>(form.axes.begin(), form.axes.end()), axes);
      ASSERT_EQ(form.elements, layout->logical().volume());
      ASSERT_EQ(form.replicas, layout->replicas().volume());
      std::vector<Index> numbers;
      flatten(ordered_json::parse(family->campaign->parts(sample)), axes, numbers);
      ASSERT_EQ(form.numbers, numbers);
      std::vector<Index> rows = rows_of(*layout);
      ASSERT_TRUE(use::are_places(form, rows)) << family->campaign->print(sample);
      replicated += form.replicas > 1 ? 1 : 0, swizzled += form.swizzle ? 1 : 0;
      if (!rows.empty()) {
        const std::size_t at = number % rows.size();
        ++rows[at];
        ASSERT_FALSE(use::are_places(form, rows)) << family->campaign->print(sample) << " at " << at;
        --rows[at];
      }
      // The same from the map alone, with the axes in another order.
      const std::vector<std::string> turned(axes.rbegin(), axes.rend());
      std::vector<Index> columns = rows;
      for (std::size_t k = 0; k < rows.size(); k += axes.size())
        std::ranges::reverse(std::span(columns).subspan(k, axes.size()));
      const auto read = digits_of(*layout, turned);
      from_maps += read ? 1 : 0;
      for (const bool wrong : {false, true}) {
        if (wrong && columns.empty()) continue;
        if (wrong) columns[number % columns.size()] -= 1;
        ASSERT_TRUE(!read || use::are_places(*read, columns) != wrong) << family->campaign->print(sample);
        ASSERT_NE(rows_agree(*layout, turned, columns, "base-only"), wrong) << family->campaign->print(sample);
      }
      rows.push_back(0);
      ASSERT_FALSE(use::are_places(form, rows));
      ++compared;
    }
  }
  EXPECT_GE(compared, 2000U);
  EXPECT_GE(replicated, 100U);
  EXPECT_GE(swizzled, 300U);
  EXPECT_GE(from_maps, 1000U);
}

TEST(GatePlaces, SmallSamplesHaveAUse) {
  std::size_t seen = 0;
  use::Sample sample;
  for (const use::Family* family : use::families()) {
    if (family->campaign == nullptr || family->campaign->draw_small == nullptr) continue;
    for (std::uint64_t number = 0; number < 1000; ++number, ++seen) {
      use::Random random(7, 1, number), again(7, 1, number);
      ASSERT_TRUE(family->campaign->draw_small(random, static_cast<unsigned>(number % 4), 40, 400, sample));
      use::Sample other;
      ASSERT_TRUE(family->campaign->draw_small(again, static_cast<unsigned>(number % 4), 40, 400, other));
      EXPECT_EQ(family->campaign->print(sample), family->campaign->print(other));  // whatever was in `out`
      EXPECT_EQ(sample.tensor, other.tensor);
      EXPECT_FALSE(sample.tensor.strides.has_value());
      const auto layout = family->campaign->lower(sample);
      ASSERT_TRUE(layout.has_value());
      EXPECT_LE(layout->logical().volume(), 40);
      EXPECT_LE(layout->physical().volume() * layout->replicas().volume(), use::most_places(false));
      EXPECT_TRUE(layout->is_slot(
          map::outputs_at(*layout, Point(layout->logical().rank(), 0), Point(layout->replicas().rank(), 0))));
    }
  }
  EXPECT_GE(seen, 1000U);
}

TEST(GatePlaces, SubjectsAreThoseOfTheCases) {
  const Operation& place = *find_operation("place");
  const use::Family& family = *use::family_of({}, "tirx");
  CaseLimits limits;
  for (const Index elements : {0, 32}) {
    limits.elements = elements;
    ASSERT_TRUE(PlaceSubjects::has(family, place, limits));
    const PlaceSubjects subjects(family, place, 11, limits);
    Subject subject;
    for (std::uint64_t number = 0; number < 300; ++number) {
      const auto made = make_case(family, place, 11, number, limits);
      ASSERT_TRUE(made.has_value());
      ASSERT_TRUE(subjects.draw(number, subject));
      EXPECT_EQ(oracle::text_of(subject), made->layout);
      EXPECT_EQ(subject.tensor, made->tensor);
      if (elements > 0) {
        EXPECT_LE(made->of().logical().volume(), elements);
      }
    }
  }
  limits.bits = 8;
  EXPECT_FALSE(PlaceSubjects::has(family, place, limits));
  EXPECT_FALSE(PlaceSubjects::has(family, *find_operation("place.map"), {}));
}

TEST(GateBulk, SeesWhatIsNotWrittenAndWhatIsWrittenBeside) {
  const Bulk bulk;
  if (!bulk.is_open()) GTEST_SKIP() << "this machine has no such memory";
  const BulkSlot slot{kBulkFirst + kCanary, 40};
  bulk.prepare(slot, 17);
  EXPECT_TRUE(bulk.canaries_hold(slot));
  for (std::size_t k = 0; k < slot.bytes / 8; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, bulk.at(slot.at + 8 * k), sizeof word);
    EXPECT_EQ(word, pattern_word(17, k));
    EXPECT_LT(static_cast<Index>(word), -(Index{1} << 62));
  }
  for (const std::size_t beside :
       {slot.at - kCanary, slot.at - 1, slot.at + slot.bytes, slot.at + slot.bytes + kCanary - 1}) {
    bulk.prepare(slot, 17);
    *bulk.at(beside) ^= std::byte{1};
    EXPECT_FALSE(bulk.canaries_hold(slot)) << beside;
  }
  bulk.prepare(slot, 17);
  *bulk.at(slot.at) ^= std::byte{1};
  EXPECT_TRUE(bulk.canaries_hold(slot));
}

// One in 64 of the first 2^20 numbers, and one in 256 of others; a third more or less is chance.
TEST(GatePlaces, FewerOfManyCasesAreLookedAtTwice) {
  constexpr std::uint64_t kNumbers = 65536, kLater = std::uint64_t{1} << 20;
  const auto in_64k = [](std::uint64_t from) {
    std::uint64_t out = 0;
    for (std::uint64_t k = 0; k < kNumbers; ++k) out += is_looked_at_twice(from + k) ? 1 : 0;
    return out;
  };
  EXPECT_NEAR(static_cast<double>(in_64k(kLater - kNumbers)), 1024.0, 340.0);
  EXPECT_NEAR(static_cast<double>(in_64k(kLater)), 256.0, 85.0);
}

}  // namespace oracle_gate_places_test
}  // namespace vl::gate
