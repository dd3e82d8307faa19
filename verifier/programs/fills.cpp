#include "verifier/programs/fills.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "verifier/neutral/program/explain.h"
#include "verifier/neutral/program/judge.h"
#include "verifier/neutral/program/place.h"

namespace vl::programs {
namespace {

namespace chain = neutral::program;
using chain::Node;
using question::Hunk;

constexpr std::size_t kMostTries = 2000;  // sets of masks
constexpr std::size_t kContext = 3;       // lines around a change

// What takes the place of a part of the text.
struct Edit {
  std::size_t offset = 0, length = 0;
  std::string text;
};

// A value of the function that d2m.mask may fill, and the operation behind which; null: an argument.
struct Place {
  std::size_t node = 0;
  std::string name;
  std::string_view type;
  const mlir::Operation* of = nullptr;
};

struct Fill {
  const Place* place = nullptr;
  std::string_view word;  // "zero"
  values::Code code = 0;
};

bool is_proved(const std::vector<chain::OutputAnswer>& answers) {
  return std::ranges::all_of(answers, [](const chain::OutputAnswer& each) {
    return std::holds_alternative<chain::ProgramProved>(each.found.answer.verdict);
  });
}

// "logical_shape = 64x50" of a type's layout; nothing if it has none.
std::optional<std::vector<Index>> logical_shape(std::string_view type, const mlir::Function& function) {
  const auto written = mlir::written_out(type, *function.names);
  if (!written || written->find("metal_layout<") == std::string::npos) return std::nullopt;
  constexpr std::string_view kKey = "logical_shape = ";
  const std::size_t at = written->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  std::string sizes = written->substr(at + kKey.size());
  sizes = sizes.substr(0, sizes.find_first_not_of("0123456789x"));
  std::ranges::replace(sizes, 'x', ',');
  return mlir::integers_of("[" + sizes + "]");
}

// The values that the text names, are tensors with a layout, and have padding.
std::vector<Place> places_of(const mlir::Function& function, const ReadProgram& read) {
  std::vector<Place> out;
  const auto add = [&](const std::string& name, std::string_view type, const mlir::Operation* of) {
    if (!logical_shape(type, function)) return;
    const auto& nodes = read.program->nodes;
    for (std::size_t at = nodes.size(); at-- > 0;) {  // an operation's last line is its result
      const Node& node = nodes[at];
      const bool named = node.name == name || "%" + node.name == name;
      if (node.implicit || !named || (of == nullptr) != (node.kind == chain::Kind::Input)) continue;
      if (chain::is_padded(node)) out.push_back({at, name, type, of});
      return;
    }
  };
  for (const mlir::Operation& operation : function.body.operations)
    if (operation.results.size() == 1 && operation.outputs.size() == 1)
      add(operation.results[0], operation.outputs[0], &operation);
  for (const mlir::Argument& argument : function.arguments) add(argument.name, argument.type, nullptr);
  return out;
}

std::vector<chain::Mask> masks_of(const chain::Program& program, const std::vector<Fill>& fills) {
  std::vector<chain::Mask> out;
  for (const Fill& fill : fills) {
    const Node& node = program.nodes[fill.place->node];
    for (chain::Region region = 1; region < node.regions(); ++region)
      if (exists(node, region)) out.push_back({fill.place->node, std::nullopt, region, fill.code});
  }
  return out;
}

// The values that d2m.mask writes, of a type that has them.
std::vector<Fill> candidates_of(const chain::Program& program, const std::vector<Place>& places) {
  std::vector<Fill> out;
  for (const Place& place : places) {
    const values::Format& type = *program.nodes[place.node].type;
    out.push_back({&place, "zero", 0});
    if (!type.is_float()) continue;
    out.push_back({&place, "one", values::one(type)});
    if (!values::has_infinity(type)) continue;
    out.push_back({&place, "neginf", values::infinity(type, true)});
    out.push_back({&place, "inf", values::infinity(type, false)});
  }
  return out;
}

// One fill, or two, with which the program is proved.
std::vector<Fill> found_among(const chain::Program& program, const std::vector<Fill>& candidates) {
  chain::Judge judge(program);
  std::size_t tries = 0;
  const auto proves = [&](const std::vector<Fill>& fills) {
    return ++tries <= kMostTries && !judge.first_failure(masks_of(program, fills));
  };
  for (const Fill& one : candidates)
    if (proves({one})) return {one};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t j = i + 1; j < candidates.size(); ++j)
      if (candidates[i].place != candidates[j].place && proves({candidates[i], candidates[j]}))
        return {candidates[i], candidates[j]};
  return {};
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' || c == '-' || c == '#';
}

std::size_t line_start(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// Whether a place lies in a string or a comment of its line.
bool is_said_only(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (std::size_t i = line_start(text, at); i < at; ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && text.substr(i, 2) == "//") return true;
  }
  return quoted;
}

// Every use of a name between two places of the text.
void rename(std::string_view text, std::size_t from, std::size_t to, const std::string& name, const std::string& as,
            std::vector<Edit>& out) {
  for (std::size_t at = text.find(name, from); at < to; at = text.find(name, at + 1))
    if ((at + name.size() >= text.size() || !is_in_name(text[at + name.size()])) && !is_said_only(text, at))
      out.push_back({at, name.size(), as});
}

// The lines of a fill, in front of the next operation, with its indentation.
std::vector<Edit> edits_for(std::string_view text, const mlir::Function& function, const Fill& fill) {
  const auto& operations = function.body.operations;
  const std::size_t next =
      fill.place->of == nullptr ? 0 : static_cast<std::size_t>(fill.place->of - operations.data()) + 1;
  if (next >= operations.size()) return {};
  const std::size_t at = operations[next].offset, start = line_start(text, at);
  const std::string indent(text.substr(start, at - start));
  if (indent.find_first_not_of(" \t") != std::string::npos) return {};  // two operations in a line
  const std::string filled = fill.place->name + ".filled", to = filled + ".to";
  const mlir::Operation& last = operations.back();
  const std::size_t end = last.offset + last.length;
  if (text.substr(function.offset, end - function.offset).find(filled) != std::string_view::npos) return {};
  const std::size_t newline = text.find('\n', at);
  const char* const ends =
      newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
  const auto shape = logical_shape(fill.place->type, function);
  std::vector<Edit> out;
  const std::string_view type = fill.place->type;
  out.push_back({start, 0,
                 fmt::format("{}{} = d2m.empty() : {}{}{}{} = d2m.mask {}, {} logical_shape = [{}] fill_value = <{}> : "
                             "{} into {} -> {}{}",
                             indent, to, type, ends, indent, filled, fill.place->name, to, fmt::join(*shape, ", "),
                             fill.word, type, type, type, ends)});
  rename(text, at, end, fill.place->name, filled, out);
  return out;
}

// Whether the text proves what the function returns, which is the one that stands there in order.
bool proves(const Text& text, const mlir::Function& function, const std::string& changed) {
  const auto number = static_cast<std::size_t>(&function - text.functions.data());
  const std::vector<mlir::Function> functions = mlir::functions_of(changed);
  if (functions.size() != text.functions.size() || number >= functions.size()) return false;
  program::Options options = text.options;
  const program::Modules modules(functions);
  options.modules = &modules;
  const ReadProgram read = read_program(functions[number], options, [](std::size_t) { return std::size_t{1}; });
  return read.program && !read.function.masks.empty() && is_proved(chain::answer_by_output({{{}, *read.program}}));
}

// The text with the edits, which do not overlap.
std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, {}, &Edit::offset);
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out += text.substr(at, edit.offset - at);
    out += edit.text;
    at = edit.offset + edit.length;
  }
  return out += text.substr(std::min(at, text.size()));
}

