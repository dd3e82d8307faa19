// Files that are there before, or that others write at the same time.
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace changes_test {

constexpr int kRuns = kSanitized ? 8 : 40;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

constexpr std::size_t kBytes = std::size_t{3} << 20;  // more than what is compared with the definition by default

Words copied(const std::string& in, const std::string& out, const std::string& definition) {
  const std::string size = std::to_string(kBytes);
  return {"exec", "pack",  "--layout", "S[" + size + ":1]", "--tensor", "u8[" + size + "]", "--in",
          in,     "--out", out,        "--definition",      definition};
}

// Whether the file system tells two writes apart however short the time between them is.
bool has_fine_clock(const std::string& path) {
  struct stat before {
  }, after{};
  for (int i = 0; i < 50; ++i) {
    if (::stat(path.c_str(), &before) != 0) return false;
    write_text(path, "x");
    if (::stat(path.c_str(), &after) != 0 || before.st_mtim.tv_nsec == after.st_mtim.tv_nsec) return false;
  }
  return true;
}

// A writer changes the input in place all the time; each of its states has one byte everywhere. An output of two bytes
// is a change that was not noticed.
TEST(HostileChanges, AnInputThatChangesWhileItIsReadIsAnErrorAndNoBug) {
  const Folder folder;
  const std::string in = folder.file("in.bin", std::string(kBytes, 'a')), out = folder.at("out.bin");
  std::atomic<bool> over{false};
  std::atomic<int> begun{0};
  std::thread writer([&] {
    const Descriptor file(::open(in.c_str(), O_WRONLY | O_CLOEXEC));
    for (char letter = 'a'; !over; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
      const std::string all(kBytes, letter);
      ++begun;
      if (::pwrite(file.get(), all.data(), all.size(), 0) < 0) break;
    }
  });
  int changed = 0, mixed = 0;
  std::string bad;
  for (int i = 0; i < kRuns; ++i) {
    const Words words = copied(in, out, i % 2 == 0 ? "always" : "sometimes");
    const int before = begun;
    const Ended ended = attacked(words);
    const bool within_one_write = begun == before;
    const std::string made = read_text(out);
    const bool noticed = ended.code == 2 && ended.err.find("changed while it was read") != std::string::npos;
    const bool whole = made.size() == kBytes && made.find_first_not_of(made[0]) == made.npos;
    if (ended.code == 0) mixed += whole || within_one_write ? 0 : 1;
    else if (noticed && made.empty()) ++changed;
    else bad = told(words, ended);
    std::filesystem::remove(out);
  }
  over = true;
  writer.join();
  EXPECT_EQ(bad, "");
  EXPECT_GE(changed, 1) << "the writer is too slow for this test";
  // A run within one write, which stops in its middle for as long, sees neither its beginning nor its end; once the
  // next write may begin just behind such a run, of which a loaded machine has some more. Without a look at the clock
  // every run that meets a write would be one.
  const bool fine = has_fine_clock(folder.file("clock", ""));
  EXPECT_TRUE(mixed <= 1 + changed / 4 || !fine) << mixed << " outputs of two inputs";
  if (!fine) std::printf("not looked at: changes within a tick of this file system's clock cannot be noticed\n");
}

TEST(HostileChanges, AnInputThatBecomesShorterIsAnError) {
  const Folder folder;
  std::atomic<bool> over{false};
  const std::string in = folder.file("in.bin", std::string(kBytes, 'a')), out = folder.at("out.bin");
  std::thread writer([&] {
    while (!over)
      if (::truncate(in.c_str(), 4096) != 0 || ::truncate(in.c_str(), kBytes) != 0) break;
  });
  std::string bad;
  for (int i = 0; i < kRuns / 2; ++i) {
    const Words words = copied(in, out, "sometimes");
    const Ended ended = attacked(words);
    const bool right = ended.code == 0 || (ended.code == 2 && read_text(out).empty());
    if (!right) bad = told(words, ended);
    std::filesystem::remove(out);
  }
  over = true;
  writer.join();
  EXPECT_EQ(bad, "");
}

// ---- outputs that replace files

TEST(HostileChanges, OneTensorOfAnArchiveIsWrittenAndTheOthersStay) {
  const Folder folder;
  make_inputs(folder, false);
  for (const std::string name : {"host.safetensors", "host.npz"}) {
    const std::string before = read_text(folder.at(name));
    const Ended ended = attacked(exec_words("unpack", folder.at("device.bin"), folder.at(name) + ":w"));
    ASSERT_EQ(ended.code, 0) << told({}, ended);
    const std::string after = read_text(folder.at(name));
    EXPECT_NE(after.find("other"), std::string::npos) << name << " lost its tensor v";
    EXPECT_NE(after.find(std::string(420, '\x07')), std::string::npos) << name;
    EXPECT_EQ(after.find(host_bytes()), std::string::npos) << name << " has the old tensor too";
    const Ended back = attacked(exec_words("pack", folder.at(name) + ":w", folder.at("back.bin")));
    EXPECT_EQ(back.code, 0) << told({}, back);
    const Ended all = attacked(exec_words("unpack", folder.at("device.bin"), folder.at(name) + ":w", {"--replace"}));
    EXPECT_EQ(all.code, 0) << told({}, all);
    EXPECT_EQ(read_text(folder.at(name)).find("other"), std::string::npos) << name << " was to be replaced";
  }
}

// An older archive that is no archive is not overwritten as if it were one.
TEST(HostileChanges, ADamagedArchiveIsAnErrorAndStays) {
  const Folder folder;
  make_inputs(folder, false);
  for (const std::string name : {"host.safetensors", "host.npz"}) {
    const std::string whole = read_text(folder.at(name));
    for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string("older"), whole + whole}) {
      write_text(folder.at(name), damaged);
      const Ended ended = attacked(exec_words("unpack", folder.at("device.bin"), folder.at(name) + ":w"));
      EXPECT_TRUE(ended.code == 2 || damaged == whole + whole) << name << ": " << told({}, ended);
      EXPECT_TRUE(ended.code == 0 || read_text(folder.at(name)) == damaged) << name;
    }
  }
}

