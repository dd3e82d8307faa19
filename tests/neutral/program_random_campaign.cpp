// Random programs: the states of padding, the verdicts and the runs that refute, against execution of every slot; and
// the masks that are placed, against every cheaper set of masks.
#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "tests/neutral/program_brute.h"
#include "tests/neutral/program_texts.h"
#include "tests/support/shard.h"
#include "verifier/checker/check.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/place.h"

namespace vl {
namespace neutral_program_random_campaign {

namespace chain = neutral::program;
using chain::Judge;
using chain::Mask;
using chain::Program;

int scaled(int full, int part) { return static_cast<int>(test::cases(part, full)); }

// Programs with this many operations, one after the other, that the parser takes.
template <class Visit>
void each_program(std::uint64_t seed, int count, std::size_t operations, Visit visit, bool rows = false) {
  test::RandomPrograms random(seed, rows);
  for (int taken = 0, tried = 0; taken < count; ++tried) {
    ASSERT_LT(tried, count * 100 + 1000);
    const std::string text = random.text(1 + static_cast<std::size_t>(tried) % operations);
    const auto program = chain::parse_program(text);
    if (!program) continue;
    ++taken;
    visit(*program);
    if (testing::Test::HasFailure()) return;
  }
}

bool are_same(const Program& program, const values::Format& format, values::Code a, values::Code b) {
  if (a == b) return true;
  if (program.equal == neutral::Equality::Bits) return false;
  if (is_nan(format, a) && is_nan(format, b)) return true;
  return program.equal == neutral::Equality::AnyNanAndZero && values::is_zero(format, a) && values::is_zero(format, b);
}

struct Decided {
  int proved = 0, refuted = 0, unknown = 0;
};

// Sets of proved programs hold what is executed, and valid elements are the reference's.
Decided executed_programs(std::uint64_t seed, int count, bool rows) {
  int proved = 0, refuted = 0, unknown = 0, slots = 0;
  std::mt19937_64 random(7);
  each_program(
      seed, count, 7,
      [&](const Program& program) {
        Judge judge(program);
        const auto answer = judge.answer();
        const bool good = std::holds_alternative<chain::ProgramProved>(answer.verdict);
        if (good) ++proved;
        else if (std::holds_alternative<chain::ProgramRefuted>(answer.verdict)) ++refuted;
        else ++unknown;
        const chain::States states(program, {}, judge.images());
        // Up to the first line that is not proved, the sets hold what is there.
        const std::size_t end = good || answer.lines.empty() ? program.nodes.size() : answer.lines.back().node;
        for (int run = 0; run < (good ? 12 : 4); ++run) {
          const test::Dense dense(program, random);
          for (std::size_t at = 0; at < end; ++at) {
            const chain::Node& node = program.nodes[at];
            for (Index place = 0; place < test::Dense::slots(node); ++place) {
              const auto region = test::Dense::region_of(node, test::Dense::index_of(node, place));
              const values::Code code = dense.padded(at, place);
              ASSERT_TRUE(states.of(at)[region].contains(code))
                  << program.text << node.name << " " << region << " " << values::in_words(*node.type, code);
              ++slots;
              if (region != 0 || !good) continue;
              ASSERT_TRUE(are_same(program, *node.type, code, dense.reference(at, place)))
                  << program.text << node.name << " " << values::in_words(*node.type, code) << " "
                  << values::in_words(*node.type, dense.reference(at, place));
            }
          }
        }
      },
      rows);
  std::printf("%d proved, %d refuted, %d unknown, %d slots\n", proved, refuted, unknown, slots);
  return {proved, refuted, unknown};
}

TEST(ProgramRandom, StatesHoldEveryCodeAndProvedOutputsAreTheReference) {
  const Decided decided = executed_programs(11, scaled(20000, 500), false);
  EXPECT_GE(decided.proved, scaled(10000, 250));
  EXPECT_GE(decided.refuted, scaled(3000, 60));
}

TEST(ProgramRandom, OfRowsToo) {
  const Decided decided = executed_programs(13, scaled(20000, 800), true);
  EXPECT_GE(decided.proved, scaled(6000, 200));
  EXPECT_GE(decided.refuted, scaled(3000, 100));
}

// Drawn runs of a proved program, each said to be a refutation: none may be accepted. The number of them.
int claimed_runs(const Program& program, Judge& judge, std::mt19937_64& random) {
  const chain::States states(program, {}, judge.images());
  constexpr int kRuns = 8;
  for (int i = 0; i < kRuns; ++i) {
    chain::ProgramRefuted run;
    for (std::size_t at = 0; at < program.nodes.size(); ++at) {
      const chain::Node& node = program.nodes[at];
      auto& codes = run.assignment.inputs.emplace_back();
      for (chain::Region region = 0; node.kind == chain::Kind::Input && region < node.regions(); ++region) {
        const auto set = states.of(at)[region];
        if (set.empty()) codes.push_back(0);
        else {
          const auto ranges = set.ranges();
          const auto& range = ranges[random() % ranges.size()];
          codes.push_back(range.first + random() % ((range.last - range.first) | 1));
        }
      }
    }
    run.assignment.unwritten = random();
    run.output = program.outputs[random() % program.outputs.size()];
    for (const auto& dimension : program.nodes[run.output].dimensions)
      run.at.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(dimension.size)));
    chain::ProgramAnswer lie;
    lie.verdict = std::move(run);
    EXPECT_FALSE(certify(program, lie)) << program.text;
  }
  return kRuns;
}

