// Places whose answer is a plain text and right, found so without a tree of its numbers. Whatever else an answer is,
// judge_place() says.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/gate/places.h"
#include "oracle/gate/plain_json.h"

namespace vl::gate {
namespace {

constexpr std::size_t kAbsent = ~std::size_t{0};

// For each column of an answer the layout's dimension; kAbsent for an axis that the layout lacks.
struct PlainColumns {
  std::vector<std::size_t> dims;
  std::vector<std::size_t> absent;  // dimensions that the answer does not have: 0
  bool offset = false;              // one column, the slot's number
};

// Requires: the names differ.
bool name_columns(std::span<const std::string_view> names, const map::Layout& layout, PlainColumns& out) {
  const auto& dims = layout.physical().dims();
  if (!layout.named_axes()) {
    out.offset = names.size() == 1 && names[0] == "offset";
    for (std::size_t j = 0; !out.offset && j < names.size(); ++j) out.dims.push_back(j);
    return out.offset || names.size() == dims.size();
  }
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(dims, name, &map::Dim::name);
    out.dims.push_back(found == dims.end() ? kAbsent : static_cast<std::size_t>(found - dims.begin()));
  }
  for (std::size_t j = 0; j < dims.size(); ++j)
    if (std::ranges::find(out.dims, j) == out.dims.end()) out.absent.push_back(j);
  return true;
}

bool read_columns(PlainJson& in, const map::Layout& layout, PlainColumns& out) {
  std::vector<std::string_view> names;
  if (!in.take('[')) return false;
  while (!in.take(']')) {
    if (!names.empty() && !in.take(',')) return false;
    const auto name = in.string();
    if (!name || std::ranges::find(names, *name) != names.end()) return false;
    names.push_back(*name);
  }
  return name_columns(names, layout, out);
}

// Compares the row of an element with its outputs; `next` gives the row's numbers one by one.
template <class Next>
bool is_row(const map::Layout& layout, const PlainColumns& columns, std::span<const Index> outputs, Next next) {
  if (columns.offset) {
    const auto slot = layout.slot_number(outputs);
    return slot && next(std::size_t{0}) == slot;
  }
  for (std::size_t j = 0; j < columns.dims.size(); ++j)
    if (next(j) != std::optional(columns.dims[j] == kAbsent ? 0 : outputs[columns.dims[j]])) return false;
  return std::ranges::all_of(columns.absent, [&](std::size_t dim) { return outputs[dim] == 0; });
}

// Takes one row, [3,0].
bool takes_row(PlainJson& in, const map::Layout& layout, const PlainColumns& columns, std::span<const Index> outputs) {
  const auto next = [&](std::size_t j) {
    Index said = 0;
    return (j == 0 || in.take(',')) && in.integer(said) ? std::optional(said) : std::nullopt;
  };
  return in.take('[') && is_row(layout, columns, outputs, next) && in.take(']');
}

// Whether an element has a place at all, as rows_of() of places.cpp has it.
bool is_placed(const map::Layout& layout, std::span<const Index> outputs) {
  const auto guards = outputs.subspan(layout.physical().rank());
  return layout.named_axes() ? std::ranges::all_of(guards, [](Index guard) { return guard == 0; })
                             : layout.is_slot(outputs);
}

// Whether `agrees(k, outputs)` holds of each element, and each has one place.
template <class Agrees>
bool all_agree(const map::Layout& layout, std::string_view convention, Agrees agrees) {
  const Index replicas = layout.replicas().volume();
  if (replicas < 1 || (replicas > 1 && convention != "base-only")) return false;
  const std::size_t rank = layout.logical().rank();
  Point point(layout.domain().rank(), 0);  // replica 0 of the first element
  map::Evaluator at(layout.map());
  for (Index k = 0; k < layout.logical().volume(); ++k) {
    const auto outputs = at(point);
    if (!is_placed(layout, outputs) || !agrees(k, outputs)) return false;
    map::advance(layout.logical(), std::span(point).first(rank));
  }
  return true;
}

}  // namespace

bool rows_agree(const map::Layout& layout, std::span<const std::string> axes, std::span<const Index> rows,
                std::string_view convention) {
  PlainColumns columns;
  const std::vector<std::string_view> names(axes.begin(), axes.end());
  return name_columns(names, layout, columns) && all_agree(layout, convention, [&](Index k, auto outputs) {
           const auto row = rows.subspan(static_cast<std::size_t>(k) * axes.size(), axes.size());
           return is_row(layout, columns, outputs, [&](std::size_t j) { return std::optional(row[j]); });
         });
}

bool places_agree(const Case& of, std::string_view answer, std::string_view convention) {
  const map::Layout& layout = of.of();
  PlainJson in(answer);
  PlainColumns columns;
  if (!in.take('{') || in.string() != "axes" || !in.take(':') || !read_columns(in, layout, columns)) return false;
  if (!in.take(',') || in.string() != "values" || !in.take(':') || !in.take('[')) return false;
  return all_agree(layout, convention,
                   [&](Index k, auto outputs) {
                     return (k == 0 || in.take(',')) && takes_row(in, layout, columns, outputs);
                   }) &&
         in.take(']') && in.take('}') && in.at_end();
}

std::string rows_text(std::span<const std::string> axes, std::span<const Index> rows, std::size_t elements) {
  std::string out = R"({"axes":[)";
  for (std::size_t j = 0; j < axes.size(); ++j) out += (j > 0 ? "," : "") + print_json(axes[j]);
  out += R"(],"values":[)";
  for (std::size_t k = 0; k < elements; ++k) {
    out += k > 0 ? ",[" : "[";
    for (std::size_t j = 0; j < axes.size(); ++j) {
      const fmt::format_int number(rows[k * axes.size() + j]);
      if (j > 0) out += ',';
      out.append(number.data(), number.size());
    }
    out += ']';
  }
  return out + "]}";
}

}  // namespace vl::gate
