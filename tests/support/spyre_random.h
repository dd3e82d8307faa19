// Random Spyre layouts of small tensors, and random ways to break them, shared by the tests of engines and of meanings.
// A case is a pure function of the generator's state, so a fixed seed gives the same cases everywhere.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"
#include "tests/support/property.h"

namespace vl::test {

struct RandomCase {
  spyre::SpyreTensorLayout layout;
  map::Tensor tensor;
  std::vector<Index> strides;  // of the host, also when it is dense
  // Its properties, for distributions.
  bool constructed = false;  // by the constructor's rule
  bool ragged = false;       // some host extent is not a multiple of its tiles
  bool sparse = false;
  bool replicated = false;
  bool expanded = false;
  bool permuted = false;
  bool mutated = false;

  [[nodiscard]] std::string show() const { return fmt::format("{} of {}", spyre::print(layout), map::print(tensor)); }
};

class RandomSpyre {
 public:
  explicit RandomSpyre(std::uint64_t seed) : random_(seed) {}
  explicit RandomSpyre(WideEngine engine) : random_(std::move(engine)) {}

  /// A layout of a tensor with at most `most` elements and as many replicas.
  RandomCase next(Index most) {
    for (;;) {
      RandomCase made;
      host(made, most);
      if (chance(35)) construct(made);
      else tile(made);
      if (chance(20)) replicate(made);
      if (chance(45)) mutate(made);
      if (made.layout.device_size.empty() || slots(made) > 40 * most || copies(made) > most) continue;
      made.replicated = copies(made) > 1;
      made.expanded = false;
      for (std::size_t i = 0; i < made.strides.size(); ++i)
        made.expanded = made.expanded || (made.strides[i] == 0 && made.tensor.size[i] > 1);
      return made;
    }
  }

  Index between(Index low, Index high) { return roll(random_, low, high); }
  bool chance(Index percent) { return between(1, 100) <= percent; }

 private:
  static constexpr Index kStick = 4;  // a stick of 4 keeps layouts small; raw texts do not depend on it

  static Index slots(const RandomCase& made) {
    return std::accumulate(made.layout.device_size.begin(), made.layout.device_size.end(), Index{1},
                           std::multiplies<>{});
  }
  static Index copies(const RandomCase& made) {
    Index out = 1;
    for (std::size_t j = 0; j < made.layout.stride_map.size(); ++j)
      if (made.layout.stride_map[j] == 0) out *= std::max<Index>(made.layout.device_size[j], 1);
    return out;
  }

  void host(RandomCase& made, Index most) {
    std::vector<Index>& size = made.tensor.size;
    Index volume = 1;
    for (Index rank = between(0, 4); rank > 0; --rank) {
      const Index room = std::max<Index>(1, most / volume);
      size.push_back(chance(2) ? 0 : chance(15) ? 1 : between(1, std::min<Index>(room, rank > 2 ? 4 : 9)));
      volume *= std::max<Index>(size.back(), 1);
    }
    made.strides = *map::dense_strides(size);
    const Index kind = between(1, 100);
    if (kind <= 50) return;  // dense
    if (kind <= 62) {        // permuted: dense in another order of dims
      std::vector<std::size_t> order(size.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random_);
      made.permuted = !std::ranges::is_sorted(order);
      Index stride = 1;
      for (const std::size_t i : order) {
        made.strides[i] = stride;
        stride *= std::max<Index>(size[i], 1);
      }
    } else if (kind <= 72) {  // rows further apart than they are long
      Index stride = 1;
      for (std::size_t i = size.size(); i-- > 0;) {
        made.strides[i] = stride;
        stride = stride * std::max<Index>(size[i], 1) + between(0, 3);
      }
    } else if (kind <= 82 && !size.empty()) {  // expanded
      made.strides[static_cast<std::size_t>(between(0, static_cast<Index>(size.size()) - 1))] = 0;
    } else if (kind <= 88 && !size.empty()) {  // turned round: starts at its far end
      const auto i = static_cast<std::size_t>(between(0, static_cast<Index>(size.size()) - 1));
      made.tensor.view_offset = made.strides[i] * std::max<Index>(size[i] - 1, 0);
      made.strides[i] = -made.strides[i];
    } else {
      for (Index& stride : made.strides) stride = between(-2, 12);
    }
    if (chance(15)) made.tensor.view_offset += between(0, 12);
    if (chance(10)) made.tensor.offset = between(0, 300);
    made.tensor.strides = made.strides;
  }

