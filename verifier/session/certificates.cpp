#include "verifier/session/certificates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "encodings/base/files.h"
#include "verifier/checker/certificate.h"
#include "verifier/checker/texts.h"
#include "verifier/session/operation_text.h"
#include "verifier/session/profiles.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Refuted;

// Different texts have different file names.
std::string file_name_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  constexpr std::size_t kLongest = 180;  // a name has at most 255 bytes, with the claim and the suffix
  if (out.size() <= kLongest) return out;
  constexpr std::size_t kDigits = 32, kDigestAt = sizeof "sha256:" - 1;
  return checker::digest_of(std::string(text)).substr(kDigestAt, kDigits) + "-" +
         out.substr(out.size() - kLongest + kDigits + 1);
}

// The statement, from the texts, which are read again.
std::optional<checker::Statement> stated_again(const ClaimRequest& claim, const CaseRequest& request,
                                               const question::Verdict& verdict, ReadAgain& reading) {
  const TensorReading* again = reading.subject();
  if (again == nullptr) return std::nullopt;
  const auto bound = bind(claim, request, *again, {});
  if (!std::holds_alternative<Bound>(bound) || !std::get<Bound>(bound).about) return std::nullopt;
  return claims::statement_of(*claim.claim, *std::get<Bound>(bound).about, verdict,
                              texts_of(claim, request, *again, std::get<Bound>(bound).derived));
}

std::string_view engines_of(const question::Verdict& verdict) {
  if (const auto* proved = std::get_if<Proved>(&verdict)) return proved->engine;
  return std::get<Refuted>(verdict).engine;
}

}  // namespace

std::string stem_of(const CaseRequest& request, std::size_t number, const claims::Claim& claim) {
  return stem_of(request.stem.empty() ? request.id.value_or("layout") : request.stem, number, claim.name);
}

std::string stem_of(std::string_view id, std::size_t number, std::string_view claim) {
  return fmt::format("{}.{}-{}", file_name_of(id), number, claim);
}

std::optional<Diagnostic> write_certificate(const checker::Certificate& made, const CertificateOptions& options,
                                            const std::string& stem) {
  const auto folder = std::filesystem::path(options.folder) / (made.statement.verdict == "proved" ? "" : "refuted");
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const std::string path = (folder / (stem + (options.compact ? ".cbor" : ".json"))).string();
  const auto error = write_whole(path, checker::print(made, options.compact), {.sync = false});
  return error ? std::optional(Diagnostic{path, 0, 0, error->message, {}, 0}) : std::nullopt;
}

const TensorReading* ReadAgain::subject() {
  if (!read_) read_ = read_tensor(request_);
  return std::get_if<TensorReading>(&*read_);
}

void add_texts_of_claim(const ClaimRequest& claim, const CaseRequest& request, claims::Texts& out) {
  const use::Family* own = family_of(request.layout.text, {});
  if (!request.family.empty() && (own == nullptr || own->name != request.family))
    out.arguments["family"] = request.family;
  std::map<std::string, std::optional<std::string>> files;
  for (const ClaimArgument& argument : claim.arguments) {
    const SourceText& text = argument.text;
    out.arguments[argument.key] = text.text;
    const std::string path(profile_path(argument.key, text.text));
    if (path.empty()) continue;
    files[argument.key] = text.contents != nullptr ? std::optional(*text.contents) : canonical_profile(path);
  }
  for (const auto& [key, text] : files)
    out.files.push_back(text ? checker::FileText{key, *text, checker::digest_of(*text)}
                             : checker::FileText{key, {}, {}});
  if (claim.transfer != nullptr && claims::is_about_tiles(*claim.claim))
    for (std::size_t k = 0; k < claim.transfer->texts.size(); ++k)
      out.arguments[fmt::format("transfer {}", k + 1)] = claim.transfer->texts[k].text;
  if (claim.division) out.arguments["splits"] = text_of_division(*claim.division);
  if (claim.nests != nullptr) out.arguments["direction"] = use::name(claim.nests->direction);
  if (claim.rule_nests != nullptr) out.arguments["direction"] = use::name(claim.rule_nests->direction);
  if (claim.operation) out.operation = text_of_operation(*claim.operation);
}

claims::Texts texts_of(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject,
                       const std::vector<checker::DerivedText>& derived) {
  claims::Texts texts{request.layout.text, map::print(subject.tensor), {}};
  if (request.strides) texts.arguments["strides"] = fmt::format("{}", fmt::join(*request.strides, ","));
  if (request.offset != 0) texts.arguments["offset"] = std::to_string(request.offset);
  if (request.view_offset != 0) texts.arguments["view_offset"] = std::to_string(request.view_offset);
  if (request.box) texts.arguments["box"] = request.box->text;
  add_derived(request.layout.text, subject.reading, texts.derived);
  for (const checker::DerivedText& one : derived)
    if (std::ranges::find(texts.derived, one) == texts.derived.end()) texts.derived.push_back(one);
  add_texts_of_claim(claim, request, texts);
  return texts;
}

question::RestsOn rests_on(const checker::Statement& statement, const checker::Evidence& evidence) {
  std::set<std::string> families;
  const auto add = [&](const std::string& text, std::string_view forced) {
    if (const use::Family* family = family_of(text, forced)) families.emplace(family->name);
  };
  const auto arguments = statement.arguments.value_or(std::map<std::string, std::string>{});
  const auto forced = arguments.find("family");
  add(statement.layout, forced != arguments.end() ? std::string_view(forced->second) : std::string_view());
  for (const auto& [key, text] : arguments) add(text, {});
  if (statement.operation)
    for (const checker::OperandText& operand : statement.operation->operands) add(operand.layout, {});
  return {claims::files_entered(statement, evidence), {families.begin(), families.end()}};
}

Certified certify(const ClaimRequest& claim, const CaseRequest& request, const TensorReading& subject,
                  const Bound& bound, question::Verdict& verdict, const CertificateOptions& options,
                  const std::string& stem, const Budget& budget, ReadAgain& reading) {
  const auto start = std::chrono::steady_clock::now();
  const auto took = [&] { return std::chrono::steady_clock::now() - start; };
  auto* proved = std::get_if<Proved>(&verdict);
  if (proved == nullptr && (options.folder.empty() || !std::holds_alternative<Refuted>(verdict))) return {};
  const auto statement =
      claims::statement_of(*claim.claim, *bound.about, verdict, texts_of(claim, request, subject, bound.derived));
  if (statement && checker::check_texts(*statement)) return {took()};  // with such texts it is only trusted
  auto made = statement
                  ? claims::evidence_of(*claim.claim, *statement, verdict, claims::Effort(engines_of(verdict), budget))
                  : std::nullopt;
  if (!made) return {took()};
  const auto again = stated_again(claim, request, verdict, reading);
  VL_CHECK(again && *again == *statement, "the texts of a case say something else when they are read again");
  if (proved != nullptr) proved->trust = question::Trust::Checked;
  Certified out{took()};
  if (options.explain && proved != nullptr) out.rests_on = rests_on(*statement, *made);
  if (!options.folder.empty())
    out.unwritten = write_certificate(claims::certificate_of(*statement, std::move(*made)), options, stem);
  return out;
}

}  // namespace vl::session
