#include "verifier/claims/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace vl::claims {
namespace {

constexpr Index kAliasWalk = Index{1} << 17;

constexpr auto kClaims = std::to_array<Claim>({
    {.name = "well-formed",
     .statement = "the family's own rules for a layout hold",
     .witness = "have, want",
     .decide = well_formed},
    {.name = "in-bounds",
     .statement = "every element has a slot in the physical box",
     .witness = "a, physical",
     .decide = in_bounds},
    {.name = "injective",
     .statement = "no two elements (or replicas of them) share a slot",
     .witness = "a, b, physical",
     .decide = injective},
    {.name = "onto",
     .statement = "every slot of the physical box holds an element",
     .witness = "physical",
     .decide = onto},
    {.name = "bijective",
     .statement = "elements correspond one to one to the valid slots",
     .witness = "a, physical; or a, b, physical",
     .decide = bijective},
    {.name = "offset-identity",
     .statement = "the slot's dot product with the stride map is the element's host offset",
     .witness = "a, physical, dot, host_offset",
     .decide = offset_identity},
    {.name = "padding",
     .statement = "how many slots hold no element",
     .witness = "",
     .measures = true,
     .decide = padding},
    {.name = "bytes",
     .statement = "how many bytes the physical box takes",
     .witness = "",
     .measures = true,
     .decide = bytes},
    {.name = "equal",
     .statement = "each element has the same places in both layouts, in memory order or on named axes",
     .witness = "a, physical, other; or size, other_size",
     .argument = Argument::Layout,
     .decide = equal},
    {.name = "replicas-disjoint",
     .statement = "no element has two replicas in one slot",
     .witness = "a, replica, other_replica, physical",
     .decide = replicas_disjoint},
    {.name = "inverse",
     .statement = "the second layout takes each element's place back to the element's row-major number",
     .witness = "a, physical, back, number",
     .argument = Argument::Layout,
     .decide = inverse},
    {.name = "disjoint",
     .statement = "no place holds an element of the layout and one of a second layout in the same buffer",
     .witness = "a, b, physical, other",
     .argument = Argument::Buffer,
     .decide = disjoint},
    {.name = "aligned",
     .statement = "a swizzle of absolute addresses is the layout's own, wherever the buffer starts at a multiple of "
                  "`base` bytes",
     .witness = "a, base, physical, absolute",
     .argument = Argument::Base,
     .decide = aligned},
    {.name = "slice",
     .statement = "the second layout is the layout's restriction to a region",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "canonical",
     .statement = "the second layout is the layout's map, with thread axes fused into the outermost one",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "group",
     .statement = "the second layout is the layout's map, and its iters split at the boundaries of a shape",
     .witness = "have, want; or a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "tile",
     .statement = "the second layout is the outer layout, one inner layout's span apart, tiled by the inner one",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "direct-sum",
     .statement = "the second layout is the sum of two layouts, over the product of their shapes",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "permute",
     .statement = "the second layout is the layout of the permuted tensor",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "broadcast",
     .statement = "the second layout is the layout with one more dimension, on which no place depends",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "pack",
     .statement = "the second layout is the layout of runs of `factor` elements, as one element each",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "unpack",
     .statement = "the second layout is the layout of the parts, `factor` of each element",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "fuse",
     .statement = "the second layout is the layout with thread axes expressed in an outer one",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "split",
     .statement = "the second layout is the layout with a thread axis expressed in two inner ones",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "swizzle",
     .statement = "the second layout is the layout's places, swizzled",
     .witness = "a, physical, other",
     .argument = Argument::Law,
     .decide = obeys_law},
    {.name = "conflict-free",
     .statement = "an access costs one wavefront a phase, whatever its free variables",
     .witness = "instance, a, b, lane, other_lane, bank, word, other_word, address, other_address, wavefronts, ideal",
     .argument = Argument::Access,
     .decide = conflict_free},
    {.name = "conflicts",
     .statement = "the wavefronts of an access beyond one a phase, of the worst choice of its free variables; or at "
                  "most so many",
     .witness = "with a limit: as conflict-free",
     .measures = true,
     .argument = Argument::Access,
     .decide = conflicts},
    {.name = "wavefronts",
     .statement = "the wavefronts that an access costs, for the worst choice of its free variables",
     .witness = "",
     .measures = true,
     .argument = Argument::Access,
     .decide = wavefronts},
    {.name = "partition",
     .statement = "a work division deals every element to one core, in whole sticks, within the span",
     .witness =
         "a, core, other_core; or a; a, b, core, other_core (one stick); dim, split, count; used, cores; core, dim; "
         "a, b, core, span, limit",
     .argument = Argument::Division,
     .decide = partition},
    {.name = "in-bounds",
     .statement = "of nests: every move reads and writes inside the two memories",
     .witness = "nest, iteration, host, device",
     .argument = Argument::Nests,
     .decide = nests_in_bounds},
    {.name = "covers-once",
     .statement = "the nests write each element's places exactly once",
     .witness = "a, device (or host), times",
     .argument = Argument::Nests,
     .decide = covers_once},
    {.name = "implements",
     .statement = "the nests' moves are exactly those of the layout, each once",
     .witness = "nest, iteration, host, device; or a, device (or host), times",
     .argument = Argument::Nests,
     .decide = implements},
    {.name = "no-overlap",
     .statement = "no two moves of the nests write one place, padding included",
     .witness = "nest, iteration, host, device, other_nest, other_iteration",
     .argument = Argument::Nests,
     .decide = no_overlap},
    {.name = "symmetric",
     .statement = "the nests run backwards implement the transfer in the other direction",
     .witness = "as implements",
     .argument = Argument::Nests,
     .decide = symmetric},
    {.name = "compatible",
     .statement = "an operation can compute with these operands: the family's rules for it hold",
     .witness = "operand, have, want; or operand, element, physical",
     .argument = Argument::Operation,
     .decide = compatible},
});

std::span<const Index> slot_part(const map::Layout& layout, std::span<const Index> outputs) {
  return outputs.first(layout.physical().rank());
}

Point outputs_of(const map::Layout& layout, const Point& p) {
  auto outputs = map::evaluate(layout.map(), p);
  VL_CHECK(outputs.has_value(), "a point outside the domain");
  return std::move(*outputs);
}

}  // namespace

