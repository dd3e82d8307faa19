// The host tensor that the text around a layout states: the other arguments of the call around it, as in
// FixedTiledLayout('spyre:0', torch.float16, size=[2, 64], stride=[64, 1], device_layout=SpyreTensorLayout(…)), its
// siblings in YAML (shape, stride, storage_offset, dtype), or size and stride on its line. Sizes and strides may have
// names, as in size=[s0, 100]; those that are defined are their numbers.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/map/rule.h"
#include "encodings/use/scan.h"

namespace vl::spyre {

struct StatedHost {
  std::optional<map::ElementType> type;
  std::vector<map::Expression> size;
  std::optional<std::vector<map::Expression>> strides;
  Index offset = 0;
};

/// Calls whose positional arguments are size and stride, in this order.
inline constexpr std::array<std::string_view, 2> kHostCalls = {"FixedTiledLayout", "spyre_empty_with_layout"};

/// What is stated around the layout text[begin, end). Nothing if no size is stated, or two are and neither is nearer by
/// these rules.
[[nodiscard]] std::optional<StatedHost> stated_host(std::string_view text, std::size_t begin, std::size_t end,
                                                    std::span<const use::Definition> definitions);

/// What a call of kHostCalls states of the layout text[begin, end) among its arguments. It is the layout's tensor also
/// where the layout is a constructor, which has a size and a type of its own.
[[nodiscard]] std::optional<StatedHost> host_of_call(std::string_view text, std::size_t begin, std::size_t end,
                                                     std::span<const use::Definition> definitions);

/// The type of a PyTorch dtype, "torch.float16"; nothing for one that the program does not know.
[[nodiscard]] std::optional<map::ElementType> stated_type(std::string_view dtype);

}  // namespace vl::spyre
