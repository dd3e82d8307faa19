#include "verifier/session/certificates.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "verifier/claims/proofs/certify.h"

namespace vl::session {
namespace {

using question::Proved;
using question::Refuted;

claims::Texts texts_of(const ClaimRequest& claim, const CaseRequest& request, const Subject& subject) {
  claims::Texts texts{request.layout.text, map::print(subject.tensor), {}};
  if (request.strides_text) texts.arguments.emplace_back("strides", request.strides_text->text);
  if (request.offset != 0) texts.arguments.emplace_back("offset", std::to_string(request.offset));
  if (request.view_offset != 0) texts.arguments.emplace_back("view_offset", std::to_string(request.view_offset));
  if (request.box) texts.arguments.emplace_back("box", request.box->text);
  if (claim.with) texts.arguments.emplace_back("with", claim.with->text);
  for (const ClaimArgument& argument : claim.arguments) texts.arguments.emplace_back(argument.key, argument.text.text);
  return texts;
}

// The statement, from the texts, which are read again.
std::optional<nlohmann::json> read_again(const ClaimRequest& claim, const CaseRequest& request,
                                         const question::Verdict& verdict) {
  const auto subject = read_subject(request);
  if (!std::holds_alternative<Subject>(subject)) return std::nullopt;
  const auto& again = std::get<Subject>(subject);
  const auto comparison = comparison_of(claim, request, again, {});
  if (!std::holds_alternative<Comparison>(comparison)) return std::nullopt;
  return claims::statement_of(*claim.claim, subject_of(claim, again, std::get<Comparison>(comparison)), verdict,
                              texts_of(claim, request, again));
}

}  // namespace

claims::Subject subject_of(const ClaimRequest& claim, const Subject& subject, const Comparison& comparison) {
  using namespace claims;
  const map::Layout& layout = *subject.reading.layout();
  const int bits = subject.reading.device_bits;
  const auto given = [](const auto& part) -> const auto& {
    VL_CHECK(static_cast<bool>(part), "a claim is asked without what it needs");
    return *part;
  };
  const auto second = [&]() -> const map::Layout& { return *given(comparison.layout).layout(); };
  return std::visit(
      overloaded{
          [&](DecideOf<OneLayout>) -> claims::Subject { return OneLayout{layout}; },
          [&](DecideOf<TextRules>) -> claims::Subject { return TextRules{subject.reading.rules}; },
          [&](DecideOf<Sized>) -> claims::Subject {
            return Sized{layout, bits};
          },
          [&](DecideOf<Pair>) -> claims::Subject {
            return Pair{layout, second()};
          },
          [&](DecideOf<WayBack>) -> claims::Subject {
            return WayBack{layout, second()};
          },
          [&](DecideOf<SharedBuffer>) -> claims::Subject {
            return SharedBuffer{layout, second(), comparison.at};
          },
          [&](DecideOf<LawResult>) -> claims::Subject {
            const use::Law& law = given(comparison.law);
            return LawResult{second(), law.expected, law.rules};
          },
          [&](DecideOf<Based>) -> claims::Subject {
            return Based{layout, bits, comparison.base};
          },
          [&](DecideOf<Accessed>) -> claims::Subject {
            return Accessed{given(comparison.reach), claim.at_most};
          },
          [&](DecideOf<Divided>) -> claims::Subject {
            return Divided{layout, given(comparison.division), bits};
          },
          [&](DecideOf<Transferred>) -> claims::Subject {
            return Transferred{layout, given(claim.nests), comparison.layout ? comparison.layout->layout() : nullptr};
          },
          [&](DecideOf<Operated>) -> claims::Subject { return Operated{given(comparison.operation)}; },
      },
      claim.claim->decide);
}

std::optional<std::string> certify(const ClaimRequest& claim, const CaseRequest& request, const Subject& subject,
                                   const Comparison& comparison, question::Verdict& verdict,
                                   const CertificateOptions& options, const std::string& stem) {
  auto* proved = std::get_if<Proved>(&verdict);
  if (proved == nullptr && (options.folder.empty() || !std::holds_alternative<Refuted>(verdict))) return std::nullopt;
  const claims::Subject about = subject_of(claim, subject, comparison);
  const auto statement = claims::statement_of(*claim.claim, about, verdict, texts_of(claim, request, subject));
  const auto made = statement ? claims::certify(*claim.claim, *statement, about, verdict) : std::nullopt;
  if (!made) return std::nullopt;
  VL_CHECK(read_again(claim, request, verdict) == statement,
           "the texts of a case say something else when they are read again");
  if (proved != nullptr) proved->trust = question::Trust::Checked;
  if (options.folder.empty()) return std::nullopt;
  const auto folder = std::filesystem::path(options.folder) / (proved != nullptr ? "" : "refuted");
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const auto path = folder / (stem + (options.compact ? ".cbor" : ".json"));
  std::ofstream file(path, std::ios::binary);
  if (options.compact) {
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(*made);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  } else {
    file << made->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
  file.close();
  return file ? std::nullopt : std::optional(path.string());
}

}  // namespace vl::session
