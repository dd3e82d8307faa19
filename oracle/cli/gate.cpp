// gate: another implementation, as a program that answers questions, held against the verifier.
#include "oracle/cli/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "encodings/base/interrupt.h"
#include "encodings/base/words.h"
#include "encodings/use/parts.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/fuzz.h"
#include "oracle/cli/gate_expected.h"
#include "oracle/cli/gate_report.h"
#include "oracle/gate/contract.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/formats.h"
#include "oracle/gate/library_host.h"
#include "oracle/gate/shrink.h"
#include "verifier/cli/progress.h"

namespace vl::cli {
namespace {

// One case of every operation for a dozen numbers would be the library's matter; these blame the adapter.
constexpr std::uint64_t kSmokeCases = 4;  // of each operation

Result<std::uint64_t> bytes_of(const std::string& text) {
  std::uint64_t value = 0;
  std::size_t used = 0;
  while (used < text.size() && text[used] >= '0' && text[used] <= '9' && value < (std::uint64_t{1} << 40))
    value = value * 10 + static_cast<std::uint64_t>(text[used++] - '0');
  const std::string unit = text.substr(used);
  for (const auto& [word, shift] : {std::pair{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}})
    if (used > 0 && unit == word && value > 0 && value <= (std::uint64_t{1} << (62 - shift))) return value << shift;
  return Error{ErrorCode::Value, fmt::format("'{}' is no number of bytes; expected such as 4GiB or 512MiB", text), 0};
}

// The requests of files: case files with one request or finding a line.
Result<std::vector<gate::Case>> cases_in(const std::vector<std::string>& files) {
  std::vector<gate::Case> out;
  for (const std::string& file : files) {
    const auto text = read_whole(file);
    if (!text) return Error{text.error().code, fmt::format("{}: {}", file, text.error().message), 0};
    std::size_t number = 0;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      const std::string_view line = std::string_view(*text).substr(at, end - at);
      at = end + 1;
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      if (line.starts_with(R"({"kind":"gate")")) continue;  // a report's last line has a time
      const auto wrong = [&](const std::string& what) {
        return Error{ErrorCode::Value, fmt::format("{}:{}: {}", file, number, what), 0};
      };
      const auto parsed = gate::parse_json(line);
      if (!parsed) return wrong(parsed.error().message);
      const gate::Json* kind = parsed->find("kind");
      const bool report = kind != nullptr;
      if (const gate::Json* of = parsed->find("generator");
          report && *kind == gate::Json("run") && of != nullptr && *of != gate::Json(Index{gate::kGenerator}))
        fmt::print(
            stderr,
            "verify-layout: {}:{}: these cases are of generator {}, this one is {}: they are asked as they stand, "
            "and their names mean other cases here\n",
            file, number, gate::print_json(*of), gate::kGenerator);
      if (report && *kind != gate::Json("finding") && *kind != gate::Json("case")) continue;
      const gate::Json* request = report ? parsed->find("case") : &*parsed;
      if (request == nullptr) return wrong("the record has no case");
      auto made = gate::case_of(*request);
      if (!made) return wrong(made.error().message);
      if (const std::string* convention = parsed->text("convention"); report && convention != nullptr) {
        if (!gate::is_convention_of(made->op->name, *convention))
          return wrong(fmt::format("'{}' is no convention of {}", *convention, made->op->name));
        made->convention = *convention;
      }
      made->name = fmt::format("{}:{}", file, number);
      out.push_back(std::move(*made));
    }
  }
  if (out.empty()) return Error{ErrorCode::Value, "the files hold no case", 0};
  return out;
}

int print_schema() {
  fmt::print("operations\n");
  for (const gate::Operation& op : gate::operations()) {
    std::string arguments;
    constexpr std::array<std::string_view, 5> kKinds = {"[[begin,end],...]", "[integer,...]", "integer", "text",
                                                        "a layout"};
    for (const gate::OpArgument& argument : op.arguments)
      arguments += fmt::format("  {}: {}", argument.key, kKinds[static_cast<std::size_t>(argument.kind)]);
    fmt::print("  {:<20}{}\n", op.name, arguments);
  }
  fmt::print("contracts\n ");
  for (const std::string_view word : gate::contract_words()) fmt::print(" {}", word);
  fmt::print("\nconventions\n");
  for (const gate::Convention& convention : gate::conventions())
    fmt::print("  {:<20} {}\n", convention.name, fmt::join(convention.values, " or "));
  fmt::print("families\n");
  for (const use::Family* family : use::families())
    fmt::print("  {:<8} {}\n", family->name,
               family->parts != nullptr ? fmt::format("text; parts: {}", family->parts->schema) : "text");
  return 0;
}

struct Prepared {
  gate::Cage cage;
  gate::ChildOptions child;
};

std::variant<Prepared, int> prepare(const GateArguments& arguments) {
  const auto memory = bytes_of(arguments.memory);
  if (!memory) return bad_input(about("--memory", memory.error().message));
  gate::CageOptions limits;
  limits.memory = *memory;
  auto cage = gate::Cage::choose(arguments.cage, limits);
  if (!cage) return bad_input(about("--cage", cage.error().message));
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  gate::ChildOptions child;
  child.command = arguments.adapter;
  if (!arguments.library.empty()) {
    std::error_code code;
    const auto path = std::filesystem::absolute(arguments.library, code);
    if (code || !std::filesystem::exists(path, code))
      return bad_input(about(arguments.library, "there is no such file"));
    child.is_host = true;
    child.command = {"/proc/self/exe", std::string(gate::kLibraryHost), path.string()};
  }
  child.timeout = milliseconds(arguments.timeout);
  child.start_timeout = milliseconds(arguments.start_timeout);
  child.restart_every = arguments.restart_every;
  return Prepared{std::move(*cage), std::move(child)};
}

std::string text_in(const gate::Report& report, GateArguments::Format format) {
  using Format = GateArguments::Format;
  switch (format) {
    case Format::Text: return gate::to_text(report);
    case Format::Jsonl: return gate::to_jsonl(report);
    case Format::Junit: return gate::to_junit(report);
    case Format::Sarif: return gate::to_sarif(report);
    case Format::Markdown: return gate::to_markdown(report);
    case Format::Github: return gate::to_annotations(report);
  }
  VL_CHECK(false, "a format that there is not");
}

struct GateOutput {
  GateArguments::Format format;
  std::string path;
};

std::variant<std::vector<GateOutput>, int> outputs_of(const GateArguments& arguments) {
  std::vector<GateOutput> out;
  for (const std::string& text : arguments.outputs) {
    const std::size_t equals = text.find('=');
    const auto format = gate_formats().find(text.substr(0, equals));
    if (equals == std::string::npos || equals + 1 == text.size() || format == gate_formats().end())
      return bad_input(about("--output", fmt::format("'{}' is no FORMAT=FILE, as in junit=gate.xml", text)));
    out.push_back({format->second, text.substr(equals + 1)});
  }
  return out;
}

int print_report(const gate::Report& report, const GateArguments& arguments, const std::vector<GateOutput>& outputs) {
  fmt::print("{}", text_in(report, arguments.format));
  int code = gate::exit_code(report);
  if (arguments.new_only && code == 10) {  // what was found is no failure; what was not decided stays one
    gate::Report decided = report;
    decided.reds.clear();
    code = gate::exit_code(decided);
  }
  for (const GateOutput& output : outputs)
    if (const auto error = write_whole(output.path, text_in(report, output.format)))
      code = worse(code, bad_input(about(output.path, error->message)));
  return code;
}

// The library, or the first word behind the program that names a file: `env X=Y python3 gate/adapter.py` has one.
std::string adapter_file(const GateArguments& arguments) {
  if (!arguments.library.empty()) return arguments.library;
  std::error_code code;
  for (std::size_t k = 1; k < arguments.adapter.size(); ++k) {
    const std::filesystem::path path(arguments.adapter[k]);
    if (path.has_extension() && std::filesystem::is_regular_file(path, code)) return arguments.adapter[k];
  }
  return {};
}

int replay_gate(const GateArguments& arguments, gate::Child& child, const gate::Judge& judge, gate::Report& report) {
  const auto cases = cases_in(arguments.files);
  if (!cases) return bad_input(about("replay", cases.error().message));
  report.result = gate::run_cases(child, judge, *cases, [&](const gate::Case& of, const auto& reply, const auto& said) {
    if (arguments.format == GateArguments::Format::Jsonl) fmt::print("{}", gate::case_line(of, reply, said));
    else fmt::print("{}: {} {}: {}\n", of.name, of.op->name, gate::name(said.word), said.detail);
  });
  return -1;
}

}  // namespace

