// parse_fill against bit patterns of NumPy and ml_dtypes, and against the formats' own definitions.
#include "oracle/reference/fill.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <optional>

namespace vl::oracle {
namespace oracle_fill_test {

using map::ElementType;

/// The fill as a number; nothing if it is refused.
std::optional<std::uint64_t> bits_of(std::string_view text, ElementType type) {
  const auto bytes = parse_fill(text, type);
  if (!bytes) return std::nullopt;
  EXPECT_EQ(bytes->size() * 8, static_cast<std::size_t>(map::bits(type)));
  std::uint64_t bits = 0;
  for (std::size_t i = bytes->size(); i-- > 0;) bits = bits << 8 | std::to_integer<std::uint64_t>((*bytes)[i]);
  return bits;
}

struct Known {
  std::string_view text;
  std::uint64_t f16, bf16, f32, f8e4m3, f8e5m2;
};

constexpr std::uint64_t kNone = ~std::uint64_t{0};

// From numpy 2.4.6 and ml_dtypes 0.6.0; kNone where ml_dtypes makes a NaN of a number that is too large.
constexpr Known kKnown[] = {
    {"0", 0x0000, 0x0000, 0x00000000, 0x00, 0x00},
    {"-0", 0x8000, 0x8000, 0x80000000, 0x80, 0x80},
    {"1", 0x3c00, 0x3f80, 0x3f800000, 0x38, 0x3c},
    {"-1", 0xbc00, 0xbf80, 0xbf800000, 0xb8, 0xbc},
    {"0.1", 0x2e66, 0x3dcd, 0x3dcccccd, 0x1d, 0x2e},
    {"3.14159", 0x4248, 0x4049, 0x40490fd0, 0x45, 0x42},
    {"448", 0x5f00, 0x43e0, 0x43e00000, 0x7e, 0x5f},
    {"464", 0x5f40, 0x43e8, 0x43e80000, 0x7e, 0x5f},
    {"465", 0x5f44, 0x43e8, 0x43e88000, kNone, 0x5f},
    {"2049", 0x6800, 0x4500, 0x45001000, kNone, 0x68},
    {"2051", 0x6802, 0x4500, 0x45003000, kNone, 0x68},
    {"57344", 0x7b00, 0x4760, 0x47600000, kNone, 0x7b},
    {"61439", 0x7b80, 0x4770, 0x476fff00, kNone, 0x7b},
    {"61440", 0x7b80, 0x4770, 0x47700000, kNone, 0x7c},
    {"65504", 0x7bff, 0x4780, 0x477fe000, kNone, 0x7c},
    {"65519", 0x7bff, 0x4780, 0x477fef00, kNone, 0x7c},
    {"65520", 0x7c00, 0x4780, 0x477ff000, kNone, 0x7c},
    {"-70000", 0xfc00, 0xc789, 0xc788b800, kNone, 0xfc},
    {"6.1e-05", 0x03ff, 0x3880, 0x387fda40, 0x00, 0x04},
    {"5.960464477539063e-08", 0x0001, 0x3380, 0x33800000, 0x00, 0x00},
    {"2.980232238769531e-08", 0x0000, 0x3300, 0x33000000, 0x00, 0x00},
    {"8.940696716308594e-08", 0x0002, 0x33c0, 0x33c00000, 0x00, 0x00},
    {"0.001953125", 0x1800, 0x3b00, 0x3b000000, 0x01, 0x18},
    {"0.0009765625", 0x1400, 0x3a80, 0x3a800000, 0x00, 0x14},
    {"0.0029296875", 0x1a00, 0x3b40, 0x3b400000, 0x02, 0x1a},
    {"3.4e38", 0x7c00, 0x7f80, 0x7f7fc99e, kNone, 0x7c},
    {"3.4028236e38", 0x7c00, 0x7f80, 0x7f800000, kNone, 0x7c},
    {"1e-40", 0x0000, 0x0001, 0x000116c2, 0x00, 0x00},
    {"1e999", 0x7c00, 0x7f80, 0x7f800000, kNone, 0x7c},
    {"-1e-999", 0x8000, 0x8000, 0x80000000, 0x80, 0x80},
    {"nan", 0x7e00, 0x7fc0, 0x7fc00000, 0x7f, 0x7e},
    {"inf", 0x7c00, 0x7f80, 0x7f800000, kNone, 0x7c},
    {"-inf", 0xfc00, 0xff80, 0xff800000, kNone, 0xfc},
};

// NumPy's result, except that a number which becomes an infinity is refused.
TEST(Fill, FloatsHaveTheBitsThatNumPyGives) {
  int refused = 0;
  for (const Known& row : kKnown) {
    const auto expect = [&](ElementType type, std::uint64_t bits, std::uint64_t infinity) {
      const bool is_infinite = (bits & infinity) == infinity && !row.text.ends_with("inf") && row.text != "nan";
      EXPECT_EQ(bits_of(row.text, type).value_or(kNone), is_infinite ? kNone : bits) << row.text << name(type);
      refused += is_infinite ? 1 : 0;
    };
    expect(ElementType::F16, row.f16, 0x7c00);
    expect(ElementType::Bf16, row.bf16, 0x7f80);
    expect(ElementType::F32, row.f32, 0x7f800000);
    expect(ElementType::F8E5M2, row.f8e5m2, 0x7c);
    EXPECT_EQ(bits_of(row.text, ElementType::F8E4M3).value_or(kNone), row.f8e4m3) << row.text;
  }
  EXPECT_EQ(refused, 18);
}

TEST(Fill, ANumberBeyondTheTypeIsRefusedAndTheLargestOneNamed) {
  const std::tuple<ElementType, std::string, std::string> rows[] = {
      {ElementType::F16, "1e9", "65504"},
      {ElementType::F16, "-65520", "65504"},
      {ElementType::Bf16, "3.4e38", "3.3895313892515355e+38"},
      {ElementType::F8E4M3, "465", "448"},
      {ElementType::F8E5M2, "61440", "57344"},
      {ElementType::F32, "3.4028236e38", "3.4028234663852886e+38"},
      {ElementType::F64, "1e999", "1.7976931348623157e+308"},
  };
  for (const auto& [type, text, most] : rows) {
    const auto fill = parse_fill(text, type);
    ASSERT_FALSE(fill.has_value()) << text;
    EXPECT_EQ(fill.error().code, ErrorCode::Value);
    EXPECT_EQ(fill.error().message,
              fmt::format("the fill {} is beyond {}, whose largest value is {}", text, name(type), most));
    EXPECT_TRUE(bits_of(most, type).has_value()) << most;
  }
}

struct Format {
  ElementType type;
  int exponent, mantissa;
  std::uint64_t finite;  // codes without sign that are finite numbers: 0 … finite-1
};

constexpr Format kFormats[] = {{ElementType::F16, 5, 10, 0x7c00},
                               {ElementType::Bf16, 8, 7, 0x7f80},
                               {ElementType::F8E4M3, 4, 3, 0x7f},
                               {ElementType::F8E5M2, 5, 2, 0x7c}};

/// The value of a code, by the definition of binary floating point.
double value_of(const Format& format, std::uint64_t code) {
  const auto fraction = static_cast<double>(code & ((std::uint64_t{1} << format.mantissa) - 1));
  const int field = static_cast<int>(code >> format.mantissa);
  const int bias = (1 << (format.exponent - 1)) - 1;
  return field == 0 ? std::ldexp(fraction, 1 - bias - format.mantissa)
                    : std::ldexp(fraction + std::ldexp(1.0, format.mantissa), field - bias - format.mantissa);
}

TEST(Fill, EveryFiniteCodeIsItsOwnFill) {
  for (const Format& format : kFormats)
    for (std::uint64_t code = 0; code < format.finite; ++code) {
      ASSERT_EQ(bits_of(fmt::format("{}", value_of(format, code)), format.type), code) << name(format.type);
      const std::uint64_t negative = code | std::uint64_t{1} << (format.exponent + format.mantissa);
      ASSERT_EQ(bits_of(fmt::format("{}", -value_of(format, code)), format.type), negative) << name(format.type);
    }
}

TEST(Fill, HalfwayBetweenTwoCodesGoesToTheEvenOneAndElseToTheNearer) {
  for (const Format& format : kFormats)
    for (std::uint64_t code = 0; code + 1 < format.finite; ++code) {
      const double middle = (value_of(format, code) + value_of(format, code + 1)) / 2;
      ASSERT_EQ(bits_of(fmt::format("{}", middle), format.type), code + code % 2) << name(format.type) << ' ' << code;
      ASSERT_EQ(bits_of(fmt::format("{}", std::nextafter(middle, 0.0)), format.type), code);
      ASSERT_EQ(bits_of(fmt::format("{}", std::nextafter(middle, HUGE_VAL)), format.type), code + 1);
    }
}

RC_GTEST_PROP(Fill, DoublesAreKeptAndRoundToFloatsAsTheProcessorRounds, ()) {
  const auto value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(std::isfinite(value) && value != 0);
  const auto near_one = std::ldexp(value, -std::ilogb(value));
  for (const double number : {value, near_one, near_one * 1e-42}) {
    const std::string text = fmt::format("{}", number);
    RC_ASSERT(bits_of(text, ElementType::F64) == std::bit_cast<std::uint64_t>(number));
    const auto rounded = static_cast<float>(number);
    const auto bits =
        std::isinf(rounded) ? std::nullopt : std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(rounded));
    RC_ASSERT(bits_of(text, ElementType::F32) == bits);
  }
}

TEST(Fill, DoublesReachTheirEnds) {
  EXPECT_EQ(bits_of("1.7976931348623157e308", ElementType::F64), 0x7fefffffffffffffU);
  EXPECT_EQ(bits_of("1.8e308", ElementType::F64), std::nullopt);
  EXPECT_EQ(bits_of("inf", ElementType::F64), 0x7ff0000000000000U);
  EXPECT_EQ(bits_of("5e-324", ElementType::F64), 1U);
  EXPECT_EQ(bits_of("-inf", ElementType::F64), 0xfff0000000000000U);
  EXPECT_EQ(bits_of("nan", ElementType::F64), 0x7ff8000000000000U);
}

struct Whole {
  std::string_view text;
  ElementType type;
  std::optional<std::uint64_t> bits;
};

TEST(Fill, IntegersMustFit) {
  const Whole rows[] = {
      {"0", ElementType::I8, 0},
      {"+7", ElementType::I8, 7},
      {"127", ElementType::I8, 0x7f},
      {"128", ElementType::I8, std::nullopt},
      {"-128", ElementType::I8, 0x80},
      {"-129", ElementType::I8, std::nullopt},
      {"255", ElementType::U8, 0xff},
      {"256", ElementType::U8, std::nullopt},
      {"-1", ElementType::U8, std::nullopt},
      {"-0", ElementType::U8, 0},
      {"-32768", ElementType::I16, 0x8000},
      {"32768", ElementType::I16, std::nullopt},
      {"65535", ElementType::U16, 0xffff},
      {"65536", ElementType::U16, std::nullopt},
      {"-2147483648", ElementType::I32, 0x80000000},
      {"2147483648", ElementType::I32, std::nullopt},
      {"4294967295", ElementType::U32, 0xffffffff},
      {"4294967296", ElementType::U32, std::nullopt},
      {"9007199254740993", ElementType::I64, 9007199254740993},  // not a double
      {"-9223372036854775808", ElementType::I64, 0x8000000000000000},
      {"9223372036854775807", ElementType::I64, 0x7fffffffffffffff},
      {"9223372036854775808", ElementType::I64, std::nullopt},
      {"0", ElementType::Bool, 0},
      {"1", ElementType::Bool, 1},
      {"true", ElementType::Bool, 1},
      {"false", ElementType::Bool, 0},
      {"2", ElementType::Bool, std::nullopt},
      {"-1", ElementType::Bool, std::nullopt},
  };
  for (const Whole& row : rows) EXPECT_EQ(bits_of(row.text, row.type), row.bits) << row.text << ' ' << name(row.type);
}

TEST(Fill, BitsAreTakenAsTheyAreAndMustFit) {
  const Whole rows[] = {
      {"bits:0xFE01", ElementType::F16, 0xfe01},
      {"bits:0xfe01", ElementType::Bf16, 0xfe01},
      {"bits:0x7fa12345", ElementType::F32, 0x7fa12345},
      {"bits:0xffffffffffffffff", ElementType::F64, 0xffffffffffffffff},
      {"bits:0x1ffffffffffffffff", ElementType::F64, std::nullopt},
      {"bits:0xff", ElementType::I8, 0xff},
      {"bits:0x100", ElementType::I8, std::nullopt},
      {"bits:0x10000", ElementType::F16, std::nullopt},
      {"bits:0xff", ElementType::F8E4M3, 0xff},
  };
  for (const Whole& row : rows) EXPECT_EQ(bits_of(row.text, row.type), row.bits) << row.text << ' ' << name(row.type);
}

TEST(Fill, RefusesWhatIsNoNumber) {
  for (const std::string_view text : {"",          " 1",        "1 ",   "x",     "1x",     "0x10",    "1.2.3",
                                      "e5",        ".",         "-",    "+",     "+-1",    "--1",     "NaN",
                                      "nan(1)",    "infinity",  "+inf", "bits:", "bits:1", "bits:0x", "bits:0xg",
                                      "bits:0x-1", "bits:0x 1", "1,5",  "1e",    "true"})
    EXPECT_EQ(parse_fill(text, ElementType::F32).has_value(), false) << text;
  for (const std::string_view text : {"", "1.0", "1e3", "nan", "inf", "-inf", "true", "0x10", "+-1", "1 "})
    EXPECT_EQ(parse_fill(text, ElementType::I32).has_value(), false) << text;
  EXPECT_EQ(parse_fill("x", ElementType::I32).error().code, ErrorCode::Syntax);
  EXPECT_EQ(parse_fill("4294967296", ElementType::I32).error().code, ErrorCode::Value);
}

TEST(Fill, RefusesTypesWithoutUnitsOfTheirOwn) {
  for (const ElementType type : {ElementType::I4, ElementType::Bfp8, ElementType::Bfp4}) {
    const auto fill = parse_fill("0", type);
    ASSERT_FALSE(fill.has_value());
    EXPECT_NE(fill.error().message.find("not supported"), std::string::npos);
  }
}

}  // namespace oracle_fill_test
}  // namespace vl::oracle
