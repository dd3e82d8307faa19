// The options of exec, fuzz and replay.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "oracle/cli/commands.h"
#include "oracle/fuzz/subject.h"
#include "oracle/ops/scalar.h"
#include "verifier/cli/arguments_parts.h"

namespace vl::cli {
namespace {

// The names of files, at the end of each verb's help.
constexpr const char* kExecFiles = R"(Files:
  NAME.npy                   NumPy's format; also any other name, and - (standard input or output)
  ARCHIVE.npz:NAME           an array of an archive, stored or compressed; without :NAME the only one
  MODEL.safetensors:NAME     a tensor of the file; without :NAME the only one
  NAME.bin, NAME.raw         bytes without a header, with the type and shape of --tensor; with --raw
                             also - and any other name
bf16 and fp8 are unsigned integers in .npy and .npz. An output appears whole or not at all, and keeps the mode of
the file that it replaces. An archive or safetensors file that is there keeps its other members; --replace drops
them. Without :NAME the written one is called arr_0 or tensor.
)";

void add_exec_host(CLI::App& app, ExecArguments& exec) {
  using Host = ExecArguments::Host;
  const std::map<std::string, Host> names{{"tensor", Host::Tensor}, {"memory", Host::Memory}};
  app.add_option(
         "--host", exec.host,
         "The content of the host's file: the logical tensor, or with --strides or --offset the memory through which "
         "they walk, as one dimension (default: by the file's shape, or its length without a header; a file that fits "
         "both is the tensor; outputs are the tensor)")
      ->transform(choice(names))
      ->option_text("{tensor,memory}");
}

// --from-box, --to-offset and so on, each in place of the option that holds for both layouts.
void add_side(CLI::App& app, SideArguments& side, const std::string& name, CLI::Option* from) {
  const auto own = [&](const std::string& option, std::optional<std::string>& target, const char* what) {
    app.add_option(fmt::format("--{}-{}", name, option), target,
                   fmt::format("{} of the layout --{} alone, in place of --{}", what, name, option))
        ->needs(from)
        ->excludes(app.get_option("--" + option));
  };
  own("strides", side.strides, "Host strides");
  own("offset", side.offset, "Host storage offset");
  own("view-offset", side.view_offset, "The start of a view in the device allocation");
  own("box", side.box, "Declared extents of physical axes");
}

void add_exec(CLI::App& app, ExecArguments& exec, ExecArguments::Verb verb) {
  using Verb = ExecArguments::Verb;
  app.callback([&exec, verb] { exec.verb = verb; });
  app.footer(kExecFiles);
  const bool move = verb == Verb::Move, run = verb == Verb::Run, map = verb == Verb::Map;
  add_layout(app, exec.layout, true, move ? "--from" : run ? "--layout,--to" : "--layout", [map] { return !map; });
  if (move) app.add_option("--to", exec.to, "The layout to move to, of any family")->required();
  auto* in = app.add_option("--in", exec.in, "The file to read");
  auto* out = app.add_option("--out", exec.out, "The file to write");
  app.add_flag("--replace", exec.replace, "Replace an .npz or .safetensors file with all that is in it");
  app.add_flag("--force", exec.force, "Replace also a file that is read-only");
  app.add_flag("--raw", exec.raw, "Files of other names than .npy, .npz and .safetensors are bytes without a header");
  if (run) {
    app.add_option("--nests", exec.nests, "The file of loop nests: h2d, d2h or d2d")->required();
    app.add_option("--from", exec.from, "The layout from which nests between devices (d2d) start");
  }
  if (move || run) add_side(app, exec.from_side, "from", app.get_option("--from"));
  if (move || run) add_side(app, exec.to_side, "to", app.get_option("--from"));
  if (!map)
    app.add_option("--fill", exec.fill,
                   "The value of padding, and of host memory between elements: a number, nan, inf, -inf or "
                   "bits:0xFE01 (default: 0)");
  if (!map && !move) add_exec_host(app, exec);
  if (map) in->required(), out->required();
  if (map) return;
  app.add_option("--threads", exec.threads,
                 "Threads that move data; the result is the same for any number (default: one per processor)")
      ->check(CLI::Range(1U, 1024U));
  app.add_option("--definition", exec.always_defined,
                 "When to compare the result with the definition, element by element: always, or up to a million "
                 "elements (sometimes, the default)")
      ->transform(choice(std::map<std::string, bool>{{"always", true}, {"sometimes", false}}))
      ->option_text("{always,sometimes}");
  app.add_flag("--show-plan", exec.show_plan,
               "Print the plan: its pieces, its kernels, and whether its certificate holds; --in and --out may then be "
               "left out");
}

void add_exec_op(CLI::App& app, ExecOpArguments& op) {
  app.footer(kExecFiles);
  std::vector<std::string> names;
  for (const std::string_view name : oracle::ops::operation_names()) names.emplace_back(name);
  app.add_option("operation", op.operation, fmt::format("The operation: {}", fmt::join(names, " ")))
      ->required()
      ->check(word_of(names));
  app.add_option("--operand", op.operands, "An input: its tensor and layout, 'f16[4,6] SpyreTensorLayout(…)'")
      ->required();
  app.add_option("--in", op.in, "The file of its image; one for each operand, in their order")->required();
  app.add_option("--result", op.result, "The result: its tensor and layout")->required();
  app.add_option("--out", op.out, "The file to write: the result's image, its padding included")->required();
  app.add_option("--dims", op.dims, "Names and extents of the operation's dimensions: M=4,K=6");
  app.add_option("--reduce", op.reduced, "The dimensions of the input that are reduced, where shapes do not say it");
  app.add_option("--arithmetic", op.arithmetic,
                 "A profile's name or file, and entries: \"accumulate=f32 start=+0 max=nan-wins\" (default: ieee)");
  app.add_option("--order", op.order,
                 "The order of a reduction: seq, seq-desc, tree, lanes(N), random(SEED) (default: seq)");
  app.add_option("--fill", op.fill,
                 "One code to which all padding of the inputs is set before: +0, -inf, {1}, bits:0x7FFF (default: the "
                 "padding is what the files hold)");
  app.add_flag("--replace", op.replace, "Replace an .npz or .safetensors file with all that is in it");
  app.add_flag("--force", op.force, "Replace also a file that is read-only");
  app.add_flag("--raw", op.raw, "Files of other names than .npy, .npz and .safetensors are bytes without a header");
}

void add_exec_verbs(CLI::App& app, ExecArguments& exec) {
  app.require_subcommand(1);
  using Verb = ExecArguments::Verb;
  add_exec(*app.add_subcommand("pack", "Host tensor to device image"), exec, Verb::Pack);
  add_exec(*app.add_subcommand("unpack", "Device image to host tensor"), exec, Verb::Unpack);
  add_exec(*app.add_subcommand("move", "Device image to the device image of another layout"), exec, Verb::Move);
  add_exec(*app.add_subcommand("map", "Coordinates to slots"), exec, Verb::Map);
  add_exec(*app.add_subcommand("run", "A file of loop nests, run on data"), exec, Verb::Run);
}

// --in and --out belong together, and only a plan can be shown without them.
std::optional<std::string> misuse(const ExecArguments& exec) {
  if (exec.show_plan && exec.in.empty() && exec.out.empty()) return std::nullopt;
  if (exec.in.empty()) return "--in is required";
  if (exec.out.empty()) return "--out is required";
  if (exec.in == "-" && exec.nests == "-") return "--in and --nests cannot both be standard input";
  return std::nullopt;
}

void add_fuzz(CLI::App& app, FuzzArguments& fuzz) {
  std::vector<std::string> families;
  for (const use::Family* family : oracle::campaign_families()) families.emplace_back(family->name);
  families.emplace_back("all");
  app.add_option_function<std::string>(
         "--what", [&fuzz](const std::string& word) { fuzz.neutral = word == "neutral"; },
         "What is compared: layouts and what they do to tensors (the default), or neutral: verdicts on what padding "
         "may hold, against operations with and without it")
      ->check(word_of(std::vector<std::string>{"layouts", "neutral"}));
  app.add_option("--family", fuzz.family, "The family of the layouts (default: all, one family after the other)")
      ->check(word_of(families));
  app.add_option("--seed", fuzz.seed, "A case is a pure function of the family, the seed and its index")
      ->transform(whole_number());
  app.add_option("--count", fuzz.count, "Cases of the whole campaign")
      ->transform(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 60));
  app.add_option("--seconds", fuzz.seconds, "Stop after this many seconds, at the end of a layout")
      ->transform(seconds_or_minutes())
      ->check(CLI::Range(0.0, 1e9));
  app.add_option("--shard", fuzz.shard, "i/n: the i-th of n ranges of cases; i counts from 0 or from 1 (n is 0)");
  app.add_option("--threads", fuzz.threads, "Threads, which share nothing; the result is the same for any number")
      ->transform(whole_number())
      ->check(CLI::Range(1U, 1024U));
  auto* out = app.add_option("--out", fuzz.out,
                             "A folder for the result, from which a stopped campaign continues, and for a case "
                             "file of each distinct mismatch");
  app.add_option_function<std::string>(
         "--definition", [&fuzz](const std::string& word) { fuzz.always = word == "always"; },
         "Also run cases element by element: always, or every 64th case and every disagreement")
      ->check(word_of(std::vector<std::string>{"always", "sometimes"}));
  app.add_option("--merge", fuzz.merge, "Run no cases: join the results of shards into one line")->excludes(out);
  std::map<std::string, Format> names{{"text", Format::Text}, {"jsonl", Format::Jsonl}};
  app.add_option("--format", fuzz.format, "How to print the answer")
      ->transform(choice(names))
      ->option_text("{text,jsonl}");
  add_no_times(app, fuzz.times);
}

