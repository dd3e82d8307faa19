// swizzle: the smallest swizzle of a tile under which every access is free of bank conflicts, or the answer that the
// family of engines/swizzle_search.h has none. The answer is a layout text. Before it is printed, it is read again, and
// the claims in-bounds, conflict-free (for each access), and equal to the found layout have to be proved. That there is
// none is certified: the checker looks at a conflict, or at an element that leaves the tile, of each swizzle.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "verifier/cli/commands.h"
#include "verifier/session/swizzles.h"

namespace vl::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kNone = 10;

struct Task {
  session::CaseRequest request;
  std::vector<session::SourceText> accesses;
  session::SourceText hardware;
  session::SwizzleReading reading;
};

struct SwizzleOutcome {
  std::string word;         // found, none, undecided
  std::string text = {};    // the found layout
  std::string reason = {};  // why there is none, or none is known
  std::optional<map::Swizzle> swizzle = {};
  std::size_t rejected = 0;
  std::optional<checker::Certificate> certificate = {};  // that there is none
};

std::variant<Task, Diagnostic> read(const SwizzleArguments& arguments, const engines::Options& options) {
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return *diagnostic;
  auto subject = read_and_warn(std::get<session::CaseRequest>(request), options);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&subject)) return *diagnostic;
  std::vector<session::SourceText> accesses;
  for (const std::string& text : arguments.accesses) accesses.push_back(session::SourceText::option("--access", text));
  auto hardware = session::SourceText::option("--hardware", arguments.hardware);
  auto reading = session::read_swizzle(std::move(std::get<session::TensorReading>(subject)), accesses, hardware);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&reading)) return *diagnostic;
  return Task{std::move(std::get<session::CaseRequest>(request)), std::move(accesses), std::move(hardware),
              std::move(std::get<session::SwizzleReading>(reading))};
}

std::string why_none(const std::vector<engines::SwizzleRefusal>& rejected) {
  std::map<std::size_t, Index> conflicting;
  Index leaving = 0;
  for (const engines::SwizzleRefusal& refusal : rejected) ++(refusal.access ? conflicting[*refusal.access] : leaving);
  std::string out =
      fmt::format("none of the {} swizzles with swizzle_len <= atom_len that keep a lane's bytes together will do:",
                  rejected.size());
  for (const auto& [access, count] : conflicting)
    out += fmt::format(" under {} access {} conflicts,", count, access + 1);
  if (leaving > 0) out += fmt::format(" {} leave the tile's span (--box may declare more room),", leaving);
  out.back() = '.';
  return out;
}

// The families whose notation has a swizzled form.
std::string with_swizzles() {
  std::string out;
  for (const use::Family* family : use::families())
    if (family->swizzled != nullptr) out += fmt::format("{}{}", out.empty() ? "" : " or ", family->name);
  return out;
}

// The first claim about the text that is not proved; empty if all are.
std::string unproved(const std::string& text, const session::SwizzleReading& task, const map::Layout& found,
                     const SwizzleArguments& arguments, const engines::Options& options) {
  const auto again = session::read_layout(session::SourceText::option("the answer", text), arguments.layout.family,
                                          task.subject.tensor, options);
  const auto* reading = std::get_if<use::Reading>(&again);
  VL_CHECK(reading != nullptr && reading->layout() != nullptr, fmt::format("the answer {} is not read again", text));
  const auto proved = [&](std::string_view claim, const claims::Subject& subject) {
    const auto verdict = claims::decide(*claims::find_claim(claim), subject, options).verdict;
    VL_CHECK(!std::holds_alternative<question::Refuted>(verdict),
             fmt::format("{} of the answer {} is refuted", claim, text));
    return std::holds_alternative<question::Proved>(verdict);
  };
  if (!proved("in-bounds", claims::OneLayout{*reading->layout()})) return "in-bounds";
  if (!proved("equal", claims::Pair{*reading->layout(), found})) return "equal";
  for (const engines::SwizzleAccess& access : task.task().accesses) {
    const auto reach = engines::reach_of(access.access, *reading->layout(), access.tv, task.subject.reading.device_bits,
                                         task.hardware);
    VL_CHECK(reach.has_value(), "the answer does not take the access");
    if (!proved("conflict-free", claims::Accessed{*reach})) return "conflict-free";
  }
  return {};
}

