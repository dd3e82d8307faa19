#include "oracle/fuzz/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "oracle/fuzz/audit.h"
#include "oracle/fuzz/trial_state.h"
#include "verifier/claims/claim.h"

namespace vl::oracle {

bool is_mismatch_kind(std::string_view word) {
  constexpr std::array<std::string_view, 22> kKinds = {"lowering",
                                                       "undecided",
                                                       "internal-error",
                                                       "verdict",
                                                       "reader",
                                                       "reference",
                                                       "canary",
                                                       "certificate",
                                                       "rows",
                                                       "rows-agree",
                                                       "plan",
                                                       "plan-agrees",
                                                       "plan-differs",
                                                       "round-trip",
                                                       "levels",
                                                       "levels-refuse",
                                                       "refused-by-rows",
                                                       "refused-by-definition",
                                                       "accepted-by-rows",
                                                       "accepted-by-definition",
                                                       "accepted-by-plan",
                                                       "not-repeated"};
  return std::ranges::find(kKinds, word) != kKinds.end();
}

void Trial::State::open() try {
  standing.reset();
  census.reset();
  audited.reset();
  companion.reset();
  other.reset();
  none.reset();
  plans.forget();
  plans_of_none.forget();
  rows.forget();
  walks.forget();
  auto lowered = lower(subject);
  if (!lowered) {
    layout.reset();
    verdict = Answered::Unknown;
    standing = Mismatch{"lowering", lowered.error().message};
    return;
  }
  layout = std::move(*lowered);
  const auto units = host_units(*layout, Host::View);
  view = units.has_value() && *units <= static_cast<Index>(kMostUnits);
  decide();
} catch (const InternalError& bug) {
  verdict = Answered::Unknown;
  standing = Mismatch{"internal-error", bug.what()};
}

void Trial::State::decide() {
  static const claims::Claim& bijective = *claims::find_claim("bijective");
  static const claims::Claim& injective = *claims::find_claim("injective");
  static const engines::Options options;
  const claims::Judged answer =
      claims::decide(subject.family->campaign->bijective ? bijective : injective, claims::OneLayout{*layout}, options);
  verdict = std::visit(overloaded{[](const claims::Proved&) { return Answered::Proved; },
                                  [](const claims::Refuted&) { return Answered::Refuted; },
                                  [](const claims::Unknown&) { return Answered::Unknown; }},
                       answer.verdict);
  const auto* unknown = std::get_if<claims::Unknown>(&answer.verdict);
  if (unknown != nullptr && unknown->reason != claims::Reason::Vacuous)
    standing = Mismatch{"undecided", unknown->detail};
}

const Census& Trial::State::truth() {
  if (!census) census = census_of(*layout);
  return *census;
}

// The verdict against every element of the layout.
std::optional<Mismatch> Trial::State::judge() {
  const Census& is = truth();
  const bool bijective = subject.family->campaign->bijective;
  const bool holds = bijective ? is.missing == 0 && is.collisions == 0 && is.strays == 0 : is.collisions == 0;
  const Answered want = is.landed == 0 && !bijective ? Answered::Unknown : holds ? Answered::Proved : Answered::Refuted;
  if (want == verdict) return std::nullopt;
  return Mismatch{"verdict", fmt::format("the engines answer {}; of {} points {} have no slot, {} share one, {} are "
                                         "decoded otherwise",
                                         static_cast<int>(verdict), layout->domain().volume(), is.missing,
                                         is.collisions, is.strays)};
}

void Trial::State::prepare_move() {
  if (!companion) {
    Random random(companion_seed, 5, 0);
    companion = companion_of(subject, random);
  }
  if (other) return;
  auto lowered = lower(*companion);
  VL_CHECK(lowered.has_value(), "a companion that is no layout: " + lowered.error().message);
  other = std::move(*lowered);
}

// The same layout of a tensor without elements. False if the family has none.
bool Trial::State::make_none() {
  if (none) return true;
  Subject twin = subject;
  if (twin.tensor.size.empty()) twin.tensor.size.push_back(0);
  else twin.tensor.size.back() = 0;
  if (twin.tensor.strides) twin.tensor.strides->resize(twin.tensor.size.size(), 1);
  auto lowered = lower(twin);
  if (lowered) none = std::move(*lowered);
  return none.has_value();
}

Outcome Trial::State::run(const Tensor& tensor, const TrialOptions& options) {
  Outcome out;
  // A finding belongs to this tensor alone: other tensors of the group are asked separately.
  std::optional<Mismatch> wrong = standing;
  if (!wrong && options.audit) {
    if (!audited) audited = audit(subject, *layout);
    wrong = *audited;
  }
  // The definition has to agree with the verdict each time; the census, which is slower, is asked sometimes.
  if (!wrong && (options.audit || (options.definition && tensor.data % 256 == 5))) wrong = judge();
  if (wrong || verdict == Answered::Unknown) {
    out.verdict = verdict;
    out.hash = kRefused;
    out.mismatch = std::move(wrong);
    return out;
  }
  if (tensor.empty && make_none()) {
    Tensor packed = tensor;
    packed.verb = Verb::Pack;
    return executed(packed, options, *none, plans_of_none);
  }
  if (verdict == Answered::Refuted) return refused(tensor, options);
  return executed(tensor, options, *layout, plans);
}

// Every level refuses a layout whose verdict is refuted.
Outcome Trial::State::refused(const Tensor& tensor, const TrialOptions& options) {
  Outcome out;
  const Host where = view ? tensor.where : Host::Dense;
  out.verdict = verdict;
  out.elements = layout->logical().volume();
  out.hash = kRefused;
  out.ran = {Way::Refused, Verb::Pack, where};
  const Order order{Order::Kind::Pack, where, &*layout, nullptr, tensor.unit, tensor.streamed};
  const auto source = Pools::get().units(tensor, static_cast<std::size_t>(*host_units(*layout, where)));
  const std::span<const std::byte> fill(reinterpret_cast<const std::byte*>(&tensor.fill), tensor.unit);
  const std::size_t bytes = static_cast<std::size_t>(layout->physical().volume()) * tensor.unit;
  const auto accepts = [&](std::string_view who) {
    out.mismatch =
        Mismatch{fmt::format("accepted-by-{}", who), "the verdict is refuted, and the tensor is packed all the same"};
  };
  if (!carry_out(rows, order, source, fill, by_rows.open_canaries(bytes))) {
    if (!executable()) accepts("rows");
    else if (auto wrong = judge()) out.mismatch = std::move(wrong);
    else return executed(tensor, options, *layout, plans);  // refuted because of the decode map
    return out;
  }
  if (!by_rows.intact()) out.mismatch = Mismatch{"canary", "rows write outside of the image that they refuse to fill"};
  if (options.definition && !carry_out(definition, order, source, fill, by_definition.open(bytes, 0)))
    accepts("definition");
  const Plans::Ran made = plans.make(order);
  if (made == Plans::Ran::Whole) accepts("plan");
  if (made == Plans::Ran::Rejected) out.mismatch = Mismatch{"certificate", plans.why()};
  return out;
}

Trial::Trial() : state_(std::make_unique<State>()) {}
Trial::~Trial() = default;

void Trial::open(Subject subject, std::uint64_t companion_seed) {
  state_->subject = std::move(subject);
  state_->companion_seed = companion_seed;
  state_->open();
}

void Trial::open(Subject subject, Subject companion) {
  state_->subject = std::move(subject);
  state_->open();
  state_->companion = std::move(companion);
}

const Subject& Trial::subject() const { return state_->subject; }

const Subject& Trial::companion() const {
  state_->prepare_move();
  return *state_->companion;
}

// A bug that the program itself finds is a mismatch.
Outcome Trial::run(const Tensor& tensor, const TrialOptions& options) try {
  return state_->run(tensor, options);
} catch (const InternalError& bug) {
  Outcome out;
  out.verdict = state_->verdict;
  out.mismatch = Mismatch{"internal-error", bug.what()};
  return out;
}

}  // namespace vl::oracle
