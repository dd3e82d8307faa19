#include "oracle/fuzz/trial.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/executor/pool.h"
#include "oracle/fuzz/audit.h"
#include "oracle/fuzz/census.h"
#include "oracle/fuzz/data.h"
#include "oracle/fuzz/levels.h"
#include "oracle/levels/levels.h"
#include "verifier/base/check.h"
#include "verifier/claims/claim.h"

namespace vl::oracle {
namespace {

constexpr std::uint64_t kRefused = 0x7265667573656421U;  // the hash of a tensor that nobody may place
constexpr std::uint64_t kDiffers = 0x6469666665727321U;  // of an image whose replicas differ

std::size_t slots_of(const map::Layout& layout) { return static_cast<std::size_t>(layout.physical().volume()); }

// What one order reads, and how many units the memories have.
struct Job {
  std::span<const std::byte> data;
  std::span<std::byte> source;
  std::size_t host = 0;
  std::size_t image = 0;
  std::size_t to = 0;
  bool garbled = false;  // one replica was changed
};

}  // namespace

struct Trial::State {
  Subject subject;
  std::optional<Subject> companion;
  std::uint64_t companion_seed = 0;
  std::optional<map::Layout> layout;
  std::optional<map::Layout> other;  // the companion's
  std::optional<map::Layout> none;   // of the tensor without elements
  bool view = false;                 // the host's memory can be made
  Answered verdict = Answered::Unknown;
  std::optional<Mismatch> standing;  // about the layout, whatever the tensor
  std::optional<std::optional<Mismatch>> audited;  // what the audit said, asked for at some tensors only
  std::optional<Census> census;

  Definition definition;
  Levels facade;
  RowTables rows;
  Plans plans;
  Plans plans_of_none;
  std::optional<Pool> pool;  // for large tensors
  Memory from, by_plan, by_rows, by_definition;

  void open();
  void decide();
  const Census& truth();
  Pool* pool_for(std::size_t bytes) {
    if (bytes < (std::size_t{1} << 20)) return nullptr;
    if (!pool) pool.emplace(3);
    return &*pool;
  }
  bool executable() { return truth().missing == 0 && truth().collisions == 0; }
  std::optional<Mismatch> judge();
  void prepare_move();
  bool make_none();
  Outcome run(const Tensor& tensor, const TrialOptions& options);
  Outcome refused(const Tensor& tensor, const TrialOptions& options);
  Order order_of(const Tensor& tensor, const map::Layout& of);
  std::optional<Error> prepare(const Tensor& tensor, const Order& order, std::span<const std::byte> fill, Job& job);
  void misplaced(const Order& order, Plans& with, const Error& error, Outcome& out);
  std::optional<Mismatch> by_elements(const Order& order, const Job& job, std::span<const std::byte> fill,
                                      std::size_t shift);
  std::optional<Mismatch> by_facade(const Order& order, const Job& job, std::span<const std::byte> fill,
                                    std::size_t shift);
  Outcome executed(const Tensor& tensor, const TrialOptions& options, const map::Layout& of, Plans& plans);
  std::optional<Mismatch> by_kernels(const Order& order, Plans& plans, std::span<std::byte> source,
                                     std::span<const std::byte> fill,
                                     std::size_t shift, const KernelSet& set, Outcome& out);
  std::optional<Mismatch> round_trip(const Order& order, Plans& plans, std::span<const std::byte> tensor,
                                     std::size_t shift,
                                     const KernelSet& set);
};

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
  claims::Subject question;
  question.layout = &*layout;
  const bool spyre = family_of(subject) == "spyre";
  const claims::Answer answer = claims::decide(spyre ? bijective : injective, question, options);
  verdict = std::visit(overloaded{[](const claims::Proved&) { return Answered::Proved; },
                                  [](const claims::Refuted&) { return Answered::Refuted; },
                                  [](const claims::Unknown&) { return Answered::Unknown; }},
                       answer.verdict);
  if (const auto* unknown = std::get_if<claims::Unknown>(&answer.verdict); unknown &&
      unknown->reason != claims::Reason::Vacuous)
    standing = Mismatch{"undecided", unknown->detail};
}

const Census& Trial::State::truth() {
  if (!census) census = census_of(*layout);
  return *census;
}

