// The smt engine on loop nests: against brute force on random ones, against the strided engine on large ones; the whole
// panel under cross-check, also with planted liars.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>

#include "encodings/use/family.h"
#include "tests/support/process.h"
#include "tests/support/shard.h"
#include "tests/support/transfers.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_transfer_smt_campaign {

using test::Scenario;
using use::Nest;

constexpr std::array kKinds = {Kind::Escapes, Kind::Differs, Kind::Misses, Kind::Collides};

const int kCases = 75;  // with each of two seeds, or of four in a campaign (tests/support/shard.h)

// The solver's own limit counts its steps; with hours on the clock, a slow machine changes no answer.
Options unhurried() {
  Options options;
  options.budget.wall = std::chrono::hours(1);
  return options;
}

TransferQuestion question_of(Kind kind, const Scenario& scenario) {
  return {kind, &scenario.transfer, &scenario.source, &scenario.destination};
}

std::vector<Scenario> scenarios(int count, unsigned seed) {
  test::RandomSpyre random(seed);
  std::vector<Scenario> out;
  while (static_cast<int>(out.size()) < count)
    if (auto scenario = test::random_scenario(random)) out.push_back(std::move(*scenario));
  return out;
}

std::string show(const Scenario& scenario) { return scenario.text + test::show(scenario.transfer); }

bool is_none(const Answer& answer) { return std::holds_alternative<None>(answer); }
bool is_found(const Answer& answer) { return std::holds_alternative<Found>(answer); }

// ---- random nests, each kind of question by itself

using Part = std::tuple<Kind, unsigned>;
class RandomTransfers : public testing::TestWithParam<Part> {};

TEST_P(RandomTransfers, GetTheAnswersOfBruteForce) {
  const auto [kind, seed] = GetParam();
  for (const std::string_view engine : {"smt", "presburger"}) {
    int none = 0;
    int found = 0;
    for (const Scenario& scenario : scenarios(kCases, seed)) {
      const TransferQuestion question = question_of(kind, scenario);
      const auto truth = test::brute(question);
      const Answer answer = find_engine(engine).decide(question, unhurried());
      if (std::holds_alternative<Abstained>(answer)) continue;
      ASSERT_EQ(is_found(answer), truth.has_value()) << engine << " on " << show(scenario);
      ASSERT_EQ(is_none(answer), !truth.has_value()) << engine << " on " << show(scenario);
      ++(is_found(answer) ? found : none);
      const auto* witness = std::get_if<Found>(&answer);
      if (witness == nullptr) continue;
      ASSERT_TRUE(question::replay(question, witness->witness)) << engine << " on " << show(scenario);
      if (witness->minimal) {
        ASSERT_EQ(witness->witness, *truth) << engine << " on " << show(scenario);
      }
    }
    EXPECT_GE(none, kCases / 24) << engine;
    EXPECT_GE(found, kCases / 24) << engine;
    // Of 4000, smt left 4 questions `differs` open, and no others.
    EXPECT_GE(none + found, engine == "smt" ? kCases - kCases / 24 : kCases / 2) << engine;
  }
}

