// Layouts and case files that several tests of `check` use, and the records of its answers.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/compiled_once.h"
#include "tests/support/process.h"
#include "verifier/cli/command_line.h"

namespace vl {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

inline const std::string kDoc =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
// Two sticks a row where three are needed.
inline const std::string kShort =
    "SpyreTensorLayout(device_size=[100, 2, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
inline const std::string kIssue =
    "SpyreTensorLayout(device_size=[2, 12, 1, 2, 64], stride_map =[720, 60, 64, 1200, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";

inline const char* const kGood = R"toml(schema = 1
[[case]]
id     = "good"
layout = "SpyreTensorLayout((5, 100, 150), torch.float16)"
tensor = "f16[5,100,150]"
expect = { in-bounds = "proved", padding = 21000 }
)toml";
inline const char* const kVacuous = R"toml(schema = 1
[[case]]
id     = "vacuous"
layout = "SpyreTensorLayout((0, 64), torch.float16)"
tensor = "f16[0,64]"
)toml";
inline const char* const kBad = R"toml(schema = 1
[[case]]
id     = "bad"
layout = "SpyreTensorLayout((0, 64), torch.float64)"
tensor = "f16[0,64]"
)toml";
inline const char* const kOpenRefutation = R"toml(schema = 1
[[case]]
id     = "refuted"
layout = "SpyreTensorLayout(device_size=[1, 1, 64], stride_map=[64, 128, 1], device_dtype=SEN169_FP16)"
tensor = "f16[2,128]"
)toml";

/// The records of a --format jsonl run, by kind.
struct Records {
  std::vector<Json> all;
  [[nodiscard]] std::vector<Json> of(std::string_view kind) const {
    std::vector<Json> out;
    std::ranges::copy_if(all, std::back_inserter(out), [&](const Json& record) { return record.at("kind") == kind; });
    return out;
  }
};

inline Records records(const std::string& lines) {
  Records out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    EXPECT_TRUE(Json::accept(line)) << line;
    if (Json::accept(line)) out.all.push_back(Json::parse(line));
  }
  EXPECT_TRUE(lines.empty() || lines.back() == '\n');
  return out;
}

/// The one record of a command that answers one question, which ends with that code.
inline Json one_record(const char* command, Words words, int code) {
  words.insert(words.begin(), command);
  words.insert(words.end(), {"--format", "jsonl"});
  const Ran run = verify_layout(words);
  EXPECT_EQ(run.code, code) << run.out << run.err;
  const auto all = records(run.out).all;
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Json() : all.front();
}

/// What verify-layout does with these words, by a call in this process, which takes a tenth of the time of one of its
/// own. For commands of the verifier that ask no solver's process: the child would be this program.
inline Ran called(Words words, std::span<const cli::Command> commands = cli::commands()) {
  words.insert(words.begin(), "verify-layout");
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran out;
  out.code = cli::run_program(commands, static_cast<int>(pointers.size()), pointers.data());
  out.out = testing::internal::GetCapturedStdout();
  out.err = testing::internal::GetCapturedStderr();
  return out;
}

/// The verdicts of a call of `check`, which ends with that code.
inline std::vector<Json> verdicts_of(Words words, int code) {
  words.insert(words.begin(), {"check", "--format", "jsonl"});
  const Ran ran = called(words);
  EXPECT_EQ(ran.code, code) << fmt::format("{}", fmt::join(words, " ")) << "\n" << ran.out << ran.err;
  return records(ran.out).of("verdict");
}
inline Json verdict_of(const Words& words, int code) {
  const std::vector<Json> all = verdicts_of(words, code);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Json::object() : all.front();
}

inline std::string without_times(const std::string& text) {
  return test::with_matches_replaced(text, R"("(certificate_)?micros": ?[-+.0-9e]+)", "\"micros\":0");
}

inline std::string answers(const Records& run) {
  std::string out;
  for (const Json& record : run.of("verdict"))
    out +=
        fmt::format("{}={} ", record.at("claim").get<std::string>(),
                    record.at("value").is_null() ? record.at("verdict").get<std::string>() : record.at("value").dump());
  return out;
}

}  // namespace vl
