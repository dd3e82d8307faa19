// What exec does to the files around its work: outputs that replace others, members of archives, inputs that change
// while they are read, and limits of memory.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/files/archive.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_exec_outputs_test {

namespace fs = std::filesystem;
using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;

const std::string kLayout = "S[(2,4):(1,2)]";  // element (i, j), number 4 i + j, at slot i + 2 j

Words pack(const std::string& in, const std::string& out, const Words& more = {}) {
  Words words{"exec", "pack", "--layout", kLayout, "--tensor", "u8[2,4]", "--in", in, "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(ExecOutputs, KeepTheModeOfTheFileTheyReplace) {
  const Folder folder;
  const std::string in = folder.file("in.bin", "abcdefgh");
  const std::string out = folder.file("out.bin", "older");
  ASSERT_EQ(::chmod(out.c_str(), 0600), 0);
  EXPECT_EQ(verify_layout(pack(in, out)).code, 0);
  EXPECT_EQ(mode_of(out), 0600U);
  EXPECT_EQ(test::read_text(out), "aebfcgdh");
}

TEST(ExecOutputs, DoNotReplaceAReadOnlyFileWithoutForce) {
  const Folder folder;
  const std::string in = folder.file("in.bin", "abcdefgh");
  const std::string out = folder.file("out.bin", "older");
  ASSERT_EQ(::chmod(out.c_str(), 0444), 0);
  const Ran refused = verify_layout(pack(in, out));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find(out + ": is read-only"), std::string::npos) << refused.err;
  EXPECT_EQ(test::read_text(out), "older");
  EXPECT_EQ(verify_layout(pack(in, out, {"--force"})).code, 0);
  EXPECT_EQ(test::read_text(out), "aebfcgdh");
  EXPECT_EQ(mode_of(out), 0444U);
}

TEST(ExecOutputs, FollowSymbolicLinksAndRemoveLeftovers) {
  const Folder folder;
  const std::string in = folder.file("in.bin", "abcdefgh");
  const std::string target = folder.file("there/target.bin", "older");
  fs::create_symlink("there/target.bin", folder.at("out.bin"));
  folder.file("there/.verify-layout-17-0.tmp", "of a killed process");
  ASSERT_EQ(verify_layout(pack(in, folder.at("out.bin"))).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder.at("out.bin")));
  EXPECT_EQ(test::read_text(target), "aebfcgdh");
  EXPECT_FALSE(fs::exists(folder.at("there/.verify-layout-17-0.tmp")));
}

TEST(ExecOutputs, KeepTheOtherMembersOfAnArchive) {
  const Folder folder;
  const std::string in = folder.file("in.bin", "abcdefgh");
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"wpe":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("wte":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})";
  const std::string model = folder.file("m.safetensors", test::safetensors_of(header, "eight by123"));
  const std::string arrays = folder.file("a.npz", test::zip_of({test::stored("notes.txt", "kept")}));
  for (const std::string& place : {model + ":wte", model + ":new", arrays + ":x"}) {
    const Ran ran = verify_layout(pack(in, place));
    ASSERT_EQ(ran.code, 0) << place << ran.err;
  }
  const std::string now = test::read_text(model);
  EXPECT_NE(now.find("eight by"), std::string::npos);
  EXPECT_NE(now.find(R"("__metadata__":{"format":"pt"},"wpe":)"), std::string::npos) << now;
  EXPECT_NE(now.find("aebfcgdhaebfcgdh"), std::string::npos);
  EXPECT_NE(test::read_text(arrays).find("kept"), std::string::npos);
  EXPECT_EQ(verify_layout(pack(in, model + ":wte", {"--replace"})).code, 0);
  EXPECT_EQ(test::read_text(model).find("wpe"), std::string::npos);
}

TEST(ExecOutputs, AreNotThereIfThePlanCannotBePrinted) {
  const Folder folder;
  folder.file("in.bin", "abcdefgh");
  for (const char* to : {"> /dev/full", ">&-"}) {
    const std::string line =
        fmt::format("cd {} && '{}' exec pack --layout '{}' --tensor 'u8[2,4]' --show-plan --in in.bin --out out.bin {}",
                    folder.path(), test::program("verify-layout"), kLayout, to);
    const Ran ran = test::run("/bin/sh", {"-c", line});
    EXPECT_EQ(ran.code, 2) << to;
    EXPECT_EQ(ran.err, "verify-layout: the output could not be written\n") << to;
    EXPECT_FALSE(fs::exists(folder.at("out.bin"))) << to;
  }
}

