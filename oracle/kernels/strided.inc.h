// Units at any places, broadcast units, and runs under a swizzle.
namespace vl::oracle::VL_SET {
namespace {

template <class Unit>
bool go_units(const Leaf& leaf, Index source, Index destination) {
  return each_run(leaf, source, destination, [](Byte* to, const Byte* from) { store(to, load<Unit>(from)); });
}

/// One unit all along the innermost loop, contiguous in the destination. Requires: the unit divides 16.
bool go_broadcast(const Leaf& leaf, Index source, Index destination) {
  const Index run = leaf.run;
  const Index bytes = leaf.inner.extent * run;
  return each_inner(leaf, source, destination, [=, &leaf](Index s, Index d) {
    const Byte* from = leaf.source + s;
    Pattern pattern;
    for (Index k = 0; k < kLine; k += run) __builtin_memcpy(pattern.bytes + k, from, static_cast<std::size_t>(run));
    store_line(pattern.bytes + kLine, load_line(pattern.bytes));
    if (leaf.step->stream) fill_stream(leaf.destination + d, pattern, bytes);
    else fill_any(leaf.destination + d, pattern, planted(Fault::BroadcastTail) ? bytes - run : bytes);
    return true;
  });
}

/// A swizzle without branches: address ^ rotated(address & field). The field is empty if there is no swizzle.
struct Mover {
  std::uint64_t field;
  unsigned right;
};

VL_INLINE Mover mover_of(const ByteSwizzle& s) {
  const std::uint64_t field = (std::uint64_t{1} << s.bits) - 1;
  if (s.up) return {field << s.base, 64u - static_cast<unsigned>(s.shift)};
  return {field << (s.base + s.shift), static_cast<unsigned>(s.shift)};
}

VL_INLINE Index moved(const Mover& mover, Index address) {
  const std::uint64_t field = static_cast<std::uint64_t>(address) & mover.field;
  return address ^ static_cast<Index>(field >> (mover.right & 63) | field << (-mover.right & 63));
}

/// Units of a fixed size, copied under any swizzles.
template <class Unit>
bool go_swizzled_units(const Leaf& leaf, Index source, Index destination) {
  const Mover from = mover_of(leaf.step->source_swizzle);
  const Mover to = mover_of(leaf.step->destination_swizzle);
  const Loop inner = leaf.inner;
  return each_inner(leaf, source, destination, [=, &leaf](Index s, Index d) {
    for (Index j = inner.extent; j != 0; --j) {
      store(leaf.destination + moved(to, d), load<Unit>(leaf.source + moved(from, s)));
      s += inner.source;
      d += inner.destination;
    }
    return true;
  });
}

/// Any kernel with any swizzles: each run has its own two addresses.
bool go_swizzled_runs(const Leaf& leaf, Index source, Index destination) {
  const Step& step = *leaf.step;
  const Mover from = mover_of(step.source_swizzle);
  const Mover to = mover_of(step.destination_swizzle);
  return each_inner(leaf, source, destination, [&](Index s, Index d) {
    for (Index j = 0; j < leaf.inner.extent; ++j) {
      Byte* there = leaf.destination + moved(to, d);
      const Byte* here = leaf.source + moved(from, s);
      switch (step.kernel) {
        case Kernel::Run:
        case Kernel::Transpose:
        case Kernel::Strided:
          copy_any(there, here, leaf.run);
          fill_any(there + leaf.run, *leaf.pattern, leaf.fill);
          break;
        case Kernel::Fill: fill_any(there, *leaf.pattern, leaf.run); break;
        case Kernel::Compare:
          if (!same_any(there, here, leaf.run)) return false;
          break;
      }
      s += leaf.inner.source;
      d += leaf.inner.destination;
    }
    return true;
  });
}

bool go_swizzled(const Leaf& leaf, Index source, Index destination) {
  const Kernel kernel = leaf.step->kernel;
  if (leaf.fill != 0 || kernel == Kernel::Fill || kernel == Kernel::Compare)
    return go_swizzled_runs(leaf, source, destination);
  switch (leaf.run) {
    case 1: return go_swizzled_units<Byte>(leaf, source, destination);
    case 2: return go_swizzled_units<short>(leaf, source, destination);
    case 4: return go_swizzled_units<int>(leaf, source, destination);
    case 8: return go_swizzled_units<Index>(leaf, source, destination);
    case 16: return go_swizzled_units<Vector16>(leaf, source, destination);
    default: return go_swizzled_runs(leaf, source, destination);
  }
}

/// Orders of the 16-byte chunks of a line: chunk k comes from chunk k ^ by, for by = 0 … 3.
struct ChunkOrders {
#if VL_WIDTH == 64
  __m512i order[4];
#endif
};

VL_INLINE void make_orders(ChunkOrders& orders) {
#if VL_WIDTH == 64
  for (int by = 0; by < 4; ++by)
    orders.order[by] = _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(2 * by));
#else
  static_cast<void>(orders);
#endif
}

VL_INLINE Line load_permuted(const Byte* from, [[maybe_unused]] const ChunkOrders& orders, Index by) {
  Line line;
#if VL_WIDTH == 64
  const __m512i order = orders.order[by];
  const __m512i loaded = load<__m512i>(from);
  const __m512i value = _mm512_maskz_permutexvar_epi64(0xff, order, loaded);
  __builtin_memcpy(&line, &value, sizeof line);
#elif VL_WIDTH == 32
  for (Index k = 0; k < 2; ++k) {
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(from + 16 * (2 * k ^ by))),
                                                 load<__m128i>(from + 16 * ((2 * k + 1) ^ by)), 1);
    __builtin_memcpy(&line.part[k], &both, sizeof both);
  }
