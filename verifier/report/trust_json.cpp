#include "verifier/report/trust_json.h"

#include "verifier/report/json_parts.h"

namespace vl::report {
namespace {

Json part_to_json(const TrustedPart& part) { return {{"part", part.name}, {"lines", part.lines}, {"code", part.code}}; }

// Their lines together in front of them.
Json with_sum(Json out, const std::vector<const TrustedPart*>& parts) {
  Index lines = 0, code = 0;
  for (const TrustedPart* part : parts) lines += part->lines, code += part->code;
  out["lines"] = lines, out["code"] = code, out["parts"] = Json::array();
  for (const TrustedPart* part : parts) out["parts"].push_back(part_to_json(*part));
  return out;
}

}  // namespace

Json trust_to_json(const question::RestsOn& proof) { return with_sum(Json::object(), parts_of(proof)); }

Json trust_to_json(const Rests& rests) {
  std::vector<const TrustedPart*> used;
  for (const TrustedPart& part : trusted_parts())
    if (rests.parts.contains(part.name)) used.push_back(&part);
  Json out = with_sum({{"proofs", rests.proofs}, {"trusted", rests.trusted}}, used);
  for (std::size_t i = 0; i < used.size(); ++i) {
    Json& part = out["parts"][i];
    part["proofs"] = rests.parts.at(used[i]->name), part["files"] = used[i]->files, part["trusted_for"] = used[i]->why;
  }
  out["beside"] = Json::array();
  for (const TrustedPart& part : trusted_parts()) {
    if (part.kind != Trusted::Beside) continue;
    out["beside"].push_back(part_to_json(part));
    out["beside"].back()["files"] = part.files;
  }
  return out;
}

}  // namespace vl::report
