// Commands: one function per subcommand. Each prints answers to stdout and diagnostics to stderr, and returns the exit
// code.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/base/source.h"
#include "encodings/use/scan.h"
#include "encodings/use/shards.h"
#include "verifier/cli/arguments.h"
#include "verifier/cli/command_line.h"
#include "verifier/report/report.h"
#include "verifier/session/batch.h"

namespace vl::neutral::program {
struct InputLayout;
}

namespace vl::cli {

[[nodiscard]] int run_check(const CheckArguments& arguments);
[[nodiscard]] int run_explain(const ExplainArguments& arguments);
[[nodiscard]] int run_show(const ShowArguments& arguments);
[[nodiscard]] int run_explore(const ExploreArguments& arguments);
[[nodiscard]] int run_cert(const CertArguments& arguments);
int run_diff(const DiffArguments& arguments);
int run_equal(const EqualArguments& arguments);
[[nodiscard]] int run_nests(const NestsArguments& arguments);
[[nodiscard]] int run_convert(const ConvertArguments& arguments);
[[nodiscard]] int run_swizzle(const SwizzleArguments& arguments);
[[nodiscard]] int run_descriptor(const DescriptorArguments& arguments);
[[nodiscard]] int run_compatible(const CompatibleArguments& arguments);
[[nodiscard]] std::variant<int, Misuse> run_neutral(const NeutralArguments& arguments);
/// `neutral --program`. Requires: a program's file.
[[nodiscard]] std::variant<int, Misuse> run_neutral_program(const NeutralArguments& arguments);
[[nodiscard]] std::variant<int, Misuse> run_neutral_layouts(const NeutralArguments& arguments);
[[nodiscard]] std::variant<int, Misuse> run_transfer(const TransferArguments& arguments);
[[nodiscard]] int run_list_families();
[[nodiscard]] int run_list_claims();
[[nodiscard]] int run_version();

constexpr int kBadInput = 2;
constexpr int kUndecided = 5;
constexpr int kRefuted = 10;
constexpr int kMismatch = 10;
constexpr int kDisagree = 11;
constexpr int kUsage = 64;
constexpr int kInternalError = 70;

/// The layout options as a request without claims. The diagnostic points into the option that is wrong; `side` stands
/// in front of its name where it is of one layout of two, as "from-" in --from-box.
[[nodiscard]] std::variant<session::CaseRequest, Diagnostic> request_of(const LayoutArguments& arguments,
                                                                        const std::string& side = "");

/// Gives options without a tensor the one that the layout's text states (session/scan.h). Else the reason why not.
[[nodiscard]] std::optional<std::string> state_tensor(LayoutArguments& arguments);

/// Integers separated by commas, with or without brackets.
[[nodiscard]] std::variant<std::vector<Index>, Diagnostic> integers_of(const std::string& option,
                                                                       const std::string& text);

/// The point that an option names. Diagnostic: the space has no such point.
[[nodiscard]] std::variant<Point, Diagnostic> point_in(const map::Space& space, const std::string& option,
                                                       const std::string& text);

/// The case of an operation on operands with layouts, given as texts: its layout is the first result's. Of operands,
/// `padding=…`, `contents=…` and `padded=…` may stand behind the layout if `with_padding`.
struct OperationCase {
  session::CaseRequest request;
  session::OperationRequest operation;
};
[[nodiscard]] std::variant<OperationCase, Diagnostic, Misuse> operation_of(const CompatibleArguments& arguments,
                                                                           bool with_padding);

/// Decides one case and prints it like `check`, with or without times; returns the exit code.
[[nodiscard]] int report_one(session::CaseRequest request, Format format, bool times);

using session::rejected;

/// Whether `check` looks for layouts in this file: it is neither a case file (session/cases.h) nor a folder. "-" is
/// standard input.
[[nodiscard]] bool is_text(const std::string& path);

/// What was read of some texts.
struct TextsRead {
  std::size_t files = 0;          // texts, with or without layouts
  std::size_t with_layouts = 0;   // of these, those with layouts
  std::size_t binary = 0;         // not among them
  std::size_t case_files = 0;     // beneath a folder that is scanned
  std::vector<bool> used = {};    // of each definition: whether a layout in them uses it
  bool programs = false;          // functions in them are judged, too
  bool programs_beneath = false;  // also in those beneath folders
};

/// The layouts of a text, as requests and as cases that are skipped. `otherwise` is asked of all of them (scan.h). Says
/// on stderr if there is none, unless the text is one of a folder. Marks the definitions that something in it uses.
[[nodiscard]] std::vector<session::Work> layouts_of(const std::string& path,
                                                    const std::vector<use::Definition>& definitions,
                                                    const session::CaseRequest& otherwise, TextsRead& read,
                                                    bool in_folder = false);

/// --scan: the same of every file beneath a folder, in which case files are read as such (session/folder_files.h). Says
/// on stderr how many files that are, unless `quiet`.
[[nodiscard]] std::vector<session::Work> works_beneath(const std::string& folder,
                                                       const std::vector<use::Definition>& definitions,
                                                       const session::CaseRequest& otherwise, TextsRead& read,
                                                       bool quiet);

/// What was asked of layouts in texts, as rejected cases, of which none of the layouts makes use: a definition that is
/// not `used`, a condition, a size or a box. Nothing where no layout is found.
[[nodiscard]] std::vector<session::Work> unused_in_texts(const std::vector<session::Work>& found,
                                                         const session::CaseRequest& otherwise,
                                                         const std::vector<use::Definition>& definitions,
                                                         const std::vector<bool>& used);

/// --define NAME=INTEGER. The diagnostic: which is none.
[[nodiscard]] std::variant<std::vector<use::Definition>, Diagnostic> definitions_of(
    const std::vector<std::string>& texts);

/// A diagnostic about an option or a file as a whole.
[[nodiscard]] inline Diagnostic about(const std::string& what, std::string message) {
  return {what, 0, 0, std::move(message), {}, 0};
}

/// The layout's shards side by side; nothing where it has none.
[[nodiscard]] std::optional<use::Shards> shards_of(const LayoutArguments& arguments,
                                                   const session::TensorReading& subject);

/// session::read_tensor, and prints the warnings about the text to stderr.
[[nodiscard]] std::variant<session::TensorReading, Diagnostic> read_and_warn(
    const session::CaseRequest& request, const engines::Options& options = session::engine_options());

/// Prints a diagnostic to stderr and returns exit code 2.
int bad_input(const Diagnostic& diagnostic);

/// Prints why nothing is known of a layout whose text is legal, to stderr or as JSON to stdout; returns exit code 5.
int unsupported(const use::Undecidable& why, bool json = false);

}  // namespace vl::cli
