// Single faults in 200 real transfers: every one that changes the moves must be refuted, with a counterexample that
// execution confirms, and every other one proved. Small transfers are run move by move, and their counterexample must
// be the smallest. The truth about the others follows from the corners of their nests (corners.h); on small transfers
// both methods are compared.
//
// The numbers of faults and of equivalent ones are those of a separate model with two rules: for each nest of rank r a
// transfer has 2r + 2(2r + 2) faults, and one for each pair of different strides of a walk; and a fault changes nothing
// iff it is in the strides of loops that run once.
#include <gtest/gtest.h>

#include <string>

#include "tests/peer/corners.h"
#include "tests/peer/faults.h"
#include "tests/peer/real_layouts.h"
#include "tests/peer/verdicts.h"

namespace vl::test::s2 {
namespace peer_transfer_mutation_campaign {

constexpr Index kRunsMoveByMove = 1300;  // elements
constexpr std::string_view kJudged[] = {"in-bounds", "covers-once", "implements"};

bool holds(const Truth& truth, std::string_view claim) {
  if (claim == "in-bounds") return truth.in_bounds;
  return claim == "covers-once" ? truth.covers_once : truth.implements;
}

Truth truth_of(const Finding& finding) { return {!finding.leaves, !finding.unserved, finding.implements()}; }

/// Whether the counterexample of a large transfer shows what it claims, by the layout's rule and by counting writers.
bool confirmed(std::string_view claim, const Pairing& pairing, const use::Transfer& transfer, const Fields& fields) {
  const bool to_device = transfer.direction == use::Direction::HostToDevice;
  if (fields.front().first == "nest") {
    Point move = std::get<Point>(fields[1].second);
    move.insert(move.begin(), std::get<Index>(fields[0].second));
    Fields expected;
    add_move(expected, transfer, move);
    if (fields != expected) return false;
    Move at{std::get<Index>(fields[2].second), std::get<Index>(fields[3].second)};
    if (!to_device) std::swap(at.host, at.device);
    if (claim == "in-bounds") return !pairing.in_host(at.host) || !pairing.in_device(at.device);
    return !pairing.is_right(at);
  }
  const Index place = std::get<Index>(fields[1].second);
  const auto other = to_device ? pairing.host_of(place) : pairing.slot_of(place);
  const Index times = std::get<Index>(fields[2].second);
  return other && times != 1 && times == writers(transfer, place);
}

struct Counts {
  Index transfers = 0;
  Index faults = 0;
  Index killed = 0;      // implements is refuted, and execution agrees
  Index equivalent = 0;  // implements is proved, and execution agrees
  Index verdicts = 0;    // of all claims, each in agreement
  Index by_running = 0;  // faults that were also run move by move

  bool operator==(const Counts&) const = default;
};

/// One real transfer without and with each fault.
class Mutation {
 public:
  Mutation(const Copy& copy, Counts& counts)
      : layout_(layout_of(copy)), pairing_(copy), small_(product(copy.size) <= kRunsMoveByMove), counts_(counts) {
    right_ = std::get<use::Transfer>(generate(copy));
    if (small_) judge_.emplace(copy);
  }

  void run() {
    ++counts_.transfers;
    expect_right();
    for_each_fault(right_, [&](std::size_t nest, const std::string& what, const use::Transfer& faulty) {
      SCOPED_TRACE(what);
      plant(nest, faulty);
    });
  }

 private:
  void expect_right() {
    for (const std::string_view claim : kJudged) EXPECT_EQ(question::word(ask(claim, layout_, right_)), "proved");
    Index moves = 0;
    for (const use::Nest& nest : right_.nests) {
      moves += product(nest.extents);
      for (const Move& move : corners_of(nest, right_.direction)) EXPECT_TRUE(pairing_.is_right(move));
    }
    EXPECT_EQ(moves, layout_.logical().volume());
  }

  void plant(std::size_t nest, const use::Transfer& faulty) {
    ++counts_.faults;
    const Truth truth = Corners(pairing_, right_).truth(faulty, nest);
    std::optional<Finding> finding;
    if (small_) {
      ++counts_.by_running;
      finding = judge_->look(faulty);
      EXPECT_EQ(truth, truth_of(*finding));
    }
    for (const std::string_view claim : kJudged) {
      const claims::Verdict verdict = ask(claim, layout_, faulty);
      const bool idle = std::ranges::all_of(faulty.nests, [](const use::Nest& n) { return product(n.extents) == 0; });
      const bool agrees = claim == "in-bounds" && idle ? question::word(verdict) == "vacuous"
                          : finding ? difference(verdict, expected_fields(claim, faulty, *finding)).empty()
                                    : is_as(claim, truth, verdict, faulty);
      EXPECT_TRUE(agrees) << claim << " is " << question::word(verdict);
      counts_.verdicts += agrees ? 1 : 0;
      if (claim == "implements" && agrees) ++(truth.implements ? counts_.equivalent : counts_.killed);
    }
  }

  [[nodiscard]] bool is_as(std::string_view claim, const Truth& truth, const claims::Verdict& verdict,
                           const use::Transfer& faulty) const {
    if (holds(truth, claim)) return std::holds_alternative<claims::Proved>(verdict);
    const auto* refuted = std::get_if<claims::Refuted>(&verdict);
    return refuted != nullptr && confirmed(claim, pairing_, faulty, refuted->counterexample.fields);
  }

