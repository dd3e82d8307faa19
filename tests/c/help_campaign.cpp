// What --help says: every command has examples, each of which is run and ends with the exit code of its table; man
// pages and completions name every command and option that --help names.
#include "verifier/cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "oracle/cli/commands.h"
#include "tests/support/process.h"
#include "verifier/cli/command_line.h"

namespace vl::cli {
namespace c_help_campaign {

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto all : {commands(), oracle_commands()})
    for (const Command& command : all) out.emplace_back(command.name);
  return out;
}

// A tensor in NumPy's format, of zeros: f16 of these extents.
std::string zeros(const std::string& shape, std::size_t elements) {
  std::string header = "{'descr': '<f2', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + std::string(elements * 2, '\0');
}

test::Ran shell(const std::string& folder, std::string_view words) {
  return test::run("/bin/sh",
                   {"-c", "cd " + folder + " && exec " + test::program("verify-layout") + " " + std::string(words)});
}

// `gate` judges an implementation, of which there is none in that folder; `explore` ends only when it is told to.
const std::set<std::string> kNotRun = {"gate", "explore"};

TEST(Help, HasExamplesThatEndAsItSays) {
  const test::Folder folder;
  folder.file("layouts.toml",
              "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"SpyreTensorLayout((5, 100, 150), torch.float16)\"\n"
              "tensor = \"f16[5,100,150]\"\nexpect = { bijective = \"proved\" }\n");
  folder.file("build.log", "buf0: SpyreTensorLayout((5, 100, 150), torch.float16)\n");
  folder.file("src/a.py", "buf0 = SpyreTensorLayout((5, 100, 150), torch.float16)\n");
  folder.file("host.npy", zeros("(3, 70)", 210));
  folder.file("nests.json",  // two full sticks of a row's 150 elements, and the 22 that are left
              R"({"direction": "h2d", "nests": [
                  {"extents": ["N", 2, 64], "host_strides": [150, 64, 1], "device_strides": [64, "64*N", 1],
                   "host_offset": 0, "device_offset": 0},
                  {"extents": ["N", 22], "host_strides": [150, 1], "device_strides": [64, 1],
                   "host_offset": 128, "device_offset": "128*N"}]})");
  ASSERT_EQ(
      shell(folder.path(), "check --layout 'S[8:1]' --tensor 'u8[8]' --claim injective --certificates certificates")
          .code,
      0);
  std::size_t ran = 0;
  for (const std::string& name : names()) {
    const CommandHelp* help = help_of(name);
    ASSERT_NE(help, nullptr) << name;
    EXPECT_FALSE(help->examples.empty()) << name;
    for (const Example& example : help->examples) {
      EXPECT_TRUE(example.words == name || example.words.starts_with(name + " ")) << example.words;
      if (kNotRun.contains(name)) continue;
      const test::Ran result = shell(folder.path(), example.words);
      EXPECT_EQ(result.code, example.exit) << example.words << "\n" << result.out << result.err;
      EXPECT_TRUE(example.exit == 0 || std::ranges::find(help->exits, example.exit) != help->exits.end()) << name;
      ++ran;
    }
  }
  EXPECT_GE(ran, 30U);
  const auto all = names();
  for (const CommandHelp& help : command_helps())
    EXPECT_NE(std::ranges::find(all, help.command), all.end()) << help.command;
}

TEST(Help, EndsWithExamplesAndExitCodes) {
  const test::Ran help = test::verify_layout({"check", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Examples:\n"), std::string::npos);
  EXPECT_NE(help.out.find("  verify-layout check layouts.toml\n"), std::string::npos);
  EXPECT_NE(help.out.find("  10  something is refuted"), std::string::npos);
  EXPECT_NE(help.out.find("  11  two engines"), std::string::npos);
}

// The long options that a text names.
std::set<std::string> options_in(const std::string& text) {
  std::set<std::string> out;
  const std::regex option("--[a-z][a-z-]+");
  for (std::sregex_iterator found(text.begin(), text.end(), option), end; found != end; ++found)
    out.insert(found->str());
  return out;
}

TEST(Help, IsWhatManPagesAndCompletionsSay) {
  const std::string bash = test::verify_layout({"completion", "bash"}).out;
  const std::string zsh = test::verify_layout({"completion", "zsh"}).out;
  const std::string fish = test::verify_layout({"completion", "fish"}).out;
  for (const char* name : {"check", "show", "fuzz"}) {
    std::string page = test::verify_layout({"man", name}).out;
    page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
    const std::string help = test::verify_layout({name, "--help"}).out;
    const auto options = options_in(help.substr(help.find("Options:"), help.find("Examples:") - help.find("Options:")));
    EXPECT_GT(options.size(), 8U) << name;
    for (const std::string& option : options) {
      EXPECT_NE(page.find(option), std::string::npos) << name << " " << option;
      EXPECT_NE(bash.find(option), std::string::npos) << option;
      EXPECT_NE(zsh.find(option), std::string::npos) << option;
      EXPECT_NE(fish.find("-l " + option.substr(2)), std::string::npos) << option;
    }
  }
  const std::string program = test::verify_layout({"man"}).out;
  for (const std::string& name : names()) EXPECT_NE(program.find("\\fB" + name + "\\fR"), std::string::npos) << name;
}

// What bash offers for words, the last of which is not complete.
std::string offered(const std::string& words) {
  return test::run("/bin/bash",
                   {"-c", "eval \"$(" + test::program("verify-layout") + " completion bash)\"; COMP_WORDS=(" + words +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _verify_layout; echo "
                              "\"${COMPREPLY[*]}\""})
      .out;
}

TEST(Completion, OffersCommandsOptionsAndWords) {
  EXPECT_EQ(offered("verify-layout expl"), "explain explore\n");
  EXPECT_EQ(offered("verify-layout check --cert"), "--certificates\n");
  EXPECT_EQ(offered("verify-layout check --format js"), "json jsonl\n");
  EXPECT_EQ(offered("verify-layout exec un"), "unpack\n");
  EXPECT_EQ(offered("verify-layout exec pack --fil"), "--fill\n");
  EXPECT_EQ(offered("verify-layout completion z"), "\n");
}

TEST(Colour, IsAskedForByOptionAndByEnvironment) {
  const auto coloured = [](const std::string& environment, const std::string& option) {
    const test::Ran ran = test::run("/bin/sh", {"-c", environment + " " + test::program("verify-layout") +
                                                          " check --layout 'S[8:1]' --tensor 'u8[8]' " + option});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out.find("\x1b[32m") != std::string::npos;
  };
  EXPECT_FALSE(coloured("", ""));  // not a terminal
  EXPECT_TRUE(coloured("", "--color always"));
  EXPECT_FALSE(coloured("FORCE_COLOR=1", "--color never"));
  EXPECT_TRUE(coloured("FORCE_COLOR=1", ""));
  EXPECT_FALSE(coloured("FORCE_COLOR=0", ""));
  EXPECT_FALSE(coloured("FORCE_COLOR=1 NO_COLOR=1", ""));
  EXPECT_TRUE(coloured("NO_COLOR=1", "--color always"));
}

TEST(Doctor, FindsThatTheEnginesAnswer) {
  const test::Ran ran = test::verify_layout({"doctor"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("engine smt           answers"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("nothing is missing\n"), std::string::npos) << ran.out;
}

}  // namespace c_help_campaign
}  // namespace vl::cli
