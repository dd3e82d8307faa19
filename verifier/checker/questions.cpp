#include "verifier/checker/questions.h"

#include <algorithm>
#include <array>

#include "verifier/checker/kernel.h"
#include "verifier/checker/linear.h"
#include "verifier/checker/propositional.h"
#include "verifier/checker/stages.h"

namespace vl::checker {
namespace {

constexpr long long kBitmap = 1 << 26;  // slots that are marked one by one

}  // namespace

void walk(const Space& box, const Map& map, const std::function<void(const Point&)>& visit) {
  long long terms = static_cast<long long>(box.rank()) + 1;
  for (const Stage& stage : map.stages) {
    for (const Row& row : stage.rows) terms += static_cast<long long>(row.terms.size()) + 1;
    terms += 4 * static_cast<long long>(stage.weights.size());
  }
  if (box.volume() * terms > work_left()) needs_more_work();  // before anything is done
  if (box.volume() > 0) for_each(box, visit);
}

Layout parse_layout(const LayoutText& text) {
  Layout out;
  out.map = parse_map(text.map);
  out.logical = text.logical;
  out.physical = parse_space(text.physical);
  out.named = text.named.value_or(false);
  require(out.logical <= out.map.domain.rank() && out.physical.rank() <= out.map.outputs,
          "a layout whose parts do not fit");
  require(!out.named || out.physical.rank() == out.map.outputs, "named axes and guards");
  if (text.decode) out.decode = parse_map(*text.decode);
  require(!out.decode ||
              (out.decode->domain.extents == out.physical.extents && out.decode->outputs >= out.map.domain.rank()),
          "a decode map of other slots");
  if (text.filled) out.filled = parse_space(*text.filled);
  require(!out.filled || out.filled->rank() == out.physical.rank(), "filled slots of another rank");
  if (text.identity)
    out.identity = {parse_row(text.identity->first, out.physical.rank()),
                    parse_row(text.identity->second, out.logical)};
  return out;
}

Questions::Questions(const Layout& a, const Layout* b, Evidence& evidence, Cell cell)
    : layouts_{&a, b}, evidence_(&evidence), cell_(std::move(cell)) {
  charge(8 * (a.map.domain.rank() + (b == nullptr ? 0 : b->map.domain.rank())));
  box_ = a.map.domain;
  for (std::size_t i = 0; i < box_.rank(); ++i) inputs_[0].push_back(i);
  for (std::size_t i = 0; i < a.logical; ++i) inputs_[1].push_back(i);
  for (std::size_t i = b == nullptr ? 0 : b->logical; b != nullptr && i < b->map.domain.rank(); ++i) {
    inputs_[1].push_back(box_.rank());
    box_.names.push_back(b->map.domain.names[i]);
    box_.extents.push_back(b->map.domain.extents[i]);
  }
  for (const Layout* layout : layouts_)
    for (std::size_t j = 0; layout != nullptr && layout->named && j < layout->physical.rank(); ++j) {
      charge(axes_.size() + 1);
      if (std::ranges::find(axes_, layout->physical.names[j]) == axes_.end())
        axes_.push_back(layout->physical.names[j]);
    }
}

Forms& Questions::forms() {
  if (forms_) return *forms_;
  std::vector<Group> groups = take(evidence_->digits);
  std::size_t first = 0;
  for (const Group& group : groups) {
    for (const std::size_t boundary : {layouts_[0]->logical, layouts_[0]->map.domain.rank()})
      require(first >= boundary || group.dims <= boundary - first, "digits of an element and a replica together");
    first += group.dims;
  }
  return forms_.emplace(box_, std::move(groups), cell_);
}

const std::vector<Form>& Questions::outputs(std::size_t side) {
  if (!outputs_[side]) outputs_[side] = forms().outputs(layouts_[side]->map, inputs_[side]);
  return *outputs_[side];
}

bool Questions::land(std::size_t side, const Space& box) {
  const std::vector<Form>& values = outputs(side);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Interval span = forms().range(values[j]);
    if (span.low < 0 || span.high > (j < box.rank() ? box.extents[j] - 1 : Wide(0))) return false;
  }
  return true;
}

