// verify-layout-cert as a program: its libraries, its symbols, and its answers.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/process.h"

namespace vl {
namespace checker_executable_test {

const std::string kCert = test::program("verify-layout-cert");

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) out += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

TEST(Executable, IsLinkedWithNoSolver) {
  const std::string libraries = output_of("readelf -d '" + kCert + "'");
  EXPECT_NE(libraries.find("libmd"), std::string::npos);  // the digest: so the list is one
  for (const char* solver : {"z3", "isl", "cadical", "cvc5", "gmp"})
    EXPECT_EQ(libraries.find(solver), std::string::npos) << solver;
}

TEST(Executable, HoldsNothingOfOursButTheChecker) {
  const std::string symbols = output_of("nm -C '" + kCert + "'");
  EXPECT_NE(symbols.find("vl::checker::check("), std::string::npos);
  for (const char* other : {"vl::engines", "vl::smt", "vl::map", "vl::claims", "Z3_", "isl_", "CaDiCaL"})
    EXPECT_EQ(symbols.find(other), std::string::npos) << other;
}

TEST(Executable, AnswersWithTheExitCodeOfTheWorstFile) {
  const test::Folder folder;
  const auto made = test::verify_layout({"check", "--tensor", "f16[5,100,150]", "--layout",
                                         "SpyreTensorLayout((5, 100, 150), torch.float16)", "--claim", "bijective",
                                         "--certificates", folder.path()});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string good = folder.at("layout.0-bijective.json");
  std::string changed = test::read_text(good);
  const std::string torn = folder.file("torn.json", changed.substr(0, 100));
  changed.replace(changed.find("x0:5"), 4, "x0:6");
  const std::string bad = folder.file("bad.json", changed);
  const std::string deep = folder.file("deep.json", std::string(100000, '[')), empty = folder.file("empty.json", "");
  for (const bool alone : {true, false}) {
    const auto judge = [&](std::vector<std::string> files) {
      if (!alone) files.insert(files.begin(), "cert");
      return test::run(alone ? kCert : test::program("verify-layout"), files).code;
    };
    EXPECT_EQ(judge({good}), 0);
    EXPECT_EQ(judge({good, bad}), 10);
    EXPECT_EQ(judge({bad, torn, good}), 2);
    for (const std::string& unreadable : {torn, deep, empty, std::string("/nowhere"), folder.path()})
      EXPECT_EQ(judge({unreadable}), 2) << unreadable;
    EXPECT_EQ(judge({}), 64);
  }
}

TEST(Executable, ReadsTheCompactFormAlike) {
  const test::Folder folder;
  const auto made =
      test::verify_layout({"check", "--tensor", "f16[8,64]", "--layout", "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])",
                           "--compact", "--certificates", folder.path()});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string good = folder.at("layout.2-injective.cbor");
  EXPECT_EQ(test::run(kCert, {good}).code, 0);
  std::string bytes = test::read_text(good);
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    if (i % 49 == 0) {
      EXPECT_NE(test::run(kCert, {folder.file("flipped.cbor", bytes)}).code, 0) << i;
    }
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
  }
  EXPECT_EQ(
      test::run(kCert, {folder.file("deep.cbor", std::string(1, '\xa1') + "aa" + std::string(100000, '\x81'))}).code,
      2);
}

}  // namespace checker_executable_test
}  // namespace vl
