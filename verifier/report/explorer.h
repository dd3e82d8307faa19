// Explorer: the page of `show --format html`, one file with its script, in which a reader looks at any element and slot
// of a layout, or of two. Its data are the layouts' maps, a few hundred bytes, and the script evaluates them: so the
// page of a tensor of any size is small. It fetches nothing (a content security policy forbids it), works by keyboard,
// and says nothing by colour alone. It is well-formed XML behind its doctype.
//
// Its data, <script id="layout">, are {sides: [{text, tensor, bits, named, logical: {names, extents}, replicas:
// extents, physical: {names, extents, units}, map: stages, decode: stages or null}], marks: [{name, element or slot}],
// at}; a stage is {text, rows: [{constant, terms: [[input, coefficient]]}]}, {text, input, weights} or {text, input,
// base, bits, shift, down}. Names are those of encodings/map/map.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/map/layout.h"
#include "verifier/report/grid.h"

namespace vl::report {

struct ExploredSide {
  const map::Layout* layout = nullptr;
  std::string text;
  std::string tensor;
  int bits = 0;  // of one slot; 0: not known
};

/// What a refutation names: an element ("a"), or a slot ("physical").
struct ExplorerMark {
  std::string name;
  Point at;
  bool is_slot = false;
};

/// What was asked in the page itself (`verify-layout explore`), and why there is no answer.
struct ExplorerForm {
  std::string layout;
  std::string tensor;
  std::string with;
  std::string error;
};

struct Explored {
  std::vector<ExploredSide>
      sides;  // one or two, of which the second one is compared with the first; with a form, or none
  std::vector<ExplorerMark> marks = {};
  std::optional<Point> at = {};  // an element that is shown first; else the ragged edge is
  std::vector<std::string> notes = {};
  std::string verdicts = {};       // the text output of `check`
  const Figure* figure = nullptr;  // drawn below: the lanes of an access
  std::optional<ExplorerForm> form = {};
};

/// Whether the page's numbers, which are exact up to 2^53, can hold all values of the map.
[[nodiscard]] bool can_explore(const map::Layout& layout);

/// Requires: can_explore() of each side.
[[nodiscard]] std::string explorer_to_html(const Explored& explored);

}  // namespace vl::report
