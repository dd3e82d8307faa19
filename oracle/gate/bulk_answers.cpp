#include "oracle/gate/bulk_answers.h"

#include <fmt/format.h>

#include <cstring>

namespace vl::gate {

std::optional<BulkSlot> BulkRoom::take(std::size_t bytes) {
  const BulkSlot out{free_ + kCanary, whole_words(bytes)};
  if (bytes > to_ || out.at + out.bytes + kCanary > to_) return std::nullopt;
  free_ = out.at + out.bytes + kCanary;
  return out;
}

std::size_t bulk_bytes_of(const Case& of) {
  std::size_t bytes = 0;
  const map::Layout& layout = of.of();
  if (of.op->kind == OpKind::Place) {
    bytes = static_cast<std::size_t>(layout.logical().volume()) * layout.physical().rank() * sizeof(Index);
  } else if (of.op->kind == OpKind::Image) {
    const map::Layout& target = of.to != nullptr ? *of.to : layout;
    const map::Space& space = of.op->name == "image.unpack" ? layout.logical() : target.physical();
    bytes = static_cast<std::size_t>(space.volume()) * unit_of(of.tensor);
  }
  return bytes > kMostInline ? bytes : 0;
}

std::string with_slot(std::string text, const BulkSlot& slot) {
  text.back() = ',';
  return text + fmt::format("\"bulk\":{{\"at\":{},\"bytes\":{}}}}}", slot.at, slot.bytes);
}

std::string with_data_at(std::string text, std::size_t at, std::size_t bytes) {
  constexpr std::string_view kKey = "\"data\":";  // in a string its quotes would be escaped
  const auto key = text.find(kKey);
  VL_CHECK(key != std::string::npos, "a request without data");
  const auto value = key + kKey.size();
  const auto end = text.find('"', value + 1);  // base64 has no quotes
  return text.replace(value, end + 1 - value, fmt::format("{{\"at\":{},\"bytes\":{}}}", at, bytes));
}

Reply with_bulk(Reply reply, const std::optional<BulkSlot>& slot, std::uint64_t drawn, const Bulk& bulk) {
  // A text without the word has no such key; of a long one that is inline nothing is read here.
  if (reply.kind != ReplyKind::Ok || reply.value.text().find("\"bulk\"") == std::string::npos) return reply;
  const Json value = reply.value.read();
  const Json* where = value.find("bulk");
  if (where == nullptr) return reply;
  const auto garbled = [](std::string what) { return Reply{ReplyKind::Garbled, {}, std::move(what), 0, {}}; };
  if (!slot) return garbled("an answer in the shared memory, where no place was offered");
  const Json* at = where->find("at");
  const Json* values = where->find("values");
  const Json* bytes = where->find("bytes");
  const Json* size = values != nullptr ? values : bytes;
  if (where->fields() == nullptr || where->fields()->size() != 2 || at == nullptr || at->integer() == nullptr ||
      size == nullptr || size->integer() == nullptr || *size->integer() < 0)
    return garbled("a place in the shared memory that is not {\"at\",\"values\"} or {\"at\",\"bytes\"}");
  if (static_cast<std::size_t>(*at->integer()) != slot->at)
    return garbled(fmt::format("an answer at byte {} of the shared memory; its place is {}", *at->integer(), slot->at));
  const auto count = static_cast<std::size_t>(*size->integer());
  const std::size_t unit = values != nullptr ? sizeof(Index) : 1;
  if (count > slot->bytes / unit)
    return garbled(
        fmt::format("an answer of {} in the shared memory; its place has room for {}", count, slot->bytes / unit));
  if (!bulk.canaries_hold(*slot)) return garbled("the adapter wrote beside its place in the shared memory");
  reply.bulk.assign(reinterpret_cast<const char*>(bulk.at(slot->at)), count * unit);
  for (std::size_t k = 0; k + sizeof(Index) <= reply.bulk.size(); k += sizeof(Index)) {
    std::uint64_t word = 0;
    std::memcpy(&word, reply.bulk.data() + k, sizeof word);
    if (word == pattern_word(drawn, k / sizeof(Index)))
      return garbled(fmt::format("bytes {} to {} of its place in the shared memory were not written", k, k + 8));
  }
  return reply;
}

}  // namespace vl::gate
