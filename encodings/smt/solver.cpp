#include "encodings/smt/solver.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace vl::smt {
namespace {

using Wide = unsigned __int128;

Wide magnitude(Index value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? Wide{0 - bits} : Wide{bits};
}

Wide magnitude(const map::Range& range) { return std::max(magnitude(range.low), magnitude(range.high)); }

// a·b + sum, for the largest magnitude of a sum of products.
Wide plus_product(Wide sum, Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum))
    throw z3::exception("an intermediate result needs more than 128 bits");
  return sum;
}

// The largest magnitude that any sum or product of the obligation can reach.
class Reach {
 public:
  explicit Reach(const Obligation& obligation) {
    for (TermId term = 0; term < obligation.terms(); ++term) include(magnitude(obligation.range(term)));
    for (const auto& application : obligation.applications()) {
      const map::Map& map = application.map;
      for (std::size_t i = 0; i < map.stages().size(); ++i)
        std::visit([&](const auto& stage) { include(stage, map.ranges(i), map.ranges(i + 1)); }, map.stages()[i]);
    }
    for (const Formula& formula : obligation.required()) include(formula, obligation);
  }

  // Bits of a two's complement number that holds every value within the reach.
  [[nodiscard]] unsigned width() const {
    unsigned bits = 1;
    for (Wide rest = reach_; rest != 0; rest >>= 1) ++bits;
    return bits;
  }

 private:
  void include(Wide value) { reach_ = std::max(reach_, value); }

  void include(const map::Affine& affine, const std::vector<map::Range>& in, const std::vector<map::Range>&) {
    for (const map::Row& row : affine.rows) {
      Wide sum = magnitude(row.constant);
      for (const map::Term& term : row.terms) sum = plus_product(sum, magnitude(term.coefficient), magnitude(in[term.input]));
      include(sum);
    }
  }
  void include(const map::Split& split, const std::vector<map::Range>& in, const std::vector<map::Range>& out) {
    include(magnitude(in[split.input]));
    for (std::size_t k = 0; k < split.weights.size(); ++k) {
      const Wide weight = magnitude(split.weights[k]);
      include(plus_product(weight, magnitude(out[split.input + k]) + 1, weight));
    }
  }
  void include(const map::Swizzle& swizzle, const std::vector<map::Range>& in, const std::vector<map::Range>& out) {
    include(magnitude(in[swizzle.input]));
    include(magnitude(out[swizzle.input]));
    include(Wide{1} << (swizzle.base + swizzle.bits + swizzle.shift));
  }
  void include(const Formula& formula, const Obligation& obligation) {
    Wide sum = magnitude(formula.linear.constant);
    for (const auto& [term, coefficient] : formula.linear.terms)
      sum = plus_product(sum, magnitude(coefficient), magnitude(obligation.range(term)));
    include(sum);
    for (const Formula& operand : formula.operands) include(operand, obligation);
  }

  Wide reach_ = 1;
};

bool has_swizzle(const Obligation& obligation) {
  return std::ranges::any_of(obligation.applications(), [](const auto& application) {
    return std::ranges::any_of(application.map.stages(), [](const map::Stage& stage) {
      return std::holds_alternative<map::Swizzle>(stage);
    });
  });
}

// An obligation in one Z3 context. Everything here may throw z3::exception.
class Lowering {
 public:
  Lowering(z3::context& context, const Obligation& obligation, Theory theory)
      : context_(context) {
    bit_vectors_ = theory == Theory::BitVectors || (theory == Theory::Automatic && has_swizzle(obligation));
    if (bit_vectors_) width_ = Reach(obligation).width();
    for (TermId term = 0; term < obligation.terms(); ++term) terms_.push_back(context.int_val(0));
    for (const TermId variable : obligation.variables())
      terms_[variable] = fresh("v", obligation.range(variable));
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
      values = std::visit([&](const auto& stage) { return lower(stage, values, map.ranges(i + 1)); }, map.stages()[i]);
    for (std::size_t i = 0; i < values.size(); ++i) terms_[application.first_output + i] = values[i];
  }

