// The campaign `neutral`: verdicts of verifier/neutral against evaluations, with and without padding. A range of cases,
// each a pure function of (seed, index). Ranges of a campaign add up, as those of layouts do (oracle/fuzz/campaign.h);
// one that is stopped continues from its record, if it has a folder.
#pragma once

#include <atomic>
#include <functional>

#include "oracle/fuzz/neutral/case.h"
#include "oracle/fuzz/neutral/totals.h"

namespace vl::oracle {

struct NeutralOptions {
  std::uint64_t seed = 1;
  std::uint64_t count = 100000;  // of the whole campaign
  std::uint64_t shard = 0;       // 0 <= shard < shards; shards are ranges of whole groups
  std::uint64_t shards = 1;
  double seconds = 0;  // 0: no limit. Else it stops after some whole groups
  std::size_t threads = 1;
  std::string folder;                       // empty: nothing is written
  const std::atomic<bool>* stop = nullptr;  // ends it like `seconds`
  std::function<void(const NeutralRecord&)> progress = {};
};

struct NeutralResult {
  NeutralRecord record;
  std::uint64_t to = 0;                  // its end; record.to if it is complete
  std::vector<NeutralTrouble> troubles;  // the smallest of each kind, operation and type
  std::vector<std::string> case_files;   // written, one per trouble
};

/// Errors: Io for a folder or a file that cannot be written or read, and while another process runs this range there;
/// Value if the folder has the record of another range under this one's name, or one that was altered.
[[nodiscard]] Result<NeutralResult> run_campaign(const NeutralOptions& options);

/// The cases [first, second) of a shard.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> range_of(const NeutralOptions& options);

/// The cases [from, to) in this thread. Requires: `from` is the first of a group.
void run_range(std::uint64_t seed, std::uint64_t from, std::uint64_t to, NeutralTotals& totals);

/// The trouble of a case that has a mismatch, made smaller. Nothing if it has none.
[[nodiscard]] std::optional<NeutralTrouble> neutral_trouble_at(std::uint64_t seed, std::uint64_t index);

}  // namespace vl::oracle