  map::Layout layout_;
  Pairing pairing_;
  bool small_;
  Counts& counts_;
  use::Transfer right_;
  std::optional<Judge> judge_;
};

struct Share {
  std::size_t first;
  Index faults;
  Index equivalent;
};

class EveryFault : public testing::TestWithParam<Share> {};

TEST_P(EveryFault, OfFiveRealLayoutsBothWaysIsRefutedIffTheMovesDiffer) {
  const Share& share = GetParam();
  Counts counts;
  for (std::size_t n = share.first; n < share.first + 5; ++n)
    for (const use::Direction direction : {use::Direction::HostToDevice, use::Direction::DeviceToHost}) {
      SCOPED_TRACE(fmt::format("{} {}", kRealLayouts[n].source, use::name(direction)));
      Mutation(copy_of(kRealLayouts[n], direction), counts).run();
    }
  EXPECT_EQ(counts.transfers, 10);
  EXPECT_EQ(counts.faults, share.faults);
  EXPECT_EQ(counts.equivalent, share.equivalent);
  EXPECT_EQ(counts.killed, share.faults - share.equivalent);
  EXPECT_EQ(counts.verdicts, 3 * share.faults);
}

INSTANTIATE_TEST_SUITE_P(Shares, EveryFault,
                         testing::ValuesIn(std::vector<Share>(
                             {Share{0, 454, 58},   Share{5, 256, 40},   Share{10, 392, 40},  Share{15, 278, 32},
                              Share{20, 336, 48},  Share{25, 380, 134}, Share{30, 492, 112}, Share{35, 766, 186},
                              Share{40, 690, 136}, Share{45, 378, 90},  Share{50, 402, 100}, Share{55, 432, 98},
                              Share{60, 452, 130}, Share{65, 466, 42},  Share{70, 576, 68},  Share{75, 808, 194},
                              Share{80, 876, 188}, Share{85, 920, 224}, Share{90, 956, 264}, Share{95, 800, 376}})),
                         [](const auto& share) { return fmt::format("From{}", share.param.first); });

/// The copy with 1000 times as many rows, if it has rows: a host dim with the largest strides, in one device dim of its
/// own.
std::optional<Copy> times_1000(Copy copy) {
  const auto is_largest = [&](const std::vector<Index>& strides, std::size_t i) {
    for (std::size_t k = 0; k < strides.size(); ++k)
      if (copy.size[k] > 1 && strides[k] > strides[i]) return false;
    return true;
  };
  const auto at = std::ranges::max_element(copy.stride_map);
  const auto j = static_cast<std::size_t>(at - copy.stride_map.begin());
  for (std::size_t i = 0; i < copy.size.size(); ++i) {
    if (copy.size[i] == 1 || !is_largest(copy.dma_strides, i) || !is_largest(copy.cpu_strides, i)) continue;
    if (*at != copy.dma_strides[i] || copy.device_size[j] < copy.size[i]) return std::nullopt;
    copy.size[i] *= 1000;
    copy.device_size[j] *= 1000;
    return copy;
  }
  return std::nullopt;
}

class EveryFaultTimes1000 : public testing::TestWithParam<Share> {};

// The same faults, where an extent is 1000 times larger and there are too many moves to run them (2^22): what the
// engines know must not depend on the extents. These are all the layouts of the table that can be and are that large
// then.
TEST_P(EveryFaultTimes1000, IsRefutedIffTheMovesDiffer) {
  const Share& share = GetParam();
  Counts counts;
  for (const use::Direction direction : {use::Direction::HostToDevice, use::Direction::DeviceToHost}) {
    const auto large = times_1000(copy_of(kRealLayouts[share.first], direction));
    ASSERT_TRUE(large.has_value());
    ASSERT_GT(product(large->size), Index{1} << 22);
    SCOPED_TRACE(fmt::format("{} {}", kRealLayouts[share.first].source, use::name(direction)));
    Mutation(*large, counts).run();
  }
  // Transfers, faults, killed, equivalent, verdicts in agreement, and none that was run.
  EXPECT_EQ(counts, (Counts{2, share.faults, share.faults - share.equivalent, share.equivalent, 3 * share.faults, 0}));
}

INSTANTIATE_TEST_SUITE_P(
    Shares, EveryFaultTimes1000,
    testing::ValuesIn(std::vector<Share>({Share{10, 112, 16}, Share{12, 56, 0}, Share{14, 112, 8}, Share{16, 56, 0},
                                          Share{21, 112, 16}, Share{68, 56, 0}, Share{70, 56, 0}, Share{71, 104, 8},
                                          Share{73, 152, 26}, Share{77, 152, 36}, Share{79, 152, 36},
                                          Share{87, 208, 40}, Share{88, 196, 66}, Share{89, 196, 66},
                                          Share{90, 260, 64}, Share{91, 208, 36}, Share{92, 152, 36}})),
    [](const auto& share) { return fmt::format("Layout{}", share.param.first); });

TEST(RealLayouts, AreAHundred) { EXPECT_EQ(kRealLayouts.size(), 100u); }

}  // namespace peer_transfer_mutation_campaign
}  // namespace vl::test::s2