// A line of the old text, or new ones in front of it.
struct Row {
  std::size_t number = 0;  // of the old line, from 1
  std::vector<std::string> lines;
  bool changed = false;
};

std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// The lines of a function, old and new. Edits put whole lines in front of a line, or change a part of one.
std::vector<Row> rows_of(std::string_view text, std::size_t first, std::size_t last, const std::vector<Edit>& edits) {
  std::vector<Row> out;
  std::size_t number =
      1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n'));
  for (std::size_t at = first; at < last; ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string old(text.substr(at, end - at));
    Row row{number, {}, false};
    std::vector<Edit> within;
    for (const Edit& edit : edits) {
      if (edit.offset < at || edit.offset >= std::max(end, at + 1)) continue;
      if (edit.length > 0) within.push_back({edit.offset - at, edit.length, edit.text});
      else
        for (const std::string& line : lines_in(edit.text)) row.lines.push_back("+" + line);
    }
    row.changed = !row.lines.empty() || !within.empty();
    const auto add = [&](std::string line) {
      row.lines.push_back(std::move(line));
      if (end == text.size()) row.lines.emplace_back("\\ No newline at end of file");
    };
    if (within.empty()) add(" " + old);
    else add("-" + old), add("+" + edited(old, within));
    out.push_back(std::move(row));
    at = end + 1;
  }
  return out;
}

