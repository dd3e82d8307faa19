#include "verifier/claims/proofs/nest_pieces.h"

#include <algorithm>

#include "verifier/claims/proofs/evidence.h"

namespace vl::claims {
namespace {

using checker::Evidence;
using checker::Form;
using checker::Forms;
using checker::Group;
using checker::Interval;
using checker::Nest;
using checker::NestPiece;
using checker::Rejected;
using checker::Row;
using checker::run;
using checker::Space;
using checker::Stage;
using checker::Stuck;
using checker::Wide;
using Checked = checker::Layout;

constexpr std::size_t kMostPieces = 256;
constexpr int kMostCutsOfPiece = 64;  // of one piece's digits

// The nest has to be taken apart: iterations of `loop` before `at`, and the others. Like Stuck it is thrown, by a
// domain of run(), which gives values only; NestMaker::piece() makes an answer of both.
struct Apart {
  std::size_t loop;
  Wide at;
};

/// Forms of a piece whose loops can be cut where a value crosses a boundary.
class Cutter {
 public:
  using Value = Form;
  Cutter(const Space& box, std::vector<Group> groups) : groups_(std::move(groups)), forms_(box, groups_) {}

  Forms& forms() { return forms_; }
  Form sum(const Row& row, const std::vector<Form>& values) const { return forms_.sum(row, values); }
  Form swizzle(const Form& form, const Stage& stage) { return forms_.swizzle(form, stage); }

  std::pair<Form, Form> divide(const Form& form, Wide weight) const {
    try {
      return forms_.divide(form, weight);
    } catch (const Stuck& stuck) {
      Group group = groups_[stuck.group];
      if (cut_digits(group, stuck.weight)) throw;
    } catch (const Rejected&) {
    }
    Form rest = form;
    for (Wide& term : rest.terms)
      if (term % weight == 0) term = 0;
    cross(rest, (forms_.range(rest).low / weight + 1) * weight);
  }

  /// Whether the values lie in [0, extent), or none of them does. Apart when it is some of them.
  bool within(const Form& form, Wide extent) const {
    const Interval span = forms_.range(form);
    if (span.high < 0 || span.low >= extent) return false;
    if (span.low < 0) cross(form, 0);
    if (span.high >= extent) cross(form, extent);
    return true;
  }

 private:
  // Takes the nest apart at a loop through whose values the form comes to `bound`: where the first part has only values
  // on one side of it; else where the second part has.
  [[noreturn]] void cross(const Form& form, Wide bound) const {
    std::optional<Apart> best;
    Wide reach = 0;
    std::size_t atom = 0;
    for (const Group& group : groups_) {
      const Wide coefficient = form.at(atom), count = forms_.extent(atom);
      if (group.dims == 1 && coefficient != 0 && coefficient.abs() * (count - 1) > reach) {
        Form rest = form;
        rest.terms[atom] = 0;
        const Interval span = forms_.range(rest);
        // rest + coefficient·v against bound: the first v that is not wholly on v = 0's side, the first that is on the
        // other
        const bool up = coefficient > 0;
        const Wide near = up ? bound - span.high : span.low - bound + 1,
                   far = up ? bound - span.low : span.high - bound + 1;
        for (const Wide& distance : {near, far}) {
          const Wide v = (distance + coefficient.abs() - 1) / coefficient.abs();
          if (v <= 0 || v >= count) continue;
          best = Apart{group.first, v * group.weights[0]};
          reach = coefficient.abs() * (count - 1);
          break;
        }
      }
      atom += group.weights.size();
    }
    if (best) throw Apart(*best);
    throw Rejected("no loop takes the value across");
  }

  std::vector<Group> groups_;
  Forms forms_;
};

class NestMaker {
 public:
  NestMaker(NestPlan plan, const Checked& source, const Checked& destination, std::vector<Nest> nests)
      : plan_(std::move(plan)), layouts_{&source, &destination}, nests_(std::move(nests)) {}

  std::optional<Evidence> evidence() {
    Evidence out;
    out.by = plan_.by, out.weights = plan_.weights;
    auto& cuts = out.cuts.emplace();
    auto& pieces = out.pieces.emplace();
    while (pieces.size() < nests_.size()) {
      const std::size_t n = pieces.size();
      Found found = piece(nests_[n]);
      if (auto* made = std::get_if<NestPiece>(&found)) {
        pieces.push_back(std::move(*made));
        continue;
      }
      const auto* apart = std::get_if<Apart>(&found);
      const auto where = apart != nullptr ? std::optional(*apart) : half(nests_[n]);
      if (!where || nests_.size() >= kMostPieces) return std::nullopt;
      cuts.push_back({n, where->loop, where->at});
      checker::cut_apart(cuts.back(), nests_);
    }
    return out;
  }

 private:
  using Found = std::variant<std::monostate, NestPiece, Apart>;

  // The middle of the loop of the largest steps.
  [[nodiscard]] std::optional<Apart> half(const Nest& nest) const {
    std::optional<std::size_t> loop;
    const auto step = [&](std::size_t k) { return nest.slots[plan_.by].terms[k].second.abs(); };
    for (std::size_t k = 0; k < nest.box.rank(); ++k)
      if (nest.box.extents[k] > 1 && (!loop || step(k) > step(*loop))) loop = k;
    if (!loop || plan_.fused) return std::nullopt;
    return Apart{*loop, nest.box.extents[*loop] / 2};
  }

