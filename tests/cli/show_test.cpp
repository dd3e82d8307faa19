// show as a program. The drawings are written by hand; every cell of the JSON form is compared with the family's second
// meaning, which uses no maps, and the drawings in text have the same cells.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "encodings/use/reference.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_show_test {

using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

std::string raw(const std::string& device_size, const std::string& stride_map) {
  return fmt::format("SpyreTensorLayout(device_size=[{}], stride_map=[{}], device_dtype=SEN169_FP16)", device_size,
                     stride_map);
}

Ran show(const std::string& layout, const std::string& tensor, const Words& more = {}) {
  Words words{"show", "--layout", layout, "--tensor", tensor};
  words.insert(words.end(), more.begin(), more.end());
  return verify_layout(words);
}

struct Drawing {
  const char* name;
  std::string layout;
  std::string tensor;
  Words more;
  std::string drawing;  // behind the blank line
};

void PrintTo(const Drawing& row, std::ostream* out) { *out << row.name; }

class ShowTable : public testing::TestWithParam<Drawing> {};

TEST_P(ShowTable, DrawsWhatWasDrawnByHand) {
  const Drawing& row = GetParam();
  const Ran ran = show(row.layout, row.tensor, row.more);
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::size_t blank = ran.out.find("\n\n");
  ASSERT_NE(blank, std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.substr(blank + 2), row.drawing);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ShowTable,
    testing::Values(
        Drawing{"TwoSticksARow",
                raw("2, 2, 4", "4, 6, 1"),
                "f16[2,6]",
                {"--width", "80"},
                "[d0,d1] byte\n"
                "[0,0]      0  0,0 0,1 0,2 0,3\n"
                "[0,1]      8  1,0 1,1 1,2 1,3\n"
                "[1,0]     16  0,4 0,5 ·   ·\n"
                "[1,1]     24  1,4 1,5 ·   ·\n"},
        Drawing{"RunsWhereCellsDoNotFit",
                raw("2, 2, 4", "4, 6, 1"),
                "f16[2,6]",
                {"--width", "25", "--at", "1,4"},
                "[d0,d1] byte\n"
                "[0,0]      0  [0,0..3]\n"
                "[0,1]      8  [1,0..3]\n"
                "[1,0]     16  [0,4..5]\n"
                "              ·×2\n"
                "[1,1]     24  <1,4> [1,5]\n"  // 14 + 5 + 1 + 5 = 25
                "              ·×2\n"},
        Drawing{"Columns",
                raw("1, 3, 4", "12, 1, 3"),
                "f16[2,3]",
                {"--width", "80"},
                "[d0,d1] byte\n"
                "[0,0]      0  0,0 1,0 ·   ·\n"
                "[0,1]      8  0,1 1,1 ·   ·\n"
                "[0,2]     16  0,2 1,2 ·   ·\n"},
        Drawing{"Folded",
                raw("2, 4", "4, 1"),
                "f16[2,3]",
                {"--width", "80"},
                "[d0] byte\n"
                "[0]     0  0,0 0,1 0,2 1,0\n"
                "[1]     8  1,1 1,2 ·   ·\n"},
        Drawing{"Replicated",
                raw("1, 2, 4", "4, 0, 1"),
                "f16[3]",
                {"--width", "80"},
                "[d0,d1] byte\n"
                "[0,0]      0  0 1 2 ·\n"
                "[0,1]      8  0 1 2 ·\n"},
        Drawing{"ReplicatedAlongTheStick",
                raw("3, 64", "1, 0"),
                "f16[3]",
                {"--width", "80"},
                "[d0] byte\n"
                "[0]     0  [0]×64\n"
                "[1]   128  [1]×64\n"
                "[2]   256  [2]×64\n"},
        Drawing{"Sparse",
                "SpyreTensorLayout((2,), (1,), torch.float16, [0, -1])",
                "f16[2]",
                {"--width", "80"},
                "[d0,d1] byte\n"
                "[0,0]      0  [0] ·×63\n"
                "[0,1]    128  [1] ·×63\n"},
        Drawing{"Scalar",
                "SpyreTensorLayout((), torch.float16)",
                "f16[]",
                {"--width", "80"},
                "[d0] byte\n"
                "[0]     0  [] ·×63\n"},
        Drawing{"NoSlot", "SpyreTensorLayout((0, 64), torch.float16)", "f16[0,64]", {}, "the device box has no slot\n"},
        Drawing{"NoElement",
                raw("2, 4", "4, 1"),
                "f16[0]",
                {"--width", "80"},
                "[d0] byte\n"
                "[0]     0  · · · ·\n"
                "[1]     8  · · · ·\n"},
        Drawing{"SharedSlots",
                raw("1, 4", "4, 1"),
                "f16[2,3]",
                {"--width", "80", "--strides", "1,1"},
                "[d0] byte\n"
                "[0]     0  0,0     0,1|1,0 0,2|1,1 1,2\n"},
        // 150 elements are 3 sticks, the last with 22; d0 = x1, d1 = x2/64, d2 = x0. 100 x 10 full, 100 x 5 ragged.
        Drawing{"FewSticksOfMany",
                "SpyreTensorLayout((5, 100, 150), torch.float16)",
                "f16[5,100,150]",
                {"--width", "80", "--sticks", "4"},
                "[d0,d1,d2]   byte\n"
                "[0,0,0]         0  [0,0,0..63]\n"
                "… 9 sticks: 9 full\n"
                "[0,2,0]      1280  [0,0,128..149] ·×42\n"
                "… 4 sticks: 4 ragged\n"
                "[1,0,0]      1920  [0,1,0..63]\n"
                "… 1483 sticks: 989 full, 494 ragged\n"
                "[99,2,4]   191872  [4,99,128..149] ·×42\n"},
        // 1.5e9 sticks: 1024 of them are looked at, half at either end. The marked one is drawn all the same:
        // d0 = 70000, d1 = 1, d2 = 3 is stick (70000·3 + 1)·5000 + 3, times 128 bytes.
        Drawing{"AMarkInAVeryLargeLayout",
                "SpyreTensorLayout((5000, 100000, 150), torch.float16)",
                "f16[5000,100000,150]",
                {"--width", "80", "--sticks", "3", "--at", "3,70000,70"},
                "[d0,d1,d2]             byte\n"
                "[0,0,0]                   0  [0,0,0..63]\n"
                "… 1050005002 sticks: 511 full, 1050004491 not looked at\n"
                "[70000,1,3]    134400640384  [3,70000,64..69] <3,70000,70> [3,70000,71..127]\n"
                "… 449994995 sticks: 511 ragged, 449994484 not looked at\n"
                "[99999,2,4999] 191999999872  [4999,99999,128..149] ·×42\n"}),
    [](const testing::TestParamInfo<Drawing>& row) { return std::string(row.param.name); });

