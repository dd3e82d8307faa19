// The page to explore: its frame and its data. What its script makes of them is tried in a browser by explorer.py.
#include "verifier/report/explorer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "encodings/use/family.h"
#include "verifier/session/reading.h"

namespace vl::report {
namespace report_explorer_test {

using Json = nlohmann::json;

session::TensorReading read(const std::string& layout, const std::string& tensor) {
  session::CaseRequest request;
  request.layout = session::SourceText::option("--layout", layout);
  request.tensor = session::SourceText::option("--tensor", tensor);
  auto read = session::read_unproved(request);
  EXPECT_TRUE(std::holds_alternative<session::TensorReading>(read)) << layout;
  return std::get<session::TensorReading>(std::move(read));
}

ExploredSide side(const session::TensorReading& of, const std::string& text) {
  return {of.reading.layout(), text, "f16[5,100,150]", of.reading.device_bits};
}

const char* const kSticks =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";

TEST(Explorer, HoldsTheMapAndNotTheElements) {
  const auto sticks = read(kSticks, "f16[5,100,150]");
  Explored explored{{side(sticks, kSticks)}};
  explored.marks = {{"a", {0, 5, 0}, false}, {"physical", {0, 0, 1, 0}, true}};
  explored.at = Point{2, 7, 40};
  const std::string page = explorer_to_html(explored);
  EXPECT_LT(page.size(), 300'000U);  // of 75000 elements
  EXPECT_EQ(page.rfind("<!DOCTYPE html>\n<html lang=\"en\">", 0), 0U);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(page.c_str(), pugi::parse_full));
  const Json data = Json::parse(document.select_node("//script[@id='layout']").node().child_value());
  const Json& one = data["sides"][0];
  EXPECT_EQ(one["bits"], 16);
  EXPECT_EQ(one["logical"]["extents"], Json::array({5, 100, 150}));
  EXPECT_EQ(one["physical"]["names"], Json::array({"d0", "d1", "d2", "d3"}));
  ASSERT_EQ(one["map"].size(), 3U);
  EXPECT_EQ(one["map"][0]["rows"][0]["terms"], Json::parse("[[0,15000],[1,150],[2,1]]"));
  EXPECT_EQ(one["map"][1]["weights"], Json::array({15000, 150, 64, 1}));
  EXPECT_FALSE(one["decode"].is_null());
  EXPECT_EQ(data["marks"], Json::parse(R"([{"name":"a","element":[0,5,0]},{"name":"physical","slot":[0,0,1,0]}])"));
  EXPECT_EQ(data["at"], Json::array({2, 7, 40}));
}

TEST(Explorer, AsksNothingOfTheNetwork) {
  const auto sticks = read(kSticks, "f16[5,100,150]");
  const std::string page = explorer_to_html({{side(sticks, kSticks), side(sticks, kSticks)}});
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* word : {"http:", "https:", "src=", "import ", "fetch(", "url("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(page.c_str(), pugi::parse_full | pugi::parse_ws_pcdata));
  EXPECT_EQ(document.select_nodes("//div[@role='grid' and @tabindex='0']").size(), 2U);
  // An element that is empty and not a void one would swallow what follows in a reader of HTML.
  for (const auto& found : document.select_nodes("//body//*[not(self::input)]"))
    EXPECT_TRUE(found.node().first_child()) << found.node().name();
}

TEST(Explorer, EscapesEveryText) {
  const auto rows = read("S[(8,64):(64,1)]", "u8[8,64]");
  const std::string hostile = "</script><script>alert(1)</script>&\"']]>\x01\xff";
  Explored explored{{side(rows, hostile)}};
  explored.notes = {hostile};
  explored.verdicts = hostile;
  pugi::xml_document document;
  const std::string page = explorer_to_html(explored);
  ASSERT_TRUE(document.load_string(page.c_str(), pugi::parse_full));
  EXPECT_EQ(document.select_nodes("//script").size(), 2U);
  EXPECT_EQ(page.find("alert(1)</script>&"), std::string::npos);
  EXPECT_EQ(std::string(document.select_node("//li").node().child_value()).rfind("</script><script>alert(1)", 0), 0U);
}

TEST(Explorer, SaysWhichNumbersItCannotHold) {
  EXPECT_TRUE(can_explore(*read("S[1024:1]", "u8[1024]").reading.layout()));
  EXPECT_FALSE(can_explore(*read("S[4:4503599627370496]", "u8[4]").reading.layout()));  // 3 x 2^52
}

}  // namespace report_explorer_test
}  // namespace vl::report
