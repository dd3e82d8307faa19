// check: reads every case (files in sorted order, or the one from the command line), decides them on some threads, and
// prints the answers in the order of reading, as they come. equal is check with one claim.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "encodings/base/files.h"
#include "encodings/base/interrupt.h"
#include "encodings/base/printable.h"
#include "verifier/cli/baseline_file.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/outputs.h"
#include "verifier/cli/progress.h"
#include "verifier/cli/show.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/propositional.h"
#include "verifier/programs/functions.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/batch.h"
#include "verifier/session/claim_text.h"
#include "verifier/session/names.h"
#include "verifier/session/nests_file.h"
#include "verifier/session/rule_nests_file.h"
#include "verifier/session/stated.h"
#include "verifier/session/targets.h"

namespace vl::cli {
namespace {

session::JudgeOptions options_of(const CheckArguments& arguments) {
  session::JudgeOptions options;
  options.engines = session::engine_options(arguments.timeout);
  options.engines.only = arguments.engine;
  options.engines.cross_check = arguments.cross_check;
  options.engines.budget.rlimit = arguments.rlimit;
  options.engines.budget.memory_mib = arguments.memory;
  options.dump_smt = arguments.dump_smt;
  options.certificates = {arguments.certificates, arguments.compact, arguments.explain_trust};
  options.remember_engines = arguments.explain_engine;
  options.programs = programs::judge;
  if (arguments.over_read == "elements") options.over_read = arguments.over_read;
  options.print_programs = arguments.print_program;
  options.fill = arguments.fill || !arguments.patch.empty();
  return options;
}

using Loaded = std::vector<session::Work>;

// Files of certificates are named by ids, which only the cases of one file may not share.
void tell_apart(Loaded& loaded) {
  std::set<std::string> ids, seen;
  for (const session::Work& work : loaded)
    if (const std::string* id = work.id()) ids.insert(*id);
  for (session::Work& work : loaded) {
    const std::string* id = work.id();
    if (id == nullptr || seen.insert(*id).second) continue;
    std::size_t number = 2;
    std::string stem;
    do stem = fmt::format("{}-{}", *id, number++);
    while (!ids.insert(stem).second);
    work.rename(std::move(stem));
  }
}

// `otherwise` is asked of the layouts in texts.
Loaded load(const CheckArguments& arguments, const std::vector<use::Definition>& definitions,
            const session::CaseRequest& otherwise) {
  Loaded loaded;
  TextsRead read;
  read.used.resize(definitions.size());
  read.programs = arguments.programs || (!arguments.no_programs && arguments.claims.empty());
  read.programs_beneath = arguments.programs;
  for (const std::string& folder : arguments.scans)
    std::ranges::move(works_beneath(folder, definitions, otherwise, read, arguments.quiet), std::back_inserter(loaded));
  for (const std::string& path : arguments.files) {
    if (is_text(path)) {
      std::ranges::move(layouts_of(path, definitions, otherwise, read), std::back_inserter(loaded));
      continue;
    }
    std::size_t others = 0;
    const std::vector<std::string> files = session::case_files(path, &others);
    if (others > 0)
      fmt::print(stderr, "verify-layout: {}: {} beneath it without schema = 1: no case {}\n", printable(path),
                 report::plural(static_cast<Index>(others), "*.toml"), others == 1 ? "file" : "files");
    if (files.empty()) loaded.emplace_back(rejected(path, about(path, "no such file, or no case file beneath it")));
    for (const std::string& file : files)
      std::ranges::move(session::work_of(session::find_cases_in(file), file), std::back_inserter(loaded));
  }
  Loaded unused = unused_in_texts(loaded, otherwise, definitions, read.used);
  std::ranges::move(unused, std::back_inserter(loaded));
  if (!arguments.certificates.empty() || !arguments.dump_smt.empty()) tell_apart(loaded);
  return loaded;
}

// The claims of the command line, without their nests; or the error.
std::variant<std::vector<session::ClaimRequest>, std::string> claims_of(const CheckArguments& arguments) {
  const auto transfer = arguments.transfers.empty()       ? session::Beside::Nothing
                        : arguments.layout.text().empty() ? session::Beside::NoLayout
                                                          : session::Beside::Layout;
  return session::claims_of(
      arguments.claims, {!arguments.nests.empty(), transfer, !arguments.target.empty() && !arguments.transfers.empty(),
                         arguments.access, arguments.hardware});
}

Loaded failed_to_load(const CheckArguments& arguments, Diagnostic diagnostic) {
  question::Case out = rejected({}, std::move(diagnostic));
  out.layout = arguments.layout.text();
  out.tensor = arguments.layout.tensor;
  Loaded loaded;
  loaded.emplace_back(std::move(out));
  return loaded;
}

// Gives the claims the nests of --nests, with names or of numbers. Returns what is wrong with them.
std::optional<Diagnostic> take_nests(const CheckArguments& arguments, session::CaseRequest& request) {
  session::AnyNests read =
      session::read_any_nests(arguments.nests, session::has_names(request), request.sizes.has_value());
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  std::shared_ptr<const use::RuleTransfer> named;
  std::shared_ptr<const use::Transfer> numbers;
  if (auto* rule = std::get_if<use::RuleTransfer>(&read))
    named = std::make_shared<const use::RuleTransfer>(std::move(*rule));
  else numbers = std::make_shared<const use::Transfer>(std::move(std::get<use::Transfer>(read)));
  const auto direction = named != nullptr ? named->direction : numbers->direction;
  const bool devices = direction == use::Direction::DeviceToDevice;
  if (devices == arguments.from.empty())
    return Diagnostic{arguments.nests,
                      0,
                      0,
                      devices ? "these nests move between devices; expected --from LAYOUT"
                              : "these nests have a host side; --from LAYOUT is for d2d",
                      {},
                      0};
  for (session::ClaimRequest& claim : request.claims) {
    claim.rule_nests = named, claim.nests = numbers;
    claim.nests_text = arguments.nests;
    claim.nests_at = session::SourceText::option(arguments.nests, {});
    if (devices) claim.arguments.push_back({"with", session::SourceText::option("--from", arguments.from)});
  }
  return std::nullopt;
}

// The descriptors of --transfer.
std::shared_ptr<const session::TransferRequest> transfer_of(const CheckArguments& arguments) {
  session::TransferRequest out;
  for (const std::string& text : arguments.transfers)
    out.texts.push_back(session::SourceText::option("--transfer", text));
  if (!arguments.target.empty()) out.target = session::SourceText::option("--target", arguments.target);
  return std::make_shared<const session::TransferRequest>(std::move(out));
}

// The request of the command line; or a diagnostic, if an option or the file of nests cannot be read.
Loaded load(const CheckArguments& arguments, std::variant<session::CaseRequest, Diagnostic> asked,
            const std::vector<use::Definition>& definitions, std::vector<session::ClaimRequest> claims) {
  const auto failed = [&](Diagnostic diagnostic) { return failed_to_load(arguments, std::move(diagnostic)); };
  if (auto* diagnostic = std::get_if<Diagnostic>(&asked)) return failed(std::move(*diagnostic));
  auto& request = std::get<session::CaseRequest>(asked);
  request.claims = std::move(claims);
  if (arguments.where) request.where = session::SourceText::option("--where", *arguments.where);
  if (auto wrong = session::define(request, definitions)) return failed(std::move(*wrong));
  if (arguments.at_sizes) request.sizes = session::SourceText::option("--at-sizes", *arguments.at_sizes);
  request.all_sizes = arguments.sizes == "all", request.one_size = arguments.sizes == "one";
  if (!arguments.nests.empty())
    if (auto wrong = take_nests(arguments, request)) return failed(std::move(*wrong));
  if (!arguments.transfers.empty()) {
    const auto transfer = transfer_of(arguments);
    for (session::ClaimRequest& claim : request.claims)
      if (claims::is_about_descriptors(*claim.claim)) claim.transfer = transfer;
  }
  Loaded loaded;
  if (!arguments.has_tensor) {
    const Index offset = request.offset;
    auto reason = session::state_tensor(request);
    if (arguments.layout.offset) request.offset = offset;
    if (reason) {
      question::Case skipped;
      skipped.layout = request.layout.text;
      skipped.skipped = std::move(*reason);
      loaded.emplace_back(std::move(skipped));
      return loaded;
    }
  }
  loaded.emplace_back(std::move(request));
  return loaded;
}

// The request of --transfer, alone.
Loaded load_transfers(const CheckArguments& arguments, const std::vector<use::Definition>& definitions,
                      std::vector<session::ClaimRequest> claims) {
  session::CaseRequest request;
  request.claims = std::move(claims);
  request.transfer = transfer_of(arguments);
  request.layout = request.transfer->texts.front();
  if (arguments.where) request.where = session::SourceText::option("--where", *arguments.where);
  if (auto wrong = session::define(request, definitions)) return failed_to_load(arguments, std::move(*wrong));
  if (arguments.at_sizes) request.sizes = session::SourceText::option("--at-sizes", *arguments.at_sizes);
  Loaded loaded;
  loaded.emplace_back(std::move(request));
  return loaded;
}

OutputStyle style_of(const CheckArguments& arguments) {
  OutputStyle out;
  out.tools = {VL_VERSION, smt::z3_version(), engines::isl_name(), engines::cadical_version(),
               {},         arguments.timeout, arguments.rlimit,    arguments.memory};
  if (arguments.cross_check || arguments.engine == "cvc5")
    out.tools.cvc5 = smt::cvc5_version(options_of(arguments).engines.budget);
  out.tools.times = arguments.times;
  out.policy = {arguments.strict, arguments.allow_skipped};
  out.text = {false, arguments.explain_engine, arguments.explain_trust};
  out.quiet = arguments.quiet;
  return out;
}

// The edits of functions as one patch of their files.
class Patch {
 public:
  void add(const question::Case& c) {
    if (c.function)
      for (const question::Hunk& hunk : c.function->patch) hunks_[c.place.file].push_back(hunk);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [file, hunks] : hunks_) {
      out += fmt::format("--- {}\n+++ {}\n", file, file);
      std::size_t more = 0;
      for (const question::Hunk& hunk : hunks) {
        const auto count = [&](char but) {
          return std::ranges::count_if(hunk.lines,
                                       [&](const std::string& line) { return line[0] != but && line[0] != '\\'; });
        };
        const auto now = static_cast<std::size_t>(count('-')), before = static_cast<std::size_t>(count('+'));
        out += fmt::format("@@ -{},{} +{},{} @@\n", hunk.line, before, hunk.line + more, now);
        for (const std::string& line : hunk.lines) out += line + "\n";
        more += now - before;
      }
    }
    return out;
  }