namespace {

gate::CampaignOptions campaign_of(const GateArguments& arguments, const gate::Peer& peer) {
  const auto shard = shard_of(arguments.shard);
  gate::CampaignOptions out;
  out.families = arguments.families, out.ops = arguments.ops;
  out.seed = arguments.seed, out.count = arguments.count;
  out.folder = arguments.out;
  out.threads = arguments.threads;
  out.throttles = arguments.throttles;
  out.elements = arguments.elements;
  out.seconds = arguments.seconds, out.repeat = arguments.repeat;
  out.shard = shard->first, out.shards = shard->second;
  if (arguments.verb == GateArguments::Verb::Smoke) {
    out.count = kSmokeCases * peer.ops.size();
    out.repeat = 1;
  }
  return out;
}

int merge_gate(const std::vector<std::string>& files) {
  std::vector<gate::GateRecord> records;
  for (const std::string& file : files) {
    auto record = gate::read_gate_record(file);
    if (!record) return bad_input(about(file, record.error().message));
    records.push_back(std::move(*record));
  }
  const auto merged = gate::merged(std::move(records));
  if (!merged) return bad_input(about("merge", merged.error().message));
  fmt::print("{}", gate::to_text(*merged));
  const gate::CampaignResult result = gate::summed(*merged);
  if (!result.engines_differ.empty()) return kDisagree;
  const bool found = std::ranges::any_of(result.ops, [](const gate::OpTotals& op) { return !op.findings.empty(); });
  if (merged->from != 0 || merged->to != merged->count) {
    fmt::print(stderr, "verify-layout: cases are missing: the shards hold {} to {} of {}\n", merged->from, merged->to,
               merged->count);
    return found ? kRefuted : kUndecided;
  }
  const bool undecided = std::ranges::any_of(result.ops, [](const gate::OpTotals& op) { return op.judged() == 0; });
  return found ? kRefuted : undecided || result.ops.empty() ? kUndecided : 0;
}

// Runs what was asked for and fills the report; an exit code where that is not possible.
std::optional<int> run_verb(const GateArguments& arguments, gate::Child& child, const gate::Judge& judge,
                            gate::Report& report) {
  if (arguments.verb == GateArguments::Verb::Replay) {
    const int code = replay_gate(arguments, child, judge, report);
    return code >= 0 ? std::optional(code) : std::nullopt;
  }
  {
    Progress progress("gate", report.options.count / report.options.shards, "cases");
    report.options.progress = [&](std::uint64_t done, std::uint64_t) { progress.set(done); };
    auto result = gate::run_campaign(child, judge, report.options);
    if (!result) return bad_input(about("gate", result.error().message));
    report.result = std::move(*result);
  }
  if (!arguments.shrinks || !child.gone().empty()) return std::nullopt;
  std::size_t findings = 0;
  for (const gate::OpTotals& op : report.result.ops) findings += op.findings.size();
  Progress progress("gate", findings, "findings made smaller");
  gate::shrink_all(child, judge, report.result, [&](std::size_t done) { progress.set(done); });
  return std::nullopt;
}

}  // namespace

