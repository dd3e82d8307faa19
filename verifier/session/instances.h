// Instances of a case about all sizes: its texts with numbers in the place of names, read and decided as any other
// case.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/binding.h"

namespace vl::session {

/// A rule with the request that it was read from.
struct RuleCase {
  const CaseRequest& request;
  const map::Rule& rule;
  const engines::Options& options;
  /// Of what is no layout: the claim at sizes that satisfy the conditions; nothing where there is no instance.
  std::function<std::optional<claims::Judged>(const ClaimRequest& claim, const map::Sizes& sizes)> decide = {};
};

/// The request with numbers for names. Errors, which point into the request's own texts: a size that has no value or a
/// negative one. The new texts themselves are not read.
[[nodiscard]] std::variant<CaseRequest, TextError> request_at(const CaseRequest& request, const map::Sizes& sizes);

/// Gives a claim's access numbers for the names of sizes that its `at` has.
void number_access(ClaimRequest& claim, const map::Sizes& sizes);

/// Gives the layout from which a claim's nests move, its key `with`, numbers for names. False where it has none there.
[[nodiscard]] bool number_source(ClaimRequest& claim, const CaseRequest& request, const map::Sizes& sizes);

class Instances {
 public:
  explicit Instances(const RuleCase& of) : of_(of) {}

  struct Instance {
    CaseRequest request;
    TensorReading subject;
  };
  /// Null if there is no layout of these sizes: a condition does not hold, or the texts are refused.
  [[nodiscard]] const Instance* at(const map::Sizes& sizes);
  /// Whether sizes satisfy bounds and conditions and, of a layout, its texts are read with them.
  [[nodiscard]] bool exist(const map::Sizes& sizes) { return of_.decide ? satisfy(sizes) : at(sizes) != nullptr; }
  /// What concrete engines say of a claim; nothing if there is no instance.
  [[nodiscard]] std::optional<claims::Judged> decide(const ClaimRequest& claim, const map::Sizes& sizes);
  /// The claim at the sizes of an instance, where it has names of its own.
  [[nodiscard]] std::optional<ClaimRequest> claim_at(const ClaimRequest& claim, const Instance& instance,
                                                     const map::Sizes& sizes) const;
  /// What the claim is asked about there; nothing if there is no instance.
  [[nodiscard]] std::optional<std::variant<Bound, Diagnostic>> about(const ClaimRequest& claim,
                                                                     const map::Sizes& sizes);

  [[nodiscard]] const engines::Options& options() const { return of_.options; }

  /// A search among instances, which ends when the engines that were asked of them have cost so much, counted by their
  /// names and the sizes of what they walked over: about ten seconds, a `part` of that, and six times as much where all
  /// engines are asked. Or when the answer is to end.
  class Search {
   public:
    explicit Search(const Instances& instances, Index part = 1);
    [[nodiscard]] bool is_over() const;

   private:
    const Instances& instances_;
    Index end_;
  };

 private:
  [[nodiscard]] bool satisfy(const map::Sizes& sizes) const;

  const RuleCase& of_;
  std::map<map::Sizes, std::unique_ptr<Instance>> known_;
  std::map<const claims::Claim*, int> examined_;  // how many instances of each claim
  Index cost_ = 0;                                // of all answers so far, in tenths of milliseconds
};

/// A refuted instance.
struct Refutation {
  map::Sizes sizes;
  question::Refuted verdict;
  bool minimal = false;  // no smaller instance is refuted
};

/// Whether a claim is proved for all sizes where some symbols have numbers (AllSizesOptions::fixed).
using HoldsAt = std::function<bool(const engines::AllSizesOptions&)>;

/// The smallest refuted instance among small sizes and those that `leaves` name; else one of the failing leaves, with
/// sizes made smaller one by one; nothing if there is none. Without `holds_at` none is minimal.
[[nodiscard]] std::optional<Refutation> smallest_refuted(const RuleCase& of, const ClaimRequest& claim,
                                                         const engines::Leaves& leaves, Instances& instances,
                                                         const HoldsAt& holds_at);

/// The number that a claim is asked with, as it reads it: the bytes of `fits`, the base of `aligned`; nothing if no
/// small instance exists. The diagnostic points into the claim's text.
[[nodiscard]] std::variant<std::optional<Index>, Diagnostic> number_of(const RuleCase& of, const ClaimRequest& claim,
                                                                       Instances& instances);

/// Instances of a proof that concrete engines decide: of every leaf, and random ones.
struct Sampled {
  std::size_t decided = 0;
  std::optional<Refutation> against;  // the first one that is refuted
  std::size_t existing = 0;
  std::vector<map::Sizes> found;            // some of those that exist, in the order in which they were found
  std::size_t bare = 0;                     // leaves of which none was decided, and that are not shown to be empty
  std::optional<std::string> vacuous = {};  // why it is asked of nothing, of the first instance of which it is
};
/// `value`: what a measuring claim has to give; its instances that give another number count as against.
[[nodiscard]] Sampled sampled(const ClaimRequest& claim, const engines::Leaves& leaves,
                              const std::optional<map::Expression>& value, Instances& instances);

}  // namespace vl::session
