// Layouts as statements have them: which slot each element takes.
#pragma once

#include <optional>
#include <utility>

#include "verifier/kernel/core/map.h"

namespace vl::kernel {

template <class S>
struct BasicLayout {
  BasicMap<S> map;          // logical ++ replicas -> physical ++ guards
  std::size_t logical = 0;  // how many of the map's inputs are the element's
  BasicSpace<S> physical;
  std::optional<BasicMap<S>> decode;                            // physical -> logical ++ replicas ++ guards
  std::optional<BasicSpace<S>> filled;                          // the valid slots, where they are stated as a box
  std::optional<std::pair<BasicRow<S>, BasicRow<S>>> identity;  // of slots, of elements
  bool named = false;                                           // places are compared axis by axis, by name

  [[nodiscard]] BasicSpace<S> elements() const;
  [[nodiscard]] BasicSpace<S> replicas() const;
  [[nodiscard]] bool is_slot(const Point& outputs, const Space& box) const requires std::same_as<S, Wide>;
  [[nodiscard]] Wide number(const Point& outputs) const  // row-major, of a slot
      requires std::same_as<S, Wide>;
};

using Layout = BasicLayout<Wide>;

}  // namespace vl::kernel
