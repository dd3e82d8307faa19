// A certificate: a statement, and the evidence for it. Plain values, as makers fill them and as the checker takes them.
// certificate.cpp alone knows how they are written: as JSON, or the same as CBOR (RFC 8949), which its first byte
// tells.
//
//   {"schema": "verify-layout-certificate/1", "statement": {…}, "digest": "sha256:…", "evidence": {…}}
//
// Maps, spaces and rows are canonical text (ir.h): the digest is one of texts, and the checker reads them by itself.
// Whoever checks takes each field once and ends with what is left: a certificate holds nothing that is not checked.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "verifier/checker/forms.h"
#include "verifier/checker/linear.h"

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

/// What accesses.h is about.
struct AccessText {
  std::string bytes, coordinates, when;
  std::vector<std::string> conditions;  // of the values of `when`: "<=0", "=0", "!=0"
  std::string logical;
  std::int64_t width = 0;
  std::vector<Integers> phases;
  std::int64_t banks = 0, bytes_per_bank = 0;
  bool broadcasts = false;
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
  std::optional<std::int64_t> first;                        // of a slice: the operand's index that is its 0
  std::optional<std::string> value;                         // of a mask
  std::optional<std::vector<ReductionText::Ranges>> holds;  // of an input
  bool operator==(const StepText&) const = default;
};
struct ChainText {
  std::string equal;
  std::vector<StepText> steps;  // operands come before their readers
  bool operator==(const ChainText&) const = default;
};

/// A number; a name; or an operation ("+", "-", "*", "//", "%", "ceil", "min", "max") of two parts. "?" of four parts
/// a, b, yes, no is yes where a >= b, else no. In JSON 64, "N" and ["+","N",64].
struct ExpressionText {
  std::string word;
  std::int64_t number = 0;  // where there is no word
  std::vector<ExpressionText> parts = {};
  bool operator==(const ExpressionText&) const = default;
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
  std::vector<Symbol> symbols;
  std::vector<Condition> where;
  Expressions logical, strides, replicas;
  std::vector<Level> levels;
  std::vector<Place> places;
  std::optional<RuleSwizzleText> swizzle;
  bool decodes = false, named = false;
  bool operator==(const RuleText&) const = default;
};

/// Loop nests between the host and the layout of a rule (rule_nests.h), or from the layout of another one: the walks
/// are an offset and one stride a loop.
struct RuleNestText {
  RuleText::Expressions extents, host, device;
  std::optional<RuleText::Expressions> from;
  bool operator==(const RuleNestText&) const = default;
};

struct Statement {
  std::string layout, tensor, claim, verdict;  // the first two, and the arguments, are texts that a user gave
  std::optional<std::map<std::string, std::string>> arguments;
  std::optional<LayoutText> map, other;
  std::optional<std::vector<Rule>> rules;
  std::optional<std::vector<LayoutText>> operands;
  std::optional<AccessText> access;
  std::optional<std::vector<AccessText>> accesses;  // what swizzles.h is about
  std::optional<DivisionText> division;
  std::optional<TransferText> transfer;
  std::optional<std::vector<ReductionText>> reductions;  // each of which is neutral; of `fills` and a refutation one
  std::optional<std::string> book;                       // of a proof about reductions: the digest of the lemmas
  std::optional<std::vector<ImageText>> images;          // each of which holds
  std::optional<std::vector<RowStateText>> row_states;   // each of which holds
  std::optional<StoringText> storing;
  std::optional<ChainText> chain;
  std::optional<RuleText> rule;
  std::optional<std::vector<RuleNestText>> rule_nests;
  std::optional<RuleText> from_rule;               // of nests between devices
  std::optional<ExpressionText> value_expression;  // of a rule
  std::optional<std::int64_t> bits, base, at, at_most, value;
  bool operator==(const Statement&) const = default;
};

/// A piece of the box is cut before number `at` of one of its groups; the part from there on becomes the last piece.
struct PieceCut {
  std::size_t piece = 0, group = 0;
  Wide at;
};

// The forms of a proof: questions.h says what each shows.
struct ByDigits {
  static constexpr const char* kForm = "digits";
};
struct ByWalking {
  static constexpr const char* kForm = "exhaustion";
};
struct BySteps {
  static constexpr const char* kForm = "strided";
  std::vector<Step> steps;
};
struct ByCount {
  static constexpr const char* kForm = "count";
  std::vector<Step> steps;
};
struct ByEquations {
  static constexpr const char* kForm = "linear";
  OneToOneProof proof;
};
struct ByNoSolution {
  static constexpr const char* kForm = "linear";
  LinearProof proof;
};
struct ByLeftInverse {
  static constexpr const char* kForm = "gf2";
  std::vector<std::vector<std::uint64_t>> left;
};
struct ByClauses {
  static constexpr const char* kForm = "propositional";
  std::int64_t variables = 0;
  std::size_t clauses = 0;
  std::string drat;
};
struct ByRanges {
  static constexpr const char* kForm = "ranges";
};
struct ByStages {
  static constexpr const char* kForm = "stages";
};
struct ByDecoding {
  static constexpr const char* kForm = "inverse";
};
struct ByCover {
  static constexpr const char* kForm = "cover";
};
struct ByPieces {
  static constexpr const char* kForm = "pieces";
  std::vector<PieceCut> cuts;
  std::vector<std::vector<Group>> digits;               // of each piece
  std::optional<std::vector<std::vector<Step>>> steps;  // of those with slots, where slots are counted
};
using Proof = std::variant<ByDigits, ByWalking, BySteps, ByCount, ByEquations, ByLeftInverse, ByClauses, ByRanges,
                           ByStages, ByDecoding, ByCover, ByPieces>;

