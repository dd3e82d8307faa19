// partition: a division distributes the tensor over cores so that
//   (0) every element has a slot;
//   (1) the product of the splits (or the number of slices that are not empty) is at most the number of cores;
//   (2) for every dimension i: split_i divides count_i, where count_i = ceil(N_i / stick) for the stick's dimension and
//       N_i for every other one;
//   (3) slices lie in the tensor (or in the padding of its last stick), are disjoint, and cover it;
//   (4) given slices are those of the division: core c has the box of its mixed-radix number;
//   (5) no stick holds elements of two slices;
//   (6) for every slice: (extent of the outermost physical dimension of which it touches more than one coordinate) ×
//       (product of the inner extents) × bytes of an element <= span.
//
// Slices are boxes of elements; core c has k_i·(count_i/split_i)·unit_i <= x_i < (k_i+1)·(count_i/split_i)·unit_i, with
// unit_i = stick for the stick's dimension and 1 for the others. To cover the elements is to cover every slot that
// holds data; a padding lane belongs to its stick, and a stick without data to no core.
//
// The stick's dimension is the one logical dimension on which the last physical coordinate depends: two elements that
// differ there alone have different lanes. If there is none (a sparse layout) or two share a stick, no dimension is
// counted in sticks, and (5) decides. A dimension along another operand's sticks (`sticks`) is also counted in sticks:
// K of a matmul's second operand. `stick` is the extent of the last physical dimension, or the division's if that is
// more: the largest of all operands of the operation.
//
// A dimension of the operation that the tensor lacks (scales: -1) multiplies the cores; cores that differ only there
// have the same slice, by design. Whether its split divides is asked about the operand that has the dimension.
//
// Unsupported of a layout with cores of its own, as Tenstorrent's: a division says nothing of those, and a core's
// memory is no stick.
//
// Proofs compare boxes and radix digits, and do not grow with extents. If the layout splits no single coordinate, up to
// 2^20 elements are walked over. Vacuous without elements. Sources: torch-spyre,
// work_division_planning.md (sticks counted, divisors, 256 MB), get_per_core_span() and core_to_slice_mapping() of its
// compiler, issues #3339 and #3415.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "verifier/claims/claim.h"
#include "verifier/claims/sticks.h"

