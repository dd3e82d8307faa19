// The claims of the corpus's cases, read.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/question.h"

namespace vl::bench {

struct Asked {
  std::string id;
  std::string family;
  Question question;
  std::string engine;  // that decided
  double micros = 0;
};

/// Every claim of every case that can be read and decided.
[[nodiscard]] std::vector<Asked> read_corpus();

}  // namespace vl::bench