TEST(HostileChanges, AReplacedOutputKeepsItsModeAndItsLink) {
  const Folder folder;
  make_inputs(folder, false);
  for (const mode_t mode : {0600U, 0640U, 0755U, 0666U}) {
    ::chmod(folder.file("real.npy", "older").c_str(), mode);
    std::filesystem::remove(folder.at("link.npy"));
    std::filesystem::create_symlink("real.npy", folder.at("link.npy"));
    const Ended ended = attacked(exec_words("pack", folder.at("host.npy"), folder.at("link.npy")));
    ASSERT_EQ(ended.code, 0) << told({}, ended);
    EXPECT_TRUE(std::filesystem::is_symlink(folder.at("link.npy")));
    EXPECT_EQ(mode_of(folder.at("real.npy")), mode);
    EXPECT_NE(read_text(folder.at("real.npy")), "older");
  }
}

TEST(HostileChanges, AReadOnlyOutputIsReplacedOnlyByForce) {
  const Folder folder;
  make_inputs(folder, false);
  ::chmod(folder.file("out.npy", "older").c_str(), 0444);
  const Words words = exec_words("pack", folder.at("host.npy"), folder.at("out.npy"));
  const Ended refused = attacked(words);
  EXPECT_EQ(refused.code, 2) << told(words, refused);
  EXPECT_EQ(read_text(folder.at("out.npy")), "older");
  const Ended forced = attacked(exec_words("pack", folder.at("host.npy"), folder.at("out.npy"), {"--force"}));
  EXPECT_EQ(forced.code, 0) << told({}, forced);
  EXPECT_NE(read_text(folder.at("out.npy")), "older");
  EXPECT_EQ(mode_of(folder.at("out.npy")), 0444U);
}

