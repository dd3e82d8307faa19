#include "verifier/session/certificates.h"

#include <filesystem>
#include <fstream>

#include "verifier/checker/certificate.h"
#include "verifier/claims/proofs/certify.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Refuted;

claims::Texts texts_of(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject) {
  claims::Texts texts{request.layout.text, map::print(subject.tensor), {}};
  if (request.strides_text) texts.arguments["strides"] = request.strides_text->text;
  if (request.offset != 0) texts.arguments["offset"] = std::to_string(request.offset);
  if (request.view_offset != 0) texts.arguments["view_offset"] = std::to_string(request.view_offset);
  if (request.box) texts.arguments["box"] = request.box->text;
  for (const ClaimArgument& argument : claim.arguments) texts.arguments[argument.key] = argument.text.text;
  return texts;
}

// The statement, from the texts, which are read again.
std::optional<checker::Statement> read_again(const ClaimRequest& claim, const CaseRequest& request,
                                             const question::Verdict& verdict) {
  const auto subject = read_tensor(request);
  if (!std::holds_alternative<TensorReading>(subject)) return std::nullopt;
  const auto& again = std::get<TensorReading>(subject);
  const auto bound = bind(claim, request, again, {});
  if (!std::holds_alternative<Bound>(bound) || !std::get<Bound>(bound).about) return std::nullopt;
  return claims::statement_of(*claim.claim, *std::get<Bound>(bound).about, verdict, texts_of(claim, request, again));
}

}  // namespace

std::optional<std::string> certify(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject,
                                   const claims::Subject& about, question::Verdict& verdict,
                                   const CertificateOptions& options, const std::string& stem) {
  auto* proved = std::get_if<Proved>(&verdict);
  if (proved == nullptr && (options.folder.empty() || !std::holds_alternative<Refuted>(verdict))) return std::nullopt;
  const auto statement = claims::statement_of(*claim.claim, about, verdict, texts_of(claim, request, subject));
  const auto made = statement ? claims::certify(*claim.claim, *statement, verdict) : std::nullopt;
  if (!made) return std::nullopt;
  const auto again = read_again(claim, request, verdict);
  VL_CHECK(again && checker::digest(*again) == checker::digest(*statement),
           "the texts of a case say something else when they are read again");
  if (proved != nullptr) proved->trust = question::Trust::Checked;
  if (options.folder.empty()) return std::nullopt;
  const auto folder = std::filesystem::path(options.folder) / (proved != nullptr ? "" : "refuted");
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const auto path = folder / (stem + (options.compact ? ".cbor" : ".json"));
  std::ofstream file(path, std::ios::binary);
  file << checker::print(*made, options.compact);
  file.close();
  return file ? std::nullopt : std::optional(path.string());
}

}  // namespace vl::session
