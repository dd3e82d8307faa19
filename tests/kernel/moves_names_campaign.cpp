// Proofs about names that loop nests move the elements: steps of the finder, and the same with a number, a multiple or
// a step changed, for random layouts and nests whose numbers are polynomials, and for their mutants. What the kernel
// takes is true at every size that is looked at, by a look at every move and every element.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kernel/moves_truth.h"
#include "tests/kernel/names.h"
#include "tests/support/shard.h"
#include "verifier/engines/cells/named_moves.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::kernel::tests {
namespace moves_names_campaign {

using engines::cells::NamedMovesGoal;
using moves::engine;
using moves::one_in;
using moves::pick;
using moves::roll;
using NamedNest = BasicNest<Polynomial>;
using NamedRow = BasicRow<Polynomial>;

constexpr std::size_t kVariables = 2;
constexpr long long kMost = 3;

struct Case {
  std::vector<Polynomial> given;
  NamedLayout sides[2];  // a host, and a device
  std::vector<NamedNest> nests;
  std::vector<NamedRow> hosts;
  NamedRow strides;
};

Polynomial variable() { return Polynomial::variable(static_cast<std::size_t>(roll(0, kVariables - 1))); }
Polynomial extent() { return one_in(4) ? Polynomial(roll(1, 3)) : variable() * roll(1, 2) + roll(1, 2); }

// One dimension: size·count + rest elements in blocks, or as they are; each part of it is a nest's.
struct Dimension {
  Polynomial size = 1, count = extent(), rest = 0;
  [[nodiscard]] Polynomial elements() const { return size * count + rest; }
};

void add_nests(Case& out, const std::vector<Dimension>& dims, const std::vector<Polynomial>& host,
               const std::vector<Polynomial>& of_count, const std::vector<Polynomial>& of_rest) {
  for (std::size_t parts = 0; parts < std::size_t{1} << dims.size(); ++parts) {
    NamedNest nest;
    const auto loop = [&](const Polynomial& times, const Polynomial& read, const Polynomial& written) {
      nest.slots[0].terms.emplace_back(nest.box.rank(), read),
          nest.slots[1].terms.emplace_back(nest.box.rank(), written);
      nest.box.extents.push_back(times), nest.box.names.emplace_back("i");
    };
    bool any = true;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Dimension& dim = dims[i];
      if ((parts >> i & 1) == 0) {
        loop(dim.count, host[i] * dim.size, of_count[i]);
        if (!(dim.size == Polynomial(1))) loop(dim.size, host[i], of_rest[i]);
      } else {
        any = any && !(dim.rest == Polynomial(0));
        loop(dim.rest, host[i], of_rest[i]);
        nest.slots[0].constant = nest.slots[0].constant + host[i] * dim.size * dim.count;
        nest.slots[1].constant = nest.slots[1].constant + of_count[i] * dim.count;
      }
    }
    if (!any) continue;
    out.hosts.push_back(nest.slots[0]), out.nests.push_back(std::move(nest));
  }
}

