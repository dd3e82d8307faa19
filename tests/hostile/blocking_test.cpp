// Files that block or never end: pipes that nobody writes to, devices, files of the kernel. Every reader of files ends
// by itself with exit code 2, with little memory, and at a signal.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace blocking_test {

constexpr rlim_t kMemory = rlim_t{3} << 30;  // a guard: without it a failing test takes the machine's memory

std::vector<Row> rows_of(const std::string& path) {
  std::vector<Row> rows;
  for (const auto& [name, words] : readers_of(path)) {
    Row row{name + " of " + path, words, {2}};
    row.where.memory = kMemory;
    row.says = "error: ";
    if (name == "cert") row.says = "unreadable";
    rows.push_back(row);
  }
  return rows;
}

TEST(HostileBlocking, APipeWithoutAWriterEndsEveryReader) {
  const Folder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(folder.at("pipe.toml").c_str(), 0600), 0);
  std::vector<Row> rows = rows_of(folder.at("pipe"));
  std::ranges::copy(rows_of(folder.at("pipe.toml")), std::back_inserter(rows));
  attack_at_once(folder, rows);
}

// A writer that says nothing keeps its reader waiting, as `cat | verify-layout` does; a signal ends that.
TEST(HostileBlocking, AWriterThatSaysNothingIsWaitedForUntilASignal) {
  const Folder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  const Descriptor writer(::open(folder.at("pipe").c_str(), O_RDWR | O_CLOEXEC));
  std::vector<Row> rows = rows_of(folder.at("pipe"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].where.signal = i % 2 == 0 ? SIGTERM : SIGINT;
    rows[i].where.after = 0.5;
    rows[i].codes = {2, 5, -rows[i].where.signal};
    rows[i].says = "";
  }
  attack_at_once(folder, rows);
}

TEST(HostileBlocking, DevicesAndFoldersAreNotRead) {
  const Folder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const std::string& path : {std::string("/dev/zero"), std::string("/dev/urandom"), std::string("/dev/null"),
                                  folder.at("socket"), folder.path(), folder.at("nothing"), folder.at(""),
                                  folder.at(std::string(300, 'n')), std::string(5000, '/'), std::string()}) {
    std::vector<Row> rows = rows_of(path);
    for (Row& row : rows) {
      row.codes = {2, 64};  // an empty name is misuse to some
      row.says = "";
    }
    attack_at_once(folder, rows);
  }
}

// Links that lead to themselves, and to nothing.
TEST(HostileBlocking, LinksThatLeadNowhereAreErrors) {
  const Folder folder;
  for (const char* name : {"loop", "gone"}) {
    const std::string path = folder.at(name);
    ASSERT_EQ(::symlink(std::string(name) == "loop" ? path.c_str() : "/nowhere/at/all", path.c_str()), 0);
    attack_at_once(folder, rows_of(path));
  }
}

TEST(HostileBlocking, AFileOfTheKernelThatBlocksEndsEveryReader) {
  const Descriptor kernel(::open("/proc/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (kernel.get() < 0) GTEST_SKIP() << "/proc/kmsg cannot be opened here: " << std::generic_category().message(errno);
  const Folder folder;
  std::vector<Row> rows = rows_of("/proc/kmsg");
  for (Row& row : rows) {  // what it holds is wrong too
    row.codes = {2, 10};
    row.says = "";
  }
  attack_at_once(folder, rows);
}

// Streams without an end that have nothing to say.
TEST(HostileBlocking, AnEndlessStandardInputIsRefused) {
  const Folder folder;
  for (const Words& words :
       {Words{"check", "-"}, Words{"check", "--layout", kLayout, "--tensor", kTensor, "--nests", "-"},
        exec_words("pack", "-", "@out.npy"), exec_words("pack", "-", "@out.npy", {"--raw"})}) {
    if (kSanitized && words.front() == "exec") continue;  // RLIMIT_AS does not go with it, and its own limit kills
    Row row{"/dev/zero as standard input", words, {2}};
    row.where.in = "/dev/zero";
    row.where.memory = kMemory / 6;  // all of it is read before it is refused
    attack(row, [](const Folder&) {});
  }
}

}  // namespace blocking_test
}  // namespace vl::test::hostile
