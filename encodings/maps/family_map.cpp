// The family's entry in the registry.
#include <array>

#include "encodings/maps/maps.h"
#include "encodings/maps/scan.h"

namespace vl::maps {
namespace {

constexpr std::array<std::string_view, 2> kDefaultClaims = {"in-bounds", "injective"};

constexpr std::string_view kForms =
    "(x0:5, x1:150) -> affine(x0, x1) -> split(1; 64, 1) -> affine(x1, x0, x2) -> (d0:3, d1:5, d2:64)\n"
    "  the text of certificates; the box behind it names the dimensions of a memory, d0, d1, …, or axes: -> (m:64, "
    "lane:32)\n"
    "(x0:8, r0:2) -> affine(8*x1 + x0)   (r0, r1, …: replicas; without a box there is one output, on m)\n"
    "  stages: affine(row, …) · split(input; weights) · swizzle(input; base, bits, shift, down|up)";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// "(NAME:" or "() ->".
bool recognises(std::string_view text) {
  const auto skip = [&] { text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size())); };
  skip();
  if (!text.starts_with("(")) return false;
  text.remove_prefix(1);
  skip();
  if (text.starts_with(")")) {
    text.remove_prefix(1);
    skip();
    return text.starts_with("->");
  }
  std::size_t end = 0;
  while (end < text.size() && (is_letter(text[end]) || (end > 0 && text[end] >= '0' && text[end] <= '9'))) ++end;
  if (end == 0) return false;
  text.remove_prefix(end);
  skip();
  return text.starts_with(":");
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  if (!recognises(text)) return Error{ErrorCode::Syntax, "expected a map, as in (x0:4, x1:8) -> affine(8*x0 + x1)", 0};
  const auto parsed = parse(text);
  if (!parsed) return parsed.error();
  auto layout = lower(*parsed, tensor);
  if (!layout) return layout.error();
  use::Reading reading{std::move(*layout), {}, print(*parsed), {}, map::bits(tensor.type), {}};
  reading.values = map::name(tensor.type);
  if (!parsed->has_box) reading.own_span.emplace_back(map::kMemoryAxis);
  return reading;
}

std::optional<Index> elements(std::string_view text) {
  const auto parsed = parse(text);
  return parsed ? std::optional(parsed->elements()) : std::nullopt;
}

}  // namespace
}  // namespace vl::maps

namespace vl::map {

[[nodiscard]] const use::Family& family();
const use::Family& family() {
  static constexpr use::Family kFamily{.name = "map",
                                       .forms = maps::kForms,
                                       .default_claims = maps::kDefaultClaims,
                                       .recognises = maps::recognises,
                                       .read = maps::read,
                                       .elements = maps::elements,
                                       .scan = &maps::kScan};
  return kFamily;
}

}  // namespace vl::map
