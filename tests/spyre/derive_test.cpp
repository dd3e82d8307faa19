// Derived layouts against three independent sources: the place of each element, counted from its coordinates; the
// constructor, for the layout's canonical form; and the claims, decided by the engines.
#include "encodings/spyre/derive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "encodings/spyre/expression.h"
#include "encodings/spyre/laws.h"
#include "encodings/spyre/slots.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "tests/support/subjects.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_derive_test {

using List = std::vector<Index>;

// A stick of a few elements keeps layouts small; the rules only ever see the number.
DeviceFormat format_of(Index eps) { return {"SEN169_FP16", eps}; }

struct Made {
  Host host;
  List order;  // never sparse
  Index eps = 0;
  SpyreTensorLayout layout;
};

// A random tensor of rank 1 to 4, dense in some order of its dimensions, and its layout under a random dim order.
Made make(test::RandomSpyre& random) {
  Made made;
  const Index rank = random.between(1, 4);
  Index volume = 1;
  for (Index i = 0; i < rank; ++i) {
    const Index most = std::max<Index>(1, std::min<Index>(rank > 2 ? 7 : 20, 300 / volume));
    made.host.size.push_back(random.chance(20) ? 1 : random.between(1, most));
    volume *= made.host.size.back();
  }
  made.order.resize(static_cast<std::size_t>(rank));
  std::iota(made.order.begin(), made.order.end(), Index{0});
  List nesting = made.order;
  const auto shuffle = [&](List& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
  };
  shuffle(made.order);
  if (random.chance(40)) shuffle(nesting);
  made.host.strides.resize(made.host.size.size());
  Index stride = 1;
  for (std::size_t k = nesting.size(); k-- > 0;) {
    const auto dim = static_cast<std::size_t>(nesting[k]);
    made.host.strides[dim] = stride;
    stride *= made.host.size[dim];
  }
  made.eps = random.chance(50) ? 4 : random.chance(50) ? 2 : 8;
  auto layout = construct(made.host.size, made.host.strides, format_of(made.eps), made.order);
  VL_CHECK(layout.has_value(), "a small layout");
  made.layout = std::move(*layout);
  return made;
}

SpyreTensorLayout with_arguments(const Made& made) {
  SpyreTensorLayout layout = made.layout;
  layout.host_size = made.host.size;
  layout.host_strides = made.host.strides;
  layout.dim_order = made.order;
  return layout;
}

map::Tensor tensor_of(const Host& host) {
  map::Tensor tensor;
  tensor.size = host.size;
  tensor.strides = host.strides;
  return tensor;
}

// The slot of an element by its coordinates alone: every device dimension holds one host dimension whole, but for the
// stick's, whose coordinate is a count of sticks and a lane.
Index slot_by_coordinates(const SpyreTensorLayout& layout, const List& order, Index eps, const Point& x) {
  Point slot;
  for (std::size_t i = 1; i <= order.size(); ++i) {  // o[1], …, o[n-1], o[0]
    const Index dim = order[i % order.size()];
    const Index coordinate = x[static_cast<std::size_t>(dim)];
    slot.push_back(dim == order.back() ? coordinate / eps : coordinate);
  }
  slot.push_back(x[static_cast<std::size_t>(order.back())] % eps);
  return test::inside(slot, layout.device_size) ? test::number_of(slot, layout.device_size) : -1;
}

// Every element is where its coordinates say, and nothing else is there: no box is larger than it has to be.
void expect_canonical(const SpyreTensorLayout& layout, const Host& host, const List& order, Index eps) {
  const test::Truth truth = test::truth_of(layout, tensor_of(host), host.strides);
  EXPECT_TRUE(truth.bijective());
  for (Index n = 0; n < test::product(host.size); ++n)
    ASSERT_EQ(truth.slots[static_cast<std::size_t>(n)],
              slot_by_coordinates(layout, order, eps, test::point_at(n, host.size)));
  Index slots = eps;
  for (const Index dim : order) {
    const Index size = host.size[static_cast<std::size_t>(dim)];
    slots *= dim == order.back() ? (size + eps - 1) / eps : size;
  }
  EXPECT_EQ(test::product(layout.device_size), slots);
}

std::string_view word(std::string_view claim, const map::Layout& layout, const map::Layout* other = nullptr) {
  return question::word(test::ask(claim, layout, {.other = other}).verdict);
}

