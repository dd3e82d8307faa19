// Arbitrary bytes as a certificate, JSON or CBOR: the checker accepts or says why not, also if the digest fits.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "verifier/values_kernel/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    auto certificate = vl::checker::parse(bytes);
    if (certificate.is_discarded()) return 0;
    static_cast<void>(vl::values_kernel::check(certificate));
    if (!certificate.is_object() || !certificate.contains("statement")) return 0;
    certificate["digest"] = vl::checker::digest(certificate["statement"]);
    static_cast<void>(vl::values_kernel::check(certificate));
  } catch (const vl::checker::Rejected&) {  // a key that is there twice, or bytes behind the object
  }
  return 0;
}
