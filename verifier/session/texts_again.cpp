#include "verifier/session/texts_again.h"

#include <fmt/format.h>

#include "encodings/base/cursor.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/binding.h"
#include "verifier/session/certificates.h"
#include "verifier/session/rule_accesses.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/swizzles.h"

namespace vl::session {
namespace {

using Word = TextsAgain::Word;

TextsAgain different(std::string why) { return {Word::Different, std::move(why)}; }

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

// The argument's text is what the statement says of the tensor, where it is a text at all (a case file's list is none).
bool is_view_argument(std::string_view key, const std::string& text, CaseRequest& out) {
  if (key == "offset") return text == std::to_string(out.offset);
  if (key == "view_offset") return text == std::to_string(out.view_offset);
  if (key == "box") return out.box && (out.box->text = text, true);
  out.strides_text = SourceText::option("the strides", text);
  if (text.empty()) return out.strides.has_value();
  Cursor in(text);
  std::vector<Index> strides;
  if (in.peek() == '[' || in.peek() == '(') {
    strides = in.integer_list("strides");
  } else {
    do strides.push_back(in.integer("strides"));
    while (in.accept(","));
  }
  in.expect_end();
  return !in.failed() && out.strides == strides;
}

// A division as the statement has it in numbers, where its text is a place in a case file.
use::Division division_of(const checker::DivisionText& said) {
  use::Division out;
  out.splits = said.splits, out.scales = said.scales, out.order.assign(said.order.begin(), said.order.end());
  out.cores = said.cores, out.span = said.span, out.stick = said.stick, out.sticks = said.sticks;
  if (!said.slices) return out;
  out.slices.emplace();
  for (const auto& sides : *said.slices) {
    use::Slice& slice = out.slices->emplace_back();
    for (const auto& side : sides) slice.push_back({side.at(0), side.at(1)});
  }
  return out;
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

TextsAgain compared(const checker::Statement& said, const ClaimRequest& claim, const CaseRequest& request,
                    const TensorReading& subject) {
  const auto bound = bind(claim, request, subject, {});
  if (const auto* wrong = std::get_if<Diagnostic>(&bound)) return different(to_string(*wrong));
  if (!std::get<Bound>(bound).about) return different("its texts say no layout");
  const auto stated = claims::statement_of(*claim.claim, *std::get<Bound>(bound).about, verdict_of(said),
                                           texts_of(claim, request, subject));
  if (!stated || *stated != said) return different("its texts say something else");
  return {};
}

// A statement does not say which of its memories is the host's.
TextsAgain compared_nests(const checker::Statement& said, ClaimRequest claim, const CaseRequest& request,
                          const TensorReading& subject) {
  if (subject.reading.layout() == nullptr) return different("its texts say no layout");
  for (const auto& nest : said.transfer->nests)
    if (nest.source.size() != nest.extents.size() + 1 || nest.destination.size() != nest.extents.size() + 1)
      return different("nests of other loops");
  std::vector<use::Direction> directions{use::Direction::HostToDevice, use::Direction::DeviceToHost};
  if (claim.text("with") != nullptr) directions = {use::Direction::DeviceToDevice};
  TextsAgain out;
  for (const use::Direction direction : directions) {
    claim.nests = transfer_of(*said.transfer, direction);
    out = compared(said, claim, request, subject);
    if (out.word == Word::Same) break;
  }
  return out;
}

// A certificate of the command `swizzle`: its arguments are accesses, and the hardware.
TextsAgain compared_swizzles(const checker::Statement& said, const ClaimRequest& claim, const CaseRequest& request,
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
  const auto stated = claims::no_swizzle_statement(std::get<SwizzleReading>(read).task(),
                                                   texts_of_search(request, subject, accesses, *hardware));
  if (!stated || *stated != said) return different("its texts say something else");
  return {};
}

// Whether hardware is named by its file.
bool is_file(std::string_view text) { return text.find('/') != std::string_view::npos || text.ends_with(".toml"); }

// A proof for all sizes: its arguments are conditions, a box, the host's strides and offsets, and of fits the capacity.
TextsAgain compared_rule(const checker::Statement& said, ClaimRequest claim) {
  CaseRequest request;
  request.layout = SourceText::option("the layout", said.layout);
  request.tensor = SourceText::option("the tensor", said.tensor);
  for (const auto& [key, text] : said.arguments.value_or(std::map<std::string, std::string>{})) {
    const SourceText given = SourceText::option(key, text);
    if (key == "where") request.where = given;
    else if (key == "box") request.box = given;
    else if (key == "strides") request.named_strides = given;
    else if (key == "offset") request.named_offset = given;
    else if (key == "view_offset") request.named_view_offset = given;
    else if (claim.claim->keys.has(key) || (said.from_rule && key == "with")) claim.arguments.push_back({key, given});
    else return different(fmt::format("'{}' is no argument for all sizes", key));
    if (key == "hardware" && is_file(text)) return {Word::NotRead, "its hardware stands in a file"};
    if (key != "capacity" && key != "base") continue;
    Cursor number(text);
    const Index bytes = number.integer("bytes");
    number.expect_end();
    if (number.failed()) return {Word::NotRead, fmt::format("its {} is that of a chip", key)};
    if ((key == "base" ? said.base : said.at_most) != bytes) return different(fmt::format("another {}", key));
  }
  if (claim.claim->lifted == claims::Lifted::WayBack && !is_to_itself(claim, request))
    return different("a layout change to another layout");
  const use::Family* family = family_of(said.layout, {});
  if (family == nullptr || family->read_rule == nullptr) return different("its texts say no rule");
  const auto read = read_rule_case(request, *family);
  if (const auto* wrong = std::get_if<TextError>(&read)) return different(to_string(wrong->diagnose()));
  const auto& again = std::get<RuleReading>(read);
  if (again.reading.rule_for_all_sizes() == nullptr) return different("its texts say no rule");
  if (claim.claim->lifted == claims::Lifted::WayBack && !again.reading.rule_for_all_sizes()->way_back)
    return different("its texts say no way back");
  if (said.access) {
    claim.at_most = said.at_most;
    if (const auto access = rule_access(claim, again); !std::holds_alternative<engines::RuleAccess>(access))
      return different("its texts say no access");
  }
  const map::Rule& rule = *again.reading.rule_for_all_sizes();
  const bool is_fits = claim.claim->lifted == claims::Lifted::Fits;
  if ((is_fits || claim.claim->lifted == claims::Lifted::Bytes) &&
      (!again.reading.unsized.empty() || (is_fits && !again.reading.spread.empty())))
    return different("its texts say no size in memory");
  if (again.reading.skips_cores && (claim.claim->of_slots || claim.claim->lifted == claims::Lifted::Bytes))
    return different("its texts say cores that do not begin at (0, 0)");
  const bool is_equal = claim.claim->lifted == claims::Lifted::Equal;
  const auto from = said.from_rule || is_equal
                        ? std::optional(rule_of_source(claim, request, rule, again.reading.space))
                        : std::nullopt;
  if (from && !std::holds_alternative<map::Rule>(*from)) return different("its texts say no second layout");
  checker::Statement stated = rule_statement(claim, request, again, {said.base ? said.base : said.at_most, {}});
  if (from) stated = claims::with_rule(std::move(stated), std::get<map::Rule>(*from));
  stated.rule_nests = said.rule_nests;                               // they stand in no text
  if (said.access) stated.value_expression = said.value_expression;  // which the checker counts
  return stated == said ? TextsAgain{} : different("its texts say something else");
}

}  // namespace

TextsAgain read_texts_again(const checker::Statement& said) {
  CaseRequest request;
  ClaimRequest claim;
  claim.claim = claims::find_claim(said.claim, said.transfer || said.rule_nests);
  const bool searched = said.claim == claims::kNoSwizzle;
  if (claim.claim == nullptr && !searched) return different("no claim of that name");
  if (said.rule && claim.claim != nullptr) return compared_rule(said, claim);
  request.layout = SourceText::option("the layout", said.layout);
  if (!read_view(said.tensor, request)) return different("the tensor's text is none");
  for (const auto& [key, text] : said.arguments.value_or(std::map<std::string, std::string>{})) {
    if (key == "strides" || key == "offset" || key == "view_offset" || key == "box") {
      if (!is_view_argument(key, text, request)) return different(fmt::format("'{}' is not that of the tensor", key));
    } else {
      claim.arguments.push_back({key, SourceText::option(key, text)});
      if (key == "hardware" && is_file(text)) return {Word::NotRead, "its hardware stands in a file"};
    }
  }
  claim.at_most = said.at_most;
  if (const SourceText* splits = claim.text("splits"); said.division && splits != nullptr && splits->text.empty())
    claim.division = division_of(*said.division);
  const auto subject = read_tensor(request);
  if (const auto* wrong = std::get_if<Diagnostic>(&subject)) return different(to_string(*wrong));
  const auto& again = std::get<TensorReading>(subject);
  if (searched) return compared_swizzles(said, claim, request, again);
  if (said.transfer) return compared_nests(said, std::move(claim), request, again);
  if (claims::is_about_operation(*claim.claim)) return {Word::NotRead, "its operands stand in no text"};
  if (!lacks(claim).empty()) return different(fmt::format("it lacks {}", lacks(claim)));
  return compared(said, claim, request, again);
}

}  // namespace vl::session
