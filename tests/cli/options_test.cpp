// No option is ignored: every option of every command has a row in option_rows.h, and what has no use beside other
// words is refused by its name. option_walk_campaign.cpp runs the rows.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "oracle/cli/commands.h"
#include "tests/cli/option_rows.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_options_test {

using Words = std::vector<std::string>;

void collect(const CLI::App& app, const std::string& path, std::set<std::string>& out) {
  for (const CLI::Option* option : app.get_options()) {
    const auto& names = option->get_lnames();
    const std::string name = names.empty() ? option->get_name() : "--" + names.front();
    if (name != "--help") out.insert(path + " " + name);
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    collect(*sub, path + " " + sub->get_name(), out);
}

// As the program declares them.
std::set<std::string> all_options() {
  std::set<std::string> out;
  std::vector<cli::Command> commands(cli::commands().begin(), cli::commands().end());
  commands.insert(commands.end(), cli::oracle_commands().begin(), cli::oracle_commands().end());
  for (const cli::Command& command : commands) {
    CLI::App program;
    CLI::App* app = program.add_subcommand(std::string(command.name));
    const cli::Run run = command.declare(*app);
    collect(*app, std::string(command.name), out);
  }
  return out;
}

TEST(Options, EachHasARowThatChangesAnAnswer) {
  std::set<std::string> rows;
  for (const test::OptionRow& row : test::kOptionRows)
    EXPECT_TRUE(rows.insert(std::string(row.option)).second) << row.option << " has two rows";
  const std::set<std::string> options = all_options();
  EXPECT_GT(options.size(), 300U);
  Words without, unknown;
  std::ranges::set_difference(options, rows, std::back_inserter(without));
  std::ranges::set_difference(rows, options, std::back_inserter(unknown));
  EXPECT_TRUE(without.empty()) << "options without a row in tests/cli/option_rows.h: "
                               << fmt::to_string(fmt::join(without, ", "));
  EXPECT_TRUE(unknown.empty()) << "rows of no option: " << fmt::to_string(fmt::join(unknown, ", "));
}

struct UnusedRow {
  Words words;
  int code;
  const char* says;
};

const Words kTile{"check", "--layout", "S[(2,3):(3,1)]", "--tensor", "f16[2,3]"};

Words tile(Words more) {
  more.insert(more.begin(), kTile.begin(), kTile.end());
  return more;
}

const char* const kCases = "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"S[(2,3):(3,1)]\"\ntensor = \"u8[2,3]\"\n";
const char* const kAccess = "lanes=2 width=2 at=[lane, 0]";

std::vector<UnusedRow> of_check(const std::string& cases, const std::string& log) {
  std::vector<UnusedRow> out{
      {tile({"--where", "N >= 2"}), 2, "--where:1:1: unused condition N >= 2: no text of the question has its names"},
      {{"check", "--layout", "S[6:1@m]", "--tensor", "u8[6]", "--where", "m >= 2"}, 2, "unused condition m >= 2"},
      {tile({"--where", "3 >= 4"}), 2, "--where:1:1: the condition 3 >= 4 does not hold"},
      {tile({"--define", "BM=2"}), 2, "--define:1:1: unused: no text of the question has the name BM"},
      {tile({"--define", "null=2"}), 2, "--define:1:1: 'null' stands for a missing value, and is no name of a size"},
      {tile({"--claim", "injective", "--access", kAccess}), 64,
       "--access is unused: no claim that is asked takes its access from there"},
      {tile({"--access", kAccess, "--claim", "conflict-free=access=lanes=1 width=2 at=[0, 0]"}), 64,
       "--access is unused"},
      {tile({"--access", kAccess, "--claim", "conflicts=hardware=sm_90", "--hardware", "sm_80"}), 64,
       "--hardware is unused: no claim that is asked takes its hardware from there"},
      {{"check", "--layout", "S[(null,3):(3,1)]", "--tensor", "u8[null,3]"},
       2,
       "--tensor:1:4: 'null' stands for a missing value, and is no name of a size"},
      {{"check", "--layout", "S[(None,3):(3,1)]", "--tensor", "u8[None,3]"},
       2,
       "--tensor:1:4: 'None' is a word of Python, and no name of a size"},
      {{"check", "--layout", "S[(N,3):(3,1)]", "--tensor", "u8[N,3]", "--sizes", "one"},
       2,
       "--tensor:1:1: one size is asked (--sizes one"},
      {{"check", log, "--define", "BN=2"}, 2, "--define:1:1: unused: no layout in these texts has the name BN"},
      {{"check", log, "--where", "BN >= 2"}, 2, "--where:1:1: unused: no layout in these texts has names that"},
      {{"check", log, "--at-sizes", "BN=2"}, 2, "--at-sizes:1:1: unused: no layout in these texts has the name BN"},
  };
  for (const auto& [option, value] :
       {std::pair("--tensor", "f16[6]"), std::pair("--strides", "3,1"), std::pair("--offset", "1"),
        std::pair("--view-offset", "1"), std::pair("--box", "m=9"), std::pair("--family", "tirx"),
        std::pair("--where", "N > 1"), std::pair("--at-sizes", "N=2"), std::pair("--define", "N=2"),
        std::pair("--claim", "injective"), std::pair("--rule", "C"), std::pair("--sizes", "one"),
        std::pair("--access", kAccess)})
    out.push_back({{"check", cases, option, value}, 64, option});
  return out;
}

std::vector<UnusedRow> of_others() {
  const Words sum{"neutral", "sum", "--type", "f16", "--fill", "0"};
  const auto neutral = [&](Words more) {
    more.insert(more.begin(), sum.begin(), sum.end());
    return more;
  };
  const char* const kSticks = "SpyreTensorLayout((2, 8), torch.float16)";
  const std::string operand = std::string("f16[2,8] ") + kSticks;
  return {
      {{"show", kSticks, "--hardware", "sm_80"}, 2, "--hardware: unused: banks are drawn of an access"},
      {{"show", kSticks, "--format", "html", "--sticks", "3"}, 2, "--sticks: unused: the page to explore has all rows"},
      {{"show", kSticks, "--format", "json", "--width", "30"}, 2, "--width: unused: only text is cut into columns"},
      {{"nests", kSticks, "--where", "N >= 2"}, 2, "--where:1:1: unused condition N >= 2"},
      {neutral({"--max", "nan-loses"}), 64, "--max is unused: sum compares nothing"},
      {neutral({"--dims", "M=4"}), 64, "--dims is unused: it goes with operands and their layouts"},
      {{"neutral", "argmax", "--type", "f16", "--order", "seq"}, 64, "--order is unused"},
      {{"neutral", "add", "--operand", operand + " contents=finite", "--operand", operand + " contents=any", "--result",
        operand, "--contents", "finite"},
       64,
       "--contents is unused: every operand says its own"},
      {{"transfer", "exp", "f16", "0", "--max", "nan-loses"}, 64, "--max is unused: exp compares nothing"},
      {{"fuzz", "--what", "neutral", "--family", "tirx"}, 64, "--family is unused"},
      {{"fuzz", "--merge", "none.json", "--seed", "3"}, 64, "--seed is unused: --merge joins what was run"},
      {{"gate", "--count", "3", "smoke", "--", "none"}, 64, "--count is unused by smoke"},
      {{"gate", "--seed", "3", "replay", "none.jsonl", "--", "none"}, 64, "--seed is unused by replay"},
      {{"gate", "--expect", "none.toml", "merge", "none.json"}, 64, "--expect is unused by merge"},
      {{"gate", "schema", "--", "none"}, 64, "'--adapter' is not an option of verify-layout gate schema"},
  };
}

TEST(Options, ThatHaveNoUseAreRefusedByTheirNames) {
  const test::Folder folder;
  std::vector<UnusedRow> rows =
      of_check(folder.file("cases.toml", kCases), folder.file("log.txt", "S[(BM,64):(64,1)]\n"));
  for (UnusedRow& row : of_others()) rows.push_back(std::move(row));
  for (const UnusedRow& row : rows) {
    const test::Ran ran = test::verify_layout(row.words);
    const std::string what = fmt::to_string(fmt::join(row.words, " "));
    EXPECT_EQ(ran.code, row.code) << what << "\n" << ran.out << ran.err;
    EXPECT_NE(ran.err.find(row.says), std::string::npos) << what << "\n" << ran.err;
  }
}

// Conditions that reach a name of the texts through another one, and definitions in every text, are of use.
TEST(Options, ThatHaveAUseAreTaken) {
  const test::Folder folder;
  const std::string log = folder.file("log.txt", "S[(BM,64):(64,1)]\n");
  for (const Words& words : std::vector<Words>{
           {"check", "--layout", "S[(2,N):(P,1)]", "--tensor", "u8[2,N]", "--where", "P == N + K, K >= 0", "--claim",
            "injective"},
           {"check", "--layout", "S[(2,3):(3,1)]", "--tensor", "u8[2,3]", "--define", "BM=3", "--claim",
            "equal=S[(2,BM):(BM,1)]"},
           {"check", "--layout", "S[(2,3):(3,1)]", "--tensor", "u8[2,BM]", "--define", "BM=3"},
           {"check", "--layout", "S[(2,3):(3,1)]", "--tensor", "u8[2,3]", "--define", "BM=3", "--where", "BM >= 3"},
           {"check", log, "--define", "BM=3"},
           {"check", folder.file("numbers.txt", "S[(2,64):(64,1)]\n"), "--tensor", "u8[BM,64]", "--define", "BM=2"},
           {"check", log, "--where", "BM >= 2"},
           {"check", log, "--at-sizes", "BM=2"}}) {
    const test::Ran ran = test::verify_layout(words);
    EXPECT_EQ(ran.code, 0) << fmt::to_string(fmt::join(words, " ")) << "\n" << ran.out << ran.err;
  }
}

// Keys of case files that the question makes no use of.
TEST(Options, OfCaseFilesAreJudgedToo) {
  struct Row {
    const char *name, *keys, *says;
  };
  const std::vector<Row> table = {
      {"a condition", "layout = \"S[6:1]\"\ntensor = \"u8[6]\"\nwhere = \"N >= 2\"\n",
       "unused condition N >= 2: no text of the question has its names"},
      {"one instance of names", "layout = \"S[N:1]\"\ntensor = \"u8[N]\"\nscope = \"instance\"\n",
       "one size is asked (--sizes one, scope = \"instance\"), and names stand for sizes"},
      {"an unknown key", "layout = \"S[6:1]\"\ntensor = \"u8[6]\"\ntenser = \"u8[6]\"\n", "unknown key 'tenser'"},
      {"padding that compatible does not ask of",
       "layout = \"S[6:1]\"\ntensor = \"u8[6]\"\n[[case.claim]]\nclaim = \"compatible\"\noperation = \"add\"\n"
       "operands = [{ layout = \"S[6:1]\", tensor = \"u8[6]\", padding = \"any\" }]\n",
       "unused key 'padding': compatible asks of shapes and sticks"},
      {"contents of a result",
       "layout = \"S[6:1]\"\ntensor = \"u8[6]\"\n[[case.claim]]\nclaim = \"neutral\"\noperation = \"add\"\n"
       "operands = [{ layout = \"S[6:1]\", tensor = \"u8[6]\" }]\n"
       "results = [{ layout = \"S[6:1]\", tensor = \"u8[6]\", contents = \"any\" }]\n",
       "unused key 'contents': the operation writes its results"},
  };
  for (const Row& row : table) {
    const test::Folder folder;
    const std::string file = folder.file("cases.toml", std::string("schema = 1\n[[case]]\nid = \"a\"\n") + row.keys);
    const test::Ran ran = test::verify_layout({"check", file});
    EXPECT_EQ(ran.code, 2) << row.name << ran.out << ran.err;
    EXPECT_NE(ran.err.find(row.says), std::string::npos) << row.name << "\n" << ran.err;
  }
}

}  // namespace cli_options_test
}  // namespace vl
