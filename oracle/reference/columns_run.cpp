#include "oracle/plan/faults.h"
#include "oracle/reference/columns.h"

namespace vl::oracle {
namespace {

template <class Number>
struct Format;  // a whole number x, 0 <= x < 2^(p-1): its bits are the lowest of x + kWhole's
template <>
struct Format<float> {
  using Bits = std::int32_t;
  static constexpr float kWhole = 8388608.0F;  // 2^23
  static constexpr Bits kWholeBits = 0x4b000000;
};
template <>
struct Format<double> {
  using Bits = std::int64_t;
  static constexpr double kWhole = 4503599627370496.0;  // 2^52
  static constexpr Bits kWholeBits = 0x4330000000000000;
};

// 16, 32 or 64 bytes of lanes. They may alias: columns are plain arrays.
template <class Number, std::size_t kBytes>
struct Lanes {
  using Bits = typename Format<Number>::Bits;
  using Of = Number;
  static constexpr std::size_t kCount = kBytes / sizeof(Number);
  static constexpr Number kWhole = Format<Number>::kWhole;
  static constexpr Number kNearest = kWhole + kWhole / 2;  // x + this - this: the integer nearest to x, |x| <= 2^(p-2)
  typedef Number Numbers __attribute__((vector_size(kBytes), may_alias));
  typedef Bits Integers __attribute__((vector_size(kBytes), may_alias));
  typedef std::int32_t Small __attribute__((vector_size(kBytes / 2), may_alias, aligned(4)));
  typedef Index Indices __attribute__((vector_size(kBytes), may_alias));
};

// Two vectors a turn: each is a chain of operations that wait for each other.
template <class L>
[[gnu::always_inline]] inline void run_numbers(const Program<typename L::Of>& program, Index first, Index last,
                                               std::size_t lanes) {
  using N = typename L::Numbers;
  using Number = typename L::Of;
  N number;
  for (std::size_t k = 0; k < L::kCount; ++k) number[k] = static_cast<Number>(k);
  number += static_cast<Number>(first);
  const N most = N{} + static_cast<Number>(last);
  for (std::size_t i = 0; i < lanes; i += L::kCount) {
    *reinterpret_cast<N*>(&program.numbers->values[i]) = number < most ? number : most;
    number += static_cast<Number>(L::kCount);
  }
}

template <class L>
[[gnu::always_inline]] inline void run_dot(const Program<typename L::Of>& program,
                                           const typename Program<typename L::Of>::Step& step, std::size_t lanes) {
  using N = typename L::Numbers;
  const auto* const terms = program.terms.data() + step.first;
  for (std::size_t i = 0; i < lanes; i += 2 * L::kCount) {
    N sum = N{} + step.constant;
    N other = sum;
    for (std::uint32_t t = 0; t < step.count; ++t) {
      const auto* const column = terms[t].column->values.data() + i;
      sum += terms[t].factor * *reinterpret_cast<const N*>(column);
      other += terms[t].factor * *reinterpret_cast<const N*>(column + L::kCount);
    }
    *reinterpret_cast<N*>(&step.out->values[i]) = sum;
    *reinterpret_cast<N*>(&step.out->values[i + L::kCount]) = other;
  }
}

template <class L>
[[gnu::always_inline]] inline void run_split(const Program<typename L::Of>& program,
                                             const typename Program<typename L::Of>::Step& step, std::size_t lanes) {
  using N = typename L::Numbers;
  const auto* const weights = program.terms.data() + step.first;
  for (std::size_t i = 0; i < lanes; i += 2 * L::kCount) {
    N rest = *reinterpret_cast<const N*>(&step.in->values[i]);
    N other = *reinterpret_cast<const N*>(&step.in->values[i + L::kCount]);
    auto* out = step.out;
    for (std::uint32_t k = 0; k + 1 < step.count; ++k, ++out) {
      const auto& weight = weights[k];
      const N quotient = ((rest * weight.inverse + weight.shift) + L::kNearest) - L::kNearest;
      const N another = ((other * weight.inverse + weight.shift) + L::kNearest) - L::kNearest;
      rest = rest - quotient * weight.factor;
      other = other - another * weight.factor;
      *reinterpret_cast<N*>(&out->values[i]) = quotient;
      *reinterpret_cast<N*>(&out->values[i + L::kCount]) = another;
    }
    *reinterpret_cast<N*>(&out->values[i]) = rest;  // the last weight is 1
    *reinterpret_cast<N*>(&out->values[i + L::kCount]) = other;
  }
}

template <class L>
[[gnu::always_inline]] inline void run_swizzle(const typename Program<typename L::Of>::Step& step, std::size_t lanes) {
  using N = typename L::Numbers;
  using I = typename L::Integers;
  using Bits = typename L::Bits;
  const map::Swizzle& swizzle = step.swizzle;
  const auto field = static_cast<Bits>((std::uint64_t{1} << swizzle.bits) - 1);
  const bool down = (swizzle.direction == map::Swizzle::Direction::Down) != planted(Fault::DefinitionSwizzlesUp);
  const int from = down ? swizzle.base + swizzle.shift : swizzle.base;
  const int to = down ? swizzle.base : swizzle.base + swizzle.shift;
  for (std::size_t i = 0; i < lanes; i += L::kCount) {
    const N whole = *reinterpret_cast<const N*>(&step.in->values[i]) + L::kWhole;
    I value = reinterpret_cast<const I&>(whole) ^ Format<typename L::Of>::kWholeBits;
    value ^= ((value >> from) & field) << to;
    value |= Format<typename L::Of>::kWholeBits;
    *reinterpret_cast<N*>(&step.out->values[i]) = reinterpret_cast<const N&>(value) - L::kWhole;
  }
}

/// The whole numbers x of lanes x + kWhole. Requires: out on 64 bytes.
template <class L>
[[gnu::always_inline]] inline void store(const typename L::Numbers& whole, Index* out) {
  using I = typename L::Integers;
  const I bits = reinterpret_cast<const I&>(whole) ^ Format<typename L::Of>::kWholeBits;
  if constexpr (sizeof(typename L::Bits) == sizeof(Index)) {
    *reinterpret_cast<I*>(out) = bits;
  } else {
    using Small = typename L::Small;
    using Indices = typename L::Indices;
    const auto* const half = reinterpret_cast<const Small*>(&bits);
    *reinterpret_cast<Indices*>(out) = __builtin_convertvector(half[0], Indices);
    *reinterpret_cast<Indices*>(out + L::kCount / 2) = __builtin_convertvector(half[1], Indices);
  }
}

template <class L>
[[gnu::always_inline]] inline bool run_slots(const Program<typename L::Of>& program, std::size_t lanes, Index* slots,
                                             Index* hosts) {
  using N = typename L::Numbers;
  using I = typename L::Integers;
  I outside = {};  // negative in a lane where a coordinate is below 0 or above its last value
  for (std::size_t i = 0; i < lanes; i += 2 * L::kCount) {
    N slot = N{} + L::kWhole;
    N other = slot;
    for (const auto& coordinate : program.coordinates) {
      const N value = *reinterpret_cast<const N*>(&coordinate.column->values[i]);
      const N next = *reinterpret_cast<const N*>(&coordinate.column->values[i + L::kCount]);
      const N room = coordinate.last - value;  // no 0 here is a -0: sums start at +0
      const N next_room = coordinate.last - next;
      outside |= reinterpret_cast<const I&>(value) | reinterpret_cast<const I&>(room) |
                 reinterpret_cast<const I&>(next) | reinterpret_cast<const I&>(next_room);
      slot += value * coordinate.weight;
      other += next * coordinate.weight;
    }
    store<L>(slot, slots + i);
    store<L>(other, slots + i + L::kCount);
  }
  for (std::size_t i = 0; program.has_host && i < lanes; i += L::kCount) {
    N host = N{} + (L::kWhole + program.host_constant);
    for (const auto& term : program.host) host += term.factor * *reinterpret_cast<const N*>(&term.column->values[i]);
    store<L>(host, hosts + i);
  }
  typename L::Bits any = 0;
  for (std::size_t k = 0; k < L::kCount; ++k) any |= outside[k];
  return any >= 0;
}

template <class L>
[[gnu::always_inline]] inline bool run(const Program<typename L::Of>& program, Index first, Index last,
                                       std::size_t lanes, Index* slots, Index* hosts) {
  using Kind = typename Program<typename L::Of>::Step::Kind;
  run_numbers<L>(program, first, last, lanes);
  for (const auto& step : program.steps) {
    switch (step.kind) {
      case Kind::Dot: run_dot<L>(program, step, lanes); break;
      case Kind::Split: run_split<L>(program, step, lanes); break;
      case Kind::Swizzle: run_swizzle<L>(step, lanes); break;
    }
  }
  return run_slots<L>(program, lanes, slots, hosts);
}

template <class Number>
bool run_narrow(const Program<Number>& program, Index first, Index last, std::size_t lanes, Index* slots,
                Index* hosts) {
  return run<Lanes<Number, 16>>(program, first, last, lanes, slots, hosts);
}

#if defined(__x86_64__)
template <class Number>
[[gnu::target("avx2")]] bool run_wide(const Program<Number>& program, Index first, Index last, std::size_t lanes,
                                      Index* slots, Index* hosts) {
  return run<Lanes<Number, 32>>(program, first, last, lanes, slots, hosts);
}
template <class Number>
[[gnu::target("avx512f,avx512dq,avx512vl")]] bool run_widest(const Program<Number>& program, Index first, Index last,
                                                             std::size_t lanes, Index* slots, Index* hosts) {
  return run<Lanes<Number, 64>>(program, first, last, lanes, slots, hosts);
}
#endif

template <class Number>
using Run = bool (*)(const Program<Number>&, Index, Index, std::size_t, Index*, Index*);

template <class Number>
Run<Number> best_run() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return run_widest<Number>;
  if (__builtin_cpu_supports("avx2")) return run_wide<Number>;
#endif
  return run_narrow<Number>;
}

constexpr std::size_t in_turns(std::size_t lanes) { return (lanes + 31) / 32 * 32; }

}  // namespace

bool run_columns(const Program<float>& program, Index first, Index last, std::size_t lanes, Index* slots,
                 Index* hosts) {
  static const Run<float> best = best_run<float>();
  return best(program, first, last, in_turns(lanes), slots, hosts);
}

bool run_columns(const Program<double>& program, Index first, Index last, std::size_t lanes, Index* slots,
                 Index* hosts) {
  static const Run<double> best = best_run<double>();
  return best(program, first, last, in_turns(lanes), slots, hosts);
}

}  // namespace vl::oracle
