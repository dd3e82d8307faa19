// Refutations: a search for terms and an evaluation that a fill changes. What is found was evaluated, with and without
// its pads; what is not found proves nothing.
#pragma once

#include "verifier/neutral/question.h"

namespace vl::neutral {

struct Refuted {
  Evaluation evaluation;
  Code got = 0;  // of places: in the row with its pads
  Code want = 0;
  std::size_t at = 0;  // which element of a result that has several
  /// True: no evaluation with fewer valid terms is changed. False: that is not known.
  bool minimal = false;
};

/// Looks at evaluations with one valid term, then with two; elements in the order 0, 1, -0, -1, the least numbers, the
/// largest, infinities, NaN. In types of at most 16 bits every code is tried as the one valid element, and as a pad.
/// `b`: the second elements of dot's pads, null otherwise. `more`: further elements that are worth a try.
[[nodiscard]] std::optional<Refuted> refute(const Question& question, const CodeSet& a, const CodeSet* b,
                                            const std::vector<Code>& more = {});

/// Few evaluations with one valid element, and others that refuted a pad, for loops over all pads.
///
/// Law. Addition, multiplication by a number, squares, max and min are monotone in each operand, also rounded and
/// flushed, and so is what an evaluation of them makes of its pads. So of the pads of one sign, in order, those that
/// leave a number as it is are neighbours: at either end of them the results are less, greater or NaN. Example: f16 sum
/// beside 1: [-2^-12 .. 2^-11] leave it.
class OneElement {
 public:
  /// Requires: not Dot. The question outlives it.
  OneElement(const Question& question, const std::vector<Code>& elements);
  /// One more element that is tried, after the others.
  void add(Code element);
  /// An evaluation with other pads, too. Requires: not of a row.
  void add(const Evaluation& evaluation);
  /// Whether an evaluation with this pad and an element differs from its reference. In a row the pad's own code is
  /// tried as an element, too.
  [[nodiscard]] bool is_changed_by(Code pad);
  /// The pads of a set of which none is. Of floats by the law.
  [[nodiscard]] CodeSet unchanged(const CodeSet& pads);

 private:
  struct Tried {
    Evaluation evaluation;  // its pads are replaced
    Code want = 0;          // of a tree
  };
  [[nodiscard]] Code got(Tried& tried, Code pad) const;
  [[nodiscard]] bool changes(Tried& tried, Code pad) const;
  [[nodiscard]] std::vector<Tried> tried_with(Code element) const;
  [[nodiscard]] CodeSet unchanged_numbers(Tried& tried, bool negative) const;
  [[nodiscard]] CodeSet unchanged_others(const CodeSet& pads);

  const Question& question_;
  std::vector<std::string> shapes_;
  std::vector<Tried> tried_;
};

/// The evaluation in words: "(c0 + p0)", "((+0 + c0) + p0)"; of max "max(c0, p0)".
[[nodiscard]] std::string in_words(const Question& question, const std::string& shape);

}  // namespace vl::neutral
