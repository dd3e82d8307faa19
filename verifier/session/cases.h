// Case files: TOML in, requests out. corpus/README.md describes the fields of a case.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/use/rule_nests.h"
#include "verifier/claims/claim.h"
#include "verifier/question/record.h"
#include "verifier/session/source_text.h"

namespace vl::session {

/// The table [case.replay], with which a tensor of a campaign is run again; see corpus/README.md.
struct ReplayRequest {
  std::optional<SourceText> mismatch;
  SourceText verb;
  SourceText host;
  SourceText pattern;
  SourceText fill;
  SourceText to;   // the layout to which it is moved
  Index unit = 0;  // bytes: 1, 2, 4 or 8
  Index data = 0;
  bool empty = false;
  bool streamed = false;
};

struct ClaimRequest;

/// A case that is a program, in place of a layout: the text, or the name of its file; see corpus/README.md.
struct ProgramRequest {
  SourceText text;
  std::string function;                                                      // "@f"; empty: each
  std::vector<std::pair<std::string, question::Expectation>> expected = {};  // by claim; empty: all are to be proved
};

/// A case that is a transfer, in place of a layout: canonical texts of descriptors (encodings/use/descriptor.h), and
/// the target that has to take them.
struct TransferRequest {
  std::vector<SourceText> texts;
  std::optional<SourceText> target;
};

/// One layout with its tensor, and what is asked about it.
struct CaseRequest {
  std::optional<std::string> id;
  SourceText layout;
  SourceText tensor;
  std::optional<std::vector<Index>> strides;
  std::optional<SourceText> strides_text;  // their place
  Index offset = 0;
  Index view_offset = 0;
  std::optional<SourceText> box;     // declared extents of physical axes
  std::string family;                // empty: by the text
  std::vector<ClaimRequest> claims;  // empty: the family's defaults
  bool expect_invalid = false;
  std::shared_ptr<const ReplayRequest> replay;                // mostly null
  std::shared_ptr<const ProgramRequest> program = nullptr;    // then there is no layout
  std::shared_ptr<const TransferRequest> transfer = nullptr;  // the same
  std::vector<std::size_t> lines;                             // of a layout found in a text: where, the first 16
  std::size_t occurrences = 0;                                // and how often
  std::string pass = {};                                      // after which pass of a compiler it first stands
  std::vector<question::BoundName> bound = {};                // names in it whose numbers its file states
  /// The names in it that its file computes, and in which lines: they have one value each, which is not known.
  std::vector<std::pair<std::string, std::size_t>> computed = {};
  std::vector<question::IgnoreComment> ignores = {};  // comments about it
  std::optional<SourceText> where = {};               // conditions on the names in the layout and in the tensor's sizes
  std::optional<SourceText> sizes = {};               // numbers of these names: one instance is judged
  bool all_sizes = false;                             // there has to be such a name
  bool one_size = false;                              // there may be none
  std::optional<SourceText> named_strides = {};       // "P, 1": strides with names, in place of `strides`
  std::optional<SourceText> named_offset = {}, named_view_offset = {};  // "K*64": in place of the numbers
  question::TensorSource tensor_source = question::TensorSource::Given;
  std::string stated_tensor = {};  // what the text states where another tensor is given
  bool is_stated = false;  // what its texts derive is stated by a certificate, and is not proved when they are read
  std::string stem = {};   // of the names of files about the case; empty: its id

