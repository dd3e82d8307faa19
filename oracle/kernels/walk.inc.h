// Walking the loops of a step without recursion: an odometer over pointers.
namespace vl::oracle::VL_SET {
namespace {

/// The loops of a step as a plain pointer.
VL_INLINE const Loop* loops_of(const Step& step) { return reinterpret_cast<const Loop*>(&step.loops); }

/// The same as apply() of plan.h, which must not be called here.
VL_INLINE Index swizzled(const ByteSwizzle& s, Index address) {
  if (s.bits == 0) return address;
  const Index mask = (Index{1} << s.bits) - 1;
  if (s.up) return address ^ (((address >> s.base) & mask) << (s.base + s.shift));
  return address ^ (((address >> (s.base + s.shift)) & mask) << s.base);
}

/// Calls body(source, destination) for each iteration of `rank` loops, outermost first, until it returns false.
/// Addresses are byte offsets. Requires: extents >= 1.
template <class Body>
VL_INLINE bool walk(const Loop* loops, std::size_t rank, Index source, Index destination, const Body& body) {
  if (rank == 0) return body(source, destination);
  Index counts[kMostLoops];
  for (std::size_t k = 0; k < rank; ++k) counts[k] = loops[k].extent;
  for (;;) {
    if (!body(source, destination)) return false;
    std::size_t k = rank - 1;
    for (;; --k) {
      source += loops[k].source;
      destination += loops[k].destination;
      if (--counts[k] != 0) break;
      source -= loops[k].extent * loops[k].source;
      destination -= loops[k].extent * loops[k].destination;
      counts[k] = loops[k].extent;
      if (k == 0) return true;
    }
  }
}

/// Runs the loops [from, rank) of a step that copies, unit by unit: the fallback of every kernel.
[[maybe_unused]] void run_slowly(const Step& step, std::size_t from, Index source, Index destination,
                                 const Buffers& buffers) {
  walk(loops_of(step) + from, step.rank - from, source, destination, [&](Index s, Index d) {
    __builtin_memcpy(buffers.destination + swizzled(step.destination_swizzle, d),
                     buffers.source + swizzled(step.source_swizzle, s), static_cast<std::size_t>(step.run));
    return true;
  });
}

}  // namespace
}  // namespace vl::oracle::VL_SET
