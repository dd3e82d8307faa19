// A case that is read again from its place is the case that was read with its whole file.
#include "tests/conformance/corpus_cases.h"

namespace vl {
namespace case_places_test {

using session::CaseFile;
using session::CaseRequest;
using session::SourceText;

bool same_text(const SourceText& a, const SourceText& b) {
  return a.text == b.text && a.file == b.file && a.at == b.at && a.verbatim == b.verbatim && a.line == b.line &&
         (a.document == nullptr) == (b.document == nullptr);
}

void expect_same(const CaseRequest& a, const CaseRequest& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_TRUE(same_text(a.layout, b.layout)) << *a.id;
  EXPECT_TRUE(same_text(a.tensor, b.tensor)) << *a.id;
  EXPECT_EQ(a.family, b.family);
  EXPECT_EQ(a.strides, b.strides);
  EXPECT_EQ(a.expect_invalid, b.expect_invalid);
  ASSERT_EQ(a.claims.size(), b.claims.size()) << *a.id;
  for (std::size_t k = 0; k < a.claims.size(); ++k) {
    EXPECT_EQ(a.claims[k].claim, b.claims[k].claim);
    EXPECT_TRUE(a.claims[k].expected == b.claims[k].expected);
    ASSERT_EQ(a.claims[k].arguments.size(), b.claims[k].arguments.size());
    for (std::size_t n = 0; n < a.claims[k].arguments.size(); ++n)
      EXPECT_TRUE(same_text(a.claims[k].arguments[n].text, b.claims[k].arguments[n].text)) << *a.id;
  }
}

void expect_same(const CaseFile& whole, const CaseFile& found) {
  ASSERT_EQ(whole.cases.size(), found.places.size() + found.cases.size());
  ASSERT_EQ(whole.errors.size(), found.errors.size());
  for (std::size_t k = 0; k < whole.errors.size(); ++k) {
    EXPECT_EQ(whole.errors[k].before, found.errors[k].before);
    EXPECT_EQ(to_string(whole.errors[k].diagnostic), to_string(found.errors[k].diagnostic));
  }
  for (std::size_t k = 0; k < found.places.size(); ++k) {
    EXPECT_EQ(found.places[k].id, whole.cases[k].id);
    expect_same(whole.cases[k], found.places[k].read());
  }
}

TEST(CasePlaces, CasesOfTheCorpusAreReadAgain) {
  std::size_t places = 0;
  const std::vector<std::string> files = session::case_files(conformance_corpus_test::kCorpus);
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (k % (conformance_corpus_test::kShare.count / 2 + 1) != 0) continue;
    const std::string& file = files[k];
    const CaseFile found = session::find_cases_in(file);
    expect_same(session::read_cases(file), found);
    places += found.places.size();
  }
  EXPECT_GT(static_cast<std::int64_t>(places), conformance_corpus_test::part_of(8000));
}

TEST(CasePlaces, ErrorsOtherHeadersAndLettersBeyondAsciiKeepTheirPlaces) {
  const std::string head = "schema = 1\n# größer\n";
  const auto made = [](const std::string& id, const std::string& more = "") {
    return "id = \"" + id + "\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,64]\"\nsource = \"für uns\"\n" + more;
  };
  const std::string text = head + "[[case]]\n" + made("a") + "[[ case ]]\n" + made("b") + "  [[case]]\n" + made("a") +
                           "[[case]]\n" + made("c", "shape = 1\n") + "[[case]]\n" +
                           made("d", "[[case.claim]]\nclaim = \"equal\"\nwith = \"S[8:1]\"\n");
  const CaseFile found = session::find_cases("made.toml", text);
  expect_same(session::parse_cases("made.toml", text), found);
  ASSERT_EQ(found.places.size(), 3U);
  EXPECT_EQ(found.places[1].number, 1U) << "b stands in the part of a";
  EXPECT_EQ(found.errors.size(), 2U);
  const CaseFile broken = session::find_cases("made.toml", text + "[[case]\n");
  EXPECT_TRUE(broken.places.empty() && broken.cases.empty()) << "what is no TOML is wrong as a whole";
  EXPECT_EQ(broken.errors.size(), 1U);
}

TEST(CasePlaces, CasesWithoutHeadersAreKept) {
  const std::string text = "schema = 1\ncase = [{id = \"a\", layout = \"S[8:1]\", tensor = \"f16[8]\"}]\n";
  const CaseFile found = session::find_cases("made.toml", text);
  EXPECT_TRUE(found.places.empty());
  ASSERT_EQ(found.cases.size(), 1U);
  EXPECT_EQ(found.cases[0].id, "a");
}

}  // namespace case_places_test
}  // namespace vl
