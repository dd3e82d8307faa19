// Nests for all sizes as a command: made, asked again, and refused.
#include "tests/cli/records.h"

namespace vl {
namespace cli_all_sizes_nests_test {

TEST(AllSizesNests, AreProvedForAllSizesAndAskedAgain) {
  const Folder folder;
  const Words layout = {"--tensor", "f16[N,K]", "--layout", "SpyreTensorLayout((N, K), torch.float16)"};
  Words asked = {"nests", "--format", "json"};
  asked.insert(asked.end(), layout.begin(), layout.end());
  const Ran made = called(asked);
  EXPECT_EQ(made.code, 0) << made.err;
  const Json nests = Json::parse(made.out);
  EXPECT_EQ(nests.at("scope"), "all-sizes");
  EXPECT_EQ(nests.at("nests").at(0).at("extents").dump(), R"(["N","K//64",64])");
  EXPECT_EQ(nests.at("nests").at(1).at("extents").dump(), R"(["N",1,"K%64"])");
  EXPECT_EQ(nests.at("nests").at(1).at("host_offset"), "64*(K//64)");

  const auto words_of = [&](const std::string& text) {
    Words check = {"check", "--format", "jsonl", "--nests", folder.file("nests.json", text)};
    check.insert(check.end(), layout.begin(), layout.end());
    return records(called(check).out).of("verdict");
  };
  for (const Json& record : words_of(made.out)) {
    EXPECT_EQ(record.at("verdict"), "proved") << record.dump();
    EXPECT_EQ(record.at("certificate"), "checked");
  }
  // The last stick is taken for full: at K = 65 it is not.
  std::string wrong = made.out;
  wrong.replace(wrong.find("K%64"), 4, "K%32");
  const auto records_of_wrong = words_of(wrong);
  ASSERT_EQ(records_of_wrong.size(), 3U);
  EXPECT_EQ(records_of_wrong[2].at("verdict"), "refuted");
  EXPECT_EQ(records_of_wrong[2].at("counterexample").at("sizes").dump(), R"({"N":1,"K":32})");
}

TEST(AllSizesNests, BeginWhereTheHostDoesAndArePrintedAsJson) {
  const Folder folder;
  const Words layout = {"--tensor", "f16[N,K]", "--layout", "SpyreTensorLayout((N, K), torch.float16)"};
  Words made = {"nests", "--format", "json", "--where", "N\n>= 2, K %\t64 == 0"};
  made.insert(made.end(), layout.begin(), layout.end());
  const Ran ran = called(made);
  EXPECT_EQ(Json::parse(ran.out).at("where").dump(), R"(["N\n>= 2","K %\t64 == 0"])");
  Words asked = {"check",    "--where", "K % 64 == 0",
                 "--format", "jsonl",   "--offset",
                 "5",        "--nests", folder.file("nests.json", ran.out)};
  asked.insert(asked.end(), layout.begin(), layout.end());
  // The host begins at 5, and the nests at 0. That they write each slot once is true, and not asked here.
  std::map<std::string, std::string> verdicts;
  for (const Json& record : records(called(asked).out).of("verdict"))
    verdicts[record.at("claim")] = record.at("verdict");
  EXPECT_EQ(verdicts["in-bounds"], "refuted");
  EXPECT_EQ(verdicts["implements"], "refuted");
  made.insert(made.end(), {"--offset", "B + 5"});
  const Json behind = Json::parse(called(made).out).at("nests").at(0);
  EXPECT_EQ(behind.at("host_offset"), "B + 5") << behind.dump();
  EXPECT_EQ(behind.at("device_offset"), 0) << behind.dump();
}

TEST(AllSizesNests, WithNamesThatAreNone) {
  const Folder folder;
  const std::string head = R"({"direction":"h2d","nests":[{"extents":["N"],"host_strides":[1],"device_strides":[1],)";
  struct Bad {
    std::string text;
    const char* message;
  };
  const std::vector<Bad> table = {
      {head + R"("host_offset":"3 +","device_offset":0}]})", "expected"},
      {head + R"("host_offset":0}]})", "device_offset"},
      {head + R"("host_offset":0,"device_offset":0,"more":1}]})", "more"},
      {R"({"direction":"d2d","nests":[]})", "--from"},
      {R"({"nests":[]})", "direction"},
      {R"({"direction":"h2d"})", "nests"},
      {R"({"direction":"h2d","nests":[{"extents":["N","M"],"host_strides":[1],"device_strides":[1],)"
       R"("host_offset":0,"device_offset":0}]})",
       "one stride"},
      {R"({"direction":"h2d","nests":[{"extents":[1.5]}]})", "integer"},
      {R"({"direction":"h2d","nests":[{"extents":["99999999999999999999"]}]})", "64"},
      {"", "expected"},
      {"[", "expected"},
  };
  for (const Bad& bad : table) {
    const Ran ran = called({"check", "--tensor", "f16[N]", "--layout", "SpyreTensorLayout((N,), torch.float16)",
                            "--nests", folder.file("bad.json", bad.text)});
    EXPECT_EQ(ran.code, 2) << bad.text << ran.out;
    EXPECT_NE((ran.out + ran.err).find(bad.message), std::string::npos) << bad.text << ran.out << ran.err;
  }
}

}  // namespace cli_all_sizes_nests_test
}  // namespace vl
