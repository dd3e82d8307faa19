// show of layouts on named axes: banks if the axis is memory, owners if the axes are threads. The drawings are written
// by hand; cells of the JSON form are compared with formulas in this file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

#include "encodings/base/integer.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_show_banks_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

Ran show(const std::string& layout, const std::string& tensor, const Words& more = {}) {
  Words words{"show", "--layout", layout, "--tensor", tensor};
  words.insert(words.end(), more.begin(), more.end());
  return verify_layout(words);
}

std::string drawing(const std::string& layout, const std::string& tensor, Words more = {}) {
  more.insert(more.end(), {"--width", "80"});
  const Ran ran = show(layout, tensor, more);
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::size_t blank = ran.out.find("\n\n");
  return blank == std::string::npos ? ran.out : ran.out.substr(blank + 2);
}

TEST(ShowBanks, DrawsTheLinesOfATileWithAndWithoutSwizzle) {
  EXPECT_EQ(drawing("S[(8,64):(64,1)]", "f16[8,64]", {"--lines", "2"}),
            "bank grid, a cell says: element\n"
            "byte \\ bank  0..7    8..15    16..23   24..31\n"
            "          0  0,0..15 0,16..31 0,32..47 0,48..63\n"
            "        128  1,0..15 1,16..31 1,32..47 1,48..63\n"
            "… 6 lines\n");
  // In row i the chunk c of 8 elements stands at c ^ i.
  EXPECT_EQ(drawing("ComposeLayout(3, 3, 3, S[(8,64):(64,1)])", "f16[8,64]", {"--lines", "3"}),
            "bank grid, a cell says: element\n"
            "byte \\ bank  0..3     4..7     8..11    12..15\n"
            "          0  0,0..7   0,8..15  0,16..23 0,24..31\n"
            "        128  1,8..15  1,0..7   1,24..31 1,16..23\n"
            "        256  2,16..23 2,24..31 2,0..7   2,8..15\n"
            "… 5 lines\n\n"
            "byte \\ bank  16..19   20..23   24..27   28..31\n"
            "          0  0,32..39 0,40..47 0,48..55 0,56..63\n"
            "        128  1,40..47 1,32..39 1,56..63 1,48..55\n"
            "        256  2,48..55 2,56..63 2,32..39 2,40..47\n"
            "… 5 lines\n");
}

TEST(ShowBanks, DrawsElementsOfEverySize) {
  EXPECT_EQ(drawing("S[4:1]", "f64[4]"),
            "bank grid, a cell says: element\nbyte \\ bank  0 1 2 3 4 5 6 7 8..31\n          0  0 0 1 1 2 2 3 3 ·\n");
  EXPECT_EQ(drawing("S[12:1]", "i4[12]"),
            "bank grid, a cell says: element\nbyte \\ bank  0    1     2..31\n          0  0..7 8..11 ·\n");
  EXPECT_EQ(drawing("S[5:3]", "i8[5]"),  // elements at bytes 0, 3, 6, 9, 12
            "bank grid, a cell says: element\nbyte \\ bank  0    1 2 3 4..31\n          0  0..1 2 3 4 ·\n");
  EXPECT_EQ(drawing("S[2:1]", "f32[2]", {"--hardware", "gfx950"}),
            "bank grid, a cell says: element\nbyte \\ bank  0 1 2..63\n          0  0 1 ·\n");
}

