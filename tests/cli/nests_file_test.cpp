// Nests in files: the JSON, the runtime's log and the compact notation are read and printed. Every error has the place
// at which its message must point.
#include "verifier/session/nests_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/spyre/nests_log.h"
#include "tests/support/nests.h"
#include "verifier/report/nests.h"

namespace vl::cli {
namespace cli_nests_file_test {

using use::Direction;
using use::Transfer;

// The example of the README, as text and as what it means.
const std::string& kJson = test::nests::kExample;
const Transfer kExample{Direction::HostToDevice,
                        {{{2, 100, 5, 64}, {{64, 150, 15000, 1}, 0}, {{320, 960, 64, 1}, 0}},
                         {{1, 100, 5, 22}, {{64, 150, 15000, 1}, 128}, {{320, 960, 64, 1}, 640}}}};

// The log of torch-spyre issue #1303, cut before spi_: [1,3,128] on device_size [3,2,1,64].
const std::string kLog = R"([ spyre_copy_from ]  dst ( Half ) on: spyre:0
[ generate_dci ]  DataConversionInfo:  {
  "dsName_" : "DCI-Tensor-0",
  "isHostToSen_" : 1,
  "dataformat_src_" : 15,
  "dataformat_dst_" : 0,
  "dcOpName_" : 0,
  "pre_expand_dcsi_" : [
  ],
  "pre_input_shape_" : [],
  "dcsi_" : [
    {
      "size_" : [64, 1, 2, 3],
      "offset_src_" : 0,
      "stride_src_" : [1, 384, 64, 128],
      "offset_dst_" : 0,
      "stride_dst_" : [1, 64, 64, 128]
    }
  ],
  "input_shape_" : [128, 3, 1],
  "output_shape_" : [64, 1, 2, 3],
  "useSpi_" : 0,
  "spi_" :{
    "valOrIdx_" : 0
  },
  "gii_" :{
    "compress_factor_" : 1,
    "skip_addr_" : []
  }
}
[ copyAsync ]  done
)";

Transfer parsed(std::string_view text, std::optional<Direction> direction = {}) {
  const auto transfer = session::parse_nests(text, direction);
  EXPECT_TRUE(transfer.has_value()) << transfer.error().message << " at " << transfer.error().offset;
  return transfer ? *transfer : Transfer{};
}

TEST(NestsFile, ReadsAndPrintsTheExampleOfTheInterfaceLetterByLetter) {
  EXPECT_EQ(parsed(kJson), kExample);
  EXPECT_EQ(report::nests_to_json(kExample), kJson);
}

TEST(NestsFile, ReadsFieldsInAnyOrderAndEscapes) {
  EXPECT_EQ(parsed(R"( { "nests" : [ {"device_offset":4,"\u0065xtents":[ ],"host_strides":[],"host_offset":-3,)"
                   R"("device_strides":[]} ] ,
                        "direction" : "d2h" } )"),
            (Transfer{Direction::DeviceToHost, {{{}, {{}, 4}, {{}, -3}}}}));
}

TEST(NestsFile, JudgesNoNumbers) {
  EXPECT_EQ(
      parsed(R"({"direction":"h2d","nests":[{"extents":[0,9223372036854775807],"host_strides":[0,-9223372036854775808],
                       "device_strides":[-1,0],"host_offset":-1,"device_offset":9223372036854775807}]})"),
      (Transfer{Direction::HostToDevice, {{{0, INT64_MAX}, {{0, INT64_MIN}, -1}, {{-1, 0}, INT64_MAX}}}}));
  EXPECT_EQ(parsed(R"({"direction":"h2d","nests":[]})"), (Transfer{Direction::HostToDevice, {}}));
}

TEST(NestsFile, SwapsTheSidesOfADeviceToHostTransfer) {
  Transfer back = use::reversed(kExample);
  EXPECT_EQ(parsed(report::nests_to_json(back)), back);
  EXPECT_EQ(back.nests[1].source.offset, 640);
  EXPECT_NE(
      report::nests_to_json(back).find(R"({"direction":"d2h","nests":[{"extents":[2,100,5,64],"host_strides":[64,150)"),
      std::string::npos);
}

