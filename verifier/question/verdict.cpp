#include "verifier/question/verdict.h"

#include "encodings/base/result.h"

namespace vl::question {

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::Vacuous: return "vacuous";
    case Reason::Unsupported: return "unsupported";
    case Reason::OutOfReach: return "out-of-reach";
    case Reason::Timeout: return "timeout";
    case Reason::ResourceLimit: return "rlimit";
    case Reason::Memory: return "memout";
    case Reason::Incomplete: return "incomplete";
    case Reason::SolverFault: return "solver-fault";
    case Reason::NotInstalled: return "not-installed";
    case Reason::Interrupted: return "interrupted";
    case Reason::EnginesDisagree: return "engines-disagree";
  }
  VL_CHECK(false, "unknown reason");
}

std::string_view word(const Verdict& verdict) {
  return std::visit(overloaded{[](const Proved&) -> std::string_view { return "proved"; },
                               [](const Refuted&) -> std::string_view { return "refuted"; },
                               [](const Unknown& u) -> std::string_view {
                                 if (u.reason == Reason::Vacuous) return "vacuous";
                                 if (u.reason == Reason::Unsupported) return "unsupported";
                                 return "unknown";
                               }},
                    verdict);
}

std::string why(const Unknown& unknown) {
  if (unknown.reason == Reason::Vacuous || unknown.reason == Reason::Unsupported) return unknown.detail;
  const std::string reason(name(unknown.reason));
  return unknown.detail.empty() || unknown.detail == reason ? reason : reason + ": " + unknown.detail;
}

}  // namespace vl::question
