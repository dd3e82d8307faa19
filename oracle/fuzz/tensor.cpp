// The tensor number `index` of a campaign. A group has two kinds of transfer: plans are made once for half of its
// tensors.
#include <algorithm>

#include "oracle/fuzz/trial.h"

namespace vl::oracle {
namespace {

constexpr std::array<std::string_view, kVerbs> kVerbNames = {"pack", "unpack", "round-trip", "move", "nests"};
constexpr std::array<std::string_view, kWays> kWayNames = {"by-plan", "by-rows", "refused", "not-run"};
constexpr std::array<std::string_view, kPatterns> kPatternNames = {"tags", "random", "nan", "denormal"};
constexpr std::uint64_t kOfTransfer = 3, kOfTensor = 4;

template <class Enum, std::size_t n>
std::optional<Enum> find(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

// The family's own random numbers: two families have none in common.
std::uint64_t offset_of(const use::Campaign& campaign) { return 16 * (campaign.stream - 1); }

Tensor transfer_of(std::string_view family, std::uint64_t seed, std::uint64_t index) {
  Random transfer(seed, kOfTransfer + offset_of(*campaign_family(family).campaign), index / kTransfers);
  Tensor out;
  const Index kind = transfer.between(1, 100);
  out.verb = Verb::Nests;
  if (kind <= 96) out.verb = Verb::Move;
  if (kind <= 84) out.verb = Verb::RoundTrip;
  if (kind <= 72) out.verb = Verb::Unpack;
  if (kind <= 45) out.verb = Verb::Pack;
  out.where = transfer.chance(65) ? Host::Dense : Host::View;
  const Index unit = transfer.between(1, 100);
  out.unit = unit <= 30 ? 1 : unit <= 65 ? 2 : unit <= 88 ? 4 : 8;
  if (is_large(index / kGroup)) out.unit = out.unit <= 2 ? 8 : out.unit;  // more than 1 MiB, mostly
  out.streamed = transfer.chance(20);
  return out;
}

}  // namespace

std::string_view name(Verb verb) { return kVerbNames[static_cast<std::size_t>(verb)]; }
std::string_view name(Pattern pattern) { return kPatternNames[static_cast<std::size_t>(pattern)]; }
std::string_view name(Way way) { return kWayNames[static_cast<std::size_t>(way)]; }
std::optional<Verb> verb_of(std::string_view name) { return find<Verb>(kVerbNames, name); }
std::optional<Pattern> pattern_of(std::string_view name) { return find<Pattern>(kPatternNames, name); }

Tensor tensor_of(const Tensor& same_transfer, std::string_view family, std::uint64_t seed, std::uint64_t index) {
  Tensor out = same_transfer;
  const use::Campaign& campaign = *campaign_family(family).campaign;
  Random random(seed, kOfTensor + offset_of(campaign), index);
  const Index pattern = random.between(1, 100);
  out.pattern = pattern <= 70   ? Pattern::Tags
                : pattern <= 80 ? Pattern::Random
                : pattern <= 90 ? Pattern::Nan
                                : Pattern::Denormal;
  out.data = random.next() >> 32;
  out.fill = random.chance(20) ? 0 : random.next();
  out.empty = index % (8 * kGroup) == kGroup - 1 && campaign.empty_tensors;
  return out;
}

Tensor tensor_of(std::string_view family, std::uint64_t seed, std::uint64_t index) {
  return tensor_of(transfer_of(family, seed, index), family, seed, index);
}

}  // namespace vl::oracle
