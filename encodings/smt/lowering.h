// Lowering: an obligation's terms and formulas in one Z3 context; solver.h describes the method. Only solver.cpp
// includes this file, so that one translation unit sees Z3.
#pragma once

#include <fmt/format.h>
#include <z3++.h>

#include "encodings/smt/solver.h"
#include "encodings/smt/width.h"

namespace vl::smt {

// An obligation in one Z3 context. Everything here may throw z3::exception.
class Lowering {
 public:
  Lowering(z3::context& context, const Obligation& obligation, Theory theory, Form form)
      : context_(context), form_(form) {
    bit_vectors_ = theory == Theory::BitVectors || (theory == Theory::Automatic && has_swizzle(obligation));
    if (bit_vectors_) width_ = width_or_throw(obligation);
    for (TermId term = 0; term < obligation.terms(); ++term) terms_.push_back(context.int_val(0));
    for (const TermId variable : obligation.variables()) terms_[variable] = fresh("v", obligation.range(variable));
    for (const auto& application : obligation.applications()) lower(application);
    for (const Formula& formula : obligation.required()) assertions_.push_back(lower(formula));
  }

  [[nodiscard]] const char* logic() const { return bit_vectors_ ? "QF_BV" : "QF_LIA"; }
  [[nodiscard]] const std::vector<z3::expr>& assertions() const { return assertions_; }
  [[nodiscard]] const z3::expr& term(TermId id) const { return terms_[id]; }

  [[nodiscard]] z3::expr number(Index value) {
    return bit_vectors_ ? context_.bv_val(static_cast<int64_t>(value), width_)
                        : context_.int_val(static_cast<int64_t>(value));
  }

  [[nodiscard]] Index value(const z3::model& model, TermId id) {
    const z3::expr found = model.eval(terms_[id], true);
    if (!bit_vectors_) return found.get_numeral_int64();
    return z3::bv2int(found, true).simplify().get_numeral_int64();
  }

 private:
  // A biased dividend can be twice as large as the numbers for which the width was measured.
  [[nodiscard]] unsigned width_or_throw(const Obligation& obligation) const {
    const auto width = width_of(obligation);
    if (!width) throw z3::exception("an intermediate result needs more than 128 bits");
    return *width + (form_ == Form::Functions ? 1 : 0);
  }

  z3::expr fresh(const char* prefix, const map::Range& range) {
    const std::string name = fmt::format("{}{}", prefix, next_name_++);
    z3::expr term = bit_vectors_ ? context_.bv_const(name.c_str(), width_) : context_.int_const(name.c_str());
    assertions_.push_back(at_most(number(range.low), term));
    assertions_.push_back(at_most(term, number(range.high)));
    return term;
  }

  static z3::expr at_most(const z3::expr& a, const z3::expr& b) { return a.is_bv() ? z3::sle(a, b) : a <= b; }

  z3::expr scaled(Index coefficient, const z3::expr& term) {
    return coefficient == 1 ? term : number(coefficient) * term;
  }

  void lower(const Obligation::Application& application) {
    std::vector<z3::expr> values;
    for (const TermId argument : application.arguments) values.push_back(terms_[argument]);
    const map::Map& map = application.map;
    for (std::size_t i = 0; i < map.stages().size(); ++i)
      values = std::visit([&](const auto& stage) { return lower(stage, values, map.ranges(i), map.ranges(i + 1)); },
                          map.stages()[i]);
    for (std::size_t i = 0; i < values.size(); ++i) terms_[application.first_output + i] = values[i];
  }

  using Ranges = std::vector<map::Range>;

  std::vector<z3::expr> lower(const map::Affine& affine, const std::vector<z3::expr>& in, const Ranges&,
                              const Ranges&) {
    std::vector<z3::expr> out;
    for (const map::Row& row : affine.rows) {
      z3::expr sum = number(row.constant);
      for (const map::Term& term : row.terms) sum = sum + scaled(term.coefficient, in[term.input]);
      out.push_back(sum);
    }
    return out;
  }

