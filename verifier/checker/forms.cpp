#include "verifier/checker/forms.h"

#include <algorithm>

namespace vl::checker {
namespace {

void add(Form& form, const Form& other, Wide factor) {
  form.constant += factor * other.constant;
  if (form.terms.size() < other.terms.size()) form.terms.resize(other.terms.size(), 0);
  for (std::size_t k = 0; k < other.terms.size(); ++k) form.terms[k] += factor * other.terms[k];
}

}  // namespace

bool Form::operator==(const Form& other) const {
  for (std::size_t k = 0; k < std::max(terms.size(), other.terms.size()); ++k)
    if (at(k) != other.at(k)) return false;
  return constant == other.constant;
}

Forms::Forms(const Space& box, std::vector<Group> groups, const Cell& cell) : box_(box), groups_(std::move(groups)) {
  for (const Group& group : groups_) charge_form(8 * (group.weights.size() + 1));
  require(cell.empty() || cell.size() == groups_.size(), "a cell of other groups");
  std::size_t next = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.first = next;
    require(group.dims <= box.rank() - next && group.dims > 0, "digits that do not cover the dimensions in order");
    next += group.dims;
    Wide total = 1;
    for (std::size_t i = group.first; i < next; ++i) total = total * box.extents[i];
    require(total > 0 && !group.weights.empty() && group.weights.back() == 1, "digits of nothing");
    totals_.push_back(total);
    const Interval numbers = cell.empty() ? Interval{0, total - 1} : cell[g];
    require(0 <= numbers.low && numbers.low <= numbers.high && numbers.high < total, "a cell outside of the box");
    cut(group, numbers);
  }
  require(next == box.rank(), "digits that do not cover the dimensions");
  digits_ = extents_.size();
}

// The digits of the smallest and of the largest number are the same up to the first one that varies.
void Forms::cut(const Group& group, Interval numbers) {
  const Wide shift = group.shift.value_or(0);
  require(shift >= 0, "a negative shift");
  begin_.push_back(extents_.size());
  Span span{0, {numbers.low + shift, numbers.high + shift}, 0};
  bool same = true;
  for (std::size_t k = 0; k < group.weights.size(); ++k) {
    const Wide weight = group.weights[k];
    require(weight > 0 && (k == 0 || group.weights[k - 1] > weight), "weights that do not descend");
    const Wide least = same ? span.left.low / weight : Wide(0);
    const Wide most = same ? span.left.high / weight : (group.weights[k - 1] - 1) / weight;
    least_.push_back(least), extents_.push_back(most - least + 1);
    same = same && least == most;
    if (!same) continue;
    span.left = {span.left.low - least * weight, span.left.high - least * weight};
    span.taken += least * weight;
    ++span.free;
  }
  spans_.push_back(span);
}

// With Q_i = floor(n / W_i), W_i the row-major weight of dimension i within its group, x_i = Q_i - extent_i·Q_{i-1}; so
// Σ c_i·x_i = Σ Q_i·(c_i - extent_{i+1}·c_{i+1}). Where W_i is a weight that divides those before and the shift,
// Q_i = Σ of the digits with w_k >= W_i, each w_k / W_i times, - shift / W_i.
Form Forms::of(const Row& row) const {
  charge_form(digits_ + box_.rank());
  std::vector<Wide> coefficients(box_.rank() + 1, 0);
  for (const auto& [input, coefficient] : row.terms) coefficients[input] += coefficient;
  Form out{row.constant, std::vector<Wide>(digits_, 0)};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Wide weight = 1;
    Wide inner = 0;  // extent·coefficient of the dimension before
    for (std::size_t i = groups_[g].first + groups_[g].dims; i-- > groups_[g].first;
         weight = weight * box_.extents[i]) {
      const Wide factor = coefficients[i] - inner, shift = groups_[g].shift.value_or(0);
      inner = coefficients[i] * box_.extents[i];
      if (factor == 0) continue;
      const auto& weights = groups_[g].weights;
      charge(4 * weights.size());
      if (std::ranges::find(weights, weight) == weights.end()) throw Stuck(g, weight);
      require(shift % weight == 0, "a quotient of a number that is shifted");
      out.constant += factor * (Wide(0) - shift / weight);
      for (std::size_t k = 0; k < weights.size() && weights[k] >= weight; ++k) {
        require(weights[k] % weight == 0, "a quotient that its digits do not make");
        const Wide times = factor * (weights[k] / weight);
        out.constant += times * least_[begin_[g] + k];
        if (extents_[begin_[g] + k] > 1) out.terms[begin_[g] + k] += times;  // else it is 0
      }
    }
  }
  return out;
}

