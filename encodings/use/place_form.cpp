#include "encodings/use/place_form.h"

#include <array>

namespace vl::use {
namespace {

constexpr std::size_t kMostDigits = 16, kMostAxes = 16;

// Whether each `columns`-th number of a column is the next place: from `place` in steps of `stride`, `run` of them.
bool is_run(const Index* column, std::size_t columns, std::size_t run, Index place, Index stride,
            const map::Swizzle* swizzle) {
  Index differs = 0;
  if (swizzle == nullptr) {
    for (std::size_t i = 0; i < run; ++i) differs |= column[i * columns] ^ (place + static_cast<Index>(i) * stride);
    return differs == 0;
  }
  for (std::size_t i = 0; i < run; ++i) {
    const Index at = place + static_cast<Index>(i) * stride;
    differs |= column[i * columns] ^ map::apply(*swizzle, at);
  }
  return differs == 0;
}

}  // namespace

// The digits are counters: a step adds a stride, and a digit that begins again takes back its steps. The last digit
// runs by itself.
bool are_places(const PlaceForm& form, std::span<const Index> rows) {
  const std::size_t digits = form.extents.size(), columns = form.axes.size();
  if (digits > kMostDigits || columns > kMostAxes) return false;
  if (rows.size() != static_cast<std::size_t>(form.elements) * columns) return false;
  std::array<Index, kMostDigits> digit{};
  std::array<Index, kMostAxes> place{};
  for (std::size_t a = 0; a < columns; ++a) place[a] = form.origin[a];
  const std::size_t run = digits == 0 ? 1 : static_cast<std::size_t>(form.extents[digits - 1]);
  const Index stride = digits == 0 ? 0 : form.strides[digits - 1];
  const std::size_t runs = digits == 0 ? kMostAxes : form.on[digits - 1];
  const map::Swizzle* swizzle = form.swizzle ? &*form.swizzle : nullptr;
  for (std::size_t at = 0; at < rows.size(); at += run * columns) {
    for (std::size_t a = 0; a < columns; ++a)
      if (!is_run(&rows[at + a], columns, run, place[a], a == runs ? stride : 0,
                  swizzle != nullptr && swizzle->input == a ? swizzle : nullptr))
        return false;
    for (std::size_t k = digits < 2 ? 0 : digits - 1; k-- > 0;) {
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
