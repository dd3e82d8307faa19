// Random programs: the states of padding, the verdicts and the runs that refute, against execution of every slot; and
// the masks that are placed, against every cheaper set of masks.
#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "tests/neutral/program_brute.h"
#include "tests/neutral/program_held.h"
#include "tests/neutral/program_texts.h"
#include "tests/support/shard.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/neutral/program/place.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace neutral_program_random_campaign {

namespace chain = neutral::program;
using chain::Judge;
using chain::Mask;
using chain::Program;

int scaled(int full, int part) { return static_cast<int>(test::cases(part, full)); }

bool are_same(const Program& program, const values::Format& format, values::Code a, values::Code b) {
  if (a == b) return true;
  if (program.equal == neutral::Equality::Bits) return false;
  if (is_nan(format, a) && is_nan(format, b)) return true;
  return program.equal == neutral::Equality::AnyNanAndZero && values::is_zero(format, a) && values::is_zero(format, b);
}

// Whether an operation of it is a function of elements of which no more is known.
bool has_elements(const Program& program) {
  return std::ranges::any_of(program.nodes, [](const chain::Node& node) {
    return node.reads == chain::Reads::Elements || node.reads == chain::Reads::Numbers;
  });
}

// What is asked of a campaign: so many programs at least, and lines that are neutral by cases.
struct Least {
  int proved = 0, refuted = 0, of_elements = 0, by_cases = 0;
};

void hold_against_execution(int count, test::Drawn drawn, const Least& least) {
  std::array<int, 3> verdicts{}, of_elements{};
  int slots = 0, rows = 0, by_cases = 0, undone = 0;
  test::for_all(count, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Program program = test::drawn_program(random, 7, drawn);
    const auto same = [&](const values::Format& format, auto a, auto b) { return are_same(program, format, a, b); };
    const auto answer = test::hold_against_execution(program, random, same, slots, &rows);
    const std::size_t verdict = answer.verdict.index();
    ++verdicts.at(verdict), of_elements.at(verdict) += has_elements(program) ? 1 : 0;
    if (!std::holds_alternative<chain::ProgramProved>(answer.verdict)) return;
    by_cases += test::lines_by_cases(answer);
    undone += std::ranges::any_of(answer.leaks, [&](std::size_t at) { return !program.nodes[at].unseen; }) ? 1 : 0;
  });
  const auto [proved, refuted, unknown] = verdicts;
  std::printf("%d proved, %d refuted, %d unknown, %d slots\n", proved, refuted, unknown, slots);
  std::printf("with functions of elements %d proved, %d refuted\n", of_elements[0], of_elements[1]);
  std::printf("%d rows of tables of several cases, %d lines of proved programs by cases, %d programs undo leaks\n",
              rows, by_cases, undone);
  EXPECT_GE(of_elements[0], least.of_elements);
  EXPECT_GE(proved, least.proved);
  EXPECT_GE(refuted, least.refuted);
  EXPECT_GE(by_cases, least.by_cases);
  EXPECT_GE(undone, least.by_cases / 20);
}

TEST(ProgramRandom, StatesHoldEveryCodeAndProvedOutputsAreTheReference) {
  hold_against_execution(scaled(20000, 500), test::Drawn::Plain, {scaled(10000, 250), scaled(3000, 60)});
}

TEST(ProgramRandom, OfRowsToo) {
  hold_against_execution(scaled(20000, 800), test::Drawn::Rows, {scaled(6000, 200), scaled(3000, 100)});
}

TEST(ProgramRandom, OfSoftmaxAndNormsBeforeMatmulsToo) {
  hold_against_execution(scaled(20000, 800), test::Drawn::Cases,
                         {scaled(5000, 200), scaled(5000, 200), 0, scaled(500, 20)});
}

TEST(ProgramRandom, OfWhatImportersNeedToo) {
  hold_against_execution(scaled(20000, 800), test::Drawn::More, {scaled(6000, 200), scaled(1000, 30), scaled(500, 10)});
}

