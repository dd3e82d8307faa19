#include "verifier/kernel/core/map.h"

namespace vl::kernel {

template <class S>
Wide BasicStage<S>::swizzled(Wide x) const {
  require(x >= 0, "a swizzle of a negative number");
  const auto low = static_cast<unsigned long long>((x % (1LL << 62)).narrow());  // no bit of the fields lies above
  const unsigned long long mask = (1ULL << bits) - 1;
  const auto from = static_cast<unsigned>(up ? base : base + shift),
             to = static_cast<unsigned>(up ? base + shift : base);
  const unsigned long long out = low ^ (((low >> from) & mask) << to);
  return x - static_cast<long long>(low) + static_cast<long long>(out);
}

template <class S>
bool BasicStage<S>::same_swizzle(const BasicStage& other) const {
  return base == other.base && bits == other.bits && shift == other.shift && up == other.up;
}

template <class S>
S BasicSpace<S>::volume() const {
  S out = 1;
  for (const S& extent : extents) out = out * extent;
  return out;
}

template <class S>
bool BasicSpace<S>::contains(const Point& point) const requires std::same_as<S, Wide> {
  for (std::size_t i = 0; i < rank(); ++i)
    if (point[i] < 0 || point[i] >= extents[i]) return false;
  return true;
}

template <class S>
BasicRow<S> BasicSpace<S>::number() const {
  BasicRow<S> out;
  S weight = 1;
  for (std::size_t i = rank(); i-- > 0; weight = weight * extents[i]) out.terms.emplace_back(i, weight);
  return out;
}

Point evaluate(const Map& map, Point point) {
  charge(point.size());
  Concrete numbers;
  return run(map.stages, std::move(point), numbers);
}

template Wide Stage::swizzled(Wide x) const;
template bool Stage::same_swizzle(const Stage& other) const;
template Wide Space::volume() const;
template bool Space::contains(const Point& point) const;
template Row Space::number() const;
template Wide BasicStage<Polynomial>::swizzled(Wide x) const;
template bool BasicStage<Polynomial>::same_swizzle(const BasicStage& other) const;
template Polynomial BasicSpace<Polynomial>::volume() const;
template BasicRow<Polynomial> BasicSpace<Polynomial>::number() const;

}  // namespace vl::kernel