TEST(NestsFile, NamesTheSidesOfAMoveBetweenDevicesFromAndTo) {
  const Transfer devices{Direction::DeviceToDevice, {{{2, 3}, {{3, 1}, 5}, {{1, 2}, 7}}}};
  const std::string json = R"({"direction":"d2d","nests":[{"extents":[2,3],"from_strides":[3,1],"to_strides":[1,2],)"
                           R"("from_offset":5,"to_offset":7}]})";
  EXPECT_EQ(parsed(json), devices);
  EXPECT_EQ(report::nests_to_json(devices), json + "\n");
}

TEST(NestsFile, ReadsTheLogOfTheRuntime) {
  const Transfer want{Direction::HostToDevice, {{{3, 2, 1, 64}, {{128, 64, 384, 1}, 0}, {{128, 64, 64, 1}, 0}}}};
  EXPECT_EQ(parsed(kLog), want);
  const std::size_t start = kLog.find('{');
  const std::string alone = kLog.substr(start, kLog.rfind('}') + 1 - start);
  EXPECT_EQ(parsed(alone), want);
  EXPECT_EQ(parsed(alone, Direction::HostToDevice), want);
}

TEST(NestsFile, ReadsWhatItPrintsInTheRuntimesForm) {
  const std::string dci =
      spyre::kNestsLog.print(kExample, std::vector<Index>{5, 100, 150}, std::vector<Index>{100, 3, 5, 64});
  EXPECT_NE(
      dci.find(
          "\"size_\" : [22, 5, 100, 1],\n      \"offset_src_\" : 128,\n      \"stride_src_\" : [1, 15000, 150, 64],"),
      std::string::npos)
      << dci;
  EXPECT_NE(dci.find("\"input_shape_\" : [150, 100, 5],\n  \"output_shape_\" : [64, 5, 3, 100]"), std::string::npos);
  EXPECT_EQ(parsed(dci), kExample);
  const Transfer back = use::reversed(kExample);
  const std::string there =
      spyre::kNestsLog.print(back, std::vector<Index>{5, 100, 150}, std::vector<Index>{100, 3, 5, 64});
  EXPECT_NE(there.find("\"isHostToSen_\" : 0"), std::string::npos);
  EXPECT_NE(there.find("\"offset_src_\" : 640"), std::string::npos);
  EXPECT_EQ(parsed(there), back);
}

TEST(NestsFile, ReadsTheCompactNotationAndItsAbbreviation) {
  const Transfer want{Direction::HostToDevice,
                      {{{3, 512, 64}, {{64, 240, 1}, 0}, {{32768, 64, 1}, 0}},
                       {{1, 512, 48}, {{64, 240, 1}, 192}, {{32768, 64, 1}, 98304}}}};
  const std::string full = "[64,512,3]|[1,240,64]|[1,64,32768]|0,0 ; [48,512,1]|[1,240,64]|[1,64,32768]|192,98304";
  EXPECT_EQ(parsed(full), want);
  EXPECT_EQ(parsed("[64,512,3] | [1,240,64] | [1,64,32768] | 0,0 ; [48,512,1] \xe2\x80\xa6 192,98304"), want);
  EXPECT_EQ(parsed("[64,512,3]|[1,240,64]|[1,64,32768]|0,0 ; [48,512,1] ... 192,98304"), want);
  EXPECT_EQ(parsed("[64,512,3]|[1,240,64]|[1,64,32768]|0,0 ; [48,512,1] 192,98304"), want);
  EXPECT_EQ(parsed(full, Direction::DeviceToHost), use::reversed(want));
  EXPECT_EQ(report::nests_to_compact(want), full + "\n");
  EXPECT_EQ(report::nests_to_compact(use::reversed(want)), full + "\n");
}

