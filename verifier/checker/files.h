// Certificates in files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verifier/checker/check.h"
#include "verifier/checker/texts.h"

namespace vl::checker {

using ReadTexts = std::function<Texts(const Statement&)>;

struct FileOptions {
  std::vector<std::string> allowed_unread;  // what may stay unread
  bool json = false;                        // a record a file, else a line
  Show show = nullptr;  // of every claim; absent: of relations, and what is about values is unreadable here
};

/// A file has at most 8 MiB: of the corpus' 29,660 certificates the largest has 24 kB. Reading it and checking it have
/// one budget together (work.h). Prints a line or a record a file: what an accepted certificate says (words_of), or why
/// another one is rejected or cannot be read. Without `read_texts` no text is read again. 10 when one is rejected, else
/// 2 when one is unreadable, else 5 when one has a text that was not read again and may not stay so, else 0.
int check_files(const std::vector<std::string>& paths, const ReadTexts& read_texts = nullptr,
                const FileOptions& options = {});

}  // namespace vl::checker
