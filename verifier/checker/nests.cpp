#include "verifier/checker/nests.h"

#include <algorithm>

#include "verifier/checker/kernel.h"

namespace vl::checker {
std::vector<kernel::Nest> parse_nests(const TransferText& text, bool back, Layout (&layouts)[2]) {
  enter(__FILE__);
  layouts[back] = parse_layout(text.source), layouts[!back] = parse_layout(text.destination);
  require(layouts[0].elements().extents == layouts[1].elements().extents, "memories of different tensors");
  std::vector<kernel::Nest> out;
  for (const TransferText::Nest& said : text.nests) {
    kernel::Nest nest;
    nest.box.extents.assign(said.extents.begin(), said.extents.end());
    require(std::ranges::all_of(said.extents, [](std::int64_t extent) { return extent >= 0; }), "a negative extent");
    const auto slot = [&](const Integers& walk, Wide base) {
      require(walk.size() == nest.box.rank() + 1, "not an offset and one stride a loop");
      Row row{walk[0] - base, {}};
      for (std::size_t k = 1; k < walk.size(); ++k) row.terms.emplace_back(k - 1, walk[k]);
      return row;
    };
    nest.slots[back] = slot(said.source, text.bases.source);
    nest.slots[!back] = slot(said.destination, text.bases.destination);
    if (nest.box.volume() > 0) out.push_back(std::move(nest));
  }
  return out;
}

void check_nests(const std::string& claim, const TransferText& transfer, Evidence& evidence) {
  Layout layouts[2];
  const std::vector<kernel::Nest> nests = parse_nests(transfer, claim == "symmetric", layouts);
  const kernel::Moves moves(layouts[0], layouts[1], nests);
  const kernel::Steps steps = take(evidence.moves);
  if (claim == "in-bounds") return moves.inside(steps);
  if (claim == "no-overlap") return moves.apart(steps);
  if (claim == "covers-once") return static_cast<void>(moves.once(steps));
  require(claim == "symmetric" || claim == "implements" || claim == "carries", "no claim about nests");
  moves.implement(steps);
}

void check_aligned_moves(const TransferText& transfer, Wide bits, Wide alignment, Wide minimum) {
  require(bits > 0 && alignment > 0, "elements or an alignment without a size");
  Layout layouts[2];
  static_cast<void>(parse_nests(transfer, false, layouts));  // they are layouts of one tensor
  bool moves = false;
  const Wide period = alignment * 8;
  for (const TransferText::Nest& nest : transfer.nests) {
    const std::size_t loops = nest.extents.size();
    require(nest.source.size() == loops + 1 && nest.destination.size() == loops + 1,
            "not an offset and one stride a loop");
    require(std::ranges::all_of(nest.extents, [](std::int64_t extent) { return extent >= 0; }), "a negative extent");
    if (std::ranges::find(nest.extents, 0) != nest.extents.end()) continue;
    moves = true;
    Wide run = 1;
    bool inside = true;
    for (std::size_t k = loops + 1; k-- > 0;) {
      const Wide extent = k == 0 ? 2 : nest.extents[k - 1];  // number 0 is the offset
      inside = inside && k > 0 && (extent == 1 || (nest.source[k] == run && nest.destination[k] == run));
      if (inside) run = run * extent;
      else if (extent > 1)
        require((Wide(nest.source[k]) - nest.destination[k]) * bits % period == 0, "ends that are not alike");
    }
    require(run * bits >= minimum * 8, "a transfer of too few bytes");
  }
  require(moves, "the claim says nothing: the nests move nothing");
}

}  // namespace vl::checker
