// Targets by their names: the files of corpus/targets, compiled in, or a file of one's own.
#pragma once

#include <variant>

#include "encodings/use/target.h"
#include "verifier/session/source_text.h"
#include "verifier/session/toml_document.h"

namespace vl::session {

/// Whether a document is a target, and no case file.
[[nodiscard]] bool is_target(const toml::table& root);
/// Reads one. What is wrong with it is an error of `in`.
[[nodiscard]] use::Target target_of(TomlDocument& in, const toml::table& root);

[[nodiscard]] std::vector<std::string> target_names();

/// "tma-sm_90", or the path of a file. The diagnostic points at the name, or into the file.
[[nodiscard]] std::variant<use::Target, Diagnostic> read_target(const SourceText& name);

/// Those of corpus/targets that are about descriptors of that kind, in the order of their names.
[[nodiscard]] std::vector<const use::Target*> targets_for(std::string_view kind);

}  // namespace vl::session
