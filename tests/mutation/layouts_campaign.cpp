// Mutation of layouts: changes one number of the IR of every proved case (a stride, an extent, a digit weight, a
// swizzle bit, an offset, a bound of validity), and asks the proved claims again about the mutant. The mutant is
//
//   refuted      some claim is refuted, or measures another number;
//   equivalent   it is the same set-valued map into the same box, by an engine that proved none of its claims;
//   confirmed    another map for which the claims are still true (a larger stride, a larger box, …): each is confirmed
//                by a look at every point, or by an engine that took no part in its proof;
//   undecided    anything else. These are listed, and their number is bounded.
//
// In every class, each answer about a small mutant is also compared with a look at every point (looking.h), and each
// counterexample with the statement of its fields. Claims that the IR does not decide are not mutated: well-formed
// (rules of the text), bytes (a product), partition and compatible (arithmetic of shapes).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "tests/support/corpus_claims.h"
#include "tests/support/looking_at_banks.h"
#include "tests/support/mutants.h"

namespace vl {
namespace mutation_layouts_campaign {

using question::Proved;
using question::Refuted;
using question::Unknown;
using question::Verdict;
using test::CorpusClaim;
using test::Looked;
using test::Mutant;

enum class Class { Refuted, Equivalent, Confirmed, Undecided };

constexpr Index kMostWalked = Index{1} << 21;  // points that a second opinion walks over
constexpr Index kMostDaily =
    Index{1} << 18;  // points of a layout whose mutants are asked about every day; a campaign asks all

struct Tally {
  Index cases = 0;
  Index mutants = 0;
  Index too_large = 0;  // layouts left to the campaign
  std::map<Class, Index> classes;
  std::map<std::string_view, std::map<Class, Index>> by_sort;
  Index answers = 0;        // to claims of mutants
  Index looked = 0;         // of these, compared with a look at every point
  Index shown = 0;          // counterexamples whose fields were checked
  Index replayed_only = 0;  // counterexamples of claims whose fields are not checked here
  Index wrong = 0;
  std::map<std::string, Index> second;        // who confirmed
  std::map<std::string_view, Index> skipped;  // claims that are not mutated
  std::map<std::string, Index> open;          // undecided, by claim and reason
};

bool is_about_the_ir(const claims::Claim& claim) {
  static const std::set<std::string_view> others = {"well-formed", "bytes", "partition", "compatible"};
  return !others.contains(claim.name);
}

Looked word_of(const Verdict& verdict) {
  const auto* proved = std::get_if<Proved>(&verdict);
  return {question::word(verdict), proved != nullptr ? proved->value : std::nullopt};
}

const std::string& engine_of(const Verdict& verdict) {
  return std::visit([](const auto& v) -> const std::string& { return v.engine; }, verdict);
}

bool took_part(const Verdict& verdict, std::string_view engine) {
  return ("+" + engine_of(verdict) + "+").find("+" + std::string(engine) + "+") != std::string::npos;
}

engines::Options only(std::string_view engine) {
  engines::Options options;
  options.only = engine;
  options.budget.rlimit = 2'000'000;
  return options;
}

// The engines for a second opinion on a layout, quick ones first.
std::vector<std::string_view> second_engines(const map::Layout& layout) {
  std::vector<std::string_view> out = {"strided", "gf2"};
  if (layout.domain().volume() <= kMostWalked && layout.physical().volume() <= (Index{1} << 24))
    out.emplace_back("enumerate");
  for (const engines::Engine& engine : engines::engines())
    if (engine.name != "strided" && engine.name != "gf2" && engine.name != "enumerate") out.push_back(engine.name);
  return out;
}

/// A claim that was proved of a layout.
struct Held {
  const CorpusClaim* claim;
  Verdict verdict;

