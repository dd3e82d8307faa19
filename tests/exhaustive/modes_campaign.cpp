// The closed forms on every strided layout of rank 0 to 4 with extents 1 to 4 and strides 0 to 13, 56^0 + … + 56^4 =
// 10,013,305 lists of modes: is it injective, and which arithmetic progression does it fill? All orders of the modes
// are tried, because the order decides which facts are tried first. The truth is the set of all offsets, one bit per
// offset, made by shifting.
#include "verifier/engines/forms/modes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bitset>

#include "tests/support/shard.h"

namespace vl::engines {
namespace exhaustive_modes_campaign {

constexpr std::size_t kMostRank = 4;
constexpr Index kMostExtent = 4;
constexpr Index kMostStride = 13;
constexpr std::size_t kMostOffset = kMostRank * (kMostExtent - 1) * kMostStride;  // 156

// A list of modes and all its offsets. Negative strides are left to tests/engines/modes_campaign: the facts take their
// sizes.
struct List {
  std::array<Mode, kMostRank> modes{};
  std::size_t rank = 0;
  std::bitset<kMostOffset + 1> offsets{1};
  Index points = 1;
  Index last = 0;  // the largest offset

  [[nodiscard]] List with(Mode mode) const {
    List out = *this;
    out.modes[out.rank++] = mode;
    for (Index x = 1; x < mode.extent; ++x) out.offsets |= offsets << static_cast<std::size_t>(x * mode.stride);
    out.points *= mode.extent;
    out.last += (mode.extent - 1) * mode.stride;
    return out;
  }
  [[nodiscard]] std::span<const Mode> all() const { return {modes.data(), rank}; }
  [[nodiscard]] Index distinct() const { return static_cast<Index>(offsets.count()); }

  /// The offsets as a progression, if they are one.
  [[nodiscard]] std::optional<Filling> filling() const {
    Index step = 1;
    while (last > 0 && !offsets[static_cast<std::size_t>(step)]) ++step;
    const Index count = distinct();
    if (last != step * (count - 1)) return std::nullopt;
    for (Index offset = 0; offset < last; offset += step)
      if (!offsets[static_cast<std::size_t>(offset)]) return std::nullopt;
    return Filling{0, step, count};
  }

  [[nodiscard]] std::string show() const {
    std::string out;
    for (const Mode& mode : all()) out += fmt::format("{}:{} ", mode.extent, mode.stride);
    return out;
  }
};

struct Tally {
  Index lists = 0;
  Index injective = 0;
  Index colliding = 0;
  Index undetermined = 0;
  Index progressions = 0;
  Index others = 0;  // that are none
  Index wrong = 0;
};

bool is_collision(const List& list, const std::vector<Index>& delta) {
  if (delta.size() != list.rank) return false;
  Index sum = 0;
  bool some = false;
  for (std::size_t i = 0; i < delta.size(); ++i) {
    if (std::abs(delta[i]) >= list.modes[i].extent) return false;
    sum += delta[i] * list.modes[i].stride;
    some = some || delta[i] != 0;
  }
  return some && sum == 0;
}

void hold(const List& list, Tally& tally) {
  ++tally.lists;
  const auto expect = [&](bool right, const char* what) {
    if (!right && ++tally.wrong <= 5) ADD_FAILURE() << what << ": " << list.show();
  };
  const Injectivity answer = injectivity(list.all());
  if (std::holds_alternative<Injective>(answer)) {
    ++tally.injective;
    expect(list.distinct() == list.points, "said to be injective");
  } else if (const auto* colliding = std::get_if<Colliding>(&answer)) {
    ++tally.colliding;
    expect(is_collision(list, colliding->delta), "no such collision");
  } else {
    ++tally.undetermined;
  }
  const std::optional<Filling> expected = list.filling();
  const std::optional<Filling> filled = progression(0, list.all());
  ++(filled ? tally.progressions : tally.others);
  expect(filled.has_value() == expected.has_value(), "an arithmetic progression or not");
  if (filled && expected)
    expect(
        filled->base == 0 && filled->count == expected->count && (filled->count == 1 || filled->step == expected->step),
        "another progression");
}

void each_list(const List& prefix, std::size_t rank, std::uint64_t& number, const test::Shard& shard, Tally& tally) {
  if (prefix.rank == rank) {
    if (shard.has(number++)) hold(prefix, tally);
    return;
  }
  for (Index extent = 1; extent <= kMostExtent; ++extent)
    for (Index stride = 0; stride <= kMostStride; ++stride)
      each_list(prefix.with({extent, stride}), rank, number, shard, tally);
}

TEST(ExhaustiveModes, EveryListOfModesIsJudgedAsItsSetOfOffsetsSays) {
  const test::Shard shard = test::shard_of(1);
  Tally tally;
  std::uint64_t number = 0;
  for (std::size_t rank = 0; rank <= kMostRank; ++rank) each_list({}, rank, number, shard, tally);
  EXPECT_GE(number, 10'013'305U);
  const Index decided = tally.injective + tally.colliding + tally.progressions + tally.others;
  fmt::print(
      "{} lists of shard {}/{}: {} injective, {} colliding, {} undetermined; {} progressions, {} none; {} decided\n",
      tally.lists, shard.index, shard.count, tally.injective, tally.colliding, tally.undetermined, tally.progressions,
      tally.others, decided);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_EQ(decided + tally.undetermined, 2 * tally.lists);
  if (shard.count > 1000) return;  // too few for shares
  EXPECT_GT(tally.lists, 9'000'000 / static_cast<Index>(shard.count));
  EXPECT_GT(tally.injective, tally.lists / 10);
  EXPECT_GT(tally.colliding, tally.lists / 4);
  EXPECT_GT(tally.progressions, tally.lists / 20);
  EXPECT_LT(tally.undetermined, tally.lists / 4);
  if (shard.count == 1) {
    EXPECT_GE(decided, 17'000'000);
  }
}

}  // namespace exhaustive_modes_campaign
}  // namespace vl::engines
