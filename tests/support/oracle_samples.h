// Random layouts for the levels of the oracle, and another definition of packing and unpacking from the second meaning
// of maps (tests/support/maps.h): point by point, in containers, without code of oracle/.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/spyre/spyre.h"
#include "encodings/tirx/tirx.h"
#include "tests/support/maps.h"
#include "tests/support/spyre_random.h"
#include "tests/support/tirx_random.h"

namespace vl::test {

using Image = std::vector<std::byte>;

inline std::string show(const map::Layout& layout) {
  std::string text;
  const auto add = [&](const char* what, const map::Space& space) {
    text += what;
    for (const map::Dim& dim : space.dims()) text += " " + std::to_string(dim.extent);
  };
  add("logical", layout.logical());
  add(", replicas", layout.replicas());
  add(", physical", layout.physical());
  const auto row = [](const map::Row& r) {
    std::string out = std::to_string(r.constant);
    for (const map::Term& term : r.terms)
      out += " + " + std::to_string(term.coefficient) + "*v" + std::to_string(term.input);
    return out;
  };
  for (const map::Stage& stage : layout.map().stages()) {
    if (const auto* affine = std::get_if<map::Affine>(&stage)) {
      text += "; affine";
      for (const map::Row& r : affine->rows) text += " [" + row(r) + "]";
    } else if (const auto* split = std::get_if<map::Split>(&stage)) {
      text += "; split v" + std::to_string(split->input) + " by";
      for (const Index weight : split->weights) text += " " + std::to_string(weight);
    } else {
      const auto& s = std::get<map::Swizzle>(stage);
      text += "; swizzle v" + std::to_string(s.input);
      for (const int number : {s.base, s.bits, s.shift}) text += " " + std::to_string(number);
    }
  }
  return text + "; host " + row(layout.host_offset());
}

/// A random map into a box that some of its outputs fit, with replicas, guards and a host view. Few are injective.
inline std::optional<map::Layout> layout_of_random_map(Engine& engine) {
  MapKind kind;
  kind.volume = 400;
  const map::Space domain = random_space(engine, kind);
  const map::Map map = random_map(engine, domain, kind);
  map::LayoutParts parts;
  const auto rank = static_cast<Index>(domain.rank());
  const auto logical = static_cast<std::size_t>(roll(engine, std::min<Index>(rank, 1), rank));
  const std::vector<Index> extents = map::extents_of(domain);
  const std::span<const Index> all(extents);
  parts.logical = *map::Space::create(map::Space::dims("x", all.first(logical)));
  parts.replicas = *map::Space::create(map::Space::dims("r", all.subspan(logical)));
  parts.map = map.stages();
  std::vector<Index> box;
  Index volume = 1;
  map::Affine shift;  // so that coordinates start at 0
  for (std::size_t k = 0; k < map.outputs(); ++k) {
    Index low = 0;
    Index high = 0;
    bool first = true;
    for (const Point& point : all_points(domain)) {
      const Index value = naive(map, point)[k];
      low = first ? value : std::min(low, value);
      high = first ? value : std::max(high, value);
      first = false;
    }
    map::Row row = map::pick(k);
    row.constant = -low;
    shift.rows.push_back(row);
    const bool is_guard = k + 1 == map.outputs() && k > 0 && roll(engine, 0, 9) == 0;
    if (is_guard) parts.guards = 1;
    else box.push_back(std::max<Index>(high - low + 1 - (roll(engine, 0, 9) == 0 ? 1 : 0), 0));
    if (!is_guard) volume *= std::max<Index>(box.back(), 1);
    if (volume > 20000) return std::nullopt;
  }
  parts.map.emplace_back(shift);
  parts.physical = *map::Space::create(map::Space::dims("d", box));
  parts.host_offset.constant = roll(engine, 0, 3);
  Index stride = roll(engine, 1, 2);
  for (std::size_t k = logical; k-- > 0; stride *= std::max<Index>(extents[k], 1) + roll(engine, 0, 9) / 9)
    if (roll(engine, 0, 4) != 0)
      parts.host_offset.terms.insert(parts.host_offset.terms.begin(), {k, roll(engine, 0, 9) == 0 ? 1 : stride});
  auto layout = map::Layout::create(std::move(parts));
  if (!layout) return std::nullopt;
  return *std::move(layout);
}

/// Each dimension cut into digits, these in any order, now and then one address with a swizzle: injective but for its
/// box.
inline std::optional<map::Layout> tiled_layout(Engine& engine, Index most) {
  map::LayoutParts parts;
  std::vector<Index> extents;
  Index volume = 1;
  for (Index rank = roll(engine, 1, 3); rank > 0; --rank) {
    extents.push_back(roll(engine, 1, std::max<Index>(1, std::min<Index>(40, most / volume))));
    volume *= extents.back();
  }
  struct Digit {
    std::size_t value;
    Index extent;
  };
  std::vector<Digit> digits;
  std::size_t at = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const Index tile = roll(engine, 1, std::max<Index>(1, extents[k]));
    parts.map.emplace_back(map::Split{at, {tile, 1}});
    digits.push_back({at, ceil_div(extents[k], tile)});
    digits.push_back({at + 1, tile});
    at += 2;
  }
  if (roll(engine, 0, 2) == 0) {  // a replica: one more copy a value
    const Index copies = roll(engine, 2, 3);
    parts.replicas = *map::Space::create(map::Space::dims("r", std::vector<Index>{copies}));
    digits.push_back({at, copies});
  }
  for (std::size_t i = digits.size(); i > 1; --i)
    std::swap(digits[i - 1], digits[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(i) - 1))]);
  std::vector<Index> box;
  map::Affine order;
  for (const Digit& digit : digits) {
    order.rows.push_back(map::pick(digit.value));
    box.push_back(digit.extent + (roll(engine, 0, 5) == 0 ? 1 : 0));
  }
  if (roll(engine, 0, 2) == 0) {
    map::Row address;
    Index weight = 1;
    for (std::size_t i = digits.size(); i-- > 0; weight *= box[i]) address.terms.push_back({digits[i].value, weight});
    parts.map.emplace_back(map::Affine{{*map::canonical(address)}});
    parts.map.emplace_back(random_swizzle(engine, 0));
    Index size = 1;
    while (size < weight || size < (Index{1} << 11)) size *= 2;
    box = {size};
  } else {
    parts.map.emplace_back(order);
  }
  parts.logical = *map::Space::create(map::Space::dims("x", extents));
  parts.physical = *map::Space::create(map::Space::dims("d", box));
  Index stride = 1;
  for (std::size_t k = extents.size(); k-- > 0; stride *= extents[k])
    if (roll(engine, 0, 5) != 0) parts.host_offset.terms.insert(parts.host_offset.terms.begin(), {k, stride});
  parts.host_offset.constant = roll(engine, 0, 5);
  auto layout = map::Layout::create(std::move(parts));
  if (!layout) return std::nullopt;
  return *std::move(layout);
}

