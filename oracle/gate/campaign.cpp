#include "oracle/gate/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "encodings/base/interrupt.h"
#include "encodings/base/words.h"
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
  bool parts = false;
  std::vector<OpTotals> totals;
};

std::vector<Asked> asked_of(const Peer& peer, const CampaignOptions& options) {
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
      if (family.name == op.family) one.limits = {family.rank, family.elements, family.dtypes};
    const Convention* convention = convention_of(op.op);
    std::vector<std::string> values{""};
    if (convention != nullptr) {
      values.assign(convention->values.begin(), convention->values.end());
      for (const auto& [name, value] : peer.conventions)
        if (name == convention->name) values = {value};
    }
    for (const std::string& value : values) {
      OpTotals& totals = one.totals.emplace_back();
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
      : child_(child), judge_(judge), options_(options), asked_(asked_of(child.peer(), options)) {}

  Result<CampaignResult> go() {
    if (asked_.empty()) return Error{ErrorCode::Value, "nothing of what was selected is offered by the adapter", 0};
    const auto cut = [&](std::uint64_t shard) {
      return options_.count / options_.shards * shard + options_.count % options_.shards * shard / options_.shards;
    };
    next_ = cut(options_.shard);
    const std::uint64_t first = next_, to = cut(options_.shard + 1);
    std::vector<Question> current = batch(to), later;
    child_.submit(texts(current));
    while (!current.empty()) {
      later = over() ? std::vector<Question>() : batch(to);
      const std::vector<Reply> replies = child_.collect();
      child_.submit(texts(later));
      take(current, replies);
      current = std::move(later);
      if (options_.progress) options_.progress(next_ - first, to - first);
    }
    out_.to = next_;
    out_.ended_early = next_ < to || !child_.gone().empty();
    ask_fresh();
    return finish();
  }

 private:
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
      else ++out_.skipped;
    }
    return out;
  }

  // Those of a batch, and those that are asked twice behind them.
  std::vector<std::string> texts(const std::vector<Question>& batch) {
    std::vector<std::string> out;
    for (const Question& question : batch) out.push_back(text_for(child_.peer(), question.of));
    for (std::size_t k = 0; k < batch.size(); ++k)
      if (repeats(batch[k].index)) out.push_back(out[k]);
    return out;
  }

  void take(const std::vector<Question>& batch, const std::vector<Reply>& replies) {
    std::size_t again = batch.size();
    for (std::size_t k = 0; k < batch.size(); ++k) {
      Reply reply = replies[k];
      if (repeats(batch[k].index)) {
        const Reply& second = replies[again++];
        if (!is_fault(reply.kind) && !is_fault(second.kind) && !(reply == second))
          reply = {ReplyKind::Unstable, {}, "another answer when it is asked again", 0};
        else if (!is_fault(reply.kind) && fresh_.size() < kAskedFresh) fresh_.emplace_back(batch[k], reply);
      }
      settle(batch[k], reply);
    }
  }

  void settle(const Question& question, const Reply& reply) {
    if (reply.kind == ReplyKind::Lost) return;
    Asked& one = asked_[question.asked];
    const Standing standing = standing_of(question.of, one.op.contract);
    ++out_.cases;
    for (OpTotals& totals : one.totals) {
      const Judgement judgement = judge_.judge(question.of, reply, standing, totals.convention);
      totals.add(question.index, question.of, reply, judgement, standing);
      if (judgement.engines_differ && out_.engines_differ.empty()) out_.engines_differ = question.of.name;
    }
    if (oracle::mix(question.index) % 64 == 0 && !meanings_agree(question.of) && out_.engines_differ.empty())
      out_.engines_differ = question.of.name + " (the map and the second meaning)";
  }

  // The same questions of a fresh process, in the other order.
  void ask_fresh() {
    if (fresh_.empty() || !child_.gone().empty() || Interrupt::told()) return;
    std::ranges::reverse(fresh_);
    std::vector<std::string> texts;
    for (const auto& [question, reply] : fresh_) texts.push_back(text_for(child_.peer(), question.of));
    child_.stop();
    const std::vector<Reply> replies = child_.ask(std::move(texts));
    for (std::size_t k = 0; k < fresh_.size(); ++k) {
      const auto& [question, reply] = fresh_[k];
      if (is_fault(replies[k].kind) || replies[k] == reply) continue;
      const Reply unstable{ReplyKind::Unstable, {}, "another answer in a fresh process and another order", 0};
      Asked& one = asked_[question.asked];
      for (OpTotals& totals : one.totals)
        totals.add(question.index, question.of, unstable,
                   judge_.judge(question.of, unstable, Standing::Unstated, totals.convention), Standing::Unstated);
    }
  }

  CampaignResult finish() {
    const auto against = [](const OpTotals& totals) { return totals.count(Word::Disagree); };
    for (Asked& one : asked_) {
      OpTotals& best = *std::ranges::min_element(one.totals, {}, against);
      if (const Convention* convention = convention_of(one.op.op)) {
        const auto fits = [&](const OpTotals& totals) { return against(totals) == 0 && totals.judged() > 0; };
        const bool declared = one.totals.size() == 1;
        const bool all = std::ranges::all_of(one.totals, fits);
        out_.conventions.emplace_back(
            convention->name, declared          ? best.convention + " (declared)"
                              : all             ? "undeclared, and consistent with every value"
                              : fits(best)      ? fmt::format("undeclared, and consistent with {}", best.convention)
                                                : "undeclared, and consistent with no value");
      }
      add_digest(out_.digest, best.digest);
      out_.ops.push_back(std::move(best));
    }
    return std::move(out_);
  }

  Child& child_;
  const Judge& judge_;
  const CampaignOptions& options_;
  std::vector<Asked> asked_;
  std::uint64_t next_ = 0;
  std::vector<std::pair<Question, Reply>> fresh_;
  CampaignResult out_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string text_for(const Peer& peer, const Case& of) {
  for (const PeerFamily& family : peer.families)
    if (family.name == of.family && family.parts) return print_json(with_parts(of));
  return print_json(of.request);
}

