#include "verifier/neutral/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "encodings/values/state.h"

namespace vl::neutral {
namespace {

using values::Code;
using values::CodeRange;
using values::CodeSet;

constexpr Code kMostElements = Code{1} << 17;

// The codes of a set whose element has an exponent in [low, high].
CodeSet with_exponent(const values::Format& type, const CodeSet& codes, unsigned low, unsigned high) {
  // Exponents grow with magnitudes, whose codes grow with them, NaN at the end.
  const Code sign = type.sign();
  const auto first_at_least = [&](unsigned exponent) {
    Code from = 0, to = sign;
    while (from < to) {
      const Code middle = from + (to - from) / 2;
      if (values::exponent_of(type, middle) < exponent) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  const Code from = first_at_least(low), to = first_at_least(high + 1);
  if (from >= to) return {};
  return codes.intersected(CodeSet({{from, to - 1}, {sign | from, sign | (to - 1)}}));
}

unsigned greatest_exponent(const values::Format& type, const CodeSet& codes) {
  unsigned out = 0;
  for (const CodeRange& range : codes.ranges())
    for (const Code end : {range.first, range.last, std::min(range.last, std::max(range.first, type.sign() - 1))})
      out = std::max(out, values::exponent_of(type, end));
  return out;
}

Code with_that_exponent(const values::Format& type, const CodeSet& codes, unsigned exponent) {
  const CodeSet found = with_exponent(type, codes, exponent, exponent);
  return found.ranges().front().first;
}

struct Lane {
  Code want = 0, got = 0;
};
Lane lane_under(const BlockQuestion& question, Code code, unsigned shared) {
  const auto under = [&](unsigned exponent) {
    return values::unpacked(question.format, values::packed(question.format, question.type, code, exponent), exponent);
  };
  return {under(values::exponent_of(question.type, code)), under(shared)};
}

std::optional<BlockChanged> changed_under(const BlockQuestion& question, const CodeSet& elements, unsigned shared) {
  Code looked = 0;
  for (const CodeRange& range : elements.ranges())
    for (Code i = 0; i <= range.last - range.first && looked < kMostElements; ++i, ++looked)
      if (const Lane lane = lane_under(question, range.first + i, shared); lane.want != lane.got) {
        const Code valid = range.first + i;
        return BlockChanged{valid, 0, values::exponent_of(question.type, valid), shared, lane.want, lane.got};
      }
  return std::nullopt;
}

bool has_subnormal(const BlockQuestion& question) {
  const CodeSet small = with_exponent(question.type, question.contents, 0, 0);
  return !small.without(values::zeros(question.type), question.type).empty();
}

}  // namespace

std::string misfit(const BlockQuestion& question) {
  if (!values::is_packable(question.type))
    return fmt::format("{} has numbers that f32 has not, from which block floats are packed", question.type.name);
  if (question.contents.empty()) return fmt::format("the contents hold no code of {}", question.type.name);
  return "";
}

BlockVerdict decide_block(const BlockQuestion& question, const CodeSet& fill) {
  VL_CHECK(misfit(question).empty() && !fill.empty(), "a question that has no meaning");
  const unsigned greatest = greatest_exponent(question.type, fill);
  if (greatest == 0) return BlockHarmless{"each pad has exponent field 0, which raises no shared exponent"};
  const CodeSet smaller = with_exponent(question.type, question.contents, 1, greatest - 1);
  if (auto changed = changed_under(question, smaller, greatest)) {
    changed->pad = with_that_exponent(question.type, fill, greatest);
    return *changed;
  }
  if (has_subnormal(question)) return BlockUnknown{"packers differ in what they make of subnormal contents"};
  if (smaller.count() > kMostElements) return BlockUnknown{"the contents are too many to look at"};
  if (smaller.empty())
    return BlockHarmless{
        fmt::format("no pad has an exponent field above {}, and no valid lane a smaller one unless it is 0", greatest)};
  return BlockHarmless{fmt::format("each element of the contents keeps its value under the exponent {}", greatest)};
}

CodeSet harmless_fills(const BlockQuestion& question) {
  VL_CHECK(misfit(question).empty(), "a question that has no meaning");
  const CodeSet all = CodeSet::all(question.type);
  // What is harmless under an exponent is harmless under each smaller one.
  unsigned known = 0, beyond = 256;
  while (known + 1 < beyond) {
    const unsigned middle = (known + beyond) / 2;
    const CodeSet fill = with_exponent(question.type, all, 0, middle);
    const bool harmless = std::holds_alternative<BlockHarmless>(decide_block(question, fill));
    (harmless ? known : beyond) = middle;
  }
  return with_exponent(question.type, all, 0, known);
}

}  // namespace vl::neutral
