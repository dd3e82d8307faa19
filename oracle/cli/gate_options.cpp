// The options of gate.
#include <map>

#include "oracle/cli/commands.h"
#include "oracle/gate/operations.h"
#include "verifier/cli/arguments_parts.h"

namespace vl::cli {
namespace {

constexpr const char* kGateHelp = R"(The adapter:
  Behind -- stands the command of an adapter: a program that reads questions on its standard input and answers on its
  standard output, one JSON object a line. oracle/adapters/README.md says how to write one in twenty lines of Python.
    verify-layout gate smoke -- python3 adapter.py
    verify-layout gate --op derive.slice --count 20000 -- python3 adapter.py
Exit codes:
  0 as expected · 10 a finding · 5 an operation of which nothing was judged, or a run that ended early · 2 the adapter
  does not start or shake hands, or a file is wrong · 11 our engines disagree
)";

void add_child(CLI::App& app, GateArguments& gate) {
  app.add_option("--adapter", gate.adapter, "The words of the command, one by one: the same as behind --")
      ->allow_extra_args(false);
  app.add_option("--library", gate.library,
                 "A shared library with the C interface of oracle/gate/layout_gate.h, in place of a command");
  app.add_option("--timeout", gate.timeout, "Seconds for a line of up to 64 cases; then the adapter hangs (default 2)")
      ->transform(seconds_or_minutes())
      ->check(CLI::Range(0.01, 86400.0));
  app.add_option("--start-timeout", gate.start_timeout, "Seconds until the handshake (default 60)")
      ->transform(seconds_or_minutes())
      ->check(CLI::Range(0.01, 86400.0));
  app.add_option("--memory", gate.memory, "Address space of the adapter: 4GiB, 512MiB");
  app.add_option("--restart-every", gate.restart_every, "Start the adapter again after so many cases")
      ->transform(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 60));
  using gate::CageWish;
  const std::map<std::string, CageWish> cages{
      {"auto", CageWish::Auto}, {"full", CageWish::Full}, {"limits", CageWish::Limits}, {"none", CageWish::None}};
  app.add_option("--cage", gate.cage,
                 "Where the adapter runs: full, in namespaces of its own without network; limits, a process group with "
                 "limits; auto, full where the machine permits it (the default); none, for debuggers")
      ->transform(choice(cages))
      ->option_text("{auto,full,limits,none}");
  app.add_option("--format", gate.format, "How to print the answer")
      ->transform(choice(gate_formats()))
      ->option_text("{text,jsonl,junit,sarif,markdown,github}");
  app.add_option("--output", gate.outputs, "FORMAT=FILE: write the answer in another format, too (repeatable)");
  add_no_times(app, gate.times);
}

void add_campaign(CLI::App& app, GateArguments& gate) {
  std::vector<std::string> ops;
  ops.reserve(gate::operation_names().size());
  for (const std::string_view name : gate::operation_names()) ops.emplace_back(name);
  app.add_option("--family", gate.families, "Only these families (default: all that the adapter offers)");
  app.add_option("--op", gate.ops, "Only these operations; `gate schema` lists them")->check(word_of(ops));
  app.add_option("--seed", gate.seed, "A case is a pure function of family, operation, seed and number")
      ->transform(whole_number());
  app.add_option("--count", gate.count, "Cases of the whole campaign, dealt to the operations in turn")
      ->transform(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 60));
  app.add_option("--threads", gate.threads,
                 "Threads, each with a process of the adapter; the totals are the same for any number")
      ->transform(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{256}));
  app.add_option("--seconds", gate.seconds,
                 "Ask no further case after this many seconds; findings are then made smaller")
      ->transform(seconds_or_minutes())
      ->check(CLI::Range(0.0, 1e9));
  app.add_option("--shard", gate.shard, "i/n: the i-th of n ranges of cases; i counts from 0 or from 1 (n is 0)");
  app.add_option("--out", gate.out, "A folder for the totals, from which a stopped campaign continues");
  app.add_option("--elements", gate.elements,
                 "The most elements of the largest cases, one in eight (default 512); others have at most 64")
      ->transform(whole_number())
      ->check(CLI::Range(Index{1}, Index{1} << 22));
  app.add_flag("--throttle", gate.throttles,
               "Ask only one in 16 of the cases that look like a finding which many had before; shards then begin at "
               "multiples of 16384");
  app.add_option("--repeat", gate.repeat, "One case in so many is asked twice, and again in a fresh process; 0: none")
      ->transform(whole_number());
}

