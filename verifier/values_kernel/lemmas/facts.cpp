#include "verifier/values_kernel/lemmas/facts.h"

#include "verifier/values_kernel/values.h"

// NOLINTBEGIN(performance-inefficient-string-concatenation): the texts of statements, made once
namespace vl::values_kernel {
namespace {

bool has_all_numbers(const std::string& wide, const std::string& type) {
  try {
    static_cast<void>(widened(format_of(type), format_of(wide), 0));
    return true;
  } catch (const Rejected&) {
    return false;
  }
}

// Facts of every float format, where it has a -0.
void about_zeros(std::vector<Fact>& out) {
  out.push_back({"+0 is not neutral for sum", "not add(-0, +0) ~ -0"});
  out.push_back({"the least number is not neutral for sum", "not add(+0, 0x1) ~~ +0"});
  out.push_back({"a number beside -0 is it", "not x = -0 => not add(-0, x) = -0"});
  out.push_back({"x86 max takes the second of two zeros", "maxx(+0, -0) = -0"});
  out.push_back({"max knows the order of zeros", "max(+0, -0) = +0"});
  out.push_back({"min knows the order of zeros", "min(+0, -0) = -0"});
  out.push_back({"a zero times a negative number is -0", "finite(x) & not nonneg(x) => mul(+0, x) = -0"});
}

void about_floats(const Format& wide, std::vector<Fact>& out) {
  out.push_back({"squares are not negative", "nonneg(mul(x, x))"});
  out.push_back({"products of what is not negative", "nonneg(x) & nonneg(y) => nonneg(mul(x, y))"});
  out.push_back({"products of what is negative", "not nonneg(x) & not nonneg(y) => nonneg(mul(x, y))"});
  out.push_back({"a NaN times anything", "nan(x) => nan(mul(x, y))"});
  out.push_back({"anything times a NaN", "nan(y) => nan(mul(x, y))"});
  out.push_back({"products are quiet", "not snan(mul(x, y))"});
  out.push_back({"sums are quiet", "not snan(add(x, y))"});
  out.push_back({"a zero times a finite number", "finite(x) => zero(mul(+0, x))"});
  out.push_back({"a finite number times a zero", "finite(x) => zero(mul(x, +0))"});
  out.push_back({"a zero times what is not finite", "not finite(x) => nan(mul(+0, x))"});
  out.push_back({"+0 is not neutral for prod", "not mul(1, +0) ~ 1"});
  out.push_back({"only 1 is neutral for prod", "not x ~ 1 => not mul(1, x) ~ 1"});
  out.push_back({"NaN is not neutral for max where it wins", "not max(lowest, nan) ~ lowest"});
  out.push_back({"the lowest is not neutral for max where NaN loses", "not maxn(nan, lowest) ~ nan"});
  out.push_back({"the lowest is not neutral for x86 max", "not maxx(nan, lowest) ~ nan"});
  out.push_back({"the highest is not neutral for x86 min", "not minx(nan, highest) ~ nan"});
  out.push_back({"a higher number changes max", "x < y => not max(x, y) ~ x"});
  out.push_back({"a lower number changes min", "y < x => not min(x, y) ~ x"});
  out.push_back({"sums of what is not negative", "nonneg(x) & nonneg(y) => nonneg(add(x, y))"});
  out.push_back({"the order of numbers is strict", "x < y => not y < x"});
  if (!wide.one_zero) about_zeros(out);
}

// Block floats: a pad whose exponent is no greater than one of a valid lane changes no lane; what a greater one does.
void about_blocks(const std::string& wide, std::vector<Fact>& out) {
  out.push_back({"a zero has the exponent field 0", "zero(x) => exponent(x) = +0"});
  for (const auto& [lane, d] : {std::pair<std::string, std::string>{"bfp8", "0x8"}, {"bfp4", "0x4"}, {"bfp2", "0x2"}}) {
    out.push_back({lane + ": a pad of no greater exponent changes no lane",
                   "exponent(y) <= exponent(z) => " + lane + "(x, max(exponent(z), exponent(y))) = " + lane +
                       "(x, exponent(z))"});
    out.push_back(
        {lane + ": a pad of the exponent field 0 changes no lane",
         "exponent(y) = +0 => " + lane + "(x, max(exponent(z), exponent(y))) = " + lane + "(x, exponent(z))"});
    out.push_back({lane + ": far below the shared exponent a lane is 0",
                   "plus(exponent(x), " + d + ") <= exponent(y) => " + lane + "(x, exponent(y)) = +0"});
  }
  const std::string most = wide == "f32" ? "0x3fffffff" : "0x3fff";  // next below 2
  for (const auto& [lane, d] : {std::pair<std::string, std::string>{"bfp8", "0x7"}, {"bfp4", "0x3"}, {"bfp2", "0x1"}}) {
    const std::string shared = "plus(exponent(" + most + "), " + d + ")";
    out.push_back(
        {lane + ": one less far below it need not be 0", "not " + lane + "(" + most + ", " + shared + ") = +0"});
  }
  out.push_back({"bfp8: half of the least magnitude is a tie", "bfp8(1, plus(exponent(1), 0x7)) = +0"});
}

// How many of the 254·128 positive normal numbers of bf16 another lane stands for under a shared exponent d higher.
// Of each 128 fractions it is 33, 81 and 105: the lane is not 2^d times as large.
void count_lanes(std::vector<Fact>& out) {
  std::string lane = "bfp8(x, exponent(x))";
  const std::uint64_t of_128[] = {33, 81, 105};
  for (unsigned d = 1; d <= 3; ++d) {
    std::string higher = "bfp8(x, plus(exponent(x), 0x" + std::to_string(d) + "))";
    for (unsigned i = 0; i < d; ++i) higher = "plus(" + higher + ", " + higher + ")";
    out.push_back({"bfp8: numbers that a shared exponent " + std::to_string(d) + " higher changes",
                   "finite(x) & nonneg(x) & +0 < exponent(x) => not " + higher + " = " + lane, 254 * of_128[d - 1]});
  }
}

void add_known(const std::string& wide, std::vector<Fact>& out) {
  if (wide == "f32") {
    out.push_back({"fma of the least numbers is -0", "fma(0x1, 0x80000001, +0) = -0"});
    out.push_back({"a pad of +0 is not neutral for fma after them", "not add(fma(0x1, 0x80000001, -0), +0) ~ -0"});
    out.push_back({"rounded, their product is -0 and the sum +0", "add(mul(0x1, 0x80000001), +0) = +0"});
    out.push_back({"flushing the least sum would change it", "add(add(0x1, -0), 0x800000) = 0x800001"});
    out.push_back(
        {"squares up to 2^-75 vanish", "not 0x1a000000 < x & not x < 0x9a000000 & finite(x) => mul(x, x) = +0"});
    out.push_back({"a square beyond 2^-75 is seen", "not mul(0x1a000001, 0x1a000001) = +0"});
    out.push_back({"squares below 2^-75 are not seen by fma",
                   "nonneg(x) & not 0x19ffffff < y & not y < 0x99ffffff & finite(y) => fma(y, y, x) ~ x"});
    out.push_back({"2^-75 is seen by fma at an odd number", "not fma(0x1a000000, 0x1a000000, 0x1) ~ 0x1"});
  }
  if (wide == "f16") {
    out.push_back({"4,946 squares are not seen by fma",
                   "nonneg(x) & not 0x9a8 < y & not y < 0x89a8 & finite(y) => fma(y, y, x) ~ x"});
    out.push_back({"the next square is seen by fma", "not fma(0x9a9, 0x9a9, +0) ~ +0"});
    out.push_back({"-65504 is not the lowest", "not max(lowest, 0xfbff) ~ lowest"});
  }
  if (wide == "bf16") {
    out.push_back({"15,360 squares are not seen by fma",
                   "nonneg(x) & not 0x1dff < y & not y < 0x9dff & finite(y) => fma(y, y, x) ~ x"});
    out.push_back({"the next square is seen by fma", "not fma(0x1e00, 0x1e00, 0x1) ~ 0x1"});
  }
  if (wide == "dl16") {
    out.push_back({"a sum that is not 0 may be -0", "add(0x1200, 0x9201) = -0"});
    out.push_back({"after it a pad of +0 is not neutral", "not add(add(0x1200, 0x9201), +0) ~ add(0x1200, 0x9201)"});
    out.push_back({"-8573157376 is neutral for max", "not nan(x) => max(x, 0xfffe) = x"});
    out.push_back({"-65536 is not", "not max(0xfffe, 0xde00) ~ 0xfffe"});
    out.push_back({"the code of -inf is NaN", "nan(0xffff)"});
  }
}

}  // namespace

std::vector<std::string> format_names() {
  return {"f16",        "bf16", "f32", "f64", "f8e4m3", "f8e5m2", "f8e4m3fnuz",
          "f8e5m2fnuz", "dl16", "i8",  "u8",  "i16",    "i32",    "i64"};
}

bool has_exact_products(const std::string& wide, const std::string& type) {
  const Format &w = format_of(wide), &t = format_of(type);
  if (!w.is_float || !t.is_float || !w.subnormals || wide == type || !has_all_numbers(wide, type)) return false;
  const auto least = [](const Format& f) { return (f.subnormals ? 1 : 0) - f.bias - static_cast<int>(f.fraction); };
  return least(w) <= 2 * least(t);
}

std::vector<std::pair<std::string, std::string>> type_pairs() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& type : format_names())
    for (const std::string& wide : format_names()) {
      if (type == wide || format_of(type).is_float != format_of(wide).is_float) continue;
      const bool loses = (type == "f16" && (wide == "dl16" || wide == "bf16")) ||
                         ((type == "f16" || type == "dl16") && wide == "f32");  // and back
      if (loses || has_all_numbers(wide, type)) out.emplace_back(type, wide);
    }
  return out;
}

