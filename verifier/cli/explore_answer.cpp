#include "verifier/cli/explore_answer.h"

#include "verifier/report/report.h"
#include "verifier/session/stated.h"

namespace vl::cli {
namespace {

session::CaseRequest asked(const std::string& layout, const std::string& tensor) {
  session::CaseRequest out;
  out.layout = session::SourceText::option("layout", layout);
  out.tensor = session::SourceText::option("tensor", tensor);
  out.strides_text = session::SourceText::option("strides", "");
  return out;
}

}  // namespace

ExploreAnswer explore(const ExploreRequest& request, const session::JudgeOptions& options) {
  ExploreAnswer out;
  out.judged.reserve(2);  // the page points into them
  for (const std::string& layout : {request.layout, request.with}) {
    if (layout.empty()) continue;
    session::CaseRequest one = asked(layout, request.tensor);
    if (request.tensor.empty())
      if (auto why = session::state_tensor(one)) {
        out.error = std::move(*why);
        return out;
      }
    const question::Case& judged = out.judged.emplace_back(session::judge(one, options));
    if (judged.diagnostic) out.error = to_string(*judged.diagnostic);
    out.page.verdicts += judged.diagnostic ? "" : report::to_text(judged, {});
    const map::Layout* found = judged.reading ? judged.reading->layout() : nullptr;
    if (found == nullptr || !report::can_explore(*found)) continue;
    out.page.sides.push_back({found, layout, judged.tensor, judged.reading->device_bits});
  }
  return out;
}

}  // namespace vl::cli
