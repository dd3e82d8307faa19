// The images of reductions, as the kernel has them (values_kernel/fold.h).
#include "verifier/neutral/program/arithmetic.h"
#include "verifier/neutral/program/states.h"
#include "verifier/values_kernel/fold.h"

namespace vl::neutral::program {
namespace {

CodeSet image_unflushed(const Question& question, const CodeSet& leaves, Index count) {
  if (question.operation == Operation::Any || question.operation == Operation::All)
    return count == 1 || leaves.count() == 1 ? leaves : CodeSet({{0, 1}});
  if (question.operation > Operation::Dot) return CodeSet::all(question.accumulate);
  checker::StepText step;
  step.operation = name(question.operation), step.fused = question.fused;
  step.start = question.start == Start::Zero ? "+0" : "first";  // a start -0 changes no sum
  return set_of(values_kernel::fold_of(in_kernel(question.accumulate), step, in_kernel(leaves), count));
}

}  // namespace

CodeSet image_of_reduction(const Question& question, const CodeSet& leaves, Index count) {
  const CodeSet out = image_unflushed(question, leaves, count);
  return flush_of(question) == values::Flush::None ? out : with_flushed(question.accumulate, out);
}

}  // namespace vl::neutral::program
