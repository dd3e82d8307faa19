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
  for (std::size_t i = 0; i < 24; ++i)
    text += filler(test::fact_or_campaign<std::size_t>(1500, 5000) + i) + "\n" + kLog;
  const Lines whole = found_in(text, blocks_of(text.size() + 1));
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_NE(whole[0].find(" x24 "), std::string::npos) << whole[0];
  EXPECT_NE(whole[1].find(" x72 "), std::string::npos) << whole[1];
  for (const unsigned size : {13U, 4095U, 4096U, 16383U, 16385U, 65535U, 65536U, 65537U, 100003U})
    EXPECT_EQ(found_in(text, blocks_of(size)), whole) << size;
}

// A layout at every distance from the end of a block, and of the part that is kept.
TEST(Scan, ALayoutIsFoundWhereverItIsCut) {
  const std::string layout = "T.TileLayout(T.S[(8, 4) :\n  (4@laneid, 1)] + 2@warpid)";
  for (std::size_t shift = 0; shift <= layout.size() + 16; shift += test::fact_or_campaign<std::size_t>(5, 1)) {
    const std::size_t front = 2 * use::kAhead - layout.size() - 8 + shift;
    const std::string dots(3 * use::kAhead, '.');
    const Lines found = found_in(dots.substr(0, front) + "\n" + layout + filler(500) + dots, blocks_of(use::kAhead));
    EXPECT_EQ(found, (Lines{"2:1 TileLayout(T.S[(8, 4) : (4@laneid, 1)] + 2@warpid) | u8[32]"})) << shift;
  }
}

