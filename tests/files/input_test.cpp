// Inputs that change while they are read, and pipes that take no more memory than they have bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

#include "oracle/files/tensor_file.h"
#include "tests/support/process.h"

namespace vl::oracle {
namespace files_input_test {

using test::Folder;

void overwrite(const std::string& path, std::string_view text) {
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << text;
}

// Also right after it was made: the clock of files has ticks, within which two changes have one time.
TEST(Input, NoticesEachChange) {
  const Folder folder;
  for (int round = 0; round < 50; ++round) {
    const std::string path = folder.file("a.bin", "abcdef");
    const auto tensor = open_tensor(place_of(path));
    ASSERT_TRUE(tensor.has_value());
    EXPECT_FALSE(tensor->changed());
    overwrite(path, "x");
    EXPECT_TRUE(tensor->changed()) << round;
  }
}

TEST(Input, NoticesOtherLengthsAndOldTimes) {
  const Folder folder;
  const std::string path = folder.file("a.bin", "abcdef");
  const auto tensor = open_tensor(place_of(path));
  const auto time = std::filesystem::last_write_time(path);
  std::ofstream(path, std::ios::app) << "g";
  EXPECT_TRUE(tensor->changed());
  const auto again = open_tensor(place_of(path));
  ASSERT_EQ(::truncate(path.c_str(), 3), 0);
  EXPECT_TRUE(again->changed());
  const auto third = open_tensor(place_of(path));
  overwrite(path, "z");
  std::filesystem::last_write_time(path, time);
  EXPECT_TRUE(third->changed());
}

// Then the file that is read is still what it was: outputs take their names so.
TEST(Input, MayBeReplacedByAnotherFile) {
  const Folder folder;
  const std::string path = folder.file("a.bin", "abcdef");
  const auto tensor = open_tensor(place_of(path));
  std::filesystem::rename(folder.file("b.bin", "another"), path);
  EXPECT_FALSE(tensor->changed());
  EXPECT_TRUE(open_tensor(place_of(path)).has_value());
  const auto removed = open_tensor(place_of(path));
  std::filesystem::remove(path);
  EXPECT_FALSE(removed->changed());
}

/// A number of kB in /proc/self/status.
std::size_t status(const std::string& word) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(word)) return static_cast<std::size_t>(std::atol(line.c_str() + word.size()));
  return 0;
}

constexpr std::size_t kPiped = std::size_t{96} << 20;

// In a process of its own: standard input is a pipe. The exit code says what is wrong.
int read_piped(int input) {
  int little[2];  // a pipe with little in it, so that the program's own pages are there
  if (::pipe(little) != 0 || write_all(little[1], std::string(4096, '\0'))) return 4;
  ::close(little[1]);
  ::dup2(little[0], STDIN_FILENO);
  const auto first = open_tensor(place_of("-", true));
  if (!first || first->data.size() != 4096) return 5;
  ::dup2(input, STDIN_FILENO);
  const std::size_t before = status("VmRSS:");
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts anew
  const auto tensor = open_tensor(place_of("-", true));
  const std::size_t peak = status("VmHWM:");
  if (!tensor || tensor->data.size() != kPiped) return 1;
  for (std::size_t at = 0; at < kPiped; at += 4096)
    if (tensor->data[at] != static_cast<std::byte>(at >> 12)) return 2;
  const std::size_t most = kPiped / 1024 * 11 / 10 + 4096;  // 4 MiB for the program itself
  return peak - before <= most ? 0 : 3;
}

TEST(Input, OfAPipeTakesNoMoreMemoryThanItsBytes) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[1]);
    ::_exit(read_piped(pipe[0]));
  }
  ::close(pipe[0]);
  std::string page(4096, '\0');
  for (std::size_t at = 0; at < kPiped; at += 4096) {
    page.front() = static_cast<char>(at >> 12);
    ASSERT_EQ(write_all(pipe[1], page), std::nullopt);
  }
  ::close(pipe[1]);
  int ended = 0;
  ASSERT_EQ(::waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0) << WEXITSTATUS(ended);
}

}  // namespace files_input_test
}  // namespace vl::oracle