struct Asked {
  std::string layout;
  std::string tensor;
};

const std::vector<Asked>& layouts() {
  static const std::vector<Asked> all{
      {raw("2, 3, 4", "4, 7, 1"), "f16[3,7]"},
      {raw("2, 12, 1, 2, 4", "15, 3, 1, 30, 1"), "f16[9,3]"},
      {raw("3, 2, 2, 4", "6, 0, 3, 1"), "f16[5,3]"},
      {raw("1, 3, 8", "24, 1, 3"), "f16[5,3]"},
      {raw("2, 5, 4", "0, 3, 1"), "f16[5,3]"},
      {"SpyreTensorLayout((3, 70), torch.float16)", "f16[3,70]"},
      {"SpyreTensorLayout(device_size=[2, 3, 4], dim_map=[1, 0, 1], device_dtype=SEN169_FP16)", "f16[3,7]"}};
  return all;
}

// Slots of each element, by the reference of the family.
std::map<Point, std::vector<Point>> truth_of(const Asked& asked) {
  const auto tensor = map::parse_tensor(asked.tensor);
  const auto references = use::references();
  const auto found = std::ranges::find(references, "spyre", [](const use::Reference* r) { return r->family; });
  auto slots = (*found)->slots(asked.layout, *tensor);
  std::map<Point, std::vector<Point>> out;
  EXPECT_TRUE(slots.has_value());
  for (Index a = 0; slots && a < tensor->size[0]; ++a)
    for (Index b = 0; b < tensor->size[1]; ++b) out[{a, b}] = (*slots)(Point{a, b});
  return out;
}

