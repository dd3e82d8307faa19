#include "verifier/report/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "encodings/base/words.h"

namespace vl::report {
namespace {

constexpr std::string_view kSolvers = "Z3, isl, CaDiCaL, cvc5";

bool has_family(const TrustedPart& part, const std::string& family) {
  return part.kind == Trusted::Family &&
         fmt::format(" {} ", part.name).find(fmt::format(" {} ", family)) != std::string::npos;
}

bool has_file(const TrustedPart& part, const std::string& file) { return std::ranges::count(part.files, file) > 0; }

bool is_about_values(const std::string& file) { return file.starts_with("verifier/values_kernel/"); }

bool is_about_programs(const std::string& file) {
  return file.starts_with("verifier/values_kernel/chain") || file == "verifier/checker/buffers.cpp";
}

bool rests_on(const question::RestsOn& proof, const TrustedPart& part) {
  const auto is_entered = [&](const std::string& file) { return has_file(part, file); };
  const auto is_read = [&](const std::string& family) { return has_family(part, family); };
  switch (part.kind) {
    case Trusted::Check: return part.always || std::ranges::any_of(proof.files, is_entered);
    case Trusted::Text: return true;
    case Trusted::Values: return std::ranges::any_of(proof.files, is_about_values);
    case Trusted::Programs: return std::ranges::any_of(proof.files, is_about_programs);
    case Trusted::Family: return std::ranges::any_of(proof.families, is_read);
    case Trusted::Beside: return false;
  }
  VL_CHECK(false, "unknown kind of a part");
}

std::string lines_of(Index lines, Index code) { return fmt::format("{} ({})", lines, code); }

std::string title_of(const TrustedPart& part) {
  return part.kind != Trusted::Family
             ? std::string(part.name)
             : fmt::format("{} {}", part.name.find(' ') == std::string_view::npos ? "family" : "families", part.name);
}

}  // namespace

std::vector<const TrustedPart*> parts_of(const question::RestsOn& proof) {
  const auto known = [](const std::string& name, auto has) {
    VL_CHECK(std::ranges::any_of(trusted_parts(), [&](const TrustedPart& part) { return has(part, name); }),
             "no part of what is trusted: " + name);
  };
  for (const std::string& file : proof.files) known(file, has_file);
  for (const std::string& family : proof.families) known(family, has_family);
  std::vector<const TrustedPart*> out;
  for (const TrustedPart& part : trusted_parts())
    if (rests_on(proof, part)) out.push_back(&part);
  return out;
}

void count(const question::Answer& answer, Rests& rests) {
  if (!std::holds_alternative<question::Proved>(answer.verdict)) return;
  ++rests.proofs;
  if (!answer.rests_on) return static_cast<void>(++rests.trusted);
  for (const TrustedPart* part : parts_of(*answer.rests_on)) ++rests.parts[part->name];
}

std::string trust_to_text(const question::Answer& answer) {
  const auto* proved = std::get_if<question::Proved>(&answer.verdict);
  if (proved == nullptr) return {};
  if (!answer.rests_on) return fmt::format("      rests on the word of the engine {}\n", proved->engine);
  std::string out = fmt::format("      {:<22} {:>13}\n", "rests on", "lines (code)");
  Index lines = 0, code = 0;
  for (const TrustedPart* part : parts_of(*answer.rests_on)) {
    out += fmt::format("        {:<20} {:>13}  {}\n", title_of(*part), lines_of(part->lines, part->code), part->why);
    lines += part->lines, code += part->code;
  }
  out += fmt::format("        {:<20} {:>13}\n", "together", lines_of(lines, code));
  std::string beside;
  for (const TrustedPart& part : trusted_parts())
    if (part.kind == Trusted::Beside) beside += fmt::format("{}, ", part.name);
  return out + fmt::format("      and not on {}{}\n", beside, kSolvers);
}

std::string to_text(const Rests& rests) {
  std::string out = "| part | lines (of code) | proofs | trusted for |\n|---|---|---|---|\n", beside;
  Index lines = 0, code = 0;
  for (const TrustedPart& part : trusted_parts()) {
    const auto found = rests.parts.find(part.name);
    const bool used = found != rests.parts.end();
    if (!used && part.kind != Trusted::Beside) continue;
    if (used) lines += part.lines, code += part.code;
    (used ? out : beside) += fmt::format("| {} | {} | {} | {} |\n", title_of(part), lines_of(part.lines, part.code),
                                         used ? found->second : 0, part.why);
  }
  out += fmt::format("| together | {} | | |\n", lines_of(lines, code));
  out += beside + fmt::format("| {} | | 0 | what is undecided; proofs that are `trusted` |\n", kSolvers);
  if (rests.trusted > 0) out += fmt::format("| the word of an engine | | {} | itself |\n", rests.trusted);
  return out;
}

}  // namespace vl::report
