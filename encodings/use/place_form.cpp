#include "encodings/use/place_form.h"

#include <array>

namespace vl::use {
namespace {

constexpr std::size_t kMostDigits = 16, kMostAxes = 16;

}  // namespace

// The digits are counters: a step adds a stride, and a digit that begins again takes back its steps.
bool are_places(const PlaceForm& form, std::span<const Index> rows) {
  const std::size_t digits = form.extents.size(), columns = form.axes.size();
  if (digits > kMostDigits || columns > kMostAxes) return false;
  if (rows.size() != static_cast<std::size_t>(form.elements) * columns) return false;
  std::array<Index, kMostDigits> digit{};
  std::array<Index, kMostAxes> place{};
  for (std::size_t a = 0; a < columns; ++a) place[a] = form.origin[a];
  for (std::size_t at = 0; at < rows.size(); at += columns) {
    for (std::size_t a = 0; a < columns; ++a) {
      const bool swizzled = form.swizzle && form.swizzle->input == a;
      if (rows[at + a] != (swizzled ? map::apply(*form.swizzle, place[a]) : place[a])) return false;
    }
    for (std::size_t k = digits; k-- > 0;) {
      Index& on = place[form.on[k]];
      if (++digit[k] < form.extents[k]) {
        on += form.strides[k];
        break;
      }
      on -= (form.extents[k] - 1) * form.strides[k];
      digit[k] = 0;
    }
  }
  return true;
}

}  // namespace vl::use
