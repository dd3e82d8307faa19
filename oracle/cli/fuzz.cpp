// fuzz: runs a campaign from the command line, and merges shards.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "encodings/base/interrupt.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/fuzz.h"
#include "oracle/fuzz/campaign.h"
#include "verifier/cli/progress.h"

namespace vl::cli {
namespace {

using oracle::Record;

// Without `seconds` where times are left out.
void print_line(const Record& record, std::optional<double> seconds) {
  const oracle::Totals& t = record.totals;
  nlohmann::ordered_json out = {{"kind", "campaign"},       {"family", record.family}, {"seed", record.seed},
                                {"cases", t.cases},         {"elements", t.elements},  {"proved", t.proved},
                                {"refuted", t.refuted},     {"unknown", t.unknown},    {"mismatches", t.mismatches},
                                {"digest", t.digest_text()}};
  if (seconds) out["seconds"] = *seconds;
  fmt::print("{}\n", out.dump());
}

void print_distribution(const Record& record, Format format) {
  const oracle::Totals& t = record.totals;
  if (format == Format::Jsonl) {
    nlohmann::ordered_json counts;
    for (std::size_t k = 0; k < t.counts.size(); ++k) counts[oracle::classes()[k]] = t.counts[k];
    const nlohmann::ordered_json out = {{"kind", "distribution"}, {"family", record.family},  {"from", record.from},
                                        {"to", record.to},        {"unplanned", t.unplanned}, {"counts", counts}};
    fmt::print("{}\n", out.dump());
    return;
  }
  const auto share = [&](std::uint64_t n) {
    return t.cases == 0 ? 0.0 : 100.0 * static_cast<double>(n) / static_cast<double>(t.cases);
  };
  fmt::print(
      "{} seed {}: cases {} to {}, {} elements\n"
      "  proved {:.1f} %, refuted {:.1f} %, unknown {}, without a plan {:.1f} %\n ",
      record.family, record.seed, record.from, record.to, t.elements, share(t.proved), share(t.refuted), t.unknown,
      share(t.unplanned));
  for (std::size_t k = 0; k < t.counts.size(); ++k)
    if (t.counts[k] > 0)
      fmt::print(" {} {:.1f} %{}", oracle::classes()[k], share(t.counts[k]),
                 k + 1 == t.counts.size() ? ""
                 : k % 8 == 7             ? "\n "
                                          : ",");
  fmt::print("\n");
}

void print_troubles(const oracle::CampaignResult& result, Format format) {
  for (std::size_t k = 0; k < result.troubles.size(); ++k) {
    const oracle::Trouble& trouble = result.troubles[k];
    const std::string file = k < result.case_files.size() ? result.case_files[k] : "";
    const std::string layout = oracle::text_of(trouble.subject);
    const std::string tensor = map::print(trouble.subject.tensor);
    if (format == Format::Jsonl) {
      const nlohmann::ordered_json out = {
          {"kind", "mismatch"},
          {"family", result.record.family},
          {"index", trouble.index},
          {"mismatch", trouble.mismatch.kind},
          {"detail", trouble.mismatch.detail},
          {"layout", layout},
          {"tensor", tensor},
          {"file", file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(file)}};
      fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
      fmt::print("case {}: {}: {}\n  {} of {}\n{}", trouble.index, trouble.mismatch.kind, trouble.mismatch.detail,
                 layout, tensor, file.empty() ? "" : fmt::format("  {}\n", file));
    }
  }
}

// The exit code of one campaign: its findings, and whether it met its requirements.
int judged(const Record& record) {
  int code = record.totals.mismatches > 0 ? kMismatch : record.totals.unknown > 0 ? kUndecided : 0;
  for (const std::string& rare : oracle::too_rare(record)) {
    fmt::print(stderr, "verify-layout: the campaign does not meet its requirements: {}\n", rare);
    code = worse(code, kInternalError);
  }
  return code;
}

int merge(const std::vector<std::string>& files) {
  std::vector<Record> records;
  for (const std::string& file : files) {
    auto record = oracle::read_record(file);
    if (!record) return bad_input(about(file, record.error().message));
    records.push_back(std::move(*record));
  }
  const auto merged = oracle::merge(std::move(records));
  if (!merged) return bad_input(about("--merge", merged.error().message));
  int code = 0;
  for (const Record& record : *merged) {
    fmt::print("{}", oracle::to_text(record));
    code = worse(code, judged(record));
  }
  if (merged->size() != 1 || merged->front().from != 0) {
    fmt::print(stderr, "verify-layout: cases are missing: this is not a campaign from its first case on\n");
    code = worse(code, kUndecided);
  }
  return code;
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> shard_of(const std::string& text) {
  const auto slash = text.find('/');
  const auto number = [](const std::string& digits) -> std::optional<std::uint64_t> {
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    return std::stoull(digits);
  };
  if (slash == std::string::npos) return std::nullopt;
  const auto shard = number(text.substr(0, slash));
  const auto shards = number(text.substr(slash + 1));
  if (!shard || !shards || *shards == 0 || *shard > *shards) return std::nullopt;
  return std::pair(*shard % *shards, *shards);
}

int worse(int a, int b) {
  const auto rank = [](int code) {
    return code == kInternalError ? 4 : code == kMismatch ? 3 : code == kBadInput ? 2 : code == kUndecided ? 1 : 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

int run_fuzz(const FuzzArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  if (!arguments.merge.empty()) {
    const auto code = merge_neutral(arguments.merge);
    return code ? *code : merge(arguments.merge);
  }
  if (arguments.neutral) return run_fuzz_neutral(arguments);
  const auto shard = shard_of(arguments.shard);
  if (!shard)
    return bad_input(
        about("--shard", fmt::format("'{}' is not a shard; expected i/n with i from 0 to n", arguments.shard)));
  const Interrupt interrupt;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto told = [&](double seconds) { return arguments.times ? std::optional(seconds) : std::nullopt; };
  Record all{"all", arguments.seed, 0, 0, {}};
  int code = 0;
  const auto families = oracle::campaign_families();
  for (const use::Family* family : families) {
    if (arguments.family != "all" && arguments.family != family->name) continue;
    oracle::CampaignOptions options;
    options.family = family->name;
    options.seed = arguments.seed;
    options.count = arguments.count;
    std::tie(options.shard, options.shards) = *shard;
    options.seconds =
        arguments.family == "all" ? arguments.seconds / static_cast<double>(families.size()) : arguments.seconds;
    options.threads = arguments.threads;
    options.definition = arguments.always ? oracle::Thoroughness::Always : oracle::Thoroughness::Sometimes;
    options.folder = arguments.out;
    options.stop = &Interrupt::told();
    const auto [first, last] = oracle::range_of(options);
    std::optional<Progress> progress(std::in_place, std::string(family->name), last - first, "cases");
    options.progress = [&](const Record& record, std::uint64_t) {
      const std::uint64_t bad = record.totals.mismatches;
      progress->set(record.to - record.from, bad > 0 ? fmt::format(", {} mismatches", bad) : "");
    };
    const auto began = elapsed();
    const auto result = oracle::run_campaign(options);
    progress.reset();
    if (!result) return bad_input(about("--out", result.error().message));
    print_distribution(result->record, arguments.format);
    print_troubles(*result, arguments.format);
    code = worse(code, judged(result->record));
    if (Interrupt::told().load()) code = worse(code, kUndecided);
    all.totals.add(result->record.totals);
    print_line(result->record, told(elapsed() - began));
  }
  if (arguments.family == "all") print_line(all, told(elapsed()));
  return code;
}

}  // namespace vl::cli
