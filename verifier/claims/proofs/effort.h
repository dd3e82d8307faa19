// Effort: how much work may be done to find a certificate. A proof by a closed form, which took microseconds, is not
// worth seconds of evidence. The work is that of the checker's own code (verifier/kernel/core/work.h), on which every
// candidate is tried, so what is found depends on no clock.
#pragma once

#include <algorithm>
#include <string_view>

#include "encodings/base/budget.h"
#include "verifier/checker/kernel.h"

namespace vl::claims {

class Effort {
 public:
  /// Of a proof by these engines, joined by '+': more where one of them walked or solved. Example: of "strided" 2^27
  /// units of work, of "strided+smt" 2^29. `budget` only ends it.
  Effort(std::string_view engines, const Budget& budget)
      : Effort(is_long(engines) ? kMost : kLeast, is_long(engines) ? 20'000 : 2'000, budget) {}

  /// Of proofs for all sizes, and for whoever has a certificate made alone.
  [[nodiscard]] static Effort generous(const Budget& budget = {}) { return {2 * kMost, 20'000, budget}; }

  /// The work that its search may take, all in all: a checker::Metered of that much is made around it.
  [[nodiscard]] long long most() const { return most_; }
  [[nodiscard]] bool is_spent() const { return checker::work_left() <= 0 || budget_.stopped(); }
  /// What ends it besides.
  [[nodiscard]] const Budget& budget() const { return budget_; }
  /// How many conflicts of a solver are worth it.
  [[nodiscard]] int conflicts() const { return conflicts_; }

 private:
  static constexpr long long kLeast = 1LL << 27, kMost = 1LL << 29;

  Effort(long long most, int conflicts, const Budget& budget) : most_(most), conflicts_(conflicts), budget_(budget) {}

  static bool is_long(std::string_view engines) {
    constexpr std::string_view kLong[] = {"enumerate", "presburger", "propositional", "smt", "cvc5", "sums"};
    return std::any_of(std::begin(kLong), std::end(kLong),
                       [&](std::string_view name) { return engines.find(name) != std::string_view::npos; });
  }

  long long most_;
  int conflicts_;
  Budget budget_;
};

}  // namespace vl::claims
