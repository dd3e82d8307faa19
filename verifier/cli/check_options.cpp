// The options of `check`.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/cli/arguments_parts.h"
#include "verifier/cli/commands.h"
#include "verifier/engines/panel.h"

namespace vl::cli {
namespace {

// What is read.
void add_files(CLI::App& app, CheckArguments& check) {
  app.add_option(
      "files", check.files,
      "Case files (*.toml), folders of them, or any texts, in which layouts are found (- is standard input)");
  app.add_option("--scan", check.scans,
                 "A folder of which every file is read: layouts are found in texts, case files (schema = 1) are "
                 "checked. What .gitignore names, binary files and symbolic links are left out; may be repeated")
      ->check(not_empty())
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag(
      "--programs", check.programs,
      "Judge functions of MLIR texts, graphs of torch.fx and kernels of Torch-Spyre wherever they stand: those "
      "of the texts that are named are judged without it, where no --claim asks something else; those beneath "
      "--scan are not. An answer that is unknown is exit code 5");
  auto* none = app.add_flag("--no-programs", check.no_programs, "Judge the layouts of texts alone, and no functions")
                   ->excludes("--programs");
  app.add_option("--over-read", check.over_read,
                 "What of a view's result has to be read inside of its source: every slot, or those of elements alone "
                 "(default: slots)")
      ->check(word_of({"slots", "elements"}))
      ->option_text("{slots,elements}");
  app.add_flag("--print-program", check.print_program,
               "Print each function as the program that is judged, beside the lines of its text; `neutral --program` "
               "takes it")
      ->excludes(none);
  app.add_flag("--fill", check.fill,
               "Say what to write into padding so that it reaches nothing that a function returns")
      ->excludes(none);
  app.add_option("--patch", check.patch,
                 "Write the same as a patch of the texts into this file, of the functions in whose notation it can be "
                 "said (d2m.mask); with it they are proved")
      ->check(not_empty())
      ->option_text("FILE")
      ->excludes(none);
}

// What is asked of a layout.
void add_question(CLI::App& app, CheckArguments& check) {
  add_layout(app, check.layout, false);
  app.add_option("--define", check.definitions, "The number of a name in the layouts, as in BM=128; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option(
      "--where", check.where,
      "Conditions on names in the layout and the tensor, as in 'P >= N, M % 64 == 0'; a name is >= 1 without");
  app.add_option("--at-sizes", check.at_sizes, "Numbers for these names, as in N=5,M=3: one instance is judged");
  app.add_option("--sizes", check.sizes,
                 "all: the layout has to have a name for a size; one: it may have none (default: as it has)")
      ->check(CLI::IsMember({"all", "one"}));
  app.add_flag("--allow-skipped", check.allow_skipped, "A layout without a tensor, or that is not read, is no failure");
  app.add_option("--claim", check.claims, "A claim to ask, NAME or NAME=ARG; may be repeated (default: the family's)")
      ->allow_extra_args(false)
      ->take_all();
  auto* nests = app.add_option("--nests", check.nests,
                               "Loop nests to judge, as nests --format json or the runtime prints them (- is standard "
                               "input): asks in-bounds, covers-once, implements")
                    ->check(not_empty());
  app.add_option("--transfer", check.transfers,
                 "A descriptor, or a transfer that has one, as in 'tensormap(f16, dim (256,128), stride (512), "
                 "box (64,64))': it is asked accepts; beside --layout also carries. May be repeated")
      ->check(not_empty())
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--target", check.target,
                 "What has to take the descriptors: a name of corpus/targets, or a file (default: any of their kind)")
      ->check(not_empty())
      ->option_text("NAME");
  add_access(app, check.access, check.hardware);
  app.add_option("--from", check.from, "The layout from which nests between devices (d2d) start")->needs(nests);
}

// Who is asked, and for how long.
void add_engines(CLI::App& app, CheckArguments& check) {
  app.add_option("--timeout", check.timeout, "Seconds after which an answer is unknown (timeout)")
      ->transform(seconds_or_minutes())
      ->check(CLI::Range(0.001, 1e6));
  app.add_option("--rlimit", check.rlimit, "Units of work for one question: Z3's, and other engines' in proportion")
      ->check(CLI::Range(1U, 0xffffffffU));
  app.add_option("--memory", check.memory, "MiB that a solver may take for one question")
      ->check(CLI::Range(1U, 1U << 20));
  std::vector<std::string> engines;
  for (const engines::Engine& engine : engines::engines()) engines.emplace_back(engine.name);
  for (const engines::Engine& engine : engines::second_opinions()) engines.emplace_back(engine.name);
  auto* engine = app.add_option("--engine", check.engine, "Ask this engine only")->check(word_of(engines));
  app.add_flag("--cross-check", check.cross_check, "Ask all engines; exit 11 if two of them disagree")
      ->excludes(engine);
  app.add_flag("--explain-engine", check.explain_engine, "Print the answer of each engine and its reason");
  app.add_flag("--explain-trust", check.explain_trust,
               "Print what each proof rests on: parts of the checkers and of the readers, with their lines; and of all "
               "proofs how many rest on each part");
}

// What becomes of the answers.
void add_reports(CLI::App& app, CheckArguments& check) {
  app.add_option("--jobs", check.jobs, "Cases to decide at the same time")->check(CLI::Range(1U, 1024U));
  app.add_option("--dump-smt", check.dump_smt, "Write each obligation as SMT-LIB text into this folder")
      ->check(not_empty());
  add_certificates(app, check,
                   "Write a certificate of each proof into this folder, and of refutations into its subfolder "
                   "refuted/");
  app.add_flag("--quiet", check.quiet, "Print only failures and the summary");
  app.add_flag("--fail-fast", check.fail_fast, "End at the first failure");
  app.add_flag(
      "--strict", check.strict,
      "Warnings are failures, and so are a tensor that is assumed, an operation of a function that is not known, "
      "and what is gone from the baseline");
  auto* baseline = app.add_option("--baseline", check.baseline,
                                  "A file of findings that are known: only new ones are failures. A finding is known "
                                  "by its file, the texts of layout and tensor, and its claim")
                       ->check(not_empty());
  app.add_flag("--update-baseline", check.update_baseline, "Write the run's findings to the file of --baseline")
      ->needs(baseline);
  add_colour(app, check.colour);
  app.add_option(
         "--show", check.show,
         "Write a page (HTML) of the layout to this file, with what a refutation names marked; of several cases, "
         "of the first that fails")
      ->check(not_empty());
  app.add_option("--output", check.outputs, "FORMAT=FILE: write this format to a file as well; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
}

// What a case file says itself, with its key for it; there is none for --define.
constexpr std::pair<const char*, const char*> kOfACase[] = {
    {"--claim", "expect"},  {"--tensor", "tensor"},           {"--target", "target"}, {"--strides", "strides"},
    {"--offset", "offset"}, {"--view-offset", "view_offset"}, {"--box", "box"},       {"--family", "family"},
    {"--where", "where"},   {"--at-sizes", "at_sizes"},       {"--define", ""}};

std::optional<std::string> misuse(const CheckArguments& check, const CLI::App& app) {
  const bool has_layout = app.count("--layout") > 0;
  const bool has_transfer = !check.transfers.empty();
  const bool has_files = !check.files.empty() || !check.scans.empty();
  if (has_transfer) {
    if (has_files) return "--transfer goes with --layout, or alone; a case file has the key 'transfer'";
    if (has_layout) return std::nullopt;
    for (const char* option : {"--nests", "--access", "--tensor", "--sizes"})
      if (app.count(option) > 0) return fmt::format("{} goes with --layout", option);
    return std::nullopt;
  }
  if (!check.target.empty() && !has_files) return "--target goes with --transfer, or with texts that have descriptors";
  if (!check.target.empty() && !check.claims.empty())
    return "--target is unused: with --claim, descriptors in texts are asked nothing";
  if (!has_files && !has_layout)
    return "check needs case files, texts with layouts, --scan FOLDER, --layout, or --transfer";
  if (has_files && has_layout) return "check takes files or --layout, not both";
  const bool cases = std::ranges::any_of(check.files, [](const std::string& path) { return !is_text(path); });
  for (const auto& [option, key] : kOfACase)
    if (cases && app.count(option) > 0)
      return fmt::format("{} goes with --layout or with texts; {}", option,
                         *key == '\0' ? std::string("a case file has numbers in the place of names")
                                      : fmt::format("a case file has the key '{}'", key));
  if (has_files && !check.sizes.empty()) return "--sizes goes with --layout; a case file has the key 'scope'";
  if (check.sizes == "all" && check.at_sizes) return "--at-sizes asks one instance, and --sizes all asks all";
  if (has_files && !check.nests.empty()) return "--nests goes with --layout";
  if (has_files && check.access) return "--access goes with --layout";
  if (has_files && !check.layout.rule.empty()) return "--rule goes with --layout";
  if (!has_files && !check.baseline.empty()) return "--baseline goes with files: findings are known by their file";
  if (check.update_baseline && check.fail_fast)
    return "--fail-fast ends the run early, and --update-baseline needs all of it";
  if (!check.nests.empty() && check.access) return "--nests and --access ask different claims";
  return std::nullopt;
}

}  // namespace

Run declare_check(CLI::App& app) {
  const auto check = std::make_shared<CheckArguments>();
  add_files(app, *check);
  add_question(app, *check);
  add_format(app, check->format, true);
  add_no_times(app, check->times);
  add_engines(app, *check);
  add_reports(app, *check);
  return [check, &app]() -> std::variant<int, Misuse> {
    if (auto message = misuse(*check, app)) return Misuse{std::move(*message)};
    check->has_tensor = app.count("--tensor") > 0;
    return run_check(*check);
  };
}

}  // namespace vl::cli
