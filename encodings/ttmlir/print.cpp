#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

std::string space_of(std::string_view space, std::string_view attribute) {
  if (space.empty()) return "";
  return space.starts_with('#') ? fmt::format(", {}", space) : fmt::format(", #{}<{}>", attribute, space);
}

std::string attribute(const MapLayout& layout) {
  const std::string dialect = layout.name.substr(0, layout.name.find('.'));
  const std::string memref = print(layout.shard, dialect) + space_of(layout.space, dialect + ".memory_space");
  return fmt::format("#{}<{}, {}, {}, memref<{}>{}{}>", layout.name, print(layout.linear), layout.oob,
                     print(layout.grid), memref, layout.memory_layout.empty() ? "" : ", ", layout.memory_layout);
}

std::string attribute(const AlignedLayout& layout) {
  std::string intervals;
  for (const auto& [begin, end] : layout.intervals)
    intervals += fmt::format("{}[{}, {}]", intervals.empty() ? "" : ", ", begin, end);
  std::string out = fmt::format(
      "#ttcore.metal_layout<logical_shape = {}, dim_alignments = {}, collapsed_intervals = dense<{}> : "
      "tensor<{}x2xi64>",
      print_sizes(layout.logical_shape), print_sizes(layout.alignments),
      intervals.empty() ? "" : fmt::format("[{}]", intervals), layout.intervals.size());
  for (const std::string& word : {layout.oob, layout.space, layout.memory_layout})
    if (!word.empty()) out += ", " + word;
  if (layout.view_of) out += ", index_map = " + *layout.view_of;
  return out + ">";
}

std::string attribute(const TtnnLayout& layout) {
  std::string out = fmt::format("#ttnn.ttnn_layout<{}, {}, memref<{}{}>", print(layout.linear), print(layout.grid),
                                print(layout.shard, "ttcore"), space_of(layout.space, "ttnn.buffer_type"));
  if (!layout.memory_layout.empty()) out += fmt::format(", <{}>", layout.memory_layout);
  for (const std::string& flag : layout.flags) out += ", " + flag;
  if (layout.core_ranges) {
    std::string ranges;
    for (const auto& range : *layout.core_ranges)
      ranges += fmt::format("{}#ttnn.core_range<({},{}), ({},{})>", ranges.empty() ? "" : ", ", range.x0, range.y0,
                            range.x1, range.y1);
    out += fmt::format(", core_ranges = <[{}]>", ranges);
  }
  return out + ">";
}

std::string attribute(const BufferLayout& layout) { return print(layout); }
std::string attribute(const GridLayout& layout) { return print(layout); }
std::string attribute(const MemoryMap& layout) { return print(layout); }

}  // namespace

std::string print(const Parsed& parsed) {
  const std::string text = std::visit([](const auto& layout) { return attribute(layout); }, parsed.layout);
  const std::string rule = parsed.rule ? fmt::format("rule {}: ", *parsed.rule) : "";
  const std::string on = parsed.on ? fmt::format("on {}: ", print(*parsed.on)) : "";
  return rule + on + (parsed.of ? fmt::format("tensor<{}, {}>", print(*parsed.of, "ttcore"), text) : text);
}

}  // namespace vl::ttmlir
