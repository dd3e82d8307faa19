// Runs the rows of option_rows.h: a command, and the same one with an option more. The answers differ, or the option is
// refused. A command that is run twice answers the same, so a difference is the option's.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <map>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "tests/cli/option_rows.h"
#include "tests/support/process.h"
#include "tests/support/shard.h"

namespace vl {
namespace cli_option_walk_campaign {

using Words = std::vector<std::string>;
/// Exit code, both outputs, and the files of the folder. Times and the folder's name are left out.
using Seen = std::tuple<int, std::string, std::string, std::map<std::string, std::string>>;

std::string one_case(char id, const char* strides) {
  return fmt::format(
      "[[case]]\nid = \"{}\"\nlayout = \"S[(2,3):({})]\"\ntensor = \"u8[2,3]\"\nexpect = {{ injective = "
      "\"proved\" }}\n",
      id, strides);
}

std::string elements() {
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2, ), }";
  header.resize(118 - 1, ' ');
  const std::int64_t values[] = {0, 0, 1, 2};
  std::string data(sizeof values, '\0');
  std::memcpy(data.data(), values, sizeof values);
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + '\n' + data;
}

const char* const kAdapter =
    "import layout_gate\n"
    "@layout_gate.op(\"measure.size\", family=\"tirx\")\n"
    "def size(c):\n"
    "    out = 1\n"
    "    for extent in c[\"tensor\"][\"shape\"]:\n"
    "        out *= extent\n"
    "    return out + (1 if c[\"tensor\"][\"shape\"][:1] == [2] else 0)\n"
    "@layout_gate.op(\"place\", family=\"tirx\")\n"
    "def place(c):\n"
    "    raise layout_gate.Unsupported(\"x\")\n"
    "layout_gate.serve(\"small\", \"1\")\n";

const char* const kSizeCase =
    R"({"op":"measure.size","family":"tirx","layout":"S[2:1]","tensor":{"dtype":"f32","shape":[2]}})";

