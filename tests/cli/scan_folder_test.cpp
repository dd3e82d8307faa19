// check --scan: which files beneath a folder are read, in which order, and what becomes of each.
#include <unistd.h>

#include "tests/cli/records.h"
#include "verifier/session/cases.h"
#include "verifier/session/folder_files.h"
#include "verifier/session/gitignore.h"

namespace vl {
namespace cli_scan_folder_test {

using session::files_beneath;
using session::Gitignore;

struct PatternRow {
  const char* patterns;
  const char* path;
  bool is_folder;
  std::optional<bool> said;
};

// By git's documentation of gitignore, paragraph by paragraph. 67,542 paths under 1,500 random files of patterns agreed
// with `git check-ignore` (git 2.39).
TEST(Gitignore, ReadsPatternsAsGitDocumentsThem) {
  const PatternRow rows[] = {
      {"# a.c\n\n", "a.c", false, {}},
      {"\\#a\n\\!b", "#a", false, true},
      {"\\#a\n\\!b", "!b", false, true},
      {"a  \nb\\ ", "a", false, true},
      {"a  \nb\\ ", "b ", false, true},
      {"a\r\n", "a", false, true},
      {"\xEF\xBB\xBF"
       "a",
       "a", false, true},
      {"*.c\n!keep.c", "x/keep.c", false, false},
      {"!keep.c\n*.c", "x/keep.c", false, true},
      {"a/", "x/a", true, true},
      {"a/", "x/a", false, {}},
      {"/a", "a", false, true},
      {"/a", "x/a", false, {}},
      {"doc/a", "doc/a", false, true},
      {"doc/a", "x/doc/a", false, {}},
      {"doc/*.c", "doc/a.c", false, true},
      {"doc/*.c", "doc/x/a.c", false, {}},
      {"*", ".x", false, true},
      {"a?c", "abc", false, true},
      {"/a?c", "a/c", false, {}},
      {"[a-c]x", "bx", false, true},
      {"[!a-c]x", "bx", false, {}},
      {"[]x]", "]", false, true},
      {"[[:digit:]]*", "7a", false, true},
      {"[[:digit:]]*", "a7", false, {}},
      {"[a", "[a", false, {}},
      {"**/foo", "foo", false, true},
      {"**/foo", "x/y/foo", false, true},
      {"**/foo/bar", "x/foo/bar", false, true},
      {"abc/**", "abc/x/y", false, true},
      {"abc/**", "abc", true, {}},
      {"a/**/b", "a/b", false, true},
      {"a/**/b", "a/x/y/b", false, true},
      {"a/**/b/**/c", "a/b/x/b/c", false, true},
      {"a**b", "axxb", false, true},
      {"/a**b", "ax/xb", false, {}},
      {"/", "a", true, {}},
  };
  for (const PatternRow& row : rows)
    EXPECT_EQ(Gitignore::parse(row.patterns).ignores(row.path, row.is_folder), row.said)
        << row.patterns << " | " << row.path;
}

// Every '*' may take any number of signs: a matcher that tries them all would need 2^40 steps.
TEST(Gitignore, ManyStarsCostLittle) {
  std::string stars, folders;
  for (int i = 0; i < 40; ++i) stars += "*a", folders += "**/a/";
  std::string deep = "a";
  for (int i = 0; i < 200; ++i) deep += "/a";
  EXPECT_FALSE(Gitignore::parse(stars + "b").ignores(std::string(200, 'a'), false).has_value());
  EXPECT_FALSE(Gitignore::parse(folders + "b").ignores(deep, false).has_value());
  EXPECT_TRUE(Gitignore::parse(folders + "a").ignores(deep, false).has_value());
}

std::string files_in_words(const session::FolderFiles& found, const std::string& root) {
  std::string out;
  for (const std::string& file : found.files) out += file.substr(std::min(file.size(), root.size() + 1)) + " ";
  return fmt::format("{}ignored {} links {} special {} errors {}", out, found.ignored, found.links, found.special,
                     found.errors.size());
}

TEST(ScanFolder, ReadsEachFileOnceInTheOrderOfPathsAndNotWhatGitIgnores) {
  const Folder folder;
  for (const char* name :
       {"b/x.py", "a-b/x.py", "a/x.py", "a.py", "a/build/x.py", "a/keep/build/x.py", "a/log.txt", "b/log.txt",
        "top.log", "a/keep.log", ".hidden", "a/gone/x.py", ".git/config", "a/.git/HEAD"})
    folder.file(name, "");
  folder.file(".gitignore", "*.log\n/a/gone/\nbuild/\n");
  folder.file("a/.gitignore", "!keep.log\nlog.txt\n");
  folder.file("a/keep/.gitignore", "!build/\n");
  std::filesystem::create_directory_symlink("..", folder.at("b/up"));
  std::filesystem::create_symlink("nowhere", folder.at("b/dangling"));
  ASSERT_EQ(::mkfifo(folder.at("b/pipe").c_str(), 0600), 0);
  const std::string all =
      ".gitignore .hidden a-b/x.py a.py a/.gitignore a/keep.log a/keep/.gitignore a/keep/build/x.py a/x.py b/log.txt "
      "b/x.py ignored 4 links 2 special 1 errors 0";
  EXPECT_EQ(files_in_words(files_beneath(folder.path()), folder.path()), all);
  EXPECT_EQ(files_in_words(files_beneath(folder.path() + "//"), folder.path()), all);
  // The .gitignore of the folder around it counts, since there is a .git beside that. A folder that is named is read.
  EXPECT_EQ(files_in_words(files_beneath(folder.at("a/keep")), folder.at("a/keep")),
            ".gitignore build/x.py ignored 0 links 0 special 0 errors 0");
  EXPECT_EQ(files_in_words(files_beneath(folder.at("a/gone")), folder.at("a/gone")),
            "x.py ignored 0 links 0 special 0 errors 0");
  EXPECT_EQ(files_in_words(files_beneath(folder.at("b/x.py")), folder.at("b")),
            "x.py ignored 0 links 0 special 0 errors 0");
  EXPECT_EQ(files_beneath(folder.at("c")).errors.size(), 1U);
}

struct TomlRow {
  const char* text;
  bool is_case_file;
};

TEST(ScanFolder, ACaseFileIsKnownByItsSchema) {
  const Folder folder;
  const TomlRow rows[] = {
      {"schema = 1\n[[case]]\n", true},
      {"# ours\n\n  schema=1 # the first\n", true},
      {"\"schema\" = 1\r\n", true},
      {"text = '''\nschema = 2\n'''\nschema = 1\n", true},
      {"[[case]]\nid = 'x'\n", true},
      {"schema = 2\n[[ case ]]\n", true},
      {"a = = 1\nschema = 1\n", true},
      {"", false},
      {"schema = 2\n", false},
      {"schema = \"1\"\n", false},
      {"text = '''\nschema = 1\n'''\n", false},
      {"[tool]\nschema = 1\n", false},
      {"[project]\nname = 'x'\n[[case]]\n", false},
      {"schema_version = 1\n", false},
  };
  for (const TomlRow& row : rows)
    EXPECT_EQ(session::is_case_file(folder.file("a.toml", row.text)), row.is_case_file) << row.text;
}

std::string cases_of(const Ran& run) {
  std::string out;
  for (const Json& record : records(run.out).all)
    if (record.contains("case") && record["case"].is_string()) {
      const std::string id = record["case"];
      const std::string shown = id.substr(id.rfind('/') + 1);
      if (!out.ends_with(shown + " ")) out += shown + " ";
    }
  return out;
}

TEST(ScanFolder, EachFileIsReadAsWhatItIs) {
  const Folder folder;
  folder.file("b.toml", kGood);
  folder.file("a.py", "x = 'S[8:1]'\n");
  folder.file("foreign.toml", "[tool]\nlayout = 'S[(2,2):(1,1)]'\n");
  folder.file("prose.md", "no layout\n");
  folder.file("binary", std::string("S[(2,2):(1,1)]\0", 15));
  folder.file(".gitignore", "out/\n");
  folder.file("out/c.py", "S[(2,2):(1,1)]\n");
  const Ran scan = verify_layout({"check", "--scan", folder.path(), "--format", "jsonl"});
  EXPECT_EQ(scan.code, 10);
  EXPECT_EQ(cases_of(scan), "a.py:1:6 good foreign.toml:2:11 ") << scan.out;
  EXPECT_EQ(scan.err, fmt::format("verify-layout: {}: 4 texts, 2 with layouts; 1 case file; left out: 1 binary file, 1 "
                                  "path named by .gitignore\n",
                                  folder.path()));
  EXPECT_EQ(verify_layout({"check", "--scan", folder.path(), "--quiet"}).err, "");
  // --claim is asked of the texts; case files name their own.
  EXPECT_EQ(verify_layout({"check", "--scan", folder.path(), "--claim", "in-bounds"}).code, 0);

  const Ran cases = verify_layout({"check", folder.path()});
  EXPECT_EQ(cases.code, 0) << cases.out;
  EXPECT_NE(cases.err.find("1 *.toml beneath it without schema = 1: no case file"), std::string::npos) << cases.err;
  EXPECT_EQ(verify_layout({"check", folder.at("foreign.toml"), "--claim", "in-bounds"}).code, 0);
  const Ran empty = verify_layout({"check", folder.file("empty.toml", "")});
  EXPECT_EQ(empty.code, 2);
  EXPECT_NE(empty.err.find("a case file has schema = 1 before its first table"), std::string::npos) << empty.err;
  EXPECT_EQ(verify_layout({"check", "--scan", folder.at("nothing")}).code, 2);
  EXPECT_EQ(verify_layout({"check", "--scan", folder.path(), "--layout", "S[8:1]"}).code, 64);
}

}  // namespace cli_scan_folder_test
}  // namespace vl
