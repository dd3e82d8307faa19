#include "encodings/map/pieces.h"

#include <algorithm>
#include <numeric>

namespace vl::map {
namespace {

constexpr Index kMostValues = 64;

// The rest of a line without the multiples of w, which are in the quotient: coefficients and constant in [0, w).
struct Residue {
  std::vector<Index> coefficients;
  Index constant = 0;
  Index others = 0;         // the largest value of all terms but the leading one
  Index high = 0;           // the largest value of all
  std::size_t leading = 0;  // the variable with the largest coefficient
};

// Restricts variable k to `count` values from `from` on. False on overflow.
bool restrict_to(Piece& piece, std::size_t k, Index from, Index count) {
  piece.extents[k] = count;
  return std::ranges::all_of(piece.lines,
                             [&](Line& line) { return accumulate(line.constant, line.coefficients[k], from); });
}

// v_k = q·y + z with 0 <= z < q: y replaces v_k, and z is new. Requires: q divides extents[k].
bool block(Piece& piece, std::size_t k, Index q) {
  piece.extents[k] /= q;
  piece.extents.push_back(q);
  for (Line& line : piece.lines) {
    line.coefficients.push_back(line.coefficients[k]);
    const auto scaled = checked_mul(line.coefficients[k], q);
    if (!scaled) return false;
    line.coefficients[k] = *scaled;
  }
  return true;
}

void drop(Piece& piece, std::size_t k) {
  const auto at = static_cast<std::ptrdiff_t>(k);
  piece.extents.erase(piece.extents.begin() + at);
  for (Line& line : piece.lines) line.coefficients.erase(line.coefficients.begin() + at);
}

void drop_units(Piece& piece) {
  for (std::size_t k = piece.extents.size(); k-- > 0;)
    if (piece.extents[k] == 1) drop(piece, k);
}

// Counts variable k downwards, which changes the sign of its coefficients.
bool reflect(Piece& piece, std::size_t k) {
  for (Line& line : piece.lines) {
    if (!accumulate(line.constant, line.coefficients[k], piece.extents[k] - 1)) return false;
    const auto negated = checked_mul(line.coefficients[k], -1);
    if (!negated) return false;
    line.coefficients[k] = *negated;
  }
  return true;
}

std::optional<Residue> residue_of(const Line& line, std::span<const Index> extents, Index w) {
  Residue out;
  out.constant = floor_mod(line.constant, w);
  out.high = out.constant;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    out.coefficients.push_back(floor_mod(line.coefficients[k], w));
    if (!accumulate(out.high, out.coefficients[k], extents[k] - 1)) return std::nullopt;
    if (out.coefficients[k] > out.coefficients[out.leading]) out.leading = k;
  }
  out.others = out.high - out.constant;
  if (!extents.empty()) out.others -= out.coefficients[out.leading] * (extents[out.leading] - 1);
  return out;
}

// Divides one line of pieces by a weight. Results are in `done`; `failed`: a piece is outside the fragment.
class Divider {
 public:
  Divider(std::size_t at, Index weight, std::size_t budget) : at_(at), weight_(weight), budget_(budget) {}

  // Divides the piece until floor(line / weight) is affine on each part. Requires: the coefficients of that line are
  // not negative.
  void settle(Piece piece) {
    work_.push_back(std::move(piece));
    while (!failed_ && !work_.empty()) {
      Piece next = std::move(work_.back());
      work_.pop_back();
      take(std::move(next));
    }
  }

  [[nodiscard]] bool failed() const { return failed_; }
  std::vector<Piece>& done() { return done_; }

 private:
  void take(Piece piece) {
    if (failed_ || ++steps_ > 8 * budget_ || done_.size() > budget_) {
      failed_ = true;
      return;
    }
    drop_units(piece);
    const auto residue = residue_of(piece.lines[at_], piece.extents, weight_);
    if (!residue) {
      failed_ = true;
    } else if (residue->high < weight_) {
      done_.push_back(std::move(piece));
    } else if (weight_ % residue->coefficients[residue->leading] == 0) {
      settle_nested(std::move(piece), *residue);
    } else {
      settle_crossing(std::move(piece), *residue);
    }
  }

  // Puts a piece back, to be taken next. (A list, not a recursion: there may be thousands.)
  void again(Piece piece) { work_.push_back(std::move(piece)); }
  void again(std::vector<Piece>& parts) {
    for (std::size_t k = parts.size(); k-- > 0;) again(std::move(parts[k]));
  }

