#include "oracle/reference/columns.h"

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

using Program = SlotBlocks::Program;
using Step = SlotBlocks::Step;
using Term = SlotBlocks::Term;
using Column = SlotBlocks::Column;

// Sixteen, 32 and 64 bytes of lanes. They may alias: columns are plain arrays.
struct Narrow {
  typedef double Doubles __attribute__((vector_size(16), may_alias));
  typedef Index Integers __attribute__((vector_size(16), may_alias));
};
struct Wide {
  typedef double Doubles __attribute__((vector_size(32), may_alias));
  typedef Index Integers __attribute__((vector_size(32), may_alias));
};
struct Widest {
  typedef double Doubles __attribute__((vector_size(64), may_alias));
  typedef Index Integers __attribute__((vector_size(64), may_alias));
};

constexpr double kNearest = 6755399441055744.0;  // 1.5·2^52: x + this - this is the integer nearest to x, |x| <= 2^51
constexpr double kWhole = 4503599627370496.0;    // 2^52: the low 52 bits of x + this are the integer x, 0 <= x < 2^52
constexpr Index kWholeBits = 0x4330000000000000;

// Two vectors a turn: each is a chain of operations that wait for each other.
template <class Lanes>
[[gnu::always_inline]] inline void run_dot(const Program& program, const Step& step, std::size_t lanes) {
  using D = typename Lanes::Doubles;
  constexpr std::size_t kLanes = sizeof(D) / sizeof(double);
  const Term* const terms = program.terms.data() + step.first;
  for (std::size_t i = 0; i < lanes; i += 2 * kLanes) {
    D sum = D{} + step.constant;
    D other = sum;
    for (std::uint32_t t = 0; t < step.count; ++t) {
      const double* const column = terms[t].column->values.data() + i;
      sum += terms[t].factor * *reinterpret_cast<const D*>(column);
      other += terms[t].factor * *reinterpret_cast<const D*>(column + kLanes);
    }
    *reinterpret_cast<D*>(&step.out->values[i]) = sum;
    *reinterpret_cast<D*>(&step.out->values[i + kLanes]) = other;
  }
}

template <class Lanes>
[[gnu::always_inline]] inline void run_split(const Program& program, const Step& step, std::size_t lanes) {
  using D = typename Lanes::Doubles;
  constexpr std::size_t kLanes = sizeof(D) / sizeof(double);
  const Term* const weights = program.terms.data() + step.first;
  for (std::size_t i = 0; i < lanes; i += 2 * kLanes) {
    D rest = *reinterpret_cast<const D*>(&step.in->values[i]);
    D other = *reinterpret_cast<const D*>(&step.in->values[i + kLanes]);
    Column* out = step.out;
    for (std::uint32_t k = 0; k + 1 < step.count; ++k, ++out) {
      const Term& weight = weights[k];
      const D quotient = ((rest * weight.inverse + weight.shift) + kNearest) - kNearest;
      const D another = ((other * weight.inverse + weight.shift) + kNearest) - kNearest;
      rest = rest - quotient * weight.factor;
      other = other - another * weight.factor;
      *reinterpret_cast<D*>(&out->values[i]) = quotient;
      *reinterpret_cast<D*>(&out->values[i + kLanes]) = another;
    }
    *reinterpret_cast<D*>(&out->values[i]) = rest;  // the last weight is 1
    *reinterpret_cast<D*>(&out->values[i + kLanes]) = other;
  }
}

template <class Lanes>
[[gnu::always_inline]] inline void run_swizzle(const Step& step, std::size_t lanes) {
  using D = typename Lanes::Doubles;
  using I = typename Lanes::Integers;
  const Index field = static_cast<Index>((std::uint64_t{1} << step.swizzle.bits) - 1);
  const bool down = (step.swizzle.direction == map::Swizzle::Direction::Down) != planted(Fault::DefinitionSwizzlesUp);
  const int from = down ? step.swizzle.base + step.swizzle.shift : step.swizzle.base;
  const int to = down ? step.swizzle.base : step.swizzle.base + step.swizzle.shift;
  for (std::size_t i = 0; i < lanes; i += sizeof(D) / sizeof(double)) {
    const D whole = *reinterpret_cast<const D*>(&step.in->values[i]) + kWhole;
    I value = reinterpret_cast<const I&>(whole) ^ kWholeBits;
    value ^= ((value >> from) & field) << to;
    value |= kWholeBits;
    *reinterpret_cast<D*>(&step.out->values[i]) = reinterpret_cast<const D&>(value) - kWhole;
  }
}

