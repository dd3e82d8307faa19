#include "verifier/claims/proofs/certify_swizzles.h"

#include "encodings/map/text.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/evidence.h"

namespace vl::claims {

std::optional<checker::Statement> no_swizzle_statement(const engines::SwizzleTask& task, const Texts& texts) {
  const auto parts = engines::swizzle_parts(task);
  if (!parts) return std::nullopt;
  checker::Statement out;
  state_texts(texts, out);
  out.claim = kNoSwizzle, out.verdict = "proved";
  out.map = text_of(*task.tile);
  out.bits = task.element_bits;
  auto& accesses = out.accesses.emplace();
  for (std::size_t i = 0; i < parts->reaches.size(); ++i) {
    checker::AccessText& access = accesses.emplace_back(access_statement(parts->reaches[i]));
    access.bytes = map::print(parts->addresses[i]);
  }
  return out;
}

std::optional<checker::Certificate> certify_no_swizzle(const engines::SwizzleTask& task,
                                                       const engines::SwizzleNone& none, const Texts& texts) {
  return unless_rejected([&]() -> std::optional<checker::Certificate> {
    auto statement = no_swizzle_statement(task, texts);
    if (!statement) return std::nullopt;
    checker::Certificate out;
    out.statement = std::move(*statement), out.digest = checker::digest(out.statement);
    auto& refused = out.evidence.refused.emplace();
    for (const engines::SwizzleRefusal& refusal : none.rejected)
      refused.push_back(
          {refusal.access ? static_cast<std::int64_t>(*refusal.access) : -1, {refusal.at.begin(), refusal.at.end()}});
    if (!checker::is_writable(out) || checker::check(out)) return std::nullopt;
    return out;
  });
}

}  // namespace vl::claims
