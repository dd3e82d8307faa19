// Texts given to check: what a scan finds does not depend on its blocks, and what check says of it.
#include <random>

#include "tests/cli/records.h"
#include "tests/support/scan.h"
#include "verifier/session/reading.h"

namespace vl {
namespace cli_scan_test {

using test::found_in;
using test::Lines;

const std::string kLog =
    "[12:00:01] start\n"
    "[12:00:02] buf0 = FixedTiledLayout('spyre:0', torch.float16, size=[5, 100, 150], stride=[15000, 150, 1], "
    "device_layout=" +
    kDoc +
    ")\n"
    "[12:00:03] layout S[(8, 4) : (4@laneid, 1)] + R[2 : 1@warpid]\n"
    "[12:00:04] layout S[(8, 4) : (4@laneid, 1)] + R[2 : 1@warpid] again, S[(8, 4) : (4@laneid, 1)] + R[2 : 1@warpid]\n"
    "[12:00:05] S[(4, 5) : (4, 3)]\n";

session::ScanOptions blocks_of(std::size_t size) {
  session::ScanOptions options;
  options.block = size;
  return options;
}

// Filler without layouts, with brackets.
std::string filler(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i)
    out += fmt::format("[12:00:{}] step({}) x[{}] of S[i] and R[j], Layout(\n", i % 60, i, i * 7);
  out.resize(size, '.');
  return out;
}

TEST(Scan, TheBlocksInWhichATextIsReadDoNotMatter) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += filler(static_cast<std::size_t>(5000 + i)) + "\n" + kLog;
  const Lines whole = found_in(text, blocks_of(text.size() + 1));
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_NE(whole[0].find(" x60 "), std::string::npos) << whole[0];
  EXPECT_NE(whole[1].find(" x180 "), std::string::npos) << whole[1];
  for (const std::size_t size : {std::size_t{13}, std::size_t{4095}, std::size_t{4096}, std::size_t{65535},
                                 std::size_t{65536}, std::size_t{65537}, std::size_t{100003}})
    EXPECT_EQ(found_in(text, blocks_of(size)), whole) << size;
}

// A layout at every distance from the end of a block, and of the part that is kept.
TEST(Scan, ALayoutIsFoundWhereverItIsCut) {
  const std::string layout = "T.TileLayout(T.S[(8, 4) :\n  (4@laneid, 1)] + 2@warpid)";
  for (std::size_t shift = 0; shift <= layout.size() + 16; ++shift) {
    const std::size_t front = 2 * use::kAhead - layout.size() - 8 + shift;
    const std::string dots(3 * use::kAhead, '.');
    const Lines found = found_in(dots.substr(0, front) + "\n" + layout + filler(500) + dots, blocks_of(use::kAhead));
    EXPECT_EQ(found, (Lines{"2:1 TileLayout(T.S[(8, 4) : (4@laneid, 1)] + 2@warpid) | u8[32]"})) << shift;
  }
}

