// Whatever recurses on its input has a bound: each notation that nests, nested 100,000 times (sanitized 5,000, on a
// smaller stack), closed and not, as an argument, in a case file and in a text. The program says what is wrong with it.
#include "tests/hostile/deep.h"
#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace recursion_test {

constexpr std::size_t kLongestArgument = 120'000;  // bytes; Linux allows 128 KiB

struct Nest {
  std::string name;
  std::string before, open, middle, close, behind;
};

/// The text, nested so often that it has at most so many bytes.
std::string nested(const Nest& nest, std::size_t most, bool closed) {
  const std::size_t n = std::min(kDeep, most / (nest.open.size() + nest.close.size()));
  return nest.before + times(nest.open, n) + nest.middle + (closed ? times(nest.close, n) + nest.behind : "");
}

const std::vector<Nest>& layouts() {
  static const std::string spyre =
      "SpyreTensorLayout(device_size=[1, 64], stride_map=[64, 1], device_dtype=SEN169_FP16)";
  static const std::vector<Nest> all = {
      {"lists of sizes", "SpyreTensorLayout(device_size=", "[", "1", "]",
       ", stride_map=[1], device_dtype=SEN169_FP16)"},
      {"tuples of a constructor", "SpyreTensorLayout(", "(", "64", ")", ", torch.float16)"},
      {"tuples with commas", "SpyreTensorLayout(", "(", "64", ",)", ", torch.float16)"},
      {"layouts in layouts", "", "SpyreTensorLayout(", "64", ")", ""},
      {"derivations around", "", "rescale_stl_for_dtype(", spyre, ", torch.float32)", ""},
      {"derivations behind", spyre, ".restickify(0)", "", "", ""},
      {"resizes behind", "SpyreTensorLayout((64,), torch.float16)", ".resize((64,))", "", "", ""},
      {"rescales behind", "SpyreTensorLayout((64,), torch.float16)", ".rescale(torch.float16)", "", "", ""},
      {"coordinates", "SpyreTensorLayout(device_coordinates=[", "floor(", "c1/64", ")", "], device_size=[1, 64])"},
      {"quotients", "SpyreTensorLayout(device_coordinates=[", "Mod(", "c1", ", 64)", "], device_size=[1, 64])"},
      {"brackets of coordinates", "SpyreTensorLayout(device_coordinates=[", "(", "c1", ")", "], device_size=[1, 64])"},
      {"sums of coordinates", "SpyreTensorLayout(device_coordinates=[c1", " + c1", "", "", "], device_size=[1, 64])"},
      {"words of records", "TensorArg(layout=", "TensorArg(layout=", "1", ")", ")"},
      {"tuples of tiles", "S[", "(", "8", ")", ":(1)]"},
      {"pairs of tiles", "S[", "(2,", "8", ")", ":(1)]"},
      {"tuples of strides", "S[8:", "(", "1", ")", "]"},
      {"expressions", "S[(", "(", "8", ")", "):(1)]"},
      {"sums of expressions", "S[(8", "+0", "", "", "):(1)]"},
      {"products of expressions", "S[(8", "*1", "", "", "):(1)]"},
      {"quotients of expressions", "S[(8", "//1", "", "", "):(1)]"},
      {"shifts of expressions", "S[(8", "<<0", "", "", "):(1)]"},
      {"minuses", "S[(", "-", "8", "", "):(1)]"},
      {"differences in brackets", "S[(8", "-(0", "", ")", "):(1)]"},
      {"offsets", "S[8:1]", " + 1", "", "", ""},
      {"replicas", "S[8:1]", " + R[2:4]", "", "", ""},
      {"tiles in tiles", "", "TileLayout(", "S[8:1]", ")", ""},
      {"compositions in themselves", "", "ComposeLayout(3, 3, 3, ", "S[(8,64):(64,1)]", ")", ""},
      {"compositions of swizzles", "", "ComposeLayout(", "SwizzleLayout(3, 3, 3)", ", S[(8,64):(64,1)])", ""},
      {"swizzles in swizzles", "", "SwizzleLayout(", "3", ", 3, 3)", ""},
      {"slices", "S[(8,8):(8,1)]", ".slice((8, 8), [0:8, 0:8])", "", "", ""},
      {"tiles behind", "S[(8,8):(8,1)]", ".tile(S[1:1], (8, 8), (1, 1))", "", "", ""},
      {"packs", "S[(8,8):(8,1)]", ".pack(1)", "", "", ""},
      {"unpacks", "S[(8,8):(8,1)]", ".unpack(1)", "", "", ""},
      {"canonical forms", "S[(8,8):(8,1)]", ".canonicalize()", "", "", ""},
      {"layouts as arguments", "", "S[8:1].tile(", "S[8:1]", ", (8,), (8,))", ""},
      {"direct sums", "", "S[8:1].direct_sum(", "S[8:1]", ", (8,), (8,))", ""},
      {"names of axes", "S[8:1", "@laneid", "", "", "]"},
      {"calls without names", "", "(", "S[8:1]", ")", ""}};
  return all;
}

