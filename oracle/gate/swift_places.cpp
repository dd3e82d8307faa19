#include "oracle/gate/swift_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracle/gate/lane.h"
#include "oracle/gate/layout_gate.h"
#include "oracle/gate/places.h"

namespace vl::gate {
namespace {

// The words of a contract that a form decides.
constexpr std::array<std::string_view, 3> kPlainWords = {"any", "no-replicas", "powers-of-two"};

const Judgement kAgrees{.word = Word::Agree, .scope = "all-elements"};
const Judgement kRefuses{.word = Word::Refused, .kind = "refused"};

bool is_power(Index n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

bool SwiftPlaces::applies(const Child& child, const CampaignOptions& options, const std::vector<Asked>& asked) {
  const auto is_plain = [](const std::string& word) {
    return std::ranges::find(kPlainWords, word) != kPlainWords.end();
  };
  return child.peer().packed && child.bulk().is_open() && !options.throttles &&
         std::ranges::all_of(asked, [&](const Asked& one) {
           return PlaceSubjects::has(*one.family, *one.operation, one.limits) &&
                  std::ranges::all_of(one.op.contract, is_plain);
         });
}

SwiftPlaces::SwiftPlaces(Child& child, const CampaignOptions& options, const std::vector<Asked>& asked)
    : child_(child),
      options_(options),
      asked_(asked),
      batches_{Batch{{}, 0, 0, PackedBatch(child.bulk(), kBulkFirst, kBulkBytes / 2)},
               Batch{{}, 0, 0, PackedBatch(child.bulk(), kBulkBytes / 2, kBulkBytes)}} {
  subjects_.reserve(asked.size());
  for (const Asked& one : asked) subjects_.emplace_back(*one.family, *one.operation, options.seed, one.limits);
}

SwiftPlaces::Batch& SwiftPlaces::draw(std::uint64_t from, std::uint64_t to,
                                      const std::function<bool(std::uint64_t)>& repeats, GateRecord& record) {
  Batch& out = batches_[next_++ % batches_.size()];
  out.packed.clear();
  out.count = out.twice = 0;
  std::vector<std::size_t> again;
  std::vector<std::pair<std::string, std::vector<Index>>> kept;  // text and shape of those that come twice
  const auto add = [&](Item& item, const std::string& of, const std::vector<Index>& shape, std::uint64_t drawn) {
    const auto slot = out.packed.add(item.form, asked_[item.asked].family->name, of, shape, drawn);
    VL_CHECK(slot.has_value(), "a batch without room");
    return *slot;
  };
  for (std::uint64_t index = from; index < to; ++index) {
    const std::size_t k = index % asked_.size();
    if (!subjects_[k].draw(index / asked_.size(), subject_)) {
      ++record.skipped;
      continue;
    }
    if (out.count == out.items.size()) out.items.emplace_back();
    Item& item = out.items[out.count];
    item.index = index, item.asked = k;
    item.powers = std::ranges::all_of(subject_.tensor.size, is_power);
    item.traits = traits_of(subject_);
    asked_[k].family->campaign->places(subject_, item.form, text_);
    item.slot = add(item, text_, subject_.tensor.size, oracle::mix(options_.seed ^ index));
    item.second = {};
    if (repeats(index)) again.push_back(out.count), kept.emplace_back(text_, subject_.tensor.size);
    ++out.count;
  }
  for (std::size_t j = 0; j < again.size(); ++j) {
    Item& item = out.items[again[j]];
    item.second = add(item, kept[j].first, kept[j].second, oracle::mix(~options_.seed ^ item.index));
  }
  out.twice = again.size();
  return out;
}

void SwiftPlaces::submit(Batch& batch) {
  child_.submit_packed(batch.packed.table(), batch.count + batch.twice,
                       [this, &batch](std::size_t first, std::size_t count) { prepare_again(batch, first, count); });
}

// What the process before has written is no answer of the next one.
void SwiftPlaces::prepare_again(Batch& batch, std::size_t first, std::size_t count) {
  std::size_t place = batch.count;
  for (std::size_t k = 0; k < batch.count; ++k) {
    const Item& item = batch.items[k];
    if (k >= first && k - first < count) child_.bulk().prepare(item.slot, oracle::mix(options_.seed ^ item.index));
    if (item.second.bytes == 0) continue;
    if (place >= first && place - first < count)
      child_.bulk().prepare(item.second, oracle::mix(~options_.seed ^ item.index));
    ++place;
  }
}

std::optional<Reply> SwiftPlaces::read(const Item& item, const BulkSlot& slot, const Reply& reply, Answer& out) const {
  if (reply.kind != ReplyKind::Ok) return reply;
  const auto garbled = [](const char* what) { return Reply{ReplyKind::Garbled, {}, what, 0}; };
  if (!child_.bulk().canaries_hold(slot)) return garbled("the library wrote beside its answer");
  const std::byte* at = child_.bulk().at(slot.at);
  std::memcpy(&out.code, at, sizeof out.code);
  const std::uint64_t drawn = oracle::mix((slot.at == item.slot.at ? options_.seed : ~options_.seed) ^ item.index);
  if (static_cast<std::uint64_t>(out.code) == pattern_word(drawn, 0)) return garbled("the host gave no answer");
  out.why.clear();
  const std::size_t numbers = static_cast<std::size_t>(item.form.elements) * item.form.axes.size();
  const auto* words = reinterpret_cast<const std::uint64_t*>(at);
  if (out.code == LG_OK) {
    const auto* rows = reinterpret_cast<const Index*>(at) + 1;
    out.rows.assign(rows, rows + numbers);
    for (std::size_t k = numbers + 1; k < slot.bytes / sizeof(Index); ++k)
      if (words[k] != pattern_word(drawn, k)) return garbled("the library wrote beside its answer");
    return std::nullopt;
  }
  std::array<char, kPackedWhy> why{};
  std::memcpy(why.data(), at + sizeof out.code, why.size() - 1);
  out.why = why.data();
  return std::nullopt;
}

Reply SwiftPlaces::reply_of(const Item& item, const Answer& answer) const {
  if (answer.code == LG_OK) {
    const std::uint64_t drawn = oracle::mix(options_.seed ^ item.index);
    for (std::size_t k = 0; k < answer.rows.size(); ++k)
      if (static_cast<std::uint64_t>(answer.rows[k]) == pattern_word(drawn, k + 1))
        return {ReplyKind::Garbled, {}, "the library did not write a place", 0};
    const std::vector<std::string> axes(item.form.axes.begin(), item.form.axes.end());
    return {
        ReplyKind::Ok, JsonText::of(rows_text(axes, answer.rows, static_cast<std::size_t>(item.form.elements))), {}, 0};
  }
  const auto said = [&](ReplyKind kind, std::string_view field, const std::string& text) {
    Json value;
    value.set(std::string(field), text);
    if (!parse_json(print_json(value))) return Reply{ReplyKind::Garbled, {}, "a reason that is no UTF-8", 0};
    return Reply{kind, value, {}, 0};
  };
  switch (answer.code) {
    case LG_UNSUPPORTED: return said(ReplyKind::Unsupported, "what", answer.why);
    case LG_REFUSED: return said(ReplyKind::Refused, "msg", answer.why);
    case LG_UNDECIDED: return said(ReplyKind::Undecided, "why", answer.why);
    case LG_ERROR: return said(ReplyKind::Error, "msg", answer.why);
    default: return said(ReplyKind::Error, "msg", "the code " + std::to_string(answer.code) + ": " + answer.why);
  }
}

Standing SwiftPlaces::standing_of_item(const Item& item) const {
  const auto& contract = asked_[item.asked].op.contract;
  if (contract.empty()) return Standing::Unstated;
  for (const std::string& word : contract)
    if ((word == "no-replicas" && item.form.replicas != 1) || (word == "powers-of-two" && !item.powers))
      return Standing::Outside;
  return Standing::Within;
}

void SwiftPlaces::settle(const Item& item, const std::optional<Reply>& fault, const Answer& answer, GateRecord& record,
                         const Slow& slow) {
  if (fault) {
    static_cast<void>(slow(item, *fault));
    return;
  }
  const Standing standing = standing_of_item(item);
  const bool one_place = answer.code == LG_OK && item.form.replicas == 1;
  const bool agrees = one_place && use::are_places(item.form, answer.rows);
  const bool is_ascii =
      std::ranges::none_of(answer.why, [](char c) { return (c & 0x80) != 0; });  // else it may be garbled
  const bool refuses = answer.code == LG_REFUSED && standing != Standing::Within && is_ascii;
  if ((agrees || refuses) && !is_looked_at_twice(item.index)) {
    ++record.cases;
    const Asked& asked = asked_[item.asked];
    for (std::size_t row = asked.first; row < asked.first + asked.rows; ++row) {
      if (refuses && !answer.why.empty() && record.rows[row].would_keep(Word::Refused, item.index))
        record.rows[row].keep(Word::Refused, {item.index,
                                              fmt::format("{}/{}@{}:{}", asked.family->name, asked.operation->name,
                                                          options_.seed, item.index / asked_.size()),
                                              answer.why});
      record.rows[row].add_plain(item.index, agrees ? kAgrees : kRefuses, standing, item.traits);
    }
    return;
  }
  const bool judged_right = slow(item, reply_of(item, answer)) == Word::Agree;
  if (one_place && judged_right != agrees && record.engines_differ.empty())
    record.engines_differ = "case " + std::to_string(item.index) + " (the digits and the map)";
}

void SwiftPlaces::judge(Batch& batch, const std::vector<Reply>& replies, GateRecord& record, const Slow& slow,
                        const std::function<void(const Item&, const Reply&)>& remember) {
  std::size_t again = batch.count;
  for (std::size_t k = 0; k < batch.count; ++k) {
    const Item& item = batch.items[k];
    const auto fault = read(item, item.slot, replies[k], first_);
    if (item.second.bytes > 0) {
      const auto other = read(item, item.second, replies[again++], second_);
      const bool same = first_.code == second_.code && (first_.code != LG_OK || first_.rows == second_.rows);
      if (!fault && !other && !same) {
        static_cast<void>(slow(item, {ReplyKind::Unstable, {}, "another answer when it is asked again", 0}));
        continue;
      }
      if (!fault) remember(item, reply_of(item, first_));
    }
    settle(item, fault, first_, record, slow);
  }
}

}  // namespace vl::gate