template <class Lanes>
[[gnu::always_inline]] inline bool run_slots(const Program& program, std::size_t lanes, Index* slots, Index* hosts) {
  using D = typename Lanes::Doubles;
  using I = typename Lanes::Integers;
  constexpr std::size_t kLanes = sizeof(D) / sizeof(double);
  I outside = {};  // negative in a lane where a coordinate is below 0 or above its last value
  for (std::size_t i = 0; i < lanes; i += 2 * kLanes) {
    D slot = D{} + kWhole;
    D other = slot;
    for (const SlotBlocks::Coordinate& coordinate : program.coordinates) {
      const D value = *reinterpret_cast<const D*>(&coordinate.column->values[i]);
      const D next = *reinterpret_cast<const D*>(&coordinate.column->values[i + kLanes]);
      const D room = coordinate.last - value;  // no 0 here is a -0: sums start at +0
      const D next_room = coordinate.last - next;
      outside |= reinterpret_cast<const I&>(value) | reinterpret_cast<const I&>(room) |
                 reinterpret_cast<const I&>(next) | reinterpret_cast<const I&>(next_room);
      slot += value * coordinate.weight;
      other += next * coordinate.weight;
    }
    *reinterpret_cast<I*>(&slots[i]) = reinterpret_cast<const I&>(slot) ^ kWholeBits;
    *reinterpret_cast<I*>(&slots[i + kLanes]) = reinterpret_cast<const I&>(other) ^ kWholeBits;
  }
  for (std::size_t i = 0; !program.host.empty() && i < lanes; i += kLanes) {
    D host = D{} + (kWhole + program.host_constant);
    for (const Term& term : program.host) host += term.factor * *reinterpret_cast<const D*>(&term.column->values[i]);
    *reinterpret_cast<I*>(&hosts[i]) = reinterpret_cast<const I&>(host) ^ kWholeBits;
  }
  Index any = 0;
  for (std::size_t k = 0; k < sizeof(I) / sizeof(Index); ++k) any |= outside[k];
  return any >= 0;
}

template <class Lanes>
[[gnu::always_inline]] inline bool run(const Program& program, std::size_t lanes, Index* slots, Index* hosts) {
  for (const Step& step : program.steps) {
    switch (step.kind) {
      case Step::Kind::Dot: run_dot<Lanes>(program, step, lanes); break;
      case Step::Kind::Split: run_split<Lanes>(program, step, lanes); break;
      case Step::Kind::Swizzle: run_swizzle<Lanes>(step, lanes); break;
    }
  }
  return run_slots<Lanes>(program, lanes, slots, hosts);
}

bool run_narrow(const Program& program, std::size_t lanes, Index* slots, Index* hosts) {
  return run<Narrow>(program, lanes, slots, hosts);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool run_wide(const Program& program, std::size_t lanes, Index* slots, Index* hosts) {
  return run<Wide>(program, lanes, slots, hosts);
}
[[gnu::target("avx512f,avx512dq,avx512vl")]] bool run_widest(const Program& program, std::size_t lanes, Index* slots,
                                                             Index* hosts) {
  return run<Widest>(program, lanes, slots, hosts);
}
#endif

using Run = bool (*)(const Program&, std::size_t, Index*, Index*);

Run best_run() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return run_widest;
  if (__builtin_cpu_supports("avx2")) return run_wide;
#endif
  return run_narrow;
}

}  // namespace

bool run_columns(const Program& program, std::size_t lanes, Index* slots, Index* hosts) {
  static const Run best = best_run();
  return best(program, (lanes + 15) / 16 * 16, slots, hosts);
}

}  // namespace vl::oracle
