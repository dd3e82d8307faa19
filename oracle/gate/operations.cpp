#include "oracle/gate/operations.h"

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::gate {

std::span<const Operation> operations() {
  using enum OpKind;
  using enum ArgumentKind;
  static const std::vector<Operation> kAll = {
      {"place", Place, "", {}},
      {"place.at", PlaceAt, "", {}},
      {"place.map", SameMap, "equal", {}},
      {"print", SameMap, "equal", {}},
      {"back", Back, "", {}},
      {"construct", Construct, "well-formed", {{"given", Text}}},
      {"decide.injective", Decide, "injective", {}},
      {"decide.bijective", Decide, "bijective", {}},
      {"decide.onto", Decide, "onto", {}},
      {"decide.in-bounds", Decide, "in-bounds", {}},
      {"decide.well-formed", Decide, "well-formed", {}},
      {"decide.equal", Decide, "equal", {{"with", Layout}}},
      {"decide.disjoint", Decide, "disjoint", {{"with", Layout}}},
      {"derive.slice", Derive, "slice", {{"region", Region}}},
      {"derive.canonical", Derive, "canonical", {}},
      {"derive.group", Derive, "group", {{"shape", List}}},
      {"derive.tile", Derive, "tile", {{"outer", Layout}, {"outer_shape", List}}},
      {"derive.direct-sum", Derive, "direct-sum", {{"left", Layout}, {"left_shape", List}}},
      {"derive.permute", Derive, "permute", {{"order", List}}},
      {"derive.broadcast", Derive, "broadcast", {{"extent", Number}, {"at", Number}}},
      {"derive.pack", Derive, "pack", {{"factor", Number}}},
      {"derive.unpack", Derive, "unpack", {{"factor", Number}}},
      {"derive.inverse", Derive, "inverse", {}},
      {"derive.compose", Derive, "compose", {{"inner", Layout}}, true},
      {"derive.coalesce", Derive, "coalesce", {}, true},
      {"derive.left-inverse", Derive, "left-inverse", {}, true},
      {"derive.right-inverse", Derive, "right-inverse", {}, true},
      {"derive.complement", Derive, "complement", {{"cotarget", Number}}, true},
      {"derive.divide", Derive, "divide", {{"tiler", Layout}}, true},
      {"derive.product", Derive, "product", {{"by", Layout}}, true},
      {"image.pack", Image, "", {}},
      {"image.unpack", Image, "", {}},
      {"image.move", Image, "", {{"to", Layout}}},
      {"measure.size", Measure, "", {}},
      {"measure.cosize", Measure, "", {}},
      {"measure.strides", Measure, "", {}},
      {"measure.padding", Measure, "padding", {}},
      {"measure.bytes", Measure, "bytes", {}},
      {"nests", Nests, "implements", {{"direction", Text}}},
      {"nests.move", Nests, "implements", {{"to", Layout}}},
      {"neutral", Reduce, "", {{"reduction", Text}, {"over", Number}}},
      {"cost", Cost, "wavefronts", {{"access", Text}, {"hardware", Text}}},
  };
  return kAll;
}

bool is_about_images(const Operation& operation) {
  using enum OpKind;
  return operation.kind == Image || operation.kind == Nests || operation.kind == Reduce;
}

bool has_destination(const Operation& operation) {
  return std::ranges::find(operation.arguments, "to", &OpArgument::key) != operation.arguments.end();
}

bool may_be_far(const Operation& operation) {
  using enum OpKind;
  if (operation.numbers) return operation.claim == "compose" || operation.claim == "coalesce";
  if (operation.claim == "onto" || operation.claim == "bijective") return false;  // where all is known without a look
  return operation.kind == Place || operation.kind == PlaceAt || operation.kind == SameMap ||
         operation.kind == Decide || operation.kind == Derive || operation.kind == Measure ||
         operation.kind == Construct;
}

bool has_claim(const Operation& operation) {
  return operation.claim.empty() || claims::find_claim(operation.claim, operation.kind == OpKind::Nests) != nullptr;
}

const Operation* find_operation(std::string_view name) {
  const auto all = operations();
  const auto found = std::ranges::find(all, name, &Operation::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> out;
  out.reserve(operations().size());
  for (const Operation& operation : operations()) out.push_back(operation.name);
  return out;
}

}  // namespace vl::gate
