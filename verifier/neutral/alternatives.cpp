#include "verifier/neutral/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encodings/base/check.h"
#include "verifier/neutral/laws.h"

namespace vl::neutral {
namespace {

using values::Entry;

// Which of the three a verdict is; equal ones agree.
std::size_t kind_of(const Verdict& verdict) { return verdict.index(); }
constexpr std::size_t kProvedKind = 0, kRefutedKind = 1;

// An evaluation that refutes one alternative often refutes another one, and is cheap to look at.
std::optional<Refuted> refuted_again(const Question& question, const std::vector<Refuted>& known) {
  if (is_row(question.operation) || !open_to_reading(question).empty()) return std::nullopt;
  for (const Refuted& refuted : known) {
    const Evaluation& evaluation = refuted.evaluation;
    const bool starts = evaluation.shape.find('s') != std::string::npos;
    if (starts != (question.start != Start::First) || !fits(question, evaluation.shape)) continue;
    const Code got = result(question, evaluation, true), want = result(question, evaluation, false);
    if (!equals(question, got, want)) return Refuted{evaluation, got, want, 0, refuted.minimal};
  }
  return std::nullopt;
}

// A fill that is neutral in any order is so from left to right.
bool proved_in_any_order(const std::vector<Alternative>& all, const std::vector<Verdict>& each, std::size_t at) {
  Question any = all[at].question;
  any.tree = Tree::Any;
  for (std::size_t i = 0; i < at; ++i)
    if (all[i].question == any && kind_of(each[i]) == kProvedKind) return true;
  return false;
}

// The entry in which alone two alternatives of other verdicts differ.
std::string deciding(const std::vector<Alternative>& all, const std::vector<Verdict>& each) {
  for (const Entry entry : values::entries())
    for (std::size_t i = 0; i < each.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (kind_of(each[i]) == kind_of(each[j])) continue;
        const bool alone = std::ranges::all_of(values::entries(), [&](Entry other) {
          const bool same = value_of(all[i].arithmetic, other) == value_of(all[j].arithmetic, other);
          return same == (other != entry);
        });
        if (alone) return std::string(values::name(entry));
      }
  return "";
}

const char* word_of_verdict(const Verdict& verdict) {
  if (std::holds_alternative<Proved>(verdict)) return "neutral";
  return std::holds_alternative<Refuted>(verdict) ? "not neutral" : "not known";
}

// What the alternatives say, by the value of the deciding entry; one of each verdict in full if that entry does not
// decide alone.
std::string difference(const std::vector<Alternative>& all, const std::vector<Verdict>& each,
                       const std::string& entry) {
  const auto entry_code = values::find_entry(entry);
  std::map<std::string, std::string_view> by_value;
  std::set<std::string_view> words;
  std::vector<std::string> order;
  bool alone = entry_code.has_value();
  for (std::size_t i = 0; i < each.size(); ++i) {
    const char* word = word_of_verdict(each[i]);
    words.insert(word);
    if (!entry_code) continue;
    const auto [at, fresh] =
        by_value.try_emplace(fmt::format("{}={}", entry, value_of(all[i].arithmetic, *entry_code)), word);
    if (fresh) order.push_back(at->first);
    alone = alone && at->second == word;
  }
  std::string text;
  const auto say = [&](const std::string& what, std::string_view word) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", what, word);
  };
  if (alone) {
    for (const std::string& value : order) say(value, by_value[value]);
    return text;
  }
  for (std::size_t i = 0; i < each.size(); ++i)
    if (words.erase(word_of_verdict(each[i])) != 0) say(in_words(all[i]), word_of_verdict(each[i]));
  return text;
}

}  // namespace

std::vector<Entry> relevant_entries(Operation operation, const Format& type) {
  using enum Operation;
  if (operation == Pointwise || operation == Broadcast) return {};
  const bool orders = is_ordering(operation), logical = operation == Any || operation == All;
  const bool extremum = operation == Max || operation == Min, floats = type.is_float();
  std::vector<Entry> out;
  if (!orders && !logical) out.push_back(Entry::Accumulate);
  if (has_start(operation)) out.push_back(Entry::Start);
  if (!orders) out.push_back(Entry::Order);
  // A softmax takes a maximum, too.
  if (floats && (extremum || orders || operation == Softmax || operation == LogSumExp)) out.push_back(Entry::Max);
  if (floats) out.push_back(Entry::Flush);
  if (is_square(operation) || operation == Dot) out.push_back(Entry::Fused);
  if (orders) out.push_back(Entry::Ties);
  if (!orders && !extremum && !logical) out.push_back(floats ? Entry::Rounding : Entry::Integers);
  return out;
}

