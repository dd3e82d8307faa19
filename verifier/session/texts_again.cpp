#include "verifier/session/texts_again.h"

#include <fmt/format.h>

#include "encodings/base/cursor.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/binding.h"
#include "verifier/session/certificates.h"
#include "verifier/session/operation_text.h"
#include "verifier/session/profiles.h"
#include "verifier/session/rule_accesses.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_kinds.h"
#include "verifier/session/rule_masks.h"
#include "verifier/session/swizzles.h"
#include "verifier/session/transfer_sizes.h"

namespace vl::session {
namespace {

using checker::Texts;

Texts different(std::string why) { return {false, std::move(why), {}}; }

Texts compared_with(const checker::Statement& said, const std::optional<checker::Statement>& stated) {
  return stated && *stated == said ? Texts{} : different("its texts say something else");
}

// The tensor as map::print writes it: f16[5,100,150] strides [15000,150,1] offset 2 view-offset 3 box m=8.
bool read_view(std::string_view text, CaseRequest& out) {
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) return false;
  out.tensor = SourceText::option("the tensor", std::string(text.substr(0, end + 1)));
  const std::string rest(text.substr(end + 1));
  Cursor in(rest);
  if (in.accept("strides")) out.strides = in.integer_list("strides");
  if (in.accept("offset")) out.offset = in.integer("an offset");
  if (in.accept("view-offset")) out.view_offset = in.integer("an offset");
  if (in.accept("box")) {
    in.skip_space();
    out.box = SourceText::option("the box", rest.substr(in.offset()));
    return !in.failed();
  }
  in.expect_end();
  return !in.failed() && out.offset >= 0 && out.view_offset >= 0;
}

question::Verdict verdict_of(const checker::Statement& said) {
  if (said.verdict == "refuted") return question::Refuted{};
  return question::Proved{{}, question::Trust::Checked, said.value};
}

// The nests as the statement has them in numbers: they stand in no text.
std::shared_ptr<const use::Transfer> transfer_of(const checker::TransferText& said, use::Direction direction) {
  const auto walk = [](const checker::Integers& from) {
    use::Walk out;
    if (!from.empty()) out.offset = from.front(), out.strides.assign(from.begin() + 1, from.end());
    return out;
  };
  use::Transfer out{direction, {}};
  for (const auto& nest : said.nests) out.nests.push_back({nest.extents, walk(nest.source), walk(nest.destination)});
  return std::make_shared<const use::Transfer>(std::move(out));
}

// Whether the claim is asked again besides: its statement has the numbers that are proved, and not all that it asks
// before them, as that an operation is covered, or that a layout says its size in memory. It can only reject: where the
// indices of an operation's inputs lie, and whether two share a slot, the statement's operands show
// (values_kernel/padded.h), so that no engine's word on it is taken.
bool is_asked_again(const claims::Claim& claim) {
  return claims::is_about_operation(claim) || claims::is_about<claims::RowsOfBytes>(claim) ||
         claims::is_about_tiles(claim) || claim.proof.front() == claims::Part::Stated;
}

// Whether a refutation says nothing because nothing is asked: a function of numbers that is asked for a number it has
// not (left-inverse without `outside`). Its statement shows where two functions differ, and not what they were asked.
bool asks_nothing(const claims::Claim& claim, const claims::Subject& about) {
  if (!claims::is_about<claims::NumberLaw>(claim)) return false;
  const question::Verdict again = claims::decide(claim, about, {}).verdict;
  const auto* unknown = std::get_if<question::Unknown>(&again);
  return unknown != nullptr && unknown->reason == question::Reason::Unsupported;
}

Texts compared(const checker::Statement& said, const ClaimRequest& claim, const CaseRequest& request,
               const TensorReading& subject) {
  const auto bound = bind(claim, request, subject, {});
  if (const auto* wrong = std::get_if<Diagnostic>(&bound)) return different(to_string(*wrong));
  const auto& about = std::get<Bound>(bound).about;
  if (!about) return different("its texts say no layout");
  if (said.verdict == "proved" && is_asked_again(*claim.claim) &&
      !std::holds_alternative<question::Proved>(claims::decide(*claim.claim, *about, {}).verdict))
    return different("the claim is not proved of its texts");
  if (said.verdict == "refuted" && asks_nothing(*claim.claim, *about))
    return different("the claim cannot be asked of its texts");
  return compared_with(said, claims::statement_of(*claim.claim, *about, verdict_of(said),
                                                  texts_of(claim, request, subject, std::get<Bound>(bound).derived)));
}

Texts compared_nests(const checker::Statement& said, ClaimRequest claim, const CaseRequest& request,
                     const TensorReading& subject, use::Direction direction) {
  if (subject.reading.layout() == nullptr) return different("its texts say no layout");
  for (const auto& nest : said.transfer->nests)
    if (nest.source.size() != nest.extents.size() + 1 || nest.destination.size() != nest.extents.size() + 1)
      return different("nests of other loops");
  if ((direction == use::Direction::DeviceToDevice) != (claim.text("with") != nullptr))
    return different("a second layout goes with nests between devices");
  claim.nests = transfer_of(*said.transfer, direction);
  return compared(said, claim, request, subject);
}

// A certificate of the command `swizzle`: its arguments are accesses, and the hardware.
Texts compared_swizzles(const checker::Statement& said, const ClaimRequest& claim, const CaseRequest& request,
                        const TensorReading& subject) {
  if (subject.reading.layout() == nullptr) return different("its texts say no layout");
  std::vector<SourceText> accesses;
  while (const SourceText* access = claim.text(fmt::format("access {}", accesses.size() + 1)))
    accesses.push_back(*access);
  const SourceText* hardware = claim.text("hardware");
  if (hardware == nullptr || claim.arguments.size() != accesses.size() + 1)
    return different("its arguments are not accesses and the hardware");
  const auto read = read_swizzle(subject, accesses, *hardware);
  if (const auto* wrong = std::get_if<Diagnostic>(&read)) return different(to_string(*wrong));
  return compared_with(said, claims::no_swizzle_statement(
                                 std::get<SwizzleReading>(read).task(),
                                 texts_of_search(request, std::get<SwizzleReading>(read), accesses, *hardware)));
}

// The transfers of a claim, which its arguments number from 1 on.
void take_transfers(ClaimRequest& claim) {
  TransferRequest transfers;
  while (const SourceText* text = claim.text(fmt::format("transfer {}", transfers.texts.size() + 1)))
    transfers.texts.push_back(*text);
  std::erase_if(claim.arguments, [](const ClaimArgument& one) { return one.key.starts_with("transfer "); });
  if (!transfers.texts.empty()) claim.transfer = std::make_shared<const TransferRequest>(std::move(transfers));
}

// The arguments of a claim, with what the files that they name say by the statement.
std::optional<Texts> take_arguments(const checker::Statement& said, CaseRequest& request, ClaimRequest& claim) {
  std::map<std::string, SourceText> taken;
  for (const auto& [key, text] : said.arguments.value_or(std::map<std::string, std::string>{}))
    taken[key] = SourceText::option(key, text);
  for (const checker::FileText& file : said.files.value_or(std::vector<checker::FileText>{}))
    if (const auto found = taken.find(file.key); found != taken.end())
      found->second.contents = std::make_shared<const std::string>(file.text);
  for (auto& [key, text] : taken) {
    const bool is_path = !profile_path(key, text.text).empty();
    if (is_path != (text.contents != nullptr)) return different("a file that is not stated");
    if (key == "box") request.box = text;
    else if (key == "family") request.family = text.text;
    else if (said.rule && key == "where") request.where = text;
    else if (said.rule && key == "strides") request.named_strides = text;
    else if (said.rule && key == "offset") request.named_offset = text;
    else if (said.rule && key == "view_offset") request.named_view_offset = text;
    else if (key == "strides" || key == "offset" || key == "view_offset" || key == "direction") continue;  // made again
    else claim.arguments.push_back({key, text});
  }
  return std::nullopt;
}

std::optional<use::Direction> direction_in(const checker::Statement& said) {
  if (!said.arguments || !said.arguments->contains("direction")) return std::nullopt;
  return use::direction_of(said.arguments->at("direction"));
}

// What a proof for all sizes proves of fits, aligned and row-aligned: bytes that its text says.
std::optional<Texts> compare_bytes(const checker::Statement& said, const ClaimRequest& claim,
                                   const CaseRequest& request, const use::Reading& reading) {
  const bool is_fits = claim.claim->lifted == claims::Lifted::Fits;
  if (!is_fits && claim.claim->lifted != claims::Lifted::Aligned && claim.claim->lifted != claims::Lifted::RowAligned)
    return std::nullopt;
  const auto bytes = read_bytes(claim, request, reading);
  if (const auto* wrong = std::get_if<Diagnostic>(&bytes)) return different(to_string(*wrong));
  if ((is_fits ? said.at_most : said.base) != std::get<Index>(bytes)) return different("another number of bytes");
  return std::nullopt;
}

// Whether a claim for all sizes is about what its texts say.
std::optional<Texts> refuse_rule(const checker::Statement& said, const ClaimRequest& claim, const CaseRequest& request,
                                 const RuleReading& again) {
  const claims::Lifted lifted = claim.claim->lifted;
  const map::Rule* rule = again.reading.rule_for_all_sizes();
  if (rule == nullptr) return different("its texts say no rule");
  if (lifted == claims::Lifted::WayBack && !is_to_itself(claim, request))
    return different("a layout change to another layout");
  if (lifted == claims::Lifted::WayBack && !rule->way_back) return different("its texts say no way back");
  if (said.access && !std::holds_alternative<engines::RuleAccess>(rule_access(claim, again)))
    return different("its texts say no access");
  if (lifted == claims::Lifted::MaskExact) {
    const auto shape = mask_shape(claim);
    const auto* sizes = std::get_if<std::vector<map::Expression>>(&shape);
    if (sizes == nullptr || !kept_by_mask(*rule, *sizes)) return different("its texts say no mask for all sizes");
  }
  if (lifted == claims::Lifted::PaddingKind) {
    const auto kind = rules_of_kind(claim, again.reading);
    if (const auto* why = std::get_if<std::string>(&kind)) return different(*why);
    // The statement counts boxes, and not elements: what it leaves out is asked again, which can only reject.
    if (!has_one_place_each(*rule)) return different("its texts do not say that each element has a place of its own");
  }
  const bool in_memory = lifted == claims::Lifted::Fits || lifted == claims::Lifted::RowAligned;
  if ((in_memory || lifted == claims::Lifted::Bytes) &&
      (!again.reading.unsized.empty() || (in_memory && !again.reading.spread.empty())))
    return different("its texts say no size in memory");
  if (again.reading.skips_cores && (claim.claim->of_slots || lifted == claims::Lifted::Bytes))
    return different("its texts say cores that do not begin at (0, 0)");
  return compare_bytes(said, claim, request, again.reading);
}

// A proof for all sizes.
Texts compared_rule(const checker::Statement& said, const CaseRequest& request, const ClaimRequest& claim) {
  const use::Family* family = family_of(said.layout, request.family);
  if (family == nullptr || family->read_rule == nullptr) return different("its texts say no rule");
  const auto read = read_rule_case(request, *family);
  if (const auto* wrong = std::get_if<TextError>(&read)) return different(to_string(wrong->diagnose()));
  const auto& again = std::get<RuleReading>(read);
  if (auto no = refuse_rule(said, claim, request, again)) return *no;
  const map::Rule& rule = *again.reading.rule_for_all_sizes();
  const bool is_equal = claim.claim->lifted == claims::Lifted::Equal;
  const bool is_kind = claim.claim->lifted == claims::Lifted::PaddingKind;  // which has no second layout
  const auto from = (said.from_rule && !is_kind) || is_equal
                        ? std::optional(rule_of_source(claim, request, rule, again.reading.space))
                        : std::nullopt;
  if (from && !std::holds_alternative<map::Rule>(*from)) return different("its texts say no second layout");
  checker::Statement stated = rule_statement(claim, request, again, {said.base ? said.base : said.at_most, {}});
  if (from) stated = claims::with_rule(std::move(stated), std::get<map::Rule>(*from));
  if (const auto direction = direction_in(said)) {
    if ((*direction == use::Direction::DeviceToDevice) != said.from_rule.has_value())
      return different("a second layout goes with nests between devices");
    if (!stated.arguments) stated.arguments.emplace();
    stated.arguments->emplace("direction", use::name(*direction));
  }
  stated.rule_nests = said.rule_nests;                               // they stand in no text
  if (said.access) stated.value_expression = said.value_expression;  // which the checker counts
  return compared_with(said, stated);
}

Texts read_and_compare(const checker::Statement& said) {
  CaseRequest request;
  ClaimRequest claim;
  const bool carried = said.claim == "carries" || said.fills;  // of a layout, though its statement may have nests
  claim.claim = claims::find_claim(said.claim, !carried && (said.transfer || said.rule_nests));
  const bool searched = said.claim == claims::kNoSwizzle;
  if (claim.claim == nullptr && !searched) return different("no claim of that name");
  request.is_stated = true;
  request.layout = SourceText::option("the layout", said.layout);
  if (claim.claim != nullptr && claims::is_about_one_descriptor(*claim.claim)) {
    if (auto no = take_arguments(said, request, claim)) return *no;
    return compared_transfer(said, claim, request);
  }
  if (said.rule) request.tensor = SourceText::option("the tensor", said.tensor);
  else if (!read_view(said.tensor, request)) return different("its tensor cannot be read");
  if (auto no = take_arguments(said, request, claim)) return *no;
  claim.at_most = claim.claim != nullptr && claim.claim->keys.has("at_most") ? said.at_most : std::nullopt;
  if (said.operation) claim.operation = operation_of(*said.operation);
  if (said.operation.has_value() != claim.operation.has_value()) return different("its operation cannot be read");
  if (carried) take_transfers(claim);
  const auto direction = direction_in(said);
  if (!carried && (said.transfer || said.rule_nests) && !direction) return different("its nests have no direction");
  if (said.rule && !searched) return compared_rule(said, request, claim);
  const auto subject = read_tensor(request);
  if (const auto* wrong = std::get_if<Diagnostic>(&subject)) return different(to_string(*wrong));
  const auto& again = std::get<TensorReading>(subject);
  if (searched) return compared_swizzles(said, claim, request, again);
  if (said.transfer && !carried) return compared_nests(said, std::move(claim), request, again, *direction);
  if (!claim.operation && !carried && !lacks(claim).empty()) return different(fmt::format("it lacks {}", lacks(claim)));
  return compared(said, claim, request, again);
}

}  // namespace

Texts read_texts_again(const checker::Statement& said) {
  Texts out = read_and_compare(said);
  for (const checker::FileText& file : said.files.value_or(std::vector<checker::FileText>{})) {
    const std::string path(profile_path(file.key, said.arguments->at(file.key)));
    if (out.same && canonical_profile(path) != file.text) out.unread.push_back(file.key);
  }
  return out;
}

}  // namespace vl::session
