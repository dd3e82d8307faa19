#include "encodings/ttmetal/reference_text.h"

#include <algorithm>
#include <cstdlib>

namespace vl::ttmetal::second {
namespace {

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// A bracket with what is in it, a number, or a word without what stands in front of its last dot or colon.
struct Item {
  std::string key;
  std::string word;
  std::optional<Index> number;
  std::vector<Item> inside;
  bool bracket = false;
  bool braces = false;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Items up to a bracket that closes.
  std::vector<Item> items() {
    std::vector<Item> out;
    std::string key;
    std::string op;
    while (skip(), at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ')' || c == ']' || c == '}') break;
      // ttnn leaves out the brace behind the end of a range
      if (c == ',' && !out.empty() && out.back().key == "end" && out.size() == 2 && out[0].key == "start") return out;
      if (c == ',' || c == ':' || c == '.' || c == '"' || c == '\'') {
        ++at_;
        continue;
      }
      if (c == '=') {
        if (!out.empty()) key = out.back().word, out.pop_back();
        ++at_;
        continue;
      }
      if (c == '+' || c == '*' || c == '/' || c == '%' || (c == '-' && !digit(at_ + 1))) {
        op = c;
        at_ += text_.substr(at_).starts_with("//") ? 2 : 1;
        continue;
      }
      Item item = one();
      if (!key.empty()) item.key = std::move(key), key.clear();
      if (!op.empty() && !out.empty()) join(out.back(), item, op);
      else out.push_back(std::move(item));
      op.clear();
      skip();
      const bool json =
          !out.back().word.empty() && at_ + 1 < text_.size() && text_[at_] == '"' && text_[at_ + 1] == ':';
      if (json) key = out.back().word, out.pop_back();
    }
    return out;
  }

 private:
  void skip() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '#')) {
      if (text_[at_] != '#') ++at_;
      else
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    }
  }
  [[nodiscard]] bool digit(std::size_t at) const { return at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; }

  static void join(Item& a, const Item& b, std::string_view op) {
    if (!a.number || !b.number) {
      Item both;  // two corners
      both.key = a.key;
      both.inside = {a, b};
      both.bracket = true;
      a = both;
      return;
    }
    const Index x = *a.number, y = *b.number;
    a.number = op == "+" ? x + y : op == "-" ? x - y : op == "*" ? x * y : y <= 0 ? 0 : op == "/" ? x / y : x % y;
  }

  Item one() {
    Item out;
    const char c = text_[at_];
    if (c == '(' || c == '[' || c == '{') return nested();
    if (digit(at_) || (c == '-' && digit(at_ + 1))) {
      char* end = nullptr;
      const std::string rest(text_.substr(at_, 24));
      out.number = std::strtoll(rest.c_str(), &end, 10);
      at_ += static_cast<std::size_t>(end - rest.c_str());
      return out;
    }
    if (!in_name(c)) return ++at_, out;
    while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '.' || text_[at_] == ':')) {
      const bool colon = text_[at_] == ':';
      if (colon && (at_ + 1 >= text_.size() || text_[at_ + 1] != ':')) break;  // behind a key
      if (colon) ++at_;
      if (in_name(text_[at_])) out.word += text_[at_];
      else out.word.clear();
      ++at_;
    }
    skip();
    if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '{')) {
      Item inner = nested();
      out.inside = std::move(inner.inside);
      out.bracket = true;
    }
    return out;
  }

  Item nested() {
    Item out;
    out.bracket = true;
    out.braces = text_[at_] == '{';
    ++at_;
    out.inside = items();
    if (at_ < text_.size() && text_[at_] != ',') ++at_;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The first item of that word or key, wherever it is.
const Item* find(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    if (item.word == name || item.key == name) return &item;
    if (const Item* found = find(item.inside, name)) return found;
  }
  return nullptr;
}