TEST(NestsFile, PrintsAListingForPeople) {
  EXPECT_EQ(report::nests_to_text({Direction::DeviceToHost, {{{2, 64}, {{640, 1}, 7}, {{64, 1}, 0}}}}),
            "device to host: 1 nest, 128 elements\n"
            "nest 0 moves 128 elements\n"
            "  loop    extent  device stride  host stride\n"
            "  0            2            640           64\n"
            "  1           64              1            1\n"
            "  offset                      7            0\n");
  const Index big = Index{1} << 40;
  EXPECT_NE(report::nests_to_text({Direction::DeviceToDevice, {{{big, big}, {{1, 1}, 0}, {{1, 1}, 0}}}})
                .find("more than 2^63 elements"),
            std::string::npos);
  EXPECT_EQ(report::nests_to_text({Direction::HostToDevice, {}}), "host to device: 0 nests, 0 elements\n");
}

// ---- what is refused

struct Wrong {
  const char* name;
  std::string text;
  std::string at;       // the caret stands in front of this (its first occurrence)
  std::string message;  // and the message holds this
  std::optional<Direction> direction = {};
};

std::string nest(std::string_view fields) { return fmt::format(R"({{"direction":"h2d","nests":[{{{}}}]}})", fields); }

const std::string kGood =
    R"("extents":[2,3],"host_strides":[3,1],"device_strides":[64,1],"host_offset":0,"device_offset":0)";

