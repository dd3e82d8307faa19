// --fill and --patch: what to write into padding, in words and as an edit of the text.
#include <sstream>

#include "tests/cli/records.h"

namespace vl {
namespace programs_fills_test {

const std::string kTypes =
    "#l = #ttcore.metal_layout<logical_shape = 50x50, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, "
    "2]]> : tensor<2x2xi64>, l1, sharded>\n"
    "#o = #ttcore.metal_layout<logical_shape = 50x1, dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, "
    "2]]> : tensor<2x2xi64>, l1, sharded>\n"
    "#map = affine_map<(d0, d1) -> (d0, d1)>\n#mapR = affine_map<(d0, d1) -> (d0, 0)>\n"
    "#parallel = #ttcore.iterator_type<parallel>\n#reduction = #ttcore.iterator_type<reduction>\n";
const std::string kIn = "tensor<1x1x2x2x!ttcore.tile<32x32, f32>, #l>";
const std::string kOut = "tensor<1x1x2x1x!ttcore.tile<32x32, f32>, #o>";

// A reduction of %x's tiles, whose scaler holds ones.
std::string reduced(const std::string& name, const std::string& by, const std::string& before = "",
                    const std::string& of = "%x") {
  const std::string operands = "ins(" + of + ", %s : " + kIn + ", " + kIn + ")";
  return "func.func @" + name + "(%x: " + kIn + ", %m: " + kIn + ", %s: " + kIn + ", %out: " + kOut + ") -> " + kOut +
         " {\n" + before +
         "  %r = d2m.generic {block_factors = [1, 1], grid = #ttcore.grid<1x1>, indexing_maps = [#map, #map, #mapR], "
         "iterator_types = [#parallel, #reduction], threads = [#d2m.thread<unified>]}\n      " +
         operands + "\n      outs(%out : " + kOut +
         ") {\n  ^unified0:\n    %g = linalg.generic {indexing_maps = [#map, "
         "#map, #mapR], iterator_types = [\"parallel\", \"reduction\"]} " +
         operands + " outs(%out : " + kOut +
         ") {\n    ^bb0(%p: !ttcore.tile<32x32, f32>, %q: !ttcore.tile<32x32, f32>, %acc: !ttcore.tile<32x32, f32>):\n"
         "      %t = \"d2m.tile_reduce_" +
         by +
         "\"(%p, %q, %acc) <{reduce_dim = #d2m<reduce_dim C>}> : (!ttcore.tile<32x32, f32>, !ttcore.tile<32x32, f32>, "
         "!ttcore.tile<32x32, f32>) -> !ttcore.tile<32x32, f32>\n      linalg.yield %t : !ttcore.tile<32x32, f32>\n    "
         "} -> " +
         kOut + "\n    d2m.yield %g : (" + kOut + ")\n  } : " + kOut + "\n  return %r : " + kOut + "\n}\n";
}
const std::string kSays = "// vl: contents x: finite; s: {1} padding x: unwritten; s: 1\n";

// What stands behind the patch's edits, line by line; it has to fit.
std::string patched(const std::string& text, const std::string& patch) {
  std::vector<std::string> lines, out;
  std::istringstream in(text), edits(patch);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::size_t at = 0;
  for (std::string line; std::getline(edits, line);) {
    if (line.starts_with("---") || line.starts_with("+++")) continue;
    if (line.starts_with("@@ -")) {
      const std::size_t begin = std::stoul(line.substr(4)) - 1;
      const std::size_t now = std::stoul(line.substr(line.find('+') + 1)) - 1;
      for (; at < begin; ++at) out.push_back(lines.at(at));
      EXPECT_EQ(out.size(), now) << line;
      continue;
    }
    if (line[0] != '+') {
      EXPECT_EQ(lines.at(at), line.substr(1)) << line;
      ++at;
    }
    if (line[0] != '-') out.push_back(line.substr(1));
  }
  for (; at < lines.size(); ++at) out.push_back(lines[at]);
  std::string all;
  for (const std::string& line : out) all += line + "\n";
  return all;
}

std::string words_of(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  fill: ")) out += line.substr(8) + "\n";
  return out;
}

std::string verdicts_of(const std::string& file) {
  std::string out;
  for (const Json& record : records(called({"check", "--programs", file, "--format", "jsonl"}).out).all)
    if (record.contains("function") && record["kind"] == "verdict")
      out += record["claim"].get<std::string>() + " " + record["verdict"].get<std::string>() + "\n";
  return out;
}

TEST(Fills, OfD2mAreEditsThatProveIt) {
  struct Row {
    const char *by, *words;
  };
  for (const Row& row : {Row{"sum", "at the beginning, d2m.mask of %x with <zero>\n"},
                         {"max", "at the beginning, d2m.mask of %x with <neginf>\n"}}) {
    const Folder folder;
    const std::string text = kSays + kTypes + reduced("f", row.by);
    const std::string file = folder.file("f.mlir", text), patch = folder.at("p.patch");
    const Ran ran = called({"check", "--programs", file, "--patch", patch});
    EXPECT_NE(ran.code, 0);
    EXPECT_EQ(words_of(ran.out), row.words) << ran.out;
    EXPECT_EQ(verdicts_of(folder.file("g.mlir", patched(text, test::read_text(patch)))),
              "mask-exact proved\nchain-neutral proved\n");
  }
}

// Both functions of a file, and the lines that the first one's edits add.
TEST(Fills, OfManyFunctionsAreOnePatch) {
  const Folder folder;
  const std::string masked = "  %y = d2m.mask %x, %m logical_shape = [50, 50] fill_value = <one> : " + kIn + " into " +
                             kIn + " -> " + kIn + "\n";
  const std::string text = kSays + kTypes + reduced("f", "sum") + reduced("g", "sum", masked, "%y") +
                           reduced("h", "max", "  %z = d2m.empty() : " + kIn + "\n");
  const std::string file = folder.file("f.mlir", text), patch = folder.at("p.patch");
  const std::string words = words_of(called({"check", "--programs", file, "--patch", patch}).out);
  EXPECT_NE(words.find("d2m.mask of %y with <zero>\n"), std::string::npos) << words;
  const std::string said = test::read_text(patch);
  EXPECT_TRUE(said.starts_with("--- " + file + "\n+++ " + file + "\n@@ -")) << said;
  const std::string all = verdicts_of(folder.file("g.mlir", patched(text, said)));
  EXPECT_EQ(all.find("refuted"), std::string::npos) << all << said;
  EXPECT_EQ(all.find("unknown"), std::string::npos) << all;
}

// What ttir says lies in no layout: the mask is said in words.
TEST(Fills, OfOtherNotationsAreWords) {
  const Folder folder;
  const auto sum = [&](const char* padding) {
    return folder.file("f.mlir",
                       std::string("// vl: padding a: ") + padding +
                           " contents a: finite\nfunc.func @f(%a: tensor<32x33xf32>) -> tensor<32x1xf32> {\n  %0 = "
                           "\"ttir.sum\"(%a) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<32x33xf32>) -> "
                           "tensor<32x1xf32>\n  return %0 : tensor<32x1xf32>\n}\n");
  };
  const std::string patch = folder.at("p.patch");
  const Ran ran = called({"check", "--programs", sum("1"), "--patch", patch});
  EXPECT_EQ(words_of(ran.out), "after line 2: a 1 33..63 with 0 (992 slots)\n") << ran.out;
  EXPECT_EQ(test::read_text(patch), "");
  EXPECT_EQ(words_of(called({"check", "--programs", sum("0"), "--fill"}).out), "") << "it is proved";
  EXPECT_EQ(words_of(called({"check", "--programs", sum("1")}).out), "") << "nobody asks";
}

}  // namespace programs_fills_test
}  // namespace vl
