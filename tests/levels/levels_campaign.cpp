// The levels: each one gives the definition's result, and names every error.
#include "oracle/levels/levels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/support/oracle_samples.h"

// A machine that has no memory of exactly this many bytes. Not inlined: g++ takes the halves for a mismatched pair.
static thread_local std::size_t the_refused_size = 0;

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return size == the_refused_size && size > 0 ? nullptr : std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace vl::oracle {
namespace levels_campaign {

using map::Affine;
using map::Layout;
using map::Row;
using map::Split;
using test::Image;

struct Tally {
  int done[3] = {0, 0, 0};  // by level
  int refused = 0, moved = 0, without_plan = 0;
  std::string why;  // one reason
};

std::size_t bytes(Index units, std::size_t unit) { return static_cast<std::size_t>(units) * unit; }

// One work at each level against the definition's own object: the same bytes, or both refuse.
void compare(const Work& work, const Image& source, const Image& fill, std::size_t size, Levels& levels, Pool* pool,
             Tally& tally) {
  Definition definition;
  Image expected(size, std::byte{0x22});
  const auto problem = work.from == nullptr ? definition.pack(*work.to, work.host, source, work.unit, fill, expected)
                       : work.to == nullptr ? definition.unpack(*work.from, source, work.unit, work.host, expected)
                                            : definition.move(*work.from, *work.to, source, work.unit, fill, expected);
  const Layout& layout = work.to != nullptr ? *work.to : *work.from;
  for (const auto only : {std::optional<Level>(), std::optional(Level::Plan), std::optional(Level::Rows),
                          std::optional(Level::Definition)}) {
    LevelOptions options;
    options.only = only;
    options.definition = LevelOptions::Check::Always;
    options.pool = pool;
    Image out(size, std::byte{0x22});
    const auto report = levels.run(work, options, source, fill, out);
    if (!report) {
      const bool lacks = report.error().message.starts_with("there is no");
      ASSERT_TRUE(problem.has_value() || lacks) << test::show(layout) << ": " << report.error().message;
      ASSERT_TRUE(!problem || lacks || report.error().message == problem->message) << report.error().message;
      tally.refused += !lacks;
      if (lacks && only == Level::Plan && !problem) tally.why = report.error().message;
      tally.without_plan += lacks && only == Level::Plan && !problem;
      continue;
    }
    ASSERT_FALSE(problem.has_value()) << test::show(layout) << ": " << name(report->level) << " did what "
                                      << problem->message;
    ASSERT_EQ(report->disagreement, "") << test::show(layout);
    ASSERT_FALSE(report->bug) << test::show(layout) << report->why;
    ASSERT_EQ(out, expected) << test::show(layout) << name(report->level);
    ++tally.done[static_cast<int>(report->level)];
  }
}

TEST(Levels, DoWhatTheDefinitionDoes) {
  test::Samples samples(21);
  Levels levels;
  Pool pool(3);
  Tally tally;
  std::optional<Layout> before;
  for (int n = 0; n < 3000; ++n) {
    const auto layout = samples.next();
    if (!layout) continue;
    constexpr std::size_t kUnits[] = {1, 2, 4, 8, 16};
    const std::size_t unit = kUnits[n % 5];
    const Host where = host_units(*layout, Host::View).has_value() && n % 2 == 0 ? Host::View : Host::Dense;
    const Image host = test::random_bytes(samples.engine(), bytes(*host_units(*layout, where), unit));
    const Image fill = test::random_bytes(samples.engine(), unit);
    Image device(bytes(layout->physical().volume(), unit));
    compare({nullptr, &*layout, nullptr, where, unit}, host, fill, device.size(), levels, &pool, tally);
    if (HasFatalFailure()) return;
    Definition().pack(*layout, where, host, unit, fill, device);
    if (!device.empty() && n % 3 == 0) {
      const Index at = test::roll(samples.engine(), 0, static_cast<Index>(device.size()) - 1);
      device[static_cast<std::size_t>(at)] ^= std::byte{1};
    }
    compare({&*layout, nullptr, nullptr, where, unit}, device, {}, host.size(), levels, &pool, tally);
    if (HasFatalFailure()) return;
    if (before && !check_same_tensor(*layout, *before)) {
      const std::size_t size = bytes(before->physical().volume(), unit);
      compare({&*layout, &*before, nullptr, Host::Dense, unit}, device, fill, size, levels, &pool, tally);
      if (HasFatalFailure()) return;
      ++tally.moved;
    } else {
      before = *layout;
    }
  }
  fmt::print("{} by plans, {} by rows, {} by the definition; {} refused, {} moves, {} without a plan ({})\n",
             tally.done[0], tally.done[1], tally.done[2], tally.refused, tally.moved, tally.without_plan, tally.why);
  EXPECT_GT(tally.done[0], 100);
  EXPECT_GT(tally.done[1], 100);
  EXPECT_GT(tally.done[2], 100);
  EXPECT_GT(tally.refused, 100);
  EXPECT_GT(tally.moved, 20);
}

Layout sticks(const std::vector<Index>& logical, Row host = {}) {
  map::LayoutParts parts;
  const Index a = logical[0], b = logical[1], c = logical[2];
  parts.logical = *map::Space::create(map::Space::dims("x", logical));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{b, ceil_div(c, 64), a, 64}));
  parts.map = {Split{2, {64, 1}}, Affine{{map::pick(1), map::pick(2), map::pick(0), map::pick(3)}}};
  parts.host_offset = std::move(host);
  return *Layout::create(std::move(parts));
}