TEST(ShowBanks, DrawsReplicasSharedWordsMarksAndWhatLeavesTheBox) {
  EXPECT_EQ(drawing("S[2:1] + R[2:3]", "f32[2]"),
            "bank grid, a cell says: element\nbyte \\ bank  0 1 2 3 4 5..31\n          0  0 1 · 0 1 ·\n");
  EXPECT_EQ(
      drawing("S[(2,2):(1,1)]", "f32[2,2]", {"--at", "1,1"}),
      "bank grid, a cell says: element\nbyte \\ bank  0   1       2     3..31\n          0  0,0 0,1|1,0 <1,1> ·\n");
  const Ran outside = show("ComposeLayout(0, 1, 1, S[3:1])", "f32[3]");  // 2 -> 3, and the box is 3
  EXPECT_NE(outside.out.find("\n          0  0 1 · (2) ·\n"), std::string::npos) << outside.out;
  EXPECT_NE(outside.out.find("note: not in-bounds: element [2]"), std::string::npos);
  const Ran negative = show("S[3:-1]", "f32[3]");
  EXPECT_NE(negative.out.find("-128  · ·     (2) (1)\n          0  0 ·     ·   ·\n"), std::string::npos)
      << negative.out;
  EXPECT_NE(negative.out.find("note: 2 places at negative addresses"), std::string::npos);
}

TEST(ShowBanks, SaysWhatAColumnOfEightRowsCosts) {
  const Words column{"--access", "lanes=8 width=16 at=[lane, 0]", "--hardware", "sm_90"};
  const std::string plain = drawing("S[(8,64):(64,1)]", "f16[8,64]", column);
  EXPECT_NE(plain.find("byte \\ bank  0..3 4..31\n          0  0!   ·\n        128  1!   ·\n        256  2!   ·\n      "
                       "  384  3!   ·\n        512  4!   ·\n        640  5!   ·\n"
                       "        768  6!   ·\n        896  7!   ·\n\naccess lanes=8 width=16 at=[lane, 0] on sm_90\n8 "
                       "wavefronts, ideal 1: 7 "
                       "conflicts\n"
                       "phase 0: lanes 0..7, 8 wavefronts\n  bank 0..3: 8 words each, lanes 0..7 !\n"),
            std::string::npos)
      << plain;
  const std::string swizzled = drawing("ComposeLayout(3, 3, 3, S[(8,64):(64,1)])", "f16[8,64]", column);
  EXPECT_NE(swizzled.find("1 wavefront, ideal 1: conflict-free\nphase 0: lanes 0..7, 1 wavefront\n  bank 0..31: 1 word "
                          "each, lanes 0..7\n"),
            std::string::npos)
      << swizzled;
  EXPECT_EQ(swizzled.find('!', swizzled.find("byte", swizzled.find("lane grid"))), std::string::npos);
}

