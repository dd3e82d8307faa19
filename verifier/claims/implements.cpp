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

// The element at an offset of a memory, in words; empty if it is not known.
std::string held_by(const use::Memory& memory, const char* name, Index offset) {
  const map::Layout& layout = memory.layout;
  if (offset < memory.base || offset - memory.base >= layout.physical().volume())
    return fmt::format("{} offset {} is outside", name, offset);
  if (!layout.decode()) return {};
  const map::SlotUse use = map::use_of(layout, layout.physical().point(offset - memory.base));
  if (!use.valid) return fmt::format("{} offset {} holds no element", name, offset);
  return fmt::format("{} offset {} holds element {}", name, offset,
                     show(std::span(use.point).first(layout.logical().rank())));
}

Verdict judge_moves(const Transferred& about, const Ends& ends, Inquiry& inquiry) {
  if (about.layout.domain().volume() == 0 && moves_nothing(about.transfer))
    return inquiry.vacuous("the tensor has no element, and the nests move nothing");
  const engines::Answer answer = inquiry.ask({Kind::Differs, &about.transfer, &ends.source, &ends.destination});
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) {
    // A move that leaves the memories is not a move of the layout, so it refutes the claim also if the rest is
    // undecided.
    const engines::Answer away = inquiry.ask({Kind::Escapes, &about.transfer, &ends.source, &ends.destination});
    if (const auto* found = std::get_if<engines::Found>(&away))
      return inquiry.refuted(leaving(about, ends, found->witness.p));
    return inquiry.unknown(*abstained);
  }
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr) return inquiry.proved();
  if (found->witness.p.empty()) return inquiry.refuted(misserved(about, ends, found->witness.q));
  Counterexample out = moved(about.transfer, found->witness.p);
  VL_CHECK(out.fields.size() == 4, "a stray move's offsets leave 64 bits");
  const std::string source = held_by(ends.source, out.fields[2].first.c_str(), std::get<Index>(out.fields[2].second));
  const std::string destination =
      held_by(ends.destination, out.fields[3].first.c_str(), std::get<Index>(out.fields[3].second));
  out.explanation = fmt::format("{} is not a move of this layout: {}{}{}", show_move(found->witness.p), source,
                                source.empty() || destination.empty() ? "" : ", ", destination);
  return inquiry.refuted(std::move(out));
}

Verdict implements(const Transferred& about, Inquiry& inquiry) {
  const auto ends = ends_of(about);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
  return judge_moves(about, *ends, inquiry);
}

Verdict symmetric(const Transferred& about, Inquiry& inquiry) {
  auto ends = ends_of(about);
  if (!ends) return inquiry.unknown({Reason::OutOfReach, ends.error().message});
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
