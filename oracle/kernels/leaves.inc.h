// The choice of the function that runs a leaf. Alignment and `stream` matter only here; the written bytes never depend
// on them.
namespace vl::oracle::VL_SET {
namespace {

using Go = bool (*)(const Leaf&, Index, Index);

template <bool kStream>
Go fixed_of(Index run) {
  switch (run) {
    case 16: return kStream ? nullptr : go_fixed<16, false>;
    case 32: return kStream ? nullptr : go_fixed<32, false>;
    case 64: return go_fixed<64, kStream>;
    case 128: return go_fixed<128, kStream>;
    case 192: return go_fixed<192, kStream>;
    case 256: return go_fixed<256, kStream>;
    default: return nullptr;
  }
}

template <bool kStream>
Go lines_of(Index whole, Index lines) {
  if (whole == 0 && lines == 1) return go_lines<0, 1, kStream>;
  if (whole == 0 && lines == 2) return go_lines<0, 2, kStream>;
  if (whole == 1 && lines == 2) return go_lines<1, 2, kStream>;
  if (whole == 2 && lines == 3) return go_lines<2, 3, kStream>;
  if (whole == 3 && lines == 4) return go_lines<3, 4, kStream>;
  return go_lines<-1, -1, kStream>;
}

Go units_of_size(Index run) {
  switch (run) {
    case 1: return go_units<unsigned char>;
    case 2: return go_units<short>;
    case 4: return go_units<int>;
    case 8: return go_units<Index>;
    case 16: return go_units<Vector16>;
    default: return nullptr;
  }
}

/// `low_bits`: all destinations at which the innermost loop begins, ORed together; shows which of their low bits are 0.
Go go_of_run(const Leaf& leaf, bool stream, Index low_bits) {
  const Index run = leaf.run;
  const bool begins = (low_bits & (kLine - 1)) == 0;
  const bool lines = begins && leaf.inner.destination % kLine == 0;
  if (leaf.fill != 0) {
    const Index whole = run / kLine;
    const Index all = (run + leaf.fill) / kLine;
    if (lines && (run + leaf.fill) % kLine == 0 && stream) return lines_of<true>(whole, all);
    if (lines && (run + leaf.fill) % kLine == 0 && VL_WIDTH == 64) return lines_of<false>(whole, all);
    return go_padded;
  }
  const bool follows = leaf.inner.destination == run && leaf.inner.extent > 1;
  if (leaf.inner.source == 0 && follows && run <= 16 && 16 % run == 0) return go_broadcast;
  if (stream && run % kLine == 0 && lines) {
    if (const Go go = fixed_of<true>(run)) return go;
    return go_stream;
  }
  if (begins && follows && run == 32 && leaf.outer.source == 32 && (leaf.outer.extent | leaf.inner.extent) % 2 == 0)
    return stream ? go_pairs<true> : go_pairs<false>;
  if (begins && follows && (run == 16 || run == 32) && leaf.inner.extent * run % kLine == 0) {
    if (run == 16) return stream ? go_joined<16, true> : go_joined<16, false>;
    return stream ? go_joined<32, true> : go_joined<32, false>;
  }
  if (stream && run >= 4 * kLine) return go_stream;
  if (run <= 8)
    if (const Go go = units_of_size(run)) return go;
  if (const Go go = fixed_of<false>(run)) return go;
  return run >= 1024 ? go_long : go_any;
}

/// `source`, `destination`: as low_bits above.
Go go_of_swizzle(const Leaf& leaf, Index source, Index destination) {
  const Step& step = *leaf.step;
  const bool contiguous = leaf.inner.source == leaf.run && leaf.inner.destination == leaf.run && leaf.fill == 0;
  const bool copies = step.kernel == Kernel::Run || step.kernel == Kernel::Strided;
  const bool stream = step.stream && (destination & (kLine - 1)) == 0 && is_line(leaf.destination);
  if (contiguous && copies && (kLine % leaf.run == 0 || leaf.run % kLine == 0)) {
    if (step.source_swizzle.bits == 0 && permutes_lines(step.destination_swizzle) && (destination & (kLine - 1)) == 0)
      return stream ? go_permuted<true, true> : go_permuted<true, false>;
    if (step.destination_swizzle.bits == 0 && permutes_lines(step.source_swizzle) && (source & (kLine - 1)) == 0)
      return stream ? go_permuted<false, true> : go_permuted<false, false>;
  }
  return go_swizzled;
}

/// The leaf of a step; the caller runs the loops before `from`. `source` and `destination` are the leaf's first
/// addresses; every other address differs from them by strides of the step.
void make_leaf(Leaf& leaf, const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers,
               const Pattern& pattern) {
  const Loop* loops = loops_of(step);
  const std::size_t own = step.rank - from;
  leaf.inner = own >= 1 ? loops[step.rank - 1] : Loop{1, 0, 0};
  leaf.outer = own >= 2 ? loops[step.rank - 2] : Loop{1, 0, 0};
  leaf.far = own >= 3 ? loops[step.rank - 3] : Loop{1, 0, 0};
  leaf.from = own >= 3 ? step.rank - 3u : from;
  leaf.run = step.run;
  leaf.fill = step.fill;
  leaf.source = reinterpret_cast<const Byte*>(buffers.source);
  leaf.destination = reinterpret_cast<Byte*>(buffers.destination);
  leaf.step = &step;
  leaf.pattern = &pattern;
  leaf.buffers = &buffers;
  Index sources = source;
  Index destinations = destination;
  for (std::size_t k = 0; k + (own >= 1 ? 1 : 0) < step.rank; ++k) {
    sources |= loops[k].source;
    destinations |= loops[k].destination;
  }
  if (step.source_swizzle.bits != 0 || step.destination_swizzle.bits != 0) {
    leaf.go = go_of_swizzle(leaf, sources, destinations);
    return;
  }
  const Index low_bits = destinations | static_cast<Index>(reinterpret_cast<uintptr_t>(leaf.destination));
  switch (step.kernel) {
    case Kernel::Run:
    case Kernel::Transpose:
    case Kernel::Strided: leaf.go = go_of_run(leaf, step.stream, low_bits); break;
    case Kernel::Fill: leaf.go = go_fill; break;
    case Kernel::Compare: leaf.go = go_compare; break;
  }
}

constexpr Index kBlock = Index{16} << 10;  // bytes: the first-level cache holds two blocks

/// The outermost loop such that it and the loops within it read a contiguous range of at most kBlock bytes; rank: none.
std::size_t block_of(const Step& step) {
  const Loop* loops = loops_of(step);
  std::size_t block = step.rank;
  Index bytes = step.run, span = step.run;
  for (std::size_t k = step.rank; k-- > 0;) {
    if (loops[k].source <= 0 || loops[k].extent > kBlock || loops[k].source > kBlock) break;
    bytes *= loops[k].extent;
    span += (loops[k].extent - 1) * loops[k].source;
    if (bytes > kBlock || span > 8 * kBlock) break;
    if (bytes == span) block = k;
  }
  return block;
}

/// Runs the loops [from, rank) by blocks, which are the loops [block, rank). Each block fetches the bytes that the next
/// block reads.
bool run_blocks(const Leaf& leaf, std::size_t from, std::size_t block, Index source, Index destination) {
  const Loop* loops = loops_of(*leaf.step);
  const auto run = [&](Index s, Index d) {
    return walk(loops + block, leaf.from - block, s, d, [&](Index t, Index e) { return leaf.go(leaf, t, e); });
  };
  bool any = false;
  walk(loops + from, block - from, source, destination, [&](Index s, Index d) {
    leaf.next = reinterpret_cast<uintptr_t>(leaf.source + s);
    if (any) run(source, destination);
    any = true;
    source = s;
    destination = d;
    return true;
  });
  leaf.next = 0;
  return run(source, destination);
}

/// Runs all iterations of the loops [from, rank) of a step.
bool run_leaf(const Leaf& leaf, std::size_t from, Index source, Index destination) {
  if (leaf.from <= from) return leaf.go(leaf, source, destination);
  if (leaf.go == go_pairs<true>) {
    const std::size_t block = block_of(*leaf.step);
    if (block > from && block <= leaf.from) return run_blocks(leaf, from, block, source, destination);
  }
  return walk(loops_of(*leaf.step) + from, leaf.from - from, source, destination,
              [&](Index s, Index d) { return leaf.go(leaf, s, d); });
}

bool go_transpose(const Leaf& leaf, Index source, Index destination);

}  // namespace
}  // namespace vl::oracle::VL_SET
