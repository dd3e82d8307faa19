#include "oracle/fuzz/levels.h"

#include <algorithm>
#include <bit>

#include "encodings/base/check.h"
#include "oracle/levels/levels.h"

namespace vl::oracle {
namespace {

Side::Kind kind_of(Host where) { return where == Host::Dense ? Side::Kind::Dense : Side::Kind::View; }

// Whether an element has several places in the source image, which have to agree.
bool compares_first(const Order& order) {
  if (order.kind != Order::Kind::Unpack && order.kind != Order::Kind::Move) return false;
  return order.layout->replicas().volume() != 1 ||
         (order.kind == Order::Kind::Unpack && expanded(*order.layout, order.where) != 0);
}

// The same moves in another form: every second loop counts down, and the last nest comes first.
use::Transfer given(use::Transfer transfer) {
  for (use::Nest& nest : transfer.nests)
    for (std::size_t k = 0; k < nest.extents.size(); k += 2)
      for (use::Walk* walk : {&nest.source, &nest.destination}) {
        walk->offset += (nest.extents[k] - 1) * walk->strides[k];
        walk->strides[k] = -walk->strides[k];
      }
  std::ranges::reverse(transfer.nests);
  return transfer;
}

Relation relation_of(const Order& order, bool compares) {
  Relation out;
  out.unit = static_cast<Index>(order.unit);
  const Side image{Side::Kind::Image, order.layout, false, 0};
  const Side host{kind_of(order.where), order.layout, false, 0};
  const std::uint64_t pinned = order.kind == Order::Kind::Unpack ? expanded(*order.layout, order.where) : 0;
  if (compares) {  // the first copy of each element with every other one
    out.source = image;
    out.source.pinned = pinned;
    out.destination = image;
    out.destination.replicas = true;
    return out;
  }
  switch (order.kind) {
    case Order::Kind::Pack:
    case Order::Kind::Nests:
      out.source = host;
      out.destination = image;
      out.destination.replicas = true;
      break;
    case Order::Kind::Unpack:
      out.source = image;
      out.destination = host;
      out.source.pinned = out.destination.pinned = pinned;
      break;
    case Order::Kind::Move:
      out.source = image;
      out.destination = {Side::Kind::Image, order.to, true, 0};
      break;
  }
  return out;
}

}  // namespace

const Rows* RowTables::rows_of(const map::Layout& layout, Host where) {
  for (std::size_t k = 0; k < compiled_.size(); ++k) {
    Compiled& slot = compiled_[k];
    if (slot.layout == nullptr) slot = {&layout, where, rows_[k].compile(layout, where)};
    if (slot.layout == &layout && slot.where == where) return slot.good ? &rows_[k] : nullptr;
  }
  VL_CHECK(false, "more layouts than a trial has");
}

std::optional<Error> RowTables::pack(const map::Layout& layout, Host where, std::span<const std::byte> host,
                                     std::size_t unit, std::span<const std::byte> fill, std::span<std::byte> device) {
  const Rows* rows = rows_of(layout, where);
  if (rows == nullptr) return Error{ErrorCode::Value, "there are no rows of this layout"};
  rows->pack(host, unit, fill, device);
  return std::nullopt;
}

std::optional<Error> RowTables::unpack(const map::Layout& layout, std::span<const std::byte> device, std::size_t unit,
                                       Host where, std::span<std::byte> host) {
  const Rows* rows = rows_of(layout, where);
  if (rows == nullptr || !rows->unpacks()) return Error{ErrorCode::Value, "there are no rows of this layout"};
  if (!rows->unpack(device, unit, host)) return Error{ErrorCode::Value, "units that have to agree differ"};
  return std::nullopt;
}

std::optional<Error> RowTables::move(const map::Layout& from, const map::Layout& to, std::span<const std::byte> device,
                                     std::size_t unit, std::span<const std::byte> fill, std::span<std::byte> moved) {
  tensor_.resize(static_cast<std::size_t>(from.logical().volume()) * unit);
  if (auto error = unpack(from, device, unit, Host::Dense, tensor_)) return error;
  return pack(to, Host::Dense, tensor_, unit, fill, moved);
}

void Plans::forget() {
  for (auto& entry : entries_)
    if (entry) entry->state = Entry::State::Unknown;
  nests_.reset();
}

Plans::Entry& Plans::entry(const Order& order, bool compares) {
  const std::size_t what = compares ? 4 : static_cast<std::size_t>(order.kind);
  const std::size_t kind = (what * 2 + static_cast<std::size_t>(order.where)) * 2 + (order.streamed ? 1 : 0);
  const std::size_t at = kind * 4 + static_cast<std::size_t>(std::countr_zero(order.unit));
  if (!entries_.at(at)) entries_[at] = std::make_unique<Entry>();
  return *entries_[at];
}

Plans::Ran Plans::make(Entry& entry, const Order& order, bool compares) {
  using State = Entry::State;
  if (entry.state == State::Unknown) {
    Relation relation = relation_of(order, compares);
    PlanOptions options;
    options.compares = compares;
    if (order.streamed) options.last_level_cache = 0;
    options.fills = !compares && order.kind != Order::Kind::Nests && relation.destination.kind == Side::Kind::Image;
    std::optional<NoPlan> none;
    if (order.kind == Order::Kind::Nests && !compares) {
      if (!nests_) {
        auto nests = use::synthesise(*order.layout, use::Direction::HostToDevice);
        if (nests) nests_ = given(std::move(*nests));
        else none = NoPlan{false, nests.error().message};
      }
      if (nests_) relation.nests = &*nests_;
    }
    if (!none) none = entry.plan.make(relation, options);
    entry.state = !none ? State::Made : none->bug ? State::Bug : State::None;
    if (none) entry.why = std::move(none->why);
  }
  if (entry.state == State::Made) return Ran::Whole;
  why_ = entry.why;
  return entry.state == State::Bug ? Ran::Rejected : Ran::Unplanned;
}

Plans::Ran Plans::make(const Order& order) {
  const Ran ran = make(entry(order, false), order, false);
  if (ran != Ran::Whole || !compares_first(order)) return ran;
  return make(entry(order, true), order, true);
}

Plans::Ran Plans::run(const Order& order, std::span<std::byte> source, std::span<const std::byte> fill,
                      std::span<std::byte> destination, const KernelSet& kernels, Pool* pool) {
  if (const Ran ran = make(order); ran != Ran::Whole) return ran;
  if (compares_first(order) && !execute(entry(order, true).plan, source, source, {}, pool, kernels)) return Ran::Differ;
  if (order.kind == Order::Kind::Nests) fill_units(destination, fill);  // nests write no padding
  return execute(entry(order, false).plan, source, destination, fill, pool, kernels) ? Ran::Whole : Ran::Differ;
}

bool garble(const Order& order, std::span<std::byte> image, std::uint64_t data) {
  const map::Layout& of = *order.layout;
  if (of.logical().volume() == 0) return false;
  const auto below = [](std::uint64_t number, Index count) {
    return static_cast<Index>(number % static_cast<std::uint64_t>(count));
  };
  const Index copies = of.replicas().volume();
  Point point = of.domain().point(below(data, of.logical().volume()) * copies);
  const std::uint64_t shared = order.kind == Order::Kind::Unpack ? expanded(of, order.where) : 0;
  if (copies > 1) {
    const Point replica = of.replicas().point(1 + below(data >> 16, copies - 1));
    std::ranges::copy(replica, point.end() - static_cast<std::ptrdiff_t>(replica.size()));
  } else if (shared != 0) {
    const auto k = static_cast<std::size_t>(std::countr_zero(shared));
    point[k] = 1 + below(data >> 16, of.logical().extent(k) - 1);
  } else {
    return false;
  }
  const auto outputs = map::evaluate(of.map(), point);
  const auto slot = of.slot_number(*outputs);
  VL_CHECK(slot.has_value(), "an element without a slot in an image");
  image[static_cast<std::size_t>(*slot) * order.unit + data % order.unit] ^= std::byte{1};
  return true;
}

}  // namespace vl::oracle
