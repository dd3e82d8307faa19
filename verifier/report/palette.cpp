#include "verifier/report/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "encodings/base/check.h"

namespace vl::report {
namespace {

constexpr double kDarkest = 0.18;
constexpr double kLightest = 0.92;
constexpr double kStart = 0.5;
constexpr double kTurns = -1.5;
constexpr double kSaturation = 1.1;

int channel(double value) { return static_cast<int>(std::lround(std::clamp(value, 0.0, 1.0) * 255)); }

double linear(int value) {
  const double s = value / 255.0;
  return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}

}  // namespace

Rgb palette(std::size_t number, std::size_t count) {
  VL_CHECK(number < count, "there is no such colour");
  const double at = count == 1 ? 0.7 : static_cast<double>(number) / static_cast<double>(count - 1);
  const double light = kDarkest + (kLightest - kDarkest) * at;
  const double angle = 2 * 3.14159265358979323846 * (kStart / 3 + 1 + kTurns * light);
  const double swing = kSaturation * light * (1 - light) / 2;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {channel(light + swing * (-0.14861 * c + 1.78277 * s)), channel(light + swing * (-0.29227 * c - 0.90649 * s)),
          channel(light + swing * (1.97294 * c))};
}

double luminance(Rgb colour) {
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

Rgb text_on(Rgb ground) {
  // Contrast is (lighter + 0.05) / (darker + 0.05); black and white have equal contrast at sqrt(1.05 * 0.05) - 0.05.
  return luminance(ground) > 0.1791 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

Rgb faded(Rgb colour) {
  const auto mix = [](int value) { return (value + 3 * 255) / 4; };
  return {mix(colour.red), mix(colour.green), mix(colour.blue)};
}

std::string hex(Rgb colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue); }

}  // namespace vl::report
