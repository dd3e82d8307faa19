// Of loop nests, D the memory that is written and S the one that is read:
//   in-bounds     every move reads inside S and writes inside D. A device is the physical box; a host is the view, from
//                 its lowest to its highest element
//   no-overlap    ∀ moves m ≠ m': they write different offsets, padding and everything outside included
//   covers-once   ∀ x, d ∈ D(x): exactly one move writes d. Every element has a slot in D then. What is written may be
//                 wrong (implements), and padding may be written too, even twice (no-overlap)
//
// Vacuous when the nests move nothing; covers-once when the tensor has no element.
#include <fmt/format.h>

#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

// Asks one thing of the moves that must not be.
template <class Show>
Verdict asked_of_moves(Kind kind, const Transferred& about, Inquiry& inquiry, const Show& show) {
  const auto ends = ends_of(about);
  if (!ends) return inquiry.out_of_reach(ends.error().message);
  if (moves_nothing(about.transfer)) return inquiry.vacuous("the nests move nothing");
  return inquiry.settle({kind, &about.transfer, &ends->source, &ends->destination},
                        [&](const Witness& witness) { return show(*ends, witness); });
}

Verdict nests_in_bounds(const Transferred& about, Inquiry& inquiry) {
  return asked_of_moves(Kind::Escapes, about, inquiry,
                        [&](const Ends& ends, const Witness& w) { return leaving(about, ends, w.p); });
}

Verdict no_overlap(const Transferred& about, Inquiry& inquiry) {
  return asked_of_moves(Kind::Collides, about, inquiry, [&](const Ends&, const Witness& w) {
    Counterexample out = moved(about.transfer, w.p);
    out.fields.emplace_back("other_nest", w.q[0]);
    out.fields.emplace_back("other_iteration", Point(w.q.begin() + 1, w.q.end()));
    out.explanation = fmt::format("{} and {} both write {} offset {}", show_move(w.p), show_move(w.q),
                                  out.fields[3].first, std::get<Index>(out.fields[3].second));
    return out;
  });
}

Verdict covers_once(const Transferred& about, Inquiry& inquiry) {
  if (about.layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto ends = ends_of(about);
  if (!ends) return inquiry.out_of_reach(ends.error().message);
  return inquiry.settle(
      {Kind::Misses, &about.transfer, &ends->source, &ends->destination},
      [&](const Witness& w) { return misserved(about, *ends, w.q, false); },
      [&](const Witness&) { return looks_at_replicas(*ends); });
}

}  // namespace

extern const Claim kNestsInBounds = {.name = "in-bounds",
                                     .statement = "of nests: every move reads and writes inside the two memories",
                                     .witness = "nest, iteration, host, device",
                                     .keys = {"nests with direction"},
                                     .decide = nests_in_bounds,
                                     .proof = {Part::MovesInside}};

extern const Claim kNoOverlap = {.name = "no-overlap",
                                 .statement = "no two moves of the nests write one place, padding included",
                                 .witness = "nest, iteration, host, device, other_nest, other_iteration",
                                 .keys = {"nests with direction"},
                                 .decide = no_overlap,
                                 .proof = {Part::MovesApart}};

extern const Claim kCoversOnce = {.name = "covers-once",
                                  .statement = "the nests write each element's places exactly once",
                                  .witness = "a, device (or host), times",
                                  .keys = {"nests with direction"},
                                  .decide = covers_once,
                                  .proof = {Part::ServedOnce}};

}  // namespace vl::claims
