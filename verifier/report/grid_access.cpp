// Figures in text and JSON, and the access in words.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/report/grid.h"
#include "verifier/report/json_parts.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

bool is_touched(const GridRow& row) {
  return std::ranges::any_of(row.cells, [](const GridCell& cell) { return !cell.lanes.empty(); });
}

// Conflicts are marked only in the grids of lanes.
Grid without_conflicts(Grid grid) {
  for (GridRow& row : grid.rows)
    for (GridCell& cell : row.cells) cell.conflict = false;
  return grid;
}

Json json_of(const Grid& grid) {
  Json rows = Json::array();
  for (const GridRow& row : grid.rows) {
    Json cells = Json::array();
    for (const GridCell& cell : row.cells) {
      Json item{{"text", cell.text}, {"holds", cell.holds}};
      if (!cell.lanes.empty()) item["lanes"] = cell.lanes;
      if (cell.marked) item["marked"] = true;
      if (cell.conflict) item["conflict"] = true;
      if (cell.outside) item["outside"] = true;
      cells.push_back(std::move(item));
    }
    rows.push_back({{"header", row.header}, {"cells", std::move(cells)}});
  }
  return {{"name", grid.name},       {"says", grid.says},       {"rows_are", grid.corner},
          {"columns", grid.columns}, {"rows", std::move(rows)}, {"left_out", grid.left_out}};
}

Json json_of(const AccessUse& use) {
  Json phases = Json::array();
  for (const PhaseUse& phase : use.phases) {
    Json banks = Json::array();
    for (const BankUse& bank : phase.banks)
      banks.push_back({{"bank", bank.bank}, {"cost", bank.cost}, {"lanes", bank.lanes}});
    phases.push_back({{"lanes", phase.lanes}, {"wavefronts", phase.wavefronts}, {"banks", std::move(banks)}});
  }
  return {{"access", use.access},         {"hardware", use.hardware}, {"instance", use.instance},
          {"wavefronts", use.wavefronts}, {"ideal", use.ideal},       {"phases", std::move(phases)}};
}

}  // namespace

Grid lanes_grid(const Grid& grid) {
  Grid out = grid;
  out.name = "lane";
  out.says = "the lanes that touch it, ! where they conflict";
  out.joining = Joining::Same;
  out.rows.clear();
  Index untouched = 0;
  const auto leave_out = [&] {
    if (untouched > 0) out.rows.push_back({fmt::format("… {} without a lane", plural(untouched, "line")), {}});
    untouched = 0;
  };
  for (const GridRow& row : grid.rows) {
    if (!is_touched(row)) {
      if (row.cells.empty()) {
        leave_out();
        out.rows.push_back(row);
      } else {
        ++untouched;
      }
      continue;
    }
    leave_out();
    GridRow& copy = out.rows.emplace_back(row);
    for (GridCell& cell : copy.cells) {
      cell.holds.clear();
      cell.text = spelled_list(cell.lanes);
      cell.marked = false;
    }
  }
  leave_out();
  return out;
}

std::vector<std::string> lines_of(const AccessUse& use) {
  const Index conflicts = use.wavefronts - use.ideal;
  std::vector<std::string> out{fmt::format("access {} on {}", use.access, use.hardware)};
  if (!use.instance.empty()) out.push_back(fmt::format("drawn for {}", use.instance));
  out.push_back(fmt::format("{}, ideal {}: {}", plural(use.wavefronts, "wavefront"), use.ideal,
                            conflicts == 0 ? "conflict-free" : plural(conflicts, "conflict")));
  for (std::size_t p = 0; p < use.phases.size(); ++p) {
    const PhaseUse& phase = use.phases[p];
    out.push_back(fmt::format("phase {}: {}", p,
                              phase.lanes.empty() ? "no active lane"
                                                  : fmt::format("lanes {}, {}", spelled_list(phase.lanes),
                                                                plural(phase.wavefronts, "wavefront"))));
    for (std::size_t begin = 0, end = 0; begin < phase.banks.size(); begin = end) {
      const BankUse& first = phase.banks[begin];
      std::vector<Index> banks;
      std::set<Index> lanes;
      const auto together = [&](const BankUse& bank) {
        return bank.cost == first.cost && (bank.cost == 1 || bank.lanes == first.lanes);
      };
      for (end = begin; end < phase.banks.size() && together(phase.banks[end]); ++end) {
        banks.push_back(phase.banks[end].bank);
        lanes.insert(phase.banks[end].lanes.begin(), phase.banks[end].lanes.end());
      }
      out.push_back(fmt::format("  bank {}: {}{}, {} {}{}", spelled_list(banks), plural(first.cost, "word"),
                                banks.size() > 1 ? " each" : "", lanes.size() == 1 ? "lane" : "lanes",
                                spelled_list({lanes.begin(), lanes.end()}), first.cost > 1 ? " !" : ""));
    }
  }
  return out;
}

std::string figure_to_text(const Figure& figure, const GridStyle& style) {
  std::string out = fmt::format("{}\non {}\n{}; · is nothing\n", figure.layout, figure.tensor, figure.space);
  for (const std::string& note : figure.notes) out += fmt::format("note: {}\n", note);
  for (const Grid& grid : figure.grids)
    if (grid.in_text) out += "\n" + grid_to_text(grid.joining == Joining::Runs ? without_conflicts(grid) : grid, style);
  if (!figure.access) return out;
  out += "\n";
  for (const std::string& line : lines_of(*figure.access)) out += line + "\n";
  return out;
}

std::string figure_to_json(const Figure& figure) {
  Json out{{"layout", figure.layout}, {"tensor", figure.tensor}, {"space", figure.space}, {"notes", figure.notes}};
  out["access"] = figure.access ? json_of(*figure.access) : Json(nullptr);
  out["grids"] = Json::array();
  for (const Grid& grid : figure.grids) out["grids"].push_back(json_of(grid));
  return dump(out) + "\n";
}

}  // namespace vl::report
