// A layout with a stride_map as a blueprint: one level a device dimension, of the host's offset.
#pragma once

#include <fmt/format.h>

#include "encodings/spyre/construct_parts.h"

namespace vl::spyre {

/// The device dimensions over a host with these strides, without the places in them. Number: Index, or map::Expression.
template <class Number>
[[nodiscard]] map::Blueprint<Number> device_of(const std::vector<Number>& device_size,
                                               const map::BasicTensor<Number>& tensor, std::vector<Number> strides) {
  map::Blueprint<Number> out;
  out.logical = tensor.size;
  out.strides = std::move(strides);
  out.start = tensor.view_offset;
  out.offset = tensor.offset;
  out.places.reserve(device_size.size());
  for (const Number& extent : device_size) {
    map::BasicPlace<Number>& place = out.places.emplace_back();
    place.name = fmt::format("d{}", out.places.size() - 1);
    place.extent = extent;
  }
  return out;
}

/// A dimension with the stride 0 is a replica, unless it has no more than one place.
template <class Number>
void add_levels(map::Blueprint<Number>& out, const std::vector<Number>& stride_map) {
  out.decodes = true;
  out.levels.reserve(stride_map.size());
  for (std::size_t j = 0; j < stride_map.size(); ++j) {
    const Number& extent = out.places[j].extent;
    const bool repeats = number_of(stride_map[j]) == 0 && number_of(extent).value_or(2) > 1;
    out.levels.push_back({stride_map[j], extent});
    out.places[j].terms.push_back({repeats ? stride_map.size() + out.replicas.size() : j, 1});
    if (repeats) out.replicas.push_back(extent);
  }
}

}  // namespace vl::spyre
