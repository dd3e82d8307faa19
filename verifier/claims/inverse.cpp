// inverse: the second layout B, read over the places of the first, A, takes every element's place back to the element:
//   ∀ x: A(x) lies in B's tensor, and {n_B(B(A(x), r)) : r} = {n(x)},
// where n is the row-major number of an element, and n_B that of a slot in the box of B's valid slots (its physical box
// if a family states none). B's tensor is the box of A's valid slots, coordinate by coordinate, so B reads what A
// wrote.
//
// Unsupported if A has replicas (for an element with two places the way back is not a function); vacuous without
// elements.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

std::optional<Unknown> unfit(const map::Layout& a, const map::Layout& b) {
  if (a.replicas().volume() != 1) return Unknown{Reason::Unsupported, "the first layout has replicas", {}};
  if (a.guards() > 0 || b.guards() > 0) return Unknown{Reason::Unsupported, "a layout that may leave a remainder", {}};
  const auto& ranges = b.map().ranges(b.map().stages().size());
  for (std::size_t j = 0; b.named_axes() && j < b.physical().rank(); ++j)
    if (const map::Dim& axis = b.physical().dims()[j]; map::memory_axis(b) != j && ranges[j] != map::Range{0, 0})
      return Unknown{
          Reason::Unsupported,
          fmt::format("the second layout gives coordinates on {}; expected elements' numbers, on m", axis.name),
          {}};
  if (a.physical().rank() != b.logical().rank())
    return Unknown{Reason::Unsupported,
                   fmt::format("the first layout has {} axes, the second reads {} coordinates", a.physical().rank(),
                               b.logical().rank()),
                   {}};
  return std::nullopt;
}

// x, B's replicas -> B(A(x), r), in the box of B's valid slots.
Result<map::Layout> there_and_back(const map::Layout& a, const map::Layout& b) {
  map::LayoutParts parts = map::parts_in(b, b.filled() ? *b.filled() : b.physical());
  parts.logical = a.logical();
  parts.host_offset = a.host_offset();
  // A's replicas have only the value 0. B's replicas follow its logical coordinates.
  map::Affine enter;
  for (std::size_t i = 0; i < a.domain().rank(); ++i)
    enter.rows.push_back(i < a.logical().rank() ? map::pick(i) : map::Row{});
  for (std::size_t r = 0; r < b.replicas().rank(); ++r) enter.rows.push_back(map::pick(a.logical().rank() + r));
  std::vector<map::Stage> stages{std::move(enter)};
  std::size_t width = a.domain().rank();  // of A's values, before B's replicas
  for (map::Stage stage : a.map().stages()) {
    if (auto* affine = std::get_if<map::Affine>(&stage)) {
      const std::size_t outputs = affine->rows.size();
      for (std::size_t r = 0; r < b.replicas().rank(); ++r) affine->rows.push_back(map::pick(width + r));
      width = outputs;
    } else if (const auto* split = std::get_if<map::Split>(&stage)) {
      width += split->weights.size() - 1;
    }
    stages.push_back(std::move(stage));
  }
  stages.insert(stages.end(), b.map().stages().begin(), b.map().stages().end());
  parts.map = std::move(stages);
  return map::Layout::create(std::move(parts));
}

// x -> n(x) on a line.
Result<map::Layout> numbers_of(const map::Layout& a) {
  map::LayoutParts parts;
  parts.logical = a.logical();
  auto line = map::Space::create({{"number", a.logical().volume(), map::Unit::Element}});
  if (!line) return line.error();
  parts.physical = std::move(*line);
  parts.map = {map::Affine{{map::dot(map::row_major_weights(a.logical()))}}};
  return map::Layout::create(std::move(parts));
}

Counterexample not_back(const map::Layout& a, const map::Layout& back, const Point& x) {
  const Point place = map::outputs_at(a, x, Point(a.replicas().rank(), 0));
  const std::vector<Index> numbers = question::memory_of(back, x);
  const Index number = a.logical().linear(x);
  const auto wrong = std::ranges::find_if(numbers, [&](Index n) { return n != number; });
  const std::string where =
      numbers.empty() ? "nowhere" : fmt::format("to number {}", wrong == numbers.end() ? numbers.front() : *wrong);
  Counterexample out{{{"a", x}, {"physical", place}},
                     fmt::format("element {} is number {} and lies at {}, which the second layout takes {}", show(x),
                                 number, show(place), where)};
  if (wrong != numbers.end()) out.fields.emplace_back("back", *wrong);
  out.fields.emplace_back("number", number);
  return out;
}

Verdict inverse(const WayBack& about, Inquiry& inquiry) {
  const map::Layout& a = about.layout;
  const map::Layout& b = about.back;
  if (a.logical().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (auto why = unfit(a, b)) return std::move(*why);
  std::vector<map::Dim> dims = a.physical().dims();
  for (std::size_t j = 0; j < dims.size(); ++j) dims[j].extent = b.logical().extent(j);
  auto box = map::Space::create(std::move(dims));
  const auto read = box ? map::Layout::create(map::parts_in(a, std::move(*box))) : Result<map::Layout>(box.error());
  if (!read) return inquiry.unknown({Reason::OutOfReach, read.error().message});
  const engines::Answer escape = inquiry.ask(Kind::Escapes, *read);
  if (const auto* found = std::get_if<engines::Found>(&escape)) {
    Counterexample out = placed(*read, found->witness.p);
    out.explanation = fmt::format("element {} lies outside the second layout's tensor: {}",
                                  show(std::get<Point>(out.fields[0].second)),
                                  why_no_slot(*read, std::get<Point>(out.fields[1].second)));
    out.fields.emplace_back("number", a.logical().linear(std::get<Point>(out.fields[0].second)));
    return inquiry.refuted(std::move(out));
  }
  if (const auto* abstained = std::get_if<engines::Abstained>(&escape)) return inquiry.unknown(*abstained);
  const auto back = there_and_back(a, b);
  const auto numbers = numbers_of(a);
  for (const auto* made : {&back, &numbers})
    if (!*made) return inquiry.unknown({Reason::OutOfReach, made->error().message});
  const engines::Answer answer = inquiry.ask(Kind::Differs, *back, *numbers);
  if (const auto* found = std::get_if<engines::Found>(&answer))
    return inquiry.refuted(not_back(a, *back, found->witness.p));
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace

extern const Claim kInverse = {
    .name = "inverse",
    .statement = "the second layout takes each element's place back to the element's row-major number",
    .witness = "a, physical, back, number",
    .keys = {"with", "LAYOUT", true},
    .decide = inverse,
    .proof = {Part::TakenBack}};

}  // namespace vl::claims
