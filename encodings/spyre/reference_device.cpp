// The second way from texts to arrays: the constructors' rules, layouts as they are written, and derived ones.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "encodings/spyre/reference_parts.h"

namespace vl::spyre::second {
namespace {

// 0..rank-1 in some order, then possibly -1 (sparse). Rank 0 is sparse: it has no dim to make a stick of.
std::optional<Error> check_order(const Indices& order, std::size_t rank) {
  Indices dims = order;
  if (dims.size() == rank + 1 && dims.back() == -1) dims.pop_back();
  std::ranges::sort(dims);
  Indices all(rank);
  std::iota(all.begin(), all.end(), Index{0});
  if (order.empty() || dims != all)
    return wrong(fmt::format("dim_order [{}] for rank {}", fmt::join(order, ","), rank));
  return std::nullopt;
}

// Which host dim each device dim stands for, in the way of a generation.
Indices places_of(std::string_view generation, Indices order, const Indices& size) {
  if (generation == "G1a") {
    std::erase_if(order, [&](Index dim) { return dim >= 0 && size[static_cast<std::size_t>(dim)] == 1; });
    if (order.empty()) order = {-1};
  }
  const Index stick = order.back();
  Indices places(order.begin(), order.end() - 1);
  if (generation == "G0") places.insert(places.begin(), stick);
  else if (generation == "G0b") places.insert(places.empty() ? places.end() : places.end() - 1, stick);
  else {
    // the first dim goes behind all the others, and the count of sticks before it
    const bool counted = generation != "G1a" || stick != -1 || order.size() == 1;
    places.assign(order.begin() + 1, order.end() - (order.size() > 1 && !counted ? 1 : 0));
    places.push_back(order.front());
  }
  places.push_back(stick);
  return places;
}

// Strides are filled in from the back: a host dim's first stride is its own, each further one outwards the last times
// the device size there, and since S3 never more than the host dim's whole length.
std::optional<Error> put_strides(Device& device, const Indices& places, const Indices& size, const Indices& strides,
                                 bool limited) {
  std::map<Index, Index> next;
  for (std::size_t k = places.size(); k-- > 0;) {
    device.map[k] = -1;
    if (places[k] < 0 || size[static_cast<std::size_t>(places[k])] == 1) continue;
    const auto host = static_cast<std::size_t>(places[k]);
    device.map[k] = next.contains(places[k]) ? next[places[k]] : strides[host];
    auto following = checked_mul(device.map[k], device.size[k]);
    const auto length = checked_mul(strides[host], size[host]);
    if (limited && length && (!following || *following > *length)) following = length;
    if (!following) return Error{ErrorCode::Overflow, "a stride of the device does not fit in 64 bits"};
    next[places[k]] = *following;
  }
  return std::nullopt;
}

Indices order_of(const Said& said) {
  const Indices& size = *said.list("size");
  const Indices* asked = said.list("dim_order");
  if (asked && !(size.empty() && asked->empty())) return *asked;
  Indices order(size.empty() ? 1 : size.size(), -1);
  if (!size.empty()) std::iota(order.begin(), order.end(), Index{0});
  return order;
}

}  // namespace

Result<Device> construct(const Said& said) {
  const Indices* given = said.list("size");
  if (given == nullptr || said.list("device_size") || said.list("stride_map") || said.list("dim_map"))
    return wrong("with a torch type: a size, perhaps strides and dim_order");
  Indices size = *given;
  for (const Index extent : size)
    if (extent < 0) return wrong(fmt::format("the size {} is negative", extent));
  auto strides = said.list("strides") ? std::optional(*said.list("strides")) : dense(size);
  if (!strides) return Error{ErrorCode::Overflow, "the dense strides do not fit in 64 bits"};
  if (strides->size() != size.size()) return Error{ErrorCode::Shape, "sizes and strides differ in number"};
  for (const Index stride : *strides)
    if (stride < 0) return wrong(fmt::format("the host stride {} is negative", stride));
  const Indices order = order_of(said);
  if (auto error = check_order(order, size.size())) return *error;

  const bool pads = !said.flags.empty() || !said.word("pad").empty();
  const std::string_view generation = pads ? "G1" : said.word("generation");
  if (generation.starts_with("G0") && order.back() < 0) return wrong("no such rule");
  Flags padded = said.flags;
  if (padded.empty()) padded.assign(size.size(), said.word("pad") == "True");
  if (padded.size() != size.size()) return wrong("pad flags of another rank");
  const Indices places = places_of(generation, order, size);
  Device device{Indices(places.size()), Indices(places.size()), true, "STANDARD", said.per_stick};
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto host = static_cast<std::size_t>(places[k]);
    Index extent = places[k] < 0 ? 1 : size[host];
    if (places[k] >= 0 && padded[host]) extent = ceil_div(extent, said.per_stick) * said.per_stick;
    const bool counts = places[k] >= 0 && places[k] == places.back();
    device.size[k] = k + 1 == places.size() ? said.per_stick : counts ? ceil_div(extent, said.per_stick) : extent;
  }
  if (generation.starts_with("G0") || generation.starts_with("G1")) {
    device.by_stride = false;
    device.map = places;
    return device;
  }
  if (generation == "G2draft") {  // the host as if it were contiguous in the order
    Index stride = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      if (order[k] < 0) continue;
      (*strides)[static_cast<std::size_t>(order[k])] = stride;
      const auto more = checked_mul(stride, std::max<Index>(size[static_cast<std::size_t>(order[k])], 1));
      if (!more) return Error{ErrorCode::Overflow, "the host does not fit in 64 bits"};
      stride = *more;
    }
  }
  if (auto error = put_strides(device, places, size, *strides, generation == "S3")) return *error;
  return device;
}