// One case file with a case for each text.
std::string cases_of(const std::vector<std::string>& texts) {
  std::string out = "schema = 1\n";
  for (std::size_t i = 0; i < texts.size(); ++i)
    out += "[[case]]\nid = \"" + std::to_string(i) + "\"\nlayout = '''" + texts[i] + "'''\ntensor = \"f16[8,8]\"\n";
  return out;
}

void expect_well(const std::string& name, const Words& words) {
  const Ended ended = attacked_deeply(words);
  EXPECT_TRUE(ended.well()) << name << ": " << told(words, ended);
}

TEST(HostileRecursion, LayoutsNestedInFilesAreAnswered) {
  const Folder folder;
  const std::size_t longest = kSanitized ? kLongestArgument / 2 : ~std::size_t{0};
  for (const Nest& nest : layouts()) {
    const std::vector<std::string> both = {nested(nest, longest, true), nested(nest, longest, false)};
    expect_well(nest.name + " in a case file", {"check", folder.file("a.toml", cases_of(both)), "--timeout", "1"});
    expect_well(nest.name + " in a text",
                {"check", folder.file("a.log", both[0] + "\n" + both[1] + "\n"), "--timeout", "1"});
  }
}

TEST(HostileRecursion, LayoutsNestedAsArgumentsAreAnswered) {
  for (const Nest& nest : layouts()) {
    const std::string text = nested(nest, kLongestArgument, true);
    expect_well(nest.name + " in --layout", {"explain", "--layout", text, "--tensor", "f16[8,8]"});
    if (kSanitized) continue;
    expect_well(nest.name + " in --with",
                {"equal", "--layout", "S[(8,8):(8,1)]", "--with", text, "--tensor", "f16[8,8]"});
    expect_well(nest.name + " open",
                {"nests", "--layout", nested(nest, kLongestArgument, false), "--tensor", "f16[8,8]"});
  }
}

// ---- accesses and the options of the command line

const std::vector<Nest>& accesses() {
  static const std::vector<Nest> all = {
      {"brackets", "lanes=32 width=4 at=[", "(", "lane", ")", ", 0]"},
      {"lists", "lanes=32 width=4 at=", "[", "lane", "]", ""},
      {"sums", "lanes=32 width=4 at=[lane", " + lane", "", "", ", 0]"},
      {"differences", "lanes=32 width=4 at=[lane", " - (lane", "", ")", ", 0]"},
      {"quotients", "lanes=32 width=4 at=[lane", " / 1", "", "", ", 0]"},
      {"remainders", "lanes=32 width=4 at=[lane", " % 64", "", "", ", 0]"},
      {"products", "lanes=32 width=4 at=[lane", " * 1", "", "", ", 0]"},
      {"minuses", "lanes=32 width=4 at=[", "-", "lane", "", ", 0]"},
      {"variables", "lanes=32 width=4 at=[lane, 0] for j=0:1", ", j=0:1", "", "", ""},
      {"conditions", "lanes=32 width=4 at=[lane, 0] when lane < 8", ", lane < 8", "", "", ""},
      {"both conditions", "lanes=32 width=4 at=[lane, 0] when lane < 8", " and lane < 8", "", "", ""},
      {"thread and value", "lanes=32 width=4 tv=S[", "(", "32", ")", ":(1)]"}};
  return all;
}

