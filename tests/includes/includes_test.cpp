// The table of allowed includes against the sources. It keeps the solver out of the checker, the families apart, and
// the oracle out of the verifier. The table is data, allowed.txt. This test reads it, walks verifier/, encodings/ and
// oracle/, and reports each violation as file:line with its rule. A folder without a rule is also a violation, and so
// is a project include that does not start at the root.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace includes_test {

namespace fs = std::filesystem;

const fs::path kRoot = VL_SOURCE_DIR;
const std::vector<std::string> kWalked = {"verifier", "encodings", "oracle"};

struct Rule {
  std::string subject;               // a folder, or <header>; may end in *
  std::vector<std::string> allowed;  // folders or single headers; may end in *
};

bool fits(std::string_view pattern, std::string_view text) {
  if (pattern.ends_with('*')) return text.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == text;
}

bool fits_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return fits(p, text); });
}

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Rule> read_table(const std::string& text) {
  std::vector<Rule> rules;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (line.empty() || line.starts_with('#') || colon == std::string::npos) continue;
    Rule rule{line.substr(0, colon), {}};
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) rule.allowed.push_back(word);
    rules.push_back(rule);
  }
  return rules;
}

/// The folder of a path: oracle/gate/adapters/x.h -> oracle/gate/adapters.
std::string folder_of(const std::string& path) { return fs::path(path).parent_path().generic_string(); }

bool is_prefix(std::string_view folder, std::string_view of) {
  return of == folder || (of.starts_with(folder) && of[folder.size()] == '/');
}

/// The row of a folder: of those that are a prefix of it the longest, else the one with a * that fits.
const Rule* rule_for_folder(const std::vector<Rule>& rules, const std::string& folder) {
  const Rule* best = nullptr;
  for (const Rule& rule : rules)
    if (is_prefix(rule.subject, folder) && (best == nullptr || rule.subject.size() > best->subject.size()))
      best = &rule;
  if (best != nullptr) return best;
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return fits(rule.subject, folder); });
  return found == rules.end() ? nullptr : &*found;
}

/// The folder that a path's row speaks of: that of the row, or, of a row with a *, the one that stands for the *.
std::string home_of(const std::vector<Rule>& rules, const std::string& path) {
  const std::string folder = folder_of(path);
  const Rule* rule = rule_for_folder(rules, folder);
  if (rule == nullptr) return folder;
  if (!rule->subject.ends_with('*')) return rule->subject;
  const auto end = folder.find('/', rule->subject.size() - 1);
  return folder.substr(0, end);
}

/// Why the file `path` may not include `target` (as written between the quotes or brackets), or "" where it may.
std::string objection(const std::vector<Rule>& rules, const std::string& path, const std::string& target, bool quoted) {
  const std::string folder = home_of(rules, path);
  const std::string top = target.substr(0, target.find('/'));
  if (std::find(kWalked.begin(), kWalked.end(), top) != kWalked.end()) {
    const Rule* rule = rule_for_folder(rules, folder);
    if (rule == nullptr) return "allowed.txt has no row for " + folder;
    const std::string home = home_of(rules, target);
    if (home == folder || fits_any(rule->allowed, target) || fits_any(rule->allowed, home)) return "";
    std::string may = "nothing but itself";
    for (const auto& word : rule->allowed) may += ", " + word;
    return folder + " may include " + may;
  }
  for (const Rule& rule : rules) {
    if (!rule.subject.starts_with('<')) continue;
    if (!fits(rule.subject.substr(1, rule.subject.size() - 2), target)) continue;
    return fits_any(rule.allowed, folder) ? "" : rule.subject + " is not for " + folder;
  }
  return quoted ? "project headers are written from the repo's root" : "";
}