  // The leading coefficient r divides the weight: q steps of the leading variable make one quotient.
  void settle_nested(Piece piece, const Residue& residue) {
    const std::size_t k = residue.leading;
    const Index r = residue.coefficients[k];
    const Index q = weight_ / r;
    if (residue.constant % r + residue.others < r) {
      const Index begun = residue.constant / r;  // steps of the first block that lie before v_k = 0
      const Index first = begun == 0 ? 0 : q - begun;
      if (first > 0) {
        cut(std::move(piece), k, first);
      } else if (piece.extents[k] % q != 0) {
        const Index whole = piece.extents[k] - piece.extents[k] % q;
        cut(std::move(piece), k, whole);
      } else {
        failed_ = failed_ || !block(piece, k, q);
        again(std::move(piece));
      }
      return;
    }
    // The smaller terms carry into the leading one. Two variables of one coefficient: one has to be fixed.
    std::optional<std::size_t> twin;
    for (std::size_t j = 0; j < piece.extents.size(); ++j)
      if (j != k && residue.coefficients[j] == r) twin = j;
    if (twin) {
      fix(piece, piece.extents[*twin] < piece.extents[k] ? *twin : k);
      return;
    }
    // Else first divide them by r.
    Line rest{residue.constant, residue.coefficients};
    rest.coefficients[k] = 0;
    piece.lines.push_back(std::move(rest));
    Divider inner(piece.lines.size() - 1, r, budget_);
    inner.settle(std::move(piece));
    failed_ = failed_ || inner.failed();
    for (Piece& part : inner.done()) part.lines.pop_back();
    again(inner.done());
  }

  // The leading coefficient does not divide the weight: the residues repeat after weight/gcd steps, and within these
  // steps the quotient grows at a few places.
  void settle_crossing(Piece piece, const Residue& residue) {
    const std::size_t k = residue.leading;
    const Index r = residue.coefficients[k];
    const Index period = weight_ / std::gcd(r, weight_);
    const Index extent = piece.extents[k];
    if (extent > period) {
      if (extent % period != 0) {
        cut(std::move(piece), k, extent - extent % period);
        return;
      }
      failed_ = failed_ || !block(piece, k, period);
      again(std::move(piece));
      return;
    }
    // Values below `safe` certainly have the first quotient; only value 0 may have it or not.
    const Index room = weight_ - residue.constant - residue.others;
    const Index safe = room > 0 ? ceil_div(room, r) : 0;
    cut(std::move(piece), k, std::max<Index>(safe, 1));
  }

  void cut(Piece piece, std::size_t k, Index where) {
    if (where >= piece.extents[k]) {  // all values lie before the cut, which would change nothing
      fix(piece, k);
      return;
    }
    Piece tail = piece;
    failed_ = failed_ || !restrict_to(piece, k, 0, where) || !restrict_to(tail, k, where, tail.extents[k] - where);
    again(std::move(tail));
    again(std::move(piece));
  }

  void fix(const Piece& piece, std::size_t k) {
    auto parts = each_value(piece, k);
    failed_ = failed_ || !parts;
    if (!failed_) again(*parts);
  }

