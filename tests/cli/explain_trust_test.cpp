// check --explain-trust: what one proof rests on, and what many do.
#include <cstdint>
#include <sstream>

#include "tests/cli/records.h"

namespace vl {
namespace cli_explain_trust_test {

const Words kCase{"check", "--layout", kDoc, "--tensor", "f16[5,100,150]"};

Ran asked(const Words& more) {
  Words words = kCase;
  words.insert(words.end(), more.begin(), more.end());
  return verify_layout(words);
}

std::vector<Json> verdicts(const std::string& lines) {
  std::vector<Json> out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    if (const Json record = Json::parse(line); record["kind"] == "verdict") out.push_back(record);
  return out;
}

std::vector<std::string> parts_of(const Json& record) {
  std::vector<std::string> out;
  for (const Json& part : record["rests_on"]["parts"]) out.push_back(part["part"]);
  return out;
}

bool has(const std::vector<std::string>& parts, const char* name) { return std::ranges::count(parts, name) == 1; }

TEST(ExplainTrust, NamesThePartsOfOneProofWithTheirLines) {
  const Ran ran = asked({"--claim", "injective", "--explain-trust"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::int64_t sum = 0, together = -1;
  bool read = false;
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("      rests on ")) read = true;
    const std::size_t open = line.find('(');
    if (!read || !line.starts_with("        ") || open == std::string::npos) continue;
    const std::size_t from = line.find_last_not_of("0123456789", open - 2) + 1;
    const std::int64_t lines = std::stoll(line.substr(from));
    if (line.starts_with("        together ")) together = lines;
    else sum += lines;
  }
  EXPECT_EQ(sum, together) << ran.out;
  EXPECT_GT(sum, 5000);
  EXPECT_NE(ran.out.find("\n        cells "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\n        family spyre "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\n      and not on "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Z3, isl, CaDiCaL, cvc5\n"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("| part |"), std::string::npos) << "one proof needs no table: " << ran.out;
}

TEST(ExplainTrust, TellsProofsApartByWhatTheirChecksNeed) {
  const auto spyre = verdicts(asked({"--claim", "injective", "--explain-trust", "--format", "jsonl"}).out);
  ASSERT_EQ(spyre.size(), 1U);
  const auto one = parts_of(spyre[0]);
  EXPECT_TRUE(has(one, "differences") && has(one, "spyre"));
  EXPECT_FALSE(has(one, "all sizes") || has(one, "values") || has(one, "tirx") || has(one, "lemmas"));
  const auto sizes = verdicts(verify_layout({"check", "--layout", "S[(M,N):(N,1)]", "--tensor", "u8[M,N]", "--claim",
                                             "injective", "--explain-trust", "--format", "jsonl"})
                                  .out);
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_TRUE(has(parts_of(sizes[0]), "all sizes") && has(parts_of(sizes[0]), "tirx"));
  EXPECT_FALSE(has(parts_of(sizes[0]), "spyre"));
  const auto both = verdicts(verify_layout({"equal", "--layout", "(2,3):(3,1)", "--with", "S[(2,3):(3,1)]", "--tensor",
                                            "u8[2,3]", "--format", "jsonl"})
                                 .out);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_FALSE(both[0].contains("rests_on")) << "nobody asked";
}

TEST(ExplainTrust, NamesTheFamiliesOfBothLayouts) {
  const auto ran =
      verify_layout({"check", "--layout", "S[(2,3):(3,1)]", "--tensor", "u8[2,3]", "--claim",
                     "equal=(x0:2, x1:3) -> affine(3*x0 + x1) -> (m:6)", "--explain-trust", "--format", "jsonl"});
  const auto records = verdicts(ran.out);
  ASSERT_EQ(records.size(), 1U) << ran.out << ran.err;
  EXPECT_TRUE(has(parts_of(records[0]), "tirx") && has(parts_of(records[0]), "map")) << records[0];
}

TEST(ExplainTrust, SaysOfManyProofsHowManyRestOnEachPart) {
  const Json report = Json::parse(asked({"--explain-trust", "--format", "json"}).out);
  const Json& all = report["summary"]["rests_on"];
  std::int64_t proofs = 0;
  for (const Json& record : report["results"]) proofs += record["verdict"] == "proved";
  EXPECT_EQ(all["proofs"], proofs);
  EXPECT_GT(proofs, 3);
  EXPECT_EQ(all["trusted"], 0);
  std::int64_t sum = 0;
  for (const Json& part : all["parts"]) {
    std::int64_t rests = 0;
    for (const Json& record : report["results"])
      if (record.contains("rests_on")) rests += has(parts_of(record), part["part"].get<std::string>().c_str());
    EXPECT_EQ(part["proofs"], rests) << part;
    EXPECT_FALSE(part["files"].empty());
    sum += part["lines"].get<std::int64_t>();
  }
  EXPECT_EQ(all["lines"], sum);
  EXPECT_FALSE(all["beside"].empty());
  EXPECT_NE(asked({"--explain-trust"}).out.find("\n| part | lines (of code) | proofs | trusted for |\n"),
            std::string::npos);
}

TEST(ExplainTrust, ChangesNothingElse) {
  const Ran with = asked({"--explain-trust", "--format", "jsonl", "--no-times"});
  const Ran without = asked({"--format", "jsonl", "--no-times"});
  EXPECT_EQ(without.out.find("rests_on"), std::string::npos);
  EXPECT_EQ(with.code, without.code);
  std::istringstream a(with.out), b(without.out);
  std::string line, plain;
  while (std::getline(a, line) && std::getline(b, plain)) {
    Json record = Json::parse(line);
    record.erase("rests_on");
    EXPECT_EQ(record, Json::parse(plain));
  }
}

TEST(ExplainTrust, SaysWhereAProofIsTheWordOfAnEngine) {
  const Ran ran = verify_layout(
      {"check", "--layout", "S[(2,3):(3,1)]", "--tensor", "u8[2,3]", "--claim", "row-contiguous", "--explain-trust"});
  EXPECT_NE(ran.out.find("(trusted: "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\n      rests on the word of the engine "), std::string::npos) << ran.out;
}

}  // namespace cli_explain_trust_test
}  // namespace vl
