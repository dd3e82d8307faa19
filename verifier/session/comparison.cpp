#include "verifier/session/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/cursor.h"
#include "verifier/session/hardware.h"

namespace vl::session {
namespace {

// The work division of a claim that has one, for the tensor; nothing for other claims.
std::variant<std::optional<use::Division>, Diagnostic> division_of(const ClaimRequest& claim,
                                                                   const map::Tensor& tensor) {
  if (!claim.division_text) return std::nullopt;
  auto division =
      claim.division ? Result<use::Division>(*claim.division) : use::parse_division(claim.division_text->text);
  if (division) division = use::fitted(std::move(*division), tensor.size.size());
  if (!division) return claim.division_text->diagnose(division.error());
  return std::optional(std::move(*division));
}

const SourceText* argument(const ClaimRequest& claim, std::string_view key) {
  const auto found = std::ranges::find(claim.arguments, key, &ClaimArgument::key);
  return found == claim.arguments.end() ? nullptr : &found->text;
}

// The tensor of a second layout: for `inverse` the first one's places, for `disjoint` the claim's `with_tensor`, else
// the case's own.
std::variant<map::Tensor, Diagnostic> second_tensor(const ClaimRequest& claim, const Subject& subject,
                                                    const std::optional<use::Law>& law) {
  if (law) return law->tensor;
  if (const SourceText* text = argument(claim, "with_tensor")) {
    auto tensor = map::parse_tensor(text->text);
    if (tensor)
      if (const auto strides = map::host_strides(*tensor); !strides) tensor = strides.error();
    if (!tensor) return text->diagnose(tensor.error());
    tensor->box = subject.tensor.box;
    return std::move(*tensor);
  }
  if (!claims::is_about<claims::WayBack>(*claim.claim)) return subject.tensor;
  const map::Layout& layout = *subject.reading.layout();
  map::Tensor places;
  places.type = subject.tensor.type;
  places.size = map::extents_of(layout.filled() ? *layout.filled() : layout.physical());
  return places;
}

std::variant<use::Law, Diagnostic> law_of(const ClaimRequest& claim, const CaseRequest& request,
                                          const Subject& subject) {
  const use::Family& family = *family_of(request.layout.text, request.family);
  if (family.law == nullptr)
    return request.layout.diagnose(
        {ErrorCode::Value,
         "layouts of the family " + std::string(family.name) + " have no claim " + std::string(claim.claim->name), 0});
  std::vector<use::LawArgument> arguments;
  for (const ClaimArgument& given : claim.arguments) arguments.push_back({given.key, given.text.text});
  arguments.push_back({"with", claim.with->text});
  auto law = family.law(claim.claim->name, request.layout.text, subject.tensor, arguments);
  if (auto* made = std::get_if<use::Law>(&law)) return std::move(*made);
  const auto& [key, error] = std::get<use::LawError>(law);
  if (key == "with") return claim.with->diagnose(error);
  const SourceText* text = argument(claim, key);
  return (text != nullptr ? *text : request.layout).diagnose(error);
}

std::variant<Index, Diagnostic> base_of(const ClaimRequest& claim, const CaseRequest& request) {
  const SourceText* text = argument(claim, "base");
  if (text == nullptr)
    return request.layout.diagnose(
        {ErrorCode::Value, "the claim aligned needs the base's alignment in bytes: base = 1024", 0});
  Cursor in(text->text);
  const Index base = in.integer("the base's alignment in bytes");
  in.expect_end();
  if (base < 1) in.fail(ErrorCode::Value, "expected an alignment of at least 1 byte", 0);
  if (in.failed()) return text->diagnose(in.error());
  return base;
}

// The beginning of the second layout's memory. Its places must be as wide as the first one's.
std::variant<Index, Diagnostic> start_of(const ClaimRequest& claim, const Subject& subject,
                                         const use::Reading& second) {
  if (subject.reading.device_bits != second.device_bits)
    return claim.with->diagnose({ErrorCode::Value,
                                 fmt::format("places are counted in elements; expected elements of {} bits, not of {}",
                                             subject.reading.device_bits, second.device_bits),
                                 0});
  const SourceText* text = argument(claim, "at");
  if (text == nullptr) return 0;
  Cursor in(text->text);
  const Index at = in.integer("where the second layout's memory begins, in elements");
  in.expect_end();
  if (in.failed()) return text->diagnose(in.error());
  return at;
}

std::variant<engines::Reach, Diagnostic> reach_of(const ClaimRequest& claim, const CaseRequest& request,
                                                  const Subject& subject) {
  const SourceText* access = argument(claim, "access");
  const SourceText* hardware = argument(claim, "hardware");
  if (access == nullptr || hardware == nullptr)
    return request.layout.diagnose({ErrorCode::Value,
                                    "the claim " + std::string(claim.claim->name) +
                                        (access == nullptr ? " needs an access: access = \"lanes=32 …\""
                                                           : " needs the hardware: hardware = \"sm_90\""),
                                    0});
  return read_reach(*access, *hardware, subject);
}

}  // namespace

std::variant<AccessReading, Diagnostic> read_access(const SourceText& access) {
  auto parsed = use::parse_access(access.text);
  if (!parsed) return access.diagnose(parsed.error());
  AccessReading out{std::move(*parsed), std::nullopt};
  if (out.access.tv.empty()) return out;
  map::Tensor threads;
  threads.size = {out.access.lanes};
  // The size in the text gives the number of values per lane. If the text has no size, reading it gives the error.
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
  auto& [what, rules, normal, notes, bits, derived] = std::get<use::Reading>(read);
  if (const auto* none = std::get_if<use::Undecidable>(&what))
    return text.diagnose({ErrorCode::Value, none->reason, 0});
  out.tv = std::get<map::Layout>(std::move(what));
  return out;
}

std::variant<engines::Reach, Diagnostic> read_reach(const SourceText& access, const SourceText& hardware,
                                                    const Subject& subject) {
  const auto profile = read_hardware(hardware);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&profile)) return *diagnostic;
  const auto read = read_access(access);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return *diagnostic;
  const auto& [parsed, tv] = std::get<AccessReading>(read);
  auto reach = engines::reach_of(parsed, *subject.reading.layout(), tv ? &*tv : nullptr, map::bits(subject.tensor.type),
                                 std::get<use::Hardware>(profile));
  if (!reach) return access.diagnose(reach.error());
  return std::move(*reach);
}

