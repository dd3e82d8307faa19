#include "oracle/fuzz/subject.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "encodings/base/check.h"

namespace vl::oracle {
namespace {

enum Purpose : std::uint64_t { kSpyre = 1, kTirx = 2 };

constexpr std::array<std::string_view, kFeatures> kNames = {
    "constructed", "dim-map",  "tiled",  "ragged",     "sparse",   "synthetic", "permuted", "strided",
    "reversed",    "expanded", "offset", "replicated", "swizzled", "threads",   "boxed",    "broken"};

}  // namespace

std::string_view name(Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }

std::string_view family_of(const Subject& subject) { return subject.notation.index() == 0 ? "spyre" : "tirx"; }

std::string text_of(const Subject& subject) {
  return std::visit(overloaded{[](const spyre::SpyreTensorLayout& layout) { return spyre::print(layout); },
                               [](const tirx::Layout& layout) { return tirx::print(layout); }},
                    subject.notation);
}

Result<map::Layout> lower(const Subject& subject) {
  return std::visit(
      overloaded{[&](const spyre::SpyreTensorLayout& layout) { return spyre::lower(layout, subject.tensor); },
                 [&](const tirx::Layout& layout) { return tirx::lower(layout, subject.tensor); }},
      subject.notation);
}

Subject subject_of(std::string_view family, std::uint64_t seed, std::uint64_t group) {
  VL_CHECK(family == "spyre" || family == "tirx", "a family without a generator");
  const bool spyre = family == "spyre";
  Random random(seed, spyre ? kSpyre : kTirx, group);
  const auto kind = static_cast<unsigned>(group % 4);
  return spyre ? spyre_subject(random, kind, is_large(group)) : tirx_subject(random, kind, is_large(group));
}

bool is_large(std::uint64_t group) { return group % kLargeOf == kFirstLarge; }

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

// A shard over m whose extents are the tensor's, in another order, at times with room between.
Subject companion_of(const Subject& subject, Random& random) {
  Subject out;
  out.tensor = subject.tensor;
  out.tensor.view_offset = 0;
  out.tensor.strides.reset();
  out.tensor.offset = 0;
  out.tensor.box.clear();
  tirx::TileLayout tile;
  for (const Index extent : out.tensor.size) tile.shard.push_back({extent, 0, tirx::Axis::M});
  std::vector<std::size_t> order(tile.shard.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  Index stride = 1;
  for (const std::size_t k : order) {
    tile.shard[k].stride = stride;
    stride = stride * tile.shard[k].extent + (random.chance(15) ? random.between(1, 5) : 0);
  }
  out.notation = tirx::Layout{std::nullopt, std::move(tile)};
  return out;
}

}  // namespace vl::oracle
