// Certificates in files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verifier/checker/certificate.h"

namespace vl::checker {

/// What the texts of a statement, read again, say about it.
struct Texts {
  enum class Word { Same, Different, NotRead };
  Word word = Word::NotRead;
  std::string why = "the texts are names here; verify-layout cert reads them again";
};
using ReadTexts = std::function<Texts(const Statement&)>;

/// Prints a line a file: what an accepted certificate says (claim, layout, tensor, arguments, value), or why another
/// one is rejected or cannot be read. Without `read_texts`, texts are names. 0 when all are accepted, 10 when one is
/// rejected, 2 when one is unreadable (which is worse).
int check_files(const std::vector<std::string>& paths, const ReadTexts& read_texts = nullptr);

}  // namespace vl::checker
