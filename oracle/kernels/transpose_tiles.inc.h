// Tiles: small transposes held in vectors. A matrix is `rows` rows of `columns` units of kUnit bytes, row r from
// source + r * source_pitch; its transpose has row c from destination + c * destination_pitch.
//
// Vectors are seen as lanes of 16 bytes. Interleaving the units of vector p with those of vector p + count/2, for
// every p, lane by lane, turns the number (vector, place in the lane) left by one bit; log2(units of a lane) such
// stages on as many vectors are a transpose of every lane. A transpose of whole lanes among the vectors before or
// after does the rest.
namespace vl::oracle::VL_SET {
namespace {

template <int kBytes>
struct BytesOf {
  typedef Byte Type __attribute__((vector_size(kBytes)));
};
template <int kBytes>
using Bytes = typename BytesOf<kBytes>::Type;

template <int kBytes>
struct WordsOf {
  typedef uint64_t Type __attribute__((vector_size(kBytes)));
};
template <int kBytes>
using Words = typename WordsOf<kBytes>::Type;

template <int kUnit>
struct UnitOf {};
template <>
struct UnitOf<1> {
  using Type = uint8_t;
};
template <>
struct UnitOf<2> {
  using Type = uint16_t;
};
template <>
struct UnitOf<4> {
  using Type = uint32_t;
};
template <>
struct UnitOf<8> {
  using Type = uint64_t;
};
template <>
struct UnitOf<16> {
  using Type = Vector16;
};
template <int kUnit>
using Unit = typename UnitOf<kUnit>::Type;

template <int kUnit, int kBytes>
struct UnitsOf {
  typedef Unit<kUnit> Type __attribute__((vector_size(kBytes)));
};

template <int... kNumbers>
struct Numbers {};
#ifdef __clang__
template <class, int... kNumbers>
using NumbersOf = Numbers<kNumbers...>;
template <int kCount>
using Count = __make_integer_seq<NumbersOf, int, kCount>;
#else
template <int kCount>
using Count = Numbers<__integer_pack(kCount)...>;
#endif

/// The origin of element e of an interleaved vector: lane by lane, the low or the high half of both in turn.
constexpr int interleaved_from(int e, int lane, int elements, bool high) {
  const int place = e % lane;
  return e / lane * lane + place / 2 + (high ? lane / 2 : 0) + (place % 2) * elements;
}

template <int kUnit, bool kHigh, int kBytes, int... kElements>
VL_INLINE Bytes<kBytes> interleave(Bytes<kBytes> a, Bytes<kBytes> b, Numbers<kElements...>) {
  using Units = typename UnitsOf<kUnit, kBytes>::Type;
  constexpr int elements = kBytes / kUnit;
  return (Bytes<kBytes>)__builtin_shufflevector((Units)a, (Units)b,
                                                interleaved_from(kElements, 16 / kUnit, elements, kHigh)...);
}

/// kStages interleaving stages on kVectors vectors.
template <int kUnit, int kBytes, int kVectors, int kStages>
VL_INLINE void interleave_stages(Bytes<kBytes>* v) {
  if constexpr (kStages > 0) {
    Bytes<kBytes> next[kVectors];
#pragma GCC unroll 16
    for (int p = 0; p < kVectors / 2; ++p) {
      const int low = planted(Fault::TransposeHalves) && kStages == 1 ? 1 : 0;
      next[2 * p + low] = interleave<kUnit, false, kBytes>(v[p], v[p + kVectors / 2], Count<kBytes / kUnit>{});
      next[2 * p + 1 - low] = interleave<kUnit, true, kBytes>(v[p], v[p + kVectors / 2], Count<kBytes / kUnit>{});
    }
#pragma GCC unroll 16
    for (int p = 0; p < kVectors; ++p) v[p] = next[p];
    interleave_stages<kUnit, kBytes, kVectors, kStages - 1>(v);
  }
}

constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

/// The transpose of the lanes of as many vectors: lane k of vector l goes to lane l of vector k.
template <int kBytes>
VL_INLINE void transpose_lanes(Bytes<kBytes>* v) {
  if constexpr (kBytes == 32) {
    const Words<kBytes> a = (Words<kBytes>)v[0], b = (Words<kBytes>)v[1];
    v[0] = (Bytes<kBytes>)__builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = (Bytes<kBytes>)__builtin_shufflevector(a, b, 2, 3, 6, 7);
  } else if constexpr (kBytes == 64) {
    const Words<kBytes> a = (Words<kBytes>)v[0], b = (Words<kBytes>)v[1];
    const Words<kBytes> c = (Words<kBytes>)v[2], d = (Words<kBytes>)v[3];
    const Words<kBytes> ab01 = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    const Words<kBytes> ab23 = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    const Words<kBytes> cd01 = __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11);
    const Words<kBytes> cd23 = __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
    v[0] = (Bytes<kBytes>)__builtin_shufflevector(ab01, cd01, 0, 1, 4, 5, 8, 9, 12, 13);
    v[1] = (Bytes<kBytes>)__builtin_shufflevector(ab01, cd01, 2, 3, 6, 7, 10, 11, 14, 15);
    v[2] = (Bytes<kBytes>)__builtin_shufflevector(ab23, cd23, 0, 1, 4, 5, 8, 9, 12, 13);
    v[3] = (Bytes<kBytes>)__builtin_shufflevector(ab23, cd23, 2, 3, 6, 7, 10, 11, 14, 15);
  }
}

/// A vector of lanes that lie `pitch` bytes apart.
template <int kBytes>
VL_INLINE Bytes<kBytes> load_lanes(const Byte* from, Index pitch) {
  if constexpr (kBytes == 16) {
    return load<Vector16>(from);
  } else if constexpr (kBytes == 32) {
#if VL_WIDTH >= 32
    // The intrinsic, because the compiler does not fold a shuffle into the load.
    const __m256i low = _mm256_castsi128_si256(load<__m128i>(from));
    return (Bytes<32>)_mm256_inserti128_si256(low, load<__m128i>(from + pitch), 1);
#else
    const Words<16> low = (Words<16>)load<Vector16>(from), high = (Words<16>)load<Vector16>(from + pitch);
    return (Bytes<32>)__builtin_shufflevector(low, high, 0, 1, 2, 3);
#endif
  } else {
    const auto low = (Words<32>)load_lanes<32>(from, pitch);
    const auto high = (Words<32>)load_lanes<32>(from + 2 * pitch, pitch);
    return (Bytes<64>)__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
}

template <int kBytes, bool kStream>
VL_INLINE void put(Byte* to, const Bytes<kBytes>& value) {
  if constexpr (kStream && kBytes == VL_WIDTH) stream(to, value);
  else store(to, value);
}

/// The next row. Keeps the compiler from making multiples of the pitch, for which there are too few registers.
template <class Any>
VL_INLINE Any* stepped(Any* row, Index pitch) {
  row += pitch;
  asm("" : "+r"(row));
  return row;
}

/// kBytes/kUnit rows of as many units: kBytes on either side. Streams when kStream; then kBytes must be VL_WIDTH, and
/// every destination row aligned to it.
template <int kUnit, int kBytes, bool kStream>
VL_INLINE void square(const Byte* source, Index source_pitch, Byte* destination, Index destination_pitch) {
  constexpr int lanes = kBytes / 16, units = 16 / kUnit;
  Bytes<kBytes> columns[lanes][units];
#pragma GCC unroll 16
  for (int r = 0; r < units; ++r) {
    Bytes<kBytes> row[lanes];
    const Byte* from = source;
#pragma GCC unroll 4
    for (int l = 0; l < lanes; ++l, from += units * source_pitch) row[l] = load<Bytes<kBytes>>(from);
    if (!planted(Fault::TransposeLanes)) transpose_lanes<kBytes>(row);
#pragma GCC unroll 4
    for (int l = 0; l < lanes; ++l) columns[l][r] = row[l];
    source = stepped(source, source_pitch);
  }
#pragma GCC unroll 4
  for (int l = 0; l < lanes; ++l) {
    interleave_stages<kUnit, kBytes, units, log2_of(units)>(columns[l]);
#pragma GCC unroll 16
    for (int c = 0; c < units; ++c) {
      put<kBytes, kStream>(destination, columns[l][c]);
      destination = stepped(destination, destination_pitch);
    }
  }
}

/// kBytes/kUnit rows of the units of one lane: 16 bytes read, kBytes written per row.
template <int kUnit, int kBytes>
VL_INLINE void narrow(const Byte* source, Index source_pitch, Byte* destination, Index destination_pitch) {
  constexpr int units = 16 / kUnit;
  Bytes<kBytes> v[units];
#pragma GCC unroll 16
  for (int r = 0; r < units; ++r) v[r] = load_lanes<kBytes>(source + r * source_pitch, units * source_pitch);
  interleave_stages<kUnit, kBytes, units, log2_of(units)>(v);
#pragma GCC unroll 16
  for (int c = 0; c < units; ++c) store(destination + c * destination_pitch, v[c]);
}

/// The elements of two vectors in turn, those from kFirst on in each.
template <int kUnit, int kFirst, int kBytes, int... kElements>
VL_INLINE Bytes<kBytes> alternate(Bytes<kBytes> a, Bytes<kBytes> b, Numbers<kElements...>) {
  using Units = typename UnitsOf<kUnit, kBytes>::Type;
  return (Bytes<kBytes>)__builtin_shufflevector((Units)a, (Units)b,
                                                (kFirst + kElements / 2 + kElements % 2 * (kBytes / kUnit))...);
}

/// kRows rows of kBytes, interleaved into kRows * kBytes contiguous bytes. Requires: kRows * kUnit <= 16, a power of
/// two.
template <int kUnit, int kBytes, int kRows, bool kStream>
VL_INLINE void interleave_rows(const Byte* source, Index source_pitch, Byte* destination) {
  constexpr int lanes = kBytes / 16;
  Bytes<kBytes> v[kRows];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
    v[r] = load<Bytes<kBytes>>(source + (planted(Fault::InterleaveOrder) ? r ^ 1 : r) * source_pitch);
  Bytes<kBytes> out[kRows];
  if constexpr (lanes == 4 && kRows == 2) {  // one shuffle of two vectors takes elements from anywhere in them
    out[0] = alternate<kUnit, 0, kBytes>(v[0], v[1], Count<kBytes / kUnit>{});
    out[1] = alternate<kUnit, kBytes / kUnit / 2, kBytes>(v[0], v[1], Count<kBytes / kUnit>{});
    if (planted(Fault::InterleavePlaces)) out[1] = out[0];
  } else {
    interleave_stages<kUnit, kBytes, kRows, log2_of(kRows)>(v);
    // Lane l of vector q is now the lane l * kRows + q of the result.
    if (planted(Fault::InterleavePlaces)) {
      for (int q = 0; q < kRows; ++q) out[q] = v[q];
    } else {
#pragma GCC unroll 16
      for (int q = 0; q < kRows; q += lanes) {
        transpose_lanes<kBytes>(v + q);
#pragma GCC unroll 4
        for (int l = 0; l < lanes; ++l) out[l * (kRows / lanes) + q / lanes] = v[q + l];
      }
    }
  }
#pragma GCC unroll 16
  for (int q = 0; q < kRows; ++q) put<kBytes, kStream>(destination + q * kBytes, out[q]);
}

/// kBytes/kUnit rows of kColumns units that follow each other without a gap, into kColumns rows of kBytes: the inverse.
template <int kUnit, int kBytes, int kColumns, bool kStream>
VL_INLINE void deinterleave_rows(const Byte* source, Byte* destination, Index destination_pitch) {
  Bytes<kBytes> v[kColumns];
  // Vector q takes the lanes l * kColumns + q of the source.
#pragma GCC unroll 16
  for (int q = 0; q < kColumns; ++q) v[q] = load_lanes<kBytes>(source + q * 16, kColumns * 16);
  interleave_stages<kUnit, kBytes, kColumns, log2_of(16 / kUnit)>(v);
#pragma GCC unroll 16
  for (int c = 0; c < kColumns; ++c)
    put<kBytes, kStream>(destination + c * destination_pitch, v[planted(Fault::DeinterleaveOrder) ? c ^ 1 : c]);
}

}  // namespace
}  // namespace vl::oracle::VL_SET
