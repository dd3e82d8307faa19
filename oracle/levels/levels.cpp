#include "oracle/levels/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "encodings/base/memory.h"
#include "oracle/reference/transfer.h"

namespace vl::oracle {
namespace {

// The layout of what is written, else that of what is read.
const map::Layout& a_layout(const Work& work) {
  const map::Layout* layout = work.to != nullptr ? work.to : work.from;
  VL_CHECK(layout != nullptr, "work without a layout");
  return *layout;
}

using Bytes = std::span<const std::byte>;
using Writable = std::span<std::byte>;
using Check = LevelOptions::Check;

constexpr std::uint64_t kSometimes = 64;

Side host_side(const map::Layout& layout, Host host, std::uint64_t pinned = 0) {
  return {host == Host::View ? Side::Kind::View : Side::Kind::Dense, &layout, false, pinned};
}

Side image_side(const map::Layout& layout, bool replicas, std::uint64_t pinned = 0) {
  return {Side::Kind::Image, &layout, replicas, pinned};
}

std::string print(Bytes unit) {
  std::string text;
  for (const std::byte byte : unit) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::optional<Error> make_room(std::vector<std::byte>& room, std::size_t bytes) {
  try {
    if (room.capacity() >= bytes || has_room(bytes)) {
      room.resize(bytes);
      return std::nullopt;
    }
  } catch (const std::bad_alloc&) {  // the answer below
  }
  return Error{ErrorCode::Value, fmt::format("there is no memory for {} bytes", bytes)};
}

/// The first point of the layout in that slot, or at that host offset.
std::string name_of_unit(const map::Layout& layout, Host host, bool device, Index number) {
  SlotBlocks blocks;
  blocks.open(layout, host);
  while (blocks.next())
    for (std::size_t i = 0; i < blocks.good(); ++i) {
      const Index point = blocks.first() + static_cast<Index>(i);
      if ((device ? blocks.slots()[i] : blocks.in_order() ? point : blocks.hosts()[i]) != number) continue;
      const Point coordinates = layout.domain().point(point);
      return fmt::format("element [{}]{} in slot [{}]",
                         fmt::join(std::span<const Index>(coordinates).first(layout.logical().rank()), ", "),
                         point % layout.replicas().volume() == 0 ? "" : " (a replica)",
                         fmt::join(layout.physical().point(blocks.slots()[i]), ", "));
    }
  return device ? fmt::format("padding in slot [{}]", fmt::join(layout.physical().point(number), ", ")) : "no element";
}

}  // namespace

std::uint64_t expanded(const map::Layout& layout, Host host) {
  if (host == Host::Dense) return 0;
  std::uint64_t mask = 0;
  for (std::size_t k = 0; k < std::min<std::size_t>(layout.logical().rank(), 64); ++k) {
    const auto& terms = layout.host_offset().terms;
    const bool moves = std::ranges::any_of(terms, [&](const map::Term& term) { return term.input == k; });
    if (!moves && layout.logical().extent(k) > 1) mask |= std::uint64_t{1} << k;
  }
  return mask;
}

std::string_view name(Level level) {
  switch (level) {
    case Level::Plan: return "plan";
    case Level::Rows: return "rows";
    case Level::Definition: return "definition";
  }
  VL_CHECK(false, "a level without a name");
}

std::optional<Error> Levels::prepare(const Work& work, const LevelOptions& options) {
  VL_CHECK(work.from != nullptr || work.to != nullptr, "work without a layout");
  work_ = work;
  options_ = options;
  planned_ = agrees_first_ = bug_ = few_ = false;
  has_rows_ = tried_rows_ = false;
  why_.clear();
  if (work.from != nullptr && work.to != nullptr)
    if (auto error = check_same_tensor(*work.from, *work.to)) return error;
  for (const map::Layout* layout : {work.from, work.to})
    if (layout != nullptr && work.nests == nullptr && check_replicas(*layout)) {
      why_ = "an element has no replica";  // the definition says which
      few_ = true;
      return std::nullopt;
    }
  const map::Layout& layout = a_layout(work);
  const bool is_tiny = !options.only && work.nests == nullptr && layout.domain().volume() < options.tiny;
  few_ = is_tiny;
  if (is_tiny) why_ = fmt::format("{} elements are few", layout.domain().volume());
  else if (options.only && *options.only != Level::Plan) why_ = "not asked for";
  else make_plans();
  return std::nullopt;
}

// The plan of what is written, and that of what has to agree before.
void Levels::make_plans() {
  VL_CHECK(work_.from != nullptr || work_.to != nullptr, "work without a layout");
  Relation relation;
  relation.unit = static_cast<Index>(work_.unit);
  PlanOptions how;
  std::optional<Relation> agreement;
  if (work_.nests != nullptr) {
    const map::Layout& layout = a_layout(work_);
    relation.nests = work_.nests;
    relation.source = work_.from != nullptr ? image_side(*work_.from, false) : host_side(layout, work_.host);
    relation.destination = work_.to != nullptr ? image_side(*work_.to, false) : host_side(layout, work_.host);
  } else if (work_.from == nullptr) {
    relation.source = host_side(*work_.to, work_.host);
    relation.destination = image_side(*work_.to, true);
  } else {
    const std::uint64_t pinned = work_.to == nullptr ? expanded(*work_.from, work_.host) : 0;
    relation.source = image_side(*work_.from, false, pinned);
    relation.destination =
        work_.to != nullptr ? image_side(*work_.to, true) : host_side(*work_.from, work_.host, pinned);
    if (pinned != 0 || work_.from->replicas().volume() > 1) {
      agreement = relation;
      agreement->source = image_side(*work_.from, true);
      agreement->destination = image_side(*work_.from, false, pinned);
    }
  }
  const auto note = [&](const NoPlan& none) {
    why_ = none.why;
    bug_ = none.bug;
  };
  how.fills = work_.nests != nullptr ? work_.fills : work_.to != nullptr;
  if (auto none = plan_.make(relation, how)) return note(*none);
  if (agreement) {
    PlanOptions compare = how;
    compare.fills = false;
    compare.compares = true;
    if (auto none = agreement_.make(*agreement, compare)) return note(*none);
    agrees_first_ = true;
  }
  planned_ = true;
}

bool Levels::make_rows() {
  if (std::exchange(tried_rows_, true)) return has_rows_;
  if (work_.nests != nullptr) return false;
  const bool moves = work_.from != nullptr && work_.to != nullptr;
  has_rows_ = rows_.compile(a_layout(work_), moves ? Host::Dense : work_.host) &&
              (!moves || reads_.compile(*work_.from, Host::Dense)) && (work_.to != nullptr || rows_.unpacks());
  if (has_rows_ && moves)
    has_rows_ = !make_room(tensor_, static_cast<std::size_t>(reads_.host_units()) * work_.unit).has_value();
  return has_rows_;
}

std::optional<Error> Levels::check_memories(std::size_t source, std::size_t fill, std::size_t destination) const {
  const map::Layout& layout = a_layout(work_);
  const auto side = [&](const map::Layout* image, std::size_t have) {
    if (image == nullptr) return check_host(layout, work_.host, work_.unit, have);
    return check_memory("device image", image->physical().volume(), work_.unit, have);
  };
  if (auto error = side(work_.from, source)) return error;
  if (auto error = side(work_.to, destination)) return error;
  const bool is_filled = work_.nests != nullptr ? work_.fills : work_.to != nullptr;
  if (fill == work_.unit || !is_filled) return std::nullopt;
  return Error{ErrorCode::Shape, fmt::format("the fill has {} bytes; expected {}", fill, work_.unit)};
}

bool Levels::run_plan(Bytes source, Bytes fill, Writable destination) const {
  if (agrees_first_) {
    // Compared with itself: nothing is written.
    const Writable same(const_cast<std::byte*>(source.data()), source.size());
    if (!execute(agreement_, source, same, {}, options_.pool)) return false;
  }
  // A plan fills the gaps of an image only; nests may leave out units of a host's memory as well.
  const Plan& plan = plan_.plan();
  const auto is_gap = [](const Rewrite& rewrite) { return rewrite.rule == Rule::Gap; };
  if (work_.nests != nullptr && work_.fills && !plan.fills && std::ranges::any_of(plan.cover, is_gap))
    fill_units(destination, fill);
  const bool done = execute(plan_, source, destination, fill, options_.pool);
  VL_CHECK(done, "a plan that compares nothing found a difference");
  return true;
}

bool Levels::run_rows(Bytes source, Bytes fill, Writable destination) {
  if (work_.from == nullptr) {
    rows_.pack(source, work_.unit, fill, destination);
    return true;
  }
  if (work_.to == nullptr) return rows_.unpack(source, work_.unit, destination);
  if (!reads_.unpack(source, work_.unit, tensor_)) return false;
  rows_.pack(tensor_, work_.unit, fill, destination);
  return true;
}

std::optional<Error> Levels::define(Bytes source, Bytes fill, Writable destination) {
  VL_CHECK(work_.from != nullptr || work_.to != nullptr, "work without a layout");
  if (work_.nests != nullptr) {
    std::vector<std::byte> memory;
    auto error = make_room(memory, destination.size());
    lacks_memory_ = error.has_value();
    if (error) return error;
    if (work_.fills) fill_units(memory, fill);
    else std::ranges::copy(destination, memory.begin());
    const auto moved = execute(*work_.nests, source, std::move(memory), work_.unit);
    if (!moved) return moved.error();
    std::ranges::copy(*moved, destination.begin());
    return std::nullopt;
  }
  auto error = work_.from == nullptr ? definition_.pack(*work_.to, work_.host, source, work_.unit, fill, destination)
               : work_.to == nullptr ? definition_.unpack(*work_.from, source, work_.unit, work_.host, destination)
                                     : definition_.move(*work_.from, *work_.to, source, work_.unit, fill, destination);
  lacks_memory_ = definition_.lacks_memory();
  return error;
}

std::string Levels::first_difference(Bytes have, Bytes want) const {
  const bool moves = work_.from != nullptr && work_.to != nullptr;
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(have, want).in1 - have.begin()) / work_.unit;
  const map::Layout& layout = a_layout(work_);
  const auto unit = [&](Bytes memory) { return print(memory.subspan(at * work_.unit, work_.unit)); };
  const Host host = moves ? Host::Dense : work_.host;
  return fmt::format("unit {}, {}: {} instead of {}", at,
                     name_of_unit(layout, host, work_.to != nullptr, static_cast<Index>(at)), unit(have), unit(want));
}

Result<LevelReport> Levels::run(Bytes source, Bytes fill, Writable destination) {
  lacks_memory_ = false;
  if (auto error = check_memories(source.size(), fill.size(), destination.size())) return *error;
  LevelReport report;
  report.why = why_;
  report.bug = bug_;
  const bool rows = !planned_ && !few_ && options_.only.value_or(Level::Rows) == Level::Rows && make_rows();
  report.level = planned_ ? Level::Plan : rows ? Level::Rows : Level::Definition;
  if (options_.only && *options_.only != report.level)
    return Error{ErrorCode::Value, fmt::format("there is no {}: {}", name(*options_.only), why_)};
  if (report.level == Level::Definition) {
    if (auto error = define(source, fill, destination)) return *error;
    return report;
  }
  ++runs_;
  report.compared =
      options_.definition == Check::Always || (options_.definition == Check::Sometimes && runs_ % kSometimes == 0);
  if (report.compared) {
    if (auto error = make_room(expected_, destination.size())) return *error;
    std::ranges::copy(destination, expected_.begin());
  }
  const bool agrees = planned_ ? run_plan(source, fill, destination) : run_rows(source, fill, destination);
  if (!agrees) {
    if (auto error = define(source, fill, destination)) return *error;
    report.disagreement =
        fmt::format("the {} finds copies of an element that differ, the definition does not", name(report.level));
    return report;
  }
  if (!report.compared) return report;
  if (auto error = define(source, fill, expected_)) {
    if (lacks_memory_) return *error;
    report.disagreement = fmt::format("the {} ran, but the definition says: {}", name(report.level), error->message);
  } else if (!destination.empty() && std::memcmp(destination.data(), expected_.data(), destination.size()) != 0) {
    report.disagreement = first_difference(destination, expected_);
    std::ranges::copy(expected_, destination.begin());
  }
  return report;
}

Result<LevelReport> Levels::run(const Work& work, const LevelOptions& options, Bytes source, Bytes fill,
                                Writable destination) {
  if (auto error = prepare(work, options)) return *error;
  return run(source, fill, destination);
}

}  // namespace vl::oracle
