// Binding: what a claim is asked about, made from the texts of its request. The claim says how (claims/offer.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "verifier/checker/certificate.h"
#include "verifier/session/judge.h"

namespace vl::session {

struct Bound {
  std::optional<claims::Subject> about;           // nothing where a layout is undecidable
  std::string undecidable;                        // why
  std::vector<std::string> warnings = {};         // about the second layout
  std::vector<std::shared_ptr<const void>> kept;  // what `about` refers to, besides the reading and the claim's request
  std::vector<checker::DerivedText> derived = {};  // by operations in the texts of the claim
};

/// The diagnostic points into whichever text is wrong. The arguments outlive what is bound.
[[nodiscard]] std::variant<Bound, Diagnostic> bind(const ClaimRequest& claim, const CaseRequest& request,
                                                   const TensorReading& subject, const engines::Options& options);

/// An access with the layout that it names, where it names one: over (lanes, values a lane), to row-major numbers of
/// elements. Error: also Value, where the system of the layout at hand counts otherwise.
struct AccessReading {
  use::Access access;
  std::optional<map::Layout> tv;
  std::vector<checker::DerivedText> derived = {};  // by operations in the text of that layout
};
[[nodiscard]] std::variant<AccessReading, Diagnostic> read_access(const SourceText& access,
                                                                  const TensorReading& subject,
                                                                  std::span<const std::string> sizes = {});

/// The access of a request carried through a layout: the keys access and hardware, read and fitted. Requires: the
/// subject has a layout. `sizes`: names in the access, which are 0 in what comes back.
[[nodiscard]] std::variant<engines::Reach, Diagnostic> read_reach(const SourceText& access, const SourceText& hardware,
                                                                  const TensorReading& subject,
                                                                  std::span<const std::string> sizes = {},
                                                                  std::vector<checker::DerivedText>* derived = nullptr);

/// The bytes that the arguments `capacity` and `base` say of a layout that is no layout of numbers: "24576", "int32",
/// "wormhole dram". Requires: the claim has one of them.
[[nodiscard]] std::variant<Index, Diagnostic> read_bytes(const ClaimRequest& claim, const CaseRequest& request,
                                                         const use::Reading& reading);

/// What the operations in a text give, as certificates state it; what is there already is not added. Of an operation
/// without a law, and of more than 64 operations, there is an entry without a name, which no certificate may have
/// (checker/texts.h).
void add_derived(const std::string& text, const use::Reading& reading, std::vector<checker::DerivedText>& out);

}  // namespace vl::session
