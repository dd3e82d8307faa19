// Limits of the system: the length of files, descriptors, memory. A limit that is hit is exit code 2 with its reason,
// and nothing is written.
#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace limits_test {

constexpr rlim_t kMiB = rlim_t{1} << 20;
constexpr std::size_t kSlack = 24 * kMiB;  // more than the start of the program differs from run to run

std::vector<Row> writers() {
  return {{"certificates", {"check", "@cases.toml", "--certificates", "@proofs"}, {2}, {}, {}, {"proofs"}},
          {"a report", {"check", "@cases.toml", "--output", "text=@all.txt"}, {2}, {}, {}, {"all.txt"}},
          {"npy", exec_words("pack", "@host.npy", "@out.npy"), {2}, {}, {}, {"out.npy"}},
          {"npz", exec_words("pack", "@host.npy", "@out.npz:x"), {2}, {}, {}, {"out.npz"}},
          {"a tensor more", exec_words("pack", "@host.npy", "@host.safetensors:x"), {2}, {}, {}, {"host.safetensors"}},
          {"bytes", exec_words("pack", "@host.npy", "@out.bin"), {2}, {}, {}, {"out.bin"}},
          {"a campaign",
           {"fuzz", "--family", "tirx", "--seed", "22", "--count", "2000", "--out", "@."},
           {2},
           {},
           {},
           {"tirx-22.json"}}};
}

TEST(HostileLimits, AFileThatBecomesTooLongIsAnErrorWithItsReason) {
  for (Row row : writers()) {
    row.where.file = 256;
    row.says = "File too large";
    attack(row, with_proofs);
  }
}

// Standard output under the same limit.
TEST(HostileLimits, AStandardOutputThatBecomesTooLongIsAnError) {
  for (const Words& words :
       {Words{"claims"}, Words{"check", "@cases.toml", "--format", "json"}, exec_words("pack", "@host.npy", "-")}) {
    Row row{"standard output", words, {2}};
    row.where.file = 100;
    row.where.out = "@text.log";
    row.makes = {"text.log"};
    const Folder folder;
    make_inputs(folder);
    row.where.out = folder.at("text.log");
    const Ended ended = attacked(placed(folder, words), row.where);
    EXPECT_EQ(ended.code, 2) << told(words, ended);
    EXPECT_NE(ended.err.find(" be written"), std::string::npos) << told(words, ended);
  }
}

TEST(HostileLimits, TooFewDescriptorsAreAnError) {
  for (const rlim_t files : {3U, 4U, 5U, 6U, 8U}) {
    if (kSanitized && files != 4U && files != 6U) continue;
    // The loader needs one for a library, and says so with a code of its own.
    Surroundings where;
    where.files = files;
    if (Attack(program("verify-layout"), {"--version"}, where).wait().code == 127) continue;
    std::vector<Row> rows = writers();
    for (const auto& [name, words] : readers_of("@text.log")) rows.push_back({name, words, {10}});
    for (Row& row : rows) {
      row.codes.insert(row.codes.end(), {0, 5});
      if (row.codes.front() != 2) row.codes.push_back(2);
      row.name += ", " + std::to_string(files) + " descriptors";
      row.where.files = files;
      attack(row, with_proofs);
    }
  }
}

// What a start takes, so that the limits below leave room for it. Sanitized programs reserve addresses without end.
std::size_t least_addresses() {
  for (rlim_t most = 32 * kMiB; most < 1024 * kMiB; most += 16 * kMiB) {
    Surroundings where;
    where.memory = most;
    if (attacked({"--version"}, where).code == 0) return most;
  }
  return 0;
}

