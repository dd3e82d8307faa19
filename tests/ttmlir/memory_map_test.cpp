// Maps of memories: what is read, bytes worked by hand, and random maps of pages over banks against plain arithmetic.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "encodings/ttmlir/ttmlir.h"
#include "tests/support/property.h"
#include "verifier/claims/claim.h"

namespace vl::ttmlir {
namespace ttmlir_memory_map_test {

map::Tensor tensor_of(std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  return tensor;
}

std::string dram(Index banks, const std::vector<Index>& symbols) {
  const std::string flat = "((d0 * s1) * s2 + d1 * s2 + d2)";
  return fmt::format(
      "dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4] -> (0, 0, ({0} floordiv s3) mod {1}, ({0} floordiv s3) floordiv {1} "
      "* "
      "s3 + {0} mod s3 + s4), symbols = [{2}]",
      flat, banks, fmt::join(symbols, ", "));
}

TEST(TtmlirMemoryMap, PutsBytesWhereTheSourceSays) {
  // By hand: 2x4 cores of 4096 bytes, pages of 2048, 12 banks, base 64: byte 5 of core (1, 3) is byte 28677 of all, in
  // page 14, which is the second one of bank 2: 2048 + 5 + 64.
  const auto reading = read(dram(12, {2, 4, 4096, 2048, 64}), tensor_of({2, 4, 4096}));
  ASSERT_TRUE(reading.has_value() && reading->layout() != nullptr);
  EXPECT_EQ(map::outputs_at(*reading->layout(), Point{1, 3, 5}, {}), (Point{0, 0, 2, 2117}));
  EXPECT_EQ(reading->device_bits, 8);
  const auto l1 = read("l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), symbols = [1024]", tensor_of({8, 8, 64}));
  ASSERT_TRUE(l1.has_value() && l1->layout() != nullptr);
  EXPECT_EQ(map::outputs_at(*l1->layout(), Point{3, 4, 5}, {}), (Point{0, 3, 4, 1029}));
  const auto parsed = parse(dram(12, {2, 4, 4096, 2048, 64}));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(*parse(print(*parsed)), *parsed);
}

TEST(TtmlirMemoryMap, IsInjectiveIffNoTwoBytesShareOne) {
  int apart = 0, shared = 0;
  test::for_all(200, [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    const Index rows = pick(1, 3), columns = pick(1, 3), bytes = pick(1, 24), page = pick(1, 8), banks = pick(1, 5);
    // The step from core to core is sometimes less than a shard.
    const Index step = pick(0, 2) == 2 ? pick(1, bytes) : bytes;
    const auto reading = read(dram(banks, {rows, columns, step, page, 16}), tensor_of({rows, columns, bytes}));
    RC_ASSERT((reading.has_value() && reading->layout() != nullptr));
    RC_LOG() << reading->normal;
    std::set<std::pair<Index, Index>> places;
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c)
        for (Index b = 0; b < bytes; ++b) {
          const Index flat = (r * columns + c) * step + b, number = flat / page;
          places.insert({number % banks, number / banks * page + flat % page});
        }
    const bool injective = static_cast<Index>(places.size()) == rows * columns * bytes;
    const auto verdict =
        claims::decide(*claims::find_claim("injective"), claims::OneLayout{*reading->layout()}, {}).verdict;
    RC_ASSERT(question::word(verdict) == (injective ? "proved" : "refuted"));
    ++(injective ? apart : shared);
  });
  EXPECT_GE(apart, 50);
  EXPECT_GE(shared, 10);
}

TEST(TtmlirMemoryMap, RejectsWhatItCannotRead) {
  const std::pair<std::string, std::string> table[] = {
      {"dramMap = ", "expected '(', found the end"},
      {"dramMap = (d0) -> (d0", "expected"},
      {"dramMap = (d0)[s0] -> (0, 0, d0, s0)", "the map has 1 symbols, and 0 values stand behind it"},
      {"dramMap = (d0)[s0] -> (0, 0, d0, s0), symbols = [1, 2]", "the map has 1 symbols, and 2 values stand behind it"},
      {"dramMap = (d0) -> (0, 0, d0, s0)", "'s0' is not a dimension of the map"},
      {"dramMap = (d0)[s0] -> (0, 0, d0, s0), symbols = [99999999999999999999]", "64 bits"},
      {"dramMap = (d0)[s0, -> (0, 0, d0, s0), symbols = [1]", "expected"},
      {"dramMap = (d0) -> (0, 0, d0, 1), symbol = []", "expected 'symbols'"},
      {"dramMap = (d0) -> (0, 0, d0, 1) more", "expected the end"},
  };
  for (const auto& [text, error] : table) {
    const auto parsed = parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_NE(parsed.error().message.find(error), std::string::npos) << text << ": " << parsed.error().message;
  }
  for (const char* text : {"dramMap = (d0)[s0] -> (0, 0, d0 floordiv s0, 1), symbols = [0]", "l1Map = (d0) -> (0, d0)",
                           "l1Map = (d0, d1) -> (0, 0, d0, d1)"}) {
    const auto reading = read(text, tensor_of({4}));
    ASSERT_TRUE(reading.has_value()) << text;
    EXPECT_NE(reading->undecidable(), nullptr) << text;
  }
}

}  // namespace ttmlir_memory_map_test
}  // namespace vl::ttmlir
