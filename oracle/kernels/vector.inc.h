// Vectors of one kernel set: Vector is its widest one (VL_WIDTH bytes), Line a cache line made of them. Loads and
// stores take any address; streams take aligned ones and leave the caches alone.
namespace vl::oracle::VL_SET {
namespace {

using Byte = unsigned char;
typedef Byte Vector __attribute__((vector_size(VL_WIDTH)));
typedef Byte Vector16 __attribute__((vector_size(16)));

typedef Byte Vector32 __attribute__((vector_size(32)));
typedef Byte Vector64 __attribute__((vector_size(64)));

// GCC ignores an attribute that depends on a template parameter, so each size has its own name.
template <Index kBytes>
struct PartOf;
template <>
struct PartOf<1> {
  typedef Byte Type;
};
template <>
struct PartOf<2> {
  typedef short Type;
};
template <>
struct PartOf<4> {
  typedef int Type;
};
template <>
struct PartOf<8> {
  typedef Index Type;
};
template <>
struct PartOf<16> {
  typedef Vector16 Type;
};
template <>
struct PartOf<32> {
  typedef Vector32 Type;
};
template <>
struct PartOf<64> {
  typedef Vector64 Type;
};

constexpr Index kLine = 64;

#define VL_INLINE inline __attribute__((always_inline))

/// Any trivially copyable T at any address.
template <class T>
VL_INLINE T load(const Byte* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
VL_INLINE void store(Byte* to, const T& value) {
  __builtin_memcpy(to, &value, sizeof value);
}

VL_INLINE void stream(Byte* to, const Vector& value) {
#if VL_PORTABLE
  store(to, value);
#elif VL_WIDTH == 16
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), load<__m128i>(reinterpret_cast<const Byte*>(&value)));
#elif VL_WIDTH == 32
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), load<__m256i>(reinterpret_cast<const Byte*>(&value)));
#else
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), load<__m512i>(reinterpret_cast<const Byte*>(&value)));
#endif
}

struct Line {
  Vector part[kLine / VL_WIDTH];
};

VL_INLINE Line load_line(const Byte* from) {
  Line line;
  for (Index k = 0; k < kLine / VL_WIDTH; ++k) line.part[k] = load<Vector>(from + k * VL_WIDTH);
  return line;
}

/// A line of the same 16 bytes.
VL_INLINE Line repeat_line(const Byte* from) {
  Line line;
#if VL_WIDTH == 64
  const __m512i value = _mm512_maskz_broadcast_i32x4(0xffff, load<__m128i>(from));
  __builtin_memcpy(&line, &value, sizeof line);
#elif VL_WIDTH == 32
  const __m256i value = _mm256_broadcastsi128_si256(load<__m128i>(from));
  for (Index k = 0; k < 2; ++k) __builtin_memcpy(&line.part[k], &value, sizeof value);
#else
  for (Index k = 0; k < kLine / VL_WIDTH; ++k) line.part[k] = load<Vector>(from + k * VL_WIDTH % 16);
#endif
  return line;
}

VL_INLINE void store_line(Byte* to, const Line& line) {
  for (Index k = 0; k < kLine / VL_WIDTH; ++k) store(to + k * VL_WIDTH, line.part[k]);
}

/// Requires: 64 | to.
VL_INLINE void stream_line(Byte* to, const Line& line) {
  for (Index k = 0; k < kLine / VL_WIDTH; ++k) stream(to + k * VL_WIDTH, line.part[k]);
}

VL_INLINE void fence_stores() {
#if !VL_PORTABLE
  _mm_sfence();
#endif
}

VL_INLINE bool is_line(const Byte* address) { return (reinterpret_cast<uintptr_t>(address) & (kLine - 1)) == 0; }

}  // namespace
}  // namespace vl::oracle::VL_SET
