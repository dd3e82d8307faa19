// Comparison: the parts of a claim's subject besides the layout, read from the texts of its request.
#pragma once

#include <optional>
#include <variant>

#include "verifier/session/judge.h"

namespace vl::session {

struct Comparison {
  std::optional<use::Reading> layout;  // the second one
  std::optional<use::Division> division;
  std::optional<use::Operation> operation;
  std::optional<use::Law> law;
  std::optional<engines::Reach> reach;
  Index at = 0;  // the beginning of the second layout's memory in the first one's
  Index base = 0;
};

/// A diagnostic points into the text that is wrong.
[[nodiscard]] std::variant<Comparison, Diagnostic> comparison_of(const ClaimRequest& claim, const CaseRequest& request,
                                                                 const Subject& subject,
                                                                 const engines::Options& options);

/// An access with the layout that it may name: over (lanes, values per lane).
struct AccessReading {
  use::Access access;
  std::optional<map::Layout> tv;
};
[[nodiscard]] std::variant<AccessReading, Diagnostic> read_access(const SourceText& access);

/// The access of a request, carried through a layout: reads the keys access and hardware. Requires: the subject has a
/// layout.
[[nodiscard]] std::variant<engines::Reach, Diagnostic> read_reach(const SourceText& access, const SourceText& hardware,
                                                                  const Subject& subject);

}  // namespace vl::session