// What a killed process left is removed by the next one; what lives is not.
TEST(HostileChanges, TheTemporariesOfTheDeadAreRemoved) {
  const Folder folder;
  make_inputs(folder, false);
  folder.file(".verify-layout-1-0.tmp", "left by a dead process");
  folder.file(".verify-layout.tmp", "somebody else's");
  folder.file("out.npy", "older");  // so that there are two renames
  const Ended ended = attacked(exec_words("pack", folder.at("host.npy"), folder.at("out.npy")));
  ASSERT_EQ(ended.code, 0) << told({}, ended);
  const Content content = folder.content();
  EXPECT_FALSE(content.contains(".verify-layout-1-0.tmp"));
  EXPECT_TRUE(content.contains(".verify-layout.tmp"));
}

TEST(HostileChanges, TheSameFileAsInputAndOutputIsReplaced) {
  const Folder folder;
  folder.file("same.bin", host_bytes());
  const Ended ended = attacked(exec_words("pack", folder.at("same.bin"), folder.at("same.bin")));
  EXPECT_EQ(ended.code, 0) << told({}, ended);
  EXPECT_EQ(read_text(folder.at("same.bin")).size(), 768U);
}

// ---- many at once

TEST(HostileChanges, CampaignsInOneFolderLeaveAValidFile) {
  const Folder folder, alone;
  const auto words = [](const Folder& out) {
    return Words{"fuzz", "--family", "tirx", "--seed", "5", "--count", "4000", "--out", out.path()};
  };
  ASSERT_EQ(attacked(words(alone)).code, 0);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<Attack>> all;
    for (int i = 0; i < 8; ++i) all.push_back(std::make_unique<Attack>(program("verify-layout"), words(folder)));
    int whole = 0;
    for (const auto& one : all) {
      const Ended ended = one->wait();
      EXPECT_TRUE(ended.code == 0 || ended.code == 2) << told({}, ended);
      whole += ended.code == 0 ? 1 : 0;
    }
    EXPECT_GE(whole, 1);
    EXPECT_TRUE(folder.content() == alone.content()) << difference({}, alone.content(), folder.content());
  }
}

TEST(HostileChanges, ManyProcessesWriteOneOutput) {
  const Folder folder;
  make_inputs(folder, false);
  std::vector<std::unique_ptr<Attack>> all;
  for (int i = 0; i < 12; ++i)
    all.push_back(std::make_unique<Attack>(program("verify-layout"),
                                           exec_words("pack", folder.at("host.bin"), folder.at("out.bin"))));
  for (const auto& one : all) {
    const Ended ended = one->wait();
    EXPECT_EQ(ended.code, 0) << told({}, ended);
  }
  EXPECT_EQ(read_text(folder.at("out.bin")).size(), 768U);
  for (const auto& [name, content] : folder.content()) EXPECT_FALSE(name.starts_with(".verify-layout")) << name;
}

// ---- sizes

// Places in a file cost as much for the last case as for the first: a file of that many cases is no hang.
TEST(HostileChanges, AFileOfManyCasesIsRead) {
  const Folder folder;
  std::string cases = "schema = 1\n";
  for (int i = 0; i < (kSanitized ? 3000 : 60000); ++i)
    cases += "[[case]]\nid=\"" + std::to_string(i) + "\"\nlayout=\"S[4:1]\"\ntensor=\"u8[5]\"\n";
  const Words words{"check", folder.file("many.toml", cases), "--quiet", "--format", "jsonl"};
  const Ended ended = attacked(words);
  EXPECT_EQ(ended.code, 2) << told(words, ended);
}

// A host that is expanded (stride 0) is packed as its nests run.
TEST(HostileChanges, AnExpandedHostIsPacked) {
  const Folder folder;
  folder.file("host.bin", host_bytes());
  const Words words{"exec",      "pack",
                    "--layout",  "SpyreTensorLayout((3, 70), (0, 1), torch.bfloat16, [0, 1])",
                    "--tensor",  kTensor,
                    "--strides", "0,1",
                    "--in",      folder.file("row.bin", host_bytes().substr(0, 140)),
                    "--out",     folder.at("out.bin")};
  const Ended ended = attacked(words);
  EXPECT_EQ(ended.code, 0) << told(words, ended);
}

}  // namespace changes_test
}  // namespace vl::test::hostile