  std::size_t at_;
  Index weight_;
  std::size_t budget_;
  std::size_t steps_ = 0;
  bool failed_ = false;
  std::vector<Piece> work_;  // taken from the back
  std::vector<Piece> done_;
};

// Replaces line `at` by its quotient and its rest modulo w. Requires: settled.
bool extract(Piece& piece, std::size_t at, Index w) {
  const auto residue = residue_of(piece.lines[at], piece.extents, w);
  if (!residue) return false;
  Line& line = piece.lines[at];
  line.constant = floor_div(line.constant, w);
  for (Index& coefficient : line.coefficients) coefficient = floor_div(coefficient, w);
  piece.lines.insert(piece.lines.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     Line{residue->constant, residue->coefficients});
  return true;
}

// One digit after the other; `at` is the line of the rest.
std::optional<std::vector<Piece>> split(std::vector<Piece> pieces, std::size_t at, std::span<const Index> weights) {
  for (std::size_t digit = 0; digit + 1 < weights.size(); ++digit, ++at) {
    std::vector<Piece> next;
    for (Piece& piece : pieces) {
      for (std::size_t k = 0; k < piece.extents.size(); ++k)
        if (piece.lines[at].coefficients[k] < 0 && !reflect(piece, k)) return std::nullopt;
      Divider divider(at, weights[digit], kMostPieces - std::min(kMostPieces, next.size()));
      divider.settle(std::move(piece));
      if (divider.failed()) return std::nullopt;
      for (Piece& part : divider.done()) {
        if (!extract(part, at, weights[digit])) return std::nullopt;
        next.push_back(std::move(part));
      }
    }
    pieces = std::move(next);
    if (pieces.size() > kMostPieces) return std::nullopt;
  }
  return pieces;
}

// Replaces the lines from `first` on by the rows over them.
bool apply(Piece& piece, std::size_t first, const Affine& affine) {
  std::vector<Line> lines;
  for (const Row& row : affine.rows) {
    auto line = combined(row, std::span(piece.lines).subspan(first), piece.extents.size());
    if (!line) return false;
    lines.push_back(std::move(*line));
  }
  piece.lines.resize(first);
  std::ranges::move(lines, std::back_inserter(piece.lines));
  return true;
}

}  // namespace

std::optional<Line> combined(const Row& row, std::span<const Line> lines, std::size_t variables) {
  Line sum{row.constant, std::vector<Index>(variables, 0)};
  for (const Term& term : row.terms) {
    const Line& line = lines[term.input];
    if (!accumulate(sum.constant, term.coefficient, line.constant)) return std::nullopt;
    for (std::size_t k = 0; k < variables; ++k)
      if (!accumulate(sum.coefficients[k], term.coefficient, line.coefficients[k])) return std::nullopt;
  }
  return sum;
}

std::optional<Range> range_of(const Line& line, std::span<const Index> extents) {
  Range range{line.constant, line.constant};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    Index& end = line.coefficients[k] < 0 ? range.low : range.high;
    if (!accumulate(end, line.coefficients[k], extents[k] - 1)) return std::nullopt;
  }
  return range;
}

void fuse(Piece& piece) {
  drop_units(piece);
  const auto continues = [&](std::size_t outer, std::size_t inner) {
    return std::ranges::all_of(piece.lines, [&](const Line& line) {
      return checked_mul(line.coefficients[inner], piece.extents[inner]) == line.coefficients[outer];
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t outer = 0; outer < piece.extents.size() && !changed; ++outer)
      for (std::size_t inner = 0; inner < piece.extents.size() && !changed; ++inner) {
        const auto joined = checked_mul(piece.extents[outer], piece.extents[inner]);
        if (outer == inner || !joined || !continues(outer, inner)) continue;
        piece.extents[inner] = *joined;
        drop(piece, outer);
        changed = true;
      }
  }
}

std::optional<std::vector<Piece>> each_value(const Piece& piece, std::size_t k) {
  if (piece.extents[k] > kMostValues) return std::nullopt;
  std::vector<Piece> parts;
  for (Index value = 0; value < piece.extents[k]; ++value) {
    parts.push_back(piece);
    if (!restrict_to(parts.back(), k, value, 1)) return std::nullopt;
    drop(parts.back(), k);
  }
  return parts;
}

std::optional<std::vector<Piece>> run(const Piece& piece, std::size_t first, std::span<const Stage> stages) {
  std::vector<Piece> pieces{piece};
  drop_units(pieces.front());
  for (const Stage& stage : stages) {
    if (const auto* affine = std::get_if<Affine>(&stage)) {
      for (Piece& part : pieces)
        if (!apply(part, first, *affine)) return std::nullopt;
      for (Piece& part : pieces) fuse(part);
    } else if (const auto* digits = std::get_if<Split>(&stage)) {
      auto parts = split(std::move(pieces), first + digits->input, digits->weights);
      if (!parts) return std::nullopt;
      pieces = std::move(*parts);
    } else {
      return std::nullopt;
    }
  }
  return pieces;
}

std::vector<bool> unread(const Map& map) {
  const auto* affine = map.stages().empty() ? nullptr : std::get_if<Affine>(&map.stages().front());
  std::vector<bool> out(map.domain().rank(), affine != nullptr);
  if (affine != nullptr)
    for (const Row& row : affine->rows)
      for (const Term& term : row.terms) out[term.input] = false;
  return out;
}

}  // namespace vl::map
