#include "verifier/claims/proofs/pieces.h"

#include <algorithm>

namespace vl::claims {
namespace {

using checker::ByPieces;
using checker::Cell;
using checker::Crossing;
using checker::Evidence;
using checker::Form;
using checker::Forms;
using checker::Group;
using checker::Interval;
using checker::Questions;
using checker::Rejected;
using checker::Stuck;
using checker::Wide;

constexpr std::size_t kFirstWays = 6;  // of joining dimensions
constexpr int kMostTries = 64;         // of one piece's digits

struct Place {
  std::size_t group;
  Wide at;
};

// Where a group is cut so that the form is on one side of the bound in one of both parts: at a digit that leads its
// group, of the largest reach.
std::optional<Place> place_across(const Forms& forms, const Form& form, Wide bound) {
  std::optional<Place> best;
  Wide most = 0;
  for (std::size_t atom = 0; atom < std::min(forms.digits(), form.terms.size()); ++atom) {
    const auto group = forms.leads(atom);
    const Wide c = form.terms[atom], size = c.abs(), reach = size * (forms.extent(atom) - 1);
    if (!group || reach <= most) continue;
    Form rest = form;
    rest.terms[atom] = 0;
    const Interval span = forms.range(rest);
    // rest + c·v against the bound: the first v that is not wholly on the side of v = 0, the first on the other one.
    for (const Wide distance :
         {c > 0 ? bound - span.high : span.low - bound + 1, c > 0 ? bound - span.low : span.high - bound + 1}) {
      const Wide v = (distance + size - 1) / size;
      if (v <= 0 || v >= forms.extent(atom)) continue;
      best = Place{*group, forms.number_at(*group, v)};
      most = reach;
      break;
    }
  }
  return best;
}

// The shift of a group with which a quotient's rest loses its constant: its last digit counts one by one.
bool shift(std::vector<Group>& groups, const Forms& forms, const Crossing& crossing) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Wide unit = crossing.form.at(forms.begin(g) + groups[g].weights.size() - 1);
    if (groups[g].shift || unit <= 0 || crossing.weight % unit != 0 || crossing.form.constant % unit != 0) continue;
    const Wide by = crossing.form.constant / unit % (crossing.weight / unit);
    if (by == 0) continue;
    groups[g].shift = by;
    return true;
  }
  return false;
}

class PieceMaker {
 public:
  PieceMaker(const PieceTask& task, Effort& effort) : task_(task), effort_(effort) {}

  std::optional<ByPieces> made(const Groups& groups) {
    ByPieces out;
    std::vector<Cell> cells{whole(groups)};
    steps_.clear();
    while (out.digits.size() < cells.size()) {
      const std::size_t n = out.digits.size();
      Found found = piece(groups, cells[n]);
      if (auto* digits = std::get_if<Groups>(&found)) {
        out.digits.push_back(std::move(*digits));
        continue;
      }
      const auto* place = std::get_if<Place>(&found);
      if (place == nullptr || cells.size() >= task_.most || effort_.is_spent()) return std::nullopt;
      out.cuts.push_back({n, place->group, place->at});
      cells.push_back(cells[n]);
      cells[n][place->group].high = place->at - 1;
      cells.back()[place->group].low = place->at;
    }
    if (task_.field == &Evidence::occupied) out.steps = std::move(steps_);
    return out;
  }

 private:
  using Found = std::variant<std::monostate, Groups, Place>;

  [[nodiscard]] Cell whole(const Groups& groups) const {
    Evidence none;
    const checker::Space box = Questions(task_.a, task_.b, none).box();
    Cell out;
    for (std::size_t next = 0; const Group& group : groups) {
      Wide total = 1;
      for (const std::size_t end = next + group.dims; next < end; ++next) total = total * box.extents[next];
      out.push_back({0, total - 1});
    }
    return out;
  }

  // Digits of a piece that show it, or where it is to be cut.
  [[nodiscard]] Found piece(Groups groups, const Cell& cell) {
    bool shifts = true;  // shifts may be tried
    for (int tries = 0; tries < kMostTries && !effort_.is_spent(); ++tries) {
      Evidence alone;
      alone.digits = groups;
      Questions asked(task_.a, task_.b, alone, cell);
      try {
        if (task_.slots_only && asked.none_lands()) return groups;
        show(asked, alone);
        return groups;
      } catch (const Stuck& stuck) {
        if (!cut_digits(groups[stuck.group], stuck.weight, false)) return {};
      } catch (const Crossing& crossing) {
        const auto place = place_across(asked.forms(), crossing.form, crossing.bound);
        const Interval span = asked.forms().range(crossing.form);
        const bool once = span.high < crossing.bound + crossing.weight;
        if (place && once) return *place;
        if (shifts && shift(groups, asked.forms(), crossing)) continue;
        if (place) return *place;
        return edge(asked);
      } catch (const Rejected&) {
        if (auto found = edge(asked); !std::holds_alternative<std::monostate>(found)) return found;
        const bool is_shifted = std::ranges::any_of(groups, [](const Group& group) { return group.shift.has_value(); });
        if (!is_shifted) return {};
        shifts = false;
        for (Group& group : groups) group.shift.reset();
      }
    }
    return {};
  }

  void show(Questions& asked, Evidence& alone) {
    if (task_.field != &Evidence::occupied) {
      alone.*task_.field = checker::ByDigits{};
      return task_.show(asked);
    }
    const std::vector<Form> rows = asked.outputs(0);
    const auto steps = peel_steps(asked.forms(), rows, asked.forms().unused(rows));
    alone.occupied = checker::ByCount{steps};
    static_cast<void>(asked.occupied());
    steps_.push_back(steps);
  }

  // Where some points of the piece have a slot and others have none.
  [[nodiscard]] Found edge(Questions& asked) const {
    if (!task_.slots_only) return {};
    return unless_rejected([&]() -> Found {
      const checker::Space& box = task_.a.physical;
      const std::vector<Form> values = asked.outputs(0);
      for (std::size_t j = 0; j < values.size(); ++j) {
        const Wide extent = j < box.rank() ? box.extents[j] : Wide(1);
        const Interval span = asked.forms().range(values[j]);
        for (const Wide bound : {Wide(0), extent}) {
          if (span.low >= bound || span.high < bound) continue;
          if (const auto place = place_across(asked.forms(), values[j], bound)) return *place;
        }
      }
      return {};
    });
  }

  const PieceTask& task_;
  Effort& effort_;
  std::vector<std::vector<checker::Step>> steps_;
};

}  // namespace

std::optional<ByPieces> pieces_for(const PieceTask& task, Effort& effort) {
  Evidence none;
  const checker::Space box = Questions(task.a, task.b, none).box();
  if (box.volume() == 0) return std::nullopt;
  std::vector<Groups> ways = ways_to_group(box, task.parts);
  ways.resize(std::min(ways.size(), kFirstWays));
  for (const Groups& way : ways) {
    if (effort.is_spent()) return std::nullopt;
    if (auto made = unless_rejected([&] { return PieceMaker(task, effort).made(way); })) return made;
  }
  return std::nullopt;
}

}  // namespace vl::claims