Result<Device> written(const Said& said, const map::Tensor& tensor, Shape shape) {
  const Indices* size = said.list("device_size");
  const Indices* strides = said.list("stride_map");
  const Indices* dims = said.list("dim_map");
  if (size == nullptr || (strides == nullptr && dims == nullptr)) return wrong("a device_size and a map are needed");
  if (shape != Shape::Tuple && (said.list("size") || said.list("strides") || said.list("dim_order")))
    return wrong("with a device format: a device_size and a stride_map or a dim_map");
  const bool by_stride = strides != nullptr;  // both: the strides, which replaced the dims, decide
  Device device{*size, by_stride ? *strides : *dims, by_stride, "STANDARD", said.per_stick};
  if (said.per_stick < 0) {
    if (shape == Shape::Layout && !said.old) return wrong("there is no type");
    device.per_stick = 1024 / map::bits(tensor.type);
  }
  if (device.size.size() != device.map.size()) return Error{ErrorCode::Shape, "device_size and map differ in length"};
  for (const Index extent : device.size)
    if (extent < 0) return wrong(fmt::format("the device size {} is negative", extent));
  for (const Index entry : device.map)
    if (entry < -1 || (!by_stride && entry >= static_cast<Index>(tensor.size.size())))
      return wrong(fmt::format("the map's entry {} is out of range", entry));
  return device;
}

// ---- derived layouts

namespace {

// The constructor call that gives this raw layout to a tensor of that size and those strides.
std::optional<Error> explain(Said& said, const Indices& size, const Indices& strides) {
  Said call;
  call.per_stick = said.per_stick;
  call.constructed = true;
  call.words = said.words;
  call.lists["size"] = size;
  call.lists["strides"] = strides;
  Indices order(size.size());
  std::iota(order.begin(), order.end(), Index{0});
  const Indices* box = said.list("device_size");
  const Indices* map = said.list("stride_map");
  do
    for (const bool sparse : {false, true}) {
      Indices with = order;
      if (sparse) with.push_back(-1);
      call.lists["dim_order"] = with;
      const auto device = construct(call);
      if (!device || !box || !map || device->size != *box || device->map != *map) continue;
      said = std::move(call);
      return std::nullopt;
    }
  while (std::ranges::next_permutation(order).found);
  return wrong("no order of dims explains the layout");
}

// Strides of another size, dense in the order of the old ones.
Indices dense_like(const Indices& old_strides, const Indices& size) {
  std::vector<std::size_t> inwards(size.size());
  std::iota(inwards.begin(), inwards.end(), std::size_t{0});
  std::ranges::stable_sort(inwards, [&](std::size_t a, std::size_t b) { return old_strides[a] > old_strides[b]; });
  Indices strides(size.size());
  Index next = 1;
  for (std::size_t k = size.size(); k-- > 0; next *= std::max<Index>(size[inwards[k]], 1)) strides[inwards[k]] = next;
  return strides;
}

}  // namespace

std::optional<Error> derive(Said& said, std::string_view name, const std::vector<Value>& values,
                            const map::Tensor& tensor) {
  if (values.empty()) return wrong("a derivation without arguments");
  const Indices* list = values[0].list();
  const auto* number = std::get_if<Index>(&values[0].what);
  const auto* type = values[0].name();
  const bool old_size = name == "resize" && values.size() > 1 && values[1].list() != nullptr;
  const Indices before = old_size ? *values[1].list() : tensor.size;
  const auto strides = tensor.strides && !old_size ? tensor.strides : dense(before);
  if (!said.constructed && !strides) return wrong("strides beyond 64 bits");
  if (!said.constructed)
    if (auto error = explain(said, before, *strides)) return error;
  if (!said.list("strides")) {
    const auto own = dense(*said.list("size"));
    if (!own) return wrong("strides beyond 64 bits");
    said.lists["strides"] = *own;
  }
  Indices order = order_of(said);
  if (name == "restickify" && number) {
    std::iter_swap(std::ranges::find(order, *number), order.end() - 1);
    said.lists["dim_order"] = order;
  } else if (name == "resize" && list && list->size() == said.list("strides")->size()) {
    said.lists["strides"] = dense_like(*said.list("strides"), *list);
    said.lists["size"] = *list;
  } else if (name == "rescale" && type) {
    said.per_stick = -1;
    if (auto error = say_type(said, *type, false)) return error;
    said.constructed = true;
    for (const Value& value : values)
      if (value.name() && (value.name()->starts_with("ElementArrangement.") || value.label == "element_arrangement" ||
                           value.label == "ea"))
        said.words["arrangement"] = last_word(*value.name());
  } else {
    return wrong(fmt::format("{} is not a derivation", name));
  }
  return std::nullopt;
}

std::optional<Indices> dense(const Indices& size) {
  Indices strides(size.size(), 1);
  for (std::size_t i = size.size(); i-- > 1;) {
    const auto next = checked_mul(strides[i], std::max<Index>(size[i], 1));
    if (!next) return std::nullopt;
    strides[i - 1] = *next;
  }
  return strides;
}

}  // namespace vl::spyre::second
