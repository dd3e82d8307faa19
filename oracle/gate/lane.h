// Lane: one process of the adapter, and what it is asked: ranges of a campaign's numbers, one after the other. While it
// answers one, the lane judges the one before and makes the next. Several lanes work on a campaign side by side; what
// they find adds up, so their number is not seen in the totals.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/gate/bulk_answers.h"
#include "oracle/gate/campaign.h"
#include "oracle/gate/swift_places.h"
#include "oracle/gate/throttle.h"

namespace vl::gate {

/// An operation with one total per admissible value of its convention.
struct Asked {
  PeerOp op;
  const use::Family* family = nullptr;
  const Operation* operation = nullptr;
  CaseLimits limits;
  std::size_t first = 0, rows = 0;  // of the record, one for each value of its convention
};

/// What of the peer's operations is selected; their rows, with nothing in them, come into the record.
[[nodiscard]] std::vector<Asked> asked_of(const Peer& peer, const CampaignOptions& options, GateRecord& record);

/// One case in 64 is looked at once more, by the map and the family's second meaning; from number 2^20 on, one in 256.
[[nodiscard]] bool is_looked_at_twice(std::uint64_t index);

class Lane {
 public:
  /// Numbers [from, to), and what is throttled among them.
  struct Range {
    std::uint64_t from = 0, to = 0;
    std::shared_ptr<const std::vector<KnownKind>> known = nullptr;
  };

  /// `empty`: a record without cases, and with the rows of `asked`.
  Lane(Child& child, const Judge& judge, const CampaignOptions& options, const std::vector<Asked>& asked,
       const GateRecord& empty)
      : child_(child), judge_(judge), options_(options), asked_(asked), empty_(empty) {
    if (SwiftPlaces::applies(child, options, asked)) swift_ = std::make_unique<SwiftPlaces>(child, options, asked);
  }

  /// Asks one range after the other until next(true) gives none, and passes on what came of each. next(false) gives
  /// none also where the next range waits for what is being asked. A range that was not answered whole, because the
  /// adapter is gone or the run was interrupted, is the last one and ends where it begins.
  void go(const std::function<std::optional<Range>(bool waits)>& next, const std::function<void(GateRecord)>& take);
  /// Asks up to 256 cases that were asked twice once more, of a fresh process and in the other order; other answers
  /// make them unstable. Only those below `to` are in the record.
  void ask_fresh(std::uint64_t to, GateRecord& record);

  [[nodiscard]] Child& child() { return child_; }

 private:
  struct Question {
    std::uint64_t index = 0;
    std::size_t asked = 0;  // of the operations
    Case of;
    // Where a long answer belongs, and where long data are; second: where it is asked twice.
    std::optional<BulkSlot> slot = {}, second = {}, data = {}, second_data = {};
  };
  struct Batch {
    std::vector<Question> questions;
    SwiftPlaces::Batch* swift = nullptr;  // in place of questions
    GateRecord record;                    // of its range
  };

  // Asks a batch and those behind it, without a pause. False: the adapter is gone.
  bool go_on(std::optional<Batch> current, const std::function<std::optional<Range>(bool)>& next,
             const std::function<void(GateRecord)>& take);
  [[nodiscard]] bool repeats(std::uint64_t index) const;
  std::optional<Batch> batch(const std::optional<Range>& range);
  std::vector<std::string> texts(std::vector<Question>& questions);
  void submit(Batch& batch);
  // Writes the data, and the patterns of the answers, of some of the cases that texts() gave.
  void prepare(const std::vector<Question>& questions, std::size_t first, std::size_t count);
  [[nodiscard]] std::uint64_t drawn_for(const Question& question, bool second) const;
  void judge_all(Batch& batch, const std::vector<Reply>& replies);
  void judge_swift(Batch& batch, const std::vector<Reply>& replies);
  [[nodiscard]] Question question_of(const SwiftPlaces::Item& item) const;
  [[nodiscard]] Judgement judgement_of(const Question& question, const Reply& reply, Standing standing,
                                       std::string_view convention) const;
  Word settle(const Question& question, const Reply& reply, GateRecord& record);
  std::span<OpTotals> rows_of(std::size_t asked, GateRecord& record) {
    return std::span(record.rows).subspan(asked_[asked].first, asked_[asked].rows);
  }

  Child& child_;
  const Judge& judge_;
  const CampaignOptions& options_;
  const std::vector<Asked>& asked_;
  const GateRecord& empty_;
  std::vector<std::pair<Question, Reply>> fresh_;
  std::uint64_t submitted_ = 0;         // batches: each uses the other half of the shared memory
  std::unique_ptr<SwiftPlaces> swift_;  // where all that is asked can be asked so
};

}  // namespace vl::gate
