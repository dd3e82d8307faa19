// Forged proofs: steps of the finder with a number changed, a step left out, doubled or exchanged, and steps of another
// layout. What the kernel takes is true by a look at every point. Layouts are random ones and their mutants: one number
// of a map, a box or a decode map changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/kernel/dealer.h"
#include "tests/kernel/truth.h"
#include "tests/support/corpus_claims.h"
#include "tests/support/maps.h"
#include "tests/support/shard.h"
#include "verifier/checker/questions.h"
#include "verifier/engines/cells/steps.h"
#include "verifier/statements/layout_text.h"

namespace vl::kernel::tests {
namespace kernel_forgery_campaign {

using checker::LayoutText;
using engines::cells::Goal;
using engines::cells::Task;
using test::Engine;
using test::roll;

constexpr long long kMostPoints = 144;

struct Count {
  long long asked = 0, taken = 0, on_other = 0, refused_false = 0, refused_true = 0, false_taken = 0;
};
std::map<std::string, Count> counts;

const char* name_of(Goal goal) {
  constexpr const char* kNames[] = {"in",    "apart",   "replicas-apart", "count",    "back",  "identity",
                                    "equal", "returns", "defined",        "disjoint", "sticks"};
  return kNames[static_cast<int>(goal)];
}

using Truth = std::optional<test::Listed>;  // of task.a

bool is_true(const Task& task, const Truth& truth, const Steps& steps) {
  if (!truth) return false;
  const auto other = task.b != nullptr ? listed(*task.b) : std::nullopt;
  switch (task.goal) {
    case Goal::In: return truth->in_bounds();
    case Goal::Apart: return truth->apart();
    case Goal::ReplicasApart: return truth->apart(true);
    case Goal::Count: return Goals(task.a).occupied(steps) == std::ssize(truth->slots());
    case Goal::Back: return is_way_back(task.a, *truth);
    case Goal::Identity: return is_identity(task.a, *truth);
    case Goal::Equal: return other && truth->by_element() == other->by_element();
    case Goal::Defined: return true;  // of a map
    case Goal::Disjoint: return other && !meet(*truth, *other, task.at.narrow());
    case Goal::Returns: break;  // goals_test.cpp
    case Goal::Sticks: break;   // checker/divisions_test.cpp
  }
  return false;
}

std::string told(const Steps& steps) {
  std::string out;
  for (const Step& step : steps) {
    out += step.name;
    for (const Wide& number : step.numbers) out += fmt::format(" {}", number.narrow());
    out += fmt::format(" ({} notes); ", step.notes.size());
  }
  return out;
}

void judge(const char* kind, const Task& task, const Truth& truth, const Steps& steps, const std::string& text) {
  Count& count = counts[fmt::format("{}, {}", name_of(task.goal), kind)];
  ++count.asked;
  Metered budget(2'000'000);
  const bool taken = engines::cells::holds(task, steps);
  if (!taken) return;
  ++count.taken;
  if (!is_true(task, truth, steps) && ++count.false_taken <= 3)
    ADD_FAILURE() << name_of(task.goal) << ", " << kind << ": false, and taken: " << text << ": " << told(steps);
}

Wide changed(Engine& engine, const Wide& number) {
  switch (roll(engine, 0, 5)) {
    case 0: return number + 1;
    case 1: return number - 1;
    case 2: return number * 2;
    case 3: return 0;
    case 4: return Wide(0) - number;
    default: return roll(engine, 0, 9);
  }
}

void change_multiples(Engine& engine, Multiples<Wide>& list) {
  if (list.empty() || roll(engine, 0, 3) == 0)
    return list.emplace_back(static_cast<std::size_t>(roll(engine, 0, 3)), roll(engine, -2, 3)), void();
  auto& one = list[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(list.size()) - 1))];
  if (roll(engine, 0, 1) == 0) one.first = static_cast<std::size_t>(roll(engine, 0, 4));
  else one.second = changed(engine, one.second);
}

// Any other step.
void insert_any(Engine& engine, Steps& steps, std::size_t at) {
  constexpr std::pair<const char*, int> kSteps[] = {
      {"fuse", 1}, {"shift", 2}, {"block", 2}, {"cut", 2}, {"run", 1},   {"large", 2}, {"mod", 2},   {"open", 1},
      {"out", 1},  {"empty", 1}, {"sweep", 0}, {"cut", 2}, {"range", 3}, {"never", 1}, {"never", 2}, {"branch", 3}};
  const auto [name, numbers] = kSteps[roll(engine, 0, 15)];
  Step made{name};
  for (int i = 0; i < numbers; ++i) made.numbers.emplace_back(roll(engine, 0, i == 0 ? 3 : 5));
  steps.insert(steps.begin() + (roll(engine, 0, 1) == 0 ? 0 : static_cast<long>(at)), made);
  if (std::string(name) == "cut" && roll(engine, 0, 1) == 0) {  // and both parts are closed alike
    const Steps rest(steps.begin() + static_cast<long>(roll(engine, 0, 1)), steps.end());
    steps.insert(steps.end(), rest.begin(), rest.end());
  }
}