// The claims that a derived layout must keep, and that it is the constructor's.
Index proved_of(const SpyreTensorLayout& derived, const SpyreTensorLayout& canonical, const Host& host) {
  const auto a = lower(derived, tensor_of(host));
  const auto b = lower(canonical, tensor_of(host));
  EXPECT_TRUE(a.has_value() && b.has_value());
  if (!a || !b) return 0;
  Index proved = 0;
  for (const std::string_view claim : {"in-bounds", "injective", "bijective", "offset-identity"}) {
    EXPECT_EQ(word(claim, *a), "proved") << claim << " of " << print(derived);
    proved += word(claim, *a) == "proved" ? 1 : 0;
  }
  EXPECT_EQ(word("equal", *a, &*b), "proved") << print(derived) << " and " << print(canonical);
  return proved + (word("equal", *a, &*b) == "proved" ? 1 : 0);
}

List swapped(List order, Index dim) {
  std::iter_swap(std::ranges::find(order, dim), order.end() - 1);
  return order;
}

constexpr int kCases = 400;

TEST(Restickify, MovesTheStickOfEveryConstructedLayoutToEveryDimension) {
  test::RandomSpyre random(1);
  Index moved = 0, proved = 0, ragged = 0, ones = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    for (Index to = 0; to < static_cast<Index>(made.order.size()); ++to) {
      const auto derived = restickify(with_arguments(made), made.host, to);
      if (to == made.order.back()) {
        EXPECT_FALSE(derived.has_value());
        continue;
      }
      ASSERT_TRUE(derived.has_value()) << derived.error().message;
      const List order = swapped(made.order, to);
      const auto canonical = construct(made.host.size, made.host.strides, format_of(made.eps), order);
      EXPECT_EQ(print(*derived), print(*canonical));
      expect_canonical(*derived, made.host, order, made.eps);
      if (moved % 5 == 0) proved += proved_of(*derived, *canonical, made.host);
      const Index size = made.host.size[static_cast<std::size_t>(to)];
      ragged += size % made.eps != 0 ? 1 : 0;
      ones += size == 1 ? 1 : 0;
      ++moved;
    }
  }
  EXPECT_GT(moved, 500);
  EXPECT_GT(ragged, 300);
  EXPECT_GT(ones, 100);
  EXPECT_EQ(proved, (moved + 4) / 5 * 5);
}

TEST(Restickify, OfARawLayoutIsTheSameOrRefused) {
  test::RandomSpyre random(2);
  Index same = 0, refused = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    for (const Index to : made.order) {
      if (to == made.order.back()) continue;
      const auto derived = restickify(made.layout, made.host, to);
      const auto canonical = construct(made.host.size, made.host.strides, format_of(made.eps), swapped(made.order, to));
      const auto is_one = [&](Index dim) { return made.host.size[static_cast<std::size_t>(dim)] == 1; };
      if (derived) {
        EXPECT_EQ(print(*derived), print(*canonical));
        expect_canonical(*derived, made.host, swapped(made.order, to), made.eps);
      } else {  // which slot a dimension of size 1 has is not in a raw layout
        EXPECT_TRUE(is_one(made.order.back()) || is_one(to)) << derived.error().message << ": " << print(made.layout);
      }
      ++(derived ? same : refused);
    }
  }
  EXPECT_GT(same, 350);
  EXPECT_GT(refused, 50);
}

// The law knows no stride and no slot of a device dimension; where there is one, it is what restickify makes of
// strides.
TEST(Restickify, OfARawLayoutIsItsLaw) {
  test::RandomSpyre random(2);
  Index lawful = 0, lawless = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    for (const Index to : made.order) {
      if (to == made.order.back()) continue;
      const auto derived = restickify(made.layout, made.host, to);
      if (!derived) continue;
      const auto law = law_of({made.layout, *derived, made.host, {}, to});
      EXPECT_TRUE(!law || same_slots(*law, *derived)) << print(made.layout) << " to " << to;
      const auto known = law_of({with_arguments(made), *derived, made.host, {}, to});
      ASSERT_TRUE(known.has_value());
      EXPECT_TRUE(same_slots(*known, *derived));
      ++(law ? lawful : lawless);
    }
  }
  EXPECT_GT(lawful, 300);
  EXPECT_LT(lawless, 50);
}

