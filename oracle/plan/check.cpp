// The checker replays the two derivations of a plan's certificate and compares the plan's steps with the results.
//
// Acceptance implies the law of check.h for the following reasons. The cells of `pieces` partition the domain, and
// their lines stay equal to the maps, so the emitted pieces are the relation's pairs, each once. The leaves of `cover`
// partition the destination's memory, each with its units once. One leaf holds every piece, with the same units, so no
// unit belongs to two pairs, and the gaps are the units without a pair. All pieces have the same swizzle of the
// destination, which permutes the memory, so all of this also holds for the numbers behind it. By their forms, steps
// are the pieces and gaps, byte for byte.
#include "oracle/plan/check.h"

#include <fmt/format.h>

#include "oracle/plan/check_sides.h"
#include "oracle/plan/check_steps.h"

namespace vl::oracle {
namespace {

using checker::Cells;
using checker::Form;
using checker::Objection;
using checker::Part;
using checker::Sides;

const char* name(Rule rule) {
  switch (rule) {
    case Rule::Cut: return "cut";
    case Rule::Block: return "block";
    case Rule::Fix: return "fix";
    case Rule::Drop: return "drop";
    case Rule::Reverse: return "reverse";
    case Rule::Fuse: return "fuse";
    case Rule::Affine: return "affine";
    case Rule::Digit: return "digit";
    case Rule::Swizzle: return "swizzle";
    case Rule::Constant: return "constant";
    case Rule::Address: return "address";
    case Rule::Emit: return "emit";
    case Rule::Holds: return "holds";
    case Rule::Gap: return "gap";
  }
  return "no rule";
}

bool is_of_variables(Rule rule) { return rule <= Rule::Fuse; }

// Parts keep their memory from plan to plan: a part is large, and most plans have a few.
class Parts {
 public:
  void clear() { count_ = 0; }
  [[nodiscard]] std::span<Part> all() { return std::span(parts_).first(count_); }
  [[nodiscard]] Part& add() {
    if (count_ == parts_.size()) parts_.emplace_back();
    Part& part = parts_[count_++];
    part.taken = false;
    return part;
  }

 private:
  std::vector<Part> parts_;
  std::size_t count_ = 0;
};

struct Scratch {
  Cells cells;
  Parts pieces;
  Parts gaps;
};

class Check {
 public:
  Check(const Relation& relation, const Plan& plan, Scratch& scratch)
      : unit_(relation.unit),
        plan_(plan),
        cells_(scratch.cells),
        pieces_(scratch.pieces),
        gaps_(scratch.gaps),
        sides_(relation, scratch.cells) {}

  Objection objection() {
    pieces_.clear();
    gaps_.clear();
    if (auto objection = sides_.sizes()) return objection;
    if (plan_.source_bytes != sides_.units(0) * unit_ || plan_.destination_bytes != sides_.units(1) * unit_)
      return fmt::format("memories of {} and {} bytes, not {} and {}", sides_.units(0) * unit_, sides_.units(1) * unit_,
                         plan_.source_bytes, plan_.destination_bytes);
    if (auto objection = derive_pieces()) return objection;
    if (auto objection = derive_cover()) return objection;
    return object_to_steps(plan_, unit_, pieces_.all(), gaps_.all());
  }

 private:
  Objection derive_pieces() {
    bool more = false;
    if (auto objection = sides_.start(more)) return objection;
    for (std::size_t i = 0; i < plan_.pieces.size(); ++i) {
      const Rewrite& rewrite = plan_.pieces[i];
      if (!more) return fmt::format("rewrite {} ({}): no cell is left", i, name(rewrite.rule));
      auto objection = is_of_variables(rewrite.rule)   ? cells_.rewrite(rewrite)
                       : rewrite.rule == Rule::Emit    ? emit()
                       : rewrite.rule <= Rule::Address ? sides_.rewrite(rewrite.rule)
                                                       : Objection("pieces are emitted");
      if (!objection && rewrite.rule == Rule::Emit && !cells_.next()) objection = sides_.start(more);
      if (objection) return fmt::format("rewrite {} ({}): {}", i, name(rewrite.rule), *objection);
    }
    if (more) return "rewrites end before the last cell is a piece";
    return std::nullopt;
  }

  Objection emit() {
    if (auto objection = sides_.emit()) return objection;
    Part& piece = pieces_.add();
    piece.form.start(cells_.lines(0).constants[0] * unit_, cells_.lines(1).constants[0] * unit_);
    bool fits = piece.form.add(unit_, 1, 1);
    for (std::size_t v = cells_.variables; v-- > 0;) {
      if (cells_.extents[v] == 1) continue;  // others step by less than 2^60 bytes, as the lines stay in their memories
      const Index from = cells_.lines(0).coefficients[0][v] * unit_;
      const Index to = cells_.lines(1).coefficients[0][v] * unit_;
      fits = fits && piece.form.add(cells_.extents[v], from, to);
    }
    if (!fits) return "a number leaves 64 bits";
    piece.form.settle();
    piece.source_swizzle = in_bytes(cells_.progress[0].swizzle);
    piece.destination_swizzle = in_bytes(cells_.progress[1].swizzle);
    return std::nullopt;
  }

