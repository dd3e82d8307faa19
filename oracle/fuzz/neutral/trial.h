// Trials of the campaign `neutral`: the verdict on a fill, and one evaluation after the other with its pads and without
// them (oracle/ops, which knows no law). What must not happen:
//
//   false-proved    the verdict is proved, and an evaluation differs
//   false-refuted   the verdict is refuted, and its counterexample is none: the evaluator gives other results than it
//                   says, or equal ones, or it uses codes that contents and fill do not have
//   image           a layout's image gives other results than its rows, taken straight from the elements
//   state           an image's run stores something in the result's padding that states.h says is not there
#pragma once

#include "oracle/fuzz/neutral/states.h"

namespace vl::oracle {

/// The results of an evaluation, codes of the accumulator; of any and all 0 or 1.
struct NeutralResults {
  Code with_pads = 0;
  Code without = 0;
};

[[nodiscard]] NeutralResults results_of(const neutral::Question& question, const NeutralRow& row);
/// Equal as the question says, found here again and not by verifier/neutral.
[[nodiscard]] bool are_equal(const neutral::Question& question, Code a, Code b);
/// Whether the row has valid elements of the contents, pads of the fill, a tree over them, and in sequential questions
/// the tree from left to right.
[[nodiscard]] bool fits(const NeutralQuestion& asked, const NeutralRow& row);

/// The counterexample of a verdict as a row.
[[nodiscard]] NeutralRow row_of(const neutral::Question& question, const neutral::Evaluation& evaluation);

struct NeutralOutcome {
  Answered verdict = Answered::Unknown;
  std::uint64_t elements = 0;  // terms that were combined
  std::uint64_t hash = 0;
  bool differs = false;      // with its pads and without
  std::uint64_t stored = 0;  // results in padding that were compared with their states
  std::optional<Mismatch> mismatch = {};
  std::optional<NeutralRow> row = {};  // of a mismatch
};

class NeutralTrial {
 public:
  /// Decides the question. `decided`: instead of verifier/neutral; tests plant wrong verdicts with it.
  explicit NeutralTrial(NeutralQuestion asked, std::optional<neutral::Verdict> decided = {});

  [[nodiscard]] const NeutralQuestion& asked() const { return asked_; }
  [[nodiscard]] const neutral::Verdict& verdict() const { return verdict_; }
  /// What is wrong with the verdict's counterexample.
  [[nodiscard]] const std::optional<Mismatch>& counterexample() const { return counterexample_; }
  [[nodiscard]] const NeutralSources& sources() const { return sources_; }

  [[nodiscard]] NeutralOutcome run(NeutralRow row) const;
  /// A whole image with drawn contents and pads, and the states of its result. `index`: of the case.
  [[nodiscard]] NeutralOutcome run(const ops::Prepared& image, const NeutralStates& states, std::uint64_t seed,
                                   std::uint64_t index) const;

 private:
  [[nodiscard]] NeutralOutcome outcome() const;

  NeutralQuestion asked_;
  NeutralSources sources_;
  neutral::Verdict verdict_;
  std::optional<Mismatch> counterexample_;
};

/// The case number `index` of a campaign, made from nothing.
[[nodiscard]] NeutralOutcome neutral_outcome(std::uint64_t seed, std::uint64_t index);

}  // namespace vl::oracle
