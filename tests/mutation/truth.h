// Whether the statement of a certificate is true, found by other ways than the checker's: a look at every point, of
// what is too large for that the walk of `enumerate`, or the program's own laws about values.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <variant>

#include "encodings/map/text.h"
#include "tests/support/looking.h"
#include "tests/support/subjects.h"
#include "verifier/claims/claim.h"
#include "verifier/neutral/neutral.h"
#include "verifier/neutral/row_states.h"
#include "verifier/neutral/transfer.h"

namespace vl::mutation {

using question::Proved;
using Json = nlohmann::json;

inline std::optional<map::Row> row_of(const std::string& text, const map::Space& space) {
  const auto map = map::parse(map::print(space) + " -> affine(" + text + ")");
  if (!map) return std::nullopt;
  return std::get<map::Affine>(map->stages().front()).rows.front();
}

// The layout that a statement names, in the program's IR; nothing if the IR has no such layout.
inline std::optional<map::Layout> layout_of(const Json& json) {
  const auto map = map::parse(json.at("map").get<std::string>());
  const auto physical = map::parse(json.at("physical").get<std::string>());
  if (!map || !physical) return std::nullopt;
  const auto logical = json.at("logical").get<std::size_t>();
  if (logical > map->domain().rank() || map->outputs() < physical->domain().rank()) return std::nullopt;
  map::LayoutParts parts;
  const std::vector<Index> extents = map::extents_of(map->domain());  // what a logical dimension is called says nothing
  parts.logical = *map::Space::create(map::Space::dims("x", std::span(extents).first(logical)));
  parts.replicas = *map::Space::create(map::Space::dims("r", std::span(extents).subspan(logical)));
  parts.physical = physical->domain();
  parts.map = map->stages();
  parts.guards = map->outputs() - parts.physical.rank();
  parts.named_axes = json.value("named", false);
  if (json.contains("decode")) {
    const auto decode = map::parse(json.at("decode").get<std::string>());
    if (!decode || decode->outputs() < map->domain().rank()) return std::nullopt;
    parts.decode = decode->stages();
    parts.decode_guards = decode->outputs() - map->domain().rank();
  }
  if (json.contains("filled")) {
    const auto filled = map::parse(json.at("filled").get<std::string>());
    if (!filled) return std::nullopt;
    parts.filled = filled->domain();
  }
  if (json.contains("identity")) {
    const auto slot = row_of(json.at("identity").at(0), parts.physical);
    const auto element = row_of(json.at("identity").at(1), parts.logical);
    if (!slot || !element) return std::nullopt;
    parts.identity = map::OffsetIdentity{*slot, *element};
  }
  auto layout = map::Layout::create(std::move(parts));
  return layout ? std::optional(std::move(*layout)) : std::nullopt;
}

enum class Truth { True, False, NoLayout, NotSeen };

// The verdict by looking at every point or, of claims that looking.h does not know and of large layouts, by a walk.
inline test::Looked looked(const std::string& name, const map::Layout& layout, const test::Given& given) {
  const claims::Claim& claim = *claims::find_claim(name);
  const claims::Subject about = test::about(claim, layout, given);
  if (const auto seen = test::look(name, about)) return *seen;
  engines::Options options;
  if (name != "bytes") options.only = "enumerate";
  const question::Verdict verdict = claims::decide(claim, about, options).verdict;
  const auto* proved = std::get_if<Proved>(&verdict);
  return {question::word(verdict), proved != nullptr ? proved->value : std::nullopt};
}

// The greatest common divisor of all positions, from the beginning of a row of blocks, where the next place is not one
// more, and of the number of positions, is the length that is stated; and `runs` counts up from each block's beginning.
// Blocks of one element have no `runs`.
inline Truth truth_of_runs(const Json& statement, const map::Layout& layout, const map::Layout* other) {
  const map::Space& points = layout.domain();
  if (points.rank() < 2 || points.volume() == 0) return Truth::False;
  if (points.volume() > 1 << 16) return Truth::NotSeen;
  const auto axis = map::memory_axis(layout);
  const Index length = points.extent(points.rank() - 1), blocks = points.extent(points.rank() - 2);
  const auto said = statement.value("value", Index{0});
  if (!axis || said != length || (length > 1) != (other != nullptr)) return Truth::False;
  if (other != nullptr && other->domain().dims() != points.dims()) return Truth::False;
  Index divisor = length * blocks;
  Point before, begin;
  for (Index number = 0; number < points.volume(); ++number) {
    const Point p = points.point(number), place = map::outputs_at(layout, p, {});
    const Index position = number % (length * blocks);
    Point next = before;
    if (position > 0 && (++next[*axis], next != place)) divisor = std::gcd(divisor, position);
    if (position % length == 0) begin = place;
    Point counted = begin;
    counted[*axis] += position % length;
    if (other != nullptr && map::outputs_at(*other, p, {}) != counted) return Truth::False;
    before = place;
  }
  return divisor == length ? Truth::True : Truth::False;
}

// Claims that are made of other ones, of the layouts that the statement names.
//   occupied         every place of the box is hit
//   view-in-bounds   the map from the result's slots to the source's is in bounds: the pair of texts is no second
//   layout complement       the pair is one-to-one, its rules hold, and the complement's steps are in their box
//   mask-exact       the elements fill the box that is kept
//   remap            two layouts are the same, and a third is in bounds
//   contiguous       places of blocks go up by one and, between the blocks, do not; the second layout says the same
inline std::optional<Truth> truth_of_parts(const Json& statement, const map::Layout& layout, const map::Layout* other) {
  const auto name = statement.at("claim").get<std::string>();
  if (name == "contiguous") return truth_of_runs(statement, layout, other);
  const claims::Claim& stated = *claims::find_claim(name);
  const bool numbers = claims::is_about<claims::NumberLaw>(stated);
  const bool pairs = claims::is_about<claims::Complemented>(stated);
  if (!numbers && !pairs && name != "mask-exact" && name != "remap" && name != "occupied" && name != "view-in-bounds")
    return std::nullopt;
  bool holds = true, seen = true;
  const auto ask = [&](const char* claim, const map::Layout& of, const map::Layout* with) {
    const auto word = looked(claim, of, {.other = with}).word;
    seen = seen && word != "unknown";
    holds = holds && word == "proved";
  };
  if (name == "occupied") {
    ask("onto", layout, nullptr);
  } else if (name == "view-in-bounds") {
    if (other != nullptr) return Truth::False;
    ask("in-bounds", layout, nullptr);
  } else if (name == "mask-exact") {
    ask("in-bounds", layout, nullptr);
    ask("onto", layout, nullptr);
  } else {
    if (!pairs && (other == nullptr || layout.logical() != other->logical())) return Truth::False;
    if (pairs) ask("in-bounds", layout, nullptr), ask("injective", layout, nullptr);
    else ask("equal", layout, other);
    for (const Json& rule : statement.value("rules", Json::array()))
      holds = holds && rule.at("have") == rule.at("want");
    for (const Json& operand : statement.value("operands", Json::array())) {
      const auto reads = layout_of(operand);
      if (!reads) return Truth::NoLayout;
      ask("in-bounds", *reads, nullptr);
    }
  }
  if (!seen) return Truth::NotSeen;
  return holds == (statement.at("verdict") == "proved") ? Truth::True : Truth::False;
}

inline values::CodeSet codes_of(const Json& ranges) {
  std::vector<values::CodeRange> out;
  for (const Json& range : ranges)
    out.push_back({std::stoull(range.at(0).get<std::string>(), nullptr, 16),
                   std::stoull(range.at(1).get<std::string>(), nullptr, 16)});
  return values::CodeSet(std::move(out));
}

// The question of a reduction or a row, but for its contents; nothing where a word has no meaning.
inline std::optional<neutral::Question> question_of(const Json& said) {
  neutral::Question question;
  const auto* type = values::find_format(said.at("type").get<std::string>());
  const auto* wide = values::find_format(said.at("accumulate").get<std::string>());
  const auto operation = neutral::find_operation(said.at("operation").get<std::string>());
  if (type == nullptr || wide == nullptr || !operation) return std::nullopt;
  question.operation = *operation, question.type = *type, question.accumulate = *wide;
  question.start = said.at("start") == "+0"   ? values::Start::Zero
                   : said.at("start") == "-0" ? values::Start::MinusZero
                                              : values::Start::First;
  question.tree = said.at("order") == "seq" ? values::Tree::Sequential : values::Tree::Any;
  question.max = said.at("max") == "x86"         ? values::MaxRule::X86
                 : said.at("max") == "nan-loses" ? values::MaxRule::NanLoses
                                                 : values::MaxRule::NanWins;
  question.fused = said.at("fused").get<bool>();
  question.equal = said.at("equal") == "bits"      ? neutral::Equality::Bits
                   : said.at("equal") == "any-nan" ? neutral::Equality::AnyNan
                                                   : neutral::Equality::AnyNanAndZero;
  const auto rounding = said.value("rounding", "nearest-even"), flush = said.value("flush", "none");
  question.mode.rounding = rounding == "nearest-away"  ? values::Rounding::NearestAway
                           : rounding == "toward-zero" ? values::Rounding::TowardZero
                                                       : values::Rounding::NearestEven;
  question.mode.flush = flush == "both"      ? values::Flush::Both
                        : flush == "results" ? values::Flush::Results
                                             : values::Flush::None;
  if (said.value("integers", "wrap") == "saturate") question.mode.integers = values::Integers::Saturate;
  if (!said.contains("row")) return question;
  const Json& row = said.at("row");
  question.divide = row.at("divide") == "P" ? neutral::Divide::Padded : neutral::Divide::Logical;
  question.ties = row.at("ties") == "last"    ? values::Ties::Last
                  : row.at("ties") == "first" ? values::Ties::First
                                              : values::Ties::Unspecified;
  question.pads = row.at("pads") == "after" ? neutral::Pads::After : neutral::Pads::Anywhere;
  question.k = row.at("k").get<unsigned>();
  return question;
}

// Whether the program's own laws say that a reduction is neutral.
inline Truth truth_of_reduction(const Json& said) {
  auto read = question_of(said);
  if (!read) return Truth::False;
  neutral::Question& question = *read;
  question.contents = codes_of(said.at("contents"));
  if (!neutral::misfit(question).empty()) return Truth::False;
  const values::CodeSet fill = codes_of(said.at("fill"));
  const auto other = said.contains("other") ? std::optional(codes_of(said.at("other"))) : std::nullopt;
  const auto verdict = neutral::decide(question, fill, other ? &*other : nullptr);
  if (std::holds_alternative<neutral::Proved>(verdict)) return Truth::True;
  return std::holds_alternative<neutral::Refuted>(verdict) ? Truth::False : Truth::NotSeen;
}

// Whether no two indices of an operand share a slot; of one with an index that has none the truth of the whole.
inline std::variant<bool, Truth> are_apart(const Json& operand) {
  const auto layout = layout_of(operand);
  if (!layout) return Truth::NoLayout;
  if (looked("in-bounds", *layout, {}).word != "proved") return Truth::False;
  return looked("injective", *layout, {}).word == "proved";
}

// A padded run: every index of every operand has a slot, no two have one unless the fill has all that the operand's
// elements hold (all contents, if nothing is said of them), and each reduction is neutral.
inline Truth truth_of_padded(const Json& statement) {
  if (statement.at("verdict") != "proved") return Truth::False;
  const Json reductions = statement.value("reductions", Json::array());
  const Json operands = statement.value("operands", Json::array()), held = statement.value("held", Json::array());
  if (!held.empty() && held.size() != operands.size()) return Truth::False;
  Truth out = Truth::True;
  for (const Json& reduction : reductions)
    if (const Truth one = truth_of_reduction(reduction); one != Truth::True) out = one;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto apart = are_apart(operands[i]);
    if (const Truth* ended = std::get_if<Truth>(&apart)) return *ended;
    for (const Json& reduction : reductions) {
      const Json& fill = i == 0 ? reduction.at("fill") : reduction.at("other");
      const Json& elements = held.empty() ? reduction.at("contents") : held[i].at("elements");
      if (!std::get<bool>(apart) && !codes_of(elements).is_subset_of(codes_of(fill))) return Truth::False;
    }
  }
  return out;
}

