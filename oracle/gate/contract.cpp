#include "oracle/gate/contract.h"

#include <algorithm>
#include <set>

#include "encodings/base/check.h"

namespace vl::gate {
namespace {

constexpr Index kMostWalked = Index{1} << 16;  // elements and replicas of place.at

// Calls visit(outputs) for every element and replica until it returns false; whether it never did.
template <class Visit>
bool every_place(const map::Layout& layout, Visit visit) {
  if (layout.domain().volume() == 0) return true;
  Point p(layout.domain().rank(), 0);
  do {
    const std::span<const Index> all(p);
    const std::size_t rank = layout.logical().rank();
    if (!visit(p, map::outputs_at(layout, all.first(rank), all.subspan(rank)))) return false;
  } while (map::advance(layout.domain(), p));
  return true;
}

bool one_to_one(const map::Layout& layout, std::size_t& places) {
  std::set<Point> seen;
  const bool out = every_place(layout, [&](const Point&, const Point& outputs) { return seen.insert(outputs).second; });
  places = seen.size();
  return out;
}

bool is_bijective(const map::Layout& layout) {
  std::size_t places = 0;
  const map::Space& box = layout.filled() ? *layout.filled() : layout.physical();
  return one_to_one(layout, places) && static_cast<Index>(places) == box.volume() &&
         every_place(layout, [&](const Point&, const Point& outputs) { return layout.is_slot(outputs); });
}

// One step along a dimension never leads to a lower coordinate.
bool never_down(const map::Layout& layout) {
  const std::size_t rank = layout.logical().rank();
  return every_place(layout, [&](const Point& p, const Point& outputs) {
    for (std::size_t d = 0; d < rank; ++d) {
      Point next = p;
      if (++next[d] >= layout.logical().extent(d)) continue;
      const std::span<const Index> all(next);
      const Point there = map::outputs_at(layout, all.first(rank), all.subspan(rank));
      for (std::size_t j = 0; j < there.size(); ++j)
        if (there[j] < outputs[j]) return false;
    }
    return true;
  });
}

}  // namespace

bool is_injective(const map::Layout& layout) {
  std::size_t places = 0;
  return one_to_one(layout, places);
}

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::Within: return "within";
    case Standing::Outside: return "outside";
    case Standing::Unstated: return "unstated";
  }
  VL_CHECK(false, "a standing that there is not");
}

const std::vector<std::string_view>& contract_words() {
  static const std::vector<std::string_view> kContracts = {"any",         "injective",        "bijective",
                                                           "no-replicas", "no-swizzle",       "no-offset",
                                                           "memory-only", "positive-strides", "powers-of-two"};
  return kContracts;
}

bool is_contract(std::string_view word) { return std::ranges::find(contract_words(), word) != contract_words().end(); }

bool has_property(const Case& of, std::string_view word) {
  const map::Layout& layout = of.of();
  const auto is_power = [](Index n) { return n > 0 && (n & (n - 1)) == 0; };
  if (word == "any") return true;
  // Of a large tensor not every element is looked at, so what is said of all of them is not known.
  const bool of_all = word == "injective" || word == "bijective" || word == "positive-strides";
  if (of_all && !of.elements.empty() && layout.domain().volume() > kMostWalked) return false;
  if (word == "injective") return is_injective(layout);
  if (word == "bijective") return is_bijective(layout);
  if (word == "no-replicas") return layout.replicas().volume() == 1;
  if (word == "no-swizzle")
    return std::ranges::none_of(layout.map().stages(),
                                [](const map::Stage& stage) { return std::holds_alternative<map::Swizzle>(stage); });
  if (word == "no-offset") {
    if (layout.domain().volume() == 0) return true;
    const Point first = map::outputs_at(layout, Point(layout.logical().rank(), 0), Point(layout.replicas().rank(), 0));
    return std::ranges::all_of(first, [](Index value) { return value == 0; });
  }
  if (word == "memory-only")
    return std::ranges::all_of(layout.physical().dims(), [&](const map::Dim& dim) {
      return !layout.named_axes() || dim.name == map::kMemoryAxis;
    });
  if (word == "positive-strides") return never_down(layout);
  if (word == "powers-of-two") return std::ranges::all_of(of.tensor.size, is_power);
  VL_CHECK(false, "a contract that there is not");
}

Standing standing_of(const Case& of, std::span<const std::string> contract) {
  if (contract.empty()) return Standing::Unstated;
  return std::ranges::all_of(contract, [&](const std::string& word) { return has_property(of, word); })
             ? Standing::Within
             : Standing::Outside;
}

}  // namespace vl::gate
