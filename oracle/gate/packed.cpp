#include "oracle/gate/packed.h"

#include <algorithm>
#include <cstring>

namespace vl::gate {
namespace {

// Copies bytes to a place of the memory, and gives the place behind them.
std::byte* put_bytes(std::byte* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return to + bytes;
}

std::byte* put_text(std::byte* to, std::string_view text) {
  to = put_bytes(to, text.data(), text.size());
  *to = std::byte{0};
  return to + 1;
}

}  // namespace

std::optional<BulkSlot> PackedBatch::add(const use::PlaceForm& form, std::string_view family, std::string_view text,
                                         std::span<const Index> shape, std::uint64_t drawn) {
  std::size_t texts = family.size() + text.size() + 2;
  for (const std::string_view axis : form.axes) texts += axis.size() + 1;
  const std::size_t numbers = (shape.size() + form.numbers.size()) * sizeof(Index);
  const std::size_t record = sizeof(PackedHead) + numbers + whole_words(texts);
  const std::size_t rows = static_cast<std::size_t>(form.elements) * form.axes.size() * sizeof(Index);
  const BulkSlot slot{free_ + record + kCanary, sizeof(Index) + std::max(rows, kPackedWhy)};
  const std::size_t end = slot.at + slot.bytes + kCanary;
  if (count_ == kMostPacked || end > to_) return std::nullopt;
  const PackedHead head{slot.at,
                        static_cast<std::uint64_t>(form.elements),
                        form.axes.size(),
                        shape.size(),
                        form.numbers.size(),
                        family.size() + 1,
                        text.size() + 1};
  const std::uint64_t begin = free_;
  put_bytes(bulk_->at(from_ + count_ * sizeof begin), &begin, sizeof begin);
  std::byte* to = put_bytes(bulk_->at(begin), &head, sizeof head);
  to = put_bytes(to, shape.data(), shape.size_bytes());
  to = put_bytes(to, form.numbers.data(), form.numbers.size() * sizeof(Index));
  to = put_text(to, family);
  to = put_text(to, text);
  for (const std::string_view axis : form.axes) to = put_text(to, axis);
  bulk_->prepare(slot, drawn);
  ++count_;
  free_ = end;
  return slot;
}

}  // namespace vl::gate
