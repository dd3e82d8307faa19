// The definition, which works in blocks of columns, against the second meaning of maps, point by point.
#include "oracle/reference/definition.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/oracle_samples.h"

namespace vl::oracle {
namespace oracle_definition_campaign {

using map::Affine;
using map::Layout;
using map::Row;
using map::Split;
using test::Image;

constexpr std::size_t kUnits[] = {1, 2, 4, 8, 16};

Layout layout_of(const std::vector<Index>& logical, const std::vector<Index>& physical,
                 std::vector<map::Stage> stages) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", logical));
  parts.physical = *map::Space::create(map::Space::dims("d", physical));
  parts.map = std::move(stages);
  return *Layout::create(std::move(parts));
}

struct Tally {
  int packed = 0, refused = 0, unpacked = 0, differing = 0, views = 0, empty = 0;
};

void compare(const Layout& layout, Host where, std::size_t unit, test::Engine& engine, Definition& definition,
             Tally& tally) {
  const auto units = host_units(layout, where);
  const auto places = test::places(layout, where == Host::View);
  const Image host = test::random_bytes(engine, static_cast<std::size_t>(*units) * unit);
  const Image fill = test::random_bytes(engine, unit);
  Image expected(static_cast<std::size_t>(layout.physical().volume()) * unit);
  const std::string error = layout.replicas().volume() == 0 && layout.logical().volume() > 0
                                ? "has no slot"
                                : test::pack(places, host, unit, fill, expected);
  Image device(expected.size(), std::byte{0x55});
  const auto problem = definition.pack(layout, where, host, unit, fill, device);
  ASSERT_EQ(problem.has_value(), !error.empty()) << test::show(layout) << ": " << (problem ? problem->message : "");
  if (problem) ASSERT_NE(problem->message.find(error), std::string::npos) << problem->message;
  else ASSERT_EQ(device, expected) << test::show(layout);
  ++(problem ? tally.refused : tally.packed);
  tally.empty += layout.logical().volume() == 0;
  if (error == "has no slot" && layout.replicas().volume() == 0) return;

  const bool any_device = problem || test::roll(engine, 0, 2) == 0;  // replicas may differ
  if (any_device) device = test::random_bytes(engine, device.size(), 2);
  Image wanted(host.size(), std::byte{0x11});
  Image back(host.size(), std::byte{0x11});
  const std::string wrong = test::unpack(places, device, unit, wanted);
  const auto why = definition.unpack(layout, device, unit, where, back);
  ASSERT_EQ(why.has_value(), !wrong.empty()) << test::show(layout) << ": " << (why ? why->message : "");
  if (why) ASSERT_NE(why->message.find(wrong), std::string::npos) << why->message;
  else ASSERT_EQ(back, wanted) << test::show(layout);
  tally.unpacked += wrong.empty();
  tally.differing += wrong.starts_with("differs") || wrong.starts_with("is not the same");
  tally.views += where == Host::View && wrong.empty();
}

TEST(Definition, AgreesPointByPointWithTheSecondMeaning) {
  test::Samples samples(7);
  Definition definition;  // one object for all: nothing of a case may be left for the next
  Walks walks;            // the layouts lie at one place, one after the other
  Definition keeping(walks);
  Tally tally, kept;
  for (int n = 0; n < 4000; ++n) {
    const auto layout = samples.next();
    if (!layout) continue;
    const Host where = host_units(*layout, Host::View).has_value() && n % 3 != 0 ? Host::View : Host::Dense;
    compare(*layout, where, kUnits[n % 5], samples.engine(), definition, tally);
    walks.forget();
    for (int again = 0; again < 2; ++again) compare(*layout, where, kUnits[n % 5], samples.engine(), keeping, kept);
    if (HasFatalFailure()) return;
  }
  fmt::print("{} packed, {} refused, {} unpacked ({} views), {} differ, {} empty\n", tally.packed, tally.refused,
             tally.unpacked, tally.views, tally.differing, tally.empty);
  EXPECT_GT(tally.packed, 200);
  EXPECT_GT(tally.refused, 100);
  EXPECT_GT(tally.unpacked, 200);
  EXPECT_GT(tally.views, 100);
  EXPECT_GT(tally.differing, 40);
  EXPECT_EQ(kept.packed, 2 * tally.packed);
  EXPECT_EQ(kept.refused, 2 * tally.refused);
  EXPECT_GT(kept.views, 200);
  EXPECT_GT(kept.differing, 80);
}

TEST(Definition, BlocksOfEveryLengthEndWhereTheTensorEnds) {
  Definition definition;
  Walks walks;
  Definition keeping(walks);
  Tally tally;
  test::Engine engine(3);
  for (const Index n : {1, 2, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 1024, 1025, 2050})
    for (const Index inner : {1, 3, 128, 130}) {
      const Layout layout = layout_of({n, inner}, {inner, n + 1}, {Affine{{map::pick(1), map::pick(0)}}});
      compare(layout, Host::Dense, 2, engine, definition, tally);
      walks.forget();
      compare(layout, Host::Dense, 2, engine, keeping, tally);
      if (HasFatalFailure()) return;
    }
  EXPECT_EQ(tally.packed, 144);
}

// Slots of a digit next to a multiple of its weight, for weights and values of every size up to the limits of floats
// and of doubles, and beyond.
TEST(SlotBlocks, DivideExactlyUpToTheirLimits) {
  test::Engine engine(11);
  std::map<SlotBlocks::How, int> divided;
  for (int n = 0; n < 40000; ++n) {
    const int bits = n % 2 == 0 ? 20 : n % 16 == 1 ? 61 : 49;
    const Index weight = test::roll(engine, 2, 9) * (Index{1} << test::roll(engine, 0, bits == 20 ? 15 : 44)) +
                         test::roll(engine, -1, 1);
    const Index most = (Index{1} << bits) / weight - 3;
    if (weight < 5 || most < 1) continue;
    const Index times = n % 3 == 0 ? most : static_cast<Index>(engine()) % most;
    const Index start = (n / 2 % 2 == 0 ? times : -times) * weight - 2;
    // [-2, 2] around a multiple: digits (-1, w-2), (-1, w-1), (0, 0), (0, 1), (0, 2), counted from one before it.
    const Index before = floor_div(start, weight) - 1;
    const Layout layout = layout_of(
        {5}, {3, weight},
        {Affine{{Row{start, {{0, 1}}}}}, Split{0, {weight, 1}}, Affine{{Row{-before, {{0, 1}}}, map::pick(1)}}});
    SlotBlocks blocks;
    blocks.open(layout, Host::Dense);
    ASSERT_TRUE(blocks.next());
    ASSERT_EQ(blocks.good(), 5U);
    for (std::size_t x = 0; x < 5; ++x)
      ASSERT_EQ(blocks.slots()[x], 2 * weight - 2 + static_cast<Index>(x)) << start << " " << weight;
    ++divided[blocks.how()];
  }
  EXPECT_GT(divided[SlotBlocks::How::Floats], 10000);
  EXPECT_GT(divided[SlotBlocks::How::Doubles], 10000);
  EXPECT_GT(divided[SlotBlocks::How::Points], 500);
}

// All points before the first one without a slot, and how many there are.
struct Walked {
  std::vector<Index> slots, hosts;
  SlotBlocks::How how = SlotBlocks::How::Points;
};

Walked walk(SlotBlocks& blocks, const Layout& layout, Host where, SlotBlocks::How from) {
  Walked out;
  blocks.open(layout, where, from);
  out.how = blocks.how();
  while (blocks.next()) {
    for (std::size_t i = 0; i < blocks.good(); ++i) {
      out.slots.push_back(blocks.slots()[i]);
      out.hosts.push_back(blocks.in_order() ? blocks.first() + static_cast<Index>(i) : blocks.hosts()[i]);
    }
    if (blocks.good() < blocks.count()) break;
  }
  return out;
}

TEST(SlotBlocks, FloatsDoublesAndPointsGiveTheSame) {
  using How = SlotBlocks::How;
  test::Samples samples(5);
  SlotBlocks blocks;  // one for all: nothing of a layout may be left for the next
  std::map<How, Index> compared;
  for (int n = 0; n < 2000; ++n) {
    const auto layout = samples.next();
    if (!layout) continue;
    const Host where = host_units(*layout, Host::View).has_value() ? Host::View : Host::Dense;
    const Walked points = walk(blocks, *layout, where, How::Points);
    for (const How from : {How::Floats, How::Doubles}) {
      const Walked columns = walk(blocks, *layout, where, from);
      ASSERT_EQ(columns.slots, points.slots) << test::show(*layout);
      ASSERT_EQ(columns.hosts, points.hosts) << test::show(*layout);
      compared[columns.how] += static_cast<Index>(columns.slots.size());
    }
  }
  EXPECT_GT(compared[How::Floats], 15000);
  EXPECT_GT(compared[How::Doubles], 15000);
}

// Floats end where the largest number does: the box, the volume, an offset in between, the host, a swizzle's fields.
TEST(SlotBlocks, FloatsHoldNumbersUpToTheirLimitOnly) {
  using How = SlotBlocks::How;
  constexpr Index kMost = Index{1} << 20;
  const auto how = [](const Layout& layout, Host where = Host::Dense) {
    SlotBlocks blocks;
    blocks.open(layout, where);
    return blocks.how();
  };
  const auto in_box = [](Index volume) { return layout_of({3}, {volume}, {Affine{{map::pick(0)}}}); };
  EXPECT_EQ(how(in_box(kMost)), How::Floats);
  EXPECT_EQ(how(in_box(kMost + 1)), How::Doubles);
  const auto off = [](Index constant) {
    return layout_of({3}, {8}, {Affine{{Row{constant, {{0, 1}}}}}, Affine{{Row{-constant, {{0, 1}}}}}});
  };
  // The second stage adds -c and at most c + 2.
  EXPECT_EQ(how(off(kMost / 2 - 1)), How::Floats);
  EXPECT_EQ(how(off(kMost / 2)), How::Doubles);
  EXPECT_EQ(how(off(-kMost)), How::Doubles);
  EXPECT_EQ(how(off(Index{1} << 50)), How::Points);
  const auto view = [](Index stride) {
    map::LayoutParts parts;
    parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{3}));
    parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{3}));
    parts.map = {Affine{{map::pick(0)}}};
    parts.host_offset = Row{0, {{0, stride}}};
    return *Layout::create(std::move(parts));
  };
  EXPECT_EQ(how(view(kMost / 2), Host::View), How::Floats);
  EXPECT_EQ(how(view(kMost / 2 + 1), Host::View), How::Doubles);
  EXPECT_EQ(how(view(kMost / 2 + 1)), How::Floats);
  const auto swizzled = [](int shift) {
    map::Swizzle swizzle;
    swizzle.base = 1;
    swizzle.bits = 2;
    swizzle.shift = shift;
    return layout_of({8}, {8}, {swizzle});
  };
  EXPECT_EQ(how(swizzled(20)), How::Floats);
  EXPECT_EQ(how(swizzled(21)), How::Doubles);
  EXPECT_EQ(how(swizzled(50)), How::Points);
}

