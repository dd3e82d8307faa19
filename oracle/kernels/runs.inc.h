// Kernels of runs. A Leaf is the three innermost loops of a step with the function that runs them. The function is
// chosen once for all iterations of the loops around them, so that lengths are constants and there are no decisions in
// between.
namespace vl::oracle::VL_SET {
namespace {

struct Leaf {
  bool (*go)(const Leaf& leaf, Index source, Index destination);
  Loop far;  // extent 1 if the step has fewer loops
  Loop outer;
  Loop inner;
  Index run;
  Index fill;
  const Byte* source;  // the two memories
  Byte* destination;
  const Step* step;
  std::size_t from;  // the leaf's first loop in the step
  const Pattern* pattern;
  const Buffers* buffers;
  mutable uintptr_t next = 0;  // address to prefetch, as many bytes as are read; 0: none. See run_blocks
};

/// Calls body(source, destination) each time that the innermost loop is entered, until it returns false.
template <class Body>
VL_INLINE bool each_inner(const Leaf& leaf, Index source, Index destination, const Body& body) {
  for (Index h = leaf.far.extent; h != 0; --h) {
    Index s = source;
    Index d = destination;
    for (Index i = leaf.outer.extent; i != 0; --i) {
      if (!body(s, d)) return false;
      s += leaf.outer.source;
      d += leaf.outer.destination;
    }
    source += leaf.far.source;
    destination += leaf.far.destination;
  }
  return true;
}

/// Calls body(to, from) for each run of a leaf without swizzles.
template <class Body>
VL_INLINE bool each_run(const Leaf& leaf, Index source, Index destination, const Body& body) {
  const Loop inner = leaf.inner;
  return each_inner(leaf, source, destination, [&](Index s, Index d) {
    const Byte* from = leaf.source + s;
    Byte* to = leaf.destination + d;
    for (Index j = inner.extent; j != 0; --j) {
      body(to, from);
      from += inner.source;
      to += inner.destination;
    }
    return true;
  });
}

template <Index kBytes, bool kStream>
bool go_fixed(const Leaf& leaf, Index source, Index destination) {
  return each_run(leaf, source, destination, [](Byte* to, const Byte* from) {
    if constexpr (kStream) stream_fixed<kBytes>(to, from);
    else copy_fixed<kBytes>(to, from);
  });
}

/// Runs of 16 or 32 bytes that follow each other in the destination, by whole lines. Requires: the innermost loop's
/// bytes are whole lines at whole lines.
template <Index kBytes, bool kStream>
bool go_joined(const Leaf& leaf, Index source, Index destination) {
  constexpr Index kPieces = kLine / kBytes;
  const Index apart = leaf.inner.source;
  const Index lines = leaf.inner.extent / kPieces;
  return each_inner(leaf, source, destination, [=, &leaf](Index s, Index d) {
    const Byte* from = leaf.source + s;
    Byte* to = leaf.destination + d;
    for (Index j = 0; j < lines; ++j) {
      const Line line = join_line<kBytes>(from + j * kPieces * apart, planted(Fault::JoinedApart) ? kBytes : apart);
      if constexpr (kStream) stream_line(to + j * kLine, line);
      else store_line(to + j * kLine, line);
    }
    return true;
  });
}

/// Two runs of 32 bytes of each of two rows become two lines.
struct LinePair {
  Line low, high;
};

VL_INLINE LinePair pair_of(const Byte* from, Index apart) {
  LinePair pair;
#if VL_WIDTH == 64
  const __m512i a = load<__m512i>(from), b = load<__m512i>(from + apart);
  const __m512i low = _mm512_inserti64x4(a, _mm512_castsi512_si256(b), 1);
  const __m512i high = _mm512_maskz_shuffle_i64x2(0xff, a, b, 0xee);
  __builtin_memcpy(&pair.low, &low, sizeof low);
  __builtin_memcpy(&pair.high, &high, sizeof high);
#else
  pair.low = join_line<32>(from, apart);
  pair.high = join_line<32>(from + 32, apart);
#endif
  if (planted(Fault::PairsHigh)) pair.high = pair.low;
  return pair;
}

/// Transposed runs of 32 bytes: they follow each other in the source along `outer`, and in the destination along
/// `inner`. They are moved in blocks of two by two, so that whole lines are read and written. `far` runs between the
/// two loops, or within both if it takes shorter steps in the source and the step is not streamed. Requires: both
/// extents even; destinations of the blocks at whole lines.
template <bool kStream>
bool go_pairs(const Leaf& leaf, Index source, Index destination) {
  const Loop outer = leaf.outer;
  const Index apart = leaf.inner.source;
  Loop first = leaf.far;
  Loop second{leaf.inner.extent / 2, 2 * apart, kLine};
  if (!kStream && (apart < 0 ? -apart : apart) > (first.source < 0 ? -first.source : first.source)) {
    second = Loop{first.extent, first.source, first.destination};
    first = Loop{leaf.inner.extent / 2, 2 * apart, kLine};
  }
  uintptr_t next = leaf.next;
  for (Index j = 0; j < outer.extent; j += 2)
    for (Index h = 0; h < first.extent; ++h) {
      const Byte* from = leaf.source + source + j * outer.source + h * first.source;
      Byte* to = leaf.destination + destination + j * outer.destination + h * first.destination;
      for (Index i = 0; i < second.extent; ++i) {
        const LinePair pair = pair_of(from, apart);
        if constexpr (kStream) {
          stream_line(to, pair.low);
          stream_line(to + outer.destination, pair.high);
          if (next != 0) {
            __builtin_prefetch(reinterpret_cast<const void*>(next));
            __builtin_prefetch(reinterpret_cast<const void*>(next + kLine));
            next += 2 * kLine;
          }
        } else {
          store_line(to, pair.low);
          store_line(to + outer.destination, pair.high);
        }
        from += second.source;
        to += second.destination;
      }
    }
  leaf.next = next;
  return true;
}

bool go_any(const Leaf& leaf, Index source, Index destination) {
  const Index run = leaf.run;
  return each_run(leaf, source, destination, [=](Byte* to, const Byte* from) { copy_any(to, from, run); });
}

bool go_stream(const Leaf& leaf, Index source, Index destination) {
  const Index run = leaf.run;
  return each_run(leaf, source, destination, [=](Byte* to, const Byte* from) { copy_stream(to, from, run); });
}

/// Long runs within the caches: the C library copies them best.
bool go_long(const Leaf& leaf, Index source, Index destination) {
  const auto run = static_cast<std::size_t>(leaf.run);
  return each_run(leaf, source, destination, [=](Byte* to, const Byte* from) { __builtin_memcpy(to, from, run); });
}

/// A run and the gap behind it.
bool go_padded(const Leaf& leaf, Index source, Index destination) {
  const Index run = leaf.run;
  const Index fill = planted(Fault::PaddedShort) && leaf.fill > 16 ? leaf.fill - 1 : leaf.fill;
  const Pattern& pattern = *leaf.pattern;
  return each_run(leaf, source, destination, [=, &pattern](Byte* to, const Byte* from) {
    fill_any(to + run, pattern, fill);
    copy_any(to, from, run);
  });
}

/// A line whose first `bytes` < 64 bytes are loaded, and whose other bytes are those of `rest`.
VL_INLINE Line load_part(const Byte* from, Index bytes, const Line& rest) {
#if VL_WIDTH == 64
  const __mmask64 mask = (__mmask64{1} << bytes) - 1;
  Line line;
  const __m512i value = _mm512_mask_loadu_epi8(load<__m512i>(reinterpret_cast<const Byte*>(&rest)), mask, from);
  __builtin_memcpy(&line, &value, sizeof line);
  return line;
#else
  Byte bytes_of_line[kLine];
  store_line(bytes_of_line, rest);
  copy_any(bytes_of_line, from, bytes);
  return load_line(bytes_of_line);
#endif
}

/// A run and its gap that are whole lines together, the destination on a line.
/// kWhole: the number of lines that the run fills by itself; kLines: the number of all lines; -1 = any.
template <Index kWhole, Index kLines, bool kStream>
bool go_lines(const Leaf& leaf, Index source, Index destination) {
  const Index whole = kWhole < 0 ? leaf.run / kLine : kWhole;
  const Index lines = kLines < 0 ? (leaf.run + leaf.fill) / kLine : kLines;
  const Index rest = leaf.run % kLine - (planted(Fault::LineRest) && leaf.run % kLine > 1 ? 1 : 0);
  const Line filled = load_line(leaf.pattern->bytes);  // in phase: the fill value's size divides `rest` and 64
  const auto put = [](Byte* to, const Line& line) {
    if constexpr (kStream) stream_line(to, line);
    else store_line(to, line);
  };
  return each_run(leaf, source, destination, [=](Byte* to, const Byte* from) {
    for (Index k = 0; k < whole; ++k) put(to + k * kLine, load_line(from + k * kLine));
    put(to + whole * kLine, load_part(from + whole * kLine, rest, filled));
    for (Index k = whole + 1; k < lines; ++k) put(to + k * kLine, filled);
  });
}

/// Gaps of the size of one unit.
template <class Unit>
bool go_fill_units(const Leaf& leaf, Index source, Index destination) {
  const Unit value = load<Unit>(leaf.pattern->bytes);
  return each_run(leaf, source, destination, [=](Byte* to, const Byte*) { store(to, value); });
}

bool go_fill(const Leaf& leaf, Index source, Index destination) {
  const Index run = leaf.run;
  const Pattern& pattern = *leaf.pattern;
  if (run == 1) return go_fill_units<Byte>(leaf, source, destination);
  if (run == 2) return go_fill_units<short>(leaf, source, destination);
  if (run == 4) return go_fill_units<int>(leaf, source, destination);
  if (run == 8) return go_fill_units<Index>(leaf, source, destination);
  if (leaf.step->stream)
    return each_run(leaf, source, destination, [=, &pattern](Byte* to, const Byte*) { fill_stream(to, pattern, run); });
  return each_run(leaf, source, destination, [=, &pattern](Byte* to, const Byte*) { fill_any(to, pattern, run); });
}

/// Runs of one unit. Compares all of the innermost loop before it returns.
template <class Unit>
bool go_compare_units(const Leaf& leaf, Index source, Index destination) {
  const Loop inner = leaf.inner;
  return each_inner(leaf, source, destination, [=, &leaf](Index s, Index d) {
    bool differs = false;
    for (Index j = inner.extent; j != 0; --j) {
      differs |= load<Unit>(leaf.destination + d) != load<Unit>(leaf.source + s);
      s += inner.source;
      d += inner.destination;
    }
    return !differs;
  });
}

bool go_compare(const Leaf& leaf, Index source, Index destination) {
  const Index run = leaf.run;
  const Loop inner = leaf.inner;
  if (run == 1) return go_compare_units<Byte>(leaf, source, destination);
  if (run == 2) return go_compare_units<short>(leaf, source, destination);
  if (run == 4) return go_compare_units<int>(leaf, source, destination);
  if (run == 8) return go_compare_units<Index>(leaf, source, destination);
  return each_inner(leaf, source, destination, [=, &leaf](Index s, Index d) {
    for (Index j = 0; j < inner.extent; ++j)
      if (!same_any(leaf.destination + d + j * inner.destination, leaf.source + s + j * inner.source, run))
        return false;
    return true;
  });
}

}  // namespace
}  // namespace vl::oracle::VL_SET
