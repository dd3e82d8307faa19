// A shape as a blueprint: one number for each physical dimension, whose levels are the digits that the tiles cut.
#include <fmt/format.h>

#include "encodings/base/words.h"
#include "encodings/xla/xla.h"

namespace vl::xla {
namespace {

Index ceil_of(Index a, Index b) { return ceil_div(a, b); }
map::Expression ceil_of(const map::Expression& a, const map::Expression& b) {
  return map::Expression::of(map::Expression::Kind::Ceil, a, b);
}
std::string shown(Index number) { return std::to_string(number); }
std::string shown(const map::Expression& number) { return map::print(number); }

template <class N>
class Lowering {
 public:
  Lowering(const BasicShape<N>& shape, use::Numbers<N>& text) : shape_(shape), text_(text) {}

  Result<map::Blueprint<N>> make(const map::BasicTensor<N>& tensor) {
    out_.named_axes = true;
    out_.logical = tensor.size;
    out_.strides.assign(tensor.size.size(), 1);
    const auto& order = shape_.minor_to_major;
    for (auto dim = order.rbegin(); dim != order.rend(); ++dim) add_dimension(static_cast<std::size_t>(*dim));
    for (std::size_t t = 0; t < shape_.tiles.size(); ++t) {
      while (dims_.size() < shape_.tiles[t].size()) dims_.insert(dims_.begin(), add_digit({{}, 1, 1}));
      if (!join(shape_.tiles[t], t == 0)) return out_;  // the text is undecidable
      cut();
    }
    number_levels();
    add_place(tensor.box.empty() ? std::nullopt : std::optional(tensor.box.front().extent));
    if (text_.in.failed()) return text_.in.error();
    return std::move(out_);
  }

 private:
  // Of number `number`, or always 0.
  struct Digit {
    std::optional<std::size_t> number;
    N weight, extent;
  };

  std::size_t add_digit(Digit digit) {
    digits_.push_back(std::move(digit));
    return digits_.size() - 1;
  }
  void add_dimension(std::size_t dim) {
    dims_.push_back(add_digit({out_.numbers.size(), 1, shape_.dims[dim]}));
    out_.numbers.push_back({{dim}, 0});
    digits_of_.push_back({dims_.back()});
  }

  // Joins dimensions that are marked to the next one. `sizes_` are then the tile's of the last dimensions.
  bool join(const std::vector<BasicTileSize<N>>& tile, bool first) {
    sizes_.clear();
    const std::size_t whole = dims_.size() - tile.size();
    std::vector<std::size_t> dims(dims_.begin(), dims_.begin() + static_cast<std::ptrdiff_t>(whole));
    for (std::size_t k = 0; k < tile.size(); ++k) {
      const std::size_t dim = dims_[whole + k];
      const bool joined = k > 0 && tile[k - 1].joins;
      if (joined) dims.back() = joined_to(dims.back(), dim);
      else dims.push_back(dim);
      if (!tile[k].joins) sizes_.push_back(tile[k].size);
      if ((joined || tile[k].joins) && !first) {
        text_.undecidable = "'*' in a tile after the first one joins parts of dimensions, which is not read";
        return false;
      }
    }
    dims_ = std::move(dims);
    return true;
  }
  // One number of two whole dimensions.
  std::size_t joined_to(std::size_t major, std::size_t minor) {
    Digit& a = digits_[major];
    Digit& b = digits_[minor];
    if (!a.number) return minor;
    if (!b.number) return major;
    for (const std::size_t dim : out_.numbers[*a.number].dims) {
      out_.strides[dim] = text_.times(out_.strides[dim], b.extent);
      out_.numbers[*b.number].dims.push_back(dim);
    }
    out_.numbers[*a.number].dims.clear();
    digits_of_[*a.number].clear();
    b.extent = text_.times(a.extent, b.extent);
    return minor;
  }