/// Why a family's reference*.cpp may not include `target`, or "" where it may. Its own parts it may.
std::string objection_to_reference(const std::vector<Rule>& rules, const std::string& target) {
  const Rule* rule = rule_for_folder(rules, "reference.cpp");
  if (rule == nullptr) return "allowed.txt has no line for reference.cpp";
  if (fs::path(target).filename().string().starts_with("reference")) return "";
  if (fits_any(rule->allowed, target) || fits_any(rule->allowed, folder_of(target))) return "";
  return "a reference is not made from the IR";
}

/// Every breach in one file, as "file:line: includes TARGET, but RULE". Line numbers count from 1.
std::vector<std::string> breaches(const std::vector<Rule>& rules, const std::string& path, const std::string& text) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  static const std::regex reference(R"(encodings/[^/]+/reference[a-z_]*\.(cpp|h))");
  std::vector<std::string> found;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_match(line, match, include)) continue;
    const bool quoted = match[1] == "\"";
    std::string why = objection(rules, path, match[2], quoted);
    if (why.empty() && quoted && std::regex_match(path, reference)) why = objection_to_reference(rules, match[2]);
    if (why.empty()) continue;
    found.push_back(path + ":" + std::to_string(number) + ": includes " + match[2].str() + ", but " + why);
  }
  return found;
}

/// All *.h and *.cpp below the walked folders, by their folder.
std::map<std::string, std::vector<std::string>> sources_by_folder() {
  std::map<std::string, std::vector<std::string>> sources;
  for (const auto& top : kWalked) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const std::string path = fs::relative(entry.path(), kRoot).generic_string();
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp") sources[folder_of(path)].push_back(path);
    }
  }
  return sources;
}

std::vector<Rule> table() { return read_table(read(kRoot / "tests/includes/allowed.txt")); }

TEST(Includes, EveryFileKeepsToTheTable) {
  const auto rules = table();
  for (const auto& [folder, paths] : sources_by_folder()) {
    for (const auto& path : paths) {
      for (const auto& breach : breaches(rules, path, read(kRoot / path))) ADD_FAILURE() << breach;
    }
  }
}

TEST(Includes, EveryFolderHasARowOfItsOwnUnlessItIsAFamily) {
  const auto rules = table();
  const auto sources = sources_by_folder();
  ASSERT_FALSE(sources.empty());
  for (const auto& [folder, paths] : sources) {
    const Rule* rule = rule_for_folder(rules, folder);
    ASSERT_NE(rule, nullptr) << "allowed.txt has no row for '" << folder << "'";
    EXPECT_TRUE(rule->subject == folder || rule->subject == "encodings/*") << folder << " falls to " << rule->subject;
  }
}

TEST(Includes, EveryRowHasAFolderWithSources) {
  const auto sources = sources_by_folder();
  for (const Rule& rule : table()) {
    if (rule.subject.starts_with('<') || rule.subject == "reference.cpp" || rule.subject == "encodings/*") continue;
    EXPECT_TRUE(sources.contains(rule.subject)) << "no *.h or *.cpp in " << rule.subject;
  }
}

TEST(Includes, NoArrowGoesUp) {
  int below = 0;
  for (const Rule& rule : table()) {
    for (const auto& word : rule.allowed) {
      const bool up = (rule.subject.starts_with("encodings/") && !word.starts_with("encodings/")) ||
                      (rule.subject.starts_with("verifier/") && word.starts_with("oracle/"));
      EXPECT_FALSE(up) << rule.subject << " includes " << word;
      ++below;
    }
  }
  EXPECT_GT(below, 100);
}

struct Wrong {
  const char* name;
  const char* path;
  const char* line;
};

class WrongInclude : public testing::TestWithParam<Wrong> {};