bool Questions::none_lands() {
  const Space& box = layouts_[0]->physical;
  const std::vector<Form>& values = outputs(0);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Interval span = forms().range(values[j]);
    if (span.high < 0 || span.low > (j < box.rank() ? box.extents[j] - 1 : Wide(0))) return true;
  }
  return false;
}

// A statement about single points: by linear forms, in all or in pieces, by its clauses, or at every point.
void Questions::for_all(Field field, const Space& points, const Obligation& obligation,
                        const std::function<void()>& by_forms, const std::function<void(const Point&)>& at_point,
                        const std::function<void(Questions&)>& of_piece) {
  const Proof proof = take(evidence_->*field);
  if (std::holds_alternative<ByDigits>(proof)) return by_forms();
  if (const auto* clauses = std::get_if<ByClauses>(&proof)) return check_propositional(obligation, *clauses);
  if (const auto* pieces = std::get_if<ByPieces>(&proof)) {
    require(!pieces->steps, "steps that show nothing");
    for (std::size_t i = 0; const Cell& cell : cells(*pieces)) {
      Evidence alone;
      alone.digits = pieces->digits[i++], alone.*field = ByDigits{};
      Questions piece(*layouts_[0], layouts_[1], alone, cell);
      of_piece(piece);
    }
    return;
  }
  require(std::holds_alternative<ByWalking>(proof), "a form that shows no such thing");
  walk(points, layouts_[0]->map, at_point);
}

void Questions::land_by_ranges(const Space& box) const {
  const std::vector<Interval> values = ranges_of(layouts_[0]->map);
  for (std::size_t j = 0; j < values.size(); ++j)
    require(values[j].low >= 0 && values[j].high <= (j < box.rank() ? box.extents[j] - 1 : Wide(0)),
            "a place that may be no slot");
}

void Questions::all_land(const Space& box, Field field) {
  const Layout& layout = *layouts_[0];
  if (evidence_->*field && std::holds_alternative<ByRanges>(*(evidence_->*field))) {
    static_cast<void>(take(evidence_->*field));
    return land_by_ranges(box);
  }
  Evaluator place(layout.map);
  for_all(
      field, layout.map.domain, {Obligation::Escapes, &layout, nullptr, &box},
      [&] { require(land(0, box), "a place that may be no slot"); },
      [&](const Point& p) { require(layout.is_slot(place(p), box), "an element without a slot"); },
      [&](Questions& piece) { piece.all_land(box, field); });
}

void Questions::all_decode() {
  const Layout& layout = *layouts_[0];
  require(layout.decode.has_value(), "no decode map");
  Evaluator place(layout.map), element(*layout.decode);
  Point slot;
  for_all(
      &Evidence::misdecodes, layout.map.domain, {Obligation::Misdecodes, &layout, nullptr, &layout.physical},
      [&] {
        if (decodes_by_number()) return;
        std::vector<Form> back = outputs(0);
        back.resize(layout.physical.rank());
        back = run(layout.decode->stages, std::move(back), forms());
        for (std::size_t i = 0; i < back.size(); ++i)
          require(back[i] == (i < box_.rank() ? forms().of({0, {{i, 1}}}) : Form{}),
                  "a place that does not decode to its element");
      },
      [&](const Point& p) {
        slot = place(p);
        if (!layout.is_slot(slot, layout.physical)) return;
        slot.resize(layout.physical.rank());
        const Point& back = element(slot);
        for (std::size_t i = 0; i < back.size(); ++i)
          require(back[i] == (i < p.size() ? p[i] : Wide(0)), "a place that does not decode to its element");
      },
      [](Questions& piece) {
        if (!piece.none_lands()) piece.all_decode();
      });
}

