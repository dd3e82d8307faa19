#include "oracle/fuzz/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <new>

#include "encodings/base/files.h"
#include "encodings/base/threads.h"
#include "oracle/fuzz/case_file.h"
#include "oracle/fuzz/data.h"
#include "oracle/fuzz/range_lock.h"

namespace vl::oracle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kChunk = 16 * kGroup;  // tensors that a thread takes at a time
constexpr std::uint64_t kDefinitionOf = 64;    // one tensor in that many
constexpr std::uint64_t kAuditOf = 32;         // one group in that many

std::string path_of(const CampaignOptions& options) { return options.folder + "/" + file_name(options); }

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The error names the path.
std::optional<Error> put(const std::string& path, const std::string& content) {
  auto error = write_whole(path, content);
  if (error) error->message = fmt::format("{}: {}", path, error->message);
  return error;
}

// Chunks that threads finish in any order, put together in the order of their indices.
class Progress {
 public:
  Progress(const CampaignOptions& options, Record record, std::uint64_t to)
      : options_(options), record_(std::move(record)), to_(to), next_(record_.to), written_(Clock::now()) {}

  void work() try {
    Trial trial;
    for (;;) {
      const std::uint64_t from = next_.fetch_add(kChunk);
      if (from >= to_ || over()) return;
      Totals totals;
      run_range(trial, options_, from, std::min(to_, from + kChunk), totals);
      deliver(from, std::move(totals));
    }
  } catch (...) {  // the others' work would be for nothing
    failed_ = true;
    throw;
  }
  [[nodiscard]] const Record& record() const { return record_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  std::optional<Error> write() {
    if (options_.folder.empty()) return std::nullopt;
    return put(path_of(options_), to_text(record_));
  }

 private:
  bool over() {
    const std::lock_guard lock(mutex_);
    return failed_ || error_.has_value() || (options_.stop != nullptr && options_.stop->load()) ||
           (options_.seconds > 0 && seconds_since(start_) >= options_.seconds);
  }

  void deliver(std::uint64_t from, Totals totals) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(from, std::move(totals));
    while (!waiting_.empty() && waiting_.begin()->first == record_.to) {
      record_.totals.add(waiting_.begin()->second);
      record_.to += waiting_.begin()->second.cases;
      waiting_.erase(waiting_.begin());
    }
    // A short campaign is written often, a long one once per second: at most a tenth of its work is lost. A slow disk
    // takes at most a tenth of the time.
    if (seconds_since(written_) < std::max(std::clamp(seconds_since(start_) / 10, 0.02, 1.0), 9 * writing_)) return;
    const auto began = Clock::now();
    if (auto error = write(); error && !error_) error_ = std::move(error);
    if (options_.progress) options_.progress(record_, to_);
    written_ = Clock::now();
    writing_ = std::chrono::duration<double>(written_ - began).count();
  }

  const CampaignOptions& options_;
  Record record_;  // of all tensors before record_.to
  std::uint64_t to_;
  std::atomic<std::uint64_t> next_;
  std::map<std::uint64_t, Totals> waiting_;
  std::optional<Error> error_;
  std::atomic<bool> failed_{false};
  Clock::time_point start_ = Clock::now();
  Clock::time_point written_;
  double writing_ = 0;  // seconds
  std::mutex mutex_;
};

// Makes the folder, and takes the range for this campaign.
Result<std::optional<RangeLock>> reserve(const CampaignOptions& options) {
  if (options.folder.empty()) return std::optional<RangeLock>();
  std::error_code code;
  std::filesystem::create_directories(options.folder, code);
  if (code) return Error{ErrorCode::Io, fmt::format("{}: cannot be made: {}", options.folder, code.message())};
  auto lock = RangeLock::take(path_of(options));
  if (!lock) return lock.error();
  return std::optional(std::move(*lock));
}

// The record of this campaign's range that the folder already has.
Result<Record> beginning(const CampaignOptions& options, std::uint64_t from, std::uint64_t to) {
  const bool always = options.definition == Thoroughness::Always;
  Record record{options.family, options.seed, from, from, {}, always};
  const std::string path = path_of(options);
  std::error_code code;
  if (options.folder.empty() || !std::filesystem::exists(path, code)) return record;
  auto known = read_record(path);
  if (!known) return Error{known.error().code, fmt::format("{}: {}", path, known.error().message)};
  if (known->family != record.family || known->seed != record.seed || known->from != from || known->to > to)
    return Error{ErrorCode::Value,
                 fmt::format("{}: is of {}, seed {}, cases {} to {}; expected {}, seed {}, from {} to at most {}", path,
                             known->family, known->seed, known->from, known->to, record.family, record.seed, from, to)};
  if (known->always != always)
    return Error{ErrorCode::Value,
                 fmt::format("{}: was run with --definition {}; go on like that, or in another folder", path,
                             known->always ? "always" : "sometimes")};
  return known;
}

