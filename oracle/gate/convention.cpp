#include "oracle/gate/convention.h"

#include <algorithm>

namespace vl::gate {

std::span<const Convention> conventions() {
  static const std::vector<std::string_view> kOutside = {"last-mode", "coalesced", "reject"};
  static const std::vector<Convention> kAll = {
      {"inverse.outside", "derive.left-inverse", kOutside},
      {"divide.outside", "derive.divide", kOutside},
      {"product.outside", "derive.product", kOutside},
      {"tile.outer-offset", "derive.tile", {"scaled", "unscaled"}},
      {"place.replicas", "place", {"all", "base-only"}},
      {"cosize.swizzle", "measure.cosize", {"swizzled", "tile"}},
      {"neutral.arithmetic", "neutral", {"seq", "tree", "seq-f32", "tree-f32"}},
      {"cost.unit", "cost", {"wavefronts", "ways", "excess"}}};
  return kAll;
}

const Convention* find_convention(std::string_view name) {
  const auto all = conventions();
  const auto found = std::ranges::find(all, name, &Convention::name);
  return found == all.end() ? nullptr : &*found;
}

const Convention* convention_of(std::string_view op) {
  const auto all = conventions();
  if (op == "place.at") op = "place";
  const auto found = std::ranges::find(all, op, &Convention::op);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> convention_names() {
  std::vector<std::string_view> out;
  out.reserve(conventions().size());
  for (const Convention& convention : conventions()) out.push_back(convention.name);
  return out;
}

bool is_convention_of(std::string_view op, std::string_view value) {
  const Convention* convention = convention_of(op);
  return value.empty() ||
         (convention != nullptr && std::ranges::find(convention->values, value) != convention->values.end());
}

}  // namespace vl::gate
