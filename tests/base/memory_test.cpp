// Limits of memory in files that look like /proc and /sys.
#include <gtest/gtest.h>

#include "encodings/base/memory.h"
#include "tests/support/process.h"

namespace vl {
namespace base_memory_test {

using test::Folder;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string mib(std::size_t count) { return std::to_string(count * kMiB) + "\n"; }

// A machine with 64 GiB, 40 GiB of them free, and 1 GiB of free swap.
void machine(const Folder& root, const std::string& groups) {
  root.file("proc/meminfo",
            "MemTotal: 67108864 kB\nMemAvailable: 41943040 kB\nSwapTotal: 9 kB\nSwapFree: 1048576 kB\n");
  root.file("proc/self/cgroup", groups);
}

TEST(Memory, OfThisProcessHasABound) {
  EXPECT_GT(machine_bytes(), 64 * kMiB);
  EXPECT_GT(free_bytes(), kMiB);
  EXPECT_EQ(check_free(1), std::nullopt);
  EXPECT_TRUE(has_room(kMiB));
  EXPECT_FALSE(has_room(std::size_t{1} << 60));
  const auto error = check_free(std::size_t{1} << 60);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::Io);
  EXPECT_TRUE(error->message.starts_with("1152921504606846976 bytes are more than the memory that is left, "));
}

TEST(Memory, IsThatOfTheMachineWithoutGroups) {
  const Folder root;
  machine(root, "0::/\n");
  EXPECT_EQ(free_bytes(root.path()), 41 * 1024 * kMiB);
  root.file("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(free_bytes(root.path()), 41 * 1024 * kMiB);
}

// The example of the header: 1 GiB, 300 MiB in use, 100 MiB of it cache.
TEST(Memory, IsLimitedByItsGroupWithoutWhatIsInUse) {
  const Folder root;
  machine(root, "0::/a\n");
  root.file("sys/fs/cgroup/a/memory.max", mib(1024));
  EXPECT_EQ(free_bytes(root.path()), (1024 - 32) * kMiB);
  root.file("sys/fs/cgroup/a/memory.current", mib(300));
  EXPECT_EQ(free_bytes(root.path()), (724 - 32) * kMiB);
  root.file("sys/fs/cgroup/a/memory.stat",
            "anon 7\ninactive_file " + mib(60) + "active_file " + mib(39) + "shmem 5\nslab_reclaimable " + mib(1));
  EXPECT_EQ(free_bytes(root.path()), 792 * kMiB);
  root.file("sys/fs/cgroup/a/memory.current", mib(2000));  // the limit was lowered
  EXPECT_EQ(free_bytes(root.path()), 0U);
}

TEST(Memory, IsLimitedByTheGroupsAroundItsGroup) {
  const Folder root;
  machine(root, "0::/a/b/c\n");
  root.file("sys/fs/cgroup/a/b/c/memory.max", "max\n");
  root.file("sys/fs/cgroup/a/memory.max", mib(500));
  root.file("sys/fs/cgroup/a/memory.current", mib(100));
  EXPECT_EQ(free_bytes(root.path()), 400 * kMiB - 500 * kMiB / 32);
  root.file("sys/fs/cgroup/a/b/memory.max", mib(320));
  EXPECT_EQ(free_bytes(root.path()), 310 * kMiB);
  root.file("sys/fs/cgroup/memory.max", mib(32));  // the root of a container's own groups
  EXPECT_EQ(free_bytes(root.path()), 31 * kMiB);
}

TEST(Memory, IsLimitedByGroupsOfVersion1) {
  const Folder root;
  machine(root, "4:cpu,memory:/a/b\n3:pids:/c\n1:name=systemd:/\n0::/d\n");
  root.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.file("sys/fs/cgroup/pids/c/memory.limit_in_bytes", mib(1));  // of no group of memory
  root.file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", mib(640));
  root.file("sys/fs/cgroup/memory/a/memory.usage_in_bytes", mib(600));
  root.file("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 3\ntotal_inactive_file " + mib(500));
  EXPECT_EQ(free_bytes(root.path()), 520 * kMiB);
  root.file("sys/fs/cgroup/unified/d/memory.max", mib(64));
  EXPECT_EQ(free_bytes(root.path()), 62 * kMiB);
}

// The path counts from outside the container, where it has only the first folder.
TEST(Memory, IsLimitedWhereThePathIsThatOfTheHost) {
  const Folder root;
  for (const char* groups : {"5:memory:/docker/0d46\n", "5:memory:/../../x\n"}) {
    machine(root, groups);
    root.file("sys/fs/cgroup/memory/memory.limit_in_bytes", mib(320));
    EXPECT_EQ(free_bytes(root.path()), 310 * kMiB) << groups;
  }
}

}  // namespace base_memory_test
}  // namespace vl