std::variant<SwizzleOutcome, Diagnostic> search(const Task& of, const SwizzleArguments& arguments,
                                                const engines::Options& options) {
  const session::SwizzleReading& task = of.reading;
  const session::SourceText layout = session::SourceText::option("--layout", arguments.layout.text());
  if (const auto* why = task.subject.reading.undecidable()) return SwizzleOutcome{"undecided", {}, why->reason};
  const use::Family& family = *session::family_of(arguments.layout.text(), arguments.layout.family);
  if (family.swizzled == nullptr)
    return layout.diagnose({ErrorCode::Value,
                            fmt::format("a layout of the family {} has no swizzled form; expected one of the family {}",
                                        family.name, with_swizzles()),
                            0});
  const auto searched = engines::find_swizzle(task.task(), options);
  if (const auto* error = std::get_if<engines::SwizzleError>(&searched))
    return error->access ? of.accesses[*error->access].diagnose(error->error) : layout.diagnose(error->error);
  const auto& answer = std::get<engines::SwizzleAnswer>(searched);
  if (const auto* none = std::get_if<engines::SwizzleNone>(&answer))
    return SwizzleOutcome{
        "none",
        {},
        why_none(none->rejected),
        {},
        none->rejected.size(),
        claims::certify_no_swizzle(task.task(), *none,
                                   session::texts_of_search(of.request, task, of.accesses, of.hardware))};
  if (const auto* open = std::get_if<engines::SwizzleUndecided>(&answer))
    return SwizzleOutcome{"undecided",
                          {},
                          fmt::format("swizzle ({}, {}, {}): {}", open->swizzle.base, open->swizzle.bits,
                                      open->swizzle.shift, open->why.why)};
  const auto& found = std::get<engines::SwizzleFound>(answer);
  const std::string& tile = task.subject.reading.normal;
  const std::string text = found.swizzle.bits == 0 ? tile : family.swizzled(tile, found.swizzle);
  if (const std::string claim = unproved(text, task, found.layout, arguments, options); !claim.empty())
    return SwizzleOutcome{"undecided", {}, fmt::format("{} of {} is not decided", claim, text)};
  return SwizzleOutcome{"found", text, {}, found.swizzle, found.rejected.size()};
}

void print_json(const SwizzleOutcome& outcome, const SwizzleArguments& arguments, const Task& task) {
  ordered_json json{{"layout", arguments.layout.text()},
                    {"hardware", task.reading.hardware.name},
                    {"accesses", arguments.accesses},
                    {"answer", outcome.word}};
  json["swizzled"] = outcome.text.empty() ? ordered_json(nullptr) : ordered_json(outcome.text);
  json["swizzle"] = outcome.swizzle ? ordered_json{{"per_element", outcome.swizzle->base},
                                                   {"swizzle_len", outcome.swizzle->bits},
                                                   {"atom_len", outcome.swizzle->shift}}
                                    : ordered_json(nullptr);
  json["rejected"] = outcome.word == "undecided" ? ordered_json(nullptr) : ordered_json(outcome.rejected);
  json["trust"] = nullptr;
  if (outcome.word == "none") json["trust"] = outcome.certificate ? "checked" : "trusted";
  json["reason"] = outcome.reason.empty() ? ordered_json(nullptr) : ordered_json(outcome.reason);
  fmt::print("{}\n", json.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

int run_swizzle(const SwizzleArguments& arguments) {
  engines::Options options = session::engine_options(arguments.timeout);
  const auto read_task = read(arguments, options);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read_task)) return bad_input(*diagnostic);
  const Task& task = std::get<Task>(read_task);
  const auto searched = search(task, arguments, options);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&searched)) return bad_input(*diagnostic);
  const auto& outcome = std::get<SwizzleOutcome>(searched);
  if (outcome.certificate && !arguments.certificates.empty()) {
    const session::CertificateOptions where{arguments.certificates, arguments.compact};
    if (const auto failed = session::write_certificate(*outcome.certificate, where, claims::kNoSwizzle))
      return bad_input(*failed);
  }
  if (arguments.format == Format::Json) print_json(outcome, arguments, task);
  else if (outcome.word == "found") fmt::print("{}\n", outcome.text);
  else fmt::print("{}: {}\n", outcome.word, printable(outcome.reason));
  return outcome.word == "found" ? 0 : outcome.word == "none" ? kNone : kUndecided;
}

}  // namespace vl::cli