 private:
  std::map<std::string, std::vector<question::Hunk>> hunks_;  // in the order of the functions
};

// The case of the page that --show writes: the first that fails; else the first one.
struct CaseShown {
  std::optional<question::Case> one;
  bool fails = false;

  void add(const question::Case& c, bool failed) {
    if (c.reading && (!one || (failed && !fails))) one = c, fails = failed;
  }
};

// What is written once all is decided: baseline, patch and page. The exit code of what could not be written.
std::optional<int> write_rest(const CheckArguments& arguments, const report::Baseline* baseline, bool whole,
                              const Patch& patch, const CaseShown& shown, const Outputs& outputs) {
  if (baseline != nullptr && arguments.update_baseline) {
    if (!whole) return bad_input(about(arguments.baseline, "is not updated: the run ended early"));
    if (const auto wrong = write_baseline(arguments, *baseline)) return bad_input(*wrong);
  }
  for (const Diagnostic& diagnostic : outputs.failed()) return bad_input(diagnostic);
  if (!arguments.patch.empty())
    if (const auto error = write_whole(arguments.patch, patch.text()))
      return bad_input(about(arguments.patch, error->message));
  if (arguments.show.empty()) return std::nullopt;
  if (!shown.one) fmt::print(stderr, "verify-layout: there is no layout to show\n");
  if (shown.one)
    if (const auto error = write_page(*shown.one, arguments.show))
      return bad_input(about(arguments.show, error->message));
  return std::nullopt;
}

// Decides and prints everything that was loaded.
int answer(Loaded loaded, const CheckArguments& arguments) {
  auto files = output_files(arguments.outputs);
  if (const auto* message = std::get_if<std::string>(&files)) {
    fmt::print(stderr, "verify-layout: {}\n", printable(*message));
    return kUsage;
  }
  auto known = baseline_of(arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&known)) return bad_input(*diagnostic);
  auto& baseline = std::get<std::optional<report::Baseline>>(known);
  // From the first file that is made to the last one that takes its name.
  const Interrupt interrupt;
  Outputs outputs(arguments.format, wants_colour(arguments.colour), style_of(arguments),
                  std::get<std::vector<OutputFile>>(files));
  for (const Diagnostic& diagnostic : outputs.failed()) return bad_input(diagnostic);
  const report::Policy policy{arguments.strict, arguments.allow_skipped};
  report::Tally tally;
  if (arguments.explain_trust) tally.rests.emplace();
  const std::size_t all = loaded.size();
  std::size_t handed = 0;
  CaseShown shown;
  report::HeededComments heeded;
  Patch patch;
  {
    Progress progress("check", all, "cases");
    std::atomic<std::uint64_t> decided{0};
    session::BatchOptions batch{session::JudgeOptions(options_of(arguments)), arguments.jobs, {}, {}};
    batch.judge.engines.budget.stop = &Interrupt::told();
    batch.decided = [&] { progress.set(++decided); };
    batch.done = [&](question::Case&& c) {
      progress.hide();
      c.times = arguments.times;
      if (!report::heed(c, heeded)) return ++handed, true;  // a comment that ignores something
      if (baseline) baseline->compare(c, arguments.update_baseline);
      if (c.diagnostic && !c.expected_invalid) fmt::print(stderr, "error: {}\n", to_string(*c.diagnostic));
      report::count(c, tally, policy);
      outputs.add(c);
      patch.add(c);
      ++handed;
      if (!arguments.show.empty()) shown.add(c, !tally.failures.empty());
      return !arguments.fail_fast || tally.failures.empty();
    };
    session::judge_all(std::move(loaded), batch);
  }
  if (Interrupt::told()) fmt::print(stderr, "verify-layout: interrupted; cases that are not judged are listed\n");
  const bool whole = handed == all && !Interrupt::told();
  if (baseline && whole)
    for (const question::Case& gone : baseline->gone()) {
      report::count(gone, tally, arguments.update_baseline ? report::Policy{} : policy);
      outputs.add(gone);
    }
  outputs.end(tally);
  if (const auto failed = write_rest(arguments, baseline ? &*baseline : nullptr, whole, patch, shown, outputs))
    return *failed;
  if (handed < all)
    fmt::print(stderr, "verify-layout: ended at the first failure; {} not judged\n",
               report::plural(static_cast<Index>(all - handed), "case"));
  if (tally.judged == 0 && tally.failures.empty()) fmt::print(stderr, "verify-layout: nothing was judged\n");
  return report::exit_code(tally);
}

}  // namespace

