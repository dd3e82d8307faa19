// A text read: which rule it is read by, and the warnings for the reader of an answer.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmlir/place.h"
#include "encodings/ttmlir/rule_text.h"
#include "encodings/use/chip.h"

namespace vl::ttmlir {
namespace {

// Wormhole's, the smaller one.
constexpr Index kBytesOfL1 = 1'499'136;

// Sixteen numbers of a block format share an exponent of 8 bits, which is stored in front of the tile's numbers.
bool is_block_format(std::string_view type) { return type.starts_with("bfp"); }

void add_memory_warnings(const Cells& cells, std::string_view space, std::span<const Index> shard,
                         std::vector<std::string>& out) {
  const auto count = checked_product(shard);
  const auto area = cells.tile ? checked_mul(cells.tile->height, cells.tile->width) : std::optional<Index>(1);
  const auto elements = count && area ? checked_mul(*count, *area) : std::nullopt;
  const auto bits = elements ? checked_mul(*elements, device_bits(cells)) : std::nullopt;
  if (space == "l1" && bits && *bits / 8 > kBytesOfL1)
    out.push_back(fmt::format("a shard takes {} bytes; the L1 of one core of Wormhole has {}", *bits / 8, kBytesOfL1));
}

// The tensor type that stands around a layout of rule A or C says the logical shape too.
void add_type_rules(const Parsed& parsed, const map::Tensor& tensor, std::vector<use::Rule>& rules) {
  if (!parsed.of || rule_of(parsed) == 'B') return;
  const std::vector<Index>& own = parsed.of->shape;
  rules.push_back({"the tensor type in the text has as many dimensions as the tensor", static_cast<Index>(own.size()),
                   static_cast<Index>(tensor.size.size()), true});
  for (std::size_t d = 0; own.size() == tensor.size.size() && d < own.size(); ++d)
    rules.push_back(
        {fmt::format("dimension {} of the tensor type in the text is the tensor's", d), own[d], tensor.size[d], true});
}

constexpr std::string_view kNotLinear =
    "the map has floordiv, mod or a product of dimensions; only sums of multiples are encoded";

bool starts_below_0(const AffineMap& map) {
  return std::ranges::any_of(map.results, [](const map::Row& row) { return row.constant < 0; });
}

// The same fields under the other rule.
TtnnLayout as_ttnn(const MapLayout& layout) {
  return {layout.linear, layout.grid, layout.shard, layout.space, layout.memory_layout, {}, std::nullopt};
}
MapLayout as_metal(const TtnnLayout& layout) {
  return {"ttcore.metal_layout", layout.linear, "undef", layout.grid, layout.shard, layout.space, layout.memory_layout};
}

// The text with the fields of the rule that it is read by, where that is another one than its own.
Parsed by_its_rule(const Parsed& parsed) {
  const auto* metal = std::get_if<MapLayout>(&parsed.layout);
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  if (parsed.rule && metal != nullptr) return {as_ttnn(*metal), parsed.of};
  if (parsed.rule && ttnn != nullptr) return {as_metal(*ttnn), parsed.of};
  return parsed;
}

Told tell_by_rule(const Parsed& parsed, const map::Tensor& tensor) {
  if (parsed.rule) return tell_by_rule(by_its_rule(parsed), tensor);
  return std::visit(
      overloaded{
          [&](const MapLayout& layout) -> Told {
            return {place_by_map(layout, tensor), layout.shard, layout.space,
                    std::string(layout.linear.linear ? "" : kNotLinear)};
          },
          [&](const AlignedLayout& layout) -> Told {
            if (!parsed.of)
              return {{},
                      {},
                      layout.space,
                      "the text names no device shape: expected tensor<GRIDxSHARDx…, #ttcore.metal_layout<…>>"};
            Told told{place_by_alignment(layout, *parsed.of, tensor), *parsed.of, layout.space, {}};
            told.cells.shape = told.ruled.cells;
            return told;
          },
          [&](const BufferLayout&) -> Told {
            return {{}, {}, {}, "a device buffer has no rule of its cores: its strides say where elements lie"};
          },
          [&](const GridLayout&) -> Told {
            return {{}, {}, {}, "a device map says where cores are, and no element"};
          },
          [&](const MemoryMap&) -> Told {
            return {{}, {}, {}, "a map of memories says where bytes of shards are, and no element"};
          },
          [&](const TtnnLayout& layout) -> Told {
            Told told{place_by_ttnn(layout, tensor), layout.shard, layout.space,
                      std::string(layout.linear.linear ? "" : kNotLinear)};
            if (!told.ruled.dealt.empty() && told.ruled.placement && starts_below_0(layout.linear))
              told.undecidable = "interleaved in L1 by a map with a negative constant: no tile has such a number";
            if (!told.ruled.dealt.empty() && !layout.shard.tile && told.ruled.placement)
              told.undecidable =
                  "interleaved in L1 without tiles: the compiler states the size of a shard and no place of an element";
            return told;
          }},
      parsed.layout);
}

}  // namespace

std::string unsized(const Parsed& parsed, const Cells& shard) {
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  if (ttnn == nullptr || shard.tile || ttnn->space.starts_with("system")) return "";
  return use::unsized_rows(shard.shape.empty() ? 1 : shard.shape.back(), device_bits(shard));
}

void tell_memory(const Parsed& parsed, use::Reading& reading) {
  const auto tells = [&](const auto& layout) {
    if constexpr (requires {
                    layout.space;
                    layout.memory_layout;
                  }) {
      reading.space = layout.space.starts_with("system") ? "system" : layout.space;
      if (reading.space == "register_dst") reading.space = "dst";
      const bool dram = layout.space == "dram";
      const bool one_bank = std::holds_alternative<TtnnLayout>(parsed.layout) && !parsed.rule &&
                            layout.memory_layout.ends_with("_sharded");
      if (dram || layout.space == "l1") reading.memory = layout.space;
      else if (layout.space.starts_with("system")) reading.memory = "system";
      if constexpr (requires { layout.oob; }) reading.fill = layout.oob == "undef" ? "" : layout.oob;
      if ((dram && !one_bank) || (rule_of(parsed) == 'B' && layout.memory_layout == "interleaved"))
        reading.spread = "its pages go round the banks, and the text does not say how many there are";
    }
  };
  std::visit(tells, parsed.layout);
}

int device_bits(const Cells& cells) {
  const auto type = map::element_type_of(cells.type);
  return type && !is_block_format(cells.type) ? map::bits(*type) : 0;
}

std::string_view statement_of(char rule) {
  switch (rule) {
    case 'A': return "A: dimensions are joined, divided over the grid, then into tiles";
    case 'B': return "B: dimensions are aligned while they are joined; tile and grid divide them exactly";
    default: return "C: the last two dimensions are rounded up to tiles, then as A";
  }
}

std::string statement_of(const Parsed& parsed) {
  const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
  const bool legacy = ttnn != nullptr && !parsed.rule && is_legacy(*ttnn);
  return std::string(statement_of(rule_of(parsed))) +
         (legacy ? "; a 2-D grid of height- or width-sharded shards is read as in older IR (getLegacyGrid), where the "
                   "builder has one column or one row"
                 : "");
}

void add_steady_warnings(const Parsed& parsed, const Cells& cells, std::vector<std::string>& out) {
  if (const auto* aligned = std::get_if<AlignedLayout>(&parsed.layout); aligned != nullptr && parsed.of) {
    if (aligned->view_of && *aligned->view_of != "map(0)")
      out.emplace_back("index_map makes this a view: places are those of the view's own device shape");
    if (aligned->memory_layout == "interleaved")
      out.emplace_back("interleaved: places are those of the device shape, in front of the banks");
  }
  if (is_block_format(cells.type))
    out.push_back(
        fmt::format("{} is a block format: 16 elements share an exponent that lies apart from them, so a "
                    "place counts elements and not bytes",
                    cells.type));
}

Told tell(const Parsed& parsed, const map::Tensor& tensor) {
  Told told = tell_by_rule(parsed, tensor);
  if (told.ruled.placement) {
    const std::string why = wrong_cores(by_its_rule(parsed), told, told.ruled.rules);
    if (told.undecidable.empty()) told.undecidable = told.ruled.nowhere.empty() ? why : told.ruled.nowhere;
  }
  if (told.undecidable.empty() && !told.ruled.placement && !told.ruled.overflows)
    told.undecidable = why_nowhere(told.ruled.rules);
  return told;
}

namespace {
// Box, where it declares anything but y and x.
std::optional<Error> wrong_box(const map::Tensor& tensor) {
  for (const map::Extent& extent : tensor.box)
    if (extent.axis != "y" && extent.axis != "x")
      return Error{ErrorCode::Box,
                   fmt::format("the box declares '{}'; of a layout of tt-mlir it declares the rows and columns of the "
                               "chip's cores, as y=8, x=8",
                               extent.axis),
                   0};
  return std::nullopt;
}
}  // namespace

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  const auto parsed = parse(text);
  if (const std::string name = parsed ? std::string() : first_name(text); !name.empty())
    return use::Reading{
        use::Undecidable{fmt::format("'{}' is a name, not a number: its layouts are those of a rule", name)},
        {},
        std::string(text),
        {},
        0,
        {}};
  if (!parsed) return parsed.error();
  return read(*parsed, tensor);
}

