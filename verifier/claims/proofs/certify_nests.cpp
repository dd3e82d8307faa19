#include "verifier/claims/proofs/certify_nests.h"

#include <algorithm>

#include "verifier/claims/proofs/evidence.h"
#include "verifier/claims/proofs/nest_pieces.h"
#include "verifier/statements/layout_text.h"

namespace vl::claims {
namespace {

using checker::Evidence;
using checker::Nest;
using checker::Stage;
using checker::Wide;
using Checked = checker::Layout;

constexpr long long kMovesWalked = 1 << 20;  // moves and points that are walked over where no pieces show a claim

bool is_small(const Checked (&sides)[2], const std::vector<Nest>& nests) {
  Wide count = sides[0].map.domain.volume() + sides[1].map.domain.volume();
  for (const Nest& nest : nests) count += nest.box.volume();
  return count <= kMovesWalked;
}

checker::LayoutText text_of_slots(const map::Layout& layout) {
  checker::LayoutText out = statements::text_for_checker(layout);
  out.filled.reset(), out.identity.reset(), out.named.reset();
  return out;
}

// Weights by which the slots of a memory fall into digits that are the same for all nests: those of its box; those of
// the one affine row that fills it (a host); those that the nests step by. None comes first: the numbers themselves may
// do.
std::vector<Chains> weights_of(const Checked& layout, const std::vector<Nest>& nests, std::size_t side) {
  std::vector<Wide> box, row, steps;
  for (const auto& [dim, weight] : layout.physical.number().terms) box.push_back(weight);
  if (layout.map.stages.size() == 1 && layout.map.stages[0].kind == Stage::Kind::Affine && layout.physical.rank() == 1)
    for (const auto& [input, weight] : layout.map.stages[0].rows[0].terms) row.push_back(weight.abs());
  for (const Nest& nest : nests)
    for (const auto& [loop, weight] : nest.slots[side].terms) steps.push_back(weight.abs());
  std::vector<Chains> out{{}};
  for (std::vector<Wide>* weights : {&box, &row, &steps}) {
    weights->push_back(1);
    std::ranges::sort(*weights, std::greater());
    weights->erase(std::unique(weights->begin(), weights->end()), weights->end());
    while (weights->back() == 0) weights->pop_back();
    const Chains chains{*weights};
    if (weights->size() > 1 && std::ranges::find(out, chains) == out.end()) out.push_back(chains);
  }
  return out;
}

}  // namespace

checker::TransferText transfer_statement(const use::Transfer& transfer, const use::Memory& source,
                                         const use::Memory& destination) {
  const auto walk = [](const use::Walk& walked) {
    checker::Integers out{walked.offset};
    out.insert(out.end(), walked.strides.begin(), walked.strides.end());
    return out;
  };
  std::vector<checker::TransferText::Nest> nests;
  for (const use::Nest& nest : transfer.nests)
    nests.push_back({nest.extents, walk(nest.source), walk(nest.destination)});
  return {text_of_slots(source.layout),
          text_of_slots(destination.layout),
          {source.base, destination.base},
          std::move(nests)};
}

std::vector<Evidence> transfer_evidence(Part part, const checker::TransferText& transfer) {
  if (part == Part::Stated) return std::vector<Evidence>(1);
  return unless_rejected([&] {
    Checked sides[2];
    const std::vector<Nest> nests = checker::parse_nests(transfer, part == Part::Reversed, sides);
    if (part == Part::Reversed) part = Part::Implemented;
    std::vector<NestPlan> plans;
    const bool fuses =
        std::ranges::any_of(nests, [](const Nest& nest) { return loops_of(nest, true).size() < nest.box.rank(); });
    const bool elements = part == Part::ServedOnce || part == Part::Implemented;
    for (const bool fused : {false, true})
      for (const std::size_t by : {1U, 0U})
        for (const std::size_t anchor : {1U, 0U}) {
          if (fused && (!fuses || part == Part::MovesInside)) continue;
          if ((by == 0 && part != Part::Implemented) || (anchor == 0 && !elements) ||
              (elements && !sides[anchor].decode))
            continue;
          for (auto& weights : weights_of(sides[by], nests, by)) {
            plans.push_back({part, by, anchor, fused, std::move(weights)});
            if (part == Part::MovesInside) break;
          }
        }
    std::vector<Evidence> out;
    for (NestPlan& plan : plans)
      if (auto evidence = unless_rejected([&] { return pieces_of(std::move(plan), sides[0], sides[1], nests); }))
        out.push_back(std::move(*evidence));
    if (is_small(sides, nests)) out.emplace_back().form = checker::ByWalking::kForm;
    return out;
  });
}

}  // namespace vl::claims
