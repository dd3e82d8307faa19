// The portfolio for transfers: affine sets first, then running the moves when they are few.
#include <fmt/format.h>

#include <array>

#include "verifier/engines/transfer.h"

namespace vl::engines {
namespace {

constexpr std::array<TransferEngine, 2> kEngines = {{
    {"strided", decide_transfer_strided},
    {"enumerate", decide_transfer_enumerate},
}};

std::string describe(const Answer& answer) {
  return std::visit(overloaded{[](const Found&) -> std::string { return "found a witness"; },
                               [](const None&) -> std::string { return "there is none"; },
                               [](const Counted& c) { return fmt::format("counted {}", c.count); },
                               [](const Abstained& a) {
                                 return fmt::format("abstains ({}): {}", certificate::name(a.reason), a.why);
                               }},
                    answer);
}

bool decided(const Answer& answer) { return !std::holds_alternative<Abstained>(answer); }

// Two witnesses that are minimal have to be the same.
bool agree(const Answer& a, const Answer& b) {
  const auto* found = std::get_if<Found>(&a);
  const auto* other = std::get_if<Found>(&b);
  if (found != nullptr && other != nullptr)
    return !found->minimal || !other->minimal || found->witness == other->witness;
  return a.index() == b.index();
}

}  // namespace

std::span<const TransferEngine> transfer_engines() { return kEngines; }

Decision decide(const TransferQuestion& question, const Options& options) {
  Decision decision{Abstained{Reason::OutOfReach, "no engine was asked"}, {}, {}, false};
  for (const TransferEngine& engine : kEngines) {
    if (!options.only.empty() && options.only != engine.name) continue;
    Answer answer = engine.decide(question, options);
    if (const auto* found = std::get_if<Found>(&answer))
      if (!certificate::replay(question, found->witness))
        answer = Abstained{Reason::OutOfReach, "its witness could not be replayed by evaluation"};
    decision.attempts.push_back({engine.name, fmt::format("{}: {}", certificate::name(question.kind), describe(answer))});
    const bool first = !decided(decision.answer);
    if (!first && decided(answer) && !agree(answer, decision.answer)) decision.disagreement = true;
    if (first) {
      decision.answer = std::move(answer);
      decision.engine = engine.name;
    }
    if (decided(decision.answer) && !options.cross_check) break;
  }
  return decision;
}

}  // namespace vl::engines
