// Layouts in programs: what a layout text says of the padded sizes of an input (use/padded.h). A program's regions are
// slots of their own, so a layout in which an index beyond the tensor is the slot of an element is refused, and so is
// one with padding that is in no region.
#include "verifier/programs/layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>

#include "encodings/use/padded.h"
#include "verifier/session/reading.h"

namespace vl::programs {
namespace {

constexpr Index kMostPoints = Index{1} << 20;

Error refused(std::string reason) { return {ErrorCode::Value, std::move(reason), 0}; }

// Whether each index of the padded box has a slot, and none of the padding an element's. Nothing: it has.
std::optional<Error> misplaced(const use::Continued& from, const map::Layout& box) {
  const auto points = checked_product(from.whole);
  if (!points || *points > kMostPoints)
    return refused(
        "the padded tensor has more than 2^20 slots: whether hardware reads elements twice is not looked at; "
        "give tile(…) or stick(…)");
  std::unordered_set<Index> elements;
  const std::vector<Index> valid = [&] {
    std::vector<Index> out;
    for (const map::Dim& dim : from.layout.logical().dims()) out.push_back(dim.extent);
    return out;
  }();
  for (const bool inside : {true, false}) {
    Point index(valid.size(), 0);
    for (Index i = 0; i < *points; ++i) {
      Index rest = i;
      bool element = true;
      for (std::size_t d = index.size(); d-- > 0;) {
        index[d] = rest % from.whole[d];
        rest /= from.whole[d];
        element = element && index[d] < valid[d];
      }
      if (element != inside) continue;
      const auto slot = box.slot_number(outputs_at(box, index, {}));
      if (!slot) return refused(fmt::format("index [{}] beyond the tensor has no slot", fmt::join(index, ",")));
      if (inside) elements.insert(*slot);
      else if (elements.contains(*slot))
        return refused(
            fmt::format("index [{}] beyond the tensor is the slot of an element: a program cannot say what "
                        "such padding holds",
                        fmt::join(index, ",")));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<neutral::program::InputLayout> layout_of_input(std::string_view layout, std::string_view type,
                                                      const std::vector<Index>& size) {
  // The host's type of what is stored as dl16.
  const auto tensor =
      map::parse_tensor(fmt::format("{}[{}]", type == "dl16" ? "f16" : std::string(type), fmt::join(size, ",")));
  if (!tensor) return refused(fmt::format("no layout holds elements of {}", type));
  const std::string text(layout);
  const auto read = session::read_unproved(session::SourceText::option("layout", text), "", *tensor);
  if (const auto* wrong = std::get_if<session::TextError>(&read)) return wrong->error;
  const auto& reading = std::get<use::Reading>(read);
  if (const auto* reason = reading.undecidable()) return refused(reason->reason);
  if (!reading.derived.empty()) return refused("a layout with operations in its text is not read here");
  if (!reading.values.empty() && reading.values != type)
    return refused(fmt::format("the device's elements are {}, and the input's {}", reading.values, type));
  if (reading.layout()->replicas().rank() != 0) return refused("a layout with replicas is not read here");
  const auto from = use::continued(*use::family_of(text, ""), text, *tensor, reading);
  if (!from) return from.error();
  if (from->doubtful || from->ragged != 0 || from->group != 0)
    return refused("the text does not tell all of the padding that hardware reads with the tensor; give tile(…)");
  const auto box = use::padded(*from, from->whole);
  if (!box) return box.error();
  if (auto error = misplaced(*from, *box)) return std::move(*error);
  return neutral::program::InputLayout{from->granule, reading.fill};
}

}  // namespace vl::programs
