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

/// One pad of these elements against few evaluations: for loops over all pads. In a row the pad's own code is tried as
/// an element, too.
[[nodiscard]] std::optional<Refuted> refute_one(const Question& question, const Term& pad,
                                                const std::vector<Code>& elements);

/// The evaluation in words: "(c0 + p0)", "((+0 + c0) + p0)"; of max "max(c0, p0)".
[[nodiscard]] std::string in_words(const Question& question, const std::string& shape);

}  // namespace vl::neutral