// Drawn runs of a proved program, each said to be a refutation: none may be accepted. The number of them.
int claimed_runs(const Program& program, Judge& judge, test::WideEngine& random) {
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
        else codes.push_back(test::one_of(random, set));
      }
    }
    run.assignment.unwritten = random();
    run.output = test::one_of(random, program.outputs);
    for (const auto& dimension : program.nodes[run.output].dimensions)
      run.at.push_back(test::roll(random, 0, dimension.size - 1));
    chain::ProgramAnswer lie;
    lie.verdict = std::move(run);
    RC_ASSERT(!certify(program, lie));
  }
  return kRuns;
}

// Proofs have certificates, and runs that refute have; what a run refutes has none, whatever sets and equalities are
// said.
void check_answers(int count, test::Drawn drawn) {
  int proved = 0, checked = 0, lies = 0, larger = 0, refuted = 0, runs = 0, claims = 0;
  test::for_all(count, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Program program = test::drawn_program(random, 12, drawn);
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
          RC_ASSERT(values_kernel::check(*made).has_value());
          ++larger;
          break;
        }
      return;
    }
    const auto* run = std::get_if<chain::ProgramRefuted>(&answer.verdict);
    if (run != nullptr && !run->on_sets) ++refuted, runs += certify(program, answer) ? 1 : 0;
    for (const auto equal : {neutral::Equality::Bits, program.equal}) {
      chain::ProgramAnswer lie;
      lie.differ.assign(program.nodes.size(), equal);
      RC_ASSERT((!std::holds_alternative<chain::ProgramRefuted>(answer.verdict) || !certify(program, lie)));
      ++lies;
    }
  });
  std::printf("%d proved, %d checked, %d lies, %d larger\n", proved, checked, lies, larger);
  std::printf("%d refuted by codes, %d by checked runs, %d runs of proved programs\n", refuted, runs, claims);
  EXPECT_GE(checked * 10, proved * 9);
  EXPECT_GE(runs * 100, refuted * 95);
  EXPECT_GE(claims, 1000);
  EXPECT_GE(lies, 100);
  EXPECT_GE(larger, 10);
}

TEST(ProgramRandom, ProofsAreCheckedAndNothingElseIs) { check_answers(scaled(3000, 400), test::Drawn::Plain); }
TEST(ProgramRandom, ProofsOfRowsAreCheckedAndNothingElseIs) { check_answers(scaled(3000, 400), test::Drawn::Rows); }

TEST(ProgramRandom, ProofsOfWhatImportersNeedAreCheckedAndNothingElseIs) {
  check_answers(scaled(9000, 1600), test::Drawn::More);
}

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

void place_everywhere(int count, test::Drawn drawn) {
  int placed = 0, compared = 0, hopeless = 0, many = 0;
  test::for_all(count, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Program program = test::drawn_program(random, 6, drawn);
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
    RC_LOG() << text_with(program, found->masks) << found->cost.slots;
    RC_ASSERT(found->cheapest);
    // What is printed is a program, and is proved by reading it again.
    const std::string text = text_with(program, found->masks);
    const auto again = chain::parse_program(text);
    RC_ASSERT(again.has_value());
    Judge second(*again);
    RC_ASSERT(std::holds_alternative<chain::ProgramProved>(second.answer().verdict));
    RC_ASSERT(again->nodes.size() == program.nodes.size() + static_cast<std::size_t>(found->cost.operations));
    const auto cheaper = Cheaper(program, judge).exists_below(found->cost);
    if (!cheaper) ++many;
    else {
      RC_ASSERT(!*cheaper);
      ++compared;
    }
  });
  std::printf("%d placed, %d compared, %d with too many sets, %d without masks\n", placed, compared, many, hopeless);
  EXPECT_GE(compared, scaled(200, 25));
}

TEST(ProgramRandom, PlacedMasksAreProvedAndNoneAreCheaper) { place_everywhere(scaled(4000, 500), test::Drawn::Plain); }
TEST(ProgramRandom, PlacedMasksOfRowsAreProvedAndNoneAreCheaper) {
  place_everywhere(scaled(4000, 750), test::Drawn::Rows);
}

TEST(ProgramRandom, PlacedMasksOfWhatImportersNeedAreProvedAndNoneAreCheaper) {
  place_everywhere(scaled(2500, 300), test::Drawn::More);
}

}  // namespace neutral_program_random_campaign
}  // namespace vl
