// Judge: one case from its texts to its answers. The way of a question through the program, in one place:
// text -> family -> layout -> claims -> engines -> verdicts -> comparison with what the case expects.
#pragma once

#include <variant>

#include "verifier/claims/padded_run.h"
#include "verifier/engines/engine.h"
#include "verifier/question/record.h"
#include "verifier/session/reading.h"

namespace vl::session {

struct CertificateOptions {
  std::string folder;    // empty: none is written; refutations go into its subfolder refuted/
  bool compact = false;  // CBOR instead of JSON
  bool explain = false;  // what each proof rests on
};

/// How long one answer may take by default: far more than the counts of work allow on any machine.
constexpr double kAnswerSeconds = 600;

/// The limits of a command's engines: solvers run as child processes of this program. An answer that is not there after
/// that many seconds is `timeout`; before, no clock plays a part in it.
[[nodiscard]] engines::Options engine_options(double seconds = kAnswerSeconds);

struct JudgeOptions {
  engines::Options engines;
  std::string dump_smt;           // a folder; empty: none
  bool remember_engines = false;  // fill Answer::attempts
  CertificateOptions certificates;
  std::string over_read;        // of views: "elements", for their slots of padding may be read from anywhere
  bool print_programs = false;  // fill FunctionView::program
  bool fill = false;            // fill FunctionView::fills and patch
  /// Judges a case that is a program (verifier/programs); null: none is judged here.
  question::Case (*programs)(const CaseRequest& request, const JudgeOptions& options) = nullptr;
};

using use::family_of;

/// Reads a layout for a tensor. Derivations in the text (Reading::derived) are proved first, with these options; one
/// that is not proved is a diagnostic.
[[nodiscard]] std::variant<use::Reading, Diagnostic> read_layout(const SourceText& text, std::string_view forced,
                                                                 const map::Tensor& tensor,
                                                                 const engines::Options& options = engine_options());

/// The same without a proof: of a text in a certificate, whose checker proves what the text derives.
[[nodiscard]] std::variant<use::Reading, Diagnostic> read_stated_layout(const SourceText& text, std::string_view forced,
                                                                        const map::Tensor& tensor);

/// The same for a request (reading.h). The diagnostic points into whichever text is wrong.
[[nodiscard]] std::variant<TensorReading, Diagnostic> read_tensor(const CaseRequest& request,
                                                                  const engines::Options& options = engine_options());

/// The operation of a claim over its case's layout: reads every operand and combines them. A diagnostic points into the
/// text that is wrong.
[[nodiscard]] std::variant<use::Operation, Diagnostic> read_operation(const OperationRequest& request,
                                                                      const CaseRequest& of,
                                                                      const TensorReading& subject);

/// The same with how the inputs' layouts go on, and what their padding holds.
[[nodiscard]] std::variant<claims::PaddedOperation, Diagnostic> read_padded(const OperationRequest& request,
                                                                            const CaseRequest& of,
                                                                            const TensorReading& subject);

/// Decides the claims of one case. Claims that are not decided when options.engines.budget.stop becomes true are
/// `unknown (interrupted)`, and are not compared with what the case expects.
[[nodiscard]] question::Case judge(const CaseRequest& request, const JudgeOptions& options);

}  // namespace vl::session
