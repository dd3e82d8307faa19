#include "oracle/gate/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>

#include "encodings/base/files.h"
#include "encodings/base/interrupt.h"
#include "encodings/base/threads.h"
#include "oracle/fuzz/range_lock.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/lane.h"

namespace vl::gate {
namespace {

// Ends a child's process before the thread that started it ends: it dies with it.
struct Stopped {
  Child& child;
  ~Stopped() { child.stop(); }
};

constexpr std::uint64_t kBatch = 4 * kMostCases, kSwiftBatch = 256;  // numbers

// The lanes' shared work: ranges are dealt in turn, and what came of them is added up in the same order.
class Run {
 public:
  Run(Child& child, const Judge& judge, const CampaignOptions& options)
      : child_(child), judge_(judge), options_(options), asked_(asked_of(child.peer(), options, empty_)) {
    empty_.impl = child.peer().name, empty_.version = child.peer().version;
    empty_.setup = setup_of(child.peer(), options.repeat, options.throttles, options.elements);
    empty_.seed = options.seed, empty_.count = options.count;
    record_ = empty_;
  }

  Result<CampaignResult> go() {
    if (asked_.empty()) return Error{ErrorCode::Value, "nothing of what was selected is offered by the adapter", 0};
    const auto cut = [&](std::uint64_t shard) {
      const std::uint64_t at =
          options_.count / options_.shards * shard + options_.count % options_.shards * shard / options_.shards;
      return options_.throttles && shard < options_.shards ? at / kWindow * kWindow : at;
    };
    first_ = cut(options_.shard), end_ = cut(options_.shard + 1);
    record_.from = record_.to = first_;
    std::optional<oracle::RangeLock> lock;
    if (auto error = open_record(lock, end_)) return *error;
    next_ = record_.to;
    std::vector<std::unique_ptr<Child>> twins;
    std::vector<Lane> lanes;
    lanes.reserve(options_.threads);
    lanes.emplace_back(child_, judge_, options_, asked_, empty_);
    for (std::uint64_t k = 1; k < options_.threads; ++k) {
      twins.push_back(child_.twin());
      lanes.emplace_back(*twins.back(), judge_, options_, asked_, empty_);
    }
    if (SwiftPlaces::applies(child_, options_, asked_)) batch_ = kSwiftBatch;
    work(lanes);
    if (error_) return *error_;
    for (Lane& lane : lanes) lane.ask_fresh(record_.to, record_);
    if (auto error = write_record(true)) return *error;
    CampaignResult out = summed(record_);
    for (const auto& twin : twins) {
      out.starts += twin->starts();
      if (out.gone.empty()) out.gone = twin->gone();
    }
    out.ended_early = record_.to < end_ || !child_.gone().empty() || !out.gone.empty() || Interrupt::told();
    return out;
  }

 private:
  void work(std::vector<Lane>& lanes) {
    if (lanes.size() == 1) return run(lanes[0]);
    on_threads(lanes.size(), [&](std::size_t k) {
      const Stopped stopped{lanes[k].child()};
      try {
        run(lanes[k]);
      } catch (...) {
        const std::lock_guard hold(mutex_);
        stop_ = true;
        throw;
      }
    });
  }

  void run(Lane& lane) {
    lane.go([&](bool waits) { return next(waits); }, [&](GateRecord part) { take(std::move(part)); });
  }

  std::optional<Lane::Range> next(bool waits) {
    std::unique_lock hold(mutex_);
    while (!over() && next_ < end_ && needs_scouts()) {
      if (!waits) return std::nullopt;
      taken_.wait_for(hold, std::chrono::milliseconds(20));
    }
    if (over() || next_ >= end_) return std::nullopt;
    Lane::Range out{next_, std::min(end_, next_ + batch_)};
    if (options_.throttles && next_ % kWindow >= kScouts) {
      if (!known_) known_ = std::make_shared<const std::vector<KnownKind>>(known_kinds(record_.rows));
      out.known = known_;
    }
    next_ = out.to;
    return out;
  }

  // Whether the next numbers depend on scouts that have not come back.
  [[nodiscard]] bool needs_scouts() const {
    const std::uint64_t behind = next_ / kWindow * kWindow + kScouts;
    return options_.throttles && next_ >= behind && record_.to < behind;
  }

  void scout(const GateRecord& part) {
    if (!options_.throttles || part.from % kWindow >= kScouts) return;
    for (std::size_t row = 0; row < record_.rows.size(); ++row) {
      OpTotals& totals = record_.rows[row];
      if (part.from % kWindow == 0) totals.scouted.clear();
      for (const auto& [signature, finding] : part.rows[row].findings) totals.scouted[signature] += finding.count;
    }
    known_.reset();
  }

  void take(GateRecord part) {
    const std::lock_guard hold(mutex_);
    if (part.from == part.to) stop_ = true;  // it was not answered whole, so the record is that of what was before
    waiting_.emplace(part.from, std::move(part));
    for (auto at = waiting_.find(record_.to); at != waiting_.end() && !partial_; at = waiting_.find(record_.to)) {
      add(at->second);
      waiting_.erase(at);
    }
    if (auto error = write_record(false); error && !error_) {
      error_ = std::move(error);
      stop_ = true;
    }
    taken_.notify_all();
    if (options_.progress) options_.progress(record_.to - first_, end_ - first_);
  }

  void add(const GateRecord& part) {
    if (part.to > part.from) scout(part);
    for (std::size_t row = 0; row < record_.rows.size(); ++row) record_.rows[row].add(part.rows[row]);
    record_.cases += part.cases;
    record_.skipped += part.skipped;
    if (record_.engines_differ.empty()) record_.engines_differ = part.engines_differ;
    partial_ = part.from == part.to;
    record_.to = part.to;
  }

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

  [[nodiscard]] bool over() const {
    return stop_ || Interrupt::told() ||
           (options_.seconds > 0 &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() >= options_.seconds);
  }

  Child& child_;
  const Judge& judge_;
  const CampaignOptions& options_;
  GateRecord empty_, record_;
  const std::vector<Asked> asked_;
  std::uint64_t first_ = 0, end_ = 0;  // of this shard
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), written_ = began_;
  // Under the mutex while lanes work:
  std::mutex mutex_;
  std::condition_variable taken_;
  std::shared_ptr<const std::vector<KnownKind>> known_;  // of this window
  std::uint64_t next_ = 0, batch_ = kBatch;
  bool stop_ = false, partial_ = false;
  std::map<std::uint64_t, GateRecord> waiting_;  // behind a range that is not answered yet
  std::optional<Error> error_;
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
      std::pair<std::string, std::string> said(
          fmt::format("{} of {}", convention->name, best.family),
          rows.size() == 1                                ? best.convention + " (declared)"
          : std::ranges::none_of(rows, &OpTotals::judged) ? "undeclared, and nothing was judged"
          : std::ranges::all_of(rows, fits)               ? "undeclared, and consistent with every value"
          : fits(best) ? fmt::format("undeclared, and consistent with {}", best.convention)
          : partly     ? fmt::format("undeclared, and consistent with {} where it was judged", best.convention)
                       : "undeclared, and consistent with no value");
      // Operations that share a convention, and agree about it, say it once.
      if (std::ranges::find(out.conventions, said) == out.conventions.end()) out.conventions.push_back(std::move(said));
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
