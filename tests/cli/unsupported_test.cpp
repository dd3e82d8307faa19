// A legal text of which nothing can be computed: every command says why, exits with 5, and prints no place.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_unsupported_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;
using Json = nlohmann::json;

struct Row {
  const char* layout;
  const char* tensor;
  const char* at;
  const char* known;  // another layout, of which everything is known
  const char* why;
};

// A name where a number stands, and an order of elements that no document gives.
constexpr Row kTexts[] = {
    {"S[(M,64):(64,1)]", "f16[8,64]", "3,5", "S[(8,64):(64,1)]", "'M' is a name"},
    {"SpyreTensorLayout(device_size=[4, 64], stride_map=[64, 1], device_dtype=SEN169_FP16, "
     "element_arrangement=QFP8CH)",
     "f16[256]", "3", "SpyreTensorLayout(device_size=[4, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)",
     "the element arrangement QFP8CH"},
};

Words with(Words words, const Row& row, const Words& more = {}) {
  words.insert(words.end(), {"--layout", row.layout, "--tensor", row.tensor});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Nothing on stdout, and the reason.
void expect_said(const Ran& ran, const Row& row) {
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("unsupported: ")) << ran.err;
  EXPECT_NE(ran.err.find(row.why), std::string::npos) << ran.err;
}

// One object that says nothing but the reason.
void expect_said_as_json(const Ran& ran, const Row& row) {
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  ASSERT_TRUE(Json::accept(ran.out)) << ran.out;
  const Json json = Json::parse(ran.out);
  ASSERT_EQ(json.size(), 1U) << ran.out;
  ASSERT_TRUE(json.contains("unsupported")) << ran.out;
  EXPECT_NE(json["unsupported"].get<std::string>().find(row.why), std::string::npos) << ran.out;
}

TEST(Unsupported, HasNoPlaceThatExplainCouldPrint) {
  for (const Row& row : kTexts) {
    for (const Words& more : {Words{}, Words{"--at", row.at}, Words{"--slot", "0"}}) {
      expect_said(verify_layout(with({"explain"}, row, more)), row);
      expect_said_as_json(verify_layout(with({"explain", "--format", "json"}, row, more)), row);
    }
  }
}

TEST(Unsupported, HasNoPictureAndNoNests) {
  for (const Row& row : kTexts)
    for (const std::string command : {"show", "nests"}) {
      expect_said(verify_layout(with({command}, row)), row);
      expect_said_as_json(verify_layout(with({command, "--format", "json"}, row)), row);
    }
}

TEST(Unsupported, IsNotExecuted) {
  const Folder folder;
  for (const Row& row : kTexts)
    for (const std::string verb : {"pack", "unpack", "map"}) {
      const Words files{"--in", folder.at("in.npy"), "--out", folder.at("out.npy")};
      expect_said(verify_layout(with({"exec", verb}, row, files)), row);
      EXPECT_TRUE(folder.content().empty());
    }
}

TEST(Unsupported, IsNoSideOfAMove) {
  const Folder folder;
  const Row& row = kTexts[1];
  for (const auto& [from, to] : {std::pair{row.known, row.layout}, {row.layout, row.known}}) {
    expect_said(verify_layout({"exec", "move", "--from", from, "--to", to, "--tensor", row.tensor, "--in",
                               folder.at("in.npy"), "--out", folder.at("out.npy")}),
                row);
    EXPECT_TRUE(folder.content().empty());
    expect_said(verify_layout({"nests", "--from", from, "--to", to, "--tensor", row.tensor}), row);
  }
}

TEST(Unsupported, IsNotConverted) {
  const Row& row = kTexts[1];  // of a family with more than one notation
  for (const std::string to : {"dim_map", "stride_map"}) {
    const Ran text = verify_layout(with({"convert", "--to", to}, row));
    EXPECT_EQ(text.code, 5) << text.out << text.err;
    EXPECT_NE(text.out.find(row.why), std::string::npos) << text.out;
    const Ran json = verify_layout(with({"convert", "--format", "json", "--to", to}, row));
    EXPECT_EQ(json.code, 5) << json.out;
    ASSERT_TRUE(Json::accept(json.out)) << json.out;
    EXPECT_EQ(Json::parse(json.out)["equal"], "unsupported");
    EXPECT_TRUE(Json::parse(json.out)["converted"].is_null());
  }
}

TEST(Unsupported, IsNotEqualToAnythingNotEvenToItself) {
  for (const Row& row : kTexts)
    for (const std::string second : {row.layout, row.known}) {
      const Ran ran = verify_layout(with({"equal", "--format", "jsonl", "--with", second}, row));
      EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
      EXPECT_NE(ran.out.find("\"verdict\":\"unsupported\""), std::string::npos) << ran.out;
      EXPECT_NE(ran.out.find("\"counterexample\":null"), std::string::npos) << ran.out;
    }
}

TEST(Unsupported, HasNoSwizzle) {
  const Row& row = kTexts[0];
  const Ran ran =
      verify_layout(with({"swizzle", "--hardware", "sm_90", "--access", "lanes=8 width=2 at=[lane,0]"}, row));
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_NE(ran.out.find(row.why), std::string::npos) << ran.out;
}

}  // namespace cli_unsupported_test
}  // namespace vl
