#include "oracle/gate/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "encodings/use/reference.h"
#include "oracle/fuzz/subject.h"
#include "oracle/gate/map_places.h"

namespace vl::gate {
namespace {

using Rows = std::set<Point>;

std::string shown_point(const Point& point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

std::string shown_rows(const Rows& rows) {
  if (rows.empty()) return "nowhere";
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (const Point& row : rows) out.push_back(shown_point(row));
  return fmt::format("{}", fmt::join(out, " and "));
}

Json json_of(const Rows& rows) {
  if (rows.empty()) return {};
  if (rows.size() == 1) return Json(*rows.begin());
  Json::List out;
  out.reserve(rows.size());
  for (const Point& row : rows) out.emplace_back(row);
  return out;
}

// The coordinates of an element's places. Named axes go on beyond their box; where they have no names, an element
// outside of the box has no place.
Rows rows_of(const map::Layout& layout, const Point& element, bool base_only) {
  Rows out;
  Point replica(layout.replicas().rank(), 0);
  if (layout.replicas().volume() == 0) return out;
  do {
    const Point outputs = map::outputs_at(layout, element, replica);
    const auto guards = std::span<const Index>(outputs).subspan(layout.physical().rank());
    const bool placed =
        layout.named_axes() ? std::ranges::all_of(guards, [](Index g) { return g == 0; }) : layout.is_slot(outputs);
    if (placed) out.emplace(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
  } while (!base_only && map::advance(layout.replicas(), replica));
  return out;
}

// The elements that a case is about: those of its list, or all.
std::size_t asked_elements(const Case& of) {
  return of.elements.empty() ? static_cast<std::size_t>(of.of().logical().volume()) : of.elements.size();
}
Point asked_element(const Case& of, std::size_t k) {
  return of.of().logical().point(of.elements.empty() ? static_cast<Index>(k) : of.elements[k]);
}

// How the columns of an answer are those of the layout.
struct Columns {
  std::vector<std::optional<std::size_t>> of;  // for each of the layout's axes, the answer's column
  std::vector<std::string> names;              // of the answer's
  bool offset = false;                         // one column, the slot's number
};

std::optional<Judgement> columns_of(const map::Layout& layout, const Json& answer, Columns& out) {
  const Json* axes = answer.find("axes");
  if (axes == nullptr || axes->list() == nullptr) return differs("unreadable", "the answer has no list 'axes'");
  for (const Json& axis : *axes->list()) {
    if (axis.string() == nullptr) return differs("unreadable", "an axis that is no text");
    if (std::ranges::find(out.names, *axis.string()) != out.names.end())
      return differs("unreadable", "an axis comes twice");
    out.names.push_back(*axis.string());
  }
  const std::vector<map::Dim>& dims = layout.physical().dims();
  if (!layout.named_axes()) {
    out.offset = out.names.size() == 1 && out.names[0] == "offset";
    if (!out.offset && out.names.size() != dims.size())
      return differs("unreadable", fmt::format("{} axes; expected {}, or \"offset\"", out.names.size(), dims.size()));
    for (std::size_t j = 0; !out.offset && j < dims.size(); ++j) out.of.emplace_back(j);
    return std::nullopt;
  }
  for (const map::Dim& dim : dims) {
    const auto found = std::ranges::find(out.names, dim.name);
    out.of.push_back(found == out.names.end() ? std::nullopt
                                              : std::optional(static_cast<std::size_t>(found - out.names.begin())));
  }
  return std::nullopt;
}

// The layout's coordinates of a row of the answer; an axis that the layout lacks must be 0.
std::optional<Point> point_of(const Columns& columns, const map::Layout& layout, const std::vector<Index>& row) {
  if (row.size() != columns.names.size()) return std::nullopt;
  if (columns.offset) {
    if (row[0] < 0 || row[0] >= layout.physical().volume()) return Point(layout.physical().rank(), -1);
    return layout.physical().point(row[0]);
  }
  std::vector<Index> left = row;
  Point out;
  out.reserve(columns.of.size());
  for (const auto& column : columns.of) out.push_back(column ? std::exchange(left[*column], 0) : 0);
  const bool all = std::ranges::all_of(left, [](Index value) { return value == 0; });
  if (!all) out.push_back(1);  // a place that the layout does not have
  return out;
}

// The places that an answer gives one element; nothing if they cannot be read.
std::optional<Rows> answered(const Json& value, const Columns& columns, const map::Layout& layout) {
  Rows out;
  if (value.is_null()) return out;
  const Json::List* list = value.list();
  if (list == nullptr) return std::nullopt;
  const bool several = !list->empty() && list->front().list() != nullptr;
  const Json::List one{value};
  for (const Json& each : several ? *list : one) {
    std::vector<Index> row;
    if (!integers_of(each, row)) return std::nullopt;
    const auto point = point_of(columns, layout, row);
    if (!point) return std::nullopt;
    out.insert(*point);
  }
  return out;
}

// What a wrong place becomes.
Judgement wrong_place(const map::Layout& layout, const Point& element, const Rows& right,
                      const std::optional<Rows>& said) {
  Judgement out = differs(said ? "value" : "unreadable",
                          fmt::format("element {} lies at {}; the answer says {}", shown_point(element),
                                      shown_rows(right), said ? shown_rows(*said) : "something else than rows"));
  Json::List axes;
  axes.reserve(layout.physical().dims().size());
  for (const map::Dim& dim : layout.physical().dims()) axes.emplace_back(dim.name);
  out.right.set("element", Json(element));
  out.right.set("axes", std::move(axes));
  out.right.set("place", json_of(right));
  return out;
}

std::optional<Point> point_named(const Json& witness, std::string_view key, const map::Layout& layout) {
  const Json* value = witness.find(key);
  Point out;
  if (value == nullptr || !integers_of(*value, out) || !layout.logical().contains(out)) return std::nullopt;
  return out;
}

// The other layout of a claim that has one, read for the same tensor.
std::optional<use::Reading> with_of(const Case& of) {
  for (const CaseArgument& argument : of.arguments) {
    if (argument.key != "with") continue;
    auto read = use::family_of({}, of.family)->read(argument.text, of.tensor);
    if (read && read->layout() != nullptr) return std::move(*read);
  }
  return std::nullopt;
}

// By names of axes, so that two layouts can be compared.
std::set<std::map<std::string, Index>> named_rows(const map::Layout& layout, const Point& element) {
  std::set<std::map<std::string, Index>> out;
  for (const Point& row : rows_of(layout, element, false)) {
    std::map<std::string, Index> named;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) named[layout.physical().dims()[j].name] = row[j];
    out.insert(std::move(named));
  }
  return out;
}

}  // namespace

Judgement judge_place(const Case& of, const Json& answer, std::string_view convention) {
  const map::Layout& layout = of.of();
  Columns columns;
  if (auto wrong = columns_of(layout, answer, columns)) return *wrong;
  const Json* values = answer.find("values");
  if (values == nullptr || values->list() == nullptr) return differs("unreadable", "the answer has no list 'values'");
  if (answer.fields()->size() != 2) return differs("unreadable", "the answer has further fields than axes and values");
  const std::size_t count = asked_elements(of);
  if (values->list()->size() != count)
    return differs("size", fmt::format("{} rows for {} elements", values->list()->size(), count));
  for (std::size_t k = 0; k < count; ++k) {
    const Point element = asked_element(of, k);
    const Rows right = rows_of(layout, element, convention == "base-only");
    const auto said = answered((*values->list())[k], columns, layout);
    if (said && *said == right) continue;
    return wrong_place(layout, element, right, said);
  }
  return {.word = Word::Agree, .scope = of.elements.empty() ? "all-elements" : "sampled"};
}

Judgement judge_rows(const Case& of, const Json& answer, std::string_view rows, std::string_view convention) {
  const map::Layout& layout = of.of();
  Columns columns;
  if (auto wrong = columns_of(layout, answer, columns)) return *wrong;
  if (answer.fields()->size() != 2) return differs("unreadable", "the answer has further fields than axes and bulk");
  const std::size_t width = columns.names.size(), volume = static_cast<std::size_t>(layout.logical().volume());
  std::vector<Index> values(rows.size() / sizeof(Index));
  std::memcpy(values.data(), rows.data(), values.size() * sizeof(Index));
  if (values.size() != volume * width)
    return differs(
        "size", fmt::format("{} numbers; {} elements of {} axes are {}", values.size(), volume, width, volume * width));
  const auto form = digits_of(layout, columns.names);
  if ((form && use::are_places(*form, values)) || rows_agree(layout, columns.names, values, convention))
    return {.word = Word::Agree, .scope = "all-elements"};
  for (std::size_t k = 0; k < volume; ++k) {
    const Point element = layout.logical().point(static_cast<Index>(k));
    const Rows right = rows_of(layout, element, convention == "base-only");
    const auto row = std::span(values).subspan(k * width, width);
    const auto point = point_of(columns, layout, {row.begin(), row.end()});
    if (point && Rows{*point} == right) continue;
    return wrong_place(layout, element, right, point ? std::optional(Rows{*point}) : std::nullopt);
  }
  return {.word = Word::Agree, .scope = "all-elements"};
}

Judgement judge_back(const Case& of, const Json& answer) {
  const map::Layout& layout = of.of();
  std::vector<Index> said;
  const Json* elements = answer.find("elements");
  if (elements == nullptr || !integers_of(*elements, said) || answer.fields()->size() != 1)
    return differs("unreadable", "the answer is no list 'elements' of integers");
  if (said.size() != of.slots.size())
    return differs("size", fmt::format("{} elements for {} slots", said.size(), of.slots.size()));
  std::map<Point, std::set<Index>> living;
  for (Index k = 0; k < layout.logical().volume(); ++k)
    for (const Point& row : rows_of(layout, layout.logical().point(k), false)) living[row].insert(k);
  for (std::size_t k = 0; k < said.size(); ++k) {
    const auto found = living.find(of.slots[k]);
    const std::set<Index> right = found == living.end() ? std::set<Index>{-1} : found->second;
    if (right.contains(said[k])) continue;
    Judgement out =
        differs("value",
                fmt::format("slot {} holds {}; the answer says {}", shown_point(of.slots[k]),
                            found == living.end() ? "no element" : fmt::format("element {}", *right.begin()), said[k]));
    out.right.set("slot", Json(of.slots[k]));
    out.right.set("element", *right.begin());
    return out;
  }
  return {.word = Word::Agree, .scope = "all-elements"};
}

std::optional<Index> size_of(const Case& of) { return of.of().logical().volume(); }

std::optional<Index> cosize_of(const Case& of, std::string_view convention) {
  const map::Layout& layout = of.of();
  const auto axis = layout.named_axes() ? map::memory_axis(layout) : std::nullopt;
  if (!axis || !of.tensor.box.empty() || layout.domain().volume() == 0) return std::nullopt;
  if (convention == "tile") {
    if (!layout.filled()) return std::nullopt;
    return layout.filled()->extent(*axis);
  }
  std::optional<Index> largest;
  for (Index k = 0; k < layout.logical().volume(); ++k)
    for (const Point& row : rows_of(layout, layout.logical().point(k), false))
      largest = std::max(largest.value_or(row[*axis]), row[*axis]);
  return largest && *largest >= 0 ? std::optional(*largest + 1) : std::nullopt;
}

bool meanings_agree(const Case& of) {
  if (of.op->kind == OpKind::Construct) return true;  // whose map is not that of its layout
  const map::Layout& layout = of.of();
  for (const use::Reference* reference : use::references()) {
    if (reference->family != of.family) continue;
    const auto slots = reference->slots(of.layout, of.tensor);
    if (!slots) return false;
    const std::size_t elements = asked_elements(of);
    for (std::size_t k = 0; k < std::min(elements, kMostLookedAt); ++k) {
      const Point element = asked_element(of, elements <= kMostLookedAt ? k : oracle::mix(k) % elements);
      Rows ours;
      for (const Point& row : rows_of(layout, element, false))
        if (layout.physical().contains(row)) ours.insert(row);
      const std::vector<Point> second = (*slots)(element);
      if (ours != Rows(second.begin(), second.end())) return false;
    }
  }
  return true;
}

std::optional<bool> witness_shows(const Case& of, std::string_view claim, const Json& witness) {
  const map::Layout& layout = of.of();
  if (claim == "onto" || claim == "well-formed") return std::nullopt;
  if (claim == "bijective" && witness.find("b") == nullptr) return std::nullopt;  // it may be about a slot
  const auto a = point_named(witness, "a", layout);
  if (!a) return false;
  if (claim == "in-bounds") {
    const Rows rows = rows_of(layout, *a, false);
    return rows.empty() ||
           std::ranges::any_of(rows, [&](const Point& row) { return !layout.physical().contains(row); });
  }
  if (claim == "injective" || claim == "bijective") {
    const auto b = point_named(witness, "b", layout);
    if (!b) return false;
    Rows common;
    const Rows one = rows_of(layout, *a, false), other = rows_of(layout, *b, false);
    std::ranges::set_intersection(one, other, std::inserter(common, common.end()));
    const bool twice = static_cast<Index>(one.size()) < layout.replicas().volume();  // two replicas in one place
    return *a == *b ? twice : !common.empty();
  }
  const auto other = with_of(of);
  if (!other) return false;
  if (claim == "equal") return named_rows(layout, *a) != named_rows(*other->layout(), *a);
  const auto b = point_named(witness, "b", *other->layout());
  if (claim != "disjoint" || !b) return false;
  const auto one = named_rows(layout, *a);
  return std::ranges::any_of(named_rows(*other->layout(), *b), [&](const auto& row) { return one.contains(row); });
}

}  // namespace vl::gate
