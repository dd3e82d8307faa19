#include "oracle/cli/gate_expected.h"

#include <ctime>
#include <filesystem>

#include "oracle/cli/commands.h"
#include "oracle/cli/fuzz.h"
#include "oracle/gate/update.h"
#include "verifier/cli/commands.h"

namespace vl::cli {
namespace {

constexpr std::string_view kNotWhole = "it is refused for shards, filters and runs that ended early";

// Whether all cases are asked: shares can be judged.
bool is_whole(const GateArguments& arguments) {
  return shard_of(arguments.shard)->second == 1 && arguments.families.empty() && arguments.ops.empty() &&
         arguments.verb == GateArguments::Verb::Run;
}

int today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return (parts.tm_year + 1900) * 10000 + (parts.tm_mon + 1) * 100 + parts.tm_mday;
}

}  // namespace

std::variant<ExpectedFile, int> expected_of(const GateArguments& arguments, const gate::Peer& peer) {
  ExpectedFile out;
  if (arguments.update && !is_whole(arguments)) return bad_input(about("--update", std::string(kNotWhole)));
  std::error_code code;
  if (arguments.update && !std::filesystem::exists(arguments.expect, code)) {
    out.text = gate::new_expectations(peer);
  } else {
    auto text = read_whole(arguments.expect);
    if (!text) return bad_input(about(arguments.expect, text.error().message));
    out.text = std::move(*text);
  }
  auto read = gate::read_expectations(arguments.expect, out.text);
  if (const auto* wrong = std::get_if<std::vector<Diagnostic>>(&read)) {
    for (const Diagnostic& diagnostic : *wrong) bad_input(diagnostic);
    return kBadInput;
  }
  out.expected = std::get<gate::Expectations>(std::move(read));
  return out;
}

std::vector<gate::KnownAnswer> ask_known(const gate::Expectations& expected, gate::Child& child,
                                         const gate::Judge& judge) {
  std::vector<gate::Case> cases;
  cases.reserve(expected.known.size());
  for (const gate::Known& known : expected.known) cases.push_back(*known.of);
  std::vector<gate::KnownAnswer> out;
  const auto result = gate::run_cases(child, judge, cases, [&](const gate::Case&, const auto& reply, const auto& said) {
    out.push_back({reply, said});
  });
  if (result.ended_early) out.clear();  // answers stand in the order of the entries, or not at all
  return out;
}

int compare_expectations(const GateArguments& arguments, const ExpectedFile* file,
                         const std::vector<gate::KnownAnswer>& answers, gate::Report& report) {
  const bool whole = is_whole(arguments) && !report.result.ended_early;
  gate::Expectations none;
  none.peer = report.peer.name;
  const auto look = [&](const gate::Expectations& expected, const std::vector<gate::KnownAnswer>& known) {
    report.known.clear();
    report.reds = gate::compare(expected, report.peer, report.result, known, whole, today(), &report.known);
  };
  look(file != nullptr ? file->expected : none, answers);
  if (file == nullptr) return 0;
  report.compared = true;
  report.expected_file = arguments.expect;
  if (!arguments.update) return 0;
  if (!whole) return bad_input(about("--update", std::string(kNotWhole)));
  const auto text = gate::updated(file->text, file->expected, report.peer, report.result, report.reds,
                                  {arguments.lower, arguments.accept, arguments.issue});
  if (!text) return bad_input(about("--update", text.error().message));
  if (const auto error = write_whole(arguments.expect, *text))
    return bad_input(about(arguments.expect, error->message));
  const auto again = gate::read_expectations(arguments.expect, *text);
  const auto* now = std::get_if<gate::Expectations>(&again);
  VL_CHECK(now != nullptr, "an updated file that cannot be read");
  look(*now, {});
  return 0;
}

}  // namespace vl::cli