int run_check(const CheckArguments& arguments) {
  for (const std::string& folder : {arguments.dump_smt, arguments.certificates}) {
    std::error_code code;
    if (!folder.empty()) std::filesystem::create_directories(folder, code);
    if (code) return bad_input({folder, 0, 0, "cannot be made a folder: " + code.message(), {}, 0});
  }
  const bool cases = std::ranges::any_of(arguments.files, [](const std::string& path) { return !is_text(path); });
  std::variant<std::vector<session::ClaimRequest>, std::string> claims;
  if (!cases) claims = claims_of(arguments);
  if (const auto* message = std::get_if<std::string>(&claims)) {
    fmt::print(stderr, "verify-layout: {}\n", printable(*message));
    return kUsage;
  }
  const auto read = definitions_of(arguments.definitions);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read))
    return answer(failed_to_load(arguments, *diagnostic), arguments);
  const auto& definitions = std::get<std::vector<use::Definition>>(read);
  if (!arguments.transfers.empty() && arguments.layout.text().empty())
    return answer(
        load_transfers(arguments, definitions, std::get<std::vector<session::ClaimRequest>>(std::move(claims))),
        arguments);
  auto asked = request_of(arguments.layout);
  if (arguments.files.empty() && arguments.scans.empty())
    return answer(load(arguments, std::move(asked), definitions, std::get<std::vector<session::ClaimRequest>>(claims)),
                  arguments);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&asked))
    return answer(failed_to_load(arguments, *diagnostic), arguments);
  auto& otherwise = std::get<session::CaseRequest>(asked);
  otherwise.claims = std::move(std::get<std::vector<session::ClaimRequest>>(claims));
  if (arguments.where) otherwise.where = session::SourceText::option("--where", *arguments.where);
  if (arguments.at_sizes) otherwise.sizes = session::SourceText::option("--at-sizes", *arguments.at_sizes);
  if (!arguments.target.empty()) {
    otherwise.transfer = transfer_of(arguments);
    const auto target = session::read_target(*otherwise.transfer->target);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&target))
      return answer(failed_to_load(arguments, *diagnostic), arguments);
  }
  return answer(load(arguments, definitions, otherwise), arguments);
}

int report_one(session::CaseRequest request, Format format, bool times) {
  CheckArguments arguments;
  arguments.format = format;
  arguments.times = times;
  Loaded loaded;
  loaded.emplace_back(std::move(request));
  return answer(std::move(loaded), arguments);
}

int run_equal(const EqualArguments& arguments) {
  CheckArguments check;
  check.layout = arguments.layout;
  check.format = arguments.format;
  check.timeout = arguments.timeout;
  check.colour = arguments.colour;
  check.times = arguments.times;
  session::ClaimRequest equal;
  equal.claim = claims::find_claim("equal");
  equal.arguments = {{"with", session::SourceText::option("--with", arguments.with)}};
  std::vector<session::ClaimRequest> claims;
  claims.push_back(std::move(equal));
  return answer(load(check, request_of(check.layout), {}, std::move(claims)), check);
}

}  // namespace vl::cli
