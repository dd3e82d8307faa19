// Certificates about programs: what a statement says of the user's text, and whether that text still says it.
//
// The kernel checks the steps of a statement (values_kernel/chains.h). Its arguments are the texts that a person reads:
//   program            the program in the language of neutral/program/program.h; it says the steps
//   output             the tensor that is put out
//   function           "@f:12:1", of a program that was imported: its name, its line and its column in; of the claim
//                      `equal`, whose program is made of two functions (equal.h), both: "@f:12:1 @g:20:1"
//   source and digest  a file and what was in it, or
//   text               the text itself
// A text is imported again, and has to give the same program. Of buffers (buffers.h) there is no program: the statement
// lists the accesses that the function of the text makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verifier/checker/texts.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/programs/buffers.h"
#include "verifier/programs/outputs.h"
#include "verifier/programs/text.h"
#include "verifier/question/record.h"
#include "verifier/session/judge.h"

namespace vl::programs {

/// Where an imported program stands.
struct Source {
  std::string path;            // of its file; empty: it is in none of its own
  std::string text_or_digest;  // of a file the digest
  std::string function;        // "@f:12:1", or two
  bool pair = false;
};
[[nodiscard]] Source source_of(const Text& text, const std::vector<const mlir::Function*>& functions);

/// The certificate of an answer about the program's only output; of an imported program with its source, of that of a
/// pair the claim is `equal`. Nothing if the checker does not accept it.
[[nodiscard]] std::optional<checker::Certificate> certificate_of(const neutral::program::Program& program,
                                                                 const neutral::program::ProgramAnswer& answer,
                                                                 const std::optional<Source>& source = {});

/// The certificate of an answer about the buffers of a function. Nothing if the checker does not accept it.
[[nodiscard]] std::optional<checker::Certificate> certificate_of(const program::Function& function,
                                                                 const BuffersAnswer& answer, const Source& source);

/// Whether a certificate is asked for, or what the proof rests on.
[[nodiscard]] bool is_certified(const session::CertificateOptions& asked, const question::Answer& answer);
/// Adds what a proof rests on to its answer, and writes its certificate, as far as that is asked.
[[nodiscard]] std::optional<Diagnostic> keep_certificate(const checker::Certificate& made,
                                                         const session::CertificateOptions& asked,
                                                         const std::string& stem, question::Answer& answer);

/// Whether the texts of a statement say it: those of programs here, others by session::read_texts_again. `against`: the
/// file which a program is said to stand in; empty: the one that it names. A file that is not there as it was is the
/// unread text `source`; with `against` it is another statement.
/// Requires: check_texts accepts the statement.
/// Example: a function whose sum is over another dimension today gives another program, and is refused.
[[nodiscard]] checker::Texts read_texts_again(const checker::Statement& said, const std::string& against = {});

}  // namespace vl::programs
