#include "oracle/gate/nests.h"

#include <array>
#include <set>

#include "oracle/gate/images.h"
#include "verifier/session/nests_file.h"

namespace vl::gate {

std::optional<Error> refit_nests(const Case& known, Json& request) {
  const std::string* direction = request.text("direction");
  const bool moves = has_destination(*known.op);
  if (!moves && (direction == nullptr || (*direction != "h2d" && *direction != "d2h")))
    return Error{ErrorCode::Value, "the direction is neither h2d nor d2h", 0};
  if (known.of().domain().volume() > kMostSlots || !has_image(known.of()))
    return Error{ErrorCode::Value, "this layout has no image: an element has no slot, or shares one", 0};
  std::set<Index> written;  // d2h: the host's places
  for (Index k = 0; !moves && *direction == "d2h" && k < known.of().logical().volume(); ++k) {
    const auto place = map::value(known.of().host_offset(), known.of().logical().point(k));
    if (!place || !written.insert(*place).second) return Error{ErrorCode::Value, "two elements share a host place", 0};
  }
  Json out;
  for (const auto& [key, value] : *request.fields())
    if (key != "image" && key != "to_image") out.set(key, value);
  out.set("image", image_of(known.of()));
  if (moves) {
    const auto to = destination_of(known, request);
    if (!to) return to.error();
    out.set("to_image", image_of(**to));
  }
  request = std::move(out);
  return std::nullopt;
}

Judgement Judge::of_nests(const Case& of, const Json& answer) const {
  const Json* nests = answer.find("nests");
  if (nests == nullptr || answer.fields()->size() != 1) return differs("unreadable", "the answer is no list 'nests'");
  const bool moves = has_destination(*of.op);
  const std::string& argument = of.arguments.front().text;  // the layout of the other device, or the direction
  const std::string direction = moves ? "d2d" : argument;
  Json said;
  said.set("direction", direction);
  said.set("nests", *nests);
  const std::string text = print_json(said);
  auto transfer = session::parse_nests(text, use::direction_of(direction));
  if (!transfer) return differs("unreadable", transfer.error().message);
  const auto shared = std::make_shared<const use::Transfer>(std::move(*transfer));
  constexpr std::array<std::string_view, 3> kClaims = {"in-bounds", "covers-once", "implements"};
  session::CaseRequest request = question_of(of);
  const session::SourceText from = request.layout;
  if (moves) request.layout.text = argument;  // the claims are about the layout that is written
  for (const std::string_view name : kClaims) {
    session::ClaimRequest claim;
    claim.claim = claims::find_claim(name, true);
    claim.nests = shared;
    claim.nests_text = text;
    if (moves) VL_CHECK(!session::give(claim, "with", from), "nests between devices without their other layout");
    request.claims.push_back(std::move(claim));
  }
  const question::Case made = session::judge(request, options_);
  if (made.diagnostic)
    return {.word = Word::UndecidedOurs, .detail = made.diagnostic->file + ": " + made.diagnostic->message};
  Judgement out{.word = Word::Agree, .scope = "proved", .checked = true};
  for (std::size_t k = 0; k < made.answers.size(); ++k) {
    const question::Verdict& verdict = made.answers[k].verdict;
    if (const auto* proved = std::get_if<question::Proved>(&verdict)) {
      out.checked = out.checked && proved->trust == question::Trust::Checked;
      continue;
    }
    if (const auto* refuted = std::get_if<question::Refuted>(&verdict)) {
      Judgement wrong = differs(std::string(kClaims[k]), refuted->counterexample.explanation);
      wrong.right = json_of(refuted->counterexample);
      wrong.scope = "proved";
      return wrong;
    }
    const auto& unknown = std::get<question::Unknown>(verdict);
    if (unknown.reason == question::Reason::Vacuous && k + 1 < made.answers.size()) continue;  // nothing is moved
    out = {.word = Word::UndecidedOurs, .detail = unknown.detail};
    out.engines_differ = unknown.reason == question::Reason::EnginesDisagree;
    return out;
  }
  return out;
}

}  // namespace vl::gate
