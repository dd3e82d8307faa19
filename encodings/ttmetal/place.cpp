// The physical array and its parts, with one rule for each check of the runtime.
#include "encodings/ttmetal/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>

#include "encodings/ttmetal/arithmetic.h"

namespace vl::ttmetal {
namespace {

using Relation = map::Condition::Relation;

template <class N>
class Placing {
 public:
  using List = std::vector<N>;
  using Array = std::pair<std::vector<std::vector<map::BasicTerm<N>>>, List>;  // rows over the coordinates, and sizes

  Placing(const Spec& spec, const List& size)
      : spec_(spec), shard_(spec.shard ? *spec.shard : Shard{}), size_(size), alignment_(merged_alignment()) {
    if (spec.shard) shape_ = of(shard_.shape, shard_.named_shape);
  }

  BasicPlaced<N> place() {
    add_general_rules();
    if (!in_.overflows()) switch (spec_.memory) {
        case Memory::Interleaved: in_pages(); break;
        case Memory::Nd: in_any_shards(); break;
        default: in_shards();
      }
    out_.overflows = in_.overflows();
    if (out_.overflows) out_.placement.reset();
    return std::move(out_);
  }

 private:
  static constexpr bool kNamed = std::same_as<N, Expression>;

  static const List& of(const std::vector<Index>& numbers, const std::vector<Expression>& named) {
    if constexpr (kNamed) return named;
    else return numbers;
  }

  // A rule; or where it depends on a name a law.
  void asks(std::string statement, const N& have, Relation relation, const N& want, bool of_tensor = false) {
    const auto add = [&](Index is, Index asked) {
      const bool most = relation == Relation::AtMost;
      out_.rules.push_back({std::move(statement), is, most ? std::min(is, asked) : asked, of_tensor});
    };
    if constexpr (kNamed) {
      if (have.number() && want.number()) add(*have.number(), *want.number());
      else if (relation != Relation::Equal || have != want) out_.laws.push_back({have, relation, want, {}});
    } else {
      add(have, want);
    }
  }
  void asks_equal(std::string statement, const N& have, const N& want, bool of_tensor = false) {
    asks(std::move(statement), have, Relation::Equal, want, of_tensor);
  }
  // There are at most so many parts along a dimension.
  void asks_parts(std::string statement, std::size_t i, const N& most) {
    const BasicPlacement<N>& placement = *out_.placement;
    if constexpr (kNamed)
      if (!placement.parts[i].number() || !most.number())
        return asks(std::move(statement), placement.size[i], Relation::AtMost, in_.times(placement.divisor[i], most));
    asks(std::move(statement), placement.parts[i], Relation::AtMost, most);
  }

  void add_general_rules() {
    if (spec_.shape) {
      const List& said = of(*spec_.shape, spec_.named_shape);
      asks_equal("the text's tensor has as many dimensions as the tensor", count(said), count(size_), true);
      for (std::size_t d = 0; said.size() == size_.size() && d < size_.size(); ++d)
        asks_equal(fmt::format("dimension {} of the text's tensor is the tensor's", d), said[d], size_[d], true);
    }
    const bool flat = std::max(size_.size(), alignment_.size()) < 2;
    if (flat && spec_.shard && spec_.memory != Memory::Nd && !shard_.physical)
      asks_equal("a tensor of one dimension has shards of one row", shape_[0], 1);
    const auto holds = [&](const char* statement, bool does) { out_.rules.push_back({statement, does ? 1 : 0, 1}); };
    if (spec_.stray_shard) out_.rules.push_back({"an interleaved tensor has no shard spec", 1, 0});
    if (spec_.dtype.ends_with("_b")) holds("a block format is in TILE layout", *spec_.tiled);
    if (!*spec_.tiled) return;
    const Tile& tile = spec_.tile;
    const Tile usual = tile_of(tile.height, tile.width);
    const auto power = [](Index n) { return n > 0 && n <= 32 && (n & (n - 1)) == 0; };
    holds("the hardware has tiles of 1, 2, 4, 8, 16 or 32 rows", power(tile.height));
    holds("the hardware has tiles of 16 or 32 columns", tile.width == 16 || tile.width == 32);
    out_.rules.push_back({"a face is as high as the hardware's", tile.face_height, usual.face_height});
    out_.rules.push_back({"a face is as wide as the hardware's", tile.face_width, usual.face_width});
  }
  static Index count(const auto& list) { return static_cast<Index>(list.size()); }

