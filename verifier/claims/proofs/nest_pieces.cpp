#include "verifier/claims/proofs/nest_pieces.h"

#include <algorithm>

namespace vl::claims {
namespace {

using Json = nlohmann::json;
using checker::check_peel;
using checker::Form;
using checker::Forms;
using checker::gcd;
using checker::Group;
using checker::Interval;
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

/// The nest has to be taken apart: iterations of `loop` before `at`, and the others.
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
      if (fits(stuck)) throw;
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

  /// Whether the digit can be cut there.
  [[nodiscard]] bool fits(const Stuck& stuck) const {
    return std::ranges::all_of(groups_[stuck.group].weights, [&](Wide weight) {
      return weight > stuck.weight ? weight % stuck.weight == 0 : stuck.weight % weight == 0;
    });
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
    throw Nowhere();
  }

  std::vector<Group> groups_;
  Forms forms_;
};

/// Steps of check_peel, found greedily. Nothing when some digit is left.
std::optional<Json> steps_of(const Forms& forms, const std::vector<Form>& rows) {
  Json steps = Json::array();
  std::vector<bool> known(forms.digits(), false);
  for (std::size_t atom = 0; atom < forms.digits(); ++atom) known[atom] = forms.extent(atom) == 1;
  const auto reason = [&](const Form& row, std::size_t atom) -> const char* {
    Form others{0, row.terms};
    others.terms.resize(forms.atoms(), 0);
    Wide common = 0;
    for (std::size_t k = 0; k < others.terms.size(); ++k) {
      if (k == atom || (k < known.size() && known[k])) others.terms[k] = 0;
      common = gcd(common, others.terms[k]);
    }
    const Interval span = forms.range(others);
    const Wide coefficient = row.at(atom);
    if (coefficient.abs() > span.high - span.low) return "large";
    return coefficient != 0 && common > 0 && common / gcd(common, coefficient) >= forms.extent(atom) ? "gcd" : nullptr;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t atom = 0; atom < forms.digits(); ++atom)
      for (std::size_t row = 0; row < rows.size() && !known[atom]; ++row)
        if (const char* why = reason(rows[row], atom)) {
          steps.push_back({row, atom, why});
          known[atom] = more = true;
        }
  }
  if (std::ranges::find(known, false) != known.end()) return std::nullopt;
  return steps;
}

class NestMaker {
 public:
  NestMaker(NestPlan plan, const Checked& source, const Checked& destination, std::vector<CertifiedNest> nests)
      : plan_(std::move(plan)), layouts_{&source, &destination}, nests_(std::move(nests)) {}

  /// Throws Nowhere.
  Json evidence() {
    Json pieces = Json::array();
    for (std::size_t n = 0; n < nests_.size();) {
      try {
        pieces.push_back(piece(nests_[n]));
        ++n;
      } catch (const Apart& apart) {
        cut(n, apart);
      } catch (const Nowhere&) {
        bisect(n);
      } catch (const Rejected&) {
        bisect(n);
      }
    }
    return {{"cuts", cuts_}, {"by", plan_.by}, {"weights", plan_.weights}, {"pieces", std::move(pieces)}};
  }

 private:
  void cut(std::size_t n, const Apart& apart) {
    if (nests_.size() >= kMostPieces) throw Nowhere();
    const auto [loop, at] = apart;
    cuts_.push_back({n, loop, at.narrow()});
    CertifiedNest rest = nests_[n];
    nests_[n].box.extents[loop] = at;
    rest.box.extents[loop] = rest.box.extents[loop] - at;
    for (Row& row : rest.slots) row.constant += row.terms[loop].second * at;
    nests_.push_back(std::move(rest));
  }

  // Halves the loop of the largest steps.
  void bisect(std::size_t n) {
    const CertifiedNest& nest = nests_[n];
    std::optional<std::size_t> loop;
    const auto step = [&](std::size_t k) { return nest.slots[plan_.by].terms[k].second.abs(); };
    for (std::size_t k = 0; k < nest.box.rank(); ++k)
      if (nest.box.extents[k] > 1 && (!loop || step(k) > step(*loop))) loop = k;
    if (!loop || plan_.fused) throw Nowhere();
    cut(n, {*loop, nest.box.extents[*loop] / 2});
  }

  Json piece(const CertifiedNest& nest) {
    std::vector<Group> groups = loops_of(nest, plan_.fused);
    for (int tries = 0; tries < kMostCutsOfPiece; ++tries) {
      Cutter cutter(nest.box, groups);
      try {
        Json out = piece(nest, cutter);
        for (const Group& group : groups) {
          Json weights = Json::array();
          for (const Wide& weight : group.weights) weights.push_back(weight.narrow());
          out["digits"].push_back({group.dims, std::move(weights)});
        }
        return out;
      } catch (const Stuck& stuck) {
        if (!cutter.fits(stuck)) throw Nowhere();
        auto& weights = groups[stuck.group].weights;
        weights.insert(std::ranges::find_if(weights, [&](Wide weight) { return weight < stuck.weight; }), stuck.weight);
      }
    }
    throw Nowhere();
  }

  Json piece(const CertifiedNest& nest, Cutter& cutter) {
    Json out{{"digits", Json::array()}};
    std::vector<Form> keys{cutter.forms().of(nest.slots[plan_.by])};
    for (const auto& weights : plan_.weights)
      for (Form& digit : run({{Stage::Kind::Split, {}, 0, {weights.begin(), weights.end()}}}, {keys[0]}, cutter))
        keys.push_back(std::move(digit));
    if (plan_.part == Part::MovesInside) return out;
    if (plan_.part != Part::MovesApart) {
      const auto rows = element(nest, cutter);
      if (!rows && plan_.part == Part::ServedOnce) return out;
      if (!rows) throw Nowhere();
      for (const Form& form : *rows) {
        Json row{form.constant.narrow()};
        for (std::size_t k = 0; k < cutter.forms().digits(); ++k) row.push_back(form.at(k).narrow());
        for (std::size_t k = cutter.forms().digits(); k < form.terms.size(); ++k)
          if (form.terms[k] != 0) throw Nowhere();
        out["element"].push_back(std::move(row));
      }
      if (rows->empty()) out["element"] = Json::array();
    }
    auto steps = steps_of(cutter.forms(), keys);
    if (!steps) throw Nowhere();
    out["steps"] = std::move(*steps);
    return out;
  }

  // x, the replica of D and, where it is read, that of S. Nothing when the moves are none of elements.
  std::optional<std::vector<Form>> element(const CertifiedNest& nest, Cutter& cutter) const {
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
  std::optional<std::vector<Form>> decode(std::size_t side, const CertifiedNest& nest, Cutter& cutter) const {
    const Checked& layout = *layouts_[side];
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
  std::vector<CertifiedNest> nests_;
  Json cuts_ = Json::array();
};

}  // namespace

std::vector<Group> loops_of(const CertifiedNest& nest, bool fused) {
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

Json pieces_of(NestPlan plan, const Checked& source, const Checked& destination, std::vector<CertifiedNest> nests) {
  return NestMaker(std::move(plan), source, destination, std::move(nests)).evidence();
}

}  // namespace vl::claims
