// What a family of forty lines gets: layouts of numbers and of names, instances, proofs with certificates, nests, and
// data in the order of its slots. Each answer is held against the notation's definition.
#include <gtest/gtest.h>

#include <set>

#include "oracle/cli/commands.h"
#include "tests/cli/records.h"
#include "tests/notation/bands.h"

namespace vl {
namespace notation_test {

constexpr use::Family kBands = use::family_of_notation<test::Bands>();

class Notation : public testing::Test {
 protected:
  const use::Joined joined_{kBands};
};

struct Matrix {
  Index rows, bands, width, pitch;

  [[nodiscard]] std::string text() const {
    return fmt::format("bands[{}, {} x {}] pitch {}", rows, bands, width, pitch);
  }
  [[nodiscard]] std::string tensor() const { return fmt::format("u8[{},{}]", rows, bands * width); }
  // By the definition.
  [[nodiscard]] Index place(Index i, Index j) const { return j / width * pitch + i * width + j % width; }
  [[nodiscard]] bool is_apart() const {
    std::set<Index> places;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < bands * width; ++j) places.insert(place(i, j));
    return std::ssize(places) == rows * bands * width;
  }
};

// All with sizes up to 3, and pitches up to 10.
std::vector<Matrix> matrices() {
  std::vector<Matrix> out;
  for (Index rows = 1; rows <= 3; ++rows)
    for (Index bands = 1; bands <= 3; ++bands)
      for (Index width = 1; width <= 3; ++width)
        for (Index pitch = 0; pitch <= 10; ++pitch) out.push_back({rows, bands, width, pitch});
  return out;
}

TEST_F(Notation, OfNumbersIsDecidedAsItIsDefined) {
  std::size_t proved = 0;
  for (const Matrix& m : matrices()) {
    const bool apart = m.is_apart();
    const Json said =
        verdict_of({"--layout", m.text(), "--tensor", m.tensor(), "--claim", "injective"}, apart ? 0 : 10);
    EXPECT_EQ(said.at("verdict"), apart ? "proved" : "refuted") << m.text() << m.tensor();
    proved += apart ? 1 : 0;
  }
  EXPECT_GE(proved, 100U);
  EXPECT_LE(proved, 250U);
}

TEST_F(Notation, AtSizesIsTheLayoutOfTheseNumbers) {
  const char* const text = "bands[M, K x T] pitch P";
  const auto named = use::read_notation<test::Bands>(text, *map::parse_rule_tensor("u8[M,N]"));
  ASSERT_TRUE(named) << named.error().message;
  std::size_t same = 0;
  for (const Matrix& m : matrices()) {
    const map::Sizes sizes{{"M", m.rows}, {"N", m.bands * m.width}, {"K", m.bands}, {"T", m.width}, {"P", m.pitch}};
    auto rule = *named->rule_for_all_sizes();
    for (map::Symbol& symbol : rule.symbols) symbol.low = 0;
    const auto at = map::instance(rule, sizes);
    EXPECT_EQ(*use::notation_at<test::Bands>(text, sizes), m.text());
    const auto numbers = use::read_notation<test::Bands>(m.text(), *map::parse_tensor(m.tensor()));
    ASSERT_TRUE(at && numbers) << m.text();
    for (Index i = 0; i < m.rows; ++i)
      for (Index j = 0; j < m.bands * m.width; ++j)
        for (const map::Layout* const layout : {&*at, numbers->layout()}) {
          EXPECT_EQ(layout->slot_number(*map::evaluate(layout->map(), Point{i, j})), m.place(i, j)) << m.text();
          ++same;
        }
  }
  EXPECT_EQ(same, 2U * 11 * 6 * 6 * 6);
}

// Names of every size, with certificates that are checked, texts read again.
TEST_F(Notation, OfNamesIsProvedForAllSizesWithCertificates) {
  const Folder folder;
  const auto said = verdicts_of({"--layout", "bands[M, K x T] pitch P", "--tensor", "f16[M,K*T]", "--where", "P >= M*T",
                                 "--claim", "in-bounds", "--claim", "injective", "--certificates", folder.at("all")},
                                0);
  ASSERT_EQ(said.size(), 2U);
  for (const Json& one : said) {
    EXPECT_EQ(one.at("verdict"), "proved") << one;
    EXPECT_EQ(one.at("scope"), "all-sizes") << one;
  }
  Words files{"cert"};
  for (const auto& file : std::filesystem::directory_iterator(folder.at("all")))
    if (file.path().extension() == ".json") files.push_back(file.path());
  ASSERT_EQ(files.size(), 3U);
  const Ran checked = called(files);
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  const Json short_of = verdict_of({"--layout", "bands[M, K x T] pitch P", "--tensor", "f16[M,K*T]", "--where",
                                    "P >= M*T - 1", "--claim", "injective"},
                                   10);
  EXPECT_EQ(short_of.at("verdict"), "refuted");
}

TEST_F(Notation, HasNestsOfNumbersAndOfNames) {
  const Folder folder;
  using Texts = std::pair<const char*, const char*>;
  for (const auto& [layout, tensor] :
       {Texts("bands[4, 2 x 3] pitch 12", "f16[4,6]"), Texts("bands[M, K x T] pitch M*T", "f16[M,K*T]")}) {
    const Ran made = called({"nests", layout, "--tensor", tensor, "--format", "json"});
    ASSERT_EQ(made.code, 0) << made.err;
    const auto said =
        verdicts_of({"--nests", folder.file("nests.json", made.out), "--layout", layout, "--tensor", tensor}, 0);
    ASSERT_FALSE(said.empty());
    for (const Json& one : said) EXPECT_EQ(one.at("verdict"), "proved") << one;
  }
}

TEST_F(Notation, IsExecuted) {
  const Folder folder;
  const Matrix m{37, 13, 8, 300};
  std::string host;
  for (Index k = 0; k < m.rows * m.bands * m.width; ++k) host.push_back(static_cast<char>(k * 31 % 251));
  test::write_text(folder.at("host.bin"), host);
  const Ran ran = called({"exec", "pack", "--layout", m.text(), "--tensor", m.tensor(), "--in", folder.at("host.bin"),
                          "--out", folder.at("image.bin"), "--fill", "7", "--definition", "always"},
                         cli::oracle_commands());
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::string expected(static_cast<std::size_t>(m.place(m.rows - 1, m.bands * m.width - 1) + 1), 7);
  for (Index i = 0, k = 0; i < m.rows; ++i)
    for (Index j = 0; j < m.bands * m.width; ++j)
      expected[static_cast<std::size_t>(m.place(i, j))] = host[static_cast<std::size_t>(k++)];
  EXPECT_EQ(test::read_text(folder.at("image.bin")), expected);
}

TEST_F(Notation, RefusesWhatItDoesNotSay) {
  const auto read = [](const char* text, const char* tensor) {
    return use::read_notation<test::Bands>(text, *map::parse_tensor(tensor));
  };
  for (const char* const text : {"bands", "bands[4, 2 x 3] pitch", "bands[4, 2] pitch 12", "bands[4, 2 x 3] pitch 12 x",
                                 "bands[4, x 3] pitch 12", "bands[-4, -2 x 3] pitch 12", "bands[4, 3 x 3] pitch 12",
                                 "bands[1, 4294967296 x 4294967296] pitch 12", "bands[4, 2 x 3] pitch 2**63 - 1"})
    EXPECT_FALSE(read(text, "u8[4,6]")) << text;
  EXPECT_TRUE(read("bands[4, 2 x 3] pitch 12", "u8[4,6]"));
  const auto named = read("bands[M, 2 x 3] pitch 12", "u8[4,6]");
  ASSERT_TRUE(named && named->undecidable());
  EXPECT_EQ(named->undecidable()->reason, "'M' is a name, not a number");
}

TEST(NotationAlone, IsReadWhileItsFamilyIsJoined) {
  const auto knows = [] { return use::family_of("bands[4, 2 x 3] pitch 12", {}) != nullptr; };
  EXPECT_FALSE(knows());
  {
    const use::Joined joined(kBands);
    EXPECT_TRUE(knows());
  }
  EXPECT_FALSE(knows());
}

}  // namespace notation_test
}  // namespace vl
