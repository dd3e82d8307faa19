// cert: certificates once more, without any engine; their texts are read again by the session.
#include "verifier/checker/files.h"
#include "verifier/cli/commands.h"
#include "verifier/session/texts_again.h"
#include "verifier/values_kernel/check.h"

namespace vl::cli {

int run_cert(const CertArguments& cert) {
  return checker::check_files(cert.files, session::read_texts_again,
                              {cert.allowed_unread, cert.format == "json", values_kernel::show_claim});
}

}  // namespace vl::cli
