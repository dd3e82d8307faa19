// Layouts as statements have them: which slot each element takes.
#pragma once

#include <optional>
#include <utility>

#include "verifier/kernel/core/map.h"

namespace vl::kernel {

struct Layout {
  Map map;                  // logical ++ replicas -> physical ++ guards
  std::size_t logical = 0;  // how many of the map's inputs are the element's
  Space physical;
  std::optional<Map> decode;                    // physical -> logical ++ replicas ++ guards
  std::optional<Space> filled;                  // the valid slots, where they are stated as a box
  std::optional<std::pair<Row, Row>> identity;  // of slots, of elements
  bool named = false;                           // places are compared axis by axis, by name

  [[nodiscard]] Space elements() const;
  [[nodiscard]] Space replicas() const;
  [[nodiscard]] bool is_slot(const Point& outputs, const Space& box) const;
  [[nodiscard]] Wide number(const Point& outputs) const;  // row-major, of a slot
};

}  // namespace vl::kernel
