// Verdicts through the C interface: one layout, its claims, and the reports that the command `check` prints.
#include <fmt/format.h>

#include <memory>

#include "encodings/smt/solver.h"
#include "encodings/use/scan.h"
#include "oracle/c/request.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/propositional.h"
#include "verifier/report/report.h"
#include "verifier/session/claim_text.h"
#include "verifier/session/judge.h"
#include "verifier/session/stated.h"

using namespace vl;
using library::bad;
using library::Refusal;

struct vl_report {
  question::Case judged;
  report::Tally tally;
  double seconds = 0;
};

namespace {

constexpr double kSeconds = 10;

std::optional<Refusal> read_claims(const vl_check_request& request, std::vector<session::ClaimRequest>& out) {
  session::ClaimSetting setting;
  if (request.access != nullptr) setting.access = request.access;
  if (request.hardware != nullptr) setting.hardware = request.hardware;
  for (std::uint64_t k = 0; k < request.claim_count; ++k) {
    if (request.claims == nullptr || request.claims[k] == nullptr) return bad("claims: expected a text for each");
    auto claim = session::claim_of(request.claims[k], setting);
    if (auto* message = std::get_if<std::string>(&claim)) return bad(std::move(*message));
    out.push_back(std::move(std::get<session::ClaimRequest>(claim)));
  }
  return std::nullopt;
}

std::optional<Refusal> bind_names(const vl_check_request& request, std::string& layout) {
  std::vector<use::Definition> definitions;
  for (std::uint64_t k = 0; k < request.definition_count; ++k) {
    if (request.definitions == nullptr || request.definitions[k] == nullptr)
      return bad("definitions: expected a text for each");
    auto definition = use::read_definition(request.definitions[k]);
    if (!definition) return library::about("definitions", definition.error());
    definitions.push_back(std::move(*definition));
  }
  layout = use::bound(layout, definitions);
  return std::nullopt;
}

// Decides in this process: a solver is interrupted when its time is over, and its memory has no limit of its own.
session::JudgeOptions options_of(double seconds) {
  session::JudgeOptions options;
  options.engines = session::engine_options(seconds);
  options.engines.budget.worker.clear();
  return options;
}

std::optional<Refusal> decide(const vl_check_request& request, vl_report& out) {
  const library::Texts texts{request.layout,  request.tensor, request.family, request.box,
                             request.strides, request.rank,   request.offset, request.view_offset};
  if (auto refusal = library::check_members(texts)) return refusal;
  if (request.offset < 0 || request.view_offset < 0) return bad("offset: expected an offset that is not negative");
  if (!(request.seconds >= 0 && request.seconds <= 1e6)) return bad("seconds: expected 0 to 1e6");
  session::CaseRequest asked = library::asked_of(texts, "--");
  if (auto refusal = read_claims(request, asked.claims)) return refusal;
  if (auto refusal = bind_names(request, asked.layout.text)) return refusal;
  out.seconds = request.seconds > 0 ? request.seconds : kSeconds;
  std::optional<std::string> no_tensor;
  if (request.tensor == nullptr) no_tensor = session::state_tensor(asked);
  if (no_tensor) {
    out.judged.layout = asked.layout.text;
    out.judged.skipped = std::move(no_tensor);
  } else {
    out.judged = session::judge(asked, options_of(out.seconds));
  }
  report::count(out.judged, out.tally, {(request.flags & VL_STRICT) != 0, false});
  return std::nullopt;
}

// The case with one of its answers.
question::Case only(const question::Case& c, std::size_t verdict) {
  question::Case out = c;
  out.answers = {c.answers[verdict]};
  return out;
}

std::string written(const vl_report& of, int format, std::int64_t verdict) {
  const question::Case& c = of.judged;
  if (verdict >= 0) {
    const question::Case one = only(c, static_cast<std::size_t>(verdict));
    return format == VL_JSON ? report::case_lines(one) : report::to_text(one, {});
  }
  if (format == VL_TEXT) return report::to_text(c, {}) + report::failures_to_text(of.tally) + report::to_text(of.tally);
  report::Tools tools;
  tools.version = VL_VERSION;
  tools.z3 = smt::z3_version();
  tools.isl = engines::isl_name();
  tools.cadical = engines::cadical_version();
  tools.seconds = of.seconds;
  tools.rlimit = options_of(of.seconds).engines.budget.rlimit;
  return report::to_json(tools, {c}, of.tally);
}

}  // namespace

int vl_check(const vl_check_request* request, vl_report** out, char* why, size_t room) {
  return library::guarded(why, room, [&]() -> Refusal {
    if (out == nullptr) return bad("report: expected where to put the report");
    *out = nullptr;
    if (request == nullptr) return bad("request: expected one");
    const auto known = library::known_part(*request, sizeof(vl_check_request));
    if (!known) return bad("size: expected sizeof(vl_check_request), and members that this version knows");
    auto made = std::make_unique<vl_report>();
    if (auto refusal = decide(*known, *made)) return std::move(*refusal);
    *out = made.release();
    return {VL_OK, {}};
  });
}

int vl_report_code(const vl_report* of) { return report::exit_code(of->tally); }

size_t vl_report_verdicts(const vl_report* of) { return of->judged.answers.size(); }

size_t vl_report_write(const vl_report* of, int format, int64_t verdict, char* text, size_t room) {
  library::put("", text, room);
  const bool known = (format == VL_JSON || format == VL_TEXT) && verdict >= -1 &&
                     verdict < static_cast<std::int64_t>(of->judged.answers.size());
  if (!known) return 0;
  try {
    return library::put(written(*of, format, verdict), text, room);
  } catch (...) {
    return 0;
  }
}

void vl_report_free(vl_report* of) { delete of; }

const char* vl_version(void) { return VL_VERSION; }
