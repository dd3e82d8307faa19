// What place.cpp and lower.cpp compute with numbers, with expressions.
#include "encodings/ttmetal/rule_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmetal/meaning.h"
#include "encodings/ttmetal/place.h"
#include "encodings/ttmetal/rule_numbers.h"
#include "encodings/use/chip.h"

namespace vl::ttmetal {
namespace {

using List = std::vector<Expression>;
using Relation = map::Condition::Relation;

// The physical array: its sizes, and the dimensions of the tensor that each of its dimensions joins.
struct Joined {
  List size;
  std::vector<std::vector<std::size_t>> dims;
};

// A rule in the making: what it is of, or the reason why there is none.
class SpecRule {
 public:
  SpecRule(const Spec& spec, const map::RuleTensor& tensor, use::Reading& reading)
      : spec_(spec), shard_(spec.shard ? *spec.shard : Shard{}), reading_(reading) {
    rule_.named_axes = true;
    rule_.logical = tensor.size;
    rule_.strides.assign(tensor.size.size(), 1);
    if (*spec.tiled) tile_ = spec.tile;
  }

  void read() {
    add_general_laws();
    switch (spec_.memory) {
      case Memory::Interleaved: return interleaved();
      case Memory::Nd: return in_any_shards();
      default: return in_shards();
    }
  }

 private:
  void none(std::string why) { reading_.what = use::Undecidable{std::move(why)}; }

  // A law; or where it is about numbers a rule.
  void asks(std::string statement, const Expression& have, Relation relation, const Expression& want,
            bool of_tensor = false) {
    const map::Condition law{have, relation, want, {}};
    if (have.number() && want.number()) {
      const auto held = map::holds(law, {});
      reading_.rules.push_back({std::move(statement), held && *held ? 1 : 0, 1, of_tensor});
    } else if (relation != Relation::Equal || have != want) {
      rule_.laws.push_back(law);
    }
  }
  void asks(std::string statement, Index have, Index want, bool of_tensor = false) {
    reading_.rules.push_back({std::move(statement), have, want, of_tensor});
  }

  void add_general_laws() {
    const List& size = rule_.logical;
    if (spec_.shape) {
      const List& said = spec_.named_shape;
      asks("the text's tensor has as many dimensions as the tensor", static_cast<Index>(said.size()),
           static_cast<Index>(size.size()), true);
      for (std::size_t d = 0; said.size() == size.size() && d < size.size(); ++d)
        asks(fmt::format("dimension {} of the text's tensor is the tensor's", d), said[d], Relation::Equal, size[d],
             true);
    }
    add_rules_of_numbers(spec_, reading_.rules);
  }

  // The alignment with the default of the page configuration.
  [[nodiscard]] List merged() const {
    List usual{1};
    if (*spec_.tiled) usual = {spec_.tile.height, spec_.tile.width};
    else if (spec_.shard) usual = {shard_.named_shape.back()};
    if (spec_.alignment.empty()) return usual;
    List out(std::max(usual.size(), spec_.named_alignment.size()), 1);
    std::ranges::copy_backward(spec_.named_alignment, out.end());
    for (std::size_t k = 1; k <= usual.size(); ++k)
      out[out.size() - k] = rounded_up(out[out.size() - k], usual[usual.size() - k]);
    return out;
  }

  // Each product is rounded up while the dimensions are joined.
  Joined physical_array(const List& alignment) {
    const std::size_t rank = rule_.logical.size();
    Joined out{{1, 1}, {{}, {}}};
    for (std::size_t k = 1; k <= std::max(rank, alignment.size()); ++k) {
      const std::size_t i = k == 1 ? 1 : 0;
      if (k <= rank) {
        rule_.strides[rank - k] = out.size[i];
        out.dims[i].insert(out.dims[i].begin(), rank - k);
        out.size[i] = times(rule_.logical[rank - k], out.size[i]);
      }
      out.size[i] = rounded_up(out.size[i], value_from_end(alignment, k));
    }
    return out;
  }