int run_gate(const GateArguments& arguments) {
  if (arguments.verb == GateArguments::Verb::Schema) return print_schema();
  if (arguments.verb == GateArguments::Verb::Merge) return merge_gate(arguments.files);
  if (!shard_of(arguments.shard)) return bad_input(about("--shard", "expected i/n, as in 0/8"));
  const auto outputs = outputs_of(arguments);
  if (const int* code = std::get_if<int>(&outputs)) return *code;
  auto prepared = prepare(arguments);
  if (const int* code = std::get_if<int>(&prepared)) return *code;
  auto& [cage, options] = std::get<Prepared>(prepared);
  if (arguments.threads > 1 && cage.kind() == gate::CageKind::Limits)
    return bad_input(
        about("--threads", "without namespaces only one process of the adapter can be looked after: " + cage.why()));
  std::signal(SIGPIPE, SIG_IGN);
  const Interrupt interrupt;
  const auto began = std::chrono::steady_clock::now();
  gate::Child child(cage, std::move(options));
  if (const auto error = child.start()) return bad_input(about("gate", error->message));
  session::JudgeOptions how;
  how.engines = session::engine_options();
  const gate::Judge judge(how);
  if (arguments.verb == GateArguments::Verb::Report) return report_gate(arguments, child, judge);
  std::optional<ExpectedFile> file;
  std::vector<gate::KnownAnswer> answers;
  if (!arguments.expect.empty()) {
    auto read = expected_of(arguments, child.peer());
    if (const int* code = std::get_if<int>(&read)) return *code;
    file = std::get<ExpectedFile>(std::move(read));
  }
  gate::Report report;
  report.cage = &cage;
  report.options = campaign_of(arguments, child.peer());
  if (file && report.options.shard == 0) answers = ask_known(file->expected, child, judge);
  if (const auto code = run_verb(arguments, child, judge, report)) return *code;
  report.peer = child.peer();
  report.adapter_file = adapter_file(arguments);
  report.starts = child.starts() + report.result.starts;
  report.gone = child.gone().empty() ? report.result.gone : child.gone();
  report.errors = child.errors();
  if (arguments.times) report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (const int code = compare_expectations(arguments, file ? &*file : nullptr, answers, report); code != 0)
    return code;
  return print_report(report, arguments, std::get<std::vector<GateOutput>>(outputs));
}

std::vector<std::string> gate_words(int argc, const char* const* argv) {
  std::vector<std::string> out(argv, argv + argc);
  if (argc < 2 || out[1] != "gate") return out;
  bool behind = false;
  std::vector<std::string> words;
  for (std::string& word : out) {
    if (!behind && word == "--") behind = true;
    else words.push_back(behind ? "--adapter=" + word : std::move(word));
  }
  return words;
}

}  // namespace vl::cli
