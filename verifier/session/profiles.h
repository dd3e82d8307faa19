// Profiles: what the files of corpus/hardware, corpus/chips, corpus/arithmetic and corpus/targets have in common. They
// are compiled into the program and known by name; a name with a / or one that ends in .toml is the path of a file.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/words.h"
#include "verifier/session/toml_document.h"

namespace vl::session {

/// One file, compiled in. A source that CMake generates defines the lists.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
[[nodiscard]] std::span<const EmbeddedFile> hardware_files();
[[nodiscard]] std::span<const EmbeddedFile> chip_files();
[[nodiscard]] std::span<const EmbeddedFile> arithmetic_files();
[[nodiscard]] std::span<const EmbeddedFile> target_files();

/// Their names, sorted.
[[nodiscard]] std::vector<std::string> names_of(std::span<const EmbeddedFile> files);

constexpr std::size_t kLargestProfile = std::size_t{1} << 20;

struct Profiles {
  std::string_view what;    // "a chip"
  std::string_view folder;  // of corpus/
  std::span<const EmbeddedFile> files;
};

/// Whether the name of a profile is the path of its file.
[[nodiscard]] bool is_profile_path(std::string_view name);

/// The path that a claim's argument of that key begins with: "mine/chip.toml" of capacity = "mine/chip.toml dram".
/// Empty: it names no file.
[[nodiscard]] std::string_view profile_path(std::string_view key, std::string_view argument);

/// What the file of a profile says, as certificates carry it: its keys sorted, without comments and without its
/// `source`. It reads as the file does, and its own canonical text is itself. Nothing where there is no such file.
[[nodiscard]] std::optional<std::string> canonical_profile(const std::string& path);

/// What is wrong with a file that has no `schema` and is therefore no file of ours, without a word of what it says: a
/// text from elsewhere may name any file of this machine (/proc/self/environ), and whoever wrote the text may read the
/// report.
[[nodiscard]] Diagnostic not_a_profile(const Diagnostic& found, std::string_view what);

/// What `read` makes of a file that is compiled in. It is read once in a process, for many cases may name one profile.
template <class T, class Read>
[[nodiscard]] std::variant<T, Diagnostic> read_once(const EmbeddedFile& file, const Read& read) {
  static std::mutex guard;
  static std::map<const char*, const std::variant<T, Diagnostic>> known;
  {
    const std::scoped_lock lock(guard);
    if (const auto found = known.find(file.name); found != known.end()) return found->second;
  }
  std::variant<T, Diagnostic> out = read();
  const std::scoped_lock lock(guard);
  return known.emplace(file.name, std::move(out)).first->second;
}

/// A profile by its name or its path; `of` reads the document's root. The diagnostic points at `name` and lists all, or
/// into the file.
template <class T>
[[nodiscard]] std::variant<T, Diagnostic> read_profile(const SourceText& name, const Profiles& profiles,
                                                       T (*of)(TomlDocument&, const toml::table&)) {
  const auto parsed = [&](const std::string& file, std::string text) -> std::variant<T, Diagnostic> {
    TomlDocument in(file, std::move(text));
    const toml::table root = in.parse();
    T out;
    if (!in.failed()) out = of(in, root);
    if (!in.failed()) return out;
    Diagnostic wrong = std::move(in.take_errors().front());
    if (!root["schema"].is_integer()) return not_a_profile(wrong, profiles.what);
    return wrong;
  };
  if (name.contents != nullptr) return parsed(name.text, *name.contents);
  if (is_profile_path(name.text)) {
    auto text = read_file(name.text, profiles.what, kLargestProfile);
    if (auto* diagnostic = std::get_if<Diagnostic>(&text)) return std::move(*diagnostic);
    return parsed(name.text, std::get<std::string>(std::move(text)));
  }
  for (const EmbeddedFile& file : profiles.files)
    if (name.text == file.name)
      return read_once<T>(
          file, [&] { return parsed(fmt::format("corpus/{}/{}.toml", profiles.folder, file.name), file.text); });
  return name.diagnose({ErrorCode::Value,
                        fmt::format("'{}' is not {}; {}, or the path of one", name.text, profiles.what,
                                    one_of(name.text, names_of(profiles.files))),
                        0});
}

/// A key that must be there, with a value between two ends, which belong to it. Another value is an error of `in`.
struct Ends {
  Index least, most;
};
Index integer_within(TomlDocument& in, const toml::table& table, std::string_view key, Ends ends,
                     std::string_view what);

}  // namespace vl::session
