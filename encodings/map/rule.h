// Rule: a layout for all sizes. It is a blueprint (blueprint.h) whose numbers are expressions in symbols, which are
// integers; with a number for each symbol it is a layout.
//
//   symbols      M, N, P, each >= its lower bound, which is 1 unless a condition says so
//   where        conditions between them; the rule says nothing of sizes that violate one
//
// An *instance exists* if the sizes satisfy bounds and conditions, all expressions have values in 64 bits, start and
// offset are not negative, and the layout that they make does (Layout::create). A claim is proved for all sizes if it
// holds for every instance that exists. Nothing is said of sizes that do not fit, and nothing wraps. `laws` are what
// the family asks of a layout, where that depends on sizes: the claim `well-formed`. An instance may violate them.
//
// Example: S[(M,N):(P,1)] of f16[M,N] has strides (N, 1), the levels (weight N, extent M) and (weight 1, extent N), and
// one place m = P·digit0 + digit1 in a box of extent (M-1)·P + N.
#pragma once

#include "encodings/map/blueprint.h"
#include "encodings/map/tensor.h"

namespace vl::map {

/// Names and numbers that the sizes of one list may have; their products repeat them.
inline constexpr std::size_t kMostParts = 600;

struct Symbol {
  std::string name;
  Index low = 1;
  Index least = 0;  // no instance has a smaller size, whatever bound a condition gives

  bool operator==(const Symbol&) const = default;
};

using RuleLevel = BasicLevel<Expression>;
using RuleTerm = BasicTerm<Expression>;
using RuleNumber = BasicNumber<Expression>;
using RulePlace = BasicPlace<Expression>;

struct Rule : Blueprint<Expression> {
  std::vector<Symbol> symbols;
  std::vector<Condition> where;
  std::vector<Condition> laws = {};
  /// The compiler has a map from places to elements, which divides each number by its strides, wherever the laws hold.
  bool way_back = false;
};

using RuleTensor = BasicTensor<Expression>;

/// Reads `f16[N, M, 150]`; also what parse_tensor reads. Errors: Syntax, Value (a size below 0), Overflow.
[[nodiscard]] Result<RuleTensor> parse_rule_tensor(std::string_view text);
/// Reads `P, 1`, with or without brackets around: the strides of such a tensor. Errors: those of an expression.
[[nodiscard]] Result<std::vector<Expression>> parse_rule_strides(std::string_view text);
/// Reads `K*64`, the offset of such a tensor. Errors: those of an expression, Value below 0.
[[nodiscard]] Result<Expression> parse_rule_offset(std::string_view text);
/// "f16[N,M,150]".
[[nodiscard]] std::string print(const RuleTensor& tensor);
/// Whether a tensor's text has a name among its sizes.
[[nodiscard]] bool has_symbols(const RuleTensor& tensor);

/// Gives the rule its conditions, and takes lower bounds from those that are one: N >= 0. Names that the rule lacks
/// become symbols of it. A bound below the symbol's least size is that size. Congruences stand before other conditions.
/// Error: Value for a bound below 0.
[[nodiscard]] Result<Rule> with_conditions(Rule rule, std::vector<Condition> where);

/// The layout at some sizes. Errors: Value (a symbol without a size, a size below its bound, a condition that does not
/// hold), those of the expressions and of Layout::create.
[[nodiscard]] Result<Layout> instance(const Rule& rule, const Sizes& sizes);

/// An extent of which the system has none below 1: other sizes are none of an instance. What is at least 1 by its form,
/// where names are, needs no condition. Example: M//8 gives "M//8 >= 1", ceil(M/8)*N none.
void add_extent(Rule& rule, const Expression& extent);

/// The rule of a layout whose levels count all of its elements, the first one slowest: their number and `elements` are
/// the same by their form, or by a condition on the sizes. No extent of a level or a replica is below 1. `what` has the
/// levels: "the shard". Error: Shape for numbers that differ.
[[nodiscard]] Result<Rule> counting_rule(Blueprint<Expression> blueprint, const Expression& elements,
                                         std::string_view what);

/// Every name in the rule, in the order of logical sizes, levels, places.
[[nodiscard]] std::vector<std::string> names_of(const Rule& rule);

/// Π extents.
[[nodiscard]] Expression product_of(std::span<const Expression> extents);

}  // namespace vl::map
