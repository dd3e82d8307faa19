// The engines' answers about loop nests against brute force: random Spyre layouts, good and bad, with synthesised nests,
// broken ones and nests of another layout, in both directions and between devices.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "tests/support/transfers.h"
#include "verifier/engines/transfer.h"

namespace vl {
namespace {

using certificate::TransferKind;
using certificate::TransferQuestion;
using engines::Abstained;
using engines::Found;
using map::Direction;

constexpr TransferKind kKinds[] = {TransferKind::Leaves, TransferKind::Deviates, TransferKind::Misserves,
                                   TransferKind::Overwrites};

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCases = 1500;
#else
constexpr int kCases = 12000;
#endif

std::string show(const map::Transfer& transfer) {
  std::string out(map::name(transfer.direction));
  for (const map::Nest& nest : transfer.nests)
    out += fmt::format("\n  {} | {} | {} | {},{}", nest.extents, nest.source.strides, nest.destination.strides,
                       nest.source.offset, nest.destination.offset);
  return out;
}

std::string show(const std::optional<certificate::Witness>& witness) {
  return witness ? fmt::format("{} {}", witness->p, witness->q) : "none";
}

struct Tally {
  int asked = 0;
  int none = 0;
  int found = 0;
  int abstained = 0;
};

struct Scenario {
  std::string text;
  map::Memory source;
  map::Memory destination;
  map::Transfer transfer;
};

// A transfer of a random layout: synthesised where that is possible, then broken up to three times.
std::optional<Scenario> next(test::RandomSpyre& random) {
  const test::RandomCase made = random.next(80);
  const auto layout = spyre::lower(made.layout, made.tensor);
  if (!layout) return std::nullopt;
  Scenario out{made.show(), {*layout, 0}, {*layout, 0}, {}};
  std::optional<Result<map::Transfer>> transfer;
  if (random.chance(20)) {  // between devices: another layout of the same tensor
    std::optional<map::Layout> other;
    for (int tries = 0; tries < 20 && !other; ++tries) {
      std::vector<Index> order(made.tensor.size.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(order.size() - 1 - i);
      if (order.empty() || random.chance(30)) order.push_back(-1);
      std::vector<Index> strides = made.strides;
      for (Index& stride : strides) stride = std::abs(stride);
      const auto raw = spyre::construct(made.tensor.size, strides, {"SEN169_FP16", 4}, order);
      if (auto lowered = spyre::lower(*raw, made.tensor)) other = std::move(*lowered);
    }
    if (!other) return std::nullopt;
    (random.chance(50) ? out.source : out.destination).layout = *other;
    transfer = map::synthesise(out.source.layout, out.destination.layout);
    out.transfer.direction = Direction::DeviceToDevice;
  } else {
    const bool up = random.chance(50);
    const auto host = map::host_memory(*layout);
    if (!host) return std::nullopt;
    (up ? out.source : out.destination) = *host;
    out.transfer.direction = up ? Direction::HostToDevice : Direction::DeviceToHost;
    transfer = map::synthesise(*layout, out.transfer.direction);
  }
  if (*transfer) out.transfer = std::move(**transfer);
  if (out.transfer.nests.empty() || random.chance(5)) {
    map::Nest nest;
    for (Index loops = random.between(0, 3); loops > 0; --loops) {
      nest.extents.push_back(random.between(0, 5));
      nest.source.strides.push_back(random.between(-3, 9));
      nest.destination.strides.push_back(random.between(-3, 9));
    }
    out.transfer.nests.push_back(std::move(nest));
  }
  for (Index faults = random.chance(35) ? 0 : random.between(1, 3); faults > 0; --faults) test::break_somewhere(out.transfer, random);
  Index count = 0;
  for (const map::Nest& nest : out.transfer.nests) {
    if (map::problem_of(nest)) return std::nullopt;
    count += *checked_product(nest.extents);
  }
  if (count > 2000) return std::nullopt;
  return out;
}

void compare(const TransferQuestion& question, const engines::Answer& answer, const std::string& text, Tally& tally) {
  ++tally.asked;
  const auto truth = test::brute(question);
  if (std::holds_alternative<Abstained>(answer)) {
    ++tally.abstained;
    return;
  }
  const auto* found = std::get_if<Found>(&answer);
  ++(found != nullptr ? tally.found : tally.none);
  const std::optional<certificate::Witness> said = found != nullptr ? std::optional(found->witness) : std::nullopt;
  ASSERT_EQ(said, truth) << certificate::name(question.kind) << "\n" << text << show(*question.transfer) << "\nsaid "
                         << show(said) << ", brute force " << show(truth);
  if (found != nullptr) {
    ASSERT_TRUE(found->minimal);
    ASSERT_TRUE(certificate::replay(question, found->witness)) << certificate::name(question.kind) << "\n" << text
                                                               << show(*question.transfer) << "\n" << show(said);
  }
}

TEST(Transfers, EnginesAgreeWithBruteForceOnRandomNests) {
  test::RandomSpyre random(20261121);
  std::map<std::string, Tally> tallies;
  for (int made = 0; made < kCases;) {
    const auto scenario = next(random);
    if (!scenario) continue;
    ++made;
    for (const TransferKind kind : kKinds) {
      const TransferQuestion question{kind, &scenario->transfer, &scenario->source, &scenario->destination};
      for (const engines::TransferEngine& engine : engines::transfer_engines()) {
        compare(question, engine.decide(question, {}), scenario->text,
                tallies[fmt::format("{} {}", engine.name, certificate::name(kind))]);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (const auto& [name, tally] : tallies) {
    SCOPED_TRACE(fmt::format("{}: {} asked, {} none, {} found, {} abstained", name, tally.asked, tally.none, tally.found,
                             tally.abstained));
    EXPECT_GE(tally.none, kCases / 10);
    EXPECT_GE(tally.found, kCases / 10);
    EXPECT_LE(tally.abstained, name.starts_with("enumerate") ? 0 : kCases / 4);
  }
}

}  // namespace
}  // namespace vl