  // The alignment with the default of the page configuration, as the constructor of TensorLayout merges them.
  List merged_alignment() {
    List usual{1};
    if (*spec_.tiled) usual = {spec_.tile.height, spec_.tile.width};
    else if (spec_.shard) usual = {of(shard_.shape, shard_.named_shape).back()};
    if (spec_.alignment.empty()) return usual;
    List out(std::max(usual.size(), spec_.alignment.size()), 1);
    std::ranges::copy_backward(of(spec_.alignment, spec_.named_alignment), out.end());
    for (std::size_t k = 1; k <= usual.size(); ++k)
      out[out.size() - k] = in_.rounded_up(out[out.size() - k], usual[usual.size() - k]);
    return out;
  }

  // Of two dimensions: each product is rounded up while the dimensions are joined.
  Array physical_array(const List& alignment) {
    Array out{{{}, {}}, {1, 1}};
    for (std::size_t k = 1; k <= std::max(size_.size(), alignment.size()); ++k) {
      const std::size_t i = k == 1 ? 1 : 0;
      N& size = out.second[i];
      if (k <= size_.size()) {
        out.first[i].insert(out.first[i].begin(), {size_.size() - k, size});
        size = in_.times(size_[size_.size() - k], size);
      }
      size = in_.rounded_up(size, from_end(alignment, k));
    }
    return out;
  }

  // Parts of `shape`, in whole cells; a dimension that is not `divided` is left whole.
  BasicPlacement<N>& cut(Array array, const List& shape, std::vector<bool> divided) {
    BasicPlacement<N>& out = out_.placement.emplace();
    out.physical = std::move(array.first), out.size = std::move(array.second);
    out.tiled = *spec_.tiled;
    if (out.tiled) out.tile = spec_.tile;
    for (std::size_t i = 0; i < out.size.size(); ++i) {
      const Index tile = out.tile_size(i);
      out.cells.push_back(in_.divided_up(in_.some(shape[i]), tile));
      out.divisor.push_back(in_.times(out.cells[i], tile));
      out.parts.push_back(divided[i] ? in_.some(in_.divided_up(out.size[i], out.divisor[i])) : N(1));
    }
    out.divided = std::move(divided);
    return out;
  }

  // Tiles, or rows of the physical array, in turn in each bank.
  void in_pages() {
    Array array = physical_array(alignment_);
    if (in_.overflows()) return;
    // An alignment of a dimension further out than the tile's rounds the height up behind the tile's own.
    if (*spec_.tiled && alignment_.size() > 2)
      asks_equal(fmt::format("the physical height{} is a multiple of the page's {}", in_.word_of(array.second[0]),
                             spec_.tile.height),
                 in_.remainder(array.second[0], spec_.tile.height), 0);
    if (!spec_.banks) {
      out_.undecidable =
          "the text does not say how many banks the device has: write 'banks=12: ' in front of it (12 is Wormhole's "
          "DRAM), or declare --box bank=12";
      return;
    }
    const List page = *spec_.tiled ? List{spec_.tile.height, spec_.tile.width} : List{1, array.second[1]};
    BasicPlacement<N>& placement = cut(std::move(array), page, {true, true});
    BasicTakers<N>& takers = placement.takers;
    takers.banks = true;
    takers.count = *spec_.banks;
    if constexpr (kNamed)
      if (!spec_.named_banks.empty()) takers.count = spec_.named_banks.back();
    takers.parts = in_.times(placement.parts[0], placement.parts[1]);
    takers.parts_each = in_.divided_up(takers.parts, takers.count);
    if (placement.size[0] == N(0) || placement.size[1] == N(0)) takers.parts_each = 0;
  }