// A decode map that ends by splitting one number V by weights W, greatest first, and picks digits as coordinates: they
// are those of p if V = Σ W_k·p_k and what is behind digit k stays below W_k for all points of the box; so no
// coordinate has to be a form of its own. Of digits that nobody picks p_k is 0. False for other decode maps.
bool Questions::decodes_by_number() {
  const std::vector<Stage>& stages = layouts_[0]->decode->stages;
  if (stages.size() < 2 || stages.back().kind != Stage::Kind::Affine) return false;
  const Stage& split = stages[stages.size() - 2];
  if (split.kind != Stage::Kind::Split) return false;
  const std::size_t digits = split.weights.size(), begin = split.input, end = begin + digits;
  const auto is_digit = [&](const auto& term) { return begin <= term.first && term.first < end; };
  std::vector<std::optional<std::size_t>> picked(digits);  // the coordinate
  std::vector<std::size_t> others;                         // outputs of other values
  for (std::size_t i = 0; i < stages.back().rows.size(); ++i) {
    const Row& row = stages.back().rows[i];
    if (std::ranges::none_of(row.terms, is_digit)) {
      others.push_back(i);
      continue;
    }
    if (row.terms.size() != 1 || row.terms[0].second != 1 || row.constant != 0 || i >= box_.rank()) return false;
    auto& coordinate = picked[row.terms[0].first - begin];
    if (std::exchange(coordinate, i)) return false;
  }
  Row number{0, {}};
  Wide behind = 0;
  for (std::size_t k = digits; k-- > 0;) {
    if (behind >= split.weights[k]) return false;
    if (!picked[k]) continue;
    number.terms.emplace_back(*picked[k], split.weights[k]);
    behind += split.weights[k] * (box_.extents[*picked[k]] - 1);
  }
  std::vector<Form> slot = outputs(0);
  slot.resize(layouts_[0]->physical.rank());
  std::vector<Form> values = run(std::vector<Stage>(stages.begin(), stages.end() - 2), std::move(slot), forms());
  require(values[split.input] == forms().of(number), "a place that does not decode to its element");
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(begin), digits - 1, Form{});  // nobody reads them
  for (const std::size_t i : others)
    require(forms().sum(stages.back().rows[i], values) == (i < box_.rank() ? forms().of({0, {{i, 1}}}) : Form{}),
            "a place that does not decode to its element");
  return true;
}

void Questions::identity_holds() {
  const Layout& layout = *layouts_[0];
  require(layout.identity.has_value(), "no identity is stated");
  const Row& slot = layout.identity->first;  // no binding: clang 14 captures none
  const Row& element = layout.identity->second;
  Evaluator place(layout.map);
  for_all(
      &Evidence::breaks, layout.map.domain, {Obligation::Breaks, &layout, nullptr, &layout.physical},
      [&] { require(forms().sum(slot, outputs(0)) == forms().of(element), "two sides of an identity that differ"); },
      [&](const Point& p) {
        const Point& at = place(p);
        require(!layout.is_slot(at, layout.physical) || Concrete::sum(slot, at) == Concrete::sum(element, p),
                "two sides of an identity that differ");
      },
      [](Questions& piece) {
        if (!piece.none_lands()) piece.identity_holds();
      });
}

