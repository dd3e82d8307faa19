// Record: a range of a campaign's cases and their totals, as a shard's file: one line of JSON that ends with a
// checksum. Records of adjacent ranges merge to the bytes that one run would have written, whatever was killed and
// continued in between.
#pragma once

#include <string>
#include <vector>

#include "oracle/gate/totals.h"

namespace vl::gate {

struct GateRecord {
  std::string impl, version;       // the peer's name and version
  JsonText setup;                  // what else decides which cases are asked, and what they mean
  std::vector<std::string> asked;  // "family/op", in the order in which cases are dealt
  std::uint64_t seed = 0, count = 0;
  std::uint64_t from = 0, to = 0;  // [from, to) of the campaign's cases
  std::uint64_t cases = 0, skipped = 0;
  std::string engines_differ;
  std::vector<OpTotals> rows;  // one per operation and value of its convention
};

/// gate_record_of(to_text(r)) gives r again. Errors: Value for a text that is not byte by byte what to_text() writes in
/// this version.
[[nodiscard]] std::string to_text(const GateRecord& record);
[[nodiscard]] Result<GateRecord> gate_record_of(const std::string& text);
[[nodiscard]] Result<GateRecord> read_gate_record(const std::string& path);

/// Of a campaign: the adapter, the families with their forms and limits, how often a case is asked again, whether
/// known findings are throttled, and how large cases are.
[[nodiscard]] JsonText setup_of(const Peer& peer, std::uint64_t repeat, bool throttles, Index elements);

/// Whether two records are of one campaign: of one peer and setup, the same cases, operations, contracts and
/// conventions.
[[nodiscard]] bool same_campaign(const GateRecord& a, const GateRecord& b);

/// Joins records that lie side by side. Errors: Value for records of two campaigns, ranges that overlap, and a gap.
[[nodiscard]] Result<GateRecord> merged(std::vector<GateRecord> records);

/// "mine-7.json", "mine-7-2-of-4.json": the name of a shard's file; letters that a name should not have become '_'.
[[nodiscard]] std::string record_name(const std::string& impl, std::uint64_t seed, std::uint64_t shard,
                                      std::uint64_t shards);

}  // namespace vl::gate
