// What runs in Python, which is not sanitized: the shared library as Python loads it, and the pages' examples.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/process.h"

namespace vl {
namespace c_readme_campaign {

// The README's example as it is printed, but for the library's folder.
TEST(LibraryFile, TheReadmesPythonPrintsWhatItSays) {
  const std::string readme = test::read_text(VL_SOURCE_DIR "/oracle/c/README.md");
  const auto part = [&](const std::string& fence, std::size_t from) {
    const std::size_t begin = readme.find(fence, from) + fence.size();
    return std::pair(readme.substr(begin, readme.find("```", begin) - begin), begin);
  };
  auto [program, at] = part("```python\n", 0);
  const std::string expected = part("```text\n", at).first;
  const std::string printed = "./build/release/libverify-layout.so";
  const std::size_t place = program.find(printed);
  ASSERT_NE(place, std::string::npos);
  program.replace(place, printed.size(), test::program("libverify-layout.so"));
  const test::Ran ran = test::run("/usr/bin/python3", {"-c", program});
  EXPECT_EQ(ran.out, expected) << ran.err;
  EXPECT_EQ(ran.code, 0);
}

// tests/python/test_*.py of the package, with the library of this build.
TEST(Package, PassesItsOwnTests) {
  const std::string package = VL_SOURCE_DIR "/oracle/python", tests = VL_SOURCE_DIR "/tests/python/";
  for (const char* file : {"test_package.py", "test_layout.py"}) {
    const test::Ran ran = test::run("/usr/bin/env", {"PYTHONPATH=" + package, "PYTHONDONTWRITEBYTECODE=1",
                                                     "VERIFY_LAYOUT_LIBRARY=" + test::program("libverify-layout.so"),
                                                     "/usr/bin/python3", tests + file});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(ran.err.find("Ran 0 tests"), std::string::npos) << ran.err;
  }
}

TEST(Schemas, AreWhatTheProgramPrints) {
  const std::string build = std::filesystem::path(test::program("verify-layout")).parent_path();
  const test::Ran ran = test::run("/usr/bin/python3", {VL_SOURCE_DIR "/tests/python/test_schemas.py", build});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

TEST(Pages, EveryExamplePrintsWhatThePageSays) {
  const std::string script = VL_SOURCE_DIR "/tests/support/pages.py";
  const std::string build = std::filesystem::path(test::program("verify-layout")).parent_path();
  const test::Ran ran =
      test::run("/usr/bin/python3", {script, build, "README.md", "encodings/tirx/README.md", "verifier/cli/README.md",
                                     "corpus/README.md", "oracle/python/README.md"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err << "\n"
                         << script << " --write " << build << " PAGE… writes what the commands print now";
}

// The loader would take an empty entry for the current folder.
TEST(LibraryFile, RunPathsHaveNoEmptyEntry) {
  for (const char* name :
       {"verify-layout", "verify-layout-cert", "verify-layout-cert-relations", "libverify-layout.so"}) {
    const test::Ran ran = test::run("/usr/bin/readelf", {"-d", test::program(name)});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("NEEDED"), std::string::npos) << name;
    const std::size_t begin = ran.out.find("path: [");
    if (begin == std::string::npos) continue;
    const std::string path = ran.out.substr(begin + 6, ran.out.find(']', begin) + 1 - begin - 6);
    for (const char* empty : {"[:", "::", ":]", "[]"}) EXPECT_EQ(path.find(empty), std::string::npos) << name << path;
  }
}

}  // namespace c_readme_campaign
}  // namespace vl
