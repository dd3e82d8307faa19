// Verdicts through the C interface: one layout, its claims, and the reports that the command `check` prints.
#include <fmt/format.h>

#include <cstddef>
#include <memory>

#include "encodings/smt/solver.h"
#include "encodings/use/scan.h"
#include "oracle/c/request.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/propositional.h"
#include "verifier/report/report.h"
#include "verifier/session/claim_text.h"
#include "verifier/session/judge.h"
#include "verifier/session/names.h"
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

constexpr double kSeconds = session::kAnswerSeconds;

// The texts of a list; the refusal names it.
std::variant<std::vector<std::string>, Refusal> texts_of(const char* const* list, std::uint64_t count,
                                                         const char* name) {
  std::vector<std::string> out;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (list == nullptr || list[k] == nullptr) return bad(fmt::format("{}: expected a text for each", name));
    out.emplace_back(list[k]);
  }
  return out;
}

std::optional<Refusal> read_claims(const vl_check_request& request, std::vector<session::ClaimRequest>& out) {
  auto texts = texts_of(request.claims, request.claim_count, "claims");
  if (auto* refusal = std::get_if<Refusal>(&texts)) return std::move(*refusal);
  session::ClaimSetting setting;
  if (request.access != nullptr) setting.access = request.access;
  if (request.hardware != nullptr) setting.hardware = request.hardware;
  auto claims = session::claims_of(std::get<std::vector<std::string>>(std::move(texts)), setting);
  if (auto* message = std::get_if<std::string>(&claims)) return bad(std::move(*message));
  out = std::get<std::vector<session::ClaimRequest>>(std::move(claims));
  return std::nullopt;
}

std::optional<Refusal> read_definitions(const vl_check_request& request, std::vector<use::Definition>& out) {
  const auto texts = texts_of(request.definitions, request.definition_count, "definitions");
  if (const auto* refusal = std::get_if<Refusal>(&texts)) return *refusal;
  for (const std::string& text : std::get<std::vector<std::string>>(texts)) {
    auto definition = use::read_definition(text);
    if (!definition) return library::about("define", definition.error());
    out.push_back(std::move(*definition));
  }
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
  std::vector<use::Definition> definitions;
  if (auto refusal = read_claims(request, asked.claims)) return refusal;
  if (auto refusal = read_definitions(request, definitions)) return refusal;
  if (request.where != nullptr) asked.where = session::SourceText::option("--where", request.where);
  out.judged.diagnostic = session::define(asked, definitions);
  out.seconds = request.seconds > 0 ? request.seconds : kSeconds;
  std::optional<std::string> no_tensor;
  if (request.tensor == nullptr && !out.judged.diagnostic) no_tensor = session::state_tensor(asked);
  if (out.judged.diagnostic) {
    out.judged.layout = asked.layout.text, out.judged.tensor = asked.tensor.text;
  } else if (no_tensor) {
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
    const auto known = library::known_part(*request, offsetof(vl_check_request, where));
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
