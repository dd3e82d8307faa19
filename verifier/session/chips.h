// Chips: TOML in, use::Chip out. Those of corpus/chips are compiled into the program.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "encodings/use/chip.h"
#include "verifier/session/toml_document.h"

namespace vl::session {

/// Whether a TOML document is a chip and not a case file.
[[nodiscard]] bool is_chip(const toml::table& root);
/// The chip; unspecified after an error of `in`.
use::Chip chip_of(TomlDocument& in, const toml::table& root);

/// A chip by its name ("wormhole"), or from a file if `name` has a / or ends in .toml. The diagnostic points at `name`
/// and lists all chips.
[[nodiscard]] std::variant<use::Chip, Diagnostic> read_chip(const SourceText& name);

}  // namespace vl::session
