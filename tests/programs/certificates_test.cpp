// Certificates about programs, and the program that a function is taken for.
#include <filesystem>
#include <fstream>

#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace programs_certificates_test {

// exp makes ones of 31 zeros; relu keeps its padding to itself.
const std::string kTwo =
    "// vl: padding a: 0 contents a: finite\n"
    "func.func @f(%a: tensor<32x33xf32>, %b: tensor<4x32xf32>) -> (tensor<32x1xf32>, tensor<4x32xf32>) {\n"
    "  %0 = \"ttir.exp\"(%a) : (tensor<32x33xf32>) -> tensor<32x33xf32>\n"
    "  %1 = \"ttir.sum\"(%0) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<32x33xf32>) -> tensor<32x1xf32>\n"
    "  %2 = \"ttir.relu\"(%b) : (tensor<4x32xf32>) -> tensor<4x32xf32>\n"
    "  return %1, %2 : tensor<32x1xf32>, tensor<4x32xf32>\n}\n";

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out.push_back(entry.path().string());
  std::ranges::sort(out);
  return out;
}

Ran cert(std::vector<std::string> files, const Words& options = {}) {
  Words words{"cert"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), options.begin(), options.end());
  return called(words);
}

TEST(CertificatesOfPrograms, AreBoundToTheTextOfTheFunction) {
  const Folder folder;
  const std::string file = folder.file("two.mlir", kTwo);
  EXPECT_EQ(called({"check", "--programs", file, "--certificates", folder.at("all")}).code, 10);
  const auto files = files_in(folder.at("all"));
  ASSERT_EQ(files.size(), 2U);
  const Ran accepted = cert(files);
  EXPECT_EQ(accepted.code, 0) << accepted.out;
  EXPECT_NE(accepted.out.find("proved chain-neutral; digest = sha256:"), std::string::npos) << accepted.out;
  EXPECT_NE(accepted.out.find("refuted chain-neutral; "), std::string::npos);
  EXPECT_NE(accepted.out.find("; function = @f:2:1; output = "), std::string::npos);
  EXPECT_EQ(cert(files, {"--against", folder.file("copy.mlir", kTwo)}).code, 0);
  EXPECT_EQ(cert(files, {"--against", folder.file("other.mlir", "// another text\n" + kTwo)}).code, 10);
  EXPECT_EQ(cert(files, {"--against", folder.at("none.mlir")}).code, 10);
  folder.file("two.mlir", kTwo + "\n");
  EXPECT_EQ(cert(files).code, 5);
  EXPECT_EQ(cert(files, {"--allow-unread", "source"}).code, 0);
}

// The one certificate of a file whose name ends so, with other fields and the digest of these.
class Forgery {
 public:
  explicit Forgery(const std::string& text, std::string_view end = "", const std::string& name = "f.mlir") {
    called({"check", "--programs", folder_.file(name, text), "--certificates", folder_.at("all")});
    auto files = files_in(folder_.at("all"));
    std::erase_if(files, [&](const std::string& each) { return !each.ends_with(end); });
    EXPECT_EQ(files.size(), 1U);
    good_ = Json::parse(test::read_text(files.front()));
    EXPECT_EQ(cert(files).code, 0);
  }
  [[nodiscard]] Json& good() { return good_; }
  [[nodiscard]] Json& arguments() { return good_["statement"]["arguments"]; }
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }
  // With a new digest, as the arguments are now.
  [[nodiscard]] Ran answer(const Words& options = {}) {
    good_["digest"] = checker::digest(good_["statement"]);
    return cert({folder_.file("forged.json", good_.dump())}, options);
  }

 private:
  Folder folder_;
  Json good_;
};

const std::string kNeg =
    "// vl: padding a: 0\n"
    "func.func @f(%a: tensor<32x33xf32>) -> tensor<32x1xf32> {\n"
    "  %0 = \"ttir.neg\"(%a) : (tensor<32x33xf32>) -> tensor<32x33xf32>\n"
    "  %1 = \"ttir.sum\"(%0) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<32x33xf32>) -> tensor<32x1xf32>\n"
    "  return %1 : tensor<32x1xf32>\n}\n";

