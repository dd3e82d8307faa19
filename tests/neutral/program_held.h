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

/// Whether a row of an execution, all slots that differ from a place along a dimension, is of a case of a table.
inline bool is_of_a_case(const chain::Program& program, const Dense& dense, std::size_t at, std::size_t dimension,
                         Point index, const chain::RowTable& table) {
  const chain::Node& node = program.nodes[at];
  const chain::Dimension& along = node.dimensions[dimension];
  return std::ranges::any_of(table, [&](const chain::RowCase& row) {
    bool some = false;
    for (index[dimension] = 0; index[dimension] < along.padded(); ++index[dimension]) {
      const Code code = dense.padded(at, Dense::place_of(node, index));
      const bool pad = index[dimension] >= along.size;
      if (!(pad ? row.pads : row.elements).contains(code)) return false;
      some = some || (!pad && row.some.contains(code));
    }
    return some;
  });
}

/// Whether each row of a node, along each of its dimensions, is of a case of its table, and each slot in its set. Adds
/// the rows of tables of several cases.
inline bool rows_are_of_cases(const chain::Program& program, const Dense& dense, chain::RowTables& tables,
                              std::size_t at, int& rows) {
  const chain::Node& node = program.nodes[at];
  for (Index place = 0; place < Dense::slots(node); ++place) {
    const Point index = Dense::index_of(node, place);
    const chain::Region region = Dense::region_of(node, index);
    if (!tables.set(at, region).contains(dense.padded(at, place))) return false;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (index[d] > 0) continue;
      const chain::RowTable& table = tables.of(at, d, region);
      rows += table.size() > 1 ? 1 : 0;
      if (!is_of_a_case(program, dense, at, d, index, table)) return false;
    }
  }
  return true;
}

/// How many lines of an answer were proved case by case.
inline int lines_by_cases(const chain::ProgramAnswer& answer) {
  return static_cast<int>(std::ranges::count_if(answer.lines, [](const chain::LineAnswer& line) {
    const auto* proved = std::get_if<neutral::Proved>(&line.verdict);
    return proved != nullptr && proved->engine == chain::kByCases;
  }));
}

/// Executes a program several times: every code, up to the first line that is not proved, lies in its set, and the
/// valid elements of a proved program (of one with leaks those of its outputs) are the `same` as the reference's. A run
/// that refutes does so here. Rows are of cases of their tables. Adds the slots, and the rows of tables of several
/// cases; answers what was judged.
template <class Same>
chain::ProgramAnswer hold_against_execution(const chain::Program& program, WideEngine& random, Same same, int& slots,
                                            int* rows = nullptr) {
  chain::Judge judge(program);
  auto answer = judge.answer();
  const bool proved = std::holds_alternative<chain::ProgramProved>(answer.verdict);
  const chain::States states(program, {}, judge.images(), false, answer.leaks);
  chain::RowTables tables(program, states, judge.images());
  int counted = 0;
  const std::size_t end = proved || answer.lines.empty() ? program.nodes.size() : answer.lines.back().node;
  for (int run = 0; run < (proved ? 12 : 4); ++run) {
    const Dense dense(program, random);
    for (std::size_t at = 0; at < end; ++at) {
      const chain::Node& node = program.nodes[at];
      const bool of_cases = rows_are_of_cases(program, dense, tables, at, counted);
      if (!of_cases) RC_LOG() << node.name << " has a row of no case";
      RC_ASSERT(of_cases);
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
  if (rows != nullptr) *rows += counted;
  return answer;
}

}  // namespace vl::test
