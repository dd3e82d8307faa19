// Hardware profiles: TOML in, use::Hardware out. Those of corpus/hardware are compiled into the program.
//
//   schema = 1
//   name = "sm_90"
//   source = "…"                 # free
//   banks = 32
//   bytes_per_bank = 4
//   lanes = 32
//   broadcast = true             # lanes that name one word share it
//   matrices = true              # has ldmatrix and stmatrix
//   [phases]                     # bytes per lane: the number of phases of consecutive lanes, or each phase's lanes
//   4 = 1
//   16 = [[0,1,2,3,4,5,6,7], …]
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "encodings/use/hardware.h"
#include "verifier/session/toml_document.h"

namespace vl::session {

/// Whether a TOML document is a profile and not a case file.
[[nodiscard]] bool is_hardware(const toml::table& root);
/// The profile; unspecified after an error of `in`.
use::Hardware hardware_of(TomlDocument& in, const toml::table& root);

/// A profile by its name ("sm_90"), or from a file if `name` has a / or ends in .toml. The diagnostic points at `name`
/// and lists all profiles.
[[nodiscard]] std::variant<use::Hardware, Diagnostic> read_hardware(const SourceText& name);

/// The names of the profiles that are compiled in, sorted.
[[nodiscard]] std::vector<std::string> hardware_names();

}  // namespace vl::session
