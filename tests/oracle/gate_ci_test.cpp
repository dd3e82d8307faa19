// The script of the action: GATE_COMMAND becomes the words of the adapter's command, as in a shell.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/process.h"

namespace vl {
namespace oracle_gate_ci_test {

// What the script gives to the program after `--`, a word a line, in brackets.
test::Ran words_of(const std::string& command) {
  const test::Folder folder;
  const std::string program = folder.file("program",
                                          "#!/bin/bash\n[[ $1 == --version ]] && exit\nwhile [[ $1 != -- ]]; do shift; "
                                          "done\nshift\nprintf '[%s]\\n' \"$@\"\n");
  ::chmod(program.c_str(), 0700);
  return test::run("/usr/bin/env", {"VERIFY_LAYOUT=" + program, "GATE_COMMAND=" + command, "WORD=a b", "bash",
                                    VL_SOURCE_DIR "/oracle/gate/ci/run"});
}

TEST(GateCi, ReadsTheCommandAsAShellDoes) {
  const std::pair<const char*, const char*> rows[] = {
      {"python3 gate/adapter.py", "[python3]\n[gate/adapter.py]\n"},
      {"python3 'my adapter.py' --name \"a b\"", "[python3]\n[my adapter.py]\n[--name]\n[a b]\n"},
      {"python3 gate/adapter.py\n  --one 1\n  --two 2\n", "[python3]\n[gate/adapter.py]\n[--one]\n[1]\n[--two]\n[2]\n"},
      {"python3 a\\ b.py \\\n  ''", "[python3]\n[a b.py]\n[]\n"},
      {"python3 \"$WORD\"", "[python3]\n[a b]\n"}};
  for (const auto& [command, words] : rows) {
    const test::Ran ran = words_of(command);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, words) << command;
  }
}

TEST(GateCi, RefusesACommandWithoutWords) {
  for (const char* command : {"", " \n ", "'open"}) {
    const test::Ran ran = words_of(command);
    EXPECT_NE(ran.code, 0) << command;
    EXPECT_EQ(ran.out, "") << command;
    EXPECT_NE(ran.err, "") << command;
  }
}

}  // namespace oracle_gate_ci_test
}  // namespace vl
