// Operations of which it is known that they read elements and write elements, and no more: convolutions, pools,
// gathers, scatters, caches. Both dialects define them on tensors without padding. That no lowering lets padding of an
// operand in is taken for granted, and the answer says so. Sources: tt-mlir at 19c86fca,
// include/ttmlir/Dialect/TTIR/IR/TTIROps.td; openxla/stablehlo at 3c9301c1, docs/spec.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/program/translator.h"

namespace vl::program {
namespace {

constexpr std::string_view kDevices = "each device runs this function, on tensors of the same shapes";

// Whether what a region does with numbers keeps which of them are equal.
bool is_arithmetic(const mlir::Region& region) {
  constexpr std::array<std::string_view, 6> kArithmetic{"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                                        "stablehlo.minimum", "stablehlo.subtract", "stablehlo.return"};
  return std::ranges::all_of(region.operations, [&](const mlir::Operation& operation) {
    return std::ranges::find(kArithmetic, operation.name) != kArithmetic.end();
  });
}

// Whether a tensor in these regions has an encoding, which may be a layout with padding.
bool has_encodings(const std::vector<mlir::Region>& regions) {
  const auto encoded = [](std::string_view type) { return type.find('#') != std::string_view::npos; };
  return std::ranges::any_of(regions, [&](const mlir::Region& region) {
    return std::ranges::any_of(region.operations, [&](const mlir::Operation& operation) {
      return std::ranges::any_of(operation.outputs, encoded) || has_encodings(operation.regions);
    });
  });
}

}  // namespace

bool Translator::is_of_elements(std::string_view attribute) {
  // clang-format off
  constexpr std::array kKeys = std::to_array<std::string_view>({
      "stride", "padding", "output_padding", "padding_mode", "dilation", "groups", "batch_dim", "depth_dim",
      "height_dim", "width_dim", "channel_dim", "kernel", "ceil_mode", "count_include_pad", "scale_factor", "mode",
      "dim", "begin", "length", "step", "batch_offset", "share_cache", "scatter_reduce_type", "dimension_numbers",
      "slice_sizes", "indices_are_sorted", "unique_indices", "scatter_dimension_numbers", "window_strides",
      "window_dimensions", "base_dilations", "window_dilations", "window_reversal", "lhs_dilation", "rhs_dilation",
      "batch_group_count", "feature_group_count", "dimension", "is_stable", "num_heads", "num_kv_heads",
      "transpose_key", "size",
      "low", "high", "seed", "channel_last", "flattened_compat_info", "in_channels", "out_channels", "channels",
      "batch_size", "input_depth", "input_height", "input_width", "kernel_size", "conv2d_config", "conv3d_config",
      "conv2d_slice_config", "input_memory_config", "input_tensor_layout", "weights_format", "has_bias", "input_dtype",
      "mirror_kernel", "applied_shard_scheme", "reallocate_halo_output", "config_tensors_in_dram", "in_place_halo",
      "lhs_dilations", "rhs_dilations", "all_gather_dim", "scatter_dim", "scatter_dimension", "cluster_axis",
      "reduce_type", "shard_dims", "shard_direction", "shard_shape", "shard_type", "source_target_pairs",
      "replica_groups", "channel_handle", "use_global_device_ids", "split_dim", "concat_dim", "split_count",
      "split_dimension", "concat_dimension", "channel_id", "num_links", "topology"});
  // clang-format on
  return std::ranges::find(kKeys, attribute) != kKeys.end();
}

// The words of rows: `numbers` adds, multiplies, compares or moves numbers; `elements` may look at their bits;
// `indexed` moves numbers to places that integers say; `devices` is between devices, each of which runs this function.
bool Translator::elements(const mlir::Operation& operation, std::string_view word, const Operands& operands,
                          Value& out) {
  std::set<std::string> read, defined;
  add_read(operation, read, defined);
  if (!operation.regions.empty() && !is_pure(operation, true)) return fail("its region does more than to compute");
  for (const std::string& name : read)
    if (word != "control" && !defined.contains(name) &&
        std::ranges::find(operation.operands, name) == operation.operands.end())
      return fail("its region reads what it is not given");
  const bool places = std::ranges::all_of(operands, [&](const Value* operand) {
    return !is_float(*operand) || (operand->type == out.type && operands.size() > 1);
  });
  const bool integers = std::ranges::any_of(operands, [](const Value* operand) { return !is_float(*operand); });
  const bool devices = word == "devices";
  const bool numbers = (word == "numbers" || devices || (word == "indexed" && places && integers)) &&
                       std::ranges::all_of(operation.regions, is_arithmetic);
  std::string words = fmt::format("unknown {} \"{}\"", numbers ? "numbers" : "elements", operation.name);
  for (const Value* operand : operands) words += " " + operand->name;
  std::vector<Value> results{std::move(out)};
  for (std::size_t i = 1; i < operation.results.size(); ++i) {
    auto value = value_of(operation.outputs[i]);
    if (!value) return fail(fmt::format("its type {} is not one of programs", operation.outputs[i].substr(0, 80)));
    results.push_back(std::move(*value));
  }
  if (devices && std::ranges::find(out_.notes, kDevices) == out_.notes.end()) out_.notes.emplace_back(kDevices);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string type = type_in_words(results[i]);
    define(operation.results[i], std::move(results[i]), fmt::format("{} -> {}", words, type));
  }
  return true;
}

// Without padding an operation can read nothing but elements, whatever it does.
bool Translator::whole(const mlir::Operation& operation, const Operands& operands, Value& out) {
  for (const Value* operand : operands)
    for (std::size_t i = 0; i < operand->shape.size(); ++i)
      if (operand->shape[i] % operand->granules[i] != 0) return fail("its operands have padding, which it may read");
  return elements(operation, "elements", operands, out);
}

// Where tensors have no padding, regions compute elements from those that they are given and those that they name.
bool Translator::control(const mlir::Operation& operation, Operands operands, Value& out) {
  const auto& tile = tile_ ? *tile_ : options_.tile;
  if (std::ranges::any_of(tile, [](Index granule) { return granule > 1; }) || has_encodings(operation.regions))
    return fail("tensors in its regions may have padding");
  if (!is_pure(operation, true)) return fail("its region does more than to compute");
  std::set<std::string> read, defined;
  add_read(operation, read, defined);
  for (const std::string& name : read) {
    if (defined.contains(name) || std::ranges::find(operation.operands, name) != operation.operands.end()) continue;
    const Value* value = find(name);
    if (value == nullptr) return fail(fmt::format("its region reads {}, which programs do not have", name));
    operands.push_back(value);
  }
  return elements(operation, "control", operands, out);
}

// The first operand is written over. A row of tiles is written whole: what is behind the elements of the input would be
// elements of the cache.
bool Translator::cache(const mlir::Operation& operation, const Row& row) {
  if (std::string why = unfamiliar(operation, row.form); !why.empty()) return fail(std::move(why));
  Operands operands;
  for (const std::string& name : operation.operands) {
    const Value* operand = find(name);
    if (operand == nullptr) return fail(fmt::format("its operand {} has a type that programs do not have", name));
    operands.push_back(operand);
  }
  if (operands.size() < 2 || !operation.results.empty()) return fail("its operands are not known");
  const Value written = *operands[0], &input = *operands[1];
  const std::size_t rank = input.shape.size();
  if (written.type != input.type || written.shape.size() != rank || rank < 2) return fail("its operands do not fit");
  if (row.word == "filled" && input.shape[rank - 2] % input.granules[rank - 2] != 0)
    return fail("the rows of its input have padding, which may be written into the cache");
  std::string words = fmt::format("unknown numbers \"{}\"", operation.name);
  for (const Value* operand : operands) words += " " + operand->name;
  const bool places = std::all_of(operands.begin() + 2, operands.end(), [](const Value* at) { return !is_float(*at); });
  if (!places) return fail("its places are no integers");
  const std::string& name = operation.operands[0];
  Value made = written;
  made.number.clear(), made.counts = -1;
  define(name, std::move(made), fmt::format("{} -> {}", words, type_in_words(written)));
  write_over(written.name, values_[name]);
  return true;
}

}  // namespace vl::program
