// padding-state: what the padding of an operation's result holds. With F(region) what is
// stated of each region of an input's padding and of its contents, and S(region) what `state` says of the result's,
//   ∀ regions of the result that `state` speaks of, ∀ codes of F at that region: op(codes) ∈ S(region).
//
// An input that lacks a dimension of the region (broadcast) gives valid elements there, and so does an index beyond
// that has the slot of an element. The images of functions are those of verifier/neutral/transfer.h, with what they
// assume; of reductions and rows reduced_padding.cpp says what they are. An operation writes its iteration alone: what
// is said of the whole padding is unsupported where the result has more positions, as a sum over the columns of [50,50]
// in tiles, which is [50,1] and writes column 0 of its own tiles. Places have the result's format, and so have truth
// values. Unsupported: block formats, and any other result of another format than the inputs. Vacuous if no index of
// the iteration lies in such a region.
//
// Worked example: exp of f16[33] with padding 0 on Spyre: lanes 33 to 63 of the result are 1; "d0: 0" is refuted. Sum
// over K of f16[33,4] along the sticks of dimension 0, padding 0, from +0: rows 33 to 63 of the result are +0.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"
#include "verifier/neutral/row_laws.h"
#include "verifier/neutral/transfer.h"

namespace vl::claims {
namespace {

using values::CodeSet;

Counterexample leaves(const PaddedAsked& asked, use::Region region, const neutral::TransferRefuted& refuted) {
  const values::Format& format = *asked.inputs.front().format;
  std::string operands;
  for (const values::Code code : refuted.operands)
    operands += fmt::format("{}{}", operands.empty() ? "" : ", ", values::in_words(format, code));
  const values::Code got = refuted.results.ranges().front().first;
  return {{{"region", static_cast<Index>(region)}, {"got", static_cast<Index>(got)}},
          fmt::format("the padding of the result with {} beyond can be {}: {} of {}",
                      region_name(asked.of.operation, region), values::in_words(format, got),
                      asked.of.operation.what->name, operands)};
}

Verdict padding_state(const PaddedResult& about, Inquiry& inquiry) {
  const PaddedAsked& asked = about.asked;
  if (!asked.unsupported.empty()) return unsupported(asked.unsupported);
  const use::Operand& result = asked.of.operation.operands[asked.of.operands.size()];
  const values::Format* of_result = format_of_result(asked);
  if (of_result == nullptr) return unsupported("no source states the numbers that the result holds");
  for (const PaddedValues& input : asked.inputs)
    if (const auto& values = result.reading.values;
        *of_result == *input.format && !values.empty() && values != input.format->name)
      return unsupported(fmt::format("the inputs {} {}, and the result holds {}", input.shares ? "are read as" : "hold",
                                     input.format->name, values));
  if (std::string beyond = beyond_iteration(asked); !beyond.empty()) return unsupported(std::move(beyond));
  if (!asked.alternatives.empty()) {
    const auto landings = whole_landings(asked, inquiry);
    if (const auto* verdict = std::get_if<Verdict>(&landings)) return *verdict;
    return reduced_padding(asked, std::get<std::vector<Landings>>(landings), inquiry);
  }
  const auto function = neutral::find_function(asked.of.operation.what->name);
  if (!function || neutral::arity(*function) != asked.inputs.size())
    return unsupported(fmt::format("what the padding of {} holds is not covered", asked.of.operation.what->name));
  const values::Format& format = *asked.inputs.front().format;
  if (!neutral::is_defined(*function, format))
    return unsupported(fmt::format("{} has no meaning for {}", neutral::name(*function), format.name));
  const auto landings = whole_landings(asked, inquiry);
  if (const auto* verdict = std::get_if<Verdict>(&landings)) return *verdict;
  const auto regions = regions_asked(asked, std::get<std::vector<Landings>>(landings));
  for (const RegionAsked& each : regions) {
    const auto verdict =
        neutral::decide_transfer(*function, format, values::MaxRule::NanWins, each.operands, each.claimed);
    if (const auto* refuted = std::get_if<neutral::TransferRefuted>(&verdict))
      return inquiry.refuted(leaves(asked, each.region, *refuted));
    if (const auto* open = std::get_if<neutral::TransferUnknown>(&verdict))
      return inquiry.unknown({Reason::Incomplete, open->reason});
  }
  std::vector<use::Region> reached;
  reached.reserve(regions.size());
  for (const RegionAsked& each : regions) reached.push_back(each.region);
  if (const auto none = unreached(asked, reached); !none.empty())
    return inquiry.vacuous("no index of the iteration lies in the region " + none);
  Verdict out = inquiry.proved();
  if (const auto assumed = neutral::assumption(*function); !assumed.empty())
    std::get<Proved>(out).note = fmt::format("assumes: {}", assumed);
  return out;
}

}  // namespace

std::variant<std::vector<Landings>, Verdict> whole_landings(const PaddedAsked& asked, Inquiry& inquiry) {
  std::vector<Landings> out;
  const std::vector<Index> extents = whole_extents(asked.of);
  for (std::size_t i = 0; i < asked.of.operands.size(); ++i) {
    auto landed = landings_of(asked.of, i, extents, inquiry);
    const auto* verdict = std::get_if<Verdict>(&landed);
    const auto* outside = verdict != nullptr ? std::get_if<Refuted>(verdict) : nullptr;
    if (outside != nullptr) return unsupported(outside->counterexample.explanation);
    if (verdict != nullptr) return *verdict;
    out.push_back(std::get<Landings>(std::move(landed)));
  }
  return out;
}

std::string beyond_iteration(const PaddedAsked& asked) {
  constexpr std::string_view kHoles = "an operation writes no hole of its result, which may hold anything";
  if (asked.result.holes) return std::string(kHoles);
  if (std::ranges::none_of(asked.result.said, [](const PaddingStates::Said& one) { return one.dims == 0; })) return "";
  if (!asked.continued) return "how the result's layout goes on is not known: state regions, and not the whole padding";
  if (asked.continued->ragged != 0) return std::string(kHoles);
  const std::vector<Index>& whole = asked.continued->whole;
  const Index slots = asked.continued->layout.physical().volume();
  const use::Operation& operation = asked.of.operation;
  const use::Operand& result = operation.operands[asked.of.operands.size()];
  std::vector<Index> written(whole.size(), 1);
  const auto extents = whole_extents(asked.of);
  const auto reduced = reduced_dims(operation);
  const bool rows =
      !asked.alternatives.empty() && neutral::has_result_per_position(asked.alternatives.front().question.operation);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const bool is_reduced = !rows && std::ranges::find(reduced, d) != reduced.end();
    if (use::has_dim(result, d) && !is_reduced) written[static_cast<std::size_t>(result.scales[d])] = extents[d];
  }
  for (std::size_t k = 0; k < written.size(); ++k) written[k] = std::min(written[k], whole[k]);
  const auto positions = checked_product(written);
  if (positions && *positions == slots) return "";
  return fmt::format(
      "the operation writes [{}] of the result's {} slots, and the others may hold anything: state regions, "
      "and not the whole padding",
      fmt::join(written, ","), slots);
}

