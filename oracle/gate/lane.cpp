#include "oracle/gate/lane.h"

#include <algorithm>
#include <span>

#include "encodings/base/interrupt.h"
#include "oracle/fuzz/subject.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/places.h"

namespace vl::gate {
namespace {

constexpr std::size_t kAskedFresh = 256;
constexpr std::uint64_t kLookedAtOften = std::uint64_t{1} << 20;

}  // namespace

bool is_looked_at_twice(std::uint64_t index) { return oracle::mix(index) % (index < kLookedAtOften ? 64 : 256) == 0; }

std::vector<Asked> asked_of(const Peer& peer, const CampaignOptions& options, GateRecord& record) {
  std::vector<Asked> out;
  const auto selected = [](const std::vector<std::string>& of, const std::string& word) {
    return of.empty() || std::ranges::find(of, word) != of.end();
  };
  for (const PeerOp& op : peer.ops) {
    if (!selected(options.families, op.family) || !selected(options.ops, op.op)) continue;
    Asked one;
    one.op = op;
    one.family = use::family_of({}, op.family);
    one.operation = find_operation(op.op);
    for (const PeerFamily& family : peer.families)
      if (family.name == op.family)
        one.limits = {family.rank, family.elements, family.bits, family.dtypes, options.elements, family.parts};
    const Convention* convention = convention_of(op.op);
    std::vector<std::string> values{""};
    if (convention != nullptr) {
      values.assign(convention->values.begin(), convention->values.end());
      for (const auto& [name, value] : peer.conventions)
        if (name == convention->name) values = {value};
    }
    one.first = record.rows.size(), one.rows = values.size();
    record.asked.push_back(op.family + "/" + op.op);
    for (const std::string& value : values) {
      OpTotals& totals = record.rows.emplace_back();
      totals.family = op.family, totals.op = op.op, totals.convention = value, totals.contract = op.contract;
    }
    out.push_back(std::move(one));
  }
  return out;
}

void Lane::go(const std::function<std::optional<Range>(bool)>& next, const std::function<void(GateRecord)>& take) {
  bool lost = false;
  for (auto range = next(true); range && !lost; range = next(true)) lost = !go_on(batch(range), next, take);
}

bool Lane::go_on(std::optional<Batch> current, const std::function<std::optional<Range>(bool)>& next,
                 const std::function<void(GateRecord)>& take) {
  if (current) submit(*current);
  bool lost = false;
  while (current) {
    std::optional<Batch> later = batch(next(false));
    const std::vector<Reply> replies = child_.collect();
    lost = std::ranges::any_of(replies, [](const Reply& reply) { return reply.kind == ReplyKind::Lost; });
    if (lost) later.reset();
    if (later) submit(*later);
    judge_all(*current, replies);
    if (lost) current->record.to = current->record.from;
    take(std::move(current->record));
    current = std::move(later);
  }
  return !lost;
}

void Lane::submit(Batch& batch) {
  if (batch.swift != nullptr) return swift_->submit(*batch.swift);
  std::vector<std::string> all = texts(batch.questions);
  prepare(batch.questions, 0, all.size());
  const auto again = [this, &batch](std::size_t first, std::size_t count) { prepare(batch.questions, first, count); };
  child_.submit(std::move(all), again);
}

std::uint64_t Lane::drawn_for(const Question& question, bool second) const {
  return oracle::mix((second ? ~options_.seed : options_.seed) ^ question.index);
}

void Lane::prepare(const std::vector<Question>& questions, std::size_t first, std::size_t count) {
  std::size_t again = questions.size();
  const auto write = [&](std::size_t place, const Question& question, bool second) {
    const std::optional<BulkSlot>& slot = second ? question.second : question.slot;
    if (place < first || place - first >= count) return;
    if (slot) child_.bulk().prepare(*slot, drawn_for(question, second));
    const std::optional<BulkSlot>& data = second ? question.second_data : question.data;
    if (data) std::ranges::copy(std::as_bytes(std::span(question.of.data)), child_.bulk().at(data->at));
  };
  for (std::size_t k = 0; k < questions.size(); ++k) {
    write(k, questions[k], false);
    if (repeats(questions[k].index)) write(again++, questions[k], true);
  }
}

bool Lane::repeats(std::uint64_t index) const {
  return options_.repeat > 0 && oracle::mix(index ^ 0x5851f42d4c957f2dU) % options_.repeat == 0;
}

std::optional<Lane::Batch> Lane::batch(const std::optional<Range>& range) {
  if (!range) return std::nullopt;
  Batch out;
  out.record = empty_;
  out.record.from = range->from, out.record.to = range->to;
  if (swift_) {
    const auto twice = [&](std::uint64_t index) { return repeats(index); };
    out.swift = &swift_->draw(range->from, range->to, twice, out.record);
    return out;
  }
  for (std::uint64_t index = range->from; index < range->to; ++index) {
    const std::size_t k = index % asked_.size();
    const Asked& one = asked_[k];
    auto made = make_case(*one.family, *one.operation, options_.seed, index / asked_.size(), one.limits);
    if (!made) {
      ++out.record.skipped;
    } else if (range->known && is_throttled(*range->known, *made, index)) {
      for (OpTotals& totals : rows_of(k, out.record)) ++totals.throttled;
    } else {
      out.questions.push_back({index, k, std::move(*made)});
    }
  }
  return out;
}

// Those of a batch, and those that are asked twice behind them.
std::vector<std::string> Lane::texts(std::vector<Question>& questions) {
  std::vector<std::string> out;
  out.reserve(questions.size() + questions.size() / 32);
  const bool far = child_.peer().bulk && child_.bulk().is_open();
  BulkRoom room = submitted_++ % 2 == 0 ? BulkRoom(kBulkFirst, kBulkBytes / 2) : BulkRoom(kBulkBytes / 2, kBulkBytes);
  const auto text = [&](Question& question, std::optional<BulkSlot>& slot, std::optional<BulkSlot>& data) {
    std::string plain = text_for(child_.peer(), question.of);
    const std::size_t given = question.of.data.size();
    data = far && child_.peer().data && given > kMostInline ? room.take(given) : std::nullopt;
    if (data) plain = with_data_at(std::move(plain), data->at, given);
    const std::size_t bytes = far ? bulk_bytes_of(question.of) : 0;
    slot = bytes > 0 ? room.take(bytes) : std::nullopt;
    out.push_back(slot ? with_slot(std::move(plain), *slot) : std::move(plain));
  };
  for (Question& question : questions) text(question, question.slot, question.data);
  for (Question& question : questions)
    if (repeats(question.index)) text(question, question.second, question.second_data);
  return out;
}

void Lane::judge_all(Batch& batch, const std::vector<Reply>& replies) {
  if (batch.swift != nullptr) return judge_swift(batch, replies);
  std::size_t again = batch.questions.size();
  for (std::size_t k = 0; k < batch.questions.size(); ++k) {
    const Question& question = batch.questions[k];
    const Reply reply = with_bulk(replies[k], question.slot, drawn_for(question, false), child_.bulk());
    if (repeats(question.index)) {
      const Reply second = with_bulk(replies[again++], question.second, drawn_for(question, true), child_.bulk());
      if (!is_fault(reply.kind) && !is_fault(second.kind) && !say_the_same(reply, second)) {
        settle(question, {ReplyKind::Unstable, {}, "another answer when it is asked again", 0}, batch.record);
        continue;
      }
      if (!is_fault(reply.kind) && fresh_.size() < kAskedFresh && reply.bulk.empty())
        fresh_.emplace_back(question, reply);
    }
    settle(question, reply, batch.record);
  }
}

Lane::Question Lane::question_of(const SwiftPlaces::Item& item) const {
  const Asked& one = asked_[item.asked];
  auto made = make_case(*one.family, *one.operation, options_.seed, item.index / asked_.size(), one.limits);
  VL_CHECK(made.has_value(), "a case that was drawn is none");
  return {item.index, item.asked, std::move(*made)};
}

void Lane::judge_swift(Batch& batch, const std::vector<Reply>& replies) {
  swift_->judge(
      *batch.swift, replies, batch.record,
      [&](const SwiftPlaces::Item& item, const Reply& reply) {
        return reply.kind == ReplyKind::Lost ? Word::Fault : settle(question_of(item), reply, batch.record);
      },
      [&](const SwiftPlaces::Item& item, const Reply& reply) {
        if (fresh_.size() < kAskedFresh && !is_fault(reply.kind)) fresh_.emplace_back(question_of(item), reply);
      });
}

Judgement Lane::judgement_of(const Question& question, const Reply& reply, Standing standing,
                             std::string_view convention) const {
  Judgement out = judge_.judge(question.of, reply, standing, convention);
  out.defined = out.word == Word::Agree && out.scope == "all-elements" && is_looked_at_twice(question.index) &&
                question.of.of().logical().volume() <= static_cast<Index>(kMostLookedAt);
  return out;
}

Word Lane::settle(const Question& question, const Reply& reply, GateRecord& record) {
  if (reply.kind == ReplyKind::Lost) return Word::Fault;
  const Standing standing = standing_of(question.of, asked_[question.asked].op.contract);
  ++record.cases;
  std::optional<Word> first;
  for (OpTotals& totals : rows_of(question.asked, record)) {
    const Judgement judgement = judgement_of(question, reply, standing, totals.convention);
    totals.add(question.index, question.of, reply, judgement, standing);
    if (judgement.engines_differ && record.engines_differ.empty()) record.engines_differ = question.of.name;
    if (!first) first = judgement.word;
  }
  if (is_looked_at_twice(question.index) && !meanings_agree(question.of) && record.engines_differ.empty())
    record.engines_differ = question.of.name + " (the map and the second meaning)";
  return first.value_or(Word::UndecidedOurs);
}

void Lane::ask_fresh(std::uint64_t to, GateRecord& record) {
  std::erase_if(fresh_, [&](const auto& one) { return one.first.index >= to; });
  if (fresh_.empty() || !child_.gone().empty() || Interrupt::told()) return;
  std::ranges::reverse(fresh_);
  std::vector<std::string> texts;
  texts.reserve(fresh_.size());
  for (const auto& [question, reply] : fresh_) texts.push_back(text_for(child_.peer(), question.of));
  child_.stop();
  const std::vector<Reply> replies = child_.ask(std::move(texts));
  for (std::size_t k = 0; k < fresh_.size(); ++k) {
    const auto& [question, reply] = fresh_[k];
    if (is_fault(replies[k].kind) || say_the_same(replies[k], reply)) continue;
    const Reply unstable{ReplyKind::Unstable, {}, "another answer in a fresh process and another order", 0};
    const Standing standing = standing_of(question.of, asked_[question.asked].op.contract);
    for (OpTotals& totals : rows_of(question.asked, record)) {
      totals.take_back(question.index, question.of, judgement_of(question, reply, standing, totals.convention),
                       standing);
      totals.add(question.index, question.of, unstable, judgement_of(question, unstable, standing, totals.convention),
                 standing);
    }
  }
}

}  // namespace vl::gate
