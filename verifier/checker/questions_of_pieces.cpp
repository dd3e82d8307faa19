// Questions about pieces of the points, and counts of slots.
#include <algorithm>

#include "verifier/checker/kernel.h"
#include "verifier/checker/questions.h"

namespace vl::checker {
namespace {

constexpr std::size_t kMostPieces = 4096;

}  // namespace

// Every cut takes one cell apart, so that the cells are the box, and no two have a point in common.
std::vector<Cell> Questions::cells(const ByPieces& proof) const {
  require(!proof.digits.empty() && proof.digits.size() <= kMostPieces && proof.cuts.size() + 1 == proof.digits.size(),
          "cuts into other pieces");
  Cell whole;
  for (std::size_t next = 0; const Group& group : proof.digits[0]) {
    require(group.dims > 0 && group.dims <= box_.rank() - next, "digits that do not cover the dimensions in order");
    Wide total = 1;
    for (const std::size_t end = next + group.dims; next < end; ++next) total = total * box_.extents[next];
    whole.push_back({0, total - 1});
  }
  for (const std::vector<Group>& groups : proof.digits)
    require(std::ranges::equal(groups, proof.digits[0], {}, &Group::dims, &Group::dims), "pieces of other groups");
  std::vector<Cell> out{whole};
  for (const auto& [piece, group, at] : proof.cuts) {
    charge(whole.size() + 1), hold(static_cast<long long>(sizeof(Cell) + whole.size() * sizeof(Interval)));
    require(piece < out.size() && group < whole.size() && out[piece][group].low < at && at <= out[piece][group].high,
            "a cut of nothing");
    out.push_back(out[piece]);
    out[piece][group].high = at - 1;
    out.back()[group].low = at;
  }
  return out;
}

// Slots of different pieces differ, because in some coordinate they have no value in common.
Wide Questions::occupied_pieces(const ByPieces& proof) {
  require(proof.steps.has_value(), "pieces without steps");
  std::vector<std::vector<Interval>> done;
  Wide out = 0;
  for (std::size_t i = 0; const Cell& cell : cells(proof)) {
    Evidence alone;
    alone.digits = proof.digits[i++];
    Questions piece(*layouts_[0], nullptr, alone, cell);
    if (piece.none_lands()) continue;
    require(done.size() < proof.steps->size(), "a piece without steps");
    alone.occupied = ByCount{(*proof.steps)[done.size()]};
    out += piece.occupied();
    std::vector<Interval> ranges;
    for (const Form& value : piece.outputs(0)) ranges.push_back(piece.forms().range(value));
    for (const auto& others : done) {
      charge(ranges.size() + 1);
      bool apart = false;
      for (std::size_t j = 0; j < ranges.size(); ++j)
        apart = apart || ranges[j].high < others[j].low || others[j].high < ranges[j].low;
      require(apart, "two pieces that may share slots");
    }
    done.push_back(std::move(ranges));
  }
  require(done.size() == proof.steps->size(), "steps of no piece");
  return out;
}

// Of steps d_1 <= d_2 <= … (absolute values) over extents e, every value is reached if d_{k+1} <= 1 + Σ_{j<=k}
// (e_j - 1)·d_j. Coordinates that share no digit take their values independently of one another.
Wide Questions::covered() {
  require(land(0, layouts_[0]->physical), "a place that may be no slot");
  const std::vector<Form>& values = outputs(0);
  std::vector<bool> used(forms().digits());
  Wide out = 1;
  for (const Form& value : values) {
    std::vector<std::pair<Wide, Wide>> steps;  // and extents
    for (std::size_t k = 0; k < value.terms.size(); ++k) {
      if (value.terms[k] == 0) continue;
      require(k < forms().digits() && !used[k], "a digit of two coordinates, or a swizzle");
      used[k] = true;
      steps.emplace_back(value.terms[k].abs(), forms().extent(k));
    }
    charge(value.terms.size()), charge_sorting(steps.size());
    std::ranges::sort(steps);
    Wide reach = 0;
    for (const auto& [step, extent] : steps) {
      require(step <= reach + 1, "a step beyond the reach of the smaller ones");
      reach += step * (extent - 1);
    }
    out = out * (reach + 1);
  }
  for (std::size_t g = 0; g < forms().groups().size(); ++g) {
    const std::size_t begin = forms().begin(g);
    const auto of = used.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = of + static_cast<std::ptrdiff_t>(forms().groups()[g].weights.size());
    require(forms().is_whole(g) || std::find(of, end, true) == end, "digits of a ragged dimension");
  }
  return out;
}

}  // namespace vl::checker
