#include "verifier/session/rule_nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_words.h"

namespace vl::session {
namespace {

using question::Reason;
using question::Unknown;

constexpr std::size_t kInstances = 64;

NoRuleNests unknown_nests(Reason reason, std::string why) { return {Unknown{reason, std::move(why), "polynomial"}}; }

// Sizes of which a layout exists: of each case of the nests' extents, and random ones.
std::vector<map::Sizes> existing_sizes(const map::Rule& rule, const use::RuleTransfer& transfer, Instances& instances) {
  std::vector<map::Sizes> out;
  std::vector<map::Expression> extents;
  for (const use::RuleNest& nest : transfer.nests)
    extents.insert(extents.end(), nest.extents.begin(), nest.extents.end());
  const std::vector<engines::Cell> cells = engines::parted(engines::cells_of(rule), extents);
  const auto keep = [&](const map::Sizes& sizes) {
    if (instances.at(sizes) != nullptr) out.push_back(sizes);
  };
  for (const engines::Cell& cell : cells)
    for (const map::Sizes& sizes : cell.samples(4)) keep(sizes);
  use::Random random(20261125, 6, 1);
  for (std::size_t k = 0; k < 4 * kInstances && !cells.empty() && out.size() < kInstances; ++k)
    if (const auto sizes = cells[random.below(cells.size())].drawn(random)) keep(*sizes);
  return out;
}

// Whether the conditions leave a nest without a move: N % 64 elements where N % 64 == 0.
bool is_empty_everywhere(const use::RuleNest& nest, const map::Rule& rule) {
  const auto cells = engines::cells_of(rule);
  return !cells.empty() && std::ranges::any_of(nest.extents, [&](const map::Expression& extent) {
    return std::ranges::all_of(cells, [&](const engines::Cell& cell) {
      const engines::OnCell value = cell.value(extent);
      const auto* polynomial = std::get_if<map::Polynomial>(&value);
      return polynomial != nullptr && polynomial->is_zero();
    });
  });
}

// A layout that nests move from or to.
struct Side {
  explicit Side(const CaseRequest& asked, RuleReading read_, const engines::Options& options)
      : request(asked), read(std::move(read_)), of{request, rule(), options}, instances(of) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  [[nodiscard]] const map::Rule& rule() const { return *read.reading.rule_for_all_sizes(); }