#else
  for (Index k = 0; k < 4; ++k) line.part[k] = load<Vector>(from + 16 * (k ^ by));
#endif
  return line;
}

/// Whether the swizzle permutes chunks of at least 16 bytes of a line, in the same way for the whole line.
VL_INLINE bool permutes_lines(const ByteSwizzle& s) {
  return s.bits != 0 && !s.up && s.base >= 4 && s.base + s.shift >= 6 && s.base + s.bits + s.shift <= 12;
}

constexpr Index kMostPeriod = 64;  // lines

/// A contiguous range of bytes (the innermost loop, contiguous on both sides) with one swizzled side, in whole lines of
/// that side. The number that is XORed into an address is constant along a line: it moves the line and the chunks
/// within it, in the same way in every period of 2^(base + bits + shift) bytes. Requires: permutes_lines of the
/// swizzle; the swizzled addresses are multiples of 64 where the innermost loop begins.
template <bool kDestination, bool kStream>
bool go_permuted(const Leaf& leaf, Index source, Index destination) {
  const ByteSwizzle& swizzle = kDestination ? leaf.step->destination_swizzle : leaf.step->source_swizzle;
  const Index bytes = leaf.inner.extent * leaf.run;
  const Index period = (Index{1} << (swizzle.base + swizzle.bits + swizzle.shift)) / kLine;
  ChunkOrders orders;
  make_orders(orders);
  Index moves[kMostPeriod];
  Index chunks[kMostPeriod];
  for (Index k = 0; k < period; ++k) {
    const Index moved = swizzled(swizzle, k * kLine);
    moves[k] = planted(Fault::SwizzleLine) ? 0 : (moved & -kLine) - k * kLine;
    chunks[k] = planted(Fault::SwizzleChunk) ? 0 : (moved & (kLine - 1)) >> 4;
  }
  return each_inner(leaf, source, destination, [&](Index s, Index d) {
    Index phase = ((kDestination ? d : s) / kLine) % period;
    const Byte* from = leaf.source + s;
    Byte* to = leaf.destination + d;
    for (Index lines = bytes / kLine; lines > 0; phase = 0) {
      const Index last = lines < period - phase ? phase + lines : period;
      lines -= last - phase;
      for (Index k = phase; k < last; ++k) {
        const Line line = load_permuted(kDestination ? from : from + moves[k], orders, chunks[k]);
        Byte* where = kDestination ? to + moves[k] : to;
        if constexpr (kStream) stream_line(where, line);
        else store_line(where, line);
        from += kLine;
        to += kLine;
      }
    }
    for (Index k = bytes & -kLine; k < bytes; k += leaf.run)
      copy_any(leaf.destination + swizzled(leaf.step->destination_swizzle, d + k),
               leaf.source + swizzled(leaf.step->source_swizzle, s + k), leaf.run);
    return true;
  });
}

}  // namespace
}  // namespace vl::oracle::VL_SET
