// Many mutated files against one command. Where the command takes many files, many are given to one process; a process
// that ends badly is run again with halves of its files, down to one file. That file is kept, and the failure names it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/hostile/mutants.h"
#include "tests/hostile/table.h"
#include "tests/support/shard.h"

namespace vl::test::hostile {

/// Files of each format that has a process for each, and of the others; the sanitized program is slower.
const std::size_t kMutants = kSanitized ? 25 : static_cast<std::size_t>(cases(300, 2000));
const std::size_t kMutantsAtOnce = kSanitized ? 60 : kMutants;

struct Swarm {
  std::string format;                      // the files' names end so, behind a dot
  std::size_t at_once = 1;                 // files of one process
  std::function<Ended(const Words&)> run;  // of the files' paths
  std::vector<int> codes;
};

inline void expect_survivors(const Swarm& swarm, const Words& files) {
  const Ended ended = swarm.run(files);
  if (!ended.hung && std::ranges::count(swarm.codes, ended.code) == 1) return;
  if (files.size() > 1) {
    const auto middle = files.begin() + static_cast<std::ptrdiff_t>(files.size() / 2);
    const int failures = ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    expect_survivors(swarm, {files.begin(), middle});
    expect_survivors(swarm, {middle, files.end()});
    if (::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() > failures) return;
  }
  Words kept;
  for (const std::string& file : files) {
    if (kept.size() == 3) break;
    kept.push_back(std::filesystem::temp_directory_path() /
                   ("vl-hostile-" + std::filesystem::path(file).filename().string()));
    std::filesystem::copy_file(file, kept.back(), std::filesystem::copy_options::overwrite_existing);
  }
  ADD_FAILURE() << files.size() << " files of " << swarm.format << ", kept as: " << told(kept, ended);
}

/// Makes and runs the files; `finish` may change each before it is written.
inline void attack_with(const Swarm& swarm, Mutants& mutants,
                        const std::function<std::string(std::string)>& finish = {}, std::size_t most = 0) {
  const std::size_t count = most != 0 ? most : swarm.at_once == 1 ? kMutants : kMutantsAtOnce;
  const Folder folder;
  for (std::size_t from = 0; from < count; from += swarm.at_once) {
    Words files;
    for (std::size_t i = from; i < std::min(count, from + swarm.at_once); ++i) {
      std::string made = mutants.make(i);
      files.push_back(folder.file(std::to_string(i) + "." + swarm.format, finish ? finish(std::move(made)) : made));
    }
    const Content before = folder.content();
    expect_survivors(swarm, files);
    EXPECT_EQ(difference({}, before, folder.content()), "") << "files of " << swarm.format << " from " << from;
    for (const std::string& file : files) std::filesystem::remove(file);
    if (::testing::Test::HasFailure()) return;  // the first bad files are enough
  }
}

}  // namespace vl::test::hostile
