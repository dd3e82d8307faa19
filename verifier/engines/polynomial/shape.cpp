#include "verifier/engines/polynomial/shape.h"

#include <algorithm>
#include <set>

namespace vl::engines {
namespace {

// Evaluates a rule's expressions on a cell, and keeps the first reason to stop.
class ShapeReader {
 public:
  ShapeReader(const map::Rule& rule, const Cell& cell) : rule_(rule), cell_(cell) {}

  ShapeOnCell read() {
    std::vector<Polynomial> logical = values(rule_.logical);
    for (const Polynomial& extent : logical) at_least_one(extent);
    if (no_point_) return Shape{{}, {}, 0, true};
    if (!stopped() && rule_.numbers.empty()) read_digits(logical);
    if (!stopped() && !rule_.numbers.empty()) read_numbers(logical);
    for (const map::Expression& replica : rule_.replicas) {
      shape_.digits.push_back(value(replica));
      if (!stopped() && !cell_.may_show(shape_.digits.back() - 1)) why_ = "a replica's extent may be below 1";
    }
    for (const map::RulePlace& place : rule_.places) read_place(place);
    for (const Polynomial& digit : shape_.exact ? shape_.digits : logical) shape_.points = shape_.points * digit;
    if (need_) return std::move(*need_);
    if (!why_.empty()) return std::move(why_);
    return std::move(shape_);
  }

 private:
  [[nodiscard]] bool stopped() const { return need_ || !why_.empty(); }

  Polynomial value(const map::Expression& expression) {
    if (stopped()) return 1;
    OnCell found = cell_.value(expression);
    if (const auto* polynomial = std::get_if<Polynomial>(&found)) {
      if (polynomial->fits()) return *polynomial;
      why_ = "a polynomial is too large";
    } else if (auto* step = std::get_if<Refinement>(&found)) {
      need_ = std::move(*step);
    } else {
      why_ = "what " + map::print(expression) + " is, as a polynomial";
    }
    return 1;
  }
  std::vector<Polynomial> values(const std::vector<map::Expression>& expressions) {
    std::vector<Polynomial> out;
    out.reserve(expressions.size());
    for (const map::Expression& expression : expressions) out.push_back(value(expression));
    return out;
  }

  // A tensor without elements is a case of its own.
  void at_least_one(const Polynomial& extent) {
    if (stopped() || cell_.may_show(extent - 1)) return;
    if (cell_.may_show(Polynomial(0) - extent)) no_point_ = true;
    else need_ = Refinement{extent - 1, {}, 0};
  }

  // The levels' digits are independent and take every value of their box if the number that is split is the row-major
  // number of the element, or the one that counts the first dimension fastest, and the levels are a mixed radix of as
  // many numbers.
  void read_digits(const std::vector<Polynomial>& logical) {
    const std::vector<Polynomial> strides = values(rule_.strides);
    std::vector<std::size_t> dims;  // from the fastest one; one of extent 1 has no digit
    for (std::size_t i = logical.size(); i-- > 0;)
      if (logical[i].constant() != 1) dims.push_back(i);
    if (!dims.empty() && strides[dims.front()].constant() != 1) std::ranges::reverse(dims);
    Polynomial number = 1;
    for (const std::size_t i : dims) {
      if (!stopped() && !same(strides[i], number) && !stopped()) why_ = "the host is not dense";
      number = number * logical[i];
    }
    std::vector<Polynomial> extents;
    for (const map::RuleLevel& level : rule_.levels) extents.push_back(value(level.extent));
    Polynomial weight = 1;
    for (std::size_t k = extents.size(); k-- > 0 && !stopped(); weight = weight * extents[k]) {
      if (!cell_.may_show(extents[k] - 1)) why_ = "an extent may be below 1";
      if (!same(value(rule_.levels[k].weight), weight) && !stopped()) why_ = "the levels are no mixed radix";
    }
    if (!stopped() && !same(weight, number)) why_ = "the levels have another size than the tensor";
    shape_.digits = std::move(extents);
  }