  std::vector<z3::expr> lower(const map::Split& split, const std::vector<z3::expr>& in, const Ranges& in_ranges,
                              const Ranges& out_ranges) {
    std::vector<z3::expr> out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(split.input));
    z3::expr rest = in[split.input];
    Index low = in_ranges[split.input].low;
    for (std::size_t k = 0; k < split.weights.size(); ++k) {
      if (split.weights[k] == 1) {  // the digit is the rest itself, and every later digit is 0
        out.push_back(rest);
        rest = number(0);
        continue;
      }
      if (form_ == Form::Functions) {
        out.push_back(quotient(rest, split.weights[k], low));
        rest = remainder(rest, split.weights[k], low);
        low = 0;
        continue;
      }
      const z3::expr digit = fresh("q", out_ranges[split.input + k]);
      const z3::expr next = fresh("r", {0, split.weights[k] - 1});
      assertions_.push_back(rest == scaled(split.weights[k], digit) + next);
      out.push_back(digit);
      rest = next;
    }
    out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(split.input) + 1, in.end());
    return out;
  }

  // A multiple of the weight that makes every rest from `low` on non-negative; then unsigned division is floor
  // division.
  static Index bias(Index weight, Index low) { return low >= 0 ? 0 : (-(low + 1)) / weight + 1; }

  z3::expr quotient(const z3::expr& rest, Index weight, Index low) {
    if (!bit_vectors_) return rest / number(weight);
    const z3::expr digits = number(bias(weight, low));
    return z3::udiv(rest + digits * number(weight), number(weight)) - digits;
  }

  z3::expr remainder(const z3::expr& rest, Index weight, Index low) {
    if (!bit_vectors_) return z3::mod(rest, number(weight));
    return z3::urem(rest + number(bias(weight, low)) * number(weight), number(weight));
  }

  // The swizzle bit by bit: bit i of the result says whether bits i and i - by are different.
  static z3::expr different_bits(const z3::expr& in, int from, int to, int bits) {
    z3::context& context = in.ctx();
    const auto bit = [&](int i) { return in.extract(static_cast<unsigned>(i), static_cast<unsigned>(i)); };
    z3::expr_vector parts(context);  // the highest first
    parts.push_back(in.extract(in.get_sort().bv_size() - 1, static_cast<unsigned>(to + bits)));
    for (int i = bits; i-- > 0;)
      parts.push_back(z3::ite(bit(to + i) == bit(from + i), context.bv_val(0, 1), context.bv_val(1, 1)));
    if (to > 0) parts.push_back(in.extract(static_cast<unsigned>(to - 1), 0));
    return z3::concat(parts);
  }

  std::vector<z3::expr> lower(const map::Swizzle& swizzle, const std::vector<z3::expr>& in, const Ranges&,
                              const Ranges&) {
    VL_CHECK(bit_vectors_, "a swizzle has no form in linear integer arithmetic");
    std::vector<z3::expr> out = in;
    const bool down = swizzle.direction == map::Swizzle::Direction::Down;
    const int from = down ? swizzle.base + swizzle.shift : swizzle.base;
    const int to = down ? swizzle.base : swizzle.base + swizzle.shift;
    if (form_ == Form::Functions) {
      out[swizzle.input] = different_bits(in[swizzle.input], from, to, swizzle.bits);
      return out;
    }
    const z3::expr mask = number(((Index{1} << swizzle.bits) - 1) << from);
    const z3::expr field = in[swizzle.input] & mask;
    out[swizzle.input] =
        in[swizzle.input] ^ (down ? z3::lshr(field, number(from - to)) : z3::shl(field, number(to - from)));
    return out;
  }

  z3::expr lower(const Formula& formula) {
    switch (formula.kind) {
      case Formula::Kind::AtMostZero: return at_most(lower(formula.linear), number(0));
      case Formula::Kind::IsZero: return lower(formula.linear) == number(0);
      case Formula::Kind::Not: return !lower(formula.operands.front());
      case Formula::Kind::And:
      case Formula::Kind::Or: {
        // Other solvers accept neither an `and` of no operands nor one of a single operand.
        const bool all = formula.kind == Formula::Kind::And;
        if (formula.operands.empty()) return context_.bool_val(all);
        if (formula.operands.size() == 1) return lower(formula.operands.front());
        z3::expr_vector operands(context_);
        for (const Formula& operand : formula.operands) operands.push_back(lower(operand));
        return all ? z3::mk_and(operands) : z3::mk_or(operands);
      }
    }
    VL_CHECK(false, "unknown kind of formula");
  }

  z3::expr lower(const Linear& linear) {
    z3::expr sum = number(linear.constant);
    for (const auto& [term, coefficient] : linear.terms) sum = sum + scaled(coefficient, terms_[term]);
    return sum;
  }

  z3::context& context_;
  Form form_;
  bool bit_vectors_ = false;
  unsigned width_ = 0;
  std::size_t next_name_ = 0;
  std::vector<z3::expr> terms_;
  std::vector<z3::expr> assertions_;
};

}  // namespace vl::smt
