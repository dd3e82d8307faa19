// The general sentences of the documents (corpus/seeds/README.md) on every tensor of a small scope: sizes 0, 1, a few,
// and around one stick and two; all dim orders, dense and sparse. This file states each sentence in plain arithmetic;
// if the sentence is not always true, the test states exactly when it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "encodings/spyre/spyre.h"
#include "tests/support/subjects.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_document_laws_test {

using List = std::vector<Index>;

Index product(const List& values, std::size_t from = 0) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from), values.end(), Index{1},
                         std::multiplies<>());
}

List row_major(const List& size) { return *map::dense_strides(size); }

struct Made {
  List size;
  List order;
  bool sparse = false;
  SpyreTensorLayout layout;
  [[nodiscard]] std::string show() const {
    return fmt::format("[{}] in order [{}]", fmt::join(size, ","), fmt::join(order, ","));
  }
};

// Every constructor layout with these sizes per dimension, in every dim order, dense and sparse.
std::vector<Made> every_layout(std::size_t rank, const List& sizes, Index eps) {
  std::vector<Made> all;
  const DeviceFormat format{"of the test", eps};
  Index count = 1;
  for (std::size_t i = 0; i < rank; ++i) count *= static_cast<Index>(sizes.size());
  for (Index n = 0; n < count; ++n) {
    List size(rank);
    Index left = n;
    for (Index& extent : size) {
      extent = sizes[static_cast<std::size_t>(left) % sizes.size()];
      left /= static_cast<Index>(sizes.size());
    }
    List order(rank);
    std::iota(order.begin(), order.end(), 0);
    do {
      for (const bool sparse : {false, true}) {
        List with = order;
        if (sparse) with.push_back(-1);
        auto layout = construct(size, row_major(size), format, with);
        VL_CHECK(layout.has_value(), "a constructor layout is refused");
        all.push_back({size, std::move(with), sparse, *std::move(layout)});
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return all;
}

map::Layout lowered(const SpyreTensorLayout& layout, const List& size, std::optional<List> strides = {}) {
  map::Tensor tensor;
  tensor.size = size;
  tensor.strides = std::move(strides);
  auto made = lower(layout, tensor);
  VL_CHECK(made.has_value(), "a layout of the scope is not lowered");
  return *std::move(made);
}

List slot(const map::Layout& layout, const List& element) {
  const Point outputs = map::outputs_at(layout, element, Point(layout.replicas().rank(), 0));
  if (!layout.is_slot(outputs)) return {};
  return List(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
}

SpyreTensorLayout by_dim_map(List device_size, List dim_map) {
  SpyreTensorLayout out;
  out.device_size = std::move(device_size);
  out.dim_map = std::move(dim_map);
  out.device_dtype = {"of the test", 4};
  return out;
}

std::string_view asked(std::string_view claim, const map::Layout& layout, const map::Layout* other = nullptr) {
  return question::word(test::ask(claim, layout, {.other = other}).verdict);
}

// 000, 001: the stick dimension always has eps elements; device_rank is at least the rank; the default has rank + 1.
TEST(Documents, GiveEveryLayoutOneStickAndMoreDimensionsThanTheTensor) {
  Index layouts = 0;
  for (const Index eps : {32, 64, 128})
    for (std::size_t rank = 0; rank <= 3; ++rank)
      for (const Made& made : every_layout(rank, {0, 1, 2, eps - 1, eps, eps + 1, 2 * eps + 2}, eps)) {
        EXPECT_EQ(made.layout.device_size.back(), eps) << made.show();
        EXPECT_EQ(made.layout.device_size.size(), rank == 0 ? 2 : rank + (made.sparse ? 2 : 1)) << made.show();
        EXPECT_EQ(made.layout.stride_map.size(), made.layout.device_size.size()) << made.show();
        ++layouts;
      }
  EXPECT_EQ(layouts, 3 * 2 * (1 + 7 + 49 * 2 + 343 * 6));
  for (std::size_t rank = 4; rank <= 6; ++rank)
    for (const Made& made : every_layout(rank, {1, 3}, 64)) {
      EXPECT_EQ(made.layout.device_size.back(), 64) << made.show();
      EXPECT_EQ(made.layout.device_size.size(), rank + (made.sparse ? 2 : 1)) << made.show();
    }
}

// 000: the default has its stick along the last dimension, is tiled along the first, and pads only the last. With
// another dim order o the element x is at (x[o1], …, x[s] / eps, x[o0], x[s] mod eps), s the last of o; a sparse one
// at (x[o1], …, 0, x[o0], 0).
TEST(Documents, SayWhereEveryElementOfAConstructedLayoutIs) {
  Index elements = 0;
  Index layouts = 0;
  for (std::size_t rank = 1; rank <= 3; ++rank)
    for (const Made& made : every_layout(rank, {1, 2, 3, 4, 5, 9}, 4)) {
      const map::Layout layout = lowered(made.layout, made.size);
      const auto dim = [&](std::size_t k) { return static_cast<std::size_t>(made.order[k]); };
      List x(rank, 0);
      do {
        List expected;
        for (std::size_t k = 1; k + 1 < made.order.size(); ++k) expected.push_back(x[dim(k)]);
        const Index along = made.sparse ? 0 : x[dim(rank - 1)];
        expected.push_back(along / 4);
        if (made.order.size() > 1) expected.push_back(x[dim(0)]);
        expected.push_back(along % 4);
        ASSERT_EQ(slot(layout, x), expected) << made.show() << " at [" << fmt::format("{}", fmt::join(x, ",")) << "]";
        ++elements;
      } while (map::advance(layout.logical(), x));
      Index places = 4;
      for (std::size_t k = 0; k < rank; ++k) {
        const bool stick = !made.sparse && k == dim(rank - 1);
        places *= stick ? (made.size[k] + 3) / 4 : made.size[k];
      }
      EXPECT_EQ(layout.physical().volume(), places) << made.show();
      ++layouts;
    }
  EXPECT_EQ(layouts, 2 * (6 + 36 * 2 + 216 * 6));
  EXPECT_GT(elements, 90'000);
}

// 000, 001: stride[i] = prod(device_size[i+1:]). "Always decreasing" is: never increasing, and equal exactly where the
// next device size is 1. 003's "row-major strides decrease from left to right" fails at the same place on the host.
TEST(Documents, HaveStridesThatNeverIncreaseAndTieAtSizesOfOne) {
  Index ties = 0;
  Index drops = 0;
  for (std::size_t rank = 1; rank <= 3; ++rank)
    for (const Made& made : every_layout(rank, {1, 2, 5, 9}, 4)) {
      const map::Layout layout = lowered(made.layout, made.size);
      const List& device = made.layout.device_size;
      for (std::size_t i = 0; i < device.size(); ++i) {
        List unit(device.size(), 0);
        if (device[i] < 2) continue;
        unit[i] = 1;
        EXPECT_EQ(layout.physical().linear(unit), product(device, i + 1)) << made.show();
      }
      for (std::size_t i = 0; i + 1 < device.size(); ++i) {
        const Index outer = product(device, i + 1);
        const Index inner = product(device, i + 2);
        EXPECT_GE(outer, inner) << made.show();
        EXPECT_EQ(outer == inner, device[i + 1] == 1) << made.show();
        ++(outer == inner ? ties : drops);
      }
    }
  EXPECT_GT(ties, 300);
  EXPECT_GT(drops, 300);
}

// 000, 001: the elements of one stick share the coordinates of all dimensions but the last, and no two sticks do.
TEST(Documents, KeepAStickInOnePlaceOfTheOuterDimensions) {
  Index slots = 0;
  for (std::size_t rank = 1; rank <= 2; ++rank)
    for (const Made& made : every_layout(rank, {1, 2, 5, 9}, 4)) {
      const map::Layout layout = lowered(made.layout, made.size);
      List at(layout.physical().rank(), 0);
      List outer;
      do {
        const Index place = layout.physical().linear(at);
        const List coordinates(at.begin(), at.end() - 1);
        EXPECT_EQ(place % 4, at.back());
        EXPECT_EQ(place % 4 != 0, outer == coordinates) << made.show();
        outer = coordinates;
        ++slots;
      } while (map::advance(layout.physical(), at));
    }
  EXPECT_GT(slots, 2000);
}

// 003: the device has at least as many places as the tensor has elements, equally many exactly when nothing is padded;
// not so of an expanded host, where a stride is 0.
TEST(Documents, GiveTheDeviceAtLeastTheElementsOfADenseTensor) {
  Index equal = 0;
  Index more = 0;
  Index fewer = 0;
  for (std::size_t rank = 1; rank <= 3; ++rank)
    for (const Made& made : every_layout(rank, {1, 3, 4, 8}, 4)) {
      const Index places = product(made.layout.device_size);
      const Index elements = product(made.size);
      EXPECT_GE(places, elements) << made.show();
      const bool whole = !made.sparse && made.size[static_cast<std::size_t>(made.order[rank - 1])] % 4 == 0;
      EXPECT_EQ(places == elements, whole) << made.show();
      ++(places == elements ? equal : more);
      if (made.sparse || elements > 32) continue;
      // The same layout read with a new first dimension of 40 equal copies.
      List size{40};
      List strides{0};
      size.insert(size.end(), made.size.begin(), made.size.end());
      for (const Index stride : row_major(made.size)) strides.push_back(stride);
      const map::Layout expanded = lowered(made.layout, size, strides);
      EXPECT_EQ(asked("in-bounds", expanded), "proved") << made.show();
      EXPECT_EQ(asked("injective", expanded), "refuted") << made.show();
      fewer += places < expanded.logical().volume() ? 1 : 0;
    }
  EXPECT_GT(equal, 100);
  EXPECT_GT(more, 400);
  EXPECT_GT(fewer, 100);
}

// 000: offset = dot(device_coordinates, stride_map). True of every slot with data, and there -1 never enters, because
// such a coordinate is 0. On padding the same formula names an element that lives elsewhere, or a negative offset.
TEST(Documents, HaveAnIdentityThatHoldsOfDataAndFailsOnPadding) {
  Index data = 0;
  Index names_another = 0;
  Index names_none = 0;
  for (std::size_t rank = 1; rank <= 3; ++rank)
    for (const Made& made : every_layout(rank, {1, 2, 5}, 4)) {
      const map::Layout layout = lowered(made.layout, made.size);
      const auto dot = [&](const List& at) {
        Index sum = 0;
        for (std::size_t j = 0; j < at.size(); ++j) sum += at[j] * made.layout.stride_map[j];
        return sum;
      };
      std::vector<bool> holds(static_cast<std::size_t>(layout.physical().volume()), false);
      Index offset = 0;
      List x(rank, 0);
      do {
        const List at = slot(layout, x);
        ASSERT_FALSE(at.empty()) << made.show();
        EXPECT_EQ(dot(at), offset++) << made.show();
        holds[static_cast<std::size_t>(layout.physical().linear(at))] = true;
        ++data;
      } while (map::advance(layout.logical(), x));
      for (Index place = 0; place < layout.physical().volume(); ++place) {
        if (holds[static_cast<std::size_t>(place)]) continue;
        const Index named = dot(layout.physical().point(place));
        ++(named >= 0 && named < offset ? names_another : names_none);
      }
    }
  EXPECT_GT(data, 5000);
  EXPECT_GT(names_another, 5000);
  EXPECT_GT(names_none, 2000);
}

// 000: "dimensions of size 1 must not contribute". A 1 between others leaves the memory as it was. In front it moves
// elements as soon as the old first dimension has more than 1 and so have the sticks of the others, because the 1 takes
// its place beside the stick; at the end it does as soon as the old last has more than 1, because the 1 is the stick
// now.
TEST(Documents, LetADimensionOfSizeOneChangeMemoryOnlyAtEitherEnd) {
  Index same = 0;
  Index moved = 0;
  for (std::size_t rank = 1; rank <= 3; ++rank)
    for (const Made& made : every_layout(rank, {1, 2, 4, 5, 9}, 4)) {
      if (made.sparse || !std::ranges::is_sorted(made.order)) continue;
      for (std::size_t at = 0; at <= rank; ++at) {
        List size = made.size;
        size.insert(size.begin() + static_cast<std::ptrdiff_t>(at), 1);
        List order(size.size());
        std::iota(order.begin(), order.end(), 0);
        const auto with = construct(size, row_major(size), made.layout.device_dtype, order);
        ASSERT_TRUE(with.has_value());
        const map::Layout a = lowered(*with, size);
        const map::Layout b = lowered(made.layout, size, row_major(size));  // the canonical form's layout
        const Index sticks_beside = (made.size.back() + 3) / 4 * product(made.size, 1) / made.size.back();
        const bool front = rank > 1 && made.size.front() > 1 && sticks_beside > 1;
        const bool differs = at == 0 ? front : at == rank && made.size.back() > 1;
        ASSERT_EQ(asked("equal", a, &b), differs ? "refuted" : "proved") << made.show() << ", a 1 at " << at;
        ++(differs ? moved : same);
      }
    }
  EXPECT_GT(same, 200);
  EXPECT_GT(moved, 150);
}

// 001: a repeated dimension is combined right to left, and a dim_map never asks for the host's strides; 003: it gives
// the host view back. All dim_maps of three device dimensions onto one or two host dimensions.
TEST(Documents, CombineRepeatedDimensionsRightToLeftWhateverTheStrides) {
  Index slots = 0;
  Index maps = 0;
  for (const List& device : {List{2, 3, 4}, List{3, 1, 4}, List{1, 2, 4}, List{4, 4, 4}})
    for (Index n = 0; n < 27; ++n) {
      const List dims{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
      if (std::ranges::find(dims, 0) == dims.end()) continue;
      List size{1, 1};  // as large as the digits of each host dimension reach
      for (std::size_t j = 0; j < 3; ++j)
        if (dims[j] >= 0) size[static_cast<std::size_t>(dims[j])] *= device[j];
      const SpyreTensorLayout text = by_dim_map(device, dims);
      const map::Layout dense = lowered(text, size);
      const map::Layout reversed = lowered(text, size, List{1, size[0]});
      const map::Layout expanded = lowered(text, size, List{0, 0});
      List at(3, 0);
      do {
        List x(2, 0);
        bool data = true;
        for (std::size_t j = 0; j < 3; ++j) {
          if (dims[j] < 0) data = data && at[j] == 0;
          else x[static_cast<std::size_t>(dims[j])] = x[static_cast<std::size_t>(dims[j])] * device[j] + at[j];
        }
        if (!data) continue;
        ASSERT_EQ(slot(dense, x), at) << fmt::format("dim_map {}", fmt::join(dims, ","));
        ASSERT_EQ(slot(reversed, x), at);
        ASSERT_EQ(slot(expanded, x), at);
        ++slots;
      } while (map::advance(dense.physical(), at));
      EXPECT_EQ(asked("bijective", expanded), "proved");
      ++maps;
    }
  EXPECT_EQ(maps, 4 * (27 - 8));
  EXPECT_GT(slots, 1000);
}

// 000 and 001 print the same default layout in two notations: the dim_map 1, …, n-1, 0, n-1 is the default's
// stride_map.
TEST(Documents, PrintOneDefaultLayoutInBothNotations) {
  Index proved = 0;
  for (std::size_t rank = 1; rank <= 4; ++rank)
    for (const Made& made : every_layout(rank, rank == 4 ? List{1, 2, 5} : List{1, 2, 4, 5, 9}, 4)) {
      if (made.sparse || !std::ranges::is_sorted(made.order)) continue;
      List dims;
      for (std::size_t k = 1; k < rank; ++k) dims.push_back(static_cast<Index>(k));
      dims.push_back(0);
      dims.push_back(static_cast<Index>(rank) - 1);
      const map::Layout a = lowered(made.layout, made.size);
      const map::Layout b = lowered(by_dim_map(made.layout.device_size, dims), made.size);
      ASSERT_EQ(asked("equal", a, &b), "proved") << made.show();
      ++proved;
    }
  EXPECT_EQ(proved, 5 + 25 + 125 + 81);
}

}  // namespace spyre_document_laws_test
}  // namespace vl::spyre
