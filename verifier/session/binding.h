// Binding: what a claim is asked about, made from the texts of its request. The claim says how (claims/offer.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "verifier/session/judge.h"

namespace vl::session {

struct Bound {
  std::optional<claims::Subject> about;           // nothing where a layout is undecidable
  std::string undecidable;                        // why
  std::vector<std::string> warnings = {};         // about the second layout
  std::vector<std::shared_ptr<const void>> kept;  // what `about` refers to, besides the reading and the claim's request
};

/// The diagnostic points into whichever text is wrong. The arguments outlive what is bound.
[[nodiscard]] std::variant<Bound, Diagnostic> bind(const ClaimRequest& claim, const CaseRequest& request,
                                                   const TensorReading& subject, const engines::Options& options);

/// An access with the layout that it names, where it names one: over (lanes, values a lane), to row-major numbers of
/// elements. Error: also Value, where the system of the layout at hand counts otherwise.
struct AccessReading {
  use::Access access;
  std::optional<map::Layout> tv;
};
[[nodiscard]] std::variant<AccessReading, Diagnostic> read_access(const SourceText& access,
                                                                  const TensorReading& subject,
                                                                  std::span<const std::string> sizes = {});

/// The access of a request carried through a layout: the keys access and hardware, read and fitted. Requires: the
/// subject has a layout. `sizes`: names in the access, which are 0 in what comes back.
[[nodiscard]] std::variant<engines::Reach, Diagnostic> read_reach(const SourceText& access, const SourceText& hardware,
                                                                  const TensorReading& subject,
                                                                  std::span<const std::string> sizes = {});

}  // namespace vl::session
