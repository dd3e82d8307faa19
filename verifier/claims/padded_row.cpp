#include "verifier/claims/padded_row.h"

#include <algorithm>
#include <set>

namespace vl::claims {

using values::CodeSet;

namespace {

constexpr Index kMostElements = Index{1} << 18;  // of an operand, if some pad is an alias

}  // namespace

bool has_holes(const use::Operation& operation, const PaddedOperand& operand, std::size_t i) {
  const auto reduced = reduced_dims(operation);
  return std::ranges::any_of(reduced, [&](std::size_t d) {
    const Index scale = operation.operands[i].scales[d];
    return scale >= 0 && (operand.continued()->ragged >> scale & 1) != 0;
  });
}

bool PaddedRow::make(Index most) {
  const use::Operation& operation = asked_.of.operation;
  std::vector<Index> extents = iterated(asked_.of), reduced;
  const auto dims = reduced_dims(operation);
  for (const std::size_t d : dims) reduced.push_back(extents[d]);
  const auto box = map::Space::create(map::Space::dims("k", reduced));
  if (!box || box->volume() > most || box->volume() == 0 || !find_elements()) return false;
  result_ = Point(operation.dims.size(), 0);
  start_at_alias();
  Point k(dims.size(), 0);
  do {
    Point at = result_;
    use::Region region = 0;
    for (std::size_t j = 0; j < dims.size(); ++j) {
      at[dims[j]] = k[j];
      region |= use::Region{k[j] >= operation.dims[dims[j]].extent} << dims[j];
    }
    positions_.push_back(position_at(at, region));
  } while (map::advance(*box, k));
  for (std::size_t i = 0; i < asked_.of.operands.size(); ++i)
    if (has_holes(operation, asked_.of.operands[i], i) && !add_holes(most)) return false;
  return true;
}

// The dimension of the array along which the row lies, if no other dimension of the tensor has a part in it.
std::optional<std::size_t> PaddedRow::dimension_of_array() const {
  const std::size_t reduced = reduced_dims(asked_.of.operation).front();
  const auto of = static_cast<std::size_t>(asked_.of.operation.operands[0].scales[reduced]);
  const auto* first = std::get_if<map::Affine>(&asked_.of.operands[0].continued()->shards->beyond.front());
  if (first == nullptr || first->rows.size() != landings_[0].over.physical().rank()) return std::nullopt;
  std::optional<std::size_t> along;
  for (std::size_t v = 0; v < first->rows.size(); ++v) {
    const auto& terms = first->rows[v].terms;
    const bool has = std::ranges::any_of(terms, [&](const map::Term& term) { return term.input == of; });
    if (has && (along || terms.size() != 1)) return std::nullopt;
    if (has) along = v;
  }
  return along;
}

// The positions of the row's tiles that no index reaches: of one operand, along one dimension of its array, on which
// no other dimension of the tensor has a part. False: it is not so.
bool PaddedRow::add_holes(Index most) {
  const auto& shards = asked_.of.operands.front().continued()->shards;
  const auto dims = reduced_dims(asked_.of.operation);
  const bool aliases = std::ranges::any_of(landings_[0].regions, &Landing::aliases);
  if (asked_.of.operands.size() != 1 || dims.size() != 1 || !shards || shards->beyond.empty() || aliases) return false;
  const map::Space& box = landings_[0].over.physical();
  const auto along = dimension_of_array();
  if (!along || shards->tile.size() != box.rank()) return false;
  const Index tile = shards->tile[*along];
  std::set<Index> reached, tiles;
  for (const Position& position : positions_) {
    reached.insert(position.places[0].slot);
    tiles.insert(box.point(position.places[0].slot)[*along] / tile);
  }
  if (static_cast<Index>(tiles.size()) > most / tile) return false;
  holes_ = asked_.inputs[0].states.of_holes(*asked_.inputs[0].format);
  Point at = box.point(positions_.front().places[0].slot);
  for (const Index number : tiles)
    for (Index in_tile = 0; in_tile < tile; ++in_tile) {
      at[*along] = number * tile + in_tile;
      Index slot = 0;
      for (std::size_t v = 0; v < box.rank(); ++v) slot = slot * box.extent(v) + at[v];
      if (!reached.contains(slot)) positions_.push_back({false, {{{}, slot, &holes_}}});
    }
  std::ranges::stable_sort(positions_, {}, [](const Position& position) { return position.places[0].slot; });
  return true;
}

// The slots of all elements, of operands with aliases.
bool PaddedRow::find_elements() {
  elements_.resize(landings_.size());
  for (std::size_t i = 0; i < landings_.size(); ++i) {
    if (std::ranges::none_of(landings_[i].regions, &Landing::aliases)) continue;
    const map::Layout& layout = asked_.of.operands[i].continued()->layout;
    if (layout.domain().volume() > kMostElements) return false;
    Point x(layout.domain().rank(), 0);
    do {
      if (const auto slot = layout.slot_number(*map::evaluate(layout.map(), x))) elements_[i].push_back(*slot);
    } while (map::advance(layout.domain(), x));
    std::ranges::sort(elements_[i]);
  }
  return true;
}

// The result whose row has the alias that was found.
void PaddedRow::start_at_alias() {
  const auto dims = reduced_dims(asked_.of.operation);
  for (std::size_t i = 0; i < landings_.size(); ++i)
    for (const Landing& landing : landings_[i].regions) {
      if (!landing.aliases) continue;
      const use::Operand& operand = asked_.of.operation.operands[i];
      for (std::size_t d = 0; d < operand.scales.size(); ++d)
        if (operand.scales[d] >= 0 && std::ranges::find(dims, d) == dims.end())
          result_[d] = landing.alias[static_cast<std::size_t>(operand.scales[d])];
      return;
    }
}

Position PaddedRow::position_at(const Point& at, use::Region region) {
  Position out{region == 0, {}};
  for (std::size_t i = 0; i < landings_.size(); ++i) {
    const use::Operand& operand = asked_.of.operation.operands[i];
    PadPlace& place = out.places.emplace_back();
    place.element = Point(operand.tensor.size.size(), 0);
    for (std::size_t d = 0; d < operand.scales.size(); ++d)
      if (operand.scales[d] >= 0) place.element[static_cast<std::size_t>(operand.scales[d])] = at[d];
    Point x = place.element;
    x.resize(landings_[i].over.domain().rank(), 0);  // the first replica
    place.slot = *landings_[i].over.slot_number(*map::evaluate(landings_[i].over.map(), x));
    const bool element = region == 0 || std::ranges::binary_search(elements_[i], place.slot);
    place.allowed = element ? &asked_.inputs[i].contents : states_of(i, region);
  }
  return out;
}

const CodeSet* PaddedRow::states_of(std::size_t i, use::Region region) {
  const use::Operand& operand = asked_.of.operation.operands[i];
  use::Region own = 0;
  for (std::size_t d = 0; d < operand.scales.size(); ++d)
    if (operand.scales[d] >= 0) own |= region & (use::Region{1} << d);
  auto [found, made] = states_.try_emplace({i, own});
  if (made) found->second = asked_.inputs[i].states.of(own, *asked_.inputs[i].format);
  return &found->second;
}

}  // namespace vl::claims
