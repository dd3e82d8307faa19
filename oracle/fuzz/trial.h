// Trial: one layout, and one tensor after the other that is sent through it. It compares all statements of the project
// about a layout:
//
//   verdict      the claim's verdict: refuted iff the definition finds an element without a slot or two that share one;
//                every level has to execute a proved layout
//   definition   element by element
//   rows         the fast row tables
//   plan         the certified plan, by one kernel set or by all of them
//   round trip   a packed image is unpacked again
//   reader       the family's reading of the layout's text is the same map
//   reference    the family's second meaning, written from its own documents
//   nests        synthesised loop nests move the same elements as pack
//
// Each destination has canaries around it and is filled with a sentinel before: so a stray or a missing write is a
// difference.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "oracle/fuzz/subject.h"
#include "oracle/reference/definition.h"

namespace vl::oracle {

enum class Verb : std::uint8_t { Pack, Unpack, RoundTrip, Move, Nests };
constexpr std::size_t kVerbs = 5;
enum class Pattern : std::uint8_t {
  Tags,      // the unit's number; for bytes one of its byte planes
  Random,    // any bits
  Nan,       // signalling NaNs with payloads, of every width
  Denormal,  // the smallest numbers, and -0.0
};
constexpr std::size_t kPatterns = 4;
[[nodiscard]] std::string_view name(Verb verb);
[[nodiscard]] std::string_view name(Pattern pattern);
[[nodiscard]] std::optional<Verb> verb_of(std::string_view name);
[[nodiscard]] std::optional<Pattern> pattern_of(std::string_view name);

/// One tensor and its move.
struct Tensor {
  Verb verb = Verb::Pack;
  Host where = Host::Dense;
  std::uint8_t unit = 2;  // bytes: 1, 2, 4 or 8
  Pattern pattern = Pattern::Tags;
  std::uint64_t data = 0;  // the number of the data of that pattern
  std::uint64_t fill = 0;  // its lowest `unit` bytes
  bool empty = false;      // the tensor without elements that has this layout
  bool streamed = false;   // planned as if it were larger than the caches
};

constexpr std::uint64_t kGroup = 64;              // tensors of one layout
constexpr std::uint64_t kTransfers = kGroup / 2;  // tensors of one verb, host and unit: index / kTransfers

/// The tensor number `index` of a campaign.
[[nodiscard]] Tensor tensor_of(std::string_view family, std::uint64_t seed, std::uint64_t index);
/// The same, from another tensor of its transfer, tensor_of(…, another index of it).
[[nodiscard]] Tensor tensor_of(const Tensor& same_transfer, std::string_view family, std::uint64_t seed,
                               std::uint64_t index);

enum class Answered : std::uint8_t { Proved, Refuted, Unknown };

/// A mismatch: a word that stays the same while a case is made smaller, and a sentence.
struct Mismatch {
  std::string kind;
  std::string detail;
};
/// Whether this is one of the words of a trial.
[[nodiscard]] bool is_mismatch_kind(std::string_view word);

struct TrialOptions {
  bool definition = false;   // also element by element
  bool all_kernels = false;  // by every kernel set, and by oracle/levels
  bool audit = false;        // reader and reference
};

/// The way in which a tensor was run in the end. It may differ from the order: without a View's memory the host is
/// dense, and without a plan for the way back the verb is another one.
enum class Way : std::uint8_t {
  Plan,     // by all levels
  Rows,     // without a certified plan
  Refused,  // by all levels
  NotRun,   // there is no verdict, or the layout is wrong in itself
};
constexpr std::size_t kWays = 4;
struct Ran {
  Way way = Way::NotRun;
  Verb verb = Verb::Pack;
  Host where = Host::Dense;
};
[[nodiscard]] std::string_view name(Way way);

/// The outcome of one tensor. `hash` is the same on every machine, and for all levels.
struct Outcome {
  Answered verdict = Answered::Unknown;
  Index elements = 0;
  std::uint64_t hash = 0;
  Ran ran;
  std::optional<Mismatch> mismatch;
};

class Trial {
 public:
  Trial();
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// From here on tensors have this layout. They are moved to the layout `companion`. Allocates.
  void open(Subject subject, std::uint64_t companion_seed);
  void open(Subject subject, Subject companion);
  [[nodiscard]] const Subject& subject() const;
  [[nodiscard]] const Subject& companion() const;
  [[nodiscard]] Outcome run(const Tensor& tensor, const TrialOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vl::oracle
