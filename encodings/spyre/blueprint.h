// A layout as a blueprint: one level a device dimension, of the host's offset or of a host dimension.
#pragma once

#include <fmt/format.h>

#include <utility>

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

/// By a stride_map. A dimension with the stride 0 is a replica, unless it has no more than one place.
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

/// A size 0 counts as 1: a layout of numbers with one has no slot at all.
inline Index counted(Index extent) { return std::max<Index>(extent, 1); }
inline const map::Expression& counted(const map::Expression& extent) { return extent; }

/// By a dim_map: one number a host dimension, whose digits are its device dimensions. The last one counts ones, and
/// each other one the product of those behind it. A device dimension without a host dimension is 0. The host's strides
/// for which the digits stand have to fit. Error: Overflow.
template <class Number>
[[nodiscard]] std::optional<Error> add_numbers(map::Blueprint<Number>& out, const std::vector<Index>& dim_map) {
  const std::vector<Number> host = std::exchange(out.strides, std::vector<Number>(out.logical.size(), 1));
  for (std::size_t i = 0; i < out.logical.size(); ++i) {
    map::BasicNumber<Number>& number = out.numbers.emplace_back();
    number.dims = {i};
    for (std::size_t j = 0; j < dim_map.size(); ++j) {
      if (dim_map[j] != static_cast<Index>(i)) continue;
      out.places[j].terms.push_back({out.levels.size(), 1});
      out.levels.push_back({1, out.places[j].extent});
      ++number.levels;
    }
    std::optional<Number> weight = 1;
    for (std::size_t k = out.levels.size(), left = number.levels; left > 0; --left) {
      map::BasicLevel<Number>& level = out.levels[--k];
      if (!weight) return Error{ErrorCode::Overflow, "the weights of dim_map do not fit in 64 bits"};
      level.weight = *weight;
      const auto step = times(host[i], *weight);
      if (!step) return Error{ErrorCode::Overflow, "the strides that dim_map stands for do not fit in 64 bits"};
      out.fits.push_back(*step);
      weight = times(*weight, counted(level.extent));
    }
  }
  return std::nullopt;
}

}  // namespace vl::spyre
