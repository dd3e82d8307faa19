// Proofs about names: steps of the finder, and the same with a number, a multiple or a step changed, for layouts whose
// extents, strides and weights are random polynomials, and for their mutants. What the kernel takes is true at every
// size that is looked at, by a look at every point; and nearly always the steps at these sizes are a proof about
// numbers: but for two quotients that are one there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/kernel/names.h"
#include "tests/kernel/truth.h"
#include "tests/support/maps.h"
#include "tests/support/shard.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::kernel::tests {
namespace names_campaign {

using engines::cells::Goal;
using engines::cells::NamedTask;
using test::Engine;
using test::roll;

constexpr long long kMostPoints = 400, kMostSize = 3;

struct Count {
  long long asked = 0, taken = 0, changed = 0, refused_false = 0, sizes = 0, replayed = 0;
};
std::map<Goal, Count> counts;

struct Case {
  std::size_t variables = 1;
  std::vector<Polynomial> given;
  NamedLayout layout;
};

Polynomial any_of(Engine& engine, const std::vector<Polynomial>& list) {
  return list[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(list.size()) - 1))];
}

Polynomial random_variable(Engine& engine, std::size_t variables) {
  return Polynomial::variable(static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(variables) - 1)));
}

// At least 1 at all sizes.
Polynomial random_extent(Engine& engine, std::size_t variables) {
  const Polynomial v = random_variable(engine, variables);
  switch (roll(engine, 0, 5)) {
    case 0: return Polynomial(roll(engine, 1, 4));
    case 1: return v * roll(engine, 2, 4) + roll(engine, 1, 4);
    case 2: return v * random_variable(engine, variables) + 1;
    case 3: return v + random_variable(engine, variables) + 1;
    default: return v + roll(engine, 1, 2);
  }
}

Case random_case(Engine& engine) {
  using Stage = BasicStage<Polynomial>;
  Case out;
  out.variables = static_cast<std::size_t>(roll(engine, 1, 3));
  for (Index facts = roll(engine, 0, 2); facts > 0; --facts)
    out.given.push_back(random_variable(engine, out.variables) * roll(engine, 1, 2) + roll(engine, -1, 3) -
                        random_variable(engine, out.variables) * roll(engine, 0, 2));
  NamedLayout& layout = out.layout;
  layout.logical = static_cast<std::size_t>(roll(engine, 1, 3));
  std::vector<Polynomial> numbers{1, 2, 3, 4};  // strides, weights and extents are among these
  Stage first, last;
  first.rows.resize(static_cast<std::size_t>(roll(engine, 1, 2)));
  for (std::size_t i = 0; i < layout.logical; ++i) {
    layout.map.domain.names.push_back(fmt::format("x{}", i));
    layout.map.domain.extents.push_back(random_extent(engine, out.variables));
    numbers.push_back(layout.map.domain.extents.back());
  }
  Polynomial stride = 1;
  for (std::size_t i = layout.logical; i-- > 0;) {
    auto& row = first.rows[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(first.rows.size()) - 1))];
    row.terms.insert(row.terms.begin(), {i, roll(engine, 0, 5) == 0 ? any_of(engine, numbers) : stride});
    stride = stride * layout.map.domain.extents[i];
    if (roll(engine, 0, 3) == 0) stride = stride + random_variable(engine, out.variables);  // a pitch
    numbers.push_back(stride);
  }
  if (roll(engine, 0, 4) == 0) first.rows[0].constant = any_of(engine, numbers);
  layout.map.stages.push_back(first);
  std::size_t width = first.rows.size();
  for (Index splits = roll(engine, 0, 2); splits > 0; --splits) {
    Stage split;
    split.kind = Stage::Kind::Split;
    split.input = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(width) - 1));
    for (Index more = roll(engine, 1, 2); more > 0; --more) split.weights.push_back(any_of(engine, numbers));
    split.weights.emplace_back(1);
    width += split.weights.size() - 1;
    layout.map.stages.push_back(std::move(split));
  }
  last.rows.resize(static_cast<std::size_t>(roll(engine, 1, static_cast<Index>(width))));
  for (std::size_t i = 0; i < width; ++i)
    last.rows[std::min(i, last.rows.size() - 1)].terms.emplace_back(
        i, roll(engine, 0, 2) == 0 ? any_of(engine, numbers) : Polynomial(1));
  layout.map.stages.push_back(last);
  layout.map.outputs = last.rows.size();
  if (roll(engine, 0, 7) == 0) {
    Stage swizzle;
    swizzle.kind = Stage::Kind::Swizzle, swizzle.bits = static_cast<int>(roll(engine, 0, 2));
    swizzle.shift = static_cast<int>(roll(engine, 1, 2)), swizzle.up = roll(engine, 0, 1) == 0;
    layout.map.stages.push_back(swizzle);
  }
  const std::size_t places = last.rows.size() - (last.rows.size() > 1 && roll(engine, 0, 3) == 0 ? 1 : 0);
  for (std::size_t j = 0; j < places; ++j) {
    layout.physical.names.push_back(fmt::format("p{}", j));
    layout.physical.extents.push_back(roll(engine, 0, 2) == 0 ? stride : any_of(engine, numbers));
  }
  layout.named = roll(engine, 0, 3) == 0 && places == last.rows.size();
  return out;
}

