// Ranks over GF(2). Let every byte address be an exclusive-or form of the bits of lane and variables (xor_form.h), let
// the banks, their bytes and the width be powers of two, and let every address be a multiple of the width. Then
//
//   - the words of an access are word(lane) ^ word(variables) ^ offset; the offset is the bits within a wide lane;
//   - the variables change every lane's words by the same exclusive-or, which keeps equal words equal, and words of one
//     bank in one bank: all instances cost the same;
//   - if the lanes of a phase are a coset of a subspace of the lane bits, the words are a coset of the image of a
//     linear W, and the banks of the image of P·W, where P are the low bits: every bank that is hit gives
//     2^(rank W - rank PW) words.
//
// Lanes that are not a coset (predicates, odd numbers of lanes) are counted one by one, in the first instance. A
// condition on variables is outside the fragment: then instances differ.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "encodings/map/digits.h"
#include "verifier/engines/bits/xor_form.h"
#include "verifier/engines/engine.h"
#include "verifier/question/access.h"

namespace vl::engines {
namespace {

using question::Counter;
using question::lane_point;
using question::LaneWalk;
using question::Reach;

// Whether no variable reaches an output.
bool only_lane_matters(const map::Map& map) {
  return std::ranges::all_of(map::digits_of(map), [](const map::Coordinate& output) {
    return std::ranges::all_of(map::inputs_of(output), [](std::size_t input) { return input == 0; });
  });
}

std::vector<Index> active_lanes(const Reach& reach, const std::vector<Index>& phase) {
  LaneWalk walk(reach);
  std::vector<Index> out;
  const Point zero(reach.bytes.domain().rank() - 1, 0);
  std::ranges::copy_if(phase, std::back_inserter(out),
                       [&](Index lane) { return walk.is_active(lane_point(lane, zero)); });
  return out;
}

// A basis of { lane ^ first lane }, when the lanes are all of a coset.
std::optional<std::vector<std::uint64_t>> basis_of(const std::vector<Index>& lanes) {
  std::vector<std::uint64_t> basis;
  for (const Index lane : lanes) {
    std::vector<std::uint64_t> more = basis;
    more.push_back(static_cast<std::uint64_t>(lane ^ lanes[0]));
    if (rank(more) == static_cast<int>(more.size())) basis = std::move(more);
  }
  if (lanes.size() != std::size_t{1} << basis.size()) return std::nullopt;
  return basis;
}

class LinearAccess {
 public:
  // Says why not, or nothing.
  std::optional<std::string> prepare(const Reach& reach) {
    reach_ = &reach;
    if (!is_power(reach.banks) || !is_power(reach.bytes_per_bank) || !is_power(reach.width))
      return "banks, their bytes or the width are not powers of two";
    if (reach.when && !only_lane_matters(*reach.when)) return "a condition on variables";
    auto forms = xor_forms(reach.bytes);
    if (!forms) return "an addition may carry, or a split is by no power of two";
    form_ = std::move(forms->at(0));
    if ((form_.support() & static_cast<std::uint64_t>(reach.width - 1)) != 0)
      return "an address may be no multiple of the width";
    bits_ = input_bits(reach.bytes.domain());
    return std::nullopt;
  }

  // The wavefronts of a phase with active lanes.
  [[nodiscard]] Index phase(const std::vector<Index>& lanes) const {
    const auto basis = basis_of(lanes);
    if (!basis) return Counter(*reach_).phase(lanes, Point(reach_->bytes.domain().rank() - 1, 0));
    const int word_shift = std::countr_zero(static_cast<std::uint64_t>(reach_->bytes_per_bank));
    std::vector<std::uint64_t> words;
    for (const std::uint64_t lane : *basis) words.push_back(byte_of(lane) >> word_shift);
    for (Index offset = reach_->bytes_per_bank; offset < reach_->width; offset *= 2)
      words.push_back(static_cast<std::uint64_t>(offset) >> word_shift);
    std::vector<std::uint64_t> banks = words;
    for (std::uint64_t& word : banks) word &= static_cast<std::uint64_t>(reach_->banks - 1);
    const int needed = reach_->broadcasts ? rank(words) : static_cast<int>(words.size());
    return Index{1} << (needed - rank(banks));
  }

 private:
  [[nodiscard]] std::uint64_t byte_of(std::uint64_t lane) const {
    std::uint64_t byte = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (bits_[i].input == 0 && (lane >> bits_[i].bit & 1) != 0) byte ^= form_.columns[i];
    return byte;
  }

  const Reach* reach_ = nullptr;
  XorForm form_;
  std::vector<InputBit> bits_;
};

Answer active(const Reach& reach) {
  const Point zero(reach.bytes.domain().rank() - 1, 0);
  LaneWalk walk(reach);
  if (reach.when && !only_lane_matters(*reach.when)) return Abstained{Reason::OutOfReach, "a condition on variables"};
  for (Index lane = 0; lane < reach.bytes.domain().extent(0); ++lane)
    if (Point p = lane_point(lane, zero); walk.is_active(p)) return Found{{std::move(p), {}, {}}, true};
  return None{};
}

}  // namespace

Answer decide_banks_gf2(const BankQuestion& question, const Options&) {
  const Reach& reach = *question.reach;
  if (question.kind == Kind::Escapes) {
    if (question::is_obviously_inside(reach)) return None{};
    return Abstained{Reason::OutOfReach, "the ranges of the coordinates reach beyond the tensor"};
  }
  if (question.kind == Kind::Lands) return active(reach);
  if (question.kind != Kind::Crowds && question.kind != Kind::Count) return abstain("not asked of accesses");
  LinearAccess linear;
  if (auto why = linear.prepare(reach)) return Abstained{Reason::OutOfReach, std::move(*why)};
  Index wavefronts = 0;
  Index ideal = 0;
  LaneWalk walk(reach);  // lanes that agree in pairs in one instance agree in all
  for (const std::vector<Index>& phase : question::phases_of(reach, walk, Point(reach.bytes.domain().rank() - 1, 0))) {
    const std::vector<Index> lanes = active_lanes(reach, phase);
    if (lanes.empty()) continue;
    wavefronts += linear.phase(lanes);
    ++ideal;
  }
  if (question.kind == Kind::Count)
    return Counted{question.measure == question::Measure::Wavefronts ? wavefronts : wavefronts - ideal};
  if (wavefronts - ideal <= question.limit) return None{};
  return Found{{Point(reach.bytes.domain().rank() - 1, 0), {}, {}}, true};
}

}  // namespace vl::engines
