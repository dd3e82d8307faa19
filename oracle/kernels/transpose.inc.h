// The kernel Transpose: units of 1, 2, 4, 8 or 16 bytes. The matrix of the last two loops is cut into blocks. Blocks
// and outer loops are walked as one nest: while a block is moved, the whole next block is fetched, at any place. A
// block is moved in tiles of one cache line by one cache line (transpose_tiles.inc.h). Each line is read or written as
// a whole, past the caches if the step is streamed. The last tile of a row or column is moved back until it fits, and
// writes the same bytes again. The kernel neither reads nor writes outside the matrix.
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

/// The lines of a later block that have not been fetched yet: `rows` rows of `lines` lines each, row after row, and
/// then `more` times as many rows again, `hop` behind the first ones.
struct Fetch {
  uintptr_t from = 0;  // not a pointer: it may go beyond the memory
  Index rows = 0, lines = 0, pitch = 0, line = 0;
  Index more = 0, again = 0, hop = 0;

  VL_INLINE void some(Index count) {
    for (; rows > 0 && count > 0; --count) {
      __builtin_prefetch(reinterpret_cast<const void*>(from + static_cast<uintptr_t>(line * kLine)));
      if (++line < lines) continue;
      line = 0;
      from += static_cast<uintptr_t>(pitch);
      if (--rows > 0 || more == 0) continue;
      --more;
      rows = again;
      from += static_cast<uintptr_t>(hop - again * pitch);
    }
  }
};
constexpr Index kAll = INT64_MAX;

template <int kUnit>
void plain(const Matrix& m) {
  for (Index c = 0; c < m.columns; ++c)
    for (Index r = 0; r < m.rows; ++r)
      store(m.destination + c * m.destination_pitch + r * kUnit,
            load<Unit<kUnit>>(m.source + c * kUnit +
                              (planted(Fault::TransposePlainRow) && r + 1 == m.rows ? 0 : r) * m.source_pitch));
}

/// kBytes/kUnit rows of `columns` units; kWhole: in squares where they fit. Requires: columns >= 16 / kUnit.
template <int kUnit, int kBytes, bool kWhole>
VL_INLINE void strip(const Byte* source, Index source_pitch, Byte* destination, Index destination_pitch,
                     Index columns) {
  constexpr Index side = kBytes / kUnit, lane = 16 / kUnit;
  Index c = 0;
  for (; kWhole && c + side <= columns; c += side)
    square<kUnit, kBytes, false>(source + c * kUnit, source_pitch, destination + c * destination_pitch,
                                 destination_pitch);
  for (; c + lane <= columns; c += lane)
    narrow<kUnit, kBytes>(source + c * kUnit, source_pitch, destination + c * destination_pitch, destination_pitch);
  if (c == columns) return;
  c = columns - lane;
  narrow<kUnit, kBytes>(source + c * kUnit, source_pitch, destination + c * destination_pitch, destination_pitch);
}

/// One line by one line, past the caches. Requires: destination and its pitch are whole lines.
template <int kUnit>
VL_INLINE void stream_tile(const Byte* source, Index source_pitch, Byte* destination, Index destination_pitch) {
  if (planted(Fault::TransposeStreamedLine)) {
    strip<kUnit, 16, true>(source, source_pitch, destination, destination_pitch, kLine / kUnit);
  } else if constexpr (VL_WIDTH == kLine) {
    square<kUnit, kLine, true>(source, source_pitch, destination, destination_pitch);
  } else {
    constexpr Index side = kLine / kUnit, step = VL_WIDTH / kUnit;
    alignas(kLine) Byte tile[kLine * side];
    for (Index r = 0; r < side; r += step)
      strip<kUnit, VL_WIDTH, true>(source + r * source_pitch, source_pitch, tile + r * kUnit, kLine, side);
    for (Index c = 0; c < side; ++c) stream_line(destination + c * destination_pitch, load_line(tile + c * kLine));
  }
}

/// `rows` rows by `columns` columns, at most one line of each. Requires: both at least one lane.
template <int kUnit, bool kWhole>
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
      strip<kUnit, kBytes, kWhole>(source + r * m.source_pitch, m.source_pitch, destination + r * kUnit,
                                   m.destination_pitch, columns);
      fetch.some(rows);
    }
  };
  if constexpr (VL_WIDTH >= 64 && (kWhole || kUnit == 4)) strips(Numbers<64>{});
  if constexpr (VL_WIDTH >= 32) strips(Numbers<32>{});
  strips(Numbers<16>{});
  if (r == m.rows || planted(Fault::TransposeRowsLeft)) return;
  fetch.some(m.rows - r);
  r = m.rows - lane;
  strip<kUnit, 16, kWhole>(source + r * m.source_pitch, m.source_pitch, destination + r * kUnit, m.destination_pitch,
                           columns);
}