  /// The layout that it judges: of a law, the result.
  [[nodiscard]] const map::Layout& layout() const {
    const claims::Subject about = claim->about();
    const auto* law = std::get_if<claims::LawResult>(&about);
    return law != nullptr && law->result != nullptr ? *law->result : *claim->subject.reading.layout();
  }
};

/// The claim's subject with a mutant in the place of the layout that it judges.
struct Replaced {
  claims::Subject about;
  std::shared_ptr<const engines::Reach> reach;
  std::shared_ptr<const map::Layout> plain;
};

// The access of the claim, carried through the mutant.
std::shared_ptr<const engines::Reach> reach_through(const CorpusClaim& claim, const map::Layout& mutant) {
  session::TensorReading subject = claim.subject;
  subject.reading.what = mutant;
  const auto bound = session::bind(claim.asked, claim.request, subject, {});
  const auto* made = std::get_if<session::Bound>(&bound);
  const auto* about = made != nullptr && made->about ? std::get_if<claims::Accessed>(&*made->about) : nullptr;
  return about != nullptr ? std::make_shared<const engines::Reach>(about->reach) : nullptr;
}

/// Nothing if the claim cannot be asked of the mutant: it compares layouts of one tensor, or its access does not fit.
std::optional<Replaced> replaced(const CorpusClaim& claim, const map::Layout& mutant) {
  using Made = std::optional<Replaced>;
  const auto only_if = [&](const map::Layout& original, const claims::Subject& about) -> Made {
    if (mutant.logical() != original.logical()) return std::nullopt;
    return Replaced{about, nullptr, nullptr};
  };
  return std::visit(overloaded{
                        [&](const claims::OneLayout&) -> Made {
                          return Replaced{claims::OneLayout{mutant}, nullptr, nullptr};
                        },
                        [&](const claims::Pair& was) -> Made {
                          return only_if(was.layout, claims::Pair{mutant, was.other});
                        },
                        [&](const claims::WayBack& was) -> Made {
                          return only_if(was.layout, claims::WayBack{mutant, was.back});
                        },
                        [&](const claims::SharedBuffer& was) -> Made {
                          return only_if(was.layout, claims::SharedBuffer{mutant, was.other, was.at});
                        },
                        [&](const claims::LawResult& was) -> Made {
                          if (was.result == nullptr) return std::nullopt;
                          return only_if(*was.result, claims::LawResult{&mutant, was.law, was.rules});
                        },
                        [&](const claims::Based& was) -> Made {
                          return Replaced{claims::Based{mutant, was.element_bits, was.base}, nullptr, nullptr};
                        },
                        [&](const claims::Accessed& was) -> Made {
                          if (mutant.logical() != claim.subject.reading.layout()->logical()) return std::nullopt;
                          auto reach = reach_through(claim, mutant);
                          if (reach == nullptr) return std::nullopt;
                          return Replaced{claims::Accessed{*reach, was.at_most}, std::move(reach), nullptr};
                        },
                        [&](const claims::Transferred& was) -> Made {
                          if (mutant.logical() != was.layout.logical()) return std::nullopt;
                          // Moves are replayed through decode maps, and the mutant's may be one no longer.
                          auto plain = map::Layout::create(map::parts_in(mutant, mutant.physical()));
                          auto kept = std::make_shared<const map::Layout>(std::move(*plain));
                          return Replaced{claims::Transferred{*kept, was.transfer, was.from}, nullptr, std::move(kept)};
                        },
                        [&](const auto&) -> Made { return std::nullopt; },  // claims that the IR does not decide
                    },
                    claim.about());
}

/// The answer to a claim that is asked of a mutant.
struct Asked {
  const Held* held;
  Replaced subject;
  Verdict verdict;
  bool looked = false;  // looking at every point says the same
};

class Judge {
 public:
  Judge(const Mutant& mutant, Tally& tally) : mutant_(mutant), tally_(tally) {}

  /// Asks the claims, and tells what has become of the mutant.
  void ask(const std::vector<const Held*>& claims) {
    for (const Held* held : claims)
      if (auto subject = replaced(*held->claim, mutant_.layout)) ask(*held, std::move(*subject));
    if (asked_.empty()) return;
    ++tally_.mutants;
    const Class found = classify(claims.front()->layout());
    ++tally_.classes[found];
    ++tally_.by_sort[test::name(mutant_.sort)][found];
  }