// Proofs have certificates, and runs that refute have; what a run refutes has none, whatever sets and equalities are
// said.
void check_answers(std::uint64_t seed, int count, bool rows) {
  int proved = 0, checked = 0, lies = 0, larger = 0, refuted = 0, runs = 0, claims = 0;
  std::mt19937_64 random(31);
  each_program(
      seed, count, 12,
      [&](const Program& program) {
        Judge judge(program);
        const auto answer = judge.answer();
        if (std::holds_alternative<chain::ProgramProved>(answer.verdict)) {
          ++proved;
          claims += claimed_runs(program, judge, random);
          auto made = certify(program, answer);
          if (!made) return;
          ++checked;
          // An input's padding may hold any code: then the sets of the evidence are too small, unless they hold all.
          for (checker::StepText& step : made->statement.chain->steps)
            if (step.kind == "input" && step.holds->back().size() == 1 && step.holds->back()[0].first != "0x0") {
              step.holds->back()[0].first = "0x0";
              made->digest = checker::digest(made->statement);
              EXPECT_TRUE(checker::check(*made)) << program.text;
              ++larger;
              break;
            }
          return;
        }
        if (std::holds_alternative<chain::ProgramRefuted>(answer.verdict))
          ++refuted, runs += certify(program, answer) ? 1 : 0;
        for (const auto equal : {neutral::Equality::Bits, program.equal}) {
          chain::ProgramAnswer lie;
          lie.differ.assign(program.nodes.size(), equal);
          EXPECT_FALSE(std::holds_alternative<chain::ProgramRefuted>(answer.verdict) && certify(program, lie))
              << program.text;
          ++lies;
        }
      },
      rows);
  std::printf("%d proved, %d checked, %d lies, %d larger\n", proved, checked, lies, larger);
  std::printf("%d refuted, %d by checked runs, %d runs of proved programs\n", refuted, runs, claims);
  EXPECT_GE(checked * 10, proved * 9);
  EXPECT_GE(runs * 100, refuted * 95);
  EXPECT_GE(claims, 1000);
  EXPECT_GE(lies, 100);
  EXPECT_GE(larger, 10);
}

TEST(ProgramRandom, ProofsAreCheckedAndNothingElseIs) { check_answers(29, scaled(3000, 400), false); }
TEST(ProgramRandom, ProofsOfRowsAreCheckedAndNothingElseIs) { check_answers(31, scaled(3000, 400), true); }

