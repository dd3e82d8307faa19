// check of hosts whose strides have names: a pitch P between rows. What is expected comes from walking over small sizes
// here: a row of sticks takes P slots of the host, and a slot is found by dividing by the weights, largest first.
#include <set>

#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"
#include "verifier/checker/check.h"

namespace vl {
namespace cli_all_sizes_views_test {

const char* const kPitched = "SpyreTensorLayout((M, N), (P, 1), torch.float16, [0, 1])";

std::vector<Json> verdicts_of(Words words, int code) {
  words.insert(words.begin(), {"check", "--format", "jsonl"});
  const Ran ran = verify_layout(words);
  EXPECT_EQ(ran.code, code) << ran.out << ran.err;
  return records(ran.out).of("verdict");
}

// Whether each element of M rows of N, P apart, has a slot of its own in ceil(N/64) sticks of each of M rows.
bool one_to_one(long rows, long columns, long pitch) {
  struct Level {
    long weight, extent;
  };
  std::vector<Level> levels = {{64, (columns + 63) / 64}, {pitch, rows}, {1, 64}};
  std::erase_if(levels, [](const Level& level) { return level.extent == 1; });
  std::ranges::stable_sort(levels, [](const Level& a, const Level& b) { return a.weight > b.weight; });
  std::set<std::vector<long>> slots;
  for (long row = 0; row < rows; ++row)
    for (long column = 0; column < columns; ++column) {
      long rest = row * pitch + column;
      std::vector<long> slot;
      for (const Level& level : levels) {
        slot.push_back(rest / level.weight);
        if (slot.back() >= level.extent) return false;
        rest %= level.weight;
      }
      if (rest != 0 || !slots.insert(slot).second) return false;
    }
  return true;
}

TEST(AllSizesViews, APitchThatIsLongEnoughIsProved) {
  for (const long columns : {1, 2, 63, 64, 65, 130})
    for (const long rows : {1, 2, 3})
      for (const long more : {0, 1, 2, 63, 64})
        ASSERT_TRUE(one_to_one(rows, columns, columns + more)) << rows << " " << columns << " " << more;
  const auto found = verdicts_of({"--tensor", "f16[M,N]", "--strides", "P,1", "--layout", kPitched, "--where", "P >= N",
                                  "--claim", "in-bounds", "--claim", "bijective", "--claim", "padding"},
                                 0);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].at("verdict"), "proved");
  EXPECT_EQ(found[2].at("value_expression"), "-M*N + 64*M*ceil(N/64)");
}

TEST(AllSizesViews, AShortPitchIsRefutedAtItsSmallestSizes) {
  ASSERT_TRUE(one_to_one(1, 2, 1));
  ASSERT_TRUE(one_to_one(2, 1, 1));
  ASSERT_FALSE(one_to_one(2, 2, 1));
  const auto found =
      verdicts_of({"--tensor", "f16[M,N]", "--strides", "P,1", "--layout", kPitched, "--claim", "bijective"}, 10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("counterexample").at("sizes").dump(), R"({"M":2,"N":2,"P":1})");
}

// The host's offset moves no slot; a view that begins one stick behind the start of the device's memory ends behind it.
TEST(AllSizesViews, OffsetsOfTheHostChangeNothing) {
  const Words words = {"--tensor", "f16[M,N]", "--strides", "P,1",     "--layout",
                       kPitched,   "--where",  "P >= N",    "--claim", "bijective"};
  Words host = words, device = words;
  host.insert(host.end(), {"--offset", "256"});
  device.insert(device.end(), {"--view-offset", "64"});
  EXPECT_EQ(verdicts_of(host, 0).at(0).at("verdict"), "proved");
  EXPECT_EQ(verdicts_of(device, 10).at(0).at("verdict"), "refuted");
}

constexpr const char* kAllocation =
    "SpyreTensorLayout(device_size=[2, Q, 64], stride_map=[64, 128, 1], device_dtype=DataFormats.SEN169_FP16)";

