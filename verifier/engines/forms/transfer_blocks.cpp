#include "verifier/engines/forms/transfer_blocks.h"

#include <algorithm>
#include <functional>

namespace vl::engines {

using map::Line;
using map::Piece;
using use::Memory;
using use::Nest;

namespace {

// The blocks of pieces whose line `first` is an offset in the memory.
std::optional<std::vector<Block>> digits_of(const std::vector<Piece>& pieces, std::size_t first,
                                            const std::vector<Index>& weights) {
  const map::Stage stages[] = {map::Split{0, weights}};
  std::vector<Block> blocks;
  for (const Piece& piece : pieces) {
    const auto parts = map::run(piece, first, stages);
    if (!parts) return std::nullopt;
    for (const Piece& part : *parts) {
      auto some = blocks_of(part, first);
      if (!some) return std::nullopt;
      blocks.insert(blocks.end(), some->begin(), some->end());
      if (blocks.size() > map::kMostPieces) return std::nullopt;
    }
  }
  return blocks;
}

}  // namespace

Piece piece_of(const Box& box) {
  Piece piece;
  for (const Range& range : box) piece.extents.push_back(range.high - range.low + 1);
  return piece;
}

std::optional<Line> line_of(const Box& box, Index constant, std::span<const Index> coefficients) {
  Line line{constant, Point(coefficients.begin(), coefficients.end())};
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    if (!accumulate(line.constant, coefficients[k], box[k].low)) return std::nullopt;
  return line;
}

std::optional<Line> line_of(const Box& box, const use::Walk& walk) { return line_of(box, walk.offset, walk.strides); }

std::vector<std::vector<Index>> digit_systems(const Memory& memory) {
  const map::Layout& layout = memory.layout;
  if (layout.physical().rank() != 1) return {map::row_major_weights(layout.physical())};
  const auto* affine =
      layout.map().stages().size() == 1 ? std::get_if<map::Affine>(&layout.map().stages().front()) : nullptr;
  if (affine == nullptr) return {{1}};
  std::vector<std::pair<Index, Index>> modes;  // |stride|, extent
  for (const map::Term& term : affine->rows.front().terms)
    if (layout.domain().extent(term.input) > 1)
      modes.emplace_back(term.coefficient < 0 ? -term.coefficient : term.coefficient,
                         layout.domain().extent(term.input));
  std::ranges::sort(modes, std::greater<>());
  std::vector<Index> all;
  std::vector<Index> runs;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    all.push_back(modes[k].first);
    const bool continued =
        k + 1 < modes.size() && checked_mul(modes[k + 1].first, modes[k + 1].second) == modes[k].first;
    if (!continued) runs.push_back(modes[k].first);
  }
  for (std::vector<Index>* weights : {&all, &runs})
    if (weights->empty() || weights->back() != 1) weights->push_back(1);
  if (all == runs) return {all};
  return {all, runs};
}

std::optional<std::vector<Block>> written(const Memory& memory, const Nest& nest, const Box& box,
                                          const std::vector<Index>& weights) {
  if (std::ranges::any_of(box, [](const Range& range) { return range.high < range.low; })) return std::vector<Block>{};
  Piece piece = piece_of(box);
  auto line = line_of(box, nest.destination);
  if (!line || !accumulate(line->constant, -1, memory.base)) return std::nullopt;
  piece.lines.push_back(std::move(*line));
  map::fuse(piece);
  return digits_of({std::move(piece)}, 0, weights);
}

bool outside(const Piece& piece, std::size_t first, std::span<const Index> bounds) {
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    const auto range = map::range_of(piece.lines[first + j], piece.extents);
    if (!range || range->low < 0 || range->high >= bounds[j]) return true;
  }
  return false;
}

std::optional<Image> image_of(const Memory& memory, const Box& box, const std::vector<Index>& weights) {
  const map::Layout& layout = memory.layout;
  Piece piece = piece_of(box);
  for (std::size_t k = 0; k < box.size(); ++k) {  // where each variable is in the box
    piece.lines.push_back({box[k].low, Point(box.size(), 0)});
    piece.lines[k].coefficients[k] = 1;
  }
  auto pieces = map::run(piece, 0, layout.map().stages());
  if (!pieces) return std::nullopt;
  const auto bounds = map::bounds_of(layout.physical(), layout.map().outputs());
  if (std::ranges::any_of(*pieces, [&](const Piece& part) { return outside(part, 0, bounds); })) return Image{true, {}};
  const std::size_t rank = layout.physical().rank();
  Image image;
  for (Piece& part : *pieces) part.lines.resize(rank);  // the guards are 0
  if (rank == 1) {
    auto blocks = digits_of(*pieces, 0, weights);
    if (!blocks) return std::nullopt;
    image.blocks = std::move(*blocks);
  } else {
    for (Piece& part : *pieces) {
      auto blocks = blocks_of(part, 0);
      if (!blocks) return std::nullopt;
      image.blocks.insert(image.blocks.end(), blocks->begin(), blocks->end());
    }
  }
  return image;
}

}  // namespace vl::engines
