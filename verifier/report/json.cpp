// The machine-readable reports. People also read them, and the field order matters to them, hence ordered_json.
// An unknown number is null, never 0.
#include "verifier/report/json_parts.h"
#include "verifier/report/report.h"
#include "verifier/report/trust_json.h"

namespace vl::report {
namespace {

using question::Proved;
using question::Refuted;
using question::Unknown;

constexpr std::string_view kSchema = "verify-layout/1";

Json expectation(const std::optional<Expectation>& expected) {
  if (!expected) return nullptr;
  return std::visit([](const auto& value) { return Json(value); }, *expected);
}

Json counterexample(const question::Counterexample& counter, const Answer& answer) {
  Json out = Json::object();
  if (answer.all_sizes)
    for (const auto& [name, size] : answer.all_sizes->sizes) out["sizes"][name] = size;
  for (const auto& [field, value] : counter.fields)
    out[field] = std::visit([](const auto& v) { return Json(v); }, value);
  return out;
}

std::string_view name(use::PaddingMeans means) {
  switch (means) {
    case use::PaddingMeans::Fill: return "fill";
    case use::PaddingMeans::Mask: return "mask";
    case use::PaddingMeans::Hardware: return "hardware";
  }
  VL_CHECK(false, "unknown means");
}

void add_operation(Json& out, const OperationView& view) {
  out["dims"] = Json::object();
  for (const use::OperationDim& dim : view.dims) out["dims"][dim.name] = dim.extent;
  out["operands"] = Json::array();
  for (const OperationView::Operand& operand : view.operands)
    out["operands"].push_back({{"name", operand.role},
                               {"tensor", operand.tensor},
                               {"layout", operand.layout},
                               {"scales", operand.scales},
                               {"stick", operand.stick}});
  if (!view.padding) return;
  out["padding"] = view.no_plan.empty() ? Json::array() : Json(nullptr);
  if (!view.no_plan.empty()) out["no_padding_plan"] = view.no_plan;
  for (const auto& [need, value, assumes] : *view.padding) {
    if (!view.no_plan.empty()) break;
    Json ranges = Json::array();
    for (const use::SlotRange& range : need.ranges) ranges.push_back(Json::array({range.first, range.count}));
    out["padding"].push_back({{"operand", need.operand},
                              {"dim", view.dims[need.dim].name},
                              {"from", need.from},
                              {"to", need.to},
                              {"means", name(need.means)},
                              {"value", value},
                              {"assumes", assumes},
                              {"slots", need.slots},
                              {"missing", need.missing},
                              {"ranges", std::move(ranges)},
                              {"complete", need.complete}});
  }
}

Json side(const Conflict::Side& side) {
  Json out{{"engine", side.engine}, {"said", side.said}, {"witness", nullptr}};
  for (const auto& [name, point] : side.witness) out["witness"][name] = point;
  return out;
}

void add_conflicts(Json& out, const Answer& answer) {
  out["disagreements"] = Json::array();
  for (const Conflict& conflict : answer.conflicts)
    out["disagreements"].push_back(
        {{"question", conflict.question}, {"engines", Json::array({side(conflict.one), side(conflict.other)})}});
  out["with"] = answer.with.empty() ? Json(nullptr) : Json(answer.with);
  out["smtlib"] = answer.smtlib;
  out["reproduce"] = answer.reproduce;
}

// The place of a case: null for an option of the command line.
void add_place(Json& out, const Place& place) {
  const bool file = !place.file.empty() && !place.file.starts_with("--");
  out["file"] = file ? Json(place.file) : Json(nullptr);
  out["line"] = file && place.line > 0 ? Json(place.line) : Json(nullptr);
}

Json asked_of(const Answer& answer) {
  Json out = Json::object();
  for (const auto& [key, text] : answer.asked) out[key] = text;
  return out;
}

// [["P >= N"], ["M = 1", "A = 1"]]
Json in_words_each(const std::vector<std::vector<map::Condition>>& alternatives) {
  Json out = Json::array();
  for (const std::vector<map::Condition>& together : alternatives) {
    Json& words = out.emplace_back(Json::array());
    for (const map::Condition& condition : together) words.push_back(map::print(condition));
  }
  return out;
}

void add_all_sizes(Json& out, const question::RuleView& rule, const question::ForAllSizes& all) {
  out["symbols"] = Json::object();
  for (const auto& [name, low] : rule.symbols) out["symbols"][name] = {{"low", low}};
  out["where"] = rule.where;
  out["value_expression"] = or_null(all.value);
  out["holds"] = all.holds ? in_words_each(*all.holds) : Json(nullptr);
  out["exact"] = all.holds ? Json(all.exact) : Json(nullptr);
  out["cells"] = all.cells;
  out["instances"] = all.instances;
  out["exists"] = rule.exists;
}

// "baseline" of what fails in a run with a baseline, and "ignored", the reason of a comment.
void add_excuse(Json& out, const question::Excuse& excuse) {
  using Baseline = question::Excuse::Baseline;
  if (excuse.baseline != Baseline::None) out["baseline"] = excuse.baseline == Baseline::Known ? "known" : "new";
  if (excuse.ignored) out["ignored"] = *excuse.ignored;
}

// An answer about an operation of a function stands where the operation does.
void add_step(Json& out, const Case& c, const question::AtStep& step) {
  add_place(out, step.place);
  out["column"] = step.place.column;
  out["function"] = c.function ? Json(c.function->name) : Json(nullptr);
  out["operation"] = step.operation;
  out["result"] = step.result.empty() ? Json(nullptr) : Json(step.result);
  out["layout"] = step.layout.empty() ? Json(nullptr) : Json(step.layout);
  out["tensor"] = nullptr;
  out["tensor_source"] = name(question::TensorSource::Stated);
}

Json function_record(const Case& c) {
  const question::FunctionView& function = *c.function;
  Json out{{"kind", "function"}, {"case", or_null(c.id)}};
  add_place(out, c.place);
  out["function"] = function.name;
  out["operations"] = function.operations;
  out["judged"] = function.judged;
  out["free"] = function.free;
  out["unknown"] = Json::array();
  for (const auto& [line, operation] : function.unknown)
    out["unknown"].push_back({{"line", line}, {"operation", operation}});
  out["readers"] = function.readers ? Json(*function.readers) : Json(nullptr);
  out["not_neutral"] = function.not_neutral;
  out["notes"] = function.notes;
  if (!function.program.empty()) out["program"] = function.program;
  if (!function.fills.empty()) out["fills"] = function.fills;
  return out;
}

Json leftover_record(const Case& c) {
  const question::Leftover& leftover = *c.leftover;
  const bool gone = leftover.kind == question::Leftover::Kind::Gone;
  Json out;
  out["kind"] = gone ? "gone" : "unused-ignore";
  if (gone) out["baseline"] = "gone";
  out["case"] = or_null(c.id);
  add_place(out, c.place);
  if (gone) {
    out["layout"] = c.layout;
    out["tensor"] = c.tensor;
  } else {
    out["column"] = c.place.column;
  }
  out["claim"] = leftover.claim;
  if (!gone) {
    out["reason"] = leftover.detail;
    return out;
  }
  out["asked"] = Json::object();
  for (const auto& [key, text] : leftover.asked) out["asked"][key] = text;
  out["verdict"] = leftover.detail;
  return out;
}

Json verdict_record(const Case& c, const Answer& answer) {
  Json out;
  out["kind"] = "verdict";
  out["case"] = or_null(c.id);
  add_place(out, c.place);
  if (c.occurrences > 0) {
    out["lines"] = c.lines;
    out["occurrences"] = c.occurrences;
    if (!c.pass.empty()) out["pass"] = c.pass;
    for (const question::BoundName& name : c.bound)
      out["bound"][name.name] = {{"value", name.value}, {"line", name.line}};
  }
  if (answer.step) add_step(out, c, *answer.step);
  else out["layout"] = c.layout, out["tensor"] = c.tensor, out["tensor_source"] = name(c.tensor_source);
  if (!c.stated_tensor.empty()) out["stated_tensor"] = c.stated_tensor;
  out["claim"] = answer.claim;
  out["asked"] = asked_of(answer);
  out["verdict"] = question::word(answer.verdict);
  const auto* proved = std::get_if<Proved>(&answer.verdict);
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  const auto* unknown = std::get_if<Unknown>(&answer.verdict);
  out["value"] = proved != nullptr ? or_null(proved->value) : Json(nullptr);
  const std::string engine = std::visit([](const auto& verdict) { return verdict.engine; }, answer.verdict);
  out["engine"] = engine.empty() ? Json(nullptr) : Json(engine);
  out["scope"] = answer.all_sizes ? "all-sizes" : "instance";
  if (answer.all_sizes && c.rule) add_all_sizes(out, *c.rule, *answer.all_sizes);
  // A refutation was replayed by evaluation, which checks it; a proof without a certificate relies on its engine.
  const bool trusted = proved != nullptr && proved->trust == question::Trust::Trusted;
  out["certificate"] = unknown != nullptr ? "none" : trusted ? "trusted" : "checked";
  if (trusted) out["trusted"] = engine;
  out["counterexample"] = refuted != nullptr ? counterexample(refuted->counterexample, answer) : Json(nullptr);
  out["minimal"] = refuted != nullptr ? Json(refuted->counterexample.minimal) : Json(nullptr);
  out["reason"] = unknown != nullptr ? Json(question::name(unknown->reason)) : Json(nullptr);
  out["expected"] = expectation(answer.expected);
  out["as_expected"] = answer.expected ? Json(answer.as_expected) : Json(nullptr);
  add_excuse(out, answer.excuse);
  out["warnings"] = c.warnings();
  const std::string note = refuted != nullptr   ? refuted->counterexample.explanation
                           : unknown != nullptr ? unknown->detail
                                                : answer.note;
  if (!note.empty()) out["note"] = note;
  if (!answer.rule.empty()) out["rule"] = answer.rule;
  else if (c.reading && !c.reading->rule.empty()) out["rule"] = c.reading->rule;
  if (answer.operation) add_operation(out, *answer.operation);
  if (!answer.conflicts.empty()) add_conflicts(out, answer);
  if (!answer.attempts.empty()) out["attempts"] = answer.attempts;
  if (!answer.words.empty()) out["words"] = answer.words;
  if (answer.rests_on) out["rests_on"] = trust_to_json(*answer.rests_on);
  if (!c.times) return out;
  out["micros"] = answer.micros;
  out["certificate_micros"] = proved != nullptr || refuted != nullptr ? Json(answer.certificate_micros) : Json(nullptr);
  return out;
}

Json skipped_record(const Case& c) {
  Json out;
  out["kind"] = c.unread.empty() ? "skipped" : "unread";
  add_place(out, c.place);
  out["column"] = c.place.column > 0 ? Json(c.place.column) : Json(nullptr);
  out["lines"] = c.lines;
  out["occurrences"] = c.occurrences > 0 ? Json(c.occurrences) : Json(nullptr);
  if (!c.pass.empty()) out["pass"] = c.pass;
  out[c.unread.empty() ? "layout" : "text"] = c.layout;
  out["reason"] = c.skipped.value_or("");
  if (!c.unread.empty()) out["counted_as"] = c.unread;
  add_excuse(out, c.excuse);
  return out;
}

Json not_judged_record(const Case& c) {
  Json out;
  out["kind"] = "not-judged";
  out["case"] = or_null(c.id);
  add_place(out, c.place);
  out["layout"] = c.layout;
  out["reason"] = "interrupted";
  return out;
}

Json error_record(const Case& c) {
  Json out;
  out["kind"] = !c.expected_invalid ? "error" : c.diagnostic ? "rejected" : "accepted";
  out["case"] = or_null(c.id);
  const auto place = [](std::size_t n) { return n == 0 ? Json(nullptr) : Json(n); };
  out["file"] = c.diagnostic ? c.diagnostic->file : c.place.file;
  out["line"] = place(c.diagnostic ? c.diagnostic->line : c.place.line);
  out["column"] = place(c.diagnostic ? c.diagnostic->column : c.place.column);
  out["message"] = c.diagnostic ? c.diagnostic->message : "the text should be rejected and was read";
  if (c.expected_invalid) {
    out["expected"] = "invalid";
    out["as_expected"] = c.diagnostic.has_value();
  }
  add_excuse(out, c.excuse);
  return out;
}

std::vector<Json> case_records(const Case& c) {
  if (c.leftover) return {leftover_record(c)};
  if (c.skipped) return {skipped_record(c)};
  if (c.not_judged) return {not_judged_record(c)};
  if (c.expected_invalid || c.diagnostic) return {error_record(c)};
  std::vector<Json> records;
  if (c.function) records.push_back(function_record(c));
  for (const Answer& answer : c.answers) records.push_back(verdict_record(c, answer));
  return records;
}

Json run_record(const Tools& tools) {
  Json out;
  out["kind"] = "run";
  out["schema"] = kSchema;
  out["version"] = tools.version;
  for (const char* own : {"strided", "gf2", "linear", "sums", "enumerate"}) out["engines"][own] = tools.version;
  out["engines"]["isl"] = tools.isl;
  out["engines"]["cadical"] = tools.cadical;
  out["engines"]["z3"] = tools.z3;
  out["engines"]["cvc5"] = or_null(tools.cvc5);
  out["seeds"] = {{"z3", 0}, {"cvc5", 0}};
  if (tools.times) out["budget"]["seconds"] = tools.seconds;
  out["budget"]["rlimit"] = tools.rlimit;
  out["budget"]["memory_mib"] = tools.memory_mib;
  return out;
}

Json summary_record(const Tally& tally) {
  Json out;
  out["kind"] = "summary";
  out["cases"] = tally.cases;
  out["proved"] = tally.proved;
  out["refuted"] = tally.refuted;
  out["unknown"] = tally.unknown;
  out["vacuous"] = tally.vacuous;
  out["unsupported"] = tally.unsupported;
  out["errors"] = tally.errors;
  out["unexpected"] = tally.unexpected;
  out["failed"] = tally.failures.size();
  out["not_judged"] = tally.not_judged;
  out["found"] = tally.found;
  out["skipped"] = tally.skipped;
  out["unread"] = tally.unread;
  if (tally.unread > 0) out["unread_by"] = tally.unread_by;
  out["known"] = tally.known;
  out["ignored"] = tally.ignored;
  out["gone"] = tally.gone;
  if (tally.rests) out["rests_on"] = trust_to_json(*tally.rests);
  return out;
}

}  // namespace

std::string run_line(const Tools& tools) { return dump(run_record(tools)) + "\n"; }

std::string case_lines(const Case& c) {
  std::string out;
  for (const Json& record : case_records(c)) out += dump(record) + "\n";
  return out;
}

std::string summary_line(const Tally& tally) { return dump(summary_record(tally)) + "\n"; }

std::string to_json(const Tools& tools, const std::vector<Case>& cases, const Tally& tally) {
  Json out;
  out["schema"] = kSchema;
  out["run"] = run_record(tools);
  out["results"] = Json::array();
  for (const Case& c : cases)
    for (Json& record : case_records(c)) out["results"].push_back(std::move(record));
  out["summary"] = summary_record(tally);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string unsupported_to_json(const std::string& reason) { return dump(Json{{"unsupported", reason}}) + "\n"; }

}  // namespace vl::report
