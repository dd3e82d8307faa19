// verify-layout-cert as a program, and verify-layout-cert-relations: libraries, symbols, and answers.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/support/process.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace checker_executable_test {

const std::string kCert = test::program("verify-layout-cert");
const std::string kRelations = test::program("verify-layout-cert-relations");

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) out += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

TEST(Executable, IsLinkedWithNoSolver) {
  const std::string libraries = output_of("readelf -d '" + kCert + "' | grep NEEDED");
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

TEST(ExecutableOfRelations, HoldsNothingAboutValues) {
  const std::string symbols = output_of("nm -C '" + kRelations + "'");
  EXPECT_NE(symbols.find("vl::checker::check("), std::string::npos);
  for (const char* other : {"vl::values_kernel", "vl::rup", "vl::values", "vl::neutral", "vl::engines", "vl::map"})
    EXPECT_EQ(symbols.find(other), std::string::npos) << other;
  EXPECT_NE(output_of("nm -C '" + kCert + "'").find("vl::values_kernel"), std::string::npos);
}

TEST(ExecutableOfRelations, ChecksRelationsAndNamesTheProgramThatChecksValues) {
  const test::Folder folder;
  const auto made = test::verify_layout({"check", "--tensor", "f16[4,8]", "--layout", "S[(4,8):(8,1)]", "--claim",
                                         "injective", "--certificates", folder.path()});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string good = folder.at("layout.0-injective.json");
  EXPECT_EQ(test::run(kRelations, {good}).code, 5);
  EXPECT_EQ(test::run(kRelations, {"--allow-unread", "texts", good}).out, test::run(kCert, {good}).out);
  std::string changed = test::read_text(good);
  changed.replace(changed.find("x0:4"), 4, "x0:5");
  const std::string bad = folder.file("bad.json", changed);
  EXPECT_EQ(test::run(kRelations, {bad}).code, 10);

  const std::string cases = folder.file("case.toml",
                                        "schema = 1\n[[case]]\nid = \"zeros\"\n"
                                        "layout = \"SpyreTensorLayout((55, 67), torch.float16)\"\n"
                                        "tensor = \"f16[55,67]\"\n"
                                        "[[case.claim]]\nclaim = \"storeable\"\nvalues = \"0\"\n");
  const auto stored = test::verify_layout({"check", cases, "--certificates", folder.path()});
  ASSERT_EQ(stored.code, 0) << stored.err;
  const std::string values = folder.at("zeros.0-storeable.json");
  EXPECT_EQ(test::run(kCert, {"--allow-unread", "texts", values}).code, 0);
  const auto refused = test::run(kRelations, {values});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, "unreadable  " + values + ": a claim about values: verify-layout-cert checks it\n");
  EXPECT_EQ(test::run(kRelations, {values, bad}).code, 10);
}

TEST(Executable, SaysHowItIsUsed) {
  const test::Ran asked = test::run(kCert, {"--help"});
  EXPECT_EQ(asked.code, 0);
  EXPECT_NE(asked.out.find("usage: verify-layout-cert [--allow-unread NAME]"), std::string::npos) << asked.out;
  EXPECT_NE(asked.out.find("10 one is rejected"), std::string::npos) << asked.out;
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--unknown", "x"}, {"--format", "xml", "x"}})
    EXPECT_EQ(test::run(kCert, wrong).code, 64);
  const test::Ran none = test::run(kCert, {});
  EXPECT_EQ(none.code, 64);
  EXPECT_EQ(none.err, asked.out);
  EXPECT_NE(test::run(kRelations, {}).err.find("usage: verify-layout-cert-relations "), std::string::npos);
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
    EXPECT_EQ(judge({good}), alone ? 5 : 0);  // the checker alone reads no texts
    EXPECT_EQ(judge({good, bad}), 10);
    EXPECT_EQ(judge({bad, torn, good}), 10);
    EXPECT_EQ(judge({torn, good}), 2);
    for (const std::string& unreadable : {torn, deep, empty, std::string("/nowhere"), folder.path()})
      EXPECT_EQ(judge({unreadable}), 2) << unreadable;
    EXPECT_EQ(judge({}), 64);
  }
}

// A certificate of bijective in a folder, as JSON.
nlohmann::json certificate_in(const test::Folder& folder) {
  const auto made = test::verify_layout({"check", "--tensor", "f16[5,100,150]", "--strides", "15000,150,1", "--layout",
                                         "SpyreTensorLayout((5, 100, 150), torch.float16)", "--claim", "bijective",
                                         "--certificates", folder.path()});
  EXPECT_EQ(made.code, 0) << made.err;
  return nlohmann::json::parse(test::read_text(folder.at("layout.0-bijective.json")));
}