std::string with(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

// A DCI of one nest with `more` behind it.
std::string dci(std::string_view more,
                std::string_view fields =
                    R"("size_":[3,2],"offset_src_":0,"stride_src_":[1,3],"offset_dst_":0,"stride_dst_":[1,64])") {
  return fmt::format(R"({{"isHostToSen_":1,"dcsi_":[{{{}}}]{}}})", fields, more);
}

const std::vector<Wrong> kWrong = {
    {"empty", "", "", "expected nests as JSON"},
    {"blank", " \n\t", "", "found the end"},
    {"a word", "nests", "nests", "found 'nests'"},
    {"a list", "[]", "", "no nest before this one"},
    {"a number", "17", "17", "expected nests"},
    {"only a brace", "{", "", "a field in quotes"},
    {"truncated", kJson.substr(0, 200), "", "found the end"},
    {"truncated in a string", R"({"direc)", "\"direc", "does not end"},
    {"text behind it", kJson + "x", "x\0", "expected the end, found 'x'"},
    {"a second object", nest(kGood) + "{}", "{}", "expected the end"},
    {"no direction", R"({"nests":[]})", "{", "'direction' is missing"},
    {"no nests", R"({"direction":"h2d"})", "{", "'nests' is missing"},
    {"no fields", "{}", "{", "'direction' is missing"},
    {"direction of no kind", R"({"direction":"up","nests":[]})", "\"up\"", "\"d2h\""},
    {"direction that is no string", R"({"direction":1,"nests":[]})", "1", "\"h2d\""},
    {"another direction than expected", nest(kGood), "\"h2d\"", "expected \"d2h\"", Direction::DeviceToHost},
    {"unknown field", R"({"direction":"h2d","nests":[],"loops":3})", "\"loops\"", "unknown field 'loops'"},
    {"unknown field of a nest", nest(kGood + R"(,"host_stride":[1])"), "\"host_stride\"",
     "unknown field 'host_stride'"},
    {"a field that would act on a terminal", nest("\"\\u001b[31m\":1"), "\"\\u001b", "unknown field '?[31m'"},
    {"field twice", nest(kGood + R"(,"extents":[1])"), R"("extents":[1])", "comes twice"},
    {"direction twice", R"({"direction":"h2d", "direction":"h2d","nests":[]})", R"("direction":"h2d","nests")",
     "comes twice"},
    {"nests that are no list", R"({"direction":"h2d","nests":{}})", "{}", "a list of nests"},
    {"a nest that is no object", R"({"direction":"h2d","nests":[[1,2]]})", "[1,2]", "a nest {..}"},
    {"no extents", nest(R"("host_strides":[],"device_strides":[],"host_offset":0,"device_offset":0)"), "{\"host",
     "'extents' is missing"},
    {"no host strides", nest(R"("extents":[],"device_strides":[],"host_offset":0,"device_offset":0)"), "{\"ext",
     "'host_strides' is missing"},
    {"no device strides", nest(R"("extents":[],"host_strides":[],"host_offset":0,"device_offset":0)"), "{\"ext",
     "'device_strides' is missing"},
    {"no host offset", nest(R"("extents":[],"host_strides":[],"device_strides":[],"device_offset":0)"), "{\"ext",
     "'host_offset' is missing"},
    {"no device offset", nest(R"("extents":[],"host_strides":[],"device_strides":[],"host_offset":0)"), "{\"ext",
     "'device_offset' is missing"},
    {"host strides too short", nest(with(kGood, "[3,1]", "[3]")), "[3]",
     "extents has 2 entries and host_strides has 1"},
    {"device strides too long", nest(with(kGood, "[64,1]", "[64,1,1]")), "[64,1,1]",
     "extents has 2 entries and device_strides has 3"},
    {"extents too long", nest(with(kGood, "[2,3]", "[2,3,4]")), "[3,1]",
     "extents has 3 entries and host_strides has 2"},
    {"negative extent", nest(with(kGood, "[2,3]", "[2,-3]")), "-3", "not negative, found -3"},
    {"extents that are no list", nest(with(kGood, "[2,3]", "6")), "6", "a list of integers for 'extents'"},
    {"a list for an offset", nest(with(kGood, "\"host_offset\":0", "\"host_offset\":[0]")), "[0]", "a 64-bit integer"},
    {"a string for a number", nest(with(kGood, "[2,3]", "[2,\"3\"]")), "\"3\"", "a 64-bit integer"},
    {"null for a number", nest(with(kGood, "[2,3]", "[2,null]")), "null", "a 64-bit integer"},
    {"true for a number", nest(with(kGood, "[2,3]", "[2,true]")), "true", "a 64-bit integer"},
    {"a fraction", nest(with(kGood, "[2,3]", "[2,3.5]")), ".5", "'.' after the digits"},
    {"an exponent", nest(with(kGood, "[2,3]", "[2,3e2]")), "e2", "after the digits"},
    {"a plus", nest(with(kGood, "[2,3]", "[2,+3]")), "+3", "'+'"},
    {"a leading zero", nest(with(kGood, "[2,3]", "[2,03]")), "03", "leading zero"},
    {"beyond 64 bits", nest(with(kGood, "[2,3]", "[2,9223372036854775808]")), "9223372036854775808",
     "does not fit in 64 bits"},
    {"below 64 bits", nest(with(kGood, "[3,1]", "[3,-9223372036854775809]")), "-9223372036854775809",
     "does not fit in 64 bits"},
    {"a trailing comma", nest(with(kGood, "[2,3]", "[2,3,]")), "],\"host", "another value after ','"},
    {"round brackets", nest(with(kGood, "[2,3]", "(2,3)")), "(2,3)", "a list of integers"},
    {"a missing comma", nest(with(kGood, "[2,3]", "[2 3]")), "3],", "expected ',' or ']', found '3'"},
    {"a missing colon", nest(with(kGood, "\"extents\":", "\"extents\"")), "[2,3]", "expected ':'"},
    {"a key without quotes", nest("extents:[]"), "extents", "a field in quotes"},
    {"an escape that is none", nest("\"\\x65xtents\":[]"), "\"\\x65", "escape"},
    {"a comment", "{/*x*/}", "/*x*/", "a field in quotes"},
    {"fields of another kind",
     nest(
         with(with(with(with(kGood, "host_s", "from_s"), "device_s", "to_s"), "host_o", "from_o"), "device_o", "to_o")),
     "{\"ext", "'host_strides' is missing"},
    {"both kinds of fields", nest(kGood + R"(,"to_offset":1)"), "1}]}", "'to_offset' is not a field of h2d nests"},
    {"host fields between devices", with(nest(kGood), "h2d", "d2d"), "[3,1]", "'host_strides' is not a field of d2d"},
    // the compact notation
    {"compact without strides", "[1,2]|0,0", "0,0", "host strides"},
    {"compact, first abbreviated", "[1,2] ... 0,0", "...", "no nest before"},
    {"compact, lengths", "[64,2]|[1]|[1,64]|0,0", "[1]", "host_strides has 1"},
    {"compact, lengths of an abbreviation", "[64,2]|[1,64]|[1,64]|0,0 ; [3] 1,1", "[3]", "host_strides has 2"},
    {"compact without offsets", "[2]|[1]|[1]", "", "'|'"},
    {"compact with one offset", "[2]|[1]|[1]|0", "", "','"},
    {"compact, negative extent", "[-2]|[1]|[1]|0,0", "[-2]", "not negative"},
    {"compact, a number beyond 64 bits", "[2]|[1]|[99999999999999999999]|0,0", "99999999999999999999", "64 bits"},
    {"compact, a comma between nests", "[2]|[1]|[1]|0,0, [2] 1,1", ", [2]", "expected the end"},
    {"compact, an empty nest at the end", "[2]|[1]|[1]|0,0;", "", "found the end"},
    {"compact between devices", "[2]|[1]|[1]|0,0", "[2]", "no compact form", Direction::DeviceToDevice},
    // the runtime's print
    {"dci without direction", R"({"dcsi_":[]})", "{", "'isHostToSen_' is missing"},
    {"dci without nests", "DataConversionInfo: {\"isHostToSen_\":1}", "{", "'dcsi_' is missing"},
    {"dci, direction 2", with(dci(""), "_\":1", "_\":2"), "2,", "0 or 1"},
    {"dci, another direction", dci(""), "1,", "expected d2h", Direction::DeviceToHost},
    {"dci, lengths", dci("", R"("size_":[3,2],"offset_src_":0,"stride_src_":[1],"offset_dst_":0,"stride_dst_":[1,64])"),
     "[1]", "size_ has 2 entries and stride_src_ has 1"},
    {"dci, missing field", dci("", R"("size_":[3,2],"stride_src_":[1,3],"offset_dst_":0,"stride_dst_":[1,64])"),
     "{\"size_\"", "'offset_src_' is missing"},
    {"dci, unknown field of a nest", dci("", R"("size":[3,2])"), "\"size\"", "unknown field 'size'"},
    {"dci, negative size", dci("", R"("size_":[3,-2])"), "-2", "not negative"},
    {"dci that expands before", dci(R"(,"pre_expand_dcsi_":[{"size_":[1]}])"), "\"pre_expand_dcsi_\"", "not empty"},
    {"dci that slices after", dci(R"(,"post_slice_dcsi_":[{}, 1])"), "\"post_slice_dcsi_\"", "not empty"},
    {"dci of another operation", dci(R"(,"dcOpName_":3)"), "\"dcOpName_\"", "not empty"},
    {"dci with sparse parameters", dci(R"(,"useSpi_":1)"), "\"useSpi_\"", "not empty"},
    {"dci with an unknown field", dci(R"(,"scatter_":{"a":[0,7]})"), "\"scatter_\"", "not empty"},
    {"dci twice in a log", kLog + kLog,
     "DataConversionInfo:  {\n  \"dsName_\" : \"DCI-Tensor-0\",\n  \"isHostToSen_\" : 1", "a log of one transfer"},
    {"dci with text behind it", dci("") + "]", "]\0", "expected the end"},
};

