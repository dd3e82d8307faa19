#include "oracle/reference/slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/plan/faults.h"
#include "oracle/reference/columns.h"

namespace vl::oracle {
namespace {

constexpr Index kMost = Index{1} << 49;  // of every number that goes into columns

bool is_small(Index value) { return -kMost <= value && value <= kMost; }

constexpr std::size_t kRamp = 1024;  // 0, 1, 2, …: what the fastest coordinate counts through

std::array<double, kRamp> make_ramp() {
  std::array<double, kRamp> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  return numbers;
}
const std::array<double, kRamp> kNumbers = make_ramp();

void count_from(Index start, std::size_t steps, double* out) {
  if (start + static_cast<Index>(steps) <= static_cast<Index>(kRamp)) {
    std::copy_n(kNumbers.data() + start, steps, out);
    return;
  }
  for (std::size_t j = 0; j < steps; ++j) out[j] = static_cast<double>(start + static_cast<Index>(j));
}

// Whether |constant| + Σ |coefficient|·|value| stays small: then every partial sum, in any order, does.
bool is_small(const map::Row& row, const std::vector<map::Range>& in) {
  Index reach = row.constant < 0 ? -row.constant : row.constant;
  for (const map::Term& term : row.terms) {
    const Index most = std::max(std::abs(in[term.input].low), std::abs(in[term.input].high));
    if (!accumulate(reach, std::abs(term.coefficient), most)) return false;
  }
  return reach <= kMost;
}

bool is_small(const map::Map& map) {
  for (std::size_t s = 0; s <= map.stages().size(); ++s)
    for (const map::Range& range : map.ranges(s))
      if (!is_small(range.low) || !is_small(range.high)) return false;
  for (std::size_t s = 0; s < map.stages().size(); ++s) {
    if (const auto* affine = std::get_if<map::Affine>(&map.stages()[s])) {
      for (const map::Row& row : affine->rows)
        if (!is_small(row, map.ranges(s))) return false;
    } else if (const auto* split = std::get_if<map::Split>(&map.stages()[s])) {
      if (split->weights.front() > kMost) return false;
    }
  }
  return true;
}

}  // namespace

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

void SlotBlocks::open(const map::Layout& layout, Host host, bool plainly) {
  layout_ = &layout;
  volume_ = layout.domain().volume();
  first_ = 0;
  count_ = 0;
  good_ = 0;
  if (volume_ == 0) return;
  in_order_ = host == Host::Dense && layout.replicas().volume() == 1;
  in_columns_ = !plainly && compile(layout, host);
  if (in_columns_) return;
  evaluate_.emplace(layout.map());
  point_.assign(layout.domain().rank(), 0);
  host_row_ = host == Host::View ? layout.host_offset() : map::dot(map::row_major_weights(layout.logical()));
}

// The program of the layout's stages; false when its numbers may be too large for columns.
bool SlotBlocks::compile(const map::Layout& layout, Host host) {
  const map::Map& map = layout.map();
  std::size_t columns = 1 + layout.domain().rank();
  for (std::size_t s = 0; s < map.stages().size(); ++s) columns += map.ranges(s + 1).size();
  const bool host_is_small = host == Host::Dense || is_small(layout.host_offset(), map.ranges(0));
  const bool box_is_small = layout.physical().volume() > 0 && is_small(layout.physical().volume());
  if (!is_small(map) || !box_is_small || !is_small(volume_) || !host_is_small) return false;
  if (columns_.size() < columns) columns_.resize(columns);
  columns_used_ = 0;
  program_.terms.clear();
  program_.steps.clear();
  program_.coordinates.clear();
  program_.host.clear();
  inputs_.resize(layout.domain().rank());
  values_.clear();
  Index run = 1;
  for (std::size_t k = inputs_.size(); k-- > 0; run *= layout.domain().extent(k))
    inputs_[k] = {layout.domain().extent(k), run, 0, run, -1};
  for (std::size_t k = 0; k < inputs_.size(); ++k) values_.push_back(&columns_[columns_used_++]);
  // The host's number of an element: the point's own, unless there are replicas or offsets.
  if (!in_order_) {
    program_.host_constant = host == Host::View ? static_cast<double>(layout.host_offset().constant) : 0.0;
    program_.host.push_back({values_.empty() ? &columns_[0] : values_[0]});  // marks that there are terms
    Index weight = 1;
    if (host == Host::View)
      for (const map::Term& term : layout.host_offset().terms)
        program_.host.push_back({values_[term.input], static_cast<double>(term.coefficient)});
    else
      for (std::size_t k = layout.logical().rank(); k-- > 0; weight *= layout.logical().extent(k))
        program_.host.push_back({values_[k], static_cast<double>(weight)});
  }
  for (const map::Stage& stage : map.stages()) std::visit([&](const auto& s) { append(s); }, stage);
  const std::size_t rank = layout.physical().rank();
  program_.coordinates.resize(values_.size());
  Index weight = 1;
  for (std::size_t k = values_.size(); k-- > 0;) {
    program_.coordinates[k] = {values_[k], 0, 0};
    if (k >= rank && planted(Fault::DefinitionIgnoresGuards)) program_.coordinates[k].last = 1e300;
    if (k >= rank) continue;
    const bool off_by_one = planted(Fault::DefinitionBoundOffByOne);
    program_.coordinates[k].last = static_cast<double>(layout.physical().extent(k) - (off_by_one ? 2 : 1));
    program_.coordinates[k].weight = static_cast<double>(weight);
    weight *= layout.physical().extent(k);
  }
  return true;
}

void SlotBlocks::append(const map::Affine& affine) {
  next_.clear();
  for (const map::Row& row : affine.rows) {
    if (row.constant == 0 && row.terms.size() == 1 && row.terms[0].coefficient == 1) {
      next_.push_back(values_[row.terms[0].input]);
      continue;
    }
    Column* out = &columns_[columns_used_++];
    Step step{Step::Kind::Dot, out, nullptr, static_cast<double>(row.constant),
              static_cast<std::uint32_t>(program_.terms.size()), static_cast<std::uint32_t>(row.terms.size()), {}};
    for (const map::Term& term : row.terms)
      program_.terms.push_back({values_[term.input], static_cast<double>(term.coefficient)});
    program_.steps.push_back(step);
    next_.push_back(out);
  }
  values_.swap(next_);
}

void SlotBlocks::append(const map::Split& split) {
  next_.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(split.input));
  Column* out = &columns_[columns_used_];
  columns_used_ += split.weights.size();
  program_.steps.push_back({Step::Kind::Split, out, values_[split.input], 0,
                            static_cast<std::uint32_t>(program_.terms.size()),
                            static_cast<std::uint32_t>(split.weights.size()), {}});
  for (std::size_t k = 0; k < split.weights.size(); ++k) {
    const auto weight = static_cast<double>(split.weights[k]);
    const double inverse = 1.0 / weight;
    const double shift = planted(Fault::DefinitionRoundsDigits) ? 0 : inverse / 2 - 0.5;
    program_.terms.push_back({nullptr, weight, inverse, shift});
    next_.push_back(out + k);
  }
  next_.insert(next_.end(), values_.begin() + static_cast<std::ptrdiff_t>(split.input) + 1, values_.end());
  values_.swap(next_);
}