  // False: there are none.
  bool set_cores(BasicTakers<N>& takers) {
    takers.by_column = shard_.by_column;
    if constexpr (kNamed) {
      const List& at = shard_.named_grid;  // x0, y0, x1, y1
      const auto side = [](const N& a, const N& b) { return a.number() == 0 ? behind(b) : behind(b) - a; };
      takers.high = side(at[1], at[3]), takers.wide = side(at[0], at[2]);
      takers.y = at[1], takers.x = at[0];
      takers.rows = behind(at[3]), takers.columns = behind(at[2]);
      takers.count = in_.times(takers.high, takers.wide);
      return true;
    } else {
      takers.cores = *use::cores_of(shard_.grid, shard_.by_column);
      takers.count = count(takers.cores);
      const use::CoreBox box = use::box_of(takers.cores);
      takers.rows = box.rows, takers.columns = box.columns;
      if (shard_.grid.empty()) return false;
      const CoreRange& range = shard_.grid[0];
      takers.y = range.y0, takers.x = range.x0;
      takers.high = range.y1 - range.y0 + 1, takers.wide = range.x1 - range.x0 + 1;
      add_core_rules(takers.cores);
      return takers.count > 0;
    }
  }
  // a + 1.
  static N behind(const N& a) requires kNamed {
    const bool less_one = a.kind() == Expression::Kind::Difference && a.parts()[1].number() == 1;
    return less_one ? a.parts()[0] : a + 1;
  }
  // Rules of a set of cores by itself.
  void add_core_rules(std::vector<Core> cores) {
    std::ranges::sort(cores);
    Index twice = 0;
    for (std::size_t k = 1; k < cores.size(); ++k) twice += cores[k] == cores[k - 1];
    if (shard_.grid.size() > 1) out_.rules.push_back({"no core is in two core ranges of a set", twice, 0});
  }
  // The parts of a grid of cores fit: (i, j) in rows and columns, or exchanged.
  void add_grid_rules(const char* what) {
    if (!kNamed || shard_.grid.size() != 1)
      out_.rules.push_back({fmt::format("{}: the grid is one rectangle of cores", what), count(shard_.grid), 1});
    if (shard_.grid.empty()) return;
    const BasicPlacement<N>& placement = *out_.placement;
    const std::size_t n = placement.parts.size();
    for (const bool height : {true, false}) {
      const bool rows = height != shard_.by_column;
      const N& most = placement.takers.along(height);
      std::string statement =
          fmt::format("the shards along the {} fit into the grid's{} {}{}", height ? "height" : "width",
                      in_.word_of(most), rows ? "rows" : "columns", shard_.by_column ? " (COL_MAJOR)" : "");
      if (height && n < 2) asks(std::move(statement), 1, Relation::AtMost, most);
      else asks_parts(std::move(statement), n - (height ? 2 : 1), most);
    }
  }
  void add_tile_rules() {
    if (!*spec_.tiled) return;
    constexpr std::string_view kSide[] = {"width", "height"};
    for (std::size_t k = 1; k <= std::min<std::size_t>(shape_.size(), 2); ++k) {
      const Index tile = k == 1 ? spec_.tile.width : spec_.tile.height;
      const N& size = shape_[shape_.size() - k];
      asks_equal(
          fmt::format("the {}{} of a shard is a multiple of the tile's {}", kSide[k - 1], in_.word_of(size), tile),
          in_.remainder(size, tile), 0);
    }
  }

  // HEIGHT_SHARDED, or WIDTH_SHARDED: parts along dimension i, and as large as the array along the other one.
  void add_strip_rules(std::size_t i) {
    const BasicPlacement<N>& placement = *out_.placement;
    constexpr std::string_view kName[] = {"HEIGHT", "WIDTH"}, kAlong[] = {"height", "width"},
                               kLarge[] = {"wide", "high"};
    const N& whole = placement.size[1 - i];
    if (shard_.physical)
      asks_equal(fmt::format("{}_SHARDED: a logical shard is as {} as the tensor", kName[i], kLarge[i]),
                 in_.some(in_.divided_up(whole, shape_[1 - i])), 1);
    else
      asks_equal(fmt::format("{}_SHARDED: a shard is as {} as the physical array", kName[i], kLarge[i]), shape_[1 - i],
                 whole);
    asks_parts(fmt::format("{}_SHARDED: there are not more shards along the {} than cores", kName[i], kAlong[i]), i,
               placement.takers.count);
  }

