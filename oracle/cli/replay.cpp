// replay: runs the tensors of case files that fuzz wrote again, with all comparisons of a campaign, and compares the
// verdicts with what the case expects, as `check` does.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "oracle/cli/commands.h"
#include "oracle/cli/fuzz.h"
#include "oracle/fuzz/case_file.h"
#include "oracle/fuzz/census.h"
#include "oracle/reference/fill.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

constexpr Index kMostElements = Index{1} << 18;  // campaigns have data for so many

using oracle::Trouble;
using Json = nlohmann::ordered_json;

std::optional<Diagnostic> read_tensor(const session::ReplayRequest& replay, oracle::Tensor& out) {
  const auto wrong = [](const session::SourceText& where, std::string message) {
    return where.diagnose({ErrorCode::Value, std::move(message), 0});
  };
  if (replay.mismatch && replay.mismatch->text != "none" && !oracle::is_mismatch_kind(replay.mismatch->text))
    return wrong(*replay.mismatch,
                 fmt::format("'{}' is not a mismatch that a campaign reports", replay.mismatch->text));
  const auto verb = oracle::verb_of(replay.verb.text);
  if (!verb) return wrong(replay.verb, "expected pack, unpack, round-trip, move or nests");
  const auto pattern = oracle::pattern_of(replay.pattern.text);
  if (!pattern) return wrong(replay.pattern, "expected tags, random, nan or denormal");
  if (replay.host.text != "dense" && replay.host.text != "view") return wrong(replay.host, "expected dense or view");
  constexpr map::ElementType kTypes[] = {map::ElementType::U8, map::ElementType::U16, map::ElementType::U32,
                                         map::ElementType::I64};
  std::size_t log = 0;
  while ((Index{1} << log) < replay.unit) ++log;
  const auto fill = oracle::parse_fill(replay.fill.text, kTypes[log]);
  if (!fill) return replay.fill.diagnose(fill.error());
  out.verb = *verb;
  out.where = replay.host.text == "view" ? oracle::Host::View : oracle::Host::Dense;
  out.unit = static_cast<std::uint8_t>(replay.unit);
  out.pattern = *pattern;
  out.data = static_cast<std::uint64_t>(replay.data);
  for (std::size_t k = fill->size(); k-- > 0;) out.fill = out.fill << 8 | std::to_integer<std::uint64_t>((*fill)[k]);
  out.empty = replay.empty;
  out.streamed = replay.streamed;
  return std::nullopt;
}

std::optional<Diagnostic> check_size(const session::SourceText& where, const oracle::Subject& subject) {
  const auto layout = oracle::lower(subject);
  if (!layout) return where.diagnose(layout.error());
  if (layout->physical().volume() <= kMostElements && layout->domain().volume() <= 3 * kMostElements)
    return std::nullopt;
  return where.diagnose({ErrorCode::Value,
                         fmt::format("more than {} elements or slots; replay is for what fuzz writes", kMostElements),
                         0});
}

// The layout to which a tensor is moved has a slot of its own for each element.
std::optional<Diagnostic> check_target(const session::SourceText& where, const oracle::Subject& subject) {
  const auto layout = oracle::lower(subject);
  if (!layout) return where.diagnose(layout.error());
  const oracle::Census census = oracle::census_of(*layout);
  if (census.missing == 0 && census.collisions == 0) return std::nullopt;
  return where.diagnose({ErrorCode::Value, "expected a layout in which every element has a slot of its own", 0});
}

std::variant<Trouble, Diagnostic> trouble_of(const session::CaseRequest& request) {
  Trouble out;
  if (!request.replay)
    return request.layout.diagnose({ErrorCode::Value, "the case has no [case.replay]: it is for `check`", 0});
  if (request.expect_invalid)
    return request.layout.diagnose(
        {ErrorCode::Value, "a text that is to be rejected cannot be run: it is for `check`", 0});
  auto subject = session::read_tensor(request);
  if (auto* diagnostic = std::get_if<Diagnostic>(&subject)) return std::move(*diagnostic);
  if (const auto* why = std::get<session::TensorReading>(subject).reading.undecidable())
    return request.layout.diagnose({ErrorCode::Value, why->reason, 0});
  const use::Family* family = session::family_of(request.layout.text, request.family);
  auto read =
      oracle::subject_of_text(family->name, request.layout.text, std::get<session::TensorReading>(subject).tensor);
  if (!read) return request.layout.diagnose(read.error());
  out.subject = std::move(*read);
  map::Tensor plain = out.subject.tensor;
  plain.strides.reset();
  plain.offset = plain.view_offset = 0;
  plain.box.clear();
  const use::Family* target = session::family_of(request.replay->to.text, {});
  if (target == nullptr || target->campaign == nullptr || family->campaign == nullptr)
    return request.replay->to.diagnose({ErrorCode::Value, "expected layouts of families that have campaigns", 0});
  auto to = oracle::subject_of_text(target->name, request.replay->to.text, plain);
  if (!to) return request.replay->to.diagnose(to.error());
  out.companion = std::move(*to);
  if (auto diagnostic = read_tensor(*request.replay, out.tensor)) return std::move(*diagnostic);
  if (auto diagnostic = check_size(request.layout, out.subject)) return std::move(*diagnostic);
  if (auto diagnostic = check_size(request.replay->to, out.companion)) return std::move(*diagnostic);
  if (out.tensor.verb == oracle::Verb::Move)
    if (auto diagnostic = check_target(request.replay->to, out.companion)) return std::move(*diagnostic);
  return out;
}

