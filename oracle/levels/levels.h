// Levels: the one entry for pack, unpack, move and nests. It picks the level:
//
//   Plan         loop nests with a certificate that the checker accepted: as fast as memory. A plan that the checker
//                refuses is never run; it is a bug, and is reported
//   Rows         if there is no plan: segments on which the map is a progression
//   Definition   if there are no rows, below 64 elements, and if an error must be named: an element without a slot, two
//                elements that share a slot, replicas that differ
//
// All three do the same. So the definition sometimes, or always, also runs, and its result is compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/use/transfer.h"
#include "oracle/executor/execute.h"
#include "oracle/executor/pool.h"
#include "oracle/reference/definition.h"
#include "oracle/reference/rows.h"

namespace vl::oracle {

enum class Level : std::uint8_t { Plan, Rows, Definition };

/// "plan", "rows", "definition".
[[nodiscard]] std::string_view name(Level level);

/// The logical dimensions along which all elements lie at one host offset, a bit each (of the first 64).
[[nodiscard]] std::uint64_t expanded(const map::Layout& layout, Host host);

/// The work. `from` is the source's layout if the source is a device image, and `to` is the destination's.
///   pack    to           host tensor -> image, every replica, padding filled
///   unpack  from         image -> host tensor; replicas and elements of one host offset must agree
///   move    from, to     image -> image
///   nests   the layouts of both memories (the other side of h2d and d2h is the host tensor of the same layout)
struct Work {
  const map::Layout* from = nullptr;
  const map::Layout* to = nullptr;
  const use::Transfer* nests = nullptr;
  Host host = Host::Dense;
  std::size_t unit = 2;  // bytes
  bool fills = true;     // of nests: units that no nest writes become the fill value; else they stay unchanged
};

struct LevelOptions {
  enum class Check : std::uint8_t { Never, Sometimes, Always };
  Check definition = Check::Sometimes;  // Sometimes: every 64th run of one object
  std::optional<Level> only;            // only this level, except for errors
  Index tiny = 64;                      // fewer elements go to the definition
  Pool* pool = nullptr;                 // threads for plans
};

/// How the work was done. `why` says why no higher level was used.
struct LevelReport {
  Level level = Level::Definition;
  std::string why;
  bool bug = false;       // the checker refused a plan; `why` is its objection
  bool compared = false;  // the definition also ran
  /// Not empty: the picked level and the definition differ, a bug. The destination then holds the definition's result.
  std::string disagreement;
};

/// Holds plans, tables and memory, which the next tensors reuse.
class Levels {
 public:
  /// Prepares the work for later tensors. Errors: Shape if the layouts of a move are of different tensors. Requires:
  /// the layouts and nests outlive the runs.
  std::optional<Error> prepare(const Work& work, const LevelOptions& options);

  /// Runs the prepared work. Without nests, host units without an element stay unchanged. `fill` may be empty if
  /// nothing is filled. Errors: the definition's (definition.h, transfer.h); no memory to run the definition for the
  /// comparison. After an error the destination's content is unspecified. Requires: no overlap.
  [[nodiscard]] Result<LevelReport> run(std::span<const std::byte> source, std::span<const std::byte> fill,
                                        std::span<std::byte> destination);

  /// Runs only the plan. False, and nothing is written, if copies of an element differ. This object does not change, so
  /// any number of threads may call this without a pool.
  /// Requires: plan(); memories of its sizes that do not overlap; the fill value if it fills.
  [[nodiscard]] bool run_plan(std::span<const std::byte> source, std::span<const std::byte> fill,
                              std::span<std::byte> destination) const;

  /// prepare() and run().
  [[nodiscard]] Result<LevelReport> run(const Work& work, const LevelOptions& options,
                                        std::span<const std::byte> source, std::span<const std::byte> fill,
                                        std::span<std::byte> destination);

  /// The plan that would run; null if there is no plan.
  [[nodiscard]] const Plan* plan() const { return planned_ ? &plan_.plan() : nullptr; }
  /// Why there is no plan, and whether that is a bug (LevelReport).
  [[nodiscard]] const std::string& why_no_plan() const { return why_; }
  [[nodiscard]] bool has_refused_plan() const { return bug_; }
  /// Whether the last run failed because the definition has no memory.
  [[nodiscard]] bool lacks_memory() const { return lacks_memory_; }

 private:
  void make_plans();
  [[nodiscard]] bool make_rows();
  [[nodiscard]] std::optional<Error> check_memories(std::size_t source, std::size_t fill,
                                                    std::size_t destination) const;
  /// False if copies of an element differ.
  [[nodiscard]] bool run_rows(std::span<const std::byte> source, std::span<const std::byte> fill,
                              std::span<std::byte> destination);
  // Sets lacks_memory_ if the error is a lack of memory.
  [[nodiscard]] std::optional<Error> define(std::span<const std::byte> source, std::span<const std::byte> fill,
                                            std::span<std::byte> destination);
  [[nodiscard]] std::string first_difference(std::span<const std::byte> have, std::span<const std::byte> want) const;

  Work work_;
  LevelOptions options_;
  std::uint64_t runs_ = 0;
  CertifiedPlan plan_;
  CertifiedPlan agreement_;  // of the copies of an element, before they are read
  bool planned_ = false;
  bool agrees_first_ = false;
  bool few_ = false;  // for the definition
  std::string why_;
  bool bug_ = false;
  Rows rows_;   // of the image that is written, or read by unpack
  Rows reads_;  // of move: the image that is read
  bool has_rows_ = false;
  bool tried_rows_ = false;
  Definition definition_;
  bool lacks_memory_ = false;
  std::vector<std::byte> tensor_;    // between the rows of a move
  std::vector<std::byte> expected_;  // the definition's result
};

}  // namespace vl::oracle