TEST(Levels, TinyTensorsGoToTheDefinitionAndLargeOnesToAPlan) {
  Levels levels;
  for (const Index n : {1, 63, 64, 100}) {
    const Layout layout = sticks({1, 1, n});
    Image device(bytes(layout.physical().volume(), 2));
    const Image host(bytes(n, 2));
    const auto report = levels.run({nullptr, &layout, nullptr, Host::Dense, 2}, {}, host, Image(2), device);
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->level, n < 64 ? Level::Definition : Level::Plan) << n << ": " << report->why;
  }
}

TEST(Levels, TheDefinitionIsRunBesideEvery64thTensor) {
  Levels levels;
  const Layout layout = sticks({2, 3, 100});
  const Image host(bytes(600, 2));
  Image device(bytes(layout.physical().volume(), 2));
  int compared = 0;
  for (int n = 0; n < 256; ++n) compared += levels.run({nullptr, &layout}, {}, host, Image(2), device)->compared;
  EXPECT_EQ(compared, 4);
}

// The definition marks each unit that is written, in as many bytes; the plan needs no memory.
TEST(Levels, ADefinitionWithoutMemoryIsAnErrorAndNoDisagreement) {
  const Layout layout = sticks({1, 1000, 128});
  const Image host(bytes(128000, 2));
  Image device(bytes(layout.physical().volume(), 2));
  const Work work{nullptr, &layout, nullptr, Host::Dense, 2};
  LevelOptions options;
  options.definition = LevelOptions::Check::Always;
  ASSERT_EQ(layout.physical().volume(), 128000);
  Levels levels;
  the_refused_size = 128000;
  const auto report = levels.run(work, options, host, Image(2), device);
  the_refused_size = 0;
  ASSERT_FALSE(report.has_value()) << report->disagreement;
  EXPECT_EQ(report.error().message, "there is no memory for 128000 units of 1 bytes");
  const auto again = levels.run(work, options, host, Image(2), device);
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->compared);
  EXPECT_EQ(again->disagreement, "");
}

TEST(Levels, CopiesOfAnExpandedElementHaveToAgree) {
  const Layout layout = sticks({4, 5, 70}, Row{3, {{0, 70}, {2, 1}}});  // x1 is expanded
  const Work work{&layout, nullptr, nullptr, Host::View, 2};
  Levels levels;
  Image host(bytes(3 + 280, 2));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i * 7);
  Image device(bytes(layout.physical().volume(), 2));
  ASSERT_TRUE(levels.run({nullptr, &layout, nullptr, Host::View, 2}, {}, host, Image(2), device).has_value());
  Image back(host);
  std::fill(back.begin() + 6, back.end(), std::byte{0});
  const auto report = levels.run(work, {}, device, {}, back);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->level, Level::Plan) << report->why;
  EXPECT_EQ(back, host);
  device[bytes(((2 * 2 + 0) * 4 + 1) * 64 + 9, 2)] ^= std::byte{1};  // element [1, 2, 9]
  const auto differs = levels.run(work, {}, device, {}, back);
  ASSERT_FALSE(differs.has_value());
  EXPECT_EQ(differs.error().message, "element [1, 2, 9] is not the same as another one that has its host offset 82");
}

