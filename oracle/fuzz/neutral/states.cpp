#include "oracle/fuzz/neutral/states.h"

#include <fmt/format.h>

#include "encodings/values/state.h"
#include "verifier/neutral/row_states.h"

namespace vl::oracle {
namespace {

bool is_truth(const neutral::Question& question) {
  return question.operation == neutral::Operation::Any || question.operation == neutral::Operation::All;
}

// Truth values are 0 and 1 of any integer.
const Format& format_of_states(const neutral::Question& question) {
  return is_truth(question) ? *values::find_format("u8") : question.type;
}

bool is_reduced(const ops::Task& task, std::size_t d) { return task.result().scales[d] < 0; }

// The row of a result in the padding: every index that it reads is beyond some extent.
neutral::RowOfSets row_of_pads(const NeutralQuestion& asked, const ops::Prepared& image) {
  const ops::Task& task = image.task();
  neutral::RowOfSets out;
  for (std::size_t d = 0; d < task.dims.size(); ++d) {
    if (!is_reduced(task, d)) continue;
    out.extents.push_back(task.dims[d].extent), out.whole.push_back(task.dims[d].padded);
  }
  for (std::size_t part = 0; part < std::size_t{1} << out.whole.size(); ++part) {
    auto& sets = out.parts.emplace_back();
    if (*out.count(part) == 0) continue;
    for (std::size_t i = 0; i + 1 < task.operands.size(); ++i) {
      const CodeSet& fill = i == 0 ? asked.fill : *asked.second;
      sets.push_back(image.aliases(i) > 0 ? fill.united(asked.question.contents) : fill);
    }
  }
  return out;
}

}  // namespace

NeutralStates states_of(const NeutralQuestion& asked, const ops::Prepared& image) {
  NeutralStates out;
  const ops::Task& task = image.task();
  constexpr std::size_t kMostDims = 6;
  std::uint64_t padded = 0, reduced = 0;
  for (std::size_t d = 0; d < task.dims.size(); ++d) {
    if (is_reduced(task, d)) ++reduced;
    else if (task.dims[d].padded > task.dims[d].extent) padded |= std::uint64_t{1} << d;
  }
  if (!(asked.question.mode == values::Mode{}) || reduced > kMostDims || task.dims.size() > 2 * kMostDims) return out;
  // Whatever is beyond in some dimension that the operands have is a pad: all regions have one set.
  const neutral::RowOfSets row = row_of_pads(asked, image);
  const CodeSet all = neutral::image_of_results(asked.question, format_of_states(asked.question), row, 0);
  for (std::uint64_t region = padded; region != 0; region = (region - 1) & padded) out.regions[region] = all;
  return out;
}

std::optional<Mismatch> wrong_state(const NeutralQuestion& asked, const ops::Prepared& image,
                                    const NeutralStates& states, const std::vector<Code>& stored,
                                    std::uint64_t& compared) {
  if (states.regions.empty()) return std::nullopt;
  const neutral::Question& question = asked.question;
  const ops::Task& task = image.task();
  const map::Space& box = task.result().places.logical();
  const Format& type = format_of_states(question);
  const auto& slots = image.slots_of(task.operands.size() - 1);
  for (std::size_t r = 0; r < slots.size(); ++r) {
    const Point at = box.point(static_cast<Index>(r));
    std::uint64_t region = 0;
    for (std::size_t d = 0; d < task.dims.size(); ++d)
      if (!is_reduced(task, d))
        region |= std::uint64_t{at[static_cast<std::size_t>(task.result().scales[d])] >= task.dims[d].extent} << d;
    if (region == 0) continue;
    const Code code = stored[static_cast<std::size_t>(slots[r])];
    const Code got = is_truth(question)            ? Code{code != 0}
                     : type == question.accumulate ? code
                                                   : values::convert(question.accumulate, type, code);
    const CodeSet possible = values::is_nan(type, got) ? values::nans(type) : CodeSet::of(got);
    ++compared;
    if (states.regions.at(region).intersected(possible).empty())
      return Mismatch{"state",
                      fmt::format("index {} of the result's padding holds {}, which is in no set of its region", r,
                                  values::in_digits(type, got))};
  }
  return std::nullopt;
}

}  // namespace vl::oracle
