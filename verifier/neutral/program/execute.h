// Execution of a program on codes, box by box (boxes.h) and only as far as asked: the padded run, and the reference
// without the reads of padding. Reductions go from left to right, dimensions in row-major order, the start first; that
// is one of the evaluations that the program allows, and the same one in both runs. Terms that are equal are added
// until the sum changes no more, as then no later one of them changes it.
//
// Example: of the program of program.h with zeros everywhere, C[0,0] is 64 with padding and 33 without.
#pragma once

#include <map>
#include <unordered_map>

#include "verifier/neutral/program/boxes.h"

namespace vl::neutral::program {

/// What inputs hold: one code in all valid elements, one in each region; `unwritten` in padding that nothing computes.
struct Assignment {
  std::vector<std::vector<Code>> inputs;  // by node, then region; of others empty
  Code unwritten = 0;                     // a code of each type: its low bits
  bool operator==(const Assignment&) const = default;
};

class Execution {
 public:
  /// `steps`: how many boxes and terms may be computed; is counted down.
  Execution(const Boxes& boxes, const Assignment& assignment, bool with_padding, Index& steps)
      : program_(boxes.program()), boxes_(boxes), assignment_(assignment), with_padding_(with_padding), steps_(steps) {}

  /// Nothing: a function's result is not one code (functions.h), or there are no steps left.
  [[nodiscard]] std::optional<Code> at(std::size_t node, const Point& index);

 private:
  struct Box {
    std::size_t node = 0;
    Index place = 0;  // of its first slot
    bool operator==(const Box&) const = default;
  };
  struct BoxHash {
    std::size_t operator()(const Box& box) const {
      return (box.node * 0x9E3779B97F4A7C15U) ^ static_cast<std::size_t>(box.place);
    }
  };
  // The terms of a reduction: where it is, and how far it has come.
  struct Fold {
    const Node& node;
    Question question;
    CodeSet unstated;  // what max, any and the like may read in more than one way
    std::vector<std::size_t> axes;
    Point left, right;  // of matmul as they are, but for K
    std::optional<Code> sum = {};
  };

  [[nodiscard]] std::optional<Code> computed(std::size_t at, const Point& index);
  [[nodiscard]] std::optional<Code> pointwise(const Node& node, const Point& index);
  // Under an arithmetic: the code that is the only one possible, or of NaNs one.
  [[nodiscard]] std::optional<Code> only_result(const Node& node, const std::vector<Code>& x);
  [[nodiscard]] std::optional<Code> reduced(const Node& node, const Point& index);
  // Adds the terms of the axes from `level` on; false: one of them is not known.
  [[nodiscard]] bool add_terms(Fold& fold, std::size_t level);
  [[nodiscard]] std::optional<Term> term_of(const Fold& fold);
  [[nodiscard]] std::optional<Code> finished(const Fold& fold);
  [[nodiscard]] std::optional<Code> rowed(std::size_t at, const Point& index);
  [[nodiscard]] std::optional<Code> transported(const Node& node, const Point& index);

  const Program& program_;
  const Boxes& boxes_;
  const Assignment& assignment_;
  bool with_padding_;
  Index& steps_;
  std::unordered_map<Box, std::optional<Code>, BoxHash> known_;
  std::map<std::pair<const Node*, std::vector<Code>>, std::optional<Code>> only_results_;
};

/// The number of a slot in row-major order of the padded sizes.
[[nodiscard]] Index place_of(const Node& node, const Point& index);
/// The region of an index: the dimensions in which it is past the size.
[[nodiscard]] Region region_at(const Node& node, const Point& index);

}  // namespace vl::neutral::program
