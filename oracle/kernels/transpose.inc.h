// The kernel Transpose: units of 1, 2, 4, 8 or 16 bytes. The matrix of the last two loops is cut into blocks; blocks and
// outer loops are walked as one nest, so that while a block is moved the whole next one is fetched, wherever it lies.
// A block is moved in tiles of one cache line by one cache line (transpose_tiles.inc.h): each line that is read is read
// whole, each that is written is written whole, past the caches if the step is streamed. The last tile of a row or column
// is moved back until it fits, and writes the same bytes again; nothing outside the matrix is read or written.
#include "oracle/kernels/transpose_tiles.inc.h"

namespace vl::oracle::VL_SET {
namespace {

/// rows x columns units; row r from source + r * source_pitch, column c to destination + c * destination_pitch.
struct Matrix {
  const Byte* source = nullptr;
  Byte* destination = nullptr;
  Index rows = 0, columns = 0;
  Index source_pitch = 0, destination_pitch = 0;
};

/// The lines of the next block that are still to be fetched: `lines` columns of `rows` lines each.
struct Fetch {
  const Byte* from = nullptr;
  Index rows = 0, lines = 0, pitch = 0, row = 0;

  VL_INLINE void some(Index count) {
    if (lines == 0) return;
    for (; count > 0; --count) {
      __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(from) +
                                                       static_cast<uintptr_t>(row * pitch)));
      if (++row < rows) continue;
      row = 0;
      from += kLine;
      if (--lines == 0) return;
    }
  }
};

template <int kUnit>
void plain(const Matrix& m) {
  for (Index c = 0; c < m.columns; ++c)
    for (Index r = 0; r < m.rows; ++r)
      store(m.destination + c * m.destination_pitch + r * kUnit,
            load<Unit<kUnit>>(m.source + r * m.source_pitch + c * kUnit));
}

/// kBytes/kUnit rows of `columns` units. Requires: columns >= 16 / kUnit.
template <int kUnit, int kBytes>
VL_INLINE void strip(const Byte* source, Index source_pitch, Byte* destination, Index destination_pitch, Index columns) {
  constexpr Index side = kBytes / kUnit, lane = 16 / kUnit;
  Index c = 0;
  for (; c + side <= columns; c += side)
    square<kUnit, kBytes, false>(source + c * kUnit, source_pitch, destination + c * destination_pitch,
                                 destination_pitch);
  for (; c + lane <= columns; c += lane)
    narrow<kUnit, kBytes>(source + c * kUnit, source_pitch, destination + c * destination_pitch, destination_pitch);
  if (c == columns) return;
  c = columns - lane;
  narrow<kUnit, kBytes>(source + c * kUnit, source_pitch, destination + c * destination_pitch, destination_pitch);
}

/// A line by a line, past the caches. Requires: destination and its pitch are whole lines.
template <int kUnit>
VL_INLINE void stream_tile(const Byte* source, Index source_pitch, Byte* destination, Index destination_pitch) {
  if constexpr (VL_WIDTH == kLine) {
    square<kUnit, kLine, true>(source, source_pitch, destination, destination_pitch);
  } else {
    constexpr Index side = kLine / kUnit, step = VL_WIDTH / kUnit;
    alignas(kLine) Byte tile[kLine * side];
    for (Index r = 0; r < side; r += step)
      strip<kUnit, VL_WIDTH>(source + r * source_pitch, source_pitch, tile + r * kUnit, kLine, side);
    for (Index c = 0; c < side; ++c) stream_line(destination + c * destination_pitch, load_line(tile + c * kLine));
  }
}

/// `rows` rows by `columns` columns, at most a line of them. Requires: both at least a lane.
template <int kUnit>
VL_INLINE void tile_column(const Matrix& m, Index c, Index columns, bool streams, Fetch& fetch) {
  constexpr Index side = kLine / kUnit, lane = 16 / kUnit;
  const Byte* source = m.source + c * kUnit;
  Byte* destination = m.destination + c * m.destination_pitch;
  Index r = 0;
  if (streams && columns == side)
    for (; r + side <= m.rows; r += side) {
      stream_tile<kUnit>(source + r * m.source_pitch, m.source_pitch, destination + r * kUnit, m.destination_pitch);
      fetch.some(side);
    }
  const auto strips = [&]<int kBytes>(Numbers<kBytes>) {
    constexpr Index rows = kBytes / kUnit;
    for (; r + rows <= m.rows; r += rows) {
      strip<kUnit, kBytes>(source + r * m.source_pitch, m.source_pitch, destination + r * kUnit, m.destination_pitch,
                           columns);
      fetch.some(rows);
    }
  };
  if constexpr (VL_WIDTH >= 64) strips(Numbers<64>{});
  if constexpr (VL_WIDTH >= 32) strips(Numbers<32>{});
  strips(Numbers<16>{});
  if (r == m.rows) return;
  fetch.some(m.rows - r);
  r = m.rows - lane;
  strip<kUnit, 16>(source + r * m.source_pitch, m.source_pitch, destination + r * kUnit, m.destination_pitch, columns);
}

