#include "verifier/checker/check.h"

#include <algorithm>
#include <array>
#include <utility>

#include "verifier/checker/accesses.h"
#include "verifier/checker/buffers.h"
#include "verifier/checker/divisions.h"
#include "verifier/checker/fills.h"
#include "verifier/checker/kernel.h"
#include "verifier/checker/nests.h"
#include "verifier/checker/operands.h"
#include "verifier/checker/questions.h"
#include "verifier/checker/row_starts.h"
#include "verifier/checker/rules.h"
#include "verifier/checker/runs.h"
#include "verifier/checker/texts.h"

namespace vl::checker {
namespace {

constexpr std::array kLaws = {"slice",     "canonical", "group",  "tile",    "direct-sum",   "permute",
                              "broadcast", "pack",      "unpack", "fuse",    "split",        "swizzle",
                              "compose",   "coalesce",  "divide", "product", "left-inverse", "right-inverse"};

// ∀ starts s (elements, multiples of `base` bytes), ∀ p: σ(s + m) = s + σ(m), m the address before the swizzle σ.
// Starts that are multiples of its period P = 2^(base+bits+shift) change no bit that σ looks at; the others are asked
// one by one, below P.
void check_aligned(const Layout& layout, Statement& statement, Questions& questions) {
  const Wide bytes = take(statement.base), bits = take(statement.bits);
  require(bytes > 0 && bits > 0 && bytes * 8 % bits == 0, "a base that is not a whole number of elements");
  std::vector<Stage> before = layout.map.stages;
  std::erase_if(before, [](const Stage& stage) { return stage.kind == Stage::Kind::Swizzle && stage.bits == 0; });
  const bool swizzles = !before.empty() && before.back().kind == Stage::Kind::Swizzle;
  const Stage last = swizzles ? before.back() : Stage{};
  if (swizzles) before.pop_back();
  require(std::ranges::none_of(before, [](const Stage& stage) { return stage.kind == Stage::Kind::Swizzle; }),
          "a swizzle that is not last");
  if (!swizzles) return;
  const Wide step = bytes * 8 / bits, period = Wide(1) * (1LL << (last.base + last.bits + last.shift));
  const auto agrees = [&](Wide address, Wide start) {
    return last.swizzled(start + address) == start + last.swizzled(address);
  };
  if (step % period == 0) return questions.well_defined();
  const Wide starts = period / gcd(step, period);
  charge(layout.map.domain.volume() * starts * 4);
  for_each(layout.map.domain, [&](const Point& p) {
    Concrete numbers;
    const Wide address = run(before, p, numbers)[last.input];
    for (Wide start = step; start % period != 0; start += step)
      require(agrees(address, start), "a start that moves an element");
  });
}

bool has_element(const Layout& layout, const Point& point) {
  return point.size() == layout.logical && layout.elements().contains(point);
}

// Whether some replicas of the element `a`, or of `a` and `b`, show a claim about one layout to be false.
bool is_refuted(const std::string& claim, const Layout& layout, const Point& a, const Point& b) {
  bool found = false;
  require(layout.replicas().volume() > 0 && layout.replicas().volume() <= 1 << 12, "too many replicas to look through");
  const bool meets = claim == "injective" || claim == "bijective";
  const auto points_of = [&](const Point& element) {  // with their places, by place
    std::vector<std::pair<Point, Point>> out;
    for_each(layout.replicas(), [&](const Point& r) {
      Point p = element;
      p.insert(p.end(), r.begin(), r.end());
      charge(8LL);
      Point place = evaluate(layout.map, p);
      const std::size_t each = (p.size() + place.size()) * sizeof(Wide) + 2 * sizeof(Point) + 32;
      keep(out, std::pair(std::move(place), std::move(p)), each);
    });
    charge_sorting(out.size());
    std::ranges::sort(out);
    return out;
  };
  const auto others = meets ? points_of(b) : std::vector<std::pair<Point, Point>>();
  for (const auto& [place, p] : points_of(a)) {
    const bool lands = layout.is_slot(place, layout.physical);
    if (claim == "in-bounds" || claim == "view-in-bounds" || claim == "mask-exact" || (claim == "bijective" && b == a))
      found = found || !lands;
    if (claim == "offset-identity" && layout.identity)
      found =
          found || (lands && Concrete::sum(layout.identity->first, place) != Concrete::sum(layout.identity->second, p));
    if (!meets || !lands) continue;
    charge(16LL);
    auto at = std::ranges::lower_bound(others, place, {}, &std::pair<Point, Point>::first);
    for (; at != others.end() && at->first == place && !found; ++at) found = at->second != p;
  }
  return found;
}

// A move from one layout to another: an element that only one of them has, or without a slot, or two in one.
bool is_refuted_move(const Layout& from, const Layout& to, const Point& a, const Point& b) {
  require(from.logical == to.logical, "layouts of other numbers of dimensions");
  if (has_element(from, a) != has_element(to, a)) return true;
  return has_element(from, a) && has_element(to, b) &&
         (is_refuted("in-bounds", from, a, a) || is_refuted("bijective", to, a, b));
}

// The witness is an element `a`, or two (`a`, `b`).
void check_refutation(Statement& statement, const Layout& layout, const Layout* other, const Showing& witness) {
  const std::string& claim = statement.claim;
  const Point &a = witness.a, &b = witness.b ? *witness.b : a;
  if (claim == "move-implements") {
    const auto operands = take(statement.operands);
    require(operands.size() == 1 && other == nullptr, "a move to more than one layout");
    return require(is_refuted_move(layout, parse_layout(operands[0]), a, b), "a witness that shows nothing");
  }
  require(has_element(layout, a) && has_element(layout, b), "a witness that is not an element");
  if (other == nullptr) return require(is_refuted(claim, layout, a, b), "a witness that shows nothing");
  require(claim == "equal" || claim == "remap" || (layout.named && std::ranges::find(kLaws, claim) != kLaws.end()),
          "a refutation that is not known");
  require(layout.elements().extents == other->elements().extents && layout.named == other->named,
          "two layouts of different tensors");
  for (const Layout* side : {&layout, other})
    require(side->replicas().volume() > 0 && side->replicas().volume() <= 1 << 12, "too many replicas to look through");
  Evidence none;
  const Questions pair(layout, other, none);
  require(pair.places_at(0, a) != pair.places_at(1, a), "a witness that has the same places");
}

// The witness is the number of a rule that does not hold.
void check_broken_rule(Statement& statement, const Showing& witness) {
  const std::vector<Rule> rules = take(statement.rules);
  require(
      witness.a.size() == 1 && !witness.b && witness.a[0] >= 0 && witness.a[0] < static_cast<long long>(rules.size()),
      "a witness that is no rule");
  const Rule& rule = rules[static_cast<std::size_t>(witness.a[0].narrow())];
  require(rule.have != rule.want, "a rule that holds");
}

// The one operand has the layout's elements, and each has a slot of its own.
void check_own_places(const Layout& layout, Statement& statement, Evidence& evidence) {
  const auto operands = take(statement.operands);
  auto proofs = take(evidence.operands);
  require(operands.size() == 1 && proofs.size() == 1, "operands without a proof");
  require(parse_layout(operands[0]).elements().extents == layout.elements().extents, "layouts of different elements");
  all_have_slots_of_their_own(operands[0], proofs[0]);
}

void check_operands(Statement& statement, Evidence& evidence) {
  const auto operands = take(statement.operands);
  auto proofs = take(evidence.operands);
  require(operands.size() == proofs.size(), "operands without a proof");
  for (std::size_t i = 0; i < operands.size(); ++i) all_have_slots(operands[i], proofs[i]);
}

void check_bytes(bool fits, const Layout& layout, Statement& statement) {
  const Space& box = layout.physical;
  const Wide bits = take(statement.bits);
  require(bits > 0, "elements without a size");
  if (!fits) return require(take(statement.value) == (box.volume() * bits + 7) / 8, "another number of bytes");
  const auto axis = std::ranges::find(box.names, "m");
  require(!layout.named || axis != box.names.end(), "a layout without a memory");
  const Wide slots = layout.named ? box.extents[static_cast<std::size_t>(axis - box.names.begin())] : box.volume();
  require((slots * bits + 7) / 8 <= take(statement.at_most), "more bytes than there are");
}

void check_places(const std::string& claim, bool law, const Layout& layout, const Layout* other, Statement& statement,
                  Evidence& evidence) {
  const Space& box = layout.physical;
  Questions questions(layout, other, evidence);
  if (claim == "padding")
    return require(take(statement.value) == box.volume() - questions.occupied(), "another number of slots");
  if (claim == "onto" || claim == "occupied")
    return require(box.volume() > 0 && questions.occupied() == box.volume(), "a slot that holds nothing");
  require(layout.map.domain.volume() > 0, "the claim says nothing: there is no element");
  if (claim == "in-bounds" || claim == "view-in-bounds") return questions.all_land(box);
  if (claim == "move-implements" || claim == "view-elements") {
    questions.all_land(box);
    check_own_places(layout, statement, evidence);
    if (claim == "move-implements") return;
  }
  if (claim == "mask-exact") {
    questions.all_land(box);
    return require(questions.occupied() == box.volume(), "a slot that is kept and holds nothing");
  }
  if (claim == "partition") return check_division(layout, statement, evidence, questions);
  if (claim == "injective") return questions.some_slot(), questions.none_collide();
  if (claim == "complement") return questions.all_land(box), questions.none_collide();
  if (claim == "offset-identity") return questions.some_slot(), questions.identity_holds();
  if (claim == "replicas-disjoint") {
    require(layout.replicas().volume() > 1, "the claim says nothing: there is one replica");
    return questions.some_slot(), questions.none_collide(true);
  }
  if (claim == "aligned") return check_aligned(layout, statement, questions);
  if (claim == "bijective") {
    questions.all_land(box);
    if (layout.decode) questions.all_decode();  // what decodes to itself collides with nothing
    if (!layout.decode) questions.none_collide();
    if (layout.filled) questions.all_land(*layout.filled, &Evidence::filled);
    return require(!layout.filled || layout.filled->volume() == layout.map.domain.volume(),
                   "a slot to be filled that holds nothing");
  }
  if (claim == "contiguous") return check_runs(layout, other, statement, evidence, questions);
  require(other != nullptr && other->map.domain.volume() > 0, "a claim that is not known");
  if (claim == "inverse") return questions.takes_back();
  if (claim == "disjoint") questions.some_slot(), questions.some_slot(1, &Evidence::other_lands);
  if (claim == "disjoint") return questions.never_meet(take(statement.at));
  require(claim == "equal" || claim == "remap" || claim == "view-elements" || law, "a claim that is not known");
  require(layout.named || !law, "a law about places without names");
  require(layout.named || box.volume() == other->physical.volume(), "boxes of different sizes");
  questions.same_places();
}

void check_claim(const std::string& claim, bool refuted, Statement& statement, Evidence& evidence) {
  if (statement.rule) {
    require(!refuted, "a refutation for all sizes");
    if (asks_rules(claim)) check_rules(statement);
    return check_for_all_sizes(claim, statement, evidence);
  }
  if (statement.buffers) {
    require(claim == "disjoint", "buffers that nothing asks of");
    const auto accesses = take(statement.buffers);
    return refuted ? check_overwritten(accesses, take(evidence.witness)) : check_buffers(accesses);
  }
  if (refuted && is_about_descriptor(claim)) return check_broken_rule(statement, take(evidence.witness));
  if (refuted && claim == "carries") return refute_nests(take(statement.transfer), take(evidence.witness));
  if (statement.fills) {
    require(claim == "fills", "boxes that nothing asks of");
    return check_fills(refuted, statement, evidence);
  }
  require(!refuted || statement.map, "a refutation that nothing shows");
  if (statement.transfer && claim == "aligned")
    return check_aligned_moves(take(statement.transfer), take(statement.bits), take(statement.base),
                               take(statement.at));
  if (statement.transfer) return check_nests(claim, take(statement.transfer), evidence);
  if (statement.access) return check_access(claim, statement, evidence);
  if (asks_rules(claim)) return check_rules(statement);
  if (claim == "compatible" || claim == "neutral") return check_rules(statement), check_operands(statement, evidence);
  Layout layout = parse_layout(take(statement.map));
  auto other = statement.other ? std::optional(parse_layout(take(statement.other))) : std::nullopt;
  const bool law = std::ranges::find(kLaws, claim) != kLaws.end();
  require(!other || law || claim == "equal" || claim == "inverse" || claim == "disjoint" || claim == "remap" ||
              claim == "view-elements" || claim == "contiguous",
          "a layout that nothing asks of");
  if (law || claim == "complement") check_rules(statement);
  if ((claim == "remap" || (law && statement.operands) || (claim == "complement" && statement.operands)) && !refuted)
    check_operands(statement, evidence);
  if (refuted) return check_refutation(statement, layout, other ? &*other : nullptr, take(evidence.witness));
  if (claim == "disjoint" && other) layout.logical = other->logical = 0;  // no input in common
  if (claim == "no-swizzle") return check_no_swizzle(layout, statement, evidence);
  if (claim == "bytes" || claim == "fits") return check_bytes(claim == "fits", layout, statement);
  if (claim == "row-aligned") {
    require(layout.map.domain.volume() > 0, "the claim says nothing: there is no element");
    layout = at_row_starts(std::move(layout), take(statement.base), take(statement.bits));
    return Questions(layout, nullptr, evidence).all_land(layout.physical);
  }
  check_places(claim, law, layout, other ? &*other : nullptr, statement, evidence);
}

// Layouts that texts derive: each is the one that the law of its operation gives.
void check_derived(Statement& statement, Evidence& evidence) {
  if (statement.derived_rules) {
    const auto rules = take(statement.derived_rules);
    require(!rules.empty() && statement.rule.has_value(), "a derived rule of no rule");
    for (const DerivedRuleText& one : rules) require(one.result == one.law, "a derived rule that is not its law's");
  }
  if (!statement.derived) return;
  const auto derived = take(statement.derived);
  auto proofs = take(evidence.derived);
  require(!derived.empty() && derived.size() == proofs.size(), "a derived layout without a proof of its law");
  for (std::size_t i = 0; i < derived.size(); ++i) {
    Statement same;
    same.map = derived[i].result, same.other = derived[i].law;
    check_claim("equal", false, same, proofs[i]);
    end(same), end(proofs[i]);
  }
}

}  // namespace

bool is_about_values(const Statement& statement) {
  return statement.reductions || statement.images || statement.row_states || statement.storing || statement.chain;
}

void show_relation(Statement& statement, Evidence& evidence) {
  require(!is_about_values(statement), "a claim about values, which are not this checker's");
  check_claim(statement.claim, statement.verdict == "refuted", statement, evidence);
}

std::optional<std::string> check(Statement statement, Evidence evidence, Show show) noexcept {
  try {
    const Metered metered;
    statement.arguments.reset(), statement.operation.reset(), statement.files.reset();  // texts.h
    require(statement.verdict == "proved" || statement.verdict == "refuted", "a verdict that is none");
    check_derived(statement, evidence);
    show(statement, evidence);
    end(statement);
    end(evidence);
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::optional<std::string> check(Certificate certificate, Show show) noexcept {
  try {
    require(certificate.schema == Certificate().schema, "another schema");
    require(certificate.digest == digest(certificate.statement), "a digest of another statement");
    return check(std::move(certificate.statement), std::move(certificate.evidence), show);
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::optional<std::string> check(const nlohmann::json& certificate, Show show) noexcept {
  try {
    return check(read<Certificate>(certificate), show);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace vl::checker
