// The row version against the definition: on random layouts of every kind, and on all of some small families.
#include "oracle/reference/rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracle/reference/definition.h"
#include "tests/support/oracle_samples.h"

namespace vl::oracle {
namespace oracle_rows_campaign {

using map::Affine;
using map::Layout;
using map::Row;
using map::Split;
using test::Image;

struct Tally {
  Index packed = 0, refused = 0, unpacked = 0, differing = 0, segments = 0, elements = 0, shared = 0;
};

struct Levels {
  Definition definition;
  Rows rows;
};

// Rows exist where the definition can pack, and do as it does, there and back, also with replicas that differ.
void compare(const Layout& layout, Host where, std::size_t unit, test::Engine& engine, Levels& levels, Tally& tally) {
  const auto units = host_units(layout, where);
  const Image host = test::random_bytes(engine, static_cast<std::size_t>(*units) * unit);
  const Image fill = test::random_bytes(engine, unit);
  Image expected(static_cast<std::size_t>(layout.physical().volume()) * unit, std::byte{0x33});
  const auto problem = levels.definition.pack(layout, where, host, unit, fill, expected);
  ASSERT_EQ(levels.rows.compile(layout, where), !problem.has_value()) << test::show(layout);
  if (problem) {
    ++tally.refused;
    return;
  }
  Image device(expected.size(), std::byte{0x55});
  levels.rows.pack(host, unit, fill, device);
  ASSERT_EQ(device, expected) << test::show(layout);
  ++tally.packed;
  tally.segments += static_cast<Index>(levels.rows.segments().size());
  tally.elements += layout.domain().volume();
  if (!levels.rows.unpacks()) {
    ++tally.shared;
    return;
  }
  if (!device.empty() && test::roll(engine, 0, 2) == 0)
    device[static_cast<std::size_t>(test::roll(engine, 0, static_cast<Index>(device.size()) - 1))] ^= std::byte{1};
  Image wanted(host.size(), std::byte{0x11});
  Image back(host.size(), std::byte{0x11});
  const auto differs = levels.definition.unpack(layout, device, unit, where, wanted);
  ASSERT_EQ(levels.rows.unpack(device, unit, back), !differs.has_value()) << test::show(layout);
  ASSERT_TRUE(differs || back == wanted) << test::show(layout);
  ++(differs ? tally.differing : tally.unpacked);
}

TEST(Rows, DoAsTheDefinitionDoesOnRandomLayouts) {
  test::Samples samples(1);
  Levels levels;
  Tally tally;
  for (int n = 0; n < 16000; ++n) {
    const auto layout = samples.next();
    if (!layout) continue;
    const Host where = host_units(*layout, Host::View).has_value() && n % 2 == 0 ? Host::View : Host::Dense;
    constexpr std::size_t kUnits[] = {1, 2, 4, 8, 16};
    compare(*layout, where, kUnits[n % 5], samples.engine(), levels, tally);
    if (HasFatalFailure()) return;
  }
  fmt::print("{} packed, {} refused, {} unpacked, {} differ, {} share host units; {} segments of {} elements\n",
             tally.packed, tally.refused, tally.unpacked, tally.differing, tally.shared, tally.segments,
             tally.elements);
  EXPECT_GT(tally.packed, 1000);
  EXPECT_GT(tally.refused, 500);
  EXPECT_GT(tally.unpacked, 800);
  EXPECT_GT(tally.differing, 20);
  EXPECT_LT(tally.segments * 2, tally.elements);
}

// All f(x) = split(c + s·x; w, 1) of small numbers: digits that carry, run backwards and stand still.
TEST(Rows, CutEverySmallSplitWhereItCarries) {
  Levels levels;
  Tally tally;
  test::Engine engine(2);
  for (Index n = 1; n <= 7; ++n)
    for (Index start = 0; start <= 9; ++start)
      for (Index step = -3; step <= 7; ++step)
        for (Index weight = 1; weight <= 5; ++weight) {
          if (start + step * (n - 1) < 0) continue;
          map::LayoutParts parts;
          parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{n}));
          parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{weight, 60}));
          Row row{start, {}};
          if (step != 0) row.terms.push_back({0, step});
          parts.map = {Affine{{row}}, Split{0, {weight, 1}}, Affine{{map::pick(1), map::pick(0)}}};
          parts.host_offset = Row{0, {{0, 2}}};
          compare(*Layout::create(std::move(parts)), n % 2 == 0 ? Host::View : Host::Dense, 1, engine, levels, tally);
          if (HasFatalFailure()) return;
        }
  EXPECT_EQ(tally.refused, 6 * 10 * 5);  // step 0 and n > 1: all elements in one slot
  EXPECT_GT(tally.packed, 2000);
}

TEST(Rows, CutEverySmallSwizzleWhereItsFieldsChange) {
  Levels levels;
  Tally tally;
  test::Engine engine(4);
  for (int base = 0; base <= 2; ++base)
    for (int bits = 0; bits <= 3; ++bits)
      for (int shift = 1; shift <= 3; ++shift)
        for (const auto direction : {map::Swizzle::Direction::Down, map::Swizzle::Direction::Up})
          for (const Index step : {-16, -5, -1, 1, 2, 3, 8, 64, 256}) {
            const Index start = step < 0 ? -step * 15 : 3;
            const Layout layout = [&] {
              map::LayoutParts parts;
              parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{16}));
              parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{8192}));
              parts.map = {Affine{{Row{start, {{0, step}}}}}, map::Swizzle{0, base, bits, shift, direction}};
              return *Layout::create(std::move(parts));
            }();
            compare(layout, Host::Dense, 2, engine, levels, tally);
            if (HasFatalFailure()) return;
          }
  EXPECT_EQ(tally.packed, 3 * 4 * 3 * 2 * 9);
}

TEST(Rows, ARowOfASticksTensorIsCutAtItsSticks) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{150}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{2, 3, 64}));
  parts.map = {Split{0, {64, 1}}, Affine{{Row{1, {}}, map::pick(0), map::pick(1)}}};
  Rows rows;
  ASSERT_TRUE(rows.compile(*Layout::create(std::move(parts)), Host::Dense));
  ASSERT_EQ(rows.segments().size(), 1U);  // the three follow each other
  EXPECT_EQ(rows.segments()[0], (Segment{0, 192, 150, 1, false}));
}

}  // namespace oracle_rows_campaign
}  // namespace vl::oracle
