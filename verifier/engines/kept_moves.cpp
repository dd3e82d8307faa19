#include "verifier/engines/kept_moves.h"

#include "verifier/engines/pipeline.h"

namespace vl::engines {
namespace {

using map::Layout;
using map::Row;
using Bounds = std::vector<Index>;

// Values of a pipeline that have to lie in [0, bound), behind those that it goes on with.
struct BoundedValues {
  Pipeline pipeline;
  Bounds bounds = {};

  // The last rows are bounded.
  void go_on(std::vector<Row> rows, Bounds more = {}) {
    pipeline.rewrite(std::move(rows), pipeline.values() - bounds.size());
    bounds.insert(bounds.begin(), more.begin(), more.end());
  }
};

// Values in groups: the first and how many.
std::vector<Row> picked(std::initializer_list<std::pair<std::size_t, std::size_t>> groups) {
  std::vector<Row> rows;
  for (const auto& [first, count] : groups)
    for (std::size_t i = first; i < first + count; ++i) rows.push_back(map::pick(i));
  return rows;
}

// number, rest -> point, rest: of the memory's slot with that number the point that it decodes to, which lives there.
// The rest begins with so many coordinates of the element as are known; with them the decoded replica lives there.
void take_apart(BoundedValues& values, const Layout& layout, std::size_t rest, std::size_t known) {
  const std::size_t slot = layout.physical().rank(), point = layout.domain().rank();
  const std::size_t decoded = layout.decode()->outputs(), outputs = layout.map().outputs();
  values.go_on(picked({{0, 1 + rest}, {0, 1}}), {layout.physical().volume()});
  values.pipeline.push(map::Split{0, map::row_major_weights(layout.physical())});
  values.go_on(picked({{0, slot}, {0, slot}, {slot, rest}}));
  values.pipeline.append(layout.decode()->stages(), slot);  // decoded, slot, rest
  const std::pair<std::size_t, std::size_t> element{decoded + slot, known}, others{known, point - known};
  values.go_on(picked({element, others, element, others, {decoded, slot + rest}, {0, decoded}}),
               map::bounds_of(layout.domain(), decoded));
  values.pipeline.append(layout.map().stages(), point);  // outputs, point, slot, rest
  auto rows = picked({{outputs, point}, {outputs + point + slot, rest}, {0, outputs}});
  for (std::size_t j = 0; j < slot; ++j) rows[point + rest + j].terms.push_back({outputs + point + j, -1});
  values.go_on(std::move(rows), Bounds(outputs, 1));
}

}  // namespace

std::optional<KeptMoves> kept_moves(const TransferQuestion& question, const use::Nest& nest, Side anchor) {
  auto iterations = map::Space::create(map::Space::dims("i", nest.extents));
  if (!iterations) return std::nullopt;
  BoundedValues values{Pipeline(std::move(*iterations))};
  std::vector<Row> offsets;
  for (const Side side : {anchor, other_of(anchor)}) {
    offsets.push_back(map::dot(walk_of(nest, side).strides, walk_of(nest, side).offset));
    if (!accumulate(offsets.back().constant, -1, memory_of(question, side).base)) return std::nullopt;
  }
  values.go_on(std::move(offsets));
  const Layout& other = memory_of(question, other_of(anchor)).layout;
  const std::size_t element = other.logical().rank(), outputs = other.map().outputs();
  const std::size_t offset = memory_of(question, anchor).layout.domain().rank();
  take_apart(values, memory_of(question, anchor).layout, 1, 0);  // point, the other offset
  if (other.replicas().rank() > 0) {
    values.go_on(picked({{offset, 1}, {0, element}}));
    take_apart(values, other, element, element);
    values.go_on({});
  } else {
    values.go_on(picked({{0, element}, {offset, 1}}));
    values.pipeline.append(other.map().stages(), element);  // outputs, the other offset
    auto rows = picked({{0, outputs}});
    rows.push_back(map::row_major_number(other.physical()));
    rows.back().terms.push_back({outputs, -1});
    auto bounds = map::bounds_of(other.physical(), outputs + 1);
    values.go_on(std::move(rows), std::move(bounds));
  }
  auto map = values.pipeline.map();
  return map ? std::optional(KeptMoves{std::move(*map), std::move(values.bounds)}) : std::nullopt;
}

}  // namespace vl::engines