// Somebody writes to the input all the time: the definition then sees other data than the plan, which is no bug.
TEST(ExecOutputs, AreNotMadeFromAnInputThatChanges) {
  const Folder folder;
  constexpr std::size_t kRows = 1000, kColumns = 1000;
  const std::string in = folder.file("in.bin", std::string(kRows * kColumns, 'a'));
  const std::string out = folder.file("out.bin", "older");
  std::jthread writer([&](const std::stop_token& stop) {
    std::fstream file(in, std::ios::in | std::ios::out | std::ios::binary);
    for (std::size_t k = 0; !stop.stop_requested(); ++k) {
      file.seekp(static_cast<std::streamoff>(k * 7919 % (kRows * kColumns)));
      file.put(static_cast<char>(k)).flush();
    }
  });
  for (int round = 0; round < 5; ++round) {
    const Ran ran = verify_layout(
        {"exec", "pack", "--layout", "S[(1000,1000):(1,1000)]", "--tensor", "u8[1000,1000]", "--in", in, "--out", out});
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_NE(ran.err.find(in + ": changed while it was read\n"), std::string::npos) << ran.err;
  }
  writer.request_stop();
  writer.join();
  EXPECT_EQ(test::read_text(out), "older");
}

TEST(ExecOutputs, AreNotMadeFromAnInputThatBecomesShorter) {
  const Folder folder;
  const std::string in = folder.file("in.bin", std::string(std::size_t{1} << 20, 'a'));
  std::jthread writer([&](const std::stop_token& stop) {
    for (bool small = true; !stop.stop_requested(); small = !small)
      if (::truncate(in.c_str(), small ? 5000 : 1 << 20) != 0) return;
  });
  for (int round = 0; round < 10; ++round) {
    const Ran ran = verify_layout({"exec", "pack", "--layout", "S[(1024,1024):(1,1024)]", "--tensor", "u8[1024,1024]",
                                   "--in", in, "--out", folder.at("out.bin")});
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_TRUE(ran.err.find("changed while it was read") != std::string::npos ||
                ran.err.find("5000 bytes; expected 1048576") != std::string::npos)
        << ran.err;
  }
  writer.request_stop();
  writer.join();
  EXPECT_FALSE(fs::exists(folder.at("out.bin")));
}

/// A control group of version 1 or 2 with this limit, within that of this process; empty if there may be none.
std::string group(std::size_t limit) {
  const std::pair<std::string, std::string> kinds[] = {{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
                                                       {"/sys/fs/cgroup", "memory.max"}};
  for (const auto& [base, file] : kinds) {
    const std::string folder = fmt::format("{}/verify-layout-test-{}", base, ::getpid());
    std::error_code code;
    if (!fs::create_directory(folder, code)) continue;
    std::ofstream(folder + "/" + file) << limit;
    std::size_t set = 0;
    std::ifstream(folder + "/" + file) >> set;
    if (set == limit) return folder;
    fs::remove(folder, code);
  }
  return "";
}

TEST(ExecOutputs, AreRefusedBeforeTheSystemKillsForTheirMemory) {
  constexpr std::size_t kLimit = std::size_t{192} << 20;
  const std::string limited = group(kLimit);
  if (limited.empty()) GTEST_SKIP() << "no control group can be made here";
  const Folder folder;
  const auto piped = [&](std::size_t mebibytes, const std::string& out) {
    const std::string line = fmt::format(
        "cd {0} && echo $$ > {1}/cgroup.procs && head -c {2}M /dev/zero | '{3}' exec pack --raw --layout 'S[{4}:1]' "
        "--tensor 'u8[{4}]' --in - --out {5}",
        folder.path(), limited, mebibytes, test::program("verify-layout"), mebibytes << 20, out);
    return test::run("/bin/sh", {"-c", line});
  };
  const Ran fits = piped(100, "out.bin");
  EXPECT_EQ(fits.code, 0) << fits.err;
  EXPECT_EQ(fs::file_size(folder.at("out.bin")), std::size_t{100} << 20);
  for (const auto& [mebibytes, out] : {std::pair(300, "large.bin"), std::pair(100, "- > large.bin")}) {
    const Ran ran = piped(static_cast<std::size_t>(mebibytes), out);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_NE(ran.err.find("are more than the memory that is left"), std::string::npos) << ran.err;
  }
  std::error_code code;
  fs::remove(limited, code);
}

}  // namespace cli_exec_outputs_test
}  // namespace vl
