// Execution of a program on codes, element by element and only as far as asked: the padded run, and the reference
// without the reads of padding. Reductions go from left to right, dimensions in row-major order, the start first; that
// is one of the evaluations that the program allows, and the same one in both runs.
//
// Example: of the program of program.h with zeros everywhere, C[0,0] is 64 with padding and 33 without.
#pragma once

#include <map>
#include <unordered_map>

#include "verifier/neutral/program/program.h"

namespace vl::neutral::program {

/// What inputs hold: one code in all valid elements, one in each region; `unwritten` in padding that nothing computes.
struct Assignment {
  std::vector<std::vector<Code>> inputs;  // by node, then region; of others empty
  Code unwritten = 0;                     // a code of each type: its low bits
  bool operator==(const Assignment&) const = default;
};

class Execution {
 public:
  /// `steps`: how many elements may be computed; is counted down.
  Execution(const Program& program, const Assignment& assignment, bool with_padding, Index& steps)
      : program_(program),
        assignment_(assignment),
        with_padding_(with_padding),
        steps_(steps),
        known_(program.nodes.size()) {}

  /// Nothing: a function's result is not one code (functions.h), or there are no steps left.
  [[nodiscard]] std::optional<Code> at(std::size_t node, const Point& index);

 private:
  [[nodiscard]] std::optional<Code> computed(std::size_t at, const Point& index);
  [[nodiscard]] std::optional<Code> pointwise(const Node& node, const Point& index);
  // Under an arithmetic: the code that is the only one possible, or of NaNs one.
  [[nodiscard]] std::optional<Code> only_result(const Node& node, const std::vector<Code>& x);
  [[nodiscard]] std::optional<Code> reduced(const Node& node, const Point& index);
  [[nodiscard]] std::optional<Code> rowed(std::size_t at, const Point& index);
  [[nodiscard]] std::optional<Code> transported(const Node& node, const Point& index);

  const Program& program_;
  const Assignment& assignment_;
  bool with_padding_;
  Index& steps_;
  std::vector<std::unordered_map<Index, std::optional<Code>>> known_;
  std::map<std::pair<const Node*, std::vector<Code>>, std::optional<Code>> only_results_;
};

/// The number of a slot in row-major order of the padded sizes.
[[nodiscard]] Index place_of(const Node& node, const Point& index);
/// The region of an index: the dimensions in which it is past the size.
[[nodiscard]] Region region_at(const Node& node, const Point& index);

}  // namespace vl::neutral::program
