// Samples of copies: random layouts that are greedy-valid, and layouts of the constructor. They depend only on a seed,
// or on nothing, and are the same with every compiler and library, so that a test can assert their counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/peer/moves.h"

namespace vl::test::s2 {

/// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// A number in [0, count).
  Index below(Index count) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<Index>((z ^ (z >> 31)) % static_cast<std::uint64_t>(count));
  }
  bool one_in(Index count) { return below(count) == 0; }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t k = values.size(); k-- > 1;)
      std::swap(values[k], values[static_cast<std::size_t>(below(static_cast<Index>(k) + 1))]);
  }

 private:
  std::uint64_t state_;
};

/// One device dim, or a host dim as the device dims see it.
struct Digit {
  Index size = 1;
  Index stride = 1;
};

/// Host dims of at most 120 elements together; one in three is dense in another order than row-major.
inline Copy random_host(Random& random) {
  Copy copy;
  const Index rank = 1 + random.below(3);
  Index volume = 1;
  for (Index i = 0; i < rank; ++i) {
    copy.size.push_back(1 + random.below(std::min<Index>(10, 120 / volume)));
    volume *= copy.size.back();
  }
  std::vector<std::size_t> order(copy.size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (random.one_in(3)) random.shuffle(order);
  copy.dma_strides.resize(copy.size.size());
  Index stride = 1;
  for (std::size_t k = order.size(); k-- > 0; stride *= copy.size[order[k]]) copy.dma_strides[order[k]] = stride;
  copy.cpu_strides = copy.dma_strides;
  if (random.one_in(4)) copy.storage_offset = random.below(100);
  return copy;
}

/// Each host dim cut into up to three tiles, in any order before the stick of 4; now and then all dims as one, a stride
/// or a size that fits no tile, a sparse stick, a loop without host counterpart, replicas.
inline Copy random_copy(Random& random) {
  Copy copy = random_host(random);
  const Index volume = product(copy.size);
  std::vector<Digit> dims;
  for (std::size_t i = 0; i < copy.size.size(); ++i) dims.push_back({copy.size[i], copy.dma_strides[i]});
  if (random.one_in(8)) dims = {{volume, 1}};
  const auto sticks = static_cast<std::size_t>(random.below(static_cast<Index>(dims.size())));
  const bool sparse = random.one_in(12);
  std::vector<Digit> digits;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    Digit rest = dims[i];
    const auto cut = [&](Index tile) { rest = {ceil_div(rest.size, tile), rest.stride * tile}; };
    if (i == sticks && !sparse) cut(4);
    for (Index cuts = random.below(3); cuts > 0; --cuts) {
      const Index tile = 2 + random.below(3);
      digits.push_back({tile, rest.stride});
      cut(tile);
    }
    digits.push_back(rest);
  }
  const auto any = [&]() -> Digit& {
    return digits[static_cast<std::size_t>(random.below(static_cast<Index>(digits.size())))];
  };
  if (random.one_in(4)) {
    Digit& digit = any();
    digit.stride = 1 + random.below(volume);
  }
  if (random.one_in(6)) {
    Digit& digit = any();
    digit.size += 1 + random.below(2);
  }
  if (random.one_in(8)) digits.push_back({1, -1});
  if (random.one_in(12)) digits.push_back({2 + random.below(2), 0});
  for (Digit& digit : digits)
    if (digit.size == 1 && random.one_in(2)) digit.stride = -1;
  random.shuffle(digits);
  if (digits.size() > 5) digits.resize(5);
  digits.push_back({4, sparse ? -1 : dims[sticks].stride});
  for (const Digit& digit : digits) {
    copy.device_size.push_back(digit.size);
    copy.stride_map.push_back(digit.stride);
  }
  return copy;
}

/// The next random copy under whose layout every element has a slot of its own, on at most 4096 slots.
inline Copy random_valid_copy(Random& random) {
  for (;;) {
    const Copy copy = random_copy(random);
    if (product(copy.device_size) <= 4096 && Judge(copy).valid()) return copy;
  }
}

/// Gives the copy a CPU tensor that is strided otherwise than the device tensor remembers: rows further apart, every
/// other element, or the dims dense in another order.
inline void restride(Random& random, Copy& copy) {
  const Index kind = random.below(3);
  std::vector<std::size_t> order(copy.size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (kind == 2) random.shuffle(order);
  Index stride = kind == 1 ? 2 : 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    copy.cpu_strides[order[k]] = stride;
    stride *= copy.size[order[k]];
    if (kind == 0) stride += random.below(4);
  }
}

/// Calls visit(Copy) for the constructor's layouts of `size` with sticks of 4: every dim order, dense and sparse, of a
/// host that is dense row-major and one that is dense column-major.
template <typename Visit>
void constructed_copies(const std::vector<Index>& size, Visit visit) {
  Copy copy;
  copy.size = size;
  for (const bool row_major : {true, false}) {
    copy.dma_strides.assign(size.size(), 1);
    for (std::size_t k = 1; k < size.size(); ++k) {
      const std::size_t i = row_major ? size.size() - 1 - k : k;
      const std::size_t inner = row_major ? i + 1 : i - 1;
      copy.dma_strides[i] = copy.dma_strides[inner] * size[inner];
    }
    copy.cpu_strides = copy.dma_strides;
    std::vector<Index> order(size.size());
    std::iota(order.begin(), order.end(), Index{0});
    do {
      for (const bool sparse : {false, true}) {
        std::vector<Index> dim_order = order;
        if (sparse) dim_order.push_back(-1);
        const auto layout = spyre::construct(size, copy.dma_strides, {"SEN169_FP16", 4}, dim_order);
        VL_CHECK(layout.has_value(), "the constructor refuses a small tensor");
        copy.device_size = layout->device_size;
        copy.stride_map = layout->stride_map;
        visit(std::as_const(copy));
      }
    } while (std::ranges::next_permutation(order).found);
  }
}

/// Calls visit(size) for every shape of 1 to 4 dims with at most `most` elements, each dim at least 1.
template <typename Visit>
void shapes(Index most, Visit visit, std::vector<Index> size = {}) {
  if (!size.empty()) visit(std::as_const(size));
  if (size.size() == 4) return;
  for (Index extent = 1; extent * product(size) <= most; ++extent) {
    size.push_back(extent);
    shapes(most, visit, size);
    size.pop_back();
  }
}

}  // namespace vl::test::s2