  // The padded shape as dimensions of a shard: the first ones are joined. Alignments are of the last two alone.
  Joined joined(const List& alignment, std::size_t dims) {
    const std::size_t rank = rule_.logical.size();
    Joined out{List(dims, 1), std::vector<std::vector<std::size_t>>(dims)};
    for (std::size_t k = 1; k <= std::max(rank, alignment.size()); ++k) {
      const std::size_t i = k < dims ? dims - k : 0;
      if (k <= rank) {
        rule_.strides[rank - k] = k <= dims ? Expression(1) : out.size[i];
        out.dims[i].insert(out.dims[i].begin(), rank - k);
      }
      out.size[i] = times(rounded_up(value_from_end(rule_.logical, k), value_from_end(alignment, k)), out.size[i]);
    }
    return out;
  }

  [[nodiscard]] Index tile_side(std::size_t i, std::size_t n) const {
    return i + 1 == n ? tile_.width : i + 2 == n ? tile_.height : 1;
  }
  [[nodiscard]] Index face_side(std::size_t i, std::size_t n) const {
    return i + 1 == n ? tile_.face_width : i + 2 == n ? tile_.face_height : 1;
  }

  // Parts of this shape, in whole cells. Those of a dimension that is not `divided` are one.
  void cut(const Joined& array, const List& shape, const std::vector<bool>& divided) {
    const std::size_t n = shape.size();
    for (std::size_t i = 0; i < n; ++i) {
      cells_.push_back(divided_up(shape[i], tile_side(i, n)));
      divisor_.push_back(times(cells_[i], tile_side(i, n)));
      rule_.fits.push_back(array.size[i]);
      parts_.push_back(divided[i] ? divided_up(array.size[i], divisor_[i]) : Expression(1));
    }
    steps_.assign(n, tile_.height * tile_.width);
    for (std::size_t i = n; i-- > 1;) steps_[i - 1] = times(steps_[i], cells_[i]);
    volume_ = times(steps_[0], cells_[0]);
    if (!*spec_.tiled) reading_.unsized = use::unsized_rows(cells_.back().number(), reading_.device_bits);
  }

  std::size_t add_level(const Expression& weight, const Expression& extent) {
    rule_.levels.push_back({weight, extent});
    ++rule_.numbers.back().levels;
    return rule_.levels.size() - 1;
  }

  // The cells of a part in one dimension, their faces, and what lies inside.
  void add_cells(std::size_t i, std::size_t n) {
    const Index side = tile_side(i, n), face = face_side(i, n);
    const bool last = i + 1 == n;
    const Index row = tile_.within_by_column ? 1 : tile_.face_width;
    const Index column = tile_.within_by_column ? tile_.face_height : 1;
    const Index area = tile_.face_height * tile_.face_width;
    const Index face_row = tile_.faces_by_column ? area : tile_.face_height * tile_.width;
    const Index face_column = tile_.faces_by_column ? tile_.height * tile_.face_width : area;
    memory_.terms.push_back({add_level(side, cells_[i]), steps_[i]});
    if (face < side) memory_.terms.push_back({add_level(face, side / face), last ? face_column : face_row});
    if (side > 1) memory_.terms.push_back({add_level(1, face), last ? column : row});
  }

  // The numbers of the physical array; each begins with the levels that `add_part` adds.
  template <class AddPart>
  void add_numbers(const Joined& array, const AddPart& add_part) {
    for (std::size_t i = 0; i < array.dims.size(); ++i) {
      rule_.numbers.push_back({array.dims[i], 0});
      add_part(i);
      add_cells(i, array.dims.size());
    }
  }

  map::RulePlace core(std::string name, Expression extent, Expression constant, std::vector<map::RuleTerm> terms) {
    map::RulePlace out;
    out.name = std::move(name), out.unit = map::Unit::Core;
    out.extent = std::move(extent), out.constant = std::move(constant), out.terms = std::move(terms);
    return out;
  }

