// Packed: places asked of a library host in the shared memory, without texts on the way. The gate writes one record a
// case, and the host writes its answer beside it:
//
//   table    for each case of a batch the byte at which its record begins
//   record   PackedHead; the tensor's shape; the numbers of the parts; the family, the layout's text and the names of
//            the axes, each with a zero behind it
//   answer   a code of layout_gate.h; of LG_OK the rows behind it, else why not, with a zero behind it
//
// The request is {"seq":7,"table":4096,"first":0,"count":256}, its answer {"seq":7,"done":256}. Only the program's own
// host is asked in this way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/place_form.h"
#include "oracle/gate/bulk.h"

namespace vl::gate {

struct PackedHead {
  std::uint64_t answer_at = 0;  // byte
  std::uint64_t elements = 0, axes = 0, rank = 0, numbers = 0;
  std::uint64_t family = 0, text = 0;  // bytes of these two, with the zeros behind them
};
constexpr std::size_t kPackedWhy = 256;    // bytes of an answer that is no rows
constexpr std::size_t kMostPacked = 2048;  // cases of a batch
constexpr std::size_t kPackedLine = 512;   // cases of a line

/// One batch of cases in a part of the shared memory.
class PackedBatch {
 public:
  /// Requires: bulk.is_open().
  PackedBatch(const Bulk& bulk, std::size_t from, std::size_t to) : bulk_(&bulk), from_(from), to_(to) { clear(); }

  void clear() { count_ = 0, free_ = from_ + kMostPacked * sizeof(std::uint64_t); }
  /// Adds a case, and prepares the place of its answer. Nothing if there is no room.
  std::optional<BulkSlot> add(const use::PlaceForm& form, std::string_view family, std::string_view text,
                              std::span<const Index> shape, std::uint64_t drawn);
  [[nodiscard]] std::size_t table() const { return from_; }

 private:
  const Bulk* bulk_;
  std::size_t from_, to_, free_ = 0, count_ = 0;
};

}  // namespace vl::gate
