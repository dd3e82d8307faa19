// What the engines use of C++20's library and Emscripten's libc++ of LLVM 14 lacks. Included before each source of the
// explorer (-include), and nowhere else.
//
// The algorithms of std::ranges: each is that of <algorithm> on the range's two ends, with the projection put before
// the comparison. Results are those of the standard as far as they are used: an iterator, or of copy() and its like
// {in, out}.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <compare>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

/// In decimal or scientific notation, inf or nan: without white space, a plus sign or hexadecimal digits.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  const size_t start = text.starts_with('-') ? 1 : 0;
  if (text.size() == start || string_view(" \t\n\v\f\r+-").find(text[start]) != string_view::npos)
    return {first, errc::invalid_argument};
  const bool hexadecimal = text.size() > start + 1 && (text[start + 1] == 'x' || text[start + 1] == 'X');
  const string number = hexadecimal ? text.substr(0, start + 1) : text;
  char* stop = nullptr;
  errno = 0;
  const double read = strtod(number.c_str(), &stop);
  if (stop == number.c_str()) return {first, errc::invalid_argument};
  const char* const behind = first + (stop - number.c_str());
  if (errno == ERANGE) return {behind, errc::result_out_of_range};
  value = read;
  return {behind, errc{}};
}

template <class T>
constexpr auto operator<=>(const optional<T>& a, const optional<T>& b) -> decltype(*a <=> *b) {
  if (a && b) return *a <=> *b;
  return a.has_value() <=> b.has_value();
}

}  // namespace std

namespace std::ranges {

struct ProjectsNothing {
  template <class T>
  constexpr T&& operator()(T&& value) const noexcept {
    return std::forward<T>(value);
  }
};

template <class In, class Out>
struct in_out_result {
  In in;
  Out out;
};
template <class T>
struct min_max_result {
  T min;
  T max;
};

template <class Predicate, class Project>
constexpr auto projected_one(Predicate& holds, Project& project) {
  return [&](auto&& value) -> bool {
    return std::invoke(holds, std::invoke(project, std::forward<decltype(value)>(value)));
  };
}
template <class Compare, class Project>
constexpr auto projected_two(Compare& before, Project& project) {
  return [&](auto&& a, auto&& b) -> bool {
    return std::invoke(before, std::invoke(project, std::forward<decltype(a)>(a)),
                       std::invoke(project, std::forward<decltype(b)>(b)));
  };
}
template <class T, class Project>
constexpr auto projected_is(const T& value, Project& project) {
  return [&](auto&& one) -> bool { return std::invoke(project, std::forward<decltype(one)>(one)) == value; };
}

// Of single elements.
template <class R, class Predicate, class Project = ProjectsNothing>
constexpr bool any_of(R&& range, Predicate holds, Project project = {}) {
  return std::any_of(std::begin(range), std::end(range), projected_one(holds, project));
}
template <class R, class Predicate, class Project = ProjectsNothing>
constexpr bool all_of(R&& range, Predicate holds, Project project = {}) {
  return std::all_of(std::begin(range), std::end(range), projected_one(holds, project));
}
template <class R, class Predicate, class Project = ProjectsNothing>
constexpr bool none_of(R&& range, Predicate holds, Project project = {}) {
  return std::none_of(std::begin(range), std::end(range), projected_one(holds, project));
}
template <class R, class Predicate, class Project = ProjectsNothing>
constexpr auto find_if(R&& range, Predicate holds, Project project = {}) {
  return std::find_if(std::begin(range), std::end(range), projected_one(holds, project));
}
template <class R, class Predicate, class Project = ProjectsNothing>
constexpr auto find_if_not(R&& range, Predicate holds, Project project = {}) {
  return std::find_if_not(std::begin(range), std::end(range), projected_one(holds, project));
}
template <class R, class T, class Project = ProjectsNothing>
constexpr auto find(R&& range, const T& value, Project project = {}) {
  return std::find_if(std::begin(range), std::end(range), projected_is(value, project));
}
template <class R, class T, class Project = ProjectsNothing>
constexpr auto count(R&& range, const T& value, Project project = {}) {
  return std::count_if(std::begin(range), std::end(range), projected_is(value, project));
}
template <class R, class Predicate, class Project = ProjectsNothing>
constexpr auto count_if(R&& range, Predicate holds, Project project = {}) {
  return std::count_if(std::begin(range), std::end(range), projected_one(holds, project));
}
template <class R, class Act>
constexpr void for_each(R&& range, Act act) {
  for (auto&& one : range) std::invoke(act, std::forward<decltype(one)>(one));
}

// Of the order.
template <class R, class Compare = less, class Project = ProjectsNothing>
constexpr auto sort(R&& range, Compare before = {}, Project project = {}) {
  std::sort(std::begin(range), std::end(range), projected_two(before, project));
  return std::end(range);
}
template <class R, class Compare = less, class Project = ProjectsNothing>
auto stable_sort(R&& range, Compare before = {}, Project project = {}) {
  std::stable_sort(std::begin(range), std::end(range), projected_two(before, project));
  return std::end(range);
}
template <class R, class Compare = less, class Project = ProjectsNothing>
constexpr bool is_sorted(R&& range, Compare before = {}, Project project = {}) {
  return std::is_sorted(std::begin(range), std::end(range), projected_two(before, project));
}
template <class Iterator, class End>
requires requires(Iterator at) { ++at; }
constexpr bool is_sorted(Iterator first, End last) { return std::is_sorted(first, last); }
template <class R, class Compare = less, class Project = ProjectsNothing>
constexpr auto max_element(R&& range, Compare before = {}, Project project = {}) {
  return std::max_element(std::begin(range), std::end(range), projected_two(before, project));
}
template <class R, class Compare = less, class Project = ProjectsNothing>
constexpr auto min_element(R&& range, Compare before = {}, Project project = {}) {
  return std::min_element(std::begin(range), std::end(range), projected_two(before, project));
}
template <class R>
constexpr auto minmax(R&& range) {
  const auto [low, high] = std::minmax_element(std::begin(range), std::end(range));
  return min_max_result<std::decay_t<decltype(*low)>>{*low, *high};
}
template <class R, class Equal = equal_to, class Project = ProjectsNothing>
constexpr auto adjacent_find(R&& range, Equal equal = {}, Project project = {}) {
  return std::adjacent_find(std::begin(range), std::end(range), projected_two(equal, project));
}
template <class R, class T, class Compare = less, class Project = ProjectsNothing>
constexpr auto lower_bound(R&& range, const T& value, Compare before = {}, Project project = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& one, const T& sought) -> bool {
    return std::invoke(before, std::invoke(project, one), sought);
  });
}
template <class R, class T, class Compare = less, class Project = ProjectsNothing>
constexpr auto upper_bound(R&& range, const T& value, Compare before = {}, Project project = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value, [&](const T& sought, const auto& one) -> bool {
    return std::invoke(before, sought, std::invoke(project, one));
  });
}
template <class R, class T, class Compare = less, class Project = ProjectsNothing>
constexpr bool binary_search(R&& range, const T& value, Compare before = {}, Project project = {}) {
  const auto found = ranges::lower_bound(range, value, before, project);
  return found != std::end(range) && !std::invoke(before, value, std::invoke(project, *found));
}
template <class R>
constexpr void reverse(R&& range) {
  std::reverse(std::begin(range), std::end(range));
}
template <class R>
struct next_permutation_result {
  R in;
  bool found;
};
template <class R>
constexpr auto next_permutation(R&& range) {
  const bool found = std::next_permutation(std::begin(range), std::end(range));
  return next_permutation_result<decltype(std::end(range))>{std::end(range), found};
}

