// check: reads every case (files in sorted order, or the one from the command line), decides them on some threads, and
// prints the answers in the order of reading, as they come. equal is check with one claim.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "encodings/base/files.h"
#include "encodings/base/interrupt.h"
#include "encodings/base/printable.h"
#include "verifier/cli/baseline_file.h"
#include "verifier/cli/check_load.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/outputs.h"
#include "verifier/cli/progress.h"
#include "verifier/cli/show.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/propositional.h"
#include "verifier/programs/functions.h"
#include "verifier/session/batch.h"
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
    return answer(
        load_layout(arguments, std::move(asked), definitions, std::get<std::vector<session::ClaimRequest>>(claims)),
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
  return answer(load_files(arguments, definitions, otherwise), arguments);
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
  return answer(load_layout(check, request_of(check.layout), {}, std::move(claims)), check);
}

}  // namespace vl::cli
