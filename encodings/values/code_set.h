// Code sets: sets of codes of one format as ranges, so that all NaNs of f64 are two ranges and not 2^53 codes.
#pragma once

#include <span>
#include <vector>

#include "encodings/values/format.h"

namespace vl::values {

/// The codes first <= code <= last.
struct CodeRange {
  Code first = 0;
  Code last = 0;
  bool operator==(const CodeRange&) const = default;
};

/// A set of codes. Its ranges are ascending, not empty, and do not touch, so equal sets have equal ranges.
class CodeSet {
 public:
  CodeSet() = default;
  /// The union of some ranges, in any order. Requires of each: first <= last.
  explicit CodeSet(std::vector<CodeRange> ranges);
  /// One code.
  static CodeSet of(Code code) { return CodeSet({{code, code}}); }
  /// Every code of the format.
  static CodeSet all(const Format& format) { return CodeSet({{0, format.mask()}}); }

  [[nodiscard]] std::span<const CodeRange> ranges() const& { return ranges_; }
  std::span<const CodeRange> ranges() const&& = delete;  // the set would be gone
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] bool contains(Code code) const;
  /// How many codes; 2^64 - 1 also stands for 2^64.
  [[nodiscard]] Code count() const;

  [[nodiscard]] CodeSet united(const CodeSet& other) const;
  [[nodiscard]] CodeSet intersected(const CodeSet& other) const;
  /// The codes of the format that are not in the set.
  [[nodiscard]] CodeSet complement(const Format& format) const;
  [[nodiscard]] CodeSet without(const CodeSet& other, const Format& format) const {
    return intersected(other.complement(format));
  }
  [[nodiscard]] bool is_subset_of(const CodeSet& other) const { return intersected(other) == *this; }

  bool operator==(const CodeSet&) const = default;

 private:
  std::vector<CodeRange> ranges_;
};

/// The numbers from one place to another in the order of a format (values::order), both included; empty if there are
/// none. f16, from order(-1) to order(1): {0x0000 .. 0x3C00, 0x8000 .. 0xBC00}.
[[nodiscard]] CodeSet numbers_between(const Format& format, std::int64_t low, std::int64_t high);

/// Sets that have names. The lowest and highest number are infinite where the format has infinities.
[[nodiscard]] CodeSet nans(const Format& format);
[[nodiscard]] CodeSet signalling_nans(const Format& format);
[[nodiscard]] CodeSet finite_codes(const Format& format);
[[nodiscard]] CodeSet zeros(const Format& format);
[[nodiscard]] std::int64_t lowest_order(const Format& format);
[[nodiscard]] std::int64_t highest_order(const Format& format);

/// The places of the least and the greatest number of a set in the order of the format; nothing if it has only NaNs.
struct Extent {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
[[nodiscard]] std::optional<Extent> extent(const Format& format, const CodeSet& set);

}  // namespace vl::values
