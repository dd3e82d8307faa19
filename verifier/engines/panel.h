// Panel: how a list of engines is asked one question; the same for layouts, accesses and loop nests. In turn, the first
// that decides wins. Under cross-check everybody is asked, and two that decide differently are a bug somewhere.
//
// An engine's row has its name, its fragment in words and decide(question, options); replay(question, witness) checks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "verifier/engines/engine.h"

namespace vl::engines {

constexpr std::string_view kWalk = "enumerate";

[[nodiscard]] inline Decision nobody() {
  return {Abstained{Reason::OutOfReach, "no engine was asked"}, {}, {}, false, {}};
}

/// Who is asked: under cross-check all of them and the second opinions; a second opinion only, when it is asked for by
/// name.
template <class Engine>
[[nodiscard]] std::vector<Engine> everybody(std::span<const Engine> panel, std::span<const Engine> second,
                                            const Options& options) {
  const bool by_name = std::ranges::find(second, options.only, &Engine::name) != second.end();
  std::vector<Engine> out;
  if (!by_name) out.assign(panel.begin(), panel.end());
  if (by_name || options.cross_check) out.insert(out.end(), second.begin(), second.end());
  return out;
}

/// The engine that walks over everything comes last; in its place it says so.
template <class Engine>
[[nodiscard]] std::vector<Engine> walk_last(std::span<const Engine> panel) {
  std::vector<Engine> order(panel.begin(), panel.end());
  const auto walk = std::ranges::find(order, kWalk, &Engine::name);
  if (walk == order.end()) return order;
  const Engine last = *walk;
  walk->decide = [](const auto&, const Options&) -> Answer {
    return Abstained{Reason::OutOfReach, "a long walk comes last"};
  };
  order.push_back(last);
  return order;
}

/// One engine's answer. A witness that does not replay is a bug, or, unless it must replay, no answer. A program that
/// we only call may say what it likes.
template <class Engine, class Question>
Answer ask(const Engine& engine, const Question& question, const Options& options, Decision& decision,
           bool must_replay = true) {
  Answer answer = engine.decide(question, options);
  if (const auto* found = std::get_if<Found>(&answer); found != nullptr && !replay(question, found->witness)) {
    const bool ours = engine.name != "cvc5";
    VL_CHECK(!ours || !must_replay,
             fmt::format("the {} engine's witness for '{}' does not replay", engine.name, name(question.kind)));
    answer =
        Abstained{ours ? Reason::OutOfReach : Reason::SolverFault, "its witness could not be replayed by evaluation"};
  }
  const bool yes = !std::holds_alternative<Abstained>(answer);
  decision.attempts.push_back({engine.name, fmt::format("{}: {}{}{}", name(question.kind), describe(answer),
                                                        yes ? "; its fragment: " : "", yes ? engine.fragment : "")});
  return answer;
}

template <class Engine, class Question>
[[nodiscard]] Decision ask_in_turn(std::span<const Engine> panel, const Question& question, const Options& options,
                                   bool must_replay = true) {
  Decision decision = nobody();
  for (const Engine& engine : panel) {
    if (!options.only.empty() && options.only != engine.name) continue;
    decision.answer = ask(engine, question, options, decision, must_replay);
    decision.engine = engine.name;
    if (decided(decision.answer)) break;
  }
  return decision;
}

/// Two that decide differently make a disagreement; one that abstains changes nothing. The smallest witness wins.
template <class Engine, class Question>
[[nodiscard]] Decision ask_all(std::span<const Engine> panel, const Question& question, const Options& options,
                               bool must_replay = true) {
  Decision decision = nobody();
  for (const Engine& engine : panel)
    weigh(decision, name(question.kind), engine.name, ask(engine, question, options, decision, must_replay));
  return decision;
}

}  // namespace vl::engines
