// exec on every kind of file, host memory, and between layouts; expected values are formulas over the element's
// coordinates.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/files/archive.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_exec_files_test {

using test::Folder;
using test::Ran;
using test::verify_layout;
using Words = std::vector<std::string>;
using Values = std::vector<std::uint16_t>;

std::string bytes(const Values& values) {
  std::string out(values.size() * 2, '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

std::string npy(const std::string& shape, const Values& values, const std::string& descr = "<u2") {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + bytes(values);
}

/// The data behind a .npy header that says this shape.
std::string data_of(const std::string& file, const std::string& shape) {
  EXPECT_NE(file.substr(0, 128).find("'shape': " + shape + ","), std::string::npos) << file.substr(0, 128);
  return file.size() < 128 ? "" : file.substr(128);
}

// bf16[3,70]: device_size [2,3,64]: element (i, j) is unit ((j/64)*3 + i)*64 + j%64.
const std::string kLayout = "SpyreTensorLayout((3, 70), torch.bfloat16)";
const std::string kTensor = "bf16[3,70]";

Values host() {
  Values out;
  for (std::size_t k = 0; k < 210; ++k) out.push_back(static_cast<std::uint16_t>(0x7f81 + 97 * k));
  return out;
}

Values device(std::uint16_t fill = 0) {
  Values out(2 * 3 * 64, fill);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 70; ++j) out[((j / 64) * 3 + i) * 64 + j % 64] = host()[i * 70 + j];
  return out;
}

Words exec(const std::string& verb, const std::string& in, const std::string& out, const Words& more = {}) {
  Words words{"exec", verb, "--layout", kLayout, "--tensor", kTensor, "--in", in, "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ExecFiles, ReadsEveryFormatAlike) {
  const Folder folder;
  const std::string array = npy("(3, 70)", host());
  const std::string header = R"({"w":{"dtype":"BF16","shape":[3,70],"data_offsets":[0,420]}})";
  const std::vector<std::pair<std::string, Words>> inputs = {
      {folder.file("a.npy", array), {}},
      {folder.file("a.npz", test::zip_of({test::stored("x.npy", "?"), test::stored("a.npy", array)})) + ":a", {}},
      {folder.file("one.npz", test::zip_of({test::stored("a.npy", array)})), {}},
      {folder.file("m.safetensors", test::safetensors_of(header, bytes(host()))) + ":w", {}},
      {folder.file("a.bin", bytes(host())), {}},
      {folder.file("a.dat", bytes(host())), {"--raw"}},
  };
  for (const auto& [in, more] : inputs) {
    const Ran ran = verify_layout(exec("pack", in, folder.at("out.raw"), more));
    ASSERT_EQ(ran.code, 0) << in << ran.err;
    EXPECT_EQ(test::read_text(folder.at("out.raw")), bytes(device())) << in;
    EXPECT_EQ(ran.out + ran.err, "");
  }
}

TEST(ExecFiles, WritesEveryFormat) {
  const Folder folder;
  const std::string in = folder.file("device.bin", bytes(device(0x1234)));
  for (const char* out : {"a.npy", "a.npz", "a.npz:x", "a.safetensors:w", "a.bin"}) {
    const Ran ran = verify_layout(exec("unpack", in, folder.at(out)));
    ASSERT_EQ(ran.code, 0) << out << ran.err;
    const Ran back = verify_layout(exec("pack", folder.at(out), folder.at("back.raw"), {"--fill", "bits:0x1234"}));
    ASSERT_EQ(back.code, 0) << out << back.err;
    EXPECT_EQ(test::read_text(folder.at("back.raw")), bytes(device(0x1234))) << out;
  }
  EXPECT_EQ(data_of(test::read_text(folder.at("a.npy")), "(3, 70)"), bytes(host()));
  EXPECT_EQ(test::read_text(folder.at("a.bin")), bytes(host()));
  EXPECT_NE(test::read_text(folder.at("a.safetensors")).find(R"("w":{"dtype":"BF16","shape":[3,70])"),
            std::string::npos);
  EXPECT_NE(test::read_text(folder.at("a.npz")).find("x.npy"), std::string::npos);
}

TEST(ExecFiles, ReadsAndWritesStandardStreams) {
  const Folder folder;
  folder.file("a.npy", npy("(3, 70)", host()));
  folder.file("a.bin", bytes(host()));
  const std::string command = fmt::format("'{}' exec pack --layout '{}' --tensor '{}' --in - --out -",
                                          test::program("verify-layout"), kLayout, kTensor);
  for (const std::string& line : {"cat a.npy | " + command + " > piped", command + " < a.npy > given",
                                  "cat a.bin | " + command + " --raw > raw"}) {
    const Ran ran = test::run("/bin/sh", {"-c", "cd " + folder.path() + " && " + line});
    ASSERT_EQ(ran.code, 0) << line << ran.err;
  }
  EXPECT_EQ(data_of(test::read_text(folder.at("piped")), "(2, 3, 64)"), bytes(device()));
  EXPECT_EQ(test::read_text(folder.at("given")), test::read_text(folder.at("piped")));
  EXPECT_EQ(test::read_text(folder.at("raw")), bytes(device()));
}

// The host's memory: element (i, j) at 5 + 100 i + j.
const Words kView = {"--strides", "100,1", "--offset", "5"};
const std::string kStrided = "SpyreTensorLayout((3, 70), (100, 1), torch.bfloat16, [0, 1])";  // device_size [2,3,64]

Values memory(std::size_t units, std::uint16_t between) {
  Values out(units, between);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 70; ++j) out[5 + 100 * i + j] = host()[i * 70 + j];
  return out;
}

Words viewed(const std::string& verb, const std::string& in, const std::string& out, Words more) {
  Words words{"exec", verb, "--layout", kStrided, "--tensor", kTensor, "--in", in, "--out", out};
  words.insert(words.end(), kView.begin(), kView.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ExecFiles, ReadsAViewFromTheHostsMemory) {
  const Folder folder;
  const std::vector<std::pair<std::string, Words>> inputs = {
      {folder.file("tensor.npy", npy("(3, 70)", host())), {}},
      {folder.file("span.npy", npy("(275,)", memory(275, 9))), {}},
      {folder.file("longer.npy", npy("(300,)", memory(300, 9))), {}},
      {folder.file("longer.bin", bytes(memory(300, 9))), {}},
      {folder.file("tensor.bin", bytes(host())), {"--host", "tensor"}},
      {folder.file("forced.npy", npy("(275,)", memory(275, 9))), {"--host", "memory"}},
  };
  for (const auto& [in, more] : inputs) {
    const Ran ran = verify_layout(viewed("pack", in, folder.at("out.raw"), more));
    ASSERT_EQ(ran.code, 0) << in << ran.err;
    EXPECT_EQ(test::read_text(folder.at("out.raw")), bytes(device())) << in;
  }
}

// A column-major tensor fills its memory: its file is as long either way, and is the tensor unless --host says memory.
TEST(ExecFiles, TakesAFileThatFitsBothForTheTensorUnlessTold) {
  const Folder folder;
  const std::string in = folder.file("both.bin", bytes(host()));
  const auto packed = [&](const Words& more) {
    Words words{"exec",      "pack",
                "--tensor",  kTensor,
                "--strides", "1,3",
                "--in",      in,
                "--out",     folder.at("out.raw"),
                "--layout",  "SpyreTensorLayout((3, 70), (1, 3), torch.bfloat16, [0, 1])"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = verify_layout(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return test::read_text(folder.at("out.raw"));
  };
  Values memory(2 * 3 * 64, 0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 70; ++j) memory[(j / 64 * 3 + i) * 64 + j % 64] = host()[i + 3 * j];
  EXPECT_EQ(packed({}), bytes(device()));
  EXPECT_EQ(packed({"--host", "tensor"}), bytes(device()));
  EXPECT_EQ(packed({"--host", "memory"}), bytes(memory));
  EXPECT_NE(bytes(memory), bytes(device()));
}

TEST(ExecFiles, WritesTheHostsMemoryWithTheFillBetween) {
  const Folder folder;
  const std::string in = folder.file("device.bin", bytes(device(0xffff)));
  const Ran ran =
      verify_layout(viewed("unpack", in, folder.at("memory.npy"), {"--host", "memory", "--fill", "bits:0x0102"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(data_of(test::read_text(folder.at("memory.npy")), "(275,)"), bytes(memory(275, 0x0102)));
  const Ran tensor = verify_layout(viewed("unpack", in, folder.at("tensor.npy"), {}));
  ASSERT_EQ(tensor.code, 0) << tensor.err;
  EXPECT_EQ(data_of(test::read_text(folder.at("tensor.npy")), "(3, 70)"), bytes(host()));
}

TEST(ExecFiles, MovesBetweenFamilies) {
  const Folder folder;
  const std::string in = folder.file("device.bin", bytes(device()));
  // Column-major on laneid, m: element (i, j), number k = 70 i + j, at lane k / 30 and m = k % 30.
  const std::string tile = "S[(7,30):(1@laneid,1@m)]";
  const Words common{"--tensor", kTensor, "--box", "laneid=8", "--fill", "bits:0x0007", "--in"};
  Words there{"exec", "move", "--from", kLayout, "--to", tile};
  there.insert(there.end(), common.begin(), common.end());
  there.insert(there.end(), {in, "--out", folder.at("tile.npy")});
  const Ran ran = verify_layout(there);
  ASSERT_EQ(ran.code, 0) << ran.err;
  Values expected = host();
  expected.resize(240, 7);
  const std::string written = test::read_text(folder.at("tile.npy"));
  const bool lanes_first = written.find("(8, 30)") != std::string::npos;
  ASSERT_TRUE(lanes_first) << written.substr(0, 128);
  EXPECT_EQ(data_of(written, "(8, 30)"), bytes(expected));
  Words back{"exec", "move", "--from", tile, "--to", kLayout};
  back.insert(back.end(), common.begin(), common.end());
  back.insert(back.end(), {folder.at("tile.npy"), "--out", folder.at("back.raw")});
  const Ran again = verify_layout(back);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(test::read_text(folder.at("back.raw")), bytes(device(7)));
}

TEST(ExecFiles, RunsNestsBetweenDevices) {
  const Folder folder;
  const std::string in = folder.file("device.bin", bytes(device()));
  // Two sticks a row, row after row: unit (i*2 + j/64)*64 + j%64.
  const std::string to = "SpyreTensorLayout(device_size=[3, 2, 64], stride_map=[70, 64, 1], device_dtype=SEN169_FP16)";
  const std::string nests = folder.file("d2d.json", R"({"direction":"d2d","nests":[
      {"extents":[3,64],"from_strides":[64,1],"to_strides":[128,1],"from_offset":0,"to_offset":0},
      {"extents":[3,6],"from_strides":[64,1],"to_strides":[128,1],"from_offset":192,"to_offset":64}]})");
  const Words words{"exec",   "run",        "--from", kLayout, "--to", to,      "--tensor",
                    kTensor,  "--nests",    nests,    "--in",  in,     "--out", folder.at("out.raw"),
                    "--fill", "bits:0x0003"};
  const Ran ran = verify_layout(words);
  ASSERT_EQ(ran.code, 0) << ran.err;
  Values expected(3 * 2 * 64, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 70; ++j) expected[i * 128 + j] = host()[i * 70 + j];
  EXPECT_EQ(test::read_text(folder.at("out.raw")), bytes(expected));
}

TEST(ExecFiles, RunsNestsOverTheHostsMemory) {
  const Folder folder;
  const std::string nests = folder.file("h2d.json", R"({"direction":"h2d","nests":[
      {"extents":[3,64],"host_strides":[100,1],"device_strides":[64,1],"host_offset":5,"device_offset":0},
      {"extents":[3,6],"host_strides":[100,1],"device_strides":[64,1],"host_offset":69,"device_offset":192}]})");
  for (const auto& in :
       {folder.file("tensor.npy", npy("(3, 70)", host())), folder.file("span.npy", npy("(275,)", memory(275, 9)))}) {
    const Ran ran = verify_layout(viewed("run", in, folder.at("out.raw"), {"--nests", nests}));
    ASSERT_EQ(ran.code, 0) << in << ran.err;
    EXPECT_EQ(test::read_text(folder.at("out.raw")), bytes(device())) << in;
  }
}

TEST(ExecFiles, TheResultIsTheSameForAnyThreadsAndDefinition) {
  const Folder folder;
  std::string data;
  for (std::size_t k = 0; k < 700 * 1000 * 2; ++k) data += static_cast<char>(k * 7 + (k >> 9));
  const std::string in = folder.file("host.bin", data);
  std::string first;
  for (const Words& more : {Words{"--definition", "always", "--threads", "1"}, Words{"--threads", "3"},
                            Words{"--definition", "sometimes"}}) {
    Words words{"exec",     "pack",
                "--layout", "SpyreTensorLayout((700, 1000), torch.float16)",
                "--tensor", "f16[700,1000]",
                "--in",     in,
                "--out",    folder.at("out.raw")};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = verify_layout(words);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::string out = test::read_text(folder.at("out.raw"));
    ASSERT_EQ(out.size(), 16U * 700 * 64 * 2);
    if (first.empty()) first = out;
    EXPECT_TRUE(out == first);
  }
  for (const std::size_t i : {0U, 1U, 699U})  // row i, column j: stick j/64 of row i
    for (const std::size_t j : {0U, 63U, 64U, 999U})
      EXPECT_EQ(first.substr((((j / 64) * 700 + i) * 64 + j % 64) * 2, 2), data.substr((i * 1000 + j) * 2, 2))
          << i << " " << j;
}

TEST(ExecFiles, ShowsThePlanWithoutData) {
  const Ran ran = verify_layout({"exec", "pack", "--layout", kLayout, "--tensor", kTensor, "--show-plan"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("plan: 420 bytes to 768 bytes"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("the certificate is accepted"), std::string::npos) << ran.out;
  const Ran none =
      verify_layout({"exec", "pack", "--tensor", "f16[65]", "--show-plan", "--layout",
                     "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_TRUE(none.out.starts_with("no plan: ")) << none.out;
  EXPECT_EQ(
      verify_layout({"exec", "pack", "--layout", kLayout, "--tensor", kTensor, "--show-plan", "--in", "x.npy"}).code,
      64);
  EXPECT_EQ(verify_layout({"exec", "pack", "--layout", kLayout, "--tensor", kTensor}).code, 64);
}

TEST(ExecFiles, NamesTheFileAndWhatWasExpected) {
  const Folder folder;
  const std::string image = folder.file("in/device.bin", bytes(device()));
  const std::string header = R"({"w":{"dtype":"F16","shape":[3,70],"data_offsets":[0,420]}})";
  const std::string tensors = folder.file("in/m.safetensors", test::safetensors_of(header, bytes(host())));
  const std::string shape = folder.file("in/shape.npy", npy("(70, 3)", host()));
  const std::string shorter = folder.file("in/span.npy", npy("(274,)", memory(275, 0)).substr(0, 128 + 2 * 274));
  const std::string out = folder.file("out.npy", "older");
  const auto huge = [&](const std::string& size) {
    return Words{
        "exec", "unpack", "--layout", fmt::format("S[{}:1]", size), "--tensor", fmt::format("f64[{}]", size), "--in",
        image,  "--out",  out};
  };
  struct Row {
    Words words;
    std::string message;
  };
  const Row rows[] = {
      {exec("pack", image, out), image + ": 768 bytes; expected 420"},
      {exec("pack", tensors, out), tensors + ": the dtype is F16; expected BF16 for bf16"},
      {exec("pack", tensors + ":v", out), "there is no tensor 'v'; it has w"},
      {exec("pack", shape, out), shape + ": the shape is (70, 3); expected (3, 70)"},
      {viewed("pack", shape, out, {}), "expected (3, 70), or (275,) or longer for the host's memory"},
      {viewed("pack", shorter, out, {}), "the shape is (274,); expected (3, 70), or (275,) or longer"},
      {viewed("pack", shorter, out, {"--host", "memory"}), "the shape is (274,); expected (275,) or longer"},
      {viewed("pack", image, out, {"--host", "tensor"}), "768 bytes; expected 420"},
      {exec("unpack", image, folder.at("a.safetensors:__metadata__")), "not a name of a tensor"},
      {huge("1152921504606846976"), "more than the memory of this machine"},
      {huge("70368744177664"), "more than the memory of this machine"},
      {huge("4611686018427387904"), "more than the memory of this machine"},
      {{"exec", "run", "--layout", kLayout, "--tensor", kTensor, "--in", image, "--out", out, "--nests",
        folder.file("in/d2d.json", R"({"direction":"d2d","nests":[]})")},
       "expected --from"},
      {{"exec", "move", "--from", kLayout, "--to", kLayout, "--tensor", kTensor, "--box", "laneid=8", "--in", image,
        "--out", out},
       "neither layout has named axes"},
      {{"exec", "pack", "--layout", "S[(64):(1)]", "--tensor", "i4[64]", "--in", image, "--out", out},
       "i4 has no units of whole bytes"},
      {{"exec", "unpack", "--layout", "S[(64):(1)]", "--tensor", "bfp8[64]", "--in", image, "--out", out},
       "bfp8 has no units of whole bytes"},
  };
  const auto before = folder.content();
  for (const Row& row : rows) {
    const Ran ran = verify_layout(row.words);
    EXPECT_EQ(ran.code, 2) << row.message << "\n" << ran.out << ran.err;
    EXPECT_NE(ran.err.find(row.message), std::string::npos) << row.message << "\n" << ran.err;
    EXPECT_EQ(folder.content(), before) << row.message;
  }
}

// A pipe without a writer makes the work long: the terminal shows a line, which then disappears.
TEST(ExecFiles, TellsATerminalThatItIsStillAtIt) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  const Folder folder;
  folder.file("a.npy", npy("(3, 70)", host()));
  const std::string line = fmt::format(
      "cd {} && (while [ ! -e go ]; do sleep 0.05; done; cat a.npy) | '{}' exec pack --layout '{}' --tensor "
      "'{}' --in - --out out.raw 2>{}",
      folder.path(), test::program("verify-layout"), kLayout, kTensor, name);
  Ran ran;
  const int keep = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // the terminal stays, although no process has it open
  std::thread command([&] { ran = test::run("/bin/sh", {"-c", line}); });
  std::string said;
  pollfd ready{terminal, POLLIN, 0};
  while (said.find("reading -, ") == std::string::npos && ::poll(&ready, 1, 600'000) == 1) {
    char buffer[256];
    const ssize_t got = ::read(terminal, buffer, sizeof buffer);
    if (got <= 0) break;
    said.append(buffer, static_cast<std::size_t>(got));
  }
  folder.file("go", "");
  command.join();
  ::close(keep);
  ::close(terminal);
  EXPECT_NE(said.find("verify-layout: reading -, "), std::string::npos) << said;
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(test::read_text(folder.at("out.raw")), bytes(device()));
}

}  // namespace cli_exec_files_test
}  // namespace vl