  // The last dimensions become quotients, and then remainders, by `sizes_`.
  void cut() {
    const std::size_t whole = dims_.size() - sizes_.size();
    std::vector<std::size_t> rests;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const std::size_t at = dims_[whole + k];
      const Digit from = digits_[at];
      digits_[at] = {from.number, text_.times(from.weight, sizes_[k]), ceil_of(from.extent, sizes_[k])};
      rests.push_back(add_digit({from.number, from.weight, sizes_[k]}));
      if (!from.number) continue;
      auto& own = digits_of_[*from.number];
      own.insert(std::ranges::find(own, at) + 1, rests.back());
    }
    dims_.insert(dims_.end(), rests.begin(), rests.end());
  }

  void number_levels() {
    level_.resize(digits_.size());
    std::vector<map::BasicNumber<N>> numbers;
    for (std::size_t n = 0; n < out_.numbers.size(); ++n) {
      if (out_.numbers[n].dims.empty()) continue;
      out_.numbers[n].levels = digits_of_[n].size();
      for (const std::size_t digit : digits_of_[n]) {
        level_[digit] = out_.levels.size();
        out_.levels.push_back({digits_[digit].weight, digits_[digit].extent});
      }
      numbers.push_back(std::move(out_.numbers[n]));
    }
    out_.numbers = std::move(numbers);
  }
  // An allocation that is declared may be larger or smaller than the text's slots.
  void add_place(std::optional<Index> declared) {
    map::BasicPlace<N>& place = out_.places.emplace_back();
    place.name = map::kMemoryAxis;
    N stride = 1;
    for (std::size_t k = dims_.size(); k-- > 0;) {
      if (digits_[dims_[k]].number) place.terms.push_back({level_[dims_[k]], stride});
      stride = text_.times(stride, digits_[dims_[k]].extent);
    }
    if (shape_.tail > 1) stride = text_.times(ceil_of(stride, shape_.tail), shape_.tail);
    place.extent = declared ? N(*declared) : stride;
    place.filled = out_.numbers.empty() ? N(1) : place.extent;  // of a scalar, which has no number
  }

  const BasicShape<N>& shape_;
  use::Numbers<N>& text_;
  map::Blueprint<N> out_;
  std::vector<Digit> digits_;
  std::vector<std::size_t> dims_;                    // digits, from major to minor
  std::vector<std::vector<std::size_t>> digits_of_;  // each number's, in the order in which they divide it
  std::vector<std::size_t> level_;                   // of each digit
  std::vector<N> sizes_;
};

}  // namespace

template <class N>
Result<map::Blueprint<N>> blueprint_of(const BasicShape<N>& shape, use::Numbers<N>& text,
                                       const map::BasicTensor<N>& tensor) {
  if (shape.dims.size() != tensor.size.size())
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor has {}; the text states {}",
                             plural(static_cast<Index>(tensor.size.size()), "dimension"), shape.dims.size())};
  for (std::size_t dim = 0; dim < shape.dims.size(); ++dim)
    if (shown(shape.dims[dim]) != shown(tensor.size[dim]))
      return Error{ErrorCode::Shape, fmt::format("dimension {} of the tensor is {}; the text states {}", dim,
                                                 shown(tensor.size[dim]), shown(shape.dims[dim]))};
  if (shape.type && *shape.type != tensor.type)
    return Error{ErrorCode::Value, fmt::format("the tensor has elements of type {}; the text states {}",
                                               map::name(tensor.type), map::name(*shape.type))};
  if (!tensor.box.empty() && (tensor.box.size() > 1 || tensor.box.front().axis != map::kMemoryAxis))
    return Error{ErrorCode::Box,
                 fmt::format("the box declares '{}'; a layout of XLA has the one axis m", tensor.box.back().axis)};
  return Lowering<N>(shape, text).make(tensor);
}
template Result<map::Blueprint<Index>> blueprint_of(const BasicShape<Index>&, use::Numbers<Index>&, const map::Tensor&);
template Result<map::Blueprint<map::Expression>> blueprint_of(const BasicShape<map::Expression>&,
                                                              use::Numbers<map::Expression>&, const map::RuleTensor&);

}  // namespace vl::xla