namespace vl::claims {
namespace {

std::string show_slice(const use::Slice& slice) {
  std::string out;
  for (const use::Interval& interval : slice)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ", ", interval.begin, interval.end);
  return "[" + out + "]";
}

using Finding = std::optional<Counterexample>;

Finding too_many(const use::Division& division) {
  Index used = *checked_product(division.splits);
  if (division.splits.empty() && division.slices)
    used = std::ranges::count_if(*division.slices, [](const use::Slice& slice) { return !is_empty(slice); });
  if (used <= division.cores) return std::nullopt;
  return Counterexample{{{"used", used}, {"cores", division.cores}},
                        fmt::format("the division needs {} cores, and there are {}", used, division.cores),
                        true};
}

Finding uneven(const CountedExtents& counted, const use::Division& division) {
  const auto is_uneven = [&](std::size_t d) {
    return division.scales[d] >= 0 &&
           counted.counts[static_cast<std::size_t>(division.scales[d])] % division.splits[d] != 0;
  };
  const auto key = [&](std::size_t d) { return std::pair(division.scales[d], division.splits[d]); };
  for (std::size_t d = 0; d < division.splits.size(); ++d) {
    if (!is_uneven(d)) continue;
    const auto dim = static_cast<std::size_t>(division.scales[d]);
    const Index count = counted.counts[dim];
    const Index unit = counted.units[dim];
    bool least = true;
    for (std::size_t e = d + 1; e < division.splits.size(); ++e) least = least && (!is_uneven(e) || key(d) <= key(e));
    return Counterexample{
        {{"dim", division.scales[d]}, {"split", division.splits[d]}, {"count", count}},
        fmt::format("a split of {} does not divide the {} of dimension {}", division.splits[d],
                    unit == 1 ? fmt::format("extent {}", count)
                              : fmt::format("{} stick{} of {} elements", count, count == 1 ? "" : "s", unit),
                    dim),
        least};
  }
  return std::nullopt;
}

Finding outside(const map::Space& tensor, const CountedExtents& counted, const std::vector<use::Slice>& slices) {
  for (std::size_t core = 0; core < slices.size(); ++core) {
    if (is_empty(slices[core])) continue;
    for (std::size_t i = 0; i < slices[core].size(); ++i) {
      const use::Interval& interval = slices[core][i];
      const auto padded = checked_mul(counted.counts[i], counted.units[i]).value_or(tensor.extent(i));
      if (interval.begin >= 0 && interval.end <= padded) continue;
      return Counterexample{{{"core", static_cast<Index>(core)}, {"dim", static_cast<Index>(i)}},
                            fmt::format("core {} is given {}, which leaves dimension {} of extent {}", core,
                                        show_slice(slices[core]), i, tensor.extent(i)),
                            true};
    }
  }
  return std::nullopt;
}

Finding shared(const std::vector<Piece>& pieces) {
  Finding smallest;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (std::size_t q = p + 1; q < pieces.size(); ++q) {
      const auto both = intersection(pieces[p].slice, pieces[q].slice);
      if (!both) continue;
      Point element = first_of(*both);
      if (smallest && std::get<Point>(smallest->fields[0].second) <= element) continue;
      std::string why =
          fmt::format("element {} is given to core {} and to core {}", show(element), pieces[p].core, pieces[q].core);
      smallest = Counterexample{
          {{"a", std::move(element)}, {"core", pieces[p].core}, {"other_core", pieces[q].core}}, std::move(why), true};
    }
  return smallest;
}

Finding uncovered(const map::Space& tensor, const std::vector<Piece>& pieces) {
  auto element = first_uncovered(tensor, pieces);
  if (!element) return std::nullopt;
  std::string why = fmt::format("no core has element {}", show(*element));
  return Counterexample{{{"a", std::move(*element)}}, std::move(why), true};
}

// The smallest element of the first core for which the division and the given slices differ.
Finding different(const std::vector<use::Slice>& wanted, const std::vector<use::Slice>& given,
                  const map::Space& tensor) {
  const auto slice_of = [&](const std::vector<use::Slice>& slices, std::size_t core) -> std::optional<use::Slice> {
    if (core >= slices.size()) return std::nullopt;
    use::Slice slice = clipped(slices[core], tensor);
    return is_empty(slice) ? std::nullopt : std::optional(std::move(slice));
  };
  Finding first;  // of the first core; minimal until a later one differs at an earlier element
  for (std::size_t core = 0; core < std::max(wanted.size(), given.size()); ++core) {
    const auto want = slice_of(wanted, core);
    const auto have = slice_of(given, core);
    if (want == have) continue;
    const auto missing_one = want ? first_outside(*want, have) : std::nullopt;
    const auto extra = have ? first_outside(*have, want) : std::nullopt;
    const bool lacks = missing_one && (!extra || *missing_one < *extra);
    Point element = lacks ? *missing_one : *extra;
    std::string why =
        fmt::format("core {} is given {}, and the division gives it {}: they differ at element {}", core,
                    have ? show_slice(*have) : "nothing", want ? show_slice(*want) : "nothing", show(element));
    if (first) first->minimal = first->minimal && std::get<Point>(first->fields[0].second) <= element;
    else first = Counterexample{{{"a", std::move(element)}, {"core", static_cast<Index>(core)}}, std::move(why), true};
  }
  return first;
}

Counterexample divided(const map::Layout& layout, const Cut& cut) {
  std::vector<Index> stick = map::outputs_at(layout, cut.a, Point(layout.replicas().rank(), 0));
  stick.resize(std::max<std::size_t>(layout.physical().rank(), 1) - 1);
  return {{{"a", cut.a}, {"b", cut.b}, {"core", cut.core}, {"other_core", cut.other_core}},
          fmt::format("elements {} of core {} and {} of core {} lie in one stick, {}", show(cut.a), cut.core,
                      show(cut.b), cut.other_core, show(stick))};
}

Finding too_far(const map::Layout& layout, const Piece& piece, const PieceReach& reach, int bits, Index limit) {
  const auto bit_count = checked_mul(reach.slots, bits);
  const Index bytes = bit_count ? ceil_div(*bit_count, 8) : std::numeric_limits<Index>::max();
  if (bytes <= limit) return std::nullopt;
  const std::string touched = layout.physical().rank() == 0
                                  ? std::string("its one slot")
                                  : fmt::format("{} of {} in {}", reach.steps, layout.physical().extent(reach.dim),
                                                layout.physical().dims()[reach.dim].name);
  return Counterexample{{{"a", reach.a}, {"b", reach.b}, {"core", piece.core}, {"span", bytes}, {"limit", limit}},
                        fmt::format("core {} with {} reaches over {} bytes ({}), and the limit is {}", piece.core,
                                    show_slice(piece.slice), bytes, touched, limit)};
}

// (5) and (6), for pieces that are a partition.
Verdict judge_memory(const Divided& about, Inquiry& inquiry, const std::optional<Structure>& structure,
                     const std::vector<Piece>& pieces) {
  const map::Layout& layout = about.layout;
  const Cutting cutting = cut_stick(layout, structure, pieces);
  if (const auto* cut = std::get_if<Cut>(&cutting)) return inquiry.refuted(divided(layout, *cut));
  for (const Piece& piece : pieces) {
    const auto reach = reach_of(layout, structure, piece);
    if (!reach) return inquiry.out_of_reach("how far a core reaches has no closed form here");
    if (auto found = too_far(layout, piece, *reach, about.element_bits, about.division.span))
      return inquiry.refuted(std::move(*found));
  }
  if (const auto* why = std::get_if<std::string>(&cutting)) return inquiry.out_of_reach(*why);
  return inquiry.proved();
}

// Cores that differ only in dimensions that the tensor lacks have one group number.
std::vector<Index> groups_of(const use::Division& division) {
  std::vector<Index> groups;
  for (Index core = 0; core < *checked_product(division.splits); ++core) {
    const std::vector<Index> numbers = use::slice_numbers(division, core);
    Index group = 0;
    for (std::size_t d = 0; d < numbers.size(); ++d)
      if (division.scales[d] >= 0) group = group * division.splits[d] + numbers[d];
    groups.push_back(group);
  }
  return groups;
}

Verdict partition(const Divided& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  const use::Division& division = about.division;
  const map::Space& tensor = layout.logical();
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (about.element_bits <= 0) return unsupported("the layout does not say how many bits a device element has");
  const auto lost = [&](const Witness& w) { return missing(layout, w.p); };
  if (auto no = inquiry.unless_none({Kind::Escapes, &layout, nullptr}, lost)) return std::move(*no);
  if (auto found = too_many(division)) return inquiry.refuted(std::move(*found));
  const std::optional<Structure> structure = structure_of(layout);
  if (!structure) return inquiry.out_of_reach("which dimension lies along sticks is not known: the map has a swizzle");
  if (!structure->moves_last)
    return inquiry.out_of_reach("which dimension lies along sticks is not known: the map mixes dimensions");
  const CountedExtents counted = counted_extents(layout, *structure, division);
  if (auto found = uneven(counted, division)) return inquiry.refuted(std::move(*found));

  const bool only_slices = division.splits.empty() && division.slices;
  const std::vector<use::Slice> wanted = only_slices ? std::vector<use::Slice>{} : slices_of(division, tensor, counted);
  const std::vector<use::Slice>& slices = division.slices ? *division.slices : wanted;
  if (auto found = outside(tensor, counted, slices)) return inquiry.refuted(std::move(*found));
  const std::vector<Piece> pieces = pieces_of(slices, tensor, only_slices ? std::vector<Index>{} : groups_of(division));
  if (auto found = shared(pieces)) return inquiry.refuted(std::move(*found));
  if (auto found = uncovered(tensor, pieces)) return inquiry.refuted(std::move(*found));
  if (division.slices && !only_slices)
    if (auto found = different(wanted, slices, tensor)) return inquiry.refuted(std::move(*found));
  return judge_memory(about, inquiry, structure, pieces);
}

}  // namespace

std::optional<Divided> Divided::bind(Offer& offer) {
  const use::Division* division = offer.take(offer.read_division());
  const map::Layout* layout = offer.first();
  if (division == nullptr || layout == nullptr) return std::nullopt;
  const auto& dims = layout->physical().dims();
  if (std::ranges::any_of(dims, [](const map::Dim& dim) { return dim.unit == map::Unit::Core; })) {
    offer.undecidable = use::Undecidable{
        "the layout itself puts each element on a core; partition divides work on a memory that all cores share, in "
        "sticks, and this layout has none ('disjoint', 'occupied' and 'padding' speak of its cores)"};
    return std::nullopt;
  }
  return Divided{*layout, *division, offer.reading.device_bits};
}

extern const Claim kPartition = {
    .name = "partition",
    .statement = "a work division gives every element to one core, in whole sticks, within the span",
    .witness =
        "a, core, other_core; or a; a, b, core, other_core (one stick); dim, split, count; used, cores; core, dim; "
        "a, b, core, span, limit",
    .keys = {"splits scales order cores span stick sticks slices", "[4,1,8] cores=32", true},
    .decide = partition,
    .proof = {Part::InBox, Part::WholeSticks},
    .needs_tensor = true};

}  // namespace vl::claims