  [[nodiscard]] Found piece(const Nest& nest) const {
    std::vector<Group> groups = loops_of(nest, plan_.fused);
    for (int tries = 0; tries < kMostCutsOfPiece; ++tries) {
      try {
        Cutter cutter(nest.box, groups);
        auto made = piece(nest, cutter);
        if (!made) return {};
        made->digits = std::move(groups);
        return std::move(*made);
      } catch (const Apart& apart) {
        return apart;
      } catch (const Stuck& stuck) {
        if (!cut_digits(groups[stuck.group], stuck.weight)) return {};
      } catch (const Rejected&) {
        return {};
      }
    }
    return {};
  }

  std::optional<NestPiece> piece(const Nest& nest, Cutter& cutter) const {
    NestPiece out;
    std::vector<Form> keys{cutter.forms().of(nest.slots[plan_.by])};
    for (const auto& weights : plan_.weights)
      for (Form& digit : run({{Stage::Kind::Split, {}, 0, weights}}, {keys[0]}, cutter))
        keys.push_back(std::move(digit));
    if (plan_.part == Part::MovesInside) return out;
    if (plan_.part != Part::MovesApart) {
      const auto rows = element(nest, cutter);
      if (!rows && plan_.part == Part::ServedOnce) return out;
      if (!rows) return std::nullopt;
      out.element.emplace();
      const std::size_t digits = cutter.forms().digits();
      for (const Form& form : *rows) {
        auto& row = out.element->emplace_back(1, form.constant);
        for (std::size_t k = 0; k < digits; ++k) row.push_back(form.at(k));
        for (std::size_t k = digits; k < form.terms.size(); ++k)
          if (form.terms[k] != 0) return std::nullopt;
      }
    }
    out.steps = peel_steps(cutter.forms(), keys, {}, true);
    std::size_t left = out.steps->size();
    for (std::size_t atom = 0; atom < cutter.forms().digits(); ++atom) left -= cutter.forms().extent(atom) != 1;
    return left == 0 ? std::optional(std::move(out)) : std::nullopt;
  }

  // x, the replica of D and, where it is read, that of S. Nothing when the moves are none of elements.
  std::optional<std::vector<Form>> element(const Nest& nest, Cutter& cutter) const {
    auto decoded = decode(plan_.anchor, nest, cutter);
    if (!decoded) return std::nullopt;
    std::vector<Form> out(decoded->begin(), decoded->begin() + static_cast<std::ptrdiff_t>(layouts_[0]->logical));
    for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
      const Checked& layout = *layouts_[side];
      if (layout.replicas().rank() == 0 || (side == 0 && plan_.part == Part::ServedOnce)) continue;
      const auto replicas = side == plan_.anchor ? decoded : decode(side, nest, cutter);
      if (!replicas) return std::nullopt;
      out.insert(out.end(), replicas->begin() + static_cast<std::ptrdiff_t>(layout.logical), replicas->end());
    }
    return out;
  }

  // What lives in the slots of a side; nothing when they are those of no element.
  std::optional<std::vector<Form>> decode(std::size_t side, const Nest& nest, Cutter& cutter) const {
    const Checked& layout = *layouts_[side];
    if (!layout.decode) return std::nullopt;  // the anchor has one, the other side may not
    const Form number = cutter.forms().of(nest.slots[side]);
    if (!cutter.within(number, layout.physical.volume())) return std::nullopt;
    const Row row_major = layout.physical.number();
    Stage split{Stage::Kind::Split, {}, 0, {}};
    for (const auto& [dim, weight] : row_major.terms) split.weights.insert(split.weights.begin(), weight);
    std::vector<Form> back = run(layout.decode->stages, run({split}, {number}, cutter), cutter);
    for (std::size_t i = 0; i < back.size(); ++i)
      if (!cutter.within(back[i], i < layout.map.domain.rank() ? layout.map.domain.extents[i] : Wide(1)))
        return std::nullopt;
    back.resize(layout.map.domain.rank());
    std::vector<Form> place = run(layout.map.stages, back, cutter);
    for (std::size_t j = 0; j < place.size(); ++j)
      if (!cutter.within(place[j], j < layout.physical.rank() ? layout.physical.extents[j] : Wide(1)))
        return std::nullopt;
    if (!cutter.within(cutter.sum({0, {{0, 1}, {1, -1}}}, {cutter.sum(row_major, place), number}), 1))
      return std::nullopt;
    return back;
  }

  NestPlan plan_;
  const Checked* layouts_[2];
  std::vector<Nest> nests_;
};

}  // namespace

std::vector<Group> loops_of(const Nest& nest, bool fused) {
  std::vector<Group> groups;
  for (std::size_t k = 0; k < nest.box.rank(); ++k) {
    const bool joins = fused && k > 0 && std::ranges::all_of(nest.slots, [&](const Row& row) {
                         return row.terms[k - 1].second == row.terms[k].second * nest.box.extents[k];
                       });
    if (joins) ++groups.back().dims;
    else groups.push_back({k, 1, {1}});
  }
  return groups;
}

std::optional<Evidence> pieces_of(NestPlan plan, const Checked& source, const Checked& destination,
                                  std::vector<Nest> nests) {
  return NestMaker(std::move(plan), source, destination, std::move(nests)).evidence();
}

}  // namespace vl::claims