TEST_P(RandomTransfers, MakeNoTwoEnginesDisagreeUnderCrossCheck) {
  const auto [kind, seed] = GetParam();
  Options options = unhurried();
  options.cross_check = true;
  int found = 0;
  int asked = 0;
  std::map<std::string_view, int> decided;
  const int cases = kCases * 2 / 3;
  for (const Scenario& scenario : scenarios(cases, seed + 100)) {
    const TransferQuestion question = question_of(kind, scenario);
    const auto truth = test::brute(question);
    const bool everybody = asked++ % 16 == 0;  // second opinions are dear
    const Decision decision = everybody ? decide(question, options) : cross_examine(question, options, engines());
    ASSERT_FALSE(decision.disagreement) << show(scenario);
    ASSERT_EQ(decision.attempts.size(), everybody ? 10U : 8U);
    for (const Attempt& attempt : decision.attempts)
      decided[attempt.engine] += attempt.said.find("abstains") == std::string::npos ? 1 : 0;
    const auto* witness = std::get_if<Found>(&decision.answer);
    ASSERT_EQ(witness != nullptr, truth.has_value()) << show(scenario);
    if (witness == nullptr) continue;
    ++found;
    ASSERT_TRUE(witness->minimal && witness->witness == *truth) << show(scenario);
  }
  EXPECT_GE(decided["strided"], cases * 3 / 4);
  EXPECT_EQ(decided["enumerate"], cases);
  EXPECT_GE(decided["smt"], cases - cases / 12);
  EXPECT_GE(decided["smt-2"], 1);
  EXPECT_GE(decided["cvc5"], 1);
  EXPECT_GE(found, cases / 10);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomTransfers,
                         testing::Combine(testing::ValuesIn(kKinds), testing::Range(1U, test::is_campaign() ? 5U : 3U)),
                         [](const auto& part) {
                           return fmt::format("{}_{}", question::name(std::get<0>(part.param)),
                                              std::get<1>(part.param));
                         });

// ---- transfers of real layouts

// Both memories of a layout's upload or download, with the nests that synthesis gives it.
Scenario transfer_of(const std::string& layout, const std::string& tensor, use::Direction direction) {
  const auto parsed = map::parse_tensor(tensor);
  const auto reading = use::family_of({}, "spyre")
                           ->read("SpyreTensorLayout(" + layout + ", device_dtype=DataFormats.SEN169_FP16)", *parsed);
  VL_CHECK(reading.has_value(), "a layout of the test");
  const use::Memory device{*reading->layout(), 0};
  const use::Memory host = *use::host_memory(*reading->layout());
  const bool up = direction == use::Direction::HostToDevice;
  return {tensor, up ? host : device, up ? device : host, *use::synthesise(*reading->layout(), direction)};
}

// The document's example with 1000 times its extents: 75 000 000 000 elements, in two nests.
constexpr const char* kLarge = "device_size=[100000, 3, 5000, 64], stride_map=[150, 64, 15000000, 1]";
constexpr const char* kLargeTensor = "f16[5000,100000,150]";

class LargeTransfers : public testing::TestWithParam<use::Direction> {};

TEST_P(LargeTransfers, AreProvedByTheSolverAndByAffineSets) {
  const Scenario scenario = transfer_of(kLarge, kLargeTensor, GetParam());
  ASSERT_EQ(scenario.transfer.nests.size(), 2U);
  for (const Kind kind : kKinds) {
    EXPECT_TRUE(is_none(decide_transfer_strided(question_of(kind, scenario), {}))) << question::name(kind);
    EXPECT_TRUE(is_none(decide_smt(question_of(kind, scenario), unhurried()))) << question::name(kind);
  }
}

