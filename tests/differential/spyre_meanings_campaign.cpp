// The meanings of random Spyre layouts, compared with each other on every element: the IR, the reference's reading of
// the printed text, the terms that the solver sees, and the interpreter that moves data. Then the verdicts of all
// engines are compared with the verdict that follows from the reference's slots alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "encodings/smt/solver.h"
#include "encodings/use/reference.h"
#include "oracle/reference/executor.h"
#include "tests/support/shard.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "verifier/claims/claim.h"

namespace vl {
namespace differential_spyre_meanings_campaign {

using question::Kind;

use::Slots reference_of(const test::RandomCase& made) {
  const auto references = use::references();
  const auto spyre = std::ranges::find(references, "spyre", &use::Reference::family);
  VL_CHECK(spyre != references.end(), "the spyre reference");
  auto slots = (*spyre)->slots(spyre::print(made.layout), made.tensor);
  VL_CHECK(slots.has_value(), "the reference refuses " + made.show() + (slots ? "" : slots.error().message));
  return *slots;
}

/// The slots of every element by the reference: their numbers, ascending.
struct Judged {
  std::vector<std::vector<Index>> slots;
  bool some_missing = false;
  bool some_shared = false;
};

Judged judge_by(const use::Slots& reference, const map::Layout& layout) {
  Judged out;
  std::vector<bool> taken(static_cast<std::size_t>(layout.physical().volume()), false);
  if (layout.logical().volume() == 0) return out;
  Point x(layout.logical().rank(), 0);
  do {
    std::vector<Index> numbers;
    for (const Point& slot : reference(x)) {
      const Index number = layout.physical().linear(slot);
      out.some_shared = out.some_shared || taken[static_cast<std::size_t>(number)];
      taken[static_cast<std::size_t>(number)] = true;
      numbers.push_back(number);
    }
    out.some_missing = out.some_missing || numbers.empty();
    out.slots.push_back(std::move(numbers));
  } while (map::advance(layout.logical(), x));
  return out;
}

bool is_bijective(const Judged& judged) { return !judged.some_missing && !judged.some_shared; }

// Every element has a tag of its own; no tag is the fill.
constexpr std::uint32_t kFill = 0xFFFFFFFF;

std::vector<std::byte> tags(Index elements) {
  std::vector<std::byte> out(static_cast<std::size_t>(elements) * 4);
  for (Index k = 0; k < elements; ++k) {
    const auto tag = static_cast<std::uint32_t>(k);
    std::memcpy(out.data() + 4 * k, &tag, 4);
  }
  return out;
}

std::uint32_t tag_at(const std::vector<std::byte>& image, Index number) {
  std::uint32_t tag = 0;
  std::memcpy(&tag, image.data() + 4 * number, 4);
  return tag;
}

// pack() puts each tag where the reference says and the fill everywhere else; unpack() gives the host back. A layout
// that is not one to one cannot be packed.
void hold_the_executor(const test::RandomCase& made, const map::Layout& layout, const Judged& judged) {
  const std::vector<std::byte> host = tags(layout.logical().volume());
  const std::vector<std::byte> fill(4, std::byte{0xFF});
  const auto image = oracle::pack(layout, host, 4, fill);
  ASSERT_EQ(image.has_value(), is_bijective(judged)) << made.show();
  if (!image) return;
  std::vector<std::uint32_t> expected(static_cast<std::size_t>(layout.physical().volume()), kFill);
  for (std::size_t k = 0; k < judged.slots.size(); ++k)
    for (const Index slot : judged.slots[k]) expected[static_cast<std::size_t>(slot)] = static_cast<std::uint32_t>(k);
  ASSERT_EQ(image->size(), expected.size() * 4);
  for (std::size_t s = 0; s < expected.size(); ++s)
    ASSERT_EQ(tag_at(*image, static_cast<Index>(s)), expected[s]) << made.show() << " slot " << s;
  const auto back = oracle::unpack(layout, *image, 4);
  ASSERT_TRUE(back.has_value()) << made.show();
  ASSERT_EQ(*back, host) << made.show();
}

struct Distribution {
  Index layouts = 0, proved = 0, refuted = 0, vacuous = 0, elements = 0, by_dims = 0;
  Index constructed = 0, ragged = 0, sparse = 0, replicated = 0, expanded = 0, permuted = 0, mutated = 0;
  std::map<std::pair<std::size_t, std::size_t>, Index> ranks;

