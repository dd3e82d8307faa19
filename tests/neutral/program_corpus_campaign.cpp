// The corpus of chains: each program says what is to come out, by hand, and where it is from; and tt-mlir's table of
// what padding is after each operation, every cell judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "encodings/values/state.h"
#include "tests/neutral/program_held.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/place.h"
#include "verifier/session/arithmetic.h"

namespace vl {
namespace neutral_program_corpus_campaign {

namespace chain = neutral::program;
const std::filesystem::path kFolder = std::filesystem::path(VL_SOURCE_DIR) / "corpus/neutral";

std::string whole(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

// "refuted, C[0,0] is 64 where the reference has 33", "proved", "unknown".
std::string outcome(const chain::Program& program, const chain::ProgramAnswer& answer) {
  if (const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict))
    return "refuted, " + headline(program, *refuted);
  return std::holds_alternative<chain::ProgramProved>(answer.verdict) ? "proved" : "unknown";
}

std::string said(const std::string& text, const std::string& word) {
  const std::string key = "# " + word + ": ";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return "";
  return text.substr(at + key.size(), text.find('\n', at) - at - key.size());
}

// "# under PROFILE: proved", any number of them.
std::vector<std::pair<std::string, std::string>> said_under(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> out;
  std::stringstream lines(text);
  const std::string key = "# under ";
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t colon = line.rfind(": "); line.starts_with(key) && colon != std::string::npos)
      out.emplace_back(line.substr(key.size(), colon - key.size()), line.substr(colon + 2));
  return out;
}

// What an arithmetic leaves of a program: a profile without facts about exp proves nothing that reads it.
TEST(ProgramCorpus, ProgramsUnderAnArithmeticComeOutAsTheySay) {
  std::map<std::string, int> verdicts;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".program") continue;
    const std::string text = whole(entry.path());
    const auto program = chain::parse_program(text);
    ASSERT_TRUE(program.has_value()) << entry.path();
    for (const auto& [arithmetic, expected] : said_under(text)) {
      const auto profile = session::read_arithmetic(session::SourceText::option("--arithmetic", arithmetic));
      ASSERT_TRUE(std::holds_alternative<values::Profile>(profile)) << arithmetic;
      const auto all = chain::instances(*program, std::get<values::Profile>(profile));
      ASSERT_TRUE(all.has_value()) << arithmetic;
      const auto found = answer_of_all(*all);
      const std::string got = outcome(*program, found.answer);
      EXPECT_EQ(got.substr(0, got.find(',')), expected) << entry.path() << " under " << arithmetic;
      EXPECT_EQ(found.checked, expected != "unknown") << entry.path() << " under " << arithmetic;
      ++verdicts[expected];
    }
  }
  EXPECT_EQ(verdicts["proved"], 2);
  EXPECT_EQ(verdicts["unknown"], 1);
}

TEST(ProgramCorpus, EachProgramComesOutAsItSays) {
  std::map<std::string, int> outcomes;
  int fills = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".program") continue;
    const std::string text = whole(entry.path());
    const auto program = chain::parse_program(text);
    ASSERT_TRUE(program.has_value()) << entry.path() << program.error().message;
    EXPECT_NE(said(text, "source"), "") << entry.path();
    chain::Judge judge(*program);
    const auto answer = judge.answer();
    const std::string expected = said(text, "expect");
    EXPECT_EQ(outcome(*program, answer), expected) << entry.path();
    const bool by_cases = test::lines_by_cases(answer) > 0;
    EXPECT_EQ(certify(*program, answer).has_value(), !by_cases && !expected.starts_with("unknown")) << entry.path();
    ++outcomes[expected.substr(0, expected.find(','))];
    // A bad program has a good twin, or masks that prove it.
    const auto placing = place_masks(*program, judge);
    ASSERT_TRUE(placing.has_value()) << entry.path();
    EXPECT_TRUE(placing->cheapest) << entry.path();
    EXPECT_EQ(placing->masks.empty(), expected == "proved") << entry.path();
    if (const std::string fill = said(text, "fill"); !fill.empty()) {
      EXPECT_EQ(std::to_string(placing->cost.slots) + " slots", fill) << entry.path();
      ++fills;
    }
  }
  EXPECT_EQ(outcomes["proved"], 15);
  EXPECT_EQ(outcomes["refuted"], 15);
  EXPECT_EQ(outcomes["unknown"], 1);
  EXPECT_EQ(fills, 9);
}

