// Plans through the C interface: texts to layouts by the session, and oracle/levels for the rest. No exception and no
// memory of the caller's outlives a call.
#include "oracle/c/verify_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "oracle/c/request.h"
#include "oracle/levels/levels.h"
#include "oracle/reference/fill.h"

using namespace vl;
using library::about;
using library::answer;
using library::guarded;
using library::read_side;
using library::Refusal;

struct vl_plan {
  std::optional<map::Layout> from;
  std::optional<map::Layout> to;
  oracle::Work work;
  oracle::Levels levels;  // its plan is run, and nothing else of it after vl_prepare
  std::vector<std::byte> fill;
  std::size_t source_bytes = 0;
  std::size_t destination_bytes = 0;
  std::vector<std::string> warnings;  // of the layouts' texts
};

namespace {

using Bytes = std::span<const std::byte>;
using Writable = std::span<std::byte>;

// What the direction and the tensor have to be, besides the texts of a layout.
std::optional<Refusal> check_move(const vl_request& request) {
  const auto refuse = [](std::string why) { return Refusal{VL_BAD_ARGUMENT, std::move(why)}; };
  if (request.direction < VL_PACK || request.direction > VL_MOVE)
    return refuse(fmt::format("direction: {} is none", request.direction));
  if (request.tensor == nullptr) return refuse("tensor: expected a text");
  if (request.layout == nullptr) return refuse("layout: expected a text");
  if ((request.to != nullptr) != (request.direction == VL_MOVE))
    return refuse("to: expected a layout for VL_MOVE, and only there");
  return std::nullopt;
}

/// Puts the layouts and the fill value into the handle.
std::optional<Refusal> read_request(const vl_request& request, vl_plan& plan) {
  if (auto refusal = check_move(request)) return refusal;
  const library::Texts texts{request.layout,  request.tensor, request.family, request.box,
                             request.strides, request.rank,   request.offset, request.view_offset};
  if (auto refusal = library::check_members(texts)) return refusal;
  std::array<session::CaseRequest, 2> sides{library::asked_of(texts), {}};
  if (request.to != nullptr) {
    auto both = session::two_sides(sides[0], sides[0].layout, session::SourceText::option("to", request.to));
    if (const auto* wrong = std::get_if<session::TextError>(&both)) return about(*wrong);
    sides = std::get<std::array<session::CaseRequest, 2>>(std::move(both));
  }
  auto first = read_side(sides[0]);
  if (auto* refusal = std::get_if<Refusal>(&first)) return *refusal;
  auto& [tensor, reading] = std::get<session::TensorReading>(first);
  (request.direction == VL_PACK ? plan.to : plan.from) = std::get<map::Layout>(std::move(reading.what));
  plan.warnings = std::move(reading.warnings);
  if (request.to != nullptr) {
    auto second = read_side(sides[1]);
    if (auto* refusal = std::get_if<Refusal>(&second)) return *refusal;
    use::Reading& other = std::get<session::TensorReading>(second).reading;
    plan.to = std::get<map::Layout>(std::move(other.what));
    plan.warnings.insert(plan.warnings.end(), other.warnings.begin(), other.warnings.end());
  }
  auto fill = oracle::parse_fill(request.fill != nullptr ? request.fill : "0", tensor.type);
  if (!fill) return about("fill", fill.error());
  plan.fill = std::move(*fill);
  return std::nullopt;
}

std::optional<Refusal> make_plan(const vl_request& request, vl_plan& plan) {
  if (auto refusal = read_request(request, plan)) return refusal;
  plan.work.from = plan.from ? &*plan.from : nullptr;
  plan.work.to = plan.to ? &*plan.to : nullptr;
  plan.work.unit = plan.fill.size();
  if (request.direction != VL_MOVE && (request.strides != nullptr || request.offset != 0)) {
    plan.work.host = oracle::Host::View;
    if (const auto units = oracle::host_units(plan.to ? *plan.to : *plan.from, oracle::Host::View); !units)
      return about("strides", units.error());
  }
  oracle::LevelOptions options;
  options.tiny = 0;
  if (const auto error = plan.levels.prepare(plan.work, options)) return about("to", *error);
  const oracle::Plan* certified = plan.levels.plan();
  if (certified == nullptr)
    return Refusal{plan.levels.has_refused_plan() ? VL_BUG : VL_NO_PLAN,
                   fmt::format("there is no certified plan: {}", plan.levels.why_no_plan())};
  plan.source_bytes = static_cast<std::size_t>(certified->source_bytes);
  plan.destination_bytes = static_cast<std::size_t>(certified->destination_bytes);
  return std::nullopt;
}

bool overlap(std::uintptr_t a, std::size_t a_bytes, std::uintptr_t b, std::size_t b_bytes) {
  return a_bytes != 0 && b_bytes != 0 && (a < b ? b - a < a_bytes : a - b < b_bytes);
}

/// vl_run, which may throw.
int run(const vl_plan& plan, const void* source, void* destination) {
  if ((source == nullptr && plan.source_bytes != 0) || (destination == nullptr && plan.destination_bytes != 0) ||
      overlap(reinterpret_cast<std::uintptr_t>(source), plan.source_bytes,
              reinterpret_cast<std::uintptr_t>(destination), plan.destination_bytes))
    return VL_BAD_ARGUMENT;
  const bool agrees = plan.levels.run_plan(Bytes(static_cast<const std::byte*>(source), plan.source_bytes), plan.fill,
                                           Writable(static_cast<std::byte*>(destination), plan.destination_bytes));
  return agrees ? VL_OK : VL_DIFFERS;
}

}  // namespace

