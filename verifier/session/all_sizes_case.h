// One case about all sizes: what its answers share, and how each claim is answered (all_sizes.h). A claim is lifted to
// a question of the polynomial engine, by its kind (claims::Lifted); whatever the engine says is held against the
// checker and against instances.
#pragma once

#include <functional>

#include "verifier/session/all_sizes.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_certificates.h"

namespace vl::session {

/// What the polynomial engine is asked of a claim; nothing of claims that are answered otherwise.
[[nodiscard]] std::vector<engines::AllSizesPart> parts_of(claims::Lifted lifted);

class AllSizesCase {
 public:
  /// `only_proofs`: nothing is looked for that refutes a claim, nor when it holds.
  AllSizesCase(const RuleCase& of, const RuleReading& read, const CertificateOptions& certificates,
               bool only_proofs = false)
      : of_(of),
        read_(read),
        instances_(of),
        options_(certificates),
        certificates_(of.request, read, certificates),
        only_proofs_(only_proofs) {}

  /// What is wrong with the texts of a claim that was answered.
  [[nodiscard]] const std::optional<Diagnostic>& wrong() const { return wrong_; }

  /// Where its certificate could not be written, the diagnostic says so.
  [[nodiscard]] question::Answer answer(const ClaimRequest& claim, const std::string& stem,
                                        std::optional<Diagnostic>& unwritten);
  /// Whether sizes were found at which concrete engines prove the claim.
  [[nodiscard]] bool holds_somewhere(const ClaimRequest& claim);

 private:
  void certify(const ClaimRequest& claim, const std::string& stem, question::Answer& out,
               std::optional<Diagnostic>& unwritten);
  /// The certificate of a refutation is that of the instance which is refuted.
  void certify_instance(const ClaimRequest& claim, const std::string& stem, question::Answer& out,
                        std::optional<Diagnostic>& unwritten);
  void decide(const ClaimRequest& claim, question::Answer& out);
  /// Of a layout with names that its file computes, sizes at which a claim fails need not be those of the file.
  void spare_computed(const ClaimRequest& claim, question::Answer& out);
  void by_nests(const ClaimRequest& claim, question::Answer& out);
  void by_rules(const ClaimRequest& claim, question::Answer& out);
  void by_parts(const ClaimRequest& claim, question::Answer& out);
  void by_kind(const ClaimRequest& claim, question::Answer& out);
  void by_box(const ClaimRequest& claim, question::Answer& out);
  void by_size(const ClaimRequest& claim, question::Answer& out);
  void by_lanes(const ClaimRequest& claim, question::Answer& out);
  void by_base(const ClaimRequest& claim, question::Answer& out);
  void by_row_starts(const ClaimRequest& claim, question::Answer& out);
  void by_number(const ClaimRequest& claim, const char* none, question::Answer& out);
  void unless_well_formed(const char* none, question::Answer& out) const;
  void by_mask(const ClaimRequest& claim, question::Answer& out);
  void by_way_back(const ClaimRequest& claim, question::Answer& out);
  void by_equal(const ClaimRequest& claim, question::Answer& out);
  void say_when_strides_divide(const ClaimRequest& claim, question::Answer& out);
  void by_checker(const ClaimRequest& claim, const engines::Leaves& all, question::Answer& out);
  [[nodiscard]] bool fails_nearby(const ClaimRequest& claim, const engines::Leaves& all);
  /// The leaves of a question that holds or fails on each: proved, refuted with the condition, or unknown.
  void by_leaves(const ClaimRequest& claim, const engines::Leaves& leaves, const HoldsAt& holds_at,
                 question::Answer& out);

  /// Says proved only after instances of it were decided.
  void confirm(const ClaimRequest& claim, const engines::Leaves& leaves, question::Answer& out);
  /// Under --cross-check, what Z3 and isl say of the cells of a proof. False where one contradicts it.
  [[nodiscard]] bool is_agreed(const ClaimRequest& claim, const engines::Leaves& leaves, question::Answer& out) const;
  /// What a measuring claim is found to be. False, and unknown, where nobody reads it.
  bool says_value(const ClaimRequest& claim, const map::Expression& value, question::Answer& out) const;
  /// Says when the claim holds, if one reads it, the checker shows it, and no instance contradicts it. Returns one that
  /// does.
  std::optional<Refutation> say_when(const ClaimRequest& claim, const engines::Leaves& leaves,
                                     question::ForAllSizes& all);
  void disagree(const Refutation& against, question::Answer& out) const;
  void refute(Refutation& found, question::Answer& out);
  /// All cells of the rule, as leaves that hold.
  [[nodiscard]] engines::Leaves all_cells(std::span<const map::Expression> parted_by = {}) const;

  // What a question may take, for cells and for the checker.
  [[nodiscard]] engines::AllSizesOptions in_time() const { return {.until = &of_.options.budget}; }
  [[nodiscard]] claims::Effort effort() const { return claims::Effort::generous(of_.options.budget); }

  const RuleCase& of_;
  const RuleReading& read_;
  Instances instances_;
  const CertificateOptions& options_;
  RuleCertificates certificates_;
  bool only_proofs_ = false;
  std::vector<map::Sizes> existing_;          // of the proof that was found last: sizes of which a layout exists
  std::optional<checker::CasesProof> cases_;  // of that proof, where the checker is who found it
  RuleNumbers numbers_;                       // of the claim that is answered
  std::optional<Diagnostic> wrong_;
};

}  // namespace vl::session
