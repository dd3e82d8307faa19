// SizeSet: what is asked of the sizes at one leaf of a proof by cases (kernel/core/sizes.h), while a claim is stated
// there. Nothing is searched: p >= 0 has to be shown by its coefficients, or to be a fact that steps have made.
#pragma once

#include "verifier/checker/statement.h"
#include "verifier/kernel/core/sizes.h"

namespace vl::checker {

/// All sizes of the symbols from their lower bounds on; and those alone, one a symbol. Rejects names that are none or
/// come twice, and a size below its bound.
[[nodiscard]] kernel::Sizes sizes_of(const std::vector<RuleText::Symbol>& symbols);
[[nodiscard]] kernel::Sizes sizes_of(const std::vector<RuleText::Symbol>& symbols, const Integers& only);

/// Whoever makes certificates overrides what finds facts, and adds them to the sizes meanwhile.
class SizeSet {
 public:
  /// Both outlive it.
  SizeSet(const std::vector<RuleText::Symbol>& symbols, const kernel::Sizes& known)
      : symbols_(symbols), known_(known) {}
  SizeSet(const SizeSet&) = delete;
  SizeSet& operator=(const SizeSet&) = delete;
  virtual ~SizeSet() = default;

  [[nodiscard]] virtual bool shows(const Polynomial& not_negative) const { return known_.shows(not_negative); }
  /// Whether p >= 0 for all sizes, or for none; Rejected where neither is shown.
  [[nodiscard]] virtual bool decides(const Polynomial& p) const;
  /// p >= 0; else Rejected, with the reason where it holds for none.
  void needs(const Polynomial& p, const char* why) const { require(decides(p), why); }

  /// The value of an expression. Rejected where its divisions and comparisons are not shown.
  [[nodiscard]] Polynomial value(const ExpressionText& said) const;
  /// floor(p / by). Requires that by >= 1 can be shown.
  [[nodiscard]] virtual Polynomial quotient(const Polynomial& p, const Polynomial& by) const;
  /// p mod m, a number; else Rejected.
  [[nodiscard]] virtual Wide rest(const Polynomial& p, const Wide& m) const;
  /// What is >= 0 at all of its sizes.
  [[nodiscard]] const std::vector<Polynomial>& given() const { return known_.facts(); }

 private:
  const std::vector<RuleText::Symbol>& symbols_;
  const kernel::Sizes& known_;
};

}  // namespace vl::checker
