// Where a padded iteration lands.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/padded_run.h"

namespace vl::claims {
namespace {

Counterexample outside(const PaddedOperation& of, std::size_t i, const map::Layout& over, const Point& p) {
  const Spot at = spot_of(over, p);
  const use::Operand& operand = of.operation.operands[i];
  std::string along;
  for (std::size_t d = 0; d < operand.scales.size(); ++d) {
    const Index h = operand.scales[d];
    if (h < 0 || over.logical().extent(static_cast<std::size_t>(h)) <= of.operation.dims[d].extent) continue;
    along +=
        fmt::format(": {} runs to {}", of.operation.dims[d].name, over.logical().extent(static_cast<std::size_t>(h)));
  }
  return {{{"operand", static_cast<Index>(i)}, {"element", at.element}, {"physical", at.slot}},
          fmt::format("{} is read outside{}, and index {} has no slot: {}", name_of(of.operation, i), along,
                      show(at.element), why_no_slot(over, at.outputs)),
          true};
}

// The first index beyond what is stated, where there is no slot.
std::optional<Counterexample> beyond_stated(const PaddedOperation& of, std::size_t i, std::span<const Index> size) {
  const use::Continued& from = *of.operands[i].continued();
  for (std::size_t d = 0; d < size.size(); ++d) {
    if (!from.ends || size[d] <= from.whole[d]) continue;
    Point first(size.size(), 0);
    first[d] = from.whole[d];
    return Counterexample{{{"operand", static_cast<Index>(i)}, {"element", first}},
                          fmt::format("{} is read outside: the operation iterates to {} in its dimension {}, and the "
                                      "padded tensor ends at {}",
                                      name_of(of.operation, i), size[d], d, from.whole[d])};
  }
  return std::nullopt;
}

// Whether indices of a region have slots of elements; nothing if nobody decided, and why.
std::optional<engines::Abstained> look_for_aliases(const use::Continued& from, const map::Layout& over,
                                                   Landing& landing, Inquiry& inquiry) {
  const auto part = use::over_region(from, over, landing.region);
  if (!part) return engines::Abstained{Reason::OutOfReach, part.error().message};
  const engines::Answer met = inquiry.ask({Kind::Collides, &*part, &from.layout});
  if (const auto* abstained = std::get_if<engines::Abstained>(&met)) return *abstained;
  const auto* found = std::get_if<engines::Found>(&met);
  if (found == nullptr) return std::nullopt;
  landing.aliases = true;
  landing.alias = spot_of(*part, found->witness.p).element;
  for (std::size_t d = 0; d < landing.alias.size(); ++d)
    if ((landing.region >> d & 1) != 0) landing.alias[d] += from.layout.logical().extent(d);
  landing.aliased = spot_of(from.layout, found->witness.q).element;
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> reduced_dims(const use::Operation& operation) {
  if (operation.what->kind == use::OperationKind::Row) return operation.row;
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < operation.dims.size(); ++d) {
    const auto has = [&](bool result) {
      return std::ranges::any_of(operation.operands, [&](const use::Operand& operand) {
        return operand.result == result && use::has_dim(operand, d);
      });
    };
    if (has(false) && !has(true)) out.push_back(d);
  }
  return out;
}

std::vector<Index> iterated(const PaddedOperation& of) {
  std::vector<Index> out;
  for (const use::OperationDim& dim : of.operation.dims) out.push_back(dim.extent);
  for (const std::size_t d : reduced_dims(of.operation))
    for (std::size_t i = 0; i < of.operands.size(); ++i)
      if (const use::Operand& operand = of.operation.operands[i]; use::has_dim(operand, d))
        out[d] = std::max(out[d], of.operands[i].continued()->whole[static_cast<std::size_t>(operand.scales[d])]);
  return out;
}

std::vector<Index> size_of(const use::Operand& operand, std::span<const Index> extents) {
  std::vector<Index> out = operand.tensor.size;
  for (std::size_t d = 0; d < operand.scales.size(); ++d)
    if (operand.scales[d] >= 0) out[static_cast<std::size_t>(operand.scales[d])] = extents[d];
  return out;
}

use::Region in_operation(const use::Operand& operand, use::Region region) {
  use::Region out = 0;
  for (std::size_t d = 0; d < operand.scales.size(); ++d)
    if (operand.scales[d] >= 0 && (region >> operand.scales[d] & 1) != 0) out |= use::Region{1} << d;
  return out;
}

std::string region_name(const use::Operation& operation, use::Region region) {
  std::string out;
  for (std::size_t d = 0; d < operation.dims.size(); ++d)
    if ((region >> d & 1) != 0) out += (out.empty() ? "" : "+") + operation.dims[d].name;
  return out;
}

std::variant<Landings, Verdict> landings_of(const PaddedOperation& of, std::size_t i, std::span<const Index> extents,
                                            Inquiry& inquiry) {
  const use::Continued& from = *of.operands[i].continued();
  const use::Operand& operand = of.operation.operands[i];
  const std::vector<Index> size = size_of(operand, extents);
  if (auto no = beyond_stated(of, i, size)) return inquiry.refuted(std::move(*no));
  auto over = use::padded(from, size);
  if (!over) return inquiry.out_of_reach(fmt::format("{}: {}", name_of(of.operation, i), over.error().message));
  const auto lost = [&](const Witness& w) { return outside(of, i, *over, w.p); };
  if (auto no = inquiry.unless_none({Kind::Escapes, &*over, nullptr}, lost)) return std::move(*no);
  Landings out{std::move(*over), false, {}};
  const std::vector<use::Region> regions = use::regions_of(operand.tensor.size, size);
  if (regions.empty()) return out;
  out.apart = std::holds_alternative<engines::None>(inquiry.ask({Kind::Collides, &out.over, nullptr}));
  for (const use::Region region : regions) {
    Landing& landing = out.regions.emplace_back(Landing{region, false, {}, {}});
    if (out.apart) continue;
    if (const auto open = look_for_aliases(from, out.over, landing, inquiry)) return inquiry.unknown(*open);
  }
  return out;
}

}  // namespace vl::claims
