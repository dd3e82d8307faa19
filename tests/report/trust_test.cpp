// The table of what proofs rest on: verifier/trusted.txt against the sources, and what is said of one proof and of
// many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/support/process.h"
#include "verifier/report/trust.h"

namespace vl {
namespace report_trust_test {

using report::Trusted;
using report::TrustedPart;

std::set<std::string> names_of(const question::RestsOn& proof) {
  std::set<std::string> out;
  for (const TrustedPart* part : report::parts_of(proof)) out.emplace(part->name);
  return out;
}

TEST(TrustTable, HasEachSourceOnceButReferences) {
  std::map<std::string, int> times;
  for (const TrustedPart& part : report::trusted_parts())
    for (const std::string_view file : part.files) ++times[std::string(file)];
  for (const char* folder : {"verifier", "encodings"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(VL_SOURCE_DIR "/" + std::string(folder))) {
      const std::filesystem::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      const std::string file = path.lexically_relative(VL_SOURCE_DIR).string();
      EXPECT_EQ(times[file], path.filename().string().starts_with("reference") ? 0 : 1) << file;
    }
  EXPECT_GT(times.size(), 500U);
}

TEST(TrustTable, CountsTheLinesOfItsFiles) {
  Index counted = 0;
  for (const TrustedPart& part : report::trusted_parts()) {
    Index lines = 0, code = 0;
    for (const std::string_view file : part.files) {
      std::istringstream text(test::read_text(fmt::format("{}/{}", VL_SOURCE_DIR, file)));
      for (std::string line; std::getline(text, line); ++lines) {
        const std::size_t first = line.find_first_not_of(" \t");
        if (first != std::string::npos && line.compare(first, 2, "//") != 0) ++code;
      }
    }
    EXPECT_EQ(part.lines, lines) << part.name;
    EXPECT_EQ(part.code, code) << part.name;
    counted += lines;
  }
  EXPECT_GT(counted, 50000);
}

TEST(TrustTable, IsNotMadeWithoutOneOfItsParts) {
  const test::Folder folder;
  const std::string table = test::read_text(VL_SOURCE_DIR "/verifier/trusted.txt");
  const auto make = [&](const std::string& text) {
    return test::run("/usr/bin/env",
                     {"cmake", "-DROOT=" VL_SOURCE_DIR, "-DTABLE=" + folder.file("table.txt", text),
                      "-DOUT=" + folder.at("parts.cpp"), "-P", VL_SOURCE_DIR "/cmake/count_trusted.cmake"});
  };
  EXPECT_EQ(make(table).code, 0);
  for (const char* row : {"check cells", "check sweep", "check lemmas", "text layouts", "beside engines"}) {
    const std::size_t at = table.find(fmt::format("\n{} ", row));
    ASSERT_NE(at, std::string::npos) << row;
    const test::Ran ran = make(table.substr(0, at) + table.substr(table.find('\n', at + 1)));
    EXPECT_NE(ran.code, 0) << row;
    EXPECT_NE(ran.err.find("no part has"), std::string::npos) << ran.err;
  }
  const test::Ran empty = make(table + "check nothing | verifier/nothing.cpp | nothing\n");
  EXPECT_NE(empty.err.find("a part without files: nothing"), std::string::npos) << empty.err;
}

TEST(Trust, OfAProofIsWhatItsCheckEnteredAndWhatEachCheckNeeds) {
  const std::set<std::string> least = names_of({});
  EXPECT_TRUE(least.contains("certificates"));
  EXPECT_FALSE(least.contains("sweep") || least.contains("cells") || least.contains("lemmas") ||
               least.contains("spyre"));
  std::set<std::string> more = names_of({{"verifier/kernel/core/sweep.h"}, {"spyre", "ttnn"}});
  for (const char* name : {"sweep", "spyre", "metal ttnn"}) EXPECT_EQ(more.erase(name), 1U) << name;
  EXPECT_EQ(more, least);
  EXPECT_THROW(static_cast<void>(report::parts_of({{"verifier/kernel/core/unknown.h"}, {}})), InternalError);
  EXPECT_THROW(static_cast<void>(report::parts_of({{}, {"unknown"}})), InternalError);
}

TEST(Trust, OfManyProofsSaysHowManyRestOnEachPart) {
  question::Answer swept, trusted, refuted;
  swept.verdict = trusted.verdict = question::Proved{"strided", question::Trust::Trusted, {}};
  swept.rests_on = question::RestsOn{{"verifier/kernel/core/sweep.h"}, {"cute"}};
  refuted.verdict = question::Refuted{};
  report::Rests rests;
  for (const question::Answer* answer : {&swept, &swept, &trusted, &refuted}) report::count(*answer, rests);
  EXPECT_EQ(rests.proofs, 3);
  EXPECT_EQ(rests.trusted, 1);
  EXPECT_EQ(rests.parts.at("sweep"), 2);
  EXPECT_EQ(rests.parts.at("cute"), 2);
  EXPECT_FALSE(rests.parts.contains("spyre"));
  const std::string table = report::to_text(rests);
  EXPECT_NE(table.find("\n| sweep | "), std::string::npos) << table;
  EXPECT_EQ(table.find("\n| cells | "), std::string::npos) << table;
  EXPECT_NE(table.find("\n| the word of an engine | | 1 | "), std::string::npos) << table;
}

}  // namespace report_trust_test
}  // namespace vl