TEST(Definition, NamesElementsOfOneHostOffsetThatDiffer) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{2, 3}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{6}));
  parts.map = {Affine{{Row{0, {{0, 3}, {1, 1}}}}}};
  parts.host_offset = Row{4, {{1, 1}}};  // x0 is expanded
  const Layout expanded = *Layout::create(std::move(parts));
  Definition definition;
  Image host(7, std::byte{9});
  const Image same = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{1}, std::byte{2}, std::byte{3}};
  EXPECT_FALSE(definition.unpack(expanded, same, 1, Host::View, host).has_value());
  Image wanted(4, std::byte{9});
  wanted.insert(wanted.end(), same.begin(), same.begin() + 3);
  EXPECT_EQ(host, wanted);
  Image other = same;
  other[4] = std::byte{7};
  const auto differs = definition.unpack(expanded, other, 1, Host::View, host);
  ASSERT_TRUE(differs.has_value());
  EXPECT_EQ(differs->message, "element [1, 1] is not the same as another one that has its host offset 5");
}

TEST(Definition, RefusesAHostOffsetBelowZero) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{3}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{3}));
  parts.map = {Affine{{map::pick(0)}}};
  parts.host_offset = Row{1, {{0, -1}}};
  const Layout layout = *Layout::create(std::move(parts));
  Image device(3);
  EXPECT_EQ(Definition().pack(layout, Host::View, Image(3), 1, Image(1), device)->message,
            "an element has the host offset -1; expected offsets from 0");
}

}  // namespace oracle_definition_campaign
}  // namespace vl::oracle