/// Two elements, or one, at which a claim is false.
struct Showing {
  Point a;
  std::optional<Point> b;
};

/// A cut of nest `nest` before iteration `at` of a loop, and a piece of the nests that are cut (nests.h).
struct Cut {
  std::size_t nest = 0, loop = 0;
  Wide at;
};
struct NestPiece {
  std::vector<Group> digits;
  std::optional<std::vector<Step>> steps;
  std::optional<std::vector<std::vector<Wide>>> element;
};

/// Why a swizzle will not do: an access conflicts at the point `at` of its variables; or, where `access` is -1, the
/// element `at` leaves the box.
struct RefusedSwizzle {
  std::int64_t access = 0;
  Point at;
};

/// An evaluation whose pads change its result (reductions.h). Terms are pairs of codes; of all but dot the second is 0.
struct EvaluationText {
  std::string shape;
  std::vector<std::pair<std::string, std::string>> valid, pads;
  std::string got, want;
};

/// Of each step of a chain: which codes its regions hold, and up to which equality it may differ from the reference.
struct ChainProof {
  std::vector<std::vector<ReductionText::Ranges>> sets;
  std::vector<std::string> differ;
};

/// A step of a proof by cases (sizes.h). A polynomial is a list of terms [coefficient, variable, power, …].
struct CaseStep {
  std::string step;  // "compare", "divide", "residue"; "holds" is none
  std::optional<std::vector<Integers>> polynomial = {};
  std::optional<std::int64_t> variable = {}, by = {};
};
/// The tree of steps, each before those of its branches; and sizes of which the rule is a layout.
struct CasesProof {
  Integers sizes;
  std::vector<CaseStep> steps;
};

struct Evidence {
  std::optional<std::vector<Group>> digits;
  std::optional<Proof> escapes, filled, collides, misdecodes, breaks, differs, occupied, sticks;
  std::optional<std::variant<ByNoSolution, ByWalking>> overlaps;
  std::optional<Point> lands, other_lands;
  std::optional<Showing> witness;                 // of a refutation
  std::optional<std::vector<Evidence>> operands;  // one an operand
  std::optional<std::string> form;                // of an access, with
  std::optional<std::vector<bool>> free;
  std::optional<std::vector<RefusedSwizzle>> refused;  // one per swizzle
  std::optional<std::vector<Cut>> cuts;                // of nests, to the end
  std::optional<std::size_t> by;
  std::optional<std::vector<std::vector<Wide>>> weights;
  std::optional<std::vector<NestPiece>> pieces;
  std::optional<EvaluationText> evaluation;
  // Those whose rows the codes outside of a fill change; of images the operands whose result lies outside.
  std::optional<std::vector<std::string>> elements;
  std::optional<ChainProof> chain;
  std::optional<std::vector<Point>> runs;  // blocks before which a run ends (runs.h)
  std::optional<CasesProof> cases;         // of a rule
};

struct Certificate {
  std::string schema = "verify-layout-certificate/1";
  Statement statement;
  std::string digest;  // of the statement
  Evidence evidence;
};

/// The field, which is empty then.
template <class T>
[[nodiscard]] T take(std::optional<T>& field) {
  require(field.has_value(), "a field is missing");
  return *std::exchange(field, std::nullopt);
}

/// Rejects what was not taken.
void end(const Statement& statement);
void end(const Evidence& evidence);

/// What JSON says, read strictly: a number is a whole one of 64 bits, a field has a name that is known; else Rejected.
/// T: Certificate, or a part of one: LinearProof, OneToOneProof; written also Statement, Evidence.
template <class T>
[[nodiscard]] T read(const nlohmann::json& json);
template <class T>
[[nodiscard]] nlohmann::json write(const T& value);
/// Whether it can be written: no number in it is beyond 64 bits. Then a reader finds the same.
[[nodiscard]] bool is_writable(const Certificate& certificate);

/// "sha256:" and the digest of the statement's canonical text (keys sorted, no white space).
[[nodiscard]] std::string digest(const nlohmann::json& statement);
[[nodiscard]] std::string digest(const Statement& statement);

/// JSON or CBOR; a discarded value, and in `why` the reason, when the bytes are neither, nest 1,024 deep or more, or
/// announce a list that is longer than they are. Of CBOR there are maps, lists, texts, whole numbers and yes and no,
/// each of a stated length. Rejected: a key that an object has twice, and bytes behind the object.
[[nodiscard]] nlohmann::json parse(const std::string& bytes, std::string* why = nullptr);
/// The certificate of such bytes; nothing where parse() has none. Rejected when they are something else.
[[nodiscard]] std::optional<Certificate> certificate_in(const std::string& bytes, std::string* why = nullptr);
/// One line of JSON, or CBOR when it is to be `compact`.
[[nodiscard]] std::string print(const Certificate& certificate, bool compact);

}  // namespace vl::checker
