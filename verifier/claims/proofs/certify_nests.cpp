#include "verifier/claims/proofs/certify_nests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "encodings/map/text.h"
#include "verifier/claims/proofs/nest_pieces.h"

namespace vl::claims {
namespace {

using Json = nlohmann::json;
using checker::Rejected;
using checker::Row;
using checker::Stage;
using checker::Wide;
using Checked = checker::Layout;

Json layout_json(const map::Layout& layout) {
  Json out{{"map", map::print(layout.map())},
           {"logical", layout.logical().rank()},
           {"physical", map::print(layout.physical())}};
  if (layout.decode()) out["decode"] = map::print(*layout.decode());
  return out;
}

// Weights by which the slots of a memory fall into digits that are the same for all nests: those of its box; those of
// the one affine row that fills it (a host); those that the nests step by. None comes first: the numbers themselves may
// do.
std::vector<Chains> weights_of(const Checked& layout, const std::vector<CertifiedNest>& nests, std::size_t side) {
  std::vector<Wide> box, row, steps;
  for (const auto& [dim, weight] : layout.physical.number().terms) box.push_back(weight);
  if (layout.map.stages.size() == 1 && layout.map.stages[0].kind == Stage::Kind::Affine && layout.physical.rank() == 1)
    for (const auto& [input, weight] : layout.map.stages[0].rows[0].terms) row.push_back(weight.abs());
  for (const CertifiedNest& nest : nests)
    for (const auto& [loop, weight] : nest.slots[side].terms) steps.push_back(weight.abs());
  std::vector<Chains> out{{}};
  for (std::vector<Wide>* weights : {&box, &row, &steps}) {
    weights->push_back(1);
    std::ranges::sort(*weights, std::greater());
    weights->erase(std::unique(weights->begin(), weights->end()), weights->end());
    while (weights->back() == 0) weights->pop_back();
    std::vector<long long> chain;
    for (const Wide& weight : *weights) chain.push_back(weight.narrow());
    const Chains chains{chain};
    if (chain.size() > 1 && std::ranges::find(out, chains) == out.end()) out.push_back(chains);
  }
  return out;
}

}  // namespace

Json transfer_statement(const use::Transfer& transfer, const use::Memory& source, const use::Memory& destination) {
  const auto walk_json = [](const use::Walk& walk) {
    Json out{walk.offset};
    for (const Index stride : walk.strides) out.push_back(stride);
    return out;
  };
  Json nests = Json::array();
  for (const use::Nest& nest : transfer.nests)
    nests.push_back(
        {{"extents", nest.extents}, {"source", walk_json(nest.source)}, {"destination", walk_json(nest.destination)}});
  return {{"source", layout_json(source.layout)},
          {"destination", layout_json(destination.layout)},
          {"bases", {{"source", source.base}, {"destination", destination.base}}},
          {"nests", std::move(nests)}};
}

std::vector<Json> transfer_evidence(Part part, const use::Transfer& transfer, const use::Memory& source,
                                    const use::Memory& destination) {
  if (part == Part::Reversed) return transfer_evidence(Part::Implemented, use::reversed(transfer), destination, source);
  std::vector<Json> out;
  try {
    const Checked from = checker::read_layout(layout_json(source.layout));
    const Checked to = checker::read_layout(layout_json(destination.layout));
    std::vector<CertifiedNest> nests;
    for (const use::Nest& nest : transfer.nests) {
      CertifiedNest made;
      made.box.extents.assign(nest.extents.begin(), nest.extents.end());
      if (std::ranges::find(nest.extents, 0) != nest.extents.end()) continue;
      const auto fill = [](Row& row, const use::Walk& walk, Index base) {
        row.constant = Wide(walk.offset) - base;
        for (const Index stride : walk.strides) row.terms.emplace_back(row.terms.size(), stride);
      };
      fill(made.slots[0], nest.source, source.base);
      fill(made.slots[1], nest.destination, destination.base);
      nests.push_back(std::move(made));
    }
    std::vector<NestPlan> plans;
    const bool fuses = std::ranges::any_of(
        nests, [](const CertifiedNest& nest) { return loops_of(nest, true).size() < nest.box.rank(); });
    const bool elements = part == Part::ServedOnce || part == Part::Implemented;
    for (const bool fused : {false, true})
      for (const std::size_t by : {1U, 0U})
        for (const std::size_t anchor : {1U, 0U}) {
          const Checked* sides[2] = {&from, &to};
          if (fused && (!fuses || part == Part::MovesInside)) continue;
          if ((by == 0 && part != Part::Implemented) || (anchor == 0 && !elements) ||
              (elements && !sides[anchor]->decode))
            continue;
          for (auto& weights : weights_of(*sides[by], nests, by)) {
            plans.push_back({part, by, anchor, fused, std::move(weights)});
            if (part == Part::MovesInside) break;
          }
        }
    for (NestPlan& plan : plans) {
      try {
        out.push_back(pieces_of(std::move(plan), from, to, nests));
      } catch (const Nowhere&) {
      } catch (const Rejected&) {
      }
    }
  } catch (const Rejected&) {  // numbers beyond what certificates are about
  }
  return out;
}

}  // namespace vl::claims
