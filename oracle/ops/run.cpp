#include "oracle/ops/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::oracle::ops {
namespace {

constexpr Index kMostSteps = Index{1} << 40, kMostElements = Index{1} << 28;

Error says(const Operand& operand, ErrorCode code, const std::string& what) {
  return {code, fmt::format("{} {}", operand.role, what)};
}

// The dimensions of the iteration that an operand has (or lacks) with their extents, and 1 for the others.
Result<map::Space> box_of(const std::vector<Dim>& dims, const std::vector<Index>& scales, bool has, bool padded) {
  std::vector<Index> extents;
  for (std::size_t d = 0; d < dims.size(); ++d)
    extents.push_back((scales[d] >= 0) != has ? 1 : padded ? dims[d].padded : dims[d].extent);
  return map::Space::create(map::Space::dims("d", extents));
}

// Each dimension of an operand is one of the iteration, and has its extents.
std::optional<Error> check_operand(const Operand& operand, const std::vector<Dim>& dims) {
  const std::size_t rank = operand.extents.size();
  if (operand.scales.size() != dims.size() || operand.places.logical().rank() != rank)
    return says(operand, ErrorCode::Shape, "has another rank than its layout, or scales for other dimensions");
  std::vector<int> named(rank, 0);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const Index scale = operand.scales[d];
    if (scale < 0) continue;
    const auto h = static_cast<std::size_t>(scale);
    if (h >= rank) return says(operand, ErrorCode::Shape, fmt::format("has no dimension {}", scale));
    ++named[h];
    if (operand.extents[h] != dims[d].extent || operand.places.logical().extent(h) != dims[d].padded)
      return says(operand, ErrorCode::Shape,
                  fmt::format("has {} elements along {} and is read over {}; expected {} and {}", operand.extents[h],
                              dims[d].name, operand.places.logical().extent(h), dims[d].extent, dims[d].padded));
  }
  for (std::size_t h = 0; h < rank; ++h)
    if (named[h] > 1 || (named[h] == 0 && operand.places.logical().extent(h) != 1))
      return says(operand, ErrorCode::Shape, fmt::format("has a dimension {} that is no dimension of its own", h));
  return std::nullopt;
}

bool is_within(std::span<const Index> point, std::span<const Index> extents) {
  for (std::size_t i = 0; i < point.size(); ++i)
    if (point[i] >= extents[i]) return false;
  return true;
}

}  // namespace

std::optional<Error> Prepared::check() const {
  for (const Dim& dim : task_.dims)
    if (dim.extent < 0 || dim.padded < dim.extent)
      return Error{ErrorCode::Shape,
                   fmt::format("the dimension {} has extent {} and is padded to {}", dim.name, dim.extent, dim.padded)};
  if (task_.operands.size() != inputs_of(task_.operation) + 1)
    return Error{ErrorCode::Shape,
                 fmt::format("{} has {} operands, its result among them, and not {}", name(task_.operation),
                             inputs_of(task_.operation) + 1, task_.operands.size())};
  for (const Operand& operand : task_.operands) {
    if (auto error = check_operand(operand, task_.dims)) return error;
    if (&operand != &task_.result() && !(operand.format == task_.operands[0].format))
      return says(operand, ErrorCode::Shape, "has another type than the first operand");
  }
  if (auto message = misfit(task_.operation, task_.arithmetic, task_.operands[0].format, task_.result().format);
      !message.empty())
    return Error{ErrorCode::Value, std::move(message)};
  const auto reduces = std::ranges::count_if(task_.result().scales, [](Index scale) { return scale < 0; });
  if (shape_of(task_.operation) == Shape::Pointwise && reduces > 0)
    return Error{ErrorCode::Shape, fmt::format("{} reduces no dimension", name(task_.operation))};
  if (shape_of(task_.operation) == Shape::Place && reduces != 1)
    return Error{ErrorCode::Shape, fmt::format("{} searches one dimension", name(task_.operation))};
  return std::nullopt;
}

