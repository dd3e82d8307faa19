// An operation in words: its dimensions, each operand with its stick, and the padding that it reads.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/report/report.h"

namespace vl::report {
namespace {

constexpr std::size_t kMostShown = 6;

std::string ranges_to_text(const use::PaddingNeed& need) {
  std::string out;
  for (std::size_t i = 0; i < std::min(need.ranges.size(), kMostShown); ++i) {
    const auto& [first, count] = need.ranges[i];
    out += fmt::format("{}{}", out.empty() ? "" : ", ",
                       count == 1 ? fmt::format("{}", first) : fmt::format("{}..{}", first, first + count - 1));
  }
  if (need.ranges.size() <= kMostShown && need.complete) return out;
  return fmt::format("{}, … ({}{} ranges)", out, need.complete ? "" : "at least ", need.ranges.size());
}

std::string need_to_text(const OperationView& view, const OperationView::Padding& padding) {
  const use::PaddingNeed& need = padding.need;
  const std::string_view dim = view.dims[need.dim].name;
  const std::string where = fmt::format("operand {} ({}): {} {}..{}", need.operand, view.operands[need.operand].role,
                                        dim, need.from, need.to - 1);
  std::string how;
  switch (need.means) {
    case use::PaddingMeans::Fill: how = "must be filled with"; break;
    case use::PaddingMeans::Mask: how = "is masked to read as"; break;
    case use::PaddingMeans::Hardware: how = "is taken to be read by the hardware as"; break;
  }
  std::string out = fmt::format("      padding of {} {} {}: {}", where, how, padding.value, plural(need.slots, "slot"));
  if (!need.ranges.empty()) out += fmt::format(", device elements {}", ranges_to_text(need));
  if (need.missing > 0)
    out += fmt::format("; {} more have no room: {} must be allocated for {} = {}", need.missing,
                       view.operands[need.operand].role, dim, need.to);
  if (!padding.assumes.empty()) out += fmt::format("\n        if {}", padding.assumes);
  return out + "\n";
}

}  // namespace

std::string to_text(const OperationView& view) {
  std::string dims;
  for (const use::OperationDim& dim : view.dims)
    dims += fmt::format("{}{}={}", dims.empty() ? "" : ", ", dim.name, dim.extent);
  std::string out = fmt::format("      dimensions {}\n", dims.empty() ? "none" : dims);
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    const OperationView::Operand& operand = view.operands[i];
    out += fmt::format("      operand {} ({}) {} scales [{}] stick {}\n        {}\n", i, operand.role, operand.tensor,
                       fmt::join(operand.scales, ", "), operand.stick, operand.layout);
  }
  if (!view.padding) return out;
  if (!view.no_plan.empty()) return out + fmt::format("      no padding plan: {}\n", view.no_plan);
  for (const OperationView::Padding& padding : *view.padding) out += need_to_text(view, padding);
  if (view.padding->empty()) out += "      no padding has to have a value\n";
  return out;
}

}  // namespace vl::report
