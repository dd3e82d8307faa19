// nests, check --nests, nests in case files, and exec run, as programs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl {
namespace cli_nests_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kLayout =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
const std::string kOrdered = "SpyreTensorLayout((5, 100, 150), torch.float16, [1, 0, 2])";
const std::string kTensor = "f16[5,100,150]";

// The documented JSON, letter by letter.
const std::string kExample =
    R"({"direction":"h2d","nests":[{"extents":[2,100,5,64],"host_strides":[64,150,15000,1],"device_strides":[320,960,64,1],"host_offset":0,"device_offset":0},
                            {"extents":[1,100,5,22],"host_strides":[64,150,15000,1],"device_strides":[320,960,64,1],"host_offset":128,"device_offset":640}]}
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("nothing to replace: " + std::string(from));
  return text.replace(at, from.size(), to);
}

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

// "claim verdict" of each answer, in order.
std::vector<std::string> answers(const Ran& ran) {
  std::vector<std::string> out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (record["kind"] == "verdict")
      out.push_back(fmt::format("{} {}", record["claim"].get<std::string>(), record["verdict"].get<std::string>()));
  }
  return out;
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

TEST(ClaimsList, NamesTheClaimsAboutNests) {
  const Ran ran = verify_layout({"claims"});
  for (const char* claim :
       {"\nin-bounds        of nests", "\ncovers-once ", "\nimplements ", "\nno-overlap ", "\nsymmetric "})
    EXPECT_NE(ran.out.find(claim), std::string::npos) << claim;
}

// ---- case files

std::string case_with(const std::string& claim) {
  return fmt::format("schema = 1\n[[case]]\nid = \"a\"\nlayout = \"{}\"\ntensor = \"{}\"\n[[case.claim]]\n{}", kLayout,
                     kTensor, claim);
}

const std::string kTables = R"(nests = [
  { extents = [2, 100, 5, 64], host_strides = [64, 150, 15000, 1], device_strides = [320, 960, 64, 1], host_offset = 0, device_offset = 0 },
  { extents = [1, 100, 5, 22], host_strides = [64, 150, 15000, 1], device_strides = [320, 960, 64, 1], host_offset = 128, device_offset = 640 },
]
)";

