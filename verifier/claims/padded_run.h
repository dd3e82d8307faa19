// Padded run: an operation whose operands go on beyond their tensors, and what their padding holds. Operations iterate
// over whole sticks and tiles: of each operation dimension the greatest extent in whole granules over the operands
// (use::Continued::whole). A valid result reads valid elements, and of dimensions that it reduces also the indices
// beyond, wherever they lie.
//
// Worked example: matmul x f16[55,67] y f16[67,99]. K lies on x's sticks of 64 lanes, so K runs to 128; y has the
// granule 1 there and is read up to row 127 all the same.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "encodings/base/source.h"
#include "encodings/use/operation.h"
#include "encodings/use/padded.h"
#include "encodings/values/code_set.h"
#include "verifier/claims/claim.h"
#include "verifier/neutral/alternatives.h"
#include "verifier/neutral/row_states.h"

namespace vl::claims {

/// An input as a session reads it.
struct PaddedOperand {
  std::variant<use::Continued, std::string> beyond;  // or why it is not known
  std::string padding;                               // texts; empty: nothing is stated
  std::string contents;
  std::function<Diagnostic(std::string_view key, const Error& error)> diagnose;

  [[nodiscard]] const use::Continued* continued() const { return std::get_if<use::Continued>(&beyond); }
};

/// `operands` are the operation's inputs, in order.
struct PaddedOperation {
  use::Operation operation;
  std::vector<PaddedOperand> operands;
};

/// What the user states of an operand's padding. Regions are of the operation's dimensions here, dimension d as bit d.
struct PaddingStates {
  struct Said {
    use::Region dims = 0;  // 0: the whole padding
    values::CodeSet codes;
  };
  std::vector<Said> said;
  std::optional<values::CodeSet> holes;