// Two steps of a kernel write in lx, the second `second` bytes on, and the third reads what the first wrote.
std::string kernel_of(int second) {
  const auto side = [](bool input, int argument, const std::string& space, int at) {
    return "TensorArg(is_input=" + std::string(input ? "True" : "False") + ", arg_index=" + std::to_string(argument) +
           ", device_dtype=DataFormats.SEN169_FP16, device_size=[1, 4, 64], device_coordinates="
           "[sympify('floor(c1/64)'), c0, sympify('Mod(c1, 64)')], allocation={'" +
           space + "': " + std::to_string(at) + "})";
  };
  const auto spec = [](const std::string& in, const std::string& out) {
    return "OpSpec(op='exp', is_reduction=False, iteration_space={c0: (4, 1), c1: (64, 1)}, op_info={}, args=[\n" + in +
           ",\n" + out + "]),\n";
  };
  return "k = async_compile.sdsc('k', [\n" + spec(side(true, 0, "hbm", 0), side(false, -1, "lx", 0)) +
         spec(side(true, 0, "hbm", 0), side(false, -1, "lx", second)) +
         spec(side(true, -1, "lx", 0), side(false, 1, "hbm", 4096)) + "])\n";
}

TEST(CertificatesOfPrograms, AreRejectedWhereATextIsAnother) {
  struct Row {
    const char *key, *from, *to;
  };
  for (const Row& row : {Row{"program", "neg", "exp"},
                         {"program", "padding 0", "padding any"},
                         {"program", "32,33", "32,34"},
                         {"program", "output v1", "output v0"},
                         {"output", "v1", "v0"},
                         {"output", "v1", "%1"},
                         {"function", "@f:2:1", "@g:2:1"},
                         {"function", "@f:2:1", "@f:3:1"},
                         {"function", "@f:2:1", "@f"}}) {
    Forgery forgery(kNeg);
    std::string text = forgery.arguments()[row.key];
    const std::size_t at = text.find(row.from);
    ASSERT_NE(at, std::string::npos) << row.key << text;
    forgery.arguments()[row.key] = text.replace(at, std::string(row.from).size(), row.to);
    const Ran ran = forgery.answer();
    EXPECT_EQ(ran.code, 10) << row.key << " " << row.to << ran.out;
  }
}

TEST(CertificatesOfPrograms, AreRejectedWhereTheirTextIsNamedInAnotherWay) {
  for (const char* key : {"program", "output", "function", "source", "digest"}) {
    Forgery forgery(kNeg);
    forgery.arguments().erase(key);
    EXPECT_EQ(forgery.answer().code, 10) << key;
  }
  Forgery both(kNeg);
  both.arguments()["text"] = kNeg;
  EXPECT_EQ(both.answer().code, 10) << "a text and a file";
  Forgery other(kNeg);  // a file that is there and says the function, but is not what was read
  const std::string changed = kNeg + "// more\n";
  other.arguments()["source"] = other.file("more.mlir", changed);
  EXPECT_EQ(other.answer().code, 5);
  other.arguments()["digest"] = checker::digest_of(changed);
  EXPECT_EQ(other.answer().code, 0) << "another file that says the same function in the same line";
}

TEST(CertificatesOfPrograms, AreAloneAboutATextOfAFunction) {
  const Folder folder;
  const std::string file = folder.file("f.mlir", kNeg);
  EXPECT_EQ(called({"check", "--layout", "S[4:1]", "--tensor", "f16[4]", "--claim", "injective", "--certificates",
                    folder.at("all")})
                .code,
            0);
  EXPECT_EQ(cert(files_in(folder.at("all"))).code, 0);
  EXPECT_EQ(cert(files_in(folder.at("all")), {"--against", file}).code, 10);
}

