#include "oracle/gate/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>

#include "encodings/base/files.h"
#include "encodings/base/interrupt.h"
#include "oracle/fuzz/range_lock.h"
#include "oracle/fuzz/subject.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/places.h"

namespace vl::gate {
namespace {

constexpr std::size_t kBatch = 4 * kMostCases;
constexpr std::size_t kAskedFresh = 256;

// An operation with one total per admissible value of its convention.
struct Asked {
  PeerOp op;
  const use::Family* family = nullptr;
  const Operation* operation = nullptr;
  CaseLimits limits;
  std::size_t first = 0, rows = 0;  // of the record, one for each value of its convention
};

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

struct Question {
  std::uint64_t index = 0;
  std::size_t asked = 0;  // of the operations
  Case of;
};

class Run {
 public:
  Run(Child& child, const Judge& judge, const CampaignOptions& options)
      : child_(child), judge_(judge), options_(options), asked_(asked_of(child.peer(), options, record_)) {
    record_.impl = child.peer().name, record_.version = child.peer().version;
    record_.setup = setup_of(child.peer(), options.repeat);
    record_.seed = options.seed, record_.count = options.count;
  }

  Result<CampaignResult> go() {
    if (asked_.empty()) return Error{ErrorCode::Value, "nothing of what was selected is offered by the adapter", 0};
    const auto cut = [&](std::uint64_t shard) {
      return options_.count / options_.shards * shard + options_.count % options_.shards * shard / options_.shards;
    };
    const std::uint64_t first = cut(options_.shard), to = cut(options_.shard + 1);
    record_.from = record_.to = first;
    std::optional<oracle::RangeLock> lock;
    if (auto error = open_record(lock, to)) return *error;
    next_ = record_.to;
    std::vector<Question> current = batch(to), later;
    child_.submit(texts(current));
    while (!current.empty()) {
      const std::uint64_t behind = next_;
      later = over() ? std::vector<Question>() : batch(to);
      const std::vector<Reply> replies = child_.collect();
      const bool lost = std::ranges::any_of(replies, [](const Reply& reply) { return reply.kind == ReplyKind::Lost; });
      if (lost) later.clear(), partial_ = true;
      child_.submit(texts(later));
      take(current, replies);
      record_.to = lost ? record_.to : behind;
      current = std::move(later);
      if (auto error = write_record(false)) return *error;
      if (options_.progress) options_.progress(record_.to - first, to - first);
    }
    if (!partial_) record_.to = next_;  // also numbers without a case
    ask_fresh();
    const bool early = record_.to < to || !child_.gone().empty() || Interrupt::told();
    if (auto error = write_record(true)) return *error;
    CampaignResult out = summed(record_);
    out.ended_early = early;
    return out;
  }

 private:
  [[nodiscard]] std::string path() const {
    return options_.folder + "/" + record_name(record_.impl, options_.seed, options_.shard, options_.shards);
  }

  std::optional<Error> open_record(std::optional<oracle::RangeLock>& lock, std::uint64_t to) {
    if (options_.folder.empty()) return std::nullopt;
    std::error_code code;
    std::filesystem::create_directories(options_.folder, code);
    if (code) return Error{ErrorCode::Io, fmt::format("{}: cannot be made: {}", options_.folder, code.message()), 0};
    auto taken = oracle::RangeLock::take(path());
    if (!taken) return taken.error();
    lock.emplace(std::move(*taken));
    if (!std::filesystem::exists(path(), code)) return std::nullopt;
    auto known = read_gate_record(path());
    if (!known) return Error{known.error().code, fmt::format("{}: {}", path(), known.error().message), 0};
    if (!same_campaign(*known, record_) || known->from != record_.from || known->to > to)
      return Error{ErrorCode::Value,
                   fmt::format("{}: is of another campaign; delete it, or use another folder", path()), 0};
    record_ = std::move(*known);
    return std::nullopt;
  }

  // Every two seconds, and at the end.
  std::optional<Error> write_record(bool at_once) {
    if (options_.folder.empty() || partial_) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    if (!at_once && now - written_ < std::chrono::seconds(2)) return std::nullopt;
    written_ = now;
    auto error = write_whole(path(), to_text(record_));
    if (error) error->message = fmt::format("{}: {}", path(), error->message);
    return error;
  }

  bool over() {
    return Interrupt::told() || !child_.gone().empty() ||
           (options_.seconds > 0 &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() >= options_.seconds);
  }

  [[nodiscard]] bool repeats(std::uint64_t index) const {
    return options_.repeat > 0 && oracle::mix(index ^ 0x5851f42d4c957f2dU) % options_.repeat == 0;
  }

  std::vector<Question> batch(std::uint64_t to) {
    std::vector<Question> out;
    for (; next_ < to && out.size() < kBatch; ++next_) {
      const std::size_t k = next_ % asked_.size();
      const Asked& one = asked_[k];
      auto made = make_case(*one.family, *one.operation, options_.seed, next_ / asked_.size(), one.limits);
      if (made) out.push_back({next_, k, std::move(*made)});
      else ++record_.skipped;
    }
    return out;
  }

