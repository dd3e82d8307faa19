// verify-layout: the command. Bugs end here as exit code 70; everything else is an answer of a command. As a
// solver's child it is this program, too (smt-worker, which no help names).
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "encodings/smt/solver.h"
#include "verifier/base/result.h"
#include "verifier/certificate/checker/files.h"
#include "verifier/cli/commands.h"

int main(int argc, char** argv) try {
  using namespace vl::cli;
  if (argc > 1 && std::string_view(argv[1]) == vl::smt::kWorker) return vl::smt::run_worker({argv + 2, argv + argc});
  const int code = std::visit(
      vl::overloaded{
          [](const CheckArguments& a) { return run_check(a); },
          [](const ExplainArguments& a) { return run_explain(a); }, [](const ShowArguments& a) { return run_show(a); },
          [](const EqualArguments& a) { return run_equal(a); }, [](const NestsArguments& a) { return run_nests(a); },
          [](const ConvertArguments& a) { return run_convert(a); },
          [](const SwizzleArguments& a) { return run_swizzle(a); }, [](const ExecArguments& a) { return run_exec(a); },
          [](const CompatibleArguments& a) { return run_compatible(a); },
          [](const FuzzArguments& a) { return run_fuzz(a); }, [](const ReplayArguments& a) { return run_replay(a); },
          [](const ListFamilies&) { return run_list_families(); }, [](const ListClaims&) { return run_list_claims(); },
          [](const CertArguments& a) { return vl::certificate::checker::check_files(a.files); },
          [](const ShowVersion&) { return run_version(); }, [](const Done& done) { return done.exit_code; }},
      parse_arguments(argc, argv));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "verify-layout: the output could not be written\n");
    return kBadInput;
  }
  return code;
} catch (const std::exception& bug) {
  fmt::print(stderr, "verify-layout: internal error, please report it: {}\n", bug.what());
  return vl::cli::kInternalError;
}