 private:
  void ask(const Held& held, Replaced subject) {
    const claims::Claim& claim = held.claim->claim();
    Asked asked{&held, std::move(subject), {}, false};
    try {
      asked.verdict = claims::decide(claim, asked.subject.about, {}).verdict;
    } catch (const InternalError& error) {
      ++tally_.wrong;
      ADD_FAILURE() << *held.claim->request.id << " with " << mutant_.what << ": " << claim.name << ": "
                    << error.what();
      return;
    }
    const Looked word = word_of(asked.verdict);
    if (word.word == "unsupported") return;
    ++tally_.answers;
    const claims::Subject& about = asked.subject.about;
    const auto* access = std::get_if<claims::Accessed>(&about);
    const auto looked = access != nullptr ? test::look_at_banks(claim.name, *access) : test::look(claim.name, about);
    if (looked && word.word != "unknown") {
      ++tally_.looked;
      asked.looked = *looked == word;
      if (!asked.looked) complain(asked, "looking at every point", *looked);
    }
    if (const auto* refuted = std::get_if<Refuted>(&asked.verdict)) {
      const auto shown = test::shows(claim.name, about, refuted->counterexample);
      ++(shown ? tally_.shown : tally_.replayed_only);
      if (shown && !*shown) complain(asked, "the counterexample's own fields", {"nothing", {}});
    }
    asked_.push_back(std::move(asked));
  }

  Class classify(const map::Layout& original) {
    for (const Asked& asked : asked_) {
      const bool other_number =
          word_of(asked.verdict).word == "proved" && word_of(asked.verdict) != word_of(asked.held->verdict);
      if (std::holds_alternative<Refuted>(asked.verdict) || other_number) return Class::Refuted;
    }
    if (is_equivalent(original)) return Class::Equivalent;
    for (const Asked& asked : asked_) {
      if (word_of(asked.verdict).word != "unknown" && (asked.looked || confirm(asked))) continue;
      ++tally_.open[fmt::format("{} {} by {}", asked.held->claim->claim().name, word_of(asked.verdict).word,
                                engine_of(asked.verdict))];
      fmt::print("undecided: {} with {}: {}\n", *asked.held->claim->request.id, mutant_.what,
                 asked.held->claim->claim().name);
      return Class::Undecided;
    }
    return Class::Confirmed;
  }

  bool is_equivalent(const map::Layout& original) {
    const map::Layout& mutant = mutant_.layout;
    if (mutant.logical() != original.logical() || mutant.physical() != original.physical() ||
        mutant.filled() != original.filled())
      return false;
    if (mutant.decode() != original.decode() || mutant.identity() != original.identity()) return false;
    for (const std::string_view engine : second_engines(mutant)) {
      if (std::ranges::any_of(asked_, [&](const Asked& asked) { return took_part(asked.verdict, engine); })) continue;
      const question::Question question{question::Kind::Differs, &mutant, &original};
      const engines::Answer answer = engines::decide(question, only(engine)).answer;
      if (std::holds_alternative<engines::Found>(answer)) return false;
      if (!std::holds_alternative<engines::None>(answer)) continue;
      ++tally_.second[fmt::format("{} (same map)", engine)];
      return true;
    }
    return false;
  }

  // Whether an engine that took no part in the answer gives the same, or two engines do, each of them alone.
  bool confirm(const Asked& asked) {
    const Looked word = word_of(asked.verdict);
    std::string alone;
    for (const std::string_view engine : second_engines(mutant_.layout)) {
      const Looked second =
          word_of(claims::decide(asked.held->claim->claim(), asked.subject.about, only(engine)).verdict);
      if (second.word == "unknown" || second.word == "unsupported") continue;
      if (second != word) {
        complain(asked, engine, second);
        return false;
      }
      const bool fresh = !took_part(asked.verdict, engine);
      if (!fresh && alone.empty()) alone = engine;
      else
        return ++tally_.second[fresh ? std::string(engine) : fmt::format("{} and {}, each alone", alone, engine)] > 0;
    }
    return false;
  }

