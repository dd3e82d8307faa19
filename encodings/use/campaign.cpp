#include "encodings/use/campaign.h"

#include <algorithm>
#include <array>

namespace vl::use {
namespace {

constexpr std::array<std::string_view, kFeatures> kFeatureNames = {
    "constructed", "dim-map", "tiled",      "ragged",   "sparse",  "synthetic", "permuted", "strided", "reversed",
    "expanded",    "offset",  "replicated", "swizzled", "threads", "boxed",     "broken",   "far"};

}  // namespace

std::string_view name(Feature feature) { return kFeatureNames[static_cast<std::size_t>(feature)]; }

Index some_size(Random& random, bool large) {
  if (large) return random.between(random.chance(50) ? 60000 : 132000, random.chance(50) ? 180000 : 250000);
  const Index kind = random.between(1, 100);
  if (kind <= 3) return 1;
  if (kind <= 12) return random.between(2, 32);
  if (kind <= 35) return random.between(33, 400);
  if (kind <= 87) return random.between(300, 1100);
  if (kind <= 98) return random.between(1100, 2200);
  return random.between(2600, 8000);
}

void deal_factors(Random& random, Index volume, std::span<Index> into) {
  for (Index factor = 2; volume > 1; ++factor) {
    if (factor > 1000 || factor * factor > volume) factor = volume;
    for (; volume % factor == 0; volume /= factor) into[random.below(into.size())] *= factor;
  }
}

std::vector<Index> some_shape(Random& random, Index most) {
  std::vector<Index> out;
  const Index rank = most == 1 ? random.between(0, 2) : random.between(1, 4);
  Index left = most;
  for (Index k = 0; k < rank; ++k) {
    const Index largest = most > 60000 ? 700 : random.chance(30) ? 40 : 9;
    const Index size = k + 1 == rank && random.chance(80) ? left : random.between(1, std::min(left, largest));
    out.push_back(size);
    left = std::max<Index>(1, left / size);
  }
  random.shuffle(std::span(out));
  return out;
}

Index some_spread(Random& random, Index reach) {
  const Index wanted =
      random.chance(40) ? random.between(300, 70000) : (Index{1} << random.between(8, 33)) + random.between(-1, 1);
  return std::min(wanted, std::max<Index>((Index{1} << 58) / reach, 1));
}

}  // namespace vl::use
