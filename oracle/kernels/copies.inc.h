// Copies and fills of one run of bytes: of a length that the compiler knows, of any length, and past the caches.
namespace vl::oracle::VL_SET {
namespace {

/// Bytes [0, kBytes) in vectors as wide as possible; the last vector may overlap the one before it. Only within one
/// vector are all loads before the stores, so the two ranges must not overlap.
template <Index kBytes>
VL_INLINE void copy_fixed(Byte* to, const Byte* from) {
  constexpr Index kWidth = kBytes >= VL_WIDTH ? VL_WIDTH
                           : kBytes >= 32     ? 32
                           : kBytes >= 16     ? 16
                           : kBytes >= 8      ? 8
                           : kBytes >= 4      ? 4
                           : kBytes >= 2      ? 2
                                              : 1;
  using Part = typename PartOf<kWidth>::Type;
  for (Index k = 0; k + kWidth <= kBytes; k += kWidth) store(to + k, load<Part>(from + k));
  if constexpr (kBytes % kWidth != 0) store(to + kBytes - kWidth, load<Part>(from + kBytes - kWidth));
}

/// Requires: whole lines, which begin at whole lines.
template <Index kBytes>
VL_INLINE void stream_fixed(Byte* to, const Byte* from) {
  for (Index k = 0; k < kBytes; k += kLine) stream_line(to + k, load_line(from + k));
}

/// One line made of pieces of kBytes (16 or 32) that are `apart` bytes apart.
template <Index kBytes>
VL_INLINE Line join_line(const Byte* from, Index apart) {
  Line line;
#if VL_WIDTH == 64
  if constexpr (kBytes == 32) {
    const __m512i low = _mm512_castsi256_si512(load<__m256i>(from));
    const __m512i both = _mm512_inserti64x4(low, load<__m256i>(from + apart), 1);
    __builtin_memcpy(&line, &both, sizeof line);
  } else {
    const __m256i low =
        _mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(from)), load<__m128i>(from + apart), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(from + 2 * apart)),
                                                 load<__m128i>(from + 3 * apart), 1);
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    __builtin_memcpy(&line, &both, sizeof line);
  }
#elif VL_WIDTH == 32
  if constexpr (kBytes == 32) {
    for (Index k = 0; k < 2; ++k) line.part[k] = load<Vector>(from + k * apart);
  } else {
    for (Index k = 0; k < 2; ++k) {
      const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(from + 2 * k * apart)),
                                                   load<__m128i>(from + (2 * k + 1) * apart), 1);
      __builtin_memcpy(&line.part[k], &both, sizeof both);
    }
  }
#else
  for (Index k = 0; k < 4; ++k)
    line.part[k] = load<Vector>(kBytes == 32 ? from + k / 2 * apart + k % 2 * 16 : from + k * apart);
#endif
  return line;
}

/// Lengths below one vector, as two parts that overlap.
VL_INLINE void copy_short(Byte* to, const Byte* from, Index bytes) {
#if VL_WIDTH >= 64
  if (bytes >= 32) {
    const Vector32 last = load<Vector32>(from + bytes - 32);
    store(to, load<Vector32>(from));
    store(to + bytes - 32, last);
    return;
  }
#endif
#if VL_WIDTH >= 32
  if (bytes >= 16) {
    const Vector16 last = load<Vector16>(from + bytes - 16);
    store(to, load<Vector16>(from));
    store(to + bytes - 16, last);
    return;
  }
#endif
  if (bytes >= 8) {
    const Index last = load<Index>(from + bytes - 8);
    store(to, load<Index>(from));
    store(to + bytes - 8, last);
  } else if (bytes >= 4) {
    const int last = load<int>(from + bytes - 4);
    store(to, load<int>(from));
    store(to + bytes - 4, last);
  } else if (bytes >= 2) {
    const short last = load<short>(from + bytes - 2);
    store(to, load<short>(from));
    store(to + bytes - 2, last);
  } else if (bytes == 1) {
    *to = *from;
  }
}

