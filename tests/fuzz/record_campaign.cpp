// Records of campaigns: a range's file ends with a checksum, and its numbers agree with each other. Whatever was
// altered is refused, by a campaign that would go on from it and by --merge.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "oracle/fuzz/campaign.h"
#include "oracle/fuzz/data.h"
#include "tests/support/process.h"

namespace vl::test {
namespace fuzz_record_campaign {

using namespace oracle;

constexpr std::string_view kSeal = ",\"checksum\":\"";

CampaignOptions three_groups() {
  CampaignOptions out;
  out.family = "spyre";
  out.seed = 7;
  out.count = 3 * kGroup;
  return out;
}

// As if two kinds of mismatches had been found.
Record with_findings() {
  Record out = run_campaign(three_groups())->record;
  out.totals.mismatches = 3;
  out.totals.found = {{"plan/pack/2-3", {5, 2, "unit 0 of 1 is 00, not 01"}}, {"rows/move/1-1", {100, 1, "\"a\"\n"}}};
  return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// With a checksum that fits.
std::string sealed(const std::string& text) {
  const std::string body = text.substr(0, text.rfind(kSeal));
  return fmt::format("{}{}{:016x}\"}}\n", body, kSeal, hash_of(std::as_bytes(std::span(body))));
}

std::string refusal(const std::string& text) {
  const auto record = record_of(text);
  return record ? "accepted" : record.error().message;
}

TEST(Record, IsReadAsItWasWritten) {
  const Record nothing{"tirx", 7, 64, 64, {}};  // a range that has no cases, or was stopped before its first one
  for (const Record& record : {with_findings(), nothing}) {
    const auto again = record_of(to_text(record));
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(*again, record);
    EXPECT_EQ(sealed(to_text(record)), to_text(record));
  }
}

TEST(Record, IsRefusedWithAnyByteAltered) {
  const std::string text = to_text(with_findings());
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string altered = text;
    altered[at] = static_cast<char>(altered[at] ^ (1 << at % 8));
    if (record_of(altered)) ADD_FAILURE() << "accepted: " << altered;
    else ++refused;
  }
  EXPECT_GT(refused, 1000);
  for (const std::string& altered : {text + " ", text + text, " " + text, text.substr(0, text.size() - 1),
                                     replaced(text, ":", ": "), replaced(text, "{", "{\"more\":1,")})
    EXPECT_FALSE(record_of(altered)) << altered;
}

// Also with a checksum that fits.
TEST(Record, IsRefusedWithNumbersThatNoCampaignHas) {
  using Change = std::function<void(Record&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"range", [](Record& r) { ++r.totals.cases; }},
      {"range", [](Record& r) { ++r.to; }},
      {"range", [](Record& r) { r.from = 1; }},
      {"range", [](Record& r) { r.from = r.to, r.to = 0, r.totals.cases = 0 - r.totals.cases; }},
      {"verdicts", [](Record& r) { ++r.totals.proved; }},
      {"verdicts", [](Record& r) { --r.totals.refuted; }},
      {"verdicts", [](Record& r) { r.totals.unknown = UINT64_MAX; }},
      {"verdicts", [](Record& r) { r.totals.proved += r.totals.cases, r.totals.unknown = 0 - r.totals.cases; }},
      {"ranks", [](Record& r) { ++r.totals.counts[class_of("rank-2")]; }},
      {"digits", [](Record& r) { ++r.totals.counts[class_of("digits-2")]; }},
      {"verbs", [](Record& r) { ++r.totals.counts[class_of("pack-by-plan")]; }},
      {"hosts", [](Record& r) { ++r.totals.counts[class_of("view-refused")]; }},
      {"units", [](Record& r) { ++r.totals.counts[class_of("unit-8")]; }},
      {"patterns", [](Record& r) { ++r.totals.counts[class_of("nan")]; }},
      {"sizes", [](Record& r) { r.totals.counts[class_of("elements-64")] = UINT64_MAX; }},
      {"more often", [](Record& r) { r.totals.counts[class_of("streamed")] = r.totals.cases + 1; }},
      {"more often", [](Record& r) { r.totals.unplanned = r.totals.cases + 1; }},
      {"elements", [](Record& r) { r.totals.elements = UINT64_MAX; }},
      {"mismatches", [](Record& r) { ++r.totals.mismatches; }},
      {"mismatches", [](Record& r) { r.totals.found.clear(); }},
      {"outside", [](Record& r) { r.totals.found.begin()->second.first = r.to; }},
  };
  const Record right = with_findings();
  for (const auto& [word, change] : changes) {
    Record wrong = right;
    change(wrong);
    EXPECT_NE(refusal(to_text(wrong)).find(word), std::string::npos) << word << ": " << refusal(to_text(wrong));
  }
}

TEST(Record, IsRefusedWithNumbersThatAreNoCounts) {
  const std::string text = to_text(with_findings());
  for (const char* number : {"-1", "192.0", "1.92e2", "1e400", "18446744073709551616", "\"192\"", "true", "null", "[]"})
    EXPECT_NE(refusal(sealed(replaced(text, "\"cases\":192", fmt::format("\"cases\":{}", number)))).find("complete"),
              std::string::npos)
        << number;
  EXPECT_EQ(refusal(sealed(text)), "accepted");
  EXPECT_NE(refusal(replaced(text, "\"elements\":", "\"elements\":[[[[1]]]],\"elements\":")), "accepted");
}

// Nested values are passed over: 4 MB of them are 4 million levels.
TEST(Record, IsRefusedHoweverDeepItIs) {
  for (const char* opening : {"[", "{\"a\":", "{\"kind\":\"shard\",\"version\":4,\"checksum\":[["}) {
    std::string text;
    while (text.size() < 4'000'000) text += opening;
    EXPECT_NE(refusal(text).find("not a complete"), std::string::npos) << refusal(text);
  }
}

TEST(Record, OfManyElementsIsNotMergedWithAnOverflow) {
  Record one{"spyre", 7, 0, 64, {}}, two{"spyre", 7, 64, 128, {}};
  one.totals.elements = two.totals.elements = std::uint64_t{1} << 63;
  EXPECT_FALSE(merge({one, two}).has_value());
  two.totals.elements -= 1;
  EXPECT_TRUE(merge({one, two}).has_value());
}

// A campaign leaves such a file as it is, and says what to do.
TEST(Record, IsRefusedByACampaignAndByMerge) {
  const Folder folder;
  CampaignOptions options = three_groups();
  options.folder = folder.path();
  ASSERT_TRUE(run_campaign(options).has_value());
  const std::string path = folder.at(file_name(options));
  const std::string text = read_text(path);
  const auto verdicts = replaced(text, "\"unknown\":0", "\"unknown\":9");
  for (const auto& [altered, says] : std::vector<std::pair<std::string, std::string>>{
           {replaced(text, "\"seed\":7", "\"seed\":8"), "altered or damaged"},
           {verdicts, "altered or damaged"},
           {sealed(verdicts), "other verdicts than cases"},
           {text.substr(0, text.size() / 2), "not a complete shard file"},
           {text.substr(0, text.rfind(kSeal)) + "}\n",
            "no checksum, as an older version wrote it; delete it, or start"}}) {
    write_text(path, altered);
    for (const Ran& ran :
         {verify_layout({"fuzz", "--family", "spyre", "--seed", "7", "--count", "192", "--out", folder.path()}),
          verify_layout({"fuzz", "--merge", path})}) {
      EXPECT_EQ(ran.code, 2);
      EXPECT_EQ(ran.out, "");
      EXPECT_NE(ran.err.find(path), std::string::npos) << ran.err;
      EXPECT_NE(ran.err.find(says), std::string::npos) << ran.err;
    }
    EXPECT_EQ(folder.content(), (std::map<std::string, std::string>{{file_name(options), altered}}));
  }
  write_text(path, text);
  EXPECT_EQ(verify_layout({"fuzz", "--merge", path}).out, text);
}

}  // namespace fuzz_record_campaign
}  // namespace vl::test
