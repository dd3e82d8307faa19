// The portfolio: closed forms, then a walk over at most 2^20 points, then the solver, then a longer walk. The first
// that decides wins. Under cross-check everybody is asked, and two different decisions are a bug somewhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verifier/engines/engine.h"

namespace vl::engines {
namespace {

using certificate::Kind;

constexpr Index kShortWalk = Index{1} << 20;
constexpr Index kEarly = Index{1} << 18;

constexpr std::array<Engine, 3> kEngines = {{
    {"strided", "greedy digits of strided offsets in independent blocks; closed forms, any size", decide_strided},
    {"enumerate", "any map, up to 2^28 points and slots; every point, one bit a slot", decide_enumerate},
    {"smt", "any map; linear arithmetic over digits, bit-vectors with swizzles; Z3", decide_smt},
}};

bool is_short(const Question& question) {
  const bool slots = question.kind != Kind::Differs;  // one bit each, except of comparisons
  const auto small = [&](const map::Layout& layout) {
    return layout.domain().volume() <= kShortWalk && (!slots || layout.physical().volume() <= 16 * kShortWalk);
  };
  return small(*question.layout) && (question.other == nullptr || small(*question.other));
}

// How many places of one element a comparison looks at.
Index replicas_of(const Question& question) {
  if (question.kind != Kind::Differs) return 1;
  return std::max({Index{1}, question.layout->replicas().volume(), question.other->replicas().volume()});
}

Decision undecided() { return {Abstained{Reason::OutOfReach, "no engine was asked"}, {}, {}, false}; }

Answer ask(const Engine& engine, const Question& question, const Options& options, Decision& decision) {
  const auto other = std::ranges::find(options.instead, engine.name, &Engine::name);
  Answer answer = (other == options.instead.end() ? engine : *other).decide(question, options);
  decision.attempts.push_back({engine.name, fmt::format("{}: {}", certificate::name(question.kind), describe(answer))});
  if (const auto* found = std::get_if<Found>(&answer))
    VL_CHECK(certificate::replay(question, found->witness),
             fmt::format("the {} engine's witness for '{}' does not replay", engine.name,
                         certificate::name(question.kind)));
  return answer;
}

void ask_in_turn(const Question& question, const Options& options, Decision& decision) {
  // A walk of a second costs more than most solver calls, so long ones come last.
  const bool walk_early = is_short(question);
  const std::array<const Engine*, 3> order = {&kEngines[0], &kEngines[walk_early ? 1 : 2], &kEngines[walk_early ? 2 : 1]};
  for (const Engine* engine : order) {
    if (!options.only.empty() && options.only != engine->name) continue;
    decision.answer = ask(*engine, question, options, decision);
    decision.engine = engine->name;
    if (decided(decision.answer)) return;
  }
}

}  // namespace

std::span<const Engine> engines() { return kEngines; }

bool decided(const Answer& answer) { return !std::holds_alternative<Abstained>(answer); }

// Minimal witnesses have to be the same. Others all replay, and need not be.
bool agree(const Answer& a, const Answer& b) {
  if (a.index() != b.index()) return false;
  const auto* found = std::get_if<Found>(&a);
  const auto* other = std::get_if<Found>(&b);
  if (found != nullptr && found->minimal && other->minimal) return found->witness == other->witness;
  const auto* count = std::get_if<Counted>(&a);
  return count == nullptr || count->count == std::get<Counted>(b).count;
}

std::string describe(const Answer& answer) {
  return std::visit(overloaded{[](const Found&) -> std::string { return "found a witness"; },
                               [](const None&) -> std::string { return "there is none"; },
                               [](const Counted& c) { return fmt::format("counted {}", c.count); },
                               [](const Abstained& a) {
                                 return fmt::format("abstains ({}): {}", certificate::name(a.reason), a.why);
                               }},
                    answer);
}

Decision cross_examine(const Question& question, const Options& options, std::span<const Engine> panel) {
  Decision decision = undecided();
  for (const Engine& engine : panel) {
    Answer answer = ask(engine, question, options, decision);
    const bool first = !decided(decision.answer);
    if (first) decision.engine = engine.name;
    if (decided(answer) && !first && !agree(answer, decision.answer)) decision.disagreement = true;
    const auto* found = std::get_if<Found>(&answer);
    if (first || (found != nullptr && found->minimal)) decision.answer = std::move(answer);
  }
  return decision;
}

Decision decide(const Question& question, const Options& options) {
  if (options.dump)
    if (const std::string text = smtlib_of(question); !text.empty()) options.dump(certificate::name(question.kind), text);
  Decision decision = options.cross_check ? cross_examine(question, options, kEngines) : undecided();
  if (!options.cross_check) ask_in_turn(question, options, decision);

  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal) return decision;
  if (is_short(question)) {
    const Answer smallest = decide_enumerate(question, options);
    VL_CHECK(!std::holds_alternative<None>(smallest), "the walk misses a witness that replays");
    if (const auto* better = std::get_if<Found>(&smallest)) *found = *better;
  } else if (auto early = first_early(question, kEarly / replicas_of(question))) {
    *found = Found{std::move(*early), true};
  }
  VL_CHECK(certificate::replay(question, found->witness), "the smallest witness does not replay");
  return decision;
}

}  // namespace vl::engines