  void finish(const Expression& parts_each) {
    memory_.name = map::kMemoryAxis;
    memory_.extent = volume_ * parts_each;
    rule_.places.push_back(std::move(memory_));
    for (std::string& name : map::names_of(rule_)) rule_.symbols.push_back({std::move(name), 1});
    reading_.what = std::move(rule_);
  }

  // Tiles, or rows of the physical array, in turn in each bank.
  void interleaved() {
    if (!spec_.banks) return none("the text does not say how many banks the device has");
    const Expression banks = spec_.named_banks.empty() ? Expression(*spec_.banks) : spec_.named_banks.back();
    const List alignment = merged();
    const Joined array = physical_array(alignment);
    if (*spec_.tiled && alignment.size() > 2)
      asks("the physical height is a multiple of the page's", remainder(array.size[0], tile_.height), Relation::Equal,
           0);
    cut(array, *spec_.tiled ? List{tile_.height, tile_.width} : List{1, array.size[1]}, {true, *spec_.tiled});
    std::vector<map::RuleTerm> page;
    add_numbers(array, [&](std::size_t i) {
      page.push_back({add_level(divisor_[i], parts_[i]), i == 0 ? parts_[1] : 1});
    });
    rule_.numbers.push_back({{}, 0, std::move(page)});
    const Expression each = divided_up(times(parts_[0], parts_[1]), banks);
    memory_.terms.push_back({add_level(banks, each), volume_});
    rule_.places.push_back(core("bank", banks, 0, {{add_level(1, banks), 1}}));
    finish(each);
  }

  // The one rectangle of cores. False: there are more, or none.
  bool has_grid() {
    if (shard_.named_grid.size() != 4) return false;
    const List& at = shard_.named_grid;  // x0, y0, x1, y1
    const auto side = [](const Expression& a, const Expression& b) {
      return a.number() == 0 ? behind(b) : behind(b) - a;
    };
    high_ = side(at[1], at[3]), wide_ = side(at[0], at[2]);
    return true;
  }
  // The cores along the height of the parts, or along their width.
  [[nodiscard]] const Expression& along(bool height) const { return height != shard_.by_column ? high_ : wide_; }
  void add_axes_of_cores(std::vector<map::RuleTerm> y, std::vector<map::RuleTerm> x) {
    const List& at = shard_.named_grid;
    reading_.skips_cores = at[0].number() != 0 || at[1].number() != 0;
    rule_.places.push_back(core("y", behind(at[3]), at[1], std::move(y)));
    rule_.places.push_back(core("x", behind(at[2]), at[0], std::move(x)));
  }
  // The levels that are y and x of a core.
  void add_cores(std::size_t y, std::size_t x) { add_axes_of_cores({{y, 1}}, {{x, 1}}); }
  // Two levels that are the core number k of the rectangle, by rows or by columns; weight `each` is one core.
  void add_core_levels(const Expression& each) {
    const bool down = shard_.by_column;
    const std::size_t outer = add_level(each * (down ? high_ : wide_), down ? wide_ : high_);
    const std::size_t inner = add_level(each, down ? high_ : wide_);
    add_cores(down ? inner : outer, down ? outer : inner);
  }

  void add_tile_laws() {
    if (!*spec_.tiled) return;
    for (std::size_t k = 1; k <= std::min<std::size_t>(shard_.shape.size(), 2); ++k)
      asks(fmt::format("the {} of a shard is a multiple of the tile's", k == 1 ? "width" : "height"),
           remainder(value_from_end(shard_.named_shape, k), k == 1 ? tile_.width : tile_.height), Relation::Equal, 0);
  }
  // There are at most so many parts: ceil(size / divisor) <= most.
  void asks_parts(std::string statement, const Joined& array, std::size_t i, const Expression& most) {
    asks(std::move(statement), array.size[i], Relation::AtMost, times(divisor_[i], most));
  }
  void add_grid_laws(const Joined& array) {
    const std::size_t n = array.size.size();
    if (n > 1) asks_parts("the shards along the height fit into the grid", array, n - 2, along(true));
    asks_parts("the shards along the width fit into the grid", array, n - 1, along(false));
  }

  // HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED: each core has one shard.
  void in_shards() {
    if (shard_.physical) return none("ShardMode::LOGICAL with names is not encoded for all sizes");
    if (!has_grid()) return none("several core ranges beside names are not encoded for all sizes");
    const bool height = spec_.memory == Memory::Height, width = spec_.memory == Memory::Width;
    const Joined array = physical_array(merged());
    const List& shape = shard_.named_shape;
    cut(array, shape, {!width, !height});
    const Expression cores = times(high_, wide_);
    if (height) {
      asks("HEIGHT_SHARDED: a shard is as wide as the physical array", shape[1], Relation::Equal, array.size[1]);
      asks_parts("HEIGHT_SHARDED: there are not more shards along the height than cores", array, 0, cores);
    } else if (width) {
      asks("WIDTH_SHARDED: a shard is as high as the physical array", shape[0], Relation::Equal, array.size[0]);
      asks_parts("WIDTH_SHARDED: there are not more shards along the width than cores", array, 1, cores);
    } else {
      add_grid_laws(array);
    }
    if (!*spec_.tiled && !height)
      asks("ROW_MAJOR: the width of a shard is the alignment of the last dimension", merged().back(), Relation::Equal,
           shape[1]);
    asks("a tensor in shards of two dimensions has at most two alignments",
         std::max<Index>(static_cast<Index>(spec_.alignment.size()), 2), 2);
    if (std::max(rule_.logical.size(), merged().size()) < 2)
      asks("a tensor of one dimension has shards of one row", shape[0], Relation::Equal, 1);
    add_tile_laws();
    std::vector<std::size_t> block;
    add_numbers(array, [&](std::size_t i) {
      if (height && i == 0) add_core_levels(divisor_[0]);
      if (width && i == 1) add_core_levels(divisor_[1]);
      if (height || width) return;
      block.push_back(add_level(divisor_[i], along(i == 0)));
    });
    if (!block.empty()) add_cores(block[shard_.by_column ? 1 : 0], block[shard_.by_column ? 0 : 1]);
    finish(1);
  }

  // NdShardSpec: shards of any rank go round the cores, are dealt in runs, or lie as a grid.
  void in_any_shards() {
    const std::size_t rank = shard_.shape.size(), padded = std::max(rule_.logical.size(), merged().size());
    if (spec_.alignment.size() > 2) return none("more than two alignments with names are not encoded for all sizes");
    if (!has_grid()) return none("several core ranges beside names are not encoded for all sizes");
    asks("a shard has at most as many dimensions as the padded tensor", static_cast<Index>(std::max(rank, padded)),
         static_cast<Index>(padded));
    if (*spec_.tiled) asks("a shard of tiles has two dimensions", rank < 2 ? 1 : 2, 2);
    const bool grid = shard_.deal == Deal::Grid, runs = shard_.deal == Deal::Contiguous;
    if (grid) asks("GRID_2D: a shard has at most two dimensions", rank > 2 ? 3 : 2, 2);
    if (rank > padded || (*spec_.tiled && rank < 2) || (grid && rank > 2))
      return none("shards of this rank have no places");
    add_tile_laws();
    const Joined array = joined(merged(), rank);
    cut(array, shard_.named_shape, std::vector<bool>(rank, true));
    // Without an element there is one part in a dimension without one.
    const auto with_elements = [&](const Expression& yes, const Expression& no) {
      return Expression::chosen(map::product_of(rule_.logical), 1, yes, no);
    };
    Expression dense = 1, at_least_one = 1;
    for (const Expression& part : parts_) {
      dense = times(dense, part);
      at_least_one = times(at_least_one, Expression::of(Expression::Kind::Max, part, 1));
    }
    const Expression cores = times(high_, wide_);
    const Expression parts = with_elements(dense, at_least_one);
    const Expression each = with_elements(divided_up(dense, cores), divided_up(at_least_one, cores));
    if (runs)
      asks("CONTIGUOUS_1D: the shards are a multiple of the cores", remainder(parts, cores), Relation::Equal, 0);
    if (grid) add_grid_laws(array);
    std::vector<map::RuleTerm> part;
    add_numbers(array, [&](std::size_t i) {
      Expression step = 1;
      for (std::size_t k = i + 1; k < rank; ++k) step = times(step, parts_[k]);
      part.push_back({add_level(divisor_[i], grid ? along(i + 1 < rank) : parts_[i]), step});
    });
    if (grid) {
      place_in_grid(part);
    } else {
      rule_.numbers.push_back({{}, 0, std::move(part)});
      if (!runs) memory_.terms.push_back({add_level(cores, each), volume_});
      add_core_levels(runs ? each : 1);
      if (runs) memory_.terms.push_back({add_level(1, each), volume_});
    }
    finish(grid ? Expression(1) : each);
  }