TEST(Executable, PrintsWhatItAcceptsAndTheLinkedOneReadsTheTextsAgain) {
  const test::Folder folder;
  const nlohmann::json good = certificate_in(folder);
  const std::string path = folder.at("layout.0-bijective.json");
  const auto linked = test::run(test::program("verify-layout"), {"cert", path});
  EXPECT_EQ(linked.out, "accepted    " + path +
                            ": proved bijective of SpyreTensorLayout((5, 100, 150), torch.float16) for f16[5,100,150] "
                            "strides [15000,150,1]; strides = 15000,150,1\n");
  const auto alone = test::run(kCert, {path});
  EXPECT_EQ(alone.out,
            "accepted    " + path +
                ": proved bijective of [SpyreTensorLayout((5, 100, 150), torch.float16)] for [f16[5,100,150] "
                "strides [15000,150,1]]; [strides = 15000,150,1] (its texts were not read: verify-layout cert "
                "reads them again and compares)\n");
  EXPECT_EQ(alone.code, 5);
  EXPECT_EQ(test::run(kCert, {"--allow-unread", "texts", path}).code, 0);
  const std::pair<const char*, const char*> changes[] = {
      {"/layout", "SpyreTensorLayout((5, 100, 151), torch.float16)"},
      {"/layout", "SpyreTensorLayout((5, 100, 150), torch.float16, [1, 0, 2])"},
      {"/layout", "nothing"},
      {"/tensor", "f16[5,100,151]"},
      {"/tensor", "f16[5,100,150]"},
      {"/arguments/strides", "15000,150,2"},
      {"/arguments/offset", "1"}};
  for (const auto& [field, text] : changes) {
    nlohmann::json changed = good;
    changed["statement"][nlohmann::json::json_pointer(field)] = text;
    changed["digest"] = checker::digest(changed["statement"]);
    const std::string other = folder.file("changed.json", changed.dump());
    EXPECT_EQ(test::run(kCert, {other}).code, 5) << field << text;  // a name
    EXPECT_EQ(test::run(test::program("verify-layout"), {"cert", other}).code, 10) << field << text;
  }
}

TEST(Executable, SaysWhyItDoesNotReadOrAccept) {
  const test::Folder folder;
  const std::string good = certificate_in(folder).dump();
  const auto says = [&](const std::string& path, int code, const std::string& words) {
    for (const bool alone : {true, false}) {
      const auto ran = alone ? test::run(kCert, {"--allow-unread", "texts", path})
                             : test::run(test::program("verify-layout"), {"cert", path});
      EXPECT_EQ(ran.code, code) << path;
      EXPECT_NE((ran.out + ran.err).find(words), std::string::npos) << path << ": " << ran.out << ran.err;
    }
  };
  says("/nowhere/x.json", 2, "No such file or directory");
  says(folder.path(), 2, "Is a directory");
  says(folder.file("empty.json", ""), 2, "the file is empty");
  says(folder.file("torn.json", good.substr(0, 100)), 2, "neither JSON nor CBOR from byte");
  says(folder.file("deep.json", std::string(100000, '[')), 2, "1,024 deep");
  says(folder.file("space.json", good + "\n  \n"), 0, "accepted");
  says(folder.file("more.json", good + "{}"), 10, "bytes behind the object");
  says(folder.file("twice.json", "{\"schema\":\"verify-layout-certificate/2\"," + good.substr(1)), 10, "a key twice");
  std::string inner = good;
  inner.replace(inner.find("\"claim\""), 7, "\"claim\":\"injective\",\"claim\"");
  says(folder.file("inner.json", inner), 10, "a key twice");
  const auto cbor = nlohmann::json::to_cbor(nlohmann::json::parse(good));
  const std::string bytes(cbor.begin(), cbor.end());
  says(folder.file("good.cbor", bytes), 0, "accepted");
  says(folder.file("more.cbor", bytes + "x"), 10, "bytes behind the object");
  std::string twice = bytes;  // a map of five entries, the first of which comes twice
  twice[0] = static_cast<char>(twice[0] + 1);
  twice.insert(1, std::string("\x66schema\x61x"));
  says(folder.file("twice.cbor", twice), 10, "a key twice");
}

TEST(Executable, ReadsTheCompactFormAlike) {
  const test::Folder folder;
  const auto made =
      test::verify_layout({"check", "--tensor", "f16[8,64]", "--layout", "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])",
                           "--compact", "--certificates", folder.path()});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string good = folder.at("layout.2-injective.cbor");
  EXPECT_EQ(test::run(kCert, {good}).code, 5);
  std::string bytes = test::read_text(good);
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
    if (i % 49 == 0) {
      EXPECT_NE(test::run(kCert, {"--allow-unread", "texts", folder.file("flipped.cbor", bytes)}).code, 0) << i;
    }
    bytes[i] = static_cast<char>(bytes[i] ^ 1);
  }
  EXPECT_EQ(
      test::run(kCert, {folder.file("deep.cbor", std::string(1, '\xa1') + "aa" + std::string(100000, '\x81'))}).code,
      2);
}

}  // namespace checker_executable_test
}  // namespace vl
