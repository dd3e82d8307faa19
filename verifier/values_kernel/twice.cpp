#include "verifier/values_kernel/twice.h"

#include "verifier/values_kernel/fold.h"

namespace vl::values_kernel {
namespace {

// Kinds of codes that are looked at as two values; of zeros and infinities each is one kind.
std::vector<CodeRanges> kinds_of_codes(const Format& f) {
  if (!f.is_float) return {};
  const auto between = [&](std::int64_t low, std::int64_t high) { return ranges_of(f, {low, high, false, false}); };
  std::vector<CodeRanges> out{between(0, 0), ranges_of(f, {1, 0, true, true})};
  if (!f.one_zero) out.push_back(between(-1, -1));
  const Results all = anything(f);
  if (f.infinities) out.push_back(between(all.low, all.low)), out.push_back(between(all.high, all.high));
  return out;
}

}  // namespace

CodeRanges image_of_twice(const std::string& function, const Format& f, const std::string& max, const CodeRanges& set,
                          Code most) {
  using enum Pointwise;
  const Pointwise which = pointwise_of(function, f);
  require(operands_of(which) == 2 && !set.empty(), "a function of other operands");
  CodeRanges out, numbers = normal(set);
  for (const CodeRanges& kind : kinds_of_codes(f))
    if (const CodeRanges some = shared(set, kind); !some.empty()) {
      out = united(std::move(out), image_of(function, f, max, {some, some}, most));
      numbers = shared(numbers, outside(f, kind));
    }
  if (numbers.empty()) return out;
  const auto of_numbers = [&]() -> CodeRanges {
    const Code two = f.one() + (Code{1} << f.fraction);
    switch (which) {
      case Sub:
      case Xor:
      case Ne:
      case Lt:
      case Gt: return {{0, 0}};
      case Div:
      case Eq:
      case Le:
      case Ge: return {{f.one(), f.one()}};
      case Max:
      case Min:
      case And:
      case Or: return numbers;
      case Mul: return image_of("square", f, max, {numbers}, most);
      case Add:
        if (f.is_float) return image_of("mul", f, max, {numbers, {{two, two}}}, most);
        [[fallthrough]];
      default: return image_of(function, f, max, {numbers, numbers}, most);
    }
  };
  return united(std::move(out), of_numbers());
}

}  // namespace vl::values_kernel
