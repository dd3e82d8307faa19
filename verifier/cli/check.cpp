// check: reads every case (files in sorted order, or the one from the command line), decides them on some threads, and
// prints the answers in the order of reading. equal is check with one claim.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>
#include <thread>

#include "verifier/cli/claim_option.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/interrupt.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/propositional.h"
#include "verifier/session/judge.h"
#include "verifier/session/nests_file.h"

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
  options.certificates = {arguments.certificates, arguments.compact};
  options.remember_engines = arguments.explain_engine;
  return options;
}

// All requests of all files. A file that cannot be read becomes a case with a diagnostic.
struct Loaded {
  std::vector<session::CaseRequest> requests;
  std::vector<question::Case> results;  // filled for files that failed
};

Loaded load(const std::vector<std::string>& paths) {
  Loaded loaded;
  const auto failed = [&](const std::string& path, Diagnostic diagnostic) {
    loaded.requests.emplace_back();
    loaded.results.push_back({path, {}, {}, {}, {}, std::move(diagnostic), false, {}});
  };
  for (const std::string& path : paths) {
    const std::vector<std::string> files = session::case_files(path);
    if (files.empty()) failed(path, Diagnostic{path, 0, 0, "no such file, or no *.toml beneath it", {}, 0});
    for (const std::string& file : files) {
      auto cases = session::read_cases(file);
      if (auto* diagnostic = std::get_if<Diagnostic>(&cases)) {
        failed(file, std::move(*diagnostic));
        continue;
      }
      for (session::CaseRequest& request : std::get<std::vector<session::CaseRequest>>(cases)) {
        loaded.requests.push_back(std::move(request));
        loaded.results.emplace_back();
      }
    }
  }
  return loaded;
}

// The claims of the command line, without their nests; or the error.
std::variant<std::vector<session::ClaimRequest>, std::string> claims_of(const CheckArguments& arguments) {
  std::vector<std::string> texts = arguments.claims;
  if (texts.empty() && !arguments.nests.empty()) texts = {"in-bounds", "covers-once", "implements"};
  if (texts.empty() && arguments.access) texts = {"conflict-free", "wavefronts", "conflicts"};
  std::vector<session::ClaimRequest> out;
  for (const std::string& text : texts) {
    auto claim = claim_of(text, arguments);
    if (auto* message = std::get_if<std::string>(&claim)) return std::move(*message);
    out.push_back(std::move(std::get<session::ClaimRequest>(claim)));
  }
  return out;
}

// The request of the command line; or a diagnostic, if an option or the file of nests cannot be read.
Loaded load(const CheckArguments& arguments, std::vector<session::ClaimRequest> claims) {
  Loaded loaded;
  loaded.requests.emplace_back();
  loaded.results.emplace_back();
  const auto failed = [&](Diagnostic diagnostic) {
    loaded.results = {{{}, arguments.layout.layout, arguments.layout.tensor, {}, {}, std::move(diagnostic), false, {}}};
    return loaded;
  };
  auto request = request_of(arguments.layout);
  if (auto* diagnostic = std::get_if<Diagnostic>(&request)) return failed(std::move(*diagnostic));
  if (!arguments.nests.empty()) {
    auto nests = session::read_nests(arguments.nests);
    if (auto* diagnostic = std::get_if<Diagnostic>(&nests)) return failed(std::move(*diagnostic));
    const auto transfer = std::make_shared<const use::Transfer>(std::move(std::get<use::Transfer>(nests)));
    const bool devices = transfer->direction == use::Direction::DeviceToDevice;
    if (devices == arguments.from.empty())
      return failed({arguments.nests,
                     0,
                     0,
                     devices ? "these nests move between devices; expected --from LAYOUT"
                             : "these nests have a host side; --from LAYOUT is for d2d",
                     {},
                     0});
    for (session::ClaimRequest& claim : claims) {
      claim.nests = transfer;
      if (devices) claim.arguments.push_back({"with", session::SourceText::option("--from", arguments.from)});
    }
  }
  loaded.requests.back() = std::move(std::get<session::CaseRequest>(request));
  loaded.requests.back().claims = std::move(claims);
  return loaded;
}

// The limit of a case in the first pass.
constexpr std::uint64_t kFirstUnits = 1'000'000;
constexpr std::chrono::milliseconds kFirstTime{1000};

// Calls work(i) for each of `indices` on that many threads. Rethrows the first exception.
template <class Work>
void for_each(const std::vector<std::size_t>& indices, unsigned jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < indices.size(); i = next++) work(indices[i]);
    } catch (...) {  // a bug: the first one is rethrown for main
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < std::min<std::size_t>(jobs, indices.size()); ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // The system gives no more threads: the running ones do the work.
  }
  run();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Decides every request that has no result yet, on `jobs` threads: first all of them with a small budget, then those