int vl_prepare(const vl_request* request, vl_plan** out, char* why, size_t room) {
  return guarded(why, room, [&]() -> Refusal {
    if (out == nullptr) return {VL_BAD_ARGUMENT, "plan: expected where to put the handle"};
    *out = nullptr;
    if (request == nullptr) return {VL_BAD_ARGUMENT, "request: expected one"};
    const auto known = library::known_part(*request, sizeof(vl_request));
    if (!known) return {VL_BAD_ARGUMENT, "size: expected sizeof(vl_request), and members that this version knows"};
    auto plan = std::make_unique<vl_plan>();
    if (auto refusal = make_plan(*known, *plan)) return std::move(*refusal);
    *out = plan.release();
    return {VL_OK, {}};
  });
}

uint64_t vl_source_bytes(const vl_plan* plan) { return plan->source_bytes; }

uint64_t vl_destination_bytes(const vl_plan* plan) { return plan->destination_bytes; }

size_t vl_warnings(const vl_plan* plan, char* text, size_t room) {
  try {
    answer({VL_OK, fmt::format("{}", fmt::join(plan->warnings, "\n"))}, text, room);
  } catch (...) {
    answer({VL_NO_MEMORY, {}}, text, room);
  }
  return plan->warnings.size();
}

int vl_run(const vl_plan* plan, const void* source, void* destination) {
  try {
    return run(*plan, source, destination);
  } catch (...) {
    return VL_BUG;
  }
}

int vl_run_many(const vl_plan* plan, size_t count, const void* const* sources, void* const* destinations,
                size_t* done) {
  int status = VL_OK;
  size_t n = 0;
  try {
    if (count != 0 && (sources == nullptr || destinations == nullptr)) status = VL_BAD_ARGUMENT;
    while (status == VL_OK && n < count) {
      status = run(*plan, sources[n], destinations[n]);
      n += status == VL_OK ? 1 : 0;
    }
  } catch (...) {
    status = VL_BUG;
  }
  if (done != nullptr) *done = n;
  return status;
}

int vl_explain(const vl_plan* plan, const void* source, char* why, size_t room) {
  return guarded(why, room, [&]() -> Refusal {
    if (source == nullptr && plan->source_bytes != 0) return {VL_BAD_ARGUMENT, "source: expected an address"};
    std::vector<std::byte> destination(plan->destination_bytes);
    oracle::LevelOptions options;
    options.only = oracle::Level::Definition;
    const Bytes from(static_cast<const std::byte*>(source), plan->source_bytes);
    if (plan->levels.run_plan(from, plan->fill, destination)) return {VL_OK, {}};
    oracle::Levels definition;
    const auto report = definition.run(plan->work, options, from, plan->fill, destination);
    if (definition.lacks_memory()) return {VL_NO_MEMORY, report.error().message};
    return {VL_DIFFERS, report ? "copies of an element differ" : report.error().message};
  });
}

void vl_free(vl_plan* plan) { delete plan; }
