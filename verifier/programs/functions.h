// Functions: what is asked of each function of a user's program, whole. Its layouts are asked about where they stand in
// the text (session/scan.h); here it is what stands between them:
//   view-in-bounds, view-elements   of each view
//   mask-exact                      of each mask on a type with a layout
//   move-implements                 of each move between types with layouts
//   disjoint                        of the buffers of a kernel, where it states addresses (buffers.h)
//   chain-neutral                   of each tensor that is returned: its elements are those that the same operations
//                                   give where none reads padding (neutral/program/judge.h); what that assumes of
//                                   inputs and functions is a note
//   equal                           of two functions, where a comment says so (pairs.h)
//
// One case a function, with an answer for each claim about each operation, in the order of the operations. An operation
// that is not known is listed, and nothing else is lost.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "encodings/program/function.h"
#include "verifier/session/batch.h"

namespace vl::programs {

/// Whether the text is a program of which functions are read.
[[nodiscard]] bool has_functions(std::string_view text);

/// The functions of a text as cases to be judged; a function that cannot be read is a case that says why. A function of
/// which nothing is asked is left out.
struct Works {
  std::vector<session::Work> all;
  /// The first and the last line of each kernel of Torch-Spyre among them. Layouts in it are arguments of its
  /// operations, which say by device_coordinates where elements are.
  std::vector<std::pair<std::size_t, std::size_t>> kernels;
};
/// `file` names the text.
[[nodiscard]] Works works_of(const std::string& file, std::string text, const program::Options& options = {});

/// A case that is a program: its functions, or the one that it names, as one case. An answer is compared with what the
/// case expects of its claim: one at least has to be that, and all others have to be it or proved.
[[nodiscard]] question::Case judge(const session::CaseRequest& request, const session::JudgeOptions& options);

}  // namespace vl::programs
