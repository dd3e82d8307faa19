#include "verifier/programs/views.h"

#include <algorithm>

#include "encodings/use/family.h"
#include "encodings/use/view.h"
#include "verifier/claims/claim.h"

namespace vl::programs {
namespace {

bool is_proved(std::string_view claim, const claims::Subject& about) {
  const claims::Judged judged = claims::decide(*claims::find_claim(claim), about, {});
  return std::holds_alternative<question::Proved>(judged.verdict);
}

// The shift that agrees with a relation at the origin and next to it. Dimensions of size 1 take what is left.
std::optional<program::Seen> shift_of(const map::Layout& relation) {
  const map::Space& domain = relation.domain();
  const std::size_t rank = relation.physical().rank();
  if (domain.rank() != rank || domain.volume() == 0) return std::nullopt;
  Point at(rank, 0);
  const Point origin = map::outputs_at(relation, at, {});
  program::Seen out{std::vector<Index>(rank, -1), Point(origin.begin(), origin.begin() + static_cast<Index>(rank))};
  for (std::size_t i = 0; i < rank; ++i) {
    if (domain.dims()[i].extent == 1) continue;
    at[i] = 1;
    const Point next = map::outputs_at(relation, at, {});
    at[i] = 0;
    for (std::size_t j = 0; j < rank; ++j) {
      if (next[j] == origin[j]) continue;
      if (next[j] - origin[j] != 1 || out.dims[j] >= 0) return std::nullopt;
      out.dims[j] = static_cast<Index>(i);
    }
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (std::ranges::find(out.dims, static_cast<Index>(i)) != out.dims.end()) continue;
    const std::size_t left =
        out.dims[i] < 0 ? i : static_cast<std::size_t>(std::ranges::find(out.dims, -1) - out.dims.begin());
    if (left == rank) return std::nullopt;
    out.dims[left] = static_cast<Index>(i);
  }
  return out;
}

bool is_shift(const map::Layout& relation, const program::Seen& shift) {
  map::LayoutParts parts = map::parts_in(relation, relation.physical());
  map::Affine rows;
  for (std::size_t j = 0; j < shift.dims.size(); ++j)
    rows.rows.push_back(map::Row{shift.first[j], {{static_cast<std::size_t>(shift.dims[j]), 1}}});
  parts.map = {std::move(rows)};
  parts.guards = 0;
  const auto made = map::Layout::create(std::move(parts));
  return made && is_proved("equal", claims::Pair{relation, *made});
}

}  // namespace

std::optional<program::Seen> seen_in(const program::View& view) {
  const use::Family* family = use::family_of(view.result, "");
  if (family == nullptr || family->view == nullptr || !view.has_layouts) return std::nullopt;
  const auto made = family->view(view.result, view.source, view.map);
  if (!made || !made->elements || !is_proved("view-elements", claims::Viewed{*made})) return std::nullopt;
  auto shift = shift_of(made->elements->elements);
  if (!shift || !is_shift(made->elements->elements, *shift)) return std::nullopt;
  const map::Layout& slots = made->elements->slots;
  shift->whole = slots.domain().rank() == shift->dims.size() && is_proved("in-bounds", claims::OneLayout{slots}) &&
                 is_shift(slots, *shift);
  return shift;
}

}  // namespace vl::programs
