// Flow: from where padding comes to the lines that read it, backwards, up to masks.
#pragma once

#include <set>

#include "verifier/neutral/program/states.h"

namespace vl::neutral::program {

/// One region of an operand, as one line takes it.
struct Edge {
  std::size_t node = 0, reader = 0;
  Region region = 0;
  auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr): a zero of the library
};

struct Flow {
  std::vector<Edge> edges;    // through which padding reaches a source, none of them behind a mask
  std::vector<Edge> covered;  // edges that a mask for every reader stops, where one reader may have another mask
  std::set<Mask> stopped;     // masks where it was stopped: what others of the masks hold reaches no source
};

/// Whatever the sets at the starts depend on. Valid elements are not followed: masks leave them.
[[nodiscard]] Flow flow_to(const Program& program, const std::vector<Edge>& starts, const std::vector<Mask>& masks);

/// What a line reads, as starts.
[[nodiscard]] std::vector<Edge> edges_read(const Program& program, std::size_t line);

}  // namespace vl::neutral::program
