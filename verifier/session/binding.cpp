#include "verifier/session/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "verifier/claims/proofs/certify.h"
#include "verifier/session/arithmetic.h"
#include "verifier/session/chips.h"
#include "verifier/session/hardware.h"
#include "verifier/session/transfer_case.h"

namespace vl::session {
namespace {

std::variant<use::Division, Diagnostic> division_of(const ClaimRequest& claim, const map::Tensor& tensor) {
  const SourceText* text = claim.text("splits");
  VL_CHECK(text != nullptr, "a claim is asked without its division");
  auto division = claim.division ? Result<use::Division>(*claim.division) : use::parse_division(text->text);
  if (division) division = use::fitted(std::move(*division), tensor.size.size());
  if (!division) return text->diagnose(division.error());
  return std::move(*division);
}

}  // namespace

std::variant<AccessReading, Diagnostic> read_access(const SourceText& access, const TensorReading& subject,
                                                    std::span<const std::string> sizes) {
  auto parsed = use::parse_access(access.text, sizes);
  if (!parsed) return access.diagnose(parsed.error());
  AccessReading out{std::move(*parsed), std::nullopt};
  if (out.access.tv.empty()) return out;
  if (subject.reading.counts_first_fastest && subject.tensor.size.size() > 1)
    return access.diagnose({ErrorCode::Value,
                            "a layout of threads and values gives numbers of elements, which this layout's system "
                            "counts with the first dimension fastest: expected a tensor of one dimension",
                            out.access.tv_offset});
  map::Tensor threads;
  threads.size = {out.access.lanes};
  // A text that says its own size says how many values each lane has. Where it does not, reading it says what is wrong.
  if (const use::Family* family = family_of(out.access.tv, {}); family != nullptr && family->elements != nullptr)
    if (const auto size = family->elements(out.access.tv)) {
      if (*size % out.access.lanes != 0)
        return access.diagnose(
            {ErrorCode::Shape,
             fmt::format("{} elements are not the same number of values for each of {} lanes", *size, out.access.lanes),
             out.access.tv_offset});
      threads.size.push_back(*size / out.access.lanes);
    }
  SourceText text = access;
  text.text = out.access.tv;
  text.at += out.access.tv_offset;
  auto read = read_layout(text, {}, threads);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  add_derived(text.text, std::get<use::Reading>(read), out.derived);
  auto& what = std::get<use::Reading>(read).what;
  if (const auto* none = std::get_if<use::Undecidable>(&what))
    return text.diagnose({ErrorCode::Value, none->reason, 0});
  out.tv = std::get<map::Layout>(std::move(what));
  return out;
}

std::variant<engines::Reach, Diagnostic> read_reach(const SourceText& access, const SourceText& hardware,
                                                    const TensorReading& subject, std::span<const std::string> sizes,
                                                    std::vector<checker::DerivedText>* derived) {
  const auto profile = read_hardware(hardware);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&profile)) return *diagnostic;
  const auto read = read_access(access, subject, sizes);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return *diagnostic;
  const auto& [parsed, tv, made] = std::get<AccessReading>(read);
  if (derived != nullptr) derived->insert(derived->end(), made.begin(), made.end());
  auto reach = engines::reach_of(parsed, *subject.reading.layout(), tv ? &*tv : nullptr, subject.reading.device_bits,
                                 std::get<use::Hardware>(profile));
  if (!reach) return access.diagnose(reach.error());
  return std::move(*reach);
}

void add_derived(const std::string& text, const use::Reading& reading, std::vector<checker::DerivedText>& out) {
  constexpr std::size_t kMost = 64;  // each has the whole text with it, and a proof in every certificate
  if (reading.lawless || reading.derived.size() + reading.defined.size() > kMost) {
    out.push_back({text, {}, {}, {}});
    return;
  }
  const auto add = [&](checker::DerivedText said) {
    if (std::ranges::find(out, said) == out.end()) out.push_back(std::move(said));
  };
  for (const auto* list : {&reading.derived, &reading.defined})
    for (const use::Derivation& one : *list)
      add({text, one.operation, claims::text_of(one.result), claims::text_of(one.expected)});
}

std::variant<Index, Diagnostic> read_bytes(const ClaimRequest& claim, const CaseRequest& request,
                                           const use::Reading& reading) {
  std::vector<use::LawArgument> arguments;
  for (const ClaimArgument& given : claim.arguments) arguments.push_back({given.key, given.text.text});
  const auto text = [&](std::string_view key) {
    const SourceText* own = claim.text(key);
    return own != nullptr ? *own : request.layout;
  };
  const map::Tensor none;
  claims::Offer offer{.claim = claim.claim->name,
                      .tensor = none,
                      .reading = reading,
                      .family = *family_of(request.layout.text, request.family),
                      .text = request.layout.text,
                      .arguments = arguments};
  offer.diagnose = [&](std::string_view key, const Error& error) { return text(key).diagnose(error); };
  offer.read_chip = [&](std::string_view key, std::string_view name) {
    SourceText chip = text(key);
    chip.text = name;
    return read_chip(chip);
  };
  const auto bytes = claims::is_about<claims::Fitted>(*claim.claim)        ? claims::capacity_of(offer)
                     : claims::is_about<claims::RowsOfBytes>(*claim.claim) ? claims::row_alignment_of(offer)
                                                                           : claims::base_of(offer);
  if (offer.diagnostic) return std::move(*offer.diagnostic);
  VL_CHECK(bytes || offer.undecidable, "bytes that cannot be read, and nobody says why");
  if (!bytes) return request.layout.diagnose({ErrorCode::Value, offer.undecidable->reason, 0});
  return *bytes;
}

