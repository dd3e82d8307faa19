// check --nests of moves with names: between devices, and at given sizes. The right nests between two layouts of
// f16[M,N] in sticks of 64, along N (from) and along M (to), are written by hand: of M = 64·a + r rows and N = 64·b + s
// columns there are four blocks, a·b of 64 x 64, a of 64 x s, b of r x 64, and one of r x s. Row i, column j lies at
// 64·i + j mod 64 + 64·M·(j / 64) in the first, and at 64·j + i mod 64 + 64·N·(i / 64) in the other.
#include <filesystem>

#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace cli_all_sizes_moves_test {

const char* const kFrom = "SpyreTensorLayout((M, N), torch.float16)";
const char* const kTo = "SpyreTensorLayout((M, N), torch.float16, [1, 0])";

std::string nest(const std::string& extents, const std::string& from, const std::string& to,
                 const std::string& from_offset, const std::string& to_offset) {
  return R"({"extents":[)" + extents + R"(],"from_strides":[)" + from + R"(],"to_strides":[)" + to +
         R"(],"from_offset":)" + from_offset + R"(,"to_offset":)" + to_offset + "}";
}

// Loops over sticks of rows, rows, columns in a stick, sticks of columns: another order than that of `nests`.
std::string blocks(bool all = true) {
  const std::string from = R"(4096,64,1,"64*M")", to = R"("64*N",1,64,4096)";
  std::string out =
      nest(R"(1,"M%64","N%64",1)", from, to, R"("(M//64)*4096 + (N//64)*64*M")", R"("(M//64)*64*N + (N//64)*4096")");
  out += "," + nest(R"("M//64",64,64,"N//64")", from, to, "0", "0");
  out += "," + nest(R"("M//64",64,"N%64",1)", from, to, R"("(N//64)*64*M")", R"("(N//64)*4096")");
  if (all) out += "," + nest(R"(1,"M%64",64,"N//64")", from, to, R"("(M//64)*4096")", R"("(M//64)*64*N")");
  return R"({"direction":"d2d","nests":[)" + out + "]}";
}

const Words kClaims = {"in-bounds", "covers-once", "implements"};

Ran judged(const std::string& file, Words more, const Words& claims = kClaims) {
  const Words words{"check", "--layout", kTo,  "--tensor", "f16[M,N]", "--from",
                    kFrom,   "--nests",  file, "--format", "jsonl"};
  for (const std::string& claim : claims) more.insert(more.end(), {"--claim", claim});
  more.insert(more.begin(), words.begin(), words.end());
  return called(more);
}

Words verdicts(const Ran& ran) {
  Words out;
  for (const Json& one : records(ran.out).of("verdict"))
    out.push_back(one.at("claim").get<std::string>() + " " + one.at("verdict").get<std::string>());
  return out;
}

TEST(AllSizesMoves, OfTheProgramAreProvedToo) {
  const Folder folder;
  const Ran made = called({"nests", "--layout", kTo, "--from", kFrom, "--tensor", "f16[M,N]", "--format", "json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(judged(folder.file("made.json", made.out), {}, {"implements"}).code, 0);
}

// One row and 64 columns have no full block of rows; the last rows, which are left out, are all there is.
TEST(AllSizesMoves, ABlockThatIsLeftOutIsFoundAtTheSmallestSizes) {
  const Folder folder;
  const Ran ran = judged(folder.file("three.json", blocks(false)), {});
  EXPECT_EQ(ran.code, 10) << ran.out << ran.err;
  EXPECT_EQ(verdicts(ran), (Words{"in-bounds proved", "covers-once refuted", "implements refuted"}));
  const Json counter = records(ran.out).of("verdict").at(1).at("counterexample");
  EXPECT_EQ(counter.at("sizes"), (Json{{"M", 1}, {"N", 64}}));
  EXPECT_EQ(counter.at("a"), Json({0, 0}));
}

// Column 1 of the ragged block is read from column 2.
TEST(AllSizesMoves, AWrongStrideIsRefuted) {
  const Folder folder;
  std::string wrong = blocks();
  const std::string right = R"("from_strides":[4096,64,1,"64*M"])";
  wrong.replace(wrong.find(right), right.size(), R"("from_strides":[4096,64,2,"64*M"])");
  const Ran ran = judged(folder.file("wrong.json", wrong), {}, {"implements"});
  EXPECT_EQ(ran.code, 10) << ran.out << ran.err;
  EXPECT_EQ(verdicts(ran), (Words{"implements refuted"}));
  EXPECT_EQ(records(ran.out).of("verdict").at(0).at("counterexample").at("sizes"), (Json{{"M", 1}, {"N", 2}}));
}

// Right, since a layout of whole sticks is moved into itself slot by slot; but no loop is along one dimension. Nobody
// says more than that.
TEST(AllSizesMoves, ALoopAlongNoDimensionIsUndecidedAndNotProved) {
  const Folder folder;
  const std::string file =
      folder.file("all.json", R"({"direction":"d2d","nests":[)" + nest(R"("M*N")", "1", "1", "0", "0") + "]}");
  const Ran ran = called({"check", "--layout", kFrom, "--from", kFrom, "--tensor", "f16[M,N]", "--where", "N % 64 == 0",
                          "--nests", file, "--format", "jsonl", "--claim", "implements"});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_EQ(verdicts(ran), (Words{"implements unknown"}));
}

TEST(AllSizesMoves, BetweenDevicesAreProvedInAnyOrderAndTheirCertificatesSayFromWhere) {
  const Folder folder;
  const Ran ran = judged(folder.file("blocks.json", blocks()), {"--certificates", folder.at("c")});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(verdicts(ran), (Words{"in-bounds proved", "covers-once proved", "implements proved"}));
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at("c"))) {
    const std::string path = entry.path().string();
    EXPECT_EQ(called({"cert", path}).code, 0) << path;
    auto changed = checker::certificate_in(test::read_text(path));
    ASSERT_TRUE(changed.has_value()) << path;
    ASSERT_TRUE(changed->statement.from_rule.has_value());
    changed->statement.arguments->at("with") = kTo;
    changed->digest = checker::digest(changed->statement);
    EXPECT_NE(called({"cert", folder.file("changed.json", checker::print(*changed, false))}).code, 0) << path;
    ++seen;
  }
  EXPECT_EQ(seen, 3U);
}

TEST(AllSizesMoves, AtGivenSizesAreThoseOfNumbers) {
  const Folder folder;
  for (const char* sizes : {"M=5,N=70", "M=64,N=64", "M=130,N=1"}) {
    EXPECT_EQ(judged(folder.file("blocks.json", blocks()), {"--at-sizes", sizes}).code, 0) << sizes;
    const Ran left_out = judged(folder.file("three.json", blocks(false)), {"--at-sizes", sizes});
    EXPECT_EQ(left_out.code, std::string(sizes) == "M=5,N=70" ? 10 : 0) << sizes << left_out.out << left_out.err;
  }
  const std::string head = R"({"direction":"h2d","nests":[)";
  const std::string one =
      R"({"extents":["N"],"host_strides":[1],"device_strides":[1],"host_offset":0,"device_offset":)";
  const auto of_one = [&](const std::string& offset, const std::string& sizes) {
    return called({"check", "--layout", "SpyreTensorLayout((N,), torch.float16)", "--tensor", "f16[N]", "--claim",
                   "implements", "--nests", folder.file("one.json", head + one + offset + "}]}"), "--at-sizes", sizes});
  };
  EXPECT_EQ(of_one("0", "N=7").code, 0);
  EXPECT_EQ(of_one(R"("N-7")", "N=7").code, 0);
  EXPECT_EQ(of_one(R"("N-7")", "N=9").code, 10);
  EXPECT_EQ(of_one(R"("N*N*N*N*N*N*N*N")", "N=1000").code, 2);  // 10^24
  EXPECT_EQ(of_one(R"("M")", "N=7").code, 2);
  EXPECT_EQ(of_one(R"("N-")", "N=7").code, 2);
}

// The layout from which they move has names, and they have none.
TEST(AllSizesMoves, NumbersAtGivenSizesMoveFromALayoutWithNames) {
  const Folder folder;
  const Ran made = called({"nests", "--layout", "SpyreTensorLayout((5, 70), torch.float16, [1, 0])", "--from",
                           "SpyreTensorLayout((5, 70), torch.float16)", "--tensor", "f16[5,70]", "--format", "json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string file = folder.file("numbers.json", made.out);
  EXPECT_EQ(judged(file, {"--at-sizes", "M=5,N=70"}).code, 0);
  EXPECT_EQ(judged(file, {"--at-sizes", "M=5,N=71"}).code, 10);
  const Ran of_others =
      called({"check", "--layout", kTo, "--tensor", "f16[M,N]", "--from", "SpyreTensorLayout((M, P), torch.float16)",
              "--nests", folder.file("blocks.json", blocks())});
  EXPECT_EQ(of_others.code, 5) << of_others.out << of_others.err;
}

TEST(AllSizesMoves, ErrorsAtGivenSizesAreThoseOfNestsWithNames) {
  const Folder folder;
  const auto said = [&](const std::string& text) {
    const Ran ran = called({"check", "--layout", "SpyreTensorLayout((N,), torch.float16)", "--tensor", "f16[N]",
                            "--nests", folder.file("bad.json", text), "--at-sizes", "N=7"});
    EXPECT_EQ(ran.code, 2) << text;
    return ran.err;
  };
  const std::string nest = R"({"extents":["N","N"],"host_strides":[1],"device_strides":[1],"host_offset":0,)";
  EXPECT_NE(said(R"({"direction":"h2d","nests":[)" + nest + R"("device_offset":0}]})").find("2 extents and 1 strides"),
            std::string::npos);
  EXPECT_NE(said(R"({"nests":[]})").find("'direction' is missing"), std::string::npos);
  EXPECT_NE(said("[N]|[1]|[1]|0,0").find("expected"), std::string::npos);
}

// No tensor has so many elements, and no number that is tried leaves 64 bits.
TEST(AllSizesMoves, SizesThatNoTensorHasAreNoProof) {
  const Folder folder;
  const std::string file = folder.file("blocks.json", blocks());
  for (const char* where : {"N >= 9223372036854775807", "N >= 9223372036854770000"}) {
    const Ran ran = judged(file, {"--where", where}, {"implements"});
    EXPECT_EQ(ran.code, 5) << where << ran.out << ran.err;
  }
}

TEST(AllSizesMoves, ANameThatTheLayoutLacksIsNamed) {
  const Folder folder;
  std::string other = blocks();
  other.replace(other.find(R"("M%64")"), 6, R"("X%64")");
  const Ran ran = judged(folder.file("other.json", other), {});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_NE(ran.err.find("the layout has no name X"), std::string::npos) << ran.err;
}

// Rows T to T + R - 1 and columns 64·S to 64·S + V - 1 of Q rows of K: slot of row T, stick S is 64·T + 64·Q·S.
TEST(AllSizesMoves, NestsOfAWindowThatBeginsWithAStickAreFound) {
  const Ran ran = called({"nests", "--layout",
                          "SpyreTensorLayout(device_size=[ceil(K/64), Q, 64], stride_map=[64, K, 1], "
                          "device_dtype=DataFormats.SEN169_FP16)",
                          "--tensor", "f16[R,V]", "--strides", "K,1", "--view-offset", "K*T + 64*S", "--where",
                          "64*S + V <= K, T + R <= Q", "--format", "json"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const Json nests = Json::parse(ran.out).at("nests");
  ASSERT_EQ(nests.size(), 2U);
  EXPECT_EQ(nests[0].at("extents"), Json::parse(R"(["R","V//64",64])"));
  EXPECT_EQ(nests[0].at("device_strides"), Json::parse(R"([64,"64*Q",1])"));
  EXPECT_EQ(nests[0].at("device_offset"), "64*T + 64*S*Q");
}

TEST(AllSizesMoves, NumbersMayStandInQuotes) {
  const Folder folder;
  const auto of = [&](const std::string& extent) {
    return called({"check", "--layout", "SpyreTensorLayout((7,), torch.float16)", "--tensor", "f16[7]", "--nests",
                   folder.file("quoted.json", R"({"direction":"h2d","nests":[{"extents":[)" + extent +
                                                  R"(],"host_strides":["1"],"device_strides":[1],)"
                                                  R"("host_offset":"0","device_offset":0}]})")})
        .code;
  };
  EXPECT_EQ(of(R"("7")"), 0);
  EXPECT_EQ(of(R"("6")"), 10);
  EXPECT_EQ(of(R"("N")"), 2);
  EXPECT_EQ(of(R"("-1")"), 2);
}

TEST(AllSizesMoves, FieldsAndOptionsOfTheOtherKindAreRefused) {
  const Folder folder;
  const std::string host = R"({"direction":"h2d","nests":[{"extents":["N"],"host_strides":[1],"device_strides":[1],)"
                           R"("host_offset":0,"device_offset":0}]})";
  EXPECT_EQ(judged(folder.file("host.json", host), {}).code, 2);  // --from
  const std::string file = folder.file("blocks.json", blocks());
  EXPECT_EQ(called({"check", "--layout", kTo, "--tensor", "f16[M,N]", "--nests", file}).code, 2);
  std::string mixed = blocks();
  mixed.replace(mixed.find(R"("from_offset")"), 13, R"("host_offset")");
  const Ran ran = judged(folder.file("mixed.json", mixed), {});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("'host_offset' of nests that move between devices"), std::string::npos) << ran.err;
}

}  // namespace cli_all_sizes_moves_test
}  // namespace vl