  // ShardMode::LOGICAL of older versions: the tensor without alignment is cut, and each shard is padded by itself.
  void pad_shards(BasicPlacement<N>& placement) requires(!kNamed) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Index tile = placement.tile_size(i), size = shard_.shape[i];
      const Index rounded = in_.rounded_up(size, tile);
      const Index own = shard_.physical->empty() ? rounded : (*shard_.physical)[i];
      placement.divisor[i] = size;
      placement.cells[i] = std::max<Index>(own / tile, 1);
      if (placement.divided[i]) placement.parts[i] = in_.some(ceil_div(placement.size[i], size));
      out_.rules.push_back({fmt::format("physical shard size {} is a multiple of {}", own, tile), own % tile, 0});
      out_.rules.push_back(
          {fmt::format("the shard's {} elements fit into its physical {}", size, own), std::max(size, own), own});
    }
  }

  // Why cores or shards of names have no places that are encoded.
  [[nodiscard]] std::string why_not_encoded() const {
    if (shard_.physical) return "ShardMode::LOGICAL with names is not encoded for all sizes";
    if (spec_.memory == Memory::Nd && spec_.alignment.size() > 2)
      return "more than two alignments with names are not encoded for all sizes";
    return shard_.named_grid.size() == 4 ? "" : "several core ranges beside names are not encoded for all sizes";
  }

  // HEIGHT_SHARDED, WIDTH_SHARDED and BLOCK_SHARDED: each core has one shard.
  void in_shards() {
    if constexpr (kNamed)
      if (out_.undecidable = why_not_encoded(); !out_.undecidable.empty()) return;
    const bool height = spec_.memory == Memory::Height, width = spec_.memory == Memory::Width;
    BasicPlacement<N>& placement =
        cut(physical_array(shard_.physical ? List() : alignment_), shape_, {!width, !height});
    if constexpr (!kNamed)
      if (shard_.physical) pad_shards(placement);
    const bool some_core = set_cores(placement.takers);
    placement.takers.deal = height || width ? Deal::RoundRobin : Deal::Grid;
    placement.takers.one_each = true;
    placement.takers.parts = in_.times(placement.parts[0], placement.parts[1]);
    if (height || width) add_strip_rules(height ? 0 : 1);
    else add_grid_rules("BLOCK_SHARDED");
    if (!*spec_.tiled && !height && !shard_.physical)
      asks_equal("ROW_MAJOR: the width of a shard is the alignment of the last dimension", alignment_.back(),
                 shape_[1]);
    asks_equal("a tensor in shards of two dimensions has at most two alignments",
               std::max<Index>(count(spec_.alignment), 2), 2);
    if (!shard_.physical) add_tile_rules();
    if (!some_core || (!height && !width && shard_.grid.size() != 1)) out_.placement.reset();
  }

  // The padded shape, of as many dimensions as the shape or the alignment has. Nothing: the alignments have none, where
  // the runtime stops with an error.
  std::optional<List> padded_shape() {
    List out(std::max(size_.size(), alignment_.size()), 1);
    Index together = 1;
    for (std::size_t k = 1; k <= out.size(); ++k) {
      N step = from_end(alignment_, k);
      if constexpr (!kNamed)
        if (k > 2) {
          const bool divides = together != 0 && step % together == 0;
          if (together % step != 0 && !divides) return std::nullopt;
          step = together % step == 0 ? 1 : step / together;
        }
      N& size = out[out.size() - k];
      size = in_.rounded_up(from_end(size_, k), step);
      if constexpr (!kNamed)
        if (k > 1)
          together = k < alignment_.size() ? in_.times(together, size) : checked_mul(together, size).value_or(1);
    }
    return out;
  }
  // Its dimensions as those of a shard: the first ones are joined.
  Array joined(const List& padded, std::size_t rank) {
    Array out{std::vector<std::vector<map::BasicTerm<N>>>(rank), List(rank, 1)};
    for (std::size_t k = 1; k <= padded.size(); ++k) {
      const std::size_t i = k < rank ? rank - k : 0;
      N& size = out.second[i];
      if (k <= size_.size()) out.first[i].insert(out.first[i].begin(), {size_.size() - k, k <= rank ? N(1) : size});
      size = in_.times(padded[padded.size() - k], size);
    }
    return out;
  }

