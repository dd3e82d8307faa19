#include "oracle/gate/dossier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/base/printable.h"
#include "verifier/claims/claim.h"
#include "verifier/session/judge.h"

namespace vl::gate {
namespace {

std::string tuple_of(const std::vector<Index>& values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

std::string argument_of(const Case& of, std::string_view key) {
  for (const CaseArgument& argument : of.arguments)
    if (argument.key == key) return argument.text;
  return {};
}

// The operation behind its layout, as the family's notation has it; empty for operations that it does not have.
std::string operation_text(const Case& of) {
  const std::string_view name = of.op->name;
  if (name == "derive.canonical") return ".canonicalize()";
  if (name == "derive.pack" || name == "derive.unpack")
    return fmt::format(".{}({})", name.substr(7), argument_of(of, "factor"));
  if (name == "derive.slice")
    return fmt::format(".slice({}, [{}])", tuple_of(of.tensor.size), argument_of(of, "region"));
  if (name == "derive.group") return fmt::format(".group({})", argument_of(of, "shape"));
  if (name == "derive.tile")
    return fmt::format(".tile({}, {}, {})", argument_of(of, "outer"), argument_of(of, "outer_shape"),
                       tuple_of(of.tensor.size));
  return {};
}

Index integer_at(const Json& of, std::string_view key) {
  const Json* value = of.find(key);
  return value != nullptr && value->integer() != nullptr ? *value->integer() : 0;
}

std::string text_at(const Json& of, std::string_view key) {
  const std::string* text = of.text(key);
  return text != nullptr ? printable(*text) : std::string();
}

}  // namespace

std::string right_answer(const Case& of) {
  const std::string operation = operation_text(of);
  const use::Family& family = *use::family_of({}, of.family);
  if (operation.empty() || family.law == nullptr) return {};
  const std::string text = of.layout + operation;
  map::Tensor tensor = of.tensor;
  if (family.elements != nullptr)
    if (const auto count = family.elements(text)) tensor.size = {*count};
  tensor.strides.reset();
  const auto read = session::read_layout(session::SourceText::option("the operation", text), of.family, tensor);
  const auto* reading = std::get_if<use::Reading>(&read);
  return reading != nullptr && reading->layout() != nullptr ? reading->normal : std::string();
}

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
  out += "\n## The law\n";
  if (const claims::Claim* claim = of.op->claim.empty() ? nullptr : claims::find_claim(of.op->claim))
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