// Of padding-state: every index of every operand has a slot, and no two have one unless every set of the operand has
// what its elements hold. `sets` are those of each image, and of each part of a row that is there.
inline Truth truth_of_operands(const Json& statement, const std::vector<Json>& sets) {
  const Json operands = statement.value("operands", Json::array()), held = statement.value("held", Json::array());
  if (operands.empty() || operands.size() != held.size()) return Truth::False;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto apart = are_apart(operands[i]);
    if (const Truth* ended = std::get_if<Truth>(&apart)) return *ended;
    for (const Json& one : sets)
      if (one.size() != operands.size() ||
          (!std::get<bool>(apart) && !codes_of(held[i].at("elements")).is_subset_of(codes_of(one[i]))))
        return Truth::False;
  }
  return Truth::True;
}

// Some codes of a set, all where they are few.
inline std::vector<values::Code> some_of(const values::CodeSet& set) {
  std::vector<values::Code> out;
  for (const auto& range : set.ranges())
    for (values::Code k = 0; k < 16 && k <= range.last - range.first && out.size() < 16; ++k)
      out.push_back(k % 2 == 0 ? range.first + k / 2 : range.last - k / 2);
  return out;
}

// Every result of some operands lies in what is claimed; tests/neutral/transfer_campaign.cpp holds images against all.
inline Truth truth_of_images(const Json& statement) {
  if (statement.at("claim") != "padding-state" || statement.at("verdict") != "proved") return Truth::False;
  std::vector<Json> sets;
  for (const Json& said : statement.at("images")) {
    const auto* format = values::find_format(said.at("type").get<std::string>());
    const auto function = neutral::find_function(said.at("function").get<std::string>());
    if (format == nullptr || !function || !neutral::is_defined(*function, *format)) return Truth::False;
    std::vector<values::CodeSet> operands;
    for (const Json& set : said.at("operands")) operands.push_back(codes_of(set));
    const auto rule = said.at("max") == "x86"         ? values::MaxRule::X86
                      : said.at("max") == "nan-loses" ? values::MaxRule::NanLoses
                                                      : values::MaxRule::NanWins;
    if (operands.size() != neutral::arity(*function) || std::ranges::any_of(operands, &values::CodeSet::empty))
      return Truth::False;
    operands.resize(3, values::CodeSet::of(0));
    const values::CodeSet claimed = codes_of(said.at("results"));
    for (const values::Code a : some_of(operands[0]))
      for (const values::Code b : some_of(operands[1]))
        for (const values::Code c : some_of(operands[2])) {
          const std::array codes{a, b, c};
          const auto used = std::span(codes).first(neutral::arity(*function));
          if (!neutral::results_of(*function, *format, rule, used).is_subset_of(claimed)) return Truth::False;
        }
    sets.push_back(said.at("operands"));
  }
  return truth_of_operands(statement, sets);
}