values::CodeSet set_of(char state, const values::Format& format) {
  const bool real = format.is_float();
  switch (state) {
    case 'z': return zeros(format);
    case '1': return values::CodeSet::of(values::one(format));
    case 'i': return values::CodeSet::of(real ? infinity(format, false) : largest(format, false));
    case 'n': return values::CodeSet::of(real ? infinity(format, true) : largest(format, true));
    default: return values::CodeSet::all(format);
  }
}

// Cells by their verdict: "add f32 iu" is what the table says of inf + any.
TEST(ProgramCorpus, EveryCellOfTtMlirsMasks) {
  std::ifstream file(kFolder / "tt-mlir-masks.tsv");
  std::map<std::string, int> counts;
  std::map<std::string, std::set<std::string>> cells;
  const std::string states = "z1inu";
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::stringstream fields(line);
    std::string name, type, rule, operations, results;
    std::getline(fields, name, '\t');
    std::getline(fields, type, '\t');
    std::getline(fields, rule, '\t');
    std::getline(fields, operations, '\t');
    std::getline(fields, results);
    std::erase(results, ' ');
    const auto function = neutral::find_function(name);
    const values::Format* format = values::find_format(type);
    ASSERT_TRUE(function && format) << line;
    std::size_t expected = 1;
    for (unsigned i = 0; i < neutral::arity(*function); ++i) expected *= 5;
    ASSERT_EQ(results.size(), expected) << line;
    for (std::size_t cell = 0; cell < expected; ++cell) {
      std::string operands;
      for (std::size_t rest = cell, place = expected / 5; place > 0; rest %= place, place /= 5)
        operands += states[rest / place];
      std::vector<values::CodeSet> sets;
      for (const char state : operands) sets.push_back(set_of(state, *format));
      const auto verdict = neutral::decide_transfer(
          *function, *format, rule == "nan-loses" ? values::MaxRule::NanLoses : values::MaxRule::NanWins, sets,
          set_of(results[cell], *format));
      const char* word = std::holds_alternative<neutral::TransferProved>(verdict)    ? "proved"
                         : std::holds_alternative<neutral::TransferRefuted>(verdict) ? "refuted"
                                                                                     : "unknown";
      ++counts[type + " " + word];
      if (std::string(word) != "proved")
        cells[word].insert(name + (rule == "nan-loses" ? "num " : " ") + type + " " + operands);
    }
  }
  // Of floats: what is infinite plus anything may be NaN; a maximum with NaN is NaN; 1/sqrt(-0) is -inf.
  // Of integers: the largest and the least are not infinite.
  const std::set<std::string> refuted{
      "add f32 iu", "add f32 ui", "add f32 nu", "add f32 un", "sub f32 iu",  "sub f32 ui", "sub f32 nu", "sub f32 un",
      "max f32 iu", "max f32 ui", "min f32 nu", "min f32 un", "rsqrt f32 z", "add i32 1i", "add i32 1n", "add i32 i1",
      "add i32 ii", "add i32 iu", "add i32 n1", "add i32 nn", "add i32 nu",  "add i32 ui", "add i32 un", "sub i32 zi",
      "sub i32 zn", "sub i32 1i", "sub i32 1n", "sub i32 i1", "sub i32 in",  "sub i32 iu", "sub i32 n1", "sub i32 ni",
      "sub i32 nu", "sub i32 ui", "sub i32 un", "mul i32 ii", "mul i32 nn",  "neg i32 i",  "neg i32 n",  "abs i32 n"};
  EXPECT_EQ(cells["refuted"], refuted);
  // Where a formula is NaN and its limit is not, an implementation decides.
  EXPECT_EQ(cells["unknown"], (std::set<std::string>{"gelu f32 n", "silu f32 n", "softsign f32 i"}));
  EXPECT_EQ(counts["f32 refuted"], 13);
  EXPECT_EQ(counts["i32 refuted"], 27);
  EXPECT_EQ(counts["f32 proved"] + counts["f32 refuted"] + counts["f32 unknown"], 39 * 5 + 9 * 25 + 125);
  EXPECT_EQ(counts["i32 proved"] + counts["i32 refuted"] + counts["i32 unknown"], 2 * 5 + 8 * 25);
}

}  // namespace neutral_program_corpus_campaign
}  // namespace vl