  void count(const test::RandomCase& made) {
    ++layouts;
    by_dims += made.layout.stride_map.empty();
    constructed += made.constructed;
    ragged += made.ragged;
    sparse += made.sparse;
    replicated += made.replicated;
    expanded += made.expanded;
    permuted += made.permuted;
    mutated += made.mutated;
    ++ranks[{made.tensor.size.size(), made.layout.device_size.size()}];
  }
  void print() const {
    std::cout << fmt::format(
        "{} layouts, {} elements: {} proved, {} refuted, {} vacuous; {} by dims, {} constructed, {} ragged, "
        "{} sparse, {} replicated, {} expanded, {} permuted, {} mutated\n",
        layouts, elements, proved, refuted, vacuous, by_dims, constructed, ragged, sparse, replicated, expanded,
        permuted, mutated);
    for (const auto& [rank, n] : ranks)
      std::cout << fmt::format("host rank {} device rank {}: {}\n", rank.first, rank.second, n);
  }
};

std::string_view bijective(const map::Layout& layout, const engines::Options& options) {
  return question::word(claims::decide(*claims::find_claim("bijective"), claims::OneLayout{layout}, options).verdict);
}

TEST(SpyreMeanings, AgreeOnEveryElementOfRandomLayouts) {
  test::RandomSpyre random(20261121);
  Distribution seen;
  for (Index n = 0; n < 20000; ++n) {
    const test::RandomCase made = random.next(100);
    const auto layout = spyre::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value()) << made.show() << layout.error().message;
    const Judged judged = judge_by(reference_of(made), *layout);
    seen.count(made);
    // IR = reference, and the test's own rule = reference.
    const test::Truth truth = test::truth_of(made.layout, made.tensor, made.strides);
    Point x(layout->logical().rank(), 0);
    for (const std::vector<Index>& slots : judged.slots) {
      ASSERT_EQ(question::memory_of(*layout, x), slots) << made.show() << fmt::format(" [{}]", fmt::join(x, ","));
      map::advance(layout->logical(), x);
      ++seen.elements;
    }
    ASSERT_EQ(truth.bijective(), is_bijective(judged)) << made.show();
    hold_the_executor(made, *layout, judged);
    if (HasFatalFailure()) return;

    const std::string_view word = bijective(*layout, {});
    const std::string_view right = judged.slots.empty() ? "vacuous" : is_bijective(judged) ? "proved" : "refuted";
    ASSERT_EQ(word, right) << made.show();
    seen.proved += word == "proved";
    seen.refuted += word == "refuted";
    seen.vacuous += word == "vacuous";
  }
  seen.print();
  EXPECT_EQ(seen.proved + seen.refuted + seen.vacuous, 20000);
  EXPECT_GE(seen.proved, 5000);
  EXPECT_GE(seen.refuted, 5000);
  EXPECT_LT(seen.vacuous, 2000);
  EXPECT_GT(seen.elements, 250000);
  for (const Index some : {seen.by_dims, seen.constructed, seen.ragged, seen.sparse, seen.replicated, seen.expanded,
                           seen.permuted, seen.mutated})
    EXPECT_GT(some, 500);
}

// Large layouts cannot be held everywhere: real formats, real shapes, random elements.
TEST(SpyreMeanings, AgreeOnSamplesOfConstructedLayoutsOfRealSizes) {
  test::RandomSpyre random(11);
  Index compared = 0;
  for (int n = 0; n < 300; ++n) {
    test::RandomCase made;
    for (Index rank = random.between(1, 4); rank > 0; --rank)
      made.tensor.size.push_back(random.chance(20) ? 1 : random.between(1, 5000));
    made.strides = *map::dense_strides(made.tensor.size);
    std::vector<Index> order(made.tensor.size.size());
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i > 1; --i)
      if (random.chance(50))
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
    if (random.chance(20)) order.push_back(-1);
    made.layout = *spyre::construct(made.tensor.size, made.strides, {"SEN169_FP16", 64}, order);
    const auto layout = spyre::lower(made.layout, made.tensor);
    if (!layout) {  // four extents of 5000 and a sparse stick leave 64 bits
      ASSERT_EQ(layout.error().code, ErrorCode::Overflow);
      continue;
    }
    ASSERT_EQ(bijective(*layout, {}), "proved") << made.show();
    const use::Slots reference = reference_of(made);
    for (int k = 0; k < 100; ++k) {
      Point x;
      for (const Index extent : made.tensor.size)
        x.push_back(random.chance(10) ? extent - 1 : random.between(0, extent - 1));
      const Point outputs = map::outputs_at(*layout, x, {});
      ASSERT_TRUE(layout->is_slot(outputs)) << made.show();
      ASSERT_EQ(reference(x),
                std::vector<Point>{
                    Point(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout->physical().rank()))})
          << made.show();
      ++compared;
    }
  }
  EXPECT_GT(compared, 28000);
}