TEST(Show, PutsEveryElementInExactlyItsSlots) {
  std::size_t cells = 0;
  for (const Asked& asked : layouts()) {
    const Ran ran = show(asked.layout, asked.tensor, {"--format", "json", "--sticks", "65536"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json json = Json::parse(ran.out);
    EXPECT_TRUE(json["left_out"].empty());
    std::map<Point, std::vector<Point>> drawn;
    Index number = 0;
    for (const Json& stick : json["sticks"]) {
      EXPECT_EQ(stick["stick"], number++);
      Point slot = stick["at"].get<Point>();
      slot.push_back(0);
      for (const Json& cell : stick["cells"]) {
        for (const Json& element : cell) drawn[element.get<Point>()].push_back(slot);
        cells += cell.size();
        ++slot.back();
      }
      EXPECT_EQ(slot.back(), json["physical"].back());
    }
    auto truth = truth_of(asked);
    std::erase_if(truth, [](const auto& entry) { return entry.second.empty(); });
    EXPECT_EQ(drawn, truth) << asked.layout;
  }
  EXPECT_GT(cells, 300U);
}

// The elements of a drawn line, runs written out; "" for padding.
Words spelled_out(const std::string& line) {
  Words out;
  const std::regex piece(R"((?:·|\[?([0-9,.]+)\]?)(?:×(\d+))?)");
  for (std::sregex_iterator it(line.begin(), line.end(), piece), end; it != end; ++it) {
    const std::string text = (*it)[1];
    const int times = (*it)[2].matched ? std::stoi((*it)[2]) : 1;
    std::smatch run;
    if (std::regex_match(text, run, std::regex(R"((.*?)(\d+)\.\.(\d+)(.*))"))) {
      for (int i = std::stoi(run[2]); i <= std::stoi(run[3]); ++i)
        out.push_back(run[1].str() + std::to_string(i) + run[4].str());
    } else {
      out.insert(out.end(), static_cast<std::size_t>(times), text);
    }
  }
  return out;
}

TEST(Show, DrawsTheSameCellsAtEveryWidth) {
  std::size_t compared = 0;
  for (const Asked& asked : layouts()) {
    const Json json = Json::parse(show(asked.layout, asked.tensor, {"--format", "json", "--sticks", "1000"}).out);
    Words want;
    for (const Json& stick : json["sticks"])
      for (const Json& cell : stick["cells"]) {
        want.push_back(cell.empty() ? "" : fmt::format("{}", fmt::join(cell[0].get<Point>(), ",")));
        ASSERT_LE(cell.size(), 1U);
      }
    for (const char* width : {"20", "60", "100000"}) {
      const Ran ran = show(asked.layout, asked.tensor, {"--width", width, "--sticks", "1000"});
      std::istringstream lines(ran.out.substr(ran.out.find("byte\n") + 5));
      Words drawn;
      for (std::string line; std::getline(lines, line);) {
        const std::string cells = std::regex_replace(line, std::regex(R"(^(\[[0-9,]*\])? +\d* {2})"), "");
        const Words part = spelled_out(cells);
        drawn.insert(drawn.end(), part.begin(), part.end());
      }
      EXPECT_EQ(drawn, want) << ran.out;
      compared += drawn.size();
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(Show, HasNotesOnWhatThePictureDoesNotShow) {
  EXPECT_NE(show(raw("1, 2, 4", "4, 6, 1"), "f16[2,6]").out.find("note: not in-bounds: element [0, 4] has no slot"),
            std::string::npos);
  EXPECT_NE(show(raw("1, 2, 4", "4, 6, 1"), "f16[2,6]", {"--at", "1,5"}).out.find("note: element [1, 5] has no slot"),
            std::string::npos);
  EXPECT_NE(show(raw("1, 4", "4, 1"), "f16[2,3]", {"--strides", "1,1"}).out.find("note: not injective: "),
            std::string::npos);
  EXPECT_EQ(show(raw("2, 2, 4", "4, 6, 1"), "f16[2,6]").out.find("note:"), std::string::npos);
}

TEST(Show, RefusesWhatItCannotDraw) {
  const auto refused = [](const Ran& ran, int code, const char* said) {
    EXPECT_EQ(ran.code, code);
    EXPECT_TRUE(ran.out.empty()) << ran.out;
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
  };
  const std::string good = raw("2, 2, 4", "4, 6, 1");
  refused(show("nonsense", "f16[2,6]"), 2, "no family recognises");
  refused(show(good, "f16[2"), 2, "--tensor:1:6");
  refused(show(good, "f16[2,6]", {"--at", "2,0"}), 2, "--at:1:1: [2, 0] is not a point");
  refused(show(good, "f16[2,6]", {"--at", "x"}), 2, "--at:1:1");
  refused(show(good, "f16[2,6]", {"--sticks", "0"}), 64, "--sticks");
  refused(show(good, "f16[2,6]", {"--width", "3"}), 64, "--width");
  refused(show(good, "f16[2,6]", {"--format", "junit"}), 64, "--format");
  refused(show(raw("2, 5000", "5000, 1"), "f16[2,6]"), 2, "a stick of 5000 slots");
  refused(show(raw("40000, 64", "64, 1"), "f16[1000,1000]", {"--strides", "1,1"}), 2, "no way back");
  refused(show("SpyreTensorLayout(device_size=[4, 64], stride_map=[64, 1], device_dtype=SEN169_FP16, "
               "element_arrangement=QFP8CH)",
               "f16[256]"),
          5, "unsupported: the element arrangement QFP8CH");
}

}  // namespace cli_show_test
}  // namespace vl
