#include "verifier/report/explorer.h"

#include <fmt/format.h>

#include <array>
#include <pugixml.hpp>
#include <sstream>

#include "encodings/map/text.h"
#include "verifier/report/explorer_files.h"
#include "verifier/report/html.h"
#include "verifier/report/json_parts.h"
#include "verifier/report/svg.h"

namespace vl::report {
namespace {

constexpr Index kMostExact = Index{1} << 53;

Json stage_of(const map::Stage& stage) {
  Json out{{"text", map::print(stage)}};
  std::visit(overloaded{[&](const map::Affine& affine) {
                          out["rows"] = Json::array();
                          for (const map::Row& row : affine.rows) {
                            Json terms = Json::array();
                            for (const map::Term& term : row.terms)
                              terms.push_back(Json::array({term.input, term.coefficient}));
                            out["rows"].push_back({{"constant", row.constant}, {"terms", std::move(terms)}});
                          }
                        },
                        [&](const map::Split& split) {
                          out["input"] = split.input;
                          out["weights"] = split.weights;
                        },
                        [&](const map::Swizzle& swizzle) {
                          out["input"] = swizzle.input;
                          out["base"] = swizzle.base;
                          out["bits"] = swizzle.bits;
                          out["shift"] = swizzle.shift;
                          out["down"] = swizzle.direction == map::Swizzle::Direction::Down;
                        }},
             stage);
  return out;
}

Json stages_of(const map::Map& map) {
  Json out = Json::array();
  for (const map::Stage& stage : map.stages()) out.push_back(stage_of(stage));
  return out;
}

Json space_of(const map::Space& space) {
  Json out{{"names", Json::array()}, {"extents", Json::array()}, {"units", Json::array()}};
  for (const map::Dim& dim : space.dims()) {
    out["names"].push_back(dim.name);
    out["extents"].push_back(dim.extent);
    out["units"].push_back(map::name(dim.unit));
  }
  return out;
}

Json side_of(const ExploredSide& side) {
  const map::Layout& layout = *side.layout;
  return {{"text", side.text},
          {"tensor", side.tensor},
          {"bits", side.bits},
          {"named", layout.named_axes()},
          {"logical", space_of(layout.logical())},
          {"replicas", map::extents_of(layout.replicas())},
          {"physical", space_of(layout.physical())},
          {"map", stages_of(layout.map())},
          {"decode", layout.decode() ? stages_of(*layout.decode()) : Json(nullptr)}};
}

// JSON that may stand in a script element of HTML and of XML alike.
std::string data_of(const Explored& explored) {
  Json out{{"sides", Json::array()}, {"marks", Json::array()}, {"at", nullptr}};
  for (const ExploredSide& side : explored.sides) out["sides"].push_back(side_of(side));
  for (const ExplorerMark& mark : explored.marks)
    out["marks"].push_back({{"name", mark.name}, {mark.is_slot ? "slot" : "element", mark.at}});
  if (explored.at) out["at"] = *explored.at;
  std::string safe;
  for (const char c : out.dump(-1, ' ', true, Json::error_handler_t::replace))
    safe += c == '<' || c == '>' || c == '&' ? fmt::format("\\u{:04x}", static_cast<int>(c)) : std::string(1, c);
  return safe;
}

pugi::xml_node add_text(pugi::xml_node parent, const char* name, std::string_view text) {
  pugi::xml_node node = parent.append_child(name);
  node.append_child(pugi::node_pcdata).set_value(text.empty() ? " " : xml_text(text).c_str());
  return node;
}

pugi::xml_node with(pugi::xml_node node, std::initializer_list<std::pair<const char*, const char*>> attributes) {
  for (const auto& [name, value] : attributes) node.append_attribute(name) = value;
  return node;
}

void add_head(pugi::xml_node html, const Explored& explored) {
  pugi::xml_node head = html.append_child("head");
  head.append_child("meta").append_attribute("charset") = "utf-8";
  with(head.append_child("meta"), {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  with(head.append_child("meta"), {{"http-equiv", "Content-Security-Policy"},
                                   {"content",
                                    "default-src 'none'; style-src 'unsafe-inline'; script-src "
                                    "'unsafe-inline'"}});
  add_text(head, "title",
           explored.sides.empty() ? "verify-layout"
                                  : fmt::format("{} on {}", explored.sides[0].text, explored.sides[0].tensor));
  pugi::xml_node style = head.append_child("style");
  style.append_child(pugi::node_pcdata).set_value(std::string(explorer_style()).c_str());
}

void add_controls(pugi::xml_node body) {
  pugi::xml_node find = with(body.append_child("form"), {{"id", "find"}});
  pugi::xml_node label = add_text(find, "label", "find element or slot ");
  with(label.append_child("input"), {{"id", "at"}, {"placeholder", "2,7,40 or slot 7,0,2,40"}, {"size", "24"}});
  with(add_text(find, "button", "find"), {{"type", "submit"}});
  pugi::xml_node views = with(body.append_child("fieldset"), {{"id", "views"}});
  add_text(views, "legend", "a cell shows");
  for (const char* view : {"elements", "bytes", "banks", "cores"}) {
    pugi::xml_node one = with(views.append_child("label"), {{"id", view}});
    pugi::xml_node radio = with(one.append_child("input"), {{"type", "radio"}, {"name", "view"}, {"value", view}});
    if (std::string_view(view) == "elements") radio.append_attribute("checked") = "checked";
    one.append_child(pugi::node_pcdata).set_value(fmt::format(" {} ", view).c_str());
  }
  with(add_text(body, "button", "next element that moves"), {{"id", "next"}, {"type", "button"}, {"hidden", "hidden"}});
  with(add_text(body, "button", "dark or light"), {{"id", "theme"}, {"type", "button"}});
  with(add_text(body, "p", " "), {{"id", "moved"}});
  with(add_text(body, "p", " "), {{"id", "found"}, {"role", "status"}});
}

// Layouts to begin with: of each family one, with its tensor.
constexpr std::array<std::pair<const char*, const char*>, 4> kExamples = {{
    {"SpyreTensorLayout((5, 100, 150), torch.float16)", "f16[5,100,150]"},
    {"ComposeLayout(3, 3, 3, S[(8,64):(64,1)])", "f16[8,64]"},
    {"#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<1x2x!tt.tile<32x32, f32>, #tt.memory_space<l1>>>",
     "f32[50,100]"},
    {"layout=TILE, banks=2: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.DRAM)",
     "bf16[2,40,33]"},
}};

void add_form(pugi::xml_node body, const ExplorerForm& asked) {
  pugi::xml_node form = with(body.append_child("form"), {{"action", "/"}, {"method", "get"}, {"id", "ask"}});
  const auto line = [&](const char* name, const std::string& value, const char* hint) {
    pugi::xml_node label = add_text(form.append_child("p"), "label", fmt::format("{} ", name));
    pugi::xml_node input = with(label.append_child("input"), {{"name", name}, {"size", "110"}, {"placeholder", hint}});
    input.append_attribute("value") = xml_text(value).c_str();
  };
  line("layout", asked.layout, "as its own system prints or constructs it");
  line("tensor", asked.tensor, "f16[5,100,150]; empty where the layout says it");
  line("with", asked.with, "a second layout, to compare");
  with(add_text(form, "button", "judge"), {{"type", "submit"}});
  if (!asked.error.empty()) with(add_text(body, "pre", asked.error), {{"role", "alert"}});
  if (!asked.layout.empty()) return;
  pugi::xml_node list = body.append_child("ul");
  for (const auto& [layout, tensor] : kExamples) {
    std::string link = "/?layout=";
    for (const std::string_view text :
         {std::string_view(layout), std::string_view("&tensor="), std::string_view(tensor)})
      for (const char c : text) link += text.front() == '&' ? std::string(1, c) : fmt::format("%{:02x}", c);
    add_text(list.append_child("li"), "a", fmt::format("{} on {}", layout, tensor)).append_attribute("href") =
        link.c_str();
  }
}

void add_sides(pugi::xml_node body, const Explored& explored) {
  pugi::xml_node sides = with(body.append_child("div"), {{"class", "sides"}});
  for (std::size_t k = 0; k < explored.sides.size(); ++k) {
    const ExploredSide& side = explored.sides[k];
    pugi::xml_node one = with(sides.append_child("section"), {{"class", "side"}});
    add_text(one, "h1", fmt::format("{}{}", explored.sides.size() > 1 ? fmt::format("{}: ", "AB"[k]) : "", side.text));
    const map::Space& box = side.layout->physical();
    add_text(one, "p", fmt::format("on {}; {} slots, {}", side.tensor, box.volume(), map::print(box)));
    with(add_text(one, "p", " "), {{"id", k == 0 ? "where0" : "where1"}});
    pugi::xml_node grid = with(add_text(one, "div", " "), {{"class", "grid"}, {"role", "grid"}, {"tabindex", "0"}});
    grid.append_attribute("id") = fmt::format("grid{}", k).c_str();
    grid.append_attribute("aria-label") =
        fmt::format("memory{}: arrow keys move, page keys scroll", k == 0 ? "" : " of the second layout").c_str();
  }
}

}  // namespace

bool can_explore(const map::Layout& layout) {
  const auto exact = [](const map::Map& map) {
    for (std::size_t stage = 0; stage <= map.stages().size(); ++stage)
      for (const map::Range& range : map.ranges(stage))
        if (range.low <= -kMostExact || range.high >= kMostExact) return false;
    return true;
  };
  return exact(layout.map()) && (!layout.decode() || exact(*layout.decode())) &&
         layout.physical().volume() < kMostExact && layout.domain().volume() < kMostExact;
}

namespace {

void add_page(pugi::xml_node body, const Explored& explored) {
  add_controls(body);
  add_sides(body, explored);
  with(add_text(body, "section", " "), {{"id", "detail"}, {"aria-live", "polite"}});
}

void add_script(pugi::xml_node body, const Explored& explored) {
  pugi::xml_node data = with(body.append_child("script"), {{"id", "layout"}, {"type", "application/json"}});
  data.append_child(pugi::node_pcdata).set_value(data_of(explored).c_str());
  pugi::xml_node script = body.append_child("script");
  script.append_child(pugi::node_pcdata).set_value("//");
  script.append_child(pugi::node_cdata).set_value(fmt::format("\n{}//", explorer_script()).c_str());
}

}  // namespace

std::string explorer_to_html(const Explored& explored) {
  pugi::xml_document document;
  pugi::xml_node html = document.append_child("html");
  html.append_attribute("lang") = "en";
  add_head(html, explored);
  pugi::xml_node body = html.append_child("body");
  const bool sides = !explored.sides.empty();
  if (explored.form) add_form(body, *explored.form);
  if (sides) add_page(body, explored);
  if (!explored.verdicts.empty()) {
    add_text(body, "h2", "verdicts");
    add_text(body, "pre", explored.verdicts);
  }
  if (!explored.notes.empty()) {
    pugi::xml_node notes = body.append_child("ul");
    for (const std::string& note : explored.notes) add_text(notes, "li", note);
  }
  if (sides)
    add_text(body, "p",
             "· and hatching: padding. ! and a double frame: several elements in one slot. A thick frame: what a "
             "refutation names. → and a dashed frame: an element that moves. Lighter and darker: the order of what "
             "a cell shows.");
  if (explored.figure != nullptr) append_svg(body.append_child("figure"), *explored.figure);
  if (sides) add_text(body, "noscript", "This page needs its script; --format svg draws an image without one.");
  if (sides) add_script(body, explored);
  std::ostringstream out;
  document.save(out, " ", pugi::format_raw | pugi::format_no_declaration);
  return "<!DOCTYPE html>\n" + std::move(out).str() + "\n";
}

}  // namespace vl::report