void Questions::none_collide(bool replicas_only) {
  const Proof proof = take(evidence_->collides);
  const Layout& layout = *layouts_[0];
  if (std::holds_alternative<ByDecoding>(proof)) return all_decode();
  if (std::holds_alternative<ByStages>(proof)) return check_told_by_stages(layout.map);
  if (const auto* strided = std::get_if<BySteps>(&proof)) {
    const std::vector<Form>& rows = outputs(0);  // makes the opaque atoms
    std::vector<bool> known(forms().atoms(), false);
    if (replicas_only) std::fill_n(known.begin(), forms().atoms_of(layout.logical), true);
    check_peel(forms(), rows, std::move(known), strided->steps);
  } else if (const auto* linear = std::get_if<ByEquations>(&proof); linear != nullptr && !replicas_only) {
    const Equations made = telling();
    check_one_to_one(made.rows, made.extents, linear->proof);
  } else if (const auto* inverse = std::get_if<ByLeftInverse>(&proof)) {
    Columns columns(layout.map.domain);
    check_left_inverse(run(layout.map.stages, columns.inputs(), columns), columns.bits(), inverse->left);
  } else if (const auto* clauses = std::get_if<ByClauses>(&proof); clauses != nullptr && !replicas_only) {
    check_propositional({Obligation::Collides, &layout, nullptr, &layout.physical}, *clauses);
  } else {
    require(std::holds_alternative<ByWalking>(proof), "a form that shows no such thing");
    std::vector<std::pair<Wide, Wide>> seen;  // element, where only its own replicas count; place
    const Row element = replicas_only ? layout.elements().number() : Row{};
    Evaluator places(layout.map);
    walk(layout.map.domain, layout.map, [&](const Point& p) {
      const Point& place = places(p);
      if (!layout.is_slot(place, layout.physical)) return;
      charge(element.terms.size());
      keep(seen, std::pair(Concrete::sum(element, p), layout.number(place)));
    });
    charge_sorting(seen.size());
    std::ranges::sort(seen);
    require(std::ranges::adjacent_find(seen) == seen.end(), "two elements in one slot");
  }
}

Wide Questions::occupied() {
  const Proof proof = take(evidence_->occupied);
  const Layout& layout = *layouts_[0];
  if (const auto* count = std::get_if<ByCount>(&proof)) {
    require(land(0, layout.physical), "a place that may be no slot");
    std::vector<bool> known = forms().unused(outputs(0));
    check_peel(forms(), outputs(0), known, count->steps);
    known.flip();
    return forms().projections(known);
  }
  if (std::holds_alternative<ByStages>(proof)) {
    land_by_ranges(layout.physical);
    check_told_by_stages(layout.map);
    return layout.map.domain.volume();
  }
  if (std::holds_alternative<ByCover>(proof)) return covered();
  if (const auto* pieces = std::get_if<ByPieces>(&proof)) return occupied_pieces(*pieces);
  require(std::holds_alternative<ByWalking>(proof), "a form that shows no such thing");
  const bool marks = layout.physical.volume() <= kBitmap;
  if (marks) charge(layout.physical.volume() / 64), hold((layout.physical.volume() / 8).narrow());
  std::vector<bool> marked(marks ? static_cast<std::size_t>(layout.physical.volume().narrow()) : 0);
  std::vector<Wide> seen;
  Evaluator places(layout.map);
  walk(layout.map.domain, layout.map, [&](const Point& p) {
    const Point& place = places(p);
    if (!layout.is_slot(place, layout.physical)) return;
    if (marks) marked[static_cast<std::size_t>(layout.number(place).narrow())] = true;
    else keep(seen, layout.number(place));
  });
  if (marks) return static_cast<long long>(std::ranges::count(marked, true));
  charge_sorting(seen.size());
  std::ranges::sort(seen);
  return static_cast<long long>(std::unique(seen.begin(), seen.end()) - seen.begin());
}

Questions::Equations Questions::telling() {
  Equations out;
  for (const Form& value : outputs(0)) out.rows.push_back(value.terms);
  for (std::vector<Wide>& row : out.rows) row.resize(forms().digits(), 0);
  require(forms().atoms() == forms().digits(), "a swizzle is not a linear equation");
  for (std::size_t k = 0; k < forms().digits(); ++k) out.extents.push_back(forms().extent(k));
  return out;
}

void Questions::some_slot(std::size_t side, std::optional<Point> Evidence::*field) {
  const Point p = take(evidence_->*field);
  const Layout& layout = *layouts_[side];
  require(p.size() == layout.map.domain.rank() && layout.map.domain.contains(p) &&
              layout.is_slot(evaluate(layout.map, p), layout.physical),
          "the claim says nothing: no element is shown to have a slot");
}

}  // namespace vl::checker