std::vector<Form> Forms::outputs(const Map& map, const std::vector<std::size_t>& inputs) {
  const bool starts = !map.stages.empty() && map.stages[0].kind == Stage::Kind::Affine;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < inputs.size() && !starts; ++i) rows.push_back({0, {{i, 1}}});
  if (starts) rows = map.stages[0].rows;
  std::vector<Form> values;
  for (Row& row : rows) {
    for (auto& [input, coefficient] : row.terms) input = inputs[input];
    values.push_back(of(row));
  }
  return run(std::vector<Stage>(map.stages.begin() + (starts ? 1 : 0), map.stages.end()), std::move(values), *this);
}

Form Forms::sum(const Row& row, const std::vector<Form>& values) const {
  Form out{row.constant, {}};
  for (const auto& [input, coefficient] : row.terms) {
    charge(values[input].terms.size());
    add(out, values[input], coefficient);
  }
  charge_form(out.terms.size());
  return out;
}

std::pair<Form, Form> Forms::divide(const Form& form, Wide weight) const {
  charge_form(2 * form.terms.size());
  Form quotient{0, std::vector<Wide>(form.terms.size(), 0)};
  Form rest{form.constant, form.terms};
  for (std::size_t k = 0; k < form.terms.size(); ++k) {
    if (form.terms[k] % weight != 0) continue;
    quotient.terms[k] = form.terms[k] / weight;
    rest.terms[k] = 0;
  }
  const Interval span = range(rest);
  for (std::size_t g = groups_.size(); g-- > 0 && span.low / weight != span.high / weight;)  // which digit to cut
    for (std::size_t k = 0; k < groups_[g].weights.size(); ++k) {
      charge(8 + groups_[g].weights.size());
      const Wide cut = groups_[g].weights[k] * (weight / gcd(weight, rest.at(begin_[g] + k)));
      if (rest.at(begin_[g] + k) != 0 && cut < totals_[g] + groups_[g].shift.value_or(0) &&
          std::ranges::find(groups_[g].weights, cut) == groups_[g].weights.end())
        throw Stuck(g, cut);
    }
  if (span.low / weight != span.high / weight) throw Crossing(rest, weight);
  const Wide whole = span.low / weight;
  quotient.constant = whole;
  rest.constant = rest.constant - whole * weight;
  return {std::move(quotient), std::move(rest)};
}

// A swizzle keeps every block [j·2^top, (j+1)·2^top) in place, top the end of the field that it changes; so only the
// blocks of the smallest and of the largest value are looked at more closely, and only when they are small.
Form Forms::swizzle(const Form& form, const Stage& stage) {
  const Interval span = range(form);
  require(span.low >= 0, "a swizzle of what may be negative");
  if (stage.bits == 0) return form;
  const Wide unit = Wide(1LL << stage.base);  // of which the swizzle moves whole ones
  if (span.low / unit == span.high / unit) return sum({stage.swizzled(span.low) - span.low, {{0, 1}}}, {form});
  for (std::size_t atom = digits_; atom < atoms(); ++atom) {
    charge(4 * atoms());
    Form alone{0, std::vector<Wide>(atom + 1, 0)};
    alone.terms[atom] = 1;
    const auto& [inner, by] = opaque_[atom - digits_];
    if (form == Form{lows_[atom - digits_], alone.terms} && by.same_swizzle(stage) && stage.shift >= stage.bits)
      return inner;  // an involution
    if (inner == form && by.same_swizzle(stage)) return {lows_[atom - digits_], alone.terms};
  }
  const Wide block = Wide(1LL << (stage.base + stage.bits + (stage.up ? stage.shift : 0)));
  Interval image{span.low - span.low % block, span.high - span.high % block + (block - 1)};
  if (block <= 4096) {
    charge(2 * block);
    const auto worst = [&](Wide from, Wide to, bool largest) {
      Wide best = stage.swizzled(from);
      for (Wide x = from; x <= to; x += 1)
        best = largest ? std::max(best, stage.swizzled(x)) : std::min(best, stage.swizzled(x));
      return best;
    };
    image = {worst(span.low, std::min(span.high, image.low + (block - 1)), false),
             worst(std::max(span.low, image.high - (block - 1)), span.high, true)};
  }
  require(opaque_.size() < 64, "too many swizzles");
  charge_form(form.terms.size() + atoms());
  opaque_.emplace_back(form, stage);
  extents_.push_back(image.high - image.low + 1);
  lows_.push_back(image.low);
  Form out{image.low, std::vector<Wide>(atoms(), 0)};
  out.terms.back() = 1;
  return out;
}

