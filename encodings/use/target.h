// Target: which descriptors a piece of hardware takes. It is data: the files are corpus/targets/*.toml, and this header
// has their rules and judges them.
//
//   condition ::= comparison ((`and` | `,`) comparison)*
//   comparison ::= operand (`=` | `==` | `!=` | `<` | `<=` | `>` | `>=`) operand | operand `in` (word, …)
//   operand ::= an expression (map/expression.h) whose names are fields, or a word of the notation
//
// A rule says: where `if` holds, `then` holds. With `each` it is asked of every entry of these lists: their names are
// then their k-th entries, and k is `entry`; field_0, field_1, … are entries of any list. A comparison about a field
// that the descriptor does not state is open. Of conjunctions as usual: one false comparison makes them false, else an
// open one makes them open.
//
// Where names for sizes decide a rule, what it asks of them is a list of laws, each a comparison of expressions; `if`
// and the fields of the text are in them. So a law has one form for engines and kernels, whatever rule it is from.
//
// Example: `stride % 16 = 0` for each of `stride` at (1022): entry 0 fails, for 1022 % 16 is 14 and not 0. At (2*K) the
// law of entry 0 is 2*K % 16 == 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/descriptor.h"

namespace vl::use {

/// Who says a rule. Disputed and toolchain rules (a compiler's own) are warnings.
enum class Authority { Document, Driver, Toolchain, Disputed, Erratum };
[[nodiscard]] std::string_view name(Authority level);

/// A side of a comparison, as it is read: a word is one that no field is called.
using FieldOperand = std::variant<map::Expression, std::string>;

struct FieldComparison {
  enum class Relation { Equal, NotEqual, Less, AtMost, Greater, AtLeast, In };
  FieldOperand left;
  Relation relation = Relation::Equal;
  std::vector<FieldOperand> right;  // of In: the words; else one
  std::string text;

  bool operator==(const FieldComparison&) const = default;
};

/// Reads a condition about descriptors of that kind. Errors: Syntax, those of expressions, Value for a name that is
/// neither a field nor a word of one.
[[nodiscard]] Result<std::vector<FieldComparison>> parse_rule_condition(std::string_view text,
                                                                        const DescriptorKind& kind);

struct TargetRule {
  std::string name;                    // "stride-alignment"
  std::string each = {};               // a list, or empty
  std::vector<FieldComparison> when;   // `if`
  std::vector<FieldComparison> holds;  // `then`
  Authority level = Authority::Document;
  std::string source;

  bool operator==(const TargetRule&) const = default;
};

struct Target {
  std::string name;  // "tma-sm_90"
  std::string kind;
  std::vector<TargetRule> rules;  // errata among them

  bool operator==(const Target&) const = default;
};

/// What became of one rule, or of one entry of a rule with `each`.
struct RuleFinding {
  enum class Outcome { Holds, Fails, Open, Sized };
  Outcome outcome = Outcome::Holds;
  std::string rule;  // "stride-alignment[0]"
  Authority level = Authority::Document;
  std::string source = {};
  // Of one that fails: the first comparison that is false, and the values of its sides.
  std::string text = {};  // "stride % 16 = 0"
  std::string have = {}, want = {};
  // Of an open one: the field that is not stated. A sized one may lack a field besides.
  std::string field = {};
  // Of a sized one, which names for sizes decide: it fails at the sizes at which one of these does not hold. Of one
  // that holds or fails: what it compares as numbers, where that is asked for.
  std::vector<map::Condition> laws = {};

  bool operator==(const RuleFinding&) const = default;
};

/// Whether a rule of that level that fails refutes that the target takes the descriptor; else it is a warning.
[[nodiscard]] constexpr bool counts(Authority level) {
  return level != Authority::Disputed && level != Authority::Toolchain;
}

/// Of one that fails: "stride-alignment[0]: expected stride % 16 = 0, here it is 14; cuda.h 12.9 (document)".
[[nodiscard]] std::string in_words(const RuleFinding& finding);

enum class Laws { Sized, All };

/// Judges a descriptor by every rule whose `if` does not fail, in the order of the rules. `laws`: of which findings
/// they are stated. Errors: Value for a descriptor of another kind; those of expressions (a number beyond 64 bits).
[[nodiscard]] Result<std::vector<RuleFinding>> judge(const Target& target, const Descriptor& descriptor,
                                                     Laws laws = Laws::Sized);

}  // namespace vl::use
