#include "verifier/session/certificates.h"

#include <filesystem>
#include <fstream>

#include "verifier/checker/certificate.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Refuted;

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

// A path that could not be written.
std::optional<std::string> written(const checker::Certificate& made, bool is_proof, const CertificateOptions& options,
                                   const std::string& stem) {
  const auto folder = std::filesystem::path(options.folder) / (is_proof ? "" : "refuted");
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const auto path = folder / (stem + (options.compact ? ".cbor" : ".json"));
  std::ofstream file(path, std::ios::binary);
  file << checker::print(made, options.compact);
  file.close();
  return file ? std::nullopt : std::optional(path.string());
}

}  // namespace

claims::Texts texts_of(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject) {
  claims::Texts texts{request.layout.text, map::print(subject.tensor), {}};
  if (request.strides_text) texts.arguments["strides"] = request.strides_text->text;
  if (request.offset != 0) texts.arguments["offset"] = std::to_string(request.offset);
  if (request.view_offset != 0) texts.arguments["view_offset"] = std::to_string(request.view_offset);
  if (request.box) texts.arguments["box"] = request.box->text;
  for (const ClaimArgument& argument : claim.arguments) texts.arguments[argument.key] = argument.text.text;
  return texts;
}

Certified certify(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject,
                  const claims::Subject& about, question::Verdict& verdict, const CertificateOptions& options,
                  const std::string& stem, std::chrono::nanoseconds decision, std::chrono::nanoseconds most) {
  const auto start = std::chrono::steady_clock::now();
  const auto took = [&] { return std::chrono::steady_clock::now() - start; };
  auto* proved = std::get_if<Proved>(&verdict);
  if (proved == nullptr && (options.folder.empty() || !std::holds_alternative<Refuted>(verdict))) return {};
  const auto statement = claims::statement_of(*claim.claim, about, verdict, texts_of(claim, request, subject));
  const auto made =
      statement ? claims::certify(*claim.claim, *statement, verdict, claims::Effort(decision, most)) : std::nullopt;
  if (!made) return {took()};
  const auto again = read_again(claim, request, verdict);
  VL_CHECK(again && *again == *statement, "the texts of a case say something else when they are read again");
  if (proved != nullptr) proved->trust = question::Trust::Checked;
  Certified out{took()};
  if (!options.folder.empty()) out.unwritten = written(*made, proved != nullptr, options, stem);
  return out;
}

}  // namespace vl::session
