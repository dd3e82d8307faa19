// Steps of a proof, as plain values: a name, numbers, and notes. claims/goals.h says what each does.
#pragma once

#include <string>
#include <vector>

#include "verifier/kernel/core/stages.h"

namespace vl::kernel {

template <class S>
struct BasicStep {
  std::string name;
  std::vector<S> numbers = {};
  std::vector<Note<S>> notes = {};
};
template <class S>
using StepsOf = std::vector<BasicStep<S>>;
using Step = BasicStep<Wide>;
using Steps = StepsOf<Wide>;

}  // namespace vl::kernel
