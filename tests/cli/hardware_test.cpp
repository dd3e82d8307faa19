// Hardware profiles: the compiled ones, a user's own file, and a table of rejects.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/process.h"
#include "verifier/session/hardware.h"

namespace vl {
namespace cli_hardware_test {

const std::string kTiny =
    "schema = 1\nname = \"tiny\"\nbanks = 4\nbytes_per_bank = 4\nlanes = 4\n[phases]\n4 = 1\n8 = [[0, 2], [1, 3]]\n";

std::variant<use::Hardware, Diagnostic> read(const std::string& text) {
  const test::Folder folder;
  return session::read_hardware(session::SourceText::option("--hardware", folder.file("profile.toml", text)));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(HardwareProfiles, OfTheCorpusAreCompiledInByTheirNames) {
  std::size_t seen = 0;
  for (const std::string& name : session::hardware_names()) {
    const auto profile = session::read_hardware(session::SourceText::option("--hardware", name));
    ASSERT_TRUE(std::holds_alternative<use::Hardware>(profile)) << name;
    EXPECT_EQ(std::get<use::Hardware>(profile).name, name);
    const auto file = session::read_hardware(
        session::SourceText::option("--hardware", fmt::format("{}/corpus/hardware/{}.toml", VL_SOURCE_DIR, name)));
    EXPECT_EQ(std::get<use::Hardware>(profile), std::get<use::Hardware>(file)) << name;
    ++seen;
  }
  EXPECT_GE(seen, 5U);
}

// Every lane is served once, and no phase moves more bytes than the banks give in one go, where all have their full
// width.
TEST(HardwareProfiles, OfTheCorpusServeEveryLaneOnceAndWithinTheBanks) {
  for (const std::string& name : session::hardware_names()) {
    const auto hardware =
        std::get<use::Hardware>(session::read_hardware(session::SourceText::option("--hardware", name)));
    for (const auto& [width, phases] : hardware.phases) {
      std::set<Index> lanes;
      for (const auto& phase : phases) {
        for (const Index lane : phase) EXPECT_TRUE(lanes.insert(lane).second) << name << ' ' << width;
        const Index bytes = static_cast<Index>(phase.size()) * std::max(width, hardware.bytes_per_bank);
        EXPECT_LE(bytes, hardware.banks * hardware.bytes_per_bank) << name << ' ' << width;
      }
      EXPECT_EQ(static_cast<Index>(lanes.size()), hardware.lanes) << name << ' ' << width;
    }
  }
}

TEST(HardwareProfiles, OfTheUserListThePhasesOrCountThem) {
  const auto profile = read(kTiny);
  ASSERT_TRUE(std::holds_alternative<use::Hardware>(profile)) << to_string(std::get<Diagnostic>(profile));
  const auto& hardware = std::get<use::Hardware>(profile);
  using Phases = std::vector<std::vector<Index>>;
  EXPECT_EQ(hardware.phases.at(4), (Phases{{0, 1, 2, 3}}));
  EXPECT_EQ(hardware.phases.at(8), (Phases{{0, 2}, {1, 3}}));
  EXPECT_TRUE(hardware.broadcasts);
  EXPECT_FALSE(hardware.matrices);
  EXPECT_TRUE(hardware.load_pairs.empty());
}

TEST(HardwareProfiles, OfTheUserMayJoinThePhasesOfLoads) {
  const auto profile = read(replaced(kTiny, "lanes = 4", "lanes = 4\nload_pairs = [2]"));
  ASSERT_TRUE(std::holds_alternative<use::Hardware>(profile)) << to_string(std::get<Diagnostic>(profile));
  EXPECT_EQ(std::get<use::Hardware>(profile).load_pairs, std::vector<Index>{2});
}

struct Reject {
  std::string name;
  std::string text;
  std::string says;
};

TEST(HardwareProfiles, ThatAreWrongSayWhere) {
  const std::vector<Reject> rejects = {
      {"no schema", replaced(kTiny, "schema = 1\n", ""), "expected schema = 1"},
      {"no name", replaced(kTiny, "name = \"tiny\"\n", ""), "the key 'name' is missing"},
      {"unknown key", replaced(kTiny, "lanes = 4", "lanes = 4\nlane = 4"), "unknown key 'lane'"},
      {"no banks", replaced(kTiny, "banks = 4\n", ""), "expected 'banks'"},
      {"banks of 0", replaced(kTiny, "banks = 4", "banks = 0"), "'banks' is 0; expected 1 to 1024"},
      {"huge lanes", replaced(kTiny, "lanes = 4", "lanes = 65"), "'lanes' is 65; expected 1 to 64"},
      {"a text for a number", replaced(kTiny, "banks = 4", "banks = \"4\""), "expected an integer for 'banks'"},
      {"a number for a flag", replaced(kTiny, "lanes = 4", "lanes = 4\nbroadcast = 1"), "expected true or false"},
      {"no phases", replaced(kTiny, "[phases]\n4 = 1\n8 = [[0, 2], [1, 3]]\n", ""), "expected a table [phases]"},
      {"empty phases", replaced(kTiny, "4 = 1\n8 = [[0, 2], [1, 3]]\n", ""), "at least one width"},
      {"a width that is no number", replaced(kTiny, "4 = 1", "wide = 1"),
       "expected a width of 1 to 64 bytes, found 'wide'"},
      {"phases that do not divide", replaced(kTiny, "4 = 1", "4 = 3"), "4 lanes are not 3 equal phases"},
      {"a lane twice", replaced(kTiny, "[1, 3]", "[1, 1]"), "every lane of 0 to 3 belongs to exactly one phase"},
      {"a lane that is none", replaced(kTiny, "[1, 3]", "[1, 4]"), "every lane of 0 to 3 belongs to exactly one phase"},
      {"pairs of two phases", replaced(kTiny, "lanes = 4", "lanes = 4\nload_pairs = [2, 1]"),
       "lanes at distance 1 are not in one phase"},
      {"a distance of 3", replaced(kTiny, "lanes = 4", "lanes = 4\nload_pairs = [3]"), "lanes at distance 3"},
      {"a distance of no lanes", replaced(kTiny, "lanes = 4", "lanes = 4\nload_pairs = [4]"), "lanes at distance 4"},
      {"a distance of 0", replaced(kTiny, "lanes = 4", "lanes = 4\nload_pairs = [0]"), "lanes at distance 0"},
      {"pairs that are no list", replaced(kTiny, "lanes = 4", "lanes = 4\nload_pairs = 2"), "load_pairs"},
      {"not TOML", "schema = = 1", "profile.toml:1:"},
      {"empty", "", "expected schema = 1"},
  };
  for (const Reject& reject : rejects) {
    const auto profile = read(reject.text);
    ASSERT_TRUE(std::holds_alternative<Diagnostic>(profile)) << reject.name;
    EXPECT_NE(to_string(std::get<Diagnostic>(profile)).find(reject.says), std::string::npos)
        << reject.name << '\n'
        << to_string(std::get<Diagnostic>(profile));
  }
}

// A case from elsewhere may name any file: what such a file says is in no message.
TEST(HardwareProfiles, ThatAreOtherFilesAreNotQuoted) {
  const test::Folder folder;
  for (const char* secret : {"TOKEN=swordfish", "token = \"swordfish\"\n", "swordfish = 1\n[phases]\nswordfish = 2\n",
                             "[schema]\nswordfish = 1\n", "schema = \"swordfish\"\n"}) {
    const std::string named = folder.file("named.toml", secret);
    const std::string cases = folder.file(
        "case.toml",
        fmt::format("schema = 1\n[[case]]\nid = \"a\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,64]\"\n"
                    "[[case.claim]]\nclaim = \"conflict-free\"\nhardware = \"{}\"\n"
                    "access = \"lanes=8 width=2 at=[lane, 0]\"\n",
                    named));
    const test::Ran ran = test::verify_layout({"check", cases});
    EXPECT_EQ(ran.code, 2) << secret;
    EXPECT_NE((ran.out + ran.err).find("expected schema = 1 and the other keys of a hardware profile"),
              std::string::npos)
        << ran.out << ran.err;
    EXPECT_EQ((ran.out + ran.err).find("swordfish"), std::string::npos) << ran.out << ran.err;
  }
}

TEST(HardwareProfiles, ThatDoNotExistNameThoseThatDo) {
  const auto unknown = session::read_hardware(session::SourceText::option("--hardware", "sm_9"));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(unknown));
  EXPECT_NE(std::get<Diagnostic>(unknown).message.find("sm_90"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(
      session::read_hardware(session::SourceText::option("--hardware", "no/such.toml"))));
}

}  // namespace cli_hardware_test
}  // namespace vl
