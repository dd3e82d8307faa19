#include "verifier/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>

#include "encodings/map/operation.h"
#include "verifier/cli/arguments_parts.h"
#include "verifier/cli/commands.h"
#include "verifier/engines/banks.h"
#include "verifier/engines/engine.h"

namespace vl::cli {
namespace {

// What some family can convert to.
std::vector<std::string> notations() {
  std::vector<std::string> out;
  for (const map::Family* family : map::families())
    out.insert(out.end(), family->notations.begin(), family->notations.end());
  return out;
}

void add_format(CLI::App& app, Format& format, bool lines) {
  std::map<std::string, Format> names{{"text", Format::Text}, {"json", Format::Json}};
  if (lines) names.insert({{"jsonl", Format::Jsonl}, {"junit", Format::Junit}, {"sarif", Format::Sarif}});
  app.add_option("--format", format, "How to print the answer")->transform(CLI::CheckedTransformer(names))
      ->option_text(lines ? "{text,json,jsonl,junit,sarif}" : "{text,json}");
}

// The hardware needs an access, but where its banks are shown `alone`.
void add_access(CLI::App& app, std::optional<std::string>& access, std::optional<std::string>& hardware,
                bool alone = false) {
  auto* option = app.add_option("--access", access, "Which element each lane of a warp starts at, as in "
                                "'lanes=32 width=16 at=[lane % 16, lane / 16 * 8]'");
  auto* profile = app.add_option("--hardware", hardware, "A profile's name, or the path of one (default: sm_90)");
  if (!alone) profile->needs(option);
}

void add_check(CLI::App& app, CheckArguments& check) {
  app.add_option("files", check.files, "Case files (*.toml), or folders of them");
  add_layout(app, check.layout, false);
  app.add_option("--claim", check.claims, "A claim to ask, NAME or NAME=ARG; may be repeated (default: the family's)")
      ->allow_extra_args(false)
      ->take_all();
  auto* nests = app.add_option("--nests", check.nests,
                               "Loop nests to judge, as JSON or as the runtime prints them (- is standard input): asks "
                               "in-bounds, covers-once, implements");
  add_access(app, check.access, check.hardware);
  app.add_option("--from", check.from, "The layout that nests between devices (d2d) start from")->needs(nests);
  add_format(app, check.format, true);
  app.add_option("--timeout", check.timeout, "Seconds that one engine may take for one question")
      ->check(CLI::Range(0.001, 1e6));
  app.add_option("--rlimit", check.rlimit, "Resource units that the solver may take for one question (deterministic)")
      ->check(CLI::Range(1U, 0xffffffffU));
  app.add_option("--memory", check.memory, "MiB that a solver may take for one question")
      ->check(CLI::Range(1U, 1U << 20));
  std::vector<std::string> engines;
  for (const engines::Engine& engine : engines::engines()) engines.emplace_back(engine.name);
  for (const engines::BankEngine& engine : engines::bank_engines())
    if (std::ranges::find(engines, engine.name) == engines.end()) engines.emplace_back(engine.name);
  for (const engines::Engine& engine : engines::second_opinions()) engines.emplace_back(engine.name);
  auto* engine = app.add_option("--engine", check.engine, "Ask this engine only")->check(CLI::IsMember(engines));
  app.add_flag("--cross-check", check.cross_check, "Ask every engine that applies; exit 11 when two disagree")
      ->excludes(engine);
  app.add_flag("--explain-engine", check.explain_engine, "Say what each engine answered");
  app.add_option("--jobs", check.jobs, "Cases to decide at the same time")->check(CLI::Range(1U, 1024U));
  app.add_option("--dump-smt", check.dump_smt, "Write each obligation as SMT-LIB text into this folder");
  auto* certificates = app.add_option("--certificates", check.certificates,
                                      "Write a certificate of each proof into this folder, and of "
                                      "refutations into its subfolder refuted/");
  app.add_flag("--compact", check.compact, "Write certificates as CBOR instead of JSON")->needs(certificates);
}

void add_show(CLI::App& app, ShowArguments& show) {
  add_layout(app, show.layout, true, "--layout,layout");
  app.add_option("--at", show.at, "An element to mark, as in 2,7,40");
  app.add_option("--width", show.width, "Columns (default: the terminal's)")->check(CLI::Range(20, 100000));
  app.add_option("--sticks,--lines", show.sticks, "The most sticks to draw, or lines of banks, or rows")
      ->check(CLI::Range(1, 65536));
  add_access(app, show.access, show.hardware, true);
  using Form = ShowArguments::Format;
  std::map<std::string, Form> formats{
      {"text", Form::Text}, {"json", Form::Json}, {"svg", Form::Svg}, {"html", Form::Html}};
  app.add_option("--format", show.format, "How to draw; svg and html are files of their own that fetch nothing")
      ->transform(CLI::CheckedTransformer(formats))
      ->option_text("{text,json,svg,html}");
}

void add_nests(CLI::App& app, NestsArguments& nests) {
  app.add_option("--layout,--to,layout", nests.layout.layout, "The layout, as its own system prints or constructs it")
      ->required();
  add_tensor(app, nests.layout)->required();
  auto* from = app.add_option("--from", nests.from, "For a move between devices: the layout that it starts from");
  std::map<std::string, map::Direction> directions{{"h2d", map::Direction::HostToDevice},
                                                   {"d2h", map::Direction::DeviceToHost}};
  app.add_option("--direction", nests.direction, "Host to device (the default) or device to host")
      ->transform(CLI::CheckedTransformer(directions))
      ->option_text("{h2d,d2h}")
      ->excludes(from);
  using Form = NestsArguments::Format;
  std::map<std::string, Form> formats{
      {"text", Form::Text}, {"json", Form::Json}, {"dci", Form::Dci}, {"compact", Form::Compact}};
  app.add_option("--format", nests.format,
                 "How to print the nests; dci and compact have the innermost loop first, dci as the runtime prints it")
      ->transform(CLI::CheckedTransformer(formats))
      ->option_text("{text,json,dci,compact}");
}

void add_swizzle(CLI::App& app, SwizzleArguments& swizzle) {
  add_layout(app, swizzle.layout, true);
  app.add_option("--access", swizzle.accesses, "An access that has to be free of bank conflicts, as in "
                 "'lanes=8 width=16 at=[lane, 8*j] for j=0:8'; may be repeated")
      ->required()
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--hardware", swizzle.hardware, "A profile's name, or the path of one (default: sm_90)");
  app.add_option("--timeout", swizzle.timeout, "Seconds that one engine may take for one question")
      ->check(CLI::Range(0.001, 1e6));
  add_format(app, swizzle.format, false);
}

// --in and --out belong together, and only a plan can be shown without them.
std::optional<std::string> misuse(const ExecArguments& exec) {
  if (exec.show_plan && exec.in.empty() && exec.out.empty()) return std::nullopt;
  if (exec.in.empty()) return "--in is required";
  if (exec.out.empty()) return "--out is required";
  if (exec.in == "-" && exec.nests == "-") return "--in and --nests cannot both be standard input";
  return std::nullopt;
}

void add_compatible(CLI::App& app, CompatibleArguments& compatible) {
  const auto list = [&](const std::string& name, std::vector<std::string>& target, const std::string& help) {
    return app.add_option(name, target, help)->allow_extra_args(false)->take_all();
  };
  std::vector<std::string> names;
  for (const map::OperationName& name : map::operation_names()) names.emplace_back(name.name);
  app.add_option("operation", compatible.operation, "What is computed")
      ->required()
      ->option_text(fmt::format("{}", fmt::join(names, "|")));
  list("--operand", compatible.operands, "An input with its layout, 'f16[4,6] SpyreTensorLayout(…)'; between them "
       "strides=[…], offset=n, view_offset=n are allowed; may be repeated")->required();
  list("--result", compatible.results, "A result, likewise")->required();
  list("--scales", compatible.scales, "Scales '[0,1,-1]' of each operand, then each result (default: by the shapes)");
  app.add_option("--dims", compatible.dims,
                 "The operation's dimensions, 'M=1024,K=512,N=256' (default: by the shapes)");
  app.add_option("--reduce", compatible.reduced, "The input's reduced dimensions, 1,2 (default: by the shapes)");
  app.add_option("--rule", compatible.rule, "Whose rules: the documents', upstream's, or one after the other")
      ->check(CLI::IsMember(std::vector<std::string>{"documents", "upstream", "both"}));
  app.add_flag("--plan", compatible.plan, "Also which padding the operation reads, and which value it must have");
  std::vector<std::string> families;
  for (const map::Family* family : map::families()) families.emplace_back(family->name);
  app.add_option("--family", compatible.family, "The layouts' family (default: by the text)")
      ->check(CLI::IsMember(families));
  add_format(app, compatible.format, true);
}

// A number as people write it: CLI11 also reads octal, a sign that wraps around, and what is cut to 64 bits.
const CLI::Validator kDecimal(
    [](std::string& text) -> std::string {
      std::uint64_t value = 0;
      const auto end = text.data() + text.size();
      const auto [stopped, code] = std::from_chars(text.data(), end, value);
      const bool leading = text.size() > 1 && text[0] == '0';
      return code == std::errc{} && stopped == end && !leading ? "" : "'" + text + "' is no decimal number below 2^64";
    },
    "UINT");
const CLI::Validator kFinite(
    [](std::string& text) -> std::string {
      return text.find_first_not_of("0123456789.") == std::string::npos ? "" : "'" + text + "' is no number of seconds";
    },
    "SECONDS");

void add_fuzz(CLI::App& app, FuzzArguments& fuzz) {
  app.add_option("--family", fuzz.family, "Whose layouts are made (default: all, one family after the other)")
      ->check(CLI::IsMember(std::vector<std::string>{"spyre", "tirx", "all"}));
  app.add_option("--seed", fuzz.seed, "A case is a pure function of the family, the seed and its index")
      ->check(kDecimal);
  app.add_option("--count", fuzz.count, "Cases of the whole campaign")
      ->check(kDecimal)
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 60));
  app.add_option("--seconds", fuzz.seconds, "Stop after so many seconds, behind a whole layout")
      ->check(kFinite)
      ->check(CLI::Range(0.0, 1e9));
  app.add_option("--shard", fuzz.shard, "i/n: the i-th of n ranges of cases; i counts from 0 or from 1 (n is 0)");
  app.add_option("--threads", fuzz.threads, "Threads, which share nothing; the result is the same for any number")
      ->check(kDecimal)
      ->check(CLI::Range(1U, 1024U));
  auto* out = app.add_option("--out", fuzz.out,
                             "A folder for the result, from which a stopped campaign goes on, and for a case "
                             "file of each distinct mismatch");
  app.add_option_function<std::string>(
         "--definition", [&fuzz](const std::string& word) { fuzz.always = word == "always"; },
         "Run cases element by element, too: always, or every 64th and every disagreement")
      ->check(CLI::IsMember(std::vector<std::string>{"always", "sometimes"}));
  app.add_option("--merge", fuzz.merge, "Run nothing: put the results of shards together, as one line")->excludes(out);
  std::map<std::string, Format> names{{"text", Format::Text}, {"jsonl", Format::Jsonl}};
  app.add_option("--format", fuzz.format, "How to print the answer")
      ->transform(CLI::CheckedTransformer(names))
      ->option_text("{text,jsonl}");
}

