// Arithmetic profiles as files: the compiled ones, a user's own, and a table of rejects.
#include "verifier/session/arithmetic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "tests/support/process.h"

namespace vl {
namespace cli_arithmetic_test {

const std::string kTiny =
    "schema = 1\narithmetic = \"tiny\"\naccumulate = [\"element\", \"f32\"]\nfused = true\nmax = \"x86\"\n"
    "[[function]]\nname = [\"exp\", \"exp2\"]\nof = \"-inf\"\ngives = \"+0\"\n";

std::variant<values::Profile, Diagnostic> read(const std::string& text) {
  return session::read_arithmetic(session::SourceText::option("--arithmetic", text));
}

std::variant<values::Profile, Diagnostic> read_text(const std::string& text) {
  const test::Folder folder;
  return read(folder.file("tiny.toml", text));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(ArithmeticProfiles, OfTheCorpusAreKnownByName) {
  using values::Entry;
  // name, alternatives of f16 in the entries named, facts
  const std::tuple<const char*, std::vector<Entry>, std::size_t> rows[] = {
      {"ieee", {Entry::Accumulate, Entry::Start, Entry::Order, Entry::Max, Entry::Flush, Entry::Fused}, 1},
      {"x86", {Entry::Max, Entry::Flush, Entry::Rounding}, 1},
      {"x86", {Entry::Accumulate, Entry::Start}, 6},
      {"spyre", {Entry::Max, Entry::Fused}, 6},
      {"tt-wormhole", {Entry::Flush, Entry::Rounding}, 9}};
  for (const auto& [name, entries, count] : rows) {
    const auto profile = read(name);
    ASSERT_TRUE(std::holds_alternative<values::Profile>(profile)) << to_string(std::get<Diagnostic>(profile));
    const auto& known = std::get<values::Profile>(profile);
    EXPECT_EQ(known.name, name);
    EXPECT_FALSE(known.source.empty());
    EXPECT_FALSE(known.facts.empty());
    EXPECT_EQ(alternatives(known, *values::find_format("f16"), entries).size(), count) << name;
  }
}

// What a question means that names no profile.
TEST(ArithmeticProfiles, IeeeIsWhatATextStartsFrom) {
  auto ieee = std::get<values::Profile>(read("ieee"));
  ieee.facts.clear();
  ieee.source.clear();
  EXPECT_EQ(ieee, values::Profile{});
  const auto text = std::get<values::Profile>(read("accumulate=f32 flush=unknown"));
  EXPECT_EQ(text.flush.size(), 3u);
  EXPECT_EQ(text.ties, ieee.ties);
  const auto both = std::get<values::Profile>(read("spyre accumulate=f32 start=+0"));
  EXPECT_EQ(both.name, "spyre");
  EXPECT_EQ(both.start, std::vector{values::Start::Zero});
  EXPECT_EQ(both.max.size(), 3u);
}

TEST(ArithmeticProfiles, StateFacts) {
  const auto image = [](const char* profile, const char* function, const char* type, const char* of) {
    const auto known = std::get<values::Profile>(read(profile));
    const values::Format& format = *values::find_format(type);
    return stated_image(known.facts, function, format, *values::parse_state(of, format, nullptr));
  };
  EXPECT_EQ(image("ieee", "exp", "f32", "-inf"), values::CodeSet::of(0));
  EXPECT_EQ(image("ieee", "rsqrt", "f16", "-0"), values::CodeSet::of(0xFC00));
  EXPECT_EQ(image("x86", "reciprocal", "f32", "0"),
            values::CodeSet({{0x7F800000, 0x7F800000}, {0xFF800000, 0xFF800000}}));
  EXPECT_EQ(image("spyre", "exp", "dl16", "+0"), values::CodeSet::of(0x3E00));
  EXPECT_EQ(image("spyre", "exp", "dl16", "{-10000}"), values::CodeSet({{0, 0x7FFF}, {0xFFFF, 0xFFFF}}));
  EXPECT_EQ(image("tt-wormhole", "exp", "bf16", "+0"), values::CodeSet::of(0x3F80));
}

TEST(ArithmeticProfiles, OfOnesOwnAreFiles) {
  const auto read = read_text(kTiny);
  ASSERT_TRUE(std::holds_alternative<values::Profile>(read)) << to_string(std::get<Diagnostic>(read));
  const auto& tiny = std::get<values::Profile>(read);
  EXPECT_EQ(tiny.accumulate.size(), 2u);
  EXPECT_EQ(tiny.products, std::vector{values::Products::Fused});
  EXPECT_EQ(tiny.flush.size(), 3u);  // it is missing, so it is unknown
  ASSERT_EQ(tiny.facts.size(), 2u);
  EXPECT_EQ(tiny.facts[1].function, "exp2");
}

TEST(ArithmeticProfiles, ThatAreWrongSayWhere) {
  const std::string clash = "[[function]]\nname = \"exp\"\nof = \"-inf\"\ngives = \"{1}\"\n";
  const std::array<std::array<std::string, 3>, 15> rejects = {{
      {"no schema", replaced(kTiny, "schema = 1\n", ""), "expected schema = 1"},
      {"no name", replaced(kTiny, "arithmetic = \"tiny\"\n", ""), "the key 'arithmetic' is missing"},
      {"unknown key", replaced(kTiny, "fused = true", "fuzed = true"), "unknown key 'fuzed'"},
      {"a number", replaced(kTiny, "fused = true", "fused = 1"), "expected a text or a list of texts for 'fused'"},
      {"no alternatives", replaced(kTiny, "[\"element\", \"f32\"]", "[]"), "expected a text or a list of texts"},
      {"a list of others", replaced(kTiny, "\"f32\"]", "32]"), "expected a text or a list of texts"},
      {"an unknown value", replaced(kTiny, "\"x86\"", "\"x87\""), "'x87' is no max; did you mean 'x86'?"},
      {"a value twice", replaced(kTiny, "\"f32\"]", "\"element\"]"), "'element' is there twice"},
      {"an unknown function", replaced(kTiny, "\"exp2\"", "\"exp3\""), "'exp3' is no function"},
      {"no operand", replaced(kTiny, "of = \"-inf\"\n", ""), "the key 'of' is missing"},
      {"no function", replaced(kTiny, "name = [\"exp\", \"exp2\"]\n", ""), "the key 'name' is missing"},
      {"a state that is none", replaced(kTiny, "\"-inf\"", "\"-int\""), "'-int': expected any"},
      {"a contradiction", kTiny + clash, "the functions contradict one another: exp of"},
      {"one table", replaced(kTiny, "[[function]]", "[function]"), "tables [[function]]"},
      {"not TOML", "schema = ", "tiny.toml:1:"},
  }};
  for (const auto& [name, text, message] : rejects) {
    const auto wrong = read_text(text);
    ASSERT_TRUE(std::holds_alternative<Diagnostic>(wrong)) << name;
    EXPECT_NE(to_string(std::get<Diagnostic>(wrong)).find(message), std::string::npos)
        << name << ": " << to_string(std::get<Diagnostic>(wrong));
  }
  const std::array<std::array<std::string, 2>, 5> texts = {{
      {"spire", "--arithmetic:1:1: 'spire' is not an arithmetic; did you mean 'spyre'?"},
      {"", "'' is not an arithmetic"},
      {"spyre max=fast", "--arithmetic:1:11: 'fast' is no max"},
      {"start=0", "--arithmetic:1:7: '0' is no start"},
      {"none/there.toml", "none/there.toml"},
  }};
  for (const auto& [text, message] : texts) {
    const auto wrong = read(text);
    ASSERT_TRUE(std::holds_alternative<Diagnostic>(wrong)) << text;
    EXPECT_NE(to_string(std::get<Diagnostic>(wrong)).find(message), std::string::npos)
        << to_string(std::get<Diagnostic>(wrong));
  }
}

}  // namespace cli_arithmetic_test
}  // namespace vl
