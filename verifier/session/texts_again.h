// The texts of a certificate, read again: whether they still say its statement. The checker takes texts for names; a
// person reads them.
#pragma once

#include "verifier/checker/texts.h"

namespace vl::session {

/// Reads the layout for the tensor, binds the claim's arguments and its operation, makes the whole statement again and
/// compares it field by field. Of an operation, and of what the statement's numbers alone show, the claim is decided
/// once more, which can only reject: the statement leaves out what the claim asks before them. Loop nests stand in no
/// text: they are taken in numbers from the statement, which prints them. A file that an argument names is compared by
/// what the statement carries of it; where it is not there, or says something else today, its key is `unread`.
/// Requires: check_texts accepts the statement. Example: in a certificate of [64, 1] a layout text with [65, 1] is
/// another statement, whatever its digest.
[[nodiscard]] checker::Texts read_texts_again(const checker::Statement& said);

}  // namespace vl::session