Case random_case() {
  Case out;
  std::vector<Dimension> dims(static_cast<std::size_t>(roll(1, 2)));
  BasicStage<Polynomial> host, same, last;  // of the device: digits, and their sum
  Polynomial stride = 1, weight = 1;
  std::vector<Polynomial> strides(dims.size()), of_count(dims.size()), of_rest(dims.size());
  host.rows.resize(1), last.rows.resize(1);
  for (std::size_t i = dims.size(); i-- > 0;) {
    Dimension& dim = dims[i];
    if (one_in(2))
      dim.rest = one_in(2) ? Polynomial(0) : extent(), dim.size = dim.rest + 1 + (one_in(2) ? variable() : 0);
    for (NamedLayout& side : out.sides) {
      side.map.domain.extents.insert(side.map.domain.extents.begin(), dim.elements());
      side.map.domain.names.emplace_back("x");
    }
    strides[i] = stride, stride = stride * dim.elements() + (one_in(4) ? variable() : 0);
    of_rest[i] = weight, weight = weight * dim.size + (one_in(6) ? 1 : 0);
    of_count[i] = weight, weight = weight * (dim.count + (dim.rest == Polynomial(0) ? 0 : 1));
  }
  std::vector<BasicStage<Polynomial>> splits(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    host.rows[0].terms.emplace_back(i, strides[i]);
    splits[i].kind = BasicStage<Polynomial>::Kind::Split, splits[i].input = 2 * i;
    splits[i].weights = {dims[i].size, 1};
    same.rows.push_back({0, {{i, 1}}});
    last.rows[0].terms.emplace_back(2 * i, of_count[i]), last.rows[0].terms.emplace_back(2 * i + 1, of_rest[i]);
  }
  out.sides[0].map.stages = {host}, out.sides[1].map.stages = {same};
  for (auto& split : splits) out.sides[1].map.stages.push_back(std::move(split));
  out.sides[1].map.stages.push_back(last);
  out.sides[0].physical = {{"h"}, {stride}}, out.sides[1].physical = {{"m"}, {weight}};
  for (NamedLayout& side : out.sides) side.logical = dims.size(), side.map.outputs = 1;
  out.strides = host.rows[0];
  add_nests(out, dims, strides, of_count, of_rest);
  return out;
}

void change(Polynomial& number) {
  switch (roll(0, 4)) {
    case 0: number = number + variable(); break;
    case 1: number = number - variable(); break;
    case 2: number = number * 2; break;
    default: number = number + (one_in(2) ? 1 : -1);
  }
}

void mutate(Case& that) {
  if (one_in(6) && that.nests.size() > 1) return that.nests.pop_back();
  if (one_in(8)) return that.nests.push_back(NamedNest(that.nests[0]));
  std::vector<Polynomial*> numbers;
  const auto add = [&](NamedRow& row) {
    numbers.push_back(&row.constant);
    for (auto& [input, coefficient] : row.terms) numbers.push_back(&coefficient);
  };
  for (NamedNest& nest : that.nests) {
    for (Polynomial& one : nest.box.extents) numbers.push_back(&one);
    for (NamedRow& row : nest.slots) add(row);
  }
  for (NamedLayout& side : that.sides) {
    numbers.push_back(&side.physical.extents[0]);
    for (auto& stage : side.map.stages) {
      for (NamedRow& row : stage.rows) add(row);
      if (!stage.weights.empty()) numbers.push_back(&stage.weights[0]);
    }
  }
  if (!one_in(6)) return change(*pick(numbers));
  const auto dim = static_cast<std::size_t>(roll(0, static_cast<long long>(that.sides[0].logical) - 1));
  change(that.sides[0].map.domain.extents[dim]);
  that.sides[1].map.domain.extents[dim] = that.sides[0].map.domain.extents[dim];
}

void change(NamedSteps& steps) {
  const auto at = static_cast<std::size_t>(roll(0, static_cast<long long>(steps.size()) - 1));
  auto& step = steps[at];
  switch (roll(0, 4)) {
    case 0: steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at)); return;
    case 1: std::swap(step, steps[(at + 1) % steps.size()]); return;
    case 2:
      if (!step.notes.empty()) {
        auto& note = pick(step.notes);
        for (auto* by : {&note.below, &note.above})
          for (auto& [j, m] : *by) one_in(2) ? change(m) : static_cast<void>(j = static_cast<std::size_t>(roll(0, 4)));
        return;
      }
      [[fallthrough]];
    default:
      if (!step.numbers.empty()) change(pick(step.numbers));
  }
}

// The extents that have to be at least 1, where that is not plain.
std::vector<Polynomial> given(const Case& that) {
  std::vector<Polynomial> out = that.given;
  const auto add = [&](const std::vector<Polynomial>& extents) {
    for (const Polynomial& one : extents)
      if (!is_shown(one - 1)) out.push_back(one - 1);
  };
  for (const NamedLayout& side : that.sides) add(side.map.domain.extents);
  for (const NamedNest& nest : that.nests) add(nest.box.extents);
  return out;
}

