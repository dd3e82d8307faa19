// Palette: n colours in a visible order, because each is lighter than the one before (the cubehelix of D. A. Green,
// Bull. Astr. Soc. India 39, 2011: the hue turns while the lightness increases). The cells also hold names, so that no
// information is in the colour alone.
//
// Example: of 2 colours, the first is dark with white text, the second light with black text.
#pragma once

#include <cstddef>
#include <string>

namespace vl::report {

struct Rgb {
  int red = 0;  // 0..255
  int green = 0;
  int blue = 0;

  bool operator==(const Rgb&) const = default;
};

/// Colour `number` of `count`. Requires: number < count.
[[nodiscard]] Rgb palette(std::size_t number, std::size_t count);
/// The relative luminance of WCAG 2, 0 (black) to 1 (white).
[[nodiscard]] double luminance(Rgb colour);
/// Black or white: the one with more contrast on this ground, never below 4.5 to 1.
[[nodiscard]] Rgb text_on(Rgb ground);
/// Three quarters of the way to white.
[[nodiscard]] Rgb faded(Rgb colour);
/// "#rrggbb"
[[nodiscard]] std::string hex(Rgb colour);

}  // namespace vl::report