  /// The codes of a region: of the statements about the largest sets of its dimensions, together; every code where
  /// there is none. "K: 0; M+K: 1": region {K} is 0, {M, K} is 1, {M} is any code.
  [[nodiscard]] values::CodeSet of(use::Region region, const values::Format& format) const;
  /// The same of the holes: what `holes:` says, else what is said of the whole padding.
  [[nodiscard]] values::CodeSet of_holes(const values::Format& format) const;
};

/// Reads "K: 0; M+K: any; holes: NaN", or one state of the whole padding. States are those of values/state.h.
/// Errors: those of a state; Value for a name that is no dimension, or a region twice.
[[nodiscard]] Result<PaddingStates> read_padding(std::string_view text, std::span<const use::OperationDim> dims,
                                                 const values::Format& format, const values::CodeSet& contents);

/// The reduction or the row that an operation is about; nothing of those that read one element, or do not say how.
/// topk with its indices among the results is topk-indices: where these are the same, the values are.
[[nodiscard]] std::optional<neutral::Operation> reduction_of(const use::Operation& operation);

/// The dimensions that the inputs have and the results lack, and those of rows.
[[nodiscard]] std::vector<std::size_t> reduced_dims(const use::Operation& operation);
/// The extents of the padded iteration: of each reduced dimension the greatest whole extent over the inputs that have
/// it, of the others their own. Requires: every input is continued.
[[nodiscard]] std::vector<Index> iterated(const PaddedOperation& of);
/// The sizes of an input in that iteration.
[[nodiscard]] std::vector<Index> size_of(const use::Operand& operand, std::span<const Index> extents);
/// A region of an operand as one of the operation. Scales say which dimension is which.
[[nodiscard]] use::Region in_operation(const use::Operand& operand, use::Region region);
/// "M+K".
[[nodiscard]] std::string region_name(const use::Operation& operation, use::Region region);

/// Where the indices of one operand's padded iteration land.
struct Landing {
  use::Region region = 0;  // of the operand's dimensions
  bool aliases = false;    // some index has the slot of an element; then others may still be pads
  Point alias;             // of those the first: an index of the tensor in its padded size
  Point aliased;           // and the element
};
struct Landings {
  map::Layout over;    // E
  bool apart = false;  // no two indices share a slot, so that none is an alias
  std::vector<Landing> regions;
};
/// Decided by engines. The verdict: an index is outside (refuted; `operand` is its number), or nobody decided.
[[nodiscard]] std::variant<Landings, Verdict> landings_of(const PaddedOperation& of, std::size_t operand,
                                                          std::span<const Index> extents, Inquiry& inquiry);

/// What the elements of one input are, and what its padding holds.
struct PaddedValues {
  const values::Format* format = nullptr;
  values::CodeSet contents;
  PaddingStates states;
  bool shares = false;  // lanes of a block float share exponents; the format is what they are read in
};

/// A padded operation with what a claim asks of it.
struct PaddedAsked {
  PaddedOperation of;
  std::vector<PaddedValues> inputs;                // those of reductions
  std::vector<neutral::Alternative> alternatives;  // of the arithmetic; none: nothing is reduced
  std::vector<neutral::Alternative> quotients;     // of a mean, whose alternatives are sums; none of integers
  std::string unsupported;                         // not empty: what is not covered
  PaddingStates result = {};                       // of the claim padding-state: what its result's padding is to hold
  std::optional<use::Continued> continued = {};    // and the result's layout, if it goes on
};

/// Reads an operation with its inputs' values; nothing where a text is wrong, and the offer says which.
[[nodiscard]] std::optional<PaddedAsked> read_padded_asked(Offer& offer);

/// Where the indices of every input land, as the claim neutral decides it; nothing where it does not get so far. A
/// dimension of which it is not known whether it lies along lanes runs over a whole stick.
[[nodiscard]] std::optional<std::vector<Landings>> all_landings(const PaddedAsked& asked,
                                                                const engines::Options& options);

/// The fills that the pads of each input may be: of every index that a valid result reads, what its region holds, and
/// the contents where it has the slot of an element. Empty sets: nothing beyond the elements is read.
[[nodiscard]] std::vector<values::CodeSet> fills_of(const PaddedAsked& asked, std::span<const Landings> landings);

/// A refutation about values as one of the operation: terms for all elements and pads that one result reads, evaluated
/// with and without the pads. Nothing where none is found, which proves nothing.
[[nodiscard]] std::optional<Counterexample> replayed(const PaddedAsked& asked, std::span<const Landings> landings,
                                                     const neutral::Question& question,
                                                     const neutral::Refuted& refuted);

/// What the claim padding-state asks of one region of the result: the sets that the inputs hold there, and the one that
/// the result's codes are to be in. A slot of an element holds what elements do.
struct RegionAsked {
  use::Region region = 0;
  std::vector<values::CodeSet> operands;
  values::CodeSet claimed;
};
/// What `state` says and the operation does not: of positions of the result that no index of the iteration writes,
/// which hold anything, and of holes. Empty: nothing.
[[nodiscard]] std::string beyond_iteration(const PaddedAsked& asked);
/// A stated region in which no index of these regions lies; its name. Empty: there is none.
[[nodiscard]] std::string unreached(const PaddedAsked& asked, std::span<const use::Region> regions);
/// Of each region that `state` speaks of. `landings` are over the whole extents. Requires: no operation that is
/// unsupported.
[[nodiscard]] std::vector<RegionAsked> regions_asked(const PaddedAsked& asked, std::span<const Landings> landings);

/// The extents of the whole iteration, padded in every dimension.
[[nodiscard]] std::vector<Index> whole_extents(const PaddedOperation& of);
/// What an input holds at a region of the operation. `landings` are over the whole extents, one per input.
[[nodiscard]] values::CodeSet at_region(const PaddedAsked& asked, std::span<const Landings> landings, std::size_t i,
                                        use::Region region);

/// What it asks of one region of the result of a reduction or a row: the row that its results there are of. `at` is the
/// part of the row where they are.
struct RowAsked {
  use::Region region = 0;
  neutral::RowOfSets row;
  std::size_t at = 0;
  values::CodeSet claimed;
};
/// Of each region that `state` speaks of. `landings` are over the whole extents.
[[nodiscard]] std::vector<RowAsked> rows_asked(const PaddedAsked& asked, std::span<const Landings> landings);
/// The questions of the alternatives: a mean is one, whose count `divide` says.
[[nodiscard]] std::vector<neutral::Question> state_questions(const PaddedAsked& asked);
/// The format of an operation's results: places and truth values have one of their own. Null: no source states it.
[[nodiscard]] const values::Format* format_of_result(const PaddedAsked& asked);
/// Where the indices of the whole iteration land, per input; or why that is not known.
[[nodiscard]] std::variant<std::vector<Landings>, Verdict> whole_landings(const PaddedAsked& asked, Inquiry& inquiry);

/// The same of a reduction or a row: a result in the padding is of what the input holds there, and of the padding of
/// the reduced dimensions. Proved by an image that is maybe too large; refuted by one evaluation.
[[nodiscard]] Verdict reduced_padding(const PaddedAsked& asked, std::span<const Landings> landings, Inquiry& inquiry);

/// What the claim storeable asks of a format: each of these values of f64 (of `wide`), or that these codes of its own
/// are some. Nothing: the state has no meaning in the format.
struct StoredAsked {
  values::CodeSet codes;
  bool wide = false;
};
[[nodiscard]] std::optional<StoredAsked> stored_asked(const StoredValues& about);

}  // namespace vl::claims
