#include "verifier/neutral/pieces.h"

#include <algorithm>

namespace vl::neutral {
namespace {

using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Format;

constexpr std::size_t kMostPieces = 8;  // of one class

// The places at which pieces are cut: each of these numbers is a piece of its own.
std::vector<std::int64_t> single_places(const Format& format, bool ones) {
  if (!format.is_float()) return {lowest_order(format), 0};
  std::vector<std::int64_t> out{lowest_order(format), -1, 0, highest_order(format)};
  const Code one = values::one(format);
  if (ones) out.insert(out.end(), {order(format, one), order(format, values::negated(format, one))});
  std::ranges::sort(out);
  return out;
}

// One NaN of each kind stands for all of its kind.
void add_nan_pieces(const Format& format, const CodeSet& set, std::vector<Piece>& out) {
  for (const CodeSet& kind : {quiet_nans(format), signalling_nans(format)}) {
    const CodeSet found = set.intersected(kind);
    if (!found.empty()) out.push_back({0, 0, found.ranges().front().first});
  }
}

}  // namespace

Code code_at(const Format& format, std::int64_t place) { return *at_order(format, place); }

std::vector<Piece> pieces_of(const Format& format, const CodeSet& set, bool ones) {
  std::vector<Piece> out;
  const auto add = [&](std::int64_t low, std::int64_t high) {
    if (low > high) return;
    const CodeSet window = numbers_between(format, low, high), found = set.intersected(window);
    if (found.empty()) return;
    std::vector<Piece> more;
    for (const CodeRange& range : found.ranges()) {
      const std::int64_t one = order(format, range.first), other = order(format, range.last);
      more.push_back({std::min(one, other), std::max(one, other), {}});
    }
    if (more.size() > kMostPieces) {
      Piece hull = more.front();
      for (const Piece& piece : more) hull = {std::min(hull.low, piece.low), std::max(hull.high, piece.high), {}};
      more = {hull};
    }
    out.insert(out.end(), more.begin(), more.end());
  };
  std::int64_t next = lowest_order(format);
  for (const std::int64_t place : single_places(format, ones)) {
    if (place > next) add(next, place - 1);
    add(place, place);
    next = place == highest_order(format) ? place : place + 1;
  }
  if (next < highest_order(format) || !format.is_float()) add(next, highest_order(format));
  add_nan_pieces(format, set, out);
  return out;
}

}  // namespace vl::neutral
