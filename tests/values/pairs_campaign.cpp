// Every pair of codes of the 8-bit formats, and sums of dl16, against a definition that shares nothing with the code
// under test: codes are decoded by the format's table, the operation is exact in long double (at most 49 bits are
// needed) or in 128-bit fixed point, and the result is searched among all codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "encodings/values/arithmetic.h"
#include "tests/support/drawn_codes.h"

namespace vl {
namespace values_pairs_campaign {

using namespace values;  // NOLINT: the folder under test

// How a row of the table decodes: exponent bits, fraction bits, bias, and the codes of magnitude that are special.
struct Table {
  const char* name;
  int fraction_bits, bias;
  int infinite;  // the magnitude of infinity; NaN above; -1: none
  int nan;       // the least magnitude that is NaN
  bool fnuz;
};
constexpr Table kTables[] = {{"f8e4m3", 3, 7, -1, 0x7F, false},
                             {"f8e5m2", 2, 15, 0x7C, 0x7D, false},
                             {"f8e4m3fnuz", 3, 8, -1, 0x80, true},
                             {"f8e5m2fnuz", 2, 16, -1, 0x80, true}};

// Nothing: NaN.
std::optional<long double> decoded(const Table& table, unsigned code) {
  const unsigned magnitude = code & 0x7F;
  const bool negative = code >= 0x80;
  if (table.fnuz && code == 0x80) return std::nullopt;
  if (!table.fnuz && static_cast<int>(magnitude) >= table.nan) return std::nullopt;
  if (static_cast<int>(magnitude) == table.infinite) return negative ? -INFINITY : INFINITY;
  const int exponent = static_cast<int>(magnitude) >> table.fraction_bits;
  const int fraction = static_cast<int>(magnitude) - (exponent << table.fraction_bits);
  const long double value = exponent == 0
                                ? std::ldexp(static_cast<long double>(fraction), 1 - table.bias - table.fraction_bits)
                                : std::ldexp(static_cast<long double>(fraction + (1 << table.fraction_bits)),
                                             exponent - table.bias - table.fraction_bits);
  return negative ? -value : value;
}

class Search {
 public:
  explicit Search(const Table& table) : table_(table) {
    for (unsigned code = 0; code < 0x80; ++code)
      if (const auto value = decoded(table, code); value && std::isfinite(*value)) values_.push_back(*value);
    // What would be the next number, if the format went on.
    values_.push_back(2 * values_.back() - values_[values_.size() - 2]);
  }

  // The code of a result; NaN is -1, of any sign.
  [[nodiscard]] int code(std::optional<long double> value) const {
    if (!value || std::isnan(*value)) return -1;
    const bool negative = std::signbit(*value);
    const long double magnitude = std::fabs(*value);
    int best = static_cast<int>(values_.size()) - 1;
    if (magnitude < values_.back()) {
      const auto above = std::ranges::upper_bound(values_, magnitude);
      const int high = static_cast<int>(above - values_.begin()), low = high - 1;
      const long double down = magnitude - values_[static_cast<std::size_t>(low)], up = *above - magnitude;
      best = down < up || (down == up && low % 2 == 0) ? low : high;
    }
    if (best + 1 == static_cast<int>(values_.size())) {
      if (table_.infinite < 0) return -1;
      best = table_.infinite;
    }
    return best + (negative && !(table_.fnuz && best == 0) ? 0x80 : 0);
  }

