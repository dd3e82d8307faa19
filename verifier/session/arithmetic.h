// Arithmetic profiles: TOML in, values::Profile out. Those of corpus/arithmetic are compiled into the program.
//
//   schema = 1
//   arithmetic = "x86"
//   source = "…"                          # free
//   accumulate = ["element", "f32"]       # each entry of values/profile.h: a value, a list of alternatives, "unknown"
//   fused = false                         # or true, or a text as the others
//   [[function]]                          # a fact: of operands in `of` the result is one of `gives`
//   name = ["exp", "exp2"]                # one function, or several
//   type = "dl16"                         # optional
//   of = "-inf"
//   gives = "+0"
//   source = "…"                          # optional
//
// An entry that is missing is unknown.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "encodings/values/profile.h"
#include "verifier/session/toml_document.h"

namespace vl::session {

/// Whether a TOML document is a profile of an arithmetic and not a case file.
[[nodiscard]] bool is_arithmetic(const toml::table& root);
/// The profile; unspecified after an error of `in`.
values::Profile arithmetic_of(TomlDocument& in, const toml::table& root);

/// A profile by its name ("spyre"), from a file if the first word has a / or ends in .toml, or from entries as text, on
/// top of a profile if one stands before them: "accumulate=f32 start=+0", "spyre accumulate=f32". The diagnostic points
/// into the text; of an unknown name it lists all profiles.
[[nodiscard]] std::variant<values::Profile, Diagnostic> read_arithmetic(const SourceText& text);

}  // namespace vl::session
