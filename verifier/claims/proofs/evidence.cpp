#include "verifier/claims/proofs/evidence.h"

#include <algorithm>
#include <utility>

namespace vl::claims {
namespace {

using checker::Form;
using checker::Forms;
using checker::Group;
using checker::Wide;

constexpr int kMostCuts = 256;
constexpr std::size_t kMostWays = 64;

// The shift of a group with which a quotient's rest loses its constant: its last digit counts one by one.
bool shift(Groups& groups, const checker::Crossing& crossing) {
  std::size_t next = 0;
  for (Group& group : groups) {
    next += group.weights.size();
    const Wide unit = crossing.form.at(next - 1);
    if (group.shift || unit <= 0 || crossing.weight % unit != 0 || crossing.form.constant % unit != 0) continue;
    const Wide by = crossing.form.constant / unit % (crossing.weight / unit);
    if (by == 0) continue;
    group.shift = by;
    return true;
  }
  return false;
}

// The groups, cut until `look` is content.
std::optional<Groups> refine(Groups groups, const std::function<void(const Groups&)>& look, bool chain) {
  for (int cuts = 0; cuts < kMostCuts; ++cuts) {
    try {
      look(groups);
      return groups;
    } catch (const checker::Stuck& stuck) {
      if (!cut_digits(groups[stuck.group], stuck.weight, chain)) return std::nullopt;
    } catch (const checker::Crossing& crossing) {
      if (chain || !shift(groups, crossing)) return std::nullopt;
    } catch (const checker::Rejected&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// Why two points with equal rows have an equal digit, as a step says it; null where this row does not tell.
const char* reason_for(const Forms& forms, const Form& row, std::size_t atom, const std::vector<bool>& known) {
  const Wide coefficient = row.at(atom);
  if (coefficient == 0) return nullptr;
  Form others{0, row.terms};
  Wide common = 0;
  for (std::size_t k = 0; k < others.terms.size(); ++k) {
    if (known[k] || k == atom) others.terms[k] = 0;
    common = checker::gcd(common, others.terms[k]);
  }
  const checker::Interval span = forms.range(others);
  if (coefficient.abs() > span.high - span.low) return "large";
  return common > 0 && common / checker::gcd(common, coefficient) >= forms.extent(atom) ? "gcd" : nullptr;
}

}  // namespace

// Ways are bits: bit i is 0 where a group ends behind dimension i.
std::vector<Groups> ways_to_group(const checker::Space& box, const std::vector<std::size_t>& parts) {
  std::uint64_t all = box.rank() == 0 ? 0 : (std::uint64_t{1} << std::min<std::size_t>(box.rank() - 1, 62)) - 1;
  std::size_t end = 0;
  for (const std::size_t dims : parts)
    if ((end += dims) > 0 && end < 63) all &= ~(std::uint64_t{1} << (end - 1));
  std::vector<Groups> out;
  std::uint64_t joined = 0;
  do {
    Groups groups;
    for (std::size_t i = 0; i < box.rank(); ++i) {
      if (i > 0 && i < 63 && (joined >> (i - 1) & 1) != 0) ++groups.back().dims;
      else groups.push_back({i, 1, {1}});
    }
    out.push_back(std::move(groups));
    joined = (joined - 1) & all;  // the next subset of `all`: 0, all, …
  } while (joined != 0 && out.size() < kMostWays);
  return out;
}

std::optional<Groups> digits_for(const checker::Space& box, const std::vector<std::size_t>& parts,
                                 const std::function<void(const Groups&)>& look, bool chain) {
  for (const Wide& extent : box.extents)
    if (extent == 0) return std::nullopt;
  for (Groups& groups : ways_to_group(box, parts))
    if (auto found = refine(std::move(groups), look, chain)) return found;
  return std::nullopt;
}

bool cut_digits(Group& group, Wide weight, bool chain) {
  auto& weights = group.weights;
  if (weight < 1 || std::ranges::find(weights, weight) != weights.end()) return false;
  const auto at = std::ranges::find_if(weights, [&](Wide w) { return w < weight; });
  if (at == weights.end() || (chain && weight % *at != 0)) return false;
  if (chain && at != weights.begin() && *(at - 1) % weight != 0) return false;
  weights.insert(at, weight);
  return true;
}

std::vector<checker::Step> peel_steps(const Forms& forms, std::vector<Form> rows, std::vector<bool> known,
                                      bool by_digit) {
  std::vector<checker::Step> steps;
  known.resize(forms.atoms(), false);
  std::vector<bool> opened(forms.atoms(), false);
  bool progress = true;
  const auto peel = [&](std::size_t r, std::size_t k) {
    const char* reason = known[k] ? nullptr : reason_for(forms, rows[r], k, known);
    if (reason == nullptr) return;
    steps.push_back({r, k, reason});
    known[k] = progress = true;
  };
  for (std::size_t k = 0; k < forms.atoms(); ++k)
    if (forms.extent(k) == 1) known[k] = true;
  while (std::exchange(progress, false)) {
    for (std::size_t k = forms.digits(); k < forms.atoms(); ++k) {
      if (!known[k] || opened[k]) continue;
      steps.push_back({0, k, "swizzle"});
      rows.push_back(*forms.inside(k));
      opened[k] = progress = true;
    }
    for (std::size_t k = 0; k < forms.digits() && by_digit; ++k)
      for (std::size_t r = 0; r < rows.size(); ++r) peel(r, k);
    for (std::size_t r = 0; r < rows.size() && !by_digit; ++r)
      for (std::size_t k = 0; k < rows[r].terms.size(); ++k) peel(r, k);
  }
  return steps;
}

}  // namespace vl::claims
