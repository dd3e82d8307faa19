// One tensor by every level.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/check.h"
#include "oracle/fuzz/trial_state.h"

namespace vl::oracle {
namespace {

// The verb that is carried out, which may differ from the order's.
Verb verb_of(const Order& order) {
  switch (order.kind) {
    case Order::Kind::Pack: return Verb::Pack;
    case Order::Kind::Unpack: return Verb::Unpack;
    case Order::Kind::Move: return Verb::Move;
    case Order::Kind::Nests: return Verb::Nests;
  }
  VL_CHECK(false, "an order of no kind");
}

}  // namespace

std::optional<Mismatch> Trial::State::by_kernels(const Order& order, Plans& with, const Job& job, const KernelSet& set,
                                                 Outcome& out) {
  const auto want = by_rows.content();
  const auto have = by_plan.open(want.size(), job.shift);
  Pool* const threads = pool_for(std::max(want.size(), job.source.size()));
  const Plans::Ran ran = with.run(order, job.source, job.fill, have, set, threads);
  if (ran != Plans::Ran::Unplanned) out.ran.way = Way::Plan;
  switch (ran) {
    case Plans::Ran::Whole: break;
    case Plans::Ran::Differ:
      if (out.hash == kDiffers) return std::nullopt;
      return Mismatch{"plan-differs", "the plan finds replicas that differ; rows find none"};
    case Plans::Ran::Unplanned: return std::nullopt;
    case Plans::Ran::Rejected: return Mismatch{"certificate", with.why()};
  }
  if (out.hash == kDiffers) return Mismatch{"plan-agrees", "rows find replicas that differ; the plan finds none"};
  if (!by_plan.intact()) return Mismatch{"canary", fmt::format("the plan writes outside of its memory ({})", set.name)};
  if (same(have, want)) return std::nullopt;
  return Mismatch{"plan", fmt::format("plan ({}) against rows: {}", set.name, difference(have, want, order.unit))};
}

// The tensor was packed by the plan: by_plan holds the image.
std::optional<Mismatch> Trial::State::round_trip(const Order& packed, Plans& with, const Job& job, const KernelSet& set,
                                                 Outcome& out) {
  Order order = packed;
  order.kind = Order::Kind::Unpack;
  const auto image = by_plan.content();
  const auto have = from.open(job.data.size(), job.shift);
  switch (with.run(order, image, {}, have, set)) {
    case Plans::Ran::Whole: break;
    case Plans::Ran::Differ:
      return Mismatch{"plan-differs", "the replicas that a plan wrote differ for the plan that reads them"};
    case Plans::Ran::Unplanned: return std::nullopt;
    case Plans::Ran::Rejected: return Mismatch{"certificate", with.why()};
  }
  out.ran.verb = Verb::RoundTrip;
  if (!from.intact()) return Mismatch{"canary", fmt::format("unpacking writes outside of its memory ({})", set.name)};
  if (same(have, job.data)) return std::nullopt;
  return Mismatch{"round-trip", fmt::format("{}: {}", set.name, difference(have, job.data, order.unit))};
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

// The source of the order: plain data, or an image that rows packed, if the copies of an element have to agree.
std::optional<Error> Trial::State::prepare(const Tensor& tensor, const Order& order, Job& job) {
  const map::Layout& of = *order.layout;
  job.fill = {reinterpret_cast<const std::byte*>(&tensor.fill), order.unit};
  // On a cache line, or on any byte: a mapped file has a header.
  job.shift = (tensor.data >> 20) % 2 * (tensor.data % 61);
  job.host = static_cast<std::size_t>(*host_units(of, order.where));
  job.image = static_cast<std::size_t>(of.physical().volume());
  const bool from_image = order.kind == Order::Kind::Unpack || order.kind == Order::Kind::Move;
  const bool made = from_image && (of.replicas().volume() > 1 || order.where == Host::View);
  job.data = Pools::get().units(tensor, made || !from_image ? job.host : job.image);
  // The source is not changed: execute() needs a writable one to compare it with itself.
  job.source = {const_cast<std::byte*>(job.data.data()), job.data.size()};
  job.to = job.image;
  if (order.kind == Order::Kind::Unpack) job.to = job.host;
  if (order.kind == Order::Kind::Move) job.to = static_cast<std::size_t>(order.to->physical().volume());
  if (!made) return std::nullopt;
  Order packing = order;
  packing.kind = Order::Kind::Pack;
  job.source = from.open(job.image * order.unit, 0);
  if (auto error = carry_out(rows, packing, job.data, job.fill, job.source)) return error;
  job.garbled = tensor.data % 4 == 3 && garble(order, from.content(), tensor.data >> 3);
  return std::nullopt;
}

// An element of a proved layout without a slot: this is right only if the claim does not cover it, and then no plan has
// a slot for it either.
void Trial::State::misplaced(const Order& order, Plans& with, const Error& error, Outcome& out) {
  if (auto wrong = judge()) {
    out.mismatch = std::move(wrong);
  } else if (!subject.family->campaign->bijective && truth().missing > 0) {
    out.hash = kRefused;
    out.ran.way = Way::Refused;
    const Plans::Ran made = with.make(order);
    if (made == Plans::Ran::Whole) out.mismatch = Mismatch{"accepted-by-plan", error.message};
    if (made == Plans::Ran::Rejected) out.mismatch = Mismatch{"certificate", with.why()};
  } else {
    out.mismatch = Mismatch{"refused-by-rows", error.message};
  }
}

std::optional<Mismatch> Trial::State::by_elements(const Order& order, const Job& job) {
  const auto want = by_rows.content();
  const auto exact = by_definition.open(want.size(), job.shift);
  const auto error = carry_out(definition, order, job.source, job.fill, exact);
  if (error.has_value() != job.garbled)
    return Mismatch{"refused-by-definition",
                    error ? error->message : "a replica was changed, and the definition finds none"};
  if (!by_definition.intact()) return Mismatch{"canary", "the definition writes outside of its memory"};
  if (job.garbled || same(want, exact)) return std::nullopt;
  return Mismatch{"rows", "rows against the definition: " + difference(want, exact, order.unit)};
}

// By oracle/levels, which picks the level and makes the plan for users of the program.
std::optional<Mismatch> Trial::State::by_facade(const Order& order, const Job& job) {
  if (order.kind == Order::Kind::Nests) return std::nullopt;
  Work work{.host = order.where, .unit = order.unit};
  (order.kind == Order::Kind::Pack ? work.to : work.from) = order.layout;
  if (order.kind == Order::Kind::Move) work.to = order.to;
  const LevelOptions how{.definition = LevelOptions::Check::Never, .only = std::nullopt, .tiny = 0};
  const auto want = by_rows.content();
  const auto have = by_plan.open(want.size(), job.shift);
  const auto report = facade.run(work, how, job.source, job.fill, have);
  if (report.has_value() == job.garbled)
    return Mismatch{"levels-refuse", report ? "a replica was changed, and no level finds it" : report.error().message};
  if (job.garbled) return std::nullopt;
  if (report->bug) return Mismatch{"certificate", report->why};
  if (!by_plan.intact())
    return Mismatch{"canary", fmt::format("{} write outside of their memory", name(report->level))};
  if (same(have, want)) return std::nullopt;
  return Mismatch{"levels", fmt::format("{}: {}", name(report->level), difference(have, want, order.unit))};
}

// By the tensor's own kernel set, or by all of them and that one last: a round trip continues with its result.
std::optional<Mismatch> Trial::State::by_plans(const Order& order, Plans& with, const Job& job, const Tensor& tensor,
                                               bool all_kernels, Outcome& out) {
  const auto sets = kernel_sets();
  const std::size_t chosen = (tensor.data >> 8) % sets.size();
  for (std::size_t k = 0; all_kernels && k < sets.size(); ++k)
    if (k != chosen)
      if (auto wrong = by_kernels(order, with, job, sets[k], out)) return wrong;
  if (auto wrong = by_kernels(order, with, job, sets[chosen], out)) return wrong;
  if (out.ran.way != Way::Plan || tensor.verb != Verb::RoundTrip) return std::nullopt;
  return round_trip(order, with, job, sets[chosen], out);
}

Outcome Trial::State::executed(const Tensor& tensor, const TrialOptions& options, const map::Layout& of, Plans& with) {
  const Order order = order_of(tensor, of);
  Outcome out;
  out.verdict = verdict;
  out.elements = of.logical().volume();
  out.ran = {Way::Rows, verb_of(order), order.where};
  Job job;
  auto error = prepare(tensor, order, job);
  if (!error) {
    error = carry_out(rows, order, job.source, job.fill, by_rows.open(job.to * order.unit, job.shift));
    if (job.garbled && !error)
      out.mismatch = Mismatch{"rows-agree", "a replica was changed, and rows find no difference"};
    if (job.garbled) error.reset();
  }
  if (error) {
    misplaced(order, with, *error, out);
    return out;
  }
  if (!by_rows.intact()) out.mismatch = Mismatch{"canary", "rows write outside of their memory"};
  out.hash = job.garbled ? kDiffers : hash_of(by_rows.content());
  if (!out.mismatch && options.definition) out.mismatch = by_elements(order, job);
  if (!out.mismatch && options.all_kernels) out.mismatch = by_facade(order, job);
  if (!out.mismatch) out.mismatch = by_plans(order, with, job, tensor, options.all_kernels, out);
  return out;
}

}  // namespace vl::oracle
