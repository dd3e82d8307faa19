// Gitignore: which paths the .gitignore files of a folder name, as git reads them (git-scm.com/docs/gitignore).
//
// A pattern with a slash at its beginning or in its middle is anchored at its file's folder; any other matches a name
// at any depth. `*` and `?` stop at a slash; `**` as a whole part of the path stands for any number of folders; a slash
// at the end means folders only; `!` takes back what an earlier pattern ignores. The last pattern that matches decides.
// A path beneath an ignored folder is ignored whatever matches it, so a walk never enters such a folder.
//
// Example: with the patterns `*.log`, `!keep.log`, `/out/`: `a/b.log` is ignored, `a/keep.log` is not, the folder `out`
// is, and `a/out` is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vl::session {

class Gitignore {
 public:
  /// Any text is a .gitignore: a line that no path matches is no error.
  static Gitignore parse(std::string_view text);

  /// What the last matching pattern says of a path: ignored, or taken back; nothing where none matches. The path is
  /// relative to the file's folder, with '/' between its parts. Costs path length times pattern length for each
  /// pattern at most.
  [[nodiscard]] std::optional<bool> ignores(std::string_view path, bool is_folder) const;

 private:
  struct Pattern {
    std::vector<std::string> parts;  // between slashes; "**" stands for any number of folders
    bool anchored = false;           // else it matches the last part of a path alone
    bool folders_only = false;
    bool takes_back = false;
  };
  static std::optional<Pattern> pattern_of(std::string_view line);
  static bool matches(const Pattern& pattern, const std::vector<std::string_view>& parts);

  std::vector<Pattern> patterns_;
};

/// Whether a name without slashes is one of a pattern's part: `*`, `?`, `[a-z]`, `[!0-9]`, `[[:alpha:]]`, `\` before a
/// sign that stands for itself. Bytes are compared. A class that does not close matches nothing.
[[nodiscard]] bool matches_part(std::string_view pattern, std::string_view name);

}  // namespace vl::session
