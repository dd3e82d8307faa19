#include "encodings/map/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vl::map {
namespace {

constexpr std::size_t kMostDims = 256;  // PyTorch stops at 64
constexpr std::array<std::string_view, 6> kUnitNames = {"element", "byte", "stick", "word", "core", "lane"};

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string_view name(Unit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

std::optional<Unit> unit_of(std::string_view name) {
  const auto found = std::ranges::find(kUnitNames, name);
  if (found == kUnitNames.end()) return std::nullopt;
  return static_cast<Unit>(found - kUnitNames.begin());
}

Result<Space> Space::create(std::vector<Dim> dims) {
  if (dims.size() > kMostDims)
    return Error{ErrorCode::Value, fmt::format("{} dimensions; expected at most {}", dims.size(), kMostDims)};
  std::vector<Index> extents;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].extent < 0)
      return Error{ErrorCode::Value, fmt::format("dimension {} has the negative extent {}", i, dims[i].extent)};
    if (!is_identifier(dims[i].name))
      return Error{ErrorCode::Value, fmt::format("'{}' is not a name for a dimension", dims[i].name)};
    for (std::size_t j = 0; j < i; ++j)
      if (dims[j].name == dims[i].name)
        return Error{ErrorCode::Value, fmt::format("two dimensions are named '{}'", dims[i].name)};
    extents.push_back(dims[i].extent);
  }
  const auto volume = checked_product(extents);
  if (!volume)
    return Error{ErrorCode::Overflow,
                 fmt::format("the product of the extents [{}] does not fit in 64 bits", fmt::join(extents, ", "))};
  Space space;
  space.dims_ = std::move(dims);
  space.volume_ = *volume;
  return space;
}

std::vector<Dim> Space::dims(std::string_view prefix, std::span<const Index> extents, Unit unit) {
  std::vector<Dim> dims;
  for (std::size_t i = 0; i < extents.size(); ++i)
    dims.push_back(Dim{fmt::format("{}{}", prefix, i), extents[i], unit});
  return dims;
}

bool Space::contains(std::span<const Index> point) const {
  if (point.size() != rank()) return false;
  for (std::size_t i = 0; i < rank(); ++i)
    if (point[i] < 0 || point[i] >= dims_[i].extent) return false;
  return true;
}

Index Space::linear(std::span<const Index> point) const {
  VL_CHECK(contains(point), "linear() of a point outside the space");
  Index number = 0;
  for (std::size_t i = 0; i < rank(); ++i) number = number * dims_[i].extent + point[i];
  return number;
}

Point Space::point(Index number) const {
  VL_CHECK(number >= 0 && number < volume_, "point() of a number outside the space");
  Point point(rank());
  for (std::size_t i = rank(); i-- > 0;) {
    point[i] = number % dims_[i].extent;
    number /= dims_[i].extent;
  }
  return point;
}

std::vector<Index> extents_of(const Space& space) {
  std::vector<Index> extents;
  for (const Dim& dim : space.dims()) extents.push_back(dim.extent);
  return extents;
}

std::vector<Index> bounds_of(const Space& space, std::size_t values) {
  std::vector<Index> bounds = extents_of(space);
  bounds.resize(values, 1);
  return bounds;
}

std::vector<Index> row_major_weights(const Space& space) {
  std::vector<Index> weights(space.rank(), 1);
  for (std::size_t k = space.rank(); k-- > 1;)
    weights[k - 1] = checked_mul(weights[k], std::max<Index>(space.extent(k), 1)).value_or(Index{1} << 62);
  return weights;
}

Result<Space> concatenate(const Space& a, const Space& b) {
  std::vector<Dim> dims = a.dims();
  dims.insert(dims.end(), b.dims().begin(), b.dims().end());
  return Space::create(std::move(dims));
}

bool advance(const Space& space, std::span<Index> point) {
  for (std::size_t i = space.rank(); i-- > 0;) {
    if (++point[i] < space.extent(i)) return true;
    point[i] = 0;
  }
  return false;
}

}  // namespace vl::map
