// Rows gathered from runs. In each iteration of the innermost shared loop, the runs of a group form a whole row. The
// rows follow each other in the destination, but begin and end anywhere within cache lines. They are assembled in a
// stage that stays in the first-level cache, and leave it as whole lines past the caches.
namespace vl::oracle::VL_SET {
namespace {

struct RowRun {
  Index source;  // of its step's first iteration, as is `at`
  Index bytes;
  Index at;             // place in the row
  Index row_stride;     // source, of the innermost shared loop
  Index stream_stride;  // source, of the loop over streams
  std::size_t step;
};

constexpr std::size_t kMostRowRuns = 64;
constexpr Index kStageBytes = 24 << 10;

/// `streams` sequences of rows; the destinations of these are `apart` bytes apart.
struct Rows {
  RowRun runs[kMostRowRuns];
  std::size_t count = 0;
  Index row = 0;  // bytes
  Index streams = 1;
  Index apart = 0;
  Index destination = 0;  // of the first row of stream 0
  const Byte* from = nullptr;
  Byte* to = nullptr;
};

/// Adds the runs of one step. False if the step is not of this kind.
bool add_runs(Rows& rows, const Step& step, std::size_t number, std::size_t shared) {
  const Loop* loops = loops_of(step);
  std::size_t first = shared;
  if (step.kernel != Kernel::Run || step.fill != 0) return false;
  if (step.source_swizzle.bits != 0 || step.destination_swizzle.bits != 0) return false;
  if (loops[shared - 1].destination != rows.row) return false;
  Index stream_stride = 0;
  if (rows.streams > 1) {
    for (; first < step.rank; ++first)
      if (loops[first].extent == rows.streams && loops[first].destination == rows.apart) break;
    if (first == step.rank) return false;
    stream_stride = loops[first].source;
  }
  const std::size_t own = step.rank - shared - (rows.streams > 1 ? 1 : 0);
  if (own > 1) return false;
  Loop inner{1, 0, 0};
  for (std::size_t k = shared; k < step.rank; ++k)
    if (rows.streams == 1 || k != first) inner = loops[k];
  for (Index j = 0; j < inner.extent; ++j) {
    if (rows.count == kMostRowRuns) return false;
    rows.runs[rows.count++] =
        RowRun{step.source + j * inner.source, step.run,      step.destination + j * inner.destination,
               loops[shared - 1].source,       stream_stride, number};
  }
  return true;
}

/// Whether the group is of this kind. The only trusted property of the schedule is that the steps are streamed.
bool make_rows(Rows& rows, const Step* steps, std::size_t count, std::size_t shared, const Buffers& buffers) {
  if (steps[0].kernel != Kernel::Run || steps[0].fill != 0) return false;
  rows.count = 0;
  rows.row = loops_of(steps[0])[shared - 1].destination;
  if (rows.row < 2 * kLine || rows.row > kStageBytes) return false;
  rows.streams = 1;
  for (std::size_t k = shared; k < steps[0].rank; ++k) {
    const Loop& loop = loops_of(steps[0])[k];
    if (loop.destination <= rows.row && loop.destination >= -rows.row) continue;
    rows.streams = loop.extent;
    rows.apart = loop.destination;
  }
  if (rows.streams > kStageBytes / (rows.row + 3 * kLine)) return false;
  for (std::size_t n = 0; n < count; ++n)
    if (!add_runs(rows, steps[n], n, shared)) return false;
  // Sorted by place, they must follow each other and fill the row.
  for (std::size_t k = 1; k < rows.count; ++k)
    for (std::size_t j = k; j > 0 && rows.runs[j].at < rows.runs[j - 1].at; --j) {
      const RowRun swap = rows.runs[j];
      rows.runs[j] = rows.runs[j - 1];
      rows.runs[j - 1] = swap;
    }
  rows.destination = rows.runs[0].at;
  Index next = rows.destination;
  for (std::size_t k = 0; k < rows.count; ++k) {
    if (rows.runs[k].at != next) return false;
    rows.runs[k].at -= rows.destination;
    next += rows.runs[k].bytes;
  }
  if (next - rows.destination != rows.row) return false;
  // The shared loops of all steps must move their destinations in the same way.
  for (std::size_t n = 1; n < count; ++n)
    for (std::size_t k = 0; k < shared; ++k)
      if (loops_of(steps[n])[k].destination != loops_of(steps[0])[k].destination) return false;
  rows.from = reinterpret_cast<const Byte*>(buffers.source);
  rows.to = reinterpret_cast<Byte*>(buffers.destination);
  return true;
}

/// One stream's place: `held` bytes of the line at `line` wait in its stage; the first `skip` of them belong to
/// others.
struct Stage {
  Byte* bytes;
  Byte* line;
  Index held;
  Index skip;
};

/// Whole lines leave the stage, past the caches or not; the rest moves to the front of the stage.
template <bool kStream>
VL_INLINE void flush(Stage& stage) {
  Index k = 0;
  if (stage.skip != 0 && stage.held >= kLine) {
    copy_any(stage.line + stage.skip, stage.bytes + stage.skip, kLine - stage.skip);
    stage.skip = 0;
    k = kLine;
  }
  for (; k + kLine <= stage.held; k += kLine)
    if constexpr (kStream) stream_line(stage.line + k, load_line(stage.bytes + k));
    else store_line(stage.line + k, load_line(stage.bytes + k));
  if (k == 0) return;
  if (!planted(Fault::StageRest)) store_line(stage.bytes, load_line(stage.bytes + k));
  stage.line += k;
  stage.held -= k;
}

/// `count` rows of all streams, the first one at these addresses. moved[n]: the distance of step n's source from its
/// first address.
template <bool kStream>
void run_streams(const Rows& rows, Index count, const Index* moved, Index destination) {
  alignas(64) Byte memory[kStageBytes];
  Stage stages[kStageBytes / (4 * kLine) + 1];
  const Index room = (rows.row + 3 * kLine) & -kLine;
  for (Index x = 0; x < rows.streams; ++x) {
    Byte* to = rows.to + destination + x * rows.apart;
    const Index skip = static_cast<Index>(reinterpret_cast<uintptr_t>(to)) & (kLine - 1);
    stages[x] = Stage{memory + x * room, to - skip, skip, skip};
  }
  const Byte* from[kMostRowRuns];
  for (std::size_t k = 0; k < rows.count; ++k) from[k] = rows.from + rows.runs[k].source + moved[rows.runs[k].step];
  for (Index i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < rows.count; ++k) {
      const RowRun& run = rows.runs[k];
      const Byte* what = from[k];
      for (Index x = 0; x < rows.streams; ++x) {
        for (Index line = 0; line < run.bytes; line += kLine)  // two rows ahead; harmless behind the end
          __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(what) +
                                                           static_cast<uintptr_t>(2 * run.row_stride + line)));
        copy_any(stages[x].bytes + stages[x].held + run.at, what, run.bytes);
        what += run.stream_stride;
      }
      from[k] += run.row_stride;
    }
    for (Index x = 0; x < rows.streams; ++x) {
      stages[x].held += rows.row;
      flush<kStream>(stages[x]);
    }
  }
  for (Index x = 0; x < rows.streams && !planted(Fault::StageEnd); ++x)
    copy_any(stages[x].line + stages[x].skip, stages[x].bytes + stages[x].skip, stages[x].held - stages[x].skip);
}