// The case's claims, as `check` judges them. A case without claims asks nothing.
question::Case judged(const session::CaseRequest& request) {
  if (request.claims.empty()) return {};  // else the family's own claims would be asked
  session::JudgeOptions options;
  options.engines = session::engine_options();
  return session::judge(request, options);
}

// The first answer that is not what the case expects.
std::optional<oracle::Mismatch> unexpected(const question::Case& judged) {
  for (const question::Answer& answer : judged.answers)
    if (!answer.as_expected) return oracle::Mismatch{"expect", fmt::format("{}: {}", answer.claim, answer.mismatch)};
  return std::nullopt;
}

struct Rerun {
  std::string id;
  Trouble trouble;
  std::optional<oracle::Mismatch> unexpected;
};

void print(const std::string& id, const oracle::Outcome& outcome, Format format) {
  const auto& mismatch = outcome.mismatch;
  const bool ran = outcome.ran.way != oracle::Way::NotRun;
  if (format == Format::Json) {
    const Json out = {{"kind", "replay"},
                      {"case", id},
                      {"passes", ran && !mismatch},
                      {"mismatch", mismatch ? Json(mismatch->kind) : Json()},
                      {"detail", mismatch ? Json(mismatch->detail) : Json()}};
    fmt::print("{}\n", out.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else if (mismatch) {
    fmt::print("{}: fails: {}: {}\n", printable(id), mismatch->kind, printable(mismatch->detail));
  } else {
    fmt::print("{}: {}\n", printable(id), ran ? "passes" : "not run: there is no verdict on its layout");
  }
}

}  // namespace

int run_replay(const ReplayArguments& arguments) {
  std::vector<Rerun> reruns;  // all cases are read before the first one runs
  std::vector<std::string> neutral;
  for (const std::string& path : arguments.files) {
    const std::vector<std::string> others = neutral_case_files(path);
    neutral.insert(neutral.end(), others.begin(), others.end());
    if (!others.empty() && others.front() == path) continue;
    const std::vector<std::string> files = session::case_files(path);
    if (files.empty() && others.empty()) return bad_input({path, 0, 0, "there is no case file", {}, 0});
    for (const std::string& file : files) {
      const session::CaseFile read = session::read_cases(file);
      for (const session::BadCase& bad : read.errors) bad_input(bad.diagnostic);
      if (!read.errors.empty()) return kBadInput;
      for (const session::CaseRequest& request : read.cases) {
        auto trouble = trouble_of(request);
        if (auto* diagnostic = std::get_if<Diagnostic>(&trouble)) return bad_input(*diagnostic);
        const question::Case expected = judged(request);
        if (expected.diagnostic) return bad_input(*expected.diagnostic);
        reruns.push_back({request.id.value_or(file), std::move(std::get<Trouble>(trouble)), unexpected(expected)});
      }
    }
  }
  oracle::Trial trial;
  int code = replay_neutral(neutral, arguments.format);
  if (code == kBadInput) return code;
  for (const auto& [id, trouble, unexpected] : reruns) {
    oracle::Outcome outcome = oracle::look_at(trial, trouble.subject, trouble.companion, trouble.tensor);
    if (!outcome.mismatch) outcome.mismatch = unexpected;
    if (outcome.mismatch) code = kMismatch;
    else if (outcome.ran.way == oracle::Way::NotRun && code == 0) code = kUndecided;
    print(id, outcome, arguments.format);
  }
  return code;
}

}  // namespace vl::cli
