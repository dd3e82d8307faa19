// Writing .npy: whole or not at all, and never over something that is not a file.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "tests/files/npy_arrays.h"

namespace vl::oracle {
namespace files_npy_write_test {

namespace fs = std::filesystem;

const NpyArray kSmall = {{Kind::Float, 2}, {3}, std::vector<std::byte>(6, std::byte{7})};

TEST(NpyWrite, ReplacesTheFileThatIsThere) {
  const Folder folder;
  std::ofstream(folder / "a.npy") << "old";
  ASSERT_FALSE(write_npy(folder / "a.npy", kSmall));
  EXPECT_EQ(*read_npy(folder / "a.npy"), kSmall);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(NpyWrite, RefusesATargetThatIsAFolder) {
  const Folder folder;
  ASSERT_TRUE(fs::create_directory(folder / "a.npy"));
  const auto error = write_npy(folder / "a.npy", kSmall);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::Io);
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_TRUE(fs::is_empty(folder / "a.npy"));
}

TEST(NpyWrite, RefusesADeviceAndLeavesIt) {
  ASSERT_TRUE(write_npy("/dev/null", kSmall));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(NpyWrite, FailsInAFolderThatIsMissingOrAFileOrNotWritable) {
  const Folder folder;
  std::ofstream(folder / "file") << "";
  EXPECT_TRUE(write_npy(folder / "missing/a.npy", kSmall));
  EXPECT_TRUE(write_npy(folder / "file/a.npy", kSmall));
  EXPECT_TRUE(write_npy("/proc/self/a.npy", kSmall));  // where even root cannot
  EXPECT_TRUE(write_npy("", kSmall));
  EXPECT_EQ(folder.files(), 1U);
}

TEST(NpyWrite, FailsInAFolderWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Folder folder;
  ASSERT_TRUE(fs::create_directory(folder / "locked"));
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_TRUE(write_npy(folder / "locked/a.npy", kSmall));
  fs::permissions(folder / "locked", fs::perms::owner_all);
  EXPECT_TRUE(fs::is_empty(folder / "locked"));
}

TEST(NpyWrite, LeavesNothingBehindWhenTheNameCannotBeTaken) {
  const Folder folder;
  const auto error = write_npy(folder / std::string(300, 'a'), kSmall);  // longer than a name may be
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("cannot be put in its place"), std::string::npos) << error->message;
  EXPECT_EQ(folder.files(), 0U);
}

TEST(NpyWrite, LeavesTheOldFileAndNothingElseWhenTheDiskIsFull) {
  const Folder folder;
  ASSERT_FALSE(write_npy(folder / "a.npy", kSmall));
  const NpyArray large{{Kind::Unsigned, 1}, {1 << 16}, std::vector<std::byte>(1 << 16)};
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 4096, old.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto error = write_npy(folder / "a.npy", large);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("there is no room for 65664 bytes"), std::string::npos) << error->message;
  EXPECT_EQ(*read_npy(folder / "a.npy"), kSmall);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(NpyWrite, RefusesShapesThatNoFileHas) {
  const Folder folder;
  const std::pair<const char*, std::vector<Index>> rows[] = {
      {"negative size", {-3}},
      {"overflow", {Index{1} << 40, Index{1} << 40}},
      {"more than any file", {Index{1} << 61}},
      {"more than any disk", {Index{1} << 52}},
      {"rank 65", std::vector<Index>(65, 1)},
  };
  for (const auto& [name, shape] : rows)
    EXPECT_FALSE(TensorOutput::create({Place::Format::Npy, folder / "a.npy", {}}, {Kind::Float, 2}, shape).has_value())
        << name;
  EXPECT_EQ(folder.files(), 0U);
}

TEST(NpyWrite, LeavesNothingWithoutACommit) {
  const Folder folder;
  {
    auto output = TensorOutput::create({Place::Format::Npy, folder / "a.npy", {}}, {Kind::Float, 2}, kSmall.shape);
    ASSERT_TRUE(output.has_value()) << output.error().message;
    ASSERT_EQ(output->data().size(), 6U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(output->data().data()) % 64, 0U);
    EXPECT_EQ(output->data()[5], std::byte{0});
    output->data()[5] = std::byte{1};
  }
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace files_npy_write_test
}  // namespace vl::oracle
