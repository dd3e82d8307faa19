#include "verifier/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vl::cli {
namespace {

constexpr auto kExitCodes = std::to_array<ExitCode>({
    {11, "two engines decided differently"},
    {70, "a bug of the program"},
    {10, "something is refuted, or not as its case expects; data or certificates differ"},
    {2, "the input is wrong"},
    {5, "something is undecided, unsupported or skipped"},
    {64, "the command line is wrong"},
    {0, "everything is proved, or is as its case expects"},
});

// The files of these examples are those that tests/c/help_campaign.cpp writes.
const std::array kHelps = std::to_array<CommandHelp>({
    {"check",
     {{"check layouts.toml", "the cases of a file, each with what it expects"},
      {"check build.log", "every layout in a log, where it stands"},
      {"check --scan src", "every file beneath a folder"},
      {"check --scan src --baseline known.json --update-baseline",
       "what fails now is known; without the last option, only what is new fails"},
      {"check --layout 'SpyreTensorLayout((5, 100, 150), torch.float16)' --tensor 'f16[5,100,150]'", "one layout"},
      {"check --layout 'S[(2,2):(1,1)]' --tensor 'u8[2,2]' --claim injective", "one claim, refuted", 10},
      {"check layouts.toml --quiet --output junit=report.xml", "for CI: only failures, and a report beside them"},
      {"check --layout 'S[(2,3):(3,1)]' --tensor 'u8[2,3]' --cross-check", "all engines are asked, and compared"},
      {"check --layout 'SpyreTensorLayout((N, 150), torch.float16)' --tensor 'f16[N,150]' --nests nests.json",
       "loop nests for all sizes: extents, strides and offsets may be texts, as in \"64*N\""}},
     {11, 10, 2, 5}},
    {"explain",
     {{"explain 'S[(8,64):(64,1)]' --tensor 'f16[8,64]' --at 2,7", "one element, stage by stage"},
      {"explain 'SpyreTensorLayout((5, 100, 150), torch.float16)' --tensor 'f16[5,100,150]' --slot 0,2,0,22",
       "what a slot holds"}},
     {2, 5}},
    {"show",
     {{"show 'SpyreTensorLayout((3, 70), torch.float16)' --tensor 'f16[3,70]'", "the sticks, in the terminal"},
      {"show 'S[(8,64):(64,1)]' --tensor 'f16[8,64]' --format html", "a page to explore, in one file"}},
     {2, 5}},
    {"explore", {{"explore --port 8000", "then open http://127.0.0.1:8000/"}}, {2}},
    {"equal",
     {{"equal 'S[(2,3):(3,1)]' 'S[6:1]' --tensor 'u8[6]'", "the same places"},
      {"equal 'S[6:1]' 'S[6:2]' --tensor 'u8[6]'", "the first element that moves", 10}},
     {11, 10, 2, 5}},
    {"diff", {{"diff 'S[6:1]' 'S[6:2]' --tensor 'u8[6]'", "which elements move, and how many", 10}}, {10, 2, 5}},
    {"nests",
     {{"nests 'SpyreTensorLayout((5, 100, 150), torch.float16)' --tensor 'f16[5,100,150]'", "host to device"},
      {"nests --from 'SpyreTensorLayout((4, 64), torch.float16)' --to 'SpyreTensorLayout((4, 64), torch.float16, [1, "
       "0])'"
       " --tensor 'f16[4,64]' --format json",
       "between two device layouts"},
      {"nests 'SpyreTensorLayout((N, 150), torch.float16)' --tensor 'f16[N,150]' --format json",
       "for all sizes, as check --nests reads them"}},
     {10, 2, 5}},
    {"convert",
     {{"convert 'SpyreTensorLayout((5, 100, 150), torch.float16)' --tensor 'f16[5,100,150]' --to stride_map",
       "the same layout in another notation, proved equal"}},
     {10, 2, 5}},
    {"swizzle",
     {{"swizzle --layout 'S[(8,64):(64,1)]' --tensor 'f16[8,64]' --access 'lanes=8 width=16 at=[lane, 8*j] for j=0:8'",
       "the smallest swizzle without conflicts"}},
     {10, 2, 5}},
    {"descriptor",
     {{"descriptor --layout 'ComposeLayout(3,3,3,S[(64,4,64):(64,4096,1)])' --tensor 'f16[64,256]'",
       "one load of a box of 64 x 64 x 4"}},
     {10, 2, 5}},
    {"compatible",
     {{"compatible add --operand 'f16[4,64] SpyreTensorLayout((4, 64), torch.float16)' --operand 'f16[4,64] "
       "SpyreTensorLayout((4, 64), torch.float16)' --result 'f16[4,64] SpyreTensorLayout((4, 64), torch.float16)'",
       "whether an operation can compute with these layouts"}},
     {11, 10, 2, 5}},
    {"neutral",
     {{"neutral sum --type f16 --fill 0", "whether zeros in the padding change a sum", 10},
      {"neutral max --type f16 --fill -inf", "whether minus infinity changes a maximum"},
      {"neutral sum --type f16", "all values that never do"}},
     {11, 10, 2, 5}},
    {"transfer", {{"transfer exp f16 0 --claims '{1}'", "exp makes ones of zeros"}}, {10, 2, 5}},
    {"cert", {{"cert certificates/layout.0-injective.json", "checks a certificate again"}}, {10, 2, 5}},
    {"families", {{"families", "the notations that are read"}}, {}},
    {"claims", {{"claims", "every claim, with the fields of its witness"}}, {}},
    {"exec",
     {{"exec pack --layout 'SpyreTensorLayout((3, 70), torch.float16)' --tensor 'f16[3,70]' --in host.npy --out "
       "device.npy",
       "host tensor to device image"},
      {"exec unpack --layout 'SpyreTensorLayout((3, 70), torch.float16)' --tensor 'f16[3,70]' --in device.npy --out "
       "back.npy",
       "and back"}},
     {10, 2, 5}},
    {"fuzz", {{"fuzz --family tirx --seed 7 --count 2000", "a campaign of random layouts"}}, {10, 2}},
    {"replay", {{"replay layouts.toml", "cases of a campaign, run again", 2}}, {10, 2, 5}},
    {"gate",
     {{"gate smoke -- python3 adapter.py", "four cases of each operation: is the adapter right?"},
      {"gate --count 20000 -- python3 adapter.py", "holds an implementation against the verifier: see oracle/adapters"},
      {"gate --count 20000 --expect expect.toml --output junit=gate.xml -- python3 adapter.py",
       "for CI: only a change is red"},
      {"gate replay report.jsonl -- python3 adapter.py", "findings of a report, asked again"},
      {"gate schema", "what can be asked"}},
     {11, 10, 2, 5}},
    {"doctor", {{"doctor", "versions, engines and what the processor has"}}, {5}},
    {"man", {{"man check", "the man page of a command, in roff"}}, {}},
    {"completion", {{"completion bash", "source it: eval \"$(verify-layout completion bash)\""}}, {}},
});

}  // namespace

std::span<const ExitCode> exit_codes() { return kExitCodes; }
std::span<const CommandHelp> command_helps() { return kHelps; }

const CommandHelp* help_of(std::string_view command) {
  const auto found = std::ranges::find(kHelps, command, &CommandHelp::command);
  return found == kHelps.end() ? nullptr : &*found;
}

std::string footer_of(std::string_view command) {
  const CommandHelp* help = help_of(command);
  if (help == nullptr) return {};
  std::string out = "Examples:\n";
  for (const Example& example : help->examples)
    out += fmt::format("  # {}\n  verify-layout {}\n", example.says, example.words);
  out += "\nExit codes (the first that applies):\n";
  for (const ExitCode& exit : exit_codes()) {
    const bool own = std::ranges::find(help->exits, exit.code) != help->exits.end();
    if (own || exit.code == 0 || exit.code == 64 || exit.code == 70)
      out += fmt::format("  {:<3} {}\n", exit.code, exit.meaning);
  }
  return out;
}

}  // namespace vl::cli
