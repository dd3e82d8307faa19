// Mutated arrays, archives and checkpoints. The commands that read them take one file, so each file has a process.
#include "tests/hostile/swarm.h"

namespace vl::test::hostile {
namespace mutation_files_test {

// The file packed, under another name where the format is told by the name.
Swarm packed(const std::string& format, const std::string& member) {
  return {
      format,
      1,
      [member](const Words& files) {
        const Folder out;
        const Ended ended = attacked(exec_words("pack", files.front() + member, out.at("out.bin"), {"--threads", "1"}));
        const Content made = out.content();
        EXPECT_EQ(made.size(), ended.code == 0 ? 1U : 0U)
            << "code " << ended.code << " and " << made.size() << " files";
        for (const auto& [name, content] : made)
          EXPECT_TRUE(name == "out.bin" && content.size() == 768) << name << " of " << content.size();
        EXPECT_EQ(ended.code == 0, ended.err.empty()) << ended.err;
        return ended;
      },
      {0, 2}};
}

TEST(HostileMutation, OfArraysIsAnswered) {
  std::string version3 = npy_of("<u2", "(3, 70)", host_bytes());
  version3.replace(6, 4, std::string("\x03\x00\x76\x00\x00\x00", 6));
  Mutants mutants({npy_of("<u2", "(3, 70)", host_bytes()), npy_of("=u2", "(3,70,)", host_bytes()), version3,
                   npy_of("|u1", "(5,)", "other")},
                  11);
  attack_with(packed("npy", ""), mutants);
}

TEST(HostileMutation, OfArchivesIsAnswered) {
  const std::string data = std::string(VL_SOURCE_DIR) + "/tests/files/data/";
  Mutants mutants({two_arrays(), zip_of({stored("w.npy", npy_of("<u2", "(3, 70)", host_bytes()))}),
                   read_text(data + "deflated.npz"), read_text(data + "stored.npz")},
                  12);
  attack_with(packed("npz", ":w"), mutants);
}

TEST(HostileMutation, OfSafetensorsIsAnswered) {
  Mutants mutants({two_safetensors(), two_safetensors(),
                   read_text(std::string(VL_SOURCE_DIR) + "/tests/files/data/four.safetensors")},
                  13);
  attack_with(packed("safetensors", ":w"), mutants);
}

// Writing a tensor into a damaged archive: the archive stays, or holds what it held and the tensor.
Swarm written(const std::string& format) {
  return {
      format,
      1,
      [](const Words& files) {
        const Folder folder;
        const std::string before = read_text(files.front()), in = folder.file("in.bin", std::string(768, '\x07'));
        const std::string copy = folder.file(std::filesystem::path(files.front()).filename().string(), before);
        const Ended ended = attacked(exec_words("unpack", in, copy + ":new", {"--threads", "1"}));
        const std::string after = read_text(copy);
        EXPECT_TRUE(ended.code == 0 || after == before) << "changed in spite of code " << ended.code;
        if (ended.code != 0) return ended;
        const Ended read = attacked(exec_words("pack", copy + ":new", folder.at("back.bin")));
        const bool other = read.err.find("is not supported") != std::string::npos;  // the dtype of another tensor
        EXPECT_TRUE(read.code == 0 || other) << "it cannot be read: " << read.err;
        const bool had = attacked(exec_words("pack", files.front() + ":w", folder.at("w1.bin"))).code == 0;
        if (had) {
          EXPECT_EQ(attacked(exec_words("pack", copy + ":w", folder.at("w2.bin"))).code, 0) << "the tensor w is lost";
          EXPECT_TRUE(read_text(folder.at("w1.bin")) == read_text(folder.at("w2.bin"))) << "the tensor w is changed";
        }
        return ended;
      },
      {0, 2}};
}

TEST(HostileMutation, OfArchivesThatAreWrittenToLosesNothing) {
  Mutants archives({two_arrays()}, 14), tensors({two_safetensors()}, 15);
  const std::size_t kFiles = kMutants / 4;  // a file takes four processes
  attack_with(written("npz"), archives, {}, kFiles);
  attack_with(written("safetensors"), tensors, {}, kFiles);
}

// A checkpoint that is accepted says what the valid one says: every other one is refused.
TEST(HostileMutation, OfCheckpointsIsRefused) {
  std::vector<std::string> valid, lines;
  for (const char* family : {"tirx", "spyre"}) {
    const Folder folder;
    ASSERT_EQ(attacked({"fuzz", "--family", family, "--seed", "7", "--count", "300", "--out", folder.path()}).code, 0);
    valid.push_back(read_text(folder.at(std::string(family) + "-7.json")));
    lines.push_back(attacked({"fuzz", "--merge", folder.at(std::string(family) + "-7.json")}).out);
  }
  std::size_t refused = 0;
  const Swarm swarm{"json",
                    1,
                    [&](const Words& files) {
                      Ended ended = attacked({"fuzz", "--merge", files.front()});
                      const bool same = std::ranges::count(lines, ended.out) == 1;
                      if (ended.code == 2) ++refused;
                      else
                        EXPECT_TRUE(ended.code == 0 && same)
                            << "an altered checkpoint is accepted, code " << ended.code << ": " << ended.out;
                      return ended;
                    },
                    {0, 2}};
  Mutants mutants(valid, 16);
  attack_with(swarm, mutants);
  EXPECT_GE(refused, kMutants * 9 / 10);
}

// The same file in the folder of a campaign, which would go on from it.
TEST(HostileMutation, OfCheckpointsIsNotResumed) {
  const Folder folder;
  const auto campaign = [](const std::string& out) {
    return Words{"fuzz", "--family", "tirx", "--seed", "7", "--count", "200", "--out", out};
  };
  ASSERT_EQ(attacked(campaign(folder.path())).code, 0);
  const std::string want = read_text(folder.at("tirx-7.json"));
  const Swarm swarm{"json",
                    1,
                    [&](const Words& files) {
                      const Folder out;
                      const std::string altered = read_text(files.front());
                      out.file("tirx-7.json", altered);
                      const Ended ended = attacked(campaign(out.path()));
                      const std::string left = read_text(out.at("tirx-7.json"));
                      EXPECT_TRUE(left == (ended.code == 0 ? want : altered))
                          << "code " << ended.code << " left " << left;
                      return ended;
                    },
                    {0, 2}};
  Mutants mutants({want}, 17);
  attack_with(swarm, mutants);
}

}  // namespace mutation_files_test
}  // namespace vl::test::hostile
