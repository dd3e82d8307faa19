#include "oracle/executor/planner_cell.h"

#include <algorithm>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr std::size_t kHeader = 6;

std::uint8_t number(std::size_t a) { return static_cast<std::uint8_t>(a); }

}  // namespace

void Cells::begin(std::vector<Rewrite>& list) {
  list_ = &list;
  waiting_.clear();
  failed_ = false;
  top.rank = top.lines = top.side = top.first = top.stage = top.digit = 0;
}

void Cells::push() {
  const std::size_t size = top.rank + top.lines * (top.rank + 1) + kHeader;
  const std::size_t at = waiting_.size();
  waiting_.resize(at + size);
  Index* to = waiting_.data() + at;
  to = std::copy_n(top.extent.data(), top.rank, to);
  for (std::size_t l = 0; l < top.lines; ++l) {
    *to++ = top.constant[l];
    to = std::copy_n(top.coefficient[l].data(), top.rank, to);
  }
  for (const std::size_t value : {top.rank, top.lines, top.side, top.first, top.stage, top.digit})
    *to++ = static_cast<Index>(value);
}

bool Cells::pop() {
  if (waiting_.empty()) return false;
  const Index* header = waiting_.data() + waiting_.size() - kHeader;
  for (std::size_t* value : {&top.rank, &top.lines, &top.side, &top.first, &top.stage, &top.digit})
    *value = static_cast<std::size_t>(*header++);
  const std::size_t size = top.rank + top.lines * (top.rank + 1) + kHeader;
  const Index* from = waiting_.data() + waiting_.size() - size;
  std::copy_n(from, top.rank, top.extent.data());
  from += top.rank;
  for (std::size_t l = 0; l < top.lines; ++l) {
    top.constant[l] = *from++;
    std::copy_n(from, top.rank, top.coefficient[l].data());
    from += top.rank;
  }
  waiting_.resize(waiting_.size() - size);
  return true;
}

void Cells::cut(std::size_t a, Index n) {
  list_->push_back({Rule::Cut, number(a), 0, n});
  const Index extent = top.extent[a];
  std::array<Index, kMostLines> constants;  // the rest of the cell is the same in both
  std::copy_n(top.constant.data(), top.lines, constants.data());
  const Index start = planted(Fault::PlannerTailStartsEarly) ? n - 1 : n;
  for (std::size_t l = 0; l < top.lines; ++l)
    failed_ = !accumulate(top.constant[l], top.coefficient[l][a], start) || failed_;
  top.extent[a] = planted(Fault::PlannerTailTooShort) && extent - n > 1 ? extent - n - 1 : extent - n;
  push();
  top.extent[a] = n;
  std::copy_n(constants.data(), top.lines, top.constant.data());
}

void Cells::block(std::size_t a, Index n) {
  list_->push_back({Rule::Block, number(a), 0, n});
  if (top.rank == kMostVariables) {
    failed_ = true;
    return;
  }
  const std::size_t z = top.rank++;
  top.extent[a] /= n;
  top.extent[z] = n;
  if (planted(Fault::PlannerBlockTurned)) std::swap(top.extent[a], top.extent[z]);
  for (std::size_t l = 0; l < top.lines; ++l) {
    Index& y = top.coefficient[l][a];
    top.coefficient[l][z] = y;
    if (planted(Fault::PlannerBlockKeepsStride)) continue;
    failed_ = __builtin_mul_overflow(y, n, &y) || failed_;
  }
}

void Cells::fix(std::size_t a) {
  const std::size_t noted = list_->size();
  cut(a, 1);
  list_->resize(noted);
  list_->push_back({Rule::Fix, number(a), 0, 0});
  remove(a);
}

void Cells::reverse(std::size_t a) {
  if (!planted(Fault::PlannerReversalNotNoted)) list_->push_back({Rule::Reverse, number(a), 0, 0});
  for (std::size_t l = 0; l < top.lines; ++l) {
    Index& c = top.coefficient[l][a];
    failed_ = !accumulate(top.constant[l], c, top.extent[a] - 1) || failed_;
    failed_ = __builtin_mul_overflow(c, Index{-1}, &c) || failed_;
  }
}

bool Cells::is_fusible(std::size_t a, std::size_t b) const {
  const Index extent = top.extent[b];
  for (std::size_t l = 0; l < top.lines; ++l) {
    Index product = 0;
    if (__builtin_mul_overflow(top.coefficient[l][b], extent, &product)) return false;
    if (product != top.coefficient[l][a]) return false;
  }
  Index joined = 0;
  return !__builtin_mul_overflow(top.extent[a], extent, &joined);
}

void Cells::fuse(std::size_t a, std::size_t b) {
  list_->push_back({Rule::Fuse, number(a), number(b), 0});
  if (planted(Fault::PlannerFuseTurned)) std::swap(list_->back().a, list_->back().b);
  top.extent[a] *= top.extent[b];
  for (std::size_t l = 0; l < top.lines; ++l) top.coefficient[l][a] = top.coefficient[l][b];
  remove(b);
}

void Cells::remove(std::size_t a) {
  const std::size_t rest = top.rank - a - 1;
  std::copy_n(top.extent.data() + a + 1, rest, top.extent.data() + a);
  for (std::size_t l = 0; l < top.lines; ++l)
    std::copy_n(top.coefficient[l].data() + a + 1, rest, top.coefficient[l].data() + a);
  --top.rank;
}

bool range_of(const Cell& cell, std::size_t line, Index& low, Index& high) {
  low = high = cell.constant[line];
  for (std::size_t k = 0; k < cell.rank; ++k) {
    const Index c = cell.coefficient[line][k];
    if (c != 0 && !accumulate(c < 0 ? low : high, c, cell.extent[k] - 1)) return false;
  }
  return true;
}

}  // namespace vl::oracle
