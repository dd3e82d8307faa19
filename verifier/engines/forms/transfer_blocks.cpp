#include "verifier/engines/forms/transfer_blocks.h"

#include <algorithm>
#include <functional>

namespace vl::engines {

using map::Piece;
using use::Memory;
using use::Nest;

namespace {

// The blocks of pieces, after stages.
std::optional<std::vector<Block>> blocks_after(const std::vector<Piece>& pieces, std::span<const map::Stage> stages) {
  std::vector<Block> blocks;
  for (const Piece& piece : pieces) {
    const auto parts = map::run(piece, 0, stages);
    if (!parts) return std::nullopt;
    for (const Piece& part : *parts) {
      auto some = blocks_of(part, 0);
      if (!some) return std::nullopt;
      blocks.insert(blocks.end(), some->begin(), some->end());
      if (blocks.size() > map::kMostPieces) return std::nullopt;
    }
  }
  return blocks;
}

// One variable a dimension of the box, and where it is there.
Piece whole_of(const Box& box) {
  Piece piece;
  for (std::size_t k = 0; k < box.size(); ++k) {
    piece.extents.push_back(box[k].high - box[k].low + 1);
    piece.lines.push_back({box[k].low, Point(box.size(), 0)});
    piece.lines[k].coefficients[k] = 1;
  }
  return piece;
}

}  // namespace

std::optional<Piece> piece_of(const Box& box, const map::Affine& rows) {
  const map::Stage stages[] = {rows};
  auto pieces = map::run(whole_of(box), 0, stages);
  if (!pieces) return std::nullopt;
  map::fuse(pieces->front());
  return std::move(pieces->front());
}

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
  map::Affine row{{map::dot(nest.destination.strides, nest.destination.offset)}};
  if (!accumulate(row.rows[0].constant, -1, memory.base)) return std::nullopt;
  const auto piece = piece_of(box, row);
  const map::Stage stages[] = {map::Split{0, weights}};
  return piece ? blocks_after({*piece}, stages) : std::nullopt;
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
  auto pieces = map::run(whole_of(box), 0, layout.map().stages());
  if (!pieces) return std::nullopt;
  const auto bounds = map::bounds_of(layout.physical(), layout.map().outputs());
  if (std::ranges::any_of(*pieces, [&](const Piece& part) { return outside(part, 0, bounds); })) return Image{true, {}};
  const std::size_t rank = layout.physical().rank();
  for (Piece& part : *pieces) part.lines.resize(rank);  // the guards are 0
  const map::Stage split[] = {map::Split{0, weights}};
  auto blocks = blocks_after(*pieces, rank == 1 ? std::span<const map::Stage>(split) : std::span<const map::Stage>());
  return blocks ? std::optional(Image{false, std::move(*blocks)}) : std::nullopt;
}

}  // namespace vl::engines
