#include "verifier/session/rule_certificates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/use/memory_space.h"
#include "verifier/checker/texts.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/rule_accesses.h"
#include "verifier/session/rule_kinds.h"
#include "verifier/session/rule_masks.h"
#include "verifier/session/rule_words.h"
#include "verifier/session/transfer_sizes.h"

namespace vl::session {

using claims::Lifted;

std::optional<map::Expression> measured(const claims::Claim& claim, const map::Rule& rule, const RuleNumbers& numbers) {
  if (numbers.value) return numbers.value;
  if (claim.lifted != Lifted::Padding) return std::nullopt;
  return map::product_of(extents_of(rule)) - points_of(rule);
}

namespace {

// `occupied`, unless it asks that the cores are full.
bool is_about_cores_alone(const ClaimRequest& claim) {
  const SourceText* cores = claim.text("cores");
  return claim.claim->lifted == Lifted::Occupied && (cores == nullptr || cores->text != "full");
}

map::Rule kept_of(const ClaimRequest& claim, const map::Rule& rule) {
  const auto shape = mask_shape(claim);
  const auto* sizes = std::get_if<std::vector<map::Expression>>(&shape);
  auto kept = sizes != nullptr ? kept_by_mask(rule, *sizes) : std::nullopt;
  VL_CHECK(kept.has_value(), "a mask of which nothing is kept");
  return std::move(*kept);
}

RulesOfKind kind_of(const ClaimRequest& claim, const use::Reading& reading) {
  auto found = rules_of_kind(claim, reading);
  VL_CHECK(std::holds_alternative<RulesOfKind>(found), "padding of no kind");
  return std::move(std::get<RulesOfKind>(found));
}

map::Rule cores_of(map::Rule rule) {
  std::erase_if(rule.places, [](const map::RulePlace& place) { return place.name == map::kMemoryAxis; });
  return rule;
}

void add_derived_rules(const std::string& text, const use::Reading& reading, claims::Texts& texts) {
  constexpr std::size_t kMostDerived = 64;  // each has the whole text with it; of more there is no certificate
  if (reading.derived_rules.size() > kMostDerived) return texts.derived_rules.push_back({text, {}, {}, {}});
  for (const use::RuleDerivation& one : reading.derived_rules)
    texts.derived_rules.push_back({text, one.operation, claims::text_of(one.result), claims::text_of(one.expected)});
}

// What operations in the second layout's text give, where that is a rule.
void add_derived_of_second(const ClaimRequest& claim, const CaseRequest& request, claims::Texts& texts) {
  const SourceText* with = claim.text("with");
  const use::Family* family = with != nullptr ? family_of(with->text, request.family) : nullptr;
  if (family == nullptr || family->read_rule == nullptr) return;
  CaseRequest other = request;
  other.layout = *with;
  const auto read = read_rule_case(other, *family);
  if (const auto* rule = std::get_if<RuleReading>(&read)) add_derived_rules(with->text, rule->reading, texts);
}

// The tensor as it was written: 64*ceil(M/64) and ceil(M/64)*64 are printed alike and read as two expressions.
claims::Texts texts_of(const ClaimRequest& claim, const CaseRequest& request, const RuleReading& read) {
  claims::Texts texts{request.layout.text, request.tensor.text, {}};
  if (request.where) texts.arguments["where"] = request.where->text;
  if (request.box) texts.arguments["box"] = request.box->text;
  if (request.named_strides) texts.arguments["strides"] = request.named_strides->text;
  else if (request.strides) texts.arguments["strides"] = fmt::format("{}", fmt::join(*request.strides, ","));
  if (request.named_offset) texts.arguments["offset"] = request.named_offset->text;
  else if (request.offset != 0) texts.arguments["offset"] = fmt::format("{}", request.offset);
  if (request.named_view_offset) texts.arguments["view_offset"] = request.named_view_offset->text;
  else if (request.view_offset != 0) texts.arguments["view_offset"] = fmt::format("{}", request.view_offset);
  add_derived_rules(request.layout.text, read.reading, texts);
  add_derived_of_second(claim, request, texts);
  add_texts_of_claim(claim, request, texts);
  return texts;
}

checker::Statement with_nests_of(const ClaimRequest& claim, const CaseRequest& request, const RuleReading& read,
                                 checker::Statement out) {
  if (claim.rule_nests->direction != use::Direction::DeviceToDevice)
    return claims::with_nests(std::move(out), *claim.rule_nests);
  const map::Rule& rule = *read.reading.rule_for_all_sizes();
  const auto from = rule_of_source(claim, request, rule, read.reading.space);
  VL_CHECK(std::holds_alternative<map::Rule>(from), "nests from a layout that cannot be read");
  const auto nests = use::with_elements(*claim.rule_nests, std::get<map::Rule>(from), rule);
  VL_CHECK(nests.has_value(), "nests of elements that are not known");
  return claims::with_nests(std::move(out), *nests, &std::get<map::Rule>(from));
}

}  // namespace

checker::Statement rule_statement(const ClaimRequest& claim, const CaseRequest& request, const RuleReading& read,
                                  const RuleNumbers& numbers) {
  const claims::Texts texts = texts_of(claim, request, read);
  const map::Rule& rule = *read.reading.rule_for_all_sizes();
  const Lifted lifted = claim.claim->lifted;
  std::optional<SizedRule> sized;
  if (lifted == Lifted::Bytes || lifted == Lifted::Fits) {
    auto found = sized_rule(rule, read.reading);  // else the checker accepts nothing
    if (auto* known = std::get_if<SizedRule>(&found)) sized = std::move(*known);
  }
  if (lifted == Lifted::PaddingKind) {
    const RulesOfKind kind = kind_of(claim, read.reading);
    auto out = claims::all_sizes_statement(*claim.claim, kind.rule, read.reading.rules, slots_of(kind), texts);
    return kind.other ? claims::with_rule(std::move(out), *kind.other) : out;
  }
  auto value = measured(*claim.claim, rule, numbers);
  if (lifted == Lifted::Bytes && sized) value = bytes_of(*sized);
  const map::Rule stated = sized                         ? sized->rule
                           : is_about_cores_alone(claim) ? cores_of(rule)
                           : lifted == Lifted::MaskExact ? kept_of(claim, rule)
                                                         : rule;
  checker::Statement out = claims::all_sizes_statement(*claim.claim, stated, read.reading.rules, value, texts);
  switch (lifted) {
    case Lifted::Bytes: out.bits = sized ? sized->bits : 0; break;
    case Lifted::Fits: out.bits = sized ? sized->bits : 0, out.at_most = numbers.number; break;
    case Lifted::Aligned:
    case Lifted::RowAligned: out.bits = read.reading.device_bits, out.base = numbers.number; break;
    case Lifted::Conflicts:
    case Lifted::Wavefronts: {
      const auto access = rule_access(claim, read);
      VL_CHECK(std::holds_alternative<engines::RuleAccess>(access), "an access that cannot be read");
      const auto& [lanes, element, origin] = std::get<engines::RuleAccess>(access);
      out.access = claims::rule_access_statement(lanes, origin);
      out.bits = read.reading.device_bits, out.at_most = claim.at_most;
      break;
    }
    case Lifted::No:
    case Lifted::Rules:
    case Lifted::InBox:
    case Lifted::Apart:
    case Lifted::Bijective:
    case Lifted::Onto:
    case Lifted::Padding:
    case Lifted::PaddingKind:
    case Lifted::Identity:
    case Lifted::Occupied:
    case Lifted::MaskExact:
    case Lifted::WayBack: break;
    case Lifted::Equal: {
      const auto other = rule_of_source(claim, request, rule, read.reading.space);
      VL_CHECK(std::holds_alternative<map::Rule>(other), "a layout that is equal to one that cannot be read");
      return claims::with_rule(std::move(out), std::get<map::Rule>(other));
    }
  }
  if (claim.rule_nests == nullptr) return out;
  return with_nests_of(claim, request, read, std::move(out));
}

namespace {

// Why the coordinates of the case's layout and of a second one are not those of the same cores; empty: they are.
std::string why_incomparable(const ClaimRequest& claim, const CaseRequest& request, const use::Reading& other) {
  const use::Family* family = family_of(request.layout.text, request.family);
  if (family == nullptr || family->read_rule == nullptr) return {};
  const auto read = read_rule_case(request, *family);
  const auto* own = std::get_if<RuleReading>(&read);
  if (own == nullptr) return {};
  const use::ChipPlaces &a = own->reading.chips, &b = other.chips;
  const bool on_cores = !a.alike.empty() || !a.nowhere.empty();
  if (on_cores && own->reading.unsized.empty() != other.unsized.empty())
    return "the rows of one layout are pages, and where these begin is not known: " +
           (other.unsized.empty() ? own->reading.unsized : other.unsized);
  if (on_cores && !own->reading.unsized.empty() && !is_to_itself(claim, request))
    return "the rows of both layouts are pages, and whether these have one length is not known for all sizes: " +
           own->reading.unsized;
  if (on_cores && own->reading.device_bits > 0 && other.device_bits > 0 &&
      own->reading.device_bits != other.device_bits)
    return fmt::format("places are counted in elements, which have {} bits in the first layout and {} in the second",
                       own->reading.device_bits, other.device_bits);
  if (a.alike == b.alike && (!a.alike.empty() || (a.nowhere.empty() && b.nowhere.empty()))) return {};
  const std::string& why = a.nowhere.empty() ? b.nowhere : a.nowhere;
  return why.empty()
             ? "the two layouts count their cores in other ways, and where these are on the chip is not encoded "
               "for all sizes"
             : "where the cores of the layouts are on the chip is not known for all sizes: " + why;
}

}  // namespace

std::variant<map::Rule, TextError, std::string> rule_of_source(const ClaimRequest& claim, const CaseRequest& request,
                                                               const map::Rule& rule, std::string_view space) {
  const SourceText* with = claim.text("with");
  if (with == nullptr) return "there is no second layout";
  CaseRequest other = request;
  other.layout = *with;
  const use::Family* family = family_of(with->text, request.family);
  if (family == nullptr || family->read_rule == nullptr)
    return "the second layout is of a system that is not encoded for all sizes";
  auto read = read_rule_case(other, *family);
  if (auto* wrong = std::get_if<TextError>(&read)) return std::move(*wrong);
  use::Reading& reading = std::get<RuleReading>(read).reading;
  if (const use::Undecidable* none = reading.undecidable()) return "of the second layout: " + none->reason;
  if (reading.rule_for_all_sizes() == nullptr) return "the second layout is not encoded for all sizes";
  const bool spaces = claim.claim->lifted == Lifted::Equal && !space.empty() && !reading.space.empty();
  const auto memories = spaces ? use::compare_memories(space, reading.space) : use::Memories::Same;
  if (claim.claim->lifted == Lifted::Equal && memories != use::Memories::Different)
    if (std::string why = why_incomparable(claim, request, reading); !why.empty()) return why;
  map::Rule out = std::get<map::Rule>(std::move(reading.what));
  if (spaces) {
    if (memories == use::Memories::Unknown)
      return fmt::format("the first layout lies in {} and the second in {}; whether that is one memory is not known",
                         space, reading.space);
    if (memories == use::Memories::Different) {
      map::RulePlace memory;
      memory.name = use::kMemorySpaceAxis, memory.unit = map::Unit::Core, memory.extent = 2, memory.constant = 1;
      out.places.push_back(std::move(memory));
    }
  }
  for (const map::Symbol& symbol : out.symbols) {
    const auto known = std::ranges::find(rule.symbols, symbol.name, &map::Symbol::name);
    if (known == rule.symbols.end())
      return fmt::format("the second layout has the name {}, which the first one lacks: exchange the two", symbol.name);
    if (known->low != symbol.low)
      return fmt::format("{} is {} or more in one layout and {} or more in the other", symbol.name, known->low,
                         symbol.low);
  }
  out.symbols = rule.symbols;
  std::vector<map::Condition> own = std::exchange(out.where, rule.where);
  if (claim.claim->lifted == Lifted::Equal)  // sizes that are none of the second layout do not count
    for (map::Condition& condition : own)
      if (std::ranges::find(rule.where, condition) == rule.where.end()) out.where.push_back(std::move(condition));
  return out;
}

bool is_to_itself(const ClaimRequest& claim, const CaseRequest& request) {
  const auto squeezed = [](const SourceText* text) {
    std::string said = text == nullptr ? std::string() : text->text;
    std::erase_if(said, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
    return said;
  };
  const std::string map = squeezed(claim.text("map"));
  return squeezed(claim.text("with")) == squeezed(&request.layout) && (map.empty() || map == "compiler");
}

const RuleReading& RuleCertificates::again(const ClaimRequest& claim) {
  const bool one = claims::is_about_one_descriptor(*claim.claim);  // of which each claim has its own rule
  if (one || !again_) {
    auto read = one ? read_sized_transfer(claim, request_)
                    : read_rule_case(request_, *family_of(request_.layout.text, request_.family));
    VL_CHECK(std::holds_alternative<RuleReading>(read), "the texts of a rule cannot be read again");
    again_ = std::move(std::get<RuleReading>(read));
  }
  return *again_;
}

Certified RuleCertificates::certify(const ClaimRequest& claim, std::span<const map::Sizes> instances,
                                    const RuleNumbers& numbers, const claims::Effort& effort,
                                    std::optional<checker::CasesProof> cases, question::Verdict& verdict,
                                    const std::string& stem) {
  const auto start = std::chrono::steady_clock::now();
  auto* proved = std::get_if<question::Proved>(&verdict);
  if (proved == nullptr) return {};
  const checker::Statement statement = rule_statement(claim, request_, read_, numbers);
  if (checker::check_texts(statement)) return {};
  auto made = claims::all_sizes_evidence(statement, instances, effort, std::move(cases));
  Certified out{std::chrono::steady_clock::now() - start};
  if (!made) return out;
  VL_CHECK(rule_statement(claim, request_, again(claim), numbers) == statement,
           "the texts of a rule say something else when they are read again");
  proved->trust = question::Trust::Checked;
  out.time = std::chrono::steady_clock::now() - start;
  if (options_.explain) out.rests_on = rests_on(statement, *made);
  if (!options_.folder.empty())
    out.unwritten = write_certificate(claims::certificate_of(statement, std::move(*made)), options_, stem);
  return out;
}

}  // namespace vl::session