// @g pads rows of 33 to 64 by a number, and reduces them as @f does.
std::string pair_of(const std::string& word, const std::string& start, const std::string& number) {
  const auto reduced = [&](const std::string& of, const std::string& columns) {
    return "  %c = stablehlo.constant dense<" + start + "> : tensor<f32>\n  %r = stablehlo.reduce(" + of +
           " init: %c) applies stablehlo." + word + " across dimensions = [1] : (tensor<4x" + columns +
           "xf32>, tensor<f32>) -> tensor<4xf32>\n  return %r : tensor<4xf32>\n}\n";
  };
  return "// vl: equal @f @g\nfunc.func @f(%a: tensor<4x33xf32>) -> tensor<4xf32> {\n" + reduced("%a", "33") +
         "func.func @g(%a: tensor<4x33xf32>) -> tensor<4xf32> {\n  %z = stablehlo.constant dense<" + number +
         "> : tensor<f32>\n  %p = stablehlo.pad %a, %z, low = [0, 0], high = [0, 31], interior = [0, 0] : "
         "(tensor<4x33xf32>, tensor<f32>) -> tensor<4x64xf32>\n" +
         reduced("%p", "64");
}

// The certificate of the claim `equal` alone.
Forgery forgery_of_pair(const std::string& text) { return Forgery(text, "-equal.json"); }

TEST(CertificatesOfPairs, AreBoundToBothFunctions) {
  const std::string sums = pair_of("add", "0.0", "0.0"), maxima = pair_of("maximum", "0xFF800000", "0.0");
  for (const std::string& text : {sums, maxima}) {
    Forgery good = forgery_of_pair(text);
    EXPECT_EQ(good.good()["statement"]["verdict"], text == sums ? "proved" : "refuted");
    EXPECT_EQ(good.arguments()["function"], "@f:2:1 @g:7:1");
    EXPECT_EQ(good.answer({"--against", good.file("copy.mlir", text)}).code, 0);
    EXPECT_EQ(good.answer({"--against", good.file("other.mlir", text + "\n")}).code, 10);
    for (const char* names :
         {"@g:7:1 @f:2:1 ", "@f:2:1", "@f:2:1 @f:2:1", "@f:2:1 @g:8:1", " @g:7:1", "@f:2:1 ", " "}) {
      Forgery other = forgery_of_pair(text);
      other.arguments()["function"] = names;
      EXPECT_EQ(other.answer().code, 10) << names;
    }
    Forgery swapped = forgery_of_pair(text);
    swapped.arguments()["function"] = "@g:7:1 @f:2:1";
    EXPECT_EQ(swapped.answer().code, 0) << "either may be the one that pads";
    for (const char* key : {"program", "output", "function", "source", "digest"}) {
      Forgery less = forgery_of_pair(text);
      less.arguments().erase(key);
      EXPECT_EQ(less.answer().code, 10) << key;
    }
    Forgery claim = forgery_of_pair(text);
    claim.good()["statement"]["claim"] = "chain-neutral";
    EXPECT_EQ(claim.answer().code, 10);
    // Beside a text of another pair the same program says nothing.
    Forgery against = forgery_of_pair(text);
    against.arguments().erase("source"), against.arguments().erase("digest");
    against.arguments()["text"] = text == sums ? maxima : sums;
    EXPECT_EQ(against.answer().code, 10);
    against.arguments()["text"] = text;
    EXPECT_EQ(against.answer().code, 0);
  }
}

// A function's own program is neutral, and is none that two functions make.
TEST(CertificatesOfPairs, AreOfTheProgramThatTheTwoMake) {
  Forgery alone(kNeg);
  alone.good()["statement"]["claim"] = "equal";
  EXPECT_EQ(alone.answer().code, 10);
  alone.arguments()["function"] = "@f:2:1 @f:2:1";
  EXPECT_EQ(alone.answer().code, 10);
  // One more argument, which nothing reads.
  Forgery typed = forgery_of_pair(pair_of("add", "0.0", "0.0"));
  std::string text = pair_of("add", "0.0", "0.0");
  const std::string argument = "@g(%a: tensor<4x33xf32>";
  text.insert(text.find(argument) + argument.size(), ", %b: tensor<f32>");
  typed.arguments().erase("source"), typed.arguments().erase("digest");
  typed.arguments()["text"] = text;
  EXPECT_EQ(typed.answer().code, 10);
}

