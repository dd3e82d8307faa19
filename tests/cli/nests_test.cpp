// nests and check --nests, as a user runs them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "encodings/base/integer.h"
#include "tests/support/nests.h"

namespace vl {
namespace cli_nests_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using test::nests::answers;
using test::nests::kExample;
using test::nests::kLayout;
using test::nests::kTensor;
using test::nests::replaced;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kOrdered = "SpyreTensorLayout((5, 100, 150), torch.float16, [1, 0, 2])";

Ran nests(const std::string& layout, const std::string& tensor, Words more = {}) {
  Words words{"nests", "--layout", layout, "--tensor", tensor};
  words.insert(words.end(), more.begin(), more.end());
  return verify_layout(words);
}

Ran check(const std::string& file, Words more = {}, const std::string& layout = kLayout,
          const std::string& tensor = kTensor) {
  Words words{"check", "--layout", layout, "--tensor", tensor, "--nests", file, "--format", "jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  return verify_layout(words);
}

const std::vector<std::string> kAllProved = {"in-bounds proved", "covers-once proved", "implements proved"};

TEST(Nests, PrintsTheExampleOfTheInterfaceLetterByLetter) {
  const Ran ran = nests(kLayout, kTensor, {"--format", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, kExample);
  EXPECT_EQ(ran.err, "");
  const Ran back = nests(kLayout, kTensor, {"--format", "json", "--direction", "d2h"});
  EXPECT_EQ(back.out, replaced(kExample, "h2d", "d2h"));
}

TEST(Nests, ListsLoopsForPeople) {
  const Ran ran = nests(kLayout, kTensor);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out,
            "host to device: 2 nests, 75000 elements\n"
            "nest 0 moves 64000 elements\n"
            "  loop    extent  host stride  device stride\n"
            "  0            2           64            320\n"
            "  1          100          150            960\n"
            "  2            5        15000             64\n"
            "  3           64            1              1\n"
            "  offset                    0              0\n"
            "nest 1 moves 11000 elements\n"
            "  loop    extent  host stride  device stride\n"
            "  0            1           64            320\n"
            "  1          100          150            960\n"
            "  2            5        15000             64\n"
            "  3           22            1              1\n"
            "  offset                  128            640\n");
}

TEST(Nests, InEachFormAreReadBackAndProved) {
  const Folder folder;
  for (const std::string format : {"json", "dci", "compact"})
    for (const std::string direction : {"h2d", "d2h"}) {
      if (format == "compact" && direction == "d2h") continue;  // the form has no direction, and h2d is assumed
      const Ran made = nests(kLayout, kTensor, {"--format", format, "--direction", direction});
      ASSERT_EQ(made.code, 0) << format;
      const Ran ran = check(folder.file(format + direction, made.out));
      EXPECT_EQ(ran.code, 0) << format << direction << ran.err;
      EXPECT_EQ(answers(ran), kAllProved) << format << direction;
    }
}

TEST(Nests, OfLayoutsThatTheRuntimeCannotExpressAreFound) {
  // Issue #3401: tile stride 1/128 = 0 there. Derived by hand: offset 524288·h + 128·(64·b + c) + l goes to
  // device (0, h, l, b, c), that is 524288·h + 4096·l + 64·b + c.
  const std::string layout =
      "SpyreTensorLayout(device_size=[1, 4, 128, 64, 64], stride_map=[2097152, 524288, 1, 8192, 128], "
      "device_dtype=SEN169_FP16)";
  const Ran ran = nests(layout, "f16[1,4,4096,128]", {"--format", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json nest = Json::parse(ran.out)["nests"].at(0);
  EXPECT_EQ(nest["extents"], Json({1, 4, 128, 64, 64}));
  EXPECT_EQ(nest["device_strides"], Json({2097152, 524288, 4096, 64, 1}));
  EXPECT_EQ(nest["host_strides"], Json({2097152, 524288, 1, 8192, 128}));
}

TEST(Nests, OfViewsKeepTheirOffsets) {
  // x[i, j] at host offset 256 + i + 40·j; its slot is that of offset i + 40·j: [j, 0, i].
  const Ran host = nests("SpyreTensorLayout([120, 1, 64], [40, 64, 1], SEN169_FP16)", "f16[40,120]",
                         {"--strides", "1,40", "--offset", "256", "--format", "json"});
  EXPECT_EQ(host.code, 0) << host.err;
  const Json nest = Json::parse(host.out)["nests"].at(0);
  EXPECT_EQ(nest["host_offset"], 256);
  EXPECT_EQ(nest["device_offset"], 0);
  // Rows 2 and 3 of an allocation of four rows: element [0, 0] is host offset 0, device row 2.
  const Ran view = nests("SpyreTensorLayout([1, 4, 64], [64, 64, 1], SEN169_FP16)", "f16[2,64]",
                         {"--view-offset", "128", "--format", "json"});
  EXPECT_EQ(view.code, 0) << view.err;
  EXPECT_EQ(Json::parse(view.out)["nests"].at(0)["device_offset"], 128);
  EXPECT_EQ(Json::parse(view.out)["nests"].at(0)["host_offset"], 0);
}

// Every move of printed nests as (host, device).
std::multiset<std::pair<Index, Index>> moves_of(const std::string& text) {
  std::multiset<std::pair<Index, Index>> out;
  const Json transfer = Json::parse(text);
  for (const Json& nest : transfer["nests"]) {
    std::vector<std::pair<Index, Index>> some{{nest["host_offset"], nest["device_offset"]}};
    for (std::size_t k = 0; k < nest["extents"].size(); ++k) {
      std::vector<std::pair<Index, Index>> longer;
      for (const auto& [host, device] : some)
        for (Index i = 0; i < nest["extents"][k]; ++i)
          longer.emplace_back(host + i * nest["host_strides"][k].get<Index>(),
                              device + i * nest["device_strides"][k].get<Index>());
      some = std::move(longer);
    }
    out.insert(some.begin(), some.end());
  }
  return out;
}

// Views whose elements share places: on sticks of 64 the device offset is the host's, so the moves are (h, h), each
// place once.
TEST(Nests, OfViewsThatOverlapMoveEachPlaceOnce) {
  struct View {
    std::string tensor, strides;
    std::vector<std::pair<Index, Index>> places;  // of it, [first, end)
  };
  for (const View& view : std::vector<View>{{"f16[4,4]", "2,1", {{0, 10}}},
                                            {"f16[4,4]", "3,2", {{0, 1}, {2, 14}, {15, 16}}},
                                            {"f16[5,6,4]", "0,3,1", {{0, 19}}},
                                            {"f16[30,40,3]", "40,1,1", {{0, 1202}}},
                                            {"f16[7,9]", "10,10", {}}})
    for (const std::string direction : {"h2d", "d2h"}) {
      const Ran ran = nests("SpyreTensorLayout([19, 64], [64, 1], SEN169_FP16)", view.tensor,
                            {"--strides", view.strides, "--direction", direction, "--format", "json"});
      ASSERT_EQ(ran.code, 0) << view.strides << ran.out << ran.err;
      std::multiset<std::pair<Index, Index>> all;
      for (const auto& [first, end] : view.places)
        for (Index h = first; h < end; ++h) all.emplace(h, h);
      for (Index k = 0; view.places.empty() && k < 15; ++k) all.emplace(10 * k, 10 * k);
      EXPECT_EQ(moves_of(ran.out), all) << view.strides;
    }
}

TEST(Nests, OfALargeViewThatOverlapsAreFew) {
  // 3 x 3 windows of an image of 66 x 66.
  const Ran ran = nests("SpyreTensorLayout([69, 64], [64, 1], SEN169_FP16)", "f16[64,64,3,3]",
                        {"--strides", "66,1,66,1", "--format", "json"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_LE(Json::parse(ran.out)["nests"].size(), 4U) << ran.out;
}

// A host place with two elements that lie apart on the device: filled from both, and written from neither alone.
TEST(Nests, ThatCannotExistAreRefusedWithTwoElements) {
  const std::string layout = "SpyreTensorLayout([2, 64], dim_map=[0, 1], device_dtype=SEN169_FP16)";
  EXPECT_EQ(nests(layout, "f16[2,4]", {"--strides", "0,1"}).code, 0);
  const Ran ran = nests(layout, "f16[2,4]", {"--strides", "0,1", "--direction", "d2h", "--format", "json"});
  EXPECT_EQ(ran.code, 10);
  const Json answer = Json::parse(ran.out);
  EXPECT_EQ(answer["nests"], nullptr);
  EXPECT_EQ(answer["counterexample"], Json({{"a", {0, 0}}, {"b", {1, 0}}, {"host", 0}}));
  EXPECT_EQ(answer["message"],
            "elements [0, 0] and [1, 0] share host offset 0, which is written once, and lie apart at device offsets 0 "
            "and 64");
  // Two host places in one slot.
  const Ran shared = nests("S[(4,2):(1,0)]", "f16[4,2]", {"--format", "json"});
  EXPECT_EQ(shared.code, 10);
  EXPECT_EQ(Json::parse(shared.out)["counterexample"], Json({{"a", {0, 0}}, {"b", {0, 1}}, {"device", 0}}));
}

TEST(Nests, ThatAreNotFoundAreUndecided) {
  // Multiples of 300001 and of 200000: they meet far out, and few progressions do not hold the places.
  const Ran ran =
      nests("SpyreTensorLayout([70000000000], [1], SEN169_FP16)", "f16[100000,200002]", {"--strides", "300001,200000"});
  EXPECT_EQ(ran.code, 5) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Nests, OfNothingAreNone) {
  const Ran empty = nests("SpyreTensorLayout((0, 5), torch.float16)", "f16[0,5]", {"--format", "json"});
  EXPECT_EQ(empty.code, 0) << empty.err;
  EXPECT_EQ(empty.out, "{\"direction\":\"h2d\",\"nests\":[]}\n");
  const Ran scalar = nests("SpyreTensorLayout((), torch.float16)", "f16[]", {"--format", "json"});
  const Json nest = Json::parse(scalar.out)["nests"].at(0);
  EXPECT_TRUE(std::ranges::all_of(nest["extents"], [](const Json& extent) { return extent == 1; })) << scalar.out;
  EXPECT_EQ(nest["host_offset"], 0);
}

TEST(Nests, OfALayoutWithoutRoomNameTheFirstElementWithoutASlot) {
  const std::string short_of_rows = replaced(kLayout, "[100,", "[99,");
  const Ran text = nests(short_of_rows, kTensor);
  EXPECT_EQ(text.code, 10);
  EXPECT_EQ(text.out, "no nests: element [0, 99, 0] has no slot: d0 would be 99, and its extent is 99\n");
  const Ran json = nests(short_of_rows, kTensor, {"--format", "json", "--direction", "d2h"});
  EXPECT_EQ(json.code, 10);
  const Json answer = Json::parse(json.out);
  EXPECT_EQ(answer["nests"], nullptr);
  EXPECT_EQ(answer["direction"], "d2h");
  EXPECT_EQ(answer["claim"], "in-bounds");
  EXPECT_EQ(answer["counterexample"]["a"], Json({0, 99, 0}));
}

TEST(Nests, BetweenDevicesMoveFromOneLayoutToTheOther) {
  const Folder folder;
  const Ran made =
      verify_layout({"nests", "--from", kLayout, "--to", kOrdered, "--tensor", kTensor, "--format", "json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json transfer = Json::parse(made.out);
  EXPECT_EQ(transfer["direction"], "d2d");
  Json::number_integer_t moves = 0;
  for (const Json& nest : transfer["nests"]) {
    Json::number_integer_t volume = 1;
    for (const Json& extent : nest["extents"]) volume *= extent.get<Json::number_integer_t>();
    moves += volume;
  }
  EXPECT_EQ(moves, 75000);
  const std::string file = folder.file("n", made.out);
  const Ran good = check(file, {"--from", kLayout}, kOrdered);
  EXPECT_EQ(answers(good), kAllProved) << good.err;
  const Ran turned = check(file, {"--from", kOrdered}, kLayout);
  EXPECT_EQ(turned.code, 10);
  const Ran without = check(file, {}, kOrdered);
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("expected --from LAYOUT"), std::string::npos) << without.err;
  EXPECT_EQ(check(folder.file("h2d", kExample), {"--from", kOrdered}).code, 2);
  // The list in the runtime's form has a host side.
  EXPECT_EQ(verify_layout({"nests", "--from", kLayout, "--to", kOrdered, "--tensor", kTensor, "--format", "dci"}).code,
            2);
}

TEST(CheckNests, RefutesEachFaultWithTheMoveOrTheElement) {
  struct Fault {
    const char* name;
    const char* from;
    const char* to;
    std::vector<std::string> answers;
  };
  const std::vector<std::string> other = {"in-bounds proved", "covers-once proved", "implements refuted"};
  const std::vector<std::string> misses = {"in-bounds proved", "covers-once refuted", "implements refuted"};
  const std::vector<std::string> outside = {"in-bounds refuted", "covers-once proved", "implements refuted"};
  const std::vector<Fault> faults = {
      {"a lane less", "5,22]", "5,21]", misses},
      {"a lane more", "5,22]", "5,23]", outside},
      {"a row less", "[2,100,", "[2,99,", misses},
      {"a row more", "[2,100,", "[2,101,", outside},
      {"host offset less", "\"host_offset\":128", "\"host_offset\":127", other},
      {"host stride of the batch", "[64,150,15000,1]", "[64,150,14999,1]", other},
      {"device offset less", "\"device_offset\":640", "\"device_offset\":639", misses},
      {"device strides swapped", "\"device_strides\":[320,960,64,1]", "\"device_strides\":[960,320,64,1]", misses},
      {"a negative stride",
       "[64,150,15000,1]",
       "[64,150,15000,-1]",
       {"in-bounds refuted", "covers-once proved", "implements refuted"}},
      {"a stride of zero", "\"device_strides\":[320,960,64,1]", "\"device_strides\":[320,960,64,0]", misses},
      {"an extent of zero", "[1,100,5,22]", "[1,100,5,0]", misses},
  };
  const Folder folder;
  for (const Fault& fault : faults) {
    const Ran ran = check(folder.file("n.json", replaced(kExample, fault.from, fault.to)));
    EXPECT_EQ(ran.code, 10) << fault.name;
    EXPECT_EQ(answers(ran), fault.answers) << fault.name;
  }
}

TEST(CheckNests, PrintsTheUsualRecords) {
  const Folder folder;
  const Ran ran = check(folder.file("n.json", replaced(kExample, "\"host_offset\":128", "\"host_offset\":127")));
  std::istringstream lines(ran.out);
  std::vector<Json> records;
  for (std::string line; std::getline(lines, line);) records.push_back(Json::parse(line));
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(records[3]["claim"], "implements");
  EXPECT_EQ(records[3]["case"], nullptr);
  EXPECT_EQ(records[3]["certificate"], "checked");
  EXPECT_EQ(records[3]["counterexample"],
            Json({{"nest", 1}, {"iteration", {0, 0, 0, 0}}, {"host", 127}, {"device", 640}}));
  EXPECT_EQ(records[4]["refuted"], 1);
  EXPECT_EQ(records[4]["proved"], 2);
}

TEST(CheckNests, AsksTheClaimsThatAreNamed) {
  const Folder folder;
  const std::string file = folder.file("n.json", kExample);
  EXPECT_EQ(answers(check(file, {"--claim", "implements", "--claim", "in-bounds"})),
            (std::vector<std::string>{"implements proved", "in-bounds proved"}));
  EXPECT_EQ(answers(check(file, {"--claim", "no-overlap", "--claim", "symmetric"})),
            (std::vector<std::string>{"no-overlap proved", "symmetric proved"}));
  // covers-once says nothing of padding, no-overlap does: the ragged nest one lane too long, twice.
  const std::string twice =
      replaced(kExample, "]}\n",
               R"(,{"extents":[2],"host_strides":[0],"device_strides":[0],"host_offset":0,"device_offset":662}]})");
  EXPECT_EQ(answers(check(folder.file("p.json", twice),
                          {"--claim", "covers-once", "--claim", "no-overlap", "--claim", "in-bounds"})),
            (std::vector<std::string>{"covers-once proved", "no-overlap refuted", "in-bounds proved"}));
}

TEST(CheckNests, RefusesWrongFilesAndUsage) {
  const Folder folder;
  const std::string good = folder.file("good.json", kExample);
  const auto refused = [&](const std::string& name, const std::string& text, const std::string& where) {
    const Ran ran = check(folder.file(name, text));
    EXPECT_EQ(ran.code, 2) << name;
    EXPECT_NE(ran.err.find(folder.at(name) + where), std::string::npos) << name << "\n" << ran.err;
    if (!text.empty()) {
      EXPECT_NE(ran.err.find('^'), std::string::npos) << ran.err;
    }
    EXPECT_EQ(ran.out.find("\"verdict\""), std::string::npos) << ran.out;
  };
  refused("short.json",
          replaced(kExample, "[64,150,15000,1],\"device_strides\":[320,960,64,1],\"host_offset\":128",
                   "[64,150,1],\"device_strides\":[320,960,64,1],\"host_offset\":128"),
          ":2:68: extents has 4 entries and host_strides has 3");
  refused("unknown.json", replaced(kExample, "\"nests\"", "\"nest\""), ":1:20: unknown field 'nest'");
  refused("empty.json", "", ":1:1: expected nests");
  refused("cut.json", kExample.substr(0, 99), ":1:85: this string does not end");
  EXPECT_EQ(check(folder.at("missing.json")).code, 2);
  EXPECT_EQ(check(folder.path()).code, 2);
  EXPECT_EQ(check("-").code, 2);  // standard input is empty
  EXPECT_EQ(check(good, {"--claim", "bijective"}).code, 64);
  EXPECT_EQ(check(good, {"--claim", "implements=3"}).code, 64);
  EXPECT_EQ(verify_layout({"check", "--layout", kLayout, "--tensor", kTensor, "--claim", "implements"}).code, 64);
  EXPECT_EQ(verify_layout({"check", good, "--nests", good}).code, 64);
  EXPECT_EQ(verify_layout({"check", "--layout", kLayout, "--tensor", kTensor, "--from", kLayout}).code, 64);
  EXPECT_EQ(nests(kLayout, kTensor, {"--direction", "d2d"}).code, 64);
  EXPECT_EQ(nests(kLayout, kTensor, {"--from", kLayout, "--direction", "h2d"}).code, 64);
  EXPECT_EQ(nests("SpyreTensorLayout(", kTensor).code, 2);
  EXPECT_EQ(nests(kLayout, "f16[5,100,150").code, 2);
}

TEST(Nests, OfAnElementArrangementThatIsNotEncodedAreUndecided) {
  const Ran ran = nests("SpyreTensorLayout([1, 64], [64, 1], SEN169_FP16, EXX2)", "f16[64]");
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("--layout: "), std::string::npos) << ran.err;
}

// Both copies are written, at 0 1 and 4 5. Such a layout has no way back from slots, which a certificate once took.
TEST(Nests, OfReplicatedLayoutsAreDecided) {
  const Folder folder;
  const std::string file = folder.file(
      "nests.json", R"({"direction":"h2d","nests":[{"extents":[2,2],"host_strides":[0,1],"device_strides":[4,1],)"
                    R"("host_offset":0,"device_offset":0}]})");
  EXPECT_EQ(answers(check(file, {}, "S[2:1] + R[2:4]", "u8[2]")), kAllProved);
}

TEST(ClaimsList, NamesTheClaimsAboutNests) {
  const Ran ran = verify_layout({"claims"});
  for (const char* claim :
       {"\nin-bounds        of nests", "\ncovers-once ", "\nimplements ", "\nno-overlap ", "\nsymmetric "})
    EXPECT_NE(ran.out.find(claim), std::string::npos) << claim;
}

}  // namespace cli_nests_test
}  // namespace vl
