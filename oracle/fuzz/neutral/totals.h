// Totals of the campaign `neutral`: sums, so those of two ranges add up to those of both. oracle/fuzz/totals.h has the
// same for campaigns of layouts; its counts are of layouts (ranks, units, verbs), of which a question about values has
// none, and its records state that they add up.
#pragma once

#include "oracle/fuzz/neutral/trial.h"
#include "oracle/fuzz/totals.h"

namespace vl::oracle {

struct NeutralTotals {
  std::uint64_t cases = 0;
  std::uint64_t elements = 0;
  std::uint64_t proved = 0;
  std::uint64_t refuted = 0;
  std::uint64_t unknown = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t differing = 0;        // cases that differ, none of them proved
  std::uint64_t images = 0;           // cases with a layout
  std::uint64_t groups = 0;           // questions
  std::uint64_t refuted_groups = 0;   // of them those that are refuted, and
  std::uint64_t detected_groups = 0;  // those of which some case differs, too
  std::uint64_t unknown_groups = 0;   // the same of unknown ones
  std::uint64_t differing_groups = 0;
  std::array<std::uint64_t, 2> digest{};
  std::map<std::string, std::uint64_t> counts;  // cases by operation and by type; of states results and images
  std::map<std::string, Found> found;           // by kind, operation and type

  void add(std::uint64_t index, const NeutralQuestion& asked, bool image, const NeutralOutcome& outcome);
  /// `differs`: some case of the group does.
  void add_group(Answered verdict, bool differs);
  void add(const NeutralTotals& other);
  [[nodiscard]] std::string digest_text() const;

  bool operator==(const NeutralTotals&) const = default;
};

/// The cases [from, to) of a campaign. As a line of JSON it is a shard's file.
struct NeutralRecord {
  std::uint64_t seed = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  NeutralTotals totals;

  bool operator==(const NeutralRecord&) const = default;
};

/// One line that ends with a checksum; neutral_record_of(to_text(r)) == r. Errors: Value for a text that is not byte by
/// byte what to_text() writes, and for counts that do not add up.
[[nodiscard]] std::string to_text(const NeutralRecord& record);
[[nodiscard]] Result<NeutralRecord> neutral_record_of(const std::string& text);
/// Whether a text claims to be such a record.
[[nodiscard]] bool is_neutral_record(const std::string& text);

/// Joins records of adjacent ranges; the result ascends. Errors: Value for records of two campaigns and for ranges that
/// overlap.
[[nodiscard]] Result<std::vector<NeutralRecord>> merge(std::vector<NeutralRecord> records);

/// What is too rare in a campaign of this size, in words. Campaigns of fewer than 2^16 cases are not judged.
[[nodiscard]] std::vector<std::string> too_rare(const NeutralRecord& record);

}  // namespace vl::oracle