TEST(CertificatesOfBuffers, AreBoundToTheTextOfTheFunction) {
  const std::string text = kernel_of(512), other = kernel_of(256);
  Forgery good(text, "-disjoint.json", "k.py");
  EXPECT_EQ(good.good()["statement"]["verdict"], "proved");
  EXPECT_EQ(good.answer({"--against", good.file("copy.py", text)}).code, 0);
  EXPECT_EQ(good.answer({"--against", good.file("other.py", other)}).code, 10);
  Forgery refuted(other, "-disjoint.json", "k.py");
  EXPECT_EQ(refuted.good()["statement"]["verdict"], "refuted");
  for (const char* key : {"function", "source", "digest"}) {
    Forgery less(text, "-disjoint.json", "k.py");
    less.arguments().erase(key);
    EXPECT_EQ(less.answer().code, 10) << key;
  }
  for (const char* key : {"program", "family", "box"}) {  // of a layout, or of a program, which is none here
    Forgery more(text, "-disjoint.json", "k.py");
    more.arguments()[key] = "x";
    EXPECT_EQ(more.answer().code, 10) << key;
  }
  Forgery chain(kNeg);
  EXPECT_EQ(chain.answer().code, 0);
  chain.arguments()["family"] = "cute";
  EXPECT_EQ(chain.answer().code, 10);
  Forgery moved(text, "-disjoint.json", "k.py");  // true of other bytes than those of the text
  moved.good()["statement"]["buffers"][1]["end"] = 100;
  EXPECT_EQ(moved.answer().code, 10);
  Forgery carried(text, "-disjoint.json", "k.py");
  carried.arguments().erase("source"), carried.arguments().erase("digest");
  carried.arguments()["text"] = other;
  EXPECT_EQ(carried.answer().code, 10);
  carried.arguments()["text"] = text;
  EXPECT_EQ(carried.answer().code, 0);
  Forgery unread(text, "-disjoint.json", "k.py");
  (void)unread.file("k.py", text + "\n");
  EXPECT_EQ(unread.answer().code, 5);
  EXPECT_EQ(unread.answer({"--allow-unread", "source"}).code, 0);
}

// An operation between them uses bytes that nobody knows.
TEST(CertificatesOfBuffers, AreOfFunctionsOfWhichAllBytesAreKnown) {
  std::string text = kernel_of(512);
  Forgery open(text, "-disjoint.json", "k.py");
  text.insert(text.rfind("OpSpec"), "Unknown(),\n");
  open.arguments().erase("source"), open.arguments().erase("digest");
  open.arguments()["text"] = text;
  EXPECT_EQ(open.answer().code, 10);
}

// Two modules with a function of one name: the line says which is meant.
TEST(CertificatesOfPrograms, SayWhichFunctionOfANameIsMeant) {
  const Folder folder;
  const std::string file = folder.file("modules.mlir", kNeg + "// -----\n" + kTwo);
  EXPECT_EQ(called({"check", "--programs", file, "--certificates", folder.at("all")}).code, 10);
  const auto files = files_in(folder.at("all"));
  ASSERT_EQ(files.size(), 3U);
  const Ran ran = cert(files);
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("function = @f:2:1;"), std::string::npos);
  EXPECT_NE(ran.out.find("function = @f:9:1;"), std::string::npos);
}