// Of two ranges.
template <class R1, class R2, class Equal = equal_to, class P1 = ProjectsNothing, class P2 = ProjectsNothing>
constexpr bool equal(R1&& a, R2&& b, Equal same = {}, P1 of_a = {}, P2 of_b = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), [&](const auto& x, const auto& y) -> bool {
    return std::invoke(same, std::invoke(of_a, x), std::invoke(of_b, y));
  });
}
template <class R1, class R2>
constexpr bool lexicographical_compare(R1&& a, R2&& b) {
  return std::lexicographical_compare(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class R1, class R2, class Out>
constexpr void set_intersection(R1&& a, R2&& b, Out out) {
  std::set_intersection(std::begin(a), std::end(a), std::begin(b), std::end(b), std::move(out));
}

// That write.
template <class R, class Out>
constexpr auto copy(R&& range, Out out) {
  Out stop = std::copy(std::begin(range), std::end(range), std::move(out));
  return in_out_result<decltype(std::end(range)), Out>{std::end(range), std::move(stop)};
}
template <class R, class Out>
constexpr auto copy_backward(R&& range, Out out) {
  Out first = std::copy_backward(std::begin(range), std::end(range), std::move(out));
  return in_out_result<decltype(std::end(range)), Out>{std::end(range), std::move(first)};
}
template <class R, class Out, class Predicate, class Project = ProjectsNothing>
constexpr auto copy_if(R&& range, Out out, Predicate holds, Project project = {}) {
  Out stop = std::copy_if(std::begin(range), std::end(range), std::move(out), projected_one(holds, project));
  return in_out_result<decltype(std::end(range)), Out>{std::end(range), std::move(stop)};
}
template <class R, class Out>
constexpr auto move(R&& range, Out out) {
  Out stop = std::move(std::begin(range), std::end(range), std::move(out));
  return in_out_result<decltype(std::end(range)), Out>{std::end(range), std::move(stop)};
}
template <class Iterator, class Out>
requires requires(Iterator at) { ++at; }
constexpr auto move(Iterator first, Iterator last, Out out) {
  Out stop = std::move(first, last, std::move(out));
  return in_out_result<Iterator, Out>{last, std::move(stop)};
}
template <class R, class Out, class Change, class Project = ProjectsNothing>
constexpr auto transform(R&& range, Out out, Change change, Project project = {}) {
  Out stop = std::transform(std::begin(range), std::end(range), std::move(out),
                            [&](auto&& one) { return std::invoke(change, std::invoke(project, one)); });
  return in_out_result<decltype(std::end(range)), Out>{std::end(range), std::move(stop)};
}
template <class R, class T>
constexpr void fill(R&& range, const T& value) {
  std::fill(std::begin(range), std::end(range), value);
}
template <class R, class T>
constexpr void replace(R&& range, const T& old, const T& by) {
  std::replace(std::begin(range), std::end(range), old, by);
}
template <class R, class Predicate, class T>
constexpr void replace_if(R&& range, Predicate holds, const T& by) {
  std::replace_if(std::begin(range), std::end(range), std::move(holds), by);
}

}  // namespace std::ranges
