// fuzz --what neutral, and replay of its case files.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "encodings/base/files.h"
#include "encodings/base/interrupt.h"
#include "encodings/base/printable.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/fuzz.h"
#include "oracle/fuzz/neutral/campaign.h"
#include "verifier/cli/progress.h"

namespace vl::cli {
namespace {

using NeutralJson = nlohmann::ordered_json;
using oracle::NeutralRecord;

constexpr std::size_t kMostCaseBytes = std::size_t{1} << 20;

void print_json(const NeutralJson& out) {
  fmt::print("{}\n", out.dump(-1, ' ', false, NeutralJson::error_handler_t::replace));
}

// Without `seconds` where times are left out.
void print_campaign(const NeutralRecord& record, std::optional<double> seconds) {
  const oracle::NeutralTotals& t = record.totals;
  NeutralJson out = {{"kind", "campaign"},       {"what", "neutral"},      {"seed", record.seed},
                     {"cases", t.cases},         {"elements", t.elements}, {"proved", t.proved},
                     {"refuted", t.refuted},     {"unknown", t.unknown},   {"mismatches", t.mismatches},
                     {"digest", t.digest_text()}};
  if (seconds) out["seconds"] = *seconds;
  print_json(out);
}

void print_counts(const NeutralRecord& record, Format format) {
  const oracle::NeutralTotals& t = record.totals;
  if (format == Format::Jsonl) {
    print_json({{"kind", "distribution"},
                {"what", "neutral"},
                {"from", record.from},
                {"to", record.to},
                {"differing", t.differing},
                {"images", t.images},
                {"groups", t.groups},
                {"refuted_groups", t.refuted_groups},
                {"detected_groups", t.detected_groups},
                {"unknown_groups", t.unknown_groups},
                {"differing_groups", t.differing_groups},
                {"counts", t.counts}});
    return;
  }
  fmt::print(
      "neutral seed {}: cases {} to {}, {} of them images, {} terms\n"
      "  {} questions: {} refuted, of {} of which some case differs, too; {} unknown, of {} some case differs\n ",
      record.seed, record.from, record.to, t.images, t.elements, t.groups, t.refuted_groups, t.detected_groups,
      t.unknown_groups, t.differing_groups);
  std::size_t k = 0;
  for (const auto& [name, count] : t.counts)
    fmt::print(" {} {}{}", name, count, ++k == t.counts.size() ? "" : k % 8 == 0 ? "\n " : ",");
  fmt::print("\n");
}

void print_neutral_troubles(const oracle::NeutralResult& result, Format format) {
  for (std::size_t k = 0; k < result.troubles.size(); ++k) {
    const oracle::NeutralTrouble& trouble = result.troubles[k];
    const std::string file = k < result.case_files.size() ? result.case_files[k] : "";
    if (format == Format::Jsonl) {
      print_json({{"kind", "mismatch"},
                  {"what", "neutral"},
                  {"index", trouble.index},
                  {"mismatch", trouble.mismatch.kind},
                  {"detail", trouble.mismatch.detail},
                  {"file", file.empty() ? NeutralJson() : NeutralJson(file)}});
    } else {
      fmt::print("case {}: {}: {}\n  {}{}", trouble.index, trouble.mismatch.kind, trouble.mismatch.detail,
                 oracle::case_text(trouble), file.empty() ? "" : fmt::format("  {}\n", file));
    }
  }
}

int judged_neutral(const NeutralRecord& record) {
  int code = record.totals.mismatches > 0 ? kMismatch : 0;
  for (const std::string& rare : oracle::too_rare(record)) {
    fmt::print(stderr, "verify-layout: the campaign does not meet its requirements: {}\n", rare);
    code = worse(code, kInternalError);
  }
  return code;
}

void print_again(const std::string& file, const std::optional<oracle::Mismatch>& mismatch, Format format) {
  if (format == Format::Json)
    print_json({{"kind", "replay"},
                {"case", file},
                {"passes", !mismatch},
                {"mismatch", mismatch ? NeutralJson(mismatch->kind) : NeutralJson()},
                {"detail", mismatch ? NeutralJson(mismatch->detail) : NeutralJson()}});
  else if (mismatch) fmt::print("{}: fails: {}: {}\n", printable(file), mismatch->kind, printable(mismatch->detail));
  else fmt::print("{}: passes\n", printable(file));
}

}  // namespace

int run_fuzz_neutral(const FuzzArguments& arguments) {
  const auto shard = shard_of(arguments.shard);
  if (!shard)
    return bad_input(
        about("--shard", fmt::format("'{}' is not a shard; expected i/n with i from 0 to n", arguments.shard)));
  const Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  oracle::NeutralOptions options;
  options.seed = arguments.seed;
  options.count = arguments.count;
  std::tie(options.shard, options.shards) = *shard;
  options.seconds = arguments.seconds;
  options.threads = arguments.threads;
  options.folder = arguments.out;
  options.stop = &Interrupt::told();
  const auto [first, last] = oracle::range_of(options);
  std::optional<Progress> progress(std::in_place, std::string("neutral"), last - first, "cases");
  options.progress = [&](const NeutralRecord& record) {
    const std::uint64_t bad = record.totals.mismatches;
    progress->set(record.to - record.from, bad > 0 ? fmt::format(", {} mismatches", bad) : "");
  };
  const auto result = oracle::run_campaign(options);
  progress.reset();
  if (!result) return bad_input(about("--out", result.error().message));
  print_counts(result->record, arguments.format);
  print_neutral_troubles(*result, arguments.format);
  int code = judged_neutral(result->record);
  if (Interrupt::told().load()) code = worse(code, kUndecided);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print_campaign(result->record, arguments.times ? std::optional(seconds) : std::nullopt);
  return code;
}

std::optional<int> merge_neutral(const std::vector<std::string>& files) {
  std::vector<NeutralRecord> records;
  for (const std::string& file : files) {
    const auto text = read_whole(file, kMostCaseBytes);
    if (!text || (records.empty() && !oracle::is_neutral_record(*text))) {
      if (records.empty()) return std::nullopt;
      return bad_input(about(file, text.error().message));
    }
    auto record = oracle::neutral_record_of(*text);
    if (!record) return bad_input(about(file, record.error().message));
    records.push_back(std::move(*record));
  }
  const auto merged = oracle::merge(std::move(records));
  if (!merged) return bad_input(about("--merge", merged.error().message));
  int code = 0;
  for (const NeutralRecord& record : *merged) {
    fmt::print("{}", oracle::to_text(record));
    code = worse(code, judged_neutral(record));
  }
  if (merged->size() != 1 || merged->front().from != 0) {
    fmt::print(stderr, "verify-layout: cases are missing: this is not a campaign from its first case on\n");
    code = worse(code, kUndecided);
  }
  return code;
}

std::vector<std::string> neutral_case_files(const std::string& path) {
  std::vector<std::string> out;
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    if (oracle::is_neutral_case_file(path)) out.push_back(path);
    return out;
  }
  for (auto it = std::filesystem::directory_iterator(path, code); !code && it != std::filesystem::directory_iterator();
       it.increment(code))
    if (oracle::is_neutral_case_file(it->path().string())) out.push_back(it->path().string());
  std::ranges::sort(out);
  return out;
}

int replay_neutral(const std::vector<std::string>& files, Format format) {
  std::vector<std::pair<std::string, oracle::NeutralTrouble>> cases;
  for (const std::string& file : files) {
    const auto text = read_whole(file, kMostCaseBytes);
    if (!text) return bad_input(about(file, text.error().message));
    auto read = oracle::neutral_case_of(*text);
    if (!read) return bad_input(about(file, read.error().message));
    cases.emplace_back(file, std::move(*read));
  }
  int code = 0;
  for (const auto& [file, trouble] : cases) {
    const oracle::NeutralOutcome outcome = oracle::run_again(trouble);
    if (outcome.mismatch) code = kMismatch;
    print_again(file, outcome.mismatch, format);
  }
  return code;
}

}  // namespace vl::cli
