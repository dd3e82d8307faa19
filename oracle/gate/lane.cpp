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

}  // namespace

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
        one.limits = {family.rank, family.elements, family.bits, family.dtypes, family.parts};
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
  if (current) child_.submit(texts(current->questions));
  bool lost = false;
  while (current) {
    std::optional<Batch> later = batch(next(false));
    const std::vector<Reply> replies = child_.collect();
    lost = std::ranges::any_of(replies, [](const Reply& reply) { return reply.kind == ReplyKind::Lost; });
    if (lost) later.reset();
    if (later) child_.submit(texts(later->questions));
    judge_all(*current, replies);
    if (lost) current->record.to = current->record.from;
    take(std::move(current->record));
    current = std::move(later);
  }
  return !lost;
}

bool Lane::repeats(std::uint64_t index) const {
  return options_.repeat > 0 && oracle::mix(index ^ 0x5851f42d4c957f2dU) % options_.repeat == 0;
}

std::optional<Lane::Batch> Lane::batch(const std::optional<Range>& range) {
  if (!range) return std::nullopt;
  Batch out;
  out.record = empty_;
  out.record.from = range->from, out.record.to = range->to;
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
std::vector<std::string> Lane::texts(const std::vector<Question>& questions) {
  std::vector<std::string> out;
  out.reserve(questions.size() + questions.size() / 32);
  for (const Question& question : questions) out.push_back(text_for(child_.peer(), question.of));
  for (std::size_t k = 0; k < questions.size(); ++k)
    if (repeats(questions[k].index)) out.push_back(out[k]);
  return out;
}

void Lane::judge_all(Batch& batch, const std::vector<Reply>& replies) {
  std::size_t again = batch.questions.size();
  for (std::size_t k = 0; k < batch.questions.size(); ++k) {
    const Question& question = batch.questions[k];
    const Reply& reply = replies[k];
    if (repeats(question.index)) {
      const Reply& second = replies[again++];
      if (!is_fault(reply.kind) && !is_fault(second.kind) && !(reply == second)) {
        settle(question, {ReplyKind::Unstable, {}, "another answer when it is asked again", 0}, batch.record);
        continue;
      }
      if (!is_fault(reply.kind) && fresh_.size() < kAskedFresh) fresh_.emplace_back(question, reply);
    }
    settle(question, reply, batch.record);
  }
}

void Lane::settle(const Question& question, const Reply& reply, GateRecord& record) {
  if (reply.kind == ReplyKind::Lost) return;
  const Standing standing = standing_of(question.of, asked_[question.asked].op.contract);
  ++record.cases;
  for (OpTotals& totals : rows_of(question.asked, record)) {
    const Judgement judgement = judge_.judge(question.of, reply, standing, totals.convention);
    totals.add(question.index, question.of, reply, judgement, standing);
    if (judgement.engines_differ && record.engines_differ.empty()) record.engines_differ = question.of.name;
  }
  if (oracle::mix(question.index) % 64 == 0 && !meanings_agree(question.of) && record.engines_differ.empty())
    record.engines_differ = question.of.name + " (the map and the second meaning)";
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
    if (is_fault(replies[k].kind) || replies[k] == reply) continue;
    const Reply unstable{ReplyKind::Unstable, {}, "another answer in a fresh process and another order", 0};
    const Standing standing = standing_of(question.of, asked_[question.asked].op.contract);
    for (OpTotals& totals : rows_of(question.asked, record)) {
      totals.take_back(question.index, question.of, judge_.judge(question.of, reply, standing, totals.convention),
                       standing);
      totals.add(question.index, question.of, unstable,
                 judge_.judge(question.of, unstable, standing, totals.convention), standing);
    }
  }
}

}  // namespace vl::gate