// Digits j, …, k with coefficients in the proportion of their weights make a multiple of S = Σ w·digit, which is what
// is left before digit j without what is left after digit k: so it ends below w_{j-1}, or where the numbers of the
// group end, and all w are multiples of their greatest common divisor.
void Forms::reach(const Form& form, std::size_t group, Interval& out) const {
  const auto& weights = groups_[group].weights;
  const auto [free, left, taken] = spans_[group];
  const std::size_t first = begin_[group];
  for (std::size_t j = free, k = free; j < weights.size(); j = ++k) {
    Wide common = weights[j];
    while (k + 1 < weights.size() && form.at(first + k) * weights[k + 1] == form.at(first + k + 1) * weights[k])
      common = gcd(common, weights[++k]);
    if (form.at(first + k) == 0) continue;
    const Wide unit = form.at(first + k) * common / weights[k], least = weights[j] * least_[first + j];
    const Wide low = j > free ? Wide(0) : std::max((left.low - weights[k] + common) / common, least / common);
    const Wide high = (j > free ? weights[j - 1] - 1 : left.high) / common;
    const Wide a = unit * (low - least / common), b = unit * (high - least / common);
    out.low += std::min(a, b), out.high += std::max(a, b);
  }
}

Interval Forms::range(const Form& form) const {
  charge(8 * groups_.size() + 4 * form.terms.size());
  Interval out{form.constant, form.constant};
  for (std::size_t g = 0; g < groups_.size(); ++g) reach(form, g, out);
  for (std::size_t atom = digits_; atom < form.terms.size(); ++atom)
    (form.terms[atom] < 0 ? out.low : out.high) += form.terms[atom] * (extents_[atom] - 1);
  return out;
}

std::vector<bool> peel(const Forms& forms, std::vector<Form> rows, std::vector<bool> known,
                       const std::vector<Step>& steps) {
  known.resize(forms.digits());  // nothing is known of opaque atoms
  known.resize(forms.atoms(), false);
  Held held;
  for (std::size_t atom = 0; atom < forms.atoms(); ++atom)
    if (forms.extent(atom) == 1) known[atom] = true;
  for (const auto& [row, atom, reason] : steps) {
    charge(8 * forms.atoms() + 1);  // a divisor in common of all of them
    require(row < rows.size() && atom < forms.atoms(), "a step about nothing");
    if (reason == "swizzle") {
      require(forms.inside(atom) != nullptr && known[atom], "a swizzled value that is not known");
      held.take(sizeof(Form) + forms.inside(atom)->terms.size() * sizeof(Wide));
      rows.push_back(*forms.inside(atom));
      continue;
    }
    Form others = rows[row];
    others.constant = 0;
    others.terms.resize(forms.atoms(), 0);
    for (std::size_t k = 0; k < others.terms.size(); ++k)
      if (known[k] || k == atom) others.terms[k] = 0;
    const Wide coefficient = rows[row].at(atom);
    if (reason == "large") {
      const Interval span = forms.range(others);
      require(coefficient.abs() > span.high - span.low, "a coefficient that others reach");
    } else {
      require(reason == "gcd", "a reason that is none");
      Wide common = 0;
      for (const Wide& term : others.terms) common = gcd(common, term);
      require(coefficient != 0 && common > 0 && common / gcd(common, coefficient) >= forms.extent(atom),
              "a coefficient that others cancel");
    }
    known[atom] = true;
  }
  return known;
}

void check_peel(const Forms& forms, std::vector<Form> rows, std::vector<bool> known, const std::vector<Step>& steps) {
  known = peel(forms, std::move(rows), std::move(known), steps);
  for (std::size_t atom = 0; atom < forms.digits(); ++atom) require(known[atom], "two points may have the same place");
}

}  // namespace vl::checker