// Options of a campaign that joining results, or a campaign of padding, makes no use of.
Run declare_fuzz(CLI::App& app) {
  const auto fuzz = std::make_shared<FuzzArguments>();
  add_fuzz(app, *fuzz);
  return [fuzz, &app]() -> std::variant<int, Misuse> {
    const std::vector<std::string> campaign{"--what",  "--family",  "--seed",       "--count",  "--seconds",
                                            "--shard", "--threads", "--definition", "--format", "--no-times"};
    if (const auto given = fuzz->merge.empty() ? std::nullopt : given_of(app, campaign))
      return Misuse{fmt::format("{} is unused: --merge joins what was run", *given)};
    if (const auto given = fuzz->neutral ? given_of(app, {"--family", "--definition"}) : std::nullopt)
      return Misuse{fmt::format("{} is unused: it is of campaigns of layouts (--what layouts)", *given)};
    return run_fuzz(*fuzz);
  };
}

void add_exec_tile(CLI::App& app, ExecTileArguments& tile) {
  app.footer(kExecFiles);
  app.add_option("--transfer", tile.transfers,
                 "A load or store of a tensor map, 'load tensormap(f16, dim (256,128), stride (512), box (64,64)) at "
                 "(64,32) to 1024'; may be repeated")
      ->required()
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--in", tile.in,
                 "The file to read: for loads the tensor's memory from the map's address on, for stores the shared "
                 "memory from address 0 on")
      ->required();
  app.add_option("--into", tile.into, "What the memory holds before that is written to (default: zeros)");
  app.add_option("--out", tile.out, "The file to write: that memory after the transfers")->required();
  app.add_flag("--replace", tile.replace, "Replace an .npz or .safetensors file with all that is in it");
  app.add_flag("--force", tile.force, "Replace also a file that is read-only");
  app.add_flag("--raw", tile.raw, "Files of other names than .npy, .npz and .safetensors are bytes without a header");
}