// What is left of the elements, or why not.
std::optional<Polynomial> taken(const Case& that, int goal, const NamedSteps& steps) {
  try {
    const Metered metered;
    const BasicMoves<Polynomial> asked(that.sides[0], that.sides[1], that.nests, given(that));
    if (goal == 0) return asked.inside(steps), Polynomial(0);
    return goal == 2 ? asked.once(steps) : asked.implement(steps);
  } catch (const Rejected&) {
    return std::nullopt;
  }
}

std::optional<moves::Statement> instance(const Case& that, const Sizes& sizes) {
  moves::Statement out;
  for (const Polynomial& one : given(that))
    if (at(one, sizes) < 0) return std::nullopt;
  for (const int k : {0, 1}) {
    out.sides[k] = at(that.sides[k], sizes);
    for (const Stage& stage : out.sides[k].map.stages)
      if (!stage.weights.empty() && stage.weights[0] < 1) return std::nullopt;
    if (out.sides[k].map.domain.volume() > 400 || out.sides[k].physical.extents[0] < 0) return std::nullopt;
  }
  for (const NamedNest& nest : that.nests) {
    out.nests.push_back({at(nest.box, sizes), {at(nest.slots[0], sizes), at(nest.slots[1], sizes)}});
    if (out.nests.back().box.volume() > 400) return std::nullopt;
  }
  return out;
}

struct Count {
  long long asked = 0, taken = 0, sizes = 0;
} counts[4];

void judge(const Case& that, int goal, const NamedSteps& steps) {
  ++counts[goal].asked;
  const auto left = taken(that, goal, steps);
  if (!left) return;
  ++counts[goal].taken;
  for (long long n = 0; n < (kMost + 1) * (kMost + 1); ++n) {
    const Sizes sizes{n % (kMost + 1), n / (kMost + 1)};
    const auto here = instance(that, sizes);
    if (!here || !(at(*left, sizes) == 0)) continue;
    ++counts[goal].sizes;
    std::string text;
    for (const auto& step : steps) text += write_step(step).dump();
    ASSERT_TRUE(moves::Law(*here).holds[goal])
        << "goal " << goal << " at " << fmt::format("{}", fmt::join(sizes, ",")) << ": " << text;
  }
}

TEST(KernelMovesOfNames, ForgedProofsHoldAtEverySize) {
  engine.seed(20261130);
  for (long long number = test::cases(300, 20'000); number > 0 && !HasFatalFailure(); --number) {
    const Case that = random_case();
    const PlainSizes sizes(given(that));
    for (const NamedMovesGoal asked : {NamedMovesGoal::Inside, NamedMovesGoal::Implement}) {
      std::optional<NamedSteps> steps;
      try {
        const Metered metered(20'000'000);
        steps =
            engines::cells::find({asked, that.sides[0], that.sides[1], that.nests, that.hosts, that.strides, sizes});
      } catch (const Rejected&) {
      } catch (const engines::cells::Open&) {
      }
      if (!steps) continue;
      for (const int goal : {0, 2, 3}) {
        if ((goal == 0) != (asked == NamedMovesGoal::Inside)) continue;
        judge(that, goal, *steps);
        for (int forged = 0; forged < 12; ++forged) {
          Case other = that;
          NamedSteps changed = *steps;
          if (forged % 3 != 0) mutate(other);
          if (forged % 3 != 1) change(changed);
          if (!changed.empty()) judge(other, goal, changed);
        }
      }
    }
  }
  for (const int goal : {0, 2, 3}) {
    fmt::print("goal {}: asked {}, taken {}, at {} sizes\n", goal, counts[goal].asked, counts[goal].taken,
               counts[goal].sizes);
    EXPECT_GE(counts[goal].taken, counts[goal].asked / 20);
    EXPECT_GE(counts[goal].sizes, counts[goal].taken);
  }
}

}  // namespace moves_names_campaign
}  // namespace vl::kernel::tests
