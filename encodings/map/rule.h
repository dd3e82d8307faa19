// Rule: a layout for all sizes. Its extents, strides and weights are expressions in symbols, which are integers; with a
// number for each symbol it is a layout.
//
//   symbols      M, N, P, each >= its lower bound, which is 1 unless a condition says so
//   where        conditions between them; the rule says nothing of sizes that violate one
//   flat         start + Σ strides_i·x_i, the number that is split; a view starts behind element 0 of an allocation
//   levels       the greedy split of `flat`: those with an extent above 1 and a weight above 0, by descending weight,
//                of equal weights the first one first. A level that is left out has digit 0. A rest that the last
//                weight leaves is a guard: an element with a rest has no slot.
//   places       one row a physical dimension, over the levels' digits and then the replicas
//
// A rule may join the dimensions to several `numbers` instead, each with levels of its own: those divide their number
// one after the other in their order; a level whose weight is not below that of the one before has digit 0. What the
// last one leaves is a guard. A number may join digits of numbers before it. Slots that hold no element are padding.
//
// An *instance exists* if the sizes satisfy bounds and conditions, all expressions have values in 64 bits, start and
// offset are not negative, and the layout that they make does (Layout::create). A claim is proved for all sizes if it
// holds for every instance that exists. Nothing is said of sizes that do not fit, and nothing wraps. `laws` are what
// the family asks of a layout, where that depends on sizes: the claim `well-formed`. An instance may violate them.
//
// Example: S[(M,N):(P,1)] of f16[M,N] has strides (N, 1), the levels (weight N, extent M) and (weight 1, extent N), and
// one place m = P·digit0 + digit1 in a box of extent (M-1)·P + N.
#pragma once

#include "encodings/map/expression.h"
#include "encodings/map/layout.h"
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

struct RuleLevel {
  Expression weight;
  Expression extent;
};

struct RuleTerm {
  std::size_t input = 0;  // a level, or behind the levels a replica
  Expression coefficient;
};

/// Σ strides_i·x_i over some dimensions, split by the next `levels` levels. `of` adds digits of levels before them:
/// number t = C·d0 + d1 of a tile in row d0 and column d1 of C, which is then dealt to cores.
struct RuleNumber {
  std::vector<std::size_t> dims;
  std::size_t levels = 0;
  std::vector<RuleTerm> of = {};
};

struct RulePlace {
  std::string name;
  Unit unit = Unit::Element;
  Expression extent;
  Expression filled;  // the extent of the slots that are to be filled (Layout::filled); see fills_axes()
  Expression constant;
  std::vector<RuleTerm> terms;
};

struct Rule {
  std::vector<Symbol> symbols;
  std::vector<Condition> where;
  std::vector<Expression> logical;
  std::vector<Expression> strides;
  Expression start = 0;   // of rules that decode, >= 0 at the sizes of an instance
  Expression offset = 0;  // of the host: element 0 lies there in its storage; nests say so, and no place depends on it
  std::vector<Expression> replicas;
  std::vector<RuleLevel> levels;
  std::vector<RulePlace> places;
  std::optional<Swizzle> swizzle;  // of the place number `input`
  bool named_axes = false;
  /// The way back: slot -> Σ max(weight, 0)·coordinate -> greedy digits by the strides -> element, and its replica.
  /// Only for rules whose places are the digits themselves, or replicas, whose level then has the weight 0.
  bool decodes = false;
  std::vector<Expression> fits = {};  // further numbers that have to fit in 64 bits
  std::vector<RuleNumber> numbers = {};
  std::vector<Condition> laws = {};
  /// The compiler has a map from places to elements, which divides each number by its strides, wherever the laws hold.
  bool way_back = false;

  /// Whether place j of a rule that decodes is a replica: a device dimension that repeats elements.
  [[nodiscard]] bool repeats(std::size_t j) const {
    return !places[j].terms.empty() && places[j].terms[0].input >= levels.size();
  }
  /// Whether all slots of a part of the named axes are to be filled.
  [[nodiscard]] bool fills_axes() const { return named_axes && numbers.empty(); }
};

/// A rule's tensor: as map::Tensor, with expressions for sizes.
struct RuleTensor {
  ElementType type = ElementType::F16;
  std::vector<Expression> size;
  std::vector<Extent> box = {};
  std::optional<std::vector<Expression>> strides = {};  // of the host; absent: dense row-major
  Expression offset = 0, view_offset = 0;               // >= 0: of the host's storage; inside the device allocation
};

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

/// Every name in the rule, in the order of logical sizes, levels, places.
[[nodiscard]] std::vector<std::string> names_of(const Rule& rule);

/// Π extents.
[[nodiscard]] Expression product_of(std::span<const Expression> extents);

}  // namespace vl::map
