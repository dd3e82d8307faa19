// descriptor: loads of a tensor map that carry a layout, those of fewest boxes that encodings/use/tile_search.h finds,
// or why it finds none. Before they are printed they are read again, and the claims accepts (by the target) and carries
// have to be proved of them. Rules about what a layout does not give, as the tensor's address, are open; a note says
// so.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "encodings/base/printable.h"
#include "encodings/use/tile_search.h"
#include "verifier/claims/frame.h"
#include "verifier/cli/commands.h"
#include "verifier/session/judge.h"
#include "verifier/session/targets.h"

namespace vl::cli {
namespace {

using nlohmann::ordered_json;

constexpr Index kMostSearched = Index{1} << 20;

struct LoadsFound {
  std::string word;  // found, none, undecided
  std::vector<std::string> loads = {};
  struct Rejected {
    std::string swizzle, reason;
  };
  std::vector<Rejected> rejected = {};  // of swizzles that come before the one that is found
  std::string reason = {};
  std::string note = {};  // of accepts: what is not stated
};

// What tensor maps call elements of this type; empty: they have none.
std::string_view type_of_map(map::ElementType type) {
  if (map::bits(type) == 8) return "u8";
  switch (type) {
    case map::ElementType::F16:
    case map::ElementType::Bf16:
    case map::ElementType::F32:
    case map::ElementType::F64:
    case map::ElementType::U16:
    case map::ElementType::I32:
    case map::ElementType::U32:
    case map::ElementType::I64: return map::name(type);
    case map::ElementType::I16: return "u16";
    default: return {};
  }
}

// The first claim about the loads that is not proved, and why; empty if all are. `note`: what accepts says beside it.
std::string unproved_of(const session::CaseRequest& of, const std::vector<std::string>& loads,
                        const DescriptorArguments& arguments, const session::JudgeOptions& options, std::string& note) {
  session::TransferRequest transfer;
  for (const std::string& text : loads) transfer.texts.push_back(session::SourceText::option("the answer", text));
  transfer.target = session::SourceText::option("--target", arguments.target);
  const auto shared = std::make_shared<const session::TransferRequest>(std::move(transfer));
  session::CaseRequest request = of;
  for (const char* name : {"accepts", "carries"}) {
    session::ClaimRequest& claim = request.claims.emplace_back();
    claim.claim = claims::find_claim(name), claim.transfer = shared;
    if (claim.claim->keys.has("base"))
      claim.arguments.push_back({"base", session::SourceText::option("--base", fmt::format("{}", arguments.base))});
  }
  const question::Case judged = session::judge(request, options);
  if (judged.diagnostic) return judged.diagnostic->message;
  for (const question::Answer& answer : judged.answers) {
    if (std::holds_alternative<question::Proved>(answer.verdict)) {
      if (answer.claim == "accepts") note = answer.note;
      continue;
    }
    const auto* refuted = std::get_if<question::Refuted>(&answer.verdict);
    VL_CHECK(refuted == nullptr || answer.claim != "carries",
             fmt::format("carries of the answer {} is refuted", loads.front()));
    const auto* open = std::get_if<question::Unknown>(&answer.verdict);
    return refuted != nullptr ? refuted->counterexample.explanation
                              : fmt::format("{} is not decided: {}", answer.claim, open == nullptr ? "" : open->detail);
  }
  return {};
}

LoadsFound search_loads(const session::CaseRequest& request, const session::TensorReading& subject,
                        const DescriptorArguments& arguments, const session::JudgeOptions& options) {
  if (const auto* why = subject.reading.undecidable()) return {"undecided", {}, {}, why->reason};
  const map::Layout& layout = *subject.reading.layout();
  if (auto why = claims::not_in_one_memory(layout); !why.empty()) return {"undecided", {}, {}, std::move(why)};
  if (layout.domain().volume() > kMostSearched) return {"undecided", {}, {}, "the tensor has more than 2^20 elements"};
  const std::string_view type = type_of_map(subject.tensor.type);
  if (type.empty())
    return {"none", {}, {}, fmt::format("tensor maps have no elements of {}", map::name(subject.tensor.type))};
  LoadsFound out{"undecided"};
  for (const use::TileCandidate& each :
       use::tile_candidates(layout, type, map::bits(subject.tensor.type), arguments.base)) {
    std::vector<std::string> loads;
    for (const use::Descriptor& load : each.loads) loads.push_back(use::print(load));
    std::string why = each.loads.empty() ? each.why : unproved_of(request, loads, arguments, options, out.note);
    if (why.empty()) return out.word = "found", out.loads = std::move(loads), out;
    out.rejected.push_back({std::string(each.swizzle), std::move(why)});
  }
  out.reason =
      "boxes of one tensor map and of one size, without fills and with the longest sides, do not carry it; others are "
      "not "
      "looked for";
  return out;
}

void print_loads(const LoadsFound& found, const DescriptorArguments& arguments) {
  if (arguments.format == Format::Json) {
    ordered_json rejected = ordered_json::array();
    for (const auto& [swizzle, reason] : found.rejected) rejected.push_back({{"swizzle", swizzle}, {"reason", reason}});
    const ordered_json json{{"layout", arguments.layout.text()},
                            {"target", arguments.target},
                            {"base", arguments.base},
                            {"answer", found.word},
                            {"loads", found.loads},
                            {"rejected", std::move(rejected)},
                            {"note", found.word == "found" ? ordered_json(found.note) : ordered_json(nullptr)},
                            {"reason", found.reason.empty() ? ordered_json(nullptr) : ordered_json(found.reason)}};
    fmt::print("{}\n", json.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    return;
  }
  for (const std::string& load : found.loads) fmt::print("{}\n", load);
  if (found.word == "found") return fmt::print(stderr, "note: {}\n", printable(found.note));
  fmt::print("{}: {}\n", found.word, printable(found.reason));
  for (const auto& [swizzle, reason] : found.rejected) fmt::print("  swizzle {}: {}\n", swizzle, printable(reason));
}

}  // namespace

int run_descriptor(const DescriptorArguments& arguments) {
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  session::JudgeOptions options;
  options.engines = session::engine_options();
  auto subject = read_and_warn(std::get<session::CaseRequest>(request), options.engines);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&subject)) return bad_input(*diagnostic);
  const auto& reading = std::get<session::TensorReading>(subject);
  const Index bytes = std::max(map::bits(reading.tensor.type) / 8, 1);
  const auto option = [](const char* name, const std::string& text) { return session::SourceText::option(name, text); };
  if (arguments.base < 0 || arguments.base >= Index{1} << 32 || arguments.base % bytes != 0)
    return bad_input(
        option("--base", fmt::format("{}", arguments.base))
            .diagnose({ErrorCode::Value, "expected an address of a whole element, from 0 to 2^32 - 1", 0}));
  auto target = session::read_target(option("--target", arguments.target));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&target)) return bad_input(*diagnostic);
  if (std::get<use::Target>(target).kind != "tensormap")
    return bad_input(option("--target", arguments.target)
                         .diagnose({ErrorCode::Value,
                                    fmt::format("a target for '{}'; expected one for tensor maps, as tma-sm_90",
                                                std::get<use::Target>(target).kind),
                                    0}));
  const LoadsFound found = search_loads(std::get<session::CaseRequest>(request), reading, arguments, options);
  print_loads(found, arguments);
  return found.word == "found" ? 0 : found.word == "none" ? kRefuted : kUndecided;
}

}  // namespace vl::cli
