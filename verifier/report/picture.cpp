#include "verifier/report/picture.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "encodings/map/text.h"
#include "verifier/report/columns.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

constexpr std::string_view kPadding = "·";

// A piece of a line: its text, its colour, and the number of columns that it takes.
struct PictureInk {
  std::string text;
  std::string_view colour;
  std::size_t columns = 0;
};

PictureInk ink(std::string text, std::string_view colour = {}) {
  const std::size_t columns = columns_of(text);
  return {std::move(text), colour, columns};
}

bool is_marked(const Picture& picture, const Cell& cell) {
  return picture.mark && std::ranges::find(cell.elements, *picture.mark) != cell.elements.end();
}

std::string names_of(const Cell& cell) {
  std::string out;
  for (std::size_t i = 0; i < std::min(cell.elements.size(), kMostNamed); ++i)
    out += (i == 0 ? "" : "|") + coordinates(cell.elements[i]);
  if (cell.elements.size() > kMostNamed) out += fmt::format("|+{}", cell.elements.size() - kMostNamed);
  return out;
}

PictureInk cell_ink(const Picture& picture, const Cell& cell) {
  if (cell.elements.empty()) return ink(std::string(kPadding), "2");
  if (is_marked(picture, cell)) return ink("<" + names_of(cell) + ">", "7");
  return ink(names_of(cell));
}

// The dimension in which `next` is one further than `element`; nothing unless all others are equal.
std::optional<std::size_t> step_between(const Point& element, const Point& next) {
  std::optional<std::size_t> step;
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] == next[i]) continue;
    if (step || next[i] != element[i] + 1) return std::nullopt;
    step = i;
  }
  return step;
}

// The run that begins at cell `begin`; sets `end`.
PictureInk run_ink(const Picture& picture, const std::vector<Cell>& cells, std::size_t begin, std::size_t& end) {
  end = begin + 1;
  const Cell& cell = cells[begin];
  if (cell.elements.empty()) {
    while (end < cells.size() && cells[end].elements.empty()) ++end;
    return ink(end == begin + 1 ? std::string(kPadding) : fmt::format("{}×{}", kPadding, end - begin), "2");
  }
  if (is_marked(picture, cell)) return cell_ink(picture, cell);
  const auto joins = [&](std::size_t i) {
    return i < cells.size() && cells[i].elements.size() == 1 && !is_marked(picture, cells[i]);
  };
  const std::string alone = cell.elements.front().empty() ? names_of(cell) : fmt::format("[{}]", names_of(cell));
  if (cell.elements.size() > 1 || !joins(end)) return ink(alone);
  const Point& first = cell.elements.front();
  if (cells[end].elements.front() == first) {
    while (joins(end) && cells[end].elements.front() == first) ++end;
    return ink(fmt::format("{}×{}", alone, end - begin));
  }
  const auto dim = step_between(first, cells[end].elements.front());
  if (!dim) return ink(alone);
  while (joins(end) && step_between(cells[end - 1].elements.front(), cells[end].elements.front()) == dim) ++end;
  std::string text;
  for (std::size_t i = 0; i < first.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ",", first[i]);
    if (i == *dim) text += fmt::format("..{}", cells[end - 1].elements.front()[i]);
  }
  return ink(fmt::format("[{}]", text));
}

std::vector<PictureInk> runs_of(const Picture& picture, const DrawnStick& stick) {
  std::vector<PictureInk> out;
  for (std::size_t begin = 0, end = 0; begin < stick.cells.size(); begin = end)
    out.push_back(run_ink(picture, stick.cells, begin, end));
  return out;
}

std::vector<PictureInk> cells_of(const Picture& picture, const DrawnStick& stick) {
  std::vector<PictureInk> out;
  for (const Cell& cell : stick.cells) out.push_back(cell_ink(picture, cell));
  return out;
}

struct Line {
  std::string at;       // "[0,1]"
  std::string address;  // a byte, or the number of its first slot
  std::vector<PictureInk> inks;
};

Index stick_slots(const Picture& picture) {
  return picture.physical.rank() == 0 ? 1 : picture.physical.extent(picture.physical.rank() - 1);
}

std::string address_of(const Picture& picture, Index stick) {
  return fmt::format("{}", byte_of(picture, stick).value_or(stick * stick_slots(picture)));
}

std::string left_out_to_text(const LeftOut& out) {
  std::string text = fmt::format("… {}", plural(out.count, "stick"));
  std::string_view separator = ": ";
  Index seen = 0;
  for (const StickKind kind : {StickKind::Full, StickKind::Ragged, StickKind::Padding}) {
    const Index count = out.kinds[static_cast<std::size_t>(kind)];
    seen += count;
    if (count > 0) text += fmt::format("{}{} {}", std::exchange(separator, ", "), count, name(kind));
  }
  if (seen < out.count) text += fmt::format("{}{} not looked at", separator, out.count - seen);
  return text;
}

std::string painted(const PictureInk& piece, const PictureStyle& style) {
  if (!style.colour || piece.colour.empty()) return piece.text;
  return fmt::format("\x1b[{}m{}\x1b[0m", piece.colour, piece.text);
}

// A prefix and its pieces, each of at least `cell` columns; pieces that do not fit continue on the next line.
std::string line_to_text(const std::string& prefix, const std::vector<PictureInk>& inks, std::size_t cell,
                         const PictureStyle& style) {
  std::string out;
  std::string line = prefix;
  std::size_t columns = prefix.size();
  bool fresh = true;
  for (const PictureInk& piece : inks) {
    if (!fresh && columns + 1 + piece.columns > style.width) {
      out += trimmed(std::move(line));
      line = std::string(prefix.size(), ' ');
      columns = prefix.size();
      fresh = true;
    }
    line +=
        (fresh ? "" : " ") + painted(piece, style) + std::string(std::max(cell, piece.columns) - piece.columns, ' ');
    columns += (fresh ? 0 : 1) + std::max(cell, piece.columns);
    fresh = false;
  }
  return out + trimmed(std::move(line));
}