  [[nodiscard]] bool has_layout() const { return program == nullptr && transfer == nullptr; }
};

/// One operand of an operation, as a case of its own.
struct OperandRequest {
  CaseRequest of;
  std::vector<Index> scales;  // empty: derived from the shapes
  bool result = false;
  /// Of an input: what its padding and its elements hold, as states, and the tensor up to which its layout goes.
  std::optional<SourceText> padding = {}, contents = {}, padded = {};
};

/// The further parts of a claim about an operation; the case's own layout is the first result.
struct OperationRequest {
  SourceText name;
  std::vector<OperandRequest> operands;  // inputs, then further results
  std::vector<Index> scales;             // of the case's own layout
  std::optional<SourceText> dims;        // "M=1024,K=512,N=256"
  std::optional<std::vector<Index>> reduced;
  use::RuleSet rules = use::RuleSet::Upstream;
  bool describe = false;  // report each operand's stick
  bool plan = false;      // and with it the padding plan
};

/// One key of a claim and its value: region = "2:3, 6:10".
struct ClaimArgument {
  std::string key;
  SourceText text;
};

struct ClaimRequest {
  const claims::Claim* claim = nullptr;
  std::optional<use::Division>
      division;  // as a case file gives it; "splits" says where, or is the whole text without it
  std::optional<question::Expectation> expected;
  std::vector<std::pair<std::string, question::Counterexample::Value>> counterexample;  // fields it must have
  std::shared_ptr<const use::Transfer> nests;  // of claims about loop nests; "with" is then the layout they come from
  std::shared_ptr<const use::RuleTransfer> rule_nests = {};  // the same of a case about all sizes
  std::string nests_text;                                    // as they were given: a file, or what the case says
  SourceText nests_at = {};                                  // where they stand; a file is not read again
  std::optional<OperationRequest> operation;                 // of a claim about one
  std::vector<ClaimArgument> arguments;  // all keys that are given as texts; "with" is the second layout
  std::optional<Index> at_most;          // the limit that a measuring claim is asked with
  bool places_alone = false;             // as of claims::Offer
  std::shared_ptr<const TransferRequest> transfer = {};  // of claims about descriptors, beside a layout
  std::optional<std::string> holds = {};                 // of all sizes: when the claim has to hold
  std::optional<std::string> expression = {};            // of all sizes: what a measuring claim has to give

  /// The text of a key; null when it is not given.
  [[nodiscard]] const SourceText* text(std::string_view key) const;
};

/// Strides that have no name after all become `strides`.
void number_strides(CaseRequest& request);
/// The same of offsets.
void number_offsets(CaseRequest& request);

/// Gives a claim the text of one of its keys, from a case file or from the command line. Returns the error: the claim
/// has no such key, or already has a text for it.
[[nodiscard]] std::optional<std::string> give(ClaimRequest& claim, std::string_view key, SourceText text);

/// The part that the claim lacks, in words: "a second layout"; empty if its first key is there.
[[nodiscard]] std::string_view lacks(const ClaimRequest& claim);

/// Something that is wrong with a case file, or with one of its cases.
struct BadCase {
  std::optional<std::string> id;  // of the case; absent where it is wrong itself, and for the file as a whole
  std::size_t before = 0;         // how many of the file's good cases stand before it
  bool further = false;           // of the same case as the error before
  Diagnostic diagnostic;
};

/// Where a good case stands in a document, from which it is read again: of 100,000 cases of a file 100 bytes each are
/// in memory, and their text.
struct CasePlace {
  std::string id;
  std::shared_ptr<const std::string> file;
  std::shared_ptr<const Document> document;
  std::uint32_t begin = 0, end = 0;  // bytes of the document: a part that is a document of its own
  std::uint32_t number = 0;          // of the case among those of the part, from 0 on

  [[nodiscard]] CaseRequest read() const;
};

/// The cases of one document, in order, and what is wrong with it. A case with something wrong is not among the cases;
/// the others can be judged. A document that is wrong as a whole has no cases.
struct CaseFile {
  std::vector<CaseRequest> cases;
  std::vector<CasePlace> places;  // of find_cases, in place of `cases`
  std::vector<BadCase> errors;
};

/// `file` names the document in diagnostics. Errors point at the wrong key or value: TOML syntax, a wrong or missing
/// schema, unknown keys, wrong types, unknown claims, ids that are not unique.
[[nodiscard]] CaseFile parse_cases(const std::string& file, std::string document);

/// The same for a file on disk.
[[nodiscard]] CaseFile read_cases(const std::string& path);

/// The same, but of a document whose cases are [[case]] tables the places alone. A document in which they are written
/// in another way, or of one case, has `cases`.
[[nodiscard]] CaseFile find_cases(const std::string& file, std::string document);
[[nodiscard]] CaseFile find_cases_in(const std::string& path);

/// Messages about names that are not there, with the nearest that is, and all of them.
[[nodiscard]] std::string no_such_claim(std::string_view name, bool of_nests);
[[nodiscard]] std::string no_such_family(std::string_view name);

/// Whether a *.toml is a case file, or a profile, and not another program's: it has `schema = 1` before its first
/// table, or its first table is [[case]] (then the schema is what is wrong with it). A file that cannot be read is one,
/// so that the error is reported.
[[nodiscard]] bool is_case_file(const std::string& path);

/// Every case file beneath a folder, sorted, or the path itself. Empty if there is no such path or no such file.
/// `others`: how many *.toml beneath the folder are no case files.
[[nodiscard]] std::vector<std::string> case_files(const std::string& path, std::size_t* others = nullptr);

}  // namespace vl::session
