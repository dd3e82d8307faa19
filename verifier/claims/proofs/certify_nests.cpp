#include "verifier/claims/proofs/certify_nests.h"

#include "verifier/checker/nests.h"
#include "verifier/engines/cells/moves.h"
#include "verifier/statements/layout_text.h"

namespace vl::claims {
namespace {

using checker::Evidence;
using engines::cells::MovesGoal;
using Checked = checker::Layout;

checker::LayoutText text_of_slots(const map::Layout& layout) {
  checker::LayoutText out = statements::text_for_checker(layout);
  out.filled.reset(), out.identity.reset(), out.named.reset();
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

std::optional<Evidence> transfer_evidence(Part part, const checker::TransferText& transfer) {
  if (part == Part::Stated) return Evidence{};
  Checked sides[2];
  const std::vector<kernel::Nest> nests = checker::parse_nests(transfer, part == Part::Reversed, sides);
  const auto goal = [&] {
    switch (part) {
      case Part::MovesInside: return MovesGoal::Inside;
      case Part::MovesApart: return MovesGoal::Apart;
      case Part::ServedOnce: return MovesGoal::Once;
      default: return MovesGoal::Implement;
    }
  }();
  Evidence out;
  out.moves = engines::cells::find({goal, sides[0], sides[1], nests});
  return out.moves ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace vl::claims
