// Dossier: one finding as a report that a maintainer would accept: what, the law, the smallest element, the right
// answer where the verifier has one, how often, and what was not checked. Nothing is counted twice, and no severity is
// claimed. It is written only of a finding that still fails when it is asked again.
#pragma once

#include <string>
#include <vector>

#include "oracle/gate/campaign.h"

namespace vl::gate {

struct Dossier {
  Json finding;    // the line of the report
  Json operation;  // the line of its operation; null if the report has none
  Peer peer;
  Case of;
  Judgement judgement;  // of the case, asked again
  std::string script;   // in the peer's own API; empty without a template
  std::string printed;  // what the script prints
  std::vector<std::string>
      asked;  // the words behind `gate replay`: {"reports/…/case.jsonl", "--", "python3", "adapter.py"}
};

/// REPORT.md.
[[nodiscard]] std::string to_markdown(const Dossier& dossier);

/// A folder's name for a signature: letters, digits, - and _.
[[nodiscard]] std::string folder_name(std::string_view signature);

}  // namespace vl::gate
