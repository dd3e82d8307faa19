// Laws: theorems about evaluations of any length, with premises about single operations. Each law lists its premises as
// statements; whoever checks a law looks each of them up among the lemmas that were checked, text by text.
//
// Two results are alike as `equal` says ("=", "~" or "~~"), an equivalence. "@" in a condition stands for a term.
//
// Tree. S, the partial results of valid leaves, is what `partial` says; pads are `constants`, or what `pad` says. If
//   S is closed under f and ~;  f(s, p) ~ s and f(p, s) ~ s;  f of two pads is as `pad` says;  and s ~ t implies
//   f(s, u) ~ f(t, u) and f(u, s) ~ f(u, t),
// then each tree is ~ its tree without the pads. By induction: a subtree with a valid leaf is ~ its reference, and so
// in S; one without is a pad. The last premise is asked by cases: two NaNs are both ~ one of them, and of two zeros one
// is +0 and the other -0. Where no partial result is NaN, the first case falls away.
//
// Start. A sum that starts with +0; S is for subtrees with the start. Two others are like one another if they are
// equal, both zero, or NaNs that are ~ (of "=": equal once quieted). If S is closed, whatever is added; s + v ~ s + w
// for like v and w; sums of what is like are like; v + p is like v; and s + p ~ s for a zero p, then trees are ~ as
// above.
//
// Chain. Accumulators x -> fma(y, z, x), of the start +0 or of the first product, rounded. Before the first valid term
// there may be pads: an accumulator p of pads alone is as `pad` says, and fma(y, z, p) ~ y·z.
//
// Only. f(e, p) ~ p for every p: so where [e] is a row of contents, each neutral p is ~ e, and no greater set is
// neutral.
#pragma once

#include <string>
#include <vector>

namespace vl::values_kernel {

/// A condition that partial results have: f(x, y) has it always, where the first or the second operand has it, or both.
struct Kept {
  enum From { Always, First, Second, Both };
  std::string condition;
  From from;
};

/// Two factors and what is known of them.
struct Factors {
  std::string left, right;
  std::vector<std::string> conditions;
};

struct Law {
  enum Theorem { Tree, Start, Chain, Only };
  Theorem theorem;
  std::string name, wide, type;
  std::string operation, equal;
  std::vector<std::string> where;  // what is known of the parameter z
  std::vector<Kept> partial;
  std::vector<std::string> constants, pad;
  std::vector<Factors> valid, pads;  // of Chain
  bool starts = false;               // of Chain: with +0
  bool nans = true;                  // whether a partial result may be NaN
};

struct Premise {
  std::string role, text;
};

/// What has to be among the lemmas of its formats.
[[nodiscard]] std::vector<Premise> premises_of(const Law& law);

/// Example: "tree of add: partial results not @ = -0; pads +0 -0, so zero(@); up to ~".
[[nodiscard]] std::string text_of(const Law& law);

/// The laws of a format, and of a type whose numbers it has. Requires: formats by name.
[[nodiscard]] std::vector<Law> laws_of(const std::string& wide);
[[nodiscard]] std::vector<Law> laws_of_types(const std::string& wide, const std::string& type);

}  // namespace vl::values_kernel