TEST_P(LargeTransfers, WithOneNumberWrongAreRefutedByBoth) {
  struct Fault {
    const char* name;
    void (*plant)(use::Transfer&);
    std::vector<Kind> in;
  };
  using enum Kind;
  const std::vector<Fault> faults = {
      {"a block of sticks too many",
       [](use::Transfer& t) { ++t.nests[0].extents[0]; },
       {Escapes, Differs, Misses, Collides}},
      {"an element too few", [](use::Transfer& t) { --t.nests[1].extents.back(); }, {Differs, Misses}},
      {"a source one too far", [](use::Transfer& t) { ++t.nests[1].source.offset; }, {Differs}},
      {"a nest twice", [](use::Transfer& t) { t.nests.push_back(Nest(t.nests[1])); }, {Misses, Collides}},
  };
  for (const Fault& fault : faults) {
    Scenario scenario = transfer_of(kLarge, kLargeTensor, GetParam());
    fault.plant(scenario.transfer);
    for (const Kind kind : fault.in) {
      const TransferQuestion question = question_of(kind, scenario);
      const Answer strided = decide_transfer_strided(question, {});
      const Answer smt = decide_smt(question, unhurried());
      ASSERT_TRUE(is_found(strided) && is_found(smt)) << fault.name << ", " << question::name(kind);
      EXPECT_TRUE(question::replay(question, std::get<Found>(strided).witness)) << fault.name;
      EXPECT_TRUE(question::replay(question, std::get<Found>(smt).witness)) << fault.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, LargeTransfers,
                         testing::Values(use::Direction::HostToDevice, use::Direction::DeviceToHost),
                         [](const auto& direction) { return std::string(use::name(direction.param)); });

// (2,3):(3,2) hits 0 2 4 3 5 7, each once, though 3 does not exceed what (3):2 reaches.
TEST(TransferSmt, SlicesAFewLoopsThatDoNotNestAndAbstainsOnMany) {
  auto tensor = *map::parse_tensor("f16[2,3]");
  tensor.strides = {3, 2};
  const auto reading =
      use::family_of({}, "spyre")
          ->read("SpyreTensorLayout(device_size=[8], stride_map=[1], device_dtype=SEN169_FP16)", tensor);
  ASSERT_TRUE(reading.has_value());
  const use::Memory host = *use::host_memory(*reading->layout());
  Scenario scenario{
      "", {*reading->layout(), 0}, host, {use::Direction::DeviceToHost, {Nest{{2, 3}, {{3, 2}, 0}, {{3, 2}, 0}}}}};
  for (const Kind kind : {Kind::Escapes, Kind::Misses, Kind::Collides})
    EXPECT_TRUE(is_none(decide_smt(question_of(kind, scenario), {}))) << question::name(kind);
  scenario.transfer.nests[0].extents[1] = 2;
  const Answer missing = decide_smt(question_of(Kind::Misses, scenario), {});
  ASSERT_TRUE(is_found(missing));
  EXPECT_EQ(std::get<Found>(missing).witness.q[1], 2);  // elements [0,2] and [1,2] are not written

  scenario.transfer.nests[0] = {{65, 65}, {{64, 65}, 0}, {{64, 65}, 1'000'000}};
  const Answer many = decide_smt(question_of(Kind::Misses, scenario), {});
  ASSERT_TRUE(std::holds_alternative<Abstained>(many));
  EXPECT_NE(std::get<Abstained>(many).why.find("nest 0"), std::string::npos);
}

// Both sides keep (x0, x1) where x0 says; one decodes a place to x1 = 0, and the other, which has two replicas, to x1
// = 1.
TEST(TransferSmt, HoldsPlacesAgainstPlacesAndNotTheirElements) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{2, 2}));
  map::LayoutParts copies = parts;
  parts.physical = *map::Space::create({{"h", 2}});
  parts.map = {map::Affine{{map::pick(0)}}};
  parts.decode = {map::Affine{{map::pick(0), map::Row{0, {}}}}};
  copies.replicas = parts.physical;
  copies.physical = *map::Space::create({{"h", 4}});
  copies.map = {map::Affine{{map::Row{0, {{0, 2}, {2, 1}}}}}};
  copies.decode = {map::Split{0, {2, 1}}, map::Affine{{map::pick(0), map::Row{1, {}}, map::pick(1)}}};
  Scenario scenario{"",
                    {*map::Layout::create(copies), 0},
                    {*map::Layout::create(parts), 0},
                    {use::Direction::DeviceToDevice, {Nest{{2}, {{2}, 1}, {{1}, 0}}}}};
  for (const std::string_view engine : {"strided", "enumerate", "presburger", "smt"})
    EXPECT_TRUE(is_none(find_engine(engine).decide(question_of(Kind::Differs, scenario), {}))) << engine;
  scenario.transfer.nests[0].source.strides[0] = 1;  // the second move reads element 1, at its first replica
  for (const std::string_view engine : {"strided", "enumerate", "presburger", "smt"})
    EXPECT_TRUE(is_none(find_engine(engine).decide(question_of(Kind::Differs, scenario), {}))) << engine;
  scenario.transfer.nests[0].source.offset = 0;  // which reads element 0
  for (const std::string_view engine : {"strided", "enumerate", "presburger", "smt"})
    EXPECT_TRUE(is_found(find_engine(engine).decide(question_of(Kind::Differs, scenario), {}))) << engine;
}

