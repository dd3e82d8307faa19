#include "oracle/gate/paired.h"

#include <algorithm>
#include <set>
#include <string>

#include "encodings/base/integer.h"
#include "encodings/use/paired_modes.h"
#include "oracle/fuzz/subject.h"
#include "oracle/gate/shrink.h"
#include "oracle/gate/shrink_steps.h"
#include "oracle/gate/signature.h"

namespace vl::gate {
namespace {

using Bounds = std::pair<Index, Index>;

constexpr std::size_t kNone = ~std::size_t{0};

// A shape for the changed layout, and which of the old dimensions is not in it; kNone if the ranks agree. A flat one
// has nothing to do with the old dimensions.
struct NewShape {
  std::vector<Index> size;
  std::size_t dropped = kNone;
  bool flat = false;

  bool operator==(const NewShape&) const = default;
};

Index volume_of_shape(const std::vector<Index>& size) {
  Index out = 1;
  for (const Index n : size) out *= n;
  return out;
}

// Shapes of `volume` elements: flat; one dimension follows, or goes; all become powers of two; and, where a step leads
// down, two dimensions, so that none has to.
std::vector<NewShape> shapes_of(const Case& of, Index volume) {
  const std::vector<Index>& old = of.tensor.size;
  const Index was = volume_of_shape(old);
  std::vector<NewShape> out{{{volume}, kNone, true}};
  const auto add = [&](NewShape shape) {
    if (volume_of_shape(shape.size) == volume && std::ranges::find(out, shape) == out.end())
      out.push_back(std::move(shape));
  };
  add({old, kNone, false});
  for (std::size_t d = 0; d < old.size() && old.size() > 1; ++d) {
    const auto scaled = checked_mul(old[d], volume);
    if (!scaled || *scaled % was != 0) continue;
    NewShape next{old, kNone, false};
    next.size[d] = *scaled / was;
    add(next);
    if (next.size[d] != 1) continue;
    next.size.erase(next.size.begin() + static_cast<std::ptrdiff_t>(d));
    next.dropped = d;
    add(std::move(next));
  }
  for (const bool up : {false, true}) {
    NewShape next{old, kNone, false};
    for (Index& n : next.size) n = use::power_beside(n, up);
    add(std::move(next));
  }
  if (!has_property(of, "positive-strides"))
    for (Index inner = 2; inner < volume && inner <= 64; inner *= 2)
      if (volume % inner == 0) add({{volume / inner, inner}, kNone, true});
  return out;
}

// The region of each dimension of a shape: the k-th place of those that change. False where there is none.
bool put_region(const std::vector<Bounds>& old, const std::vector<Index>& from, const NewShape& shape, std::size_t k,
                Json& request) {
  Json::List out;
  bool has = k == 0;
  for (std::size_t d = 0, at = 0; d < from.size(); ++d) {
    if (d == shape.dropped) {
      if (old[d].second - old[d].first != 1 && old[d] != Bounds(0, from[d])) return false;
      continue;
    }
    const auto places = moved_bounds(old[d], from[d], shape.size[at++]);
    if (places.empty()) return false;
    has = has || k < places.size();
    const auto& [begin, end] = places[std::min(k, places.size() - 1)];
    out.emplace_back(std::vector<Index>{begin, end});
  }
  request = changed(request, "region", out);
  return has;
}

// A slice of another shape, for every place of its region.
void with_regions(const Case& of, const NewShape& shape, const Json& request, const Take& take) {
  std::vector<Bounds> old;
  std::vector<Index> from = of.tensor.size, bounds;
  for (const Json& one : *request.find("region")->list()) {
    if (!integers_of(one, bounds) || bounds.size() != 2) return;
    old.emplace_back(bounds[0], bounds[1]);
  }
  if (old.size() != from.size()) return;
  if (shape.flat) {  // from the region's first element to its last
    if (shape.size.size() != 1) return;
    Index begin = 0, end = 0;
    for (std::size_t d = 0; d < from.size(); ++d)
      begin = begin * from[d] + old[d].first, end = end * from[d] + old[d].second - 1;
    old = {{begin, end + 1}};
    from = {volume_of_shape(from)};
  }
  for (std::size_t k = 0;; ++k) {
    Json next = request;
    if (!put_region(old, from, shape, k, next)) return;
    take(std::move(next));
  }
}

// An operand with a shape of the same rank: it keeps it, or loses the dimension that went.
bool fit_operand_shape(const Case& of, const NewShape& shape, const char* key, Json& request) {
  std::vector<Index> extents;
  if (!integers_of(*request.find(key), extents)) return false;
  if (shape.flat && shape.size != of.tensor.size) {
    if (shape.size.size() != 1) return false;
    request = changed(request, key, Json(std::vector<Index>{volume_of_shape(extents)}));
  } else if (shape.dropped != kNone) {
    if (extents.size() != of.tensor.size.size()) return false;
    const std::size_t beside = shape.dropped == 0 ? 1 : shape.dropped - 1;  // which takes its elements
    extents[beside] *= extents[shape.dropped];
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(shape.dropped));
    request = changed(request, key, Json(extents));
  }
  return true;
}

// The request with the arguments for a shape, in every way that there is.
void with_arguments_for(const Case& of, const NewShape& shape, Json request, const Take& take) {
  const auto done = [&](const Json& next) {
    take(changed(next, "tensor", tensor_with(*of.request.read().find("tensor"), shape.size)));
  };
  if (request.find("region") != nullptr) return with_regions(of, shape, request, done);
  for (const char* key : {"outer_shape", "left_shape"})
    if (request.find(key) != nullptr) {
      if (fit_operand_shape(of, shape, key, request)) done(request);
      return;
    }
  if (!fit_arguments(of, shape.size, request)) return;
  if (const Json* factor = request.find("factor"); factor != nullptr && factor->integer() != nullptr) {
    if (*factor->integer() % 2 == 0) done(changed(request, "factor", *factor->integer() / 2));
    if (*factor->integer() < 64) done(changed(request, "factor", *factor->integer() * 2));
  }
  done(request);
}

// Whether a signature says less of `next`, and nothing else.
bool says_less(const Case& next, const std::vector<std::string_view>& features, int rank) {
  const auto here = features_of(next);
  const int rank_here = rank_of(class_of(next));
  return rank_here >= rank && (here.size() < features.size() || rank_here > rank) &&
         std::ranges::all_of(here,
                             [&](std::string_view one) { return std::ranges::find(features, one) != features.end(); });
}

}  // namespace