std::vector<Alternative> alternatives(const Question& base, const values::Profile& profile) {
  const auto relevant = relevant_entries(base.operation, base.type);
  const auto matters = [&](Entry entry) { return std::ranges::find(relevant, entry) != relevant.end(); };
  std::vector<Alternative> out;
  for (const values::Arithmetic& one : values::alternatives(profile, base.type, relevant)) {
    Question question = base;
    question.accumulate = matters(Entry::Accumulate) ? one.accumulate : base.type;
    question.start = matters(Entry::Start) ? one.start : Start::First;
    if (question.start == Start::MinusZero && !has_negative_zero(question.accumulate)) question.start = Start::Zero;
    question.tree = one.order;
    if (matters(Entry::Max)) question.max = one.max;
    if (matters(Entry::Ties)) question.ties = one.ties;
    question.fused = matters(Entry::Fused) && one.products == values::Products::Fused;
    question.mode = {};
    if (matters(Entry::Rounding)) question.mode.rounding = one.rounding;
    if (matters(Entry::Integers)) question.mode.integers = one.integers;
    question.mode.flush = one.flush;
    question.mode.flush = flush_of(question);
    if (std::ranges::none_of(out, [&](const Alternative& other) { return other.question == question; }))
      out.push_back({one, question});
  }
  // `any` before `seq`, which follows from it.
  std::ranges::stable_sort(out, {}, [](const Alternative& one) { return one.question.tree != Tree::Any; });
  return out;
}

std::string in_words(const Alternative& alternative) {
  std::string out;
  for (const Entry entry : values::entries()) {
    const auto relevant = relevant_entries(alternative.question.operation, alternative.question.type);
    if (std::ranges::find(relevant, entry) == relevant.end()) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name(entry), value_of(alternative.arithmetic, entry));
  }
  return out;
}

Answers decide(const std::vector<Alternative>& all, const CodeSet& a, const CodeSet* b) {
  VL_CHECK(!all.empty(), "a question without an arithmetic");
  Answers out{Unknown{}, 0, {}, ""};
  std::vector<Refuted> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Question& question = all[i].question;
    if (auto why = misfit(question); !why.empty()) {
      out.each.emplace_back(Unknown{std::move(why)});
    } else if (auto again = refuted_again(question, known)) {
      out.each.emplace_back(*std::move(again));
    } else if (question.tree == Tree::Sequential && proved_in_any_order(all, out.each, i)) {
      out.each.emplace_back(Proved{"law", "it is neutral in any order"});
    } else {
      out.each.push_back(decide(question, a, b));
      if (const auto* refuted = std::get_if<Refuted>(&out.each.back())) known.push_back(*refuted);
    }
    const bool undecided = kind_of(out.each.back()) > kRefutedKind;
    if (kind_of(out.each.back()) == kind_of(out.each.front()) && !undecided) continue;
    out.at = i;
    constexpr std::ptrdiff_t kMostUndecided = 2;  // each is a search that found nothing
    const auto count =
        std::ranges::count_if(out.each, [](const Verdict& verdict) { return kind_of(verdict) > kRefutedKind; });
    if (!deciding(all, out.each).empty() || count >= kMostUndecided) break;
  }
  const bool same = std::ranges::all_of(
      out.each, [&](const Verdict& verdict) { return kind_of(verdict) == kind_of(out.each.front()); });
  if (same && (kind_of(out.each.front()) <= kRefutedKind || all.size() == 1)) {
    out.at = 0;
    out.verdict = out.each.front();
    return out;
  }
  if (const auto* unknown = std::get_if<Unknown>(&out.each.front()); unknown != nullptr && same) {
    out.verdict = *unknown;
    return out;
  }
  out.decides = deciding(all, out.each);
  out.verdict =
      Unknown{fmt::format("the arithmetic is not known well enough ({})", difference(all, out.each, out.decides))};
  return out;
}

namespace {

// What the laws give under some alternative: no other one has to refute it.
CodeSet possible_by_laws(const std::vector<Alternative>& all) {
  CodeSet out;
  for (const Alternative& one : all) {
    if (!misfit(one.question).empty() || one.question.operation == Operation::Dot) continue;
    if (const auto found = neutral_codes(one.question)) out = out.united(found->codes);
  }
  return out;
}

}  // namespace

std::variant<LargestOfAll, Unknown> largest(const std::vector<Alternative>& all) {
  VL_CHECK(!all.empty(), "a question without an arithmetic");
  LargestOfAll out;
  CodeSet possible = possible_by_laws(all);
  for (const Alternative& one : all) {
    if (auto why = misfit(one.question); !why.empty()) return Unknown{std::move(why)};
    const bool whole = one.question.accumulate.bits <= 8;  // a closure is about all that is open together
    auto found = out.each.empty() ? largest(one.question) : largest_codes(one.question, whole ? CodeSet() : possible);
    if (auto* unknown = std::get_if<Unknown>(&found)) return std::move(*unknown);
    Largest& next = std::get<Largest>(found);
    possible = possible.united(next.codes).united(next.open);
    if (out.each.empty()) out.largest = next;
    else {
      out.largest.codes = out.largest.codes.intersected(next.codes);
      if (next.reason != out.largest.reason) out.largest.reason = "it is neutral under each alternative";
    }
    out.each.push_back(std::move(next));
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    out.largest.engine = engine_of(all[i].question, out.each[i]);
    if (out.largest.engine != "sweep") break;
  }
  out.largest.open = possible.without(out.largest.codes, all.front().question.type);
  std::erase_if(out.largest.outside, [&](const Outside& outside) { return possible.contains(outside.fill); });
  return out;
}

}  // namespace vl::neutral
