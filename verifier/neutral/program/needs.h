// Needs: what has to change before a program is proved, and the masks that can change it.
//
// A need is a region that a reduction reads and that is not neutral, or the pair of regions that a matmul reads. What
// is read there depends on nothing but what flows there (flow.h). So every set of masks that proves the program, and
// holds those that there are, has another mask in that flow whose value arrives; one of the need's candidates. Sets
// only grow with what flows: a mask whose value alone already makes what arrives wrong is none.
#pragma once

#include "verifier/neutral/program/flow.h"
#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {

struct Need {
  std::size_t line = 0;
  std::vector<Mask> candidates;
  Index least = 0;  // slots of the smallest candidate
};

class Needs {
 public:
  Needs(const Program& program, Judge& judge);

  /// What is needed beside these masks; empty if the program is proved with them, by first_failure().
  [[nodiscard]] std::vector<Need> of(const std::vector<Mask>& masks);
  /// Whether every mask keeps something from a line that reads padding. A cheapest set has no other masks.
  [[nodiscard]] bool all_count(const std::vector<Mask>& masks) const;

 private:
  [[nodiscard]] Need made(std::size_t line, const std::vector<Edge>& starts, const std::vector<Mask>& masks,
                          const Question* question);
  [[nodiscard]] std::vector<Code> values_of(const Edge& edge, const std::vector<Edge>& starts,
                                            const Question* question);
  [[nodiscard]] bool is_promising(const std::vector<Edge>& starts, const Mask& mask, const Question& question);

  const Program& program_;
  Judge& judge_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<Edge> all_;
  std::map<std::pair<std::vector<Edge>, Mask>, bool> promising_;
  bool has_cases_ = false;  // lines may be neutral by cases (row_tables.h)
};

/// The values of masks in a format, in the order in which they are preferred: 0, -0, 1, and the numbers that no number
/// is beyond.
[[nodiscard]] std::vector<Code> mask_values(const Format& format);

}  // namespace vl::neutral::program