  // Each number is below weight·extent of its first level, each weight at most weight·extent of the next one, and the
  // last one is 1: so every digit is below its extent, and the digits tell the numbers. A digit that a number joins is
  // told by it; nothing else reads that digit, which therefore counts as one of extent 1.
  void read_numbers(const std::vector<Polynomial>& logical) {
    shape_.exact = false;
    std::size_t k = 0, dims = 0;
    for (const map::RuleNumber& number : rule_.numbers) {
      Shape own;
      Polynomial reach = 0;
      ShapePlace row;
      for (const std::size_t dim : number.dims) {
        const Polynomial stride = value(rule_.strides[dim]);
        needs(stride - 1, "a stride may be below 1");
        row.terms.push_back({own.digits.size(), stride, false});
        own.digits.push_back(logical[dim]);
        reach = reach + stride * (logical[dim] - 1);
      }
      for (const map::RuleTerm& term : number.of) {
        const Polynomial size = value(term.coefficient);
        if (!stopped() && (term.input >= shape_.digits.size() || joined_.contains(term.input)))
          why_ = "a digit that is none, or in two numbers";
        needs(size - 1, "a digit's step may be below 1");
        if (stopped()) return;
        row.terms.push_back({own.digits.size(), size, false});
        own.digits.push_back(shape_.digits[term.input]);
        reach = reach + size * (own.digits.back() - 1);
        joined_.insert(term.input);
      }
      own.exact = number.of.empty();
      Polynomial top = 1;  // where each stride is at least stride·extent of the next one, the number is below it
      bool nests = true;
      for (std::size_t i = own.digits.size(); i-- > 0; top = row.terms[i].size * own.digits[i])
        nests = nests && cell_.may_show(row.terms[i].size - top);
      own.places.push_back(std::move(row));
      if (!nests) shape_.numbers.push_back(std::move(own));
      dims += number.dims.size();
      Polynomial before = 0;
      for (std::size_t level = 0; level < number.levels && !stopped(); ++level, ++k) {
        const Polynomial weight = value(rule_.levels[k].weight), extent = value(rule_.levels[k].extent);
        needs(weight - 1, "a weight may be below 1");
        needs(extent - 1, "an extent may be below 1");
        const Polynomial end = weight * extent;
        if (level > 0) needs(end - before, "a digit beyond its extent");
        else if (!nests || !cell_.may_show(end - top)) needs_room(k, end - 1 - reach, number.of.empty());
        before = weight;
        shape_.digits.push_back(extent);
      }
      if (!stopped() && (number.levels == 0 || before.constant() != 1)) why_ = "a rest that no weight takes";
    }
    if (!stopped() && dims != logical.size()) why_ = "a dimension that no number reads";
    for (const std::size_t digit : joined_) shape_.digits[digit] = 1;
  }
  // The greatest value of a number is below its end. If it is not, its first digit is beyond the level's extent, and so
  // is a place that is that digit.
  void needs_room(std::size_t level, const Polynomial& room, bool attained) {
    const auto is_digit = [&](const map::RulePlace& place) {
      return place.constant.number() == 0 && place.extent == rule_.levels[level].extent && place.terms.size() == 1 &&
             place.terms[0].input == level && place.terms[0].coefficient.number() == 1;
    };
    const bool never = room.fits() && !cell_.may_show(room) && cell_.may_show(Polynomial(-1) - room);
    if (!stopped() && never && std::ranges::any_of(rule_.places, is_digit)) {
      shape_.attained = shape_.attained && attained;
      shape_.escapes = true;
    } else {
      needs(room, "a number beyond its levels");
    }
  }
  // p >= 0 on the cell; else a step, or why it stops.
  void needs(const Polynomial& p, std::string_view why) {
    if (stopped() || cell_.may_show(p)) return;
    if (!p.fits()) why_ = "a polynomial is too large";
    else if (cell_.may_show(Polynomial(-1) - p)) why_ = why;
    else need_ = Refinement{p, {}, 0};
  }

  void read_place(const map::RulePlace& place) {
    ShapePlace out;
    out.constant = value(place.constant);
    out.extent = value(place.extent);
    if (rule_.fills_axes()) out.filled = value(place.filled);
    for (const map::RuleTerm& term : place.terms) {
      const Polynomial coefficient = value(term.coefficient);
      if (stopped()) return;
      const Polynomial opposite = Polynomial(0) - coefficient;
      const bool above = cell_.may_show(coefficient), below = cell_.may_show(opposite);
      if (above && below) continue;  // 0
      if (joined_.contains(term.input)) why_ = "a place that reads a digit which a number joins";
      if (cell_.may_show(coefficient - 1)) out.terms.push_back({term.input, coefficient, false});
      else if (cell_.may_show(opposite - 1)) out.terms.push_back({term.input, opposite, true});
      else need_ = Refinement{above ? coefficient - 1 : below ? opposite - 1 : coefficient, {}, 0};
    }
    shape_.places.push_back(std::move(out));
  }

  const map::Rule& rule_;
  const Cell& cell_;
  Shape shape_;
  std::optional<Refinement> need_;
  std::string why_;
  bool no_point_ = false;
  std::set<std::size_t> joined_;  // digits that a number joins
};

}  // namespace

ShapeOnCell shape_of(const map::Rule& rule, const Cell& cell) { return ShapeReader(rule, cell).read(); }

}  // namespace vl::engines