// Thin matrices: few rows or few columns, fewer than a lane has units.

VL_INLINE void fetch_line(const Byte* from, Index offset) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(from) + static_cast<uintptr_t>(offset)));
}

/// kRows rows, whose columns follow each other without a gap in the destination. `ahead`: the prefetch is so
/// many bytes behind the read; 0: no prefetch.
template <int kUnit, int kRows, bool kStream>
VL_INLINE void interleave_block(const Matrix& m, Index ahead) {
  constexpr Index side = VL_WIDTH / kUnit;
  Index c = 0;
  for (; c + side <= m.columns; c += side) {
    const Byte* source = m.source + c * kUnit;
    if (ahead != 0)
      for (Index r = 0; r < kRows; ++r) fetch_line(source + r * m.source_pitch, ahead);
    interleave_rows<kUnit, VL_WIDTH, kRows, kStream>(source, m.source_pitch, m.destination + c * kRows * kUnit);
  }
  Matrix rest = m;
  rest.source += c * kUnit;
  rest.destination += c * kRows * kUnit;
  rest.columns -= c;
  if (!planted(Fault::InterleaveRest)) plain<kUnit>(rest);
}

/// kColumns columns, whose rows follow each other without a gap in the source.
template <int kUnit, int kColumns, bool kStream>
VL_INLINE void deinterleave_block(const Matrix& m, Index ahead) {
  constexpr Index side = VL_WIDTH / kUnit;
  Index r = 0;
  for (; r + side <= m.rows; r += side) {
    const Byte* source = m.source + r * kColumns * kUnit;
    if (ahead != 0)
      for (Index k = 0; k < kColumns; ++k) fetch_line(source + k * VL_WIDTH, ahead);
    deinterleave_rows<kUnit, VL_WIDTH, kColumns, kStream>(source, m.destination + r * kUnit, m.destination_pitch);
  }
  Matrix rest = m;
  rest.source += planted(Fault::DeinterleaveRest) ? 0 : r * kColumns * kUnit;
  rest.destination += r * kUnit;
  rest.rows -= r;
  plain<kUnit>(rest);
}

/// The kernel of a thin matrix: body(m, ahead, streams).
template <int kUnit, class With>
VL_INLINE void with_thin_kernel(const Matrix& m, const With& with) {
  const bool gathers = m.destination_pitch == m.rows * kUnit, scatters = m.source_pitch == m.columns * kUnit;
  const auto gather = [&]<int kRows>(Numbers<kRows>) {
    with([](const Matrix& at, Index ahead, bool streams) {
      if (streams && is_line(at.destination)) return interleave_block<kUnit, kRows, true>(at, ahead);
      interleave_block<kUnit, kRows, false>(at, ahead);
    });
  };
  const auto scatter = [&]<int kColumns>(Numbers<kColumns>) {
    with([](const Matrix& at, Index ahead, bool streams) {
      if (VL_WIDTH == kLine && streams && is_line(at.destination) && at.destination_pitch % kLine == 0)
        return deinterleave_block<kUnit, kColumns, true>(at, ahead);
      deinterleave_block<kUnit, kColumns, false>(at, ahead);
    });
  };
  if constexpr (kUnit <= 4) {
    if (gathers && m.rows == 2) return gather(Numbers<2>{});
    if (scatters && m.columns == 2) return scatter(Numbers<2>{});
  }
  if constexpr (kUnit <= 2) {
    if (gathers && m.rows == 4) return gather(Numbers<4>{});
    if (scatters && m.columns == 4) return scatter(Numbers<4>{});
  }
  if constexpr (kUnit == 1) {
    if (gathers && m.rows == 8) return gather(Numbers<8>{});
    if (scatters && m.columns == 8) return scatter(Numbers<8>{});
  }
  with([](const Matrix& at, Index, bool) { plain<kUnit>(at); });
}

/// Requires: at least as many rows and columns as a lane has units.
template <int kUnit, bool kWhole>
void block(const Matrix& m, bool streams, Fetch& fetch) {
  constexpr Index side = kLine / kUnit, lane = 16 / kUnit;
  streams = streams && is_line(m.destination) && m.destination_pitch % kLine == 0;
  Index c = 0;
  for (; c + side <= m.columns; c += side) tile_column<kUnit, kWhole>(m, c, side, streams, fetch);
  if (c == m.columns || planted(Fault::TransposeColumnsLeft)) return;
  const Index rest = m.columns - c < lane ? lane : m.columns - c;
  c = m.columns - rest;
  if (planted(Fault::TransposeColumnsEarly) && c > 0) --c;
  tile_column<kUnit, kWhole>(m, c, rest, false, fetch);
}

}  // namespace
}  // namespace vl::oracle::VL_SET

#include "oracle/kernels/transpose_walk.inc.h"
