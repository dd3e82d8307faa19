// Two functions that are to put out the same, where one writes out what the other leaves to padding: it pads its
// tensors by operations (stablehlo.pad), computes on more elements, and cuts them away again.
//
// Law. Let a program h be @f's lines on tensors with as much padding as @g has more elements, where each `pad` of @g is
// a mask with its number, and each of its other lines computes all slots of h's. Then a run of h with its padding is
// @g's run, and its reference is @f's. So @f and @g put out the same if padding reaches no output of h, and a run of h
// that differs is one in which they differ: both reduce in the same order, and the same function of the same operands
// is the same.
// Lines are matched from the outputs on: the same words, operands that match, and each dimension at least as long.
// What h has for a line has to be as large as @g's tensor, or else nothing is said.
//
// Example: @f sums f32[4,33] over 1; @g pads it to [4,64] with 0 and sums. h is that sum with 31 pads of 0.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encodings/notation/mlir.h"
#include "verifier/programs/outputs.h"
#include "verifier/question/verdict.h"

namespace vl::programs {

struct EqualAnswer {
  question::Verdict verdict;
  std::string note;
  std::vector<std::string> words;         // what a refutation shows, a line each
  std::vector<std::string> assumes = {};  // "exp is faithful"
  /// What shows it: h with one output each, and the answer about it; of a refutation that which is refuted.
  std::vector<std::pair<neutral::program::Program, neutral::program::ProgramAnswer>> shown = {};
};

[[nodiscard]] bool have_one_signature(const mlir::Function& f, const mlir::Function& g);

/// Whether two functions put out the same; either may be the one that pads. Requires: both have programs, and the same
/// types of arguments and results.
[[nodiscard]] EqualAnswer equal(const ReadProgram& f, const ReadProgram& g);

/// Whether such a program is h, of either that pads; with `refuted` whose runs are runs of both.
/// Requires: as of equal().
[[nodiscard]] bool is_twin_of(const std::string& program, const ReadProgram& f, const ReadProgram& g, bool refuted);

}  // namespace vl::programs