  void complain(const Asked& asked, std::string_view who, const Looked& says) {
    const Looked word = word_of(asked.verdict);
    const auto show = [](const Looked& looked) {
      return looked.value ? fmt::format("{} {}", looked.word, *looked.value) : std::string(looked.word);
    };
    if (++tally_.wrong <= 10)
      ADD_FAILURE() << *asked.held->claim->request.id << " with " << mutant_.what << ": "
                    << asked.held->claim->claim().name << " is " << show(word) << " by " << engine_of(asked.verdict)
                    << "; " << who << " says " << show(says);
  }

  const Mutant& mutant_;
  Tally& tally_;
  std::vector<Asked> asked_;
};

void mutate(const session::CaseRequest& request, std::uint64_t number, Tally& tally) {
  const test::ReadCase read = test::read_case(request);
  std::vector<Held> held;
  for (const CorpusClaim& claim : read.claims) {
    Verdict verdict = claims::decide(claim.claim(), claim.about(), {}).verdict;
    if (!std::holds_alternative<Proved>(verdict)) continue;
    if (is_about_the_ir(claim.claim())) held.push_back({&claim, std::move(verdict)});
    else ++tally.skipped[claim.claim().name];
  }
  if (held.empty()) return;
  ++tally.cases;
  // Claims that judge one layout are asked of its mutants together.
  std::map<const map::Layout*, std::vector<const Held*>> by_layout;
  std::vector<const map::Layout*> order;
  for (const Held& each : held) {
    auto& claims = by_layout[&each.layout()];
    if (claims.empty()) order.push_back(&each.layout());
    claims.push_back(&each);
  }
  for (const map::Layout* layout : order) {
    if (layout->domain().volume() > kMostDaily && !test::is_campaign()) {
      ++tally.too_large;
      continue;
    }
    for (const Mutant& mutant : test::draw(*layout, number++)) Judge(mutant, tally).ask(by_layout[layout]);
  }
}

std::string show(const std::map<Class, Index>& classes) {
  const auto of = [&](Class found) { return classes.contains(found) ? classes.at(found) : 0; };
  return fmt::format("{} refuted, {} equivalent, {} confirmed, {} undecided", of(Class::Refuted), of(Class::Equivalent),
                     of(Class::Confirmed), of(Class::Undecided));
}

TEST(Mutation, OfEveryProvedCaseIsRefutedOrStandsBySomebodyElse) {
  const test::Shard shard = test::shard_of_about(150, test::corpus().size());
  Tally tally;
  for (std::uint64_t number = 0; number < test::corpus().size(); ++number)
    if (shard.has(number)) mutate(test::corpus()[number].request, test::digest(~number), tally);

  fmt::print("shard {}/{}: {} cases ({} of their layouts too large for every day), {} mutants: {}\n", shard.index,
             shard.count, tally.cases, tally.too_large, tally.mutants, show(tally.classes));
  for (const auto& [sort, classes] : tally.by_sort) fmt::print("  {}: {}\n", sort, show(classes));
  fmt::print(
      "{} answers, {} held against every point; {} counterexamples held against their fields, {} replayed only\n",
      tally.answers, tally.looked, tally.shown, tally.replayed_only);
  for (const auto& [who, times] : tally.second) fmt::print("  second opinion of {}: {}\n", who, times);
  for (const auto& [claim, times] : tally.skipped) fmt::print("  not mutated: {} of {}\n", times, claim);
  for (const auto& [what, times] : tally.open) fmt::print("  undecided: {} of {}\n", times, what);

  EXPECT_EQ(tally.wrong, 0);
  const Index cases = static_cast<Index>(test::corpus().size() / shard.count);
  EXPECT_GE(tally.cases, cases / 2);
  EXPECT_GE(tally.mutants, cases * 2);
  EXPECT_GE(tally.classes[Class::Refuted], tally.mutants / 2);
  EXPECT_LE(tally.classes[Class::Undecided], tally.mutants / 50);  // 0.2 to 1.8 % of single shares
  EXPECT_GE(tally.looked, tally.answers / 4);
  EXPECT_GE(tally.shown, tally.classes[Class::Refuted] / 2);
}

}  // namespace mutation_layouts_campaign
}  // namespace vl