std::string heading(const Picture& picture) {
  std::string out = fmt::format("{}\non {}\n{}", picture.layout, picture.tensor, map::print(picture.physical));
  const Index slots = stick_slots(picture);
  out += fmt::format(", {} a stick", plural(slots, "slot"));
  if (const auto bytes = byte_of(picture, 1)) out += fmt::format(", {} bytes", *bytes);
  out += fmt::format("; {} is padding\n", kPadding);
  for (const std::string& note : picture.notes) out += fmt::format("note: {}\n", note);
  return out;
}

}  // namespace

std::string_view name(StickKind kind) {
  switch (kind) {
    case StickKind::Full: return "full";
    case StickKind::Ragged: return "ragged";
    case StickKind::Padding: return "padding";
  }
  VL_CHECK(false, "unknown kind of stick");
}

StickKind kind_of(const DrawnStick& stick) {
  const auto used = std::ranges::count_if(stick.cells, [](const Cell& cell) { return !cell.elements.empty(); });
  if (used == 0) return StickKind::Padding;
  return used == static_cast<std::ptrdiff_t>(stick.cells.size()) ? StickKind::Full : StickKind::Ragged;
}

std::optional<Index> byte_of(const Picture& picture, Index stick) {
  const auto bits = checked_mul(stick_slots(picture), picture.device_bits);
  if (!bits || *bits == 0 || *bits % 8 != 0) return std::nullopt;
  return checked_mul(*bits / 8, stick);
}

std::string picture_to_text(const Picture& picture, const PictureStyle& style) {
  std::string out = heading(picture);
  if (picture.sticks.empty()) return out + "\nthe device box has no slot\n";
  std::string axes;
  for (std::size_t j = 0; j + 1 < picture.physical.rank(); ++j)
    axes += fmt::format("{}{}", j == 0 ? "" : ",", picture.physical.dims()[j].name);
  const std::string head_at = fmt::format("[{}]", axes);
  const std::string head_address = byte_of(picture, 0) ? "byte" : "slot";
  std::size_t at_width = head_at.size();
  std::size_t address_width = head_address.size();
  std::size_t cell = 0;
  std::size_t most_cells = 0;
  for (const auto& row : picture.sticks) {
    const auto* stick = std::get_if<DrawnStick>(&row);
    if (stick == nullptr) continue;
    at_width = std::max(at_width, fmt::format("[{}]", fmt::join(stick->at, ",")).size());
    address_width = std::max(address_width, address_of(picture, stick->number).size());
    for (const PictureInk& piece : cells_of(picture, *stick)) cell = std::max(cell, piece.columns);
    most_cells = std::max(most_cells, stick->cells.size());
  }
  const std::size_t prefix = at_width + 1 + address_width + 2;
  const bool fits = prefix + most_cells * (cell + 1) <= style.width + 1;
  out += "\n" + trimmed(fmt::format("{:<{}} {:>{}}", head_at, at_width, head_address, address_width));
  for (const auto& row : picture.sticks) {
    if (const auto* left_out = std::get_if<LeftOut>(&row)) {
      out += left_out_to_text(*left_out) + "\n";
      continue;
    }
    const DrawnStick& stick = std::get<DrawnStick>(row);
    const std::string start = fmt::format("{:<{}} {:>{}}  ", fmt::format("[{}]", fmt::join(stick.at, ",")), at_width,
                                          address_of(picture, stick.number), address_width);
    out += line_to_text(start, fits ? cells_of(picture, stick) : runs_of(picture, stick), fits ? cell : 0, style);
  }
  return out;
}

std::string picture_to_json(const Picture& picture) {
  nlohmann::ordered_json out;
  out["layout"] = picture.layout;
  out["tensor"] = picture.tensor;
  out["logical"] = picture.logical;
  out["axes"] = nlohmann::ordered_json::array();
  out["physical"] = nlohmann::ordered_json::array();
  for (const map::Dim& dim : picture.physical.dims()) {
    out["axes"].push_back(dim.name);
    out["physical"].push_back(dim.extent);
  }
  out["mark"] = picture.mark ? nlohmann::ordered_json(*picture.mark) : nlohmann::ordered_json(nullptr);
  out["notes"] = picture.notes;
  out["sticks"] = nlohmann::ordered_json::array();
  out["left_out"] = nlohmann::ordered_json::array();
  for (const auto& row : picture.sticks) {
    if (const auto* left_out = std::get_if<LeftOut>(&row)) {
      nlohmann::ordered_json item{{"first", left_out->first}, {"count", left_out->count}};
      for (const StickKind kind : {StickKind::Full, StickKind::Ragged, StickKind::Padding})
        item[std::string(name(kind))] = left_out->kinds[static_cast<std::size_t>(kind)];
      out["left_out"].push_back(std::move(item));
      continue;
    }
    const DrawnStick& stick = std::get<DrawnStick>(row);
    const auto byte = byte_of(picture, stick.number);
    nlohmann::ordered_json cells = nlohmann::ordered_json::array();
    for (const Cell& cell : stick.cells) cells.push_back(cell.elements);
    out["sticks"].push_back({{"stick", stick.number},
                             {"at", stick.at},
                             {"byte", byte ? nlohmann::ordered_json(*byte) : nlohmann::ordered_json(nullptr)},
                             {"kind", name(kind_of(stick))},
                             {"cells", std::move(cells)}});
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace vl::report
