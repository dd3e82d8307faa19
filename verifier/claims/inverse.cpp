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

#include "encodings/map/run.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

std::optional<Verdict> unfit(const map::Layout& a, const map::Layout& b) {
  if (a.replicas().volume() != 1) return unsupported("the first layout has replicas");
  if (a.guards() > 0 || b.guards() > 0) return unsupported("a layout that may leave a remainder");
  const auto& ranges = b.map().ranges(b.map().stages().size());
  for (std::size_t j = 0; b.named_axes() && j < b.physical().rank(); ++j)
    if (const map::Dim& axis = b.physical().dims()[j]; map::memory_axis(b) != j && ranges[j] != map::Range{0, 0})
      return unsupported(
          fmt::format("the second layout gives coordinates on {}; expected elements' numbers, on m", axis.name));
  if (a.physical().rank() != b.logical().rank())
    return unsupported(fmt::format("the first layout has {} axes, the second reads {} coordinates", a.physical().rank(),
                                   b.logical().rank()));
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
    const std::size_t outputs = map::values_after(stage, width);
    if (auto* affine = std::get_if<map::Affine>(&stage))
      for (std::size_t r = 0; r < b.replicas().rank(); ++r) affine->rows.push_back(map::pick(width + r));
    width = outputs;
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
  parts.map = {map::Affine{{map::row_major_number(a.logical())}}};
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
  if (!read) return inquiry.out_of_reach(read.error().message);
  const auto outside = [&](const Witness& w) {
    Counterexample out = missing(*read, w.p, "element {} lies outside the second layout's tensor: {}");
    out.fields.emplace_back("number", a.logical().linear(spot_of(*read, w.p).element));
    return out;
  };
  if (auto no = inquiry.unless_none({Kind::Escapes, &*read, nullptr}, outside)) return std::move(*no);
  const auto back = there_and_back(a, b);
  const auto numbers = numbers_of(a);
  for (const auto* made : {&back, &numbers})
    if (!*made) return inquiry.out_of_reach(made->error().message);
  return inquiry.settle({Kind::Differs, &*back, &*numbers}, [&](const Witness& w) { return not_back(a, *back, w.p); });
}

}  // namespace

// The second layout is read for the first one's places.
std::optional<WayBack> WayBack::bind(Offer& offer) {
  const map::Layout* layout = offer.first();
  if (layout == nullptr) return std::nullopt;
  map::Tensor places;
  places.type = offer.tensor.type;
  places.size = map::extents_of(layout->filled() ? *layout->filled() : layout->physical());
  const use::Reading* second = offer.second(places);
  return second != nullptr ? std::optional(WayBack{*layout, *second->layout()}) : std::nullopt;
}

extern const Claim kInverse = {
    .name = "inverse",
    .statement = "the second layout takes each element's place back to the element's row-major number",
    .witness = "a, physical, back, number",
    .keys = {"with", "LAYOUT", true},
    .decide = inverse,
    .proof = {Part::TakenBack}};

}  // namespace vl::claims
