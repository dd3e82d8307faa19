#include "oracle/gate/dossier.h"

#include <fmt/format.h>

#include "encodings/base/printable.h"
#include "oracle/gate/right_answer.h"
#include "verifier/claims/claim.h"

namespace vl::gate {
namespace {

Index integer_at(const Json& of, std::string_view key) {
  const Json* value = of.find(key);
  return value != nullptr && value->integer() != nullptr ? *value->integer() : 0;
}

std::string text_at(const Json& of, std::string_view key) {
  const std::string* text = of.text(key);
  return text != nullptr ? printable(*text) : std::string();
}

// The words as a shell reads them.
std::string command_line(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::string out;
  for (const std::string& word : words) {
    out += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return printable(out);
}

}  // namespace

std::string to_markdown(const Dossier& dossier) {
  const Case& of = dossier.of;
  const std::string contract = text_at(dossier.finding, "contract");
  std::string out = fmt::format("# {}: {} of {}\n\n", printable(dossier.peer.name), of.op->name, of.family);
  out += fmt::format("{}\n\nVersion tried: {} {}.\n\n", printable(dossier.judgement.detail),
                     printable(dossier.peer.name), printable(dossier.peer.version));
  out += fmt::format("## The case\n```\n{}\n```\n", of.request.text());
  if (const Json* answer = dossier.finding.find("answer"); answer != nullptr && !answer->is_null())
    out += fmt::format("The answer:\n```\n{}\n```\n", print_json(*answer));
  if (!dossier.script.empty())
    out += fmt::format("\n## To see it\n```\n{}```\nprints\n```\n{}```\n", dossier.script,
                       printable_lines(dossier.printed));
  if (!dossier.asked.empty())
    out += fmt::format("\n## To ask again\n```\nverify-layout gate replay{}\n```\n", command_line(dossier.asked));
  out += "\n## The law\n";
  // Of nests the claim that failed; an operation has one claim else.
  const bool nests = of.op->kind == OpKind::Nests;
  const std::string_view law = nests ? std::string_view(dossier.judgement.kind) : of.op->claim;
  if (const claims::Claim* claim = law.empty() ? nullptr : claims::find_claim(law, nests))
    out += fmt::format("`{}`: {}.\n", claim->name, claim->statement);
  else out += "Values are compared with the layout's definition, element by element.\n";
  out += contract == "within"
             ? "The case keeps to the contract that the adapter states.\n"
             : "The adapter states no contract for this operation. If no document of the library states "
               "the law, this is a question, and not a defect.\n";
  if (const std::string convention = text_at(dossier.finding, "convention"); !convention.empty())
    out += fmt::format("It was judged under the convention `{}`.\n", convention);
  if (!dossier.judgement.right.is_null())
    out += fmt::format("\n## A place where it shows\n```\n{}\n```\n", print_json(dossier.judgement.right));
  if (const std::string right = right_answer(of); !right.empty())
    out += fmt::format("\n## A right answer\n`{}`, by the law of the operation.\n", right);
  out += fmt::format("\n## How often\n{} cases with this signature", integer_at(dossier.finding, "count"));
  if (!dossier.operation.is_null())
    out += fmt::format(" among {} of this operation", integer_at(dossier.operation, "asked"));
  out += fmt::format(": `{}`.\n", text_at(dossier.finding, "signature"));
  out += "\n## Not checked\nOther versions; whether it is known already; what depends on it.\n";
  return out;
}

std::string folder_name(std::string_view signature) {
  std::string out;
  for (const char c : signature.substr(0, 120)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    out += plain ? c : '_';
  }
  return out;
}

}  // namespace vl::gate
