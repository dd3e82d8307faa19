// The page of a case that was judged, for `check --show FILE`: its layout with what a refutation names, and the second
// layout of a claim that compares two.
#include <algorithm>

#include "encodings/base/files.h"
#include "verifier/cli/show.h"
#include "verifier/report/explorer.h"

namespace vl::cli {
namespace {

const question::Refuted* refutation_of(const question::Answer& answer) {
  return std::get_if<question::Refuted>(&answer.verdict);
}

// The elements and slots that a counterexample names.
void add_marks(const question::Counterexample& counter, const map::Layout& layout, report::Explored& out) {
  for (const auto& [field, value] : counter.fields) {
    const auto* point = std::get_if<Point>(&value);
    if (point == nullptr) continue;
    if ((field == "a" || field == "b") && layout.logical().contains(*point))
      out.marks.push_back({field, *point, false});
    if (field == "physical" && layout.physical().contains(*point)) out.marks.push_back({field, *point, true});
  }
}

}  // namespace

std::optional<Error> write_page(const question::Case& c, const std::string& path) {
  const auto refuse = [](const char* why) { return Error{ErrorCode::Value, why, 0}; };
  const map::Layout* layout = c.reading ? c.reading->layout() : nullptr;
  if (layout == nullptr) return refuse("there is no layout to show");
  if (!report::can_explore(*layout)) return refuse("the page's numbers are exact only up to 2^53");
  report::Explored explored;
  explored.sides.push_back({layout, c.layout, c.tensor, c.reading->device_bits});
  const auto refuted =
      std::ranges::find_if(c.answers, [](const auto& answer) { return refutation_of(answer) != nullptr; });
  if (refuted != c.answers.end()) {
    add_marks(refutation_of(*refuted)->counterexample, *layout, explored);
    const auto& other = refuted->other;
    if (other && !refuted->law && other->logical() == layout->logical() && report::can_explore(*other))
      explored.sides.push_back({&*other, "the second layout", c.tensor, c.reading->device_bits});
  }
  explored.verdicts = report::to_text(c, {});
  explored.notes = c.reading->notes;
  return write_whole(path, report::explorer_to_html(explored));
}

}  // namespace vl::cli