// One of the numbers of a layout, changed.
void mutate(Engine& engine, Case& that) {
  std::vector<Polynomial*> numbers;
  for (Polynomial& extent : that.layout.map.domain.extents) numbers.push_back(&extent);
  for (Polynomial& extent : that.layout.physical.extents) numbers.push_back(&extent);
  for (auto& stage : that.layout.map.stages) {
    for (auto& row : stage.rows) {
      numbers.push_back(&row.constant);
      for (auto& [input, coefficient] : row.terms) numbers.push_back(&coefficient);
    }
    for (std::size_t k = 0; k + 1 < stage.weights.size(); ++k) numbers.push_back(&stage.weights[k]);
  }
  for (Polynomial& fact : that.given) numbers.push_back(&fact);
  Polynomial& one = *numbers[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(numbers.size()) - 1))];
  switch (roll(engine, 0, 3)) {
    case 0: one = one + random_variable(engine, that.variables); break;
    case 1: one = one - random_variable(engine, that.variables); break;
    case 2: one = one * 2; break;
    default: one = one + (roll(engine, 0, 1) == 0 ? 1 : -1);
  }
}

void change(Engine& engine, std::size_t variables, Polynomial& number) {
  switch (roll(engine, 0, 4)) {
    case 0: number = number + random_variable(engine, variables); break;
    case 1: number = number - random_variable(engine, variables); break;
    case 2: number = 0; break;
    default: number = number + (roll(engine, 0, 1) == 0 ? 1 : -1);
  }
}

void change(Engine& engine, std::size_t variables, NamedSteps& steps) {
  if (steps.empty()) return;
  const auto at = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(steps.size()) - 1));
  auto& step = steps[at];
  const auto place = steps.begin() + static_cast<std::ptrdiff_t>(at);
  switch (roll(engine, 0, 5)) {
    case 0: steps.erase(place); return;
    case 1: steps.insert(place, BasicStep<Polynomial>(step)); return;
    case 2: std::swap(step, steps[(at + 1) % steps.size()]); return;
    case 3:
      if (!step.notes.empty()) {
        auto& note = step.notes[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(step.notes.size()) - 1))];
        for (auto* by : {&note.below, &note.above})
          for (auto& [j, m] : *by) {
            if (roll(engine, 0, 1) == 0) change(engine, variables, m);
            else j = static_cast<std::size_t>(roll(engine, 0, 6));
          }
        if (note.extent && roll(engine, 0, 1) == 0) change(engine, variables, *note.extent);
        else if (note.quotient) change(engine, variables, *note.quotient);
        else if (roll(engine, 0, 3) == 0) note.quotient = random_variable(engine, variables);
        return;
      }
      [[fallthrough]];
    default:
      if (!step.numbers.empty())
        change(engine, variables,
               step.numbers[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(step.numbers.size()) - 1))]);
  }
}

// A part of the right kind at sizes; all of what is given holds there, and the box has a point.
bool is_instance(const Case& that, const Sizes& sizes) {
  for (const Polynomial& fact : that.given)
    if (at(fact, sizes) < 0) return false;
  for (const Polynomial& extent : that.layout.map.domain.extents)
    if (at(extent, sizes) < 1) return false;
  return true;
}

std::optional<Polynomial> taken(const Case& that, Goal goal, const NamedSteps& steps) {
  try {
    const Metered metered;
    const BasicGoals<Polynomial> goals(that.layout, nullptr, that.given);
    if (goal == Goal::In) goals.in(that.layout.physical, steps);
    if (goal == Goal::Apart) goals.apart(false, steps);
    return goal == Goal::Count ? goals.occupied(steps) : Polynomial(0);
  } catch (const Rejected&) {
    return std::nullopt;
  }
}

std::string told(const Case& that, const NamedSteps& steps, const Sizes& sizes) {
  std::string out;
  for (const auto& step : steps) out += write_step(step).dump();
  for (const Polynomial& fact : that.given) out += " given " + print(fact);
  for (const Polynomial& extent : that.layout.map.domain.extents) out += " e " + print(extent);
  for (const auto& stage : that.layout.map.stages) {
    out += " stage";
    for (const auto& row : stage.rows) {
      out += " [" + print(row.constant);
      for (const auto& [input, coefficient] : row.terms) out += fmt::format(" +({})x{}", print(coefficient), input);
      out += "]";
    }
    for (const Polynomial& weight : stage.weights) out += fmt::format(" {}:{}", stage.input, print(weight));
  }
  for (const Polynomial& extent : that.layout.physical.extents) out += " p " + print(extent);
  return out + fmt::format(" at {}", fmt::join(sizes, ","));
}