TEST(HostileRecursion, NestedAccessesAreAnswered) {
  const Folder folder;
  for (const Nest& nest : accesses()) {
    for (const bool closed : {true, false}) {
      const std::string text = nested(nest, kLongestArgument, closed);
      expect_well(nest.name, {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--timeout", "1",
                              "--access", text});
    }
    const std::string cases =
        "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,64]\"\n[[case.claim]]\n"
        "claim = \"conflict-free\"\naccess = \"" +
        nested(nest, ~std::size_t{0}, true) + "\"\nexpect = \"proved\"\n";
    expect_well(nest.name + " in a case file", {"check", folder.file("a.toml", cases), "--timeout", "1"});
  }
}

TEST(HostileRecursion, NestedOptionsAreAnswered) {
  const Words check{"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]"};
  const std::vector<std::pair<std::string, Nest>> options = {
      {"--define", {"brackets", "BM=", "(", "128", ")", ""}},
      {"--define", {"minuses", "BM=", "-", "128", "", ""}},
      {"--define", {"names", "", "BM=", "128", "", ""}},
      {"--box", {"brackets", "m=", "(", "128", ")", ""}},
      {"--box", {"axes", "m=512", ", m=512", "", "", ""}},
      {"--strides", {"lists", "", "[", "64,1", "]", ""}},
      {"--strides", {"tuples", "", "(", "64,1", ")", ""}},
      {"--strides", {"numbers", "1", ",1", "", "", ""}},
      {"--offset", {"minuses", "", "-", "1", "", ""}},
      {"--claim", {"equals", "equal=", "with=", "S[8:1]", "", ""}},
      {"--claim", {"regions", "slice=region=", "(", "0:8", ")", "; with=S[8:1]"}},
      {"--claim", {"arguments", "slice=region=0:8", "; with=S[8:1]", "", "", ""}},
      {"--claim", {"layouts", "equal=", "(", "S[8:1]", ")", ""}},
      {"--hardware", {"names", "", "../", "sm_90.toml", "", ""}}};
  for (const auto& [option, nest] : options) {
    Words words = check;
    words.push_back(option + "=" + nested(nest, kLongestArgument, true));
    if (option == "--hardware") words.insert(words.end(), {"--access", "lanes=8 width=16 at=[lane, 0]"});
    expect_well(option + " with " + nest.name, words);
  }
  const Nest tensor{"", "f16", "[", "8", "]", ""};
  expect_well("--tensor", {"explain", "--layout", "S[8:1]", "--tensor", nested(tensor, kLongestArgument, true)});
  const Nest at{"", "", "[", "1,2", "]", ""};
  for (const char* option : {"--at", "--slot"})
    expect_well(option, {"explain", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", option,
                         nested(at, kLongestArgument, true)});
  const Nest dims{"", "M=", "(", "8", ")", ""};
  expect_well("--dims", {"compatible", "matmul", "--operand", "f16[8,64] " + kLayout, "--result",
                         "f16[8,64] " + kLayout, "--dims", nested(dims, kLongestArgument, true)});
  const Nest operand{"", "f16[8,64] strides=", "[", "1", "]", " " + kLayout};
  expect_well("--operand", {"compatible", "add", "--operand", nested(operand, kLongestArgument, true), "--result",
                            "f16[8,64] " + kLayout});
}

}  // namespace recursion_test
}  // namespace vl::test::hostile