TEST(SpyreMeanings, OfTheSolversTermsAreTheMaps) {
  test::RandomSpyre random(3);
  const Index wanted = 400;
  Index layouts = 0;
  Index points = 0;
  while (layouts < wanted) {
    const test::RandomCase made = random.next(40);
    const auto layout = spyre::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value());
    if (layout->domain().volume() == 0) continue;  // no point to ask about
    ++layouts;
    std::vector<Point> sample;
    const Index volume = layout->domain().volume();
    for (Index k = 0; k < std::min<Index>(volume, 6); ++k)
      sample.push_back(layout->domain().point(volume <= 6 ? k : random.between(0, volume - 1)));
    const auto terms = smt::lowered_outputs(layout->map(), sample);
    ASSERT_TRUE(terms.has_value()) << made.show() << (terms ? "" : terms.error().message);
    ASSERT_EQ(terms->size(), sample.size());
    for (std::size_t k = 0; k < sample.size(); ++k)
      ASSERT_EQ((*terms)[k], *map::evaluate(layout->map(), sample[k])) << made.show();
    points += static_cast<Index>(sample.size());
  }
  EXPECT_GT(points, wanted * 15 / 4);
}

TEST(SpyreMeanings, MakeTheVerdictsOfEveryEngine) {
  test::RandomSpyre random(5);
  std::map<std::string, std::map<std::string, Index>> words;
  const Index layouts = test::cases(800, 2500);
  const Index for_the_solver = layouts / 5;
  for (Index n = 0; n < layouts; ++n) {
    const test::RandomCase made = random.next(40);
    const auto layout = spyre::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value());
    const Judged judged = judge_by(reference_of(made), *layout);
    const std::string_view right = judged.slots.empty() ? "vacuous" : is_bijective(judged) ? "proved" : "refuted";
    for (const engines::Engine& engine : engines::engines()) {
      if ((engine.name == "smt" || engine.name == "presburger" || engine.name == "propositional") &&
          n >= for_the_solver)
        continue;
      engines::Options options;
      options.only = engine.name;
      const std::string_view word = bijective(*layout, options);
      ++words[std::string(engine.name)][std::string(word)];
      if (word == "unknown") continue;
      ASSERT_EQ(word, right) << engine.name << " on " << made.show();
    }
  }
  for (const auto& [engine, counts] : words)
    for (const auto& [word, n] : counts) std::cout << fmt::format("{}: {} {}\n", engine, n, word);
  EXPECT_EQ(words["enumerate"]["unknown"], 0);
  EXPECT_GT(words["enumerate"]["proved"], layouts / 5);
  EXPECT_GT(words["enumerate"]["refuted"], layouts / 5);
  EXPECT_LT(words["strided"]["unknown"], layouts / 5);
  for (const char* solver : {"presburger", "smt"}) {
    EXPECT_LT(words[solver]["unknown"], for_the_solver / 20) << solver;
    EXPECT_GT(words[solver]["proved"], for_the_solver / 5) << solver;
    EXPECT_GT(words[solver]["refuted"], for_the_solver / 5) << solver;
  }
}

}  // namespace differential_spyre_meanings_campaign
}  // namespace vl
