// A panel: every engine of the program is asked everything about one small layout, and compared with a look at every
// point (truth.h). Slow engines are asked about a share of the layouts, chosen by a digest.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/support/answers.h"
#include "tests/support/shard.h"
#include "tests/support/truth.h"

namespace vl::test {

/// The answer of one engine.
struct Score {
  Index asked = 0;
  Index decided = 0;
  Index found = 0;  // of these, with a witness
  Index wrong = 0;
};

/// Compares an answer about two layouts without replicas, over one domain and one box, with their slots.
[[nodiscard]] inline Said judge_difference(const Truth& a, const Truth& b, const engines::Answer& answer) {
  if (std::holds_alternative<engines::Abstained>(answer)) return Said::Abstained;
  const auto [at, other] = std::ranges::mismatch(a.slots, b.slots);
  if (std::holds_alternative<engines::None>(answer)) return at == a.slots.end() ? Said::Right : Said::Wrong;
  const auto* found = std::get_if<engines::Found>(&answer);
  if (found == nullptr || !inside(found->witness.p, a.domain)) return Said::Wrong;
  const auto number = number_of(found->witness.p, a.domain);
  const bool genuine = a.slots[static_cast<std::size_t>(number)] != b.slots[static_cast<std::size_t>(number)];
  return genuine && (!found->minimal || number == at - a.slots.begin()) ? Said::Right : Said::Wrong;
}

class Panel {
 public:
  /// `rare`: engines that are not known to be quick see every so manieth layout.
  explicit Panel(std::uint64_t rare) : rare_(rare) {}

  struct Case {
    const map::Layout& layout;
    const Truth& truth;
    const map::Layout* other = nullptr;  // asked whether it differs; same domain and box
    const Truth* other_truth = nullptr;
  };

  /// `show` names the layout where an engine is wrong.
  template <class Show>
  void hold(std::uint64_t number, const Case& at, Show show) {
    using question::Kind;
    ++layouts_;
    for (const engines::Engine& engine : engines::engines()) {
      const bool quick = engine.name == "strided" || engine.name == "enumerate" || engine.name == "gf2";
      if (!quick && digest(digest(number)) % rare_ != 0) continue;
      for (const Kind kind :
           {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count, Kind::Misdecodes, Kind::Differs}) {
        if (kind == Kind::Misdecodes && !at.layout.decode()) continue;
        if (kind == Kind::Differs && at.other == nullptr) continue;
        const engines::Answer answer =
            engine.decide({kind, &at.layout, kind == Kind::Differs ? at.other : nullptr}, {});
        const Said said =
            kind == Kind::Differs ? judge_difference(at.truth, *at.other_truth, answer) : judge(at.truth, kind, answer);
        Score& score = scores_[engine.name];
        ++score.asked;
        score.decided += said != Said::Abstained;
        score.found += std::holds_alternative<engines::Found>(answer);
        score.wrong += said == Said::Wrong;
        if (said == Said::Wrong && score.wrong <= 5)
          ADD_FAILURE() << engine.name << " on " << show() << ", " << question::name(kind) << ": "
                        << test::describe(answer);
      }
    }
  }

  [[nodiscard]] Index layouts() const { return layouts_; }
  [[nodiscard]] const Score& score(std::string_view engine) { return scores_[engine]; }

  /// Prints the scores and expects that no engine was wrong.
  void report(std::string_view scope, const Shard& shard) const {
    fmt::print("{}, shard {}/{}: {} layouts", scope, shard.index, shard.count, layouts_);
    for (const auto& [engine, score] : scores_) {
      fmt::print("; {}: {} asked, {} decided, {} with a witness", engine, score.asked, score.decided, score.found);
      EXPECT_EQ(score.wrong, 0) << engine;
    }
    fmt::print("\n");
  }

 private:
  std::uint64_t rare_;
  Index layouts_ = 0;
  std::map<std::string_view, Score> scores_;
};

}  // namespace vl::test
