// implements: the nests are this layout's transfer. (1) Every move (s, d) is one of the layout's: some x has s ∈ S(x)
// and d ∈ D(x). (2) ∀ x, d ∈ D(x): exactly one move (s, d) has s ∈ S(x). Without replicas in S this means: the list of
// moves is the set {(S(x), D(x))}, each pair once. All replicas are written, and one is read.
//
// symmetric: the reversed nests implement the transfer in the other direction.
//
// Vacuous if the tensor has no element and the nests move nothing.
#include <fmt/format.h>

#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

constexpr Index kMostWalked = 1 << 16;  // points of a layout without a decode map

// The element in a slot, found by a walk over the domain.
std::optional<Point> element_in(const map::Layout& layout, Index slot) {
  Point p(layout.domain().rank(), 0);
  map::Evaluator at(layout.map());
  for (Index k = 0; k < layout.domain().volume(); ++k) {
    if (layout.slot_number(at(p)) == slot)
      return Point(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
    map::advance(layout.domain(), p);
  }
  return std::nullopt;
}

// The element at an offset of a memory, in words; empty if it is not known.
std::string held_by(const use::Memory& memory, const std::string& name, Index offset) {
  const map::Layout& layout = memory.layout;
  if (offset < memory.base || offset - memory.base >= layout.physical().volume())
    return fmt::format("{} offset {} is outside", name, offset);
  if (!layout.decode()) {
    if (layout.domain().volume() > kMostWalked) return {};
    const auto element = element_in(layout, offset - memory.base);
    return element ? fmt::format("{} offset {} holds element {}", name, offset, show(*element))
                   : fmt::format("{} offset {} holds no element", name, offset);
  }
  const map::SlotUse use = map::use_of(layout, layout.physical().point(offset - memory.base));
  if (!use.valid) return fmt::format("{} offset {} holds no element", name, offset);
  return fmt::format("{} offset {} holds element {}", name, offset,
                     show(std::span(use.point).first(layout.logical().rank())));
}

Counterexample strayed(const Transferred& about, const Ends& ends, const Point& move) {
  Counterexample out = moved(about.transfer, move);
  VL_CHECK(out.fields.size() == 4, "a stray move's offsets leave 64 bits");
  const auto held = [&](const use::Memory& memory, std::size_t field) {
    return held_by(memory, out.fields[field].first, std::get<Index>(out.fields[field].second));
  };
  const std::string source = held(ends.source, 2), destination = held(ends.destination, 3);
  out.explanation = fmt::format("{} is not a move of this layout: {}{}{}", show_move(move), source,
                                source.empty() || destination.empty() ? "" : ", ", destination);
  return out;
}

Verdict judge_moves(const Transferred& about, const Ends& ends, Inquiry& inquiry) {
  if (about.layout.domain().volume() == 0 && moves_nothing(about.transfer))
    return inquiry.vacuous("the tensor has no element, and the nests move nothing");
  const auto asked = [&](Kind kind) { return question::Query(kind, &about.transfer, &ends.source, &ends.destination); };
  const auto stray = [&](const Witness& w) {
    return w.p.empty() ? misserved(about, ends, w.q, true) : strayed(about, ends, w.p);
  };
  const auto keeps = [&](const Witness& w) { return !w.p.empty() || looks_at_replicas(ends); };
  if (auto no = inquiry.refute(asked(Kind::Differs), stray, keeps)) return std::move(*no);
  if (!inquiry.is_open()) return inquiry.proved();
  // A move that leaves is none of the layout's, whatever else is not decided.
  return inquiry.settle(asked(Kind::Escapes), [&](const Witness& w) { return leaving(about, ends, w.p); });
}

Verdict implements(const Transferred& about, Inquiry& inquiry) {
  const auto ends = ends_of(about);
  if (!ends) return inquiry.out_of_reach(ends.error().message);
  return judge_moves(about, *ends, inquiry);
}

Verdict symmetric(const Transferred& about, Inquiry& inquiry) {
  auto ends = ends_of(about);
  if (!ends) return inquiry.out_of_reach(ends.error().message);
  const use::Transfer backwards = use::reversed(about.transfer);
  return judge_moves({about.layout, backwards, about.from}, Ends{std::move(ends->destination), std::move(ends->source)},
                     inquiry);
}

}  // namespace

extern const Claim kImplements = {.name = "implements",
                                  .statement = "the nests' moves are exactly those of the layout, each once",
                                  .witness = "nest, iteration, host, device; or a, device (or host), times",
                                  .keys = {"nests with direction"},
                                  .decide = implements,
                                  .proof = {Part::Implemented}};

extern const Claim kSymmetric = {.name = "symmetric",
                                 .statement = "the reversed nests implement the transfer in the other direction",
                                 .witness = "as implements",
                                 .keys = {"nests with direction"},
                                 .decide = symmetric,
                                 .proof = {Part::Reversed}};

}  // namespace vl::claims
