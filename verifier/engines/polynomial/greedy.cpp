#include "verifier/engines/polynomial/greedy.h"

#include <algorithm>
#include <numeric>

namespace vl::engines {
namespace {

// coefficient·x, 0 <= x < extent.
struct FreeTerm {
  Polynomial coefficient;
  Polynomial extent;
};

struct KeptLevel {
  std::size_t place = 0;
  Polynomial weight;
};

class GreedyDigits {
 public:
  GreedyDigits(const map::Rule& rule, const Cell& cell) : rule_(rule), cell_(cell) {}

  PartOutcome answer(std::span<const AllSizesPart> parts) {
    read();
    if (no_element_) return without_elements(parts);
    for (const AllSizesPart part : parts) {
      if (stop_) return std::move(*stop_);
      PartOutcome outcome = answer(part);
      if (!std::holds_alternative<Shown>(outcome)) return outcome;
    }
    return stop_ ? std::move(*stop_) : PartOutcome(Shown{});
  }

 private:
  PartOutcome answer(AllSizesPart part) {
    switch (part) {
      case AllSizesPart::InBox: return in_box();
      case AllSizesPart::Apart: return apart();
      case AllSizesPart::Decoded: return both();
      case AllSizesPart::InFilled:
      case AllSizesPart::Identity: return Shown{};
      case AllSizesPart::Counted: return or_open(both());
      case AllSizesPart::Onto: return onto();
    }
    VL_CHECK(false, "a part of no kind");
  }

  // The value of an expression; 1 once there is a reason to stop.
  Polynomial value(const map::Expression& expression) {
    if (stop_) return 1;
    OnCell found = cell_.value(expression);
    if (auto* step = std::get_if<Refinement>(&found)) stop_ = std::move(*step);
    else if (auto* p = std::get_if<Polynomial>(&found); p != nullptr && p->fits()) return std::move(*p);
    else stop_ = LeftOpen{"what " + map::print(expression) + " is, as a polynomial"};
    return 1;
  }
  // Decides p >= 0.
  bool decided(const Polynomial& p) {
    if (stop_) return false;
    if (cell_.may_show(p)) return true;
    if (cell_.may_show(Polynomial(-1) - p)) return false;
    const Polynomial less = without_sizes(p);
    if (!(less - p).is_zero()) return decided(less);
    stop_ = Refinement{p, {}, 0};
    return false;
  }
  // The polynomial without factors that are sizes of at least 1, which do not change its sign: B - E of C*D*(B - E).
  Polynomial without_sizes(Polynomial p) const {
    const auto is_product = [](const Polynomial::Term& term) {
      return std::accumulate(term.powers.begin(), term.powers.end(), 0) > 1;
    };
    if (std::ranges::none_of(p.terms(), is_product)) return p;
    for (const Polynomial& size : cell_.symbols()) {
      if (size.constant() || !cell_.may_show(size - 1)) continue;
      while (auto less = Polynomial::exact_quotient(p, size)) p = std::move(*less);
    }
    return p;
  }

  void read() {
    for (const map::Expression& size : rule_.logical) {
      const Polynomial extent = value(size);
      if (!stop_ && !decided(extent - 1)) no_element_ = no_element_ || !stop_;
      sizes_.push_back(extent);
    }
    if (no_element_) return;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      Polynomial stride = value(rule_.strides[i]);
      if (stop_ || cell_.may_show(Polynomial(1) - sizes_[i])) continue;
      if (stride.is_zero()) {  // all of its elements are one number
        repeats_.push_back(sizes_[i]);
        continue;
      }
      if (cell_.may_show(Polynomial(-1) - stride)) {  // x counted from the end: |stride|·(extent - 1 - x)
        least_ = least_ + stride * (sizes_[i] - 1);
        stride = Polynomial(0) - stride;
      }
      if (!cell_.may_show(stride - 1)) stop_ = LeftOpen{"a host stride may be 0"};
      terms_.push_back({std::move(stride), sizes_[i]});
    }
    for (std::size_t j = 0; j < rule_.levels.size() && !stop_; ++j) {
      extents_.push_back(value(rule_.places[j].extent));
      if (stop_ || !decided(extents_.back() - 2) || rule_.repeats(j)) continue;
      Polynomial weight = value(rule_.levels[j].weight);
      if (stop_) return;
      if (decided(weight - 1)) insert({j, std::move(weight)});
      else if (!stop_ && !decided(Polynomial(-1) - weight) && !stop_)  // 0: the dimension repeats elements
        stop_ = LeftOpen{"a device dimension that may repeat elements"};
    }
  }

