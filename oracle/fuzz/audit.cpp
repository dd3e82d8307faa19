#include "oracle/fuzz/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/family.h"
#include "encodings/use/reference.h"

namespace vl::oracle {
namespace {

constexpr Index kAsked = 64;

bool same_map(const map::Layout& a, const map::Layout& b) {
  return a.logical() == b.logical() && a.replicas() == b.replicas() && a.physical() == b.physical() &&
         a.map() == b.map() && a.decode() == b.decode() && a.host_offset() == b.host_offset() &&
         a.filled() == b.filled();
}

// The slots of an element by the map, ascending, each once.
std::vector<Point> slots_by_map(const map::Layout& layout, std::span<const Index> element) {
  std::vector<Point> out;
  Point replica(layout.replicas().rank(), 0);
  if (layout.replicas().volume() == 0) return out;
  do {
    const Point outputs = map::outputs_at(layout, element, replica);
    if (layout.is_slot(outputs))
      out.emplace_back(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
  } while (map::advance(layout.replicas(), replica));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());  // replicas in one slot: the document defines a set
  return out;
}

}  // namespace

std::optional<Mismatch> audit(const Subject& subject, const map::Layout& layout) {
  const use::Family& family = *subject.family;
  const std::string text = text_of(subject);
  if (!family.recognises(text)) return Mismatch{"reader", "the family does not recognise what it prints"};
  const auto reading = family.read(text, subject.tensor);
  if (!reading) return Mismatch{"reader", reading.error().message};
  if (const auto* why = reading->undecidable()) return Mismatch{"reader", why->reason};
  if (!same_map(*reading->layout(), layout)) return Mismatch{"reader", "the text that is printed reads as another map"};
  for (const use::Reference* reference : use::references()) {
    if (reference->family != family.name) continue;
    const auto slots = reference->slots(text, subject.tensor);
    if (!slots) return Mismatch{"reference", slots.error().message};
    const Index volume = layout.logical().volume();
    for (Index k = 0; k < std::min(volume, kAsked); ++k) {
      const Index number = volume <= kAsked ? k : k * (volume - 1) / (kAsked - 1);
      const Point element = layout.logical().point(number);
      std::vector<Point> second = (*slots)(element);
      std::ranges::sort(second);
      const std::vector<Point> first = slots_by_map(layout, element);
      if (first != second)
        return Mismatch{"reference",
                        fmt::format("element {}: the map says {}, the document {}", element, first, second)};
    }
  }
  return std::nullopt;
}

}  // namespace vl::oracle
