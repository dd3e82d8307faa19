#include "verifier/neutral/neutral.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "verifier/neutral/closure.h"
#include "verifier/neutral/rows.h"
#include "verifier/neutral/sweep.h"

namespace vl::neutral {
namespace {

constexpr std::size_t kMostOutside = 8;
constexpr std::size_t kMostSearches = 16;

Proved proved(const Question& question, const CodeSet& a, const CodeSet* b, std::string reason) {
  if (is_row(question.operation)) return {"law", std::move(reason)};
  const auto pads = terms_of(a, b);
  const bool swept = pads && sweep(question, *pads) == Swept::Confirmed;
  return {swept ? "sweep" : "law", std::move(reason)};
}

// The codes next to the ends of a set's first ranges, in the order of codes and in the order of numbers.
std::vector<Code> neighbours(const Format& format, const CodeSet& set) {
  std::vector<Code> out;
  const auto take = [&](std::optional<Code> code) {
    if (code && !set.contains(*code) && std::ranges::find(out, *code) == out.end()) out.push_back(*code);
  };
  for (const CodeRange& range : set.ranges()) {
    if (out.size() >= kMostOutside) break;
    for (const Code end : {range.first, range.last}) {
      if (!is_nan(format, end))
        for (const int step : {-1, 1}) {
          const std::int64_t place = order(format, end);
          const bool last = step < 0 ? place == lowest_order(format) : place == highest_order(format);
          if (!last) take(at_order(format, place + step));
        }
      if (end > 0) take(end - 1);
      if (end < format.mask()) take(end + 1);
    }
  }
  return out;
}

std::vector<Code> telling_fills(const Format& format) {
  std::vector<Code> out{0, values::one(format), largest(format, true), largest(format, false)};
  if (has_negative_zero(format)) out.insert(out.begin() + 1, negative_zero(format));
  if (has_infinity(format)) out.insert(out.end(), {infinity(format, true), infinity(format, false)});
  if (has_nan(format)) out.push_back(default_nan(format));
  return out;
}

std::string unstated(const Question& question) {
  return fmt::format("no source says whether {} flushes subnormal numbers that it compares", name(question.operation));
}

// The least and the greatest number of a set, and the least above zero.
std::vector<Code> ends_of(const Format& format, const CodeSet& set) {
  std::vector<Code> out;
  const auto take = [&](const std::optional<Extent>& numbers) {
    if (numbers) out.insert(out.end(), {*at_order(format, numbers->low), *at_order(format, numbers->high)});
  };
  take(extent(format, set));
  take(extent(format, set.intersected(numbers_between(format, 1, highest_order(format)))));
  return out;
}

// The codes outside of what the laws give, and not set aside, that nothing refutes. `telling`: takes the elements of
// the rows that do.
CodeSet not_refuted(const Question& question, const Neutral& found, const CodeSet& aside, std::vector<Code>& telling) {
  const Format& type = question.type;
  CodeSet others = found.codes.united(aside).complement(type);
  const bool all = type.bits <= 16;
  const CodeSet doubtful = all ? others : found.open.intersected(others);
  const std::vector<Code> more = neighbours(type, found.codes.united(found.open));
  std::vector<CodeRange> open;
  if (is_row(question.operation))
    for (const Code code : ends_of(type, question.contents))
      if (std::ranges::find(telling, code) == telling.end()) telling.push_back(code);
  OneElement alone(question, telling);
  const auto look_at = [&](Code code) {
    if (alone.is_changed_by(code)) return;
    // A search that fails is long, of rows longer.
    const bool search = open.size() < (is_row(question.operation) && type.bits > 8 ? 1 : kMostSearches);
    const auto refuted = search ? refute(question, CodeSet::of(code), nullptr, more) : std::nullopt;
    if (!refuted) open.push_back({code, code});
    else if (const Code a = refuted->evaluation.valid[0].a; std::ranges::find(telling, a) == telling.end())
      telling.push_back(a), alone.add(a);
    // Where it takes two elements, other pads are likely to change the same ones.
    if (refuted && !is_row(question.operation) && refuted->evaluation.valid.size() > 1) alone.add(refuted->evaluation);
  };
  for (const CodeRange& range : doubtful.ranges()) {
    constexpr Code kMost = 1 << 16;
    if (range.last - range.first >= kMost) {
      open.push_back(range);
      continue;
    }
    const CodeSet unchanged = alone.unchanged(CodeSet({range}));
    for (const CodeRange& left : unchanged.ranges())
      for (Code i = 0; i <= left.last - left.first; ++i) look_at(left.first + i);
  }
  if (!all && found.identities.empty()) return others;
  return CodeSet(std::move(open));
}

}  // namespace

CodeSet open_to_reading(const Question& question) {
  const Operation operation = question.operation;
  const bool compares = operation == Operation::Max || operation == Operation::Min || operation == Operation::Any ||
                        operation == Operation::All;
  if (!compares || flush_of(question) != values::Flush::Both) return {};
  const std::int64_t last = order(question.type, Code{1} << question.type.fraction_bits) - 1;
  return numbers_between(question.type, 1, last).united(numbers_between(question.type, -1 - last, -2));
}

Verdict decide(const Question& question, const CodeSet& a, const CodeSet* b) {
  VL_CHECK(misfit(question).empty() && !a.empty() && (b == nullptr || !b->empty()), "a question that has no meaning");
  if (const CodeSet all = question.contents.united(a); !open_to_reading(question).intersected(all).empty())
    return Unknown{unstated(question)};
  if (auto why = unstated_in_mode(question); !why.empty()) return Unknown{std::move(why)};
  std::vector<Code> more;
  std::string why;
  if (question.operation == Operation::Dot) {
    VL_CHECK(b != nullptr, "the pads of dot are pairs");
    const PairAnswer found = neutral_pairs(question, a, *b);
    if (found.neutral) return proved(question, a, b, found.reason);
    why = found.reason;
  } else if (const auto found = neutral_codes(question)) {
    if (a.is_subset_of(found->codes)) return proved(question, a, nullptr, found->reason);
    more = neighbours(question.type, found->codes.united(found->open));
    more.insert(more.end(), found->identities.begin(), found->identities.end());
    why = found->reason;
  } else if (const auto pads = terms_of(a, nullptr)) {
    // The squares of integers: all that counts is that each is 0.
    const bool all = std::ranges::all_of(*pads, [&](const Term& term) { return leaf(question, term) == 0; });
    if (all) return Proved{"law", "every square of a pad is 0 modulo a power of two"};
    why = "a square of a pad is not 0";
  } else why = "the pads are too many to square";
  if (auto found = refute(question, a, b, more)) return std::move(*found);
  if (auto found = decide_by_closure(question, a, b)) return std::move(*found);
  return Unknown{fmt::format(
      "no law shows that the fill is neutral ({}), and no counterexample of one or two valid elements was found", why)};
}

std::variant<Largest, Unknown> largest_codes(const Question& question, const CodeSet& aside) {
  VL_CHECK(misfit(question).empty(), "a question that has no meaning");
  if (question.operation == Operation::Dot)
    return Unknown{"the pads of dot are pairs, and there is no largest set of each side: give --fill twice"};
  if (!open_to_reading(question).empty()) return Unknown{unstated(question)};
  if (auto why = unstated_in_mode(question); !why.empty()) return Unknown{std::move(why)};
  auto found = neutral_codes(question);
  if (!found)
    return Unknown{fmt::format("the codes of {} whose square is 0 modulo 2^{} are too many to list", question.type.name,
                               question.accumulate.bits)};
  Largest out{found->codes, {}, "law", found->reason, {}, found->identities};
  out.open = not_refuted(question, *found, aside, out.telling);
  if (!out.open.empty()) {
    const CodeSet together = out.codes.united(out.open);
    const auto closed = decide_by_closure(question, together, nullptr);
    if (const auto* all = closed ? std::get_if<Proved>(&*closed) : nullptr)
      out.codes = together, out.open = {}, out.engine = all->engine, out.reason = all->reason;
  }
  return out;
}

std::string engine_of(const Question& question, const Largest& found) {
  if (found.engine != "law" || found.codes.empty()) return found.engine;
  return proved(question, found.codes, nullptr, "").engine;
}

std::variant<Largest, Unknown> largest(const Question& question) {
  auto codes = largest_codes(question);
  if (std::holds_alternative<Unknown>(codes)) return codes;
  Largest& out = std::get<Largest>(codes);
  out.engine = engine_of(question, out);
  const auto found = neutral_codes(question);
  const CodeSet known = out.codes.united(out.open);
  std::vector<Code> fills = neighbours(question.type, out.codes);
  if (out.codes.empty()) fills = telling_fills(question.type);
  std::vector<Code> more = neighbours(question.type, found->codes.united(found->open));
  more.insert(more.end(), found->identities.begin(), found->identities.end());
  for (const Code code : fills) {
    if (out.outside.size() >= kMostOutside || known.contains(code)) continue;
    if (auto refuted = refute(question, CodeSet::of(code), nullptr, more))
      out.outside.push_back({code, std::move(*refuted)});
  }
  return codes;
}

}  // namespace vl::neutral