TEST(Scan, CountsLinesAndColumnsInBytesFromTheStartOfTheFile) {
  const std::string text = filler(400'000) + "\n\xC3\xA4 S[8:1]\n";
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  EXPECT_EQ(found_in(text, blocks_of(1000)), (Lines{fmt::format("{}:4 S[8:1] | u8[8]", lines)}));
}

// Pieces of layouts, and signs that end or hide them, in any order.
TEST(Scan, RandomTextsGiveTheSameFindingsInEveryBlock) {
  const Words pieces = {"S[",
                        "(8, 4)",
                        " : ",
                        "(4@laneid, 1)",
                        "]",
                        " + ",
                        "R[2:4]",
                        "TileLayout(",
                        ")",
                        "SpyreTensorLayout(",
                        "[2, 64]",
                        "stride_map=[64, 1]",
                        "device_size=[2, 64]",
                        ", ",
                        "torch.float16",
                        "TensorArg(",
                        "parametrize(\"sizes,strides,device_size,stride_map\", [",
                        "([60], [1], [1, 64], [64, 1])",
                        "\n",
                        "# ",
                        "\"",
                        "'",
                        "\\",
                        "\x1b[1m",
                        "\x1b[",
                        "64 + ",
                        "device_layout:\n",
                        "  shape: [2, 64]\n",
                        "size=[128] ",
                        "...",
                        ";",
                        "FixedTiledLayout(",
                        "=",
                        "\r\n",
                        "{",
                        "}",
                        "\xE2\x80\xA6",
                        "[12:00:01] "};
  std::mt19937 random(7);
  std::size_t found = 0;
  for (int round = 0; round < 40; ++round) {
    std::string text;
    while (text.size() < 6000) {
      text += pieces[random() % pieces.size()];
      if (random() % 200 == 0) text += static_cast<char>(random() % 255 + 1);
      if (random() % 30 == 0) text += "TileLayout(S[(8, 4) : (4, 1)])";
    }
    if (round % 8 == 0) text = filler(150'000) + text + filler(70'000) + text;
    const auto whole = test::scanned(text, blocks_of(1 << 20));
    EXPECT_EQ(found_in(text, blocks_of(30'011)), test::lines_of(whole)) << text;
    for (const auto& item : whole.all) {
      const auto* sighting = std::get_if<session::Sighting>(&item);
      if (sighting != nullptr) static_cast<void>(session::read_unproved(sighting->request));
      ++found;
    }
  }
  EXPECT_GT(found, 150U);
}

// Each would take minutes if every opening were followed to its limit.
TEST(Scan, OpeningsThatNeverCloseCostLittle) {
  for (const std::string_view piece : {"S[",
                                       "TileLayout(",
                                       "SpyreTensorLayout(",
                                       "device_size=[1],",
                                       "device_size=[",
                                       "S['",
                                       "S[(",
                                       "S[\n",
                                       "S[# ",
                                       "((((",
                                       "parametrize(\"sizes,strides,device_size,stride_map\", [ # \n",
                                       "TileLayout(1",
                                       "size=[1] SpyreTensorLayout(",
                                       "\x1b[1m",
                                       "a.a.a.TileLayout(",
                                       "64 + S[",
                                       "S[(1,2):(2,1)] + ",
                                       "TensorArg(device_size=[1], \\\n",
                                       "tensor<",
                                       "#tt.metal_layout<",
                                       "#layout = #tt.metal_layout<",
                                       "tensor<\"",
                                       "tensor<#a, ",
                                       "#a = #b\n"}) {
    std::string text;
    while (text.size() < 60'000) text += piece;
    static_cast<void>(test::scanned(text));
  }
}

TEST(ScanCheck, JudgesEachLayoutOnceWhereItStands) {
  const Folder folder;
  const std::string log = folder.file("run.log", kLog);
  const Ran ran = verify_layout({"check", log, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 10) << ran.err;
  const Records run = records(ran.out);
  std::map<std::string, std::string> told;
  for (const Json& record : run.of("verdict")) {
    const std::string id = record.at("case").get<std::string>().substr(log.size());
    told[id] += fmt::format("{}={} ", record.at("claim").get<std::string>(), record.at("verdict").get<std::string>());
    EXPECT_EQ(record.at("file"), log);
    EXPECT_EQ(id, fmt::format(":{}:{}", record.at("line").dump(), id.substr(id.rfind(':') + 1)));
    if (id == ":3:19") {
      EXPECT_EQ(record.at("lines"), (Json{3, 4, 4}));
      EXPECT_EQ(record.at("occurrences"), 3);
    }
  }
  ASSERT_EQ(told.size(), 3U);
  EXPECT_NE(told[":2:120"].find("bijective=proved"), std::string::npos) << ran.out;
  EXPECT_NE(told[":3:19"].find("injective=proved"), std::string::npos);
  // S[(4, 5) : (4, 3)]: 3 steps of 4 and 4 steps of 3 are both 12.
  EXPECT_NE(told[":5:12"].find("injective=refuted"), std::string::npos);
  const Json& summary = run.all.back();
  EXPECT_EQ(summary.at("found"), 5);
  EXPECT_EQ(summary.at("skipped"), 0);
}

TEST(ScanCheck, WhatHasNoTensorIsSkippedAndDecidesTheExitCode) {
  const Folder folder;
  const std::string text = folder.file("a.py", "x = S[(8, 8) : (8, 1)]\ny = " + kDoc + "\n");
  const Ran ran = verify_layout({"check", text, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 5) << ran.err;
  const auto skipped = records(ran.out).of("skipped");
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].at("line"), 2);
  EXPECT_EQ(skipped[0].at("column"), 5);
  EXPECT_EQ(skipped[0].at("layout"), kDoc);
  EXPECT_EQ(records(ran.out).all.back().at("skipped"), 1);
  EXPECT_EQ(verify_layout({"check", text, "--allow-skipped"}).code, 0);
  EXPECT_EQ(verify_layout({"check", text, "--tensor", "f16[5,100,150]", "--family", "spyre"}).code, 0);
  EXPECT_EQ(verify_layout({"check", text, "--tensor", "f16[5,100,150]"}).code, 10);  // no tensor of S[(8, 8) : (8, 1)]
  EXPECT_EQ(verify_layout({"check", text, "--family", "tirx"}).code, 0);
}

TEST(ScanCheck, ATextWithoutLayoutsAndABinaryFileAreBadInput) {
  const Folder folder;
  const Ran none = verify_layout({"check", folder.file("a.txt", "nothing here\n")});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("no layout is found in"), std::string::npos) << none.err;
  const Ran binary = verify_layout({"check", folder.file("b.bin", std::string("S[8:1]\0", 7))});
  EXPECT_EQ(binary.code, 2);
  EXPECT_NE(binary.err.find("is a binary file"), std::string::npos) << binary.err;
}

TEST(ScanCheck, ReadsStandardInputAndBindsNames) {
  const std::string program = test::program("verify-layout");
  const auto piped = [&](const std::string& text, const std::string& options) {
    return test::run("/bin/sh", {"-c", fmt::format("printf '%s' '{}' | '{}' check - {}", text, program, options)});
  };
  EXPECT_EQ(piped("S[(BM, cfg.n) : (4, 1)]", "").code, 5);
  const Ran bound = piped("S[(BM, 4) : (4, 1)]", "--define BM=8 --format jsonl");
  EXPECT_EQ(bound.code, 0) << bound.err;
  EXPECT_EQ(records(bound.out).of("verdict").at(0).at("case"), "<stdin>:1:1");
  EXPECT_EQ(records(bound.out).of("verdict").at(0).at("layout"), "S[(8, 4) : (4, 1)]");
  const Ran claimed = piped("S[8:2]", "--claim onto --format jsonl");
  EXPECT_EQ(claimed.code, 10);
  EXPECT_EQ(answers(records(claimed.out)), "onto=refuted ");
  EXPECT_EQ(piped("S[8:1]", "--define BM=x").code, 2);
}

TEST(ScanCheck, ALayoutOnTheCommandLineMayStateItsTensor) {
  const Ran ran =
      verify_layout({"check", "--layout", "SpyreTensorLayout((5, 100, 150), torch.float16)", "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(answers(records(ran.out)).find("padding=21000"), std::string::npos);
  EXPECT_EQ(verify_layout({"check", "--layout", "S[8, 4]"}).code, 0);
  const Ran none = verify_layout({"check", "--layout", kDoc, "--format", "jsonl"});
  EXPECT_EQ(none.code, 5) << none.err;
  ASSERT_EQ(records(none.out).of("skipped").size(), 1U);
}

}  // namespace cli_scan_test
}  // namespace vl