TEST(TransferSmt, AbstainsWhereNumbersLeave64Bits) {
  constexpr Index kFar = Index{1} << 62;
  Scenario scenario = transfer_of("device_size=[2, 64], stride_map=[64, 1]", "f16[120]", use::Direction::HostToDevice);
  scenario.source.base = -kFar - kFar;
  scenario.transfer.nests = {Nest{{2}, {{1}, kFar - 1}, {{-kFar}, kFar}}};
  ASSERT_FALSE(use::problem_of(scenario.transfer.nests[0]).has_value());
  EXPECT_TRUE(std::holds_alternative<Abstained>(decide_smt(question_of(Kind::Escapes, scenario), {})));
}

// ---- the panel

// f16[120]: the second nest begins one element early, so that it writes place 63 again.
Scenario overlapping() {
  Scenario scenario = transfer_of("device_size=[2, 64], stride_map=[64, 1]", "f16[120]", use::Direction::HostToDevice);
  scenario.transfer.nests = {Nest{{64}, {{1}, 0}, {{1}, 0}}, Nest{{57}, {{1}, 63}, {{1}, 63}}};
  return scenario;
}

TEST(TransferPanel, SeesThatTwoEnginesDecideDifferently) {
  constexpr Engine kHonest{"enumerate", "", decide_enumerate};
  constexpr Engine kSolver{"smt", "", decide_smt};
  constexpr Engine kDenies{"denies", "", [](const Query&, const Options&) -> Answer { return None{}; }};
  constexpr Engine kSilent{"silent", "", [](const Query&, const Options&) -> Answer { return Abstained{}; }};
  // A right witness that is not the smallest element, 63, and says that it is.
  constexpr Engine kNotSmallest{"not smallest", "", [](const Query&, const Options&) -> Answer {
                                  return Found{{{}, {63}, {}}, true};
                                }};
  constexpr Engine kInvents{"invents", "", [](const Query&, const Options&) -> Answer {
                              return Found{{{}, {0}, {}}, true};
                            }};
  Scenario scenario = overlapping();
  const TransferQuestion question = question_of(Kind::Misses, scenario);
  for (const auto& panel : {std::array{kDenies, kHonest}, std::array{kHonest, kDenies}, std::array{kSolver, kDenies}})
    EXPECT_TRUE(cross_examine(question, {}, panel).disagreement);
  for (const auto& panel : {std::array{kSilent, kHonest}, std::array{kHonest, kSilent}, std::array{kSolver, kHonest}}) {
    const Decision decision = cross_examine(question, {}, panel);
    EXPECT_FALSE(decision.disagreement) << decision.engine;
    ASSERT_TRUE(is_found(decision.answer));
    EXPECT_EQ(std::get<Found>(decision.answer).witness.q, Point{63});
  }
  // One more place that is written twice, before it.
  scenario.transfer.nests.push_back(Nest{{1}, {{1}, 7}, {{1}, 7}});
  EXPECT_TRUE(cross_examine(question, {}, std::array{kNotSmallest, kHonest}).disagreement);
  EXPECT_TRUE(cross_examine(question, {}, std::array{kHonest, kNotSmallest}).disagreement);
  // A witness that is none is a bug, and no abstention.
  for (const auto& panel :
       {std::array{kInvents, kHonest}, std::array{kHonest, kInvents}, std::array{kSilent, kInvents}})
    EXPECT_THROW((void)cross_examine(question, {}, panel), InternalError);
}

