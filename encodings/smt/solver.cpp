#include "encodings/smt/solver.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <z3++.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "encodings/smt/answer.h"
#include "encodings/smt/lowering.h"

namespace vl::smt {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t units_used(const z3::solver& solver) {
  const z3::stats statistics = solver.statistics();
  for (unsigned i = 0; i < statistics.size(); ++i)
    if (statistics.key(i) == "rlimit count")
      return statistics.is_uint(i) ? statistics.uint_value(i) : static_cast<std::uint64_t>(statistics.double_value(i));
  return 0;
}

z3::solver prepared(z3::context& context, const Lowering& lowering) {
  z3::solver solver(context, lowering.logic());
  for (const z3::expr& assertion : lowering.assertions()) solver.add(assertion);
  return solver;
}

// Interrupts a context when the time is over, and again until it is told to stop: an interrupt that comes before the
// solver has begun is lost, and so is Z3's own timeout then.
class Watch {
 public:
  Watch(z3::context& context, Clock::time_point end) {
    try {
      thread_ = std::thread([this, &context, end]() mutable {
        std::unique_lock lock(mutex_);
        while (!stop_.wait_until(lock, end, [this] { return stopped_; })) {
          context.interrupt();
          end = Clock::now() + std::chrono::milliseconds(10);
        }
      });
    } catch (const std::system_error&) {
      // The system gives no thread: the unit limit has to do.
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

// Z3's texts for an exhausted budget vary. The units are told by its own counter, the time by our clock; in a worker
// nobody but who killed it knows of another limit.
Undecided why_unknown(const z3::solver& solver, const Budget& budget, bool in_worker, Clock::time_point end) {
  if (units_used(solver) >= budget.rlimit)
    return {Undecided::Why::ResourceLimit, fmt::format("Z3 took its {} units", budget.rlimit)};
  if (!in_worker && Clock::now() >= end) return {Undecided::Why::Timeout, "Z3 was interrupted: its time was over"};
  return {Undecided::Why::Incomplete, solver.reason_unknown()};
}

// Z3's verdict; with values when `values` gives them.
template <class Values>
Outcome check(z3::context& context, z3::solver& solver, const Budget& budget, bool in_worker, const Values& values) {
  z3::params params(context);
  params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(budget.rlimit, 0xffffffffU)));
  solver.set(params);
  const Clock::time_point end = budget.begun().end;
  z3::check_result result = z3::unknown;
  if (in_worker) {
    result = solver.check();
  } else {
    const Watch watch(context, end);
    result = solver.check();
  }
  switch (result) {
    case z3::unsat: return Unsatisfiable{};
    case z3::unknown: return why_unknown(solver, budget, in_worker, end);
    case z3::sat: break;
  }
  return Satisfiable{values(solver.get_model())};
}

Undecided fault_of(z3::context& context, const z3::exception& fault) {
  const bool memory = Z3_get_error_code(context) == Z3_MEMOUT_FAIL;
  return {memory ? Undecided::Why::Memory : Undecided::Why::SolverFault, fault.msg()};
}

// Whether a context can be made: Z3's C++ interface uses a null pointer where there is no memory for one.
std::optional<Undecided> no_room() {
  constexpr std::size_t kRoom = std::size_t{64} << 20;
  void* const at = ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return Undecided{Undecided::Why::Memory, "there is no memory for the solver"};
  ::munmap(at, kRoom);
  return std::nullopt;
}

Outcome solve_here(const Obligation& obligation, const Budget& budget, Theory theory, Form form) {
  if (auto none = no_room()) return std::move(*none);
  z3::context context;
  try {
    Lowering lowering(context, obligation, theory, form);
    z3::solver solver = prepared(context, lowering);
    return check(context, solver, budget, false, [&](const z3::model& model) {
      std::vector<Index> values;
      for (const TermId variable : obligation.variables()) values.push_back(lowering.value(model, variable));
      return values;
    });
  } catch (const z3::exception& fault) {
    return fault_of(context, fault);
  }
}

// The script, or why there is none.
std::variant<std::string, Undecided> script_of(const Obligation& obligation, Theory theory, Form form) {
  if (auto none = no_room()) return std::move(*none);
  z3::context context;
  try {
    Lowering lowering(context, obligation, theory, form);
    z3::solver solver = prepared(context, lowering);
    return fmt::format("(set-logic {})\n{}", lowering.logic(), solver.to_smt2());
  } catch (const z3::exception& fault) {
    return fault_of(context, fault);
  }
}

Outcome solve_in(Form form, const Obligation& obligation, const Budget& budget, Theory theory) {
  if (budget.stopped()) return noted(stopped_by(budget), budget);
  Outcome outcome = Undecided{};
  if (budget.worker.empty()) {
    outcome = solve_here(obligation, budget, theory, form);
  } else {
    const auto script = script_of(obligation, theory, form);
    const auto* text = std::get_if<std::string>(&script);
    outcome = text != nullptr ? ask_worker(*text, obligation.variables().size(), budget)
                              : Outcome{std::get<Undecided>(script)};
  }
  return noted(std::move(outcome), budget);
}

}  // namespace

Undecided stopped_by(const Budget& budget) {
  if (budget.interrupted()) return {Undecided::Why::Interrupted, "interrupted"};
  return {Undecided::Why::Timeout, "the time of the answer is over"};
}

Outcome solve(const Obligation& obligation, const Budget& budget, Theory theory) {
  return solve_in(Form::Digits, obligation, budget, theory);
}

Outcome solve_otherwise(const Obligation& obligation, const Budget& budget, Theory theory) {
  return solve_in(Form::Functions, obligation, budget, other_theory(obligation, theory));
}

Outcome solve_with_cvc5(const Obligation& obligation, const Budget& budget, Theory theory) {
  if (budget.stopped()) return noted(stopped_by(budget), budget);
  const auto script = script_of(obligation, theory, Form::Digits);
  const auto* text = std::get_if<std::string>(&script);
  if (text == nullptr) return std::get<Undecided>(script);
  return noted(ask_cvc5(*text, obligation.variables().size(), budget), budget);
}

Theory other_theory(const Obligation& obligation, Theory theory) {
  if (has_swizzle(obligation)) return Theory::BitVectors;
  return theory == Theory::BitVectors ? Theory::Integers : Theory::BitVectors;
}

std::string to_smtlib(const Obligation& obligation, Theory theory, Form form) {
  auto script = script_of(obligation, theory, form);
  auto* text = std::get_if<std::string>(&script);
  return text != nullptr ? std::move(*text) : std::string{};
}

std::string second_smtlib(const Obligation& obligation, Theory theory) {
  return to_smtlib(obligation, other_theory(obligation, theory), Form::Functions);
}

namespace {

// The values of v0, v1, … in a script's model. One that the model leaves out may be anything.
std::vector<Index> values_of(const z3::model& model, std::size_t count) {
  std::map<std::string, Index, std::less<>> known;
  for (unsigned i = 0; i < model.num_consts(); ++i) {
    const z3::func_decl constant = model.get_const_decl(i);
    const z3::expr value = model.get_const_interp(constant);
    known[constant.name().str()] = (value.is_bv() ? z3::bv2int(value, true).simplify() : value).get_numeral_int64();
  }
  std::vector<Index> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(known[fmt::format("v{}", i)]);
  return values;
}

// The logic of a script that this program writes; QF_LIA of one that names another or none.
const char* logic_of(std::string_view script) {
  for (const char* logic : {"QF_BV", "QF_NIA"})
    if (script.starts_with(fmt::format("(set-logic {})", logic))) return logic;
  return "QF_LIA";
}

Outcome solve_script(const std::string& script, std::size_t count, const Budget& budget, bool in_worker) {
  z3::context context;
  try {
    z3::solver solver(context, logic_of(script));
    solver.from_string(script.c_str());
    return check(context, solver, budget, in_worker, [&](const z3::model& model) { return values_of(model, count); });
  } catch (const z3::exception& fault) {
    return fault_of(context, fault);
  }
}

std::optional<std::uint64_t> number_of(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

Outcome solve_text(const std::string& script, std::size_t variables, const Budget& budget) {
  if (budget.stopped()) return noted(stopped_by(budget), budget);
  if (auto none = no_room()) return std::move(*none);
  return noted(
      budget.worker.empty() ? solve_script(script, variables, budget, false) : ask_worker(script, variables, budget),
      budget);
}

int run_worker(const std::vector<std::string>& arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::uint64_t> numbers;
  for (const std::string& argument : arguments)
    if (const auto number = number_of(argument)) numbers.push_back(*number);
  if (numbers.size() != 2 || arguments.size() != 2) return 64;
  Budget budget;
  budget.rlimit = numbers[0];
  const std::string script(std::istreambuf_iterator<char>(std::cin), {});
  std::string reply;
  try {
    reply = print(solve_script(script, numbers[1], budget, true));
  } catch (const std::bad_alloc&) {
    reply = print(Undecided{Undecided::Why::Memory, "out of memory"});
  }
  std::cout << reply << std::flush;
  return std::cout ? 0 : 1;
}

Result<std::vector<Point>> lowered_outputs(const map::Map& map, std::span<const Point> points, Theory theory,
                                           Form form) try {
  if (points.empty()) return std::vector<Point>{};
  Obligation obligation;
  const std::vector<TermId> arguments = obligation.point_of(map.domain());
  const std::vector<TermId> outputs = obligation.apply(map, arguments);
  z3::context context;
  Lowering lowering(context, obligation, theory, form);
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
