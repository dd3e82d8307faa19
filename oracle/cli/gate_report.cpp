#include "oracle/cli/gate_report.h"

#include <fmt/format.h>

#include <filesystem>

#include "encodings/base/child.h"
#include "encodings/base/files.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/dossier.h"
#include "verifier/cli/commands.h"

namespace vl::cli {
namespace {

// The lines of reports that are about one signature: its finding and its operation.
std::optional<gate::Dossier> dossier_of(const GateArguments& arguments) {
  gate::Dossier out;
  for (const std::string& file : arguments.files) {
    const auto text = read_whole(file);
    if (!text) continue;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      const auto line = gate::parse_json(std::string_view(*text).substr(at, end - at));
      at = end + 1;
      if (!line) continue;
      const std::string *kind = line->text("kind"), *signature = line->text("signature"), *op = line->text("op");
      if (kind == nullptr) continue;
      if (*kind == "finding" && signature != nullptr && *signature == arguments.signature) out.finding = *line;
      const std::string* wanted = out.finding.text("op");
      if (*kind == "operation" && op != nullptr && wanted != nullptr && *op == *wanted) out.operation = *line;
    }
  }
  if (out.finding.is_null()) return std::nullopt;
  return out;
}

// The script that the template prints for the case, and what it prints when it is run. The error says what failed.
std::optional<Error> run_script(const GateArguments& arguments, const std::string& folder, gate::Dossier& out) {
  if (arguments.script.empty()) return std::nullopt;
  const auto failed = [](const char* what, const Spoken& spoken) {
    return Error{ErrorCode::Value, fmt::format("{}: {}", what, spoken.text.substr(0, 600)), 0};
  };
  const auto ended_well = [](const Spoken& spoken) { return spoken.end == Spoken::End::Exited && spoken.status == 0; };
  const Spoken made = speak("python3", {arguments.script}, out.of.request.text() + "\n", {}, {});
  if (!ended_well(made) || made.text.empty()) return failed("the template fails", made);
  out.script = made.text;
  if (auto error = write_whole(folder + "/repro.py", made.text)) return error;
  const Spoken ran = speak("python3", {folder + "/repro.py"}, "", {}, {});
  if (!ended_well(ran) || ran.text.empty()) return failed("the script fails", ran);
  out.printed = ran.text;
  return std::nullopt;
}

}  // namespace

int report_gate(const GateArguments& arguments, gate::Child& child, const gate::Judge& judge) {
  auto dossier = dossier_of(arguments);
  if (!dossier) return bad_input(about(arguments.signature, "no such finding is in these reports"));
  const gate::Json* request = dossier->finding.find("case");
  auto made = request != nullptr ? gate::case_of(*request) : Result<gate::Case>(Error{ErrorCode::Value, "no case", 0});
  if (!made) return bad_input(about(arguments.signature, made.error().message));
  if (const std::string* convention = dossier->finding.text("convention")) made->convention = *convention;
  if (!gate::is_convention_of(made->op->name, made->convention))
    return bad_input(
        about(arguments.signature, fmt::format("'{}' is no convention of {}", made->convention, made->op->name)));
  dossier->of = std::move(*made);
  dossier->peer = child.peer();
  static_cast<void>(gate::run_cases(child, judge, {dossier->of}, [&](const gate::Case&, const auto&, const auto& said) {
    dossier->judgement = said;
  }));
  if (!gate::is_finding(dossier->judgement.word))
    return bad_input(about(arguments.signature, fmt::format("the case is '{}' now: there is nothing to report",
                                                            gate::name(dossier->judgement.word))));
  const std::string folder = arguments.out + "/" + gate::folder_name(arguments.signature);
  dossier->asked = {folder + "/case.jsonl", arguments.library.empty() ? "--" : "--library"};
  if (!arguments.library.empty()) dossier->asked.push_back(arguments.library);
  dossier->asked.insert(dossier->asked.end(), arguments.adapter.begin(), arguments.adapter.end());
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return bad_input(about(folder, code.message()));
  if (const auto error = run_script(arguments, folder, *dossier)) return bad_input(about("--script", error->message));
  for (const auto& [file, text] :
       {std::pair<const char*, std::string>{"/case.jsonl", gate::print_json(dossier->finding) + "\n"},
        {"/REPORT.md", gate::to_markdown(*dossier)}})
    if (const auto error = write_whole(folder + file, text)) return bad_input(about(folder + file, error->message));
  fmt::print("{}/REPORT.md\n", folder);
  return 0;
}

}  // namespace vl::cli
