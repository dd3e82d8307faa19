// Answers of engines held against the truth about a small layout.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/truth.h"
#include "verifier/engines/engine.h"

namespace vl::test {

enum class Said { Right, Abstained, Wrong };

/// Compares an engine's answer with the truth. A witness must be genuine, and the smallest one if it says so.
[[nodiscard]] inline Said judge(const Truth& truth, question::Kind kind, const engines::Answer& answer) {
  using question::Kind;
  if (std::holds_alternative<engines::Abstained>(answer)) return Said::Abstained;
  const auto is = [](bool right) { return right ? Said::Right : Said::Wrong; };
  if (kind == Kind::Count) {
    const auto* counted = std::get_if<engines::Counted>(&answer);
    return is(counted != nullptr && counted->count == truth.occupied);
  }
  const bool exists = kind == Kind::Escapes    ? truth.escapes.has_value()
                      : kind == Kind::Lands    ? truth.lands.has_value()
                      : kind == Kind::Collides ? truth.collides.has_value()
                      : kind == Kind::Misses   ? truth.unhit.has_value()
                                               : false;  // Misdecodes: a slot that is hit is valid
  if (std::holds_alternative<engines::None>(answer)) return is(!exists);
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr || !exists) return Said::Wrong;
  const question::Witness& w = found->witness;
  const auto slot = [&](const Point& p) { return truth.slots[static_cast<std::size_t>(number_of(p, truth.domain))]; };
  switch (kind) {
    case Kind::Escapes:
    case Kind::Lands: {
      if (!inside(w.p, truth.domain) || (slot(w.p) < 0) != (kind == Kind::Escapes)) return Said::Wrong;
      return is(!found->minimal || w.p == *(kind == Kind::Escapes ? truth.escapes : truth.lands));
    }
    case Kind::Collides:
      if (!inside(w.p, truth.domain) || !inside(w.q, truth.domain) || !(w.p < w.q)) return Said::Wrong;
      if (slot(w.p) < 0 || slot(w.p) != slot(w.q)) return Said::Wrong;
      return is(!found->minimal || std::pair(w.p, w.q) == *truth.collides);
    case Kind::Misses:
      if (!inside(w.slot, truth.physical)) return Said::Wrong;
      if (truth.hits[static_cast<std::size_t>(number_of(w.slot, truth.physical))] != 0) return Said::Wrong;
      return is(!found->minimal || w.slot == *truth.unhit);
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Differs:
    case Kind::Count:
    case Kind::Crowds: break;
  }
  return Said::Wrong;
}

inline std::string describe(const engines::Answer& answer) {
  return std::visit(overloaded{[](const engines::Found& f) {
                                 return fmt::format("found p [{}] q [{}] slot [{}]{}", fmt::join(f.witness.p, ","),
                                                    fmt::join(f.witness.q, ","), fmt::join(f.witness.slot, ","),
                                                    f.minimal ? " (minimal)" : "");
                               },
                               [](const engines::None&) -> std::string { return "none"; },
                               [](const engines::Counted& c) { return fmt::format("counted {}", c.count); },
                               [](const engines::Abstained& a) { return "abstains: " + a.why; }},
                    answer);
}

}  // namespace vl::test
