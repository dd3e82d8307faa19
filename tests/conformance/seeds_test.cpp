// corpus/seeds/README.md against the cases: each case id in a table exists, and each case of the seeds except twins is
// in a table. Only these tables connect the statements of a document with their cases.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "verifier/session/cases.h"

namespace vl {
namespace conformance_seeds_test {

const std::string kCorpus = VL_SOURCE_DIR "/corpus";

struct Known {
  bool of_the_seeds = false;
  bool twin = false;
  bool named = false;
};

std::map<std::string, Known> known_cases() {
  std::map<std::string, Known> known;
  for (const std::string& file : session::case_files(kCorpus)) {
    const toml::table root = toml::parse_file(file);
    const bool profile =
        root.contains("banks") || root.contains("chip") || root.contains("arithmetic") || root.contains("kind");
    if (profile) continue;  // of hardware, of a chip, of an arithmetic, of a target
    for (const toml::node& node : *root["case"].as_array()) {
      const toml::table& each = *node.as_table();
      known[each["id"].value_or(std::string{})] = {
          file.starts_with(kCorpus + "/seeds/"), each["source"].value_or(std::string{}).starts_with("twin of"), false};
    }
  }
  return known;
}

// The texts between backticks in the last column of a table's row.
std::vector<std::string> ids_of(const std::string& row) {
  std::vector<std::string> ids;
  const std::size_t end = row.rfind('|');
  std::size_t at = row.rfind('|', end - 1);
  while ((at = row.find('`', at)) != std::string::npos) {
    const std::size_t close = row.find('`', at + 1);
    if (close == std::string::npos) break;
    ids.push_back(row.substr(at + 1, close - at - 1));
    at = close + 1;
  }
  return ids;
}

TEST(Seeds, NameTheCasesOfEveryStatementAndTheStatementOfEveryCase) {
  std::map<std::string, Known> known = known_cases();
  std::ifstream readme(kCorpus + "/seeds/README.md");
  ASSERT_TRUE(readme.good());
  std::string prefix;  // of the section's short ids; empty outside of the sections with tables of cases
  bool tables = false;
  std::size_t statements = 0;
  std::size_t ids = 0;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("## ")) {
      const bool document = line.starts_with("## 0");
      const std::string number = document ? line.substr(3, 3) : std::string{};
      const std::string family = number == "004" ? "tirx/" : number == "002" ? "ttmlir/" : "spyre/";
      prefix = document ? family + number + "/" : std::string{};
      tables = document || line == "## Errata";
    }
    if (!tables || !line.starts_with("|")) continue;
    const auto named = ids_of(line);
    statements += named.empty() ? 0 : 1;
    for (const std::string& id : named) {
      ++ids;
      const bool whole = id.starts_with("spyre/") || id.starts_with("tirx/") || id.starts_with("ttmlir/");
      std::string full = whole ? id : prefix + id;
      const bool any = full.ends_with('*');
      if (any) full.pop_back();
      std::size_t matches = 0;
      for (auto& [name, entry] : known) {
        if (any ? !name.starts_with(full) : name != full) continue;
        entry.named = true;
        ++matches;
      }
      EXPECT_GT(matches, 0U) << "README.md names " << id << ", and there is no such case";
    }
  }
  std::size_t cases = 0;
  for (const auto& [name, entry] : known) {
    if (!entry.of_the_seeds) continue;
    ++cases;
    EXPECT_TRUE(entry.named || entry.twin) << name << " stands in no table of README.md";
  }
  fmt::print("{} statements name {} ids; {} cases of the seeds\n", statements, ids, cases);
  EXPECT_GE(statements, 155U);
  EXPECT_GE(ids, 350U);
  EXPECT_GE(cases, 730U);
}

}  // namespace conformance_seeds_test
}  // namespace vl
