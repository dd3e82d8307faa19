// Verdicts and places through the C interface: what the command says of the same layout, and errors with their places.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "oracle/c/verify_layout.h"

namespace vl {
namespace c_check_test {

using nlohmann::json;

struct Judged {
  int status = VL_BUG;
  std::string why;
  std::unique_ptr<vl_report, void (*)(vl_report*)> report{nullptr, vl_report_free};

  [[nodiscard]] std::string written(int format, std::int64_t verdict = -1) const {
    std::string text(vl_report_write(report.get(), format, verdict, nullptr, 0) + 1, '?');
    vl_report_write(report.get(), format, verdict, text.data(), text.size());
    text.pop_back();
    return text;
  }
  [[nodiscard]] json record(std::size_t k) const { return json::parse(written(VL_JSON))["results"][k]; }
};

vl_check_request about(const char* layout, const char* tensor) {
  vl_check_request request{};
  request.size = sizeof request;
  request.layout = layout;
  request.tensor = tensor;
  return request;
}

Judged judge(const vl_check_request& request) {
  Judged out;
  char why[512] = "untouched";
  vl_report* report = nullptr;
  out.status = vl_check(&request, &report, why, sizeof why);
  out.why = why;
  out.report.reset(report);
  return out;
}

// Two rows of three, padded to four: slots 0 1 2 4 5 6 of 8, so one of the seven slots up to the last is not hit.
TEST(Check, AsksTheClaimsThatAreGiven) {
  vl_check_request request = about("S[(2,3):(4,1)]", "u8[2,3]");
  const char* claims[] = {"injective", "onto", "equal=S[(2,3):(4,1)]"};
  request.claims = claims;
  request.claim_count = 3;
  const Judged judged = judge(request);
  ASSERT_EQ(judged.status, VL_OK) << judged.why;
  EXPECT_EQ(vl_report_code(judged.report.get()), 10);
  ASSERT_EQ(vl_report_verdicts(judged.report.get()), 3U);
  EXPECT_EQ(judged.record(0)["verdict"], "proved");
  EXPECT_EQ(judged.record(1)["verdict"], "refuted");
  EXPECT_EQ(judged.record(1)["counterexample"]["physical"], json::array({3}));
  EXPECT_EQ(judged.record(2)["verdict"], "proved");
  EXPECT_EQ(judged.record(2)["certificate"], "checked");
  EXPECT_EQ(json::parse(judged.written(VL_JSON, 1)), judged.record(1));
  EXPECT_NE(judged.written(VL_TEXT, 1).find("refuted     onto"), std::string::npos) << judged.written(VL_TEXT, 1);
  EXPECT_EQ(judged.written(VL_TEXT, 0).find("onto"), std::string::npos);
  EXPECT_NE(judged.written(VL_TEXT).find("1 case: 2 proved, 1 refuted, 0 unknown; 1 FAILED\n"), std::string::npos);
}

TEST(Check, AsksTheFamilysClaimsOfTheTensorThatTheTextStates) {
  const Judged judged = judge(about("SpyreTensorLayout((5, 100, 150), torch.float16)", nullptr));
  ASSERT_EQ(judged.status, VL_OK) << judged.why;
  EXPECT_EQ(vl_report_code(judged.report.get()), 0);
  const json report = json::parse(judged.written(VL_JSON));
  EXPECT_EQ(report["summary"]["proved"], 6);
  EXPECT_EQ(report["results"][5]["claim"], "padding");
  EXPECT_EQ(report["results"][5]["value"], 21000);  // 100 x 3 x 5 x 64 slots less 75000 elements
  EXPECT_EQ(report["run"]["schema"], "verify-layout/1");
}

TEST(Check, SaysWhereATextIsWrong) {
  const Judged judged = judge(about("S[(8,64):\n(64,1)", "u8[8,64]"));
  ASSERT_EQ(judged.status, VL_OK) << judged.why;
  EXPECT_EQ(vl_report_code(judged.report.get()), 2);
  EXPECT_EQ(vl_report_verdicts(judged.report.get()), 0U);
  const json record = judged.record(0);
  EXPECT_EQ(record["kind"], "error");
  EXPECT_EQ(record["file"], "--layout");
  EXPECT_EQ(record["line"], 2);
  EXPECT_EQ(record["column"], 7);
}

TEST(Check, BindsNames) {
  vl_check_request request = about("S[(BM,64):(64,1)]", "u8[8,64]");
  const char* definitions[] = {"BM=8"};
  request.definitions = definitions;
  request.definition_count = 1;
  EXPECT_EQ(vl_report_code(judge(request).report.get()), 0);
}

// Eight lanes of 16 bytes, 128 bytes apart: all begin in one bank.
TEST(Check, AsksAnAccessWithoutClaims) {
  vl_check_request request = about("S[(8,64):(64,1)]", "f16[8,64]");
  request.access = "lanes=8 width=16 at=[lane, 0]";
  const Judged judged = judge(request);
  ASSERT_EQ(judged.status, VL_OK) << judged.why;
  ASSERT_EQ(vl_report_verdicts(judged.report.get()), 3U);
  EXPECT_EQ(judged.record(0)["claim"], "conflict-free");
  EXPECT_EQ(judged.record(0)["verdict"], "refuted");
  EXPECT_EQ(judged.record(1)["value"], 8);
}

TEST(Check, RefusesWhatNothingUses) {
  const char* injective[] = {"injective"};
  const char* definitions[] = {"BM=8"};
  const vl_check_request good = about("S[8:1]", "u8[8]");
  vl_check_request request = good;
  request.hardware = "sm_90";
  EXPECT_EQ(judge(request).status, VL_BAD_ARGUMENT);
  EXPECT_EQ(judge(request).why, "--hardware is unused: it goes with an access");
  request.access = "lanes=1 width=1 at=[0]";
  request.claims = injective;
  request.claim_count = 1;
  EXPECT_EQ(judge(request).why, "--access is unused: no claim that is asked takes its access from there");
  request = good;
  request.definitions = definitions;
  request.definition_count = 1;
  const Judged defined = judge(request);
  ASSERT_EQ(defined.status, VL_OK);
  EXPECT_EQ(vl_report_code(defined.report.get()), 2);
  EXPECT_EQ(defined.record(0)["file"], "--define");
  request = good;
  request.where = "N >= 2";
  EXPECT_EQ(judge(request).record(0)["file"], "--where");
}

TEST(Check, TakesConditionsWhereTheCallerKnowsThem) {
  vl_check_request request = about("S[(2,N):(P,1)]", "u8[2,N]");
  request.where = "P >= N";
  EXPECT_EQ(vl_report_code(judge(request).report.get()), 0);
  request.size = offsetof(vl_check_request, where);  // a caller compiled before the member was there
  EXPECT_EQ(vl_report_code(judge(request).report.get()), 10);
}

TEST(Check, RefusesRequestsThatAreNone) {
  const auto refused = [](const vl_check_request& request, const char* why) {
    const Judged judged = judge(request);
    EXPECT_EQ(judged.status, VL_BAD_ARGUMENT) << why;
    EXPECT_EQ(judged.report, nullptr);
    EXPECT_NE(judged.why.find(why), std::string::npos) << judged.why;
  };
  const vl_check_request good = about("S[8:1]", "u8[8]");
  vl_check_request request = good;
  request.size = 8;
  refused(request, "size");
  request = good;
  request.layout = nullptr;
  refused(request, "layout");
  request = good;
  request.claim_count = 1;
  refused(request, "claims");
  const char* const wrong[] = {"injectiv"};
  request.claims = wrong;
  refused(request, "injectiv");
  request = good;
  request.seconds = -1;
  refused(request, "seconds");
  request = good;
  request.offset = -1;
  refused(request, "offset");
  request = good;
  request.definition_count = 1;
  refused(request, "definitions");
  EXPECT_EQ(vl_check(nullptr, nullptr, nullptr, 0), VL_BAD_ARGUMENT);
  vl_report* report = nullptr;
  EXPECT_EQ(vl_check(nullptr, &report, nullptr, 0), VL_BAD_ARGUMENT);
}

TEST(Check, HasNoTextOfAFormatOrVerdictThatThereIsNot) {
  const Judged judged = judge(about("S[8:1]", "u8[8]"));
  EXPECT_EQ(vl_report_write(judged.report.get(), 2, -1, nullptr, 0), 0U);
  EXPECT_EQ(vl_report_write(judged.report.get(), VL_JSON, 99, nullptr, 0), 0U);
  EXPECT_EQ(vl_report_write(judged.report.get(), VL_JSON, -2, nullptr, 0), 0U);
}

// The strides do not nest.
TEST(Check, RunsInSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> codes(4, -1);
  for (std::size_t k = 0; k < codes.size(); ++k)
    threads.emplace_back([&codes, k] {
      vl_check_request request = about("S[(1049,1049):(12223,12224)]", "u8[1049,1049]");
      const char* const claims[] = {"injective"};
      request.claims = claims;
      request.claim_count = 1;
      codes[k] = vl_report_code(judge(request).report.get());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(codes, std::vector<int>(4, 0));  // 12223 a = 12224 b has no solution but 0 with |a|, |b| < 1049
}

struct Opened {
  int status = VL_BUG;
  std::string why;
  std::unique_ptr<vl_layout, void (*)(vl_layout*)> layout{nullptr, vl_layout_free};
};

Opened open(const char* text, const char* tensor) {
  vl_request request{};
  request.size = sizeof request;
  request.layout = text;
  request.tensor = tensor;
  Opened out;
  char why[256] = "";
  vl_layout* layout = nullptr;
  out.status = vl_layout_open(&request, &layout, why, sizeof why);
  out.why = why;
  out.layout.reset(layout);
  return out;
}

TEST(Places, OfSticks) {
  const Opened opened = open("SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]");
  ASSERT_EQ(opened.status, VL_OK) << opened.why;
  std::int64_t extents[4] = {};
  EXPECT_EQ(vl_layout_shape(opened.layout.get(), VL_PHYSICAL, extents, 4), 4U);
  EXPECT_EQ(std::vector<std::int64_t>(extents, extents + 4), (std::vector<std::int64_t>{100, 3, 5, 64}));
  EXPECT_EQ(vl_layout_shape(opened.layout.get(), VL_LOGICAL, nullptr, 0), 3U);
  EXPECT_EQ(vl_layout_unit(opened.layout.get()), 2U);
  char text[16] = "";
  EXPECT_EQ(vl_layout_text(opened.layout.get(), VL_AXES, text, sizeof text), 11U);
  EXPECT_STREQ(text, "d0 d1 d2 d3");
  const std::int64_t elements[] = {2, 7, 40, 0, 0, 149};
  std::int64_t places[8] = {};
  ASSERT_EQ(vl_layout_place(opened.layout.get(), 2, elements, places, nullptr, 0), VL_OK);
  // Column 149 is lane 149 - 2 x 64 of the third stick.
  EXPECT_EQ(std::vector<std::int64_t>(places, places + 8), (std::vector<std::int64_t>{7, 0, 2, 40, 0, 2, 0, 21}));
}

TEST(Places, OfReplicasAndOfElementsThatAreNone) {
  const Opened opened = open("S[4:1@laneid] + R[2:4@laneid]", "u8[4]");
  ASSERT_EQ(opened.status, VL_OK) << opened.why;
  const std::int64_t elements[] = {3, 4};
  std::int64_t places[4] = {};
  ASSERT_EQ(vl_layout_place(opened.layout.get(), 1, elements, places, nullptr, 0), VL_OK);
  EXPECT_EQ(places[0], 3);
  EXPECT_EQ(places[1], 7);
  char why[128] = "";
  EXPECT_EQ(vl_layout_place(opened.layout.get(), 2, elements, places, why, sizeof why), VL_BAD_VALUE);
  EXPECT_STREQ(why, "element [4] is not one of the tensor");
  EXPECT_EQ(open("S[4:1", "u8[4]").status, VL_BAD_TEXT);
  EXPECT_EQ(open("S[4:1]", nullptr).status, VL_BAD_ARGUMENT);
}

}  // namespace c_check_test
}  // namespace vl