namespace {

auto read_other(const SourceText& said, const map::Tensor& of, const CaseRequest& request,
                const engines::Options& options, std::vector<checker::DerivedText>& derived) {
  auto read =
      request.is_stated ? read_stated_layout(said, request.family, of) : read_layout(said, request.family, of, options);
  if (const auto* made = std::get_if<use::Reading>(&read)) add_derived(said.text, *made, derived);
  return read;
}

// What was read of an operation, of whose operands the derived layouts are kept.
template <class Read, class Operands>
Read keeping_derived(Read read, const Operands& operands_of, std::vector<checker::DerivedText>& derived) {
  using Made = std::variant_alternative_t<0, Read>;
  if (const auto* made = std::get_if<Made>(&read))
    for (const use::Operand& operand : operands_of(*made)) add_derived(operand.text, operand.reading, derived);
  return read;
}

// What the claim's transfers move.
std::variant<use::TileMoves, Diagnostic> tiles_of(const ClaimRequest& claim, const CaseRequest& request) {
  if (claim.transfer == nullptr)
    return request.layout.diagnose({ErrorCode::Value,
                                    fmt::format("'{}' needs {}: --transfer TEXT, or the key 'transfer' of a "
                                                "case",
                                                claim.claim->name, claims::needs(*claim.claim)),
                                    0});
  return read_tiles(claim.transfer->texts);
}

}  // namespace

std::variant<Bound, Diagnostic> bind(const ClaimRequest& claim, const CaseRequest& request,
                                     const TensorReading& subject, const engines::Options& options) {
  const auto text = [&](std::string_view key) -> const SourceText& {
    const SourceText* own = claim.text(key);
    if (own == nullptr && key == "transfer" && claim.transfer != nullptr) own = &claim.transfer->texts.front();
    return own != nullptr ? *own : request.layout;
  };
  if (claims::is_about_nests(*claim.claim) && claim.nests == nullptr && claim.rule_nests != nullptr)
    return Bound{std::nullopt, "its nests have names for sizes, and are asked of one layout", {}, {}};
  std::vector<use::LawArgument> arguments;
  for (const ClaimArgument& given : claim.arguments) arguments.push_back({given.key, given.text.text});
  std::vector<std::string> warnings;
  std::vector<checker::DerivedText> derived;
  claims::Offer offer{.claim = claim.claim->name,
                      .tensor = subject.tensor,
                      .reading = subject.reading,
                      .family = *family_of(request.layout.text, request.family),
                      .text = request.layout.text,
                      .arguments = arguments,
                      .nests = claim.nests.get(),
                      .at_most = claim.at_most,
                      .places_alone = claim.places_alone};
  offer.diagnose = [&](std::string_view key, const Error& error) { return text(key).diagnose(error); };
  offer.read_second = [&](const map::Tensor& of) {
    VL_CHECK(claim.text("with") != nullptr, "a claim is asked without its second layout");
    return offer.read_key("with", of);
  };
  offer.read_key = [&](std::string_view key, const map::Tensor& of) {
    auto read = read_other(text(key), of, request, options, derived);
    if (const auto* other = std::get_if<use::Reading>(&read); other != nullptr && !key.empty())
      for (const std::string& warning : other->warnings) warnings.push_back(fmt::format("{}: {}", key, warning));
    return read;
  };
  offer.read_tiles = [&] { return tiles_of(claim, request); };
  offer.read_reach = [&] { return read_reach(text("access"), text("hardware"), subject, {}, &derived); };
  offer.read_chip = [&](std::string_view key, std::string_view name) {
    SourceText chip = text(key);  // its first word, so that a diagnostic points at it
    chip.text = name;
    return read_chip(chip);
  };
  offer.read_division = [&] { return division_of(claim, subject.tensor); };
  offer.read_operation = [&] {
    VL_CHECK(claim.operation.has_value(), "a claim is asked without its operation");
    return keeping_derived(
        read_operation(*claim.operation, request, subject),
        [](const use::Operation& made) { return std::span(made.operands); }, derived);
  };
  offer.read_padded = [&] {
    VL_CHECK(claim.operation.has_value(), "a claim is asked without its operation");
    return keeping_derived(
        read_padded(*claim.operation, request, subject),
        [](const claims::PaddedOperation& made) { return std::span(made.operation.operands); }, derived);
  };
  offer.read_arithmetic = [&](std::string_view key) { return read_arithmetic(text(key)); };
  auto about = claims::bind(*claim.claim, offer);
  if (offer.diagnostic) return std::move(*offer.diagnostic);
  VL_CHECK(about || offer.undecidable, "a claim binds nothing, and nobody says why");
  std::ranges::move(offer.notes, std::back_inserter(warnings));
  return Bound{std::move(about), offer.undecidable ? offer.undecidable->reason : "", std::move(warnings),
               std::move(offer.kept), std::move(derived)};
}

}  // namespace vl::session