void SlotBlocks::append(const map::Swizzle& swizzle) {
  Column* out = &columns_[columns_used_++];
  program_.steps.push_back({Step::Kind::Swizzle, out, values_[swizzle.input], 0, 0, 0, swizzle});
  values_[swizzle.input] = out;
}

bool SlotBlocks::next() {
  first_ += static_cast<Index>(count_);
  if (first_ >= volume_) return false;
  count_ = static_cast<std::size_t>(std::min<Index>(volume_ - first_, kBlock));
  good_ = count_;
  if (in_columns_) evaluate_columns();
  else evaluate_points();
  return true;
}

// The coordinates of the block's points: each input counts its extent through, one step every `run` points.
void SlotBlocks::fill_inputs() {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    Odometer& input = inputs_[k];
    double* const out = columns_[k].values.data();
    const bool same_everywhere = input.left >= static_cast<Index>(kBlock);
    if (same_everywhere && input.filled == input.value) {  // as in the block before
      input.left -= static_cast<Index>(count_);
      if (input.left == 0) step(input);
      continue;
    }
    input.filled = same_everywhere ? input.value : -1;
    for (std::size_t i = 0; i < count_;) {
      if (input.run == 1) {
        const auto steps = std::min(static_cast<std::size_t>(input.extent - input.value), count_ - i);
        count_from(input.value, steps, out + i);
        i += steps;
        input.value += static_cast<Index>(steps);
        if (input.value == input.extent) input.value = 0;
      } else {
        const auto same = std::min(static_cast<std::size_t>(input.left), count_ - i);
        std::fill_n(out + i, same, static_cast<double>(input.value));
        i += same;
        input.left -= static_cast<Index>(same);
        if (input.left == 0) step(input);
      }
    }
  }
}

void SlotBlocks::step(Odometer& input) {
  input.left = input.run;
  if (++input.value == input.extent) input.value = 0;
}

void SlotBlocks::evaluate_columns() {
  fill_inputs();
  if (run_columns(program_, count_, slots_.data(), hosts_.data())) return;
  const auto has_slot = [&](std::size_t i) {
    return std::ranges::all_of(program_.coordinates, [&](const Coordinate& coordinate) {
      const double value = coordinate.column->values[i];
      return 0 <= value && value <= coordinate.last;
    });
  };
  for (good_ = 0; good_ < count_ && has_slot(good_);) ++good_;
}

void SlotBlocks::evaluate_points() {
  for (std::size_t i = 0; i < count_; ++i) {
    const auto outputs = (*evaluate_)(point_);
    if (layout_->is_slot(outputs))
      slots_[i] = layout_->physical().linear(outputs.first(layout_->physical().rank()));
    else
      good_ = std::min(good_, i);
    hosts_[i] = *map::value(host_row_, point_);
    map::advance(layout_->domain(), point_);
  }
}

}  // namespace vl::oracle