// Two orders give [1,1,4], [-1,-1,-1] to (1,1), and both say the same of a resize to (1,1), but not of one to (2,3).
TEST(Laws, OfSeveralOrdersAgreeOrThereIsNone) {
  const Host one{{1, 1}, {1, 1}}, other{{2, 3}, {3, 1}};
  const auto layout = construct(one.size, one.strides, format_of(4), List{0, 1});
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(orders_of(*layout, one).size(), 2U);
  EXPECT_TRUE(law_of({*layout, *layout, one, one}).has_value());
  EXPECT_FALSE(law_of({*layout, *layout, one, other}).has_value());
  EXPECT_FALSE(law_of({*layout, *layout, {}, {}}).has_value());
  // No constructor counts the sticks behind the lanes.
  SpyreTensorLayout tiled;
  tiled.device_size = {4, 2, 2, 4}, tiled.stride_map = {8, 4, 2, 1}, tiled.device_dtype = format_of(4);
  EXPECT_FALSE(law_of({tiled, tiled, Host{{4, 8}, {8, 1}}, {}}).has_value());
}

TEST(Restickify, ThereAndBackIsTheLayoutItself) {
  test::RandomSpyre random(3);
  Index returned = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    for (const Index to : made.order) {
      if (to == made.order.back()) continue;
      const SpyreTensorLayout start = with_arguments(made);
      const auto there = restickify(start, made.host, to);
      ASSERT_TRUE(there.has_value());
      const auto back = restickify(*there, made.host, made.order.back());
      ASSERT_TRUE(back.has_value()) << back.error().message;
      EXPECT_EQ(*back, start);
      ++returned;
    }
  }
  EXPECT_GT(returned, 500);
}

// The rule before #2112: the number of sticks rounded down.
TEST(Restickify, WithTheCountRoundedDownIsRefutedWhereverAStickIsRagged) {
  test::RandomSpyre random(4);
  Index refuted = 0, proved = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    for (const Index to : made.order) {
      const Index size = made.host.size[static_cast<std::size_t>(to)];
      if (to == made.order.back() || size == 1) continue;
      auto floored = *restickify(with_arguments(made), made.host, to);
      const std::size_t count = floored.device_size.size() > 2 ? floored.device_size.size() - 3 : 0;
      floored.device_size[count] = size / made.eps;
      const auto layout = lower(floored, tensor_of(made.host));
      ASSERT_TRUE(layout.has_value());
      const bool ragged = size % made.eps != 0;
      EXPECT_EQ(word("in-bounds", *layout), ragged ? "refuted" : "proved") << print(floored);
      ++(ragged ? refuted : proved);
    }
  }
  EXPECT_GT(refuted, 200);
  EXPECT_GT(proved, 50);
}

TEST(Rescale, OfAConstructedLayoutIsTheConstructorsForTheOtherFormat) {
  test::RandomSpyre random(5);
  Index rescaled = 0, proved = 0, fewer = 0, more = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    for (const Index eps : {2, 3, 4, 8, 16}) {
      const auto derived = rescale(with_arguments(made), {format_of(eps), {}, made.host, {}});
      ASSERT_TRUE(derived.has_value()) << derived.error().message << ": " << print(made.layout);
      const auto canonical = construct(made.host.size, made.host.strides, format_of(eps), made.order);
      EXPECT_EQ(print(*derived), print(*canonical));
      expect_canonical(*derived, made.host, made.order, eps);
      if (rescaled % 10 == 0) proved += proved_of(*derived, *canonical, made.host);
      fewer += eps < made.eps ? 1 : 0;
      more += eps > made.eps ? 1 : 0;
      ++rescaled;
    }
  }
  EXPECT_EQ(rescaled, 5 * kCases);
  EXPECT_EQ(proved, rescaled / 10 * 5);
  EXPECT_GT(fewer, 400);
  EXPECT_GT(more, 400);
}

