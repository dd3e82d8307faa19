// Disks that are full or not writable: exit code 2, the system's reason, and every file as before.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace disks_test {

// A disk of a few pages on a folder, in a name space of this process.
class SmallDisk {
 public:
  SmallDisk(const std::string& folder, const std::string& options) : folder_(folder) {
    static const bool own =
        ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    mounted_ = own && ::mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
    if (!mounted_) why_ = std::generic_category().message(errno);
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Why there is none; empty if there is.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Fills what is left but for so many bytes.
  void fill(std::size_t left) const {
    const std::string path = folder_ + "/filler";
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string page(4096, 'x');
    off_t size = 0;
    while (::write(file.get(), page.data(), page.size()) > 0) size += 4096;
    if (::ftruncate(file.get(), std::max<off_t>(size - static_cast<off_t>(left), 0)) != 0)
      throw std::runtime_error("ftruncate");
  }

 private:
  std::string folder_, why_;
  bool mounted_ = false;
};

// Commands that write to the folder `disk`, which the other folder's files are read for.
std::vector<std::pair<std::string, Words>> writers(const Folder& from, const std::string& disk) {
  const auto at = [&](const char* name) { return from.at(name); };
  const std::string wide = "S[(64,1024):(1024,1)]";
  return {
      {"npy",
       {"exec", "unpack", "--layout", wide, "--tensor", "u8[64,1024]", "--in", at("big.bin"), "--out",
        disk + "/out.npy"}},
      {"npz",
       {"exec", "unpack", "--layout", wide, "--tensor", "u8[64,1024]", "--in", at("big.bin"), "--out",
        disk + "/out.npz:x"}},
      {"safetensors",
       {"exec", "unpack", "--layout", wide, "--tensor", "u8[64,1024]", "--in", at("big.bin"), "--out",
        disk + "/old.safetensors:x"}},
      {"over an older file",
       {"exec", "unpack", "--layout", wide, "--tensor", "u8[64,1024]", "--in", at("big.bin"), "--out",
        disk + "/old.bin"}},
      {"certificates", {"check", at("cases.toml"), "--certificates", disk + "/proofs"}},
      {"compact certificates", {"check", at("cases.toml"), "--certificates", disk + "/proofs", "--compact"}},
      {"a report",
       {"check", std::string(VL_SOURCE_DIR) + "/corpus/seeds/memory.toml", "--output", "json=" + disk + "/all.json"}},
      {"a report over an older one",
       {"check", std::string(VL_SOURCE_DIR) + "/corpus/seeds/memory.toml", "--output", "json=" + disk + "/old.json"}},
      {"a campaign", {"fuzz", "--family", "tirx", "--seed", "22", "--count", "2000", "--out", disk}},
      {"a campaign in a new folder",
       {"fuzz", "--family", "spyre", "--seed", "11", "--count", "2000", "--out", disk + "/new"}}};
}

// What is left of a failed run: folders that are empty may be new.
Content files_of(const Folder& folder) {
  Content out = folder.content();
  std::erase_if(out, [](const auto& one) { return one.second == "/"; });
  return out;
}

void fail_on(const Folder& from, const Folder& disk, const Surroundings& where, const std::string& says,
             const std::string& how) {
  for (const auto& [name, words] : writers(from, disk.path())) {
    const Content before = files_of(disk);
    const Ended ended = attacked(words, where);
    // A file that is written in place needs no name of its own.
    if (ended.code == 0 && name == "a report over an older one" && how == ", no name left") continue;
    EXPECT_EQ(ended.code, 2) << name << how << ": " << told(words, ended);
    EXPECT_NE(ended.err.find(says), std::string::npos) << name << how << ": " << told(words, ended);
    EXPECT_EQ(difference({}, before, files_of(disk)), "") << name << how << ": " << told(words, ended);
  }
}

void prepare(const Folder& from, const Folder& disk) {
  make_inputs(from);
  from.file("big.bin", std::string(1 << 16, '\x11'));
  disk.file("old.safetensors", two_safetensors());
  disk.file("old.bin", "older");
  disk.file("old.json", "older");
}

TEST(HostileDisks, AFullDiskIsAnErrorAndLeavesEveryFile) {
  const Folder from, disk;
  const SmallDisk small(disk.path(), "size=128k,mode=755");
  if (!small.why().empty()) GTEST_SKIP() << "no small disk can be mounted here: " << small.why();
  prepare(from, disk);
  small.fill(0);
  fail_on(from, disk, {}, "No space left on device", ", no byte left");
}

// With room for a page, files begin and do not end.
TEST(HostileDisks, ADiskThatBecomesFullIsAnErrorAndLeavesEveryFile) {
  const Folder from, disk;
  const SmallDisk small(disk.path(), "size=128k,mode=755");
  if (!small.why().empty()) GTEST_SKIP() << "no small disk can be mounted here: " << small.why();
  prepare(from, disk);
  small.fill(1);
  for (const auto& [name, words] : writers(from, disk.path())) {
    const Content before = files_of(disk);
    const Ended ended = attacked(words);
    if (ended.code == 0) continue;  // what is written fits in a page
    EXPECT_EQ(ended.code, 2) << name << ": " << told(words, ended);
    EXPECT_NE(ended.err.find("No space left on device"), std::string::npos) << name << ": " << told(words, ended);
    for (const auto& [file, content] : files_of(disk)) {
      const auto old = before.find(file);
      const bool certificate = file.starts_with("proofs/");  // those before the one that did not fit are whole
      const bool right =
          old != before.end() ? content == old->second : certificate && attacked({"cert", disk.at(file)}).code == 0;
      EXPECT_TRUE(right) << name << " left " << file << " of " << content.size() << " bytes";
    }
  }
}

TEST(HostileDisks, ADiskWithoutFreeNamesIsAnError) {
  const Folder from, disk;
  const SmallDisk small(disk.path(), "size=8m,nr_inodes=4,mode=755");
  if (!small.why().empty()) GTEST_SKIP() << "no small disk can be mounted here: " << small.why();
  prepare(from, disk);  // three files and the folder itself
  fail_on(from, disk, {}, "No space left on device", ", no name left");
}

TEST(HostileDisks, ADiskForReadingOnlyIsAnError) {
  const Folder from, disk;
  const SmallDisk small(disk.path(), "size=8m,mode=755");
  if (!small.why().empty()) GTEST_SKIP() << "no small disk can be mounted here: " << small.why();
  prepare(from, disk);
  ASSERT_EQ(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  fail_on(from, disk, {}, "Read-only file system", ", read-only");
}

TEST(HostileDisks, AFolderWithoutRightsIsAnError) {
  Surroundings where;
  where.no_rights = ::geteuid() == 0;
  if (const Ended ended = attacked({"--version"}, where); ended.code != 0)
    GTEST_SKIP() << "the user nobody cannot run the program here: " << told({}, ended);
  const Folder from, disk;
  prepare(from, disk);
  ::chmod(from.path().c_str(), 0755);
  ::chmod(disk.path().c_str(), 0555);
  fail_on(from, disk, where, "Permission denied", ", without rights");
  ::chmod(disk.path().c_str(), 0755);
  for (const auto& [name, words] : readers_of(from.file("secret.toml", kCases))) {
    ::chmod(from.at("secret.toml").c_str(), 0);
    const Ended ended = attacked(words, where);
    EXPECT_EQ(ended.code, 2) << name << ": " << told(words, ended);
    EXPECT_NE(ended.err.find("Permission denied"), std::string::npos) << name << ": " << told(words, ended);
  }
}

}  // namespace disks_test
}  // namespace vl::test::hostile