void insert_note(Engine& engine, Step& step) {
  Note<Wide> note;
  note.stage = static_cast<std::size_t>(roll(engine, -1, 3)), note.at = static_cast<std::size_t>(roll(engine, 0, 2));
  if (roll(engine, 0, 1) == 0) note.from = roll(engine, -1, 2), note.extent = roll(engine, 0, 5);
  else if (roll(engine, 0, 1) == 0) note.quotient = roll(engine, -2, 4);
  note.uses = roll(engine, 0, 3) == 0;
  if (roll(engine, 0, 1) == 0) change_multiples(engine, note.below);
  if (roll(engine, 0, 2) == 0) change_multiples(engine, note.above);
  step.notes.insert(step.notes.begin() + roll(engine, 0, static_cast<Index>(step.notes.size())), note);
}

// A number of a note, or of the step, or its name.
void change_one(Engine& engine, Step& step) {
  if (!step.notes.empty() && roll(engine, 0, 1) == 0) {
    Note<Wide>& note = step.notes[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(step.notes.size()) - 1))];
    if (note.quotient && roll(engine, 0, 1) == 0) note.quotient = changed(engine, *note.quotient);
    else if (note.extent && roll(engine, 0, 1) == 0) note.extent = changed(engine, *note.extent);
    else if (note.from && roll(engine, 0, 1) == 0) note.from = changed(engine, *note.from);
    else change_multiples(engine, roll(engine, 0, 1) == 0 ? note.below : note.above);
  } else if (!step.numbers.empty()) {
    Wide& number = step.numbers[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(step.numbers.size()) - 1))];
    number = changed(engine, number);
  } else {
    constexpr const char* kLeaves[] = {"in", "apart", "count", "reach", "back", "id", "eq", "sets", "sweep"};
    step.name = kLeaves[roll(engine, 0, 8)];
  }
}

Steps forged(Engine& engine, Steps steps, const Steps& other) {
  for (Index changes = roll(engine, 1, 2); changes > 0; --changes) {
    if (steps.empty()) return other;
    const auto at = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(steps.size()) - 1));
    Step& step = steps[at];
    switch (roll(engine, 0, 9)) {
      case 8:
      case 9: insert_any(engine, steps, at); break;
      case 0: steps.erase(steps.begin() + static_cast<long>(at)); break;
      case 1: steps.insert(steps.begin() + static_cast<long>(at), Step(step)); break;
      case 2:
        if (at + 1 < steps.size()) std::swap(steps[at], steps[at + 1]);
        break;
      case 3:
        if (!other.empty())
          steps.insert(steps.begin() + static_cast<long>(at),
                       other[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(other.size()) - 1))]);
        break;
      case 4: insert_note(engine, step); break;
      default: change_one(engine, step);
    }
  }
  return steps;
}

std::string mutant(Engine& engine, const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> numbers;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(text[i])) != 0 &&
        (i == 0 ||
         (text[i - 1] != 'x' && text[i - 1] != 'd' && std::isdigit(static_cast<unsigned char>(text[i - 1])) == 0))) {
      std::size_t end = i;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      numbers.emplace_back(i, end - i);
    }
  if (numbers.empty()) return text;
  const auto [at, size] = numbers[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(numbers.size()) - 1))];
  if (size > 9) return text;
  const long long value = std::stoll(text.substr(at, size));
  const long long other[] = {value + 1, value > 0 ? value - 1 : 0, 2 * value, value / 2, 1};
  return text.substr(0, at) + std::to_string(other[roll(engine, 0, 4)]) + text.substr(at + size);
}

LayoutText mutant(Engine& engine, LayoutText text) {
  switch (roll(engine, 0, 5)) {
    case 0:
      if (text.decode) return text.decode = mutant(engine, *text.decode), text;
      break;
    case 1:
      if (text.identity) return text.identity->second = mutant(engine, text.identity->second), text;
      break;
    case 2: return text.physical = mutant(engine, text.physical), text;
    default: break;
  }
  text.map = mutant(engine, text.map);
  return text;
}

std::optional<Layout> layout_of(const LayoutText& text) {
  try {
    Layout out = checker::parse_layout(text);
    if (out.map.domain.volume() > kMostPoints || out.physical.volume() > 1'000'000) return std::nullopt;
    return out;
  } catch (const Rejected&) {
    return std::nullopt;
  }
}

std::vector<Goal> goals_of(const Layout& layout) {
  std::vector<Goal> out{Goal::In, Goal::Apart, Goal::Count, Goal::Defined};
  if (layout.logical < layout.map.domain.rank()) out.push_back(Goal::ReplicasApart);
  if (layout.decode) out.push_back(Goal::Back);
  if (layout.identity) out.push_back(Goal::Identity);
  return out;
}

