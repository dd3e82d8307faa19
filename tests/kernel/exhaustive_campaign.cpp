// Small scope, whole: maps of at most two dimensions with extents of at most 4 and two stages, and every list of steps
// up to a length over small numbers. Lists are looked through as a tree: one that is refused, and not for a cell that
// is still open, is refused with whatever follows. What the kernel takes is true by a look at every point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/kernel/truth.h"
#include "tests/support/shard.h"
#include "verifier/engines/cells/steps.h"
#include "verifier/kernel/reader/map_text.h"

namespace vl::kernel::tests {
namespace kernel_exhaustive_campaign {

struct Count {
  long long maps = 0, asked = 0, taken = 0, true_goals = 0, false_goals = 0;
};

// Whatever may stand at one place of a list.
Steps alphabet() {
  Steps out{{"fuse", {0}}, {"run", {0}}, {"open", {0}}, {"empty", {0}}, {"empty", {1}},
            {"in"},        {"apart"},    {"count"},     {"reach"},      {"sweep"}};
  for (long long a = 0; a < 3; ++a) {
    for (long long n = 1; n <= 3; ++n) out.push_back({"block", {a, n}});
    for (long long n = 1; n <= 2; ++n) out.push_back({"cut", {a, n}}), out.push_back({"shift", {a, n}});
    for (long long row = 0; row < 2; ++row) out.push_back({"large", {row, a}}), out.push_back({"mod", {row, a}});
    if (a < 2) out.push_back({"out", {a}}), out.push_back({"range", {a, 0, 1}}), out.push_back({"range", {a, 1, 2}});
  }
  return out;
}

// What a list is: a proof, one that lacks steps at its end, or none whatever follows.
enum class Answer { Taken, Open, Refused };

Answer answer(const Goals& goals, const Layout& layout, int goal, const Steps& steps, long long occupied) {
  try {
    if (goal == 0) goals.in(layout.physical, steps);
    if (goal == 1) goals.apart(false, steps);
    if (goal == 2 && goals.occupied(steps) != occupied) ADD_FAILURE() << "another number of slots";
    return Answer::Taken;
  } catch (const Rejected& why) {
    return std::string(why.what()) == "a cell that is not closed" ? Answer::Open : Answer::Refused;
  }
}

void look_through(const Layout& layout, std::size_t longest, Count& count) {
  static const Steps kSteps = alphabet();
  const auto truth = listed(layout);
  if (!truth) return;
  ++count.maps;
  const Goals goals(layout);
  const auto occupied = std::ssize(truth->slots());
  const bool holds[] = {truth->in_bounds(), truth->apart(), true};
  for (int goal = 0; goal < 3; ++goal) {
    ++(holds[goal] ? count.true_goals : count.false_goals);
    Steps steps;
    const std::function<void()> deeper = [&] {
      for (const Step& step : kSteps) {
        steps.push_back(step);
        ++count.asked;
        const Answer found = answer(goals, layout, goal, steps, occupied);
        if (found == Answer::Taken) {
          ++count.taken;
          EXPECT_TRUE(holds[goal]) << goal << ": " << steps.front().name << " … " << steps.back().name;
        }
        if (found == Answer::Open && steps.size() < longest) deeper();
        steps.pop_back();
      }
    };
    deeper();
  }
}

// Every row over `rank` inputs with small numbers.
std::vector<std::string> rows(std::size_t rank) {
  std::vector<std::string> out;
  for (int constant : {-1, 0, 1})
    for (int a : {-1, 0, 1, 2, 3})
      for (int b : {0, 1, 2, 4}) {
        if (rank == 1 && b != 0) continue;
        out.push_back(rank == 1 ? fmt::format("{}*x0 + {}", a, constant)
                                : fmt::format("{}*x0 + {}*x1 + {}", a, b, constant));
      }
  return out;
}

TEST(KernelExhaustive, EveryShortListOfStepsIsRefusedOrTrue) {
  const test::Shard shard = test::shard_of(192);
  const std::size_t longest = 3;
  Count count;
  std::uint64_t number = 0;
  for (const std::size_t rank : {1UL, 2UL})
    for (int e = 1; e <= 4; ++e)
      for (int f = 1; f <= (rank == 1 ? 1 : 4); ++f)
        for (const std::string& row : rows(rank))
          for (const auto& [second, outputs] : {std::pair("affine(x0)", 1),
                                                {"split(0; 2, 1)", 2},
                                                {"split(0; 3, 1)", 2},
                                                {"swizzle(0; 0, 1, 1, down)", 1}})
            for (int slots = 2; slots <= 5; ++slots) {
              if (!shard.has(number++)) continue;
              const std::string box = rank == 1 ? fmt::format("(x0:{})", e) : fmt::format("(x0:{}, x1:{})", e, f);
              const std::string physical =
                  outputs == 1 ? fmt::format("(d0:{})", slots) : fmt::format("(d0:{}, d1:2)", slots);
              Layout layout;
              try {
                layout.map = parse_map(fmt::format("{} -> affine({}) -> {}", box, row, second));
              } catch (const Rejected&) {
                continue;  // a row that names an input with the coefficient 0
              }
              layout.logical = rank, layout.physical = parse_space(physical);
              look_through(layout, longest, count);
            }
  fmt::print("{} maps, {} lists, {} taken; goals that hold: {}, that do not: {}\n", count.maps, count.asked,
             count.taken, count.true_goals, count.false_goals);
  EXPECT_GE(count.maps, 20);
  EXPECT_GE(count.false_goals, 15);
  EXPECT_GE(count.taken, 300);
}

}  // namespace kernel_exhaustive_campaign
}  // namespace vl::kernel::tests