// Every set of masks with a cost below a limit, one mask after the other, from all places, regions and values.
class Cheaper {
 public:
  Cheaper(const Program& program, Judge& judge) : program_(program), judge_(judge) {
    std::vector<int> readers(program.nodes.size());
    for (const auto& node : program.nodes)
      for (const std::size_t operand : node.operands) ++readers[operand];
    for (std::size_t at = 0; at < program.nodes.size(); ++at) {
      const chain::Node& node = program.nodes[at];
      for (chain::Region region = 1; region < node.regions(); ++region) {
        if (!exists(node, region)) continue;
        for (const values::Code value : chain::mask_values(*node.type)) {
          masks_.push_back({at, std::nullopt, region, value});
          if (readers[at] > 1)
            for (std::size_t reader = 0; reader < program.nodes.size(); ++reader)
              if (std::ranges::count(program.nodes[reader].operands, at) > 0)
                masks_.push_back({at, reader, region, value});
        }
      }
    }
  }

  /// Whether some set below the cost is enough; nothing if there are too many to try.
  std::optional<bool> exists_below(const chain::Cost& cost) {
    budget_ = scaled(5000, 2000);
    const bool found = tried({}, 0, cost);
    return budget_ < 0 ? std::nullopt : std::optional(found);
  }

 private:
  bool tried(std::vector<Mask> masks, std::size_t from, const chain::Cost& cost) {
    if (--budget_ < 0) return false;
    if (!judge_.first_failure(masks)) return true;
    for (std::size_t i = from; i < masks_.size(); ++i) {
      masks.push_back(masks_[i]);
      if (cost_of(program_, masks) < cost && tried(masks, i + 1, cost)) return true;
      masks.pop_back();
    }
    return false;
  }

  const Program& program_;
  Judge& judge_;
  std::vector<Mask> masks_;
  int budget_ = 0;
};

void place_everywhere(std::uint64_t seed, int count, bool rows) {
  int placed = 0, compared = 0, hopeless = 0, many = 0;
  each_program(
      seed, count, 6,
      [&](const Program& program) {
        std::size_t edges = 0;
        for (const auto& node : program.nodes) edges += node.operands.size();
        if (edges > 12) return;
        Judge judge(program);
        if (!judge.first_failure({})) return;
        const auto found = place_masks(program, judge);
        if (!found) {
          ++hopeless;
          return;
        }
        ++placed;
        EXPECT_TRUE(found->cheapest) << program.text << text_with(program, found->masks) << found->cost.slots;
        // What is printed is a program, and is proved by reading it again.
        const std::string text = text_with(program, found->masks);
        const auto again = chain::parse_program(text);
        ASSERT_TRUE(again) << text << again.error().message;
        Judge second(*again);
        ASSERT_TRUE(std::holds_alternative<chain::ProgramProved>(second.answer().verdict)) << text;
        EXPECT_EQ(again->nodes.size(), program.nodes.size() + static_cast<std::size_t>(found->cost.operations)) << text;
        const auto cheaper = Cheaper(program, judge).exists_below(found->cost);
        if (!cheaper) ++many;
        else {
          EXPECT_FALSE(*cheaper) << program.text << text;
          ++compared;
        }
      },
      rows);
  std::printf("%d placed, %d compared, %d with too many sets, %d without masks\n", placed, compared, many, hopeless);
  EXPECT_GE(compared, scaled(200, 25));
}

TEST(ProgramRandom, PlacedMasksAreProvedAndNoneAreCheaper) { place_everywhere(23, scaled(4000, 500), false); }
TEST(ProgramRandom, PlacedMasksOfRowsAreProvedAndNoneAreCheaper) { place_everywhere(37, scaled(4000, 750), true); }

}  // namespace neutral_program_random_campaign
}  // namespace vl
