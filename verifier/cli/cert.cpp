// cert: certificates once more, without any engine; their texts are read again.
#include "verifier/checker/files.h"
#include "verifier/cli/commands.h"
#include "verifier/programs/certificates.h"
#include "verifier/values_kernel/check.h"

namespace vl::cli {

int run_cert(const CertArguments& cert) {
  const auto read = [&](const checker::Statement& said) { return programs::read_texts_again(said, cert.against); };
  return checker::check_files(cert.files, read,
                              {cert.allowed_unread, cert.format == "json", values_kernel::show_claim});
}

}  // namespace vl::cli