 private:
  Table table_;
  std::vector<long double> values_;
};

int code_or_nan(const Format& format, Code code) { return is_nan(format, code) ? -1 : static_cast<int>(code); }

std::optional<long double> combined(std::optional<long double> a, std::optional<long double> b, bool sum) {
  if (!a || !b) return std::nullopt;
  return sum ? *a + *b : *a * *b;
}

TEST(EightBits, AllSumsAndProductsAreTheNearestCodes) {
  int decided = 0;
  for (const Table& table : kTables) {
    const Format& format = *find_format(table.name);
    const Search search(table);
    for (unsigned a = 0; a < 256; ++a)
      for (unsigned b = 0; b < 256; ++b) {
        const auto x = decoded(table, a), y = decoded(table, b);
        ASSERT_EQ(code_or_nan(format, add(format, a, b)), search.code(combined(x, y, true)))
            << table.name << " " << a << " + " << b;
        ASSERT_EQ(code_or_nan(format, mul(format, a, b)), search.code(combined(x, y, false)))
            << table.name << " " << a << " * " << b;
        decided += 2;
      }
  }
  EXPECT_EQ(decided, 4 * 2 * 65536);
}

// The products are exact, and the sum of one and a code needs at most 49 bits.
TEST(EightBits, AllFusedProductsAreTheNearestCodes) {
  int decided = 0;
  for (const Table& table : kTables) {
    const Format& format = *find_format(table.name);
    const Search search(table);
    for (unsigned a = 0; a < 256; ++a)
      for (unsigned b = 0; b < 256; ++b)
        for (unsigned c = (a + b) % 7; c < 256; c += 7) {
          const auto exact = combined(combined(decoded(table, a), decoded(table, b), false), decoded(table, c), true);
          ASSERT_EQ(code_or_nan(format, fma(format, a, b, c)), search.code(exact))
              << table.name << " " << a << " * " << b << " + " << c;
          ++decided;
        }
  }
  EXPECT_GT(decided, 4 * 65536 * 36);
}

TEST(EightBits, ExtremaAndOrderAreThoseOfTheNumbers) {
  int decided = 0;
  for (const Table& table : kTables) {
    const Format& format = *find_format(table.name);
    for (unsigned a = 0; a < 256; ++a)
      for (unsigned b = 0; b < 256; ++b) {
        const auto x = decoded(table, a), y = decoded(table, b);
        const bool below = x && y && (*x < *y || (*x == *y && std::signbit(*x) && !std::signbit(*y)));
        const unsigned wins = !x ? a : !y ? b : below ? b : a, loses = !x ? (y ? b : a) : !y ? a : below ? b : a;
        ASSERT_EQ(maximum(format, MaxRule::NanWins, a, b), quieted(format, wins));
        ASSERT_EQ(maximum(format, MaxRule::NanLoses, a, b), !x && !y ? quieted(format, loses) : loses);
        ASSERT_EQ(maximum(format, MaxRule::X86, a, b), x && y && *x > *y ? a : b);
        ASSERT_EQ(minimum(format, MaxRule::X86, a, b), x && y && *x < *y ? a : b);
        if (x && y) {
          ASSERT_EQ(minimum(format, MaxRule::NanWins, a, b), below || a == b ? a : b);
        }
        const values::Order order = compare(format, a, b);
        ASSERT_EQ(order == values::Order::Less, x && y && *x < *y);
        ASSERT_EQ(order == values::Order::Equal, x && y && *x == *y);
        ASSERT_EQ(order == values::Order::Unordered, !x || !y);
        ++decided;
      }
  }
  EXPECT_EQ(decided, 4 * 65536);
}

TEST(EightBits, AllConversionsAreTheNearestCodes) {
  int decided = 0;
  for (const Table& from : kTables)
    for (const Table& to : kTables) {
      const Search search(to);
      for (unsigned a = 0; a < 256; ++a, ++decided) {
        auto value = decoded(from, a);
        if (value && std::isinf(*value) && to.infinite < 0) value = std::nullopt;
        const Code code = convert(*find_format(from.name), *find_format(to.name), a);
        ASSERT_EQ(code_or_nan(*find_format(to.name), code), search.code(value)) << from.name << " " << to.name << a;
      }
    }
  EXPECT_EQ(decided, 16 * 256);
}

// dl16 in units of 2^-40, in which every number is an integer below 2^74: (512 + F)·2^E.
__extension__ using Fixed = __int128;

Fixed fixed(Code code) {
  const Fixed magnitude = (code & 0x7FFF) == 0 ? Fixed{0} : Fixed{512 + (code & 511)} << (code >> 9 & 63);
  return code >= 0x8000 ? -magnitude : magnitude;
}

// The nearest code by dividing: ten bits are kept.
Code dl16_code(Fixed value, bool negative_zero) {
  if (value == 0) return negative_zero ? 0x8000 : 0;
  const Code sign = value < 0 ? 0x8000 : 0;
  Fixed magnitude = value < 0 ? -value : value, unit = 1;
  while (magnitude / unit >= 1024) unit *= 2;
  const Fixed rest = magnitude % unit;
  magnitude /= unit;
  if (2 * rest > unit || (2 * rest == unit && magnitude % 2 == 1)) ++magnitude;
  magnitude *= unit;
  if (magnitude < 513) return sign;
  if (magnitude >= Fixed{1023} << 63) return sign | 0x7FFF;
  Code code = 1;
  for (Code bit = 0x4000; bit > 0; bit /= 2)
    if (code - 1 + bit <= 0x7FFE && fixed(code - 1 + bit) <= magnitude) code += bit;
  return sign | (code - 1);
}

TEST(Dl16, SumsOfRandomAndOfNearlyOppositeCodesAreTheNearestCodes) {
  const Format& format = *find_format("dl16");
  int decided = 0, underflow = 0;
  test::for_all(1'200'000, [&] {
    const auto [a, b] = *test::near_codes(format);
    if ((a & 0x7FFF) == 0x7FFF || (b & 0x7FFF) == 0x7FFF) {
      RC_ASSERT(is_nan(format, add(format, a, b)));
      return;
    }
    const Fixed exact = fixed(a) + fixed(b);
    const Code want = dl16_code(exact, a == 0x8000 && b == 0x8000);
    RC_ASSERT(add(format, a, b) == want);
    underflow += exact != 0 && is_zero(format, want) ? 1 : 0;
    ++decided;
  });
  EXPECT_GT(decided, 950'000);
  EXPECT_GT(underflow, 100);
}

// The sums that are negative and not zero and yet -0: counted by a program in another language over all pairs.
TEST(Dl16, SumsUnderflowToNegativeZeroAsOftenAsCounted) {
  const Format& format = *find_format("dl16");
  int count = 0;
  for (Code a = 0x8001; a < 0xFFFF; ++a) {  // a difference below 2^-31 is one of at most 512 codes
    const Code magnitude = a & 0x7FFF;
    for (Code b = magnitude > 513 ? magnitude - 513 : 1; b < 0x7FFF && b <= magnitude + 513; ++b)
      count += add(format, a, b) == 0x8000 ? 1 : 0;
  }
  EXPECT_EQ(2 * count, 871766);  // (a, b) and (b, a)
}

}  // namespace values_pairs_campaign
}  // namespace vl
