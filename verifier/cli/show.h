// The pictures of `show`: sticks of a memory that is a box, banks of a memory that is one axis, tiles of a tensor that
// is divided over cores, owners if the axes are threads. Each one finds the content of places by evaluating the layout;
// report/ draws it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/use/hardware.h"
#include "encodings/use/shards.h"
#include "verifier/engines/banks.h"
#include "verifier/report/grid.h"
#include "verifier/report/picture.h"
#include "verifier/report/report.h"
#include "verifier/session/judge.h"

namespace vl::cli {

constexpr Index kMostPlaced = Index{1} << 18;  // elements and replicas that are placed one by one
constexpr Index kMostColumns = 64;             // of a grid
constexpr Index kFold = 32;                    // cells of a row if the only axis is longer than kMostColumns
constexpr std::size_t kMostColours = 64;
constexpr std::size_t kMostShown = 8;  // elements or places that one cell or its title names

/// The input of a picture.
struct Shown {
  const session::TensorReading& subject;
  const map::Layout& layout;       // the subject's
  std::optional<Point> mark;       // an element to be seen at once
  Index most = 32;                 // rows of a grid, sticks
  std::vector<std::string> notes;  // facts that the picture does not show
};

/// An access that was carried through the layout.
struct ShownAccess {
  std::string text;
  bool based = false;  // the last variable of the reach is the start of the buffer
  engines::Reach reach;
};

/// The elements that a logical grid draws: some rows and a run of columns. A row is a point of all dimensions except
/// the last; a tensor of rank 1 is folded into rows.
struct Window {
  map::Space leading;       // of rank 0 if rows are folded
  std::vector<Index> rows;  // ascending
  Index all_rows = 0;
  Index first_column = 0;
  Index columns = 0;
  Index last_extent = 1;  // of the last dimension
  bool folded = false;
  std::size_t rank = 0;  // of the tensor
};
/// The rows of `wanted`, then the first rows. Requires: the wanted points lie in `logical`.
[[nodiscard]] Window window_of(const map::Space& logical, const std::vector<Point>& wanted, Index most);
/// The element of a cell; nothing behind the end of a folded row.
[[nodiscard]] std::optional<Point> element_at(const Window& window, Index row, Index column);
[[nodiscard]] report::Grid logical_grid(const Window& window,
                                        const std::function<report::GridCell(const Point&)>& cell);

struct Place {
  Point at;
  bool inside = true;  // of the physical box
};
/// The places of an element, each once, of its first 64 replicas.
[[nodiscard]] std::vector<Place> places_of(const map::Layout& layout, const Point& element);
struct Placed {
  Point element;
  Place place;
};
struct Placing {
  std::vector<Placed> placed;  // by element
  bool whole = true;           // every element was placed
};
/// All elements with their places; if there are too many, those of the window, with a note.
[[nodiscard]] Placing place(const map::Layout& layout, const Window& window, std::vector<std::string>& notes);

/// Appends the remark "… 3 lines".
void leave_out(report::Grid& grid, Index count, std::string_view noun);

/// Whether a layout is a memory of one axis, which banks divide.
[[nodiscard]] bool is_banked(const map::Layout& layout);

[[nodiscard]] std::optional<std::string> why_no_sticks(const Shown& shown);
[[nodiscard]] report::Picture sticks_of(const Shown& shown);
[[nodiscard]] report::Figure stick_figure(const Shown& shown);
/// Error: Value if a line of the banks leaves 64 bits or elements have no size.
[[nodiscard]] Result<report::Figure> bank_figure(const Shown& shown, const use::Hardware& hardware,
                                                 const std::optional<ShownAccess>& access);
[[nodiscard]] report::Figure axes_figure(const Shown& shown);
/// Nothing if elements per tile cannot be counted dimension by dimension.
[[nodiscard]] std::optional<report::Figure> shards_figure(const Shown& shown, const use::Shards& shards);

/// Writes the page of a judged case, with what a refutation names (report/explorer.h). Error: it has no layout, its
/// numbers are too large for a page, or the file cannot be written.
[[nodiscard]] std::optional<Error> write_page(const question::Case& c, const std::string& path);

/// The bytes and words that each lane of one instance touches.
struct Touched {
  struct Word {
    std::vector<Index> lanes;
    bool conflict = false;
  };
  report::AccessUse use;
  std::map<Index, std::vector<Index>> bytes;  // byte -> lanes
  std::map<Index, Word> words;
  std::vector<Point> elements;  // at which the lanes start
};
/// The most expensive of the first instances. Adds facts that the picture does not show to the notes.
[[nodiscard]] Touched touched_by(const ShownAccess& access, const std::string& hardware,
                                 std::vector<std::string>& notes);

}  // namespace vl::cli