  // By descending weight, of equal ones the first one first.
  void insert(KeptLevel level) {
    std::size_t at = kept_.size();
    while (at > 0 && !stop_ && !decided(kept_[at - 1].weight - level.weight)) --at;
    kept_.insert(kept_.begin() + static_cast<std::ptrdiff_t>(at), std::move(level));
  }

  PartOutcome in_box() {
    if (!divided_) divided_ = divide();
    return *divided_;
  }

  PartOutcome divide() {
    for (std::size_t j = 0; j < extents_.size(); ++j) {
      const bool kept = std::ranges::find(kept_, j, &KeptLevel::place) != kept_.end();
      if (kept || cell_.may_show(extents_[j] - 1)) continue;
      if (!cell_.may_show(Polynomial(0) - extents_[j])) return Refinement{extents_[j] - 1, {}, 0};
      return Failed{"a device dimension of size 0"};
    }
    std::vector<FreeTerm> rest = joined();
    std::vector<Polynomial> start;
    for (const map::Expression& part : map::summands_of(rule_.start)) {
      start.push_back(value(part));
      if (stop_) return std::move(*stop_);
      if (!cell_.may_show(start.back())) return LeftOpen{"a part of the start may be below 0"};
    }
    if (!least_.is_zero()) {
      Polynomial sum = least_;
      for (const Polynomial& part : start) sum = sum + part;
      start = {sum};
      if (!decided(sum)) return stop_ ? std::move(*stop_) : PartOutcome(Failed{"a number below 0"});
    }
    for (const KeptLevel& level : kept_)
      if (auto no = divide_by(level, rest, start)) return std::move(*no);
    // What no weight took is a rest, which some element has.
    for (const Polynomial& part : start)
      if (!cell_.may_show(Polynomial(0) - part)) {
        if (!decided(part - 1)) return stop_ ? std::move(*stop_) : PartOutcome(LeftOpen{"a start below 0"});
        return Failed{"a rest that no weight takes"};
      }
    for (const FreeTerm& term : rest)
      if (!cell_.may_show(Polynomial(1) - term.extent)) {
        if (!decided(term.extent - 2)) return stop_ ? std::move(*stop_) : PartOutcome(LeftOpen{"an extent below 1"});
        return Failed{"a rest that no weight takes"};
      }
    return Shown{};
  }

  // Neighbouring dimensions whose elements follow one another, as one: M·N elements of rows of N. Only where a weight
  // and the outer stride divide neither one the other, and no weight divides the outer dimension.
  std::vector<FreeTerm> joined() const {
    std::vector<FreeTerm> out = terms_;
    const auto divides = [](const Polynomial& a, const Polynomial& b) {
      return Polynomial::exact_quotient(b, a).has_value();
    };
    const auto is_one_with = [&](const FreeTerm& outer, const FreeTerm& inner) {
      const auto begins_there = [&](const KeptLevel& level) { return (level.weight - outer.coefficient).is_zero(); };
      if (std::ranges::any_of(kept_, begins_there)) return false;  // as mostly
      bool crosses = false;
      for (const KeptLevel& level : kept_) {
        const auto parts = Polynomial::exact_quotient(level.weight, outer.coefficient);
        if (parts && !divides(outer.extent, *parts)) return false;
        crosses = crosses || (!parts && !divides(level.weight, outer.coefficient));
      }
      return crosses && (outer.coefficient - inner.coefficient * inner.extent).is_zero();
    };
    const auto join_two = [&] {
      for (std::size_t k = 1; k < out.size(); ++k)
        for (const auto& [outer, inner] : {std::pair(k - 1, k), std::pair(k, k - 1)}) {
          if (!is_one_with(out[outer], out[inner])) continue;
          out[inner].extent = out[inner].extent * out[outer].extent;
          out.erase(out.begin() + static_cast<std::ptrdiff_t>(outer));
          return true;
        }
      return false;
    };
    while (join_two()) {
    }
    return out;
  }