TEST_P(WrongInclude, IsCaughtWithItsFileAndLine) {
  const auto found = breaches(table(), GetParam().path, std::string("#pragma once\n") + GetParam().line + "\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with(std::string(GetParam().path) + ":2: includes ")) << found[0];
}

INSTANTIATE_TEST_SUITE_P(
    Includes, WrongInclude,
    testing::Values(
        Wrong{"BaseSeesTheMap", "encodings/base/a.h", "#include \"encodings/map/map.h\""},
        Wrong{"TheCheckerSeesTheSolver", "verifier/checker/a.cpp", "#include \"encodings/smt/smt.h\""},
        Wrong{"TheQuestionSeesAnEngine", "verifier/question/a.cpp", "  #  include \"verifier/engines/a.h\""},
        Wrong{"AMethodSeesAnother", "verifier/engines/walk/a.cpp", "#include \"verifier/engines/forms/a.h\""},
        Wrong{"TheVerifierSeesTheOracle", "verifier/cli/a.cpp", "#include \"oracle/cli/exec.h\""},
        Wrong{"AnEncodingSeesTheVerifier", "encodings/one/a.cpp", "#include \"verifier/question/verdict.h\""},
        Wrong{"AFamilySeesAnother", "encodings/one/a.cpp", "#include \"encodings/two/two.h\""},
        Wrong{"AFamilySeesTheSolver", "encodings/one/a.cpp", "#include \"encodings/smt/smt.h\""},
        Wrong{"AnEngineSeesTheOracle", "verifier/engines/a.cpp", "#include <oracle/reference/a.h>"},
        Wrong{"AnEngineSeesZ3", "verifier/engines/a.cpp", "#include <z3++.h>  // only once"},
        Wrong{"AClaimSeesToml", "verifier/claims/a.cpp", "#include <toml++/toml.h>"},
        Wrong{"ASourceSeesGTest", "verifier/cli/a.cpp", "#include <gtest/gtest.h>"},
        Wrong{"ANeighbourWithoutItsFolder", "encodings/base/a.cpp", "#include \"result.h\""},
        Wrong{"AFolderOutsideTheTable", "verifier/new/a.cpp", "#include \"encodings/base/result.h\""}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Includes, WhatTheTableAllowsIsNotReported) {
  const auto rules = table();
  EXPECT_EQ(breaches(rules, "encodings/one/parse.cpp",
                     "#include \"encodings/one/one.h\"\n#include <vector>\n#include <fmt/format.h>\n"
                     "#include \"encodings/map/layout.h\"\n// #include \"encodings/two/two.h\"\n"),
            std::vector<std::string>{});
  EXPECT_EQ(breaches(rules, "encodings/smt/smt.cpp", "#include <z3++.h>\n"), std::vector<std::string>{});
  EXPECT_EQ(breaches(rules, "oracle/cli/main.cpp", "#include \"oracle/gate/adapters/peer.h\"\n"),
            std::vector<std::string>{});
}

TEST(IncludeTable, KeepsAFamilysReferenceAwayFromTheIr) {
  const auto rules = read_table(read(kRoot / "tests/includes/allowed.txt"));
  const std::string path = "encodings/spyre/reference.cpp";
  EXPECT_EQ(breaches(rules, path, "#include \"encodings/map/layout.h\"\n").size(), 1U);
  EXPECT_EQ(breaches(rules, path, "#include \"encodings/spyre/spyre.h\"\n").size(), 1U);
  EXPECT_EQ(breaches(rules, "encodings/spyre/reference_text.cpp", "#include \"encodings/spyre/spyre.h\"\n").size(), 1U);
  EXPECT_EQ(breaches(rules, "encodings/spyre/reference_text.h", "#include \"encodings/map/map.h\"\n").size(), 1U);
  EXPECT_TRUE(breaches(rules, path, "#include \"encodings/spyre/reference_text.h\"\n").empty());
  EXPECT_TRUE(breaches(rules, path, "#include \"encodings/map/tensor.h\"\n").empty());
  EXPECT_TRUE(breaches(rules, "encodings/spyre/lower.cpp", "#include \"encodings/map/layout.h\"\n").empty());
}

}  // namespace includes_test