TEST(TransferPanel, MinimisesWhatTheSolverFindsAlone) {
  const Scenario scenario = overlapping();
  Options options;
  options.only = "smt";
  for (const Kind kind : {Kind::Differs, Kind::Misses, Kind::Collides}) {
    const TransferQuestion question = question_of(kind, scenario);
    const Decision decision = decide(question, options);
    EXPECT_EQ(decision.engine, "smt");
    ASSERT_EQ(decision.attempts.size(), 1U);
    ASSERT_TRUE(is_found(decision.answer)) << question::name(kind);
    EXPECT_TRUE(std::get<Found>(decision.answer).minimal);
    EXPECT_EQ(std::get<Found>(decision.answer).witness, *test::brute(question));
  }
}

// ---- dumps

// By name, what the z3 program says of each obligation.
std::map<std::string, std::string> dumped(Kind kind, const Scenario& scenario) {
  const test::Folder folder;
  std::map<std::string, std::string> said;
  Options options;
  options.dump = [&](std::string_view name, const std::string& text) {
    const auto ran = test::run(VL_Z3_BINARY, {"-T:60", folder.file(name, text)});
    said.emplace(name, ran.out.substr(0, ran.out.find('\n')));
  };
  (void)decide(question_of(kind, scenario), options);
  return said;
}

using Dumped = std::map<std::string, std::string>;

TEST(TransferDumps, OfProofsAreUnsatisfiable) {
  const Scenario right =
      transfer_of("device_size=[2, 64], stride_map=[64, 1]", "f16[120]", use::Direction::HostToDevice);
  EXPECT_EQ(dumped(Kind::Escapes, right),
            (Dumped{{"escapes.outside.nest0", "unsat"}, {"escapes.outside.nest1", "unsat"}}));
  const Dumped said = dumped(Kind::Differs, right);
  for (const char* name : {"differs.premise.destination-tells", "differs.given-destination-tells.stray.nest1",
                           "differs.given-destination-tells.homeless", "differs.given-destination-tells.unserved",
                           "differs.premise.source-tells", "differs.given-source-tells.stray.nest1",
                           "differs.given-source-tells.read-unserved"})
    EXPECT_TRUE(said.contains(name)) << name;
  for (const auto& [name, answer] : said) EXPECT_EQ(answer, "unsat") << name;
}

TEST(TransferDumps, OfRefutationsEndWithASatisfiableOne) {
  const Dumped said = dumped(Kind::Misses, overlapping());
  EXPECT_EQ(said, (Dumped{{"misses.homeless", "unsat"},
                          {"misses.unserved", "unsat"},
                          {"misses.premise.apart.nest0.nest1", "sat"},
                          {"misses.twice.nest0.nest1", "sat"}}));
}

// A worker that counts how often it is started, and answers nothing.
TEST(TransferDumps, AreWrittenWithoutASolver) {
  const test::Folder folder;
  const std::string calls = folder.at("calls");
  const std::string worker = folder.file("worker", "#!/bin/sh\necho called >> '" + calls + "'\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  for (const Kind kind : kKinds) {
    Index written = 0;
    Options options;
    options.budget.worker = worker;
    options.dump = [&](std::string_view, const std::string&) { ++written; };
    const Decision decision = decide(question_of(kind, overlapping()), options);
    EXPECT_EQ(decision.engine, "strided") << question::name(kind);
    EXPECT_GT(written, 0) << question::name(kind);
  }
  EXPECT_FALSE(std::filesystem::exists(calls));
  Options options;
  options.budget.worker = worker;
  (void)decide_smt(question_of(Kind::Escapes, overlapping()), options);
  EXPECT_TRUE(std::filesystem::exists(calls));  // so it would have been seen
}

}  // namespace engines_transfer_smt_campaign
}  // namespace vl::engines