// The help of the subcommand that the user got to, on stderr.
void print_help(const CLI::App& app) {
  const CLI::App* where = &app;
  std::string path;
  while (!where->get_subcommands().empty()) {
    path += (path.empty() ? "" : " ") + where->get_name();
    where = where->get_subcommands().front();
  }
  std::cerr << where->help(path);
}

// What CLI11 cannot say: an unknown subcommand by its name, and options of `check` that do not go together.
std::optional<std::string> unknown_subcommand(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* where = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto known = where->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) return std::nullopt;
    const auto found =
        std::ranges::find(known, std::string(argv[i]), [](const CLI::App* sub) { return sub->get_name(); });
    if (found == known.end()) return "'" + std::string(argv[i]) + "' is not a subcommand";
    where = *found;
  }
  return std::nullopt;
}

std::optional<std::string> misuse(const CheckArguments& check, bool has_layout) {
  if (check.files.empty() && !has_layout) return "check needs case files, or --layout with --tensor";
  if (!check.files.empty() && has_layout) return "check takes case files or --layout, not both";
  if (!check.files.empty() && !check.claims.empty()) return "--claim goes with --layout";
  if (!check.files.empty() && !check.nests.empty()) return "--nests goes with --layout";
  if (!check.files.empty() && check.access) return "--access goes with --layout";
  if (!check.nests.empty() && check.access) return "--nests and --access ask different claims";
  return std::nullopt;
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  CLI::App app{"Proves that a tensor layout is right, or shows the smallest element that is wrong.", "verify-layout"};
  app.require_subcommand(1);
  bool version = false;
  app.add_flag("--version", version, "Print the versions of the program and its solver");

  CheckArguments check;
  ExplainArguments explain;
  ShowArguments show;
  EqualArguments equal;
  NestsArguments nests;
  ConvertArguments convert;
  ExecArguments exec;
  CLI::App* check_app = app.add_subcommand("check", "Prove or refute claims about layouts");
  add_check(*check_app, check);
  CLI::App* explain_app = app.add_subcommand("explain", "A layout in words and numbers");
  add_layout(*explain_app, explain.layout, true, "--layout,layout");
  explain_app->add_option("--at", explain.at, "An element, as in 2,7,40: where it lives, stage by stage");
  explain_app->add_option("--slot", explain.slot, "A slot, as in 0,2,0,22: what it holds");
  add_format(*explain_app, explain.format, false);
  CLI::App* show_app = app.add_subcommand("show", "A picture of the memory: sticks, banks, or who owns what");
  add_show(*show_app, show);
  CLI::App* equal_app = app.add_subcommand("equal", "Do two layouts put every element in the same place?");
  add_layout(*equal_app, equal.layout, true, "--layout,layout");
  equal_app->add_option("--with,with", equal.with, "The second layout")->required();
  equal_app->add_option("--timeout", equal.timeout, "Seconds that one engine may take")->check(CLI::Range(0.001, 1e6));
  add_format(*equal_app, equal.format, true);
  CLI::App* nests_app =
      app.add_subcommand("nests", "The loop nests that move a tensor into a layout, proved before they are printed");
  add_nests(*nests_app, nests);
  CLI::App* convert_app = app.add_subcommand("convert", "The same layout in another notation, proved to be equal");
  add_layout(*convert_app, convert.layout, true, "--layout,layout");
  convert_app->add_option("--to", convert.to, "The notation to convert to")->required()
      ->check(CLI::IsMember(notations()));
  convert_app->add_option("--timeout", convert.timeout, "Seconds that one engine may take")
      ->check(CLI::Range(0.001, 1e6));
  add_format(*convert_app, convert.format, false);
  SwizzleArguments swizzle;
  CLI::App* swizzle_app =
      app.add_subcommand("swizzle", "The smallest swizzle that makes accesses free of bank conflicts");
  add_swizzle(*swizzle_app, swizzle);
  CLI::App* exec_app = app.add_subcommand("exec", "Run a layout on data: .npy, .npz, safetensors, raw bytes");
  add_exec_verbs(*exec_app, exec);
  CompatibleArguments compatible;
  CLI::App* compatible_app = app.add_subcommand("compatible", "Can an operation compute with these operands?");
  add_compatible(*compatible_app, compatible);
  FuzzArguments fuzz;
  CLI::App* fuzz_app =
      app.add_subcommand("fuzz", "A campaign of random layouts and tensors, everything held against everything");
  add_fuzz(*fuzz_app, fuzz);
  ReplayArguments replay;
  CLI::App* replay_app = app.add_subcommand("replay", "Run a campaign's case file again");
  replay_app->add_option("files", replay.files, "Case files that fuzz wrote, or folders of them")->required();
  add_format(*replay_app, replay.format, false);
  CertArguments cert;
  CLI::App* cert_app = app.add_subcommand("cert", "Check certificates again, without any engine");
  cert_app->add_option("files", cert.files, "Certificates, as check --certificates writes them")->required();
  const CLI::App* families_app = app.add_subcommand("families", "The notations that are understood");
  const CLI::App* claims_app = app.add_subcommand("claims", "The claims that can be asked, and their witnesses");

  // --version stands alone; CLI11 would ask for a subcommand first.
  if (argc == 2 && std::string_view(argv[1]) == "--version") return ShowVersion{};
  const auto usage = [&](std::string_view message) {
    std::cerr << "verify-layout: " << message << "\n\n";
    print_help(app);
    return Done{kUsage};
  };
  if (const auto unknown = unknown_subcommand(app, argc, argv)) return usage(*unknown);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return Done{app.exit(error, std::cout, std::cerr)};
    return usage(error.what());
  }
  if (version) return usage("--version stands alone");
  if (check_app->parsed()) {
    if (const auto message = misuse(check, check_app->count("--layout") > 0)) return usage(*message);
    return check;
  }
  if (explain_app->parsed()) return explain;
  if (show_app->parsed()) return show;
  if (equal_app->parsed()) return equal;
  if (nests_app->parsed()) return nests;
  if (convert_app->parsed()) return convert;
  if (swizzle_app->parsed()) return swizzle;
  if (exec_app->parsed()) {
    if (const auto message = misuse(exec)) return usage(*message);
    return exec;
  }
  if (compatible_app->parsed()) return compatible;
  if (fuzz_app->parsed()) return fuzz;
  if (replay_app->parsed()) return replay;
  if (cert_app->parsed()) return cert;
  if (families_app->parsed()) return ListFamilies{};
  if (claims_app->parsed()) return ListClaims{};
  return Done{kUsage};
}

}  // namespace vl::cli
