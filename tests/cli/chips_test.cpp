// Chips: the compiled ones, addresses worked by hand, a user's own file, and a table of rejects.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cli/records.h"
#include "tests/support/process.h"
#include "verifier/session/chips.h"

namespace vl {
namespace cli_chips_test {

const std::string kTiny =
    "schema = 1\nchip = \"tiny\"\nrows = [1]\ncolumns = [2, 4]\nl1 = 64\ndram = 128\ndram_banks = 3\n"
    "[alignment]\nl1 = [4, 4]\ndram = [8, 4]\npcie = [8, 8]\n";

std::variant<use::Chip, Diagnostic> read(const std::string& text) {
  const test::Folder folder;
  return session::read_chip(session::SourceText::option("--chip", folder.file("chip.toml", text)));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(Chips, OfTheCorpusAreKnownByName) {
  for (const auto& [name, cores, l1] : {std::tuple("wormhole", 64U, 1499136), std::tuple("blackhole", 130U, 1572864)}) {
    const auto chip = session::read_chip(session::SourceText::option("--chip", name));
    ASSERT_TRUE(std::holds_alternative<use::Chip>(chip)) << to_string(std::get<Diagnostic>(chip));
    const use::Chip& known = std::get<use::Chip>(chip);
    EXPECT_EQ(known.name, name);
    EXPECT_EQ(known.rows.size() * known.columns.size(), cores);
    EXPECT_EQ(known.l1, l1);
    EXPECT_GT(known.of_dram.read, known.of_dram.write);
  }
  const auto tiny = read(kTiny);
  ASSERT_TRUE(std::holds_alternative<use::Chip>(tiny));
  EXPECT_EQ(std::get<use::Chip>(tiny).columns, (std::vector<Index>{2, 4}));
  EXPECT_EQ(std::get<use::Chip>(tiny).of_pcie.write, 8);
}

// By hand: x 18 = 0x12 in bits 36 to 41, y 19 = 0x13 in bits 42 to 47: 0x13·64 + 0x12 = 0x4d2.
TEST(Chips, AddressesHaveXAboveTheByteAndYAboveX) {
  EXPECT_EQ(use::network_address(19, 18, 0x404), 0x4d2000000404);
  EXPECT_EQ(use::network_address(0, 0, 5), 5);
  EXPECT_EQ(use::network_address(63, 63, (Index{1} << 36) - 1), (Index{1} << 48) - 1);
}

TEST(Chips, ThatAreWrongSayWhere) {
  const std::array<std::array<std::string, 3>, 11> rejects = {{
      {"no schema", replaced(kTiny, "schema = 1\n", ""), "expected schema = 1"},
      {"unknown key", replaced(kTiny, "l1 = 64", "l1 = 64\nl2 = 1"), "unknown key 'l2'"},
      {"no rows", replaced(kTiny, "rows = [1]\n", ""), "expected 'rows'"},
      {"a row that is none", replaced(kTiny, "rows = [1]", "rows = [64]"), "each from 0 to 63"},
      {"no columns", replaced(kTiny, "[2, 4]", "[]"), "expected 'columns'"},
      {"no memory", replaced(kTiny, "l1 = 64\n", ""), "expected 'l1' in a chip"},
      {"a huge memory", replaced(kTiny, "l1 = 64\n", "l1 = 68719476737\n"), "'l1' is 68719476737"},
      {"one alignment", replaced(kTiny, "[8, 4]", "[8]"), "expected 'dram = [32, 16]'"},
      {"an alignment of 0", replaced(kTiny, "[8, 4]", "[0, 4]"), "expected 'dram = [32, 16]'"},
      {"no alignment", kTiny.substr(0, kTiny.find("[alignment]")), "expected a table [alignment]"},
      {"no TOML", "rows = = 1", "chip.toml:1:"},
  }};
  for (const auto& [name, text, says] : rejects) {
    const auto chip = read(text);
    ASSERT_TRUE(std::holds_alternative<Diagnostic>(chip)) << name;
    EXPECT_NE(to_string(std::get<Diagnostic>(chip)).find(says), std::string::npos)
        << name << '\n'
        << to_string(std::get<Diagnostic>(chip));
  }
  const auto unknown = session::read_chip(session::SourceText::option("--chip", "wormhol"));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(unknown));
  EXPECT_NE(std::get<Diagnostic>(unknown).message.find("did you mean 'wormhole'"), std::string::npos);
}

TEST(Chips, GiveClaimsTheirBytes) {
  const std::string layout =
      "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<8x32xbf16, #tt.memory_space<l1>>>";
  const auto ask = [&](const std::string& claim) {
    return test::verify_layout({"check", "--layout", layout, "--tensor", "bf16[8,32]", "--claim", claim});
  };
  EXPECT_EQ(ask("fits=wormhole").code, 0);
  EXPECT_EQ(ask("fits=blackhole dram").code, 0);
  EXPECT_EQ(ask("fits=511").code, 10);
  for (const char* wrong : {"fits=wormhole pcie", "fits=worm", "fits=wormhole dram read now", "fits="})
    EXPECT_EQ(ask(wrong).code, 2) << wrong;
}

// Tiles of 32x32 bf16 take 2048 bytes. A bank of Wormhole's DRAM has 2^30 bytes, and an L1 1,499,136: 732 tiles.
TEST(Chips, GiveTheMemoryThatALayoutNames) {
  const auto fits = [](const std::string& shard, const std::string& memory, const std::string& tensor) {
    const std::string layout = fmt::format(
        "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<{}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<{}>>, "
        "<{}>>",
        shard, memory.substr(0, memory.find(' ')), memory.substr(memory.find(' ') + 1));
    const Ran ran = test::verify_layout(
        {"check", "--layout", layout, "--tensor", tensor, "--claim", "fits=wormhole", "--format", "jsonl"});
    return records(ran.out).of("verdict").at(0).at("verdict").get<std::string>();
  };
  EXPECT_EQ(fits("1x732", "l1 height_sharded", "bf16[32,23424]"), "proved");
  EXPECT_EQ(fits("1x733", "l1 height_sharded", "bf16[32,23456]"), "refuted");
  EXPECT_EQ(fits("512x1024", "dram height_sharded", "bf16[16384,32768]"), "proved");
  EXPECT_EQ(fits("513x1024", "dram height_sharded", "bf16[16416,32768]"), "refuted");
  EXPECT_EQ(fits("512x1024", "dram interleaved", "bf16[16384,32768]"), "proved") << "one bank has room for all";
  EXPECT_EQ(fits("513x1024", "dram interleaved", "bf16[16416,32768]"), "unsupported") << "12 banks have room";
}

}  // namespace cli_chips_test
}  // namespace vl
