// What `explore` answers, in its page and in the explorer (oracle/explorer).
#pragma once

#include <string>
#include <vector>

#include "verifier/cli/explore_request.h"
#include "verifier/report/explorer.h"
#include "verifier/session/judge.h"

namespace vl::cli {

struct ExploreAnswer {
  std::vector<question::Case> judged;  // the layout, then the second one
  report::Explored page;               // points into them
  std::string error;                   // why there are not more of them; empty if nothing is wrong

  ExploreAnswer() = default;
  ExploreAnswer(ExploreAnswer&&) = default;  // a copy would point into the cases of the other
  ExploreAnswer& operator=(ExploreAnswer&&) = default;
};

/// Judges the layouts that are asked about with the claims of their families. A layout without a tensor has the one
/// that its own text states; a layout that the page's script cannot evaluate has verdicts and no picture.
[[nodiscard]] ExploreAnswer explore(const ExploreRequest& request, const session::JudgeOptions& options);

}  // namespace vl::cli
