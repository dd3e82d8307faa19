// The strided engine on loop nests. Every question is asked of a box of moves or of elements, as a box: is there a bad
// point in it? Bisection along each loop then finds the first one.
//
//   Escapes     an affine offset takes its extremes in corners of the box
//   Differs     on each piece of a nest the map that says whether a move is one of the layouts' is affine
//               (kept_moves.h), so that its bounds are ranges of lines; then as Misses
//   Misses      the places of the elements, and what the nests write, as blocks of progressions in one digit system:
//               no point twice, and as many as there are places
//   Collides    the same, for the places that the nest itself writes
#include <algorithm>
#include <functional>
#include <numeric>

#include "verifier/engines/engine.h"
#include "verifier/engines/forms/bisect.h"
#include "verifier/engines/forms/progressions.h"
#include "verifier/engines/forms/transfer_blocks.h"
#include "verifier/engines/kept_moves.h"
#include "verifier/question/transfer.h"

namespace vl::engines {
namespace {

using map::Piece;
using map::Space;
using use::Memory;
using use::Nest;
using Wide = __int128;

constexpr int kMostSlices = 256;

// The domain without the dimensions that no map of `readers` reads: they stand at 0 and tell nothing apart.
Box domain_of(const map::Layout& layout, std::initializer_list<const map::Layout*> readers) {
  Box box = whole(map::extents_of(layout.domain()));
  for (std::size_t k = 0; k < layout.logical().rank(); ++k)
    if (std::ranges::all_of(readers, [&](const map::Layout* reader) -> bool { return map::unread(reader->map())[k]; }))
      box[k].high = std::min<Index>(box[k].high, 0);
  return box;
}

// Whether it is known that elements that either side tells apart, and their replicas, have different slots in `memory`.
bool separates(const Memory& memory, const TransferQuestion& question) {
  if (memory.layout.domain().volume() == 0) return true;
  const Box domain = domain_of(memory.layout, {&question.source->layout, &question.destination->layout});
  for (const std::vector<Index>& weights : digit_systems(memory)) {
    const auto image = image_of(memory, domain, weights);
    if (image && !image->escapes) return disjoint(image->blocks);
  }
  return false;
}

// ---- the questions ----

// The box of one point in which the last point of a box lies.
Box last_of(Box box) {
  for (Range& range : box) range.low = range.high;
  return box;
}

Answer not_affine() { return abstain("the nests and the layouts do not fall apart into a few affine pieces"); }

Point move_of(std::size_t nest, Point iteration) {
  iteration.insert(iteration.begin(), static_cast<Index>(nest));
  return iteration;
}

// The first move, by nest and iteration, for which `bad` holds.
Answer first_move(const TransferQuestion& question,
                  const std::function<std::optional<bool>(const Nest&, const Box&)>& bad) {
  for (std::size_t n = 0; n < question.transfer->nests.size(); ++n) {
    const Nest& nest = question.transfer->nests[n];
    if (checked_product(nest.extents) == 0) continue;
    First first = first_bad(
        whole(nest.extents), [&](const Box& box) { return bad(nest, box); }, kMostSlices);
    if (!first.decided) return not_affine();
    if (first.point) return Found{{move_of(n, std::move(*first.point)), {}, {}}, true};
  }
  return None{};
}

// In 128 bits: this question is asked of any nest, the others of those without a problem (use::problem_of) only.
std::optional<bool> leaves(const TransferQuestion& question, const Nest& nest, const Box& box) {
  for (const auto& [walk, memory] :
       {std::pair{&nest.source, question.source}, std::pair{&nest.destination, question.destination}}) {
    Wide low = Wide{walk->offset} - memory->base;
    Wide high = low;
    for (std::size_t k = 0; k < box.size(); ++k) {
      const Wide first = Wide{walk->strides[k]} * box[k].low;
      const Wide last = Wide{walk->strides[k]} * box[k].high;
      if (__builtin_add_overflow(low, std::min(first, last), &low) ||
          __builtin_add_overflow(high, std::max(first, last), &high))
        return std::nullopt;
    }
    if (low < 0 || high >= memory->layout.physical().volume()) return true;
  }
  return false;
}

std::optional<bool> strays(const TransferQuestion& question, const Nest& nest, const KeptMoves& kept, const Box& box) {
  if (leaves(question, nest, box) == true) return true;
  const std::span<const map::Stage> stages = kept.map.stages();
  const auto piece = piece_of(box, std::get<map::Affine>(stages[0]));
  const auto pieces = piece ? map::run(*piece, 0, stages.subspan(1)) : std::nullopt;
  if (!pieces) return std::nullopt;
  return std::ranges::any_of(*pieces, [&](const Piece& part) { return outside(part, 0, kept.bounds); });
}

// By the side whose offsets say which element they belong to: it decodes them, and no two elements share a place.
Answer ask_strays(const TransferQuestion& question) {
  const Side anchor = tells(*question.destination, question) ? Side::Destination : Side::Source;
  const Memory& other = memory_of(question, other_of(anchor));
  if (anchor == Side::Source && !tells(*question.source, question))
    return abstain("neither side tells which element an offset belongs to");
  if (other.layout.replicas().rank() > 0 && !tells(other, question))
    return abstain("replicated elements share places, or it is not known that they do not");
  const Nest* of = nullptr;
  std::optional<KeptMoves> kept;
  return first_move(question, [&](const Nest& nest, const Box& box) -> std::optional<bool> {
    if (of != &nest) kept = kept_moves(question, nest, anchor);
    of = &nest;
    if (!kept) return std::nullopt;
    // A wrong stride makes many pieces; it shows in a corner, which is one piece.
    if (strays(question, nest, *kept, last_of(box)) == true) return true;
    return strays(question, nest, *kept, box);
  });
}

std::optional<std::vector<Block>> all_written(const TransferQuestion& question, const std::vector<Index>& weights) {
  std::vector<Block> blocks;
  for (const Nest& nest : question.transfer->nests) {
    auto some = written(*question.destination, nest, whole(nest.extents), weights);
    if (!some) return std::nullopt;
    blocks.insert(blocks.end(), some->begin(), some->end());
    if (blocks.size() > map::kMostPieces) return std::nullopt;  // what follows compares them in pairs
  }
  return blocks;
}

// What the nests write does not fall apart: then some element near the first is not served once, usually.
Answer early_misserved(const TransferQuestion& question, const Box& domain) {
  const Index early = (Index{1} << 14) / (static_cast<Index>(question.transfer->nests.size()) + 3);
  TransferQuestion of_all = question;
  of_all.kind = Kind::Misses;
  std::vector<Index> extents;
  for (const Range& range : domain) extents.push_back(range.high + 1);
  const auto points = Space::create(Space::dims("x", extents));
  if (!points) return not_affine();
  Point p(domain.size(), 0);
  for (Index left = std::min(points->volume(), early); left > 0; --left, map::advance(*points, p)) {
    const auto bad = question::misserved(of_all, p, 1 << 12);
    if (!bad) return not_affine();
    if (*bad) return Found{{{}, p, {}}, true};
  }
  return points->volume() <= early ? Answer(None{}) : not_affine();
}

Answer ask_misserves(const TransferQuestion& question, const std::vector<Index>& weights) {
  const Memory& memory = *question.destination;
  const Box domain = domain_of(memory.layout, {&memory.layout});
  const auto cover = all_written(question, weights);
  if (!cover) return early_misserved(question, domain);
  const auto bad = [&](const Box& box) -> std::optional<bool> {
    const auto image = image_of(memory, box, weights);
    if (!image) return std::nullopt;
    if (image->escapes) return true;
    if (!disjoint(image->blocks)) return std::nullopt;  // two elements in one place: not counted here
    const Coverage found = coverage(image->blocks, *cover);
    return found.twice || found.covered != found.area;
  };
  First first = first_bad(domain, bad, kMostSlices);
  if (!first.decided) return not_affine();
  if (!first.point) return None{};
  return Found{{{}, std::move(*first.point), {}}, true};
}

Answer ask_overwrites(const TransferQuestion& question, const std::vector<Index>& weights) {
  const auto cover = all_written(question, weights);
  if (!cover) return not_affine();
  if (disjoint(*cover)) return None{};
  Answer answer = first_move(question, [&](const Nest& nest, const Box& box) -> std::optional<bool> {
    auto area = written(*question.destination, nest, box, weights);
    if (!area) return std::nullopt;
    for (Block& block : *area) {
      block.times = 1;  // as a set
      if (coverage({block}, *cover).twice) return true;
    }
    return false;
  });
  auto* found = std::get_if<Found>(&answer);
  if (found == nullptr) return answer;
  const Point& p = found->witness.p;
  const Nest& nest = question.transfer->nests[static_cast<std::size_t>(p[0])];
  const auto offset = question::offset_at(nest.destination, std::span(p).subspan(1));
  const auto writers = offset ? question::writers_of(*question.transfer, *offset) : std::nullopt;
  if (!writers || writers->moves.size() < 2) return not_affine();
  found->witness.q = writers->moves[writers->moves[0] == p ? 1 : 0];
  return answer;
}

// A loop that stands still at what is written writes everything in it again: the first move of its nest is written
// twice, whatever else does not fall apart.
Answer standing_still(const TransferQuestion& question) {
  bool first = true;
  for (std::size_t n = 0; n < question.transfer->nests.size(); ++n) {
    const Nest& nest = question.transfer->nests[n];
    if (std::ranges::find(nest.extents, 0) != nest.extents.end()) continue;
    for (std::size_t k = nest.extents.size(); k-- > 0;) {
      if (nest.destination.strides[k] != 0 || nest.extents[k] == 1) continue;
      const Point p = move_of(n, Point(nest.extents.size(), 0));
      Point q = p;
      q[k + 1] = 1;
      const auto writers = question::writers_of(*question.transfer, nest.destination.offset);
      const bool known = first && writers && writers->moves.size() > 1 && writers->moves[0] == p;
      if (known) q = writers->moves[1];
      return Found{{p, std::move(q), {}}, known};
    }
    first = false;
  }
  return not_affine();
}

}  // namespace

bool tells(const Memory& memory, const TransferQuestion& question) {
  return memory.layout.decode() && separates(memory, question);
}

Answer decide_transfer_strided(const TransferQuestion& question, const Options&) {
  if (question.source->layout.physical().rank() == 0 || question.destination->layout.physical().rank() == 0)
    return abstain("a memory without dimensions");
  switch (question.kind) {
    case Kind::Escapes:
      return first_move(question, [&](const Nest& nest, const Box& box) { return leaves(question, nest, box); });
    case Kind::Differs: {
      Answer strays = ask_strays(question);
      if (!std::holds_alternative<None>(strays)) return strays;
      // Each writer of x's place reads x then, if the place is nobody else's.
      if (!separates(*question.destination, question))
        return abstain("elements share places, or it is not known that they do not");
      break;
    }
    case Kind::Misses:
    case Kind::Collides: break;
    case Kind::Lands:
    case Kind::Misdecodes:
    case Kind::Breaks:
    case Kind::Count:
    case Kind::Crowds: return abstain("not asked of nests");
  }
  Answer answer = not_affine();
  for (const std::vector<Index>& weights : digit_systems(*question.destination)) {
    answer = question.kind == Kind::Collides ? ask_overwrites(question, weights) : ask_misserves(question, weights);
    if (!std::holds_alternative<Abstained>(answer)) return answer;
  }
  return question.kind == Kind::Collides ? standing_still(question) : answer;
}

}  // namespace vl::engines
