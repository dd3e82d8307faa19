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

Forms::Forms(const Space& box, std::vector<Group> groups) : box_(box), groups_(std::move(groups)) {
  std::size_t next = 0;
  for (Group& group : groups_) {
    group.first = next;
    require(group.dims <= box.rank() - next && group.dims > 0, "digits that do not cover the dimensions in order");
    next += group.dims;
    Wide total = 1;
    for (std::size_t i = group.first; i < next; ++i) total = total * box.extents[i];
    require(total > 0 && !group.weights.empty() && group.weights.back() == 1, "digits of nothing");
    begin_.push_back(extents_.size());
    for (std::size_t k = 0; k < group.weights.size(); ++k) {
      if (k > 0)
        require(group.weights[k - 1] > group.weights[k] && group.weights[k - 1] % group.weights[k] == 0,
                "weights that are not a chain");
      extents_.push_back(k > 0 ? group.weights[k - 1] / group.weights[k] : (total - 1) / group.weights[0] + 1);
    }
    totals_.push_back(total);
  }
  require(next == box.rank(), "digits that do not cover the dimensions");
  digits_ = extents_.size();
}

// With Q_i = floor(n / W_i), W_i the row-major weight of dimension i within its group, x_i = Q_i - extent_i·Q_{i-1}; so
// Σ c_i·x_i = Σ Q_i·(c_i - extent_{i+1}·c_{i+1}), and Q_i = Σ of the digits with w_k >= W_i, each w_k / W_i times.
Form Forms::of(const Row& row) const {
  std::vector<Wide> coefficients(box_.rank() + 1, 0);
  for (const auto& [input, coefficient] : row.terms) coefficients[input] += coefficient;
  Form out{row.constant, std::vector<Wide>(digits_, 0)};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Wide weight = 1;
    Wide inner = 0;  // extent·coefficient of the dimension before
    for (std::size_t i = groups_[g].first + groups_[g].dims; i-- > groups_[g].first;
         weight = weight * box_.extents[i]) {
      const Wide factor = coefficients[i] - inner;
      inner = coefficients[i] * box_.extents[i];
      if (factor == 0) continue;
      const auto& weights = groups_[g].weights;
      if (std::ranges::find(weights, weight) == weights.end()) throw Stuck(g, weight);
      for (std::size_t k = 0; k < weights.size() && weights[k] >= weight; ++k)
        if (extents_[begin_[g] + k] > 1) out.terms[begin_[g] + k] += factor * (weights[k] / weight);  // else it is 0
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

std::size_t Forms::atoms_of(std::size_t dims) const {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (groups_[g].first >= dims) return begin_[g];
  return digits_;
}

Form Forms::sum(const Row& row, const std::vector<Form>& values) const {
  Form out{row.constant, {}};
  for (const auto& [input, coefficient] : row.terms) add(out, values[input], coefficient);
  return out;
}

std::pair<Form, Form> Forms::divide(const Form& form, Wide weight) const {
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
      const Wide cut = groups_[g].weights[k] * (weight / gcd(weight, rest.at(begin_[g] + k)));
      if (rest.at(begin_[g] + k) != 0 && cut < totals_[g] &&
          std::ranges::find(groups_[g].weights, cut) == groups_[g].weights.end())
        throw Stuck(g, cut);
    }
  require(span.low / weight == span.high / weight, "a quotient is not a form");
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
  if (span.low == span.high) return {stage.swizzled(span.low), {}};
  for (std::size_t atom = digits_; atom < atoms(); ++atom) {
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
  opaque_.emplace_back(form, stage);
  extents_.push_back(image.high - image.low + 1);
  lows_.push_back(image.low);
  Form out{image.low, std::vector<Wide>(atoms(), 0)};
  out.terms.back() = 1;
  return out;
}

// From a group's first digit on, coefficients in the proportion of the weights are those of a quotient of n, which is
// known to end at N - 1; every other digit reaches its own end.
Interval Forms::range(const Form& form) const {
  Interval out{form.constant, form.constant};
  const auto reach = [&](Wide coefficient, Wide last) { (coefficient < 0 ? out.low : out.high) += coefficient * last; };
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& weights = groups_[g].weights;
    std::size_t k = 0;
    while (k + 1 < weights.size() && form.at(begin_[g] + k) * weights[k + 1] == form.at(begin_[g] + k + 1) * weights[k])
      ++k;
    reach(form.at(begin_[g] + k), (totals_[g] - 1) / weights[k]);
    while (++k < weights.size()) reach(form.at(begin_[g] + k), extents_[begin_[g] + k] - 1);
  }
  for (std::size_t atom = digits_; atom < form.terms.size(); ++atom) reach(form.terms[atom], extents_[atom] - 1);
  return out;
}

std::vector<bool> Forms::unused(const std::vector<Form>& forms) const {
  std::vector<bool> out(atoms(), true);
  const auto use = [&](const Form& form) {
    for (std::size_t k = 0; k < form.terms.size(); ++k) out[k] = out[k] && form.terms[k] == 0;
  };
  for (const Form& form : forms) use(form);
  for (std::size_t k = atoms(); k-- > digits_;)  // an opaque atom's form is older than the atom
    if (!out[k]) use(*inside(k));
  return out;
}

Wide Forms::projections(const std::vector<bool>& kept) const {
  Wide out = 1;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& weights = groups_[g].weights;
    std::size_t prefix = 0;  // digits from the first on that are kept: a quotient of n
    while (prefix < weights.size() && kept[begin_[g] + prefix]) ++prefix;
    const bool more =
        std::any_of(kept.begin() + static_cast<std::ptrdiff_t>(begin_[g] + prefix),
                    kept.begin() + static_cast<std::ptrdiff_t>(begin_[g] + weights.size()), [](bool b) { return b; });
    if (!more) {
      out = out * (prefix == 0 ? Wide(1) : (totals_[g] - 1) / weights[prefix - 1] + 1);
      continue;
    }
    require(totals_[g] % weights[0] == 0, "digits of a ragged dimension are not counted one by one");
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (kept[begin_[g] + k]) out = out * extents_[begin_[g] + k];
  }
  return out;
}

void check_peel(const Forms& forms, std::vector<Form> rows, std::vector<bool> known, const std::vector<Step>& steps) {
  known.resize(forms.digits());  // nothing is known of opaque atoms
  known.resize(forms.atoms(), false);
  for (std::size_t atom = 0; atom < forms.atoms(); ++atom)
    if (forms.extent(atom) == 1) known[atom] = true;
  for (const auto& [row, atom, reason] : steps) {
    require(row < rows.size() && atom < forms.atoms(), "a step about nothing");
    if (reason == "swizzle") {
      require(forms.inside(atom) != nullptr && known[atom], "a swizzled value that is not known");
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
  for (std::size_t atom = 0; atom < forms.digits(); ++atom) require(known[atom], "two points may have the same place");
}

}  // namespace vl::checker