Run declare_exec(CLI::App& app) {
  const auto exec = std::make_shared<ExecArguments>();
  const auto op = std::make_shared<ExecOpArguments>();
  const auto tile = std::make_shared<ExecTileArguments>();
  add_exec_verbs(app, *exec);
  add_exec_op(*app.add_subcommand("op", "An operation on device images, with all padding that the hardware reads"),
              *op);
  add_exec_tile(*app.add_subcommand("tile", "Loads and stores of tensor maps, run on data"), *tile);
  return [exec, op, tile]() -> std::variant<int, Misuse> {
    if (!op->operation.empty()) return run_exec_op(*op);
    if (!tile->transfers.empty() && tile->in == "-" && tile->into == "-")
      return Misuse{"--in and --into cannot both be standard input"};
    if (!tile->transfers.empty()) return run_exec_tile(*tile);
    if (auto message = misuse(*exec)) return Misuse{std::move(*message)};
    return run_exec(*exec);
  };
}

void add_replay(CLI::App& app, ReplayArguments& replay) {
  app.add_option("files", replay.files, "Case files written by fuzz, or folders of them")->required();
  add_format(app, replay.format, false);
}

constexpr auto kOracleCommands = std::to_array<Command>({
    {"exec", "Run a layout on data: .npy, .npz, safetensors, raw bytes", declare_exec},
    {"fuzz", "Run a campaign of random layouts and tensors, and compare all implementations", declare_fuzz},
    {"gate", "Hold another implementation, as a program that answers questions, against the verifier", declare_gate},
    {"replay", "Run a campaign's case file again", [](CLI::App& app) { return declared(app, add_replay, run_replay); }},
    {"doctor", "What of this machine the program finds: engines, instructions, huge pages",
     [](CLI::App&) -> Run { return [] { return run_doctor(); }; }},
});

}  // namespace

std::span<const Command> oracle_commands() { return kOracleCommands; }

}  // namespace vl::cli