Result<use::Reading> read(const Parsed& parsed, const map::Tensor& tensor) {
  if (const auto* buffer = std::get_if<BufferLayout>(&parsed.layout)) {
    auto reading = read_buffer(*buffer, tensor);
    if (reading) reading->chips = tell_chips(parsed, {}, *reading, tensor);
    return reading;
  }
  if (const auto* grid = std::get_if<GridLayout>(&parsed.layout)) return read_grid(*grid, tensor);
  if (const auto* memories = std::get_if<MemoryMap>(&parsed.layout)) return read_memory_map(*memories, tensor);
  if (auto wrong = wrong_box(tensor)) return std::move(*wrong);
  Told told = tell(parsed, tensor);
  add_type_rules(parsed, tensor, told.ruled.rules);
  add_steady_warnings(parsed, told.cells, told.ruled.warnings);
  add_memory_warnings(told.cells, told.space, told.ruled.cells, told.ruled.warnings);
  use::Reading reading{use::Undecidable{told.undecidable},
                       std::move(told.ruled.rules),
                       print(parsed),
                       std::move(told.ruled.warnings),
                       device_bits(told.cells),
                       {},
                       {},
                       statement_of(parsed)};
  if (const auto type = map::element_type_of(told.cells.type)) reading.values = map::name(*type);
  const Cells shard{told.ruled.cells, told.cells.tile, told.cells.type};
  reading.unsized = unsized(parsed, shard);
  if (!reading.unsized.empty()) reading.page = shard.shape.empty() ? 1 : shard.shape.back();
  reading.block_tile = block_tile_of(told.cells);
  reading.in_turn = !told.ruled.dealt.empty();
  tell_memory(parsed, reading);
  if (!told.undecidable.empty()) {
    if (const auto strides = map::host_strides(tensor); !strides) return strides.error();
    if (const auto logical = map::Space::create(map::Space::dims("x", tensor.size)); !logical) return logical.error();
    return reading;
  }
  auto layout = lower(told.ruled, tensor);
  if (!layout) return layout.error();
  reading.what = std::move(*layout);
  reading.chips = tell_chips(by_its_rule(parsed), told, reading, tensor);
  add_chip_rules(by_its_rule(parsed), told, reading, tensor, reading.rules);
  if (const auto* ttnn = std::get_if<TtnnLayout>(&parsed.layout);
      ttnn != nullptr && !parsed.rule && needs_core_ranges(*ttnn))
    reading.rules.push_back({std::string(kNamesCores), 0, 1});
  return reading;
}

}  // namespace vl::ttmlir