  // Those of a batch, and those that are asked twice behind them.
  std::vector<std::string> texts(const std::vector<Question>& batch) {
    std::vector<std::string> out;
    out.reserve(batch.size());
    for (const Question& question : batch) out.push_back(text_for(child_.peer(), question.of));
    for (std::size_t k = 0; k < batch.size(); ++k)
      if (repeats(batch[k].index)) out.push_back(out[k]);
    return out;
  }

  void take(const std::vector<Question>& batch, const std::vector<Reply>& replies) {
    std::size_t again = batch.size();
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const Reply& reply = replies[k];
      if (repeats(batch[k].index)) {
        const Reply& second = replies[again++];
        if (!is_fault(reply.kind) && !is_fault(second.kind) && !(reply == second)) {
          settle(batch[k], {ReplyKind::Unstable, {}, "another answer when it is asked again", 0});
          continue;
        }
        if (!is_fault(reply.kind) && fresh_.size() < kAskedFresh) fresh_.emplace_back(batch[k], reply);
      }
      settle(batch[k], reply);
    }
  }

  void settle(const Question& question, const Reply& reply) {
    if (reply.kind == ReplyKind::Lost) return;
    Asked& one = asked_[question.asked];
    const Standing standing = standing_of(question.of, one.op.contract);
    ++record_.cases;
    for (OpTotals& totals : rows_of(one)) {
      const Judgement judgement = judge_.judge(question.of, reply, standing, totals.convention);
      totals.add(question.index, question.of, reply, judgement, standing);
      if (judgement.engines_differ && record_.engines_differ.empty()) record_.engines_differ = question.of.name;
    }
    if (oracle::mix(question.index) % 64 == 0 && !meanings_agree(question.of) && record_.engines_differ.empty())
      record_.engines_differ = question.of.name + " (the map and the second meaning)";
  }

  // The same questions of a fresh process, in the other order.
  void ask_fresh() {
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
      Asked& one = asked_[question.asked];
      const Standing standing = standing_of(question.of, one.op.contract);
      for (OpTotals& totals : rows_of(one)) {
        totals.take_back(question.index, question.of, judge_.judge(question.of, reply, standing, totals.convention),
                         standing);
        totals.add(question.index, question.of, unstable,
                   judge_.judge(question.of, unstable, standing, totals.convention), standing);
      }
    }
  }

  std::span<OpTotals> rows_of(const Asked& one) { return std::span(record_.rows).subspan(one.first, one.rows); }

  Child& child_;
  const Judge& judge_;
  const CampaignOptions& options_;
  GateRecord record_;
  std::vector<Asked> asked_;
  std::uint64_t next_ = 0;
  bool partial_ = false;  // the last batch was not answered whole, so the record is that of the batch before
  std::vector<std::pair<Question, Reply>> fresh_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), written_ = began_;
};

}  // namespace

CampaignResult summed(const GateRecord& record) {
  CampaignResult out;
  out.cases = record.cases, out.skipped = record.skipped, out.to = record.to;
  out.engines_differ = record.engines_differ;
  // What could not be judged under a value does not speak for it.
  const auto against = [](const OpTotals& totals) {
    return std::pair(totals.count(Word::Disagree) + totals.count(Word::UndecidedOurs), totals.count(Word::Disagree));
  };
  for (std::size_t k = 0; k < record.rows.size();) {
    std::size_t end = k + 1;
    while (end < record.rows.size() && record.rows[end].op == record.rows[k].op &&
           record.rows[end].family == record.rows[k].family)
      ++end;
    const auto rows = std::span(record.rows).subspan(k, end - k);
    const OpTotals& best = *std::ranges::min_element(rows, {}, against);
    if (const Convention* convention = convention_of(best.op)) {
      const auto fits = [&](const OpTotals& totals) { return against(totals).first == 0 && totals.judged() > 0; };
      const bool partly = against(best).second == 0 && best.judged() > 0;
      out.conventions.emplace_back(
          fmt::format("{} of {}", convention->name, best.family),
          rows.size() == 1                  ? best.convention + " (declared)"
          : std::ranges::all_of(rows, fits) ? "undeclared, and consistent with every value"
          : fits(best)                      ? fmt::format("undeclared, and consistent with {}", best.convention)
          : partly ? fmt::format("undeclared, and consistent with {} where it was judged", best.convention)
                   : "undeclared, and consistent with no value");
    }
    add_digest(out.digest, best.digest);
    out.ops.push_back(best);
    k = end;
  }
  return out;
}

std::string text_for(const Peer& peer, const Case& of) {
  const auto family = std::ranges::find(peer.families, of.family, &PeerFamily::name);
  std::string out = family != peer.families.end() && family->parts ? with_parts(of) : of.request.text();
  if (!peer.axes || of.op->kind == OpKind::Back) return out;  // whose requests have them anyway
  out.back() = ',';
  out += "\"axes\":[";
  for (const map::Dim& dim : of.of().physical().dims()) out += (out.back() == '[' ? "\"" : ",\"") + dim.name + "\"";
  return out + "]}";
}

Result<CampaignResult> run_campaign(Child& child, const Judge& judge, const CampaignOptions& options) {
  VL_CHECK(options.shards >= 1 && options.shard < options.shards, "a shard that there is not");
  return Run(child, judge, options).go();
}

}  // namespace vl::gate
