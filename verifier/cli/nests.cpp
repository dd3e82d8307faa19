// nests: the loop nests that move a tensor into a layout, out of it, or from one layout into another. Synthesis makes
// them; they are printed only if the claim implements is proved for them. For a layout that cannot hold the tensor, the
// answer is the first element without a slot; if no nests can be right, two elements that show it. A failure of the
// nests that were made proves nothing about other nests.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "encodings/use/nests_text.h"
#include "encodings/use/synthesis.h"
#include "verifier/claims/transfers.h"
#include "verifier/cli/commands.h"
#include "verifier/report/nests.h"
#include "verifier/session/judge.h"
#include "verifier/session/names.h"
#include "verifier/session/rule_nests.h"

namespace vl::cli {
namespace {

using question::Proved;
using question::Reason;
using question::Refuted;
using question::Unknown;
using NestsForm = NestsArguments::Format;
using Json = nlohmann::ordered_json;

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int undecided(std::string_view what, const std::string& why, Reason reason = Reason::OutOfReach) {
  fmt::print(stderr, "verify-layout: {}: {}\n", what, printable(why));
  return reason == Reason::EnginesDisagree ? kDisagree : kUndecided;
}

// Prints the answer for a layout in which an element has no place, or several elements share one.
int no_place(const NestsArguments& arguments, use::Direction direction, const std::string& which,
             std::string_view claim, const question::Counterexample& counter) {
  if (arguments.format == NestsForm::Json) {
    Json out{{"direction", use::name(direction)}, {"nests", nullptr}, {"claim", claim}, {"layout", which}};
    for (const auto& [field, value] : counter.fields)
      out["counterexample"][field] = std::visit([](const auto& v) { return Json(v); }, value);
    out["message"] = counter.explanation;
    print(out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    print(fmt::format("no nests: {}\n", counter.explanation));
  }
  return kRefuted;
}

// Nothing if each element has a slot, or there is no element; else prints the answer and returns the exit code.
std::optional<int> check_places(const NestsArguments& arguments, use::Direction direction,
                                const session::TensorReading& subject, const std::string& which) {
  if (const auto* why = subject.reading.undecidable())
    return unsupported({which + ": " + why->reason}, arguments.format == NestsForm::Json);
  const claims::Claim* claim = claims::find_claim("in-bounds");
  const auto answer = claims::decide(*claim, claims::OneLayout{*subject.reading.layout()}, {});
  return std::visit(
      overloaded{[](const Proved&) { return std::optional<int>(); },
                 [&](const Refuted& refuted) {
                   return std::optional<int>(
                       no_place(arguments, direction, which, "in-bounds", refuted.counterexample));
                 },
                 [&](const Unknown& unknown) {
                   if (unknown.reason == Reason::Vacuous) return std::optional<int>();
                   return std::optional<int>(undecided("in-bounds is not decided", unknown.detail, unknown.reason));
                 }},
      answer.verdict);
}

std::string in_format(const use::Transfer& transfer, NestsForm format, const map::Layout& layout) {
  switch (format) {
    case NestsForm::Text: return report::nests_to_text(transfer);
    case NestsForm::Json: return report::nests_to_json(transfer);
    case NestsForm::Log: {
      const auto known = use::families();
      const auto found = std::ranges::find_if(known, [](const use::Family* f) { return f->nests_log != nullptr; });
      VL_CHECK(found != known.end(), "a format of no family");
      return (*found)->nests_log->print(transfer, map::extents_of(layout.logical()),
                                        map::extents_of(layout.physical()));
    }
    case NestsForm::Compact: return report::nests_to_compact(transfer);
  }
  VL_CHECK(false, "unknown format");
}

// Elements that share a place cannot all be written, unless they share their source too.
std::optional<int> check_served(const NestsArguments& arguments, const claims::Transferred& about) {
  const auto answer = claims::decide(*claims::find_claim("covers-once", true), about, {});
  const auto* refuted = std::get_if<Refuted>(&answer.verdict);
  if (refuted == nullptr) return std::nullopt;
  const auto ends = claims::ends_of(about);
  const auto proof = ends ? claims::irreconcilable(about, *ends) : std::nullopt;
  if (proof) return no_place(arguments, about.transfer.direction, "--layout", "covers-once", *proof);
  return undecided("no nests are found", "those that were tried are wrong: " + refuted->counterexample.explanation);
}

// Proves the nests, then prints them.
int prove_and_print(const NestsArguments& arguments, const claims::Transferred& about) {
  if (const auto code = check_served(arguments, about)) return *code;
  const claims::Claim* claim = claims::find_claim("implements", true);
  VL_CHECK(claim != nullptr, "implements is a claim about nests");
  const auto answer = claims::decide(*claim, about, {});
  const auto refuted = [](const Refuted& no) {
    fmt::print(stderr, "verify-layout: internal error, please report it: the nests that were made are wrong: {}\n",
               no.counterexample.explanation);
    return kInternalError;
  };
  const auto unknown = [](const Unknown& open) {
    if (open.reason == Reason::Vacuous) return 0;
    return undecided("the nests are not proved, and not printed",
                     fmt::format("{} ({})", open.detail, question::name(open.reason)), open.reason);
  };
  const int code = std::visit(overloaded{[](const Proved&) { return 0; }, refuted, unknown}, answer.verdict);
  if (code == 0) print(in_format(about.transfer, arguments.format, about.layout));
  return code;
}

// Nests with expressions for numbers.
int run_for_all_sizes(const NestsArguments& arguments, const session::CaseRequest& request) {
  if (arguments.format == NestsForm::Log || arguments.format == NestsForm::Compact)
    return bad_input({"--format", 0, 0, "nests with names are printed as text or json", {}, 0});
  const bool json = arguments.format == NestsForm::Json;
  session::JudgeOptions options;
  options.engines = session::engine_options();
  const auto made = session::nests_for_all_sizes(
      request, arguments.from ? std::optional(session::SourceText::option("--from", *arguments.from)) : std::nullopt,
      arguments.direction, options);
  return std::visit(overloaded{[&](const session::ProvedRuleNests& proved) {
                                 print(json ? report::nests_to_json(proved.transfer, proved.rule)
                                            : report::nests_to_text(proved.transfer, proved.rule));
                                 return 0;
                               },
                               [&](const session::NoRuleNests& none) {
                                 if (const auto* refuted = std::get_if<Refuted>(&none.verdict))
                                   return no_place(arguments, arguments.direction, "--layout", none.claim,
                                                   refuted->counterexample);
                                 const auto& unknown = std::get<Unknown>(none.verdict);
                                 if (unknown.reason == Reason::Unsupported) return unsupported({unknown.detail}, json);
                                 return undecided("no nests for all sizes", unknown.detail, unknown.reason);
                               },
                               [](const Diagnostic& wrong) { return bad_input(wrong); }},
                    made);
}

}  // namespace

int run_nests(const NestsArguments& arguments) {
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  session::CaseRequest& asked = std::get<session::CaseRequest>(request);
  if (arguments.where) asked.where = session::SourceText::option("--where", *arguments.where);
  if (const auto wrong = session::wrong_condition(asked)) return bad_input(*wrong);
  session::CaseRequest without = asked;
  without.where.reset();
  if (session::has_names(without)) return run_for_all_sizes(arguments, asked);
  auto read = read_and_warn(asked);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  const session::TensorReading& subject = std::get<session::TensorReading>(read);
  std::optional<session::TensorReading> from;
  if (arguments.from) {
    if (arguments.format == NestsForm::Log || arguments.format == NestsForm::Compact)
      return bad_input({"--format", 0, 0, "a move between devices is printed as text or json", {}, 0});
    asked.layout = session::SourceText::option("--from", *arguments.from);
    auto second = read_and_warn(asked);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&second)) return bad_input(*diagnostic);
    from = std::move(std::get<session::TensorReading>(second));
  }
  const use::Direction direction = from ? use::Direction::DeviceToDevice : arguments.direction;
  if (from)
    if (const auto code = check_places(arguments, direction, *from, "--from")) return *code;
  if (const auto code = check_places(arguments, direction, subject, from ? "--to" : "--layout")) return *code;
  const map::Layout& layout = *subject.reading.layout();
  const auto transfer = from ? use::synthesise(*from->reading.layout(), layout) : use::synthesise(layout, direction);
  if (!transfer) return undecided("no nests are found", transfer.error().message);
  return prove_and_print(arguments, {layout, *transfer, from ? from->reading.layout() : nullptr});
}

}  // namespace vl::cli
