#include "oracle/gate/shrink_steps.h"

#include <algorithm>

#include "oracle/fuzz/subject.h"
#include "oracle/gate/cost.h"
#include "oracle/gate/images.h"
#include "oracle/gate/nests.h"
#include "oracle/gate/neutral.h"
#include "oracle/gate/shrink.h"
#include "oracle/gate/signature.h"
#include "oracle/gate/text_numbers.h"

namespace vl::gate {
namespace {

Index product(const std::vector<Index>& shape) {
  Index out = 1;
  for (const Index n : shape) out *= n;
  return out;
}

}  // namespace

Json changed(const Json& request, std::string_view key, const Json& value) {
  Json out;
  for (const auto& [name, old] : *request.fields()) out.set(name, name == key ? value : old);
  return out;
}

Json tensor_with(const Json& tensor, const std::vector<Index>& shape) {
  Json out;
  for (const auto& [key, value] : *tensor.fields()) {
    if (key == "shape") out.set(key, Json(shape));
    else if (key != "strides" && key != "offset") out.set(key, value);
  }
  return out;
}

bool fit_arguments(const Case& of, const std::vector<Index>& shape, Json& request) {
  const std::string_view name = of.op->name;
  const bool same = shape == of.tensor.size;
  if (name == "decide.equal" || name == "decide.disjoint" || name == "derive.permute") return same;
  if (same) return true;
  if (name == "derive.slice") {
    const Index extent = product(shape);
    if (shape.size() != 1 || extent < 1) return false;
    Index begin = 0, end = 0;  // the numbers of the region's first and last element
    std::vector<Index> bounds;
    for (std::size_t d = 0; d < of.tensor.size.size(); ++d) {
      static_cast<void>(integers_of((*request.find("region")->list())[d], bounds));
      begin = begin * of.tensor.size[d] + bounds[0];
      end = end * of.tensor.size[d] + bounds[1] - 1;
    }
    end = std::min(end + 1, extent);
    request = changed(request, "region", Json::List{Json(std::vector<Index>{std::min(begin, end - 1), end})});
  }
  if (of.op->numbers) return shape.size() == 1;
  if (of.op->kind == OpKind::PlaceAt) {
    std::vector<Index> left = of.elements;
    const Index volume = product(shape);
    std::erase_if(left, [&](Index element) { return element >= volume; });
    if (left.empty()) return false;
    request = changed(request, "elements", Json(left));
  }
  if (name == "derive.group") request = changed(request, "shape", Json(shape));
  if (name == "derive.broadcast") request = changed(request, "at", Index{0});
  for (const char* key : {"outer_shape", "left_shape"})
    if (const Json* old = request.find(key)) {
      std::vector<Index> extents;
      static_cast<void>(integers_of(*old, extents));
      if (shape.size() != 1) return false;
      request = changed(request, key, Json(std::vector<Index>{product(extents)}));
    }
  if (has_destination(*of.op)) {  // any layout of that shape
    const use::Campaign& campaign = *use::family_of({}, of.family)->campaign;
    map::Tensor tensor;
    tensor.type = of.tensor.type, tensor.size = shape;
    oracle::Random random(0, 0, 0);
    if (campaign.companion == nullptr) return false;
    request = changed(request, "to", campaign.print(campaign.companion(tensor, random)));
  }
  if (of.op->kind == OpKind::Reduce) request = changed(request, "over", Index{0});
  if (const std::string* access = request.text("access")) {
    if (shape.size() != 1) return false;
    request = changed(request, "access", flat_access(*access, product(shape)));
  }
  return name != "back";
}

bool refit(const Case& of, Json& request) {
  const Operation& op = *of.op;
  if (op.kind == OpKind::Image) return refit_images(request);
  if (op.kind == OpKind::Reduce) return refit_reduction(of, request);
  if (op.kind != OpKind::Cost && op.kind != OpKind::Nests) return true;
  const auto known = known_of(request);
  return known && !(op.kind == OpKind::Cost ? refit_cost(*known, request) : refit_nests(*known, request));
}

int rank_of(std::string_view name) { return name == "bijective" ? 2 : name == "injective" ? 1 : 0; }

std::size_t said_of(const Case& of) {
  return features_of(of).size() + static_cast<std::size_t>(2 - rank_of(class_of(of)));
}

std::optional<Case> further(const Case& from, const Case& over, Index times) {
  const std::string& text = over.request.text();
  const std::vector<Token> before = numbers_in(from.request.text()), after = numbers_in(text);
  if (before.size() != after.size()) return std::nullopt;
  std::string next;
  std::size_t old_at = 0, at = 0;
  for (std::size_t k = 0; k < after.size(); ++k) {
    const Index by = after[k].value - before[k].value;
    if (by < -1 || by > 1) return std::nullopt;
    const std::string_view words = std::string_view(text).substr(at, after[k].at - at);
    if (words != std::string_view(from.request.text()).substr(old_at, before[k].at - old_at)) return std::nullopt;
    next += words;
    next += std::to_string(after[k].value + times * by);
    at = after[k].at + after[k].size, old_at = before[k].at + before[k].size;
  }
  next += std::string_view(text).substr(at);
  const auto request = parse_json(next);
  if (!request) return std::nullopt;
  Json fitted = *request;
  auto out = refit(over, fitted) ? case_of(fitted) : Result<Case>(Error{});
  if (!out || out->of().logical().volume() < 1) return std::nullopt;
  return std::move(*out);
}

void sort_by_cost(std::vector<Case>& cases) {
  std::ranges::sort(cases, {}, [](const Case& one) { return std::pair(cost_of(one), one.request.text()); });
}

}  // namespace vl::gate
