// doctor: what of this machine the program finds: versions, engines, the processor's instructions, huge pages. It tells
// what to change where something is missing, and asks a solver one question to see that it answers.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "encodings/smt/solver.h"
#include "encodings/use/family.h"
#include "oracle/cli/commands.h"
#include "oracle/kernels/kernels.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/propositional.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

// One line of the report; `wrong`: answers or speed are missing without it.
struct Finding {
  std::string what;
  std::string found;
  bool wrong = false;
};

// Whether the solvers answer: two layouts whose difference only they and the walk see are asked of each.
Finding engine(const std::string& name) {
  session::CaseRequest request;
  request.layout = session::SourceText::option("--layout", "S[(3,5):(5,3)]");
  request.tensor = session::SourceText::option("--tensor", "u8[3,5]");
  session::ClaimRequest& claim = request.claims.emplace_back();
  claim.claim = claims::find_claim("injective");
  session::JudgeOptions options;
  options.engines = session::engine_options(10);
  options.engines.only = name;
  const question::Case judged = session::judge(request, options);
  const bool answered =
      judged.answers.size() == 1 && std::holds_alternative<question::Proved>(judged.answers.front().verdict);
  return {fmt::format("engine {}", name), answered ? "answers" : "does not answer", !answered};
}

std::string first_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

Finding instructions() {
  std::string names;
  for (const oracle::KernelSet& set : oracle::kernel_sets()) names += fmt::format("{} ", set.name);
  return {"kernels", fmt::format("{}(the last one is used)", names), false};
}

Finding huge_pages() {
  const std::string line = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  const bool never = line.find("[never]") != std::string::npos;
  return {"huge pages",
          line.empty() ? "not known"
          : never      ? "never: large tensors move more slowly; `echo madvise > "
                         "/sys/kernel/mm/transparent_hugepage/enabled` allows them"
                       : line,
          false};
}

Finding second_opinion() {
  const auto version = smt::cvc5_version(session::engine_options(10).budget);
  return {"cvc5", version ? *version : "not installed: --cross-check asks it where it is in the PATH", false};
}

}  // namespace

int run_doctor() {
  std::vector<Finding> findings{{"verify-layout", VL_VERSION, false},
                                {"Z3", smt::z3_version(), false},
                                {"isl", engines::isl_name(), false},
                                {"CaDiCaL", engines::cadical_version(), false},
                                second_opinion()};
  for (const char* name : {"strided", "enumerate", "presburger", "propositional", "smt"})
    findings.push_back(engine(name));
  std::string families;
  for (const use::Family* family : use::families()) families += fmt::format("{} ", family->name);
  findings.push_back({"families", families, families.empty()});
  findings.push_back(instructions());
  findings.push_back({"threads", fmt::format("{}", std::thread::hardware_concurrency()), false});
  findings.push_back(huge_pages());
  std::size_t wrong = 0;
  for (const Finding& finding : findings) {
    fmt::print("{} {:<20} {}\n", finding.wrong ? "WRONG" : "     ", finding.what, finding.found);
    wrong += finding.wrong ? 1 : 0;
  }
  fmt::print("{}\n", wrong == 0 ? "nothing is missing" : fmt::format("{} wrong", wrong));
  return wrong == 0 ? 0 : kUndecided;
}

}  // namespace vl::cli
