// Totals: the results of a range of tensors. Totals of two ranges add up to those of both, in any order: the digest is
// a sum modulo 2^128 of one number per tensor, which depends on its index, the verdict and every byte of the results.
// So threads, shards and resumed runs give the bytes of one uninterrupted run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle/fuzz/trial.h"

namespace vl::oracle {

/// The names of the counts of tensors: features, ranks, units, patterns, sizes; and each verb and host with the way in
/// which it was carried out: "unpack-by-plan", "view-refused".
[[nodiscard]] const std::vector<std::string>& classes();
/// The place of a name in classes(). Requires: the name is there.
[[nodiscard]] std::size_t class_of(std::string_view name);

/// One kind of mismatch: the first tensor with it, and the number of such tensors.
struct Found {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::string detail;  // of the first

  bool operator==(const Found&) const = default;
};

struct Totals {
  std::uint64_t cases = 0;
  std::uint64_t elements = 0;
  std::uint64_t proved = 0;
  std::uint64_t refuted = 0;
  std::uint64_t unknown = 0;
  std::uint64_t unplanned = 0;  // carried out by rows only: the planner made no plan
  std::uint64_t mismatches = 0;
  std::array<std::uint64_t, 2> digest{};
  std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(classes().size());  // one per class
  std::map<std::string, Found> found;                                                // by kind and structure

  void add(std::uint64_t index, const Subject& subject, const Tensor& tensor, const Outcome& outcome);
  void add(const Totals& other);
  [[nodiscard]] std::string digest_text() const;

  bool operator==(const Totals&) const = default;
};

/// A range of one campaign's tensors and their totals; as a line of JSON it is a shard's file. The line ends with a
/// checksum of all that stands before it.
struct Record {
  std::string family;
  std::uint64_t seed = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;  // behind the last tensor
  Totals totals;
  bool always = false;  // the definition also ran every case

  bool operator==(const Record&) const = default;
};

/// One line; record_of(to_text(r)) == r. Errors: Value for a text that is not byte by byte what to_text() writes in
/// this version, and for numbers that no campaign has: each tensor has one verdict, one rank, one size.
[[nodiscard]] std::string to_text(const Record& record);
[[nodiscard]] Result<Record> record_of(const std::string& text);
/// The record in a file. Errors: also those of read_whole().
[[nodiscard]] Result<Record> read_record(const std::string& path);

/// Joins records of adjacent ranges; the result ascends. Errors: Value for records of two campaigns, and for ranges
/// that overlap; Overflow.
[[nodiscard]] Result<std::vector<Record>> merge(std::vector<Record> records);

/// The classes that are too rare in a campaign of this size, in words. Small campaigns are not judged.
[[nodiscard]] std::vector<std::string> too_rare(const Record& record);

}  // namespace vl::oracle