// The files that the rows name.
void fill(const test::Folder& folder) {
  folder.file("cases.toml", "schema = 1\n" + one_case('a', "1,1") + one_case('b', "3,1"));
  folder.file("f.mlir", "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n");
  folder.file("leaks.mlir",
              "func.func @f(%a: tensor<4x3xf32>) -> tensor<4x1xf32> {\n  %0 = \"ttir.sum\"(%a) <{dim_arg = [1 : i32], "
              "keep_dim = true}> : (tensor<4x3xf32>) -> tensor<4x1xf32>\n  return %0 : tensor<4x1xf32>\n}\n");
  // Column 3 of 4x3 is padding, and is read past the end of the core's shard.
  const std::string type =
      "tensor<1x1x4x4xf32, #ttcore.metal_layout<logical_shape = 4x3, dim_alignments = 4x4, collapsed_intervals = "
      "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>";
  folder.file("view.mlir", "func.func @f(%a: " + type + ") -> " + type +
                               " {\n  %0 = d2m.view_layout %a remapping = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, "
                               "d3 + 1)> : " +
                               type + " -> " + type + "\n  return %0 : " + type + "\n}\n");
  folder.file("proved.toml", "schema = 1\n" + one_case('c', "3,1"));
  folder.file("warned.toml",
              "schema = 1\n[[case]]\nid = \"w\"\nlayout = \"SpyreTensorLayout((2, 8), torch.float16)\"\ntensor = "
              "\"f32[2,8]\"\nexpect = { injective = \"proved\" }\n");
  folder.file("replayed.toml", "schema = 1\n" + one_case('r', "3,1") +
                                   "[case.replay]\nverb = \"pack\"\nhost = \"dense\"\nunit = 1\npattern = "
                                   "\"tags\"\ndata = 1\nfill = \"0\"\nto = \"S[6:1]\"\n");
  folder.file("log.txt",
              "SpyreTensorLayout(device_size=[2, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)\n"
              "S[(2,3):(3,1)]\n");
  folder.file("nests.json", R"({"direction":"h2d","nests":[{"extents":[16],"host_strides":[1],"device_strides":[1],)"
                            R"("host_offset":0,"device_offset":0}]})");
  folder.file("between.json", R"({"direction":"d2d","nests":[{"extents":[16],"from_strides":[1],"to_strides":[1],)"
                              R"("from_offset":0,"to_offset":0}]})");
  folder.file("chain.txt", "x = input f16[2,3] tile(2,4) padding any contents any\ny = sum x over 1\noutput y\n");
  std::string counted;
  for (int i = 0; i < 256; ++i) counted += static_cast<char>(i % 251);
  folder.file("host.bin", counted.substr(0, 32));
  folder.file("image.bin", counted);
  folder.file("six.bin", "\x01\x02\xfd\x04\x05\x06");
  ::chmod(folder.file("read-only.bin", "abcdef").c_str(), 0444);
  folder.file("broken.npz", "no archive");
  folder.file("elements.npy", elements());
  folder.file("adapter.py",
              fmt::format("import sys\nsys.path.insert(0, \"{}/oracle/adapters\")\n{}", VL_SOURCE_DIR, kAdapter));
  folder.file("cases.jsonl", fmt::format("{}\n", kSizeCase));
  folder.file("report.jsonl", fmt::format("{{\"kind\":\"finding\",\"signature\":\"size/1\",\"family\":\"tirx\",\"op\":"
                                          "\"measure.size\",\"case\":{}}}\n",
                                          kSizeCase));
  ::chmod(folder.path().c_str(), 0755);  // the adapter's user reads it
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

Words words_of(std::string_view command, const test::Folder& folder) {
  std::string text(command);
  for (int level = 0; level < 2; ++level)
    for (const auto& [name, stands_for] : test::kTexts) text = replaced(text, name, stands_for);
  Words out;
  bool open = false, quoted = false;
  for (const char c : text + " ") {
    if (c == '\'') quoted = !quoted;
    else if (c == ' ' && !quoted) open = false;
    else {
      if (!open) out.emplace_back();
      open = true;
      out.back() += c;
    }
  }
  for (std::string& word : out) {
    if (word.starts_with("@")) word = folder.at(word.substr(1));
    word = replaced(word, "=@", "=" + folder.path() + "/");
  }
  return out;
}

Seen run(std::string_view command) {
  const test::Folder folder;
  fill(folder);
  const test::Ran ran = test::verify_layout(words_of(command, folder));
  static const std::regex kTimes(R"re("(seconds|micros|certificate_micros|time)":[0-9.e+-]+)re");
  const auto masked = [&](const std::string& text) {
    return std::regex_replace(replaced(text, folder.path(), "@"), kTimes, "");
  };
  std::map<std::string, std::string> files;
  for (const auto& [name, content] : folder.content()) files.emplace(name, masked(content));
  return {ran.code, masked(ran.out), masked(ran.err), files};
}

TEST(OptionWalk, EveryOptionChangesAnAnswerOrIsRefused) {
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "adapters of the gate are in Python";
  const test::Shard shard = test::shard_of(1);
  std::map<std::string_view, Seen> bases;
  std::uint64_t number = 0;
  for (const auto& [option, without, value] : test::kOptionRows) {
    if (!shard.has(number++)) continue;
    const std::string name(option.substr(option.rfind(' ') + 1));
    if (without.empty()) {
      const Seen refused = run(value);
      EXPECT_TRUE(std::get<0>(refused) == 64 || std::get<0>(refused) == 2) << option << "\n" << std::get<1>(refused);
      EXPECT_NE(std::get<2>(refused).find(name), std::string::npos) << option << "\n" << std::get<2>(refused);
      continue;
    }
    if (!bases.contains(without)) {
      bases.emplace(without, run(without));
      EXPECT_EQ(bases.at(without), run(without)) << without << " differs from run to run";
    }
    const Seen with = run(fmt::format("{} {}", without, value));
    EXPECT_NE(bases.at(without), with) << option << " is ignored by: " << without << " " << value;
    for (const char* unread : {"is not an option", "argument too many", "internal error"})
      EXPECT_EQ(std::get<2>(with).find(unread), std::string::npos) << option << "\n" << std::get<2>(with);
  }
}

}  // namespace cli_option_walk_campaign
}  // namespace vl
