// SwiftPlaces: `place` asked of a library without a text, a tree or a map of each case. The subject is drawn, its
// numbers go to the host in the shared memory, and the rows that come back are compared with the places as digits
// (encodings/use/place_form.h), every element of every case. What is not plain agreement, or a plain refusal, is judged
// like any other case: from its number, with its map. So is one case in 64, from number 2^20 on one in 256, and there
// the digits have to say what the map and the family's second meaning say; else our own engines differ.
//
// Law: the totals are those that judging every case in that way gives. So only agreement is taken on trust, of the
// digits, and the report says of how many it was not (OpTotals::by_definition).
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "oracle/gate/campaign.h"
#include "oracle/gate/drawn.h"
#include "oracle/gate/packed.h"

namespace vl::gate {

struct Asked;  // lane.h

class SwiftPlaces {
 public:
  /// Whether all that is asked can be asked in this way.
  [[nodiscard]] static bool applies(const Child& child, const CampaignOptions& options,
                                    const std::vector<Asked>& asked);
  /// Requires: applies(child, options, asked).
  SwiftPlaces(Child& child, const CampaignOptions& options, const std::vector<Asked>& asked);

  struct Item {
    std::uint64_t index = 0;
    std::size_t asked = 0;
    bool powers = false;  // all extents of the tensor are powers of two
    Traits traits = 0;
    use::PlaceForm form;
    BulkSlot slot, second;  // second: where it is asked twice
  };
  /// Cases in the shared memory, and the answers of those that are asked twice behind them.
  struct Batch {
    std::vector<Item> items;  // the first `count`; the others keep their memory
    std::size_t count = 0, twice = 0;
    PackedBatch packed;
  };

  /// Makes the batch of a range; `repeats` says which are asked twice. It is valid until the next but one.
  Batch& draw(std::uint64_t from, std::uint64_t to, const std::function<bool(std::uint64_t)>& repeats,
              GateRecord& record);
  void submit(Batch& batch);

  /// Judges a case from its number; the word under the first value of the convention.
  using Slow = std::function<Word(const Item&, const Reply&)>;
  /// Looks at what came, and tallies it, or passes it on. `remember`: a case that was asked twice alike.
  void judge(Batch& batch, const std::vector<Reply>& replies, GateRecord& record, const Slow& slow,
             const std::function<void(const Item&, const Reply&)>& remember);

 private:
  struct Answer {
    std::int64_t code = 0;
    std::vector<Index> rows;
    std::string why;
  };
  void prepare_again(Batch& batch, std::size_t first, std::size_t count);
  // What came of a case; a fault is a reply by itself.
  std::optional<Reply> read(const Item& item, const BulkSlot& slot, const Reply& reply, Answer& out) const;
  [[nodiscard]] Reply reply_of(const Item& item, const Answer& answer) const;
  [[nodiscard]] Standing standing_of_item(const Item& item) const;
  void settle(const Item& item, const std::optional<Reply>& fault, const Answer& answer, GateRecord& record,
              const Slow& slow);

  Child& child_;
  const CampaignOptions& options_;
  const std::vector<Asked>& asked_;
  std::vector<PlaceSubjects> subjects_;  // one an operation
  std::array<Batch, 2> batches_;
  std::size_t next_ = 0;
  Subject subject_;
  std::string text_;  // its
  Answer first_, second_;
};

}  // namespace vl::gate