// The verdict against every element of the layout.
std::optional<Mismatch> Trial::State::judge() {
  const Census& is = truth();
  const bool spyre = family_of(subject) == "spyre";
  const bool holds = spyre ? is.missing == 0 && is.collisions == 0 && is.strays == 0 : is.collisions == 0;
  const Answered want = is.landed == 0 && !spyre ? Answered::Unknown : holds ? Answered::Proved : Answered::Refuted;
  if (want == verdict) return std::nullopt;
  return Mismatch{"verdict",
      fmt::format("the engines answer {}; of {} points {} have no slot, {} share one, {} are decoded otherwise",
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

// The same layout of a tensor without elements. False when the family has none.
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
  // What is found here belongs to this tensor alone: another one of the group says the same only if it is asked.
  std::optional<Mismatch> wrong = standing;
  if (!wrong && options.audit) {
    if (!audited) audited = audit(subject, *layout);
    wrong = *audited;
  }
  // The definition itself has to agree with the verdict each time; the census, which is slower, is asked now and then.
  if (!wrong && (options.audit || (options.definition && tensor.data % 8 == 5))) wrong = judge();
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

// What has a refuted verdict is refused by every level.
Outcome Trial::State::refused(const Tensor& tensor, const TrialOptions& options) {
  Outcome out;
  out.verdict = verdict;
  out.elements = layout->logical().volume();
  out.hash = kRefused;
  const Host where = view ? tensor.where : Host::Dense;
  const Order order{Order::Kind::Pack, where, &*layout, nullptr, tensor.unit, tensor.streamed};
  const auto source = Pools::get().units(tensor, static_cast<std::size_t>(*host_units(*layout, where)));
  const std::span<const std::byte> fill(reinterpret_cast<const std::byte*>(&tensor.fill), tensor.unit);
  const std::size_t bytes = static_cast<std::size_t>(layout->physical().volume()) * tensor.unit;
  const auto accepts = [&](std::string_view who) {
    out.mismatch = Mismatch{fmt::format("accepted-by-{}", who),
                            "the verdict is refuted, and the tensor is packed all the same"};
  };
  if (!carry_out(rows, order, source, fill, by_rows.open(bytes, 0))) {
    if (!executable()) accepts("rows");
    else if (auto wrong = judge()) out.mismatch = std::move(wrong);
    else return executed(tensor, options, *layout, plans);  // refuted, as the decode map says otherwise
    return out;
  }
  if (!by_rows.intact()) out.mismatch = Mismatch{"canary", "rows write outside of the image that they refuse to fill"};
  if (options.definition && !carry_out(definition, order, source, fill, by_definition.open(bytes,
                                                                                           0))) accepts("definition");
  const Plans::Ran made = plans.make(order);
  if (made == Plans::Ran::Whole) accepts("plan");
  if (made == Plans::Ran::Rejected) out.mismatch = Mismatch{"certificate", plans.why()};
  return out;
}

std::optional<Mismatch> Trial::State::by_kernels(const Order& order, Plans& with, std::span<std::byte> source,
                                                 std::span<const std::byte> fill, std::size_t shift,
                                                     const KernelSet& set,
                                                 Outcome& out) {
  const auto want = by_rows.content();
  const auto have = by_plan.open(want.size(), shift);
  switch (with.run(order, source, fill, have, set, pool_for(std::max(want.size(), source.size())))) {
    case Plans::Ran::Whole: break;
    case Plans::Ran::Differ:
      if (out.hash == kDiffers) return std::nullopt;
      return Mismatch{"plan-differs", "the plan finds replicas that differ; rows find none"};
    case Plans::Ran::Unplanned: out.planned = false; return std::nullopt;
    case Plans::Ran::Rejected: return Mismatch{"certificate", with.why()};
  }
  if (out.hash == kDiffers) return Mismatch{"plan-agrees", "rows find replicas that differ; the plan finds none"};
  if (!by_plan.intact()) return Mismatch{"canary", fmt::format("the plan writes outside of its memory ({})", set.name)};
  if (!same(have, want))
    return Mismatch{"plan", fmt::format("plan ({}) against rows: {}", set.name, difference(have, want, order.unit))};
  return std::nullopt;
}

// `tensor` was packed by the plan: by_plan holds the image.
std::optional<Mismatch> Trial::State::round_trip(const Order& packed, Plans& with, std::span<const std::byte> tensor,
                                                 std::size_t shift, const KernelSet& set) {
  Order order = packed;
  order.kind = Order::Kind::Unpack;
  const auto image = by_plan.content();
  const auto have = from.open(tensor.size(), shift);
  switch (with.run(order, image, {}, have, set)) {
    case Plans::Ran::Whole: break;
    case Plans::Ran::Differ: return Mismatch{"plan-differs",
                                             "the replicas that a plan wrote differ for the plan that reads them"};
    case Plans::Ran::Unplanned: return std::nullopt;
    case Plans::Ran::Rejected: return Mismatch{"certificate", with.why()};
  }
  if (!from.intact()) return Mismatch{"canary", fmt::format("unpacking writes outside of its memory ({})", set.name)};
  if (!same(have, tensor)) return Mismatch{"round-trip", fmt::format("{}: {}", set.name, difference(have, tensor,
                                                                                                    order.unit))};
  return std::nullopt;
}

Order Trial::State::order_of(const Tensor& tensor, const map::Layout& of) {
  Order order{Order::Kind::Pack, tensor.where, &of, nullptr, tensor.unit, tensor.streamed};
  if (tensor.verb == Verb::Unpack) order.kind = Order::Kind::Unpack;
  if (tensor.verb == Verb::Move) order.kind = Order::Kind::Move;
  if (tensor.verb == Verb::Nests && view) order.kind = Order::Kind::Nests;
  if (order.kind == Order::Kind::Nests) order.where = Host::View;
  if (!view || tensor.verb == Verb::RoundTrip || tensor.verb == Verb::Move) order.where = Host::Dense;
  if (order.kind == Order::Kind::Move) {
    prepare_move();
    order.to = &*other;
  }
  return order;
}

// What the order reads: data as they are, or an image that rows packed where the copies of an element have to agree.
std::optional<Error> Trial::State::prepare(const Tensor& tensor, const Order& order, std::span<const std::byte> fill,
                                           Job& job) {
  const map::Layout& of = *order.layout;
  job.host = static_cast<std::size_t>(*host_units(of, order.where));
  job.image = static_cast<std::size_t>(of.physical().volume());
  const bool from_image = order.kind == Order::Kind::Unpack || order.kind == Order::Kind::Move;
  const bool made = from_image && (of.replicas().volume() > 1 || order.where == Host::View);
  job.data = Pools::get().units(tensor, made || !from_image ? job.host : job.image);
  // Nobody writes to the source: execute() asks for a writable one to compare it with itself.
  job.source = {const_cast<std::byte*>(job.data.data()), job.data.size()};
  job.to = order.kind == Order::Kind::Unpack ? job.host : order.kind == Order::Kind::Move ? slots_of(*order.to)
      : job.image;
  if (!made) return std::nullopt;
  Order packing = order;
  packing.kind = Order::Kind::Pack;
  job.source = from.open(job.image * order.unit, 0);
  if (auto error = carry_out(rows, packing, job.data, fill, job.source)) return error;
  job.garbled = tensor.data % 4 == 3 && garble(order, from.content(), tensor.data >> 3);
  return std::nullopt;
}

// An element of a proved layout without a place: only where the claim says nothing of it, and then no plan has one
// either.
void Trial::State::misplaced(const Order& order, Plans& with, const Error& error, Outcome& out) {
  if (auto wrong = judge()) {
    out.mismatch = std::move(wrong);
  } else if (family_of(subject) == "tirx" && truth().missing > 0) {
    out.hash = kRefused;
    const Plans::Ran made = with.make(order);
    if (made == Plans::Ran::Whole) out.mismatch = Mismatch{"accepted-by-plan", error.message};
    if (made == Plans::Ran::Rejected) out.mismatch = Mismatch{"certificate", with.why()};
  } else {
    out.mismatch = Mismatch{"refused-by-rows", error.message};
  }
}

std::optional<Mismatch> Trial::State::by_elements(const Order& order, const Job& job, std::span<const std::byte> fill,
                                                  std::size_t shift) {
  const auto want = by_rows.content();
  const auto exact = by_definition.open(want.size(), shift);
  const auto error = carry_out(definition, order, job.source, fill, exact);
  if (error.has_value() != job.garbled)
    return Mismatch{"refused-by-definition", error ? error->message
                    : "a replica was changed, and the definition finds none"};
  if (!by_definition.intact()) return Mismatch{"canary", "the definition writes outside of its memory"};
  if (job.garbled || same(want, exact)) return std::nullopt;
  return Mismatch{"rows", "rows against the definition: " + difference(want, exact, order.unit)};
}

// What users of the program get, which picks and plans for itself.
std::optional<Mismatch> Trial::State::by_facade(const Order& order, const Job& job, std::span<const std::byte> fill,
                                                std::size_t shift) {
  if (order.kind == Order::Kind::Nests) return std::nullopt;
  Work work{.host = order.where, .unit = order.unit};
  (order.kind == Order::Kind::Pack ? work.to : work.from) = order.layout;
  if (order.kind == Order::Kind::Move) work.to = order.to;
  const LevelOptions how{.definition = LevelOptions::Check::Never, .only = std::nullopt, .tiny = 0};
  const auto want = by_rows.content();
  const auto have = by_plan.open(want.size(), shift);
  const auto report = facade.run(work, how, job.source, fill, have);
  if (report.has_value() == job.garbled)
    return Mismatch{"levels-refuse", report ? "a replica was changed, and no level finds it" : report.error().message};
  if (job.garbled) return std::nullopt;
  if (report->bug) return Mismatch{"certificate", report->why};
  if (!by_plan.intact()) return Mismatch{"canary", fmt::format("{} write outside of their memory", name(report->level))};
  if (same(have, want)) return std::nullopt;
  return Mismatch{"levels", fmt::format("{}: {}", name(report->level), difference(have, want, order.unit))};
}

Outcome Trial::State::executed(const Tensor& tensor, const TrialOptions& options, const map::Layout& of, Plans& with) {
  Outcome out;
  out.verdict = verdict;
  out.elements = of.logical().volume();
  const Order order = order_of(tensor, of);
  // On a cache line, or on any byte: a mapped file has a header.
  const std::size_t shift = (tensor.data >> 20) % 2 * (tensor.data % 61);
  const std::span<const std::byte> fill(reinterpret_cast<const std::byte*>(&tensor.fill), order.unit);
  Job job;
  auto error = prepare(tensor, order, fill, job);
  if (!error) {
    error = carry_out(rows, order, job.source, fill, by_rows.open(job.to * order.unit, shift));
    if (job.garbled && !error) out.mismatch = Mismatch{"rows-agree",
                                                       "a replica was changed, and rows find no difference"};
    if (job.garbled) error.reset();
  }
  if (error) {
    misplaced(order, with, *error, out);
    return out;
  }
  if (!by_rows.intact()) out.mismatch = Mismatch{"canary", "rows write outside of their memory"};
  out.hash = job.garbled ? kDiffers : hash_of(by_rows.content());
  if (!out.mismatch && options.definition) out.mismatch = by_elements(order, job, fill, shift);
  if (!out.mismatch && options.all_kernels) out.mismatch = by_facade(order, job, fill, shift);
  const auto sets = kernel_sets();
  const std::size_t chosen = (tensor.data >> 8) % sets.size();
  for (std::size_t k = 0; k < sets.size() && !out.mismatch; ++k)
    if (options.all_kernels && k != chosen) out.mismatch = by_kernels(order, with, job.source, fill, shift, sets[k],
                                                                      out);
  if (!out.mismatch) out.mismatch = by_kernels(order, with, job.source, fill, shift, sets[chosen], out);
  if (!out.mismatch && out.planned && tensor.verb == Verb::RoundTrip)
    out.mismatch = round_trip(order, with, job.data, shift, sets[chosen]);
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

// A bug that the program finds of itself is a mismatch like any other.
Outcome Trial::run(const Tensor& tensor, const TrialOptions& options) try {
  return state_->run(tensor, options);
} catch (const InternalError& bug) {
  Outcome out;
  out.verdict = state_->verdict;
  out.mismatch = Mismatch{"internal-error", bug.what()};
  return out;
}

}  // namespace vl::oracle