TEST(Scan, CountsLinesAndColumnsInBytesFromTheStartOfTheFile) {
  const std::string text = filler(test::fact_or_campaign<std::size_t>(100'000, 400'000)) + "\n\xC3\xA4 S[8:1]\n";
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
  for (int round = 0; round < test::fact_or_campaign(9, 24); ++round) {
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
  EXPECT_GT(found, test::fact_or_campaign(30U, 90U));
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
    while (text.size() < test::fact_or_campaign(8'000U, 30'000U)) text += piece;
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

// Like lines 93 to 124 and 659 to 767 of mlc-ai/tirx-kernels, tirx_kernels/gemm_comm/allgather_gemm.py at f495258b.
const std::string kKernel =
    "NUM_CONSUMER = 2\n"
    "BLK_M, BLK_N, BLK_K = 128, 128, 64\n"
    "N_COLS = 8 * BLK_K\n"
    "def kernel(P):\n"
    "    A = T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(NUM_CONSUMER, BLK_M, BLK_K) : (BLK_M * BLK_K, BLK_K, 1)]))\n"
    "    t = T.decl_buffer((128, N_COLS), \"float32\", layout=TileLayout(T.S[(128, N_COLS) : (1@TLane, 1@TCol)]))\n"
    "    p = TileLayout(S[(P, BLK_K) : (BLK_K, 1)])\n";

TEST(ScanCheck, NamesHaveTheNumbersThatTheirFileBinds) {
  const Folder folder;
  const std::string file = folder.file("kernel.py", kKernel);
  const Ran ran = verify_layout({"check", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  std::map<std::string, Json> bound;
  for (const Json& record : records(ran.out).of("verdict"))
    bound[record.at("tensor").get<std::string>()] = record.at("bound");
  EXPECT_EQ(bound.at("u8[16384]"), (Json{{"NUM_CONSUMER", {{"value", 2}, {"line", 1}}},
                                         {"BLK_M", {{"value", 128}, {"line", 2}}},
                                         {"BLK_K", {{"value", 64}, {"line", 2}}}}));
  EXPECT_EQ(bound.at("f32[128,512]"), (Json{{"N_COLS", {{"value", 512}, {"line", 3}}}}));
  EXPECT_EQ(bound.at("u8[64*P]"), (Json{{"BLK_K", {{"value", 64}, {"line", 2}}}}));
  const Ran text = verify_layout({"check", file});
  EXPECT_NE(text.out.find("  N_COLS = 512 (line 3)\n"), std::string::npos) << text.out;
  const Ran defined = verify_layout({"check", file, "--define", "N_COLS=520", "--format", "jsonl"});
  EXPECT_EQ(defined.code, 10);  // TCol has 512 columns of 32 bits
  EXPECT_NE(defined.out.find("f32[128,520]"), std::string::npos) << defined.out;
}

TEST(Scan, NumbersOfTheFileDoNotDependOnBlocks) {
  std::string text = kKernel;
  text += "if wide:\n    A, B = 8, 64\nelse:\n    A, B = 4, 32\nx = S[(A, B) : (B, 1)]\n";
  const Lines whole = found_in(text);
  EXPECT_EQ(whole.size(), 5U);
  EXPECT_EQ(whole[3], "12:5 S[(8, 64) : (64, 1)] | u8[512]");
  EXPECT_EQ(whole[4], "12:5 S[(4, 32) : (32, 1)] | u8[128]");
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{70'000}})
    EXPECT_EQ(found_in(text, blocks_of(size)), whole) << size;
  // Names that are bound in other blocks than each other have no known choices; nor have more than eight of one.
  EXPECT_EQ(
      found_in("A = 1\nB = 2\nif a:\n    A = 3\nif b:\n    B = 4\nS[(A, B) : (B, 1)]\n"),
      (Lines{"7:1 S[(A, B) : (B, 1)] ! 'A' and 'B' have several numbers in this file, and which go together is not "
             "known"}));
  std::string many;
  for (int k = 1; k < 10; ++k) many += fmt::format("A = {}\nif a{}:\n    pass\n", k, k);
  EXPECT_EQ(found_in(many + "def f():\n    return S[(A, 2) : (2, 1)]\n"), (Lines{"29:12 S[(9, 2) : (2, 1)] | u8[18]"}));
  EXPECT_EQ(found_in("def f():\n    return S[(A, 2) : (2, 1)]\n" + many),
            (Lines{"2:12 S[(A, 2) : (2, 1)] ! 'A' has 9 numbers in this file; at most 8 are judged"}));
  // Of a file beyond 4 MiB no name has a number.
  EXPECT_EQ(found_in("A = 1\nS[(A, 2) : (2, 1)]\n" + std::string(std::size_t{4} << 20, '.')),
            (Lines{"2:1 S[(A, 2) : (2, 1)] | u8[2*A]"}));
}

TEST(Scan, AFunctionOfTheFileHidesTheOneThatIsKnown) {
  EXPECT_EQ(found_in("def tma_shared_layout(dtype, shape):\n    pass\nx = tma_shared_layout(f16, (64, 64))\n"
                     "y = T.tma_shared_layout(\"float16\", 3, (64, 256))\n"),
            (Lines{"3:5 tma_shared_layout(f16, (64, 64)) ! line 1 of the file itself says what 'tma_shared_layout' is",
                   "4:5 tma_shared_layout(\"float16\", 3, (64, 256)) | u8[16384]"}));
}

TEST(ScanCheck, CountsWhatIsSeenAndNotReadByReason) {
  const Folder folder;
  const std::string text = folder.file(
      "a.py",
      "a = cute.make_layout((1, 1))\nb = cute.make_layout((self.bM, 2))\nc = cute.make_layout((self.bM, 2))\n"
      "d = cute.tile_to_shape(b, c, (0, 1))\n# (4,3):(16,9) is a ratio, make_layout(x) no code\n");
  const Ran ran = verify_layout({"check", text, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  const auto unread = records(ran.out).of("unread");
  ASSERT_EQ(unread.size(), 2U) << ran.out;
  EXPECT_EQ(unread[0].at("file"), text);
  EXPECT_EQ(unread[0].at("lines"), (Json{2, 3}));
  EXPECT_EQ(unread[0].at("column"), 5);
  EXPECT_EQ(unread[0].at("text"), "cute.make_layout((self.bM, 2))");
  EXPECT_EQ(unread[0].at("reason"), "'self.bM' is a name, and nothing binds it to a number");
  const Json summary = records(ran.out).all.back();
  EXPECT_EQ(summary.at("found"), 4);
  EXPECT_EQ(summary.at("unread"), 3);
  EXPECT_EQ(summary.at("unread_by"), (Json{{"`tile_to_shape`", 1}, {"with names that nothing binds", 2}}));
  const Ran words = verify_layout({"check", text});
  EXPECT_NE(words.out.find("4 layout expressions seen, 1 read, 2 with names that nothing binds, 1 `tile_to_shape`\n"),
            std::string::npos)
      << words.out;
  EXPECT_EQ(verify_layout({"check", text, "--allow-skipped"}).code, 0);
  EXPECT_EQ(
      verify_layout({"check", text, "--family", "cute", "--format", "jsonl"}).out.find("u8[4,3]") == std::string::npos,
      false);
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