engines::Answer Inquiry::ask(Kind kind, const Subject& subject) {
  return ask({kind, subject.layout, kind == Kind::Differs ? subject.other : nullptr});
}

engines::Answer Inquiry::ask(const question::Query& query) { return remember(engines::decide(query, options_)); }

engines::Answer Inquiry::remember(engines::Decision decision) {
  attempts_.insert(attempts_.end(), decision.attempts.begin(), decision.attempts.end());
  disagreement_ = disagreement_ || decision.disagreement;
  std::ranges::move(decision.disagreements, std::back_inserter(disagreements_));
  if (!decision.engine.empty() && std::ranges::find(answered_, decision.engine) == answered_.end())
    answered_.push_back(decision.engine);
  return std::move(decision.answer);
}

engines::Answer Inquiry::some_slot(const Subject& subject) {
  if (subject.layout->domain().volume() == 0) return engines::None{};
  const engines::Witness first{Point(subject.layout->domain().rank(), 0), {}, {}};
  if (question::replay({Kind::Lands, subject.layout, nullptr}, first)) return engines::Found{first, true};
  return ask(Kind::Lands, subject);
}

std::string Inquiry::engine() const {
  return answered_.empty() ? "evaluation" : fmt::format("{}", fmt::join(answered_, "+"));
}

Verdict Inquiry::proved(std::optional<Index> value) const { return Proved{engine(), question::Trust::Trusted, value}; }

Verdict Inquiry::refuted(Counterexample counterexample) const { return Refuted{engine(), std::move(counterexample)}; }

Verdict Inquiry::unknown(const engines::Abstained& abstained) const {
  return Unknown{abstained.reason, abstained.why, engine()};
}

Verdict Inquiry::vacuous(std::string detail) const { return Unknown{Reason::Vacuous, std::move(detail), engine()}; }

std::string_view needs(Argument argument) {
  switch (argument) {
    case Argument::None: return "nothing";
    case Argument::Layout: return "a second layout";
    case Argument::Buffer: return "a second layout in the same buffer";
    case Argument::Nests: return "loop nests";
    case Argument::Division: return "a work division";
    case Argument::Operation: return "an operation";
    case Argument::Law: return "the result to judge";
    case Argument::Access: return "an access and the hardware";
    case Argument::Base: return "the base's alignment in bytes";
  }
  VL_CHECK(false, "unknown argument of a claim");
}

std::span<const Claim> claims() { return kClaims; }

const Claim* find_claim(std::string_view name) {
  const auto found = std::ranges::find_if(
      kClaims, [&](const Claim& claim) { return claim.name == name && claim.argument != Argument::Nests; });
  return found == kClaims.end() ? nullptr : &*found;
}

const Claim* find_nest_claim(std::string_view name) {
  const auto found = std::ranges::find_if(
      kClaims, [&](const Claim& claim) { return claim.name == name && claim.argument == Argument::Nests; });
  return found == kClaims.end() ? nullptr : &*found;
}

