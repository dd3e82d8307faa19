#include "verifier/values_kernel/row_states.h"

#include <algorithm>
#include <array>

#include "verifier/values_kernel/row_parts.h"
#include "verifier/values_kernel/rows.h"
#include "verifier/values_kernel/uses.h"

namespace vl::values_kernel {
namespace {

constexpr std::size_t kMostDims = 16;
constexpr long long kMostEvaluated = 1 << 16, kMostInRow = 1 << 12;

CodeRanges codes_in(const Format& format, const ReductionText::Ranges& ranges) {
  return normal(Codes(format, ranges).ranges());
}

// The codes of `all` that are not in `some`.
CodeRanges remaining(const CodeRanges& all, const CodeRanges& some) {
  charge(2 * all.size() * some.size() + 1);
  CodeRanges out;
  for (auto [first, last] : all) {
    bool left = true;
    for (const auto& [from, to] : some) {
      if (to < first || from > last) continue;
      if (from > first) out.emplace_back(first, from - 1);
      left = to < last;
      if (!left) break;
      first = to + 1;
    }
    if (left) out.emplace_back(first, last);
  }
  return out;
}

// The ends of a set in an order: the least and the greatest rank.
std::pair<std::int64_t, std::int64_t> ranks_within(const RowQuestion& about, const CodeRanges& set) {
  const Format& f = about.type;
  const Codes codes(f, set);
  std::vector<std::int64_t> ranks;
  for (const std::int64_t place : codes.extremes()) {
    if (!f.is_float) ranks.push_back(about.rank(static_cast<Code>(place) & f.mask()));
    else ranks.push_back(about.rank(place < 0 ? f.sign() | static_cast<Code>(-1 - place) : static_cast<Code>(place)));
  }
  if (codes.has_nan()) ranks.push_back(about.rank(f.one_zero ? f.sign() : f.sign() - 1));
  require(!ranks.empty(), "an order of nothing");
  const auto [low, high] = std::ranges::minmax(ranks);
  return {low, high};
}

void check_sorted(const RowOfParts& row, const CodeRanges& results) {
  const RowQuestion about(row.text());
  CodeRanges all;
  for (const PartOfRow& part : row.parts())
    if (!part.holds.empty()) all = united(std::move(all), part.holds[0]);
  const CodeRanges others = remaining(all, results);
  if (others.empty()) return;
  const bool topk = row.is("topk");
  require(topk || row.dims() == 1, "codes that may be anywhere");
  const auto [least, most] = ranks_within(about, others);
  // As many results are in front as there are elements: none of them is behind every element.
  if (topk || row.at() == 0) {
    require(!topk || Wide(row.rules().k) <= row.parts()[0].count, "more than there are");
    return require(most < ranks_within(about, row.parts()[0].holds[0]).first, "a code that may come first");
  }
  require(least > ranks_within(about, row.parts()[1].holds[0]).second, "a code that may come last");
}

void check_places(const RowOfParts& row, const Format& result, const CodeRanges& results) {
  const RowQuestion about(row.text());
  require(row.dims() == 1 && !result.is_float, "places of another kind");
  const std::string& ties = row.rules().ties;
  const PartOfRow &elements = row.parts()[0], &pads = row.parts()[1];
  const Wide k = row.rules().k, all = row.count();
  require(k <= elements.count && all - 1 <= anything(result).high, "places that are not there");
  const auto ours = ranks_within(about, elements.holds[0]);
  Wide first = 0, last = all - 1;
  auto among = ours;
  bool decided = pads.holds.empty();
  if (!decided) {
    const auto theirs = ranks_within(about, pads.holds[0]);
    if (theirs.second < ours.first || (theirs.second == ours.first && ties == "first"))
      decided = true, last = elements.count - 1;
    else if (k <= pads.count && (ours.second < theirs.first || (ours.second == theirs.first && ties == "last")))
      decided = true, first = elements.count, among = theirs;
  }
  if (decided && k == 1 && among.first == among.second && ties != "unspecified")
    (ties == "first" ? last : first) = ties == "first" ? first : last;
  require(covers(results, {{static_cast<Code>(first.narrow()), static_cast<Code>(last.narrow())}}),
          "a place that may be taken");
}

void check_truth(const RowOfParts& row, const Format& result, const CodeRanges& results) {
  bool some_can = false, some_must = false, all_can = true, all_must = true;
  for (const PartOfRow& part : row.parts()) {
    if (part.holds.empty()) continue;
    const Codes codes(row.type(), part.holds[0]);
    const bool can = !codes.only_zeros(), must = !codes.has(0) && !codes.has_minus_zero();
    some_can = some_can || can, some_must = some_must || must;
    all_can = all_can && can, all_must = all_must && must;
  }
  const bool any = row.is("any");
  const auto within = [&](Code code) { return covers(results, {{code, code}}); };
  require(!(any ? some_can : all_can) || within(result.one()), "a truth that is not there");
  require((any ? some_must : all_must) || within(0), "a falsehood that is not there");
}

// The results of the only evaluation, in the accumulator; nothing where there are more, or facts do not tell.
std::optional<std::vector<Code>> the_only(const RowOfParts& row) {
  const ReductionText& text = row.text();
  if (text.order != "seq" || row.count() > (is_row(text) && !row.is("mean") ? kMostInRow : kMostEvaluated))
    return std::nullopt;
  std::vector<std::pair<Code, Code>> codes(row.parts().size());
  bool alike = true;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto& holds = row.parts()[i].holds;
    for (const CodeRanges& set : holds)
      if (set.size() != 1 || set[0].first != set[0].second) return std::nullopt;
    if (!holds.empty()) codes[i] = {holds[0][0].first, holds.size() > 1 ? holds[1][0].first : 0};
    alike = alike && (holds.empty() || codes[i] == codes[0]);
  }
  if (!alike && row.dims() != 1) return std::nullopt;
  const auto order = row.order();
  std::vector<Code> out;
  if (is_row(text) && !row.is("mean")) {
    RowShape shape;
    for (const std::size_t part : order) {
      shape.shape += part == 0 ? 'c' : 'p';
      (part == 0 ? shape.valid : shape.pads).push_back(codes[part].first);
    }
    const auto found = row_results(RowQuestion(text), shape, true, true);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (row.is_per_position() && order.at(i) != row.at()) continue;
      if (!found[i]) return std::nullopt;
      out.push_back(*found[i]);
    }
    return out;
  }
  const Format& f = row.wide();
  const auto widen = [&](Code code) { return widened(row.type(), f, code); };
  std::optional<Code> so_far = text.start == "+0" ? std::optional<Code>(0) : std::nullopt;
  for (const std::size_t part : order) {
    const Code a = widen(codes[part].first), b = row.is("dot") ? widen(codes[part].second) : a;
    const bool pairs = row.is("dot") || row.is("sumsq"), extremum = row.is("max") || row.is("min");
    const MaxRule rule = max_rule_of(text.max);
    if (!so_far) so_far = pairs ? multiplied(f, a, b) : a;
    else if (extremum) so_far = extreme(f, rule, row.is("max"), *so_far, a);
    else if (row.is("prod")) so_far = multiplied(f, *so_far, a);
    else if (pairs && text.fused) so_far = fused(f, a, b, *so_far);
    else so_far = added(f, *so_far, pairs ? multiplied(f, a, b) : a);
  }
  if (row.is("mean")) {
    const Wide by = row.rules().divide == "P" ? row.count() : row.parts()[0].count;
    so_far = divided(f, *so_far, ratio(f, static_cast<std::uint64_t>(by.narrow()), 1));
  }
  return std::vector{*so_far};
}

