// The corpus, in process: every family is compared with its second meaning on every element, every layout with itself,
// and every answer with what its case expects. Each test prints how much it compared; to compare nothing fails.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "encodings/use/shards.h"
#include "tests/conformance/corpus_cases.h"
#include "verifier/report/report.h"

namespace vl {
namespace conformance_corpus_test {

using session::TensorReading;

constexpr Index kMostElements = kWhole ? 20'000 : 2'000;
constexpr Index kMostReplicas = 4096;

/// The slots of an element by the IR, ascending, each once.
std::vector<Point> slots_by_map(const map::Layout& layout, const Point& x) {
  std::vector<Point> out;
  Point replica(layout.replicas().rank(), 0);
  if (layout.replicas().volume() == 0) return out;
  do {
    Point outputs = map::outputs_at(layout, x, replica);
    if (!layout.is_slot(outputs)) continue;
    outputs.resize(layout.physical().rank());
    out.push_back(std::move(outputs));
  } while (map::advance(layout.replicas(), replica));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Cases that are read, of a family with a reference, small enough to look at each element; a layout of a tensor that
/// several cases ask about is looked at once.
struct Counted {
  std::size_t cases = 0;
  Index elements = 0;
  std::size_t too_large = 0;
};

template <class Visit>
Counted for_each_small(const use::Family& family, Visit visit) {
  Counted counted;
  std::set<std::string> seen;
  for (const Named& named : asked()) {
    if (named.request.expect_invalid || !named.request.has_layout()) continue;
    const auto by = recognisers(named.request.layout.text);
    if (by.size() != 1 || by.front() != &family) continue;
    const auto read = session::read_tensor(named.request);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) {
      ADD_FAILURE() << named.request.id.value_or("?") << ": " << to_string(*diagnostic);
      continue;
    }
    const auto& subject = std::get<TensorReading>(read);
    if (subject.reading.layout() == nullptr) continue;
    const map::Layout& layout = *subject.reading.layout();
    const Index elements = layout.logical().volume();
    const Index replicas = layout.replicas().volume();
    if (elements > kMostElements || replicas > kMostReplicas || elements * replicas > 4 * kMostElements) {
      ++counted.too_large;
      continue;
    }
    if (!seen.insert(named.request.layout.text + " of " + map::print(subject.tensor)).second) continue;
    visit(named, subject);
    ++counted.cases;
    counted.elements += elements;
  }
  return counted;
}

class OfFamily : public testing::TestWithParam<const use::Family*> {};
INSTANTIATE_TEST_SUITE_P(All, OfFamily, testing::ValuesIn(use::families()),
                         [](const auto& each) { return std::string(each.param->name); });

TEST_P(OfFamily, HasAReferenceDefaultClaimsAndForms) {
  const use::Family& family = *GetParam();
  EXPECT_NE(reference_of(family.name), nullptr);
  EXPECT_FALSE(family.forms.empty());
  EXPECT_FALSE(family.default_claims.empty());
  for (const std::string_view claim : family.default_claims) EXPECT_NE(claims::find_claim(claim), nullptr) << claim;
}

TEST_P(OfFamily, PutsEachElementWhereItsReferencePutsIt) {
  const use::Reference* reference = reference_of(GetParam()->name);
  ASSERT_NE(reference, nullptr);
  Index with_slot = 0;
  Index without = 0;
  const Counted counted = for_each_small(*GetParam(), [&](const Named& named, const TensorReading& subject) {
    const map::Layout& layout = *subject.reading.layout();
    const auto slots = reference->slots(named.request.layout.text, subject.tensor);
    ASSERT_TRUE(slots.has_value()) << *named.request.id << ": " << slots.error().message;
    if (layout.logical().volume() == 0) return;
    Point x(layout.logical().rank(), 0);
    do {
      const std::vector<Point> expected = (*slots)(x);
      ++(expected.empty() ? without : with_slot);
      ASSERT_EQ(slots_by_map(layout, x), expected)
          << *named.request.id << ", element [" << fmt::format("{}", fmt::join(x, ", ")) << "]";
    } while (map::advance(layout.logical(), x));
  });
  fmt::print("{}: {} cases, {} elements with a slot, {} without; {} cases too large\n", GetParam()->name, counted.cases,
             with_slot, without, counted.too_large);
  EXPECT_GE(static_cast<Index>(counted.cases), part_of(100));
  EXPECT_GE(with_slot, part_of(kMostElements * 5));
  if (kWhole) {
    EXPECT_GE(without, 100);
  }
}

TEST_P(OfFamily, IsEqualToItselfAndToItsNormalText) {
  std::size_t proved = 0;
  std::size_t vacuous = 0;
  const claims::Claim& equal = *claims::find_claim("equal");
  for_each_small(*GetParam(), [&](const Named& named, const TensorReading& subject) {
    const map::Layout& layout = *subject.reading.layout();
    const auto again = GetParam()->read(subject.reading.normal, subject.tensor);
    ASSERT_TRUE(again.has_value()) << *named.request.id << ": " << subject.reading.normal << ": "
                                   << again.error().message;
    EXPECT_EQ(again->normal, subject.reading.normal) << *named.request.id;
    for (const map::Layout* other : {&layout, again->layout()}) {
      const claims::Judged answer = claims::decide(equal, claims::Pair{layout, *other}, {});
      const std::string_view word = question::word(answer.verdict);
      ASSERT_EQ(word, layout.logical().volume() == 0 ? "vacuous" : "proved") << *named.request.id;
      ++(word == "proved" ? proved : vacuous);
    }
  });
  fmt::print("{}: {} proved, {} vacuous\n", GetParam()->name, proved, vacuous);
  EXPECT_GE(static_cast<Index>(proved), part_of(200));
}

TEST_P(OfFamily, ExplainsItsFirstAndLastElement) {
  const use::Reference* reference = reference_of(GetParam()->name);
  ASSERT_NE(reference, nullptr);
  std::size_t explained = 0;
  for_each_small(*GetParam(), [&](const Named& named, const TensorReading& subject) {
    const map::Layout& layout = *subject.reading.layout();
    const Index elements = layout.logical().volume();
    const auto slots = reference->slots(named.request.layout.text, subject.tensor);
    ASSERT_TRUE(slots.has_value());
    for (const Index number : {Index{0}, elements - 1}) {
      if (elements == 0) continue;
      report::Element element;
      element.logical = layout.logical().point(number);
      element.host_offset = map::value(layout.host_offset(), element.logical);
      element.physical = slots_by_map(layout, element.logical);
      for (const Point& slot : element.physical) element.device_offset.push_back(layout.physical().linear(slot));
      const auto json = nlohmann::json::parse(report::explanation_to_json({layout, subject.reading.normal, element}));
      EXPECT_EQ(json["logical"].get<Point>(), element.logical);
      EXPECT_EQ(json["physical"].get<std::vector<Point>>(), (*slots)(element.logical)) << *named.request.id;
      EXPECT_EQ(json["normal"], subject.reading.normal);
      EXPECT_EQ(json["axes"].size(), layout.physical().rank());
      EXPECT_EQ(json["stages"].size(), layout.map().stages().size());
      for (const Index offset : json["device_offset"].get<std::vector<Index>>())
        EXPECT_TRUE(std::ranges::find(element.physical, layout.physical().point(offset)) != element.physical.end());
      ++explained;
    }
  });
  EXPECT_GE(static_cast<Index>(explained), part_of(500));
}

/// The place in a core's memory of a point of its shard: the shard is an array of tiles, a tile one of faces, a face
/// one of elements, all row-major.
Index place_of(const use::Shards& shards, const use::InShard& at) {
  Index tile = 0, face = 0, datum = 0, tile_volume = 1, face_volume = 1;
  for (std::size_t i = 0; i < shards.grid.size(); ++i) {
    tile = tile * (shards.shard[i] / shards.tile[i]) + at.tile[i];
    face = face * (shards.tile[i] / shards.face[i]) + at.face[i];
    datum = datum * shards.face[i] + at.datum[i];
    tile_volume *= shards.tile[i], face_volume *= shards.face[i];
  }
  return tile * tile_volume + face * face_volume + datum;
}

void expect_occupancy(const use::Shards& shards, const std::map<Point, Index>& held, const std::string& id) {
  const auto told = use::occupancy_of(shards);
  if (!told) return;
  use::Occupancy counted;
  Index most = 0;
  for (const auto& [core, elements] : held) most = std::max(most, elements);
  const auto space = map::Space::create(map::Space::dims("c", shards.grid));
  for (Index number = 0; number < space->volume(); ++number) {
    const Point core = space->point(number);
    const auto found = held.find(core);
    const Index elements = found == held.end() ? 0 : found->second;
    ++(elements == 0 ? counted.empty : elements < most ? counted.partial : counted.full);
    auto& first = elements == 0 ? counted.first_empty : counted.first_partial;
    if (elements < most && !first) first = core;
  }
  EXPECT_EQ(std::tie(told->full, told->partial, told->empty), std::tie(counted.full, counted.partial, counted.empty))
      << id;
  EXPECT_EQ(told->first_empty, counted.first_empty) << id;
  EXPECT_EQ(told->first_partial, counted.first_partial) << id;
}

TEST_P(OfFamily, LaysItsShardsSideBySide) {
  if (GetParam()->shards == nullptr) return;  // the family has no grids of cores
  const use::Reference* reference = reference_of(GetParam()->name);
  std::size_t compared = 0, without = 0;
  for_each_small(*GetParam(), [&](const Named& named, const TensorReading& subject) {
    const auto shards = GetParam()->shards(named.request.layout.text, subject.tensor);
    const auto slots = reference->slots(named.request.layout.text, subject.tensor);
    if (!shards) return void(++without);
    const std::string& id = *named.request.id;
    const map::Space& logical = subject.reading.layout()->logical();
    std::set<Point> seen;
    std::map<Point, Index> held;
    for (Index number = 0; number < logical.volume(); ++number) {
      const Point x = logical.point(number);
      const Point slot = (*slots)(x).at(0);
      const use::InShard at = use::place_in(*shards, map::outputs_at(shards->array, x, {}));
      EXPECT_TRUE(std::ranges::equal(at.core, std::span(slot).first(slot.size() - 1))) << id;
      EXPECT_EQ(place_of(*shards, at), slot.back()) << id;
      seen.insert(slot);
      ++held[at.core];
    }
    const use::Shards::Padding& padding = shards->padding;
    EXPECT_EQ(padding.tile + padding.grid + padding.gaps + padding.repeated,
              subject.reading.layout()->physical().volume() - static_cast<Index>(seen.size()))
        << id;
    EXPECT_EQ(shards->array.physical().volume(), subject.reading.layout()->physical().volume()) << id;
    expect_occupancy(*shards, held, id);
    ++compared;
  });
  fmt::print("{}: {} compared, {} without shards\n", GetParam()->name, compared, without);
  EXPECT_GE(static_cast<Index>(compared), part_of(100));
}

TEST(Corpus, TextsBelongToExactlyOneFamily) {
  std::int64_t texts = 0;
  for (const Named& named : asked()) {
    if (named.request.expect_invalid || !named.request.has_layout()) continue;
    EXPECT_EQ(recognisers(named.request.layout.text).size(), 1U) << *named.request.id;
    ++texts;
  }
  EXPECT_GE(texts, part_of(2350));
}

TEST(Corpus, CasesNameTheirSourceAndHaveIdsOfTheirOwn) {
  std::set<std::string> ids;
  for (const std::string& file : session::case_files(kCorpus)) {
    const toml::table root = toml::parse_file(file);
    const bool profile =
        root.contains("banks") || root.contains("chip") || root.contains("arithmetic") || root.contains("kind");
    if (profile) continue;  // of hardware, of a chip, of an arithmetic, of a target
    ASSERT_EQ(root["schema"].value<std::int64_t>(), 1) << file;
    const toml::array* cases = root["case"].as_array();
    ASSERT_NE(cases, nullptr) << file;
    for (const toml::node& node : *cases) {
      const toml::table& each = *node.as_table();
      const std::string id = each["id"].value_or(std::string{});
      EXPECT_TRUE(ids.insert(id).second) << file << ": " << id << " is not the only one";
      EXPECT_FALSE(each["source"].value_or(std::string{}).empty()) << file << ": " << id << " has no source";
    }
  }
  EXPECT_GE(ids.size(), 2450U);
}

/// The answers of judge() for the cases of one folder.
struct Judged {
  report::Tally tally;
  std::map<std::string, std::pair<int, int>> certificates;  // by claim: proofs, and those that are only trusted
  std::size_t with_refuted = 0;                             // cases with a refuted answer
  std::size_t rejected = 0;                                 // cases that had to be rejected and were
};

std::string folder_of(const Named& named) {
  const std::string beneath = named.file.substr(kCorpus.size() + 1);
  return beneath.substr(0, beneath.find('/'));
}

Judged judged(std::string_view folder) {
  Judged sum;
  for (const Named& named : asked()) {
    if (folder_of(named) != folder) continue;
    const question::Case answered = session::judge(named.request, {});
    report::count(answered, sum.tally);
    bool refuted = false;
    for (const question::Answer& answer : answered.answers) {
      refuted = refuted || question::word(answer.verdict) == "refuted";
      if (const auto* proved = std::get_if<question::Proved>(&answer.verdict)) {
        auto& [proofs, trusted] = sum.certificates[std::string(answer.claim)];
        ++proofs;
        trusted += proved->trust == question::Trust::Trusted ? 1 : 0;
      }
      EXPECT_TRUE(answer.as_expected) << *named.request.id << " " << answer.claim << ": " << answer.mismatch;
    }
    EXPECT_EQ(answered.diagnostic.has_value(), named.request.expect_invalid)
        << *named.request.id << ": " << (answered.diagnostic ? to_string(*answered.diagnostic) : "was read");
    sum.with_refuted += refuted ? 1 : 0;
    sum.rejected += answered.diagnostic ? 1 : 0;
  }
  const report::Tally& tally = sum.tally;
  fmt::print("{}: {} cases, {} proved, {} refuted, {} vacuous, {} unsupported, {} rejected\n", folder, tally.cases,
             tally.proved, tally.refuted, tally.vacuous, tally.unsupported, sum.rejected);
  int trusted = 0;
  for (const auto& [claim, count] : sum.certificates) {
    fmt::print("  {}: {} proofs, {} only trusted ({:.2f} %)\n", claim, count.first, count.second,
               100.0 * count.second / count.first);
    if (claim != "accepts") trusted += count.second;  // numbers are compared, and no certificate says so
  }
  // Layouts that are wrong on purpose are unusual: twice as many of them may have no form of certificate.
  if (kWhole) {
    EXPECT_LE(trusted * 100, tally.proved * (folder == "known-bad" || folder == "neutral" ? 4 : 2))
        << folder << ": too many proofs have no certificate";
  }
  EXPECT_EQ(tally.unexpected, 0) << folder;
  EXPECT_EQ(tally.errors, 0) << folder;
  // Those that are expected: in neutral about exp, its sums and block floats, in tirx and spyre about all sizes, in
  // descriptor about the bits of a fill.
  const int unknown = folder == "neutral"      ? 3
                      : folder == "tirx"       ? 4
                      : folder == "spyre"      ? 10
                      : folder == "descriptor" ? 1
                                               : 0;
  EXPECT_LE(tally.unknown, unknown) << folder;
  EXPECT_TRUE(!kWhole || tally.unknown == unknown) << folder << ": " << tally.unknown << " are unknown";
  EXPECT_EQ(report::exit_code(tally), 0) << folder;
  return sum;
}

TEST(Corpus, OfTheSeedsIsAnsweredAsItExpects) {
  const Judged sum = judged("seeds");
  EXPECT_GE(sum.tally.cases, part_of(495));
  EXPECT_GE(sum.tally.proved, part_of(1700));
  EXPECT_GE(sum.tally.refuted, part_of(215));
  EXPECT_GE(static_cast<Index>(sum.rejected), part_of(15));
}

// One test per family, so that a new family's folder needs no edit here.
TEST_P(OfFamily, IsAnsweredAsItsCorpusFolderExpects) {
  const Judged sum = judged(GetParam()->name);
  EXPECT_GE(sum.tally.proved, part_of(60));
  if (kWhole) {  // a share of a folder may have none
    EXPECT_GE(sum.tally.refuted, 10);
    EXPECT_GE(sum.rejected, 10U);
  }
}

TEST(Corpus, OfPaddingIsAnsweredAsItExpects) {
  const Judged sum = judged("neutral");
  EXPECT_GE(sum.tally.cases, part_of(90));
  EXPECT_GE(sum.tally.proved, part_of(40));
  EXPECT_GE(sum.tally.refuted, part_of(40));
}

TEST(Corpus, OfPeersIsAnsweredAsItExpects) {
  const Judged sum = judged("peers");
  EXPECT_GE(sum.tally.cases, part_of(44));
  EXPECT_GE(sum.tally.proved, part_of(15));
  EXPECT_GE(sum.tally.refuted, part_of(29));
}

TEST(Corpus, HasNoFolderThatNobodyJudges) {
  std::set<std::string> known{"seeds", "known-bad", "neutral", "peers", "programs"};
  for (const use::Family* family : use::families()) known.emplace(family->name);
  for (const Named& named : corpus()) EXPECT_TRUE(known.contains(folder_of(named))) << named.file;
}

TEST(Corpus, OfKnownBadLayoutsIsRefutedCaseByCase) {
  std::size_t bad = 0;
  for (const Named& named : asked()) {
    if (named.file.find("/known-bad/") == std::string::npos) continue;
    const bool asks = std::ranges::any_of(named.request.claims, [](const session::ClaimRequest& claim) {
      return claim.expected == question::Expectation{std::string("refuted")};
    });
    EXPECT_TRUE(asks) << *named.request.id << " expects no refutation";
    ++bad;
  }
  EXPECT_GE(static_cast<Index>(bad), part_of(40));
  EXPECT_EQ(judged("known-bad").with_refuted, bad);
}

}  // namespace conformance_corpus_test
}  // namespace vl
