#include "oracle/reference/slots.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/plan/faults.h"

namespace vl::oracle {

Result<Index> host_units(const map::Layout& layout, Host host) {
  if (host == Host::Dense || layout.logical().volume() == 0) return layout.logical().volume();
  Index low = layout.host_offset().constant;
  Index high = low;
  for (const map::Term& term : layout.host_offset().terms)
    if (!accumulate(term.coefficient < 0 ? low : high, term.coefficient, layout.logical().extent(term.input) - 1))
      return Error{ErrorCode::Overflow, "a host offset leaves 64 bits"};
  if (low < 0)
    return Error{ErrorCode::Value, fmt::format("an element has the host offset {}; expected offsets from 0", low)};
  const auto units = checked_add(high, 1);
  return units ? Result<Index>(*units) : Result<Index>(Error{ErrorCode::Overflow, "a host offset leaves 64 bits"});
}

Walks::Walk* Walks::of(const map::Layout& layout, Host host) {
  if (layout.domain().volume() > kMostPoints) return nullptr;
  for (std::size_t k = 0; k < count_; ++k)
    if (walks_[k].layout == &layout && walks_[k].host == host) return &walks_[k];
  if (count_ == walks_.size()) return nullptr;
  Walk& walk = walks_[count_++];
  walk.layout = &layout;
  walk.host = host;
  walk.ended = false;
  return &walk;
}

void SlotBlocks::open(const map::Layout& layout, Host host, How from, Walks* walks) {
  layout_ = &layout;
  walk_ = nullptr;
  kept_ = false;
  volume_ = layout.domain().volume();
  first_ = 0;
  count_ = 0;
  good_ = 0;
  if (volume_ == 0) return;
  in_order_ = host == Host::Dense && layout.replicas().volume() == 1;
  if (walks != nullptr) walk_ = walks->of(layout, host);
  kept_ = walk_ != nullptr && walk_->ended;
  if (kept_) return;
  if (walk_ != nullptr) {  // what an error left
    walk_->slots.clear();
    walk_->hosts.clear();
  }
  const auto reach = reach_of(layout, host);
  how_ = from;
  if (how_ == How::Floats && !(reach && *reach <= Columns<float>::kMost)) how_ = How::Doubles;
  if (how_ == How::Doubles && !(reach && *reach <= Columns<double>::kMost)) how_ = How::Points;
  switch (how_) {
    case How::Floats: floats_.compile(layout, host); break;
    case How::Doubles: doubles_.compile(layout, host); break;
    case How::Points:
      evaluate_.emplace(layout.map());
      point_.assign(layout.domain().rank(), 0);
      host_row_ = host == Host::View ? layout.host_offset() : map::row_major_number(layout.logical());
      break;
  }
}

bool SlotBlocks::next() {
  first_ += static_cast<Index>(count_);
  if (first_ >= volume_) return false;
  if (kept_) {
    count_ = static_cast<std::size_t>(volume_);
    good_ = walk_->slots.size();
    return true;
  }
  const std::size_t most = how_ == How::Doubles ? Columns<double>::kLanes : kMost;
  count_ = static_cast<std::size_t>(std::min<Index>(volume_ - first_, static_cast<Index>(most)));
  switch (how_) {
    case How::Floats: good_ = floats_.run(first_, count_, slots_.data(), hosts_.data()); break;
    case How::Doubles: good_ = doubles_.run(first_, count_, slots_.data(), hosts_.data()); break;
    case How::Points: evaluate_points(); break;
  }
  if (walk_ != nullptr) keep();
  return true;
}

void SlotBlocks::keep() {
  if (walk_->ended) return;  // at a point without a slot
  walk_->slots.insert(walk_->slots.end(), slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(good_));
  if (!in_order_)
    walk_->hosts.insert(walk_->hosts.end(), hosts_.begin(), hosts_.begin() + static_cast<std::ptrdiff_t>(good_));
  walk_->ended = good_ < count_ || first_ + static_cast<Index>(count_) == volume_;
  if (walk_->ended && planted(Fault::DefinitionWalksBackwards)) std::ranges::reverse(walk_->slots);
}

void SlotBlocks::evaluate_points() {
  good_ = count_;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto outputs = (*evaluate_)(point_);
    if (const auto slot = layout_->slot_number(outputs)) slots_[i] = *slot;
    else good_ = std::min(good_, i);
    hosts_[i] = *map::value(host_row_, point_);
    map::advance(layout_->domain(), point_);
  }
}

}  // namespace vl::oracle