// Rows T to T + R - 1 of f16[Q,128], by the greedy digits of 128·(T + x0) + x1: the box has Q rows.
TEST(AllSizesViews, RowsOfAnAllocationFitWhereItHasThem) {
  const Words words = {"--tensor",  "f16[R,128]",    "--strides", "128,1",   "--layout",
                       kAllocation, "--view-offset", "128*T",     "--claim", "bijective"};
  for (long rows = 1; rows < 4; ++rows)
    for (long begin = 1; begin < 4; ++begin)
      for (long all = 2; all < 8; ++all) {
        bool inside = true;
        for (long x = 0; x < rows * 128; ++x) inside = inside && (128 * begin + x) / 128 < all;
        Words at = words;
        at.insert(at.end(), {"--at-sizes", fmt::format("R={},T={},Q={}", rows, begin, all)});
        EXPECT_EQ(verdicts_of(at, inside ? 0 : 10).at(0).at("verdict"), inside ? "proved" : "refuted");
        EXPECT_EQ(inside, begin + rows <= all);
      }
  const Json refuted = verdicts_of(words, 10).at(0);
  EXPECT_EQ(refuted.at("exact"), true);
  EXPECT_EQ(refuted.at("holds").dump(), R"([["Q >= 2","Q >= R + T"]])");
  Words fits = words;
  fits.insert(fits.end(), {"--where", "T + R <= Q"});
  EXPECT_EQ(verdicts_of(fits, 0).at(0).at("certificate"), "checked");
}

TEST(AllSizesViews, ACaseFileHasThemToo) {
  const Folder folder;
  const std::string text = fmt::format(
      "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"{}\"\ntensor = \"f16[M,N]\"\nstrides = [\"P\", 1]\nwhere = \"P >= "
      "N\"\nexpect = {{ bijective = \"proved\" }}\n",
      kPitched);
  EXPECT_EQ(verdicts_of({folder.file("a.toml", text)}, 0).at(0).at("as_expected"), true);
}

TEST(AllSizesViews, OneInstanceHasNumbersForStrides) {
  const auto found = verdicts_of({"--tensor", "f16[M,N]", "--strides", "P,1", "--layout", kPitched, "--at-sizes",
                                  "M=2,N=2,P=1", "--claim", "injective"},
                                 10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("scope"), "instance");
  EXPECT_EQ(found[0].at("counterexample").at("a").dump(), "[0,1]");
  EXPECT_EQ(found[0].at("counterexample").at("b").dump(), "[1,0]");
}