std::variant<Comparison, Diagnostic> comparison_of(const ClaimRequest& claim, const CaseRequest& request,
                                                   const Subject& subject, const engines::Options& options) {
  Comparison out;
  const bool decidable = subject.reading.layout() != nullptr;
  const bool by_law = claims::is_about<claims::LawResult>(*claim.claim);
  // The second layout's tensor is made from the first layout.
  const bool from_first = by_law || claims::is_about<claims::WayBack>(*claim.claim);
  if (decidable && by_law) {
    auto law = law_of(claim, request, subject);
    if (auto* diagnostic = std::get_if<Diagnostic>(&law)) return std::move(*diagnostic);
    out.law = std::move(std::get<use::Law>(law));
  }
  if (claim.with && (decidable || !from_first)) {
    const auto tensor = second_tensor(claim, subject, out.law);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&tensor)) return *diagnostic;
    auto second = read_layout(*claim.with, request.family, std::get<map::Tensor>(tensor), options);
    if (auto* diagnostic = std::get_if<Diagnostic>(&second)) return std::move(*diagnostic);
    out.layout = std::move(std::get<use::Reading>(second));
  }
  if (decidable && claims::is_about<claims::SharedBuffer>(*claim.claim) && out.layout->layout() != nullptr) {
    const auto start = start_of(claim, subject, *out.layout);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&start)) return *diagnostic;
    out.at = std::get<Index>(start);
  }
  auto division = division_of(claim, subject.tensor);
  if (auto* diagnostic = std::get_if<Diagnostic>(&division)) return std::move(*diagnostic);
  out.division = std::move(std::get<std::optional<use::Division>>(division));
  if (claim.operation) {
    auto operation = read_operation(*claim.operation, request, subject);
    if (auto* diagnostic = std::get_if<Diagnostic>(&operation)) return std::move(*diagnostic);
    out.operation = std::move(std::get<use::Operation>(operation));
  }
  if (decidable && claims::is_about<claims::Accessed>(*claim.claim)) {
    auto reach = reach_of(claim, request, subject);
    if (auto* diagnostic = std::get_if<Diagnostic>(&reach)) return std::move(*diagnostic);
    out.reach = std::move(std::get<engines::Reach>(reach));
  }
  if (claims::is_about<claims::Based>(*claim.claim)) {
    const auto base = base_of(claim, request);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&base)) return *diagnostic;
    out.base = std::get<Index>(base);
  }
  return out;
}

}  // namespace vl::session
