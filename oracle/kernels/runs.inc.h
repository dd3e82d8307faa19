// Kernels of runs. A Leaf is the three innermost loops of a step with the function that runs them: chosen once for all
// the iterations of the loops around them, so that lengths are constants there and nothing is decided in between.
namespace vl::oracle::VL_SET {
namespace {

struct Leaf {
  bool (*go)(const Leaf& leaf, Index source, Index destination);
  Loop far;  // extent 1 where the step has not so many loops
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
};

/// body(source, destination) for each time that the innermost loop is entered, until it answers false.
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

/// body(to, from) for each run of a leaf without swizzles.
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
    if constexpr (kStream)
      stream_fixed<kBytes>(to, from);
    else
      copy_fixed<kBytes>(to, from);
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
      if constexpr (kStream)
        stream_line(to + j * kLine, line);
      else
        store_line(to + j * kLine, line);
    }
    return true;
  });
}

/// Runs of 32 bytes that are transposed: they follow each other in the source along `outer`, in the destination along
/// `inner`. By blocks of two by two, so that whole lines are read and written; `far` runs between the two.
/// Requires: both extents even; destinations of the blocks at whole lines.
template <bool kStream>
bool go_pairs(const Leaf& leaf, Index source, Index destination) {
  const Loop far = leaf.far;
  const Loop outer = leaf.outer;
  const Loop inner = leaf.inner;
  const auto put = [](Byte* to, const Byte* low, const Byte* high) {
    const Line line = join_line<32>(low, high - low);
    if constexpr (kStream)
      stream_line(to, line);
    else
      store_line(to, line);
  };
  for (Index j = 0; j < outer.extent; j += 2)
    for (Index h = 0; h < far.extent; ++h) {
      const Byte* from = leaf.source + source + j * outer.source + h * far.source;
      Byte* to = leaf.destination + destination + j * outer.destination + h * far.destination;
      for (Index i = 0; i < inner.extent; i += 2) {
        put(to, from, from + inner.source);
        put(to + outer.destination, from + 32, from + (planted(Fault::PairsHigh) ? 0 : 32) + inner.source);
        from += 2 * inner.source;
        to += kLine;
      }
    }
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

/// Long runs within the caches: nobody copies them better than the C library.
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

/// The first `bytes` < 64 of a line are loaded, the rest of it is `rest`'s.
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
/// kWhole: how many lines the run fills by itself, kLines: all of them; -1 = any.
template <Index kWhole, Index kLines, bool kStream>
bool go_lines(const Leaf& leaf, Index source, Index destination) {
  const Index whole = kWhole < 0 ? leaf.run / kLine : kWhole;
  const Index lines = kLines < 0 ? (leaf.run + leaf.fill) / kLine : kLines;
  const Index rest = leaf.run % kLine - (planted(Fault::LineRest) && leaf.run % kLine > 1 ? 1 : 0);
  const Line filled = load_line(leaf.pattern->bytes);  // in phase: the fill value's size divides `rest` and 64
  const auto put = [](Byte* to, const Line& line) {
    if constexpr (kStream)
      stream_line(to, line);
    else
      store_line(to, line);
  };
  return each_run(leaf, source, destination, [=](Byte* to, const Byte* from) {
    for (Index k = 0; k < whole; ++k) put(to + k * kLine, load_line(from + k * kLine));
    put(to + whole * kLine, load_part(from + whole * kLine, rest, filled));
    for (Index k = whole + 1; k < lines; ++k) put(to + k * kLine, filled);
  });
}

/// Gaps of one unit's size.
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

/// Runs of one unit. Looks at all of the innermost loop before it answers.
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
