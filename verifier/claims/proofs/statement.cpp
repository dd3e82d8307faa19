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

void add_operation(Json& out, const use::Operation& operation) {
  std::vector<use::Rule> rules;
  for (const use::Constraint& constraint : use::shape_constraints(operation)) rules.push_back(constraint.rule);
  const use::Judgement judgement = operation.family->judge(operation);
  for (const use::Constraint& constraint : judgement.constraints) rules.push_back(constraint.rule);
  out["rules"] = to_json(rules);
  out["operands"] = Json::array();
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    const map::Layout* places = use::places_of(operation, judgement, i);
    VL_CHECK(places != nullptr, "a proof about an operand that nothing is known of");
    out["operands"].push_back(to_json(*places));
  }
}

}  // namespace

std::optional<Json> statement_of(const Claim& claim, const Subject& subject, const Verdict& verdict,
                                 const Texts& texts) {
  const auto* proved = std::get_if<Proved>(&verdict);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (proved == nullptr && refuted == nullptr) return std::nullopt;
  Json out{{"layout", texts.layout},
           {"tensor", texts.tensor},
           {"claim", claim.name},
           {"verdict", proved != nullptr ? "proved" : "refuted"}};
  for (const auto& [name, text] : texts.arguments) out["arguments"][name] = text;
  if (proved != nullptr && proved->value) out["value"] = *proved->value;
  switch (claim.argument) {
    case Argument::None:
      if (claim.name == "well-formed") {
        out["rules"] = to_json(subject.rules);
        return proved != nullptr ? std::optional(out) : std::nullopt;
      }
      if (claim.name == "bytes") out["bits"] = subject.element_bits;
      break;
    case Argument::Base:
      out["base"] = subject.base;
      out["bits"] = subject.element_bits;
      break;
    case Argument::Law:
      out["rules"] = to_json(subject.rules);
      out["map"] = to_json(*subject.other);
      out["other"] = to_json(*subject.law);
      return out;
    case Argument::Buffer:
      out["other"] = to_json(*subject.other);
      out["at"] = subject.other_at;
      break;
    case Argument::Layout: out["other"] = to_json(*subject.other); break;
    case Argument::Operation:
      if (proved == nullptr) return std::nullopt;
      add_operation(out, *subject.operation);
      return out;
    case Argument::Access:
      out["access"] = access_statement(*subject.reach);
      if (subject.at_most) out["at_most"] = *subject.at_most;
      return proved != nullptr ? std::optional(out) : std::nullopt;
    case Argument::Nests: {
      const auto ends = ends_of(subject);
      if (!ends || proved == nullptr) return std::nullopt;
      out["transfer"] = transfer_statement(*subject.transfer, ends->source, ends->destination);
      return out;
    }
    case Argument::Division: return std::nullopt;
  }
  out["map"] = to_json(*subject.layout);
  return out;
}

}  // namespace vl::claims
