// Case files of the campaign `neutral`: a mismatch as data, to be run again by `replay`. A case of the corpus has a
// layout and a tensor and asks for a verdict; this one is about one row of codes, its tree and a verdict, so it is JSON
// of its own, in a file named `neutral-….case.json`:
//
//   {"kind": "neutral-case", "mismatch": "false-proved", "detail": "…", "seed": 1, "index": 4711,
//    "question": {"operation": "sum", "type": "f16", "accumulate": "f16", "start": "first", "order": "any",
//                 "max": "nan-wins", "fused": false, "flush": "none", "integers": "wrap",
//                 "rounding": "nearest-even", "equal": "any-nan", "contents": [["0x0000", "0xffff"]]},
//    "fill": [["0x0000", "0x0000"]],                 of dot a second one, "second"
//    "terms": ["0x8000", "p0x0000"], "tree": "0 1 +"}
//
// A question about a row or a mean also has "divide", "ties", "pads" and "k". Ranges and codes are unsigned integers in
// hexadecimal; a pad has a p, and a pair of dot is "0x3c00*0x0000". The tree is in postfix notation over the terms'
// numbers; s is the start.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "oracle/fuzz/neutral/trial.h"

namespace vl::oracle {

struct NeutralTrouble {
  NeutralQuestion asked;
  NeutralRow row;
  Mismatch mismatch;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;  // in its campaign
};

/// "neutral-false-proved-3f09ac41.case.json". Equal troubles have the same name.
[[nodiscard]] std::string case_file_name(const NeutralTrouble& trouble);
[[nodiscard]] std::string case_text(const NeutralTrouble& trouble);
/// Errors: Syntax for no JSON, Value for fields that are missing, unknown, or no question or row.
[[nodiscard]] Result<NeutralTrouble> neutral_case_of(std::string_view text);
[[nodiscard]] bool is_neutral_case_file(std::string_view path);

/// The trouble run once more: the verdict of today on its row, and the counterexample of that verdict.
[[nodiscard]] NeutralOutcome run_again(const NeutralTrouble& trouble);

/// The same kind of mismatch in fewer terms and simpler codes, by a simpler tree. `still`: whether a row, which fits
/// the question, still shows it.
[[nodiscard]] NeutralRow smaller_row(const NeutralQuestion& asked, NeutralRow row,
                                     const std::function<bool(const NeutralRow&)>& still);

}  // namespace vl::oracle
