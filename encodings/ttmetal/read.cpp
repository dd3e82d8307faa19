// A text read: the spec of a tensor as a layout, with its rules and what a reader has to know.
#include <fmt/format.h>

#include "encodings/ttmetal/place.h"
#include "encodings/use/chip.h"
#include "encodings/use/shards.h"

namespace vl::ttmetal {
namespace {

constexpr std::string_view kRule = "D: each dimension is rounded up while it is joined; pages and shards go round";

// 0 for a block format, of which an element has no bits of its own.
int device_bits(const Spec& spec, map::ElementType of) {
  if (spec.dtype.ends_with("_b")) return 0;
  if (const auto type = map::element_type_of(spec.dtype)) return map::bits(*type);
  const bool block = of == map::ElementType::Bfp8 || of == map::ElementType::Bfp4;
  return spec.dtype.empty() && !block ? map::bits(of) : 0;
}

std::vector<std::string> warnings_of(const Spec& spec) {
  std::vector<std::string> out;
  if (spec.dtype.ends_with("_b"))
    out.push_back(
        fmt::format("{} is a block format: 16 elements share an exponent that lies apart from them, so a place "
                    "counts elements and not bytes",
                    spec.dtype));
  if (spec.shard && spec.shard->physical)
    out.emplace_back("ShardMode::LOGICAL is of versions before mid-2025: the runtime of today pads no single shards");
  if (spec.shard && spec.buffer == "DRAM")
    out.emplace_back("in DRAM the cores of a shard grid are banks: x is the bank");
  return out;
}

// A spec without a type is one of the tensor's.
std::string values_of(const Spec& spec, map::ElementType of) {
  if (spec.dtype == "bfloat8_b") return "bfp8";
  if (spec.dtype == "bfloat4_b") return "bfp4";
  const auto type = spec.dtype.empty() ? of : map::element_type_of(spec.dtype);
  return type ? std::string(map::name(*type)) : std::string();
}

void add_chip_rules(const Takers& takers, std::span<const map::Extent> box, std::vector<use::Rule>& rules) {
  for (const map::Extent& extent : box) {
    const bool rows = extent.axis == "y";
    const Index have = rows ? takers.rows : takers.columns;
    rules.push_back(
        {fmt::format("the cores are within the {} {} of the chip", extent.extent, rows ? "rows" : "columns"), have,
         std::min(have, extent.extent)});
  }
}

constexpr std::string_view kNoLayout =
    "the text does not say whether the tensor is in TILE or ROW_MAJOR layout: write 'layout=TILE: ' in front of it";

}  // namespace

std::string why_undecidable(const Parsed& parsed) {
  return parsed.unknown.empty() && !parsed.spec.tiled ? std::string(kNoLayout) : parsed.unknown;
}

std::optional<Error> take_banks(std::span<const map::Extent> box, Spec& spec) {
  for (const map::Extent& extent : box)
    if (extent.axis == "bank" && spec.memory == Memory::Interleaved) {
      if (spec.banks && *spec.banks != extent.extent)
        return Error{ErrorCode::Box,
                     fmt::format("the box declares {} banks; the text says {}", extent.extent, *spec.banks)};
      spec.banks = extent.extent;
    }
  return std::nullopt;
}

std::optional<use::BlockTile> block_tile_of(const Spec& spec, map::ElementType of) {
  const std::string values = values_of(spec, of);
  const int bits = values == "bfp8" ? 8 : values == "bfp4" ? 4 : 0;
  const Tile& tile = spec.tile;
  if (bits == 0 || !spec.tiled || !*spec.tiled) return std::nullopt;
  const auto elements = checked_mul(tile.height, tile.width);
  if (!elements || !checked_mul(*elements, bits) || tile.face_width < 1) return std::nullopt;
  const Index rows = ceil_div(*elements, tile.face_width);  // of all faces
  return use::BlockTile{*elements, ceil_div(rows, use::kExponentBytes) * use::kExponentBytes, bits};
}

namespace {

// As kMemorySpaces calls them.
std::string space_of(const Spec& spec) {
  if (spec.buffer == "L1") return "l1";
  if (spec.buffer == "DRAM") return "dram";
  if (spec.buffer == "L1_SMALL") return "l1_small";
  return spec.buffer == "TRACE" ? "trace" : spec.buffer == "SYSTEM_MEMORY" ? "system" : "";
}

}  // namespace

void describe(const Spec& spec, map::ElementType of, use::Reading& reading) {
  reading.warnings = warnings_of(spec);
  reading.device_bits = device_bits(spec, of);
  reading.rule = kRule;
  reading.values = values_of(spec, of);
  reading.space = space_of(spec);
  if (reading.space == "dram" || reading.space == "l1") reading.memory = reading.space;
  reading.block_tile = block_tile_of(spec, of);
  if (spec.memory != Memory::Interleaved) return;
  reading.chips.nowhere = "its pages go round banks, and the cores of these the text does not say";
  reading.chips.alike = fmt::format("banks of {}", spec.buffer);
}

Result<use::Reading> read(std::string_view text, const map::Tensor& tensor) {
  const auto parsed = parse(text);
  if (!parsed) return parsed.error();
  return read(*parsed, tensor);
}

Result<use::Reading> read(const Parsed& parsed, const map::Tensor& tensor) {
  Spec spec = parsed.spec;
  if (auto wrong = take_banks(tensor.box, spec)) return std::move(*wrong);
  if (spec.shard)
    if (const auto cores = use::cores_of(spec.shard->grid, spec.shard->by_column); !cores) return cores.error();
  std::string why = why_undecidable(parsed);
  Placed placed;
  if (why.empty()) {
    placed = place(spec, tensor.size);
    why = placed.undecidable;
  }
  use::Reading reading{
      use::Undecidable{why}, std::move(placed.rules), parsed.unknown.empty() ? print(spec) : parsed.text, {}, 0, {}};
  describe(spec, tensor.type, reading);
  if (!why.empty()) {
    if (const auto strides = map::host_strides(tensor); !strides) return strides.error();
    if (const auto logical = map::Space::create(map::Space::dims("x", tensor.size)); !logical) return logical.error();
    return reading;
  }
  if (placed.placement && !placed.placement->tiled)
    reading.unsized = use::unsized_rows(placed.placement->cells.back(), reading.device_bits);
  if (!reading.unsized.empty()) reading.page = placed.placement->cells.back();
  auto layout = lower(placed, tensor);
  if (!layout) return layout.error();
  reading.what = std::move(*layout);
  auto named = lower_on_named_cores(placed, tensor);
  if (!named) return named.error();
  reading.named_cores = std::move(*named);
  if (placed.placement && !placed.placement->takers.banks)
    add_chip_rules(placed.placement->takers, tensor.box, reading.rules);
  return reading;
}

}  // namespace vl::ttmetal