Result<Prepared::Table> Prepared::table_of(const Operand& operand, const std::vector<Dim>& dims, bool writes) {
  Table out;
  const map::Layout& places = operand.places;
  if (places.domain().volume() > kMostElements || places.physical().volume() > kMostElements)
    return says(operand, ErrorCode::Value, fmt::format("has more than {} elements or slots", kMostElements));
  out.box = places.logical();
  out.holds.resize(static_cast<std::size_t>(places.physical().volume()));
  const std::vector<Index> weights = map::row_major_weights(out.box);
  for (std::size_t d = 0; d < dims.size(); ++d)
    out.strides.push_back(operand.scales[d] < 0 ? 0 : weights[static_cast<std::size_t>(operand.scales[d])]);
  std::vector<bool> stored(out.holds.size());
  Point replica(places.replicas().rank(), 0);
  if (places.domain().volume() == 0) return out;
  do {
    std::vector<Index>& slots = out.slot.empty() ? out.slot : out.more.emplace_back();
    for (const bool valid : {true, false}) {  // the tensor's elements first
      slots.resize(static_cast<std::size_t>(out.box.volume()));
      Point at(out.box.rank(), 0);
      Index number = 0;
      do {
        const Index here = number++;
        if (is_within(at, operand.extents) != valid) continue;
        const auto slot = places.slot_number(map::outputs_at(places, at, replica));
        if (!slot)
          return says(operand, ErrorCode::Shape,
                      fmt::format("[{}] has no slot: the iteration leaves the image", fmt::join(at, ",")));
        const auto s = static_cast<std::size_t>(*slot);
        if (!valid && out.holds[s]) ++out.aliases;
        if (valid && out.holds[s])
          return says(operand, ErrorCode::Value,
                      fmt::format("[{}] has the slot {} of another element", fmt::join(at, ","), *slot));
        if (writes && stored[s])
          return says(operand, ErrorCode::Value,
                      fmt::format("[{}] would be stored over another element in slot {}", fmt::join(at, ","), *slot));
        if (valid) out.holds[s] = true;
        stored[s] = true;
        slots[static_cast<std::size_t>(here)] = *slot;
      } while (map::advance(out.box, at));
    }
  } while (map::advance(places.replicas(), replica));
  return out;
}

Result<Prepared> Prepared::create(Task task) {
  Prepared out(std::move(task));
  if (auto error = out.check()) return *error;
  const std::vector<Dim>& dims = out.task_.dims;
  const std::vector<Index>& scales = out.task_.result().scales;
  auto kept = box_of(dims, scales, true, true), reduced = box_of(dims, scales, false, true),
       valid = box_of(dims, scales, true, false);
  if (!kept || !reduced || !valid) return Error{ErrorCode::Overflow, "the iteration leaves 64 bits"};
  const auto steps = checked_mul(kept->volume(), reduced->volume());
  if (!steps || *steps > kMostSteps || reduced->volume() > kMostElements)
    return Error{ErrorCode::Value, fmt::format("the iteration has more than {} steps, or more than {} of a result",
                                               kMostSteps, kMostElements)};
  out.kept_ = std::move(*kept);
  out.reduced_ = std::move(*reduced);
  out.kept_valid_ = std::move(*valid);
  for (const Operand& operand : out.task_.operands) {
    auto table = table_of(operand, dims, &operand == &out.task_.result());
    if (!table) return table.error();
    out.tables_.push_back(std::move(*table));
  }
  return out;
}