TEST(CertificatesOfPrograms, OfACaseCarryItsText) {
  const Folder folder;
  const std::string file = folder.file(
      "cases.toml", "schema = 1\n[[case]]\nid = \"one\"\nprogram = '''\n" + kNeg +
                        "'''\n[[case]]\nid = \"two\"\nprogram = '''\na = input f32[2,3] tile(2,4) padding 0\n"
                        "b = sum a over 1\nequal any-nan+zero\noutput b\n'''\n");
  EXPECT_EQ(called({"check", file, "--certificates", folder.at("all")}).code, 0);
  const auto files = files_in(folder.at("all"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(cert(files).code, 0);
  const Json one = Json::parse(test::read_text(files[0]));
  EXPECT_EQ(one["statement"]["arguments"]["text"], kNeg);
  const Json two = Json::parse(test::read_text(files[1]));
  EXPECT_FALSE(two["statement"]["arguments"].contains("text")) << "the program is its text";
}

TEST(CertificatesOfPrograms, AreWrittenByNeutral) {
  const Folder folder;
  const std::string text = "a = input f32[2,3] tile(2,4) padding 0\nb = sum a over 1\nc = exp a\nd = sum c over 1\n";
  const std::string file = folder.file("p.program", text + "output b d\n");
  EXPECT_EQ(called({"neutral", "--program", file, "--certificates", folder.at("all"), "--compact"}).code, 10);
  const auto files = files_in(folder.at("all"));
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(cert(files).code, 0);
  EXPECT_EQ(cert(files, {"--against", file}).code, 0);
  EXPECT_EQ(cert(files, {"--against", folder.file("q.program", text + "output b\n")}).code, 10);
  EXPECT_EQ(called({"neutral", "sum", "--type", "f16", "--fill", "0", "--certificates", folder.at("no")}).code, 64);
  EXPECT_EQ(called({"neutral", "--program", file, "--arithmetic", "start=+0", "--certificates", folder.at("no")}).code,
            64);
}

// Files of one name in two folders do not write over each other.
TEST(CertificatesOfPrograms, OfTwoFilesHaveTwoNames) {
  const Folder folder;
  std::filesystem::create_directories(folder.at("x"));
  std::filesystem::create_directories(folder.at("y"));
  const std::string x = folder.file("x/f.mlir", kNeg), y = folder.file("y/f.mlir", kNeg);
  EXPECT_EQ(called({"check", "--programs", x, y, "--certificates", folder.at("all")}).code, 0);
  EXPECT_EQ(files_in(folder.at("all")).size(), 2U);
}

// A name of a file has at most 255 bytes, and a path may be longer.
TEST(CertificatesOfPrograms, OfLongPathsHaveShortNames) {
  const Folder folder;
  std::string deep = folder.path();
  for (int i = 0; i < 8; ++i) deep += "/" + std::string(60, 'd');
  std::filesystem::create_directories(deep + "/x");
  std::filesystem::create_directories(deep + "/y");
  for (const char* name : {"/x/f.mlir", "/y/f.mlir"}) std::ofstream(deep + name) << kNeg;
  EXPECT_EQ(
      called({"check", "--programs", deep + "/x/f.mlir", deep + "/y/f.mlir", "--certificates", folder.at("all")}).code,
      0);
  const auto files = files_in(folder.at("all"));
  EXPECT_EQ(files.size(), 2U);
  EXPECT_EQ(cert(files).code, 0);
}

// It is a program, which gives the same answers without the importer.
TEST(PrintedPrograms, AreRunAgain) {
  const Folder folder;
  const std::string file = folder.file("two.mlir", kTwo);
  const auto all = records(called({"check", "--programs", file, "--print-program", "--format", "jsonl"}).out).all;
  const auto function = std::ranges::find_if(all, [](const Json& record) { return record["kind"] == "function"; });
  ASSERT_NE(function, all.end());
  const std::string program = (*function)["program"];
  EXPECT_NE(program.find("= exp a  # line 3: %0 = ttir.exp\n"), std::string::npos) << program;
  EXPECT_NE(program.find("  # line 4: %1 = ttir.sum\n"), std::string::npos) << program;
  const auto again =
      records(called({"neutral", "--program", folder.file("p.program", program), "--format", "jsonl"}).out).all;
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0]["verdict"], "refuted");
  EXPECT_EQ(again[1]["verdict"], "proved");
  const std::string words = called({"check", "--programs", file, "--print-program"}).out;
  EXPECT_NE(words.find("\n    a = input f32[32,33] tile(32,32) padding 0 contents finite\n"), std::string::npos)
      << words;
  EXPECT_EQ(called({"check", "--programs", file}).out.find("= input"), std::string::npos);
}

}  // namespace programs_certificates_test
}  // namespace vl
