// Steps of a proof, as plain values: a name, numbers, and notes. claims/goals.h says what each does.
#pragma once

#include <string>
#include <vector>

#include "verifier/kernel/core/stages.h"

namespace vl::kernel {

struct Step {
  std::string name;
  std::vector<Wide> numbers = {};
  std::vector<Note<Wide>> notes = {};
};
using Steps = std::vector<Step>;

}  // namespace vl::kernel
