// Certificates of claims about accesses, put together by hand.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "encodings/map/text.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify_accesses.h"

namespace vl::test::accesses {

using engines::Reach;
using Json = nlohmann::json;

/// Why the certificate is refused; empty when it is accepted.
inline std::string refusal(const std::string& claim, const Json& statement, const Json& evidence) {
  Json said = statement;
  said["claim"] = claim;
  const Json certificate{{"schema", "verify-layout-certificate/2"},
                         {"statement", said},
                         {"digest", checker::digest(said)},
                         {"evidence", evidence}};
  return checker::check(certificate).value_or("");
}

inline Json stated(const Reach& reach, const std::string& key = {}, Index number = 0) {
  checker::Statement statement;
  statement.verdict = "proved", statement.access = claims::access_statement(reach);
  Json out = checker::write(statement);
  if (!key.empty()) out[key] = number;
  return out;
}

inline Json evidence_of(const std::vector<bool>& free) { return {{"free", free}}; }

inline std::vector<Json> evidence_for(const Reach& reach) {
  std::vector<Json> out;
  for (const checker::Evidence& made : claims::access_evidence(claims::access_statement(reach)))
    out.push_back(checker::write(made));
  return out;
}

inline map::Map map_of(const std::string& text) {
  auto out = map::parse(text);
  EXPECT_TRUE(out.has_value()) << text << ": " << (out ? "" : out.error().message);
  return std::move(*out);
}

inline std::vector<std::vector<Index>> consecutive(Index lanes, Index phase) {
  std::vector<std::vector<Index>> out;
  for (Index lane = 0; lane < lanes; ++lane) {
    if (lane % phase == 0) out.emplace_back();
    out.back().push_back(lane);
  }
  return out;
}

inline Reach reach_of(const std::string& bytes, const std::string& coordinates, const std::vector<Index>& logical,
                      Index width) {
  map::Map byte = map_of(bytes);
  auto phases = consecutive(byte.domain().extent(0), byte.domain().extent(0));
  return {std::move(byte),
          map_of(coordinates),
          *map::Space::create(map::Space::dims("x", logical)),
          {},
          {},
          width,
          std::move(phases),
          32,
          4,
          true,
          {},
          {}};
}

}  // namespace vl::test::accesses
