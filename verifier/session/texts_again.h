// The texts of a certificate, read again: whether they still say its statement. The checker takes texts for names; a
// person reads them.
#pragma once

#include <string>

#include "verifier/checker/certificate.h"

namespace vl::session {

struct TextsAgain {
  enum class Word { Same, Different, NotRead };
  Word word = Word::Same;
  std::string why = {};
};

/// Reads the layout for the tensor, binds the claim's arguments, and compares what they state. Nests and
/// divisions that stand in no text are taken in numbers from the statement. NotRead: operands, and hardware files.
/// Example: in a certificate of [64, 1] a layout text with [65, 1] is Different, whatever its digest.
[[nodiscard]] TextsAgain read_texts_again(const checker::Statement& said);

}  // namespace vl::session