/// The n-th of a mixture of all kinds; nothing if a kind has none for this n.
class Samples {
 public:
  explicit Samples(unsigned seed) : engine_(seed), spyre_(seed), tirx_(seed) {}

  std::optional<map::Layout> next() {
    switch (count_++ % 4) {
      case 0: return layout_of_random_map(engine_);
      case 1: return tiled_layout(engine_, 600);
      case 2: {
        const RandomCase made = spyre_.next(200);
        return small(spyre::lower(made.layout, made.tensor));
      }
      default: {
        const RandomTirxCase made = tirx_.next(200);
        return small(tirx::lower(made.layout, made.tensor));
      }
    }
  }
  Engine& engine() { return engine_; }

 private:
  template <class Lowered>
  static std::optional<map::Layout> small(Lowered layout) {
    if (!layout || layout->physical().volume() > 50000) return std::nullopt;
    return *std::move(layout);
  }

  Engine engine_;
  RandomSpyre spyre_;
  RandomTirx tirx_;
  std::size_t count_ = 0;
};

inline Image random_bytes(Engine& engine, std::size_t size, Index kinds = 256) {
  Image image(size);
  for (std::byte& byte : image) byte = static_cast<std::byte>(roll(engine, 0, kinds - 1));
  return image;
}

/// One point by the second meaning: its slot and its place on the host.
struct Place {
  std::optional<std::size_t> slot;
  std::size_t host = 0;
  Index replica = 0;
};

inline std::vector<Place> places(const map::Layout& layout, bool view) {
  std::vector<Place> out;
  std::map<Point, std::size_t> numbers;
  for (const Point& point : all_points(layout.domain())) {
    const Point outputs = naive(layout.map(), point);
    Place place;
    std::size_t slot = 0;
    bool has = true;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Index extent = k < layout.physical().rank() ? layout.physical().extent(k) : 1;
      has = has && outputs[k] >= 0 && outputs[k] < extent;
      slot = slot * static_cast<std::size_t>(extent) + static_cast<std::size_t>(outputs[k]);
    }
    if (has) place.slot = slot;
    const Point element(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
    const std::size_t number = numbers.try_emplace(element, numbers.size()).first->second;
    place.host = view ? static_cast<std::size_t>(naive(map::Affine{{layout.host_offset()}}, element)[0]) : number;
    for (std::size_t k = element.size(); k < point.size(); ++k) place.replica += point[k];  // 0 iff it is the first
    out.push_back(place);
  }
  return out;
}

/// Packs by places; the error is the words that its message has to contain.
inline std::string pack(const std::vector<Place>& places, const Image& host, std::size_t unit, const Image& fill,
                        Image& device) {
  for (std::size_t i = 0; i < device.size(); ++i) device[i] = fill[i % unit];
  std::map<std::size_t, bool> written;
  for (const Place& place : places) {
    if (!place.slot) return "has no slot";
    if (!written.emplace(*place.slot, true).second) return "share the slot";
    for (std::size_t b = 0; b < unit; ++b) device[*place.slot * unit + b] = host[place.host * unit + b];
  }
  return "";
}

inline std::string unpack(const std::vector<Place>& places, const Image& device, std::size_t unit, Image& host) {
  std::map<std::size_t, bool> written;
  for (const Place& place : places) {
    if (!place.slot) return "has no slot";
    const bool first = written.emplace(place.host, true).second;
    for (std::size_t b = 0; b < unit; ++b) {
      const std::byte value = device[*place.slot * unit + b];
      if (first) host[place.host * unit + b] = value;
      else if (host[place.host * unit + b] != value)
        return place.replica != 0 ? "differs from the first" : "is not the same as another one";
    }
  }
  return "";
}

}  // namespace vl::test
