// Case files: TOML in, requests out. corpus/README.md describes the fields of a case.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
  std::optional<ReplayRequest> replay;
};

/// One operand of an operation, as a case of its own.
struct OperandRequest {
  CaseRequest of;
  std::vector<Index> scales;  // empty: derived from the shapes
  bool result = false;
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
  std::optional<OperationRequest> operation;   // of a claim about one
  std::vector<ClaimArgument> arguments;        // all keys that are given as texts; "with" is the second layout
  std::optional<Index> at_most;                // the limit that a measuring claim is asked with

  /// The text of a key; null when it is not given.
  [[nodiscard]] const SourceText* text(std::string_view key) const;
};

/// Gives a claim the text of one of its keys, from a case file or from the command line. Returns the error: the claim
/// has no such key, or already has a text for it.
[[nodiscard]] std::optional<std::string> give(ClaimRequest& claim, std::string_view key, SourceText text);

/// The part that the claim lacks, in words: "a second layout"; empty if its first key is there.
[[nodiscard]] std::string_view lacks(const ClaimRequest& claim);

/// The cases of one document, in order. `file` names it in diagnostics. Errors point at the wrong key or value: TOML
/// syntax, a wrong or missing schema, unknown keys, wrong types, unknown claims, ids that are not unique.
[[nodiscard]] std::variant<std::vector<CaseRequest>, Diagnostic> parse_cases(const std::string& file,
                                                                             std::string document);

/// The same for a file on disk.
[[nodiscard]] std::variant<std::vector<CaseRequest>, Diagnostic> read_cases(const std::string& path);

/// Every *.toml beneath a folder, sorted; or the file itself. Empty if there is no such path or no such file.
[[nodiscard]] std::vector<std::string> case_files(const std::string& path);

}  // namespace vl::session
