#include "encodings/use/division.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "encodings/base/cursor.h"

namespace vl::use {
namespace {

Slice read_slice(Cursor& in) {
  Slice slice;
  do {
    Interval interval;
    interval.begin = in.integer("begin:end of a slice");
    in.expect(":");
    interval.end = in.integer("the slice's end");
    slice.push_back(interval);
  } while (in.accept(","));
  return slice;
}

std::vector<Slice> read_slices(Cursor& in) {
  std::vector<Slice> slices;
  in.expect("[");
  if (in.accept("]")) return slices;
  do {
    in.expect("[");
    slices.push_back(in.peek() == ']' ? Slice{} : read_slice(in));
    in.expect("]");
  } while (in.accept(","));
  in.expect("]");
  return slices;
}

void read_order(Cursor& in, Division& division) {
  if (in.peek() == '[' || in.peek() == '(') {
    const std::size_t at = in.offset();
    for (const Index dim : in.integer_list("the dimensions, fastest first")) {
      if (dim < 0) in.fail(ErrorCode::Value, fmt::format("{} is not a dimension", dim), at);
      division.order.push_back(index_of(dim));
    }
    return;
  }
  division.last_fastest = in.accept("last-fastest");
  if (!division.last_fastest && !in.accept("first-fastest"))
    in.fail(fmt::format("expected first-fastest, last-fastest or a list of dimensions, found {}", in.found()));
}

// The error of the numbers of a division, for any tensor.
std::optional<Error> wrong_numbers(const Division& division) {
  for (const Index split : division.splits)
    if (split < 1) return Error{ErrorCode::Value, fmt::format("expected splits of at least 1, found {}", split)};
  if (!checked_product(division.splits))
    return Error{ErrorCode::Overflow, "the product of the splits does not fit in 64 bits"};
  if (division.cores < 1 || division.cores > kMostCores)
    return Error{ErrorCode::Value, fmt::format("expected 1 to {} cores, found {}", kMostCores, division.cores)};
  if (division.span < 0 || division.stick < 0)
    return Error{ErrorCode::Value, "expected a span and a stick that are not negative"};
  if (division.slices && static_cast<Index>(division.slices->size()) > kMostCores)
    return Error{ErrorCode::Value,
                 fmt::format("expected at most {} slices, found {}", kMostCores, division.slices->size())};
  return std::nullopt;
}

// Whether `values` are 0 <= v < count, each at most once.
template <class T>
bool distinct_below(const std::vector<T>& values, std::size_t count) {
  std::set<T> seen;
  return std::ranges::all_of(values, [&](T v) { return v < static_cast<T>(count) && seen.insert(v).second; });
}

}  // namespace

Result<Slice> parse_slice(std::string_view text) {
  Cursor in(text);
  Slice slice = in.at_end() ? Slice{} : read_slice(in);
  in.expect_end();
  if (in.failed()) return in.error();
  return slice;
}

Result<Division> parse_division(std::string_view text) {
  Cursor in(text);
  Division division;
  std::set<std::string_view> seen;
  bool has_splits = false;
  while (!in.failed() && !in.at_end()) {
    const std::size_t at = in.offset();
    const bool bare = in.peek() == '[' || in.peek() == '(';
    const std::string_view key =
        bare ? "splits" : in.identifier("splits, or one of scales, cores, order, span, stick, sticks, slices");
    if (!bare) in.expect("=");
    if (in.failed()) break;
    if (!seen.insert(key).second) in.fail(ErrorCode::Value, fmt::format("'{}' is given twice", key), at);
    if (key == "splits") {
      division.splits = in.integer_list("the splits");
      has_splits = true;
    } else if (key == "scales") division.scales = in.integer_list("the scales");
    else if (key == "cores") division.cores = in.integer("a number of cores");
    else if (key == "span") division.span = in.integer("a number of bytes");
    else if (key == "stick") division.stick = in.integer("a number of elements");
    else if (key == "sticks") division.sticks = in.integer_list("dimensions of the operation");
    else if (key == "order") read_order(in, division);
    else if (key == "slices") division.slices = read_slices(in);
    else
      in.fail(ErrorCode::Syntax,
              fmt::format(
                  "unknown part '{}'; expected one of splits, scales, cores, order, span, stick, sticks, slices", key),
              at);
    if (in.failed()) break;
    if (auto wrong = wrong_numbers(division)) in.fail(wrong->code, wrong->message, at);
  }
  if (!in.failed() && !has_splits && !division.slices)
    in.fail("expected splits, as in [4,1,8], or slices=[[0:64],[64:67]]");
  if (in.failed()) return in.error();
  return division;
}

Result<Division> fitted(Division division, std::size_t rank) {
  if (auto wrong = wrong_numbers(division)) return *wrong;
  const bool only_slices = division.splits.empty() && division.slices;
  const std::size_t dims = division.splits.size();
  if (division.scales.empty() && !only_slices) {
    if (dims != rank)
      return Error{ErrorCode::Shape,
                   fmt::format("{} splits for a tensor of rank {}; expected one per dimension, or scales", dims, rank)};
    division.scales.resize(rank);
    std::iota(division.scales.begin(), division.scales.end(), 0);
  }
  if (division.scales.size() != dims)
    return Error{ErrorCode::Shape, fmt::format("{} scales for {} splits", division.scales.size(), dims)};
  std::vector<Index> present;
  std::ranges::copy_if(division.scales, std::back_inserter(present), [](Index dim) { return dim >= 0; });
  if (!distinct_below(present, rank))
    return Error{ErrorCode::Value,
                 fmt::format("expected scales that name each of the tensor's {} dimensions at most once", rank)};
  if (division.order.empty()) {
    division.order.resize(dims);
    std::iota(division.order.begin(), division.order.end(), std::size_t{0});
    if (division.last_fastest) std::ranges::reverse(division.order);
  }
  if (division.order.size() != dims || !distinct_below(division.order, dims))
    return Error{ErrorCode::Value, fmt::format("expected an order that names each of {} dimensions once", dims)};
  if (!distinct_below(division.sticks, dims) || std::ranges::any_of(division.sticks, [](Index dim) { return dim < 0; }))
    return Error{ErrorCode::Value, fmt::format("expected sticks that name each of {} dimensions at most once", dims)};
  if (only_slices && division.stick != 0)
    return Error{ErrorCode::Value, "a stick goes with splits: slices alone are held against the layout's own sticks"};
  for (const Slice& slice : division.slices.value_or(std::vector<Slice>{}))
    if (slice.size() != rank)
      return Error{ErrorCode::Shape,
                   fmt::format("a slice of {} intervals for a tensor of rank {}", slice.size(), rank)};
  return division;
}

std::vector<Index> slice_numbers(const Division& division, Index core) {
  std::vector<Index> numbers(division.splits.size(), 0);
  for (const std::size_t dim : division.order) {
    numbers[dim] = core % division.splits[dim];
    core /= division.splits[dim];
  }
  return numbers;
}

}  // namespace vl::use
