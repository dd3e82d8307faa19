// Claims about a layout for all sizes, by cases and polynomials.
//
//   symbols, where   sizes are integers >= the symbols' bounds that satisfy the conditions
//   number           start + Σ strides_i·x_i, 0 <= x_i < logical_i; only where places are the digits is there a start
//   levels           its greedy split by those of extent > 1 and weight > 0, by descending weight, equal ones in their
//                    order; what the last weight leaves is a rest, and an element with a rest has no slot. A level that
//                    is left out has digit 0
//   numbers          where there are any, the strides are of several numbers: each is divided by its own levels one
//                    after the other, none left out; what the last one leaves is a rest. Slots without an element are
//                    padding. `joins` adds digits of numbers before it to a number
//   places           constant + Σ coefficient·(digit or replica), one a physical dimension, 0 <= place < extent
//
// The sizes of which this is a layout with numbers are its instances: all expressions have values in 64 bits, divisors
// are at least 1, start and offset are not negative, and nothing negative is swizzled. The offset is where element 0
// lies on the host, of which nests alone speak. A claim is shown if it holds of all of them. The evidence is a tree
// of steps (sizes.h); on each leaf everything that is asked of polynomials is decided, or facts contradict one another,
// and it holds of nothing.
//
// `well-formed`: the family's rules, of which `laws` depend on sizes. `remap`: what a compiler reads of a place p of a
// number whose dimensions have the strides s_0, s_1, …, the last of them 1: Σ s_d·x_d with x_0 = p div s_0 and else
// x_d = (p div s_d) mod (s_{d-1} div s_d), is p where p is an element, and else a place of the number, too. So it is p
// where each stride divides the one before; or where only s_0 is no multiple, x_0 has one value, each stride is at
// least what the dimensions behind it reach, and the places are all p below s_0. There is such a map only where the
// laws hold.
//
// `bytes`: the slots of the box, of so many bits each; of block formats a slot is a tile. `equal`: the second layout is
// `from_rule`, of the same tensor; without named axes a place is the number of the slot, and the boxes have as many
// slots. `row-aligned`: row_starts.h. `occupied`: every slot holds an element, as of `onto`; or
// every core, without the axis m. `mask-exact`: every slot that is kept holds an element, and every element has one.
// Both where the laws hold alone.
// `padding-kind`: the slots of one box that no place of a smaller one takes, or of two such pairs, the second one in
// `from_rule`; where the laws hold alone.
//
// `offset-identity`: of an element that has a slot, Σ weight·coordinate of the slot is the number that is split; or of
// numbers, each of which is one coordinate of the element and has digits that are coordinates of the slot, that one.
//
// What is said of a layout's places, of their offsets, and of loop nests (rule_nests.h), is shown by steps that the
// kernel replays on the layout that the rule is there (rule_layout.h): a leaf names them, one list a goal. Accesses
// look at digits themselves (rule_digits.h).
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/checker/leaf_goal.h"

namespace vl::checker {

/// Whether the claim holds for all sizes. Rejects what is no proof. Takes the rule and what the claim states besides
/// from the statement, and the cases from the evidence.
void check_for_all_sizes(const std::string& claim, Statement& statement, Evidence& evidence);

/// One leaf: whether the sizes of a set have the claim of a statement about a rule, or about nests of it. Rejected if
/// not, or if too little of them is shown.
void check_sizes(const Statement& statement, const SizeSet& sizes, const StepsForLeaf& steps);
/// Whether the rule is a layout at such sizes, with an element if that is asked, as far as polynomials say it.
void check_instance(const RuleText& rule, const Integers& sizes, bool with_element = true);

/// Cases that a proof has at most.
inline constexpr std::size_t kMostCases = 4096;

}  // namespace vl::checker
