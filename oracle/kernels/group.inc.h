// Groups: steps in lockstep. Leaves are chosen once; then the shared loops run, and in each iteration the loops of
// every step.
namespace vl::oracle::VL_SET {
namespace {

bool go_transpose(const Leaf& leaf, Index source, Index destination) {
  run_transpose(*leaf.step, leaf.from, source, destination, *leaf.buffers);
  return true;
}

void make_any_leaf(Leaf& leaf, const Step& step, std::size_t from, Index source, Index destination,
                   const Buffers& buffers, const Pattern& pattern) {
  make_leaf(leaf, step, from, source, destination, buffers, pattern);
  if (step.kernel != Kernel::Transpose) return;
  leaf.go = go_transpose;
  leaf.from = from;
}

constexpr std::size_t kMostLeaves = 8;

/// The work of the steps of a group in one iteration of the innermost shared loop.
struct Together {
  Leaf leaves[kMostLeaves];
  Index source[kMostLeaves];
  Index destination[kMostLeaves];
  Loop along[kMostLeaves];  // the innermost shared loop
  std::size_t count;
  std::size_t shared;
};

/// Runs all iterations of the innermost shared loop, and moves the addresses to its end.
bool run_along(Together& all, Index extent) {
  for (Index i = 0; i < extent; ++i)
    for (std::size_t n = 0; n < all.count; ++n) {
      const Index source = all.source[n];
      const Index destination = all.destination[n];
      all.source[n] += all.along[n].source;
      all.destination[n] += all.along[n].destination;
      const Leaf& leaf = all.leaves[n];
      if (!run_leaf(leaf, all.shared, source, destination)) return false;
    }
  return true;
}

/// The shared loops [0, shared) of at most kMostLeaves steps; the outermost one from its iteration `first` to `last`.
bool run_together(const Step* steps, std::size_t count, std::size_t shared, Index first, Index last,
                  const Buffers& buffers, const Pattern& pattern) {
  Together all;
  all.count = count;
  all.shared = shared;
  Index counts[kMostLoops];
  const Loop* lead = loops_of(steps[0]);
  for (std::size_t k = 0; k < shared; ++k) counts[k] = lead[k].extent;
  counts[0] = last - first;
  for (std::size_t n = 0; n < count; ++n) {
    const Loop* loops = loops_of(steps[n]);
    all.source[n] = steps[n].source + first * loops[0].source;
    all.destination[n] = steps[n].destination + first * loops[0].destination;
    all.along[n] = loops[shared - 1];
    make_any_leaf(all.leaves[n], steps[n], shared, all.source[n], all.destination[n], buffers, pattern);
  }
  const Index innermost = counts[shared - 1];
  for (;;) {
    if (!run_along(all, innermost)) return false;
    if (shared == 1) return true;
    for (std::size_t n = 0; n < count; ++n) {
      all.source[n] -= innermost * all.along[n].source;
      all.destination[n] -= innermost * all.along[n].destination;
    }
    std::size_t k = shared - 2;
    for (;; --k) {
      for (std::size_t n = 0; n < count; ++n) {
        all.source[n] += loops_of(steps[n])[k].source;
        all.destination[n] += loops_of(steps[n])[k].destination;
      }
      if (--counts[k] != 0) break;
      if (k == 0) return true;
      counts[k] = lead[k].extent;
      for (std::size_t n = 0; n < count; ++n) {
        all.source[n] -= counts[k] * loops_of(steps[n])[k].source;
        all.destination[n] -= counts[k] * loops_of(steps[n])[k].destination;
      }
    }
  }
}

/// One step by itself, its outermost loop (if it has one) from `first` to `last`.
bool run_alone(const Step& whole, Index first, Index last, const Buffers& buffers, const Pattern& pattern) {
  Leaf leaf;
  if (whole.rank == 0 || (first == 0 && last == loops_of(whole)[0].extent)) {
    make_any_leaf(leaf, whole, 0, whole.source, whole.destination, buffers, pattern);
    return run_leaf(leaf, 0, whole.source, whole.destination);
  }
  Step slice;
  __builtin_memcpy(static_cast<void*>(&slice), &whole, sizeof slice);
  const Loop& outermost = loops_of(whole)[0];
  reinterpret_cast<Loop*>(&slice.loops)[0].extent = last - first;
  slice.source += first * outermost.source;
  slice.destination += first * outermost.destination;
  make_any_leaf(leaf, slice, 0, slice.source, slice.destination, buffers, pattern);
  return run_leaf(leaf, 0, slice.source, slice.destination);
}

}  // namespace
}  // namespace vl::oracle::VL_SET