// The instance's strides are numbers, and its certificate says these.
TEST(AllSizesViews, TheCertificateOfARefutedInstanceIsReadAgain) {
  const Folder folder;
  verdicts_of({"--tensor", "f16[M,N]", "--strides", "P,1", "--layout", kPitched, "--claim", "injective",
               "--certificates", folder.at("c")},
              10);
  const Ran ran = verify_layout({"cert", folder.at("c/refuted/layout.0-injective.json")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

// One of so many remainders is one more condition, and not so many cases for each number that is printed.
TEST(AllSizesViews, ARemainderByALargeNumberEnds) {
  const Ran ran = verify_layout({"check", "--layout",
                                 "SpyreTensorLayout(device_size=[ceil(K/64), Q, 64], stride_map=[64, K, 1], "
                                 "device_dtype=DataFormats.SEN169_FP16)",
                                 "--tensor", "f16[R,V]", "--strides", "K,1", "--view-offset", "K*T + S", "--where",
                                 "S + V <= K, T + R <= Q, K % 97 == 5", "--claim", "in-bounds"});
  EXPECT_TRUE(ran.code == 0 || ran.code == 5) << ran.code << ran.out << ran.err;  // it is true: proved, or open
}

// Of no element the whole box is padding. Of -1 rows there is no tensor, at no size.
TEST(AllSizesViews, PaddingOfNoElementIsTheBoxAndOfFewerIsNothing) {
  const Folder folder;
  const auto found = verdicts_of(
      {"--tensor", "f16[0,M]", "--layout",
       "SpyreTensorLayout(device_size=[3, 5, 64], stride_map=[64, M, 1], device_dtype=DataFormats.SEN169_FP16)",
       "--claim", "padding", "--certificates", folder.at("c")},
      0);
  EXPECT_EQ(found.at(0).at("value_expression"), "960");
  const auto right = checker::certificate_in(test::read_text(folder.at("c/layout.0-padding.json")));
  ASSERT_TRUE(right.has_value());
  EXPECT_EQ(checker::check(*right), std::nullopt);
  checker::Certificate wrong = *right;
  wrong.statement.rule->logical[0].number = -1;  // 960 - (-1)·M
  wrong.statement.value_expression = checker::ExpressionText{"+", 0, {{{}, 960}, {"M", 0}}};
  wrong.digest = checker::digest(wrong.statement);
  EXPECT_NE(checker::check(wrong).value_or("").find("below 0"), std::string::npos)
      << checker::check(wrong).value_or("accepted");
}

// Rows T to T + R - 1, columns S to S + V - 1 of Q rows of K: in bounds iff the window ends with the allocation or
// before, whatever sticks it begins and ends in. Number K·t + s is row t, and lane s mod E of stick s div E.
TEST(AllSizesViews, WindowsBeginAnywhereInAStick) {
  for (const std::string lanes : {"8", "64", "128"})
    for (const std::string offset : {"K*T + S", "K*T + 3 + S", "K*T + 2*S"})
      for (const int over : {-1, 0, 1}) {
        const std::string first = offset.substr(offset.find('+') + 2);
        const Words words{"--layout",
                          "SpyreTensorLayout(device_size=[ceil(K/" + lanes + "), Q, " + lanes + "], stride_map=[" +
                              lanes + ", K, 1], device_dtype=DataFormats.SEN169_FP16)",
                          "--tensor",
                          "f16[R,V]",
                          "--strides",
                          "K,1",
                          "--view-offset",
                          offset,
                          "--where",
                          first + " + V <= K + " + std::to_string(over + 1) + " - 1, T + R <= Q",
                          "--claim",
                          "in-bounds"};
        const auto found = verdicts_of(words, over > 0 ? 10 : 0);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].at("verdict"), over > 0 ? "refuted" : "proved") << offset << " " << over << found[0].dump();
      }
}

// In sticks of 8 rows of 11, columns 6 to 9 lie in lanes 6 and 7 of stick 0, and 0 and 1 of stick 1; a box of one
// stick a row has no place for the last two.
TEST(AllSizesViews, AWindowThatCarriesNeedsTheNextStick) {
  const auto of = [](const std::string& sticks, int code) {
    return verdicts_of({"--layout",
                        "SpyreTensorLayout(device_size=[" + sticks +
                            ", Q, 8], stride_map=[8, 11, 1], device_dtype=DataFormats.SEN169_FP16)",
                        "--tensor", "f16[Q,V]", "--strides", "11,1", "--view-offset", "S", "--where",
                        "S >= 6, S <= 7, V <= 4, Q >= 2", "--claim", "in-bounds"},
                       code)
        .at(0);
  };
  EXPECT_EQ(of("2", 0).at("verdict"), "proved");
  const Json no = of("1", 10);
  EXPECT_EQ(no.at("counterexample").at("sizes"), (Json{{"Q", 2}, {"V", 2}, {"S", 7}})) << no.dump();
}

// Of a layout whose family reads no view, a certificate states none in its texts.
TEST(AllSizesViews, ACertificateIsNotOfAViewThatNobodyReads) {
  const Folder folder;
  verdicts_of(
      {"--tensor", "f16[M,N]", "--layout", "S[(M,N):(N,1)]", "--claim", "in-bounds", "--certificates", folder.at("c")},
      0);
  const std::string path = folder.at("c/layout.0-in-bounds.json");
  EXPECT_EQ(verify_layout({"cert", path}).code, 0);
  const auto right = checker::certificate_in(test::read_text(path));
  ASSERT_TRUE(right.has_value());
  for (const auto& [key, text] : std::vector<std::pair<std::string, std::string>>{
           {"offset", "5"}, {"view_offset", "64"}, {"view_offset", "T"}, {"strides", "N, 2"}}) {
    checker::Certificate wrong = *right;
    wrong.statement.arguments.emplace();
    (*wrong.statement.arguments)[key] = text;
    wrong.digest = checker::digest(wrong.statement);
    test::write_text(path, checker::print(wrong, false));
    EXPECT_NE(verify_layout({"cert", path}).code, 0) << key << " " << text;
  }
}

TEST(AllSizesViews, OtherCommandsDoNotReadThem) {
  const Ran ran = verify_layout({"explain", "--tensor", "f16[3,4]", "--strides", "P,1", "--layout",
                                 "SpyreTensorLayout((3, 4), torch.float16)", "--at", "0,0"});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("has names for strides: check answers for all sizes"), std::string::npos) << ran.err;
}

TEST(AllSizesViews, WhatIsNoListOfStridesIsBadInput) {
  const struct {
    Words words;
    const char* error;
  } rows[] = {
      {{"check", "--tensor", "f16[M,N]", "--strides", "P", "--layout", kPitched},
       "--strides:1:1: 1 strides for 2 sizes"},
      {{"check", "--tensor", "f16[M,N]", "--strides", "P,", "--layout", kPitched}, "--strides:1:"},
      {{"check", "--tensor", "f16[M,N]", "--strides", "P,1", "--layout",
        "SpyreTensorLayout((M, N), (P, 1), torch.float16)"},
       "dim_order is missing"},
  };
  for (const auto& row : rows) {
    const Ran ran = verify_layout(row.words);
    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(row.error), std::string::npos) << row.error << "\n" << ran.err;
  }
}

}  // namespace cli_all_sizes_views_test
}  // namespace vl