std::vector<Fact> facts_of(const std::string& wide) {
  std::vector<Fact> out;
  const Format& format = format_of(wide);
  if (format.is_float) about_floats(format, out);
  else {
    out.push_back({"1 is not neutral for sum", "not add(+0, 1) = +0"});
    out.push_back({"0 is not neutral for prod", "not mul(1, +0) = 1"});
    out.push_back({"a higher number changes max", "x < y => not max(x, y) = x"});
    out.push_back({"a lower number changes min", "y < x => not min(x, y) = x"});
  }
  if (wide == "i8")
    out.push_back(
        {"saturating sums do not associate", "not satadd(satadd(0x7f, 0x1), 0xff) = satadd(0x7f, satadd(0x1, 0xff))"});
  if (wide == "bf16" || wide == "f32") about_blocks(wide, out);
  if (wide == "bf16") count_lanes(out);
  add_known(wide, out);
  return out;
}

std::vector<Fact> facts_of_types(const std::string& wide, const std::string& type) {
  std::vector<Fact> out;
  const Format &w = format_of(wide), &t = format_of(type);
  // Of f16, 30·512 normal numbers have an even fraction, and 1,023 subnormals and 0 have at most 10 bits; of both
  // signs.
  if (type == "f16" && wide == "dl16") return {{"numbers that come back", "finite(a) => narrow(widen(a)) = a", 32768}};
  // 30·128 with 7 bits of fraction; 255 + 128 + 128 subnormals of at most 8 bits, and 0.
  if (type == "f16" && wide == "bf16") return {{"numbers that come back", "finite(a) => narrow(widen(a)) = a", 8704}};
  if (!w.is_float)
    return {{"it is exact", "narrow(widen(a)) = a"},
            {"it keeps the order", "a < b => widen(a) < widen(b)"},
            {"0 stays", "widen(+0) = +0"},
            {"1 stays", "widen(1) = 1"}};
  out.push_back({"it is exact", "narrow(widen(a)) ~ a"});
  out.push_back({"it keeps the order", "a < b => widen(a) < widen(b)"});
  out.push_back({"zeros stay zeros", "zero(a) => zero(widen(a))"});
  out.push_back({"the sign stays", "nonneg(a) => nonneg(widen(a))"});
  if (!t.one_zero) out.push_back({"-0 stays", "widen(-0) = -0"});
  if (!t.one_zero) out.push_back({"nothing else becomes -0", "not a = -0 => not widen(a) = -0"});
  if (t.one_zero) out.push_back({"nothing becomes -0", "not widen(a) = -0"});
  out.push_back({"1 stays", "widen(1) = 1"});
  out.push_back({"finite stays finite", "finite(a) => finite(widen(a))"});
  out.push_back({"it is quiet", "not snan(widen(a))"});
  if (type == "f16" && wide == "f32") {
    out.push_back({"8191 is 8192 in f16", "narrow(0x45fff800) = narrow(0x46000000)"});
    out.push_back({"products are not too small", "not zero(a) & not zero(b) => not zero(mul(widen(a), widen(b)))"});
  }
  if (type == "bf16" && wide == "f32")
    out.push_back({"a product may be too small", "mul(widen(0x1), widen(0x3700)) = +0"});
  if (type == "dl16" && wide == "f32") {
    out.push_back({"2047 is 2048 in dl16", "narrow(0x44ffe000) = narrow(0x45000000)"});
    out.push_back({"65504 is 65536 in dl16", "narrow(0x477fe000) = narrow(0x47800000)"});
    out.push_back({"an infinity is NaN in dl16", "nan(narrow(highest))"});
  }
  return out;
}

}  // namespace vl::values_kernel
// NOLINTEND(performance-inefficient-string-concatenation)