bool is_true_at(const Case& that, Goal goal, const Sizes& sizes, const Polynomial& counted) {
  const Layout layout = at(that.layout, sizes);
  for (const Stage& stage : layout.map.stages)
    if (std::ranges::any_of(stage.weights, [](const Wide& weight) { return weight < 1; })) return false;  // no map
  const auto truth = listed(layout);
  if (!truth) return false;
  if (goal == Goal::In) return truth->in_bounds();
  return goal == Goal::Apart ? truth->apart() : at(counted, sizes) == std::ssize(truth->slots());
}

// The same steps, at these sizes, are a proof about numbers. Not of a swizzle: of numbers its range is not named.
bool is_taken_at(const Case& that, Goal goal, const NamedSteps& steps, const Sizes& sizes) {
  for (const auto& stage : that.layout.map.stages)
    if (stage.kind == BasicStage<Polynomial>::Kind::Swizzle) return true;
  try {
    const Layout layout = at(that.layout, sizes);
    std::vector<Wide> given;
    for (const Polynomial& fact : that.given) given.push_back(at(fact, sizes));
    const Goals goals(layout, nullptr, given);
    const Steps numbers = at(steps, sizes);
    if (goal == Goal::In) goals.in(layout.physical, numbers);
    if (goal == Goal::Apart) goals.apart(false, numbers);
    if (goal == Goal::Count) static_cast<void>(goals.occupied(numbers));
    return true;
  } catch (const Rejected&) {
    return false;
  }
}

void judge(const Case& that, Goal goal, const NamedSteps& steps, bool changed) {
  Count& count = counts[goal];
  ++count.asked;
  const auto counted = taken(that, goal, steps);
  if (counted) ++(changed ? count.changed : count.taken);
  Sizes sizes(3, 0);
  bool all = true;
  for (Index number = 0; number < (kMostSize + 1) * (kMostSize + 1) * (kMostSize + 1); ++number) {
    Index rest = number;
    for (long long& size : sizes) size = rest % (kMostSize + 1), rest /= kMostSize + 1;
    if (std::any_of(sizes.begin() + static_cast<std::ptrdiff_t>(that.variables), sizes.end(),
                    [](long long size) { return size != 0; }) ||
        !is_instance(that, sizes) || at(that.layout.map.domain.volume(), sizes) > kMostPoints)
      continue;
    if (!counted && !all) break;
    const bool holds = is_true_at(that, goal, sizes, counted.value_or(0));
    all = all && holds;
    if (!counted) continue;
    ++count.sizes;
    ASSERT_TRUE(holds) << told(that, steps, sizes);
    if (is_taken_at(that, goal, steps, sizes)) ++count.replayed;
  }
  if (!counted && !all) ++count.refused_false;
}

TEST(KernelNames, ForgedProofsHoldAtEverySizeAndReplayThere) {
  counts.clear();
  const test::Shard shard = test::shard_of(20);
  constexpr std::uint64_t kScope = 64'000;
  for (std::uint64_t number = 0; number < kScope; ++number) {
    if (!shard.has(number)) continue;
    Engine engine(test::digest(number));
    Case that = random_case(engine);
    for (const Goal goal : {Goal::In, Goal::Apart, Goal::Count}) {
      const PlainSizes sizes(that.given);
      std::optional<NamedSteps> steps;
      try {
        const Metered metered;
        NamedTask task{goal, that.layout, sizes, nullptr, nullptr, that.layout.map.domain.extents};
        task.ends.insert(task.ends.end(), that.layout.physical.extents.begin(), that.layout.physical.extents.end());
        steps = engines::cells::find(task);
      } catch (const Rejected&) {
      } catch (const engines::cells::Open&) {
      }
      if (!steps) continue;
      judge(that, goal, *steps, false);
      for (int forged = 0; forged < 6; ++forged) {
        Case other = that;
        NamedSteps changed = *steps;
        if (forged % 2 == 0) mutate(engine, other);
        else change(engine, that.variables, changed);
        if (forged > 3) change(engine, that.variables, changed), mutate(engine, other);
        judge(other, goal, changed, true);
      }
      if (HasFatalFailure()) return;
    }
  }
  for (const auto& [goal, count] : counts)
    fmt::print("goal {}: asked {}, taken {}, changed and taken {}, false and refused {}, at {} sizes, {} replayed\n",
               static_cast<int>(goal), count.asked, count.taken, count.changed, count.refused_false, count.sizes,
               count.replayed);
  for (const Goal goal : {Goal::In, Goal::Apart, Goal::Count}) {
    EXPECT_GT(counts[goal].taken, 300) << static_cast<int>(goal);
    EXPECT_GT(counts[goal].changed, 300) << static_cast<int>(goal);
    EXPECT_GT(counts[goal].refused_false, 300) << static_cast<int>(goal);
    EXPECT_GT(counts[goal].replayed, counts[goal].sizes * 95 / 100) << static_cast<int>(goal);
  }
}

}  // namespace names_campaign
}  // namespace vl::kernel::tests
