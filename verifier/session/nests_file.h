// Nests that a user gives: as the JSON of report/nests.h, as the runtime logs them, in the compact
// notation, or field by field from a case file. What each form looks like is verifier/report/nests.h. The
// forms are recognised by their first characters; numbers are data to be judged, so only what is no transfer
// at all is refused here.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/source.h"
#include "encodings/use/transfer.h"

namespace vl::session {

class JsonCursor;

/// The value of one field of a nest, an offset being a list of one, and where it stands.
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
constexpr std::size_t kLargestNestsFile = std::size_t{16} << 20;

/// The nest with these fields, called `names` by the user; it starts at `at`. Errors, each at its place: a
/// field that the direction needs is missing, one is of the other kind of transfer, the lengths differ, an
/// extent is negative, more than kMostLoops loops.
[[nodiscard]] Result<use::Nest> nest_of(const NestFields& fields, use::Direction direction, std::size_t at,
                                        std::span<const std::string_view> names = kNestFields);

/// Takes the value of a nest's field: an integer for an offset, else a list of integers, of `extents` not
/// negative.
[[nodiscard]] NestField take_field(JsonCursor& json, std::string_view name, bool extents);

/// The transfer that a text says, in whichever form. `direction` is the one expected: the text may not say
/// another, and one that says none (the compact form) has it, or is h2d. Errors with the offset of what is
/// wrong: Syntax, Shape, Value, Overflow.
[[nodiscard]] Result<use::Transfer> parse_nests(std::string_view text, std::optional<use::Direction> direction = {});

/// The same for a file; "-" is standard input.
[[nodiscard]] std::variant<use::Transfer, Diagnostic> read_nests(const std::string& path);

/// The runtime's log of one DataConversionInfo, or the JSON alone. What it has besides nests (expansion
/// before them, slices after them, gathers) must be empty: it would move elements that no nest says.
[[nodiscard]] Result<use::Transfer> parse_dci(std::string_view text, std::optional<use::Direction> direction);

}  // namespace vl::session
