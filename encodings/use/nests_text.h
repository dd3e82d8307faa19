// The text of loop nests: the parts that all forms share, and the log of a family's own runtime.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/json_cursor.h"
#include "encodings/use/transfer.h"

namespace vl::use {

/// The log in which a family's runtime prints a transfer.
struct NestsLog {
  std::string_view name;       // "dci", for `nests --format`
  std::string_view described;  // for an error that lists all forms
  bool (*recognises)(std::string_view text);
  /// `expected`: the direction that the text may not contradict. Errors: those of nest_of, Syntax, Overflow.
  Result<Transfer> (*read)(std::string_view text, std::optional<Direction> expected);
  /// Host and device sizes are outermost first, as everywhere else. Requires: not DeviceToDevice.
  std::string (*print)(const Transfer& transfer, std::span<const Index> host_size, std::span<const Index> device_size);
};

/// The value of one field of a nest, and its place in the text. An offset is a list of one number.
struct NestField {
  std::vector<Index> values;
  std::size_t at = 0;
};

/// extents; host_strides, device_strides, host_offset, device_offset; from_strides, to_strides, from_offset,
/// to_offset.
constexpr std::array<std::string_view, 9> kNestFields = {"extents",     "host_strides",  "device_strides",
                                                         "host_offset", "device_offset", "from_strides",
                                                         "to_strides",  "from_offset",   "to_offset"};
using NestFields = std::array<std::optional<NestField>, kNestFields.size()>;

[[nodiscard]] bool is_offset(std::string_view field);

constexpr std::size_t kMostNests = 65536;
constexpr std::size_t kMostLoops = 256;

/// The nest with these fields, which the user calls `names`; it starts at `at`. Errors, each at its place: a field that
/// the direction needs is missing, a field belongs to the other kind of transfer, the lengths differ, an extent is
/// negative, more than kMostLoops loops.
[[nodiscard]] Result<Nest> nest_of(const NestFields& fields, Direction direction, std::size_t at,
                                   std::span<const std::string_view> names = kNestFields);

/// Takes the value of a nest's field: an integer for an offset, else a list of integers, of `extents` not negative.
[[nodiscard]] NestField take_field(JsonCursor& json, std::string_view name, bool extents);

}  // namespace vl::use