// The first tensor of each kind of mismatch, made smaller. Equal ones are listed once.
std::vector<Trouble> troubles_of(const CampaignOptions& options, const Totals& totals) {
  std::vector<Found> found;
  for (const auto& [key, one] : totals.found) found.push_back(one);
  std::ranges::sort(found, {}, &Found::first);
  if (found.size() > kMostTroubles) found.resize(kMostTroubles);
  std::vector<Trouble> out;
  std::map<std::string, bool> seen;
  Trial trial;
  for (const Found& one : found) {
    Trouble trouble = trouble_at(options.family, options.seed, one.first);
    auto mismatch = look_at(trial, trouble.subject, trouble.companion, trouble.tensor).mismatch;
    if (mismatch) {
      trouble.mismatch = std::move(*mismatch);
      trouble = shrink(std::move(trouble));
    } else {
      trouble.mismatch = {"not-repeated", one.detail};
    }
    if (seen.emplace(structure_of(trouble), true).second) out.push_back(std::move(trouble));
  }
  return out;
}

}  // namespace

void run_range(Trial& trial, const CampaignOptions& options, std::uint64_t from, std::uint64_t to, Totals& totals) {
  const bool always = options.definition == Thoroughness::Always;
  Tensor tensor;
  for (std::uint64_t index = from; index < to; ++index) {
    const std::uint64_t group = index / kGroup;
    if (index == from || index % kGroup == 0) trial.open(subject_of(options.family, options.seed, group), group);
    const bool next = index == from || index % kTransfers == 0;
    tensor =
        next ? tensor_of(options.family, options.seed, index) : tensor_of(tensor, options.family, options.seed, index);
    // Not every 64th, which would always be the same place of a group; its kind is its number modulo 4.
    const bool chosen = mix(index) % kDefinitionOf == 0;
    TrialOptions how{.definition = always || chosen, .all_kernels = chosen, .audit = mix(group) % kAuditOf == 0};
    Outcome outcome = trial.run(tensor, how);
    if (outcome.mismatch && !how.definition) {  // every disagreement goes back to the definition
      how.definition = how.all_kernels = true;
      const Outcome again = trial.run(tensor, how);
      if (again.mismatch) outcome.mismatch = again.mismatch;
    }
    totals.add(index, trial.subject(), tensor, outcome);
  }
}

std::pair<std::uint64_t, std::uint64_t> range_of(const CampaignOptions& options) {
  const std::uint64_t groups = options.count / kGroup + (options.count % kGroup != 0 ? 1 : 0);
  // groups·shard/shards without leaving 64 bits.
  const auto cut = [&](std::uint64_t shard) {
    return groups / options.shards * shard + groups % options.shards * shard / options.shards;
  };
  return {std::min(options.count, cut(options.shard) * kGroup),
          std::min(options.count, cut(options.shard + 1) * kGroup)};
}

std::string file_name(const CampaignOptions& options) {
  if (options.shards == 1) return fmt::format("{}-{}.json", options.family, options.seed);
  return fmt::format("{}-{}-{}-of-{}.json", options.family, options.seed, options.shard, options.shards);
}

Result<CampaignResult> run_campaign(const CampaignOptions& options) {
  VL_CHECK(options.shards >= 1 && options.shard < options.shards && options.threads >= 1, "a shard that there is not");
  const auto [from, to] = range_of(options);
  const auto lock = reserve(options);
  if (!lock) return lock.error();
  auto known = beginning(options, from, to);
  if (!known) return known.error();
  const std::uint64_t pools = Pools::get().hash();
  Progress progress(options, std::move(*known), to);
  try {
    on_threads(options.threads, [&](std::size_t) { progress.work(); });
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Io, "there is not enough memory for this"};
  }
  VL_CHECK(Pools::get().hash() == pools, "a source was written to");
  if (progress.error()) return *progress.error();
  if (auto error = progress.write()) return *error;
  CampaignResult out{progress.record(), to, troubles_of(options, progress.record().totals), {}};
  for (const Trouble& trouble : out.troubles) {
    if (options.folder.empty()) break;
    const std::string path = fmt::format("{}/{}", options.folder, case_file_name(trouble));
    if (auto error = put(path, case_text(trouble, options.seed))) return *error;
    out.case_files.push_back(path);
  }
  return out;
}

}  // namespace vl::oracle