VL_INLINE void copy_any(Byte* to, const Byte* from, Index bytes) {
  if (bytes < VL_WIDTH) return copy_short(to, from, bytes);
  const Vector last = load<Vector>(from + bytes - VL_WIDTH);
  Index k = 0;
  for (; k + 4 * VL_WIDTH <= bytes; k += 4 * VL_WIDTH) copy_fixed<4 * VL_WIDTH>(to + k, from + k);
  for (; k + VL_WIDTH <= bytes; k += VL_WIDTH) store(to + k, load<Vector>(from + k));
  store(to + bytes - VL_WIDTH, last);
}

/// Writes whole lines past the caches, and the two ends with plain stores.
void copy_stream(Byte* to, const Byte* from, Index bytes) {
  const Index head = -static_cast<Index>(reinterpret_cast<uintptr_t>(to)) & (kLine - 1);
  if (bytes < head + kLine) return copy_any(to, from, bytes);
  copy_any(to, from, head);
  Index k = head;
  for (; k + 4 * kLine <= bytes; k += 4 * kLine) {
    const Line a = load_line(from + k), b = load_line(from + k + kLine);
    const Line c = load_line(from + k + 2 * kLine), d = load_line(from + k + 3 * kLine);
    stream_line(to + k, a);
    stream_line(to + k + kLine, b);
    stream_line(to + k + 2 * kLine, c);
    stream_line(to + k + 3 * kLine, d);
  }
  for (; k + kLine <= bytes; k += kLine) stream_line(to + k, load_line(from + k));
  if (planted(Fault::StreamTail)) return;
  copy_any(to + k, from + k, bytes - k);
}

/// The fill value repeated: pattern + k for k in [0, 64] are 64 bytes of it that begin with its byte k.
struct Pattern {
  Byte bytes[2 * kLine];
};

/// Loads 16 bytes that were just stored as a whole; a wider load would wait until they are in the cache.
VL_INLINE void make_pattern(Pattern& pattern, const Buffers& buffers) {
  const Line line = repeat_line(reinterpret_cast<const Byte*>(&buffers.fill));
  store_line(pattern.bytes, line);
  store_line(pattern.bytes + kLine, line);
}

VL_INLINE void fill_any(Byte* to, const Pattern& pattern, Index bytes) {
  if (bytes < VL_WIDTH) return copy_short(to, pattern.bytes, bytes);
  const Line line = load_line(pattern.bytes);
  Index k = 0;
  for (; k + kLine <= bytes; k += kLine) store_line(to + k, line);
  if (planted(Fault::FillTail)) return;
  copy_any(to + k, pattern.bytes, bytes - k);
}

void fill_stream(Byte* to, const Pattern& pattern, Index bytes) {
  const Index head = -static_cast<Index>(reinterpret_cast<uintptr_t>(to)) & (kLine - 1);
  if (bytes < head + kLine) return fill_any(to, pattern, bytes);
  copy_any(to, pattern.bytes, head);
  const Line line = load_line(pattern.bytes + (planted(Fault::FillPhase) ? 0 : head));
  Index k = head;
  for (; k + kLine <= bytes; k += kLine) stream_line(to + k, line);
  copy_any(to + k, pattern.bytes + (k & (kLine - 1)), bytes - k);
}

/// Whether the bytes are equal. Stops at the first block of 256 bytes with a difference.
VL_INLINE bool same_any(const Byte* a, const Byte* b, Index bytes) {
  Index k = 0;
  for (; k + 4 * kLine <= bytes; k += 4 * kLine) {
    Vector differs = load<Vector>(a + k) ^ load<Vector>(b + k);
    for (Index j = VL_WIDTH; j < 4 * kLine; j += VL_WIDTH) differs |= load<Vector>(a + k + j) ^ load<Vector>(b + k + j);
    typedef Index Words __attribute__((vector_size(VL_WIDTH)));
    const Words words = reinterpret_cast<Words>(differs);
    Index any = 0;
    for (Index j = 0; j < VL_WIDTH / 8; ++j) any |= words[j];
    if (any != 0) return false;
  }
  if (planted(Fault::CompareTail)) return true;
  for (; k + 8 <= bytes; k += 8)
    if (load<Index>(a + k) != load<Index>(b + k)) return false;
  for (; k < bytes; ++k)
    if (a[k] != b[k]) return false;
  return true;
}

}  // namespace
}  // namespace vl::oracle::VL_SET
