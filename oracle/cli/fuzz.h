// What the commands fuzz and replay share between campaigns of layouts (fuzz.cpp, replay.cpp) and of padding
// (neutral_campaign.cpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/cli/arguments.h"

namespace vl::cli {

/// "2/8" is (2, 8); i counts from 0, or from 1, with n for 0.
[[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> shard_of(const std::string& text);
/// The more severe of two codes, in the order 11, 70, 10, 2, 5, 0.
[[nodiscard]] int worse(int a, int b);

/// fuzz --what neutral.
[[nodiscard]] int run_fuzz_neutral(const FuzzArguments& arguments);
/// fuzz --merge, of records of such campaigns. Nothing: the first file is none of them.
[[nodiscard]] std::optional<int> merge_neutral(const std::vector<std::string>& files);

/// The case files of campaigns `neutral` at a path: the file itself, or those of a folder.
[[nodiscard]] std::vector<std::string> neutral_case_files(const std::string& path);
/// Runs some again. All are read before the first one runs.
[[nodiscard]] int replay_neutral(const std::vector<std::string>& files, Format format);

}  // namespace vl::cli
