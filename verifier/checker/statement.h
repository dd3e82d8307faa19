// Statements: what certificates say, as plain values. A claim, what it is about in canonical texts, and the words of an
// arithmetic; each struct names the header that says what it means. Codes are texts as 0x3C00, sizes and strides whole
// numbers of elements.
//
// Example: "injective, proved" says a layout's map; "neutral, proved" says its operands' maps and the reductions; a
// measured claim says its value, as 1032 of "padding".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "verifier/checker/kernel.h"

namespace vl::checker {

using Integers = std::vector<std::int64_t>;

struct LayoutText {
  std::string map;          // logical ++ replicas -> physical ++ guards
  std::size_t logical = 0;  // how many of the map's inputs are the element's
  std::string physical;
  std::optional<std::string> decode;                            // physical -> logical ++ replicas ++ guards
  std::optional<std::string> filled;                            // the valid slots, where they are stated as a box
  std::optional<std::pair<std::string, std::string>> identity;  // rows of slots, of elements
  std::optional<bool> named;                                    // places are compared axis by axis, by name
  bool operator==(const LayoutText&) const = default;
};

/// One of the family's rules: integers that have to be equal.
struct Rule {
  std::string statement;
  std::int64_t have = 0, want = 0;
  bool operator==(const Rule&) const = default;
};

/// A number; a name; or an operation ("+", "-", "*", "//", "%", "ceil", "min", "max") of two parts. "?" of four parts
/// a, b, yes, no is yes where a >= b, else no. In JSON 64, "N" and ["+","N",64].
struct ExpressionText {
  std::string word;
  std::int64_t number = 0;  // where there is no word
  std::vector<ExpressionText> parts = {};
  bool operator==(const ExpressionText&) const = default;
};

/// What accesses.h is about.
struct AccessText {
  std::string bytes, coordinates, when;
  std::vector<std::string> conditions;  // of the values of `when`: "<=0", "=0", "!=0"
  std::string logical;
  std::int64_t width = 0;
  std::vector<Integers> phases;
  std::int64_t banks = 0, bytes_per_bank = 0;
  bool broadcasts = false;
  /// Of a load: its phases where, for one of the distances d, all active lanes l and l ^ d name the same byte.
  struct Pairs {
    Integers distances;
    std::vector<Integers> phases;
    bool operator==(const Pairs&) const = default;
  };
  std::optional<Pairs> pairs;
  /// Of an access to a rule: what is added to the coordinates of every lane.
  std::optional<std::vector<ExpressionText>> origin = {};
  bool operator==(const AccessText&) const = default;
};

/// What divisions.h is about.
struct DivisionText {
  Integers splits, scales, order;  // one a dimension of the operation
  std::int64_t cores = 0, span = 0, stick = 0;
  Integers sticks;
  std::optional<std::vector<std::vector<Integers>>> slices;  // [begin, end] of each dimension
  bool operator==(const DivisionText&) const = default;
};

/// What nests.h is about.
struct TransferText {
  struct Bases {
    std::int64_t source = 0, destination = 0;  // the offsets of the first slots
    bool operator==(const Bases&) const = default;
  };
  struct Nest {
    Integers extents, source, destination;  // a walk: its offset, and one stride a loop
    bool operator==(const Nest&) const = default;
  };
  LayoutText source, destination;
  Bases bases;
  std::vector<Nest> nests;
  bool operator==(const TransferText&) const = default;
};

/// What fills.h is about, in elements.
struct FillText {
  struct Box {
    Integers extents, low, high, shared;  // `shared`: a place, and one stride a dimension
    bool operator==(const Box&) const = default;
  };
  std::vector<Box> boxes;
  std::vector<Integers> swizzles;  // of places, one after the other: base, bits, shift
  std::int64_t base = 0;           // the place of slot 0
  bool operator==(const FillText&) const = default;
};

/// What rows.h has besides: a count N or P, ties, where pads are, blocks, and how many topk takes.
struct RowText {
  std::string divide, ties, pads, blocks;
  std::int64_t k = 1;
  bool operator==(const RowText&) const = default;
};

/// What reductions.h is about. Ranges of codes, first and last, as 0x….
struct ReductionText {
  using Ranges = std::vector<std::pair<std::string, std::string>>;
  std::string operation, type, accumulate, start, order, max, equal;
  bool fused = false;
  std::optional<std::string> rounding, flush, integers;  // absent: to nearest even, none, wrapping
  Ranges contents, fill;
  std::optional<Ranges> other;  // of dot: the second elements of pads
  std::optional<RowText> row;   // of what rows.h is about
  bool operator==(const ReductionText&) const = default;
};

/// What images.h is about: the results of a function of sets of codes lie in a set.
struct ImageText {
  std::string function, type, max;
  std::vector<ReductionText::Ranges> operands;
  ReductionText::Ranges results;
  bool operator==(const ImageText&) const = default;
};

/// Values that padding can hold, as codes of f64 or of the type.
struct StoringText {
  std::string type;
  std::optional<ReductionText::Ranges> values, codes;
  bool operator==(const StoringText&) const = default;
};

/// What row_states.h is about: a row whose positions hold codes of sets, and what its results are.
struct RowStateText {
  ReductionText about;                                    // says no contents and no fill
  std::string result;                                     // the type of results
  Integers extents, whole;                                // of the row's dimensions
  std::vector<std::vector<ReductionText::Ranges>> holds;  // by set of dimensions that are beyond: of each operand
  std::int64_t at = 0;                                    // where the results are
  ReductionText::Ranges results;
  bool operator==(const RowStateText&) const = default;
};

/// One operation of a chain (chains.h). Dimensions have sizes, and granules to whose multiples they are padded; sets by
/// region, a mask of padded dimensions, the empty one the valid elements.
struct StepText {
  std::string kind, type;
  Integers operands, sizes, granules;
  std::optional<std::string> function, max;                        // of pointwise steps
  std::optional<std::string> operation, accumulate, start, order;  // of reductions, rows and matmul
  std::optional<bool> fused;
  std::optional<RowText> row;  // of rows and means
  std::optional<Integers> axes, masked;
  std::optional<std::int64_t> first, step;                  // of a slice: the operand's index that is its 0; absent: 1
  std::optional<std::string> value;                         // of a mask
  std::optional<std::vector<ReductionText::Ranges>> holds;  // of an input
  bool operator==(const StepText&) const = default;
};
/// What is stated of a function of one operand: of codes in `of` its result is one of `gives`.
struct FactText {
  std::string function, type;
  ReductionText::Ranges of, gives;
  bool operator==(const FactText&) const = default;
};
struct ChainText {
  std::string equal;
  std::optional<std::string> rounding, flush, integers, conversion;  // absent: to nearest even, none, wrapping
  std::optional<std::vector<FactText>> facts;                        // absent: those of functions.h
  std::vector<StepText> steps;                                       // operands come before their readers
  bool operator==(const ChainText&) const = default;
};

/// Bytes that an operation of a function reads or writes (buffers.h). `argument`: the number of the caller's, or -1.
struct BufferText {
  std::string space;
  std::int64_t begin = 0, end = 0, argument = -1;
  bool writes = false;
  std::string name;  // of the buffer, where it is said
  bool operator==(const BufferText&) const = default;
};

/// The swizzle of a place of a rule.
struct RuleSwizzleText {
  std::size_t place = 0;
  std::int64_t base = 0, bits = 0, shift = 1;
  bool up = false;
  bool operator==(const RuleSwizzleText&) const = default;
};

/// What rules.h is about: a layout for all sizes.
struct RuleText {
  using Expressions = std::vector<ExpressionText>;
  struct Symbol {
    std::string name;
    std::int64_t low = 1;
    bool operator==(const Symbol&) const = default;
  };
  struct Condition {
    ExpressionText left;
    std::string relation;  // "<", "<=", ">=", ">", "=="
    ExpressionText right;
    bool operator==(const Condition&) const = default;
  };
  struct Level {
    ExpressionText weight, extent;
    bool operator==(const Level&) const = default;
  };
  struct Term {
    std::size_t input = 0;  // a level, or behind the levels a replica
    ExpressionText coefficient;
    bool operator==(const Term&) const = default;
  };
  struct Place {
    std::string name;
    ExpressionText extent;
    std::optional<ExpressionText> filled;  // the valid slots of named axes
    ExpressionText constant;
    std::vector<Term> terms;
    bool operator==(const Place&) const = default;
  };
  /// Σ strides_i·x_i over some dimensions, divided by the next `levels` levels.
  struct Number {
    std::vector<std::size_t> dims;
    std::size_t levels = 0;
    bool operator==(const Number&) const = default;
  };
  std::vector<Symbol> symbols;
  std::vector<Condition> where;
  Expressions logical, strides, replicas;
  std::vector<Level> levels;
  std::vector<Place> places;
  std::optional<RuleSwizzleText> swizzle;
  bool decodes = false, named = false;
  std::optional<std::vector<Number>> numbers = {};  // absent: one, of all dimensions and all levels
  /// What each number joins besides, as coefficient·digit of levels of numbers before it. Absent: nothing.
  std::optional<std::vector<std::vector<Term>>> joins = {};
  std::optional<std::vector<Condition>> laws = {};  // what the family asks of sizes
  std::optional<ExpressionText> start = {};         // what the number that is split begins with; absent: 0
  std::optional<ExpressionText> offset = {};        // where element 0 lies on the host, of nests; absent: 0
  bool operator==(const RuleText&) const = default;
};

/// Loop nests between the host and the layout of a rule (rule_nests.h), or from the layout of another one: the walks
/// are an offset and one stride a loop.
struct RuleNestText {
  RuleText::Expressions extents, host, device;
  std::optional<RuleText::Expressions> from;
  bool operator==(const RuleNestText&) const = default;
};

/// What is known of one operand of a padded run: codes of its elements, all of which are among the reductions'
/// contents; and of block floats ("bfp8") their name.
struct HeldText {
  ReductionText::Ranges elements;
  std::optional<std::string> blocks;
  bool operator==(const HeldText&) const = default;
};

/// An operation as it was asked (texts.h), of the claims about operations: what the maps, the rules and the reductions
/// of their statements are made from. The layout and the tensor of the statement are its first result.
struct OperandText {
  std::string layout, tensor;
  std::optional<Integers> strides, scales;
  std::optional<std::int64_t> offset, view_offset;
  std::optional<bool> result;                            // absent: an input
  std::optional<std::string> padding, contents, padded;  // states; the tensor up to which the layout goes
  bool operator==(const OperandText&) const = default;
};
struct OperationText {
  std::string name, rule;  // "matmul", "upstream"
  std::vector<OperandText> operands;
  std::optional<Integers> scales, reduce;  // of the first result; dimensions of the input
  std::optional<std::string> dims;         // "M=1024, K=512"
  bool operator==(const OperationText&) const = default;
};

/// A profile that an argument names by its path: what it says, as canonical text.
struct FileText {
  std::string key, text, digest;  // "hardware"; the digest is the text's
  bool operator==(const FileText&) const = default;
};

/// An operation in the text of a layout, as in S[(8,64):(64,1)].slice(…), and the layout that it has to give.
struct DerivedText {
  std::string text, operation;  // the layout's text; "slice(…)"
  LayoutText result, law;
  bool operator==(const DerivedText&) const = default;
};

/// The same of a layout for all sizes: the law gives the rule that the operation gave, expression by expression.
struct DerivedRuleText {
  std::string text, operation;  // "restickify(1)"
  RuleText result, law;
  bool operator==(const DerivedRuleText&) const = default;
};

struct Statement {
  std::string layout, tensor, claim, verdict;  // the first two, and the arguments, are texts that a user gave
  std::optional<std::map<std::string, std::string>> arguments;
  std::optional<OperationText> operation;
  std::optional<std::vector<FileText>> files;
  std::optional<std::vector<DerivedText>> derived;  // each of which is equal to its law
  std::optional<std::vector<DerivedRuleText>> derived_rules;
  std::optional<LayoutText> map, other;
  std::optional<std::vector<Rule>> rules;
  std::optional<std::vector<LayoutText>> operands;
  std::optional<std::vector<HeldText>> held;  // by each of them; absent: the contents
  std::optional<AccessText> access;
  std::optional<std::vector<AccessText>> accesses;  // what swizzles.h is about
  std::optional<DivisionText> division;
  std::optional<TransferText> transfer;
  std::optional<FillText> fills;
  std::optional<std::vector<ReductionText>> reductions;  // each of which is neutral; of `fills` and a refutation one
  std::optional<std::string> book;                       // of a proof about reductions: the digest of the lemmas
  std::optional<std::vector<ImageText>> images;          // each of which holds
  std::optional<std::vector<RowStateText>> row_states;   // each of which holds
  std::optional<StoringText> storing;
  std::optional<ChainText> chain;
  std::optional<std::vector<BufferText>> buffers;  // in order; of an operation what it reads comes first
  std::optional<RuleText> rule;
  std::optional<std::vector<RuleNestText>> rule_nests;
  std::optional<RuleText> from_rule;               // of nests between devices; what the layout is equal to
  std::optional<ExpressionText> value_expression;  // of a rule
  std::optional<std::int64_t> bits, base, at, at_most, value;
  bool operator==(const Statement&) const = default;
};

}  // namespace vl::checker
