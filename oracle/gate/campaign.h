// Campaign: a range of cases asked of an adapter and judged. Case i is number i / n of the i % n-th of the n operations
// that the adapter offers (or that were selected of them). While the adapter answers one batch, the gate judges the
// batch before and makes the next one; several threads, each with a process of its own, take batches in turn.
//
// One case in 64 is asked again in the same batch, and up to 256 of these (of each thread) in a fresh process, in the
// other order: other answers are unstable.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/gate/child.h"
#include "oracle/gate/record.h"
#include "oracle/gate/totals.h"

namespace vl::gate {

struct CampaignOptions {
  std::vector<std::string> families, ops;  // empty: all that the adapter offers
  std::uint64_t seed = 1;
  std::uint64_t count = 10'000;  // of the whole campaign
  std::uint64_t shard = 0, shards = 1;
  std::uint64_t threads = 1;       // each with a process of the adapter; the record is the same for any number
  double seconds = 0;              // 0: no limit
  std::uint64_t repeat = 64;       // one case in so many is asked again; 0: none
  Index elements = kMostElements;  // of the largest cases
  bool throttles = false;          // findings that many scouts have are asked less (throttle.h)
  std::string folder;  // where the record is kept, and from which a stopped campaign continues; empty: nowhere
  std::function<void(std::uint64_t done, std::uint64_t of)> progress = {};
};

struct CampaignResult {
  std::vector<OpTotals> ops;  // one per operation; of those with an undeclared convention the one that fits best
  std::vector<std::pair<std::string, std::string>> conventions;  // name and what was found: "unscaled (declared)"
  std::uint64_t cases = 0;                                       // that were asked
  std::uint64_t skipped = 0;                                     // numbers of which there is no case
  std::uint64_t to = 0;                                          // behind the last index
  std::array<std::uint64_t, 2> digest{};
  std::string engines_differ;      // not empty: the first such case
  bool ended_early = false;        // interrupted, out of time, or the adapter is gone
  std::uint64_t starts = 0;        // of the processes of further threads
  std::string gone;                // why one of these does not start any more; else empty
  std::uint64_t shrink_asked = 0;  // questions that made findings smaller
};

/// What the cases of a record add up to: of an operation with an undeclared convention the value that fits best.
[[nodiscard]] CampaignResult summed(const GateRecord& record);

/// Errors: Value where nothing of what was selected is offered, and if the folder has the record of another campaign
/// under this one's name; Io while another process works on it, and of the system.
[[nodiscard]] Result<CampaignResult> run_campaign(Child& child, const Judge& judge, const CampaignOptions& options);

/// Cases that somebody chose, each once; `index` is its place in the list. A case is judged under the convention that
/// the peer declares, else under its own; those that have none under the value that fits all of them best. What is told
/// has the convention.
[[nodiscard]] CampaignResult run_cases(Child& child, const Judge& judge, const std::vector<Case>& cases,
                                       const std::function<void(const Case&, const Reply&, const Judgement&)>& told);

/// What a peer gets to see of a case.
[[nodiscard]] std::string text_for(const Peer& peer, const Case& of);

}  // namespace vl::gate