std::string unreached(const PaddedAsked& asked, std::span<const use::Region> regions) {
  for (const PaddingStates::Said& one : asked.result.said)
    if (std::ranges::none_of(regions, [&](use::Region region) { return (one.dims & ~region) == 0; }))
      return one.dims == 0 ? "of all padding" : region_name(asked.of.operation, one.dims);
  return "";
}

std::vector<Index> whole_extents(const PaddedOperation& of) {
  std::vector<Index> out;
  for (std::size_t d = 0; d < of.operation.dims.size(); ++d) {
    out.push_back(of.operation.dims[d].extent);
    for (std::size_t i = 0; i < of.operands.size(); ++i)
      if (const use::Operand& operand = of.operation.operands[i]; use::has_dim(operand, d))
        out[d] = std::max(out[d], of.operands[i].continued()->whole[static_cast<std::size_t>(operand.scales[d])]);
  }
  return out;
}

CodeSet at_region(const PaddedAsked& asked, std::span<const Landings> landings, std::size_t i, use::Region region) {
  use::Region own = 0;
  const use::Operand& operand = asked.of.operation.operands[i];
  for (std::size_t d = 0; d < operand.scales.size(); ++d)
    if (operand.scales[d] >= 0) own |= region & (use::Region{1} << d);
  if (own == 0) return asked.inputs[i].contents;
  CodeSet out = asked.inputs[i].states.of(own, *asked.inputs[i].format);
  for (const Landing& landing : landings[i].regions)
    if (landing.aliases && in_operation(operand, landing.region) == own) out = out.united(asked.inputs[i].contents);
  return out;
}

std::vector<RegionAsked> regions_asked(const PaddedAsked& asked, std::span<const Landings> landings) {
  std::vector<Index> valid;
  for (const use::OperationDim& dim : asked.of.operation.dims) valid.push_back(dim.extent);
  std::vector<RegionAsked> out;
  for (const use::Region region : use::regions_of(valid, whole_extents(asked.of))) {
    const auto covers = [&](const PaddingStates::Said& said) { return (said.dims & ~region) == 0; };
    if (std::ranges::none_of(asked.result.said, covers)) continue;
    RegionAsked& each =
        out.emplace_back(RegionAsked{region, {}, asked.result.of(region, *asked.inputs.front().format)});
    for (std::size_t i = 0; i < asked.inputs.size(); ++i)
      each.operands.push_back(at_region(asked, landings, i, region));
  }
  return out;
}

std::optional<PaddedResult> PaddedResult::bind(Offer& offer) {
  auto asked = read_padded_asked(offer);
  if (!asked || offer.first() == nullptr) return std::nullopt;
  const std::string_view* state = offer.argument("state");
  if (state == nullptr || state->find_first_not_of(" \t\n") == std::string_view::npos)
    return offer.wrong({}, {ErrorCode::Value, "the claim padding-state needs state, as in state = \"N: 0\""});
  const values::Format* format = asked->unsupported.empty() ? format_of_result(*asked) : nullptr;
  if (format != nullptr) {
    const CodeSet& contents = asked->inputs.front().contents;
    const bool same = *format == *asked->inputs.front().format;
    auto states = read_padding(*state, asked->of.operation.dims, *format, same ? contents : CodeSet::all(*format));
    if (!states) return offer.wrong("state", states.error());
    asked->result = std::move(*states);
    if (auto made = use::continued(offer.family, offer.text, offer.tensor, offer.reading))
      asked->continued = std::move(*made);
  }
  return PaddedResult{*offer.keep(std::move(*asked))};
}

extern const Claim kPaddingState = {
    .name = "padding-state",
    .statement = "the padding of an operation's result holds what is said of it",
    .witness = "region, got",
    .keys = {"operation operands results scales dims reduce rule state arithmetic divide"},
    .decide = padding_state,
    .proof = {Part::OperandsInBox},
    .needs_tensor = true};

}  // namespace vl::claims
