// cert: certificates once more, without any engine; their texts are read again by the session.
#include "verifier/checker/files.h"
#include "verifier/cli/commands.h"
#include "verifier/session/texts_again.h"

namespace vl::cli {
namespace {

checker::Texts read_texts(const checker::Statement& said) {
  const session::TextsAgain again = session::read_texts_again(said);
  switch (again.word) {
    case session::TextsAgain::Word::Same: return {checker::Texts::Word::Same, {}};
    case session::TextsAgain::Word::Different: return {checker::Texts::Word::Different, again.why};
    case session::TextsAgain::Word::NotRead: return {checker::Texts::Word::NotRead, again.why};
  }
  VL_CHECK(false, "unknown word");
}

}  // namespace

int run_cert(const CertArguments& cert) { return checker::check_files(cert.files, read_texts); }

}  // namespace vl::cli