// The program's own image of each row lies in what is claimed.
inline Truth truth_of_rows(const Json& statement) {
  if (statement.at("claim") != "padding-state" || statement.at("verdict") != "proved") return Truth::False;
  std::vector<Json> parts;
  for (const Json& said : statement.at("row_states")) {
    const auto* result = values::find_format(said.at("result").get<std::string>());
    auto question = question_of(said.at("about"));
    if (!question || result == nullptr) return Truth::False;
    question->contents = values::CodeSet::all(question->type);
    neutral::RowOfSets row{said.at("extents"), said.at("whole"), {}};
    const auto at = said.at("at").get<std::size_t>();
    const Json& holds = said.at("holds");
    if (row.extents.size() != row.whole.size() || row.whole.size() > 6 ||
        holds.size() != std::size_t{1} << row.whole.size())
      return Truth::False;
    for (std::size_t j = 0; j < row.whole.size(); ++j)
      if (row.extents[j] < 1 || row.whole[j] < row.extents[j]) return Truth::False;
    const bool places = neutral::is_index(question->operation);
    if (!neutral::misfit(*question).empty() || !row.count() || (places && row.whole.size() != 1)) return Truth::False;
    for (std::size_t part = 0; part < holds.size(); ++part) {
      auto& sets = row.parts.emplace_back();
      for (const Json& set : holds[part]) sets.push_back(codes_of(set));
      const std::size_t operands = question->operation == neutral::Operation::Dot ? 2 : 1;
      if (sets.size() != (*row.count(part) == 0 ? 0 : operands) || std::ranges::any_of(sets, &values::CodeSet::empty))
        return Truth::False;
    }
    if (at >= row.parts.size() || row.parts[at].empty()) return Truth::False;
    const auto image = neutral::image_of_results(*question, *result, row, at);
    if (!image.is_subset_of(codes_of(said.at("results")))) return Truth::False;
    for (const Json& part : holds)
      if (!part.empty()) parts.push_back(part);
  }
  return truth_of_operands(statement, parts);
}