// Changed lines that are close are one hunk.
std::vector<Hunk> hunks_of(const std::vector<Row>& rows) {
  std::vector<Hunk> out;
  std::size_t until = 0;  // the row behind the last one that is taken
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].changed) continue;
    const std::size_t begin = std::max(i < kContext ? 0 : i - kContext, until);
    const std::size_t end = std::min(i + kContext + 1, rows.size());
    if (out.empty() || begin > until) out.push_back({rows[begin].number, {}});
    for (std::size_t k = std::max(begin, until); k < end; ++k) {
      // What is not yet looked at may be changed itself: its lines are those that it has.
      out.back().lines.insert(out.back().lines.end(), rows[k].lines.begin(), rows[k].lines.end());
    }
    until = std::max(until, end);
  }
  return out;
}

}  // namespace

std::vector<std::string> fills_of(const chain::Program& program) {
  if (is_proved(chain::answer_by_output({{{}, program}}))) return {};
  chain::Judge judge(program);
  const auto placing = place_masks(program, judge);
  if (!placing || placing->masks.empty()) return {"no masks were found that prove it"};
  std::vector<std::string> out;
  for (const chain::Mask& mask : placing->masks) {
    const Node& node = program.nodes[mask.node];
    const std::string whose = mask.reader ? fmt::format(", for {}", program.nodes[*mask.reader].name) : std::string();
    const auto is_last = [&](const Node& other) { return other.name == node.name && &other > &node; };
    const bool part = std::ranges::any_of(program.nodes, is_last);  // of an operation that is several lines
    out.push_back(fmt::format("{} line {}{}: {} {} with {} ({} slots)", part ? "within" : "after", node.line, whose,
                              node.name, extent_in_words(node, mask.region),
                              chain::value_in_words(*node.type, mask.value), slots_of(node, mask.region)));
  }
  if (!placing->cheapest) out.push_back("not known to be the cheapest");
  return out;
}

PatchOf patch_of(const Text& text, const mlir::Function& function, const ReadProgram& read) {
  const std::vector<Place> places = places_of(function, read);
  const std::string& said = text.document.text();
  std::vector<Edit> edits;
  PatchOf out;
  for (const Fill& fill : found_among(*read.program, candidates_of(*read.program, places))) {
    std::vector<Edit> made = edits_for(said, function, fill);
    if (made.empty()) return {};
    std::ranges::move(made, std::back_inserter(edits));
    const std::string where = fill.place->of == nullptr
                                  ? "at the beginning"
                                  : fmt::format("after line {}", text.place(fill.place->of->offset).line);
    out.words.push_back(fmt::format("{}, d2m.mask of {} with <{}>", where, fill.place->name, fill.word));
  }
  if (edits.empty() || !proves(text, function, edited(said, edits))) return {};
  const mlir::Operation& last = function.body.operations.back();
  std::size_t end = last.offset + last.length, most = said.size();  // up to the next function, whose lines are its own
  for (const mlir::Function& other : text.functions)
    if (other.offset > function.offset) most = std::min(most, line_start(said, other.offset));
  for (std::size_t i = 0; i <= kContext && end < most; ++i) end = std::min(said.find('\n', end), said.size() - 1) + 1;
  out.hunks = hunks_of(rows_of(said, line_start(said, function.offset), std::min(end, most), edits));
  return out;
}

}  // namespace vl::programs