TEST(NestsFile, RefusesEachWrongTextAtItsPlace) {
  for (const Wrong& wrong : kWrong) {
    const auto transfer = session::parse_nests(wrong.text, wrong.direction);
    ASSERT_FALSE(transfer.has_value()) << wrong.name;
    const Error& error = transfer.error();
    EXPECT_NE(error.message.find(wrong.message), std::string::npos) << wrong.name << ": " << error.message;
    std::size_t want = wrong.at.empty() ? wrong.text.size() : wrong.text.find(wrong.at);
    if (std::string_view(wrong.name) == "dci twice in a log") want = wrong.text.rfind("DataConversionInfo:");
    if (std::string_view(wrong.name) == "text behind it" || std::string_view(wrong.name) == "dci with text behind it")
      want = wrong.text.size() - 1;
    EXPECT_EQ(error.offset, want) << wrong.name << ": " << error.message;
  }
}

TEST(NestsFile, AcceptsFieldsOfTheRuntimeThatAreEmpty) {
  EXPECT_EQ(parsed(dci(R"(,"new_":0,"a_":[],"b_":{"x":[0,null,false],"y":""},"input_shape_":[7])")),
            (Transfer{Direction::HostToDevice, {{{2, 3}, {{3, 1}, 0}, {{64, 1}, 0}}}}));
}