  void construct(RandomCase& made) {
    std::vector<Index> order(made.tensor.size.size());
    std::iota(order.begin(), order.end(), Index{0});
    if (chance(50)) std::shuffle(order.begin(), order.end(), random_);
    if (order.empty() || chance(20)) order.push_back(-1);
    std::vector<Index> strides = made.strides;  // the constructor wants none that is negative
    for (Index& stride : strides) stride = std::abs(stride);
    const auto layout = spyre::construct(made.tensor.size, strides, {"SEN169_FP16", kStick}, order);
    VL_CHECK(layout.has_value(), "the constructor refuses a small tensor");
    made.layout = *layout;
    made.layout.host_strides.reset();
    made.constructed = true;
    made.sparse = order.back() == -1;
    made.permuted = made.permuted || !std::ranges::is_sorted(order);
    made.ragged = !made.sparse && made.tensor.size[static_cast<std::size_t>(order.back())] % kStick != 0;
  }

  // Each host dim is cut into tiles of tiles, and the device dims stand in any order.
  void tile(RandomCase& made) {
    struct Digit {
      Index size, stride, host, weight;
    };
    std::vector<Digit> digits;
    for (std::size_t i = 0; i < made.tensor.size.size(); ++i) {
      Index left = made.tensor.size[i];
      Index weight = 1;
      for (Index cuts = between(0, 2); cuts > 0 && digits.size() < 3 + i; --cuts) {
        const Index tile = between(2, 4);
        digits.push_back({tile, std::abs(made.strides[i]) * weight, static_cast<Index>(i), weight});
        made.ragged = made.ragged || left % tile != 0;
        weight *= tile;
        left = ceil_div(left, tile);
      }
      digits.push_back({left, std::abs(made.strides[i]) * weight, static_cast<Index>(i), weight});
    }
    if (digits.empty() || chance(10)) digits.push_back({between(0, 3), -1, -1, 0});
    if (digits.size() > 5) digits.resize(5);
    std::shuffle(digits.begin(), digits.end(), random_);
    const bool by_dims = chance(20) && made.tensor.view_offset == 0;
    // In a dim_map, the rightmost digit of a host dim is its least significant one.
    if (by_dims) std::ranges::stable_sort(digits, std::greater<>{}, &Digit::weight);
    for (const Digit& digit : digits) {
      made.layout.device_size.push_back(digit.size);
      (by_dims ? made.layout.dim_map : made.layout.stride_map).push_back(by_dims ? digit.host : digit.stride);
    }
    made.layout.device_dtype = {"SEN169_FP16", 64};
  }

  void replicate(RandomCase& made) {
    if (made.layout.stride_map.empty() || made.layout.device_size.size() >= 5) return;
    const auto at = between(0, static_cast<Index>(made.layout.device_size.size()));
    made.layout.device_size.insert(made.layout.device_size.begin() + at, between(2, 3));
    made.layout.stride_map.insert(made.layout.stride_map.begin() + at, 0);
  }

  void mutate(RandomCase& made) {
    std::vector<Index>& size = made.layout.device_size;
    std::vector<Index>& strides = made.layout.stride_map.empty() ? made.layout.dim_map : made.layout.stride_map;
    const bool by_dims = made.layout.stride_map.empty();
    const Index highest = by_dims ? static_cast<Index>(made.tensor.size.size()) - 1 : Index{1} << 20;
    const auto any = [&] { return static_cast<std::size_t>(between(0, static_cast<Index>(size.size()) - 1)); };
    const auto at = [](std::size_t j) { return static_cast<std::ptrdiff_t>(j); };
    made.mutated = true;
    const std::size_t j = any();
    const std::size_t k = any();
    switch (between(0, 7)) {
      case 0: strides[j] = std::clamp<Index>(strides[j] + (chance(50) ? 1 : -1), -1, highest); break;
      case 1: size[j] = std::max<Index>(0, size[j] + (chance(50) ? 1 : -1)); break;
      case 2:
        size.erase(size.begin() + at(j));
        strides.erase(strides.begin() + at(j));
        break;
      case 3:
        size.insert(size.begin() + at(j), Index{size[k]});
        strides.insert(strides.begin() + at(j), Index{strides[k]});
        break;
      case 4: std::swap(strides[j], strides[k]); break;
      case 5: std::swap(size[j], size[k]); break;
      case 6:
        if (!by_dims) made.tensor.view_offset += between(1, 3);
        break;
      case 7:
        if (!made.strides.empty())
          made.strides[static_cast<std::size_t>(between(0, static_cast<Index>(made.strides.size()) - 1))] += 1;
        made.tensor.strides = made.strides;
        break;
    }
  }

  WideEngine random_;
};

inline void showValue(const RandomCase& made, std::ostream& out) { out << made.show(); }

/// Of a tensor with at most `most` elements and as many replicas.
inline rc::Gen<RandomCase> spyre_cases(Index most) {
  return drawn<WideEngine>([most](WideEngine& engine) { return RandomSpyre(engine).next(most); });
}

}  // namespace vl::test