TEST(HostileLimits, TooLittleMemoryIsAnError) {
  if (kSanitized) GTEST_SKIP() << "the address sanitizer reserves more addresses than any limit allows";
  const std::size_t least = least_addresses();
  ASSERT_NE(least, 0U);
  const std::string big = "u8[200000000]", tile = "S[200000000:1]";
  std::vector<Row> rows = writers();
  rows.push_back(
      {"a large tensor", {"exec", "pack", "--layout", tile, "--tensor", big, "--in", "/dev/zero", "--out", "@x"}, {2}});
  rows.push_back({"its plan", {"exec", "pack", "--layout", tile, "--tensor", big, "--show-plan"}, {2}});
  rows.push_back({"a large walk",
                  {"check", "--layout", "ComposeLayout(2, 3, 5, S[(3,5,77777,7):(1,9,45,4444444)])", "--tensor",
                   "u8[8166585]", "--engine", "enumerate"},
                  {2, 10}});
  rows.push_back({"a solver", {"check", "--layout", kTile, "--tensor", "f16[8,64]", "--engine", "smt"}, {2, 10}});
  for (const rlim_t more : {0U, 4U, 16U, 64U}) {
    for (Row row : rows) {
      row.codes.insert(row.codes.end(), {0, 5});
      row.name += ", " + std::to_string(more) + " MiB more than the start takes";
      row.where.memory = least + more * kMiB;
      attack(row, with_proofs);
    }
  }
}

// A stack takes 8 MiB of addresses, and a thread's heap up to 64: at these limits only some of the threads begin.
TEST(HostileLimits, TooLittleMemoryForThreadsIsAnError) {
  if (kSanitized) GTEST_SKIP() << "the address sanitizer reserves more addresses than any limit allows";
  const std::size_t least = least_addresses();
  ASSERT_NE(least, 0U);
  const std::vector<Row> rows = {
      {"a campaign", {"fuzz", "--count", "500", "--threads", "8"}, {0, 2, 5}},
      {"neutral cases", {"fuzz", "--what", "neutral", "--count", "500", "--threads", "8"}, {0, 2, 5}},
      {"a plan",
       {"exec", "pack", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--in", "@host.npy", "--out",
        "@out.npy", "--threads", "8"},
       {0, 2, 5},
       {},
       {},
       {"out.npy"}},
      {"cases", {"check", "@cases.toml", "--jobs", "8"}, {0, 2, 5}}};
  for (rlim_t more = 0; more <= 160; more += 20) {
    for (Row row : rows) {
      row.name += ", " + std::to_string(more) + " MiB more than the start takes";
      row.where.memory = least + more * kMiB;
      attack(row, with_proofs);
    }
  }
}

// Piped input is held once: what is read, what is written, and a tenth.
TEST(HostileLimits, PipedInputIsHeldOnce) {
  if (kSanitized) GTEST_SKIP() << "the address sanitizer keeps freed memory";
  constexpr std::size_t kBytes = 65 * kMiB;  // just above a power of two, where doubling takes most
  const Folder folder;
  folder.file("big.bin", std::string(kBytes, '\x5a'));
  const std::string size = std::to_string(kBytes);
  const std::string command = "cat '" + folder.at("big.bin") + "' | exec '" + program("verify-layout") +
                              "' exec pack --layout 'S[" + size + ":1]' --tensor 'u8[" + size +
                              "]' --raw --in - --out '" + folder.at("out.bin") + "'";
  const Ended ended = Attack("/bin/sh", {"-c", command}).wait();
  ASSERT_EQ(ended.code, 0) << told({command}, ended);
  const Ended start = attacked({"--version"});
  EXPECT_LE(ended.peak, start.peak + kBytes + kBytes / 10 + kBytes + kSlack) << "the output is mapped and counts too";
  EXPECT_TRUE(read_text(folder.at("out.bin")) == read_text(folder.at("big.bin")));
}

// Of each case its text and its place are held, and not what is read from it.
TEST(HostileLimits, CasesOfAFileTakeLessThanAKilobyteEach) {
  if (kSanitized) GTEST_SKIP() << "the address sanitizer keeps freed memory";
  constexpr std::size_t kCases = 50000;
  std::string text = "schema = 1\n";
  for (std::size_t k = 0; k < kCases; ++k)
    text += "[[case]]\nid = \"c" + std::to_string(k) +
            "\"\nsource = \"here\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,64]\"\nexpect = { bytes = 1024 }\n";
  const Folder folder;
  folder.file("many.toml", text);
  const Ended start = attacked({"--version"});
  const Ended ended = attacked({"check", folder.at("many.toml"), "--quiet"});
  ASSERT_EQ(ended.code, 0) << told({"check"}, ended);
  EXPECT_LE(ended.peak, start.peak + kCases * 1024);
}

}  // namespace limits_test
}  // namespace vl::test::hostile