void Prepared::gather(const std::vector<std::vector<Code>>& images, std::span<const Index> at,
                      std::vector<Term>& terms) const {
  Point step(reduced_.rank(), 0);
  terms.clear();
  if (reduced_.volume() == 0) return;
  do {
    Term term;
    for (std::size_t d = 0; d < step.size(); ++d)
      if (task_.result().scales[d] < 0 && step[d] >= task_.dims[d].extent) term.pad = true;
    for (std::size_t i = 0; i + 1 < task_.operands.size(); ++i) {
      Index number = 0;
      for (std::size_t d = 0; d < step.size(); ++d) number += tables_[i].strides[d] * (at[d] + step[d]);
      const Index slot = tables_[i].slot[static_cast<std::size_t>(number)];
      (i == 0 ? term.a : term.b) = images[i][static_cast<std::size_t>(slot)];
    }
    terms.push_back(term);
  } while (map::advance(reduced_, step));
}

Code Prepared::element(const std::vector<std::vector<Code>>& images, const Tree& tree, std::vector<Term>& terms,
                       std::span<const Index> at, bool with_pads) const {
  const Scalar scalar(task_.operation, task_.arithmetic, task_.operands[0].format);
  const Format& result = task_.result().format;
  gather(images, at, terms);
  if (shape_of(task_.operation) == Shape::Pointwise) return scalar.finish(scalar.leaf(terms.front()), result, 1);
  if (shape_of(task_.operation) == Shape::Place) return place_in(scalar, terms, with_pads).value_or(0) & result.mask();
  Index count = 1;
  for (std::size_t d = 0; d < task_.dims.size(); ++d)
    if (task_.result().scales[d] < 0)
      count *= task_.arithmetic.count == Count::Padded && with_pads ? task_.dims[d].padded : task_.dims[d].extent;
  const auto root = reduced(scalar, tree, terms, with_pads);
  return root ? scalar.finish(*root, result, std::max<Index>(count, 1)) : 0;
}

void Prepared::run(const std::vector<std::vector<Code>>& images, std::vector<Code>& image) const {
  VL_CHECK(image.size() == slots(task_.operands.size() - 1), "an image of another size");
  const Table& table = tables_.back();
  const bool starts = task_.arithmetic.start != values::Start::First;
  const auto leaves = static_cast<std::size_t>(reduced_.volume()) + (starts ? 1 : 0);
  const Tree tree = leaves == 0 ? Tree{} : tree_of(task_.order, leaves, starts);
  std::vector<Term> terms;
  Point at(kept_.rank(), 0);
  if (kept_.volume() == 0 || leaves == 0) return;
  do {
    const Code code = element(images, tree, terms, at, true);
    Index number = 0;
    for (std::size_t d = 0; d < at.size(); ++d) number += table.strides[d] * at[d];
    image[static_cast<std::size_t>(table.slot[static_cast<std::size_t>(number)])] = code;
    for (const auto& more : table.more) image[static_cast<std::size_t>(more[static_cast<std::size_t>(number)])] = code;
  } while (map::advance(kept_, at));
}

std::vector<Code> Prepared::valid_run(const std::vector<std::vector<Code>>& images) const {
  std::vector<Code> out;
  const bool starts = task_.arithmetic.start != values::Start::First;
  const auto leaves = static_cast<std::size_t>(reduced_.volume()) + (starts ? 1 : 0);
  const Tree tree = leaves == 0 ? Tree{} : tree_of(task_.order, leaves, starts);
  std::vector<Term> terms;
  Point at(kept_.rank(), 0);
  if (kept_valid_.volume() == 0) return out;
  do out.push_back(leaves == 0 ? 0 : element(images, tree, terms, at, false));
  while (map::advance(kept_valid_, at));
  return out;
}

std::vector<Code> Prepared::elements(const std::vector<Code>& image) const {
  const Table& table = tables_.back();
  std::vector<Code> out;
  Point at(kept_.rank(), 0);
  if (kept_valid_.volume() == 0) return out;
  do {
    Index number = 0;
    for (std::size_t d = 0; d < at.size(); ++d) number += table.strides[d] * at[d];
    out.push_back(image[static_cast<std::size_t>(table.slot[static_cast<std::size_t>(number)])]);
  } while (map::advance(kept_valid_, at));
  return out;
}

}  // namespace vl::oracle::ops
