#include "oracle/fuzz/neutral/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "encodings/base/check.h"
#include "encodings/base/files.h"
#include "encodings/base/threads.h"
#include "oracle/fuzz/range_lock.h"

namespace vl::oracle {
namespace {

constexpr std::uint64_t kNeutralChunk = 16 * kNeutralGroup;  // cases that a thread takes at a time
constexpr std::size_t kMostRecordBytes = std::size_t{1} << 20;

std::string record_path(const NeutralOptions& options) {
  const std::string part = options.shards == 1 ? "" : fmt::format("-{}-of-{}", options.shard, options.shards);
  return fmt::format("{}/neutral-{}{}.json", options.folder, options.seed, part);
}

std::optional<Error> put_neutral(const std::string& path, const std::string& content) {
  auto error = write_whole(path, content);
  if (error) error->message = fmt::format("{}: {}", path, error->message);
  return error;
}

// Makes the folder, and takes the range for this campaign.
Result<std::optional<RangeLock>> reserved(const NeutralOptions& options) {
  if (options.folder.empty()) return std::optional<RangeLock>();
  std::error_code code;
  std::filesystem::create_directories(options.folder, code);
  if (code) return Error{ErrorCode::Io, fmt::format("{}: cannot be made: {}", options.folder, code.message())};
  auto lock = RangeLock::take(record_path(options));
  if (!lock) return lock.error();
  return std::optional(std::move(*lock));
}

// The record of this range that the folder already has.
Result<NeutralRecord> begun(const NeutralOptions& options, std::uint64_t from, std::uint64_t to) {
  NeutralRecord record{options.seed, from, from, {}};
  std::error_code code;
  if (options.folder.empty() || !std::filesystem::exists(record_path(options), code)) return record;
  const std::string path = record_path(options);
  const auto text = read_whole(path, kMostRecordBytes);
  if (!text) return Error{text.error().code, fmt::format("{}: {}", path, text.error().message)};
  auto known = neutral_record_of(*text);
  if (!known) return Error{known.error().code, fmt::format("{}: {}", path, known.error().message)};
  if (known->seed != options.seed || known->from != from || known->to > to)
    return Error{ErrorCode::Value,
                 fmt::format("{}: is of seed {}, cases {} to {}; expected seed {}, from {} to at most {}", path,
                             known->seed, known->from, known->to, options.seed, from, to)};
  return known;
}

// Some chunks at once, one per thread, added in the order of their cases.
void run_chunks(const NeutralOptions& options, std::uint64_t to, NeutralRecord& record) {
  std::vector<NeutralTotals> totals(options.threads);
  std::vector<std::uint64_t> ends;
  for (std::uint64_t from = record.to; ends.size() < options.threads && from < to; from = ends.back())
    ends.push_back(std::min(to, from + kNeutralChunk));
  const auto work = [&](std::size_t k) {
    run_range(options.seed, k == 0 ? record.to : ends[k - 1], ends[k], totals[k]);
  };
  on_threads(ends.size(), work);
  for (std::size_t k = 0; k < ends.size(); ++k) record.totals.add(totals[k]);
  record.to = ends.back();
}

std::vector<NeutralTrouble> troubles_in(const NeutralRecord& record) {
  std::vector<NeutralTrouble> out;
  for (const auto& [key, found] : record.totals.found)
    if (auto trouble = neutral_trouble_at(record.seed, found.first)) out.push_back(std::move(*trouble));
  std::ranges::sort(out, {}, &NeutralTrouble::index);
  return out;
}

Result<NeutralRecord> run_record(const NeutralOptions& options, std::uint64_t from, std::uint64_t to) {
  using Steady = std::chrono::steady_clock;
  const auto since = [](Steady::time_point start) {
    return std::chrono::duration<double>(Steady::now() - start).count();
  };
  auto record = begun(options, from, to);
  if (!record) return record;
  const auto start = Steady::now();
  auto written = start;
  const auto over = [&] {
    return (options.stop != nullptr && options.stop->load()) ||
           (options.seconds > 0 && since(start) >= options.seconds);
  };
  while (record->to < to && !over()) {
    run_chunks(options, to, *record);
    if (since(written) < 1) continue;
    written = Steady::now();
    if (options.progress) options.progress(*record);
    if (options.folder.empty()) continue;
    if (auto error = put_neutral(record_path(options), to_text(*record))) return *error;
  }
  if (!options.folder.empty())
    if (auto error = put_neutral(record_path(options), to_text(*record))) return *error;
  return record;
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> range_of(const NeutralOptions& options) {
  const std::uint64_t groups = options.count / kNeutralGroup + (options.count % kNeutralGroup != 0 ? 1 : 0);
  const auto cut = [&](std::uint64_t shard) {  // groups·shard/shards without leaving 64 bits
    return groups / options.shards * shard + groups % options.shards * shard / options.shards;
  };
  return {std::min(options.count, cut(options.shard) * kNeutralGroup),
          std::min(options.count, cut(options.shard + 1) * kNeutralGroup)};
}

void run_range(std::uint64_t seed, std::uint64_t from, std::uint64_t to, NeutralTotals& totals) {
  while (from < to) {
    const std::uint64_t group = from / kNeutralGroup, end = std::min(to, (group + 1) * kNeutralGroup);
    const NeutralTrial trial(question_of(seed, group));
    const auto image = image_of(trial.asked(), seed, group);
    const auto ready = image ? ops::Prepared::create(image->task) : Result<ops::Prepared>(Error{});
    const NeutralStates states = ready ? states_of(trial.asked(), *ready) : NeutralStates{};
    bool differs = false;
    Answered verdict = Answered::Unknown;
    for (std::uint64_t index = from; index < end; ++index) {
      const bool whole = ready && is_image(index);
      NeutralOutcome outcome = whole ? trial.run(*ready, states, seed, index)
                                     : trial.run(row_of(trial.asked(), trial.sources(), seed, index));
      if (!outcome.mismatch && index % kNeutralGroup == 0) outcome.mismatch = trial.counterexample();
      totals.add(index, trial.asked(), whole, outcome);
      differs = differs || outcome.differs;
      verdict = outcome.verdict;
    }
    totals.add_group(verdict, differs);
    from = end;
  }
}

std::optional<NeutralTrouble> neutral_trouble_at(std::uint64_t seed, std::uint64_t index) {
  NeutralOutcome outcome = neutral_outcome(seed, index);
  if (!outcome.mismatch || !outcome.row) return std::nullopt;
  NeutralTrouble out{question_of(seed, index / kNeutralGroup), std::move(*outcome.row), *outcome.mismatch, seed, index};
  if (out.mismatch.kind != "false-proved") return out;
  out.row = smaller_row(out.asked, std::move(out.row), [&](const NeutralRow& row) {
    const NeutralResults results = results_of(out.asked.question, row);
    return !are_equal(out.asked.question, results.with_pads, results.without);
  });
  return out;
}

Result<NeutralResult> run_campaign(const NeutralOptions& options) {
  VL_CHECK(options.shards >= 1 && options.shard < options.shards && options.threads >= 1, "a shard that there is not");
  const auto [from, to] = range_of(options);
  const auto lock = reserved(options);
  if (!lock) return lock.error();
  auto record = run_record(options, from, to);
  if (!record) return record.error();
  NeutralResult out{std::move(*record), to, {}, {}};
  out.troubles = troubles_in(out.record);
  for (const NeutralTrouble& trouble : out.troubles) {
    if (options.folder.empty()) break;
    const std::string path = fmt::format("{}/{}", options.folder, case_file_name(trouble));
    if (auto error = put_neutral(path, case_text(trouble))) return *error;
    out.case_files.push_back(path);
  }
  return out;
}

}  // namespace vl::oracle