// 32 rows of 128 bytes under the 128-byte swizzle: rows i and i + 8 meet, so 4 lanes a bank, in banks 0, 4, 8, …
TEST(ShowBanks, DrawsTheLanesOfEachBankAndTheCostliestInstance) {
  const Ran ran = show("ComposeLayout(3, 3, 3, S[(32,64):(64,1)])", "f16[32,64]",
                       {"--access", "lanes=32 width=2 at=[lane, j] for j=2:64", "--format", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json access = Json::parse(ran.out)["access"];
  EXPECT_EQ(access["wavefronts"], 4);
  EXPECT_EQ(access["ideal"], 1);
  EXPECT_EQ(access["instance"], "j=2, the costliest of 62");
  ASSERT_EQ(access["phases"].size(), 1U);
  const Json& banks = access["phases"][0]["banks"];
  ASSERT_EQ(banks.size(), 8U);
  for (Index i = 0; i < 8; ++i) {
    // Column 2 is in word 1 of its chunk of 4 words.
    EXPECT_EQ(banks[static_cast<std::size_t>(i)]["bank"], 4 * i + 1);
    EXPECT_EQ(banks[static_cast<std::size_t>(i)]["lanes"], (std::vector<Index>{i, i + 8, i + 16, i + 24}));
    EXPECT_EQ(banks[static_cast<std::size_t>(i)]["cost"], 4);
  }
}

TEST(ShowBanks, CountsBroadcastsPhasesAndPredicatedLanesAsTheHardwareDoes) {
  const auto cost = [](const char* access) {
    const Ran ran = show("S[(8,64):(64,1)]", "f32[8,64]", {"--access", access, "--format", "json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Json use = Json::parse(ran.out)["access"];
    return std::pair{use["wavefronts"].get<Index>(), use["ideal"].get<Index>()};
  };
  EXPECT_EQ(cost("lanes=32 width=4 at=[0, 5]"), (std::pair<Index, Index>{1, 1}));       // one word for all
  EXPECT_EQ(cost("lanes=32 width=4 at=[0, lane*2]"), (std::pair<Index, Index>{2, 1}));  // lanes n and n + 16
  EXPECT_EQ(cost("lanes=32 width=4 at=[0, lane*2] when lane < 16"), (std::pair<Index, Index>{1, 1}));
  EXPECT_EQ(cost("lanes=32 width=8 at=[0, lane*2]"), (std::pair<Index, Index>{2, 2}));  // two phases of 16 lanes
  EXPECT_EQ(cost("lanes=16 width=16 at=[0, lane*4]"),
            (std::pair<Index, Index>{2, 2}));  // two phases of 8, two have no lane
}

// The place of each element in the picture: words of the bank grid, by element.
std::map<Point, std::set<Index>> words_of(const Json& grid) {
  std::map<Point, std::set<Index>> out;
  for (const Json& row : grid["rows"]) {
    if (row["cells"].empty()) continue;
    const Index line = std::stoll(row["header"].get<std::string>()) / 128;
    Index word = line * 32;
    for (const Json& cell : row["cells"]) {
      for (const Json& element : cell["holds"]) EXPECT_TRUE(out[element.get<Point>()].insert(word).second);
      ++word;
    }
  }
  return out;
}

struct Banked {
  const char* layout;
  const char* tensor;
  Index rows;
  Index columns;
  Index bits;
  std::function<std::vector<Index>(Index, Index)> m;  // of each replica
};

const std::vector<Banked>& banked() {
  static const std::vector<Banked> all{
      {"S[(8,64):(64,1)]", "f16[8,64]", 8, 64, 16, [](Index i, Index j) { return std::vector{64 * i + j}; }},
      {"S[(8,64):(1,8)]", "f16[8,64]", 8, 64, 16, [](Index i, Index j) { return std::vector{i + 8 * j}; }},
      {"S[(6,10):(11,1)] + 3", "f32[6,10]", 6, 10, 32, [](Index i, Index j) { return std::vector{11 * i + j + 3}; }},
      {"S[(6,10):(10,1)] + R[3:100]", "f64[6,10]", 6, 10, 64,
       [](Index i, Index j) {
         return std::vector{10 * i + j, 10 * i + j + 100, 10 * i + j + 200};
       }},
      {"ComposeLayout(3, 3, 3, S[(16,64):(64,1)])", "f16[16,64]", 16, 64, 16,
       [](Index i, Index j) { return std::vector{64 * i + 8 * ((j / 8) ^ (i % 8)) + j % 8}; }},
      {"ComposeLayout(0, 3, 3, S[(8,8):(8,1)], swizzle_inner=False)", "i8[8,8]", 8, 8, 8,
       [](Index i, Index j) { return std::vector{8 * (i ^ j) + j}; }}};
  return all;
}

TEST(ShowBanks, PutsEveryReplicaOfEveryElementInItsWordsOnceAndColoursItByItsBank) {
  std::size_t cells = 0;
  for (const Banked& one : banked()) {
    const Ran ran = show(one.layout, one.tensor, {"--format", "json", "--lines", "1000"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json json = Json::parse(ran.out);
    std::map<Point, std::set<Index>> want;
    for (Index i = 0; i < one.rows; ++i)
      for (Index j = 0; j < one.columns; ++j)
        for (const Index m : one.m(i, j))
          for (Index word = m * one.bits / 32; word <= (m * one.bits + one.bits - 1) / 32; ++word)
            want[{i, j}].insert(word);
    EXPECT_EQ(words_of(json["grids"][1]), want) << one.layout;
    const Json& rows = json["grids"][0]["rows"];
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(one.rows));
    for (Index i = 0; i < one.rows; ++i)
      for (Index j = 0; j < one.columns; ++j, ++cells) {
        const Json& cell = rows[static_cast<std::size_t>(i)]["cells"][static_cast<std::size_t>(j)];
        std::vector<Point> places;
        for (const Index m : one.m(i, j)) places.push_back({m});
        EXPECT_EQ(cell["holds"], places) << one.layout;
        if (places.size() == 1) {
          EXPECT_EQ(cell["text"], fmt::format("{}", *want[{i, j}].begin() % 32));
        }
      }
  }
  EXPECT_GT(cells, 2000U);
}

TEST(ShowBanks, DrawsAWindowOfALayoutThatIsTooLargeToPlace) {
  const std::string out = drawing("ComposeLayout(3, 3, 3, S[(1048576,1048576):(1048576,1)])", "f16[1048576,1048576]",
                                  {"--lines", "1", "--at", "5,100"});
  // m = 5·2^20 + 100, swizzled by bits 6..8 (100/64 = 1): chunk 4 -> 4 ^ 1 = 5. Word (m & ~63) / 2 + 5·4 + 2 is
  // bank 22.
  EXPECT_NE(out.find("10485888  "), std::string::npos) << out;  // (5·2^20 + 64) · 2 bytes
  EXPECT_NE(out.find("<5,100..101>"), std::string::npos) << out;
  EXPECT_NE(out.find("22"), std::string::npos);
  EXPECT_LT(out.size(), 4000U);
}

TEST(ShowOwners, DrawsWhichLaneAndRegisterHoldsEachElement) {
  EXPECT_EQ(drawing("S[(4,2):(1@laneid,1)]", "f16[4,2]"),
            "logical grid, a cell says: laneid,m\n"
            "x0  0   1\n"
            "0   0,0 0,1\n"
            "1   1,0 1,1\n"
            "2   2,0 2,1\n"
            "3   3,0 3,1\n");
  EXPECT_EQ(drawing("S[(2,2):(1@laneid,1)] + R[2:4@warpid] + 5@warpid", "f16[2,2]", {"--at", "1,0"}),
            "logical grid, a cell says: laneid,m,warpid\n"
            "x0  0           1\n"
            "0   0,0,{5,9}   0,1,{5,9}\n"
            "1   <1,0,{5,9}> 1,1,{5,9}\n");
}

// The document's example: element (i, j) is in lane 4i + (j mod 8) / 2, warps 5 + j / 8 and 4 more, register j mod 2.
TEST(ShowOwners, HasEveryPlaceOfEveryElementInBothGrids) {
  const Ran ran = show("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid", "f16[8,16]",
                       {"--format", "json", "--lines", "1000"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json json = Json::parse(ran.out);
  std::map<Point, Point> held;  // (laneid, warpid, m) -> element
  for (const Json& row : json["grids"][1]["rows"]) {
    ASSERT_EQ(row["cells"].size(), 2U);
    const std::string header = row["header"];
    const std::size_t comma = header.find(',');
    for (Index m = 0; m < 2; ++m) {
      const Json& holds = row["cells"][static_cast<std::size_t>(m)]["holds"];
      ASSERT_EQ(holds.size(), 1U);
      held[{std::stoll(header), std::stoll(header.substr(comma + 1)), m}] = holds[0].get<Point>();
    }
  }
  EXPECT_EQ(held.size(), 8U * 16U * 2U);
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 16; ++j) {
      const Index warp = 5 + j / 8;
      const Index lane = 4 * i + j % 8 / 2;
      EXPECT_EQ(json["grids"][0]["rows"][static_cast<std::size_t>(i)]["cells"][static_cast<std::size_t>(j)]["holds"],
                (std::vector<Point>{{lane, warp, j % 2}, {lane, warp + 4, j % 2}}));
      EXPECT_EQ((held[{lane, warp, j % 2}]), (Point{i, j}));
      EXPECT_EQ((held[{lane, warp + 4, j % 2}]), (Point{i, j}));
    }
}

TEST(ShowImages, HaveOneCellForEachElementAndEachSlot) {
  struct Row {
    const char* layout;
    const char* tensor;
    Words more;
    std::size_t cells;
  };
  const Words column{"--access", "lanes=8 width=16 at=[lane, 0]"};
  const std::vector<Row> rows{
      {"S[(8,64):(64,1)]", "f16[8,64]", {}, 512 + 8 * 32},
      {"S[(8,64):(64,1)]", "f16[8,64]", column, 512 + 8 * 32 + 8 * 32},  // the lanes once more
      {"S[(8,64):(64,1)]", "f16[8,64]", {"--lines", "2"}, 128 + 2 * 32},
      {"S[(4,2):(1@laneid,1)]", "f16[4,2]", {}, 8 + 8},
      {"SpyreTensorLayout(device_size=[2, 2, 4], stride_map=[4, 6, 1], device_dtype=SEN169_FP16)",
       "f16[2,6]",
       {},
       12 + 16}};
  for (const Row& row : rows)
    for (const char* format : {"svg", "html"}) {
      Words more = row.more;
      more.insert(more.end(), {"--format", format});
      const Ran ran = show(row.layout, row.tensor, more);
      if (row.more == Words{"--lines", "2"} && *format == 'h') {  // the page to explore has all lines
        EXPECT_EQ(ran.code, 2);
        continue;
      }
      ASSERT_EQ(ran.code, 0) << ran.err;
      pugi::xml_document document;
      ASSERT_TRUE(document.load_string(ran.out.c_str(), pugi::parse_full)) << row.layout;
      // A page draws only the lanes of an access; the rest is its script's.
      const std::size_t cells = *format == 's' || !row.more.empty() ? row.cells : 0;
      EXPECT_EQ(document.select_nodes("//g[contains(@class,'cell')]").size(), cells) << row.layout;
    }
}

// The 8 lanes of a column touch 8 elements and 4 words in each of 8 lines; all of them conflict, or none.
TEST(ShowImages, MarkConflictsInEveryGrid) {
  const auto conflicts = [](const char* layout) {
    pugi::xml_document document;
    const Ran ran = show(layout, "f16[8,64]", {"--access", "lanes=8 width=16 at=[lane, 0]", "--format", "svg"});
    EXPECT_TRUE(document.load_string(ran.out.c_str()));
    return document.select_nodes("//g[@class='cell conflict']").size();
  };
  EXPECT_EQ(conflicts("S[(8,64):(64,1)]"), 64U + 32U + 32U);
  EXPECT_EQ(conflicts("ComposeLayout(3, 3, 3, S[(8,64):(64,1)])"), 0U);
}

TEST(ShowBanks, RefusesWhatItCannotDraw) {
  const auto refused = [](const Ran& ran, int code, const char* said) {
    EXPECT_EQ(ran.code, code);
    EXPECT_TRUE(ran.out.empty()) << ran.out;
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
  };
  refused(show("S[(n,4):(4,1)]", "f16[8,4]"), 5, "unsupported: 'n' is a name");
  refused(show("S[8:1]", "f32[8]", {"--hardware", "no_such_chip"}), 2, "--hardware:1:1");
  refused(show("S[8:1]", "f32[8]", {"--access", "lanes=8 width=4 at=[lane"}), 2, "--access:1:");
  refused(show("S[8:1]", "f32[8]", {"--access", "lanes=32 width=4 at=[lane]"}), 2, "--access:1:1");
  refused(show("S[8:1@laneid]", "f32[8]", {"--access", "lanes=8 width=4 at=[lane]"}), 2, "--access:1:1");
  refused(show("S[8:1]", "f32[8]", {"--at", "8"}), 2, "--at:1:1");
  refused(show("S[8:1]", "f32[8]", {"--format", "png"}), 64, "--format");
  refused(show("SpyreTensorLayout(device_size=[2, 2, 4], stride_map=[4, 6, 1], device_dtype=SEN169_FP16)", "f16[2,6]",
               {"--access", "lanes=2 width=2 at=[lane, 0]"}),
          2, "only axis is memory");
}

}  // namespace cli_show_banks_test
}  // namespace vl