std::vector<Index> numbers(const Item& item) {
  std::vector<Index> out;
  if (item.number) out.push_back(*item.number);
  for (const Item& one : item.inside) {
    const std::vector<Index> more = numbers(one);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

Place corner(const Item& item) {
  const Item *x = find(item.inside, "x"), *y = find(item.inside, "y");
  if (x != nullptr && y != nullptr && x->number && y->number) return {*y->number, *x->number};
  const std::vector<Index> both = numbers(item);
  return both.size() < 2 ? Place{} : Place{both[1], both[0]};
}

// Ranges in an item: four numbers below it that belong to two corners.
void add_ranges(const Item& item, std::vector<std::vector<Place>>& out) {
  if (item.word == "CoreGrid") {
    const Item *x = find(item.inside, "x"), *y = find(item.inside, "y");
    const std::vector<Index> both = numbers(item);
    const Place size = x != nullptr && y != nullptr ? corner(item) : Place{both.at(0), both.at(1)};
    out.push_back({{0, 0}, {size.y - 1, size.x - 1}});
  } else if (item.inside.size() == 2 && numbers(item).size() == 4 && item.inside[0].bracket &&
             numbers(item.inside[0]).size() == 2 && item.inside[0].word != "CoreGrid") {
    out.push_back({corner(item.inside[0]), corner(item.inside[1])});
  } else if (item.word == "CoreCoord" || (item.word == "CoreRange" && numbers(item).size() == 2)) {
    out.push_back({corner(item), corner(item)});
  } else {
    for (const Item& one : item.inside) add_ranges(one, out);
  }
}

void take_grid(const Item& item, Said& said) {
  add_ranges(item, said.ranges);
  if (item.word == "set" || find(item.inside, "set") != nullptr ||
      (item.word == "CoreRangeSet" && item.inside.size() == 1 && item.inside[0].braces && item.inside[0].word.empty()))
    std::ranges::stable_sort(
        said.ranges, [](const auto& a, const auto& b) { return a[0].x != b[0].x ? a[0].x < b[0].x : a[0].y < b[0].y; });
}

bool is_true(const Item* item) {
  return item != nullptr && (item->word == "True" || item->word == "true" || item->number == 1);
}

// ShardSpec(grid, shape, …) and NdShardSpec(shape, grid, …).
void take_spec(const Item& spec, bool nd, Said& said) {
  const Item* grid = find(spec.inside, "grid");
  const Item* shape = find(spec.inside, "shard_shape");
  if (shape == nullptr) shape = find(spec.inside, "shape");
  if (grid == nullptr) grid = &spec.inside.at(nd ? 1 : 0);
  if (shape == nullptr) shape = &spec.inside.at(nd ? 0 : 1);
  take_grid(*grid, said);
  said.shard = numbers(*shape);
  said.down = find(spec.inside, "COL_MAJOR") != nullptr;
  for (const char* deal : {"GRID_2D", "CONTIGUOUS_1D"})
    if (find(spec.inside, deal) != nullptr) said.deal = deal;
  said.logical = find(spec.inside, "LOGICAL") != nullptr;
  if (!nd && spec.inside.size() > 2 && spec.inside[2].key.empty() && numbers(spec.inside[2]).size() == 2)
    said.padded_to = numbers(spec.inside[2]), said.logical = true;
  if (const Item* own = find(spec.inside, "physical_shard_shape"); own != nullptr && !numbers(*own).empty())
    said.padded_to = numbers(*own), said.logical = true;
}

// The last sizes of the tensor, or what the grid leaves of them.
void take_created(const Item& call, Said& said) {
  const Item* shape = find(call.inside, "shape");
  const Item* grid = find(call.inside, "core_grid");
  const Item* strategy = nullptr;
  for (const char* word : {"HEIGHT", "WIDTH", "BLOCK", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"})
    if (const Item* found = find(call.inside, word)) strategy = found;
  if (shape == nullptr) shape = &call.inside.at(0);
  if (grid == nullptr) grid = &call.inside.at(1);
  const std::vector<Index> size = numbers(*shape);
  const char first = strategy == nullptr ? 'B' : strategy->word[0];
  said.memory = first == 'H' ? "HEIGHT_SHARDED" : first == 'W' ? "WIDTH_SHARDED" : "BLOCK_SHARDED";
  said.down = find(call.inside, "COL_MAJOR") != nullptr || find(call.inside, "COLUMN_WISE") != nullptr;
  take_grid(*grid, said);
  if (grid->word.empty() && grid->inside.size() == 2 && said.ranges.size() == 2 && grid->inside[0].word == "CoreGrid")
    said.ranges[1][0].y = said.ranges[1][1].y = said.ranges[0][1].y + 1;
  const Item* as_shard = find(call.inside, "use_height_and_width_as_shard_shape");
  if (as_shard == nullptr && call.inside.size() > 4 && call.inside[4].key.empty()) as_shard = &call.inside[4];
  const Index last = size.at(size.size() - 1);
  if (is_true(as_shard)) {
    said.shard = {size.at(size.size() - 2), last};
    if (said.down) std::swap(said.shard[0], said.shard[1]);
    return;
  }
  Index height = 1;
  for (std::size_t k = 0; k + 1 < size.size(); ++k) height *= size[k];
  const Place far = said.ranges.at(0).at(1);
  const Index across = far.x + 1, down = far.y + 1;
  if (first == 'H') said.shard = {height / (across * down), last};
  else if (first == 'W') said.shard = {height, last / (across * down)};
  else
    said.shard =
        said.down ? std::vector<Index>{height / across, last / down} : std::vector<Index>{height / down, last / across};
}

void take_tile(const std::vector<Item>& all, Said& said) {
  const Item* tile = find(all, "Tile");
  if (tile == nullptr) return;
  const Item* shape = find(tile->inside, "tile_shape");
  const std::vector<Index> size = numbers(shape != nullptr ? *shape : tile->inside.at(0));
  said.high = size.at(0), said.wide = size.at(1);
  said.face_high = std::min<Index>(said.high, 16), said.face_wide = std::min<Index>(said.wide, 16);
  if (const Item* face = find(tile->inside, "face_shape"))
    said.face_high = numbers(*face).at(0), said.face_wide = numbers(*face).at(1);
  const Item* both = find(tile->inside, "transpose_tile");
  if (both == nullptr && tile->inside.size() > 1 && tile->inside[1].key.empty()) both = &tile->inside[1];
  said.faces_down = said.within_down = is_true(both);
  if (const Item* flag = find(tile->inside, "transpose_of_faces")) said.faces_down = is_true(flag);
  if (const Item* flag = find(tile->inside, "transpose_within_face")) said.within_down = is_true(flag);
}

// The numbers between two places, "2x2" and "32x32".
std::vector<Index> sizes_in(std::string_view text) {
  std::vector<Index> out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    out.push_back(0);
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      out.back() = out.back() * 10 + (text[at] - '0');
  }
  return out;
}

std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t at = text.find(open) + open.size();
  return text.substr(at, text.find(close, at) - at);
}

// tt-mlir's words: #ttnn.ttnn_nd_layout<GRID, memref<SHARD, memory>, memory layout, orientation, strategy>. The memref
// is one shard, and a grid HxW is the cores from (0, 0) to (x = W - 1, y = H - 1).
Said of_compiler(std::string_view text) {
  Said said;
  text.remove_prefix(text.find("ttnn_nd_layout<"));
  const std::vector<Index> grid = sizes_in(between(text, "ttnn_nd_layout<<", ">"));
  said.ranges = {{{0, 0}, {grid.at(0) - 1, grid.at(1) - 1}}};
  const std::string_view memref = text.substr(text.find("memref<"));
  said.tiled = memref.find("tile<") != std::string_view::npos;
  const std::string_view cells = between(memref, "memref<", ",");
  said.shard = sizes_in(cells.substr(0, said.tiled ? cells.find("x!") : cells.rfind('x')));
  if (said.tiled) {
    const std::vector<Index> tile = sizes_in(between(memref, "tile<", ","));
    said.high = tile.at(0), said.wide = tile.at(1);
    said.shard.at(said.shard.size() - 2) *= said.high, said.shard.back() *= said.wide;
    said.face_high = std::min<Index>(said.high, 16), said.face_wide = std::min<Index>(said.wide, 16);
  }
  said.memory = "ND_SHARDED";
  said.down = text.find("<col_major>") != std::string_view::npos;
  if (text.find("<grid_2d>") != std::string_view::npos) said.deal = "GRID_2D";
  return said;
}

}  // namespace

Said read_said(std::string_view text) {
  if (text.find("ttnn_nd_layout<") != std::string_view::npos) return of_compiler(text);
  Said said;
  const std::vector<Item> all = Reader(text).items();
  for (const char* word : {"TILE", "TILE_LAYOUT", "TilePageConfig"}) said.tiled |= find(all, word) != nullptr;
  take_tile(all, said);
  if (const Item* banks = find(all, "banks"); banks != nullptr && banks->number) said.banks = *banks->number;
  for (const char* word : {"Alignment", "alignment"})
    if (const Item* alignment = find(all, word)) said.alignment = numbers(*alignment);
  for (const char* word : {"HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED", "ND_SHARDED"})
    if (find(all, word) != nullptr) said.memory = word;
  if (const Item* call = find(all, "create_sharded_memory_config")) {
    take_created(*call, said);
    return said;
  }
  const Item* two = find(all, "ShardSpec");
  const Item* many = find(all, "NdShardSpec");
  if (many == nullptr) many = find(all, "nd_shard_spec");
  if (many != nullptr && many->inside.empty()) many = nullptr;
  if (many != nullptr && (two == nullptr || is_true(find(all, "created_with_nd_shard_spec")))) {
    said.memory = "ND_SHARDED";
    take_spec(*many, true, said);
  } else if (two != nullptr && said.memory != "INTERLEAVED") {
    take_spec(*two, false, said);
  }
  return said;
}

}  // namespace vl::ttmetal::second
