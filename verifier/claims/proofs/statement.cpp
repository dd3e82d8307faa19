// What a certificate states of an answer: the half of certify.h that is about meaning. Whoever trusts a certificate
// trusts this file to say what was asked.
#include "encodings/map/text.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/transfers.h"

#include <nlohmann/json.hpp>

namespace vl::claims {
namespace {

using Json = nlohmann::json;

Json to_json(const map::Layout& layout) {
  Json out{{"map", map::print(layout.map())},
           {"logical", layout.logical().rank()},
           {"physical", map::print(layout.physical())}};
  if (layout.decode()) out["decode"] = map::print(*layout.decode());
  if (layout.filled()) out["filled"] = map::print(*layout.filled());
  if (layout.identity())
    out["identity"] = {map::print(layout.identity()->slot), map::print(layout.identity()->element)};
  if (layout.named_axes()) out["named"] = true;
  return out;
}

Json to_json(std::span<const use::Rule> rules) {
  Json out = Json::array();
  for (const use::Rule& rule : rules)
    out.push_back({{"statement", rule.statement}, {"have", rule.have}, {"want", rule.want}});
  return out;
}

// What a statement says of each kind of subject.
Json stated(const OneLayout& about) { return {{"map", to_json(about.layout)}}; }
Json stated(const TextRules& about) { return {{"rules", to_json(about.rules)}}; }
Json stated(const Sized& about) { return {{"map", to_json(about.layout)}, {"bits", about.element_bits}}; }
Json stated(const Pair& about) { return {{"map", to_json(about.layout)}, {"other", to_json(about.other)}}; }
Json stated(const WayBack& about) { return {{"map", to_json(about.layout)}, {"other", to_json(about.back)}}; }
Json stated(const SharedBuffer& about) {
  return {{"map", to_json(about.layout)}, {"other", to_json(about.other)}, {"at", about.at}};
}
Json stated(const LawResult& about) {
  return {{"map", to_json(about.result)}, {"other", to_json(about.law)}, {"rules", to_json(about.rules)}};
}
Json stated(const Based& about) {
  return {{"map", to_json(about.layout)}, {"bits", about.element_bits}, {"base", about.base}};
}
Json stated(const Accessed& about) {
  Json out{{"access", access_statement(about.reach)}};
  if (about.at_most) out["at_most"] = *about.at_most;
  return out;
}
Json stated(const Divided&) { VL_CHECK(false, "no certificate is about a division"); }
Json stated(const Transferred& about) {
  const auto ends = ends_of(about);
  VL_CHECK(ends.has_value(), "a proof about memories that do not exist");
  return {{"transfer", transfer_statement(about.transfer, ends->source, ends->destination)}};
}
Json stated(const Operated& about) {
  std::vector<use::Rule> rules;
  for (const use::Constraint& constraint : use::shape_constraints(about.operation)) rules.push_back(constraint.rule);
  const use::Judgement judgement = about.operation.family->judge(about.operation);
  for (const use::Constraint& constraint : judgement.constraints) rules.push_back(constraint.rule);
  Json out{{"rules", to_json(rules)}, {"operands", Json::array()}};
  for (std::size_t i = 0; i < about.operation.operands.size(); ++i) {
    const map::Layout* places = use::places_of(about.operation, judgement, i);
    VL_CHECK(places != nullptr, "a proof about an operand that nothing is known of");
    out["operands"].push_back(to_json(*places));
  }
  return out;
}

// A refutation can be looked at in a map alone.
bool has_map(const Subject& subject) {
  return !std::holds_alternative<TextRules>(subject) && !std::holds_alternative<Accessed>(subject) &&
         !std::holds_alternative<Transferred>(subject) && !std::holds_alternative<Operated>(subject);
}

}  // namespace

std::optional<Json> statement_of(const Claim& claim, const Subject& subject, const Verdict& verdict,
                                 const Texts& texts) {
  const auto* proved = std::get_if<Proved>(&verdict);
  const bool refuted = std::holds_alternative<Refuted>(verdict) && has_map(subject);
  if (claim.proof.front() == Part::None || (proved == nullptr && !refuted)) return std::nullopt;
  Json out = std::visit([](const auto& about) { return stated(about); }, subject);
  out["layout"] = texts.layout;
  out["tensor"] = texts.tensor;
  out["claim"] = claim.name;
  out["verdict"] = refuted ? "refuted" : "proved";
  for (const auto& [name, text] : texts.arguments) out["arguments"][name] = text;
  if (proved != nullptr && proved->value) out["value"] = *proved->value;
  return out;
}

}  // namespace vl::claims