Result<CampaignResult> run_campaign(Child& child, const Judge& judge, const CampaignOptions& options) {
  VL_CHECK(options.shards >= 1 && options.shard < options.shards, "a shard that there is not");
  return Run(child, judge, options).go();
}

CampaignResult run_cases(Child& child, const Judge& judge, const std::vector<Case>& cases,
                         const std::function<void(const Case&, const Reply&, const Judgement&)>& told) {
  CampaignResult out;
  std::vector<std::string> texts;
  for (const Case& of : cases) texts.push_back(text_for(child.peer(), of));
  const std::vector<Reply> replies = child.ask(std::move(texts));
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& of = cases[k];
    const auto offered = std::ranges::find_if(
        child.peer().ops, [&](const PeerOp& op) { return op.family == of.family && op.op == of.op->name; });
    const std::vector<std::string> contract =
        offered == child.peer().ops.end() ? std::vector<std::string>() : offered->contract;
    auto row = std::ranges::find_if(
        out.ops, [&](const OpTotals& t) { return t.family == of.family && t.op == of.op->name; });
    if (row == out.ops.end()) {
      row = out.ops.insert(out.ops.end(), OpTotals());
      row->family = of.family, row->op = of.op->name, row->contract = contract;
    }
    const Standing standing = standing_of(of, contract);
    std::vector<std::string> values{""};
    if (const Convention* convention = convention_of(of.op->name)) {
      values.assign(convention->values.begin(), convention->values.end());
      for (const auto& [name, value] : child.peer().conventions)
        if (name == convention->name) values = {value};
    }
    Judgement best;
    for (std::size_t v = 0; v < values.size(); ++v) {
      const Judgement judgement = judge.judge(of, replies[k], standing, values[v]);
      if (v == 0 || judgement.word == Word::Agree) best = judgement;
    }
    ++out.cases;
    row->add(k, of, replies[k], best, standing);
    if (best.engines_differ) out.engines_differ = of.name;
    told(of, replies[k], best);
  }
  for (const OpTotals& row : out.ops) add_digest(out.digest, row.digest);
  return out;
}

}  // namespace vl::gate