/// Runs the shared loops around the innermost one, with the iterations from `first` to `last` of the outermost loop.
void run_rows(const Rows& rows, const Step* steps, std::size_t count, std::size_t shared, Index first, Index last) {
  Index counts[kMostLoops];
  Index moved[kMostLeaves];
  const Loop* lead = loops_of(steps[0]);
  for (std::size_t k = 0; k < shared; ++k) counts[k] = lead[k].extent;
  counts[0] = last - first;
  Index destination = rows.destination + first * lead[0].destination;
  for (std::size_t n = 0; n < count; ++n) moved[n] = first * loops_of(steps[n])[0].source;
  const Index innermost = counts[shared - 1];
  for (;;) {
    if (steps[0].stream) run_streams<true>(rows, innermost, moved, destination);
    else run_streams<false>(rows, innermost, moved, destination);
    if (shared == 1) return;
    std::size_t k = shared - 2;
    for (;; --k) {
      for (std::size_t n = 0; n < count; ++n) moved[n] += loops_of(steps[n])[k].source;
      destination += lead[k].destination;
      if (--counts[k] != 0) break;
      if (k == 0) return;
      counts[k] = lead[k].extent;
      for (std::size_t n = 0; n < count; ++n) moved[n] -= counts[k] * loops_of(steps[n])[k].source;
      destination -= counts[k] * lead[k].destination;
    }
  }
}

}  // namespace
}  // namespace vl::oracle::VL_SET
