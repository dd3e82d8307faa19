// Files that are read with bounds and replaced as a whole.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#include <thread>

#include "encodings/base/files.h"
#include "encodings/base/interrupt.h"
#include "tests/support/process.h"

namespace vl {
namespace base_files_test {

namespace fs = std::filesystem;
using test::Folder;
using test::read_text;

std::string refusal(const std::string& path, std::size_t most = kLargestText) {
  const auto read = read_whole(path, most);
  return read ? "" : read.error().message;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST(Reading, IsOfFilesAndPipesUpToALength) {
  const Folder folder;
  const std::string path = folder.file("text", std::string(100000, 'x'));
  EXPECT_EQ(read_whole(path)->size(), 100000U);
  EXPECT_EQ(read_whole(path, 100000)->size(), 100000U);
  EXPECT_EQ(refusal(path, 99999), "has more than 99999 bytes");
  EXPECT_EQ(*read_whole(folder.file("empty", "")), "");
  EXPECT_EQ(refusal(folder.at("none")), "cannot be opened: No such file or directory");
  EXPECT_EQ(refusal(folder.path()), "is a folder");
  EXPECT_EQ(refusal("/dev/zero"), "is neither a file nor a pipe");
  EXPECT_FALSE(read_whole("/proc/self/status")->empty());  // has no size
}

TEST(Reading, OfAPipeEndsWithItsWriterAndDoesNotWaitForOne) {
  const Folder folder;
  const std::string pipe = folder.at("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal(pipe), "nobody writes to this pipe");
  std::thread writer([&] {
    const Descriptor to(::open(pipe.c_str(), O_WRONLY));
    EXPECT_EQ(write_all(to.get(), std::string(200000, 'a')), std::nullopt);
    for (int left = 1; left > 0; std::this_thread::yield()) ASSERT_EQ(::ioctl(to.get(), FIONREAD, &left), 0);
    EXPECT_EQ(write_all(to.get(), "z"), std::nullopt);  // all before it was read
  });
  const auto read = read_whole(pipe);
  writer.join();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, std::string(200000, 'a') + "z");
}

TEST(Reading, EndsWhenTheProgramIsToldTo) {
  const Folder folder;
  const std::string pipe = folder.at("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor holder(::open(pipe.c_str(), O_RDWR));  // a writer that says nothing
  const Interrupt interrupt;
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::raise(SIGTERM);
  });
  EXPECT_EQ(refusal(pipe), "interrupted while it was read");
  later.join();
}

TEST(Writing, KeepsTheModeAndFollowsLinks) {
  const Folder folder;
  const std::string path = folder.file("secret", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(write_whole(path, "new"), std::nullopt);
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(mode_of(path), 0600U);
  fs::create_symlink("secret", folder.at("link"));
  EXPECT_EQ(write_whole(folder.at("link"), "by the link"), std::nullopt);
  EXPECT_TRUE(fs::is_symlink(folder.at("link")));
  EXPECT_EQ(read_text(path), "by the link");
  fs::create_symlink("made", folder.at("ahead"));
  EXPECT_EQ(write_whole(folder.at("ahead"), "of nothing yet"), std::nullopt);
  EXPECT_EQ(read_text(folder.at("made")), "of nothing yet");
  EXPECT_EQ(folder.content().size(), 4U);  // two files and two links
}

TEST(Writing, RefusesWhatIsReadOnlyOrNoFile) {
  const Folder folder;
  const std::string path = folder.file("kept", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  EXPECT_EQ(write_whole(path, "new")->message, "is read-only");
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(write_whole(path, "new", {.force = true}), std::nullopt);
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(mode_of(path), 0444U);
  EXPECT_EQ(write_whole(folder.path(), "")->message, "is there and not a regular file");
  EXPECT_EQ(write_whole("/dev/null", "")->message, "is there and not a regular file");
  EXPECT_EQ(write_whole(folder.at("none/file"), "")->message, "cannot be created: No such file or directory");
  EXPECT_EQ(write_whole(folder.at("x/"), "")->message, "cannot be created: a file's name is expected");
  EXPECT_EQ(folder.content().size(), 1U);
}

TEST(Writing, RemovesWhatKilledProcessesLeftAndNothingElse) {
  const Folder folder;
  folder.file(".verify-layout-1-0.tmp", "left");
  folder.file(".verify-layout-1-0.txt", "somebody's");
  const std::string held = folder.file(".verify-layout-2-0.tmp", "being written");
  const Descriptor holder(::open(held.c_str(), O_RDWR));
  ASSERT_EQ(::flock(holder.get(), LOCK_EX), 0);
  EXPECT_EQ(write_whole(folder.at("out"), "x"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder.at(".verify-layout-1-0.tmp")));
  EXPECT_TRUE(fs::exists(folder.at(".verify-layout-1-0.txt")));
  EXPECT_TRUE(fs::exists(held));
}

TEST(Writing, WithoutCommitLeavesNothing) {
  const Folder folder;
  const std::string path = folder.file("out", "old");
  {
    auto file = NewFile::create(path);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(write_all(file->descriptor(), "new"), std::nullopt);
  }
  EXPECT_EQ(folder.content(), (std::map<std::string, std::string>{{"out", "old"}}));
}

}  // namespace base_files_test
}  // namespace vl