void add_expectations(CLI::App& app, GateArguments& gate) {
  auto* expect = app.add_option("--expect", gate.expect,
                                "A file of what the peer is known to do: then only a change is red (exit 10), or too "
                                "little that was decided (exit 5)");
  auto* update =
      app.add_flag("--update", gate.update,
                   "Rewrite that file by what was seen: minima rise, entries that agree now go away; makes it "
                   "if it is not there")
          ->needs(expect);
  app.add_option("--lower", gate.lower, "With --update: FAMILY/OPERATION, whose minima may fall")->needs(update);
  auto* accept =
      app.add_option("--accept", gate.accept, "With --update: a signature that becomes known")->needs(update);
  app.add_option("--issue", gate.issue, "With --accept: where it is discussed")->needs(accept);
  app.add_flag("--new-only", gate.new_only,
               "What differs from the file does not fail the run, an operation of which nothing was judged does: for "
               "nightly jobs")
      ->needs(expect);
  app.add_flag("!--no-shrink", gate.shrinks, "Leave findings as they were found, and do not make them smaller");
}

// An option of the command, or of its verb, that the verb makes no use of.
std::optional<std::string> unused_option(const CLI::App& app, GateArguments::Verb verb) {
  using Asked = GateArguments::Verb;
  std::vector<std::string> unused;
  const auto add = [&](const std::vector<std::string>& options) {
    unused.insert(unused.end(), options.begin(), options.end());
  };
  const bool asks = verb != Asked::Merge && verb != Asked::Schema;
  const std::vector<std::string> child{"--adapter", "--library",       "--timeout", "--start-timeout",
                                       "--memory",  "--restart-every", "--cage"};
  const std::vector<std::string> campaign{"--family", "--op",       "--seed",     "--threads",  "--seconds",
                                          "--shard",  "--elements", "--throttle", "--no-shrink"};
  if (!asks) add(child);
  if (!asks || verb == Asked::Report) add({"--format", "--output", "--no-times", "--expect", "--update", "--new-only"});
  if (verb != Asked::Run) add({"--count", "--repeat"});
  if (verb != Asked::Run && verb != Asked::Smoke) add(campaign);
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  const std::string name = verbs.empty() ? "" : verbs.front()->get_name();
  if (verb != Asked::Run && verb != Asked::Smoke && app.count("--out") > 0) return "--out is unused by " + name;
  for (const CLI::App* each : std::vector<const CLI::App*>{&app, verbs.empty() ? &app : verbs.front()})
    if (const auto given = given_of(*each, unused)) return *given + " is unused by " + name;
  return std::nullopt;
}

}  // namespace

const std::map<std::string, GateArguments::Format>& gate_formats() {
  using enum GateArguments::Format;
  static const std::map<std::string, GateArguments::Format> kFormats{
      {"text", Text}, {"jsonl", Jsonl}, {"junit", Junit}, {"sarif", Sarif}, {"markdown", Markdown}, {"github", Github}};
  return kFormats;
}

Run declare_gate(CLI::App& app) {
  const auto gate = std::make_shared<GateArguments>();
  app.footer(kGateHelp);
  app.require_subcommand(0, 1);
  add_child(app, *gate);
  add_campaign(app, *gate);
  add_expectations(app, *gate);
  CLI::App* smoke = app.add_subcommand("smoke", "A few cases of each operation: do they reach the adapter at all?");
  smoke->callback([gate] { gate->verb = GateArguments::Verb::Smoke; });
  add_child(*smoke, *gate);
  CLI::App* replay = app.add_subcommand("replay", "Ask cases of files again: lines of a report, or bare requests");
  replay->callback([gate] { gate->verb = GateArguments::Verb::Replay; });
  replay->add_option("files", gate->files, "Files with one JSON object a line")->required();
  add_child(*replay, *gate);
  CLI::App* report = app.add_subcommand("report", "One finding of a report as a page for the peer's maintainers");
  report->callback([gate] { gate->verb = GateArguments::Verb::Report; });
  report->add_option("signature", gate->signature, "Its signature")->required();
  report->add_option("files", gate->files, "Reports of --format jsonl")->required();
  report->add_option("--out", gate->out, "The folder in which its folder is made")->required();
  report->add_option("--script", gate->script,
                     "A Python program that gets the case as JSON on its standard input and prints a script in the "
                     "peer's own API; the script is run, and a report is written only if it ends well");
  add_child(*report, *gate);
  CLI::App* merge =
      app.add_subcommand("merge", "Join the totals of shards: prints the line that one run would have written");
  merge->callback([gate] { gate->verb = GateArguments::Verb::Merge; });
  merge->add_option("files", gate->files, "The files of --out, of every shard")->required();
  app.add_subcommand("schema", "What can be asked, and the words of contracts and conventions")->callback([gate] {
    gate->verb = GateArguments::Verb::Schema;
  });
  return [gate, &app]() -> std::variant<int, Misuse> {
    if (auto unused = unused_option(app, gate->verb)) return Misuse{std::move(*unused)};
    const bool asks = gate->verb != GateArguments::Verb::Schema && gate->verb != GateArguments::Verb::Merge;
    if (asks && gate->adapter.empty() == gate->library.empty())
      return Misuse{"one adapter is required, as in: verify-layout gate -- python3 adapter.py, or --library FILE.so"};
    return run_gate(*gate);
  };
}

}  // namespace vl::cli