  // Part (i, j) on the core i rows below the first and j columns right of it, or exchanged.
  void place_in_grid(const std::vector<map::RuleTerm>& part) {
    std::vector<map::RuleTerm> terms[2];  // of the height, of the width
    if (part.size() == 2) terms[0] = {{part[0].input, 1}};
    terms[1] = {{part.back().input, 1}};
    const std::size_t down = shard_.by_column ? 1 : 0;
    add_axes_of_cores(terms[down], terms[1 - down]);
  }

  const Spec& spec_;
  const Shard shard_;
  use::Reading& reading_;
  map::Rule rule_;
  map::RulePlace memory_;
  Tile tile_{1, 1, 1, 1, false, false};
  List divisor_, cells_, parts_, steps_;  // of each physical dimension
  Expression volume_, high_, wide_;
};

// The spec of a text in which names stand for sizes.
struct Named {
  Parsed parsed;
  std::vector<NamedSize> sizes;  // each once, in the order of the text
};

Result<Named> parse_named(std::string_view text) {
  const std::string plain = without_comments(text);
  Meaning in(plain);
  auto parsed = parse(text, plain, in);
  if (!parsed) return parsed.error();
  Named out{std::move(*parsed), in.named()};
  std::ranges::sort(out.sizes, {}, &NamedSize::start);
  const auto same = [](const NamedSize& a, const NamedSize& b) { return a.start == b.start; };
  out.sizes.erase(std::unique(out.sizes.begin(), out.sizes.end(), same), out.sizes.end());
  return out;
}

}  // namespace

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  auto named = parse_named(text);
  if (!named) return named.error();
  Spec& spec = named->parsed.spec;
  use::Reading reading{map::Rule{}, {}, in_one_line(text), {}, 0, {}};
  describe(spec, tensor.type, reading);
  if (named->sizes.empty() && (!map::has_symbols(tensor) || spec.shape)) return reading;
  if (!spec.named_banks.empty() && !spec.named_banks.back().number() && !tensor.box.empty())
    reading.what = use::Undecidable{"a box beside a number of banks with a name is not encoded for all sizes"};
  else if (auto wrong = take_banks(tensor.box, spec)) return std::move(*wrong);
  else if (const std::string why = why_undecidable(named->parsed); !why.empty()) reading.what = use::Undecidable{why};
  else SpecRule(spec, tensor, reading).read();
  return reading;
}

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  const auto named = parse_named(text);
  if (!named) return named.error();
  return use::with_sizes(text, named->sizes, sizes);
}

}  // namespace vl::ttmetal