bool is_any_nan(const Format& f, const CodeRanges& results) {
  return covers(results, ranges_of(f, {1, 0, true, true}));
}

// Rejects an operation that is not known, words that it has not, and an accumulator that has not all numbers.
void check_words(const RowOfParts& row) {
  const ReductionText& text = row.text();
  constexpr std::array kTrees = {"sum", "prod", "max", "min", "any", "all", "sumsq", "dot"};
  const bool tree = std::ranges::find(kTrees, text.operation) != kTrees.end();
  if (!tree) {
    require(is_row(text) && !row.is("exx2") && !row.is("pointwise") && !row.is("broadcast"),
            "an operation that is not known");
    static_cast<void>(row_question_of(text));
  }
  const auto known = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::ranges::find(words, word) != words.end();
  };
  const bool adds = row.is("sum") || row.is("sumsq") || row.is("dot");
  require(!tree || (!text.row && known(text.order, {"any", "seq"}) &&
                    known(text.max, {"nan-wins", "nan-loses", "x86"}) && known(text.start, {"first", "+0"}) &&
                    (adds || text.start == "first") && (!text.fused || row.is("sumsq") || row.is("dot"))),
          "a reduction of other words");
  require(!text.rounding && !text.flush && !text.integers, "another arithmetic");
  require(tree || row.rules().blocks == "whole", "a row in blocks");
  static_cast<void>(widened(row.type(), row.wide(), 0));
}