  CaseRequest request;
  RuleReading read;
  RuleCase of;
  Instances instances;
};

// The layout, in which each element has a slot; or why there is none.
std::variant<std::unique_ptr<Side>, NoRuleNests, Diagnostic> side_of(const CaseRequest& request,
                                                                     const JudgeOptions& options) {
  CaseRequest placed = request;
  placed.claims.assign(1, {});
  placed.claims.front().claim = claims::find_claim("in-bounds");
  auto judged = judge_for_all_sizes(placed, options);
  if (!judged)
    return unknown_nests(Reason::Unsupported, "layouts of this family with names are not encoded for all sizes");
  if (judged->diagnostic) return std::move(*judged->diagnostic);
  if (judged->answers.empty()) return unknown_nests(Reason::Unsupported, "the layout has no name");
  if (!std::holds_alternative<question::Proved>(judged->answers.front().verdict))
    return NoRuleNests{std::move(judged->answers.front().verdict)};
  auto read = read_rule_case(request, *family_of(request.layout.text, request.family));
  return std::make_unique<Side>(request, std::move(std::get<RuleReading>(read)), options.engines);  // read before
}

// What concrete engines say against the nests at some sizes; nothing where they do not. Counts what they prove.
std::optional<std::string> against(const use::RuleTransfer& transfer, const map::Sizes& sizes, Side& to, Side* from,
                                   std::size_t& proved) {
  const auto* layout = to.instances.at(sizes);
  const auto* source = from != nullptr ? from->instances.at(sizes) : layout;
  const auto at = use::instance(transfer, sizes);
  if (layout == nullptr || source == nullptr) return std::nullopt;
  if (!at) return at.error().message;
  const claims::Transferred about{*layout->subject.reading.layout(), *at,
                                  from != nullptr ? source->subject.reading.layout() : nullptr};
  bool all = true;
  for (const std::string_view name : {"covers-once", "implements"}) {
    const auto judged = claims::decide(*claims::find_claim(name, true), about, to.of.options);
    if (const auto* refuted = std::get_if<question::Refuted>(&judged.verdict))
      return refuted->counterexample.explanation;
    all = all && std::holds_alternative<question::Proved>(judged.verdict);
  }
  if (all) ++proved;
  return std::nullopt;
}

bool is_shown(std::string_view claim_name, const use::RuleTransfer& transfer, const Side& to, const Side* from,
              const std::vector<map::Sizes>& sizes) {
  ClaimRequest claim;
  claim.claim = claims::find_claim(claim_name, true);
  return claims::all_sizes_evidence(claims::with_nests(rule_statement(claim, to.request, to.read), transfer,
                                                       from != nullptr ? &from->rule() : nullptr),
                                    sizes)
      .has_value();
}

// Why nests that implement the layout are none: two elements share a slot, and only one of them can be written to it.
// Where the host has strides, they may share their source too, as replicas of one element do.
NoRuleNests not_served(const Side& to, const Side* from, const JudgeOptions& options) {
  NoRuleNests open = unknown_nests(Reason::OutOfReach,
                                   "the nests that were made are not shown to write each element once at all sizes");
  if (from != nullptr || to.request.strides || to.request.named_strides || !to.rule().replicas.empty()) return open;
  CaseRequest asked = to.request;
  asked.claims.assign(1, {});
  asked.claims.front().claim = claims::find_claim("injective");
  auto judged = judge_for_all_sizes(asked, options);
  if (!judged || judged->answers.size() != 1) return open;
  auto& verdict = judged->answers.front().verdict;
  return std::holds_alternative<question::Refuted>(verdict) ? NoRuleNests{std::move(verdict), "injective"} : open;
}

std::variant<ProvedRuleNests, NoRuleNests, Diagnostic> proved_nests(Result<use::RuleTransfer> transfer, Side& to,
                                                                    Side* from, const JudgeOptions& options) {
  if (!transfer) return unknown_nests(Reason::OutOfReach, transfer.error().message);
  std::erase_if(transfer->nests, [&](const use::RuleNest& nest) { return is_empty_everywhere(nest, to.rule()); });
  const std::vector<map::Sizes> sizes = existing_sizes(to.rule(), *transfer, to.instances);
  // Of a host without strides each element is in a place of its own: moved once, it is written once.
  const bool own_places =
      transfer->direction == use::Direction::DeviceToHost && !to.request.strides && !to.request.named_strides;
  if (!own_places && !is_shown("covers-once", *transfer, to, from, sizes)) return not_served(to, from, options);
  if (!is_shown("implements", *transfer, to, from, sizes))
    return unknown_nests(Reason::OutOfReach, "the nests that were made are not shown to be right at all sizes");
  std::size_t proved = 0;
  for (const map::Sizes& one : sizes)
    if (const auto no = against(*transfer, one, to, from, proved))
      return unknown_nests(Reason::EnginesDisagree,
                           fmt::format("the nests are proved for all sizes, and wrong at some: {}", *no));
  if (proved == 0) return unknown_nests(Reason::OutOfReach, "shown, but no instance was decided by another engine");
  return ProvedRuleNests{std::move(*transfer), view_of(to.rule(), to.read.where), proved};
}

}  // namespace

std::variant<ProvedRuleNests, NoRuleNests, Diagnostic> nests_for_all_sizes(const CaseRequest& request,
                                                                           const std::optional<SourceText>& from,
                                                                           use::Direction direction,
                                                                           const JudgeOptions& options) {
  auto to = side_of(request, options);
  if (auto* none = std::get_if<NoRuleNests>(&to)) return std::move(*none);
  if (auto* wrong = std::get_if<Diagnostic>(&to)) return std::move(*wrong);
  Side& target = *std::get<0>(to);
  if (!from) return proved_nests(use::synthesise(target.rule(), direction), target, nullptr, options);
  CaseRequest other = request;
  other.layout = *from;
  auto source = side_of(other, options);
  if (auto* none = std::get_if<NoRuleNests>(&source)) return std::move(*none);
  if (auto* wrong = std::get_if<Diagnostic>(&source)) return std::move(*wrong);
  return proved_nests(use::synthesise(std::get<0>(source)->rule(), target.rule()), target, std::get<0>(source).get(),
                      options);
}

}  // namespace vl::session