// Each value is a number of the type.
inline Truth truth_of_storing(const Json& statement) {
  if (statement.at("claim") != "storeable" || statement.at("verdict") != "proved") return Truth::False;
  const Json& said = statement.at("storing");
  const auto name = said.at("type").get<std::string>();
  const values::Format& wide = *values::find_format("f64");
  if (name.starts_with("bfp"))
    return codes_of(said.at("values")).is_subset_of(values::zeros(wide)) ? Truth::True : Truth::False;
  const auto* format = values::find_format(name);
  if (format == nullptr) return Truth::False;
  if (said.contains("codes"))
    return codes_of(said.at("codes")).is_subset_of(values::CodeSet::all(*format)) ? Truth::True : Truth::False;
  const values::CodeSet codes = codes_of(said.at("values"));
  for (const auto& range : codes.ranges())
    for (values::Code code = range.first; code <= range.last; ++code) {
      const values::Code stored = values::convert(wide, *format, code);
      const bool nan = values::is_nan(wide, code);
      if (nan ? !values::is_nan(*format, stored) : values::convert(*format, wide, stored) != code) return Truth::False;
    }
  return Truth::True;
}

// Whether a statement is true.
inline Truth truth_of(const Json& statement) {
  const auto name = statement.at("claim").get<std::string>();
  const claims::Claim* claim = claims::find_claim(name);
  if (claim == nullptr) return Truth::False;
  if (statement.contains("images")) return truth_of_images(statement);
  if (statement.contains("row_states")) return truth_of_rows(statement);
  if (statement.contains("storing")) return truth_of_storing(statement);
  if (statement.contains("rules") && !statement.contains("map")) {
    const bool hold =
        std::ranges::all_of(statement.at("rules"), [](const Json& rule) { return rule.at("have") == rule.at("want"); });
    if (hold && name == "neutral") return truth_of_padded(statement);
    return hold == (statement.at("verdict") == "proved") ? Truth::True : Truth::False;
  }
  const auto layout = layout_of(statement.at("map"));
  const auto other = statement.contains("other") ? layout_of(statement.at("other")) : std::nullopt;
  if (!layout || (statement.contains("other") && !other)) return Truth::NoLayout;
  if (const auto truth = truth_of_parts(statement, *layout, other ? &*other : nullptr)) return *truth;
  std::vector<use::Rule> rules;
  if (claims::is_about<claims::LawResult>(*claim))
    for (const Json& rule : statement.at("rules"))
      rules.push_back({rule.at("statement"), rule.at("have"), rule.at("want")});
  const bool of_one_tensor = claims::is_about<claims::LawResult>(*claim) || claims::is_about<claims::Pair>(*claim);
  if (claim->keys.has("with") && !other) return Truth::False;
  if (of_one_tensor && layout->logical() != other->logical()) return Truth::False;
  const test::Given given{.other = other ? &*other : nullptr,
                          .element_bits = statement.value("bits", 0),
                          .base = statement.value("base", Index{0}),
                          .at = statement.value("at", Index{0}),
                          .rules = rules};
  const test::Looked found = looked(name, *layout, given);
  if (found.word == "unknown") return Truth::NotSeen;
  if (found.word == "unsupported") return Truth::NoLayout;
  const std::optional<Index> value =
      statement.contains("value") ? std::optional(statement.at("value").get<Index>()) : std::nullopt;
  return found.word == statement.at("verdict") && found.value == value ? Truth::True : Truth::False;
}

}  // namespace vl::mutation