void check_state(const RowStateText& said) {
  const RowOfParts row(said);
  check_words(row);
  const Format& result = format_of(said.result);
  const CodeRanges results = codes_in(result, said.results);
  if (row.is("any") || row.is("all")) return check_truth(row, result, results);
  if (row.gives_places()) return check_places(row, result, results);
  require(&result == &row.type(), "results of another type");
  if (row.is_ordered()) return check_sorted(row, results);
  if (const auto only = the_only(row)) {
    for (const Code code : *only) {
      const Code stored = converted(row.wide(), result, code);
      require(result.nan(stored) ? is_any_nan(result, results) : covers(results, {{stored, stored}}),
              "a result that is not there");
    }
    return;
  }
  require(covers(results, image_of_conversion(row.wide(), result, results_of_sets(row))),
          "a result that may be another");
}

}  // namespace

RowOfParts::RowOfParts(const RowStateText& said)
    : text_(said.about),
      type_(format_of(said.about.type)),
      wide_(format_of(said.about.accumulate)),
      extents_(said.extents),
      whole_(said.whole) {
  enter(__FILE__);
  require(text_.contents.empty() && text_.fill.empty() && !text_.other, "a row of other codes");
  text_.contents = text_.fill = texts_of(all_of(type_));
  require(!extents_.empty() && extents_.size() <= kMostDims && whole_.size() == extents_.size() &&
              said.holds.size() == std::size_t{1} << extents_.size(),
          "a row of other dimensions");
  for (std::size_t j = 0; j < extents_.size(); ++j) {
    require(extents_[j] > 0 && whole_[j] >= extents_[j], "a dimension without a size");
    count_ = count_ * whole_[j];
  }
  static_cast<void>(count_.narrow());
  for (std::size_t part = 0; part < said.holds.size(); ++part) {
    PartOfRow& out = parts_.emplace_back();
    out.count = 1;
    for (std::size_t j = 0; j < extents_.size(); ++j)
      out.count = out.count * ((part >> j & 1) != 0 ? whole_[j] - extents_[j] : extents_[j]);
    const std::size_t operands = out.count == 0 ? 0 : is("dot") ? 2 : 1;
    require(said.holds[part].size() == operands, "a part of another number of operands");
    for (const auto& ranges : said.holds[part]) out.holds.push_back(codes_in(type_, ranges));
    for (const CodeRanges& set : out.holds) require(!set.empty(), "a part that holds nothing");
  }
  require(said.at >= 0 && static_cast<std::size_t>(said.at) < parts_.size(), "a part that is not there");
  at_ = static_cast<std::size_t>(said.at);
  require(!parts_[at_].holds.empty() && (at_ == 0 || is_per_position()), "a part without a result");
}

bool RowOfParts::is_ordered() const { return is("topk") || is("sort") || is("sort-descending"); }

bool RowOfParts::is_per_position() const {
  constexpr std::array kAll = {"softmax",         "layernorm", "rmsnorm",       "sort",
                               "sort-descending", "cumsum",    "cumsum-reverse"};
  return std::ranges::find(kAll, text_.operation) != kAll.end();
}

CodeRanges RowOfParts::widened_part(std::size_t part) const {
  return image_of_conversion(type_, wide_, parts_.at(part).holds.at(0));
}

CodeRanges RowOfParts::widened_all() const {
  CodeRanges out;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (!parts_[part].holds.empty()) out = united(std::move(out), widened_part(part));
  return out;
}

std::vector<std::size_t> RowOfParts::order() const {
  charge(count_ * static_cast<long long>(4 * whole_.size() + 32));  // and its evaluation
  std::vector<std::size_t> out;
  for (long long position = 0; position < count_.narrow(); ++position) {
    std::size_t part = 0;
    long long left = position;
    for (std::size_t j = whole_.size(); j-- > 0; left /= whole_[j])
      part |= std::size_t{left % whole_[j] >= extents_[j]} << j;
    out.push_back(part);
  }
  return out;
}

void check_row_states(const std::vector<RowStateText>& said) {
  require(!said.empty(), "no row");
  for (const RowStateText& each : said) check_state(each);
}

}  // namespace vl::values_kernel
