// The walk of the kernel Transpose: outer loops and the blocks of the matrix as one nest, which fetches one block
// ahead. Several iterations of one outer loop may belong to a block: short rows, each of which begins where the one
// before it ends, become longer rows if they are assembled (destination) or fetched (source) together.
namespace vl::oracle::VL_SET {
namespace {

/// A loop of the walk; a loop over blocks states the number of units of the last block.
struct Axis {
  Index extent = 1, source = 0, destination = 0;
  Index at = 0;
};

/// How the matrix is cut, and the distance from the moved block to the fetched block.
struct Shape {
  Index rows = 0, columns = 0;  // of a block
  Index ahead = 0;              // blocks
  Index taken = 1;              // matrices of a block: see taken_loop
};

/// The nest of outer loops and blocks.
struct BlockWalk {
  Axis axes[kMostLoops + 2];
  std::size_t rank = 0, row_axis = 0, column_axis = 0, taken_axis = 0;
  Index source = 0, destination = 0;

  VL_INLINE void add(Index extent, Index source_step, Index destination_step) {
    axes[rank++] = {extent, source_step, destination_step, 0};
  }
  /// False at the end; the walk is then at its beginning again.
  VL_INLINE bool next() {
    for (std::size_t k = rank; k-- > 0;) {
      Axis& axis = axes[k];
      source += axis.source;
      destination += axis.destination;
      if (++axis.at < axis.extent) return true;
      source -= axis.extent * axis.source;
      destination -= axis.extent * axis.destination;
      axis.at = 0;
    }
    return false;
  }
  /// The extent of this block: `size`, except for the last block of `all`.
  VL_INLINE Index extent(std::size_t axis, Index size, Index all) const {
    const Index begin = axes[axis].at * size;
    return all - begin < size ? all - begin : size;
  }
};

/// The way of a block's units to the destination.
enum class Way {
  Stored,    // tile by tile, through the caches
  Streamed,  // tile by tile, past them: all rows begin with a line
  Staged,    // a block is first assembled in the cache, then its lines are streamed
};

constexpr Index kLongRow = 512;     // bytes of a destination row that are worth staging by themselves
constexpr Index kStage = 72 << 10;  // bytes
constexpr Index kJoined = 448;      // bytes of a destination row that several joined matrices make
constexpr Index kMostJoined = 1024;
// At most 64 columns are staged, each as long as that and moved within its line: joined_of, shape_of.
static_assert(64 * (kMostJoined + kLine - 1) + kLine <= kStage && kLongRow <= kMostJoined);
constexpr Index kBurst = 384;     // bytes of a source row that are fetched at once, if need be of several matrices
constexpr Index kShortRow = 256;  // bytes: source rows below this are fetched together

template <int kUnit>
VL_INLINE bool follow_each_other(const Loop& rows, const Loop& columns) {
  return columns.destination == rows.extent * kUnit && rows.extent * kUnit <= kLongRow;
}

/// The outer loop, if any, in which each iteration continues every destination row where the iteration before it ends.
/// Matrices that are assembled in the cache then have longer rows. Else `outer`.
template <int kUnit>
std::size_t joined_loop(const Loop* loops, std::size_t outer) {
  const Loop &rows = loops[outer], &columns = loops[outer + 1];
  if (follow_each_other<kUnit>(rows, columns) || rows.extent * kUnit >= kLongRow) return outer;
  std::size_t k = 0;
  while (k < outer && loops[k].destination != rows.extent * kUnit) ++k;
  return k;
}

/// The same for source rows: matrices that are fetched together are read in longer bursts.
template <int kUnit>
std::size_t beside_loop(const Loop* loops, std::size_t outer) {
  const Loop &rows = loops[outer], &columns = loops[outer + 1];
  if (columns.extent * kUnit >= kShortRow || rows.extent * kUnit > 4 * kLine) return outer;
  std::size_t k = 0;
  while (k < outer && loops[k].source != columns.extent * kUnit) ++k;
  return k;
}

/// The number of iterations of the joined loop in one block: whole lines, unless that takes too many.
VL_INLINE Index joined_of(Index row, Index extent) {
  Index whole = 1;  // iterations of whole lines
  while (whole * row % kLine != 0) whole *= 2;
  if (whole * row > kMostJoined) whole = 1;
  const Index count = (kJoined + whole * row - 1) / (whole * row) * whole;
  return count < extent ? count : extent;
}

template <int kUnit>
Way way_of(const Loop* loops, std::size_t outer, const Byte* destination, bool streams) {
  if (!streams) return Way::Stored;
  const Loop &rows = loops[outer], &columns = loops[outer + 1];
  Index aligned = columns.destination;
  for (std::size_t k = 0; k < outer; ++k) aligned |= loops[k].destination;
  if (is_line(destination) && aligned % kLine == 0) return Way::Streamed;
  const bool stages = follow_each_other<kUnit>(rows, columns) || rows.extent * kUnit >= kLongRow ||
                      joined_loop<kUnit>(loops, outer) != outer;
  return stages ? Way::Staged : Way::Stored;
}

/// The loop of which some iterations belong to one block, or `outer`.
template <int kUnit>
std::size_t taken_loop(const Loop* loops, std::size_t outer, Way way) {
  return way == Way::Staged     ? joined_loop<kUnit>(loops, outer)
         : way == Way::Streamed ? beside_loop<kUnit>(loops, outer)
                                : outer;
}

template <int kUnit>
Shape shape_of(const Loop& rows, const Loop& columns, const Loop& taken, Way way, bool streams) {
  constexpr Index side = kLine / kUnit;
  // Four lines of a source row are one burst of the memory; short destination rows are not cut. A step that is not
  // streamed is in a cache already.
  Shape shape{rows.extent <= side * 4 ? side * 4 : side * 2, side * 4, streams ? 1 : 0, 1};
  if (way == Way::Staged) {
    shape = {side * 16, kUnit == 1 ? side : kUnit == 2 ? side * 2 : side * 4, 1, 1};
    if (taken.extent > 1) {
      shape.taken = joined_of(rows.extent * kUnit, taken.extent);
    } else if (follow_each_other<kUnit>(rows, columns)) {
      shape.columns = (Index{16} << 10) / (rows.extent * kUnit * side) * side;
      if (shape.columns < side) shape.columns = side;
    }
  }
  if (shape.rows > rows.extent) shape.rows = rows.extent;
  if (shape.columns > columns.extent) shape.columns = columns.extent;
  if (way == Way::Streamed) shape.taken = (kBurst + columns.extent * kUnit - 1) / (columns.extent * kUnit);
  if (shape.taken > taken.extent) shape.taken = taken.extent;
  return shape;
}

/// `count` iterations of `joined` by way of `stage`, in which each column has the place in its line that it has in the
/// destination.
template <int kUnit>
void staged_block(const Matrix& m, const Loop& joined, Index count, Byte* stage, Fetch& fetch) {
  const Index row = count * m.rows * kUnit;
  const bool one = m.destination_pitch == row;
  Matrix staged = m;
  staged.destination = stage + (reinterpret_cast<uintptr_t>(m.destination) & (kLine - 1));
  if (!one) staged.destination_pitch = (row + kLine - 1) / kLine * kLine + (m.destination_pitch & (kLine - 1));
  const Index moved = planted(Fault::TransposeJoinedEnd) && count > 1 ? count - 1 : count;
  for (Index k = 0; k < moved; ++k) {
    block<kUnit, true>(staged, false, fetch);
    staged.source += joined.source;
    staged.destination += joined.destination;
  }
  staged.destination -= moved * joined.destination;
  if (one) return copy_stream(m.destination, staged.destination, row * m.columns);
  for (Index c = 0; c < m.columns - (planted(Fault::TransposeStageEnd) ? 1 : 0); ++c)
    copy_stream(m.destination + c * m.destination_pitch, staged.destination + c * staged.destination_pitch, row);
}

/// A matrix that fits into a core's own cache on either side.
template <int kUnit>
VL_INLINE void near_block(const Matrix& m, bool streams) {
  Fetch none;
  if constexpr (kUnit == 2 || kUnit == 4) {  // one strip of rows after the other
    constexpr Index rows = VL_WIDTH / kUnit;
    Index r = 0;
    for (; r + rows <= m.rows; r += rows)
      strip<kUnit, VL_WIDTH, (kUnit < 4)>(m.source + r * m.source_pitch, m.source_pitch, m.destination + r * kUnit,
                                          m.destination_pitch, m.columns);
    Matrix rest = m;
    if (m.rows - r < 16 / kUnit && r < m.rows) r = m.rows - 16 / kUnit;
    rest.source += r * m.source_pitch;
    rest.destination += r * kUnit;
    rest.rows -= r;
    if (rest.rows > 0) block<kUnit, (kUnit < 4)>(rest, streams, none);
  } else {
    block<kUnit, (kUnit < 4)>(m, streams, none);
  }
}

/// The nest of the outer loops, without the loop that is taken, and of the blocks.
template <int kUnit>
BlockWalk walk_of(const Loop* loops, std::size_t outer, std::size_t takes, const Loop& taken, const Shape& shape) {
  BlockWalk walk;
  const auto blocks = [&](const Loop& loop, Index size) {
    walk.add((loop.extent + size - 1) / size, size * loop.source, size * loop.destination);
    return walk.rank - 1;
  };
  for (std::size_t k = 0; k < outer; ++k)
    if (k != takes) blocks(loops[k], 1);
  walk.row_axis = blocks(loops[outer], shape.rows);
  walk.column_axis = blocks(loops[outer + 1], shape.columns);
  walk.taken_axis = blocks(taken, shape.taken);
  return walk;
}

/// Blocks in the order of the walk, `ahead` of them fetched before they are moved.
template <int kUnit>
void transpose_far(const Loop* loops, std::size_t outer, Matrix m, bool streams, Index source, Index destination) {
  const Loop &rows = loops[outer], &columns = loops[outer + 1];
  const Byte* const from = m.source;
  Byte* const to = m.destination;
  const Way way = way_of<kUnit>(loops, outer, to + destination, streams);
  const std::size_t takes = taken_loop<kUnit>(loops, outer, way);
  const bool any = takes < outer;
  const Loop taken = {any ? loops[takes].extent : 1, any ? loops[takes].source : 0, any ? loops[takes].destination : 0};
  const Shape shape = shape_of<kUnit>(rows, columns, taken, way, streams);
  alignas(kLine) Byte stage[kStage];
  BlockWalk walk = walk_of<kUnit>(loops, outer, takes, taken, shape);
  walk.source = source;
  walk.destination = destination;
  BlockWalk scout = walk;
  bool scouting = shape.ahead > 0;
  for (Index k = 0; k < shape.ahead && scouting; ++k) scouting = scout.next();
  for (bool more = true; more; more = walk.next()) {
    Fetch fetch;
    if (scouting) {
      const Index n = scout.extent(scout.row_axis, shape.rows, rows.extent);
      const Index matrices = scout.extent(scout.taken_axis, shape.taken, taken.extent);
      const Index beside = way == Way::Staged ? 1 : matrices, others = matrices - beside;
      const Index count = scout.extent(scout.column_axis, shape.columns, columns.extent) * beside;
      // A row that begins within a line touches one more line.
      const bool aligned = is_line(from + scout.source) && rows.source % kLine == 0;
      const Index lines = (count * kUnit + kLine - 1) / kLine + (aligned ? 0 : 1);
      fetch = {reinterpret_cast<uintptr_t>(from + scout.source), n, lines, rows.source, 0, others, n, taken.source};
      scouting = scout.next();
    }
    m.source = from + walk.source;
    m.destination = to + walk.destination;
    m.rows = walk.extent(walk.row_axis, shape.rows, rows.extent);
    if (planted(Fault::TransposeLastBlock) && m.rows < shape.rows && m.rows > 16) --m.rows;
    m.columns = walk.extent(walk.column_axis, shape.columns, columns.extent);
    const Axis& first = walk.axes[0];
    if (planted(Fault::TransposeLastIteration) && first.at > 0 && first.at + 1 == first.extent) continue;
    const Index count = walk.extent(walk.taken_axis, shape.taken, taken.extent);
    // A last block that is thinner than a lane is moved together with units of the block before it.
    const bool stages = way == Way::Staged && m.rows >= 16 / kUnit && m.columns >= 16 / kUnit;
    // Rows are read from end to end, which the hardware prefetcher detects.
    const bool is_near = kUnit == 2 && way == Way::Stored && shape.ahead == 0;
    if (stages) staged_block<kUnit>(m, taken, count, stage, fetch);
    for (Index k = 0; !stages && k < count; ++k, m.source += taken.source, m.destination += taken.destination) {
      if (is_near) {
        if constexpr (kUnit == 2) near_block<kUnit>(m, false);
        continue;
      }
      block<kUnit, true>(m, way == Way::Streamed, fetch);
    }
    fetch.some(kAll);
  }
}

constexpr Index kNear = Index{256} << 10;  // bytes
constexpr Index kAhead = 512;              // bytes of a row that are fetched before they are read

template <int kUnit>
void transpose_units(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  const Loop* loops = loops_of(step) + from;
  const std::size_t outer = step.rank - from - 2u;
  Matrix m{reinterpret_cast<const Byte*>(buffers.source),
           reinterpret_cast<Byte*>(buffers.destination),
           loops[outer].extent,
           loops[outer + 1].extent,
           loops[outer].source,
           loops[outer + 1].destination};
  const Byte* const what = m.source;
  Byte* const to = m.destination;
  Index bytes = kUnit;
  for (std::size_t k = 0; k < outer + 2 && bytes <= kNear; ++k) bytes *= loops[k].extent;
  if (m.rows < 16 / kUnit || m.columns < 16 / kUnit) {
    // For the prefetch, short matrices that follow each other along the source are one row.
    Index ahead = bytes > kNear && step.stream ? kAhead : 0;  // in the caches, rows need no prefetch
    if (ahead != 0 && outer > 0) {
      const Index hop = loops[outer - 1].source < 0 ? -loops[outer - 1].source : loops[outer - 1].source;
      if (m.columns * kUnit < kAhead && hop != 0) ahead = (kAhead + hop - 1) / hop * loops[outer - 1].source;
    }
    with_thin_kernel<kUnit>(m, [&](const auto& kernel) {
      walk(loops, outer, source, destination, [&](Index s, Index d) {
        m.source = what + s;
        m.destination = to + d;
        kernel(m, ahead, step.stream);
        return true;
      });
    });
    return;
  }
  if (bytes > kNear) return transpose_far<kUnit>(loops, outer, m, step.stream, source, destination);
  walk(loops, outer, source, destination, [&](Index s, Index d) {
    m.source = what + s;
    m.destination = to + d;
    near_block<kUnit>(m, step.stream);
    return true;
  });
}

/// Runs the loops [from, rank) of a Transpose step: see KernelSet::run.
void run_transpose(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  const bool matrix =
      from + 2 <= step.rank && step.fill == 0 && step.source_swizzle.bits == 0 && step.destination_swizzle.bits == 0;
  if (matrix && step.run == 1) return transpose_units<1>(step, from, source, destination, buffers);
  if (matrix && step.run == 2) return transpose_units<2>(step, from, source, destination, buffers);
  if (matrix && step.run == 4) return transpose_units<4>(step, from, source, destination, buffers);
  if (matrix && step.run == 8) return transpose_units<8>(step, from, source, destination, buffers);
  if (matrix && step.run == 16) return transpose_units<16>(step, from, source, destination, buffers);
  run_slowly(step, from, source, destination, buffers);
}

}  // namespace
}  // namespace vl::oracle::VL_SET