// As torch-spyre's own function sees it: a raw layout and the extent of the stick's dimension.
TEST(Rescale, OfARawLayoutNeedsTheExtentAlone) {
  test::RandomSpyre random(6);
  Index same = 0, refused = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    const Index extent = made.host.size[static_cast<std::size_t>(made.order.back())];
    for (const Index eps : {2, 4, 16}) {
      const auto derived = rescale(made.layout, {format_of(eps), extent, {}, {}});
      const auto canonical = construct(made.host.size, made.host.strides, format_of(eps), made.order);
      if (derived) {
        EXPECT_EQ(print(*derived), print(*canonical)) << print(made.layout);
      } else {
        ADD_FAILURE() << derived.error().message << ": " << print(made.layout);
      }
      ++(derived ? same : refused);
    }
  }
  EXPECT_EQ(same, 3 * kCases);
  EXPECT_EQ(refused, 0);
}

// Without the extent: accepted only where every tensor with these sticks has the same number of new ones.
TEST(Rescale, WithoutTheExtentIsAcceptedOnlyWhereItDoesNotMatter) {
  test::RandomSpyre random(7);
  Index accepted = 0, refused = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    const Index extent = made.host.size[static_cast<std::size_t>(made.order.back())];
    const Index sticks = (extent + made.eps - 1) / made.eps;
    for (const Index eps : {2, 4, 8, 16}) {
      const auto derived = rescale(made.layout, {format_of(eps), {}, {}, {}});
      const bool whole = extent == 1 || eps == made.eps || (eps > made.eps && sticks * made.eps % eps == 0);
      EXPECT_EQ(derived.has_value(), whole) << print(made.layout) << " to sticks of " << eps;
      ++(derived ? accepted : refused);
      if (!derived) continue;
      const auto canonical = construct(made.host.size, made.host.strides, format_of(eps), made.order);
      EXPECT_EQ(print(*derived), print(*canonical));
    }
  }
  EXPECT_GT(accepted, 400);
  EXPECT_GT(refused, 400);
}

TEST(Resize, GivesTheConstructorsLayoutOfTheNewSize) {
  test::RandomSpyre random(8);
  Index resized = 0, proved = 0, grown = 0;
  for (int n = 0; n < kCases; ++n) {
    const Made made = make(random);
    List size = made.host.size;
    for (Index& extent : size) extent = random.chance(30) ? 1 : random.between(1, made.order.size() > 2 ? 6 : 15);
    const auto derived = resize(with_arguments(made), size);
    ASSERT_TRUE(derived.has_value()) << derived.error().message;
    const Host host = *constructed_host(*derived);
    EXPECT_EQ(host.size, size);
    expect_canonical(*derived, host, made.order, made.eps);
    const auto canonical = construct(size, host.strides, format_of(made.eps), made.order);
    if (resized % 5 == 0) proved += proved_of(*derived, *canonical, host);
    for (std::size_t i = 0; i < size.size(); ++i)  // dimensions nest as they did
      for (std::size_t j = 0; j < size.size(); ++j)
        if (made.host.size[i] > 1 && made.host.size[j] > 1 && made.host.strides[i] < made.host.strides[j]) {
          EXPECT_LE(host.strides[i] * size[i], host.strides[j]);
        }
    grown += test::product(size) > test::product(made.host.size) ? 1 : 0;
    ++resized;
  }
  EXPECT_EQ(resized, kCases);
  EXPECT_EQ(proved, kCases / 5 * 5);
  EXPECT_GT(grown, 100);
}

TEST(Resize, OfARawLayoutFindsTheDimOrderOrSaysThatTwoFit) {
  test::RandomSpyre random(9);
  Index same = 0, refused = 0;
  for (int n = 0; n < kCases; ++n) {
    Made made = make(random);
    made.host.strides = *map::dense_strides(made.host.size);
    made.layout = *construct(made.host.size, made.host.strides, format_of(made.eps), made.order);
    List size = made.host.size;
    for (Index& extent : size) extent = random.between(2, 5);
    const auto derived = resize(made.layout, size, made.host.size);
    const auto canonical = construct(size, *map::dense_strides(size), format_of(made.eps), made.order);
    if (derived) {
      EXPECT_EQ(print(*derived), print(*canonical));
    } else {
      EXPECT_NE(derived.error().message.find("both give this layout"), std::string::npos) << derived.error().message;
    }
    EXPECT_TRUE(derived || std::ranges::find(made.host.size, 1) != made.host.size.end()) << print(made.layout);
    ++(derived ? same : refused);
  }
  EXPECT_GT(same, 200);
  EXPECT_GE(refused, 50);
}

}  // namespace spyre_derive_test
}  // namespace vl::spyre
