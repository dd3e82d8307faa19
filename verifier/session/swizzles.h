// The texts of a search for a swizzle, and the certificate that there is none.
#pragma once

#include <span>

#include "verifier/claims/proofs/certify_swizzles.h"
#include "verifier/session/binding.h"
#include "verifier/session/certificates.h"

namespace vl::session {

struct SwizzleReading {
  TensorReading subject;  // has a layout
  std::vector<AccessReading> accesses;
  use::Hardware hardware;

  /// Refers to this reading.
  [[nodiscard]] engines::SwizzleTask task() const;
};

/// Reads the accesses and the hardware; the diagnostic points into the text that is wrong.
[[nodiscard]] std::variant<SwizzleReading, Diagnostic> read_swizzle(TensorReading subject,
                                                                    std::span<const SourceText> accesses,
                                                                    const SourceText& hardware);

/// The texts of a search as certificates state them: the arguments "access 1", "access 2", … and "hardware". Of what
/// operations in the accesses' layouts give no evidence is made: such a search is only trusted.
[[nodiscard]] claims::Texts texts_of_search(const CaseRequest& request, const SwizzleReading& read,
                                            std::span<const SourceText> accesses, const SourceText& hardware);

}  // namespace vl::session