// Every goal of a layout, of its mutants, and of the pair; each with right and with forged steps.
void attack(Engine& engine, const LayoutText& text, int mutants, int forgeries, std::map<Goal, Steps>& last) {
  const auto layout = layout_of(text);
  if (!layout) return;
  const auto attack_one = [&](const Task& task, const Steps* of_other, const std::string& about) {
    const Truth truth = listed(task.a);
    const auto steps = engines::cells::find(task);
    Count& count = counts[fmt::format("{}, as found", name_of(task.goal))];
    if (!steps || !engines::cells::holds(task, *steps)) {
      const bool holds = task.goal != Goal::Count && is_true(task, truth, {});
      ++(holds ? count.refused_true : count.refused_false);
    } else {
      judge("as found", task, truth, *steps, about);
    }
    if (of_other != nullptr) judge("of another layout", task, truth, *of_other, about);
    const Steps& base = steps ? *steps : of_other != nullptr ? *of_other : last[task.goal];
    for (int i = 0; i < forgeries && (task.goal <= Goal::Identity || task.goal == Goal::Disjoint); ++i)
      judge("dealt", task, truth, Dealer(engine, task).steps(), about);
    for (int i = 0; i < forgeries; ++i) judge("forged", task, truth, forged(engine, base, last[task.goal]), about);
    if (steps) last[task.goal] = *steps;
    return steps;
  };
  std::map<Goal, std::optional<Steps>> of_original;
  for (const Goal goal : goals_of(*layout)) of_original[goal] = attack_one({goal, *layout}, nullptr, text.map);
  const auto same = attack_one({Goal::Equal, *layout, &*layout}, nullptr, text.map);
  for (int i = 0; i < mutants; ++i) {
    const LayoutText changed = mutant(engine, text);
    const auto other = layout_of(changed);
    if (!other) continue;
    for (const Goal goal : goals_of(*other)) {
      const auto& steps = of_original[goal];
      attack_one({goal, *other}, steps ? &*steps : nullptr, changed.map + " in " + changed.physical);
    }
    attack_one({Goal::Equal, *layout, &*other}, same ? &*same : nullptr, text.map + " and " + changed.map);
    Layout a = *layout, b = *other;
    a.logical = b.logical = 0;  // no input in common
    Task pair{Goal::Disjoint, a, &b};
    pair.at = roll(engine, -9, 30);
    attack_one(pair, nullptr, text.map + " and " + changed.map);
  }
}

void print_counts() {
  Count all;
  for (const auto& [kind, count] : counts) {
    fmt::print("  {:32} {:9} asked, {:9} taken, {} false; not found: {} true, {} other\n", kind, count.asked,
               count.taken, count.false_taken, count.refused_true, count.refused_false);
    all.asked += count.asked, all.taken += count.taken, all.false_taken += count.false_taken;
  }
  fmt::print("{} proofs, {} taken, {} false\n", all.asked, all.taken, all.false_taken);
  EXPECT_EQ(all.false_taken, 0);
  EXPECT_GE(all.taken, all.asked / 50);
}

TEST(KernelForgery, OfRandomLayoutsIsRefusedOrTrue) {
  counts.clear();
  Engine engine(20261129);
  std::map<Goal, Steps> last;
  const test::MapKind kind{true, 3, kMostPoints, 0, 3};
  for (std::int64_t n = test::cases(3000, 60'000); n > 0; --n) {
    const map::Map random = test::random_map(engine, kind);
    LayoutText text;
    text.map = map::print(random);
    text.logical =
        static_cast<std::size_t>(roll(engine, 0, 3) == 0 ? roll(engine, 0, static_cast<Index>(random.domain().rank()))
                                                         : static_cast<Index>(random.domain().rank()));
    const Map parsed = parse_map(text.map);
    std::vector<Index> box(parsed.outputs, 0);
    for (const Values& p : points(parsed.domain))
      if (const auto place = outputs(parsed.stages, p))
        for (std::size_t j = 0; j < box.size(); ++j)
          box[j] = std::max<Index>(box[j], (*place)[j] + 1 - (roll(engine, 0, 31) == 0 ? 1 : 0));
    text.physical = map::print(*map::Space::create(map::Space::dims("d", box)));
    attack(engine, text, 1, 12, last);
  }
  print_counts();
}

TEST(KernelForgery, OfTheCorpusIsRefusedOrTrue) {
  counts.clear();
  Engine engine(11292026);
  std::map<Goal, Steps> last;
  const test::Shard shard = test::shard_of_about(600, test::corpus().size());
  long long layouts = 0;
  for (std::uint64_t number = 0; number < test::corpus().size(); ++number) {
    if (!shard.has(number)) continue;
    const test::ReadCase read = test::read_case(test::corpus()[number].request);
    const map::Layout* layout = read.subject == nullptr ? nullptr : read.subject->reading.layout();
    if (layout == nullptr || layout->domain().volume() > kMostPoints) continue;
    ++layouts;
    attack(engine, statements::text_for_checker(*layout), 6, 10, last);
  }
  fmt::print("{} layouts\n", layouts);
  print_counts();
  EXPECT_GE(layouts, 100);
}

}  // namespace kernel_forgery_campaign
}  // namespace vl::kernel::tests
