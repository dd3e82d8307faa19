// The kernel Transpose.
namespace vl::oracle::VL_SET {
namespace {

/// Runs the loops [from, rank) of a Transpose step: see KernelSet::run.
void run_transpose(const Step& step, std::size_t from, Index source, Index destination, const Buffers& buffers) {
  run_slowly(step, from, source, destination, buffers);
}

}  // namespace
}  // namespace vl::oracle::VL_SET