namespace {

std::string in_words(const std::vector<engines::Disagreement>& disagreements) {
  if (disagreements.empty()) return "two engines decided the same question differently";
  const engines::Disagreement& first = disagreements.front();
  return fmt::format("asked for '{}', {} answers '{}' and {} '{}'", first.question, first.one.engine,
                     engines::describe(first.one.answer), first.other.engine, engines::describe(first.other.answer));
}

}  // namespace

Answer decide(const Claim& claim, const Subject& subject, const engines::Options& options) {
  Inquiry inquiry(options);
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict = claim.decide(subject, inquiry);
  const auto time = std::chrono::steady_clock::now() - start;
  if (inquiry.disagreement())
    verdict = Unknown{Reason::EnginesDisagree, in_words(inquiry.disagreements()), inquiry.engine()};
  return Answer{std::move(verdict), inquiry.attempts(), time, inquiry.disagreements()};
}

std::optional<Aliases> aliases_of(const map::Layout& layout) {
  if (!layout.decode() || layout.domain().volume() == 0) return std::nullopt;
  map::Evaluator decode(*layout.decode());
  map::Evaluator encode(layout.map());
  const std::size_t rank = layout.domain().rank();
  const Index walk = std::min(layout.physical().volume(), kAliasWalk);
  Aliases aliases;
  aliases.complete = walk == layout.physical().volume();
  Point slot(layout.physical().rank());
  Point p(rank);
  for (Index left = walk; left > 0; --left, map::advance(layout.physical(), slot)) {
    const auto decoded = decode(slot);
    const auto guards = decoded.subspan(rank);
    if (std::ranges::any_of(guards, [](Index guard) { return guard != 0; })) continue;
    p.assign(decoded.begin(), decoded.begin() + static_cast<std::ptrdiff_t>(rank));
    if (!layout.domain().contains(p)) continue;
    const auto lives_at = encode(p);
    if (layout.is_slot(lives_at) && std::ranges::equal(slot, slot_part(layout, lives_at))) continue;
    if (aliases.count++ > 0) continue;
    aliases.slot = slot;
    aliases.element = element_of(layout, p);
    if (layout.is_slot(lives_at)) {
      const auto place = slot_part(layout, lives_at);
      aliases.lives_at = Point(place.begin(), place.end());
    }
  }
  return aliases;
}

std::string show_aliases(const map::Layout& layout) {
  const auto aliases = aliases_of(layout);
  if (!aliases || aliases->count == 0) return {};
  return fmt::format("{}{} of them pass every range check: {} decodes to element {}, which {}",
                     aliases->complete ? "" : "at least ", aliases->count, show(aliases->slot), show(aliases->element),
                     aliases->lives_at ? "lives at " + show(*aliases->lives_at) : "has no slot at all");
}

std::string show(std::span<const Index> point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

std::string why_no_slot(const map::Layout& layout, std::span<const Index> outputs) {
  for (std::size_t g = layout.physical().rank(); g < outputs.size(); ++g)
    if (outputs[g] != 0) return fmt::format("a remainder of {} is left", outputs[g]);
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    const map::Dim& dim = layout.physical().dims()[j];
    if (outputs[j] < 0 || outputs[j] >= dim.extent)
      return fmt::format("{} would be {}, and its extent is {}", dim.name, outputs[j], dim.extent);
  }
  VL_CHECK(false, "why_no_slot() of a slot");
}

Counterexample placed(const map::Layout& layout, const Point& p) {
  const Point outputs = outputs_of(layout, p);
  const auto slot = slot_part(layout, outputs);
  return {{{"a", element_of(layout, p)}, {"physical", Point(slot.begin(), slot.end())}}, {}};
}

Counterexample missing(const map::Layout& layout, const Point& p) {
  Counterexample out = placed(layout, p);
  out.explanation = fmt::format("element {} has no slot: {}", show(element_of(layout, p)),
                                why_no_slot(layout, outputs_of(layout, p)));
  return out;
}

Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q) {
  const Point outputs = outputs_of(layout, p);
  const auto slot = slot_part(layout, outputs);
  const Point a = element_of(layout, p);
  const Point b = element_of(layout, q);
  const std::string who =
      a == b ? fmt::format("two replicas of element {}", show(a)) : fmt::format("elements {} and {}", show(a), show(b));
  return {{{"a", a}, {"b", b}, {"physical", Point(slot.begin(), slot.end())}},
          fmt::format("{} share the slot {}", who, show(slot))};
}

}  // namespace vl::claims