// that used up this budget with the whole one, so that a hard case does not delay the others. Such a case is judged
// again from its beginning, and a case that did not use up the small budget has the same answer with the whole one. So
// an answer depends neither on the passes nor on the threads. The results have the order of the requests.
void judge_all(Loaded& loaded, const session::JudgeOptions& options, unsigned jobs) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < loaded.requests.size(); ++i)
    if (!loaded.results[i].diagnostic) left.push_back(i);
  if (left.size() > 1) {
    std::vector<char> hard(loaded.requests.size(), 0);
    for_each(left, jobs, [&](std::size_t i) {
      std::atomic<bool> spent{false};
      session::JudgeOptions first = options;
      Budget& budget = first.engines.budget;
      budget.rlimit = std::min(budget.rlimit, kFirstUnits);
      budget.wall = std::min(budget.wall, kFirstTime);
      budget.spent = &spent;
      loaded.results[i] = session::judge(loaded.requests[i], first);
      hard[i] = spent ? 1 : 0;
    });
    std::erase_if(left, [&](std::size_t i) { return hard[i] == 0; });
  }
  for_each(left, jobs, [&](std::size_t i) { loaded.results[i] = session::judge(loaded.requests[i], options); });
}

void print(const std::vector<question::Case>& results, const report::Tally& tally, const CheckArguments& arguments) {
  report::Tools tools{VL_VERSION, smt::z3_version(), engines::isl_name(), engines::cadical_version(),
                      {},         arguments.timeout, arguments.rlimit,    arguments.memory};
  if (arguments.cross_check || arguments.engine == "cvc5")
    tools.cvc5 = smt::cvc5_version(options_of(arguments).engines.budget);
  std::string out;
  if (arguments.format == Format::Json) {
    out = report::to_json(tools, results, tally);
  } else if (arguments.format == Format::Junit) {
    out = report::to_junit(results);
  } else if (arguments.format == Format::Sarif) {
    out = report::to_sarif(tools, results);
  } else if (arguments.format == Format::Jsonl) {
    out = report::run_line(tools);
    for (const question::Case& c : results) out += report::case_lines(c);
    out += report::summary_line(tally);
  } else {
    const bool colour = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
    for (const question::Case& c : results) out += report::to_text(c, {colour, arguments.explain_engine});
    out += report::to_text(tally);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

// Decides and prints everything that was loaded.
int answer(Loaded& loaded, const CheckArguments& arguments) {
  {
    const Interrupt interrupt;
    session::JudgeOptions options = options_of(arguments);
    options.engines.budget.stop = &Interrupt::told();
    judge_all(loaded, options, arguments.jobs);
    if (Interrupt::told()) fmt::print(stderr, "verify-layout: interrupted; what is not decided is listed as unknown\n");
  }
  report::Tally tally;
  for (const question::Case& c : loaded.results) {
    report::count(c, tally);
    if (c.diagnostic && !c.expected_invalid) fmt::print(stderr, "error: {}\n", to_string(*c.diagnostic));
  }
  print(loaded.results, tally, arguments);
  return report::exit_code(tally);
}

}  // namespace

int run_check(const CheckArguments& arguments) {
  for (const std::string& folder : {arguments.dump_smt, arguments.certificates}) {
    std::error_code code;
    if (!folder.empty()) std::filesystem::create_directories(folder, code);
    if (code) return bad_input({folder, 0, 0, "cannot be made a folder: " + code.message(), {}, 0});
  }
  Loaded loaded;
  if (arguments.files.empty()) {
    auto claims = claims_of(arguments);
    if (const auto* message = std::get_if<std::string>(&claims)) {
      fmt::print(stderr, "verify-layout: {}\n", *message);
      return kUsage;
    }
    loaded = load(arguments, std::move(std::get<std::vector<session::ClaimRequest>>(claims)));
  } else {
    loaded = load(arguments.files);
  }
  return answer(loaded, arguments);
}

int report_one(session::CaseRequest request, Format format) {
  CheckArguments arguments;
  arguments.format = format;
  Loaded loaded;
  loaded.requests.push_back(std::move(request));
  loaded.results.emplace_back();
  return answer(loaded, arguments);
}

int run_equal(const EqualArguments& arguments) {
  CheckArguments check;
  check.layout = arguments.layout;
  check.claims = {"equal=" + arguments.with};
  check.format = arguments.format;
  check.timeout = arguments.timeout;
  return run_check(check);
}

}  // namespace vl::cli
