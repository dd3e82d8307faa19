// Kernels of runs.
namespace vl::oracle::VL_SET {
namespace {

bool run_slowly(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  const Byte* fill = reinterpret_cast<const Byte*>(&buffers.fill);
  return walk(loops_of(step) + from, step.rank - from, source, destination, [&](Index s, Index d) {
    Byte* to = reinterpret_cast<Byte*>(buffers.destination) + swizzled(step.destination_swizzle, d);
    const Byte* what = reinterpret_cast<const Byte*>(buffers.source) + swizzled(step.source_swizzle, s);
    if (step.kernel == Kernel::Compare) return __builtin_memcmp(to, what, static_cast<std::size_t>(step.run)) == 0;
    if (step.kernel == Kernel::Fill)
      for (Index k = 0; k < step.run; ++k) to[k] = fill[k % kLine];
    else
      __builtin_memcpy(to, what, static_cast<std::size_t>(step.run));
    for (Index k = 0; k < step.fill; ++k) to[step.run + k] = fill[k % kLine];
    return true;
  });
}

}  // namespace
}  // namespace vl::oracle::VL_SET
