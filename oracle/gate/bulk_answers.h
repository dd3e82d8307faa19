// Long answers and data in the shared memory. A case whose answer has more than 512 values, or 4096 bytes, comes with
//   "bulk":{"at":8256,"bytes":819200}
// if the adapter has the feature "bulk": there it may write the rows of `place`, one 64-bit little-endian integer a
// coordinate, or the bytes of `image.*`, and answers {"axes":["m"],"bulk":{"at":8256,"values":102400}}, or
// {"bulk":{"at":8256,"bytes":4096}}, in place of "values", or of "data". What it wrote is copied once, and the copy is
// judged. Another place, more than there is room for, bytes beside it and a value that was not written are garbled.
//
// A tensor or an image of more than 4096 bytes is there, too, for an adapter with the feature "data": the request has
// "data":{"at":827520,"bytes":5000} in place of base64.
#pragma once

#include "oracle/gate/bulk.h"
#include "oracle/gate/cases.h"
#include "oracle/gate/protocol.h"

namespace vl::gate {

constexpr std::size_t kMostInline = 4096;  // bytes

/// A part of the shared memory, dealt from its beginning to its end.
class BulkRoom {
 public:
  BulkRoom(std::size_t from, std::size_t to) : free_(from), to_(to) {}
  /// Nothing where there is no room.
  std::optional<BulkSlot> take(std::size_t bytes);

 private:
  std::size_t free_, to_;
};

/// The bytes of the answer of a case; 0 where it has to come in its line.
[[nodiscard]] std::size_t bulk_bytes_of(const Case& of);
/// The request's text with the place of its answer. Requires: the text is an object with a field.
[[nodiscard]] std::string with_slot(std::string text, const BulkSlot& slot);
/// The request's text with the place of its data, of which there are `bytes`. Requires: it has them in base64.
[[nodiscard]] std::string with_data_at(std::string text, std::size_t at, std::size_t bytes);
/// The reply with the bytes that it speaks of, or garbled. `slot`: none if no place was offered. `drawn`: of the
/// pattern that was there.
[[nodiscard]] Reply with_bulk(Reply reply, const std::optional<BulkSlot>& slot, std::uint64_t drawn, const Bulk& bulk);

}  // namespace vl::gate