  std::vector<z3::expr> lower(const map::Affine& affine, const std::vector<z3::expr>& in,
                              const std::vector<map::Range>&) {
    std::vector<z3::expr> out;
    for (const map::Row& row : affine.rows) {
      z3::expr sum = number(row.constant);
      for (const map::Term& term : row.terms) sum = sum + scaled(term.coefficient, in[term.input]);
      out.push_back(sum);
    }
    return out;
  }

  std::vector<z3::expr> lower(const map::Split& split, const std::vector<z3::expr>& in,
                              const std::vector<map::Range>& out_ranges) {
    std::vector<z3::expr> out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(split.input));
    z3::expr rest = in[split.input];
    for (std::size_t k = 0; k < split.weights.size(); ++k) {
      if (split.weights[k] == 1) {  // the digit is the rest itself, and every later digit is 0
        out.push_back(rest);
        rest = number(0);
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

  std::vector<z3::expr> lower(const map::Swizzle& swizzle, const std::vector<z3::expr>& in,
                              const std::vector<map::Range>&) {
    VL_CHECK(bit_vectors_, "a swizzle has no form in linear integer arithmetic");
    std::vector<z3::expr> out = in;
    const bool down = swizzle.direction == map::Swizzle::Direction::Down;
    const int from = down ? swizzle.base + swizzle.shift : swizzle.base;
    const int to = down ? swizzle.base : swizzle.base + swizzle.shift;
    const z3::expr mask = number(((Index{1} << swizzle.bits) - 1) << from);
    const z3::expr field = in[swizzle.input] & mask;
    out[swizzle.input] = in[swizzle.input] ^ (down ? z3::lshr(field, number(from - to)) : z3::shl(field, number(to - from)));
    return out;
  }

  z3::expr lower(const Formula& formula) {
    switch (formula.kind) {
      case Formula::Kind::AtMostZero: return at_most(lower(formula.linear), number(0));
      case Formula::Kind::IsZero: return lower(formula.linear) == number(0);
      case Formula::Kind::Not: return !lower(formula.operands.front());
      case Formula::Kind::And:
      case Formula::Kind::Or: {
        z3::expr_vector operands(context_);
        for (const Formula& operand : formula.operands) operands.push_back(lower(operand));
        return formula.kind == Formula::Kind::And ? z3::mk_and(operands) : z3::mk_or(operands);
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
  bool bit_vectors_ = false;
  unsigned width_ = 0;
  std::size_t next_name_ = 0;
  std::vector<z3::expr> terms_;
  std::vector<z3::expr> assertions_;
};

std::uint64_t rlimit_used(const z3::solver& solver) {
  const z3::stats statistics = solver.statistics();
  for (unsigned i = 0; i < statistics.size(); ++i)
    if (statistics.key(i) == "rlimit count")
      return statistics.is_uint(i) ? statistics.uint_value(i) : static_cast<std::uint64_t>(statistics.double_value(i));
  return 0;
}

// Z3's texts for an exhausted budget vary, so the rlimit is told by its own counter and the wall time by our clock.
Undecided why_unknown(const z3::solver& solver, const Budget& budget, std::chrono::steady_clock::duration elapsed) {
  const std::string text = solver.reason_unknown();
  Undecided::Why why = Undecided::Why::Incomplete;
  if (text.find("memory") != std::string::npos) why = Undecided::Why::Memory;
  else if (rlimit_used(solver) >= budget.rlimit) why = Undecided::Why::ResourceLimit;
  else if (elapsed >= budget.wall || text == "timeout") why = Undecided::Why::Timeout;
  return Undecided{why, text};
}

z3::solver prepared(z3::context& context, const Lowering& lowering) {
  z3::solver solver(context, lowering.logic());
  for (const z3::expr& assertion : lowering.assertions()) solver.add(assertion);
  return solver;
}

}  // namespace

namespace {

// Interrupts a context when the time is over, and again until it is told to stop: an interrupt that comes before the
// solver has begun is lost, and so is Z3's own timeout then.
class Watch {
 public:
  Watch(z3::context& context, std::chrono::milliseconds wall) {
    try {
      thread_ = std::thread([this, &context, until = std::chrono::steady_clock::now() + wall]() mutable {
        std::unique_lock lock(mutex_);
        while (!stop_.wait_until(lock, until, [this] { return stopped_; })) {
          context.interrupt();
          until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
        }
      });
    } catch (const std::system_error&) {
      // The system gives no thread: Z3's own timeout has to do.
    }
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    stop_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  std::thread thread_;
};

z3::check_result check_within(z3::context& context, z3::solver& solver, std::chrono::milliseconds wall) {
  const Watch watch(context, wall);
  return solver.check();
}

}  // namespace

Outcome solve(const Obligation& obligation, const Budget& budget, Theory theory) try {
  z3::context context;
  Lowering lowering(context, obligation, theory);
  z3::solver solver = prepared(context, lowering);
  z3::params params(context);
  const auto limit = [](std::uint64_t value) { return static_cast<unsigned>(std::min<std::uint64_t>(value, 0xffffffffU)); };
  params.set("timeout", limit(static_cast<std::uint64_t>(std::max<std::int64_t>(budget.wall.count(), 1))));
  params.set("rlimit", limit(budget.rlimit));
  solver.set(params);
  const auto start = std::chrono::steady_clock::now();
  switch (check_within(context, solver, budget.wall)) {
    case z3::unsat: return Unsatisfiable{};
    case z3::unknown: return why_unknown(solver, budget, std::chrono::steady_clock::now() - start);
    case z3::sat: break;
  }
  const z3::model model = solver.get_model();
  Satisfiable found;
  for (const TermId variable : obligation.variables()) found.values.push_back(lowering.value(model, variable));
  return found;
} catch (const z3::exception& fault) {
  const bool memory = std::string_view(fault.msg()).find("memory") != std::string_view::npos;
  return Undecided{memory ? Undecided::Why::Memory : Undecided::Why::SolverFault, fault.msg()};
}

std::string to_smtlib(const Obligation& obligation, Theory theory) try {
  z3::context context;
  Lowering lowering(context, obligation, theory);
  z3::solver solver = prepared(context, lowering);
  return fmt::format("(set-logic {})\n{}", lowering.logic(), solver.to_smt2());
} catch (const z3::exception&) {
  return {};
}

Result<std::vector<Point>> lowered_outputs(const map::Map& map, std::span<const Point> points, Theory theory) try {
  if (points.empty()) return std::vector<Point>{};
  Obligation obligation;
  const std::vector<TermId> arguments = obligation.point_of(map.domain());
  const std::vector<TermId> outputs = obligation.apply(map, arguments);
  z3::context context;
  Lowering lowering(context, obligation, theory);
  z3::solver solver = prepared(context, lowering);
  std::vector<Point> values;
  for (const Point& point : points) {
    solver.push();
    for (std::size_t i = 0; i < arguments.size(); ++i)
      solver.add(lowering.term(arguments[i]) == lowering.number(point[i]));
    if (solver.check() != z3::sat) return Error{ErrorCode::Value, "the solver gives the map no value here"};
    Point value;
    z3::expr_vector others(context);
    for (const TermId output : outputs) {
      value.push_back(lowering.value(solver.get_model(), output));
      others.push_back(lowering.term(output) != lowering.number(value.back()));
    }
    solver.add(z3::mk_or(others));
    if (solver.check() != z3::unsat) return Error{ErrorCode::Value, "the lowering gives a point two values"};
    values.push_back(std::move(value));
    solver.pop();
  }
  return values;
} catch (const z3::exception& fault) {
  return Error{ErrorCode::Value, fault.msg()};
}

std::string z3_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("{}.{}.{}", major, minor, build);
}

}  // namespace vl::smt