TEST(NestsFile, HasLimitsOnDepthSizeLoopsAndNests) {
  const auto refused = [](const std::string& text, const std::string& message) {
    const auto transfer = session::parse_nests(text);
    ASSERT_FALSE(transfer.has_value()) << message;
    EXPECT_NE(transfer.error().message.find(message), std::string::npos) << transfer.error().message;
  };
  refused("{\"dcsi_\":[],\"x\":" + std::string(1'000'000, '[') + "}", "at most 64 lists and objects");
  refused("{\"direction\":\"h2d\",\"nests\":" + std::string(1'000'000, '[') + "}", "a nest {..}");
  refused(std::string(1'000'000, '['), "an integer");
  refused(std::string(session::kLargestNestsFile + 1, ' '), "bytes of nests");
  std::string loops;
  for (std::size_t i = 0; i <= session::kMostLoops; ++i) loops += i == 0 ? "1" : ",1";
  refused(fmt::format("[{}]|[{}]|[{}]|0,0", loops, loops, loops), "at most 256 loops");
  std::string nests;
  for (std::size_t i = 0; i <= session::kMostNests; ++i) nests += i == 0 ? "[]|[]|[]|0,0" : ";[]0,0";
  refused(nests, "at most 65536 nests");
  nests.resize(nests.rfind(';'));
  EXPECT_EQ(parsed(nests).nests.size(), session::kMostNests);
}

// Every prefix of a good text is refused, unless it is complete; nothing crashes or hangs on the way.
TEST(NestsFile, RefusesEveryPrefix) {
  std::size_t refused = 0;
  for (const std::string& text :
       {kJson, kLog, dci(""),
        std::string("[64,512,3]|[1,240,64]|[1,64,32768]|0,0 ; [48,512,1] \xe2\x80\xa6 192,98304")})
    for (std::size_t size = 0; size < text.size(); ++size)
      refused += session::parse_nests(text.substr(0, size)).has_value() ? 0 : 1;
  EXPECT_GE(refused, kJson.size() + kLog.rfind('}') + dci("").size() + 38 - 2);
}

TEST(NestsFile, NamesTheFileLineAndColumn) {
  const test::Folder folder;
  const auto diagnose = [](const std::string& path) {
    const auto read = session::read_nests(path);
    const auto* diagnostic = std::get_if<Diagnostic>(&read);
    return diagnostic != nullptr ? to_string(*diagnostic) : "no error";
  };
  const std::string path =
      folder.file("n.json", with(kJson, "[64,150,15000,1],\"device_strides\":[320,960,64,1],\"host_offset\":128",
                                 "[64,150,1],\"device_strides\":[320,960,64,1],\"host_offset\":128"));
  const std::string said = diagnose(path);
  EXPECT_NE(said.find(path + ":2:68: extents has 4 entries and host_strides has 3"), std::string::npos) << said;
  EXPECT_NE(said.find('^'), std::string::npos);
  EXPECT_EQ(diagnose(folder.at("missing")),
            folder.at("missing") + ": cannot be opened: No such file or directory; expected loop nests");
  EXPECT_EQ(diagnose(folder.path()), folder.path() + ": is a folder; expected loop nests");
  EXPECT_NE(diagnose(folder.file("empty", "")).find("empty:1:1: expected nests"), std::string::npos);
}

}  // namespace cli_nests_file_test
}  // namespace vl::cli