std::vector<Bounds> moved_bounds(Bounds bounds, Index from, Index to) {
  std::vector<Bounds> out;
  const auto [begin, end] = bounds;
  const auto add = [&](Index first, Index behind) {
    const Bounds one(first, std::min(behind, to));
    if (first >= 0 && one.first < one.second && std::ranges::find(out, one) == out.end()) out.push_back(one);
  };
  add(begin, end);
  if (from == to) return out;
  add(to - (from - begin), to - (from - end));
  const auto scaled = [&](Index at) {
    const auto times = checked_mul(at, to);
    return times && *times % from == 0 ? std::optional(*times / from) : std::nullopt;
  };
  for (const Index at : {begin, begin + 1, end - 1, end})
    if (const auto there = scaled(at)) add(begin + *there - at, end + *there - at);
  const auto first = scaled(begin), behind = scaled(end);
  if (first && behind) add(*first, *behind);
  return out;
}

std::vector<Case> paired_cases(const Case& of) {
  std::vector<Case> out;
  const use::Family& family = *use::family_of({}, of.family);
  if (family.campaign == nullptr || family.campaign->paired == nullptr || of.op->kind == OpKind::Construct) return out;
  const auto features = features_of(of);
  const int rank = rank_of(class_of(of));
  if (said_of(of) == 0) return out;
  const Json asked = of.request.read();
  const auto sample = family.campaign->read(of.layout, of.tensor);
  if (!sample) return out;
  std::set<std::string> seen;
  const auto take = [&](Json request) {
    if (!refit(of, request) || !seen.insert(print_json(request)).second) return;
    auto made = case_of(request);
    if (made && made->of().logical().volume() > 0 && says_less(*made, features, rank)) out.push_back(std::move(*made));
  };
  family.campaign->paired(*sample, [&](const use::Sample& next) {
    if (volume_of_shape(next.tensor.size) > kMostElements) return;  // each is looked at, element by element
    const Json request = changed(asked, "layout", family.campaign->print(next));
    for (const NewShape& shape : shapes_of(of, volume_of_shape(next.tensor.size)))
      with_arguments_for(of, shape, request, take);
  });
  sort_by_cost(out);
  return out;
}

}  // namespace vl::gate
