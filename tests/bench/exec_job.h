// Job: a case that is ready to run: its texts are read by their family, and a plan of the layouts is accepted by the
// checker. It also does the same work by a naive loop over the case's hand-written nests; every result is compared with
// that one, byte for byte.
#pragma once

#include <memory>
#include <optional>

#include "oracle/executor/execute.h"
#include "tests/bench/exec_cases.h"
#include "tests/bench/exec_measure.h"
#include "tests/bench/question.h"

namespace vl::bench {

/// The memories that all jobs of a run use, one after the other.
struct Workshop {
  Memory source;
  Memory destination;
  Memory expected;
};

class Job {
 public:
  /// Or why there is no plan. Requires: texts that can be read.
  static std::variant<Job, std::string> of(const ExecCase& one);

  [[nodiscard]] std::size_t source_bytes() const { return static_cast<std::size_t>(plan_.plan().source_bytes); }
  [[nodiscard]] std::size_t destination_bytes() const {
    return static_cast<std::size_t>(plan_.plan().destination_bytes);
  }
  /// Gaps become 0. The memories have at least the plan's bytes.
  void run(std::span<const std::byte> source, std::span<std::byte> destination, oracle::Pool* pool = nullptr) const;

  /// Makes a plan of the same relation, and checks it, in the memory of an earlier one. False if there is
  /// none.
  bool make_again(oracle::CertifiedPlan& plan) const { return !plan.make(relation_, {}).has_value(); }
  [[nodiscard]] const map::Layout& layout() const { return *layout_->reading.layout(); }

 private:
  friend std::optional<std::string> wrong_result(const ExecCase&, const Job&, Workshop&, oracle::Pool*);

  std::shared_ptr<const session::TensorReading> layout_;
  std::shared_ptr<const session::TensorReading> to_;
  oracle::Relation relation_;
  oracle::CertifiedPlan plan_;
  std::size_t unit_ = 1;
};

/// The case's moves one unit after the other, and `fill` in every unit of its gaps.
void run_naively(const ExecCase& one, std::span<const std::byte> source, std::span<std::byte> destination,
                 std::byte fill);

/// Nothing if the job leaves the same bytes as the naive loop, in a memory that neither of them may leave
/// anything of; else where the first difference is. The source then holds tags.
[[nodiscard]] std::optional<std::string> wrong_result(const ExecCase& one, const Job& job, Workshop& workshop,
                                                      oracle::Pool* pool = nullptr);

}  // namespace vl::bench