/// kRows rows, whose columns follow each other without a gap in the destination.
template <int kUnit, int kRows>
void interleave_block(const Matrix& m, bool streams, Fetch& fetch) {
  constexpr Index side = VL_WIDTH / kUnit;
  Index c = 0;
  for (; c + side <= m.columns; c += side) {
    if (streams)
      interleave_rows<kUnit, VL_WIDTH, kRows, true>(m.source + c * kUnit, m.source_pitch,
                                                    m.destination + c * kRows * kUnit);
    else
      interleave_rows<kUnit, VL_WIDTH, kRows, false>(m.source + c * kUnit, m.source_pitch,
                                                     m.destination + c * kRows * kUnit);
    fetch.some(kRows);
  }
  Matrix rest = m;
  rest.source += c * kUnit;
  rest.destination += c * kRows * kUnit;
  rest.columns -= c;
  plain<kUnit>(rest);
}

/// kColumns columns, whose rows follow each other without a gap in the source.
template <int kUnit, int kColumns>
void deinterleave_block(const Matrix& m, bool streams, Fetch& fetch) {
  constexpr Index side = VL_WIDTH / kUnit;
  Index r = 0;
  for (; r + side <= m.rows; r += side) {
    if (streams && VL_WIDTH == kLine)
      deinterleave_rows<kUnit, VL_WIDTH, kColumns, true>(m.source + r * kColumns * kUnit, m.destination + r * kUnit,
                                                         m.destination_pitch);
    else
      deinterleave_rows<kUnit, VL_WIDTH, kColumns, false>(m.source + r * kColumns * kUnit, m.destination + r * kUnit,
                                                          m.destination_pitch);
    fetch.some(side);
  }
  Matrix rest = m;
  rest.source += r * kColumns * kUnit;
  rest.destination += r * kUnit;
  rest.rows -= r;
  plain<kUnit>(rest);
}

/// A block with fewer rows or columns than a lane has units.
template <int kUnit>
void thin_block(const Matrix& m, bool streams, Fetch& fetch) {
  if constexpr (kUnit <= 4) {
    const bool gathers = m.destination_pitch == m.rows * kUnit, scatters = m.source_pitch == m.columns * kUnit;
    if (gathers && m.rows == 2) return interleave_block<kUnit, 2>(m, streams, fetch);
    if (scatters && m.columns == 2) return deinterleave_block<kUnit, 2>(m, streams, fetch);
    if constexpr (kUnit <= 2) {
      if (gathers && m.rows == 4) return interleave_block<kUnit, 4>(m, streams, fetch);
      if (scatters && m.columns == 4) return deinterleave_block<kUnit, 4>(m, streams, fetch);
    }
    if constexpr (kUnit == 1) {
      if (gathers && m.rows == 8) return interleave_block<kUnit, 8>(m, streams, fetch);
      if (scatters && m.columns == 8) return deinterleave_block<kUnit, 8>(m, streams, fetch);
    }
  }
  plain<kUnit>(m);
}

template <int kUnit>
void block(const Matrix& m, bool streams, Fetch& fetch) {
  constexpr Index side = kLine / kUnit, lane = 16 / kUnit;
  // Streams need whole lines: of each destination row, or of all of it where the rows follow each other.
  streams = streams && is_line(m.destination);
  if (m.rows < lane || m.columns < lane) {
    const bool whole = m.rows < lane || m.destination_pitch % kLine == 0;
    return thin_block<kUnit>(m, streams && whole, fetch);
  }
  streams = streams && m.destination_pitch % kLine == 0;
  Index c = 0;
  for (; c + side <= m.columns; c += side) tile_column<kUnit>(m, c, side, streams, fetch);
  if (c == m.columns) return;
  if (m.columns - c < lane) c = m.columns - lane;
  tile_column<kUnit>(m, c, m.columns - c, false, fetch);
}

}  // namespace
}  // namespace vl::oracle::VL_SET

#include "oracle/kernels/transpose_walk.inc.h"