  // A term of which a weight is so many steps.
  struct Run {
    std::size_t term = 0;        // of those that are left
    Polynomial steps;            // of which the weight is made
    Polynomial last, taken = 0;  // the greatest number of the term, and its digit
  };
  struct Divided {
    std::vector<FreeTerm> rest;
    std::vector<Run> runs;
    Polynomial greatest;  // the digit's greatest value
  };

  // Takes the digit of one weight out of the terms.
  std::optional<PartOutcome> divide_by(const KeptLevel& level, std::vector<FreeTerm>& terms,
                                       std::vector<Polynomial>& start) {
    auto begun = divide_start(level, start);
    if (auto* no = std::get_if<PartOutcome>(&begun)) return std::move(*no);
    const Polynomial of_start = std::get<Polynomial>(begun);
    Divided divided{{}, {}, of_start};
    if (auto no = divide_terms(level, terms, divided)) return no;
    Polynomial reach = 0;
    for (const Polynomial& part : start) reach = reach + part;
    bool carries = true;  // as far as one knows
    if (!start.empty())
      if (auto no = run_on(of_start, reach, divided, start, carries)) return no;
    for (const FreeTerm& term : divided.rest) reach = reach + term.coefficient * (term.extent - 1);
    if (carries && !decided(level.weight - 1 - reach))
      return stop_ ? std::move(*stop_) : PartOutcome(LeftOpen{"digits that carry"});
    const Polynomial room = extents_[level.place] - 1 - divided.greatest;
    if (!decided(room)) return stop_ ? std::move(*stop_) : PartOutcome(Failed{"a coordinate beyond the box"});
    terms = std::move(divided.rest);
    return std::nullopt;
  }

  std::optional<PartOutcome> divide_terms(const KeptLevel& level, const std::vector<FreeTerm>& terms, Divided& out) {
    for (const FreeTerm& term : terms) {
      if (const auto whole = Polynomial::exact_quotient(term.coefficient, level.weight)) {
        out.greatest = out.greatest + *whole * (term.extent - 1);
        continue;
      }
      const auto steps = Polynomial::exact_quotient(level.weight, term.coefficient);
      if (steps) out.runs.push_back({out.rest.size(), *steps, term.extent - 1});
      if (!steps || !decided(term.extent - *steps - 1)) {
        if (stop_) return std::move(*stop_);
        out.rest.push_back(term);
        continue;
      }
      OnCell digit = cell_.quotient(term.extent - 1, *steps);
      if (auto* step = std::get_if<Refinement>(&digit)) return std::move(*step);
      const auto* most = std::get_if<Polynomial>(&digit);
      if (most == nullptr) return LeftOpen{"how often a weight goes into an extent"};
      out.greatest = out.greatest + *most;
      out.runs.back().taken = *most;
      out.rest.push_back({term.coefficient, *steps});
    }
    return std::nullopt;
  }

