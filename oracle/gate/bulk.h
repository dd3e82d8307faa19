// Bulk: a memory that the gate shares with an adapter, for the cursor and for what is too long for a line. The gate
// chooses where each answer lies. Before it asks it writes a pattern there, and canaries around it, so it sees what was
// not written and what was written beside; then it copies the answer once and judges the copy. The file is sealed: no
// adapter can make it shorter, so no access of the gate fails.
//
// The first page holds the cursor: (seq << 16 | position) of the case that the adapter begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "encodings/base/files.h"

namespace vl::gate {

constexpr std::size_t kBulkBytes = std::size_t{256} << 20;
constexpr std::size_t kBulkFirst = 4096;  // behind the page of the cursor
constexpr std::size_t kCanary = 64;       // bytes before and behind an answer

/// A place of an answer, in bytes; both are multiples of 8, and the canaries lie outside of it.
struct BulkSlot {
  std::size_t at = 0, bytes = 0;
};
[[nodiscard]] constexpr std::size_t whole_words(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
/// The pattern's word number `word`, of what was drawn for an answer. As an integer no place is so far away: it is
/// below -2^62.
[[nodiscard]] constexpr std::uint64_t pattern_word(std::uint64_t drawn, std::size_t word) {
  return ((drawn + word * 0x9e3779b97f4a7c15U) >> 2) | std::uint64_t{1} << 63;
}

class Bulk {
 public:
  Bulk();
  ~Bulk();
  Bulk(const Bulk&) = delete;
  Bulk& operator=(const Bulk&) = delete;

  [[nodiscard]] int file() const { return file_.get(); }
  /// False where the machine has no such memory; then nothing else may be asked for.
  [[nodiscard]] bool is_open() const { return memory_ != nullptr; }
  [[nodiscard]] std::byte* at(std::size_t byte) const { return memory_ + byte; }

  [[nodiscard]] std::uint64_t cursor() const { return *reinterpret_cast<const volatile std::uint64_t*>(memory_); }
  void clear_cursor() { *reinterpret_cast<volatile std::uint64_t*>(memory_) = ~std::uint64_t{0}; }

  /// Writes the pattern and the canaries. Requires: the slot and its canaries lie behind the first page.
  void prepare(const BulkSlot& slot, std::uint64_t drawn) const;
  [[nodiscard]] bool canaries_hold(const BulkSlot& slot) const;

 private:
  Descriptor file_;
  std::byte* memory_ = nullptr;
};

}  // namespace vl::gate