TEST(NestCases, HoldTablesOrATextAndADirection) {
  const Folder folder;
  const std::string text = "nests = \"[64,5,100,2]|[1,15000,150,64]|[1,64,960,320]|0,0 ; [22,5,100,1] 128,640\"\n";
  std::string json = "nests = '''" + kExample + "'''\n";
  const std::string file = folder.file(
      "c.toml",
      case_with("claim = \"in-bounds\"\nexpect = \"proved\"\n" + kTables) +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\ndirection = \"d2h\"\n" + kTables +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\n" + text +
          "[[case.claim]]\nclaim = \"covers-once\"\nexpect = \"proved\"\ndirection = \"d2h\"\n" + text +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\n" + json +
          "[[case.claim]]\nclaim = \"implements\"\nexpect = \"refuted\"\ncounterexample = { nest = 1, host = 127 }\n" +
          replaced(kTables, "128", "127") + "[[case.claim]]\nclaim = \"in-bounds\"\nexpect = \"proved\"\n");
  const Ran ran = verify_layout({"check", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(answers(ran), (std::vector<std::string>{"in-bounds proved", "implements proved", "implements proved",
                                                    "covers-once proved", "implements proved", "implements refuted",
                                                    "in-bounds proved"}));
}

TEST(NestCases, BetweenDevicesNameTheLayoutTheyComeFrom) {
  const Folder folder;
  const std::string file = folder.file("c.toml",
                                       "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"SpyreTensorLayout([3, 1, 64], "
                                       "[64, 64, 1], SEN169_FP16)\"\ntensor = \"f16[3,64]\"\n"
                                       "[[case.claim]]\nclaim = \"implements\"\ndirection = \"d2d\"\nwith = "
                                       "\"SpyreTensorLayout([1, 3, 64], [64, 64, 1], SEN169_FP16)\"\n"
                                       "expect = \"proved\"\nnests = [ { extents = [192], from_strides = [1], "
                                       "to_strides = [1], from_offset = 0, to_offset = 0 } ]\n");
  const Ran ran = verify_layout({"check", file, "--format", "jsonl"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(answers(ran), std::vector<std::string>{"implements proved"});
}

TEST(NestCases, PointAtWhatIsWrong) {
  struct Wrong {
    const char* name;
    std::string claim;
    const char* where;
  };
  const std::string head = "claim = \"implements\"\n";
  const std::vector<Wrong> all = {
      {"no nests", head, ":7:9: 'implements' is about loop nests"},
      {"a claim about layouts", "claim = \"bijective\"\n" + kTables, ":7:9: 'bijective' is not a claim about nests"},
      {"a direction without nests", "claim = \"in-bounds\"\ndirection = \"h2d\"\n",
       ":8:13: a direction goes with nests"},
      {"a direction of no kind", head + "direction = \"up\"\n" + kTables, ":8:13: expected \"h2d\""},
      {"nests that are a number", head + "nests = 3\n", ":8:9: expected a list of nests"},
      {"a nest that is a number", head + "nests = [3]\n", ":8:9: expected a list of nests"},
      {"unknown key", head + "nests = [{ extents = [], host_stride = [] }]\n", ":8:26: unknown key 'host_stride'"},
      {"missing key", head + "nests = [{ extents = [] }]\n", ":8:10: the field 'host_strides' is missing"},
      {"key of another kind", head + replaced(kTables, "host_offset = 0", "from_offset = 0"),
       ":9:3: the field 'host_offset' is missing"},
      {"lengths", head + replaced(kTables, "host_strides = [64, 150, 15000, 1]", "host_strides = [64, 150, 15000]"),
       ":9:47: extents has 4 entries and host_strides has 3"},
      {"negative extent", head + replaced(kTables, "[2, 100,", "[2, -100,"),
       ":9:19: expected an extent that is not negative"},
      {"a string for a number", head + replaced(kTables, "[2, 100,", "[2, \"100\","), ":9:19: expected an integer"},
      {"a list for an offset", head + replaced(kTables, "host_offset = 128", "host_offset = [128]"),
       ":10:118: expected an integer for 'host_offset'"},
      {"a text", head + "nests = \"[64]|[1]|[1]|0\"\n", ":8:24: expected ',', found the end"},
      {"a text of another direction", head + "direction = \"d2h\"\nnests = '{\"direction\":\"h2d\",\"nests\":[]}'\n",
       ":9:23: expected \"d2h\" here"},
      {"a text on two lines", head + "nests = '''\n[64]|[1]|\n[1,2]|0,0'''\n",
       ":10:1: extents has 1 entries and device_strides has 2"},
      {"between devices without a source", head + "direction = \"d2d\"\nnests = []\n", "the key 'with' is missing"},
      {"a second layout for the host", head + "with = \"x\"\n" + kTables, ":8:8: 'implements' has no second layout"},
  };
  const Folder folder;
  for (const Wrong& wrong : all) {
    const std::string file = folder.file("c.toml", case_with(wrong.claim));
    const Ran ran = verify_layout({"check", file});
    EXPECT_EQ(ran.code, 2) << wrong.name << ran.out;
    EXPECT_NE(ran.err.find(wrong.where), std::string::npos) << wrong.name << "\n" << ran.err;
  }
  const std::string in_table =
      "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"x\"\ntensor = \"f16[1]\"\nexpect = { implements = \"proved\" }\n";
  EXPECT_NE(verify_layout({"check", folder.file("c.toml", in_table)})
                .err.find(":6:12: 'implements' is about loop nests; write it as [[case.claim]]"),
            std::string::npos);
}

// ---- exec run

std::string npy(std::string_view shape, std::string_view data) {
  std::string header = fmt::format("{{'descr': '<u2', 'fortran_order': False, 'shape': ({}), }}", shape);
  header.resize(118 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + std::string(data);
}

std::string counting(std::size_t units) {
  std::string out(units * 2, '\0');
  for (std::size_t i = 0; i < units; ++i) {
    const auto value = static_cast<std::uint16_t>(i * 31 + 7);
    std::memcpy(&out[i * 2], &value, 2);
  }
  return out;
}

TEST(ExecRun, IsPackAndUnpackForTheNestsOfTheLayout) {
  const Folder folder;
  const std::string host = folder.file("host.npy", npy("5, 100, 150", counting(75000)));
  const std::string there = folder.file("h2d.json", kExample);
  const std::string back = folder.file("d2h.json", replaced(kExample, "h2d", "d2h"));
  const Words layout{"--layout", kLayout, "--tensor", kTensor};
  const auto exec = [&](const std::string& verb, const std::string& in, const std::string& out, Words more) {
    Words words{"exec", verb, "--in", in, "--out", folder.at(out)};
    words.insert(words.end(), layout.begin(), layout.end());
    words.insert(words.end(), more.begin(), more.end());
    return verify_layout(words);
  };
  EXPECT_EQ(exec("pack", host, "packed.npy", {"--fill", "bits:0xFE01"}).code, 0);
  EXPECT_EQ(exec("run", host, "run.npy", {"--fill", "bits:0xFE01", "--nests", there}).code, 0);
  EXPECT_EQ(test::read_text(folder.at("run.npy")), test::read_text(folder.at("packed.npy")));
  EXPECT_EQ(exec("run", folder.at("run.npy"), "back.npy", {"--nests", back}).code, 0);
  EXPECT_EQ(test::read_text(folder.at("back.npy")), test::read_text(host));
  // Outside: named, and nothing is written.
  const std::string outside = folder.file("outside.json", replaced(kExample, "5,22]", "5,23]"));
  const Ran ran = exec("run", host, "outside.npy", {"--nests", outside});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("nest 1, iteration [0, 99, 4, 22] reads unit 75000; the source has 75000"), std::string::npos)
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder.at("outside.npy")));
  const std::string devices = folder.file("d2d.json", R"({"direction":"d2d","nests":[]})");
  EXPECT_EQ(exec("run", host, "d2d.npy", {"--nests", devices}).code, 2);
  EXPECT_EQ(exec("run", host, "none.npy", {}).code, 64);
}

}  // namespace cli_nests_test
}  // namespace vl
