#include "oracle/gate/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace vl::gate {
namespace {

constexpr std::uint64_t kBlock = 16, kFreeOf = 4;  // one block in four wishes for nothing
constexpr std::array<std::string_view, kTraits - use::kFeatures> kShapes = {"rank-0",        "many-dims", "unit-extent",
                                                                            "powers-of-two", "large",     "narrow"};
static_assert(kTraits <= 32);

// Of i <= j.
constexpr std::size_t pair_of(std::size_t i, std::size_t j) { return j * (j + 1) / 2 + i; }

}  // namespace

use::Wishes wishes_of(const use::Family& family, const Operation& op, std::uint64_t seed, std::uint64_t number) {
  const std::uint64_t block = number / kBlock;
  if (block % kFreeOf == 0) return {};
  std::array<use::Feature, use::kFeatures> known{};
  std::size_t count = 0;
  for (const use::Feature feature : family.campaign->wishes)
    if (feature != use::Feature::Far || may_be_far(op)) known[count++] = feature;
  if (count < 2) return {};
  const std::uint64_t turn = block - block / kFreeOf - 1;
  std::uint64_t pair = turn % (count * (count - 1) / 2);
  std::size_t second = 1;
  for (; pair >= second; ++second) pair -= second;
  use::Wishes out{use::bit(known[pair]) | use::bit(known[second])};
  const std::uint64_t drawn = use::mix(use::mix(seed) ^ block);
  for (std::size_t k = 0; k < count; ++k)
    if ((drawn >> (2 * k) & 3) == 0) out.off |= use::bit(known[k]);
  out.off &= ~out.on;
  return out;
}

Traits traits_of(const oracle::Subject& subject) {
  Traits out = subject.features;
  const auto add = [&](Shape shape, bool here) {
    if (here) out |= Traits{1} << (use::kFeatures + static_cast<std::size_t>(shape));
  };
  const std::vector<Index>& size = subject.tensor.size;
  Index elements = 1;
  for (const Index extent : size) elements *= extent;
  add(Shape::Rank0, size.empty());
  add(Shape::ManyDims, size.size() > 2);
  add(Shape::UnitExtent, std::ranges::find(size, 1) != size.end());
  add(Shape::PowersOfTwo, elements > 1 && std::has_single_bit(static_cast<std::uint64_t>(elements)));
  add(Shape::Large, elements > 64);
  add(Shape::Narrow, map::bits(subject.tensor.type) < 16);
  return out;
}

std::string_view name_of_trait(std::size_t trait) {
  return trait < use::kFeatures ? use::name(static_cast<use::Feature>(trait)) : kShapes.at(trait - use::kFeatures);
}

void PairCounts::add(Traits traits, Of of, std::uint64_t by) { add(traits, of, of, by); }

void PairCounts::add(Traits traits, Of of, Of also, std::uint64_t by) {
  if (traits == 0) return;
  if (counts_.empty()) counts_.resize(kOf * kPairs);
  std::uint64_t* const counts = &counts_[static_cast<std::size_t>(of) * kPairs];
  std::uint64_t* const others = &counts_[static_cast<std::size_t>(also) * kPairs];
  for (Traits high = traits; high != 0; high &= high - 1) {
    const auto j = static_cast<std::size_t>(std::countr_zero(high));
    const Traits below = traits & static_cast<Traits>((std::uint64_t{2} << j) - 1);
    for (Traits low = below; low != 0; low &= low - 1) {
      const std::size_t pair = pair_of(static_cast<std::size_t>(std::countr_zero(low)), j);
      counts[pair] += by;
      if (others != counts) others[pair] += by;
    }
  }
}

void PairCounts::add(const PairCounts& other) {
  if (other.counts_.empty()) return;
  if (counts_.empty()) counts_.resize(kOf * kPairs);
  for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += other.counts_[k];
}

std::uint64_t PairCounts::at(Of of, std::size_t pair) const {
  return counts_.empty() ? 0 : counts_[static_cast<std::size_t>(of) * kPairs + pair];
}

std::size_t PairCounts::seen(Of of) const {
  std::size_t out = 0;
  for (std::size_t j = 1; j < kTraits; ++j)
    for (std::size_t i = 0; i < j; ++i) out += at(of, pair_of(i, j)) > 0 ? 1 : 0;
  return out;
}

std::vector<std::string> PairCounts::unanswered(std::size_t most) const {
  std::vector<std::string> out;
  for (std::size_t j = 1; j < kTraits; ++j)
    for (std::size_t i = 0; i < j && out.size() < most; ++i)
      if (at(Of::Asked, pair_of(i, j)) > 0 && at(Of::Answered, pair_of(i, j)) == 0)
        out.push_back(fmt::format("{}+{}", name_of_trait(i), name_of_trait(j)));
  return out;
}

std::vector<std::uint64_t> PairCounts::numbers() const {
  std::vector<std::uint64_t> out;
  for (std::size_t k = 0; k < counts_.size(); ++k)
    if (counts_[k] > 0) out.push_back(k), out.push_back(counts_[k]);
  return out;
}

bool PairCounts::read(const std::vector<std::uint64_t>& numbers) {
  counts_.clear();
  if (numbers.size() % 2 != 0) return false;
  for (std::size_t k = 0; k < numbers.size(); k += 2) {
    if (numbers[k] >= kOf * kPairs) return false;
    if (counts_.empty()) counts_.resize(kOf * kPairs);
    counts_[numbers[k]] = numbers[k + 1];
  }
  return true;
}

}  // namespace vl::gate
