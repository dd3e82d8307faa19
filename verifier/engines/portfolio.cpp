// The portfolio: closed forms, ranks over GF(2), then a walk over at most 2^20 points, then isl, then Z3, then a longer
// walk. The first that decides wins (panel.h).
#include <array>

#include "verifier/engines/panel.h"

namespace vl::engines {
namespace {

using question::Kind;

constexpr Index kShortWalk = Index{1} << 20;
constexpr Index kEarly = Index{1} << 18;

constexpr std::array<Engine, 8> kEngines = {{
    {"strided", "greedy digits of strided offsets in independent blocks; closed forms, any size", decide_strided},
    {"gf2", "boxes and weights of powers of two, additions without carries, any swizzles; ranks over GF(2), any size",
     decide_gf2},
    {"linear", "sums of bounded digits; linear equations over a box: bounds, divisors, splits, any size",
     decide_linear},
    {"sums", "collisions and counts of sums of digits, up to 2^30 slots; one bit a sum, any number of points",
     decide_sums},
    {"enumerate", "any map, up to 2^28 points and slots; every point, one bit a slot", decide_enumerate},
    {"presburger", "any map without swizzles; linear equations and inequalities over the integers, isl",
     decide_presburger},
    {"propositional", "questions about points, any map of few bits; the checker's clauses, CaDiCaL",
     decide_propositional},
    {"smt", "any map; linear arithmetic over digits, bit-vectors with swizzles; Z3", decide_smt},
}};

constexpr std::array<Engine, 2> kSecondOpinions = {{
    {"smt-2", "as smt, in a second encoding: the other theory, div and mod, swizzles bit by bit; Z3", decide_smt_2},
    {"cvc5", "as smt, on the SMT-LIB text; the program cvc5", decide_cvc5},
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

}  // namespace

std::span<const Engine> engines() { return kEngines; }
std::span<const Engine> second_opinions() { return kSecondOpinions; }

const Engine& find_engine(std::string_view name) {
  const auto found = std::ranges::find(kEngines, name, &Engine::name);
  VL_CHECK(found != kEngines.end(), "there is no engine of that name");
  return *found;
}

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
  return std::visit(
      overloaded{[](const Found&) -> std::string { return "found a witness"; },
                 [](const None&) -> std::string { return "there is none"; },
                 [](const Counted& c) { return fmt::format("counted {}", c.count); },
                 [](const Abstained& a) { return fmt::format("abstains ({}): {}", question::name(a.reason), a.why); }},
      answer);
}

void weigh(Decision& decision, std::string_view question, std::string_view engine, Answer answer) {
  const bool first = !decided(decision.answer);
  if (!first && decided(answer) && !agree(answer, decision.answer)) {
    decision.disagreement = true;
    decision.disagreements.push_back({question, {decision.engine, decision.answer}, {engine, answer}});
  }
  if (first) decision.engine = engine;
  const auto* found = std::get_if<Found>(&answer);
  if (first || (found != nullptr && found->minimal)) decision.answer = std::move(answer);
}

Decision cross_examine(const Question& question, const Options& options, std::span<const Engine> panel) {
  return ask_all(panel, question, options);
}

Decision decide(const Question& question, const Options& options) {
  if (options.dump)
    if (const std::string text = smtlib_of(question); !text.empty()) options.dump(question::name(question.kind), text);
  if (options.dump && options.cross_check)
    if (const std::string text = smtlib_2_of(question); !text.empty())
      options.dump(fmt::format("{}.smt-2", question::name(question.kind)), text);
  std::vector<Engine> panel = everybody(engines(), second_opinions(), options);
  for (Engine& engine : panel)
    if (const auto other = std::ranges::find(options.instead, engine.name, &Engine::name);
        other != options.instead.end())
      engine = *other;
  // A walk of a second costs more than most solver calls, so long ones come last.
  const bool late = !options.cross_check && !is_short(question);
  Decision decision = options.cross_check
                          ? cross_examine(question, options, panel)
                          : ask_in_turn<Engine>(late ? walk_last<Engine>(panel) : panel, question, options);

  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal) return decision;
  if (is_short(question)) {
    const Answer smallest = decide_enumerate(question, options);
    VL_CHECK(!std::holds_alternative<None>(smallest), "the walk misses a witness that replays");
    if (const auto* better = std::get_if<Found>(&smallest)) *found = *better;
  } else if (auto early = first_early(question, kEarly / replicas_of(question))) {
    *found = Found{std::move(*early), true};
  }
  VL_CHECK(question::replay(question, found->witness), "the smallest witness does not replay");
  return decision;
}

}  // namespace vl::engines
