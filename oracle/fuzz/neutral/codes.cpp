#include "oracle/fuzz/neutral/codes.h"

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/number.h"

namespace vl::oracle {
namespace {

void take_once(std::vector<Code>& out, Code code) {
  if (std::ranges::find(out, code) == out.end()) out.push_back(code);
}

// A number whose exponent is within 3 of that of 1, or a small integer.
Code near_one(const Format& format, Random& random) {
  if (!format.is_float()) return static_cast<Code>(random.between(-9, 9)) & format.mask();
  const Code one = values::one(format), step = Code{1} << format.fraction_bits;
  const Code low = one > 3 * step ? one - 3 * step : 1;
  const Code code = low + random.next() % (6 * step);
  return random.chance(50) ? code & format.mask() : (code | format.sign()) & format.mask();
}

}  // namespace

std::vector<Code> telling_codes_of(const Format& format) {
  std::vector<Code> magnitudes{0, values::one(format), 1, 2, 3, values::largest(format, false)};
  magnitudes.push_back(magnitudes.back() - 1);
  if (has_infinity(format))
    for (const Code payload : {Code{0}, Code{1}, Code{2}})
      magnitudes.push_back(values::infinity(format, false) + payload);
  if (has_nan(format)) {
    const Code nan = values::default_nan(format) & ~format.sign();
    magnitudes.push_back(nan);
    if (has_signalling_nan(format)) magnitudes.push_back(nan + 1), magnitudes.push_back(format.mask() >> 1);
  }
  if (format.is_float()) {
    const Code normal = Code{1} << format.fraction_bits;
    for (const Code code : {normal, normal - 1, normal + 1, values::one(format) + 1, values::one(format) - 1})
      magnitudes.push_back(code);
    magnitudes.push_back(values::pack(format, {false, 42, 0}));
    // Numbers whose squares are about the least number: what fma does to a subnormal sum turns on them.
    const int root = values::unpack(format, 1).exponent >> 1;
    for (const unsigned quarters : {4U, 5U, 6U, 7U})
      magnitudes.push_back(values::pack(format, {false, quarters, root - 2}));
    magnitudes.push_back(values::pack(format, {false, 1, static_cast<int>(format.fraction_bits) + 1}));
  } else {
    for (const Code code : {Code{42}, format.mask() >> 1, Code{1} << format.bits / 2}) magnitudes.push_back(code);
  }
  magnitudes.push_back(0x7fff);
  std::vector<Code> out;
  for (const Code magnitude : magnitudes) {
    take_once(out, magnitude & format.mask());
    take_once(out, format.is_float() ? (magnitude ^ format.sign()) & format.mask() : (~magnitude + 1) & format.mask());
  }
  return out;
}

std::vector<Code> neighbours_of(const Format& format, Code code) {
  std::vector<Code> out;
  if (!is_nan(format, code))
    for (const int step : {-1, 1}) {
      const std::int64_t place = values::order(format, code);
      const bool last = place == (step < 0 ? INT64_MIN : INT64_MAX);
      if (const auto next = last ? std::nullopt : values::at_order(format, place + step)) take_once(out, *next);
    }
  if (code > 0) take_once(out, code - 1);
  if (code < format.mask()) take_once(out, code + 1);
  return out;
}

std::vector<Code> ends_of(const CodeSet& set) {
  std::vector<Code> out;
  for (const values::CodeRange& range : set.ranges()) {
    if (out.size() >= 24) break;
    take_once(out, range.first);
    take_once(out, range.last);
  }
  return out;
}

Code any_of(const CodeSet& set, Random& random) {
  const auto ranges = set.ranges();
  const values::CodeRange& range = ranges[random.below(ranges.size())];
  const Code count = range.last - range.first + 1;  // 0 stands for 2^64
  return range.first + (count == 0 ? random.next() : random.next() % count);
}

Codes::Codes(const Format& format, CodeSet set) : format_(format), set_(std::move(set)) {
  VL_CHECK(!set_.empty(), "no code to draw");
  telling_ = ends_of(set_);
  for (const Code code : telling_codes_of(format_))
    if (set_.contains(code)) take_once(telling_, code);
}

Code Codes::draw(Random& random) const {
  const Index kind = random.between(1, 100);
  if (kind <= 55) return telling_[random.below(telling_.size())];
  if (kind <= 70) {
    const Code code = near_one(format_, random);
    if (set_.contains(code)) return code;
  }
  if (kind <= 85) {
    const auto beside = neighbours_of(format_, telling_[random.below(telling_.size())]);
    const Code code = beside[random.below(beside.size())];
    if (set_.contains(code)) return code;
  }
  return any_of(set_, random);
}

Code Codes::draw(Random& random, const std::vector<Code>& known) const {
  if (!known.empty() && random.chance(25)) {
    Code code = known[random.below(known.size())];
    const Index kind = random.between(1, 3);
    if (kind == 2) code = values::negated(format_, code);
    if (kind == 3) {
      const auto beside = neighbours_of(format_, values::negated(format_, code));
      code = beside[random.below(beside.size())];
    }
    if (set_.contains(code)) return code;
  }
  return draw(random);
}

std::optional<Code> Codes::telling(std::size_t k) const {
  if (k >= telling_.size()) return std::nullopt;
  return telling_[k];
}

}  // namespace vl::oracle