  [[nodiscard]] ByteSwizzle in_bytes(ByteSwizzle swizzle) const {
    for (Index bytes = unit_; bytes > 1; bytes /= 2) ++swizzle.base;
    return swizzle.bits == 0 ? ByteSwizzle{} : swizzle;
  }

  // Each unit of the destination's memory is one of exactly one leaf.
  Objection derive_cover() {
    if (plan_.compares || sides_.onto_each_unit_once()) {
      if (!plan_.cover.empty()) return "a cover where none is needed";
      if (plan_.compares && plan_.fills) return "a comparison that fills";
      return std::nullopt;
    }
    if (auto objection = object_to_swizzles()) return objection;
    const Index units = sides_.units(1);
    bool more = units > 0;
    cells_.clear();
    if (units > 1) cells_.extents[cells_.variables++] = units;
    cells_.lines(1).count = 1;
    cells_.lines(1).set(0, cells_.variables, 0);
    if (units > 1) cells_.lines(1).coefficients[0][0] = 1;
    for (std::size_t i = 0; i < plan_.cover.size(); ++i) {
      const Rewrite& rewrite = plan_.cover[i];
      if (!more) return fmt::format("cover {} ({}): no cell is left", i, name(rewrite.rule));
      auto objection = is_of_variables(rewrite.rule) ? cells_.rewrite(rewrite)
                       : rewrite.rule == Rule::Holds ? holds(rewrite.n)
                       : rewrite.rule == Rule::Gap   ? leaf(gaps_.add().form)
                                                     : Objection("no rule of covers");
      if (!objection && (rewrite.rule == Rule::Holds || rewrite.rule == Rule::Gap)) more = cells_.next();
      if (objection) return fmt::format("cover {} ({}): {}", i, name(rewrite.rule), *objection);
    }
    if (more) return "the cover ends before the memory does";
    const std::span<Part> pieces = pieces_.all();
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      if (!pieces[k].taken) return fmt::format("no leaf of the cover holds piece {}", k);
      pieces[k].taken = false;
    }
    for (Part& gap : gaps_.all()) {
      gap.source_swizzle = {};
      gap.destination_swizzle = pieces.empty() ? ByteSwizzle{} : pieces[0].destination_swizzle;
    }
    return std::nullopt;
  }

  // The cover is one of numbers before the swizzle.
  Objection object_to_swizzles() {
    const std::span<Part> pieces = pieces_.all();
    for (std::size_t k = 1; k < pieces.size(); ++k)
      if (pieces[k].destination_swizzle != pieces[0].destination_swizzle)
        return fmt::format("piece {} has another swizzle of the destination", k);
    if (pieces.empty()) return std::nullopt;
    const Index last = plan_.destination_bytes - 1;
    if (checker::bound_of(pieces[0].destination_swizzle, last) == last) return std::nullopt;
    return "the swizzle does not permute the destination's memory";
  }

  Objection holds(Index number) {
    const std::span<Part> pieces = pieces_.all();
    if (number < 0 || static_cast<std::size_t>(number) >= pieces.size())
      return fmt::format("there is no piece {}", number);
    Part& piece = pieces[static_cast<std::size_t>(number)];
    if (std::exchange(piece.taken, true)) return fmt::format("piece {} is held twice", number);
    if (auto objection = leaf(here_)) return objection;
    if (!there_.take_destinations(piece.form) || there_ != here_)
      return fmt::format("piece {} writes other units", number);
    return std::nullopt;
  }

  // The bytes of this cell of the cover.
  Objection leaf(Form& form) {
    const auto& coefficients = cells_.lines(1).coefficients[0];
    form.start(0, cells_.lines(1).constants[0] * unit_);  // numbers of the memory's units, which are below 2^60 bytes
    bool fits = form.add(unit_, 0, 1);
    for (std::size_t v = cells_.variables; v-- > 0;)
      if (cells_.extents[v] != 1) fits = fits && form.add(cells_.extents[v], 0, coefficients[v] * unit_);
    if (!fits) return "a number leaves 64 bits";
    form.settle();
    return std::nullopt;
  }

  Index unit_;
  const Plan& plan_;
  Cells& cells_;
  Parts& pieces_;
  Parts& gaps_;
  Sides sides_;
  Form here_;
  Form there_;
};

}  // namespace

std::optional<std::string> objection_to(const Relation& relation, const Plan& plan) {
  static thread_local Scratch scratch;
  return Check(relation, plan, scratch).objection();
}

std::optional<std::string> objection_to(const Relation& relation, const Plan& plan, const Purpose& purpose) {
  const bool fills = purpose.fills && !purpose.compares && relation.destination.kind == Side::Kind::Image;
  if (plan.compares != purpose.compares) return plan.compares ? "it compares" : "it does not compare";
  if (plan.fills != fills) return fills ? "it does not fill gaps" : "it fills gaps";
  return objection_to(relation, plan);
}

}  // namespace vl::oracle
