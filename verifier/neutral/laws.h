// Laws: neutral fills of a question that follow from a handful of facts about single operations, for every number of
// terms and every evaluation. Nothing is assumed about terms; what a law does not give is not claimed to be harmful.
//
// Theorem (First). Let S hold every partial result of valid leaves, and let ~ be the question's equality. If
//   (N1) f(s, p) ~ s and f(p, s) ~ s for all s in S and all leaves p of pads,
//   (N2) f(p, q) is again such a leaf, or as good as one, for all leaves p, q of pads, and
//   (N3) s ~ t implies f(s, u) ~ f(t, u) and f(u, s) ~ f(u, t),
// then each subtree with a valid leaf is ~ its reference, and each one without is as good as a pad: by induction.
//
// Lemma (Zero). With a start +0 there are two sorts of subtrees: those with the start, T, and the others, V. Let two
// results of V be alike if they are equal, both zeros, or equal after quieting. If -0 is in no T, then t + v = t + w
// for all t in T and alike v, w; sums of alike results are alike; and v + p is alike v for each zero p. So zeros are
// neutral in V up to likeness, and in T exactly. A pad +0 needs this; for -0 it holds without the condition, because
// then also v + -0 = v up to quieting.
//
// The facts. Those of sums, products, max and min are lemmas of the book (verifier/values_kernel/lemmas): the laws
// "sum/…", "fused/…", "prod/1", "max/…", "min/…", "any" and "all" of each format name their premises there, and `./dev
// lemmas` checks them. The last one, on products that are not rounded, is a lemma of some formats only: no certificate
// uses it.
//   sums       x + -0 = x, and x + +0 = x unless x = -0, for every x that is no signalling NaN
//   products   x·1 = x for every x that is no signalling NaN
//   max, min   max(x, p) = x = max(p, x) where p <= x (NaN wins, or loses, or x86's rule for p < x)
//   fused      x + q rounds to x where |q| is less than half the distance of the least two subnormals, and x is not 0
#pragma once

#include "verifier/neutral/classes.h"

namespace vl::neutral {

/// Fill codes that are neutral together, so that each pad may be any of them, and why.
struct Neutral {
  CodeSet codes;
  std::string reason;
  /// Valid elements. If there are any, every code in neither set is refuted by one of them alone in its row (and by the
  /// start): the identity of the operation, or what a number replaces.
  std::vector<Code> identities = {};
  /// Codes of which the laws say nothing.
  CodeSet open = {};
};

/// Whether a leaf of the contents can be a signalling NaN. A conversion quiets, and so does every node.
[[nodiscard]] bool has_signalling_leaf(const Question& question);

/// Requires: not Dot, and misfit() is empty. Nothing: the codes are too many to list (integers of 32 bits and more
/// whose squares wrap to 0).
[[nodiscard]] std::optional<Neutral> neutral_codes(const Question& question);

/// Whether pads of dot whose elements are any codes of these sets are neutral by the laws, and why; or why that is not
/// known. Requires: Dot, and misfit() is empty.
struct PairAnswer {
  bool neutral = false;
  std::string reason;
};
[[nodiscard]] PairAnswer neutral_pairs(const Question& question, const CodeSet& a, const CodeSet& b);

}  // namespace vl::neutral
