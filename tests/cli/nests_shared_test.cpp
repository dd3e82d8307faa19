// nests and check --nests of layouts in which elements, or replicas of one, share a slot.
#include "tests/cli/records.h"

namespace vl {
namespace cli_nests_shared_test {

Ran nests(const std::string& layout, const std::string& tensor, const Words& more) {
  Words words{"nests", "--layout", layout, "--tensor", tensor};
  words.insert(words.end(), more.begin(), more.end());
  return verify_layout(words);
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

Ran check(const std::string& file, const Words& claims, const std::string& layout, const std::string& tensor) {
  Words words{"check", "--layout", layout, "--tensor", tensor, "--nests", file, "--format", "jsonl"};
  words.insert(words.end(), claims.begin(), claims.end());
  return verify_layout(words);
}

// N elements share one slot, and rows of M lie P apart: where M > P and N > 1, row 1 begins in row 0.
TEST(SharedSlots, NestsWithNamesAreRefusedWhereElementsShareASlot) {
  const Ran one = nests("S[N:0]", "u8[N]", {"--where", "N >= 2"});
  EXPECT_EQ(one.code, 10) << one.out << one.err;
  const Ran rows = nests("S[(N,M):(P,1)]", "u8[N,M]", {"--format", "json"});
  EXPECT_EQ(rows.code, 10) << rows.out << rows.err;
  const Json answer = Json::parse(rows.out);
  EXPECT_TRUE(answer.at("nests").is_null());
  EXPECT_EQ(answer.at("claim"), "injective");
  const Ran back = nests("S[N:0]", "u8[N]", {"--where", "N >= 2", "--direction", "d2h"});
  EXPECT_EQ(back.code, 0) << back.err;
  const Ran right = nests("S[(N,M):(P,1)]", "u8[N,M]", {"--where", "P >= M"});
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_NE(right.out.find("1 nest"), std::string::npos) << right.out;
}

// Replicas of the one element are at 1 and 0; the nest writes neither.
TEST(SharedSlots, CheckNamesTheSmallestPlaceOfReplicas) {
  const Folder folder;
  const std::string file = folder.file(
      "n.json", R"({"direction":"h2d","nests":[{"extents":[0],"host_strides":[1],"device_strides":[1],"host_offset":0,)"
                R"("device_offset":0}]})");
  const Ran ran = check(file, {"--claim", "covers-once", "--claim", "implements"}, "S[1:1] + R[2:-1] + 1", "u8[1]");
  EXPECT_EQ(ran.code, 10) << ran.err;
  std::size_t seen = 0;
  for (std::size_t at = ran.out.find(R"({"a":[0],"device":0,"times":0})"); at != std::string::npos;
       at = ran.out.find(R"({"a":[0],"device":0,"times":0})", at + 1))
    ++seen;
  EXPECT_EQ(seen, 2U) << ran.out;
}

// Element 1 shares the place of element 0, which is written once, from element 0.
TEST(SharedSlots, CheckSaysThatAnElementIsNotMoved) {
  const Folder folder;
  const std::string file = folder.file(
      "n.json", R"({"direction":"h2d","nests":[{"extents":[1],"host_strides":[1],"device_strides":[0],"host_offset":0,)"
                R"("device_offset":0}]})");
  const Ran ran = check(file, {"--claim", "implements"}, "S[4:0]", "u8[4]");
  EXPECT_EQ(ran.code, 10) << ran.err;
  EXPECT_NE(ran.out.find(R"({"a":[1],"device":0,"times":0})"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("element [1] is not moved to device offset 0"), std::string::npos) << ran.out;
}

// Elements (1, 0) and (0, S) have one host number, S, and one slot: nests of all elements make that move twice. With
// rows 2 apart it happens at the smallest sizes; with rows 2^27 apart at none that anybody looks at.
TEST(SharedSlots, OneMoveMadeTwiceIsNoProof) {
  const Folder folder;
  const auto of = [&](const std::string& step) {
    const std::string text =
        R"({"direction":"h2d","nests":[{"extents":[2,"N//64",64],"host_strides":[STEP,64,1],)"
        R"("device_strides":[STEP,64,1],"host_offset":0,"device_offset":0},{"extents":[2,1,"N%64"],)"
        R"("host_strides":[STEP,64,1],"device_strides":[STEP,64,1],)"
        R"("host_offset":"(N//64)*64","device_offset":"(N//64)*64"}]})";
    return verify_layout(
        {"check", "--tensor", "f16[2,N]", "--strides", step + ",1", "--layout",
         "SpyreTensorLayout(device_size=[Q, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)", "--where",
         step + " + N <= 64*Q", "--claim", "implements", "--format", "jsonl", "--nests",
         folder.file("n.json", replaced_all(text, "STEP", step))});
  };
  const Ran near = of("2"), far = of("134217728");
  EXPECT_EQ(near.code, 10) << near.out << near.err;
  EXPECT_EQ(records(near.out).of("verdict").at(0).at("counterexample").at("sizes"), (Json{{"N", 3}, {"Q", 1}}));
  EXPECT_EQ(far.code, 5) << far.out << far.err;
}

// The same between devices, of both of which the strides are those of the host.
TEST(SharedSlots, OneMoveBetweenDevicesMadeTwiceIsNoProof) {
  const Folder folder;
  const char* const layout =
      "SpyreTensorLayout(device_size=[Q, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)";
  const std::string text = R"({"direction":"d2d","nests":[{"extents":[2,"N"],"from_strides":[2,1],"to_strides":[2,1],)"
                           R"("from_offset":0,"to_offset":0}]})";
  const auto of = [&](const std::string& columns) {
    return verify_layout({"check", "--tensor", "f16[2,N]", "--strides", "2,1", "--layout", layout, "--from", layout,
                          "--where", "N <= " + columns + ", 2 + N <= 64*Q", "--claim", "implements", "--nests",
                          folder.file("n.json", text)})
        .code;
  };
  EXPECT_EQ(of("3"), 10);
  EXPECT_NE(of("2"), 10);
}

}  // namespace cli_nests_shared_test
}  // namespace vl
