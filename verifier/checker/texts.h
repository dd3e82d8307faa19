// The texts of a statement. check() proves what a statement says in maps, rules and numbers; a person reads its texts:
// the layout, the tensor, the claim's arguments and, of an operation, its operands. Whoever accepts a certificate
// accepts its texts, so a claim has a closed list of arguments, each of a kind:
//
//   text     it is read again, and the whole statement is made again from it (verify-layout cert;
//   session/texts_again.h) number   a text of digits is a field of the statement: base = "1024" of `aligned` says the
//   field `base` file     a text that is a path: the statement has what the file says, and the digest of that
//   (FileText)
//
// What stands in no text is printed from the statement itself: limits, the division, loop nests (words_of).
//
// Example: `fits` has the argument capacity, a number, which is the field `at_most`, or a chip's word. An argument
// "nonsense", one of another claim, or `fits` without a capacity is rejected; so is a statement without a layout. All
// texts together have at most 1 MiB, so that a file can be read again (files.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verifier/checker/statement.h"

namespace vl::checker {

/// Nothing where the statement has the texts of its claim, else why not. It does not read them again. Never throws.
[[nodiscard]] std::optional<std::string> check_texts(const Statement& statement) noexcept;

/// Whether the statement says what a program does, which has no layout and no tensor.
[[nodiscard]] bool is_about_program(const Statement& statement);
/// Whether a claim is about a descriptor, whose text stands in the layout's place; there is no tensor.
[[nodiscard]] bool is_about_descriptor(const std::string& claim);

/// Whether the claim is about rules and their laws alone, which whoever makes a statement reads from its texts: those
/// of a layout, or of a target about a descriptor.
[[nodiscard]] bool asks_rules(const std::string& claim);

/// The keys of a claim about one layout, or about loop nests, separated by blanks, the ones that may be absent with
/// '?'; null where no statement has that claim: "with with_tensor? at?" of disjoint.
[[nodiscard]] const char* keys_of_claim(const std::string& claim, bool of_nests);

/// What the texts of a statement, read again, say about it.
struct Texts {
  bool same = true;  // false: it is another statement
  std::string why;   // it is another one
  /// What was not read again: "hardware", a file that is not there; "texts", where nobody reads.
  std::vector<std::string> unread;
  /// What was not compared either, since it says where that is: the digest of a file that is not there.
  std::vector<std::string> beside = {};
};

/// What a statement says, in one line: "proved padding = 1032 of LAYOUT for TENSOR; KEY = TEXT". What is named in
/// `unread` was not compared with what was proved and is in brackets; "texts" are all texts. In ASCII.
[[nodiscard]] std::string words_of(const Statement& statement, const std::vector<std::string>& unread);

/// On one line, and nothing that a terminal would act on: ASCII.
[[nodiscard]] std::string plain(const std::string& text);

}  // namespace vl::checker
