// Properties: laws that RapidCheck holds against drawn values and, where a law fails, against ever smaller ones.
//
// A value is drawn by a function that takes numbers from an Engine. The numbers are kept on a tape. RapidCheck makes
// tapes shorter and their numbers smaller, and the same function draws from them again; beyond the end all numbers are
// 0. So whatever a function draws can be shrunk, and each smaller value is one that the function may draw.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::test {

class Tape {
 public:
  using Number = std::uint64_t;

  /// Without an end.
  explicit Tape(Number seed) : seed_(seed) {}
  explicit Tape(std::vector<Number> numbers) : numbers_(std::move(numbers)), ends_(true) {}

  /// The number at this place, modulo `count`, and that is what stays there.
  Number below(std::size_t place, Number count) { return reaches(place) ? numbers_[place] %= count : 0; }
  /// Any number; beyond the end they differ, since std's distributions reject some for ever.
  Number any(std::size_t place) { return reaches(place) ? numbers_[place] : mixed((place + 1) * kStep); }
  [[nodiscard]] const std::vector<Number>& numbers() const { return numbers_; }

 private:
  static constexpr Number kStep = 0x9E3779B97F4A7C15U;
  static constexpr std::size_t kMostBeyond = 100'000;  // whoever draws more would go on for ever

  bool reaches(std::size_t place) {
    while (!ends_ && numbers_.size() <= place) numbers_.push_back(mixed(seed_ += kStep));
    if (place > numbers_.size() + kMostBeyond) throw rc::GenerationFailure("this tape is too short");
    return place < numbers_.size();
  }

  static Number mixed(Number x) {  // SplitMix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

  std::vector<Number> numbers_;
  Number seed_ = 0;
  bool ends_ = false;
};

/// The random numbers of a test: of a seed, where they are Twister's with every compiler, or from a tape.
template <class Twister>
class Numbers {
 public:
  using result_type = typename Twister::result_type;

  explicit Numbers(result_type seed) : twister_(seed) {}
  explicit Numbers(std::shared_ptr<Tape> tape) : tape_(std::move(tape)) {}

  static constexpr result_type min() { return Twister::min(); }
  static constexpr result_type max() { return Twister::max(); }
  result_type operator()() { return twister_ ? (*twister_)() : tape_->any(next_++) & max(); }
  /// A number in [0, count).
  result_type below(std::uint64_t count) {
    return static_cast<result_type>(twister_ ? (*twister_)() % count : tape_->below(next_++, count));
  }
  void show(std::ostream& out) const { rc::show(tape_ ? tape_->numbers() : std::vector<Tape::Number>{}, out); }

 private:
  std::optional<Twister> twister_;
  std::shared_ptr<Tape> tape_;
  std::size_t next_ = 0;
};

template <class Twister>
void showValue(const Numbers<Twister>& numbers, std::ostream& out) {
  numbers.show(out);
}

using Engine = Numbers<std::mt19937>;
using WideEngine = Numbers<std::mt19937_64>;

/// A number in [low, high]; std's distributions differ between libraries.
template <class Twister>
Index roll(Numbers<Twister>& engine, Index low, Index high) {
  return low + static_cast<Index>(engine.below(static_cast<std::uint64_t>(high - low + 1)));
}

/// One of a list.
template <class Twister, class List>
auto one_of(Numbers<Twister>& engine, const List& list) {
  return *(std::begin(list) + static_cast<std::ptrdiff_t>(engine.below(std::size(list))));
}
template <class T, class Twister>
T one_of(Numbers<Twister>& engine, std::initializer_list<T> list) {
  return *(list.begin() + static_cast<std::ptrdiff_t>(engine.below(list.size())));
}

namespace property {

/// Tapes without a block of numbers, the long blocks first, or with a smaller number in one place.
inline std::vector<std::vector<Tape::Number>> smaller(const std::vector<Tape::Number>& numbers) {
  std::vector<std::vector<Tape::Number>> out;
  const std::size_t size = numbers.size();
  for (std::size_t block = (size + 1) / 2; block > 0; block /= 2)
    for (std::size_t end = size; end > 0; end -= std::min(block, end)) {
      out.push_back(numbers);
      const auto at = [&](std::size_t place) { return out.back().begin() + static_cast<std::ptrdiff_t>(place); };
      out.back().erase(at(end - std::min(block, end)), at(end));
    }
  for (std::size_t place = 0; place < size; ++place) {
    const Tape::Number now = numbers[place];
    for (const Tape::Number less : {Tape::Number{0}, now / 2, now - 1}) {
      if (less >= now) continue;
      out.push_back(numbers);
      out.back()[place] = less;
    }
  }
  return out;
}

inline rc::Shrinkable<std::shared_ptr<Tape>> shrinkable(std::shared_ptr<Tape> tape) {
  return rc::shrinkable::lambda([tape] { return tape; },
                                [tape] {
                                  const auto made = [](std::vector<Tape::Number> numbers) {
                                    return shrinkable(std::make_shared<Tape>(std::move(numbers)));
                                  };
                                  return rc::seq::map(rc::seq::fromContainer(smaller(tape->numbers())), made);
                                });
}

}  // namespace property

/// What a function draws from an engine.
template <class Taken = Engine, class Draw>
auto drawn(Draw draw) {
  const rc::Gen<std::shared_ptr<Tape>> tapes = [](const rc::Random& random, int) {
    return property::shrinkable(std::make_shared<Tape>(rc::Random(random).next()));
  };
  return rc::gen::map(tapes, [draw](const std::shared_ptr<Tape>& tape) {
    Taken engine(tape);
    return draw(engine);
  });
}

/// For a law that draws here and there: an engine that goes on.
template <class Taken = Engine>
rc::Gen<Taken> engines() {
  return drawn<Taken>([](Taken& engine) { return engine; }).as("the numbers that were drawn");
}

/// A number in [low, high].
inline rc::Gen<Index> numbers(Index low, Index high) {
  return drawn([=](Engine& engine) { return roll(engine, low, high); });
}

/// Holds a law, whose values are drawn in it by `*generator`, for that many cases. A failure shows the smallest values
/// for which the law was seen to fail. Each test has cases of its own, and in it each `subject` of the law. RC_ASSERT(a
/// && b) evaluates b in any case; RC_ASSERT((a && b)) does not.
template <class Law>
void for_all(int cases, const std::string& subject, Law law) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = cases;
  params.seed += std::hash<std::string>{}(testing::UnitTest::GetInstance()->current_test_info()->name() + subject);
  const auto result = rc::detail::checkProperty(rc::detail::toProperty(std::move(law)), {}, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream said;
  printResultMessage(result, said);
  FAIL() << subject << "\n" << said.str();
}
template <class Law>
void for_all(int cases, Law law) {
  for_all(cases, "", std::move(law));
}

}  // namespace vl::test