  // How many parts there are, and how many each core has. Without an element there is one in a dimension without one.
  void count_parts(const BasicPlacement<N>& placement, BasicTakers<N>& takers) {
    N dense = 1, at_least_one = 1;
    for (const N& part : placement.parts) {
      dense = in_.times(dense, part);
      if constexpr (kNamed) at_least_one = in_.times(at_least_one, Expression::of(Expression::Kind::Max, part, 1));
    }
    if constexpr (kNamed) {
      const auto with_elements = [&](const N& yes, const N& no) {
        return Expression::chosen(map::product_of(size_), 1, yes, no);
      };
      takers.parts = with_elements(dense, at_least_one);
      takers.parts_each =
          with_elements(in_.divided_up(dense, takers.count), in_.divided_up(at_least_one, takers.count));
    } else {
      takers.parts = dense;
      if (takers.count > 0) takers.parts_each = ceil_div(dense, takers.count);
    }
  }

  // NdShardSpec: shards of any rank go round the cores, are dealt in runs, or lie as a grid.
  void in_any_shards() {
    if constexpr (kNamed)
      if (out_.undecidable = why_not_encoded(); !out_.undecidable.empty()) return;
    const auto padded = padded_shape();
    if (!padded) out_.undecidable = "the runtime finds no padded shape for these alignments";
    if (!padded || in_.overflows()) return;
    const std::size_t rank = shape_.size();
    asks("a shard has at most as many dimensions as the padded tensor", count(shape_), Relation::AtMost,
         count(*padded));
    add_tile_rules();
    if (*spec_.tiled && rank < 2) out_.rules.push_back({"a shard of tiles has two dimensions", 1, 2});
    const bool grid = shard_.deal == Deal::Grid, runs = shard_.deal == Deal::Contiguous;
    const bool no_places = rank > padded->size() || (*spec_.tiled && rank < 2);
    if constexpr (kNamed)
      if (no_places || (grid && rank > 2)) out_.undecidable = "shards of this rank have no places";
    if (no_places || !out_.undecidable.empty()) return;
    BasicPlacement<N>& placement = cut(joined(*padded, rank), shape_, std::vector<bool>(rank, true));
    BasicTakers<N>& takers = placement.takers;
    const bool some_core = set_cores(takers);
    takers.deal = shard_.deal;
    count_parts(placement, takers);
    if (grid) takers.parts_each = 1;
    if (runs)
      asks_equal(fmt::format("CONTIGUOUS_1D: the{} shards are a multiple of the{} cores", in_.word_of(takers.parts),
                             in_.word_of(takers.count)),
                 some_core ? in_.remainder(takers.parts, takers.count) : N(1), 0);
    if (grid) asks("GRID_2D: a shard has at most two dimensions", count(shape_), Relation::AtMost, 2);
    if (grid) add_grid_rules("GRID_2D");
    if (!kNamed) out_.rules.push_back({"shards are on a core at least", some_core ? 1 : 0, 1});
    if (!some_core || (grid && (shard_.grid.size() != 1 || rank > 2))) out_.placement.reset();
  }

  const Spec& spec_;
  const Shard shard_;
  const List& size_;
  Arithmetic<N> in_;
  List alignment_, shape_;
  BasicPlaced<N> out_;
};

}  // namespace

template <class N>
BasicPlaced<N> place(const Spec& spec, const std::vector<N>& size) {
  return Placing<N>(spec, size).place();
}
template BasicPlaced<Index> place(const Spec& spec, const std::vector<Index>& size);
template BasicPlaced<Expression> place(const Spec& spec, const std::vector<Expression>& size);

}  // namespace vl::ttmetal
