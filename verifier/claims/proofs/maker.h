// Maker: the parts of one certificate's evidence about one layout or two, found one after the other. Each is tried on
// the checker's own code; what that rejects is left out.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "verifier/checker/propositional.h"
#include "verifier/claims/proofs/effort.h"
#include "verifier/claims/proofs/evidence.h"

namespace vl::claims {

using Candidate = std::optional<checker::Proof>;

class Maker {
 public:
  using Field = checker::Questions::Field;
  using Show = std::function<void(checker::Questions&)>;

  Maker(const checker::Layout& a, const checker::Layout* b, Effort& effort);

  /// What is asked over these digits.
  template <class Work>
  auto over(const Groups& groups, const Work& work) const {
    checker::Evidence alone;
    alone.digits = groups;
    checker::Questions asked(a_, b_, alone);
    return work(asked);
  }
  /// Digits over which all that `look` does has a form.
  void find_digits(const Show& look);

  /// The first of the candidates for a field that shows it. Those over digits are out where there are none.
  bool settle(Field field, std::vector<Candidate> candidates, const Show& show);
  /// The same by pieces; with `slots_only` pieces without slots say nothing.
  bool settle_by_pieces(Field field, bool slots_only, const Show& show);
  /// The same by a refutation of the obligation's clauses, which is looked for last.
  bool settle_by_clauses(Field field, checker::Obligation::Kind kind, const checker::Space& box, const Show& show);
  /// The digits alone are the evidence.
  bool take_digits() { return (evidence_.digits = digits_).has_value(); }
  /// Steps over the digits, where there are some.
  template <class Steps>
  Candidate steps(
      const std::function<std::vector<bool>(checker::Forms&, const std::vector<checker::Form>&)>& known) const {
    if (!digits_) return {};
    return over(*digits_, [&](checker::Questions& asked) -> Candidate {
      const std::vector<checker::Form> rows = asked.outputs(0);
      return Steps{peel_steps(asked.forms(), rows, known(asked.forms(), rows))};
    });
  }
  [[nodiscard]] Candidate walk() const;
  /// Digits of the layout's places alone, uneven ones as well, where the digits of everything have no form.
  void find_digits_of_places();

  /// Why the equations that a place in common would solve have no solution.
  bool show_no_meeting(std::int64_t at);
  /// What elements of one stick have in common.
  bool show_whole_sticks();
  /// The steps of the points of one map, where peeling leaves some: linear equations of their differences.
  [[nodiscard]] Candidate one_to_one() const;

  checker::Evidence evidence_;

 private:
  const checker::Layout& a_;
  const checker::Layout* b_;
  Effort& effort_;
  checker::Space box_;
  std::vector<std::size_t> parts_;
  std::optional<Groups> digits_;
};

}  // namespace vl::claims
