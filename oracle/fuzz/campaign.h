// Campaign: a range of tensors, each a pure function of (family, seed, index), run by threads that share nothing.
// Tensors are in groups of 64 with one layout; index / 64 is the group.
//
// The state of a campaign is one Record of all tensors from the first to some last one. With a folder it is written
// there repeatedly, each time as a whole (a rename). A campaign that is started again continues after the record. So a
// killed campaign ends with the same bytes as an uninterrupted one. One campaign at a time works on a record's file.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "oracle/fuzz/shrink.h"
#include "oracle/fuzz/totals.h"

namespace vl::oracle {

/// How often tensors are also run element by element and by every kernel set, and their layouts' texts are read.
enum class Thoroughness : std::uint8_t { Sometimes, Always };

struct CampaignOptions {
  std::string family;
  std::uint64_t seed = 1;
  std::uint64_t count = 100000;  // of the whole campaign
  std::uint64_t shard = 0;       // 0 <= shard < shards; shards are ranges of whole groups
  std::uint64_t shards = 1;
  double seconds = 0;  // 0: no limit. Else it stops after a whole group
  std::size_t threads = 1;
  Thoroughness definition = Thoroughness::Sometimes;
  std::string folder;                                             // empty: nothing is written
  const std::atomic<bool>* stop = nullptr;                        // ends it like `seconds`
  std::function<void(const Record&, std::uint64_t to)> progress;  // about once per second; `to` is its end
};

struct CampaignResult {
  Record record;
  std::uint64_t to = 0;                 // its end; record.to if it is complete
  std::vector<Trouble> troubles;        // the smallest of each kind and structure, at most kMostTroubles
  std::vector<std::string> case_files;  // written, one per trouble
};

constexpr std::size_t kMostTroubles = 50;

/// Errors: Io for a folder or a file that cannot be written or read, and while another process runs this range there;
/// Value if the folder has the record of another campaign under this one's name, or one that was altered.
[[nodiscard]] Result<CampaignResult> run_campaign(const CampaignOptions& options);

/// The indices [first, second) of a shard.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> range_of(const CampaignOptions& options);
/// "spyre-1.json", "spyre-1-2-of-4.json": a record's name in its folder.
[[nodiscard]] std::string file_name(const CampaignOptions& options);

/// The tensors [from, to) one after the other, in this thread. Requires: `from` is the first of a group.
void run_range(Trial& trial, const CampaignOptions& options, std::uint64_t from, std::uint64_t to, Totals& totals);

}  // namespace vl::oracle
