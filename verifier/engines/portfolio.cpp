// The portfolio: closed forms, ranks over GF(2), then a short walk, then isl, CaDiCaL and Z3, then a longer walk. The
// first that decides wins.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verifier/engines/engine.h"
#include "verifier/engines/smallest/smallest.h"
#include "verifier/question/access.h"

namespace vl::engines {
namespace {

constexpr std::string_view kWalk = "enumerate";
constexpr Index kShortWalk = Index{1} << 20;
constexpr Index kShortList = Index{1} << 12;      // in however many slots
constexpr Index kShortRun = Index{1} << 16;       // moves, and elements of either side
constexpr Index kShortBankWalk = Index{1} << 18;  // lanes of instances
constexpr Index kEarly = Index{1} << 18;
constexpr Index kEarlyLanes = Index{1} << 14;

// The engine on the shapes that it knows.
template <auto of_layouts, auto of_nests, auto of_accesses>
Answer by(const Query& query, const Options& options) {
  const auto ask = [&](auto decide, const auto& question) -> Answer {
    if constexpr (std::is_null_pointer_v<decltype(decide)>) return abstain("not for relations of this shape");
    else return decide(question, options);
  };
  return std::visit(overloaded{[&](const Question& asked) { return ask(of_layouts, asked); },
                               [&](const TransferQuestion& asked) { return ask(of_nests, asked); },
                               [&](const BankQuestion& asked) { return ask(of_accesses, asked); }},
                    query.of);
}

template <auto decide>
Answer unless_empty(const Query& query, const Options& options) {
  auto known = decide_empty(query);
  return known ? std::move(*known) : decide(query, options);
}

constexpr std::array<Engine, 8> kEngines = {{
    {"strided", "strided offsets in independent blocks, nests and layouts of affine pieces; closed forms, any size",
     unless_empty<by<decide_strided, decide_transfer_strided, nullptr>>},
    {"gf2", "boxes and weights of powers of two, additions without carries, any swizzles; ranks over GF(2), any size",
     unless_empty<by<decide_gf2, nullptr, decide_banks_gf2>>},
    {"linear", "sums of bounded digits; linear equations over a box: bounds, divisors, splits, any size",
     unless_empty<by<decide_linear, nullptr, nullptr>>},
    {"sums", "collisions and counts of sums of digits, up to 2^30 slots; one bit a sum, any number of points",
     unless_empty<by<decide_sums, nullptr, nullptr>>},
    {kWalk,
     "any map up to 2^28 points and slots, 2^24 in any box, nests up to 2^22 moves, 2^24 lanes of instances; every "
     "point",
     decide_enumerate},
    {"presburger", "maps without swizzles, nests; linear equations and inequalities over the integers, isl",
     unless_empty<decide_presburger>},
    {"propositional", "questions about points, any map of few bits; clauses, CaDiCaL",
     unless_empty<by<decide_propositional, nullptr, nullptr>>},
    {"smt", "any map; linear arithmetic over digits, bit-vectors with swizzles; Z3", unless_empty<decide_smt>},
}};

constexpr std::array<Engine, 2> kSecondOpinions = {{
    {"smt-2", "as smt, in a second encoding: the other theory, div and mod, swizzles bit by bit; Z3",
     unless_empty<decide_smt_2>},
    {"cvc5", "as smt, on the SMT-LIB text; the program cvc5", unless_empty<decide_cvc5>},
}};

bool is_short_walk(const Question& question) {
  const bool slots = question.kind != Kind::Differs;  // one bit each, except of comparisons
  const auto small = [&](const map::Layout& layout) {
    const Index points = layout.domain().volume();
    return points <= kShortList || (points <= kShortWalk && (!slots || layout.physical().volume() <= 16 * kShortWalk));
  };
  return small(*question.layout) && (question.other == nullptr || small(*question.other));
}

bool is_short_walk(const TransferQuestion& question) {
  for (const use::Memory* memory : {question.source, question.destination})
    if (memory->layout.domain().volume() > kShortRun) return false;
  Index moves = 0;
  for (const use::Nest& nest : question.transfer->nests) {
    const auto count = checked_product(nest.extents);
    if (!count || *count > kShortRun - moves) return false;
    moves += *count;
  }
  return true;
}

bool is_short_walk(const BankQuestion& question) { return question.reach->bytes.domain().volume() <= kShortBankWalk; }

bool is_short(const Query& query) {
  return std::visit([](const auto& asked) { return is_short_walk(asked); }, query.of);
}

// In the place of a long walk, which comes last. Of accesses one of the first instances often will do.
Answer decide_early(const Query& query, const Options&) {
  if (query.kind() == Kind::Crowds)
    if (auto early = first_early(query, kEarlyLanes)) return Found{std::move(*early), true};
  return abstain("a long walk comes last");
}

// Who is asked: under cross-check all of them and the second opinions; a second opinion only, when it is asked for by
// name.
std::vector<Engine> panel_of(const Query& query, const Options& options) {
  const bool by_name = std::ranges::find(kSecondOpinions, options.only, &Engine::name) != kSecondOpinions.end();
  std::vector<Engine> panel;
  if (!by_name) panel.assign(kEngines.begin(), kEngines.end());
  if (by_name || options.cross_check) panel.insert(panel.end(), kSecondOpinions.begin(), kSecondOpinions.end());
  for (Engine& engine : panel)
    if (const auto other = std::ranges::find(options.instead, engine.name, &Engine::name);
        other != options.instead.end())
      engine = *other;
  // A walk of a second costs more than most solver calls.
  const auto walk = std::ranges::find(panel, kWalk, &Engine::name);
  if (options.cross_check || walk == panel.end() || is_short(query)) return panel;
  const Engine last = *walk;
  walk->decide = decide_early;
  panel.push_back(last);
  return panel;
}

// One engine's answer. A witness that does not replay is a bug, or no answer: a program that we only call may say what
// it likes, and of many moves replay() may not be able to tell.
Answer ask(const Engine& engine, const Query& query, const Options& options, Decision& decision) {
  Answer answer = options.budget.stopped() ? Answer(ended(options.budget)) : engine.decide(query, options);
  const std::string_view kind = question::name(query.kind());
  if (const auto* found = std::get_if<Found>(&answer); found != nullptr && !question::replay(query, found->witness)) {
    const bool ours = engine.name != "cvc5";
    VL_CHECK(!ours || (std::holds_alternative<TransferQuestion>(query.of) && !is_short(query)),
             fmt::format("the {} engine's witness for '{}' does not replay", engine.name, kind));
    answer =
        Abstained{ours ? Reason::OutOfReach : Reason::SolverFault, "its witness could not be replayed by evaluation"};
  }
  const bool yes = decided(answer);
  decision.attempts.push_back({engine.name, fmt::format("{}: {}{}{}", kind, describe(answer),
                                                        yes ? "; its fragment: " : "", yes ? engine.fragment : "")});
  return answer;
}

// What is told of several abstentions: that a budget ran out, since with more of it the question may be decided; else
// what the last one said.
int weight(Reason reason) {
  switch (reason) {
    case Reason::Interrupted: return 4;
    case Reason::Timeout: return 3;
    case Reason::ResourceLimit: return 2;
    case Reason::Memory: return 1;
    case Reason::Vacuous:
    case Reason::Unsupported:
    case Reason::OutOfReach:
    case Reason::Incomplete:
    case Reason::SolverFault:
    case Reason::NotInstalled:
    case Reason::EnginesDisagree: return 0;
  }
  VL_CHECK(false, "unknown reason");
}

bool tells_more(const Answer& now, const Answer& before) {
  const auto* a = std::get_if<Abstained>(&now);
  const auto* b = std::get_if<Abstained>(&before);
  return a == nullptr || b == nullptr || weight(a->reason) >= weight(b->reason);
}

Decision nobody(std::string why) { return {abstain(std::move(why)), {}, {}, false, {}}; }

Decision ask_in_turn(std::span<const Engine> panel, const Query& query, const Options& options) {
  Decision decision = nobody("no engine was asked");
  for (const Engine& engine : panel) {
    if (!options.only.empty() && options.only != engine.name) continue;
    Answer answer = ask(engine, query, options, decision);
    if (!tells_more(answer, decision.answer)) continue;
    decision.answer = std::move(answer);
    decision.engine = engine.name;
    if (decided(decision.answer)) break;
  }
  return decision;
}

// Of nests whose numbers leave 64 bits: only whether they escape means something, and only strided counts in 128 bits.
std::optional<Decision> beyond_bits(const Query& query, const Options& options) {
  const auto* asked = std::get_if<TransferQuestion>(&query.of);
  if (asked == nullptr) return std::nullopt;
  for (const use::Nest& nest : asked->transfer->nests) {
    const auto problem = use::problem_of(nest);
    if (!problem) continue;
    if (asked->kind != Kind::Escapes) return nobody(problem->message);
    return cross_examine(query, options, std::span(kEngines).first(1));
  }
  return std::nullopt;
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
  const bool first = !decided(decision.answer) && tells_more(answer, decision.answer);
  if (decided(decision.answer) && decided(answer) && !agree(answer, decision.answer)) {
    decision.disagreement = true;
    decision.disagreements.push_back({question, {decision.engine, decision.answer}, {engine, answer}});
  }
  if (first) decision.engine = engine;
  const auto* found = std::get_if<Found>(&answer);
  if (first || (found != nullptr && found->minimal)) decision.answer = std::move(answer);
}

Decision cross_examine(const Query& query, const Options& options, std::span<const Engine> panel) {
  Decision decision = nobody("no engine was asked");
  for (const Engine& engine : panel)
    weigh(decision, question::name(query.kind()), engine.name, ask(engine, query, options, decision));
  return decision;
}

Decision decide(const Query& query, const Options& asked) {
  Options options = asked;
  options.budget = asked.budget.begun();
  if (auto decision = beyond_bits(query, options)) return std::move(*decision);
  if (options.dump && !decide_empty(query)) dump_obligations(query, options);
  const std::vector<Engine> panel = panel_of(query, options);
  Decision decision = options.cross_check ? cross_examine(query, options, panel) : ask_in_turn(panel, query, options);
  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal) return decision;
  if (is_short(query)) {
    const Answer walked = decide_enumerate(query, options);
    VL_CHECK(!std::holds_alternative<None>(walked), "the walk misses a witness that replays");
    if (const auto* better = std::get_if<Found>(&walked)) *found = *better;  // a walk may run out of time
  } else if (auto early = first_early(query, std::holds_alternative<BankQuestion>(query.of) ? kEarlyLanes : kEarly)) {
    *found = Found{std::move(*early), true};
  } else if (auto first = smallest(query, found->witness, options)) {
    *found = Found{std::move(*first), true};
  }
  VL_CHECK(std::holds_alternative<TransferQuestion>(query.of) || question::replay(query, found->witness),
           "the smallest witness does not replay");
  return decision;
}

}  // namespace vl::engines
