// Programs that are judged, against their execution.
#pragma once

#include <rapidcheck.h>

#include <variant>

#include "encodings/values/state.h"
#include "tests/neutral/program_brute.h"

namespace vl::test {

/// Whether an output differs at the index of a run that refutes, with each of a few choices of functions.
inline bool differs_everywhere(const chain::Program& program, const chain::ProgramRefuted& refuted, WideEngine& random,
                               auto same) {
  for (int run = 0; run < (refuted.on_sets ? 20 : 3); ++run) {
    const Dense dense(program, random, &refuted.assignment);
    const chain::Node& node = program.nodes[refuted.output];
    const Index place = Dense::place_of(node, refuted.at);
    const Code got = dense.padded(refuted.output, place), want = dense.reference(refuted.output, place);
    if (same(*node.type, got, want)) return false;
  }
  return true;
}

/// Executes a program several times: every code, up to the first line that is not proved, lies in its set, and the
/// valid elements of a proved program (of one with leaks those of its outputs) are the `same` as the reference's. A run
/// that refutes does so here. Adds the slots; answers what was judged.
template <class Same>
chain::ProgramAnswer hold_against_execution(const chain::Program& program, WideEngine& random, Same same, int& slots) {
  chain::Judge judge(program);
  auto answer = judge.answer();
  const bool proved = std::holds_alternative<chain::ProgramProved>(answer.verdict);
  const chain::States states(program, {}, judge.images(), false, answer.leaks);
  const std::size_t end = proved || answer.lines.empty() ? program.nodes.size() : answer.lines.back().node;
  for (int run = 0; run < (proved ? 12 : 4); ++run) {
    const Dense dense(program, random);
    for (std::size_t at = 0; at < end; ++at) {
      const chain::Node& node = program.nodes[at];
      const auto sets = states.of(at);
      const bool equal =
          proved && (answer.leaks.empty() || std::ranges::find(program.outputs, at) != program.outputs.end());
      for (Index place = 0; place < Dense::slots(node); ++place, ++slots) {
        const auto region = Dense::region_of(node, Dense::index_of(node, place));
        const Code code = dense.padded(at, place), wanted = dense.reference(at, place);
        const bool in_set = sets[region].contains(code),
                   valid = region != 0 || !equal || same(*node.type, code, wanted);
        if (!in_set || !valid) RC_LOG() << node.name << " " << region << " " << values::in_words(*node.type, code);
        RC_ASSERT(in_set);
        RC_ASSERT(valid);
      }
    }
  }
  if (const auto* refuted = std::get_if<chain::ProgramRefuted>(&answer.verdict))
    RC_ASSERT(differs_everywhere(program, *refuted, random, same));
  return answer;
}

}  // namespace vl::test