  // Steps one after the other that run beyond a multiple of the weight: the last one has the greatest digit, and the
  // one before the multiple the greatest rest. What lies beside them is less than a step.
  std::optional<PartOutcome> run_on(const Polynomial& of_start, const Polynomial& reach, Divided& out,
                                    std::vector<Polynomial>& start, bool& carries) {
    for (const Run& run : out.runs) {
      FreeTerm& term = out.rest[run.term];
      const auto [left, less] = Polynomial::division(reach, term.coefficient);  // of the start, in steps of the run
      Polynomial beside = less;
      for (const FreeTerm& other : out.rest)
        if (&other != &term) beside = beside + other.coefficient * (other.extent - 1);
      if (!left.fits() || !cell_.may_show(less) || !cell_.may_show(term.coefficient - 1 - beside)) continue;
      carries = false;
      if (decided(run.steps - left - term.extent)) break;
      if (stop_) return std::move(*stop_);
      OnCell digit = cell_.quotient(of_start * run.steps + left + run.last, run.steps);
      if (auto* step = std::get_if<Refinement>(&digit)) return std::move(*step);
      const auto* most = std::get_if<Polynomial>(&digit);
      if (most == nullptr) return LeftOpen{"how often a weight goes into a start and an extent"};
      out.greatest = out.greatest - of_start - run.taken + *most;
      term.extent = run.steps;
      start.clear();
      if (!less.is_zero()) start.push_back(less);
      break;
    }
    return std::nullopt;
  }

  // The digit of the start alone; what is left of it is below the weight.
  std::variant<Polynomial, PartOutcome> divide_start(const KeptLevel& level, std::vector<Polynomial>& start) {
    std::vector<Polynomial> left;
    Polynomial digit = 0, sum = 0;
    for (const Polynomial& part : start)
      if (const auto whole = Polynomial::exact_quotient(part, level.weight)) digit = digit + *whole;
      else left.push_back(part), sum = sum + part;
    start = std::move(left);
    if (start.empty() || cell_.may_show(level.weight - 1 - sum)) return digit;
    OnCell times = cell_.quotient(sum, level.weight);
    if (auto* step = std::get_if<Refinement>(&times)) return PartOutcome(std::move(*step));
    const auto* whole = std::get_if<Polynomial>(&times);
    if (whole == nullptr) return PartOutcome(LeftOpen{"how often a weight goes into the start"});
    start = {sum - *whole * level.weight};
    return digit + *whole;
  }

  PartOutcome apart() {
    Shape shape;
    ShapePlace row;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      shape.digits.push_back(terms_[k].extent);
      row.terms.push_back({k, terms_[k].coefficient, false});
    }
    shape.places.push_back(std::move(row));
    PartOutcome out = peeled(shape, cell_);
    for (const Polynomial& extent : repeats_) {
      if (decided(extent - 2)) out = Failed{"a host dimension of stride 0"};
      else if (stop_) return std::move(*stop_);
    }
    if (!std::holds_alternative<Failed>(out)) return out;
    PartOutcome inside = or_open(in_box());
    return std::holds_alternative<Shown>(inside) ? out : inside;
  }

  PartOutcome both() {
    PartOutcome inside = in_box();
    return std::holds_alternative<Shown>(inside) ? apart() : inside;
  }

  PartOutcome onto() {
    Polynomial slots = 1, points = 1;
    for (const Polynomial& extent : extents_) slots = slots * extent;
    for (const Polynomial& size : sizes_) points = points * size;
    for (const map::Expression& copies : rule_.replicas) points = points * value(copies);
    if (stop_) return std::move(*stop_);
    if (cell_.may_show(slots - points - 1)) return Failed{"fewer elements than slots"};
    PartOutcome counted = or_open(both());
    if (!std::holds_alternative<Shown>(counted)) return counted;
    if (cell_.may_show(points - slots)) return Shown{};
    return Refinement{slots - points - 1, {}, 0};
  }

  const map::Rule& rule_;
  const Cell& cell_;
  std::optional<PartOutcome> stop_;
  bool no_element_ = false;
  std::vector<Polynomial> sizes_;
  std::vector<FreeTerm> terms_;      // of the host's number, without sizes of 1
  std::vector<Polynomial> repeats_;  // extents of dimensions that are not in it
  Polynomial least_ = 0;             // Σ stride·(extent - 1) of strides below 0
  std::vector<Polynomial> extents_;
  std::vector<KeptLevel> kept_;
  std::optional<PartOutcome> divided_;
};

}  // namespace

PartOutcome shown_greedily(std::span<const AllSizesPart> parts, const map::Rule& rule, const Cell& cell) {
  return GreedyDigits(rule, cell).answer(parts);
}

}  // namespace vl::engines
