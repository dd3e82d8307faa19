// The files beneath a folder that `check --scan` reads, in one order on every machine: sorted by the bytes of their
// paths.
//
// What a .gitignore names is left out, those of the folders around it included, up to the top of its repository. So is
// `.git`, and whatever is no regular file. Symbolic links are not followed: each file has one path, and a loop ends
// nowhere. What was left out is counted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "encodings/base/source.h"

namespace vl::session {

struct FolderFiles {
  std::vector<std::string> files;  // beneath the folder as it was named: "src/a.py" of "src", "a.py" of "."
  std::size_t ignored = 0;         // files and folders that a .gitignore names
  std::size_t links = 0;           // symbolic links
  std::size_t special = 0;         // pipes, sockets, devices
  std::vector<Diagnostic> errors;  // folders and .gitignore files that cannot be read
};

/// `path` may also be a file: then it is the only one.
[[nodiscard]] FolderFiles files_beneath(const std::string& path);

}  // namespace vl::session
