// Report: what a run of the gate found, in words and as lines of JSON. It decides nothing but the exit code, which all
// formats share.
#pragma once

#include <optional>
#include <string>

#include "oracle/gate/cage.h"
#include "oracle/gate/campaign.h"
#include "oracle/gate/expect.h"

namespace vl::gate {

/// All that a report is about.
struct Report {
  Peer peer;
  Cage const* cage = nullptr;
  CampaignResult result;
  CampaignOptions options;
  std::uint64_t starts = 0;                  // of the adapter's process
  std::string gone;                          // why it does not start any more; else empty
  std::string errors;                        // the end of its stderr
  std::optional<double> seconds;             // absent: times are left out
  bool compared = false;                     // with expectations
  std::string expected_file;                 // their path
  std::string adapter_file;                  // the first file among the words of the adapter; empty: none
  std::vector<Red> reds;                     // why the run is red; without expectations, every finding is new
  std::map<std::string, std::string> known;  // signatures that were expected, with their issues
};

/// 0 as expected · 10 a finding · 5 an operation of which nothing was judged, or a run that ended early · 2 the adapter
/// does not start any more · 11 our engines disagree. The most severe one, in the order 11, 10, 2, 5, 0.
[[nodiscard]] int exit_code(const Report& report);

/// In the order of the cases.
[[nodiscard]] std::vector<const Finding*> findings_of(const CampaignResult& result);

[[nodiscard]] std::string to_text(const Report& report);
/// run, finding…, operation…, gate: as INTERFACES says it, one object a line.
[[nodiscard]] std::string to_jsonl(const Report& report);

/// One line for one case, of `gate replay`.
[[nodiscard]] std::string case_line(const Case& of, const Reply& reply, const Judgement& judgement);

}  // namespace vl::gate
