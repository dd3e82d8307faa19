#include "verifier/session/swizzles.h"

#include <fmt/format.h>

#include "verifier/session/hardware.h"

namespace vl::session {

engines::SwizzleTask SwizzleReading::task() const {
  engines::SwizzleTask out{subject.reading.layout(), {}, subject.reading.device_bits, hardware};
  for (const AccessReading& access : accesses)
    out.accesses.push_back({access.access, access.tv ? &*access.tv : nullptr});
  return out;
}

std::variant<SwizzleReading, Diagnostic> read_swizzle(TensorReading subject, std::span<const SourceText> accesses,
                                                      const SourceText& hardware) {
  auto profile = read_hardware(hardware);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&profile)) return *diagnostic;
  SwizzleReading out{std::move(subject), {}, std::move(std::get<use::Hardware>(profile))};
  for (const SourceText& text : accesses) {
    auto access = read_access(text, out.subject);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&access)) return *diagnostic;
    out.accesses.push_back(std::move(std::get<AccessReading>(access)));
  }
  return out;
}

claims::Texts texts_of_search(const CaseRequest& request, const SwizzleReading& read,
                              std::span<const SourceText> accesses, const SourceText& hardware) {
  ClaimRequest search;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    search.arguments.push_back({fmt::format("access {}", i + 1), accesses[i]});
  search.arguments.push_back({"hardware", hardware});
  std::vector<checker::DerivedText> derived;
  for (const AccessReading& access : read.accesses)
    derived.insert(derived.end(), access.derived.begin(), access.derived.end());
  return texts_of(search, request, read.subject, derived);
}

}  // namespace vl::session