TEST(Levels, NestsFillWhatTheyDoNotWriteOrLeaveIt) {
  const Layout layout = sticks({1, 2, 60});
  const use::Transfer nests{use::Direction::HostToDevice, {{{2, 60}, {{60, 1}, 0}, {{64, 1}, 0}}}};
  Levels levels;
  Image host(120);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i + 1);
  for (const bool fills : {false, true})
    for (const auto check : {LevelOptions::Check::Never, LevelOptions::Check::Always}) {
      LevelOptions options;
      options.definition = check;
      Image device(128, std::byte{0xaa});
      const Image fill = fills ? Image(1, std::byte{0xbb}) : Image();
      const auto report = levels.run({nullptr, &layout, &nests, Host::Dense, 1, fills}, options, host, fill, device);
      ASSERT_TRUE(report.has_value()) << report.error().message;
      EXPECT_EQ(report->disagreement, "");
      for (std::size_t i = 0; i < 128; ++i)
        ASSERT_EQ(device[i], i % 64 < 60 ? host[i / 64 * 60 + i % 64] : std::byte(fills ? 0xbb : 0xaa)) << i;
    }
}

// From the device, too: a host's memory has no padding, but nests may leave units of it out.
TEST(Levels, NestsFillUnitsOfTheHostThatTheyDoNotWriteOrLeaveThem) {
  const Layout layout = sticks({1, 2, 100});
  const use::Transfer nests{use::Direction::DeviceToHost, {{{2, 60}, {{64, 1}, 0}, {{100, 1}, 0}}}};
  Image device(bytes(layout.physical().volume(), 1));
  for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<std::byte>(i % 250);
  const Image fill{std::byte{0xfe}};
  for (const bool fills : {true, false}) {
    Image host(200, std::byte{0xee});
    LevelOptions options;
    options.only = Level::Plan;
    Levels levels;
    const auto report = levels.run({&layout, nullptr, &nests, Host::Dense, 1, fills}, options, device, fill, host);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (std::size_t x = 0; x < host.size(); ++x) {
      const std::size_t row = x / 100, column = x % 100;
      const std::byte left = fills ? std::byte{0xfe} : std::byte{0xee};
      EXPECT_EQ(host[x], column < 60 ? device[row * 64 + column] : left) << x;
    }
  }
}

TEST(Levels, RefuseMemoriesOfAnotherLength) {
  const Layout layout = sticks({1, 2, 60});
  Levels levels;
  Image device(256);
  const auto message = [&](std::size_t host, std::size_t fill, std::size_t size) {
    return levels.run({nullptr, &layout}, {}, Image(host), Image(fill), std::span(device).first(size)).error().message;
  };
  EXPECT_EQ(message(239, 2, 256), "the host tensor has 239 bytes; expected 240: 120 units of 2");
  EXPECT_EQ(message(240, 1, 256), "the fill has 1 bytes; expected 2");
  EXPECT_EQ(message(240, 2, 254), "the device image has 254 bytes; expected 256: 128 units of 2");
}

TEST(Levels, AnElementWithoutReplicasIsRefused) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{100}));
  parts.replicas = *map::Space::create(map::Space::dims("r", std::vector<Index>{0}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{100}));
  parts.map = {Affine{{map::pick(0)}}};
  const Layout none = *Layout::create(std::move(parts));
  Levels levels;
  Image memory(100);
  EXPECT_EQ(levels.run({nullptr, &none, nullptr, Host::Dense, 1}, {}, Image(100), Image(1), memory).error().message,
            "element [0] has no slot: the layout has no replica of it");
  EXPECT_FALSE(levels.run({&none, nullptr, nullptr, Host::Dense, 1}, {}, Image(100), {}, memory).has_value());
}

}  // namespace levels_campaign
}  // namespace vl::oracle
