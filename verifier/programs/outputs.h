// Outputs: the dataflow of a function as a program (neutral/program/program.h), and the verdict about each tensor that
// it returns.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "encodings/program/function.h"
#include "verifier/neutral/program/judge.h"
#include "verifier/neutral/program/program.h"
#include "verifier/question/verdict.h"

namespace vl::programs {

/// A function and its dataflow. What the language of programs refuses of it is an operation that is not known.
struct ReadProgram {
  program::Function function;
  std::optional<neutral::program::Program> program = {};  // names of nodes are the user's; absent: no tensor is put out
  std::string refused = {};  // or the language refuses it, for a reason that is no operation's
};
/// The line of a place in the user's text, from 1.
using LineOf = std::function<std::size_t(std::size_t offset)>;
[[nodiscard]] ReadProgram read_program(const mlir::Function& function, const program::Options& options,
                                       const LineOf& line_of);
/// The same, where `read` is the function as these options make it.
[[nodiscard]] ReadProgram read_program(const mlir::Function& function, program::Function read,
                                       const program::Options& options, const LineOf& line_of);

/// A text in the language of programs, whose lines are its operations. Errors: those of parse_program.
[[nodiscard]] std::variant<ReadProgram, Error> read_text(const std::string& text);

/// How many operations read padding.
[[nodiscard]] std::size_t readers_of(const neutral::program::Program& program);

struct OutputVerdict {
  std::size_t step = 0;  // the operation that the verdict is about: the first that is not neutral, or the output's own
  std::string output;    // "%5"
  question::Verdict verdict;
  std::string note;
  std::vector<std::string> words;          // what a refutation shows, a line each
  std::vector<std::string> assumes = {};   // "the valid elements of a are finite"
  std::set<std::size_t> not_neutral = {};  // steps that are refuted by themselves
  double micros = 0;
  neutral::program::Program program;  // with this output alone
  neutral::program::ProgramAnswer answer;
};
/// One verdict per output, refutations first. Requires: a program.
[[nodiscard]] std::vector<OutputVerdict> verdicts_of(const ReadProgram& read);

}  // namespace vl::programs
